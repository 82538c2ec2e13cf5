from .audit import learning_curve, permutation_test
from .compare import ComparisonInterrupted, ComparisonRun, compare, iter_comparison
from .comparison import Comparison, FoldResult
from .curve import SelectionCurve, selection_curve
from .disjoint_centroid_cv import DisjointCentroidClassifierCV
from .federated import SiteCounts, SiteSummary, select_federated
from .fisher_subspace_cv import FisherSubspaceClassifierCV
from .learning import LearningCurve
from .lineup import comparison_lineup
from .methods import METHODS, Method, register_method
from .permutation import PermutationTest
from .random_features import RandomFeaturesClassifier
from .ranked_features_cv import RankedFeaturesClassifierCV
from .select import select_features
from .selection import FeatureSelection
from .sparse_center_cv import SparseCenterClassifierCV
from .stability import SelectionStability, StabilitySelector, selection_stability
from .whitened_center_cv import WhitenedCenterClassifierCV

__all__ = [
    "METHODS",
    "Comparison",
    "ComparisonInterrupted",
    "ComparisonRun",
    "DisjointCentroidClassifierCV",
    "FeatureSelection",
    "FisherSubspaceClassifierCV",
    "FoldResult",
    "LearningCurve",
    "Method",
    "PermutationTest",
    "RandomFeaturesClassifier",
    "RankedFeaturesClassifierCV",
    "SelectionCurve",
    "SelectionStability",
    "SiteCounts",
    "SiteSummary",
    "SparseCenterClassifierCV",
    "StabilitySelector",
    "WhitenedCenterClassifierCV",
    "compare",
    "comparison_lineup",
    "iter_comparison",
    "learning_curve",
    "permutation_test",
    "register_method",
    "select_features",
    "select_federated",
    "selection_curve",
    "selection_stability",
]
