"""Passes over batches: codes of labels, and blocks of columns of which all rows are read."""

import numpy as np
from scipy import sparse

from .._data import label_codes
from .._state import check_state
from ..classifiers.sparse_center_rule import ColumnSummary
from ..statistics import ClassMedians, ClassMoments
from .labels import hash_names


class RowCount:
    """Counts the rows that are read, in all passes over them, and reports progress.

    It calls ``progress(n_rows_done, n_rows, what)``; `n_rows` is for one pass, and `n_done` rows
    were read before.
    """

    def __init__(self, progress, n_rows, n_passes, n_done):
        self._progress, self.n_done = progress, n_done
        self._n_rows, self._n_passes = n_rows, n_passes

    def skip(self, n_passes):
        """Count passes that are not needed after all."""
        if n_passes:
            self.add(n_passes * self._n_rows)

    def add(self, n_rows):
        """Count further rows."""
        self.n_done += n_rows
        number = -(-self.n_done // self._n_rows)
        what = f"pass {number} of {self._n_passes}"
        self._progress(self.n_done, self._n_rows * self._n_passes, what)


def codes_of(batch, classes):
    """Return the place of each label among the classes; raise if one is not there."""
    codes = label_codes(batch.y, classes)
    if (codes < 0).any():
        row = int(np.argmin(codes))
        raise ValueError(
            f"Batch {batch.number}: the label {batch.y[row].item()!r} in {_file_of(batch, row)} is "
            f"not among classes={classes.tolist()}."
        )
    return codes


def _file_of(batch, row):
    for name, n_rows in batch.files:
        if row < n_rows:
            return name
        row -= n_rows
    raise IndexError(row)


def block_width(batches, memory):
    """Columns of which all rows fit in memory, at least one."""
    column_bytes = batches.value_bytes * batches.n_samples
    return int(min(max(memory // column_bytes, 1), batches.n_features))


def read_block(block, classes, rows_read):
    """Read all rows of a block of columns: samples, codes, and hashes of groups if there are."""
    n_rows = block.n_samples
    codes = np.empty(n_rows, dtype=np.int32)
    groups = None if block.groups is None else np.empty(n_rows, dtype=np.uint64)
    X, parts, at = None, [], 0
    for batch in block:
        rows = slice(at, at + batch.y.size)
        codes[rows] = codes_of(batch, classes)
        if groups is not None:
            groups[rows] = hash_names(batch.groups)
        if sparse.issparse(batch.X):
            parts.append(batch.X)
        else:
            X = np.empty((n_rows, block.n_features), batch.X.dtype) if X is None else X
            X[rows] = batch.X
        at = rows.stop
        rows_read.add(batch.y.size)
    return sparse.vstack(parts, format="csr") if parts else X, codes, groups


def summary_arrays(summary):
    """Turn a summary into what a model file may hold: arrays under names."""
    arrays = {f"medians_{name}": array for name, array in summary.medians._asdict().items()}
    if summary.moments is not None:
        arrays |= {"means": summary.moments.means, "squares": summary.moments.squares}
    if summary.deviations is not None:
        arrays["deviations"] = summary.deviations
    return arrays


def moments_from_arrays(arrays, n_classes, n_features):
    """Return the class moments that a checkpoint holds, after a check of them."""
    moments = ClassMoments(**arrays)
    check_state(moments, classes=n_classes, features=n_features)
    return moments


def summaries_from_arrays(parts, n_classes, n_columns):
    """Undo `summary_arrays` for blocks of columns, so many together, after a check of them."""
    summaries = [_summary_from_arrays(part) for part in parts]
    for summary in summaries:
        check_state(summary, classes=n_classes, features=summary.medians.shared.size)
    n_found = sum(summary.medians.shared.size for summary in summaries)
    if n_found != n_columns:
        raise ValueError(f"it holds {n_found} columns, not the {n_columns} that were read")
    return summaries


def _summary_from_arrays(arrays):
    medians = ClassMedians(*(arrays[f"medians_{name}"] for name in ClassMedians._fields))
    moments = None
    if "means" in arrays:
        moments = ClassMoments(medians.counts, arrays["means"], arrays["squares"])
    return ColumnSummary(moments, medians, arrays.get("deviations"))
