"""What each model of a path predicts, for all models in one pass over the samples."""

import numpy as np
from scipy.sparse import issparse

from . import _loops
from .ranking import ROUNDING

_LABELS_PER_BLOCK = 2**20
NONE = np.array([], dtype=np.intp)


def nearest_in_orders(path, orders, X, rows, **rule):
    """Yield the nearest centers of some rows, as `PathInOrders` finds them."""
    return PathInOrders(path, orders, issparse(X), **rule).nearest(X, rows)


def hits_along_path(path, X, rows, codes, weights, **rule):
    """Weight of the samples of each class that the path with its own ranking gets right."""
    hits = np.zeros((path.class_centers.shape[0], rule["grid"].size))
    for block, labels, _ in nearest_in_orders(path, path.ranking[None], X, rows, **rule):
        mine = rows[block]
        _loops.add_hits(labels[0], codes[mine], weights[mine], hits)
    return hits


class PathInOrders:
    """The models with the first `grid` features of each order, ready for any samples.

    The ranking of the path may be one of the orders. The samples are in the coordinates of the
    path. `bonus` (classes, grid) is taken off the distances: the prior, in units of distance. Of
    several classes that are as near up to rounding, the first, as in `predict`. Of the models at
    the `kept` positions of the grid distances are told, and the `unit` of each.
    """

    def __init__(self, path, orders, is_sparse, *, is_l1, grid, bonus, kept=NONE, unit=None):
        self._shape, self.kept = (len(orders), grid.size), kept
        self._unit, self._bonus, centers = unit, bonus, path.class_centers
        places = np.full(grid.size, -1)
        places[kept] = np.arange(len(kept))
        # A class without training samples is infinitely far away.
        self._is_unseen = np.isnan(centers[:, 0])
        bonus = np.where(self._is_unseen[:, None], -np.inf, bonus)
        if self._is_unseen.any():
            centers = np.where(self._is_unseen[:, None], 0.0, centers)
        bonus = bonus - _rounding(path, orders, grid) * np.arange(len(centers))[:, None]
        prepare = _nearest_sparse if is_sparse else _nearest_dense
        self._find = prepare(orders, path.scale, centers, is_l1, grid, bonus, places)

    def nearest(self, X, rows):
        """Yield slices of `rows`, and their nearest classes (orders, rows, grid).

        Beside them, for the models at the `kept` positions of the grid, in increasing order,
        distances (orders, rows, kept, classes), less the bonus and less what all classes of a
        sample have in common.

        Time is O(n m K + n K n_grid) for dense data, which are read once for all orders, and
        O(nnz K + n K n_grid) an order for sparse data; memory does not grow with the rows.
        """
        rows, (n_orders, n_models) = np.asarray(rows), self._shape
        n_numbers = (n_models + len(self.kept) * len(self._bonus)) * n_orders
        height = max(_loops.TILE, _LABELS_PER_BLOCK // n_numbers)
        for start in range(0, rows.size, height):
            block = slice(start, min(start + height, rows.size))
            labels, distances = self._find(X, rows[block])
            distances -= self._bonus.T[self.kept]
            distances[..., self._is_unseen] = np.inf
            yield block, labels, distances

    def count(self, X, rows, cells, n_cells, see=None):
        """Count the rows of each cell by their nearest center, in (orders, grid, cells, classes).

        With true classes as the `cells` of `rows` these are confusion matrices. If given, `see` is
        called with each slice of `rows`, its labels (rows, grid) and distances in the first order,
        and the unit of these.
        """
        counts = np.zeros((*self._shape, n_cells, len(self._bonus)), dtype=np.int64)
        for block, labels, distances in self.nearest(X, rows):
            _loops.add_counts(labels, cells[block], counts)
            if see is not None:
                see(block, labels[0], distances[0], self._unit)
        return counts


def _rounding(path, orders, grid):
    """Bound what rounding does to usual distances, in an array of (orders, 1, grid).

    A class stands back by so much behind the one before it, so that ties go to the first.
    """
    sizes = (path.spreads + path.gains)[orders[:, : grid[-1]]]
    starts = np.append(0, grid[:-1])
    return ROUNDING * np.cumsum(np.add.reduceat(sizes, starts, axis=1), axis=1)[:, None]


def _nearest_dense(orders, scale, centers, is_l1, grid, bonus, places):
    n_models, entered = grid.size + 1, _models_entered(orders, grid)
    columns = np.arange(scale.size, dtype=np.uintp)
    if grid[-1] < scale.size:
        columns = columns[(entered < grid.size).any(axis=0)]
    entered += np.arange(len(orders), dtype=np.uintp)[:, None] * np.uintp(n_models)
    enters = np.ascontiguousarray(entered.T)
    features = (columns, enters, scale, centers)
    return lambda X, rows: _loops.nearest_dense(X, rows, *features, is_l1, bonus, places)


def _nearest_sparse(orders, scale, centers, is_l1, grid, bonus, places):
    rates = 1.0 / scale
    centers = centers * rates
    losses = np.abs(centers) if is_l1 else centers**2
    paths = [
        (enters, np.cumsum(losses[:, order[: grid[-1]]], axis=1)[:, grid - 1], mine)
        for enters, order, mine in zip(_models_entered(orders, grid), orders, bonus, strict=True)
    ]
    features = rates, np.ascontiguousarray(centers.T)

    def find(X, rows):
        entries = X.data, X.indices, X.indptr
        found = [
            _loops.nearest_sparse(entries, rows, enters, *features, is_l1, zeros, mine, places)
            for enters, zeros, mine in paths
        ]
        return tuple(map(np.array, zip(*found, strict=True)))

    return find


def _models_entered(orders, grid):
    """Return the first model of each order that has a feature, for each feature."""
    models = np.arange(grid.size + 1, dtype=np.uintp)
    models = np.repeat(models, np.diff(grid, prepend=0, append=orders.shape[1]))
    entered = np.empty(orders.shape, dtype=np.uintp)
    for mine, order in zip(entered, orders, strict=True):
        mine[order] = models
    return entered
