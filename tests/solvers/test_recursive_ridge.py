"""Recursive elimination: what each feature is worth, and which of equal ones stays."""

import numpy as np

from centroidal.solvers.recursive_ridge import class_targets, rank_by_elimination
from centroidal.statistics.residuals import residuals
from tests.reference.recursive_ridge import ridge


def pose(rng, n_samples, n_features):
    codes = np.arange(n_samples) % 3
    X = rng.normal(size=(n_samples, n_features)) + codes[:, None] * (np.arange(n_features) < 2)
    X -= X.mean(axis=0)
    rows = residuals(X, np.zeros_like(codes), np.zeros((1, n_features)))
    return X, rows, class_targets(np.bincount(codes).astype(float))[codes]


def test_targets_have_mean_zero_and_the_same_share_of_each_class():
    counts = np.array([10.0, 30.0, 60.0])
    targets = class_targets(counts)
    np.testing.assert_allclose(counts @ targets, 0.0, atol=1e-12)
    own = targets.diagonal() - np.array([targets[1, 0], targets[0, 1], targets[0, 2]])
    np.testing.assert_allclose(own**2 * counts, 100.0)


def test_the_last_worths_are_rises_of_the_optimum(rng):
    X, rows, targets = pose(rng, 30, 6)
    ranking, worths = rank_by_elimination(rows, targets, 3.0)
    rises = []
    for size in range(6, 0, -1):  # the penalty falls with the number of features
        optima = [ridge(X[:, ranking[:k]], targets, 3.0 * size / 64)[1] for k in (size, size - 1)]
        rises.append(optima[1] - optima[0])
    np.testing.assert_allclose(worths[ranking[::-1]], np.maximum.accumulate(rises), rtol=1e-8)


def test_worths_of_halves_are_at_most_the_rise_of_leaving_one_out(rng):
    X, rows, targets = pose(rng, 20, 300)
    ranking, worths = rank_by_elimination(rows, targets, 50.0)
    optimum = ridge(X, targets, 50.0)[1]
    worst = ranking[-1]
    others = np.delete(np.arange(300), worst)
    rise = ridge(X[:, others], targets, 50.0)[1] - optimum
    assert 0.0 < worths[worst] <= rise * (1 + 1e-9)


def test_worths_fall_along_the_ranking(rng):
    for shape in ((20, 300), (200, 150), (30, 40)):
        _, rows, targets = pose(rng, *shape)
        ranking, worths = rank_by_elimination(rows, targets, 10.0)
        assert sorted(ranking.tolist()) == list(range(shape[1]))
        assert (np.diff(worths[ranking]) <= 0).all()
