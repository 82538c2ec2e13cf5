"""Honest comparison: against plain loops, without a leak, whatever fails, and bad input."""

import dataclasses
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_info

from centroidal import (
    DisjointCentroidClassifierCV,
    FisherSubspaceClassifierCV,
    SparseCenterClassifier,
    SparseCenterClassifierCV,
)
from centroidal.datasets import make_expression, make_word_counts
from centroidal.model_selection import (
    Comparison,
    ComparisonInterrupted,
    RandomFeaturesClassifier,
    compare,
    comparison_lineup,
    iter_comparison,
)
from tests.reference.compare import (
    corrected_error,
    count_confusion,
    folds_and_seeds,
    nested,
    seeded_scores,
)

SIZES = [2, 5, 20]
QUICK = {"cv": 3, "n_repeats": 1, "random_state": 0}
PAIR = {"centroid": NearestCentroid(), "majority": DummyClassifier()}


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, np.array(["a", "b", "c"])[data.target]


@pytest.fixture(scope="module")
def words():
    data = make_word_counts(90, 40, n_informative=8, random_state=0)
    return data.data, data.target


def searched(cv=4):
    steps = make_pipeline(StandardScaler(), SelectKBest(), NearestCentroid())
    return GridSearchCV(steps, {"selectkbest__k": SIZES}, cv=cv)


def assert_same(one, other):
    np.testing.assert_array_equal(one.scores, other.scores)
    for mine, theirs in zip(one.results, other.results, strict=True):
        assert (mine.name, mine.fold) == (theirs.name, theirs.fold)
        np.testing.assert_array_equal(mine.predicted, theirs.predicted)
        assert mine.parameters == theirs.parameters
    for column in one.differences:
        np.testing.assert_array_equal(one.differences[column], other.differences[column])


