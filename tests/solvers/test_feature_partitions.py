"""Many partitions of the features at once, against one restart after the other."""

from importlib import import_module
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from centroidal.solvers.feature_partitions import (
    Seeds,
    alternate,
    assign,
    cluster_columns,
    draw_seeds,
)
from centroidal.statistics import class_moments
from centroidal.statistics.residuals import column_products
from tests.reference import disjoint_centroids as reference

laws = settings(deadline=None, max_examples=15, derandomize=True)
SHAPES = {"tall": (40, 9), "wide": (14, 12)}
STORES = {"dense": np.asarray, "csr": sparse.csr_array}


class Problem(NamedTuple):
    """Samples of three classes, each steady on features of its own."""

    X: np.ndarray
    codes: np.ndarray
    weights: np.ndarray | None = None
    origin: np.ndarray | None = None
    scale: np.ndarray | None = None

    @property
    def n_classes(self):
        return int(self.codes.max()) + 1

    @property
    def n_features(self):
        return self.X.shape[1]

    def products(self, store=np.asarray, **options):
        counts = class_moments(self.X, self.codes, self.n_classes, self.weights).counts
        origin = np.zeros(self.n_features) if self.origin is None else self.origin
        parts = store(self.X), self.codes, counts, origin, self.weights, self.scale
        return column_products(*parts, **options)

    def looked_at(self):
        """Rows that count as the alternation sees them, their classes and weights."""
        counted = self.codes >= 0
        origin = 0.0 if self.origin is None else self.origin
        scale = 1.0 if self.scale is None else self.scale
        weights = np.ones(len(self.X)) if self.weights is None else self.weights
        return ((self.X - origin) / scale)[counted], self.codes[counted], weights[counted]

    def clustered_one_by_one(self, seeds, cluster=reference.hartigan):
        X, _, weights = self.looked_at()
        return np.array(
            [
                groups[cluster(X, columns, weights)]
                for columns, groups in zip(seeds.columns, seeds.groups, strict=True)
            ]
        )

    def alternated_one_by_one(self, labels, baseline_weights, max_steps=300):
        X, codes, weights = self.looked_at()
        return [
            reference.alternate(X, codes, start, self.n_classes, weight, weights, max_steps)
            for start, weight in zip(labels, baseline_weights, strict=True)
        ]

    def objective(self, labels, baseline_weight):
        X, codes, weights = self.looked_at()
        return reference.objective(X, codes, labels, self.n_classes, baseline_weight, weights)

    def random_labels(self, n_partitions, n_groups, rng):
        """Partitions in which every group has a feature."""
        labels = rng.integers(0, n_groups, size=(n_partitions, self.n_features))
        labels[:, :n_groups] = np.arange(n_groups)
        return rng.permuted(labels, axis=1)


def make_problem(rng, n_samples, n_features, n_classes=3):
    codes = (np.arange(n_samples) % n_classes).astype(np.int32)
    is_own = codes[:, None] == np.arange(n_features) % n_classes
    return Problem(rng.normal(size=(n_samples, n_features)) * np.where(is_own, 0.5, 1.0), codes)


@pytest.fixture(params=SHAPES)
def plain(request, rng):
    return make_problem(rng, *SHAPES[request.param])


@pytest.fixture(params=["plain", "weighted", "all"])
def problem(request, plain, rng):
    n, m = plain.X.shape
    weights = rng.uniform(0.5, 2.0, size=n) * (np.arange(n) % 5 > 0)
    left_out = np.where(np.arange(n) % 7 == 1, -1, plain.codes).astype(np.int32)
    scale = rng.uniform(0.5, 2.0, size=m)
    origin = rng.normal(size=m)
    return {
        "plain": plain,
        "weighted": plain._replace(weights=weights),
        "all": Problem(plain.X, left_out, weights, origin, scale),
    }[request.param]


@pytest.fixture(params=STORES)
def store(request):
    return STORES[request.param]


@pytest.fixture
def module():
    return import_module("centroidal.solvers.feature_partitions")


def assert_same_runs(found, expected):
    """Equal fates, objectives and groups; a void run keeps those in which it ended."""
    np.testing.assert_array_equal(found.is_void, [run.is_void for run in expected])
    np.testing.assert_allclose(found.objectives, [run.objective for run in expected], rtol=1e-9)
    np.testing.assert_array_equal(found.labels, [run.labels for run in expected])


