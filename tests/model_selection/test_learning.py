"""Learning curves: nested draws, the law they follow, and when it is not extrapolated."""

import numpy as np
import pytest

from centroidal.model_selection.learning import LearningCurve, _fit, _fit_law, draw_fewer, power_law
from centroidal.model_selection.sources import MemorySource

from ..l2 import learning_curve, select_features

SIZES = np.array([25.0, 35.0, 50.0, 70.0, 100.0])


def _table(n_samples=60, n_features=20, shift=1.0, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_samples) % 2)
    return rng.normal(size=(n_samples, n_features)) + shift * (np.arange(n_features) < 3) * y[
        :, None
    ], y


def _source(y, groups=None):
    asked = dict.fromkeys(("blocks", "impute", "preprocess", "text", "feature_names"))
    X = np.random.default_rng(0).normal(size=(y.size, 4))
    return MemorySource(X, y, 0, None, None, groups=groups, n_resamples=0, **asked)


def test_draws_are_nested_and_end_with_all_samples():
    draws = draw_fewer(_source(np.arange(60) % 2), 5)
    for first in range(0, len(draws), 5):
        rows = [set(each.rows.tolist()) for each in draws[first : first + 5]]
        assert all(one < other for one, other in zip(rows[:-1], rows[1:], strict=True))
        assert len(rows[-1]) == 60


def test_draws_have_the_shares_of_the_classes():
    y = np.repeat([0, 1], [40, 20])
    smallest = draw_fewer(_source(y), 5)[0].rows
    np.testing.assert_array_equal(np.bincount(y[smallest]), [10, 5])


def test_draws_take_whole_groups():
    groups = np.repeat(np.arange(30), 2)
    for each in draw_fewer(_source((np.arange(30) % 2)[groups], groups), 5):
        counts = np.bincount(groups[each.rows], minlength=30)
        assert set(counts.tolist()) <= {0, 2}


def test_draws_that_inner_folds_cannot_share_are_left_out():
    draws = draw_fewer(_source(np.arange(12) % 2), 5)
    assert min(np.bincount(np.arange(12)[each.rows] % 2).min() for each in draws) >= 3
    assert all(each.n_folds >= 3 for each in draws)


def test_score_of_all_samples_is_that_of_a_selection():
    X, y = _table()
    curve = learning_curve(X, y, method="l2", random_state=0)
    draws = draw_fewer(_source(y), 5)
    own = select_features(X, y, method="l2", n_repeats=1, random_state=draws[4].seed)
    assert curve.scores[0, -1] == own.score


def test_score_of_fewer_samples_is_that_of_a_selection_from_them():
    X, y = _table()
    curve = learning_curve(X, y, method="l2", random_state=0)
    rows, n_folds, seed = draw_fewer(_source(y), 5)[1]
    own = select_features(X[rows], y[rows], method="l2", n_repeats=1, random_state=seed, cv=n_folds)
    assert curve.scores[0, 1] == own.score


def test_law_is_found_again():
    law = np.array([0.95, 2.0, 0.8])
    found = _fit(SIZES, power_law(law, SIZES), np.full(5, 1e-3))
    np.testing.assert_allclose(power_law(found, 150.0), power_law(law, 150.0), atol=2e-3)


def test_law_goes_on_rising_and_its_interval_has_the_truth():
    law, rng = np.array([0.95, 2.0, 0.8]), np.random.default_rng(0)
    scores = power_law(law, SIZES) + rng.normal(scale=0.01, size=(10, 5))
    found, trouble, laws = _fit_law(SIZES, scores, seed=0)
    assert trouble is None
    ends = np.quantile(power_law(laws, 150.0), [0.005, 0.995])
    assert ends[0] < power_law(law, 150.0) < ends[1]
    assert power_law(found, 150.0) > scores[:, -1].mean()


@pytest.mark.parametrize(
    ("means", "words"),
    [
        ([0.5, 0.5, 0.5, 0.5, 0.5], "does not rise"),
        ([0.5, 0.9, 0.4, 0.9, 0.6], "do not follow an inverse power law"),
    ],
)
def test_refuses_to_extrapolate(means, words):
    scores = np.array(means) + np.random.default_rng(0).normal(scale=0.005, size=(10, 5))
    law, trouble, _ = _fit_law(SIZES, scores, seed=0)
    assert law is None
    assert words in trouble


def test_few_samples_are_not_extrapolated():
    X, y = _table(n_samples=10)
    curve = learning_curve(X, y, method="l2", random_state=0)
    assert "too few samples" in curve.trouble
    with pytest.raises(ValueError, match="cannot be extrapolated: there are too few samples"):
        curve.extrapolate(20)


def test_refuses_to_go_too_far():
    X, y = _table(n_samples=120, n_features=60, shift=0.8)
    curve = learning_curve(X, y, method="l2", random_state=0)
    assert curve.law is not None
    score, low, high = curve.extrapolate(180)
    assert low < score < high <= 1.0
    with pytest.raises(ValueError, match="n_samples=361 must lie between 1 and 360"):
        curve.extrapolate(361)


def test_result_does_not_depend_on_the_number_of_jobs():
    X, y = _table(n_samples=30)
    one, two = (learning_curve(X, y, method="l2", random_state=0, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.scores, two.scores)


def test_progress_ends_with_the_last_step():
    X, y = _table(n_samples=30)
    steps = []
    learning_curve(X, y, method="l2", random_state=0, progress=lambda *step: steps.append(step))
    assert steps[-1][0] == steps[-1][1]


def test_losses_are_told_as_they_are():
    scores = np.tile([-0.9, -0.7, -0.6], (3, 1))
    law = np.array([-0.5, 3.0, 0.7])
    curve = LearningCurve(np.array([20, 40, 80]), scores, "neg_log_loss", law, None, law[None])
    assert curve.extrapolate(100)[2] <= 0.0
    assert "now it is 0.600" in curve.summary()
    assert "-" not in str(curve)


def _interrupt_at(step):
    def interrupt(n_done, n_steps, what):
        if what == step:
            raise KeyboardInterrupt

    return interrupt


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupted_curve_is_that_of_the_draws_that_are_finished(n_jobs):
    X, y = _table()
    options = {"method": "l2", "random_state": 0, "n_jobs": n_jobs}
    whole = learning_curve(X, y, **options)
    progress = _interrupt_at("learning curve, 17 of 50")
    found = select_features(X, y, learning_curve=True, progress=progress, **options)
    np.testing.assert_array_equal(found.learning_curve.scores, whole.scores[:3])
    assert "It was interrupted after 3 of 10 draws." in found.learning_curve.summary()
    assert "interrupted" not in whole.summary()


def test_curve_that_is_interrupted_at_once_leaves_the_selection():
    X, y = _table()
    progress = _interrupt_at("learning curve, 4 of 50")
    options = {"method": "l2", "n_permutations": 3, "random_state": 0}
    found = select_features(X, y, learning_curve=True, progress=progress, **options)
    assert found.learning_curve is None
    assert found.permutations.n_permutations == 3
    assert found.score == select_features(X, y, **options).score


def test_curve_that_is_interrupted_at_once_is_none():
    X, y = _table()
    with pytest.raises(KeyboardInterrupt):
        learning_curve(X, y, method="l2", progress=_interrupt_at("learning curve, 4 of 50"))
