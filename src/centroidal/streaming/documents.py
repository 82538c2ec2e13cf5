"""Sources of documents: named columns of a table, read some rows at a time, or files in folders.

Every source yields dicts of lists, a list for each column that is asked for; what is missing is
None.
"""

import codecs
import csv
import gzip
import json
from pathlib import Path

from .._files import check_source, suffix_of
from .._optional import require
from .labels import MISSING
from .request import clean_errors, quote
from .text import cell_text, split_header
from .text_reader import TextReader

FOLDER_COLUMNS = {"text": "text", "target": "class", "ids": "file"}  # what a folder has
_ROWS_AT_ONCE = 10_000
_LONGEST = 2**26  # bytes of a document, or of a line that holds one
_TABLES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")


def known_document_files():
    """Return the suffixes of files that hold documents."""
    return (*_TABLES, *_LINES, ".parquet")


def document_rows(path, texts, labels, request, encoding="utf-8"):
    """Yield rows of columns of texts and of other columns, by name.

    Parameters
    ----------
    path : Path
        A file, or a folder with a folder a class and a file a document.
    texts, labels : sequence of str
        Columns that are read as they are, and columns whose cells are trimmed.
    request : Request
        What was asked for, for messages.
    encoding : str
        How characters are written in bytes.

    Yields
    ------
    dict of str to list
        Some rows: a list for each column.
    """
    _check_encoding(encoding)
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    if path.is_dir():
        return _folder_rows(path, texts, labels, request, encoding)
    check_source(path)
    suffix = suffix_of(path)
    if suffix in _TABLES:
        return _table_rows(path, texts, labels, request, encoding)
    if suffix in _LINES:
        return _json_rows(path, texts, labels, request, encoding)
    if suffix == ".parquet":
        return _parquet_rows(path, texts, labels, request)
    raise ValueError(
        f"{request.name}: documents are read from {', '.join(known_document_files())}, or from a "
        f"folder with a folder a class; not from {suffix or 'this'}."
    )


def _check_encoding(encoding):
    try:
        codecs.lookup(encoding)
    except (LookupError, TypeError):
        raise ValueError(f"encoding={encoding!r} must be one that Python knows.") from None


def _decode(data, encoding, name):
    """Return bytes as a text; raise if they are binary, or in another encoding."""
    if b"\0" in data and not encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32")):
        raise ValueError(f"{name} holds a NUL byte; it is binary, not text.")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} is not {encoding} text: it holds the byte 0x{data[error.start]:02x}. Say how "
            "it is written with encoding (--encoding latin-1, say), or save it as UTF-8."
        ) from None


def _require_columns(names, asked, request):
    for name in asked:
        if name not in names:
            raise ValueError(request.say_unknown("column", name, list(names)))


# ------------------------------------------------------------------ tables of text


class _TextTable(TextReader):
    """The lines of a table of text, of which some columns are read."""

    def __init__(self, path, request, encoding):
        self._path, self._suffix, self._request = path, suffix_of(path), request
        self._encoding = encoding
        head = next(self._chunks(), b"")
        if not head.strip():
            raise ValueError(f"{request.name} is empty.")
        self._head = self._split_header(head)._replace(body=b"")

    def _chunks(self):
        self._decoder = codecs.getincrementaldecoder(self._encoding)()
        return super()._chunks()

    def _read(self, stream):
        data = super()._read(stream)
        if self._encoding == "utf-8":
            return data
        try:
            return self._decoder.decode(data, final=not data).encode()
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self._request.name} is not {self._encoding} text: {error}"
            ) from None

    def _split_header(self, head):
        return split_header(self._plain(head), self._request, self._suffix, least=1)[0]

    def rows(self, texts, labels):
        header = self._head.header
        _require_columns(header, (*texts, *labels), self._request)
        places = {name: header.index(name) for name in (*texts, *labels)}
        for lines in self._bodies():
            rows = [cells for _, cells in lines.rows(self._request.name)]
            found = {}
            for name, place in places.items():
                cells = [row[place].decode() for row in rows]
                found[name] = cells if name in texts else [*map(_label_cell, cells)]
            yield found


