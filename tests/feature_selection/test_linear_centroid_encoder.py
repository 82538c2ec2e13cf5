"""The linear centroid-encoder as a selector."""

import pickle
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from centroidal.feature_selection.linear_centroid_encoder import LinearCentroidEncoder
from tests.reference import linear_centroid_encoder as reference

TRAININGS = ["two_step", "alternating"]
every_training = pytest.mark.parametrize("training", TRAININGS)
every_scale = pytest.mark.parametrize("scale", ["std", None])


class Samples(NamedTuple):
    X: np.ndarray
    y: np.ndarray


def draw(rng, n_samples=40, n_features=60, n_classes=3):
    """Classes that differ in the first features; every feature has its own unit and offset."""
    y = np.arange(n_samples) % n_classes
    centers = np.zeros((n_classes, n_features))
    centers[:, : n_features // 4] = 1.5 * rng.standard_normal((n_classes, n_features // 4))
    X = rng.standard_normal((n_samples, n_features)) + centers[y]
    return Samples(X * rng.uniform(0.5, 2.0, n_features) + rng.standard_normal(n_features), y)


@pytest.fixture(params=[(40, 60), (90, 12)], ids=["wide", "tall"])
def samples(rng, request):
    """More features than samples, and fewer."""
    return draw(rng, *request.param)


@pytest.fixture
def wide(rng):
    """More features than samples."""
    return draw(rng)


def assert_same(actual, expected, columns=slice(None)):
    """Weights, selection and value to rounding; the sparse and the dense way differ by little."""
    largest = np.abs(expected.coef_).max()
    np.testing.assert_allclose(actual.coef_[columns], expected.coef_, atol=1e-6 * largest)
    np.testing.assert_array_equal(actual.support_[columns], expected.support_)
    assert actual.objective_ == pytest.approx(expected.objective_, rel=1e-8)
    assert actual.alpha_max_ == pytest.approx(expected.alpha_max_, rel=1e-8)


# ------------------------------------------------------------------ what is found


def test_weights_are_those_of_the_definition(samples):
    model = LinearCentroidEncoder(alpha=0.1, tol=1e-10).fit(*samples)
    expected = reference.encode(reference.standardised(samples.X), samples.y, 0.1)
    np.testing.assert_allclose(model.coef_, expected.coef, atol=1e-6 * np.abs(expected.coef).max())
    np.testing.assert_array_equal(model.scores_, np.abs(model.coef_))
    assert model.objective_ == pytest.approx(expected.objectives[-1], rel=1e-8)
    assert model.alpha_max_ == pytest.approx(expected.alpha_max, rel=1e-8)
    assert model.alpha_ == pytest.approx(0.1 * model.alpha_max_)


def test_samples_are_taken_as_they_are_without_a_scale(samples):
    model = LinearCentroidEncoder(alpha=0.1, scale=None, tol=1e-10).fit(*samples)
    expected = reference.encode(samples.X, samples.y, 0.1)
    np.testing.assert_allclose(model.coef_, expected.coef, atol=1e-6 * np.abs(expected.coef).max())
    assert model.objective_ == pytest.approx(expected.objectives[-1], rel=1e-8)


def test_standardised_samples_need_no_scale(samples):
    X, y = samples
    own = LinearCentroidEncoder(scale=None).fit(reference.standardised(X), y)
    assert_same(own, LinearCentroidEncoder().fit(X, y))


@every_training
def test_axes_are_orthonormal_and_at_most_one_less_than_classes(samples, training):
    axes = LinearCentroidEncoder(training=training).fit(*samples).components_
    assert 1 <= len(axes) <= 2
    np.testing.assert_allclose(axes @ axes.T, np.eye(len(axes)), atol=1e-12)


@every_training
def test_more_components_than_pay_are_idle(samples, training):
    few, many = (
        LinearCentroidEncoder(n_components=n, training=training).fit(*samples) for n in (2, 50)
    )
    np.testing.assert_array_equal(few.coef_, many.coef_)
    np.testing.assert_array_equal(few.components_, many.components_)


@every_training
def test_fewer_components_may_be_asked_for(samples, training):
    model = LinearCentroidEncoder(n_components=1, training=training).fit(*samples)
    assert model.components_.shape == (1, samples.X.shape[1])


def test_alternation_never_rises_and_ends_below_two_steps(samples):
    steps = LinearCentroidEncoder().fit(*samples)
    model = LinearCentroidEncoder(training="alternating").fit(*samples)
    assert (np.diff(model.objectives_) <= 1e-10 * model.objectives_[0]).all()
    np.testing.assert_allclose(model.objectives_[:2], steps.objectives_, rtol=1e-9)
    assert model.objective_ == model.objectives_[-1] < steps.objective_
    assert model.n_iter_ == len(model.objectives_) // 2
    assert model.converged_


@every_training
def test_weights_are_certified(samples, training):
    model = LinearCentroidEncoder(training=training).fit(*samples)
    assert model.converged_
    assert 0.0 <= model.dual_gap_ <= 1e-6 * model.objective_


@every_training
def test_all_scores_are_zero_from_the_largest_penalty_on(samples, training):
    largest = LinearCentroidEncoder().fit(*samples).alpha_max_
    for alpha in (1.0, 7.0):
        model = LinearCentroidEncoder(alpha=alpha, training=training).fit(*samples)
        assert not model.scores_.any()
    model = LinearCentroidEncoder(alpha=1.001 * largest, relative=False, training=training)
    assert not model.fit(*samples).scores_.any()
    model = LinearCentroidEncoder(alpha=0.999 * largest, relative=False, training=training)
    assert model.fit(*samples).scores_.any()


@every_training
def test_absolute_penalty_is_the_same_as_its_share(samples, training):
    share = LinearCentroidEncoder(training=training).fit(*samples)
    model = LinearCentroidEncoder(alpha=share.alpha_, relative=False, training=training)
    np.testing.assert_array_equal(model.fit(*samples).coef_, share.coef_)


def test_classes_are_told_apart_by_the_features_that_differ(rng):
    X, y = draw(rng, 60, 200)
    model = LinearCentroidEncoder(10).fit(X, y)
    assert (model.feature_ranking_[:10] < 50).all()


def test_classes_that_overlap_are_told_apart_too(rng):
    X, y = rng.standard_normal((400, 8)), np.arange(400) % 2
    X[:, 3] += 0.5 * y
    model = LinearCentroidEncoder(alpha=0.5).fit(X, y)
    assert model.feature_ranking_[0] == 3
    assert model.scores_[3] > 0.0


# ------------------------------------------------------------------ selection


def test_features_with_a_weight_are_kept_by_default(wide):
    model = LinearCentroidEncoder().fit(*wide)
    np.testing.assert_array_equal(model.support_, model.scores_ > 0.0)
    assert model.n_features_to_select_ == model.support_.sum() < 60
    np.testing.assert_array_equal(model.transform(wide.X), wide.X[:, model.support_])


def test_one_feature_is_kept_where_all_scores_are_zero(wide):
    assert LinearCentroidEncoder(alpha=1.0).fit(*wide).transform(wide.X).shape == (40, 1)


@pytest.mark.parametrize(("number", "expected"), [(1, 1), (59, 59), (0.5, 30), (60, 60)])
def test_so_many_features_are_kept_as_asked_for(wide, number, expected):
    model = LinearCentroidEncoder(number).fit(*wide)
    assert model.transform(wide.X).shape == (40, expected)
    np.testing.assert_array_equal(
        np.sort(model.feature_ranking_[:expected]), np.flatnonzero(model.support_)
    )


def test_features_without_a_weight_follow_by_their_correlation_with_the_residual(wide):
    model = LinearCentroidEncoder(alpha=0.3).fit(*wide)
    Z = reference.standardised(wide.X)
    A = model.components_.T
    residual = reference.targets(Z, wide.y) @ A - (Z * model.coef_) @ A
    correlations = np.abs((Z.T @ residual * A).sum(axis=1))
    n_used = np.count_nonzero(model.coef_)
    rest = model.feature_ranking_[n_used:]
    assert not model.coef_[rest].any()
    assert (np.diff(model.scores_[model.feature_ranking_]) <= 0.0).all()
    assert (np.diff(correlations[rest]) <= 1e-9).all()


def test_embedding_is_weighted_samples_times_axes(samples):
    X, y = samples
    model = LinearCentroidEncoder().fit(X, y)
    expected = (reference.standardised(X) * model.coef_) @ model.components_.T
    np.testing.assert_allclose(model.embed(X), expected, atol=1e-10)
    np.testing.assert_allclose(model.embed(sparse.csr_array(X)), expected, atol=1e-10)


def test_embedding_is_nearer_to_the_own_class(wide):
    X, y = wide
    places = LinearCentroidEncoder().fit(X, y).embed(X)
    centers = np.array([places[y == c].mean(axis=0) for c in range(3)])
    nearest = ((places[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == y).mean() > 0.9


# ------------------------------------------------------------------ what must not matter


@every_training
@every_scale
@pytest.mark.parametrize("to", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
def test_sparse_samples_give_the_weights_of_dense_ones(rng, samples, training, scale, to):
    X, y = samples
    X = X * (rng.random(X.shape) < 0.4)
    model = LinearCentroidEncoder(training=training, scale=scale, tol=1e-9)
    assert_same(clone(model).fit(to(X), y), clone(model).fit(X, y))


@every_training
def test_order_of_features_does_not_matter(rng, samples, training):
    X, y = samples
    order = rng.permutation(X.shape[1])
    model = LinearCentroidEncoder(training=training, tol=1e-9)
    assert_same(clone(model).fit(X, y), clone(model).fit(X[:, order], y), order)


@every_training
def test_order_of_samples_does_not_matter(rng, samples, training):
    X, y = samples
    order = rng.permutation(len(y))
    model = LinearCentroidEncoder(training=training, tol=1e-9)
    assert_same(clone(model).fit(X[order], y[order]), clone(model).fit(X, y))


@every_training
def test_names_of_classes_do_not_matter(samples, training):
    X, y = samples
    model = LinearCentroidEncoder(training=training, tol=1e-9)
    named = clone(model).fit(X, np.array(["zebra", "ape", "newt"])[y])
    assert_same(named, clone(model).fit(X, y))


def test_units_of_features_do_not_matter(rng, samples):
    X, y = samples
    rescaled = X * rng.uniform(0.1, 10.0, X.shape[1]) + rng.standard_normal(X.shape[1])
    assert_same(LinearCentroidEncoder().fit(rescaled, y), LinearCentroidEncoder().fit(X, y))


def test_squared_unit_of_all_samples_is_that_of_the_penalty(samples):
    X, y = samples
    model = LinearCentroidEncoder(alpha=5.0, relative=False, scale=None).fit(X, y)
    other = LinearCentroidEncoder(alpha=45.0, relative=False, scale=None).fit(3.0 * X, y)
    np.testing.assert_allclose(other.coef_, model.coef_, atol=1e-7)
    assert other.objective_ == pytest.approx(9.0 * model.objective_)


@every_training
@every_scale
@pytest.mark.parametrize("to", [np.asarray, sparse.csr_array])
def test_integer_weights_are_repeats(rng, samples, training, scale, to):
    X, y = samples
    repeats = rng.integers(0, 4, size=len(y))
    model = LinearCentroidEncoder(training=training, scale=scale, tol=1e-9)
    weighted = clone(model).fit(to(X), y, sample_weight=repeats)
    repeated = clone(model).fit(to(np.repeat(X, repeats, axis=0)), np.repeat(y, repeats))
    assert_same(weighted, repeated)


def test_class_without_weight_does_not_count(samples):
    X, y = samples
    weighted = LinearCentroidEncoder().fit(X, y, sample_weight=(y < 2).astype(float))
    assert_same(weighted, LinearCentroidEncoder().fit(X[y < 2], y[y < 2]))


@every_training
@pytest.mark.parametrize("to", [np.asarray, sparse.csr_array])
def test_constant_features_have_no_score_and_change_nothing(samples, training, to):
    X, y = samples
    constant = np.tile([0.1, 0.0, -1e6], (len(y), 1))
    model = LinearCentroidEncoder(training=training, tol=1e-9)
    wider = clone(model).fit(to(np.hstack([X, constant])), y)
    assert not wider.scores_[-3:].any()
    assert_same(wider, clone(model).fit(to(X), y), slice(None, -3))
    assert (wider.feature_ranking_[-3:] >= X.shape[1]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_numbers_of_other_types_are_read(samples, dtype):
    X, y = samples
    X = np.round(8.0 * X)
    expected = LinearCentroidEncoder().fit(X, y)
    assert_same(LinearCentroidEncoder().fit(X.astype(dtype), y), expected)


@every_training
@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_few_features_are_enough(rng, training, n_features):
    X, y = rng.standard_normal((30, n_features)), np.arange(30) % 4
    X[:, 0] += y
    model = LinearCentroidEncoder(training=training).fit(X, y)
    assert model.feature_ranking_[0] == 0
    assert model.embed(X).shape == (30, len(model.components_))


@every_training
def test_one_sample_a_class_is_enough(rng, training):
    X = rng.standard_normal((4, 20))
    model = LinearCentroidEncoder(training=training).fit(X, list("abcd"))
    assert len(model.components_) == 3
    assert model.converged_


@every_training
@every_scale
@pytest.mark.parametrize("to", [np.asarray, sparse.csr_array])
def test_samples_that_are_all_equal_have_no_scores(training, scale, to):
    X, y = np.full((6, 3), 0.0), np.array([0, 1, 0, 1, 1, 0])
    model = LinearCentroidEncoder(training=training, scale=scale).fit(to(X), y)
    assert not model.scores_.any()
    assert model.alpha_max_ == 0.0
    assert model.embed(X).shape == (6, 0)


def test_fit_leaves_parameters_alone_and_pickles_select_the_same(wide):
    model = LinearCentroidEncoder(7, alpha=0.2)
    before = model.get_params()
    model.fit(*wide)
    assert model.get_params() == before
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.transform(wide.X), model.transform(wide.X))
    np.testing.assert_array_equal(clone(model).fit(*wide).coef_, model.coef_)


# ------------------------------------------------------------------ frames and errors


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_columns_are_kept(wide, frame):
    X, y = wide
    table = frame({f"gene{j}": X[:, j] for j in range(X.shape[1])})
    model = LinearCentroidEncoder(4).fit(table, y)
    expected = [f"gene{j}" for j in np.flatnonzero(model.support_)]
    assert model.get_feature_names_out().tolist() == expected
    model.set_output(transform="pandas" if frame is pd.DataFrame else "polars")
    assert list(model.transform(table).columns) == expected
    np.testing.assert_allclose(model.embed(table), LinearCentroidEncoder(4).fit(X, y).embed(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_features_to_select": 0}, "n_features_to_select=0 must lie between 1 and"),
        ({"n_features_to_select": 61}, "n_features_to_select=61 must lie .* n_features=60"),
        ({"n_features_to_select": 1.5}, "n_features_to_select=1.5 must, as a fraction"),
        ({"alpha": 0.0}, "alpha=0.0 must be positive"),
        ({"alpha": np.inf}, "alpha=inf must be positive and finite"),
        ({"alpha": "strong"}, "alpha='strong' must be a positive number"),
        ({"relative": 1}, "relative=1 must be True or False"),
        ({"n_components": 0}, "n_components=0 must be at least 1"),
        ({"n_components": 1.5}, "n_components=1.5 must be an int of at least 1"),
        ({"training": "joint"}, "training='joint' must be one of 'two_step', 'alternating'"),
        ({"scale": "mad"}, "scale='mad' must be one of 'std', None"),
        ({"max_iter": 0}, "max_iter=0 must be at least 1"),
        ({"tol": -1.0}, "tol=-1.0 must be positive"),
    ],
)
def test_error_names_the_parameter_its_value_and_what_is_allowed(wide, parameters, message):
    with pytest.raises((TypeError, ValueError), match=message):
        LinearCentroidEncoder(**parameters).fit(*wide)


def test_too_few_sweeps_are_said(wide):
    model = LinearCentroidEncoder(alpha=0.001, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter=1"):
        model.fit(*wide)
    assert not model.converged_
    assert model.n_iter_ == 1
    assert model.dual_gap_ > 0.0


def test_selector_must_be_fitted_first(wide):
    for method in ("transform", "embed", "get_support"):
        arguments = () if method == "get_support" else (wide.X,)
        with pytest.raises(NotFittedError):
            getattr(LinearCentroidEncoder(), method)(*arguments)


def test_samples_must_be_finite(wide):
    X, y = wide
    model = LinearCentroidEncoder().fit(X, y)
    X = X.copy()
    X[3, 5] = np.nan
    for refused in (lambda: LinearCentroidEncoder().fit(X, y), lambda: model.embed(X)):
        with pytest.raises(ValueError, match="NaN"):
            refused()
    with pytest.raises(ValueError, match="too large"):
        LinearCentroidEncoder().fit(np.where(np.isnan(X), 1e300, X), y)


def test_one_class_is_refused(wide):
    with pytest.raises(ValueError, match="LinearCentroidEncoder needs samples .* 2 classes"):
        LinearCentroidEncoder().fit(wide.X, np.zeros(40))
