"""Whitened centers on as many features as cross-validation finds."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from centroidal import (
    RecursiveRidgeSelector,
    WhitenedCenterClassifier,
    WhitenedCenterClassifierCV,
)
from centroidal.datasets import make_expression


@pytest.fixture(scope="module")
def genes():
    return make_expression(60, 90, n_informative=6, random_state=0)


@pytest.mark.parametrize("ranking", [None, RecursiveRidgeSelector()])
@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
@pytest.mark.parametrize("covariance", ["within", "total"])
def test_scores_are_those_of_a_grid_search(genes, ranking, scoring, covariance):
    sizes, options = [1, 4, 20, 90], {"ranking": ranking, "covariance": covariance}
    model = WhitenedCenterClassifierCV(
        n_features_grid=sizes, cv=3, scoring=scoring, rule="best", **options
    ).fit(genes.data, genes.target)
    search = GridSearchCV(
        WhitenedCenterClassifier(**options),
        {"n_features_to_select": sizes},
        cv=3,
        scoring=scoring,
    ).fit(genes.data, genes.target)
    expected = search.cv_results_["mean_test_score"]
    np.testing.assert_allclose(model.path_["mean_test_score"], expected, rtol=1e-8)


def test_model_is_that_of_the_chosen_number(genes):
    model = WhitenedCenterClassifierCV(cv=3).fit(genes.data, genes.target)
    plain = WhitenedCenterClassifier(model.n_features_to_select_).fit(genes.data, genes.target)
    np.testing.assert_allclose(model.coef_, plain.coef_)
    np.testing.assert_array_equal(model.support_, plain.support_)


def test_class_that_is_missing_in_a_training_set_is_not_predicted_there():
    X = np.array([[0.0], [0.1], [1.0], [1.1], [5.0], [0.2], [0.9], [0.3], [1.2]])
    y = np.array([0, 0, 1, 1, 2, 0, 1, 0, 1])
    folds = [(np.array([0, 1, 2, 3, 5, 6]), np.array([4, 7, 8]))]
    model = WhitenedCenterClassifierCV(n_features_grid=[1], cv=folds).fit(X, y)
    assert model.best_score_ == pytest.approx(2 / 3)
