"""The one place where threads are handed out: fixed blocks of work, results in a fixed order."""

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral

from joblib import effective_n_jobs

_COLUMNS_PER_BLOCK = 512
_ENTRIES_PER_BLOCK = 2**18  # as many as a cache holds


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
