"""User input -> labelled data; the one file that uses scikit-learn's checks of samples."""

from collections.abc import Callable
from contextlib import contextmanager
from copy import copy
from functools import partial, wraps
from numbers import Real
from typing import Any, NamedTuple, Self

import narwhals.stable.v1 as nw
import numpy as np
from scipy.sparse import issparse
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import assert_all_finite, check_array, column_or_1d, metaestimators
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from ._model_html import ModelHTMLMixin
from ._optional import is_of_dask
from ._parameters import check_choice, check_columns, check_parameters
from ._sparse import check_sparse_structure
from ._typing import Array, ArrayLike, Decorated, Mask

# What the compiled loops read as it is; everything else becomes float64.
_DTYPES = [
    np.float64, np.float32, np.int64, np.int32, np.int16, np.int8,
    np.uint64, np.uint32, np.uint16, np.uint8,
]  # fmt: skip
_ANY_NUMBERS = {"accept_sparse": ("csr", "csc"), "dtype": _DTYPES}
_LABELS_PER_BLOCK = 2**16
_LEAST_MAGNITUDE, _MOST_MAGNITUDE = 2.0**-500, 2.0**480  # of the largest value, for its square
_ASYMMETRY = 1e-8  # of a kernel matrix, as a share of its largest entry


class Features(NamedTuple):
    """What an estimator remembers of the columns it was fitted on."""

    number: int
    names: np.ndarray | None

    @classmethod
    def of(cls, estimator):
        """Return what an estimator remembers."""
        return cls(estimator.n_features_in_, getattr(estimator, "feature_names_in_", None))

    def keep(self, estimator):
        """Give the estimator scikit-learn's attributes of them."""
        estimator.n_features_in_ = self.number
        if self.names is not None:
            estimator.feature_names_in_ = self.names
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_


class LabelledData(NamedTuple):
    """Checked samples with labels as codes 0 ... K - 1."""

    X: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    weights: np.ndarray | None
    features: Features

    @property
    def is_in_memory(self):
        """Whether single samples can be looked at, not only summaries of them."""
        return not hasattr(self.X, "each_block")

    @property
    def row_weights(self):
        """Weight of each sample: 1 where none was given."""
        return np.ones(self.codes.size) if self.weights is None else self.weights

    @property
    def counted_rows(self):
        """Samples that count: of positive weight, with a code that is not negative."""
        return np.flatnonzero((self.codes >= 0) & (self.row_weights > 0))

    def keep_rows(self, rows):
        """Return the same data in which only `rows` count, each as often as it is named.

        Where samples are not in memory, `rows` are blocks of a mask.
        """
        if not self.is_in_memory:
            return self._replace(codes=self.codes.map(_codes_where, rows))
        times = np.bincount(rows, minlength=self.codes.size)
        codes = np.where(times > 0, self.codes, np.int32(-1))
        if times.max() <= 1:
            return self._replace(codes=codes)
        weights = times.astype(float) if self.weights is None else times * self.weights
        return self._replace(codes=codes, weights=weights)

    def take_rows(self, rows):
        """Return `rows` by themselves."""
        weights = None if self.weights is None else self.weights[rows]
        return self._replace(X=self.X[rows], codes=self.codes[rows], weights=weights)

    def merge_copies(self):
        """Return each sample that counts once, with the weight of its copies.

        In an order that depends on the samples alone: so is all that is learned, to the bit.
        """
        rows, places = self.counted_rows, {}
        first = [places.setdefault(_row_key(self.X, self.codes, i), i) for i in rows]
        weights = np.bincount(first, self.row_weights[rows], minlength=self.codes.size)
        rows = np.array([places[key] for key in sorted(places)])
        return self._replace(weights=weights).take_rows(rows)


def _row_key(X, codes, i):
    """Return what only copies of a sample, CSR or dense, have in common."""
    if issparse(X):
        stored = slice(X.indptr[i], X.indptr[i + 1])
        return codes[i].tobytes() + X.indices[stored].tobytes() + X.data[stored].tobytes()
    return codes[i].tobytes() + X[i].tobytes()


def _codes_where(codes, mask):
    return np.where(mask, codes, np.int32(-1))


