from functools import cache, partial
from importlib import import_module
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from centroidal.solvers.l21_centroids import (
    L21Solution,
    centroid_targets,
    largest_alpha,
    objective,
    solve_interior,
    solve_reweighted,
)
from centroidal.statistics.residuals import residuals
from tests.reference import l21 as reference

module = import_module("centroidal.solvers.l21_centroids")
laws = settings(deadline=None, max_examples=20, derandomize=True)

SHAPES = {"wide": (12, 30), "tall": (30, 5)}
KINDS = ["centroids", "classes"]
TOLERANCES = {"interior": 1e-7, "reweighted": 1e-5}
SOLVERS = {
    "interior": partial(solve_interior, tol=TOLERANCES["interior"], max_iter=300),
    "reweighted": partial(solve_reweighted, tol=TOLERANCES["reweighted"], max_iter=3000),
}
precise = partial(solve_interior, tol=1e-10, max_iter=300)


class Problem(NamedTuple):
    """Centred samples and what they are to give."""

    X: np.ndarray
    targets: np.ndarray

    @property
    def rows(self):
        return operator(self.X)

    def alpha(self, share):
        return share * largest_alpha(self.rows, self.targets)

    def solve(self, solver, share):
        return solver(self.rows, self.targets, self.alpha(share))

    def reference(self, share):
        d, r = self.X.shape[1], self.targets.shape[1]
        return slow_optimum(self.X.tobytes(), self.targets.tobytes(), d, r, self.alpha(share))


@cache
def slow_optimum(X, targets, d, r, alpha):
    """Reference of a problem, which many tests ask for."""
    X, targets = np.frombuffer(X).reshape(-1, d), np.frombuffer(targets).reshape(-1, r)
    return reference.solve(X, targets, alpha)


def operator(X, store=np.asarray, origin=None, weights=None):
    origin = np.zeros(X.shape[1]) if origin is None else origin
    return residuals(store(X), np.zeros(len(X), dtype=np.int32), origin[None], weights)


def class_means(X, codes):
    return np.array([X[codes == c].mean(axis=0) for c in range(codes.max() + 1)])


def draw_samples(rng, n, d, n_classes=3):
    """Classes that differ in a third of the features."""
    codes = np.arange(n) % n_classes
    told = rng.normal(size=(n_classes, d)) * (np.arange(d) % 3 == 0)
    X = rng.normal(size=(n, d)) + 2.0 * told[codes]
    return X - X.mean(axis=0), codes


def draw_problem(rng, kind, n, d, n_classes=3):
    X, codes = draw_samples(rng, n, d, n_classes)
    of_class = centroid_targets(class_means(X, codes)) if kind == "centroids" else np.eye(n_classes)
    return Problem(X, of_class[codes])


@pytest.fixture(params=SHAPES)
def shape(request):
    return SHAPES[request.param]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def problem(rng, kind, shape):
    return draw_problem(rng, kind, *shape)


@pytest.fixture
def wide(rng, kind):
    return draw_problem(rng, kind, *SHAPES["wide"])


@pytest.fixture
def one_target(rng):
    """Two classes of centred samples with more features than samples: all can be met."""
    return draw_problem(rng, "centroids", 12, 30, n_classes=2)


@pytest.fixture(params=SOLVERS)
def name(request):
    return request.param


@pytest.fixture
def solver(name):
    return SOLVERS[name]


@pytest.fixture
def tol(name):
    return TOLERANCES[name]


def scores(solution):
    return reference.row_norms(solution.coefficients)


def assert_same_scores(found, expected, rtol=1e-3):
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * np.max(expected))


# ------------------------------------------------------------------ optimum


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9])
def test_objective_is_that_of_a_slow_solver(problem, solver, tol, share):
    expected = problem.reference(share)
    found = problem.solve(solver, share)
    assert expected.bound * (1 - 1e-12) <= found.objective <= expected.objective / (1 - tol)


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_bound_is_not_above_the_objective_of_a_slow_solver(problem, solver, tol, share):
    expected = problem.reference(share)
    found = problem.solve(solver, share)
    assert expected.bound * (1 - tol) <= found.bound <= expected.objective * (1 + 1e-12)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9, 0.999])
