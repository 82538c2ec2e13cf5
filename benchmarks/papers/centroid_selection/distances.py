r"""Table 2: average distance to the class centroid on the first 20 features.

The distance of a set S of features is the mean over the samples of ||r_i[S]||, with r_i the
sample minus the centroid of its class. The printed distances of GLIOMA are impossible: they lie
outside what *any* 20 features can have. With a_j = mean_i |r_ij| and v_j = mean_i r_ij^2,

    sqrt(sum_S a_j^2)  <=  mean_i ||r_i[S]||  <=  sqrt(sum_S v_j).

Proof. Above: the root is concave, so the mean of ||r_i|| = sqrt(||r_i||^2) is at most the root of
the mean of ||r_i||^2, which is the sum of v_j over S. Below: the norm is convex and does not see
signs, so by Jensen's inequality its mean over the vectors |r_i[S]| is at least the norm of their
mean, which is the root of the sum of a_j^2 over S. Hence the 20 smallest a_j^2 and the 20
largest v_j bound every set of 20 features from below and above, whatever selected them. In the
same way the sums of the 20 smallest and of the 20 largest v_j bound the mean *squared* distance.

The measure says nothing on how far the classes are apart: the lowest distances belong to the
features that vary least.
"""

import numpy as np
import pandas as pd

from centroidal import L21CentroidSelector, LinearCentroidEncoder

from .._output import print_grid, report_claims, write_csv
from .claims import judged
from .printed import DISTANCES
from .problems import ALLAML, GLIOMA, PAPER, PROBLEMS, SCALINGS, load

__all__ = ["run"]

FIGURE = "Table 2"
N_TOP = 20
ALMOST = 0.05  # relative difference of distances that are "almost the same"
# Data come scaled; the same solver and penalties, as shares of the largest, for all of them.
SELECTORS = {
    "RFS": L21CentroidSelector(targets="classes", scale=None, solver="newton"),
    "SLCE": LinearCentroidEncoder(scale=None),
    "Ours": L21CentroidSelector(scale=None, solver="newton"),
}
FLATTEST = "least spread within classes"


def run(settings):
    """Select under each scaling, measure, bound, and put the paper's sentences to it."""
    rows = [
        row
        for problem in PROBLEMS
        for scaling, scale in SCALINGS.items()
        for row in rows_of(problem, scaling, *scaled(settings, problem, scale))
    ]
    table = pd.DataFrame(rows)
    print_grid("Table 2: average distance to class centroid, first 20 features", grid_of(table))
    write_csv(settings, f"{PAPER}_table2", table)
    report_claims(settings, PAPER, claims_of(table), {"n_repeats": 1})


def scaled(settings, problem, scale):
    X, y = load(settings, problem)
    return scale(X), y


def rows_of(problem, scaling, X, y):
    """Yield the distance of each selection, with the bounds over all sets of 20 features."""
    residuals = X - class_means(X, y)[y]
    about = {"problem": problem.name, "scaling": scaling, "note": problem.note}
    limits = bounds(residuals)
    selections = {name: ranking(model, X, y) for name, model in SELECTORS.items()}
    selections[FLATTEST] = np.argsort((residuals**2).mean(axis=0), kind="stable")
    for name, ranked in selections.items():
        lengths = np.linalg.norm(residuals[:, ranked[:N_TOP]], axis=1)
        yield {
            **about,
            "method": name,
            "paper": DISTANCES[problem.name].get(name),
            "ours": lengths.mean(),
            "ours_squared": (lengths**2).mean(),
            **limits,
        }


def class_means(X, y):
    return np.array([X[y == c].mean(axis=0) for c in np.unique(y)])


def ranking(model, X, y):
    return model.fit(X, y).feature_ranking_


def bounds(residuals):
    """Bound distance and squared distance over every set of 20 features; proof above."""
    absolute = np.sort(np.abs(residuals).mean(axis=0))
    squares = np.sort((residuals**2).mean(axis=0))
    return {
        "lowest_possible": np.linalg.norm(absolute[:N_TOP]),
        "highest_possible": np.sqrt(squares[-N_TOP:].sum()),
        "lowest_possible_squared": squares[:N_TOP].sum(),
        "highest_possible_squared": squares[-N_TOP:].sum(),
    }


def grid_of(table):
    keys = ["problem", "scaling"]
    ours = table.pivot_table("ours", keys, "method", sort=False)[[*SELECTORS, FLATTEST]]
    printed = pd.DataFrame(DISTANCES).T.add_prefix("paper ")
    first = table.groupby(keys, sort=False)[["lowest_possible", "highest_possible"]].first()
    return ours.join(printed, on="problem").join(first).round(2)


def claims_of(table):
    """Judge what the paper says of the distances, and whether they can be."""
    return [
        claim_similar(table),
        claim_slce_farther(table),
        claim_possible(table, ALLAML.name),
        claim_possible(table, GLIOMA.name),
        claim_possible(table, GLIOMA.name, "_squared"),
        claim_separation(table),
    ]


def by_method(table):
    return table.pivot_table("ours", ["problem", "scaling"], "method", sort=False)


def claim_similar(table):
    found = by_method(table)
    change = found["Ours"] / found["RFS"] - 1
    answers = {f"{', '.join(k)} {100 * v:+.1f} %": abs(v) <= ALMOST for k, v in change.items()}
    question = f"the distances of Ours and RFS differ by at most {100 * ALMOST:.0f} %"
    text = "Ours reaches almost the same average distance as RFS."
    return judged(FIGURE, text, question, answers, describe_flattest(table))


def claim_slce_farther(table):
    found = by_method(table)
    change = found["SLCE"] / found["Ours"] - 1
    answers = {f"{', '.join(k)} {100 * v:+.1f} %": v > 0 for k, v in change.items()}
    question = "the distance of SLCE is larger than that of Ours"
    text = "The features of SLCE are farther from the centroids (printed for all three sets)."
    return judged(FIGURE, text, question, answers, describe_flattest(table))


def claim_possible(table, name, power=""):
    """Ask for each scaling whether all printed numbers lie within the bounds."""
    limits = table[table.problem == name].groupby("scaling", sort=False).first()
    answers = {}
    for scaling, row in limits.iterrows():
        low, high = row[f"lowest_possible{power}"], row[f"highest_possible{power}"]
        is_inside = {number: low <= number <= high for number in DISTANCES[name].values()}
        places = (f"{n} lies {'in' if found else 'out'}side" for n, found in is_inside.items())
        answers[f"{scaling}: {', '.join(places)} [{low:.2f}, {high:.2f}]"] = all(is_inside.values())
    numbers = ", ".join(map(str, DISTANCES[name].values()))
    text = (
        f"(Not in the paper:) {numbers} on {name} may be mean squared distances."
        if power
        else f"The average distances on {name} are {numbers}."
    )
    question = "all lie within the bounds over every set of 20 features"
    return judged(FIGURE, text, question, answers, describe_flattest(table))


def claim_separation(table):
    found = by_method(table)
    answers = {
        f"{', '.join(k)} {row[FLATTEST]:.2f}": row[FLATTEST] < row[list(SELECTORS)].min()
        for k, row in found.iterrows()
    }
    question = "the 20 features that vary least within classes have the lowest distance of all"
    text = "(Not in the paper:) a low average distance is no sign of a good selection."
    return judged(FIGURE, text, question, answers, describe_flattest(table))


def describe_flattest(table):
    found = table[(table.method == FLATTEST) & (table.scaling == "standardised")]
    values = ", ".join(f"{row.problem} {row.ours:.2f}" for row in found.itertuples())
    return f"the 20 features of least spread within classes, standardised: {values}"
