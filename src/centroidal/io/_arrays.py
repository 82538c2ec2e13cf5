"""Files of arrays (.npz, .mat, svmlight), and annotated matrices (.h5ad, AnnData)."""

import io
import warnings
import zlib
from math import prod
from zipfile import ZipFile

import numpy as np
from scipy import sparse

from ..streaming.annotated_file import Hdf5Store, layer_names
from ..streaming.arrays import (
    as_samples,
    labels_of_arrays,
    names_from_array,
    numbered_names,
    read_array_header,
)
from ..streaming.labels import labels_from_array, labels_from_values
from ..streaming.limits import memory_limit, unpack_gzip
from ..streaming.request import RawTable, check_characters, clean_errors, texts

_HDF5 = b"\x89HDF\r\n\x1a\n"
_CSR = ("data", "indices", "indptr", "shape")
_PARTS = {
    **dict.fromkeys(("csr", "csc", "bsr"), _CSR[:3]),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}


def read_npz(data, request, suffix):
    """Read X, and y, classes, feature_names and ids if they are there."""
    with clean_errors(request.name, "a .npz file"):
        arrays = _unpack_npz(data, request)
        names = list(arrays)
        X = arrays.pop("X") if "X" in arrays else _sparse_samples(arrays)
    if X is None:
        raise ValueError(
            f"{request.name} must hold an array X, or a sparse matrix as {', '.join(_CSR)}. "
            f"It has {', '.join(map(repr, names)) or 'nothing'}."
        )
    return _from_arrays(X, arrays, request, len(data))


def _unpack_npz(data, request):
    """Return all arrays; their headers are read first, so that none can ask for too much."""
    with ZipFile(io.BytesIO(data)) as archive:
        infos = [info for info in archive.infolist() if info.filename.endswith(".npy")]
        infos = {info.filename.removesuffix(".npy"): info for info in infos}
        n_bytes = 0
        for name, info in infos.items():
            with archive.open(info) as stream:
                shape, _, dtype = read_array_header(stream, name, info.file_size)
            # As numbers in double precision, or as texts of Python.
            n_bytes += prod(shape) * (dtype.itemsize + 64 if dtype.kind in "SU" else 8)
        request.check_size(n_bytes, len(data))
        arrays = {}
        for name, info in infos.items():
            with archive.open(info) as stream:
                array = np.lib.format.read_array(stream, allow_pickle=False)
                arrays[name] = check_characters(array, name)
    return arrays


def _sparse_samples(arrays):
    """Take the parts of a sparse matrix out of the arrays, as scipy.sparse.save_npz names them."""
    kind = texts(arrays.pop("format", "csr"))[0]
    if kind not in _PARTS:
        raise ValueError(f"a sparse matrix of the format {kind!r} is not read")
    if not {*_PARTS[kind], "shape"} <= set(arrays):
        return None
    parts = [arrays.pop(name) for name in _PARTS[kind]]
    shape = tuple(arrays.pop("shape").ravel().tolist())
    if kind == "coo":
        parts = [parts[0], tuple(parts[1:])]
    return getattr(sparse, f"{kind}_array")(tuple(parts), shape=shape)


