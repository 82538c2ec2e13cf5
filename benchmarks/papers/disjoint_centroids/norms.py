"""The Euclidean norm in the place of the normalized one, on balanced and unbalanced classes.

The paper says of simulations that it does not print that the Euclidean norm is worse where data are
unbalanced. Data are those of table 3 with ten features a class and strengths of 0.6; of unbalanced
training sets the classes are left 250, 190, 125 and 60 samples. Test sets are balanced.
"""

import numpy as np
import pandas as pd

from centroidal import DisjointCentroidClassifier
from centroidal.datasets import make_feature_blocks

from .._output import Claim, print_grid, report_claims, verdict, write_csv
from .protocol import PAPER

__all__ = ["run"]

NORMS = ("normalized", "euclidean")
SIZES = {"balanced": (250, 250, 250, 250), "unbalanced": (250, 190, 125, 60)}
N_NOISE = 2.0  # standard errors
VOID = 0.75  # error of a guess, where all starts are void


def run(settings):
    """Measure both norms on the same data."""
    table = pd.DataFrame(
        record(sizes, norm, seed)
        for sizes in SIZES
        for norm in NORMS
        for seed in range(settings.seed, settings.seed + settings.n_seeds)
    )
    grouped = table.groupby(["classes", "norm"], sort=False)
    summary = grouped[["error", "void_starts", "features_of_first_class"]].mean().reset_index()
    summary.insert(3, "error_se", grouped.error.sem().to_numpy())
    print_grid("Error by norm", summary)
    write_csv(settings, f"{PAPER}_norms", summary.assign(n_repeats=settings.n_seeds))
    report_claims(settings, PAPER, [claim_of(table)], {"n_repeats": settings.n_seeds})


def record(sizes, norm, seed):
    train, test = (
        make_feature_blocks(1000, 10, mean=0.6, spread=1.6, random_state=2 * seed + i)
        for i in (0, 1)
    )
    rows = np.concatenate(
        [np.flatnonzero(train.target == c)[:size] for c, size in enumerate(SIZES[sizes])]
    )
    model = DisjointCentroidClassifier(norm=norm, random_state=seed)
    found = {"classes": sizes, "norm": norm, "seed": seed}
    try:
        model.fit(train.data[rows], train.target[rows])
    except ValueError:  # all starts are void
        return found | {"error": VOID, "void_starts": model.n_init, "features_of_first_class": 0}
    return found | {
        "error": 1.0 - model.score(test.data, test.target),
        "void_starts": model.n_void_,
        "features_of_first_class": model.groups_[0].sum(),
    }


def claim_of(table):
    errors = table.pivot(index=["classes", "seed"], columns="norm", values="error")
    lead = errors.euclidean - errors.normalized
    means, noise = lead.groupby("classes").mean(), lead.groupby("classes").sem()
    told = "; ".join(
        f"{sizes}: {errors.loc[sizes].normalized.mean():.3f} normalized, "
        f"{errors.loc[sizes].euclidean.mean():.3f} Euclidean"
        for sizes in SIZES
    )
    return Claim(
        "Section 2, norm",
        "The Euclidean norm leads to worse performance when data are unbalanced.",
        f"mean error, {told}",
        "",
        verdict(float(means["unbalanced"] > N_NOISE * noise["unbalanced"])),
    )
