"""Panels: wishes are fulfilled inside the folds, exactly where gains add up, and bad input."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from centroidal import SparseCenterClassifier
from centroidal.datasets import make_expression
from centroidal.model_selection.panels import class_of_features
from centroidal.persistence import load_model, save_model
from centroidal.streaming import batches
from tests.reference import panels

from ..l2 import select_features

QUICK = {"cv": 3, "n_repeats": 1, "random_state": 0}
NAMES = [f"g{column}" for column in range(12)]
RANKED = ("disjoint", "fisher", "l21", "recursive", "relief")
every_method = pytest.mark.parametrize("method", ["l2", "l1", *RANKED])


@pytest.fixture(scope="module")
def genes():
    made = make_expression(48, 12, 6, class_weights=(3, 2, 2), random_state=0)
    return pd.DataFrame(made.data, columns=NAMES), np.array(["a", "b", "c"])[made.target]


@pytest.fixture(scope="module")
def copies():
    """Five genes with six near copies each, and ten weaker ones by themselves."""
    rng = np.random.default_rng(0)
    codes = np.arange(80) % 2
    strong = rng.normal(size=(80, 5)) + 1.5 * codes[:, None]
    near = np.repeat(strong, 6, axis=1) + 0.1 * rng.normal(size=(80, 30))
    weak = rng.normal(size=(80, 15)) + 0.8 * codes[:, None]
    return np.hstack([strong, near, weak]), codes


def gene_of(column):
    """Number of the strong gene that a column is a copy of; -1 for the others."""
    return column if column < 5 else (column - 5) // 6 if column < 35 else -1


# ------------------------------------------------------------------ in and out


@every_method
def test_features_that_must_be_in_are_in_and_those_that_must_stay_out_are_out(genes, method):
    found = select_features(
        *genes,
        method=method,
        include=["g11", "g3"],
        exclude=["g0", 1],
        n_features_to_select=5,
        **QUICK,
    )
    assert {"g11", "g3"} <= set(found.selected_names)
    assert found.n_features_to_select == 5
    assert not {"g0", "g1"} & set(found.selected_names)


@every_method
def test_model_reads_the_panel_alone(genes, method):
    X, y = genes
    options = {"include": ["g11"], "exclude": ["g0"], "n_features_to_select": 4}
    found = select_features(X, y, method=method, **options, **QUICK)
    changed = X.copy()
    others = [name for name in NAMES if name not in found.selected_names]
    changed[others] = 1e3
    np.testing.assert_array_equal(found.model.predict(changed), found.model.predict(X))


def test_panel_of_sparse_centers_is_the_best_subset_with_the_features_that_must_be_in(genes):
    X, y = genes
    found = select_features(X, y, include=["g11"], exclude=["g0"], n_features_to_select=4, **QUICK)
    gains = SparseCenterClassifier(scale="within").fit(X, y).feature_gains_
    best = max(combinations(range(1, 11), 3), key=lambda panel: gains[list(panel)].sum())
    assert sorted(found.selected.tolist()) == [*best, 11]


def test_score_is_that_of_plain_folds_with_the_panel_of_each_training_set(genes):
    X, y = genes
    found = select_features(
        X, y, include=["g11"], exclude=["g0", "g1"], n_features_to_select=4, **QUICK
    )
    hits = []
    X = X.to_numpy()
    for fold in range(3):
        test = _folds_of(found, X, y) == fold
        gains = SparseCenterClassifier(scale="within").fit(X[~test], y[~test]).feature_gains_
        rest = [column for column in np.argsort(-gains) if column not in (0, 1, 11)][:3]
        panel = [11, *rest]
        model = SparseCenterClassifier(scale="within").fit(X[~test][:, panel], y[~test])
        hits.append(np.mean(model.predict(X[test][:, panel]) == y[test]))
    np.testing.assert_allclose(found.score, np.mean(hits))


def _folds_of(found, X, y):
    """The folds of the only repeat, as the engine cuts them."""
    from centroidal.model_selection.sources import MemorySource

    names = ("groups", "blocks", "impute", "preprocess", "text", "feature_names")
    source = MemorySource(X, y, found.seed, None, None, n_resamples=0, **dict.fromkeys(names))
    return source.cut(found.n_folds, 1, False)[0].folds


def test_wishes_that_say_nothing_change_nothing(genes):
    plain, empty = select_features(*genes, **QUICK), select_features(*genes, include=[], **QUICK)
    assert empty.score == plain.score
    assert empty.selected.tolist() == plain.selected.tolist()


@every_method
def test_order_of_the_columns_does_not_matter(genes, method):
    X, y = genes
    wished = {"include": ["g7"], "exclude": ["g2"], "n_features_to_select": 4, "distinct": 0.9}
    one = select_features(X, y, method=method, **wished, **QUICK)
    other = select_features(X[NAMES[::-1]], y, method=method, **wished, **QUICK)
    assert set(other.selected_names) == set(one.selected_names)
    np.testing.assert_allclose(other.score, one.score)


def test_number_that_inner_folds_choose_has_the_features_that_must_be_in(genes):
    found = select_features(*genes, include=["g9", "g10", "g11"], **QUICK)
    assert min(each["n_features"] for each in found.fold_choices) >= 3
    assert found.path["n_features"][0] == 3


def test_stability_knows_the_panel(genes):
    options = {"include": ["g11"], "exclude": ["g0"], "n_features_to_select": 3}
    found = select_features(*genes, **options, n_resamples=6, **QUICK)
    often = found.stability.selection_frequencies_
    assert often[11] == 1.0
    assert often[0] == 0.0


def test_blocks_are_predicted_by_the_same_panel(genes):
    X, y = genes
    wished = {"include": ["g11"], "n_features_to_select": 1}
    found = select_features(X, y, blocks=np.arange(y.size) // 12 % 2, **wished, **QUICK)
    assert [row["n_features"] for row in found.blocks["rows"]] == [1, 1]


@pytest.mark.parametrize("wished", [{"include": ["g11"]}, {"distinct": 0.5}, {"budget": [2, 4]}])
def test_permuted_labels_and_fewer_samples_go_through_the_same_wishes(genes, wished):
    if "budget" in wished:
        wished = wished | {"feature_costs": np.ones(12)}
    options = {"n_permutations": 3, "learning_curve": True}
    found = select_features(*genes, **wished, **options, **QUICK)
    assert found.permutations.null_scores.shape == (3,)
    np.testing.assert_allclose(found.permutations.score, found.score)


def test_words_can_be_wished_for():
    texts = ["good film", "good plot", "bad film", "bad plot"] * 6
    found = select_features(
        texts, ["yes", "yes", "no", "no"] * 6, text={"ngrams": 1}, include=["film"],
        exclude=["good"], n_features_to_select=2, **QUICK,
    )  # fmt: skip
    assert set(found.selected_names) == {"film", "bad"}


def test_sparse_samples_have_the_same_panel(genes):
    X, y = genes[0].to_numpy() - 5.0, genes[1]
    options = {"include": [11], "exclude": [0], "distinct": 0.9, "n_features_to_select": 4}
    found = select_features(csr_array(X), y, **options, **QUICK)
    gains = SparseCenterClassifier(scale="std").fit(csr_array(X), y).feature_gains_
    rest = [column for column in np.argsort(-gains) if column not in (0, 11)]
    assert found.selected.tolist() == [11, *rest[:3]]


def test_batches_give_the_panel_of_memory(genes, tmp_path):
    X, y = genes
    path = tmp_path / "table.csv"
    X.assign(kind=y).to_csv(path, index=False)
    options = {"include": ["g11"], "exclude": ["g0"], "per_class": 2}
    streamed = select_features(batches(path, target="kind", batch_size=10), **options, **QUICK)
    found = select_features(X, y, **options, **QUICK)
    assert streamed.selected_names.tolist() == found.selected_names.tolist()
    np.testing.assert_allclose(streamed.score, found.score)
    assert streamed.panel == found.panel


@pytest.mark.parametrize("method", ["l2", "relief"])
def test_kept_model_predicts_the_same(genes, method, tmp_path):
    X, y = genes
    found = select_features(X, y, method=method, include=["g11"], n_features_to_select=3, **QUICK)
    save_model(found.model, tmp_path / "panel.skops")
    again = load_model(tmp_path / "panel.skops")
    np.testing.assert_array_equal(again.predict(X), found.model.predict(X))


def test_model_of_a_panel_is_not_merged_with_others_which_would_forget_it(genes):
    X, y = genes
    found = select_features(X, y, include=["g11"], n_features_to_select=3, **QUICK)
    with pytest.raises(ValueError, match="cannot be merged"):
        SparseCenterClassifier(3, scale="within").fit(X, y).merge(found.model.estimator_)


# ------------------------------------------------------------------ no copies


def test_copies_fill_the_list_unless_they_are_unwanted(copies):
    found = select_features(*copies, n_features_to_select=20, **QUICK)
    assert sum(gene_of(column) >= 0 for column in found.selected) >= 16


@pytest.mark.parametrize("method", ["l2", "l1", "relief", "recursive"])
def test_one_of_each_set_of_copies_is_kept(copies, method):
    found = select_features(*copies, method=method, distinct=0.8, n_features_to_select=20, **QUICK)
    genes = [gene_of(column) for column in found.selected if gene_of(column) >= 0]
    assert sorted(genes) == [0, 1, 2, 3, 4]


def test_of_ten_copies_and_a_complementary_feature_both_are_found():
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 3
    one = rng.normal(size=60) + 4.0 * (codes == 0)
    other = rng.normal(size=60) + 3.0 * (codes == 1)
    X = np.column_stack([*(one + 0.01 * rng.normal(size=60) for _ in range(10)), other])
    found = select_features(X, codes, distinct=0.9, n_features_to_select=2, **QUICK)
    assert 10 in found.selected
    assert found.n_features_to_select == 2


def test_mirrored_feature_is_a_copy_too(copies):
    X, y = copies
    both = np.hstack([X[:, :5], -X[:, :5]])
    found = select_features(both, y, distinct=0.99, n_features_to_select=5, **QUICK)
    assert sorted(column % 5 for column in found.selected) == [0, 1, 2, 3, 4]


def test_no_copies_are_taken_where_too_few_features_differ(copies):
    X, y = copies
    found = select_features(X[:, [0, 5, 6, 7]], y, distinct=0.8, n_features_to_select=3, **QUICK)
    assert found.n_features_to_select == 1
    assert [each["n_features"] for each in found.fold_choices] == [1, 1, 1]
    assert found.path["n_features"].tolist() == [1]
    assert found.confusion_path.shape == (1, 2, 2)


def test_copies_are_found_in_each_training_set_alone(copies):
    X, y = copies
    found = select_features(X, y, distinct=0.8, n_features_to_select=6, **QUICK)
    folds = _folds_of(found, X, y)
    hits = []
    for fold in range(3):
        test = folds == fold
        train, labels = X[~test], y[~test]
        gains = SparseCenterClassifier(scale="within").fit(train, labels).feature_gains_
        panel = panels.first_distinct(np.argsort(-gains), train, labels, 0.8, 6)
        model = SparseCenterClassifier(scale="within").fit(train[:, panel], labels)
        hits.append(np.mean(model.predict(X[test][:, panel]) == y[test]))
    np.testing.assert_allclose(found.score, np.mean(hits))


# ------------------------------------------------------------------ money


@pytest.mark.parametrize("method", ["l2", "l1"])
@pytest.mark.parametrize("budget", [4, 9, 17.5])
def test_budget_buys_the_best_of_all_panels(genes, method, budget):
    X, y = genes
    costs = dict(zip(NAMES, [3, 2.5, 4, 1, 2, 6, 1.5, 2, 3, 5, 1, 2], strict=True))
    options = {"include": ["g9"]} if budget > 9 else {}
    found = select_features(
        X, y, method=method, feature_costs=costs, budget=budget, **options, **QUICK
    )
    gains = found.gains
    payable = [
        each
        for each in panels.subsets(range(12))
        if sum(costs[NAMES[j]] for j in each) <= budget and (not options or 9 in each)
    ]
    best = max(payable, key=lambda each: gains[list(each)].sum())
    assert sorted(found.selected.tolist()) == sorted(best)
    assert found.panel["spent"] == sum(costs[NAMES[j]] for j in best)


@pytest.mark.parametrize("method", RANKED[1:])
def test_other_rankings_are_walked_down_as_far_as_the_budget_goes(genes, method):
    X, y = genes
    costs = np.array([3, 2, 4, 1, 2, 6, 1, 2, 3, 5, 1, 2])
    plain = select_features(X, y, method=method, **QUICK)
    found = select_features(X, y, method=method, feature_costs=costs, budget=8, **QUICK)
    left, taken = 8, []
    for column in plain.ranking:
        if costs[column] <= left:
            taken.append(column)
            left -= costs[column]
    assert sorted(found.selected) == sorted(taken)


def test_of_several_budgets_the_cheapest_that_does_as_well_is_chosen(genes):
    X, y = genes
    found = select_features(X, y, feature_costs=np.ones(12), budget=[6, 1, 12, 3], **QUICK)
    assert found.path["budget"].tolist() == [1, 3, 6, 12]
    assert found.path["n_features"].tolist() == [1, 3, 6, 12]
    best = int(np.argmax(found.path["mean_test_score"]))
    least = found.path["mean_test_score"][best] - found.path["std_test_score"][best] / np.sqrt(3)
    first = int(np.argmax(found.path["mean_test_score"] >= least - 1e-12))
    assert found.panel["budget"] == found.path["budget"][first]


def test_equal_costs_are_a_number_of_features(genes):
    bought = select_features(*genes, feature_costs=np.full(12, 2.0), budget=8, **QUICK)
    plain = select_features(*genes, n_features_to_select=4, **QUICK)
    assert bought.selected.tolist() == plain.selected.tolist()
    assert bought.score == plain.score
    assert bought.confusion.tolist() == plain.confusion.tolist()
    np.testing.assert_allclose(bought.probabilities, plain.probabilities)


def test_number_that_a_fold_could_buy_is_told(genes):
    costs = np.array([3, 2, 4, 1, 2, 6, 1, 2, 3, 5, 1, 2])
    found = select_features(*genes, feature_costs=costs, budget=7, **QUICK)
    assert all(1 <= each["n_features"] <= 6 for each in found.fold_choices)


def test_features_that_stay_out_need_no_cost(genes):
    costs = dict.fromkeys(NAMES[1:], 1.0)
    found = select_features(*genes, feature_costs=costs, budget=3, exclude=["g0"], **QUICK)
    assert found.n_features_to_select == 3


def test_budget_is_scored_by_probabilities_too(genes):
    options = {"feature_costs": np.ones(12), "budget": [2, 5], "scoring": "neg_log_loss"}
    found = select_features(*genes, **options, **QUICK)
    assert found.score < 0.0
    assert found.random_score < found.score


# ------------------------------------------------------------------ markers


def test_feature_is_a_marker_of_the_class_that_stands_out():
    centers = np.array([[5.0, 0.0, 1.0, 0.0], [0.0, 0.0, 2.0, 3.0], [0.0, -4.0, 3.0, np.nan]])
    assert class_of_features(centers).tolist() == [0, 2, 2, 1]


@every_method
def test_each_class_has_so_many_markers(genes, method):
    X, y = genes
    found = select_features(X, y, method=method, per_class=2, **QUICK)
    assert sorted(found.panel["marker_of"]) == ["a", "a", "b", "b", "c", "c"]


def test_markers_of_sparse_centers_have_the_largest_total_gain(genes):
    X, y = genes
    found = select_features(X, y, per_class=2, **QUICK)
    classes = class_of_features(found.centers)
    best = max(
        (
            each
            for each in combinations(range(12), 6)
            if np.bincount(classes[list(each)], minlength=3).tolist() == [2, 2, 2]
        ),
        key=lambda each: found.gains[list(each)].sum(),
    )
    assert sorted(found.selected.tolist()) == list(best)


def test_number_of_markers_is_chosen_for_all_classes_alike(genes):
    found = select_features(*genes, per_class="auto", **QUICK)
    assert found.n_features_to_select % 3 == 0
    assert all(each["n_features"] % 3 == 0 for each in found.fold_choices)


def test_features_that_must_be_in_come_beside_the_markers(genes):
    found = select_features(*genes, per_class=1, include=["g11"], **QUICK)
    assert found.n_features_to_select == 4
    assert found.selected_names[0] == "g11"


def test_markers_of_two_classes_are_high_in_their_class():
    rng = np.random.default_rng(0)
    codes = np.arange(40) % 2
    X = rng.normal(size=(40, 8))
    X[:, :4] += 2.0 * codes[:, None]
    X[:, 4:] -= 2.0 * codes[:, None]
    found = select_features(X, codes, per_class=2, **QUICK)
    assert [column < 4 for column in found.selected] == [
        code == 1 for code in found.panel["marker_of"]
    ]


# ------------------------------------------------------------------ in words, and bad input


def test_summary_says_what_was_wished(genes):
    found = select_features(
        *genes, include=["g11"], exclude=["g0", "g1"], feature_costs=np.ones(12), budget=4, **QUICK
    )
    words = "Of the features, 1 must be in, 2 must stay out. They cost 4 of a budget of 4."
    assert words in found.summary()


def test_table_has_costs_and_markers(genes):
    bought = select_features(*genes, feature_costs=np.arange(1, 13), budget=9, **QUICK)
    assert bought.feature_columns()["cost"] == [c + 1.0 for c in bought.selected]
    marked = select_features(*genes, per_class=1, **QUICK)
    assert sorted(marked.feature_columns()["marker_of"]) == ["a", "b", "c"]


COSTS = {"feature_costs": np.ones(12)}
BAD = [
    ({"include": ["x"]}, "include holds 'x', and X has no such feature"),
    ({"exclude": [12]}, "exclude holds 12, and X has no such feature"),
    ({"include": ["g1"], "exclude": ["g1"]}, "include holds 'g1', and so does exclude"),
    ({"include": NAMES[:3], "n_features_to_select": 2}, "n_features_to_select=2 must be at least"),
    ({"include": NAMES[:3], "max_features": 2}, "max_features=2 must be at least 3"),
    ({"exclude": NAMES}, "exclude holds all features"),
    ({"exclude": NAMES[:4], "n_features_to_select": 9}, "n_features_to_select=9 must be at most 8"),
    ({"distinct": 1.0}, "distinct=1.0 must lie between 0 and 1"),
    ({"per_class": 0}, "per_class=0 must be at least 1"),
    ({"per_class": 5}, "per_class=5 takes 15 features with 3 classes"),
    ({"per_class": "auto", "max_features": 2}, "per_class=auto takes 3 features"),
    ({"per_class": 2, "n_features_to_select": 3}, "n_features_to_select=3 says how many"),
    ({"per_class": 2, "max_features": 9}, "max_features=9 must be None: per_class=2 says how many"),
    ({"budget": 3}, "budget needs feature_costs as well"),
    (COSTS, "feature_costs needs budget as well"),
    (COSTS | {"budget": 0.5}, "budget=0.5 must be at least 1, the cost of the cheapest feature"),
    (COSTS | {"budget": 2, "include": NAMES[:3]}, "must be at least 3, the cost of the features"),
    (COSTS | {"budget": -1}, "budget=-1 must be a positive number"),
    (COSTS | {"budget": []}, "must hold at least one number"),
    (COSTS | {"budget": 3, "distinct": 0.5}, "distinct=0.5 must be None with a budget"),
    (COSTS | {"budget": 3, "per_class": 1}, "per_class=1 must be None with a budget"),
    (COSTS | {"budget": 3, "n_features_to_select": 2}, "n_features_to_select=2 says how many"),
    (COSTS | {"budget": 3, "method": "disjoint"}, "method='disjoint' needs at least 3"),
    ({"feature_costs": np.ones(5), "budget": 2}, "must hold a number for each of the 12 features"),
    ({"feature_costs": {"g0": 1.0}, "budget": 2}, "feature_costs holds no cost of 'g1'"),
    ({"feature_costs": -np.ones(12), "budget": 2}, "feature_costs holds -1.0 for 'g0'; it must be"),
    ({"feature_costs": [np.nan] * 12, "budget": 2}, "feature_costs holds nan for 'g0'; it must be"),
    ({"n_stand_ins": -1}, "n_stand_ins=-1 must be 0 or more"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "words"), BAD, ids=[words[:40] for _, words in BAD])
def test_error_names_what_cannot_be_wished_before_any_work(genes, options, words):
    def progress(*_):
        raise AssertionError("work has begun")

    with pytest.raises(ValueError, match=words):
        select_features(*genes, progress=progress, **options, **QUICK)


@pytest.mark.parametrize("name", ["include", "exclude"])
def test_one_name_is_no_list_of_them(genes, name):
    with pytest.raises(TypeError, match=f"{name}='g1' must be a list of features"):
        select_features(*genes, **{name: "g1"}, **QUICK)


@pytest.mark.parametrize("options", [{"distinct": 0.5}, COSTS | {"budget": 3}, {"n_stand_ins": 2}])
def test_what_needs_all_samples_is_refused_for_batches(genes, tmp_path, options):
    path = tmp_path / "table.csv"
    genes[0].assign(kind=genes[1]).to_csv(path, index=False)
    with pytest.raises(ValueError, match="it needs all samples in memory, and X is Batches"):
        select_features(batches(path, target="kind"), **options, **QUICK)
