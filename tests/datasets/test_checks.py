import re

import pytest

from centroidal.datasets._generators import check_between, check_count


def message(text):
    return f"^{re.escape(text)}$"


def test_bounds_belong_to_the_allowed_range():
    assert check_between("share", 0, 0, 1) is None
    assert check_between("share", 1, 0, 1) is None


def test_error_names_the_parameter_its_value_and_the_parameter_that_bounds_it():
    expected = message("n_informative=9 must lie between 0 and n_features=6.")
    with pytest.raises(ValueError, match=expected):
        check_count("n_informative", 9, 0, 6, high_name="n_features")


def test_error_shows_a_bound_that_has_no_name():
    with pytest.raises(ValueError, match=message("share=1.5 must lie between 0 and 1.")):
        check_between("share", 1.5, 0, 1)


def test_error_without_an_upper_bound_shows_the_lower_one():
    with pytest.raises(ValueError, match=message("n_samples=1 must be finite and at least 2.")):
        check_count("n_samples", 1, 2)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match=f"effect={value} must be finite"):
        check_between("effect", value, 0)


@pytest.mark.parametrize("value", [2.0, "2", None])
def test_a_count_that_is_no_integer_is_refused(value):
    with pytest.raises(TypeError, match=message(f"n_samples={value!r} must be a whole number.")):
        check_count("n_samples", value, 2)
