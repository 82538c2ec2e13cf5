"""The unit of the samples does not matter, or is refused in words: never a wrong answer."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centroidal import (
    DisjointCentroidClassifier,
    KernelFisherSubspaceClassifier,
    L21CentroidSelector,
    LinearCentroidEncoder,
    MixtureFisherClassifier,
    ReliefFSelector,
)
from tests.test_weight_laws import RECIPES as WEIGHTED
from tests.test_weight_laws import assert_same, outcome, weighted

pytestmark = pytest.mark.once

RECIPES = {name: make for name, make in WEIGHTED.items() if "absolute" not in name} | {
    "mixture": lambda: MixtureFisherClassifier(random_state=0),
    "kernel, linear": lambda: KernelFisherSubspaceClassifier("linear"),
    "disjoint, unused": lambda: DisjointCentroidClassifier(
        baseline_weight=0.9, random_state=0, n_init=3
    ),
    "relief, euclidean": lambda: ReliefFSelector(3, metric="euclidean"),
    "l21 as it is": lambda: L21CentroidSelector(0.3, scale=None),
    "encoder as it is": lambda: LinearCentroidEncoder(scale=None),
    "encoder, alternating": lambda: LinearCentroidEncoder(training="alternating", scale=None),
}
WITHOUT_SQUARES = {"l1", "relief", "relief, squared", "relief, euclidean"}


laws = settings(deadline=None, max_examples=8, derandomize=True)
every_recipe = pytest.mark.parametrize("recipe", RECIPES)


def outcome_in_unit(recipe, drawn, exponent):
    X, y, _, new = drawn
    unit = 2.0**exponent
    return outcome(RECIPES[recipe]().fit(unit * X, y), unit * new)


@every_recipe
@given(drawn=weighted(), exponent=st.sampled_from([-490, -300, -100, -7, 5, 100, 300, 470]))
@laws
def test_power_of_two_changes_nothing(recipe, drawn, exponent):
    assert_same(outcome_in_unit(recipe, drawn, exponent), outcome_in_unit(recipe, drawn, 0))


@every_recipe
@given(drawn=weighted(), exponent=st.sampled_from([-980, -700, -560, -540, 485, 508, 512, 900]))
@laws
def test_unit_at_the_ends_of_float64_is_refused_with_its_magnitude(recipe, drawn, exponent):
    if recipe in WITHOUT_SQUARES:
        assert_same(outcome_in_unit(recipe, drawn, exponent), outcome_in_unit(recipe, drawn, 0))
        return
    with pytest.raises(ValueError, match="squares are too (small|large) for float64") as caught:
        outcome_in_unit(recipe, drawn, exponent)
    found = re.search(r"of the order of (\S+)\.$", str(caught.value))
    assert found, caught.value
    assert abs(np.log2(float(found[1])) - exponent) < 10


def test_zeros_are_no_small_values():
    X, y = np.zeros((6, 3)), np.arange(6) % 2
    assert RECIPES["l2"]().fit(X, y).predict(X).tolist() == [0] * 6
