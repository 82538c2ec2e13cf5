"""Files to write: all are checked before any work, each is then an atomic write."""

import csv
import io
import math
import os
import shlex
from pathlib import Path

from .._optional import require
from .messages import InputError, WorkError

__all__ = ["Output", "Outputs", "command_line", "write_columns", "write_report", "write_table"]

_ROWS_AT_ONCE = 256

# What writes a file: the extra, and the packages in it.
_PACKAGES = {
    ".html": ("report", "jinja2", "altair", "vl_convert"),
    ".skops": ("persist", "skops.io"),
    ".parquet": ("io", "pyarrow"),
    ".onnx": ("onnx", "onnx"),
}


class Output:
    """A file to write: the option that names it, its path, and the suffixes it may have.

    One that may exist is not overwritten, but read first.
    """

    def __init__(self, option, path, *suffixes, may_exist=False):
        self.option = option
        self.path = path
        self.suffixes = suffixes
        self.may_exist = may_exist


class Outputs:
    """The files that a command is to write, and those that it has written.

    Parameters
    ----------
    *outputs : Output
        Those with a path of None are not asked for.
    force : bool
        Whether files that exist may be overwritten.
    inputs : iterable of str
        Files that are read, and so must not be overwritten even then.
    """

    def __init__(self, *outputs, force=False, inputs=()):
        self.force = force
        self.written = []
        self._asked = [each for each in outputs if each.path is not None]
        for each in self._asked:
            _check(each, force)
        _check_distinct(self._asked, inputs)
        for each in self._asked:
            _require_packages(Path(each.path).suffix)

    def write(self, option, write):
        """Write the file of an option, if it is asked for, by calling ``write(path, force)``."""
        for each in self._asked:
            if each.option == option:
                try:
                    write(Path(each.path), self.force)
                except OSError as error:
                    raise WorkError(self._failed(each, error)) from error
                except KeyboardInterrupt:
                    raise KeyboardInterrupt(self.summary()) from None
                self.written.append(each.path)

    def summary(self):
        """Say what was written, in half a sentence."""
        return f"written: {', '.join(self.written)}" if self.written else "nothing was written"

    def _failed(self, output, error):
        reason = error.strerror or str(error)
        return f"{output.option} {output.path} could not be written: {reason}; {self.summary()}."


def _check(output, force):
    option, path, suffixes = output.option, Path(output.path), output.suffixes
    if path.suffix not in suffixes or "\0" in output.path:
        raise InputError(f"{option} {output.path} must end in {' or '.join(suffixes)}.")
    if path.is_dir():
        raise InputError(f"{option} {output.path} is a folder, not a file.")
    if not path.parent.is_dir():
        raise InputError(f"{option} {output.path}: there is no folder {path.parent}.")
    if path.exists() and not (force or output.may_exist):
        raise InputError(f"{option} {output.path} exists; --force overwrites it.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{option} {output.path}: the folder {path.parent} must not be written.")


def _require_packages(suffix):
    extra, *packages = _PACKAGES.get(suffix, (None,))
    for package in packages:
        require(package, extra, f"Writing {suffix}")


def _check_distinct(outputs, inputs):
    seen = {Path(path).resolve(): "the input" for path in inputs}
    for each in outputs:
        path = Path(each.path).resolve()
        if path in seen:
            raise InputError(f"{each.option} {each.path} is the same file as {seen[path]}.")
        seen[path] = each.option


def command_line(args):
    """Return the command as it was given."""
    return shlex.join(["centroidal", *args.argv])


def write_report(outputs, args, selection=None, comparison=None, table=None):
    """Write the report, if it is asked for."""

    def write(path, force):
        from ..report import write_report as write_page

        command = command_line(args)
        write_page(path, selection, comparison, table=table, command=command, force=force)

    outputs.write("--report", write)


# ------------------------------------------------------------------ tables


def write_columns(path, columns, force):
    """Write columns of equal length, by name, as CSV; numbers so that they read back exactly."""
    _write_file(path, _csv(columns, zip(*columns.values(), strict=True)), force)


def write_table(path, first, X, names, force):
    """Write a table whose first columns are given by name; the format is that of the suffix."""
    if path.suffix == ".parquet":
        content = _parquet(first, X, names)
    else:
        content = _csv([*first, *names], _rows(first, X))
    _write_file(path, content, force)


def _write_file(path, content, force):
    from .._files import write_atomically

    write_atomically(path, content, force=force)


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
    from scipy.sparse import issparse

    columns = [_values(column) for column in first.values()]
    for start in range(0, X.shape[0], _ROWS_AT_ONCE):
        part = X[start : start + _ROWS_AT_ONCE]
        for i, row in enumerate((part.toarray() if issparse(part) else part).tolist(), start):
            yield [*(column[i] for column in columns), *row]


def _values(column):
    return column.tolist() if hasattr(column, "tolist") else column


def _parquet(first, X, names):
    pyarrow = require("pyarrow", "io", "Writing .parquet")
    parquet = require("pyarrow.parquet", "io", "Writing .parquet")
    from scipy.sparse import issparse

    X = X.tocsc() if issparse(X) else X
    columns = {name: pyarrow.array(_values(column)) for name, column in first.items()}
    for j, name in enumerate(names):
        column = X[:, [j]].toarray().ravel() if issparse(X) else X[:, j]
        columns[str(name)] = pyarrow.array(column, from_pandas=True)  # NaN is missing
    content = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), content)
    return content.getvalue()
