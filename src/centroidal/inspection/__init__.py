"""Pictures of fitted estimators; they read public fitted attributes only."""

from .path_display import SparsityPathDisplay

__all__ = ["SparsityPathDisplay"]
