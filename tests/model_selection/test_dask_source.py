"""The main job on Dask collections: the answer of the same samples in memory, and in batches."""

import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import sparse

from centroidal.streaming import batches
from tests.streaming.test_batches import (
    add_column,
    write_csr_npz,
    write_h5ad,
    write_npy,
    write_zarr,
)

from ..l2 import select_features
from .test_stream_source import SEED, assert_same, assert_same_answer, make_data

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

pytestmark = pytest.mark.usefixtures("without_background")
NAMES = [f"g{j}" for j in range(9)]
READING = sys.modules["centroidal.streaming.batches"]  # the function has the same name


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def data():
    return make_data()


@pytest.fixture
def groups():
    return np.array([f"p{number}" for number in np.random.default_rng(1).integers(0, 40, 90)])


@pytest.fixture
def frame(data, groups):
    X, y = data
    return pd.DataFrame(X, columns=NAMES).assign(kind=y, patient=groups)


def blocks_of(values, cuts):
    return [dask.delayed(part) for part in np.split(values, cuts)]


def of_unknown_length(X, y, height):
    keep = da.ones(len(y), chunks=height) > 0
    return da.from_array(X, chunks=(height, 4))[keep], da.from_array(y, chunks=height)[keep]


# ------------------------------------------------------------------ one answer


ANSWERS = {
    "accuracy": {},
    "rounds of repeats": {"memory": 20_000, "cv": 3},
    "four features": {"n_features_to_select": 4, "cv": 2, "scoring": "f1_macro"},
    "log loss": {"scoring": "neg_log_loss", "cv": 3, "n_repeats": 2},
    "costs": {"class_weight": {"c": 3.0}, "cv": 3},
    "a feature that must be in": {"include": [1], "cv": 3},
}


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("name", ANSWERS)
def test_arrays_of_any_chunks_give_the_answer_of_samples_in_memory(name, form, data):
    asked, (X, y) = dict(ANSWERS[name]), data
    chunks = da.from_array(X, chunks=(16, 4) if form == "dense" else (16, 9))
    if form == "sparse":
        X = sparse.csr_array(X)
        chunks = chunks.map_blocks(sparse.csr_array, meta=sparse.csr_array((0, 0)))
    on_dask = select_features(chunks, da.from_array(y, chunks=33), **asked, random_state=SEED)
    asked.pop("memory", None)
    in_memory = select_features(X, y, **asked, random_state=SEED)
    if name == "costs":  # its model is another one around that with features
        assert on_dask.model.costs_.tolist() == in_memory.model.costs_.tolist()
        model = on_dask.model.estimator_
        on_dask, in_memory = replace(on_dask, model=model), replace(in_memory, model=model)
    assert_same_answer(in_memory, on_dask)


def test_data_frame_knows_labels_and_groups_by_the_names_of_their_columns(frame, groups):
    found = select_features(
        dd.from_pandas(frame, npartitions=4), "kind", groups="patient", random_state=SEED
    )
    expected = select_features(
        frame[NAMES], frame["kind"], groups=frame["patient"], random_state=SEED
    )
    assert_same_answer(expected, found)
    assert found.group_name == "patient"
    assert found.model.feature_names_in_.tolist() == NAMES
    assert found.intervals["accuracy"] == pytest.approx(expected.intervals["accuracy"])


def test_labels_may_be_a_series_of_dask(frame):
    table = dd.from_pandas(frame, npartitions=4)
    found = select_features(table[NAMES], table["kind"], random_state=SEED)
    assert_same_answer(select_features(frame[NAMES], frame["kind"], random_state=SEED), found)


def test_labels_in_parquet_files_of_a_few_rows_stay_with_their_rows(frame, tmp_path):
    for number, start in enumerate(range(0, 90, 9)):  # whose labels Dask reads together
        frame.iloc[start : start + 9].to_parquet(tmp_path / f"{number}.parquet")
    table = dd.read_parquet(tmp_path)
    found = select_features(table, "kind", groups="patient", cv=3, random_state=SEED)
    expected = select_features(
        frame[NAMES], frame["kind"], groups=frame["patient"], cv=3, random_state=SEED
    )
    assert_same_answer(expected, found)


