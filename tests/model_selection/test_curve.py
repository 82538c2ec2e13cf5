"""The curve of a selector: against a slow twin, without a leak, for any input, and bad input."""

import dataclasses

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    VarianceThreshold,
    chi2,
    f_classif,
)
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import GroupKFold, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_info

from centroidal import L21CentroidSelector, ReliefFSelector, SparseCenterClassifier
from centroidal.datasets import make_expression, make_word_counts
from centroidal.model_selection import SelectionCurve, selection_curve
from tests.reference.selection_curve import mean_overlap, random_scores, selected_scores

SIZES = [1, 4, 20, 30]
QUICK = {"estimator": NearestCentroid(), "n_random": 0, "cv": 3}


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, data.target


@pytest.fixture(scope="module")
def words():
    data = make_word_counts(90, 40, n_informative=8, random_state=0)
    return data.data, data.target


def split_scores(table):
    return np.array([table[name] for name in table if name.startswith("split")])


def folds_of(X, y, n_folds=3):
    return list(StratifiedKFold(n_folds).split(X, y))


class Says(BaseEstimator):
    """Stands for any selector: after `fit` it has the attributes it was given."""

    def __init__(self, **said):
        self.said = said

    def get_params(self, deep=True):
        return self.said

    def fit(self, X, y):
        vars(self).update({f"{name}_": value for name, value in self.said.items()})
        return self


class Untouched(BaseEstimator):
    """Fails the test if it is fitted."""

    def fit(self, X, y):
        raise AssertionError("fitted before the input was checked")


class Spy(SelectKBest):
    """Notes what it is fitted on."""

    seen = None

    def fit(self, X, y):
        Spy.seen = [*(Spy.seen or []), (X, y)]
        return super().fit(X, y)


@pytest.fixture
def spy():
    Spy.seen = []
    yield Spy()
    Spy.seen = None


# ------------------------------------------------------------------ what it computes


