"""The command line against reading the same table with pandas: whole processes, start included.

Times are those of the processor, in all threads, so that others on the machine do not count.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from centroidal.datasets import make_expression

__all__ = ["CASES"]

_REPEATS = 3
_READ = "import sys, sklearn, pandas; pandas.read_csv(sys.argv[1])"
# What the command does, one part after the other, in a process that has done nothing before.
_PARTS = """
import json, sys, time
clock = [time.process_time()]
import sklearn
clock.append(time.process_time())
from centroidal.io import read_table
from centroidal.model_selection import select_features
clock.append(time.process_time())
table = read_table(sys.argv[1], target="kind")
clock.append(time.process_time())
select_features(table.X, table.y, method="l2", n_jobs=-1, random_state=0)
clock.append(time.process_time())
names = ["import sklearn", "other imports", "reading", "selecting"]
print(json.dumps({name: b - a for name, a, b in zip(names, clock, clock[1:])}))
"""


def select(n_jobs):
    """Select with k auto from a CSV file: at most 3 times as long as importing and reading."""
    del n_jobs  # the command uses all cores if nothing is said
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.csv"
        _write_table(path, 200, 20_000)
        command = _command(path, "l2")
        _run(*command)  # compiles
        ours, limit, parts = [], [], []
        for _ in range(_REPEATS):
            ours.append(_cpu_seconds(*command))
            limit.append(_cpu_seconds("-c", _READ, str(path)))
            parts.append(json.loads(_run("-c", _PARTS, str(path))))
        taken = {name: [run[name] for run in parts] for name in parts[0]}
        return {
            "case": "centroidal select by l2, CSV of 200 x 20000, k auto, nested in 5 x 5 folds",
            "ours": min(ours),
            "limit": ("import sklearn, pandas.read_csv in a process", min(limit), 3.0),
            "note": f"seconds of the processor, best of {_REPEATS} each, in turn; the parts in "
            f"{_REPEATS} processes that do nothing else, best and median: "
            + ", ".join(f"{part} {min(s):.2f} and {median(s):.2f} s" for part, s in taken.items()),
        }


def select_by_default(n_jobs):
    """Do the same by the default method: at most 3 times as long as by l2."""
    del n_jobs
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.csv"
        _write_table(path, 200, 20_000)
        methods = ("auto", "l2")
        for method in methods:
            _run(*_command(path, method))  # compiles
        taken = [[_cpu_seconds(*_command(path, each)) for each in methods] for _ in range(_REPEATS)]
        ours, limit = map(min, zip(*taken, strict=True))
        return {
            "case": "centroidal select by default (recursive), CSV of 200 x 20000, k auto",
            "ours": ours,
            "limit": ("centroidal select --method l2", limit, 3.0),
            "note": f"seconds of the processor, best of {_REPEATS} each, in turn",
        }


def _command(path, method):
    asked = ["--target", "kind", "--method", method, "--json", "--quiet"]
    return ["-m", "centroidal.cli", "select", str(path), *asked]


def _cpu_seconds(*arguments):
    before = os.times()
    _run(*arguments)
    after = os.times()
    start, end = (each.children_user + each.children_system for each in (before, after))
    return end - start


def _run(*arguments):
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _write_table(path, n_samples, n_features):
    made = make_expression(n_samples, n_features, random_state=0)
    with path.open("w") as file:
        file.write(",".join(["kind", *made.feature_names]) + "\n")
        for values, label in zip(made.data, made.target, strict=True):
            file.write(",".join([f"class {label}", *(f"{value:.6g}" for value in values)]) + "\n")


CASES = (select, select_by_default)
