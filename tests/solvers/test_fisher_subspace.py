import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centroidal.solvers.fisher_subspace import (
    SquaredWhitening,
    axes_of,
    choose_between,
    count_components,
    covariance_inside,
    cut_at,
    cut_line,
    fisher_axes,
    log2_rule,
    whiten,
)
from centroidal.solvers.thresholds import Line
from centroidal.statistics import Spectrum, class_moments, class_subspace
from tests.reference import fisher, thresholds

laws = settings(deadline=None, max_examples=20, derandomize=True)
KINDS = ["full", "variance", "truncated"]
SHAPES = {"more_samples": (60, 8), "more_features": (18, 40)}


class Problem(NamedTuple):
    """Correlated rows of four classes of unequal sizes."""

    X: np.ndarray
    codes: np.ndarray

    @property
    def counts(self):
        return np.bincount(self.codes).astype(float)

    @property
    def mean(self):
        return self.X.mean(axis=0)

    @property
    def means(self):
        """Of the classes, relative to the mean."""
        return fisher.class_means(self.X, self.codes) - self.mean

    def spectrum(self, scatter="total"):
        moments = class_moments(self.X, self.codes, self.counts.size)
        return class_subspace(self.X, self.codes, moments, scatter=scatter).spectrum

    def whitening(self, kind, d, scatter="total"):
        return whiten(self.spectrum(scatter), kind, d, len(self.X))

    def matrix(self, kind, d, scatter="total"):
        """W, features by features."""
        found = fisher.spectrum(self.X, self.codes, scatter)
        d = min(d, found.values.size)
        return fisher.whitener(kind, found, d, len(self.X))

    def axes(self, kind="truncated", d=5):
        return fisher_axes(self.whitening(kind, d), self.counts, self.means)


def draw_problem(rng, n, m):
    codes = np.minimum(np.arange(n) % 6, 3).astype(np.int32)
    noise = rng.normal(size=(n, m)) @ rng.normal(size=(m, m)) / np.sqrt(m)
    return Problem(noise + 2.0 * rng.normal(size=(4, m))[codes] + 1.0, codes)


@pytest.fixture(params=SHAPES)
def problem(request, rng):
    return draw_problem(rng, *SHAPES[request.param])


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def centred(problem):
    return problem.X - problem.mean


# ------------------------------------------------------------------ number of components


@pytest.mark.parametrize(
    ("n_samples", "expected"),
    [(1, 1), (2, 1), (3, 2), (4, 4), (8, 9), (16, 16), (64, 36), (100, 44), (1000, 99), (0.5, 1)],
)
def test_log2_rule_is_the_square_of_the_logarithm_rounded_down(n_samples, expected):
    assert log2_rule(n_samples) == expected


@pytest.fixture
def shares():
    """Shares of the variance: 0.4, 0.7, 0.9, 1.0."""
    return Spectrum(np.array([4.0, 3.0, 2.0, 1.0]), np.eye(6)[:, :4], 10.0)


@pytest.mark.parametrize(("wanted", "expected"), [(1, 1), (3, 3), (4, 4), (99, 4)])
def test_number_of_components_is_at_most_the_rank(shares, wanted, expected):
    assert count_components(wanted, shares) == expected


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [(0.1, 1), (0.39, 1), (0.41, 2), (0.69, 2), (0.71, 3), (0.99, 4), (1.0, 4)],
)
def test_share_stands_for_the_fewest_components_that_hold_it(shares, wanted, expected):
    assert count_components(wanted, shares) == expected


@pytest.mark.parametrize(("wanted", "expected"), [(0.4, 1), (0.7, 2), (0.9, 3)])
def test_share_that_is_met_exactly_needs_no_further_component(shares, wanted, expected):
    assert count_components(wanted, shares) == expected


def test_share_that_rounding_misses_needs_no_further_component():
    """Three times 0.7 is a little less than half of six times."""
    equal = Spectrum(np.full(6, 0.7), np.eye(6), 4.2)
    assert count_components(0.5, equal) == 3


@pytest.mark.parametrize("wanted", [0.5, 1.0, 3])
def test_data_without_spread_have_no_components(wanted):
    assert count_components(wanted, Spectrum.empty(5)) == 0


@pytest.mark.parametrize("share", [0.3, 0.8, 0.95, 1.0])
def test_share_of_the_variance_is_that_of_the_twin(problem, share):
    found = fisher.spectrum(problem.X, problem.codes)
    expected = fisher.n_components(share, found, len(problem.X))
    assert count_components(share, problem.spectrum()) == expected


