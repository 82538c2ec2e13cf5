import errno
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import centroidal.model_selection
import centroidal.streaming
from centroidal.cli.commands import select
from centroidal.persistence import load_model, read_model_card
from centroidal.streaming import batches
from centroidal.streaming import checkpoint as checkpoints

from ...l2 import select_features
from ..conftest import files, make_samples, run_alone, write_csv
from .test_select import rows_of

ASKED = ("--target", "tree", "--stream")
QUICK = (*ASKED, "--folds", "3", "--repeats", "1", "-k", "2")


@pytest.fixture
def parts(tmp_path):
    """A folder of two Parquet files with 90 trees."""
    folder = tmp_path / "parts"
    folder.mkdir()
    X, y = make_samples(n_samples=90)
    for i, rows in enumerate((slice(0, 50), slice(50, 90))):
        columns = {f"g{j}": X[rows, j] for j in range(X.shape[1])}
        pq.write_table(pa.table(columns | {"tree": y[rows]}), folder / f"part-{i}.parquet")
    return folder


def facts_of(found):
    """What was printed as JSON; the time it took is left out."""
    assert (found.code, found.err) == (0, "")
    facts = json.loads(found.out)
    facts["selection"].pop("seconds")
    return facts


# ------------------------------------------------------------------ the main job


def test_stream_then_predict_in_a_new_process_equals_the_python_api(run, parts, tmp_path):
    options = ("--checkpoint", "so_far.skops", "--model", "m.skops")
    facts = facts_of(run_alone("select", "parts", *ASKED, *options, "--json", "--quiet"))
    assert facts["written"] == ["m.skops"]

    selection = select_features(batches(parts, target="tree"), random_state=0)
    assert facts["selection"]["score"] == selection.score
    assert facts["selection"]["n_features_to_select"] == selection.n_features_to_select
    assert [each["feature"] for each in facts["selection"]["features"]] == (
        selection.selected_names.tolist()
    )

    X, y = make_samples(n_samples=20)
    write_csv(tmp_path / "new.csv", X, y)
    found = run("predict", "m.skops", "new.csv", "-o", "p.csv", "--json")
    assert found.code == 0
    predicted = [row["prediction"] for row in rows_of("p.csv")]
    frame = pd.DataFrame(X, columns=selection.feature_names)
    assert predicted == selection.model.predict(frame).tolist()
    assert predicted == load_model("so_far.skops").predict(frame).tolist()
    assert files(tmp_path) == ["m.skops", "new.csv", "p.csv", "parts", "so_far.skops"]


@pytest.mark.parametrize("method", ["l2", "l1"])
@pytest.mark.parametrize("groups", [(), ("--groups", "patient")], ids=["rows", "groups"])
def test_table_has_the_same_answer_with_stream_and_without(run, tmp_path, method, groups):
    X, y = make_samples(n_samples=90)
    patients = [f"p{i}" for i in np.random.default_rng(0).integers(0, 30, 90)]
    drop = () if groups else ("--drop", "patient")
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])])
    frame.assign(patient=patients, tree=y).to_csv(tmp_path / "t.csv", index=False)
    asked = (
        "select",
        "t.csv",
        "--target",
        "tree",
        "--method",
        method,
        *groups,
        *drop,
        "--json",
        "--quiet",
    )
    # Stand-ins are looked for in memory only.
    others = (("--stand-ins", "0"), ("--stream",))
    in_memory, in_batches = (facts_of(run(*asked, *more)) for more in others)
    one, other = in_memory["selection"], in_batches["selection"]
    assert one.keys() == other.keys()
    for each in (one, other):  # what ranks samples, and looks at each, is known in memory only
        known = ("suspicions", "stability", "has_mixed_groups", "checklist", "calls")
        for name in (*known, "answer_of_checklist"):
            each.pop(name)
        for name in ("metrics", "intervals"):
            # In memory, probabilities are calibrated as well.
            ranked = ("roc_auc", "average_precision", "log_loss", "brier_score")
            each[name] = {key: value for key, value in each[name].items() if key not in ranked}
        if groups:  # are resampled in memory, where it is known which samples are in each
            each["intervals"].pop("f1_macro")
            each["intervals"].pop("matthews_corrcoef")
    for name, value in one.items():
        assert_close(other[name], value)


