from typing import NamedTuple

import numpy as np
import pytest

from centroidal.solvers.sparse_centers import (
    feature_scale,
    solve_l1_centers,
    solve_l2_centers,
)
from centroidal.statistics import class_medians, class_moments
from tests import reference

N_FEATURES = 5


class Problem(NamedTuple):
    X: np.ndarray
    codes: np.ndarray
    n_classes: int
    weights: np.ndarray | None

    def path(self, metric, scale=None):
        scale = np.ones(self.X.shape[1]) if scale is None else scale
        if metric == "l1":
            return solve_l1_centers(class_medians(*self), scale)
        return solve_l2_centers(class_moments(*self), scale)

    def objective(self, centers, metric, scale=1.0):
        return reference.objective(
            self.X / scale, self.codes, centers / scale, metric, self.weights
        )


def continuous(rng, codes):
    centers = rng.normal(size=(codes.max() + 1, N_FEATURES))
    return centers[codes] + rng.normal(size=(codes.size, N_FEATURES)), None


def weighted(rng, codes):
    X, _ = continuous(rng, codes)
    # Some rows weigh nothing, but the first of each class does.
    weights = rng.integers(0, 5, size=codes.size) / 4
    weights[: codes.max() + 1] = 1.0
    return X, weights


def integers(rng, codes):
    return rng.integers(0, 3, size=(codes.size, N_FEATURES)).astype(np.float64), None


def tied_columns(rng, codes):
    """Two columns twice, one of them mirrored: equal gains to the bit."""
    X, _ = continuous(rng, codes)
    X[:, 3] = X[:, 1]
    X[:, 4] = -X[:, 1]
    X[:, 2] = X[:, 0]
    return X, None


def heavy_tails(rng, codes):
    return rng.standard_t(1, size=(codes.size, N_FEATURES)), None


KINDS = {f.__name__: f for f in (continuous, weighted, integers, tied_columns, heavy_tails)}


def draw_problem(rng, kind, n_classes):
    """Return a problem of classes of unequal sizes, small enough to enumerate."""
    spare = rng.integers(0, n_classes, size=rng.integers(0, 12))
    codes = np.concatenate([np.arange(n_classes), spare]).astype(np.int32)
    X, weights = KINDS[kind](rng, codes)
    return Problem(X, codes, n_classes, weights)


@pytest.fixture(params=[f"{kind}-{n}" for kind in KINDS for n in (2, 3, 4)])
def problems(request, rng):
    kind, n_classes = request.param.split("-")
    return [draw_problem(rng, kind, int(n_classes)) for _ in range(4)]


@pytest.fixture(params=["l1", "l2"])
def metric(request):
    return request.param


# ------------------------------------------------------------------ exactness


def test_objective_is_the_least_over_all_subsets_for_every_k(problems, metric):
    for problem in problems:
        path = problem.path(metric)
        for k in range(N_FEATURES + 1):
            least, _ = reference.best_subsets(
                problem.X, problem.codes, problem.n_classes, k, metric, problem.weights
            )
            assert path.objective(k) == pytest.approx(least, rel=1e-9, abs=1e-9)


def test_selected_features_are_a_best_subset_of_their_size(problems, metric):
    for problem in problems:
        path = problem.path(metric)
        for k in range(N_FEATURES + 1):
            _, best = reference.best_subsets(
                problem.X, problem.codes, problem.n_classes, k, metric, problem.weights
            )
            assert tuple(path.selected(k).tolist()) in best


def test_objective_is_attained_by_the_centers(problems, metric):
    for problem in problems:
        path = problem.path(metric)
        for k in range(N_FEATURES + 1):
            attained = problem.objective(path.centers(k), metric)
            assert path.objective(k) == pytest.approx(attained, rel=1e-9, abs=1e-9)


def test_centers_differ_in_the_selected_features_alone(problems, metric):
    for problem in problems:
        path = problem.path(metric)
        for k in range(N_FEATURES + 1):
            differs = np.ptp(path.centers(k), axis=0) > 0
            assert set(np.flatnonzero(differs)) <= set(path.selected(k))


def test_objective_in_scaled_units_is_attained_by_the_centers(problems, metric, rng):
    scale = rng.uniform(0.5, 2.0, size=N_FEATURES)
    for problem in problems:
        path = problem.path(metric, scale)
        for k in range(N_FEATURES + 1):
            attained = problem.objective(path.centers(k), metric, scale)
            assert path.objective(k) == pytest.approx(attained, rel=1e-9, abs=1e-9)


def test_scaled_problem_is_that_of_scaled_data(problems, metric, rng):
    scale = rng.uniform(0.5, 2.0, size=N_FEATURES)
    for problem in problems:
        path = problem.path(metric, scale)
        divided = problem._replace(X=problem.X / scale).path(metric)
        np.testing.assert_allclose(path.gains, divided.gains, rtol=1e-10, atol=1e-12)


