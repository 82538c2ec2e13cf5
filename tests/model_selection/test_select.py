"""The main job: as plain loops do it, without a leak, of any data, in words, and bad input."""

import pickle
from dataclasses import FrozenInstanceError, fields, replace
from functools import partial

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.metrics import recall_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from centroidal import (
    CostSensitiveClassifier,
    ReliefFSelector,
    SparseCenterClassifier,
    SparseCentroidEncoder,
    feature_selection,
)
from centroidal.datasets import make_expression, make_word_counts
from centroidal.model_selection import FeatureSelection, methods, sources, suspicion
from centroidal.model_selection.methods import SCORES
from centroidal.solvers import background
from tests.reference.compare import corrected_error, count_confusion
from tests.reference.selection import (
    CLASSIFIERS,
    METHODS,
    Question,
    Size,
    answer_of,
    cheapest,
    model_of,
    random_scores,
    try_method,
)

from ..l2 import select_features

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
every_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
every_method = pytest.mark.parametrize("method", METHODS)
CUT = {"cv": 3, "n_repeats": 1}
QUICK = CUT | {"random_state": 0}
SEED = 3


@pytest.fixture(scope="module")
def genes():
    """Few features, of which few are needed; classes of 18, 12 and 6 samples."""
    made = make_expression(36, 12, 4, class_weights=(3, 2, 1), random_state=0)
    return made.data, np.array(["a", "b", "c"])[made.target]


@pytest.fixture(scope="module")
def clear():
    """Three classes of 20 samples that differ a lot in five features."""
    made = make_expression(60, 40, 5, effect=4.0, random_state=0)
    return made.data, made.target


@pytest.fixture(scope="module")
def strong():
    """Five features that all tell three classes apart."""
    made = make_expression(36, 40, 5, effect=4.0, random_state=0)
    return made.data[:, made.informative], made.target


@pytest.fixture(scope="module")
def words():
    """Sparse samples of two classes: words in texts, weighted so that no two are equal."""
    made = make_word_counts(60, 20, n_informative=4, random_state=0)
    X = sparse.csr_array(made.data, dtype=float)
    X.data *= np.random.default_rng(0).uniform(0.5, 1.5, X.nnz)
    return X, made.target


@pytest.fixture
def holes(genes, rng):
    """The genes with some values missing."""
    X, y = genes
    return np.where(rng.uniform(size=X.shape) < 0.1, np.nan, X), y


@pytest.fixture(scope="module")
def found(clear):
    return select_features(*clear, random_state=0, cv=3, n_repeats=1)


def steps_of(model):
    return [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]


def columns_of(model):
    """Columns that the first step of a model that selects has kept."""
    selector = next(step for step in steps_of(model) if hasattr(step, "get_support"))
    return selector.get_support(indices=True).tolist()


def splits_of(table):
    """Scores of the folds, in rows."""
    n_folds = sum(name.startswith("split") for name in table)
    return np.array([table[f"split{number}_test_score"] for number in range(n_folds)])


def assert_same(one, other):
    """All that was found is equal to the bit, but for the time it took."""
    left_out = {"model", "stability", "seconds"}
    for name in {field.name for field in fields(FeatureSelection)} - left_out:
        mine, theirs = getattr(one, name), getattr(other, name)
        if name in ("path", "random_path"):
            assert mine.keys() == theirs.keys()
            for column in mine:
                np.testing.assert_array_equal(mine[column], theirs[column], err_msg=name)
        else:
            np.testing.assert_array_equal(mine, theirs, err_msg=name)


# ------------------------------------------------------------------ as plain loops do it


@pytest.fixture(scope="module")
def question(genes):
    return Question.of(*genes, SEED, 3, 1)


@pytest.fixture(scope="module")
def slow(question):
    """What plain loops find by a method; each is tried once."""
    return remembered(partial(try_method, question))


@pytest.fixture(scope="module")
def fast(genes):
    """What is tested, by a method; each is tried once."""
    return remembered(
        lambda method: select_features(*genes, method=method, random_state=SEED, **CUT)
    )


def remembered(find):
    known = {}

    def remember(method):
        if method not in known:
            known[method] = find(method)
        return known[method]

    return remember


def assert_answer(selection, question, tried):
    """Compare with what plain loops say about the methods that they tried."""
    answer = answer_of(question, tried)
    assert (selection.method, selection.n_features_to_select) == (answer.method, answer.size)
    chosen = [(each["fold"], each["method"], each["n_features"]) for each in selection.fold_choices]
    assert chosen == list(zip(range(len(answer.sizes)), answer.methods, answer.sizes, strict=True))
    told = [each["score"] for each in selection.fold_choices]
    np.testing.assert_allclose(told, answer.scores, rtol=_error(selection))
    assert selection.score == pytest.approx(np.mean(answer.scores), rel=_error(selection))
    assert selection.se_score == pytest.approx(corrected_error(answer.scores, question.folds))
    assert_predictions(selection, question, answer)
    mine = tried[answer.method].of(selection.classifier)
    assert_path(selection, question, mine)
    named = [
        (each, choice["classifier"])
        for each, choice in zip(answer.sizes, selection.fold_choices, strict=True)
    ]
    assert all(getattr(size, "classifier", name) == name for size, name in named)
    assert getattr(answer.size, "classifier", selection.classifier) == selection.classifier
    for name, each in selection.classifier_scores.items():
        of_name = tried[answer.method].of(name)
        scores = of_name.scores[of_name.sizes.index(answer.size)]
        assert each["score"] == pytest.approx(np.mean(scores), rel=_error(selection))
        assert each["se"] == pytest.approx(corrected_error(scores, question.folds))
    for method, each in selection.method_scores.items():
        of_method = tried[method].of(each["classifier"])
        scores = of_method.scores[of_method.sizes.index(each["n_features"])]
        assert each["score"] == pytest.approx(np.mean(scores), rel=_error(selection))
        assert each["se"] == pytest.approx(corrected_error(scores, question.folds))


def _error(selection):
    """Scores of counts are the same to the bit; others depend on when solvers stop."""
    return 0.0 if selection.metric in SCORES else 1e-6


