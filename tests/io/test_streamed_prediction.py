"""Predictions of tables that are read in parts: those of the same rows in memory."""

import os
import subprocess
import sys
from io import BytesIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from centroidal import SparseCenterClassifier
from centroidal.io import predict_table
from centroidal.io.prediction import read_new_samples
from centroidal.io.streamed_prediction import StreamedPredictions
from centroidal.persistence import read_model_card, save_model
from tests.streaming.test_batches import write_h5ad

from ..l2 import select_features

N_ROWS = 60


@pytest.fixture
def frame(rng):
    names = [f"g{j}" for j in range(8)]
    frame = pd.DataFrame(rng.normal(size=(N_ROWS, 8)), columns=names)
    kind = np.array(["a", "b", "c"])[np.arange(N_ROWS) % 3]
    frame["g5"] += 2.0 * (kind == "b")
    frame["g2"] -= 2.0 * (kind == "c")
    return frame.assign(kind=kind)


@pytest.fixture
def model(frame):
    return SparseCenterClassifier(2).fit(frame.drop(columns="kind"), frame["kind"])


@pytest.fixture
def card(model, tmp_path):
    metadata = {"target": "kind", "left_out": ["site"], "id": "sample"}
    save_model(model, tmp_path / "m.skops", metadata=metadata)
    return read_model_card(tmp_path / "m.skops")


def write_parts(folder, frame, cuts=(20, 45)):
    folder.mkdir()
    edges = [0, *cuts, len(frame)]
    for number, (start, stop) in enumerate(zip(edges, edges[1:], strict=False)):
        frame[start:stop].to_parquet(folder / f"part{number}.parquet", index=False)
    return folder


def write_texts(folder, frame):
    folder.mkdir()
    frame[:30].to_csv(folder / "a.csv", index=False)
    frame[30:].to_csv(folder / "b.tsv", index=False, sep="\t")
    return folder


def write_text(path, frame):
    frame.to_csv(path, index=False)
    return path


