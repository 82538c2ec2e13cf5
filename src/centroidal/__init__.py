"""Classify and select features with class centers, for data with many features."""

from .classifiers import (
    DecisionDAGClassifier,
    DisjointCentroidClassifier,
    FisherSubspace,
    FisherSubspaceClassifier,
    KernelFisherSubspaceClassifier,
    MixtureFisherClassifier,
    OnlineFisherSubspaceClassifier,
    SparseCenterClassifier,
)
from .encoders import SparseCentroidEncoder
from .feature_selection import (
    L21CentroidSelector,
    LinearCentroidEncoder,
    MarginSelector,
    ReliefFSelector,
)
from .model_selection import (
    DisjointCentroidClassifierCV,
    FisherSubspaceClassifierCV,
    SparseCenterClassifierCV,
    StabilitySelector,
)

__all__ = [
    "DecisionDAGClassifier",
    "DisjointCentroidClassifier",
    "DisjointCentroidClassifierCV",
    "FisherSubspace",
    "FisherSubspaceClassifier",
    "FisherSubspaceClassifierCV",
    "KernelFisherSubspaceClassifier",
    "L21CentroidSelector",
    "LinearCentroidEncoder",
    "MarginSelector",
    "MixtureFisherClassifier",
    "OnlineFisherSubspaceClassifier",
    "ReliefFSelector",
    "SparseCenterClassifier",
    "SparseCenterClassifierCV",
    "SparseCentroidEncoder",
    "StabilitySelector",
]

__version__ = "0.1.0"