def check_labelled(estimator, X, y, sample_weight=None, *, classes=None, reset=True, finite=True):
    """Check samples, labels and weights together.

    With `finite=False` NaN and infinities are left to `check_finite_summary`, which finds them
    without a pass of its own. With `classes` the labels must be among them. The estimator is left
    as it is: what a failed call would have changed is in `features`.

    A Dask collection becomes blocks that know the same summaries, and are checked where they are.
    """
    if is_dask(X):
        return _check_labelled_blocks(estimator, X, y, sample_weight, classes, reset, finite)
    y, sample_weight = _load(y), _load(sample_weight)
    stand_in = copy(estimator)
    X, y = _validate(stand_in, X, y, reset=reset, ensure_all_finite=finite)
    return _encode(estimator, X, y, sample_weight, Features.of(stand_in), classes)


def check_labels(estimator, X, y, sample_weight=None):
    """Check labels and weights, and leave the samples to another estimator, as they are."""
    stand_in = copy(estimator)
    y = validate_data(stand_in, y=y)
    X = check_as_given(stand_in, X, reset=True)
    check_consistent_length(X, y)
    return _encode(estimator, X, y, sample_weight, Features.of(stand_in))


def _encode(estimator, X, y, sample_weight, features, expected=None):
    """Return checked samples with their labels as codes, of the expected classes if there are."""
    check_classification_targets(y)
    classes, codes = encode_labels(y, expected)
    weights = _check_weights(sample_weight, X)
    if expected is None:
        _check_two_classes(estimator, classes, np.bincount(codes, weights))
    return LabelledData(X, codes, classes, weights, features)


class LabelledFitMixin:
    """`fit` for labelled samples: what is given is checked, and hooks do the rest.

    Hooks: `_check_for(n_features, n_classes)`, `_fit(data)`, and `_finds_infinite`: whether `_fit`
    finds what is not finite by `check_finite_summary`, without a pass of its own.
    """

    _finds_infinite = True

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from samples; what was learned before is forgotten.

        Parameters
        ----------
        X : {array-like, sparse matrix, Dask collection} of shape (n_samples, n_features)
            Training samples; Dask collections where :doc:`/user_guide/dask` says so.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, of which only ratios count. Where a rule asks for a number of samples, the
            smallest weight is one sample, and others are so many copies, if they are multiples of
            it; else each sample of positive weight is one.
        """
        check_parameters(self)
        finite = sample_weight is not None or not self._finds_infinite
        data = check_labelled(self, X, y, sample_weight, finite=finite)
        self._check_for(data.features.number, data.classes.size)
        return self._fit(data)


def _check_two_classes(estimator, classes, counts):
    """Raise unless samples of at least two classes have a positive weight."""
    if np.count_nonzero(counts) < 2:
        only = classes.tolist()[np.argmax(counts)]
        raise ValueError(
            f"y holds one class, {only!r}; {type(estimator).__name__} needs samples of positive "
            "weight of at least 2 classes."
        )


def as_frame(X):
    """Return a data frame behind one interface, None for anything else."""
    if isinstance(X, np.ndarray):
        return None  # as most samples are, so that nobody need look further
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def is_annotated(X):
    """Whether `X` has the parts of AnnData that are read."""
    return all(hasattr(X, part) for part in ("obs", "var_names", "obs_names", "layers", "X"))


def is_dask(X):
    """Whether `X` is a Dask collection, or a list of futures or delayed objects."""
    if isinstance(X, list | tuple):
        return len(X) > 0 and all(map(is_of_dask, X))
    return is_of_dask(X)


def _load(values):
    """Bring labels or weights to samples that are in memory."""
    if not is_dask(values):
        return values
    from .statistics.dask_collection import load  # with a Dask collection in hand

    return load(values)


def row_by_row(columns: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    """Make a method that takes each sample by itself lazy for Dask collections.

    `columns` tells of an estimator how the columns of a data frame are named.
    """

    def decorate(method):
        @wraps(method)
        def of_rows(self, X):
            if not is_dask(X):
                return method(self, X)
            check_is_fitted(self)
            from .statistics.dask_collection import map_rows

            apply = partial(_call_method, self, method.__name__)
            return map_rows(apply, X, partial(columns, self))

        return of_rows

    return decorate


def _call_method(estimator, name, X):
    # By name: what is sent to the workers is the estimator, not a function of a class.
    return getattr(estimator, name)(X)


def available_if(check: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    """Return scikit-learn's decorator, of which type checkers know nothing."""
    return metaestimators.available_if(check)


