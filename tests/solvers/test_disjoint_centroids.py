"""Distances to centers with features of their own and the margin rule, against loops."""

from importlib import import_module
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import sparse
from sklearn.feature_selection import f_classif
from sklearn.neighbors import NearestCentroid

from centroidal.solvers.disjoint_centroids import (
    group_distances,
    margin_groups,
    margin_ratios,
    separations,
    training_errors,
)
from centroidal.statistics import ClassMoments, class_moments
from tests.reference import disjoint_centroids as reference

laws = settings(deadline=None, max_examples=40, derandomize=True)
STORES = {"dense": np.asarray, "csr": sparse.csr_array, "csr_matrix": sparse.csr_matrix}
WEIGHTS = [1e-200, 0.5, 0.9, 1.0, 1.1, np.inf]


class Problem(NamedTuple):
    """Samples with many zeros, some of them left out, some without weight."""

    X: np.ndarray
    codes: np.ndarray
    weights: np.ndarray
    scale: np.ndarray

    def moments(self, store=np.asarray):
        return class_moments(store(self.X), self.codes, 3, self.weights)

    def random_groups(self, rng):
        """Groups that overlap, none of them empty."""
        groups = rng.random((3, self.X.shape[1])) < 0.5
        groups[:, 0] = True
        return groups

    def errors(self, labels, shared, store=np.asarray):
        centers = self.moments().means
        rows = store(self.X)
        return training_errors(rows, self.codes, self.weights, centers, self.scale, labels, shared)

    def errors_one_by_one(self, labels, shared):
        centers = self.moments().means
        found = []
        for partition in labels:
            groups = (partition == np.arange(3)[:, None]) | shared
            found.append(
                reference.training_error(
                    self.X, self.codes, self.weights, centers, groups, self.scale
                )
            )
        return found


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(31, 8)) * (rng.random((31, 8)) < 0.7)
    codes = rng.integers(-1, 3, size=31).astype(np.int32)
    weights = rng.integers(0, 5, size=31) / 2
    return Problem(X, codes, weights, rng.uniform(0.5, 2.0, size=8))


@pytest.fixture(params=STORES)
def store(request):
    return STORES[request.param]


@pytest.fixture
def partitions(rng):
    """Partitions of eight features into three groups and one that is not used."""
    labels = rng.integers(0, 4, size=(12, 8))
    labels[:, :3] = [2, 0, 1]
    return labels


def moments_of(X, codes, n_classes):
    return class_moments(np.asarray(X, dtype=float), np.array(codes, dtype=np.int32), n_classes)


# ------------------------------------------------------------------ distances


def test_distances_are_those_of_loops(problem, store, rng):
    groups, centers = problem.random_groups(rng), rng.normal(size=(3, 8))
    found = group_distances(store(problem.X), centers, groups, problem.scale)
    expected = reference.group_distances(problem.X, centers, groups, problem.scale)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_all_features_in_every_group_give_nearest_centroids(rng, store):
    X, codes = rng.normal(size=(60, 5)), (np.arange(60) % 3).astype(np.int32)
    X[codes == 1] += 0.8
    everything, ones = np.ones((3, 5), dtype=bool), np.ones(5)
    distances = group_distances(store(X), moments_of(X, codes, 3).means, everything, ones)
    expected = NearestCentroid().fit(X, codes).predict(X)
    assert 0 < (expected != codes).sum() < 40
    np.testing.assert_array_equal(distances.argmin(axis=1), expected)


def test_features_outside_the_group_are_never_read(problem, store, rng):
    groups, centers = problem.random_groups(rng), rng.normal(size=(3, 8))
    groups[:, 7] = False
    expected = group_distances(problem.X, centers, groups, problem.scale)
    problem.X[:, 7] = np.nan
    found = group_distances(store(problem.X), centers, groups, problem.scale)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_level_of_a_feature_does_not_matter_to_given_groups(problem, store, rng):
    groups, centers, levels = problem.random_groups(rng), rng.normal(size=(3, 8)), np.arange(8.0)
    found = group_distances(store(problem.X + levels), centers + levels, groups, problem.scale)
    expected = group_distances(problem.X, centers, groups, problem.scale)
    np.testing.assert_allclose(found, expected, rtol=1e-11)


