"""Table 12: how often each gene of the breast cancer set is selected.

The paper repeats its experiment 100 times. Here NDC-S with few starts and its weight chosen inside
is fitted to 100 training parts of two thirds: those of the first 34 random splits in three folds,
the last of them not whole; with other than 20 seeds it is 5 parts a seed. As it may choose to keep
many genes, NDC stands beside it with the one weight that keeps about as many as the paper's NDC-S.

The printed names stand one row above the genes that are selected, as if a header had been counted:
so what is printed is set beside the gene in the next row, and claims are judged for both.
"""

import numpy as np
import pandas as pd

from centroidal import DisjointCentroidClassifier

from .._data import load_feature_names, load_table
from .._output import Claim, print_grid, report_claims, verdict, write_csv
from .claims import describe_cases
from .genes import BREAST, N_FOLDS, tried_on_fold
from .methods import LOGISTIC_OF_GENES, NDC_S_OF_GENES, disjoint
from .printed import GENE_COUNTS, TOP_GENES
from .protocol import PAPER

__all__ = ["run"]

N_PER_SEED = 5
N_TOP = 10
N_FEATURES = GENE_COUNTS[BREAST.tables[1]]["NDC-S"][0]
WEIGHTS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2)
OFTEN = 0.5  # share of the parts in which a gene is selected often


def run(settings):
    """Count, print and write the genes that are selected most often, and those of the paper."""
    n_parts = N_PER_SEED * settings.n_seeds
    weight = weight_for(N_FEATURES, settings)
    genes = table_of_genes(settings, n_parts, weight)
    is_top = np.minimum(genes["rank"], genes.rank_few) <= N_TOP
    shown = genes[is_top | genes.paper.notna() | genes.name_is_printed]
    title = f"Table 12: share of {n_parts} training parts in which a gene is selected"
    print_grid(f"{title}; few: with weight {weight}", shown.set_index("gene"))
    write_csv(settings, f"{PAPER}_table12", shown.assign(weight_few=weight, n_parts=n_parts))
    report_claims(settings, PAPER, claims_of(genes, weight), {"n_repeats": n_parts})


def weight_for(n_features, settings):
    """Return the weight that keeps nearest to so many features of all samples."""
    X, y = load_table(settings.data, BREAST.file)
    away = {}
    for weight in WEIGHTS:
        model = DisjointCentroidClassifier(baseline_weight=weight, random_state=settings.seed)
        try:
            away[weight] = abs(model.fit(X, y).support_.sum() - n_features)
        except ValueError:  # a class lost all its features in each start
            continue
    return min(away, key=away.get)


def table_of_genes(settings, n_parts, weight):
    """List all genes by how often NDC-S selects them, beside what is printed a row above."""
    names = load_feature_names(settings.data, BREAST.file)
    few = disjoint("NDC, few features", "ours", baseline_weight=weight)
    ours, ours_few, instead = (
        frequency(method, settings, n_parts) for method in (NDC_S_OF_GENES, few, LOGISTIC_OF_GENES)
    )
    above = pd.Series(names).shift(1)
    table = pd.DataFrame(
        {
            "gene": names,
            "row_above": above,
            "name_is_printed": np.isin(names, list(TOP_GENES)),
            "paper": above.map(TOP_GENES),
            "ours": ours,
            "ours_few": ours_few,
            "instead": instead,
            "instead_method": LOGISTIC_OF_GENES.name,
        }
    )
    for column, position in (("rank", "ours"), ("rank_few", "ours_few")):
        table[column] = table[position].rank(ascending=False, method="min").astype(int)
    return table.sort_values(["ours_few", "ours"], ascending=False, kind="stable")


def frequency(method, settings, n_parts):
    """Return the share of training parts in which a method selects each gene."""
    used = [
        tried_on_fold(BREAST, method, *divmod(part, N_FOLDS), settings)[1]
        for part in range(n_parts)
    ]
    return np.mean(used, axis=0)


def claims_of(genes, weight):
    """Judge what the paper says of its five genes, by printed name and by the row after it."""
    by_name = genes.set_index("gene")
    printed = by_name.loc[list(TOP_GENES)]
    after = by_name[by_name.paper.notna()].sort_values("paper", ascending=False)
    by_logistic = by_name.nlargest(len(TOP_GENES), "instead").instead
    instead = f"Logistic selects most often {listed(by_logistic)}"
    by_rule = {"NDC-S": "ours", f"NDC with weight {weight}": "ours_few"}
    often = pd.concat({how: printed[column] for how, column in by_rule.items()})
    ranks = after[["rank", "rank_few"]].set_axis(list(by_rule), axis=1).unstack()
    is_first = ranks <= len(TOP_GENES)
    return [
        Claim(
            "Table 12",
            "The five genes, as named, are selected most often.",
            f"a printed gene is selected in at least {100 * OFTEN:.0f} % of the parts: "
            f"{describe_cases(named(often >= OFTEN))}; {by_rules(printed, by_rule)}",
            instead,
            verdict((often >= OFTEN).mean()),
        ),
        Claim(
            "Table 12",
            "(The printed names are off by one:) the genes in the rows after them are selected "
            "most often.",
            f"such a gene is among the first five: {describe_cases(named(is_first))}; "
            f"{by_rules(after, by_rule)}",
            instead,
            verdict(is_first.mean()),
        ),
    ]


def named(answers):
    return answers.set_axis([f"{gene} by {how}" for how, gene in answers.index])


def by_rules(genes, by_rule):
    return "; ".join(f"{how}: {listed(genes[column])}" for how, column in by_rule.items())


def listed(shares):
    return ", ".join(f"{gene} {share:.2f}" for gene, share in shares.items())
