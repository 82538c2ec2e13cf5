"""Figures 2 and 3: spreads within the classes, and Relief weights, of ALLAML.

The paper reads figure 3 so that weights closer to zero belong to better features. Three orders are
tried on the same folds: the highest weight first, the nearest to zero first, the largest absolute
weight first.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .._output import print_grid, report_claims, save_small, write_csv
from .accuracy import SIZES, measure
from .claims import judged
from .methods import RANDOM, RELIEF_READINGS, score_relief
from .problems import ALLAML, PAPER, load

__all__ = ["run"]

LOWEST_DRAWN, NEAR = -8, 0.5  # of figure 3
MOST_SPREAD = 1  # of figure 2
SHOWN = [5, 20, 60, 100]


def run(settings):
    """Score all samples, try the three orders, print, write and draw."""
    X, y = load(settings, ALLAML)
    weights = score_relief(X, y)
    spreads = np.array([X[y == c].std(axis=0) for c in np.unique(y)])
    results = measure(ALLAML, RELIEF_READINGS, settings)
    summary = describe_weights(weights, spreads)
    grid = results.table().pivot_table("accuracy", "method", "n_features", sort=False)[SHOWN]
    print_grid("Figures 2 and 3: ALLAML", pd.Series(summary).to_frame("value"))
    print_grid("Accuracy of three orders by Relief weight, logistic regression", grid.round(3))
    write_csv(settings, f"{PAPER}_figure2_3", [{"what": k, "value": v} for k, v in summary.items()])
    write_csv(settings, f"{PAPER}_figure3_orders", results.table())
    draw(settings, weights)
    claims = [*claims_of_spreads(summary), *claims_of_weights(summary, results)]
    report_claims(settings, PAPER, claims, {"n_repeats": results.n_fits})


def describe_weights(weights, spreads):
    return {
        "lowest weight": weights.min(),
        "highest weight": weights.max(),
        "median weight": np.median(weights),
        "share of negative weights": np.mean(weights < 0),
        f"share within {NEAR} of zero": np.mean(np.abs(weights) <= NEAR),
        f"share of spreads up to {MOST_SPREAD}": np.mean(spreads <= MOST_SPREAD),
        "largest spread": spreads.max(),
        "largest difference of quartiles": quartile_difference(spreads),
        "correlation of the spreads of both classes": np.corrcoef(spreads)[0, 1],
    }


def quartile_difference(spreads):
    """Return by what share the quartiles of both classes differ at most."""
    one, other = np.quantile(spreads, (0.25, 0.5, 0.75), axis=1).T
    return np.abs(one / other - 1).max()


def draw(settings, weights):
    """Draw the weights by feature, as figure 3 does."""
    figure = Figure(figsize=(7.0, 3.2), layout="constrained")
    axis = figure.subplots()
    axis.plot(weights, ".", markersize=2)
    axis.axhline(0, color="black", linewidth=0.8)
    axis.set(xlabel="feature", ylabel="Relief weight", title="ALLAML, squared differences")
    save_small(figure, settings.results / f"{PAPER}_figure3.png")


def claims_of_spreads(found):
    small, largest = found[f"share of spreads up to {MOST_SPREAD}"], found["largest spread"]
    apart = found["largest difference of quartiles"]
    alike = found["correlation of the spreads of both classes"]
    return [
        judged(
            "Figure 2",
            "Most standard deviations within classes lie between 0 and 1, few approach 2.",
            "more than half are at most 1, and the largest is between 1.5 and 2.5",
            {
                f"{100 * small:.0f} % are at most 1": small > 0.5,
                f"the largest is {largest:.2f}": 1.5 < largest < 2.5,
            },
            "",
        ),
        judged(
            "Figure 2",
            "The distributions of both classes are remarkably similar.",
            "their quartiles differ by at most 10 % (feature by feature the spreads correlate by "
            f"{alike:.2f}, as the data were standardised over both classes)",
            {f"by {100 * apart:.0f} %": apart <= 0.1},
            "",
        ),
    ]


def claims_of_weights(found, results):
    lowest, negative = found["lowest weight"], found["share of negative weights"]
    near, highest = found[f"share within {NEAR} of zero"], found["highest weight"]
    best, near_zero, largest = (method.name for method in RELIEF_READINGS)
    instead = describe_orders(results)
    return [
        judged(
            "Figure 3",
            "Weights range from 0 to -8.",
            "the lowest is within 0.5 of -8, and none is above 0.5",
            {
                f"lowest {lowest:.2f}": abs(lowest - LOWEST_DRAWN) <= 0.5,
                f"highest {highest:.2f}": highest <= 0.5,
            },
            instead,
        ),
        judged(
            "Figure 3",
            "The majority of weights are near 0, below it.",
            "more than half are negative, and more than half within 0.5 of zero",
            {
                f"{100 * negative:.0f} % are negative": negative > 0.5,
                f"{100 * near:.0f} % are near": near > 0.5,
            },
            instead,
        ),
        order_claim(
            results,
            "Weights closer to 0 belong to the better features.",
            f"at each size {near_zero} is not worse than {best} (number: its lead)",
            near_zero,
            best,
            instead,
        ),
        order_claim(
            results,
            "(Not in the paper:) a sort by |weight| is no better than chance.",
            f"at each size {RANDOM} are not worse than {largest} (number: their lead)",
            RANDOM,
            largest,
            instead,
        ),
    ]


def order_claim(results, text, question, unbeaten, other, instead):
    """Ask at each size whether an order is not worse than another."""
    leads = {size: results.lead(other, unbeaten, sizes=[size]) for size in SIZES}
    answers = {f"{size}: {-lead.mean:+.3f}": not lead.is_better for size, lead in leads.items()}
    return judged("Figure 3", text, question, answers, instead)


def describe_orders(results):
    means = results.table().pivot_table("accuracy", "method", "n_features", sort=False)
    texts = (
        f"{name} {' '.join(f'{100 * means.loc[name, size]:.0f}' for size in SHOWN)}"
        for name in means.index
    )
    return f"accuracy % at {', '.join(map(str, SHOWN))} features: {'; '.join(texts)}"
