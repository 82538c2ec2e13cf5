"""Groups of features, distances and probabilities from them; chunks and parts; bad input."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from centroidal import DisjointCentroidClassifier
from centroidal.classifiers import disjoint_centroid_rule as _disjoint_centroid_rule
from centroidal.datasets import make_feature_blocks

from .conftest import Samples

ASSIGNMENTS = ["alternating", "margin"]
SCALES = [None, "std", "within"]
LAYOUTS = {"dense": np.asarray, "csr": sparse.csr_array, "csc": sparse.csc_array}
TABLES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
TREES = np.array(["ash", "elm", "oak"])


@pytest.fixture
def trees():
    """Three classes with four features of their own, and four that say nothing."""
    made = make_feature_blocks(120, 4, n_classes=3, n_noise=4, random_state=0)
    return Samples(made.data, TREES[made.target])


@pytest.fixture
def pair():
    """Two classes with four features of their own."""
    made = make_feature_blocks(60, 4, n_classes=2, random_state=1)
    return Samples(made.data, np.array(["no", "yes"])[made.target])


@pytest.fixture(params=ASSIGNMENTS)
def assignment(request):
    return request.param


@pytest.fixture(params=SCALES)
def scale(request):
    return request.param


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return LAYOUTS[request.param]


def build(assignment="alternating", **parameters):
    """Make a model of few starts that are the same in every run."""
    return DisjointCentroidClassifier(
        assignment, **({"n_init": 10, "random_state": 0} | parameters)
    )


def build_margin(**parameters):
    return build("margin", **parameters)


def codes_of(y):
    return np.unique(y, return_inverse=True)[1]


def distances_of(model, X):
    """Mean square over the features of each class, one class after the other."""
    scaled = [(X - center) / model.feature_scale_ for center in model.centers_]
    columns = [
        (part[:, group] ** 2).mean(axis=1)
        for part, group in zip(scaled, model.groups_, strict=True)
    ]
    return np.column_stack(columns)


def state_of(model):
    """Everything a model holds, in a form that can be compared."""
    return pickle.dumps(model)


def assert_same_model(model, expected, X):
    """Everything a user sees, to rounding."""
    np.testing.assert_array_equal(model.classes_, expected.classes_)
    np.testing.assert_array_equal(model.groups_, expected.groups_)
    np.testing.assert_allclose(model.centers_, expected.centers_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.feature_scale_, expected.feature_scale_, rtol=1e-10)
    np.testing.assert_allclose(model.objective_, expected.objective_, rtol=1e-9)
    np.testing.assert_allclose(model.restart_errors_, expected.restart_errors_, atol=1e-12)
    np.testing.assert_allclose(
        model.decision_function(X), expected.decision_function(X), rtol=1e-8, atol=1e-9
    )


def assert_same_bits(model, expected, X):
    np.testing.assert_array_equal(model.groups_, expected.groups_)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


# ------------------------------------------------------------------ distances and groups


def test_score_is_minus_the_mean_square_over_the_features_of_the_class(trees, assignment, scale):
    X, y = trees
    model = build(assignment, scale=scale).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), -distances_of(model, X), rtol=1e-10)


def test_score_in_the_euclidean_norm_is_minus_the_sum_over_the_features(trees, assignment):
    X, y = trees
    model = build(assignment, norm="euclidean").fit(X, y)
    sums = distances_of(model, X) * model.groups_.sum(axis=1)
    np.testing.assert_allclose(model.decision_function(X), -sums, rtol=1e-10)


def test_score_of_two_classes_is_how_much_nearer_the_second_is(pair, assignment):
    X, y = pair
    model = build(assignment).fit(X, y)
    first, second = distances_of(model, X).T
    np.testing.assert_allclose(model.decision_function(X), first - second, rtol=1e-9, atol=1e-12)


def test_centers_are_the_class_means(trees, assignment):
    X, y = trees
    expected = [X[y == label].mean(axis=0) for label in TREES]
    np.testing.assert_allclose(build(assignment).fit(X, y).centers_, expected, rtol=1e-12)


def test_every_feature_is_in_one_group(trees, assignment):
    groups = build(assignment).fit(*trees).groups_
    assert groups.sum(axis=0).tolist() == [1] * 16


def test_groups_are_the_blocks_the_data_are_made_of(assignment):
    made = make_feature_blocks(400, 5, random_state=0)
    groups = build(assignment).fit(made.data, made.target).groups_
    np.testing.assert_array_equal(groups.argmax(axis=0), made.feature_class)


def test_finite_weight_leaves_out_features_that_say_nothing(assignment):
    made = make_feature_blocks(400, 5, n_noise=10, random_state=0)
    model = build(assignment, baseline_weight=0.75).fit(made.data, made.target)
    assert model.support_[:20].sum() >= 19
    assert not model.support_[20:].any()


def test_support_holds_the_features_of_all_groups(trees, assignment):
    model = build(assignment, baseline_weight=0.75).fit(*trees)
    assert 3 <= model.support_.sum() < 16
    np.testing.assert_array_equal(model.support_, model.groups_.any(axis=0))


def test_without_a_scale_features_are_divided_by_one(trees, assignment):
    assert build(assignment).fit(*trees).feature_scale_.tolist() == [1.0] * 16


def test_standard_deviation_is_what_features_are_divided_by(trees, assignment):
    X, y = trees
    model = build(assignment, scale="std").fit(X, y)
    np.testing.assert_allclose(model.feature_scale_, X.std(axis=0), rtol=1e-12)


def test_within_scale_is_the_pooled_deviation_inside_the_classes(trees, assignment):
    X, y = trees
    inside = np.vstack([X[y == label] - X[y == label].mean(axis=0) for label in TREES])
    model = build(assignment, scale="within").fit(X, y)
    np.testing.assert_allclose(model.feature_scale_, inside.std(axis=0), rtol=1e-12)


# ------------------------------------------------------------------ levels and scales


def error_on(model, change):
    """Test error on the third simulation of the paper, with features changed."""
    train, test = (make_feature_blocks(random_state=seed) for seed in (0, 100))
    model.fit(change(train.data), train.target)
    return 1.0 - model.score(change(test.data), test.target)


@pytest.fixture
def levels(rng):
    return 5.0 * rng.normal(size=20)


@pytest.fixture
def units(rng):
    return np.exp(rng.normal(size=20))


def test_level_of_each_feature_ruins_the_plain_alternation(levels):
    assert error_on(build(), lambda X: X) < 0.2
    assert error_on(build(), lambda X: X + levels) > 0.4


def test_centering_repairs_levels(levels):
    assert error_on(build(center=True), lambda X: X + levels) < 0.2


def test_centering_alone_does_not_repair_units(levels, units):
    assert error_on(build(center=True), lambda X: units * X + levels) > 0.4


@pytest.mark.parametrize("divisor", ["std", "within"])
def test_centering_and_scaling_repair_levels_and_units(levels, units, divisor):
    model = build(center=True, scale=divisor)
    assert error_on(model, lambda X: units * X + levels) < 0.2


def test_levels_do_not_matter_to_margin(levels):
    assert error_on(build_margin(), lambda X: X + levels) < 0.2


def test_given_groups_predictions_do_not_depend_on_levels(trees, assignment, rng):
    X, y = trees
    model = build(assignment, center=True).fit(X, y)
    levels = 5.0 * rng.normal(size=16)
    shifted = build(assignment, center=True).fit(X + levels, y)
    np.testing.assert_array_equal(shifted.groups_, model.groups_)
    np.testing.assert_allclose(
        shifted.decision_function(X + levels), model.decision_function(X), rtol=1e-9
    )


@pytest.mark.parametrize(
    "parameters", [{}, {"center": True}, {"center": True, "scale": "std"}], ids=str
)
def test_large_common_level_costs_no_digits(trees, assignment, parameters):
    X, y = trees
    model = build(assignment, **parameters).fit(X, y)
    far = build(assignment, **parameters).fit(X + 1e6, y)
    np.testing.assert_array_equal(far.groups_, model.groups_)
    assert far.objective_ == pytest.approx(model.objective_, rel=1e-8)
    np.testing.assert_allclose(
        far.decision_function(X + 1e6), model.decision_function(X), rtol=1e-6
    )


def test_large_levels_of_their_own_cost_no_digits(trees, assignment, scale):
    X, y = trees
    levels = 1e6 * np.arange(16)
    model = build(assignment, center=True, scale=scale).fit(X, y)
    far = build(assignment, center=True, scale=scale).fit(X + levels, y)
    np.testing.assert_array_equal(far.groups_, model.groups_)
    np.testing.assert_allclose(
        far.decision_function(X + levels), model.decision_function(X), rtol=1e-5
    )


def test_level_costs_few_digits_of_sparse_data(trees, assignment):
    X, y = trees
    model = build(assignment).fit(X, y)
    far = build(assignment).fit(sparse.csr_array(X + 1e3), y)
    np.testing.assert_array_equal(far.groups_, model.groups_)
    np.testing.assert_allclose(
        far.decision_function(sparse.csr_array(X + 1e3)), model.decision_function(X), atol=1e-8
    )


@pytest.mark.parametrize("unit", [1e-100, 1e-8, 1e8, 1e100])
def test_common_unit_does_not_matter(trees, assignment, unit):
    X, y = trees
    model, other = build(assignment).fit(X, y), build(assignment).fit(unit * X, y)
    np.testing.assert_array_equal(other.groups_, model.groups_)
    np.testing.assert_array_equal(other.predict(unit * X), model.predict(X))
    np.testing.assert_allclose(other.predict_proba(unit * X), model.predict_proba(X), rtol=1e-6)


# ------------------------------------------------------------------ probabilities


@pytest.fixture(params=[None, "logistic"])
def calibration(request):
    return request.param


def test_probabilities_of_a_sample_sum_to_one(trees, assignment, calibration):
    probabilities = build(assignment, calibration=calibration).fit(*trees).predict_proba(trees.X)
    assert (probabilities > 0.0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


def test_predicted_class_is_the_most_probable_one(trees, assignment, calibration):
    model = build(assignment, calibration=calibration).fit(*trees)
    probable = model.classes_[model.predict_proba(trees.X).argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(trees.X), probable)


def test_logarithm_of_a_probability_falls_by_the_slope_with_the_distance(trees, assignment):
    model = build(assignment).fit(*trees)
    logs, distances = model.predict_log_proba(trees.X), distances_of(model, trees.X)
    expected = -model.slope_ * (distances - distances[:, :1])
    np.testing.assert_allclose(logs - logs[:, :1], expected, rtol=1e-9, atol=1e-12)


def test_one_slope_keeps_the_order_of_the_distances(trees, assignment):
    model = build(assignment).fit(*trees)
    order = np.argsort(-model.predict_proba(trees.X), axis=1)
    np.testing.assert_array_equal(order, np.argsort(distances_of(model, trees.X), axis=1))


def test_slope_of_two_classes_is_that_of_a_logistic_regression_without_intercept(pair, assignment):
    X, y = pair
    model = build(assignment).fit(X, y)
    first, second = distances_of(model, X).T
    unit = np.sqrt(np.mean(((first - second) / 2.0) ** 2))
    peer = LogisticRegression(fit_intercept=False, tol=1e-10)
    peer.fit(((first - second) / unit)[:, None], y)
    assert model.slope_ == pytest.approx(peer.coef_[0, 0] / unit, rel=1e-4)


@pytest.mark.parametrize("samples", ["pair", "trees"])
def test_logistic_calibration_is_scikit_learns_on_the_distances(request, assignment, samples):
    X, y = request.getfixturevalue(samples)
    weights = np.linspace(0.5, 1.5, len(y))  # one on the average: the penalty is for samples
    model = build(assignment, calibration="logistic").fit(X, y, sample_weight=3.0 * weights)
    distances = distances_of(model, X)
    peer = make_pipeline(StandardScaler(), LogisticRegression()).fit(
        distances,
        y,
        standardscaler__sample_weight=weights,
        logisticregression__sample_weight=weights,
    )
    np.testing.assert_allclose(
        model.decision_function(X), peer.decision_function(distances), rtol=1e-8, atol=1e-8
    )
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(distances), rtol=1e-8)


def test_logistic_calibration_leaves_groups_alone(trees, assignment):
    plain = build(assignment).fit(*trees)
    calibrated = build(assignment, calibration="logistic").fit(*trees)
    np.testing.assert_array_equal(calibrated.groups_, plain.groups_)
    assert calibrated.slope_ == plain.slope_


def test_logistic_calibration_helps_where_groups_are_polluted():
    train, test = (make_feature_blocks(n_noise=80, random_state=seed) for seed in (0, 1))
    plain, calibrated = (
        build(calibration=kind).fit(train.data, train.target) for kind in (None, "logistic")
    )
    assert calibrated.score(test.data, test.target) > plain.score(test.data, test.target) + 0.01


def test_classes_that_are_the_same_are_equally_probable(assignment):
    rows = np.arange(8.0)[None] ** 2
    model = build(assignment).fit(np.repeat(rows, 4, axis=0), [0, 0, 1, 1])
    assert model.slope_ == 0.0
    assert model.predict_proba(rows + 1.0).tolist() == [[0.5, 0.5]]


def test_parts_without_any_spread_merge():
    """One sample of each of two classes: which is the nearer one is certain."""
    X = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 4.0], [0.5, 1.5, 2.5], [1.5, 0.5, 3.5]])
    first, second = (
        build_margin().partial_fit(X[i : i + 2], [0, 1], classes=[0, 1]) for i in (0, 2)
    )
    assert first.slope_ == np.inf
    assert_same_model(first.merge(second), build_margin().fit(X, [0, 1, 0, 1]), X)


# ------------------------------------------------------------------ weights


@pytest.mark.parametrize("parameters", [{}, {"baseline_weight": 0.75}, {"scale": "std"}], ids=str)
def test_integer_weights_are_copies(trees, assignment, calibration, parameters):
    X, y = trees
    copies = np.arange(len(y)) % 4
    rows = np.repeat(np.arange(len(y)), copies)
    model = build(assignment, calibration=calibration, **parameters)
    weighted = clone(model).fit(X, y, sample_weight=copies)
    repeated = model.fit(X[rows], y[rows])
    assert_same_model(weighted, repeated, X)
    np.testing.assert_allclose(
        weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-5, atol=1e-8
    )


def test_samples_of_weight_zero_do_not_count(trees, assignment, layout):
    X, y = trees
    counted = np.arange(len(y)) % 3 > 0
    strange = np.where(counted[:, None], X, 1e3)
    weighted = build(assignment, center=True).fit(layout(strange), y, sample_weight=counted)
    assert_same_model(weighted, build(assignment, center=True).fit(X[counted], y[counted]), X)


def test_class_of_weight_zero_has_no_features_and_is_never_predicted(trees, assignment):
    X, y = trees
    model = build(assignment).fit(X, y, sample_weight=(y != "elm").astype(float))
    assert model.classes_.tolist() == ["ash", "elm", "oak"]
    assert not model.groups_[1].any()
    assert np.isnan(model.centers_[1]).all()
    assert "elm" not in model.predict(X)
    assert not model.predict_proba(X)[:, 1].any()


def test_class_of_weight_zero_does_not_change_the_others(trees, assignment, calibration):
    X, y = trees
    is_other = y != "elm"
    model = build(assignment, calibration=calibration)
    weighted = clone(model).fit(X, y, sample_weight=is_other.astype(float))
    alone = model.fit(X[is_other], y[is_other])
    np.testing.assert_array_equal(weighted.groups_[[0, 2]], alone.groups_)
    np.testing.assert_allclose(
        weighted.predict_proba(X)[:, [0, 2]], alone.predict_proba(X), rtol=1e-6
    )


def test_class_of_weight_zero_needs_no_features(trees, assignment):
    X, y = trees
    model = build(assignment, shared_features=None)
    model.fit(X[:, [0, 8]], y, sample_weight=(y != "elm").astype(float))
    assert model.groups_.sum(axis=1).tolist() == [1, 0, 1]


# ------------------------------------------------------------------ storage and types


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@pytest.mark.parametrize("center", [False, True])
def test_sparse_data_give_the_model_of_dense_data(trees, assignment, store, center, scale):
    X, y = trees
    X = np.where(X > 0.0, X, 0.0)
    model = build(assignment, center=center, scale=scale, baseline_weight=0.95)
    model.fit(store(X), y)
    dense = build(assignment, center=center, scale=scale, baseline_weight=0.95).fit(X, y)
    assert_same_model(model, dense, X)
    np.testing.assert_allclose(
        model.predict_proba(store(X)), dense.predict_proba(X), rtol=1e-8, atol=1e-12
    )


def test_sparse_data_may_have_more_features_than_samples(assignment):
    made = make_feature_blocks(30, 30, n_classes=3, random_state=0)
    X = np.where(made.data > 0.0, made.data, 0.0)
    model = build(assignment).fit(sparse.csr_array(X), made.target)
    assert_same_model(model, build(assignment).fit(X, made.target), X)


def test_sparse_data_may_share_features(trees, assignment):
    X, y = trees
    model = build(assignment, shared_features=[1, 5]).fit(sparse.csr_array(X), y)
    assert_same_model(model, build(assignment, shared_features=[1, 5]).fit(X, y), X)


def test_feature_and_its_negative_are_two_features_however_they_are_stored(trees):
    X, y = np.hstack([trees.X, -trees.X[:, [0, 3]]]), trees.y
    assert_same_model(build().fit(sparse.csr_array(X), y), build().fit(X, y), X)


def test_features_with_as_many_ones_in_every_class_are_several_however_they_are_stored(trees, rng):
    X, y = trees
    switches = np.tile(X[:, [0]] > 0.5, (1, 6)).astype(float)
    for column in switches.T:
        for label in TREES:
            column[y == label] = rng.permutation(column[y == label])
    X = np.hstack([X, switches])
    assert_same_model(build().fit(sparse.csr_array(X), y), build().fit(X, y), X)


def test_sparse_entries_that_are_stored_twice_are_added(pair, assignment):
    X, y = pair
    n, m = X.shape
    halves = np.tile(X / 2, 2).ravel()
    twice = sparse.csr_array((halves, np.tile(np.arange(m), 2 * n), np.arange(n + 1) * 2 * m))
    assert_same_model(build(assignment).fit(twice, y), build(assignment).fit(X, y), X)


def test_order_of_memory_does_not_matter(trees, assignment):
    X, y = trees
    model = build(assignment).fit(np.asfortranarray(X), y)
    assert_same_model(model, build(assignment).fit(X, y), X)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64", "float32"])
def test_whole_numbers_of_any_type_give_the_model_of_floats(trees, assignment, layout, dtype):
    X = np.clip(np.round(3.0 * trees.X) + 20.0, 0.0, 40.0)
    model = build(assignment).fit(layout(X.astype(dtype)), trees.y)
    expected = build(assignment).fit(X, trees.y)
    assert model.centers_.dtype == np.float64
    np.testing.assert_array_equal(model.groups_, expected.groups_)
    np.testing.assert_allclose(
        model.decision_function(layout(X.astype(dtype))), expected.decision_function(X), atol=1e-10
    )


def test_single_precision_is_close_to_double_precision(trees, assignment, scale):
    X, y = trees
    model = build(assignment, scale=scale).fit(X.astype(np.float32), y)
    double = build(assignment, scale=scale).fit(X, y)
    np.testing.assert_array_equal(model.groups_, double.groups_)
    np.testing.assert_allclose(
        model.decision_function(X.astype(np.float32)), double.decision_function(X), atol=1e-5
    )


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [-1.0, 1.0], [False, True], np.array(["no", "yes"], dtype=object)],
    ids=["text", "float", "truth", "object"],
)
def test_labels_may_be_of_any_type(pair, assignment, labels):
    y = np.asarray(labels)[codes_of(pair.y)]
    model = build(assignment).fit(pair.X, y)
    assert set(model.predict(pair.X)) == set(y)
    assert model.classes_.dtype == y.dtype


# ------------------------------------------------------------------ strange data


def test_constant_feature_keeps_scale_one(trees, assignment):
    X, y = trees
    X = X.copy()
    X[:, 2] = 7.3
    for divisor in ("std", "within"):
        model = build(assignment, center=True, scale=divisor).fit(X, y)
        assert model.feature_scale_[2] == 1.0
        assert np.isfinite(model.predict_proba(X)).all()


def test_constant_feature_is_left_out_by_margin_from_weight_one_on(trees):
    X, y = trees
    X = X.copy()
    X[:, 2] = 7.3
    assert not build_margin(baseline_weight=1.0).fit(X, y).support_[2]


def test_class_of_one_sample_is_no_trouble(trees, assignment, scale):
    X, y = trees
    rows = np.flatnonzero((y != "oak") | (np.cumsum(y == "oak") == 1))
    model = build(assignment, scale=scale).fit(X[rows], y[rows])
    assert model.groups_.any(axis=1).all()
    assert np.isfinite(model.decision_function(X)).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_margin_gives_a_class_of_one_sample_the_mean_variance_of_the_others(trees):
    """Else its variance of zero would win every feature."""
    X, y = trees
    codes = codes_of(y)
    rows = np.flatnonzero((codes < 2) | (np.cumsum(codes == 2) == 1))
    X, codes = X[rows], codes[rows]
    means = np.array([X[codes == c].mean(axis=0) for c in range(3)])
    variances = np.array([X[codes == c].var(axis=0) for c in range(2)])
    variances = np.vstack([variances, variances.mean(axis=0)])
    others = [
        np.mean([variances[h] + (means[h] - means[c]) ** 2 for h in range(3) if h != c], axis=0)
        for c in range(3)
    ]
    groups = build_margin(disjoint=False, baseline_weight=1.0).fit(X, codes).groups_
    np.testing.assert_array_equal(groups, variances / others < 1.0)


def test_one_sample_a_class_is_enough(trees, assignment):
    X, y = trees
    rows = np.unique(y, return_index=True)[1]
    model = build(assignment, n_init=50).fit(X[rows], y[rows])
    np.testing.assert_array_equal(model.predict(X[rows]), y[rows])


def test_repeated_rows_leave_groups_and_centers_alone(trees, assignment):
    X, y = trees
    twice = build(assignment).fit(np.vstack([X, X]), np.append(y, y))
    assert_same_model(twice, build(assignment).fit(X, y), X)


def test_copies_of_a_feature_share_a_group(trees, assignment):
    X, y = trees
    groups = build(assignment).fit(np.hstack([X, X[:, [3, 9]]]), y).groups_
    np.testing.assert_array_equal(groups[:, [16, 17]], groups[:, [3, 9]])


# ------------------------------------------------------------------ chunks


def test_class_may_first_appear_in_a_later_chunk(trees):
    X, y = trees
    order = np.argsort(y == "oak", kind="stable")
    X, y = X[order], y[order]
    model = build_margin(scale="std").partial_fit(X[:50], y[:50], classes=TREES)
    assert "oak" not in model.predict(X)
    model.partial_fit(X[50:], y[50:])
    assert_same_model(model, build_margin(scale="std").fit(X, y), X)


def test_first_chunk_may_hold_a_single_class(trees):
    X, y = trees
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    model = build_margin().partial_fit(X[:10], y[:10], classes=TREES)
    assert set(model.predict(X)) == {"ash"}
    assert_same_model(model.partial_fit(X[10:], y[10:]), build_margin().fit(X, y), X)


def test_only_class_seen_so_far_is_certain(trees):
    X, y = trees
    own = y == "elm"
    model = build_margin().partial_fit(X[own], y[own], classes=TREES)
    assert model.predict_proba(X[:2]).tolist() == [[0.0, 1.0, 0.0]] * 2


def test_class_without_samples_stays_impossible_where_the_others_are_the_same():
    model = build_margin().fit(np.ones((6, 4)), [0, 0, 1, 1, 2, 2], sample_weight=[1] * 4 + [0] * 2)
    assert model.predict_proba(np.ones((1, 4))).tolist() == [[0.5, 0.5, 0.0]]


def test_class_that_was_not_seen_has_no_features_and_is_never_predicted(trees):
    X, y = trees
    model = build_margin().partial_fit(X, y, classes=["alder", *TREES])
    assert not model.groups_[0].any()
    assert np.isnan(model.centers_[0]).all()
    assert "alder" not in model.predict(X)
    assert not model.predict_proba(X)[:, 0].any()


def test_class_that_was_not_seen_does_not_change_the_others(trees):
    X, y = trees
    model = build_margin().partial_fit(X, y, classes=["alder", *TREES])
    expected = build_margin().fit(X, y)
    np.testing.assert_array_equal(model.groups_[1:], expected.groups_)
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


def test_chunks_may_be_stored_in_different_ways(trees):
    X, y = trees
    model = build_margin().partial_fit(X[:40], y[:40], classes=TREES)
    model.partial_fit(sparse.csr_array(X[40:70]), y[40:70])
    model.partial_fit(sparse.csc_array(X[70:100]), y[70:100])
    model.partial_fit(np.asfortranarray(X[100:]), y[100:])
    assert_same_model(model, build_margin().fit(X, y), X)


def test_chunks_may_follow_a_batch(trees):
    X, y = trees
    model = build_margin().fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    assert_same_model(model, build_margin().fit(X, y), X)


def test_slope_after_chunks_is_that_of_the_moments_of_one_chunk(trees):
    X, y = trees
    whole = build_margin(scale="within").partial_fit(X, y, classes=TREES)
    model = build_margin(scale="within").partial_fit(X[:9], y[:9], classes=TREES)
    model.partial_fit(X[9:], y[9:])
    assert whole.slope_ > 0.0
    assert model.slope_ == pytest.approx(whole.slope_, rel=1e-9)


def test_slope_after_chunks_does_not_depend_on_units_once_features_are_scaled(trees):
    X, y = trees
    units = 10.0 ** (np.arange(16) % 5)
    first, second = (
        build_margin(scale="std").partial_fit(data, y, classes=TREES) for data in (X, X * units)
    )
    assert second.slope_ == pytest.approx(first.slope_, rel=1e-9)


def test_probabilities_after_chunks_sum_to_one(trees):
    X, y = trees
    probabilities = build_margin().partial_fit(X, y, classes=TREES).predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


def test_features_with_a_large_level_stream_without_loss(trees):
    X, y = trees
    model = build_margin(scale="std")
    for start in range(0, 120, 7):
        model.partial_fit(1e6 + X[start : start + 7], y[start : start + 7], classes=TREES)
    expected = build_margin(scale="std").fit(X, y)
    np.testing.assert_array_equal(model.groups_, expected.groups_)
    np.testing.assert_allclose(
        model.decision_function(1e6 + X), expected.decision_function(X), rtol=1e-6
    )


def test_classes_with_the_same_samples_tie_in_any_chunking():
    """Every ratio is the same for both, so the first class has all features but one."""
    rows = np.random.default_rng(0).integers(0, 2, size=(7, 5)).astype(float)
    X, y = np.vstack([rows, rows[::-1]]), np.repeat([0, 1], 7)
    expected = build_margin().fit(X, y)
    assert expected.groups_.sum(axis=1).tolist() == [4, 1]
    for seed in range(20):
        model = build_margin()
        for chunk in np.array_split(np.random.default_rng(seed).permutation(14), 3):
            model.partial_fit(X[chunk], y[chunk], classes=[0, 1])
        np.testing.assert_array_equal(model.groups_, expected.groups_)


@pytest.mark.parametrize("parameters", [{}, {"assignment": "margin", "calibration": "logistic"}])
@pytest.mark.parametrize("method", ["partial_fit", "merge"])
def test_methods_that_need_moments_are_offered_only_with_them(parameters, method):
    model = build(**parameters)
    assert not hasattr(model, method)
    with pytest.raises(AttributeError, match=method):
        getattr(model, method)


def test_missing_method_says_which_parameters_it_needs():
    with pytest.raises(AttributeError, match="partial_fit") as raised:
        build().partial_fit  # noqa: B018
    message = str(raised.value.__cause__)
    assert "assignment='margin' and calibration=None" in message
    assert "got assignment='alternating', calibration=None" in message


# ------------------------------------------------------------------ parts


def test_parts_with_other_classes_merge_to_the_model_of_all(trees):
    X, y = trees
    in_first = (y != "oak") & (np.arange(120) < 80)
    first, second = (
        build_margin(scale="within").fit(X[rows], y[rows]) for rows in (in_first, ~in_first)
    )
    merged = first.merge(second)
    assert merged.classes_.tolist() == ["ash", "elm", "oak"]
    assert_same_model(merged, build_margin(scale="within").fit(X, y), X)


def test_parts_that_share_no_class_merge_to_the_model_of_all():
    made = make_feature_blocks(200, 3, random_state=0)
    X, y = made.data, made.target
    first, second = (build_margin().fit(X[rows], y[rows]) for rows in (y < 2, y >= 2))
    assert_same_model(first.merge(second), build_margin().fit(X, y), X)


def test_class_without_samples_in_a_part_is_merged(trees):
    X, y = trees
    is_oak = y == "oak"
    first = build_margin().partial_fit(X[~is_oak], y[~is_oak], classes=TREES)
    second = build_margin().partial_fit(X[is_oak], y[is_oak], classes=TREES)
    assert_same_model(first.merge(second), build_margin().fit(X, y), X)


def test_class_without_samples_in_both_parts_stays_impossible(trees):
    X, y = trees
    first, second = (
        build_margin().partial_fit(X[rows], y[rows], classes=["alder", *TREES])
        for rows in (slice(60), slice(60, None))
    )
    merged = first.merge(second)
    assert merged.classes_.tolist() == ["alder", "ash", "elm", "oak"]
    assert not merged.predict_proba(X)[:, 0].any()
    np.testing.assert_array_equal(merged.groups_[1:], build_margin().fit(X, y).groups_)


def test_merging_changes_the_model_and_leaves_the_other_alone(trees):
    X, y = trees
    model, other = (build_margin().fit(X[rows], y[rows]) for rows in (slice(60), slice(60, None)))
    before = state_of(other)
    assert model.merge(other) is model
    assert state_of(other) == before


def test_merged_model_takes_further_chunks(trees):
    X, y = trees
    model = build_margin().fit(X[:40], y[:40])
    model.merge(build_margin().fit(X[40:80], y[40:80])).partial_fit(X[80:], y[80:])
    assert_same_model(model, build_margin().fit(X, y), X)


def test_weight_of_the_merged_model_is_its_own(trees):
    X, y = trees
    model = build_margin(baseline_weight=0.75).fit(X[:60], y[:60])
    model.merge(build_margin(baseline_weight=0.7).fit(X[60:], y[60:]))
    assert_same_model(model, build_margin(baseline_weight=0.75).fit(X, y), X)


def test_other_kind_of_estimator_is_not_merged(pair):
    with pytest.raises(TypeError, match="other=NearestCentroid must be a fitted DisjointCentroid"):
        build_margin().fit(*pair).merge(NearestCentroid().fit(*pair))


def test_model_of_other_features_is_not_merged(pair):
    X, y = pair
    with pytest.raises(ValueError, match="other was fitted on 5 features, this estimator on 8"):
        build_margin().fit(X, y).merge(build_margin().fit(X[:, :5], y))


def test_model_of_features_of_other_names_is_not_merged(pair):
    X, y = pair
    model, other = (
        build_margin().fit(pd.DataFrame(X, columns=list(names)), y)
        for names in ("abcdefgh", "hgfedcba")
    )
    with pytest.raises(ValueError, match="other was fitted on features of other names"):
        model.merge(other)


def test_model_that_is_not_fitted_is_not_merged(pair):
    with pytest.raises(NotFittedError, match="not fitted"):
        build_margin().fit(*pair).merge(build_margin())


def test_nothing_is_merged_into_a_model_that_is_not_fitted(pair):
    with pytest.raises(NotFittedError, match="not fitted"):
        build_margin().merge(build_margin().fit(*pair))


# ------------------------------------------------------------------ names and selection


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_names_of_a_frame_are_kept(pair, assignment, table):
    frame = table({f"gene {j}": pair.X[:, j] for j in range(8)})
    model = build(assignment).fit(frame, pair.y)
    assert model.feature_names_in_.tolist() == [f"gene {j}" for j in range(8)]
    np.testing.assert_array_equal(
        model.predict(frame), build(assignment).fit(*pair).predict(pair.X)
    )


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_frame_with_other_names_is_refused(pair, assignment, table):
    frames = [table({f"{name} {j}": pair.X[:, j] for j in range(8)}) for name in ("gene", "word")]
    with pytest.raises(ValueError, match="feature names"):
        build(assignment).fit(frames[0], pair.y).predict(frames[1])


def test_names_are_kept_by_chunks_and_parts(pair):
    frame = pd.DataFrame(pair.X, columns=list("abcdefgh"))
    model = build_margin().partial_fit(frame[:20], pair.y[:20], classes=["no", "yes"])
    model.partial_fit(frame[20:40], pair.y[20:40])
    model.merge(build_margin().fit(frame[40:], pair.y[40:]))
    assert model.feature_names_in_.tolist() == list("abcdefgh")


def test_names_are_forgotten_with_the_data_they_came_from(pair, assignment):
    model = build(assignment).fit(pd.DataFrame(pair.X, columns=list("abcdefgh")), pair.y)
    assert not hasattr(model.fit(*pair), "feature_names_in_")


def test_selected_features_are_named(trees, assignment):
    names = np.array([f"gene {j}" for j in range(16)])
    frame = pd.DataFrame(trees.X, columns=names)
    model = build(assignment, baseline_weight=0.75).fit(frame, trees.y)
    assert 3 <= model.support_.sum() < 16
    assert model.get_feature_names_out().tolist() == names[model.support_].tolist()


def test_support_can_be_had_as_a_mask_or_as_columns(trees, assignment):
    model = build(assignment, baseline_weight=0.75).fit(*trees)
    np.testing.assert_array_equal(model.get_support(), model.support_)
    np.testing.assert_array_equal(model.get_support(indices=True), np.flatnonzero(model.support_))


def test_transform_keeps_the_selected_features(trees, assignment, layout):
    X, y = trees
    model = build(assignment, baseline_weight=0.75).fit(layout(X), y)
    kept = model.transform(layout(X))
    kept = kept.toarray() if sparse.issparse(kept) else kept
    np.testing.assert_array_equal(kept, X[:, model.support_])


def test_inverse_transform_puts_zeros_where_features_are_left_out(trees, assignment):
    X, y = trees
    model = build(assignment, baseline_weight=0.75).fit(X, y)
    back = model.inverse_transform(model.transform(X))
    np.testing.assert_array_equal(back, np.where(model.support_, X, 0.0))


# ------------------------------------------------------------------ scikit-learn


FITTED = {
    "classes_",
    "groups_",
    "centers_",
    "support_",
    "feature_scale_",
    "objective_",
    "restart_errors_",
    "n_void_",
    "slope_",
    "n_features_in_",
}


def test_fit_sets_the_documented_attributes_and_no_others(trees, assignment, calibration):
    model = build(assignment, calibration=calibration).fit(*trees)
    assert {name for name in vars(model) if not name.startswith("_")} == FITTED | set(
        model.get_params()
    )


def test_groups_and_support_are_masks(trees, assignment):
    model = build(assignment).fit(*trees)
    assert model.groups_.dtype == model.support_.dtype == bool
    assert model.groups_.shape == model.centers_.shape == (3, 16)
    assert model.support_.shape == model.feature_scale_.shape == (16,)


def test_fit_leaves_parameters_data_and_labels_alone(trees, assignment, layout):
    X, y = trees
    weights = np.linspace(0.0, 1.0, len(y))
    before = X.copy(), y.copy(), weights.copy()
    shared = np.array([3, 5])
    model = build(assignment, shared_features=shared, center=True, scale="std")
    parameters = model.get_params()
    stored = layout(X)
    model.fit(stored, y, sample_weight=weights)
    for name, value in parameters.items():
        assert model.get_params()[name] is value
    np.testing.assert_array_equal(stored.toarray() if sparse.issparse(stored) else stored, X)
    for now, then in zip((X, y, weights), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_fitting_again_forgets_the_first_data(pair, trees, assignment):
    model = build(assignment).fit(*pair).fit(*trees)
    assert_same_bits(model, build(assignment).fit(*trees), trees.X)


def test_batch_after_chunks_forgets_them(pair, trees):
    model = build_margin().partial_fit(*pair, classes=["no", "yes"]).fit(*trees)
    assert_same_bits(model, build_margin().fit(*trees), trees.X)


@pytest.mark.parametrize(
    "parameters",
    [{"scale": "std"}, {"calibration": "logistic"}, {"shared_features": 5}, {"n_init": 3}],
    ids=str,
)
def test_parameters_that_are_set_after_the_fit_wait_for_the_next_one(trees, assignment, parameters):
    X, y = trees
    model = build(assignment).fit(X, y)
    before = model.predict_proba(X)
    np.testing.assert_array_equal(model.set_params(**parameters).predict_proba(X), before)


def test_clone_predicts_the_same_once_it_is_fitted(trees, assignment, calibration):
    model = build(assignment, calibration=calibration).fit(*trees)
    assert_same_bits(clone(model).fit(*trees), model, trees.X)


def test_pickled_model_has_the_same_bits(trees, assignment, calibration):
    model = build(assignment, calibration=calibration, scale="std").fit(*trees)
    assert_same_bits(pickle.loads(pickle.dumps(model)), model, trees.X)


def test_pickled_model_takes_further_chunks(trees):
    X, y = trees
    model = build_margin().fit(X[:60], y[:60])
    again = pickle.loads(pickle.dumps(model)).partial_fit(X[60:], y[60:])
    assert_same_bits(again, model.partial_fit(X[60:], y[60:]), X)


def test_model_that_is_not_fitted_says_so(trees, assignment):
    for method in ("predict", "decision_function", "predict_proba", "transform"):
        with pytest.raises(NotFittedError, match="not fitted"):
            getattr(build(assignment), method)(trees.X)


def test_works_as_a_selector_in_a_pipeline(trees, assignment):
    selector = build(assignment, baseline_weight=0.75)
    pipeline = make_pipeline(StandardScaler(), selector, LogisticRegression()).fit(*trees)
    assert pipeline[-1].n_features_in_ == selector.support_.sum() < 16


def test_grid_search_finds_the_weight_that_leaves_noise_out():
    made = make_feature_blocks(400, n_noise=40, random_state=0)
    search = GridSearchCV(build_margin(), {"baseline_weight": [0.8, np.inf]}, cv=3)
    assert search.fit(made.data, made.target).best_params_ == {"baseline_weight": 0.8}


def test_weights_are_routed_to_fit_on_request(trees, assignment):
    X, y = trees
    weights = np.linspace(0.1, 3.0, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        requesting = build(assignment).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(requesting).fit(X, y, sample_weight=weights)
    assert_same_bits(pipeline[-1], build(assignment).fit(X, y, sample_weight=weights), X)


# ------------------------------------------------------------------ bad parameters


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"assignment": "greedy"}, "assignment='greedy' must be one of 'alternating', 'margin'"),
        ({"assignment": None}, "assignment=None must be one of 'alternating', 'margin'"),
        ({"scale": "mad"}, "scale='mad' must be one of None, 'std', 'within'"),
        ({"scale": True}, "scale=True must be one of None, 'std', 'within'"),
        ({"calibration": "isotonic"}, "calibration='isotonic' must be one of None, 'logistic'"),
        ({"baseline_weight": 0}, "baseline_weight=0 must be positive; inf uses every feature"),
        ({"baseline_weight": -0.5}, "baseline_weight=-0.5 must be positive"),
        ({"baseline_weight": np.nan}, "baseline_weight=nan must be positive"),
        ({"n_init": 0}, "n_init=0 must be at least 1"),
        ({"n_init": -3}, "n_init=-3 must be at least 1"),
        ({"norm": "l1"}, "norm='l1' must be one of 'normalized', 'euclidean'"),
        ({"norm": None}, "norm=None must be one of 'normalized', 'euclidean'"),
        ({"shared_features": -1}, "shared_features=-1 must lie between 0 and n_features=16"),
        ({"shared_features": 17}, "shared_features=17 must lie between 0 and n_features=16"),
        ({"shared_features": 1.5}, "shared_features=1.5 must lie between 0 and 1.0, as a fraction"),
        ({"shared_features": np.nan}, "shared_features=nan must lie between 0 and 1.0"),
        ({"shared_features": [3, 16]}, "shared_features holds 3 ... 16; columns go from 0 to 15"),
        ({"shared_features": [-1]}, "shared_features holds -1 ... -1; columns go from 0 to 15"),
        ({"shared_features": [True]}, "shared_features is a mask of 1 features; X has 16"),
        ({"random_state": "dice"}, "'dice' cannot be used to seed"),
        ({"n_jobs": 0}, "n_jobs=0 must be a number of jobs"),
    ],
    ids=str,
)
def test_error_names_the_parameter_its_value_and_what_is_allowed(trees, parameters, message):
    with pytest.raises(ValueError, match=message):
        build(**parameters).fit(*trees)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"baseline_weight": "1"}, "baseline_weight='1' must be a positive number, or inf"),
        ({"baseline_weight": None}, "baseline_weight=None must be a positive number, or inf"),
        ({"baseline_weight": True}, "baseline_weight=True must be a positive number, or inf"),
        ({"baseline_weight": [0.5]}, r"baseline_weight=\[0.5\] must be a positive number, or inf"),
        ({"baseline_weight": 1j}, "baseline_weight=1j must be a positive number, or inf"),
        ({"n_init": 2.0}, "n_init=2.0 must be an int of at least 1"),
        ({"n_init": True}, "n_init=True must be an int of at least 1"),
        ({"n_init": None}, "n_init=None must be an int of at least 1"),
        ({"disjoint": 1}, "disjoint=1 must be True or False"),
        ({"disjoint": "no"}, "disjoint='no' must be True or False"),
        ({"center": None}, "center=None must be True or False"),
        ({"center": "mean"}, "center='mean' must be True or False"),
        ({"shared_features": "all"}, "shared_features='all' must be 'auto', None, an int, a frac"),
        ({"shared_features": True}, "shared_features=True must be 'auto', None, an int"),
        ({"shared_features": ["x"]}, r"shared_features=\['x'\] must be 'auto', None, an int"),
        ({"shared_features": [0.5]}, r"shared_features=\[0.5\] must be 'auto', None, an int"),
        ({"shared_features": [[1]]}, r"shared_features=\[\[1\]\] must be 'auto', None, an int"),
    ],
    ids=str,
)
def test_error_names_the_parameter_and_the_types_it_may_have(
    trees, assignment, parameters, message
):
    with pytest.raises(TypeError, match=message):
        build(assignment, **parameters).fit(*trees)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"baseline_weight": 0}, ValueError),
        ({"scale": "mad"}, ValueError),
        ({"disjoint": 1}, TypeError),
        ({"n_init": 0}, ValueError),
        ({"shared_features": 17}, ValueError),
    ],
    ids=str,
)
def test_chunks_ask_the_same_of_the_parameters(trees, parameters, error):
    with pytest.raises(error, match=f"{next(iter(parameters))}="):
        build_margin(**parameters).partial_fit(*trees, classes=TREES)


def test_flags_may_be_those_of_numpy(trees):
    model = build_margin(disjoint=np.False_, center=np.True_).fit(*trees)
    assert model.groups_.all()


def test_unknown_word_for_shared_features_is_refused_where_features_are_too_few(trees):
    with pytest.raises(TypeError, match="shared_features='none' must be 'auto', None"):
        build(shared_features="none").fit(trees.X[:, :2], trees.y)


def test_no_columns_to_share_are_the_same_as_none(trees, assignment):
    model = build(assignment, shared_features=[]).fit(*trees)
    assert_same_bits(model, build(assignment, shared_features=None).fit(*trees), trees.X)


@pytest.mark.parametrize("weight", [1e-200, 1e200])
def test_extreme_weight_leaves_out_everything_or_nothing(trees, weight):
    groups = build_margin(baseline_weight=weight).fit(*trees).groups_
    assert groups.sum() == (16 if weight > 1.0 else 3)


def test_huge_weight_of_the_alternation_is_no_trouble(trees):
    assert build(baseline_weight=1e200).fit(*trees).groups_.sum() == 16


def test_starts_that_are_all_void_are_an_error_that_says_what_to_change(trees):
    message = (
        "In each of n_init=10 starts a class lost all its features; give a larger baseline_weight "
        "than 0.01, more starts, or fewer classes"
    )
    with pytest.raises(ValueError, match=message):
        build(baseline_weight=0.01).fit(*trees)


def test_void_starts_without_a_baseline_ask_for_no_larger_weight():
    with pytest.raises(ValueError, match="a class lost all its features") as raised:
        build().fit(np.ones((6, 4)), [0, 0, 1, 1, 2, 2])
    assert "than inf" not in str(raised.value)


# ------------------------------------------------------------------ bad data


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_missing_and_infinite_values_are_refused(trees, assignment, layout, value):
    X = trees.X.copy()
    X[7, 2] = value
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        build(assignment).fit(layout(X), trees.y)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_values_are_refused_in_a_chunk(trees, layout, value):
    X = trees.X.copy()
    X[7, 2] = value
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        build_margin().partial_fit(layout(X), trees.y, classes=TREES)


def test_missing_values_are_refused_in_new_samples(trees, assignment, layout):
    X = trees.X.copy()
    X[7, 2] = np.nan
    with pytest.raises(ValueError, match="X contains NaN"):
        build(assignment).fit(*trees).predict(layout(X))


def test_values_too_large_to_square_are_refused(trees, assignment, layout):
    with pytest.raises(ValueError, match="X holds values whose squares are too large for float64"):
        build(assignment).fit(layout(trees.X * 1e200), trees.y)


def test_chunks_too_far_apart_to_square_are_refused_and_forgotten(pair):
    X, y = pair
    model = build_margin().fit(X, y)
    before = state_of(model)
    with pytest.raises(ValueError, match="X holds values whose squares are too large for float64"):
        model.partial_fit(np.full((2, 8), 1e200), ["no", "yes"])
    assert state_of(model) == before


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1, 0], "inconsistent numbers of samples"),
        ([0, 0, 0, 0], "y holds one class, 0; DisjointCentroidClassifier needs .*at least 2"),
        ([0.1, 0.2, 0.3, 0.4], "continuous"),
        ([[0, 1]] * 4, "y should be a 1d array"),
        (None, "requires y to be passed"),
    ],
)
def test_labels_that_are_no_classes_are_refused(assignment, y, message):
    with pytest.raises(ValueError, match=message):
        build(assignment).fit(np.eye(4), y)


def test_one_class_of_positive_weight_is_not_enough(assignment):
    with pytest.raises(ValueError, match="positive weight of at least 2 classes"):
        build(assignment).fit(np.eye(4), [0, 0, 1, 1], sample_weight=[1, 1, 0, 0])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, -2, 1], "sample_weight=-2 must not be negative"),
        ([0, 0, 0, 0], "(?i)sample.weight.*zero"),
        ([1, 1, np.nan, 1], "sample_weight contains NaN"),
        ([1, 1, 1], "sample_weight.shape == .*, expected \\(4,\\)"),
    ],
)
def test_impossible_weights_are_refused(assignment, weights, message):
    with pytest.raises(ValueError, match=message):
        build(assignment).fit(np.eye(4), [0, 1, 0, 1], sample_weight=weights)


def test_other_number_of_features_is_refused(trees, assignment):
    model = build(assignment).fit(*trees)
    with pytest.raises(ValueError, match="X has 5 features, but Disjoint.* is expecting 16"):
        model.predict(trees.X[:, :5])


def test_first_chunk_needs_the_classes(trees):
    with pytest.raises(ValueError, match="classes must be given in the first call of partial_fit"):
        build_margin().partial_fit(*trees)


def test_one_class_is_not_enough_for_chunks(trees):
    with pytest.raises(ValueError, match=r"classes=\['ash'\] must hold at least 2 classes"):
        build_margin().partial_fit(*trees, classes=["ash"])


# ------------------------------------------------------------------ nothing half kept


BAD_FITS = {
    "missing value": (lambda X: np.full((len(X), 3), np.nan), {}, "X contains NaN"),
    "too large": (lambda X: X[:, :9] * 1e200, {}, "too large for float64"),
    "all void": (lambda X: X[:, :9], {"baseline_weight": 0.01}, "lost all its features"),
    "too few": (lambda X: X[:, :2], {"shared_features": None}, "too few for 3 disjoint groups"),
    "shared": (lambda X: X[:, :9], {"shared_features": 99}, "shared_features=99"),
    "parameter": (lambda X: X[:, :9], {"scale": "mad"}, "scale='mad'"),
}


@pytest.mark.parametrize(("bad", "parameters", "message"), BAD_FITS.values(), ids=BAD_FITS)
def test_failed_fit_leaves_a_fitted_model_as_it_was(trees, bad, parameters, message):
    X, y = trees
    model = build().fit(pd.DataFrame(X).add_prefix("gene "), y).set_params(**parameters)
    before = state_of(model)
    with pytest.raises(ValueError, match=message):
        model.fit(bad(X), y)
    assert state_of(model) == before


@pytest.mark.parametrize(("bad", "parameters", "message"), BAD_FITS.values(), ids=BAD_FITS)
def test_failed_fit_leaves_a_new_model_not_fitted(trees, bad, parameters, message):
    X, y = trees
    model = build(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(bad(X), y)
    assert set(vars(model)) == set(model.get_params())


def test_failed_calibration_leaves_the_model_as_it_was(trees, assignment, monkeypatch):
    def fail(*_):
        raise FloatingPointError("no slope")

    X, y = trees
    model = build(assignment).fit(X, y)
    before = state_of(model)
    monkeypatch.setattr(_disjoint_centroid_rule, "slope_from_distances", fail)
    with pytest.raises(FloatingPointError, match="no slope"):
        model.fit(X[:, :9], y)
    assert state_of(model) == before


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
def test_failed_chunk_leaves_the_model_as_it_was(pair, bad_chunk, message):
    model = build_margin().fit(*pair)
    before = state_of(model)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(**bad_chunk(*pair))
    assert state_of(model) == before


@pytest.mark.parametrize(("bad_chunk", "message"), list(BAD_CHUNKS.values())[:2])
def test_failed_first_chunk_leaves_a_new_model_not_fitted(pair, bad_chunk, message):
    model = build_margin()
    with pytest.raises(ValueError, match=message):
        model.partial_fit(**bad_chunk(*pair), classes=["no", "yes"])
    assert set(vars(model)) == set(model.get_params())


@pytest.mark.parametrize("parameters", [{"shared_features": 99}, {"baseline_weight": -1}], ids=str)
def test_chunk_refused_for_a_parameter_is_not_counted(trees, parameters):
    X, y = trees
    model = build_margin().fit(X[:60], y[:60])
    good = {name: model.get_params()[name] for name in parameters}
    with pytest.raises(ValueError, match=next(iter(parameters))):
        model.set_params(**parameters).partial_fit(X[60:] + 1, y[60:])
    model.set_params(**good).partial_fit(X[60:], y[60:])
    assert_same_model(model, build_margin().fit(X, y), X)


def test_failed_merge_leaves_the_model_as_it_was(trees):
    """Two features are enough for the two classes of each part, not for the three of both."""
    X, y = trees[0][:, [0, 8]], trees[1]
    model, other = (
        build_margin(shared_features=None).fit(X[y != label], y[y != label])
        for label in ("oak", "ash")
    )
    before = state_of(model)
    with pytest.raises(ValueError, match="too few for 3 disjoint groups"):
        model.merge(other)
    assert state_of(model) == before
