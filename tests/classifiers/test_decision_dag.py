"""A graph of decisions between two classes against recursion; any classifier in it."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from centroidal import DecisionDAGClassifier, FisherSubspaceClassifier
from tests.reference import decision_dag

from .fisher_samples import draw_correlated

PAIRS = list(combinations(range(4), 2))


class Oracle(ClassifierMixin, BaseEstimator):
    """Says that the lower class wins where the column of the pair of classes is 1."""

    asked = 0

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        type(self).asked += len(X)
        column = PAIRS.index(tuple(self.classes_.tolist()))
        return self.classes_[np.where(X[:, column] == 1, 0, 1)]


@pytest.fixture
def several(rng):
    """Four classes."""
    return draw_correlated(rng, n_classes=4, n_samples=80, n_features=6, separation=3.0)


@pytest.fixture
def pair(rng):
    """Two classes."""
    return draw_correlated(rng)


@pytest.fixture
def answers():
    """Every possible outcome of the six matches of four classes, with some labels to train on."""
    table = np.array(list(product([0.0, 1.0], repeat=6)))
    return table, np.arange(64) % 4


def test_every_outcome_leads_to_the_class_that_recursion_finds(answers):
    X, y = answers
    model = DecisionDAGClassifier(Oracle()).fit(X, y)
    expected = [
        decision_dag.decide([0, 1, 2, 3], lambda a, b, x=x: x[PAIRS.index((a, b))] == 1) for x in X
    ]
    assert model.predict(X).tolist() == expected


def test_every_outcome_by_accuracy_leads_to_the_class_that_recursion_finds(answers, rng):
    X, y = answers
    model = DecisionDAGClassifier(Oracle(), order="accuracy").fit(X, y)
    model.pair_accuracies_ = np.round(rng.uniform(size=6), 1)
    accuracies = dict(zip(PAIRS, model.pair_accuracies_, strict=True))
    expected = [
        decision_dag.decide_by_accuracy(
            [0, 1, 2, 3], lambda a, b, x=x: x[PAIRS.index((a, b))] == 1, accuracies
        )
        for x in X
    ]
    assert model.predict(X).tolist() == expected


def test_accuracies_are_those_of_three_folds(several):
    X, y = several
    model = DecisionDAGClassifier(GaussianNB(), order="accuracy").fit(X, y)
    for (a, b), accuracy in zip(PAIRS, model.pair_accuracies_, strict=True):
        rows = np.isin(y, (a, b))
        predicted = cross_val_predict(GaussianNB(), X[rows], y[rows], cv=3)
        assert accuracy == balanced_accuracy_score(y[rows], predicted)


def test_each_sample_is_asked_as_often_in_the_order_of_accuracy(answers):
    X, y = answers
    model = DecisionDAGClassifier(Oracle(), order="accuracy").fit(X, y)
    Oracle.asked = 0
    scores = model.decision_function(X)
    assert Oracle.asked == 3 * len(X)
    assert (np.sort(np.round(scores)) == [0, 1, 2, 3]).all()


def test_class_of_one_sample_is_tested_last(several):
    X, y = several
    rows = np.flatnonzero((y != 3) | (np.cumsum(y == 3) == 1))
    model = DecisionDAGClassifier(LogisticRegression(), order="accuracy").fit(X[rows], y[rows])
    is_rare = np.array([3 in pair for pair in PAIRS])
    assert (model.pair_accuracies_[is_rare] == 0.5).all()
    assert (model.pair_accuracies_[~is_rare] > 0.5).all()


def test_accuracy_of_weighted_samples_is_weighted(several):
    X, y = several
    weights = np.where(np.arange(len(y)) % 4 == 0, 5.0, 1.0)
    plain, weighted = (
        DecisionDAGClassifier(GaussianNB(), order="accuracy").fit(X, y, sample_weight=each)
        for each in (None, weights)
    )
    assert not np.array_equal(plain.pair_accuracies_, weighted.pair_accuracies_)


@pytest.mark.parametrize("value", ["random", None, 1])
def test_order_that_is_none_is_refused(several, value):
    with pytest.raises(ValueError, match="order=.* must be one of 'labels', 'accuracy'"):
        DecisionDAGClassifier(GaussianNB(), order=value).fit(*several)


def test_first_class_plays_the_last_one_first(answers):
    X, y = answers
    model = DecisionDAGClassifier(Oracle()).fit(X, y)
    # 0 loses to 3, which leaves 1, 2 and 3: whatever 0 would do against 1 and 2 is not asked.
    lost = X[:, PAIRS.index((0, 3))] == 0
    assert 0 not in model.predict(X[lost])


def test_each_sample_is_asked_about_once_less_than_there_are_classes(answers):
    X, y = answers
    model = DecisionDAGClassifier(Oracle()).fit(X, y)
    Oracle.asked = 0
    model.predict(X)
    assert Oracle.asked == 3 * len(X)


def test_every_pair_of_classes_has_an_estimator(several):
    assert len(DecisionDAGClassifier(GaussianNB()).fit(*several).estimators_) == 6


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        FisherSubspaceClassifier(),
        SVC(),
        DecisionTreeClassifier(random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_two_classes_are_the_classifier_itself(pair, estimator):
    X, y = pair
    model = DecisionDAGClassifier(estimator).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), clone(estimator).fit(X, y).predict(X))


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        FisherSubspaceClassifier(),
        SVC(),
        GaussianNB(),
        DecisionTreeClassifier(random_state=0),
        make_pipeline(StandardScaler(), FisherSubspaceClassifier()),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_any_classifier_of_two_classes_serves(several, estimator):
    X, y = several
    model = DecisionDAGClassifier(estimator).fit(X, y)
    assert model.score(X, y) > 0.7


@pytest.mark.parametrize("estimator", [LogisticRegression(), FisherSubspaceClassifier()], ids=str)
def test_predictions_are_those_of_recursion_over_pairs(several, estimator):
    X, y = several
    model = DecisionDAGClassifier(estimator).fit(X, y)
    winners = {}
    for a, b in PAIRS:
        rows = (y == a) | (y == b)
        winners[a, b] = clone(estimator).fit(X[rows], y[rows]).predict(X) == a
    expected = [
        decision_dag.decide([0, 1, 2, 3], lambda a, b, i=i: winners[a, b][i]) for i in range(len(y))
    ]
    np.testing.assert_array_equal(model.predict(X), expected)


@pytest.mark.parametrize("estimator", [LogisticRegression(), GaussianNB()], ids=str)
def test_prediction_is_the_best_score(several, estimator):
    X, y = several
    model = DecisionDAGClassifier(estimator).fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == (80, 4)
    np.testing.assert_array_equal(model.predict(X), scores.argmax(axis=1))


def test_score_of_two_classes_is_positive_for_the_second(pair):
    X, y = pair
    model = DecisionDAGClassifier(LogisticRegression()).fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == (60,)
    np.testing.assert_array_equal(model.predict(X), (scores > 0).astype(int))


def test_labels_are_taken_in_sorted_order(several):
    X, y = several
    labels = np.array(["ant", "bee", "cat", "dog"])
    model = DecisionDAGClassifier(GaussianNB()).fit(X, labels[y])
    expected = DecisionDAGClassifier(GaussianNB()).fit(X, y).predict(X)
    assert model.classes_.tolist() == labels.tolist()
    np.testing.assert_array_equal(model.predict(X), labels[expected])


def test_number_of_jobs_does_not_matter(several):
    one, two = (
        DecisionDAGClassifier(GaussianNB(), n_jobs=n_jobs).fit(*several).predict(several.X)
        for n_jobs in (None, 2)
    )
    np.testing.assert_array_equal(one, two)


def test_sparse_data_give_the_predictions_of_dense_data(several):
    X, y = several
    X = np.where(np.abs(X) < 1.0, 0.0, X)
    dense = DecisionDAGClassifier(FisherSubspaceClassifier()).fit(X, y)
    model = DecisionDAGClassifier(FisherSubspaceClassifier()).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(model.predict(sparse.csr_array(X)), dense.predict(X))


def test_given_estimator_is_left_alone(several):
    inner = GaussianNB()
    DecisionDAGClassifier(inner).fit(*several)
    assert not hasattr(inner, "classes_")


def test_one_sample_can_be_predicted(several):
    X, y = several
    model = DecisionDAGClassifier(GaussianNB()).fit(X, y)
    assert model.predict(X[:1]).tolist() == model.predict(X)[:1].tolist()


def test_samples_of_one_class_are_refused(pair):
    with pytest.raises(ValueError, match="one class|at least 2 classes"):
        DecisionDAGClassifier(GaussianNB()).fit(pair.X, np.zeros(60, dtype=int))


def test_estimator_that_is_none_is_refused(pair):
    with pytest.raises((TypeError, ValueError), match="estimator="):
        DecisionDAGClassifier("svm").fit(*pair)


def test_model_must_be_fitted_first(pair):
    with pytest.raises(NotFittedError):
        DecisionDAGClassifier(GaussianNB()).predict(pair.X)


def test_new_samples_must_have_the_same_number_of_features(several):
    with pytest.raises(ValueError, match="features"):
        DecisionDAGClassifier(GaussianNB()).fit(*several).predict(several.X[:, :3])
