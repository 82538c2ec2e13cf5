"""Many fits: paths over features, components or weights, the choice among them, comparison."""

from .compare import (
    Comparison,
    ComparisonInterrupted,
    ComparisonRun,
    FoldResult,
    RandomFeaturesClassifier,
    compare,
    comparison_lineup,
    iter_comparison,
)
from .disjoint_centroid_cv import DisjointCentroidClassifierCV
from .fisher_subspace_cv import FisherSubspaceClassifierCV
from .selection_curve import SelectionCurve, selection_curve
from .sparse_center_cv import SparseCenterClassifierCV
from .stability import SelectionStability, StabilitySelector, selection_stability

__all__ = [
    "Comparison",
    "ComparisonInterrupted",
    "ComparisonRun",
    "DisjointCentroidClassifierCV",
    "FisherSubspaceClassifierCV",
    "FoldResult",
    "RandomFeaturesClassifier",
    "SelectionCurve",
    "SelectionStability",
    "SparseCenterClassifierCV",
    "StabilitySelector",
    "compare",
    "comparison_lineup",
    "iter_comparison",
    "selection_curve",
    "selection_stability",
]