def test_gap_is_within_the_tolerance(problem, solver, tol, share):
    found = problem.solve(solver, share)
    assert found.is_within(tol)
    assert found.objective - found.bound <= tol * found.objective


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_row_norms_are_those_of_a_slow_solver(problem, share):
    expected = reference.row_norms(problem.reference(share).coefficients)
    assert_same_scores(scores(problem.solve(precise, share)), expected)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_optimality_conditions_hold(problem, share):
    found = problem.solve(precise, share)
    alpha, small = problem.alpha(share), 1e-3 * scores(found).max()
    residual = reference.kkt_residual(
        problem.X, problem.targets, found.coefficients, found.dual, alpha, small
    )
    assert residual < 1e-2


@pytest.mark.parametrize("share", [0.02, 0.5])
def test_objective_is_that_of_the_coefficients(problem, solver, share):
    found = problem.solve(solver, share)
    value = reference.objective(
        problem.X, problem.targets, found.coefficients, problem.alpha(share)
    )
    assert found.objective == pytest.approx(value, rel=1e-12)
    assert objective(
        problem.rows, problem.targets, found.coefficients, problem.alpha(share)
    ) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("share", [0.02, 0.5, 0.999])
def test_dual_point_is_within_its_constraints(problem, solver, share):
    dual = problem.solve(solver, share).dual
    assert reference.row_norms(dual).max() <= 1 + 1e-12
    assert reference.row_norms(problem.X.T @ dual).max() <= problem.alpha(share) * (1 + 1e-12)


def test_bound_is_the_value_of_the_dual_point(problem, solver):
    found = problem.solve(solver, 0.1)
    assert found.bound == pytest.approx((found.dual * problem.targets).sum(), rel=1e-12)


@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_too_few_steps_still_give_a_certificate(problem, max_iter):
    optimum = problem.reference(0.1)
    for solve in (solve_interior, solve_reweighted):
        found = solve(problem.rows, problem.targets, problem.alpha(0.1), 1e-9, max_iter)
        assert found.n_iter <= max_iter
        assert not found.is_within(1e-9)
        assert found.bound <= optimum.objective
        assert found.objective >= optimum.bound


@pytest.mark.parametrize("solve", [solve_interior, solve_reweighted])
def test_more_steps_never_leave_a_larger_gap(problem, solve):
    gaps = []
    for max_iter in range(5, 60, 5):
        found = solve(problem.rows, problem.targets, problem.alpha(0.1), 1e-12, max_iter)
        gaps.append((found.objective - found.bound) / found.objective)
    assert (np.diff(gaps) <= 1e-10).all()


@laws
@given(st.integers(0, 10**6), st.sampled_from(KINDS), st.floats(0.01, 1.5), st.floats(0.01, 10.0))
def test_any_dual_point_is_below_the_optimum_and_any_coefficients_are_above(
    seed, kind, share, size
):
    rng = np.random.default_rng(seed)
    problem = draw_problem(rng, kind, 9, 12)
    alpha = problem.alpha(share)
    found = solve_interior(problem.rows, problem.targets, alpha, 1e-6, 300)
    S = size * rng.normal(size=problem.targets.shape)
    W = size * rng.normal(size=(12, problem.targets.shape[1]))
    assert found.objective >= reference.dual_value(problem.X, problem.targets, S, alpha)
    assert found.bound <= objective(problem.rows, problem.targets, W, alpha)


def test_share_of_the_objective_decides_whether_a_gap_is_small():
    solution = L21Solution(None, None, objective=10.0, bound=9.0, n_iter=1)
    assert solution.is_within(0.1)
    assert not solution.is_within(0.099)