def assert_predictions(selection, question, answer):
    n_folds = selection.n_folds
    for number, (_, test) in enumerate(question.folds):
        codes = selection.predicted[number // n_folds, test]
        np.testing.assert_array_equal(selection.classes[codes], answer.predictions[number])
    confusion = count_confusion(
        question.y, question.folds, answer.predictions, selection.classes.tolist()
    )
    np.testing.assert_array_equal(selection.confusion, confusion)


def assert_path(selection, question, tried):
    assert selection.path["n_features"].tolist() == tried.sizes
    scores = np.transpose(tried.scores)
    np.testing.assert_allclose(splits_of(selection.path), scores, rtol=_error(selection))
    for i in range(len(tried.sizes)):
        predictions = [of_fold[i] for of_fold in tried.predicted]
        confusion = count_confusion(
            question.y, question.folds, predictions, selection.classes.tolist()
        )
        np.testing.assert_array_equal(selection.confusion_path[i], confusion)


@every_method
def test_method_finds_what_plain_loops_find(fast, slow, question, method):
    assert_answer(fast(method), question, {method: slow(method)})


def test_best_method_is_the_one_that_plain_loops_choose(fast, slow, question):
    assert fast("best").methods_tried == METHODS
    assert fast("best").method_scores.keys() == set(METHODS)
    assert_answer(fast("best"), question, {method: slow(method) for method in METHODS})


def test_best_method_with_a_given_number_is_the_one_that_plain_loops_choose(genes, question):
    selection = select_features(
        *genes, method="best", n_features_to_select=7, random_state=SEED, **CUT
    )
    tried = {method: try_method(question, method, [7]) for method in METHODS}
    answer = answer_of(question, tried)
    assert (selection.method, selection.n_features_to_select) == (answer.method, 7)
    assert [each["method"] for each in selection.fold_choices] == answer.methods
    assert selection.score == np.mean(answer.scores)
    assert_predictions(selection, question, answer)


@pytest.mark.parametrize(
    ("n_folds", "n_repeats", "options"),
    [
        (3, 2, {}),
        (4, 1, {"rule": "best"}),
        (3, 1, {"scoring": "balanced_accuracy"}),
        (3, 1, {"scoring": "balanced_accuracy", "rule": "best"}),
        (3, 2, {"scoring": "roc_auc"}),
        (3, 1, {"scoring": "average_precision", "rule": "best"}),
        (3, 2, {"scoring": "neg_log_loss"}),
        (3, 1, {"scoring": "neg_brier_score", "rule": "best"}),
    ],
    ids=str,
)
def test_folds_rules_and_scores_are_those_of_plain_loops(genes, n_folds, n_repeats, options):
    selection = select_features(*genes, cv=n_folds, n_repeats=n_repeats, random_state=8, **options)
    question = Question.of(*genes, 8, n_folds, n_repeats, **options)
    assert_answer(selection, question, {"l2": try_method(question, "l2")})


@pytest.mark.parametrize(("method", "impute"), [("l2", "median"), ("disjoint", "mean")])
def test_missing_values_are_filled_in_as_plain_loops_do(holes, method, impute):
    selection = select_features(*holes, method=method, impute=impute, **QUICK)
    question = Question.of(*holes, 0, 3, 1, impute=impute)
    assert selection.impute == impute
    assert_answer(selection, question, {method: try_method(question, method)})


def test_sparse_samples_are_selected_as_plain_loops_do_with_dense_ones(words):
    X, y = words
    selection = select_features(X, y, **QUICK)
    question = Question.of(X.toarray(), y, 0, 3, 1, is_sparse=True)
    assert_answer(selection, question, {"l2": try_method(question, "l2")})


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_samples_with_many_equal_values_are_selected_as_plain_loops_do(rng, layout):
    X, y = rng.integers(0, 3, size=(40, 8)), np.arange(40) % 2
    X[:, 1] += y
    selection = select_features(layout(X), y, **QUICK)
    question = Question.of(layout(X), y, 0, 3, 1, is_sparse=layout is sparse.csr_array)
    assert_answer(selection, question, {"l2": try_method(question, "l2")})


def test_missing_values_of_sparse_samples_are_filled_in_as_plain_loops_do(words):
    X, y = words[0].copy(), words[1]
    X.data[::9] = np.nan
    selection = select_features(X, y, impute="median", **QUICK)
    question = Question.of(X, y, 0, 3, 1, impute="median", is_sparse=True)
    tried = try_method(question, "l2")
    assert_answer(selection, question, {"l2": tried})
    expected = random_scores(question, tried.sizes)
    np.testing.assert_allclose(splits_of(selection.random_path), np.transpose(expected), rtol=1e-12)


COSTS = np.array([[0.0, 1.0, 6.0], [3.0, 0.0, 2.0], [9.0, 0.5, 0.1]])


@pytest.mark.parametrize("scoring", ["neg_cost", "accuracy", "neg_log_loss"])
@pytest.mark.parametrize("method", ["l2", "relief"])
def test_costs_decide_as_plain_loops_do(genes, method, scoring):
    X, y = genes[0][:, :6], genes[1]
    options = {"scoring": scoring, "costs": COSTS}
    selection = select_features(X, y, method=method, **options, **QUICK)
    question = Question.of(X, y, 0, 3, 1, **options)
    tried = try_method(question, method)
    assert_answer(selection, question, {method: tried})
    if method == "l2":
        expected = random_scores(question, tried.sizes)
        mine = splits_of(selection.random_path)
        np.testing.assert_allclose(mine, np.transpose(expected), rtol=1e-10)
    # The final model decides in the same way.
    found = selection.model.predict(X)
    np.testing.assert_array_equal(found, cheapest(selection.model, X, COSTS))
    assert selection.metrics["cost"] == pytest.approx(
        COSTS[selection.true_codes, selection.predicted].mean()
    )
    low, high = selection.intervals["cost"]
    assert low < selection.metrics["cost"] < high
    assert "those of the least expected cost" in selection.summary()


def test_a_class_weight_is_a_cost_and_moves_the_recall(genes):
    plain = select_features(*genes, n_features_to_select=1, **QUICK)
    weighted = select_features(
        *genes, n_features_to_select=1, class_weight={"c": 20.0}, scoring="neg_cost", **QUICK
    )
    assert weighted.recall[2] >= plain.recall[2]
    assert weighted.confusion[:, 2].sum() > plain.confusion[:, 2].sum()
    assert weighted.costs.tolist() == [[0, 1, 1], [1, 0, 1], [20, 20, 0]]
    assert "always the cheapest class" in weighted.summary()
    balanced = select_features(*genes, class_weight="balanced", **QUICK).costs
    np.testing.assert_allclose(balanced.max(axis=1), [36 / 54, 36 / 36, 36 / 18])


def test_blocks_and_groups_are_decided_by_costs(genes):
    X, y = genes
    blocks, groups = np.arange(36) % 3, np.arange(36)
    asked = {"blocks": blocks, "costs": COSTS, "scoring": "neg_cost", "random_state": 0}
    found = select_features(X, y, groups=groups, n_repeats=1, **asked)
    scored = [row for row in found.blocks["rows"] if row["trouble"] is None]
    assert scored
    for row in scored:
        cost = (row["confusion"] * COSTS).sum() / row["confusion"].sum()
        assert row["score"] == pytest.approx(-cost)


def test_imputation_stays_in_front_of_costs(holes):
    found = select_features(*holes, impute="median", method="relief", costs=COSTS, **QUICK)
    assert type(found.model[-1]) is CostSensitiveClassifier
    assert np.isin(found.model.predict(holes[0]), ["a", "b", "c"]).all()


@pytest.mark.parametrize("method", ["l1", "fisher", "relief"])
@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss"])
def test_methods_are_scored_by_probabilities_as_plain_loops_do(genes, method, scoring):
    for n_classes in (2, 3):
        few = np.isin(genes[1], ["a", "b", "c"][:n_classes])
        X, y = genes[0][:, :6][few], genes[1][few]
        selection = select_features(X, y, method=method, scoring=scoring, **QUICK)
        question = Question.of(X, y, 0, 3, 1, scoring=scoring)
        assert_answer(selection, question, {method: try_method(question, method)})


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "roc_auc", "neg_log_loss"])
def test_random_features_score_as_plain_loops_say(genes, scoring):
    selection = select_features(*genes, scoring=scoring, **QUICK)
    question = Question.of(*genes, 0, 3, 1, scoring=scoring)
    sizes = selection.path["n_features"].tolist()
    expected = np.transpose(random_scores(question, sizes))
    np.testing.assert_array_equal(selection.random_path["n_features"], sizes)
    np.testing.assert_allclose(splits_of(selection.random_path), expected, rtol=1e-12)
    chosen = [sizes.index(each["n_features"]) for each in selection.fold_choices]
    scores = [expected[fold, position] for fold, position in enumerate(chosen)]
    assert selection.random_score == pytest.approx(np.mean(scores))
    assert selection.se_random == pytest.approx(corrected_error(scores, question.folds))


