"""Summaries of labelled data: arrays in, small arrays out; no estimator is known here."""

from ._threads import map_blocks
from .class_medians import ClassMedians, class_medians, median_deviations
from .class_moments import ClassMoments, class_moments
from .within_covariance import WithinCovariance, within_covariance

__all__ = [
    "ClassMedians",
    "ClassMoments",
    "WithinCovariance",
    "class_medians",
    "class_moments",
    "map_blocks",
    "median_deviations",
    "within_covariance",
]
