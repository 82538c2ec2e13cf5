from typing import NamedTuple

import numpy as np
import pytest

from centroidal.solvers.fisher_subspace import fisher_axes, kernel_axes, whiten
from centroidal.statistics import class_moments, class_subspace, gram_summary
from tests.reference import fisher, kernel_fisher

KINDS = ["full", "variance", "truncated"]
N = 30


class Problem(NamedTuple):
    """A kernel matrix of weighted samples in a few classes."""

    K: np.ndarray
    codes: np.ndarray
    weights: np.ndarray

    @property
    def n_classes(self):
        return self.codes.max() + 1

    def summary(self, invert=False, n_classes=None):
        n_classes = n_classes or self.n_classes
        return gram_summary(self.K.copy(), self.codes, n_classes, self.weights, invert=invert)

    def centred(self):
        around = np.eye(N) - np.outer(np.ones(N), self.weights) / self.weights.sum()
        roots = np.sqrt(self.weights)
        return np.outer(roots, roots) * (around @ self.K @ around.T)

    def axes(self, kind, d, n_classes=None):
        summary = self.summary(n_classes=n_classes)
        return kernel_axes(summary, whiten(summary.spectrum, kind, d, self.weights.sum()))


@pytest.fixture
def codes(rng):
    return rng.permutation(np.minimum(np.arange(N) % 5, 2)).astype(np.int32)


@pytest.fixture
def X(rng, codes):
    return rng.normal(size=(N, 6)) + 1.5 * rng.normal(size=(3, 6))[codes]


@pytest.fixture(params=["equal", "unequal"])
def weights(request, rng):
    return np.ones(N) if request.param == "equal" else rng.uniform(0.5, 2.0, size=N)


@pytest.fixture
def rbf(X, codes, weights):
    return Problem(kernel_fisher.rbf(X, X, 0.2), codes, weights)


@pytest.fixture
def linear(X, codes, weights):
    return Problem(X @ X.T, codes, weights)


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def n_components(kind):
    return 1000 if kind == "full" else 4


# ------------------------------------------------------------------ against the twins