@pytest.mark.parametrize(
    ("selector", "name"),
    [
        (SelectKBest(f_classif), "k"),
        (ReliefFSelector(), "n_features_to_select"),
        (L21CentroidSelector(0.5), "n_features_to_select"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_scores_are_those_of_selecting_anew_for_each_number(genes, selector, name):
    X, y = genes

    def select(part, labels, size):
        fitted = clone(selector).set_params(**{name: size}).fit(part, labels)
        return fitted.get_support(indices=True)

    curve = selection_curve(selector, X, y, n_features_grid=SIZES, **QUICK)
    expected = selected_scores(select, X, y, folds_of(X, y), SIZES, NearestCentroid())
    np.testing.assert_array_equal(split_scores(curve.table), expected)
    np.testing.assert_array_equal(curve.table["n_features"], SIZES)
    np.testing.assert_allclose(curve.table["mean_test_score"], expected.mean(axis=0))
    np.testing.assert_allclose(curve.table["std_test_score"], expected.std(axis=0, ddof=1))
    np.testing.assert_allclose(
        curve.table["se_test_score"], expected.std(axis=0, ddof=1) * np.sqrt(1 / 3 + 1 / 2)
    )


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy", "roc_auc_ovr"])
def test_scores_are_those_of_a_pipeline_of_scikit_learn(genes, scoring):
    X, y = genes
    curve = selection_curve(
        SelectKBest(),
        X,
        y,
        n_features_grid=[5],
        estimator=GaussianNB(),
        scoring=scoring,
        n_random=0,
    )
    model = make_pipeline(SelectKBest(k=5), GaussianNB())
    expected = cross_val_score(model, X, y, scoring=scoring)
    np.testing.assert_allclose(split_scores(curve.table)[:, 0], expected, rtol=1e-12)
    assert curve.score_name == (scoring or "accuracy")


def test_random_features_are_averaged_over_draws_in_each_fold(genes):
    X, y = genes
    curve = selection_curve(
        SelectKBest(), X, y, n_features_grid=SIZES, random_state=7, **QUICK | {"n_random": 3}
    )
    expected = random_scores(7, 3, X, y, folds_of(X, y), SIZES, NearestCentroid())
    np.testing.assert_allclose(split_scores(curve.random_table), expected, rtol=1e-12)
    assert curve.random_table.keys() == curve.table.keys()


def test_all_features_are_the_same_model_for_every_ranking(genes):
    curve = selection_curve(
        ReliefFSelector(), *genes, n_features_grid=[30], cv=3, n_random=2, random_state=0
    )
    np.testing.assert_array_equal(split_scores(curve.table), split_scores(curve.random_table))


def test_seed_decides_the_random_features(genes):
    options = QUICK | {"n_random": 2, "n_features_grid": [3]}
    one, same, other, source = (
        split_scores(selection_curve(SelectKBest(), *genes, random_state=s, **options).random_table)
        for s in (0, 0, 1, np.random.RandomState(0))
    )
    np.testing.assert_array_equal(one, same)
    np.testing.assert_array_equal(one, source)
    assert (one != other).any()


def test_selector_of_informative_features_is_above_random_ones(genes):
    curve = selection_curve(
        SelectKBest(), *genes, n_features_grid=[5], random_state=0, **QUICK | {"n_random": 5}
    )
    difference = curve.table["mean_test_score"] - curve.random_table["mean_test_score"]
    assert difference[0] > 0.2


def test_no_draws_leave_random_features_out(genes):
    assert selection_curve(SelectKBest(), *genes, n_features_grid=[1], **QUICK).random_table is None


def test_rankings_are_those_of_the_training_parts(genes):
    X, y = genes
    curve = selection_curve(ReliefFSelector(), X, y, n_features_grid=[2], **QUICK)
    for ranking, (train, _) in zip(curve.rankings, folds_of(X, y), strict=True):
        expected = ReliefFSelector().fit(X[train], y[train]).feature_ranking_
        np.testing.assert_array_equal(ranking, expected)


def test_overlap_is_the_mean_over_pairs_of_folds(genes):
    curve = selection_curve(SelectKBest(), *genes, n_features_grid=SIZES, **QUICK | {"cv": 4})
    expected = [mean_overlap(curve.rankings, size) for size in SIZES]
    np.testing.assert_allclose(curve.overlap, expected, rtol=1e-12)
    assert 0 < curve.overlap[1] < curve.overlap[-1] == 1.0


def test_one_fold_has_no_overlap(genes):
    one = ShuffleSplit(1, random_state=0)
    curve = selection_curve(SelectKBest(), *genes, n_features_grid=[1, 2], **QUICK | {"cv": one})
    assert np.isnan(curve.overlap).all()
    assert np.isnan(curve.table["se_test_score"]).all()


def test_table_is_a_frame(genes):
    curve = selection_curve(SelectKBest(), *genes, n_features_grid=SIZES, **QUICK)
    assert pd.DataFrame(curve.table).shape == (4, 7)


def test_curve_cannot_be_changed_and_shows_in_one_line(genes):
    curve = selection_curve(SelectKBest(), *genes, n_features_grid=[1], **QUICK)
    assert repr(curve) == "SelectionCurve(selector_name='SelectKBest', score_name='accuracy')"
    with pytest.raises(dataclasses.FrozenInstanceError):
        curve.table = {}


# ------------------------------------------------------------------ no leak


def test_selection_from_noise_is_at_chance_unless_the_test_part_is_seen():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 1500)), rng.permutation(np.repeat(["a", "b"], 40))
    curve = selection_curve(SelectKBest(), X, y, n_features_grid=[20], **QUICK | {"cv": 5})
    ranked_outside = SelectKBest(k=20).fit_transform(X, y)
    leaking = cross_val_score(NearestCentroid(), ranked_outside, y, cv=5).mean()
    assert abs(curve.table["mean_test_score"][0] - 0.5) < 0.12  # two standard deviations
    assert leaking > 0.8


def test_selector_is_fitted_once_a_fold_to_the_training_part_alone(genes, spy):
    X, y = genes
    numbered = np.column_stack([X, np.arange(60)])
    selection_curve(spy, numbered, y, n_features_grid=SIZES, **QUICK | {"n_random": 2})
    assert len(Spy.seen) == 3
    for (part, labels), (train, _) in zip(Spy.seen, folds_of(X, y), strict=True):
        np.testing.assert_array_equal(part[:, -1], train)
        np.testing.assert_array_equal(labels, y[train])


def test_given_estimators_stay_as_they_are(genes):
    selector, model = SelectKBest(k=3), NearestCentroid()
    selection_curve(selector, *genes, n_features_grid=[2], **QUICK | {"estimator": model})
    assert not hasattr(selector, "scores_")
    assert not hasattr(model, "centroids_")


# ------------------------------------------------------------------ what ranks


def ranking_of(selector, X, y):
    """The ranking of a curve whose training set is everything."""
    everything = np.arange(len(y))
    options = QUICK | {"cv": [(everything, everything)]}
    return selection_curve(selector, X, y, n_features_grid=[1], **options).rankings[0]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"feature_ranking": np.array([2, 0, 1])}, [2, 0, 1]),
        ({"ranking": np.array([3, 1, 2])}, [1, 2, 0]),
        ({"ranking": np.array([1, 2, 1])}, [0, 2, 1]),
        ({"scores": np.array([np.nan, -3.0, 2.0])}, [2, 1, 0]),
        ({"scores": np.array([1, 5, 5])}, [1, 2, 0]),
        ({"coef": np.array([-3.0, 1.0, 2.0])}, [0, 2, 1]),
        ({"coef": np.array([[3.0, 0.0, 2.0], [0.0, 1.0, -2.5]])}, [2, 0, 1]),
        ({"coef": sparse.csr_array([[0.0, 1.0, -2.0]])}, [2, 1, 0]),
        ({"feature_importances": np.array([0.1, 0.5, 0.4])}, [1, 2, 0]),
        ({"scores": {0: 1}, "coef": np.array([1.0, 3.0, 2.0])}, [1, 2, 0]),
        ({"scores": np.ones((3, 2)), "coef": np.array([1.0, 3.0, 2.0])}, [1, 2, 0]),
        ({"feature_ranking": np.array([0, 1, 2]), "ranking": np.array([3, 2, 1])}, [0, 1, 2]),
        ({"ranking": np.array([3, 2, 1]), "scores": np.array([3, 2, 1])}, [2, 1, 0]),
        ({"scores": np.array([3, 2, 1]), "coef": np.array([1, 2, 3])}, [0, 1, 2]),
        ({"coef": np.array([3, 2, 1]), "feature_importances": np.array([1, 2, 3])}, [0, 1, 2]),
    ],
    ids=str,
)
def test_first_attribute_that_is_there_ranks(said, expected):
    X, y = np.random.default_rng(0).normal(size=(6, 3)), [0, 1] * 3
    assert ranking_of(Says(**said), X, y).tolist() == expected


