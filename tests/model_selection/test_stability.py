"""Stability selection: against slow twins, its laws, its bound, any input, and bad input."""

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    SelectorMixin,
    VarianceThreshold,
    f_classif,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC

from centroidal import (
    DisjointCentroidClassifier,
    L21CentroidSelector,
    ReliefFSelector,
    SparseCenterClassifier,
    SparseCenterClassifierCV,
    StabilitySelector,
)
from centroidal.datasets import make_expression, make_word_counts
from centroidal.model_selection import SelectionStability, selection_curve, selection_stability
from tests.reference.stability import (
    halves,
    index_of_probabilities,
    index_of_sets,
    interval_of_index,
    kuncheva,
)
from tests.test_progress import Counter

QUICK = {"n_resamples": 10, "random_state": 0}


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, data.target


@pytest.fixture(scope="module")
def words():
    data = make_word_counts(90, 40, n_informative=8, random_state=0)
    return data.data, data.target


def draw_sets(rng, n_sets=12, n_features=9):
    """Selections of different sizes in which the first features are likely."""
    likely = np.linspace(0.9, 0.1, n_features)
    return rng.random((n_sets, n_features)) < likely


def as_sets(supports):
    return [set(np.flatnonzero(row).tolist()) for row in supports]


class Fixed(SelectorMixin, BaseEstimator):
    """Selects the same columns whatever it is fitted on."""

    def __init__(self, columns=()):
        self.columns = columns

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self):
        return np.isin(np.arange(self.n_features_in_), self.columns)


class Spy(SelectKBest):
    """Notes what it is fitted on."""

    seen = None

    def fit(self, X, y, sample_weight=None):
        self.seen.append((X, y, sample_weight))
        return super().fit(X, y)


@pytest.fixture
def spy():
    Spy.seen = []
    return Spy(k=3)


class Drawn(SelectorMixin, BaseEstimator):
    """Selects features at random."""

    def __init__(self, k=3, random_state=None):
        self.k = k
        self.random_state = random_state

    def fit(self, X, y):
        rng = sklearn.utils.check_random_state(self.random_state)
        self.mask = np.isin(np.arange(X.shape[1]), rng.permutation(X.shape[1])[: self.k])
        return self

    def _get_support_mask(self):
        return self.mask


class FailsLater(SelectKBest):
    """Fails if the first sample is missing."""

    def fit(self, X, y):
        if X[0, 0] != 0.0:
            raise RuntimeError("the first sample is missing")
        return super().fit(X, y)


# ------------------------------------------------------------------ exactness


def test_frequencies_are_those_of_fits_to_halves_by_hand(genes):
    X, y = genes
    model = StabilitySelector(SelectKBest(k=4), n_resamples=8, random_state=3).fit(X, y)
    masks = [
        SelectKBest(k=4).fit(X[rows], y[rows]).get_support()
        for rows in halves(y, seed=3, n_pairs=4)
    ]
    np.testing.assert_array_equal(model.supports_.toarray(), masks)
    np.testing.assert_array_equal(model.selection_frequencies_, np.mean(masks, axis=0))
    np.testing.assert_array_equal(model.support_, np.mean(masks, axis=0) >= 0.6)
    assert model.mean_selected_ == 4.0
    assert model.n_features_to_select_ == model.support_.sum()
    expected = index_of_sets(as_sets(masks), X.shape[1])
    np.testing.assert_allclose(model.stability_, expected, rtol=1e-12)


def test_index_and_interval_are_those_of_the_definition(rng):
    supports = draw_sets(rng)
    sets = as_sets(supports)
    found = selection_stability(supports)
    np.testing.assert_allclose(found.index, index_of_sets(sets, 9), rtol=1e-12)
    np.testing.assert_allclose(found.interval, interval_of_index(sets, 9), rtol=1e-12)
    wider = selection_stability(supports, confidence=0.99).interval
    np.testing.assert_allclose(wider, interval_of_index(sets, 9, 0.99), rtol=1e-12)


def test_index_is_that_of_kuncheva_if_all_sizes_are_equal(rng):
    sets = [set(rng.permutation(12)[:4].tolist()) for _ in range(7)]
    supports = [[j in each for j in range(12)] for each in sets]
    np.testing.assert_allclose(selection_stability(supports).index, kuncheva(sets, 12), rtol=1e-12)


