"""The jury against loops over matches and clusters."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centroidal.solvers.mixtures import find_exponent, judge
from tests.reference import jury as reference

laws = settings(deadline=None, max_examples=40, derandomize=True)


def all_matches(cluster_class):
    """Every two clusters of different classes, the later class first."""
    n_clusters = len(cluster_class)
    pairs = product(range(n_clusters), repeat=2)
    return np.array([(i, j) for i, j in pairs if cluster_class[i] > cluster_class[j]])


def winner(results, distances, matches, cluster_class, t):
    """Class of the most points, then of the largest distances, then the first."""
    scores = reference.class_scores(matches.tolist(), results, cluster_class, t)
    best = np.flatnonzero(scores > scores.max() - 1e-9)
    reach = reference.class_distances(matches.tolist(), distances, cluster_class)
    return best[np.argmax(np.round(reach[best], 9))]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [([4, 4], 3), ([1, 1], 2), ([3, 3], 2), ([2, 3], 2), ([3, 4], 3), ([2, 1], 2)],
)
def test_exponent_has_the_values_of_the_thesis(sizes, expected):
    assert find_exponent(np.array(sizes)) == expected


@given(sizes=st.lists(st.integers(1, 12), min_size=2, max_size=5))
@laws
def test_exponent_is_that_of_the_definition(sizes):
    assert find_exponent(np.array(sizes)) == reference.exponent(sizes)


@given(sizes=st.lists(st.integers(1, 8), min_size=2, max_size=2), lone=st.integers(0, 7))
@laws
def test_cluster_that_beats_all_decides_though_the_others_of_its_class_lose_all(sizes, lone):
    cluster_class = np.repeat([0, 1], sizes)
    matches = all_matches(cluster_class)
    lone %= sizes[1]
    distances = np.where(matches[:, 0] == sizes[0] + lone, 1.0, -1.0)
    t = find_exponent(np.array(sizes))
    assert judge(distances[None], matches, cluster_class, t).argmax() == 1


@pytest.mark.parametrize("sizes", [(2, 2), (2, 3), (3, 3), (1, 4)], ids=str)
def test_every_outcome_of_all_matches_is_decided_as_by_loops(sizes):
    cluster_class = np.repeat([0, 1], sizes)
    matches = all_matches(cluster_class)
    t = find_exponent(np.array(sizes))
    outcomes = np.array(list(product([-1.0, 1.0], repeat=len(matches))))
    found = judge(outcomes, matches, cluster_class, t).argmax(axis=1)
    expected = [winner(outcome, outcome, matches, cluster_class, t) for outcome in outcomes]
    np.testing.assert_array_equal(found, expected)


def test_two_teams_are_judged_by_the_sums_of_the_thesis(rng):
    matches = all_matches(np.repeat([0, 1], [4, 3]))
    for table in rng.choice([-1.0, 1.0], size=(40, 3, 4)):
        team_a, team_b = reference.two_teams(table, 3)
        scores = judge(table.reshape(1, -1), matches, np.repeat([0, 1], [4, 3]), 3)[0]
        if abs(team_a - team_b) > 1e-9:
            assert scores.argmax() == int(team_a > team_b)
            np.testing.assert_allclose(
                scores, np.array([team_b, team_a]) / (team_a + team_b), atol=1e-8
            )


@given(
    sizes=st.lists(st.integers(1, 3), min_size=2, max_size=4),
    seed=st.integers(0, 2**32 - 1),
)
@laws
def test_any_number_of_classes_is_decided_as_by_loops(sizes, seed):
    rng = np.random.default_rng(seed)
    cluster_class = np.repeat(np.arange(len(sizes)), sizes)
    matches = all_matches(cluster_class)
    t = find_exponent(np.array(sizes))
    distances = rng.normal(size=(10, len(matches)))
    found = judge(distances, matches, cluster_class, t).argmax(axis=1)
    expected = [winner(np.sign(d), d, matches, cluster_class, t) for d in distances]
    np.testing.assert_array_equal(found, expected)


def test_tie_goes_to_the_class_that_is_farther_on_its_side():
    cluster_class, matches = np.array([0, 0, 1, 1]), np.array([(2, 0), (2, 1), (3, 0), (3, 1)])
    # Each cluster wins one match and loses one.
    for sign in (1.0, -1.0):
        distances = np.array([[3.0, -1.0, -1.0, 1.0]]) * sign
        assert judge(distances, matches, cluster_class, 2).argmax() == (1 if sign > 0 else 0)


def test_tie_in_everything_goes_to_the_first_class():
    cluster_class, matches = np.array([0, 0, 1, 1]), np.array([(2, 0), (2, 1), (3, 0), (3, 1)])
    distances = np.array([[1.0, -1.0, -1.0, 1.0]])
    assert judge(distances, matches, cluster_class, 2).argmax() == 0


def test_sample_on_a_hyperplane_goes_to_the_second_cluster_of_the_match():
    assert judge(np.zeros((1, 1)), np.array([(1, 0)]), np.array([0, 1]), 2).argmax() == 0


def test_shares_of_the_points_add_up_to_one(rng):
    cluster_class = np.array([0, 0, 1, 1, 2])
    matches = all_matches(cluster_class)
    scores = judge(rng.normal(size=(30, len(matches))), matches, cluster_class, 3)
    np.testing.assert_allclose(scores.sum(axis=1), 1.0, atol=1e-8)


def test_large_power_does_not_lose_the_winner():
    # Of 3 opponents each wins 2: a third to the power of 900 is zero in floating point.
    cluster_class = np.array([0, 1, 1, 1])
    matches = np.array([(1, 0), (2, 0), (3, 0)])
    distances = np.array([[-1.0, -1.0, 1.0]])
    assert np.isfinite(judge(distances, matches, cluster_class, 900)).all()
    assert judge(distances, matches, cluster_class, 900).argmax() == 1
