"""Weighted medians and dispersions per class.

Medians do not merge: a column is needed whole, so the work is split by columns and never by rows.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from .. import _state as state
from . import _loops
from .class_moments import class_weights
from .threads import column_blocks, run_blocks

_NARROWEST, _WIDEST = 16, 512  # columns in a block of work
_BLOCKS_AT_ONCE = 8  # for a thread, which keeps its memory for them
_ROWS_AT_ONCE = 512  # of a block of columns, that a cache holds while they are transposed


class ClassMedians(NamedTuple):
    """Medians of every feature in every class and over all, with their dispersions."""

    counts: np.ndarray  # (n_classes,): sum of the sample weights of each class
    # (n_classes, n_features): class medians, eq. (6); 0 for a class without samples.
    medians: np.ndarray
    # (n_classes, n_features): mean absolute deviation from the class median, eq. (17).
    dispersions: np.ndarray
    shared: np.ndarray  # (n_features,): median of all samples when each class weighs 1, eq. (15)
    # (n_features,): sum over the classes of the mean absolute deviation from `shared`, eq. (18).
    shared_dispersion: np.ndarray

    _state = {
        "counts": state.counts("classes"),
        "medians": state.floats("classes", "features"),
        "dispersions": state.floats("classes", "features", least=0.0),
        "shared": state.floats("features"),
        "shared_dispersion": state.floats("features", least=0.0),
    }


def class_medians(X, codes, n_classes, weights=None, n_jobs=None):
    """Medians and dispersions of the rows of `X` by class.

    Sparse data are read as CSC (a CSR matrix is converted once); implicit zeros are counted and
    never stored. Parameters as in `class_moments`.
    """
    if hasattr(X, "class_medians"):
        return X.class_medians(codes, n_classes, weights)
    labels = _labels(codes, n_classes, _exact_weights(weights, codes))
    shape = (n_classes, X.shape[1])
    summary = (np.zeros(shape), np.zeros(shape), np.zeros(shape[1]), np.zeros(shape[1]))
    if not labels.counts.any():
        return ClassMedians(labels.totals, *summary)
    if weights is None and not issparse(X):
        width, summarise = _BLOCKS_AT_ONCE * _width(X), _equal_weight_summary(X, labels, summary)
    else:
        width, summarise = _width(X), _weighted_summary(_by_column(X), labels, summary)
    run_blocks(summarise, column_blocks(X.shape[1], width), n_jobs)
    return ClassMedians(class_weights(codes, n_classes, weights), *summary)


def median_deviations(X, codes, medians, weights=None, n_jobs=None):
    """Median over all samples of the absolute deviation from the median of the sample's class."""
    if hasattr(X, "median_deviations"):
        return X.median_deviations(codes, medians, weights)
    all_together = np.minimum(codes, 0)
    labels = _labels(codes, medians.shape[0], _exact_weights(weights, all_together))
    deviations = np.zeros(X.shape[1])
    if weights is None and not issparse(X):
        width = _BLOCKS_AT_ONCE * _width(X)
        deviate = _equal_weight_deviations(X, labels, medians, deviations)
    else:
        width = _width(X)
        deviate = _weighted_deviations(_by_column(X), labels, medians, deviations)
    run_blocks(deviate, column_blocks(X.shape[1], width), n_jobs)
    return deviations


class _Labels(NamedTuple):
    codes: np.ndarray
    weights: np.ndarray
    counts: np.ndarray  # samples of positive weight in each class
    totals: np.ndarray  # their weight

    @property
    def n_classes(self):
        return self.totals.size

    @property
    def half(self):
        """Half of the weight of all classes, each of which weighs 1."""
        return 0.5 * np.count_nonzero(self.totals)


def _labels(codes, n_classes, weights):
    counted = (codes >= 0) & (weights > 0)
    counts = np.bincount(codes[counted], minlength=n_classes)
    totals = np.bincount(codes[counted], weights[counted], minlength=n_classes)
    return _Labels(codes, weights, counts, totals)


def _exact_weights(weights, groups):
    """Weights in which those that are equal throughout a group are 1, so that sums are exact.

    Medians are found in shares of the weight of a group, so that changes nothing else.
    """
    if weights is None:
        return np.ones(groups.size)
    weights = weights.copy()
    for group in range(groups.max(initial=-1) + 1):
        members = (groups == group) & (weights > 0)
        if members.any() and np.ptp(weights[members]) == 0.0:
            weights[members] = 1.0
    return weights


