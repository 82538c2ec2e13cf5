from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centroidal.statistics.sample_count import (
    NO_SAMPLES,
    SampleCount,
    count_samples,
    weights_in_samples,
)

laws = settings(deadline=None, max_examples=60, derandomize=True)
whole = st.lists(st.integers(0, 40), min_size=1, max_size=30)
real = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=30)
factors = st.sampled_from([1e-200, 1e-9, 1 / 97, 0.3, 7.0, 1e12, 1e200])


def number_of(weights):
    weights = np.array(weights, dtype=float)
    return SampleCount.of(weights).number(weights.sum())


@given(weights=whole, factor=factors)
@laws
def test_multiples_of_the_smallest_weight_are_copies(weights, factor):
    weights = np.append(weights, 1)
    assert number_of(weights * factor) == weights.sum()


@given(weights=real, factor=factors)
@laws
def test_multiple_of_all_weights_is_the_same_number(weights, factor):
    assert number_of(np.array(weights) * factor) == number_of(weights)


@given(parts=st.lists(st.one_of(whole, real), min_size=1, max_size=5), factor=factors)
@laws
def test_merged_parts_are_counted_as_all_together(parts, factor):
    parts = [np.array(part) * factor for part in parts]
    total = np.concatenate(parts)
    merged = reduce(SampleCount.merge, map(SampleCount.of, parts))
    assert merged.n_positive == np.count_nonzero(total)
    assert merged.number(total.sum()) == number_of(total)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1, 1, 1], 3),
        ([2, 2], 2),
        ([1, 2, 3], 6),
        ([0.5, 1.0, 1.5], 6),
        ([2, 3], 2),
        ([0.7143, 1.6667, 1.6667], 3),
        ([0, 0, 4], 1),
    ],
)
def test_examples(weights, expected):
    assert number_of(weights) == expected


def test_two_parts_may_share_a_unit_that_neither_shows():
    both = SampleCount.of(np.array([2.0, 3.0])).merge(SampleCount.of(np.array([1.0])))
    assert both.number(6.0) == 6.0


def test_without_samples_nothing_changes():
    some = SampleCount.of(np.array([2.0, 5.0]))
    assert NO_SAMPLES.merge(some) == some.merge(NO_SAMPLES) == some
    assert SampleCount.of(np.zeros(3)) == SampleCount.of_equal(0) == NO_SAMPLES


def test_rows_that_are_left_out_do_not_count():
    codes, weights = np.array([0, -1, 1]), np.array([2.0, 1.0, 4.0])
    assert count_samples(codes, weights, np.array([2.0, 4.0])).number(6.0) == 3.0
    assert count_samples(codes, None, np.array([1.0, 1.0])).number(2.0) == 2.0


def test_weights_are_brought_to_the_number_of_samples(rng):
    np.testing.assert_array_equal(weights_in_samples(np.array([1.0, 2.0, 0.0])), [1.0, 2.0, 0.0])
    np.testing.assert_allclose(weights_in_samples(np.array([0.1, 0.2])), [1.0, 2.0])
    assert weights_in_samples(rng.uniform(size=50)).sum() == pytest.approx(50.0)


def test_weights_of_which_one_is_nearly_nothing_have_no_unit():
    found = SampleCount.of(np.array([5e-324, 1.0, 2.0]))
    assert (found.unit, found.number(3.0)) == (0.0, 3.0)
