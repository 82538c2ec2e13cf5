"""Loops are compiled at the first call of one of them, whoever calls first."""

import subprocess
import sys

FIRST_CALLS = """
import sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from centroidal.solvers.ranking import rank_features

assert "numba" not in sys.modules
scores = np.array([1.0, 3.0, 2.0])
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(rank_features, [scores] * 16))
assert "numba" in sys.modules
assert np.array_equal(found, np.tile([1, 2, 0], (16, 1)))
"""


def test_first_calls_may_come_from_several_threads():
    done = subprocess.run([sys.executable, "-c", FIRST_CALLS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
