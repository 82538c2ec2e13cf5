from typing import NamedTuple

import numpy as np
import pytest

from centroidal.statistics import gram_summary
from tests.reference import kernel_fisher

N_CLASSES = 3


class Problem(NamedTuple):
    """A kernel matrix of samples in three classes, with weights."""

    K: np.ndarray
    codes: np.ndarray
    weights: np.ndarray

    def summary(self, n_pairs=None, invert=False, n_classes=N_CLASSES):
        # The matrix is overwritten.
        return gram_summary(
            self.K.copy(), self.codes, n_classes, self.weights, n_pairs, invert=invert
        )

    def centred(self):
        """Centred on the weighted mean and weighted, with the matrix that does so in full."""
        n, total = len(self.K), self.weights.sum()
        around = np.eye(n) - np.outer(np.ones(n), self.weights) / total
        roots = np.sqrt(self.weights)
        return np.outer(roots, roots) * (around @ self.K @ around.T)


@pytest.fixture
def codes(rng):
    return rng.permutation(np.arange(24) % N_CLASSES).astype(np.int32)


@pytest.fixture(params=["equal", "unequal", "some zero"])
def weights(request, rng):
    unequal = rng.uniform(0.5, 2.0, size=24)
    return {
        "equal": np.ones(24),
        "unequal": unequal,
        "some zero": unequal * (np.arange(24) % 6 > 0),
    }[request.param]


@pytest.fixture
def X(rng):
    return rng.normal(size=(24, 4)) + 2.0


@pytest.fixture
def problem(X, codes, weights):
    """A matrix of full rank but for the mean."""
    return Problem(kernel_fisher.rbf(X, X, 0.5), codes, weights)


@pytest.fixture(params=["equal", "unequal"])
def regular(request, X, codes, rng):
    """Every row has weight, or else the matrix were singular."""
    weights = {"equal": np.ones(24), "unequal": rng.uniform(0.5, 2.0, size=24)}[request.param]
    return Problem(kernel_fisher.rbf(X, X, 0.5), codes, weights)


@pytest.fixture
def low_rank(X, codes, weights):
    """The linear kernel of a few features."""
    return Problem(X @ X.T, codes, weights)


def product(found):
    return (found.vectors * found.values) @ found.vectors.T


# ------------------------------------------------------------------ centred matrix


def test_spectrum_multiplies_out_to_the_centred_weighted_matrix(problem):
    np.testing.assert_allclose(product(problem.summary().spectrum), problem.centred(), atol=1e-12)


def test_equal_weights_centre_as_the_published_formula_does(X, codes):
    problem = Problem(kernel_fisher.rbf(X, X, 0.5), codes, np.ones(24))
    expected = kernel_fisher.centred(problem.K)
    np.testing.assert_allclose(product(problem.summary().spectrum), expected, atol=1e-12)


def test_spectrum_of_the_linear_kernel_is_that_of_the_data(X, low_rank):
    weights = low_rank.weights
    rows = np.sqrt(weights)[:, None] * (X - np.average(X, axis=0, weights=weights))
    found = low_rank.summary().spectrum
    expected = np.linalg.svd(rows, compute_uv=False) ** 2
    np.testing.assert_allclose(found.values, expected, rtol=1e-10)


def test_trace_is_that_of_the_centred_matrix(problem):
    expected = np.trace(problem.centred())
    assert problem.summary(n_pairs=3).spectrum.trace == pytest.approx(expected, rel=1e-12)


def test_few_pairs_are_the_largest(problem):
    few, every = problem.summary(n_pairs=3).spectrum, problem.summary().spectrum
    np.testing.assert_allclose(few.values, every.values[:3], rtol=1e-10)
    np.testing.assert_allclose(product(few), product(every.keep_leading(3)), atol=1e-10)


def test_constant_added_to_the_kernel_changes_nothing(problem):
    shifted = problem._replace(K=problem.K + 7.0)
    np.testing.assert_allclose(
        product(shifted.summary().spectrum), product(problem.summary().spectrum), atol=1e-12
    )


def test_row_means_are_weighted_means_of_the_kernel_matrix(problem):
    expected = np.average(problem.K, axis=1, weights=problem.weights)
    np.testing.assert_allclose(problem.summary().row_means, expected, rtol=1e-13)


# ------------------------------------------------------------------ class means


def test_counts_are_the_weights_of_the_classes(problem):
    expected = [problem.weights[problem.codes == c].sum() for c in range(N_CLASSES)]
    np.testing.assert_allclose(problem.summary().counts, expected, rtol=1e-13)