class SupportMixin(ModelHTMLMixin, SelectorMixin):
    """Selects the features in `support_`, lazily of Dask collections."""

    n_features_in_: int
    feature_names_in_: Array
    support_: Mask

    @row_by_row(lambda selector: selector.get_feature_names_out())
    def transform(self, X: ArrayLike) -> Any:
        """Keep the selected features.

        Parameters
        ----------
        X : {array-like, sparse matrix, Dask collection} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        {ndarray, sparse matrix, Dask collection} of shape (n_samples, n_selected)
            The samples with the selected features only.
        """
        check_sparse_structure(X)
        return super().transform(X)

    def inverse_transform(self, X: ArrayLike) -> Any:
        """Put the selected features where they were, among columns of zeros.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_selected)
            Samples with the selected features only.

        Returns
        -------
        {ndarray, sparse matrix} of shape (n_samples, n_features)
            The samples with all features.
        """
        check_sparse_structure(X)
        return super().inverse_transform(X)

    def _get_support_mask(self):
        check_fitted(self)
        return self.support_


def _check_labelled_blocks(estimator, X, y, sample_weight, expected, reset, finite):
    """Check a Dask collection; of the samples nothing is read before they are summarised."""
    if not getattr(estimator, "_takes_dask", False):
        raise TypeError(f"{estimator!r} does not fit Dask collections; load X first: X.compute().")
    from .statistics.dask_blocks import DaskBlocks

    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed; it is None.")
    blocks = DaskBlocks.of(X)
    stand_in = copy(estimator)
    validate_data(stand_in, blocks.template, reset=reset, skip_check_array=True)
    features = Features.of(stand_in)
    name = type(estimator).__name__
    labels = blocks.pair("y", y)
    weights = None
    if isinstance(sample_weight, Real):
        weights = labels.map(partial(_check_block_weights, sample_weight))
    elif sample_weight is not None:
        weights = blocks.pair("sample_weight", sample_weight).map(_check_block_weights, labels)
    classes, counts = _total_counts(name, labels, weights)
    if expected is None:
        _check_two_classes(estimator, classes, counts)
    else:
        encode_labels(classes, expected)
        classes = expected
    codes = labels.map(partial(_block_codes, classes))
    check = partial(check_block, name, finite, features.names)
    return LabelledData(blocks.with_check(check), codes, classes, weights, features)


def _total_counts(name, labels, weights):
    """Check the labels of all blocks; return them, sorted, and the weight of each."""
    count = partial(count_block_labels, name)
    totals = labels.map(count, *([] if weights is None else [weights])).gather()
    totals = [(found, counts) for found, counts in totals if found.size]
    if not totals:
        raise ValueError("X and y hold no samples.")
    classes = np.unique(np.concatenate([found for found, _ in totals]))
    sums = np.zeros(classes.size)
    for found, counts in totals:
        sums[np.searchsorted(classes, found)] += counts
    if weights is not None:
        _check_some_weight(sums)
    return classes, sums


def _block_codes(classes, block):
    """Encode a block of labels, which were checked when they were counted."""
    return encode_labels(column_or_1d(block), classes)[1]


def check_block(name, finite, names, block):
    """Check a block of samples where it is."""
    frame = as_frame(block)
    if names is not None and frame is not None and frame.columns != names.tolist():
        raise ValueError("a block of X has columns of other names than the first one.")
    options = _ANY_NUMBERS | {"ensure_all_finite": finite, "ensure_min_samples": 0}
    check_sparse_structure(block)
    with _explain_strings():
        block = check_array(block, estimator=name, input_name="X", **options)
    return _sum_duplicates(block)