# ------------------------------------------------------------------ whitening


@pytest.mark.parametrize("scatter", ["total", "within"])
def test_squared_whitening_is_the_explicit_matrix_applied_twice(problem, kind, scatter):
    d = 1000 if kind == "full" else 4
    W = problem.matrix(kind, d, scatter)
    whitening = problem.whitening(kind, d, scatter)
    m = problem.X.shape[1]
    np.testing.assert_allclose(whitening.apply(np.eye(m)), W @ W, rtol=1e-8, atol=1e-8)


def test_fully_whitened_data_have_the_identity_as_covariance(problem):
    """Theorem T1: W S W is the identity of the span, so W W is the inverse of S there."""
    whitening = problem.whitening("full", 1000)
    covariance = centred(problem).T @ centred(problem) / len(problem.X)
    span = whitening.vectors
    inside = whitening.apply(span.T @ covariance) @ span
    np.testing.assert_allclose(inside, np.eye(span.shape[1]), atol=1e-9)


@pytest.mark.parametrize("d", [1, 4])
def test_whitening_of_some_components_gives_them_unit_variance_and_the_rest_none(problem, d):
    whitening = problem.whitening("variance", d)
    covariance = centred(problem).T @ centred(problem) / len(problem.X)
    vectors = problem.spectrum().vectors
    inside = whitening.apply(vectors.T @ covariance) @ vectors
    expected = np.diag((np.arange(vectors.shape[1]) < d).astype(float))
    np.testing.assert_allclose(inside, expected, atol=1e-9)


def test_truncated_whitening_levels_the_components_at_the_variance_of_the_last(problem):
    whitening = problem.whitening("truncated", 4)
    found = problem.spectrum()
    inside = np.diag(whitening.apply(found.vectors.T) @ found.vectors) * found.values
    expected = np.r_[np.full(4, found.values[3]), found.values[4:]]
    np.testing.assert_allclose(inside, expected, rtol=1e-8)


def test_truncated_whitening_leaves_what_is_across_the_components(problem, rng):
    whitening = problem.whitening("truncated", 4)
    across = rng.normal(size=(3, problem.X.shape[1]))
    across -= across @ whitening.vectors @ whitening.vectors.T
    np.testing.assert_allclose(whitening.apply(across), across, atol=1e-12)


def test_truncated_whitening_of_one_component_changes_nothing(problem):
    whitening = problem.whitening("truncated", 1)
    np.testing.assert_allclose(whitening.apply(problem.X), problem.X, atol=1e-12)


def test_whitening_without_components_leaves_data_or_forgets_them(rng):
    rows = rng.normal(size=(3, 5))
    nothing = Spectrum.empty(5)
    np.testing.assert_array_equal(whiten(nothing, "truncated", 0, 9).apply(rows), rows)
    np.testing.assert_array_equal(whiten(nothing, "full", 0, 9).apply(rows), np.zeros((3, 5)))


