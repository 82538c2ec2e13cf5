"""Many fits: the path over the number of features and its choice by cross-validation."""

from .sparse_center_cv import SparseCenterClassifierCV

__all__ = ["SparseCenterClassifierCV"]
