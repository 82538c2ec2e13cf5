import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from centroidal import FisherSubspaceClassifier, SparseCenterClassifierCV
from centroidal import SparseCenterClassifier as Sparse
from centroidal.io import read_table
from centroidal.persistence import load_model, read_model_card, save_model

from ..conftest import QUICK, files, make_samples, run_alone, write_csv

MERGE = ("merge", "a.skops", "b.skops", "-o", "m.skops")
ORDER = [3, 1, 0, 2, 5, 4]
HALVES = {"a.skops": slice(0, 15), "b.skops": slice(15, None)}


def save(path, model, rows=slice(None), order=range(6), **metadata):
    """Fit a model to some of the trees, with named features, and write it."""
    X, y = make_samples()
    model.fit(X[rows][:, list(order)], y[rows])
    names = np.array([f"g{j}" for j in order], dtype=object)
    model.feature_names_in_ = names
    if hasattr(model, "best_estimator_"):
        model.best_estimator_.feature_names_in_ = names
    save_model(model, path, metadata=metadata)


def metadata_of(path):
    """What `select` would say of a model."""
    return {
        "made_by": "centroidal select", "source": f"{path[0]}.csv", "digest": path[0] * 8,
        "target": "tree", "score": 0.9,
    }  # fmt: skip


@pytest.fixture
def halves():
    """Models of two sites."""
    for path, rows in HALVES.items():
        save(path, Sparse(2, scale="within"), rows, **metadata_of(path))


def words_of(text):
    return " ".join(text.split())


# ------------------------------------------------------------------ what is written and shown


def test_merged_file_holds_the_model_of_all_samples(run, halves):
    found = run(*MERGE)
    assert (found.code, found.err) == (0, "")
    X, y = make_samples()
    model, expected = load_model("m.skops"), Sparse(2, scale="within").fit(X, y)
    np.testing.assert_array_equal(model.support_, expected.support_)
    np.testing.assert_allclose(model.centers_, expected.centers_, rtol=1e-10, atol=1e-12)


def test_counts_of_each_file_and_the_missing_score_are_shown(run, halves):
    text = words_of(run(*MERGE).out)
    for words in (
        "2 models are merged into a SparseCenterClassifier of 36 samples and 6 features, of which "
        "it reads 2: g",
        "samples of ash elm oak all",
        "a.skops 5 5 5 15",
        "b.skops 7 7 7 21",
        "together 12 12 12 36",
        "How well the merged model does is not known",
        "Written: m.skops",
        "centroidal predict m.skops NEW.csv -o predictions.csv",
    ):
        assert words in text


def test_card_says_where_the_samples_come_from_and_no_score(run, halves):
    run(*MERGE)
    card = read_model_card("m.skops")
    model = load_model("m.skops")
    best = model.feature_names_in_[model.feature_ranking_[:2]].tolist()
    (no_score,) = card.metadata.pop("remarks")
    assert no_score.startswith("How well the merged model does is not known")
    assert card.metadata == {
        "made_by": "centroidal merge",
        "sources": [
            {"file": "a.skops", "source": "a.csv", "digest": "aaaaaaaa", "n_samples": 15},
            {"file": "b.skops", "source": "b.csv", "digest": "bbbbbbbb", "n_samples": 21},
        ],
        "target": "tree",
        "n_samples": 36,
        "class_counts": {"ash": 12, "elm": 12, "oak": 12},
        "selected_features": best,
    }


def test_show_says_that_there_is_no_score(run, halves):
    run(*MERGE)
    text = words_of(run("show", "m.skops").out)
    for words in (
        "made_by centroidal merge",
        "sources file a.skops, source a.csv, digest aaaaaaaa, n_samples 15 file b.skops, source",
        "target tree",
        "class_counts ash 12, elm 12, oak 12",
        "remarks How well the merged model does is not known",
    ):
        assert words in text


def test_json_has_the_facts_and_nothing_else(run, halves):
    found = run(*MERGE, "--json", "--quiet")
    facts = json.loads(found.out)
    assert (found.code, found.err) == (0, "")
    assert facts["class_name"] == "SparseCenterClassifier"
    assert facts["classes"] == ["ash", "elm", "oak"]
    assert facts["class_counts"] == {"ash": 12, "elm": 12, "oak": 12}
    assert (facts["n_samples"], facts["n_features"]) == (36, 6)
    assert [each["file"] for each in facts["sources"]] == ["a.skops", "b.skops"]
    assert facts["written"] == ["m.skops"]
    assert "score" not in facts


def test_merging_again_writes_the_same_bytes(run, halves, tmp_path):
    run(*MERGE)
    run("merge", "a.skops", "b.skops", "-o", "n.skops")
    assert (tmp_path / "m.skops").read_bytes() == (tmp_path / "n.skops").read_bytes()


