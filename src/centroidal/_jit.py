"""The one decorator for compiled loops; numba and its options are chosen here.

Only the `_loops.py` files import this module, and they are themselves imported inside the functions
that call them, so that `import centroidal` does not load numba.
"""

import numba

__all__ = ["compiled"]

# Serial, without the GIL, division as in NumPy; no wrapper for callers that we do not have.
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def compiled(function):
    """Compile a serial loop that releases the GIL and is cached on disk where that is possible."""
    try:
        return numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:
        # No folder to write a cache to (a read-only installation): compile once a process instead.
        return numba.njit(**_OPTIONS)(function)
