"""Work in processes of its own: killed at a chosen moment, or with its memory counted.

Imports take seconds. So one process imports everything at the first request, and is forked for each
piece of work; it has no threads itself.
"""

import atexit
import contextlib
import os
import pickle
import re
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from centroidal import SparseCenterClassifier
from centroidal.streaming import batches

__all__ = [
    "MOMENTS",
    "Work",
    "call",
    "counts_memory",
    "die",
    "fork",
    "forks",
    "megabytes",
    "megabytes_of_data",
]

PATIENCE = 300  # seconds, where only work that hangs takes so long

# When to die: where what share of the rows is done, and what comes next. Whatever a killed process
# leaves is on the disk: no file, the file before or the file after, with half a file beside it.
MOMENTS = [
    (0.0, "writing"),  # there is half of a first checkpoint
    (0.0, "telling"),
    (0.4, "writing"),
    (0.6, "telling"),
    (1.0, "telling"),
    (1.0, "writing"),  # of the result
]


def forks(test):
    """Mark a test whose work is done in processes that are forked from one."""
    is_missing = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
    return pytest.mark.once(pytest.mark.xdist_group("children")(is_missing(test)))


def counts_memory(test):
    """Mark a test that asks how much memory some work took."""
    is_missing = pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="reads how much memory the kernel has counted"
    )
    return forks(is_missing(test))


def megabytes_of_data():
    """How large data are of which little may be in memory; more are a matter of patience."""
    return int(os.environ.get("CENTROIDAL_STREAM_MB", "300"))


class Work(NamedTuple):
    """A function of batches with its options, and where and how the batches are read."""

    function: Callable
    source: Path
    reading: dict
    options: dict

    def __call__(self, **more):
        """Do it here."""
        rows = batches(self.source, target="kind", **self.reading)
        return self.function(rows, **self.options, **more)


def die(work, share, event):
    """Do the work in a process that is killed at a moment; say whether it was."""
    return call(_work_until, work, share, event) is None


def megabytes(work, before=None):
    """Do the work in a process of its own; how many megabytes it took at most.

    What is done before does not count.
    """
    return call(_count_megabytes, work, before)


# ------------------------------------------------------------------ in the process of the tests


def fork(function, *arguments):
    """Call a function in a process of its own, with a file `answer` to write to.

    Returns the bytes that it wrote, and how it ended.
    """
    server = _server()
    pickle.dump((function, arguments), server.stdin)
    server.stdin.flush()
    return pickle.load(server.stdout)


def call(function, *arguments):
    """Call a function in a process of its own; return its result, None if it was killed."""
    answer, code = fork(_pickle_result, function, arguments)
    if code == -signal.SIGKILL:
        return None
    assert code == 0, f"{function.__name__} ended with {code}\n{answer.decode()}"
    return pickle.loads(answer)


@cache
def _server():
    """Start the process that is forked, which ends when nobody can write to it any more."""
    server = subprocess.Popen(
        [sys.executable, "-c", f"from {__name__} import _serve; _serve()"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    atexit.register(server.communicate)
    return server


# ------------------------------------------------------------------ in the process that is forked


def _serve():
    """Answer requests until there are no more."""
    import h5py  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import skops.io  # noqa: F401

    SparseCenterClassifier().partial_fit(np.eye(3), [0, 1, 0], classes=[0, 1])
    with contextlib.suppress(EOFError):
        while True:
            function, arguments = pickle.load(sys.stdin.buffer)
            pickle.dump(_call_in_fork(function, arguments), sys.stdout.buffer)
            sys.stdout.flush()


def _call_in_fork(function, arguments):
    """Call a function in a fork; return what it wrote, and how it ended."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        with open(write, "wb") as answer:
            code = _call(function, arguments, answer)
        os._exit(code)
    os.close(write)
    with open(read, "rb") as stream:
        answer = stream.read()
    return answer, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


# ------------------------------------------------------------------ in a fork of it


def _call(function, arguments, answer):
    signal.alarm(PATIENCE)
    warnings.simplefilter("error")
    try:
        function(*arguments, answer=answer)
    except BaseException:
        answer.write(traceback.format_exc().encode())
        return 1
    return 0


def _pickle_result(function, arguments, *, answer):
    pickle.dump(function(*arguments), answer)


def _work_until(work, share, event):
    """Do the work, and end without any farewell at a moment."""
    done = 0.0

    def progress(n_rows_done, n_rows, what):
        nonlocal done
        done = n_rows_done / n_rows
        if event == "telling" and done >= share:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch(name, arguments):
        """Leave half of a file that is written and about to be put in its place."""
        if name == "os.rename" and str(arguments[1]).endswith(".skops") and done >= share:
            os.truncate(arguments[0], os.path.getsize(arguments[0]) // 2)
            os.kill(os.getpid(), signal.SIGKILL)

    if event == "writing":
        sys.addaudithook(watch)
    work(progress=progress)
    return "came to its end"


def _count_megabytes(work, before):
    if before is not None:
        before()
    start = _peak()
    work()
    return _peak() - start


def _peak():
    """Return the most megabytes that this process ever had.

    `resource.getrusage` would not do: on Linux a child begins with the peak of its parent, which
    hides whatever stays below it.
    """
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 2**10
