"""Annotated matrices in .h5ad and .zarr, of which only what is harmless is read.

A file says itself where its parts lie and how they are packed. So each part is looked at before
anything of it is read: it must lie in the file, be packed by known filters, and take no more memory
than `limits.py` allows. What is promised for damaged files is an error, not a wrong value: numbers
have no checksum unless whoever wrote the file asked for one.
"""

import mmap
import struct
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from math import prod
from typing import NamedTuple

import numpy as np

from .._optional import require
from .arrays import Matrix, TurnedColumns, refuse_huge
from .checked_store import open_checked
from .labels import labels_from_values, sample_names
from .limits import (
    CHECKSUM_BYTES,
    COMPRESSORS,
    MOST_DEFLATED,
    RefusedFileError,
    bounded_memory,
    inflates_beyond,
    is_cut_off,
    memory_limit,
    number_of_texts,
    unpacked_size,
)
from .pieces import FileFacts, Fingerprint, Piece
from .remote import count_bytes
from .request import clean_errors, texts

# Filters of HDF5 that come with h5py: deflate, shuffle, fletcher32, szip, nbit, scaleoffset, lzf.
# Others are libraries that HDF5 would look for on this machine, and load.
_HDF5_FILTERS = {1, 2, 3, 4, 5, 6, 32000}
_DEFLATE = 1
_MOST_LINKS = 8
_BYTES_PER_VALUE = 64  # as an object of Python in a list
_LABELS_AT_A_TIME = 2**16
# Filters of zarr that only rearrange; beside them are the compressors of `unpacked_size`. Not among
# them are `pickle`, and `bz2` and `lzma`, whose chunks do not say what they unpack to.
_ZARR_FILTERS = {"bytes", "crc32c", "delta", "shuffle", "transpose", "vlen-bytes", "vlen-utf8"}


class StoredMatrix(NamedTuple):
    """A matrix as it is stored: "dense" with one array, or "csr" or "csc" with three."""

    kind: str
    shape: tuple
    arrays: tuple


class AnnotatedFile:
    """X or a layer with the tables `obs` and `var`, as a file holds them."""

    def __init__(self, root, store, request):
        self._root, self._store, self._request = root, store, request
        if not all(self._is_table(name) for name in ("obs", "var")):
            raise RefusedFileError(
                f"{request.name} has no tables 'obs' and 'var' as anndata 0.7 or later writes "
                "them; read it with anndata and write it again."
            )
        order = store.attribute(store.member(root, "obs"), "column-order")
        self.columns = [] if order is None else texts(order)

    def _is_table(self, name):
        is_there = self._store.has_member(self._root, name)
        return is_there and hasattr(self._store.member(self._root, name), "keys")

    def column(self, name, table="obs"):
        """Return a column of a table, of which slices can be read."""
        return Column(self._store.member(self._root, table), name, self._store)

    def names(self, table):
        """Return the column with the names of the rows of a table."""
        index = self._store.attribute(self._store.member(self._root, table), "_index")
        return self.column("_index" if index is None else str(index), table)

    def check_columns(self):
        """Raise unless there are the columns of `obs` that were asked for."""
        request = self._request
        for asked in (request.target, request.ids, *request.annotations):
            if asked is not None and asked not in self.columns:
                words = request.say_unknown("column of obs", asked, self.columns)
                raise RefusedFileError(words)

    def matrix(self):
        """Return X or the layer that was asked for, as it is stored."""
        store, name = self._store, self._request.name
        stored = self._member_with_matrix()
        if hasattr(stored, "shape"):
            store.check_array(stored, n_dimensions=2)
            return StoredMatrix("dense", tuple(stored.shape), (stored,))
        kind = str(_first(store, stored, "encoding-type", "h5sparse_format"))[:3]
        shape = _first(store, stored, "shape", "h5sparse_shape")
        if kind not in ("csr", "csc") or np.shape(shape) != (2,):
            raise RefusedFileError(
                f"{name}: a matrix of kind {kind!r} is neither dense nor CSR or CSC."
            )
        shape = tuple(int(size) for size in shape)
        arrays = tuple(store.array(stored, part) for part in ("data", "indices", "indptr"))
        n_pointers = shape[0 if kind == "csr" else 1] + 1
        sizes = [each.shape[0] for each in arrays]
        if min(shape) < 0 or sizes[1:] != [sizes[0], n_pointers]:
            raise RefusedFileError(f"{name}: shape and arrays of the matrix do not fit together.")
        return StoredMatrix(kind, shape, arrays)

    def _member_with_matrix(self):
        request, layers = self._request, []
        if self._store.has_member(self._root, "layers"):
            layers = list(self._store.member(self._root, "layers").keys())
        if request.layer is not None:
            if request.layer not in layers:
                raise RefusedFileError(request.say_unknown("layer", request.layer, layers))
            return self._store.member(self._store.member(self._root, "layers"), request.layer)
        if not self._store.has_member(self._root, "X"):
            raise RefusedFileError(f"{request.name} has no X; name a layer: {layer_names(layers)}.")
        return self._store.member(self._root, "X")