# ------------------------------------------------------------------ reduction to the span


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_targets_in_the_span_of_the_centroids_give_the_optimum_of_the_centroids(rng, share):
    X, codes = draw_samples(rng, 10, 7)
    centroids = class_means(X, codes)
    reduced = Problem(X, centroid_targets(centroids)[codes])
    found = reduced.solve(precise, share)
    expected = reference.solve(X, centroids[codes], reduced.alpha(share))
    assert found.objective == pytest.approx(expected.objective, rel=1e-8)
    assert_same_scores(scores(found), reference.row_norms(expected.coefficients))


def test_reduced_targets_have_the_inner_products_of_the_centroids(rng):
    centroids = rng.normal(size=(4, 9))
    reduced = centroid_targets(centroids)
    np.testing.assert_allclose(reduced @ reduced.T, centroids @ centroids.T, atol=1e-12)


def test_largest_penalty_is_the_same_for_centroids_and_reduced_targets(rng):
    X, codes = draw_samples(rng, 10, 7)
    centroids = class_means(X, codes)
    expected = largest_alpha(operator(X), centroids[codes])
    found = largest_alpha(operator(X), centroid_targets(centroids)[codes])
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("n_classes", "expected"), [(2, 1), (3, 2), (5, 4)])
def test_centred_samples_have_one_target_less_than_classes(rng, n_classes, expected):
    problem = draw_problem(rng, "centroids", 5 * n_classes, 30, n_classes)
    assert problem.targets.shape[1] == expected


def test_dependent_centroids_have_as_many_targets_as_directions(rng):
    X, codes = draw_samples(rng, 12, 8)
    line = np.outer([-1.0, 0.5, 2.0], rng.normal(size=8))
    targets = centroid_targets(line)[codes]
    assert targets.shape[1] == 1
    found = Problem(X, targets).solve(precise, 0.2)
    alpha = Problem(X, targets).alpha(0.2)
    expected = reference.solve(X, line[codes], alpha)
    assert found.objective == pytest.approx(expected.objective, rel=1e-8)


def test_centroids_that_are_all_zero_have_no_targets():
    assert centroid_targets(np.zeros((3, 5))).shape == (3, 0)


# ------------------------------------------------------------------ size of the penalty


def test_largest_penalty_is_the_longest_sum_of_unit_targets(problem):
    units = problem.targets / reference.row_norms(problem.targets)[:, None]
    expected = reference.row_norms(problem.X.T @ units).max()
    assert largest_alpha(problem.rows, problem.targets) == pytest.approx(expected, rel=1e-12)


def test_zero_targets_add_nothing_to_the_largest_penalty(wide):
    X, Y = wide
    with_zeros = np.vstack([Y, np.zeros((2, Y.shape[1]))])
    found = largest_alpha(operator(np.vstack([X, X[:2]])), with_zeros)
    assert found == pytest.approx(largest_alpha(wide.rows, Y), rel=1e-12)


@pytest.mark.parametrize("share", [1.0, 1.0001, 2.0])
def test_nothing_is_better_than_zero_from_the_largest_penalty_on(problem, solver, tol, share):
    misfit = reference.row_norms(problem.targets).sum()
    found = problem.solve(solver, share)
    assert found.bound <= misfit * (1 + 1e-12)
    assert misfit <= found.objective * (1 + 1e-12)
    assert found.bound >= misfit * (1 - tol)


def test_something_is_better_than_zero_just_below_the_largest_penalty(problem):
    misfit = reference.row_norms(problem.targets).sum()
    found = problem.solve(precise, 0.99)
    assert found.objective < misfit * (1 - 1e-9)
    assert scores(found).max() > 0


@pytest.mark.parametrize("share", [1e-4, 1e-6, 1e-8])
def test_tiny_penalty_gives_a_certified_solution(problem, solver, share):
    found = problem.solve(solver, share)
    assert np.isfinite(found.coefficients).all()
    assert found.is_within(0.1)


