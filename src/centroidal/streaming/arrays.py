"""Arrays by name -> samples, labels and names; batches of those that lie on disk as in memory.

These are .npy files in a folder, and .npz as stored. Nothing is unpickled. Of sparse matrices the
indices are checked, because compiled code trusts them.
"""

import weakref
import zipfile
from hashlib import sha256
from math import prod
from pathlib import Path
from shutil import disk_usage, rmtree
from tempfile import mkdtemp
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .._files import check_source
from .._sparse import check_sparse_structure
from .labels import labels_from_array, sample_names
from .limits import RefusedFileError
from .pieces import FileFacts, Fingerprint, Piece
from .request import check_characters, clean_errors, quote, texts

_BYTES_PER_NAME = 140  # with what finds repeated ones among them
_MOST_SAMPLES, _MOST_FEATURES = 2**28, 2**25
_CSR = ("data", "indices", "indptr")
_LABELS_AT_A_TIME = 2**16
_ENTRIES_AT_A_TIME = 2**24  # of a matrix that is stored by columns
_LOCAL_HEADER = 30  # bytes, before the name of a member


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


def as_samples(X, request, n_stored=None):
    """Return an array of numbers, or CSR, with samples in rows.

    If it was read from a file of `n_stored` bytes, it may take as much memory as such a file may.
    """
    if not sparse.issparse(X):
        X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"{request.name}: X must have two dimensions, not shape {X.shape}.")
    if X.dtype.kind not in "biuf":
        raise ValueError(f"{request.name}: X must hold numbers, not {quote(X.dtype)}.")
    check_sparse_structure(X, f"{request.name}: X")
    shape = X.shape[::-1] if request.transpose else X.shape
    refuse_huge(shape, request)
    if n_stored is not None:
        n_values = X.nnz + shape[0] if sparse.issparse(X) else X.size
        n_bytes = 8 * n_values + _BYTES_PER_NAME * shape[1]
        request.check_size(n_bytes, n_stored, f"X of shape {shape}")
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


# ------------------------------------------------------------------ batches of rows


class ArraysReader:
    """Arrays X, labels, and `classes`, `feature_names` and `ids` if they are in the files.

    `arrays` are of the kind `StoredArray`, by name.
    """

    def __init__(self, arrays, paths, request):
        self._paths, self._request = paths, request
        with self._clean_errors():
            self._matrix = _matrix_of(arrays, sum(path.stat().st_size for path in paths), request)
        refuse_huge(self._matrix.shape, request)
        self.n_samples, n_columns = self._matrix.shape
        self.n_stored = self._matrix.n_stored
        self.row_bytes = self._matrix.row_bytes
        for asked in (request.target, request.ids, *request.named_columns):
            if asked is not None and asked not in arrays:
                raise ValueError(request.say_unknown("array", asked, list(arrays)))
        self._y = arrays[request.target]
        self._check_length(request.target, self._y)
        self._ids = arrays.get(request.ids or "ids")
        if self._ids is not None:
            self._check_length(request.ids or "ids", self._ids)
        self._named = {name: arrays[name] for name in request.named_columns}
        for name, array in self._named.items():
            self._check_length(name, array)
        self.has_names = "feature_names" in arrays
        request.check_size(n_columns * _BYTES_PER_NAME, self._matrix.n_bytes, "names of features")
        names = numbered_names(n_columns)
        with self._clean_errors():
            self._classes = {"classes": arrays["classes"].whole()} if "classes" in arrays else {}
            stored = arrays["feature_names"].whole() if self.has_names else None
        if self.has_names:
            names = names_from_array("feature_names", stored, self._matrix, 1, request)
        self._kept = np.array(request.kept_positions(names))
        self.feature_names = [names[j] for j in self._kept.tolist()]

    def _clean_errors(self):
        return clean_errors(self._request.name, "arrays")

    def _check_length(self, name, array):
        if array.shape[:1] != (self.n_samples,):
            raise ValueError(
                f"{self._request.name}: {name} of shape {array.shape} must have an entry for each "
                f"of {self.n_samples} samples."
            )

    @property
    def fingerprint(self):
        """What the source is known by."""
        files = [FileFacts.of(path) for path in self._paths]
        described = (self.feature_names, self._matrix.kind, self._matrix.shape)
        return Fingerprint("arrays", files, sha256(repr(described).encode()).hexdigest())

    def pieces(self, first_row, n_rows, columns):
        """Yield the rows from `first_row` on; nothing before it is touched."""
        kept = self._kept[columns]
        for start in range(first_row, self.n_samples, n_rows):
            stop = min(start + n_rows, self.n_samples)
            with self._clean_errors():
                X = self._matrix.rows(start, stop, kept, self._request)
                ids = None if self._ids is None else texts(self._ids[start:stop])
                named = {name: array[start:stop] for name, array in self._named.items()}
            ids = ids and np.array([name.strip() for name in ids], dtype=object)
            request = self._request
            found = sample_names(request, named.get)
            yield Piece(X, self._labels(start, stop), ids, request.name, **found)

    def labels(self):
        """Yield the labels alone, as often as they occur."""
        for start in range(0, self.n_samples, _LABELS_AT_A_TIME):
            yield self._request.name, self._labels(start, start + _LABELS_AT_A_TIME), None

    def _labels(self, start, stop):
        with self._clean_errors():
            some = {self._request.target: self._y[start:stop], **self._classes}
        return labels_of_arrays(some, self._request, whole=False)[1]


