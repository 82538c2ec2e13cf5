"""How the paper's sentences are put to the numbers.

A method *keeps up* with another where its mean score lies no lower than the other's minus one
standard deviation over the splits: the bars that the paper draws. Scores are compared on the
splits that both methods ran on. Where a method found fewer features than it was asked for (the
path of an l1 penalty may end early), it has no model of that size and is left out.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

__all__ = [
    "best_rival",
    "describe_leads",
    "describe_ratios",
    "describe_standing",
    "mean_leads",
    "mean_scores",
    "reached",
    "seconds_by_size",
    "seconds_over",
    "shared_features",
    "standing",
]


class Rival(NamedTuple):
    """The best rival at one size: by how much it leads (negative: trails), and its deviation."""

    size: int
    name: str
    lead: float
    deviation: float


def reached(records):
    """Keep the records that have as many features as was asked for."""
    table = pd.DataFrame(records)
    return table[table.n_selected == table["size"]]


def mean_scores(records, method):
    """Mean score of a method at each size."""
    return records[records.method == method].groupby("size").score.mean()


def mean_leads(records, methods, ours):
    """Mean lead of each method over `ours` over sizes and splits, the largest first."""
    scores = records.pivot(index=["size", "split"], columns="method", values="score")
    return scores[methods].sub(scores[ours], axis=0).mean().sort_values(ascending=False)


def describe_leads(leads):
    """Write 'a +0.003, b -0.010'."""
    return ", ".join(f"{name} {lead:+.3f}" for name, lead in leads.items())


def best_rival(records, ours, rivals, size):
    """Find the rival with the largest lead over `ours` at one size."""
    scores = records[records["size"] == size].pivot(index="split", columns="method", values="score")
    leads = scores.reindex(columns=rivals).sub(scores[ours], axis=0).mean()
    name = leads.idxmax()
    return Rival(size, name, leads[name], scores[name].std(ddof=0))


def standing(records, ours, rivals, sizes):
    """Return the share of sizes at which `ours` keeps up with the best, and all best rivals."""
    best = [best_rival(records, ours, rivals, size) for size in sizes]
    return np.mean([rival.lead <= rival.deviation for rival in best]), best


def describe_standing(ours, best):
    """Say at how many sizes `ours` keeps up, and where it loses or wins most."""
    keeps_up = sum(rival.lead <= rival.deviation for rival in best)
    worst = max(best, key=lambda rival: rival.lead)
    outcome = "loses at most" if worst.lead > 0 else "wins by at least"
    return (
        f"{ours} keeps up with the best at {keeps_up} of {len(best)} sizes; {outcome} "
        f"{abs(worst.lead):.3f} ({worst.name}, {worst.size} features)"
    )


def seconds_over(records, ours, rivals):
    """Median seconds of each rival, in multiples of ours."""
    seconds = records.groupby("method").seconds.median()
    return (seconds[rivals] / seconds[ours]).sort_values()


def seconds_by_size(records):
    """Median seconds, one row a size, one column a method."""
    return records.pivot_table("seconds", "size", "method", aggfunc="median")


def describe_ratios(ratios):
    """Write 'a 3.1x, b 40x'."""
    return ", ".join(f"{name} {format_ratio(ratio)}x" for name, ratio in ratios.items())


def format_ratio(ratio):
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}"


def shared_features(study, one, other):
    """Smallest share of features that two methods choose in common, over sizes and splits."""
    pairs = [
        (a.columns, b.columns)
        for i in range(study.settings.n_splits)
        for a, b in zip(study.chosen(one, i), study.chosen(other, i), strict=True)
    ]
    return min(len(np.intersect1d(a, b)) / len(a) for a, b in pairs)