def assert_close(first, second):
    """Equal up to rounding, in lists and dicts, too."""
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        first, second = list(first.values()), list(second.values())
    if isinstance(first, list):
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            assert_close(one, other)
    else:
        assert first == pytest.approx(second, rel=1e-10)


def test_result_is_shown_with_what_to_do_next(run, parts):
    found = run("select", parts, *QUICK, "--checkpoint", "c.skops")
    text = " ".join(found.out.split())
    assert found.code == 0
    assert "parts: 90 samples, 6 features, 3 classes of tree: ash (30), elm (30)" in text
    assert "2 of 6 features" in text
    assert "unseen samples of" in text
    assert "repeats)" not in text
    assert "keep the model: centroidal select" in text
    assert "centroidal compare" not in text
    assert "Written" not in text


def test_all_files_are_written(run, parts, tmp_path):
    outputs = ("--model", "m.skops", "--features", "f.csv", "--report", "r.html")
    facts = json.loads(run("select", parts, *QUICK, *outputs, "--json").out)
    assert facts["written"] == ["m.skops", "f.csv", "r.html"]
    assert facts["table"] == {
        "source": "parts", "digest": None, "target": "tree", "n_samples": 90, "n_features": 6,
        "remarks": [], "duplicates": None, "joined": None, "sheet": None,
    }  # fmt: skip
    assert facts["selection"]["stability"] is None
    assert facts["selection"]["n_repeats"] == 1
    metadata = read_model_card("m.skops").metadata
    assert metadata["score"] == facts["selection"]["score"]
    assert "digest" not in metadata
    assert list(rows_of("f.csv")[0]) == [
        "rank", "feature", "gain", "center_ash", "center_elm", "center_oak",
    ]  # fmt: skip
    assert "There is no picture of the samples" in (tmp_path / "r.html").read_text()
    assert files(tmp_path) == ["f.csv", "m.skops", "parts", "r.html"]


@pytest.mark.parametrize("name", ["trees.csv", "part-0.parquet"])
def test_files_can_be_streamed_as_well(run, parts, trees, name):
    path = trees if name == "trees.csv" else parts / name
    found = json.loads(run("select", path, *QUICK, "--json").out)
    options = {"n_features_to_select": 2, "cv": 3, "n_repeats": 1, "random_state": 0}
    expected = select_features(batches(path, target="tree"), **options)
    assert found["selection"]["confusion"] == expected.confusion.tolist()
    assert found["table"]["n_samples"] == expected.class_counts.sum()


def test_options_reach_the_selection(run, parts, monkeypatch):
    seen = {}

    def watched(rows, **options):
        seen.update(options, rows=rows)
        return select_features(rows, **options)

    monkeypatch.setattr(centroidal.model_selection, "select_features", watched)
    options = ("--method", "l1", "--rule", "best", "--scoring", "balanced_accuracy", "--jobs", "2")
    cut = ("--seed", "7", "--folds", "4", "--repeats", "2")
    found = run("select", parts, *ASKED, *options, *cut, "--drop", "g5")
    assert found.code == 0
    seen.pop("progress")
    rows = seen.pop("rows")
    assert rows.feature_names.tolist() == ["g0", "g1", "g2", "g3", "g4"]
    assert seen == {
        "method": "l1", "classifier": "auto", "n_features_to_select": "auto", "rule": "best",
        "scoring": "balanced_accuracy", "max_features": "auto", "cv": 4, "n_repeats": 2,
        "checkpoint": None, "n_jobs": 2, "random_state": 7, "costs": None, "class_weight": None,
        "include": None, "exclude": None, "per_class": None, "screen": None, "n_permutations": 0,
        "permute_within": None, "stop_after": None, "learning_curve": False,
    }  # fmt: skip