def assert_same_partitions(found, expected):
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.is_void, expected.is_void)
    np.testing.assert_allclose(found.objectives, expected.objectives, rtol=1e-9)


def found_from_seeds(problem, seeds, baseline_weight=np.inf, store=np.asarray):
    products = problem.products(store)
    labels = cluster_columns(products, seeds)
    return alternate(products, labels, np.full(len(labels), baseline_weight))


# ------------------------------------------------------------------ seeds


@pytest.mark.parametrize("n_starts", [1, 7, 20])
def test_more_starts_begin_with_the_same_ones(n_starts):
    few, many = draw_seeds(12, 4, n_starts, seed=3), draw_seeds(12, 4, 30, seed=3)
    np.testing.assert_array_equal(few.columns, many.columns[:n_starts])
    np.testing.assert_array_equal(few.groups, many.groups[:n_starts])


def test_another_seed_gives_other_starts():
    assert (draw_seeds(12, 4, 30, seed=3).columns != draw_seeds(12, 4, 30, seed=4).columns).any()


def test_columns_to_begin_with_are_different_ones():
    columns = draw_seeds(5, 4, 50, seed=0).columns
    assert all(len(set(row)) == 4 and set(row) <= set(range(5)) for row in columns.tolist())


def test_every_match_of_clusters_with_groups_is_drawn():
    groups = draw_seeds(5, 3, 100, seed=0).groups
    assert len(set(map(tuple, groups.tolist()))) == 6


def test_as_many_features_as_groups_are_enough():
    assert sorted(draw_seeds(4, 4, 1, seed=0).columns[0].tolist()) == [0, 1, 2, 3]


def test_some_seeds_keep_their_columns_and_groups_together():
    seeds = draw_seeds(12, 4, 30, seed=3)
    some = seeds.take(slice(10, 20))
    np.testing.assert_array_equal(some.columns, seeds.columns[10:20])
    np.testing.assert_array_equal(some.groups, seeds.groups[10:20])


# ------------------------------------------------------------------ k-means on the columns


def test_clusters_are_those_of_single_moves_one_start_after_the_other(problem, store):
    seeds = draw_seeds(problem.n_features, 4, 4, seed=1)
    found = cluster_columns(problem.products(store), seeds)
    np.testing.assert_array_equal(found, problem.clustered_one_by_one(seeds))


@given(
    seed=st.integers(0, 2**32 - 1),
    n_samples=st.integers(1, 12),
    n_features=st.integers(3, 10),
    n_groups=st.integers(2, 3),
)
@laws
def test_no_single_move_lowers_the_sum_of_squares(seed, n_samples, n_features, n_groups):
    problem = make_problem(np.random.default_rng(seed), n_samples, n_features, n_classes=1)
    labels = cluster_columns(problem.products(), draw_seeds(n_features, n_groups, 1, seed))[0]
    here = reference.sum_of_squares(problem.X, labels)
    for i in range(n_features):
        if (labels == labels[i]).sum() > 1:
            sums = reference.single_moves(problem.X, labels, i, n_groups)
            assert sums.min() > here * (1.0 - 1e-9)


def test_whole_steps_alone_do_not_end_in_such_clusters(plain):
    seeds = draw_seeds(plain.n_features, 3, 10, seed=1)
    whole_steps = plain.clustered_one_by_one(seeds, reference.lloyd)
    assert (whole_steps != cluster_columns(plain.products(), seeds)).any()


def test_many_features_are_clustered_by_whole_steps(problem, store, module, monkeypatch):
    monkeypatch.setattr(module, "_MOST_FEATURES_TO_MOVE", 5)
    seeds = draw_seeds(problem.n_features, 3, 10, seed=1)
    found = cluster_columns(problem.products(store), seeds)
    np.testing.assert_array_equal(found, problem.clustered_one_by_one(seeds, reference.lloyd))


