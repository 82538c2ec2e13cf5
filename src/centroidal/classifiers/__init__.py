"""scikit-learn classifiers, and the subspace they work in."""

from typing import TYPE_CHECKING

from .._lazy import load_lazily

if TYPE_CHECKING:
    from .decision_dag import DecisionDAGClassifier
    from .disjoint_centroid import DisjointCentroidClassifier
    from .fisher_space import FisherSubspace
    from .fisher_subspace import FisherSubspaceClassifier
    from .kernel_fisher_subspace import KernelFisherSubspaceClassifier
    from .mixture_fisher import MixtureFisherClassifier
    from .online_fisher_subspace import OnlineFisherSubspaceClassifier
    from .sparse_center import SparseCenterClassifier

__all__ = [
    "DecisionDAGClassifier",
    "DisjointCentroidClassifier",
    "FisherSubspace",
    "FisherSubspaceClassifier",
    "KernelFisherSubspaceClassifier",
    "MixtureFisherClassifier",
    "OnlineFisherSubspaceClassifier",
    "SparseCenterClassifier",
]

load_lazily(
    __name__,
    {
        "decision_dag": "DecisionDAGClassifier",
        "disjoint_centroid": "DisjointCentroidClassifier",
        "fisher_space": "FisherSubspace",
        "fisher_subspace": "FisherSubspaceClassifier",
        "kernel_fisher_subspace": "KernelFisherSubspaceClassifier",
        "mixture_fisher": "MixtureFisherClassifier",
        "online_fisher_subspace": "OnlineFisherSubspaceClassifier",
        "sparse_center": "SparseCenterClassifier",
    },
)
