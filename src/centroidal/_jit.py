"""The one decorator for compiled loops; numba and its options are chosen here.

Only the `_loops.py` files import this module, and they are themselves imported inside the functions
that call them, so that `import centroidal` does not load numba.
"""

import gc

__all__ = ["compiled"]


def _load_numba():
    """Import numba and what it loads at the first call.

    The garbage collector is paused: it would find nothing, and take a third of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        import numba
        from numba.core.registry import cpu_target

        cpu_target.target_context.refresh()
    finally:
        if was_enabled:
            gc.enable()
    return numba


_numba = _load_numba()

# Serial, without the GIL, division as in NumPy; no wrapper for callers that we do not have.
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def compiled(function):
    """Compile a serial loop that releases the GIL and is cached on disk where that is possible."""
    try:
        return _numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:
        # No folder to write a cache to (a read-only installation): compile once a process instead.
        return _numba.njit(**_OPTIONS)(function)
