from .baseline_path_display import BaselinePathDisplay
from .comparison_display import ComparisonDisplay
from .component_path_display import ComponentPathDisplay
from .feature_groups_display import FeatureGroupsDisplay
from .path_display import SparsityPathDisplay
from .selection_curve_display import SelectionCurveDisplay
from .stability_display import StabilityDisplay
from .subspace_display import SubspaceDisplay

__all__ = [
    "BaselinePathDisplay",
    "ComparisonDisplay",
    "ComponentPathDisplay",
    "FeatureGroupsDisplay",
    "SelectionCurveDisplay",
    "SparsityPathDisplay",
    "StabilityDisplay",
    "SubspaceDisplay",
]