class Base(ClassifierMixin, BaseEstimator):
    """Predicts the first class."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Untouched(Base):
    """Fails the test if it is fitted."""

    def fit(self, X, y):
        raise AssertionError("fitted before the input was checked")


class Spy(Base):
    """Notes what it is given."""

    fitted = ()
    asked = ()

    def fit(self, X, y):
        Spy.fitted += ((X, y),)
        return super().fit(X, y)

    def predict(self, X):
        Spy.asked += (X,)
        return super().predict(X)


@pytest.fixture
def spy():
    Spy.fitted, Spy.asked = (), ()
    return Spy()


class FailsWith(Base):
    """Fails if the first sample it is fitted to begins with one of some numbers."""

    def __init__(self, first=(0.0,), error=ValueError):
        self.first = first
        self.error = error

    def fit(self, X, y):
        if X[0, 0] in self.first:
            raise self.error("no luck\nwith this one")
        return super().fit(X, y)


class Warns(Base):
    def fit(self, X, y):
        warnings.warn("not sure", RuntimeWarning, stacklevel=1)
        return super().fit(X, y)


class Stranger(Base):
    def predict(self, X):
        return np.full(len(X), "z")


class Secretive(Base):
    def get_support(self):
        raise OSError("no")


# ------------------------------------------------------------------ what it computes


@pytest.fixture(scope="module")
def twin(genes):
    X, y = genes
    folds, seeds = folds_and_seeds(5, X, y, 3, 2)
    forest = RandomForestClassifier(5)
    members = {"searched": searched(), "forest": forest, "majority": DummyClassifier()}
    result = compare(members, X, y, cv=3, n_repeats=2, random_state=5)
    found = nested(X, y, folds, SIZES, 4)
    return result, folds, found, seeded_scores(forest, X, y, folds, seeds)


def test_scores_are_those_of_nested_loops(twin):
    result, _, found, forest = twin
    np.testing.assert_allclose(result.scores[0], [each[0] for each in found], rtol=1e-12)
    np.testing.assert_allclose(result.scores[1], forest, rtol=1e-12)


def test_choices_and_features_are_those_of_nested_loops(twin):
    result, _, found, _ = twin
    for mine, (_, size, kept, _) in zip(result.results_of("searched"), found, strict=True):
        assert mine.parameters == {"selectkbest__k": size}
        assert mine.n_features == size
        np.testing.assert_array_equal(mine.features, kept)


def test_table_holds_means_and_corrected_errors(twin):
    result, folds, found, forest = twin
    expected = [[each[0] for each in found], forest]
    table = result.table
    np.testing.assert_allclose(table["mean_test_score"][:2], np.mean(expected, axis=1))
    np.testing.assert_allclose(table["std_test_score"][:2], np.std(expected, axis=1, ddof=1))
    errors = [corrected_error(scores, folds) for scores in expected]
    np.testing.assert_allclose(table["se_test_score"][:2], errors, rtol=1e-12)
    sizes = [each[1] for each in found]
    assert table["mean_n_features"][0] == np.mean(sizes)
    assert (table["min_n_features"][0], table["max_n_features"][0]) == (min(sizes), max(sizes))
    assert np.isnan(table["mean_n_features"][2])
    assert table["n_folds"].tolist() == [6, 6, 6]
    assert table["n_failed"].tolist() == [0, 0, 0]
    assert (table["mean_fit_seconds"] > 0).all()
    assert (table["mean_score_seconds"] > 0).all()


def test_differences_are_paired_and_corrected(twin):
    result, folds, found, forest = twin
    assert result.baseline == "searched"
    gaps = [mine - each[0] for mine, each in zip(forest, found, strict=True)]
    differences = result.differences
    np.testing.assert_allclose(differences["mean_difference"][1], np.mean(gaps), atol=1e-12)
    np.testing.assert_allclose(differences["se_difference"][1], corrected_error(gaps, folds))
    assert differences["n_better"][1] == sum(gap > 0 for gap in gaps)
    assert differences["n_worse"][1] == sum(gap < 0 for gap in gaps)
    assert differences["mean_difference"][0] == differences["se_difference"][0] == 0.0
    assert differences["n_folds"].tolist() == [6, 6, 6]


def test_predictions_and_confusion_are_pooled_over_folds(genes, twin):
    y = genes[1]
    result, folds, found, _ = twin
    predicted = [each[3] for each in found]
    expected = count_confusion(y, folds, predicted, ["a", "b", "c"])
    np.testing.assert_array_equal(result.confusion["searched"], expected)
    recall = expected.diagonal() / expected.sum(axis=1)
    np.testing.assert_allclose(result.recall("searched"), recall)
    pooled = result.predictions("searched")
    np.testing.assert_array_equal(pooled["predicted"], np.concatenate(predicted))
    np.testing.assert_array_equal(pooled["true"], y[pooled["sample"]])
    np.testing.assert_array_equal(pooled["sample"], np.concatenate([test for _, test in folds]))
    np.testing.assert_array_equal(pooled["fold"], np.repeat(range(6), 20))
    assert np.bincount(pooled["sample"]).tolist() == [2] * 60


def test_tables_are_frames(twin):
    result = twin[0]
    assert pd.DataFrame(result.table).shape == (3, 12)
    assert pd.DataFrame(result.differences).shape == (3, 6)
    assert pd.DataFrame(result.predictions("forest")).shape == (120, 4)
    assert result.table["name"].tolist() == ["searched", "forest", "majority"]


def test_result_remembers_what_made_it(genes, twin):
    result, folds, _, _ = twin
    _, seeds = folds_and_seeds(5, *genes, 3, 2)
    assert result.seeds["folds"].tolist() == seeds
    assert {"python", "centroidal", "scikit-learn", "numpy"} <= result.versions.keys()
    for mine, theirs in zip(result.folds, folds, strict=True):
        np.testing.assert_array_equal(mine[1], theirs[1])
    assert result.n_features == 30
    assert result.classes.tolist() == ["a", "b", "c"]


def test_result_cannot_be_changed_and_shows_in_one_line(twin):
    result = twin[0]
    assert repr(result) == "Comparison(score_name='accuracy', baseline='searched')"
    assert repr(result.results[0]).startswith("FoldResult(name='searched', fold=0, score=0.")
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.table = {}


def test_summary_is_an_aligned_table_with_the_best_first(twin):
    result = twin[0]
    text = str(result)
    assert text == result.summary()
    lines = text.splitlines()
    assert lines[0] == "accuracy in 6 folds of 60 samples, 30 features, 3 classes"
    assert [line.split()[0] for line in lines[3:6]] == ["searched", "forest", "majority"]
    assert len({line.index(".") for line in lines[3:6]}) == 1
    assert f"{result.table['mean_test_score'][0]:.3f}" in lines[3]
    assert "diff: to searched" in text
    assert "failed in" not in text


def test_baseline_is_whom_one_names(genes):
    result = compare(PAIR, *genes, baseline="majority", **QUICK)
    assert result.baseline == "majority"
    assert result.differences["mean_difference"][1] == 0.0
    assert result.differences["mean_difference"][0] > 0.2


def test_one_fold_has_no_standard_error(genes):
    result = compare(PAIR, *genes, cv=ShuffleSplit(1, random_state=0))
    assert np.isnan(result.table["se_test_score"]).all()
    assert np.isnan(result.differences["se_difference"]).all()
    assert " - " in str(result)


def test_correction_does_not_vanish_with_repeats(genes):
    result = compare({"a": NearestCentroid()}, *genes, cv=5, n_repeats=4, random_state=0)
    scores = result.scores[0]
    usual = scores.std(ddof=1) / np.sqrt(scores.size)
    assert result.table["se_test_score"][0] == pytest.approx(usual * np.sqrt(1 + 20 / 4))


# ------------------------------------------------------------------ no leak


def test_no_member_of_the_line_up_finds_anything_in_permuted_labels():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 5000)), np.repeat(["a", "b"], 15)
    lineup = comparison_lineup(5000, inner_cv=2, n_features_grid=[16, 256])
    n_hits, n_leaking = dict.fromkeys(lineup, 0), 0
    for seed in range(3):
        labels = rng.permutation(y)
        result = compare(lineup, X, labels, cv=2, n_repeats=1, random_state=seed)
        for name in lineup:
            n_hits[name] += np.trace(result.confusion[name])
        outside = SelectKBest(k=16).fit_transform(X, labels)
        n_leaking += 30 * cross_val_score(LinearSVC(), outside, labels, cv=2).mean()
    low, high = binom.ppf([1e-5, 1 - 1e-5], 90, 0.5)
    assert n_leaking > 0.9 * 90
    assert high < 0.75 * 90
    assert {name: hits for name, hits in n_hits.items() if not low <= hits <= high} == {}


def test_members_see_the_training_part_and_then_the_test_part(genes, spy):
    X, y = genes
    numbered = np.column_stack([np.arange(60), X])
    result = compare({"spy": spy}, numbered, y, **QUICK)
    assert len(Spy.fitted) == len(result.folds) == 3
    for (part, labels), (train, test) in zip(Spy.fitted, result.folds, strict=True):
        np.testing.assert_array_equal(part[:, 0], train)
        np.testing.assert_array_equal(labels, y[train])
        assert not set(train) & set(test)
    asked = {tuple(part[:, 0].astype(int)) for part in Spy.asked}
    assert asked == {tuple(test.tolist()) for _, test in result.folds}


def test_missing_values_are_filled_in_from_the_training_part(genes, spy):
    X, y = genes[0].copy(), genes[1]
    X[::4, 2] = np.nan
    X[1::4, 7] = np.nan
    result = compare({"spy": spy}, X, y, impute="median", **QUICK)
    for (part, _), (train, _) in zip(Spy.fitted, result.folds, strict=True):
        expected = SimpleImputer(strategy="median").fit_transform(X[train])
        np.testing.assert_array_equal(part, expected)


def test_feature_without_values_in_a_training_part_keeps_its_place(genes):
    X, y = genes[0].copy(), genes[1]
    X[:, 0] = np.nan
    model = SparseCenterClassifier(3, scale="within")
    result = compare({"a": model}, X, y, impute="mean", **QUICK)
    without = compare({"a": model}, X[:, 1:], y, **QUICK)
    for mine, theirs in zip(result.results, without.results, strict=True):
        np.testing.assert_array_equal(mine.features, theirs.features + 1)


def test_imputer_may_be_any_transformer(genes):
    X, y = genes[0].copy(), genes[1]
    X[::4, 2] = np.nan
    mine = compare(PAIR, X, y, impute=SimpleImputer(strategy="mean"), **QUICK)
    assert_same(mine, compare(PAIR, X, y, impute="mean", **QUICK))
    assert mine.references == ("majority",)


def test_given_estimators_stay_as_they_are(genes):
    forest = RandomForestClassifier(3)
    compare({"forest": forest}, *genes, **QUICK)
    assert forest.random_state is None
    assert not hasattr(forest, "classes_")


# ------------------------------------------------------------------ what members say of themselves


@pytest.mark.parametrize(
    ("model", "parameters", "selects"),
    [
        (SparseCenterClassifierCV(scale="within"), {"n_features_to_select"}, True),
        (DisjointCentroidClassifierCV("margin"), {"baseline_weight"}, True),
        (FisherSubspaceClassifierCV(), {"n_components", "scatter"}, False),
        (make_pipeline(StandardScaler(), SparseCenterClassifier(4)), set(), True),
        (make_pipeline(SelectKBest(k=5), PCA(3), GaussianNB()), set(), True),
        (make_pipeline(PCA(3), GaussianNB()), set(), False),
        (make_pipeline(SelectKBest(k=5), "passthrough", GaussianNB()), set(), True),
        (RidgeClassifier(), set(), False),
        (OneVsRestClassifier(LinearSVC(penalty="l1", dual=False, C=0.01)), set(), True),
        (NearestCentroid(shrink_threshold=1.0), set(), True),
        (RandomForestClassifier(2, max_depth=2), set(), True),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseEstimator) else "",
)
def test_choices_and_features_are_read_from_the_fitted_model(genes, model, parameters, selects):
    result = compare({"a": model}, *genes, **QUICK)
    for each in result.results:
        assert each.error is None
        assert each.warnings == ()
        assert each.parameters.keys() == parameters
        assert (each.features is not None) == selects
        assert each.n_features == (each.features.size if selects else 30)


def test_nothing_is_made_up_where_a_model_does_not_say(genes):
    result = compare({"neighbours": KNeighborsClassifier()}, *genes, **QUICK)
    assert {each.n_features for each in result.results} == {None}
    assert np.isnan(result.table["max_n_features"]).all()


def test_features_of_a_pipeline_are_columns_of_the_data(genes):
    X, y = genes
    steps = make_pipeline(SelectKBest(k=10), StandardScaler(), SparseCenterClassifier(3))
    result = compare({"a": steps}, X, y, **QUICK)
    for each, (train, _) in zip(result.results, result.folds, strict=True):
        first = SelectKBest(k=10).fit(X[train], y[train])
        scaled = StandardScaler().fit_transform(first.transform(X[train]))
        then = SparseCenterClassifier(3).fit(scaled, y[train]).get_support(indices=True)
        expected = first.get_support(indices=True)[then]
        np.testing.assert_array_equal(each.features, expected)


def test_score_is_kept_if_features_cannot_be_read(genes):
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        result = compare({"a": Secretive()}, *genes, **QUICK)
    assert result.table["n_failed"].tolist() == [0]
    assert result.results[0].warnings == ("UserWarning: features were not read, OSError: no",)


# ------------------------------------------------------------------ any data


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
def test_sparse_equals_dense(words, kind):
    X, y = words
    members = {
        "centers": SparseCenterClassifierCV(scale="std", n_features_grid=[2, 5, 40]),
        "Bernoulli": BernoulliNB(),
        "random": RandomFeaturesClassifier(6, estimator=BernoulliNB()),
    }
    expected = compare(members, X.toarray(), y, **QUICK)
    assert_same(compare(members, kind(X), y, **QUICK), expected)


def with_names(X):
    return [f"g{j}" for j in range(X.shape[1])]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_equal_arrays_and_names_reach_the_members(genes, spy, kind):
    X, y = genes
    if kind == "pandas":
        table = pd.DataFrame(X, columns=with_names(X), index=range(60, 0, -1))
    else:
        table = pl.DataFrame(X, schema=with_names(X))
    members = {
        "searched": searched(),
        "centers": SparseCenterClassifierCV(),
        "random": RandomFeaturesClassifier(4),
    }
    expected = compare(members, X, y, **QUICK)
    result = compare(members | {"spy": spy}, table, y, **QUICK)
    np.testing.assert_array_equal(result.scores[:3], expected.scores)
    for name in members:
        for mine, theirs in zip(result.results_of(name), expected.results_of(name), strict=True):
            np.testing.assert_array_equal(mine.features, theirs.features)
    assert result.feature_names.tolist() == with_names(X)
    assert expected.feature_names is None
    assert all(type(part) is type(table) for part, _ in Spy.fitted)


def test_names_and_type_of_the_labels_do_not_matter(genes):
    X, y = genes
    expected = compare(PAIR, X, y, **QUICK)
    for labels in (np.searchsorted(["a", "b", "c"], y), y.astype(object), y.tolist(), pd.Series(y)):
        result = compare(PAIR, X, labels, **QUICK)
        np.testing.assert_array_equal(result.scores, expected.scores)
        np.testing.assert_array_equal(result.confusion["centroid"], expected.confusion["centroid"])


def test_lists_are_read_as_arrays(genes):
    X, y = genes
    assert_same(compare(PAIR, X.tolist(), y, **QUICK), compare(PAIR, X, y, **QUICK))


# ------------------------------------------------------------------ the line-up


@pytest.fixture(scope="module")
def default(genes):
    X, y = genes
    return compare(None, X, y, cv=2, n_repeats=1, random_state=0)


def test_default_line_up_runs_without_a_failure_or_a_warning(default):
    assert default.names == tuple(comparison_lineup(30))
    assert not default.table["n_failed"].any()
    assert not default.table["n_warned"].any()
    assert default.references == ("random features", "majority class")


def test_selectors_of_the_line_up_beat_random_features(default):
    mean = dict(zip(default.names, default.table["mean_test_score"], strict=True))
    for name in ("sparse l2 centers", "ReliefF + logistic", "l2,1 + logistic", "F test + SVM"):
        assert mean[name] > mean["random features"] + 0.15
    assert mean["majority class"] < 0.5


def test_random_features_are_as_many_as_the_reference_selects(default):
    pairs = zip(
        default.results_of("random features"), default.results_of("sparse l2 centers"), strict=True
    )
    assert all(mine.n_features == theirs.n_features for mine, theirs in pairs)


def test_sparse_samples_have_a_line_up_of_their_own(words):
    X, y = words
    run = iter_comparison(None, X, y, cv=2, n_repeats=1, random_state=0)
    assert errors_of_first_fold(run) == []
    assert set(comparison_lineup(40)) - set(run.comparison().names) == {
        "sparse l1 centers", "shrunken centroids", "naive Bayes",
    }  # fmt: skip


def test_line_up_is_scored_inside_as_it_is_outside():
    lineup = comparison_lineup(30, scoring="balanced_accuracy")
    searches = [each for each in lineup.values() if hasattr(each, "scoring")]
    assert len(searches) >= 8
    assert {each.scoring for each in searches} == {"balanced_accuracy"}


def test_network_is_there_if_it_is_asked_for():
    extra = comparison_lineup(30, neural=True).keys() - comparison_lineup(30).keys()
    assert extra == {"network + logistic"}


def test_rare_class_has_fewer_inner_folds(genes):
    X, y = genes
    kept = np.r_[np.flatnonzero(y == "a")[:3], np.flatnonzero(y != "a")]
    run = iter_comparison(None, X[kept], y[kept], cv=3)
    members = run._members
    assert members["sparse l2 centers"].cv.n_splits == 2


def test_missing_values_need_an_imputer(genes):
    X, y = genes[0].copy(), genes[1]
    X[::5, 3] = np.nan
    with pytest.raises(ValueError, match="X holds missing values; .* impute='median'"):
        compare(None, X, y)
    assert len(iter_comparison(None, X, y, impute="median")) == 15 * 15
    without = compare({"forest": RandomForestClassifier(3)}, X, y, **QUICK)
    assert not without.table["n_failed"].any()


def test_random_features_take_what_scorers_need(words):
    X, y = words
    members = {
        "logistic": RandomFeaturesClassifier(0.2),
        "centroid": RandomFeaturesClassifier(5, estimator=LinearSVC()),
    }
    result = compare(members, X, y == y[0], scoring="roc_auc", **QUICK)
    assert not result.table["n_failed"].any()
    assert result.table["mean_n_features"].tolist() == [8, 5]
    model = RandomFeaturesClassifier(3, estimator=LinearSVC())
    assert hasattr(model, "decision_function")
    assert not hasattr(model, "predict_proba")
    assert hasattr(RandomFeaturesClassifier(), "predict_proba")


def test_random_features_need_a_reference_that_says(genes):
    with pytest.raises(TypeError, match="reference=KNeighborsClassifier.* must say which features"):
        RandomFeaturesClassifier(KNeighborsClassifier()).fit(*genes)
    with pytest.raises(ValueError, match="n_features_to_select=31 must lie between"):
        RandomFeaturesClassifier(31).fit(*genes)
    with pytest.raises(TypeError, match="estimator='svm' must be a classifier"):
        RandomFeaturesClassifier(3, estimator="svm").fit(*genes)


@parametrize_with_checks([RandomFeaturesClassifier(random_state=0)])
def test_random_features_pass_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


# ------------------------------------------------------------------ folds, scores, seeds


def test_splitter_or_folds_are_used_as_they_are(genes):
    X, y = genes
    listed = list(StratifiedKFold(3).split(X, y))
    splitter, folds, generated = (
        compare(PAIR, X, y, cv=cv, random_state=0)
        for cv in (StratifiedKFold(3), listed, (fold for fold in listed))
    )
    assert_same(splitter, folds)
    assert_same(splitter, generated)
    expected = cross_val_score(NearestCentroid(), X, y, cv=StratifiedKFold(3))
    np.testing.assert_allclose(splitter.scores[0], expected)


def test_number_of_folds_is_repeated_three_times_if_nothing_is_said(genes):
    result = compare(PAIR, *genes, cv=4, random_state=0)
    assert result.scores.shape == (2, 12)
    tested = np.concatenate([test for _, test in result.folds])
    assert np.bincount(tested).tolist() == [3] * 60


def test_groups_stay_together_in_outer_and_inner_folds(genes):
    X, y = genes
    groups = np.arange(60) // 4
    result = compare({"a": GaussianNB()}, X, y, groups=groups, **QUICK | {"n_repeats": 2})
    assert len(result.folds) == 6
    for train, test in result.folds:
        assert not set(groups[train]) & set(groups[test])
    numbered = np.column_stack([X, groups])
    model = GridSearchCV(GroupSpy(), {"x": [1]}, cv=GroupKFold(2))
    GroupSpy.n_groups = []
    compare({"a": make_pipeline(StandardScaler(with_std=False), model)}, numbered, y, groups=groups,
            cv=LeaveOneGroupOut())  # fmt: skip
    assert set(GroupSpy.n_groups) == {7, 14}  # half of the others, or all of them


class GroupSpy(Base):
    """Counts the groups it is fitted to."""

    n_groups = ()

    def __init__(self, x=0):
        self.x = x

    def fit(self, X, y):
        GroupSpy.n_groups.append(np.unique(X[:, -1]).size)
        return super().fit(X, y)


def errors_of_first_fold(run):
    results = [result for result, _ in zip(run, range(len(run) // 2), strict=False)]
    return [f"{each.name}: {each.error}" for each in results if each.error]


def test_default_line_up_keeps_groups_together(genes):
    X, y = genes
    run = iter_comparison(None, X, y, groups=np.arange(60) // 2, **QUICK | {"cv": 2})
    assert errors_of_first_fold(run) == []


def test_scorer_may_be_named_or_a_function(genes):
    named = compare(PAIR, *genes, scoring="balanced_accuracy", **QUICK)
    made = compare(PAIR, *genes, scoring=make_scorer(balanced_accuracy_score), **QUICK)
    np.testing.assert_array_equal(named.scores, made.scores)
    assert (named.score_name, made.score_name) == ("balanced_accuracy", "score")
    assert str(named).startswith("balanced accuracy in")


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_result_does_not_depend_on_the_number_of_jobs(genes, backend):
    members = {"forest": RandomForestClassifier(3), "searched": searched(3)} | PAIR
    before = threadpool_info()
    one = compare(members, *genes, **QUICK)
    with joblib.parallel_config(backend):
        two = compare(members, *genes, n_jobs=2, **QUICK)
    assert threadpool_info() == before
    assert_same(one, two)


def test_seed_decides_and_others_in_the_line_up_do_not(genes):
    forest = {"forest": RandomForestClassifier(3)}
    options = {"cv": 3, "n_repeats": 2}
    one, same, other = (compare(forest, *genes, random_state=s, **options) for s in (0, 0, 1))
    assert_same(one, same)
    assert (one.scores != other.scores).any()
    among = compare(PAIR | forest, *genes, random_state=0, **options)
    np.testing.assert_array_equal(among.scores[2], one.scores[0])
    source = compare(forest, *genes, random_state=np.random.RandomState(0), **options)
    assert_same(one, source)


def test_seed_that_a_member_brings_is_left_alone(genes):
    X, y = genes
    result = compare({"a": RandomForestClassifier(3, random_state=7)}, X, y, **QUICK)
    for score, (train, test) in zip(result.scores[0], result.folds, strict=True):
        model = RandomForestClassifier(3, random_state=7).fit(X[train], y[train])
        assert score == model.score(X[test], y[test])


# ------------------------------------------------------------------ what goes wrong


def numbered(genes):
    """The first feature of the first training sample is 0, 1 or another number."""
    return np.column_stack([np.arange(60), genes[0]]), genes[1]


def test_failure_is_kept_and_shown_while_others_go_on(genes):
    X, y = numbered(genes)
    members = {"fails": FailsWith()} | PAIR
    with pytest.warns(FitFailedWarning, match="^fails failed in 2 of 3 folds, first: ValueError"):
        result = compare(members, X, y, **QUICK)
    n_failed = sum(train[0] == 0 for train, _ in result.folds)
    assert n_failed == 2
    assert result.table["n_failed"].tolist() == [2, 0, 0]
    assert result.table["n_folds"].tolist() == [1, 3, 3]
    assert np.isnan(result.scores[0]).sum() == 2
    assert not np.isnan(result.scores[1:]).any()
    failed = next(each for each in result.results_of("fails") if each.error)
    assert failed.error == "ValueError: no luck\nwith this one"
    assert "in fit" in failed.traceback
    shown = "fails failed in 2 of 3 folds, first: ValueError: no luck with this one"
    assert shown in str(result).splitlines()
    assert result.differences["n_folds"].tolist() == [1, 3, 3]
    assert result.confusion["fails"].sum() == result.predictions("fails")["sample"].size == 20


def test_member_that_failed_somewhere_is_not_the_baseline(genes):
    X, y = numbered(genes)
    members = {"fails": FailsWith(), "other": Base()}
    with pytest.warns(FitFailedWarning):
        result = compare(
            members, X, y, scoring=lambda model, X, y: len(type(model).__name__), **QUICK
        )
    assert result.table["mean_test_score"].tolist() == [9, 4]
    assert result.baseline == "other"


def test_all_may_fail(genes):
    X, y = numbered(genes)
    with pytest.warns(FitFailedWarning, match="a failed in 3 of 3 folds"):
        result = compare({"a": FailsWith((0.0, 1.0, 2.0, 3.0))}, X, y, **QUICK)
    assert np.isnan(result.table["mean_test_score"]).all()
    assert result.baseline == "a"
    assert np.isnan(result.recall("a")).all()
    assert result.predictions("a")["sample"].size == 0
    assert "a failed in 3 of 3 folds" in str(result)


def test_error_of_the_scorer_and_strange_predictions_are_failures_too(genes):
    members = {"stranger": Stranger(), "fine": Base()}
    with pytest.warns(FitFailedWarning, match="predict gave labels that are not in y"):
        result = compare(members, *genes, **QUICK)
    assert result.table["n_failed"].tolist() == [3, 0]
    with pytest.warns(FitFailedWarning, match="fine failed in 3 of 3 folds, first: TypeError"):
        compare({"fine": Base()}, *genes, scoring=lambda model, X, y: None, **QUICK)


def test_warnings_are_counted_and_kept(genes):
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        result = compare({"warns": Warns()} | PAIR, *genes, **QUICK)
    assert result.table["n_warned"].tolist() == [3, 0, 0]
    assert result.results[0].warnings == ("RuntimeWarning: not sure",)
    assert "warns warned in 3 of 3 folds, first: RuntimeWarning: not sure" in str(result)


def test_interruption_carries_what_is_finished(genes):
    X, y = numbered(genes)
    folds = compare(PAIR, X, y, **QUICK).folds
    last = [train[0] for train, _ in folds]
    at = next(fold for fold, first in enumerate(last) if first != last[0])
    stops = {"stops": FailsWith((float(last[at]),), KeyboardInterrupt)}
    with pytest.raises(ComparisonInterrupted, match=rf"stopped after {3 * at + 2} of 9") as stop:
        compare(PAIR | stops, X, y, **QUICK)
    found = stop.value.comparison
    assert isinstance(stop.value, KeyboardInterrupt)
    assert isinstance(found, Comparison)
    assert not found.is_complete
    assert found.table["n_folds"].tolist() == [at + 1, at + 1, at]
    assert f"unfinished: {3 * at + 2} of 9 fits" in str(found)


def test_interruption_before_the_first_fit_carries_an_empty_table(genes):
    X, y = numbered(genes)
    stops = {"stops": FailsWith((0.0, 1.0, 2.0, 3.0), KeyboardInterrupt)}
    with pytest.raises(ComparisonInterrupted) as stop:
        compare(stops, X, y, **QUICK)
    assert np.isnan(stop.value.comparison.scores).all()
    assert "unfinished: 0 of 3 fits" in str(stop.value.comparison)


def test_run_yields_fold_by_fold_and_goes_on_where_it_was_left(genes):
    whole = compare(PAIR, *genes, **QUICK)
    run = iter_comparison(PAIR, *genes, **QUICK)
    assert (run.n_done, len(run)) == (0, 6)
    assert np.isnan(run.seconds_left)
    seen = []
    for result in run:
        seen.append((result.name, result.fold))
        if len(seen) == 3:
            break
    assert run.n_done == 3
    assert run.seconds_left > 0
    assert not run.comparison().is_complete
    seen += [(result.name, result.fold) for result in run]
    assert seen == [(name, fold) for fold in range(3) for name in PAIR]
    assert run.seconds_left == 0.0
    assert_same(run.comparison(), whole)
    assert list(run) == []


def test_run_in_parallel_may_be_left_early_without_a_word(genes):
    whole = compare(PAIR, *genes, cv=4, n_repeats=3, random_state=0)
    with joblib.parallel_config("threading"):
        run = iter_comparison(PAIR, *genes, cv=4, n_repeats=3, random_state=0, n_jobs=2)
        for _ in run:
            break
        for _ in run:
            pass
    assert_same(run.comparison(), whole)


def test_progress_is_told_or_written(genes, capsys):
    told = []
    compare(
        PAIR, *genes, progress=lambda result, run: told.append((result.name, run.n_done)), **QUICK
    )
    assert told == list(zip([*PAIR] * 3, range(1, 7), strict=True))
    compare(PAIR, *genes, progress=True, **QUICK)
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.count("\r") == 6
    assert "1/6 fits" in written.err
    assert "s left: centroid, fold 1" in written.err
    assert "6/6 fits, done: majority, fold 3" in written.err
    compare(PAIR, *genes, progress=False, **QUICK)
    assert capsys.readouterr().err == ""


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"estimators": {}}, ValueError, "estimators={} must hold at least one"),
        ({"estimators": GaussianNB()}, TypeError, "estimators=GaussianNB.* must be a dict"),
        ({"estimators": [GaussianNB()]}, TypeError, "must be a dict of classifiers by name"),
        ({"estimators": {1: GaussianNB()}}, TypeError, "the key 1; names must be text"),
        ({"estimators": {"": GaussianNB()}}, TypeError, "the key ''; names must be text"),
        ({"estimators": {"a": GaussianNB}}, TypeError, r"estimators\['a'\]=.* be a classifier"),
        ({"estimators": {"a": PCA()}}, TypeError, r"estimators\['a'\]=PCA.* be a classifier"),
        ({"cv": 1}, ValueError, "cv=1 must be at least 2 folds"),
        ({"cv": True, "n_repeats": None}, ValueError, "cv=True must be at least 2 folds"),
        ({"cv": 30}, ValueError, "cv=30 must be at most 20, the number of samples of class '.'"),
        ({"cv": "many", "n_repeats": None}, ValueError, "cv"),
        ({"cv": [], "n_repeats": None}, ValueError, r"cv=\[\] must give at least one fold"),
        ({"cv": KFold(3)}, ValueError, "n_repeats=1 must be None unless cv is a number"),
        (
            {"cv": [([0, 1, 2], [2, 3])], "n_repeats": None},
            ValueError,
            "fold 0 of cv tests 1 samples that it trains on",
        ),
        (
            {"cv": [([0, 1, 2], np.zeros(0, int))], "n_repeats": None},
            ValueError,
            "fold 0 of cv must have samples",
        ),
        ({"n_repeats": 0}, ValueError, "n_repeats=0 must be at least 1"),
        ({"n_repeats": 1.5}, TypeError, "n_repeats=1.5 must be an int"),
        ({"scoring": 3}, TypeError, "scoring=3 must be the name of a scorer"),
        ({"scoring": "best"}, ValueError, "best"),
        ({"baseline": "nobody"}, ValueError, "baseline='nobody' must be None or among .* a"),
        ({"impute": "guess"}, ValueError, "impute='guess' must be"),
        ({"impute": 3}, TypeError, "impute=3 must be one of mean, median"),
        ({"impute": SimpleImputer}, TypeError, "impute=<class .* a transformer"),
        ({"groups": [1, 2]}, ValueError, r"groups of shape \(2,\) must hold one group .* 60"),
        ({"groups": [0, 1] * 30}, ValueError, "cv=3 must be at most 2, the number of groups"),
        ({"n_jobs": 0}, ValueError, "n_jobs=0 must be a number of jobs"),
        ({"n_jobs": 1.5}, TypeError, "n_jobs=1.5 must be an int or None"),
        ({"random_state": "x"}, ValueError, "'x' cannot be used to seed"),
        ({"progress": "bar"}, TypeError, "progress='bar' must be True, a function"),
        ({"y": None}, ValueError, "y=None must hold the class"),
        ({"y": ["a"] * 60}, ValueError, "y holds one class, 'a'; compare needs samples"),
        ({"y": np.linspace(0, 1, 60)}, ValueError, "Unknown label type"),
        ({"y": [0, 1]}, ValueError, "inconsistent numbers of samples"),
        ({"X": np.zeros(60)}, ValueError, "Expected 2D array"),
    ],
    ids=str,
)
def test_wrong_input_is_named_before_anything_is_fitted(genes, options, error, message):
    X, y = genes
    asked = {"estimators": {"a": Untouched()}, "X": X, "y": y} | QUICK | options
    with pytest.raises(error, match=message):
        compare(asked.pop("estimators"), asked.pop("X"), asked.pop("y"), **asked)


@pytest.mark.parametrize(
    ("cv", "groups", "message"),
    [
        (2, None, "class 'a' has 1 samples in a training part"),
        ([(np.arange(2, 60), [0])], np.r_[0, 0, np.ones(58)], "a training part of one group"),
    ],
    ids=["class", "group"],
)
def test_default_line_up_says_what_it_cannot_choose_with(genes, cv, groups, message):
    X, y = genes
    if groups is None:
        kept = np.r_[np.flatnonzero(y == "a")[:2], np.flatnonzero(y != "a")]
        X, y = X[kept], y[kept]
    with pytest.raises(ValueError, match=message):
        compare(None, X, y, cv=cv, groups=groups)


def test_default_line_up_refuses_text(genes):
    with pytest.raises(ValueError, match="could not convert string"):
        compare(None, np.full((60, 3), "x", dtype=object), genes[1])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_features": 0}, ValueError, "n_features=0 must be at least 1"),
        ({"n_features": 2.5}, TypeError, "n_features=2.5 must be an int"),
        ({"inner_cv": 1}, ValueError, "inner_cv=1 must be at least 2 folds"),
        ({"inner_cv": True}, ValueError, "inner_cv=True must be at least 2 folds"),
        ({"n_features_grid": [31]}, ValueError, "n_features_grid holds 31, more than"),
        ({"n_features_grid": [0]}, ValueError, "n_features_grid=0 must be at least 1"),
        ({"n_features_grid": 5}, TypeError, "n_features_grid=5 must hold numbers"),
        ({"n_features_grid": []}, TypeError, r"n_features_grid=\[\] must hold numbers"),
    ],
    ids=str,
)
def test_line_up_names_what_is_wrong(options, error, message):
    with pytest.raises(error, match=message):
        comparison_lineup(**{"n_features": 30} | options)


def test_result_names_who_is_unknown(twin):
    with pytest.raises(ValueError, match="name='nobody' must be one of searched, forest, maj"):
        twin[0].predictions("nobody")
    with pytest.raises(ValueError, match="name='nobody' must be one of"):
        twin[0].recall("nobody")


def test_logistic_regression_that_does_not_converge_is_a_warning_of_the_member(genes):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        result = compare({"a": LogisticRegression(max_iter=1)}, *genes, **QUICK)
    assert result.table["n_warned"].tolist() == [3]
    assert "ConvergenceWarning" in result.results[0].warnings[0]
