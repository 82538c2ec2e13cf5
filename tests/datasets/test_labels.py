import numpy as np
import pytest

from centroidal.datasets._generators import (
    class_sizes,
    letter_names,
    numbered_names,
    shuffled_codes,
)


def test_classes_are_equally_large_up_to_one_sample():
    assert class_sizes(11, 3).tolist() == [4, 4, 3]


def test_sizes_follow_the_weights():
    assert class_sizes(120, 3, (5, 4, 3)).tolist() == [50, 40, 30]


@pytest.mark.parametrize("n_samples", [7, 8, 100, 101])
def test_sizes_add_up_to_the_number_of_samples(n_samples):
    assert class_sizes(n_samples, 3, (0.2, 0.3, 0.5)).sum() == n_samples


@pytest.mark.parametrize("weights", [(1, 2), (1, 2, 0), (1, 2, -1), (1, 2, np.nan)])
def test_weights_that_are_not_one_positive_number_per_class_are_refused(weights):
    with pytest.raises(ValueError, match=r"class_weights=.* one positive finite number for each"):
        class_sizes(10, 3, weights)


def test_weights_that_leave_a_class_empty_are_refused():
    with pytest.raises(ValueError, match=r"at least one of n_samples=10, got sizes \[10, 0\]"):
        class_sizes(10, 2, (1000, 1))


def test_shuffled_codes_hold_every_class_as_often_as_its_size():
    codes = shuffled_codes([3, 1, 2], np.random.RandomState(0))
    assert np.bincount(codes).tolist() == [3, 1, 2]


def test_names_count_on_when_the_alphabet_ends():
    assert letter_names("type", 26)[-1] == "type Z"
    assert letter_names("type", 27)[-1] == "type 27"


def test_numbered_names_sort_as_they_count():
    names = numbered_names("gene", 12_000)
    assert sorted(names) == names.tolist()
