"""Weighted medians and dispersions per class.

Medians do not merge: a column is needed whole, so the work is split by columns and never by rows.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from .. import _state as state
from . import _loops
from .class_moments import class_weights
from .threads import column_blocks, run_blocks

_NARROWEST, _WIDEST = 16, 512  # columns in a block of work


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
        summarise = _equal_weight_summary(X, labels, summary)
    else:
        summarise = _weighted_summary(_by_column(X), labels, summary)
    run_blocks(summarise, column_blocks(X.shape[1], _width(X)), n_jobs)
    return ClassMedians(class_weights(codes, n_classes, weights), *summary)


def median_deviations(X, codes, medians, weights=None, n_jobs=None):
    """Median over all samples of the absolute deviation from the median of the sample's class."""
    if hasattr(X, "median_deviations"):
        return X.median_deviations(codes, medians, weights)
    all_together = np.minimum(codes, 0)
    labels = _labels(codes, medians.shape[0], _exact_weights(weights, all_together))
    deviations = np.zeros(X.shape[1])
    total = labels.totals.sum(keepdims=True)
    columns, has_equal_weights = _by_column(X), weights is None and not issparse(X)

    def deviate(start, stop):
        entries = _entries(columns, start, stop)
        rooms = _column_room(entries, labels.n_classes), _class_room(labels.n_classes)
        _loops.median_deviations(
            entries, start, labels, total, has_equal_weights, *rooms, medians, deviations
        )

    run_blocks(deviate, column_blocks(X.shape[1], _width(X)), n_jobs)
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


def _equal_weight_summary(X, labels, summary):
    order = np.argsort(labels.codes, kind="stable")[labels.codes.size - labels.counts.sum() :]
    bounds = np.concatenate([[0], np.cumsum(labels.counts)])

    def summarise(start, stop):
        n = order.size
        room = np.empty(n), np.empty(n), np.empty(n, np.int32), np.empty(n)
        _loops.equal_weight_medians(
            _columns(X, start, stop), start, order, bounds, labels.totals, labels.half, room,
            _class_room(labels.n_classes), summary,
        )  # fmt: skip

    return summarise


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


def _columns(X, start, stop):
    """Copy a block of columns as the rows of a float64 array: few loops to compile, all fast."""
    return np.array(X[:, start:stop].T, dtype=np.float64, order="C")


def _entries(X, start, stop):
    """Entries of a block of columns as CSC has them: values, their rows, where columns begin."""
    if issparse(X):
        stored = slice(X.indptr[start], X.indptr[stop])
        data = X.data[stored].astype(np.float64)
        return data, X.indices[stored], X.indptr[start : stop + 1] - stored.start
    n_rows, n_columns = X.shape[0], stop - start
    rows = np.tile(np.arange(n_rows, dtype=np.int32), n_columns)
    return _columns(X, start, stop).ravel(), rows, n_rows * np.arange(n_columns + 1, dtype=np.int32)
