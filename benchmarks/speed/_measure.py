"""Time and memory of a call, repeated; the best time counts, because noise only adds."""

import time
import tracemalloc
from typing import NamedTuple

__all__ = ["Measured", "cpu_seconds", "measure", "measure_once", "peak_memory", "seconds"]


class Measured(NamedTuple):
    """Best time in seconds, and peak memory beyond what was there before, in MB."""

    seconds: float
    extra_mb: float


def measure(call, repeats=5):
    """Call once to warm up, once while watching memory, and `repeats` times for the time."""
    call()
    extra = peak_memory(call)
    return Measured(min(seconds(call) for _ in range(repeats)), extra)


def measure_once(call):
    """Time and memory of a single long call; watching memory costs it a little time."""
    taken = []
    extra = peak_memory(lambda: taken.append(seconds(call)))
    return Measured(taken[0], extra)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def cpu_seconds(call, repeats=5):
    """Best time of the processor, for calls of one thread: others on the machine do not count."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def peak_memory(call):
    """Peak of what Python and NumPy allocated during the call, the result included, in MB."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20