@pytest.mark.parametrize("share", [1e-4, 1e-8])
def test_tiny_penalty_with_more_samples_than_features_is_solved(rng, kind, solver, tol, share):
    problem = draw_problem(rng, kind, *SHAPES["tall"])
    assert problem.solve(solver, share).is_within(tol)


@pytest.fixture
def optima(problem):
    """Optimum at equal steps of the penalty, up to twice the largest."""
    return np.array([problem.solve(precise, share).bound for share in np.linspace(0.2, 1.6, 8)])


def test_optimum_never_falls_with_the_penalty(optima):
    assert (np.diff(optima) >= -1e-7 * optima[1:]).all()


def test_optimum_is_concave_in_the_penalty(optima):
    assert (np.diff(optima, 2) <= 1e-7 * optima[2:]).all()


# ------------------------------------------------------------------ laws


def test_order_of_the_features_does_not_matter(problem, solver, rng):
    order = rng.permutation(problem.X.shape[1])
    found = Problem(problem.X[:, order], problem.targets).solve(solver, 0.5)
    assert_same_scores(scores(found), scores(problem.solve(solver, 0.5))[order], rtol=2e-2)


def test_order_of_the_samples_does_not_matter(problem, solver, rng):
    order = rng.permutation(len(problem.X))
    found = Problem(problem.X[order], problem.targets[order]).solve(solver, 0.5)
    assert_same_scores(scores(found), scores(problem.solve(solver, 0.5)), rtol=2e-2)


def test_turned_targets_give_the_same_scores(problem, solver, rng):
    turn, _ = np.linalg.qr(rng.normal(size=(problem.targets.shape[1],) * 2))
    found = Problem(problem.X, problem.targets @ turn).solve(solver, 0.5)
    expected = problem.solve(solver, 0.5)
    assert_same_scores(scores(found), scores(expected), rtol=2e-2)
    assert found.objective == pytest.approx(expected.objective, rel=2e-5)


def test_unit_of_the_data_does_not_matter_to_centroids(rng, shape, solver):
    X, targets = draw_problem(rng, "centroids", *shape)
    found = Problem(3.0 * X, 3.0 * targets).solve(solver, 0.5)
    expected = Problem(X, targets).solve(solver, 0.5)
    assert found.objective == pytest.approx(3.0 * expected.objective, rel=2e-5)
    assert_same_scores(scores(found), scores(expected), rtol=2e-2)


def test_largest_penalty_has_the_unit_of_the_data(problem):
    found = largest_alpha(operator(3.0 * problem.X), problem.targets)
    assert found == pytest.approx(3.0 * problem.alpha(1.0), rel=1e-12)


def test_unit_of_the_data_divides_the_coefficients_of_classes(rng, shape, solver):
    X, targets = draw_problem(rng, "classes", *shape)
    found = Problem(3.0 * X, targets).solve(solver, 0.5)
    expected = Problem(X, targets).solve(solver, 0.5)
    assert found.objective == pytest.approx(expected.objective, rel=2e-5)
    assert_same_scores(3.0 * scores(found), scores(expected), rtol=2e-2)


def test_zero_feature_has_no_score_and_moves_nothing_else(problem, solver):
    with_zero = Problem(np.insert(problem.X, 2, 0.0, axis=1), problem.targets)
    found, expected = with_zero.solve(solver, 0.5), problem.solve(solver, 0.5)
    assert scores(found)[2] == 0.0
    assert found.objective == pytest.approx(expected.objective, rel=2e-5)
    assert_same_scores(np.delete(scores(found), 2), scores(expected), rtol=2e-2)


def test_copy_of_a_feature_leaves_the_optimum_of_classes(rng, shape, solver):
    problem = draw_problem(rng, "classes", *shape)
    alpha = problem.alpha(0.3)
    best = scores(problem.solve(solver, 0.3)).argmax()
    twice = np.insert(problem.X, 0, problem.X[:, best], axis=1)
    found = solver(operator(twice), problem.targets, alpha)
    expected = solver(problem.rows, problem.targets, alpha)
    assert found.objective == pytest.approx(expected.objective, rel=2e-5)
    copies = scores(found)[0] + scores(found)[best + 1]
    assert copies == pytest.approx(scores(expected)[best], rel=2e-2)


