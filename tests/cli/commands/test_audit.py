"""The command audit: verdicts first, in words, as JSON, in the report and as an exit code."""

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from centroidal.model_selection.permutation import _Tally
from centroidal.persistence import read_model_card

from ...l2 import select_features
from ..conftest import QUICK, make_samples, write_csv

ASKED = ("--target", "tree", "--permutations", "29", *QUICK)


@pytest.fixture
def noise(tmp_path):
    """A table of the same trees in which labels mean nothing."""
    X, y = make_samples()
    return write_csv(tmp_path / "noise.csv", X, np.random.default_rng(1).permutation(y))


def test_verdicts_come_first(run, trees):
    found = run("audit", trees, *ASKED)
    said = " ".join(found.out.split())
    assert said.startswith("Can I believe it? ")
    assert said.index("Is the score more than chance?") < said.index("trees.csv: 36 samples")
    assert said.index("trees.csv: 36 samples") < said.index("rank feature")


def test_exit_code_is_0_where_no_verdict_is_no(run, trees):
    assert run("audit", trees, *ASKED).code == 0


def test_exit_code_is_3_where_a_verdict_is_no(run, noise):
    found = run("audit", noise, *ASKED)
    assert found.code == 3
    assert "No: Is the score more than chance?" in " ".join(found.out.split())


def test_select_with_the_same_verdicts_ends_with_0(run, noise):
    assert run("select", noise, "--audit", *ASKED).code == 0


def test_json_is_that_of_select_with_audit(run, trees):
    audited, selected = (
        json.loads(run(*command, trees, *ASKED, "--json").out)["selection"]
        for command in (("audit",), ("select", "--audit"))
    )
    assert audited.pop("seconds") != selected.pop("seconds")
    assert audited == selected
    n_fine = sum(each["verdict"] == "fine" for each in audited["checklist"])
    words = f"{n_fine} of {len(audited['checklist'])} answers are fine."
    assert audited["answer_of_checklist"].startswith(words)


def test_report_has_the_section(run, trees):
    run("audit", trees, *ASKED, "--report", "r.html", "--model", "m.skops")
    assert "Can I believe it?" in Path("r.html").read_text()
    assert read_model_card("m.skops").metadata["made_by"] == "centroidal audit"


@pytest.mark.parametrize("option", ["--stream", "--audit", "--learning-curve", "--checkpoint"])
def test_what_an_audit_answers_itself_is_no_option(run, trees, option):
    found = run("audit", trees, *ASKED, option)
    assert found.code == 2
    assert "unrecognized arguments" in found.err


def test_ctrl_c_gives_the_p_value_of_what_is_finished(run, trees, monkeypatch):
    add = _Tally.add

    def add_and_interrupt(tally, found):
        add(tally, found)
        if len(tally.scores) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(_Tally, "add", add_and_interrupt)
    found = run("audit", trees, *ASKED, "--jobs", "1", "--json")
    test = json.loads(found.out)["selection"]["permutations"]
    assert found.code == 0
    assert (test["n_permutations"], test["n_asked"], test["p_value"]) == (3, 29, 0.25)
    assert "Warning" not in found.err


def test_each_ctrl_c_ends_the_part_in_which_it_comes_and_the_answer_is_told(
    run, trees, monkeypatch
):
    def interrupt_twice(X, y, progress, **options):
        def again(n_done, n_steps, what):
            if what == "permutation 3" or what.startswith("learning curve, 1 of"):
                os.kill(os.getpid(), signal.SIGINT)
            progress(n_done, n_steps, what)

        return select_features(X, y, progress=again, **options)

    monkeypatch.setattr("centroidal.model_selection.select_features", interrupt_twice)
    found = run("audit", trees, *ASKED, "--jobs", "1", "--json")
    told = json.loads(found.out)["selection"]
    assert found.code == 0
    assert told["permutations"]["n_permutations"] < told["permutations"]["n_asked"] == 29
    assert told["learning_curve"] is None
