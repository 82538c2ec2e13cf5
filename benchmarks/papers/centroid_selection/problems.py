"""The sets of the paper, and how they are scaled.

GLIOMA has 4434 features here and in the collection that the paper names, not the 22283 that it
prints. The paper's lung set (203 x 3312) could not be had: *lung* is another selection of 1543
genes of the same 203 samples, so its numbers stand beside the printed ones but test none of them.
"""

from typing import NamedTuple

import numpy as np

from .._data import load_table

__all__ = ["ALLAML", "GLIOMA", "LUNG", "PAPER", "PROBLEMS", "SCALINGS", "Problem", "load"]

PAPER = "centroid_selection"


class Problem(NamedTuple):
    """A set under its name in the paper; intensities are turned into logarithms."""

    name: str
    file: str
    note: str = ""
    is_intensity: bool = False

    @property
    def needs(self):
        """The data file."""
        return f"{self.file}.npz"


ALLAML = Problem("ALLAML", "allaml", "72 x 7129")
GLIOMA = Problem("GLIOMA", "glioma", "50 x 4434; the paper prints 22283 features")
LUNG = Problem(
    "lung",
    "lung_bhattacharjee_desouto",
    "stand-in, 203 x 1543, log2; the paper's has 3312 features",
    is_intensity=True,
)
PROBLEMS = (ALLAML, GLIOMA, LUNG)


def load(settings, problem):
    """Load samples and codes."""
    X, y = load_table(settings.data, problem.file)
    return (np.log2(X) if problem.is_intensity else X), y


def as_distributed(X):
    return X


def standardised(X):
    return (X - X.mean(axis=0)) / positive(X.std(axis=0))


def min_max(X):
    lowest = X.min(axis=0)
    return (X - lowest) / positive(X.max(axis=0) - lowest)


def positive(spreads):
    """Return the spreads, with one for those of constant features."""
    return np.where(spreads > 0, spreads, 1.0)


SCALINGS = {"as distributed": as_distributed, "standardised": standardised, "min-max": min_max}
