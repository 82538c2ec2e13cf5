"""`centroidal select` on workers; on a cluster that is running in tests/model_selection."""

import json

import pytest

from ..conftest import files
from .test_select_stream import parts  # noqa: F401

distributed = pytest.importorskip("distributed")

ASKED = ("--target", "tree", "--folds", "3", "--repeats", "1")

pytestmark = pytest.mark.usefixtures("parts")


@pytest.mark.once
@pytest.mark.xdist_group("cluster")
def test_workers_are_started_for_the_command_and_ended_after_it(run, tmp_path):
    found = run("select", "parts", *ASKED, "--workers", "2", "--json", "--model", "m.skops")
    assert found.code == 0, found.err
    assert found.err.startswith("Starting 2 workers ...\nDashboard: http://127.0.0.1:")
    expected = run("select", "parts", *ASKED, "--stream", "--json")
    facts = [json.loads(each.out)["selection"] for each in (found, expected)]
    for name in ("answer", "n_features_to_select", "fold_choices"):
        assert facts[0][name] == facts[1][name]
    assert files(tmp_path) == ["m.skops", "parts"]
    with pytest.raises(ValueError, match="No global client"):
        distributed.get_client()


def test_scheduler_that_is_not_there_is_said_and_nothing_is_written(run, tmp_path, monkeypatch):
    monkeypatch.setattr("centroidal.statistics.dask_cluster._PATIENCE", 0.5)
    address = "tcp://127.0.0.1:9"
    found = run("select", "parts", *ASKED, "--cluster", address, "--model", "m.skops")
    assert (found.code, found.out) == (2, "")
    assert found.err == f"centroidal: select: No Dask scheduler answers at {address}.\n"
    assert files(tmp_path) == ["parts"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--workers", 2, "--cluster", "tcp://a:1"), "--workers starts a cluster and --cluster"),
        (("--workers", 2, "--jobs", 2), "--jobs is for cores of this process"),
        (("--workers", 2, "--checkpoint", "c.skops"), "--checkpoint c.skops needs --stream"),
        (("--cluster", "tcp://a:1", "--method", "l1"), "--cluster knows --method l2; l1 needs"),
        (("--workers", 2, "--impute", "median"), "--impute is for all samples in memory"),
        (("--stream", "--screen", 3), "screen=3 needs samples in memory or on workers"),
        (("--workers", 2, "--text", "tree"), "--text goes with --stream --method l2"),
    ],
)
def test_options_that_do_not_go_with_workers_are_refused_before_any_starts(run, options, message):
    found = run("select", "parts", *ASKED, *options)
    assert found.code == 2
    assert message in found.err
    assert "Starting" not in found.err


def test_text_is_refused_before_workers_start(run, tmp_path):
    (tmp_path / "t.csv").write_text("g,tree\n1,a\n2,b\n")
    found = run("select", "t.csv", "--target", "tree", "--workers", 2)
    assert found.code == 2
    assert "t.csv is text, which workers cannot begin to read in the middle" in found.err
    assert "Starting" not in found.err
