"""The log of a command: an event a line, while it happens."""

import json

import pytest

from centroidal.cli.log import Log
from centroidal.cli.main import main


def events(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "T.csv"
    rows = [f"{i % 2},{i},{'AB'[i % 2]}" for i in range(20)]
    path.write_text("\n".join(["a,b,label", *rows]))
    return path


def test_log_tells_start_progress_notes_and_end(table, tmp_path, capsys):
    path = tmp_path / "L.jsonl"
    words = ["select", str(table), "--target", "label", "--json", "--quiet", "--log", str(path)]
    assert main(words) == 0
    found = events(path)
    assert [found[0]["event"], found[-1]["event"]] == ["start", "end"]
    assert found[0]["argv"] == words
    assert found[-1]["code"] == 0
    steps = [each for each in found if each["event"] == "progress"]
    assert steps[-1]["n_done"] == steps[-1]["n_steps"] > 0
    assert any("Reading" in each["text"] for each in found if each["event"] == "note")
    assert capsys.readouterr().err == ""  # quiet is for people


def test_log_tells_what_went_wrong_and_is_appended_to(table, tmp_path, capsys):
    path = tmp_path / "L.jsonl"
    for _ in range(2):
        assert main(["select", str(table), "--target", "kind", "--log", str(path)]) == 2
    found = events(path)
    assert [each["event"] for each in found].count("end") == 2
    error = next(each for each in found if each["event"] == "error")
    assert "'kind'" in error["text"]


def test_log_that_cannot_be_opened_is_told_before_any_work(table, tmp_path, capsys):
    path = tmp_path / "no" / "L.jsonl"
    assert main(["select", str(table), "--target", "label", "--log", str(path)]) == 1
    assert "--log" in capsys.readouterr().err


def test_full_disk_ends_the_log_and_not_the_work(capsys):
    log = Log("/dev/full")
    log.write("note", text="a")
    log.write("note", text="b")
    assert capsys.readouterr().err.count("--log was ended") == 1


def test_log_tells_options_stages_and_the_result(table, tmp_path, capsys):
    path = tmp_path / "L.jsonl"
    words = ["select", str(table), "--target", "label", "--json", "--quiet", "--log", str(path)]
    assert main(words) == 0
    found = events(path)
    assert found[0]["options"]["target"] == "label"
    assert found[0]["options"]["folds"] is None  # all of them, given or not
    begun, done = (each for each in found if each["event"] == "stage")
    assert begun["what"] == done["what"] == "Selecting features"
    assert done["duration"] >= 0
    (result,) = (each for each in found if each["event"] == "result")
    assert result["answer"] == json.loads(capsys.readouterr().out)


def test_log_tells_the_type_of_an_error(table, tmp_path, capsys):
    path = tmp_path / "L.jsonl"
    assert main(["select", str(tmp_path / "no.csv"), "--target", "a", "--log", str(path)]) == 2
    (error,) = (each for each in events(path) if each["event"] == "error")
    assert error["type"] == "FileNotFoundError"


# ------------------------------------------------------------------ errors as JSON


@pytest.mark.parametrize(
    ("words", "code", "kind", "parameter"),
    [
        (["--target", "kind"], 2, "ValueError", None),
        (["--target", "label", "-k", "9"], 2, "ValueError", "-k"),
        (["--target", "label", "--folds", "1"], 2, "InputError", "--folds"),
        (["--target", "label", "--checkpoint", "c.skops"], 2, "InputError", "--checkpoint"),
        (["--target", "label", "--log", "no/where"], 1, "FileNotFoundError", "--log"),
    ],
)
def test_errors_are_json_if_that_is_asked_for(table, capsys, words, code, kind, parameter):
    assert main(["select", str(table), "--json", *words]) == code
    found = capsys.readouterr()
    error = json.loads(found.out)["error"]
    assert (error["type"], error["parameter"]) == (kind, parameter)
    assert error["message"] in found.err


def test_without_json_the_output_of_an_error_is_empty(table, capsys):
    assert main(["select", str(table), "--target", "kind"]) == 2
    assert capsys.readouterr().out == ""