def test_no_square_matrix_of_the_features_is_formed(rng):
    m = 3000
    vectors = np.linalg.qr(rng.normal(size=(m, 10)))[0]
    whitening = SquaredWhitening(vectors, np.linspace(0.1, 1.0, 10), 1.0)
    rows = rng.normal(size=(20, m))
    tracemalloc.start()
    whitening.apply(rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < m * m * 8 / 10


# ------------------------------------------------------------------ axes


def largest_angle(first, second):
    """Sine of the largest angle between two subspaces."""
    basis = np.linalg.qr(first)[0]
    other = np.linalg.qr(second)[0]
    return np.linalg.norm(other - basis @ (basis.T @ other), 2)


def test_axes_span_those_of_the_explicit_whitening(problem, kind):
    d = 1000 if kind == "full" else 6
    W = problem.matrix(kind, d)
    expected = fisher.fisher_axes(W, problem.mean, problem.means + problem.mean)
    found = problem.axes(kind, d).axes
    assert found.shape == expected.shape
    assert largest_angle(found, expected) < 1e-6


def test_axis_of_two_classes_is_the_published_direction(problem, kind):
    d = 1000 if kind == "full" else 6
    two = Problem(problem.X, np.minimum(problem.codes, 1))
    W = two.matrix(kind, d)
    expected = fisher.direction(W, two.means[1] - two.means[0])
    np.testing.assert_allclose(two.axes(kind, d).axes[:, 0], expected, rtol=1e-7, atol=1e-8)


def test_axes_are_orthonormal_after_whitening(problem, kind):
    """They are W Q with orthonormal Q: undone by the pseudo-inverse of W."""
    d = 1000 if kind == "full" else 6
    back = np.linalg.pinv(problem.matrix(kind, d), rcond=1e-9, hermitian=True)
    Q = back @ problem.axes(kind, d).axes
    np.testing.assert_allclose(Q.T @ Q, np.eye(Q.shape[1]), atol=1e-7)


def test_one_axis_fewer_than_classes_is_found(problem, kind):
    assert problem.axes(kind, 6).axes.shape == (problem.X.shape[1], 3)


def test_axes_are_no_more_than_the_components_of_a_pseudo_inverse(problem):
    assert problem.axes("variance", 2).axes.shape[1] == 2


def test_centers_are_where_class_means_fall_on_the_axes(problem, kind):
    found = problem.axes(kind, 6)
    np.testing.assert_allclose(found.centers, problem.means @ found.axes, atol=1e-8)


def test_axes_are_ordered_by_how_far_apart_the_classes_are(problem, kind):
    separations = problem.counts @ problem.axes(kind, 6).centers ** 2
    assert (np.diff(separations) < 0).all()


def test_separations_along_different_axes_are_uncorrelated(problem, kind):
    centers = problem.axes(kind, 6).centers
    between = (centers.T * problem.counts) @ centers
    np.testing.assert_allclose(between, np.diag(np.diag(between)), atol=1e-8 * between[0, 0])


def test_last_class_is_on_the_positive_side_of_every_axis(problem, kind):
    assert (problem.axes(kind, 6).centers[-1] > 0).all()


@pytest.mark.parametrize("rounding", [0.0, 1e-14, -1e-14])
def test_farthest_class_is_positive_where_the_last_is_in_the_middle(rounding):
    means = np.array([[-2.0, 0.0], [1.0, 0.0], [rounding, 0.0]])
    whitening = SquaredWhitening(np.eye(2)[:, :0], np.zeros(0), 1.0)
    found = fisher_axes(whitening, np.array([1.0, 2.0, 1.0]), means).centers
    np.testing.assert_allclose(found[:, 0], [2.0, -1.0, 0.0], atol=1e-12)


def test_classes_with_one_mean_have_no_axes():
    means = np.zeros((3, 4))
    whitening = SquaredWhitening(np.eye(4), np.ones(4), 1.0)
    found = fisher_axes(whitening, np.array([2.0, 3.0, 4.0]), means)
    assert found.axes.shape == (4, 0)
    assert found.centers.shape == (3, 0)


def test_classes_on_a_line_have_one_axis():
    means = np.outer([-3.0, 0.0, 1.0, 2.0], [1.0, 2.0, 0.0, -1.0])
    whitening = SquaredWhitening(np.eye(4)[:, :0], np.zeros(0), 1.0)
    assert fisher_axes(whitening, np.ones(4), means).axes.shape == (4, 1)


def test_unit_of_the_data_does_not_turn_the_axes(problem, kind):
    scaled = Problem(1024.0 * problem.X, problem.codes)
    found, expected = scaled.axes(kind, 6).axes, problem.axes(kind, 6).axes
    sizes = np.linalg.norm(found, axis=0) / np.linalg.norm(expected, axis=0)
    np.testing.assert_allclose(found / sizes, expected, rtol=1e-6, atol=1e-8)


# ------------------------------------------------------------------ equal separations


def simplex(n_classes, n_features, rng):
    """Means of classes that are all equally far apart, in random directions."""
    basis = np.linalg.qr(rng.normal(size=(n_features, n_classes)))[0].T
    return basis - basis.mean(axis=0)


@pytest.mark.parametrize("n_classes", [3, 4, 6])
@given(seed=st.integers(0, 2**32 - 1))
@laws
def test_equal_separations_are_settled_the_same_way_under_tiny_noise(n_classes, seed):
    rng = np.random.default_rng(seed)
    means = simplex(n_classes, 9, rng)
    noise = 1e-13 * rng.normal(size=means.shape)
    whitening = SquaredWhitening(np.eye(9)[:, :0], np.zeros(0), 1.0)
    counts = np.ones(n_classes)
    first, second = (fisher_axes(whitening, counts, m) for m in (means, means + noise))
    np.testing.assert_allclose(second.axes, first.axes, atol=1e-9)
    np.testing.assert_allclose(second.centers, first.centers, atol=1e-9)


@given(seed=st.integers(0, 2**32 - 1))
@laws
def test_rotation_of_the_features_rotates_the_axes_of_equal_separations(seed):
    rng = np.random.default_rng(seed)
    means = simplex(4, 7, rng)
    turn = np.linalg.qr(rng.normal(size=(7, 7)))[0]
    whitening = SquaredWhitening(np.eye(7)[:, :0], np.zeros(0), 1.0)
    first, second = (fisher_axes(whitening, np.ones(4), m) for m in (means, means @ turn))
    np.testing.assert_allclose(second.axes, turn.T @ first.axes, atol=1e-9)


def test_axes_of_equal_separations_are_still_orthonormal(rng):
    whitening = SquaredWhitening(np.eye(9)[:, :0], np.zeros(0), 1.0)
    found = fisher_axes(whitening, np.ones(5), simplex(5, 9, rng)).axes
    np.testing.assert_allclose(found.T @ found, np.eye(4), atol=1e-12)


def test_first_of_equal_axes_belongs_to_the_first_class(rng):
    """The standard form is triangular: each further class needs one axis more."""
    whitening = SquaredWhitening(np.eye(9)[:, :0], np.zeros(0), 1.0)
    centers = fisher_axes(whitening, np.ones(5), simplex(5, 9, rng)).centers
    np.testing.assert_allclose(np.triu(centers[:4], 1), np.zeros((4, 4)), atol=1e-12)


def test_axes_follow_from_inner_products_alone(problem):
    roots = np.sqrt(problem.counts)[:, None]
    whitening = problem.whitening("truncated", 6)
    contrasts = whitening.apply(roots * problem.means)
    found = axes_of(contrasts, contrasts @ (roots * problem.means).T, problem.counts)
    np.testing.assert_array_equal(found.axes, problem.axes("truncated", 6).axes)


# ------------------------------------------------------------------ rules for many classes


@pytest.fixture
def coordinates(problem):
    axes = problem.axes("truncated", 6)
    return centred(problem) @ axes.axes, axes.centers


def test_covariance_inside_is_pooled_around_the_centers(problem, coordinates, rng):
    Z, centers = coordinates
    weights = rng.uniform(0.5, 2.0, size=len(Z))
    expected = sum(
        w * np.outer(z - centers[c], z - centers[c])
        for z, c, w in zip(Z, problem.codes, weights, strict=True)
    )
    found = covariance_inside(Z, problem.codes, weights, centers)
    np.testing.assert_allclose(found, expected / weights.sum(), rtol=1e-10, atol=1e-12)


def test_scores_are_those_of_linear_discriminant_analysis(problem, coordinates):
    Z, centers = coordinates
    priors = problem.counts / problem.counts.sum()
    within = covariance_inside(Z, problem.codes, np.ones(len(Z)), centers)
    rule = choose_between(centers, within, np.log(priors))
    expected = fisher.discriminants(Z, problem.codes, np.eye(3), priors).scores(Z)
    np.testing.assert_allclose(Z @ rule.slopes + rule.offsets, expected, rtol=1e-7, atol=1e-7)


def test_differences_of_scores_are_log_odds_of_normal_classes(rng):
    centers = rng.normal(size=(3, 2))
    root = rng.normal(size=(2, 2))
    within, priors = root @ root.T + np.eye(2), np.array([0.2, 0.3, 0.5])
    rule = choose_between(centers, within, np.log(priors))
    z = rng.normal(size=2)
    densities = [np.exp(-0.5 * (z - c) @ np.linalg.solve(within, z - c)) for c in centers]
    expected = np.log(priors * densities)
    scores = z @ rule.slopes + rule.offsets
    np.testing.assert_allclose(scores - scores[0], expected - expected[0], rtol=1e-10)


def test_two_classes_have_one_score_that_is_zero_at_the_threshold():
    rule = choose_between(np.array([[-1.0], [2.0]]), np.array([[0.5]]), np.log([0.3, 0.7]))
    assert rule.slopes.shape == (1, 1)
    score = rule.threshold * rule.slopes[0, 0] + rule.offsets[0]
    assert score == pytest.approx(0.0, abs=1e-12)


def test_score_of_two_classes_is_the_log_odds_of_the_second():
    rule = choose_between(np.array([[-1.0], [2.0]]), np.array([[0.5]]), np.log([0.3, 0.7]))
    z = 0.4
    expected = np.log(0.7 / 0.3) + ((z + 1.0) ** 2 - (z - 2.0) ** 2) / (2 * 0.5)
    assert z * rule.slopes[0, 0] + rule.offsets[0] == pytest.approx(expected, rel=1e-12)


def test_equal_priors_put_the_threshold_half_way():
    rule = choose_between(np.array([[-1.0], [2.0]]), np.array([[0.5]]), np.log([0.5, 0.5]))
    assert rule.threshold == pytest.approx(0.5, rel=1e-12)


def test_several_classes_have_no_threshold(rng):
    rule = choose_between(rng.normal(size=(3, 2)), np.eye(2), np.log([0.2, 0.3, 0.5]))
    assert np.isnan(rule.threshold)


def test_classes_without_spread_have_finite_scores_that_tell_them_apart(rng):
    centers = rng.normal(size=(4, 3))
    rule = choose_between(centers, np.zeros((3, 3)), np.log(np.full(4, 0.25)))
    scores = centers @ rule.slopes + rule.offsets
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(scores.argmax(axis=1), np.arange(4))


def test_classes_without_spread_along_one_axis_have_finite_scores(rng):
    centers = rng.normal(size=(4, 3))
    within = np.diag([1.0, 0.0, 2.0])
    rule = choose_between(centers, within, np.log(np.full(4, 0.25)))
    assert np.isfinite(centers @ rule.slopes + rule.offsets).all()


def test_spread_that_is_rounding_below_zero_does_no_harm(rng):
    centers = rng.normal(size=(4, 3))
    rule = choose_between(centers, -1e-18 * np.eye(3), np.log(np.full(4, 0.25)))
    scores = centers @ rule.slopes + rule.offsets
    np.testing.assert_array_equal(scores.argmax(axis=1), np.arange(4))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_without_axes_are_told_apart_by_their_priors_alone(n_classes):
    priors = np.arange(1.0, n_classes + 1.0) / np.arange(1.0, n_classes + 1.0).sum()
    rule = choose_between(np.zeros((n_classes, 0)), np.zeros((0, 0)), np.log(priors))
    expected = np.log(priors) if n_classes > 2 else [np.log(priors[1] / priors[0])]
    np.testing.assert_allclose(rule.offsets, expected, rtol=1e-12)
    assert np.isnan(rule.threshold)


# ------------------------------------------------------------------ rules for two classes


@pytest.fixture
def projected(rng):
    """Values of two classes that overlap."""
    is_positive = np.arange(40) % 3 == 0
    return rng.normal(size=40) + 2.0 * is_positive, is_positive, rng.uniform(0.5, 2.0, size=40)


@pytest.mark.parametrize("rule", ["inclusive", "strict", "balanced", "mahalanobis"])
def test_two_classes_are_cut_where_the_twin_cuts_them(projected, rule):
    values, is_positive, weights = projected
    expected = thresholds.threshold(rule, values, is_positive, weights, 0.99)
    found = cut_line(Line(values, is_positive, weights), rule, 0.99)
    assert found.threshold == pytest.approx(expected, rel=1e-10)


def test_slope_is_the_distance_of_the_means_over_the_pooled_variance(projected):
    values, is_positive, weights = projected
    means = [np.average(values[m], weights=weights[m]) for m in (~is_positive, is_positive)]
    pooled = np.average((values - np.where(is_positive, means[1], means[0])) ** 2, weights=weights)
    found = cut_line(Line(values, is_positive, weights), "mahalanobis", 0.99)
    assert found.slopes[0, 0] == pytest.approx((means[1] - means[0]) / pooled, rel=1e-10)


def test_score_is_zero_at_the_cut():
    rule = cut_at(0.7, 3.0, 1.5)
    assert 0.7 * rule.slopes[0, 0] + rule.offsets[0] == pytest.approx(0.0, abs=1e-15)


def test_piled_classes_have_a_finite_slope():
    rule = cut_at(0.5, 1.0, 0.0)
    assert np.isfinite(rule.slopes).all()
    assert rule.slopes[0, 0] > 1e6


def test_piled_classes_are_cut_half_way_with_finite_scores():
    values = np.repeat([0.0, 1.0], 5)
    rule = cut_line(Line(values, values == 1.0, np.ones(10)), "mahalanobis", 0.99)
    assert rule.threshold == pytest.approx(0.5)
    assert np.isfinite(values * rule.slopes[0, 0] + rule.offsets[0]).all()