def test_index_by_hand():
    # Columns have variances 0, 1/2, 1/2, 0; half of the features selected at random have 1/4.
    assert selection_stability([[1, 1, 0, 0], [1, 0, 1, 0]]).index == 0.0
    # Variances 0, 1/3, 1/3, 0.
    index = selection_stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]).index
    assert index == pytest.approx(1.0 - (2.0 / 3.0 / 4.0) / 0.25)


# ------------------------------------------------------------------ laws of the index


def test_index_of_equal_selections_is_one():
    found = selection_stability(np.tile([True, False, True, False], (5, 1)))
    assert found == SelectionStability(1.0, (1.0, 1.0))


def test_index_of_disjoint_selections_is_the_lowest():
    assert selection_stability(np.eye(5)).index == pytest.approx(-1.0 / 4.0)


def test_index_of_random_selections_is_near_zero(rng):
    supports = [np.isin(np.arange(200), rng.permutation(200)[:20]) for _ in range(100)]
    index, (low, high) = selection_stability(supports)
    assert abs(index) < 0.01
    assert low < 0.0 < high


@pytest.mark.parametrize("value", [False, True])
def test_index_is_not_defined_if_nothing_or_everything_is_selected(value):
    found = selection_stability(np.full((4, 3), value))
    assert np.isnan([found.index, *found.interval]).all()


def test_index_does_not_depend_on_the_order_of_rows_and_columns(rng):
    supports = draw_sets(rng)
    mixed = supports[rng.permutation(12)][:, rng.permutation(9)]
    np.testing.assert_allclose(
        selection_stability(mixed).interval, selection_stability(supports).interval, rtol=1e-12
    )


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_index_of_sparse_selections_is_the_same(rng, kind):
    supports = draw_sets(rng)
    assert selection_stability(kind(supports)) == selection_stability(supports)


def test_interval_is_cut_at_one():
    supports = np.tile([1, 1, 0, 0, 0, 0], (40, 1))
    supports[0] = [1, 1, 1, 0, 0, 0]
    assert selection_stability(supports).interval[1] == 1.0


@pytest.mark.parametrize("varying", [False, True], ids=["independent", "varying sizes"])
def test_interval_holds_the_true_index_as_often_as_it_says(rng, varying):
    likely = np.repeat([0.95, 0.6, 0.3, 0.05], [5, 5, 10, 30])
    # With varying sizes a selection is bold or shy as a whole.
    moods = [likely**0.5, likely**2] if varying else [likely, likely]
    truth = index_of_probabilities(np.mean(moods, axis=0))
    n_within = 0
    for _ in range(400):
        rows = np.array(moods)[rng.integers(0, 2, 100)]
        low, high = selection_stability(rng.random(rows.shape) < rows).interval
        n_within += low <= truth <= high
    assert 0.90 < n_within / 400 < 0.985


@pytest.mark.parametrize(
    ("supports", "message"),
    [
        ([[1, 0]], "at least 2 selections"),
        ([1, 0], "at least 2 selections"),
        (np.empty((3, 0)), "at least 2 selections"),
        ([["a", "b"], ["a", "c"]], "must be a table"),
        ([[1, 2], [0, 1]], "nothing but true and false"),
        ([[1, np.nan], [0, 1]], "nothing but true and false"),
    ],
)
def test_bad_selections_are_refused(supports, message):
    with pytest.raises(ValueError, match=message):
        selection_stability(supports)


def test_bad_confidence_is_refused():
    with pytest.raises(ValueError, match="confidence=95 must lie between 0 and 1"):
        selection_stability(np.eye(3), confidence=95)


# ------------------------------------------------------------------ laws of the selector


@pytest.mark.parametrize("pairs", [True, False])
def test_frequencies_are_multiples_of_one_by_the_number_of_resamples(genes, pairs):
    model = StabilitySelector(
        SelectKBest(k=4), n_resamples=14, complementary_pairs=pairs, random_state=1
    ).fit(*genes)
    times = model.selection_frequencies_ * 14
    np.testing.assert_allclose(times, np.round(times), atol=1e-12)
    assert model.selection_frequencies_.sum() == pytest.approx(4.0)


