from io import BytesIO

import numpy as np
import pytest

from centroidal.persistence.archive import pack_archive, parse_json, read_tree, tree_members

TREE = {
    "means": np.arange(6.0).reshape(2, 3),
    "columns": np.asfortranarray(np.eye(3, dtype=np.float32)),
    "parts": [[{"counts": np.array([1, 2])}, {}], [], [np.array(["a", "bc"])]],
    "nothing": np.empty((0, 4)),
}


def test_trees_of_arrays_come_back_as_they_were():
    found = read_tree("state", tree_members("state", TREE))
    np.testing.assert_equal(found, TREE)
    assert found["columns"].dtype == np.float32
    assert found["columns"].flags.f_contiguous


def test_members_of_a_tree_begin_with_its_prefix():
    members = tree_members("state", TREE) | {"other.json": b"{}"}
    assert {name for name in members if not name.startswith("state")} == {"other.json"}
    assert read_tree("other", tree_members("state", TREE)) is None


def test_objects_are_neither_written_nor_read():
    with pytest.raises(ValueError, match="allow_pickle=False"):
        tree_members("state", [np.array([None])])
    stream = BytesIO()
    np.save(stream, np.array([None]), allow_pickle=True)
    with pytest.raises(ValueError, match="of a type that is not allowed"):
        read_tree("state", {"state.json": b'"state/0.npy"', "state/0.npy": stream.getvalue()})


def test_archives_depend_on_their_members_alone_and_compress_texts():
    members = {"a.json": b"[1, 2]" * 100, "b.npy": b"0" * 100}
    assert pack_archive(members) == pack_archive(dict(members))
    assert len(pack_archive(members)) < 700


def test_texts_that_are_nested_too_deeply_are_refused():
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json("[" * 100_000)
