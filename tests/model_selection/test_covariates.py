"""Covariates: what they tell alone, and what is left when they are taken out inside the folds."""

import numpy as np
import pandas
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from centroidal.model_selection.covariates import Covariates, RemoveCovariates
from centroidal.model_selection.splits import cut_samples

from ..l2 import select_features


def _table(seed=0, n_samples=60):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_samples) % 2)
    age = 50.0 + 16.0 * y + rng.normal(scale=6.0, size=n_samples)
    return rng.normal(size=(n_samples, 12)), y, age


def _select(X, y, **options):
    return select_features(X, y, method="l2", n_repeats=1, cv=4, random_state=0, **options)


def test_features_that_follow_a_covariate_tell_nothing_without_it():
    X, y, age = _table()
    found = _select(X + 0.3 * age[:, None], y, covariates={"age": age})
    assert found.covariates["names"] == ("age",)
    assert found.score > 0.7
    assert found.covariates["score"] > 0.7
    assert found.covariates["adjusted_score"] < 0.65


def test_features_that_do_not_follow_it_lose_little():
    X, y, _ = _table()
    other = np.random.default_rng(1).normal(size=y.size)
    X[:, :3] += 2.0 * y[:, None]
    found = _select(X, y, covariates={"other": other})
    assert found.covariates["score"] < 0.7
    assert abs(found.covariates["adjusted_score"] - found.score) < 0.05


def test_score_alone_is_that_of_logistic_regression_in_the_same_folds():
    X, y, age = _table()
    sex = np.where(np.arange(y.size) % 3 == 0, "f", "m")
    found = _select(X, y, covariates={"age": age, "sex": sex})
    from centroidal._data import check_labelled

    data = check_labelled(RemoveCovariates(1), X, y)
    (repeat,) = cut_samples(data, 4, 1, 0, None, 3)
    design, scores = np.column_stack([age, sex == "m"]), []
    for fold in range(4):
        train, test = repeat.folds != fold, repeat.folds == fold
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        scores.append(model.fit(design[train], y[train]).score(design[test], y[test]))
    assert found.covariates["score"] == pytest.approx(np.mean(scores), abs=1e-12)


def test_what_covariates_explain_is_learned_from_the_training_set():
    X, _, age = _table()
    both = np.column_stack([X, age])
    remover = RemoveCovariates(1).fit(both[:40])
    fit = LinearRegression().fit(age[:40, None], X[:40])
    expected = X - (fit.predict(age[:, None]) - X[:40].mean(axis=0))
    np.testing.assert_allclose(remover.transform(both), expected)


def test_covariates_come_as_frame_array_or_dict():
    _, _, age = _table()
    sex = np.where(age > 55.0, "f", "m")
    frame = pandas.DataFrame({"age": age, "sex": sex})
    by_frame = Covariates.check(frame, 60)
    assert by_frame.names == ("age", "sex")
    np.testing.assert_array_equal(by_frame.design, np.column_stack([age, sex == "m"]))
    by_array = Covariates.check(age, 60)
    assert by_array.names == ("covariate 1",)
    texts = Covariates.check({"age": [str(each) for each in age]}, 60)
    np.testing.assert_array_equal(texts.design[:, 0], age)


@pytest.mark.parametrize(
    ("covariates", "words"),
    [
        ({"age": [1.0, 2.0]}, "'age' has 2 values, and there are 60 samples"),
        ({"age": [1.0] * 60}, "must differ between samples"),
        (
            {"age": ["", *["x"] * 59]},
            "'age' has no value for 1 of 60 samples, the first of them in",
        ),
        (np.zeros((60, 2, 2)), "must be a table, or one column"),
    ],
)
def test_refuses(covariates, words):
    X, y, _ = _table()
    with pytest.raises(ValueError, match=words):
        _select(X, y, covariates=covariates)


def test_refuses_other_steps_beside():
    X, y, age = _table()
    with pytest.raises(ValueError, match="covariates must be None with impute, preprocess or text"):
        _select(X, y, covariates={"age": age}, preprocess="snv")


def test_groups_are_in_the_same_folds():
    X, _, _ = _table()
    groups = np.array([f"g{number}" for number in np.arange(60) // 3])
    y = (np.arange(60) // 3) % 2
    noise = np.random.default_rng(3).normal(size=60) * 1e-9
    found = _select(X, y, groups=groups, covariates={"noise": noise})
    assert abs(found.covariates["adjusted_score"] - found.score) < 0.1
