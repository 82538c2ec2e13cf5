import csv
import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB

from centroidal import SparseCenterClassifier
from centroidal.feature_selection import L21CentroidSelector
from centroidal.persistence import save_model

from ..conftest import files, make_samples, run_alone, write_csv

NAMES = np.array([f"g{j}" for j in range(6)], dtype=object)
PREDICT = ("predict", "m.skops", "new.csv", "-o", "p.csv")


@pytest.fixture
def model():
    """A model that reads three of six features, in a file."""
    model = SparseCenterClassifier(3).fit(*make_samples())
    model.feature_names_in_ = NAMES
    save_model(model, "m.skops", metadata={"target": "tree"})
    return model


def rows_of(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def test_predictions_are_written_with_ids_and_probabilities(run, model, tmp_path):
    X, y = make_samples()
    write_csv(tmp_path / "new.csv", X, y, ids=[f"t{i}" for i in range(len(y))])
    found = run(*PREDICT, "--id", "sample")
    assert found.code == 0
    assert "Note: 'tree', the label in training, is left out." in found.err
    assert "Written: p.csv" in found.out
    rows = rows_of("p.csv")
    assert list(rows[0]) == [
        "id", "prediction", "probability_ash", "probability_elm", "probability_oak",
    ]  # fmt: skip
    assert [row["id"] for row in rows] == [f"t{i}" for i in range(len(y))]
    assert [row["prediction"] for row in rows] == model.fit(X, y).predict(X).tolist()


def test_labels_that_are_missing_do_not_matter(run, model, tmp_path):
    X, y = make_samples()
    write_csv(tmp_path / "new.csv", X, ["", *y[1:]])
    assert run(*PREDICT).code == 0


def test_samples_in_columns(run, model, tmp_path):
    X, _ = make_samples()
    rows = [["gene", "s1", "s2"]] + [[f"g{j}", *map(repr, X[:2, j].tolist())] for j in range(6)]
    (tmp_path / "new.csv").write_text("\n".join(",".join(row) for row in rows))
    assert run(*PREDICT, "--transpose").code == 0
    assert [row["id"] for row in rows_of("p.csv")] == ["s1", "s2"]


def test_json_counts_the_predictions(run, model, tmp_path):
    write_csv(tmp_path / "new.csv", *make_samples())
    facts = json.loads(run(*PREDICT, "--json").out)
    assert sum(facts["counts"].values()) == facts["n_samples"] == 36
    assert facts["written"] == ["p.csv"]


def write_columns(folder, names, X=None):
    X = make_samples()[0] if X is None else X
    lines = [",".join(names)] + [",".join(map(repr, row)) for row in X[:, : len(names)].tolist()]
    (folder / "new.csv").write_text("\n".join(lines))


def test_missing_columns_are_named(run, model, tmp_path):
    write_columns(tmp_path, ["g3", "g4", "g5"])
    found = run(*PREDICT)
    assert (found.code, found.out) == (2, "")
    assert "new.csv lacks 3 features that the model reads: 'g0', 'g1', 'g2'." in found.err
    assert files(tmp_path) == ["m.skops", "new.csv"]


def test_columns_that_are_not_read_may_be_missing(run, model, tmp_path):
    write_columns(tmp_path, ["g0", "g1", "g2"])
    found = run(*PREDICT)
    assert found.code == 0
    assert "3 features of training are missing that the model does not read" in found.err


def test_extra_columns_are_refused_unless_allowed(run, model, tmp_path):
    X = np.hstack([make_samples()[0], np.ones((36, 1))])
    write_columns(tmp_path, [*NAMES, "age"], X)
    found = run(*PREDICT)
    assert (found.code, found.out) == (2, "")
    assert "1 feature that the model was not fitted to: 'age'" in found.err
    assert "--allow-extra" in found.err
    assert run(*PREDICT, "--allow-extra").code == 0
    assert run(*PREDICT, "--drop", "age", "--force").code == 0


def test_missing_values_are_refused_without_an_imputer(run, model, tmp_path):
    X, y = make_samples()
    X[:2, 0] = np.nan
    write_csv(tmp_path / "new.csv", X, y)
    found = run(*PREDICT)
    assert (found.code, found.out) == (2, "")
    assert "2 values are missing, in 1 feature that the model reads: 'g0'" in found.err


def test_sparse_tables(run, model, tmp_path):
    X = sparse.csr_array(np.round(make_samples()[0]))
    arrays = {name: getattr(X, name) for name in ("data", "indices", "indptr")}
    np.savez("new.npz", shape=X.shape, feature_names=NAMES.astype(str), **arrays)
    assert run("predict", "m.skops", "new.npz", "-o", "p.csv").code == 0
    here = SparseCenterClassifier(3).fit(*make_samples()).predict(X)
    assert [row["prediction"] for row in rows_of("p.csv")] == here.tolist()


def test_a_feature_with_the_name_of_the_labels_is_read(run, tmp_path):
    X, y = make_samples()
    model = SparseCenterClassifier(6).fit(X, y)
    names = ["y", *NAMES[1:]]
    model.feature_names_in_ = np.array(names, dtype=object)
    save_model(model, "m.skops", metadata={"target": "y"})
    write_columns(tmp_path, names)
    assert run(*PREDICT).code == 0
    assert [row["prediction"] for row in rows_of("p.csv")] == SparseCenterClassifier(6).fit(
        X, y
    ).predict(X).tolist()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, ("no file m.skops",)),
        (b"", ("m.skops", "no model file")),
        (b"not a zip archive", ("m.skops is damaged, or no model file",)),
        (b"PK\x03\x04 damaged", ("m.skops", "no model file")),
    ],
)
def test_what_is_no_model_is_refused(run, tmp_path, content, words):
    write_csv(tmp_path / "new.csv", *make_samples())
    if content is not None:
        (tmp_path / "m.skops").write_bytes(content)
    before = files(tmp_path)
    for command in (PREDICT, ("show", "m.skops"), ("export", "m.skops", "-o", "m.onnx")):
        found = run(*command)
        assert (found.code, found.out) == (2, "")
        assert [word for word in words if word not in found.err] == []
    assert files(tmp_path) == before


