from ._ranked_selector import elbow
from .column import ColumnSelector
from .l21_centroid import L21CentroidSelector
from .linear_centroid_encoder import LinearCentroidEncoder
from .margin import MarginSelector
from .recursive_ridge import RecursiveRidgeSelector
from .relieff import ReliefFSelector
from .sparse_centroid_encoder import SparseCentroidEncoder

__all__ = [
    "ColumnSelector",
    "L21CentroidSelector",
    "LinearCentroidEncoder",
    "MarginSelector",
    "RecursiveRidgeSelector",
    "ReliefFSelector",
    "SparseCentroidEncoder",
    "elbow",
]
