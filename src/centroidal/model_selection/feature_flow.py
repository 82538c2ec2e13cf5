"""Which features a fitted model uses, and how it ranks them.

One walker follows features through the steps of a pipeline; what a single step does is read from
what scikit-learn's conventions offer.
"""

import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.pipeline import Pipeline

from ..classifiers import ConformalClassifier, CostSensitiveClassifier
from ..solvers.ranking import WEIGHT_ROUNDING, rank_features

# Steps that make each column of that column alone. Others may mix them, as a norm of rows does.
_COLUMN_BY_COLUMN = {
    "SimpleImputer", "StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler",
    "PowerTransformer", "QuantileTransformer",
}  # fmt: skip


# ------------------------------------------------------------------ through the steps


def steps_of(model):
    """List what is applied one after the other, without the wraps of pipelines and searches."""
    model = getattr(model, "best_estimator_", model)
    if not isinstance(model, Pipeline):
        return [model]
    real = (step for _, step in model.steps if step is not None and step != "passthrough")
    return [part for step in real for part in steps_of(step)]


def last_step(model):
    """Return what decides: the last step of a pipeline, or the model itself."""
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    return model


def split_conformal(model):
    """Return what comes before the classifier that knows when not to call, and it.

    Either is None if there is none.
    """
    before = model[:-1] if isinstance(model, Pipeline) and len(model.steps) > 1 else None
    last = last_step(model)
    if isinstance(last, CostSensitiveClassifier):
        last = getattr(last, "estimator_", None)
    return before, last if isinstance(last, ConformalClassifier) else None


def follow_features(steps, n_features, *, keeps_all=lambda step: False):
    """Follow features through fitted transformers and selectors that keep or drop them.

    `keeps_all` tells of a step that may mix features whether to take it for one that keeps them.
    Returns the columns that are still there, each by itself, and the steps from the first on that
    may mix them, none if there is none.
    """
    columns = np.arange(n_features)
    for number, step in enumerate(steps):
        kept = _positions_kept(step, columns.size)
        if kept is None and not keeps_all(step):
            return columns, steps[number:]
        columns = columns if kept is None else columns[kept]
    return columns, []


def _positions_kept(step, n_features):
    """Positions of the features that a step hands on, each by itself; None if it may mix them."""
    if hasattr(step, "get_support"):
        return None if _selects_mixtures(step) else step.get_support(indices=True)
    kinds = {kind.__name__ for kind in type(step).__mro__ if kind.__module__.startswith("sklearn.")}
    is_elementwise = "FunctionTransformer" in kinds and isinstance(step.func, np.ufunc)
    if kinds.isdisjoint(_COLUMN_BY_COLUMN) and not is_elementwise:
        return None
    if is_elementwise:
        return np.arange(n_features)
    names = getattr(step, "feature_names_in_", [f"x{j}" for j in range(n_features)])
    position = {name: j for j, name in enumerate(names)}
    kept = [position.get(name) for name in step.get_feature_names_out()]
    return None if None in kept else np.array(kept, dtype=int)


def _selects_mixtures(model):
    return getattr(model, "metric", None) == "mahalanobis"


# ------------------------------------------------------------------ which are used


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
    *before, last = steps_of(model) or [None]
    columns, rest = follow_features(before, n_features, keeps_all=_weighs_words)
    if not rest:
        used = mask_of(last, columns.size)
        if used is None and columns.size == n_features:
            return None
        columns = columns if used is None else columns[used]
    return np.isin(np.arange(n_features), columns)


def _weighs_words(step):
    # Other words of a document only change its length, by which all weights are divided.
    return type(step).__name__ == "WordWeights"


def mask_of(model, n_features):
    """Mask of the features that a single fitted model looks at; None if it does not say."""
    if hasattr(model, "get_support"):
        return None if _selects_mixtures(model) else np.asarray(model.get_support(), dtype=bool)
    if hasattr(model, "feature_importances_"):
        return np.asarray(model.feature_importances_) != 0
    if hasattr(model, "coef_"):
        return (_coefficients(model) != 0).any(axis=0)
    if type(model).__name__ == "NearestCentroid":
        return np.ptp(model.centroids_, axis=0) > 0
    if type(model).__name__ == "OneVsRestClassifier":
        masks = [used_mask(each, n_features) for each in model.estimators_]
        return None if any(mask is None for mask in masks) else np.any(masks, axis=0)
    return None


# ------------------------------------------------------------------ how they are ranked


def ranking_of(selector, n_features):
    """All features from the best to the worst, by what a fitted selector says about them."""
    ranker = last_step(selector)
    name = type(ranker).__name__
    ranking = _ranking_by_attribute(ranker)
    if ranking is None:
        raise TypeError(
            f"selector={name} must rank the features: after fit it has none of feature_ranking_, "
            "ranking_, scores_, coef_ and feature_importances_."
        )
    if ranking.size != n_features:
        raise ValueError(
            f"selector={name} ranks {ranking.size} features, but X has {n_features}; in a pipeline "
            "the steps before the last one must keep all features."
        )
    if not np.array_equal(np.sort(ranking), np.arange(n_features)):
        raise ValueError(f"feature_ranking_ of selector={name} must hold each column once.")
    return ranking


def _ranking_by_attribute(ranker):
    ranking = _vector(ranker, "feature_ranking_")
    if ranking is not None:
        return ranking
    ranks = _vector(ranker, "ranking_")
    if ranks is not None:
        return np.lexsort([_tie_breakers(ranker, ranks), ranks])
    return _rank_by_importance(ranker)


def _rank_by_importance(model):
    importance = importance_of(model)
    if importance is None:
        return None
    # Weights solve equations together: the error of each is a share of the largest of them.
    are_weights = _vector(last_step(model), "scores_") is None
    return rank_features(importance, WEIGHT_ROUNDING * importance.max() if are_weights else None)


def _tie_breakers(ranker, ranks):
    """Small for features that matter to the last model, where all it was given rank first."""
    breakers = np.zeros(ranks.size)
    is_first = ranks == ranks.min()
    best_first = _rank_by_importance(getattr(ranker, "estimator_", None))
    if best_first is not None and best_first.size == is_first.sum():
        breakers[is_first] = np.argsort(best_first)
    return breakers


def importance_of(model):
    """Higher for better features; None if neither the model nor the one inside it says."""
    model = last_step(model)
    for name in ("scores_", "feature_gains_"):
        scores = _vector(model, name)
        if scores is not None:
            return scores.astype(float)
    if getattr(model, "coef_", None) is not None:
        return np.linalg.norm(_coefficients(model), axis=0)
    importances = _vector(model, "feature_importances_")
    if importances is not None:
        return importances.astype(float)
    inside = getattr(model, "estimator_", None)
    return None if inside is None else importance_of(inside)


def _coefficients(model):
    coef = model.coef_.toarray() if issparse(model.coef_) else np.asarray(model.coef_)
    return np.atleast_2d(coef)


def _vector(model, name):
    """Attribute of one number a feature; other things of that name, as a search has, are not."""
    values = getattr(model, name, None)
    return values if isinstance(values, np.ndarray) and values.ndim == 1 else None