def test_empty_cluster_keeps_the_others_from_no_whole_step(rng, store, module, monkeypatch):
    """It may stand for the features that are not used, so that the start counts."""
    monkeypatch.setattr(module, "_MOST_FEATURES_TO_MOVE", 5)
    problem = make_problem(rng, 8, 30)
    problem.X[:, 1] = problem.X[:, 0]
    seeds = Seeds(np.array([[0, 1, 4, 7], [0, 1, 5, 9]]), np.array([[0, 3, 1, 2]] * 2))
    found = cluster_columns(problem.products(store), seeds)
    np.testing.assert_array_equal(found, problem.clustered_one_by_one(seeds, reference.lloyd))


def test_more_than_a_thousand_features_are_many(rng, store):
    problem = make_problem(rng, 3, 1001, n_classes=1)
    seeds = draw_seeds(1001, 2, 1, seed=0)
    found = cluster_columns(problem.products(store), seeds)
    np.testing.assert_array_equal(found, problem.clustered_one_by_one(seeds, reference.lloyd))


def test_clusters_are_given_to_the_groups_that_their_columns_stand_for(plain):
    columns = np.array([[0, 3, 7]] * 2)
    in_order = Seeds(columns[:1], np.array([[0, 1, 2]]))
    turned = Seeds(columns[1:], np.array([[2, 0, 1]]))
    products = plain.products()
    expected = np.array([2, 0, 1])[cluster_columns(products, in_order)]
    np.testing.assert_array_equal(cluster_columns(products, turned), expected)


def test_cluster_of_a_copy_of_another_seed_stays_empty(plain, store):
    """The first of equal columns takes all that are near."""
    twins = plain._replace(X=plain.X[:, [0, 0, *range(1, plain.n_features)]])
    seeds = Seeds(np.array([[0, 1, 5]]), np.array([[0, 1, 2]]))
    labels = cluster_columns(twins.products(store), seeds)
    assert set(labels[0].tolist()) == {0, 2}


def test_column_that_two_clusters_would_take_equally_gladly_joins_the_first(store):
    """(1, 0) leaves the middle of itself and (0, 0) twice; it is 1 from (1, 1) and from (2, 0)."""
    X = np.array([[0.0, 1.0, 0.0, 2.0, 1.0], [0.0, 1.0, 0.0, 0.0, 0.0]])
    problem = Problem(X, np.array([0, 1], dtype=np.int32))
    seeds = Seeds(np.array([[4, 1, 3]]), np.array([[0, 1, 2]]))
    assert cluster_columns(problem.products(store), seeds).tolist() == [[0, 1, 0, 2, 1]]


# ------------------------------------------------------------------ one after the other


@pytest.mark.parametrize("baseline_weight", [np.inf, 1.0, 0.7])
def test_restarts_at_once_are_those_one_after_the_other(problem, store, baseline_weight, rng):
    n_groups = 3 + np.isfinite(baseline_weight)
    labels = problem.random_labels(6, n_groups, rng)
    weights = np.full(6, baseline_weight)
    found = alternate(problem.products(store), labels, weights)
    assert_same_runs(found, problem.alternated_one_by_one(labels, weights))


def test_some_restarts_at_once_are_void_like_those_one_after_the_other(problem, store, rng):
    labels, weights = problem.random_labels(20, 4, rng), np.full(20, 0.6)
    expected = problem.alternated_one_by_one(labels, weights)
    assert 0 < sum(run.is_void for run in expected) < 20
    assert_same_runs(alternate(problem.products(store), labels, weights), expected)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_samples=st.integers(3, 16),
    n_features=st.integers(4, 8),
    baseline_weight=st.sampled_from([np.inf, 1.0, 0.5]),
    name=st.sampled_from(sorted(STORES)),
)
@laws
def test_restarts_on_few_values_break_ties_like_those_one_after_the_other(
    seed, n_samples, n_features, baseline_weight, name
):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n_samples, n_features)).astype(float)
    problem = Problem(X, (np.arange(n_samples) % 3).astype(np.int32))
    labels = problem.random_labels(5, 3 + np.isfinite(baseline_weight), rng)
    weights = np.full(5, baseline_weight)
    found = alternate(problem.products(STORES[name]), labels, weights)
    assert_same_runs(found, problem.alternated_one_by_one(labels, weights))


def test_restarts_from_clusters_are_those_one_after_the_other(plain, store):
    seeds = draw_seeds(plain.n_features, 4, 6, seed=2)
    expected = plain.alternated_one_by_one(plain.clustered_one_by_one(seeds), np.full(6, 0.9))
    assert_same_runs(found_from_seeds(plain, seeds, 0.9, store), expected)


