"""Documents from files and folders to words, and new documents to predictions."""

import csv
import json

import numpy as np
import pytest

from centroidal.model_selection import compare

from ...l2 import select_features
from ..conftest import run_alone

QUICK = ("--repeats", "1", "--folds", "3")


@pytest.fixture
def reviews(tmp_path):
    rng = np.random.default_rng(2)
    fill = [f"w{i}" for i in range(40)]
    rows = []
    for number in range(48):
        marks = ["fine", "warm"] if number % 2 else ["dull", "cold"]
        words = [*rng.choice(fill, size=6), *(mark for mark in marks if rng.random() < 0.8)]
        rows.append((" ".join(words), "good" if number % 2 else "bad"))
    path = tmp_path / "reviews.csv"
    path.write_text("body,label\n" + "".join(f"{text},{label}\n" for text, label in rows))
    return path, *zip(*rows, strict=True)


def test_the_command_finds_what_the_library_finds(run, reviews):
    path, texts, y = reviews
    found = run("select", path, "--text", "body", "--target", "label", *QUICK, "--json")
    assert found.code == 0, found.err
    selection = json.loads(found.out)["selection"]
    expected = select_features(texts, y, text=True, cv=3, n_repeats=1, random_state=0)
    assert selection["score"] == expected.score
    assert [each["feature"] for each in selection["features"]] == expected.selected_names.tolist()
    assert [each["speaks_for"] for each in selection["features"]] == expected.speaks_for.tolist()
    assert selection["max_features"] == 200
    assert {each["class"] for each in selection["text"]["examples"]} == {"good", "bad"}


def test_options_of_words_reach_the_library(run, reviews):
    path = reviews[0]
    stop_words = path.with_name("stop.txt")
    stop_words.write_text("fine\nw1 w2\n")
    words = ("--ngrams", "1", "--min-df", "3", "--counts", "--sublinear", "--max-features", "4")
    words += ("--stop-words", stop_words)
    found = run("select", path, "--text", "body", "--target", "label", *words, *QUICK, "--json")
    selection = json.loads(found.out)["selection"]
    del selection["text"]["examples"]
    expected = {"ngrams": 1, "min_df": 3, "kind": "counts", "sublinear": True}
    expected["stop_words"] = ["fine", "w1", "w2"]
    assert (selection["text"], selection["max_features"]) == (expected, 4)


def test_words_and_their_classes_are_printed(run, reviews):
    found = run("select", reviews[0], "--text", "body", "--target", "label", "-k", "4", *QUICK)
    assert "48 documents, 2 classes of label" in found.out
    assert "--target label --text body" in found.out  # to compare
    assert "speaks for" in found.out


def test_raw_text_is_predicted_and_explained_in_another_process(run, reviews, tmp_path):
    path = reviews[0]
    model = tmp_path / "model.skops"
    asked = ("--text", "body", "--target", "label", "-k", "4", *QUICK, "--model", model)
    selected = run("select", path, *asked)
    assert selected.code == 0
    assert "OTHER.csv --target label --text body" in " ".join(selected.out.split())
    (tmp_path / "new.jsonl").write_text('{"body": "so fine and warm", "n": 1}\n{"body": ""}\n')
    output = tmp_path / "p.csv"
    found = run_alone("predict", model, tmp_path / "new.jsonl", "--explain", "-o", output)
    assert found.code == 0, found.err
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert rows[0]["prediction"] == "good"
    assert "fine (+" in rows[0]["words"]
    assert rows[1]["words"] == ""
    assert "1 document is empty" in found.err


def test_a_folder_of_mails_is_selected_from_and_predicted(run, reviews, tmp_path):
    _, texts, y = reviews
    for number, (text, label) in enumerate(zip(texts, y, strict=True)):
        folder = tmp_path / "mails" / label
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.eml").write_bytes(f"{text} na\xefve".encode("latin-1"))
    folder = ("select", tmp_path / "mails", "--text", "--target", "class")
    refused = run(*folder)
    assert (refused.code, "--encoding latin-1" in refused.err) == (2, True)
    model = tmp_path / "m.skops"
    asked = ("--encoding", "latin-1", "-k", "4", *QUICK, "--model", model)
    found = run(*folder, *asked)
    assert "classes of class: bad (24), good (24)" in found.out
    output = tmp_path / "p.csv"
    again = run("predict", model, tmp_path / "mails", "--encoding", "latin-1", "-o", output)
    assert again.code == 0, again.err
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert rows[0]["id"].startswith("bad/")
    assert np.mean([row["id"].split("/")[0] == row["prediction"] for row in rows]) > 0.8


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--target", "label", "--ngrams", "2"), "--ngrams is for documents, so it needs --text"),
        (("--target", "label", "--text", "body", "--impute", "median"), "not with --text"),
        (("--target", "label", "--stop-words", "english"), "so it needs --text"),
        (("--target", "label", "--text", "body", "--stop-words", "no.txt"), "no file no.txt"),
        (("--target", "label", "--text", "bdy"), "no column 'bdy'. Did you mean 'body'"),
        (("--target", "label", "--text", "body", "--max-features", "0"), "from 1 on, or none"),
    ],
)
def test_wrong_options_are_refused_in_words(run, reviews, options, words):
    found = run("select", reviews[0], *options)
    assert found.code == 2
    assert words in found.err


