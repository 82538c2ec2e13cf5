"""Selectors that are not classifiers themselves."""

from typing import TYPE_CHECKING

from .._lazy import load_lazily
from ..solvers.elbow import elbow

if TYPE_CHECKING:
    from .l21_centroid import L21CentroidSelector
    from .linear_centroid_encoder import LinearCentroidEncoder
    from .margin import MarginSelector
    from .relieff import ReliefFSelector

__all__ = [
    "L21CentroidSelector",
    "LinearCentroidEncoder",
    "MarginSelector",
    "ReliefFSelector",
    "elbow",
]

load_lazily(
    __name__,
    {
        "l21_centroid": "L21CentroidSelector",
        "linear_centroid_encoder": "LinearCentroidEncoder",
        "margin": "MarginSelector",
        "relieff": "ReliefFSelector",
    },
)
