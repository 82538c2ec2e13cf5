"""Linear support vector machine behind rankings: scikit-learn's, with probabilities."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.svm import LinearSVC

from centroidal.model_selection.linear_svm import ProbabilityLinearSVC


@pytest.fixture(params=[2, 3])
def samples(rng, request):
    y = np.arange(60) % request.param
    return rng.normal(size=(60, 8)) + 1.5 * (y[:, None] == np.arange(8) % request.param), y


def test_it_decides_as_that_of_scikit_learn(samples):
    X, y = samples
    ours, theirs = (
        kind(C=0.1, random_state=0).fit(X, y) for kind in (ProbabilityLinearSVC, LinearSVC)
    )
    np.testing.assert_array_equal(ours.decision_function(X), theirs.decision_function(X))


def test_probabilities_are_the_softmax_of_decision_values(samples):
    X, y = samples
    model = ProbabilityLinearSVC(C=0.1, random_state=0).fit(X, y)
    values, found = model.decision_function(X), model.predict_proba(X)
    expected = softmax(values, axis=1) if values.ndim == 2 else np.c_[expit(-values), expit(values)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_predicted_class_is_the_most_probable_even_where_all_are_certain(samples):
    X, y = samples
    model = ProbabilityLinearSVC(C=0.1, random_state=0).fit(X, y)
    far = 1e6 * X
    winners = model.classes_[model.predict_proba(far).argmax(axis=1)]
    np.testing.assert_array_equal(winners, model.predict(far))
