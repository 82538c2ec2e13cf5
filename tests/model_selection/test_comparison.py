"""The answer of a comparison: its tables against plain loops, and how it shows."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from centroidal.datasets import make_expression
from centroidal.model_selection import compare, iter_comparison
from centroidal.model_selection.intervals import Outcome, confidence_interval
from centroidal.model_selection.methods import SCORES
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
def twin(genes):
    X, y = genes
    folds, seeds = folds_and_seeds(5, y, 3, 2)
    steps = make_pipeline(StandardScaler(), SelectKBest(), NearestCentroid())
    searched = GridSearchCV(steps, {"selectkbest__k": SIZES}, cv=4)
    forest = RandomForestClassifier(5)
    members = {"searched": searched, "forest": forest, "majority": DummyClassifier()}
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
    assert pd.DataFrame(result.table).shape == (3, 14)
    assert pd.DataFrame(result.differences).shape == (3, 8)
    assert pd.DataFrame(result.predictions("forest")).shape == (120, 4)
    assert result.table["name"].tolist() == ["searched", "forest", "majority"]


def test_result_remembers_what_made_it(genes, twin):
    result, folds, _, _ = twin
    _, seeds = folds_and_seeds(5, genes[1], 3, 2)
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


def test_one_fold_of_a_score_that_is_not_counted_has_no_interval(genes):
    folds = ShuffleSplit(1, random_state=0)
    result = compare(PAIR, *genes, cv=folds, scoring="roc_auc_ovr")
    assert np.isnan(result.table["low_test_score"]).all()
    assert np.isnan(result.differences["high_difference"]).all()
    assert " - " in str(result)


def test_interval_without_repeats_is_that_of_the_counted_predictions(genes):
    result = compare(PAIR, *genes, baseline="majority", **QUICK)
    confusions = []
    for train, test in result.folds:
        predicted = NearestCentroid().fit(genes[0][train], genes[1][train]).predict(genes[0][test])
        confusions.append(confusion_matrix(genes[1][test], predicted))
    outcome = Outcome.of_folds(np.array(confusions), "accuracy", 1, 0.5)
    expected = confidence_interval(outcome, "accuracy", np.mean(outcome.scores), units=60)
    found = (result.table["low_test_score"][0], result.table["high_test_score"][0])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("scoring", [*SCORES, "roc_auc_ovr"])
def test_intervals_hold_their_score_and_difference(genes, scoring):
    result = compare(PAIR, *genes, scoring=scoring, random_state=0)
    table, differences = result.table, result.differences
    assert table["low_test_score"][0] < table["mean_test_score"][0] < table["high_test_score"][0]
    row = 1 - result.names.index(result.baseline)
    low, mean, high = (differences[f"{each}_difference"][row] for each in ("low", "mean", "high"))
    assert low < mean < high
    assert np.isnan(differences["low_difference"][1 - row])


def test_two_that_predict_the_same_are_not_shown_to_be_equal(genes):
    result = compare({"a": NearestCentroid(), "b": NearestCentroid()}, *genes, **QUICK)
    low, high = (result.differences[f"{end}_difference"][1] for end in ("low", "high"))
    assert -0.1 < low < 0.0 < high < 0.1


def test_perfect_member_has_an_interval_with_a_width():
    X = np.repeat([0.0, 10.0], 20)[:, None] + np.arange(40)[:, None] % 3
    result = compare({"a": NearestCentroid()}, X, np.repeat(["a", "b"], 20), random_state=0)
    assert result.table["mean_test_score"][0] == result.table["high_test_score"][0] == 1.0
    assert 0.85 < result.table["low_test_score"][0] < 0.95


def test_groups_that_are_right_together_widen_the_interval():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 6)
    y = np.arange(30)[groups] % 2
    X = y[:, None] + 1.5 * rng.normal(size=(30, 1))[groups] + 0.1 * rng.normal(size=(180, 1))
    members = {"a": NearestCentroid(), "b": DummyClassifier()}
    alone, grouped = (
        compare(members, X, y, groups=each, n_repeats=1, random_state=0)
        for each in (np.arange(180), groups)
    )
    assert (alone.n_groups, grouped.n_groups) == (180, 30)
    for columns, what in (("table", "test_score"), ("differences", "difference")):
        tables = [getattr(each, columns) for each in (alone, grouped)]
        widths = [np.nanmax(each[f"high_{what}"] - each[f"low_{what}"]) for each in tables]
        assert widths[1] > 1.5 * widths[0]
    assert "180 samples in 30 groups" in str(grouped)


def test_unfinished_comparison_has_intervals_of_what_is_finished(genes):
    run = iter_comparison(PAIR, *genes, random_state=0)
    for each in run:
        if each.fold == 0 and each.name == "majority":
            break
    first = run.comparison().table
    assert np.all(first["high_test_score"] - first["low_test_score"] > 0.2)


def test_correction_does_not_vanish_with_repeats(genes):
    result = compare({"a": NearestCentroid()}, *genes, cv=5, n_repeats=4, random_state=0)
    scores = result.scores[0]
    usual = scores.std(ddof=1) / np.sqrt(scores.size)
    assert result.table["se_test_score"][0] == pytest.approx(usual * np.sqrt(1 + 20 / 4))


def test_result_names_who_is_unknown(twin):
    with pytest.raises(ValueError, match="name='nobody' must be one of searched, forest, maj"):
        twin[0].predictions("nobody")
    with pytest.raises(ValueError, match="name='nobody' must be one of"):
        twin[0].recall("nobody")
