"""Figure 6: sparse l1 and l2 centers on synthetic classes with a growing share of outliers.

Samples are outliers in the test part too, with the same probability p, and no method can tell
their class: 1 - p/2 is the best that can be reached.
"""

import numpy as np
import pandas as pd
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

from centroidal import SparseCenterClassifier
from centroidal.datasets import make_outlier_classes

from .._output import Claim, Panel, print_grid, report_claims, save_picture, verdict, write_csv

__all__ = ["run"]

PROBABILITIES = np.linspace(0, 0.5, 11).round(2)
N_TRAIN, N_TEST, N_FEATURES, N_KEPT = 200, 1000, 1000, 20
# Accuracies (l1, l2) of an independent run with 8 seeds, for orientation.
REFERENCE = {0.0: (0.951, 0.971), 0.1: (0.895, 0.893), 0.2: (0.832, 0.801), 0.3: (0.757, 0.650)}
NAME = "sparse_centers_figure6_outliers"


def run(settings):
    """Measure accuracy over the probability of outliers."""
    seeds = range(settings.seed, settings.seed + settings.n_seeds)
    records = [record for p in PROBABILITIES for seed in seeds for record in scores_at(p, seed)]
    summary = summarise(records)
    title = f"Figure 6: accuracy over the probability of outliers, {len(seeds)} seeds"
    print_grid(title, grid_of_scores(summary))
    write_csv(settings, NAME, summary)
    save_picture(settings, NAME, [panel(summary)], highlight=["l1-SC", "l2-SC"])
    report_claims(settings, "sparse_centers", claims(summary))


def models():
    """Ours, and what a user would pick instead."""
    return {
        "l1-SC": SparseCenterClassifier(N_KEPT, metric="l1", n_jobs=1),
        "l2-SC": SparseCenterClassifier(N_KEPT, metric="l2", n_jobs=1),
        "NearestCentroid (l1), all": NearestCentroid(metric="manhattan"),
        "NearestCentroid (l2), all": NearestCentroid(),
        "f_classif + NearestCentroid": make_pipeline(
            SelectKBest(f_classif, k=N_KEPT), NearestCentroid()
        ),
    }


def scores_at(probability, seed):
    """Score every model on one draw; the test part has the centers of the training part."""
    X, y, centers = make_outlier_classes(
        N_TRAIN, N_FEATURES, outlier_probability=probability, random_state=2 * seed
    )
    X_test, y_test, _ = make_outlier_classes(
        N_TEST,
        N_FEATURES,
        outlier_probability=probability,
        random_state=2 * seed + 1,
        centers=centers,
    )
    return [
        {"p": probability, "method": name, "score": model.fit(X, y).score(X_test, y_test)}
        for name, model in models().items()
    ]


def summarise(records):
    """Average over the seeds, with the reference where there is one."""
    groups = pd.DataFrame(records).groupby(["p", "method"], sort=False).score
    table = groups.agg(
        score_mean="mean", score_sd=lambda scores: scores.std(ddof=0), n_seeds="count"
    ).reset_index()
    references = [reference(p, method) for p, method in zip(table.p, table.method, strict=True)]
    return table.assign(reference=references)


def reference(probability, method):
    values = dict(zip(("l1-SC", "l2-SC"), REFERENCE.get(probability, ()), strict=False))
    return values.get(method, np.nan)


def grid_of_scores(summary):
    """Lay out one row a probability, one column a method, and the reference."""
    text = summary.score_mean.map("{:.3f}".format) + " ±" + summary.score_sd.map("{:.3f}".format)
    grid = summary.assign(text=text).pivot(index="p", columns="method", values="text")
    grid = grid[summary.method.unique()]
    grid["reference l1/l2"] = [
        "{:.3f}/{:.3f}".format(*REFERENCE[p]) if p in REFERENCE else "" for p in grid.index
    ]
    return grid


def panel(summary):
    table = summary.rename(columns={"p": "x", "score_mean": "y", "score_sd": "error"})
    return Panel("accuracy, 2 % of the features", "probability of an outlier", table, log_x=False)


def claims(summary):
    """Put what section VI-B3 says to the numbers."""
    scores = summary.pivot(index="p", columns="method", values="score_mean")
    lead = scores["l1-SC"] - scores["l2-SC"]
    later = lead[lead.index >= 0.1]
    means, medians = scores["NearestCentroid (l2), all"], scores["NearestCentroid (l1), all"]
    chosen = scores["f_classif + NearestCentroid"]
    return [
        Claim(
            "6",
            "Without outliers, or with few, l2-SC is slightly better.",
            f"l2-SC leads l1-SC by {-lead[0.0]:.3f} at p = 0, by {-lead[0.05]:.3f} at p = 0.05",
            f"at p = 0, NearestCentroid on all features: {means[0.0]:.3f} (euclidean), "
            f"{medians[0.0]:.3f} (manhattan); after f_classif: {chosen[0.0]:.3f}",
            verdict(float(0 < -lead[0.0] < 0.05)),
        ),
        Claim(
            "6",
            "As p grows l1-SC degrades more slowly and outperforms l2-SC.",
            f"l1-SC leads l2-SC at {(later > 0).sum()} of {len(later)} values of p >= 0.1, by "
            f"{lead[0.2]:.3f} at 0.2 and {lead[0.3]:.3f} at 0.3",
            f"at 0.2 and 0.3, l1-SC {at_both(scores['l1-SC'])}; NearestCentroid on all features: "
            f"{at_both(means)} (euclidean), {at_both(medians)} (manhattan); after f_classif: "
            f"{at_both(chosen)}",
            verdict((later > 0).mean()),
        ),
    ]


def at_both(scores):
    return f"{scores[0.2]:.3f} and {scores[0.3]:.3f}"
