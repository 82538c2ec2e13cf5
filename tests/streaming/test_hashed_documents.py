"""Documents in batches: words are hashed, and those that were selected are found again."""

import json

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from centroidal import SparseCenterClassifier
from centroidal.io import explain_documents
from centroidal.persistence import load_model, save_model
from centroidal.preprocessing import WordHasher
from centroidal.solvers.calibration import temper
from centroidal.streaming import batches

from ..l2 import select_features
from . import children

TEXT = {"columns": ["body"], "n_bits": 12}


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(2)
    fill = [f"w{i}" for i in range(60)]
    texts, y = [], np.array(["bad", "good"] * 45)
    for label in y:
        marks = ["fine", "not bad"] if label == "good" else ["dull", "cold"]
        words = [*rng.choice(fill, size=6), *(mark for mark in marks if rng.random() < 0.7)]
        texts.append(" ".join(words))
    return texts, y


@pytest.fixture
def table(samples, tmp_path):
    path = tmp_path / "t.jsonl"
    rows = [{"body": text, "label": label} for text, label in zip(*samples, strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def folder(samples, tmp_path):
    for number, (text, label) in enumerate(zip(*samples, strict=True)):
        path = tmp_path / "all" / label / f"{number:03}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "all"


def test_model_of_a_stream_is_that_of_hashed_documents_in_memory(samples, table):
    rows = batches(table, target="label", text=TEXT)
    found = select_features(rows, n_features_to_select=5, random_state=0)
    expected = make_pipeline(WordHasher(n_bits=12), SparseCenterClassifier(5, scale="std")).fit(
        *samples
    )
    assert set(found.selected.tolist()) == set(np.flatnonzero(expected[-1].support_).tolist())
    texts = samples[0]
    model = found.model[-1]
    calibrated = temper(expected.predict_proba(texts), model.calibration_.temperature)
    assert np.allclose(found.model.predict_proba(texts), calibrated)


def test_words_behind_the_selected_hashes_are_found_again(table):
    found = select_features(batches(table, target="label", text=TEXT), random_state=0)
    assert {"fine", "dull", "cold", "not bad"} <= set(found.selected_names.tolist())
    assert found.max_features == 200
    expected = {"n_bits": 12, "ngrams": 2, "stop_words": None, "columns": ["body"]}
    assert found.text == expected


def test_words_to_leave_out_are_never_selected(table):
    text = TEXT | {"stop_words": ["fine", "cold"]}
    found = select_features(batches(table, target="label", text=text), random_state=0)
    words = {word for name in found.selected_names for word in name.split()}
    assert not words & {"fine", "cold"}
    assert found.model.predict(["fine fine"]).tolist() == found.model.predict([""]).tolist()


@pytest.mark.parametrize("batch_size", [7, 1000])
def test_answer_does_not_depend_on_the_size_of_batches(table, batch_size):
    rows = batches(table, target="label", text=TEXT, batch_size=batch_size)
    found = select_features(rows, n_features_to_select=4, random_state=0)
    expected = select_features(
        batches(table, target="label", text=TEXT), n_features_to_select=4, random_state=0
    )
    assert found.score == expected.score
    assert found.selected_names.tolist() == expected.selected_names.tolist()


def test_a_folder_of_files_is_read_in_batches(folder, samples):
    text = {"columns": "text", "n_bits": 12}
    rows = batches(folder, target="class", text=text, batch_size=20)
    found = select_features(rows, n_features_to_select=4, random_state=0)
    assert found.class_counts.tolist() == [45, 45]
    assert np.mean(found.model.predict(samples[0]) == samples[1]) > 0.8


def test_model_file_of_a_stream_predicts_and_explains(table, tmp_path):
    rows = batches(table, target="label", text=TEXT)
    model = select_features(rows, n_features_to_select=6, random_state=0).model
    save_model(model, tmp_path / "m.skops")
    loaded = load_model(tmp_path / "m.skops")
    assert loaded.predict(np.array([["so fine"]], dtype=object)).tolist() == ["good"]
    assert list(explain_documents(loaded, ["so fine"])[0]) == ["fine"]


def test_a_finished_checkpoint_gives_the_same_answer(table, tmp_path):
    options = {"checkpoint": tmp_path / "c.skops", "n_features_to_select": 4, "random_state": 0}
    first = select_features(batches(table, target="label", text=TEXT), **options)
    again = select_features(batches(table, target="label", text=TEXT), **options)
    assert again.selected_names.tolist() == first.selected_names.tolist()
    assert again.model.predict(["dull and cold"]).tolist() == ["bad"]


@children.forks
def test_killed_runs_end_with_the_same_words_to_the_bit(samples, tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{text},{label}\n" for text, label in zip(*samples, strict=True))
    path.write_text(f"body,kind\n{rows}")
    reading, asked = {"text": TEXT, "batch_size": 20}, {"random_state": 1, "n_repeats": 1}
    checkpoint = {"checkpoint": tmp_path / "so_far.skops", "checkpoint_every": 1}
    work = children.Work(select_features, path, reading, asked | checkpoint)
    for moment in children.MOMENTS:
        assert children.die(work, *moment)
    told = []
    found = work(progress=lambda n_done, n_rows, what: told.append(n_done / n_rows))
    assert told[0] > 0.7  # it went on
    expected = children.Work(select_features, path, reading, asked)()
    assert found.selected_names.tolist() == expected.selected_names.tolist()
    assert np.array_equal(found.path["mean_test_score"], expected.path["mean_test_score"])
    assert np.array_equal(found.centers, expected.centers)


def test_two_words_that_share_a_hash_are_both_named(table):
    rows = batches(table, target="label", text={"columns": "body", "n_bits": 4})
    found = select_features(rows, n_features_to_select=2, random_state=0)
    assert any(" (or " in name for name in found.selected_names)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"text": "bdy"}, "no column 'bdy'. Did you mean 'body'"),
        ({"text": {"columns": "body", "n_bits": 50}}, "n_bits=50 must lie between 4 and 24"),
        ({"text": "body", "drop": ["x"]}, "drop or layer is of no use"),
        ({"text": "body", "encoding": "no"}, "encoding='no' must be one that Python knows"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(table, options, words):
    with pytest.raises(ValueError, match=words):
        batches(table, target="label", **options)


def test_document_without_a_label_is_counted(tmp_path):
    (tmp_path / "t.csv").write_text("body,label\na,x\nb,\nc,y\n")
    rows = batches(tmp_path / "t.csv", target="label", text="body")
    with pytest.raises(ValueError, match=r"1 of 3 documents have no label .*document 2"):
        rows.classes()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"body,label\n", "t.csv has no documents"),
        (b"body,label\n" + b",x\n...,y\n" * 9, "t.csv: all documents are empty"),
        (b"body,label\n" + b"x " * 5_000_001 + b",y\na,z\n", "10,000,002 characters, more than"),
        ("body,label\ncaf\xe9,x\n".encode("latin-1"), "0xe9. Say how it is written with encoding"),
        ("body,label\na,x\n".encode("utf-16"), "UTF-16 text; say how it is written"),
    ],
    ids=["header alone", "nothing", "long", "latin-1", "utf-16"],
)
def test_table_without_usable_documents_is_refused_in_words(tmp_path, content, words):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(ValueError, match=words):
        list(batches(tmp_path / "t.csv", target="label", text=TEXT))
