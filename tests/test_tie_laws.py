"""Ties go by position: no order of rows, chunks or memory changes a ranking.

On whole numbers many scores are equal in exact arithmetic, and as many are close but different.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from centroidal import (
    DisjointCentroidClassifier,
    FisherSubspaceClassifier,
    L21CentroidSelector,
    LinearCentroidEncoder,
    MarginSelector,
    RecursiveRidgeSelector,
    ReliefFSelector,
    SparseCenterClassifier,
    WhitenedCenterClassifier,
)
from centroidal.classifiers.sparse_center_rule import SparseCenterProblem
from centroidal.model_selection.feature_flow import ranking_of
from centroidal.model_selection.procedures import CentersPath
from centroidal.statistics import class_moments, fold_moments

from .l2 import select_features

pytestmark = pytest.mark.once

MOMENTS = {
    "l2": lambda: SparseCenterClassifier(3),
    "l2 std": lambda: SparseCenterClassifier(3, scale="std"),
    "l2 within": lambda: SparseCenterClassifier(3, scale="within"),
}
COLUMNS = {
    "l2 mad": lambda: SparseCenterClassifier(3, scale="mad"),
    "l1": lambda: SparseCenterClassifier(3, metric="l1"),
    "l1 std": lambda: SparseCenterClassifier(3, metric="l1", scale="std"),
    "l1 mad": lambda: SparseCenterClassifier(3, metric="l1", scale="mad"),
    "margin": MarginSelector,
}
ANY_ORDER = MOMENTS | COLUMNS
MATRICES = {
    "mahalanobis": lambda: SparseCenterClassifier(3, metric="mahalanobis"),
    "mahalanobis, total": lambda: SparseCenterClassifier(
        3, metric="mahalanobis", covariance="total"
    ),
    "l21": lambda: L21CentroidSelector(alpha=0.3),
    "l21 by alternation": lambda: L21CentroidSelector(alpha=0.3, solver="admm"),
    "l21 by reweighting": lambda: L21CentroidSelector(alpha=0.3, solver="irls"),
    "l21 by conjugate gradients": lambda: L21CentroidSelector(alpha=0.3, solver="cg"),
    "encoder": LinearCentroidEncoder,
    "encoder by alternation": lambda: LinearCentroidEncoder(training="alternating"),
    "fisher": FisherSubspaceClassifier,
    "recursive": RecursiveRidgeSelector,
    "relief": ReliefFSelector,
    "whitened": lambda: WhitenedCenterClassifier(3),
    "whitened, total": lambda: WhitenedCenterClassifier(3, covariance="total"),
}
RANKERS = ANY_ORDER | MATRICES

laws = settings(deadline=None, max_examples=8, derandomize=True)
few_laws = settings(deadline=None, max_examples=4, derandomize=True)


def draw_whole_numbers(rng, n_rows, n_features, largest, n_classes):
    """Whole numbers, half of the columns copies, complements or shifted copies of others."""
    X = rng.integers(0, largest + 1, size=(n_rows, n_features))
    half = n_features // 2
    source = rng.integers(0, half, size=n_features - half)
    X[:, half:] = rng.choice([1, -1], size=source.size) * X[:, source]
    X[:, half:] += rng.integers(0, 4, size=source.size)
    y = rng.permutation(np.arange(n_rows) % n_classes)
    return X.astype(float), y


@st.composite
def tied(draw):
    """Samples and what orders them anew."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.integers(2, 3))
    X, y = draw_whole_numbers(
        rng, draw(st.integers(12, 50)), 40, draw(st.sampled_from([1, 2, 7])), n_classes
    )
    return X, y, rng


def ranking(model, X):
    return ranking_of(model, X.shape[1]).tolist()


def streamed(recipe, X, y, size):
    model = MOMENTS[recipe]()
    for start in range(0, len(y), size):
        rows = slice(start, start + size)
        model.partial_fit(X[rows], y[rows], classes=np.unique(y))
    return model


