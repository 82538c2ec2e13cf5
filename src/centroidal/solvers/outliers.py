"""How unlike the samples of training a sample is, whatever class it may be of.

The probabilities of a classifier compare classes with each other: far from all of them, they are as
sure as anywhere. Here is what they do not look at, as factors: how much farther from the center of
a class than usual, and by how much the whole row is larger or smaller than usual.
"""

from typing import NamedTuple

import numpy as np

from .. import _state as state
from ..statistics import class_moments
from .background import Background, size_factors
from .distances import squared_distances


class ClassReference(NamedTuple):
    """Centers of the classes, and the spread of features inside them."""

    centers: np.ndarray
    spreads: np.ndarray

    _state = {
        "centers": state.floats("classes", "read"),
        "spreads": state.divisors("read"),
    }

    @classmethod
    def of(cls, moments):
        """Take them from class moments; what does not vary inside classes, by its whole spread."""
        spreads = np.sqrt(moments.within_variance)
        if not spreads.all():
            whole = np.sqrt(moments.variance)
            spreads = np.where(spreads > 0.0, spreads, np.where(whole > 0.0, whole, 1.0))
        return cls(moments.means, spreads)

    def measure(self, X):
        """Return the distance of samples from each class, and the size of each as one column.

        Both are root mean squares over features, in units of their spread.
        """
        # Sizes by themselves, so that a row of zeros has the size 0 and not that of rounding.
        found = (
            squared_distances(X, places, self.spreads) / self.spreads.size
            for places in (self.centers, np.zeros((1, self.spreads.size)))
        )
        return tuple(np.sqrt(np.maximum(squares, 0.0)) for squares in found)


class Usual(NamedTuple):
    """What is usual: medians of held-out samples."""

    distance: float  # from the center of their class
    size: float

    _state = {"distance": state.number(least=0.0), "size": state.number(least=0.0)}

    @classmethod
    def of(cls, distances, sizes):
        """Take them from the distances of samples from their own class, and their sizes."""
        return cls(float(np.median(distances)), float(np.median(sizes)))

    def outlyingness(self, distances, sizes):
        """Return the factor by which distances or sizes are unusual, the larger of both.

        It is at least 1. If the usual distance, or size, is 0, any other is as good as infinite.
        """
        with np.errstate(over="ignore"):
            farther = distances / max(self.distance, np.finfo(float).tiny)
        return np.maximum(np.maximum(farther, 1.0), size_factors(sizes, self.size))


class Training(NamedTuple):
    """What some samples are like, by which others are measured."""

    columns: np.ndarray  # that a classifier reads
    reference: ClassReference
    background: Background | None

    @classmethod
    def of(cls, data, rows, columns):
        """Describe some rows of labelled data, of which a classifier reads some columns."""
        X, codes = data.X[np.ix_(rows, columns)], data.codes[rows]
        reference = ClassReference.of(class_moments(X, codes, data.classes.size))
        return cls(columns, reference, Background.of(data.X, rows))

    def measure(self, X, rows):
        """Return distances and sizes of some rows in the columns, and what a background says."""
        measured = self.reference.measure(X[np.ix_(rows, self.columns)])
        if self.background is None:
            return *measured, None
        return *measured, self.background.measure(X[np.ix_(rows, self.background.columns)])
