"""Folders of many files: tables of text, and Hive partitions of Parquet."""

import numpy as np
import pandas as pd
import pytest

from centroidal.streaming import batches

N_ROWS = 30


@pytest.fixture
def frame(rng):
    frame = pd.DataFrame(rng.normal(size=(N_ROWS, 4)), columns=[f"g{j}" for j in range(4)])
    kind = np.repeat(["b", "a", "c"], 10)
    return frame.assign(sample=[f"s{i}" for i in range(N_ROWS)], kind=kind)


def stacked(rows):
    found = list(rows)
    return np.concatenate([each.X for each in found]), np.concatenate([each.y for each in found])


def write_texts(folder, frame, cuts=(7, 20)):
    folder.mkdir()
    edges = [0, *cuts, len(frame)]
    for number, (start, stop) in enumerate(zip(edges, edges[1:], strict=False)):
        frame[start:stop].to_csv(folder / f"part{number}.csv", index=False)
    return folder


@pytest.mark.parametrize("batch_size", [1, 8, 30])
def test_tables_of_text_are_read_one_after_the_other(frame, tmp_path, batch_size):
    folder = write_texts(tmp_path / "t", frame)
    rows = batches(folder, target="kind", ids="sample", batch_size=batch_size)
    X, y = stacked(rows)
    np.testing.assert_array_equal(X, frame.to_numpy()[:, :4].astype(float))
    assert y.tolist() == frame["kind"].tolist()
    assert rows.classes().tolist() == ["a", "b", "c"]
    assert rows.n_samples == N_ROWS
    np.testing.assert_array_equal(stacked(rows.start(0))[0], X)
    if batch_size == 8:
        np.testing.assert_array_equal(stacked(rows.start(1))[0], X[8:])
        np.testing.assert_array_equal(stacked(rows.columns(1, 3))[0], X[:, 1:3])


def test_columns_of_text_may_be_in_another_order(frame, tmp_path):
    folder = write_texts(tmp_path / "t", frame)
    second = pd.read_csv(folder / "part1.csv", dtype=str)
    second[second.columns[::-1]].to_csv(folder / "part1.csv", index=False)
    X, y = stacked(batches(folder, target="kind", ids="sample"))
    np.testing.assert_array_equal(X, frame.to_numpy()[:, :4].astype(float))
    assert y.tolist() == frame["kind"].tolist()


def test_labels_of_all_tables_are_of_one_type(frame, tmp_path):
    kinds = ["1"] * 10 + ["2"] * 15 + ["x"] * 5  # words in the last file alone
    folder = write_texts(tmp_path / "t", frame.assign(kind=kinds))
    rows = batches(folder, target="kind", drop="sample")
    assert rows.classes().tolist() == ["1", "2", "x"]
    assert stacked(rows)[1].tolist() == kinds


def test_tables_with_other_columns_are_named_before_any_work(frame, tmp_path):
    folder = write_texts(tmp_path / "t", frame)
    frame.drop(columns="g2").assign(g9=1.0).to_csv(folder / "part2.csv", index=False)
    with pytest.raises(ValueError, match="t/part2.csv has other columns than t/part0.csv; missing: "
                       "'g2'; extra: 'g9'"):  # fmt: skip
        batches(folder, target="kind", drop="sample")
    frame.drop(columns="kind").to_csv(folder / "part2.csv", index=False)
    with pytest.raises(ValueError, match="t/part2.csv has no column 'kind'"):
        batches(folder, target="kind", drop="sample")


def test_missing_labels_of_a_table_are_named_with_it(frame, tmp_path):
    folder = write_texts(tmp_path / "t", frame)
    frame[:3].assign(kind="").to_csv(folder / "part1.csv", index=False)
    with pytest.raises(ValueError, match="t/part1.csv: 3 of 3 samples have no label in 'kind'"):
        batches(folder, target="kind", drop="sample").classes()


def test_text_beside_parquet_is_left_alone(frame, tmp_path):
    folder = write_texts(tmp_path / "t", frame)
    frame[:5].to_parquet(folder / "rows.parquet")
    assert batches(folder, target="kind", drop="sample").n_samples == 5


# ------------------------------------------------------------------ Hive partitions


def write_hive(folder, frame, by):
    frame.to_parquet(folder, partition_cols=by, index=False)
    return folder


def test_folders_called_key_and_value_are_columns(frame, tmp_path):
    frame = frame.assign(year=np.arange(N_ROWS) // 15 + 2000)
    folder = write_hive(tmp_path / "h", frame, ["kind", "year"])
    rows = batches(folder, target="kind", ids="sample", batch_size=7)
    assert rows.feature_names.tolist() == ["g0", "g1", "g2", "g3", "year"]
    assert rows.classes().tolist() == ["a", "b", "c"]
    found = list(rows)
    ids = np.concatenate([each.ids for each in found])
    expected = frame.set_index("sample").loc[ids]
    X, y = stacked(found)
    np.testing.assert_array_equal(X, expected[rows.feature_names].to_numpy())
    assert y.tolist() == expected["kind"].tolist()


def test_folders_may_be_groups_and_other_words_are_refused(frame, tmp_path):
    frame = frame.assign(site=np.where(np.arange(N_ROWS) % 2, "north & south", "west"))
    folder = write_hive(tmp_path / "h", frame, ["site"])
    rows = batches(folder, target="kind", groups="site", drop="sample")
    groups = np.concatenate([each.groups for each in rows])
    assert sorted(set(groups)) == ["north & south", "west"]
    with pytest.raises(ValueError, match="1 feature is not numeric: 'site' \\('north & south'\\)"):
        batches(folder, target="kind", drop="sample")


def test_files_in_other_folders_are_refused(frame, tmp_path):
    folder = write_hive(tmp_path / "h", frame, ["kind"])
    (folder / "place=9").mkdir()
    frame.to_parquet(folder / "place=9" / "more.parquet")
    with pytest.raises(ValueError, match="h/place=9/more.parquet lies in other folders than"):
        batches(folder, target="kind")


def test_an_empty_folder_is_refused(tmp_path):
    (tmp_path / "e").mkdir()
    with pytest.raises(ValueError, match="e must hold .parquet files, tables of text, or X.npy"):
        batches(tmp_path / "e", target="kind")
