"""Classifiers of scikit-learn that are fitted for all numbers of features at once."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from centroidal.model_selection.linear_path import fit_linear_path, has_linear_path
from centroidal.model_selection.linear_svm import ProbabilityLinearSVC
from centroidal.model_selection.methods import METHODS, DataKind

CLASSIFIERS = {
    name: each
    for name, each in METHODS["relief"].build(DataKind(5)).estimator.items()
    if name in ("linear SVM", "logistic regression")
}


@pytest.fixture
def samples():
    rng = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[np.arange(60) % 3]
    return rng.normal(size=(60, 5)) + (y == "b")[:, None], y


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_models_say_what_those_fitted_alone_say(samples, name):
    X, y = samples
    estimator = CLASSIFIERS[name].set_params(tol=1e-8)
    assert has_linear_path(estimator, X)
    models = list(fit_linear_path(estimator, X, y, np.array([1, 3, 5])))
    for size, model in zip([1, 3, 5], models, strict=True):
        alone = estimator.fit(X[:, :size], y)
        probabilities = alone.predict_proba(X[:, :size])
        np.testing.assert_allclose(model.predict_proba(X), probabilities, atol=1e-4)
        assert (model.predict(X) == alone.predict(X[:, :size])).all()


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(solver="liblinear"),
        LogisticRegression(fit_intercept=False),
        ProbabilityLinearSVC(loss="hinge"),
        LinearSVC(),
    ],
    ids=str,
)
def test_other_problems_are_left_to_scikit_learn(samples, estimator):
    assert not has_linear_path(estimator, samples[0])


def test_sparse_samples_are_left_to_scikit_learn(samples):
    assert not has_linear_path(CLASSIFIERS["linear SVM"], csr_array(samples[0]))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_one_class_is_an_error_of_scikit_learn(samples, name):
    X, _ = samples
    with pytest.raises(ValueError, match="class"):
        next(fit_linear_path(CLASSIFIERS[name], X, np.zeros(60), np.array([1])))
