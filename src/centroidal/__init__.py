"""Classify and select features with class centers, for data with many features."""

from .classifiers import FisherSubspaceClassifier, SparseCenterClassifier
from .model_selection import SparseCenterClassifierCV

__all__ = ["FisherSubspaceClassifier", "SparseCenterClassifier", "SparseCenterClassifierCV"]

__version__ = "0.1.0"
