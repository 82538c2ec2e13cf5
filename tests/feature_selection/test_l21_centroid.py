"""Selection by row-sparse regression on centroids or classes, and scikit-learn around it."""

import pickle
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

from centroidal import L21CentroidSelector
from centroidal.feature_selection import l21_centroid as module
from centroidal.solvers import l21_centroids as solvers
from centroidal.solvers.l21_centroids import centroid_targets
from tests.reference import l21 as reference


class Samples(NamedTuple):
    X: np.ndarray
    y: np.ndarray


def draw_samples(rng, n, d, labels):
    """Gaussian classes that differ in every third feature; features differ in unit."""
    codes = np.arange(n) % len(labels)
    told = 2.0 * rng.normal(size=(len(labels), d)) * (np.arange(d) % 3 == 0)
    X = (rng.normal(size=(n, d)) + told[codes] + 1.0) * 2.0 ** (np.arange(d) % 4)
    return Samples(X, np.asarray(labels)[codes])


@pytest.fixture
def three_classes(rng):
    return draw_samples(rng, 24, 15, ["a", "b", "c"])


@pytest.fixture
def two_classes(rng):
    return draw_samples(rng, 24, 12, [-1, 4])


@pytest.fixture(params=["centroids", "classes"])
def targets(request):
    return request.param


@pytest.fixture(params=["newton", "admm", "irls"])
def solver(request):
    return request.param


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def explicit_targets(X, y, targets):
    """Reduced centroids, or zeros and a one, sample by sample."""
    classes, codes = np.unique(y, return_inverse=True)
    if targets == "classes":
        return np.eye(classes.size)[codes]
    return centroid_targets(np.array([X[y == c].mean(axis=0) for c in classes]))[codes]


def state_of(selector):
    """Everything a selector holds, in a form that can be compared."""
    return pickle.dumps(selector)


def assert_same_scores(found, expected, rtol=1e-2):
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * np.max(expected))


# ------------------------------------------------------------------ the problem


@pytest.mark.parametrize("alpha", [0.1, 0.5])
def test_objective_is_the_optimum_for_standardized_features(three_classes, targets, alpha):
    X, y = three_classes
    selector = L21CentroidSelector(alpha, targets=targets).fit(X, y)
    Z = standardized(X)
    expected = reference.solve(Z, explicit_targets(Z, y, targets), selector.alpha_)
    assert selector.objective_ == pytest.approx(expected.objective, rel=2e-6)
    assert_same_scores(selector.scores_, reference.row_norms(expected.coefficients))


def test_objective_is_the_optimum_for_the_centroids_themselves(three_classes):
    X, y = three_classes
    selector = L21CentroidSelector(0.2).fit(X, y)
    Z = standardized(X)
    own = np.array([Z[y == label].mean(axis=0) for label in y])
    expected = reference.solve(Z, own, selector.alpha_)
    assert selector.objective_ == pytest.approx(expected.objective, rel=2e-6)


def test_features_may_stay_as_they_are(three_classes, targets):
    X, y = three_classes
    selector = L21CentroidSelector(0.3, targets=targets, scale=None).fit(X, y)
    value = reference.objective(
        X, explicit_targets(X, y, targets), selector.coef_.T, selector.alpha_
    )
    assert selector.objective_ == pytest.approx(value, rel=1e-9)


def test_standardized_features_have_no_unit_and_no_origin(three_classes, targets):
    X, y = three_classes
    moved = X * np.linspace(0.1, 10.0, 15) - np.linspace(-50.0, 50.0, 15)
    found = L21CentroidSelector(0.3, targets=targets).fit(moved, y)
    expected = L21CentroidSelector(0.3, targets=targets).fit(X, y)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-6, atol=1e-9)


def test_gap_bounds_how_far_the_objective_is_above_the_optimum(three_classes, targets, solver):
    X, y = three_classes
    selector = L21CentroidSelector(0.2, targets=targets, solver=solver, max_iter=8)
    with pytest.warns(ConvergenceWarning, match="after 8 steps"):
        selector.fit(X, y)
    Z = standardized(X)
    optimum = reference.solve(Z, explicit_targets(Z, y, targets), selector.alpha_)
    above = selector.objective_ - optimum.objective
    assert 0.0 < above <= selector.dual_gap_


@pytest.mark.parametrize(("name", "tol"), [("newton", 1e-6), ("admm", 1e-4), ("irls", 1e-3)])
def test_default_tolerance_goes_with_the_solver(three_classes, targets, name, tol):
    selector = L21CentroidSelector(0.2, targets=targets, solver=name).fit(*three_classes)
    assert selector.converged_
    assert 0.0 <= selector.dual_gap_ <= tol * selector.objective_


@pytest.mark.parametrize("tol", [1e-2, 1e-4])
def test_tolerance_bounds_the_gap(three_classes, solver, tol):
    selector = L21CentroidSelector(0.2, solver=solver, tol=tol, max_iter=3000).fit(*three_classes)
    assert selector.converged_
    assert selector.dual_gap_ <= tol * selector.objective_


