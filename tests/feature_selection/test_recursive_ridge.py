"""Recursive elimination by ridge regression: exactness, laws, copies, bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from centroidal import RecursiveRidgeSelector
from tests.reference.recursive_ridge import recursive_ridge


@pytest.fixture
def samples(rng):
    """Three classes of different sizes that a few features tell apart."""
    y = np.repeat(["a", "b", "c"], [20, 15, 10])
    X = rng.normal(size=(45, 400)) * rng.uniform(0.1, 10.0, size=400) + 3.0
    X[y == "b", :3] *= 2.0
    X[y == "c", 3:6] += X[:, 3:6].std(axis=0) * 2.0
    return X, y


@pytest.mark.parametrize("n_features", [30, 130, 400])
def test_ranking_is_that_of_solving_every_problem_anew(samples, n_features):
    X, y = samples
    found = RecursiveRidgeSelector().fit(X[:, :n_features], y)
    expected = recursive_ridge(X[:, :n_features], y, 10.0)
    assert found.feature_ranking_.tolist() == expected


def test_with_fewer_features_than_samples_halves_are_those_of_the_reference(rng):
    X = rng.normal(size=(300, 200))
    y = np.arange(300) % 2
    X[:, :5] += 0.5 * y[:, None]
    found = RecursiveRidgeSelector(alpha=1.0).fit(X, y)
    assert found.feature_ranking_.tolist() == recursive_ridge(X, y, 1.0)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_sparse_samples_give_the_same_ranking(samples, kind):
    X, y = samples
    X = np.where(np.abs(X) > 3.0, X, 0.0)
    dense, thin = (RecursiveRidgeSelector().fit(each, y) for each in (X, kind(X)))
    assert dense.feature_ranking_.tolist() == thin.feature_ranking_.tolist()
    np.testing.assert_allclose(dense.scores_, thin.scores_, rtol=1e-6)


def test_threads_do_not_change_the_result(rng):
    X, y = rng.normal(size=(20, 9000)), np.arange(20) % 2
    alone, together = (RecursiveRidgeSelector(n_jobs=n_jobs).fit(X, y) for n_jobs in (None, 3))
    np.testing.assert_array_equal(alone.scores_, together.scores_)
    np.testing.assert_array_equal(alone.feature_ranking_, together.feature_ranking_)


def test_weights_are_copies(samples, rng):
    X, y = samples
    weights = np.r_[1, rng.integers(1, 4, y.size - 1)]
    weighted = RecursiveRidgeSelector().fit(X, y, weights)
    copied = RecursiveRidgeSelector().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.feature_ranking_.tolist() == copied.feature_ranking_.tolist()


def test_units_and_origins_of_features_do_not_matter(samples, rng):
    X, y = samples
    other = X * rng.uniform(0.01, 100.0, size=400) + rng.normal(size=400)
    first, second = (RecursiveRidgeSelector().fit(each, y) for each in (X, other))
    assert first.feature_ranking_.tolist() == second.feature_ranking_.tolist()


def test_of_ten_copies_one_stays_beside_the_feature_that_complements_them(rng):
    y = np.arange(240) % 3
    strong = (y == 0) + 0.3 * rng.normal(size=240)
    weak = (y == 1) + 0.6 * rng.normal(size=240)
    X = np.column_stack([*[strong] * 10, weak])
    assert RecursiveRidgeSelector(2).fit(X, y).get_support(indices=True).tolist() == [0, 10]


def test_a_constant_feature_comes_last_and_is_not_kept(samples):
    X, y = samples
    X[:, 7] = 5.0
    found = RecursiveRidgeSelector().fit(X, y)
    assert found.feature_ranking_[-1] == 7
    assert found.get_support(indices=True).tolist() == [j for j in range(400) if j != 7]


def test_names_of_features_are_kept(samples):
    X, y = samples
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(400)])
    found = RecursiveRidgeSelector(3).fit(frame, y)
    assert found.get_feature_names_out().tolist() == [
        f"g{j}" for j in np.flatnonzero(found.support_)
    ]


@pytest.mark.parametrize("alpha", [0.0, -1.0, float("nan"), float("inf")])
def test_a_penalty_must_be_a_positive_number(samples, alpha):
    with pytest.raises(ValueError, match="alpha"):
        RecursiveRidgeSelector(alpha=alpha).fit(*samples)


def test_a_penalty_that_is_no_number_is_refused(samples):
    with pytest.raises(TypeError, match="alpha='strong'"):
        RecursiveRidgeSelector(alpha="strong").fit(*samples)


def test_a_penalty_that_is_lost_in_rounding_is_refused(samples):
    X, y = samples
    with pytest.raises(ValueError, match="alpha=1e-300 must be larger"):
        RecursiveRidgeSelector(alpha=1e-300).fit(np.repeat(X[:, :40], 10, axis=1), y)
