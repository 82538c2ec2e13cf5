"""scikit-learn classifiers, and the subspace they work in."""

from .fisher_space import FisherSubspace
from .fisher_subspace import FisherSubspaceClassifier
from .kernel_fisher_subspace import KernelFisherSubspaceClassifier
from .online_fisher_subspace import OnlineFisherSubspaceClassifier
from .sparse_center import SparseCenterClassifier

__all__ = [
    "FisherSubspace",
    "FisherSubspaceClassifier",
    "KernelFisherSubspaceClassifier",
    "OnlineFisherSubspaceClassifier",
    "SparseCenterClassifier",
]
