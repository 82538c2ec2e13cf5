"""The margin selector: scores, laws, frames, scikit-learn around it, bad input."""

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline

from centroidal import DisjointCentroidClassifier, MarginSelector
from centroidal.datasets import make_feature_blocks
from tests.reference.margin import margin_scores

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
LAYOUTS = [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.csc_matrix]


@pytest.fixture
def samples(rng):
    """Three classes of different sizes; "b" is elsewhere in feature 1 and steady in feature 3."""
    y = np.repeat(["a", "b", "c"], [20, 15, 10])
    X = rng.normal(size=(45, 6))
    X[y == "b", 1] += 5.0
    X[y == "b", 3] *= 0.1
    return X, y


def as_fractions(X):
    return [[Fraction(float(value)) for value in row] for row in X]


def assert_scores(X, y, expected, **weights):
    found = MarginSelector().fit(X, y, **weights).scores_
    np.testing.assert_allclose(found, np.array(expected, dtype=float), rtol=1e-11, atol=1e-13)


# ------------------------------------------------------------------ scores


def test_scores_are_those_of_the_definition(samples):
    X, y = samples
    assert_scores(X, y, margin_scores(as_fractions(X), y))


def test_scores_of_two_classes_are_those_of_the_definition(samples):
    X, y = samples
    assert_scores(X, y == "b", margin_scores(as_fractions(X), y == "b"))


def test_score_of_a_feature_can_be_computed_by_hand():
    X = [[0.0], [2.0], [4.0], [8.0]]  # means 1 and 6, variances 1 and 4
    # The first class pays 1 at its mean, the second 4 + 25; at the other mean it is 4 and 1 + 25.
    selector = MarginSelector().fit(X, ["a", "a", "b", "b"])
    assert selector.scores_.tolist() == [pytest.approx(1.0 - 1.0 / 29.0, rel=1e-14)]


def test_ranking_is_by_decreasing_score_and_then_by_column(samples):
    X, y = samples
    twice = np.column_stack([X, X])
    selector = MarginSelector(2).fit(twice, y)
    expected = sorted(range(12), key=lambda j: (-selector.scores_[j], j))
    assert selector.feature_ranking_.tolist() == expected
    assert selector.feature_ranking_[:4].tolist() in ([1, 7, 3, 9], [3, 9, 1, 7])
    assert selector.get_support(indices=True).tolist() == sorted(expected[:2])


def test_steady_class_is_found_where_all_means_are_equal(rng):
    y = np.repeat([0, 1], 50)
    X = rng.normal(size=(100, 30))
    X[y == 0, 17] *= 0.2
    X[y == 0] -= X[y == 0].mean(axis=0)
    X[y == 1] -= X[y == 1].mean(axis=0)
    assert MarginSelector(1).fit(X, y).get_support(indices=True).tolist() == [17]
    assert f_classif(X, y)[0].max() < 1e-20


def test_class_that_is_elsewhere_is_found_where_all_variances_are_equal(rng):
    y = np.repeat([0, 1, 2], 30)
    X = np.tile(rng.normal(size=(30, 10)), (3, 1))
    X[y == 2, 4] += 3.0
    selector = MarginSelector(1).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [4]
    np.testing.assert_allclose(np.delete(selector.scores_, 4), 0.0, atol=1e-12)


def test_scores_lie_between_zero_and_one(rng):
    # The class of the least variance pays no more at its mean than the others on average.
    X, y = rng.standard_cauchy(size=(40, 200)), rng.integers(0, 4, 40)
    scores = MarginSelector().fit(X, y).scores_
    assert scores.min() >= 0.0
    assert scores.max() <= 1.0


def test_feature_without_spread_in_a_class_has_score_one(samples):
    X, y = samples
    X[y == "a", 2] = 7.0
    assert MarginSelector().fit(X, y).scores_[2] == 1.0


def test_constant_features_come_last_with_score_zero(samples):
    X, y = samples
    X[:, 0], X[:, 4] = 0.1, 3e8
    selector = MarginSelector().fit(X, y)
    assert selector.scores_[[0, 4]].tolist() == [0.0, 0.0]
    assert selector.feature_ranking_[-2:].tolist() == [0, 4]
    assert selector.get_support(indices=True).tolist() == [1, 2, 3, 5]


def test_one_feature_is_kept_if_all_are_constant():
    selector = MarginSelector().fit(np.ones((4, 3)), [0, 0, 1, 1])
    assert selector.scores_.tolist() == [0.0, 0.0, 0.0]
    assert selector.get_support(indices=True).tolist() == [0]


def test_class_of_one_sample_is_given_the_mean_variance_of_the_others(rng):
    X, y = rng.normal(size=(21, 4)), np.array([0] * 10 + [1] * 10 + [2])
    # Two samples around the single one, so far away that their variance is the mean of the others.
    spread = np.sqrt((X[:10].var(axis=0) + X[10:20].var(axis=0)) / 2.0)
    pair = np.vstack([X[:20], X[20] - spread, X[20] + spread])
    expected = MarginSelector().fit(pair, np.append(y, 2)).scores_
    np.testing.assert_allclose(MarginSelector().fit(X, y).scores_, expected, rtol=1e-12)


