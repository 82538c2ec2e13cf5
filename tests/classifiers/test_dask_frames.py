"""Data frames of Dask as people write them first: labels and features of one folder of files."""

import numpy as np
import pytest

from centroidal import SparseCenterClassifier

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

N_FILES, N_FEATURES = 12, 40


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def frame(rng):
    heights = np.arange(30, 30 + N_FILES)
    names = [f"gene{j}" for j in range(N_FEATURES)]
    table = pd.DataFrame(rng.normal(size=(heights.sum(), N_FEATURES)), columns=names)
    table.index = pd.Index(np.arange(heights.sum()) * 3, name="sample")
    table["label"] = rng.choice(["early", "late"], heights.sum())
    table["gene7"] += table["label"] == "late"
    table["file"] = np.repeat(np.arange(N_FILES), heights)
    return table


@pytest.fixture
def parts(frame, tmp_path):
    """A folder of files, each with a part of the rows."""
    for number, rows in frame.groupby("file"):
        rows.drop(columns="file").to_parquet(tmp_path / f"part{number:02}.parquet")
    return tmp_path


def assert_fits_as_in_memory(X, y, frame):
    expected = SparseCenterClassifier(5).fit(frame.drop(columns=["label", "file"]), frame["label"])
    found = SparseCenterClassifier(5).fit(X, y)
    np.testing.assert_allclose(found.centers_, expected.centers_, atol=1e-12)
    np.testing.assert_array_equal(found.support_, expected.support_)


@pytest.mark.parametrize("has_divisions", [False, True])
def test_features_and_labels_of_one_folder_are_paired(parts, frame, has_divisions):
    table = dd.read_parquet(parts, calculate_divisions=has_divisions)
    assert table.known_divisions is has_divisions
    assert len(table["label"].to_delayed()) < N_FILES  # what Dask makes of a single column
    assert_fits_as_in_memory(table.drop(columns="label"), table["label"], frame)


def test_no_other_column_is_read_for_the_labels(parts):
    from centroidal.statistics.dask_collection import DaskCollection

    table = dd.read_parquet(parts)
    labels = DaskCollection.of(table.drop(columns="label")).pair("y", table["label"])
    assert len(labels.parts) == N_FILES
    for path in parts.iterdir():
        pd.read_parquet(path, columns=["label"]).to_parquet(path)
    assert sum(map(len, labels.gather())) == len(table["label"])


@pytest.mark.parametrize("has_divisions", [False, True])
@pytest.mark.parametrize(("n_X", "n_y"), [(12, 5), (4, 12), (1, 12), (7, 1)])
def test_other_partitions_of_the_labels_are_cut_anew(parts, frame, has_divisions, n_X, n_y):
    table = dd.read_parquet(parts, calculate_divisions=has_divisions)
    X = table.drop(columns="label").repartition(npartitions=n_X)
    assert_fits_as_in_memory(X, table["label"].repartition(npartitions=n_y), frame)


def test_frames_of_one_index_are_paired_by_it_without_a_count(frame, monkeypatch):
    from centroidal.statistics import dask_collection

    monkeypatch.delattr(dask_collection, "_count_rows")
    X = dd.from_pandas(frame.drop(columns=["label", "file"]), npartitions=3)
    y = dd.from_pandas(frame["label"], npartitions=4)
    y = y.repartition(divisions=[0, 51, 120, frame.index[-1]])  # as many as X, in other places
    assert_fits_as_in_memory(X, y, frame)


def test_labels_in_an_array_of_unknown_length_are_cut_anew(parts, frame):
    table = dd.read_parquet(parts)
    y = (table["label"] == "late").astype("int64").repartition(npartitions=5).to_dask_array()
    assert_fits_as_in_memory(table.drop(columns="label"), y, frame)


def test_weights_of_the_same_folder_are_paired(parts, frame):
    table = dd.read_parquet(parts)
    X, weights = table.drop(columns="label"), table["gene0"].abs()
    found = SparseCenterClassifier(5).fit(X, table["label"], sample_weight=weights)
    features = frame.drop(columns=["label", "file"])
    expected = SparseCenterClassifier(5).fit(
        features, frame["label"], sample_weight=frame["gene0"].abs()
    )
    np.testing.assert_allclose(found.centers_, expected.centers_, atol=1e-12)


def test_a_column_with_other_rows_is_refused(parts):
    table = dd.read_parquet(parts)
    y = table["label"].partitions[:5]
    n_rows, n_labels = len(table), len(y)
    with pytest.raises(ValueError, match=f"X has {n_rows} rows, and y has {n_labels}."):
        SparseCenterClassifier(5).fit(table.drop(columns="label"), y)


def test_predictions_of_few_columns_keep_partitions_and_index(parts, frame):
    table = dd.read_parquet(parts, calculate_divisions=True)
    model = SparseCenterClassifier(1).fit(frame[["gene7"]], frame["label"])
    lazy = model.predict(table[["gene7"]])
    assert lazy.divisions == table.divisions
    expected = pd.Series(model.predict(frame[["gene7"]]), index=table.index.compute())
    pd.testing.assert_series_equal(lazy.compute(), expected, check_dtype=False)