def count_block_labels(name, block, weights=None):
    """Check a block of labels where it is; return them, sorted, and the weight of each."""
    series = nw.from_native(block, series_only=True, allow_series=True, pass_through=True)
    if isinstance(series, nw.Series) and series.is_null().any():
        raise ValueError("y holds missing labels; every sample needs one.")
    labels = column_or_1d(block)
    assert_all_finite(labels, estimator_name=name, input_name="y")
    if weights is None:
        found, counts = np.unique(labels, return_counts=True)
    else:
        found, codes = np.unique(labels, return_inverse=True)
        counts = np.bincount(codes, weights, minlength=found.size)
    if labels.size:
        # Several times each: what is asked is their type, not how many there are.
        check_classification_targets(np.repeat(found, 3))
    return found, counts


def _check_block_weights(weights, labels):
    """Check a block of weights where it is; they may all be zero."""
    if isinstance(weights, Real):
        weights = np.full(len(labels), float(weights))
    options = {"ensure_2d": False, "ensure_min_samples": 0, "input_name": "sample_weight"}
    weights = column_or_1d(check_array(weights, dtype=np.float64, **options))
    check_consistent_length(weights, labels)
    _check_not_negative(weights)
    return weights


@contextmanager
def _explain_strings():
    """Say in scikit-learn's errors about strings that it is X that holds them."""
    try:
        yield
    except ValueError as error:
        if "could not convert string" in str(error):
            raise ValueError(f"X must hold numbers: {error}.") from error
        raise


def _check_container(X):
    """Raise if X is something whose values scikit-learn's checks would misread."""
    if is_annotated(X):
        raise TypeError(
            "X is AnnData, of which estimators take the values: adata.X, a layer, or adata.to_df() "
            "with the names of the features. select_features(adata, target=...) takes it whole."
        )
    check_sparse_structure(X)


def _validate(estimator, X, *args, **options):
    _check_container(X)
    with _explain_strings():
        found = validate_data(estimator, X, *args, **_ANY_NUMBERS, **options)
    return (_sum_duplicates(found[0]), found[1]) if args else _sum_duplicates(found)


def _sum_duplicates(X):
    """Add up entries of a sparse matrix that are stored twice, in a copy."""
    if not issparse(X):
        return X
    # Around the same arrays: what X remembers of their order may be older than they are.
    X = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def label_codes(labels, classes):
    """Place of each label among the sorted classes, and -1 for a label that is not there."""
    codes = np.full(labels.size, -1, dtype=np.int32)
    kinds = {"word" if each.dtype.kind in "US" else each.dtype.kind for each in (labels, classes)}
    if len(kinds) == 2 and "word" in kinds and "O" not in kinds:
        return codes  # NumPy would sort words and numbers together, as words
    # A block at a time: beside the 4 bytes a label, little memory.
    for start in range(0, labels.size, _LABELS_PER_BLOCK):
        part = labels[start : start + _LABELS_PER_BLOCK]
        found = np.searchsorted(classes, part).clip(max=classes.size - 1)
        codes[start : start + part.size] = np.where(classes[found] == part, found, -1)
    return codes


def encode_labels(y, classes=None):
    """Return the classes, sorted, and the place of each label; with `classes`, among these."""
    if classes is None:
        starts = range(0, y.size, _LABELS_PER_BLOCK)
        parts = [np.unique(y[start : start + _LABELS_PER_BLOCK]) for start in starts]
        classes = np.unique(np.concatenate(parts))
    codes = label_codes(y, classes)
    if (codes < 0).any():
        label = y[np.argmin(codes)]
        raise ValueError(f"y holds {label!r}, which is not among classes={classes.tolist()}.")
    return classes, codes


def _check_weights(sample_weight, X):
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    _check_not_negative(weights)
    _check_some_weight(weights)
    return weights


def _check_not_negative(weights):
    if (weights < 0).any():
        raise ValueError(f"sample_weight={weights.min():g} must not be negative.")


def _check_some_weight(weights):
    if not weights.any():
        raise ValueError("sample_weight is zero for every sample; at least one must be positive.")


def check_fitted(estimator):
    """Raise scikit-learn's NotFittedError if `fit` was not called."""
    check_is_fitted(estimator)