def test_explaining_numbers_is_refused(run, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n" + "1,2,x\n3,4,z\n" * 9)
    model = tmp_path / "m.skops"
    assert run("select", tmp_path / "t.csv", "--target", "y", *QUICK, "--model", model).code == 0
    found = run("predict", model, tmp_path / "t.csv", "--explain", "-o", tmp_path / "p.csv")
    assert (found.code, "--explain is for documents" in found.err) == (2, True)


def test_documents_are_streamed(run, reviews, tmp_path):
    model = tmp_path / "m.skops"
    asked = ("--text", "body", "--target", "label", "--stream", "-k", "4")
    found = run("select", reviews[0], *asked, "--model", model, "--json")
    assert found.code == 0, found.err
    names = [each["feature"] for each in json.loads(found.out)["selection"]["features"]]
    assert {"fine", "warm", "dull"} <= set(names)
    again = run("predict", model, reviews[0], "--explain", "-o", tmp_path / "p.csv")
    assert again.code == 0, again.err


@pytest.mark.parametrize("option", [("--method", "l1"), ("--min-df", "3"), ("--counts",)])
def test_options_that_need_all_documents_are_refused_with_streams(run, reviews, option):
    asked = ("--text", "body", "--target", "label", "--stream", *option)
    found = run("select", reviews[0], *asked)
    assert found.code == 2
    assert option[-1 if option[0] == "--method" else 0] in found.err


def test_a_model_of_documents_is_evaluated_on_others(run, reviews, tmp_path):
    model = tmp_path / "m.skops"
    asked = ("--text", "body", "--target", "label")
    assert run("select", reviews[0], *asked, "-k", "4", *QUICK, "--model", model).code == 0
    found = run("evaluate", model, reviews[0], *asked, "--json")
    assert found.code == 0, found.err
    assert json.loads(found.out)["metrics"]["accuracy"] > 0.8


# ------------------------------------------------------------------ comparison


def few_words(test):
    """Of few documents classifiers of scikit-learn say that words are constant, or too few."""
    for message in ("self.within_class_std_dev_ has at least 1 zero", "k=.* is greater than"):
        test = pytest.mark.filterwarnings(f"ignore:{message}:UserWarning")(test)
    return test


@few_words
def test_words_are_compared_by_the_command_as_by_the_library(run, reviews):
    path, texts, y = reviews
    asked = ("--text", "body", "--target", "label", "--stop-words", "english", *QUICK, "--json")
    found = run("compare", path, *asked)
    assert found.code == 0, found.err
    members = json.loads(found.out)["comparison"]["members"]
    options = {"cv": 3, "n_repeats": 1, "scoring": "accuracy", "random_state": 0}
    expected = compare(None, texts, y, text={"stop_words": "english"}, **options)
    scores = dict(zip(expected.table["name"], expected.table["mean_test_score"], strict=True))
    assert {each["name"]: each["mean_test_score"] for each in members} == scores


@few_words
def test_report_of_words_has_a_comparison(run, reviews, tmp_path):
    report = tmp_path / "r.html"
    asked = ("--text", "body", "--target", "label", *QUICK, "--compare", "--report", report)
    found = run("select", reviews[0], *asked, "--resamples", "0", "--stop-words", "english")
    assert found.code == 0, found.err
    page = report.read_text()
    assert "without the english stop words of scikit-learn" in page
    assert "within one standard error of the best score, of at most 200" in page
    assert "logistic" in page


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--neural",), "--neural is for tables of numbers"),
        (("--drop", "x"), "--drop is for tables of numbers"),
    ],
)
def test_options_of_numbers_are_refused_for_words(run, reviews, option, words):
    found = run("compare", reviews[0], "--text", "body", "--target", "label", *option)
    assert (found.code, words in found.err) == (2, True)
