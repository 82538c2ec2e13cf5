"""Distances from samples to centers, per class, and the whitening that may come before them.

There is never an array over samples, classes and features. Equation map, Calafiore and Fracastoro
(2022)::

    eq. (7)       squared l2 distances                      squared_distances()
    eq. (9)       l1 distances                              absolute_distances()
    section IV-A  symmetric whitening, shrunk covariance    solve_whitening()
                  and with a given covariance matrix        given_whitening()
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist

from .. import _state as state
from ..statistics.threads import with_limited_blas


def squared_distances(Z, centers, scale):
    """Sum over features of ``((z - center) / scale) ** 2`` for each sample and center."""
    # Measured from one of the centers: an offset common to all must not cost digits, and whole
    # numbers stay whole, so that a tie is a tie.
    origin = centers[0]
    offsets = (centers - origin) / scale
    if issparse(Z):
        # A large offset costs digits in the lengths, which all centers share, not in the products.
        products = Z @ (offsets / scale).T - (origin / scale) @ offsets.T
        lengths = _sparse_row_sums(
            Z, lambda z, j: ((z - origin[j]) ** 2 - origin[j] ** 2) / scale[j] ** 2
        )
        lengths += ((origin / scale) ** 2).sum()
    else:
        Z = np.subtract(Z, origin, dtype=np.float64)
        Z /= scale
        products = Z @ offsets.T
        lengths = np.einsum("ij,ij->i", Z, Z)
    return lengths[:, None] - 2.0 * products + (offsets**2).sum(axis=1)


def absolute_distances(Z, centers, scale):
    """Sum over features of ``abs(z - center) / scale`` for each sample and center."""
    if not issparse(Z):
        return cdist(Z / scale, centers / scale, "cityblock")
    distances = np.empty((Z.shape[0], centers.shape[0]))
    for c, center in enumerate(centers):
        distances[:, c] = (np.abs(center) / scale).sum() + _sparse_row_sums(
            Z, lambda z, j, center=center: (np.abs(z - center[j]) - np.abs(center[j])) / scale[j]
        )
    return distances


def _sparse_row_sums(Z, change):
    """Sum over the stored entries of each row of `change(value, column)`."""
    Z = Z.tocsr()
    changes = Z.astype(np.float64)
    changes.data = change(changes.data, Z.indices)
    return np.asarray(changes.sum(axis=1)).ravel()


def log_odds(priors):
    """Logarithm of each prior over that of equally likely classes: 0 for uniform priors."""
    with np.errstate(divide="ignore"):  # a class without samples has no chance
        return np.log(priors * np.count_nonzero(priors))


class Whitening(NamedTuple):
    r"""The map :math:`x \mapsto S^{-1/2} (x / \text{scale})`, without forming it.

    With :math:`S = (1 - a) V \Lambda V^T + a \mu I` the root is a multiple of the identity plus a
    matrix of the rank of the data: ``base * I + V @ diag(extra) @ V.T``.
    """

    scale: np.ndarray
    vectors: np.ndarray
    extra: np.ndarray
    base: float

    _state = {
        "scale": state.divisors("features"),
        "vectors": state.floats("features", "kept"),
        "extra": state.floats("kept"),
        "base": state.number(),
    }

    @with_limited_blas(lambda whitening, *_: whitening.vectors.shape)
    def apply(self, X, columns=slice(None)):
        """Whitened features `columns` of the rows of `X`, always dense."""
        if issparse(X):
            X = X.multiply(1.0 / self.scale).tocsr()
            kept = X[:, columns].toarray()
        else:
            X = X / self.scale
            kept = X[:, columns]
        return self.base * kept + ((X @ self.vectors) * self.extra) @ self.vectors[columns].T


def given_whitening(covariance, scale):
    """Whiten a positive definite matrix, in the units of the data, as it is."""
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    return Whitening(scale, vectors, 1.0 / np.sqrt(values), 0.0)


def solve_whitening(covariance, scale):
    """Whiten an estimated covariance after Ledoit-Wolf shrinkage."""
    ridge = covariance.shrinkage * covariance.mean_value
    shrunk = (1.0 - covariance.shrinkage) * covariance.values + ridge
    # Where nothing was shrunk, directions without spread are measured by the smallest spread seen.
    smallest = ridge if ridge > 0.0 else min(shrunk, default=1.0)
    base = 1.0 / np.sqrt(smallest)
    return Whitening(scale, covariance.vectors, 1.0 / np.sqrt(shrunk) - base, base)
