"""The command line against reading the same table with pandas: whole processes, start included."""

import subprocess
import sys
import tempfile
from pathlib import Path

from centroidal.datasets import make_expression
from centroidal.io import read_table
from centroidal.model_selection import select_features

from ._measure import seconds

__all__ = ["CASES"]

_IMPORTS = "import centroidal.io, centroidal.model_selection"
_READ = "import sys, sklearn, pandas; pandas.read_csv(sys.argv[1])"


def select(n_jobs):
    """Select with k auto from a CSV file: at most 3 times as long as importing and reading."""
    del n_jobs  # the command uses one process if nothing is said
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.csv"
        _write_table(path, 200, 20_000)
        command = [
            "-m",
            "centroidal.cli",
            "select",
            str(path),
            "--target",
            "kind",
            "--json",
            "--quiet",
        ]
        table = read_table(path, target="kind")
        parts = {
            "imports": _best(lambda: _run("-c", _IMPORTS)) - _best(lambda: _run("-c", "")),
            "reading": _best(lambda: read_table(path, target="kind")),
            "selecting": _best(lambda: select_features(table.X, table.y, random_state=0)),
        }
        return {
            "case": "centroidal select, CSV of 200 x 20000, k auto, nested in 3 x 5 folds",
            "ours": _best(lambda: _run(*command)),
            "limit": (
                "import sklearn, pandas.read_csv in a process",
                _best(lambda: _run("-c", _READ, str(path))),
                3.0,
            ),
            "note": ", ".join(f"{name} {taken:.2f} s" for name, taken in parts.items()),
        }


def _best(call):
    return min(seconds(call) for _ in range(5))


def _run(*arguments):
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def _write_table(path, n_samples, n_features):
    made = make_expression(n_samples, n_features, random_state=0)
    with path.open("w") as file:
        file.write(",".join(["kind", *made.feature_names]) + "\n")
        for values, label in zip(made.data, made.target, strict=True):
            file.write(",".join([f"class {label}", *(f"{value:.6g}" for value in values)]) + "\n")


CASES = (select,)