def test_looser_tolerance_takes_fewer_steps(three_classes, solver):
    loose, tight = (
        L21CentroidSelector(0.2, solver=solver, tol=tol, max_iter=3000).fit(*three_classes)
        for tol in (1e-1, 1e-5)
    )
    assert loose.n_iter_ < tight.n_iter_


def test_too_few_steps_are_not_convergence(three_classes, targets, solver):
    selector = L21CentroidSelector(0.2, targets=targets, solver=solver, max_iter=3)
    with pytest.warns(ConvergenceWarning, match="after 3 steps .* Raise max_iter=3"):
        selector.fit(*three_classes)
    assert not selector.converged_
    assert selector.n_iter_ == 3
    assert selector.dual_gap_ > 1e-3 * selector.objective_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["newton", "irls"])
@pytest.mark.parametrize("alpha", [1e-3, 1e-4, 1e-6])
def test_small_penalty_is_no_error(rng, targets, solver, alpha):
    """More features than samples: centroids of centred samples can be met without misfit."""
    X, y = draw_samples(rng, 12, 30, [0, 1, 2])
    selector = L21CentroidSelector(alpha, targets=targets, solver=solver).fit(X, y)
    assert np.isfinite(selector.scores_).all()
    assert selector.dual_gap_ < 0.1 * selector.objective_


def test_penalty_too_small_for_alternating_directions_is_told(rng, targets):
    X, y = draw_samples(rng, 12, 30, [0, 1, 2])
    selector = L21CentroidSelector(1e-6, targets=targets, solver="admm", max_iter=100)
    with pytest.warns(ConvergenceWarning, match="after 100 steps"):
        selector.fit(X, y)
    assert not selector.converged_
    assert selector.dual_gap_ > 1e-4 * selector.objective_


# ------------------------------------------------------------------ penalty


def test_penalty_is_a_share_of_the_largest(three_classes, targets):
    selector = L21CentroidSelector(0.25, targets=targets).fit(*three_classes)
    assert selector.alpha_ == pytest.approx(0.25 * selector.alpha_max_, rel=1e-14)


def test_penalty_may_be_given_itself(three_classes, targets):
    share = L21CentroidSelector(0.25, targets=targets).fit(*three_classes)
    itself = L21CentroidSelector(share.alpha_, targets=targets, relative=False)
    itself.fit(*three_classes)
    assert itself.alpha_ == share.alpha_
    assert itself.alpha_max_ == share.alpha_max_
    np.testing.assert_array_equal(itself.scores_, share.scores_)


@pytest.mark.parametrize("alpha", [1.0, 3.0])
def test_largest_penalty_leaves_no_feature(three_classes, targets, alpha):
    selector = L21CentroidSelector(alpha, targets=targets).fit(*three_classes)
    assert not selector.scores_.any()
    assert selector.dual_gap_ == 0.0
    assert selector.converged_
    assert selector.n_iter_ == 0


def test_objective_without_features_is_the_misfit_of_zero(three_classes, targets):
    X, y = three_classes
    selector = L21CentroidSelector(1.0, targets=targets).fit(X, y)
    lengths = reference.row_norms(explicit_targets(standardized(X), y, targets))
    assert selector.objective_ == pytest.approx(lengths.sum(), rel=1e-12)


def test_penalty_just_below_the_largest_leaves_a_feature(three_classes, targets):
    selector = L21CentroidSelector(0.99, targets=targets).fit(*three_classes)
    assert selector.scores_.max() > 0.0


def test_without_scores_the_feature_closest_to_the_targets_is_kept(three_classes, targets):
    X, y = three_classes
    selector = L21CentroidSelector(2.0, targets=targets).fit(X, y)
    Z = standardized(X)
    Y = explicit_targets(Z, y, targets)
    units = Y / reference.row_norms(Y)[:, None]
    best = reference.row_norms(Z.T @ units).argmax()
    assert selector.get_support(indices=True).tolist() == [best]
    assert selector.transform(X).shape == (24, 1)


# ------------------------------------------------------------------ selection


def test_scores_are_the_row_norms_of_the_coefficients(three_classes, targets):
    selector = L21CentroidSelector(targets=targets).fit(*three_classes)
    np.testing.assert_allclose(
        selector.scores_, reference.row_norms(selector.coef_.T), rtol=1e-12, atol=0
    )


@pytest.mark.parametrize(("name", "n_targets"), [("centroids", 2), ("classes", 3)])
def test_coefficients_have_a_row_a_target(three_classes, name, n_targets):
    selector = L21CentroidSelector(targets=name).fit(*three_classes)
    assert selector.coef_.shape == (n_targets, 15)


def test_two_classes_have_one_target(two_classes):
    assert L21CentroidSelector().fit(*two_classes).coef_.shape == (1, 12)


