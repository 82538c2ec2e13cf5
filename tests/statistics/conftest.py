"""Rows for the summaries, the ways to store them, and small blocks to cut them into."""

from functools import partial
from importlib import import_module
from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse

from centroidal.statistics.threads import column_blocks


class Rows(NamedTuple):
    """Integer values, many of them zero; some rows are left out, some weigh nothing."""

    X: np.ndarray
    codes: np.ndarray
    n_classes: int
    weights: np.ndarray

    def take(self, order):
        return Rows(self.X[order], self.codes[order], self.n_classes, self.weights[order])


@pytest.fixture
def rows(rng):
    X = rng.integers(-5, 6, size=(61, 7)) * (rng.random((61, 7)) < 0.6)
    X[:, 0] = 3
    codes = rng.integers(-1, 3, size=61).astype(np.int32)
    # Halves are exact in binary, so exact ties exist and are ties in any order of addition.
    weights = rng.integers(0, 4, size=61) / 2
    return Rows(X.astype(np.float64), codes, 3, weights)


@pytest.fixture
def small_blocks(monkeypatch):
    """Cut even small data into several blocks of rows and of columns."""
    moments = import_module("centroidal.statistics.class_moments")
    medians = import_module("centroidal.statistics.class_medians")
    monkeypatch.setattr(moments, "_ENTRIES_PER_BLOCK", 64)
    monkeypatch.setattr(moments, "column_blocks", partial(column_blocks, width=4))
    monkeypatch.setattr(medians, "_NARROWEST", 4)
    monkeypatch.setattr(medians, "_WIDEST", 4)


def strided(X):
    """Every second row and every third column of a larger array."""
    larger = np.zeros((2 * X.shape[0], 3 * X.shape[1]), dtype=X.dtype)
    larger[::2, ::3] = X
    return larger[::2, ::3]


def backwards(X):
    """Return a view whose steps from row to row are negative."""
    return X[::-1].copy()[::-1]


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def on_disk(X, folder):
    stored = np.memmap(folder / "rows.bin", dtype=X.dtype, mode="w+", shape=X.shape)
    stored[:] = X
    stored.flush()
    return np.memmap(folder / "rows.bin", dtype=X.dtype, mode="r", shape=X.shape)


def with_long_indices(X):
    X.indices = X.indices.astype(np.int64)
    X.indptr = X.indptr.astype(np.int64)
    return X


def with_stored_zeros(X):
    """Store every entry, zeros too."""
    n, m = X.shape
    return sparse.csr_array((X.ravel(), np.tile(np.arange(m), n), np.arange(n + 1) * m), (n, m))


def with_read_only_arrays(X):
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


DENSE_FORMS = {
    "c_order": np.ascontiguousarray,
    "f_order": np.asfortranarray,
    "strided": strided,
    "backwards": backwards,
    "read_only": read_only,
}
SPARSE_FORMS = {
    "csr_array": sparse.csr_array,
    "csc_array": sparse.csc_array,
    "csr_matrix": sparse.csr_matrix,
    "csc_matrix": sparse.csc_matrix,
    "csr_long_indices": lambda X: with_long_indices(sparse.csr_array(X)),
    "csc_long_indices": lambda X: with_long_indices(sparse.csc_array(X)),
    "csr_stored_zeros": with_stored_zeros,
    "csc_stored_zeros": lambda X: with_stored_zeros(X).tocsc(),
    "csr_read_only": lambda X: with_read_only_arrays(sparse.csr_array(X)),
    "csc_read_only": lambda X: with_read_only_arrays(sparse.csc_array(X)),
}


@pytest.fixture(params=[*DENSE_FORMS, *SPARSE_FORMS, "memmap"])
def form(request, tmp_path):
    """Return a function that stores an array in one of the ways that must not matter."""
    if request.param == "memmap":
        return lambda X: on_disk(X, tmp_path)
    return {**DENSE_FORMS, **SPARSE_FORMS}[request.param]


@pytest.fixture(params=["dense", "csr", "csc"])
def layout(request):
    """Return a function that makes one of the three layouts with a loop of their own."""
    return {"dense": np.asarray, "csr": sparse.csr_array, "csc": sparse.csc_array}[request.param]
