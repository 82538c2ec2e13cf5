import json
import shlex

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from scipy import sparse

from centroidal import FisherSubspaceClassifier, KernelFisherSubspaceClassifier
from centroidal import SparseCenterClassifier as Sparse
from centroidal import datasets as library
from centroidal.io import read_table
from centroidal.persistence import save_model

from ..conftest import files, make_samples


def write_model(model=None, fitted=True, **metadata):
    model = Sparse(2) if model is None else model
    save_model(model.fit(*make_samples()) if fitted else model, "m.skops", metadata=metadata)
    return model


# ------------------------------------------------------------------ show


def test_show_says_what_is_in_a_model(run):
    write_model(source="trees.csv", versions={"numpy": "2.0"})
    text = " ".join(run("show", "m.skops").out.split())
    for words in (
        "class SparseCenterClassifier",
        "classes ash, elm, oak",
        "features 6",
        "selected 2: x",
        "n_features_to_select 2",
        "source trees.csv",
        "versions numpy 2.0",
        "written by centroidal",
    ):
        assert words in text


def test_show_builds_no_model_if_the_card_is_enough(run, monkeypatch):
    model = Sparse(2).fit(*make_samples())
    model.feature_names_in_ = np.array([*"abcdef"], dtype=object)
    save_model(model, "m.skops", metadata={"selected_features": ["a", "b"]})

    def refuse(path):
        raise AssertionError("it was built")

    monkeypatch.setattr("centroidal.persistence.load_model", refuse)
    facts = json.loads(run("show", "m.skops", "--json").out)
    assert facts["selected_features"] == ["a", "b"]
    assert facts["n_features"] == 6
    assert facts["class_name"] == "SparseCenterClassifier"


def test_show_does_not_obey_what_a_file_says(run):
    write_model(source="[bold]\x1b[31mred")
    found = run("show", "m.skops")
    assert "[bold]\\x1b[31mred" in found.out
    assert "\x1b" not in found.out


def test_show_a_model_that_reads_everything_or_is_not_fitted(run):
    write_model(FisherSubspaceClassifier())
    facts = json.loads(run("show", "m.skops", "--json").out)
    assert (facts["n_features"], facts["selected_features"]) == (6, None)
    save_model(Sparse(2), "n.skops")
    assert "not fitted" in run("show", "n.skops").out


# ------------------------------------------------------------------ export


def test_export_writes_a_graph_that_predicts(run):
    model = write_model()
    found = run("export", "m.skops", "-o", "m.onnx")
    assert found.code == 0
    assert "Written: m.onnx" in found.out
    X, _ = make_samples()
    session = onnxruntime.InferenceSession("m.onnx", providers=["CPUExecutionProvider"])
    assert session.run(["label"], {"X": X})[0].tolist() == model.predict(X).tolist()
    assert run("export", "m.skops", "-o", "m.onnx").code == 2
    assert run("export", "m.skops", "-o", "m.onnx", "--force").code == 0


def test_export_of_selected_features_in_single_precision_tells_what_is_known(run):
    model = write_model(source="tumours")
    options = ("--selected-only", "--dtype", "float32")
    assert run("export", "m.skops", "-o", "m.onnx", *options).code == 0
    X = make_samples()[0][:, model.support_].astype(np.float32)
    session = onnxruntime.InferenceSession("m.onnx", providers=["CPUExecutionProvider"])
    labels, probabilities = session.run(["label", "probabilities"], {"X": X})
    assert labels.tolist() == model.predict(make_samples()[0]).tolist()
    assert probabilities.dtype == np.float32
    known = session.get_modelmeta().custom_metadata_map
    assert known["source"] == "tumours"
    assert len(json.loads(known["feature_names"])) == model.support_.sum()


def test_export_refuses_what_cannot_be_translated(run, tmp_path):
    write_model(KernelFisherSubspaceClassifier())
    found = run("export", "m.skops", "-o", "m.onnx")
    assert (found.code, found.out) == (2, "")
    assert "KernelFisherSubspaceClassifier cannot be translated" in found.err
    assert files(tmp_path) == ["m.skops"]


