"""The one decorator for compiled loops; numba and its options are chosen here.

numba takes long to import, so it waits for the first call of a loop.
"""

from threading import Lock
from uuid import uuid4

# Serial, without the GIL, division as in NumPy; no wrapper for callers that we do not have.
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_LOCK = Lock()
_PROCESS = uuid4().hex


class compiled:
    """A serial loop that releases the GIL, compiled when a loop of its module is first called.

    All loops of the module are replaced at once, because they call each other.
    """

    def __init__(self, function):
        self._function = function

    def __call__(self, *args):
        module = self._function.__globals__
        with _LOCK:
            waiting = {name: loop for name, loop in module.items() if isinstance(loop, compiled)}
            module.update({name: _compile(loop._function) for name, loop in waiting.items()})
        return module[self._function.__name__](*args)


def _compile(function):
    """Compile when the types are known; cached on disk where that is possible."""
    import numba

    try:
        loop = numba.njit(cache=True, **_OPTIONS)(function)
        # Processes that compile at the same time would number their files alike, and one would read
        # what another has compiled for other types.
        if hasattr(loop, "_cache"):  # not where compiling is switched off
            files = loop._cache._cache_file
            files._data_name_pattern = files._data_name_pattern.replace(".nbc", f".{_PROCESS}.nbc")
        return loop
    except RuntimeError:
        # No folder to write a cache to (a read-only installation): compile once a process instead.
        return numba.njit(**_OPTIONS)(function)
