import math

import numpy as np
import pytest

from centroidal._plain import interval_text, json_plain, percent


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float32(0.5), 0.5),
        (np.array([[1, 2]]), [[1, 2]]),
        ({1: (np.int64(3), None)}, {"1": [3, None]}),
        (np.array(["a", "b"], dtype=object), ["a", "b"]),
        (len, "len"),
        (np.random.RandomState(0), "RandomState"),
        (True, True),
    ],
)
def test_values_become_what_json_has(value, plain):
    assert json_plain(value) == plain


def test_what_is_not_finite_becomes_null_where_that_is_asked():
    assert json_plain([np.inf, {"a": np.nan}], finite=True) == [None, {"a": None}]
    assert json_plain([np.inf]) == [np.inf]


def test_a_space_stands_before_the_sign():
    assert percent(0.95) == "95.0 %"
    assert percent(np.float64(0.4167), digits=0) == "42 %"


def test_the_sign_stands_once_in_an_interval():
    assert interval_text((0.84, 0.96), is_share=True) == "84.0 to 96.0 %"
    assert interval_text((-0.1, 0.96), is_share=False) == "-0.100 to 0.960"


def test_the_standard_error_has_the_digits_of_the_share():
    assert percent(0.95, 0.0104) == "95.0 ± 1.0 %"
    assert percent(0.95, math.nan) == "95.0 %"


def test_what_is_not_known_is_said():
    assert percent(math.nan) == "unknown"
    assert percent(math.nan, 0.1) == "unknown"