def test_without_a_number_features_with_a_score_are_selected(three_classes, targets):
    selector = L21CentroidSelector(0.5, targets=targets).fit(*three_classes)
    np.testing.assert_array_equal(selector.support_, selector.scores_ > 0)
    assert selector.n_features_to_select_ == np.count_nonzero(selector.scores_) < 15


@pytest.mark.parametrize(
    ("value", "expected"), [(1, 1), (15, 15), (np.int64(4), 4), (0.2, 3), (1.0, 15), (1e-9, 1)]
)
def test_number_of_features_may_be_an_int_or_a_fraction(three_classes, value, expected):
    selector = L21CentroidSelector(n_features_to_select=value).fit(*three_classes)
    assert selector.n_features_to_select_ == selector.support_.sum() == expected


def test_features_of_the_highest_scores_are_selected(three_classes, targets):
    selector = L21CentroidSelector(0.1, targets=targets, n_features_to_select=4)
    selector.fit(*three_classes)
    worst_inside = selector.scores_[selector.support_].min()
    assert worst_inside > selector.scores_[~selector.support_].max()


def test_ranking_goes_by_score(three_classes, targets):
    selector = L21CentroidSelector(0.1, targets=targets).fit(*three_classes)
    assert sorted(selector.feature_ranking_) == list(range(15))
    assert (np.diff(selector.scores_[selector.feature_ranking_]) <= 0).all()


def test_more_features_than_have_a_score_follow_by_their_dual_correlation(three_classes, targets):
    X, y = three_classes
    selector = L21CentroidSelector(0.9, targets=targets, n_features_to_select=10).fit(X, y)
    Z = standardized(X)
    optimum = reference.solve(Z, explicit_targets(Z, y, targets), selector.alpha_)
    correlations = reference.row_norms(Z.T @ optimum.dual)
    with_score = np.flatnonzero(selector.scores_)
    assert 0 < with_score.size < 10
    others = np.setdiff1d(np.argsort(-correlations), with_score, assume_unique=True)
    assert selector.feature_ranking_[with_score.size :].tolist() == others.tolist()
    assert selector.support_.sum() == 10


def test_ties_go_by_position(three_classes):
    X, y = three_classes
    X = np.hstack([X, np.ones((24, 3))])
    selector = L21CentroidSelector(0.5).fit(X, y)
    assert selector.feature_ranking_[-3:].tolist() == [15, 16, 17]


def test_transform_keeps_the_selected_columns(three_classes):
    X, y = three_classes
    selector = L21CentroidSelector(n_features_to_select=4).fit(X, y)
    np.testing.assert_array_equal(selector.transform(X), X[:, selector.support_])
    np.testing.assert_array_equal(selector.get_support(), selector.support_)


def test_sparse_columns_stay_sparse(three_classes):
    X, y = three_classes
    selector = L21CentroidSelector(n_features_to_select=4).fit(X, y)
    found = selector.transform(sparse.csr_array(X))
    assert sparse.issparse(found)
    np.testing.assert_array_equal(found.toarray(), X[:, selector.support_])


# ------------------------------------------------------------------ constant features


@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 + 0.1])
def test_constant_feature_has_no_score_and_moves_nothing_else(three_classes, targets, value):
    X, y = three_classes
    with_constant = np.insert(X, 3, value, axis=1)
    found = L21CentroidSelector(0.3, targets=targets).fit(with_constant, y)
    expected = L21CentroidSelector(0.3, targets=targets).fit(X, y)
    assert found.scores_[3] == 0.0
    assert_same_scores(np.delete(found.scores_, 3), expected.scores_)


@pytest.mark.parametrize("relative", [True, False])
def test_features_that_are_all_constant_have_no_score(targets, relative):
    X, y = np.full((12, 4), 0.1), np.arange(12) % 3
    selector = L21CentroidSelector(targets=targets, relative=relative).fit(X, y)
    assert not selector.scores_.any()
    assert selector.alpha_max_ == 0.0
    assert selector.transform(X).shape == (12, 1)


def test_classes_of_the_same_samples_leave_no_feature_a_score(rng, targets):
    X, y = np.repeat(rng.normal(size=(10, 5)), 3, axis=0), np.arange(30) % 3
    selector = L21CentroidSelector(0.1, targets=targets).fit(X, y)
    assert selector.scores_.max() < 1e-9