def test_remarks_are_notes_and_stay_in_the_card(run):
    save("a.skops", Sparse(2), HALVES["a.skops"])
    save("b.skops", Sparse(2), HALVES["b.skops"], ORDER)
    found = run(*MERGE)
    remark = "b.skops has the features in another order; that of a.skops is kept."
    assert found.err == f"Note: {remark}\n"
    assert read_model_card("m.skops").metadata["remarks"][0] == remark
    assert load_model("m.skops").feature_names_in_.tolist() == [f"g{j}" for j in range(6)]
    assert "target" not in read_model_card("m.skops").metadata


def test_models_that_read_all_features_select_none(run):
    for path, rows in HALVES.items():
        save(path, FisherSubspaceClassifier("full"), rows)
    found = run(*MERGE)
    assert "of 36 samples and 6 features.\n" in found.out
    assert "selected_features" not in read_model_card("m.skops").metadata


def test_what_was_merged_before_is_listed_by_its_parts(run, halves):
    run(*MERGE)
    save("c.skops", Sparse(2, scale="within"), digest="cccccccc", target="tree")
    assert run("merge", "m.skops", "c.skops", "-o", "n.skops").code == 0
    metadata = read_model_card("n.skops").metadata
    assert [each["file"] for each in metadata["sources"]] == ["a.skops", "b.skops", "c.skops"]
    assert metadata["n_samples"] == 72
    assert len(metadata["remarks"]) == 1


def test_what_a_card_claims_is_not_believed(run):
    save("a.skops", Sparse(2), made_by="centroidal merge", sources=7, target=["tree"])
    save("b.skops", Sparse(2), made_by="centroidal merge", sources=[7, {"file": []}], source={})
    assert run(*MERGE).code == 0
    metadata = read_model_card("m.skops").metadata
    assert metadata["sources"] == [
        {"file": "a.skops", "n_samples": 36},
        {"file": "b.skops", "n_samples": 36},
    ]
    assert "target" not in metadata


# ------------------------------------------------------------------ what is remarked on


def test_tables_that_count_twice_are_remarked_on(run):
    save("a.skops", Sparse(2), digest="same")
    save("b.skops", Sparse(2), digest="same")
    found = run(*MERGE)
    assert found.code == 0
    assert "Note: a.skops, b.skops come from the same table" in found.err


def test_labels_of_different_names_are_remarked_on(run):
    save("a.skops", Sparse(2), target="tree")
    save("b.skops", Sparse(2), target="kind")
    found = run(*MERGE)
    assert found.code == 0
    assert "different names (a.skops: tree, b.skops: kind)" in found.err
    assert "target" not in read_model_card("m.skops").metadata


def test_cross_validated_models_become_what_they_chose(run):
    for path, rows in HALVES.items():
        save(path, SparseCenterClassifierCV(cv=2), rows)
    found = run(*MERGE, "-k", "3")
    assert found.code == 0
    assert found.err.count("its best_estimator_ is merged") == 2
    assert load_model("m.skops").n_features_to_select == 3


# ------------------------------------------------------------------ what is refused


def test_different_numbers_of_features_need_k(run, tmp_path):
    save("a.skops", Sparse(2))
    save("b.skops", Sparse(3))
    found = run(*MERGE)
    assert (found.code, found.out) == (2, "")
    assert "b.skops: n_features_to_select=3, a.skops: n_features_to_select=2" in found.err
    assert "(-k) says how many" in found.err
    assert files(tmp_path) == ["a.skops", "b.skops"]
    assert run(*MERGE, "-k", "4").code == 0
    assert len(read_model_card("m.skops").metadata["selected_features"]) == 4


def test_pipelines_are_refused_with_the_reason(run, tmp_path):
    save("a.skops", Sparse(2))
    X, y = make_samples()
    save_model(make_pipeline(SimpleImputer(strategy="median"), Sparse(2)).fit(X, y), "b.skops")
    found = run(*MERGE)
    assert (found.code, found.out) == (2, "")
    assert "b.skops: a pipeline (SimpleImputer before the classifier)" in found.err
    assert files(tmp_path) == ["a.skops", "b.skops"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("merge", "a.skops", "-o", "m.skops"), "at least 2 are needed"),
        (("merge", "a.skops", "./a.skops", "-o", "m.skops"), "./a.skops is given twice"),
        (("merge", "a.skops", "a.skops", "-o", "m.skops"), "a.skops is given twice"),
        (("merge", "a.skops", "c.skops", "-o", "m.skops"), "There is no file c.skops."),
        (("merge", "a.skops", "b.skops", "-o", "m.csv"), "must end in .skops"),
        (("merge", "a.skops", "b.skops", "-o", "no/m.skops"), "there is no folder no"),
        (("merge", "a.skops", "b.skops", "-o", "b.skops", "--force"), "the same file as the input"),
        ((*MERGE, "-k", "0"), "whole number from 1 on"),
        ((*MERGE, "-k", "7"), "n_features_to_select=7 (-k) must lie between 1 and 6"),
        (("merge", "a.skops", "b.skops"), "-o"),
    ],
)
def test_wrong_input_is_named_and_nothing_is_written(run, halves, tmp_path, args, words):
    found = run(*args)
    assert (found.code, found.out) == (2, "")
    assert words in found.err
    assert files(tmp_path) == ["a.skops", "b.skops"]


