"""Arrays by name, as files hold them -> samples, labels and names.

Nothing is unpickled. Of sparse matrices the indices are checked, because compiled code trusts them.
"""

import numpy as np
from scipy import sparse

from .._data import check_sparse_structure
from .labels import labels_from_array
from .request import clean_errors, quote, texts

__all__ = ["as_samples", "labels_of_arrays", "names_from_array", "numbered_names", "refuse_huge"]

_MOST_SAMPLES, _MOST_FEATURES = 2**28, 2**25


def names_from_array(name, values, X, axis, request):
    """Return the names of the samples (axis 0) or the features (axis 1) of X."""
    values = [text.strip() for text in texts(_unwrap_cells(values))]
    if len(values) != X.shape[axis]:
        what = "features" if axis == 1 else "samples"
        raise ValueError(
            f"{request.name}: {name} has {len(values)} entries for {X.shape[axis]} {what}."
        )
    return values


def _unwrap_cells(values):
    """Take strings out of the cells that MATLAB keeps them in."""
    if not isinstance(values, np.ndarray) or values.dtype.kind != "O":
        return values
    return [
        cell.item() if isinstance(cell, np.ndarray) and cell.size == 1 else cell
        for cell in values.ravel().tolist()
    ]


def labels_of_arrays(arrays, request, whole):
    """Find the labels by name, or as y or Y, and name the classes that are numbered.

    Returns the name of the labels, and the labels; None for both if there are none.
    """
    name = request.target
    if name is None:
        name = next((usual for usual in ("y", "Y") if usual in arrays), None)
        if name is None:
            return None, None
    if name not in arrays:
        raise ValueError(request.say_unknown("array", name, list(arrays)))
    values = arrays[name]
    if sparse.issparse(values):
        raise ValueError(f"{request.name}: {name} must be a dense array of labels.")
    values = np.asarray(values)
    if values.dtype.kind == "O":
        values = np.array(_unwrap_cells(values), dtype=object)
    if values.dtype.kind not in "biufSUO":
        raise ValueError(f"{request.name}: {name} must hold labels, not {values.dtype}.")
    y = labels_from_array(values, whole=whole)
    if y.ndim != 1:
        raise ValueError(
            f"{request.name}: {name} must have one label a sample, not shape {y.shape}."
        )
    if "classes" in arrays and y.dtype.kind in "iu" and y.size:
        classes = np.array(texts(_unwrap_cells(arrays["classes"])), dtype=str)
        if y.min() < 0 or y.max() >= classes.size:
            raise ValueError(
                f"{request.name}: {name} holds {y.min()} ... {y.max()}, but there are "
                f"{classes.size} classes, numbered from 0."
            )
        y = classes[y]
    return name, y


def as_samples(X, request):
    """Return an array of numbers, or CSR, with samples in rows."""
    if not sparse.issparse(X):
        X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"{request.name}: X must have two dimensions, not shape {X.shape}.")
    if X.dtype.kind not in "biuf":
        raise ValueError(f"{request.name}: X must hold numbers, not {quote(X.dtype)}.")
    check_sparse_structure(X, f"{request.name}: X")
    refuse_huge(X.shape[::-1] if request.transpose else X.shape, request)
    if X.dtype != np.float32:
        X = X.astype(np.float64)
    if request.transpose:
        X = X.T
    if not sparse.issparse(X):
        return np.ascontiguousarray(X)
    with clean_errors(request.name, "a sparse matrix"):
        X = sparse.csr_array(X)
        X.sum_duplicates()
    return X


def refuse_huge(shape, request):
    """Raise if a sparse matrix claims a size for which names or row pointers fill the memory."""
    if shape[0] > _MOST_SAMPLES or shape[1] > _MOST_FEATURES:
        raise ValueError(
            f"{request.name}: X has shape {tuple(shape)}; at most {_MOST_SAMPLES} samples and "
            f"{_MOST_FEATURES} features are read."
        )


def numbered_names(n_features):
    """Return the names that scikit-learn gives to features without names."""
    return [f"x{j}" for j in range(n_features)]
