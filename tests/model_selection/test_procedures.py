"""Classifiers along a ranking: fitted at once, they are those that are fitted one by one."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from centroidal import SparseCenterClassifier, WhitenedCenterClassifier
from centroidal.model_selection.linear_svm import ProbabilityLinearSVC
from centroidal.model_selection.procedures import RankedPath

SIZES = np.array([1, 2, 5, 20, 35, 60])


@pytest.mark.parametrize("to", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    "estimators",
    [
        [SparseCenterClassifier(scale="std"), WhitenedCenterClassifier()],
        [SparseCenterClassifier(metric="mahalanobis")],
        [WhitenedCenterClassifier(n_features_to_select=1)],  # of those that it is given
    ],
    ids=["all features", "mixtures of features", "one feature"],
)
def test_models_of_all_sizes_are_those_fitted_by_themselves(rng, to, estimators):
    y = np.arange(45) % 3
    X = rng.normal(size=(45, 60)) + (y[:, None] == np.arange(60) % 3)
    ranking, sizes = rng.permutation(60), np.repeat(SIZES, len(estimators))
    path = RankedPath(ranking, estimators, to(X[:30]), y[:30], sizes)
    for place, (model, part) in enumerate(path.fit_models(to(X[30:]))):
        columns = np.sort(ranking[: sizes[place]])
        alone = estimators[place % len(estimators)].fit(to(X[:30][:, columns]), y[:30])
        expected = alone.predict_proba(to(X[30:][:, columns]))
        np.testing.assert_allclose(model.predict_proba(part), expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(solver="newton-cg", C=0.1, class_weight="balanced"),
        LogisticRegression(solver="newton-cg", C=0.1, class_weight={0: 1.0, 1: 3.0, 2: 1.0}),
        ProbabilityLinearSVC(loss="hinge", C=0.1, class_weight="balanced", random_state=0),
    ],
    ids=["logistic regression", "given weights", "linear SVM"],
)
def test_classes_that_are_weighed_once_have_the_weights_of_every_fit(rng, classifier):
    y = np.repeat([0, 1, 2], [25, 12, 8])
    X = rng.normal(size=(45, 60)) + (y[:, None] == np.arange(60) % 3)
    ranking = rng.permutation(60)
    path = RankedPath(ranking, [classifier], X, y, SIZES)
    for size, (model, part) in zip(SIZES, path.fit_models(X), strict=True):
        columns = np.sort(ranking[:size])
        np.testing.assert_array_equal(part, X[:, columns])
        expected = classifier.fit(X[:, columns], y).coef_
        np.testing.assert_allclose(model.coef_, expected, rtol=1e-8, atol=1e-10)


def test_models_of_a_path_stay_what_they_are_when_the_next_is_fitted(rng):
    X, y = rng.normal(size=(30, 8)), np.arange(30) % 2
    path = RankedPath(rng.permutation(8), [GaussianNB()], X, y, np.array([2, 4, 8]))
    assert [model.theta_.shape[1] for model, _ in list(path.fit_models(X))] == [2, 4, 8]
