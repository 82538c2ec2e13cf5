"""Files of arrays: .npz of NumPy and SciPy, .mat of MATLAB, svmlight."""

import gzip
import io
import warnings

import numpy as np
from scipy import sparse

from ..streaming.arrays import (
    as_samples,
    labels_of_arrays,
    names_from_array,
    numbered_names,
    refuse_huge,
)
from ..streaming.labels import labels_from_array
from ..streaming.request import RawTable, clean_errors
from ._mat5 import check_mat5

__all__ = ["read_mat", "read_npz", "read_svmlight"]

_HDF5 = b"\x89HDF\r\n\x1a\n"
_STORED = ("format", "row", "col", "offsets", "_is_array")  # by scipy.sparse.save_npz
_CSR = ("data", "indices", "indptr", "shape")


def read_npz(data, request, suffix):
    """Read X, and y, classes, feature_names and ids if they are there."""
    with (
        clean_errors(request.name, "a .npz file"),
        np.load(io.BytesIO(data), allow_pickle=False) as file,
    ):
        names = list(file.files)
        arrays = {name: file[name] for name in names if name not in ("X", *_CSR, *_STORED)}
        X = _npz_samples(file, names, data)
    if X is None:
        raise ValueError(
            f"{request.name} must hold an array X, or a sparse matrix as {', '.join(_CSR)}. "
            f"It has {', '.join(map(repr, names)) or 'nothing'}."
        )
    return _from_arrays(X, arrays, request)


def _npz_samples(file, names, data):
    if "X" in names:
        return file["X"]
    if "format" in names:
        return sparse.load_npz(io.BytesIO(data))
    if not set(_CSR) <= set(names):
        return None
    parts = [np.asarray(file[name]) for name in _CSR]
    return sparse.csr_array(tuple(parts[:3]), shape=tuple(parts[3].ravel().tolist()))


def read_mat(data, request, suffix):
    """Read the arrays X and Y, as in the files of scikit-feature."""
    advice = "save it with -v7 in MATLAB, or as .npz"
    if data[:8] == _HDF5 or data[512:520] == _HDF5:
        raise ValueError(f"{request.name} is a MATLAB file of version 7.3: {advice}.")
    with clean_errors(request.name, "a .mat file"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from scipy.io import loadmat

        check_mat5(data)
        arrays = loadmat(io.BytesIO(data))
    arrays = {name: value for name, value in arrays.items() if not name.startswith("__")}
    X = arrays.pop("X", None)
    if X is None:
        raise ValueError(
            f"{request.name} must hold an array X. It has "
            f"{', '.join(map(repr, arrays)) or 'nothing'}."
        )
    return _from_arrays(X, arrays, request, whole=True)


def read_svmlight(data, request, suffix):
    """Read a sparse table; features are named by the numbers they have in the file."""
    if request.transpose:
        request.refuse_option("transpose", "an svmlight file has samples in rows")
    if request.target not in (None, "y"):
        raise ValueError(request.unknown("target", request.target, ["y"]))
    if request.ids is not None:
        request.refuse_option("ids", "an svmlight file has none")
    with clean_errors(request.name, "an svmlight file"):
        if suffix.endswith(".gz"):
            data = gzip.decompress(data)
        from sklearn.datasets import load_svmlight_file

        X, y = load_svmlight_file(io.BytesIO(data), zero_based=True)
    if X.shape[0] == 0:
        raise ValueError(f"{request.name} is empty.")
    refuse_huge(X.shape, request)
    # Most files count features from 1, so that there is no feature 0.
    starts_at_one = X.shape[1] > 0 and not (X.indices == 0).any()
    names = numbered_names(X.shape[1])
    if starts_at_one:
        X, names = X[:, 1:], names[1:]
    X, names = _without_dropped(X, names, request)
    return RawTable(X, names, labels_from_array(y, whole=True), None, "y")


def _from_arrays(X, arrays, request, whole=False):
    X = as_samples(X, request)
    names = arrays.get("feature_names")
    names = (
        numbered_names(X.shape[1])
        if names is None
        else names_from_array("feature_names", names, X, 1, request)
    )
    target, y = labels_of_arrays(arrays, request, whole)
    ids = arrays.get(request.ids or "ids")
    if ids is None and request.ids is not None:
        raise ValueError(request.unknown("array", request.ids, list(arrays)))
    if ids is not None:
        ids = names_from_array(request.ids or "ids", ids, X, 0, request)
    X, names = _without_dropped(X, names, request)
    return RawTable(X, names, y, ids, target)


def _without_dropped(X, names, request):
    kept = request.kept_positions(names)
    if len(kept) < len(names):
        X, names = X[:, kept], [names[j] for j in kept]
    return X, names