# ------------------------------------------------------------------ no leak


def test_score_of_noise_is_that_of_chance_and_selecting_first_is_not():
    honest, leaky = [], []
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(30, 5000))
        y = np.random.default_rng(seed).permutation(np.arange(30) % 2)
        honest.append(select_features(X, y, n_repeats=1, random_state=seed).score)
        selected = SparseCenterClassifier(20, scale="within").fit_transform(X, y)
        leaky.append(cross_val_score(SparseCenterClassifier(scale="within"), selected, y).mean())
    assert 0.35 < np.mean(honest) < 0.65
    assert np.mean(leaky) > 0.85


@pytest.mark.parametrize(
    ("method", "n_features"), [("l2", "auto"), ("disjoint", "auto"), ("best", 4)]
)
def test_a_fold_chooses_without_its_test_part(genes, rng, method, n_features):
    X, y = genes[0][:, :6], genes[1]
    options = {"method": method, "n_features_to_select": n_features, "impute": "mean", **QUICK}
    (_, test), *_ = Question.of(X, y, 0, 3, 1).folds
    changed = X.copy()
    changed[test] = 100.0 * rng.normal(size=(test.size, 6))
    changed[test[0], 3] = np.nan
    before, after = select_features(X, y, **options), select_features(changed, y, **options)
    for name in ("method", "n_features"):
        assert before.fold_choices[0][name] == after.fold_choices[0][name]
    assert not np.array_equal(before.predicted[0, test], after.predicted[0, test])


def test_unseen_samples_are_predicted_one_by_one(genes, rng):
    X, y = genes
    (_, test), *_ = Question.of(X, y, 0, 3, 1).folds
    changed = X.copy()
    changed[test[1:]] += rng.normal(size=(test.size - 1, 12))
    before, after = select_features(X, y, **QUICK), select_features(changed, y, **QUICK)
    assert before.predicted[0, test[0]] == after.predicted[0, test[0]]


# ------------------------------------------------------------------ seeds and jobs


def test_same_seed_gives_the_same_result_and_another_seed_other_folds(genes):
    one, again = (select_features(*genes, n_resamples=4, **QUICK) for _ in range(2))
    other = select_features(*genes, n_resamples=4, random_state=1, **CUT)
    assert_same(one, again)
    np.testing.assert_array_equal(
        one.stability.selection_frequencies_, again.stability.selection_frequencies_
    )
    assert not np.array_equal(splits_of(one.path), splits_of(other.path))
    np.testing.assert_array_equal(one.ranking, other.ranking)


@pytest.mark.parametrize("source", [7, None, "RandomState"], ids=str)
def test_seed_that_is_reported_gives_the_same_result(genes, source):
    random_state = np.random.RandomState(5) if source == "RandomState" else source
    selection = select_features(*genes, random_state=random_state, **CUT)
    assert_same(select_features(*genes, random_state=selection.seed, **CUT), selection)


def test_number_of_processes_does_not_matter(genes):
    X, y = genes[0][:, :6], genes[1]
    options = {"method": "disjoint", "n_resamples": 2, **QUICK}
    alone, together = (select_features(X, y, n_jobs=n, **options) for n in (1, 2))
    assert_same(alone, together)
    np.testing.assert_array_equal(
        alone.stability.supports_.toarray(), together.stability.supports_.toarray()
    )
    np.testing.assert_array_equal(alone.model.predict(X), together.model.predict(X))


def test_threads_in_place_of_processes_do_not_matter(genes):
    expected = select_features(*genes, **QUICK)
    with joblib.parallel_config("threading", n_jobs=2):
        assert_same(select_features(*genes, **QUICK), expected)


# ------------------------------------------------------------------ the model


def size_of(selection):
    return Size(selection.n_features_to_select, selection.classifier)


@every_method
def test_model_is_the_one_that_a_user_would_fit_to_all_samples(fast, genes, method):
    selection, (X, y) = fast(method), genes
    expected = model_of(method, size_of(selection)).fit(X, y)
    np.testing.assert_array_equal(selection.model.predict(X), expected.predict(X))
    np.testing.assert_array_equal(selection.model.classes_, ["a", "b", "c"])
    assert (
        columns_of(selection.model) == sorted(selection.selected.tolist()) == columns_of(expected)
    )


@pytest.mark.parametrize(
    ("method", "classifier", "names"),
    [
        ("relief", "auto", CLASSIFIERS),
        ("relief", "logistic regression", ["logistic regression"]),
        ("l2", "any", CLASSIFIERS),
        ("l1", "linear SVM", ["linear SVM"]),
    ],
)
def test_classifier_is_chosen_inside_the_folds_for_a_given_number_too(
    genes, question, method, classifier, names
):
    selection = select_features(
        *genes, method=method, classifier=classifier, n_features_to_select=4, random_state=SEED,
        **CUT,
    )  # fmt: skip
    sizes = [Size(4, name) for name in names]
    answer = answer_of(question, {method: try_method(question, method, sizes)})
    told = [each["classifier"] for each in selection.fold_choices]
    assert told == [each.classifier for each in answer.sizes]
    assert selection.classifier == answer.size.classifier
    assert selection.score == np.mean(answer.scores)
    assert_predictions(selection, question, answer)
    with pytest.raises(ValueError, match="cv=2"):
        select_features(*genes, method="relief", n_features_to_select=4, cv=2)