class Matrix(NamedTuple):
    """A matrix on disk, dense or CSR, of which rows can be taken."""

    shape: tuple
    n_bytes: int  # of the files that it is in
    dense: object = None  # something with two dimensions that can be sliced, or
    parts: tuple | None = None  # data, indices and row pointers of a CSR matrix

    @property
    def kind(self):
        """What it is, in a word."""
        return str(self.dense.dtype) if self.parts is None else f"CSR of {self.parts[0].dtype}"

    @property
    def n_stored(self):
        """Entries of a sparse matrix, None of a dense one."""
        return None if self.parts is None else int(self.parts[0].shape[0])

    @property
    def row_bytes(self):
        """Memory that a row takes once it is read, on average."""
        stored = self.dense if self.parts is None else self.parts[0]
        size = 4 if stored.dtype == np.float32 else 8
        if self.parts is None:
            return size * self.shape[1]
        return 8 + (size + 4) * self.n_stored / max(1, self.shape[0])

    def rows(self, start, stop, columns, request):
        """Take columns of a range of rows; sparse rows must be read whole, if at all."""
        if not columns.size:
            return np.empty((stop - start, 0))
        is_range = columns[-1] - columns[0] + 1 == columns.size
        if self.parts is None:
            wanted = slice(columns[0], columns[-1] + 1)
            n_values = (stop - start) * (wanted.stop - wanted.start)
            self._check_size(n_values * self.dense.dtype.itemsize, start, stop, request)
            X = as_samples(read_part(self.dense, start, stop, wanted), request)
            return X if is_range else np.ascontiguousarray(X[:, columns - columns[0]])
        X = as_samples(self.csr_rows(start, stop, request), request)
        return X if columns.size == X.shape[1] else X[:, columns]

    def _check_size(self, n_bytes, start, stop, request):
        request.check_size(n_bytes, self.n_bytes, f"rows {start + 1} ... {stop}")

    def csr_rows(self, start, stop, request):
        """Take a range of rows of a CSR matrix as they are stored."""
        data, indices, indptr = self.parts
        pointers = check_pointers(read_part(indptr, start, stop + 1), data, "row", start)
        first, last = int(pointers[0]), int(pointers[-1])
        entry_bytes = data.dtype.itemsize + indices.dtype.itemsize
        self._check_size((last - first) * entry_bytes, start, stop, request)
        entries = read_part(data, first, last), read_part(indices, first, last)
        return sparse.csr_array((*entries, pointers - first), shape=(stop - start, self.shape[1]))


