import gc
import gzip
import json
import tempfile
import warnings
from collections import Counter
from types import SimpleNamespace

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from centroidal.io import read_table
from centroidal.streaming import arrays, arrow_rows, parquet_reader, text
from centroidal.streaming.batches import Batches, _batch_size, batches
from centroidal.streaming.labels import hash_names


def sample(n_rows=23, n_features=5, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n_rows, n_features)) < 0.4, 0.0, rng.normal(size=(n_rows, n_features)))
    y = np.array(["b", "a", "c"])[rng.integers(0, 3, n_rows)]
    return X.astype(dtype), y


def names_of(X):
    return [f"g{j}" for j in range(X.shape[1])]


def arrow_table(X, y):
    columns = {name: X[:, j] for j, name in enumerate(names_of(X))}
    return pa.table({"sample": [f"s{i}" for i in range(len(y))], **columns, "kind": y})


def write_folder(folder, X, y, cuts=(7, 7, 15), group=4):
    """Write a folder of Parquet files, cut before some rows; a cut twice makes an empty file."""
    folder.mkdir(exist_ok=True)
    table = arrow_table(X, y)
    bounds = [0, *cuts, len(y)]
    for i, (start, stop) in enumerate(zip(bounds, bounds[1:], strict=False)):
        part = table.slice(start, stop - start)
        pq.write_table(part, folder / f"part-{i}.parquet", row_group_size=group)
    return folder


def write_h5ad(path, X, y, kind="dense"):
    with h5py.File(path, "w") as file:
        if kind == "dense":
            file["X"] = X
        else:
            matrix = sparse.csr_matrix(X) if kind == "csr" else sparse.csc_matrix(X)
            group = file.create_group("X")
            group.attrs["encoding-type"] = f"{kind}_matrix"
            group.attrs["shape"] = X.shape
            for name in ("data", "indices", "indptr"):
                group[name] = getattr(matrix, name)
        for name, index in (("obs", [f"s{i}" for i in range(len(y))]), ("var", names_of(X))):
            table = file.create_group(name)
            table.attrs["_index"] = "_index"
            table["_index"] = index
            table.attrs["column-order"] = ["kind"] if name == "obs" else []
        classes, codes = np.unique(y, return_inverse=True)
        column = file["obs"].create_group("kind")
        column["codes"] = codes.astype(np.int8)
        column["categories"] = classes.astype(object)
    return path


def write_npy(folder, X, y):
    folder.mkdir()
    np.save(folder / "X.npy", X)
    np.save(folder / "kind.npy", y)
    np.save(folder / "feature_names.npy", names_of(X))
    return folder


def write_csr_npz(path, X, y):
    matrix = sparse.csr_array(X)
    parts = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}
    np.savez(path, **parts, shape=X.shape, kind=y, feature_names=names_of(X))
    return path


def as_frame(X, y):
    return pd.DataFrame(X, columns=names_of(X)).assign(kind=y)


def write_text(path, X, y):
    as_frame(X, y).to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",")
    return path


def write_npz(path, X, y):
    np.savez(path, X=X, kind=y, feature_names=names_of(X))
    return path


SOURCES = {
    "parquet file": lambda d, X, y: write_folder(d / "p", X, y, cuts=()) / "part-0.parquet",
    "parquet folder": lambda d, X, y: write_folder(d / "p", X, y),
    "csv": lambda d, X, y: write_text(d / "t.csv", X, y),
    "tsv.gz": lambda d, X, y: write_text(d / "t.tsv.gz", X, y),
    "npz": lambda d, X, y: write_npz(d / "t.npz", X, y),
    "npz csr": lambda d, X, y: write_csr_npz(d / "t.npz", X, y),
    "npy folder": lambda d, X, y: write_npy(d / "arrays", X, y),
    "npy by columns": lambda d, X, y: write_npy(d / "arrays", np.asfortranarray(X), y),
    "h5ad": lambda d, X, y: write_h5ad(d / "t.h5ad", X, y),
    "h5ad csr": lambda d, X, y: write_h5ad(d / "t.h5ad", X, y, "csr"),
}


@pytest.fixture(params=SOURCES)
def source(request, tmp_path):
    """The same rows in every format."""
    X, y = sample()
    path = SOURCES[request.param](tmp_path, X, y)
    drop = ["sample"] if "parquet" in request.param else []
    return SimpleNamespace(path=path, X=X, y=y, drop=drop, is_sparse="csr" in request.param)


def opened(source, **options):
    return batches(source.path, target="kind", drop=source.drop, **options)


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def stacked(found):
    found = list(found)
    X = np.concatenate([dense(batch.X) for batch in found])
    return X, np.concatenate([batch.y for batch in found])


def add_column(path, name, values):
    """Write a source again with one more column of texts."""
    if path.suffix == ".h5ad":
        with h5py.File(path, "a") as file:
            file["obs"][name] = values.tolist()
            file["obs"].attrs["column-order"] = [*file["obs"].attrs["column-order"], name]
    elif path.suffix == ".npz":
        np.savez(path, **np.load(path), **{name: values})
    elif (path / "X.npy").exists():
        np.save(path / f"{name}.npy", values)
    elif ".parquet" in path.name or path.is_dir():
        start = 0
        for part in [path] if path.is_file() else sorted(path.iterdir()):
            table = pq.read_table(part)
            mine = pa.array(values[start : start + len(table)].tolist(), pa.string())
            pq.write_table(table.append_column(name, mine), part, row_group_size=4)
            start += len(table)
    else:
        separator = "\t" if ".tsv" in path.name else ","
        frame = pd.read_csv(path, sep=separator, dtype=str)
        frame.insert(0, name, values)
        frame.to_csv(path, index=False, sep=separator)


