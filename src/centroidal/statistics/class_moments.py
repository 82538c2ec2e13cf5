"""Counts, means and squared deviations per class: one pass, and parts merge exactly."""

from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from .. import _state as state
from . import _loops
from .threads import column_blocks, map_blocks, run_blocks

_ENTRIES_PER_BLOCK = 2**22  # of dense data
_CACHED_SUMS, _LEAST_WIDTH = 2**14, 64  # columns of one cell whose sums stay in the cache
_CANCELLED = 1e-2  # share of a sum of squares below which a difference has lost digits
_CONSTANT = 1e-13  # a spread below this share of the mean is rounding


@dataclass(frozen=True)
class ClassMoments:
    """Weight, mean and sum of squared deviations of every feature in every class."""

    # (n_classes,): sum of the sample weights of each class; 0 for a class that was not seen.
    counts: np.ndarray
    means: np.ndarray  # (n_classes, n_features): class means; 0 for a class that was not seen
    # (n_classes, n_features): weighted sums of squared deviations from the class mean.
    squares: np.ndarray

    _state = {
        "counts": state.counts("classes"),
        "means": state.floats("classes", "features"),
        "squares": state.floats("classes", "features", least=0.0),
    }

    @classmethod
    def empty(cls, n_classes, n_features):
        """Return the moments of no data, the neutral element of `merge`."""
        shape = (n_classes, n_features)
        return cls(np.zeros(n_classes), np.zeros(shape), np.zeros(shape))

    def merge(self, other):
        """Return the moments of both parts together; classes must be in the same order.

        What is too large for float64 becomes infinite or NaN, for the caller to notice.
        """
        counts = self.counts + other.counts
        share = np.divide(other.counts, counts, out=np.zeros_like(counts), where=counts > 0)
        with np.errstate(over="ignore", invalid="ignore"):
            steps = other.means - self.means
            means = self.means + steps * share[:, None]
            squares = steps
            squares *= steps
            squares *= (self.counts * share)[:, None]
            squares += self.squares
            squares += other.squares
        return ClassMoments(counts, means, squares)

    def update(self, X, codes, weights=None, n_jobs=None):
        """Return the moments with further rows added."""
        return self.merge(class_moments(X, codes, self.counts.size, weights, n_jobs))

    def reindex(self, positions, n_classes):
        """Return the moments with class `c` moved to `positions[c]` of `n_classes` classes."""
        moved = ClassMoments.empty(n_classes, self.means.shape[1])
        moved.counts[positions] = self.counts
        moved.means[positions] = self.means
        moved.squares[positions] = self.squares
        return moved

    def take_classes(self, classes):
        """Return the moments of some classes."""
        return ClassMoments(self.counts[classes], self.means[classes], self.squares[classes])

    def columns(self, order):
        """Return the moments with feature `order[j]` in place j."""
        # In rows, as `take` leaves them: the same order of memory, the same last bit.
        return ClassMoments(
            self.counts, self.means.take(order, axis=1), self.squares.take(order, axis=1)
        )

    @property
    def seen(self):
        """Mask of the classes that have samples."""
        return self.counts > 0

    @property
    def overall_mean(self):
        """Mean of all samples."""
        # Relative to one class mean, so that a constant feature keeps its value to the last bit.
        reference = self.means[np.argmax(self.seen)]
        return reference + self.counts @ (self.means - reference) / self.counts.sum()

    @property
    def within_variance(self):
        """Pooled variance around the class means; exactly 0 where it is only rounding."""
        return self._without_rounding(self.squares.sum(axis=0) / self.counts.sum())

    @property
    def variance(self):
        """Variance of all samples around their common mean; exactly 0 for a constant feature."""
        between = self.counts @ (self.means - self.overall_mean) ** 2
        total = (self.squares.sum(axis=0) + between) / self.counts.sum()
        return self._without_rounding(total)

    def _without_rounding(self, variance):
        _loops.drop_rounding(variance, np.ascontiguousarray(self.means), _CONSTANT)
        return variance


def _n_cells(sizes):
    return sizes["folds"] * sizes["classes"]


