"""Loops are compiled at the first call of one of them, whoever calls first."""

import os
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


COMPILE = """
import numpy as np
from centroidal.statistics import class_moments

class_moments(np.eye(4, dtype={dtype!r}), np.array([0, 0, 1, 1], dtype=np.int32), 2)
"""


def test_files_of_two_processes_have_names_of_their_own(tmp_path):
    for dtype in ("int8", "float32"):
        program = COMPILE.format(dtype=dtype)
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
        subprocess.run([sys.executable, "-c", program], check=True, env=environment)
        for index in tmp_path.rglob("*.nbi"):  # as if both had begun with none
            index.unlink()
    assert len(list(tmp_path.rglob("*add_row_major*.nbc"))) == 2