def binary_samples():
    rng = np.random.default_rng(7)
    X = (rng.random((400, 3000)) < rng.uniform(0.05, 0.6, size=3000)).astype(float)
    return X, rng.integers(0, 2, size=400), rng.permutation(400)


# ------------------------------------------------------------------ two examples


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_two_columns_with_the_same_gain(order):
    X = np.array([[0.0, 1.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0]])[order]
    y = np.array([0, 1, 1, 1])[order]
    assert SparseCenterClassifier(1).fit(X, y).get_support(indices=True) == [0]
    for size in (1, 2, 3):
        model = SparseCenterClassifier(1)
        for start in range(0, 4, size):
            model.partial_fit(X[start : start + size], y[start : start + size], classes=[0, 1])
        assert model.get_support(indices=True) == [0]


@pytest.mark.parametrize("scale", [None, "within"])
def test_selection_of_any_size_does_not_depend_on_the_order_of_rows(scale):
    X, y, order = binary_samples()
    first = SparseCenterClassifier(1, scale=scale).fit(X, y)
    second = SparseCenterClassifier(1, scale=scale).fit(X[order], y[order])
    for k in range(1, 1000):
        np.testing.assert_array_equal(first.at(k).support_, second.at(k).support_)


@pytest.mark.parametrize("scale", [None, "within"])
def test_ranking_is_that_of_exact_fractions(scale):
    """Gains that differ at all, by however little on such data, are not taken for ties."""
    X, y, _ = binary_samples()
    X = X[:, :500]
    found = SparseCenterClassifier(1, scale=scale).fit(X, y).feature_ranking_
    sizes = np.bincount(y).tolist()
    ones = np.array([X[y == c].sum(axis=0) for c in (0, 1)]).astype(int).T.tolist()

    def gain(counts):
        means = [Fraction(n, size) for n, size in zip(counts, sizes, strict=True)]
        within = sum(n * (1 - p) for n, p in zip(counts, means, strict=True))
        return (means[1] - means[0]) ** 2 / (within if scale == "within" and within else 1)

    gains = [gain(counts) for counts in ones]
    assert len(set(gains)) < len(gains)
    assert found.tolist() == sorted(range(500), key=lambda j: -gains[j])


# ------------------------------------------------------------------ laws


@pytest.mark.parametrize("recipe", RANKERS)
@given(drawn=tied())
@few_laws
def test_order_of_rows_does_not_matter(recipe, drawn):
    X, y, rng = drawn
    order = rng.permutation(len(y))
    model = RANKERS[recipe]().fit(X, y)
    other = RANKERS[recipe]().fit(X[order], y[order])
    assert ranking(other, X) == ranking(model, X)
    if hasattr(model, "support_"):
        np.testing.assert_array_equal(other.support_, model.support_)


@pytest.mark.parametrize("recipe", RANKERS)
@given(drawn=tied())
@few_laws
def test_storage_does_not_matter(recipe, drawn):
    X, y, _ = drawn
    make = RANKERS[recipe]
    expected = ranking(make().fit(X, y), X)
    for stored in (
        np.asfortranarray(X),
        X.astype(np.float32),
        X.astype(int),
        sparse.csr_array(X),
        sparse.csc_array(X),
    ):
        assert ranking(make().fit(stored, y), X) == expected


@pytest.mark.parametrize("recipe", MOMENTS)
@given(drawn=tied())
@laws
def test_chunks_of_a_stream_do_not_matter(recipe, drawn):
    X, y, rng = drawn
    order = rng.permutation(len(y))
    expected = ranking(MOMENTS[recipe]().fit(X, y), X)
    for size in (1, 7, len(y)):
        assert ranking(streamed(recipe, X, y, size), X) == expected
        assert ranking(streamed(recipe, sparse.csr_array(X[order]), y[order], size), X) == expected