def test_one_classifier_is_no_choice(genes):
    asked = {"n_features_to_select": 4, "cv": 2, "n_repeats": 1, "random_state": SEED}
    selection = select_features(*genes, method="fisher", classifier="nearest centers", **asked)
    assert selection.classifier_scores.keys() == {"nearest centers"}


def test_classifier_is_told_where_there_is_a_choice(fast):
    ranked, centers = fast("recursive"), fast("l2")
    assert list(ranked.classifier_scores) == list(CLASSIFIERS)
    assert f"classified by {ranked.classifier}, rather than" in ranked.summary()
    assert centers.classifier_scores.keys() == {"nearest centers"}
    assert "classified by" not in centers.summary()


@every_method
def test_model_fills_in_missing_values(holes, method):
    X, y = holes[0][:, :6], holes[1]
    selection = select_features(
        X, y, method=method, n_features_to_select=3, impute="median", **QUICK
    )
    expected = model_of(method, size_of(selection), impute="median").fit(X, y)
    np.testing.assert_array_equal(selection.model.predict(X), expected.predict(X))
    assert (
        columns_of(selection.model) == sorted(selection.selected.tolist()) == columns_of(expected)
    )


@every_method
def test_feature_without_any_value_is_not_selected(strong, method):
    X, y = np.insert(strong[0], 1, np.nan, axis=1), strong[1]
    selection = select_features(X, y, method=method, n_features_to_select=3, impute="mean", **QUICK)
    assert 1 not in selection.selected
    assert selection.model.predict(X).shape == (36,)


def test_model_of_labels_of_any_type_predicts_them(genes):
    X, y = genes
    for labels in (y == "a", np.array([{"a": -1, "b": 7, "c": 3}[each] for each in y])):
        selection = select_features(X, labels, **QUICK)
        np.testing.assert_array_equal(selection.classes, np.unique(labels))
        assert selection.model.predict(X).dtype == labels.dtype
        np.testing.assert_array_equal(selection.classes[selection.true_codes], labels)


@every_method
def test_ranking_holds_all_features_by_decreasing_gain(fast, method):
    selection = fast(method)
    assert sorted(selection.ranking.tolist()) == list(range(12))
    assert (np.diff(selection.gains[selection.ranking]) <= 0.0).all()
    np.testing.assert_array_equal(
        selection.selected, selection.ranking[: selection.n_features_to_select]
    )


@every_method
def test_centers_are_in_the_units_of_the_data(fast, genes, method):
    center = np.median if method == "l1" else np.mean
    expected = [center(genes[0][genes[1] == label], axis=0) for label in "abc"]
    np.testing.assert_allclose(fast(method).centers, expected, rtol=1e-12)


def test_informative_features_are_found():
    made = make_expression(90, 300, 5, effect=4.0, random_state=2)
    selection = select_features(
        made.data, made.target, n_features_to_select=5, cv=3, random_state=0
    )
    assert set(selection.selected.tolist()) == set(np.flatnonzero(made.informative).tolist())
    assert selection.beats_random


def test_encoder_selects_behind_a_filter(monkeypatch):
    pytest.importorskip("torch", reason="encoders need PyTorch")
    small = partial(SparseCentroidEncoder, hidden_layer_sizes=(3,), max_epochs=2)
    monkeypatch.setattr(feature_selection, "SparseCentroidEncoder", small)
    made = make_expression(24, 270, 5, 2, random_state=0)
    selection = select_features(
        made.data, made.target, method="encoder", n_features_to_select=3, **QUICK
    )
    encoder = selection.model.estimator_["select"]
    assert isinstance(encoder.prefilter, ReliefFSelector)
    assert encoder.prefilter.n_features_to_select == 256
    assert columns_of(selection.model) == sorted(selection.selected.tolist())
    assert encoder.random_state == selection.seed == 0
    assert selection.confusion.sum() == 24


# ------------------------------------------------------------------ sizes and scores