@pytest.mark.parametrize(
    ("selector", "score"),
    [
        (SelectKBest(), lambda model: model.scores_),
        (RidgeClassifier(), lambda model: np.sqrt((model.coef_**2).sum(axis=0))),
        (SVC(kernel="linear"), lambda model: np.sqrt((model.coef_**2).sum(axis=0))),
        (RandomForestClassifier(5, random_state=0), lambda model: model.feature_importances_),
        (SparseCenterClassifier(), lambda model: model.feature_gains_),
    ],
    ids=lambda value: type(value).__name__,
)
def test_any_estimator_that_ranks_is_a_selector(genes, selector, score):
    expected = np.argsort(-score(clone(selector).fit(*genes)), kind="stable")
    np.testing.assert_array_equal(ranking_of(selector, *genes), expected)


def test_last_step_of_a_pipeline_ranks(genes):
    X, y = genes
    inner = make_pipeline(StandardScaler(), MinMaxScaler(), SelectKBest(chi2))
    expected = SelectKBest(chi2).fit(MinMaxScaler().fit_transform(X), y).scores_
    found = ranking_of(make_pipeline(MinMaxScaler(), inner), X, y)
    np.testing.assert_array_equal(found, np.argsort(-expected))


def test_features_that_elimination_leaves_follow_its_last_model(genes):
    X, y = genes
    fitted = RFE(RidgeClassifier(), n_features_to_select=6).fit(X, y)
    ranking = ranking_of(RFE(RidgeClassifier(), n_features_to_select=6), X, y)
    left = fitted.get_support(indices=True)
    weight = (fitted.estimator_.coef_**2).sum(axis=0)
    np.testing.assert_array_equal(ranking[:6], left[np.argsort(-weight)])
    np.testing.assert_array_equal(fitted.ranking_[ranking[6:]], np.arange(2, 26))


