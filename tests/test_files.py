import pytest

from centroidal._files import check_target, write_atomically


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


def test_target_must_end_as_asked_for(tmp_path):
    assert check_target(tmp_path / "a.skops", ".skops", force=False) == tmp_path / "a.skops"
    with pytest.raises(ValueError, match=r"must end in \.skops"):
        check_target(tmp_path / "a.txt", ".skops", force=False)
