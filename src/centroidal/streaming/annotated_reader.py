"""Batches of annotated matrices that stay in their file: .h5ad with h5py, .zarr with zarr."""

from contextlib import contextmanager
from hashlib import sha256

import numpy as np

from .._optional import require
from .arrays import Matrix, refuse_huge
from .labels import labels_from_values
from .pieces import Fingerprint, Piece
from .request import clean_errors, texts

__all__ = [
    "AnnotatedReader",
    "Column",
    "index_of",
    "layer_names",
    "open_h5ad",
    "open_tables",
    "open_zarr",
    "sparse_parts",
    "stored_matrix",
]

_LABELS_AT_A_TIME = 2**16
# Filters of zarr that only rearrange or compress. Not among them is `pickle`.
_FILTERS = {
    *("blosc", "bz2", "gzip", "lz4", "lzma", "zlib", "zstd"),
    *("bytes", "crc32c", "delta", "shuffle", "transpose", "vlen-bytes", "vlen-utf8"),
}


class AnnotatedReader:
    """X or a layer with the tables `obs` and `var`, of which rows are read as they are needed.

    Parameters
    ----------
    opened : function
        Returns a context manager that gives the root group.
    files : function
        Returns the files with their sizes.
    kind : str
        What the source is, in messages.
    request : Request
        What was asked for.
    """

    has_names = True

    def __init__(self, opened, files, kind, request):
        self._opened, self._files, self._kind, self._request = opened, files, kind, request
        with self._root() as root:
            matrix = self._matrix(root)
            refuse_huge(matrix.shape, request)
            with clean_errors(request.name, kind):
                names = texts(Column(root["var"], index_of(root["var"]))[:])
                columns = texts(root["obs"].attrs.get("column-order", []))
                self._index = index_of(root["obs"])
                n_ids = Column(root["obs"], self._index).n_rows
            self._describe(matrix, names, n_ids)
        for asked in (request.target, request.ids):
            if asked is not None and asked not in columns:
                raise ValueError(request.say_unknown("column of obs", asked, columns))
        self._kept = np.array(request.kept_positions(names))
        self.feature_names = [names[j] for j in self._kept.tolist()]

    def _describe(self, matrix, names, n_ids):
        for what, found, size in (("names", len(names), 1), ("ids", n_ids, 0)):
            if found != matrix.shape[size]:
                raise ValueError(
                    f"{self._request.name} has {found} {what} for a matrix {matrix.shape}."
                )
        self.n_samples = matrix.shape[0]
        self.n_stored, self.row_bytes = matrix.n_stored, matrix.row_bytes
        self._described = matrix.kind, matrix.shape

    @property
    def fingerprint(self):
        """What the source is known by."""
        described = repr((self.feature_names, self._described, self._request.layer))
        digest = sha256(described.encode()).hexdigest()
        return Fingerprint(self._kind, self._files(), digest)

    def pieces(self, first_row, n_rows, columns):
        """Yield the rows from `first_row` on; nothing before it is read."""
        kept = self._kept[columns]
        with self._root() as root:
            matrix = self._matrix(root)
            ids = self._column(root, self._request.ids or self._index)
            labels = self._column(root, self._request.target)
            for start in range(first_row, self.n_samples, n_rows):
                rows = slice(start, min(start + n_rows, self.n_samples))
                with clean_errors(self._request.name, self._kind):
                    X = matrix.rows(rows.start, rows.stop, kept, self._request)
                    names = np.array(texts(ids[rows]), dtype=object)
                    y = labels_from_values(labels[rows])
                yield Piece(X, y, names, self._request.name)

    def labels(self):
        """Yield the labels alone, as often as they occur."""
        with self._root() as root:
            labels = self._column(root, self._request.target)
            for start in range(0, self.n_samples, _LABELS_AT_A_TIME):
                with clean_errors(self._request.name, self._kind):
                    y = labels_from_values(labels[start : start + _LABELS_AT_A_TIME])
                yield self._request.name, y, None

    def _column(self, root, name):
        with clean_errors(self._request.name, self._kind):
            return Column(root["obs"], name)

    def _root(self):
        return open_tables(self._opened, self._request.name, self._kind)

    def _matrix(self, root):
        name = self._request.name
        stored = stored_matrix(root, self._request, self._kind)
        with clean_errors(name, self._kind):
            if hasattr(stored, "shape"):
                _check_filters(stored)
                return Matrix(tuple(stored.shape), dense=stored)
            kind, shape, parts = sparse_parts(stored)
            for part in parts:
                _check_filters(part)
        if kind == "csc":
            raise ValueError(
                f"{name} is stored by columns (CSC), so that rows cannot be read alone. Store it "
                "by rows: with anndata, adata.X = adata.X.tocsr() before it is written."
            )
        return Matrix(shape, parts=parts)


