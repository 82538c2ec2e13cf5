"""Random features: as many as a reference selects, whatever the classifier."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from centroidal.datasets import make_expression, make_word_counts
from centroidal.model_selection import RandomFeaturesClassifier, compare

QUICK = {"cv": 3, "n_repeats": 1, "random_state": 0}


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, np.array(["a", "b", "c"])[data.target]


@pytest.fixture(scope="module")
def words():
    data = make_word_counts(90, 40, n_informative=8, random_state=0)
    return data.data, data.target


def test_random_features_take_what_scorers_need(words):
    X, y = words
    members = {
        "logistic": RandomFeaturesClassifier(0.2),
        "centroid": RandomFeaturesClassifier(5, estimator=LinearSVC()),
    }
    result = compare(members, X, y == y[0], scoring="roc_auc", **QUICK)
    assert not result.table["n_failed"].any()
    assert result.table["mean_n_features"].tolist() == [8, 5]
    model = RandomFeaturesClassifier(3, estimator=LinearSVC())
    assert hasattr(model, "decision_function")
    assert not hasattr(model, "predict_proba")
    assert hasattr(RandomFeaturesClassifier(), "predict_proba")


def test_random_features_need_a_reference_that_says(genes):
    with pytest.raises(TypeError, match="reference=KNeighborsClassifier.* must say which features"):
        RandomFeaturesClassifier(KNeighborsClassifier()).fit(*genes)
    with pytest.raises(ValueError, match="n_features_to_select=31 must lie between"):
        RandomFeaturesClassifier(31).fit(*genes)
    with pytest.raises(TypeError, match="estimator='svm' must be a classifier"):
        RandomFeaturesClassifier(3, estimator="svm").fit(*genes)
