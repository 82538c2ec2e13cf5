"""Files of arrays: .npz of NumPy and SciPy, .mat of MATLAB, svmlight.

Nothing is unpickled. Of sparse matrices the indices are checked, because compiled code trusts them.
"""

import gzip
import io
import warnings

import numpy as np
from scipy import sparse

from ._labels import labels_from_array
from ._mat5 import check_mat5
from ._request import Found, clean_errors, shown, texts

__all__ = ["as_samples", "numbered", "read_mat", "read_npz", "read_svmlight"]

_HDF5 = b"\x89HDF\r\n\x1a\n"
_MOST_SAMPLES, _MOST_FEATURES = 2**28, 2**25
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
    _refuse_huge(X.shape, request)
    # Most files count features from 1, so that there is no feature 0.
    starts_at_one = X.shape[1] > 0 and not (X.indices == 0).any()
    names = numbered(X.shape[1])
    if starts_at_one:
        X, names = X[:, 1:], names[1:]
    X, names = _without_dropped(X, names, request)
    return Found(X, names, labels_from_array(y, whole=True), None, "y")


def _from_arrays(X, arrays, request, whole=False):
    X = as_samples(X, request)
    names = arrays.get("feature_names")
    names = numbered(X.shape[1]) if names is None else _list("feature_names", names, X, 1, request)
    target, y = _labels(arrays, request, whole)
    ids = arrays.get(request.ids or "ids")
    if ids is None and request.ids is not None:
        raise ValueError(request.unknown("array", request.ids, list(arrays)))
    if ids is not None:
        ids = _list(request.ids or "ids", ids, X, 0, request)
    X, names = _without_dropped(X, names, request)
    return Found(X, names, y, ids, target)


def _list(name, values, X, axis, request):
    values = [text.strip() for text in texts(_unwrapped(values))]
    if len(values) != X.shape[axis]:
        what = "features" if axis == 1 else "samples"
        raise ValueError(
            f"{request.name}: {name} has {len(values)} entries for {X.shape[axis]} {what}."
        )
    return values


def _unwrapped(values):
    """Take strings out of the cells that MATLAB keeps them in."""
    if not isinstance(values, np.ndarray) or values.dtype.kind != "O":
        return values
    return [
        cell.item() if isinstance(cell, np.ndarray) and cell.size == 1 else cell
        for cell in values.ravel().tolist()
    ]


def _labels(arrays, request, whole):
    """Find the labels by name, or as y or Y; number and name classes if these are there."""
    name = request.target
    if name is None:
        name = next((usual for usual in ("y", "Y") if usual in arrays), None)
        if name is None:
            return None, None
    if name not in arrays:
        raise ValueError(request.unknown("array", name, list(arrays)))
    values = arrays[name]
    if sparse.issparse(values):
        raise ValueError(f"{request.name}: {name} must be a dense array of labels.")
    values = np.asarray(values)
    if values.dtype.kind == "O":
        values = np.array(_unwrapped(values), dtype=object)
    if values.dtype.kind not in "biufSUO":
        raise ValueError(f"{request.name}: {name} must hold labels, not {values.dtype}.")
    y = labels_from_array(values, whole=whole)
    if y.ndim != 1:
        raise ValueError(
            f"{request.name}: {name} must have one label a sample, not shape {y.shape}."
        )
    if "classes" in arrays and y.dtype.kind in "iu" and y.size:
        classes = np.array(texts(_unwrapped(arrays["classes"])), dtype=str)
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
        raise ValueError(f"{request.name}: X must hold numbers, not {shown(X.dtype)}.")
    _refuse_huge(X.shape[::-1] if request.transpose else X.shape, request)
    if X.dtype != np.float32:
        X = X.astype(np.float64)
    if request.transpose:
        X = X.T
    if not sparse.issparse(X):
        return np.ascontiguousarray(X)
    with clean_errors(request.name, "a sparse matrix"):
        if X.format in ("csr", "csc", "bsr"):
            X.check_format(full_check=True)
        X = sparse.csr_array(X)
        X.check_format(full_check=True)
        X.sum_duplicates()
    return X


def _refuse_huge(shape, request):
    """Raise if a sparse matrix claims a size for which names or row pointers fill the memory."""
    if shape[0] > _MOST_SAMPLES or shape[1] > _MOST_FEATURES:
        raise ValueError(
            f"{request.name}: X has shape {tuple(shape)}; at most {_MOST_SAMPLES} samples and "
            f"{_MOST_FEATURES} features are read."
        )


def numbered(n_features):
    """Return the names that scikit-learn gives to features without names."""
    return [f"x{j}" for j in range(n_features)]


def _without_dropped(X, names, request):
    kept = request.kept(names)
    if len(kept) < len(names):
        X, names = X[:, kept], [names[j] for j in kept]
    return X, names