def test_sample_at_a_center_has_no_distance(problem, store, rng):
    groups, centers = problem.random_groups(rng), rng.normal(size=(3, 8))
    distances = group_distances(store(centers), centers, groups, problem.scale)
    np.testing.assert_allclose(distances.diagonal(), 0.0, atol=1e-14)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float32"])
def test_distances_do_not_depend_on_the_type_of_small_integers(store, rng, dtype):
    X, centers = rng.integers(0, 120, size=(20, 5)), rng.normal(size=(3, 5))
    groups = np.array([[1, 1, 0, 0, 1], [0, 1, 1, 1, 0], [1, 1, 1, 1, 1]], dtype=bool)
    found = group_distances(store(X.astype(dtype)), centers, groups, np.ones(5))
    expected = group_distances(X.astype(float), centers, groups, np.ones(5))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_data_are_left_as_they_were(problem, store, rng, partitions):
    stored, before = store(problem.X), problem.X.copy()
    everything, shared = np.ones((3, 8), dtype=bool), np.zeros(8, dtype=bool)
    group_distances(stored, rng.normal(size=(3, 8)), everything, problem.scale)
    problem.errors(partitions, shared, lambda _: stored)
    left = stored.toarray() if sparse.issparse(stored) else stored
    np.testing.assert_array_equal(left, before)


# ------------------------------------------------------------------ training errors


@pytest.mark.parametrize("n_shared", [0, 2, 8])
def test_training_errors_are_those_of_loops(problem, store, partitions, n_shared):
    shared = np.arange(8) >= 8 - n_shared
    found = problem.errors(partitions, shared, store)
    np.testing.assert_allclose(found, problem.errors_one_by_one(partitions, shared), rtol=1e-12)


def test_height_of_the_blocks_of_rows_does_not_matter(problem, store, partitions, monkeypatch):
    shared = np.zeros(8, dtype=bool)
    expected = problem.errors(partitions, shared)
    module = import_module("centroidal.solvers.disjoint_centroids")
    monkeypatch.setattr(module, "_ENTRIES_PER_BLOCK", 50)
    np.testing.assert_allclose(problem.errors(partitions, shared, store), expected, rtol=1e-12)


def test_samples_that_are_left_out_are_neither_right_nor_wrong(problem, store, partitions):
    counted = problem.codes >= 0
    kept = Problem(
        problem.X[counted], problem.codes[counted], problem.weights[counted], problem.scale
    )
    shared = np.zeros(8, dtype=bool)
    found, expected = (part.errors(partitions, shared, store) for part in (problem, kept))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_integer_weights_are_repeats(problem, store, partitions):
    repeats = (2 * problem.weights).astype(int)
    order = np.repeat(np.arange(31), repeats)
    repeated = Problem(problem.X[order], problem.codes[order], np.ones(order.size), problem.scale)
    shared = np.zeros(8, dtype=bool)
    found, expected = (part.errors(partitions, shared, store) for part in (problem, repeated))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_equally_near_classes_lose_to_the_first(store):
    """The center of both classes is 0, and each has one of two equal features."""
    X = np.array([[1.0, 1.0], [-1.0, -1.0], [2.0, 2.0], [-2.0, -2.0], [0.0, 0.0]])
    codes = np.array([0, 0, 1, 1, 1], dtype=np.int32)
    errors = training_errors(
        store(X),
        codes,
        np.ones(5),
        np.zeros((2, 2)),
        np.ones(2),
        np.array([[0, 1], [1, 0]]),
        np.zeros(2, dtype=bool),
    )
    assert errors.tolist() == [0.6, 0.6]


# ------------------------------------------------------------------ margin ratios


def test_ratios_are_those_of_loops(problem, store):
    expected = reference.margin_ratios(problem.X, problem.codes, 3, problem.weights)
    np.testing.assert_allclose(margin_ratios(problem.moments(store)), expected, rtol=1e-11)


