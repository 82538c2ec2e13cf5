"""Small tables, and the command in this process or in one of its own."""

import os
import subprocess
import sys
from collections import namedtuple

import numpy as np
import pytest

from centroidal.cli.main import main

Result = namedtuple("Result", "code out err")
QUICK = ("--method", "l2", "--repeats", "1", "--folds", "3", "-k", "2")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def run(capsys):
    """Run the command in this process."""

    def run(*args):
        capsys.readouterr()
        code = main([str(arg) for arg in args])
        return Result(code, *capsys.readouterr())

    return run


def run_alone(*args, **options):
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "centroidal.cli", *map(str, args)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    found = subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False, **options
    )
    return Result(found.returncode, found.stdout, found.stderr)


def make_samples(n_samples=36, n_features=6, n_classes=3):
    """Samples of which the first features tell the classes apart, a class each."""
    rng = np.random.default_rng(4)
    codes = np.arange(n_samples) % n_classes
    X = rng.normal(size=(n_samples, n_features))
    X += 4.0 * np.eye(n_classes, n_features)[codes]
    return np.round(X, 3), np.array(["ash", "elm", "oak", "yew"])[codes]


def csv_lines(X, y, names=None, ids=None, target="tree"):
    """Rows of a table of text, with the labels last."""
    names = [f"g{j}" for j in range(X.shape[1])] if names is None else names
    pairs = zip(X.tolist(), y, strict=True)
    rows = [[*names, target]] + [[*map(repr, row), label] for row, label in pairs]
    if ids is not None:
        rows = [[cell, *row] for cell, row in zip(["sample", *ids], rows, strict=True)]
    return rows


def write_csv(path, X, y, separator=",", **options):
    lines = [separator.join(row) for row in csv_lines(X, y, **options)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def trees(tmp_path):
    """A table of 36 trees, 6 features, 3 classes."""
    return write_csv(tmp_path / "trees.csv", *make_samples())


def files(folder):
    """Names of all files in a folder, hidden ones as well."""
    return sorted(path.name for path in folder.iterdir())
