"""Classify and select features with class centers, for data with many features."""

from .classifiers import (
    FisherSubspace,
    FisherSubspaceClassifier,
    KernelFisherSubspaceClassifier,
    OnlineFisherSubspaceClassifier,
    SparseCenterClassifier,
)
from .model_selection import FisherSubspaceClassifierCV, SparseCenterClassifierCV

__all__ = [
    "FisherSubspace",
    "FisherSubspaceClassifier",
    "FisherSubspaceClassifierCV",
    "KernelFisherSubspaceClassifier",
    "OnlineFisherSubspaceClassifier",
    "SparseCenterClassifier",
    "SparseCenterClassifierCV",
]

__version__ = "0.1.0"