def test_class_without_samples_has_infinite_ratios_and_changes_no_others(problem):
    codes = problem.codes.copy()
    codes[codes == 1] = -1
    found = margin_ratios(class_moments(problem.X, codes, 3))
    assert np.isinf(found[1]).all()
    without = margin_ratios(class_moments(problem.X, np.minimum(codes, 1), 2))
    np.testing.assert_allclose(found[[0, 2]], without, rtol=1e-13)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e6 / 7, 1e100])
def test_feature_that_is_constant_speaks_for_no_class(problem, value, store):
    problem.X[:, 3] = value
    assert margin_ratios(problem.moments(store))[:, 3].tolist() == [1.0, 1.0, 1.0]


def test_spread_that_is_only_rounding_is_none():
    means, squares = np.array([[1e6, 0.0], [1e6, 1.0]]), np.array([[1e-16, 9.0], [3e-16, 4.0]])
    ratios = margin_ratios(ClassMoments(np.full(2, 10.0), means, squares))
    assert ratios[:, 0].tolist() == [1.0, 1.0]


def test_feature_that_is_constant_in_all_classes_but_one_costs_that_one_everything(rng):
    X, codes = rng.normal(size=(30, 2)), np.arange(30) % 3
    X[codes != 1, 0] = 0.1
    X[codes == 1, 0] += 0.1 - X[codes == 1, 0].mean()
    ratios = margin_ratios(moments_of(X, codes, 3))[:, 0]
    assert ratios[1] > 1e10
    assert ratios[[0, 2]].tolist() == [0.0, 0.0]


def test_feature_that_only_the_mean_tells_apart_has_no_ratio_at_all():
    X = np.array([[0.1, 0.0], [0.1, 1.0], [0.2, 2.0], [0.2, 4.0]])
    assert margin_ratios(moments_of(X, [0, 0, 1, 1], 2))[:, 0].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("n_copies", [1, 3])
def test_class_of_one_sample_is_given_the_mean_variance_of_the_others(rng, store, n_copies):
    X = np.vstack([rng.normal(size=(20, 4)), np.tile([0.1, 0.7, -2.0, 1.0], (n_copies, 1))])
    codes = np.append(np.arange(20) % 2, np.full(n_copies, 2)).astype(np.int32)
    found = margin_ratios(class_moments(store(X), codes, 3))
    np.testing.assert_allclose(found, reference.margin_ratios(X, codes, 3), rtol=1e-11)
    means = [X[codes == c].mean(axis=0) for c in range(3)]
    variances = [X[codes == c].var(axis=0) for c in range(2)]
    own = (variances[0] + variances[1]) / 2
    paid = [variances[c] + (means[c] - means[2]) ** 2 for c in range(2)]
    np.testing.assert_allclose(found[2], own / ((paid[0] + paid[1]) / 2), rtol=1e-11)


def test_classes_of_one_sample_each_pay_nothing_where_they_differ():
    X = np.array([[0.0, 1.0, 2.0], [0.0, 1.5, 2.0], [0.0, 2.0, 2.5]])
    ratios = margin_ratios(moments_of(X, [0, 1, 2], 3))
    assert ratios.tolist() == [[1.0, 0.0, 0.0]] * 3


def test_class_alone_is_not_an_error(rng):
    X = rng.normal(size=(10, 2))
    X[:, 1] = 3.0
    assert margin_ratios(moments_of(X, np.zeros(10), 1)).tolist() == [[np.inf, 1.0]]


def test_level_and_scale_of_a_feature_do_not_matter_to_its_ratios(problem, rng):
    moved = problem._replace(X=problem.X * rng.uniform(0.1, 10.0, size=8) + rng.normal(size=8))
    np.testing.assert_allclose(
        margin_ratios(moved.moments()), margin_ratios(problem.moments()), rtol=1e-9
    )


