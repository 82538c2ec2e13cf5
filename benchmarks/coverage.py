"""Do 95 % intervals cover? ``python -m benchmarks.coverage``.

Samples are generated, features selected, and the final model is scored on 10,000 new samples. How
often does the interval of `select_features` hold that accuracy, and how often does one standard
error to either side? A row a setting goes to benchmarks/coverage.csv.
"""

import argparse
import csv
from itertools import product
from pathlib import Path

import numpy as np

from centroidal.model_selection import select_features

N_NEW, N_INFORMATIVE, SAME = 10_000, 10, 0.7
# Samples, features, classes, distance of the classes, samples of each patient.
SETTINGS = [
    *product((40, 100, 200, 400), (100, 1000), (2, 3, 4), (0.0, 0.4, 1.0), (1,)),
    *product((100, 400), (5000,), (2,), (0.0, 0.4, 1.0), (1,)),
    *product((80, 200), (100, 1000), (2, 3), (0.0, 0.4, 1.0), (4,)),
]


class Population:
    """Classes whose means differ in some features; samples of one patient have noise in common."""

    def __init__(self, n_features, n_classes, distance, n_each, rng):
        self.n_features, self.n_classes, self.n_each, self.rng = n_features, n_classes, n_each, rng
        self.means = distance * rng.normal(size=(n_classes, N_INFORMATIVE))

    def draw(self, n_samples, n_each):
        """Return samples, labels and patients."""
        patients = np.arange(n_samples) // n_each
        labels = np.arange(patients.max() + 1) % self.n_classes
        share = SAME if self.n_each > 1 else 0.0
        common = self.rng.normal(size=(patients.max() + 1, self.n_features))[patients]
        X = np.sqrt(share) * common + np.sqrt(1.0 - share) * self.rng.normal(size=common.shape)
        X[:, :N_INFORMATIVE] += self.means[labels[patients]]
        return X, labels[patients], patients


def measure(setting, n_runs):
    """Return how often the interval, and one standard error, cover, and how wide they are."""
    n_samples, n_features, n_classes, distance, n_each = setting
    found = []
    for seed in range(n_runs):
        population = Population(
            n_features, n_classes, distance, n_each, np.random.default_rng(seed)
        )
        X, y, patients = population.draw(n_samples, n_each)
        groups = patients if n_each > 1 else None
        selection = select_features(X, y, groups=groups, random_state=seed)
        hits = 0
        for _ in range(N_NEW // 1000):
            new, labels, _ = population.draw(1000, 1)
            hits += np.count_nonzero(selection.model.predict(new) == labels)
        truth, (low, high) = hits / N_NEW, selection.interval
        error = selection.se_score
        found.append((low <= truth <= high, high - low, abs(selection.score - truth) <= error,
                      2 * error, selection.score - truth))  # fmt: skip
    names = ("coverage", "width", "coverage_one_se", "width_one_se", "bias")
    return dict(zip(names, np.mean(found, axis=0).round(4).tolist(), strict=True))


def main():
    """Measure all settings and write the table as it grows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="data sets a setting")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    args = parser.parse_args()
    names = ("n_samples", "n_features", "n_classes", "distance", "samples_a_patient")
    with args.output.open("w", newline="") as stream:
        writer = None
        for setting in SETTINGS:
            row = dict(zip(names, setting, strict=True)) | {"runs": args.runs}
            row |= measure(setting, args.runs)
            if writer is None:
                writer = csv.DictWriter(stream, row)
                writer.writeheader()
            writer.writerow(row)
            stream.flush()
            print(*row.values())


if __name__ == "__main__":
    main()
