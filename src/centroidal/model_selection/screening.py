"""Fewer features for methods that take long, or all samples: those that l2 centers rank first."""

from scipy.sparse import issparse
from sklearn.base import clone

from .._model_html import ModelPipeline
from ..classifiers import CostSensitiveClassifier
from .methods import METHODS, DataKind


def screener_of(n_features, X):
    """Return what keeps so many features of such samples, or all if there are fewer; not fitted."""
    shape = getattr(X, "shape", None) or (len(X), len(X[0]))
    estimator = METHODS["l2"].build(DataKind(shape[1], is_sparse=issparse(X))).estimator
    return clone(estimator).set_params(n_features_to_select=min(n_features, shape[1]))


def put_in_front(screener, model):
    """Return a model that takes all features: the screener in place of that of some of them."""
    if isinstance(model, CostSensitiveClassifier):
        inner = put_in_front(screener, model.estimator_)
        return CostSensitiveClassifier.of_fitted(inner, model.costs_)
    (name, _), *others = model.steps
    return ModelPipeline([(name, screener), *others])
