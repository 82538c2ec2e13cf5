"""The same by scikit-learn, by hand: ``CENTROIDAL_DATA=FOLDER python -m benchmarks.by_hand``.

What `select_features` does in one call is written out with the parts of scikit-learn: features are
scaled by their spread inside the classes, ranked by the F test (`SelectKBest`), classified by
`NearestCentroid`; `GridSearchCV` with inner folds chooses how many, among the same numbers, and
outer folds, stratified and where samples come in groups with these kept together, score it. The
sets of gene expression are those of the folder; of two of them each sample also comes twice, with
noise, as a group. A row of benchmarks/by_hand.csv is a set: both scores, over the same number of
folds drawn with other seeds, the standard error of their difference, and both times, in one
process with one thread.
"""

import argparse
import csv
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

from centroidal.model_selection import select_features

from .papers._data import find_data_folder, load_table, missing_files

SETS = ("colon", "west_desouto", "golub_desouto", "glioma", "allaml")
IN_PAIRS = ("west_desouto", "golub_desouto")
N_FOLDS = 5


class WithinScaler(TransformerMixin, BaseEstimator):
    """Divides by the spread inside the classes."""

    def fit(self, X, y):
        """Learn the spreads."""
        deviations = X.copy()
        for label in np.unique(y):
            deviations[y == label] -= X[y == label].mean(axis=0)
        spread = np.sqrt((deviations**2).sum(axis=0) / (len(y) - np.unique(y).size))
        self.spread_ = np.where(spread > 0, spread, 1.0)
        return self

    def transform(self, X):
        """Scale."""
        return X / self.spread_


def by_hand(X, y, groups, sizes, seed):
    """Return the score of each outer fold, as one would write it with scikit-learn."""
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    outer = kind(N_FOLDS, shuffle=True, random_state=seed)
    steps = make_pipeline(WithinScaler(), SelectKBest(f_classif), NearestCentroid())
    scores = []
    for train, test in outer.split(X, y, groups):
        inner = kind(N_FOLDS - 1, shuffle=True, random_state=seed)
        search = GridSearchCV(steps, {"selectkbest__k": sizes}, cv=inner)
        search.fit(X[train], y[train], groups=None if groups is None else groups[train])
        scores.append(search.score(X[test], y[test]))
    return scores


def in_one_call(X, y, groups, sizes, seed):
    """Return the same of `select_features`, which finds the numbers to try by itself."""
    found = select_features(
        X,
        y,
        method="l2",
        groups=groups,
        cv=N_FOLDS,
        n_repeats=1,
        rule="best",
        n_jobs=1,
        random_state=seed,
    )
    return [each["score"] for each in found.fold_choices]


def make_pairs(X, y):
    """Return each sample twice, with noise, and which belong together."""
    groups = np.repeat(np.arange(len(y)), 2)
    noise = np.random.default_rng(0).normal(size=(groups.size, X.shape[1]))
    return X[groups] + 0.3 * X.std(axis=0) * noise, y[groups], groups


def measure(X, y, groups, n_repeats):
    """Return scores and times of both, over repeats of the folds."""
    sizes = (
        select_features(X, y, method="l2", groups=groups, n_repeats=1).path["n_features"].tolist()
    )
    scores, times = {}, {}
    for work in (by_hand, in_one_call):
        work(X[:, :50], y, groups, [1, 5], 0)  # imports and compilers
        found, taken = [], []
        for seed in range(n_repeats):
            start = perf_counter()
            found.append(work(X, y, groups, sizes, seed))
            taken.append(perf_counter() - start)
        scores[work.__name__], times[work.__name__] = np.mean(found, axis=1), np.mean(taken)
    difference = scores["in_one_call"].mean() - scores["by_hand"].mean()
    variance = sum(each.var(ddof=1) / n_repeats for each in scores.values())
    return {
        "n_sizes": len(sizes),
        "score_by_hand": round(scores["by_hand"].mean(), 4),
        "score_in_one_call": round(scores["in_one_call"].mean(), 4),
        "difference": round(difference, 4),
        "se_difference_over_folds": round(np.sqrt(variance), 4),
        "seconds_by_hand": round(times["by_hand"], 3),
        "seconds_in_one_call": round(times["in_one_call"], 3),
        "times_as_fast": round(times["by_hand"] / times["in_one_call"], 1),
    }


def main():
    """Measure all sets and write the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.by_hand", description=__doc__.split("\n\n")[1]
    )
    parser.add_argument("--repeats", type=int, default=6, help="how often folds are drawn")
    parser.add_argument("--data", help="folder of the sets (default: that of CENTROIDAL_DATA)")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    args = parser.parse_args()
    folder = find_data_folder(args.data)
    missing = missing_files(folder, [f"{name}.npz" for name in SETS])
    if missing:
        parser.error(f"CENTROIDAL_DATA must name the folder with {', '.join(missing)}.")
    warnings.simplefilter("ignore")  # constant features in the F test
    rows = []
    for name in (*SETS, *(f"{name} in pairs" for name in IN_PAIRS)):
        X, y = load_table(folder, name.removesuffix(" in pairs"))
        groups = None
        if name.endswith(" in pairs"):
            X, y, groups = make_pairs(X, y)
        facts = {"set": name, "n_samples": len(y), "n_features": X.shape[1],
                 "n_groups": None if groups is None else len(y) // 2}  # fmt: skip
        rows.append(facts | measure(X, y, groups, args.repeats) | {"repeats": args.repeats}
                    | {"sklearn": sklearn.__version__, "numpy": np.__version__})  # fmt: skip
        print(*rows[-1].values(), flush=True)
    with args.output.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
