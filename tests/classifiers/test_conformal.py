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
from centroidal.datasets import load_expression, make_expression
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


@pytest.fixture(scope="module")
def in_modules():
    """Samples whose features go together, as genes do, and a model of most of them."""
    rng = np.random.default_rng(0)
    y = np.arange(180) % 3
    parts = rng.normal(size=(180, 5)) + 2.0 * np.eye(3, 5)[y]
    X = 8.0 + parts @ rng.normal(size=(5, 400)) + rng.normal(size=(180, 400))
    return X, y, ConformalClassifier(MODEL).fit(X[:120], y[:120])


def strange_rows(X, rng):
    """What is no sample, of the same shape."""
    return {
        "zeros": np.zeros_like(X),
        "times ten": 10.0 * X,
        "a tenth": 0.1 * X,
        "noise around zero": rng.normal(size=X.shape),
        "noise of the table": rng.normal(X.mean(), X.std(), size=X.shape),
    }


def test_pure_noise_zeros_and_another_scale_are_of_no_class(samples, fitted):
    X = samples[0][160:]
    for name, rows in strange_rows(X, np.random.default_rng(0)).items():
        sure = fitted.estimator_.predict_proba(rows).max(axis=1)
        found = fitted.predict_set(rows, no_call=0.05)
        assert not found.any(), name
        assert fitted.is_unlike(rows).mean() > 0.9, name
        if name == "times ten":
            assert np.median(sure) > 0.999
    assert (fitted.predict_set(X, 0.05).sum(axis=1) == 1).mean() > 0.6
    assert fitted.is_unlike(X).mean() < 0.1


def test_noise_with_mean_and_spread_of_each_feature_is_of_no_class_where_samples_go_together(
    in_modules,
):
    (X, y, model), rng = in_modules, np.random.default_rng(1)
    rows = strange_rows(X[120:], rng) | {
        "noise of each feature": rng.normal(X.mean(axis=0), X.std(axis=0), size=(60, 400)),
        "values in another order": rng.permuted(X[120:], axis=0),
    }
    for name, each in rows.items():
        assert not model.predict_set(each, 0.1).any(), name
    new = np.arange(120, 180)
    assert model.predict_set(X[new], 0.1)[np.arange(60), y[new]].mean() > 0.8
    alone = model.without_background()
    assert alone.predict_set(rows["noise of each feature"], 0.1).any(axis=1).mean() > 0.1


def test_nothing_but_samples_is_called_of_the_table_that_ships():
    X, y = load_expression(return_X_y=True)
    train, new = np.arange(0, 120, 2), np.arange(1, 120, 2)
    model = ConformalClassifier(MODEL).fit(X[train], y[train])
    for name, rows in strange_rows(X[new], np.random.default_rng(0)).items():
        assert not (model.predict_set(rows, 0.1).sum(axis=1) == 1).any(), name
    assert model.predict_set(X[new], 0.1)[np.arange(60), y[new]].mean() > 0.85


def test_without_its_background_a_model_judges_by_what_it_reads(in_modules):
    X, _, model = in_modules
    alone, new = model.without_background(), X[120:].copy()
    assert alone.background_ is None
    others = np.setdiff1d(np.arange(400), model.columns_)
    before = alone.predict_set(new, 0.1)
    new[:, others] = 0.0
    np.testing.assert_array_equal(alone.predict_set(new, 0.1), before)
    assert not model.predict_set(new, 0.1).any()
    assert alone.calibration_.background is None
    some = model.without_background(others[:20])
    assert some.background_.columns.size == 380
    assert some.calibration_ is model.calibration_
    assert model.without_background(others[:50]).background_ is None


def test_credible_classes_are_those_within_the_thresholds(samples, fitted):
    X = samples[0][160:]
    scores, outlyingness = fitted.nonconformity(X)
    most = fitted.thresholds(0.1)
    expected = (scores <= most.scores) & (outlyingness <= most.outlyingness)
    np.testing.assert_array_equal(fitted.predict_set(X, 0.1), expected)
    np.testing.assert_allclose(scores, -np.log(fitted.predict_proba(X)), rtol=1e-12)


@pytest.mark.parametrize("goes_together", [False, True])
def test_coverage_of_new_samples_is_kept_over_splits(goes_together):
    made = make_expression(600, 60, 10, n_classes=2, effect=0.8, random_state=3)
    X, y = made.data, made.target
    covered, called, rng = [], [], np.random.default_rng(0)
    if goes_together:
        X = X + 0.2 * rng.standard_t(3, size=(600, 2)) @ rng.normal(size=(2, 60))
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
    assert np.mean(called) > (0.3 if goes_together else 0.5)


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