@pytest.mark.parametrize("recipe", MOMENTS)
@given(drawn=tied())
@laws
def test_order_and_grouping_of_merged_models_do_not_matter(recipe, drawn):
    X, y, rng = drawn
    cuts = np.sort(rng.integers(1, len(y), size=3)).tolist()
    parts = [slice(*each) for each in pairwise(sorted({0, *cuts, len(y)}))]

    def fitted(rows):
        return MOMENTS[recipe]().partial_fit(X[rows], y[rows], classes=np.unique(y))

    left, right = fitted(parts[0]), fitted(parts[-1])
    for rows in parts[1:]:
        left.merge(fitted(rows))
    for rows in parts[-2::-1]:
        right = fitted(rows).merge(right)
    expected = ranking(MOMENTS[recipe]().fit(X, y), X)
    assert ranking(left, X) == expected
    assert ranking(right, X) == expected


@pytest.mark.parametrize("recipe", ANY_ORDER)
@given(drawn=tied())
@few_laws
def test_dask_chunks_do_not_matter(recipe, drawn):
    da = pytest.importorskip("dask.array")
    X, y, _ = drawn
    expected = ranking(ANY_ORDER[recipe]().fit(X, y), X)
    for chunks in ((5, 40), (7, 13), (len(y), 11)):
        rows, labels = da.from_array(X, chunks=chunks), da.from_array(y, chunks=chunks[0])
        assert ranking(ANY_ORDER[recipe]().fit(rows, labels), X) == expected


@pytest.mark.parametrize("scale", [None, "std", "within"])
@given(drawn=tied())
@laws
def test_sums_of_folds_rank_as_the_rows_do(scale, drawn):
    X, y, rng = drawn
    n_classes, codes = y.max() + 1, y.astype(np.int32)
    folds = rng.integers(0, 4, size=len(y))
    geometry = SparseCenterProblem("l2", scale)
    sets = [(0,), (1, 3), (2,)]
    for left_out, moments in zip(sets, fold_moments(X, codes, n_classes, folds, sets), strict=True):
        kept = ~np.isin(folds, left_out)
        direct = class_moments(X[kept], codes[kept], n_classes)
        paths = [geometry.solve_moments(None, X, each).path for each in (moments, direct)]
        assert paths[0].ranking.tolist() == paths[1].ranking.tolist()


@pytest.mark.parametrize("disjoint", [True, False])
@pytest.mark.parametrize("shared", [None, 5])
@given(drawn=tied())
@few_laws
def test_groups_by_margin_do_not_depend_on_order_and_storage(disjoint, shared, drawn):
    X, y, rng = drawn
    order = rng.permutation(len(y))

    def groups(X, y):
        model = DisjointCentroidClassifier(
            "margin", disjoint=disjoint, shared_features=shared, baseline_weight=1.0
        )
        return model.fit(X, y).groups_

    expected = groups(X, y)
    np.testing.assert_array_equal(groups(X[order], y[order]), expected)
    np.testing.assert_array_equal(groups(sparse.csr_array(X), y), expected)
    np.testing.assert_array_equal(groups(X.astype(np.float32), y), expected)


# ------------------------------------------------------------------ and what is no tie


def test_offset_that_costs_digits_does_not_make_everything_a_tie(rng):
    X, y = rng.normal(size=(100, 2000)), np.arange(100) % 2
    near = SparseCenterClassifier(1, scale="within").fit(X, y)
    far = SparseCenterClassifier(1, scale="within").fit(X + 1e6, y)
    gains = np.sqrt(near.feature_gains_)
    # At any place stands a feature that is as good, but for what the offset costs.
    np.testing.assert_allclose(gains[far.feature_ranking_], gains[near.feature_ranking_], atol=1e-5)
    assert (far.feature_ranking_[:20] == near.feature_ranking_[:20]).all()


