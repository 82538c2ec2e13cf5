"""What all classifiers share: one score a class decides everything."""

from functools import reduce
from typing import Self

import numpy as np
from scipy.sparse import issparse
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin

from .. import _state as state
from .._data import (
    Features,
    LabelledFitMixin,
    available_if,
    check_labelled,
    check_moments,
    check_next_classes,
    check_same_features,
    row_by_row,
)
from .._model_html import ModelHTMLMixin
from .._typing import Array, ArrayLike, Floats
from ..solvers.calibration import keep_winners
from ..solvers.ranking import ROUNDING
from ..statistics import class_moments


def _class_labels(estimator):
    return estimator.classes_


def recipe_of(kind, estimator):
    """Return a named tuple of the parameters of an estimator, and defaults for those it lacks."""
    params = estimator.get_params(deep=False)
    return kind(**{name: params[name] for name in kind._fields if name in params})


def with_short_indices(X):
    """Return sparse samples with indices of 32 bits, if they are enough: others read no longer."""
    if not issparse(X) or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    indices, starts = (part.astype(np.int32, copy=False) for part in (X.indices, X.indptr))
    return type(X)((X.data, indices, starts), shape=X.shape)


def level_ties(scores):
    """Give classes that reach the best score of a sample up to rounding that score.

    So the first of them is predicted, whatever the order of the rows that were fitted.
    """
    best = reduce(np.maximum, scores.T)  # the maximum over few columns takes 20 times as long
    is_best = scores >= (best - ROUNDING * np.abs(best))[:, None]
    if np.count_nonzero(is_best) > best.size:
        scores = np.where(is_best, best[:, None], scores)
    return scores


class DecisionMixin(ModelHTMLMixin, ClassifierMixin):
    """Decisions from `_class_scores(X)`, an (n_samples, n_classes) array."""

    classes_: Array
    n_features_in_: int
    feature_names_in_: Array

    @row_by_row(_class_labels)
    def decision_function(self, X: ArrayLike) -> Floats:
        """Compute how strongly each sample belongs to each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the score of ``classes_[1]`` minus that of ``classes_[0]``, else one
            score a class.
        """
        scores = level_ties(self._class_scores(X))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @row_by_row(_class_labels)
    def predict(self, X: ArrayLike) -> Array:
        """Predict the class of the highest score, of those equal up to rounding the first one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        scores = level_ties(self._class_scores(X))
        return self.classes_[scores.argmax(axis=1)]


class ClassScoresMixin(DecisionMixin):
    """Decisions and probabilities from `_class_scores(X)`.

    The hook `_score_unit` is what a score is divided by to become the logarithm of a joint
    probability, up to a term that all classes of a sample share.
    """

    @row_by_row(_class_labels)
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Estimate the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`. The largest is that of the predicted class.
        """
        scores = level_ties(self._class_scores(X))
        # Scores that differ by less than a probability can show still decide.
        return keep_winners(np.exp(self._log_probabilities(scores)), scores.argmax(axis=1))

    @row_by_row(_class_labels)
    def predict_log_proba(self, X: ArrayLike) -> Floats:
        """Estimate the logarithm of the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of probabilities, in the order of `classes_`.
        """
        return self._log_probabilities(level_ties(self._class_scores(X)))

    def _log_probabilities(self, scores):
        behind = scores - scores.max(axis=1, keepdims=True)
        # Without any spread inside the classes the best score is certain.
        with np.errstate(over="ignore"):
            return log_softmax(behind / max(self._score_unit, np.finfo(float).tiny), axis=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def score_both_classes(scores):
    """Make one column, the log-odds of the second class, two scores, the better one 0."""
    if scores.shape[1] > 1:
        return scores
    return np.hstack([np.minimum(-scores, 0.0), np.minimum(scores, 0.0)])


class SolvedClassifier(ClassScoresMixin, BaseEstimator):
    """A classifier that keeps what was solved as `_solution`."""

    _state = state.LABELLED

    @property
    def _features(self):
        return Features.of(self)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_solution")


def _merges(estimator):
    needed = estimator._needed_to_merge
    if needed is not None:
        raise AttributeError(f"partial_fit and merge need {needed}.")
    return True


class MergeableClassifier(LabelledFitMixin):
    """`partial_fit` and `merge`, for a `SolvedClassifier` that a summary of samples is enough for.

    Hooks: `_summary`, which is known after fitting and has a method `reindex`; `_summarise(data)`;
    `_merge_summaries(first, second)`; `_keep_summary(features, classes, summary)`.
    """

    # What the parameters would have to be, if these do not merge.
    _needed_to_merge = None
    _merges_with = ()  # names of classes whose summaries say the same, beside its own

    @property
    def _finds_infinite(self):
        return self._needed_to_merge is None

    def _fit(self, data):
        summary = self._add_samples(None, data)
        return self._keep_summary(data.features, data.classes, summary)

    @available_if(_merges)
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add samples to what was seen before.

        Parameters
        ----------
        X, y, sample_weight : array-like
            As in `fit`; labels may all be the same.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever appear; required in the first call. A class without samples
            so far is never predicted.
        """
        is_first = not self.__sklearn_is_fitted__()
        classes = check_next_classes(self, classes, is_first)
        data = check_labelled(
            self,
            X,
            y,
            sample_weight,
            classes=classes,
            reset=is_first,
            finite=sample_weight is not None,
        )
        self._check_for(data.features.number, classes.size)

        summary = self._add_samples(None if is_first else self._summary, data)

        return self._keep_summary(data.features, classes, summary)

    @available_if(_merges)
    def merge(self, other: "MergeableClassifier") -> Self:
        """Add what another fitted classifier saw.

        Parameters
        ----------
        other : classifier
            Of the same class, or of one that the notes name, fitted on the same features; its
            labels may differ.

        Returns
        -------
        self
            Estimator of both parts, with the classes of either.
        """
        check_same_features(self, other, self._merges_with)
        for part in (self, other):  # either may come from a file, by whatever way
            state.check_state(part)
        self._check_mergeable(other)
        classes = np.union1d(self.classes_, other.classes_)
        self._check_for(self.n_features_in_, classes.size)

        parts = (
            self._summary_of(part).reindex(np.searchsorted(classes, part.classes_), classes.size)
            for part in (self, other)
        )
        summary = self._merge_summaries(*parts)

        return self._keep_summary(self._features, classes, summary)

    def _summary_of(self, part):
        """Return the summary of an estimator that merges with this one."""
        return part._summary

    def _add_samples(self, before, data):
        """Summarise samples and what was seen before, of which there may be nothing."""
        summary = self._summarise(data)
        return summary if before is None else self._merge_summaries(before, summary)

    def _check_mergeable(self, other):
        """Raise unless what is kept of `other` can be merged with what is kept here."""


class MomentsClassifier(MergeableClassifier):
    """One that class moments are enough for; hook `_keep_moments(features, classes, moments)`."""

    @property
    def _summary(self):
        return self._solution.moments

    def _summarise(self, data):
        return self._moments_of(data.X, data.codes, data.classes.size, data.weights)

    def _moments_of(self, X, codes, n_classes, weights=None):
        """Summarise checked samples by class; raise what is wrong with them if not finite."""
        moments = class_moments(X, codes, n_classes, weights, self.n_jobs)
        check_moments(self, X, moments)
        return moments

    def _merge_summaries(self, first, second):
        return first.merge(second)

    def _keep_summary(self, features, classes, summary):
        return self._keep_moments(features, classes, summary)