def test_permuted_features_are_selected_as_often(genes, rng):
    X, y = genes
    order = rng.permutation(X.shape[1])
    model = StabilitySelector(SparseCenterClassifier(4), **QUICK)
    plain, mixed = clone(model).fit(X, y), clone(model).fit(X[:, order], y)
    np.testing.assert_array_equal(mixed.selection_frequencies_, plain.selection_frequencies_[order])
    np.testing.assert_array_equal(mixed.support_, plain.support_[order])
    assert mixed.stability_ == pytest.approx(plain.stability_)


def test_same_seed_is_the_same_run_and_another_one_is_not(genes):
    runs = [
        StabilitySelector(SelectKBest(k=4), n_resamples=10, random_state=seed).fit(*genes)
        for seed in (5, 5, 6)
    ]
    first, again, other = (run.supports_.toarray() for run in runs)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_source_of_randomness_goes_on(genes):
    model = StabilitySelector(
        SelectKBest(k=4), n_resamples=10, random_state=np.random.RandomState(0)
    )
    first, second = (model.fit(*genes).supports_.toarray() for _ in range(2))
    assert (first != second).any()


def test_selector_without_a_seed_is_given_one(genes):
    model = StabilitySelector(Drawn(), **QUICK)
    first, again = (clone(model).fit(*genes).supports_.toarray() for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert len({tuple(row) for row in first}) > 5
    assert model.estimator.random_state is None


def test_parts_of_a_selector_are_given_seeds(genes):
    model = StabilitySelector(make_pipeline(StandardScaler(), Drawn()), **QUICK)
    first, again = (clone(model).fit(*genes).supports_.toarray() for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_seed_of_a_selector_is_left_as_it_is(genes):
    model = StabilitySelector(Drawn(random_state=0), **QUICK).fit(*genes)
    assert model.stability_ == 1.0


def test_jobs_do_not_change_a_bit(genes):
    model = StabilitySelector(RandomForestClassifier(3), n_resamples=6, random_state=0)
    one, several = (clone(model).set_params(n_jobs=n).fit(*genes) for n in (None, 2))
    np.testing.assert_array_equal(one.supports_.toarray(), several.supports_.toarray())
    np.testing.assert_array_equal(one.feature_ranking_, several.feature_ranking_)


def test_threads_do_not_change_a_bit(genes):
    model = StabilitySelector(L21CentroidSelector(4), n_resamples=6, random_state=0)
    one = clone(model).fit(*genes)
    with joblib.parallel_config("threading", n_jobs=2):
        several = clone(model).fit(*genes)
    np.testing.assert_array_equal(one.feature_ranking_, several.feature_ranking_)


def test_steps_are_reported_one_a_resample(genes):
    pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")
    counter = Counter()
    watched = StabilitySelector(SelectKBest(k=4), **QUICK).set_callbacks(counter).fit(*genes)
    assert counter.begun == ["fit"] + ["resample"] * 10
    assert counter.ended == ["resample"] * 10 + ["fit"]
    alone = StabilitySelector(SelectKBest(k=4), **QUICK).fit(*genes)
    np.testing.assert_array_equal(watched.feature_ranking_, alone.feature_ranking_)


# ------------------------------------------------------------------ resamples


def test_pairs_have_no_sample_in_common_and_each_class_in_proportion(spy):
    X = np.arange(42.0)[:, None] + np.zeros(4)
    X[:, 1] = -X[:, 0]
    y = np.repeat(["a", "b", "c"], [21, 14, 7])
    StabilitySelector(spy, **QUICK).fit(X, y)
    assert len(Spy.seen) == 10
    for (one, y_one, _), (other, y_other, _) in zip(Spy.seen[::2], Spy.seen[1::2], strict=True):
        assert not set(one[:, 0]) & set(other[:, 0])
        assert (np.diff(one[:, 0]) > 0).all()
        for labels in (y_one, y_other):
            assert np.unique(labels, return_counts=True)[1].tolist() == [10, 7, 3]


@pytest.mark.parametrize(("fraction", "sizes"), [(0.8, [16, 8]), (0.29, [5, 2]), (0.01, [1, 1])])
def test_fraction_of_each_class_is_rounded_down_but_not_to_none(spy, fraction, sizes):
    X, y = np.random.default_rng(0).normal(size=(30, 4)), np.repeat([0, 1], [20, 10])
    StabilitySelector(
        spy.set_params(score_func=lambda X, y: X.sum(axis=0)),
        sample_fraction=fraction,
        n_resamples=3,
        complementary_pairs=False,
        random_state=0,
    ).fit(X, y)
    assert {tuple(np.bincount(labels)) for _, labels, _ in Spy.seen} == {tuple(sizes)}


def test_fraction_is_not_lost_to_rounding(spy):
    X, y = np.random.default_rng(0).normal(size=(200, 4)), np.repeat([0, 1], 100)
    StabilitySelector(spy, sample_fraction=0.29, n_resamples=2, random_state=0).fit(X, y)
    assert [len(labels) for _, labels, _ in Spy.seen] == [58, 58]  # 0.29 * 100 is 28.999...


def test_class_of_one_sample_is_in_every_resample(spy):
    X, y = np.random.default_rng(0).normal(size=(9, 4)), np.array([0] * 4 + [1] * 4 + [2])
    StabilitySelector(spy, **QUICK).fit(X, y)
    assert {tuple(np.bincount(labels)) for _, labels, _ in Spy.seen} == {(2, 2, 1)}


def test_weights_go_with_their_samples(spy):
    X, y = np.random.default_rng(0).normal(size=(40, 4)), np.repeat([0, 1], 20)
    weights = X[:, 0] ** 2
    StabilitySelector(spy, **QUICK).fit(X, y, sample_weight=weights)
    for part, _, part_weights in Spy.seen:
        np.testing.assert_array_equal(part_weights, part[:, 0] ** 2)


def test_samples_of_weight_zero_take_no_part(genes):
    X, y = genes
    weights = np.where(np.arange(y.size) % 3, 1.0, 0.0)
    model = StabilitySelector(SparseCenterClassifier(4), **QUICK)
    weighted = clone(model).fit(X, y, sample_weight=weights)
    removed = clone(model).fit(X[weights > 0], y[weights > 0])
    np.testing.assert_array_equal(weighted.supports_.toarray(), removed.supports_.toarray())


# ------------------------------------------------------------------ which features are kept


def test_frequency_at_the_threshold_is_enough():
    y = np.repeat([0, 1], 10)
    model = StabilitySelector(Fixed(columns=(1,)), threshold=1.0, **QUICK)
    assert model.fit(np.ones((20, 3)), y).get_support(indices=True).tolist() == [1]


@pytest.mark.parametrize("n_features_to_select", [7, 7 / 30])
def test_most_frequent_features_are_kept_if_their_number_is_given(genes, n_features_to_select):
    model = StabilitySelector(
        SelectKBest(k=4), n_features_to_select=n_features_to_select, threshold=None, **QUICK
    ).fit(*genes)
    assert model.n_features_to_select_ == model.support_.sum() == 7
    kept, dropped = (
        model.selection_frequencies_[mask] for mask in (model.support_, ~model.support_)
    )
    assert kept.min() >= dropped.max()
    assert np.isnan(model.expected_false_selections_)


def test_given_number_comes_before_the_threshold(genes):
    model = StabilitySelector(SelectKBest(k=4), n_features_to_select=9, **QUICK).fit(*genes)
    assert model.n_features_to_select_ == 9


def test_equally_frequent_features_follow_the_mean_rank_and_then_the_column():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 5))
    X[:, 3] += 20.0 * y
    X[:, 1] += 10.0 * y
    ranked = StabilitySelector(SelectKBest(k=2), **QUICK).fit(X, y)
    assert ranked.selection_frequencies_.tolist() == [0, 1, 0, 1, 0]
    assert ranked.feature_ranking_[:2].tolist() == [3, 1]
    unranked = StabilitySelector(Fixed(columns=(1, 3)), **QUICK).fit(X, y)
    assert unranked.feature_ranking_.tolist() == [1, 3, 0, 2, 4]


