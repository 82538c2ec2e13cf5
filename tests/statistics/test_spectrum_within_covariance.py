import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.covariance import ledoit_wolf_shrinkage

from centroidal.statistics import class_moments, within_covariance
from tests import reference

SHAPES = {"more_samples": (40, 6), "more_features": (12, 30), "square": (15, 15)}


@pytest.fixture(params=SHAPES)
def problem(request, rng):
    """Correlated features, three classes, an own scale for every feature, one row left out."""
    n, m = SHAPES[request.param]
    X = rng.normal(size=(n, m)) @ rng.normal(size=(m, m)) * (rng.random((n, m)) < 0.7)
    codes = (np.arange(n) % 3).astype(np.int32)
    codes[-1] = -1
    return X, codes, rng.uniform(0.5, 2.0, size=m)


def covariance_of(X, codes, scale, weights=None):
    return within_covariance(X, codes, class_moments(X, codes, 3, weights), scale, weights)


def product(covariance):
    return (covariance.vectors * covariance.values) @ covariance.vectors.T


def test_spectrum_multiplies_out_to_the_pooled_covariance(problem, layout):
    X, codes, scale = problem
    covariance = covariance_of(layout(X), codes, scale)
    expected = reference.pooled_covariance(X, codes, scale)
    np.testing.assert_allclose(product(covariance), expected, rtol=1e-9, atol=1e-10)


def test_vectors_are_orthonormal(problem, layout):
    covariance = covariance_of(layout(problem[0]), *problem[1:])
    identity = np.eye(covariance.values.size)
    np.testing.assert_allclose(covariance.vectors.T @ covariance.vectors, identity, atol=1e-9)


def test_values_are_positive_and_no_more_than_the_rank(problem, layout):
    X, codes, scale = problem
    covariance = covariance_of(layout(X), codes, scale)
    assert (covariance.values > 0).all()
    rank = np.linalg.matrix_rank(reference.residuals(X, codes, scale))
    assert covariance.values.size == rank


def test_mean_value_counts_the_zeros_of_the_spectrum(problem, layout):
    X, codes, scale = problem
    covariance = covariance_of(layout(X), codes, scale)
    expected = np.trace(reference.pooled_covariance(X, codes, scale)) / X.shape[1]
    assert covariance.mean_value == pytest.approx(expected, rel=1e-10)


def test_shrinkage_is_that_of_ledoit_and_wolf_on_the_residuals(problem, layout):
    X, codes, scale = problem
    residuals = reference.residuals(X, codes, scale)
    expected = ledoit_wolf_shrinkage(residuals, assume_centered=True)
    assert 0 < expected < 1
    assert covariance_of(layout(X), codes, scale).shrinkage == pytest.approx(expected, rel=1e-9)


def test_integer_weights_are_repeats(problem, layout, rng):
    X, codes, scale = problem
    repeats = rng.integers(0, 4, size=len(X))
    repeats[:3] = 1
    rows = np.repeat(np.arange(len(X)), repeats)
    weighted = covariance_of(layout(X), codes, scale, repeats.astype(np.float64))
    repeated = covariance_of(layout(X[rows]), codes[rows], scale)
    np.testing.assert_allclose(product(weighted), product(repeated), rtol=1e-9, atol=1e-10)
    assert weighted.shrinkage == pytest.approx(repeated.shrinkage, rel=1e-9)


def test_large_offset_costs_no_precision(rng, layout):
    """A spread of 1 around a mean of a million, where squares of the data would drown it."""
    X = rng.normal(size=(50, 4))
    codes = (np.arange(50) % 3).astype(np.int32)
    expected = reference.pooled_covariance(X, codes)
    actual = covariance_of(layout(X + 1e6), codes, np.ones(4))
    np.testing.assert_allclose(product(actual), expected, rtol=1e-6, atol=1e-8)


def test_data_without_spread_have_an_empty_spectrum(layout):
    X = np.repeat([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], 2, axis=0)
    covariance = covariance_of(layout(X), np.repeat([0, 1, 2], 2).astype(np.int32), np.ones(2))
    assert covariance.values.size == 0
    assert covariance.vectors.shape == (2, 0)
    assert covariance.mean_value == 0


def test_data_are_left_as_they_were(problem, layout):
    X, codes, scale = problem
    stored = layout(X.copy())
    covariance_of(stored, codes, scale)
    np.testing.assert_array_equal(stored.toarray() if sparse.issparse(stored) else stored, X)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_no_square_matrix_of_the_features_is_formed_for_few_samples(rng, store):
    n, m = 20, 3000
    X = store(rng.normal(size=(n, m)) * (rng.random((n, m)) < 0.5))
    codes = (np.arange(n) % 3).astype(np.int32)
    moments = class_moments(X, codes, 3)
    tracemalloc.start()
    within_covariance(X, codes, moments, np.ones(m))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < m * m * 8 / 2
