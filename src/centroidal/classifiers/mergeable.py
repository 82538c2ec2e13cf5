"""Classifiers that need no more of the samples than a summary, and summaries of parts merge."""

import numpy as np
from sklearn.utils.metaestimators import available_if

from .._data import (
    check_finite_summary,
    check_labelled,
    check_next_classes,
    check_same_features,
)
from ..statistics import class_moments


def finite_moments(estimator, X, codes, n_classes, weights=None):
    """Summarise checked samples by class; raise what is wrong with them if that is not finite."""
    moments = class_moments(X, codes, n_classes, weights, estimator.n_jobs)
    check_finite_summary(estimator, X, moments.means, moments.squares)
    return moments


def _merges(estimator):
    needed = estimator._needed_to_merge
    if needed is not None:
        raise AttributeError(f"partial_fit and merge need {needed}.")
    return True


class MergeableClassifier:
    """`partial_fit` and `merge`, for a `SolvedClassifier` that a summary of samples is enough for.

    Hooks: `_summary`, which is known after fitting and has a method `reindex`; `_summarise(data)`;
    `_merge_summaries(first, second)`; `_keep_summary(features, classes, summary)`; `_check_for`.
    """

    # What the parameters would have to be, if these do not merge.
    _needed_to_merge = None

    @available_if(_merges)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add samples to what was seen before.

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
    def merge(self, other):
        """Add what another fitted classifier saw.

        Parameters
        ----------
        other : classifier
            Of the same class, fitted on the same features; its labels may differ.

        Returns
        -------
        self
            Estimator of both parts, with the classes of either.
        """
        check_same_features(self, other)
        self._check_mergeable(other)
        classes = np.union1d(self.classes_, other.classes_)
        self._check_for(self.n_features_in_, classes.size)

        parts = (
            part._summary.reindex(np.searchsorted(classes, part.classes_), classes.size)
            for part in (self, other)
        )
        summary = self._merge_summaries(*parts)

        return self._keep_summary(self._features, classes, summary)

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
        return finite_moments(self, data.X, data.codes, data.classes.size, data.weights)

    def _merge_summaries(self, first, second):
        return first.merge(second)

    def _keep_summary(self, features, classes, summary):
        return self._keep_moments(features, classes, summary)