@pytest.mark.parametrize("baseline_weight", [np.inf, 1.0, 0.7])
def test_clusterings_of_one_class_are_those_one_after_the_other(
    problem, store, baseline_weight, rng
):
    labels = problem.random_labels(20, 2, rng) * np.isfinite(baseline_weight)
    X, codes, weights = problem.looked_at()
    for c in range(problem.n_classes):
        found = alternate(problem.products(store), labels, np.full(20, baseline_weight), c)
        for i, start in enumerate(labels):
            expected = reference.alternate_alone(X, codes, start == 0, c, baseline_weight, weights)
            assert found.is_void[i] == (expected is None)
            if expected is not None:
                np.testing.assert_array_equal(found.labels[i] == 0, expected[0])
                assert found.objectives[i] == pytest.approx(expected[1], rel=1e-9)


@pytest.mark.parametrize("baseline_weight", [np.inf, 1.0, 0.7])
def test_restarts_in_the_euclidean_norm_are_those_one_after_the_other(
    problem, store, baseline_weight, rng
):
    n_groups = problem.n_classes + np.isfinite(baseline_weight)
    labels = problem.random_labels(30, n_groups, rng)
    found = alternate(problem.products(store, is_mean=False), labels, np.full(30, baseline_weight))
    X, codes, weights = problem.looked_at()
    expected = [
        reference.alternate_by_sums(X, codes, start, problem.n_classes, baseline_weight, weights)
        for start in labels
    ]
    assert_same_runs(found, expected)


def test_weights_of_the_baseline_side_by_side_are_those_one_after_the_other(plain, store, rng):
    labels = np.tile(plain.random_labels(4, 4, rng), (5, 1))
    weights = np.repeat([0.3, 0.6, 0.9, 1.2, np.inf], 4)
    found = alternate(plain.products(store), labels, weights)
    assert_same_runs(found, plain.alternated_one_by_one(labels, weights))


def test_restart_does_not_depend_on_the_others(plain, rng):
    products, labels = plain.products(), plain.random_labels(12, 4, rng)
    together = alternate(products, labels, np.full(12, 0.7))
    for r in range(12):
        alone = alternate(products, labels[r : r + 1], np.array([0.7]))
        np.testing.assert_array_equal(together.labels[r], alone.labels[0])


def test_restart_stops_after_the_most_steps(plain, module, monkeypatch, rng):
    labels = plain.random_labels(8, 3, rng)
    expected = plain.alternated_one_by_one(labels, np.full(8, np.inf), max_steps=1)
    until_the_end = plain.alternated_one_by_one(labels, np.full(8, np.inf))
    monkeypatch.setattr(module, "_MOST_STEPS", 1)
    found = alternate(plain.products(), labels, np.full(8, np.inf)).labels
    np.testing.assert_array_equal(found, [run.labels for run in expected])
    assert (found != [run.labels for run in until_the_end]).any()


def test_restart_without_a_feature_for_each_class_is_void_at_once(plain):
    labels = np.zeros((1, plain.n_features), dtype=int)
    labels[0, 0] = 2
    found = alternate(plain.products(), labels, np.array([1.0]))
    assert found.is_void.tolist() == [True]
    assert np.isnan(found.objectives).all()
    np.testing.assert_array_equal(found.labels, labels)


def test_partitions_to_begin_with_are_left_as_they_were(plain, rng):
    labels = plain.random_labels(8, 4, rng)
    before = labels.copy()
    found = alternate(plain.products(), labels, np.full(8, 1.0))
    np.testing.assert_array_equal(labels, before)
    assert (found.labels != before).any()


# ------------------------------------------------------------------ two routes, two stores


@pytest.mark.parametrize("baseline_weight", [np.inf, 0.8])
def test_matrices_and_rows_give_the_same_partitions(
    problem, store, baseline_weight, monkeypatch, rng
):
    statistics = import_module("centroidal.statistics.residuals")
    labels = problem.random_labels(8, 3 + np.isfinite(baseline_weight), rng)
    found = []
    for room in (2**24, 0):
        monkeypatch.setattr(statistics, "_LARGEST_GRAMS", room)
        found.append(alternate(problem.products(store), labels, np.full(8, baseline_weight)))
    assert_same_partitions(*found)


