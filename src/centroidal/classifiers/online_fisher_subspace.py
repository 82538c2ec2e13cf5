"""Fisher-subspace classification of streams; statistics in statistics/class_subspace.py."""

from numbers import Integral
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import issparse

from .. import _state as state
from .._data import check_entries
from .._parameters import number
from .._typing import ArrayLike, Priors, WindowUnit
from ..solvers.fisher_subspace import cut_at
from ..solvers.thresholds import mahalanobis_threshold
from ..statistics import ClassSubspace, SampleCount, SlidingSubspace
from ._base import MergeableClassifier
from .fisher_recipe import (
    MERGING,
    FisherRecipe,
    FisherRule,
    FisherSolution,
    check_no_window,
    check_scatter,
    find_threshold_point,
)

__all__ = ["OnlineFisherSubspaceClassifier"]

_FEWEST_ROWS = 64  # of a block: less does not pay for an update


class Stream(NamedTuple):
    """What is remembered between chunks: a summary, and the spread of classes along the axis."""

    subspace: ClassSubspace
    window: SlidingSubspace | None
    variances: np.ndarray | None = None

    _state = {
        "subspace": state.part(ClassSubspace),
        "window": state.optional(state.part(SlidingSubspace)),
        "variances": state.optional(state.floats("classes", least=0.0)),
    }

    def reindex(self, positions, n_classes):
        """Return the same with class `c` moved to `positions[c]` of `n_classes` classes."""
        variances = self.variances
        if variances is not None:
            variances = np.zeros(n_classes)
            variances[positions] = self.variances
        subspace = self.subspace.reindex(positions, n_classes)
        return Stream(subspace, self.window, variances)

    def squares_around(self, axis, centers):
        """Sum the squared deviations of each class from new centers along a new axis.

        The variances are those along the axis of their time. Before there was an axis there was
        one class, and all scatter was its own.
        """
        counts, means = self.subspace.counts, self.subspace.means
        if self.variances is None:
            variances = self.subspace.covariance_inside(axis[:, None])[0, 0]
        else:
            variances = self.variances
        return counts * (variances + (means @ axis - centers) ** 2)


