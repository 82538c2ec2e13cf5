"""Samples, sheets, groups and blocks that cannot be: clear words, and nothing is written.

Each fact holds in the command line and in Python.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from centroidal.io import read_table
from centroidal.model_selection import compare

from ...l2 import select_features
from ..conftest import QUICK

FILES = ("--model", "m.skops", "--report", "r.html", "--features", "f.csv")


@pytest.fixture
def samples():
    """Twelve patients with three samples each, with their sites, in a frame."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(12), 3)
    ill = patient % 2 == 0
    frame = pd.DataFrame(rng.normal(size=(36, 8)) + 2.0 * ill[:, None]).add_prefix("g").round(3)
    return frame.assign(
        sample=[f"s{row}" for row in range(36)],
        patient=[f"p{each}" for each in patient],
        site=np.array(["N", "S", "W"])[np.arange(36) % 3],
        state=np.where(ill, "ill", "well"),
    )


def refused(run, frame, *options, table=("--id", "sample")):
    """Run select on a frame, see that it is refused and nothing written, and return the words."""
    frame.to_csv("t.csv", index=False)
    before = sorted(Path.cwd().iterdir())
    found = run("select", "t.csv", "--target", "state", *table, *options, *FILES, *QUICK)
    assert (found.code, found.out) == (2, "")
    assert "Traceback" not in found.err
    assert sorted(Path.cwd().iterdir()) == before
    return " ".join(found.err.split())


def in_python(frame, words, **columns):
    X, options = frame.filter(regex="^g"), {name: frame[each] for name, each in columns.items()}
    with pytest.raises(ValueError, match=words):
        select_features(X, frame["state"], **options, random_state=0)


def sheet_of(frame, **changes):
    frame[["sample", "patient", "site", "state"]].assign(**changes).to_csv("s.csv", index=False)
    return ("--samples", "s.csv"), frame.drop(columns=["patient", "site", "state"])


def test_ids_twice_in_a_sheet(run, samples):
    twice = samples["sample"].replace("s3", "s2")
    options, table = sheet_of(samples, sample=twice)
    words = "s.csv: 1 id occurs more than once in 'sample': 's2'. A sheet has one row for each"
    assert words in refused(run, table, *options)
    with pytest.raises(ValueError, match=words):
        read_table(table, ids="sample", samples="s.csv", target="state")


def test_ids_twice_in_a_table_are_groups_and_that_is_said(run, samples):
    samples.drop(columns=["sample", "site"]).to_csv("t.csv", index=False)
    found = run("select", "t.csv", "--target", "state", "--id", "patient", *QUICK)
    assert found.code == 0
    assert "12 duplicate sample ids, kept" in found.err
    assert "Samples of one id stay together in all folds" in found.err
    table = read_table("t.csv", target="state", ids="patient")
    assert "12 duplicate sample ids, kept" in table.remarks[0]


def test_sheet_without_the_column_of_ids(run, samples):
    options, table = sheet_of(samples)
    words = "s.csv has no column 'Sample'. Did you mean 'sample'?"
    assert words in refused(run, table, *options, "--sample-id", "Sample")
    with pytest.raises(ValueError, match="s.csv has no column 'Sample'"):
        read_table(table, ids="sample", samples="s.csv", sample_id="Sample", target="state")
    samples[["patient", "state"]].drop_duplicates().to_csv("s.csv", index=False)
    assert "No sample of t.csv ('s0', " in refused(run, table, *options)


def test_groups_of_two_classes_are_allowed_and_said(run, samples):
    mixed = samples.assign(clinic=np.repeat([f"c{each}" for each in range(6)], 6))
    mixed.drop(columns=["patient", "site"]).to_csv("t.csv", index=False)
    asked = ("--target", "state", "--id", "sample", "--groups", "clinic", "--report", "r.html")
    found = run("select", "t.csv", *asked, "--resamples", "0", *QUICK)
    assert found.code == 0, found.err
    words = "Some groups have samples of more than one class; they stay together all the same."
    assert words in found.err
    assert words in Path("r.html").read_text()
    selection = select_features(
        mixed.filter(regex="^g"), mixed["state"], groups=mixed["clinic"], n_repeats=1,
        random_state=0,
    )  # fmt: skip
    assert selection.has_mixed_groups
    assert selection.group_name == "clinic"
    assert words in str(selection)
    plain = select_features(
        mixed.filter(regex="^g"), mixed["state"], groups=mixed["patient"], n_repeats=1
    )
    assert not plain.has_mixed_groups


def test_one_group(run, samples):
    alone = samples.assign(patient="p")
    assert "groups holds one group" in refused(run, alone, "--groups", "patient", "--drop", "site")
    in_python(alone, "groups holds one group", groups="patient")
    with pytest.raises(ValueError, match="groups holds one group"):
        compare(None, alone.filter(regex="^g"), alone["state"], groups=alone["patient"])


def test_too_few_groups_of_a_class(run, samples):
    few = samples.assign(patient=np.where(samples["state"] == "ill", "p", samples["patient"]))
    words = "class 'ill' has 1 group; at least 3 are needed to select and to test"
    options = ("--groups", "patient", "--drop", "site", "-k", "auto")
    few.to_csv("t.csv", index=False)
    found = run("select", "t.csv", "--target", "state", "--id", "sample", *options, *FILES)
    assert found.code == 2
    assert words in " ".join(found.err.split())
    assert not Path("m.skops").exists()
    in_python(few, words, groups="patient")


def test_missing_groups(run, samples):
    gaps = samples.assign(patient=samples["patient"].where(samples["patient"] != "p3"))
    words = "groups has no value for 3 of 36 samples, the first of them in row 9"
    assert words in refused(run, gaps, "--groups", "patient", "--drop", "site")
    in_python(gaps, words, groups="patient")


def test_missing_groups_in_a_sheet(run, samples):
    options, table = sheet_of(samples, patient=samples["patient"].where(samples["patient"] != "p3"))
    words = "groups has no value for 3 of 36 samples"
    assert words in refused(run, table, *options, "--groups", "patient")


def test_blocks_that_are_the_classes(run, samples):
    same = samples.assign(site=samples["state"])
    words = "blocks: none can be left out. Without ill, the other blocks have one class."
    assert words in refused(run, same, "--blocks", "site", "--drop", "patient")
    in_python(same, words, blocks="site")


def test_one_block_and_missing_blocks(run, samples):
    for site, words in (
        ("N", "blocks holds one block"),
        (None, "blocks has no value for 12 of 36"),
    ):
        other = samples.assign(site=samples["site"].replace("S", site) if site is None else site)
        assert words in refused(run, other, "--blocks", "site", "--drop", "patient")
        in_python(other, words, blocks="site")
