"""What classifiers on some of the features share: a classifier inside that sees only these."""

import numpy as np
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from .. import _state as state
from .._data import SupportMixin, check_as_given, check_fitted, columns_of
from .._parameters import check_classifier, optional

__all__ = ["FeatureSubsetMixin", "scaled_logistic"]


def scaled_logistic(is_sparse):
    """Logistic regression on features of unit variance."""
    return make_pipeline(StandardScaler(with_mean=not is_sparse), LogisticRegression(max_iter=1000))


def _can(method):
    return available_if(lambda self: self.estimator is None or hasattr(self.estimator, method))


class FeatureSubsetMixin(SupportMixin, ClassifierMixin):
    """Parameter `estimator`, a classifier or None; `_keep` fits it to some of the columns."""

    _state = state.LABELLED | {
        "support_": state.mask("features", may_be_empty=False),
        "n_features_to_select_": state.count(1, "features"),
        "estimator_": state.estimator,
    }
    _checks = {"estimator": optional(check_classifier)}

    def predict(self, X):
        """Predict the class of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        return self._ask("predict", X)

    @_can("decision_function")
    def decision_function(self, X):
        """Score samples, if the classifier can.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Scores of the classifier.
        """
        return self._ask("decision_function", X)

    @_can("predict_proba")
    def predict_proba(self, X):
        """Probabilities of the classes, if the classifier has them.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        return self._ask("predict_proba", X)

    def _classifier(self, is_sparse):
        """Return the classifier inside, not fitted."""
        return scaled_logistic(is_sparse) if self.estimator is None else clone(self.estimator)

    def _inside(self):
        """Return all estimators that samples are given to."""
        return [self._classifier(is_sparse=True)]

    def _keep(self, data, columns):
        """Fit the classifier to the columns, which keep their order."""
        columns = np.sort(columns)
        model = self._classifier(issparse(data.X))

        self.estimator_ = model.fit(columns_of(data.X, columns), data.classes[data.codes])
        data.features.keep(self)
        self.classes_ = data.classes
        self.support_ = np.isin(np.arange(data.features.number), columns)
        self.n_features_to_select_ = int(columns.size)
        return self

    def _ask(self, method, X):
        check_fitted(self)
        X = check_as_given(self, X)
        return getattr(self.estimator_, method)(columns_of(X, np.flatnonzero(self.support_)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inside = [get_tags(each).input_tags for each in self._inside()]
        tags.input_tags.sparse = all(each.sparse for each in inside)
        tags.input_tags.allow_nan = all(each.allow_nan for each in inside)
        return tags
