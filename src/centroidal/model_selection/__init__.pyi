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
