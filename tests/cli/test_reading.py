"""How tables come in: marks of other countries, the standard input, folders."""

import gzip
import json
import subprocess
import sys

import pytest

from .formats import SHEET, write_format, write_sheet

ROWS = [("a", "1.5", "0"), ("b", "2.5", "1"), ("a", "1.25", "1"), ("b", "2.75", "0")] * 5


def text(separator=",", decimal="."):
    lines = [separator.join(("kind", "x", "z"))]
    lines += [separator.join((kind, x.replace(".", decimal), z)) for kind, x, z in ROWS]
    return "\n".join(lines)


def selected(found):
    return json.loads(found.out)["selection"]["features"]


def test_decimal_commas_and_semicolons_when_said(run, tmp_path):
    path = tmp_path / "T.csv"
    path.write_text(text(";", ","))
    words = ("select", path, "--target", "kind", "--json")
    assert run(*words).code == 2
    found = run(*words, "--delimiter", ";", "--decimal", ",")
    (tmp_path / "P.csv").write_text(text())
    assert selected(found) == selected(run("select", tmp_path / "P.csv", *words[2:]))


def test_unknown_delimiter_is_refused(run):
    found = run("select", "T.csv", "--target", "kind", "--delimiter", "x")
    assert found.code == 2
    assert "--delimiter" in found.err


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_table_comes_in_from_the_standard_input(pack):
    command = [sys.executable, "-m", "centroidal.cli", "select", "-", "--target", "kind", "--json"]
    found = subprocess.run(command, input=pack(text().encode()), capture_output=True, check=True)
    values = json.loads(found.stdout)
    assert values["table"]["n_samples"] == 20
    assert values["table"]["source"].startswith("standard_input.csv")


def test_empty_standard_input_is_told():
    command = [sys.executable, "-m", "centroidal.cli", "select", "-", "--target", "kind", "--json"]
    found = subprocess.run(command, input=b"", capture_output=True, check=False)
    assert found.returncode == 2
    assert b"nothing came in" in found.stderr


def test_folder_that_is_none_of_ours_is_told_truly(run, tmp_path):
    found = run("select", tmp_path, "--target", "kind")
    assert found.code == 2
    assert "matrix.mtx" in found.err


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("10x", ("--stream",), "folder of 10x, which cannot be read in batches"),
        ("workbook", ("--stream",), "into memory, with read_table (without --stream)"),
        ("transposed", (), "but a row of that name: samples seem to be in columns"),
        ("decimal commas", (), "may have decimal commas if decimal=',' (--decimal ,) says so"),
        ("svmlight", SHEET, "svmlight file cannot have any, others can"),
        ("geo", ("--stream",), "series matrix of GEO, which cannot be read in batches"),
    ],
)
def test_advice_is_true_of_the_format(run, name, options, words):
    path, _, _ = write_format(name)
    write_sheet()
    found = run("select", path, "--target", "tree", *options)
    assert found.code == 2
    assert words in " ".join(found.err.split())