@given(seed=st.integers(0, 2**32 - 1), n_samples=st.integers(6, 40))
@laws
def test_dense_and_sparse_samples_give_the_same_partitions(seed, n_samples):
    rng = np.random.default_rng(seed)
    problem = make_problem(rng, n_samples, 9)
    problem = problem._replace(X=problem.X * (rng.random(problem.X.shape) < 0.5))
    seeds = draw_seeds(9, 4, 5, seed)
    dense, stored = (found_from_seeds(problem, seeds, 0.9, make) for make in STORES.values())
    assert_same_partitions(dense, stored)


# ------------------------------------------------------------------ what falls


def one_step(problem, labels, baseline_weight):
    """New groups of one partition, and their distances to the present centers."""
    samples = np.array([*range(problem.n_classes), -1])
    weights = np.array([baseline_weight**2])
    new, objectives = assign(problem.products(), samples, labels[None], weights)
    return new[0], objectives[0]


@given(
    seed=st.integers(0, 2**32 - 1),
    n_samples=st.integers(3, 20),
    n_features=st.integers(4, 15),
    baseline_weight=st.sampled_from([0.3, 0.8, 1.0, 2.0]),
)
@laws
def test_objective_never_rises_in_either_half_of_a_step(
    seed, n_samples, n_features, baseline_weight
):
    rng = np.random.default_rng(seed)
    problem = make_problem(rng, n_samples, n_features)
    labels = problem.random_labels(1, 4, rng)[0]
    before = problem.objective(labels, baseline_weight)
    for _ in range(20):
        labels, with_old_centers = one_step(problem, labels, baseline_weight)
        after = problem.objective(labels, baseline_weight)
        assert with_old_centers <= before * (1 + 1e-12)
        assert after <= with_old_centers * (1 + 1e-12)
        before = after


def test_objective_falls_strictly_until_the_partition_repeats(plain, rng):
    n_moves = 0
    for labels in plain.random_labels(10, 4, rng):
        new, _ = one_step(plain, labels, 0.9)
        while (new != labels).any():
            assert plain.objective(new, 0.9) < plain.objective(labels, 0.9)
            labels, (new, _) = new, one_step(plain, new, 0.9)
            n_moves += 1
    assert n_moves > 10


def test_objective_is_that_of_the_best_centers_of_the_final_groups(problem, store, rng):
    found = alternate(problem.products(store), problem.random_labels(8, 4, rng), np.full(8, 1.0))
    assert not found.is_void.all()
    for labels, objective in zip(found.labels, found.objectives, strict=True):
        if not np.isnan(objective):
            assert objective == pytest.approx(problem.objective(labels, 1.0), rel=1e-10)


def test_final_groups_stay(plain, rng):
    products = plain.products()
    first = alternate(products, plain.random_labels(8, 4, rng), np.full(8, 1.0))
    kept = ~first.is_void
    assert kept.any()
    again = alternate(products, first.labels[kept], np.full(kept.sum(), 1.0))
    np.testing.assert_array_equal(again.labels, first.labels[kept])


# ------------------------------------------------------------------ ties


@pytest.fixture
def square():
    """One sample a class; the first features are the centers 0 of both, the fourth is not used."""
    X = np.array([[0.0, 5.0, 1.0, 2.0], [5.0, 0.0, 1.0, 2.0]])
    return Problem(X, np.array([0, 1], dtype=np.int32))


def groups_next(problem, store, baseline_weight):
    labels = np.array([[0, 1, -1, 2]])
    products, weights = problem.products(store), np.array([baseline_weight**2])
    return assign(products, np.array([0, 1, -1]), labels, weights)[0][0].tolist()


def test_tie_of_classes_goes_to_the_first(square, store):
    assert groups_next(square, store, 10.0)[2] == 0


def test_unused_group_loses_a_tie_with_a_class(square, store):
    square.X[0, 2] = 3.0  # 9 from the first center, and 1 from the other two
    assert groups_next(square, store, 1.0)[2] == 1


def test_unused_group_wins_as_soon_as_it_is_nearer(square, store):
    square.X[0, 2] = 3.0
    assert groups_next(square, store, 0.999)[2] == 2


