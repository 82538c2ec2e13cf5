"""Thresholds between projections that stay in blocks: those of the same projections in memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centroidal.solvers import thresholds
from centroidal.solvers.thresholds import Candidates, Line, LineInBlocks, find_threshold

dask = pytest.importorskip("dask")

from centroidal.statistics.dask_collection import RowBlocks  # noqa: E402

RULES = ["inclusive", "strict", "balanced", "mahalanobis"]


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def in_blocks(line, cuts):
    parts = zip(*(np.split(column, cuts) for column in line), strict=True)
    return LineInBlocks(RowBlocks([dask.delayed(Line(*part)) for part in parts]))


def place(rule, line, cuts, balance=0.9):
    return thresholds.place_threshold(rule, in_blocks(line, cuts), balance)


def expected_place(rule, line, balance=0.9):
    return find_threshold(rule, *line, balance)


def draw_line(rng, n_samples, *, levels=None, noise=0.0):
    is_positive = rng.uniform(size=n_samples) < 0.4
    is_positive[:2] = [True, False]
    values = rng.normal(size=n_samples) + is_positive
    if levels is not None:
        values = np.round(values * levels) / levels
    values += noise * rng.uniform(-1.0, 1.0, size=n_samples)
    return Line(values, is_positive, rng.integers(1, 4, size=n_samples).astype(float))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    rule=st.sampled_from(RULES),
    seed=st.integers(0, 2**16),
    n_samples=st.integers(2, 60),
    cuts=st.lists(st.integers(0, 60), max_size=8).map(sorted),
    levels=st.sampled_from([None, 1, 3]),
    noise=st.sampled_from([0.0, 1e-15]),
)
def test_any_blocks_give_the_threshold_of_all(rule, seed, n_samples, cuts, levels, noise):
    line = draw_line(np.random.default_rng(seed), n_samples, levels=levels, noise=noise)
    expected = expected_place(rule, line)
    assert place(rule, line, cuts) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("most_runs", [1, 4, 32])
@pytest.mark.parametrize("n_samples_of_order", [3, 50, 1024])
def test_number_of_runs_does_not_matter(rng, monkeypatch, rule, most_runs, n_samples_of_order):
    monkeypatch.setattr(thresholds, "_MOST_RUNS", most_runs)
    monkeypatch.setattr(thresholds, "_SAMPLES_OF_ORDER", n_samples_of_order)
    line = draw_line(rng, 500)
    expected = expected_place(rule, line)
    assert place(rule, line, np.arange(30, 500, 30)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("levels", [1, 2])
def test_values_that_differ_by_rounding_stay_in_one_run(rng, rule, levels):
    line = draw_line(rng, 400, levels=levels, noise=2e-14)
    found = place(rule, line, np.arange(20, 400, 20), balance=0.6)
    assert found == pytest.approx(expected_place(rule, line, balance=0.6), rel=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_samples_without_weight_change_nothing(rng, rule):
    line = draw_line(rng, 100)
    line.weights[::3] = 0.0
    counted = Line(*(column[line.weights > 0] for column in line))
    expected = expected_place(rule, counted)
    assert place(rule, line, [25, 50, 75]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_order_of_the_blocks_does_not_matter(rng, rule):
    line = draw_line(rng, 90)
    turned = Line(*(np.roll(column, 30) for column in line))
    assert place(rule, turned, [30, 60]) == pytest.approx(place(rule, line, [30, 60]), rel=1e-12)


def test_runs_follow_each_other(rng):
    line = draw_line(rng, 300)
    runs = in_blocks(line, np.arange(20, 300, 20)).runs().gather()
    assert len(runs) > 5
    joined = np.concatenate([run.starts for run in runs])
    np.testing.assert_array_equal(joined, np.unique(line.values))
    assert max(run.starts.size for run in runs) < 100


def test_spreads_are_those_of_all(rng):
    line = draw_line(rng, 80)
    for found, expected in zip(
        in_blocks(line, [10, 10, 45]).spreads(), line.spreads(), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_what_overlaps_is_one_candidate():
    first = Candidates(np.array([0.0, 5.0]), np.array([2.0, 5.0]), np.array([[1.0, 2], [3, 4]]))
    second = Candidates(np.array([1.0, 6.0]), np.array([1.5, 6.0]), np.array([[5.0, 6], [7, 8]]))
    found = Candidates.join([first, second], 0.1)
    np.testing.assert_array_equal(found.starts, [0.0, 5.0, 6.0])
    np.testing.assert_array_equal(found.stops, [2.0, 5.0, 6.0])
    np.testing.assert_array_equal(found.shares, [[6.0, 2.0, 6.0], [10.0, 4.0, 8.0]])
