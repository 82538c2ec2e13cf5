from .curves import ComparisonDisplay, PathDisplay, SelectionCurveDisplay
from .features import FeatureGroupsDisplay, StabilityDisplay, SubspaceDisplay

__all__ = [
    "ComparisonDisplay",
    "FeatureGroupsDisplay",
    "PathDisplay",
    "SelectionCurveDisplay",
    "StabilityDisplay",
    "SubspaceDisplay",
]
