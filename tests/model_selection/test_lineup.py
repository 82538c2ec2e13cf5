"""The line-up: it finds nothing in noise, suits the data and names what is wrong."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import cross_val_score
from sklearn.svm import LinearSVC

from centroidal.datasets import make_expression, make_word_counts
from centroidal.model_selection import compare, comparison_lineup, iter_comparison

QUICK = {"cv": 3, "n_repeats": 1, "random_state": 0}


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, np.array(["a", "b", "c"])[data.target]


@pytest.fixture(scope="module")
def words():
    data = make_word_counts(90, 40, n_informative=8, random_state=0)
    return data.data, data.target


@pytest.mark.once
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
    for name in ("l2", "relief", "l21", "F test + SVM"):
        assert mean[name] > mean["random features"] + 0.15
    assert mean["majority class"] < 0.5


def test_what_one_would_use_instead_is_in_the_line_up(default):
    linear = {"linear SVM", "SVM-RFE", "ridge", "shrinkage LDA", "PLS-DA", "whitened-all"}
    mean = dict(zip(default.names, default.table["mean_test_score"], strict=True))
    assert {name for name in linear if mean[name] < mean["majority class"] + 0.15} == set()


def test_only_members_that_select_leave_features_out(default):
    assert all(each.n_features < 30 for each in default.results_of("SVM-RFE"))
    for name in ("linear SVM", "ridge", "shrinkage LDA", "whitened-all"):
        assert all(each.features is None for each in default.results_of(name))


def test_a_single_feature_is_enough_for_those_that_would_leave_some_out(genes):
    X, y = genes
    members = comparison_lineup(1, n_classes=3)
    names = ("recursive", "SVM-RFE", "F test + SVM", "PLS-DA", "whitened-all")
    found = compare({name: members[name] for name in names}, X[:, :1], y, **QUICK)
    assert not found.table["n_failed"].any()


def test_random_features_are_as_many_as_the_reference_selects(default):
    pairs = zip(default.results_of("random features"), default.results_of("l2"), strict=True)
    assert all(mine.n_features == theirs.n_features for mine, theirs in pairs)


def errors_of_first_fold(run):
    results = [result for result, _ in zip(run, range(len(run) // 2), strict=False)]
    return [f"{each.name}: {each.error}" for each in results if each.error]


def test_sparse_samples_have_a_line_up_of_their_own(words):
    X, y = words
    run = iter_comparison(None, X, y, cv=2, n_repeats=1, random_state=0)
    assert errors_of_first_fold(run) == []
    assert set(comparison_lineup(40)) - set(run.comparison().names) == {
        "l1", "shrunken centroids", "naive Bayes", "shrinkage LDA", "PLS-DA",
    }  # fmt: skip


def test_default_line_up_keeps_groups_together(genes):
    X, y = genes
    run = iter_comparison(None, X, y, groups=np.arange(60) // 2, **QUICK | {"cv": 2})
    assert errors_of_first_fold(run) == []


def test_line_up_is_scored_inside_as_it_is_outside():
    lineup = comparison_lineup(30, scoring="balanced_accuracy")
    searches = [each for each in lineup.values() if hasattr(each, "scoring")]
    assert len(searches) >= 8
    assert {each.scoring for each in searches} == {"balanced_accuracy"}


def test_network_is_there_if_it_is_asked_for():
    extra = comparison_lineup(30, neural=True).keys() - comparison_lineup(30).keys()
    assert extra == {"encoder"}


def test_rare_class_has_fewer_inner_folds(genes):
    X, y = genes
    kept = np.r_[np.flatnonzero(y == "a")[:3], np.flatnonzero(y != "a")]
    run = iter_comparison(None, X[kept], y[kept], cv=3)
    members = run._members
    assert members["l2"].cv.n_splits == 2


@pytest.mark.parametrize(
    ("cv", "groups", "message"),
    [
        (2, None, "class 'a' has 1 samples in a training set"),
        ([(np.arange(2, 60), [0])], np.r_[0, 0, np.ones(58)], "a training set of one group"),
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
