"""Accuracies by fold, method and number of features, and the questions that are put to them.

A method is better than another if its accuracy is higher by more than two standard errors of the
differences on the folds that both ran on. The folds share their samples, so that is a statement on
these samples, not on others.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from .methods import RANDOM

__all__ = ["LOGISTIC", "NETWORK", "Lead", "Measured"]

LOGISTIC, NETWORK = "logistic regression", "neural network"
REFERENCES = {"random": RANDOM, "f_classif": "f_classif"}
N_NOISE = 2  # differences of fewer standard errors are noise


class Lead(NamedTuple):
    """By how much a method is more accurate than another, and the standard error of that."""

    mean: float
    error: float

    @property
    def is_better(self):
        """Whether it is better, beyond noise."""
        return bool(self.mean > N_NOISE * self.error)

    def __str__(self):
        return f"{self.mean:+.3f} ±{self.error:.3f}"


class Measured:
    """What was measured.

    `records` has columns classifier, method, role, repeat, fold, n_features and accuracy, and
    `selections` columns method, repeat, fold, top (a set of features) and cpu_seconds.
    """

    def __init__(self, records, selections):
        self.records, self.selections = records, selections
        places = ["classifier", "n_features", "repeat", "fold"]
        self.accuracies = records.pivot_table("accuracy", places, "method", sort=False)

    @property
    def methods(self):
        """Their names, in the order of the records."""
        return list(self.records.method.unique())

    @property
    def n_fits(self):
        """Write '10-25', the numbers of folds, or '25' if they are the same for all methods."""
        counts = self.selections.groupby("method").size()
        return "-".join(str(n) for n in sorted({counts.min(), counts.max()}))

    def by_fold(self, sizes, classifier=LOGISTIC):
        """Return mean accuracies over some sizes, one row a fold, one column a method."""
        of_classifier = self.accuracies.loc[classifier]
        chosen = of_classifier[of_classifier.index.get_level_values("n_features").isin(sizes)]
        return chosen.groupby(["repeat", "fold"]).mean()

    def mean(self, method, sizes, classifier=LOGISTIC):
        """Return the mean accuracy over some sizes and all folds."""
        return self.by_fold(sizes, classifier)[method].mean()

    def lead(self, one, other, sizes, classifier=LOGISTIC):
        """Compare two methods on the folds that both ran on."""
        folds = self.by_fold(sizes, classifier)
        differences = (folds[one] - folds[other]).dropna()
        return Lead(differences.mean(), standard_error(differences))

    def table(self):
        """Return one row a classifier, method and size."""
        rows = self.records.groupby(["classifier", "method", "n_features"], sort=False)
        return pd.DataFrame([self._row([size], *key) for (*key, size) in rows.groups])

    def methods_table(self, sizes):
        """Return one row a classifier and method: means over some sizes, stability and cost."""
        pairs = self.records.groupby(["classifier", "method"], sort=False).groups
        seconds = self.selections.groupby("method").cpu_seconds.median()
        rows = [
            self._row(sizes, *pair)
            | {
                "n_features": f"{min(sizes)}-{max(sizes)}",
                "top20_overlap": self.overlap(pair[1]),
                "cpu_seconds_median": seconds.get(pair[1]),
            }
            for pair in pairs
        ]
        return pd.DataFrame(rows)

    def _row(self, sizes, classifier, method):
        accuracies = self.by_fold(sizes, classifier)[method].dropna()
        row = {
            "classifier": classifier,
            "method": method,
            "n_features": sizes[0],
            "accuracy": accuracies.mean(),
            "accuracy_se": standard_error(accuracies),
        }
        for name, reference in REFERENCES.items():
            if reference in self.methods:
                lead = self.lead(method, reference, sizes, classifier)
                row |= {f"minus_{name}": lead.mean, f"minus_{name}_se": lead.error}
        return row | {"n_fits": len(accuracies)}

    def overlap(self, method):
        """Return the mean share of first features that two folds of a repeat have in common."""
        tops = self.selections[self.selections.method == method].groupby("repeat").top
        shares = [
            len(one & other) / len(one)
            for _, of_repeat in tops
            for one, other in combinations(of_repeat, 2)
        ]
        return float(np.mean(shares)) if shares else np.nan


def standard_error(values):
    """Return the standard error of the mean; 0 for a single value."""
    return values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
