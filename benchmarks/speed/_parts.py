"""Data for the cases that stream: files of a folder, and blocks that workers make themselves."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["make_block", "make_labels", "write_parquet"]


def write_parquet(folder, n_files, n_rows, n_features, dtype, n_classes=2, n_copies=1, named=False):
    """Write normal numbers and a column ``y`` as pyarrow does by default; copies are links.

    The labels are numbers, or names.
    """
    folder.mkdir()
    rng = np.random.default_rng(0)
    for i in range(n_files):
        X = rng.standard_normal((n_features, n_rows), dtype=dtype)
        columns = {f"feature{j}": column for j, column in enumerate(X)}
        codes = rng.integers(0, n_classes, n_rows)
        columns["y"] = np.char.add("class ", codes.astype(str)) if named else codes
        path = folder / f"part-000-{i:03d}.parquet"
        pq.write_table(pa.table(columns), path)
        for copy in range(1, n_copies):
            os.link(path, folder / f"part-{copy:03d}-{i:03d}.parquet")


def make_block(seed, n_rows, n_features):
    """Make a block of samples, the same wherever it is made."""
    return np.random.default_rng(seed).standard_normal((n_rows, n_features))


def make_labels(seed, n_rows, n_classes=2):
    """Make the labels of a block."""
    return np.random.default_rng([seed, 1]).integers(0, n_classes, n_rows)
