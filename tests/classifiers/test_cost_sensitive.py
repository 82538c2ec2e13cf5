"""Predictions of the least expected cost, and costs that make no sense."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from centroidal import CostSensitiveClassifier, SparseCenterClassifier
from centroidal.datasets import make_expression
from tests.reference.selection import cheapest

COSTS = np.array([[0.0, 1.0, 7.0], [2.0, 0.0, 1.0], [9.0, 0.5, 0.0]])


@pytest.fixture(scope="module")
def samples():
    made = make_expression(80, 12, 3, n_classes=3, effect=1.0, random_state=0)
    return made.data, np.array(["a", "b", "c"])[made.target]


@pytest.mark.parametrize(
    "model", [SparseCenterClassifier(3), make_pipeline(StandardScaler(), LogisticRegression())]
)
def test_the_class_of_the_least_expected_cost_is_predicted(samples, model):
    X, y = samples
    found = CostSensitiveClassifier(model, costs=COSTS).fit(X, y)
    plain = clone(model).fit(X, y)
    np.testing.assert_array_equal(found.predict(X), cheapest(plain, X, COSTS))
    np.testing.assert_array_equal(found.predict_proba(X), plain.predict_proba(X))
    assert not np.array_equal(found.predict(X), plain.predict(X))
    np.testing.assert_allclose(found.decision_function(X), -plain.predict_proba(X) @ COSTS)


def test_without_costs_it_is_the_classifier_inside(samples):
    X, y = samples
    found = CostSensitiveClassifier(SparseCenterClassifier(3)).fit(X, y)
    np.testing.assert_array_equal(found.predict(X), found.estimator_.predict(X))


@pytest.mark.parametrize(
    ("weight", "rows"),
    [({"b": 5}, [1, 5, 1]), ({"a": 2, "b": 3, "c": 4}, [2, 3, 4]), ("balanced", None)],
)
def test_a_class_weight_is_the_cost_of_every_error_of_the_class(samples, weight, rows):
    X, y = samples
    found = CostSensitiveClassifier(SparseCenterClassifier(3), class_weight=weight).fit(X, y)
    if rows is None:
        rows = [y.size / (3 * np.sum(y == label)) for label in "abc"]
    expected = np.outer(rows, np.ones(3)) * (1 - np.eye(3))
    np.testing.assert_allclose(found.costs_, expected, rtol=1e-15)


def test_costs_may_have_labels(samples):
    table = {
        true: {predicted: COSTS[i, j] for j, predicted in enumerate("abc") if i != j}
        for i, true in enumerate("abc")
    }
    frame = pd.DataFrame(COSTS, index=list("abc"), columns=list("abc"))
    for costs in (table, frame, frame.loc[::-1, ["b", "a", "c"]], COSTS.tolist()):
        found = CostSensitiveClassifier(SparseCenterClassifier(), costs=costs).fit(*samples)
        np.testing.assert_array_equal(found.costs_, COSTS)


def test_whole_numbers_are_the_same_labels_as_their_texts(samples):
    X, y = samples
    found = CostSensitiveClassifier(SparseCenterClassifier(), class_weight={"1": 3})
    assert found.fit(X, (y == "b").astype(int)).costs_.tolist() == [[0, 1], [3, 0]]


def test_selected_features_are_those_of_the_classifier_inside(samples):
    found = CostSensitiveClassifier(SparseCenterClassifier(3)).fit(*samples)
    assert found.get_support(indices=True).size == 3
    assert not hasattr(CostSensitiveClassifier(LogisticRegression()), "get_support")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"costs": np.eye(2)}, ValueError, r"costs of shape \(2, 2\) must have a row and a column"),
        ({"costs": [1.0, 2.0, 3.0]}, ValueError, r"costs of shape \(3,\)"),
        ({"costs": -COSTS}, ValueError, "costs must be finite numbers that are not negative"),
        ({"costs": COSTS * np.nan}, ValueError, "costs must be finite numbers"),
        ({"costs": COSTS + np.inf}, ValueError, "costs must be finite numbers"),
        ({"costs": np.eye(3)}, ValueError, "costs must not all be 0"),
        ({"costs": "high"}, TypeError, "costs='high' must be a matrix of numbers"),
        ({"costs": {"d": {"a": 1}}}, ValueError, "costs has the unknown class 'd'; .* a, b, c"),
        ({"costs": {"a": {"d": 1}}}, ValueError, r"costs\['a'\] has the unknown class 'd'"),
        ({"costs": {"a": 3}}, TypeError, r"costs\['a'\]=3 must be a dict"),
        ({"costs": {"a": {"b": 1}}}, ValueError, "a number for true class 'a' as 'c'"),
        ({"class_weight": {"d": 1}}, ValueError, "class_weight has the unknown class 'd'"),
        ({"class_weight": {"a": -1}}, ValueError, r"class_weight\['a'\]=-1 must be a positive"),
        ({"class_weight": {"a": np.nan}}, ValueError, r"class_weight\['a'\]=nan must be"),
        ({"class_weight": "even"}, ValueError, "class_weight='even' must be 'balanced', a dict"),
        ({"costs": COSTS, "class_weight": "balanced"}, ValueError, "must be None where costs are"),
    ],
    ids=str,
)
def test_costs_that_make_no_sense_are_refused(samples, options, error, message):
    with pytest.raises(error, match=message):
        CostSensitiveClassifier(SparseCenterClassifier(), **options).fit(*samples)


def test_a_classifier_without_probabilities_is_refused(samples):
    with pytest.raises(TypeError, match="must have probabilities, by predict_proba"):
        CostSensitiveClassifier(LinearSVC()).fit(*samples)
