"""Directions, thresholds and discriminants against slow twins; degenerate data; bad input."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.linalg import subspace_angles
from scipy.special import expit
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from centroidal import FisherSubspaceClassifier
from tests.reference import fisher

from .conftest import Samples
from .fisher_samples import cuts_of, draw_correlated

THRESHOLDS = ["inclusive", "strict", "balanced", "mahalanobis"]
KINDS = ["truncated", "full", "variance"]
# Whitening with a number of components, a share of the variance, or what is usual.
SETTINGS = [
    ("truncated", None),
    ("truncated", "log2"),
    ("truncated", 1),
    ("truncated", 3),
    ("truncated", 0.8),
    ("truncated", 100),
    ("full", None),
    ("variance", None),
    ("variance", 0.7),
    ("variance", 3),
    ("variance", 1.0),
]

every_kind = pytest.mark.parametrize("kind", KINDS)
every_setting = pytest.mark.parametrize(("kind", "number"), SETTINGS)
either_scatter = pytest.mark.parametrize("scatter", ["total", "within"])


@pytest.fixture
def pair(rng):
    """Two classes, more samples than features."""
    return draw_correlated(rng)


@pytest.fixture
def wide(rng):
    """Two classes, more features than samples."""
    return draw_correlated(rng, n_samples=24, n_features=40)


@pytest.fixture
def several(rng):
    """Four classes."""
    return draw_correlated(rng, n_classes=4, n_samples=80, n_features=10)


def cosine(model, direction):
    return fisher.cosine(model.coef_, direction)


def projections(model, X):
    return (X - model.mean_) @ model.axes_[:, 0]


# ------------------------------------------------------------------ two classes


@every_setting
@either_scatter
def test_direction_is_that_of_the_definition(pair, kind, number, scatter):
    model = FisherSubspaceClassifier(kind, number, scatter=scatter).fit(*pair)
    expected = fisher.fit(*pair, kind, number, scatter)
    assert cosine(model, expected.w) == pytest.approx(1.0, abs=1e-10)
    assert model.n_components_ == expected.n_components


@every_setting
def test_direction_is_that_of_the_definition_for_wide_data(wide, kind, number):
    model = FisherSubspaceClassifier(kind, number).fit(*wide)
    expected = fisher.fit(*wide, kind, number)
    assert cosine(model, expected.w) == pytest.approx(1.0, abs=1e-9)
    assert model.n_components_ == expected.n_components


@every_setting
@either_scatter
def test_axis_is_whitener_times_unit_vector(pair, kind, number, scatter):
    model = FisherSubspaceClassifier(kind, number, scatter=scatter).fit(*pair)
    expected = fisher.fit(*pair, kind, number, scatter)
    np.testing.assert_allclose(model.axes_[:, 0], expected.w, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("threshold", THRESHOLDS)
@every_kind
@either_scatter
def test_threshold_is_that_of_the_definition(pair, threshold, kind, scatter):
    model = FisherSubspaceClassifier(kind, scatter=scatter, threshold=threshold).fit(*pair)
    expected = fisher.fit(*pair, kind, scatter=scatter, threshold=threshold)
    assert model.threshold_ == pytest.approx(expected.threshold, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("balance", [0.5, 0.75, 0.9])
def test_balance_is_that_of_the_definition(pair, balance):
    model = FisherSubspaceClassifier(threshold="balanced", balance=balance).fit(*pair)
    expected = fisher.fit(*pair, threshold="balanced", balance=balance)
    assert model.threshold_ == pytest.approx(expected.threshold, rel=1e-8)


@pytest.mark.parametrize("threshold", THRESHOLDS)
@every_kind
def test_scores_are_log_odds_of_gaussians_of_the_pooled_spread(pair, threshold, kind):
    X, y = pair
    model = FisherSubspaceClassifier(kind, threshold=threshold).fit(X, y)
    reference = fisher.fit(X, y, kind, threshold=threshold)
    expected = fisher.log_odds(reference, X, y, X)
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_second_class_is_above_the_threshold(pair, threshold):
    X, y = pair
    model = FisherSubspaceClassifier(threshold=threshold).fit(X, y)
    clear = np.abs(projections(model, X) - model.threshold_) > 1e-9
    above = projections(model, X) > model.threshold_
    np.testing.assert_array_equal(model.predict(X)[clear], above[clear].astype(int))


def test_coefficients_and_intercept_make_the_scores(pair):
    X, y = pair
    model = FisherSubspaceClassifier().fit(X, y)
    assert model.coef_.shape == (1, 8)
    assert model.intercept_.shape == (1,)
    expected = (X @ model.coef_.T + model.intercept_)[:, 0]
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-10, atol=1e-10)


def test_sample_on_the_threshold_goes_to_the_first_class():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    model = FisherSubspaceClassifier().fit(X, ["b", "b", "a", "a"])
    assert model.threshold_ == 0.0
    assert model.predict([[0.0]]).tolist() == ["a"]


def test_probability_is_the_logistic_function_of_the_score(pair):
    X, y = pair
    model = FisherSubspaceClassifier().fit(X, y)
    expected = expit(model.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_log_probabilities_are_the_logarithms(pair):
    X, y = pair
    model = FisherSubspaceClassifier().fit(X, y)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


def test_moments_are_those_of_the_data(pair):
    X, y = pair
    model = FisherSubspaceClassifier().fit(X, y)
    np.testing.assert_allclose(model.mean_, X.mean(axis=0))
    np.testing.assert_allclose(model.means_, [X[y == c].mean(axis=0) for c in (0, 1)])
    np.testing.assert_array_equal(model.class_count_, np.bincount(y))


@either_scatter
def test_components_are_the_principal_axes_of_the_centred_data(pair, scatter):
    model = FisherSubspaceClassifier("full", scatter=scatter).fit(*pair)
    expected = fisher.spectrum(*pair, scatter)
    np.testing.assert_allclose(model.singular_values_, expected.values, rtol=1e-9)
    overlap = np.abs(np.sum(model.components_.T * expected.axes, axis=0))
    np.testing.assert_allclose(overlap, 1.0, rtol=1e-9)


def test_components_are_orthonormal(wide):
    model = FisherSubspaceClassifier("full").fit(*wide)
    identity = model.components_ @ model.components_.T
    np.testing.assert_allclose(identity, np.eye(len(identity)), atol=1e-9)


# ------------------------------------------------------------------ identities


def test_whitened_data_have_the_identity_for_covariance(pair):
    X, y = pair
    model = FisherSubspaceClassifier("full").fit(X, y)
    scaled = (X - model.mean_) @ (model.components_.T / model.singular_values_) * np.sqrt(len(X))
    np.testing.assert_allclose(np.cov(scaled.T, bias=True), np.eye(8), atol=1e-10)


def test_full_whitening_is_fisher_discriminant_analysis(pair):
    model = FisherSubspaceClassifier("full").fit(*pair)
    assert cosine(model, fisher.flda(*pair)) == pytest.approx(1.0, abs=1e-12)


def test_full_whitening_is_least_squares_on_the_labels(pair):
    model = FisherSubspaceClassifier("full").fit(*pair)
    assert cosine(model, fisher.least_squares(*pair)) == pytest.approx(1.0, abs=1e-12)


def test_full_whitening_gives_one_direction_for_either_scatter(pair):
    total, within = (
        FisherSubspaceClassifier("full", scatter=s).fit(*pair) for s in ("total", "within")
    )
    assert cosine(total, within.coef_) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_variance_whitening_is_discriminant_analysis_of_principal_components(pair, share):
    model = FisherSubspaceClassifier("variance", share).fit(*pair)
    expected = fisher.pca_flda(*pair, model.n_components_)
    assert cosine(model, expected) == pytest.approx(1.0, abs=1e-12)


def test_all_of_the_variance_is_full_whitening(pair):
    full = FisherSubspaceClassifier("full").fit(*pair)
    variance = FisherSubspaceClassifier("variance", 1.0).fit(*pair)
    np.testing.assert_allclose(variance.coef_, full.coef_, rtol=1e-9)
    assert variance.threshold_ == pytest.approx(full.threshold_)


def test_all_of_the_variance_includes_features_of_a_small_unit(pair):
    X = pair.X - pair.X.mean(axis=0)
    X[:, 0] *= 4e-6
    numbers = [
        FisherSubspaceClassifier(kind, number).fit(X, pair.y).n_components_
        for kind, number in (("variance", 1.0), ("full", None))
    ]
    assert numbers == [8, 8]


@pytest.mark.parametrize("number", [8, 20])
def test_truncated_whitening_of_all_components_is_full_whitening(pair, number):
    full = FisherSubspaceClassifier("full").fit(*pair)
    truncated = FisherSubspaceClassifier("truncated", number).fit(*pair)
    np.testing.assert_allclose(truncated.coef_, full.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(truncated.intercept_, full.intercept_, rtol=1e-8)


def test_one_component_is_the_difference_of_the_means(pair):
    model = FisherSubspaceClassifier("truncated", 1).fit(*pair)
    assert cosine(model, model.means_[1] - model.means_[0]) == pytest.approx(1.0, abs=1e-12)


@every_kind
@pytest.mark.parametrize("factor", [1e-6, -1.0, 300.0])
def test_scaling_and_shifting_all_data_leaves_the_predictions(pair, kind, factor):
    X, y = pair
    other = factor * X + np.linspace(-3.0, 5.0, 8)
    expected = (
        FisherSubspaceClassifier(kind, threshold="mahalanobis").fit(X, y).decision_function(X)
    )
    model = FisherSubspaceClassifier(kind, threshold="mahalanobis").fit(other, y)
    np.testing.assert_allclose(model.decision_function(other), expected, rtol=1e-6, atol=1e-7)


@every_kind
@pytest.mark.parametrize("threshold", ["inclusive", "balanced", "mahalanobis"])
def test_swapping_the_classes_turns_the_direction(pair, kind, threshold):
    X, y = pair
    model = FisherSubspaceClassifier(kind, threshold=threshold).fit(X, y)
    swapped = FisherSubspaceClassifier(kind, threshold=threshold).fit(X, 1 - y)
    np.testing.assert_allclose(swapped.coef_, -model.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(swapped.intercept_, -model.intercept_, rtol=1e-9, atol=1e-9)


@every_kind
def test_direction_turns_with_the_data(rng, pair, kind):
    X, y = pair
    rotation = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    model = FisherSubspaceClassifier(kind).fit(X, y)
    turned = FisherSubspaceClassifier(kind).fit(X @ rotation.T, y)
    np.testing.assert_allclose(turned.coef_, model.coef_ @ rotation.T, rtol=1e-8, atol=1e-9)


@every_kind
def test_feature_that_is_always_zero_changes_nothing(pair, kind):
    X, y = pair
    padded = np.column_stack([X, np.zeros((len(X), 3))])
    model = FisherSubspaceClassifier(kind).fit(padded, y)
    expected = FisherSubspaceClassifier(kind).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(padded), expected.decision_function(X), rtol=1e-8, atol=1e-9
    )


# ------------------------------------------------------------------ more features than samples


def test_full_whitening_of_wide_data_puts_each_class_on_a_pile(wide):
    X, y = wide
    model = FisherSubspaceClassifier("full").fit(X, y)
    values = projections(model, X)
    gap = values[y == 1].mean() - values[y == 0].mean()
    assert gap > 0
    assert max(values[y == c].std() for c in (0, 1)) < 1e-7 * gap


def test_full_whitening_of_wide_data_is_shortest_least_squares(wide):
    model = FisherSubspaceClassifier("full").fit(*wide)
    assert cosine(model, fisher.least_squares(*wide)) == pytest.approx(1.0, abs=1e-9)


def test_piling_direction_is_orthogonal_to_the_one_within_the_classes(wide):
    total, within = (
        FisherSubspaceClassifier("full", scatter=s).fit(*wide) for s in ("total", "within")
    )
    assert cosine(within, fisher.flda(*wide)) == pytest.approx(1.0, abs=1e-8)
    assert cosine(total, within.coef_) == pytest.approx(0.0, abs=1e-6)


def test_piles_are_parted_in_the_middle(wide):
    X, y = wide
    model = FisherSubspaceClassifier("full", threshold="inclusive").fit(X, y)
    values = projections(model, X)
    middle = 0.5 * (values[y == 1].mean() + values[y == 0].mean())
    assert model.threshold_ == pytest.approx(middle, abs=1e-6 * np.ptp(values))


@pytest.mark.parametrize("threshold", ["inclusive", "balanced", "mahalanobis"])
@pytest.mark.parametrize("kind", ["full", "truncated"])
def test_wide_training_data_are_predicted_right(wide, threshold, kind):
    X, y = wide
    assert FisherSubspaceClassifier(kind, threshold=threshold).fit(X, y).score(X, y) == 1.0


def test_piles_have_finite_scores_and_certain_probabilities(wide):
    X, y = wide
    model = FisherSubspaceClassifier("full").fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], y, atol=1e-6)


# ------------------------------------------------------------------ number of components


@pytest.mark.parametrize(("n_samples", "expected"), [(4, 3), (7, 6), (9, 8), (20, 18), (60, 34)])
def test_usual_number_is_the_squared_logarithm_within_the_rank(rng, n_samples, expected):
    X, y = draw_correlated(rng, n_samples=n_samples, n_features=40)
    assert FisherSubspaceClassifier().fit(X, y).n_components_ == expected


def test_share_is_the_fewest_components_that_reach_it():
    # Variances 16, 9, 4 and 1 of 30, along the axes; 25 of 30 is reached by two components.
    X = np.vstack([np.diag([4.0, 3.0, 2.0, 1.0]), -np.diag([4.0, 3.0, 2.0, 1.0])])
    y = np.array([0, 1, 0, 1, 1, 0, 1, 0])
    numbers = [
        FisherSubspaceClassifier("variance", share).fit(X, y).n_components_
        for share in (0.5, 0.54, 0.8, 0.84, 0.96, 0.97, 1.0)
    ]
    assert numbers == [1, 2, 2, 3, 3, 4, 4]


@pytest.mark.parametrize("number", [3, np.int64(3)])
def test_number_may_be_an_integer_of_any_type(pair, number):
    assert FisherSubspaceClassifier(n_components=number).fit(*pair).n_components_ == 3


@pytest.mark.parametrize("kind", ["truncated", "variance"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_share_may_be_a_number_of_any_precision(pair, kind, dtype):
    model = FisherSubspaceClassifier(kind, dtype(0.75)).fit(*pair)
    assert model.n_components_ == FisherSubspaceClassifier(kind, 0.75).fit(*pair).n_components_


def test_float_one_is_a_share_and_integer_one_a_number(pair):
    assert FisherSubspaceClassifier(n_components=1.0).fit(*pair).n_components_ == 8
    assert FisherSubspaceClassifier(n_components=1).fit(*pair).n_components_ == 1


@pytest.mark.parametrize("kind", ["truncated", "variance"])
def test_number_above_the_rank_is_the_rank(wide, kind):
    assert FisherSubspaceClassifier(kind, 30).fit(*wide).n_components_ == 23


def test_full_whitening_uses_every_component(pair):
    assert FisherSubspaceClassifier("full").fit(*pair).n_components_ == 8


# ------------------------------------------------------------------ more than two classes


@every_setting
@either_scatter
@pytest.mark.parametrize("priors", ["uniform", "empirical", [1, 2, 3, 4]])
def test_discriminants_are_those_of_the_definition(several, kind, number, scatter, priors):
    X, y = several
    model = FisherSubspaceClassifier(kind, number, scatter=scatter, priors=priors).fit(X, y)
    shares = {"uniform": np.full(4, 0.25), "empirical": np.bincount(y) / len(y)}
    shares = np.arange(1, 5) / 10 if isinstance(priors, list) else shares[priors]
    axes = fisher.subspace(X, y, kind, number, scatter)
    expected = fisher.discriminants(X, y, axes, shares).scores(X)
    scores = model.decision_function(X)
    np.testing.assert_allclose(
        scores - scores[:, :1], expected - expected[:, :1], rtol=1e-7, atol=1e-7
    )
    np.testing.assert_allclose(model.class_prior_, shares)


def test_full_whitening_is_linear_discriminant_analysis(several):
    X, y = several
    model = FisherSubspaceClassifier("full", priors="empirical").fit(X, y)
    peer = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), rtol=1e-7, atol=1e-10)


def test_prior_threshold_of_two_classes_is_linear_discriminant_analysis(pair):
    X, y = pair
    model = FisherSubspaceClassifier("full", threshold="prior", priors="empirical").fit(X, y)
    peer = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(X), peer.decision_function(X), rtol=1e-7, atol=1e-9
    )


def test_prior_threshold_of_two_classes_heeds_the_priors(pair):
    X, y = pair
    even, uneven = (
        FisherSubspaceClassifier(threshold="prior", priors=priors).fit(X, y)
        for priors in ([0.5, 0.5], [0.2, 0.8])
    )
    difference = uneven.decision_function(X) - even.decision_function(X)
    np.testing.assert_allclose(difference, np.log(4.0), rtol=1e-9)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_threshold_rule_of_two_classes_does_not_matter_to_more(several, threshold):
    X, y = several
    model = FisherSubspaceClassifier(threshold=threshold).fit(X, y)
    expected = FisherSubspaceClassifier(threshold="prior").fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))


def test_several_classes_have_a_row_of_coefficients_each(several):
    X, y = several
    model = FisherSubspaceClassifier().fit(X, y)
    assert model.coef_.shape == (4, 10)
    assert model.intercept_.shape == (4,)
    assert model.axes_.shape == (10, 3)
    np.testing.assert_allclose(
        model.decision_function(X), X @ model.coef_.T + model.intercept_, rtol=1e-9, atol=1e-9
    )


def test_several_classes_have_no_single_threshold(several):
    assert np.isnan(FisherSubspaceClassifier().fit(*several).threshold_)


@every_setting
@either_scatter
def test_axes_span_the_whitened_means(several, kind, number, scatter):
    model = FisherSubspaceClassifier(kind, number, scatter=scatter).fit(*several)
    expected = fisher.subspace(*several, kind, number, scatter)
    assert model.axes_.shape == expected.shape
    assert subspace_angles(model.axes_, expected).max() < 1e-7


def test_axes_of_full_whitening_span_the_subspace_of_fisher(several):
    model = FisherSubspaceClassifier("full").fit(*several)
    assert subspace_angles(model.axes_, fisher.flda_axes(*several)).max() < 1e-7


def test_probabilities_of_several_classes_add_up_to_one(several):
    X, y = several
    model = FisherSubspaceClassifier().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    scores = model.decision_function(X)
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = odds / odds.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9, atol=1e-12)


@every_kind
def test_more_classes_than_features_are_no_obstacle(rng, kind):
    X, y = draw_correlated(rng, n_classes=5, n_samples=60, n_features=2, separation=8.0)
    model = FisherSubspaceClassifier(kind).fit(X, y)
    assert model.axes_.shape[1] <= 2
    assert model.score(X, y) > 0.7


def test_means_on_a_line_have_one_axis(rng):
    y = np.repeat([0, 1, 2], 20)
    noise = rng.normal(size=(60, 4))
    for c in range(3):
        noise[y == c] -= noise[y == c].mean(axis=0)
    X = np.outer(y, [3.0, 1.0, 0.0, -1.0]) + noise
    assert FisherSubspaceClassifier().fit(X, y).axes_.shape == (4, 1)


# ------------------------------------------------------------------ weights, storage, precision


@pytest.mark.parametrize("threshold", [*THRESHOLDS, "prior"])
@every_kind
@either_scatter
def test_integer_weights_are_repeats(rng, pair, threshold, kind, scatter):
    X, y = pair
    repeats = rng.integers(1, 4, size=len(y))
    options = {"scatter": scatter, "threshold": threshold, "priors": "empirical"}
    weighted = FisherSubspaceClassifier(kind, **options).fit(X, y, sample_weight=repeats)
    repeated = FisherSubspaceClassifier(kind, **options)
    repeated.fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(weighted.threshold_, repeated.threshold_, rtol=1e-8, atol=1e-10)
    assert weighted.n_components_ == repeated.n_components_


@every_kind
@either_scatter
def test_real_weights_are_those_of_the_definition(rng, pair, kind, scatter):
    X, y = pair
    weights = rng.uniform(0.5, 2.0, size=len(y))
    model = FisherSubspaceClassifier(kind, scatter=scatter).fit(X, y, sample_weight=weights)
    expected = fisher.fit(X, y, kind, scatter=scatter, weights=weights)
    np.testing.assert_allclose(model.axes_[:, 0], expected.w, rtol=1e-8, atol=1e-10)
    assert model.threshold_ == pytest.approx(expected.threshold, rel=1e-8, abs=1e-10)


@every_kind
def test_sample_without_weight_does_not_exist(pair, kind):
    X, y = pair
    weights = (np.arange(len(y)) % 5 > 0).astype(float)
    far = np.where(weights[:, None] > 0, X, 1e3)
    model = FisherSubspaceClassifier(kind).fit(far, y, sample_weight=weights)
    expected = FisherSubspaceClassifier(kind).fit(X[weights > 0], y[weights > 0])
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=1e-8, atol=1e-9)


def test_class_of_weight_zero_is_never_predicted(several):
    X, y = several
    model = FisherSubspaceClassifier().fit(X, y, sample_weight=(y != 2).astype(float))
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert 2 not in model.predict(X)
    assert not model.predict_proba(X)[:, 2].any()


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@every_kind
@either_scatter
@pytest.mark.parametrize("shape", [(60, 8), (24, 40)], ids=["tall", "wide"])
def test_sparse_data_give_the_model_of_dense_data(rng, store, kind, scatter, shape):
    X, y = draw_correlated(rng, n_samples=shape[0], n_features=shape[1])
    X = X * (rng.random(X.shape) < 0.5)
    options = {"scatter": scatter, "threshold": "mahalanobis"}
    number = None if kind == "full" else 6
    model = FisherSubspaceClassifier(kind, number, **options).fit(store(X), y)
    expected = FisherSubspaceClassifier(kind, number, **options).fit(X, y)
    assert cosine(model, expected.coef_) == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(model.singular_values_, expected.singular_values_, rtol=1e-7)
    np.testing.assert_array_equal(model.predict(store(X)), expected.predict(X))


@pytest.mark.parametrize("scatter", ["total", "within"])
@pytest.mark.parametrize("offset", [30.0, 1e4])
@pytest.mark.parametrize("seed", range(5))
def test_sparse_data_may_have_large_means(scatter, offset, seed):
    X, y = draw_correlated(np.random.default_rng(seed), n_samples=24, n_features=40)
    model = FisherSubspaceClassifier("full", scatter=scatter).fit(sparse.csr_array(X + offset), y)
    expected = FisherSubspaceClassifier("full", scatter=scatter).fit(X, y)
    assert model.n_components_ == expected.n_components_
    assert cosine(model, expected.coef_) == pytest.approx(1.0, abs=1e-6)


def test_sparse_and_dense_samples_have_the_same_scores(rng, several):
    X, y = several
    X = X * (rng.random(X.shape) < 0.5)
    model = FisherSubspaceClassifier().fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(sparse.csr_array(X)), model.decision_function(X), atol=1e-9
    )


@every_kind
def test_single_precision_is_close_to_double_precision(pair, kind):
    X, y = pair
    model = FisherSubspaceClassifier(kind, threshold="mahalanobis").fit(X.astype(np.float32), y)
    double = FisherSubspaceClassifier(kind, threshold="mahalanobis").fit(X, y)
    np.testing.assert_allclose(model.coef_, double.coef_, rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(model.predict(X.astype(np.float32)), double.predict(X))


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "bool", "float16"])
def test_counts_of_any_type_give_the_model_of_floats(rng, dtype):
    X = rng.integers(0, 2, size=(30, 4))
    y = np.arange(30) % 2
    model = FisherSubspaceClassifier().fit(X.astype(dtype), y)
    expected = FisherSubspaceClassifier().fit(X.astype(np.float64), y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-10)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint64", "float32"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("shape", [(40, 6), (15, 30)], ids=["tall", "wide"])
def test_squares_of_counts_do_not_overflow(rng, dtype, store, shape):
    X = rng.integers(0, 100, size=shape) * (rng.random(shape) < 0.6)
    y = np.arange(shape[0]) % 2
    model = FisherSubspaceClassifier(n_components=4).fit(store(X.astype(dtype)), y)
    expected = FisherSubspaceClassifier(n_components=4).fit(X.astype(float), y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(
        model.decision_function(store(X.astype(dtype))),
        expected.decision_function(X.astype(float)),
        rtol=1e-4,
        atol=1e-4,
    )


def test_order_of_rows_does_not_matter(rng, several):
    X, y = several
    order = rng.permutation(len(y))
    model = FisherSubspaceClassifier().fit(X[order], y[order])
    expected = FisherSubspaceClassifier().fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8, atol=1e-9)


def test_order_of_columns_does_not_matter(rng, several):
    X, y = several
    order = rng.permutation(X.shape[1])
    model = FisherSubspaceClassifier().fit(X[:, order], y)
    expected = FisherSubspaceClassifier().fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_[:, order], rtol=1e-8, atol=1e-9)


# ------------------------------------------------------------------ degenerate data


@every_kind
@either_scatter
@pytest.mark.parametrize("threshold", [*THRESHOLDS, "prior"])
def test_rows_that_are_all_equal_give_finite_scores(kind, scatter, threshold):
    X, y = np.full((6, 3), 0.1), np.array([0, 1, 0, 1, 1, 0])
    model = FisherSubspaceClassifier(kind, scatter=scatter, threshold=threshold).fit(X, y)
    assert np.isfinite(model.decision_function(X + 1.0)).all()
    assert set(model.predict(X)) <= {0, 1}
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@every_kind
@either_scatter
def test_classes_of_one_point_each_are_told_apart(kind, scatter):
    # Within the classes there is no spread at all.
    X, y = np.repeat([[0.0, 1.0, 2.0], [1.0, 1.0, 5.0]], 4, axis=0), np.repeat([0, 1], 4)
    model = FisherSubspaceClassifier(kind, scatter=scatter).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    if (kind, scatter) not in (("full", "within"), ("variance", "within")):
        assert model.score(X, y) == 1.0


@every_kind
def test_two_samples_are_enough(kind):
    X = np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 5.0]])
    model = FisherSubspaceClassifier(kind).fit(X, ["a", "b"])
    assert model.predict(X).tolist() == ["a", "b"]


@every_kind
def test_class_of_one_sample_is_no_obstacle(several, kind):
    X, y = several
    kept = (y != 2) | (np.arange(len(y)) == np.argmax(y == 2))
    model = FisherSubspaceClassifier(kind).fit(X[kept], y[kept])
    assert model.class_count_[2] == 1
    assert np.isfinite(model.decision_function(X)).all()


@every_kind
def test_repeated_rows_are_no_obstacle(wide, kind):
    X, y = np.repeat(wide.X, 2, axis=0), np.repeat(wide.y, 2)
    model = FisherSubspaceClassifier(kind, None if kind == "full" else 5).fit(X, y)
    expected = FisherSubspaceClassifier(kind, None if kind == "full" else 5).fit(*wide)
    assert cosine(model, expected.coef_) == pytest.approx(1.0, abs=1e-9)


@every_kind
@pytest.mark.parametrize("constant", [0.0, 0.1, 1e6])
def test_constant_feature_is_not_used(pair, kind, constant):
    X, y = pair
    padded = np.column_stack([X, np.full(len(X), constant)])
    model = FisherSubspaceClassifier(kind).fit(padded, y)
    expected = FisherSubspaceClassifier(kind).fit(X, y)
    np.testing.assert_allclose(model.coef_[0, :-1], expected.coef_[0], rtol=1e-6, atol=1e-8)
    assert model.coef_[0, -1] == pytest.approx(0.0, abs=1e-8)


@every_kind
@pytest.mark.parametrize("shape", [(60, 8), (24, 40)], ids=["tall", "wide"])
def test_large_offset_does_not_matter(rng, kind, shape):
    X, y = draw_correlated(rng, n_samples=shape[0], n_features=shape[1])
    model = FisherSubspaceClassifier(kind).fit(X + 1e6, y)
    expected = FisherSubspaceClassifier(kind).fit(X, y)
    assert cosine(model, expected.coef_) == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_array_equal(model.predict(X + 1e6), expected.predict(X))


@every_kind
def test_repeated_features_share_the_work(pair, kind):
    X, y = pair
    model = FisherSubspaceClassifier(kind).fit(np.hstack([X, X]), y)
    np.testing.assert_allclose(model.coef_[:, :8], model.coef_[:, 8:], rtol=1e-6, atol=1e-8)
    assert np.isfinite(model.coef_).all()


@every_kind
def test_means_that_agree_give_finite_scores(kind):
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    model = FisherSubspaceClassifier(kind).fit(X, [0, 0, 1, 1])
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e100])
@every_kind
def test_extreme_units_do_not_matter(pair, scale, kind):
    X, y = pair
    model = FisherSubspaceClassifier(kind).fit(X * scale, y)
    expected = FisherSubspaceClassifier(kind).fit(X, y)
    np.testing.assert_array_equal(model.predict(X * scale), expected.predict(X))


def test_values_whose_squares_overflow_are_refused(pair):
    with pytest.raises(ValueError, match="too large"):
        FisherSubspaceClassifier().fit(pair.X * 1e200, pair.y)


# ------------------------------------------------------------------ parts


@every_kind
@either_scatter
def test_merge_of_parts_has_the_direction_of_all_data(pair, kind, scatter):
    X, y = pair
    order = np.argsort(y + np.linspace(0, 1.5, len(y)), kind="stable")  # unequal class mixes
    X, y = X[order], y[order]
    first, second = (
        FisherSubspaceClassifier(kind, None if kind == "full" else 8, scatter=scatter).fit(
            X[rows], y[rows]
        )
        for rows in (slice(0, 30), slice(30, None))
    )
    batch = clone(first).fit(X, y)
    merged = first.merge(second)
    assert merged is first
    assert cosine(merged, batch.coef_) == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(merged.mean_, batch.mean_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(merged.means_, batch.means_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(merged.singular_values_, batch.singular_values_, rtol=1e-8)
    np.testing.assert_array_equal(merged.class_count_, batch.class_count_)


def test_merge_is_that_of_the_definition(pair):
    X, y = pair
    parts = cuts_of(np.random.default_rng(1), len(y), 3)
    models = [FisherSubspaceClassifier("full").fit(X[rows], y[rows]) for rows in parts]
    merged = models[0].merge(models[1]).merge(models[2])
    expected = fisher.merged_model([fisher.fit(X[rows], y[rows], "full") for rows in parts])
    np.testing.assert_allclose(merged.axes_[:, 0], expected.w, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_merged_threshold_is_the_average_of_the_definition(pair, threshold):
    X, y = pair
    parts = cuts_of(np.random.default_rng(1), len(y), 3)
    options = {"threshold": threshold}
    models = [FisherSubspaceClassifier("full", **options).fit(X[rows], y[rows]) for rows in parts]
    merged = models[0].merge(models[1]).merge(models[2])
    expected = fisher.merged_model(
        [fisher.fit(X[rows], y[rows], "full", **options) for rows in parts]
    )
    assert merged.threshold_ == pytest.approx(expected.threshold, rel=1e-8)


def test_part_with_one_class_does_not_move_the_threshold_point(pair):
    X, y = pair
    both, one = slice(0, 40), np.arange(60)[40:][y[40:] == 0]
    model = FisherSubspaceClassifier("full").fit(X[both], y[both])
    point = model.mean_ + (model.means_[1] - model.means_[0]) * model.threshold_ / (
        (model.means_[1] - model.means_[0]) @ model.axes_[:, 0]
    )
    model.partial_fit(X[one], y[one])
    expected = (point - model.mean_) @ model.axes_[:, 0]
    assert model.threshold_ == pytest.approx(expected, rel=1e-8)


def test_merge_leaves_the_other_model_alone(pair):
    X, y = pair
    first, second = (
        FisherSubspaceClassifier().fit(X[rows], y[rows]) for rows in (slice(0, 30), slice(30, None))
    )
    before = pickle.dumps(second)
    first.merge(second)
    assert pickle.dumps(second) == before


def test_merge_of_other_classes_knows_the_classes_of_either(several):
    X, y = several
    lower, upper = (
        FisherSubspaceClassifier("full").fit(X[rows], y[rows]) for rows in (y < 2, y >= 2)
    )
    batch = FisherSubspaceClassifier("full").fit(X, y)
    merged = lower.merge(upper)
    assert merged.classes_.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(merged.coef_, batch.coef_, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(merged.intercept_, batch.intercept_, rtol=1e-7, atol=1e-8)


def test_part_with_one_class_can_be_merged(pair):
    X, y = pair
    first, second = (
        FisherSubspaceClassifier("full").partial_fit(X[rows], y[rows], classes=[0, 1])
        for rows in (y == 0, y == 1)
    )
    batch = FisherSubspaceClassifier("full").fit(X, y)
    merged = first.merge(second)
    assert cosine(merged, batch.coef_) == pytest.approx(1.0, abs=1e-10)
    assert merged.score(X, y) >= batch.score(X, y) - 0.1


@every_kind
def test_chunks_have_the_direction_of_all_data(rng, pair, kind):
    X, y = pair
    model = FisherSubspaceClassifier(kind, None if kind == "full" else 8)
    for rows in cuts_of(rng, len(y), 5):
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
    batch = clone(model).fit(X, y)
    assert cosine(model, batch.coef_) == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(model.singular_values_, batch.singular_values_, rtol=1e-8)


def test_first_chunk_may_hold_a_single_class(pair):
    X, y = pair
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    model = FisherSubspaceClassifier("full").partial_fit(X[:3], y[:3], classes=[0, 1])
    assert model.predict(X).tolist() == [0] * len(y)
    assert np.isfinite(model.predict_proba(X)).all()
    model.partial_fit(X[3:], y[3:])
    assert cosine(model, FisherSubspaceClassifier("full").fit(X, y).coef_) == pytest.approx(1.0)


def test_class_may_first_appear_in_a_later_chunk(several):
    X, y = several
    order = np.argsort(y == 3, kind="stable")
    X, y = X[order], y[order]
    model = FisherSubspaceClassifier("full").partial_fit(X[:40], y[:40], classes=[0, 1, 2, 3])
    assert 3 not in model.predict(X)
    assert not model.predict_proba(X)[:, 3].any()
    model.partial_fit(X[40:], y[40:])
    expected = FisherSubspaceClassifier("full").fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-7, atol=1e-8)


def test_first_chunk_may_hold_one_of_several_classes(several):
    X, y = several
    model = FisherSubspaceClassifier().partial_fit(X[y == 2], y[y == 2], classes=[0, 1, 2, 3])
    assert set(model.predict(X)) == {2}
    np.testing.assert_array_equal(model.predict_proba(X), np.eye(4)[np.full(len(y), 2)])


def test_merge_needs_the_same_scatter(pair):
    other = FisherSubspaceClassifier(scatter="within").fit(*pair)
    with pytest.raises(ValueError, match="scatter='within'"):
        FisherSubspaceClassifier().fit(*pair).merge(other)


def test_one_chunk_is_a_fit(several):
    X, y = several
    model = FisherSubspaceClassifier().partial_fit(X, y, classes=np.unique(y))
    expected = FisherSubspaceClassifier().fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=1e-9, atol=1e-10)


def test_fit_forgets_earlier_chunks(pair, several):
    model = FisherSubspaceClassifier().fit(*several)
    model.fit(*pair)
    expected = FisherSubspaceClassifier().fit(*pair)
    np.testing.assert_array_equal(model.coef_, expected.coef_)


# ------------------------------------------------------------------ around the estimator


def test_fit_leaves_parameters_data_and_labels_alone(several):
    X, y = several
    weights = np.linspace(0.5, 1.0, len(y))
    before = X.copy(), y.copy(), weights.copy()
    model = FisherSubspaceClassifier("variance", 0.9, priors=[1, 2, 3, 4])
    parameters = model.get_params()
    model.fit(X, y, sample_weight=weights)
    assert model.get_params() == parameters
    for now, then in zip((X, y, weights), before, strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [-1.0, 1.0], [False, True], np.array(["n", "y"], dtype=object)],
    ids=str,
)
def test_labels_may_be_of_any_type(pair, labels):
    labels = np.asarray(labels)[pair.y]
    model = FisherSubspaceClassifier().fit(pair.X, labels)
    assert set(model.predict(pair.X)) <= set(labels)
    assert model.classes_.dtype == labels.dtype


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_names_of_a_frame_are_remembered(pair, frame):
    names = [f"gene{j}" for j in range(8)]
    table = frame(dict(zip(names, pair.X.T, strict=True)))
    model = FisherSubspaceClassifier().fit(table, pair.y)
    assert model.feature_names_in_.tolist() == names
    expected = FisherSubspaceClassifier().fit(*pair).decision_function(pair.X)
    np.testing.assert_allclose(model.decision_function(table), expected, rtol=1e-12)


def test_columns_in_another_order_are_refused(pair):
    table = pd.DataFrame(pair.X, columns=list("abcdefgh"))
    model = FisherSubspaceClassifier().fit(table, pair.y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[list("hgfedcba")])


def test_pickled_model_predicts_and_streams_the_same(pair):
    X, y = pair
    model = FisherSubspaceClassifier().fit(X[:40], y[:40])
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    np.testing.assert_allclose(
        copy.partial_fit(X[40:], y[40:]).coef_, model.partial_fit(X[40:], y[40:]).coef_, rtol=1e-9
    )


def test_grid_search_finds_a_number_of_components(pair):
    search = GridSearchCV(FisherSubspaceClassifier(), {"n_components": [1, 4, "log2"]}, cv=3)
    assert search.fit(*pair).best_score_ > 0.5


def test_model_works_in_a_pipeline_with_calibration(pair):
    X, y = pair
    inner = make_pipeline(StandardScaler(), FisherSubspaceClassifier())
    model = CalibratedClassifierCV(inner, cv=3).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


# ------------------------------------------------------------------ bad input


def refused(message, *, error=ValueError, samples=None, **parameters):
    """Fit with bad parameters and see that the message names them."""
    X, y = samples or draw_correlated(np.random.default_rng(0))
    with pytest.raises(error, match=message):
        FisherSubspaceClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("whitening", ["truncated", "full", "variance"]),
        ("scatter", ["total", "within"]),
        ("threshold", [*THRESHOLDS, "prior"]),
    ],
)
@pytest.mark.parametrize("value", ["half", 3, None])
def test_unknown_choice_is_refused_with_the_known_ones(name, allowed, value):
    with pytest.raises(ValueError, match=f"{name}={value!r} must be one of") as caught:
        FisherSubspaceClassifier(**{name: value}).fit(*draw_correlated(np.random.default_rng(0)))
    assert all(repr(choice) in str(caught.value) for choice in allowed)


@pytest.mark.parametrize("value", [0, -2, 0.0, -0.5, 1.5, np.nan, np.inf])
@pytest.mark.parametrize("kind", ["truncated", "variance"])
def test_number_of_components_out_of_bounds_is_refused(kind, value):
    refused(f"n_components={value}", whitening=kind, n_components=value)


@pytest.mark.parametrize("value", ["log3", True, [2], "3"])
def test_number_of_components_of_another_kind_is_refused(value):
    refused("n_components=", error=(TypeError, ValueError), n_components=value)


@pytest.mark.parametrize("value", [3, 0.9, "log2"])
def test_full_whitening_of_some_components_is_that_which_drops_the_others(pair, value):
    models = [FisherSubspaceClassifier(kind, value).fit(*pair) for kind in ("full", "variance")]
    np.testing.assert_allclose(models[0].coef_, models[1].coef_, rtol=1e-12)


@pytest.mark.parametrize("value", [-0.1, 0.0, 1.0, 1.5, np.nan, "high", None])
def test_balance_out_of_bounds_is_refused(value):
    refused("balance=", error=(TypeError, ValueError), threshold="balanced", balance=value)


@pytest.mark.parametrize("value", ["even", [1, 2, 3], [0.5, -0.5], [np.nan, 1.0], [0.0, 1.0], 3])
def test_priors_that_are_none_are_refused(value):
    refused("priors=.*must be", priors=value)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(pair, value):
    X = pair.X.copy()
    X[3, 2] = value
    refused("X contains|X holds", samples=Samples(X, pair.y))


def test_samples_of_one_class_are_refused(pair):
    refused("one class", samples=Samples(pair.X, np.zeros(len(pair.X), dtype=int)))


def test_labels_that_are_measurements_are_refused(pair):
    refused("continuous", samples=Samples(pair.X, np.linspace(0, 1, len(pair.X))))


def test_text_is_refused():
    refused("X must hold numbers", samples=(np.array([["a"], ["b"]]), [0, 1]))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(60, -1.0), "sample_weight=-1 must not be negative"),
        (np.zeros(60), "(?i)sample.weight.* zero|non-zero"),
        (np.ones(59), "sample_weight"),
    ],
)
def test_bad_weights_are_refused(pair, weights, message):
    with pytest.raises(ValueError, match=message):
        FisherSubspaceClassifier().fit(*pair, sample_weight=weights)


def test_weights_that_leave_one_class_are_refused(pair):
    with pytest.raises(ValueError, match="at least 2 classes"):
        FisherSubspaceClassifier().fit(*pair, sample_weight=(pair.y == 1).astype(float))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_model_must_be_fitted_first(pair, method):
    with pytest.raises(NotFittedError):
        getattr(FisherSubspaceClassifier(), method)(pair.X)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_new_samples_must_be_finite(pair, method, value):
    model = FisherSubspaceClassifier().fit(*pair)
    with pytest.raises(ValueError, match="NaN|infinity"):
        getattr(model, method)(np.full((2, 8), value))


def test_new_samples_must_have_the_same_number_of_features(pair):
    with pytest.raises(ValueError, match="8 features"):
        FisherSubspaceClassifier().fit(*pair).predict(pair.X[:, :5])


def test_first_chunk_needs_the_classes(pair):
    with pytest.raises(ValueError, match="classes must be given"):
        FisherSubspaceClassifier().partial_fit(*pair)


def test_later_chunk_needs_the_same_classes(pair):
    model = FisherSubspaceClassifier().partial_fit(*pair, classes=[0, 1])
    with pytest.raises(ValueError, match="classes=.*must be those of the first call"):
        model.partial_fit(*pair, classes=[0, 1, 2])


def test_label_that_was_not_announced_is_refused(pair):
    with pytest.raises(ValueError, match="not among classes"):
        FisherSubspaceClassifier().partial_fit(*pair, classes=[1, 2])


def test_later_chunk_needs_the_same_features(pair):
    model = FisherSubspaceClassifier().fit(*pair)
    with pytest.raises(ValueError, match="8 features"):
        model.partial_fit(pair.X[:, :5], pair.y)


def test_merge_needs_a_model_of_the_same_kind(pair):
    with pytest.raises(TypeError, match="must be a fitted FisherSubspaceClassifier"):
        FisherSubspaceClassifier().fit(*pair).merge(LinearDiscriminantAnalysis().fit(*pair))


def test_merge_needs_a_fitted_model(pair):
    with pytest.raises(NotFittedError):
        FisherSubspaceClassifier().fit(*pair).merge(FisherSubspaceClassifier())


def test_merge_needs_the_same_features(pair):
    other = FisherSubspaceClassifier().fit(pair.X[:, :5], pair.y)
    with pytest.raises(ValueError, match="5 features.*8"):
        FisherSubspaceClassifier().fit(*pair).merge(other)


def test_refused_call_leaves_the_model_as_it_was(pair):
    X, y = pair
    model = FisherSubspaceClassifier().fit(X, y)
    before = pickle.dumps(model)
    bad = X.copy()
    bad[0, 0] = np.nan
    for call in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match="NaN"):
            call(bad, y)
        assert pickle.dumps(model) == before


def test_whitening_of_all_directions_does_not_merge_with_leading_ones(pair):
    X, y = pair
    full = FisherSubspaceClassifier("full").fit(X[::2], y[::2])
    truncated = FisherSubspaceClassifier("truncated", 2).fit(X[1::2], y[1::2])
    with pytest.raises(ValueError, match="whitening='full'.*needs all directions"):
        full.merge(truncated)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_importances_are_norms_of_weights_and_fall_by_position_where_these_are_equal(n_classes):
    rng = np.random.default_rng(0)
    half = rng.integers(0, 3, (40, 20))
    X, y = np.hstack([half, -half]).astype(float), np.arange(40) % n_classes
    model = FisherSubspaceClassifier().fit(X, y)
    importances = model.feature_importances_
    np.testing.assert_allclose(importances, np.linalg.norm(model.coef_, axis=0), rtol=1e-8)
    order = np.argsort(-importances, kind="stable")
    np.testing.assert_array_equal(order[1::2], order[::2] + 20)
