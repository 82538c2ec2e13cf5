"""The one place where threads are handed out: fixed blocks of work, results in a fixed order."""

from joblib import Parallel, delayed

__all__ = ["column_blocks", "map_blocks", "run_blocks"]

_COLUMNS_PER_BLOCK = 512


def column_blocks(n_columns, width=_COLUMNS_PER_BLOCK):
    """Cut the columns into blocks that depend on their number alone, never on the threads."""
    return [(start, min(start + width, n_columns)) for start in range(0, n_columns, width)]


def map_blocks(function, blocks, n_jobs=None):
    """Call `function(*block)` for each block in threads; yield the results in order.

    At most twice `n_jobs` blocks are under way or waiting at a time, so memory does not grow with
    their number.
    """
    parallel = Parallel(
        n_jobs=n_jobs,
        require="sharedmem",
        return_as="generator",
        batch_size=1,
        pre_dispatch="2*n_jobs",
    )
    return parallel(delayed(function)(*block) for block in blocks)


def run_blocks(function, blocks, n_jobs=None):
    """Call `function(*block)` for each block in threads; it writes its results in place."""
    for _ in map_blocks(function, blocks, n_jobs):
        pass