class _Members(NamedTuple):
    """Dense samples of equal weight, class by class."""

    X: np.ndarray
    order: np.ndarray  # rows that count, class by class
    bounds: np.ndarray  # (n_classes + 1,): where each class begins among them

    @classmethod
    def of(cls, X, labels):
        order = np.argsort(labels.codes, kind="stable")[labels.codes.size - labels.counts.sum() :]
        return cls(X, order, np.concatenate([[0], np.cumsum(labels.counts)]))

    def blocks(self, start, stop):
        """Yield a few columns after the other, and their values as rows of an array.

        The array is used again: to get new memory from the system takes longer than to fill it.
        """
        members = np.empty((min(_width(self.X), stop - start), self.order.size))
        for first in range(start, stop, len(members)):
            block = slice(first, min(first + len(members), stop))
            own = members[: block.stop - first]
            _loops.take_members(self.X[:, block], self.order, own)
            yield block, own

    def by_class(self, members):
        """Yield the classes that have samples, and these."""
        for c, (first, last) in enumerate(pairwise(self.bounds)):
            if first < last:
                yield c, members[:, first:last]


def _middle_values(values):
    """Lower and upper middle of each row, which is reordered."""
    middle = values.shape[1] // 2
    values.partition(middle, axis=1)  # one place at a time is what NumPy has fast loops for
    upper = values[:, middle].copy()
    return (upper if values.shape[1] % 2 else values[:, :middle].max(axis=1)), upper


def _equal_weight_summary(X, labels, summary):
    samples = _Members.of(X, labels)

    def summarise(start, stop):
        n = samples.order.size
        room = np.empty(n), np.empty(n, np.int32), np.ones(n)
        for block, members in samples.blocks(start, stop):
            for _, own in samples.by_class(members):
                own.partition(own.shape[1] // 2, axis=1)  # NumPy has fast loops for one place
            _loops.equal_weight_summary(
                members, block.start, samples.bounds, labels.totals, labels.half,
                room, _class_room(labels.n_classes), summary,
            )  # fmt: skip

    return summarise


def _equal_weight_deviations(X, labels, medians, deviations):
    samples = _Members.of(X, labels)

    def deviate(start, stop):
        for block, members in samples.blocks(start, stop):
            with np.errstate(over="ignore", invalid="ignore"):  # what is too large is told later
                for c, own in samples.by_class(members):
                    own -= medians[c, block, None]
                middles = _middle_values(np.abs(members, out=members))
                deviations[block] = 0.5 * np.add(*middles)

    return deviate


def _weighted_deviations(X, labels, medians, deviations):
    total = labels.totals.sum(keepdims=True)

    def deviate(start, stop):
        entries = _entries(X, start, stop)
        rooms = _column_room(entries, labels.n_classes), _class_room(labels.n_classes)
        _loops.median_deviations(entries, start, labels, total, *rooms, medians, deviations)

    return deviate


def _weighted_summary(X, labels, summary):
    def summarise(start, stop):
        entries, n_classes = _entries(X, start, stop), labels.n_classes
        rooms = [_column_room(entries, n_classes) for _ in range(2)]
        _loops.weighted_medians(
            entries, start, labels, labels.half, *rooms, _class_room(n_classes), summary
        )

    return summarise


def _column_room(entries, n_classes):
    """Room for the values, codes and weights of one column, and of a zero a class."""
    n = np.diff(entries[2]).max() + n_classes
    return np.empty(n), np.empty(n, np.int32), np.empty(n)


def _class_room(n_classes):
    """Room for three numbers a class."""
    return np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)


def _width(X):
    """Columns a block: at least two cache lines of every row, more where the columns are short."""
    return _WIDEST if issparse(X) else min(max(_NARROWEST, 2**16 // X.shape[0]), _WIDEST)


def _by_column(X):
    return X.tocsc() if issparse(X) else X


def _entries(X, start, stop):
    """Entries of a block of columns as CSC has them: values, their rows, where columns begin."""
    if issparse(X):
        stored = slice(X.indptr[start], X.indptr[stop])
        data = X.data[stored].astype(np.float64)
        return data, X.indices[stored], X.indptr[start : stop + 1] - stored.start
    n_rows, n_columns = X.shape[0], stop - start
    rows = np.tile(np.arange(n_rows, dtype=np.int32), n_columns)
    # As float64 in one order: few loops to compile, all fast.
    columns = np.array(X[:, start:stop].T, dtype=np.float64, order="C")
    return columns.ravel(), rows, n_rows * np.arange(n_columns + 1, dtype=np.int32)
