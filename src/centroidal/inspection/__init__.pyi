from .comparison import ComparisonDisplay
from .curves import PathDisplay, SelectionCurveDisplay
from .features import FeatureGroupsDisplay, StabilityDisplay, SubspaceDisplay

__all__ = [
    "ComparisonDisplay",
    "FeatureGroupsDisplay",
    "PathDisplay",
    "SelectionCurveDisplay",
    "StabilityDisplay",
    "SubspaceDisplay",
]
