"""How many samples each model of a path gets right, for all models in one pass over the samples."""

import numpy as np
from scipy.sparse import issparse

__all__ = ["hits_along_path"]


def hits_along_path(path, X, rows, codes, weights, *, is_l1, grid, bonus):
    """Weight of the right predictions of each class for the models with `grid` features.

    Parameters
    ----------
    path : CenterPath
        Centers for every number of features.
    X : ndarray or CSR of shape (n_samples, n_features)
        Samples in the coordinates of the path.
    rows : ndarray of int
        Samples to predict.
    codes : ndarray of int32
        Class of each sample.
    weights : ndarray of float64
        Weight of each sample.
    is_l1 : bool
        Whether distances are absolute rather than squared.
    grid : ndarray of int
        Increasing numbers of features.
    bonus : ndarray of shape (n_classes, n_grid)
        What is taken off the distance to each class: the prior, in units of distance.

    Returns
    -------
    ndarray of shape (n_classes, n_grid)
        Weight of the samples of each class that are predicted right.

    Notes
    -----
    Time is O(n m K) for dense data, whatever the grid, and O(nnz K + n K n_grid) for sparse data.
    """
    from . import _loops

    # A class without training samples is infinitely far away.
    bonus = np.where(np.isnan(path.class_centers[:, :1]), -np.inf, bonus)
    centers = np.nan_to_num(path.class_centers)
    hits = np.zeros((centers.shape[0], grid.size))
    samples = np.asarray(rows), codes, weights
    rates = 1.0 / path.scale[path.ranking]
    ranked = centers[:, path.ranking] * rates
    if issparse(X):
        place = np.empty((path.ranking.size, 2), dtype=np.intp)
        place[path.ranking, 0] = np.arange(path.ranking.size)
        place[:, 1] = np.searchsorted(grid, place[:, 0], side="right")
        losses = np.abs(ranked) if is_l1 else ranked**2
        zeros = np.cumsum(losses, axis=1)[:, grid - 1]
        entries = X.data, X.indices, X.indptr
        _loops.add_sparse_hits(entries, *samples, place, rates, ranked, is_l1, zeros, bonus, hits)
    else:
        ranking = path.ranking
        _loops.add_dense_hits(X, *samples, ranking, rates, ranked, is_l1, grid, bonus, hits)
    return hits
