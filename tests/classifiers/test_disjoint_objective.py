"""Equation (1) of nearest disjoint centroids, by itself."""

import numpy as np
import pytest
from scipy import sparse

from centroidal.classifiers import disjoint_objective

LABELS = np.array(["b", "a", "c"])


def objective_by_loops(X, y, groups, weights, is_normalized):
    """Add up what each sample pays, a sample and a feature at a time."""
    total = 0.0
    for label, group in zip(np.unique(y), groups, strict=True):
        of_class = y == label
        for i in np.flatnonzero(group):
            center = np.average(X[of_class, i], weights=weights[of_class])
            for value, weight in zip(X[of_class, i], weights[of_class], strict=True):
                share = 1.0 / group.sum() if is_normalized else 1.0
                total += weight * share * (value - center) ** 2
    return total


@pytest.fixture
def samples(rng):
    groups = rng.random((3, 7)) < 0.5
    groups[:, :3] |= np.eye(3, dtype=bool)
    return rng.normal(size=(31, 7)), LABELS[rng.integers(0, 3, 31)], groups


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("norm", ["normalized", "euclidean"])
@pytest.mark.parametrize("is_weighted", [True, False])
def test_objective_is_what_all_samples_pay(samples, rng, store, norm, is_weighted):
    X, y, groups = samples
    weights = rng.uniform(0.5, 2.0, 31) if is_weighted else np.ones(31)
    found = disjoint_objective(
        store(X), y, groups, norm=norm, sample_weight=weights if is_weighted else None
    )
    expected = objective_by_loops(X, y, groups, weights, norm == "normalized")
    assert found == pytest.approx(expected, rel=1e-12)


def test_copies_are_weights_and_a_shift_of_a_feature_changes_nothing(samples, rng):
    X, y, groups = samples
    times = rng.integers(1, 4, 31)
    copies = np.repeat(np.arange(31), times)
    expected = disjoint_objective(X, y, groups, sample_weight=times)
    assert disjoint_objective(X[copies], y[copies], groups) == pytest.approx(expected, rel=1e-12)
    shifted = X + rng.normal(size=7)
    found = disjoint_objective(shifted, y, groups, sample_weight=times)
    assert found == pytest.approx(expected, rel=1e-10)


def test_groups_must_be_bools_of_every_class_and_feature(samples):
    X, y, groups = samples
    for wrong in (groups.astype(int), groups[:2], groups[:, 1:], groups.T):
        with pytest.raises(ValueError, match=r"^groups of shape .* must be of shape \(3, 7\) and"):
            disjoint_objective(X, y, wrong)


def test_class_without_a_feature_is_an_error(samples):
    X, y, groups = samples
    groups[1] = False
    with pytest.raises(ValueError, match="^groups must give each class a feature"):
        disjoint_objective(X, y, groups)


def test_norm_is_one_of_two(samples):
    with pytest.raises(ValueError, match="norm='max' must be"):
        disjoint_objective(*samples, norm="max")


def test_infinite_samples_are_an_error(samples):
    X, y, groups = samples
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        disjoint_objective(X, y, groups)
