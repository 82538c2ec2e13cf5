"""Honest comparison: without a leak, of any data, whatever fails, and bad input."""

import re
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info

from centroidal import SparseCenterClassifier, SparseCenterClassifierCV
from centroidal.datasets import make_expression, make_word_counts
from centroidal.model_selection import (
    Comparison,
    ComparisonInterrupted,
    RandomFeaturesClassifier,
    compare,
    iter_comparison,
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


# ------------------------------------------------------------------ no leak


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


def test_missing_values_need_an_imputer(genes):
    X, y = genes[0].copy(), genes[1]
    X[::5, 3] = np.nan
    with pytest.raises(ValueError, match="X holds missing values; .* impute='median'"):
        compare(None, X, y)
    assert len(iter_comparison(None, X, y, impute="median")) == 24 * 15
    without = compare({"forest": RandomForestClassifier(3)}, X, y, **QUICK)
    assert not without.table["n_failed"].any()


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
    assert re.search(r"1/6 fits: centroid, fold 1, \d+ s left", written.err)
    assert "6/6 fits: majority, fold 3, done" in written.err
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
        ({"progress": "bar"}, TypeError, "progress='bar' must be a bool, a function"),
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


def test_logistic_regression_that_does_not_converge_is_a_warning_of_the_member(genes):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        result = compare({"a": LogisticRegression(max_iter=1)}, *genes, **QUICK)
    assert result.table["n_warned"].tolist() == [3]
    assert "ConvergenceWarning" in result.results[0].warnings[0]
