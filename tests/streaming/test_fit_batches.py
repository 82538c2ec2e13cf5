import errno
import os
import re
from functools import partial

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB

from centroidal import (
    DisjointCentroidClassifier,
    FisherSubspaceClassifier,
    OnlineFisherSubspaceClassifier,
    SparseCenterClassifier,
)
from centroidal.io import read_table
from centroidal.persistence import UntrustedTypeError, load_model, read_model_card, save_model
from centroidal.persistence.archive import pack_archive, read_members
from centroidal.streaming import checkpoint as checkpoints
from centroidal.streaming.batches import batches
from centroidal.streaming.fit_batches import fit_batches
from centroidal.streaming.pieces import FileFacts

from . import children
from .test_batches import (
    damage,
    names_of,
    sample,
    write_csr_npz,
    write_folder,
    write_h5ad,
    write_npy,
    write_npz,
    write_text,
)

STREAMED = {
    "l2": SparseCenterClassifier(3),
    "l2 within": SparseCenterClassifier(2, scale="within", priors="empirical"),
    "margin": DisjointCentroidClassifier("margin"),
    "online": OnlineFisherSubspaceClassifier(3),
    "window": OnlineFisherSubspaceClassifier(2, window=3),
    "fisher": FisherSubspaceClassifier(n_components=3),
    "bayes": GaussianNB(),
}
BY_COLUMNS = {
    f"{metric} {scale}": SparseCenterClassifier(2, metric=metric, scale=scale)
    for metric, scale in [
        *(("l1", scale) for scale in (None, "std", "within", "mad")),
        ("l2", "mad"),
    ]
}


def fitted(model):
    """What a fit has found, as arrays by name."""
    found = {
        name: value
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_") and name != "feature_names_in_"
    }
    return {name: np.asarray(value) for name, value in found.items()}


def assert_same(first, second):
    first, second = fitted(first), fitted(second)
    assert first.keys() == second.keys()
    assert len(first) > 3
    for name in first:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)


@pytest.fixture
def data():
    X, y = sample(60, 6)
    X[y == "a", 2] += 2.0
    X[y == "b", 4] -= 3.0
    return X, y


@pytest.fixture
def folder(tmp_path, data):
    return write_folder(tmp_path / "parts", *data, cuts=(11, 26, 40), group=6)


def open_folder(folder, batch_size=8):
    return batches(folder, target="kind", drop="sample", batch_size=batch_size)


# ------------------------------------------------------------------ the model


@pytest.mark.parametrize("name", STREAMED)
def test_fit_is_partial_fit_of_each_batch(name, folder):
    rows = open_folder(folder)
    expected = None
    for batch in rows:
        if expected is None:
            expected = type(STREAMED[name])(**STREAMED[name].get_params())
            expected.partial_fit(batch.X, batch.y, classes=["a", "b", "c"])
        else:
            expected.partial_fit(batch.X, batch.y)
    model = fit_batches(STREAMED[name], rows)
    assert_same(model, expected)
    assert model.feature_names_in_.tolist() == names_of(batch.X)
    assert not hasattr(STREAMED[name], "n_features_in_")  # a copy is fitted


@settings(max_examples=20, deadline=None, derandomize=True)
@given(data=st.data())
def test_stream_is_the_batch_for_any_cut(data, tmp_path_factory):
    n_rows = data.draw(st.integers(6, 40))
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    batch_size = data.draw(st.integers(1, 45))
    form = data.draw(st.sampled_from(["parquet", "arrays", "csr", "h5ad"]))
    X, y = sample(n_rows, 4, dtype)
    y[:3] = ["a", "b", "c"]
    path = tmp_path_factory.mktemp("cut")
    if form == "parquet":
        cuts = sorted(data.draw(st.lists(st.integers(0, n_rows), max_size=4)))
        path = write_folder(path / "p", X, y, cuts, data.draw(st.integers(1, 9)))
    elif form == "arrays":
        path = write_npy(path / "a", X, y)
    elif form == "csr":
        path = write_csr_npz(path / "t.npz", X, y)
    else:
        path = write_h5ad(path / "t.h5ad", X, y, "csr")
    drop = ["sample"] if form == "parquet" else []
    rows = batches(path, target="kind", drop=drop, batch_size=batch_size)
    for estimator in (SparseCenterClassifier(2, scale="std"), DisjointCentroidClassifier("margin")):
        whole = type(estimator)(**estimator.get_params()).fit(X, y)
        model = fit_batches(estimator, rows)
        np.testing.assert_allclose(model.centers_, whole.centers_, rtol=1e-10, atol=1e-10)
        np.testing.assert_array_equal(model.classes_, whole.classes_)


@pytest.mark.parametrize("name", BY_COLUMNS)
@pytest.mark.parametrize("form", ["parquet", "text", "csr", "single"])
def test_medians_are_those_of_all_rows_to_the_bit(name, form, tmp_path, data):
    X, y = data
    if form == "parquet":
        rows = open_folder(write_folder(tmp_path / "parts", X, y))
    elif form == "text":
        rows = batches(write_text(tmp_path / "t.csv", X, y), target="kind", batch_size=7)
    elif form == "csr":
        rows = batches(write_h5ad(tmp_path / "t.h5ad", X, y, "csr"), target="kind", batch_size=7)
        X = read_table(tmp_path / "t.h5ad", target="kind").X
    else:
        X = X.astype(np.float32)
        rows = batches(write_npy(tmp_path / "a", X, y), target="kind", batch_size=7)
    expected = SparseCenterClassifier(**BY_COLUMNS[name].get_params()).fit(X, y)
    for memory in (1, 4 * 60 * 8, 2**20):
        model = fit_batches(BY_COLUMNS[name], rows, memory=memory)
        assert_same(model, expected)
        assert model.feature_names_in_.tolist() == names_of(X)
        assert not hasattr(model, "_columns_done")


def test_moments_of_wide_blocks_are_added_in_the_same_order(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(5.0, 1.0, (900, 9000)).astype(np.float32)
    y = rng.integers(0, 3, 900)
    (tmp_path / "a").mkdir()
    np.save(tmp_path / "a" / "X.npy", X)
    np.save(tmp_path / "a" / "y.npy", y)
    estimator = SparseCenterClassifier(5, metric="l1", scale="within")
    model = fit_batches(estimator, batches(tmp_path / "a", target="y"), memory=2**23)
    assert_same(model, SparseCenterClassifier(5, metric="l1", scale="within").fit(X, y))
    assert not hasattr(model, "feature_names_in_")  # the arrays have no names


def test_estimators_of_scikit_learn_are_fitted_without_a_checkpoint(folder):
    rows = open_folder(folder)
    estimator = SGDClassifier(random_state=0)
    expected = SGDClassifier(random_state=0)
    for batch in rows:
        expected.partial_fit(batch.X, batch.y, classes=["a", "b", "c"])
    np.testing.assert_array_equal(fit_batches(estimator, rows).coef_, expected.coef_)


def test_batches_of_one_class_and_unseen_classes_are_fine(tmp_path, data):
    X, y = data
    order = np.argsort(y, kind="stable")
    rows = open_folder(write_folder(tmp_path / "sorted", X[order], y[order]), batch_size=5)
    model = fit_batches(SparseCenterClassifier(), rows, classes=["z", "c", "b", "a"])
    assert model.classes_.tolist() == ["a", "b", "c", "z"]
    assert np.isnan(model.centers_[3]).all()
    expected = SparseCenterClassifier().fit(X, y)
    np.testing.assert_allclose(model.centers_[:3], expected.centers_, rtol=1e-10)


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    "estimator", [SparseCenterClassifier(), SparseCenterClassifier(metric="l1")]
)
def test_label_that_was_not_declared_is_named_with_batch_and_file(estimator, tmp_path):
    X, _ = sample(20)
    y = np.array(["a", "b"] * 10)
    y[13] = "c"
    rows = open_folder(write_folder(tmp_path / "parts", X, y, cuts=(5, 12)), batch_size=4)
    message = r"Batch 3: the label 'c' in parts/part-2\.parquet is not among classes=\['a', 'b'\]"
    with pytest.raises(ValueError, match=message):
        fit_batches(estimator, rows, classes=["a", "b"])
    with pytest.raises(ValueError, match=r"Batch 0: the label 'a' .* classes=\[0, 1\]"):
        fit_batches(estimator, rows, classes=[0, 1])


def test_one_class_is_refused(tmp_path):
    X, _ = sample(20)
    rows = open_folder(write_folder(tmp_path / "parts", X, np.array(["a"] * 20)))
    with pytest.raises(ValueError, match=r"classes=\['a'\] must hold at least 2 classes"):
        fit_batches(SparseCenterClassifier(), rows)


@pytest.mark.parametrize(
    ("estimator", "error", "message"),
    [
        (SparseCenterClassifier(metric="mahalanobis"), ValueError, "needs all data at once"),
        (LogisticRegression(), ValueError, "has no partial_fit and so needs all data at once"),
        (SGDRegressor(), TypeError, "must be a classifier"),
        ("l2", TypeError, "estimator='l2' must be a classifier"),
    ],
)
def test_what_cannot_be_streamed_is_refused(estimator, error, message, folder):
    with pytest.raises(error, match=message):
        fit_batches(estimator, open_folder(folder))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"checkpoint_every": 0}, ValueError, "checkpoint_every=0 must be at least 1."),
        ({"memory": 0.5}, TypeError, "memory=0.5 must be an int of at least 1."),
        ({"progress": 3}, TypeError, "progress=3 must be a bool, a function or None"),
        ({"checkpoint": "model.pkl"}, ValueError, r"path='model.pkl' must end in .skops"),
    ],
)
def test_errors_name_the_parameter(options, error, message, folder):
    with pytest.raises(error, match=message):
        fit_batches(SparseCenterClassifier(), open_folder(folder), **options)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (SparseCenterClassifier(7), "n_features_to_select=7 must lie between 1 and n_features=6"),
        (SparseCenterClassifier(7, metric="l1"), "n_features_to_select=7 must lie between 1 and"),
        (SparseCenterClassifier(priors=[0.5, 0.5]), "or 3 positive numbers, one a class"),
        (DisjointCentroidClassifier("margin", baseline_weight=-1), "baseline_weight=-1 must"),
    ],
)
def test_parameters_are_checked_before_any_row_is_read(estimator, message, folder, tmp_path):
    for path in folder.iterdir():
        damage(path)
    with pytest.raises(ValueError, match=message):
        fit_batches(
            estimator,
            open_folder(folder),
            classes=["a", "b", "c"],
            checkpoint=tmp_path / "model.skops",
        )
    assert not (tmp_path / "model.skops").exists()


def test_batches_must_be_batches(data):
    with pytest.raises(TypeError, match="batches=list must be what batches"):
        fit_batches(SparseCenterClassifier(), [data])


def test_source_without_rows_is_refused(tmp_path):
    X, y = sample(4)
    rows = open_folder(write_folder(tmp_path / "parts", X[:0], y[:0], cuts=()))
    for classes in (None, ["a", "b"]):
        with pytest.raises(ValueError, match="parts has no rows"):
            fit_batches(SparseCenterClassifier(), rows, classes=classes)


# ------------------------------------------------------------------ progress


def test_progress_counts_rows(folder):
    told = []
    fit_batches(
        SparseCenterClassifier(), open_folder(folder, 25), progress=lambda *a: told.append(a)
    )
    assert told == [(25, 60, "batch 1 of 3"), (50, 60, "batch 2 of 3"), (60, 60, "batch 3 of 3")]


def test_progress_counts_rows_once_for_each_pass(folder):
    told = []
    estimator = SparseCenterClassifier(metric="l1")
    memory = 2 * 60 * 8
    rows = open_folder(folder, 40)
    fit_batches(estimator, rows, memory=memory, progress=lambda *a: told.append(a))
    passes = [(40, "pass 1 of 3"), (60, "pass 1 of 3"), (100, "pass 2 of 3"), (120, "pass 2 of 3")]
    passes += [(160, "pass 3 of 3"), (180, "pass 3 of 3")]
    assert told == [(n_done, 180, what) for n_done, what in passes]


def test_progress_is_written_to_standard_error(folder, capsys):
    fit_batches(SparseCenterClassifier(), open_folder(folder, 40), progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert re.sub(" +", " ", err) == "\r40/60 rows: batch 1 of 2 \r60/60 rows: batch 2 of 2 \n"


# ------------------------------------------------------------------ checkpoints


class Stop(Exception):
    pass


def stop_after(n_calls):
    """Make a progress function that ends a fit as if it were interrupted."""
    calls = []

    def progress(*told):
        calls.append(told)
        if len(calls) == n_calls:
            raise Stop

    return progress


@pytest.mark.parametrize("name", STREAMED)
def test_resumed_fit_is_the_unbroken_one_to_the_bit(name, folder, tmp_path):
    rows = open_folder(folder)
    unbroken = fit_batches(STREAMED[name], rows)
    path = tmp_path / "model.skops"
    options = {"checkpoint": path, "checkpoint_every": 1}
    for n_batches in (2, 1, 3):
        with pytest.raises(Stop):
            fit_batches(STREAMED[name], rows, **options, progress=stop_after(n_batches))
    model = fit_batches(STREAMED[name], rows, **options)
    assert_same(model, unbroken)
    assert model.feature_names_in_.tolist() == unbroken.feature_names_in_.tolist()


def test_resumed_fit_by_columns_is_the_unbroken_one_to_the_bit(folder, tmp_path):
    rows = open_folder(folder, 30)
    for name, estimator in BY_COLUMNS.items():
        path = tmp_path / f"{name}.skops"
        options = {"checkpoint": path, "memory": 2 * 60 * 8}
        told = []
        for n_calls in (4, 2):  # in the second pass, and at the end of the second
            with pytest.raises(Stop):
                fit_batches(estimator, rows, **options, progress=stop_after(n_calls))
        model = fit_batches(estimator, rows, **options, progress=lambda *a, t=told: t.append(a[2]))
        assert told[0] == "pass 2 of 3"
        assert_same(model, fit_batches(estimator, rows, memory=2**20))


def test_finished_checkpoint_is_the_model_and_returned_at_once(folder, tmp_path):
    path = tmp_path / "model.skops"
    first = fit_batches(SparseCenterClassifier(2), open_folder(folder), checkpoint=path)
    told = []
    again = fit_batches(
        SparseCenterClassifier(2, n_jobs=2),
        open_folder(folder),
        checkpoint=path,
        progress=lambda *a: told.append(a),
    )
    assert told == []
    assert again.n_jobs == 2
    assert_same(first, again)
    assert_same(first, load_model(path))
    assert read_model_card(path).metadata["fit_batches"]["progress"] == [8, 60, True]
    assert load_model(path).feature_names_in_.tolist() == [f"g{j}" for j in range(6)]


def test_checkpoint_of_another_fit_says_what_differs(folder, tmp_path, data):
    path = tmp_path / "model.skops"
    with pytest.raises(Stop):
        fit_batches(
            SparseCenterClassifier(2), open_folder(folder),
            checkpoint=path, checkpoint_every=1, progress=stop_after(4),
        )  # fmt: skip

    def refused(message, estimator=None, rows=None, **options):
        with pytest.raises(ValueError, match=f"is of another fit: {message}"):
            fit_batches(
                estimator or SparseCenterClassifier(2),
                rows or open_folder(folder),
                checkpoint=path,
                **options,
            )

    refused("n_features_to_select was 2 and is 3", SparseCenterClassifier(3))
    refused("estimator was 'SparseCenterClassifier' and is 'GaussianNB'", GaussianNB())
    refused("batch_size was 8 and is 9", rows=open_folder(folder, 9))
    refused(r"classes was \['a', 'b', 'c'\] and is", classes=list("abcd"))
    refused("the names or types of the columns differ", rows=open_folder(folder).columns(0, 4))
    (folder / "part-1.parquet").rename(folder / "part-4.parquet")
    refused("files that are gone: 'part-1.parquet'; files that were not there: 'part-2.parquet'")
    (folder / "part-4.parquet").rename(folder / "part-1.parquet")
    table = pq.read_table(folder / "part-0.parquet")
    pq.write_table(table, folder / "part-0.parquet", compression="none", use_dictionary=False)
    refused(r"files that have changed: 'part-0.parquet' \(\d+ bytes, now \d+\)")


def test_model_file_that_is_no_checkpoint_is_not_overwritten(folder, tmp_path):
    path = tmp_path / "model.skops"
    save_model(SparseCenterClassifier(), path)
    content = path.read_bytes()
    with pytest.raises(ValueError, match="exists and is no checkpoint that can be resumed"):
        fit_batches(SparseCenterClassifier(), open_folder(folder), checkpoint=path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("state.json", b'{"counts": "schema.json"}', "'schema.json' is missing"),
        ("state.json", b'{"counts": "state/7.npy"}', "'state/7.npy' is missing"),
        ("state.json", b'{"counts": 3}', "the member 3 is missing"),
        ("state/0.npy", b"", "not in the format of NumPy"),
    ],
)
def test_checkpoint_with_forged_arrays_is_refused(name, content, message, folder, tmp_path):
    path, rows = tmp_path / "model.skops", open_folder(folder)
    options = {"checkpoint": path, "checkpoint_every": 1}
    with pytest.raises(Stop):
        fit_batches(SparseCenterClassifier(2), rows, **options, progress=stop_after(3))
    with path.open("rb") as stream:
        members = read_members(stream, 2**20)
    assert name in members
    path.write_bytes(pack_archive(members | {name: content}))
    with pytest.raises(ValueError, match=rf"model\.skops is no model file .*{message}"):
        fit_batches(SparseCenterClassifier(2), rows, **options)


@pytest.mark.parametrize(
    "forged",
    [
        {"files": 3},
        {"files": [3]},
        {"files": [["part-0.parquet", 10]]},
        {"files": [["part-0.parquet", 10, 7]]},
        {"files": [[["part-0.parquet"], 10, 7, 3, "ab"]]},
        {"files": [["part-0.parquet", 10, "7", 3, "ab"]]},
    ],
)
def test_checkpoint_whose_files_are_none_is_refused(forged, folder, tmp_path):
    path = tmp_path / "model.skops"
    model = fit_batches(SparseCenterClassifier(), open_folder(folder), checkpoint=path)
    facts = read_model_card(path).metadata["fit_batches"]
    save_model(model, path, metadata={"fit_batches": facts | forged}, force=True)
    with pytest.raises(ValueError, match="is no checkpoint that can be resumed"):
        fit_batches(SparseCenterClassifier(), open_folder(folder), checkpoint=path)


def test_estimator_that_a_model_file_may_not_hold_is_refused_before_any_work(folder, tmp_path):
    path = tmp_path / "model.skops"
    told = []
    rows = open_folder(folder)
    with pytest.raises(UntrustedTypeError, match=r"must be None for this .*: .*SGDClassifier"):
        fit_batches(SGDClassifier(), rows, checkpoint=path, progress=lambda *a: told.append(a))
    assert told == []
    assert not path.exists()


def test_fit_goes_on_after_a_damaged_file_was_repaired(tmp_path, data):
    X, y = np.tile(data[0], (10, 1)), np.tile(data[1], 10)
    folder = write_folder(tmp_path / "parts", X, y, cuts=(150, 300, 450), group=150)
    unbroken = fit_batches(SparseCenterClassifier(2), open_folder(folder, 50))
    good = (folder / "part-2.parquet").read_bytes()
    damage(folder / "part-2.parquet")
    path = tmp_path / "model.skops"
    options = {"classes": ["a", "b", "c"], "checkpoint": path, "checkpoint_every": 1}
    with pytest.raises(ValueError, match=r"Batch 6 of parts: parts/part-2\.parquet could not"):
        fit_batches(SparseCenterClassifier(2), open_folder(folder, 50), **options)
    assert read_model_card(path).metadata["fit_batches"]["progress"] == [6, 300, False]
    # Written anew it has another size, which does not matter: it was not read so far.
    table = pq.read_table(pa.BufferReader(good))
    pq.write_table(table, folder / "part-2.parquet", compression="zstd", row_group_size=40)
    assert (folder / "part-2.parquet").stat().st_size != len(good)
    told = []
    model = fit_batches(
        SparseCenterClassifier(2), open_folder(folder, 50), **options,
        progress=lambda *a: told.append(a[0]),
    )  # fmt: skip
    assert told[0] == 350
    assert_same(model, unbroken)


SAME_SIZE = {
    "csv": (lambda folder, X, y: write_text(folder / "t.csv", X, y), "t.csv"),
    "npz": (lambda folder, X, y: write_npz(folder / "t.npz", X, y), "t.npz"),
    "npy": (lambda folder, X, y: write_npy(folder / "arrays", X, y), "X.npy"),
    "h5ad": (lambda folder, X, y: write_h5ad(folder / "t.h5ad", X, y), "t.h5ad"),
    "parquet": (lambda folder, X, y: write_folder(folder / "p", X, y, cuts=()), "part-0.parquet"),
}


@pytest.mark.parametrize("is_finished", [False, True])
@pytest.mark.parametrize("name", SAME_SIZE)
def test_source_that_was_rewritten_at_the_same_size_is_noticed(name, is_finished, tmp_path):
    write, changed = SAME_SIZE[name]
    X, y = sample(60, 6)
    X[30, 2] = 1.2345678901234567
    source = write(tmp_path, X, y)
    path = tmp_path / "model.skops"
    options = {"checkpoint": path, "checkpoint_every": 1}

    def fit(**more):
        drop = ["sample"] if name == "parquet" else []
        rows = batches(source, target="kind", drop=drop, batch_size=10)
        return fit_batches(SparseCenterClassifier(2), rows, **options, **more)

    if is_finished:
        fit()
    else:
        with pytest.raises(Stop):
            fit(progress=stop_after(3))
    file = source / changed if source.is_dir() else source
    before = file.stat()
    data = file.read_bytes()
    old, new = X[30, 2].tobytes(), np.float64(7.0).tobytes()
    other = data.replace(old, new).replace(b"1.2345", b"7.2345")
    assert other != data
    for content, words in ((other, "other bytes"), (data, "written again, not all is compared")):
        file.write_bytes(content)
        message = f"is of another fit: files that have changed: '{changed}' \\({words}\\)"
        with pytest.raises(ValueError, match=message):
            fit()
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    fit()


def test_no_more_than_parts_of_a_large_file_are_read(tmp_path):
    path = tmp_path / "large"
    with open(path, "wb") as stream:
        stream.truncate(2**40)
    facts = FileFacts.of(path)
    assert (facts.name, facts.size, facts.n_rows) == ("large", 2**40, None)
    with open(path, "r+b") as stream:
        stream.seek(2**40 - 1)
        stream.write(b"x")
    assert FileFacts.of(path).digest != facts.digest


def test_checkpoint_is_written_every_ten_seconds(folder, tmp_path, monkeypatch):
    saved, clock = watch_progress(monkeypatch), [0.0]
    monkeypatch.setattr(checkpoints.time, "monotonic", lambda: clock[0])

    def tell(*told):
        clock[0] += 3.0

    path = tmp_path / "model.skops"
    fit_batches(SparseCenterClassifier(2), open_folder(folder), checkpoint=path, progress=tell)
    assert saved == [[0, 0, False], [4, 32, False], [8, 60, True]]


def test_a_full_disk_is_noticed(folder, tmp_path, monkeypatch):
    path, write_atomically = tmp_path / "model.skops", checkpoints.write_atomically

    def full_write(*given, **options):
        if path.exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        write_atomically(*given, **options)

    monkeypatch.setattr(checkpoints, "write_atomically", full_write)
    with pytest.raises(OSError, match="No space left"):
        fit_batches(
            SparseCenterClassifier(2), open_folder(folder), checkpoint=path, checkpoint_every=1
        )


@pytest.mark.parametrize("name", ["l2", "margin"])
def test_moments_are_solved_at_the_end_only(name, folder, tmp_path, monkeypatch):
    estimator, solved = STREAMED[name], []
    keep = type(estimator)._keep_moments

    def watched(model, features, classes, moments):
        solved.append(int(moments.counts.sum()))
        return keep(model, features, classes, moments)

    monkeypatch.setattr(type(estimator), "_keep_moments", watched)
    path = tmp_path / "model.skops"
    fit_batches(estimator, open_folder(folder), checkpoint=path, checkpoint_every=3)
    assert solved == [60]


def watch_progress(monkeypatch):
    """Return a list to which the progress of each checkpoint is added."""
    saved, write = [], checkpoints.Checkpoint.write

    def watched(checkpoint, model, progress, state=None):
        saved.append([*progress])
        write(checkpoint, model, progress, state)

    monkeypatch.setattr(checkpoints.Checkpoint, "write", watched)
    return saved


def test_checkpoint_every_counts_batches(folder, tmp_path, monkeypatch):
    saved = watch_progress(monkeypatch)
    path = tmp_path / "model.skops"
    rows = open_folder(folder)
    fit_batches(SparseCenterClassifier(), rows, checkpoint=path, checkpoint_every=3)
    assert saved == [[0, 0, False], [3, 24, False], [6, 48, False], [8, 60, True]]


def test_what_a_killed_run_left_half_written_is_removed(folder, tmp_path):
    path = tmp_path / "model.skops"
    left = tmp_path / f".model.skops.{'0' * 32}.part"
    other = tmp_path / f".model2.skops.{'0' * 32}.part"
    left.write_bytes(b"half")
    other.write_bytes(b"somebody else's")
    fit_batches(SparseCenterClassifier(), open_folder(folder), checkpoint=path)
    assert not left.exists()
    assert other.exists()


# ------------------------------------------------------------------ processes


KILLED = {
    "l2": SparseCenterClassifier(2, scale="std"),
    "online": OnlineFisherSubspaceClassifier(3),
    "l1": SparseCenterClassifier(2, metric="l1", scale="mad"),
}


@children.forks
@pytest.mark.parametrize("name", KILLED)
def test_killed_runs_end_with_the_same_model_to_the_bit(name, folder, tmp_path):
    fit = partial(fit_batches, KILLED[name])
    reading = {"drop": "sample", "batch_size": 5}
    options = {"checkpoint": tmp_path / "model.skops", "checkpoint_every": 1, "memory": 700}
    work = children.Work(fit, folder, reading, options)
    for moment in children.MOMENTS:
        assert children.die(work, *moment)
        assert list(tmp_path.glob(".*.part")) or "writing" not in moment
    told = []
    model = work(progress=lambda n_done, n_rows, what: told.append(n_done / n_rows))
    assert told[0] > 0.8  # it went on
    assert_same(model, fit(open_folder(folder, 5), memory=700))
    assert_same(model, load_model(tmp_path / "model.skops"))
    assert not list(tmp_path.glob(".*.part"))


def refusal_of(work):
    with pytest.raises(BlockingIOError) as refused:
        work()
    return str(refused.value)


@children.forks
def test_second_process_is_refused_and_the_first_is_undisturbed(folder, tmp_path):
    path = tmp_path / "model.skops"
    options = {"checkpoint": path, "checkpoint_every": 1}
    fit = partial(fit_batches, SparseCenterClassifier(2))
    work = children.Work(fit, folder, {"drop": "sample", "batch_size": 5}, options)
    half_written = tmp_path / f".model.skops.{'0' * 32}.part"
    refusals = []

    def interfere(n_rows_done, n_rows, what):
        if not refusals:
            half_written.write_bytes(b"of the first")
            refusals.append(children.call(refusal_of, work))
            assert half_written.read_bytes() == b"of the first"
            half_written.unlink()

    model = work(progress=interfere)
    assert "model.skops is being written by another process. Wait until it ends" in refusals[0]
    assert_same(model, fit(open_folder(folder, 5)))
    assert [each.name for each in tmp_path.glob(".*")] == []
    assert_same(children.call(work), model)


@children.forks
def test_killed_process_leaves_no_lock(folder, tmp_path):
    options = {"checkpoint": tmp_path / "model.skops", "checkpoint_every": 1}
    fit = partial(fit_batches, SparseCenterClassifier(2))
    work = children.Work(fit, folder, {"drop": "sample", "batch_size": 5}, options)
    assert children.die(work, 0.4, "telling")
    assert (tmp_path / ".model.skops.lock").exists()
    assert_same(work(), fit(open_folder(folder, 5)))
    assert not (tmp_path / ".model.skops.lock").exists()


