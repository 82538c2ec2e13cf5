"""Do permutation tests keep their promise? ``python -m benchmarks.permutations``.

Writes benchmarks/permutations.csv, a row when it is measured; rows that are there are not measured
again. On tables in which nothing tells the classes apart, as in
`null_tables`, the share of p-values up to 0.05 must lie in the binomial band around 5 %. On tables
with some signal the power of the test is put beside that of a t-test of the scores of the folds
against chance, which no theory allows, and of scikit-learn's `permutation_test_score` of
GridSearchCV over SelectKBest and NearestCentroid, the same thing by hand, on the first few of the
tables because it takes so long; ours on these stands beside it. ``--speed`` measures 200 x 20,000
instead and writes permutation_speed.csv.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
from scipy.stats import binom, ttest_1samp
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV, StratifiedKFold, permutation_test_score
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from centroidal.model_selection import permutation_test, select_features

from .null_tables import blocked, grouped, plain, unbalanced

HERE = Path(__file__).parent
KINDS = (plain, grouped, blocked, unbalanced)
N_PERMUTATIONS, N_FOR_POWER, N_FOLDS = 99, 39, 3
EFFECTS = (0.0, 0.25, 0.5, 0.75)


def main():
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=1000, help="of each kind")
    parser.add_argument("--by-hand", type=int, default=20, help="tables for scikit-learn")
    parser.add_argument("--speed", action="store_true")
    args = parser.parse_args()
    if args.speed:
        _write("permutation_speed.csv", [measure_speed(args.by_hand)])
        return
    jobs = {f"null, {kind.__name__}": (calibrate, kind) for kind in KINDS}
    jobs |= {f"power, effect {effect}": (power, effect, args.by_hand) for effect in EFFECTS}
    rows = _read("permutations.csv")
    for name, (measure, *what) in jobs.items():
        if all(row["what"] != name for row in rows):
            n_tables = args.tables if measure is calibrate else args.tables // 5
            rows.append({"what": name, "tables": n_tables, **measure(*what, n_tables)})
            _write("permutations.csv", rows)


def _read(name):
    if not (HERE / name).exists():
        return []
    with open(HERE / name, newline="") as stream:
        return list(csv.DictReader(stream))


def _write(name, rows):
    heads = list(dict.fromkeys(head for row in rows for head in row))
    with open(HERE / name, "w", newline="") as stream:
        writer = csv.DictWriter(stream, heads, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(*(f"{head}={value}" for head, value in rows[-1].items()), flush=True)


def _options(seed):
    return {"method": "l2", "cv": N_FOLDS, "n_repeats": 1, "random_state": seed}


def calibrate(kind, n_tables):
    """Count small p-values where nothing tells the classes apart."""
    n_small = 0
    for seed in range(n_tables):
        X, y, options = kind(np.random.default_rng(seed))
        within = {"permute_within": "blocks"} if "blocks" in options else {}
        asked = options | within | _options(seed)
        n_small += permutation_test(X, y, n_permutations=N_PERMUTATIONS, **asked).p_value <= 0.05
    low, high = binom.interval(0.99, n_tables, 0.05)
    return {
        "ours": f"{n_small / n_tables:.3f}",
        "band_low": f"{low / n_tables:.3f}", "band_high": f"{high / n_tables:.3f}",
    }  # fmt: skip


def power(effect, n_by_hand, n_tables):
    """Count small p-values where 5 of 200 features differ by so many standard deviations."""
    found = np.zeros((n_tables, 3))
    found[n_by_hand:, 2] = np.nan
    for seed in range(n_tables):
        X, y, _ = plain(np.random.default_rng(seed))
        X[:, :5] += effect * y[:, None]
        selection = select_features(X, y, n_permutations=N_FOR_POWER, **_options(seed))
        scores = [each["score"] for each in selection.fold_choices]
        found[seed, 0] = selection.p_value <= 0.05
        found[seed, 1] = ttest_1samp(scores, 0.5, alternative="greater").pvalue <= 0.05
        if seed < n_by_hand:
            found[seed, 2] = _by_hand(X, y, seed, N_FOR_POWER) <= 0.05
    ours, t_test, by_hand = np.nanmean(found, axis=0)
    return {
        "ours": f"{ours:.3f}", "t_test_of_folds": f"{t_test:.3f}", "tables_by_hand": n_by_hand,
        "scikit_learn": f"{by_hand:.3f}", "ours_on_these": f"{found[:n_by_hand, 0].mean():.3f}",
    }  # fmt: skip


def _by_hand(X, y, seed, n_permutations, sizes=(1, 5, 20, 100)):
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    steps = make_pipeline(StandardScaler(), SelectKBest(), NearestCentroid())
    search = GridSearchCV(steps, {"selectkbest__k": list(sizes)}, cv=folds)
    found = permutation_test_score(
        search, X, y, cv=folds, n_permutations=n_permutations, random_state=seed
    )
    return found[2]


def measure_speed(n_by_hand, n_samples=200, n_features=20_000, n_times=30):
    """CPU seconds of a permutation, beside selecting again and scikit-learn by hand, if asked."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_samples, n_features)), np.arange(n_samples) % 2
    options = {"method": "l2", "cv": 5, "n_repeats": 1, "random_state": 0}

    def clock(call):
        start = time.process_time()
        call()
        return time.process_time() - start

    def again():
        return select_features(X, y, **options)

    def permute():
        return permutation_test(X, y, n_permutations=n_times, **options)

    again(), permute()
    one = min(clock(again) for _ in range(10))
    ours = (min(clock(permute) for _ in range(3)) - one) / (n_times + 1)
    row = {
        "shape": f"{n_samples} x {n_features}", "permutation_seconds": f"{ours:.4f}",
        "select_again_seconds": f"{one:.4f}", "times_select_again": f"{one / ours:.1f}",
    }  # fmt: skip
    if n_by_hand:
        sizes = np.unique(np.geomspace(1, n_features, 50).astype(int)).tolist()
        by_hand = clock(lambda: _by_hand(X, y, 0, n_by_hand, sizes)) / (n_by_hand + 1)
        row |= {"by_hand_seconds": f"{by_hand:.2f}", "times_by_hand": f"{by_hand / ours:.0f}"}
    return row


if __name__ == "__main__":
    main()