# ------------------------------------------------------------------ weights


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("alpha", [0.1, 0.5])
@pytest.mark.parametrize("tol", [None, 1e-9])
def test_weights_select_what_copies_select(targets, seed, alpha, tol):
    """Equations are singular with copies, and normal or integer values with many near-ties."""
    rng = np.random.default_rng(seed)
    y = np.arange(30) % 3
    X = rng.normal(size=(30, 90)) if seed % 2 else rng.integers(0, 4, (30, 90)).astype(float)
    X[:, ::5] += y[:, None]
    times = rng.integers(1, 4, 30)
    selector = L21CentroidSelector(alpha, targets=targets, tol=tol)
    found = selector.fit(X, y, sample_weight=times).get_support()
    expected = selector.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).get_support()
    assert 0 < expected.sum() < 90
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("store", "n_problems", "alpha"),
    [(np.asarray, 40, 0.1), (np.asarray, 40, 0.6), (sparse.csr_array, 5, 0.3)],
)
def test_copies_in_any_order_give_to_the_bit_what_weights_give(
    targets, solver, store, n_problems, alpha
):
    """So no feature depends on rounding, however far from clear it is if it is selected."""
    for seed in range(n_problems):
        rng = np.random.default_rng(seed)
        n, d = [(12, 6), (20, 10), (24, 50), (30, 8), (16, 40)][seed % 5]
        y = np.arange(n) % (2 + seed % 2)
        X = rng.normal(size=(n, d)) + 0.7 * y[:, None] * (np.arange(d) < 4)
        X = np.round(X) if seed % 7 == 0 else X
        times = rng.integers(1, 4, n)
        copies = rng.permutation(np.repeat(np.arange(n), times))
        selector = L21CentroidSelector(alpha, targets=targets, solver=solver, max_iter=3000)
        found = clone(selector).fit(store(X), y, sample_weight=times)
        expected = clone(selector).fit(store(X[copies]), y[copies])
        np.testing.assert_array_equal(found.support_, expected.support_)
        np.testing.assert_array_equal(found.scores_, expected.scores_)
        assert found.objective_ == expected.objective_


def test_weights_are_numbers_of_copies(three_classes, targets):
    X, y = three_classes
    times = 1 + np.arange(24) % 3
    found = L21CentroidSelector(0.3, targets=targets).fit(X, y, sample_weight=times)
    copies = np.repeat(np.arange(24), times)
    expected = L21CentroidSelector(0.3, targets=targets).fit(X[copies], y[copies])
    assert found.alpha_max_ == pytest.approx(expected.alpha_max_, rel=1e-10)
    assert found.objective_ == pytest.approx(expected.objective_, rel=2e-6)
    assert_same_scores(found.scores_, expected.scores_)


def test_samples_without_weight_do_not_count(three_classes, targets, solver):
    X, y = three_classes
    weights = np.where(np.arange(24) % 4 == 1, 0.0, 1.5)
    selector = L21CentroidSelector(0.3, targets=targets, solver=solver)
    found = clone(selector).fit(X, y, sample_weight=weights)
    counted = weights > 0
    expected = clone(selector).fit(X[counted], y[counted], sample_weight=weights[counted])
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-6, atol=1e-9)


def test_class_without_weight_does_not_count(three_classes, targets):
    X, y = three_classes
    counted = y != "b"
    found = L21CentroidSelector(0.3, targets=targets).fit(X, y, sample_weight=1.0 * counted)
    expected = L21CentroidSelector(0.3, targets=targets).fit(X[counted], y[counted])
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-5, atol=1e-8)


def test_unit_of_the_weights_does_not_matter(three_classes, targets):
    X, y = three_classes
    found = L21CentroidSelector(0.3, targets=targets).fit(X, y, sample_weight=np.full(24, 8.0))
    expected = L21CentroidSelector(0.3, targets=targets).fit(X, y)
    assert found.objective_ == pytest.approx(expected.objective_, rel=2e-6)
    assert_same_scores(found.scores_, expected.scores_)


def test_weights_change_the_scores(three_classes):
    X, y = three_classes
    weights = np.where(np.arange(24) < 12, 5.0, 1.0)
    found = L21CentroidSelector(0.3).fit(X, y, sample_weight=weights)
    assert np.abs(found.scores_ - L21CentroidSelector(0.3).fit(X, y).scores_).max() > 1e-3


# ------------------------------------------------------------------ data


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@pytest.mark.parametrize("scale", ["std", None])
def test_sparse_samples_give_the_scores_of_dense_ones(
    three_classes, rng, targets, solver, store, scale
):
    X, y = three_classes
    X = X * (rng.random(X.shape) < 0.6)
    weights = np.arange(24) % 4 / 2
    selector = L21CentroidSelector(0.3, targets=targets, solver=solver, scale=scale)
    found = clone(selector).fit(store(X), y, sample_weight=weights)
    expected = clone(selector).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-5, atol=1e-7)


def test_large_offset_costs_no_precision(three_classes, targets, solver):
    X, y = three_classes
    found = L21CentroidSelector(0.3, targets=targets, solver=solver).fit(X + 1e6, y)
    expected = L21CentroidSelector(0.3, targets=targets, solver=solver).fit(X, y)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-5, atol=1e-7)


def test_large_offset_of_sparse_samples_still_gives_a_certificate(rng, targets, solver):
    X, y = draw_samples(rng, 12, 30, [0, 1, 2])
    X = sparse.csr_array(X + 1e3)
    selector = L21CentroidSelector(0.05, targets=targets, solver=solver).fit(X, y)
    assert selector.dual_gap_ < 0.01 * selector.objective_


