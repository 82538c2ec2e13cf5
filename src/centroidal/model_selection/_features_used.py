"""Which features a fitted model looks at, read from what scikit-learn's conventions offer."""

import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.impute import SimpleImputer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

__all__ = ["kept_by", "used_features", "used_mask"]

# Steps that make each column of that column alone. Others may mix them, as a norm of rows does.
_COLUMN_BY_COLUMN = (
    SimpleImputer, StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, PowerTransformer,
    QuantileTransformer,
)  # fmt: skip


def used_features(model, n_features):
    """Return number of features used and which; None for what is not known, or if it is all."""
    try:
        used = used_mask(model, n_features)
    except Exception as error:  # a score is not thrown away because of it
        warnings.warn(f"features were not read, {type(error).__name__}: {error}", stacklevel=2)
        used = None
    if used is None or used.size != n_features:
        return None, None
    columns = np.flatnonzero(used)
    return columns.size, columns if columns.size < n_features else None


def used_mask(model, n_features):
    """Mask of the features that a fitted model looks at; None if it does not say."""
    if isinstance(model, Pipeline):
        return _used_by_steps([step for _, step in model.steps], n_features)
    if hasattr(model, "get_support"):
        return None if _selects_mixtures(model) else np.asarray(model.get_support())
    if hasattr(model, "best_estimator_"):
        return used_mask(model.best_estimator_, n_features)
    if hasattr(model, "feature_importances_"):
        return np.asarray(model.feature_importances_) != 0
    if hasattr(model, "coef_"):
        coef = model.coef_.toarray() if issparse(model.coef_) else np.asarray(model.coef_)
        return (np.atleast_2d(coef) != 0).any(axis=0)
    if isinstance(model, NearestCentroid):
        return np.ptp(model.centroids_, axis=0) > 0
    if isinstance(model, OneVsRestClassifier):
        masks = [used_mask(each, n_features) for each in model.estimators_]
        return None if any(mask is None for mask in masks) else np.any(masks, axis=0)
    return None


def _used_by_steps(steps, n_features):
    """Follow features through steps that keep or drop them, to the last one or one that mixes."""
    columns = np.arange(n_features)
    for step in steps[:-1]:
        kept = kept_by(step, columns.size)
        if kept is None:
            break
        columns = columns[kept]
    else:
        last = used_mask(steps[-1], columns.size)
        if last is None and columns.size == n_features:
            return None
        columns = columns if last is None else columns[last]
    return np.isin(np.arange(n_features), columns)


def kept_by(step, n_features):
    """Positions of the features that a step hands on, each by itself; None if it may mix them."""
    if step is None or step == "passthrough":
        return np.arange(n_features)
    if hasattr(step, "get_support"):
        return None if _selects_mixtures(step) else step.get_support(indices=True)
    if not isinstance(step, _COLUMN_BY_COLUMN):
        return None
    names = getattr(step, "feature_names_in_", [f"x{j}" for j in range(n_features)])
    position = {name: j for j, name in enumerate(names)}
    kept = [position.get(name) for name in step.get_feature_names_out()]
    return None if None in kept else np.array(kept, dtype=int)


def _selects_mixtures(model):
    return getattr(model, "metric", None) == "mahalanobis"
