"""Pictures of fitted estimators; they read public fitted attributes only."""

from .component_path_display import ComponentPathDisplay
from .path_display import SparsityPathDisplay
from .subspace_display import SubspaceDisplay

__all__ = ["ComponentPathDisplay", "SparsityPathDisplay", "SubspaceDisplay"]
