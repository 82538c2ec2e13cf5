"""Three commands for sites that keep their samples: summarise, score, and merge with counts."""

import json

import numpy as np
import pytest

from centroidal.io import read_table
from centroidal.model_selection import SiteSummary
from centroidal.persistence import load_model, read_model_card

from ...l2 import select_features
from ..conftest import files, make_samples, write_csv

SITES = {"north": slice(0, 60), "south": slice(60, 130), "west": slice(130, None)}
ORDERS = {"north": range(6), "south": [3, 1, 0, 2, 5, 4], "west": [5, 4, 3, 2, 1, 0]}
FOLDS = ("--folds", "3")


def counts_file(name):
    return f"{name}_counts.skops"


@pytest.fixture
def tables(tmp_path):
    """Tables of three sites, with the features in an order of its own each, and patients."""
    X, y = make_samples(210)
    for name, rows in SITES.items():
        order = list(ORDERS[name])
        path = tmp_path / f"{name}.csv"
        write_csv(path, X[rows][:, order], y[rows], names=[f"g{j}" for j in order])
        lines = path.read_text().splitlines()
        patients = ["patient", *(f"p{i // 2}" for i in range(len(lines) - 1))]
        pairs = zip(lines, patients, strict=True)
        path.write_text("\n".join(f"{line},{patient}" for line, patient in pairs) + "\n")


@pytest.fixture
def summaries(run, tables):
    for name in SITES:
        found = run("summarise", f"{name}.csv", "--target", "tree", "--drop", "patient", *FOLDS,
                    "-o", f"{name}.skops")  # fmt: skip
        assert found.code == 0, found.err


@pytest.fixture
def merged(run, summaries):
    assert run("merge", *(f"{name}.skops" for name in SITES), "-o", "merged.skops").code == 0


def score(run, name, *options):
    return run("score", "merged.skops", f"{name}.csv", "--target", "tree", "--drop", "patient",
               "-o", counts_file(name), *options)  # fmt: skip


@pytest.fixture
def counted(run, merged):
    for name in SITES:
        assert score(run, name).code == 0


MERGE_COUNTS = ("merge", "merged.skops", *map(counts_file, SITES), "-o", "model.skops")


def pooled(**options):
    """The selection of all samples in one place, in the same folds."""
    tables = [read_table(f"{name}.csv", target="tree", drop=["patient"]) for name in SITES]
    names = tables[0].feature_names.tolist()
    places = [[each.feature_names.tolist().index(name) for name in names] for each in tables]
    X = np.vstack([each.X[:, place] for each, place in zip(tables, places, strict=True)])
    folds = np.concatenate([SiteSummary(3).fold_numbers(each.y) for each in tables])
    y = np.concatenate([each.y for each in tables])
    return select_features(X, y, cv=folds, feature_names=names, random_state=0, **options)


# ------------------------------------------------------------------ the exchange


def test_three_commands_give_the_answer_of_all_tables_joined(run, counted):
    found = run(*MERGE_COUNTS, "--json")
    assert found.code == 0, found.err
    selection, expected = json.loads(found.out)["selection"], pooled()
    assert selection["score"] == pytest.approx(expected.score, abs=1e-10)
    assert selection["interval"] == pytest.approx(list(expected.interval), abs=1e-10)
    assert selection["confusion"] == expected.confusion.tolist()
    assert [each["feature"] for each in selection["features"]] == expected.selected_names.tolist()


def test_model_that_is_written_is_that_of_all_samples_with_its_score(run, counted):
    run(*MERGE_COUNTS)
    model, card, expected = load_model("model.skops"), read_model_card("model.skops"), pooled()
    assert card.metadata["score"] == pytest.approx(expected.score, abs=1e-10)
    assert [each["file"] for each in card.metadata["sources"]] == [f"{n}.skops" for n in SITES]
    np.testing.assert_allclose(model.centers_, expected.model.estimator_.centers_, atol=1e-10)


def test_options_of_the_choice_are_those_of_select(run, counted):
    found = run(*MERGE_COUNTS, "--rule", "best", "--scoring", "f1_macro", "--max-features", "2",
                "--json")  # fmt: skip
    expected = pooled(rule="best", scoring="f1_macro", max_features=2)
    selection = json.loads(found.out)["selection"]
    assert selection["score"] == pytest.approx(expected.score, abs=1e-10)
    assert selection["n_features_to_select"] == expected.n_features_to_select


def test_number_of_features_may_be_given(run, counted):
    found = run(*MERGE_COUNTS, "-k", "4", "--json")
    expected = pooled(n_features_to_select=4)
    selection = json.loads(found.out)["selection"]
    assert selection["score"] == pytest.approx(expected.score, abs=1e-10)
    assert len(selection["features"]) == 4


