"""Pictures of fitted estimators; they read public fitted attributes only."""

from .baseline_path_display import BaselinePathDisplay
from .component_path_display import ComponentPathDisplay
from .feature_groups_display import FeatureGroupsDisplay
from .path_display import SparsityPathDisplay
from .selection_curve_display import SelectionCurveDisplay
from .subspace_display import SubspaceDisplay

__all__ = [
    "BaselinePathDisplay",
    "ComponentPathDisplay",
    "FeatureGroupsDisplay",
    "SelectionCurveDisplay",
    "SparsityPathDisplay",
    "SubspaceDisplay",
]