def test_weight_multiplies_the_distance_before_it_is_squared(square, store):
    """2 from the second center, and 3 times a fixed weight from that of the unused."""
    square.X[:, 2], square.X[:, 3] = [9.0, 2.0], [12.0, 5.0]
    assert groups_next(square, store, 0.66)[2] == 2
    assert groups_next(square, store, 0.67)[2] == 1


# ------------------------------------------------------------------ the unused group


@pytest.mark.parametrize("baseline_weight", [0.01, 1.0])
def test_unused_group_may_be_empty_and_stays_so(problem, store, baseline_weight, rng):
    labels, products = problem.random_labels(8, 3, rng), problem.products(store)
    found = alternate(products, labels, np.full(8, baseline_weight))
    assert not (found.labels == 3).any()
    assert_same_partitions(found, alternate(products, labels, np.full(8, np.inf)))


def test_infinite_weight_uses_every_feature(problem, store, rng):
    labels = problem.random_labels(8, 4, rng)
    found = alternate(problem.products(store), labels, np.full(8, np.inf))
    assert (labels == 3).any()
    assert not (found.labels[~found.is_void] == 3).any()


@given(seed=st.integers(0, 2**32 - 1), n_samples=st.integers(3, 20))
@laws
def test_over_one_step_the_used_features_grow_with_the_weight(seed, n_samples):
    rng = np.random.default_rng(seed)
    problem = make_problem(rng, n_samples, 12)
    labels = np.tile(problem.random_labels(1, 4, rng), (40, 1))
    weights = np.geomspace(1e-3, 1e3, 40)
    new, _ = assign(problem.products(), np.array([0, 1, 2, -1]), labels, weights**2)
    is_used = new != 3
    assert (is_used[:-1] <= is_used[1:]).all()
    assert is_used[0].sum() < is_used[-1].sum()


# ------------------------------------------------------------------ laws


SEEDS = st.integers(0, 2**32 - 1)


@given(seed=SEEDS, name=st.sampled_from(sorted(STORES)))
@laws
def test_level_of_a_sample_does_not_matter(seed, name):
    rng = np.random.default_rng(seed)
    problem, seeds = make_problem(rng, 20, 9), draw_seeds(9, 4, 4, seed)
    shifted = problem._replace(X=problem.X + 10 * rng.normal(size=(20, 1)))
    assert_same_partitions(
        found_from_seeds(shifted, seeds, 0.9, STORES[name]),
        found_from_seeds(problem, seeds, 0.9, STORES[name]),
    )


def test_level_of_raw_intensities_costs_no_precision(plain):
    seeds = draw_seeds(plain.n_features, 4, 8, seed=0)
    raised = plain._replace(X=plain.X + 1e5)
    assert_same_partitions(
        found_from_seeds(raised, seeds, 0.9), found_from_seeds(plain, seeds, 0.9)
    )


@given(seed=SEEDS, factor=st.sampled_from([-1.0, 1e-150, 1e-3, 3.0, 1e100]))
@laws
def test_common_factor_of_the_features_changes_only_the_objective(seed, factor):
    problem = make_problem(np.random.default_rng(seed), 20, 9)
    seeds = draw_seeds(9, 4, 4, seed)
    expected = found_from_seeds(problem, seeds, 0.9)
    found = found_from_seeds(problem._replace(X=factor * problem.X), seeds, 0.9)
    assert_same_partitions(found, expected._replace(objectives=expected.objectives * factor**2))


@given(seed=SEEDS, name=st.sampled_from(sorted(STORES)))
@laws
def test_order_of_the_samples_does_not_matter(seed, name):
    rng = np.random.default_rng(seed)
    problem, seeds = make_problem(rng, 20, 9), draw_seeds(9, 4, 4, seed)
    order = rng.permutation(20)
    turned = Problem(problem.X[order], problem.codes[order])
    assert_same_partitions(
        found_from_seeds(turned, seeds, 0.9, STORES[name]),
        found_from_seeds(problem, seeds, 0.9, STORES[name]),
    )


