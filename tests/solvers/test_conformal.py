"""Conformal prediction: p-values, thresholds, and the coverage they promise."""

import crepes
import numpy as np
import pytest
from scipy.special import softmax

from centroidal.solvers.conformal import (
    Calibration,
    HeldOut,
    p_values,
    pool_classes,
    samples_needed,
)
from tests.reference.calibration import slow_p_values

SIZES = (70, 45, 40)


def drawn(rng, sizes=SIZES, n_dimensions=2):
    """Samples around three centers, with probabilities, distances and sizes of rows."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    centers = 2.0 * np.eye(len(sizes), n_dimensions) + 5.0
    X = centers[codes] + rng.normal(size=(codes.size, n_dimensions))
    distances = np.linalg.norm(X[:, None] - centers, axis=2)
    shares = softmax(-(distances**2), axis=1)
    return HeldOut(shares, codes, distances, np.linalg.norm(X, axis=1, keepdims=True))


@pytest.fixture
def known():
    return drawn(np.random.default_rng(0))


@pytest.fixture
def calibration(known):
    return Calibration.of([known])


def test_p_values_are_those_of_plain_loops_and_of_crepes(calibration):
    new = drawn(np.random.default_rng(1))
    scores, _ = calibration.nonconformity(new)
    scores = np.round(scores, 1)  # with ties
    held_out, codes = np.round(calibration.scores, 1), calibration.codes
    found = p_values(scores, held_out, codes)
    np.testing.assert_allclose(found, slow_p_values(scores, held_out, codes), rtol=1e-14)
    theirs = crepes.ConformalClassifier().fit(held_out, bins=codes)
    for code in range(3):
        bins = np.full(len(scores), code)
        expected = theirs.predict_p(scores, bins=bins, smoothing=False)[:, code]
        np.testing.assert_allclose(found[:, code], expected, rtol=1e-12)


@pytest.mark.parametrize("level", [0.05, 0.1, 0.3])
def test_credible_classes_are_those_of_crepes_at_half_the_level_with_outliers_at_the_other(
    level, calibration
):
    new, number = drawn(np.random.default_rng(2)), calibration.codes.size + 1
    scores, outlyingness = calibration.nonconformity(new)
    spent = int(level / 2 * number) / number
    # All three classes have samples enough, so each is judged by its own.
    assert min(SIZES) >= samples_needed(level - spent)
    classes = crepes.ConformalClassifier().fit(calibration.scores, bins=calibration.codes)
    outliers = crepes.ConformalClassifier().fit(calibration.outlyingness)
    expected = outliers.predict_p(outlyingness, smoothing=False) > spent + 1e-12
    for code in range(3):
        bins = np.full(len(scores), code)
        found = classes.predict_p(scores, bins=bins, smoothing=False)[:, code]
        expected[:, code] &= found > level - spent + 1e-12
    np.testing.assert_array_equal(calibration.credible(new, level), expected)


def beside(rng, samples):
    """The same samples with measures of a background, some of them far from usual."""
    number = samples.codes.size
    measured = np.column_stack([rng.beta(2.0, 4.0, number), rng.lognormal(3.0, 0.3, number)])
    return samples._replace(background=measured)


@pytest.mark.parametrize("sizes", [(60, 60, 60), (90, 20, 12), (25, 8, 6)])
@pytest.mark.parametrize("has_background", [False, True])
def test_coverage_is_kept_over_two_hundred_splits(sizes, has_background):
    rng, level = np.random.default_rng(0), 0.1
    covered = np.zeros(3)
    for _ in range(200):
        new, known = drawn(rng, (50, 50, 50)), drawn(rng, sizes)
        if has_background:
            new, known = beside(rng, new), beside(rng, known)
        found = Calibration.of([known]).credible(new, level)
        covered += np.bincount(new.codes, new.own(found), minlength=3) / 50 / 200
    error = np.sqrt(0.1 * 0.9 / 200)  # of one sample a split, more than that of fifty
    is_alone = np.array(sizes) >= 40
    assert (covered[is_alone] > 1.0 - level - 2.0 * error).all()
    # Those that are judged together keep it together, in the shares that they have.
    weights = np.array(sizes) / np.sum(sizes)
    assert covered @ weights > 1.0 - level - 2.0 * error
    assert covered.min() > 0.75
    if min(sizes) > 40:
        assert covered.max() < 0.97  # more would call fewer samples than could be


@pytest.mark.parametrize(
    ("counts", "level", "pools"),
    [
        ([30, 40, 50], 0.05, [0, 1, 2]),
        ([30, 8, 50, 12], 0.05, [0, 1, 2, 1]),  # 8 and 12 are 20
        ([30, 8, 50], 0.05, [1, 1, 2]),  # 8 alone are too few, 30 is the next larger one
        ([5, 4, 3], 0.05, [2, 2, 2]),
        ([19, 19], 0.05, [0, 1]),
        ([18, 19], 0.05, [0, 0]),
        ([30, 30], 0.0, [0, 0]),
    ],
)
def test_classes_with_too_few_samples_are_judged_together(counts, level, pools):
    assert pool_classes(np.array(counts), level).tolist() == pools


def test_samples_needed_to_exclude_a_class():
    assert [samples_needed(level) for level in (0.05, 0.1, 0.5, 0.0)] == [19, 9, 1, np.inf]
    for level in (0.05, 0.07, 0.1, 1 / 3):
        number = samples_needed(level)
        assert 1 / (number + 1) <= level + 1e-12 < 1 / number + 2e-12


def test_too_few_samples_exclude_nothing():
    calibration = Calibration.of([drawn(np.random.default_rng(0), (4, 4, 4))])
    most = calibration.thresholds(3, 0.05)
    assert np.isinf(most.scores).all()
    assert np.isinf(most.outlyingness)
    assert calibration.credible(drawn(np.random.default_rng(1)), 0.05).all()


def test_a_larger_share_of_errors_allowed_leaves_fewer_classes(calibration):
    new = drawn(np.random.default_rng(3))
    sets = [calibration.credible(new, level) for level in (0.02, 0.05, 0.1, 0.2, 0.4)]
    for more, less in zip(sets, sets[1:], strict=False):
        assert less.sum() < more.sum()


def test_far_samples_are_of_no_class_though_their_probabilities_are_sure(calibration, known):
    far = known._replace(distances=known.distances + 50.0)
    assert not calibration.credible(far, 0.1).any()
    larger = known._replace(sizes=10.0 * known.sizes)
    assert not calibration.credible(larger, 0.1).any()
    nothing = known._replace(sizes=0.0 * known.sizes)
    assert not calibration.credible(nothing, 0.1).any()


def test_what_a_background_does_not_know_is_of_no_class(known):
    known = beside(np.random.default_rng(1), known)
    calibration = Calibration.of([known])
    strange = np.column_stack([np.full(known.codes.size, 1e-3), known.background[:, 1]])
    assert not calibration.credible(known._replace(background=strange), 0.1).any()
    larger = known.background * [1.0, 100.0]
    assert not calibration.credible(known._replace(background=larger), 0.1).any()
    alone = calibration._replace(background=None)
    np.testing.assert_array_equal(alone.known_outlyingness, calibration.outlyingness)
    assert alone.credible(known._replace(background=strange), 0.1).any()


def test_repeats_teach_the_temperature_and_the_first_the_rest(known):
    again = drawn(np.random.default_rng(9))
    both = Calibration.of([known, HeldOut(again.probabilities, again.codes)])
    alone = Calibration.of([known])
    assert both.temperature != alone.temperature
    assert both.codes is known.codes
    np.testing.assert_array_equal(both.outlyingness, alone.outlyingness)


def test_probabilities_may_stay_as_they_are(known):
    plain = Calibration.of([known], calibrates=False)
    assert plain.temperature == 1.0
    np.testing.assert_allclose(plain.scores, -np.log(known.own(known.probabilities)), rtol=1e-12)
