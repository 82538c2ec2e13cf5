"""Missing values are filled in inside the folds, as the first step of each model."""

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from .._parameters import check_choice

__all__ = ["check_imputer", "with_imputer"]

_STRATEGIES = ("mean", "median", "most_frequent")


def check_imputer(impute):
    """Return the imputer that is asked for by name or given; None if there is none."""
    if impute is None:
        return None
    if isinstance(impute, str):
        check_choice("impute", impute, _STRATEGIES)
        # A feature without any value in a training part stays, so that columns keep their place.
        from sklearn.impute import SimpleImputer

        return SimpleImputer(strategy=impute, keep_empty_features=True)
    if isinstance(impute, type) or not (hasattr(impute, "fit") and hasattr(impute, "transform")):
        raise TypeError(
            f"impute={impute!r} must be one of {', '.join(_STRATEGIES)}, a transformer or None."
        )
    return impute


def with_imputer(estimator, imputer):
    """Return the estimator with an imputer of its own in front of it."""
    if imputer is None:
        return estimator
    return Pipeline([("impute", clone(imputer)), ("model", estimator)])
