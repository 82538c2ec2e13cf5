"""Distances from classes and sizes of rows, as factors of what is usual."""

import numpy as np
import pytest
from scipy import sparse

from centroidal.solvers.outliers import ClassReference, Usual
from centroidal.statistics import class_moments


@pytest.fixture
def samples():
    rng = np.random.default_rng(0)
    codes = np.arange(40) % 2
    X = rng.normal(3.0, 1.0, (40, 5)) + codes[:, None]
    return np.where(X > 3.5, X, 0.0), codes


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_lengths_are_root_mean_squares_in_units_of_spread(samples, layout):
    X, codes = samples
    reference = ClassReference.of(class_moments(layout(X), codes, 2))
    means = np.array([X[codes == c].mean(axis=0) for c in range(2)])
    spreads = np.sqrt(((X - means[codes]) ** 2).mean(axis=0))
    distances, sizes = reference.measure(layout(X))
    for c in range(2):
        expected = np.sqrt((((X - means[c]) / spreads) ** 2).mean(axis=1))
        np.testing.assert_allclose(distances[:, c], expected, rtol=1e-10)
    np.testing.assert_allclose(
        sizes[:, 0], np.sqrt(((X / spreads) ** 2).mean(axis=1)), rtol=1e-9, atol=1e-7
    )


def test_features_that_do_not_vary_are_measured_by_what_there_is():
    X = np.array([[0.0, 1.0, 7.0], [0.0, 2.0, 7.0], [4.0, 1.0, 7.0], [4.0, 2.0, 7.0]])
    reference = ClassReference.of(class_moments(X, np.array([0, 0, 1, 1]), 2))
    assert reference.spreads.tolist() == [2.0, 0.5, 1.0]


def test_factor_is_the_larger_of_both_ways_to_be_unusual():
    usual = Usual.of(np.array([1.0, 2.0, 3.0]), np.array([10.0, 10.0, 12.0]))
    assert usual == (2.0, 10.0)
    distances, sizes = np.array([[2.0, 8.0], [1.0, 2.0], [2.0, 2.0]]), np.array([[10.0], [50], [1]])
    expected = [[1.0, 4.0], [5.15 / 1.15, 5.15 / 1.15], [1.15 / 0.25, 1.15 / 0.25]]
    np.testing.assert_allclose(usual.outlyingness(distances, sizes), expected)


def test_rows_of_zeros_are_several_times_too_small_and_less_so_than_ten_times_too_large():
    usual = Usual(1.0, 3.0)
    found = usual.outlyingness(np.ones((1, 2)), np.zeros((1, 1)))
    np.testing.assert_allclose(found, 1.15 / 0.15)
    assert usual.outlyingness(np.ones((1, 2)), np.full((1, 1), 30.0)).min() > found.max()


def test_anything_is_far_where_nothing_varies():
    usual = Usual(0.0, 0.0)
    assert usual.outlyingness(np.zeros((1, 2)), np.zeros((1, 1))).min() >= 1.0
    assert usual.outlyingness(np.full((1, 2), 1e-3), np.zeros((1, 1))).min() > 1e100
