"""Batches of annotated matrices that stay in their file, .h5ad or .zarr."""

from hashlib import sha256

import numpy as np

from .annotated_file import Hdf5Store, ZarrStore
from .arrays import Matrix, refuse_huge
from .labels import group_names, labels_from_values
from .limits import RefusedFileError
from .pieces import FileFacts, Fingerprint, Piece
from .request import clean_errors, texts

_LABELS_AT_A_TIME = 2**16


class AnnotatedReader:
    """X or a layer with the tables `obs` and `var`, of which rows are read as they are needed.

    Parameters
    ----------
    store : Hdf5Store or ZarrStore
        Where it is stored.
    request : Request
        What was asked for.
    """

    has_names = True

    def __init__(self, store, request):
        self._store, self._request = store, request
        with store.open() as file:
            with self._clean_errors():
                matrix = self._matrix(file)
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
            self._described = matrix.kind, matrix.shape
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
                matrix, labels = self._matrix(file), file.column(request.target)
                ids = file.names("obs") if request.ids is None else file.column(request.ids)
                groups = None if request.groups is None else file.column(request.groups)
            for start in range(first_row, self.n_samples, n_rows):
                rows = slice(start, min(start + n_rows, self.n_samples))
                with self._clean_errors():
                    X = matrix.rows(rows.start, rows.stop, kept, request)
                    names = np.array(texts(ids[rows]), dtype=object)
                    y = labels_from_values(labels[rows])
                    members = None if groups is None else groups[rows]
                if members is not None:
                    members = group_names(members, request.groups, request.name)
                yield Piece(X, y, names, request.name, members)

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
        stored = file.matrix()
        if stored.kind == "csc":
            raise RefusedFileError(
                f"{self._request.name} is stored by columns (CSC), so that rows cannot be read "
                "alone. Store it by rows: with anndata, adata.X = adata.X.tocsr() before it is "
                "written."
            )
        if stored.kind == "csr":
            return Matrix(stored.shape, self._store.n_bytes, parts=stored.arrays)
        return Matrix(stored.shape, self._store.n_bytes, dense=stored.arrays[0])


def open_h5ad(path, request):
    """Open a file of anndata 0.7 or later."""
    return AnnotatedReader(Hdf5Store(path, request), request)


def open_zarr(path, request):
    """Open a folder that anndata wrote with zarr."""
    return AnnotatedReader(ZarrStore(path, request), request)