def test_axes_of_the_linear_kernel_are_those_of_the_data(X, linear, kind):
    codes, weights, d = linear.codes, linear.weights, n_components(kind)
    moments = class_moments(X, codes, 3, weights)
    subspace = class_subspace(X, codes, moments, weights)
    whitening = whiten(subspace.spectrum, kind, d, weights.sum())
    expected = fisher_axes(whitening, subspace.counts, subspace.means - subspace.mean)
    axes, _, centers = linear.axes(kind, d)
    rows = np.sqrt(weights)[:, None] * (X - subspace.mean)
    np.testing.assert_allclose(rows.T @ axes, expected.axes, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(centers, expected.centers, rtol=1e-7, atol=1e-9)


def test_axis_of_two_classes_is_the_published_direction(X, codes, kind):
    two = np.minimum(codes, 1)
    problem = Problem(kernel_fisher.rbf(X, X, 0.2), two, np.ones(N))
    d = n_components(kind)
    rule = d if kind == "truncated" else 0.9 if kind == "variance" else None
    expected = kernel_fisher.fit(problem.K, two, kind, rule)
    axes, _, _ = problem.axes(kind, expected.n_components)
    assert fisher.cosine(axes, expected.dual) == pytest.approx(1.0, abs=1e-9)


def test_axes_span_those_of_the_twin(X, codes, kind):
    problem = Problem(kernel_fisher.rbf(X, X, 0.2), codes, np.ones(N))
    values, vectors = kernel_fisher.eigenpairs(problem.K)
    d = min(n_components(kind), len(values))
    contrasts = kernel_fisher.contrasts(codes)
    expected = kernel_fisher.whitened_twice(kind, values, vectors, d, contrasts)
    axes, _, _ = problem.axes(kind, d)
    basis = np.linalg.qr(axes)[0]
    left = expected - basis @ (basis.T @ expected)
    assert np.abs(left).max() < 1e-8 * np.abs(expected).max()


# ------------------------------------------------------------------ laws


def test_images_are_the_inner_products_of_the_axes_with_the_samples(rbf, kind):
    axes, images, _ = rbf.axes(kind, n_components(kind))
    np.testing.assert_allclose(images, rbf.centred() @ axes, rtol=1e-8, atol=1e-9)


def test_centers_are_where_class_means_fall_on_the_axes(rbf, kind):
    axes, _, centers = rbf.axes(kind, n_components(kind))
    np.testing.assert_allclose(centers, rbf.summary().images @ axes, rtol=1e-8, atol=1e-9)


def test_whitened_samples_have_unit_variance_along_every_axis(rbf):
    """Of full whitening: the projections of all samples are uncorrelated with variance 1."""
    _, images, _ = rbf.axes("full", 1000)
    covariance = images.T @ images / rbf.weights.sum()
    np.testing.assert_allclose(covariance, np.eye(2), atol=1e-8)


def test_axes_are_ordered_by_how_far_apart_the_classes_are(rbf, kind):
    _, _, centers = rbf.axes(kind, n_components(kind))
    separations = rbf.summary().counts @ centers**2
    assert (np.diff(separations) <= 1e-9 * separations[0]).all()


def test_one_axis_fewer_than_classes_is_found(rbf, kind):
    axes, images, centers = rbf.axes(kind, n_components(kind))
    assert axes.shape == images.shape == (N, 2)
    assert centers.shape == (3, 2)


def test_axes_are_no_more_than_the_components_of_a_pseudo_inverse(rbf):
    assert rbf.axes("variance", 1)[0].shape == (N, 1)


def test_last_class_is_on_the_positive_side_of_every_axis(rbf):
    _, _, centers = rbf.axes("truncated", 4)
    assert (centers[-1] > 0).all()


def test_class_without_samples_is_left_out(rbf, kind):
    d = n_components(kind)
    found, expected = rbf.axes(kind, d, n_classes=5), rbf.axes(kind, d)
    for part, expected_part in zip(found, expected, strict=True):
        np.testing.assert_allclose(part, expected_part, rtol=1e-8, atol=1e-9)


def test_constant_added_to_the_kernel_changes_nothing(rbf):
    shifted = rbf._replace(K=rbf.K + 3.0)
    for part, expected in zip(shifted.axes("truncated", 4), rbf.axes("truncated", 4), strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-7, atol=1e-9)


# ------------------------------------------------------------------ by a factorisation


def test_axes_of_the_factorisation_span_those_of_full_whitening(rbf):
    axes, _, _ = kernel_axes(rbf.summary(invert=True), None)
    expected = np.linalg.qr(rbf.axes("full", 1000)[0])[0]
    np.testing.assert_allclose(expected @ (expected.T @ axes), axes, rtol=1e-6, atol=1e-8)


def test_axis_of_the_factorisation_is_that_of_full_whitening_for_two_classes(rbf):
    two = rbf._replace(codes=np.minimum(rbf.codes, 1))
    found, expected = kernel_axes(two.summary(invert=True), None), two.axes("full", 1000)
    for part, expected_part in zip(found, expected, strict=True):
        np.testing.assert_allclose(part, expected_part, rtol=1e-6, atol=1e-8)


def test_equal_separations_are_settled_the_same_way_by_both(rbf):
    """A regular matrix separates every class fully: all axes of full whitening are equal."""
    found, expected = kernel_axes(rbf.summary(invert=True), None), rbf.axes("full", 1000)
    for part, expected_part in zip(found, expected, strict=True):
        np.testing.assert_allclose(part, expected_part, rtol=1e-6, atol=1e-8)


def test_classes_pile_up_on_the_axes_of_a_regular_matrix(rbf):
    _, images, centers = kernel_axes(rbf.summary(invert=True), None)
    projected = images / np.sqrt(rbf.weights)[:, None]
    np.testing.assert_allclose(projected, centers[rbf.codes], atol=1e-7)
