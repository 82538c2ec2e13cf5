"""Selectors that are not classifiers themselves."""

from ..solvers.elbow import elbow
from .l21_centroid import L21CentroidSelector
from .linear_centroid_encoder import LinearCentroidEncoder
from .margin import MarginSelector
from .relieff import ReliefFSelector

__all__ = [
    "L21CentroidSelector",
    "LinearCentroidEncoder",
    "MarginSelector",
    "ReliefFSelector",
    "elbow",
]
