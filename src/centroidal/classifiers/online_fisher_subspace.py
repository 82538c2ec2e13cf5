"""Fisher-subspace classification of streams; statistics in statistics/class_subspace.py."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from .._data import check_labelled, check_next_classes, check_same_features
from .._parameters import check_priors, check_window
from ..solvers.fisher_subspace import cut_at
from ..solvers.thresholds import mahalanobis_threshold
from ..statistics import ClassSubspace, SlidingSubspace
from .fisher_recipe import FisherRecipe, FisherSolution
from .fisher_rule import FisherRule

__all__ = ["OnlineFisherSubspaceClassifier"]

_FEWEST_ROWS = 64  # of a block: less does not pay for an update


class Stream(NamedTuple):
    """What is remembered between chunks: a summary, and the spread of classes along the axis."""

    subspace: ClassSubspace
    window: SlidingSubspace | None
    variances: np.ndarray | None = None

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


class OnlineFisherSubspaceClassifier(FisherRule):
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
        How many of the most recent calls of `partial_fit` are remembered, for data that drift;
        None for all.
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
    FisherSubspaceClassifier : The same for data in memory, with further rules.

    Notes
    -----
    Two classes are cut where both class means are as many standard deviations away (section 4.3).

    **Where we differ** from the thesis: the working rank is 2 d; class means are exact, and only
    the deviations along the axis are carried on from one axis to the next; any number of classes;
    a class may arrive later; no right singular vectors are kept without a window. A window keeps
    the coordinates of its samples in the leading directions, and exact class sums of its chunks.

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

    def __init__(self, n_components=None, *, window=None, priors="uniform"):
        self.n_components = n_components
        self.window = window
        self.priors = priors

    @property
    def _recipe(self):
        return FisherRecipe(
            "truncated", self.n_components, threshold="mahalanobis", priors=self.priors
        )

    def fit(self, X, y, sample_weight=None):
        """Forget what was seen and learn from one chunk.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; an integer weight is the same as so many copies.

        Returns
        -------
        self
            Fitted estimator.
        """
        recipe = self._check_recipe()
        data = check_labelled(self, X, y, sample_weight)
        check_priors(self.priors, np.ones(data.classes.size))

        stream = self._empty_stream(data)
        solution = self._solve(recipe, stream, data)

        return self._keep_stream(data.features, data.classes, *solution)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from a further chunk; with a window, forget the oldest one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Further samples.
        y : array-like of shape (n_samples,)
            Their labels; they may all be the same.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever appear; required in the first call. A class without samples
            so far is never predicted.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        self
            Updated estimator.
        """
        recipe = self._check_recipe()
        is_first = not self.__sklearn_is_fitted__()
        classes = check_next_classes(self, classes, is_first)
        data = check_labelled(self, X, y, sample_weight, classes=classes, reset=is_first)
        check_priors(self.priors, np.ones(classes.size))

        stream = self._empty_stream(data) if is_first else self._stream
        solution = self._solve(recipe, stream, data)

        return self._keep_stream(data.features, classes, *solution)

    def merge(self, other):
        """Add what another fitted classifier saw.

        Parameters
        ----------
        other : OnlineFisherSubspaceClassifier
            Fitted on the same features, without a window, as this one; its classes may differ.

        Returns
        -------
        self
            Estimator of both streams, with the classes of either.
        """
        check_same_features(self, other)
        for name, part in (("this estimator", self), ("other", other)):
            if part._stream.window is not None:
                raise ValueError(
                    f"{name} has window={part.window!r}; only estimators without a window merge."
                )
        recipe = self._check_recipe()
        classes = np.union1d(self.classes_, other.classes_)
        parts = [
            part._stream.reindex(np.searchsorted(classes, part.classes_), classes.size)
            for part in (self, other)
        ]

        total = sum(part.subspace.total for part in parts)
        n_pairs = 2 * recipe.n_pairs(total)
        subspace = parts[0].subspace.merge(parts[1].subspace, n_pairs)
        fisher, whitening = recipe.axes(subspace)
        variances = None
        if recipe.cuts(subspace.counts) and fisher.axes.shape[1]:
            variances = _pool_variances(subspace, fisher.axes[:, 0], parts)
        solution = _decide(recipe, subspace, fisher, whitening, variances)

        return self._keep_stream(
            self._features, classes, Stream(subspace, None, variances), solution
        )

    def _check_recipe(self):
        recipe = self._recipe.check()
        check_window(self.window)
        if isinstance(recipe.components(2.0), float):
            raise ValueError(
                f"n_components={self.n_components:g} must be an int, 'log2' or None: the share of "
                "the variance is not known before the end of a stream."
            )
        return recipe

    def _empty_stream(self, data):
        n_classes, n_features = data.classes.size, data.X.shape[1]
        window = None if self.window is None else SlidingSubspace.empty(n_classes, n_features)
        return Stream(ClassSubspace.empty(n_classes, n_features), window)

    def _solve(self, recipe, stream, data):
        """Update the summary by a chunk and solve for the axes and the rule."""
        if (self.window is None) != (stream.window is None):
            raise ValueError(f"window={self.window!r} must be what it was in the first call.")
        chunk = _Rows.of(data)
        total = stream.subspace.total + chunk.weights.sum()
        n_pairs = 2 * recipe.n_pairs(total)
        window = stream.window
        if window is None:
            subspace = chunk.add_to(stream.subspace, n_pairs)
        else:
            dense = chunk.dense(slice(None))
            window = window.slide(dense, chunk.codes, chunk.weights, self.window, n_pairs)
            subspace = window.subspace
        fisher, whitening = recipe.axes(subspace)
        variances = None
        if recipe.cuts(subspace.counts) and fisher.axes.shape[1]:
            axis = fisher.axes[:, 0]
            if window is None:
                variances = _carry_variances(stream, subspace, axis, chunk)
            else:
                variances = window.class_variances(axis)
        solution = _decide(recipe, subspace, fisher, whitening, variances)
        return Stream(subspace, window, variances), solution

    def _keep_stream(self, features, classes, stream, solution):
        self._keep(features, classes, solution, self.priors)
        self._stream = stream
        return self


