"""Checks of fitted state: each says where it is wrong and why."""

from typing import NamedTuple

import numpy as np
import pytest

from centroidal import SparseCenterClassifier
from centroidal import _state as state
from centroidal._state import StateError, check_state


class Inner(NamedTuple):
    values: np.ndarray
    order: np.ndarray

    _state = {"values": state.floats("rows", least=0.0), "order": state.ranking("rows")}


class Outer(NamedTuple):
    table: np.ndarray
    inner: Inner | None
    parts: tuple
    n_used: int

    _state = {
        "table": state.floats("rows", "columns", nan=True),
        "inner": state.optional(state.part(Inner, rows="columns")),
        "parts": state.sequence(state.part(Inner), tuple),
        "n_used": state.count(1, "columns"),
    }


@pytest.fixture
def good():
    inner = Inner(np.array([0.5, 0.0, 2.0]), np.array([2, 0, 1]))
    parts = (inner, Inner(np.zeros(1), np.zeros(1, dtype=int)))
    return Outer(np.full((2, 3), np.nan), inner, parts, 3)


def test_state_that_fitting_gives_passes(good):
    check_state(good)
    check_state(good._replace(inner=None), rows=2)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"table": np.zeros((2, 3), dtype=int)}, "table is an array of int64"),
        ({"table": np.zeros((2, 3), dtype=">f8")}, "table is an array of >f8"),
        ({"table": np.zeros(3)}, "table has 1 dimensions, not 2"),
        ({"table": np.full((2, 3), np.inf)}, "table holds infinity"),
        ({"table": [[0.0]]}, "table is a list, not an array"),
        ({"table": np.zeros((2, 4))}, "inner.values has 3 entries where there are 4 rows"),
        ({"inner": (1, 2)}, "inner is a tuple, not a Inner"),
        ({"parts": []}, "parts is a list, not a tuple"),
        ({"parts": (None,)}, r"parts\[0\] is a NoneType"),
        ({"n_used": 0}, "n_used is 0, below 1"),
        ({"n_used": 4}, "n_used is 4, above 3 columns"),
        ({"n_used": True}, "n_used is a bool, not a whole number"),
        ({"n_used": 2.0}, "n_used is a float, not a whole number"),
    ],
)
def test_error_names_the_place_and_what_is_wrong(good, changes, words):
    with pytest.raises(StateError, match=words):
        check_state(good._replace(**changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"values": np.array([0.5, np.nan, 2.0])}, "values holds NaN"),
        ({"values": np.array([0.5, -1.0, 2.0])}, "values holds numbers below 0.0"),
        ({"order": np.array([0, 1, 1])}, "order does not hold each number from 0 to 2 once"),
        ({"order": np.array([0, 1, 3])}, "order does not hold each number from 0 to 2 once"),
    ],
)
def test_error_in_a_part_names_the_way_to_it(good, changes, words):
    inner = good.inner._replace(**changes)
    with pytest.raises(StateError, match=f"^inner.{words}"):
        check_state(good._replace(inner=inner))
    with pytest.raises(StateError, match=rf"^parts\[1\].{words}"):
        check_state(good._replace(parts=(good.inner, inner)))


CHECKS = [
    (state.labels("n"), np.array(["b", "a"]), "each label once, in order"),
    (state.labels("n"), np.array([1, 1]), "each label once, in order"),
    (state.labels("n"), np.array([1, "a", None], dtype=object), "each label once, in order"),
    (state.positions("n", below="n"), np.array([0, 2]), "between 0 and 1"),
    (state.positions("n", below="n"), np.array([-1, 0]), "between 0 and 1"),
    (state.names("n"), np.array(["a", 1], dtype=object), "no text"),
    (state.mask("n", may_be_empty=False), np.zeros(2, dtype=bool), "not True anywhere"),
    (state.divisors("n"), np.array([1.0, 0.0]), "below"),
    (state.counts("n"), np.zeros(2), "has the sum 0.0"),
    (state.counts("n"), np.full(2, 1e308), "has the sum inf"),
    (state.number(0.0), -1.0, "below 0.0"),
    (state.number(), float("nan"), "holds NaN"),
    (state.number(), "1", "is a str, not a number"),
    (state.flag, 1, "not True or False"),
    (state.text("a", "b"), "c", "none of 'a', 'b'"),
    (state.size("features"), 10**12, "where there are 3 features"),
    (state.estimator, "x", "not an estimator"),
    (state.columns_of_one_length, {"a": np.zeros(2), "b": np.zeros(3)}, "not the 2 entries"),
    (state.columns_of_one_length, {}, "no dict of columns"),
    (state.samples("n", "features"), np.zeros((2, 4)), "4 entries where there are 3 features"),
]


@pytest.mark.parametrize(("check", "value", "words"), CHECKS)
def test_each_check_refuses_what_cannot_be(check, value, words):
    with pytest.raises(StateError, match=words):
        check(value, {"features": 3})


@pytest.fixture
def model():
    X = np.random.default_rng(0).normal(size=(20, 4))
    return SparseCenterClassifier(2).fit(X, np.arange(20) % 2)


def test_fitted_in_part_is_refused(model):
    del model.classes_
    with pytest.raises(StateError, match="classes_ is missing in a SparseCenterClassifier"):
        check_state(model)


def test_attribute_that_the_class_does_not_have_is_refused(model):
    model.predict = 3
    with pytest.raises(StateError, match="predict is no attribute of a SparseCenterClassifier"):
        check_state(model)


def test_estimator_that_was_not_fitted_has_no_state():
    check_state(SparseCenterClassifier(2))  # raises if it does not pass


def test_merging_refuses_a_part_with_impossible_state(model):
    other = SparseCenterClassifier(2).fit(np.ones((4, 4)), [0, 1, 0, 1])
    other._solution.moments.counts[:] = np.nan
    before = model.centers_.copy()
    with pytest.raises(StateError, match="counts holds NaN"):
        model.merge(other)
    np.testing.assert_array_equal(model.centers_, before)
