import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centroidal.streaming.position_folds import PositionFolds

from ..reference.selection_stream import slow_folds


@pytest.mark.parametrize("n_folds", [2, 3, 5, 8])
def test_folds_are_those_of_the_slow_deal(n_folds):
    codes = np.random.default_rng(0).choice(3, size=101, p=[0.7, 0.2, 0.1])
    folds = PositionFolds(n_folds, 3).folds_of(codes, np.zeros(3, dtype=int))
    np.testing.assert_array_equal(folds, slow_folds(codes.tolist(), n_folds, 3))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    codes=st.lists(st.integers(0, 2), min_size=1, max_size=60),
    n_folds=st.integers(2, 7),
    cuts=st.lists(st.integers(0, 60), max_size=4),
    seed=st.integers(0, 2**32 - 1),
)
def test_folds_do_not_depend_on_the_cut(codes, n_folds, cuts, seed):
    codes, deal = np.array(codes), PositionFolds(n_folds, seed)
    whole = deal.folds_of(codes, np.zeros(3, dtype=int))
    n_before, parts = np.zeros(3, dtype=int), []
    for part in np.split(codes, sorted(min(cut, codes.size) for cut in cuts)):
        parts.append(deal.folds_of(part, n_before))
        n_before += np.bincount(part, minlength=3)
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    for code in range(3):
        counts = np.bincount(whole[codes == code], minlength=n_folds)
        assert np.ptp(counts) <= 1


def test_folds_are_drawn_by_the_seed_and_for_each_class_anew():
    codes = np.repeat([0, 1], 1000)
    nothing = np.zeros(2, dtype=int)
    first, second = (PositionFolds(5, seed).folds_of(codes, nothing) for seed in (1, 2))
    assert 0.1 < np.mean(first == second) < 0.3
    assert 0.1 < np.mean(first[:1000] == first[1000:]) < 0.3
    orders = {tuple(run) for run in first.reshape(-1, 5).tolist()}
    assert len(orders) > 100  # of 120