# ------------------------------------------------------------------ every format


def test_groups_are_read_and_are_no_feature(source):
    names = np.array([f"p{i % 7}" for i in range(23)])
    add_column(source.path, "patient", names)
    found = opened(source, groups="patient", batch_size=5)
    assert (found.groups, found.n_features) == ("patient", 5)
    assert np.concatenate([batch.groups for batch in found]).tolist() == names.tolist()
    later = np.concatenate([batch.groups for batch in found.columns(1, 3).start(2)])
    assert later.tolist() == names[10:].tolist()
    np.testing.assert_array_equal(stacked(found)[0], source.X)
    classes = found.classes()
    groups, counts = found.count_groups(classes)
    np.testing.assert_array_equal(groups, np.unique(hash_names(names)))
    for group, row in zip(groups, counts, strict=True):
        mine = source.y[hash_names(names) == group]
        assert row.tolist() == [np.count_nonzero(mine == label) for label in classes]


def test_ids_can_be_groups(source):
    names = np.array([f"p{i % 7}" for i in range(23)])
    add_column(source.path, "patient", names)
    for batch in opened(source, ids="patient", groups="patient", batch_size=5):
        assert batch.groups.tolist() == batch.ids.tolist()


def test_without_groups_there_are_none(source):
    found = opened(source)
    assert found.groups is None
    assert all(batch.groups is None for batch in found)


def test_missing_and_unknown_groups_are_refused_in_words(source):
    names = np.array([f"p{i}" for i in range(23)])
    names[9] = ""
    add_column(source.path, "patient", names)
    with pytest.raises(ValueError, match="has no (column|array).* 'patien'. Did you mean"):
        opened(source, groups="patien")
    with pytest.raises(ValueError, match="'kind' is asked for twice"):
        opened(source, groups="kind")
    with pytest.raises(ValueError, match=r"1 of \d+ samples have no group in 'patient' \(sample"):
        list(opened(source, groups="patient"))


@pytest.mark.parametrize("batch_size", [1, 4, 7, 23, 100, None])
def test_batches_hold_all_rows_in_order(source, batch_size):
    found = list(opened(source, batch_size=batch_size))
    X, y = stacked(found)
    np.testing.assert_array_equal(X, source.X)
    assert y.tolist() == source.y.tolist()
    assert [batch.number for batch in found] == list(range(len(found)))
    heights = [batch.y.size for batch in found]
    assert heights[:-1] == [batch_size] * (len(found) - 1)
    assert all(sum(n for _, n in batch.files) == batch.y.size for batch in found)


def test_reading_again_gives_the_same_batches(source):
    rows = opened(source, batch_size=6)
    for first, second in zip(rows, rows, strict=True):
        np.testing.assert_array_equal(dense(first.X), dense(second.X))
        assert first.files == second.files


def test_attributes_say_what_the_source_is(source):
    rows = opened(source)
    assert rows.feature_names.tolist() == names_of(source.X)
    assert (rows.n_features, rows.target, rows.source) == (5, "kind", source.path.name)
    assert rows.classes().tolist() == ["a", "b", "c"]
    assert rows.n_samples == 23
    assert repr(rows).startswith(f"<Batches {source.path.name!r}: 23 samples, 5 features")


def test_start_begins_at_a_batch(source):
    rows = opened(source, batch_size=4)
    whole = list(rows)
    for number in (0, 1, 3, 5, 6, 50):
        found = list(rows.start(number))
        assert [batch.number for batch in found] == [batch.number for batch in whole[number:]]
        for batch, expected in zip(found, whole[number:], strict=True):
            np.testing.assert_array_equal(dense(batch.X), dense(expected.X))
            assert batch.y.tolist() == expected.y.tolist()


def test_columns_leave_out_the_others(source):
    rows = opened(source, batch_size=4).columns(1, 5).columns(1, 3)
    assert rows.feature_names.tolist() == ["g2", "g3"]
    X, y = stacked(rows)
    np.testing.assert_array_equal(X, source.X[:, 2:4])
    assert y.tolist() == source.y.tolist()


def test_dropped_columns_are_not_there(source):
    source.drop.append("g1")
    rows = opened(source, batch_size=9)
    assert rows.feature_names.tolist() == ["g0", "g2", "g3", "g4"]
    np.testing.assert_array_equal(stacked(rows)[0], source.X[:, [0, 2, 3, 4]])
    np.testing.assert_array_equal(stacked(rows.columns(1, 3))[0], source.X[:, [2, 3]])


def test_sparse_stays_sparse_and_dense_is_by_rows(source):
    for batch in opened(source, batch_size=10):
        assert sparse.issparse(batch.X) == source.is_sparse
        assert source.is_sparse or batch.X.flags.c_contiguous


def test_unknown_target_gets_a_hint(source):
    with pytest.raises(ValueError, match=r"has no .* 'kinds'\. Did you mean 'kind'"):
        batches(source.path, target="kinds")


def test_single_precision_stays(tmp_path):
    X, y = sample(dtype=np.float32)
    for path in (write_folder(tmp_path / "p", X, y), write_npy(tmp_path / "a", X, y)):
        drop = ["sample"] if path.name == "p" else []
        found, _ = stacked(batches(path, target="kind", drop=drop, batch_size=5))
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, X)


