"""Verdicts: each rule at its bounds, on selections that are real but for what it looks at."""

from dataclasses import replace

import numpy as np
import pytest

from centroidal.model_selection import PermutationTest
from centroidal.model_selection.learning import LearningCurve
from centroidal.model_selection.verdicts import judge

from ..l2 import select_features


@pytest.fixture(scope="module")
def selection():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 10)) + 2.0 * (np.arange(10) < 2) * y[:, None]
    return select_features(X, y, method="l2", n_features_to_select=2, n_repeats=1, random_state=0)


def _verdicts(selection, **changes):
    return {each.question: each.verdict for each in judge(replace(selection, **changes))}


def _test(selection, n_as_good, n_false):
    scores = np.r_[np.ones(n_as_good), np.zeros(99 - n_as_good)]
    expected = np.full(10, n_false)
    return PermutationTest(
        selection.score, scores, 99, None, "samples", expected, expected, expected
    )


@pytest.mark.parametrize(("n_as_good", "verdict"), [(0, "fine"), (4, "fine"), (5, "no")])
def test_chance_is_ruled_out_up_to_five_percent(selection, n_as_good, verdict):
    test = _test(selection, n_as_good, 0.0)
    assert _verdicts(selection, permutations=test)["Is the score more than chance?"] == verdict


@pytest.mark.parametrize(("n_permutations", "verdict"), [(18, "caution"), (19, "fine")])
def test_chance_is_not_ruled_out_by_a_few_permutations(selection, n_permutations, verdict):
    test = replace(_test(selection, 0, 0.0), null_scores=np.zeros(n_permutations))
    assert _verdicts(selection, permutations=test)["Is the score more than chance?"] == verdict


def test_line_of_all_verdicts_names_those_that_are_not_fine(selection):
    asked = {"permutations": _test(selection, 99, 5.0), "interval": (0.4, 0.9)}
    assert replace(selection, **asked).checklist_summary() == (
        "1 of 4 answers are fine. Caution: Is it better than a guess? "
        "No: Is the score more than chance? Are the features more than luck?"
    )


def test_numbers_of_lucky_features_are_written_in_full(selection):
    many = np.full(10, 142.6)
    test = replace(_test(selection, 0, 0.0), expected_false=many)
    assert "at most 143 of them" in test.summary(np.arange(10).repeat(20))


def test_chance_is_not_ruled_out_where_nobody_looked(selection):
    assert _verdicts(selection)["Is the score more than chance?"] == "caution"


@pytest.mark.parametrize(
    ("n_false", "verdict"), [(0.1, "fine"), (0.3, "caution"), (1.1, "no"), (5.0, "no")]
)
def test_luck_is_judged_by_its_share_of_the_features(selection, n_false, verdict):
    test = _test(selection, 0, n_false)
    assert _verdicts(selection, permutations=test)["Are the features more than luck?"] == verdict


@pytest.mark.parametrize(("interval", "verdict"), [((0.6, 0.9), "fine"), ((0.4, 0.9), "caution")])
def test_interval_must_lie_above_a_guess(selection, interval, verdict):
    assert _verdicts(selection, interval=interval)["Is it better than a guess?"] == verdict


@pytest.mark.parametrize(
    ("kind", "share", "verdict"),
    [("copies", 0.5, "no"), ("copies", 0.001, "caution"), ("giveaway", 1.0, "caution")],
)
def test_suspicions_are_told(selection, kind, share, verdict):
    suspicion = {"kind": kind, "share": share, "n_samples": 30, "sentence": "Look here."}
    found = judge(replace(selection, suspicions=(suspicion,)))
    (mine,) = [each for each in found if each.question == "Are test samples really new?"]
    assert (mine.verdict, mine.reason) == (verdict, "Look here.")


@pytest.mark.parametrize(
    ("score", "strength", "verdict"), [(0.9, 0.0, "fine"), (0.5, 0.0, "caution"), (0.9, 0.8, "no")]
)
def test_blocks_are_judged_by_their_score_and_by_the_classes_in_them(
    selection, score, strength, verdict
):
    row = {"block": "a", "score": score, "trouble": None}
    blocks = {"rows": (row,), "score": score, "cramers_v": strength, "p_value": 0.001}
    changes = {"blocks": blocks, "interval": (0.8, 0.95)}
    assert _verdicts(selection, **changes)["Does it hold in another block?"] == verdict


@pytest.mark.parametrize(
    ("law", "verdict"),
    [([0.9, 1.0, 1.0], "fine"), ([1.0, 3.0, 0.5], "caution"), (None, "caution")],
)
def test_samples_are_enough_if_more_add_little(selection, law, verdict):
    sizes = np.array([30.0, 60.0])
    law = None if law is None else np.array(law)
    means = np.full(2, 0.5) if law is None else law[0] - law[1] * sizes ** -law[2]
    laws = None if law is None else law[None]
    curve = LearningCurve(sizes, np.tile(means, (3, 1)), "accuracy", law, "nobody knows", laws)
    assert _verdicts(selection, learning_curve=curve)["Are there enough samples?"] == verdict


@pytest.mark.parametrize(
    ("alone", "adjusted", "verdict"),
    [(0.6, 0.9, "fine"), (0.6, 0.7, "caution"), (0.9, 0.9, "no")],
)
def test_covariates_must_not_do_as_well(selection, alone, adjusted, verdict):
    covariates = {"names": ("age",), "score": alone, "adjusted_score": adjusted}
    changes = {"covariates": covariates, "interval": (0.8, 0.95)}
    assert _verdicts(selection, **changes)["Is it more than the covariates?"] == verdict


def test_covariates_that_guess_explain_nothing_even_in_a_wide_interval(selection):
    covariates = {"names": ("age",), "score": 0.5, "adjusted_score": 0.9}
    changes = {"covariates": covariates, "interval": (0.4, 0.95)}
    assert _verdicts(selection, **changes)["Is it more than the covariates?"] == "fine"


def test_what_was_not_asked_for_is_not_judged(selection):
    assert set(_verdicts(selection)) == {
        "Is the score more than chance?",
        "Is it better than a guess?",
        "Are test samples really new?",
    }
