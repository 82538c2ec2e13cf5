import numpy as np
import pytest
from scipy.linalg import eigh

from centroidal.statistics.spectrum import leading_eigenpairs

SIZE = 240
N_PAIRS = 6
SPECTRA = {
    "decaying": np.geomspace(1e3, 1e-6, SIZE),
    "slowly decaying": np.linspace(10.0, 0.0, SIZE),
    "flat": np.linspace(1.0, 0.9, SIZE),
    "equal": np.ones(SIZE),
    "clustered": np.r_[10 + 1e-6 * np.arange(5)[::-1], np.linspace(1.0, 0.0, SIZE - 5)],
    "repeated": np.r_[[5.0, 5.0, 5.0, 2.0, 2.0], np.linspace(1.0, 0.0, SIZE - 5)],
    "rank deficient": np.r_[[5.0, 3.0, 1.0], np.zeros(SIZE - 3)],
    "slightly negative": np.r_[np.geomspace(1.0, 1e-3, 20), np.full(SIZE - 20, -1e-12)],
}


def symmetric(values, rng):
    """A matrix of these eigenvalues in random directions."""
    vectors = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    matrix = (vectors * values) @ vectors.T
    return (matrix + matrix.T) / 2


@pytest.fixture(params=SPECTRA)
def matrix(request, rng):
    return symmetric(SPECTRA[request.param], rng)


@pytest.fixture
def decaying(rng):
    return symmetric(SPECTRA["decaying"], rng)


@pytest.fixture(params=[1, 2, 16])
def width(request):
    return request.param


def found_in(matrix, n_pairs=N_PAIRS, **options):
    return leading_eigenpairs(matrix.__matmul__, len(matrix), n_pairs, **options)


def largest(matrix, n_pairs=N_PAIRS):
    return eigh(matrix, eigvals_only=True)[::-1][:n_pairs]


def assert_orthonormal(vectors, atol=1e-10):
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(vectors.shape[1]), atol=atol)


def assert_same_up_to_signs(actual, expected):
    signs = np.sign((actual * expected).sum(axis=0))
    np.testing.assert_allclose(actual * signs, expected, atol=1e-10)


# ------------------------------------------------------------------ against all pairs at once


def test_values_are_the_largest_of_a_full_decomposition(matrix):
    expected = largest(matrix)
    values, _ = found_in(matrix)
    np.testing.assert_allclose(values, expected, rtol=1e-3, atol=1e-12 * expected[0])


@pytest.mark.parametrize("name", ["decaying", "repeated", "rank deficient"])
def test_blocks_of_any_width_find_the_largest_values(rng, name, width):
    matrix = symmetric(SPECTRA[name], rng)
    values, _ = found_in(matrix, width=width)
    np.testing.assert_allclose(values, largest(matrix), rtol=1e-3, atol=1e-10)


def test_error_of_the_values_is_about_the_square_of_the_tolerance(decaying, width):
    values, _ = found_in(decaying, width=width, tol=1e-4)
    np.testing.assert_allclose(values, largest(decaying), rtol=1e-6)


def test_values_decrease(matrix, width):
    values, _ = found_in(matrix, width=width)
    assert (np.diff(values) <= 0).all()


def test_residual_of_every_pair_is_below_the_tolerance(matrix, width):
    values, vectors = found_in(matrix, width=width)
    lengths = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    assert (lengths <= 1e-3 * np.abs(values) + 1e-12 * values[0]).all()


@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-8])
def test_residual_follows_the_tolerance(decaying, tol):
    values, vectors = found_in(decaying, tol=tol)
    lengths = np.linalg.norm(decaying @ vectors - vectors * values, axis=0)
    assert (lengths <= tol * values + 1e-12 * values[0]).all()


def test_vectors_are_orthonormal(matrix, width):
    assert_orthonormal(found_in(matrix, width=width)[1])


def test_vectors_span_the_leading_directions(decaying):
    _, expected = eigh(decaying, subset_by_index=[SIZE - N_PAIRS, SIZE - 1])
    _, vectors = found_in(decaying, tol=1e-6)
    np.testing.assert_allclose(vectors @ vectors.T, expected @ expected.T, atol=1e-5)


