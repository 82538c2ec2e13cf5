import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from centroidal.solvers.distances import solve_whitening
from centroidal.statistics import WithinCovariance, class_moments, within_covariance

SHAPES = {"more_samples": (40, 6), "more_features": (12, 30)}


@pytest.fixture(params=SHAPES)
def problem(request, rng):
    """Correlated features in two classes, with a scale."""
    n, m = SHAPES[request.param]
    X = rng.normal(size=(n, m)) @ rng.normal(size=(m, m)) * (rng.random((n, m)) < 0.7)
    return X, (np.arange(n) % 2).astype(np.int32), rng.uniform(0.5, 2.0, size=m)


@pytest.fixture(params=["dense", "csr", "csc"])
def store(request):
    return {"dense": np.asarray, "csr": sparse.csr_array, "csc": sparse.csc_array}[request.param]


def covariance_of(X, codes, scale):
    return within_covariance(X, codes, class_moments(X, codes, 2), scale)


def shrunk(covariance):
    """S, formed in full."""
    V, a = covariance.vectors, covariance.shrinkage
    return (1 - a) * (V * covariance.values) @ V.T + a * covariance.mean_value * np.eye(len(V))


def inverse_root(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors / np.sqrt(values)) @ vectors.T


def test_whitened_features_are_those_of_the_explicit_inverse_root(problem, store):
    X, codes, scale = problem
    covariance = covariance_of(X, codes, scale)
    whitened = solve_whitening(covariance, scale).apply(store(X))
    np.testing.assert_allclose(whitened, (X / scale) @ inverse_root(shrunk(covariance)), rtol=1e-8)


def test_chosen_columns_are_columns_of_the_whole(problem, store):
    X, codes, scale = problem
    columns = np.array([4, 0, 3])
    covariance = covariance_of(X, codes, scale)
    chosen = solve_whitening(covariance, scale).apply(store(X), columns)
    expected = (X / scale) @ inverse_root(shrunk(covariance))[:, columns]
    np.testing.assert_allclose(chosen, expected, rtol=1e-8)


def test_whitening_the_shrunk_covariance_gives_the_identity(problem):
    X, codes, _ = problem
    m = X.shape[1]
    covariance = covariance_of(X, codes, np.ones(m))
    root = solve_whitening(covariance, np.ones(m)).apply(np.eye(m))
    np.testing.assert_allclose(root @ shrunk(covariance) @ root.T, np.eye(m), atol=1e-9)


def test_residuals_without_shrinkage_become_uncorrelated_with_variance_one(rng):
    X = rng.normal(size=(60, 5)) @ rng.normal(size=(5, 5))
    codes = (np.arange(60) % 2).astype(np.int32)
    covariance = covariance_of(X, codes, np.ones(5))._replace(shrinkage=0.0)
    whitened = solve_whitening(covariance, np.ones(5)).apply(X)
    residuals = np.vstack([whitened[codes == c] - whitened[codes == c].mean(0) for c in (0, 1)])
    np.testing.assert_allclose(residuals.T @ residuals / 60, np.eye(5), atol=1e-9)


def test_root_is_symmetric(problem):
    X, codes, _ = problem
    m = X.shape[1]
    root = solve_whitening(covariance_of(X, codes, np.ones(m)), np.ones(m)).apply(np.eye(m))
    np.testing.assert_allclose(root, root.T, rtol=1e-10, atol=1e-12)


def test_full_shrinkage_divides_by_one_standard_deviation():
    covariance = WithinCovariance(np.array([4.0]), np.array([[1.0], [0.0]]), 4.0, 1.0)
    whitening = solve_whitening(covariance, np.ones(2))
    np.testing.assert_allclose(whitening.apply(np.eye(2)), np.eye(2) / 2, rtol=1e-14)


@pytest.mark.parametrize("variance", [100.0, 0.01])
def test_directions_without_spread_are_measured_by_the_smallest_spread_seen(variance):
    """Only where nothing was shrunk; then no other measure is at hand."""
    covariance = WithinCovariance(
        np.array([variance, 4 * variance]), np.eye(3)[:, :2], 5 * variance / 3, 0.0
    )
    root = solve_whitening(covariance, np.ones(3)).apply(np.eye(3))
    np.testing.assert_allclose(np.diag(root), np.array([1, 1 / 2, 1]) / np.sqrt(variance))


def test_data_without_any_spread_are_left_as_they_are():
    covariance = WithinCovariance(np.array([]), np.empty((2, 0)), 0.0, 1.0)
    whitening = solve_whitening(covariance, np.ones(2))
    np.testing.assert_array_equal(whitening.apply(np.eye(2)), np.eye(2))


def test_no_square_matrix_of_the_features_is_formed_for_few_samples(rng):
    n, m = 20, 3000
    X = rng.normal(size=(n, m))
    codes = (np.arange(n) % 2).astype(np.int32)
    covariance = covariance_of(X, codes, np.ones(m))
    tracemalloc.start()
    solve_whitening(covariance, np.ones(m)).apply(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < m * m * 8 / 2