def test_no_feature_may_reach_the_threshold(genes):
    model = StabilitySelector(Drawn(1), threshold=1.0, **QUICK).fit(*genes)
    assert model.n_features_to_select_ == 0
    with pytest.warns(UserWarning, match="No features were selected"):
        assert model.transform(genes[0]).shape == (60, 0)


@pytest.mark.parametrize("columns", [(), (0, 1, 2)])
def test_index_is_nan_if_nothing_or_everything_is_selected(columns):
    y = np.repeat([0, 1], 10)
    model = StabilitySelector(Fixed(columns=columns), **QUICK).fit(np.ones((20, 3)), y)
    assert np.isnan([model.stability_, *model.stability_interval_]).all()
    assert model.mean_selected_ == len(columns)


# ------------------------------------------------------------------ the bound


@pytest.mark.parametrize("pairs", [True, False])
def test_bound_is_that_of_the_theorems(genes, pairs):
    model = StabilitySelector(
        SelectKBest(k=4), threshold=0.75, complementary_pairs=pairs, **QUICK
    ).fit(*genes)
    assert model.expected_false_selections_ == pytest.approx(4**2 / (0.5 * 30))


@pytest.mark.parametrize(
    "parameters",
    [{"threshold": 0.5}, {"sample_fraction": 0.6, "complementary_pairs": False}],
    ids=["threshold", "fraction"],
)
def test_there_is_no_bound_where_the_theorems_do_not_hold(genes, parameters):
    model = StabilitySelector(SelectKBest(k=4), **QUICK | parameters).fit(*genes)
    assert np.isnan(model.expected_false_selections_)


