"""Files to read, and to write: these are checked before any work, then written atomically."""

import io
import os
import shlex
import shutil
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from .._files import suffix_of, write_atomically
from .._optional import require
from .messages import InputError, WorkError, input_errors
from .options import option_value

_ROWS_AT_ONCE = 256

# What writes a file: the extra, and the packages in it.
_PACKAGES = {
    ".html": ("report", "jinja2", "altair", "vl_convert"),
    ".skops": ("persist", "skops.io"),
    ".parquet": ("io", "pyarrow"),
    ".onnx": ("onnx", "onnx"),
    ".h5ad": ("single-cell", "anndata"),
}


def read_samples(args, messages):
    """Read the table of a command into memory, and say what is unusual about it."""
    table = read_labelled(args, messages, args.impute)
    messages.remarks(table.remarks)
    if args.groups is None and groups_of(args, table) is not None:
        messages.note(
            "Samples of one id stay together in all folds; --groups none takes each by itself."
        )
    return table


@contextmanager
def standard_input(args):
    """Let a table that is called - be what comes in from the standard input."""
    if getattr(args, "table", None) != "-":
        yield
        return
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("- is the standard input: let another command write a table into it.")
    data = sys.stdin.buffer.read()
    if not data:
        raise InputError("- is the standard input, and nothing came in.")
    kinds = {b"\x1f\x8b": ".csv.gz", b"PAR1": ".parquet", b"PK\x03\x04": ".xlsx"}
    kinds |= {b"\x28\xb5\x2f\xfd": ".csv.zst", b"\x89HDF": ".h5ad"}
    suffix = next((kind for mark, kind in kinds.items() if data.startswith(mark)), ".csv")
    with TemporaryDirectory(prefix="centroidal-") as folder:
        args.table = str(Path(folder) / f"standard_input{suffix}")
        Path(args.table).write_bytes(data)
        yield


def read_labelled(args, messages, impute, card=None):
    """Read a table with labels into memory; with the card of a model as that of training."""
    from ..io.prediction import read_like_training

    if getattr(args, "text", None) is not None:
        return _read_documents(args, messages)
    if Path(args.table).is_dir() and any(Path(args.table).rglob("*.parquet")):
        who = f"select --stream and predict read one, {args.command} reads a file of all samples"
        who = "--stream reads it" if args.command == "select" else who
        raise InputError(f"{args.table} is a folder, not a file; {who}.")
    messages.note(f"Reading {args.table} ...")
    asked = {args.groups, getattr(args, "blocks", None), *getattr(args, "covariates", ())}
    annotations = sorted(asked - {None, "none", args.id})
    with input_errors():
        return read_like_training(
            args.table, card, target=args.target, ids=args.id, drop=args.drop,
            transpose=args.transpose, layer=args.layer, impute=impute,
            duplicates=args.duplicates, annotations=annotations, join=args.join,
            samples=args.samples, sample_id=args.sample_id, allow_unmatched=args.allow_unmatched,
            delimiter=args.delimiter, decimal=args.decimal or ".", max_bytes=args.max_bytes,
        )  # fmt: skip


def _read_documents(args, messages):
    from ..io import read_documents

    messages.note(f"Reading {args.table} ...")
    asked = {args.groups, getattr(args, "blocks", None)} - {None, "none", args.id}
    with input_errors():
        return read_documents(
            args.table, text=[name for name in args.text if name] or None, target=args.target,
            ids=args.id, annotations=sorted(asked), encoding=args.encoding,
            max_bytes=args.max_bytes,
        )  # fmt: skip


def groups_of(args, table):
    """Return the group of each sample, None if each stands for itself."""
    if args.groups == "none":
        return None
    if args.groups is not None and args.groups != args.id:
        return table.annotations[args.groups]
    has_repeats = table.ids is not None and len(set(table.ids)) < len(table.ids)
    return table.ids if has_repeats else None


def name_columns(found, args):
    """Return a selection or a comparison that knows which columns its groups and blocks were."""
    by = args.groups or args.id or "sample ids"  # without a word, repeated ids are groups
    names = {"group_name": None if found.n_groups is None else by}
    if hasattr(found, "block_name"):
        names["block_name"] = args.blocks
    return replace(found, **names)


def input_files(args):
    """Return the files that are read: the tables, and the sheet if there is one."""
    return [args.table, *args.join, *filter(None, [args.samples])]


