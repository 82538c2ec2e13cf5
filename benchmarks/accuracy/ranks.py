"""Tables and a picture of what was measured: means, mean ranks and their critical difference.

Ranks are those of balanced accuracy, over studies of gene expression: where two sets hold the same
samples, their mean is one study. Ours take part with as many features as score best, as the others
do; variants of them, the default among them, are told beside, without a rank. Whether ranks differ
at all is the test of Friedman, and two mean ranks differ, at 5 %, if they are further apart than
the critical difference of Nemenyi.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import friedmanchisquare, studentized_range

from ..papers._output import save_small
from .measure import GENES

SAME_SAMPLES = {"colon_alon": "colon", "golub_desouto": "allaml", "chowdary_desouto": "chowdary"}
RACES = {"free": "any number of features", "50": "at most 50 features"}


def tabulate(path):
    """Write ranks.csv, sets.csv and race_*.csv beside the scores, and draw ranks.png."""
    scores = pd.read_csv(path, dtype={"race": str})
    tables = [rank_race(scores[scores.race == race], race) for race in RACES]
    table = pd.concat(tables, ignore_index=True)
    table.to_csv(path.with_name("ranks.csv"), index=False, float_format="%.5g")
    by_set = scores.pivot_table("balanced_accuracy", ["race", "method"], "set", sort=False)
    by_set.round(4).to_csv(path.with_name("sets.csv"))
    print(table.to_string())
    for race, rows in table.groupby("race"):
        in_short(rows).to_csv(path.with_name(f"race_{race}.csv"), index=False)
    draw(table, path.with_name("ranks.png"))


def rank_race(scores, race):
    """Return a row for each that took part in a race and was scored on every set of genes."""
    genes = scores[scores.set.isin(GENES)].dropna(subset="balanced_accuracy")
    by_set = genes.pivot_table("balanced_accuracy", "method", "set")
    by_set = by_set[by_set.notna().all(axis=1)]
    by_study = by_set.T.groupby(lambda name: SAME_SAMPLES.get(name, name)).mean().T
    roles = genes.groupby("method").role.first()
    is_variant = (roles[by_set.index] == "ours") & by_set.index.str.contains(",")
    ranked = by_study[~is_variant]
    ranks = ranked.rank(ascending=False)
    n_ranked, n_studies = ranked.shape
    quantile = studentized_range.ppf(0.95, n_ranked, np.inf) / np.sqrt(2)
    means = genes.groupby(["method", "set"])[["n_features", "cpu_seconds"]].mean()
    means = means.groupby("method").mean()
    table = pd.DataFrame(
        {
            "race": race,
            "role": roles[by_set.index],
            "balanced_accuracy": by_study.mean(axis=1),
            "mean_rank": ranks.mean(axis=1),
            "n_best": (ranked == ranked.max()).sum(axis=1),
            "n_features": means.n_features[by_set.index],
            "cpu_seconds": means.cpu_seconds[by_set.index],
            "n_ranked": n_ranked,
            "n_studies": n_studies,
            "critical_difference": quantile * np.sqrt(n_ranked * (n_ranked + 1) / (6 * n_studies)),
            "friedman_p": friedmanchisquare(*ranked.to_numpy()).pvalue,
        }
    )
    order = table.mean_rank.fillna(np.inf)
    return table.iloc[np.lexsort([-table.balanced_accuracy, order])].reset_index(names="method")


def in_short(rows):
    """Return what the documentation shows of a race; ours are in bold type."""
    names = rows.method.where(rows.role == "peer", "**" + rows.method + "**")
    formats = {"mean_rank": "{:.1f}", "balanced_accuracy": "{:.3f}", "n_best": "{:.0f}"}
    formats |= {"n_features": "{:.0f}", "cpu_seconds": "{:.2f}"}
    titles = ["mean rank", "balanced accuracy", "best on", "features", "CPU s"]
    cells = [
        rows[name].map(form.format).where(rows[name].notna(), "") for name, form in formats.items()
    ]
    return pd.DataFrame({"method": names} | dict(zip(titles, cells, strict=True)))


def draw(table, path):
    """Draw mean ranks, the best on top, and what is not shown to be worse than the best."""
    figure = Figure(figsize=(12, 6.4), layout="constrained")
    for axis, (race, title) in zip(figure.subplots(1, len(RACES)), RACES.items(), strict=True):
        rows = table[(table.race == race) & table.mean_rank.notna()].reset_index()
        places = -np.arange(len(rows))
        colors = rows.role.map({"ours": "C0", "peer": "0.55"})
        best = rows.mean_rank.min()
        axis.axvspan(best, best + rows.critical_difference[0], color="C0", alpha=0.08, lw=0)
        axis.scatter(rows.mean_rank, places, c=colors, s=36, zorder=3)
        names = rows.method + rows.balanced_accuracy.map("  {:.3f}".format)
        axis.set_yticks(places, names, fontsize=9)
        for label, color in zip(axis.get_yticklabels(), colors, strict=True):
            label.set_color("C0" if color == "C0" else "0.25")
        axis.set_xlabel("mean rank (1 is the best)")
        axis.set_title(f"{title}, {rows.n_studies[0]} studies", fontsize=11)
        axis.grid(axis="x", alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(
        "Names: ours in blue, and mean balanced accuracy. Shaded: within the critical difference "
        "(Nemenyi, 5 %) of the best.",
        fontsize=9,
    )
    save_small(figure, path)