def _label_cell(cell):
    text = cell_text(cell)
    return None if text in MISSING else text


def _table_rows(path, texts, labels, request, encoding):
    before = csv.field_size_limit(_LONGEST)
    try:
        yield from _TextTable(path, request, encoding).rows(texts, labels)
    finally:
        csv.field_size_limit(before)


# ------------------------------------------------------------------ lines of JSON


def _json_rows(path, texts, labels, request, encoding):
    open_file = gzip.open if suffix_of(path).endswith(".gz") else open
    asked, rows = (*texts, *labels), {name: [] for name in (*texts, *labels)}
    with open_file(path, "rb") as stream:
        for number, line in enumerate(_lines(stream, request), start=1):
            if not line.strip():
                continue
            row = _json_row(line, request, number, encoding)
            if number == 1:
                _require_columns(row, asked, request)
            for name, cells in rows.items():
                cells.append(_json_cell(row.get(name), name in texts, name, number, request))
            if len(rows[asked[0]]) == _ROWS_AT_ONCE:
                yield rows
                rows = {name: [] for name in asked}
    if rows[asked[0]]:
        yield rows


def _lines(stream, request):
    with clean_errors(request.name, "lines of JSON"):
        while line := stream.readline(_LONGEST):
            if len(line) == _LONGEST:
                raise ValueError(f"a line is longer than {_LONGEST:,} bytes")
            yield line


def _json_row(line, request, number, encoding):
    text = _decode(line, encoding, f"{request.name}, line {number},")
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{request.name}: line {number} is not JSON: {error}.") from None
    if not isinstance(row, dict):
        raise ValueError(
            f"{request.name}: line {number} is no object with names, but {quote(row)}."
        )
    return row


def _json_cell(value, is_text, name, number, request):
    if value is None or isinstance(value, str):
        return value
    if is_text or isinstance(value, list | dict):
        kind = type(value).__name__
        raise ValueError(f"{request.name}: {quote(name)} in line {number} is a {kind}, not a text.")
    return value


# ------------------------------------------------------------------ Parquet, folders


def _parquet_rows(path, texts, labels, request):
    parquet = require("pyarrow.parquet", "io", "Reading Parquet")
    with clean_errors(request.name, "a Parquet file"):
        file = parquet.ParquetFile(path)
        names = file.schema_arrow.names
    _require_columns(names, (*texts, *labels), request)
    with clean_errors(request.name, "a Parquet file"):
        for part in file.iter_batches(_ROWS_AT_ONCE, columns=list({*texts, *labels})):
            yield {name: part.column(name).to_pylist() for name in (*texts, *labels)}


def _folder_rows(path, texts, labels, request, encoding):
    """Yield the files of all folders, in the order of their names; a folder is a class."""
    text, target, ids = FOLDER_COLUMNS.values()
    _require_columns((text, target, ids), (*texts, *labels), request)
    files = [each for each in sorted(path.rglob("*")) if each.is_file()]
    files = [each for each in files if not any(part[0] == "." for part in each.parts[-2:])]
    if target in labels:
        loose = [each for each in files if each.parent == path]
        if loose:
            raise ValueError(
                f"{request.name} holds {quote(loose[0].name)} beside folders; a document belongs "
                "in the folder of its class."
            )
    if not files:
        raise ValueError(f"{request.name} holds no files.")
    for start in range(0, len(files), _ROWS_AT_ONCE // 10):
        some = files[start : start + _ROWS_AT_ONCE // 10]
        found = {
            text: [_read_document(each, path, encoding) for each in some],
            target: [each.relative_to(path).parts[0] for each in some],
            ids: [each.relative_to(path).as_posix() for each in some],
        }
        yield {name: found[name] for name in (*texts, *labels)}


def _read_document(file, folder, encoding):
    check_source(file)
    name = Path(folder.name, file.relative_to(folder)).as_posix()
    size = file.stat().st_size
    if size > _LONGEST:
        raise ValueError(f"{name} has {size:,} bytes, more than a document may, {_LONGEST:,}.")
    return _decode(file.read_bytes(), encoding, name).removeprefix("\ufeff")
