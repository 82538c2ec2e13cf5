"""Whether the arrays of a sparse matrix tell the truth."""

import numpy as np
from scipy.sparse import issparse


def check_sparse_structure(X, name="X"):
    """Raise unless the arrays of a sparse matrix fit together and lead nowhere outside of it.

    Compiled code trusts them, here and in SciPy: so this is asked before anything else of a matrix
    that somebody else has made. It costs two passes over the indices. Anything that is not sparse
    is fine.
    """
    if not issparse(X):
        return
    if len(X.shape) != 2:
        raise ValueError(f"{name} of shape {X.shape} must have two dimensions.")
    try:
        _STRUCTURES[X.format](X)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{name} is a damaged sparse matrix ({X.format}): {error}.") from error


def _check_compressed(X):
    """Check CSR, CSC, or BSR, which is CSR of blocks."""
    n_outer, n_inner = X.shape[::-1] if X.format == "csc" else X.shape
    _check_entries("data", X.data, 3 if X.format == "bsr" else 1)
    if X.format == "bsr":
        height, width = X.data.shape[1:]
        if not height or not width or n_outer % height or n_inner % width:
            raise ValueError(f"blocks of shape {(height, width)} do not fit in {X.shape}")
        n_outer, n_inner = n_outer // height, n_inner // width
    _check_indices("indices", X.indices, len(X.data), n_inner)
    _check_indices("indptr", X.indptr, n_outer + 1, len(X.data) + 1)
    if X.indptr[0] != 0 or (X.indptr[1:] < X.indptr[:-1]).any():
        raise ValueError("indptr must begin with 0 and never fall")


def _check_coordinates(X):
    _check_entries("data", X.data, 1)
    for name, indices, size in zip(("row", "col"), (X.row, X.col), X.shape, strict=True):
        _check_indices(name, indices, len(X.data), size)


def _check_diagonals(X):
    _check_entries("data", X.data, 2)
    n_rows, n_columns = X.shape
    _check_entries("offsets", X.offsets, 1, "iu")
    if not len(X.offsets) == len(X.data) == len(np.unique(X.offsets)):
        raise ValueError(f"offsets must be {len(X.data)} different numbers, one a diagonal")
    if len(X.offsets) and (X.offsets.min() < -n_rows or X.offsets.max() > n_columns):
        raise ValueError(f"offsets must lie between {-n_rows} and {n_columns}")


def _check_lists(X):
    lengths = [(len(row), len(values)) for row, values in zip(X.rows, X.data, strict=True)]
    if len(lengths) != X.shape[0] or any(row != values for row, values in lengths):
        raise ValueError("rows and data must be as many lists as rows, of the same lengths")
    indices = np.array([j for row in X.rows for j in row], dtype=np.int64)
    _check_indices("rows", indices, indices.size, X.shape[1])


_STRUCTURES = {
    **dict.fromkeys(("csr", "csc", "bsr"), _check_compressed),
    "coo": _check_coordinates,
    "dia": _check_diagonals,
    "lil": _check_lists,
    "dok": lambda X: None,  # SciPy checks the indices when it converts it
}


def _check_entries(name, values, n_dimensions, kinds="biufcO"):
    if getattr(values, "ndim", None) != n_dimensions or values.dtype.kind not in kinds:
        raise ValueError(f"{name} must be a {n_dimensions}-dimensional array of numbers")


def _check_indices(name, indices, length, size):
    """Raise unless there are `length` indices from 0 up to, but without, `size`."""
    _check_entries(name, indices, 1, "iu")
    if indices.size != length:
        raise ValueError(f"{name} must have {length} entries, not {indices.size}")
    if length and (indices.min() < 0 or indices.max() >= size):
        raise ValueError(
            f"{name} must lie between 0 and {size - 1}, not {indices.min()} and {indices.max()}"
        )
