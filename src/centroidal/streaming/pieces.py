"""Pieces of a source, checked one by one, and put together to batches of a fixed height."""

import mmap
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from scipy import sparse

__all__ = ["Identity", "Piece", "ahead", "joined"]

# Memory that is shared, which it is unless said otherwise, takes half as long again to get.
_PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}


class Piece(NamedTuple):
    """Rows of one file, as many as its reader likes to give at a time."""

    X: object
    y: np.ndarray
    ids: np.ndarray | None
    name: str

    @property
    def n_rows(self):
        """Number of rows."""
        return self.X.shape[0]

    def rows(self, start, stop):
        """Take some of the rows."""
        if start == 0 and stop >= self.n_rows:
            return self
        ids = None if self.ids is None else self.ids[start:stop]
        return self._replace(X=self.X[start:stop], y=self.y[start:stop], ids=ids)


class Identity(NamedTuple):
    """What a source is known by: its format, its files and the names and types of its columns.

    The times at which its files were changed do not count, and tell which of them may have been.
    """

    format: str
    files: list  # of [name, size in bytes, rows or None]
    columns: str  # a digest
    times: tuple = ()  # in nanoseconds, of each file


def joined(pieces, n_rows, n_left):
    """Yield rows in fixed numbers: samples, labels, ids, and how many rows came from which file.

    There are `n_left` rows in all, and `n_rows` at a time, the last time fewer. Dense pieces are
    copied to one array as they come, so that no more than that array is kept.
    """
    room, memory = None, _Memory()
    for piece in pieces:
        start = 0
        while start < piece.n_rows:
            room = room or _Room(min(n_rows, n_left), memory)
            stop = min(start + room.n_free, piece.n_rows)
            room.add(piece.rows(start, stop))
            n_left -= stop - start
            start = stop
            if room.n_free == 0:
                yield room.content()
                room = None


class _Memory:
    """Arrays one after the other, in the memory of earlier ones that nobody holds any more.

    To get memory from the system takes as long as to fill it. It is asked for in small pages: to
    clear large ones, which NumPy asks for, took several times as long as to fill them.
    """

    def __init__(self):
        self._free = []

    def array(self, shape, dtype):
        """Return an array of no particular values."""
        size = int(np.prod(shape))
        memory = self._free.pop() if self._free else b""
        if len(memory) < size * dtype.itemsize:
            memory = mmap.mmap(-1, size * dtype.itemsize, **_PRIVATE)
        # Views hold the array that they are views of in the end. That is this one, as it is made
        # of no array: the memory is free when it is gone.
        values = np.frombuffer(memory, dtype, size)
        weakref.finalize(values, self._free.append, memory).atexit = False
        return values.reshape(shape)


class _Room:
    """Rows of a batch, as far as they have come."""

    def __init__(self, height, memory):
        self._height = self.n_free = height
        self._memory = memory
        self._dense, self._parts = None, []
        self._labels, self._ids, self._files = [], [], {}

    def add(self, piece):
        """Add rows; there is room for them."""
        if sparse.issparse(piece.X) or piece.n_rows == self._height:
            self._parts.append(piece.X)
        else:
            if self._dense is None:
                shape = (self._height, piece.X.shape[1])
                self._dense = self._memory.array(shape, piece.X.dtype)
            at = self._height - self.n_free
            self._dense[at : at + piece.n_rows] = piece.X
        self._labels.append(piece.y)
        self._ids.append(piece.ids)
        self._files[piece.name] = self._files.get(piece.name, 0) + piece.n_rows
        self.n_free -= piece.n_rows

    def content(self):
        """Return samples, labels, ids, and how many rows came from which file."""
        X = self._dense
        if X is None:
            X = self._parts[0] if len(self._parts) == 1 else sparse.vstack(self._parts, "csr")
        ids = None if self._ids[0] is None else np.concatenate(self._ids)
        return X, np.concatenate(self._labels), ids, tuple(self._files.items())


def ahead(items):
    """Yield what a generator gives; a thread makes the next item while the current one is used."""
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="centroidal-batches") as pool:
        coming = pool.submit(next, items, None)
        try:
            while (item := coming.result()) is not None:
                coming = pool.submit(next, items, None)
                yield item
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            items.close()