@pytest.mark.parametrize("source", [key for key in SOURCES if "npy" not in key], indirect=True)
def test_batches_are_what_read_table_reads(source):
    file = source.path
    if file.is_dir():
        as_frame(source.X, source.y).assign(sample="s").to_parquet(file.parent / "all.parquet")
        file = file.parent / "all.parquet"
    table = read_table(file, target="kind", drop=source.drop)
    X, y = stacked(opened(source, batch_size=6))
    np.testing.assert_array_equal(X, dense(table.X))
    assert (y.dtype.kind, y.tolist()) == (table.y.dtype.kind, table.y.tolist())


@settings(max_examples=25, deadline=None, derandomize=True)
@given(data=st.data())
def test_cut_into_files_and_row_groups_does_not_matter(data, tmp_path_factory):
    n_rows = data.draw(st.integers(1, 40))
    cuts = sorted(data.draw(st.lists(st.integers(0, n_rows), max_size=5)))
    group = data.draw(st.integers(1, 15))
    batch_size = data.draw(st.integers(1, 45))
    X, y = sample(n_rows, 3)
    folder = write_folder(tmp_path_factory.mktemp("cut") / "p", X, y, cuts, group)
    rows = batches(folder, target="kind", ids="sample", batch_size=batch_size)
    found = list(rows)
    np.testing.assert_array_equal(stacked(found)[0], X)
    assert [batch.y.size for batch in found[:-1]] == [batch_size] * (len(found) - 1)
    assert np.concatenate([b.ids for b in found]).tolist() == [f"s{i}" for i in range(n_rows)]
    number = data.draw(st.integers(0, len(found)))
    left = [batch.X for batch in rows.start(number)]
    assert all(map(np.array_equal, left, [batch.X for batch in found[number:]]))
    assert len(left) == len(found) - number


# ------------------------------------------------------------------ Parquet


def test_slices_of_a_row_group_stay_in_order(tmp_path, monkeypatch):
    X, y = sample(200)
    write_folder(tmp_path / "p", X, y, cuts=(), group=200)
    monkeypatch.setattr(arrow_rows, "_LEAST_SLICE", 3)
    monkeypatch.setattr(arrow_rows, "_SLICE_BYTES", 1)
    read = list(batches(tmp_path / "p", target="kind", ids="sample", batch_size=41))
    np.testing.assert_array_equal(np.concatenate([batch.X for batch in read]), X)
    np.testing.assert_array_equal(np.concatenate([batch.y for batch in read]), y)
    assert np.concatenate([batch.ids for batch in read]).tolist() == [f"s{i}" for i in range(200)]


def decode_in_parts(monkeypatch):
    monkeypatch.setattr(parquet_reader, "_WHOLE_GROUP", 64)
    monkeypatch.setattr(parquet_reader, "_WHOLE_COLUMN", 8)


def test_large_row_groups_are_decoded_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_reader, "_LARGEST_READ", 64)
    decode_in_parts(monkeypatch)
    X, y = sample()
    folder = write_folder(tmp_path / "p", X, y, group=11)
    rows = batches(folder, target="kind", drop="sample", batch_size=3)
    np.testing.assert_array_equal(stacked(rows)[0], X)
    np.testing.assert_array_equal(stacked(rows.start(4))[0], X[12:])


def test_parts_of_a_row_group_are_of_a_size(tmp_path, monkeypatch):
    decode_in_parts(monkeypatch)
    folder = write_folder(tmp_path / "p", *sample(), cuts=(), group=23)
    rows = batches(folder, target="kind", drop="sample")
    pieces = rows._reader.pieces(0, 22, slice(None))
    assert [piece.n_rows for piece in pieces] == [12, 11]  # not 22 and 1


def test_files_before_a_batch_are_not_opened(tmp_path):
    X, y = sample()
    folder = write_folder(tmp_path / "p", X, y, cuts=(8, 16))
    rows = batches(folder, target="kind", drop="sample", batch_size=4)
    (folder / "part-0.parquet").write_bytes(b"no longer needed")
    np.testing.assert_array_equal(stacked(rows.start(2))[0], X[8:])


def test_only_the_columns_asked_for_are_read(tmp_path, monkeypatch):
    folder = write_folder(tmp_path / "p", *sample())
    rows = batches(folder, target="kind", drop="sample")
    asked = []
    read = pq.ParquetFile.read_row_groups

    def watched(self, groups, columns=None, **options):
        asked.append(columns)
        return read(self, groups, columns=columns, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", watched)
    rows.classes()
    assert {tuple(columns) for columns in asked} == {("kind",)}
    asked.clear()
    list(rows.columns(1, 3))
    assert {tuple(columns) for columns in asked} == {("g1", "g2", "kind")}


def test_columns_may_be_in_another_order(tmp_path):
    X, y = sample()
    folder = write_folder(tmp_path / "p", X, y, cuts=(10,))
    path = folder / "part-1.parquet"
    table = pq.read_table(path)
    pq.write_table(table.select(table.column_names[::-1]), path)
    rows = batches(folder, target="kind", drop="sample", batch_size=23)
    np.testing.assert_array_equal(stacked(rows)[0], X)


def test_differing_columns_are_found_before_any_row_is_read(tmp_path):
    X, y = sample()
    folder = write_folder(tmp_path / "p", X, y, cuts=(10,))
    path = folder / "part-1.parquet"
    table = pq.read_table(path).drop_columns(["g0"]).rename_columns(
        ["sample", "g1", "g2", "new", "g4", "kind"]
    )  # fmt: skip
    table = table.set_column(1, "g1", table["g1"].cast(pa.float32()))
    pq.write_table(table, path)
    message = (
        r"p/part-1\.parquet has other columns than p/part-0\.parquet; missing: 'g0', 'g3'; "
        r"extra: 'new'; of another type: 'g1' \(float, not double\)"
    )
    rows = batches(folder, target="kind", drop="sample")
    for look in (repr, list, Batches.classes):
        with pytest.raises(ValueError, match=message):
            look(rows)


def test_text_columns_are_refused_with_an_example(tmp_path):
    folder = write_folder(tmp_path / "p", *sample())
    with pytest.raises(ValueError, match=r"1 feature is not numeric: 'sample' \('s0'\)\. Leave"):
        batches(folder, target="kind")


def test_whole_numbers_flags_and_decimals_are_numbers(tmp_path):
    columns = {
        "a": pa.array([1, 2, 3], pa.int8()),
        "b": pa.array([True, False, True]),
        "c": pa.array([1.5, 2.5, 3.5], pa.float32()),
        "d": pa.array([1, 2, 3]).cast(pa.decimal128(21, 2)),
        "kind": pa.array([1, 0, 1]),
    }
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(columns), path)
    (batch,) = batches(path, target="kind")
    assert batch.X.tolist() == [[1, 1, 1.5, 1], [2, 0, 2.5, 2], [3, 1, 3.5, 3]]
    assert batch.y.tolist() == [1, 0, 1]


