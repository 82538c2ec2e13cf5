"""No calls of held-out samples: each fold is judged by what the others teach."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

from centroidal.datasets import make_expression
from centroidal.io import evaluate_model, predict_table, read_table
from centroidal.io.evaluation import say_calls
from centroidal.model_selection import nested
from centroidal.model_selection.feature_flow import split_conformal
from centroidal.solvers.conformal import Calibration, HeldOut, count_calls, describe_calls

from ..l2 import select_features


@pytest.fixture(scope="module")
def samples():
    made = make_expression(150, 60, 12, n_classes=3, effect=0.9, random_state=0)
    return made.data, np.array(["a", "b", "c"])[made.target]


@pytest.fixture(scope="module")
def found(samples):
    return select_features(*samples, n_repeats=2, random_state=0)


def test_counts_are_of_samples_and_classes():
    credible = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 0]], dtype=bool)
    calls = describe_calls(credible, np.array([0, 2, 0, 1]), 0.1)
    assert (calls["called"], calls["several"], calls["none"]) == (0.5, 0.25, 0.25)
    assert (calls["accuracy"], calls["coverage"]) == (0.5, 0.5)
    assert calls["class_coverage"] == [1.0, 0.0, 0.0]
    assert "50.0 % of the samples get a class, 50.0 % of these the right one" in say_calls(calls)
    none = describe_calls(credible[3:], np.array([0]), 0.1)
    assert none["accuracy"] is None
    assert "0.0 % of the samples get a class; " in say_calls(none)


def test_each_fold_is_judged_by_the_others():
    rng = np.random.default_rng(0)

    def draw(number):
        codes = rng.integers(0, 2, number)
        shares = rng.dirichlet([1.0, 1.0], number)
        lengths = rng.lognormal(size=(number, 3))
        return HeldOut(shares, codes, lengths[:, :2], lengths[:, 2:])

    folds = [draw(30), draw(40), draw(50)]
    (_, calls, *_) = count_calls(folds, calibrates=True)
    sets = [
        Calibration.of([HeldOut.join([folds[i] for i in range(3) if i != place])]).credible(
            fold, 0.05
        )
        for place, fold in enumerate(folds)
    ]
    codes = np.concatenate([fold.codes for fold in folds])
    assert calls == describe_calls(np.concatenate(sets), codes, 0.05)


def test_coverage_of_held_out_samples_is_what_was_asked_for(found):
    assert [each["no_call"] for each in found.calls] == [0.01, 0.05, 0.1, 0.2]
    for each in found.calls:
        error = np.sqrt(each["no_call"] * (1.0 - each["no_call"]) / 150)
        assert each["coverage"] > 1.0 - each["no_call"] - 3.0 * error
    assert found.calls[2]["called"] > 0.4


def test_each_classifier_is_calibrated_by_what_itself_says(samples, monkeypatch):
    options = {"method": "recursive", "n_features_to_select": 12, "n_repeats": 1, "cv": 3}
    found = select_features(*samples, random_state=0, **options)
    names = list(found.classifier_scores)
    for number, name in enumerate(names):
        # Of all three folds this one is chosen, and of the two inside each fold the next.
        choices = {3: number, 2: (number + 1) % len(names)}
        monkeypatch.setattr(nested, "_choose_classifier", lambda each, _, c=choices: c[len(each)])
        mixed = select_features(*samples, random_state=0, **options)
        assert mixed.classifier == name
        assert name not in [each["classifier"] for each in mixed.fold_choices]
        monkeypatch.setattr(nested, "_choose_classifier", lambda *_, n=number: n)
        alone = select_features(*samples, random_state=0, **options)
        for mine, its in zip(mixed.model.calibration_, alone.model.calibration_, strict=True):
            if not isinstance(mine, tuple):
                np.testing.assert_array_equal(mine, its)


def test_promised_log_loss_is_that_of_new_samples():
    losses = []
    for seed in range(6):
        made = make_expression(1000, 60, 12, n_classes=3, effect=0.9, random_state=seed)
        X, y, new, labels = made.data[:200], made.target[:200], made.data[200:], made.target[200:]
        found = select_features(X, y, n_repeats=1, cv=3, random_state=0)
        shares = [model.predict_proba(new) for model in (found.model, found.model.estimator_)]
        losses.append([found.metrics["log_loss"], *(log_loss(labels, each) for each in shares)])
    promised, calibrated, raw = np.mean(losses, axis=0)
    assert promised == pytest.approx(calibrated, rel=0.15)
    assert calibrated < raw


@pytest.mark.parametrize(
    "options", [{"scoring": "neg_log_loss"}, {"class_weight": "balanced"}], ids=str
)
def test_probabilities_that_decide_or_are_scored_stay_as_they_are(samples, options):
    X, y = samples
    found = select_features(X, y, n_repeats=1, cv=3, random_state=0, **options)
    _, conformal = split_conformal(found.model)
    assert conformal.calibration_.temperature == 1.0
    raw = conformal.estimator_.predict_proba(X)
    np.testing.assert_allclose(found.model.predict_proba(X), raw, rtol=1e-9, atol=1e-300)
    assert found.calls is not None


@pytest.mark.parametrize(
    "options", [{"impute": "median"}, {"preprocess": "log1p", "method": "relief"}], ids=str
)
def test_steps_before_the_model_come_before_what_is_measured(samples, options):
    X, y = np.abs(samples[0]), samples[1]
    found = select_features(X, y, n_repeats=1, cv=3, random_state=0, **options)
    names = [f"x{j}" for j in range(60)]
    rows = np.vstack([X[:40], 0.0 * X[:1], 10.0 * X[:5], 100.0 * X[:5]])
    table = read_table(pd.DataFrame(rows, columns=names))
    predictions = predict_table(found.model, table, no_call=0.1)
    before, conformal = split_conformal(found.model)
    expected = conformal.predict_set(before.transform(rows), 0.1)
    np.testing.assert_array_equal(predictions.credible, expected)
    assert not predictions.credible[40:].any()
    assert predictions.calls[40:].tolist() == [None] * 11
    is_called = expected.sum(axis=1) == 1
    assert [label is not None for label in predictions.calls] == is_called.tolist()


def test_groups_stay_together_when_samples_are_held_out(samples):
    X, y = samples[0][:60], samples[1][:60]
    X, y, groups = np.repeat(X, 3, axis=0), np.repeat(y, 3), np.repeat(np.arange(60), 3)
    options = {"n_features_to_select": 10, "n_repeats": 1, "random_state": 0}
    together = select_features(X, y, groups=groups, **options)
    apart = select_features(X, y, **options)
    kept, leaked = (each.model.calibration_ for each in (together, apart))
    assert kept.scores.mean() > leaked.scores.mean()
    assert kept.usual.distance > leaked.usual.distance


def test_evaluation_counts_calls(samples, found):
    X, y = samples
    evaluation = evaluate_model(found.model, X, y, n_bootstrap=50, no_call=0.1)
    expected = found.model.predict_set(X, 0.1)
    assert evaluation.calls == describe_calls(expected, found.true_codes, 0.1)
    assert "No call at 0.1:" in evaluation.summary()
    assert evaluate_model(found.model, X, y, n_bootstrap=50).calls is None
