import numpy as np
import pytest
from scipy import sparse

from centroidal.solvers.distances import absolute_distances, squared_distances
from tests import reference

MEASURES = {"l1": absolute_distances, "l2": squared_distances}
STORES = {
    "c_order": np.ascontiguousarray,
    "f_order": np.asfortranarray,
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "csr_matrix": sparse.csr_matrix,
}


@pytest.fixture(params=MEASURES)
def metric(request):
    return request.param


@pytest.fixture(params=STORES)
def store(request):
    return STORES[request.param]


@pytest.fixture
def problem(rng):
    """Samples with many zeros, four centers and a scale."""
    Z = rng.normal(size=(23, 6)) * (rng.random((23, 6)) < 0.6)
    return Z, rng.normal(size=(4, 6)), rng.uniform(0.5, 2.0, size=6)


def test_distances_are_those_of_three_loops(problem, metric, store):
    Z, centers, scale = problem
    actual = MEASURES[metric](store(Z), centers, scale)
    np.testing.assert_allclose(
        actual, reference.distances(Z, centers, scale, metric), rtol=1e-12, atol=1e-13
    )


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
def test_distances_do_not_depend_on_the_type_of_small_integers(problem, metric, store, dtype):
    Z, centers, scale = problem
    Z = np.abs(np.round(10 * Z))
    np.testing.assert_allclose(
        MEASURES[metric](store(Z.astype(dtype)), centers, scale),
        reference.distances(Z, centers, scale, metric),
        rtol=1e-12,
    )


def test_sample_at_a_center_has_no_distance(problem, metric, store):
    _, centers, scale = problem
    distances = MEASURES[metric](store(centers), centers, scale)
    np.testing.assert_allclose(np.diag(distances), 0, atol=1e-14)


@pytest.mark.parametrize("store_dense", [np.ascontiguousarray, np.asfortranarray])
def test_large_offset_costs_dense_distances_no_precision(problem, metric, store_dense):
    Z, centers, scale = problem[0] + 1e6, problem[1] + 1e6, problem[2]
    expected = reference.distances(Z, centers, scale, metric)
    actual = MEASURES[metric](store_dense(Z), centers, scale)
    np.testing.assert_allclose(actual, expected, rtol=1e-9)


@pytest.mark.parametrize("store_sparse", [sparse.csr_array, sparse.csc_array])
def test_large_offset_costs_sparse_l1_distances_no_precision(problem, store_sparse):
    Z, centers, scale = problem[0] + 1e6, problem[1] + 1e6, problem[2]
    expected = reference.distances(Z, centers, scale, "l1")
    actual = MEASURES["l1"](store_sparse(Z), centers, scale)
    np.testing.assert_allclose(actual, expected, rtol=1e-8)


def test_large_offset_costs_differences_between_centers_no_precision(problem, metric, store):
    """What decides is how much nearer one center is than another."""
    Z, centers, scale = problem[0] + 1e6, problem[1] + 1e6, problem[2]
    expected = reference.distances(Z, centers, scale, metric)
    actual = MEASURES[metric](store(Z), centers, scale)
    np.testing.assert_allclose(
        actual[:, 1:] - actual[:, :1], expected[:, 1:] - expected[:, :1], rtol=1e-7, atol=1e-7
    )


def test_whole_numbers_give_exact_distances(rng, metric, store):
    """So that samples equally far from two centers are so to the last bit."""
    Z = rng.integers(-9, 10, size=(40, 4)).astype(np.float64)
    centers = rng.integers(-9, 10, size=(3, 4)).astype(np.float64)
    expected = reference.distances(Z, centers, np.ones(4), metric)
    np.testing.assert_array_equal(MEASURES[metric](store(Z), centers, np.ones(4)), expected)


def test_stored_zeros_do_not_matter(problem, metric):
    Z, centers, scale = problem
    n, m = Z.shape
    stored = sparse.csr_array((Z.ravel(), np.tile(np.arange(m), n), np.arange(n + 1) * m), (n, m))
    np.testing.assert_allclose(
        MEASURES[metric](stored, centers, scale), MEASURES[metric](Z, centers, scale), rtol=1e-12
    )


def test_data_are_left_as_they_were(problem, metric, store):
    Z, centers, scale = problem
    stored = store(Z.copy())
    MEASURES[metric](stored, centers, scale)
    np.testing.assert_array_equal(stored.toarray() if sparse.issparse(stored) else stored, Z)
