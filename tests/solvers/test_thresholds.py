"""Thresholds on a line: by hand, by enumeration, with weights, with ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centroidal.solvers.thresholds import find_threshold
from tests.reference import thresholds as reference

RULES = ["inclusive", "strict", "balanced", "mahalanobis"]

every_rule = pytest.mark.parametrize("rule", RULES)
laws = settings(deadline=None, max_examples=40, derandomize=True)


def line(positive, negative):
    """Values of both classes in a row, and which of them are positive."""
    values = np.array([*positive, *negative], dtype=float)
    return values, np.arange(values.size) < len(positive)


@st.composite
def projections(draw, elements, max_size=12):
    """Values of two classes in any order; each class has one at least."""
    sides = draw(st.lists(st.booleans(), max_size=max_size))
    is_positive = np.array(draw(st.permutations([True, False, *sides])))
    size = is_positive.size
    values = np.array(draw(st.lists(elements, min_size=size, max_size=size)), dtype=float)
    return values, is_positive


quarters = st.integers(-12, 12).map(lambda v: v / 4)
reals = st.floats(-100, 100).map(lambda v: round(v, 6))


# ------------------------------------------------------------------ by hand


def test_strict_threshold_of_separable_values_is_the_largest_negative_one():
    assert find_threshold("strict", *line([2, 3, 4], [-1, 0, 1])) == 1.0


def test_inclusive_threshold_of_separable_values_is_the_middle_of_the_gap():
    assert find_threshold("inclusive", *line([2, 3, 4], [-1, 0, 1])) == 1.5


def test_threshold_is_the_plain_mean_of_the_best_ones_though_it_may_be_worse_than_they():
    values, is_positive = line([0, 2], [-1, 1])
    assert find_threshold("strict", values, is_positive) == 0.0
    best = [reference.score(g, values, is_positive, np.ones(4), strict=True) for g in (-1.0, 1.0)]
    assert best == [3.0, 3.0]
    assert reference.score(0.0, values, is_positive, np.ones(4), strict=True) == 2.0


def test_balanced_threshold_is_half_way_between_the_good_values_of_either_class():
    # A: 1 and 2 are right for 5 of 6, so is B: 0 and 1.5; (1.5 + 0.75) / 2.
    assert find_threshold("balanced", *line([1, 2, 3], [-1, 0, 1.5]), balance=0.99) == 1.125


def test_balance_is_the_share_of_the_best_score_that_must_be_surpassed():
    # Above 0.7 of 5 all six values are good.
    found = find_threshold("balanced", *line([1, 2, 3], [-1, 0, 1.5]), balance=0.7)
    assert found == pytest.approx(0.5 * (2.0 + 0.5 / 3))


def test_share_itself_is_not_good_enough():
    # 3 of {1, 2, 3} scores 4, exactly 0.8 of 5, and so does -1.
    found = find_threshold("balanced", *line([1, 2, 3], [-1, 0, 1.5]), balance=0.8)
    assert found == 1.125


def test_mahalanobis_threshold_is_equally_many_deviations_from_both_means():
    # Means 5 and 0, deviations 1 and 4.
    assert find_threshold("mahalanobis", *line([4, 6], [-4, 4])) == pytest.approx(4.0)


def test_mahalanobis_threshold_without_spread_is_half_way():
    assert find_threshold("mahalanobis", *line([3, 3], [1])) == 2.0


def test_mahalanobis_threshold_touches_the_class_without_spread():
    assert find_threshold("mahalanobis", *line([3, 3], [0, 2])) == 3.0


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("inclusive", 0.5), ("strict", -1.0), ("balanced", 0.5), ("mahalanobis", 0.5)],
)
def test_one_value_a_class_is_enough(rule, expected):
    assert find_threshold(rule, *line([2], [-1])) == pytest.approx(expected)


@pytest.mark.parametrize("rule", ["inclusive", "balanced", "mahalanobis"])
def test_piles_are_parted_in_the_middle(rule):
    assert find_threshold(rule, *line([2] * 5, [-1] * 9)) == pytest.approx(0.5)


def test_strict_threshold_of_piles_is_the_negative_pile():
    assert find_threshold("strict", *line([2] * 5, [-1] * 9)) == -1.0


@every_rule
def test_values_that_are_all_equal_are_their_own_threshold(rule):
    assert find_threshold(rule, *line([0.3] * 3, [0.3] * 2)) == pytest.approx(0.3)


def test_classes_the_wrong_way_round_still_have_a_threshold():
    # Right are at most the ends themselves and what lies on the wrong side.
    values, is_positive = line([-2, -1], [1, 2])
    expected = reference.best_score(values, is_positive)
    assert find_threshold("inclusive", values, is_positive) == pytest.approx(expected)


# ------------------------------------------------------------------ by enumeration


@every_rule
@given(drawn=projections(quarters))
@laws
def test_threshold_is_that_of_enumeration_with_ties(rule, drawn):
    expected = reference.threshold(rule, *drawn)
    assert find_threshold(rule, *drawn) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@every_rule
@given(drawn=projections(reals, max_size=25))
@laws
def test_threshold_is_that_of_enumeration(rule, drawn):
    expected = reference.threshold(rule, *drawn)
    assert find_threshold(rule, *drawn) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(drawn=projections(quarters), balance=st.sampled_from([0.125, 0.5, 0.75, 0.875, 0.999]))
@laws
def test_balanced_threshold_is_that_of_enumeration_for_any_share(drawn, balance):
    expected = reference.balanced(*drawn, balance=balance)
    found = find_threshold("balanced", *drawn, balance=balance)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@every_rule
@given(drawn=projections(quarters), data=st.data())
@laws
def test_weighted_threshold_is_that_of_enumeration(rule, drawn, data):
    values, is_positive = drawn
    eighths = st.integers(1, 40).map(lambda v: v / 8)
    weights = data.draw(st.lists(eighths, min_size=values.size, max_size=values.size))
    weights = np.array(weights)
    expected = reference.threshold(rule, values, is_positive, weights)
    found = find_threshold(rule, values, is_positive, weights)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


# ------------------------------------------------------------------ laws


@every_rule
@given(drawn=projections(quarters), data=st.data())
@laws
def test_integer_weights_are_repeats(rule, drawn, data):
    values, is_positive = drawn
    sizes = {"min_size": values.size, "max_size": values.size}
    repeats = np.array(data.draw(st.lists(st.integers(1, 4), **sizes)))
    weighted = find_threshold(rule, values, is_positive, repeats.astype(float))
    repeated = find_threshold(rule, np.repeat(values, repeats), np.repeat(is_positive, repeats))
    assert weighted == pytest.approx(repeated, rel=1e-9, abs=1e-9)


@every_rule
@given(drawn=projections(quarters), position=quarters, side=st.booleans())
@laws
def test_value_without_weight_does_not_exist(rule, drawn, position, side):
    values, is_positive = drawn
    weights = np.append(np.ones(values.size), 0.0)
    found = find_threshold(rule, np.append(values, position), np.append(is_positive, side), weights)
    assert found == pytest.approx(find_threshold(rule, *drawn), rel=1e-9, abs=1e-9)


@every_rule
@given(drawn=projections(quarters), factor=st.sampled_from([0.1, 1 / 3, 7.0, 1e-9, 1e9]))
@laws
def test_equal_weights_are_no_weights(rule, drawn, factor):
    weights = np.full(drawn[0].size, factor)
    found = find_threshold(rule, *drawn, weights)
    assert found == pytest.approx(find_threshold(rule, *drawn), rel=1e-9, abs=1e-9)


@every_rule
@given(drawn=projections(quarters), data=st.data())
@laws
def test_order_of_the_values_does_not_matter(rule, drawn, data):
    values, is_positive = drawn
    order = np.array(data.draw(st.permutations(range(values.size))))
    shuffled = find_threshold(rule, values[order], is_positive[order])
    assert shuffled == pytest.approx(find_threshold(rule, *drawn), rel=1e-12, abs=1e-12)


@every_rule
@given(drawn=projections(quarters), scale=st.sampled_from([2.0**-30, 0.5, 2.0**30]))
@laws
def test_threshold_has_the_unit_of_the_values(rule, drawn, scale):
    values, is_positive = drawn
    expected = scale * find_threshold(rule, values, is_positive)
    found = find_threshold(rule, scale * values, is_positive)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9 * scale)


@every_rule
@given(drawn=projections(quarters), shift=st.sampled_from([-64.0, 0.25, 1024.0]))
@laws
def test_threshold_moves_with_the_values(rule, drawn, shift):
    values, is_positive = drawn
    expected = find_threshold(rule, values, is_positive) + shift
    assert find_threshold(rule, values + shift, is_positive) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("rule", ["inclusive", "balanced", "mahalanobis"])
@given(drawn=projections(quarters))
@laws
def test_swapping_the_classes_mirrors_the_threshold(rule, drawn):
    values, is_positive = drawn
    mirrored = find_threshold(rule, -values, ~is_positive)
    assert mirrored == pytest.approx(-find_threshold(rule, *drawn), rel=1e-9, abs=1e-9)


@every_rule
@given(drawn=projections(quarters))
@laws
def test_inputs_are_left_alone(rule, drawn):
    values, is_positive = drawn
    weights = np.linspace(0.5, 2.0, values.size)
    before = values.copy(), is_positive.copy(), weights.copy()
    find_threshold(rule, values, is_positive, weights)
    for now, then in zip((values, is_positive, weights), before, strict=True):
        np.testing.assert_array_equal(now, then)


# ------------------------------------------------------------------ rounding


@every_rule
@pytest.mark.parametrize("noise", [1e-16, 1e-14])
def test_values_that_differ_by_rounding_are_one_value(rng, rule, noise):
    values, is_positive = line([0.1, 1.1, 1.1, 2.1], [0.1, 0.1, 1.1, -1.0])
    noisy = values * (1.0 + noise * rng.choice([-1.0, 1.0], size=values.size))
    expected = reference.threshold(rule, values, is_positive)
    assert find_threshold(rule, noisy, is_positive) == pytest.approx(expected, abs=1e-9)


def test_values_are_one_though_rounding_puts_the_positive_below_the_negative_one():
    # At 1 all four are right; were 1 and what is beside it two values, all would be as good.
    values, is_positive = line([1.0, 4.0], [0.0, 1.0 + 1e-14])
    assert find_threshold("inclusive", values, is_positive) == pytest.approx(1.0)


@every_rule
def test_piles_may_be_blurred_by_rounding(rng, rule):
    values, is_positive = line([2.0] * 20, [-1.0] * 30)
    blurred = values + 1e-14 * rng.normal(size=values.size)
    expected = reference.threshold(rule, values, is_positive)
    assert find_threshold(rule, blurred, is_positive) == pytest.approx(expected, abs=1e-9)


def test_spread_that_is_rounding_beside_the_gap_counts_as_none():
    # The deviations are 1e-12 and 3e-12: by themselves they would put the threshold at 0.25.
    values, is_positive = line([1.0 - 1e-12, 1.0 + 1e-12], [-3e-12, 3e-12])
    assert find_threshold("mahalanobis", values, is_positive) == pytest.approx(0.5)


def test_weights_that_do_not_add_up_exactly_still_tie():
    # Three tenths and 0.3 differ in the last bit; the scores they make are equal.
    values, is_positive = line([1, 3, 3, 3], [2])
    weights = np.array([0.3, 0.1, 0.1, 0.1, 0.3])
    expected = reference.best_score(values, is_positive, weights)
    assert find_threshold("inclusive", values, is_positive, weights) == pytest.approx(expected)


@every_rule
def test_result_is_a_plain_number(rule):
    assert isinstance(find_threshold(rule, *line([1, 2], [0])), float)