def test_streamed_models_can_be_shown_and_merged(run, parts):
    for i in (0, 1):
        path = parts / f"part-{i}.parquet"
        assert run("select", path, *QUICK, "--model", f"{i}.skops").code == 0
    shown = json.loads(run("show", "0.skops", "--json").out)
    assert shown["metadata"]["source"] == "part-0.parquet"
    assert len(shown["selected_features"]) == 2
    assert run("merge", "0.skops", "1.skops", "-o", "both.skops").code == 0
    assert run("select", parts, *QUICK, "--model", "all.skops").code == 0
    table = parts / "part-0.parquet"
    assert run("predict", "0.skops", table, "-o", "p.csv", "--no-call", "0.1").code == 0
    assert pd.read_csv("p.csv")["credible"].notna().sum() > 40  # of 50
    assert run("export", "0.skops", "-o", "0.onnx").code == 0
    merged, whole = load_model("both.skops"), load_model("all.skops").estimator_
    np.testing.assert_allclose(merged.centers_, whole.centers_, rtol=1e-12)


# ------------------------------------------------------------------ going on


def interrupt_after(n_calls, monkeypatch):
    """Let Ctrl-C be pressed after some batches; a checkpoint is written after each."""

    def interrupted(rows, *, progress, **options):
        calls = []

        def tell(*told):
            progress(*told)
            calls.append(told)
            if len(calls) == n_calls:
                raise KeyboardInterrupt

        return select_features(rows, progress=tell, checkpoint_every=1, **options)

    monkeypatch.setattr(centroidal.model_selection, "select_features", interrupted)


@pytest.fixture
def small_batches(monkeypatch):
    def in_tens(*args, **options):
        return batches(*args, **options, batch_size=10)

    monkeypatch.setattr(centroidal.streaming, "batches", in_tens)


@pytest.mark.parametrize("n_calls", [3, 14])
def test_an_interruption_leaves_the_checkpoint_and_says_how_to_go_on(
    run, parts, tmp_path, monkeypatch, small_batches, n_calls
):
    command = ("select", parts, *QUICK, "--json", "--quiet")
    unbroken = facts_of(run(*command))
    command += ("--checkpoint", "c.skops", "--model", "m.skops")
    with monkeypatch.context() as patched:
        interrupt_after(n_calls, patched)
        found = run(*command)
    assert (found.code, json.loads(found.out)["error"]["type"]) == (130, "KeyboardInterrupt")
    assert found.err == (
        "centroidal: select: interrupted; the same command resumes from c.skops, nothing else was "
        "written.\n"
    )
    assert files(tmp_path) == ["c.skops", "parts"]
    shown = json.loads(run("show", "c.skops", "--json").out)
    assert shown["metadata"]["select_features"]["progress"][0] == n_calls - 1
    resumed = facts_of(run(*command))
    assert resumed["selection"] == unbroken["selection"]
    assert resumed["written"] == ["m.skops"]


def test_an_interruption_without_a_checkpoint_leaves_nothing(run, parts, tmp_path, monkeypatch):
    interrupt_after(1, monkeypatch)
    found = run("select", parts, *QUICK, "--model", "m.skops")
    assert found.code == 130
    assert found.err.endswith("interrupted; nothing was written.\n")
    assert files(tmp_path) == ["parts"]


def test_checkpoint_of_another_question_is_refused_by_the_names_of_options(run, parts, tmp_path):
    assert run("select", parts, *QUICK, "--checkpoint", "c.skops").code == 0
    content = (tmp_path / "c.skops").read_bytes()
    for options, words in (
        (("--seed", "4"), "--checkpoint 'c.skops' is of another selection: --seed was 0 and is 4"),
        (("--folds", "4"), "--folds was 3 and is 4"),
        (("-k", "3", "--force"), "-k was 2 and is 3"),
        (("--rule", "best"), "rule was 'one_se' and is 'best'"),
    ):
        found = run("select", parts, *QUICK, *options, "--checkpoint", "c.skops")
        assert (found.code, found.out) == (2, "")
        assert words in found.err
    assert (tmp_path / "c.skops").read_bytes() == content


