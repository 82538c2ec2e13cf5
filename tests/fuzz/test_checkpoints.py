"""Checkpoints whose arrays somebody changed: refused in words, or the run ends as it should."""

import tempfile
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from centroidal import FisherSubspaceClassifier, SparseCenterClassifier
from centroidal.persistence.archive import pack_archive
from centroidal.streaming import batches, fit_batches
from tests.fuzz.harness import assert_harmless, n_cases, run_cases
from tests.fuzz.test_model_state import ARRAYS, change_array

from ..l2 import select_features

pytestmark = pytest.mark.once

ROWS = np.random.default_rng(0).normal(size=(60, 9))
LABELS = np.array(["a", "b", "c"])[np.arange(60) % 3]


@cache
def source_folder():
    """Return a folder that lasts as long as this process."""
    folder = tempfile.TemporaryDirectory()
    np.savez(Path(folder.name) / "rows.npz", X=ROWS, y=LABELS)
    return folder


def open_source():
    path = Path(source_folder().name) / "rows.npz"
    return batches(path, target="y", batch_size=10)


def fit(estimator):
    def run(checkpoint, progress=None):
        return fit_batches(
            estimator, open_source(), checkpoint=checkpoint, checkpoint_every=1, progress=progress,
            memory=8 * 60 * 2,
        )  # fmt: skip

    return run


def select(method):
    def run(checkpoint, progress=None):
        return select_features(
            open_source(), method=method, cv=3, random_state=0, checkpoint=checkpoint,
            checkpoint_every=1, progress=progress, memory=8 * 60 * 2,
        )  # fmt: skip

    return run


RUNS = {  # and after how many batches, or blocks of columns, each is interrupted
    "moments": (fit(SparseCenterClassifier(3)), 3),
    "medians": (fit(SparseCenterClassifier(3, metric="l1")), 13),
    "partial fits": (fit(FisherSubspaceClassifier("full")), 3),
    "selection": (select("l2"), 8),
    "selection of medians": (select("l1"), 34),
    "finished": (select("l2"), None),
}


class Interrupt(Exception):
    pass


@cache
def checkpoint_of(key):
    """Return the members of the checkpoint that an interrupted run leaves."""
    run, n_steps = RUNS[key]
    steps = []

    def interrupt(*args):
        steps.append(args)
        if len(steps) == n_steps:
            raise Interrupt

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.skops"
        try:
            run(path, interrupt)
            assert n_steps is None, f"{key} ends after {len(steps)} steps"
        except Interrupt:
            assert n_steps is not None
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}


def resume_forged(case):
    """Go on from a checkpoint in which an array was changed."""
    key, target, how = case
    members = dict(checkpoint_of(key))
    try:
        members[target] = change_array(members[target], how)
    except (ValueError, IndexError):
        return "cannot be forged so"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.skops"
        path.write_bytes(pack_archive(members))
        RUNS[key][0](path)
    return "harmless"


def test_checkpoint_is_resumed_where_nothing_was_changed():
    for key, (run, _) in RUNS.items():
        members = checkpoint_of(key)
        assert any(name.startswith("state/") for name in members) or key == "partial fits"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.skops"
            path.write_bytes(pack_archive(members))
            run(path)  # raises if it cannot go on


def test_forged_checkpoint_is_refused_or_harmless():
    cases = [
        (key, name, how)
        for key in RUNS
        for name in checkpoint_of(key)
        for how in ARRAYS
        if name.endswith(".npy")
    ]
    rng = np.random.default_rng(0)
    cases = [cases[number] for number in rng.permutation(len(cases))[: n_cases(250)]]
    outcomes = run_cases(resume_forged, cases, seconds=30.0)
    assert_harmless(outcomes, lambda number: str(cases[number]))
    kinds = [outcome.kind for outcome in outcomes]
    assert kinds.count("refusal") > len(kinds) // 3
