"""Class means and squared deviations, summed without rounding."""

from math import fsum
from typing import NamedTuple

import numpy as np


class Moments(NamedTuple):
    counts: np.ndarray
    means: np.ndarray
    squares: np.ndarray


def class_moments(X, codes, n_classes, weights=None):
    """Two passes over every class and feature, each sum rounded once."""
    X = np.asarray(X, dtype=np.float64)
    weights = np.ones(len(X)) if weights is None else weights
    n_features = X.shape[1]
    counts = np.zeros(n_classes)
    means = np.zeros((n_classes, n_features))
    squares = np.zeros((n_classes, n_features))
    for c in range(n_classes):
        rows = np.flatnonzero((codes == c) & (weights > 0))
        counts[c] = fsum(weights[rows])
        for j in range(n_features if rows.size else 0):
            means[c, j] = fsum(weights[i] * X[i, j] for i in rows) / counts[c]
            squares[c, j] = fsum(weights[i] * (X[i, j] - means[c, j]) ** 2 for i in rows)
    return Moments(counts, means, squares)
