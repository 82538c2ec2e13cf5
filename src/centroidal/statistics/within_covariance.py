"""Pooled within-class covariance as a spectrum; never an m x m matrix when m > n."""

from typing import NamedTuple

import numpy as np

from .residuals import residuals
from .spectrum import spectrum

__all__ = ["WithinCovariance", "within_covariance"]

_ROUNDING = 1e-12


class WithinCovariance(NamedTuple):
    """Covariance around the class means: ``vectors * values @ vectors.T``.

    Attributes
    ----------
    values : ndarray of shape (rank,)
        Positive eigenvalues.
    vectors : ndarray of shape (n_features, rank)
        Their orthonormal eigenvectors.
    mean_value : float
        Mean of all `n_features` eigenvalues, zeros included.
    shrinkage : float
        Share of the identity in the Ledoit-Wolf estimate.
    """

    values: np.ndarray
    vectors: np.ndarray
    mean_value: float
    shrinkage: float


def within_covariance(X, codes, moments, scale, weights=None):
    """Decompose the pooled covariance of the features divided by `scale`.

    The smaller of the two products is decomposed: features by features if there are no more
    features than samples, samples by samples otherwise. Time is O(n m min(n, m)). Sparse `X` is
    not made dense but for a block of rows at a time; the products and the eigenvectors are dense.
    """
    rows = residuals(X, codes, moments.means, weights, scale)
    found = spectrum(rows)
    values = found.values / rows.total
    mean_value = values.sum() / X.shape[1]
    return WithinCovariance(values, found.vectors, mean_value, _shrinkage(values, rows))


def _shrinkage(values, rows):
    """Ledoit-Wolf shrinkage from the spectrum, in O(n m) where the usual form takes O(n m^2)."""
    squared_norm = (values**2).sum()
    distance = squared_norm - values.sum() ** 2 / rows.rows.shape[1]
    fourth_powers = rows.weights @ rows.squared_lengths() ** 2
    noise = (fourth_powers / rows.total - squared_norm) / rows.total
    if distance <= 0.0:
        return 1.0
    return min(float(noise / distance), 1.0) if noise > _ROUNDING * distance else 0.0