def _first(store, stored, *names):
    """Return the first of some attributes that is there."""
    found = (store.attribute(stored, name) for name in names)
    return next((value for value in found if value is not None), None)


def layer_names(layers):
    """List the layers there are, for a message."""
    return ", ".join(map(repr, layers)) or "there is none"


class Column:
    """Slices of a column: plain values, categories, or values with a mask."""

    def __init__(self, table, name, store):
        self._store = store
        self._categories = self._mask = None
        stored = store.member(table, name)
        if hasattr(stored, "shape"):
            self._values = stored
            reference = store.attribute(stored, "categories")  # as anndata 0.7 wrote it
            if reference is not None:
                categories = table.file[reference]
                store.check_array(categories)
                self._categories = store.values(categories)
        elif store.has_member(stored, "codes"):
            self._values = store.array(stored, "codes")
            self._categories = store.values(store.array(stored, "categories"))
        else:
            self._values, self._mask = (store.array(stored, part) for part in ("values", "mask"))
        store.check_array(self._values)

    def __len__(self):
        return self._values.shape[0]

    def __getitem__(self, rows):
        values = self._store.values(self._values, rows)
        if self._categories is not None:
            return [None if code < 0 else self._categories[code] for code in values]
        if self._mask is None:
            return values
        mask = self._store.values(self._mask, rows)
        return [None if gone else value for value, gone in zip(values, mask, strict=True)]


class _Store:
    """What both kinds of files share: they are opened, and their arrays are checked and read."""

    def __init__(self, path, request):
        self.path, self._request = path, request

    @contextmanager
    def open(self):
        """Give what is in the file, as long as it is open."""
        with clean_errors(self._request.name, self.kind):
            manager = self._open_root()
            root = manager.__enter__()
        try:
            with clean_errors(self._request.name, self.kind):
                file = AnnotatedFile(root, self, self._request)
            yield file
        finally:
            manager.__exit__(None, None, None)

    @cached_property
    def n_bytes(self):
        """Bytes of all files."""
        return sum(path.stat().st_size for path in self.files.values())

    def refuse(self, member, why):
        """Raise because of a member."""
        raise RefusedFileError(f"{self._request.name}: {member} {why}, which is not read.")

    def array(self, group, name):
        """Return a member that is an array of one dimension."""
        found = self.member(group, name)
        self.check_array(found)
        return found

    def check_array(self, stored, n_dimensions=1):
        """Raise unless a member is an array of numbers or texts, and packed by known filters."""
        if len(getattr(stored, "shape", ())) != n_dimensions:
            self.refuse(stored.name, f"is no array of {n_dimensions} dimensions")
        self._check_filters(stored)
        unpacked = prod(stored.chunks or ()) * stored.dtype.itemsize
        self._request.check_size(unpacked, self.n_bytes, f"a chunk of {stored.name}")

    def values(self, stored, rows=slice(None)):
        """Read some of an array of one dimension, which was checked, as a list."""
        start, stop, _ = rows.indices(stored.shape[0])
        n_bytes = (stop - start) * max(stored.dtype.itemsize, _BYTES_PER_VALUE)
        self._request.check_size(n_bytes, self.n_bytes, stored.name)
        return self._read(stored, start, stop)

    def check_matrix_size(self, matrix):
        """Raise if a matrix takes too much memory as a whole."""
        n_bytes = sum(prod(each.shape) * max(each.dtype.itemsize, 4) for each in matrix.arrays)
        self._request.check_size(n_bytes, self.n_bytes)


