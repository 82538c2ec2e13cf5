"""Fitting in one batch, in chunks and in parts; scikit-learn around it; bad input."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from centroidal import SparseCenterClassifier
from centroidal.datasets import make_outlier_classes
from tests import reference


def assert_same_scores(model, other, X):
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))


def state_of(model):
    """Everything a model holds, in a form that can be compared."""
    return pickle.dumps(model)


# ------------------------------------------------------------------ fitting


@pytest.mark.parametrize("metric_of_two", ["l2", "l1"])
@pytest.mark.parametrize("k", [1, 3, 8])
def test_centers_are_those_of_the_definition(three_classes, metric_of_two, k):
    X, y = three_classes
    codes = np.unique(y, return_inverse=True)[1]
    own, shared = reference.center_pairs(X, codes, 3, metric_of_two)
    model = SparseCenterClassifier(k, metric=metric_of_two).fit(X, y)
    expected = np.where(model.support_, own, shared)
    np.testing.assert_allclose(model.centers_, expected, rtol=1e-12)


@pytest.mark.parametrize("metric_of_two", ["l2", "l1"])
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_selection_is_the_best_of_all_subsets(rng, metric_of_two, k):
    X, codes = rng.normal(size=(15, 4)), np.arange(15) % 3
    model = SparseCenterClassifier(k, metric=metric_of_two).fit(X, codes)
    least, best = reference.best_subsets(X, codes, 3, k, metric_of_two)
    assert model.objective_ == pytest.approx(least, rel=1e-10)
    assert tuple(model.get_support(indices=True)) in best


def test_objective_is_that_of_the_centers_in_scaled_units(three_classes, scale):
    X, y = three_classes
    codes = np.unique(y, return_inverse=True)[1]
    for metric_of_two in ("l2", "l1"):
        model = SparseCenterClassifier(3, metric=metric_of_two, scale=scale).fit(X, y)
        scales = model.feature_scale_
        expected = reference.objective(X / scales, codes, model.centers_ / scales, metric_of_two)
        assert model.objective_ == pytest.approx(expected, rel=1e-10)


def test_without_a_number_it_is_the_plain_nearest_center_classifier(three_classes):
    X, y = three_classes
    peer = NearestCentroid().fit(X, y)
    np.testing.assert_array_equal(SparseCenterClassifier().fit(X, y).predict(X), peer.predict(X))


@pytest.mark.parametrize(("value", "expected"), [(None, 8), (1, 1), (8, 8), (np.int64(3), 3)])
def test_number_of_features_may_be_an_int_or_none(three_classes, value, expected):
    model = SparseCenterClassifier(value).fit(*three_classes)
    assert model.n_features_to_select_ == model.support_.sum() == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(1.0, 8), (0.5, 4), (1e-9, 1), (np.float32(0.25), 2)]
)
def test_number_of_features_may_be_a_fraction_of_at_least_one_feature(
    three_classes, value, expected
):
    model = SparseCenterClassifier(value).fit(*three_classes)
    assert model.n_features_to_select_ == model.support_.sum() == expected


def test_standard_deviation_is_what_features_are_divided_by(three_classes):
    X, y = three_classes
    model = SparseCenterClassifier(scale="std").fit(X, y)
    np.testing.assert_allclose(model.feature_scale_, X.std(axis=0), rtol=1e-12)


def test_within_scale_is_the_pooled_deviation_inside_the_classes(three_classes):
    X, y = three_classes
    codes = np.unique(y, return_inverse=True)[1]
    model = SparseCenterClassifier(scale="within").fit(X, y)
    expected = np.sqrt(np.diag(reference.pooled_covariance(X, codes)))
    np.testing.assert_allclose(model.feature_scale_, expected, rtol=1e-12)


def test_mad_scale_is_the_median_deviation_from_the_class_medians(three_classes):
    X, y = three_classes
    deviations = np.vstack([np.abs(X[y == c] - np.median(X[y == c], axis=0)) for c in (-1, 4, 9)])
    model = SparseCenterClassifier(scale="mad").fit(X, y)
    np.testing.assert_allclose(
        model.feature_scale_, 1.4826 * np.median(deviations, axis=0), rtol=1e-12
    )


def test_feature_without_spread_keeps_scale_one_and_has_no_gain(two_classes, metric):
    X, y = two_classes
    X = X.copy()
    X[:, 2] = 0.1
    for scale_of_three in ("std", "within", "mad"):
        model = SparseCenterClassifier(metric=metric, scale=scale_of_three).fit(X, y)
        assert model.feature_scale_[2] == 1.0
        assert model.feature_gains_[2] == pytest.approx(0.0, abs=1e-20)


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_number_of_threads_does_not_matter_to_the_bit(three_classes, metric, scale, n_jobs):
    X, y = three_classes
    serial = SparseCenterClassifier(3, metric=metric, scale=scale).fit(X, y)
    threaded = SparseCenterClassifier(3, metric=metric, scale=scale, n_jobs=n_jobs).fit(X, y)
    np.testing.assert_array_equal(threaded.centers_, serial.centers_)
    np.testing.assert_array_equal(threaded.feature_gains_, serial.feature_gains_)


def test_fit_leaves_parameters_data_and_labels_alone(three_classes, metric, scale):
    X, y = three_classes
    weights = np.linspace(0.0, 1.0, len(y))
    before = X.copy(), y.copy(), weights.copy()
    model = SparseCenterClassifier(0.5, metric=metric, scale=scale, priors=[1, 2, 3])
    parameters = model.get_params()
    model.fit(X, y, sample_weight=weights)
    assert model.get_params() == parameters
    for now, then in zip((X, y, weights), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_fitting_again_forgets_the_first_data(two_classes, three_classes, metric):
    model = SparseCenterClassifier(metric=metric).fit(*two_classes).fit(*three_classes)
    fresh = SparseCenterClassifier(metric=metric).fit(*three_classes)
    assert_same_scores(model, fresh, three_classes.X)


def test_single_precision_is_close_to_double_precision(three_classes, metric, scale):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=metric, scale=scale).fit(X.astype(np.float32), y)
    double = SparseCenterClassifier(3, metric=metric, scale=scale).fit(X, y)
    assert model.centers_.dtype == np.float64
    np.testing.assert_allclose(model.centers_, double.centers_, rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(model.predict(X.astype(np.float32)), double.predict(X))


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8", "uint64", "bool", "float16"])
def test_counts_of_any_type_give_the_model_of_floats(rng, metric, dtype):
    X = rng.integers(0, 2, size=(30, 4))
    y = np.arange(30) % 2
    model = SparseCenterClassifier(metric=metric).fit(X.astype(dtype), y)
    expected = SparseCenterClassifier(metric=metric).fit(X.astype(np.float64), y)
    np.testing.assert_allclose(
        model.decision_function(X.astype(dtype)), expected.decision_function(X), atol=1e-12
    )


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [-1.0, 1.0], [False, True], np.array(["no", "yes"], dtype=object)],
    ids=["text", "float", "truth", "object"],
)
def test_labels_may_be_of_any_type(two_classes, labels):
    y = np.asarray(labels)[(two_classes.y == "yes").astype(int)]
    model = SparseCenterClassifier().fit(two_classes.X, y)
    assert set(model.predict(two_classes.X)) <= set(y)
    assert model.classes_.dtype == y.dtype


def test_class_of_weight_zero_is_never_predicted(three_classes, metric, scale):
    X, y = three_classes
    model = SparseCenterClassifier(metric=metric, scale=scale)
    model.fit(X, y, sample_weight=(y != 4).astype(float))
    assert model.classes_.tolist() == [-1, 4, 9]
    assert np.isnan(model.centers_[1]).all()
    assert 4 not in model.predict(X)
    assert not model.predict_proba(X)[:, 1].any()


def test_sparse_entries_that_are_stored_twice_are_added(two_classes, metric):
    X, y = two_classes
    n, m = X.shape
    halves = np.tile(X / 2, 2).ravel()
    twice = sparse.csr_array((halves, np.tile(np.arange(m), 2 * n), np.arange(n + 1) * 2 * m))
    model = SparseCenterClassifier(3, metric=metric).fit(twice, y)
    expected = SparseCenterClassifier(3, metric=metric).fit(X, y)
    np.testing.assert_allclose(model.centers_, expected.centers_, rtol=1e-8)
    np.testing.assert_array_equal(model.predict(twice), expected.predict(X))
    assert twice.nnz == 2 * n * m


def test_medians_withstand_outliers_that_means_do_not():
    """The shape of Figure 6: with 30 % outlying samples l1 centers are the better ones."""
    accuracy = {"l1": [], "l2": []}
    for seed in range(3):
        X, y, centers = make_outlier_classes(outlier_probability=0.3, random_state=seed)
        X_test, y_test, _ = make_outlier_classes(
            1000, outlier_probability=0.3, centers=centers, random_state=seed + 100
        )
        for name, scores in accuracy.items():
            model = SparseCenterClassifier(20, metric=name).fit(X, y)
            scores.append(model.score(X_test, y_test))
    assert np.mean(accuracy["l1"]) > np.mean(accuracy["l2"]) + 0.05


# ------------------------------------------------------------------ chunks


def test_class_may_first_appear_in_a_later_chunk(three_classes):
    X, y = three_classes
    order = np.argsort(y == 9, kind="stable")
    X, y = X[order], y[order]
    model = SparseCenterClassifier(3, scale="std")
    model.partial_fit(X[:20], y[:20], classes=[-1, 4, 9])
    assert 9 not in model.predict(X)
    model.partial_fit(X[20:], y[20:])
    expected = SparseCenterClassifier(3, scale="std").fit(X, y)
    np.testing.assert_allclose(model.centers_, expected.centers_, rtol=1e-10)
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


def test_first_chunk_may_hold_a_single_class(two_classes):
    X, y = two_classes
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    model = SparseCenterClassifier(3).partial_fit(X[:1], y[:1], classes=["no", "yes"])
    assert model.predict(X).tolist() == ["no"] * 60
    model.partial_fit(X[1:], y[1:])
    expected = SparseCenterClassifier(3).fit(X, y)
    np.testing.assert_allclose(model.centers_, expected.centers_, rtol=1e-10)


def test_class_that_was_not_seen_is_never_predicted(two_classes):
    X, y = two_classes
    model = SparseCenterClassifier().partial_fit(X, y, classes=["maybe", "no", "yes"])
    assert "maybe" not in model.predict(X)
    assert not model.predict_proba(X)[:, 0].any()
    assert np.isnan(model.centers_[0]).all()


def test_chunks_may_be_stored_in_different_ways(two_classes):
    X, y = two_classes
    model = SparseCenterClassifier(3).partial_fit(X[:20], y[:20], classes=["no", "yes"])
    model.partial_fit(sparse.csr_array(X[20:40]), y[20:40])
    model.partial_fit(np.asfortranarray(X[40:]), y[40:])
    expected = SparseCenterClassifier(3).fit(X, y)
    np.testing.assert_allclose(model.centers_, expected.centers_, rtol=1e-10)


def test_chunks_may_follow_a_batch(two_classes):
    X, y = two_classes
    model = SparseCenterClassifier(3).fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    expected = SparseCenterClassifier(3).fit(X, y)
    np.testing.assert_allclose(model.centers_, expected.centers_, rtol=1e-10)


def test_feature_with_a_large_offset_streams_without_loss(rng):
    X = 1e6 + rng.normal(size=(400, 2))
    y = np.arange(400) % 2
    model = SparseCenterClassifier(scale="std")
    for start in range(0, 400, 7):
        model.partial_fit(X[start : start + 7], y[start : start + 7], classes=[0, 1])
    centred = X - 1e6
    np.testing.assert_allclose(model.feature_scale_, centred.std(axis=0), rtol=1e-10)
    expected = [centred[y == c].mean(axis=0) for c in (0, 1)]
    np.testing.assert_allclose(model.centers_ - 1e6, expected, atol=1e-9)


@pytest.mark.parametrize(
    "parameters",
    [{"metric": "l1"}, {"metric": "mahalanobis"}, {"scale": "mad"}],
    ids=lambda parameters: "-".join(parameters.values()),
)
@pytest.mark.parametrize("method", ["partial_fit", "merge"])
def test_methods_that_need_moments_are_offered_only_with_them(parameters, method):
    model = SparseCenterClassifier(**parameters)
    assert not hasattr(model, method)
    with pytest.raises(AttributeError, match=method):
        getattr(model, method)


def test_missing_method_says_which_parameters_it_needs():
    with pytest.raises(AttributeError, match="partial_fit") as raised:
        SparseCenterClassifier(metric="l1").partial_fit  # noqa: B018
    assert "metric='l2'" in str(raised.value.__cause__)


# ------------------------------------------------------------------ parts


def test_parts_with_other_classes_merge_to_the_model_of_all(three_classes):
    X, y = three_classes
    in_first = (y != 9) & (np.arange(60) < 40)
    first = SparseCenterClassifier(3, scale="within").fit(X[in_first], y[in_first])
    second = SparseCenterClassifier(3, scale="within").fit(X[~in_first], y[~in_first])
    merged = first.merge(second)
    expected = SparseCenterClassifier(3, scale="within").fit(X, y)
    assert merged.classes_.tolist() == [-1, 4, 9]
    np.testing.assert_allclose(merged.centers_, expected.centers_, rtol=1e-10)


def test_merging_changes_the_model_and_leaves_the_other_alone(two_classes):
    X, y = two_classes
    model, other = (
        SparseCenterClassifier(3).fit(X[rows], y[rows]) for rows in np.r_[:60].reshape(2, 30)
    )
    before = state_of(other)
    assert model.merge(other) is model
    assert state_of(other) == before


def test_merged_model_takes_further_chunks(two_classes):
    X, y = two_classes
    model = SparseCenterClassifier(3).fit(X[:20], y[:20])
    model.merge(SparseCenterClassifier(3).fit(X[20:40], y[20:40])).partial_fit(X[40:], y[40:])
    expected = SparseCenterClassifier(3).fit(X, y)
    np.testing.assert_allclose(model.centers_, expected.centers_, rtol=1e-10)


@pytest.mark.parametrize("method", ["partial_fit", "merge"])
def test_what_follows_selects_as_many_features_as_the_parameter_says(method, two_classes):
    X, y = two_classes
    model = SparseCenterClassifier(3).fit(X[:30], y[:30]).set_params(n_features_to_select=2)
    if method == "merge":
        model.merge(SparseCenterClassifier(3).fit(X[30:], y[30:]))
    else:
        model.partial_fit(X[30:], y[30:])
    assert model.n_features_to_select_ == 2
    expected = SparseCenterClassifier(2).fit(X, y)
    np.testing.assert_array_equal(model.get_support(), expected.get_support())


def test_other_kind_of_estimator_is_not_merged(two_classes):
    model = SparseCenterClassifier().fit(*two_classes)
    with pytest.raises(TypeError, match="other=NearestCentroid must be a fitted SparseCenter"):
        model.merge(NearestCentroid().fit(*two_classes))


def test_model_of_other_features_is_not_merged(two_classes):
    X, y = two_classes
    model = SparseCenterClassifier().fit(X, y)
    with pytest.raises(ValueError, match="other was fitted on 5 features, this estimator on 8"):
        model.merge(SparseCenterClassifier().fit(X[:, :5], y))


def test_model_of_features_of_other_names_is_not_merged(two_classes):
    X, y = two_classes
    model, other = (
        SparseCenterClassifier().fit(pd.DataFrame(X, columns=list(names)), y)
        for names in ("abcdefgh", "hgfedcba")
    )
    with pytest.raises(ValueError, match="other was fitted on features of other names"):
        model.merge(other)


def test_model_that_is_not_fitted_is_not_merged(two_classes):
    with pytest.raises(NotFittedError, match="not fitted"):
        SparseCenterClassifier().fit(*two_classes).merge(SparseCenterClassifier())


def test_nothing_is_merged_into_a_model_that_is_not_fitted(two_classes):
    with pytest.raises(NotFittedError, match="not fitted"):
        SparseCenterClassifier().merge(SparseCenterClassifier().fit(*two_classes))


@pytest.mark.parametrize("parameters", [{"metric": "l1"}, {"metric": "mahalanobis"}])
def test_model_without_moments_is_not_merged(two_classes, parameters):
    model = SparseCenterClassifier().fit(*two_classes)
    with pytest.raises(ValueError, match=r"other.*metric"):
        model.merge(SparseCenterClassifier(**parameters).fit(*two_classes))


# ------------------------------------------------------------------ scikit-learn


def test_clone_predicts_the_same_once_it_is_fitted(three_classes, metric, scale):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=metric, scale=scale).fit(X, y)
    assert_same_scores(clone(model).fit(X, y), model, X)


def test_pickled_model_predicts_the_same(three_classes, metric, scale):
    X, y = three_classes
    model = SparseCenterClassifier(3, metric=metric, scale=scale).fit(X, y)
    assert_same_scores(pickle.loads(pickle.dumps(model)), model, X)


def test_pickled_model_takes_further_chunks(two_classes):
    X, y = two_classes
    model = SparseCenterClassifier(3).fit(X[:30], y[:30])
    again = pickle.loads(pickle.dumps(model)).partial_fit(X[30:], y[30:])
    assert_same_scores(again, model.partial_fit(X[30:], y[30:]), X)


def test_works_as_a_selector_in_a_pipeline(three_classes, metric):
    X, y = three_classes
    selector = SparseCenterClassifier(3, metric=metric)
    pipeline = make_pipeline(StandardScaler(), selector, LogisticRegression()).fit(X, y)
    assert pipeline[-1].n_features_in_ == 3
    assert pipeline.score(X, y) > 0.6


def test_works_as_a_classifier_in_a_pipeline(three_classes):
    X, y = three_classes
    pipeline = make_pipeline(StandardScaler(), SparseCenterClassifier(3)).fit(X, y)
    direct = SparseCenterClassifier(3).fit(StandardScaler().fit_transform(X), y)
    np.testing.assert_array_equal(
        pipeline.predict(X), direct.predict(StandardScaler().fit_transform(X))
    )


def test_works_one_against_the_rest(three_classes):
    X, y = three_classes
    model = OneVsRestClassifier(SparseCenterClassifier(3, scale="std")).fit(X, y)
    assert len(model.estimators_) == 3
    assert model.score(X, y) > 0.6


def test_grid_search_finds_a_number_of_features(three_classes):
    X, y = three_classes
    search = GridSearchCV(SparseCenterClassifier(), {"n_features_to_select": [1, 4, None]}, cv=3)
    assert search.fit(X, y).best_score_ == search.cv_results_["mean_test_score"].max()
    assert (search.cv_results_["mean_test_score"] > 0.3).all()


def test_probabilities_can_be_calibrated(three_classes):
    X, y = three_classes
    model = CalibratedClassifierCV(SparseCenterClassifier(3, scale="std"), cv=3).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, y) > 0.6


def test_weights_are_routed_to_fit_on_request(two_classes):
    X, y = two_classes
    weights = np.linspace(0.1, 3.0, 60)
    with sklearn.config_context(enable_metadata_routing=True):
        requesting = SparseCenterClassifier().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(requesting).fit(X, y, sample_weight=weights)
    expected = SparseCenterClassifier().fit(X, y, sample_weight=weights)
    assert_same_scores(pipeline, expected, X)


def test_weights_are_routed_through_cross_validation(two_classes):
    X, y = two_classes
    weights = np.where(np.arange(60) < 30, 1e-9, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = SparseCenterClassifier().set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=False)
        routed = cross_val_score(model, X, y, cv=3, params={"sample_weight": weights})
    assert len(routed) == 3
    assert not np.array_equal(routed, cross_val_score(SparseCenterClassifier(), X, y, cv=3))


def test_weights_are_routed_to_partial_fit_on_request(two_classes):
    with sklearn.config_context(enable_metadata_routing=True):
        model = SparseCenterClassifier().set_partial_fit_request(sample_weight=True)
        request = model.get_metadata_routing().partial_fit.requests
    assert request["sample_weight"] is True


# ------------------------------------------------------------------ bad data


LAYOUTS = {"dense": np.asarray, "csr": sparse.csr_array, "csc": sparse.csc_array}


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return LAYOUTS[request.param]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_missing_and_infinite_values_are_refused(two_classes, metric, scale, layout, value):
    X, y = two_classes
    X = X.copy()
    X[7, 2] = value
    model = SparseCenterClassifier(metric=metric, scale=scale)
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        model.fit(layout(X), y)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_values_are_refused_in_a_chunk(two_classes, layout, value):
    X, y = two_classes
    X = X.copy()
    X[7, 2] = value
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        SparseCenterClassifier().partial_fit(layout(X), y, classes=["no", "yes"])


@pytest.mark.parametrize("label", ["no", "maybe"])
def test_missing_values_are_refused_even_in_samples_of_weight_zero(two_classes, layout, label):
    X = np.vstack([two_classes.X, np.full((1, 8), np.nan)])
    y = np.append(two_classes.y, label)
    weights = np.append(np.ones(60), 0.0)
    with pytest.raises(ValueError, match="X contains NaN"):
        SparseCenterClassifier().fit(layout(X), y, sample_weight=weights)


@pytest.mark.parametrize("metric_of_moments", ["l2", "mahalanobis"])
def test_values_too_large_to_square_are_refused(two_classes, metric_of_moments, layout):
    X, y = two_classes
    model = SparseCenterClassifier(metric=metric_of_moments)
    with pytest.raises(ValueError, match="X holds values whose squares are too large for float64"):
        model.fit(layout(X * 1e200), y)


def test_values_too_large_to_square_are_refused_in_many_rows(two_classes, layout):
    """More rows are summarised in several blocks, whose merging must not overflow unseen."""
    X, y = np.tile(two_classes.X, (40, 1)) * 1e200, np.tile(two_classes.y, 40)
    with pytest.raises(ValueError, match="X holds values whose squares are too large for float64"):
        SparseCenterClassifier().fit(layout(X), y)


def test_classes_too_far_apart_to_square_are_refused(layout):
    """Each class is constant, so only the distance between the two overflows."""
    X = layout(np.array([[1e200], [1e200], [-1e200], [-1e200]]))
    with pytest.raises(ValueError, match="X holds values whose squares are too large for float64"):
        SparseCenterClassifier().fit(X, [0, 0, 1, 1])


def test_chunks_too_far_apart_to_square_are_refused_and_forgotten():
    model = SparseCenterClassifier().fit([[0.0], [1.0]], [0, 1])
    before = state_of(model)
    with pytest.raises(ValueError, match="X holds values whose squares are too large for float64"):
        model.partial_fit([[1e200], [1e200]], [0, 1])
    assert state_of(model) == before


def test_values_too_large_to_subtract_are_refused(layout):
    X = layout(np.array([[1.7e308], [1.7e308], [-1.7e308], [-1.7e308]]))
    with pytest.raises(ValueError, match="too large for float64"):
        SparseCenterClassifier(metric="l1").fit(X, [0, 0, 1, 1])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones(4), "Expected 2D array, got 1D"),
        (np.ones((4, 2, 2)), "dim 3"),
        (np.float64(3.0), "Expected 2D array, got scalar"),
        (np.ones((0, 3)), "0 sample"),
        (np.ones((4, 0)), "0 feature"),
        (np.ones((4, 2)) * 1j, "Complex data"),
        ([["a", "b"]] * 4, "X must hold numbers"),
        (np.array([["1", "x"]] * 4, dtype=object), "X must hold numbers"),
        (np.ones((3, 2)), "inconsistent numbers of samples"),
    ],
)
def test_what_is_not_a_table_of_numbers_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        SparseCenterClassifier().fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1, 0], "inconsistent numbers of samples"),
        ([0, 0, 0, 0], "y holds one class, .*needs .*at least 2 classes"),
        (["a"] * 4, "y holds one class, .*needs .*at least 2 classes"),
        ([0.1, 0.2, 0.3, 0.4], "continuous"),
        ([[0, 1]] * 4, "y should be a 1d array"),
        ([0.0, 1.0, np.nan, 1.0], "y contains NaN"),
        (None, "requires y to be passed"),
    ],
)
def test_labels_that_are_no_classes_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        SparseCenterClassifier().fit(np.eye(4), y)


def test_one_class_of_positive_weight_is_not_enough():
    with pytest.raises(ValueError, match="positive weight of at least 2 classes"):
        SparseCenterClassifier().fit(np.eye(4), [0, 0, 1, 1], sample_weight=[1, 1, 0, 0])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, -2, 1], "sample_weight=-2 must not be negative"),
        ([0, 0, 0, 0], "(?i)sample.weight.*zero"),
        ([1, 1, np.nan, 1], "sample_weight contains NaN"),
        ([1, 1, np.inf, 1], "sample_weight contains infinity"),
        ([1, 1, 1], "sample_weight.shape == .*, expected \\(4,\\)"),
        ([[1, 1, 1, 1]], "Sample weights must be 1D"),
        (["a", "b", "c", "d"], "could not convert string"),
    ],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_impossible_weights_are_refused(weights, message, method):
    options = {"classes": [0, 1]} if method == "partial_fit" else {}
    with pytest.raises(ValueError, match=message):
        getattr(SparseCenterClassifier(), method)(
            np.eye(4), [0, 1, 0, 1], sample_weight=weights, **options
        )


# ------------------------------------------------------------------ bad parameters


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("value", [0, 9, -1])
def test_number_of_features_out_of_range_is_refused_with_its_bounds(two_classes, method, value):
    options = {"classes": ["no", "yes"]} if method == "partial_fit" else {}
    message = f"n_features_to_select={value} must lie between 1 and n_features=8"
    with pytest.raises(ValueError, match=message):
        getattr(SparseCenterClassifier(value), method)(*two_classes, **options)


@pytest.mark.parametrize("value", [0.0, -0.5, 1.5, np.nan, np.inf])
def test_fraction_of_features_out_of_range_is_refused_with_its_bounds(two_classes, value):
    with pytest.raises(ValueError, match=r"n_features_to_select=.*fraction.*above 0.*1\.0"):
        SparseCenterClassifier(value).fit(*two_classes)


@pytest.mark.parametrize("value", ["all", [3], True, 2j])
def test_number_of_features_of_another_type_is_refused(two_classes, value):
    with pytest.raises(TypeError, match=r"n_features_to_select=.*must be an int, a fraction"):
        SparseCenterClassifier(value).fit(*two_classes)


@pytest.mark.parametrize("value", ["cosine", None, 2, ["l2"], "L2"])
def test_unknown_metric_is_refused_with_those_allowed(two_classes, value):
    with pytest.raises(ValueError, match=r"metric=.* must be one of 'l2', 'l1', 'mahalanobis'"):
        SparseCenterClassifier(metric=value).fit(*two_classes)


@pytest.mark.parametrize("value", ["variance", False, 1, ["std"]])
def test_unknown_scale_is_refused_with_those_allowed(two_classes, value):
    with pytest.raises(ValueError, match=r"scale=.* must be one of None, 'std', 'within', 'mad'"):
        SparseCenterClassifier(scale=value).fit(*two_classes)


@pytest.mark.parametrize(
    "value",
    [[0.5], [1, 2, 3], [0.5, -0.5], [1, 0], [np.nan, 1], [np.inf, 1], None, 0.5, ["a", "b"]],
)
def test_impossible_priors_are_refused_with_what_is_allowed(two_classes, value):
    message = "priors=.* must be 'uniform', 'empirical' or 2 positive numbers"
    with pytest.raises(ValueError, match=message):
        SparseCenterClassifier(priors=value).fit(*two_classes)


def test_unknown_name_of_priors_is_refused_with_those_allowed(two_classes):
    with pytest.raises(ValueError, match="priors='flat' must be one of 'uniform', 'empirical'"):
        SparseCenterClassifier(priors="flat").fit(*two_classes)


@pytest.mark.parametrize("metric_of_all", ["l2", "l1", "mahalanobis"])
def test_failed_fit_leaves_a_new_model_not_fitted(two_classes, metric_of_all):
    X, y = two_classes
    model = SparseCenterClassifier(metric=metric_of_all)
    with pytest.raises(ValueError, match="X contains NaN"):
        model.fit(np.full_like(X, np.nan), y)
    with pytest.raises(NotFittedError, match="not fitted"):
        model.predict(X)


# ------------------------------------------------------------------ bad chunks


def test_first_chunk_needs_the_classes(two_classes):
    with pytest.raises(ValueError, match="classes must be given in the first call of partial_fit"):
        SparseCenterClassifier().partial_fit(*two_classes)


def test_one_class_is_not_enough_for_chunks(two_classes):
    with pytest.raises(ValueError, match=r"classes=\['no'\] must hold at least 2 classes"):
        SparseCenterClassifier().partial_fit(*two_classes, classes=["no"])


def test_classes_of_a_later_chunk_must_be_those_of_the_first(two_classes):
    model = SparseCenterClassifier().fit(*two_classes)
    with pytest.raises(ValueError, match="must be those of the first call"):
        model.partial_fit(*two_classes, classes=["maybe", "no", "yes"])


@pytest.mark.parametrize("y", [["yes", "perhaps"], ["aaa", "no"], ["zzz", "no"]])
def test_unknown_label_in_a_chunk_is_refused_with_those_allowed(y):
    model = SparseCenterClassifier()
    with pytest.raises(ValueError, match=r"y holds .*, which is not among classes=\['no', 'yes'\]"):
        model.partial_fit(np.eye(2), y, classes=["no", "yes"])


def test_labels_of_another_type_in_a_chunk_are_refused():
    with pytest.raises(ValueError, match=r"y holds .*, which is not among classes=\[0, 1\]"):
        SparseCenterClassifier().partial_fit(np.eye(2), ["no", "yes"], classes=[0, 1])


def test_chunk_of_other_features_is_refused(two_classes):
    X, y = two_classes
    model = SparseCenterClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"X has 5 features, but .* is expecting 8"):
        model.partial_fit(X[:, :5], y)


BAD_CHUNKS = {
    "missing value": (lambda X, y: {"X": X * np.nan, "y": y}, "X contains NaN"),
    "too large": (lambda X, y: {"X": X * 1e200, "y": y}, "too large for float64"),
    "other width": (lambda X, y: {"X": X[:, :5], "y": y}, "X has 5 features"),
    "other length": (lambda X, y: {"X": X, "y": y[:-1]}, "inconsistent numbers of samples"),
    "unknown label": (lambda X, y: {"X": X, "y": np.where(y == "no", "nay", y)}, "y holds .*nay"),
    "negative weight": (
        lambda X, y: {"X": X, "y": y, "sample_weight": -np.ones(len(y))},
        "sample_weight=-1 must not be negative",
    ),
    "other classes": (lambda X, y: {"X": X, "y": y, "classes": ["a", "b"]}, "classes=.*must be"),
}


@pytest.mark.parametrize(("bad_chunk", "message"), BAD_CHUNKS.values(), ids=BAD_CHUNKS)
def test_failed_chunk_leaves_the_model_as_it_was(two_classes, bad_chunk, message):
    X, y = two_classes
    model = SparseCenterClassifier(3).fit(X, y)
    before = state_of(model)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(**bad_chunk(X, y))
    assert state_of(model) == before


BAD_PARAMETERS = [{"n_features_to_select": 99}, {"priors": "flat"}, {"priors": [1, 2, 3]}]


@pytest.mark.parametrize("parameters", BAD_PARAMETERS, ids=str)
def test_chunk_refused_for_a_parameter_is_not_counted(two_classes, parameters):
    X, y = two_classes
    model = SparseCenterClassifier().fit(X[:30], y[:30])
    good = {name: model.get_params()[name] for name in parameters}
    with pytest.raises(ValueError, match=next(iter(parameters))):
        model.set_params(**parameters).partial_fit(X[30:] + 1, y[30:])
    model.set_params(**good).partial_fit(X[30:], y[30:])
    expected = SparseCenterClassifier().fit(X, y)
    np.testing.assert_allclose(model.centers_, expected.centers_, rtol=1e-10)


@pytest.mark.parametrize("parameters", BAD_PARAMETERS, ids=str)
def test_first_chunk_refused_for_a_parameter_is_not_counted(two_classes, parameters):
    X, y = two_classes
    model = SparseCenterClassifier(**parameters)
    good = {name: SparseCenterClassifier().get_params()[name] for name in parameters}
    with pytest.raises(ValueError, match=next(iter(parameters))):
        model.partial_fit(X + 1, y, classes=["no", "yes"])
    model.set_params(**good).partial_fit(X, y, classes=["no", "yes"])
    expected = SparseCenterClassifier().fit(X, y)
    np.testing.assert_allclose(model.centers_, expected.centers_, rtol=1e-10)


def test_failed_merge_leaves_the_model_as_it_was(three_classes):
    """Priors for two classes do not fit the three of both parts."""
    X, y = three_classes
    model = SparseCenterClassifier(priors=[1, 2]).fit(X[y != 9], y[y != 9])
    other = SparseCenterClassifier().fit(X[y != 4], y[y != 4])
    before = state_of(model)
    with pytest.raises(ValueError, match=r"priors=.* must be .* 3 positive numbers"):
        model.merge(other)
    assert state_of(model) == before


def test_failed_fit_leaves_a_fitted_model_as_it_was(two_classes):
    X, y = two_classes
    model = SparseCenterClassifier(2).fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X[:, :3] * np.nan, y)
    np.testing.assert_array_equal(model.predict(X), before)