def test_a_damaged_model_in_a_process_of_its_own(model, tmp_path):
    content = (tmp_path / "m.skops").read_bytes()
    (tmp_path / "m.skops").write_bytes(content[: len(content) // 2])
    write_csv(tmp_path / "new.csv", *make_samples())
    found = run_alone(*PREDICT)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("centroidal: predict: m.skops is damaged, or no model file")
    assert "Traceback" not in found.err


def test_a_selector_does_not_predict(run, tmp_path):
    write_csv(tmp_path / "new.csv", *make_samples())
    model = L21CentroidSelector().fit(*make_samples())
    save_model(model, "m.skops", metadata={"target": "tree"})
    found = run(*PREDICT)
    assert (found.code, found.out) == (2, "")
    assert "L21CentroidSelector must be a classifier" in found.err


def test_an_existing_output_is_refused_before_any_work(run, tmp_path):
    (tmp_path / "p.csv").write_text("old")
    found = run(*PREDICT)
    assert (found.code, found.out) == (2, "")
    assert "--output p.csv exists; --force overwrites it" in found.err
    assert (tmp_path / "p.csv").read_text() == "old"


# ------------------------------------------------------------------ types that a person names


@pytest.mark.parametrize("command", [PREDICT, ("evaluate", *PREDICT[1:3], "--target", "tree")])
def test_type_is_refused_unless_it_is_named(run, tmp_path, command):
    X, y = make_samples()
    write_csv(tmp_path / "new.csv", X, y)
    model = BernoulliNB().fit(X, y)
    model.feature_names_in_ = NAMES
    name = "sklearn.naive_bayes.BernoulliNB"
    save_model(model, "m.skops", metadata={"target": "tree"}, trusted=[name])
    refused = run(*command)
    assert refused.code == 2
    assert f"{name} is not allowed in a model file" in refused.err
    assert "--trust MODULE.TYPE allows a type, for a file whose writer you trust" in refused.err
    assert run(*command, "--trust", "os.system").code == 2
    found = run(*command, "--trust", name)
    assert found.code == 0, found.err


def test_type_that_is_not_there_is_told(run, model, tmp_path):
    write_csv(tmp_path / "new.csv", *make_samples())
    found = run(*PREDICT, "--trust", "Classifier")
    assert (found.code, "must be the dotted name of a type" in found.err) == (2, True)


# ------------------------------------------------------------------ no call


@pytest.fixture
def selected(run, tmp_path):
    """What `select` makes of enough samples to exclude a class."""
    X, y = make_samples(90)
    write_csv(tmp_path / "train.csv", X, y)
    options = ("--target", "tree", "--model", "m.skops", "-k", "3", "--repeats", "1", "--quiet")
    assert run("select", "train.csv", *options).code == 0
    return X, y


def test_samples_that_resemble_no_class_are_not_called(run, selected, tmp_path):
    X, y = selected
    strange = np.vstack([X[:6], np.zeros((1, 6)), 10.0 * X[:2]])
    write_csv(tmp_path / "new.csv", strange, y[:9])
    found = run(*PREDICT, "--no-call", "0.2", "--json")
    assert found.code == 0
    facts, rows = json.loads(found.out), rows_of("p.csv")
    assert list(rows[0])[:2] == ["prediction", "credible"]
    assert facts["no_call"] == 0.2
    assert [row["credible"] for row in rows[6:]] == ["none"] * 3
    assert [row["prediction"] for row in rows[6:]] == [""] * 3
    assert facts["counts"]["no call: resembles no class"] >= 3
    assert sum(facts["counts"].values()) == 9
    called = [row for row in rows if row["prediction"]]
    assert len(called) >= 3
    assert all(row["credible"] == row["prediction"] for row in called)


def test_samples_on_another_scale_are_told(run, selected, tmp_path):
    X, y = selected
    write_csv(tmp_path / "new.csv", X, y)
    assert "another scale" not in run(*PREDICT).err
    write_csv(tmp_path / "new.csv", 10.0 * X, y)
    found = run(*PREDICT, "--force")
    assert "lie on another scale than those of training" in " ".join(found.err.split())


def test_too_few_samples_for_a_small_share_are_told(run, selected, tmp_path):
    X, y = selected
    write_csv(tmp_path / "new.csv", X, y)
    found = run(*PREDICT, "--no-call", "0.01")
    assert "too few training samples (90 in all) to exclude it" in " ".join(found.err.split())
    assert {row["credible"] for row in rows_of("p.csv")} == {"ash; elm; oak"}


@pytest.mark.parametrize(
    ("share", "message"),
    [("0.05", "--no-call 0.05 must be None: the model does not know"), ("2", "between 0 and 1")],
)
def test_no_call_that_cannot_be_is_refused(run, model, tmp_path, share, message):
    X, y = make_samples()
    write_csv(tmp_path / "new.csv", X, y)
    found = run(*PREDICT, "--no-call", share)
    assert found.code == 2
    assert message in " ".join(found.err.split())
    assert not (tmp_path / "p.csv").exists()


def test_evaluation_tells_what_comes_of_it(run, selected, tmp_path):
    X, y = selected
    write_csv(tmp_path / "new.csv", np.vstack([X, 0.0 * X[:10]]), [*y, *y[:10]])
    command = ("evaluate", "m.skops", "new.csv", "--target", "tree", "--no-call", "0.2")
    calls = json.loads(run(*command, "--json").out)["calls"]
    assert calls["no_call"] == 0.2
    assert calls["none"] >= 0.1
    assert calls["called"] + calls["several"] + calls["none"] == pytest.approx(1.0)
    assert len(calls["class_coverage"]) == 3
    assert "No call at 0.2:" in run(*command).out


def test_card_tells_what_came_of_held_out_samples(run, selected):
    found = run("show", "m.skops")
    assert "no_call 0.05, called" in " ".join(found.out.split())
