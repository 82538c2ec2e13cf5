from .comparison_display import ComparisonDisplay
from .feature_groups_display import FeatureGroupsDisplay
from .path_display import PathDisplay
from .selection_curve_display import SelectionCurveDisplay
from .stability_display import StabilityDisplay
from .subspace_display import SubspaceDisplay

__all__ = [
    "ComparisonDisplay",
    "FeatureGroupsDisplay",
    "PathDisplay",
    "SelectionCurveDisplay",
    "StabilityDisplay",
    "SubspaceDisplay",
]
