"""One answer, wherever the samples come from: memory, files, queries, Dask; however it is cut."""

import warnings
from functools import lru_cache
from typing import NamedTuple

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from centroidal.streaming import arrays, batches

from ..l2 import select_features
from .test_stream_source import assert_same_answer

pytestmark = pytest.mark.usefixtures("without_background")
LAZY = hasattr(pl.LazyFrame, "collect_batches")
N_FEATURES = 7


# ------------------------------------------------------------------ one table


class Drawn(NamedTuple):
    """A table that was drawn, and how it is cut and asked for."""

    n_rows: int
    n_classes: int
    is_sorted: bool  # so that blocks lack classes
    is_grouped: bool
    cuts: tuple
    batch_size: int
    preprocess: str | None
    seed: int

    @property
    def reading(self):
        """What is asked of a source of batches."""
        return {
            "target": "kind", "groups": "patient" if self.is_grouped else None,
            "batch_size": self.batch_size, "preprocess": self.preprocess,
        }  # fmt: skip

    @property
    def asked(self):
        """What is asked of the selection."""
        return {"method": "l2", "cv": 3, "n_repeats": 2, "random_state": self.seed}

    def frame(self):
        """Counts of some features, of which as many tell as there are classes."""
        rng = np.random.default_rng(self.seed)
        codes = np.arange(self.n_rows) % self.n_classes
        codes = np.sort(codes) if self.is_sorted else rng.permutation(codes)
        X = rng.poisson(1.0 + 2.0 * (codes[:, None] == np.arange(N_FEATURES)))
        X[:, -1] += 1  # so that no row is without a count
        frame = pd.DataFrame(X.astype(float), columns=[f"g{j}" for j in range(N_FEATURES)])
        frame = frame.assign(kind=np.array(list("cabd"))[codes])
        patients = [f"p{i}" for i in rng.permutation(self.n_rows) // 2]
        return frame.assign(patient=patients) if self.is_grouped else frame

    def parts(self):
        """Cut the table into blocks, some of which may have no rows."""
        edges = [0, *sorted(cut for cut in self.cuts if cut <= self.n_rows), self.n_rows]
        frame = self.frame()
        return [frame[start:stop] for start, stop in zip(edges, edges[1:], strict=False)]


DRAWN = st.builds(
    Drawn, n_rows=st.integers(36, 62), n_classes=st.integers(2, 4), is_sorted=st.booleans(),
    is_grouped=st.booleans(), cuts=st.lists(st.integers(0, 62), max_size=5).map(tuple),
    batch_size=st.integers(1, 70), seed=st.integers(0, 2**32 - 1),
    preprocess=st.sampled_from([None, "log1p", "normalise=500,log1p"]),
)  # fmt: skip


@lru_cache
def answer_in_memory(drawn, is_sparse):
    """Return what every source must find; a table that is stored sparse stays so."""
    frame = drawn.frame()
    X, names = frame.iloc[:, :N_FEATURES].to_numpy(), frame.columns[:N_FEATURES].tolist()
    groups = frame["patient"].to_numpy() if drawn.is_grouped else None
    return select_features(
        sparse.csr_array(X) if is_sparse else X, frame["kind"].to_numpy(), groups=groups,
        feature_names=names, preprocess=drawn.preprocess, **drawn.asked,
    )  # fmt: skip


# ------------------------------------------------------------------ and every source of it


def parquet_folder(drawn, folder):
    schema = pa.Schema.from_pandas(drawn.frame(), preserve_index=False)  # parts may have no rows
    for number, part in enumerate(drawn.parts()):
        table = pa.Table.from_pandas(part, schema, preserve_index=False)
        pq.write_table(table, folder / f"part{number}.parquet", row_group_size=9)
    return folder


def text_file(drawn, folder):
    drawn.frame().to_csv(folder / "table.csv", index=False)
    return folder / "table.csv"


def array_folder(drawn, folder):
    frame = drawn.frame()
    np.save(folder / "X.npy", frame.iloc[:, :N_FEATURES].to_numpy())
    np.save(folder / "feature_names.npy", frame.columns[:N_FEATURES].to_numpy().astype(str))
    for name in frame.columns[N_FEATURES:]:
        np.save(folder / f"{name}.npy", frame[name].to_numpy().astype(str))
    return folder


def arrow_readers(drawn, folder):
    table = pa.Table.from_pandas(drawn.frame(), preserve_index=False)
    return lambda: pa.RecordBatchReader.from_batches(table.schema, table.to_batches(11))


def annotated(suffix, matrix):
    """Return what writes cells as anndata does."""

    def write(drawn, folder):
        anndata = pytest.importorskip("anndata")
        if suffix == ".zarr":
            pytest.importorskip("zarr")
        frame, path = drawn.frame(), folder / f"cells{suffix}"
        frame.index = [f"cell{i}" for i in range(len(frame))]
        X = frame.iloc[:, :N_FEATURES]
        obs = frame.iloc[:, N_FEATURES:].astype({"kind": "category"})
        cells = anndata.AnnData(matrix(X.to_numpy()), obs, pd.DataFrame(index=X.columns))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # texts are not in the specification of zarr 3 yet
            cells.write_h5ad(path) if suffix == ".h5ad" else cells.write_zarr(path)
        return path

    return write


def select_batches(write):
    """Return what selects from batches of a source."""
    return lambda drawn, folder: select_features(
        batches(write(drawn, folder), **drawn.reading), **drawn.asked
    )


def select_on_workers(write):
    """Return what selects from files that workers of Dask read."""

    def select(drawn, folder):
        dask = pytest.importorskip("dask")
        reading = drawn.reading | {"batch_size": None}
        with dask.config.set(scheduler="synchronous"):
            return select_features(
                batches(write(drawn, folder), **reading).on_workers(), **drawn.asked
            )

    return select


def select_blocks(drawn, folder):
    """Select from lists of delayed blocks, one of features, one of labels, one of groups."""
    dask = pytest.importorskip("dask")
    parts = drawn.parts()
    X = [dask.delayed(part.iloc[:, :N_FEATURES].to_numpy()) for part in parts]
    y, *groups = (
        [dask.delayed(part[name].to_numpy()) for part in parts]
        for name in parts[0].columns[N_FEATURES:]
    )
    names = parts[0].columns[:N_FEATURES].tolist()
    with dask.config.set(scheduler="synchronous"):
        return select_features(
            X, y, groups=groups[0] if groups else None, feature_names=names, **drawn.asked
        )


def select_frame(drawn, folder):
    """Select from a data frame of Dask, whose columns are named."""
    dask, dd = pytest.importorskip("dask"), pytest.importorskip("dask.dataframe")
    table = dd.from_pandas(drawn.frame(), npartitions=1 + len(drawn.cuts))
    groups = "patient" if drawn.is_grouped else None
    with dask.config.set(scheduler="synchronous"):
        return select_features(table, "kind", groups=groups, **drawn.asked)


SOURCES = {  # and whether values are stored sparse
    "Parquet": (select_batches(parquet_folder), False),
    "text": (select_batches(text_file), False),
    "arrays": (select_batches(array_folder), False),
    "DuckDB": (
        select_batches(
            lambda drawn, folder: duckdb.sql(
                f"SELECT * FROM '{parquet_folder(drawn, folder)}/*.parquet'"
            )
        ),
        False,
    ),
    "Arrow data set": (
        select_batches(
            lambda drawn, folder: ds.dataset(sorted(parquet_folder(drawn, folder).iterdir()))
        ),
        False,
    ),
    "Arrow readers": (select_batches(arrow_readers), False),
    "LazyFrame": (
        select_batches(
            lambda drawn, folder: pl.scan_parquet(f"{parquet_folder(drawn, folder)}/*.parquet")
        ),
        False,
    ),
    "h5ad, dense": (select_batches(annotated(".h5ad", np.asarray)), False),
    "h5ad, by rows": (select_batches(annotated(".h5ad", sparse.csr_matrix)), True),
    "h5ad, by columns": (select_batches(annotated(".h5ad", sparse.csc_matrix)), True),
    "zarr, by rows": (select_batches(annotated(".zarr", sparse.csr_matrix)), True),
    "zarr, by columns": (select_batches(annotated(".zarr", sparse.csc_matrix)), True),
    "Dask, Parquet": (select_on_workers(parquet_folder), False),
    "Dask, h5ad": (select_on_workers(annotated(".h5ad", sparse.csr_matrix)), True),
    "Dask, blocks": (select_blocks, False),
    "Dask, data frame": (select_frame, False),
}
AS_THEY_ARE = ("Dask, blocks", "Dask, data frame")  # without steps in front


@pytest.mark.filterwarnings("ignore:The data type")
@pytest.mark.parametrize("source", SOURCES)
@settings(max_examples=4, deadline=None, derandomize=True)
@given(drawn=DRAWN)
def test_every_source_gives_the_answer_of_samples_in_memory(source, drawn, tmp_path_factory):
    if source == "LazyFrame" and not LAZY:
        pytest.skip("this polars does not give a LazyFrame in batches")
    select, is_sparse = SOURCES[source]
    if source in AS_THEY_ARE:
        drawn = drawn._replace(preprocess=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_ENTRIES_AT_A_TIME", 100)  # so that columns come in several turns
        found = select(drawn, tmp_path_factory.mktemp("table"))
    expected = answer_in_memory(drawn, is_sparse)
    assert_same_answer(expected, found)
    assert found.selected_names.tolist() == expected.selected_names.tolist()


# ------------------------------------------------------------------ columns that are named

DRAWN_ONCE = Drawn(60, 3, False, True, (), 60, None, 0)


@pytest.fixture
def frame():
    return DRAWN_ONCE.frame()


@pytest.mark.parametrize("method", ["l2", "l1"])
def test_a_query_is_given_to_select_features_as_it_is(method, frame):
    asked = {"method": method, "random_state": 0, "cv": 3, "n_repeats": 1}
    expected = select_features(frame, target="kind", groups="patient", **asked)
    relation = duckdb.sql("SELECT * FROM frame")
    assert_same_answer(
        select_features(relation, target="kind", groups="patient", **asked), expected
    )
    if LAZY:
        lazy = pl.from_pandas(frame).lazy()
        found = select_features(lazy, target="kind", groups="patient", **asked)
        assert_same_answer(found, expected)


def test_frames_in_memory_may_name_their_labels(frame):
    frame, asked = frame.drop(columns="patient"), {"method": "l2", "random_state": 0, "cv": 3}
    expected = select_features(frame.drop(columns="kind"), frame["kind"], **asked)
    for each in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)):
        found = select_features(each, target="kind", **asked)
        assert_same_answer(found, expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "kid"}, "target='kid' must be a column of X."),
        ({"target": "kind", "groups": "who"}, "groups='who' must be a column of X."),
        ({"target": "kind", "y": [1]}, "target='kind' must be None: labels are given"),
    ],
)
def test_labels_that_cannot_be_found_are_named(options, message, frame):
    with pytest.raises(ValueError, match=message):
        select_features(frame, **options)


def test_a_query_needs_the_name_of_its_labels():
    with pytest.raises(ValueError, match="target=None must name the column of labels"):
        select_features(pl.LazyFrame({"a": [1.0]}))