@pytest.mark.parametrize("n_pairs", [1, 2, 30, 80])
def test_any_number_of_pairs_is_found(decaying, n_pairs):
    values, vectors = found_in(decaying, n_pairs)
    assert vectors.shape == (SIZE, n_pairs)
    np.testing.assert_allclose(values, largest(decaying, n_pairs), rtol=1e-3)


def test_value_repeated_as_often_as_a_block_is_wide_is_found_every_time(rng):
    values = np.r_[np.full(16, 5.0), np.linspace(1.0, 0.0, SIZE - 16)]
    found, _ = found_in(symmetric(values, rng), 20, width=16)
    np.testing.assert_allclose(found[:16], 5.0, rtol=1e-5)
    assert (found[16:] < 1.01).all()


# ------------------------------------------------------------------ products that vanish


@pytest.mark.parametrize("n_pairs", [2, 4, 16])
def test_matrix_of_zeros_has_values_of_zero_and_orthonormal_vectors(n_pairs):
    values, vectors = found_in(np.zeros((SIZE, SIZE)), n_pairs)
    np.testing.assert_array_equal(values, np.zeros(n_pairs))
    assert_orthonormal(vectors)


@pytest.mark.parametrize("width", [1, 2])
def test_narrow_blocks_find_orthonormal_vectors_of_a_matrix_of_zeros(width):
    assert_orthonormal(found_in(np.zeros((SIZE, SIZE)), 6, width=width)[1])


@pytest.mark.parametrize("rank", [3, 10, 30])
def test_more_pairs_than_coordinates_that_are_not_zero_are_found(rng, rank):
    """Products have exact zeros elsewhere, as those of sparse data with empty features have."""
    matrix = np.zeros((SIZE, SIZE))
    matrix[:rank, :rank] = symmetric(np.linspace(2.0, 1.0, rank), rng)
    values, vectors = found_in(matrix, 40, max_restarts=20)
    np.testing.assert_allclose(values, largest(matrix, 40), atol=1e-10)
    assert_orthonormal(vectors)


# ------------------------------------------------------------------ laws


def test_same_operator_gives_the_same_pairs_to_the_bit(decaying, width):
    first, second = (found_in(decaying, width=width) for _ in range(2))
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


def test_global_random_state_does_not_matter(decaying):
    expected = found_in(decaying)[1]
    np.random.seed(5)  # noqa: NPY002
    np.testing.assert_array_equal(found_in(decaying)[1], expected)


@pytest.mark.parametrize("factor", [2.0**-60, 2.0**60])
def test_unit_of_the_operator_does_not_matter(decaying, factor):
    values, vectors = found_in(decaying)
    scaled_values, scaled_vectors = found_in(factor * decaying)
    np.testing.assert_allclose(scaled_values, factor * values, rtol=1e-9)
    assert_same_up_to_signs(scaled_vectors, vectors)


def test_rows_are_turned_a_few_at_a_time_with_the_same_result(decaying, monkeypatch):
    expected = found_in(decaying)
    monkeypatch.setattr("centroidal.statistics.spectrum._ROWS_AT_ONCE", 7)
    values, vectors = found_in(decaying)
    np.testing.assert_allclose(values, expected[0], rtol=1e-12)
    assert_same_up_to_signs(vectors, expected[1])


def test_operator_is_only_multiplied_with_blocks_of_the_width(decaying, width):
    widths = set()

    def multiply(block):
        widths.add(block.shape[1])
        return decaying @ block

    leading_eigenpairs(multiply, SIZE, N_PAIRS, width=width)
    assert widths == {width}


# ------------------------------------------------------------------ errors


def test_error_says_that_restarts_were_too_few(rng):
    flat = symmetric(SPECTRA["flat"], rng)
    with pytest.raises(RuntimeError, match="6 leading components .* tol=1e-10 in 2 restarts"):
        found_in(flat, tol=1e-10, max_restarts=2)


@pytest.mark.parametrize(("size", "n_pairs", "width"), [(100, 30, 16), (100, 50, 1), (40, 1, 16)])
def test_error_names_a_number_of_pairs_that_is_too_much(size, n_pairs, width):
    with pytest.raises(ValueError, match=f"n_pairs={n_pairs} is too much for size={size}"):
        found_in(np.eye(size), n_pairs, width=width)