def test_index_of_pandas_gives_the_ids(tmp_path):
    X, y = sample(4)
    path = tmp_path / "t.parquet"
    as_frame(X, y).set_axis(["p", "q", "r", "s"]).to_parquet(path)
    (batch,) = batches(path, target="kind")
    assert batch.ids.tolist() == ["p", "q", "r", "s"]
    assert batch.X.shape == (4, 5)


def test_labels_may_be_a_dictionary(tmp_path):
    X, y = sample()
    path = tmp_path / "t.parquet"
    as_frame(X, y).astype({"kind": "category"}).to_parquet(path)
    rows = batches(path, target="kind", batch_size=5)
    assert stacked(rows)[1].tolist() == y.tolist()
    assert rows.classes().tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.string(), ["b", "longer", "a", "b", "b", "ä"]),
        (pa.large_string(), ["b", "longer", "a", "b", "b", "ä"]),
        (pa.dictionary(pa.int8(), pa.string()), ["b", "longer", "a", "b", "b", "a"]),
        (pa.bool_(), [True, False, False, True, True, True]),
        (pa.int8(), [3, -1, 3, 3, -1, 2]),
        (pa.float32(), [0.5, 2.0, 0.5, 0.5, 2.0, 2.0]),
    ],
    ids=str,
)
def test_labels_of_any_kind_are_read_and_counted(tmp_path, kind, values):
    table = pa.table({"g": np.arange(6.0), "kind": pa.array(values, kind)})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=4)
    rows = batches(tmp_path / "t.parquet", target="kind", batch_size=5)
    assert stacked(rows)[1].tolist() == values
    found, counts = rows.class_counts()
    assert dict(zip(found.tolist(), counts.tolist(), strict=True)) == Counter(values)


@pytest.mark.parametrize("categories", [["b", "", "a"], ["b", "x" * 10_000, "a"], [5, 8, 3]])
@pytest.mark.parametrize("kind", [np.int8, np.uint32, np.uint64])
def test_categories_that_no_row_has_do_not_matter(tmp_path, categories, kind):
    places = pa.array([0, 2, 0, 0], pa.from_numpy_dtype(kind))
    labels = pa.DictionaryArray.from_arrays(places, pa.array(categories))
    pq.write_table(pa.table({"g": np.arange(4.0), "kind": labels}), tmp_path / "t.parquet")
    rows = batches(tmp_path / "t.parquet", target="kind", batch_size=3)
    first, _, last = categories
    assert stacked(rows)[1].tolist() == [first, last, first, first]
    assert rows.classes().tolist() == [last, first]


@pytest.mark.parametrize("nothing", [None, ""])
@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int8(), pa.string())], ids=str)
def test_rows_without_a_label_are_named(tmp_path, kind, nothing):
    labels = pa.array(["a", nothing, "b", "a", nothing], kind)
    pq.write_table(pa.table({"g": np.arange(5.0), "kind": labels}), tmp_path / "t.parquet")
    rows = batches(tmp_path / "t.parquet", target="kind")
    message = r"2 of 5 samples have no label in 'kind' \(sample 2, 5\)"
    for read in (rows.classes, lambda: next(iter(rows))):
        with pytest.raises(ValueError, match=message):
            read()


def test_damaged_file_is_named_with_the_batch(tmp_path):
    X, y = sample(400)
    folder = write_folder(tmp_path / "p", X, y, cuts=(100, 200, 300), group=100)
    damage(folder / "part-2.parquet")
    rows = batches(folder, target="kind", drop="sample", batch_size=50)
    found = iter(rows)
    whole = [next(found) for _ in range(4)]
    np.testing.assert_array_equal(stacked(whole)[0], X[:200])
    with pytest.raises(ValueError, match=r"Batch 4 of p: p/part-2\.parquet could not be read as"):
        next(found)


def damage(path):
    """Spoil the pages of a Parquet file and leave its footer as it is."""
    data = bytearray(path.read_bytes())
    length = int.from_bytes(data[-8:-4], "little")
    data[4 : len(data) - length - 8] = b"\xff" * (len(data) - length - 12)
    path.write_bytes(data)


def test_file_without_a_footer_is_found_before_any_row_is_read(tmp_path):
    folder = write_folder(tmp_path / "p", *sample())
    (folder / "part-1.parquet").write_bytes(b"PAR1 and nothing else")
    rows = batches(folder, target="kind", drop="sample")
    with pytest.raises(ValueError, match=r"p/part-1\.parquet could not be read as a Parquet file"):
        repr(rows)


