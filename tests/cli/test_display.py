"""The answer stands on the standard output before files are written, so none of it is lost."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from centroidal import SparseCenterClassifier, _files
from centroidal.cli.files import Outputs
from centroidal.cli.main import main
from centroidal.persistence import save_model

from .conftest import QUICK, files, make_samples

SELECT = ("select", "trees.csv", "--target", "tree", "--method", "l2", *QUICK)
FILES = ("--model", "m.skops", "--features", "f.csv", "--resamples", "0")
COMMANDS = {  # and a word of the answer
    "select": ((*SELECT, *FILES), "accuracy"),
    "audit": (("audit", *SELECT[1:], "--permutations", "2", *FILES), "Can I believe it?"),
    "compare": (("compare", "trees.csv", "--target", "tree", "--output", "c.csv"), "majority"),
    "predict": (("predict", "old.skops", "trees.txt", "-o", "p.csv"), "oak"),
    "evaluate": (("evaluate", "old.skops", "trees.csv", "--target", "tree"), "accuracy"),
    "merge": (("merge", "old.skops", "other.skops", "-o", "m.skops"), "together"),
}
OPTIONS = ("-o", "--output", "--model", "--features")
IN_JSON = [name for name in COMMANDS if name != "audit"]  # which prints as select does
MERGE = COMMANDS["merge"][0]
FULL = Path("/dev/full")


@pytest.fixture
def table(trees):
    """A table, also as one that is not predicted in parts, and two models of it."""
    Path("trees.txt").write_text(trees.read_text())
    for path, rows in (("old.skops", slice(20)), ("other.skops", slice(20, None))):
        X, y = make_samples()
        model = SparseCenterClassifier(3).fit(X[rows], y[rows])
        model.feature_names_in_ = np.array([f"g{j}" for j in range(6)], dtype=object)
        save_model(model, path, metadata={"target": "tree"})
    return trees


@pytest.fixture
def small_lineup(monkeypatch):
    """A comparison of few members, which is soon done."""
    from sklearn.dummy import DummyClassifier

    lineup = {"majority": DummyClassifier(), "centers": SparseCenterClassifier(2)}
    monkeypatch.setattr("centroidal.cli.commands.compare._lineup", lambda *_: lineup)


@pytest.fixture
def full_disk(monkeypatch):
    """A disk on which there is room for tables of features, and for nothing else."""
    write = os.fsync

    def sync(descriptor):
        if os.fstat(descriptor).st_size > 400:
            raise OSError(28, "No space left on device")
        write(descriptor)

    monkeypatch.setattr(_files.os, "fsync", sync)


@pytest.mark.parametrize(
    ("name", "form"),
    [(name, "text") for name in COMMANDS] + [(name, "JSON") for name in IN_JSON],
)
def test_answer_is_printed_before_the_first_file(
    name, form, table, small_lineup, monkeypatch, capsys
):
    words, word = COMMANDS[name]
    printed, write = [], Outputs.write

    def watch(outputs, option, *values):
        printed.append(capsys.readouterr().out)
        write(outputs, option, *values)

    monkeypatch.setattr(Outputs, "write", watch)
    assert main([*words, *["--json"] * (form == "JSON")]) in (0, 3)
    assert form == "JSON" or word in printed[0]
    assert (printed[0][:1] == "{") == (form == "JSON")


@pytest.mark.parametrize("name", IN_JSON)
def test_json_is_one_object_that_ends_with_what_was_written(name, table, small_lineup, run):
    words, _ = COMMANDS[name]
    answer = json.loads(run(*words, "--json").out)
    assert list(answer)[-1] == "written"
    asked = [word for option, word in pairwise(words) if option in OPTIONS]
    assert answer["written"] == asked


def test_full_disk_loses_neither_the_answer_nor_the_other_files(table, tmp_path, run, full_disk):
    before = files(tmp_path)
    found = run(*SELECT, *FILES)
    assert found.code == 1
    assert "accuracy" in found.out
    assert "--model m.skops could not be written: No space left on device; written: f.csv" in (
        found.err
    )
    assert files(tmp_path) == sorted([*before, "f.csv"])


def test_full_disk_is_told_beside_the_answer_in_json(table, run, full_disk):
    found = run(*SELECT, "--model", "m.skops", "--json")
    assert found.code == 1
    answer = json.loads(found.out)
    assert answer["selection"]["score"] > 0.8
    assert answer["written"] == []
    assert answer["error"]["parameter"] == "--model"


def test_every_file_that_could_not_be_written_is_named(table, run, monkeypatch):
    def fail(*args, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(_files.os, "fsync", fail)
    found = run(*SELECT, *FILES)
    assert found.code == 1
    for file in ("--model m.skops", "--features f.csv"):
        assert f"{file} could not be written: Permission denied; nothing was written." in found.err


def test_object_is_ended_if_the_work_is_not(table, monkeypatch, capsys):
    def fail(*args, **options):
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr("centroidal.cli.commands.select.write_report", fail)
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        main([*SELECT, "--model", "m.skops", "--json"])
    assert json.loads(capsys.readouterr().out)["written"] == ["m.skops"]


def test_predictions_that_could_not_all_be_written_are_not_counted(table, run, monkeypatch):
    folder = Path("parts")
    folder.mkdir()
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text(table.read_text())

    def fail(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("centroidal.cli.commands.predict.write_atomically", fail)
    found = run("predict", "old.skops", "parts", "-o", "p.csv")
    assert (found.code, found.out) == (1, "")
    assert "--output p.csv could not be written: No space left" in found.err


@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
def test_files_are_written_where_the_answer_cannot_be_printed(table):
    command = [sys.executable, "-m", "centroidal.cli", *MERGE]
    with FULL.open("w") as stream:
        found = subprocess.run(command, stdout=stream, stderr=subprocess.PIPE, text=True)
    assert found.returncode == 1
    assert found.stderr.endswith(
        "centroidal: merge: the answer could not be printed: No space left on device.\n"
    )
    assert Path("m.skops").exists()


def test_files_are_written_where_nobody_reads_the_answer(table):
    command = f"{sys.executable} -m centroidal.cli {' '.join(MERGE)} --quiet"
    command += " | true; echo ${PIPESTATUS[0]}"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert (found.stdout, found.stderr) == ("0\n", "")
    assert Path("m.skops").exists()