class _Rows(NamedTuple):
    """A chunk, of which a block at a time is made dense: it becomes directions, which are."""

    X: np.ndarray
    codes: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, data):
        X = data.X.tocsr() if issparse(data.X) else data.X
        if data.weights is None:
            return cls(X, data.codes, np.ones(data.codes.size))
        counted = data.weights > 0
        return cls(X[counted], data.codes[counted], data.weights[counted])

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

    def squares_along(self, axis, centers):
        """Sum the squared deviations from the class centers along an axis."""
        deviations = self.X @ axis - centers[self.codes]
        return np.bincount(self.codes, self.weights * deviations**2, minlength=centers.size)


def _carry_variances(stream, subspace, axis, chunk):
    """Variance of each class along the new axis: that along the old one, moved, and the chunk's."""
    centers = subspace.means @ axis
    squares = stream.squares_around(axis, centers) + chunk.squares_along(axis, centers)
    return squares / subspace.counts


def _pool_variances(subspace, axis, parts):
    centers = subspace.means @ axis
    return sum(part.squares_around(axis, centers) for part in parts) / subspace.counts


def _decide(recipe, subspace, fisher, whitening, variances):
    """Cut two classes by their deviations; tell more apart by what is inside them."""
    axes, centers = fisher
    if variances is None:
        within = subspace.covariance_inside(axes)
        rule = recipe.prior_rule(centers, within, subspace.counts)
    else:
        threshold = mahalanobis_threshold(centers[:, 0], np.sqrt(variances))
        pooled = subspace.counts @ variances / subspace.total
        rule = cut_at(threshold, np.ptp(centers[:, 0]), pooled)
    return FisherSolution(subspace, whitening.gains.size, axes, rule)
