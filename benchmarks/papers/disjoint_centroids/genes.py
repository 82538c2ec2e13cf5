"""Section 8, tables 6 to 11: three sets of gene expression in three folds.

Raw values, as only these reproduce the paper's numbers; methods named "logs" are ours and look at
z-scores of logarithms. Three folds depend on how the samples are split, so beside the one split of
the paper's protocol stands the mean over many. Of the many, slow methods see the first few. NDC-S
with its 100 starts sees the first; over the many it has few starts.
"""

from functools import cache
from typing import NamedTuple

import pandas as pd
from sklearn.model_selection import StratifiedKFold

from .._data import load_table
from .._output import print_grid, report_claims, write_csv
from .gene_claims import claims_of_genes
from .methods import GENE_METHODS, LOG_METHODS
from .printed import GENE_COUNTS, GENE_ERRORS
from .protocol import PAPER, add_instead, repeats_of, tried, warm_up
from .results import Measured, standard_error

__all__ = ["BREAST", "BREAST_AND_COLON", "LEUKEMIA", "N_FOLDS", "run", "tried_on_fold"]

N_FOLDS = 3
SLOW_COST = 4


class Study(NamedTuple):
    """A set of gene expression, and its tables of errors and of selected features."""

    file: str
    title: str
    tables: tuple[str, str]


BREAST_AND_COLON = Study("chowdary_desouto", "breast and colon cancer", ("6", "7"))
# The paper swaps the names of its classes: 47 samples are ALL, 25 AML.
LEUKEMIA = Study("golub_desouto", "leukemia", ("8", "9"))
BREAST = Study("west_desouto", "breast cancer", ("10", "11"))


def run(study, settings):
    """Measure, print and write both tables, and put the paper's sentences to them."""
    results = measure(study, settings)
    summary = add_instead(summarise(study, results), results, after="ours_over_splits_sd")
    n, p = load_table(settings.data, study.file)[0].shape
    title = f"Tables {' and '.join(study.tables)}: {study.title}, {n} x {p}; mean (standard error)"
    print_grid(f"{title} over {N_FOLDS} folds", grid_of(summary))
    write_csv(settings, f"{PAPER}_table{'_'.join(study.tables)}", summary)
    claims = claims_of_genes(study, results)
    report_claims(settings, PAPER, claims, {"n_repeats": repeats_of(summary.n_splits)})


def measure(study, settings):
    """Run every method on all folds of every split that it can afford."""
    X, _ = load_table(settings.data, study.file)
    methods = GENE_METHODS + LOG_METHODS * bool((X > 0).all())
    warm_up(methods, n_classes=2)
    records = [
        {"data": study.file, "repeat": split, "fold": fold}
        | tried_on_fold(study, method, split, fold, settings)[0]
        for method in methods
        for split in range(method.n_repeats(settings.n_seeds, SLOW_COST))
        for fold in range(N_FOLDS)
    ]
    return Measured(pd.DataFrame(records), ["data"])


@cache
def tried_on_fold(study, method, split, fold, settings):
    """Return the record of one method on one fold, and the features it uses; remembered."""
    X, y = load_table(settings.data, study.file)
    seed = settings.seed + split
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    train, test = list(folds.split(X, y))[fold]
    return tried(method, (X[train], y[train]), (X[test], y[test]), seed)


def summarise(study, results):
    """Put errors and numbers of features of the first split and of all splits side by side."""
    records = results.records
    first = records[records.repeat == 0].groupby(["data", "method"], sort=False)
    by_split = records.groupby(["data", "method", "repeat"], sort=False)[["error", "n_selected"]]
    over_splits = by_split.mean().groupby(["data", "method"], sort=False)
    table = first.agg(
        role=("role", "first"),
        ours=("error", "mean"),
        ours_se=("error", standard_error),
        selected_ours=("n_selected", "mean"),
        selected_ours_se=("n_selected", standard_error),
        n_features=("n_features", "first"),
    )
    table["cpu_seconds_median"] = records.groupby(["data", "method"]).cpu_seconds.median()
    table["n_splits"] = over_splits.size()
    errors, counts = over_splits.error, over_splits.n_selected
    names = table.index.get_level_values("method")
    table.insert(1, "paper", printed(GENE_ERRORS[study.tables[0]], names, 0))
    table.insert(2, "paper_se", printed(GENE_ERRORS[study.tables[0]], names, 1))
    table.insert(5, "ours_over_splits", errors.mean())
    table.insert(6, "ours_over_splits_sd", errors.std(ddof=1))
    table.insert(7, "selected_paper", printed(GENE_COUNTS[study.tables[1]], names, 0))
    table.insert(8, "selected_paper_se", printed(GENE_COUNTS[study.tables[1]], names, 1))
    table.insert(11, "selected_over_splits", counts.mean())
    return table.reset_index().assign(n_folds=N_FOLDS)


def printed(numbers, methods, which):
    return [numbers[method][which] if method in numbers else None for method in methods]


def grid_of(summary):
    """Lay out one row a method: errors and numbers of features, printed, once, over splits."""
    show, count = "{:.3f} ({:.3f})".format, "{:.0f} ({:.0f})".format
    columns = {
        "error, paper": pairs(summary, "paper", "paper_se", show),
        "ours": pairs(summary, "ours", "ours_se", show),
        "over splits": summary.ours_over_splits.map("{:.3f}".format),
        "features, paper": pairs(summary, "selected_paper", "selected_paper_se", count),
        "ours ": pairs(summary, "selected_ours", "selected_ours_se", count),
        "over splits ": summary.selected_over_splits.map("{:.0f}".format),
        "splits": summary.n_splits,
    }
    return pd.DataFrame(columns).set_axis(summary.method)


def pairs(summary, mean, error, form):
    found = zip(summary[mean], summary[error], strict=True)
    return ["" if pd.isna(a) else form(a, b) for a, b in found]