def table_values(table):
    """Return where the samples come from; batches have neither sheet nor duplicates."""
    names = ("source", "digest", "target", "n_samples", "n_features", "remarks")
    in_memory = {name: getattr(table, name, None) for name in ("sheet", "joined", "duplicates")}
    return {name: getattr(table, name) for name in names} | in_memory


def load_model_file(path, trusted=()):
    """Return the card of a model file, and the model."""
    from ..persistence import load_model, read_model_card

    with input_errors():
        return read_model_card(path), load_model(path, trusted=trusted)


@contextmanager
def advice_on_trust():
    """Say what to do about a type that model files may not hold."""
    from ..persistence import UntrustedTypeError

    try:
        yield
    except InputError as error:
        if not isinstance(error.__cause__, UntrustedTypeError):
            raise
        advice = "--trust MODULE.TYPE allows a type, for a file whose writer you trust."
        raise InputError(f"{error} {advice}") from error.__cause__


def plain_metadata(**metadata):
    """Return what is known, as the card of a model file has it."""
    from .._plain import json_plain

    known = {name: value for name, value in metadata.items() if value is not None}
    return json_plain(known, finite=True)


# ------------------------------------------------------------------ files to write


class Outputs:
    """The files that the options of a command name, and those of them that it has written.

    Each option comes with the suffixes that its file may have. With --force files that exist may be
    overwritten, but never `inputs`, which are read; those of `may_exist` are read first.
    """

    def __init__(self, args, suffixes, *, inputs=(), may_exist=()):
        self.written, self.failures = [], args.failures
        self._force = args.force
        paths = {option: option_value(args, option) for option in suffixes}
        self.paths = {option: path for option, path in paths.items() if path is not None}
        for option, path in self.paths.items():
            _check(option, path, suffixes[option], self._force or option in may_exist)
        _check_distinct(self.paths, inputs)
        for suffix in (Path(path).suffix for path in self.paths.values()):
            extra, *packages = _PACKAGES.get(suffix, (None,))
            for package in packages:
                require(package, extra, f"Writing {suffix}")

    def write(self, option, write, *values):
        """Write the file of an option, if it is named, by ``write(path, *values, force=force)``.

        What fails is told in the end, so that the other files are written: see `main`.
        """
        path, failures = self.paths.get(option), self.failures
        if path is None or any(isinstance(each, KeyboardInterrupt) for each in failures):
            return
        try:
            write(Path(path), *values, force=self._force)
            self.written.append(path)
        except OSError as error:
            reason = f"could not be written: {error.strerror or error}"
            failures.append(_NotWrittenError(f"{option} {path} {reason}", self))
        except KeyboardInterrupt:
            failures.append(KeyboardInterrupt(self.summary()))

    def is_folder(self, option):
        """Say whether a folder is to be written, not a file."""
        path = self.paths[option]
        return path.endswith("/") or Path(path).is_dir()

    def summary(self):
        """Say what was written, in half a sentence."""
        return f"written: {', '.join(self.written)}" if self.written else "nothing was written"


class _NotWrittenError(WorkError):
    """A file could not be written; which others were is known in the end."""

    def __str__(self):
        words, outputs = self.args
        return f"{words}; {outputs.summary()}."


def _check(option, name, suffixes, may_exist):
    path = Path(name)
    is_folder = "/" in suffixes and (name.endswith("/") or path.is_dir())
    ends = [suffix for suffix in suffixes if suffix != "/"]
    if (path.suffix not in ends and not is_folder) or "\0" in name:
        raise InputError(
            f"{option} {name} must end in {' or '.join(suffixes)}"
            + ", which is for a folder" * ("/" in suffixes) + "."
        )  # fmt: skip
    if path.is_dir() and not is_folder:
        raise InputError(f"{option} {name} is a folder, not a file.")
    if not path.parent.is_dir():
        raise InputError(f"{option} {name}: there is no folder {path.parent}.")
    is_there = any(path.iterdir()) if path.is_dir() else path.exists()
    if is_there and not may_exist:
        what = "exists; --force overwrites it"
        if is_folder:
            what = "has files in it; --force overwrites those of the same name"
        raise InputError(f"{option} {name} {what}.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{option} {name}: the folder {path.parent} must not be written.")


