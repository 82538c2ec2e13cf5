"""skfeature's RFS, where it is installed: run in a process of its own that has a time limit.

It inverts a diagonal matrix of the size features plus samples as if it were dense, and stops when
the objective changes by less than 0.001.
"""

import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

__all__ = ["PEER", "PeerRun", "is_installed", "run_peer"]

PEER = "skfeature RFS"
PROCESS = Path(__file__).with_name("_peer_process.py")


class PeerRun(NamedTuple):
    """Seconds of clock and processor, objective after each iteration, weights unless ended."""

    seconds: float
    cpu_seconds: float
    objectives: list[float]
    weights: np.ndarray | None

    @property
    def outcome(self):
        """How it ended, in words."""
        n_iter = len(self.objectives)
        if self.weights is None:
            return f"stopped after {self.seconds:.0f} s, {n_iter} iterations"
        return f"ended by its own rule after {n_iter} iterations"


def is_installed():
    return find_spec("skfeature") is not None


def run_peer(X, y, alpha, limit, n_threads):
    """Run RFS with an absolute penalty; end it after `limit` seconds."""
    with tempfile.TemporaryDirectory() as folder:
        problem, found = Path(folder) / "problem.npz", Path(folder) / "weights.npy"
        np.savez(problem, X=X, y=y, alpha=alpha)
        command = [sys.executable, "-u", str(PROCESS), str(problem), str(found)]
        start, cpu_start = time.perf_counter(), cpu_seconds_of_children()
        output = run_limited(command, limit, n_threads)
        seconds, cpu_seconds = time.perf_counter() - start, cpu_seconds_of_children() - cpu_start
        weights = np.load(found) if found.exists() else None
    return PeerRun(seconds, cpu_seconds, read_objectives(output), weights)


def cpu_seconds_of_children():
    """Processor seconds of all processes that were started and have ended."""
    times = os.times()
    return times.children_user + times.children_system


def run_limited(command, limit, n_threads):
    """Return what a command has printed when it ends, or is ended."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(n_threads))
    try:
        ended = subprocess.run(
            command,
            env=os.environ | threads,
            stdout=subprocess.PIPE,
            timeout=limit,
            check=True,
        )
    except subprocess.TimeoutExpired as expired:
        return (expired.stdout or b"").decode()
    return ended.stdout.decode()


def read_objectives(output):
    """Read lines "obj at iter 3: 41.2"; the last may be cut off."""
    lines = [line for line in output.splitlines(keepends=True) if line.endswith("\n")]
    return [float(line.rsplit(":", 1)[1]) for line in lines if line.startswith("obj at iter")]
