"""PLS-DA of the line-up: that of scikit-learn's regression, and what it does at its limits."""

import numpy as np
import pytest
from sklearn.cross_decomposition import PLSRegression

from centroidal.model_selection.partial_least_squares import PLSDiscriminantClassifier


@pytest.fixture
def samples(rng):
    y = np.repeat(["a", "b", "c"], 12)
    return rng.normal(size=(36, 80)) + 2.0 * (y[:, None] == np.resize(["a", "b"], 80)), y


def test_decision_is_the_regression_of_the_indicators(samples):
    X, y = samples
    model = PLSDiscriminantClassifier(3).fit(X, y)
    expected = PLSRegression(3, scale=False).fit(X, np.array([y == "a", y == "b", y == "c"]).T)
    np.testing.assert_allclose(model.decision_function(X), expected.predict(X))
    assert (model.predict(X) == y).mean() > 0.9


def test_more_latent_variables_than_there_are_change_nothing(samples):
    X, y = samples[0][::4], samples[1][::4]
    most, more = (PLSDiscriminantClassifier(k).fit(X, y) for k in (8, 50))
    np.testing.assert_allclose(
        most.decision_function(samples[0]), more.decision_function(samples[0]), atol=1e-8
    )
