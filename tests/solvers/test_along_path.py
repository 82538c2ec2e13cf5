"""Predictions of all models of a path in one pass: equal to those of each model by itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from centroidal.solvers.along_path import PathInOrders, hits_along_path, nearest_in_orders
from centroidal.solvers.sparse_centers import CenterPath


def path_of(centers, scale, ranking):
    blank = np.zeros(scale.size)
    return CenterPath(centers, blank, scale, blank, ranking, blank, blank)


def all_nearest(path, orders, X, rows, **rule):
    """Put the blocks of rows together."""
    found = np.full((len(orders), len(rows), rule["grid"].size), -1)
    for block, labels, _ in nearest_in_orders(path, orders, X, rows, **rule):
        found[:, block] = labels
    return found


def nearest_by_ranking(path, X, rows, **rule):
    return all_nearest(path, path.ranking[None], X, rows, **rule)[0]


def distances_by_loops(path, X, is_l1, grid, bonus):
    """The distance from each center, less the bonus, a sample, a model and a class at a time."""
    found = np.zeros((len(X), len(grid), len(path.class_centers)))
    for i, row in enumerate(X):
        for g, size in enumerate(grid):
            kept = path.ranking[:size]
            for c, (center, extra) in enumerate(zip(path.class_centers, bonus[:, g], strict=True)):
                gaps = np.abs(row[kept] - center[kept]) / path.scale[kept]
                distance = gaps.sum() if is_l1 else (gaps**2).sum()
                found[i, g, c] = np.inf if np.isnan(distance) else distance - extra
    return found


def nearest_by_loops(path, X, is_l1, grid, bonus):
    """The nearest center of each model."""
    return distances_by_loops(path, X, is_l1, grid, bonus).argmin(axis=2)


def problem(seed, n_samples, n_features, n_classes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < 0.5)
    path = path_of(
        rng.normal(size=(n_classes, n_features)),
        rng.uniform(0.5, 2.0, n_features),
        rng.permutation(n_features),
    )
    grid = np.unique(rng.integers(1, n_features + 1, 4))
    return X, path, grid, rng.normal(size=(n_classes, grid.size)) / 4


@given(
    seed=st.integers(0, 2**32 - 1),
    n_samples=st.integers(1, 20),
    n_features=st.integers(1, 12),
    n_classes=st.integers(1, 4),
    is_l1=st.booleans(),
    is_sparse=st.booleans(),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_each_model_predicts_as_by_itself(seed, n_samples, n_features, n_classes, is_l1, is_sparse):
    X, path, grid, bonus = problem(seed, n_samples, n_features, n_classes)
    samples = sparse.csr_array(X) if is_sparse else X
    found = nearest_by_ranking(
        path, samples, np.arange(n_samples), is_l1=is_l1, grid=grid, bonus=bonus
    )
    assert np.array_equal(found, nearest_by_loops(path, X, is_l1, grid, bonus))


@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(1, 4),
    is_l1=st.booleans(),
    is_sparse=st.booleans(),
    has_unseen=st.booleans(),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_distances_of_models_that_are_asked_for_are_those_of_loops(
    seed, n_classes, is_l1, is_sparse, has_unseen
):
    X, path, grid, bonus = problem(seed, 60, 12, n_classes)
    if has_unseen and n_classes > 1:
        path.class_centers[seed % n_classes] = np.nan
    rng = np.random.default_rng(seed)
    kept = np.flatnonzero(rng.random(grid.size) < 0.6)
    rule = {"is_l1": is_l1, "grid": grid, "bonus": bonus}
    orders = np.array([path.ranking, rng.permutation(12)])
    samples = sparse.csr_array(X) if is_sparse else X
    ((_, labels, found),) = nearest_in_orders(
        path, orders, samples, np.arange(60), **rule, kept=kept
    )
    ((_, plain, none),) = nearest_in_orders(path, orders, samples, np.arange(60), **rule)
    assert np.array_equal(labels, plain)
    assert none.shape == (2, 60, 0, n_classes)
    for order, mine in zip(orders, found, strict=True):
        expected = distances_by_loops(path._replace(ranking=order), X, **rule)[:, kept]
        # What all classes of a sample have in common is left out where that is simpler.
        mine, expected = (
            each - each.min(axis=2, keepdims=True, initial=np.inf) for each in (mine, expected)
        )
        np.testing.assert_allclose(mine, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint16])
def test_samples_of_any_kind_and_order(layout, dtype, rng):
    X = rng.integers(0, 5, size=(19, 6)).astype(dtype)
    path = path_of(rng.normal(2.0, 1.0, (3, 6)), np.ones(6), np.arange(6)[::-1])
    grid, bonus = np.array([1, 6]), np.zeros((3, 2))
    found = nearest_by_ranking(path, layout(X), np.arange(19), is_l1=False, grid=grid, bonus=bonus)
    assert np.array_equal(found, nearest_by_loops(path, X.astype(float), False, grid, bonus))


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("is_l1", [False, True])
def test_orders_are_rankings_of_paths_with_the_same_centers(make, is_l1, rng):
    X, path, grid, bonus = problem(6, 21, 9, 3)
    orders = np.array([rng.permutation(9) for _ in range(4)])
    rule = {"is_l1": is_l1, "grid": grid, "bonus": bonus}
    found = all_nearest(path, orders, make(X), np.arange(21), **rule)
    assert len(found) == 4
    for labels, order in zip(found, orders, strict=True):
        expected = nearest_by_loops(path._replace(ranking=order), X, **rule)
        assert np.array_equal(labels, expected)


def test_many_models_are_followed_for_few_rows_at_a_time(rng):
    X = rng.normal(size=(50, 2500))
    path = path_of(rng.normal(size=(3, 2500)), np.ones(2500), rng.permutation(2500))
    every = {"is_l1": False, "grid": np.arange(1, 2501), "bonus": np.zeros((3, 2500))}
    some = {"is_l1": False, "grid": np.array([1, 40, 2500]), "bonus": np.zeros((3, 3))}
    found = nearest_by_ranking(path, X, np.arange(50), **every)
    assert np.array_equal(found[:, [0, 39, 2499]], nearest_by_loops(path, X, **some))


def test_rows_are_predicted_in_the_order_in_which_they_are_named():
    X, path, grid, bonus = problem(3, 12, 8, 3)
    rows = np.array([11, 0, 5, 5, 2, 7, 1, 9, 3])
    found = nearest_by_ranking(path, X, rows, is_l1=False, grid=grid, bonus=bonus)
    assert np.array_equal(found, nearest_by_loops(path, X[rows], False, grid, bonus))


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_no_rows_give_no_labels(make):
    X, path, grid, bonus = problem(3, 5, 8, 3)
    none = np.array([], dtype=int)
    found = nearest_by_ranking(path, make(X), none, is_l1=False, grid=grid, bonus=bonus)
    assert found.shape == (0, grid.size)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("unseen", [0, 2])
def test_class_without_a_center_is_never_nearest(make, unseen):
    X, path, grid, bonus = problem(4, 15, 8, 3)
    path.class_centers[unseen] = np.nan
    found = nearest_by_ranking(path, make(X), np.arange(15), is_l1=False, grid=grid, bonus=bonus)
    assert np.array_equal(found, nearest_by_loops(path, X, False, grid, bonus))
    assert not (found == unseen).any()


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_of_classes_that_are_as_near_the_first_is_taken(make):
    path = path_of(np.array([[3.0], [1.0], [-1.0]]), np.ones(1), np.array([0]))
    X = make(np.array([[0.0], [2.0], [-4.0]]))
    found = nearest_by_ranking(
        path, X, np.arange(3), is_l1=False, grid=np.array([1]), bonus=np.zeros((3, 1))
    )
    assert found.ravel().tolist() == [1, 0, 2]


def test_hits_are_the_weights_of_what_is_right(monkeypatch):
    X, path, grid, bonus = problem(5, 40, 8, 3)
    rng = np.random.default_rng(0)
    codes, weights = rng.integers(0, 3, 40).astype(np.int32), rng.integers(0, 5, 40).astype(float)
    rows = rng.permutation(40)[:33]
    labels = nearest_by_loops(path, X, True, grid, bonus)
    wanted = np.zeros((3, grid.size))
    for i in rows:
        wanted[codes[i]] += weights[i] * (labels[i] == codes[i])
    for height in (1, 2**20):  # labels of a few rows, or of all of them, at a time
        monkeypatch.setattr("centroidal.solvers.along_path._LABELS_PER_BLOCK", height)
        hits = hits_along_path(path, X, rows, codes, weights, is_l1=True, grid=grid, bonus=bonus)
        assert np.array_equal(hits, wanted)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("height", [1, 2**20])
def test_counts_are_those_of_the_labels_in_blocks_of_any_height(make, height, monkeypatch):
    X, path, grid, bonus = problem(7, 130, 8, 3)
    rng = np.random.default_rng(0)
    rows, orders = rng.permutation(130)[:117], np.array([rng.permutation(8), path.ranking])
    cells, rule = rng.integers(0, 6, 117), {"is_l1": False, "grid": grid, "bonus": bonus}
    wanted = np.zeros((2, grid.size, 6, 3), dtype=int)
    labels = [nearest_by_loops(path._replace(ranking=order), X[rows], **rule) for order in orders]
    for order, i, g in np.ndindex(2, 117, grid.size):
        wanted[order, g, cells[i], labels[order][i, g]] += 1
    seen = np.full((117, grid.size), -1)

    def see(block, found, distances, unit_of_them):
        seen[block] = found
        assert distances.shape == (len(found), 0, 3)
        assert unit_of_them is unit

    monkeypatch.setattr("centroidal.solvers.along_path._LABELS_PER_BLOCK", height)
    X, unit = make(X), np.zeros(0)
    models = PathInOrders(path, orders, sparse.issparse(X), **rule, unit=unit)
    found = models.count(X, rows, cells, 6, see)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(seen, labels[0])
