"""Distances from samples to centers, per class; never an array over samples, classes and features.

Equation map, Calafiore and Fracastoro (2022)::

    eq. (7)  squared l2 distances    squared_distances()
    eq. (9)  l1 distances            absolute_distances()
"""

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist

__all__ = ["absolute_distances", "log_odds", "squared_distances"]


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