SOURCES = {
    "folder": lambda d, frame: write_parts(d / "parts", frame),
    "file": lambda d, frame: write_parts(d / "parts", frame, ()) / "part0.parquet",
    "texts": lambda d, frame: write_texts(d / "texts", frame),
    "text": lambda d, frame: write_text(d / "t.csv", frame),
    "packed text": lambda d, frame: write_text(d / "t.csv.gz", frame),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("no_call", [None, 0.2, 0.001])
def test_predictions_are_those_of_the_rows_in_memory(frame, tmp_path, source, no_call):
    X = frame.drop(columns="kind")
    model = select_features(X, frame["kind"], n_features_to_select=2, random_state=0).model
    path = SOURCES[source](tmp_path, X)
    streamed = StreamedPredictions(model, path, no_call=no_call)
    parts = [found for _, found in streamed]
    expected = predict_table(model, read_new_samples(X), no_call=no_call)
    labels = np.concatenate([each.labels for each in parts])
    assert labels.tolist() == expected.labels.tolist()
    probabilities = np.concatenate([each.probabilities for each in parts])
    np.testing.assert_allclose(probabilities, expected.probabilities, rtol=1e-12)
    assert dict(streamed.counts) == expected.counts()
    assert streamed.n_samples == N_ROWS
    assert streamed.remarks == expected.remarks


@pytest.mark.parametrize("n_bytes", [100, 700, 2**24])
def test_text_gives_the_same_file_however_it_is_cut(
    frame, model, card, tmp_path, monkeypatch, n_bytes
):
    monkeypatch.setattr("centroidal.streaming.text._CHUNK_BYTES", n_bytes)
    frame = frame.assign(site='a "place", far', sample=[f"s{i}" for i in range(N_ROWS)])
    path = write_text(tmp_path / "t.csv", frame)
    streamed = StreamedPredictions(model, path, card=card)
    text = b"".join(part.csv_rows(i == 0) for i, (_, part) in enumerate(streamed))
    expected = predict_table(model, read_new_samples(path, card=card), target="kind")
    found, wanted = (pd.read_csv(BytesIO(each)) for each in (text, expected.csv_rows()))
    pd.testing.assert_frame_equal(found, wanted, rtol=1e-12)
    assert sorted(streamed.remarks) == sorted(expected.remarks)


def test_remarks_on_text_are_those_of_the_table_in_memory(frame, model, tmp_path):
    path = tmp_path / "t.csv"
    frame.drop(columns="kind").to_csv(path, sep=";")
    streamed = StreamedPredictions(model, path)
    assert next(iter(streamed))[1].ids[:2].tolist() == ["0", "1"]
    assert streamed.remarks == predict_table(model, read_new_samples(path)).remarks
    assert len(streamed.remarks) == 2  # on semicolons, and on a column without a name


def test_small_pieces_change_nothing(frame, model, tmp_path, monkeypatch):
    monkeypatch.setattr("centroidal.io.streamed_prediction._BYTES_AT_A_TIME", 8 * 8 * 7)
    streamed = list(
        StreamedPredictions(model, write_parts(tmp_path / "p", frame[model.feature_names_in_]))
    )
    assert max(len(found.labels) for _, found in streamed) == 7
    assert list(dict.fromkeys(name for name, _ in streamed)) == [
        "p/part0.parquet", "p/part1.parquet", "p/part2.parquet",
    ]  # fmt: skip


def test_annotated_cells_are_predicted_with_their_names(frame, model, tmp_path):
    X = frame.drop(columns="kind").to_numpy()
    path = write_h5ad(tmp_path / "t.h5ad", X, frame["kind"].to_numpy(), "csr")
    found = list(StreamedPredictions(model, path))
    assert np.concatenate([each.ids for _, each in found]).tolist() == [
        f"s{i}" for i in range(N_ROWS)
    ]
    labels = np.concatenate([each.labels for _, each in found])
    assert labels.tolist() == model.predict(frame.drop(columns="kind")).tolist()


def test_only_columns_of_the_model_are_read(frame, model, tmp_path, monkeypatch):
    asked = set()
    read = pq.ParquetFile.read_row_groups

    def watched(self, groups, columns=None, **options):
        asked.update(columns)
        return read(self, groups, columns=columns, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", watched)
    list(StreamedPredictions(model, write_parts(tmp_path / "p", frame.drop(columns="kind"))))
    assert asked == {"g2", "g5"}


def test_label_ids_and_columns_left_out_in_training_are_known(frame, model, card, tmp_path):
    frame = frame.assign(site="north", sample=[f"s{i}" for i in range(N_ROWS)])
    streamed = StreamedPredictions(model, write_parts(tmp_path / "p", frame), card=card)
    (_, first), *_ = streamed
    assert first.ids[0] == "s0"
    assert streamed.remarks == (
        "Left out, as in training: 'site'.",
        "'kind', the label in training, is left out.",
    )
    without = StreamedPredictions(
        model, write_parts(tmp_path / "q", frame[["g2", "g5"]]), card=card
    )
    assert next(iter(without))[1].ids is None


def test_extra_columns_are_refused_unless_allowed(frame, model, tmp_path):
    path = write_parts(tmp_path / "p", frame.assign(site="north"))
    with pytest.raises(ValueError, match="p has 2 features that the model was not fitted to"):
        StreamedPredictions(model, path)
    streamed = StreamedPredictions(model, path, allow_extra=True)
    assert sum(len(found.labels) for _, found in streamed) == N_ROWS


# ------------------------------------------------------------------ what cannot be


def test_missing_columns_are_named_before_any_work(frame, model, tmp_path):
    with pytest.raises(ValueError, match="p lacks 1 feature that the model reads: 'g5'"):
        StreamedPredictions(model, write_parts(tmp_path / "p", frame[["g2", "g1"]]))


def test_files_with_other_columns_are_named_before_any_work(frame, model, tmp_path):
    folder = write_parts(tmp_path / "p", frame.drop(columns="kind"))
    frame[["g2"]].to_parquet(folder / "part1.parquet", index=False)
    with pytest.raises(ValueError, match="p/part1.parquet has other columns than p/part0.parquet"):
        StreamedPredictions(model, folder)


def test_a_damaged_file_is_named_before_any_work(frame, model, tmp_path):
    folder = write_parts(tmp_path / "p", frame.drop(columns="kind"))
    (folder / "part2.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match="p/part2.parquet could not be read as a Parquet file"):
        StreamedPredictions(model, folder)


def test_an_empty_folder_is_refused(model, tmp_path):
    (tmp_path / "p").mkdir()
    with pytest.raises(ValueError, match="p must hold .parquet files"):
        StreamedPredictions(model, tmp_path / "p")


def test_missing_values_are_refused_with_their_file_or_filled_in(frame, model, tmp_path):
    X = frame.drop(columns="kind")
    gaps = X.assign(g5=X["g5"].where(X.index != 50), g1=np.nan)
    folder = write_parts(tmp_path / "p", gaps)
    with pytest.raises(ValueError, match="p/part2.parquet: 1 value is missing, in 1 feature"):
        list(StreamedPredictions(model, folder))
    filling = make_pipeline(SimpleImputer(), SparseCenterClassifier(2)).fit(X, frame["kind"])
    streamed = StreamedPredictions(filling, folder)
    assert sum(len(found.labels) for _, found in streamed) == N_ROWS
    assert "the model fills them in" in streamed.remarks[0]


def test_infinite_values_are_refused(frame, model, tmp_path):
    folder = write_parts(tmp_path / "p", frame.drop(columns="kind").assign(g2=np.inf))
    with pytest.raises(ValueError, match="20 values are infinite or too large, in 1 feature: 'g2'"):
        list(StreamedPredictions(model, folder))


WRONG_LINES = {
    "a cell too few": ("1,2,3", "t.csv: line 62 has 3 values where the header has 8 names"),
    "a word": ("1,2,x,4,5,6,7,8", "t.csv: 1 feature is not numeric: 'g2' \\('x'\\)"),
    "a gap": ("1,2,,4,5,6,7,8", "t.csv: 1 value is missing, in 1 feature that the model reads"),
    "a NUL": ("1,2,\0,4,5,6,7,8", "t.csv holds a NUL byte in line 62"),
}


@pytest.mark.parametrize("n_bytes", [700, 2**24])
@pytest.mark.parametrize("name", WRONG_LINES)
def test_wrong_lines_are_told_however_text_is_cut(
    name, n_bytes, frame, model, tmp_path, monkeypatch
):
    monkeypatch.setattr("centroidal.streaming.text._CHUNK_BYTES", n_bytes)
    line, message = WRONG_LINES[name]
    path = write_text(tmp_path / "t.csv", frame.drop(columns="kind"))
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(ValueError, match=message):
        list(StreamedPredictions(model, path))
    with pytest.raises(ValueError, match=message):
        predict_table(model, read_new_samples(path))


def test_text_without_rows_is_refused_before_any_work(model, tmp_path):
    (tmp_path / "t.csv").write_text("g2,g5\n\n")
    with pytest.raises(ValueError, match="t.csv has a header and no rows below it"):
        StreamedPredictions(model, tmp_path / "t.csv")


def test_marks_of_text_are_told_and_checked(frame, model, tmp_path):
    X = frame.drop(columns="kind")
    path = tmp_path / "t.csv"
    X.to_csv(path, sep="|", decimal=",", index=False)
    found = StreamedPredictions(model, path, delimiter="|", decimal=",")
    assert np.concatenate([part.labels for _, part in found]).tolist() == model.predict(X).tolist()
    with pytest.raises(ValueError, match="delimiter=',' must not be decimal=','"):
        StreamedPredictions(model, path, delimiter=",", decimal=",")


PEAK = """
import sys
from centroidal.io.streamed_prediction import StreamedPredictions
from centroidal.persistence import load_model
def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
model, *paths = load_model(sys.argv[1]), *sys.argv[2:]
peaks = []
for path in paths:
    for _ in StreamedPredictions(model, path):
        pass
    peaks.append(peak())
print((peaks[1] - peaks[0]) / 1024)
"""


@pytest.mark.once
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no peak of memory to read")
def test_memory_does_not_grow_with_the_rows(rng, tmp_path):
    X = rng.normal(size=(20_000, 400))  # 64 MB
    model = SparseCenterClassifier(5).fit(X[:100], np.arange(100) % 2)
    save_model(model, tmp_path / "m.skops")
    table = pa.table({f"x{j}": X[:, j] for j in range(400)})
    pq.write_table(table, tmp_path / "small.parquet", row_group_size=5000)
    with pq.ParquetWriter(tmp_path / "large.parquet", table.schema) as writer:
        for _ in range(5):
            writer.write_table(table, row_group_size=5000)
    paths = [tmp_path / name for name in ("m.skops", "small.parquet", "large.parquet")]
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *paths], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 60  # MB, of 256 that are added