def test_numbers_of_rows_may_be_unknown(data):
    found = select_features(*of_unknown_length(*data, 20), cv=3, random_state=SEED)
    assert_same_answer(select_features(*data, cv=3, random_state=SEED), found)


def test_same_chunks_give_the_same_to_the_bit(data):
    X, y = data
    runs = []
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler):
            X_blocks = da.from_array(X, chunks=(7, 9))
            runs.append(select_features(X_blocks, y, scoring="neg_log_loss", random_state=SEED))
    assert_same(*runs)


def test_rest_of_the_classes_may_be_without_samples(data):
    X, y = data
    with pytest.raises(ValueError, match="class 'd' has 0 samples"):
        select_features(blocks_of(X, [40]), y, classes=list("abcd"))
    with pytest.raises(ValueError, match="label 'c' is not among classes"):
        select_features(blocks_of(X, [40]), y, classes=list("ab"))


# ------------------------------------------------------------------ what reaches the client


def test_what_is_gathered_of_a_row_is_what_the_model_keeps(monkeypatch):
    compute, sizes = dask.compute, []

    def watch(*values, **options):
        found = compute(*values, **options)
        sizes[-1] += sum(map(_n_numbers, found))
        return found

    monkeypatch.setattr(dask, "compute", watch)
    for n_rows in (1000, 4000):
        X, y = make_data(n_rows)
        sizes.append(0)
        blocks = da.from_array(X, chunks=(n_rows // 4, 9))
        found = select_features(blocks, y, cv=3, n_repeats=1, random_state=SEED)
        assert (found.predicted, found.probabilities) == (None, None)
    assert sizes[1] - sizes[0] == 3000 * 3  # class, probability and outlyingness


def _n_numbers(value):
    if isinstance(value, np.ndarray):
        return value.size
    if hasattr(value, "__dict__"):
        value = list(vars(value).values())
    return sum(map(_n_numbers, value)) if isinstance(value, list | tuple) else 1


def test_progress_counts_rows_in_three_passes(data):
    told = []
    select_features(
        blocks_of(data[0], [30, 70]), data[1], cv=3, progress=lambda *step: told.append(step)
    )
    assert sorted(step[0] for step in told) == [step[0] for step in told]
    assert {step[1] for step in told} == {270}
    assert (told[0][2], told[-1]) == ("pass 1 of 3", (270, 270, "pass 3 of 3"))
    assert len(told) == 9


# ------------------------------------------------------------------ bad input


def test_block_with_a_value_that_is_not_finite_is_named(data):
    X, y = data
    X[50, 3] = np.inf
    with pytest.raises(ValueError, match="^Block 3 of X: .*infinity"):
        select_features(blocks_of(X, [10, 20, 45, 80]), y)


def test_block_that_cannot_be_read_is_named(data):
    def read(number):
        if number == 2:
            raise OSError("the disk is on fire")
        return data[0][number * 30 : number * 30 + 30]

    blocks = [dask.delayed(read)(number) for number in range(3)]
    with pytest.raises(OSError, match="^Block 2 of X: the disk is on fire$"):
        select_features(blocks, blocks_of(data[1], [30, 60]))


def test_block_with_other_rows_than_labels_is_named(data):
    X, y = data
    with pytest.raises(ValueError, match="^block 0 of X has 40 rows, and of y 45"):
        select_features(blocks_of(X, [40]), blocks_of(y, [45]))


def test_sparse_blocks_that_say_they_are_dense_are_refused(data):
    blocks = da.from_array(data[0], chunks=(30, 9)).map_blocks(
        sparse.csr_array, meta=np.empty((0, 0))
    )
    with pytest.raises(ValueError, match="it is sparse, and X says it is dense"):
        select_features(blocks, data[1])


def test_missing_labels_and_groups_are_refused(frame):
    table = frame.assign(kind=frame["kind"].where(frame.index != 5))
    with pytest.raises(ValueError, match="missing labels"):
        select_features(dd.from_pandas(table, npartitions=2), "kind", groups="patient")
    table = frame.assign(patient=frame["patient"].where(frame.index != 5))
    with pytest.raises(ValueError, match="groups has no value for 1 of"):
        select_features(dd.from_pandas(table, npartitions=2), "kind", groups="patient")


def test_columns_that_are_named_must_be_there(frame, data):
    table = dd.from_pandas(frame, npartitions=2)
    with pytest.raises(ValueError, match="groups='donor' must be a column of X"):
        select_features(table, "kind", groups="donor")
    with pytest.raises(TypeError, match="y='kind' names a column, and X is no Dask data frame"):
        select_features(da.from_array(data[0]), "kind")
    with pytest.raises(ValueError, match="y=None must hold the class of each sample, or name"):
        select_features(table)


REFUSED = {
    "method": "l1", "impute": "mean", "checkpoint": "c.skops", "n_jobs": 2,
    "n_resamples": 50, "distinct": 0.8, "scoring": "roc_auc",
    "classifier": "linear SVM",
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_all_samples_is_refused_by_name(name, data):
    with pytest.raises(ValueError, match=f"^{name}=.*"):
        select_features(da.from_array(data[0]), data[1], **{name: REFUSED[name]})


# ------------------------------------------------------------------ other labels, fewer samples


AGAIN = {
    "samples": {},
    "rounds": {"memory": 60_000},
    "log loss": {"scoring": "neg_log_loss", "n_permutations": 3},
    "costs": {"class_weight": "balanced", "n_permutations": 3},
    "a feature that must be in": {"include": [1], "n_permutations": 3},
    "four features": {"n_features_to_select": 4},
    "stopped": {"stop_after": 2, "n_permutations": 40, "memory": 60_000},
}


def assert_same_evidence(found, expected):
    for name in ("score", "p_value", "null_scores", "gains", "feature_p_values", "expected_false"):
        mine, other = (getattr(each.permutations, name) for each in (found, expected))
        np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-12, err_msg=name)
    assert found.permutations.permuted == expected.permutations.permuted
    if expected.learning_curve is not None:
        for name in ("n_samples", "scores"):
            mine, other = (getattr(each.learning_curve, name) for each in (found, expected))
            np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("name", AGAIN)
def test_permutations_and_learning_curve_are_those_in_memory(name, data):
    X, y = make_data(strength=0.3) if name == "stopped" else data
    asked = {"method": "l2", "cv": 3, "n_repeats": 1, "n_permutations": 7, "random_state": SEED}
    asked |= {"learning_curve": name in ("samples", "rounds", "four features")} | AGAIN[name]
    found = select_features(blocks_of(X, [7, 40]), y, **asked)
    asked.pop("memory", None)
    assert_same_evidence(found, select_features(X, y, **asked))


@pytest.mark.parametrize("kind", ["whole groups", "inside groups", "inside blocks", "sparse"])
def test_what_is_exchangeable_is_that_in_memory(kind, data, groups):
    X, y = data
    asked = {"method": "l2", "cv": 3, "n_repeats": 1, "n_permutations": 7, "random_state": SEED}
    if "groups" in kind:
        asked |= {"groups": groups, "learning_curve": True}
    if kind == "whole groups":
        y = np.array(["a", "b"])[[int(name[1:]) % 2 for name in groups]]
    if kind == "inside blocks":
        asked |= {"blocks": np.arange(90) % 2, "permute_within": "blocks"}
    chunks = da.from_array(X, chunks=(16, 9))
    if kind == "sparse":
        X = sparse.csr_array(X)
        chunks = chunks.map_blocks(sparse.csr_array, meta=sparse.csr_array((0, 0)))
    assert_same_evidence(select_features(chunks, y, **asked), select_features(X, y, **asked))


def test_permutations_that_share_passes_are_those_that_do_not_to_the_bit(data):
    asked = {"method": "l2", "cv": 3, "n_repeats": 1, "n_permutations": 5, "random_state": SEED}
    told = {2**28: [], 30_000: []}
    runs = [
        select_features(
            blocks_of(data[0], [30]), data[1], **asked, memory=memory,
            progress=lambda *step, each=each: each.append(step),
        ).permutations
        for memory, each in told.items()
    ]  # fmt: skip
    np.testing.assert_array_equal(*(each.null_scores for each in runs))
    np.testing.assert_array_equal(*(each.feature_p_values for each in runs))
    assert [each[-1][2] for each in told.values()] == ["pass 5 of 5", "pass 9 of 9"]


def test_permutations_bring_labels_and_no_rows(monkeypatch):
    compute, sizes = dask.compute, []

    def watch(*values, **options):
        found = compute(*values, **options)
        sizes[-1] += sum(map(_n_numbers, found))
        return found

    monkeypatch.setattr(dask, "compute", watch)
    asked = {"method": "l2", "cv": 3, "n_repeats": 1, "n_permutations": 5, "random_state": SEED}
    for n_rows in (1000, 4000):
        X, y = make_data(n_rows)
        sizes.append(0)
        select_features(da.from_array(X, chunks=(n_rows // 4, 9)), y, **asked)
    assert sizes[1] - sizes[0] == 3000 * (1 + 3)  # a label of each, and what the model keeps


def test_interrupted_permutations_count_as_far_as_they_are(data):
    def interrupt(n_done, n_rows, what):
        if n_done > 5 * 90:
            raise KeyboardInterrupt

    asked = {"method": "l2", "cv": 3, "n_repeats": 1, "n_permutations": 50, "random_state": SEED}
    found = select_features(
        blocks_of(data[0], [30]), data[1], **asked, memory=60_000, progress=interrupt
    )
    assert 0 < found.permutations.n_permutations < 50
    assert found.permutations.n_asked == 50


# ------------------------------------------------------------------ files that workers read


def write_parts(folder, frame, cuts=(20, 45, 70), height=9):
    """Write a data frame as some Parquet files, of row groups of so many rows."""
    folder.mkdir()
    for number, part in enumerate(np.split(np.arange(len(frame)), cuts)):
        frame.iloc[part].to_parquet(folder / f"{number}.parquet", row_group_size=height)
    return folder


@pytest.mark.parametrize("form", ["folder", "pattern", "URL", "URL of a pattern"])
def test_files_that_workers_read_give_the_answer_of_batches(form, frame, tmp_path, monkeypatch):
    folder = write_parts(tmp_path / "parts", frame)
    source = {
        "folder": folder, "pattern": f"{folder}/[0-9].parquet", "URL": f"file://{folder}",
        "URL of a pattern": f"file://{folder}/*.parquet",
    }[form]  # fmt: skip
    monkeypatch.setattr(READING, "_BLOCK_BYTES", 16 * 9 * 8)
    rows = batches(source, target="kind", groups="patient")
    assert rows.row_blocks()[:3] == [(0, 9), (9, 11), (20, 9)]
    options = {"cv": 3, "random_state": SEED}
    found = select_features(rows.on_workers(), **options)
    in_files = batches(folder, target="kind", groups="patient")
    assert_same_answer(select_features(in_files, **options), found)


def test_rows_that_are_preprocessed_on_workers_have_it_in_front_of_the_model(tmp_path):
    X, y = make_data()
    X = np.round(np.abs(10.0 * X))  # counts
    source = write_npy(tmp_path / "arrays", X, y)
    rows = batches(source, target="kind", preprocess="normalise,log1p")
    found = select_features(rows.on_workers(), cv=3, random_state=SEED)
    expected = select_features(rows, cv=3, random_state=SEED)
    counts = pd.DataFrame(X, columns=rows.feature_names)
    np.testing.assert_array_equal(found.model.predict(counts), expected.model.predict(counts))
    assert_same_answer(*(replace(each, model=each.model[-1]) for each in (expected, found)))


def test_site_that_is_left_out_is_preprocessed_once(tmp_path):
    X, y = make_data()
    source = write_npy(tmp_path / "arrays", np.round(np.abs(10.0 * X)), y)
    add_column(source, "site", np.array(["u", "v"])[np.arange(90) % 2])
    rows = batches(source, target="kind", blocks="site", preprocess="normalise,log1p")
    asked = {"cv": 3, "n_repeats": 1, "random_state": SEED}
    found, in_batches = (select_features(each, **asked) for each in (rows.on_workers(), rows))
    counts = np.round(np.abs(10.0 * X))
    expected = select_features(
        counts, y, blocks=np.arange(90) % 2, preprocess="normalise,log1p", **asked
    )
    for each in (found, in_batches):
        for mine, other in zip(each.blocks["rows"], expected.blocks["rows"], strict=True):
            np.testing.assert_array_equal(mine["confusion"], other["confusion"])


def test_large_row_groups_are_cut_and_small_ones_are_put_together(frame, tmp_path, monkeypatch):
    folder = write_parts(tmp_path / "parts", frame, cuts=(60, 64, 68), height=60)
    monkeypatch.setattr(READING, "_BLOCK_BYTES", 8 * 9 * 8)
    rows = batches(folder, target="kind", drop=["patient"])
    assert rows.row_blocks() == [(0, 60), (60, 8), (68, 22)]
    monkeypatch.setattr(READING, "_LARGEST_BLOCK", 2)
    assert rows.row_blocks() == [(0, 20), (20, 20), (40, 20), (60, 8), (68, 22)]
    np.testing.assert_array_equal(rows.read_rows(40, 20), frame[NAMES].to_numpy()[40:60])
    assert rows.read_labels(60, 8)[0].tolist() == frame["kind"][60:68].tolist()


def test_damaged_file_is_named(frame, tmp_path):
    folder = write_parts(tmp_path / "parts", frame)
    content = bytearray((folder / "2.parquet").read_bytes())
    content[100:600] = bytes(500)
    (folder / "2.parquet").write_bytes(content)
    rows = batches(folder, target="kind", drop=["patient"])
    with pytest.raises((ValueError, OSError), match="parts/2.parquet could not be read"):
        select_features(rows.on_workers())


@pytest.mark.parametrize("trouble", ["other columns", "no label", "a label is missing"])
def test_file_that_is_not_like_the_others_is_named(trouble, frame, tmp_path):
    folder = write_parts(tmp_path / "parts", frame.drop(columns="patient"))
    part = pd.read_parquet(folder / "2.parquet")
    broken, message = {
        "other columns": (part.rename(columns={"g3": "g33"}), "2.parquet.*'g3'.*'g33'"),
        "no label": (part.drop(columns="kind"), "2.parquet.*'kind'"),
        "a label is missing": (part.assign(kind=part["kind"].where(part.index != 50)),
                               "2.parquet: 1 of .* samples have no label in 'kind'"),
    }[trouble]  # fmt: skip
    broken.to_parquet(folder / "2.parquet")
    with pytest.raises(ValueError, match=message):
        select_features(batches(folder, target="kind").on_workers(), cv=3)


@pytest.mark.filterwarnings("ignore:The data type")
@pytest.mark.parametrize(
    ("version", "chunk", "message"),
    [(2, "0.0", "/X has the chunk 0.0 that is cut off"), (3, "c/0/0", "chunk 0 of /X .* is damag")],
)
@pytest.mark.parametrize("n_bytes", [1, 9, 500])
def test_damaged_chunk_of_zarr_is_named(version, chunk, message, n_bytes, tmp_path):
    path = write_zarr(tmp_path / "cells.zarr", *make_data(), version=version)
    (path / "X" / chunk).write_bytes((path / "X" / chunk).read_bytes()[:-n_bytes])
    with pytest.raises(ValueError, match=f"cells.zarr.*{message}"):
        select_features(batches(path, target="kind").on_workers(), cv=3)


def test_text_is_not_read_by_workers(frame, tmp_path):
    frame.to_csv(tmp_path / "table.csv", index=False)
    with pytest.raises(ValueError, match="table.csv is text, .* write it as Parquet"):
        batches(tmp_path / "table.csv", target="kind").on_workers()


def test_urls_that_lead_nowhere_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file or folder file://.*/nothing"):
        batches(f"file://{tmp_path}/nothing", target="kind")
    with pytest.raises(FileNotFoundError, match="has no .parquet files"):
        batches(f"file://{tmp_path}", target="kind")
    with pytest.raises(OSError, match="nosuch://x cannot be read: Protocol not known"):
        batches("nosuch://x", target="kind")


# ------------------------------------------------------------------ blocks that are left out


@pytest.mark.parametrize("asked", [{}, {"scoring": "neg_log_loss"}, {"class_weight": "balanced"}])
@pytest.mark.parametrize("is_grouped", [False, True], ids=["rows", "groups"])
def test_sites_that_are_left_out_score_as_in_memory(asked, is_grouped, data, groups):
    X, y = data
    numbers = np.array([int(name[1:]) for name in groups])
    sites = np.array(["u", "v", "w"])[numbers % 3]
    options = {"cv": 3, "n_repeats": 1, "random_state": SEED, "blocks": sites, **asked}
    options["groups"] = groups if is_grouped else None
    expected = select_features(X, y, **options).blocks
    found = select_features(da.from_array(X, chunks=(16, 9)), y, **options).blocks
    assert len(found["rows"]) == 3
    for mine, other in zip(found["rows"], expected["rows"], strict=True):
        np.testing.assert_array_equal(mine.pop("confusion"), other.pop("confusion"))
        assert (mine.pop("interval") is None) == ("loss" in asked.get("scoring", ""))
        del other["interval"]
        assert mine == pytest.approx(other, rel=1e-10, nan_ok=True)
    for name in ("score", "cramers_v"):
        assert found[name] == pytest.approx(expected[name], rel=1e-10)
    assert abs(found["p_value"] - expected["p_value"]) < 0.1  # which is found by drawing


def test_intervals_of_sites_are_those_in_memory(frame):
    frame["site"] = np.where(frame.index % 3 == 0, "here", "there")
    options = {"cv": 3, "n_repeats": 1, "random_state": SEED}
    rest = frame[[*NAMES]]
    expected = select_features(rest, frame["kind"], blocks=frame["site"], **options)
    table = dd.from_pandas(frame.drop(columns="patient"), npartitions=4)
    found = select_features(table, "kind", blocks="site", **options)
    assert found.block_name == "site"
    for mine, other in zip(found.blocks["rows"], expected.blocks["rows"], strict=True):
        assert mine["interval"] == pytest.approx(other["interval"], rel=1e-10)


def test_site_without_which_nothing_can_be_learned_says_so(data):
    X, y = data
    sites = np.where(y == "a", "u", np.where(np.arange(90) % 2, "v", "w"))
    found = select_features(blocks_of(X, [40]), y, blocks=sites, cv=3, random_state=SEED)
    troubles = [row["trouble"] for row in found.blocks["rows"]]
    assert troubles == ["the other blocks have none of its classes", None, None]
    with pytest.raises(ValueError, match="blocks holds one block"):
        select_features(blocks_of(X, [40]), y, blocks=np.repeat("u", 90))


@pytest.mark.parametrize("form", ["npy", "npz", "h5ad", "h5ad, CSR"])
def test_workers_are_sent_no_more_than_where_the_rows_are(form, tmp_path):
    cloudpickle = pytest.importorskip("cloudpickle")  # by which Dask sends what it is given
    X, y = make_data()
    write = {
        "npy": write_npy, "npz": write_csr_npz, "h5ad": write_h5ad,
        "h5ad, CSR": partial(write_h5ad, kind="csr"),
    }[form]  # fmt: skip
    if "h5ad" in form:
        pytest.importorskip("h5py")
    path = tmp_path / {"npy": "arrays", "npz": "table.npz"}.get(form, "table.h5ad")
    sent = cloudpickle.dumps(batches(write(path, X, y), target="kind").on_workers())
    assert len(sent) < X.nbytes // 2
    rows = cloudpickle.loads(sent)
    found = rows.read_rows(20, 30)
    np.testing.assert_array_equal(found.toarray() if sparse.issparse(found) else found, X[20:50])
    assert rows.read_labels(20, 30)[0].tolist() == y[20:50].tolist()
