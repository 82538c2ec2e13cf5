"""Classifiers on some of the features; on random ones, which every selection has to beat."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state, get_tags

from .. import _state as state
from .._data import (
    SupportMixin,
    available_if,
    check_as_given,
    check_fitted,
    check_labels,
    columns_of,
)
from .._parameters import (
    check_classifier,
    check_n_features_to_select,
    check_parameters,
    optional,
)
from .._typing import Array, ArrayLike, Decorated, Estimator, Floats, NFeatures, RandomState
from .feature_flow import used_mask

__all__ = ["FeatureSubsetMixin", "RandomFeaturesClassifier", "scaled_logistic"]


def scaled_logistic(is_sparse):
    """Logistic regression on features of unit variance."""
    return make_pipeline(StandardScaler(with_mean=not is_sparse), LogisticRegression(max_iter=1000))


def _can(method: str) -> Callable[[Decorated], Decorated]:
    def can(self):
        given = self.estimator if isinstance(self.estimator, list) else [self.estimator]
        return all(each is None or hasattr(each, method) for each in given)

    return available_if(can)


class FeatureSubsetMixin(SupportMixin, ClassifierMixin):
    """Parameter `estimator`, a classifier or None; `_keep` fits it to some of the columns."""

    n_features_to_select_: int
    estimator_: Any

    _state = state.LABELLED | {
        "support_": state.mask("features", may_be_empty=False),
        "n_features_to_select_": state.count(1, "features"),
        "estimator_": state.estimator,
    }
    _checks = {"estimator": optional(check_classifier)}

    def predict(self, X: ArrayLike) -> Array:
        """Predict the class of samples, with all features, by the classifier inside."""
        return self._ask("predict", X)

    @_can("decision_function")
    def decision_function(self, X: ArrayLike) -> Floats:
        """Score samples by the classifier inside, if it can."""
        return self._ask("decision_function", X)

    @_can("predict_proba")
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Probabilities of the classes by the classifier inside, if it has them."""
        return self._ask("predict_proba", X)

    def _classifiers(self, is_sparse):
        """Return the classifiers that may be inside, not fitted."""
        if self.estimator is None:
            return [scaled_logistic(is_sparse)]
        several = isinstance(self.estimator, list)
        return [clone(each) for each in (self.estimator if several else [self.estimator])]

    def _inside(self):
        """Return all estimators that samples are given to."""
        return self._classifiers(is_sparse=True)

    def _keep(self, data, columns, model):
        """Fit a classifier to the columns, which keep their order."""
        columns = np.sort(columns)
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


class RandomFeaturesClassifier(FeatureSubsetMixin, BaseEstimator):
    """A classifier on features that are drawn at random: what a selection has to beat.

    Parameters
    ----------
    reference : int, float, None or estimator, default=None
        How many features: a number, a fraction, None for all, or as many as this estimator selects
        from the training samples. It is fitted to find the number and then forgotten.
    estimator : classifier or None, default=None
        What is fitted to them; None is logistic regression on features of unit variance.
    random_state : int, RandomState or None, default=None
        Seed or source of the features.

    Attributes
    ----------
    estimator_ : classifier
        The classifier, fitted to the features.
    support_ : ndarray of bool, shape (n_features,)
        Mask of the features, of which there are `n_features_to_select_`.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    compare : Compares classifiers, with this one among them.

    Examples
    --------
    >>> from centroidal import SparseCenterClassifierCV
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.model_selection import RandomFeaturesClassifier
    >>> X, y = load_expression(return_X_y=True)
    >>> sparse = SparseCenterClassifierCV(scale="within").fit(X, y)
    >>> at_random = RandomFeaturesClassifier(sparse, random_state=0).fit(X, y)
    >>> at_random.n_features_to_select_ == sparse.n_features_to_select_
    True
    """

    def __init__(
        self,
        reference: Estimator | NFeatures = None,
        *,
        estimator: Estimator | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.reference = reference
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Draw features and fit the classifier to them.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.

        Returns
        -------
        self
            Fitted estimator.
        """
        check_parameters(self)
        rng = check_random_state(self.random_state)
        data = check_labels(self, X, y)
        number = self._number_of_features(data)

        (model,) = self._classifiers(issparse(data.X))
        return self._keep(data, rng.permutation(data.features.number)[:number], model)

    def _number_of_features(self, data):
        n_features = data.features.number
        if not self._has_reference:
            return check_n_features_to_select(self.reference, n_features)
        reference = clone(self.reference).fit(data.X, data.classes[data.codes])
        used = used_mask(reference, n_features)
        if used is None:
            raise TypeError(
                f"reference={self.reference!r} must say which features it uses, as by get_support."
            )
        return max(1, int(used.sum()))

    @property
    def _has_reference(self):
        return hasattr(self.reference, "fit") and not isinstance(self.reference, type)

    def _inside(self):
        return super()._inside() + ([self.reference] if self._has_reference else [])