@pytest.mark.parametrize("dtype", ["float32", "int8", "int64", "bool"])
def test_numbers_of_any_type_give_the_scores_of_floats(rng, targets, dtype):
    X, y = rng.integers(0, 2, size=(24, 6)).astype(dtype), np.arange(24) % 3
    found = L21CentroidSelector(0.3, targets=targets).fit(X, y)
    expected = L21CentroidSelector(0.3, targets=targets).fit(X.astype(float), y)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-9, atol=1e-12)


def test_names_of_the_classes_do_not_matter(three_classes, targets):
    X, y = three_classes
    renamed = np.select([y == "a", y == "b"], [7, -2], default=3)
    found = L21CentroidSelector(0.3, targets=targets).fit(X, renamed)
    expected = L21CentroidSelector(0.3, targets=targets).fit(X, y)
    assert found.objective_ == pytest.approx(expected.objective_, rel=2e-6)
    assert_same_scores(found.scores_, expected.scores_)


@pytest.mark.parametrize("n_classes", [4, 7])
def test_any_number_of_classes_is_solved(rng, targets, n_classes):
    X, y = draw_samples(rng, 4 * n_classes, 20, list(range(n_classes)))
    selector = L21CentroidSelector(0.2, targets=targets).fit(X, y)
    Z = standardized(X)
    optimum = reference.solve(Z, explicit_targets(Z, y, targets), selector.alpha_, gap=1e-7)
    assert selector.objective_ == pytest.approx(optimum.objective, rel=2e-6)
    assert selector.coef_.shape[0] == n_classes - (targets == "centroids")


def test_single_feature_is_selected(three_classes, targets):
    X, y = three_classes
    selector = L21CentroidSelector(targets=targets).fit(X[:, :1], y)
    assert selector.support_.tolist() == [True]


