"""From distances to probabilities, against a search for the lowest loss."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ncx2
from sklearn.linear_model import LogisticRegression

from centroidal.solvers.disjoint_centroids import (
    group_distances,
    slope_from_distances,
    slope_from_moments,
)
from centroidal.statistics import ClassMoments, class_moments
from tests.reference import disjoint_centroids as reference

laws = settings(deadline=None, max_examples=25, derandomize=True)


def make_distances(rng, n_samples, n_classes, lead=1.0):
    """Distances of which the own one is shorter on average."""
    codes = np.arange(n_samples) % n_classes
    distances = rng.chisquare(4, size=(n_samples, n_classes))
    distances[np.arange(n_samples), codes] *= np.exp(-lead)
    return distances, codes, rng.integers(1, 5, size=n_samples) / 2


@pytest.fixture
def samples(rng):
    return make_distances(rng, 40, 3)


# ------------------------------------------------------------------ from distances


@given(
    seed=st.integers(0, 2**32 - 1),
    n_samples=st.integers(4, 30),
    n_classes=st.integers(2, 4),
    lead=st.sampled_from([0.0, 0.5, 2.0]),
)
@laws
def test_slope_is_that_of_the_lowest_loss(seed, n_samples, n_classes, lead):
    distances, codes, weights = make_distances(
        np.random.default_rng(seed), n_samples, n_classes, lead
    )
    found = slope_from_distances(distances, codes, weights)
    assert found == pytest.approx(reference.slope(distances, codes, weights), rel=1e-5, abs=1e-6)


def test_slope_of_two_classes_is_that_of_a_logistic_regression_without_intercept(rng):
    distances, codes, weights = make_distances(rng, 60, 2)
    unit = reference.distance_unit(distances, weights)
    gaps = (distances[:, 0] - distances[:, 1])[:, None] / unit
    model = LogisticRegression(fit_intercept=False, tol=1e-10).fit(gaps, codes, weights)
    expected = model.coef_[0, 0] / unit
    assert slope_from_distances(distances, codes, weights) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("step", [0.0, 1.0, 0.1], ids=["zeros", "integers", "tenths"])
def test_equal_distances_have_no_slope(samples, step):
    distances, codes, weights = samples
    distances[:] = step * np.arange(40)[:, None]
    assert slope_from_distances(distances, codes, weights) == 0.0


def test_distances_that_point_to_the_other_classes_have_no_slope(samples):
    distances, codes, weights = samples
    assert slope_from_distances(-distances, codes, weights) == 0.0


@pytest.mark.parametrize("gap", [1e-12, 1.0, 1e12])
def test_slope_is_finite_where_every_sample_is_nearest_to_its_own_center(rng, gap):
    codes = np.arange(30) % 3
    distances = gap * (1.0 + rng.random((30, 3)))
    distances[np.arange(30), codes] = 0.0
    found = slope_from_distances(distances, codes, np.ones(30))
    assert 1.0 < found * gap < 100.0


@pytest.mark.parametrize("weight", [1e-6, 1.0, 1e6, 1e18])
def test_slope_is_finite_however_much_a_sample_weighs(weight):
    """Against one that is far from the other center, the gaps of the other samples are tiny."""
    codes = np.arange(20) % 2
    distances = 1.0 - np.eye(2)[codes]
    distances[0, 1] = 1e9
    assert 0.0 < slope_from_distances(distances, codes, np.full(20, weight)) < np.inf


def test_unit_of_the_distances_is_that_of_the_slope(samples):
    distances, codes, weights = samples
    expected = slope_from_distances(distances, codes, weights) / 7.0
    assert slope_from_distances(7.0 * distances, codes, weights) == pytest.approx(
        expected, rel=1e-9
    )


def test_what_a_sample_adds_to_all_its_distances_does_not_matter(samples, rng):
    distances, codes, weights = samples
    raised = distances + 100.0 * rng.random((40, 1))
    expected = slope_from_distances(distances, codes, weights)
    assert slope_from_distances(raised, codes, weights) == pytest.approx(expected, rel=1e-9)


def test_integer_weights_are_repeats(samples):
    distances, codes, weights = samples
    order = np.repeat(np.arange(40), (2 * weights).astype(int))
    expected = slope_from_distances(distances[order], codes[order], np.ones(order.size))
    assert slope_from_distances(distances, codes, 2 * weights) == pytest.approx(expected, rel=1e-9)


def test_distances_are_left_as_they_were(samples):
    distances, codes, weights = samples
    before = distances.copy()
    slope_from_distances(distances, codes, weights)
    np.testing.assert_array_equal(distances, before)


# ------------------------------------------------------------------ from moments


@pytest.fixture
def moments(rng):
    means, squares = rng.normal(size=(3, 6)), rng.uniform(0.5, 2.0, size=(3, 6))
    counts = np.array([10.0, 20.0, 5.0])
    return ClassMoments(counts, means, squares * counts[:, None])


@pytest.fixture
def thirds():
    """Two features for each of three classes."""
    return np.repeat(np.eye(3, dtype=bool), 2, axis=1)


def distance_moments(moments, groups, scale, h, c):
    """Mean and variance of the distance of a sample of class `h` to the center of `c`."""
    mean = variance = 0.0
    for i in np.flatnonzero(groups[c]):
        own = moments.squares[h, i] / moments.counts[h]
        share = own / scale[i] ** 2 / groups[c].sum()
        square = ncx2(1, (moments.means[h, i] - moments.means[c, i]) ** 2 / own)
        mean += share * square.mean()
        variance += share**2 * square.var()
    return mean, variance


def test_slope_from_moments_is_that_of_normal_differences(moments, thirds, rng):
    scale = rng.uniform(0.5, 2.0, size=6)
    leads, noises = [], []
    for h in range(3):
        for c in {0, 1, 2} - {h}:
            own, other = (distance_moments(moments, thirds, scale, h, j) for j in (h, c))
            leads.append(other[0] - own[0])
            noises.append(other[1] + own[1])
    # The means of a difference in its two classes are twice the mean lead apart.
    expected = 2.0 * np.mean(leads) / np.mean(noises)
    assert slope_from_moments(moments, thirds, scale) == pytest.approx(expected, rel=1e-10)


def test_slopes_from_moments_and_from_distances_agree_on_independent_normal_features(rng):
    codes = (np.arange(2000) % 3).astype(np.int32)
    groups = np.repeat(np.eye(3, dtype=bool), 40, axis=1)
    X = rng.normal(size=(2000, 120)) * np.where(groups[codes], 0.9, 1.0)
    moments = class_moments(X, codes, 3)
    distances = group_distances(X, moments.means, groups, np.ones(120))
    fitted = slope_from_distances(distances, codes, np.ones(2000))
    assert slope_from_moments(moments, groups, np.ones(120)) == pytest.approx(fitted, rel=0.1)


def test_units_of_the_features_do_not_matter_if_they_are_divided_by_them(moments, thirds, rng):
    units = rng.uniform(0.1, 10.0, size=6)
    stretched = ClassMoments(moments.counts, moments.means * units, moments.squares * units**2)
    expected = slope_from_moments(moments, thirds, np.ones(6))
    assert slope_from_moments(stretched, thirds, units) == pytest.approx(expected, rel=1e-10)


def test_classes_with_equal_moments_have_no_slope(thirds):
    equal = ClassMoments(np.full(3, 4.0), np.ones((3, 6)), np.full((3, 6), 8.0))
    assert slope_from_moments(equal, thirds, np.ones(6)) == 0.0


def test_groups_that_point_to_the_other_classes_have_no_slope(thirds):
    squares = np.where(thirds, 8.0, 4.0)
    steady_elsewhere = ClassMoments(np.full(3, 4.0), np.ones((3, 6)), squares)
    assert slope_from_moments(steady_elsewhere, thirds, np.ones(6)) == 0.0


def test_classes_of_one_point_each_have_an_infinite_slope(moments, thirds):
    points = ClassMoments(np.ones(3), moments.means, np.zeros((3, 6)))
    assert slope_from_moments(points, thirds, np.ones(6)) == np.inf


def test_class_alone_has_no_slope(moments):
    alone = moments.take_classes(np.array([1]))
    assert slope_from_moments(alone, np.ones((1, 6), dtype=bool), np.ones(6)) == 0.0
