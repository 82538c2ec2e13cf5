"""Do 95 % intervals cover? ``python -m benchmarks.coverage``.

Samples are generated, features selected, and the final model is scored on 10,000 new samples. How
often does the interval of `select_features` hold that accuracy, and how often does one standard
error to either side? The same of the intervals of F1, Matthews correlation and ROC AUC. A row a
setting goes to benchmarks/coverage.csv; its verdict says where accuracy is covered less often than
in 93 % or more often than in 97 % of the data sets, and whether that may be by chance.
"""

import argparse
import csv
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import binomtest
from sklearn.metrics import f1_score, matthews_corrcoef, roc_auc_score

from centroidal.model_selection import select_features

N_NEW, N_AT_ONCE, N_INFORMATIVE, SAME = 10_000, 1000, 10, 0.7
LEAST, MOST = 0.93, 0.97
# Samples, features, classes, distance of the classes, samples of each patient.
DISTANCES = (0.0, 0.4, 1.0)
SETTINGS = [
    *product((40,), (100, 1000), (2, 3, 4), DISTANCES, (1,)),
    *product((100, 400), (100, 1000), (2, 4), DISTANCES, (1,)),
    *product((80, 200), (100, 1000), (2,), DISTANCES, (4,)),
    *product((100, 400), (5000,), (2,), DISTANCES, (1,)),
]


class Population:
    """Classes whose means differ in some features; samples of one patient have noise in common."""

    def __init__(self, n_features, n_classes, distance, n_each, rng):
        self.n_features, self.n_classes, self.n_each, self.rng = n_features, n_classes, n_each, rng
        self.means = distance * rng.normal(size=(n_classes, N_INFORMATIVE))

    def draw(self, n_samples):
        """Return samples, labels and patients."""
        patients = np.arange(n_samples) // self.n_each
        labels = np.arange(patients.max() + 1) % self.n_classes
        X = self.rng.normal(size=(n_samples, self.n_features))
        if self.n_each > 1:
            common = self.rng.normal(size=(labels.size, self.n_features))
            X = np.sqrt(SAME) * common[patients] + np.sqrt(1.0 - SAME) * X
        X[:, :N_INFORMATIVE] += self.means[labels[patients]]
        return X, labels[patients], patients

    def predict_new(self, model, used):
        """Return labels of new patients, and what a model that looks at `used` features predicts.

        The other features are left 0.
        """
        labels, X = np.arange(N_NEW) % self.n_classes, np.zeros((N_AT_ONCE, self.n_features))
        told, shares = used[used < N_INFORMATIVE], []
        for mine in labels.reshape(-1, N_AT_ONCE):
            X[:, used] = self.rng.normal(size=(N_AT_ONCE, used.size))
            X[:, told] += self.means[mine[:, None], told]
            shares.append(model.predict_proba(X))
        return labels, np.concatenate(shares)


def true_scores(y, shares):
    """Return the scores of probabilities of new samples."""
    predicted = shares.argmax(axis=1)
    return {
        "accuracy": np.mean(predicted == y),
        "f1_macro": f1_score(y, predicted, average="macro"),
        "matthews_corrcoef": matthews_corrcoef(y, predicted),
        "roc_auc": roc_auc_score(
            y, shares[:, 1] if shares.shape[1] == 2 else shares, multi_class="ovr"
        ),
    }


def measure(setting, n_runs):
    """Return how often the interval, and one standard error, cover, and how wide they are."""
    n_samples, n_features, n_classes, distance, n_each = setting
    found = []
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        population = Population(n_features, n_classes, distance, n_each, rng)
        X, y, patients = population.draw(n_samples)
        groups = patients if n_each > 1 else None
        selection = select_features(X, y, method="l2", groups=groups, random_state=seed)
        truth = true_scores(*population.predict_new(selection.model, selection.selected))
        ends = selection.intervals | {"accuracy": selection.interval}
        error, bias = selection.se_score, selection.score - truth["accuracy"]
        row = {"coverage": ends["accuracy"][0] <= truth["accuracy"] <= ends["accuracy"][1],
               "width": np.ptp(ends["accuracy"]), "coverage_one_se": abs(bias) <= error,
               "width_one_se": 2 * error, "bias": bias}  # fmt: skip
        for name in ("f1_macro", "matthews_corrcoef", "roc_auc"):
            row[f"coverage_{name}"] = ends[name][0] <= truth[name] <= ends[name][1]
        found.append(row)
    means = {name: float(np.mean([row[name] for row in found]).round(4)) for name in found[0]}
    return means | {"verdict": judge(means["coverage"], n_runs)}


def judge(coverage, n_runs):
    """Say whether an interval covers as often as it should, as far as so many runs can tell."""
    for bound, words, side in ((LEAST, "below 93 %", "less"), (MOST, "above 97 %", "greater")):
        if coverage < bound if side == "less" else coverage > bound:
            by_chance = binomtest(round(coverage * n_runs), n_runs, bound, side).pvalue > 0.025
            return f"{words}, maybe by chance" if by_chance else words
    return "93 to 97 %"


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
