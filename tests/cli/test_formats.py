"""Every format: written by its own tool, read, and selected from; and each that was cut, named."""

import io
import json

import pytest

from ..l2 import select_features
from .conftest import QUICK
from .formats import FORMATS, X, Y, text, write_format


def check(found, names):
    """See that a selection is that of the arrays."""
    assert found.code == 0, found.err
    selection = json.loads(found.out)["selection"]
    here = select_features(X, Y, n_features_to_select=2, cv=3, n_repeats=1, random_state=0)
    assert selection["score"] == pytest.approx(here.score, abs=1e-12)
    assert [row["feature"] for row in selection["features"]] == [names[j] for j in here.selected]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_selection(run, name):
    path, options, names = write_format(name)
    check(run("select", path, *options, *QUICK, "--json"), names)


def test_standard_input_gives_the_same_selection(run, monkeypatch):
    _, options, names = write_format("csv")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text().encode())))
    check(run("select", "-", *options, *QUICK, "--json"), names)


@pytest.mark.parametrize(
    "name", sorted(FORMATS.keys() - {"svmlight"})
)  # any row of it may be a whole one
def test_file_that_was_cut_is_named(run, name):
    path, options, _ = write_format(name)
    cut = max(path.rglob("*"), key=lambda each: each.stat().st_size) if path.is_dir() else path
    content = cut.read_bytes()
    cut.write_bytes(content[: len(content) // 2])
    found = run("select", path, *options, *QUICK)
    assert found.code == 2
    assert path.name in found.err
    assert "Traceback" not in found.err