def test_a_checkpoint_that_cannot_be_written_fails(run, parts, tmp_path, monkeypatch):
    def full(*args, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(checkpoints, "write_atomically", full)
    found = run("select", parts, *QUICK, "--checkpoint", "c.skops")
    assert (found.code, found.out) == (1, "")
    assert "--checkpoint c.skops could not be written: No space left on device." in found.err
    assert files(tmp_path) == ["parts"]


# ------------------------------------------------------------------ wrong input


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--stream", "--impute", "median"), ("--impute", "--stream", "all samples in memory")),
        (("--stream", "--transpose"), ("--transpose", "--stream")),
        (("--stream", "--resamples", "50"), ("--resamples", "--stream")),
        (("--stream", "--compare", "--report", "r.html"), ("--compare", "--stream")),
        (("--stream", "--export-selected", "s.csv"), ("--export-selected", "--stream")),
        (("--stream", "--method", "best"), ("--stream knows --method l2 and l1", "best")),
        (("--stream", "--folds", "2"), ("--folds 2", "at least 3")),
        (("--stream", "-k", "7"), ("-k 7", "6 features")),
        (("--stream", "--layer", "counts"), ("layer",)),
        (("--stream", "--checkpoint", "c.zip"), ("--checkpoint c.zip", ".skops")),
        (("--stream", "--checkpoint", "no/c.skops"), ("--checkpoint", "no folder no")),
        (
            ("--stream", "--checkpoint", "c.skops", "--model", "c.skops"),
            ("--checkpoint c.skops is the same file as --model",),
        ),
        (("--checkpoint", "c.skops"), ("--checkpoint c.skops", "--stream")),
        ((), ("parts is a folder, not a file; --stream reads it",)),
    ],
    ids=lambda value: " ".join(value).replace("/", " ") if "--" in str(value[:1]) else "",
)
def test_what_cannot_be_had_together_is_named_and_nothing_is_written(
    run, parts, tmp_path, options, words
):
    found = run("select", parts, "--target", "tree", *options)
    assert (found.code, found.out) == (2, "")
    assert "Traceback" not in found.err
    assert [word for word in words if word not in found.err] == []
    assert files(tmp_path) == ["parts"]


def test_options_are_refused_before_any_work(run, tmp_path, monkeypatch):
    monkeypatch.setattr(select, "_select_stream", lambda *args: pytest.fail("it began"))
    found = run("select", "nowhere", "--target", "tree", "--stream", "--transpose")
    assert found.code == 2


def test_repeats_and_resamples_that_say_nothing_new_are_fine(run, parts):
    assert run("select", parts, *QUICK, "--repeats", "1", "--resamples", "0").code == 0


def test_a_folder_cannot_be_compared(run, parts):
    found = run("compare", parts, "--target", "tree")
    assert found.code == 2
    assert "parts is a folder, not a file; select --stream and predict read one" in found.err
    assert "compare reads a file of all samples." in found.err


def test_gaps_and_damage_are_named_with_the_batch(run, parts, tmp_path):
    path = parts / "part-1.parquet"
    table = pq.read_table(path)
    gaps = table.set_column(0, "g0", pa.array([None, *table["g0"].to_pylist()[1:]], pa.float64()))
    pq.write_table(gaps, path)
    found = run("select", parts, *QUICK, "--model", "m.skops")
    assert found.code == 2
    assert "Batch 0 of parts: parts/part-1.parquet: 1 value is missing" in found.err
    path.write_bytes(b"no Parquet")
    found = run("select", parts, *QUICK, "--model", "m.skops")
    assert found.code == 2
    assert "part-1.parquet" in found.err
    assert "Traceback" not in found.err
    assert files(tmp_path) == ["parts"]


def test_rare_classes_are_named(run, parts):
    path = parts / "part-1.parquet"
    table = pq.read_table(path)
    labels = ["rare", *table["tree"].to_pylist()[1:]]
    pq.write_table(table.set_column(6, "tree", pa.array(labels)), path)
    found = run("select", parts, *ASKED)
    assert found.code == 2
    assert "class 'rare' has 1 sample; at least 3 are needed" in found.err


def test_a_folder_of_tables_of_text_is_selected_from(run, tmp_path):
    X, y = make_samples()
    write_csv(tmp_path / "all.csv", X, y)
    (tmp_path / "texts").mkdir()
    write_csv(tmp_path / "texts" / "a.csv", X[:20], y[:20])
    write_csv(tmp_path / "texts" / "b.csv", X[20:], y[20:])
    found = [json.loads(run("select", name, "--json", *QUICK).out) for name in ("texts", "all.csv")]
    assert found[0]["selection"]["score"] == found[1]["selection"]["score"]
    assert found[0]["selection"]["features"] == found[1]["selection"]["features"]
