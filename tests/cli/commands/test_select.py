import csv
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

import centroidal
from centroidal._plain import json_plain
from centroidal.cli.commands import demo
from centroidal.cli.commands.select import describe_methods
from centroidal.io import read_table
from centroidal.model_selection.methods import AUTO, BEST, DEFAULT, selection_methods
from centroidal.persistence import load_model, read_model_card, save_model

from ...l2 import select_features
from ..conftest import QUICK, files, make_samples, run_alone, write_csv


def select(run, *args):
    """Select as a program would: the result as JSON."""
    found = run("select", *QUICK, *args, "--json")
    assert found.code == 0, found.err
    return json.loads(found.out)


def rows_of(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


# ------------------------------------------------------------------ sparse tables


def test_sparse_tables_stay_sparse(run, tmp_path, monkeypatch):
    X, y = make_samples()
    X = sparse.csr_array(np.where(abs(X) < 1.0, 0.0, X))
    dump_svmlight_file(X, np.searchsorted(np.unique(y), y), "t.svmlight", zero_based=False)
    given = []

    def watched(X, y, **options):
        given.append(X)
        return select_features(X, y, **options)

    monkeypatch.setattr("centroidal.model_selection.select_features", watched)
    found = select(run, "t.svmlight", "--target", "y", "--export-selected", "s.csv")
    assert sparse.issparse(given[0])
    assert found["selection"]["classes"] == [0, 1, 2]
    selected = [row["feature"] for row in found["selection"]["features"]]
    table = read_table("s.csv", target="y")
    columns = [int(name[1:]) - 1 for name in selected]
    np.testing.assert_array_equal(table.X, X.toarray()[:, columns])


# ------------------------------------------------------------------ what comes out


def test_select_then_predict_in_a_new_process_equals_the_python_api(run, tmp_path):
    X, y = make_samples()
    write_csv(tmp_path / "old.csv", X, y, ids=[f"tree {i}" for i in range(len(y))])
    new = X + 0.3 * np.sin(X)
    write_csv(tmp_path / "new.csv", new[:, ::-1], y, names=[f"g{j}" for j in range(6)][::-1])
    (tmp_path / "new.csv").write_text(
        "\n".join(line.rpartition(",")[0] for line in (tmp_path / "new.csv").read_text().split())
    )
    options = ("--target", "tree", "--id", "sample", "--model", "m.skops")
    select(run, "old.csv", *options)
    found = run_alone("predict", "m.skops", "new.csv", "-o", "p.csv")
    assert (found.code, found.err) == (0, "Predicting ...\n")

    here = select_features(X, y, n_features_to_select=2, cv=3, n_repeats=1, random_state=0)
    expected = here.model.predict_proba(new)
    rows = rows_of("p.csv")
    assert [row["prediction"] for row in rows] == here.model.predict(new).tolist()
    for j, label in enumerate(here.classes):
        found = [float(row[f"probability_{label}"]) for row in rows]
        np.testing.assert_allclose(found, expected[:, j], rtol=1e-12)  # BLAS, row by row or not


def test_values_of_method_are_described():
    assert list(describe_methods()) == [AUTO, *selection_methods(), BEST]
    assert DEFAULT in describe_methods()


@pytest.mark.parametrize("method", describe_methods())
def test_the_selected_columns_are_enough_to_predict(run, trees, method):
    if method == "encoder":
        pytest.importorskip("torch")
    options = ("--method", method, "--repeats", "1", "--folds", "3", "-k", "3")
    outputs = ("--model", "m.skops", "--export-selected", "s.csv")
    assert run("select", trees.name, "--target", "tree", *options, *outputs).code == 0
    found = run("predict", "m.skops", "s.csv", "-o", "few.csv")
    assert found.code == 0, found.err
    assert "3 features of training are missing that the model does not read" in found.err
    assert run("predict", "m.skops", trees.name, "-o", "all.csv").code == 0
    assert Path("few.csv").read_text() == Path("all.csv").read_text()


def test_result_is_shown_with_data_answer_features_and_confusion(run, trees):
    found = run("select", trees.name, "--target", "tree", *QUICK)
    assert found.code == 0
    here = select_features(
        *make_samples(), n_features_to_select=2, cv=3, n_repeats=1, random_state=0
    )
    lines = " ".join(found.out.split())
    assert (
        "trees.csv: 36 samples, 6 features, 3 classes of tree: ash (12), elm (12), oak (12)."
        in lines
    )
    assert here.summary() in lines
    assert "rank feature gain ash elm oak" in lines
    assert "unseen samples of as ash as elm as oak recall" in lines
    assert "--model model.skops" in lines
    assert "Selecting features" in found.err
    assert "Selecting" not in found.out


def test_at_most_twenty_features_are_shown(run, tmp_path):
    X, y = make_samples(n_features=30)
    write_csv(tmp_path / "wide.csv", X, y)
    found = run("select", "wide.csv", "--target", "tree", "--repeats", "1", "-k", "25")
    assert "   20  " in found.out
    assert "   21  " not in found.out
    assert "… and 5 more" in found.out


def test_names_from_the_table_are_not_obeyed(run, tmp_path):
    X, y = make_samples()
    names = ["[red]a[/red]", "b\x1b[31m", "[link=x]", ":smile:", "e", "f"]
    write_csv(tmp_path / "t.csv", X, y, names=names)
    found = run("select", "t.csv", "--target", "tree", "--repeats", "1", "-k", "6")
    assert found.code == 0
    assert all(name in found.out for name in ("[red]a[/red]", "b\\x1b[31m", "[link=x]", ":smile:"))
    assert "\x1b" not in found.out + found.err


def test_json_has_what_a_selection_says_as_a_dict(run, trees):
    found = select(run, trees.name, "--target", "tree")["selection"]
    table = read_table(trees.name, target="tree")
    here = select_features(
        table.X, table.y, n_features_to_select=2, cv=3, n_repeats=1, random_state=0,
        n_stand_ins=3, feature_names=table.feature_names,
    )  # fmt: skip
    assert found == json_plain(here.to_dict(), finite=True) | {"seconds": found["seconds"]}


def test_json_is_one_object_and_nothing_else(run, trees):
    found = run("select", trees.name, "--target", "tree", *QUICK, "--json", "--quiet")
    facts = json.loads(found.out)
    assert found.err == ""
    assert facts["table"]["source"] == "trees.csv"
    assert facts["table"]["n_features"] == 6
    assert facts["selection"]["n_features_to_select"] == 2
    assert facts["selection"]["stability"] is None
    assert facts["written"] == []


def test_metrics_are_shown_and_printed_with_their_intervals(run, trees):
    asked = ("select", trees.name, "--target", "tree", "--scoring", "neg_log_loss", *QUICK)
    found = json.loads(run(*asked, "--json", "--quiet").out)["selection"]
    assert found["scoring"] == "neg_log_loss"
    assert found["score"] < 0.0 < found["metrics"]["log_loss"]
    assert found["metrics"].keys() == found["intervals"].keys()
    assert len(found["metrics"]) == 8
    assert found["costs"] is None
    shown = run(*asked, "--quiet").out
    assert f"log loss {-found['score']:.3f}" in shown
    for words in ("metric", "95 % interval", "area under the ROC curve", "Brier score"):
        assert words in shown


def test_costs_come_from_a_file_or_by_class(run, trees, tmp_path):
    (tmp_path / "c.csv").write_text(",ash,elm,oak\nash,0,1,1\nelm,9,0,9\noak,1,1,0\n")
    (tmp_path / "c.json").write_text("[[0, 1, 1], [9, 0, 9], [1, 1, 0]]")
    asked = ("select", trees.name, "--target", "tree", *QUICK, "--quiet")
    ways = (["--costs", "c.csv"], ["--costs", "c.json"], ["--class-weight", "elm=9"])
    found = [json.loads(run(*asked, *way, "--json").out)["selection"] for way in ways]
    for each in found:
        assert each["costs"] == [[0, 1, 1], [9, 0, 9], [1, 1, 0]]
        assert each["metrics"] == found[0]["metrics"]
        assert "least expected cost" in each["answer"]
    shown = run(*asked, "--class-weight", "balanced", "--scoring", "neg_cost", "--model", "m.skops")
    assert "mean cost" in shown.out
    told = run("evaluate", "m.skops", trees.name, "--target", "tree")
    assert "the model file promised" in " ".join(told.out.split())
    assert "mean cost of a prediction" in told.out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (",ash,elm\nash,0,1\nelm,1,0\n", "must be a number for true class"),
        (",ash,elm,oak\nash,0,1\n", "must be JSON, or a table with true classes"),
        (",ash,elm,oak\nash,0,x,1\n", "must be JSON, or a table with true classes"),
        (",ash,elm,yew\nash,0,1,1\n", "unknown class 'yew'"),
        (None, "--costs c.csv could not be read"),
    ],
)
def test_costs_that_make_no_sense_are_refused(run, trees, tmp_path, text, words):
    if text is not None:
        (tmp_path / "c.csv").write_text(text)
    found = run("select", trees.name, "--target", "tree", "--costs", "c.csv")
    assert found.code == 2
    assert words in " ".join(found.err.split())


