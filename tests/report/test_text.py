import json

import numpy as np
import pytest

from centroidal.report._text import (
    class_labels,
    count,
    json_number,
    json_text,
    percent,
    plus_minus,
    tidy,
)


def test_json_can_stand_in_a_script_element():
    value = {"a": "</script><!--&\u2028\u2029", "b": [1.5, None]}
    text = json_text(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


def test_json_refuses_what_browsers_do():
    with pytest.raises(ValueError, match="JSON"):
        json_text([float("nan")])


def test_what_cannot_be_shown_is_replaced():
    assert tidy("a\x00\ud800\x1bb") == "a\ufffd\ufffd\ufffdb"
    assert tidy("x" * 400) == "x" * 299 + "…"


def test_labels_are_distinct():
    assert class_labels(np.array(["ab", "ac"]), 2) == ["ab", "ac"]
    assert class_labels(np.array(["axb", "axc"]), 2) == ["a…", "a… (2)"]
    assert class_labels(np.array([1.5, 2.0])) == ["1.5", "2.0"]


def test_numbers_are_told_with_their_error():
    assert plus_minus(0.943, 0.031, "accuracy") == "94\u00a0±\u00a03\u00a0%"
    assert plus_minus(0.943, 0.004, "accuracy") == "94.3\u00a0±\u00a00.4\u00a0%"
    assert plus_minus(0.943, np.nan, "accuracy") == "94\u00a0%"
    assert plus_minus(-1.25, 0.5, "neg_log_loss") == "1.250\u00a0±\u00a00.500"  # told as a loss
    assert plus_minus(-1.25, 0.5, "neg_other") == "\u22121.250\u00a0±\u00a00.500"
    assert percent(np.nan) == "unknown"


def test_counts_have_commas_and_plurals():
    assert count(7129) == "7,129"
    assert count(1, "class", "classes") == "1\u00a0class"
    assert count(2, "class", "classes") == "2\u00a0classes"
    assert count(np.int64(3), "feature") == "3\u00a0features"


def test_numbers_are_short_in_json():
    assert json_number(np.float32(1 / 3)) == 0.333333
    assert json_number(np.inf) is None