def test_file_that_was_replaced_is_refused(tmp_path):
    X, y = sample()
    folder = write_folder(tmp_path / "p", X, y)
    rows = batches(folder, target="kind", drop="sample")
    assert rows.n_samples == 23
    path = folder / "part-3.parquet"
    table = arrow_table(X, y)
    pq.write_table(table, path)
    with pytest.raises(ValueError, match=r"p/part-3\.parquet has changed since its footer"):
        list(rows)
    part = table.slice(0, 8).drop_columns("g1")
    pq.write_table(part, path, row_group_size=4)  # as before, so that its footer tells nothing
    with pytest.raises(ValueError, match=r"p/part-3\.parquet could not be read as a Parquet file"):
        list(rows)


def test_hidden_files_of_a_folder_are_left_alone(tmp_path):
    X, y = sample()
    folder = write_folder(tmp_path / "p", X, y)
    for name in ("_metadata.parquet", ".part-9.parquet", "notes.txt"):
        (folder / name).write_bytes(b"?")
    assert batches(folder, target="kind", drop="sample").n_samples == 23


# ------------------------------------------------------------------ text


@pytest.fixture(params=["with pyarrow", "without"])
def small_chunks(request, monkeypatch):
    """Text in chunks of a few lines, with both parsers."""
    monkeypatch.setattr(text, "_CHUNK_BYTES", 40)
    if request.param == "without":
        monkeypatch.setattr(text, "find_spec", lambda name: None)


def read_all(path, **options):
    rows = batches(path, target="kind", batch_size=3, **options)
    found = list(rows)
    return found, *stacked(found)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_text_in_chunks_is_the_text(tmp_path, end, name):
    X, y = sample(30)
    text = as_frame(X, y).to_csv(index=False, lineterminator=end).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    _, found, labels = read_all(path)
    np.testing.assert_array_equal(found, X)
    assert labels.tolist() == y.tolist()


@pytest.mark.usefixtures("small_chunks")
def test_quoted_cells_may_hold_separators_and_ends_of_lines(tmp_path):
    lines = [f'"s,\n{i}",{i},{i / 2},"k ""{i % 2}"""\n' for i in range(20)]
    path = tmp_path / "t.csv"
    path.write_text('"sample","a","b","kind"\n' + "".join(lines))
    found, X, y = read_all(path, ids="sample")
    assert X.tolist() == [[i, i / 2] for i in range(20)]
    assert y.tolist() == [f'k "{i % 2}"' for i in range(20)]
    assert found[0].ids.tolist() == ["s,\n0", "s,\n1", "s,\n2"]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(("last", "kind"), [("7", "i"), ("7.5", "f"), ("07", "U"), ("x", "U")])
def test_labels_have_one_type_whichever_batch_they_are_in(tmp_path, last, kind):
    path = tmp_path / "t.csv"
    path.write_text("a,b,kind\n" + "1,2,3\n" * 30 + f"1,2,{last}\n")
    found, _, _ = read_all(path)
    assert {batch.y.dtype.kind for batch in found} == {kind}


@pytest.mark.usefixtures("small_chunks")
def test_true_and_false_must_not_be_among_numbers_of_another_chunk(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,kind\n" + "True,2,x\n" * 20)
    assert read_all(path)[1][:, 0].tolist() == [1.0] * 20
    path.write_text("a,b,kind\n" + "True,2,x\n" * 20 + "0,2,x\n" * 20)
    with pytest.raises(ValueError, match=r"'a' \('True or False among numbers'\)"):
        read_all(path)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"1,2\n", r"line 22 has 2 values where the header has 3 names"),
        (b"1,\xff,x\n", r"not UTF-8 text: line 22 holds the byte 0xff"),
        (b"1,\0,x\n", r"holds a NUL byte in line 22; it is not a table of text"),
        (b"1,two,x\n", r"Batch 6 of t\.csv: .* not numeric: 'b' \('two'\)"),
        (b"1,NA,x\n", r"Batch 6 of t\.csv: t\.csv: 1 value is missing in 1 sample .*: 'b'\. Leave"),
        (b"1,inf,x\n", r"Batch 6 of t\.csv: t\.csv: 1 value is infinite or too large"),
        (b"1,2,\n", r"1 of 41 samples have no label in 'kind' \(sample 21\)"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, line, message):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b,kind\n" + b"1,2,x\n" * 20 + line + b"1,2,x\n" * 20)
    with pytest.raises(ValueError, match=message):
        read_all(path)