def test_a_class_weight_that_is_no_number_is_refused(run, trees):
    found = run("select", trees.name, "--target", "tree", "--class-weight", "ash")
    assert found.code == 2
    assert "--class-weight ash must be balanced, or CLASS=N" in found.err


def test_a_comparison_by_probabilities_is_refused(run, trees):
    options = ("--scoring", "roc_auc", "--compare", "--report", "r.html")
    found = run("select", trees.name, "--target", "tree", *options)
    assert found.code == 2
    assert "--compare knows --scoring accuracy, balanced_accuracy" in found.err


def test_all_files_are_written(run, trees, tmp_path):
    options = {
        "--report": "r.html",
        "--model": "m.skops",
        "--features": "f.csv",
        "--export-selected": "s.parquet",
    }
    asked = [each for pair in options.items() for each in pair]
    facts = select(run, trees.name, "--target", "tree", "--resamples", "4", *asked)
    assert files(tmp_path) == sorted([*options.values(), "trees.csv"])
    assert sorted(facts["written"]) == sorted(options.values())
    selected = [row["feature"] for row in facts["selection"]["features"]]

    rows = rows_of("f.csv")
    assert list(rows[0]) == [
        "rank", "feature", "gain", "frequency", "stand_ins", "center_ash", "center_elm",
        "center_oak",
    ]  # fmt: skip
    assert [row["feature"] for row in rows] == selected
    assert [float(row["gain"]) for row in rows] == [
        row["gain"] for row in facts["selection"]["features"]
    ]
    table = pyarrow.parquet.read_table("s.parquet")
    assert table.column_names == ["tree", *selected]
    card = read_model_card("m.skops")
    assert card.metadata["digest"] == read_table("trees.csv", target="tree").digest
    assert card.metadata["target"] == "tree"
    assert card.metadata["method"] == "l2"
    assert card.metadata["seed"] == 0
    assert card.metadata["score"] == facts["selection"]["score"]
    assert card.metadata["selected_features"] == selected
    assert load_model("m.skops").n_features_in_ == 6
    assert "<html" in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), 0),
        (("--report", "r.html"), 50),
        (("--features", "f.csv"), 50),
        (("--report", "r.html", "--resamples", "0"), 0),
        (("--resamples", "6"), 6),
    ],
)
def test_number_of_resamples(run, trees, monkeypatch, options, expected):
    asked = []

    def stop(X, y, **options):
        asked.append(options["n_resamples"])
        raise ValueError("enough.")

    monkeypatch.setattr("centroidal.model_selection.select_features", stop)
    assert run("select", trees.name, "--target", "tree", *options).code == 2
    assert asked == [expected]


def test_selected_columns_are_exported_with_ids_and_labels(run, tmp_path):
    X, y = make_samples()
    ids = [f"tree {i}" for i in range(len(y))]
    write_csv(tmp_path / "t.csv", X, y, names=["id", *"bcdef"], ids=ids)
    select(run, "t.csv", "--target", "tree", "--id", "sample", "--export-selected", "s.csv")
    rows = rows_of("s.csv")
    first, label, *names = rows[0]
    assert (first, label) == ("sample_id" if "id" in names else "id", "tree")
    assert [row[first] for row in rows] == ids
    assert [row["tree"] for row in rows] == y.tolist()
    place = ["id", *"bcdef"].index(names[0])
    assert [float(row[names[0]]) for row in rows] == X[:, place].tolist()