# ------------------------------------------------------------------ datasets


def test_datasets_are_listed_a_line_each(run):
    facts = json.loads(run("datasets", "--json").out)["datasets"]
    generators = [name for name in library.__all__ if name.startswith("make_")]
    assert list(facts) == ["expression", *generators]
    assert facts["make_expression"] == library.make_expression.__doc__.split("\n")[0]
    text = run("datasets").out
    assert all(name in text for name in facts)


def test_the_shipped_table_is_written_exactly(run):
    assert run("datasets", "expression", "-o", "t.csv").code == 0
    table, genes = read_table("t.csv", target="class"), library.load_expression()
    np.testing.assert_array_equal(table.X, genes.data)
    assert table.y.tolist() == genes.target_names[genes.target].tolist()
    assert table.feature_names.tolist() == genes.feature_names.tolist()


@pytest.fixture
def small(monkeypatch):
    """Generators of small tables."""
    makers = {
        "make_feature_blocks": lambda random_state: library.make_feature_blocks(
            20, 2, random_state=random_state
        ),
        "make_outlier_classes": lambda random_state: library.make_outlier_classes(
            20, 3, random_state=random_state
        ),
        "make_word_counts": lambda random_state: library.make_word_counts(
            30, 70, random_state=random_state
        ),
    }
    for name, make in makers.items():
        make.__name__ = name
        make.__doc__ = "A small one."
    monkeypatch.setattr("centroidal.cli.commands.datasets.known_datasets", lambda: makers)
    return makers


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    "name", ["make_feature_blocks", "make_outlier_classes", "make_word_counts"]
)
def test_a_generator_writes_a_table_by_its_seed(run, small, name, suffix):
    made = small[name](random_state=5)
    X = made[0] if isinstance(made, tuple) else made.data
    assert run("datasets", name, "--seed", "5", "-o", f"t.{suffix}").code == 0
    table = read_table(f"t.{suffix}", target="class")
    np.testing.assert_array_equal(table.X, X.toarray() if sparse.issparse(X) else X)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_mails_are_written_a_row_each_and_select_is_told_where_the_text_is(run, suffix):
    found = run("datasets", "make_mails", "--seed", "3", "-o", f"t.{suffix}")
    assert found.code == 0
    assert f"select t.{suffix} --target class --text text" in found.out + found.err
    mails = library.make_mails(random_state=3)
    read = pd.read_csv if suffix == "csv" else pd.read_parquet
    table = read(f"t.{suffix}")
    assert list(table) == ["class", "text"]
    assert table["text"].tolist() == mails.data.tolist()
    assert table["class"].tolist() == mails.target_names[mails.target].tolist()


def test_spectra_keep_the_specimens_of_their_replicates(run):
    found = run("datasets", "make_spectra", "--seed", "3", "-o", "t.csv")
    assert "centroidal select t.csv --target class --groups group" in found.out
    spectra = library.make_spectra(random_state=3)
    table = read_table("t.csv", target="class", drop=["group"])
    assert table.feature_names.tolist() == spectra.feature_names.tolist()
    asked = "--target class --groups group -k 3 --method l2 --json"
    told = run("select", "t.csv", *shlex.split(asked))
    assert json.loads(told.out)["selection"]["n_groups"] == 60


@pytest.mark.parametrize("name", [name for name in library.__all__ if name.startswith("make_")])
def test_every_generator_is_known(name):
    from centroidal.cli.commands.datasets import known_datasets

    assert known_datasets()[name] is getattr(library, name)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("make_nothing", "-o", "t.csv"), ("make_nothing", "make_expression")),
        (("expression",), ("NAME and -o",)),
        (("-o", "t.csv"), ("NAME and -o",)),
        (("expression", "-o", "t.xlsx"), (".csv or .parquet",)),
    ],
)
def test_wrong_data_sets_are_named(run, tmp_path, args, words):
    found = run("datasets", *args)
    assert (found.code, found.out) == (2, "")
    assert [word for word in words if word not in found.err] == []
    assert files(tmp_path) == []
