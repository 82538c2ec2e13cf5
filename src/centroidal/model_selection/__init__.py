"""Many fits: paths over features, components or weights, the choice among them, comparison."""

from typing import TYPE_CHECKING

from .._lazy import load_lazily

if TYPE_CHECKING:
    from ._selection_methods import SELECTION_METHODS
    from .compare import ComparisonInterrupted, ComparisonRun, compare, iter_comparison
    from .comparison import Comparison, FoldResult
    from .comparison_lineup import comparison_lineup
    from .disjoint_centroid_cv import DisjointCentroidClassifierCV
    from .fisher_subspace_cv import FisherSubspaceClassifierCV
    from .random_features import RandomFeaturesClassifier
    from .ranked_features_cv import RankedFeaturesClassifierCV
    from .select_features import select_features
    from .selection import FeatureSelection
    from .selection_curve import SelectionCurve, selection_curve
    from .sparse_center_cv import SparseCenterClassifierCV
    from .stability import SelectionStability, StabilitySelector, selection_stability

__all__ = [
    "SELECTION_METHODS",
    "Comparison",
    "ComparisonInterrupted",
    "ComparisonRun",
    "DisjointCentroidClassifierCV",
    "FeatureSelection",
    "FisherSubspaceClassifierCV",
    "FoldResult",
    "RandomFeaturesClassifier",
    "RankedFeaturesClassifierCV",
    "SelectionCurve",
    "SelectionStability",
    "SparseCenterClassifierCV",
    "StabilitySelector",
    "compare",
    "comparison_lineup",
    "iter_comparison",
    "select_features",
    "selection_curve",
    "selection_stability",
]

load_lazily(
    __name__,
    {
        "_selection_methods": "SELECTION_METHODS",
        "compare": "ComparisonInterrupted ComparisonRun compare iter_comparison",
        "comparison": "Comparison FoldResult",
        "comparison_lineup": "comparison_lineup",
        "disjoint_centroid_cv": "DisjointCentroidClassifierCV",
        "fisher_subspace_cv": "FisherSubspaceClassifierCV",
        "random_features": "RandomFeaturesClassifier",
        "ranked_features_cv": "RankedFeaturesClassifierCV",
        "select_features": "select_features",
        "selection": "FeatureSelection",
        "selection_curve": "SelectionCurve selection_curve",
        "sparse_center_cv": "SparseCenterClassifierCV",
        "stability": "SelectionStability StabilitySelector selection_stability",
    },
)