def test_report_is_written_with_the_model(run, counted, tmp_path):
    found = run(*MERGE_COUNTS, "--report", "r.html")
    assert found.code == 0, found.err
    assert "The answer" in (tmp_path / "r.html").read_text()


def test_merged_model_predicts(run, counted):
    run(*MERGE_COUNTS)
    found = run("predict", "model.skops", "west.csv", "--drop", "patient", "-o", "p.csv")
    assert found.code == 0, found.err


def test_answer_is_told_in_words(run, counted):
    out = run(*MERGE_COUNTS).out
    assert "3 sites: 210 samples, 6 features, 3 classes of tree" in out
    assert "tell the 3 classes apart with accuracy" in " ".join(out.split())


def test_summaries_are_merged_to_a_model_with_so_many_features(run, summaries):
    found = run("merge", "north.skops", "south.skops", "-k", "2", "-o", "m.skops")
    assert found.code == 0, found.err
    assert load_model("m.skops").support_.sum() == 2


def test_groups_of_a_column_stay_together(run, tables):
    options = ("--target", "tree", "--groups", "patient")
    found = run("summarise", "north.csv", *options, *FOLDS, "-o", "n.skops")
    assert found.code == 0, found.err
    assert load_model("n.skops").n_groups_ == 30
    found = run("score", "n.skops", "north.csv", *options, "-o", "c.skops")
    assert found.code == 0, found.err


def test_rows_are_preprocessed_and_streamed_as_pooled_rows_are(run, tables):
    steps = ("--preprocess", "norm")
    for name, stream in zip(SITES, [(), ("--stream",), ("--stream",)], strict=True):
        found = run("summarise", f"{name}.csv", "--target", "tree", "--drop", "patient", *FOLDS,
                    *steps, *stream, "-o", f"{name}.skops")  # fmt: skip
        assert found.code == 0, found.err
    assert run("merge", *(f"{name}.skops" for name in SITES), "-o", "merged.skops").code == 0
    for name, stream in zip(SITES, [("--stream",), (), ("--stream",)], strict=True):
        found = score(run, name, *stream)
        assert found.code == 0, found.err
    selection = json.loads(run(*MERGE_COUNTS, "--json").out)["selection"]
    expected = pooled(method="l2", preprocess="norm")
    assert selection["score"] == pytest.approx(expected.score, abs=1e-10)
    assert [each["feature"] for each in selection["features"]] == expected.selected_names.tolist()
    assert run("predict", "model.skops", "north.csv", "--drop", "patient", "-o", "p.csv").code == 0


def test_sites_that_preprocess_otherwise_are_told(run, summaries):
    run("summarise", "west.csv", "--target", "tree", "--drop", "patient", *FOLDS,
        "--preprocess", "snv,norm", "-o", "west.skops", "--force")  # fmt: skip
    found = run("merge", "north.skops", "west.skops", "-o", "merged.skops")
    refused(found, "west.skops: preprocess='snv,norm', north.skops: preprocess=None")


def test_sheets_are_not_streamed(run, tables):
    found = run("summarise", "north.csv", "--target", "tree", "--stream", "--samples", "s.csv",
                "-o", "n.skops")  # fmt: skip
    refused(found, "--samples is for all samples in memory, so not with --stream")


def test_labels_come_from_a_sheet_as_in_select(run, tables, tmp_path):
    lines = [line.split(",") for line in (tmp_path / "north.csv").read_text().splitlines()]
    names = ["sample", *(f"s{i}" for i in range(len(lines) - 1))]
    pairs = list(zip(names, lines, strict=True))
    (tmp_path / "x.csv").write_text(
        "\n".join(",".join([name, *line[:6]]) for name, line in pairs) + "\n"
    )
    (tmp_path / "sheet.csv").write_text("\n".join(f"{name},{line[6]}" for name, line in pairs))
    found = run("summarise", "x.csv", "--id", "sample", "--samples", "sheet.csv", "--target",
                "tree", *FOLDS, "-o", "x.skops")  # fmt: skip
    assert found.code == 0, found.err
    assert load_model("x.skops").class_counts_.tolist() == [20, 20, 20]


def test_what_leaves_a_site_is_shown(run, tables):
    found = run("summarise", "north.csv", "--target", "tree", "--drop", "patient", *FOLDS,
                "-o", "n.skops")  # fmt: skip
    assert "sums over these samples, by class and fold, and none of them" in found.out
    assert "fold 3" in found.out
    assert "centroidal score merged.skops north.csv --target tree --drop patient" in found.out


def test_files_of_sites_are_shown(run, counted):
    assert "SiteSummary" in run("show", "merged.skops").out
    out = run("show", counts_file("north")).out
    assert "SiteCounts" in out
    assert "not fitted" not in out


