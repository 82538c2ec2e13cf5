"""Callbacks of scikit-learn: what they see of a fit, and that without them nothing changes."""

import numpy as np
import pytest

from centroidal import (
    DisjointCentroidClassifier,
    DisjointCentroidClassifierCV,
    FisherSubspaceClassifierCV,
)
from tests.classifiers.fisher_samples import draw_correlated


class Counter:
    """A callback that notes the tasks it is told about."""

    def __init__(self):
        self.begun = []
        self.ended = []

    def setup(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context):
        self.ended.append(context.task_name)

    def teardown(self, estimator, context): ...


@pytest.fixture
def counter():
    pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")
    return Counter()


@pytest.fixture
def samples():
    return draw_correlated(np.random.default_rng(6), n_samples=60, n_features=6)


@pytest.mark.parametrize("scatter", ["total", "within", ("total", "within")])
def test_fisher_subspace_reports_one_step_a_fold(samples, counter, scatter):
    FisherSubspaceClassifierCV(cv=4, scatter=scatter).set_callbacks(counter).fit(*samples)
    assert counter.ended == ["fold"] * 4 + ["fit"]


def test_every_step_begins_before_it_ends(samples, counter):
    FisherSubspaceClassifierCV(cv=4).set_callbacks(counter).fit(*samples)
    assert counter.begun == ["fit"] + ["fold"] * 4


def test_several_jobs_report_the_same_steps(samples, counter):
    FisherSubspaceClassifierCV(cv=4, n_jobs=2).set_callbacks(counter).fit(*samples)
    assert counter.ended == ["fold"] * 4 + ["fit"]


def test_second_fit_reports_its_steps_again(samples, counter):
    model = FisherSubspaceClassifierCV(cv=3).set_callbacks(counter)
    model.fit(*samples).fit(*samples)
    assert counter.ended == (["fold"] * 3 + ["fit"]) * 2


def test_callbacks_do_not_change_the_model(samples, counter):
    watched = FisherSubspaceClassifierCV(cv=4).set_callbacks(counter).fit(*samples)
    alone = FisherSubspaceClassifierCV(cv=4).fit(*samples)
    np.testing.assert_array_equal(
        watched.decision_function(samples.X), alone.decision_function(samples.X)
    )


# ------------------------------------------------------------------ disjoint centroids


@pytest.mark.parametrize(("n_init", "n_steps"), [(1, 1), (25, 1), (60, 3)])
def test_disjoint_centroids_report_steps_of_starts(samples, counter, n_init, n_steps):
    model = DisjointCentroidClassifier(n_init=n_init, random_state=0).set_callbacks(counter)
    model.fit(*samples)
    assert counter.begun == ["fit"] + ["starts"] * n_steps
    assert counter.ended == ["starts"] * n_steps + ["fit"]


def test_disjoint_centroids_report_the_same_steps_from_several_jobs(samples, counter):
    model = DisjointCentroidClassifier(n_init=60, random_state=0, n_jobs=2)
    model.set_callbacks(counter).fit(*samples)
    assert counter.ended == ["starts"] * 3 + ["fit"]


def test_second_fit_of_disjoint_centroids_reports_its_steps_again(samples, counter):
    model = DisjointCentroidClassifier(n_init=60, random_state=0).set_callbacks(counter)
    model.fit(*samples).fit(*samples)
    assert counter.ended == (["starts"] * 3 + ["fit"]) * 2


@pytest.mark.parametrize(
    "parameters", [{"assignment": "margin"}, {"shared_features": 1.0}], ids=["margin", "shared"]
)
def test_disjoint_centroids_without_starts_can_be_watched(samples, counter, parameters):
    watched = DisjointCentroidClassifier(**parameters).set_callbacks(counter).fit(*samples)
    alone = DisjointCentroidClassifier(**parameters).fit(*samples)
    assert "starts" not in counter.begun
    assert counter.begun == counter.ended
    np.testing.assert_array_equal(watched.groups_, alone.groups_)


def test_watched_margin_takes_chunks(samples, counter):
    X, y = samples
    model = DisjointCentroidClassifier("margin").set_callbacks(counter)
    model.fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
    expected = DisjointCentroidClassifier("margin").fit(X, y)
    np.testing.assert_array_equal(model.groups_, expected.groups_)


def test_void_starts_are_an_error_under_callbacks_too(counter):
    model = DisjointCentroidClassifier(random_state=0).set_callbacks(counter)
    with pytest.raises(ValueError, match="a class lost all its features"):
        model.fit(np.ones((6, 4)), [0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("assignment", ["alternating", "margin"])
def test_choice_of_the_weight_reports_one_step_a_fold(samples, counter, assignment):
    model = DisjointCentroidClassifierCV(assignment, n_init=5, cv=4, random_state=0)
    model.set_callbacks(counter).fit(*samples)
    assert counter.begun == ["fit"] + ["fold"] * 4
    assert counter.ended == ["fold"] * 4 + ["fit"]


def test_callbacks_do_not_change_disjoint_centroids(samples, counter):
    parameters = {"n_init": 60, "random_state": 0}
    watched = DisjointCentroidClassifier(**parameters).set_callbacks(counter).fit(*samples)
    alone = DisjointCentroidClassifier(**parameters).fit(*samples)
    np.testing.assert_array_equal(watched.restart_errors_, alone.restart_errors_)
    np.testing.assert_array_equal(
        watched.decision_function(samples.X), alone.decision_function(samples.X)
    )