def test_kept_features_have_the_centers_of_the_definition(problems, metric):
    for problem in problems:
        own, shared = reference.center_pairs(
            problem.X, problem.codes, problem.n_classes, metric, problem.weights
        )
        path = problem.path(metric)
        np.testing.assert_allclose(path.class_centers, own, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(path.shared, shared, rtol=1e-12, atol=1e-14)


def test_gains_are_never_negative(problems, metric):
    for problem in problems:
        assert (problem.path(metric).gains >= 0).all()


def test_gain_is_what_keeping_the_feature_takes_off_the_objective(problems, metric):
    for problem in problems:
        path = problem.path(metric)
        for k in range(N_FEATURES):
            drop = path.objective(k) - path.objective(k + 1)
            assert path.gains[path.ranking[k]] == pytest.approx(drop, abs=1e-9)


def test_gain_for_two_classes_is_half_the_squared_difference_of_the_means(rng):
    problem = draw_problem(rng, "continuous", 2)
    means = reference.class_moments(problem.X, problem.codes, 2).means
    np.testing.assert_allclose(problem.path("l2").gains, (means[1] - means[0]) ** 2 / 2, rtol=1e-12)


def test_gain_is_the_difference_of_the_dispersions(rng):
    """Proposition 3, with the opposite sign."""
    problem = draw_problem(rng, "heavy_tails", 3)
    medians = reference.class_medians(problem.X, problem.codes, 3)
    expected = medians.shared_dispersion - medians.dispersions.sum(axis=0)
    np.testing.assert_allclose(problem.path("l1").gains, expected, rtol=1e-9, atol=1e-12)


# ------------------------------------------------------------------ ties


def test_equal_columns_rank_by_position(rng, metric):
    column = rng.normal(size=(30, 1)) + np.repeat([[0.0], [1.0]], 15, axis=0)
    codes = np.repeat([0, 1], 15).astype(np.int32)
    path = Problem(np.repeat(column, 6, axis=1), codes, 2, None).path(metric)
    assert path.ranking.tolist() == [0, 1, 2, 3, 4, 5]


def test_mirrored_columns_rank_by_position(rng, metric):
    column = rng.normal(size=(30, 1)) + np.repeat([[0.0], [1.0]], 15, axis=0)
    codes = np.repeat([0, 1], 15).astype(np.int32)
    path = Problem(column * [1, -1, 1, -1], codes, 2, None).path(metric)
    assert path.ranking.tolist() == [0, 1, 2, 3]


def test_features_without_gain_rank_last_and_by_position(metric):
    codes = np.repeat([0, 1], 3).astype(np.int32)
    X = np.tile([0.1, 0.0, 0.7, 0.0, 0.3], (6, 1))
    X[:, 3] = codes
    path = Problem(X, codes, 2, None).path(metric)
    assert path.ranking.tolist() == [3, 0, 1, 2, 4]


def test_constant_feature_has_a_gain_of_exactly_zero(rng, metric):
    codes = rng.integers(0, 3, size=500).astype(np.int32)
    X = np.tile([0.1, 1 / 3, -1e6 / 7], (500, 1))
    path = Problem(X, codes, 3, rng.random(500)).path(metric)
    assert path.gains.tolist() == [0.0, 0.0, 0.0]


def test_classes_with_the_same_values_give_a_gain_of_exactly_zero(rng, metric):
    values = rng.normal(size=(41, 3))
    codes = np.repeat([0, 1], 41).astype(np.int32)
    path = Problem(np.vstack([values, values]), codes, 2, None).path(metric)
    assert path.gains.tolist() == [0.0, 0.0, 0.0]


# ------------------------------------------------------------------ the path


def test_larger_selections_contain_smaller_ones(problems, metric):
    for problem in problems:
        path = problem.path(metric)
        for k in range(N_FEATURES):
            assert set(path.selected(k)) < set(path.selected(k + 1))


def test_selected_features_are_in_the_order_of_the_data(rng, metric):
    path = draw_problem(rng, "continuous", 3).path(metric)
    assert path.selected(4).tolist() == sorted(path.ranking[:4].tolist())


def test_spread_is_the_pooled_mean_loss_along_the_selected_features(problems, metric):
    for problem in problems:
        path = problem.path(metric)
        own = path.class_centers[problem.codes]
        losses = np.abs(problem.X - own) ** (1 if metric == "l1" else 2)
        pooled = np.average(losses, axis=0, weights=problem.weights)
        for k in range(1, N_FEATURES + 1):
            expected = pooled[path.selected(k)].mean()
            assert path.spread(k) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_spread_path_is_the_spread_of_every_k(rng, metric):
    path = draw_problem(rng, "weighted", 3).path(metric)
    expected = [path.spread(k) for k in range(1, N_FEATURES + 1)]
    np.testing.assert_allclose(path.spread_path(), expected, rtol=1e-12)


def test_class_without_samples_has_no_center_and_no_say(rng, metric):
    problem = draw_problem(rng, "continuous", 2)
    with_gap = problem._replace(codes=problem.codes * np.int32(2), n_classes=3).path(metric)
    path = problem.path(metric)
    assert np.isnan(with_gap.class_centers[1]).all()
    np.testing.assert_array_equal(with_gap.class_centers[[0, 2]], path.class_centers)
    np.testing.assert_array_equal(with_gap.gains, path.gains)
    assert with_gap.objective(2) == path.objective(2)


def test_centers_of_one_k_do_not_change_those_of_another(rng, metric):
    path = draw_problem(rng, "continuous", 2).path(metric)
    before = path.centers(3)
    path.centers(1)[:] = np.nan
    np.testing.assert_array_equal(path.centers(3), before)


def test_feature_without_spread_keeps_the_divisor_one():
    assert feature_scale(np.array([2.0, 0.0, 0.5])).tolist() == [2.0, 1.0, 0.5]


def test_gains_that_differ_in_their_last_bits_rank_by_position(rng):
    offsets = 1.0 + np.spacing(1.0) * rng.integers(0, 6, size=300)
    offsets[200:] += 1e-9
    moments = class_moments(np.vstack([np.zeros(300), offsets]), np.array([0, 1], np.int32), 2)
    path = solve_l2_centers(moments, np.ones(300))
    assert np.unique(path.gains).size > 3
    assert path.ranking.tolist() == [*range(200, 300), *range(200)]
