"""Scores from confusion matrices and probabilities are those of scikit-learn."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.metrics import get_scorer

from centroidal.datasets import load_expression
from centroidal.model_selection.methods import (
    METRICS,
    PROBABILITY_SCORES,
    SCORES,
    SCORINGS,
    metric_of,
    plain_score,
)
from centroidal.model_selection.metrics import (
    confusion_matrices,
    loss_moments,
    majority_score,
    score_confusion,
    score_influences,
    score_probabilities,
)

from ..l2 import select_features


def score_by_scikit_learn(name, predicted, true):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes that are predicted and do not occur
        return get_scorer(name)._score_func(true, predicted, **get_scorer(name)._kwargs)


@pytest.mark.parametrize("name", SCORES)
@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30),
)
def test_score_is_that_of_scikit_learn(name, pairs):
    predicted, true = np.array(pairs).T
    (confusion,) = confusion_matrices(predicted[None], true, 4)
    expected = score_by_scikit_learn(name, predicted, true)
    assert score_confusion(confusion, name) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", SCORES)
def test_many_matrices_are_scored_at_once(name):
    rng = np.random.default_rng(0)
    confusions = rng.integers(0, 9, (2, 5, 3, 3))
    found = score_confusion(confusions, name)
    assert found.shape == (2, 5)
    assert found[1, 3] == score_confusion(confusions[1, 3], name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("accuracy", 0.6), ("balanced_accuracy", 0.5), ("f1_macro", 0.375), ("matthews_corrcoef", 0)],
)
def test_score_of_the_largest_class(name, expected):
    assert majority_score(np.array([3, 2]), name) == pytest.approx(expected)


@pytest.fixture(scope="module")
def genes():
    return load_expression(return_X_y=True)


@pytest.mark.parametrize("name", ["f1_macro", "matthews_corrcoef"])
def test_selection_is_chosen_and_scored_by_it(genes, name):
    found = select_features(*genes, scoring=name, n_repeats=1, random_state=0)
    true = found.true_codes
    (predicted,) = found.predicted
    for each in SCORES:
        expected = score_by_scikit_learn(each, predicted, true)
        assert found.metrics[each] == pytest.approx(expected, abs=1e-12)
    along = score_confusion(found.confusion_path, name)
    position = list(found.path["n_features"]).index(found.n_features_to_select)
    assert along[position] == pytest.approx(found.path["mean_test_score"][position], abs=0.03)
    assert f"{SCORES[name].name} 0.9" in found.summary()
    assert "%" not in found.summary().replace("95 % interval", "")


def test_every_scoring_is_a_scorer_of_scikit_learn_of_the_same_sign():
    for name in SCORINGS:
        if name != "neg_cost":
            assert get_scorer(name)._sign == plain_score(1, name)
            assert METRICS[metric_of(name)].is_loss == (plain_score(1, name) < 0)


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [
        ("roc_auc", 0.5),
        ("average_precision", 0.4),
        ("neg_log_loss", -metrics.log_loss([0, 0, 0, 1, 1], [[0.6, 0.4]] * 5)),
        ("neg_brier_score", -0.24),
    ],
)
def test_score_of_the_sizes_of_classes_alone(scoring, expected):
    assert majority_score(np.array([3, 2]), scoring) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", PROBABILITY_SCORES)
def test_many_models_are_scored_at_once(name, n_classes):
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(n_classes), size=(5, 30)).round(1)
    codes, weights = np.arange(30) % n_classes, rng.integers(3, size=(4, 30)).astype(float)
    found = score_probabilities(shares, codes, weights, (name,))[name]
    assert found.shape == (4, 5)
    for model, mine in enumerate(shares):
        alone = score_probabilities(mine, codes, weights, (name,))[name]
        np.testing.assert_allclose(found[:, model], alone, rtol=1e-12)


def test_samples_that_rank_last_by_infinity_are_ties():
    ranks = np.array([[0.0, 1.0], [0.0, -np.inf], [0.0, -np.inf], [0.0, 0.5]])
    found = score_probabilities(ranks, np.array([1, 1, 0, 0]), np.ones((1, 4)), ("roc_auc",))
    assert found["roc_auc"].tolist() == [(2 + 0.5) / 4]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_moments_of_losses_are_sums_over_samples(n_classes):
    rng = np.random.default_rng(1)
    shares, codes = rng.dirichlet(np.ones(n_classes), size=(2, 20)), np.arange(20) % n_classes
    found = loss_moments(shares, codes)
    assert found.shape == (2, 2, 2)
    for mine, model in zip(found, shares, strict=True):
        scores = score_probabilities(model, codes, np.eye(20))
        for (total, squares), name in zip(mine, ("log_loss", "brier_score"), strict=True):
            assert total == pytest.approx(scores[name].sum(), rel=1e-12)
            assert squares == pytest.approx((scores[name] ** 2).sum(), rel=1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_scores_of_probabilities_are_those_of_scikit_learn_with_weights(n_classes):
    rng = np.random.default_rng(n_classes)
    codes = rng.integers(n_classes, size=80)
    shares = (
        np.round(rng.dirichlet(np.ones(n_classes), size=80), 2) + 0.5 * np.eye(n_classes)[codes]
    )
    shares /= shares.sum(axis=1, keepdims=True)
    weights = rng.integers(4, size=(3, 80)).astype(float)
    found = score_probabilities(shares, codes, weights)
    ranked = shares[:, 1] if n_classes == 2 else shares
    for i, row in enumerate(weights):
        options = {"sample_weight": row}
        expected = {
            "roc_auc": metrics.roc_auc_score(codes, ranked, multi_class="ovr", **options),
            "average_precision": metrics.average_precision_score(codes, ranked, **options),
            "log_loss": metrics.log_loss(codes, shares, **options),
            "brier_score": metrics.brier_score_loss(
                codes, shares, labels=np.arange(n_classes), **options
            ),
        }
        for name, value in expected.items():
            assert found[name][i] == pytest.approx(value, rel=1e-12), name


def test_probabilities_have_no_order_where_a_class_has_no_weight():
    shares = np.array([[0.2, 0.8], [0.6, 0.4], [0.7, 0.3]])
    found = score_probabilities(shares, np.array([1, 0, 0]), np.array([[0.0, 1.0, 2.0]]))
    assert np.isnan([found["roc_auc"][0], found["average_precision"][0]]).all()
    assert found["brier_score"][0] == pytest.approx((0.16 + 2 * 0.09) / 3)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", PROBABILITY_SCORES)
def test_influences_are_derivatives_by_the_weights_of_samples(name, n_classes):
    rng = np.random.default_rng(0)
    codes, step = np.arange(30) % n_classes, 1e-5
    shares = (rng.dirichlet(np.ones(n_classes), size=30) + 0.2 * np.eye(n_classes)[codes]).round(1)
    weights = np.ones((60, 30)) + step * np.vstack([np.eye(30), -np.eye(30)])
    up, down = score_probabilities(shares, codes, weights, (name,))[name].reshape(2, 30)
    found = score_influences(shares, codes, (name,))[name]
    np.testing.assert_allclose(found, (up - down) / (2 * step), atol=1e-9)
    assert np.abs(found).max() > 1e-3


@pytest.mark.parametrize("name", ["f1_macro", "matthews_corrcoef"])
def test_confusion_of_nothing_scores_nothing(name):
    assert score_confusion(np.zeros((2, 3, 3)), name).tolist() == [0.0, 0.0]
