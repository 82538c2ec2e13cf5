from .conformal import ConformalClassifier
from .cost_sensitive import CostSensitiveClassifier
from .decision_dag import DecisionDAGClassifier
from .disjoint_centroid import DisjointCentroidClassifier
from .disjoint_objective import disjoint_objective
from .fisher_subspace import FisherSubspace
from .fisher_subspace_classifier import FisherSubspaceClassifier
from .kernel_fisher_subspace import KernelFisherSubspaceClassifier
from .mixture_fisher import MixtureFisherClassifier
from .online_fisher_subspace import OnlineFisherSubspaceClassifier
from .sparse_center import SparseCenterClassifier
from .whitened_center import WhitenedCenterClassifier

__all__ = [
    "ConformalClassifier",
    "CostSensitiveClassifier",
    "DecisionDAGClassifier",
    "DisjointCentroidClassifier",
    "FisherSubspace",
    "FisherSubspaceClassifier",
    "KernelFisherSubspaceClassifier",
    "MixtureFisherClassifier",
    "OnlineFisherSubspaceClassifier",
    "SparseCenterClassifier",
    "WhitenedCenterClassifier",
    "disjoint_objective",
]
