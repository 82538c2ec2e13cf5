"""Callbacks of scikit-learn: what they see of a fit, and that without them nothing changes."""

import numpy as np
import pytest

from centroidal import FisherSubspaceClassifierCV
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
