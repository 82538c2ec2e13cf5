"""Axes and weights of the linear centroid-encoder against dense arrays."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import subspace_angles

from centroidal.solvers import _loops
from centroidal.solvers import linear_centroid_encoder as solver
from centroidal.statistics import class_moments
from tests.reference import linear_centroid_encoder as reference

SHAPES = [(30, 80), (60, 12), (25, 25)]
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


class Drawn(NamedTuple):
    Z: np.ndarray
    codes: np.ndarray

    @property
    def C(self):
        return reference.targets(self.Z, self.codes)

    def problem(self, to=np.asarray):
        moments = class_moments(to(self.Z), self.codes, self.codes.max() + 1)
        return solver.encoding_problem(to(self.Z), self.codes, moments, origin=moments.overall_mean)


def draw(rng, shape, n_classes=3, distance=2.0):
    """Correlated classes in which a third of the features differ, standardised."""
    n_samples, n_features = shape
    codes = np.arange(n_samples, dtype=np.int32) % n_classes
    centers = distance * rng.standard_normal((n_classes, n_features))
    centers[:, n_features // 3 :] = 0.0
    X = rng.standard_normal(shape) + rng.standard_normal((n_samples, 1)) + centers[codes]
    return Drawn(reference.standardised(X), codes)


def orthonormal(rng, *shape):
    return np.linalg.qr(rng.standard_normal(shape))[0]


# ------------------------------------------------------------------ the problem


@every_shape
def test_objective_is_that_of_the_definition(rng, shape):
    drawn = draw(rng, shape)
    A, b = orthonormal(rng, shape[1], 2), rng.standard_normal(shape[1])
    expected = reference.objective(drawn.Z, drawn.C, A, b, 3.0)
    assert solver.objective(drawn.problem(), A, b, 3.0) == pytest.approx(expected, rel=1e-10)


@every_shape
def test_targets_keep_their_products_with_the_samples(rng, shape):
    drawn, A = draw(rng, shape), orthonormal(rng, shape[1], 2)
    problem = drawn.problem()
    found = problem.rows.pull_back(problem.target(A))
    np.testing.assert_allclose(found, drawn.Z.T @ drawn.C @ A, atol=1e-9)


def test_rows_are_at_most_as_many_as_features(rng):
    assert draw(rng, (60, 12)).problem().rows.rows.shape == (12, 12)
    assert draw(rng, (30, 80)).problem().rows.rows.shape == (30, 80)


# ------------------------------------------------------------------ axes


@every_shape
@pytest.mark.parametrize("to", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_first_axes_are_eigenvectors_with_positive_eigenvalues(rng, shape, to):
    drawn = draw(rng, shape)
    found = solver.first_axes(drawn.problem(to))
    expected = reference.positive_axes(reference.gain_matrix(drawn.Z, drawn.C, np.ones(shape[1])))
    assert found.shape == expected.shape
    np.testing.assert_allclose(np.abs((found * expected).sum(axis=0)), 1.0, rtol=1e-8)


@every_shape
def test_first_axes_are_between_minus_within_scatter(rng, shape):
    drawn = draw(rng, shape)
    between, deviations = drawn.C.T @ drawn.C, drawn.Z - drawn.C
    within = deviations.T @ deviations
    expected = reference.positive_axes(between - within)
    assert subspace_angles(solver.first_axes(drawn.problem()), expected).max() < 1e-6


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_more_features_than_samples_have_an_axis_for_all_classes_but_one(rng, n_classes):
    drawn = draw(rng, (30, 80), n_classes, distance=0.0)
    assert solver.first_axes(drawn.problem()).shape == (80, n_classes - 1)


def test_axes_of_samples_that_are_not_centred_may_be_as_many_as_classes(rng):
    drawn = draw(rng, (30, 80))
    shifted = drawn._replace(Z=drawn.Z + 3.0)
    for to in (np.asarray, sparse.csr_array):
        moments = class_moments(to(shifted.Z), shifted.codes, 3)
        problem = solver.encoding_problem(to(shifted.Z), shifted.codes, moments)
        found = solver.first_axes(problem)
        expected = reference.positive_axes(reference.gain_matrix(shifted.Z, shifted.C, np.ones(80)))
        assert found.shape == (80, 3)
        assert subspace_angles(found, expected).max() < 1e-6


@pytest.mark.parametrize("to", [np.asarray, sparse.csr_array])
def test_axes_by_products_are_those_of_the_gram_matrix(rng, monkeypatch, to):
    drawn = draw(rng, (30, 80))
    expected = solver.first_axes(drawn.problem(to))
    monkeypatch.setattr(solver, "_LARGEST_PRODUCT", 5)
    found = solver.first_axes(drawn.problem(to))
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_axes_by_products_of_classes_that_overlap_are_the_same(rng, monkeypatch):
    drawn = draw(rng, (300, 60), distance=0.0)
    expected = solver.first_axes(drawn.problem())
    monkeypatch.setattr(solver, "_LARGEST_PRODUCT", 5)
    np.testing.assert_allclose(solver.first_axes(drawn.problem()), expected, atol=1e-9)


def test_axes_that_do_not_stand_out_are_left_out(rng, monkeypatch):
    drawn = draw(rng, (300, 60), distance=0.0)
    expected = solver.first_axes(drawn.problem())
    monkeypatch.setattr(solver, "_LARGEST_PRODUCT", 5)
    monkeypatch.setattr(solver, "_MOST_RESTARTS", 1)
    np.testing.assert_allclose(solver.first_axes(drawn.problem()), expected, atol=1e-9)


@pytest.mark.parametrize("n_components", [1, 2, 7, None])
def test_first_axes_are_orthonormal_and_no_more_than_asked_for(rng, n_components):
    axes = solver.first_axes(draw(rng, (30, 80)).problem(), n_components)
    assert axes.shape[1] == min(n_components or 2, 2)
    np.testing.assert_allclose(axes.T @ axes, np.eye(axes.shape[1]), atol=1e-13)


def test_classes_that_overlap_have_the_principal_axes_of_their_means(rng):
    drawn = draw(rng, (300, 6), distance=0.1)
    gains = np.linalg.eigvalsh(reference.gain_matrix(drawn.Z, drawn.C, np.ones(6)))
    assert gains.max() < 0.0
    expected = reference.positive_axes(drawn.C.T @ drawn.C)
    assert subspace_angles(solver.first_axes(drawn.problem()), expected).max() < 1e-8


def test_axes_of_small_weights_are_the_principal_axes_of_the_means(rng):
    drawn = draw(rng, (300, 6), distance=0.1)
    found = solver.best_axes(drawn.problem(), np.full(6, 1e-9))
    assert subspace_angles(found, solver.first_axes(drawn.problem())).max() < 1e-6


def test_equal_classes_have_no_axes(rng):
    half = draw(rng, (20, 30)).Z
    drawn = Drawn(np.repeat(half, 2, axis=0), np.tile(np.arange(2, dtype=np.int32), 20))
    problem = drawn.problem()
    assert solver.first_axes(problem).shape == (30, 0)
    solution = solver.solve_linear_centroid_encoder(problem, 0.1, alternate=True)
    assert solution.largest_penalty == 0.0
    assert not solution.coef.any()


@every_shape
@pytest.mark.parametrize("n_used", [1, 8, "most", "all"])
@pytest.mark.parametrize("to", [np.asarray, sparse.csr_array])
def test_best_axes_are_eigenvectors_with_positive_eigenvalues(rng, shape, n_used, to):
    drawn, n_features = draw(rng, shape), shape[1]
    used = {"most": n_features - 1, "all": n_features}.get(n_used, n_used)
    b = np.zeros(n_features)
    b[rng.permutation(n_features)[:used]] = rng.uniform(0.5, 1.5, used)
    found = solver.best_axes(drawn.problem(to), b)
    expected = reference.positive_axes(reference.gain_matrix(drawn.Z, drawn.C, b))
    assert found.shape == expected.shape
    assert found.shape[1] <= 2
    np.testing.assert_allclose(found.T @ found, np.eye(found.shape[1]), atol=1e-12)
    assert subspace_angles(found, expected).max() < 1e-6


def test_best_axes_for_weights_of_one_are_the_first_ones(rng):
    problem = draw(rng, (30, 80)).problem()
    found = solver.best_axes(problem, np.ones(80))
    np.testing.assert_allclose(found, solver.first_axes(problem), atol=1e-9)


def test_no_other_axes_are_better(rng):
    problem = draw(rng, (30, 80)).problem()
    b = rng.standard_normal(80) * (rng.random(80) < 0.2)
    best = solver.best_axes(problem, b)
    lowest = solver.objective(problem, best, b, 1.0)
    for n_axes in (1, 2, 3):
        for size in (1e-3, 0.1, 10.0):
            axes = np.hstack([best, rng.standard_normal((80, 1))])[:, :n_axes]
            other = np.linalg.qr(axes + size * rng.standard_normal((80, n_axes)))[0]
            assert solver.objective(problem, other, b, 1.0) >= lowest


# ------------------------------------------------------------------ weights


def solved(drawn, share, to=np.asarray, tol=1e-10, max_sweeps=10000):
    problem = drawn.problem(to)
    A = solver.first_axes(problem)
    penalty = share * solver.largest_penalty(problem, A)
    start = np.zeros(drawn.Z.shape[1])
    return A, penalty, solver.solve_lasso(problem, A, penalty, start, tol, max_sweeps)


@every_shape
@pytest.mark.parametrize("share", [0.9, 0.3, 0.05, 0.005])
@pytest.mark.parametrize("to", [np.asarray, sparse.csr_array])
def test_weights_are_those_of_another_lasso(rng, shape, share, to):
    drawn = draw(rng, shape)
    A, penalty, lasso = solved(drawn, share, to)
    expected = reference.lasso(drawn.Z, drawn.C, A, penalty)
    assert lasso.has_converged
    np.testing.assert_allclose(lasso.coef, expected, atol=1e-6 * np.abs(expected).max())
    values = [reference.objective(drawn.Z, drawn.C, A, b, penalty) for b in (lasso.coef, expected)]
    assert values[0] <= values[1] * (1.0 + 1e-10)


@every_shape
def test_weights_satisfy_the_optimality_conditions(rng, shape):
    drawn = draw(rng, shape)
    A, penalty, lasso = solved(drawn, 0.1)
    Phi = reference.design(drawn.Z, A)
    slopes = 2.0 * Phi.T @ ((drawn.C @ A).ravel() - Phi @ lasso.coef)
    used = lasso.coef != 0.0
    assert used.any()
    np.testing.assert_allclose(slopes[used], penalty * np.sign(lasso.coef[used]), rtol=1e-6)
    assert (np.abs(slopes[~used]) <= penalty * (1.0 + 1e-8)).all()
    np.testing.assert_allclose(2.0 * lasso.correlations, slopes, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("max_sweeps", [1, 2, 3])
def test_gap_bounds_how_far_the_optimum_is(rng, monkeypatch, max_sweeps):
    monkeypatch.setattr(solver, "_LARGEST_FACE", 0)
    drawn = draw(rng, (30, 80))
    _, _, early = solved(drawn, 0.05, max_sweeps=max_sweeps)
    _, _, late = solved(drawn, 0.05)
    assert early.n_sweeps == max_sweeps
    assert not early.has_converged
    assert 0.0 < early.value - late.value <= early.gap


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("largest_face", [0, 1500])
def test_gap_is_within_the_tolerance(rng, monkeypatch, tol, largest_face):
    monkeypatch.setattr(solver, "_LARGEST_FACE", largest_face)
    _, _, lasso = solved(draw(rng, (30, 80)), 0.1, tol=tol)
    assert lasso.has_converged
    assert lasso.gap <= tol * lasso.value


def test_better_start_is_not_lost(rng):
    drawn = draw(rng, (30, 80))
    problem = drawn.problem()
    A, penalty, lasso = solved(drawn, 0.1)
    again = solver.solve_lasso(problem, A, penalty, lasso.coef, 1e-6, 1)
    assert again.value <= lasso.value * (1.0 + 1e-14)
    np.testing.assert_allclose(again.coef, lasso.coef, rtol=1e-6, atol=1e-12)


def test_copies_of_features_do_not_keep_the_solution_from_being_found(rng):
    drawn = draw(rng, (30, 20))
    copied = drawn._replace(Z=np.hstack([drawn.Z, drawn.Z, -drawn.Z]))
    _, _, lasso = solved(copied, 1e-4)
    assert lasso.has_converged
    assert lasso.n_sweeps < 1000


def test_copies_with_different_signs_lose_one_of_them():
    products = np.ones((2, 2))
    direction, is_bounded = solver._face_direction(products, np.array([1.0, 3.0]))
    assert not is_bounded
    np.testing.assert_allclose(direction, [-1.0, 1.0])
    coef, share = solver._step_on_face(products, np.array([1.0, 1.0]), 0.5, np.array([2.0, -0.5]))
    np.testing.assert_allclose(coef, [1.5, 0.0])
    assert share < 1.0


@pytest.mark.parametrize("alternate", [False, True])
def test_weights_are_zero_from_the_largest_penalty_on_and_not_below(rng, alternate):
    problem = draw(rng, (30, 80)).problem()
    for share in (1.0, 1.5, 1e6):
        solution = solver.solve_linear_centroid_encoder(problem, share, alternate=alternate)
        assert not solution.coef.any()
        assert solution.has_converged
        assert solution.gap == 0.0
    for share in (0.999999, 0.99):
        solution = solver.solve_linear_centroid_encoder(problem, share, alternate=alternate)
        assert solution.coef.any()


@every_shape
def test_largest_penalty_is_that_of_the_design(rng, shape):
    drawn = draw(rng, shape)
    A = solver.first_axes(drawn.problem())
    expected = reference.alpha_max(drawn.Z, drawn.C, A)
    assert solver.largest_penalty(drawn.problem(), A) == pytest.approx(expected, rel=1e-10)


def test_loop_makes_the_sweep_of_the_definition(rng):
    columns, axes = rng.standard_normal((7, 12)), rng.standard_normal((7, 2))
    coef, residual = rng.standard_normal(7), rng.standard_normal((2, 12))
    expected = reference.descend(columns, axes, 5.0, coef, residual)
    curvatures = 2.0 * (columns**2).sum(axis=1) * (axes**2).sum(axis=1)
    n_sweeps = _loops.descend(columns, axes, curvatures, 5.0, coef, residual, 1, 0.0)
    assert n_sweeps == 1
    np.testing.assert_allclose(coef, expected[0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(residual, expected[1], rtol=1e-12, atol=1e-12)


def test_loop_stops_where_nothing_is_gained(rng):
    columns, axes = rng.standard_normal((7, 12)), rng.standard_normal((7, 2))
    coef, residual = np.zeros(7), rng.standard_normal((2, 12))
    assert _loops.descend(columns, axes, np.ones(7), 1e9, coef, residual, 50, 0.0) == 1
    assert not coef.any()


# ------------------------------------------------------------------ both


@every_shape
def test_two_steps_are_those_of_the_definition(rng, shape):
    drawn = draw(rng, shape)
    found = solver.solve_linear_centroid_encoder(drawn.problem(), 0.1, tol=1e-10)
    expected = reference.encode(drawn.Z, drawn.codes, 0.1)
    np.testing.assert_allclose(found.objectives, expected.objectives, rtol=1e-8)
    np.testing.assert_allclose(found.coef, expected.coef, atol=1e-6 * np.abs(expected.coef).max())
    assert found.largest_penalty == pytest.approx(expected.alpha_max, rel=1e-9)


@every_shape
def test_first_alternations_are_those_of_the_definition(rng, shape):
    drawn = draw(rng, shape)
    found = solver.solve_linear_centroid_encoder(
        drawn.problem(), 0.1, alternate=True, tol=1e-11, max_iter=4
    )
    expected = reference.encode(drawn.Z, drawn.codes, 0.1, n_rounds=4)
    n_values = len(found.objectives)
    np.testing.assert_allclose(found.objectives, expected.objectives[:n_values], rtol=1e-6)


@every_shape
@pytest.mark.parametrize("share", [0.5, 0.05, 0.005])
@pytest.mark.parametrize("n_components", [1, None])
def test_value_never_rises(rng, shape, share, n_components):
    drawn = draw(rng, shape)
    found = solver.solve_linear_centroid_encoder(
        drawn.problem(), share, alternate=True, n_components=n_components
    )
    assert found.has_converged
    assert (np.diff(found.objectives) <= 1e-10 * found.objectives[0]).all()
    assert found.objectives[-1] < found.objectives[1]
    expected = reference.objective(drawn.Z, drawn.C, found.axes, found.coef, found.penalty)
    assert found.objectives[-1] == pytest.approx(expected, rel=1e-9)


def test_too_few_alternations_are_said(rng):
    problem = draw(rng, (30, 80)).problem()
    found = solver.solve_linear_centroid_encoder(problem, 0.05, alternate=True, max_iter=2)
    assert not found.has_converged
    assert found.n_iter == 2