# ------------------------------------------------------------------ any data


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
def test_sparse_equals_dense(words, kind):
    X, y = words
    X = X.multiply(np.random.default_rng(0).uniform(0.5, 1.0, X.shape))  # no two scores are equal
    options = QUICK | {
        "estimator": make_pipeline(StandardScaler(with_mean=False), BernoulliNB()),
        "n_random": 2,
        "random_state": 0,
        "n_features_grid": SIZES,
    }
    expected = selection_curve(ReliefFSelector(), X.toarray(), y, **options)
    found = selection_curve(ReliefFSelector(), kind(X), y, **options)
    np.testing.assert_array_equal(found.rankings, expected.rankings)
    for mine, theirs in (
        (found.table, expected.table),
        (found.random_table, expected.random_table),
    ):
        np.testing.assert_array_equal(split_scores(mine), split_scores(theirs))


@pytest.mark.parametrize("is_sparse", [False, True])
def test_nothing_given_is_logistic_regression_on_scaled_features(words, is_sparse):
    X, y = words[0] if is_sparse else words[0].toarray(), words[1]
    said = make_pipeline(StandardScaler(with_mean=not is_sparse), LogisticRegression(max_iter=1000))
    options = {"n_features_grid": [2, 10], "cv": 3, "n_random": 0}
    found = selection_curve(SelectKBest(chi2), X, y, **options)
    expected = selection_curve(SelectKBest(chi2), X, y, estimator=said, **options)
    np.testing.assert_array_equal(split_scores(found.table), split_scores(expected.table))


FRAMES = {
    "pandas": lambda X: pd.DataFrame(
        X, columns=[f"g{j}" for j in range(X.shape[1])], index=np.arange(len(X))[::-1]
    ),
    "polars": lambda X: pl.DataFrame(X, schema=[f"g{j}" for j in range(X.shape[1])]),
}


class NamedCentroid(NearestCentroid):
    """Notes the names it is fitted on."""

    names = ()

    def fit(self, X, y):
        super().fit(X, y)
        NamedCentroid.names = list(self.feature_names_in_)
        return self


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_frames_equal_arrays_and_names_reach_selector_and_estimator(genes, frame, spy):
    X, y = genes
    table = frame(X)
    options = QUICK | {"n_features_grid": [2, 7]}
    expected = selection_curve(SelectKBest(), X, y, **options)
    found = selection_curve(spy, table, y, **options | {"estimator": NamedCentroid()})
    np.testing.assert_array_equal(found.rankings, expected.rankings)
    np.testing.assert_array_equal(split_scores(found.table), split_scores(expected.table))
    assert all(type(part) is type(table) for part, _ in Spy.seen)
    assert list(Spy.seen[0][0].columns) == list(table.columns)
    kept = np.sort(found.rankings[-1][:7])
    assert NamedCentroid.names == [table.columns[j] for j in kept]


def test_frame_whose_columns_are_numbers_is_read_by_position(genes):
    X, y = genes
    expected = selection_curve(SelectKBest(), X, y, n_features_grid=SIZES, **QUICK)
    table = pd.DataFrame(X, columns=range(30, 0, -1))
    found = selection_curve(SelectKBest(), table, y, n_features_grid=SIZES, **QUICK)
    np.testing.assert_array_equal(split_scores(found.table), split_scores(expected.table))


@pytest.mark.parametrize(
    "labels",
    [np.array(["x", "y", "z"]), np.array([-1.0, 0.0, 7.0]), np.array(["b", "a", "c"], object)],
    ids=str,
)
def test_names_of_the_classes_do_not_matter(genes, labels):
    X, y = genes
    expected = selection_curve(SelectKBest(), X, y, n_features_grid=SIZES, **QUICK)
    named = pd.Series(labels[y], index=range(60, 0, -1))
    found = selection_curve(SelectKBest(), X, named, n_features_grid=SIZES, **QUICK)
    np.testing.assert_array_equal(split_scores(found.table), split_scores(expected.table))


def test_lists_are_read_as_arrays(genes):
    X, y = genes
    expected = selection_curve(SelectKBest(), X, y, n_features_grid=SIZES, **QUICK)
    found = selection_curve(SelectKBest(), X.tolist(), y.tolist(), n_features_grid=SIZES, **QUICK)
    np.testing.assert_array_equal(split_scores(found.table), split_scores(expected.table))


def test_missing_values_are_left_to_selector_and_estimator(genes):
    X, y = genes[0].copy(), genes[1]
    X[::7, 3] = np.nan
    model = RandomForestClassifier(3, random_state=0)
    curve = selection_curve(model, X, y, n_features_grid=[30], **QUICK | {"estimator": model})
    assert curve.table["mean_test_score"][0] > 0.5