def _check_distinct(paths, inputs):
    seen = {Path(path).resolve(): "the input" for path in inputs}
    for option, name in paths.items():
        path = Path(name).resolve()
        if path in seen:
            raise InputError(f"{option} {name} is the same file as {seen[path]}.")
        seen[path] = option


def command_line(args):
    """Return the command as it was given."""
    return shlex.join(["centroidal", *args.argv])


def write_report(outputs, args, selection=None, comparison=None, table=None, evaluation=None):
    """Write the report, if it is asked for."""

    def write(path, force):
        from ..report import write_report

        options = {"evaluation": evaluation, "table": table, "command": command_line(args)}
        write_report(path, selection, comparison, **options, force=force)

    outputs.write("--report", write)


def write_folder(path, parts, force):
    """Write a .csv file for each part, given by its name and rows: all of them, or none.

    A part may come in several pieces. Its file is called as it is, without the folder it is in.
    """
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    try:
        files = {}
        for name, rows in parts:
            file = files.setdefault(name, folder / _csv_name(name))
            if list(files.values()).count(file) > 1:
                raise InputError(f"{name} and another file would both be {file.name} in {path}.")
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "ab") as stream:
                stream.write(rows)
        for file in files.values():
            target = path / file.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(file, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _csv_name(name):
    """Return the place of the predictions of a part in their folder."""
    place = Path(*Path(name).parts[1:] or [name])
    return place.with_name(f"{place.name.removesuffix(suffix_of(place))}.csv")


# ------------------------------------------------------------------ tables


def write_columns(path, columns, force):
    """Write columns of equal length, by name, as CSV; numbers so that they read back exactly."""
    from ..streaming.text import csv_bytes

    write_atomically(path, csv_bytes(columns, zip(*columns.values(), strict=True)), force=force)


def write_table(path, first, X, names, force):
    """Write a table whose first columns are given by name; the format is that of the suffix."""
    if path.suffix == ".parquet":
        content = _parquet(first, X, names)
    else:
        from ..streaming.text import csv_bytes

        content = csv_bytes([*first, *names], _rows(first, X))
    write_atomically(path, content, force=force)


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


def read_names(option, words):
    """Return names of features, a line each where ``@FILE`` names a file; None for none."""
    if words is None:
        return None
    names = []
    for word in words:
        if not word.startswith("@"):
            names.append(word)
            continue
        try:
            with open(word[1:], encoding="utf-8-sig") as stream:
                names += [line.strip() for line in stream if line.strip()]
        except OSError as error:
            raise InputError(f"{option} {word} could not be read: {error.strerror}.") from error
        except ValueError as error:
            raise InputError(f"{option} {word} must be a text in UTF-8: {error}.") from error
    return names


def read_feature_costs(path):
    """Return the cost of each feature from a .json, .csv or .tsv file; None for none."""
    if path is None:
        return None
    import csv
    import json

    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            if str(path).endswith(".json"):
                return dict(json.load(stream))
            separator = "\t" if str(path).endswith(".tsv") else ","
            rows = [row for row in csv.reader(stream, delimiter=separator) if row]
        if rows and not _is_number(rows[0][-1]):  # names of the columns
            rows = rows[1:]
        return {name: float(cost) for name, cost in rows}
    except OSError as error:
        raise InputError(f"--feature-costs {path} could not be read: {error.strerror}.") from error
    except (TypeError, ValueError) as error:
        raise InputError(
            f"--feature-costs {path} must be a JSON object of numbers by name, or a table of two "
            f"columns, names of features and numbers: {error}."
        ) from error


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_costs(path):
    """Return costs by true and predicted class from a .json, .csv or .tsv file; None for none."""
    if path is None:
        return None
    import csv
    import json

    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            if str(path).endswith(".json"):
                return json.load(stream)
            separator = "\t" if str(path).endswith(".tsv") else ","
            (_, *predicted), *rows = [row for row in csv.reader(stream, delimiter=separator) if row]
        return {
            true: {label: float(cost) for label, cost in zip(predicted, costs, strict=True)}
            for true, *costs in rows
        }
    except OSError as error:
        raise InputError(f"--costs {path} could not be read: {error.strerror}.") from error
    except ValueError as error:
        raise InputError(
            f"--costs {path} must be JSON, or a table with true classes in the first column, "
            f"predicted ones in the first row and numbers between: {error}."
        ) from error