# ------------------------------------------------------------------ laws


def test_units_and_levels_of_the_features_do_not_matter(rng, samples):
    X, y = samples
    units, levels = 10.0 ** rng.integers(-6, 7, 6), 100.0 * rng.normal(size=6)
    one = MarginSelector(2).fit(X, y)
    other = MarginSelector(2).fit((X + levels) * units * [1, -1, 1, -1, 1, -1], y)
    np.testing.assert_allclose(other.scores_, one.scores_, rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(other.feature_ranking_, one.feature_ranking_)


def test_order_of_the_samples_and_names_of_the_classes_do_not_matter(rng, samples):
    X, y = samples
    order = rng.permutation(45)
    names = np.array([{"a": 7, "b": -1, "c": 3}[label] for label in y])
    expected = MarginSelector().fit(X, y).scores_
    np.testing.assert_allclose(
        MarginSelector().fit(X[order], names[order]).scores_, expected, rtol=1e-12
    )


def test_score_of_a_feature_does_not_depend_on_the_others(samples):
    X, y = samples
    expected = MarginSelector().fit(X, y).scores_
    np.testing.assert_array_equal(MarginSelector().fit(X[:, 2:5], y).scores_, expected[2:5])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sparse_samples_have_the_scores_of_dense_ones(samples, layout):
    X, y = samples[0] * (np.abs(samples[0]) > 0.7), samples[1]
    dense, of_sparse = MarginSelector(2).fit(X, y), MarginSelector(2).fit(layout(X), y)
    np.testing.assert_allclose(of_sparse.scores_, dense.scores_, rtol=1e-11, atol=1e-13)
    selected = of_sparse.transform(layout(X))
    assert sparse.issparse(selected)
    np.testing.assert_array_equal(selected.toarray(), dense.transform(X))


def test_sparse_samples_are_never_made_dense():
    X = sparse.csr_array(([1.0, 2.0, 3.0, 4.0], ([0, 1, 2, 3], [5, 5, 5, 5])), shape=(10**6, 10**5))
    y = np.arange(10**6) % 2
    assert MarginSelector(1).fit(X, y).get_support(indices=True).tolist() == [5]  # not 800 GB


def test_integer_weights_are_numbers_of_copies(rng, samples):
    X, y = samples
    times = rng.integers(0, 4, 45)
    assert_scores(X, y, margin_scores(as_fractions(X), y, times.tolist()), sample_weight=times)
    weighted = MarginSelector(2).fit(X, y, sample_weight=times)
    copied = MarginSelector(2).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.scores_, copied.scores_, rtol=1e-11)
    np.testing.assert_array_equal(weighted.feature_ranking_, copied.feature_ranking_)


def test_unit_of_the_weights_does_not_matter(rng, samples):
    X, y = samples
    weights = rng.uniform(0.1, 2.0, 45)
    one = MarginSelector().fit(X, y, sample_weight=weights).scores_
    other = MarginSelector().fit(X, y, sample_weight=1e-3 * weights).scores_
    np.testing.assert_allclose(other, one, rtol=1e-11)


