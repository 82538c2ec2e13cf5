"""Time and memory of a call, repeated; the best time counts, because noise only adds."""

import gc
import time
from pathlib import Path
from typing import NamedTuple

__all__ = ["Measured", "measure"]

_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")


class Measured(NamedTuple):
    """Best time in seconds and peak memory beyond what was there before, in MB."""

    seconds: float
    extra_mb: float


def measure(call, repeats=5):
    """Call once to warm up, then `repeats` times; return the best time and the peak memory."""
    call()
    best, peak = float("inf"), 0.0
    for _ in range(repeats):
        gc.collect()
        before = _reset_peak()
        start = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - start)
        peak = max(peak, _read("VmHWM") - before)
        del result
    return Measured(best, peak)


def _reset_peak():
    """Forget the highest memory so far; return the current one. Only Linux knows both."""
    if not _CLEAR_REFS.exists():
        return float("nan")
    _CLEAR_REFS.write_text("5")
    return _read("VmRSS")


def _read(field):
    if not _STATUS.exists():
        return float("nan")
    for line in _STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return float("nan")