def test_first_column_without_a_name_gives_the_ids(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("a\tb\tkind\nr1\t1\t2\tx\nr2\t3\t4\ty\n")
    (batch,) = batches(path, target="kind")
    assert batch.ids.tolist() == ["r1", "r2"]
    assert batch.X.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "message"), [("", "is empty"), ("a,b,kind\n", "has a header and no rows")]
)
def test_text_without_rows_is_refused(tmp_path, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        list(batches(path, target="kind"))


# ------------------------------------------------------------------ arrays and annotated matrices


def test_compressed_arrays_are_refused_with_advice(tmp_path):
    X, y = sample()
    np.savez_compressed(tmp_path / "t.npz", X=X, y=y)
    with pytest.raises(ValueError, match=r"is compressed, .* Write it with numpy\.savez instead"):
        batches(tmp_path / "t.npz", target="y")


def test_objects_are_not_unpickled(tmp_path):
    X, _ = sample()
    np.savez(tmp_path / "t.npz", X=X, y=np.array([None] * 23))
    with pytest.raises(ValueError, match="y holds Python objects, which are not unpickled"):
        batches(tmp_path / "t.npz", target="y")


def test_array_that_is_cut_off_is_refused(tmp_path):
    folder = write_npy(tmp_path / "arrays", *sample())
    data = (folder / "X.npy").read_bytes()
    (folder / "X.npy").write_bytes(data[:-1])
    with pytest.raises(ValueError, match=r"arrays/X\.npy could not .* ends before all of its"):
        batches(folder, target="kind")


def test_classes_name_the_codes_of_labels(tmp_path):
    X, _ = sample(4)
    np.savez(tmp_path / "t.npz", X=X, y=[0, 1, 1, 0], classes=["no", "yes"], ids=list("pqrs"))
    (batch,) = batches(tmp_path / "t.npz", target="y")
    assert batch.y.tolist() == ["no", "yes", "yes", "no"]
    assert batch.ids.tolist() == list("pqrs")


def test_labels_and_samples_must_be_equally_many(tmp_path):
    X, y = sample()
    np.savez(tmp_path / "t.npz", X=X, y=y[1:])
    with pytest.raises(ValueError, match=r"y of shape \(22,\) must have an entry for each of 23"):
        batches(tmp_path / "t.npz", target="y")


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ([-23, 5], r"shape \(-23, 5\) and the arrays of the CSR matrix do not fit together"),
        ([23, -5], r"shape \(23, -5\) and the arrays of the CSR matrix do not fit together"),
        ([23, 2**62], r"X has shape \(23, 4611686018427387904\); at most"),
        ([23.0, 5.0], r"shape must be two whole numbers, not float64 of shape \(2,\)"),
        ([23, 5, 1], r"shape must be two whole numbers, not int64 of shape \(3,\)"),
        (23, r"shape must be two whole numbers, not int64 of shape \(\)"),
        (["23", "5"], r"shape must be two whole numbers, not <U2 of shape \(2,\)"),
    ],
    ids=str,
)
def test_odd_shapes_of_sparse_arrays_are_refused_in_words(shape, message, tmp_path):
    path = write_csr_npz(tmp_path / "t.npz", *sample())
    with np.load(path) as file:
        np.savez(path, **{**file, "shape": shape})
    with pytest.raises(ValueError, match=rf"^t\.npz: {message}"):
        batches(path, target="kind")


@pytest.mark.parametrize("shape", ["(-23, 5)", "(23, 99999999999)", "[23, 5]", "(23.0, 5)", "'a'"])
def test_odd_shapes_in_headers_are_refused_in_words(shape, tmp_path):
    folder = write_npy(tmp_path / "arrays", *sample())
    data = (folder / "X.npy").read_bytes()
    old = b"(23, 5), }"
    assert old in data
    new = f"{shape}, }}".encode()
    data = data.replace(old + b" " * (len(new) - len(old)), new + b" " * (len(old) - len(new)))
    (folder / "X.npy").write_bytes(data)
    with pytest.raises(ValueError, match=r"arrays/X\.npy could not be read as a \.npy file: "):
        batches(folder, target="kind")


@pytest.mark.parametrize("name", ["kind", "feature_names", "classes", "ids"])
def test_texts_that_are_none_are_refused_in_words(name, tmp_path):
    X, y = sample()
    arrays = {"kind": y, "feature_names": names_of(X), "ids": y, "classes": list("abc")}
    if name == "classes":
        arrays["kind"] = np.zeros(23, int)
    arrays[name] = np.array(arrays[name]).astype("U5")
    arrays[name].view(np.uint32)[0] = 0x110000
    np.savez(tmp_path / "t.npz", X=X, **arrays)
    with pytest.raises(ValueError, match=r"t\.npz holds a text with 0x110000, which is no char"):
        list(batches(tmp_path / "t.npz", target="kind"))


def test_arrays_without_features_are_refused(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.empty((2, 0)), y=["a", "b"])
    with pytest.raises(ValueError, match=r"^t\.npz has no features"):
        batches(tmp_path / "t.npz", target="y")


def test_forged_row_pointers_are_refused(tmp_path):
    X, y = sample()
    path = write_csr_npz(tmp_path / "t.npz", X, y)
    with np.load(path) as file:
        arrays = dict(file)
    arrays["indptr"][3] = 10_000
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"Batch 0 of t\.npz: .* row pointers"):
        list(batches(path, target="kind", batch_size=3))


@pytest.mark.parametrize("n_entries", [1, 7, 40, 10**6])
def test_matrix_by_columns_is_read_by_rows(n_entries, tmp_path, monkeypatch):
    monkeypatch.setattr(arrays, "_ENTRIES_AT_A_TIME", n_entries)
    X, y = sample()
    X[X < 0] = 0.0
    X[:, 2] = 0.0  # without any entry
    rows = batches(write_h5ad(tmp_path / "t.h5ad", X, y, kind="csc"), target="kind", batch_size=4)
    found, labels = stacked(rows)
    np.testing.assert_array_equal(found, X)
    assert labels.tolist() == y.tolist()
    assert all(batch.X.format == "csr" for batch in rows)
    np.testing.assert_array_equal(stacked(rows.start(3))[0], X[12:])
    np.testing.assert_array_equal(stacked(rows.columns(1, 4))[0], X[:, 1:4])
    assert rows.n_stored == np.count_nonzero(X)


def test_turned_matrix_is_written_once_and_removed_in_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "room"))
    (tmp_path / "room").mkdir()
    rows = batches(write_h5ad(tmp_path / "t.h5ad", *sample(), kind="csc"), target="kind")
    assert rows.classes().tolist() == ["a", "b", "c"]
    assert not list((tmp_path / "room").iterdir())
    list(rows)
    (folder,) = (tmp_path / "room").iterdir()
    list(rows)
    assert list((tmp_path / "room").iterdir()) == [folder]
    del rows
    gc.collect()
    assert not list((tmp_path / "room").iterdir())


