"""Do the 95 % intervals of `evaluate_model` cover? ``python -m benchmarks.evaluation``.

A model is fitted once and scored on many small tables; how often does the interval of each score
hold what 100,000 new samples give? A row a setting goes to benchmarks/evaluation.csv.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from centroidal.io import evaluate_model

N_NEW, SAME = 100_000, 0.6
# Samples, samples of each patient, distance of the classes, share of the second class.
SETTINGS = (
    (40, 1, 1.0, 0.5), (40, 1, 2.5, 0.5), (40, 1, 1.5, 0.25), (100, 1, 1.5, 0.5),
    (80, 4, 1.5, 0.5), (160, 4, 1.5, 0.5),
)  # fmt: skip


def draw(rng, n_samples, n_each, distance, share, is_alike):
    """Return samples, labels and patients; samples of one patient have noise in common."""
    patients = np.arange(n_samples) // n_each
    n_patients = patients.max() + 1
    y = (rng.permutation(n_patients) < share * n_patients).astype(int)[patients]
    same = SAME if is_alike else 0.0
    common = rng.normal(size=(n_patients, 3))[patients]
    X = np.sqrt(same) * common + np.sqrt(1.0 - same) * rng.normal(size=(n_samples, 3))
    X[:, 0] += distance * y
    return X, y, patients


def measure(setting, n_runs):
    """Return how often the interval of each score covers; one that is not there does not."""
    n_samples, n_each, *kind = setting
    kind.append(n_each > 1)
    rng = np.random.default_rng(0)
    X, y, _ = draw(rng, 400, 1, *kind)
    model = LogisticRegression().fit(X, y)
    X, y, _ = draw(rng, N_NEW, 1, *kind)
    truth = evaluate_model(model, X, y, n_bootstrap=1).metrics
    covered = dict.fromkeys(truth, 0)
    for seed in range(n_runs):
        X, y, patients = draw(np.random.default_rng(100 + seed), n_samples, n_each, *kind)
        groups = patients if n_each > 1 else None
        found = evaluate_model(model, X, y, groups=groups, n_bootstrap=500, random_state=seed)
        for name, interval in found.intervals.items():
            covered[name] += interval is not None and interval[0] <= truth[name] <= interval[1]
    return {name: round(number / n_runs, 4) for name, number in covered.items()}


def main():
    """Measure all settings and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evaluation", description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="tables of each setting")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    args = parser.parse_args()
    names, rows = ("n_samples", "samples_a_patient", "distance", "share"), []
    for setting in SETTINGS:
        row = dict(zip(names, setting, strict=True)) | {"runs": args.runs}
        rows.append(row | measure(setting, args.runs))
        print(*rows[-1].values(), flush=True)
    with args.output.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
