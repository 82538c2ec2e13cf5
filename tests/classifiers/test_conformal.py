"""Calibrated probabilities, and no call for what resembles no class or several."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from centroidal import ConformalClassifier, SparseCenterClassifier
from centroidal.datasets import make_expression
from centroidal.solvers.calibration import temper
from tests.reference.calibration import slow_temperature

MODEL = SparseCenterClassifier(20, scale="within")


@pytest.fixture(scope="module")
def samples():
    made = make_expression(240, 200, 20, n_classes=3, effect=1.0, random_state=0)
    return made.data, np.array(["a", "b", "c"])[made.target]


@pytest.fixture(scope="module")
def fitted(samples):
    X, y = samples
    return ConformalClassifier(MODEL).fit(X[:160], y[:160])


def test_held_out_samples_teach_what_copies_of_the_classifier_say_of_them(samples, fitted):
    X, y = samples[0][:160], samples[1][:160]
    shares = np.empty((160, 3))
    for train, test in StratifiedKFold(5).split(X, y):
        shares[test] = (
            SparseCenterClassifier(20, scale="within")
            .fit(X[train], y[train])
            .predict_proba(X[test])
        )
    codes = np.unique(y, return_inverse=True)[1]
    expected = slow_temperature(shares, codes)
    calibration = fitted.calibration_
    assert calibration.temperature == pytest.approx(expected, rel=1e-5)
    own = temper(shares, calibration.temperature)[np.arange(160), codes]
    np.testing.assert_allclose(np.sort(calibration.scores), np.sort(-np.log(own)), rtol=1e-9)


def test_decisions_are_those_of_the_classifier_and_probabilities_lose_less(samples, fitted):
    X, y = samples[0][160:], samples[1][160:]
    inside = fitted.estimator_
    np.testing.assert_array_equal(fitted.predict(X), inside.predict(X))
    np.testing.assert_array_equal(fitted.decision_function(X), inside.decision_function(X))
    mine, raw = fitted.predict_proba(X), inside.predict_proba(X)
    np.testing.assert_array_equal(mine.argmax(axis=1), raw.argmax(axis=1))
    assert log_loss(y, mine) < 0.7 * log_loss(y, raw)


def test_pure_noise_zeros_and_another_scale_are_of_no_class(samples, fitted):
    X, rng = samples[0][160:], np.random.default_rng(0)
    strange = {
        "zeros": np.zeros_like(X),
        "times ten": 10.0 * X,
        "a tenth": 0.1 * X,
        "noise around zero": rng.normal(size=X.shape),
        "noise of the table": rng.normal(X.mean(), X.std(), size=X.shape),
    }
    for name, rows in strange.items():
        sure = fitted.estimator_.predict_proba(rows).max(axis=1)
        found = fitted.predict_set(rows, no_call=0.05)
        assert not found.any(), name
        assert fitted.is_unlike(rows).mean() > 0.9, name
        if name == "times ten":
            assert np.median(sure) > 0.999
    assert (fitted.predict_set(X, 0.05).sum(axis=1) == 1).mean() > 0.6
    assert fitted.is_unlike(X).mean() < 0.1


def test_credible_classes_are_those_within_the_thresholds(samples, fitted):
    X = samples[0][160:]
    scores, outlyingness = fitted.nonconformity(X)
    most = fitted.thresholds(0.1)
    expected = (scores <= most.scores) & (outlyingness <= most.outlyingness)
    np.testing.assert_array_equal(fitted.predict_set(X, 0.1), expected)
    np.testing.assert_allclose(scores, -np.log(fitted.predict_proba(X)), rtol=1e-12)


def test_coverage_of_new_samples_is_kept_over_splits():
    made = make_expression(600, 60, 10, n_classes=2, effect=0.8, random_state=3)
    X, y = made.data, made.target
    covered, called, rng = [], [], np.random.default_rng(0)
    for _ in range(40):
        order = rng.permutation(600)
        train, test = order[:120], order[120:]
        model = ConformalClassifier(SparseCenterClassifier(8, scale="within")).fit(
            X[train], y[train]
        )
        found = model.predict_set(X[test], 0.1)
        covered.append([found[y[test] == c, c].mean() for c in range(2)])
        called.append((found.sum(axis=1) == 1).mean())
    assert (np.mean(covered, axis=0) > 0.89).all()
    assert np.mean(called) > 0.5


def test_layout_does_not_matter(samples, fitted):
    X, y = samples
    X = np.where(np.median(X) < X, X, 0.0)
    names = [f"g{j}" for j in range(200)]
    for change in (sparse.csr_array, lambda rows: pd.DataFrame(rows, columns=names)):
        plain = ConformalClassifier(SparseCenterClassifier(9)).fit(X[:160], y[:160])
        other = ConformalClassifier(SparseCenterClassifier(9)).fit(change(X[:160]), y[:160])
        for mine, theirs in zip(
            plain.nonconformity(X[160:]), other.nonconformity(change(X[160:])), strict=True
        ):
            np.testing.assert_allclose(mine, theirs, rtol=1e-7)
        assert list(other.get_support(indices=True)) == list(plain.columns_)
    assert other.get_feature_names_out().tolist() == [f"g{j}" for j in plain.columns_]


def test_a_pipeline_reads_all_features_as_far_as_is_known(samples):
    X, y = samples
    model = ConformalClassifier(make_pipeline(StandardScaler(), LogisticRegression())).fit(X, y)
    assert model.get_support().all()
    assert not hasattr(ConformalClassifier(LogisticRegression()), "get_feature_names_out")


def test_groups_stay_together(samples):
    X, y = samples[0][:90], samples[1][:90]
    X, y, groups = np.repeat(X, 2, axis=0), np.repeat(y, 2), np.repeat(np.arange(90), 2)
    together = ConformalClassifier(MODEL, cv=GroupKFold(5)).fit(X, y, groups=groups)
    apart = ConformalClassifier(MODEL, cv=StratifiedKFold(5, shuffle=True, random_state=0)).fit(
        X, y
    )
    assert together.calibration_.scores.mean() > apart.calibration_.scores.mean()


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (ConformalClassifier(RidgeClassifier()), TypeError, "must have probabilities"),
        (ConformalClassifier(MODEL, cv=RepeatedStratifiedKFold()), ValueError, "each sample once"),
    ],
    ids=str,
)
def test_what_cannot_be_held_out_is_refused(samples, model, error, message):
    with pytest.raises(error, match=message):
        model.fit(*samples)


def test_small_classes(samples):
    X, y = samples
    few = np.r_[np.flatnonzero(y == "a")[:30], np.flatnonzero(y == "b")[:3]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ConformalClassifier(MODEL).fit(X[few], y[few])
    assert model.calibration_.codes.size == 33
    with pytest.raises(ValueError, match="needs two samples of each class"):
        ConformalClassifier(MODEL).fit(X[few[:31]], y[few[:31]])
    with pytest.raises(ValueError, match="no_call=1.5 must lie between 0 and 1"):
        model.predict_set(X, 1.5)
