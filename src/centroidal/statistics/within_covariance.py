"""Pooled within-class covariance as a spectrum; never an m x m matrix when m > n."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import issparse

__all__ = ["WithinCovariance", "within_covariance"]


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
    not made dense; the eigenvectors are dense.
    """
    weights = np.ones(X.shape[0]) if weights is None else weights
    counted = (codes >= 0) & (weights > 0)
    residuals = _Residuals(X[counted], codes[counted], weights[counted], moments.means, scale)
    n_samples, n_features = residuals.shape
    if n_features <= n_samples:
        values, vectors = _leading(residuals.scatter() / residuals.total)
    else:
        values, left = _leading(residuals.gram() / residuals.total)
        vectors = residuals.pull_back(left) / np.sqrt(values * residuals.total)
    mean_value = values.sum() / n_features
    return WithinCovariance(values, vectors, mean_value, _shrinkage(values, residuals))


class _Residuals:
    """Rows minus their class mean, divided by the scale, times the root of their weight.

    Products with them are taken without forming them, so that sparse data stay sparse.
    """

    def __init__(self, X, codes, weights, means, scale):
        self.rows = X.multiply(1.0 / scale).tocsr() if issparse(X) else X / scale
        self.codes = codes
        self.means = means / scale
        self.total = weights.sum()
        self.weights = weights
        self.roots = np.sqrt(weights)
        self.shape = X.shape

    def _centred(self, start, stop):
        block = self.rows[start:stop]
        block = block.toarray() if issparse(block) else block
        return (block - self.means[self.codes[start:stop]]) * self.roots[start:stop, None]

    def scatter(self):
        """Inner products of the features, one block of rows at a time."""
        scatter = np.zeros((self.shape[1], self.shape[1]))
        for start, stop in self._blocks():
            block = self._centred(start, stop)
            scatter += block.T @ block
        return scatter

    def gram(self):
        """Inner products of the samples; sparse data are corrected for their means afterwards."""
        if not issparse(self.rows):
            block = self._centred(0, self.shape[0])
            return block @ block.T
        inner = (self.rows @ self.rows.T).toarray()
        crossed = (self.rows @ self.means.T)[:, self.codes]
        between = (self.means @ self.means.T)[np.ix_(self.codes, self.codes)]
        return (inner - crossed - crossed.T + between) * np.outer(self.roots, self.roots)

    def pull_back(self, left):
        """Residuals transposed times `left`."""
        weighted = left * self.roots[:, None]
        sums = np.zeros((self.means.shape[0], left.shape[1]))
        np.add.at(sums, self.codes, weighted)
        return self.rows.T @ weighted - self.means.T @ sums

    def fourth_powers(self):
        """Weighted sum of the fourth powers of the lengths of the residuals."""
        total = 0.0
        for start, stop in self._blocks():
            lengths = (self._centred(start, stop) ** 2).sum(axis=1)
            total += (lengths**2 / self.weights[start:stop]).sum()
        return total

    def _blocks(self):
        height = max(1, 2**22 // self.shape[1])
        return [(s, min(s + height, self.shape[0])) for s in range(0, self.shape[0], height)]


def _leading(matrix):
    """Eigenpairs whose eigenvalue is more than rounding."""
    values, vectors = eigh(matrix, overwrite_a=True, check_finite=False)
    kept = values > max(values[-1], 0.0) * matrix.shape[0] * np.finfo(float).eps
    return values[kept], vectors[:, kept]


def _shrinkage(values, residuals):
    """Ledoit-Wolf shrinkage from the spectrum, in O(n m) where the usual form takes O(n m^2)."""
    n_features, total = residuals.shape[1], residuals.total
    squared_norm = (values**2).sum()
    distance = squared_norm - values.sum() ** 2 / n_features
    noise = (residuals.fourth_powers() / total - squared_norm) / total
    return float(np.clip(noise / distance, 0.0, 1.0)) if distance > 0 else 1.0
