"""Pooled within-class covariance as a spectrum; never an m x m matrix when m > n."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import issparse

__all__ = ["WithinCovariance", "within_covariance"]

_ENTRIES_PER_BLOCK = 2**20
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
    weights = np.ones(X.shape[0]) if weights is None else weights
    counted = (codes >= 0) & (weights > 0)
    kind = _SparseResiduals if issparse(X) else _DenseResiduals
    residuals = kind(X[counted], codes[counted], weights[counted], moments.means, scale)
    n_samples, n_features = residuals.rows.shape
    if n_features <= n_samples:
        values, vectors = _leading(residuals.scatter() / residuals.total)
    else:
        values, left = _leading(residuals.gram() / residuals.total)
        vectors = residuals.pull_back(left) / np.sqrt(values * residuals.total)
    return WithinCovariance(
        values, vectors, values.sum() / n_features, _shrinkage(values, residuals)
    )


class _DenseResiduals:
    """Rows minus their class mean, divided by the scale, times the root of their weight."""

    def __init__(self, X, codes, weights, means, scale):
        self.rows = (X - means[codes]) / scale * np.sqrt(weights)[:, None]
        self.weights = weights
        self.total = weights.sum()

    def scatter(self):
        """Inner products of the features."""
        return self.rows.T @ self.rows

    def gram(self):
        """Inner products of the samples."""
        return self.rows @ self.rows.T

    def pull_back(self, left):
        """Residuals transposed times `left`."""
        return self.rows.T @ left

    def squared_lengths(self):
        """Squared length of each residual, without its weight."""
        return np.einsum("ij,ij->i", self.rows, self.rows) / self.weights


class _SparseResiduals:
    """The same for sparse rows, of which only a block at a time is centred and so made dense."""

    def __init__(self, X, codes, weights, means, scale):
        self.rows = X.multiply(1.0 / scale).tocsr()
        self.codes = codes
        self.means = means / scale
        self.weights = weights
        self.roots = np.sqrt(weights)
        self.total = weights.sum()

    def scatter(self):
        """Inner products of the features."""
        return sum((block.T * weights) @ block for block, weights in self._centred_blocks())

    def gram(self):
        """Inner products of the samples, from sparse products and corrections for the means."""
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

    def squared_lengths(self):
        """Squared length of each residual, without its weight."""
        blocks = self._centred_blocks()
        return np.concatenate([np.einsum("ij,ij->i", block, block) for block, _ in blocks])

    def _centred_blocks(self):
        height = max(1, _ENTRIES_PER_BLOCK // self.rows.shape[1])
        for start in range(0, self.rows.shape[0], height):
            rows = slice(start, start + height)
            yield self.rows[rows].toarray() - self.means[self.codes[rows]], self.weights[rows]


def _leading(matrix):
    """Eigenpairs whose eigenvalue is more than rounding."""
    values, vectors = eigh(matrix, overwrite_a=True, check_finite=False)
    kept = values > max(values[-1], 0.0) * matrix.shape[0] * np.finfo(float).eps
    return values[kept], vectors[:, kept]


def _shrinkage(values, residuals):
    """Ledoit-Wolf shrinkage from the spectrum, in O(n m) where the usual form takes O(n m^2)."""
    squared_norm = (values**2).sum()
    distance = squared_norm - values.sum() ** 2 / residuals.rows.shape[1]
    fourth_powers = residuals.weights @ residuals.squared_lengths() ** 2
    noise = (fourth_powers / residuals.total - squared_norm) / residuals.total
    if distance <= 0.0:
        return 1.0
    return min(float(noise / distance), 1.0) if noise > _ROUNDING * distance else 0.0
