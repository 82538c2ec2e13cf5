"""Errors by cell and method, as measured or as printed, behind the same questions.

A method is better than another in a cell if its error is lower by more than two standard errors of
the differences on the repeats that both ran on. Printed errors have no repeats: there lower is
better. `means` and `counts` (of features) have one row a cell and one column a method; as methods
differ in their numbers of repeats, `means_together` is what compares them.
"""

import numpy as np
import pandas as pd

__all__ = ["N_NOISE", "Measured", "Printed", "combined", "standard_error"]

N_NOISE = 2  # differences of fewer standard errors are noise
OUR_NAME = "NDC"  # methods of the paper that are not its own are in scikit-learn


class Printed:
    """What the paper prints."""

    def __init__(self, means, counts=None):
        self.means, self.counts = means, counts

    def means_together(self, methods):
        """Return the means of some methods."""
        return self.means[list(methods)]

    def better(self, one, other):
        """Tell for each cell whether `one` has the lower error."""
        return self.means[one] < self.means[other]


class Measured:
    """What was measured; `records` has columns of `keys`, repeat, method, role, error and others.

    Records of the same repeat, such as folds, are averaged.
    """

    def __init__(self, records, keys):
        self.records, self.keys = records, list(keys)
        repeats = records.pivot_table(
            ["error", "n_selected"], [*self.keys, "repeat"], "method", sort=False
        )
        self.errors = repeats["error"]
        self.means = self.errors.groupby(self.keys, sort=False).mean()
        self.counts = repeats["n_selected"].groupby(self.keys, sort=False).mean()

    @property
    def peers(self):
        """The methods that scikit-learn has, whether the paper has them or not."""
        roles = self.records.groupby("method").role.first()
        return [
            method
            for method in self.means.columns
            if roles[method] == "instead"
            or (roles[method] == "paper" and not method.startswith(OUR_NAME))
        ]

    def means_together(self, methods):
        """Return the means of some methods over the repeats that all of them ran on."""
        return self.errors[list(methods)].dropna().groupby(self.keys, sort=False).mean()

    def better(self, one, other):
        """Tell for each cell whether `one` is better, beyond noise."""
        lead = self.leads(one, other)
        return lead["mean"] > N_NOISE * lead["se"]

    def leads(self, one, other):
        """Return by how much the error of `one` is lower, cell by cell, with standard errors."""
        lead = (self.errors[other] - self.errors[one]).dropna()
        return lead.groupby(self.keys, sort=False).agg(mean="mean", se=standard_error)

    def average_lead(self, one, other):
        """Return the mean lead over the cells and its standard error; cells are other draws."""
        lead = self.leads(one, other)
        return lead["mean"].mean(), combined(lead["se"])

    def average(self, method):
        """Return the mean error over the cells and its standard error."""
        errors = self.errors[method].dropna().groupby(self.keys, sort=False).agg(standard_error)
        return self.means[method].mean(), combined(errors)


def standard_error(values):
    """Return the standard error of the mean; 0 for a single value."""
    return values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0


def combined(errors):
    """Return the standard error of a mean of independent means."""
    return float(np.sqrt((pd.Series(errors) ** 2).sum()) / len(errors))
