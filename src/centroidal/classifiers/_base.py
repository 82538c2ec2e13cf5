"""What all classifiers share: one score a class decides everything."""

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin

from .._data import Features, check_fitted, row_by_row


def _class_labels(estimator):
    return estimator.classes_


def recipe_of(kind, estimator):
    """Return a named tuple of the parameters of an estimator, and defaults for those it lacks."""
    params = estimator.get_params(deep=False)
    return kind(**{name: params[name] for name in kind._fields if name in params})


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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class SolvedClassifier(ClassScoresMixin, BaseEstimator):
    """A classifier that keeps what was solved as `_solution`."""

    @property
    def _features(self):
        return Features.of(self)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_solution")


class SupportMixin(SelectorMixin):
    """Selects the features in `support_`, lazily of Dask collections."""

    @row_by_row(lambda model: model.get_feature_names_out())
    def transform(self, X):
        """Keep the selected features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        {ndarray, sparse matrix} of shape (n_samples, n_selected)
            The samples with the selected features only.
        """
        return super().transform(X)

    def _get_support_mask(self):
        check_fitted(self)
        return self.support_