@pytest.mark.parametrize("pairs", [True, False])
def test_noise_is_selected_no_more_often_than_the_bound_says(rng, pairs):
    model = StabilitySelector(
        SelectKBest(k=6), n_resamples=16, complementary_pairs=pairs, random_state=0
    )
    y = np.repeat([0, 1], 15)
    false = [model.fit(rng.normal(size=(30, 40)), y).n_features_to_select_ for _ in range(30)]
    bound = model.expected_false_selections_
    assert bound == pytest.approx(36 / (0.2 * 40))
    assert 0.0 < np.mean(false) <= bound


def test_signal_is_kept_and_noise_is_not(genes):
    X, y = genes
    noisy = np.hstack([X, np.random.default_rng(0).normal(size=(60, 100))])
    model = StabilitySelector(SelectKBest(k=5), threshold=0.9, **QUICK).fit(noisy, y)
    assert 1 <= model.n_features_to_select_ <= 5
    assert model.support_[30:].sum() <= model.expected_false_selections_
    assert model.stability_ > 0.5


# ------------------------------------------------------------------ what can select


@pytest.mark.parametrize(
    "estimator",
    [
        SparseCenterClassifier(3),
        SparseCenterClassifierCV(),
        DisjointCentroidClassifier("margin"),
        L21CentroidSelector(0.5),
        ReliefFSelector(3),
        RFE(LinearSVC(random_state=0, tol=0.1), n_features_to_select=3, step=0.5),
        SelectFromModel(RandomForestClassifier(5)),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_anything_with_get_support_can_select(genes, estimator):
    X, y = genes
    model = StabilitySelector(estimator, n_resamples=4, random_state=0).fit(X, y)
    assert model.selection_frequencies_.shape == (30,)
    assert 0 < model.mean_selected_ <= 30


def test_coefficients_that_are_not_zero_select(genes):
    X, y = genes
    lasso = LinearSVC(C=0.1, penalty="l1", dual=False, random_state=0)
    X = StandardScaler().fit_transform(X)
    model = StabilitySelector(lasso, n_resamples=4, random_state=3).fit(X, y)
    masks = [
        (clone(lasso).fit(X[rows], y[rows]).coef_ != 0).any(axis=0) for rows in halves(y, 3, 2)
    ]
    np.testing.assert_array_equal(model.supports_.toarray(), masks)
    assert 0 < model.mean_selected_ < 30


def test_importances_that_are_not_zero_select(genes):
    X, y = genes
    forest = RandomForestClassifier(2, max_depth=1, random_state=0)
    model = StabilitySelector(forest, n_resamples=4, random_state=3).fit(X, y)
    masks = [
        clone(forest).fit(X[rows], y[rows]).feature_importances_ > 0 for rows in halves(y, 3, 2)
    ]
    np.testing.assert_array_equal(model.supports_.toarray(), masks)


def test_last_step_of_a_pipeline_selects(genes):
    X, y = genes
    pipeline = make_pipeline(StandardScaler(), "passthrough", SelectKBest(k=4))
    found = StabilitySelector(pipeline, **QUICK).fit(X, y)
    expected = StabilitySelector(SelectKBest(k=4), **QUICK).fit(X, y)
    np.testing.assert_array_equal(found.supports_.toarray(), expected.supports_.toarray())


def test_steps_that_select_are_followed_to_the_columns(genes):
    X, y = genes
    X = np.hstack([np.zeros((60, 3)), X])
    pipeline = make_pipeline(VarianceThreshold(), make_pipeline(StandardScaler(), SelectKBest(k=4)))
    found = StabilitySelector(pipeline, **QUICK).fit(X, y)
    expected = StabilitySelector(SelectKBest(k=4), **QUICK).fit(X[:, 3:], y)
    np.testing.assert_array_equal(found.supports_.toarray()[:, 3:], expected.supports_.toarray())
    assert found.selection_frequencies_[:3].tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_array_equal(found.feature_ranking_[:30], expected.feature_ranking_ + 3)


def test_best_estimator_of_a_search_selects(genes):
    search = GridSearchCV(SelectKBest(), {"k": [4]}, scoring=lambda *_: 0.0, cv=2)
    found = StabilitySelector(search, n_resamples=4, random_state=0).fit(*genes)
    expected = StabilitySelector(SelectKBest(k=4), n_resamples=4, random_state=0).fit(*genes)
    np.testing.assert_array_equal(found.supports_.toarray(), expected.supports_.toarray())


def test_ranking_can_be_scored_like_that_of_any_selector(genes):
    model = StabilitySelector(SelectKBest(k=4), n_resamples=4, random_state=0)
    curve = selection_curve(model, *genes, n_features_grid=[2, 4], cv=2, n_random=0)
    assert curve.rankings.shape == (2, 30)


# ------------------------------------------------------------------ any input


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_data_frames_keep_the_names_of_features(genes, frame):
    X, y = genes
    table = frame({f"g{j}": X[:, j] for j in range(30)})
    model = StabilitySelector(SelectKBest(f_classif, k=4), **QUICK).fit(table, y)
    plain = StabilitySelector(SelectKBest(f_classif, k=4), **QUICK).fit(X, y)
    np.testing.assert_array_equal(model.support_, plain.support_)
    names = [f"g{j}" for j in plain.get_support(indices=True)]
    assert model.get_feature_names_out().tolist() == names


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
def test_sparse_samples_select_the_same(words, kind):
    X, y = words
    X = X.multiply(np.linspace(1.0, 2.0, 40))  # counts have ties
    model = StabilitySelector(SparseCenterClassifier(5), **QUICK)
    found, expected = clone(model).fit(kind(X), y), clone(model).fit(X.toarray(), y)
    np.testing.assert_array_equal(found.supports_.toarray(), expected.supports_.toarray())
    assert sparse.issparse(found.transform(kind(X)))


def test_labels_may_be_of_any_type(genes):
    X, y = genes
    codes = np.unique(y, return_inverse=True)[1]
    for labels in (codes, codes.astype(str), codes.astype(float), codes.astype(str).astype(object)):
        model = StabilitySelector(SelectKBest(k=4), **QUICK).fit(X, labels)
        expected = StabilitySelector(SelectKBest(k=4), **QUICK).fit(X, y)
        np.testing.assert_array_equal(model.support_, expected.support_)


def test_missing_values_are_left_to_the_estimator(genes):
    X, y = genes
    X = X.copy()
    X[::7, 2] = np.nan
    assert StabilitySelector(ReliefFSelector(4), **QUICK).fit(X, y).mean_selected_ == 4.0
    with pytest.raises(ValueError, match="NaN"):
        StabilitySelector(SelectKBest(k=4), **QUICK).fit(X, y)


def test_weights_can_be_routed_through_a_pipeline(genes, spy):
    X, y = genes
    with sklearn.config_context(enable_metadata_routing=True):
        model = StabilitySelector(spy, **QUICK).set_fit_request(sample_weight=True)
        make_pipeline(MinMaxScaler(), model).fit(X, y, sample_weight=np.full(60, 2.0))
    assert all((weights == 2.0).all() for _, _, weights in Spy.seen)


def test_second_fit_forgets_the_first_one(genes):
    X, y = genes
    model = StabilitySelector(SelectKBest(k=3), **QUICK)
    model.fit(pd.DataFrame(X, columns=[f"g{j}" for j in range(30)]), y).fit(X[:, :10], y)
    assert model.support_.size == model.n_features_in_ == 10
    assert not hasattr(model, "feature_names_in_")


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_error_of_the_estimator_says_in_which_resample(n_jobs):
    X, y = np.arange(40.0)[:, None] + np.zeros(3), np.repeat([0, 1], 20)
    model = StabilitySelector(FailsLater(k=1), **QUICK, n_jobs=n_jobs)
    with pytest.raises(RuntimeError, match="the first sample is missing") as caught:
        model.fit(X, y)
    (note,) = caught.value.__notes__
    lacking = [i + 1 for i, rows in enumerate(halves(y, 0, 5)) if 0 not in rows]
    assert note in [
        f"StabilitySelector: this happened in resample {number} of 10, of 20 samples."
        for number in (lacking if n_jobs else lacking[:1])
    ]
    assert not hasattr(model, "support_")


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_resamples": 0}, ValueError, "n_resamples=0 must be at least 1"),
        ({"n_resamples": 2.5}, TypeError, "n_resamples=2.5 must be an int"),
        ({"n_resamples": 7}, ValueError, "n_resamples=7 must be even with complementary_pairs"),
        (
            {"n_resamples": 1, "complementary_pairs": False},
            ValueError,
            "n_resamples=1 must be at least 2",
        ),
        ({"sample_fraction": 1.0}, ValueError, "sample_fraction=1.0 must lie between 0 and 1"),
        ({"sample_fraction": 0.7}, ValueError, "sample_fraction=0.7 must be at most 0.5 with"),
        ({"sample_fraction": "half"}, TypeError, "sample_fraction='half' must be a number"),
        ({"threshold": 0.0}, ValueError, "threshold=0.0 must lie above 0 and at most at 1"),
        ({"threshold": 60}, ValueError, "threshold=60 must lie above 0 and at most at 1"),
        ({"threshold": "high"}, TypeError, "threshold='high' must be a number"),
        ({"threshold": None}, ValueError, "threshold=None needs n_features_to_select"),
        ({"n_features_to_select": 31}, ValueError, "must lie between 1 and n_features=30"),
        ({"complementary_pairs": "yes"}, TypeError, "complementary_pairs='yes' must be True or"),
        ({"n_jobs": 0}, ValueError, "n_jobs=0 must be"),
    ],
)
def test_error_names_the_parameter_and_its_bounds(genes, parameters, error, message):
    with pytest.raises(error, match=message):
        StabilitySelector(SelectKBest(k=4)).set_params(**parameters).fit(*genes)


