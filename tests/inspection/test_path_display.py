import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

from centroidal import SparseCenterClassifier, SparseCenterClassifierCV
from centroidal.datasets import make_expression
from centroidal.inspection import SparsityPathDisplay


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, data.target


@pytest.fixture(scope="module")
def model(genes):
    return SparseCenterClassifierCV(cv=3).fit(*genes)


def test_line_is_the_path_of_the_estimator(model):
    display = SparsityPathDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.line_.get_xdata(), np.arange(1, 31))
    np.testing.assert_array_equal(display.line_.get_ydata(), model.path_["mean_test_score"])
    np.testing.assert_allclose(display.standard_error, model.path_["se_test_score"])


def test_choice_is_marked(model):
    display = SparsityPathDisplay.from_estimator(model)
    assert display.chosen_line_.get_xdata()[0] == model.n_features_to_select_


def test_axes_say_what_they_show(model):
    display = SparsityPathDisplay.from_estimator(model)
    assert display.ax_.get_xlabel() == "number of features"
    assert display.ax_.get_ylabel() == "accuracy"


def test_picture_is_drawn_on_given_axes(model):
    _, ax = plt.subplots()
    assert SparsityPathDisplay.from_estimator(model, ax=ax).ax_ is ax


def test_results_of_a_grid_search_are_drawn_in_the_order_of_the_numbers(genes):
    search = GridSearchCV(
        make_pipeline(SelectKBest(), NearestCentroid()), {"selectkbest__k": [20, 1, 5]}, cv=3
    ).fit(*genes)
    display = SparsityPathDisplay.from_cv_results(search.cv_results_, param="selectkbest__k")
    assert display.line_.get_xdata().tolist() == [1, 5, 20]
    np.testing.assert_allclose(
        display.standard_error, search.cv_results_["std_test_score"][[1, 2, 0]] / np.sqrt(2)
    )
    assert display.chosen_line_ is None


def test_unknown_column_is_named(model):
    with pytest.raises(ValueError, match="param='k' must be a column of cv_results"):
        SparsityPathDisplay.from_cv_results(model.path_, param="k")


def test_estimator_without_a_path_is_refused(genes):
    with pytest.raises(ValueError, match="SparseCenterClassifier must be fitted and have a path_"):
        SparsityPathDisplay.from_estimator(SparseCenterClassifier().fit(*genes))
