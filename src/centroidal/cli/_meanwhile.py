"""What the work needs is loaded while a table is read: parsing leaves Python idle."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module

__all__ = ["loading_loops"]

_LOOPS = ("centroidal.statistics._loops", "centroidal.solvers._loops")


@contextmanager
def loading_loops():
    """Load numba and the compiled loops in a thread; at the end they are there."""
    with ThreadPoolExecutor(1, thread_name_prefix="centroidal-loops") as thread:
        loading = [thread.submit(import_module, name) for name in _LOOPS]
        yield
        for each in loading:
            each.result()