class OnlineFisherSubspaceClassifier(MergeableClassifier, FisherRule):
    r"""Linear classifier on partially whitened class means, for streams (O-IPCAC).

    The classifier of :class:`FisherSubspaceClassifier` with whitening="truncated", whose leading
    directions are updated chunk by chunk (:cite:t:`Rozza2010`, section 4.3), so that memory does
    not grow with the stream.

    Parameters
    ----------
    n_components : int, "log2" or None, default=None
        How many directions d are whitened; None is "log2", the rule
        :math:`\lfloor \log_2^2 n \rfloor` of the thesis, which grows with the samples seen. Twice
        as many are followed: cutting at d itself would damage those that matter.
    window : int or None, default=None
        How many of the most recent calls of `partial_fit`, or samples, are remembered, for data
        that drift; None for all.
    window_unit : {"calls", "samples"}, default="calls"
        What the window counts. "samples": as many of the most recent calls are remembered as have
        at most so many samples together, and of one that has more its last ones.
    priors : {"uniform", "empirical"} or array-like of shape (n_classes,), default="uniform"
        Class probabilities, for more than two classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features in the log-odds of ``classes_[1]``, or in the score of each class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Constants of the same; infinite where a class was not seen.
    components_ : ndarray of shape (n_followed, n_features)
        Leading directions of the scatter, about twice the `n_components_` that are whitened.
    axes_, threshold_, singular_values_, n_components_, mean_, means_ : ndarray, float or int
        As in :class:`FisherSubspaceClassifier`, and so are `class_count_`, `class_prior_`,
        `n_features_in_` and `feature_names_in_`.

    See Also
    --------
    FisherSubspaceClassifier : The same for data in memory, with further rules; the two merge.

    Notes
    -----
    Two classes are cut where both class means are as many standard deviations away (section 4.3).

    **Where we differ** from the thesis: the working rank is 2 d; class means are exact; any number
    of classes; a class may arrive later. More is in :doc:`/mathematics/fisher_subspace`.

    `merge` takes a :class:`FisherSubspaceClassifier` with ``scatter="total"``, too; of its samples
    the spread inside the classes together is known, and counts as that of each.

    A chunk of c rows takes O(m (r + c)^2) time for r = 2 d directions of m features; large chunks
    are cut into blocks. Memory is O(m d), and O(m K) for each chunk of a window.

    Examples
    --------
    >>> from centroidal import OnlineFisherSubspaceClassifier
    >>> from centroidal.datasets import make_spiked_classes
    >>> data = make_spiked_classes(800, 200, random_state=0)
    >>> model = OnlineFisherSubspaceClassifier()
    >>> for start in range(0, 600, 50):
    ...     rows = slice(start, start + 50)
    ...     model = model.partial_fit(data.data[rows], data.target[rows], classes=[0, 1])
    >>> model.score(data.data[600:], data.target[600:]) > 0.9
    True
    """

    _state = {
        "_stream": state.part(Stream),
    }
    _merges_with = MERGING

    _checks = {
        "n_components": number(
            "an int, 'log2' or None: the share of the variance is not known before the end of a "
            "stream",
            lambda value: value >= 1,
            "be at least 1",
            Integral,
            or_one_of=("log2", None),
        )
    }

    def __init__(
        self,
        n_components: int | Literal["log2"] | None = None,
        *,
        window: int | None = None,
        window_unit: WindowUnit = "calls",
        priors: Priors | ArrayLike = "uniform",
    ) -> None:
        self.n_components = n_components
        self.window = window
        self.window_unit = window_unit
        self.priors = priors

    @property
    def _recipe(self):
        return FisherRecipe(
            "truncated", self.n_components, threshold="mahalanobis", priors=self.priors
        )

    def _check_mergeable(self, other):
        check_scatter(self, other)
        check_no_window(self, other)

    def _summary_of(self, part):
        # A batch knows no spread of each class, so that inside all of them stands for it.
        return getattr(part, "_stream", None) or Stream(part._solution.subspace, None)

    @property
    def _summary(self):
        return self._stream

    def _add_samples(self, before, data):
        """Follow the leading directions and, of two classes, the spread along the axis."""
        check_entries(self, data.X)
        before = self._empty_stream(data) if before is None else before
        if (self.window is None) != (before.window is None):
            raise ValueError(f"window={self.window!r} must be what it was in the first call.")
        chunk = _Rows.of(data)
        if self.window is not None and self.window_unit == "samples":
            chunk = chunk.last(self.window)
        size = before.subspace.size.merge(SampleCount.of(chunk.weights))
        total = before.subspace.total + chunk.weights.sum()
        n_pairs = 2 * self._recipe.n_pairs(size.number(total))
        if before.window is None:
            subspace = chunk.add_to(before.subspace, n_pairs)
            return Stream(subspace, None, self._variances(subspace, before, chunk))
        dense = chunk.dense(slice(None))
        n_chunks = self._n_chunks(before.window, chunk)
        window = before.window.slide(dense, chunk.codes, chunk.weights, n_chunks, n_pairs)
        axis = self._axis(window.subspace)
        variances = None if axis is None else window.class_variances(axis)
        return Stream(window.subspace, window, variances)

    def _n_chunks(self, before, chunk):
        """Count the chunks that stay in the window, with the one that comes."""
        if self.window_unit == "calls":
            return self.window
        sizes = [chunk.codes.size, *(old.codes.size for old in reversed(before.chunks))]
        return np.count_nonzero(np.cumsum(sizes) <= self.window)

    def _empty_stream(self, data):
        n_classes, n_features = data.classes.size, data.X.shape[1]
        window = None if self.window is None else SlidingSubspace.empty(n_classes, n_features)
        return Stream(ClassSubspace.empty(n_classes, n_features), window)

    def _merge_summaries(self, first, second):
        parts = first.subspace, second.subspace
        size, total = parts[0].size.merge(parts[1].size), parts[0].total + parts[1].total
        subspace = parts[0].merge(parts[1], 2 * self._recipe.n_pairs(size.number(total)))
        return Stream(subspace, None, self._variances(subspace, first, second))

    def _axis(self, subspace):
        """Axis along which two classes are cut; None if none is."""
        axes = self._recipe.axes(subspace)[0].axes
        return axes[:, 0] if self._recipe.cuts(subspace.counts) and axes.shape[1] else None

    def _variances(self, subspace, *parts):
        """Variance of each class along the new axis, from what the parts know of it."""
        axis = self._axis(subspace)
        if axis is None:
            return None
        centers = subspace.means @ axis
        return sum(part.squares_around(axis, centers) for part in parts) / subspace.counts

    def _keep_summary(self, features, classes, summary):
        self._keep(features, classes, _decide(self._recipe, summary), self.priors)
        self._stream = summary
        return self


class _Rows(NamedTuple):
    """A chunk, of which a block at a time is made dense: it becomes directions, which are."""

    X: np.ndarray
    codes: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, data):
        data = data if data.weights is None else data.take_rows(data.counted_rows)
        X = data.X.tocsr() if issparse(data.X) else data.X
        return cls(X, data.codes, data.row_weights)

    def last(self, n_rows):
        """Return the last of the rows."""
        return _Rows(self.X[-n_rows:], self.codes[-n_rows:], self.weights[-n_rows:])

    def dense(self, rows):
        """Take some rows as a dense array."""
        return self.X[rows].toarray() if issparse(self.X) else self.X[rows]

    def add_to(self, subspace, n_pairs):
        """Update a summary block by block; a block of about as many rows as directions is best."""
        height = max(_FEWEST_ROWS, min(n_pairs, self.X.shape[1]))
        for start in range(0, self.codes.size, height):
            rows = slice(start, start + height)
            subspace = subspace.update(
                self.dense(rows), self.codes[rows], self.weights[rows], n_pairs
            )
        return subspace

    def squares_around(self, axis, centers):
        """Sum the squared deviations of each class from its center along an axis."""
        deviations = self.X @ axis - centers[self.codes]
        return np.bincount(self.codes, self.weights * deviations**2, minlength=centers.size)


def _decide(recipe, stream):
    """Cut two classes by their deviations; tell more apart by what is inside them."""
    subspace, variances = stream.subspace, stream.variances
    (axes, centers), whitening = recipe.axes(subspace)
    point = None
    if variances is None:
        within = subspace.covariance_inside(axes)
        rule = recipe.prior_rule(centers, within, subspace.counts)
    else:
        threshold = mahalanobis_threshold(centers[:, 0], np.sqrt(variances))
        pooled = subspace.counts @ variances / subspace.total
        rule = cut_at(threshold, np.ptp(centers[:, 0]), pooled)
        point = find_threshold_point(subspace, whitening, axes[:, 0], threshold)
    return FisherSolution(subspace, whitening.gains.size, axes, rule, point)
