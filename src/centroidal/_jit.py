"""The one decorator for compiled loops; numba's options are chosen here.

Only the `_loops.py` files import this module, and they are themselves imported inside the functions
that call them, so that `import centroidal` does not load numba.
"""

from numba import njit

__all__ = ["compiled"]


def compiled(function):
    """Compile a serial loop that releases the GIL and is cached on disk where that is possible."""
    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:
        # No folder to write a cache to (a read-only installation): compile once a process instead.
        return njit(nogil=True)(function)
