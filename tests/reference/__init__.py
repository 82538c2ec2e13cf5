"""Slow and obvious twins of what the library computes: loops, exact fractions, enumeration."""

from .centers import best_subsets, center_pairs, objective
from .covariance import pooled_covariance, residuals
from .medians import class_medians, median_deviations, weighted_median
from .moments import class_moments
from .predictions import distances, nearest, signed_difference
from .ranking import rank_features

__all__ = [
    "best_subsets",
    "center_pairs",
    "class_medians",
    "class_moments",
    "distances",
    "median_deviations",
    "nearest",
    "objective",
    "pooled_covariance",
    "rank_features",
    "residuals",
    "signed_difference",
    "weighted_median",
]
