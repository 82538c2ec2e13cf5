import numpy as np
import pytest

from centroidal._json import json_plain


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
