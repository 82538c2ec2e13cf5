"""What all classifiers share: one score a class decides everything."""

from functools import partial, wraps

import numpy as np
from scipy.special import log_softmax
from sklearn.base import ClassifierMixin

from .._data import check_fitted, is_dask, lazily_by_rows

__all__ = ["ClassScoresMixin", "row_by_row"]


def row_by_row(columns):
    """Make a method that takes each sample by itself lazy for Dask collections.

    `columns` tells of an estimator how the columns of a data frame are named.
    """

    def decorate(method):
        @wraps(method)
        def of_rows(self, X):
            if not is_dask(X):
                return method(self, X)
            check_fitted(self)
            apply = partial(_call_method, self, method.__name__)
            return lazily_by_rows(apply, X, partial(columns, self))

        return of_rows

    return decorate


def _call_method(estimator, name, X):
    # By name: what is sent to the workers is the estimator, not a function of a class.
    return getattr(estimator, name)(X)


def _class_labels(estimator):
    return estimator.classes_


class ClassScoresMixin(ClassifierMixin):
    """Decisions and probabilities from `_class_scores(X)`, an (n_samples, n_classes) array.

    The hook `_score_unit` is what a score is divided by to become the logarithm of a joint
    probability, up to a term that all classes of a sample share.
    """

    @row_by_row(_class_labels)
    def decision_function(self, X):
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
        scores = self._class_scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @row_by_row(_class_labels)
    def predict(self, X):
        """Predict the class of the highest score; the first of `classes_` if several are equal.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        scores = self._class_scores(X)
        return self.classes_[scores.argmax(axis=1)]

    @row_by_row(_class_labels)
    def predict_proba(self, X):
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
        scores = self._class_scores(X)
        probabilities = np.exp(self._log_probabilities(scores))
        # Scores that differ by less than a probability can show still decide.
        winners = scores.argmax(axis=1)
        tied = np.flatnonzero(probabilities.argmax(axis=1) != winners)
        probabilities[tied, winners[tied]] = np.nextafter(probabilities[tied].max(axis=1), 2.0)
        return probabilities

    @row_by_row(_class_labels)
    def predict_log_proba(self, X):
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
        return self._log_probabilities(self._class_scores(X))

    def _log_probabilities(self, scores):
        behind = scores - scores.max(axis=1, keepdims=True)
        # Without any spread inside the classes the best score is certain.
        with np.errstate(over="ignore"):
            return log_softmax(behind / max(self._score_unit, np.finfo(float).tiny), axis=1)
