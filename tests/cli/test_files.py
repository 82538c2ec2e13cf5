import os
from argparse import Namespace

import pytest

from centroidal.cli.files import Outputs
from centroidal.cli.messages import InputError, WorkError

from .conftest import files


def csv_outputs(force=False, inputs=(), **paths):
    """Files of text that options of these names are to write."""
    suffixes = {f"--{name}": (".csv",) for name in paths}
    return Outputs(Namespace(force=force, failures=[], **paths), suffixes, inputs=inputs)


def write_text(path, force):
    path.write_text("content")


def test_what_is_not_asked_for_is_not_written(tmp_path):
    outputs = csv_outputs(output=None)
    outputs.write("--output", write_text)
    assert files(tmp_path) == []
    assert outputs.summary() == "nothing was written"


def test_what_is_asked_for_is_written_and_said(tmp_path):
    outputs = csv_outputs(output="a.csv", other="b.csv")
    outputs.write("--output", write_text)
    assert files(tmp_path) == ["a.csv"]
    assert outputs.summary() == "written: a.csv"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("a.txt", ("--output a.txt", "must end in .csv")),
        ("a.csv\0", ("must end in .csv",)),
        (".csv", ("must end in .csv",)),
        ("nowhere/a.csv", ("--output nowhere/a.csv", "no folder nowhere")),
        ("there.csv", ("--output there.csv", "exists; --force overwrites it")),
        ("folder.csv", ("--output folder.csv", "is a folder")),
    ],
)
def test_wrong_paths_are_refused_before_any_work(tmp_path, path, words):
    (tmp_path / "there.csv").write_text("old")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError) as error:
        csv_outputs(output=path)
    assert [word for word in words if word not in str(error.value)] == []


def test_a_folder_that_must_not_be_written_is_refused(monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(InputError, match="must not be written"):
        csv_outputs(output="a.csv")


def test_the_same_path_twice_is_refused():
    with pytest.raises(InputError, match="--other ./a.csv is the same file as --output"):
        csv_outputs(output="a.csv", other="./a.csv")


def test_the_input_is_not_overwritten_even_with_force(tmp_path):
    (tmp_path / "a.csv").write_text("old")
    with pytest.raises(InputError, match="is the same file as the input"):
        csv_outputs(output="a.csv", force=True, inputs=["a.csv"])


def test_a_failure_says_which_files_were_written():
    def fail(path, force):
        raise OSError(28, "No space left on device")

    args = Namespace(force=False, failures=[], output="a.csv", other="b.csv")
    outputs = Outputs(args, {"--output": (".csv",), "--other": (".csv",)})
    outputs.write("--other", fail)
    outputs.write("--output", write_text)
    (error,) = args.failures
    assert isinstance(error, WorkError)
    assert str(error) == (
        "--other b.csv could not be written: No space left on device; written: a.csv."
    )


def test_an_interruption_says_which_files_were_written():
    def interrupt(path, force):
        raise KeyboardInterrupt

    paths = {"output": "a.csv", "other": "b.csv", "third": "c.csv"}
    args = Namespace(force=False, failures=[], **paths)
    outputs = Outputs(args, {f"--{name}": (".csv",) for name in paths})
    outputs.write("--output", write_text)
    outputs.write("--other", interrupt)
    outputs.write("--third", write_text)
    (stop,) = args.failures
    assert isinstance(stop, KeyboardInterrupt)
    assert str(stop) == "written: a.csv"
