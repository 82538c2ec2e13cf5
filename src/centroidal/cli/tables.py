"""Tables out: columns of anything, then features, as CSV or Parquet."""

import csv
import io
import math

import numpy as np
from scipy.sparse import issparse

from .._optional import require
from ..io.models import write_whole

__all__ = ["write_columns", "write_table"]

_ROWS_AT_ONCE = 256


def write_columns(path, columns, force):
    """Write columns of equal length, by name, as CSV; numbers so that they read back exactly."""
    write_whole(path, _csv(columns, zip(*columns.values(), strict=True)), force=force)


def write_table(path, first, X, names, force):
    """Write a table whose first columns are given by name; the format is that of the suffix."""
    if path.suffix == ".parquet":
        content = _parquet(first, X, names)
    else:
        content = _csv([*first, *names], _rows(first, X))
    write_whole(path, content, force=force)


def _csv(header, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8", "surrogatepass")


def _cell(value):
    return "" if isinstance(value, float) and math.isnan(value) else value


def _rows(first, X):
    """Yield rows as lists; of a sparse table only a few are dense at a time."""
    columns = [_values(column) for column in first.values()]
    for start in range(0, X.shape[0], _ROWS_AT_ONCE):
        part = X[start : start + _ROWS_AT_ONCE]
        for i, row in enumerate((part.toarray() if issparse(part) else part).tolist(), start):
            yield [*(column[i] for column in columns), *row]


def _values(column):
    return column.tolist() if isinstance(column, np.ndarray) else column


def _parquet(first, X, names):
    pyarrow = require("pyarrow", "io", "Writing .parquet")
    parquet = require("pyarrow.parquet", "io", "Writing .parquet")
    X = X.tocsc() if issparse(X) else X
    columns = {name: pyarrow.array(_values(column)) for name, column in first.items()}
    for j, name in enumerate(names):
        column = X[:, [j]].toarray().ravel() if issparse(X) else X[:, j]
        columns[str(name)] = pyarrow.array(column, from_pandas=True)  # NaN is missing
    content = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), content)
    return content.getvalue()
