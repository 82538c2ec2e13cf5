"""One answer, wherever the samples come from: memory, files, queries, however they are cut."""

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from centroidal.streaming import batches

from ..l2 import select_features

LAZY = hasattr(pl.LazyFrame, "collect_batches")


def draw_table(n_rows, is_sorted, seed):
    """Return samples whose classes may come one after the other, so that blocks lack some."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n_rows) % 3
    codes = np.sort(codes) if is_sorted else rng.permutation(codes)
    X = rng.normal(size=(n_rows, 6))
    X[:, 2] += 1.5 * codes
    X[:, 5] -= codes == 1
    columns = {f"g{j}": X[:, j] for j in range(6)}
    patients = [f"p{i}" for i in rng.permutation(n_rows) // 2]
    return pa.table({**columns, "kind": np.array(["c", "a", "b"])[codes], "patient": patients})


def write_parts(folder, table, cuts):
    for path in folder.iterdir():
        path.unlink()
    edges = [0, *sorted(cuts), len(table)]
    for number, (start, stop) in enumerate(zip(edges, edges[1:], strict=False)):
        pq.write_table(table.slice(start, stop - start), folder / f"part{number:02}.parquet")


def as_reader(table, height):
    return lambda: pa.RecordBatchReader.from_batches(table.schema, table.to_batches(height))


def assert_same_answer(found, expected):
    assert found.selected_names.tolist() == expected.selected_names.tolist()
    assert found.n_features_to_select == expected.n_features_to_select
    assert found.path["n_features"].tolist() == expected.path["n_features"].tolist()
    for name in ("mean_test_score", "se_test_score"):
        np.testing.assert_allclose(found.path[name], expected.path[name], atol=1e-10)
    assert found.fold_choices == expected.fold_choices
    for name in ("score", "se_score", "interval", "random_score"):
        value, wanted = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(value, wanted, atol=1e-10, err_msg=name)
    np.testing.assert_array_equal(found.confusion, expected.confusion)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("parts")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    n_rows=st.integers(24, 60),
    is_sorted=st.booleans(),
    cuts=st.lists(st.integers(0, 60), max_size=6),
    batch_size=st.integers(1, 70),
    has_groups=st.booleans(),
    seed=st.integers(0, 5),
)
def test_every_source_gives_one_answer(
    folder, n_rows, is_sorted, cuts, batch_size, has_groups, seed
):
    table = draw_table(n_rows, is_sorted, seed)
    write_parts(folder, table, [cut for cut in cuts if cut <= n_rows])
    options = {"target": "kind"} | ({"groups": "patient"} if has_groups else {"drop": "patient"})
    asked = {"random_state": seed, "cv": 3, "n_repeats": 2}
    groups = table["patient"].to_numpy() if has_groups else None
    samples = table.drop(["patient"]).to_pandas()
    in_memory = select_features(samples, target="kind", groups=groups, **asked)
    sources = {
        "files": folder,
        "DuckDB": duckdb.sql(f"SELECT * FROM '{folder}/*.parquet'"),
        "Arrow data set": ds.dataset(sorted(folder.iterdir())),
        "Arrow table": table,
        "Arrow readers": as_reader(table, batch_size),
    } | ({"LazyFrame": pl.scan_parquet(f"{folder}/*.parquet")} if LAZY else {})
    for source in sources.values():
        rows = batches(source, batch_size=batch_size, **options)
        assert_same_answer(select_features(rows, **asked), in_memory)


@pytest.mark.parametrize("method", ["l2", "l1"])
def test_a_query_is_given_to_select_features_as_it_is(method):
    table = draw_table(60, False, 0)
    asked = {"method": method, "random_state": 0, "cv": 3, "n_repeats": 1}
    frame = table.to_pandas()
    expected = select_features(frame, target="kind", groups="patient", **asked)
    relation = duckdb.sql("SELECT * FROM frame")
    assert_same_answer(
        select_features(relation, target="kind", groups="patient", **asked), expected
    )
    if LAZY:
        lazy = pl.from_arrow(table).lazy()
        found = select_features(lazy, target="kind", groups="patient", **asked)
        assert_same_answer(found, expected)


def test_frames_in_memory_may_name_their_labels():
    table = draw_table(60, False, 0).drop(["patient"])
    frame = table.to_pandas()
    expected = select_features(frame.drop(columns="kind"), frame["kind"], random_state=0, cv=3)
    for each in (frame, pl.from_arrow(table), table):
        found = select_features(each, target="kind", random_state=0, cv=3)
        assert_same_answer(found, expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "kid"}, "target='kid' must be a column of X."),
        ({"target": "kind", "groups": "who"}, "groups='who' must be a column of X."),
        ({"target": "kind", "y": [1]}, "target='kind' must be None: labels are given"),
    ],
)
def test_labels_that_cannot_be_found_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        select_features(draw_table(24, False, 0).to_pandas(), **options)


def test_a_query_needs_the_name_of_its_labels():
    with pytest.raises(ValueError, match="target=None must name the column of labels"):
        select_features(pl.LazyFrame({"a": [1.0]}))
