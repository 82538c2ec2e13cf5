"""Many fits: paths over features, components or weights, and the choice among them."""

from .disjoint_centroid_cv import DisjointCentroidClassifierCV
from .fisher_subspace_cv import FisherSubspaceClassifierCV
from .selection_curve import SelectionCurve, selection_curve
from .sparse_center_cv import SparseCenterClassifierCV

__all__ = [
    "DisjointCentroidClassifierCV",
    "FisherSubspaceClassifierCV",
    "SelectionCurve",
    "SparseCenterClassifierCV",
    "selection_curve",
]