def test_fit_leaves_parameters_data_and_labels_alone(three_classes, targets, solver):
    X, y = three_classes
    weights = np.linspace(0.0, 1.0, 24)
    before = X.copy(), y.copy(), weights.copy()
    selector = L21CentroidSelector(targets=targets, solver=solver)
    parameters = selector.get_params()
    selector.fit(X, y, sample_weight=weights)
    assert selector.get_params() == parameters
    for now, then in zip((X, y, weights), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_fitting_again_forgets_the_first_data(two_classes, three_classes):
    selector = L21CentroidSelector().fit(*two_classes).fit(*three_classes)
    assert state_of(selector) == state_of(L21CentroidSelector().fit(*three_classes))


# ------------------------------------------------------------------ solver


@pytest.mark.parametrize(
    ("n_samples", "name", "expected"),
    [
        (100, "centroids", "newton"),
        (103, "centroids", "admm"),
        (66, "classes", "newton"),
        (69, "classes", "admm"),
    ],
)
def test_number_of_samples_times_targets_chooses_the_solver(
    rng, monkeypatch, n_samples, name, expected
):
    monkeypatch.setattr(module, "_MOST_UNKNOWNS", 200)
    X, y = draw_samples(rng, n_samples, 3, [0, 1, 2])
    selector = L21CentroidSelector(0.8, targets=name, tol=0.1).fit(X, y)
    assert selector.solver_ == expected


def test_many_samples_of_many_features_are_reweighted(three_classes, monkeypatch):
    monkeypatch.setattr(module, "_MOST_UNKNOWNS", 24)
    monkeypatch.setattr(module, "_MOST_INVERTED", 4)
    assert L21CentroidSelector(0.5).fit(*three_classes).solver_ == "irls"


@pytest.mark.parametrize(("tol", "expected"), [(None, "admm"), (1e-4, "admm"), (9e-5, "newton")])
def test_fine_tolerance_leaves_more_to_the_interior_point_method(
    three_classes, monkeypatch, tol, expected
):
    monkeypatch.setattr(module, "_MOST_UNKNOWNS", 24)
    assert L21CentroidSelector(0.5, tol=tol).fit(*three_classes).solver_ == expected


def test_samples_without_weight_do_not_choose_the_solver(three_classes, monkeypatch):
    X, y = three_classes
    monkeypatch.setattr(module, "_MOST_UNKNOWNS", 24)
    half = np.where(np.arange(24) < 12, 1.0, 0.0)
    assert L21CentroidSelector(0.5).fit(X, y).solver_ == "admm"
    assert L21CentroidSelector(0.5).fit(X, y, sample_weight=half).solver_ == "newton"


def test_given_solver_is_used(three_classes, solver):
    assert L21CentroidSelector(solver=solver).fit(*three_classes).solver_ == solver


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_conjugate_gradients_give_what_reweighting_gives(three_classes, targets, store):
    X, y = three_classes
    cg, irls = (
        L21CentroidSelector(0.3, targets=targets, solver=name, tol=1e-5, max_iter=5000)
        for name in ("cg", "irls")
    )
    cg.fit(store(X), y), irls.fit(X, y)
    assert cg.solver_ == "cg"
    assert cg.objective_ == pytest.approx(irls.objective_, rel=1e-6)
    np.testing.assert_array_equal(cg.scores_ > 0, irls.scores_ > 0)


@pytest.mark.parametrize("other", ["admm", "irls"])
def test_solvers_agree(three_classes, targets, other):
    newton, other = (
        L21CentroidSelector(0.3, targets=targets, solver=name, tol=1e-6, max_iter=5000)
        for name in ("newton", other)
    )
    newton.fit(*three_classes), other.fit(*three_classes)
    assert other.objective_ == pytest.approx(newton.objective_, rel=2e-6)
    assert_same_scores(other.scores_, newton.scores_)


def test_many_classes_and_samples_by_the_hundreds_converge(rng):
    y = np.arange(168) % 14
    X = rng.normal(size=(168, 400))
    X[np.arange(168)[:, None], 20 * y[:, None] + np.arange(20)] += 1.5
    selector = L21CentroidSelector(0.1, tol=1e-4).fit(X, y)
    assert selector.solver_ == "admm"
    assert selector.converged_
    assert selector.dual_gap_ <= 1e-4 * selector.objective_
    assert 0 < np.count_nonzero(selector.support_) < 400


@pytest.mark.parametrize("name", ["newton", "admm"])
def test_features_join_the_working_set_until_none_breaks_its_constraint(rng, monkeypatch, name):
    X, y = draw_samples(rng, 30, 200, [0, 1, 2])
    expected = L21CentroidSelector(0.3, solver=name, tol=1e-4).fit(X, y)
    monkeypatch.setattr(solvers, "_FEATURES_PER_SAMPLE", 1)
    found = L21CentroidSelector(0.3, solver=name, tol=1e-4).fit(X, y)
    assert found.converged_
    assert found.objective_ == pytest.approx(expected.objective_, rel=2e-4)


# ------------------------------------------------------------------ path


def test_path_goes_from_the_largest_penalty_to_a_hundredth(three_classes, targets):
    X, y = three_classes
    found = L21CentroidSelector(targets=targets).path(X, y)
    largest = L21CentroidSelector(targets=targets).fit(X, y).alpha_max_
    assert found.alphas.size == 20
    assert found.alphas[0] == pytest.approx(largest, rel=1e-12)
    assert found.alphas[-1] == pytest.approx(0.01 * largest, rel=1e-12)
    assert (np.diff(found.alphas) < 0).all()


def test_path_begins_without_features_and_ends_with_some(three_classes, targets):
    found = L21CentroidSelector(targets=targets).path(*three_classes)
    assert not found.scores[0].any()
    assert found.scores[-1].any()
    assert found.scores.shape == (20, 15)


@pytest.mark.parametrize("relative", [True, False])
def test_path_equals_single_fits(three_classes, targets, solver, relative):
    selector = L21CentroidSelector(targets=targets, solver=solver, relative=relative)
    tol = module._TOLERANCES[solver]
    alphas = [0.6, 0.3, 0.05]
    found = selector.path(*three_classes, alphas=alphas)
    for i, alpha in enumerate(alphas):
        single = clone(selector).set_params(alpha=alpha).fit(*three_classes)
        assert found.alphas[i] == pytest.approx(single.alpha_, rel=1e-12)
        assert found.objectives[i] == pytest.approx(single.objective_, rel=2 * tol)
        assert found.converged[i] == single.converged_


def test_every_point_of_the_path_is_certified(three_classes, targets):
    found = L21CentroidSelector(targets=targets).path(*three_classes)
    assert found.converged.all()
    assert (found.dual_gaps >= 0).all()
    assert (found.dual_gaps <= 1e-6 * found.objectives).all()
    assert (np.diff(found.objectives) < 0).all()


def test_path_sorts_the_penalties(three_classes):
    selector = L21CentroidSelector(0.3)
    found = selector.path(*three_classes, alphas=[0.1, 0.7, 0.3])
    expected = selector.path(*three_classes, alphas=[0.7, 0.3, 0.1])
    np.testing.assert_array_equal(found.alphas, expected.alphas)
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_path_begins_each_solution_from_the_one_before(three_classes, monkeypatch):
    starts = []

    def solve(*arguments):
        starts.append(arguments[-1])
        return solve_interior(*arguments)

    solve_interior = module.solve_interior
    monkeypatch.setattr(module, "solve_interior", solve)
    found = L21CentroidSelector(solver="newton").path(*three_classes, alphas=[0.5, 0.4, 0.3])
    assert starts[0] is None
    assert [start.objective for start in starts[1:]] == found.objectives[:-1].tolist()


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array])
def test_path_of_sparse_samples_is_that_of_dense_ones(three_classes, store):
    X, y = three_classes
    found = L21CentroidSelector().path(store(X), y)
    expected = L21CentroidSelector().path(X, y)
    np.testing.assert_allclose(found.alphas, expected.alphas, rtol=1e-10)
    np.testing.assert_allclose(found.objectives, expected.objectives, rtol=2e-6)


