"""Predicting, selecting and transforming with a fitted model."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.covariance import LedoitWolf
from sklearn.exceptions import NotFittedError

from centroidal import SparseCenterClassifier, SparseCenterClassifierCV
from tests import reference
from tests.reference.covariance import inverse_root

FRAMES = {
    "numpy": np.asarray,
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "csr_matrix": sparse.csr_matrix,
    "pandas": lambda X: pd.DataFrame(X, columns=[f"gene {j}" for j in range(X.shape[1])]),
    "polars": lambda X: pl.DataFrame(X, schema=[f"gene {j}" for j in range(X.shape[1])]),
}


@pytest.fixture(params=FRAMES)
def frame(request):
    return FRAMES[request.param]


@pytest.fixture(params=["l2", "l1"])
def plain_metric(request):
    return request.param


def whole_numbers(rng, n_classes):
    """Two samples a class, so that means and medians are halves, and a grid of points between."""
    centers = rng.integers(-6, 7, size=(n_classes, 2)).astype(np.float64)
    grid = np.stack(np.meshgrid(np.arange(-8, 9) / 2, np.arange(-8, 9) / 2), axis=-1)
    return np.repeat(centers, 2, axis=0), np.repeat(np.arange(n_classes), 2), grid.reshape(-1, 2)


# ------------------------------------------------------------------ another number of features


def test_at_equals_a_fresh_fit_with_that_number(three_classes, metric, scale):
    X, y = three_classes
    model = SparseCenterClassifier(metric=metric, scale=scale).fit(X, y)
    for k in range(1, 9):
        fresh = SparseCenterClassifier(k, metric=metric, scale=scale).fit(X, y)
        other = model.at(k)
        np.testing.assert_array_equal(other.centers_, fresh.centers_)
        np.testing.assert_array_equal(other.support_, fresh.support_)
        np.testing.assert_array_equal(other.predict_proba(X), fresh.predict_proba(X))
        assert other.objective_ == fresh.objective_


def test_at_leaves_the_model_as_it_was(three_classes, metric):
    X, y = three_classes
    model = SparseCenterClassifier(6, metric=metric).fit(X, y)
    centers, scores = model.centers_.copy(), model.decision_function(X)
    model.at(2)
    assert model.n_features_to_select == model.n_features_to_select_ == 6
    np.testing.assert_array_equal(model.centers_, centers)
    np.testing.assert_array_equal(model.decision_function(X), scores)


def test_at_takes_fractions_and_none(three_classes):
    model = SparseCenterClassifier(2).fit(*three_classes)
    assert model.at(0.5).support_.sum() == 4
    assert model.at(None).support_.sum() == 8


def test_at_goes_on_with_its_own_number(three_classes):
    X, y = three_classes
    model = SparseCenterClassifier(6).fit(X[:30], y[:30]).at(2).partial_fit(X[30:], y[30:])
    assert model.support_.sum() == 2


@pytest.mark.parametrize("k", [0, 9, 1.5])
def test_at_refuses_a_number_that_is_not_there(three_classes, k):
    model = SparseCenterClassifier().fit(*three_classes)
    with pytest.raises(ValueError, match=f"n_features_to_select={k} must"):
        model.at(k)


def test_at_needs_a_fitted_model():
    with pytest.raises(NotFittedError, match="not fitted"):
        SparseCenterClassifier().at(3)


# ------------------------------------------------------------------ decisions


def test_decision_for_two_classes_is_the_signed_difference_of_the_paper(two_classes, plain_metric):
    X, y = two_classes
    for k in (1, 3, 8):
        model = SparseCenterClassifier(k, metric=plain_metric).fit(X, y)
        expected = reference.signed_difference(X, model.centers_, plain_metric)
        np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-8, atol=1e-8)


def test_positive_decision_means_the_second_class(two_classes, metric):
    X, y = two_classes
    model = SparseCenterClassifier(3, metric=metric).fit(X, y)
    expected = np.where(model.decision_function(X) > 0, "yes", "no")
    np.testing.assert_array_equal(model.predict(X), expected)


def test_decision_for_more_classes_is_the_negative_distance(three_classes, plain_metric, scale):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=plain_metric, scale=scale).fit(X, y)
    kept = model.support_
    expected = -reference.distances(
        X[:, kept], model.centers_[:, kept], model.feature_scale_[kept], plain_metric
    )
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-9)


def test_decision_is_the_negative_distance_of_whitened_samples(three_classes):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric="mahalanobis").fit(X, y)
    expected = -reference.distances(
        model.transform(X), model.centers_[:, model.support_], np.ones(3), "l2"
    )
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-9)


def test_nearest_center_is_predicted(three_classes, plain_metric, scale):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=plain_metric, scale=scale).fit(X, y)
    nearest = reference.nearest(X, model.centers_, model.feature_scale_, plain_metric)
    np.testing.assert_array_equal(model.predict(X), model.classes_[nearest])


def test_prediction_is_the_argmax_of_decisions_and_of_probabilities(three_classes, metric, scale):
    X, y = three_classes
    model = SparseCenterClassifier(2, metric=metric, scale=scale).fit(X, y)
    predicted = np.searchsorted(model.classes_, model.predict(X))
    np.testing.assert_array_equal(model.decision_function(X).argmax(axis=1), predicted)
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), predicted)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_exact_tie_goes_to_the_first_class(rng, plain_metric, n_classes, store):
    for _ in range(10):
        X, y, grid = whole_numbers(rng, n_classes)
        model = SparseCenterClassifier(metric=plain_metric).fit(X, y)
        expected = reference.nearest(grid, model.centers_, np.ones(2), plain_metric)
        np.testing.assert_array_equal(model.predict(store(grid)), expected)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_predictions_and_probabilities_agree_on_exact_ties(rng, plain_metric, n_classes):
    for _ in range(10):
        X, y, grid = whole_numbers(rng, n_classes)
        model = SparseCenterClassifier(metric=plain_metric).fit(X + rng.normal(size=X.shape), y)
        probabilities = model.predict_proba(grid)
        np.testing.assert_array_equal(probabilities.argmax(axis=1), model.predict(grid))


def test_samples_do_not_depend_on_the_block_they_are_scored_in(two_classes, metric, monkeypatch):
    X, y = two_classes
    model = SparseCenterClassifier(3, metric=metric).fit(X, y)
    expected = model.decision_function(X)
    monkeypatch.setattr(
        "centroidal.classifiers.sparse_center_rule.row_blocks",
        lambda n_rows, n_columns: [slice(i, i + 7) for i in range(0, n_rows, 7)],
    )
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-10, atol=1e-12)


# ------------------------------------------------------------------ probabilities


def log_likelihoods(model, distances):
    """Gaussian or Laplace density of independent features with a common spread, as logarithms."""
    k = model.support_.sum()
    if model.metric == "l1":
        return -distances / model.spread_ - k * np.log(2 * model.spread_)
    return -distances / (2 * model.spread_) - k / 2 * np.log(2 * np.pi * model.spread_)


@pytest.mark.parametrize("priors", ["uniform", "empirical", [0.2, 0.5, 0.3]])
def test_probabilities_are_those_of_the_model_by_hand(three_classes, plain_metric, scale, priors):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=plain_metric, scale=scale, priors=priors).fit(X, y)
    kept = model.support_
    distances = reference.distances(
        X[:, kept], model.centers_[:, kept], model.feature_scale_[kept], plain_metric
    )
    shares = {"uniform": np.ones(3) / 3, "empirical": np.unique(y, return_counts=True)[1] / 60}
    prior = shares[priors] if isinstance(priors, str) else np.array(priors)
    joint = prior * np.exp(log_likelihoods(model, distances))
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-8, atol=1e-12)


def test_spread_is_the_pooled_variance_or_deviation_of_the_selected_features(
    three_classes, plain_metric, scale
):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=plain_metric, scale=scale).fit(X, y)
    codes = np.searchsorted(model.classes_, y)
    deviations = (
        np.abs(X - model.centers_[codes])[:, model.support_] / model.feature_scale_[model.support_]
    )
    expected = (deviations if plain_metric == "l1" else deviations**2).mean()
    assert model.spread_ == pytest.approx(expected, rel=1e-10)


def test_probabilities_sum_to_one(three_classes, metric):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=metric).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-12)


def test_log_probabilities_are_the_logarithms_of_probabilities(three_classes, metric):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=metric).fit(X, y)
    np.testing.assert_allclose(
        np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-9, atol=1e-300
    )


def test_classes_without_spread_leave_no_doubt(plain_metric):
    model = SparseCenterClassifier(metric=plain_metric).fit([[0.0], [0.0], [3.0]], [0, 0, 1])
    assert model.spread_ == 0
    assert model.predict_proba([[1.0], [2.0]]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


# ------------------------------------------------------------------ priors


def test_uniform_priors_leave_the_decision_to_the_nearest_center(two_classes):
    model = SparseCenterClassifier().fit(*two_classes)
    assert model.class_prior_.tolist() == [0.5, 0.5]


def test_empirical_priors_are_the_shares_of_the_weight(two_classes):
    X, y = two_classes
    weights = np.where(y == "yes", 3.0, 1.0)
    model = SparseCenterClassifier(priors="empirical").fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(
        model.class_prior_[1], weights[y == "yes"].sum() / weights.sum(), rtol=1e-12
    )


def test_priors_are_normalised(two_classes):
    model = SparseCenterClassifier(priors=[1, 3]).fit(*two_classes)
    assert model.class_prior_.tolist() == [0.25, 0.75]


def test_prior_shifts_the_decision_by_the_log_odds_in_units_of_the_score(two_classes, plain_metric):
    X, y = two_classes
    plain = SparseCenterClassifier(3, metric=plain_metric).fit(X, y)
    shifted = SparseCenterClassifier(3, metric=plain_metric, priors=[1, 3]).fit(X, y)
    unit = plain.spread_ * (2 if plain_metric == "l2" else 1)
    np.testing.assert_allclose(
        shifted.decision_function(X) - plain.decision_function(X), unit * np.log(3), rtol=1e-8
    )


# ------------------------------------------------------------------ what is read


def test_missing_values_in_dropped_columns_do_not_matter(two_classes, plain_metric, frame):
    X, y = two_classes
    model = SparseCenterClassifier(2, metric=plain_metric).fit(frame(X), y)
    expected = model.predict(frame(X))
    X = X.copy()
    X[:, ~model.support_] = np.nan
    np.testing.assert_array_equal(model.predict(frame(X)), expected)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_missing_or_infinite_value_in_a_selected_column_is_an_error(
    two_classes, plain_metric, frame, value
):
    X, y = two_classes
    model = SparseCenterClassifier(2, metric=plain_metric).fit(frame(X), y)
    X = X.copy()
    X[7, np.flatnonzero(model.support_)[0]] = value
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        model.predict(frame(X))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_whitening_reads_every_column(two_classes, frame, value):
    X, y = two_classes
    model = SparseCenterClassifier(2, metric="mahalanobis").fit(frame(X), y)
    X = X.copy()
    X[7, np.flatnonzero(~model.support_)[0]] = value
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        model.predict(frame(X))


def test_text_in_dropped_columns_of_a_frame_does_not_matter(two_classes):
    X, y = two_classes
    table = FRAMES["pandas"](X)
    model = SparseCenterClassifier(2).fit(table, y)
    dropped = table.columns[~model.support_]
    noted = table.astype(dict.fromkeys(dropped, object))
    noted[dropped] = "not measured"
    np.testing.assert_array_equal(model.predict(noted), model.predict(table))


@pytest.mark.parametrize("method", ["predict", "decision_function", "predict_proba"])
def test_values_too_large_to_square_are_refused(two_classes, method):
    X, y = two_classes
    model = SparseCenterClassifier().fit(X, y)
    with pytest.raises(ValueError, match="too large for float64"):
        getattr(model, method)(np.full((1, 8), 1e200))


# ------------------------------------------------------------------ selecting


def test_support_is_the_head_of_the_ranking(three_classes, metric):
    model = SparseCenterClassifier(3, metric=metric).fit(*three_classes)
    chosen = model.get_support(indices=True).tolist()
    assert chosen == sorted(model.feature_ranking_[:3].tolist())


def test_transform_keeps_the_selected_columns(three_classes, plain_metric, frame):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=plain_metric).fit(frame(X), y)
    kept = model.transform(frame(X))
    kept = kept.toarray() if sparse.issparse(kept) else np.asarray(kept)
    np.testing.assert_array_equal(kept, X[:, model.support_])


def test_transform_with_whitening_gives_the_features_that_are_compared(three_classes):
    """Around their class means they are uncorrelated, up to the shrinkage."""
    X, y = three_classes
    model = SparseCenterClassifier(metric="mahalanobis").fit(X, y)
    whitened = model.transform(X)
    means = [whitened[y == label].mean(axis=0) for label in model.classes_]
    np.testing.assert_allclose(means, model.centers_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("scale", [None, "std"])
def test_total_covariance_is_that_around_the_mean_of_all_shrunk_by_ledoit_and_wolf(
    three_classes, scale
):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric="mahalanobis", covariance="total", scale=scale)
    Z = X / X.std(axis=0) if scale else X
    root = inverse_root(LedoitWolf().fit(Z).covariance_)
    expected = SparseCenterClassifier(3).fit(Z @ root, y)
    np.testing.assert_allclose(model.fit(X, y).centers_, expected.centers_, rtol=1e-8)
    np.testing.assert_allclose(
        model.decision_function(X), expected.decision_function(Z @ root), rtol=1e-8, atol=1e-8
    )


@pytest.mark.parametrize("scale", [None, "std"])
def test_given_covariance_whitens_as_it_is(three_classes, scale, rng):
    X, y = three_classes
    S = np.cov(rng.normal(size=(8, 40)))
    divisor = X.std(axis=0) if scale else np.ones(8)
    root = inverse_root(S / np.outer(divisor, divisor))
    model = SparseCenterClassifier(3, metric="mahalanobis", covariance=S, scale=scale).fit(X, y)
    expected = SparseCenterClassifier(3).fit(X / divisor @ root, y)
    np.testing.assert_array_equal(model.feature_ranking_, expected.feature_ranking_)
    np.testing.assert_allclose(
        model.predict_proba(X), expected.predict_proba(X / divisor @ root), rtol=1e-8
    )


def test_diagonal_of_variances_is_the_scale_of_the_paper(three_classes):
    """The special case of section IV-A."""
    X, y = three_classes
    variances = np.diag(X.var(axis=0))
    model = SparseCenterClassifier(3, metric="mahalanobis", covariance=variances.tolist()).fit(X, y)
    scaled = SparseCenterClassifier(3, scale="std").fit(X, y)
    np.testing.assert_array_equal(model.feature_ranking_, scaled.feature_ranking_)
    np.testing.assert_allclose(
        model.decision_function(X), scaled.decision_function(X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("covariance", ["total", np.eye(8) + 0.5], ids=["total", "given"])
def test_other_covariances_are_the_same_for_sparse_data(three_classes, covariance):
    X, y = three_classes
    options = {"metric": "mahalanobis", "covariance": covariance}
    dense = SparseCenterClassifier(3, **options).fit(X, y)
    found = SparseCenterClassifier(3, **options).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(
        found.decision_function(sparse.csr_array(X)), dense.decision_function(X), rtol=1e-7
    )


@pytest.mark.parametrize("covariance", ["total", np.eye(8) + 0.5], ids=["total", "given"])
def test_best_of_cross_validation_has_the_covariance_that_was_given(three_classes, covariance):
    X, y = three_classes
    options = {"metric": "mahalanobis", "covariance": covariance}
    chosen = SparseCenterClassifierCV(cv=3, **options).fit(X, y)
    plain = SparseCenterClassifier(chosen.n_features_to_select_, **options).fit(X, y)
    for model in (chosen, chosen.best_estimator_):
        np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


def test_samples_of_weight_zero_do_not_count_in_the_total_covariance(three_classes):
    X, y = three_classes
    counted = np.arange(len(y)) % 3 > 0
    options = {"metric": "mahalanobis", "covariance": "total"}
    weighted = SparseCenterClassifier(3, **options).fit(X, y, sample_weight=counted)
    plain = SparseCenterClassifier(3, **options).fit(X[counted], y[counted])
    np.testing.assert_allclose(
        weighted.decision_function(X), plain.decision_function(X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ("pooled", ValueError, "covariance='pooled' must be one of 'within', 'total'"),
        (None, ValueError, r"must be 'within', 'total' or a symmetric.* got shape \(\)"),
        ([["a"]], TypeError, r"covariance=\[\['a'\]\] must be 'within', 'total' or"),
        (np.eye(7), ValueError, r"matrix of 8 rows; got shape \(7, 7\)"),
        (np.ones(8), ValueError, r"of one row and column a feature; got shape \(8,\)"),
        (np.diag([np.nan] * 8), ValueError, "it is not finite"),
        (np.triu(np.ones((8, 8))), ValueError, "it is not symmetric"),
        (np.ones((8, 8)), ValueError, "it is not positive definite"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [SparseCenterClassifier, SparseCenterClassifierCV])
def test_covariance_that_is_none_is_refused_with_what_is_allowed(
    three_classes, kind, value, error, message
):
    with pytest.raises(error, match=message):
        kind(metric="mahalanobis", covariance=value).fit(*three_classes)


def test_sparse_data_stay_sparse_when_transformed(three_classes):
    X, y = three_classes
    model = SparseCenterClassifier(3).fit(sparse.csr_array(X), y)
    assert sparse.issparse(model.transform(sparse.csr_array(X)))


def test_inverse_transform_puts_columns_back(three_classes, plain_metric):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=plain_metric).fit(X, y)
    back = model.inverse_transform(model.transform(X))
    np.testing.assert_array_equal(back, np.where(model.support_, X, 0.0))


def test_inverse_transform_is_not_offered_for_whitened_features(three_classes):
    model = SparseCenterClassifier(3, metric="mahalanobis").fit(*three_classes)
    assert not hasattr(model, "inverse_transform")


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_names_of_columns_are_kept(three_classes, metric, kind):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=metric).fit(FRAMES[kind](X), y)
    assert model.feature_names_in_.tolist() == [f"gene {j}" for j in range(8)]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_names_out_are_those_of_the_selected_columns(three_classes, plain_metric, kind):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=plain_metric).fit(FRAMES[kind](X), y)
    expected = [f"gene {j}" for j in model.get_support(indices=True)]
    assert model.get_feature_names_out().tolist() == expected


def test_names_out_of_whitened_features_say_so(three_classes):
    X, y = three_classes
    model = SparseCenterClassifier(2, metric="mahalanobis").fit(FRAMES["pandas"](X), y)
    expected = [f"whitened_gene {j}" for j in model.get_support(indices=True)]
    assert model.get_feature_names_out().tolist() == expected


def test_names_out_need_a_fitted_model():
    with pytest.raises(NotFittedError, match="not fitted"):
        SparseCenterClassifier().get_feature_names_out()


@pytest.mark.parametrize(("kind", "table"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_output_is_the_frame_that_was_asked_for(three_classes, metric, kind, table):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=metric).set_output(transform=kind)
    out = model.fit(FRAMES[kind](X), y).transform(FRAMES[kind](X))
    assert isinstance(out, table)
    assert list(out.columns) == model.get_feature_names_out().tolist()


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_columns_in_another_order_are_refused(three_classes, kind):
    X, y = three_classes
    table = FRAMES[kind](X)
    model = SparseCenterClassifier(2).fit(table, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[list(table.columns)[::-1]])


def test_frames_with_other_names_are_refused(three_classes):
    X, y = three_classes
    model = SparseCenterClassifier(2).fit(FRAMES["pandas"](X), y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(X, columns=list("abcdefgh")))


def test_frames_without_names_are_read_by_position(three_classes):
    X, y = three_classes
    table = pd.DataFrame(X)
    model = SparseCenterClassifier(2).fit(table, y)
    np.testing.assert_array_equal(model.predict(table), model.predict(X))


@pytest.mark.parametrize("method", ["predict", "transform", "decision_function", "predict_proba"])
@pytest.mark.parametrize("frame_of_other_width", FRAMES.values(), ids=FRAMES)
def test_other_number_of_features_is_refused(three_classes, method, frame_of_other_width):
    X, y = three_classes
    model = SparseCenterClassifier(2).fit(frame_of_other_width(X), y)
    with pytest.raises(ValueError, match=r"8 features|feature names"):
        getattr(model, method)(frame_of_other_width(X[:, :7]))


@pytest.mark.parametrize(
    "method", ["predict", "transform", "decision_function", "predict_proba", "predict_log_proba"]
)
def test_model_that_is_not_fitted_says_so(three_classes, method):
    with pytest.raises(NotFittedError, match="not fitted"):
        getattr(SparseCenterClassifier(), method)(three_classes.X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0], "Expected 2D array"),
        ([["a"] * 8], "X must hold numbers"),
        (np.empty((0, 8)), "0 sample"),
        (np.ones((1, 8)) * 1j, "Complex data"),
        (np.ones((1, 8, 2)), "dim 3"),
    ],
)
def test_prediction_refuses_what_is_not_a_table_of_numbers(three_classes, X, message):
    model = SparseCenterClassifier(2).fit(*three_classes)
    with pytest.raises(ValueError, match=message):
        model.predict(X)
