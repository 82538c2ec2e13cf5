import json

import numpy as np
import pytest

from centroidal import SparseCenterClassifier
from centroidal.persistence import save_model

from ..conftest import QUICK, files, make_samples, write_csv

EVALUATE = ("evaluate", "m.skops", "new.csv", "--target", "tree")
NAMES = np.array([f"g{j}" for j in range(6)], dtype=object)


@pytest.fixture
def model(run, trees):
    """A model that `select` wrote."""
    assert run("select", "trees.csv", "--target", "tree", *QUICK, "--model", "m.skops").code == 0


def write_new(folder, n_samples=30, **options):
    X, y = make_samples(n_samples + 36)
    return write_csv(folder / "new.csv", X[36:], y[36:], **options)


def test_scores_and_confusion_are_shown_beside_the_promise(run, model, tmp_path):
    write_new(tmp_path)
    found = run(*EVALUATE)
    assert found.code == 0
    assert found.out.startswith("accuracy ")
    words = ("95 % interval", "on 30 samples; the model file promised", "ROC curve", "Brier score",
             "log loss", "average precision", "samples of", "as oak", "recall")  # fmt: skip
    text = " ".join(found.out.split())
    assert [word for word in words if word not in text] == []
    assert "no evidence" not in text


def test_json_has_everything(run, model, tmp_path):
    write_new(tmp_path)
    facts = json.loads(run(*EVALUATE, "--json").out)
    assert list(facts) == [
        "answer", "table", "metrics", "intervals", "promised", "same_table", "n_samples",
        "n_groups", "classes", "confusion", "recall", "calls", "remarks", "written",
    ]  # fmt: skip
    assert sum(map(sum, facts["confusion"])) == facts["n_samples"] == 30
    low, high = facts["intervals"]["log_loss"]
    assert low <= facts["metrics"]["log_loss"] <= high
    assert facts["promised"]["scoring"] == "accuracy"
    assert facts["calls"] is None
    assert facts["table"]["source"] == "new.csv"
    assert facts == json.loads(run(*EVALUATE, "--json").out)


def test_the_table_of_training_is_no_evidence(run, model):
    found = run("evaluate", "m.skops", "trees.csv", "--target", "tree")
    assert found.code == 0
    assert "trained on this very table: that is no evidence." in " ".join(found.out.split())


@pytest.mark.parametrize(
    ("options", "n_groups"),
    [((), 10), (("--groups", "none"), None), (("--groups", "sample"), 10)],
)
def test_repeated_ids_are_groups_unless_said_otherwise(run, model, tmp_path, options, n_groups):
    write_new(tmp_path, ids=[f"p{i // 3}" for i in range(30)])
    found = run(*EVALUATE, "--id", "sample", *options, "--json")
    assert json.loads(found.out)["n_groups"] == n_groups


def test_a_column_of_groups_is_no_feature(run, model, tmp_path):
    write_new(tmp_path, ids=[f"p{i // 3}" for i in range(30)])
    assert json.loads(run(*EVALUATE, "--groups", "sample", "--json").out)["n_groups"] == 10
    found = run(*EVALUATE, "--groups", "patient")
    assert (found.code, found.out) == (2, "")
    assert "new.csv has no column 'patient'" in found.err


def test_unknown_labels_are_named(run, model, tmp_path):
    X, y = make_samples()
    write_csv(tmp_path / "new.csv", X, np.where(y == "oak", "yew", y))
    found = run(*EVALUATE)
    assert (found.code, found.out) == (2, "")
    assert "--target holds 1 label that the model does not know, in 12 samples: 'yew'" in found.err


def test_wrong_input_is_told_in_words(run, model, tmp_path):
    write_new(tmp_path, target="kind")
    for args, words in [
        (EVALUATE, "new.csv has no column 'tree'"),
        (("evaluate", "no.skops", "trees.csv", "--target", "tree"), "no file no.skops"),
        (("evaluate", "m.skops", "no.csv", "--target", "tree"), "no.csv"),
        (("evaluate", "trees.csv", "trees.csv", "--target", "tree"), "trees.csv"),
        (("evaluate", "m.skops", ".", "--target", "tree"), "is a folder without matrix.mtx"),
        (("evaluate", "m.skops", "trees.csv", "--target", "g0"), "'tree' ("),
    ]:
        found = run(*args)
        assert (found.code, found.out) == (2, ""), args
        assert words in found.err
        assert "Traceback" not in found.err
    assert files(tmp_path) == ["m.skops", "new.csv", "trees.csv"]


def test_further_columns_are_refused_unless_allowed(run, model, tmp_path):
    X, y = make_samples()
    X = np.column_stack([X, np.ones(36)])
    write_csv(tmp_path / "new.csv", X, y, names=[*NAMES, "age"])
    found = run(*EVALUATE)
    assert (found.code, found.out) == (2, "")
    assert "1 feature that the model was not fitted to: 'age'" in found.err
    assert run(*EVALUATE, "--allow-extra").code == 0


def test_a_model_of_python_promises_nothing(run, tmp_path):
    model = SparseCenterClassifier(3).fit(*make_samples())
    model.feature_names_in_ = NAMES
    save_model(model, "m.skops")
    write_new(tmp_path)
    found = run(*EVALUATE)
    assert found.code == 0
    assert "promise" not in found.out


def test_a_report_is_written_once(run, model, tmp_path):
    write_new(tmp_path)
    found = run(*EVALUATE, "--report", "r.html")
    assert found.code == 0
    assert "Written: r.html" in found.out
    page = (tmp_path / "r.html").read_text()
    assert "External validation: new.csv" in page
    assert "centroidal evaluate m.skops new.csv --target tree --report r.html" in page
    again = run(*EVALUATE, "--report", "r.html")
    assert (again.code, again.out) == (2, "")
    assert "--report r.html exists; --force overwrites it." in again.err
