import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centroidal.solvers.ranking import ROUNDING, rank_features, scaled_errors
from tests import reference

laws = settings(deadline=None, max_examples=100, derandomize=True)
sixteenths = st.integers(-32, 32).map(lambda v: v / 16)  # exact, so that both sides agree
interval = st.tuples(sixteenths, sixteenths.map(abs))
intervals = st.lists(interval, min_size=1, max_size=20, unique_by=lambda each: each[0])


@given(drawn=intervals)
@laws
def test_ranking_is_that_of_the_definition(drawn):
    scores, errors = np.array(drawn).T
    expected = reference.rank_features(scores.tolist(), errors.tolist())
    assert rank_features(scores, errors).tolist() == expected


@given(drawn=intervals)
@laws
def test_no_feature_comes_before_one_that_is_surely_better(drawn):
    scores, errors = np.array(drawn).T
    ranking = rank_features(scores, errors)
    assert sorted(ranking.tolist()) == list(range(scores.size))
    best = np.array([(scores - errors)[ranking[place:]].max() for place in range(scores.size)])
    assert (scores[ranking] + errors[ranking] >= best).all()


@given(
    places=st.lists(st.integers(-3, 3), min_size=1, max_size=30),
    seed=st.integers(0, 2**32 - 1),
)
@laws
def test_errors_within_the_bounds_do_not_change_the_ranking(places, seed):
    exact = np.array(places, dtype=float)
    rng = np.random.default_rng(seed)
    moved = exact + 1e-12 * rng.uniform(-1.0, 1.0, size=exact.size)
    expected = np.lexsort((np.arange(exact.size), -exact))
    np.testing.assert_array_equal(rank_features(moved, 1e-12), expected)


def test_score_that_is_hardly_known_makes_no_others_tie():
    scores, errors = np.array([0.0, 1.0, 0.9, 0.8]), np.array([0.0, 1e-9, 5.0, 1e-9])
    assert rank_features(scores, errors).tolist() == [1, 2, 3, 0]


def test_chain_of_close_scores_is_cut():
    scores = np.linspace(0.0, 1.0, 1001)
    ranking = rank_features(scores, 0.001)
    assert np.abs(scores[ranking] - scores[::-1]).max() <= 0.003


def test_errors_are_a_share_of_the_score_if_not_given():
    assert rank_features(np.array([1e9, 1e9 + 1e-6, 1e9 + 1.0])).tolist() == [2, 0, 1]
    assert rank_features(np.array([1e-9, 1e-9 + 1e-15])).tolist() == [1, 0]


def test_ties_go_by_the_given_order():
    scores = np.array([1.0, 2.0, 1.0, 1.0 + 1e-14])
    assert rank_features(scores, order=np.array([3, 2, 1, 0])).tolist() == [1, 3, 2, 0]


@pytest.mark.parametrize("errors", [None, 1.0])
def test_infinite_scores_are_equal_and_missing_ones_last(errors):
    scores = np.array([np.nan, -np.inf, 5.0, np.inf, 0.0, np.inf, np.nan])
    assert rank_features(scores, errors).tolist() == [3, 5, 2, 4, 0, 1, 6]


def test_scores_stay_as_they_are():
    scores = np.array([np.nan, 1.0])
    rank_features(scores)
    assert np.isnan(scores[0])


def test_estimated_scale_adds_to_the_error():
    errors = scaled_errors(np.array([6.0, 6.0]), np.array([1.0, 2.0]), np.array([4.0, 4.0]))
    np.testing.assert_allclose(errors, [6.0 * ROUNDING, 15.0 * ROUNDING])