def test_weight_is_a_number_of_copies(problem, solver):
    times = 1 + np.arange(len(problem.X)) % 3
    weighted = operator(problem.X, weights=times.astype(float) ** 2)
    repeated = Problem(np.repeat(problem.X, times, axis=0), np.repeat(problem.targets, times, 0))
    alpha = repeated.alpha(0.3)
    found = solver(weighted, times[:, None] * problem.targets, alpha)
    assert found.objective == pytest.approx(repeated.solve(solver, 0.3).objective, rel=2e-5)


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_rows_give_what_dense_ones_give(wide, rng, solver, store):
    X = wide.X * (rng.random(wide.X.shape) < 0.4)
    origin, weights = X.mean(axis=0), rng.uniform(0.5, 2.0, size=len(X))
    dense, stored = (operator(X, form, origin, weights) for form in (np.asarray, store))
    alpha = 0.3 * largest_alpha(dense, wide.targets)
    assert largest_alpha(stored, wide.targets) == pytest.approx(alpha / 0.3, rel=1e-12)
    found, expected = (solver(rows, wide.targets, alpha) for rows in (stored, dense))
    assert found.objective == pytest.approx(expected.objective, rel=1e-8)
    assert_same_scores(scores(found), scores(expected), rtol=1e-5)


# ------------------------------------------------------------------ special shapes


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9])
def test_single_target_gives_the_optimum_of_a_linear_program(one_target, solver, tol, share):
    """With fewer samples than features the misfit can vanish, and small penalties make it."""
    expected = reference.solve_one_target(
        one_target.X, one_target.targets[:, 0], one_target.alpha(share)
    )
    found = one_target.solve(solver, share)
    assert found.bound <= expected * (1 + 1e-9)
    assert expected * (1 - 1e-9) <= found.objective <= expected / (1 - tol)


def test_small_penalty_meets_the_targets_of_few_samples(one_target):
    found = one_target.solve(solve_to(1e-6), 0.02)
    left = one_target.targets - one_target.X @ found.coefficients
    assert np.abs(left).max() < 1e-4 * np.abs(one_target.targets).max()


def solve_to(tol):
    return partial(solve_interior, tol=tol, max_iter=300)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_single_feature_gives_the_optimum(rng, kind, solver, tol, share):
    problem = draw_problem(rng, kind, 10, 1)
    expected = problem.reference(share)
    found = problem.solve(solver, share)
    assert expected.bound * (1 - 1e-12) <= found.objective <= expected.objective / (1 - tol)


def test_samples_that_are_not_centred_give_the_optimum(rng, solver, tol):
    X, codes = draw_samples(rng, 12, 20)
    X += 2.0
    problem = Problem(X, centroid_targets(class_means(X, codes))[codes])
    expected = problem.reference(0.2)
    found = problem.solve(solver, 0.2)
    assert expected.bound * (1 - 1e-12) <= found.objective <= expected.objective / (1 - tol)


def test_target_that_is_zero_gives_the_optimum(wide, solver, tol):
    targets = wide.targets.copy()
    targets[3] = 0.0
    problem = Problem(wide.X, targets)
    expected = problem.reference(0.2)
    found = problem.solve(solver, 0.2)
    assert expected.bound * (1 - 1e-12) <= found.objective <= expected.objective / (1 - tol)


# ------------------------------------------------------------------ reweighting


