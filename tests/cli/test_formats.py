"""Every format: written by its own tool, read, selected from and predicted; what was cut, named."""

import io
import json

import pandas as pd
import pytest

from ..l2 import select_features
from .conftest import QUICK
from .formats import FORMATS, SHEET, X, Y, text, write_format


@pytest.fixture(scope="module")
def expected():
    return select_features(X, Y, n_features_to_select=2, cv=3, n_repeats=1, random_state=0)


def check(found, names, expected):
    """See that a selection is that of the arrays."""
    assert found.code == 0, found.err
    selection = json.loads(found.out)["selection"]
    assert selection["score"] == pytest.approx(expected.score, abs=1e-12)
    features = [names[j] for j in expected.selected]
    assert [row["feature"] for row in selection["features"]] == features


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_selection_and_predictions(run, name, expected):
    path, options, names = write_format(name)
    found = run("select", path, *options, *QUICK, "--model", "m.skops", "--json")
    check(found, names, expected)
    reading = () if options[-1] in ("--stream", SHEET[-1]) else options[2:]
    found = run("predict", "m.skops", path, *reading, "--output", "p.csv")
    assert found.code == 0, found.err
    labels = expected.model.predict(X)
    if name == "svmlight":  # which has numbers
        labels = expected.classes.searchsorted(labels)
    assert pd.read_csv("p.csv")["prediction"].tolist() == labels.tolist()


def test_standard_input_gives_the_same_selection(run, monkeypatch, expected):
    _, options, names = write_format("csv")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text().encode())))
    check(run("select", "-", *options, *QUICK, "--json"), names, expected)


# In svmlight any part of a row may be a whole one.
@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"svmlight"}))
def test_file_that_was_cut_is_named(run, name):
    path, options, _ = write_format(name)
    cut = max(path.rglob("*"), key=lambda each: each.stat().st_size) if path.is_dir() else path
    content = cut.read_bytes()
    cut.write_bytes(content[: len(content) // 2])
    found = run("select", path, *options, *QUICK)
    assert found.code == 2
    assert path.name in found.err
    assert "Traceback" not in found.err