class MomentsByFold(NamedTuple):
    """Class moments of each of some folds, of which training sets are put together."""

    n_folds: int
    moments: ClassMoments  # of class c of fold f in place ``f * n_classes + c``

    _state = {
        "n_folds": state.size("folds"),
        "moments": state.part(ClassMoments, classes=_n_cells),
    }

    @property
    def counts(self):
        """Weight of each class in each fold, which are in rows."""
        return self.moments.counts.reshape(self.n_folds, -1)

    def merge(self, other):
        """Return the moments of both parts together; classes must be in the same order."""
        return self._replace(moments=self.moments.merge(other.moments))

    def reindex(self, positions, n_classes):
        """Return the moments with class `c` moved to `positions[c]` of `n_classes` classes."""
        cells = n_classes * np.arange(self.n_folds)[:, None] + positions
        moved = self.moments.reindex(cells.ravel(), self.n_folds * n_classes)
        return self._replace(moments=moved)

    def without(self, left_out=()):
        """Return the class moments of all folds but some."""
        n_classes = self.counts.shape[1]
        return reduce(
            ClassMoments.merge,
            [
                self.moments.take_classes(slice(fold * n_classes, (fold + 1) * n_classes))
                for fold in range(self.n_folds)
                if fold not in left_out
            ],
        )


def class_moments(X, codes, n_classes, weights=None, n_jobs=None, height=None):
    """Summarise the rows of `X` by class in one pass, without making them dense or copying them.

    A negative code leaves a row out. The result is the same to the bit for any number of threads.
    Columns by themselves have the moments to the bit that they have among others if both are
    summarised in blocks of the same `height`. Dask blocks are summarised where they are.
    """
    if hasattr(X, "class_moments"):
        return X.class_moments(codes, n_classes, weights)
    if weights is None:
        weights = np.broadcast_to(np.float64(1.0), codes.shape)
    if X.shape[0] == 0:
        return ClassMoments.empty(n_classes, X.shape[1])
    if issparse(X) and X.format == "csc":
        return _csc_moments(X, codes, n_classes, weights, n_jobs)
    moments_of = _csr_moments if issparse(X) else _dense_moments
    if height is None:
        height = rows_per_block(*X.shape, n_classes, X.nnz if issparse(X) else None)
    blocks = [(X, codes, n_classes, weights, rows) for rows in _slices(X.shape[0], height)]
    total = reduce(ClassMoments.merge, map_blocks(moments_of, blocks, n_jobs))
    return ClassMoments(
        total.counts, np.ascontiguousarray(total.means), np.ascontiguousarray(total.squares)
    )


