"""Directions of the scatter of Dask blocks: those of the same rows in memory."""

from importlib import import_module
from itertools import chain

import numpy as np
import pytest
from scipy import sparse

from centroidal.statistics import class_moments, class_subspace

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

from centroidal.statistics import dask_blocks, dask_collection  # noqa: E402
from centroidal.statistics.dask_blocks import DaskBlocks  # noqa: E402
from centroidal.statistics.dask_collection import RowBlocks  # noqa: E402

spectrum = import_module("centroidal.statistics.spectrum")

N_CLASSES = 3
SHAPES = {"tall": (70, 12), "wide": (25, 60)}


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(params=SHAPES)
def rows(request, rng):
    n_samples, n_features = SHAPES[request.param]
    X = rng.normal(size=(n_samples, n_features)) * np.geomspace(5.0, 0.5, n_features) + 3.0
    codes = rng.integers(-1, N_CLASSES, size=n_samples).astype(np.int32)
    weights = rng.integers(0, 3, size=n_samples).astype(float)
    return X * rng.integers(0, 2, size=X.shape), codes, weights


def summaries(rows, chunks, scatter, n_pairs=None, *, is_weighted=True, store=np.asarray):
    """Summarise blocks, and the same rows in memory."""
    X, codes, weights = rows
    weights = weights if is_weighted else None
    blocks = DaskBlocks.of(da.from_array(X, chunks=chunks).map_blocks(store))
    own = blocks.pair("codes", codes)
    lazy = None if weights is None else blocks.pair("weights", weights)
    found = class_subspace(
        blocks, own, class_moments(blocks, own, N_CLASSES, lazy), lazy, scatter, n_pairs
    )
    moments = class_moments(store(X), codes, N_CLASSES, weights)
    return found, class_subspace(store(X), codes, moments, weights, scatter, n_pairs)


def assert_same(found, expected, tol=1e-10):
    np.testing.assert_allclose(found.means, expected.means, rtol=tol, atol=tol)
    values = expected.spectrum.values
    np.testing.assert_allclose(found.spectrum.values, values, rtol=tol)
    assert found.spectrum.trace == pytest.approx(expected.spectrum.trace, rel=tol)
    inner = np.abs(found.spectrum.vectors.T @ expected.spectrum.vectors)
    np.testing.assert_allclose(inner, np.eye(values.size), atol=1e4 * tol)
    assert found.scatter == expected.scatter


@pytest.mark.parametrize("scatter", ["total", "within"])
@pytest.mark.parametrize("n_pairs", [None, 2])
@pytest.mark.parametrize("is_weighted", [False, True], ids=["equal", "weighted"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_directions_are_those_of_all_rows(rows, scatter, n_pairs, is_weighted, store):
    options = {"is_weighted": is_weighted, "store": store}
    found, expected = summaries(rows, (8, 5), scatter, n_pairs, **options)
    assert_same(found, expected)


@pytest.mark.parametrize("chunks", [(70, 60), (1, 60), (9, 60), (70, 7)])
def test_chunks_do_not_matter(rows, chunks):
    assert_same(*summaries(rows, chunks, "total"))


@pytest.mark.parametrize("scatter", ["total", "within"])
def test_one_pass_where_features_or_rows_are_few(rows, scatter, passes):
    summaries(rows, (8, 60), scatter, 2, is_weighted=False)
    assert passes == {"moments": 1, "others": 1}


def test_a_pass_for_each_product_where_both_are_many(rng, passes, monkeypatch):
    monkeypatch.setattr(spectrum, "_DIRECT_SIZE", 5)
    X = rng.normal(size=(900, 400)) * np.geomspace(50.0, 0.1, 400)
    codes = rng.integers(0, N_CLASSES, size=900).astype(np.int32)
    found, expected = summaries((X, codes, None), (300, 400), "total", 4, is_weighted=False)
    assert_same(found, expected, tol=1e-6)
    assert passes["moments"] == 1
    assert 3 <= passes["others"] <= 10


@pytest.fixture
def passes(monkeypatch):
    """How often the first block of rows was read, and what for."""
    counts = {"moments": 0, "others": 0}

    def counted(name, function):
        def of_block(*arguments):
            reader = arguments[1][0] if name == "others" else arguments[1]
            counts[name] += reader.place == 0
            return function(*arguments)

        return of_block

    for name, module, function in (
        ("moments", dask_blocks, "_block_moments"),
        ("others", dask_collection, "_of_whole_rows"),
    ):
        monkeypatch.setattr(module, function, counted(name, getattr(module, function)))
    return counts


def test_parts_are_joined_and_exchanged_in_order():
    blocks = RowBlocks([dask.delayed([i, i + 0.5]) for i in range(7)])
    assert len(blocks) == 7
    joined = blocks.regroup(3, _joined)
    assert joined.gather() == ([0, 0.5, 1, 1.5, 2, 2.5], [3, 3.5, 4, 4.5, 5, 5.5], [6, 6.5])
    exchanged = blocks.exchange(list, list, 2).persist().gather()
    assert exchanged == ([0, 1, 2, 3, 4, 5, 6], [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5])


def _joined(parts):
    return list(chain.from_iterable(parts))
