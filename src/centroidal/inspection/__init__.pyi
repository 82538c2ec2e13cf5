from .bands import BandsDisplay
from .curves import ComparisonDisplay, PathDisplay, SelectionCurveDisplay
from .features import FeatureGroupsDisplay, StabilityDisplay, SubspaceDisplay

__all__ = [
    "BandsDisplay",
    "ComparisonDisplay",
    "FeatureGroupsDisplay",
    "PathDisplay",
    "SelectionCurveDisplay",
    "StabilityDisplay",
    "SubspaceDisplay",
]