def check_finite(estimator, X):
    """Raise if `X` holds NaN or an infinity."""
    check = partial(assert_all_finite, estimator_name=type(estimator).__name__, input_name="X")
    if hasattr(X, "each_block"):
        X.each_block(check)
    else:
        check(X)


def check_finite_summary(estimator, X, *summaries):
    """Raise what is wrong with `X`, if it is in memory, when a summary of it is not finite."""
    if all(np.isfinite(summary).all() for summary in summaries):
        return
    if X is not None:
        check_finite(estimator, X)
    is_in_memory = X is not None and not hasattr(X, "each_block")
    raise _lost_squares("large", _largest_entry(X) if is_in_memory else None)


def check_moments(estimator, X, moments):
    """Raise what is wrong with `X`, seen from its class moments: not finite, or near an end."""
    check_finite_summary(estimator, X, moments.means, moments.squares)
    spread = np.sqrt(moments.squares.max(initial=0.0))
    _check_magnitude(max(np.abs(moments.means).max(initial=0.0), spread))


def check_entries(estimator, X):
    """Raise the same of samples in memory that are not summarised by moments."""
    check_finite(estimator, X)
    _check_magnitude(_largest_entry(X))


def _largest_entry(X):
    entries = X.data if issparse(X) else X
    return max(abs(float(find(initial=0))) for find in (entries.max, entries.min))


def _check_magnitude(largest):
    """Raise where squares of values, and their sums, would leave float64 or lose digits there."""
    if largest == 0.0 or _LEAST_MAGNITUDE <= largest <= _MOST_MAGNITUDE:
        return
    raise _lost_squares("large" if largest > 1.0 else "small", largest)


def _lost_squares(size, largest=None):
    order = "" if largest is None else f" They are of the order of {largest:.0e}."
    return ValueError(
        f"X holds values whose squares are too {size} for float64; rescale it first.{order}"
    )


def check_next_classes(estimator, classes, is_first):
    """Classes for `partial_fit`: required in the first call, the same in every later one."""
    if is_first and classes is None:
        raise ValueError("classes must be given in the first call of partial_fit.")
    if classes is None:
        return estimator.classes_
    classes = np.unique(classes)
    if classes.size < 2:
        raise ValueError(f"classes={classes.tolist()} must hold at least 2 classes.")
    if not is_first and not np.array_equal(classes, estimator.classes_):
        raise ValueError(
            f"classes={classes.tolist()} must be those of the first call, "
            f"{estimator.classes_.tolist()}."
        )
    return classes


def check_same_features(estimator, other, kinds=()):
    """Raise unless `other` is a fitted estimator of the same kind on the same features.

    Classes of the names `kinds` are of the same kind, too.
    """
    name = type(other).__name__
    if type(other) is not type(estimator) and name not in kinds:
        allowed = " or ".join(kinds or [type(estimator).__name__])
        raise TypeError(f"other={name} must be a fitted {allowed}.")
    check_is_fitted(estimator)
    check_is_fitted(other)
    names = getattr(estimator, "feature_names_in_", None)
    other_names = getattr(other, "feature_names_in_", None)
    if names is not None and other_names is not None and not np.array_equal(names, other_names):
        raise ValueError("other was fitted on features of other names, or in another order.")
    if estimator.n_features_in_ != other.n_features_in_:
        raise ValueError(
            f"other was fitted on {other.n_features_in_} features, "
            f"this estimator on {estimator.n_features_in_}."
        )


def check_rows(estimator, X, columns):
    """Check new samples; return them and where `columns` are in what is returned.

    Of a data frame only `columns` are read. Finiteness is for the caller to check, on the entries
    it uses.
    """
    frame = as_frame(X)
    if frame is None:
        return _validate(estimator, X, reset=False, ensure_all_finite=False), columns
    validate_data(estimator, X, reset=False, skip_check_array=True)
    if columns.size == 0:
        return np.empty((len(frame), 0)), columns
    values = frame[:, columns.tolist()].to_numpy()
    values = check_array(values, dtype=_DTYPES, ensure_all_finite=False, estimator=estimator)
    return values, np.arange(columns.size)


