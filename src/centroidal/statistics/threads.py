"""The one place where threads are handed out: fixed blocks of work, results in a fixed order.

Also how many of them linear algebra has.
"""

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, wraps
from numbers import Integral
from threading import Lock

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

_COLUMNS_PER_BLOCK = 512
_ENTRIES_PER_BLOCK = 2**18  # as many as a cache holds
_SMALL_WORK = 2**33  # multiplications that one thread does in about a second
_BLAS_IS_LIMITED = Lock()


def column_blocks(n_columns, width=_COLUMNS_PER_BLOCK):
    """Cut the columns into blocks that depend on their number alone, never on the threads."""
    return [(start, min(start + width, n_columns)) for start in range(0, n_columns, width)]


def row_blocks(n_rows, n_columns):
    """Cut rows into slices of about as many entries as a cache holds."""
    height = max(1, _ENTRIES_PER_BLOCK // n_columns)
    return [slice(start, start + height) for start in range(0, n_rows, height)]


def map_blocks(function, blocks, n_jobs=None):
    """Call `function(*block)` for each block in threads; yield the results in order.

    At most twice as many blocks as threads are under way or waiting, so memory does not grow with
    their number. `n_jobs` means what it means to joblib, and joblib's contexts apply to it.
    """
    # Estimators check it when they are fitted; it may be another one when they predict.
    if n_jobs is not None and not isinstance(n_jobs, Integral):
        raise TypeError(f"n_jobs={n_jobs!r} must be an int or None.")
    n_threads = min(effective_n_jobs(n_jobs), len(blocks))
    if n_threads < 2:
        yield from (function(*block) for block in blocks)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        waiting = deque()
        for block in blocks:
            waiting.append(pool.submit(function, *block))
            if len(waiting) == 2 * n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def run_blocks(function, blocks, n_jobs=None):
    """Call `function(*block)` for each block in threads; it writes its results in place."""
    for _ in map_blocks(function, blocks, n_jobs):
        pass


def one_ahead(items):
    """Yield items, the next of which is made in a thread of its own while one is worked with."""
    items, end = iter(items), object()
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = pool.submit(next, items, end)
            yield item


@contextmanager
def one_blas_thread():
    """Keep BLAS to one thread inside, unless somebody does so already, here or in another thread.

    The number is that of the process: who set it is the one to restore it.
    """
    if not _BLAS_IS_LIMITED.acquire(blocking=False):
        yield
        return
    try:
        with thread_pools().limit(limits=1, user_api="blas"):
            yield
    finally:
        _BLAS_IS_LIMITED.release()


@cache
def thread_pools():
    """Return the libraries with threads of their own."""
    return ThreadpoolController()  # takes longer than a small fit to look for them


@contextmanager
def limit_blas(n_rows, n_columns):
    """Keep BLAS to one thread inside where little is to be done with a matrix of such a shape.

    Its threads wait for one another without a pause: beside a process that holds a core, little
    work takes ten times as long with two threads as with one, and alone it gains nothing to see.
    """
    if n_rows * n_columns * min(n_rows, n_columns) > _SMALL_WORK:
        yield
    else:
        with one_blas_thread():
            yield


def with_limited_blas(shape_of):
    """Decorate linear algebra with a matrix whose shape `shape_of` finds from the arguments."""

    def decorate(function):
        @wraps(function)
        def call_limited(*args, **options):
            with limit_blas(*shape_of(*args)):
                return function(*args, **options)

        return call_limited

    return decorate