def test_path_is_a_table_of_the_scores_of_the_folds(found):
    path, splits = found.path, splits_of(found.path)
    assert path["n_features"][0] == 1
    assert path["n_features"][-1] == 40
    assert (np.diff(path["n_features"]) > 0).all()
    assert splits.shape == (found.n_folds * found.n_repeats, path["n_features"].size)
    np.testing.assert_allclose(path["mean_test_score"], splits.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(path["std_test_score"], splits.std(axis=0, ddof=1), rtol=1e-12)
    # A fold tests half as many samples as it trains on.
    errors = np.sqrt(splits.var(axis=0, ddof=1) * (1.0 / 3.0 + 0.5))
    np.testing.assert_allclose(path["se_test_score"], errors, rtol=1e-12)
    assert found.random_path.keys() == path.keys()


def test_no_method_but_centers_tries_many_features(rng):
    X, y = rng.normal(size=(20, 400)), np.arange(20) % 2
    centers, ranked = (
        select_features(X, y, method=method, n_features_to_select=300, **QUICK).path["n_features"]
        for method in ("l2", "disjoint")
    )
    assert centers.size <= 51
    assert centers[-1] == 400
    assert set(ranked[-2:].tolist()) == {256, 300}  # and the one that was asked for
    assert ranked[0] == 2  # disjoint centroids need a feature a class


def test_every_sample_is_tested_once_a_repeat(genes):
    selection = select_features(*genes, cv=3, n_repeats=2, random_state=0)
    assert (selection.n_folds, selection.n_repeats) == (3, 2)
    assert selection.predicted.shape == (2, 36)
    assert set(np.unique(selection.predicted)) <= {0, 1, 2}
    assert selection.class_counts.tolist() == [18, 12, 6]
    np.testing.assert_array_equal(selection.confusion.sum(axis=1), [36, 24, 12])
    every = selection.confusion_path.sum(axis=2)
    np.testing.assert_array_equal(every, np.broadcast_to([36, 24, 12], every.shape))


def test_confusion_and_recall_are_those_of_the_predictions(genes):
    selection = select_features(*genes, cv=3, n_repeats=2, random_state=0)
    true, predicted = np.tile(selection.true_codes, 2), selection.predicted.ravel()
    expected = np.zeros((3, 3), dtype=int)
    np.add.at(expected, (true, predicted), 1)
    np.testing.assert_array_equal(selection.confusion, expected)
    np.testing.assert_allclose(selection.recall, recall_score(true, predicted, average=None))


def test_accuracy_of_the_path_is_that_of_its_confusion(genes):
    selection = select_features(*genes, cv=3, n_repeats=2, random_state=0)  # 12 in each test set
    right = np.trace(selection.confusion_path, axis1=1, axis2=2)
    np.testing.assert_allclose(selection.path["mean_test_score"], right / 72, rtol=1e-12)


def test_test_parts_may_differ_in_size(clear):
    X, y = clear[0][:59], clear[1][:59]
    selection = select_features(X, y, cv=4, n_repeats=1, random_state=0)
    sizes = [test.size for _, test in Question.of(X, y, 0, 4, 1).folds]
    assert len(set(sizes)) > 1
    right = np.trace(selection.confusion_path, axis1=1, axis2=2)
    np.testing.assert_allclose(sizes @ splits_of(selection.path), right, rtol=1e-12)
    assert selection.score == np.mean([each["score"] for each in selection.fold_choices])


@pytest.mark.parametrize("method", ["l2", "relief"])
def test_given_number_of_features_is_not_chosen(genes, method):
    selection = select_features(*genes, method=method, n_features_to_select=7, **QUICK)
    assert selection.n_features_asked == selection.n_features_to_select == 7
    assert [each["n_features"] for each in selection.fold_choices] == [7, 7, 7]
    position = selection.path["n_features"].tolist().index(7)
    assert selection.random_score == selection.random_path["mean_test_score"][position]
    if method == "relief":  # what classifies is chosen still
        return
    assert selection.score == selection.path["mean_test_score"][position]
    assert selection.se_score == selection.path["se_test_score"][position]
    np.testing.assert_array_equal(selection.confusion, selection.confusion_path[position])


def test_two_folds_are_enough_where_nothing_is_chosen(genes):
    selection = select_features(*genes, n_features_to_select=7, cv=2, n_repeats=2, random_state=0)
    assert len(selection.fold_choices) == 4
    assert (selection.n_folds, selection.n_repeats) == (2, 2)


def test_memory_for_summaries_does_not_matter(genes, monkeypatch):
    expected = select_features(*genes, **QUICK)
    monkeypatch.setattr(sources, "_SUMMARY_BYTES", 2 * 16 * 3 * 12)
    assert_same(select_features(*genes, **QUICK), expected)


def test_given_number_does_not_change_the_path(genes):
    chosen, given = (select_features(*genes, n_features_to_select=n, **QUICK) for n in ("auto", 7))
    np.testing.assert_array_equal(chosen.confusion_path, given.confusion_path)
    np.testing.assert_array_equal(splits_of(chosen.random_path), splits_of(given.random_path))


def test_rule_of_one_error_never_takes_more_features(genes):
    few, best = (select_features(*genes, rule=rule, **QUICK) for rule in ("one_se", "best"))
    assert few.n_features_to_select <= best.n_features_to_select
    top = few.path["mean_test_score"].max()
    position = best.path["n_features"].tolist().index(best.n_features_to_select)
    assert best.path["mean_test_score"][position] == top
    assert (best.path["mean_test_score"][:position] < top).all()


def test_all_features_at_random_are_all_features(genes):
    selection = select_features(*genes, n_features_to_select=12, **QUICK)
    np.testing.assert_allclose(
        splits_of(selection.random_path)[:, -1], splits_of(selection.path)[:, -1], rtol=1e-12
    )
    assert selection.random_score == pytest.approx(selection.score)


def test_majority_is_the_largest_class_or_one_of_many(genes):
    assert select_features(*genes, n_features_to_select=2, **QUICK).majority_score == 0.5
    balanced = select_features(*genes, n_features_to_select=2, scoring="balanced_accuracy", **QUICK)
    assert balanced.majority_score == pytest.approx(1.0 / 3.0)


def test_number_of_folds_fits_the_rarest_class(rng):
    X, y = rng.normal(size=(23, 6)), np.repeat(["a", "b"], [20, 3])
    selection = select_features(X, y, random_state=0)
    assert (selection.n_folds, selection.n_repeats) == (3, 10)
    assert select_features(X[:-1], y[:-1], n_features_to_select=2, random_state=0).n_folds == 2


@every_method
def test_class_of_three_samples_is_enough_to_choose(rng, method):
    X, y = rng.normal(size=(23, 5)), np.repeat(["a", "b"], [20, 3])
    selection = select_features(X, y, method=method, n_repeats=1, random_state=0)
    assert selection.confusion.sum(axis=1).tolist() == [20, 3]


@every_method
def test_constant_features_are_not_selected(strong, method):
    X, y = np.insert(strong[0], [0, 3], [0.1, 0.0], axis=1), strong[1]
    selection = select_features(X, y, method=method, n_features_to_select=3, **QUICK)
    assert not {0, 4} & set(selection.selected.tolist())


def test_disjoint_centroids_need_a_feature_for_each_class(rng):
    X, y = rng.normal(size=(18, 5)), np.arange(18) % 3
    with pytest.raises(
        ValueError, match="n_features_to_select=2 must be at least 3, .* method='disjoint'"
    ):
        select_features(X, y, method="disjoint", n_features_to_select=2)
    few = select_features(X, y, method="best", n_features_to_select=2, **QUICK)
    assert "disjoint" not in few.methods_tried


def test_data_without_any_difference_are_no_better_than_chance():
    selection = select_features(np.ones((12, 4)), np.arange(12) % 2, **QUICK)
    assert not selection.beats_random
    assert np.isfinite(selection.subspace).all()


# ------------------------------------------------------------------ any data


def test_sparse_samples_give_what_dense_ones_give(words, monkeypatch):
    X, y = words
    own = methods.METHODS["disjoint"]  # whose classifier does not center what is dense
    alone = replace(own, build=lambda kind: own.build(kind).take(0))
    monkeypatch.setitem(methods.METHODS, "disjoint", alone)
    dense = select_features(X.toarray(), y, method="disjoint", **QUICK)
    of_sparse = select_features(X, y, method="disjoint", **QUICK)
    assert of_sparse.n_features_to_select == dense.n_features_to_select
    np.testing.assert_array_equal(of_sparse.confusion_path, dense.confusion_path)
    np.testing.assert_array_equal(of_sparse.predicted, dense.predicted)
    np.testing.assert_array_equal(of_sparse.ranking, dense.ranking)
    np.testing.assert_allclose(of_sparse.gains, dense.gains, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(of_sparse.centers, dense.centers, rtol=1e-12)
    np.testing.assert_allclose(of_sparse.subspace, dense.subspace, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csc_array, sparse.csc_matrix])
def test_layout_of_sparse_samples_does_not_matter(words, layout):
    X, y = words
    assert_same(select_features(layout(X), y, **QUICK), select_features(X, y, **QUICK))


@pytest.mark.parametrize("impute", [None, "mean"])
def test_sparse_samples_are_never_made_dense(words, monkeypatch, impute):
    X, y = words
    monkeypatch.setattr(suspicion, "_MOST_COLUMNS", 2)  # in which near copies are looked for
    monkeypatch.setattr(background, "_MOST_FEATURES", 2)  # in which noise is known
    shapes = []
    for layout in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.csc_matrix):
        whole = layout.toarray

        def note(self, *args, whole=whole, **options):
            shapes.append(self.shape)
            return whole(self, *args, **options)

        monkeypatch.setattr(layout, "toarray", note)
    selection = select_features(X, y, n_features_to_select=2, n_resamples=2, impute=impute, **QUICK)
    selection.model.predict(X)
    assert (60, 2) in shapes  # for the picture
    assert max(n_columns for n_rows, n_columns in shapes if n_rows == 60) == 2


