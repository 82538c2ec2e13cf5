"""What each model of a path predicts, for all models in one pass over the samples."""

import numpy as np
from scipy.sparse import issparse

__all__ = ["hits_along_path", "nearest_along_path"]

_LABELS_PER_BLOCK = 2**20


def nearest_along_path(path, X, rows, *, is_l1, grid, bonus):
    """Class of the nearest center in the models with `grid` features.

    Parameters
    ----------
    path : CenterPath
        Centers for every number of features.
    X : ndarray or CSR of shape (n_samples, n_features)
        Samples in the coordinates of the path.
    rows : ndarray of int
        Samples to predict.
    is_l1 : bool
        Whether distances are absolute rather than squared.
    grid : ndarray of int
        Increasing numbers of features.
    bonus : ndarray of shape (n_classes, n_grid)
        What is taken off the distance to each class: the prior, in units of distance.

    Returns
    -------
    ndarray of int32, shape (n_rows, n_grid)
        Number of the class; of several that are as near the first.

    Notes
    -----
    Time is O(n m K + n K n_grid) for dense data and O(nnz K + n K n_grid) for sparse data.
    """
    return _nearest(path, X, is_l1, grid, bonus)(np.asarray(rows))


def hits_along_path(path, X, rows, codes, weights, *, is_l1, grid, bonus):
    """Weight of the samples of each class that `nearest_along_path` gets right.

    Parameters
    ----------
    path, X, rows, is_l1, grid, bonus
        As there.
    codes : ndarray of int32
        Class of each sample.
    weights : ndarray of float64
        Weight of each sample.

    Returns
    -------
    ndarray of shape (n_classes, n_grid)
        Sum of the weights.
    """
    from . import _loops

    nearest = _nearest(path, X, is_l1, grid, bonus)
    hits = np.zeros((path.class_centers.shape[0], grid.size))
    rows = np.asarray(rows)
    height = max(_loops.TILE, _LABELS_PER_BLOCK // grid.size)
    for start in range(0, rows.size, height):
        block = rows[start : start + height]
        _loops.add_hits(nearest(block), codes[block], weights[block], hits)
    return hits


def _nearest(path, X, is_l1, grid, bonus):
    """Return what finds the nearest classes of some rows."""
    from . import _loops

    # A class without training samples is infinitely far away.
    bonus = np.where(np.isnan(path.class_centers[:, :1]), -np.inf, bonus)
    rates = 1.0 / path.scale
    centers = np.nan_to_num(path.class_centers) * rates
    enters = np.empty(rates.size, dtype=np.uintp)  # the first model that has the feature
    enters[path.ranking] = np.repeat(np.arange(grid.size + 1), np.diff([0, *grid, rates.size]))
    features = enters, rates, np.ascontiguousarray(centers.T)
    if not issparse(X):
        columns = np.flatnonzero(enters < grid.size).astype(np.uintp)
        return lambda rows: _loops.nearest_dense(X, rows, columns, *features, is_l1, bonus)
    losses = np.abs(centers) if is_l1 else centers**2
    zeros = np.cumsum(losses[:, path.ranking], axis=1)[:, grid - 1]
    entries = X.data, X.indices, X.indptr
    return lambda rows: _loops.nearest_sparse(entries, rows, *features, is_l1, zeros, bonus)
