"""Decisions of the least expected cost, by any classifier that has probabilities."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from .. import _state as state
from .._data import Features, available_if, check_as_given, check_fitted, check_labels
from .._model_html import ModelPipeline
from .._parameters import check_classifier, check_costs, check_parameters, check_probabilities
from .._typing import Array, ArrayLike, ClassWeight, Costs, Estimator, Floats
from ..solvers.costs import expected_costs
from ._base import DecisionMixin

__all__ = ["CostSensitiveClassifier"]


def _selects(model):
    return hasattr(getattr(model, "estimator_", model.estimator), "get_support")


class CostSensitiveClassifier(MetaEstimatorMixin, DecisionMixin, BaseEstimator):
    r"""Classifier that predicts what costs least, given the probabilities of another one.

    A sample goes to the class j of the least expected cost, :math:`\sum_i p_i C_{ij}`, where
    :math:`p_i` is the probability of class i and :math:`C_{ij}` what it costs to predict j if i is
    true (:cite:t:`Elkan2001`).

    Parameters
    ----------
    estimator : classifier
        Any classifier with ``predict_proba``; it is cloned.
    costs : array-like of shape (n_classes, n_classes), dict or None, default=None
        What each prediction costs, true classes in rows, both in sorted order; or a dict of dicts,
        ``costs[true][predicted]``, in which what is right costs 0 if nothing is said. None is a
        cost of 1 for each error.
    class_weight : {"balanced"}, dict or None, default=None
        In place of costs, what every error of a class costs, by its label, 1 for those that are not
        named. "balanced" weighs a class by the number of samples over its own, over the number of
        classes.

    Attributes
    ----------
    estimator_ : classifier
        The classifier, fitted.
    costs_ : ndarray of shape (n_classes, n_classes)
        The costs in use, true classes in rows.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    centroidal.model_selection.select_features : Takes costs for the number of features, too.

    Notes
    -----
    Fitting knows nothing of the costs. They are as good as the probabilities: where these are too
    sure, calibrate them first, as by scikit-learn's ``CalibratedClassifierCV``.

    Examples
    --------
    >>> from centroidal import CostSensitiveClassifier, SparseCenterClassifier
    >>> from centroidal.datasets import load_expression
    >>> X, y = load_expression(return_X_y=True)
    >>> plain = SparseCenterClassifier(3)
    >>> careful = CostSensitiveClassifier(plain, class_weight={2: 50}).fit(X, y)
    >>> bool((careful.predict(X) == 2).sum() > (plain.fit(X, y).predict(X) == 2).sum())
    True
    """

    estimator_: Any
    costs_: Floats

    _state = state.LABELLED | {
        "estimator_": state.estimator,
        "costs_": state.floats("classes", "classes", least=0.0),
    }

    _checks = {"estimator": check_probabilities}

    def __init__(
        self, estimator: Estimator, *, costs: Costs = None, class_weight: ClassWeight = None
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.class_weight = class_weight

    @classmethod
    def of_fitted(cls, model: Any, costs: ArrayLike) -> Self:
        """Return what decides by costs with a fitted model; of a pipeline its last step does."""
        if isinstance(model, Pipeline):
            (name, last), *before = reversed(model.steps)
            steps = [*reversed(before), (name, cls.of_fitted(last, costs))]
            return ModelPipeline(steps)
        found = cls(clone(model), costs=costs)
        return found._keep(model, Features.of(model), model.classes_, costs)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, for estimators that take them.
        """
        check_parameters(self)
        check_classifier("estimator", self.estimator, sample_weight)
        data = check_labels(self, X, y, sample_weight)
        costs = check_costs(self.costs, self.class_weight, data.classes, np.bincount(data.codes))
        if costs is None:
            costs = 1.0 - np.eye(data.classes.size)
        weights = {} if sample_weight is None else {"sample_weight": data.weights}
        model = clone(self.estimator).fit(data.X, data.classes[data.codes], **weights)
        return self._keep(model, data.features, data.classes, costs)

    def _keep(self, model, features, classes, costs):
        features.keep(self)
        self.estimator_ = model
        self.classes_ = classes
        self.costs_ = costs
        return self

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the probabilities of the classes, which do not depend on the costs.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        check_fitted(self)
        return self.estimator_.predict_proba(check_as_given(self, X))

    @available_if(_selects)
    def get_support(self, indices: bool = False) -> Array:
        """Say which features the classifier inside has selected, if it does."""
        return self.estimator_.get_support(indices)

    def _class_scores(self, X):
        return -expected_costs(self.predict_proba(X), self.costs_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags
