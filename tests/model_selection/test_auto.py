"""What method="auto" stands for, and that it is told."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from centroidal.cli.main import main
from centroidal.model_selection import permutation_test, select_features
from centroidal.model_selection.methods import (
    AUTO,
    DEFAULT,
    Method,
    meant_method,
    register_method,
    selection_methods,
)
from centroidal.persistence import read_model_card
from centroidal.report import build_report
from centroidal.streaming import batches
from tests.cli.conftest import make_samples, write_csv

QUICK = {"n_features_to_select": 2, "cv": 3, "n_repeats": 1, "random_state": 0}
ASKED = ("--target", "tree", "-k", "2", "--folds", "3", "--repeats", "1", "--resamples", "0")


def means(**facts):
    return meant_method(AUTO, **facts)[0]


def test_it_is_the_default():
    assert DEFAULT == AUTO


def test_few_dense_samples_in_memory_are_for_recursive():
    assert means(n_samples=1000) == "recursive"


@pytest.mark.parametrize(
    "facts", [{"n_samples": 1001}, {"in_memory": False}, {"is_sparse": True}, {"has_budget": True}]
)
def test_all_others_are_for_l2(facts):
    assert means(**facts) == "l2"


@pytest.mark.parametrize("method", selection_methods())
def test_a_method_that_is_named_is_taken_and_needs_no_reason(method):
    assert meant_method(method, n_samples=10**6, is_sparse=True) == (method, None)


def test_no_method_may_be_called_so():
    words = ["auto", "a", "a", "a", "a", "a", "a", None]
    with pytest.raises(ValueError, match="key='auto'"):
        register_method(Method(*words))


# ------------------------------------------------------------------ the main job


def assert_same_answer(found, named):
    assert (found.method, found.methods_tried) == (named.method, named.methods_tried)
    assert found.selected.tolist() == named.selected.tolist()
    assert (found.score, found.interval) == (named.score, named.interval)
    assert named.method_reason is None
    assert found.method_reason is not None


def test_answer_is_that_of_the_method_named():
    X, y = make_samples()
    assert_same_answer(
        select_features(X, y, **QUICK), select_features(X, y, method="recursive", **QUICK)
    )


def test_sparse_rows_have_the_answer_of_l2():
    X, y = make_samples()
    X = sparse.csr_array(X)
    assert_same_answer(select_features(X, y, **QUICK), select_features(X, y, method="l2", **QUICK))


def test_documents_have_the_answer_of_l2():
    texts = ["red apple tree", "red apple", "blue sky sea", "blue sea"] * 6
    y = np.array([0, 0, 1, 1] * 6)
    options = QUICK | {"text": True}
    found = select_features(texts, y, **options)
    assert_same_answer(found, select_features(texts, y, method="l2", **options))


def test_batches_have_the_answer_of_l2(tmp_path):
    write_csv(tmp_path / "trees.csv", *make_samples())
    rows = batches(tmp_path / "trees.csv", target="tree", batch_size=10)
    assert_same_answer(select_features(rows, **QUICK), select_features(rows, method="l2", **QUICK))


def test_chunks_of_dask_have_the_answer_of_l2():
    da = pytest.importorskip("dask.array")
    X, y = make_samples()
    X = da.from_array(X, chunks=(12, 6))
    assert_same_answer(select_features(X, y, **QUICK), select_features(X, y, method="l2", **QUICK))


def test_what_workers_have_screened_is_in_memory():
    da = pytest.importorskip("dask.array")
    X, y = make_samples()
    found = select_features(da.from_array(X, chunks=(12, 6)), y, screen=4, **QUICK)
    assert found.method == "recursive"


def test_budget_has_the_answer_of_l2():
    X, y = make_samples()
    options = {"feature_costs": np.arange(1.0, 7.0), "budget": 6.0, "cv": 3, "n_repeats": 1}
    options |= {"random_state": 0}
    assert_same_answer(
        select_features(X, y, **options), select_features(X, y, method="l2", **options)
    )


def test_permutations_test_the_method_that_selects():
    X, y = make_samples()
    found = permutation_test(X, y, n_permutations=2, **QUICK)
    named = permutation_test(X, y, n_permutations=2, method="recursive", **QUICK)
    assert found.null_scores.tolist() == named.null_scores.tolist()


def test_unknown_method_is_told_of_auto():
    with pytest.raises(ValueError, match="method='l3' must be one of 'auto', 'l2'"):
        select_features(*make_samples(), method="l3")


# ------------------------------------------------------------------ where it is told


@pytest.fixture
def found():
    return select_features(*make_samples(), **QUICK)


def test_text_says_which_method_and_why(found):
    note = "Features are ranked by recursive, which auto takes for up to 1,000 dense samples"
    assert note in str(found)
    assert note in found._repr_html_()


def test_method_that_was_named_is_not_explained():
    assert "auto" not in str(select_features(*make_samples(), method="l2", **QUICK))


def test_report_says_why(found):
    page = build_report(found)
    assert "Recursive ridge elimination (what auto takes for up to 1,000 dense samples" in page


@pytest.fixture
def trees(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "trees.csv", *make_samples())
    return "trees.csv"


def select(capsys, *args):
    code = main(["select", *args, *ASKED, "--json"])
    found = capsys.readouterr()
    assert code == 0, found.err
    return json.loads(found.out)["selection"], found.err


def test_command_and_model_file_tell_it(trees, capsys):
    found, _ = select(capsys, trees, "--model", "m.skops")
    assert found["method"] == "recursive"
    assert found["method_reason"] == "for up to 1,000 dense samples in memory"
    assert found["answer_on_method"].startswith("Features are ranked by recursive")
    card = read_model_card("m.skops").metadata
    assert (card["method"], card["method_reason"]) == (found["method"], found["method_reason"])


def test_command_shows_it(trees, capsys):
    assert main(["select", trees, *ASKED]) == 0
    assert "ranked by recursive, which auto takes" in " ".join(capsys.readouterr().out.split())


def test_command_takes_l2_for_a_stream(trees, capsys):
    asked = [each for each in ASKED if each not in ("--resamples", "0")]
    assert main(["select", trees, *asked, "--stream", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["selection"]
    assert (found["method"], found["method_reason"]) == ("l2", "for rows that are not in memory")


def test_command_says_that_permutations_are_faster_by_l2(trees, capsys):
    _, said = select(capsys, trees, "--permutations", "2")
    assert "each of 2 permutations; --method l2 does so in seconds" in said


def test_command_says_nothing_of_it_where_a_method_is_named(trees, capsys):
    _, said = select(capsys, trees, "--permutations", "2", "--method", "recursive")
    assert "does so in seconds" not in said


@pytest.mark.parametrize(("table", "n_jobs"), [("trees.csv", None), ("sparse.svmlight", -1)])
def test_command_uses_threads_where_the_method_has_them(table, n_jobs, trees, capsys, monkeypatch):
    X, y = make_samples()
    dump_svmlight_file(X, np.unique(y, return_inverse=True)[1], "sparse.svmlight")
    asked = {}

    def watched(X, y, **options):
        asked.update(options)
        return select_features(X, y, **options)

    monkeypatch.setattr("centroidal.model_selection.select_features", watched)
    target = "tree" if table == trees else "y"
    assert main(["select", table, *ASKED, "--target", target, "--json"]) == 0
    assert asked["n_jobs"] == n_jobs
