"""What each model of a path predicts, for all models in one pass over the samples."""

import numpy as np
from scipy.sparse import issparse

__all__ = ["hits_along_path", "nearest_along_path", "nearest_in_orders"]

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
    return nearest_in_orders(
        path, path.ranking[None], X, rows, is_l1=is_l1, grid=grid, bonus=bonus
    )[0]


def nearest_in_orders(path, orders, X, rows, *, is_l1, grid, bonus):
    """Do what `nearest_along_path` does, for the same centers with features in other orders.

    Parameters
    ----------
    path, X, rows, is_l1, grid, bonus
        As there; the ranking of the path is not looked at.
    orders : ndarray of int, shape (n_orders, n_features)
        The features, each once, in the orders that stand in for the ranking.

    Returns
    -------
    ndarray of int32, shape (n_orders, n_rows, n_grid)
        Number of the class. Dense samples are read once for all orders.
    """
    return _nearest(path, orders, X, is_l1, grid, bonus)(np.asarray(rows))


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

    nearest = _nearest(path, path.ranking[None], X, is_l1, grid, bonus)
    hits = np.zeros((path.class_centers.shape[0], grid.size))
    rows = np.asarray(rows)
    height = max(_loops.TILE, _LABELS_PER_BLOCK // grid.size)
    for start in range(0, rows.size, height):
        block = rows[start : start + height]
        _loops.add_hits(nearest(block)[0], codes[block], weights[block], hits)
    return hits


def _nearest(path, orders, X, is_l1, grid, bonus):
    """Return what finds the nearest classes of some rows."""
    from . import _loops

    # A class without training samples is infinitely far away.
    is_unseen = np.isnan(path.class_centers[:, 0])
    bonus = np.where(is_unseen[:, None], -np.inf, bonus)
    rates = 1.0 / path.scale
    centers = path.class_centers * rates
    centers[is_unseen] = 0.0
    enters = np.empty(orders.shape, dtype=np.uintp)  # the first model that has the feature
    models = np.repeat(np.arange(grid.size + 1), np.diff([0, *grid, rates.size]))
    for mine, order in zip(enters, orders, strict=True):
        mine[order] = models
    features = rates, np.ascontiguousarray(centers.T)
    if not issparse(X):
        columns = np.flatnonzero((enters < grid.size).any(axis=0)).astype(np.uintp)
        enters += np.arange(len(orders), dtype=np.uintp)[:, None] * np.uintp(grid.size + 1)
        enters = np.ascontiguousarray(enters.T)
        return lambda rows: _loops.nearest_dense(X, rows, columns, enters, *features, is_l1, bonus)
    losses = np.abs(centers) if is_l1 else centers**2
    zeros = [np.cumsum(losses[:, order], axis=1)[:, grid - 1] for order in orders]
    entries = X.data, X.indices, X.indptr
    return lambda rows: np.array(
        [
            _loops.nearest_sparse(entries, rows, mine, *features, is_l1, zero, bonus)
            for mine, zero in zip(enters, zeros, strict=True)
        ]
    )
