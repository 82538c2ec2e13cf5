"""95 % confidence intervals: never of width 0, wider for what is less sure, and they cover."""

import numpy as np
import pytest
from scipy.stats import binomtest

from centroidal.model_selection import select_features
from centroidal.model_selection.intervals import (
    Outcome,
    confidence_interval,
    design_effect,
    difference_interval,
    fold_interval,
)
from centroidal.model_selection.methods import SCORES
from centroidal.model_selection.metrics import score_confusion


def matrices(shares, size=20):
    """Confusion matrices of folds in which such shares of two classes are recognised."""
    hits = np.round(np.asarray(shares) * size).astype(int)
    return np.array([[[h, size - h], [size - h, h]] for h in hits])


FOLDS = matrices([0.8, 0.85, 0.75, 0.8, 0.9])


def interval(outer=FOLDS, inner=FOLDS, scoring="accuracy", n_repeats=1, **options):
    n_samples = int(outer.sum() / n_repeats)
    scores = score_confusion(outer, scoring)
    outcome = Outcome(outer, inner, None, scoring, None, scores, scores, n_repeats, 0.25)
    value = float(np.mean(scores))
    return confidence_interval(outcome, scoring, value, units=n_samples, **options)


def test_folds_that_agree_give_the_interval_of_wilson():
    even = matrices([0.8] * 5)
    low, high = interval(even, even)
    expected = binomtest(160, 200).proportion_ci(method="wilson")
    assert low == pytest.approx(expected.low, abs=1e-6)
    assert high == pytest.approx(expected.high, abs=1e-6)


@pytest.mark.parametrize("scoring", SCORES)
def test_score_lies_inside_and_the_width_is_never_zero(scoring):
    for outer in (FOLDS, matrices([1.0] * 5), matrices([0.0] * 5), matrices([0.5] * 5)):
        low, high = interval(outer, outer, scoring)
        assert -1.0 <= low < high <= 1.0
        assert high - low > 0.01


def test_interval_is_wider_where_inner_folds_promise_something_else():
    promised = matrices([0.95, 0.7, 0.95, 0.6, 0.7])
    assert np.ptp(interval(inner=promised)) > 1.2 * np.ptp(interval())
    # At most as wide as one fold alone would be.
    single = np.ptp(interval(matrices([0.82] * 5, 4), matrices([0.82] * 5, 4)))
    assert np.ptp(interval(inner=promised)) < 1.2 * single


def test_interval_is_wider_where_folds_differ():
    different = matrices([0.55, 1.0, 0.6, 1.0, 0.95])
    assert np.ptp(interval(different, None)) > 1.2 * np.ptp(interval(FOLDS, None))


def test_repeats_are_no_further_samples():
    twice = np.concatenate([FOLDS, FOLDS])
    assert np.ptp(interval(twice, twice, n_repeats=2)) > 0.8 * np.ptp(interval())


@pytest.mark.parametrize("scoring", SCORES)
def test_groups_widen_the_interval(scoring):
    plain, grouped = (np.ptp(interval(scoring=scoring, effect=each)) for each in (1.0, 4.0))
    assert 1.4 * plain < grouped < 2.5 * plain


def test_design_effect_is_the_size_of_groups_that_are_right_together():
    groups = np.repeat(np.arange(25), 4)
    rng = np.random.default_rng(0)
    together = rng.random((2, 25))[:, groups] < 0.5
    assert design_effect(together, groups) == pytest.approx(4.0)
    alone = rng.random((2, 100)) < 0.5
    assert 1.0 <= design_effect(alone, groups) < 2.0
    assert design_effect(np.ones((1, 100), dtype=bool), groups) == 1.0


def test_perfect_selection_does_not_promise_perfection():
    X = np.random.default_rng(0).normal(size=(60, 5))
    y = np.arange(60) % 2
    X[:, 0] += 100.0 * y
    found = select_features(X, y, random_state=0)
    assert found.score == 1.0
    assert 0.8 < found.interval[0] < 0.99
    assert "95 % interval 94.0 to 100.0 %" in found.summary()


@pytest.mark.parametrize("grouped", [False, True])
def test_interval_covers_the_score_of_new_samples(grouped):
    covered = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        groups = np.repeat(np.arange(40), 2) if grouped else np.arange(80)
        y = rng.permutation(np.arange(groups.max() + 1) % 2)[groups]
        noise = 0.7 * rng.normal(size=(groups.max() + 1, 60))[groups] * grouped
        X = rng.normal(size=(80, 60)) + noise + 0.6 * y[:, None] * (np.arange(60) < 5)
        found = select_features(
            X, y, groups=groups if grouped else None, n_repeats=1, random_state=seed
        )
        labels = np.arange(4000) % 2
        new = rng.normal(size=(4000, 60)) * (np.sqrt(1.49) if grouped else 1.0)
        new += 0.6 * labels[:, None] * (np.arange(60) < 5)
        low, high = found.interval
        covered += low <= np.mean(found.model.predict(new) == labels) <= high
    assert covered >= 54


def test_interval_of_folds_is_that_of_student_with_the_corrected_error():
    scores = np.array([0.8, 0.9, 0.7])
    half = 4.302652729911275 * np.sqrt(0.01 * (1 / 3 + 0.25))
    np.testing.assert_allclose(fold_interval(scores, 0.25), (0.8 - half, 0.8 + half))
    np.testing.assert_allclose(fold_interval(scores, 0.25, least=2.0), (-1.2, 2.8))
    assert np.isnan(fold_interval(np.ones(3), 0.25)).all()
    assert np.isnan(fold_interval(np.ones(0), 0.25)).all()
    assert np.isnan(fold_interval(np.array([0.1 + 0.2, 0.3, 0.3]), 0.25)).all()


def test_interval_of_a_difference_is_at_least_that_of_paired_shares():
    ahead = np.repeat([1.0, -1.0, 0.0], [8, 2, 40])[None]
    plus, minus = 9 / 52, 3 / 52
    half = 1.959963984540054 * np.sqrt((plus + minus - (plus - minus) ** 2) / 52)
    gaps = np.full(5, 0.12)
    np.testing.assert_allclose(difference_interval(gaps, 0.25, ahead), (0.12 - half, 0.12 + half))
    untested = np.hstack([ahead, np.full((1, 9), np.nan)])
    np.testing.assert_allclose(
        difference_interval(gaps, 0.25, untested), difference_interval(gaps, 0.25, ahead)
    )
    twice = np.repeat(ahead, 2, axis=0)
    np.testing.assert_allclose(
        difference_interval(gaps, 0.25, twice), difference_interval(gaps, 0.25, ahead)
    )
    pairs = np.repeat(np.arange(25), 2)
    assert np.ptp(difference_interval(gaps, 0.25, ahead, pairs)) == pytest.approx(
        2 * half * np.sqrt(2)
    )


def test_samples_that_were_not_tested_do_not_count_for_groups():
    groups = np.repeat(np.arange(25), 4)
    is_right = (np.random.default_rng(0).random((1, 25))[:, groups] < 0.5).astype(float)
    some = np.where(groups < 20, is_right, np.nan)
    assert design_effect(some, groups) == design_effect(is_right[:, groups < 20], groups[:80])