# ------------------------------------------------------------------ what is refused


def refused(found, *words):
    assert found.code == 2
    assert "Traceback" not in found.err
    for each in words:
        assert each in " ".join(found.err.split())


def test_small_classes_are_refused_unless_they_are_named(run, tables):
    command = ("summarise", "north.csv", "--target", "tree", "--drop", "patient", "--folds", "5")
    refused(run(*command, "-o", "n.skops"), "class 'ash' has 4 samples", "--allow-small")
    allowed = [word for label in ("ash", "elm", "oak") for word in ("--allow-small", label)]
    assert run(*command, *allowed, "-o", "n.skops").code == 0


def test_small_classes_are_refused_in_counts_as_well(run, tables):
    command = ("--target", "tree", "--drop", "patient")
    allowed = [word for label in ("ash", "elm", "oak") for word in ("--allow-small", label)]
    run("summarise", "north.csv", *command, *allowed, "-o", "n.skops")
    found = run("score", "n.skops", "north.csv", *command, "-o", "c.skops")
    refused(found, "class 'ash' has 4 samples", "--allow-small")


def test_other_methods_are_refused_by_name(run, tables):
    found = run("summarise", "north.csv", "--target", "tree", "--drop", "patient", "--method",
                "fisher", "-o", "n.skops")  # fmt: skip
    refused(found, "--method 'fisher' must be one of 'l2'")


def test_medians_of_a_site_are_not_filled_in(run, tables):
    found = run("summarise", "north.csv", "--target", "tree", "--impute", "median", "-o", "n.skops")
    refused(found, "--impute median is of the samples of one site")


def test_folds_that_differ_are_told(run, summaries):
    run("summarise", "west.csv", "--target", "tree", "--drop", "patient", "--folds", "4",
        "-o", "other.skops")  # fmt: skip
    found = run("merge", "north.skops", "other.skops", "-o", "m.skops")
    refused(found, "other.skops: cv=4, north.skops: cv=3")


def test_copy_of_a_summary_is_refused(run, summaries, tmp_path):
    (tmp_path / "again.skops").write_bytes((tmp_path / "north.skops").read_bytes())
    found = run("merge", "north.skops", "south.skops", "again.skops", "-o", "m.skops")
    refused(found, "north.skops and again.skops are of the same samples")


def test_counts_that_are_missing_are_told(run, counted):
    found = run("merge", "merged.skops", *map(counts_file, ("north", "west")), "-o", "m.skops")
    refused(found, "1 of 3 sites have sent no counts")


def test_counts_of_another_merge_are_refused(run, counted):
    run("merge", "west.skops", "south.skops", "north.skops", "-o", "other.skops")
    found = run("merge", "other.skops", *map(counts_file, SITES), "-o", "m.skops")
    refused(found, "north_counts.skops are counts of another merged summary")


def test_counts_need_the_summary_and_nothing_else(run, counted):
    found = run("merge", *map(counts_file, SITES), "-o", "m.skops")
    refused(found, "the one merged summary that was scored", "summaries: none")
    found = run(*MERGE_COUNTS[:-2], "north.skops", "-o", "m.skops")
    refused(found, "summaries: merged.skops, north.skops")


def test_table_with_other_columns_is_refused(run, merged):
    refused(score(run, "north", "--drop", "g3"), "X lacks 1 feature", "'g3'")
    found = run("score", "merged.skops", "north.csv", "--target", "tree", "--groups", "patient",
                "-o", "c.skops")  # fmt: skip
    refused(found, "not those of a summary that was merged")


def test_what_is_no_summary_is_not_scored(run, counted):
    run(*MERGE_COUNTS)
    found = run("score", "model.skops", "north.csv", "--target", "tree", "-o", "c.skops")
    refused(found, "holds a SparseCenterClassifier", "evaluate")


@pytest.mark.parametrize("option", [("--rule", "best"), ("--report", "r.html")])
def test_options_of_the_choice_need_counts(run, summaries, option):
    found = run("merge", "north.skops", "south.skops", *option, "-o", "m.skops")
    refused(found, f"{option[0]} needs the merged summary of sites and all their counts")


def test_summary_does_not_predict(run, merged):
    found = run("predict", "merged.skops", "north.csv", "--drop", "patient", "-o", "p.csv")
    refused(found, "SiteSummary must be a classifier")


def test_nothing_is_written_where_something_is_wrong(run, summaries, tmp_path):
    before = files(tmp_path)
    run("merge", "north.skops", "south.skops", "--rule", "best", "-o", "m.skops")
    run("summarise", "north.csv", "--target", "tree", "--drop", "patient", "-o", "m.skops")
    assert files(tmp_path) == before