# ------------------------------------------------------------------ folds, scores, threads


def test_number_of_folds_is_of_stratified_ones(genes):
    X, y = genes
    masks_of_tests = [np.isin(range(60), test) for _, test in folds_of(X, y, 4)]
    options = QUICK | {"n_features_grid": [3]}
    number, splitter, listed, generated, masks = (
        selection_curve(SelectKBest(), X, y, **options | {"cv": cv})
        for cv in (
            4,
            StratifiedKFold(4),
            folds_of(X, y, 4),
            (fold for fold in folds_of(X, y, 4)),
            [(~test, test) for test in masks_of_tests],
        )
    )
    for other in (splitter, listed, generated, masks):
        np.testing.assert_array_equal(split_scores(number.table), split_scores(other.table))


def test_groups_stay_together(genes, spy):
    X, y = genes
    groups = np.arange(60) // 6
    numbered = np.column_stack([groups, X])
    options = QUICK | {"cv": GroupKFold(5), "n_features_grid": [3]}
    selection_curve(spy, numbered, y, groups=groups, **options)
    assert [np.unique(part[:, 0]).size for part, _ in Spy.seen] == [8] * 5


def test_scorer_may_be_a_function(genes):
    options = QUICK | {"n_features_grid": [2, 9]}
    named = selection_curve(SelectKBest(), *genes, scoring="balanced_accuracy", **options)
    made = selection_curve(
        SelectKBest(), *genes, scoring=make_scorer(balanced_accuracy_score), **options
    )
    np.testing.assert_array_equal(split_scores(named.table), split_scores(made.table))
    assert made.score_name == "score"


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_result_does_not_depend_on_the_number_of_jobs(genes, backend):
    options = QUICK | {"n_features_grid": [1, 6], "n_random": 2, "random_state": 0}
    selectors = {"F": SelectKBest(), "l2,1": L21CentroidSelector(0.5)}
    before = threadpool_info()
    one = selection_curve(selectors, *genes, **options)
    with joblib.parallel_config(backend):
        two = selection_curve(selectors, *genes, n_jobs=2, **options)
    assert threadpool_info() == before
    for name, curve in one.items():
        np.testing.assert_array_equal(curve.rankings, two[name].rankings)
        np.testing.assert_array_equal(split_scores(curve.table), split_scores(two[name].table))
        np.testing.assert_array_equal(
            split_scores(curve.random_table), split_scores(two[name].random_table)
        )


def test_several_selectors_share_folds_and_random_features(genes):
    shuffled = StratifiedKFold(3, shuffle=True, random_state=np.random.RandomState(0))
    options = QUICK | {"n_features_grid": SIZES, "n_random": 2, "cv": shuffled}
    curves = selection_curve({"a": SelectKBest(), "b": SelectKBest()}, *genes, **options)
    assert list(curves) == ["a", "b"]
    assert curves["a"].random_table is curves["b"].random_table
    np.testing.assert_array_equal(curves["a"].rankings, curves["b"].rankings)
    assert isinstance(curves["a"], SelectionCurve)


def test_numbers_of_features_are_spread_on_a_log_scale(genes):
    sizes = selection_curve(SelectKBest(), *genes, **QUICK).table["n_features"]
    assert sizes[0] == 1
    assert sizes[-1] == 30
    assert (np.diff(sizes) > 0).all()
    assert sizes.size <= 15