def test_conjugate_gradients_give_what_cholesky_gives(problem, monkeypatch):
    rows, targets, alpha = problem.rows, problem.targets, problem.alpha(0.3)
    expected = solve_reweighted(rows, targets, alpha, 1e-3, 300)
    monkeypatch.setattr(module, "_DIRECT_SAMPLES", 0)
    monkeypatch.setattr(module, "_factor", None)
    found = solve_reweighted(rows, targets, alpha, 1e-3, 300)
    assert found.n_iter == expected.n_iter
    assert found.objective == pytest.approx(expected.objective, rel=1e-6)
    assert found.is_within(1e-3)


def test_step_by_conjugate_gradients_is_the_step_by_cholesky(problem, monkeypatch):
    direct, iterated = (
        module._Reweighted(problem.rows, problem.targets, problem.alpha(0.3)) for _ in range(2)
    )
    direct.step()
    monkeypatch.setattr(module, "_DIRECT_SAMPLES", 0)
    iterated.step()
    np.testing.assert_allclose(iterated.coefficients, direct.coefficients, atol=1e-7)


def test_first_step_is_ridge_regression(problem):
    alpha = problem.alpha(0.3)
    scheme = module._Reweighted(problem.rows, problem.targets, alpha)
    scheme.step()
    X = problem.X
    ridge = np.linalg.solve(X.T @ X + alpha**2 * np.eye(X.shape[1]), X.T @ problem.targets)
    np.testing.assert_allclose(scheme.coefficients, ridge, atol=1e-10)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_reweighting_never_raises_the_objective(problem, monkeypatch, share):
    monkeypatch.setattr(module, "_SMOOTHING", 1e-12)
    scheme = module._Reweighted(problem.rows, problem.targets, problem.alpha(share))
    values = []
    for _ in range(40):
        scheme.step()
        values.append(scheme.objective)
    assert (np.diff(values) <= 1e-9 * values[0]).all()
    assert values[-1] < values[0]


def test_objective_of_a_step_is_that_of_its_coefficients(problem):
    scheme = module._Reweighted(problem.rows, problem.targets, problem.alpha(0.3))
    for _ in range(5):
        scheme.step()
        expected = objective(problem.rows, problem.targets, scheme.coefficients, scheme.alpha)
        assert scheme.objective == pytest.approx(expected, rel=1e-10)


# ------------------------------------------------------------------ exact zeros


def test_features_that_are_not_needed_are_exactly_zero(wide, solver, tol):
    found = wide.solve(solver, 0.5)
    n_zero = np.count_nonzero(scores(found) == 0.0)
    slow = reference.row_norms(wide.reference(0.5).coefficients)
    assert n_zero == np.count_nonzero(slow == 0.0)
    assert n_zero > 0
    assert found.is_within(tol)


def test_rows_are_set_to_zero_only_if_the_gap_allows(wide):
    W = wide.solve(precise, 0.1).coefficients + 1e-3
    alpha = wide.alpha(0.1)
    value = objective(wide.rows, wide.targets, W, alpha)
    found = L21Solution(W, None, value, value, 0)
    kept = module._with_exact_zeros(wide.rows, wide.targets, alpha, found, 0.0)
    same = objective(wide.rows, wide.targets, kept.coefficients, alpha)
    assert kept.objective <= value * (1 + 2e-8)
    assert kept.objective == pytest.approx(same, rel=1e-12)


def test_rows_that_all_matter_stay_as_they_are():
    """One sample a feature: leaving any out costs more than its penalty."""
    W = np.array([[1.0], [0.05], [0.005]])
    value = 0.5 * W.sum()
    found = L21Solution(W, None, value, value, 0)
    kept = module._with_exact_zeros(operator(np.eye(3)), W, 0.5, found, 1e-6)
    np.testing.assert_array_equal(kept.coefficients, W)
    assert kept.objective == value


@pytest.mark.parametrize("share", [0.5, 0.1, 0.02])
def test_features_in_the_solution_do_not_depend_on_how_small_the_tolerance_is(rng, kind, share):
    problem = draw_problem(rng, kind, 40, 200)
    kept = [np.flatnonzero(scores(problem.solve(solve_to(10.0**-n), share))) for n in range(6, 13)]
    assert 0 < kept[0].size < 200
    for other in kept[1:]:
        np.testing.assert_array_equal(other, kept[0])