@pytest.mark.parametrize("estimator", [SelectKBest, "SelectKBest", StandardScaler().fit])
def test_what_is_no_estimator_is_refused(genes, estimator):
    with pytest.raises(TypeError, match="must be an estimator that selects features"):
        StabilitySelector(estimator).fit(*genes)


@pytest.mark.parametrize(
    "estimator", [KNeighborsClassifier(), make_pipeline(SelectKBest(k=3), KNeighborsClassifier())]
)
def test_estimator_that_does_not_select_is_refused(genes, estimator):
    with pytest.raises(TypeError, match="KNeighborsClassifier must select features"):
        StabilitySelector(estimator, **QUICK).fit(*genes)


def test_pipeline_that_makes_new_features_is_refused(genes):
    with pytest.raises(TypeError, match="PCA makes new features"):
        StabilitySelector(make_pipeline(PCA(), SelectKBest(k=3)), **QUICK).fit(*genes)
    products = make_pipeline(PolynomialFeatures(include_bias=False), SelectKBest(k=3))
    with pytest.raises(ValueError, match="SelectKBest selects among 495 features.*are 30"):
        StabilitySelector(products, **QUICK).fit(*genes)


def test_weights_need_an_estimator_that_takes_them(genes):
    for estimator in (SelectKBest(k=3), Pipeline([("select", SparseCenterClassifier(3))])):
        with pytest.raises(TypeError, match="does not take it in fit"):
            StabilitySelector(estimator).fit(*genes, sample_weight=np.ones(60))


def test_one_class_is_refused(genes):
    with pytest.raises(ValueError, match="y holds one class"):
        StabilitySelector(SelectKBest(k=3)).fit(genes[0], np.zeros(60))
