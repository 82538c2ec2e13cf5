"""What goes together in many features: the share of a sample that is explained, and its size."""

import numpy as np
import pytest
from scipy import sparse

from centroidal.solvers import background
from centroidal.solvers.background import Background, UsualBackground


@pytest.fixture
def samples():
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 30))
    X = 5.0 + mixed + 0.5 * rng.normal(size=mixed.shape)
    X[:, 7] = 2.0  # does not vary
    return np.where(X > 3.0, X, 0.0)


def slow_measures(X, train, n_directions):
    """Share explained by a plain singular value decomposition, and size, of each row."""
    columns = np.flatnonzero(X[train].std(axis=0) > 0.0)
    means, spreads = X[np.ix_(train, columns)].mean(axis=0), X[np.ix_(train, columns)].std(axis=0)
    Z = np.clip((X[:, columns] - means) / spreads, -4.0, 4.0)
    directions = np.linalg.svd(Z[train], full_matrices=False)[2][:n_directions]
    shares = [sum((z @ v) ** 2 for v in directions) / (z @ z) for z in Z]
    sizes = [np.sqrt(np.mean((x / spreads) ** 2)) for x in X[:, columns]]
    return np.column_stack([shares, sizes])


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("n_directions", [3, 20])
def test_measures_are_those_of_a_plain_decomposition(samples, layout, n_directions, monkeypatch):
    monkeypatch.setattr(background, "_MOST_DIRECTIONS", n_directions)
    monkeypatch.setattr(background, "_FEATURES_PER_DIRECTION", 1)
    X, train = layout(samples), np.arange(40)
    found = Background.of(X, train)
    assert found.columns.tolist() == [j for j in range(30) if j != 7]
    assert found.directions.shape == (29, n_directions)
    expected = slow_measures(samples, train, n_directions)
    np.testing.assert_allclose(found.measure(X[:, found.columns]), expected, rtol=1e-5)


def test_noise_is_hardly_explained_and_samples_are(samples):
    found, rng = Background.of(samples, np.arange(40)), np.random.default_rng(1)
    noise = rng.normal(samples.mean(axis=0), samples.std(axis=0), samples.shape)
    new, other = (found.measure(X[40:, found.columns])[:, 0] for X in (samples, noise))
    assert found.directions.shape == (29, 3)
    assert np.quantile(new, 0.1) > np.quantile(other, 0.9)


def test_of_many_features_some_are_looked_at_evenly_spaced(samples, monkeypatch):
    monkeypatch.setattr(background, "_MOST_FEATURES", 4)
    assert Background.of(samples, np.arange(60)).columns.tolist() == [0, 10, 19, 29]


def test_rows_that_do_not_vary_have_no_background():
    assert Background.of(np.ones((5, 3)), np.arange(5)) is None


def test_a_tenth_of_the_features_may_be_missing(samples):
    found = Background.of(samples, np.arange(40))
    less = found.without([3, 5])
    assert less.columns.tolist() == [j for j in range(30) if j not in (3, 5, 7)]
    assert found.without([1, 2, 3]) is None
    some = samples[40:].copy()
    some[:, [3, 5]] = found.means[found.columns.searchsorted([3, 5])]
    shares = (each.measure(some[:, each.columns])[:, 0] for each in (found, less))
    np.testing.assert_allclose(*shares, rtol=1e-5)


def test_missing_values_count_as_the_mean(samples):
    found = Background.of(samples, np.arange(40))
    X = samples[:3, found.columns].copy()
    X[0, :5], filled = np.nan, X.copy()
    filled[0, :5] = found.means[:5]
    X[1], filled[1] = np.nan, found.means
    np.testing.assert_allclose(found.measure(X), found.measure(filled), rtol=1e-12)
    assert found.measure(X)[1, 0] == 1.0


def test_factors_of_a_background_count_half_as_much_as_the_others():
    rng = np.random.default_rng(0)
    measured = np.column_stack([rng.uniform(0.1, 0.9, 50), rng.lognormal(size=50)])
    alone = np.exp(rng.exponential(size=50))
    usual = UsualBackground.of(measured, alone)
    logs = np.log(usual.factors(measured) ** usual.powers).mean(axis=0)
    np.testing.assert_allclose(logs, 0.5 * np.log(alone).mean())
    expected = np.maximum(alone, usual.unusual(measured))
    np.testing.assert_array_equal(usual.outlyingness, expected)


def test_a_row_that_is_a_little_larger_is_nothing_unusual():
    sizes = 1.0 + 1e-3 * np.random.default_rng(0).normal(size=50)
    measured = np.column_stack([np.full(50, 0.5), sizes])
    usual = UsualBackground.of(measured, np.full(50, 1.5))
    larger, ten_times = usual.unusual(np.array([[0.5, 1.05], [0.5, 10.0]]))
    assert larger < 1.2
    assert ten_times > 10.0