def test_best_of_sparse_samples_leaves_medians_out(words):
    X, y = words
    selection = select_features(X[:, :5], y, method="best", n_features_to_select=3, **QUICK)
    assert selection.methods_tried == ("l2", "disjoint", "fisher", "l21", "recursive", "relief")


def test_order_in_memory_does_not_matter(genes):
    X, y = genes
    expected = select_features(X, y, **QUICK)
    assert_same(select_features(np.asfortranarray(X), y, **QUICK), expected)
    assert_same(select_features(X.tolist(), y.tolist(), **QUICK), expected)


def test_data_are_left_alone(holes):
    X, y = holes
    before = X.copy()
    select_features(X, y, impute="mean", n_features_to_select=2, **QUICK)
    np.testing.assert_array_equal(X, before)


def test_features_without_names_are_numbered(genes):
    X, y = genes
    for samples in (X, pd.DataFrame(X)):
        selection = select_features(samples, y, n_features_to_select=2, **QUICK)
        assert selection.feature_names.tolist() == [f"x{j}" for j in range(12)]
        assert selection.selected_names.tolist() == [f"x{j}" for j in selection.selected]
        assert not hasattr(selection.model, "feature_names_in_")


@every_frame
@pytest.mark.parametrize(
    ("method", "impute"), [("l2", None), ("l2", "mean"), ("disjoint", None), ("disjoint", "mean")]
)
def test_names_of_a_frame_are_kept(genes, frame, method, impute):
    X, y = genes
    names = [f"gene {j}" for j in range(12)]
    samples = frame(dict(zip(names, X.T, strict=True)))
    options = {"method": method, "impute": impute, "n_features_to_select": 4, **QUICK}
    selection = select_features(samples, y, **options)
    assert selection.feature_names.tolist() == names
    assert selection.selected_names.tolist() == [names[j] for j in selection.selected]
    assert selection.model.feature_names_in_.tolist() == names
    plain = select_features(X, y, **options)
    np.testing.assert_array_equal(selection.predicted, plain.predicted)
    np.testing.assert_array_equal(selection.model.predict(samples), plain.model.predict(X))
    with pytest.raises(ValueError, match="feature names"):
        selection.model.predict(samples[names[::-1]])


def test_given_names_win(genes):
    X, y = genes
    names = np.array([f"probe {j}" for j in range(12)])
    selection = select_features(
        pd.DataFrame(X, columns=list("abcdefghijkl")), y, feature_names=names, **QUICK
    )
    assert selection.feature_names.tolist() == names.tolist()
    assert selection.model.feature_names_in_.tolist() == names.tolist()


def test_result_survives_pickling(found, clear):
    loaded = pickle.loads(pickle.dumps(found))
    assert_same(loaded, found)
    np.testing.assert_array_equal(loaded.model.predict(clear[0]), found.model.predict(clear[0]))


def test_result_cannot_be_changed(found):
    with pytest.raises(FrozenInstanceError):
        found.score = 1.0


# ------------------------------------------------------------------ progress


@pytest.mark.parametrize(
    ("method", "n_resamples", "n_steps", "first"),
    [
        ("l2", 0, 4, "l2, fold 1"),
        ("l2", 2, 5, "l2, fold 1"),
        ("relief", 0, 10, "relief, folds 1 and 2"),
        ("best", 0, 43, "l2, folds 1 and 2"),
    ],
)
def test_progress_is_told_after_each_step(genes, method, n_resamples, n_steps, first):
    X, y = genes
    told = []
    select_features(
        X[:, :4],
        y,
        method=method,
        n_features_to_select=3,
        n_resamples=n_resamples,
        progress=lambda *step: told.append(step),
        **QUICK,
    )
    assert [n_done for n_done, _, _ in told] == list(range(1, n_steps + 1))
    assert {n for _, n, _ in told} == {n_steps}
    assert told[0][2] == first
    assert told[-1][2] == ("resamples" if n_resamples else "all samples")


def test_progress_names_both_folds_that_a_training_set_does_without(genes):
    told = []
    select_features(*genes, progress=lambda *step: told.append(step[2]), **QUICK | {"n_repeats": 2})
    of_cut = ["l2, folds 4 and 5", "l2, folds 4 and 6", "l2, folds 5 and 6"]
    of_cut += ["l2, fold 4", "l2, fold 5", "l2, fold 6"]
    assert told[6:] == [*of_cut, "all samples"]


def test_progress_may_be_written(genes, capsys):
    select_features(*genes, n_features_to_select=3, progress=True, **QUICK)
    written = capsys.readouterr()
    assert written.out == ""
    assert "1/4 steps: l2, fold 1" in written.err
    assert written.err.rstrip(" \n").endswith("4/4 steps: all samples")
    assert written.err.endswith("\n")


@pytest.mark.parametrize("progress", [None, False])
def test_nothing_is_written_unless_asked_for(genes, capsys, progress):
    select_features(*genes, n_features_to_select=3, progress=progress, **QUICK)
    assert capsys.readouterr() == ("", "")


# ------------------------------------------------------------------ stability and the picture


def test_strong_features_are_selected_again_and_again(clear):
    options = {"n_features_to_select": 3, "cv": 3, "n_repeats": 1, "random_state": 0}
    selection = select_features(*clear, n_resamples=20, **options)
    frequencies = selection.stability.selection_frequencies_
    assert selection.stability.n_resamples == 20
    assert frequencies.shape == (40,)
    assert frequencies.sum() == pytest.approx(3.0)
    assert frequencies[selection.selected].min() > np.delete(frequencies, selection.selected).max()
    assert selection.stability.stability_ > 0.5
    plain = select_features(*clear, **options)
    assert plain.stability is None
    assert_same(selection, plain)