@given(seed=SEEDS)
@laws
def test_groups_follow_the_order_of_the_features(seed):
    rng = np.random.default_rng(seed)
    problem = make_problem(rng, 20, 9)
    labels, order = problem.random_labels(4, 4, rng), rng.permutation(9)
    expected = alternate(problem.products(), labels, np.full(4, 0.9))
    turned = problem._replace(X=problem.X[:, order])
    found = alternate(turned.products(), labels[:, order], np.full(4, 0.9))
    assert_same_partitions(found, expected._replace(labels=expected.labels[:, order]))


@given(seed=SEEDS)
@laws
def test_groups_follow_the_names_of_the_classes(seed):
    rng = np.random.default_rng(seed)
    problem = make_problem(rng, 20, 9)
    labels, names = problem.random_labels(4, 4, rng), np.append(rng.permutation(3), 3)
    expected = alternate(problem.products(), labels, np.full(4, 0.9))
    renamed = problem._replace(codes=names[problem.codes].astype(np.int32))
    found = alternate(renamed.products(), names[labels], np.full(4, 0.9))
    assert_same_partitions(found, expected._replace(labels=names[expected.labels]))


@given(seed=SEEDS, name=st.sampled_from(sorted(STORES)))
@laws
def test_integer_weights_are_repeats(seed, name):
    rng = np.random.default_rng(seed)
    problem, seeds = make_problem(rng, 20, 9), draw_seeds(9, 4, 4, seed)
    repeats = rng.integers(0, 4, size=20)
    repeats[:3] = 1
    order = np.repeat(np.arange(20), repeats)
    repeated = Problem(problem.X[order], problem.codes[order])
    assert_same_partitions(
        found_from_seeds(problem._replace(weights=repeats * 1.0), seeds, 0.9, STORES[name]),
        found_from_seeds(repeated, seeds, 0.9, STORES[name]),
    )


@given(seed=SEEDS, name=st.sampled_from(sorted(STORES)))
@laws
def test_copies_of_a_feature_share_a_group(seed, name):
    rng = np.random.default_rng(seed)
    problem = make_problem(rng, 20, 6)
    doubled = problem._replace(X=np.hstack([problem.X, problem.X, problem.X[:, :2]]))
    seeds = draw_seeds(14, 4, 8, seed)
    found = found_from_seeds(doubled, seeds, 1.5, STORES[name])
    labels = found.labels[~found.is_void]
    np.testing.assert_array_equal(labels[:, :6], labels[:, 6:12])
    np.testing.assert_array_equal(labels[:, :2], labels[:, 12:])


@given(seed=SEEDS, name=st.sampled_from(sorted(STORES)))
@laws
def test_copies_of_a_feature_share_a_cluster(seed, name):
    problem = make_problem(np.random.default_rng(seed), 20, 6)
    doubled = problem._replace(X=np.hstack([problem.X, problem.X]))
    labels = cluster_columns(doubled.products(STORES[name]), draw_seeds(12, 3, 8, seed))
    np.testing.assert_array_equal(labels[:, :6], labels[:, 6:])


# ------------------------------------------------------------------ levels and scales of features


@pytest.fixture
def raised(plain, rng):
    """The same samples with a level of its own for each feature."""
    return plain._replace(X=plain.X + 5 * rng.normal(size=plain.n_features))


def test_levels_of_the_features_change_the_groups(plain, raised):
    seeds = draw_seeds(plain.n_features, 3, 8, seed=0)
    found, expected = (found_from_seeds(problem, seeds) for problem in (raised, plain))
    assert (found.labels != expected.labels).any()


def test_levels_of_the_features_do_not_matter_once_they_are_the_origin(plain, raised, store):
    seeds = draw_seeds(plain.n_features, 3, 8, seed=0)
    found, expected = (
        found_from_seeds(problem._replace(origin=problem.X.mean(axis=0)), seeds, store=store)
        for problem in (raised, plain)
    )
    assert_same_partitions(found, expected)


def test_scales_of_the_features_do_not_matter_once_they_are_divided_by_them(plain, store, rng):
    seeds = draw_seeds(plain.n_features, 3, 8, seed=0)
    stretched = plain._replace(X=plain.X * rng.uniform(0.1, 10.0, size=plain.n_features))
    found, expected = (
        found_from_seeds(problem._replace(scale=problem.X.std(axis=0)), seeds, store=store)
        for problem in (stretched, plain)
    )
    assert_same_partitions(found, expected)
