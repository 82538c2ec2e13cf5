"""Classify and select features with class centers, for data with many features."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .classifiers import (
        DecisionDAGClassifier,
        DisjointCentroidClassifier,
        FisherSubspace,
        FisherSubspaceClassifier,
        KernelFisherSubspaceClassifier,
        MixtureFisherClassifier,
        OnlineFisherSubspaceClassifier,
        SparseCenterClassifier,
    )
    from .encoders import SparseCentroidEncoder
    from .feature_selection import (
        L21CentroidSelector,
        LinearCentroidEncoder,
        MarginSelector,
        ReliefFSelector,
    )
    from .model_selection import (
        DisjointCentroidClassifierCV,
        FisherSubspaceClassifierCV,
        SparseCenterClassifierCV,
        StabilitySelector,
    )

__all__ = [
    "DecisionDAGClassifier",
    "DisjointCentroidClassifier",
    "DisjointCentroidClassifierCV",
    "FisherSubspace",
    "FisherSubspaceClassifier",
    "FisherSubspaceClassifierCV",
    "KernelFisherSubspaceClassifier",
    "L21CentroidSelector",
    "LinearCentroidEncoder",
    "MarginSelector",
    "MixtureFisherClassifier",
    "OnlineFisherSubspaceClassifier",
    "ReliefFSelector",
    "SparseCenterClassifier",
    "SparseCenterClassifierCV",
    "SparseCentroidEncoder",
    "StabilitySelector",
]

__version__ = "0.1.0"

_ROOMS = ("classifiers", "encoders", "feature_selection", "model_selection")


def __getattr__(name):
    """Load a public name, or a room, on first use: the command line starts without scikit-learn."""
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    rooms = (import_module(f".{room}", __name__) for room in _ROOMS)
    found = next(getattr(room, name) for room in rooms if name in room.__all__)
    globals()[name] = found
    return found


def __dir__():
    """Return the public names, loaded or not."""
    return sorted({*globals(), *__all__, *_ROOMS})