def test_matrix_by_columns_needs_room_to_be_turned(tmp_path, monkeypatch):
    monkeypatch.setattr(arrays, "disk_usage", lambda folder: SimpleNamespace(free=10))
    rows = batches(write_h5ad(tmp_path / "t.h5ad", *sample(), kind="csc"), target="kind")
    with pytest.raises(ValueError, match=r"stored by columns \(CSC\).* TMPDIR .*tocsr\(\)"):
        list(rows)


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("indptr", 10_000, "the column pointers of columns 0 ... 5 lead elsewhere"),
        ("indptr", -1, "the column pointers of columns 0 ... 5 lead elsewhere"),
        ("indices", 23, "X"),
        ("indices", -1, "X"),
    ],
)
def test_forged_matrix_by_columns_is_refused(part, value, message, tmp_path):
    path = write_h5ad(tmp_path / "t.h5ad", *sample(), kind="csc")
    with h5py.File(path, "r+") as file:
        file[f"X/{part}"][3] = value
    with pytest.raises(ValueError, match=rf"^Batch 0 of t\.h5ad: .*{message}"):
        list(batches(path, target="kind"))


@pytest.mark.parametrize("kind", ["dense", "csr", "csc"])
def test_chunk_that_is_damaged_is_named(kind, tmp_path):
    X, y = sample()
    path = write_h5ad(tmp_path / "t.h5ad", X, y, kind)
    name, what = ("X", "rows") if kind == "dense" else ("X/data", "entries")
    with h5py.File(path, "r+") as file:
        values = file[name][()]
        del file[name]
        chunks = (4, 5) if kind == "dense" else (16,)
        stored = file.create_dataset(name, data=values, chunks=chunks, compression="gzip")
        place = stored.id.get_chunk_info(2)
    data = bytearray(path.read_bytes())
    data[place.byte_offset + 4 : place.byte_offset + place.size - 4] = b"\xff" * (place.size - 8)
    path.write_bytes(data)
    first = 2 * chunks[0]
    expected = rf"chunk 2 of /{name} \({what} {first} \.\.\. \d+\) is damaged: "
    with pytest.raises(ValueError, match=expected):
        list(batches(path, target="kind", batch_size=5))


def test_layer_is_read_instead(tmp_path):
    X, y = sample()
    path = write_h5ad(tmp_path / "t.h5ad", X, y)
    with h5py.File(path, "a") as file:
        file["layers/counts"] = np.arange(115).reshape(23, 5)
    rows = batches(path, target="kind", layer="counts", batch_size=9)
    assert stacked(rows)[0].ravel().tolist() == list(range(115))
    with pytest.raises(ValueError, match="has no layer 'count'. Did you mean 'counts'"):
        batches(path, target="kind", layer="count")


def test_ids_are_those_of_obs(tmp_path):
    path = write_h5ad(tmp_path / "t.h5ad", *sample())
    found = list(batches(path, target="kind", batch_size=20))
    assert found[1].ids.tolist() == ["s20", "s21", "s22"]


def write_zarr(path, X, y, kind="dense", version=2):
    zarr = pytest.importorskip("zarr")
    texts = np.dtypes.StringDType()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # texts are not in the specification of version 3 yet
        root = zarr.open_group(path, mode="w", zarr_format=version)
        if kind == "dense":
            root.create_array("X", data=X)
        else:
            group = root.create_group("X")
            group.attrs.update({"encoding-type": "csr_matrix", "shape": list(X.shape)})
            for name in ("data", "indices", "indptr"):
                group.create_array(name, data=getattr(sparse.csr_matrix(X), name))
        for name, index in (("obs", [f"s{i}" for i in range(len(y))]), ("var", names_of(X))):
            table = root.create_group(name)
            table.create_array("_index", data=np.array(index, texts))
            table.attrs.update({"column-order": ["kind"] if name == "obs" else []})
        root["obs"].create_array("kind", data=np.array(y.tolist(), texts))
    return path


@pytest.mark.filterwarnings("ignore:The data type")
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("version", [2, 3])
def test_folder_of_zarr_is_read_by_rows(tmp_path, kind, version):
    X, y = sample()
    rows = batches(
        write_zarr(tmp_path / "t.zarr", X, y, kind, version), target="kind", batch_size=4
    )
    found, labels = stacked(rows)
    np.testing.assert_array_equal(found, X)
    assert labels.tolist() == y.tolist()
    np.testing.assert_array_equal(stacked(rows.start(3))[0], X[12:])
    np.testing.assert_array_equal(stacked(rows.columns(1, 3))[0], X[:, 1:3])
    assert rows.classes().tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("array", ["X", "obs/kind"])
@pytest.mark.parametrize("key", ["filters", "compressor"])
def test_pickles_in_zarr_are_not_read(tmp_path, array, key):
    path = write_zarr(tmp_path / "t.zarr", *sample())
    described = path / array / ".zarray"
    metadata = json.loads(described.read_text())
    codec = {"id": "pickle", "protocol": 5}
    metadata[key] = [codec] if key == "filters" else codec
    described.write_text(json.dumps(metadata))
    with pytest.raises(ValueError, match=r"t\.zarr.* 'pickle'"):
        list(batches(path, target="kind"))


# ------------------------------------------------------------------ what is done to rows first


def write_counts(tmp_path):
    rng = np.random.default_rng(7)
    counts = rng.poisson(0.8, size=(23, 5)) + (np.arange(5) == 2)
    return counts, write_csr_npz(
        tmp_path / "t.npz", counts.astype(np.float32), np.repeat("ab", 23)[:23]
    )


