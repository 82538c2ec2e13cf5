"""Compare classifiers and selectors on a table."""

import math

from ..._optional import require
from .. import display
from ..documents import add_text, check_text, text_options
from ..files import (
    Outputs,
    groups_of,
    input_files,
    name_columns,
    read_samples,
    table_values,
    write_columns,
    write_report,
)
from ..messages import InputError
from ..options import (
    EVALUATION,
    PREPARING,
    READING,
    SHEET,
    add_options,
    option_names,
    preprocess_names,
)

HELP = "Compare classifiers and selectors on a table, on the same folds."
EXAMPLES = """\
  centroidal compare expression.csv --target tumour
  centroidal compare expression.csv --target tumour --repeats 1 --output scores.csv
  centroidal compare reviews.csv --text body --target label --repeats 1"""

_N_FOLDS = 5


def add_arguments(parser):
    """Add the arguments."""
    add_options(parser, "table", "--target")
    group = parser.add_argument_group("reading the table")
    add_options(group, *READING, *SHEET, "--impute", *PREPARING)
    add_text(parser.add_argument_group("documents"))
    group = add_options(parser.add_argument_group("comparison"), "--scoring", *EVALUATION)
    group.add_argument(
        "--neural", action="store_true",
        help="with the sparse centroid-encoder, a network; takes long",
    )  # fmt: skip
    group = parser.add_argument_group("files to write, only if the comparison is complete")
    add_options(group, "--report")
    group.add_argument("--output", metavar="C.csv", help="scores and differences")
    add_options(group, "--force")


def run(args, messages):
    """Compare classifiers on a table; if interrupted, show what is finished and write nothing."""
    check_text(args, "--neural")
    suffixes = {"--report": (".html",), "--output": (".csv",)}
    outputs = Outputs(args, suffixes, inputs=input_files(args))
    table = read_samples(args, messages)
    fits = begin_comparison(args, table)
    try:
        comparison = finish_comparison(fits, args, messages)
    except KeyboardInterrupt:
        if not fits.n_done:
            raise
        with _answer(args, outputs, name_columns(fits.comparison(), args), table):
            pass
        raise KeyboardInterrupt(
            f"{fits.n_done} of {len(fits)} fits are in the table, nothing was written"
        ) from None
    with _answer(args, outputs, comparison, table):
        write_report(outputs, args, comparison=comparison, table=table)
        outputs.write("--output", write_columns, _columns(comparison))


def begin_comparison(args, table):
    """Return the fits of a comparison, which are made as they are asked for."""
    import numpy as np

    from ...model_selection import iter_comparison
    from ...model_selection.splits import Units, check_groups, check_n_folds

    try:
        groups = check_groups(groups_of(args, table), table.y.size)
        units = Units.of(*np.unique(table.y, return_inverse=True), groups)
        usual = check_n_folds(None, units, is_nested=True)
        n_folds = usual if args.folds is None else args.folds
        return iter_comparison(
            _lineup(args, table, units, n_folds), table.X, table.y, cv=n_folds,
            n_repeats=args.repeats, scoring=args.scoring, impute=table.impute,
            preprocess=preprocess_names(args), text=text_options(args), groups=groups,
            n_jobs=args.jobs, random_state=args.seed,
        )  # fmt: skip
    except ValueError as error:
        raise InputError(option_names(error)) from error


def finish_comparison(fits, args, messages):
    """Make all fits and return the comparison, with a warning for each member that failed."""
    with messages.bar("Comparing classifiers") as advance:
        for result in fits:
            advance(fits.n_done, len(fits), result.name)
    comparison = name_columns(fits.comparison(), args)
    for name in comparison.names:
        errors = [each.error for each in comparison.results_of(name) if each.error]
        if errors:
            messages.note(f"Warning: {name} failed in {len(errors)} folds, first: {errors[0]}")
    return comparison


def _lineup(args, table, units, n_folds):
    """Return whom to compare; None is the default."""
    if not getattr(args, "neural", False):
        return None
    from scipy.sparse import issparse

    from ...model_selection import comparison_lineup

    require("torch", "neural", "--neural")
    count = int(units.counts.min())
    n_training = count - -(-count // n_folds)  # of the rarest class, in the smallest training set
    return comparison_lineup(
        table.X.shape[1], n_classes=units.classes.size, is_sparse=issparse(table.X),
        inner_cv=max(2, min(_N_FOLDS, n_training)), scoring=args.scoring, neural=True,
    )  # fmt: skip


# ------------------------------------------------------------------ what was found


def _columns(comparison):
    """Return scores and differences as columns, the best member first."""
    differences = {
        name: column
        for name, column in comparison.differences.items()
        if name not in ("name", "n_folds")
    }
    columns = comparison.table | differences
    scores = [-math.inf if math.isnan(each) else each for each in columns["mean_test_score"]]
    order = sorted(range(len(scores)), key=lambda row: -scores[row])
    return {name: column[order].tolist() for name, column in columns.items()}


def _answer(args, outputs, comparison, table):
    from ..._plain import row_dicts  # numpy comes with it

    codes = comparison.target.tolist()
    found = {
        "answer": comparison.summary(),
        "scoring": comparison.score_name,
        "n_folds": len(comparison.folds),
        "n_groups": comparison.n_groups,
        "group_name": comparison.group_name,
        "baseline": comparison.baseline,
        "is_complete": comparison.is_complete,
        "n_fits": len(comparison.results),
        "n_fits_in_all": comparison.scores.size,
        "members": row_dicts(_columns(comparison)),
        "classes": comparison.classes,
        "class_counts": [codes.count(code) for code in range(comparison.classes.size)],
        "confusion": comparison.confusion,
        "seeds": comparison.seeds,
        "versions": comparison.versions,
    }
    return display.answer(
        args, outputs, display.comparison, table=table_values(table), comparison=found
    )