@pytest.mark.parametrize("n_jobs", [2, -1])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_number_of_threads_does_not_matter_to_the_bit(rng, n_jobs, layout):
    X, y = layout(rng.poisson(1.0, size=(3000, 50)).astype(float)), rng.integers(0, 3, 3000)
    expected = MarginSelector().fit(X, y).scores_
    np.testing.assert_array_equal(MarginSelector(n_jobs=n_jobs).fit(X, y).scores_, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_other_types_of_numbers_are_read_as_they_are(rng, dtype):
    X, y = rng.integers(-50, 50, size=(30, 5)), np.arange(30) % 3
    expected = MarginSelector().fit(X.astype(float), y).scores_
    found = MarginSelector().fit(X.astype(dtype), y).scores_
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_features_are_those_of_disjoint_centroids():
    made = make_feature_blocks(200, 3, n_classes=3, n_noise=4, random_state=0)
    X = np.column_stack([made.data, np.full(200, 2.0)])  # the last feature speaks for no class
    selector = MarginSelector().fit(X, made.target)
    centroids = DisjointCentroidClassifier("margin", baseline_weight=1.0).fit(X, made.target)
    np.testing.assert_array_equal(selector.support_, centroids.support_)
    assert not selector.support_[-1]


def test_features_are_those_of_disjoint_centroids_but_for_what_an_empty_class_is_given():
    # Only feature 0 speaks for a class, so the other class must be given a constant feature.
    X = np.array([[0.0, 1.0, 1.0], [0.1, 1.0, 1.0], [-5.0, 1.0, 1.0], [5.0, 1.0, 1.0]])
    y = ["steady", "steady", "spread", "spread"]
    selector = MarginSelector().fit(X, y)
    centroids = DisjointCentroidClassifier("margin", baseline_weight=1.0).fit(X, y)
    assert selector.support_.tolist() == [True, False, False]
    assert selector.support_[centroids.groups_[1]].all()  # "steady" has its own
    assert not selector.support_[centroids.groups_[0]].any()
    assert centroids.support_.sum() == 2


# ------------------------------------------------------------------ a selector


@pytest.mark.parametrize(
    ("value", "expected"), [(None, 5), (1, 1), (6, 6), (0.5, 3), (0.01, 1), (1.0, 6)]
)
def test_number_of_features_may_be_none_an_int_or_a_fraction(samples, value, expected):
    X, y = samples
    X[:, 0] = 1.0
    selector = MarginSelector(value).fit(X, y)
    assert selector.n_features_to_select_ == selector.support_.sum() == expected
    assert set(selector.get_support(indices=True)) == set(selector.feature_ranking_[:expected])


def test_attributes_are_those_that_are_documented(samples):
    selector = MarginSelector(2).fit(*samples)
    assert selector.classes_.tolist() == ["a", "b", "c"]
    assert selector.n_features_in_ == 6
    assert not hasattr(selector, "feature_names_in_")


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_names_of_the_features_are_kept(samples, frame):
    X, y = samples
    names = [f"gene {j}" for j in range(6)]
    selector = MarginSelector(2).fit(frame(dict(zip(names, X.T, strict=True))), y)
    assert selector.feature_names_in_.tolist() == names
    assert selector.get_feature_names_out().tolist() == ["gene 1", "gene 3"]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_output_may_be_a_frame(samples, kind):
    X, y = samples
    selected = MarginSelector(2).set_output(transform=kind).fit_transform(X, y)
    assert isinstance(selected, FRAMES[kind])
    np.testing.assert_array_equal(selected.to_numpy(), X[:, [1, 3]])


def test_selector_works_in_a_pipeline_and_a_grid(samples):
    X, y = samples
    steps = make_pipeline(MarginSelector(), LogisticRegression())
    sizes = {"marginselector__n_features_to_select": [1, 2]}
    found = GridSearchCV(steps, sizes, cv=StratifiedKFold(3)).fit(X, y == "b")
    assert found.best_score_ > 0.9
    assert found.best_estimator_[0].support_.sum() == found.best_params_.popitem()[1]


def test_clones_and_pickles_select_the_same(samples):
    selector = MarginSelector(3, n_jobs=2).fit(*samples)
    again = clone(selector).fit(*samples)
    loaded = pickle.loads(pickle.dumps(selector))
    for other in (again, loaded):
        np.testing.assert_array_equal(other.scores_, selector.scores_)
        np.testing.assert_array_equal(other.transform(samples[0]), selector.transform(samples[0]))


def test_fit_leaves_data_and_parameters_alone(samples):
    X, y = samples
    before, labels = X.copy(), y.copy()
    selector = MarginSelector(0.5)
    parameters = selector.get_params()
    selector.fit(X, y, sample_weight=np.ones(45))
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(y, labels)
    assert selector.get_params() == parameters


def test_failed_fit_leaves_the_fitted_selector_alone(samples):
    X, y = samples
    selector = MarginSelector(5).fit(X, y)
    before = vars(selector).copy()
    with pytest.raises(ValueError, match="n_features_to_select=5 must lie between 1 and"):
        selector.fit(X[:, :3], y)
    assert vars(selector) == before


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "n_features_to_select=0 must lie between 1 and n_features=6"),
        (7, "n_features_to_select=7 must lie between 1 and n_features=6"),
        (1.5, "n_features_to_select=1.5 must, as a fraction, lie above 0 and at most at 1.0"),
    ],
)
def test_error_names_the_parameter_and_what_is_allowed(samples, value, message):
    with pytest.raises(ValueError, match=message):
        MarginSelector(value).fit(*samples)


@pytest.mark.parametrize("value", ["all", True, [1]], ids=str)
def test_error_names_the_parameter_and_its_type(samples, value):
    with pytest.raises(TypeError, match="n_features_to_select=.* must be an int, a fraction"):
        MarginSelector(value).fit(*samples)


def test_zero_jobs_are_refused(samples):
    with pytest.raises(ValueError, match="n_jobs=0 must be"):
        MarginSelector(n_jobs=0).fit(*samples)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_values_that_are_not_finite_are_refused(samples, value, layout):
    X, y = samples
    X[3, 2] = value
    with pytest.raises(ValueError, match="Input X contains"):
        MarginSelector().fit(layout(X), y)


def test_squares_that_are_too_large_are_refused(samples):
    X, y = samples
    X[0, 0] = 1e200
    with pytest.raises(ValueError, match="too large for float64; rescale it"):
        MarginSelector().fit(X, y)


def test_one_class_is_refused(samples):
    with pytest.raises(ValueError, match="y holds one class, 'a'; MarginSelector needs"):
        MarginSelector().fit(samples[0], ["a"] * 45)


def test_negative_weight_is_refused(samples):
    with pytest.raises(ValueError, match="sample_weight=-1 must not be negative"):
        MarginSelector().fit(*samples, sample_weight=np.linspace(-1.0, 1.0, 45))


def test_selector_must_be_fitted_first(samples):
    with pytest.raises(NotFittedError):
        MarginSelector().transform(samples[0])