def test_most_features_that_are_tried_unasked_are_five_thousand():
    X = sparse.random(12, 6000, density=0.01, random_state=0, format="csr")
    options = QUICK | {"cv": 2, "estimator": BernoulliNB()}
    curve = selection_curve(Says(feature_ranking=np.arange(6000)), X, [0, 1] * 6, **options)
    assert curve.table["n_features"][-1] == 5000


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"selector": SelectKBest}, TypeError, "selector=<class .* estimator that ranks features"),
        ({"selector": "relief"}, TypeError, "selector='relief' must be an estimator"),
        ({"selector": None}, TypeError, "selector=None must be an estimator"),
        ({"selector": Pipeline([("a", "passthrough")])}, TypeError, "selector=Pipeline.*ends with"),
        ({"selector": Pipeline([])}, TypeError, "selector=Pipeline.*ends with one"),
        ({"selector": {}}, ValueError, "selector={} must hold at least one"),
        ({"selector": {"a": 3}}, TypeError, "selector=3 must be an estimator"),
        ({"n_features_grid": 1}, ValueError, "n_features_grid=1 must be at least 2, or an array"),
        ({"n_features_grid": [3, 31]}, ValueError, "=31 must lie between 1 and n_features=30"),
        ({"n_features_grid": [0]}, ValueError, "=0 must lie between 1 and n_features=30"),
        ({"n_features_grid": []}, ValueError, r"n_features_grid=\[\] must hold at least one"),
        ({"n_features_grid": [1.5]}, ValueError, "=1.5 must, as a fraction, lie above 0"),
        ({"n_features_grid": 0.5}, TypeError, "n_features_grid=0.5 must be an int, an array"),
        ({"n_features_grid": "all"}, TypeError, "n_features_grid='all' must be an int"),
        ({"estimator": "svm"}, TypeError, "estimator='svm' must be a classifier"),
        ({"estimator": NearestCentroid}, TypeError, "estimator=.* must be a classifier"),
        ({"estimator": StandardScaler()}, TypeError, "estimator=StandardScaler.* classifier"),
        ({"cv": 1}, ValueError, "cv=1 must be at least 2 folds"),
        ({"cv": "five"}, ValueError, "cv.*five"),
        ({"cv": []}, ValueError, "cv=.* must give at least one fold"),
        ({"scoring": 3}, TypeError, "scoring=3 must be the name of a scorer"),
        ({"scoring": ["accuracy"]}, TypeError, r"scoring=\['accuracy'\] must be the name"),
        ({"scoring": "luck"}, ValueError, "'luck' is not a valid scoring value"),
        ({"n_random": -1}, ValueError, "n_random=-1 must be at least 0"),
        ({"n_random": 2.0}, TypeError, "n_random=2.0 must be an int"),
        ({"n_random": True}, TypeError, "n_random=True must be an int"),
        ({"n_random": None}, TypeError, "n_random=None must be an int"),
        ({"n_jobs": 0}, ValueError, "n_jobs=0 must be a number of jobs"),
        ({"n_jobs": "two"}, TypeError, "n_jobs='two' must be an int or None"),
        ({"random_state": "seed"}, ValueError, "seed"),
        (
            {"cv": GroupKFold(), "groups": [1, 2]},
            ValueError,
            r"inconsistent numbers of samples: \[60, 60, 2\]",
        ),
        ({"y": None}, ValueError, "y=None must hold the class of each sample"),
        ({"y": [0, 1] * 20}, ValueError, r"inconsistent numbers of samples: \[60, 40\]"),
        ({"y": ["only"] * 60}, ValueError, "one class, 'only'; selection_curve needs"),
        ({"y": np.linspace(0, 1, 60)}, ValueError, "continuous"),
        ({"X": np.zeros(60)}, ValueError, "Expected 2D array"),
    ],
    ids=str,
)
def test_wrong_input_is_named_before_any_work(genes, options, error, message):
    X, y = genes
    given = {"selector": Untouched(), "X": X, "y": y} | options
    with pytest.raises(error, match=message):
        selection_curve(given.pop("selector"), given.pop("X"), given.pop("y"), **given)


def test_model_inside_a_selector_ranks(genes):
    fitted = RidgeClassifier().fit(*genes)
    by_norm = np.argsort(-np.linalg.norm(fitted.coef_, axis=0), kind="stable")
    ranking = ranking_of(SelectFromModel(RidgeClassifier()), *genes)
    np.testing.assert_array_equal(ranking, by_norm)


def test_selector_that_does_not_rank_is_told_what_is_expected(genes):
    selector = VarianceThreshold()
    message = (
        "selector=VarianceThreshold must rank .* feature_ranking_, ranking_, scores_, coef_ and"
    )
    with pytest.raises(TypeError, match=message):
        selection_curve(selector, *genes, **QUICK)


def test_pipeline_that_drops_features_is_refused(genes):
    selector = make_pipeline(PCA(4), SelectKBest(k=2))
    with pytest.raises(ValueError, match="selector=SelectKBest ranks 4 features, but X has 30"):
        selection_curve(selector, *genes, **QUICK)


def test_ranking_that_names_a_column_twice_is_refused(genes):
    selector = Says(feature_ranking=np.zeros(30, dtype=int))
    with pytest.raises(ValueError, match="feature_ranking_ of selector=Says must hold each column"):
        selection_curve(selector, *genes, **QUICK)
