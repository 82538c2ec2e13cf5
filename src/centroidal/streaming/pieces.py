"""Pieces of a source: checked, and put together to batches of a fixed height."""

from hashlib import sha256
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .request import count_noun, list_values

_BLOCK_BYTES, _N_BLOCKS = 2**12, 16
_OF_ROWS = ("y", "ids", "groups", "blocks")


def take_names(names, columns):
    """Return those of a list of names that a slice, or an array of positions, takes."""
    return names[columns] if isinstance(columns, slice) else [names[j] for j in columns.tolist()]


class Piece(NamedTuple):
    """Rows of one file, as many as its reader likes to give at a time."""

    X: object
    y: np.ndarray | None  # if labels were asked for
    ids: np.ndarray | None
    name: str
    groups: np.ndarray | None = None
    blocks: np.ndarray | None = None

    @property
    def n_rows(self):
        """Number of rows."""
        return self.X.shape[0]

    def rows(self, start, stop):
        """Take some of the rows."""
        if start == 0 and stop >= self.n_rows:
            return self
        found = ((name, getattr(self, name)) for name in _OF_ROWS)
        return self._replace(
            X=self.X[start:stop],
            **{name: None if values is None else values[start:stop] for name, values in found},
        )


class Fingerprint(NamedTuple):
    """What a source is known by: its format, its files and the names and types of its columns."""

    format: str
    files: list  # of FileFacts
    columns: str  # a digest


class FileFacts(NamedTuple):
    """What a file is known by: so much that one that was written again is noticed."""

    name: str
    size: int
    n_rows: int | None  # if it is known
    changed: int  # when it was last, in nanoseconds
    digest: str  # of its beginning, its end, and blocks between them

    @classmethod
    def of(cls, path, name=None, n_rows=None):
        """Look at a file; however large it is, no more than 64 KiB of it are read."""
        status = path.stat()
        digest = sha256()
        with open(path, "rb") as stream:
            last = max(0, status.st_size - _BLOCK_BYTES)
            for i in range(_N_BLOCKS):
                stream.seek(last * i // (_N_BLOCKS - 1))
                digest.update(stream.read(_BLOCK_BYTES))
        return cls(
            name or path.name, status.st_size, n_rows, status.st_mtime_ns, digest.hexdigest()
        )


def concatenate_pieces(pieces, n_rows, n_left):
    """Yield rows in fixed numbers, as keywords: X, what each has, and from which files.

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
        self._names, self._files = {name: [] for name in _OF_ROWS}, {}

    def add(self, piece):
        """Add rows; there is room for them."""
        if sparse.issparse(piece.X) or piece.n_rows == self._height:
            self._parts.append(piece.X)
        else:
            if self._dense is None:
                self._dense = np.empty((self._height, piece.X.shape[1]), piece.X.dtype)
            at = self._height - self.n_free
            self._dense[at : at + piece.n_rows] = piece.X
        for name, parts in self._names.items():
            parts.append(getattr(piece, name))
        self._files[piece.name] = self._files.get(piece.name, 0) + piece.n_rows
        self.n_free -= piece.n_rows

    def content(self):
        """Return what a batch is made of, by name."""
        X = self._dense
        if X is None:
            X = self._parts[0] if len(self._parts) == 1 else sparse.vstack(self._parts, "csr")
        names = {
            name: None if parts[0] is None else np.concatenate(parts)
            for name, parts in self._names.items()
        }
        return {"X": X, **names, "files": tuple(self._files.items())}


def check_values(X, names, name):
    """Raise if a value is missing or infinite."""
    if is_finite(X):
        return
    refuse_infinite(X, names, name)
    rows, columns = find_values(X, np.isnan)
    if columns.size == 0:
        return
    raise ValueError(
        f"{name}: {count_noun(columns.size, 'value is', 'values are')} missing in "
        f"{count_noun(np.unique(rows).size, 'sample')} that were read together, "
        f"{_in_features(columns, names)} Leave these features out with drop, or fill the values in "
        "before: batches are read as they are."
    )


def refuse_infinite(X, names, name):
    """Raise if a value is infinite."""
    _, columns = find_values(X, np.isinf)
    if columns.size == 0:
        return
    raise ValueError(
        f"{name}: {count_noun(columns.size, 'value is', 'values are')} infinite or too large, "
        f"{_in_features(columns, names)}"
    )


def _in_features(columns, names):
    features = [names[j] for j in np.unique(columns).tolist()]
    return f"in {count_noun(len(features), 'feature')}: {list_values(features, quoted=True)}."


def find_values(X, condition):
    """Return rows and columns of the entries that meet a condition."""
    if not sparse.issparse(X):
        return np.nonzero(condition(X))
    entries = X.tocoo()
    hits = condition(entries.data)
    return entries.row[hits], entries.col[hits]


def is_finite(X):
    """Say whether the sum of all values is finite; it costs no memory, and may overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite((X.data if sparse.issparse(X) else X).sum()))