@every_method
def test_every_method_selects_from_resamples(holes, method):
    X, y = holes
    selection = select_features(
        X[:, :6], y, method=method, n_features_to_select=3, impute="mean", n_resamples=4, **QUICK
    )
    frequencies = selection.stability.selection_frequencies_
    assert frequencies.sum() == pytest.approx(3.0)
    assert set(np.unique(4 * frequencies)) <= {0.0, 1.0, 2.0, 3.0, 4.0}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_features", [1, 2, 12])
def test_picture_has_two_axes(genes, n_classes, n_features):
    X, y = genes
    labels = y if n_classes == 3 else y == "a"
    selection = select_features(X, labels, n_features_to_select=n_features, **QUICK)
    assert selection.subspace.shape == (36, 2)
    assert np.isfinite(selection.subspace).all()


def test_picture_of_sparse_samples_has_two_axes(words):
    selection = select_features(*words, n_features_to_select=3, **QUICK)
    assert selection.subspace.shape == (60, 2)
    assert np.isfinite(selection.subspace).all()


def test_picture_of_classes_with_the_same_means_has_two_axes(genes):
    X, _ = genes
    X, y = np.repeat(X[:12], 2, axis=0), np.arange(24) % 2  # each sample in both classes
    selection = select_features(X, y, n_features_to_select=3, **QUICK)
    assert np.isfinite(selection.subspace).all()
    assert np.ptp(selection.subspace[:, 1]) > 0.0


def test_second_axis_of_two_classes_lies_beside_the_first(genes):
    X, y = genes
    selection = select_features(X, y == "a", n_features_to_select=5, **QUICK)
    Z = StandardScaler().fit_transform(X[:, selection.selected])
    axes, misfits, *_ = np.linalg.lstsq(Z, selection.subspace - selection.subspace.mean(axis=0))
    np.testing.assert_allclose(misfits, 0.0, atol=1e-12)
    first, second = (axes / np.linalg.norm(axes, axis=0)).T
    assert abs(first @ second) < 1e-10
    # No direction beside the first has more variance.
    beside = Z - np.outer(Z @ first, first)
    largest = np.linalg.svd(beside, compute_uv=False)[0]
    assert np.linalg.norm(selection.subspace[:, 1]) == pytest.approx(largest)
    gap = selection.subspace[y == "a", 0].mean() - selection.subspace[y != "a", 0].mean()
    assert abs(gap) > selection.subspace[:, 0].std()


def test_picture_of_many_samples_has_all_of_them_and_every_class(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 6)), np.repeat([0, 1], [396, 4])
    X[:, 2] += 4.0 * y
    options = {"n_features_to_select": 3, "cv": 2, "n_repeats": 1, "random_state": 0}
    whole = select_features(X, y, **options).subspace
    monkeypatch.setattr(sources, "_MOST_LEARNED", 20)
    some = select_features(X, y, **options).subspace
    assert some.shape == (400, 2)
    assert abs(np.corrcoef(whole[:, 0], some[:, 0])[0, 1]) > 0.9


# ------------------------------------------------------------------ in words


def test_summary_says_what_beats_random_features(found):
    told = replace(
        found,
        n_features_to_select=3,
        score=0.912,
        se_score=0.021,
        interval=(0.853, 0.957),
        random_score=0.5,
        se_random=0.033,
    )
    assert told.beats_random
    assert told.summary() == (
        "3 of 40 features tell the 3 classes apart with accuracy 91.2 % (95 % interval 85.3 to "
        "95.7 %) on unseen samples; random features reach 50.0 %, always the largest class 33.3 %. "
        "All folds chose 4 features."
    )


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((4, 9, 5), "Folds chose 4 to 9 features, 5 in the median."),
        ((1, 1, 1), "All folds chose 1 feature."),
        ((2000, 1), "Folds chose 1 to 2,000 features, 1,000 in the median."),
    ],
)
def test_spread_of_the_number_of_features_is_told_unless_it_was_given(found, numbers, words):
    told = replace(found, fold_choices=tuple({"n_features": number} for number in numbers))
    assert told.choice_summary() == words
    assert told.n_features_of_folds["most"] == max(numbers)
    assert words in told.summary()
    assert replace(told, n_features_asked=3).choice_summary() == ""


def test_summary_says_what_does_not_beat_random_features(found):
    told = replace(
        found,
        n_features_to_select=1,
        scoring="balanced_accuracy",
        score=0.5,
        se_score=0.1,
        interval=(0.3, 0.7),
        random_score=0.4,
        se_random=0.1,
    )
    assert not told.beats_random
    assert told.summary() == (
        "1 of 40 features was selected, with mean recall 50.0 % (95 % interval 30.0 to 70.0 %) on "
        "unseen samples. That is not shown to be better than chance: random features reach 40.0 %, "
        "always the largest class 33.3 %. All folds chose 4 features."
    )


@pytest.mark.parametrize(("score", "beats"), [(0.89, False), (0.91, True)])
def test_random_features_are_beaten_by_two_standard_errors(found, score, beats):
    # sqrt(0.16**2 + 0.12**2) = 0.2
    told = replace(found, score=score, se_score=0.16, random_score=0.5, se_random=0.12)
    assert told.beats_random is beats


def test_table_of_features_has_a_row_for_each_selected_one(found):
    table = found.feature_columns()
    assert list(table) == ["rank", "feature", "gain", "center_0", "center_1", "center_2"]
    assert table["rank"] == [*range(1, found.n_features_to_select + 1)]
    assert table["feature"] == found.selected_names.tolist()
    assert table["center_2"] == found.centers[2, found.selected].tolist()


def test_printing_shows_features_and_classes(found):
    told = replace(found, n_features_to_select=2)
    lines = str(told).splitlines()
    assert lines[0] == told.summary()
    assert lines[2].split() == ["rank", "gain", "feature"]
    assert [line.split()[0] for line in lines[3:5]] == ["1", "2"]
    assert [line.split()[-1] for line in lines[3:5]] == told.selected_names.tolist()
    assert float(lines[3].split()[1]) == pytest.approx(told.gains[told.selected[0]], rel=1e-3)
    classes = [line.split() for line in lines[-3:]]
    expected = [[f"{100 * told.recall[c]:.1f}", "%", "20", str(c)] for c in range(3)]
    assert classes == expected


def test_printing_stops_after_twenty_features(found):
    assert "more" not in str(replace(found, n_features_to_select=20))
    lines = str(replace(found, n_features_to_select=25)).splitlines()
    assert sum(line.split()[-1:] == [name] for line in lines for name in found.feature_names) == 20
    assert "      ... and 5 more" in lines