MOST_MEGABYTES = 250  # beyond the libraries, as the user guide has it
PROMISED_MEGABYTES = 300  # with row groups of 64 MB, too


def megabytes_of_a_fit(source, small=None):
    """Fit the source in a process of its own; how many megabytes that took at most.

    A small source of the same kind is fitted before, as compiling loops takes memory, too.
    """
    fit = partial(fit_batches, SparseCenterClassifier(20, scale="std"))
    before = small and children.Work(fit, small, {}, {})
    return children.megabytes(children.Work(fit, source, {}, {}), before)


def write_long_folder(folder, n_features, n_megabytes=10, **writing):
    """Write files of some size, all of them the same one, narrow or wide, in one row group each."""
    n_rows = n_megabytes * 1_000_000 // (8 * n_features)
    values = np.random.default_rng(0).normal(size=(n_rows, n_features))
    columns = {name: values[:, j] for j, name in enumerate(names_of(values))}
    table = pa.table(columns | {"kind": np.arange(n_rows) % 3})
    pq.write_table(table, folder / "part-00000.parquet", **writing)
    for i in range(1, children.megabytes_of_data() // n_megabytes):
        os.link(folder / "part-00000.parquet", folder / f"part-{i:05}.parquet")


def write_long_h5ad(path, n_pieces, n_features=50_000, n_stored=50):
    """Write a CSR matrix with few values in a row; 20,000 rows, which are repeated, take 8 MB."""
    rng = np.random.default_rng(0)
    step = n_features // n_stored
    indices = rng.integers(0, step, (20_000, n_stored)) + step * np.arange(n_stored)
    values = rng.poisson(2.0, indices.shape) + 1.0
    n_rows = n_pieces * 20_000
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        group.attrs.update({"encoding-type": "csr_matrix", "shape": (n_rows, n_features)})
        group["indptr"] = np.arange(n_rows + 1) * n_stored
        for name, piece, kind in (("data", values, "f4"), ("indices", indices, "i4")):
            stored = group.create_dataset(name, (n_pieces * piece.size,), kind)
            for start in range(0, stored.size, piece.size):
                stored[start : start + piece.size] = piece.ravel()
        for name, length in (("obs", n_rows), ("var", n_features)):
            file[f"{name}/_index"] = np.arange(length).astype("S8")
            file[name].attrs.update({"_index": "_index", "column-order": []})
        file["obs"].attrs["column-order"] = ["kind"]
        file["obs/kind"] = np.arange(n_rows) % 3


@children.counts_memory
@pytest.mark.parametrize("n_features", [200, 2000])
def test_memory_does_not_grow_with_the_data(n_features, tmp_path):
    write_long_folder(tmp_path, n_features, use_dictionary=False)
    assert megabytes_of_a_fit(tmp_path) < MOST_MEGABYTES


@children.counts_memory
def test_memory_is_as_promised_with_files_as_pyarrow_writes_them(tmp_path):
    write_long_folder(tmp_path, n_features=200, n_megabytes=64)
    assert megabytes_of_a_fit(tmp_path) < PROMISED_MEGABYTES


@children.counts_memory
def test_memory_does_not_grow_with_a_row_group(tmp_path):
    n_rows = children.megabytes_of_data() * 10**6 // (8 * 20)
    columns = {f"gene{j}": np.random.default_rng(j).normal(size=n_rows) for j in range(20)}
    table = pa.table(columns | {"kind": np.arange(n_rows) % 3})
    pq.write_table(table, tmp_path / "all.parquet", row_group_size=n_rows, use_dictionary=False)
    assert megabytes_of_a_fit(tmp_path) < MOST_MEGABYTES


@children.counts_memory
def test_memory_does_not_grow_with_sparse_data(tmp_path):
    # A single batch would take 13 GB if it were made dense, all rows more than 100 GB.
    write_long_h5ad(tmp_path / "large.h5ad", children.megabytes_of_data() // 8)
    write_long_h5ad(tmp_path / "small.h5ad", 1)
    assert megabytes_of_a_fit(tmp_path / "large.h5ad", tmp_path / "small.h5ad") < MOST_MEGABYTES
