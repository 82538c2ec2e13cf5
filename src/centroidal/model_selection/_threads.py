"""One thread a fit, so that times compare and results do not depend on the number of jobs."""

from functools import cache

from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]


def one_thread():
    """Keep linear algebra and OpenMP to one thread inside a with statement."""
    return _thread_pools().limit(limits=1)


@cache
def _thread_pools():
    return ThreadpoolController()  # takes longer than a small fit to look for them