def test_feature_of_huge_numbers_does_not_make_others_tie(rng):
    X, y = rng.normal(size=(60, 50)), np.arange(60) % 2
    expected = SparseCenterClassifier(1, scale="within").fit(X, y).feature_ranking_
    huge = 1.7e18 + 1e3 * rng.normal(size=60)
    found = SparseCenterClassifier(1, scale="within").fit(np.column_stack([X, huge]), y)
    assert found.feature_ranking_[found.feature_ranking_ < 50].tolist() == expected.tolist()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", ["fisher", "relief"])
def test_final_model_has_the_features_that_rank_first(method, seed):
    rng = np.random.default_rng(seed)
    half = rng.integers(0, 3, (40, 20))
    X, y = np.hstack([half, -half]).astype(float), np.arange(40) % 3
    selection = select_features(X, y, method=method, n_features_to_select=7, random_state=0)
    kept = selection.model.estimator_.named_steps["select"].get_support(indices=True)
    assert set(kept) == set(selection.ranking[:7]) == set(selection.selected)


CLASSIFIERS = {
    "l2": lambda: SparseCenterClassifier(3),
    "l2 within": lambda: SparseCenterClassifier(3, scale="within"),
    "l1": lambda: SparseCenterClassifier(3, metric="l1"),
    "margin": lambda: DisjointCentroidClassifier("margin"),
    "fisher": FisherSubspaceClassifier,
}


@pytest.mark.parametrize("recipe", CLASSIFIERS)
def test_order_of_rows_does_not_change_what_is_predicted_half_way_between_centers(recipe):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n_samples, n_classes = rng.integers(8, 30), 2 + seed % 2
        X, y = rng.integers(0, 3, (n_samples, 6)).astype(float), np.arange(n_samples) % n_classes
        order, new = rng.permutation(n_samples), rng.integers(0, 3, (250, 6)).astype(float)
        expected = CLASSIFIERS[recipe]().fit(X, y).predict(new)
        found = CLASSIFIERS[recipe]().fit(X[order], y[order]).predict(new)
        np.testing.assert_array_equal(found, expected)


PATHS = {
    "l2": {},
    "l2 std": {"scale": "std"},
    "l2 within": {"scale": "within"},
    "l1": {"metric": "l1"},
    "l1 mad": {"metric": "l1", "scale": "mad"},
}


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("recipe", PATHS)
def test_path_predicts_half_way_between_centers_as_each_of_its_models_does(recipe, stored):
    sizes = np.array([1, 2, 3, 5, 6])
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n_samples, n_classes = rng.integers(8, 30), 2 + seed % 2
        X, y = rng.integers(0, 3, (n_samples, 6)).astype(float), np.arange(n_samples) % n_classes
        order, new = rng.permutation(n_samples), rng.integers(0, 3, (100, 6)).astype(float)
        model = SparseCenterClassifier(1, **PATHS[recipe]).fit(X, y)
        expected = [model.at(size).predict(new) for size in sizes]
        for rows in (slice(None), order):
            fitted = SparseCenterClassifier(1, **PATHS[recipe]).fit(X[rows], y[rows])
            path = CentersPath(fitted._problem, fitted._solution)
            found, shape = np.full((sizes.size, 100), -1), (n_classes, n_classes)

            def see(block, predicted, found=found):
                found[:, block] = predicted.codes

            path.count(stored(new), np.arange(100), np.zeros(100, dtype=int), shape, sizes, see)
            np.testing.assert_array_equal(found, expected)


def test_path_of_random_features_levels_ties_by_their_own_size(rng):
    """A feature of huge numbers that is not in a model does not decide what a tie is in it."""
    X = np.column_stack([rng.integers(0, 2, (20, 2)), 1e9 * rng.integers(0, 9, 20)]).astype(float)
    X[:, 0], y = [0.0, 1e-6] * 10, np.arange(20) % 2
    model = SparseCenterClassifier(1).fit(X, y)
    path = CentersPath(model._problem, model._solution)
    orders, sizes = np.array([[0, 1, 2]]), np.array([1])
    _, found = path.count(X, np.arange(20), y, (2, 2), sizes, orders=orders)
    assert found.tolist() == [[[10, 0], [0, 10]]]
