from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from centroidal.report import build_report
from centroidal.report.sections import (
    answer_section,
    block_section,
    caveat_section,
    feature_section,
    request_section,
    words_section,
)

from ..l2 import select_features
from .samples import judged


def words_of(selection, comparison=None):
    return {word for word, _ in caveat_section(selection, comparison)}


def stability(index):
    return SimpleNamespace(stability_=index)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"class_counts": np.array([3, 40, 40])}, {"Very few samples.", "Unbalanced classes."}),
        ({"class_counts": np.array([20, 40, 40])}, {"Few samples."}),
        ({"class_counts": np.array([50, 50, 50])}, set()),
        ({"impute": "median"}, {"Missing values."}),
        ({"stability": stability(0.3)}, {"The list is unstable."}),
        ({"stability": stability(0.5)}, set()),
        ({"random_score": 1.0}, {"Not above random features."}),
        ({"n_repeats": 1}, {"Folds that were drawn once."}),
        ({"n_groups": 30}, set()),
    ],
    ids=[
        *("very few", "few", "many", "imputed", "unstable", "stable", "at random", "once"),
        "grouped",
    ],
)
def test_caveats_are_chosen_by_the_facts(selection, changes, expected):
    many = {"class_counts": np.array([50, 50, 50]), "n_repeats": 3}
    plain = replace(selection, **many, stability=None)
    always = {"Nested cross-validation.", "Stand-ins.", "What was done before."}
    if "random_score" not in changes:
        always.add("Random features.")
    if "n_groups" not in changes:
        always.add("Samples of one individual.")
    assert words_of(replace(plain, **changes)) == always | expected


def test_groups_are_told_where_the_folds_are(selection):
    sentences = dict(caveat_section(replace(selection, n_groups=30), None))
    assert "of 30 whole groups" in sentences["Nested cross-validation."]


def test_how_many_features_the_folds_chose_is_told(selection):
    choices = tuple({"n_features": number} for number in (4, 9, 5))
    sentences = dict(caveat_section(replace(selection, fold_choices=choices), None))
    told = sentences["Nested cross-validation."]
    assert told.endswith("Folds chose 4 to 9 features, 5 in the median.")


def test_what_is_suspected_is_a_caveat_and_beside_the_answer(selection):
    near = {"kind": "near_copies", "sentence": "9 are alike.", "n_samples": 9, "share": 0.2}
    column = {"kind": "giveaway", "sentence": "Feature a\x00b tells.", "share": 1.0}
    doubtful = replace(selection, suspicions=(near, column))
    assert caveat_section(doubtful, None)[:2] == [
        ("Near copies of samples.", "9 are alike."),
        ("A feature that gives the class away.", "Feature a\ufffdb tells."),
    ]
    assert "(9 near copies): give groups" in answer_section(doubtful, None)["warning"]
    assert answer_section(selection, None)["warning"] is None


def test_few_samples_are_counted(selection):
    few = replace(selection, class_counts=np.array([3, 40, 40]))
    sentences = dict(caveat_section(few, None))
    assert "alpha, has 3\u00a0samples" in sentences["Very few samples."]
    assert "40 samples of beta and 3 of alpha" in sentences["Unbalanced classes."]


def test_comparison_has_its_own(comparison):
    words = words_of(None, comparison)
    assert "The best of several." in words
    assert "Nested cross-validation." not in words


def test_classifier_is_named_in_the_question_if_there_was_a_choice(selection):
    asked = dict(request_section(selection, None, None)["asked"])
    assert "Classifier" not in asked
    scores = {name: {} for name in ("nearest centers", "logistic regression")}
    chosen = replace(selection, classifier="logistic regression", classifier_scores=scores)
    asked = dict(request_section(chosen, None, None)["asked"])
    assert asked["Classifier"] == "logistic regression (the best of 2 that were tried)"


def test_groups_and_blocks_are_named_in_the_question(selection):
    rows = [
        {"block": "<N>", "n_samples": 30, "n_features": 3, "score": 0.7, "interval": (0.5, 0.8)},
        {"block": "O", "n_samples": 9, "n_features": 4, "score": 0.7, "interval": None},
        {"block": "S", "n_samples": 9, "n_features": None, "score": np.nan, "interval": None},
    ]
    rows = [row | {"trouble": None} for row in rows[:2]] + [rows[2] | {"trouble": "too few"}]
    blocks = {"rows": rows, "score": 0.7, "cramers_v": 0.1, "p_value": 0.5}
    named = replace(
        selection, n_groups=20, group_name="patient", blocks=blocks, block_name="site",
        has_mixed_groups=True,
    )  # fmt: skip
    asked = dict(request_section(named, None, None)["asked"])
    assert asked["Folds"] == "4\u00a0folds of 20 whole groups (patient)"
    assert asked["Blocks"] == "3\u00a0blocks of site, each left out whole"
    assert block_section(named)["table"]["rows"] == [
        ["<N>", "30", "70\u00a0% (50 to 80\u00a0%)", "3"],
        ["O", "9", "70\u00a0%", "4"],
        ["S", "9", "too few", "\u2013"],
    ]
    words = words_of(named)
    assert "Groups of several classes." in words
    assert "Samples of one individual." not in words
    assert block_section(selection) is None


def test_comparison_in_groups_says_so(comparison):
    grouped = replace(comparison, n_groups=20, group_name="patient")
    asked = dict(request_section(None, grouped, None)["asked"])
    assert asked["Folds"] == "3\u00a0folds of 20 whole groups (patient)"
    assert "Samples of one individual." in words_of(None, comparison)
    assert "Samples of one individual." not in words_of(None, grouped)


def test_words_stand_with_their_class_and_documents_that_hold_them():
    texts = ["fine warm one", "dull cold two", "warm fine <b>", "cold dull two"] * 6
    found = select_features(
        texts, ["good", "bad"] * 12, text=True, n_features_to_select=6, cv=3, n_repeats=1,
        random_state=0,
    )  # fmt: skip
    bad, good = words_section(found)
    assert (bad["label"], good["label"]) == ("bad", "good")
    assert {"dull", "cold"} <= set(bad["words"])
    assert not set(bad["words"]) & set(good["words"])
    assert all("cold" in document["text"] for document in bad["documents"])
    page = build_report(found).split('id="words"')[1].split("</section>")[0]
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


def test_features_have_their_p_values_and_how_many_do_as_well_by_luck(selection):
    test = judged(selection).permutations
    values = np.linspace(0.01, 0.9, selection.feature_names.size)
    evidence = replace(test, feature_p_values=values, expected_false=20 * values)
    found = feature_section(replace(selection, permutations=evidence))
    best = selection.ranking[0]
    assert found["has_evidence"]
    assert found["rows"][0][3:5] == pytest.approx([values[best], 20 * values[best]], rel=1e-4)
    assert float(found["first"][0]["evidence"][0]) == pytest.approx(values[best], rel=1e-3)


def test_features_without_permutations_have_no_p_values(selection):
    found = feature_section(selection)
    assert not found["has_evidence"]
    assert found["rows"][0][3:5] == [None, None]