class TurnedColumns:
    """A CSC matrix on disk, of which rows can be taken once it is turned.

    It is read once, some columns at a time, which are written as CSR to a temporary folder of about
    the size of the matrix; rows are put together from all of them.
    """

    def __init__(self, shape, parts, n_bytes, request):
        self._shape, (data, indices, indptr) = shape, parts
        pointers = check_pointers(read_part(indptr, 0, shape[1] + 1), data, "column", 0)
        self._folder = mkdtemp(prefix="centroidal-")
        weakref.finalize(self, rmtree, self._folder)
        _check_room(self._folder, data, indices, request)
        self._blocks = []
        for first, last in _cut_columns(pointers):
            mine = pointers[first : last + 1]
            entries = (read_part(each, mine[0], mine[-1]) for each in (data, indices))
            X = sparse.csc_array((*entries, mine - mine[0]), shape=(shape[0], last - first))
            check_sparse_structure(X, f"{request.name}: X")
            self._blocks.append(self._write(X.tocsr(), n_bytes))

    def _write(self, X, n_bytes):
        stored = []
        for name in _CSR:
            path = Path(self._folder) / f"{len(self._blocks)}-{name}.npy"
            np.save(path, getattr(X, name))
            stored.append(_stored_array(path, 0, path.name))
        return Matrix(X.shape, n_bytes, parts=tuple(stored))

    def rows(self, start, stop, columns, request):
        """Take columns of a range of rows, as `Matrix` does."""
        parts = [block.csr_rows(start, stop, request) for block in self._blocks]
        X = as_samples(sparse.hstack(parts, format="csr"), request)
        return X if columns.size == self._shape[1] else X[:, columns]


def _cut_columns(pointers):
    """Cut columns where so many entries are together; a large column is one part."""
    first = 0
    while first < pointers.size - 1:
        last = np.searchsorted(pointers, pointers[first] + _ENTRIES_AT_A_TIME, side="right") - 1
        last = max(int(last), first + 1)
        yield first, last
        first = last


def _check_room(folder, data, indices, request):
    """Raise if a folder has no room for the entries of a matrix."""
    needed = data.shape[0] * (data.dtype.itemsize + indices.dtype.itemsize)
    free = disk_usage(folder).free
    if needed > free:
        raise RefusedFileError(
            f"{request.name} is stored by columns (CSC), which are turned to rows in a temporary "
            f"folder: that takes {needed / 2**30:.1f} GiB, and {folder} has {free / 2**30:.1f}. "
            "TMPDIR names another folder; or store it by rows: with anndata, adata.X = "
            "adata.X.tocsr() before it is written."
        )


def check_pointers(pointers, data, what, start):
    """Return pointers to entries as int64; raise if they lead elsewhere."""
    pointers = pointers.astype(np.int64)
    in_order = pointers.size > 0 and not (np.diff(pointers) < 0).any()
    if not in_order or not 0 <= pointers[0] <= pointers[-1] <= data.shape[0]:
        stop = start + pointers.size - 1
        raise ValueError(f"the {what} pointers of {what}s {start} ... {stop} lead elsewhere.")
    return pointers


def read_part(array, start, stop, columns=None):
    """Read a range of an array, or of its rows; if that fails, name the chunk that is damaged."""
    try:
        return np.asarray(_slice(array, start, stop, columns))
    except Exception as error:
        chunk = _damaged_chunk(array, start, stop, columns)
        if chunk is None:
            raise
        raise ValueError(f"{chunk} is damaged: {error}") from error


def _slice(array, start, stop, columns):
    return array[start:stop] if columns is None else array[start:stop, columns]


def _damaged_chunk(array, start, stop, columns):
    """Return the first chunk of a range that cannot be read, in words; None if it is none."""
    height = (getattr(array, "chunks", None) or (None,))[0]
    for first in () if height is None else range(start - start % height, stop, height):
        last = min(first + height, stop)
        try:
            _slice(array, max(first, start), last, columns)
        except Exception:
            what = "entries" if columns is None else "rows"
            return f"chunk {first // height} of {array.name} ({what} {first} ... {last - 1})"
    return None


