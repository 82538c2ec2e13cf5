from . import classifiers, datasets, feature_selection, inspection, io, model_selection, report
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
from .feature_selection import (
    L21CentroidSelector,
    LinearCentroidEncoder,
    MarginSelector,
    ReliefFSelector,
    SparseCentroidEncoder,
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
    "classifiers",
    "datasets",
    "feature_selection",
    "inspection",
    "io",
    "model_selection",
    "report",
]