def open_h5ad(path, request):
    """Open a file of anndata 0.7 or later."""
    h5py = require("h5py", "io", "Reading .h5ad")

    def files():
        return [[path.name, path.stat().st_size, None]]

    return AnnotatedReader(lambda: h5py.File(path, "r"), files, "an .h5ad file", request)


def open_zarr(path, request):
    """Open a folder that anndata wrote with zarr."""
    zarr = require("zarr", "io", "Reading .zarr")

    def files():
        found = sorted(each for each in path.rglob("*") if each.is_file())
        return [[each.relative_to(path).as_posix(), each.stat().st_size, None] for each in found]

    @contextmanager
    def open_root():
        yield zarr.open_group(path, mode="r")

    return AnnotatedReader(open_root, files, "a .zarr folder", request)


@contextmanager
def open_tables(opened, name, kind):
    """Give the root group of a source, which must have the tables `obs` and `var`."""
    with clean_errors(name, kind):
        manager = opened()
        root = manager.__enter__()
    try:
        with clean_errors(name, kind):
            has_tables = all(hasattr(root.get(part), "keys") for part in ("obs", "var"))
        if not has_tables:
            raise ValueError(
                f"{name} has no tables 'obs' and 'var' as anndata 0.7 or later writes them; "
                "read it with anndata and write it again."
            )
        yield root
    finally:
        manager.__exit__(None, None, None)


def stored_matrix(root, request, kind):
    """Return X or the layer that was asked for, as it is stored."""
    with clean_errors(request.name, kind):
        has_X = "X" in root
        layers = list(root["layers"].keys()) if "layers" in root else []
    if request.layer is not None:
        request.check_layer(layers)
    elif not has_X:
        raise ValueError(f"{request.name} has no X; name a layer: {layer_names(layers)}.")
    with clean_errors(request.name, kind):
        return root["X"] if request.layer is None else root["layers"][request.layer]


def sparse_parts(stored):
    """Return the kind of a sparse matrix, csr or csc, its shape, and its arrays as stored."""
    kind = str(stored.attrs.get("encoding-type", stored.attrs.get("h5sparse_format", "")))
    shape = stored.attrs.get("shape", stored.attrs.get("h5sparse_shape"))
    if kind[:3] not in ("csr", "csc") or shape is None:
        raise ValueError(f"a matrix of kind {kind!r} is neither dense nor CSR or CSC.")
    parts = tuple(stored[name] for name in ("data", "indices", "indptr"))
    return kind[:3], tuple(int(size) for size in shape), parts


def layer_names(layers):
    """List the layers there are, for a message."""
    return ", ".join(map(repr, layers)) or "there is none"


# ------------------------------------------------------------------ columns of obs and var


class Column:
    """Slices of a column: plain values, categories, or values with a mask."""

    def __init__(self, table, name):
        stored = table[name]
        self._categories = self._mask = None
        if hasattr(stored, "shape"):
            self._values = stored
            reference = stored.attrs.get("categories")  # as anndata 0.7 wrote it
            if reference is not None:
                self._categories = _values(table.file[reference], slice(None))
        elif "codes" in stored:
            self._values = stored["codes"]
            self._categories = _values(stored["categories"], slice(None))
        else:
            self._values, self._mask = stored["values"], stored["mask"]

    @property
    def n_rows(self):
        """Number of rows."""
        return self._values.shape[0]

    def __getitem__(self, rows):
        values = _values(self._values, rows)
        if self._categories is not None:
            return [None if code < 0 else self._categories[code] for code in values]
        if self._mask is None:
            return values
        mask = _values(self._mask, rows)
        return [None if gone else value for value, gone in zip(values, mask, strict=True)]


def index_of(table):
    """Return the name of the column with the names of the rows."""
    return table.attrs.get("_index", "_index")


def _values(stored, rows):
    _check_filters(stored)
    if hasattr(stored, "asstr") and stored.dtype.kind in "OS":
        stored = stored.asstr()
    return np.asarray(stored[rows]).tolist()


def _check_filters(stored):
    """Raise if an array of zarr is to be decoded by something that could run code."""
    metadata = getattr(stored, "metadata", None)
    if metadata is None:
        return
    described = metadata.to_dict()
    codecs = [described.get("compressor"), *(described.get("filters") or ())]
    codecs += described.get("codecs") or ()
    for codec in codecs:
        name = codec if codec is None or isinstance(codec, str) else _codec_name(codec)
        if name is not None and name not in _FILTERS:
            raise ValueError(f"{stored.name} is stored with {name!r}, which is not read.")


def _codec_name(codec):
    if not isinstance(codec, dict):
        codec = codec.get_config() if hasattr(codec, "get_config") else codec.to_dict()
    return codec.get("id", codec.get("name"))
