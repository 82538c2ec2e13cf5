"""scikit-learn classifiers."""

from .sparse_center import SparseCenterClassifier

__all__ = ["SparseCenterClassifier"]