def test_means_are_combinations_that_give_the_class_means(X, low_rank):
    """Of the linear kernel, whose vectors are at hand."""
    weights, codes = low_rank.weights, low_rank.codes
    mean = np.average(X, axis=0, weights=weights)
    centred = np.sqrt(weights)[:, None] * (X - mean)
    expected = [
        np.average(X[codes == c], axis=0, weights=weights[codes == c]) - mean
        for c in range(N_CLASSES)
    ]
    np.testing.assert_allclose(low_rank.summary().means @ centred, expected, atol=1e-12)


def test_images_are_the_inner_products_of_the_means_with_the_samples(problem):
    summary = problem.summary()
    np.testing.assert_allclose(summary.images, summary.means @ problem.centred(), atol=1e-13)


def test_means_weighted_by_the_classes_add_up_to_nothing(problem):
    summary = problem.summary()
    np.testing.assert_allclose(summary.counts @ summary.means, np.zeros(24), atol=1e-13)


def test_integer_weights_are_repeats(X, codes):
    repeats = np.arange(24) % 3 + 1
    order = np.repeat(np.arange(24), repeats)
    K = kernel_fisher.rbf(X, X, 0.5)
    weighted = Problem(K, codes, repeats.astype(float)).summary().spectrum
    repeated = Problem(K[np.ix_(order, order)], codes[order], np.ones(order.size)).summary()
    found = repeated.spectrum.values
    np.testing.assert_allclose(found, weighted.values[: found.size], rtol=1e-9, atol=1e-12)


def test_class_without_samples_has_no_weight(problem):
    assert problem.summary(n_classes=4).counts[3] == 0.0


def test_class_without_samples_changes_nothing_for_the_others(problem):
    found, expected = problem.summary(n_classes=4), problem.summary()
    np.testing.assert_array_equal(found.means[:3], expected.means)
    np.testing.assert_allclose(found.images[:3], expected.images, atol=1e-14)


# ------------------------------------------------------------------ inverse


def test_means_whitened_by_a_factorisation_are_those_of_the_pseudo_inverse(regular):
    inverse = np.linalg.pinv(regular.centred(), rcond=1e-12, hermitian=True)
    summary = regular.summary(invert=True)
    np.testing.assert_allclose(summary.whitened, summary.means @ inverse, rtol=1e-7, atol=1e-9)


def test_means_whitened_by_a_factorisation_are_those_of_the_spectrum(regular):
    found = regular.summary().spectrum
    inverse = (found.vectors / found.values) @ found.vectors.T
    summary = regular.summary(invert=True)
    np.testing.assert_allclose(summary.whitened, summary.means @ inverse, rtol=1e-7, atol=1e-9)


def test_factorisation_makes_the_spectrum_needless(regular):
    assert regular.summary(invert=True).spectrum is None


def test_nothing_is_inverted_unless_asked_for(problem):
    assert problem.summary().whitened is None


def test_singular_matrix_falls_back_to_the_spectrum(low_rank):
    summary = low_rank.summary(invert=True)
    assert summary.whitened is None
    np.testing.assert_allclose(product(summary.spectrum), low_rank.centred(), atol=1e-11)


def test_sample_that_is_there_twice_makes_the_matrix_singular(X, codes):
    X[5] = X[9]
    problem = Problem(kernel_fisher.rbf(X, X, 0.5), codes, np.ones(24))
    summary = problem.summary(invert=True)
    assert summary.whitened is None
    assert summary.spectrum.values.size == 22


def test_nearly_singular_matrix_falls_back_to_the_spectrum(rng, codes):
    """Of the means no digit would be left along the smallest values."""
    basis = rng.normal(size=(24, 23))
    basis = np.linalg.qr(basis - basis.mean(axis=0))[0]
    problem = Problem((basis * np.geomspace(1.0, 1e-15, 23)) @ basis.T, codes, np.ones(24))
    assert problem.summary(invert=True).whitened is None


def test_rows_of_weight_zero_fall_back_to_the_spectrum(X, codes):
    weights = np.ones(24)
    weights[3] = 0.0
    summary = Problem(kernel_fisher.rbf(X, X, 0.5), codes, weights).summary(invert=True)
    assert summary.whitened is None
    assert summary.spectrum.values.size == 22


def test_matrix_of_one_value_has_no_directions(codes):
    summary = Problem(np.ones((24, 24)), codes, np.ones(24)).summary(invert=True)
    assert summary.whitened is None
    assert summary.spectrum.values.size == 0


@pytest.mark.parametrize("factor", [2.0**-200, 2.0**200])
def test_unit_of_the_kernel_makes_no_regular_matrix_singular(regular, factor):
    assert regular._replace(K=factor * regular.K).summary(invert=True).whitened is not None


@pytest.mark.parametrize("factor", [2.0**-200, 2.0**200])
def test_unit_of_the_kernel_makes_no_singular_matrix_regular(low_rank, factor):
    assert low_rank._replace(K=factor * low_rank.K).summary(invert=True).whitened is None