def test_weights_count_in_the_path(three_classes):
    X, y = three_classes
    weights = np.linspace(0.5, 2.0, 24)
    found = L21CentroidSelector().path(X, y, alphas=[0.3], sample_weight=weights)
    single = L21CentroidSelector(0.3).fit(X, y, sample_weight=weights)
    assert found.objectives[0] == pytest.approx(single.objective_, rel=1e-9)


def test_path_tells_which_penalties_need_more_steps(three_classes):
    found = L21CentroidSelector(max_iter=2).path(*three_classes, alphas=[2.0, 0.1])
    assert found.converged.tolist() == [True, False]
    assert found.n_iter.tolist() == [0, 2]


def test_path_leaves_the_selector_as_it_is(three_classes):
    selector = L21CentroidSelector()
    before = state_of(selector)
    selector.path(*three_classes)
    assert state_of(selector) == before


# ------------------------------------------------------------------ scikit-learn


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_the_features_are_kept(three_classes, frame):
    X, y = three_classes
    names = [f"gene{j}" for j in range(15)]
    selector = L21CentroidSelector(n_features_to_select=3)
    selector.fit(frame(dict(zip(names, X.T, strict=True))), y)
    assert selector.feature_names_in_.tolist() == names
    expected = [names[j] for j in selector.get_support(indices=True)]
    assert selector.get_feature_names_out().tolist() == expected


def test_names_of_an_earlier_frame_are_forgotten(three_classes):
    X, y = three_classes
    named = pd.DataFrame(X, columns=[f"gene{j}" for j in range(15)])
    selector = L21CentroidSelector().fit(named, y).fit(X, y)
    assert not hasattr(selector, "feature_names_in_")


@pytest.mark.parametrize(("name", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_output_may_be_a_frame(three_classes, name, frame):
    X, y = three_classes
    selector = L21CentroidSelector(n_features_to_select=3).set_output(transform=name).fit(X, y)
    found = selector.transform(X)
    assert isinstance(found, frame)
    assert list(found.columns) == selector.get_feature_names_out().tolist()


@pytest.mark.parametrize("name", ["two_classes", "three_classes"])
def test_features_can_be_selected_from_it_as_from_any_model(request, targets, name):
    X, y = request.getfixturevalue(name)
    selector = L21CentroidSelector(0.5, targets=targets)
    model = SelectFromModel(selector, threshold=1e-300, norm_order=2).fit(X, y)
    np.testing.assert_array_equal(model.get_support(), selector.fit(X, y).get_support())
    few = SelectFromModel(selector, threshold=-np.inf, max_features=2, norm_order=2).fit(X, y)
    assert set(few.get_support(indices=True)) == set(selector.feature_ranking_[:2])
    assert few.transform(X).shape == (24, 2)


def test_clone_is_not_fitted_and_fits_the_same(three_classes):
    selector = L21CentroidSelector(0.3, targets="classes", n_features_to_select=3)
    selector.fit(*three_classes)
    copy = clone(selector)
    assert not hasattr(copy, "scores_")
    np.testing.assert_array_equal(copy.fit(*three_classes).scores_, selector.scores_)


def test_pickle_transforms_the_same(three_classes):
    X, y = three_classes
    selector = L21CentroidSelector(n_features_to_select=3).fit(X, y)
    copy = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(copy.transform(X), selector.transform(X))


def test_search_over_penalties_works_in_a_pipeline(three_classes):
    model = make_pipeline(L21CentroidSelector(tol=1e-2), NearestCentroid())
    search = GridSearchCV(model, {"l21centroidselector__alpha": [0.3, 0.7]}, cv=2)
    assert search.fit(*three_classes).best_score_ > 0.5


def test_transform_needs_a_fit(three_classes):
    with pytest.raises(NotFittedError, match="L21CentroidSelector instance is not fitted"):
        L21CentroidSelector().transform(three_classes.X)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("objective_", float),
        ("dual_gap_", float),
        ("alpha_", float),
        ("alpha_max_", float),
        ("converged_", bool),
        ("n_iter_", int),
        ("n_features_to_select_", int),
        ("solver_", str),
    ],
)
@pytest.mark.parametrize("n_samples", [3, 24])
def test_numbers_are_plain_python(three_classes, name, kind, n_samples):
    X, y = three_classes
    selector = L21CentroidSelector().fit(X[:n_samples], y[:n_samples])
    assert type(getattr(selector, name)) is kind


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize("method", ["fit", "path"])
@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"alpha": 0}, ValueError, "alpha=0 must be positive and finite"),
        ({"alpha": -1.0}, ValueError, "alpha=-1.0 must be positive and finite"),
        ({"alpha": np.nan}, ValueError, "alpha=nan must be positive and finite"),
        ({"alpha": np.inf}, ValueError, "alpha=inf must be positive and finite"),
        ({"alpha": "big"}, TypeError, "alpha='big' must be a positive number"),
        ({"alpha": True}, TypeError, "alpha=True must be a positive number"),
        ({"targets": "means"}, ValueError, "targets='means' must be one of 'centroids', 'classes'"),
        ({"targets": None}, ValueError, "targets=None must be one of 'centroids', 'classes'"),
        (
            {"solver": "cd"},
            ValueError,
            "solver='cd' must be one of 'auto', 'newton', 'admm', 'irls'",
        ),
        ({"relative": 1}, TypeError, "relative=1 must be True or False"),
        ({"scale": "no"}, ValueError, "scale='no' must be one of 'std', None"),
        ({"tol": 0.0}, ValueError, "tol=0.0 must be positive and finite"),
        ({"tol": "small"}, TypeError, "tol='small' must be a positive number"),
        ({"max_iter": 0}, ValueError, "max_iter=0 must be at least 1"),
        ({"max_iter": 10.0}, TypeError, "max_iter=10.0 must be an int of at least 1"),
    ],
)
def test_error_names_parameter_value_and_what_is_allowed(
    three_classes, method, parameters, error, message
):
    with pytest.raises(error, match=message):
        getattr(L21CentroidSelector(**parameters), method)(*three_classes)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (0, ValueError, "n_features_to_select=0 must lie between 1 and n_features=15"),
        (16, ValueError, "n_features_to_select=16 must lie between 1 and n_features=15"),
        (1.5, ValueError, "n_features_to_select=1.5 must, as a fraction, lie above 0"),
        ("all", TypeError, "n_features_to_select='all' must be an int, a fraction"),
    ],
)
def test_error_names_the_number_of_features_and_its_bounds(three_classes, value, error, message):
    with pytest.raises(error, match=message):
        L21CentroidSelector(n_features_to_select=value).fit(*three_classes)