@given(
    seed=st.integers(0, 2**32 - 1),
    n_samples=st.integers(6, 30),
    distance=st.sampled_from([0.0, 1.0, 10.0]),
)
@laws
def test_of_two_classes_a_feature_goes_to_the_one_where_it_varies_least(seed, n_samples, distance):
    rng = np.random.default_rng(seed)
    codes = np.arange(n_samples) % 2
    X = rng.normal(size=(n_samples, 9)) + distance * codes[:, None] * rng.normal(size=9)
    groups, _ = margin_groups(margin_ratios(moments_of(X, codes, 2)), np.inf, disjoint=True)
    is_first = X[codes == 0].var(axis=0) < X[codes == 1].var(axis=0)
    if 0 < is_first.sum() < 9:
        np.testing.assert_array_equal(groups, [is_first, ~is_first])


# ------------------------------------------------------------------ margin groups


# Ties, and nothing but infinite ratios in a row or column.
RATIOS = st.sampled_from([0.0, 0.2, 0.7, 0.8, 1.0, 1.05, 3.0, np.inf])
TALL = st.integers(2, 4).flatmap(lambda k: st.tuples(st.just(k), st.integers(k, 8)))


@given(ratios=arrays(float, TALL, elements=RATIOS), weight=st.sampled_from(WEIGHTS))
@laws
def test_disjoint_groups_are_those_of_loops(ratios, weight):
    groups, objective = margin_groups(ratios, weight, disjoint=True)
    np.testing.assert_array_equal(groups, reference.margin_groups(ratios, weight, disjoint=True))
    assert objective == pytest.approx(reference.margin_objective(ratios, weight, disjoint=True))


@given(
    ratios=arrays(float, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=RATIOS),
    weight=st.sampled_from(WEIGHTS),
)
@laws
def test_overlapping_groups_are_those_of_loops(ratios, weight):
    groups, objective = margin_groups(ratios, weight, disjoint=False)
    np.testing.assert_array_equal(groups, reference.margin_groups(ratios, weight, disjoint=False))
    assert objective == pytest.approx(reference.margin_objective(ratios, weight, disjoint=False))


@given(ratios=arrays(float, TALL, elements=RATIOS), weight=st.sampled_from(WEIGHTS))
@laws
def test_disjoint_groups_share_nothing_and_none_is_empty(ratios, weight):
    groups, _ = margin_groups(ratios, weight, disjoint=True)
    assert groups.any(axis=1).all()
    assert (groups.sum(axis=0) <= 1).all()


@given(ratios=arrays(float, TALL, elements=RATIOS))
@laws
def test_infinite_weight_uses_every_feature_once_if_disjoint(ratios):
    groups, _ = margin_groups(ratios, np.inf, disjoint=True)
    assert (groups.sum(axis=0) == 1).all()


@given(ratios=arrays(float, TALL, elements=RATIOS))
@laws
def test_infinite_weight_gives_every_class_every_feature_unless_disjoint(ratios):
    assert margin_groups(ratios, np.inf, disjoint=False)[0].all()


@given(ratios=arrays(float, TALL, elements=RATIOS))
@laws
def test_overlapping_groups_grow_with_the_weight(ratios):
    found = [margin_groups(ratios, weight, disjoint=False)[0] for weight in WEIGHTS]
    assert all((less <= more).all() for less, more in zip(found[:-1], found[1:], strict=True))


@pytest.mark.parametrize("disjoint", [True, False])
def test_tiny_weight_leaves_one_feature_a_class(problem, disjoint):
    groups, _ = margin_groups(margin_ratios(problem.moments()), 1e-200, disjoint=disjoint)
    assert groups.sum(axis=1).tolist() == [1, 1, 1]


def test_limit_is_the_square_of_the_weight():
    ratios = np.array([[0.24, 0.26, 0.25, 2.0], [1.0, 1.0, 1.0, 0.1]])
    groups, objective = margin_groups(ratios, 0.5, disjoint=True)
    assert groups.tolist() == [[True, False, False, False], [False, False, False, True]]
    assert objective == pytest.approx(0.24 + 0.25 + 0.25 + 0.1)


def test_tie_of_classes_goes_to_the_first():
    ratios = np.array([[0.5, 0.9, 0.9], [0.5, 0.5, 0.9], [0.9, 0.5, 0.1]])
    groups, _ = margin_groups(ratios, np.inf, disjoint=True)
    assert groups.argmax(axis=0).tolist() == [0, 1, 2]


