import csv
import json

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from centroidal.model_selection import ComparisonRun, iter_comparison

from ..conftest import files, make_samples, write_csv

TREES = ("compare", "trees.csv", "--target", "tree", "--repeats", "1")


@pytest.fixture
def line_up(monkeypatch):
    """Compare two members only, and keep what was asked for."""
    asked = []

    def few(members, X, y, **options):
        asked.append({"members": members, **options})
        chosen = {"naive Bayes": GaussianNB(), "majority": DummyClassifier()}
        return iter_comparison(chosen, X, y, **options)

    monkeypatch.setattr("centroidal.model_selection.iter_comparison", few)
    return asked


@pytest.fixture
def interrupted(monkeypatch):
    """Interrupt the comparison after some fits."""

    def after(n_fits):
        original = ComparisonRun.__iter__

        def iterate(self):
            for result in original(self):
                if self.n_done > n_fits:
                    raise KeyboardInterrupt
                yield result
            raise AssertionError("there were too few fits")

        def stop_at_once(self):
            raise KeyboardInterrupt
            yield

        monkeypatch.setattr(ComparisonRun, "__iter__", iterate if n_fits else stop_at_once)

    return after


def test_default_line_up_is_compared(run, trees):
    found = run(*TREES, "--folds", "2", "--json")
    assert found.code == 0, found.err
    comparison = json.loads(found.out)["comparison"]
    assert comparison["is_complete"]
    names = [row["name"] for row in comparison["members"]]
    assert "l2" in names
    assert "random features" in names
    means = [row["mean_test_score"] for row in comparison["members"]]
    assert means == sorted(means, reverse=True)


def test_intervals_and_groups_are_in_the_result(run, trees, line_up):
    found = run(*TREES, "--json", "--groups", "none")
    comparison = json.loads(found.out)["comparison"]
    assert comparison["n_groups"] is None
    for row in comparison["members"]:
        assert row["low_test_score"] < row["high_test_score"]
    best, other = comparison["members"]
    assert best["low_difference"] is None
    assert other["low_difference"] < other["mean_difference"] < other["high_difference"]
    assert "95 % interval" in comparison["answer"]


def test_table_is_shown_and_written(run, trees, line_up, tmp_path):
    found = run(*TREES, "--output", "c.csv", "--report", "r.html")
    assert found.code == 0
    text = " ".join(found.out.split())
    assert "trees.csv: 36 samples, 6 features, 3 classes of tree" in text
    assert "accuracy in 5 folds" in text
    assert "Written: r.html, c.csv" in text
    with open("c.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["name"] for row in rows] == ["naive Bayes", "majority"]
    here = iter_comparison(
        {"naive Bayes": GaussianNB()}, *make_samples(), cv=5, n_repeats=1, random_state=0
    )
    scores = [result.score for result in here]
    assert float(rows[0]["mean_test_score"]) == np.mean(scores)
    assert rows[0]["mean_difference"] == "0.0"
    assert files(tmp_path) == ["c.csv", "r.html", "trees.csv"]


def test_select_adds_the_comparison_to_the_report(run, trees, line_up, monkeypatch):
    given = []

    def keep(path, selection, comparison, **options):
        given.append((selection, comparison, options))
        path.write_text("<html></html>")

    monkeypatch.setattr("centroidal.report.write_report", keep)
    options = ("--repeats", "1", "--compare", "--report", "r.html", "--resamples", "0")
    found = run("select", "trees.csv", "--target", "tree", *options)
    assert found.code == 0, found.err
    ((selection, comparison, options),) = given
    assert selection.n_repeats == 1
    assert comparison.names == ("naive Bayes", "majority")
    assert options["table"].source == "trees.csv"
    assert options["command"].startswith("centroidal select trees.csv --target tree")


def test_options_reach_the_comparison(run, trees, line_up):
    options = ("--folds", "3", "--scoring", "balanced_accuracy", "--seed", "7", "--jobs", "1")
    assert run(*TREES, *options).code == 0
    assert line_up == [
        {
            "members": None,
            "cv": 3,
            "n_repeats": 1,
            "scoring": "balanced_accuracy",
            "impute": None,
            "preprocess": None,
            "text": None,
            "groups": None,
            "n_jobs": 1,
            "random_state": 7,
        }
    ]


def test_neural_adds_the_network(run, trees, line_up):
    pytest.importorskip("torch")
    assert run(*TREES, "--neural").code == 0
    assert "encoder" in line_up[0]["members"]


def test_few_samples_make_few_folds(run, tmp_path, line_up):
    X, y = make_samples(n_samples=12)
    write_csv(tmp_path / "trees.csv", X, y)
    assert run(*TREES).code == 0
    assert line_up[0]["cv"] == 4


def test_not_a_number_is_null(run, trees, line_up):
    found = json.loads(run(*TREES, "--json").out)
    assert "NaN" not in json.dumps(found)
    assert found["comparison"]["members"][0]["mean_n_features"] is None


def test_an_interruption_shows_what_is_finished_and_writes_nothing(
    run, trees, line_up, interrupted, tmp_path
):
    interrupted(3)
    found = run(*TREES, "--output", "c.csv", "--report", "r.html")
    assert found.code == 130
    assert "naive Bayes" in found.out
    assert "unfinished: 4 of 10 fits" in found.out
    assert found.err.endswith(
        "compare: interrupted; 4 of 10 fits are in the table, nothing was written.\n"
    )
    assert files(tmp_path) == ["trees.csv"]


def test_an_interruption_keeps_json_whole(run, trees, line_up, interrupted):
    interrupted(3)
    found = run(*TREES, "--json")
    assert found.code == 130
    assert not json.loads(found.out)["comparison"]["is_complete"]


def test_an_interruption_before_the_first_fit_shows_nothing(run, trees, line_up, interrupted):
    interrupted(0)
    found = run(*TREES)
    assert (found.code, found.out) == (130, "")
    assert found.err.endswith("interrupted; nothing was written.\n")


def test_a_member_that_fails_is_told(run, trees, monkeypatch):
    class Failing(DummyClassifier):
        def fit(self, X, y):
            raise RuntimeError("out of order")

    def few(members, X, y, **options):
        chosen = {"broken": Failing(), "majority": DummyClassifier()}
        return iter_comparison(chosen, X, y, **options)

    monkeypatch.setattr("centroidal.model_selection.iter_comparison", few)
    found = run(*TREES)
    assert found.code == 0
    assert "Warning: broken failed in 5 folds, first: RuntimeError: out of order" in found.err


@pytest.mark.parametrize(
    ("labels", "options", "words"),
    [
        (None, ("--folds", "13"), ("--folds 13", "at most 12")),
        (None, ("--output", "no/c.csv"), ("no folder",)),
        (None, ("--output", "c.txt"), ("--output c.txt", ".csv")),
        ("ash", (), ("one class",)),
        ("fir", (), ("class 'fir' has 1 sample;", "at least 3")),
        ("fir", ("--folds", "2"), ("class 'fir' has 1 sample;", "at least 3")),
    ],
)
def test_bad_input_is_named(run, tmp_path, labels, options, words):
    X, y = make_samples()
    y = np.full_like(y, "ash") if labels == "ash" else y
    y[0] = labels or y[0]
    write_csv(tmp_path / "trees.csv", X, y)
    found = run(*TREES, *options)
    assert (found.code, found.out) == (2, "")
    assert [word for word in words if word not in found.err] == []
    assert files(tmp_path) == ["trees.csv"]
