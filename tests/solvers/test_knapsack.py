"""Panels for a budget: against all subsets, ties, units of money, and what cannot be paid."""

import numpy as np
import pytest

from centroidal.solvers.knapsack import affordable_in_order, best_within_budget
from tests.reference import panels

COSTS = {
    "whole": lambda rng, size: rng.integers(0, 6, size).astype(float),
    "cents": lambda rng, size: rng.integers(1, 400, size) / 100.0,
    "real": lambda rng, size: rng.random(size) * 5.0,
}
GAINS = {
    "with ties": lambda rng, size: rng.integers(1, 5, size).astype(float),
    "of any size": lambda rng, size: rng.random(size) * 10.0,
}


@pytest.mark.parametrize("gains_of", GAINS.values(), ids=GAINS)
@pytest.mark.parametrize("costs_of", COSTS.values(), ids=COSTS)
def test_panel_is_the_best_of_all_subsets(costs_of, gains_of):
    rng = np.random.default_rng(0)
    for _ in range(60):
        size = rng.integers(1, 10)
        gains, costs = np.sort(gains_of(rng, size))[::-1], costs_of(rng, size)
        budget = float(costs.min() + rng.random() * costs.sum())
        found = best_within_budget(np.arange(size), gains, costs, budget)
        assert found.tolist() == panels.best_within_budget(gains.tolist(), costs.tolist(), budget)


def test_order_of_the_columns_does_not_matter():
    rng = np.random.default_rng(1)
    gains, costs = rng.random(40), rng.integers(1, 9, 40).astype(float)
    order = rng.permutation(40)
    one = best_within_budget(np.argsort(-gains), gains, costs, 30.0)
    other = best_within_budget(np.argsort(-gains[order]), gains[order], costs[order], 30.0)
    assert sorted(order[other].tolist()) == sorted(one.tolist())


def test_of_equal_features_the_first_in_the_ranking_is_taken():
    gains, costs = np.array([1.0, 3.0, 3.0, 1.0]), np.ones(4)
    assert best_within_budget(np.array([1, 2, 0, 3]), gains, costs, 1.0).tolist() == [1]
    assert best_within_budget(np.array([2, 1, 0, 3]), gains, costs, 1.0).tolist() == [2]


def test_gains_that_differ_by_rounding_tie_as_they_do_in_the_ranking():
    gains = np.array([1.0, 1.0 + 2e-12, 0.5])
    assert best_within_budget(np.array([0, 1, 2]), gains, np.ones(3), 1.0).tolist() == [0]


def test_of_equal_panels_the_cheaper_is_taken():
    gains, costs = np.array([4.0, 2.0, 2.0]), np.array([5.0, 2.0, 2.0])
    assert best_within_budget(np.arange(3), gains, costs, 5.0).tolist() == [1, 2]


def test_cents_add_up_to_a_whole_budget():
    found = best_within_budget(np.arange(3), np.ones(3), np.array([0.1, 0.2, 0.7]), 0.3)
    assert found.tolist() == [0, 1]


def test_budget_in_another_unit_buys_the_same():
    rng = np.random.default_rng(2)
    gains, costs = rng.random(50), rng.integers(1, 20, 50).astype(float)
    ranking = np.argsort(-gains)
    expected = best_within_budget(ranking, gains, costs, 60.0)
    for unit in (0.01, 1e-7 * np.pi, 1e9):
        found = best_within_budget(ranking, gains, costs * unit, 60.0 * unit)
        assert found.tolist() == expected.tolist()


def test_equal_costs_buy_the_first_features_of_the_ranking():
    gains = np.random.default_rng(3).random(500)
    ranking = np.argsort(-gains)
    found = best_within_budget(ranking, gains, np.full(500, 2.5), 51.0)
    assert found.tolist() == ranking[:20].tolist()


def test_features_without_gain_still_make_a_panel_of_one():
    assert best_within_budget(np.array([2, 0, 1]), np.zeros(3), np.ones(3), 2.0).tolist() == [2]


def test_feature_that_is_far_too_dear_is_never_bought():
    found = best_within_budget(np.arange(2), np.array([9.0, 1.0]), np.array([1e300, 1.0]), 1.0)
    assert found.tolist() == [1]


def test_walk_down_a_ranking_skips_what_cannot_be_paid():
    costs = np.array([3.0, 9.0, 2.0, 4.0])
    assert affordable_in_order(np.array([0, 1, 3, 2]), costs, 6.0).tolist() == [0, 2]
