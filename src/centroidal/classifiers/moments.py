"""What classifiers share that need no more of the samples than class moments."""

from .._data import check_finite_summary
from ..statistics import class_moments

__all__ = ["finite_moments"]


def finite_moments(estimator, X, codes, n_classes, weights=None):
    """Summarise checked samples by class; raise what is wrong with them if that is not finite."""
    moments = class_moments(X, codes, n_classes, weights, estimator.n_jobs)
    check_finite_summary(estimator, X, moments.means, moments.squares)
    return moments