def test_rows_of_the_optimum_are_bounded_by_the_gap_and_what_is_left_of_a_constraint(problem):
    """The proof by which features are told apart, from a solution that is far from the optimum."""
    rough = problem.solve(solve_to(1e-2), 0.2)
    exact = scores(problem.solve(precise, 0.2))
    alpha = problem.alpha(0.2)
    left = alpha - reference.row_norms(problem.X.T @ rough.dual)
    assert (exact * left <= (rough.objective - rough.bound) * (1 + 1e-6)).all()


# ------------------------------------------------------------------ working set and start


@pytest.fixture
def crowded(rng, monkeypatch):
    """Many features for targets of no order, of which the solver begins with twelve."""
    monkeypatch.setattr(module, "_FEATURES_PER_SAMPLE", 1)
    monkeypatch.setattr(module, "_FIRST_STEPS", 1)
    return Problem(rng.normal(size=(12, 150)), rng.normal(size=(12, 2)))


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_working_set_grows_to_the_features_that_are_needed(crowded, share):
    found = crowded.solve(solve_to(1e-6), share)
    expected = crowded.reference(share)
    assert found.is_within(1e-6)
    assert found.objective == pytest.approx(expected.objective, rel=2e-6)


@pytest.mark.parametrize("max_iter", [2, 3, 300])
@pytest.mark.parametrize("share", [0.05, 0.3])
def test_dual_point_is_within_the_constraints_of_features_left_out(crowded, share, max_iter):
    alpha = crowded.alpha(share)
    found = solve_interior(crowded.rows, crowded.targets, alpha, 1e-6, max_iter)
    assert reference.row_norms(crowded.X.T @ found.dual).max() <= alpha * (1 + 1e-12)
    assert found.bound == pytest.approx((found.dual * crowded.targets).sum(), rel=1e-12)


@pytest.mark.parametrize("share_before", [0.9, 0.5, 0.1])
def test_start_from_another_penalty_gives_the_same_optimum(problem, share_before):
    start = problem.solve(precise, share_before)
    rows, targets, alpha = problem.rows, problem.targets, problem.alpha(0.3)
    found = solve_interior(rows, targets, alpha, 1e-7, 300, start)
    assert found.is_within(1e-7)
    assert found.objective == pytest.approx(problem.solve(precise, 0.3).objective, rel=2e-7)


def test_start_from_nothing_gives_the_same_optimum(problem):
    nothing = L21Solution(
        np.zeros((problem.X.shape[1], problem.targets.shape[1])),
        problem.targets / reference.row_norms(problem.targets)[:, None],
        0.0,
        0.0,
        0,
    )
    rows, targets, alpha = problem.rows, problem.targets, problem.alpha(0.3)
    found = solve_interior(rows, targets, alpha, 1e-7, 300, nothing)
    assert found.is_within(1e-7)
    assert found.objective == pytest.approx(problem.solve(precise, 0.3).objective, rel=2e-7)


def test_data_and_targets_are_left_as_they_were(problem, solver):
    rows, targets = problem.rows, problem.targets.copy()
    before = rows.rows.copy()
    solver(rows, targets, problem.alpha(0.3))
    np.testing.assert_array_equal(rows.rows, before)
    np.testing.assert_array_equal(targets, problem.targets)


@pytest.mark.parametrize("size", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("n_right", [None, 3])
def test_factored_equations_are_solved_block_by_block(rng, size, n_right):
    square = rng.normal(size=(size, size))
    matrix = square @ square.T + np.eye(size)
    right = rng.normal(size=size if n_right is None else (size, n_right))
    before = right.copy()
    found = module._solve_factored(np.linalg.cholesky(matrix), right)
    np.testing.assert_allclose(matrix @ found, right, rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(right, before)