class Hdf5Store(_Store):
    """A file of anndata 0.7 or later; see `_Store`."""

    kind = "an .h5ad file"

    def __init__(self, path, request):
        super().__init__(path, request)
        self._h5py = require("h5py", "io", "Reading .h5ad")
        self.files = {path.name: path}

    def _open_root(self):
        self._longest_text  # noqa: B018  # a damaged heap is to be found before it is followed
        return self._h5py.File(self.path, "r")

    @cached_property
    def _longest_text(self):
        return longest_in_heaps(self.path)

    def has_member(self, group, name):
        """Say whether a group has a member, without following a link to look."""
        return group.get(name, getlink=True) is not None

    def member(self, group, path, n_links=_MOST_LINKS):
        """Return what a path leads to, link by link, so that none leads out of the file."""
        h5py = self._h5py
        place = group.file if path.startswith("/") else group
        for name in filter(None, path.split("/")):
            link = place.get(name, getlink=True)
            if isinstance(link, h5py.ExternalLink):
                self.refuse(f"{place.name}/{name}", f"is a link to {link.filename!r}")
            if isinstance(link, h5py.SoftLink):
                if n_links == 0:
                    self.refuse(f"{place.name}/{name}", "is one of too many links")
                place = self.member(place, link.path, n_links - 1)
            else:
                place = place[name]
        if not isinstance(place, (h5py.Group, h5py.Dataset)):
            self.refuse(path, "is neither a group nor an array")
        return place

    def attribute(self, stored, name):
        """Return an attribute, None if it is not there."""
        if name not in stored.attrs:
            return None
        found = stored.attrs.get_id(name)
        self._check_type(found.get_type(), f"the attribute {name!r} of {stored.name}")
        n_bytes = prod(found.shape or (0,)) * max(found.dtype.itemsize, self._longest_text)
        self._request.check_size(n_bytes, self.n_bytes, f"the attribute {name!r} of {stored.name}")
        with self._bound_memory():
            return stored.attrs[name]

    def _bound_memory(self):
        """Bound what libhdf5 takes for texts, whose lengths in references only it sees."""
        return bounded_memory(memory_limit(self.n_bytes, self._request.max_bytes))

    def _check_filters(self, stored):
        settings = stored.id.get_create_plist()
        if stored.is_virtual:
            self.refuse(stored.name, "is put together from other arrays (virtual)")
        if settings.get_external_count():
            self.refuse(stored.name, "is stored in another file")
        filters = [settings.get_filter(i) for i in range(settings.get_nfilters())]
        numbers = [number for number, *_ in filters]
        for number, *_, name in filters:
            if number not in _HDF5_FILTERS or numbers.count(number) > 1:
                self.refuse(stored.name, f"is stored with filter {number} ({name.decode()!r})")
        if stored.chunks is not None:
            self._check_chunks(stored, _DEFLATE in numbers)
        self._check_type(stored.id.get_type(), stored.name)

    def _check_chunks(self, stored, is_deflated):
        """Raise if a chunk unpacks to more than its header says: libhdf5 would unpack it all.

        That is tried out on chunks that could take too much memory, of which a file has few.
        """
        limit = memory_limit(self.n_bytes, self._request.max_bytes)
        most = min(self.n_bytes, limit // MOST_DEFLATED if is_deflated else limit)
        large = []

        def look(chunk):
            if chunk.size > most:
                large.append(chunk)

        stored.id.chunk_iter(look)
        unpacked = prod(stored.chunks) * stored.dtype.itemsize + CHECKSUM_BYTES
        for chunk in large:
            if chunk.size > self.n_bytes:
                self.refuse(stored.name, "has a chunk that is larger than the file")
            _, packed = stored.id.read_direct_chunk(chunk.chunk_offset)
            if is_deflated and inflates_beyond(packed, unpacked):
                self.refuse(stored.name, "unpacks to more than it says")

    def _check_type(self, kind, name):
        """Raise unless a type is plain: reading others may end the process."""
        h5t = self._h5py.h5t
        if kind.get_class() not in (h5t.INTEGER, h5t.FLOAT, h5t.STRING, h5t.ENUM, h5t.REFERENCE):
            self.refuse(name, "holds neither numbers nor texts")

    def _read(self, stored, start, stop):
        if stored.dtype.kind not in "OS":
            return stored[start:stop].tolist()
        # Many texts may be one and the same in the file, and are many in memory.
        limit = memory_limit(self.n_bytes, self._request.max_bytes)
        step = max(1, limit // max(self._longest_text, 1))
        found, n_bytes = [], 0
        for first in range(start, stop, step):
            with self._bound_memory():
                found += stored.asstr()[first : min(first + step, stop)].tolist()
            n_bytes += sum(map(len, found[first - start :]))
            self._request.check_size(n_bytes, self.n_bytes, stored.name)
        return found


class ZarrStore(_Store):
    """A folder that anndata wrote with zarr; see `_Store`."""

    kind = "a .zarr folder"

    def __init__(self, path, request):
        super().__init__(path, request)
        self._zarr = require("zarr", "io", "Reading .zarr")
        inside = path.resolve()
        self.files = {}
        for each in sorted(path.rglob("*")):
            name = each.relative_to(path).as_posix()
            if each.is_symlink() and not each.resolve().is_relative_to(inside):
                self.refuse(name, "is a link out of the folder")
            if each.is_file():
                self.files[name] = each

    @contextmanager
    def _open_root(self):
        yield self._zarr.open_group(self.path, mode="r")

    def has_member(self, group, name):
        """Say whether a group has a member."""
        return name in group

    def member(self, group, name):
        """Return a member of a group."""
        return group[name]

    def attribute(self, stored, name):
        """Return an attribute, None if it is not there."""
        return stored.attrs.get(name)

    def _check_filters(self, stored):
        described = stored.metadata.to_dict()
        codecs = [*(described.get("filters") or ()), *(described.get("codecs") or ())]
        names = [_codec_name(codec) for codec in (*codecs, described.get("compressor")) if codec]
        for name in names:
            if name not in _ZARR_FILTERS | COMPRESSORS:
                self.refuse(stored.name, f"is stored with {name!r}")
        compressors = [name for name in names if name in COMPRESSORS]
        outermost = [name for name in names if name != "crc32c"][-1:]
        if compressors and compressors != outermost:
            self.refuse(stored.name, f"is stored with {', then '.join(names)}")
        self._check_chunks(stored, *compressors)

    def _check_chunks(self, stored, compressor=None):
        """Raise if a chunk says that it unpacks to more than the array says, or to more texts."""
        promise = _Promise.of(stored, compressor)
        for path in self._chunk_files(stored):
            self._check_chunk(path, promise, path.name)

    def _check_chunk(self, chunk, promise, key):
        limit = memory_limit(self.n_bytes, self._request.max_bytes)
        most = limit if promise.is_text else promise.n_bytes
        compressor = promise.compressor
        if is_cut_off(chunk, compressor):
            self.refuse(promise.name, f"has the chunk {key} that is cut off")
        if compressor is not None and unpacked_size(chunk, compressor, limit) > most:
            self.refuse(promise.name, "unpacks to more than it says, or does not say to what")
        if promise.is_text and number_of_texts(chunk, compressor) > promise.n_values:
            self.refuse(promise.name, "has more texts in a chunk than it says")

    def _chunk_files(self, stored):
        for name, path in self.files.items():
            if (
                name.startswith(f"{stored.path}/")
                and path.name[0] != "."
                and path.suffix != ".json"
            ):
                yield path

    def _read(self, stored, start, stop):
        return np.asarray(stored[start:stop]).tolist()


class _Promise(NamedTuple):
    """What an array of zarr says of each of its chunks."""

    name: str
    compressor: str | None
    n_values: int
    n_bytes: int  # unpacked
    is_text: bool

    @classmethod
    def of(cls, stored, compressor):
        """Return that of an array."""
        n_values, is_text = prod(stored.chunks), stored.dtype.kind in ("O", "T")
        n_bytes = n_values * stored.dtype.itemsize + CHECKSUM_BYTES
        return cls(stored.name, compressor, n_values, n_bytes, is_text)


class RemoteZarrStore(ZarrStore):
    """The same at a URL: a chunk is checked when it has come, and before it is unpacked."""

    def __init__(self, source, request):
        _Store.__init__(self, source, request)
        self._zarr = require("zarr", "io", "Reading .zarr")
        self.n_bytes = count_bytes(source)
        self._promises = {}  # of arrays that were looked at, by their paths

    @property
    def files(self):
        """Raise: what is at a URL may change without notice."""
        raise ValueError(f"{self._request.name}: a checkpoint is for files of this machine.")

    @contextmanager
    def _open_root(self):
        yield self._zarr.open_group(open_checked(self.path.url, self._check), mode="r")

    def _check_chunks(self, stored, compressor=None):
        self._promises[stored.path] = _Promise.of(stored, compressor)

    def _check(self, key, chunk):
        """Raise if a chunk is not what its array promises."""
        promised = [each for path, each in self._promises.items() if key.startswith(f"{path}/")]
        if not promised:
            self.refuse(key, "belongs to no array that was looked at")
        self._check_chunk(chunk, promised[0], key)


def _codec_name(codec):
    if isinstance(codec, str):
        return codec
    if not isinstance(codec, dict):
        codec = codec.get_config() if hasattr(codec, "get_config") else codec.to_dict()
    return codec.get("id", codec.get("name"))


# ------------------------------------------------------------------ batches of rows


class AnnotatedReader:
    """X or a layer of a store, with `obs` and `var`, of which rows are read as they are needed."""

    has_names = True

    def __init__(self, store, request):
        self._store, self._request, self._turned = store, request, None
        with store.open() as file:
            with self._clean_errors():
                kind, matrix = self._matrix(file)
                names, ids = texts(file.names("var")[:]), file.names("obs")
                file.check_columns()
            refuse_huge(matrix.shape, request)
            for what, found, size in (("names", names, 1), ("ids", ids, 0)):
                if len(found) != matrix.shape[size]:
                    raise ValueError(
                        f"{request.name} has {len(found)} {what} for a matrix {matrix.shape}."
                    )
            self.n_samples = matrix.shape[0]
            self.n_stored, self.row_bytes = matrix.n_stored, matrix.row_bytes
            self._described = f"{kind}, {matrix.kind}", matrix.shape
        self._kept = np.array(request.kept_positions(names))
        self.feature_names = [names[j] for j in self._kept.tolist()]

    @property
    def fingerprint(self):
        """What the source is known by."""
        described = repr((self.feature_names, self._described, self._request.layer))
        digest = sha256(described.encode()).hexdigest()
        files = [FileFacts.of(path, name) for name, path in self._store.files.items()]
        return Fingerprint(self._store.kind, files, digest)

    def pieces(self, first_row, n_rows, columns):
        """Yield the rows from `first_row` on; nothing before it is read."""
        kept, request = self._kept[columns], self._request
        with self._store.open() as file:
            with self._clean_errors():
                matrix = self._rows_of(file, kept)
                labels = None if request.target is None else file.column(request.target)
                ids = file.names("obs") if request.ids is None else file.column(request.ids)
                named = {name: file.column(name) for name in request.named_columns}
            for start in range(first_row, self.n_samples, n_rows):
                rows = slice(start, min(start + n_rows, self.n_samples))
                with self._clean_errors():
                    X = matrix.rows(rows.start, rows.stop, kept, request)
                    names = np.array(texts(ids[rows]), dtype=object)
                    y = None if labels is None else labels_from_values(labels[rows])
                    found = {name: column[rows] for name, column in named.items()}
                yield Piece(X, y, names, request.name, **sample_names(request, found.get))

    def labels(self):
        """Yield the labels alone, as often as they occur."""
        with self._store.open() as file:
            with self._clean_errors():
                labels = file.column(self._request.target)
            for start in range(0, self.n_samples, _LABELS_AT_A_TIME):
                with self._clean_errors():
                    y = labels_from_values(labels[start : start + _LABELS_AT_A_TIME])
                yield self._request.name, y, None

    def _clean_errors(self):
        return clean_errors(self._request.name, self._store.kind)

    def _matrix(self, file):
        """Return how the matrix is stored, and what is known of it."""
        stored = file.matrix()
        parts = {"dense": stored.arrays[0]} if stored.kind == "dense" else {"parts": stored.arrays}
        return stored.kind, Matrix(stored.shape, self._store.n_bytes, **parts)

    def _rows_of(self, file, columns):
        """Return the matrix, of which rows can be taken; what is stored by columns is turned."""
        kind, matrix = self._matrix(file)
        if kind != "csc" or not columns.size:
            return matrix
        if self._turned is None:
            self._turned = TurnedColumns(matrix.shape, matrix.parts, matrix.n_bytes, self._request)
        return self._turned


# ------------------------------------------------------------------ heaps of HDF5

_HEAP, _LEAST_HEAP = b"GCOL\x01", 4096
_HEAD = struct.Struct("<HHIQ")  # of an object: number, references, nothing, size
_PART_BYTES = 2**24


def longest_in_heaps(path):
    """Return the size of the largest text in a file of HDF5; raise if a heap of texts is damaged.

    libhdf5 follows the sizes in a heap without a check, and would not come to an end, or end the
    process. A heap is found by its signature, so that the whole file is looked through once.
    """
    longest, n_bytes, n_all = 0, 0, path.stat().st_size
    with open(path, "rb") as stream:
        for start in _find_all(stream, _HEAP):
            stream.seek(start + 8)
            size = int.from_bytes(stream.read(8), "little")
            if not _LEAST_HEAP <= size <= n_all - start:
                continue  # libhdf5 refuses it
            n_bytes += size
            if n_bytes > n_all:
                raise ValueError("its heaps of texts overlap")
            longest = max(longest, _longest_object(stream, start, size))
    return longest


def _find_all(stream, mark):
    """Yield where a mark stands in a file, of which a part is in memory at a time."""
    start, data = 0, b""
    while True:
        rest = data[1 - len(mark) :]  # which may be the beginning of one
        start += len(data) - len(rest)
        stream.seek(start + len(rest))
        data = rest + stream.read(_PART_BYTES)
        if data == rest:
            return
        place = data.find(mark)
        while place >= 0:
            yield start + place
            place = data.find(mark, place + 1)


def _longest_object(stream, start, size):
    lead = start % mmap.ALLOCATIONGRANULARITY
    options = {"access": mmap.ACCESS_READ, "offset": start - lead}
    longest, place, end = 0, lead + 16, lead + size
    with mmap.mmap(stream.fileno(), end, **options) as data:
        while end - place >= _HEAD.size:
            number, _, _, size = _HEAD.unpack_from(data, place)
            needed = size if number == 0 else _HEAD.size + size + -size % 8  # 0 is what is free
            if not _HEAD.size <= needed <= end - place:
                raise ValueError(f"the text {number} in the heap at byte {start} has {size} bytes")
            longest = max(longest, size if number else 0)
            place += needed
    return longest
