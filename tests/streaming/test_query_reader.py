"""Queries as sources of batches: the rows that they return, streamed, as often as needed."""

import itertools
import os
import subprocess
import sys

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from centroidal import SparseCenterClassifier
from centroidal.streaming import batches, fit_batches

N_ROWS = 23


@pytest.fixture
def table(rng):
    """Rows with labels, patients and a name that has to be quoted."""
    X = rng.normal(size=(N_ROWS, 4))
    names = ["g0", "g 1", 'g"2"', "select"]
    columns = {name: X[:, j] for j, name in enumerate(names)}
    kinds = np.array(["b", "a", "c"])[rng.integers(0, 3, N_ROWS)]
    patients = [f"p{i // 2}" for i in range(N_ROWS)]
    return pa.table({**columns, "kind": kinds, "patient": patients})


@pytest.fixture
def parts(table, tmp_path):
    for number, start in enumerate(range(0, N_ROWS, 5)):
        pq.write_table(table.slice(start, 5), tmp_path / f"part{number}.parquet")
    return tmp_path


QUERIES = {
    "duckdb": lambda parts, table: duckdb.sql(f"SELECT * FROM '{parts}/*.parquet'"),
    "lazy": lambda parts, table: pl.scan_parquet(f"{parts}/*.parquet"),
    "data set": lambda parts, table: ds.dataset(parts),
    "table": lambda parts, table: table,
    "data frame": lambda parts, table: pl.from_arrow(table),
    "function": lambda parts, table: (
        lambda: pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=3))
    ),
}
if not hasattr(pl.LazyFrame, "collect_batches"):
    del QUERIES["lazy"]


@pytest.fixture(params=QUERIES)
def query(request, parts, table):
    return QUERIES[request.param](parts, table)


def stacked(rows):
    found = list(rows)
    return np.concatenate([each.X for each in found]), np.concatenate([each.y for each in found])


def values_of(table):
    return np.column_stack([table[name].to_numpy() for name in table.column_names[:4]])


@pytest.mark.parametrize("batch_size", [1, 4, 23, 100])
def test_batches_hold_all_rows_in_order(query, table, batch_size):
    rows = batches(query, target="kind", drop="patient", batch_size=batch_size)
    assert rows.feature_names.tolist() == table.column_names[:4]
    found = list(rows)
    assert {each.y.size for each in found[:-1]} <= {batch_size}
    X, y = stacked(rows)
    np.testing.assert_array_equal(X, values_of(table))
    assert y.tolist() == table["kind"].to_pylist()


def test_rows_are_read_again_and_from_a_batch_on(query, table):
    rows = batches(query, target="kind", drop="patient", batch_size=4)
    assert rows.n_samples is None
    assert rows.classes().tolist() == ["a", "b", "c"]
    assert rows.n_samples == N_ROWS
    for _ in range(2):
        np.testing.assert_array_equal(stacked(rows)[0], values_of(table))
    np.testing.assert_array_equal(stacked(rows.start(3))[0], values_of(table)[12:])


def test_columns_ids_and_groups_are_read(query, table):
    rows = batches(query, target="kind", groups="patient", batch_size=10)
    patients = np.concatenate([each.groups for each in rows])
    assert patients.tolist() == table["patient"].to_pylist()
    ids = np.concatenate([each.ids for each in batches(query, target="kind", ids="patient")])
    assert ids.tolist() == patients.tolist()
    np.testing.assert_array_equal(stacked(rows.columns(1, 3))[0], values_of(table)[:, 1:3])


def test_fit_and_checkpoint_work(query, table, tmp_path):
    rows = batches(query, target="kind", drop="patient", batch_size=7)
    path = tmp_path / "so_far.skops"
    model = fit_batches(SparseCenterClassifier(2), rows, checkpoint=path)
    expected = SparseCenterClassifier(2).fit(values_of(table), table["kind"].to_pylist())
    np.testing.assert_allclose(model.centers_, expected.centers_, atol=1e-12)
    assert fit_batches(SparseCenterClassifier(2), rows, checkpoint=path).classes_.size == 3


def test_other_rows_are_not_those_of_the_checkpoint(table, tmp_path):
    path = tmp_path / "so_far.skops"
    fit_batches(SparseCenterClassifier(2), batches(table, target="kind", drop="patient"),
                checkpoint=path)  # fmt: skip
    other = table.set_column(0, "g0", pa.array(np.arange(N_ROWS, dtype=float)))
    with pytest.raises(ValueError, match="is of another fit: files that have changed"):
        fit_batches(SparseCenterClassifier(2), batches(other, target="kind", drop="patient"),
                    checkpoint=path)  # fmt: skip


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.float32(), pa.bool_(), pa.decimal128(30, 2), pa.null()]
)
def test_numbers_of_any_type_are_features(table, kind):
    values = pa.nulls(N_ROWS) if kind == pa.null() else pa.array([1] * N_ROWS).cast(kind)
    rows = batches(table.append_column("one", values), target="kind", drop="patient")
    if kind == pa.null():
        with pytest.raises(ValueError, match="23 values are missing .* in 1 feature: 'one'"):
            stacked(rows)
    else:
        assert stacked(rows)[0][:, 4].tolist() == [1.0] * N_ROWS