@pytest.mark.parametrize("batch_size", [1, 7, 23])
def test_rows_are_preprocessed_as_a_whole_table_would_be(batch_size, tmp_path):
    counts, path = write_counts(tmp_path)
    rows = batches(path, target="kind", batch_size=batch_size, preprocess=["normalise", "log1p"])
    expected = np.log1p(counts / counts.sum(axis=1, keepdims=True) * 1e4)
    np.testing.assert_allclose(stacked(rows)[0], expected, rtol=1e-6)
    assert all(sparse.issparse(batch.X) and batch.X.dtype == np.float32 for batch in rows)


def test_total_of_a_row_is_that_of_all_features_even_if_few_are_asked_for(tmp_path):
    _, path = write_counts(tmp_path)
    rows = batches(path, target="kind", batch_size=4, preprocess="normalise=100")
    np.testing.assert_array_equal(stacked(rows.columns(1, 3))[0], stacked(rows)[0][:, 1:3])


def test_total_of_a_row_leaves_out_what_is_dropped(tmp_path):
    counts, _ = write_counts(tmp_path)
    path = write_h5ad(tmp_path / "t.h5ad", counts, np.repeat("ab", 23)[:23])
    rows = batches(path, target="kind", drop=names_of(counts)[:1], preprocess="normalise=100")
    kept = counts[:, 1:]
    expected = kept / kept.sum(axis=1, keepdims=True) * 100
    np.testing.assert_allclose(stacked(rows)[0], expected)


def test_negative_counts_are_named_with_their_batch(tmp_path):
    X, y = sample()
    path = write_npy(tmp_path / "arrays", -np.abs(X), y)
    with pytest.raises(ValueError, match=r"^Batch 0 of arrays: normalise is for counts, and X"):
        list(batches(path, target="kind", batch_size=4, preprocess="normalise"))


def test_sparse_rows_are_not_made_dense_by_what_is_done_first(tmp_path):
    _, path = write_counts(tmp_path)
    with pytest.raises(ValueError, match=r"preprocess='snv' is of no use with t\.npz: sparse rows"):
        batches(path, target="kind", preprocess="snv")


def test_words_of_documents_are_not_preprocessed(tmp_path):
    (tmp_path / "t.csv").write_text("body,kind\na b,x\nb c,y\n")
    with pytest.raises(ValueError, match=r"preprocess is of no use with t\.csv: words of docum"):
        batches(tmp_path / "t.csv", target="kind", text="body", preprocess="norm")


# ------------------------------------------------------------------ what is asked for


def test_size_of_a_batch_is_about_32_megabytes(tmp_path):
    for n_features, expected in ((1, 65536), (100, 2**25 // 800), (10_000, 2**25 // 80_000)):
        np.savez(tmp_path / "t.npz", X=np.zeros((2, n_features), np.int8), y=["a", "b"])
        assert batches(tmp_path / "t.npz", target="y").batch_size == expected
    assert _batch_size(None, 2**26) == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"target": None}, ValueError, "target=None must name the labels"),
        ({"batch_size": 0}, ValueError, "batch_size=0 must be at least 1"),
        ({"batch_size": 2.0}, TypeError, "batch_size=2.0 must be an int of at least 1"),
        ({"layer": "counts"}, ValueError, "layer is of no use with t.csv"),
        ({"drop": "kind"}, ValueError, "'kind' is asked for twice"),
        ({"drop": "nothing"}, ValueError, "has no column 'nothing'"),
    ],
)
def test_errors_name_the_parameter(tmp_path, options, error, message):
    path = write_text(tmp_path / "t.csv", *sample())
    with pytest.raises(error, match=message):
        batches(path, **{"target": "kind", **options})


def test_sources_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file or folder .*nothing.csv"):
        batches(tmp_path / "nothing.csv", target="y")
    with pytest.raises(ValueError, match=r"must hold \.parquet files, tables of text, or X\.npy"):
        batches(tmp_path, target="y")
    (tmp_path / "t.svm").write_text("1 1:2\n")
    with pytest.raises(ValueError, match=r"t\.svm: \.svm cannot be read in batches"):
        batches(tmp_path / "t.svm", target="y")
    with pytest.raises(TypeError, match="source=list must be the path"):
        batches([1], target="y")


@pytest.mark.parametrize(("first", "last"), [(-1, 2), (2, 2), (0, 6)])
def test_columns_must_be_there(tmp_path, first, last):
    rows = batches(write_text(tmp_path / "t.csv", *sample()), target="kind")
    with pytest.raises(ValueError, match=f"first={first}, last={last} must be 0 <= first < last"):
        rows.columns(first, last)


def test_number_of_a_batch_must_be_a_count(tmp_path):
    rows = batches(write_text(tmp_path / "t.csv", *sample()), target="kind")
    with pytest.raises(ValueError, match="number=-1 must be a whole number from 0 on"):
        rows.start(-1)


def test_apostrophes_that_keep_spreadsheets_from_running_cells_are_taken_away(tmp_path):
    names, labels = ["'=a", "b"], ["'@x", "-y", "''+z"]
    rows = [["who", *names, "kind"], *(["'-s", "1", "2", label] for label in labels)]
    (tmp_path / "t.csv").write_text("\n".join(map(",".join, rows)))
    found = batches(tmp_path / "t.csv", target="kind", ids="who")
    assert found.feature_names.tolist() == ["=a", "b"]
    assert found.classes().tolist() == sorted(["@x", "-y", "'+z"])
    batch = next(iter(found))
    assert batch.y.tolist() == ["@x", "-y", "'+z"]
    assert set(batch.ids.tolist()) == {"-s"}