def rows_per_block(n_samples, n_features, n_classes, n_stored=None):
    """Rows that are summarised at a time; `n_stored` is the number of entries of sparse data."""
    if n_stored is None:
        return max(1, _ENTRIES_PER_BLOCK // n_features)
    # As many blocks as pay for their accumulators.
    n_blocks = int(np.clip(n_stored // (8 * n_classes * n_features), 1, 16))
    return max(1, -(-n_samples // n_blocks))


def fold_moments(X, codes, n_classes, folds, sets):
    """Summarise all rows but those of some folds, for each set of folds to do without.

    Dense rows are read once, and added to the sums of their fold only. As sums are put together,
    not means, whole numbers are summarised to the bit as `class_moments` does it. A negative fold
    leaves a row out of all.
    """
    if issparse(X):
        left_out = [(folds < 0) | np.isin(folds, each) for each in sets]
        return [class_moments(X, np.where(out, np.int32(-1), codes), n_classes) for out in left_out]
    shape = folds.max() + 1, n_classes
    is_kept = np.array([~np.isin(np.arange(shape[0]), each) for each in sets])
    cells = np.where((folds < 0) | (codes < 0), -1, folds * n_classes + codes).astype(np.int32)
    height = rows_per_block(*X.shape, n_classes)
    blocks = _slices(X.shape[0], height)
    return reduce(
        _merge_each, (_moments_of_sets(X, cells, shape, is_kept, rows) for rows in blocks)
    )


def _merge_each(first, second):
    return [one.merge(other) for one, other in zip(first, second, strict=True)]


def _moments_of_sets(X, cells, shape, is_kept, rows):
    """Moments of a block of rows, for each set of folds that are kept.

    A row of fold f and class c is in cell ``f * n_classes + c`` of `shape`, (n_folds, n_classes).
    """
    weights = np.broadcast_to(np.float64(1.0), cells.shape)
    firsts = _first_rows(cells, np.prod(shape), weights, rows)
    counts = class_weights(cells[rows], firsts.size, weights[rows]).reshape(shape)
    means, squares = np.empty((2, len(is_kept), shape[1], X.shape[1]))
    for start, sums in _sums_of_rows(X, cells, firsts, weights, rows):
        sums = sums.reshape(*shape, *sums.shape[1:])
        _loops.finish_sets(is_kept, counts, firsts.reshape(shape), sums, start, means, squares)
    return [ClassMoments(*part) for part in zip(is_kept @ counts, means, squares, strict=True)]


def _dense_moments(X, codes, n_classes, weights, rows):
    counts = class_weights(codes[rows], n_classes, weights[rows])
    firsts = _first_rows(codes, n_classes, weights, rows)
    means, squares = np.empty((2, n_classes, X.shape[1]))
    for start, sums in _sums_of_rows(X, codes, firsts, weights, rows):
        _loops.finish_cells(counts, sums, start, means, squares)
    return ClassMoments(counts, means, squares)


def _sums_of_rows(X, cells, firsts, weights, rows):
    """Yield where strips of columns start, and the sums of each cell (cells, 3, columns)."""
    add = _loops.add_row_major if X.strides[0] >= X.strides[1] else _loops.add_column_major
    n_cells, n_features = firsts.size, X.shape[1]
    is_there = firsts < rows.stop
    width = min(n_features, max(_LEAST_WIDTH, _CACHED_SUMS // n_cells))
    for columns in _slices(n_features, width):
        sums = np.zeros((n_cells, 3, columns.stop - columns.start))
        sums[is_there, 0] = X[firsts[is_there], columns]
        add(X, cells, weights, rows.start, rows.stop, columns.start, sums)
        yield columns.start, sums


def _slices(n_rows, height):
    return [slice(start, min(start + height, n_rows)) for start in range(0, n_rows, height)]


def _first_rows(cells, n_cells, weights, rows):
    """Return the first row of each cell that counts; where the block ends if there is none."""
    firsts = np.full(n_cells, rows.stop)
    counting = rows.start + np.flatnonzero((cells[rows] >= 0) & (weights[rows] > 0))
    firsts[cells[counting[::-1]]] = counting[::-1]  # of several, the last one written stays
    return firsts


def _csr_moments(X, codes, n_classes, weights, rows):
    counts = class_weights(codes[rows], n_classes, weights[rows])
    sums = np.zeros((n_classes, X.shape[1], 2))
    entries = X.data, X.indices, X.indptr, codes, weights
    _loops.add_csr_rows(*entries, rows.start, rows.stop, sums)
    is_doubtful = np.zeros(X.shape[1], dtype=bool)
    _loops.finish_csr_rows(sums, counts, _CANCELLED, is_doubtful)
    means, squares = sums[:, :, 0], sums[:, :, 1]
    # Where most of the sum of squares is the mean, the difference has lost digits: look again.
    if is_doubtful.any():
        columns = X[rows][:, is_doubtful].tocsc()
        exact = _csc_moments(columns, codes[rows], n_classes, weights[rows], n_jobs=1)
        means[:, is_doubtful], squares[:, is_doubtful] = exact.means, exact.squares
    return ClassMoments(counts, means, squares)


def _csc_moments(X, codes, n_classes, weights, n_jobs):
    entries = X.data, X.indices, X.indptr, codes, weights
    counts = class_weights(codes, n_classes, weights)
    means, squares = np.zeros((2, n_classes, X.shape[1]))

    def add_columns(start, stop):
        stored = np.empty((n_classes, 4))
        _loops.csc_moments(*entries, start, stop, counts, stored, means, squares)

    run_blocks(add_columns, column_blocks(X.shape[1]), n_jobs)
    return ClassMoments(counts, means, squares)


def class_weights(codes, n_classes, weights=None):
    """Sum of the weights of each class, or number of its samples; negative codes do not count."""
    # They fall into an extra bin in front.
    return np.bincount(codes + 1, weights, minlength=n_classes + 1)[1:].astype(float)