def test_categories_and_numbers_are_labels():
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0], "y": ["b", "a", "b"], "n": [1, 2, 1]})
    frame = frame.with_columns(pl.col("y").cast(pl.Categorical))
    assert batches(frame, target="y", drop="n").classes().tolist() == ["a", "b"]
    assert batches(frame, target="n", drop="y").classes().tolist() == [1, 2]


# ------------------------------------------------------------------ what cannot be


def test_reader_that_can_be_read_once_is_refused(table):
    with pytest.raises(TypeError, match="can be read once.*give a function that returns a new"):
        batches(table.to_reader(), target="kind")


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="source=int must be the path .* LazyFrame .* DuckDB"):
        batches(3, target="kind")


@pytest.mark.parametrize("option", [{"layer": "raw"}, {"text": "patient"}])
def test_options_of_files_are_refused(table, option):
    with pytest.raises(ValueError, match="is of no use with Arrow stream"):
        batches(table, target="kind", **option)


def test_columns_that_are_not_there_or_no_numbers_are_refused(query):
    with pytest.raises(ValueError, match="has no column 'kid'. Did you mean 'kind'?"):
        batches(query, target="kid")
    with pytest.raises(ValueError, match="1 feature is not numeric: 'patient' \\('p0'\\)"):
        batches(query, target="kind")


def test_missing_labels_are_refused(table):
    labels = pa.array([None, *table["kind"].to_pylist()[1:]])
    rows = batches(table.set_column(4, "kind", labels), target="kind", drop="patient")
    with pytest.raises(ValueError, match="1 of 23 samples have no label in 'kind' \\(sample 1\\)"):
        rows.classes()


def test_query_without_rows_is_refused(table):
    with pytest.raises(ValueError, match="Arrow stream has no rows"):
        batches(table.slice(0, 0), target="kind", drop="patient").classes()


def test_query_that_fails_is_told_in_one_sentence(parts):
    relation = duckdb.sql(f"SELECT * FROM '{parts}/*.parquet'")
    rows = batches(relation, target="kind", drop="patient")
    (parts / "part2.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ValueError, match="DuckDB relation could not be read as rows of a query"):
        rows.classes()


def test_rows_in_another_order_are_refused(table):
    orders = itertools.chain([0, 0], itertools.repeat(1))
    shuffled = [table, table.take(np.roll(np.arange(N_ROWS), 1))]
    rows = batches(lambda: shuffled[next(orders)], target="kind", drop="patient", batch_size=5)
    rows.classes()
    with pytest.raises(ValueError, match="gave its rows in another order than at first; .*ORDER"):
        list(rows)


@pytest.mark.parametrize(("height", "now"), [(20, "20 now"), (46, "more now")])
def test_another_number_of_rows_is_refused(table, height, now):
    heights = itertools.chain([N_ROWS, N_ROWS], itertools.repeat(height))
    twice = pa.concat_tables([table, table])
    rows = batches(lambda: twice.slice(0, next(heights)), target="kind", drop="patient")
    rows.classes()
    with pytest.raises(ValueError, match=f"gave 23 rows at first, and {now}"):
        list(rows)


@pytest.mark.skipif(hasattr(pl.LazyFrame, "collect_batches"), reason="this polars gives batches")
def test_old_polars_is_told_what_it_lacks(table):
    with pytest.raises(ImportError, match="polars 1.34 or later, not .*sink_parquet"):
        batches(pl.from_arrow(table).lazy(), target="kind")


# ------------------------------------------------------------------ memory

PEAK = """
import sys, duckdb, numpy as np, polars as pl, pyarrow.dataset as ds
from centroidal import SparseCenterClassifier
from centroidal.streaming import batches, fit_batches

def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

small, large, kind = sys.argv[1:]
open_query = {
    "duckdb": lambda folder: duckdb.sql(f"SELECT * FROM '{folder}/*.parquet'"),
    "lazy": lambda folder: pl.scan_parquet(f"{folder}/*.parquet"),
    "data set": ds.dataset,
}[kind]
peaks = []
for folder in (small, large):
    rows = batches(open_query(folder), target="kind", batch_size=5000)
    fit_batches(SparseCenterClassifier(5), rows)
    peaks.append(peak())
print((peaks[1] - peaks[0]) / 1024)
"""


@pytest.mark.once
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no peak of memory to read")
@pytest.mark.parametrize(
    "kind", [each for each in QUERIES if each in ("duckdb", "lazy", "data set")]
)
def test_memory_does_not_grow_with_the_rows(tmp_path, rng, kind):
    X = rng.normal(size=(40_000, 50))  # 16 MB
    columns = {f"g{j}": X[:, j] for j in range(50)} | {"kind": np.arange(40_000) % 3}
    pq.write_table(pa.table(columns), tmp_path / "part.parquet", row_group_size=10_000)
    for name, n_files in (("small", 4), ("large", 20)):
        (tmp_path / name).mkdir()
        for number in range(n_files):
            os.link(tmp_path / "part.parquet", tmp_path / name / f"{number}.parquet")
    done = subprocess.run(
        [sys.executable, "-c", PEAK, tmp_path / "small", tmp_path / "large", kind],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert float(done.stdout.split()[-1]) < 150  # MB, of 256 that are added; allocators keep some