@pytest.mark.parametrize(
    ("alphas", "error", "message"),
    [
        (0.5, TypeError, "alphas=0.5 must be an array of positive numbers, or None"),
        ("many", TypeError, "alphas='many' must be an array of positive numbers, or None"),
        ([], ValueError, r"alphas=\[\] must hold at least one number"),
        ([0.5, 0.0], ValueError, "a value of alphas=0.0 must be positive and finite"),
        ([0.5, np.nan], ValueError, "a value of alphas=nan must be positive and finite"),
    ],
)
def test_error_names_the_penalties_of_the_path(three_classes, alphas, error, message):
    with pytest.raises(error, match=message):
        L21CentroidSelector().path(*three_classes, alphas=alphas)


@pytest.mark.parametrize("method", ["fit", "path"])
def test_single_class_is_refused(three_classes, method):
    message = "y holds one class, 'a'; L21CentroidSelector needs samples .* of at least 2 classes"
    with pytest.raises(ValueError, match=message):
        getattr(L21CentroidSelector(), method)(three_classes.X, ["a"] * 24)


@pytest.mark.parametrize("method", ["fit", "path"])
@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_values_that_are_not_finite_are_refused(three_classes, method, value, name):
    X, y = three_classes
    X[3, 4] = value
    with pytest.raises(ValueError, match=f"X contains {name}"):
        getattr(L21CentroidSelector(), method)(X, y)


def test_values_whose_squares_are_too_large_are_refused(three_classes, targets):
    X, y = three_classes
    with pytest.raises(ValueError, match="X holds values whose squares are too large"):
        L21CentroidSelector(targets=targets, scale=None).fit(1e160 * X, y)


def test_labels_that_are_numbers_of_a_regression_are_refused(three_classes, rng):
    with pytest.raises(ValueError, match="Unknown label type"):
        L21CentroidSelector().fit(three_classes.X, rng.normal(size=24))


def test_negative_weight_is_refused(three_classes):
    weights = np.where(np.arange(24) == 5, -1.0, 1.0)
    with pytest.raises(ValueError, match="sample_weight=-1 must not be negative"):
        L21CentroidSelector().fit(*three_classes, sample_weight=weights)


def test_failed_fit_leaves_the_selector_as_it_was(two_classes, three_classes):
    selector = L21CentroidSelector(n_features_to_select=13).fit(*three_classes)
    before = state_of(selector)
    with pytest.raises(ValueError, match="n_features_to_select=13"):
        selector.fit(*two_classes)
    with pytest.raises(ValueError, match="y holds one class"):
        selector.fit(three_classes.X[:, :14], ["a"] * 24)
    assert state_of(selector) == before


@pytest.mark.parametrize("seed", range(3))
def test_interpolated_centroids_need_about_as_many_features_as_samples(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 800)), np.arange(30) % 2
    selector = L21CentroidSelector(0.02).fit(X, y)
    assert selector.converged_
    assert np.count_nonzero(selector.scores_) <= 33


def test_steps_that_are_too_few_still_leave_zeros(rng):
    X, y = draw_samples(rng, 60, 300, [0, 1, 2])
    with pytest.warns(ConvergenceWarning):
        selector = L21CentroidSelector(0.3, solver="irls", max_iter=60).fit(X, y)
    assert 0 < np.count_nonzero(selector.scores_) < 200