def test_a_file_that_is_no_model_is_named(run, halves, tmp_path):
    (tmp_path / "b.skops").write_text("trees")
    found = run(*MERGE)
    assert found.code == 2
    assert "b.skops" in found.err


def test_a_file_that_exists_is_overwritten_by_force_only(run, halves, tmp_path):
    (tmp_path / "m.skops").write_text("mine")
    assert "--force" in run(*MERGE).err
    assert (tmp_path / "m.skops").read_text() == "mine"
    assert run(*MERGE, "--force").code == 0
    assert read_model_card("m.skops").metadata["made_by"] == "centroidal merge"


def test_a_file_that_cannot_be_written_is_not_half_there(run, halves, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    for function in ("link", "replace"):
        monkeypatch.setattr(f"centroidal._files.os.{function}", refuse)
    found = run(*MERGE)
    assert found.code == 1
    assert "together" in found.out  # what was found is not lost
    assert "--output m.skops could not be written: No space left on device" in found.err
    assert files(tmp_path) == ["a.skops", "b.skops"]


# ------------------------------------------------------------------ two sites


def test_two_sites_predict_as_one_that_had_all_rows(run, tmp_path):
    X, y = make_samples(60)
    names = [f"g{j}" for j in ORDER]
    write_csv(tmp_path / "north.csv", X[:25], y[:25])
    write_csv(tmp_path / "south.csv", X[25:50][:, ORDER], y[25:50], names=names)
    write_csv(tmp_path / "joined.csv", X[:50], y[:50])
    write_csv(tmp_path / "new.csv", X[50:], y[50:])
    for site in ("north", "south", "joined"):
        options = ("--target", "tree", "--model", f"{site}.skops", *QUICK, "--quiet")
        assert run("select", f"{site}.csv", *options).code == 0
    found = run_alone("merge", "north.skops", "south.skops", "-o", "merged.skops")
    calibrated = (
        "Note: {} is calibrated, which takes samples: the merged model has the probabilities of "
        "its classifier as they are, and calls a class for every sample.\n"
    )
    assert (found.code, found.err) == (
        0,
        calibrated.format("north.skops")
        + calibrated.format("south.skops")
        + "Note: south.skops has the features in another order; that of north.skops is kept.\n",
    )
    for site in ("merged", "joined"):
        assert run("predict", f"{site}.skops", "new.csv", "-o", f"{site}_p.csv").code == 0
    merged, joined = (_predictions(tmp_path / f"{site}_p.csv") for site in ("merged", "joined"))
    assert merged[0] == joined[0]
    inside = load_model("joined.skops").estimator_
    new = pd.read_csv(tmp_path / "new.csv").drop(columns="tree")
    np.testing.assert_allclose(merged[1], inside.predict_proba(new), rtol=1e-10, atol=1e-12)
    sources = read_model_card("merged.skops").metadata["sources"]
    digests = [read_table(f"{site}.csv", target="tree").digest for site in ("north", "south")]
    assert [each["digest"] for each in sources] == digests


def _predictions(path):
    with open(path, newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == ["prediction", "probability_ash", "probability_elm", "probability_oak"]
    return [row[0] for row in rows], np.array([row[1:] for row in rows], dtype=float)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda moments: moments.counts.fill(np.nan), "counts holds NaN"),
        (lambda moments: moments.counts.fill(-1.0), "counts holds numbers below 0"),
    ],
)
def test_forged_model_is_refused_before_it_is_merged(run, halves, monkeypatch, change, words):
    model = load_model("b.skops")
    change(model._solution.moments)
    with monkeypatch.context() as unchecked:
        unchecked.setattr("centroidal.persistence.model_file.check_model", lambda model: None)
        save_model(model, "b.skops", metadata=metadata_of("b.skops"), force=True)
    found = run(*MERGE)
    assert found.code == 2
    assert words in words_of(found.err)
    assert "b.skops" in found.err
    assert not Path("m.skops").exists()
