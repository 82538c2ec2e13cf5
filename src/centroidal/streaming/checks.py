"""Checks of rows and labels that were read, with messages that name the source."""

import numpy as np
from scipy import sparse

from .labels import is_missing
from .request import count_noun, list_values, quote

__all__ = [
    "check_labels",
    "check_n_labels",
    "check_values",
    "find_values",
    "is_finite",
    "refuse_infinite",
]

_LONGEST_LABEL, _MOST_LABELS = 1000, 100_000


def check_labels(y, n_samples, target, name):
    """Raise unless there is a label for each sample, all of a kind; None is no labels at all."""
    if y is None:
        return
    if len(y) != n_samples:
        raise ValueError(f"{name}: {target} has {len(y)} labels for {n_samples} samples.")
    missing = np.flatnonzero(is_missing(y))
    if missing.size:
        raise ValueError(
            f"{name}: {missing.size} of {len(y)} samples have no label in "
            f"{quote(target)} (sample {list_values((missing + 1).tolist())}). "
            "Fill them in or take these samples out."
        )
    if y.dtype.kind == "O":
        raise ValueError(f"{name}: the labels {quote(target)} must be all strings or all numbers.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError(f"{name}: a label in {quote(target)} is infinite.")
    if y.dtype.kind == "U" and y.dtype.itemsize > 4 * _LONGEST_LABEL:
        raise ValueError(
            f"{name}: a label in {quote(target)} has {y.dtype.itemsize // 4} "
            f"characters, more than {_LONGEST_LABEL}; is it the column of labels?"
        )


def check_n_labels(n_labels, target, name):
    """Raise if there are so many different labels that they can hardly be classes."""
    if n_labels > _MOST_LABELS:
        raise ValueError(
            f"{name}: {quote(target)} holds more than {_MOST_LABELS} different labels; is it the "
            "column of labels?"
        )


def find_values(X, condition):
    """Return rows and columns of the entries that meet a condition."""
    if not sparse.issparse(X):
        return np.nonzero(condition(X))
    entries = X.tocoo()
    hits = condition(entries.data)
    return entries.row[hits], entries.col[hits]


def is_finite(X):
    """Say whether the sum of all values is finite; it costs no memory, and may overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite((X.data if sparse.issparse(X) else X).sum()))


def refuse_infinite(X, names, name):
    """Raise if a value is infinite."""
    _, columns = find_values(X, np.isinf)
    if columns.size == 0:
        return
    features = [names[j] for j in np.unique(columns).tolist()]
    raise ValueError(
        f"{name}: {count_noun(columns.size, 'value is', 'values are')} infinite or too "
        f"large, in {count_noun(len(features), 'feature')}: "
        f"{list_values(features, quoted=True)}."
    )


def check_values(X, names, name):
    """Raise if a value is missing or infinite."""
    if is_finite(X):
        return
    refuse_infinite(X, names, name)
    rows, columns = find_values(X, np.isnan)
    if columns.size == 0:
        return
    features = [names[j] for j in np.unique(columns).tolist()]
    raise ValueError(
        f"{name}: {count_noun(columns.size, 'value is', 'values are')} missing in "
        f"{count_noun(np.unique(rows).size, 'sample')} that were read together, in "
        f"{count_noun(len(features), 'feature')}: {list_values(features, quoted=True)}. "
        "Leave these features out with drop, or fill the values in before: batches are read as "
        "they are."
    )