def test_gaps_are_filled_by_medians_or_left_out(run, tmp_path):
    X, y = make_samples()
    X[0, 0] = X[5, 0] = np.nan
    path = write_csv(tmp_path / "t.csv", X, y)
    path.write_text(path.read_text().replace("nan", ""))
    asked = ("--target", "tree", "-k", "3")  # which are g0, g1 and g2
    filled = select(run, "t.csv", *asked, "--impute", "median", "--model", "m.skops")
    assert filled["selection"]["impute"] == "median"
    assert filled["table"]["n_features"] == 6
    left = select(run, "t.csv", "--target", "tree", "--impute", "drop-features")
    assert left["table"]["n_features"] == 5
    found = run("predict", "m.skops", "t.csv", "-o", "p.csv")
    assert found.code == 0
    assert "2 values are missing, in 1 feature; the model fills them in." in found.err


def test_dropped_columns_are_not_used(run, trees):
    facts = select(run, trees.name, "--target", "tree", "--drop", "g0", "--drop", "g1")
    assert facts["table"]["n_features"] == 4


def test_seed_decides(run, trees):
    facts = [
        select(run, trees.name, "--target", "tree", "--seed", seed)["selection"]
        for seed in (3, 3, 4)
    ]
    assert facts[0] | {"seconds": 0} == facts[1] | {"seconds": 0}
    assert facts[0]["random_score"] != facts[2]["random_score"]


def test_force_overwrites(run, trees, tmp_path):
    (tmp_path / "f.csv").write_text("old")
    select(
        run, trees.name, "--target", "tree", "--features", "f.csv", "--resamples", "0", "--force"
    )
    assert len(rows_of("f.csv")) == 2


# ------------------------------------------------------------------ what is refused


def no_file(folder, X, y):
    assert files(folder) == []


def plain_table(folder, X, y):
    write_csv(folder / "t.csv", X, y)


def text_table(folder, X, y):
    write_csv(folder / "t.csv", X, y, ids=["s"] * len(y))


def gaps(folder, X, y):
    X[3, 2] = np.nan
    plain_table(folder, X, y)


def twice_named(folder, X, y):
    write_csv(folder / "t.csv", X, y, names=["a", "a", *"cdef"])


def single_class(folder, X, y):
    plain_table(folder, X, np.full_like(y, "ash"))


def single_sample(folder, X, y):
    plain_table(folder, X, ["fir", *y[1:]])


def empty(folder, X, y):
    (folder / "t.csv").write_text("")


def with_output(folder, X, y):
    plain_table(folder, X, y)
    (folder / "there.csv").write_text("old")


