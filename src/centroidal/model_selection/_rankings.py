"""How any fitted selector ranks the features, read from what scikit-learn's conventions offer."""

import numpy as np
from scipy.sparse import issparse
from sklearn.pipeline import Pipeline

from ..solvers.ranking import rank_features

__all__ = ["importance_of", "last_step", "ranking_of"]

_WEIGHT_ERROR = 1e-9


def last_step(selector):
    """Return what ranks: the last step of a pipeline, or the selector itself."""
    while isinstance(selector, Pipeline):
        selector = selector.steps[-1][1]
    return selector


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
    are_weights = _vector(model, "scores_") is None and hasattr(model, "coef_")
    return rank_features(importance, _WEIGHT_ERROR * importance.max() if are_weights else None)


def _tie_breakers(ranker, ranks):
    """Small for features that matter to the last model, where all it was given rank first."""
    breakers = np.zeros(ranks.size)
    is_first = ranks == ranks.min()
    best_first = _rank_by_importance(last_step(getattr(ranker, "estimator_", None)))
    if best_first is not None and best_first.size == is_first.sum():
        breakers[is_first] = np.argsort(best_first)
    return breakers


def importance_of(model):
    """Higher for better features; None if the model does not say."""
    scores = _vector(model, "scores_")
    if scores is not None:
        return scores.astype(float)
    coef = getattr(model, "coef_", None)
    if coef is not None:
        coef = coef.toarray() if issparse(coef) else np.asarray(coef)
        return np.linalg.norm(np.atleast_2d(coef), axis=0)
    importances = _vector(model, "feature_importances_")
    return None if importances is None else importances.astype(float)


def _vector(model, name):
    """Attribute of one number a feature; other things of that name, as a search has, are not."""
    values = getattr(model, name, None)
    return values if isinstance(values, np.ndarray) and values.ndim == 1 else None
