"""What goes together in all features, by which noise is told from samples.

The few features that a classifier reads say little: with so few, some noise looks like a sample.
Over a thousand others, whatever they are, a few directions explain much of how samples differ from
each other, and next to nothing of noise. Beside this share the size of the whole row is looked at.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from .. import _state as state
from ..statistics import class_moments
from ..statistics.residuals import residuals
from ..statistics.spectrum import spectrum
from ..statistics.threads import row_blocks

_MOST_FEATURES, _MOST_DIRECTIONS, _MOST_ROWS = 1000, 20, 500  # rows that directions are found by
_FEATURES_PER_DIRECTION = 10  # at least, so that a tenth of noise is explained at most
_FARTHEST = 4.0  # spreads from the mean that a value counts for, so that no single one decides
_ENOUGH = 0.9  # of the features, without which a background says too little
_LEAST_SHARE = 1e-9  # of what is explained
_LEAST_USUAL = 0.1  # mean logarithm of a factor: a row that is a tenth larger is nothing unusual
_WEIGHT = 0.5  # of a background: enough to know noise, and classes still differ by their distances
SMALLEST = 0.15  # of the usual size, added to all: rows of zeros, common in some data, are bounded


class Background(NamedTuple):
    """Means, spreads and leading principal directions of training samples in many features."""

    columns: np.ndarray  # evenly spaced, of those that vary
    means: np.ndarray
    spreads: np.ndarray
    directions: np.ndarray  # a column each, of values in units of spread; in single precision

    _state = {
        "columns": state.positions("seen", below="features"),
        "means": state.floats("seen"),
        "spreads": state.divisors("seen"),
        "directions": state.floats("seen", "directions"),
    }

    @classmethod
    def of(cls, X, rows):
        """Take it from some rows; None if they do not vary."""
        places = np.linspace(0, X.shape[1] - 1, min(X.shape[1], _MOST_FEATURES))
        columns = places.round().astype(np.int64)
        X = X[np.ix_(rows, columns)]
        moments = class_moments(X, np.zeros(rows.size, dtype=np.int32), 1)
        varies = np.flatnonzero((moments.variance > 0.0) & (moments.variance < np.inf))
        if varies.size == 0:
            return None
        spreads = np.sqrt(moments.variance[varies])
        found = cls(columns[varies], moments.means[0, varies], spreads, None)
        some = np.unique(np.linspace(0, rows.size - 1, _MOST_ROWS).round().astype(int))
        return found._replace(directions=found._find_directions(X[np.ix_(some, varies)]))

    def _find_directions(self, X):
        Z, means = self._standardise(_dense(X)), np.zeros((1, self.columns.size))
        rows = residuals(Z, np.zeros(Z.shape[0], dtype=np.int32), means)
        number = min(_MOST_DIRECTIONS, -(-Z.shape[1] // _FEATURES_PER_DIRECTION), Z.shape[0])
        return spectrum(rows, number).vectors.astype(np.float32)

    def _standardise(self, X):
        """Return values in units of spread; those that are missing are the mean."""
        Z = np.clip((X - self.means) / self.spreads, -_FARTHEST, _FARTHEST)
        return np.nan_to_num(Z, copy=False)

    def without(self, columns):
        """Return it without some features; None if it would say too little."""
        kept = np.flatnonzero(~np.isin(self.columns, columns))
        if kept.size < _ENOUGH * self.columns.size:
            return None
        return Background(*(values[kept] for values in self))

    def measure(self, X):
        """Return the share of each sample that is explained, and its size, as two columns.

        `X` has the features of the background. Shares are of the squared distance from the mean,
        the size is a root mean square; both are in units of spread.
        """
        blocks = row_blocks(*X.shape)
        return np.concatenate([np.empty((0, 2)), *(self._measure(_dense(X[b])) for b in blocks)])

    def _measure(self, X):
        Z = self._standardise(X)
        lengths = np.einsum("ij,ij->i", Z, Z)
        explained = ((Z @ self.directions) ** 2).sum(axis=1)
        shares = np.divide(explained, lengths, out=np.ones(lengths.size), where=lengths > 0.0)
        values = np.where(np.isnan(X), self.means, X) / self.spreads
        with np.errstate(over="ignore"):
            sizes = np.sqrt((values**2).mean(axis=1))
        return np.column_stack([shares, sizes])


def _dense(X):
    return X.toarray() if issparse(X) else np.asarray(X, dtype=float)


class UsualBackground(NamedTuple):
    """What is usual of held-out samples, and how unusual they were with all that is known."""

    share: float  # medians
    size: float
    powers: np.ndarray  # of factors of both, by which they compare with those without background
    outlyingness: np.ndarray  # by what factor samples are unusual, with and without background

    _state = {
        "share": state.number(least=0.0),
        "size": state.number(least=0.0),
        "powers": state.floats(2, least=0.0),
        "outlyingness": state.floats("held_out", least=0.0, infinite=True),
    }

    @classmethod
    def of(cls, measured, outlyingness):
        """Take it from measures of samples, and how unusual they were without background.

        Factors are raised to powers so that logarithms have half the mean of those without it.
        """
        found = cls(*(float(np.median(each)) for each in measured.T), np.ones(2), None)
        usual = np.log(found.factors(measured)).mean(axis=0)
        own = float(np.log(outlyingness).mean())
        found = found._replace(powers=_WEIGHT * own / np.maximum(usual, _LEAST_USUAL))
        return found._replace(outlyingness=np.maximum(outlyingness, found.unusual(measured)))

    def factors(self, measured):
        """Return by what factor less is explained of samples, and they are larger or smaller."""
        shares, sizes = np.maximum(measured.T, [[_LEAST_SHARE], [0.0]])
        less = np.maximum(max(self.share, _LEAST_SHARE) / shares, 1.0)
        return np.column_stack([less, size_factors(sizes, self.size)])

    def unusual(self, measured):
        """Return by what factor samples are unusual, comparable with others."""
        with np.errstate(over="ignore"):
            return (self.factors(measured) ** self.powers).max(axis=1)


def size_factors(sizes, usual):
    """Return by what factor sizes are larger or smaller than usual."""
    with np.errstate(over="ignore"):
        ratios = (sizes / max(usual, np.finfo(float).tiny) + SMALLEST) / (1.0 + SMALLEST)
    return np.maximum(ratios, 1.0 / ratios)