def test_short_form_tells_method_number_and_score(found):
    told = replace(found, n_features_to_select=4, score=0.95)
    assert repr(told) == "<FeatureSelection by 'l2': 4 of 40 features, accuracy 0.950>"


def test_what_was_asked_and_computed_stands_in_the_result(found):
    assert (found.method, found.methods_tried, found.n_features_asked) == ("l2", ("l2",), "auto")
    assert (found.rule, found.scoring, found.impute, found.seed) == ("one_se", "accuracy", None, 0)
    assert found.seconds > 0.0
    assert {"centroidal", "numpy", "scikit-learn"} <= found.versions.keys()


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "L2"}, "method='L2' must be one of 'auto', 'l2', 'l1', .*'best'"),
        ({"method": None}, "method=None must be one of 'auto', 'l2'"),
        ({"rule": "1se"}, "rule='1se' must be one of 'best', 'one_se'"),
        (
            {"classifier": "svm"},
            "classifier='svm' must be one of 'auto', 'any', 'whitened centers'",
        ),
        ({"scoring": "f1"}, "scoring='f1' must be one of 'accuracy', 'balanced_accuracy'"),
        ({"scoring": "neg_cost"}, "scoring='neg_cost' needs costs or class_weight"),
        ({"costs": np.eye(2)}, r"costs of shape \(2, 2\) must have a row and a column for each of"),
        ({"costs": -COSTS}, "costs must be finite numbers that are not negative"),
        ({"class_weight": {"z": 1.0}}, "class_weight has the unknown class 'z'"),
        ({"costs": COSTS, "class_weight": "balanced"}, "must be None where costs are given"),
        ({"n_features_to_select": 0}, "^n_features_to_select=0 must lie between 1 and .*12"),
        ({"n_features_to_select": -3}, "^n_features_to_select=-3 must lie between 1 and .*12"),
        (
            {"n_features_to_select": 10**6},
            "^n_features_to_select=1000000 must lie between 1 and .*12",
        ),
        ({"cv": 0}, "cv=0 must be at least 3, as the inner folds of a fold are the others"),
        ({"cv": 2}, "cv=2 must be at least 3, as the inner folds of a fold are the others"),
        ({"cv": 1, "n_features_to_select": 3}, "cv=1 must be at least 2[.]"),
        ({"cv": 7}, "cv=7 must be at most 6, the number of samples of class 'c'"),
        ({"n_repeats": 0}, "n_repeats=0 must be at least 1"),
        ({"impute": "zero"}, "impute='zero' must be one of 'mean', 'median', 'most_frequent'"),
        ({"n_resamples": 3}, "n_resamples=3 must be an even number, or 0 for none"),
        ({"n_resamples": -2}, "n_resamples=-2 must be an even number, or 0 for none"),
        ({"n_jobs": 0}, "n_jobs=0 must be a number of jobs"),
        ({"feature_names": ["one", "two"]}, "feature_names holds 2 names, but X has 12 features"),
        ({"feature_names": ["same"] * 12}, "feature_names must all be different"),
    ],
    ids=str,
)
def test_error_names_the_parameter_and_what_is_allowed(genes, options, message):
    with pytest.raises(ValueError, match=message):
        select_features(*genes, **QUICK | options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_features_to_select": 2.5}, "n_features_to_select=2.5 must be an int or 'auto'"),
        ({"n_features_to_select": True}, "n_features_to_select=True must be an int or 'auto'"),
        ({"n_features_to_select": None}, "n_features_to_select=None must be an int or 'auto'"),
        ({"n_features_to_select": "many"}, "n_features_to_select='many' must be an int or 'auto'"),
        ({"cv": 2.0}, "cv=2.0 must be an int"),
        ({"cv": StratifiedKFold(3)}, "cv=StratifiedKFold.* must be an int"),
        ({"n_repeats": 1.5}, "n_repeats=1.5 must be an int"),
        ({"n_resamples": 1.5}, "n_resamples=1.5 must be an int, 0 for none"),
        ({"n_resamples": True}, "n_resamples=True must be an int, 0 for none"),
        ({"impute": 3}, "impute=3 must be one of mean, median, most_frequent"),
        ({"n_jobs": "2"}, "n_jobs='2' must be an int or None"),
        ({"progress": 3}, "progress=3 must be a bool, a function or None"),
        ({"feature_names": 5}, "feature_names=5 must"),
    ],
    ids=str,
)
def test_error_names_the_parameter_and_its_type(genes, options, message):
    with pytest.raises(TypeError, match=message):
        select_features(*genes, **QUICK | options)


@pytest.mark.parametrize(
    ("n_rare", "options", "message"),
    [
        (1, {}, "class 'c' has 1 sample; at least 3 are needed"),
        (2, {}, "class 'c' has 2 samples; at least 3 are needed"),
        (1, {"n_features_to_select": 2}, "class 'c' has 1 sample; at least 2 are needed"),
        (
            2,
            {"n_features_to_select": 2, "method": "best"},
            "class 'c' has 2 samples; at least 3 are needed",
        ),
        (3, {"cv": 4}, "cv=4 must be at most 3, the number of samples of class 'c'"),
    ],
    ids=str,
)
def test_rare_class_is_named(rng, n_rare, options, message):
    y = np.repeat(["a", "b", "c"], [10, 10, n_rare])
    with pytest.raises(ValueError, match=message):
        select_features(rng.normal(size=(y.size, 4)), y, random_state=0, **options)


def test_one_class_is_refused(genes):
    with pytest.raises(ValueError, match="y holds one class, 'a'; select_features needs"):
        select_features(genes[0], ["a"] * 36)


def test_labels_must_be_given(genes):
    with pytest.raises(ValueError, match="y=None must hold the class of each sample"):
        select_features(genes[0], None)


def test_labels_must_be_classes(genes):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        select_features(genes[0], np.linspace(0.0, 1.0, 36))


def test_labels_must_be_as_many_as_samples(genes):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        select_features(genes[0], genes[1][:-1])


def test_missing_values_are_refused_unless_they_are_filled_in(holes):
    with pytest.raises(ValueError, match="Input X contains NaN.\nselect_features does not accept"):
        select_features(*holes, **QUICK)


@pytest.mark.parametrize("impute", [None, "mean"])
def test_infinity_is_refused(genes, impute):
    X, y = genes[0].copy(), genes[1]
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="Input X contains infinity"):
        select_features(X, y, impute=impute, **QUICK)


def test_question_is_checked_before_anything_is_fitted(genes):
    told = []
    for options in ({"n_jobs": 0}, {"n_features_to_select": 13}, {"n_resamples": 5}):
        with pytest.raises(ValueError, match="must"):
            select_features(*genes, progress=lambda *step: told.append(step), **QUICK | options)
    assert told == []
