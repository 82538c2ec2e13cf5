"""When clusters are parted and when they are one, against sums over the samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centroidal.solvers.mixtures import inside_chi2, inside_three_sigma, split_gains
from centroidal.statistics import Spectrum, class_moments
from tests.reference import x_means as reference

laws = settings(deadline=None, max_examples=25, derandomize=True)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_samples=st.integers(4, 30),
    n_features=st.integers(1, 5),
    distance=st.sampled_from([0.0, 1.0, 4.0, 20.0]),
)
@laws
def test_gain_is_the_difference_of_the_criterion(seed, n_samples, n_features, distance):
    rng = np.random.default_rng(seed)
    halves = np.arange(n_samples, dtype=np.int32) % 3 % 2
    X = rng.normal(size=(n_samples, n_features)) + distance * halves[:, None]
    expected = reference.bic(X, halves) - reference.bic(X, np.zeros_like(halves))
    assert split_gains(class_moments(X, halves, 2))[0] == pytest.approx(expected, rel=1e-9)


def test_gains_of_several_clusters_are_found_at_once(rng):
    X, halves = rng.normal(size=(40, 3)), np.arange(40, dtype=np.int32) % 4
    X[halves == 3] += 6.0
    gains = split_gains(class_moments(X, halves, 4))
    for cluster in (0, 1):
        rows = halves // 2 == cluster
        alone = split_gains(class_moments(X[rows], halves[rows] % 2, 2))
        assert gains[cluster] == pytest.approx(alone[0], rel=1e-10)
    assert gains[1] > 0 > gains[0]


@pytest.mark.parametrize(
    ("X", "halves"),
    [
        ([[1.0], [2.0]], [0, 1]),
        ([[1.0], [1.0], [1.0]], [0, 1, 1]),
        ([[1.0], [2.0], [3.0]], [0, 0, 0]),
    ],
    ids=["too few samples", "equal points", "empty half"],
)
def test_cluster_that_cannot_be_parted_gains_nothing(X, halves):
    moments = class_moments(np.array(X), np.array(halves, dtype=np.int32), 2)
    assert split_gains(moments)[0] == -np.inf


def test_halves_of_one_point_each_gain_everything():
    X, halves = np.array([[0.0], [0.0], [5.0], [5.0]]), np.array([0, 0, 1, 1], dtype=np.int32)
    assert split_gains(class_moments(X, halves, 2))[0] == np.inf


@given(seed=st.integers(0, 2**32 - 1), distance=st.floats(0.1, 12.0))
@laws
def test_three_sigma_rule_is_that_of_the_definition(seed, distance):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 3)) * [1.0, 2.0, 3.0]
    gap = distance * rng.normal(size=3)
    covariance = np.cov(X.T, bias=True)
    expected = reference.is_inside(np.zeros(3), covariance, gap, "three_sigma")
    assert inside_three_sigma(gap @ gap, gap @ covariance @ gap) == expected


@given(seed=st.integers(0, 2**32 - 1), distance=st.floats(0.1, 12.0))
@laws
def test_chi2_rule_is_that_of_the_definition(seed, distance):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 3)) * [1.0, 2.0, 3.0]
    X -= X.mean(axis=0)
    gap = distance * rng.normal(size=3)
    values, vectors = np.linalg.eigh(X.T @ X)
    spectrum = Spectrum(values[::-1], vectors[:, ::-1], values.sum())
    covariance = X.T @ X / 20 + 0.1 * np.eye(3)
    expected = reference.is_inside(np.zeros(3), covariance, gap, "chi2")
    assert inside_chi2(gap[None], spectrum, 20, 0.1)[0] == expected


def test_cluster_of_one_point_contains_itself_only():
    nothing = Spectrum.empty(2)
    gaps = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert inside_chi2(gaps, nothing, 1, 0.0).tolist() == [True, False]
    assert inside_three_sigma(np.array([0.0, 1.0]), np.zeros(2)).tolist() == [True, False]
