import numpy as np
import pytest
from sklearn.base import BaseEstimator

from centroidal.classifiers._base import ClassScoresMixin


class GivenScores(ClassScoresMixin, BaseEstimator):
    """A classifier whose input are the scores themselves."""

    def __init__(self, unit=1.0):
        self.unit = unit

    @property
    def classes_(self):
        return np.array(["a", "b", "c"])

    @property
    def _score_unit(self):
        return self.unit

    def _class_scores(self, X):
        return np.asarray(X, dtype=np.float64)


def test_highest_score_is_predicted():
    scores = [[1.0, 2.0, 0.0], [3.0, 2.0, 9.0]]
    assert GivenScores().predict(scores).tolist() == ["b", "c"]


def test_first_of_equal_scores_is_predicted():
    assert GivenScores().predict([[1.0, 2.0, 2.0], [0.0, 0.0, 0.0]]).tolist() == ["b", "a"]


def test_first_of_scores_equal_up_to_rounding_is_predicted():
    scores = np.array([[-3.0 - 4e-15, -3.0, -9.0], [-5.0, -3.0, -3.0 + 4e-15], [-3.1, -3.0, -9.0]])
    model = GivenScores()
    assert model.predict(scores).tolist() == ["a", "b", "b"]
    assert model.decision_function(scores).argmax(axis=1).tolist() == [0, 1, 1]
    assert model.predict_proba(scores).argmax(axis=1).tolist() == [0, 1, 1]
    assert model.decision_function([[-3.0, -3.0 + 4e-15]]).tolist() == [0.0]


def test_decision_for_two_classes_is_the_difference_of_their_scores():
    assert GivenScores().decision_function([[1.0, 4.0], [2.0, 0.5]]).tolist() == [3.0, -1.5]


def test_decision_for_more_classes_is_their_scores():
    assert GivenScores().decision_function([[1.0, 4.0, 2.0]]).tolist() == [[1.0, 4.0, 2.0]]


def test_probabilities_are_the_softmax_of_scores_in_their_unit():
    scores = np.array([[1.0, 2.0, 4.0]])
    expected = np.exp(scores / 2) / np.exp(scores / 2).sum()
    np.testing.assert_allclose(GivenScores(unit=2.0).predict_proba(scores), expected, rtol=1e-12)


def test_log_probabilities_are_the_logarithms_of_probabilities():
    scores = np.array([[1.0, 2.0, 4.0], [-700.0, 0.0, 3.0]])
    model = GivenScores(unit=0.5)
    np.testing.assert_allclose(
        np.exp(model.predict_log_proba(scores)), model.predict_proba(scores), rtol=1e-10
    )


def test_log_probabilities_stay_finite_where_probabilities_vanish():
    logarithms = GivenScores().predict_log_proba([[0.0, -1e6, -1e6]])
    np.testing.assert_allclose(logarithms, [[0.0, -1e6, -1e6]])


def test_very_low_scores_still_give_probabilities():
    probabilities = GivenScores().predict_proba([[-1e9, -1e9 + 1.0, -1e9]])
    np.testing.assert_allclose(probabilities.sum(), 1.0)
    assert probabilities.argmax() == 1


def test_without_spread_the_best_score_is_certain():
    assert GivenScores(unit=0.0).predict_proba([[1.0, 3.0, 2.0]]).tolist() == [[0.0, 1.0, 0.0]]


def test_without_spread_equal_scores_share_the_probability():
    assert GivenScores(unit=0.0).predict_proba([[3.0, 3.0]]).tolist() == [[0.5, 0.5]]


def test_impossible_class_has_probability_zero():
    probabilities = GivenScores().predict_proba([[0.0, -np.inf, 0.0]])
    assert probabilities.tolist() == [[0.5, 0.0, 0.5]]


@pytest.mark.parametrize("step", [1e-16, 1e-17, 1e-20])
def test_largest_probability_is_that_of_the_predicted_class_even_if_scores_hardly_differ(step):
    scores = [[0.0, step, 0.0]]
    model = GivenScores()
    assert model.classes_[model.predict_proba(scores).argmax()] == model.predict(scores)[0] == "b"
