"""95 % confidence intervals: never of width 0, wider for what is less sure, and they cover."""

import numpy as np
import pytest
from scipy.stats import binomtest

from centroidal.model_selection.intervals import (
    DRAWN,
    Kinds,
    Outcome,
    bootstrap_scores,
    confidence_interval,
    design_effect,
    difference_interval,
    fold_interval,
    linear_spread,
    student_factor,
)
from centroidal.model_selection.methods import PROBABILITY_SCORES, SCORES
from centroidal.model_selection.metrics import (
    confusion_matrices,
    score_confusion,
    score_influences,
    score_probabilities,
)

from ..l2 import select_features


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


# ------------------------------------------------------------------ resamples


def grouped_predictions(n_groups=200, n_classes=3, seed=0):
    """Samples of which those of a group are mostly predicted to be of the same class."""
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(np.arange(n_groups), rng.integers(1, 6, size=n_groups)))
    codes = np.where(rng.random(groups.size) < 0.1, 0, groups % n_classes)
    of_group = np.where(rng.random(n_groups) < 0.3, rng.integers(n_classes, size=n_groups), -1)
    predicted = np.where(of_group[groups] < 0, codes, of_group[groups])
    return predicted, codes, groups


def draw_slowly(name, predicted, codes, groups, n_draws=3000):
    """Draw groups with replacement, copy their samples, and score them, again and again."""
    rng, rows = np.random.default_rng(0), [np.flatnonzero(groups == g) for g in np.unique(groups)]
    scores = []
    for _ in range(n_draws):
        drawn = np.concatenate([rows[g] for g in rng.integers(len(rows), size=len(rows))])
        (confusion,) = confusion_matrices(predicted[None, drawn], codes[drawn], codes.max() + 1)
        scores.append(score_confusion(confusion, name))
    return np.std(scores)


@pytest.mark.parametrize("name", DRAWN)
def test_spread_of_kinds_of_groups_is_that_of_drawing_groups_one_by_one(name):
    predicted, codes, groups = grouped_predictions()
    kinds = Kinds.of_groups(predicted[None], codes, groups, 3)
    assert kinds.numbers.sum() == pytest.approx(200)
    assert kinds.numbers.size < 100
    slow = draw_slowly(name, predicted, codes, groups)
    assert kinds.spread(name, 0) == pytest.approx(slow, rel=0.1)
    assert slow > 1.3 * draw_slowly(name, predicted, codes, np.arange(codes.size))


@pytest.mark.parametrize("name", DRAWN)
def test_samples_are_groups_of_one_for_resamples(name):
    predicted, codes, _ = grouped_predictions()
    twice = np.stack([predicted, np.roll(predicted, 1)])
    confusion = confusion_matrices(twice, codes, 3).sum(axis=0) / 2
    alone = Kinds.of_groups(twice, codes, np.arange(codes.size), 3)
    assert alone.spread(name, 3) == pytest.approx(Kinds.of_samples(confusion).spread(name, 3))


@pytest.mark.parametrize("name", DRAWN)
def test_neither_copies_nor_repeats_nor_untested_samples_change_resamples_of_groups(name):
    predicted, codes, groups = grouped_predictions()
    expected = Kinds.of_groups(predicted[None], codes, groups, 3).spread(name, 0)
    copies = [np.tile(each, 3) for each in (predicted[None], codes, groups)]
    repeats = np.stack([predicted, predicted]), codes, groups
    untested = ((predicted, [-1, -1]), (codes, [0, 1]), (groups, [200, 3]))
    others = [np.append(*each) for each in untested]
    for changed in (copies, repeats, (others[0][None], *others[1:])):
        assert Kinds.of_groups(*changed, 3).spread(name, 0) == pytest.approx(expected)


@pytest.mark.parametrize("name", DRAWN)
def test_interval_is_as_wide_as_resamples_of_groups_say(name):
    confusion = matrices([0.85], 40)
    outcome = Outcome.of_folds(confusion, name, 1, 0.0)
    value = float(outcome.scores[0])
    low, high = confidence_interval(outcome, name, value, units=20, spread=0.1)
    assert high == min(1.0, value + student_factor(20) * 0.1)
    assert low == pytest.approx(value - student_factor(20) * 0.1)
    # Less than samples that are all independent give is by chance.
    narrow = confidence_interval(outcome, name, value, units=80, spread=1e-6)
    assert narrow == confidence_interval(outcome, name, value, units=80)


@pytest.mark.parametrize("name", DRAWN)
def test_selection_resamples_whole_groups(name):
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), 5)
    y = (np.arange(40) % 2)[groups]
    X = rng.normal(size=(40, 30))[groups] + 0.1 * rng.normal(size=(200, 30))
    X[:, :3] += 0.7 * y[:, None]
    found = select_features(X, y, groups=groups, n_repeats=2, random_state=0)
    kinds = [draw_slowly(name, each, y, groups, 500) for each in found.predicted]
    low, high = found.intervals[name]
    assert found.metrics[name] - low > 0.9 * student_factor(40) * np.mean(kinds)
    assert high - found.metrics[name] > 0.9 * student_factor(40) * np.mean(kinds)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_grouped", [False, True])
def test_spread_by_influences_is_that_of_resamples(n_classes, is_grouped):
    rng = np.random.default_rng(n_classes)
    groups = np.arange(600) // 3
    codes = (groups if is_grouped else np.arange(600)) % n_classes
    noise = rng.normal(size=(600, n_classes)) + rng.normal(size=(200, n_classes))[groups]
    shares = np.exp(np.round(np.eye(n_classes)[codes] + noise, 1))
    shares /= shares.sum(axis=1, keepdims=True)
    units = groups if is_grouped else np.arange(600)
    influences = score_influences(shares, codes, tuple(PROBABILITY_SCORES))

    def score(weights):
        return score_probabilities(shares, codes, weights)

    drawn = bootstrap_scores(score, codes, units, 2000, np.random.default_rng(0))
    for name, values in drawn.items():
        assert linear_spread(influences[name], units) == pytest.approx(np.std(values), rel=0.08)
