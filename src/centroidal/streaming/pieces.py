"""Pieces of a source, put together to batches of a fixed height."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from scipy import sparse

__all__ = ["Fingerprint", "Piece", "concatenate_pieces", "prefetch"]


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


class Fingerprint(NamedTuple):
    """What a source is known by: its format, its files and the names and types of its columns."""

    format: str
    files: list  # of [name, size in bytes, rows or None]
    columns: str  # a digest


def concatenate_pieces(pieces, n_rows, n_left):
    """Yield rows in fixed numbers: samples, labels, ids, and how many rows came from which file.

    There are `n_left` rows in all, and `n_rows` at a time, the last time fewer. Dense pieces are
    copied to one array as they come, so that no more than that array is kept.
    """
    batch = None
    for piece in pieces:
        start = 0
        while start < piece.n_rows:
            batch = batch or _BatchBuffer(min(n_rows, n_left))
            stop = min(start + batch.n_free, piece.n_rows)
            batch.add(piece.rows(start, stop))
            n_left -= stop - start
            start = stop
            if batch.n_free == 0:
                yield batch.content()
                batch = None


class _BatchBuffer:
    """Rows of a batch, as far as they have come."""

    def __init__(self, height):
        self._height = self.n_free = height
        self._dense, self._parts = None, []
        self._labels, self._ids, self._files = [], [], {}

    def add(self, piece):
        """Add rows; there is room for them."""
        if sparse.issparse(piece.X) or piece.n_rows == self._height:
            self._parts.append(piece.X)
        else:
            if self._dense is None:
                self._dense = np.empty((self._height, piece.X.shape[1]), piece.X.dtype)
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


def prefetch(items):
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
