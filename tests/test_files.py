import os

import numpy as np
import pytest

from centroidal._files import check_source, check_target, write_atomically
from centroidal.io import read_table
from centroidal.persistence import load_model, read_model_card
from centroidal.streaming import batches
from tests.streaming import children


def test_file_is_written_and_nothing_beside_it(tmp_path):
    write_atomically(tmp_path / "a.txt", b"new")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("a.txt", b"new")]


def test_file_that_exists_is_overwritten_by_force_only(tmp_path):
    write_atomically(tmp_path / "a.txt", b"old")
    with pytest.raises(FileExistsError, match="a.txt exists; force=True overwrites it"):
        write_atomically(tmp_path / "a.txt", b"new")
    write_atomically(tmp_path / "a.txt", b"new", force=True)
    assert (tmp_path / "a.txt").read_bytes() == b"new"


def test_write_that_fails_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    def refuse(source, target):
        raise OSError("no")

    write_atomically(tmp_path / "a.txt", b"old")
    monkeypatch.setattr("centroidal._files.os.replace", refuse)
    with pytest.raises(OSError, match="no"):
        write_atomically(tmp_path / "a.txt", b"new", force=True)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("a.txt", b"old")]


def write_at_once(path, n_writers):
    """Let processes write to the same path at the same moment; how many believe that they did?"""
    gate, starter = os.pipe()
    writers = []
    for number in range(n_writers):
        child = os.fork()
        if child == 0:
            os.close(starter)
            os.read(gate, 1)  # until it is closed
            try:
                write_atomically(path, b"%d" % number)
            except FileExistsError:
                os._exit(1)
            os._exit(0)
        writers.append(child)
    os.close(gate)
    os.close(starter)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in writers].count(0)


def race(folder, n_rounds, n_writers):
    return [write_at_once(folder / f"{i}.txt", n_writers) for i in range(n_rounds)]


@children.forks
def test_one_of_many_writers_wins(tmp_path):
    assert children.call(race, tmp_path, 40, 8) == [1] * 40
    assert len(list(tmp_path.iterdir())) == 40


def test_file_is_published_without_hard_links_too(tmp_path, monkeypatch):
    def refuse(source, target):
        raise PermissionError("no hard links")

    monkeypatch.setattr("centroidal._files.os.link", refuse)
    write_atomically(tmp_path / "a.txt", b"old")
    with pytest.raises(FileExistsError, match="a.txt exists; force=True overwrites it"):
        write_atomically(tmp_path / "a.txt", b"new")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("a.txt", b"old")]


def test_target_must_end_as_asked_for(tmp_path):
    assert check_target(tmp_path / "a.skops", ".skops", force=False) == tmp_path / "a.skops"
    with pytest.raises(ValueError, match=r"must end in \.skops"):
        check_target(tmp_path / "a.txt", ".skops", force=False)


# ------------------------------------------------------------------ what is read


def endless_device(path):
    path.symlink_to("/dev/zero")


READERS = {
    load_model: ".skops",
    read_model_card: ".skops",
    read_table: ".csv",
    lambda path: batches(path, target="y"): ".csv",
}


@pytest.mark.parametrize("make", [endless_device, os.mkfifo], ids=["device", "pipe"])
def test_what_may_never_end_is_refused_by_every_reader(tmp_path, make):
    for read, suffix in READERS.items():
        path = tmp_path / f"source{suffix}"
        if not path.exists():
            make(path)
        with pytest.raises(ValueError, match=f"source{suffix} is a device or a pipe, not a file"):
            read(path)


def test_no_array_of_a_folder_may_be_a_pipe(tmp_path):
    np.save(tmp_path / "X.npy", np.eye(4))
    os.mkfifo(tmp_path / "y.npy")
    with pytest.raises(ValueError, match=r"y\.npy is a device or a pipe, not a file"):
        batches(tmp_path, target="y")


def test_source_is_a_file_that_is_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*a\.skops\."):
        check_source(tmp_path / "a.skops")
    with pytest.raises(ValueError, match="is a folder, not a file"):
        check_source(tmp_path)
    (tmp_path / "a.skops").write_bytes(b"")
    (tmp_path / "b.skops").symlink_to("a.skops")
    assert check_source(tmp_path / "b.skops") is None
