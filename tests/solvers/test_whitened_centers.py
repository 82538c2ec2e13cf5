"""Class means in the metric of shrunken correlations."""

import numpy as np
import pytest
from scipy import sparse

from centroidal.solvers.whitened_centers import solve_whitened_centers
from centroidal.statistics.residuals import residuals
from tests.reference.whitened_centers import analytic_share


def problem(rng, n_samples, n_features, *, store=np.asarray, weights=None):
    """Standardised samples of two classes that share noise, and the means of both."""
    codes = np.arange(n_samples) % 2
    X = rng.normal(size=(n_samples, n_features)) + rng.normal(size=(n_samples, 1)) + codes[:, None]
    means = np.array([X[codes == c].mean(axis=0) for c in (0, 1)])
    scale = (X - means[codes]).std(axis=0)
    rows = residuals(store(X), codes, means, weights, scale)
    return rows, (means - X.mean(axis=0)) / scale, (X - means[codes]) / scale


def inverse_of(Z, share):
    correlations = Z.T @ Z / len(Z)
    return np.linalg.inv((1 - share) * correlations + share * np.eye(len(correlations)))


@pytest.mark.parametrize("shape", [(40, 7), (12, 30)])
@pytest.mark.parametrize("shrinkage", ["auto", "analytic", 0.2, 1.0])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_each_size_has_the_weights_of_its_own_matrix(rng, shape, shrinkage, store):
    rows, offsets, Z = problem(rng, *shape, store=store)
    sizes = np.array([1, 3, shape[1] // 2, shape[1]])
    unit = (shape[0] - 2) / shape[0]
    for size, found in zip(
        sizes, solve_whitened_centers(rows, offsets, sizes, shrinkage, 2), strict=True
    ):
        expected = unit * offsets[:, :size] @ inverse_of(Z[:, :size], found.shrinkage)
        np.testing.assert_allclose(found.weights, expected, rtol=1e-9, atol=1e-12)
        distances = (expected * offsets[:, :size]).sum(axis=1)
        np.testing.assert_allclose(found.squares, distances, rtol=1e-9)


@pytest.mark.parametrize("shape", [(40, 7), (12, 30)])
def test_share_is_that_of_variances_and_squares_of_all_pairs(rng, shape):
    rows, offsets, Z = problem(rng, *shape)
    sizes = np.array([2, 5, shape[1]])
    for size, found in zip(
        sizes, solve_whitened_centers(rows, offsets, sizes, "analytic", 2), strict=True
    ):
        assert found.shrinkage == pytest.approx(analytic_share(Z[:, :size]), rel=1e-9)


def test_automatic_share_has_ten_times_the_odds(rng):
    rows, offsets, _ = problem(rng, 40, 7)
    (plain,) = solve_whitened_centers(rows, offsets, np.array([7]), "analytic", 2)
    (auto,) = solve_whitened_centers(rows, offsets, np.array([7]), "auto", 2)
    odds = [share / (1 - share) for share in (plain.shrinkage, auto.shrinkage)]
    assert odds[1] == pytest.approx(10 * odds[0])


def test_share_falls_with_the_number_of_samples(rng):
    shares = []
    for n_samples in (20, 200, 2000):
        rows, offsets, _ = problem(rng, n_samples, 5)
        shares.append(solve_whitened_centers(rows, offsets, np.array([5]), "auto", 2)[0].shrinkage)
    assert shares[0] > shares[1] > shares[2]
    assert shares[2] < 0.05


def test_uncorrelated_features_are_left_alone():
    codes = np.repeat([0, 1], 4)
    X = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]] * 2, dtype=float)
    rows = residuals(X, codes, np.zeros((2, 2)))
    (found,) = solve_whitened_centers(
        rows, np.array([[-1.0, 2], [1, -2]]), np.array([2]), "auto", 2
    )
    np.testing.assert_allclose(found.weights, 6 / 8 * np.array([[-1.0, 2], [1, -2]]))
    assert found.shrinkage == 1.0


@pytest.mark.parametrize("n_samples", [40, 4])
def test_feature_without_spread_keeps_its_offset(rng, n_samples):
    rows, offsets, _ = problem(rng, n_samples, 5)
    rows.rows[:, 2] = 0.0
    (found,) = solve_whitened_centers(rows, offsets, np.array([5]), 0.3, 2)
    np.testing.assert_allclose(found.weights[:, 2], (n_samples - 2) / n_samples * offsets[:, 2])


def test_copies_share_the_weight_of_one_feature(rng):
    rows, offsets, _ = problem(rng, 40, 1)
    both = rows.take_columns(np.array([0, 0]))
    (one,) = solve_whitened_centers(rows, offsets, np.array([1]), 0.0, 2)
    (two,) = solve_whitened_centers(both, offsets[:, [0, 0]], np.array([2]), 0.0, 2)
    np.testing.assert_allclose(two.weights, np.repeat(one.weights / 2, 2, axis=1), rtol=1e-6)