def _matrix_of(arrays, n_bytes, request):
    if "X" in arrays:
        X = arrays["X"]
        if len(X.shape) != 2:
            raise RefusedFileError(
                f"{request.name}: X must have two dimensions, not shape {X.shape}."
            )
        if X.dtype.kind not in "biuf":
            raise RefusedFileError(f"{request.name}: X must hold numbers, not {X.dtype}.")
        return Matrix(X.shape, n_bytes, dense=X)
    if not {*_CSR, "shape"} <= set(arrays):
        raise RefusedFileError(
            f"{request.name} must hold an array X, or a CSR matrix as {', '.join(_CSR)}, shape. "
            f"It has {', '.join(map(repr, arrays)) or 'nothing'}."
        )
    if "format" in arrays and texts(arrays["format"].whole()) != ["csr"]:
        raise RefusedFileError(f"{request.name}: a sparse matrix must be CSR to be read by rows.")
    shape = arrays["shape"]
    if shape.shape not in ((2,), (1, 2)) or shape.dtype.kind not in "iu":
        raise RefusedFileError(
            f"{request.name}: shape must be two whole numbers, not {shape.dtype} of shape "
            f"{shape.shape}."
        )
    shape = tuple(shape.whole().ravel().tolist())
    data, indices, indptr = parts = tuple(arrays[name] for name in _CSR)
    if min(shape) < 0 or data.shape != indices.shape or indptr.shape != (shape[0] + 1,):
        raise RefusedFileError(
            f"{request.name}: shape {shape} and the arrays of the CSR matrix do not fit together."
        )
    return Matrix(shape, n_bytes, parts=parts)


# ------------------------------------------------------------------ arrays on disk


class StoredArray(NamedTuple):
    """An array in a file, of which slices are copied to memory.

    It is mapped anew for each slice, so that pages that were read do not pile up.
    """

    path: object
    offset: int
    dtype: np.dtype
    shape: tuple
    order: str

    def __getitem__(self, key):
        return check_characters(np.array(self._map_file()[key], order="C"), self.path.name)

    def whole(self):
        """Copy all of it."""
        return check_characters(np.array(self._map_file()), self.path.name)

    def _map_file(self):
        if 0 in self.shape:
            return np.empty(self.shape, self.dtype)
        flat = np.memmap(self.path, self.dtype, "r", self.offset, self.shape or (1,), self.order)
        return flat if self.shape else flat[0]


def read_array_header(stream, name, size):
    """Return the shape, order and type of an array; raise if it is not all in `size` bytes."""
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"{name} is an array of version {version}, not 1.0 or 2.0.")
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }[version]
    shape, is_fortran, dtype = read(stream)
    if dtype.hasobject:
        raise ValueError(f"{name} holds Python objects, which are not unpickled.")
    if stream.tell() + dtype.itemsize * prod(shape) > size or min(shape, default=0) < 0:
        raise ValueError(f"{name} ends before all of its shape {shape} is there.")
    return shape, "F" if is_fortran else "C", dtype


def _stored_array(path, offset, name):
    """Read the header of an array that begins at a place of a file."""
    with open(path, "rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(offset)
        shape, order, dtype = read_array_header(stream, name, size)
        return StoredArray(path, stream.tell(), dtype, shape, order)


def open_folder(path, request):
    """Open a folder with X.npy, the labels and what else is there, each in a file of its own."""
    paths = sorted(path.glob("*.npy"))
    arrays = {}
    for each in paths:
        check_source(each)
        with clean_errors(f"{request.name}/{each.name}", "a .npy file"):
            arrays[each.stem] = _stored_array(each, 0, each.name)
    return ArraysReader(arrays, paths, request)


def open_npz(path, request):
    """Open an .npz file whose arrays are not compressed."""
    with clean_errors(request.name, "a .npz file"), zipfile.ZipFile(path) as archive:
        infos = [info for info in archive.infolist() if info.filename.endswith(".npy")]
    if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
        raise ValueError(
            f"{request.name} is compressed, so that no part of it can be read alone. Write it with "
            "numpy.savez instead of savez_compressed (scipy: save_npz with compressed=False), or "
            "as Parquet."
        )
    arrays = {}
    for info in infos:
        name = info.filename.removesuffix(".npy")
        with clean_errors(request.name, "a .npz file"):
            arrays[name] = _stored_array(path, _place_of(path, info), name)
    return ArraysReader(arrays, [path], request)


def _place_of(path, info):
    with open(path, "rb") as stream:
        stream.seek(info.header_offset)
        head = stream.read(_LOCAL_HEADER)
    n_name = int.from_bytes(head[26:28], "little")
    n_extra = int.from_bytes(head[28:30], "little")
    return info.header_offset + _LOCAL_HEADER + n_name + n_extra