def check_symmetric(X):
    """Raise unless a precomputed kernel has one column a sample, and is symmetric."""
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            f"X of shape {X.shape} must be square, (n_samples, n_samples), with "
            "kernel='precomputed'."
        )
    difference = abs(X - X.T).max()
    if difference > _ASYMMETRY * abs(X).max():
        raise ValueError(
            f"X must be symmetric with kernel='precomputed'; entries differ by {difference:g}."
        )


def check_kernel_matrix(matrix):
    """Raise unless a kernel gave finite numbers."""
    if not np.isfinite(matrix).all():
        raise ValueError("kernel gave NaN or infinity; rescale X or use another kernel.")


def check_as_given(estimator, X, *, reset=False):
    """Check the number and names of features; a data frame, or values of any type, stay so."""
    if as_frame(X) is not None:
        return validate_data(estimator, X, reset=reset, skip_check_array=True)
    _check_container(X)
    options = _ANY_NUMBERS | {"dtype": None, "ensure_all_finite": False}
    return validate_data(estimator, X, reset=reset, **options)


def check_labelled_mixed(estimator, X, y, sample_weight=None, *, categorical_features=None):
    """Check samples that may miss values; return them and a mask of the features with categories.

    Missing is what is NaN, or null in a data frame. Categories in a data frame may be of any type;
    they become numbers, which mean nothing but whether two of them are equal.
    """
    frame = as_frame(X)
    if categorical_features is None or frame is None:
        data = check_labelled(estimator, X, y, sample_weight, finite="allow-nan")
        return data, check_categorical_features(categorical_features, data.X.shape[1])
    stand_in = copy(estimator)
    validate_data(stand_in, X, skip_check_array=True)
    features = Features.of(stand_in)
    is_categorical = check_categorical_features(categorical_features, features.number, frame)
    values = np.empty((len(frame), features.number))
    numbers = np.flatnonzero(~is_categorical)
    if numbers.size:
        part = frame[:, numbers.tolist()].to_native()
        values[:, numbers] = _validate(stand_in, part, ensure_all_finite="allow-nan")
    for j in np.flatnonzero(is_categorical).tolist():
        values[:, j] = _category_codes(frame[:, j])
    data = check_labelled(estimator, values, y, sample_weight, finite="allow-nan")
    return data._replace(features=features), is_categorical


def _category_codes(column):
    """Return a number for each different value, NaN where it is missing."""
    known = {}
    is_missing = column.is_null().to_list()
    return [
        np.nan if missing or value != value else known.setdefault(value, len(known))
        for value, missing in zip(column.to_list(), is_missing, strict=True)
    ]


def check_categorical_features(value, n_features, frame=None):
    """Return a mask of features that are given by a mask, numbers, names or their type."""
    if value is None:
        return np.zeros(n_features, dtype=bool)
    if isinstance(value, str):
        check_choice("categorical_features", value, ("from_dtype",))
        dtypes = [] if frame is None else frame.schema.values()
        kinds = (nw.Categorical, nw.Enum, nw.String)
        chosen = [j for j, dtype in enumerate(dtypes) if dtype in kinds]
        return np.isin(np.arange(n_features), chosen)
    if np.iterable(value) and len(value) and all(isinstance(name, str) for name in value):
        return _mask_of_names(list(value), frame)
    words = "a mask, an array of columns or of names, 'from_dtype' or None"
    return check_columns("categorical_features", value, n_features, words)


def _mask_of_names(names, frame):
    if frame is None:
        raise ValueError(
            f"categorical_features={names} holds names, but X is no data frame and has none."
        )
    unknown = [name for name in names if name not in frame.columns]
    if unknown:
        raise ValueError(
            f"categorical_features holds {unknown[0]!r}, which is not among the features of X."
        )
    return np.array([name in names for name in frame.columns])


# ------------------------------------------------------------------ parts of any table


def rows_of(X, rows):
    """Return some rows, given by an array of positions."""
    frame = as_frame(X)
    return X[rows] if frame is None else frame[rows].to_native()


def columns_of(X, columns):
    """Return some columns, given by an array of positions."""
    frame = as_frame(X)
    return X[:, columns] if frame is None else frame[:, columns.tolist()].to_native()