def read_mat(data, request, suffix):
    """Read the arrays X and Y, as in the files of scikit-feature."""
    advice = "save it with -v7 in MATLAB, or as .npz"
    if data[:8] == _HDF5 or data[512:520] == _HDF5:
        raise ValueError(f"{request.name} is a MATLAB file of version 7.3: {advice}.")
    with clean_errors(request.name, "a .mat file"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from scipy.io import loadmat

        _check_mat5(data, request)
        arrays = loadmat(io.BytesIO(data))
    arrays = {name: value for name, value in arrays.items() if not name.startswith("__")}
    X = arrays.pop("X", None)
    if X is None:
        raise ValueError(
            f"{request.name} must hold an array X. It has "
            f"{', '.join(map(repr, arrays)) or 'nothing'}."
        )
    return _from_arrays(X, arrays, request, len(data), whole=True)


def read_svmlight(data, request, suffix):
    """Read a sparse table; features are named by the numbers they have in the file."""
    if request.transpose:
        request.refuse_option("transpose", "an svmlight file has samples in rows")
    if request.target not in (None, "y"):
        raise ValueError(request.say_unknown("target", request.target, ["y"]))
    if request.ids is not None:
        request.refuse_option("ids", "an svmlight file has none")
    if request.annotations:
        request.refuse_option("annotations", "an svmlight file has none")
    with clean_errors(request.name, "an svmlight file"):
        content = data
        if suffix.endswith(".gz"):
            content = unpack_gzip(data, request.name, request.max_bytes)
        from sklearn.datasets import load_svmlight_file

        X, y = load_svmlight_file(io.BytesIO(content), zero_based=True)
    if X.shape[0] == 0:
        raise ValueError(f"{request.name} is empty.")
    X = as_samples(X, request, len(data))
    names = numbered_names(X.shape[1])
    if names and not (X.indices == 0).any():  # most files count features from 1
        X, names = X[:, 1:], names[1:]
    X, names = _drop_features(X, names, request)
    return RawTable(X, names, labels_from_array(y, whole=True), None, "y")


def _from_arrays(X, arrays, request, n_stored, whole=False):
    X = as_samples(X, request, n_stored)
    names = numbered_names(X.shape[1])
    if "feature_names" in arrays:
        names = names_from_array("feature_names", arrays["feature_names"], X, 1, request)
    request.refuse_in_both(arrays)
    target, y = labels_of_arrays(arrays, request, whole)
    ids = arrays.get(request.ids or "ids")
    if ids is None and request.ids is not None:
        raise ValueError(request.say_unknown("array", request.ids, list(arrays)))
    if ids is not None:
        ids = names_from_array(request.ids or "ids", ids, X, 0, request)
    annotations = []
    for name in request.annotations:
        if name not in arrays:
            raise ValueError(request.say_unknown("array", name, list(arrays)))
        annotations.append(names_from_array(name, arrays[name], X, 0, request))
    X, names = _drop_features(X, names, request)
    return RawTable(X, names, y, ids, target, (), tuple(annotations))


def _drop_features(X, names, request):
    kept = request.kept_positions(names)
    if len(kept) < len(names):
        X, names = X[:, kept], [names[j] for j in kept]
    return X, names


# ------------------------------------------------------------------ annotated matrices


def read_annotated(adata, request):
    """Read an AnnData object; labels are a column of `obs`."""
    _refuse_transpose(request)
    if request.layer is not None:
        request.check_layer(list(adata.layers))
    X = adata.X if request.layer is None else adata.layers[request.layer]
    if X is None:
        raise ValueError(f"{request.name} has no X; name a layer: {layer_names(adata.layers)}.")
    if hasattr(X, "to_memory"):  # a sparse matrix that is still in its file
        X = X.to_memory()
    return _raw_table(
        X,
        texts(list(adata.var_names)),
        texts(list(adata.obs_names)),
        texts(list(adata.obs.columns)),
        lambda name: list(adata.obs[name]),
        request,
    )


def read_h5ad(path, request):
    """Read a file of anndata 0.7 or later without anndata."""
    _refuse_transpose(request)
    store = Hdf5Store(path, request)
    with store.open() as file, clean_errors(request.name, store.kind):
        file.check_columns()
        X = _read_matrix(store, file.matrix())
        names, ids = (texts(file.names(table)[:]) for table in ("var", "obs"))
        asked = (request.target, request.ids, *request.annotations)
        columns = {name: file.column(name)[:] for name in asked if name is not None}
    return _raw_table(X, names, ids, file.columns, columns.get, request, store.n_bytes)


def _refuse_transpose(request):
    if request.transpose:
        request.refuse_option("transpose", "its samples are in rows")


def _raw_table(X, names, ids, columns, column, request, n_stored=None):
    X = as_samples(X, request, n_stored)
    for asked in (request.target, request.ids, *request.annotations):
        if asked is not None and asked not in columns:
            raise ValueError(request.say_unknown("column of obs", asked, columns))
    request.refuse_in_both(columns)
    for what, found, size in (("names", names, X.shape[1]), ("ids", ids, X.shape[0])):
        if len(found) != size:
            raise ValueError(f"{request.name} has {len(found)} {what} for a matrix {X.shape}.")
    y = None if request.target is None else labels_from_values(column(request.target))
    if request.ids is not None:
        ids = texts(column(request.ids))
    annotations = tuple(list(column(name)) for name in request.annotations)
    X, names = _drop_features(X, names, request)
    return RawTable(X, names, y, ids, request.target, (), annotations)


def _read_matrix(store, matrix):
    store.check_matrix_size(matrix)
    arrays = tuple(array[()] for array in matrix.arrays)
    if matrix.kind == "dense":
        return arrays[0]
    make = {"csr": sparse.csr_array, "csc": sparse.csc_array}[matrix.kind]
    return make(arrays, shape=matrix.shape)


# ------------------------------------------------------------------ tags of MATLAB files, version 5

_HEADER = 128
_LEAVES = {1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 16, 17, 18}
_SIZES, _FLAGS, _MATRIX, _COMPRESSED = 5, 6, 14, 15
_OPAQUE = 17
_NESTING = {1, 2, 3, 16, 17}  # classes: cells, structures, objects, functions, opaque objects
_CONTAINERS = {1, 2, 3}
# How many elements other classes have: flags, sizes, name and values; sparse ones have indices too.
_N_PARTS = {4: 4, 5: 6, **dict.fromkeys(range(6, 16), 4)}
_N_BEFORE_NESTED = 3


def _check_mat5(data, request):
    """Raise unless each element has a known type, lies in the file, and nests where it may.

    SciPy takes the type of an element for an index without a check: a damaged file would end the
    process.
    """
    if 0 in data[:4]:  # version 4, which SciPy reads with checks
        return
    order = {b"IM": "little", b"MI": "big"}.get(data[126:_HEADER])
    if order is None:
        raise ValueError("the header is not that of a MATLAB file")
    limit, n_bytes = memory_limit(len(data), request.max_bytes), 0
    for kind, content in _elements(memoryview(data)[_HEADER:], order, padded=False):
        if kind == _COMPRESSED:
            unpacked = zlib.decompressobj().decompress(content, limit + 1)
            n_bytes += len(unpacked)
            request.check_size(n_bytes, len(data))
            inside = _elements(memoryview(unpacked), order, padded=False)
            kind, content = next(inside, (None, b""))
        if kind != _MATRIX:
            raise ValueError(f"an element of type {kind} stands where a matrix should")
        _check_matrix(content, order)


def _check_matrix(content, order):
    parts = list(_elements(content, order))
    if not parts:
        return  # an empty cell
    kind, flags = parts[0]
    if kind != _FLAGS or len(flags) != 8:
        raise ValueError("a matrix does not begin with its flags")
    word = int.from_bytes(flags[:4], order)
    what, is_complex = word & 0xFF, bool(word & 0x0800)
    if what not in _NESTING and what not in _N_PARTS:
        raise ValueError(f"a matrix is of the unknown class {what}")
    if len(parts) < _N_PARTS.get(what, _N_BEFORE_NESTED) + (is_complex and what in _N_PARTS):
        raise ValueError("a matrix ends before its values")
    if what != _OPAQUE and (parts[1][0] != _SIZES or len(parts[1][1]) < 8 or len(parts[1][1]) % 4):
        raise ValueError("a matrix does not say its sizes")  # SciPy takes two of them for granted
    if what in _CONTAINERS and _size(parts[1][1], order) > max(1, len(parts) - _N_BEFORE_NESTED):
        raise ValueError("a container has fewer entries than its size says")
    for place, (kind, part) in enumerate(parts):
        if kind == _MATRIX and what in _NESTING and place >= _N_BEFORE_NESTED - 1:
            _check_matrix(part, order)
        elif kind not in _LEAVES:
            raise ValueError(f"an element has the unknown type {kind}")


def _size(sizes, order):
    words = [sizes[start : start + 4] for start in range(0, len(sizes), 4)]
    return prod(int.from_bytes(word, order) for word in words)


def _elements(data, order, padded=True):
    """Yield the type and the content of each element; inside a matrix they end on full words."""
    position = 0
    while position + 8 <= len(data):
        word = int.from_bytes(data[position : position + 4], order)
        if word >> 16:  # up to four bytes are kept in the tag itself
            kind, size, start = word & 0xFFFF, word >> 16, position + 4
            if size > 4:
                raise ValueError("a small element has more than four bytes")
            position += 8
        else:
            kind, start = word, position + 8
            size = int.from_bytes(data[position + 4 : start], order)
            position = start + size + (-size % 8 if padded else 0)
        if start + size > len(data):
            raise ValueError("an element ends behind the end of the file")
        yield kind, data[start : start + size]
