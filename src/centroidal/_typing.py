"""Types of public signatures; what a word may be is said here, and parameter checks ask here."""

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

# ------------------------------------------------------------------ choices

Assignment: TypeAlias = Literal["alternating", "margin"]
Calibration: TypeAlias = Literal[None, "logistic"]
CenterMetric: TypeAlias = Literal["l2", "l1", "mahalanobis"]
CenterScale: TypeAlias = Literal[None, "std", "within", "mad"]
Classifier: TypeAlias = Literal[
    "auto",
    "any",
    "whitened centers",
    "nearest centers",
    "linear SVM",
    "logistic regression",
]
CommonFeatures: TypeAlias = Literal["same", "intersection"]
Covariance: TypeAlias = Literal["within", "total"]
Decimal: TypeAlias = Literal[".", ","]
Delimiter: TypeAlias = Literal[None, ",", "\t", ";", "|"]
Duplicates: TypeAlias = Literal["refuse", "mean", "max", "sum", "first"]
EncoderTraining: TypeAlias = Literal["joint", "alternating"]
Imputation: TypeAlias = Literal["mean", "median", "most_frequent"]
LinearTraining: TypeAlias = Literal["two_step", "alternating"]
MergeRule: TypeAlias = Literal["three_sigma", "chi2", None]
MixtureThreshold: TypeAlias = Literal["mahalanobis", "inclusive", "strict", "balanced"]
NeighborMetric: TypeAlias = Literal["manhattan", "euclidean", None]
Norm: TypeAlias = Literal["normalized", "euclidean"]
PairOrder: TypeAlias = Literal["labels", "accuracy"]
PathWhitening: TypeAlias = Literal["truncated", "variance"]
PermuteWithin: TypeAlias = Literal[None, "blocks"]
Precision: TypeAlias = Literal["float64", "float32"]
Priors: TypeAlias = Literal["uniform", "empirical"]
Refinement: TypeAlias = Literal[None, "em"]
Rule: TypeAlias = Literal["best", "one_se"]
Scatter: TypeAlias = Literal["total", "within"]
ScoreName: TypeAlias = Literal[
    "accuracy",
    "balanced_accuracy",
    "f1_macro",
    "matthews_corrcoef",
    "roc_auc",
    "average_precision",
    "neg_log_loss",
    "neg_brier_score",
    "neg_cost",
]
SelectorScale: TypeAlias = Literal["std", None]
MomentScale: TypeAlias = Literal[None, "std", "within"]
Solver: TypeAlias = Literal["auto", "newton", "admm", "irls", "cg"]
TableImputation: TypeAlias = Literal[None, "median", "drop-features"]
Targets: TypeAlias = Literal["centroids", "classes"]
Threshold: TypeAlias = Literal["inclusive", "strict", "balanced", "mahalanobis", "prior"]
Variant: TypeAlias = Literal["classic", "squared"]
Whitening: TypeAlias = Literal["truncated", "full", "variance"]
WindowUnit: TypeAlias = Literal["calls", "samples"]
WordWeight: TypeAlias = Literal["tfidf", "counts"]

# ------------------------------------------------------------------ what is given


class HasShape(Protocol):
    """Arrays, sparse matrices, series, data frames, Dask collections, AnnData: rows and columns."""

    @property
    def shape(self) -> Any:
        """How many of each."""


class HasSchema(Protocol):
    """Queries: a LazyFrame of Polars, a data set or a stream of Arrow; they say their columns."""

    @property
    def schema(self) -> Any:
        """Names and types."""


class Estimator(Protocol):
    """Classifiers, selectors, transformers and pipelines of scikit-learn, and those like them."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return parameters by name."""


class Splitter(Protocol):
    """Cross-validation generators of scikit-learn."""

    def get_n_splits(self) -> int:
        """Return the number of splits."""


# That of NumPy has no sparse matrices, and takes texts and single numbers, which are neither
# samples nor labels.
ArrayLike: TypeAlias = HasShape | list[Any] | tuple[Any, ...] | Sequence[float]
Columns: TypeAlias = str | Sequence[str]
Costs: TypeAlias = ArrayLike | dict[Any, dict[Any, float]] | None
ClassWeight: TypeAlias = Literal["balanced"] | dict[Any, float] | None
Folds: TypeAlias = int | Splitter | Iterable[tuple[Any, Any]]
NComponents: TypeAlias = int | float | Literal["log2"] | None
NFeatures: TypeAlias = int | float | None
FilePath: TypeAlias = str | PathLike[str]
ShowProgress: TypeAlias = bool | Callable[..., object] | None
RandomState: TypeAlias = int | np.random.RandomState | None
Scorer: TypeAlias = str | Callable[..., float] | None
SharedFeatures: TypeAlias = ArrayLike | int | float | Literal["auto"] | None

# ------------------------------------------------------------------ what is returned

Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])  # which a decorator leaves as it is
Fitted = TypeVar("Fitted")  # an estimator that is returned as the class it has
