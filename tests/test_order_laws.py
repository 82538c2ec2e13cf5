"""The order of rows changes nothing: neither labels nor features."""

import numpy as np
import pytest
from hypothesis import given, settings

from tests.test_weight_laws import RECIPES, assert_same, outcome, weighted

pytestmark = pytest.mark.once

# What chooses by folds, or starts at random, draws by the position of rows, and says so.
DRAWN = {"centers, chosen", "fisher, chosen", "disjoint, chosen", "disjoint", "whitened, chosen"}


@pytest.mark.parametrize("recipe", [name for name in RECIPES if name not in DRAWN])
@settings(deadline=None, max_examples=8, derandomize=True)
@given(drawn=weighted())
def test_order_of_rows_changes_nothing(recipe, drawn):
    X, y, weights, new = drawn
    order = np.random.default_rng(0).permutation(y.size)
    expected = outcome(RECIPES[recipe]().fit(X, y, sample_weight=weights), new)
    for rows in (order, np.argsort(y, kind="stable")[::-1]):
        model = RECIPES[recipe]().fit(X[rows], y[rows], sample_weight=weights[rows])
        assert_same(outcome(model, new), expected)