T = ("--target", "tree")
BAD = {
    "no such file": (no_file, T, ("no file t.csv",)),
    "no such target": (plain_table, ("--target", "trees"), ("'trees'", "Did you mean 'tree'")),
    "text": (text_table, T, ("not numeric", "'sample'", "--drop")),
    "gaps": (gaps, T, ("1 value is missing", "'g2'", "--impute")),
    "names twice": (twice_named, T, ("'a' occurs more than once",)),
    "one class": (single_class, T, ("--target holds one class", "'ash'")),
    "one sample": (single_sample, T, ("class 'fir' has 1 sample;",)),
    "empty": (empty, T, ("empty",)),
    "k too large": (plain_table, (*T, "-k", "7"), ("-k 7", "between 1 and the 6 features")),
    "many folds": (plain_table, (*T, "--folds", "13"), ("--folds 13", "at most 12")),
    "drop": (plain_table, (*T, "--drop", "g9"), ("'g9'",)),
    "layer": (plain_table, (*T, "--layer", "x"), ("layer",)),
    "id": (plain_table, (*T, "--id", "nr"), ("'nr'",)),
    "output there": (with_output, (*T, "--features", "there.csv"), ("there.csv exists", "--force")),
    "no folder": (plain_table, (*T, "--model", "no/m.skops"), ("no folder no",)),
    "suffix": (plain_table, (*T, "--report", "r.pdf"), ("--report r.pdf", ".html")),
    "same output": (
        plain_table,
        (*T, "--features", "a.csv", "--export-selected", "a.csv"),
        ("--export-selected a.csv is the same file as --features",),
    ),
    "input": (plain_table, (*T, "--features", "t.csv", "--force"), ("same file as the input",)),
    "compare": (plain_table, (*T, "--compare"), ("--compare", "--report")),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named_and_nothing_is_written(run, tmp_path, name):
    prepare, options, words = BAD[name]
    prepare(tmp_path, *make_samples())
    before = files(tmp_path)
    named = ("--export-selected", "selected.csv") if "--export-selected" not in options else ()
    found = run("select", "t.csv", *options, *named)
    assert (found.code, found.out) == (2, "")
    assert "Traceback" not in found.err
    assert [word for word in words if word not in found.err] == []
    assert files(tmp_path) == before


def test_bad_input_in_a_process_of_its_own(trees):
    found = run_alone("select", trees.name, "--target", "trees")
    assert (found.code, found.out) == (2, "")
    assert found.err.endswith(
        "centroidal: select: trees.csv has no column 'trees'. Did you mean 'tree'?\n"
    )


def test_duplicate_ids_are_remarked_on(run, tmp_path):
    X, y = make_samples()
    write_csv(tmp_path / "t.csv", X, y, ids=["same"] * len(y))
    options = ("select", "t.csv", "--target", "tree", "--id", "sample", *QUICK)
    found = run(*options, "--groups", "none")
    assert found.code == 0
    assert "Note: 1 duplicate sample id, kept: 'same'." in found.err
    found = run(*options)
    assert found.code == 2
    assert "groups holds one group" in found.err


def test_a_failure_in_the_middle_is_a_bug_and_shows_where(run, trees, monkeypatch):
    def fail(X, y, *, progress, **options):
        progress("fold", 1, 2)
        raise ValueError("shapes do not fit")

    monkeypatch.setattr("centroidal.model_selection.select_features", fail)
    with pytest.raises(ValueError, match="shapes"):
        run("select", trees.name, "--target", "tree")


@pytest.mark.parametrize(
    ("option", "path", "package"),
    [
        ("--model", "m.skops", "skops.io"),
        ("--report", "r.html", "altair"),
        ("--export-selected", "s.parquet", "pyarrow"),
    ],
)
def test_a_missing_package_is_named_before_any_work(run, trees, monkeypatch, option, path, package):
    monkeypatch.setitem(sys.modules, package, None)
    found = run("select", trees.name, "--target", "tree", option, path)
    assert (found.code, found.out) == (1, "")
    assert f"needs {package}: pip install 'centroidal[" in found.err
    assert "Reading" not in found.err


def test_json_does_without_rich(run, trees, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    found = run("select", trees.name, "--target", "tree", *QUICK)
    assert (found.code, found.out) == (1, "")
    assert "pip install 'centroidal[cli]'" in found.err
    assert select(run, trees.name, "--target", "tree")["selection"]["seed"] == 0


def test_an_output_that_cannot_be_written_is_named(run, trees, tmp_path, monkeypatch):
    def fail(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("centroidal.cli.commands.select.write_columns", fail)
    options = ("--model", "m.skops", "--features", "f.csv", "--resamples", "0")
    found = run("select", trees.name, "--target", "tree", *QUICK, *options)
    assert found.code == 1
    assert "accuracy" in found.out  # what was found is not lost
    assert "Written: m.skops\n" in found.out
    assert "--features f.csv could not be written: No space left" in found.err
    assert "written: m.skops." in found.err
    assert files(tmp_path) == ["m.skops", "trees.csv"]


# ------------------------------------------------------------------ interruption


def test_an_interruption_leaves_nothing_behind(tmp_path):
    X, y = make_samples(n_samples=120, n_features=200)
    write_csv(tmp_path / "t.csv", X, y)
    options = ["--target", "tree", "--method", "relief", "--repeats", "500", "--model", "m.skops"]
    command = [sys.executable, "-m", "centroidal.cli", "select", "t.csv", *options]
    with open("err", "w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        deadline = time.monotonic() + 60
        while "Selecting features" not in (tmp_path / "err").read_text():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    said = (tmp_path / "err").read_text()
    assert (process.returncode, out) == (130, "")
    assert said.endswith("centroidal: select: interrupted; nothing was written.\n")
    assert "Traceback" not in said
    assert files(tmp_path) == ["err", "t.csv"]


def test_an_interruption_in_generated_code_ends_with_the_same_code(trees, tmp_path):
    (tmp_path / "interrupted.py").write_text(
        "import sys\n"
        "import centroidal.model_selection\n"
        "from centroidal.cli.main import main\n"
        "def select_features(*args, **options):\n"
        "    exec('raise KeyboardInterrupt')\n"
        "centroidal.model_selection.select_features = select_features\n"
        "sys.exit(main(['select', sys.argv[1], '--target', 'tree']))\n"
    )
    command = [sys.executable, "-m", "interrupted", str(trees)]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr.endswith("centroidal: select: interrupted; nothing was written.\n")


def test_an_interruption_of_a_compiler_ends_the_next_step(run, trees, monkeypatch):
    done = []

    def compile_and_go_on(*args, progress, **options):
        code = "def compile(): interrupt(); done.append('compiled')"
        compiler = {
            "__name__": "numba.core.compiler",
            "interrupt": lambda: os.kill(os.getpid(), signal.SIGINT),
            "done": done,
        }
        exec(code, compiler)
        compiler["compile"]()
        progress("first", 1, 2)
        raise AssertionError("it went on")

    monkeypatch.setattr(centroidal.model_selection, "select_features", compile_and_go_on)
    found = run("select", trees, "--target", "tree")
    assert (found.code, found.out, done) == (130, "", ["compiled"])
    assert found.err.endswith("interrupted; nothing was written.\n")


def test_an_interruption_that_is_lost_ends_the_next_step(run, trees, monkeypatch):
    def select_features(*args, progress, **options):
        with suppress(KeyboardInterrupt):  # as a callback of compiled code does
            os.kill(os.getpid(), signal.SIGINT)
        progress("first", 1, 2)
        raise AssertionError("it went on")

    monkeypatch.setattr(centroidal.model_selection, "select_features", select_features)
    before = signal.getsignal(signal.SIGINT)
    found = run("select", trees, "--target", "tree")
    assert (found.code, found.out) == (130, "")
    assert found.err.endswith("interrupted; nothing was written.\n")
    assert signal.getsignal(signal.SIGINT) is before


# ------------------------------------------------------------------ demo


def test_demo_says_question_answer_and_what_to_do(run, tmp_path):
    found = run("demo")
    text = " ".join(found.out.split())
    assert found.code == 0
    assert "Which few genes tell the types apart?" in text
    assert "on unseen samples" in text
    assert "centroidal select TABLE.csv --target COLUMN" in text
    assert files(tmp_path) == []


def test_demo_writes_a_report_if_asked(run, tmp_path, monkeypatch):
    X, y = make_samples()
    small = select_features(X, y, n_features_to_select=2, cv=3, n_repeats=1, random_state=0)
    monkeypatch.setattr(demo, "select_samples", lambda *args, **options: small)
    found = run("demo", "--report", "r.html", "--json")
    assert json.loads(found.out)["written"] == ["r.html"]
    assert run("demo", "--report", "r.html").code == 2


def test_max_bytes_says_how_much_memory_a_stream_may_ask_for(run):
    X, y = make_samples()
    np.savez("trees.npz", X=X, y=y)
    arguments = ("select", "trees.npz", "--target", "y", "--stream")
    found = run(*arguments, "--max-bytes", "1000")
    assert found.code == 2
    assert "Raise max_bytes (--max-bytes) if you trust it." in found.err
    assert run(*arguments, "--max-bytes", "1000000").code == 0


@pytest.mark.parametrize("command", ["select", "compare", "predict"])
def test_max_bytes_says_how_much_memory_a_file_may_ask_for(run, command):
    X, y = make_samples()
    np.savez_compressed("trees.npz", X=X, y=y)
    save_model(centroidal.SparseCenterClassifier(2).fit(X, y), "m.skops")
    arguments = {
        "select": ("trees.npz", "--target", "y"),
        "compare": ("trees.npz", "--target", "y"),
        "predict": ("m.skops", "trees.npz", "-o", "p.csv"),
    }
    found = run(command, *arguments[command], "--max-bytes", "1000")
    assert found.code == 2
    assert "Raise max_bytes (--max-bytes) if you trust it." in found.err


# ------------------------------------------------------------------ groups


@pytest.fixture
def patients(tmp_path):
    """Three samples of each of 20 patients, noise that repeats, and a label a patient."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(20), 3)
    X = rng.normal(size=(20, 60))[who] + 0.2 * rng.normal(size=(60, 60))
    labels = np.array(["ill", "well"])[np.arange(20) % 2][who]
    header = ["patient", *(f"g{j}" for j in range(60)), "state"]
    rows = [
        [f"p{p}", *map(str, row.round(4)), label]
        for p, row, label in zip(who, X, labels, strict=True)
    ]
    path = tmp_path / "patients.csv"
    path.write_text("\n".join(map(",".join, [header, *rows])) + "\n")
    return path


def test_groups_of_a_column_stay_together_and_are_no_feature(run, patients):
    found = select(run, patients, "--target", "state", "--groups", "patient")
    assert found["selection"]["n_groups"] == 20
    assert found["selection"]["score"] < 0.75
    assert found["table"]["n_features"] == 60
    table = read_table(patients, target="state", annotations=["patient"])
    expected = select_features(
        table.X, table.y, groups=table.annotations["patient"], n_features_to_select=2, cv=3,
        n_repeats=1, random_state=0,
    )  # fmt: skip
    assert found["selection"]["score"] == expected.score


def test_repeated_ids_are_groups_unless_said_otherwise(run, patients):
    by_id = ("--target", "state", "--id", "patient")
    named = select(run, patients, "--target", "state", "--groups", "patient")["selection"]
    for more in ((), ("--groups", "patient")):
        assert select(run, patients, *by_id, *more)["selection"]["score"] == named["score"]
    alone = select(run, patients, *by_id, "--groups", "none")["selection"]
    assert (alone["n_groups"], named["n_groups"]) == (None, 20)
    note = " ".join(run("select", patients, *by_id, *QUICK).err.split())
    assert "Samples of one id stay together in all folds; --groups none" in note


def test_next_commands_and_the_card_know_the_groups(run, patients):
    options = ("--target", "state", "--groups", "patient", "--model", "m.skops")
    found = run("select", patients, *options, *QUICK)
    assert "--groups patient" in " ".join(found.out.split())
    assert read_model_card("m.skops").metadata["n_groups"] == 20


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--groups", "patien"), "has no column 'patien'. Did you mean 'patient'?"),
        (("--groups", "state"), "'state' is asked for twice"),
        (("--groups", "patien", "--stream"), "has no column 'patien'. Did you mean 'patient'?"),
        (("--groups", "patient", "--stream", "--folds", "11"), "--folds 11 must be at most 10"),
        (("--groups", "patient", "--folds", "11"), "--folds 11 must be at most 10, the number of"),
    ],
)
def test_groups_that_cannot_be_are_said_in_words(run, patients, options, words):
    found = run("select", patients, "--target", "state", *options)
    assert found.code == 2
    assert words in " ".join(found.err.split())


def test_missing_group_is_refused_before_any_work(run, patients):
    text = patients.read_text().replace("\np3,", "\n,", 1)
    patients.write_text(text)
    found = run("select", patients, "--target", "state", "--groups", "patient")
    assert found.code == 2
    assert "groups has no value for 1 of 60 samples" in " ".join(found.err.split())


def test_groups_of_a_stream_stay_together(run, patients):
    options = ("--target", "state", "--stream", "--groups", "patient")
    found = select(run, patients, *options)
    assert found["selection"]["n_groups"] == 20
    assert found["selection"]["score"] < 0.75
    assert found["table"]["n_features"] == 60
    by_id = select(run, patients, *options, "--id", "patient")["selection"]
    assert by_id["score"] == found["selection"]["score"]
    options = ("--target", "state", "--stream", "--id", "patient", "--groups", "none")
    assert select(run, patients, *options)["selection"]["n_groups"] is None


def test_samples_of_one_patient_are_warned_of_without_groups(run, patients):
    options = ("--target", "state", "--drop", "patient")
    found = run("select", patients, *options, *QUICK, "--report", "r.html")
    assert "Warning: 60 samples are near copies of others" in " ".join(found.err.split())
    assert "(60 near copies): give groups" in " ".join(found.out.split())
    assert "<strong>Near copies of samples.</strong>" in Path("r.html").read_text()
    (suspicion,) = select(run, patients, *options)["selection"]["suspicions"]
    assert (suspicion["kind"], suspicion["n_samples"]) == ("near_copies", 60)
    grouped = ("--target", "state", "--groups", "patient")
    assert select(run, patients, *grouped)["selection"]["suspicions"] == []


# ------------------------------------------------------------------ can it be believed


def test_audit_permutes_labels_of_patients_and_judges(run, patients):
    options = ("--target", "state", "--groups", "patient", "--audit", "--permutations", "9")
    found = select(run, patients, *options, "--features", "f.csv")["selection"]
    assert found["permutations"]["permuted"] == "groups"
    assert len(found["permutations"]["null_scores"]) == 9
    assert found["p_value"] == found["permutations"]["p_value"]
    assert found["learning_curve"]["n_samples"][-1] == 60
    questions = [each["question"] for each in found["checklist"]]
    assert questions[0] == "Is the score more than chance?"
    assert questions[-1] == "Are there enough samples?"
    assert {"p_value", "expected_false"} <= rows_of("f.csv")[0].keys()
    shown = run("select", patients, *options, *QUICK, "--report", "r.html")
    assert "Are the features more than luck?" in " ".join(shown.out.split())
    assert "Can I believe it?" in Path("r.html").read_text()


def test_audit_of_a_stream_is_that_in_memory(run, patients):
    options = ("--target", "state", "--groups", "patient", "--audit", "--permutations", "5")
    options += ("--method", "l2")
    found, expected = (
        select(run, patients, *options, *way)["selection"] for way in (("--stream",), ())
    )
    assert found["permutations"]["null_scores"] == expected["permutations"]["null_scores"]
    assert found["p_value"] == expected["p_value"]
    assert found["learning_curve"] == expected["learning_curve"]
    words = {each["question"]: each["reason"] for each in found["checklist"]}
    assert words["Are test samples really new?"] == "Samples in batches were not looked at."


def test_permutations_stop_early_and_stay_inside_blocks(run, patients):
    text = patients.read_text().splitlines()
    rows = [f"{line},{'NS'[number // 6 % 2]}" for number, line in enumerate(text[1:])]
    patients.write_text("\n".join([f"{text[0]},site", *rows]) + "\n")
    found = select(
        run, patients, "--target", "state", "--groups", "patient", "--blocks", "site",
        "--permutations", "40", "--permute-within", "blocks", "--stop-after", "2",
    )["selection"]["permutations"]  # fmt: skip
    assert found["permuted"] == "groups, within blocks"
    assert found["n_permutations"] < 40


def test_blocks_of_a_stream_are_left_out_as_in_memory(run, patients):
    text = patients.read_text().splitlines()
    rows = [f"{line},{'NS'[number // 6 % 2]}" for number, line in enumerate(text[1:])]
    patients.write_text("\n".join([f"{text[0]},site", *rows]) + "\n")
    options = ("--target", "state", "--groups", "patient", "--blocks", "site", "--method", "l2")
    options += ("--permutations", "3", "--permute-within", "blocks")
    found, expected = (
        select(run, patients, *options, *way)["selection"] for way in (("--stream",), ())
    )
    assert found["block_name"] == "site"
    for mine, other in zip(found["blocks"]["rows"], expected["blocks"]["rows"], strict=True):
        assert mine.pop("interval") == pytest.approx(other.pop("interval"), rel=1e-10)
        assert mine == other
    assert found["permutations"]["null_scores"] == expected["permutations"]["null_scores"]


def test_early_stop_needs_permutations(run, patients):
    found = run("select", patients, "--target", "state", "--groups", "patient", "--stop-after", "5")
    assert found.code == 2
    assert "--stop-after 5 needs --permutations 1 or more." in found.err


def test_permutations_within_blocks_need_blocks(run, patients):
    options = ("--target", "state", "--groups", "patient", "--permutations", "5")
    found = run("select", patients, *options, "--permute-within", "blocks")
    assert found.code == 2
    assert "--permute-within 'blocks' needs blocks" in found.err


# ------------------------------------------------------------------ blocks


def test_blocks_of_a_column_are_left_out_whole(run, patients):
    text = patients.read_text().splitlines()
    rows = [f"{line},{'NS'[number // 6 % 2]}" for number, line in enumerate(text[1:])]
    patients.write_text("\n".join([f"{text[0]},site", *rows]) + "\n")
    options = ("--target", "state", "--groups", "patient", "--blocks", "site")
    found = select(run, patients, *options)
    assert found["table"]["n_features"] == 60
    blocks = found["selection"]["blocks"]
    assert [row["block"] for row in blocks["rows"]] == ["N", "S"]
    assert found["selection"]["answer_in_blocks"].startswith("Of blocks left out whole: accuracy")
    shown = run("select", patients, *options, *QUICK, "--report", "r.html")
    assert "Of blocks left out whole" in " ".join(shown.out.split())
    assert "--groups patient --drop site" in " ".join(shown.out.split())
    assert "Blocks left out whole." in Path("r.html").read_text()


def test_blocks_that_are_the_classes_are_refused(run, patients):
    text = patients.read_text().replace("state", "state,site")
    patients.write_text(text.replace(",ill", ",ill,N").replace(",well", ",well,S"))
    found = run("select", patients, "--target", "state", "--groups", "patient", "--blocks", "site")
    assert found.code == 2
    error = " ".join(found.err.split())
    assert "blocks: none can be left out. Without N, the other blocks have one class." in error


# ------------------------------------------------------------------ sheets of samples


@pytest.fixture
def genes(tmp_path, patients):
    """The patients with genes in rows, and a sheet in another order that says who they are."""
    header, *rows = (line.split(",") for line in patients.read_text().splitlines())
    ids = [f"s{number}" for number in range(len(rows))]
    table = [["gene", *ids]]
    table += [list(cells) for cells in zip(*(row[1:-1] for row in (header, *rows)), strict=True)]
    (tmp_path / "genes.tsv").write_text("\n".join(map("\t".join, table)) + "\n")
    sheet = [[name, row[0], "30", row[-1]] for name, row in zip(ids, rows, strict=True)]
    sheet = [["sample", "patient", "age", "state"], *reversed(sheet)]
    (tmp_path / "sheet.csv").write_text("\n".join(map(",".join, sheet)) + "\n")
    return ("genes.tsv", "--transpose", "--samples", "sheet.csv", "--target", "state")


def test_a_sheet_gives_the_same_as_columns_of_the_table(run, patients, genes):
    found = select(run, *genes, "--groups", "patient")
    expected = select(run, patients, "--target", "state", "--groups", "patient")
    for name in ("score", "n_groups", "features", "confusion"):
        assert found["selection"][name] == expected["selection"][name]
    assert found["table"]["n_features"] == 60
    assert found["table"]["sheet"]["columns"] == ["state", "patient"]
    assert expected["table"]["sheet"] is None


def test_next_commands_keep_the_options_of_the_sheet_and_run(run, genes):
    options = (*genes, "--groups", "patient", "--sample-id", "sample", "--allow-unmatched")
    found = run("select", *options, "--model", "m.skops", *QUICK)
    assert found.code == 0, found.err
    shown = " ".join(found.out.split())
    assert "centroidal predict m.skops NEW.csv -o predictions.csv --transpose" in shown
    again = (
        "compare genes.tsv --target state --transpose --samples sheet.csv --sample-id sample "
        "--allow-unmatched --groups patient"
    )
    assert f"centroidal {again}" in shown
    assert run(*again.split(), "--repeats", "1", "--folds", "2").code == 0
    predicted = run("predict", "m.skops", "genes.tsv", "-o", "predictions.csv", "--transpose")
    assert predicted.code == 0, predicted.err
    assert len(rows_of("predictions.csv")) == 60
    evaluated = run("evaluate", "m.skops", *genes, "--groups", "patient", "--json")
    assert evaluated.code == 0, evaluated.err
    assert json.loads(evaluated.out)["n_groups"] == 20


def test_the_model_file_and_the_report_remember_the_sheet(run, genes):
    files = ("--model", "m.skops", "--report", "r.html", "--resamples", "0")
    assert run("select", *genes, "--groups", "patient", *files, *QUICK).code == 0
    report = Path("r.html").read_text()
    for fact in ("Sheet of samples", "sheet.csv", "Columns of the sheet", "state, patient"):
        assert fact in report
    metadata = read_model_card("m.skops").metadata
    sheet = metadata["sheet"]
    assert metadata["target"] == "state"
    assert (sheet["source"], sheet["sample_id"]) == ("sheet.csv", "sample")
    assert sheet["columns"] == ["state", "patient"]
    assert run("show", "m.skops").code == 0


def test_ids_that_do_not_match_are_refused_unless_allowed(run, genes):
    sheet = Path("sheet.csv")
    sheet.write_text(sheet.read_text().replace("s7,", "S7,"))
    found = run("select", *genes, "--model", "m.skops", *QUICK)
    assert found.code == 2
    error = " ".join(found.err.split())
    assert "1 sample has no row in sheet.csv: 's7'. 1 row of sheet.csv has no sample" in error
    assert "(--allow-unmatched)" in error
    assert not Path("m.skops").exists()
    found = run("select", *genes, "--allow-unmatched", *QUICK)
    assert found.code == 0
    assert "1 sample has no row in sheet.csv: 's7'; left out." in " ".join(found.err.split())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--sample-id", "Sample"), "sheet.csv has no column 'Sample'. Did you mean 'sample'?"),
        (("--groups", "patien"), "nor has sheet.csv such a column. Did you mean 'patient'?"),
        (("--features", "sheet.csv", "--force"), "--features sheet.csv is the same file as the"),
    ],
)
def test_wrong_options_of_a_sheet_are_said_in_words(run, genes, options, words):
    found = run("select", *genes, *options)
    assert found.code == 2
    assert words in " ".join(found.err.split())


def test_genes_that_occur_twice_are_made_one_and_the_model_remembers(run, genes):
    path = Path("genes.tsv")
    lines = path.read_text().replace("\ng1\t", "\ng0\t").splitlines()
    rows = [line.split("\t") for line in lines]
    described = [[row[0], "words" if number else "Description", *row[1:]]
                 for number, row in enumerate(rows)]  # fmt: skip
    path.write_text("\n".join(map("\t".join, described)) + "\n")
    found = run("select", *genes, "--drop", "Description", "--model", "m.skops", *QUICK)
    assert found.code == 2
    assert "'g0' occurs more than once" in found.err
    assert "(--duplicates mean)" in found.err
    assert not Path("m.skops").exists()
    asked = (*genes, "--drop", "Description", "--duplicates", "max", "--model", "m.skops")
    found = run("select", *asked, *QUICK)
    assert found.code == 0, found.err
    assert "1 name occurs more than once, in 2 features; of each the max is taken" in found.err
    assert "--duplicates max" in " ".join(found.out.split())
    metadata = read_model_card("m.skops").metadata
    assert (metadata["duplicates"], metadata["left_out"]) == ("max", ["Description"])
    predicted = run("predict", "m.skops", "genes.tsv", "-o", "p.csv", "--transpose")
    assert predicted.code == 0, predicted.err
    assert "Left out, as in training: 'Description'." in predicted.err
    assert run("evaluate", "m.skops", *genes).code == 0
    by_mean = ("evaluate", "m.skops", *genes, "--duplicates", "refuse")
    assert "'g0' occurs more than once" in run(*by_mean).err


def test_predict_knows_ids_groups_and_blocks_of_training(run, patients):
    rows = [line.split(",") for line in patients.read_text().splitlines()]
    for number, row in enumerate(rows):
        row[-3:-1] = [f"c{number % 12}", "NSW"[number % 3]] if number else ["clinic", "site"]
    patients.write_text("\n".join(map(",".join, rows)) + "\n")
    asked = ("--target", "state", "--id", "patient", "--groups", "clinic", "--blocks", "site")
    found = run("select", patients, *asked, "--model", "m.skops", *QUICK)
    assert found.code == 0, found.err
    assert read_model_card("m.skops").metadata["left_out"] == ["clinic", "site"]
    found = run("predict", "m.skops", patients, "-o", "p.csv")
    assert found.code == 0, found.err
    assert rows_of("p.csv")[0]["id"] == "p0"
    assert run("evaluate", "m.skops", patients, "--target", "state").code == 0


def test_options_of_a_sheet_are_not_for_streams_and_need_a_sheet(run, patients):
    found = run("select", patients, "--target", "state", "--duplicates", "mean", "--stream")
    assert "--duplicates is for all samples in memory" in " ".join(found.err.split())
    found = run("select", patients, "--target", "state", "--samples", "sheet.csv", "--stream")
    assert "--samples is for all samples in memory" in " ".join(found.err.split())
    found = run("select", patients, "--target", "state", "--sample-id", "sample")
    assert "is for a sheet; name it with samples (--samples SHEET)" in " ".join(found.err.split())


# ------------------------------------------------------------------ preprocessing


def test_rows_are_preprocessed_as_the_library_does(run, tmp_path):
    X, y = make_samples()
    write_csv(tmp_path / "table.csv", X, y)
    options = ("--target", "tree", "--preprocess", "snv,norm")
    same = {"cv": 3, "n_repeats": 1, "random_state": 0}
    found = select(run, tmp_path / "table.csv", *options)["selection"]
    expected = select_features(X, y, preprocess="snv,norm", n_features_to_select=2, **same)
    assert (found["score"], found["preprocess"]) == (expected.score, "snv,norm")


@pytest.fixture
def counts(tmp_path):
    rng = np.random.default_rng(4)
    y = rng.choice(["oak", "elm"], size=60)
    rates = np.where((y == "oak")[:, None] & (np.arange(6) == 1), 9.0, 2.0)
    X = rng.poisson(rates * rng.uniform(0.5, 4.0, size=(60, 1)))
    write_csv(tmp_path / "counts.csv", X, y)
    return X, y


@pytest.mark.parametrize("streams", [(), ("--stream",)])
def test_counts_are_normalised_and_logged_as_the_library_does(run, counts, streams):
    options = ("--target", "tree", "--normalise", "100", "--log1p", *streams)
    found = select(run, "counts.csv", *options)["selection"]
    same = {"cv": 3, "n_repeats": 1, "n_features_to_select": 2, "random_state": 0}
    expected = select_features(*counts, preprocess="normalise=100,log1p", **same)
    assert (found["score"], found["preprocess"]) == (expected.score, "normalise=100,log1p")


def test_model_of_normalised_counts_takes_counts_and_needs_all_features(run, counts, tmp_path):
    options = ("--target", "tree", "--normalise", "1e4", "--log1p", "--model", "m.skops")
    select(run, "counts.csv", *options, "--stream")
    assert read_model_card("m.skops").metadata["preprocess"] == "normalise=10000,log1p"
    assert run("predict", "m.skops", "counts.csv", "-o", "p.csv").code == 0
    found = [row["prediction"] for row in rows_of("p.csv")]
    model = load_model("m.skops")
    names = model.feature_names_in_
    assert found == model.predict(pd.DataFrame(counts[0], columns=names)).tolist()
    write_csv(tmp_path / "fewer.csv", counts[0][:, :5], counts[1])
    found = run("predict", "m.skops", "fewer.csv", "-o", "q.csv")
    assert (found.code, "fewer.csv lacks 1 feature of training: " in found.err) == (2, True)


def test_negative_counts_are_refused_in_words(run, counts, tmp_path):
    write_csv(tmp_path / "n.csv", counts[0] - 1, counts[1])
    found = run("select", "n.csv", "--target", "tree", "--normalise", "1e4")
    assert (found.code, "normalise is for counts, and X holds -1" in found.err) == (2, True)


@pytest.mark.parametrize("total", ["0", "-3", "inf", "many"])
def test_total_of_counts_must_be_above_zero(run, total):
    found = run("select", "t.csv", "--target", "tree", f"--normalise={total}")
    assert (found.code, f"'{total}' must be a number above 0, such as 1e4" in found.err) == (
        2,
        True,
    )


@pytest.fixture
def cells(counts, tmp_path):
    anndata = pytest.importorskip("anndata")
    X, y = counts
    obs = pd.DataFrame({"tree": pd.Categorical(y)}, index=[f"s{i}" for i in range(60)])
    var = pd.DataFrame(index=[f"gene{j}" for j in range(6)])
    anndata.AnnData(X.astype(np.float32), obs=obs, var=var).write_h5ad(tmp_path / "cells.h5ad")
    return anndata


@pytest.mark.parametrize("streams", [(), ("--stream",)])
def test_selection_is_written_to_a_copy_of_the_file(run, cells, streams):
    options = ("--target", "tree", "--normalise", "1e4", "--log1p", *streams)
    found = select(run, "cells.h5ad", *options, "--write-back", "answer.h5ad")
    assert found["written"] == ["answer.h5ad"]
    adata = cells.read_h5ad("answer.h5ad")
    names = [row["feature"] for row in found["selection"]["features"]]
    assert set(adata.var.index[adata.var["centroidal_selected"]]) == set(names)
    assert set(adata.uns["rank_genes_groups"]["names"]["oak"]) == set(names)
    assert ("centroidal_held_out" in adata.obs) == (not streams)
    assert "centroidal_prediction" not in cells.read_h5ad("cells.h5ad").obs


def test_selection_is_written_in_place_if_no_file_is_named(run, cells):
    options = ("--target", "tree", "--no-call", "0.3", "--write-back")
    assert select(run, "cells.h5ad", *options)["written"] == ["cells.h5ad"]
    obs = cells.read_h5ad("cells.h5ad").obs
    assert set(obs["centroidal_credible"]) <= {"elm", "oak", "elm; oak", "none"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("t.csv", "--write-back"), "--write-back is for .h5ad files, not for t.csv"),
        (("t.h5ad", "--write-back", "u.csv"), "--write-back u.csv must end in .h5ad"),
        (("t.h5ad", "--no-call", "0.1"), "--no-call is for --write-back"),
        (
            ("t.h5ad", "--write-back", "--impute", "median"),
            "--write-back writes to the file as it is, so not with --impute",
        ),
        (
            ("t.h5ad", "--write-back", "--stream", "--no-call", "0.1"),
            "--no-call is for all samples in memory",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_written_back_is_refused_before_any_work(run, arguments, message):
    found = run("select", *arguments, "--target", "tree")
    assert (found.code, message in found.err) == (2, True)


def test_unknown_preprocessing_is_refused(run, tmp_path):
    found = run("select", tmp_path / "t.csv", "--target", "tree", "--preprocess", "snv,log")
    assert found.code == 2
    assert (
        "'log' must be among log1p, snv, savgol, norm, normalise, separated by commas" in found.err
    )


# ------------------------------------------------------------------ panels and stand-ins


def test_panel_of_the_command_is_that_of_the_library(run, trees):
    wished = ("--include", "g5", "--exclude", "g0", "--distinct", "0.99")
    facts = json.loads(
        run("select", trees.name, "--target", "tree", *wished, *QUICK, "--json", "--quiet").out
    )
    assert facts["selection"]["features"][0]["feature"] == "g5"
    assert facts["selection"]["panel"] == {"include": ["g5"], "exclude": ["g0"], "distinct": 0.99}


def test_names_come_from_a_file_as_well(run, trees, tmp_path):
    (tmp_path / "out.txt").write_text("g0\n\ng1\n")
    asked = ("select", trees.name, "--target", "tree", "--exclude", "@out.txt", *QUICK)
    facts = json.loads(run(*asked, "--json", "--quiet").out)
    assert facts["selection"]["panel"] == {"exclude": ["g0", "g1"]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("costs.csv", "feature,cost\n" + "".join(f"g{j},{j + 1}\n" for j in range(6))),
        ("costs.tsv", "".join(f"g{j}\t{j + 1}\n" for j in range(6))),
        ("costs.json", json.dumps({f"g{j}": j + 1 for j in range(6)})),
    ],
)
def test_budget_pays_for_the_panel(run, trees, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    cut = ("--folds", "3", "--repeats", "1", "--json", "--quiet")
    asked = ("select", trees.name, "--target", "tree", "--feature-costs", name, "--budget", "6")
    found = json.loads(run(*asked, *cut).out)["selection"]
    assert sum(each["cost"] for each in found["features"]) == found["panel"]["spent"] <= 6
    assert found["path"]["budget"][-1] == 6


def test_markers_of_each_class_are_written(run, trees, tmp_path):
    cut = ("--folds", "3", "--repeats", "1", "--features", "f.csv", "--resamples", "0")
    assert run("select", trees.name, "--target", "tree", "--per-class", "1", *cut).code == 0
    rows = (tmp_path / "f.csv").read_text().splitlines()
    assert rows[0].startswith("rank,feature,gain,marker_of,stand_ins,center_")
    assert sorted(row.split(",")[3] for row in rows[1:]) == ["ash", "elm", "oak"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--budget", "3"), "--budget needs --feature-costs as well"),
        (("--include", "nowhere"), "--include holds 'nowhere', and X has no such feature"),
        (("--exclude", "@nowhere.txt"), "--exclude @nowhere.txt could not be read"),
        (("--distinct", "2"), "--distinct 2.0 must lie between 0 and 1"),
        (("--per-class", "9"), "--per-class 9 takes 27 features with 3 classes"),
        (("--feature-costs", "trees.csv", "--budget", "3"), "must be a JSON object of numbers"),
        (("--budget", "x"), "must be a number, or several, separated by commas"),
        (("--stream", "--distinct", "0.5"), "--distinct is for all samples in memory"),
    ],
)
def test_wishes_that_cannot_be_fulfilled_are_wrong_input(run, trees, options, words):
    found = run("select", trees.name, "--target", "tree", *options)
    assert found.code == 2
    assert words in found.err