def test_as_many_features_as_classes_are_enough():
    """All want the first class; it keeps the feature that the others miss least."""
    ratios = np.array([[0.1, 0.2, 0.3], [0.5, 0.3, 0.9], [0.6, 0.9, 0.4]])
    groups, _ = margin_groups(ratios, np.inf, disjoint=True)
    np.testing.assert_array_equal(groups, np.eye(3, dtype=bool))


def test_empty_group_takes_the_feature_of_least_regret_not_of_least_ratio():
    ratios = np.array([[0.01, 0.4, 0.2], [0.3, 0.5, 0.6]])
    groups, _ = margin_groups(ratios, np.inf, disjoint=True)
    assert groups.tolist() == [[True, False, True], [False, True, False]]


def test_empty_group_may_take_a_feature_that_is_not_used():
    ratios = np.array([[0.01, 0.4, 0.9], [0.9, 0.95, 1.0]])
    groups, _ = margin_groups(ratios, 0.9, disjoint=True)
    assert groups.tolist() == [[True, True, False], [False, False, True]]


def test_regret_of_a_feature_that_is_not_used_counts_from_the_limit():
    """1.1 - 0.64 is more than 0.7 - 0.4, though 1.1 - 0.9 is not."""
    ratios = np.array([[0.01, 0.4, 0.9], [0.9, 0.7, 1.1]])
    groups, _ = margin_groups(ratios, 0.8, disjoint=True)
    assert groups.tolist() == [[True, False, False], [False, True, False]]


def test_empty_group_takes_no_other_groups_last_feature():
    ratios = np.array([[0.1, 9.0, 9.0], [0.11, 5.0, 6.0]])
    groups, _ = margin_groups(ratios, 1.0, disjoint=True)
    assert groups.tolist() == [[True, False, False], [False, True, False]]


def test_empty_group_shares_its_best_feature_unless_disjoint():
    ratios = np.array([[0.1, 0.2, 0.9], [2.0, 1.5, 3.0]])
    groups, _ = margin_groups(ratios, 1.0, disjoint=False)
    assert groups.tolist() == [[True, True, True], [False, True, False]]


def test_fewer_features_than_classes_are_enough_unless_disjoint():
    ratios = np.array([[0.1, 0.2], [2.0, 1.5], [3.0, 4.0], [0.5, 0.6]])
    groups, _ = margin_groups(ratios, 1.0, disjoint=False)
    assert groups.tolist() == [[True, True], [False, True], [True, False], [True, True]]


@pytest.mark.parametrize("disjoint", [True, False])
def test_groups_follow_the_order_of_features_and_classes(rng, disjoint):
    ratios = rng.uniform(size=(3, 20))
    features, classes = rng.permutation(20), rng.permutation(3)
    groups, objective = margin_groups(ratios, 0.8, disjoint=disjoint)
    turned = ratios[np.ix_(classes, features)]
    found, found_objective = margin_groups(turned, 0.8, disjoint=disjoint)
    np.testing.assert_array_equal(found, groups[np.ix_(classes, features)])
    assert found_objective == pytest.approx(objective, rel=1e-12)


def test_ratios_are_left_as_they_were(rng):
    ratios = rng.uniform(size=(3, 5))
    before = ratios.copy()
    margin_groups(ratios, 0.1, disjoint=True)
    np.testing.assert_array_equal(ratios, before)


# ------------------------------------------------------------------ separations


def test_separations_are_those_of_an_analysis_of_variance(rng):
    X, codes = rng.normal(size=(30, 6)), np.arange(30) % 3
    expected = f_classif(X, codes)[0] * 2 / 27
    np.testing.assert_allclose(separations(moments_of(X, codes, 3)), expected, rtol=1e-11)


def test_constant_feature_separates_nothing(problem):
    problem.X[:, 2] = 0.1
    assert separations(problem.moments())[2] == 0.0


def test_feature_that_is_constant_in_each_class_separates_without_end():
    X = np.array([[0.1, 0.0], [0.1, 1.0], [0.2, 2.0], [0.2, 4.0]])
    assert separations(moments_of(X, [0, 0, 1, 1], 2))[0] == np.inf
