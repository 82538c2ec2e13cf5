"""Classifiers in scikit-learn's manner."""

from .fisher_subspace import FisherSubspaceClassifier
from .sparse_center import SparseCenterClassifier

__all__ = ["FisherSubspaceClassifier", "SparseCenterClassifier"]
