"""Sources of documents: named columns of a table, read some rows at a time, or files in folders.

Every source yields dicts of lists, a list for each column that is asked for; what is missing is
None. In batches words are hashed, so that none need be remembered.
"""

import codecs
import csv
import gzip
import json
from collections import Counter
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np

from .._data import Features
from .._files import check_source, suffix_of
from .._optional import require
from ..preprocessing import WordHasher
from ..preprocessing.words import check_lengths
from .labels import MISSING, LearnedLabels, sample_names
from .pieces import FileFacts, Fingerprint, Piece
from .request import clean_errors, quote
from .request import texts as as_texts
from .text import TextReader, cell_text, split_header

FOLDER_COLUMNS = {"text": "text", "target": "class", "ids": "file"}  # what a folder has
_ROWS_AT_ONCE = 10_000
_LEAST_BYTES, _BYTES_PER_CHARACTER = 512, 8  # of a document, and of its hashed words
_ALSO = 0.2  # share of a column from which on a second word behind it is told
_LONGEST = 2**26  # bytes of a document, or of a line that holds one
_ADVICE = "Say how it is written with encoding (--encoding latin-1, say), or save it as UTF-8."
_TABLES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")


def known_document_files():
    """Return the suffixes of files that hold documents."""
    return (*_TABLES, *_LINES, ".parquet")


def document_rows(path, texts, labels, request, encoding="utf-8", is_raw=False):
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
    is_raw : bool
        Whether texts of a table may be left in UTF-8.

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
        return _table_rows(path, texts, labels, request, encoding, is_raw)
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
            f"{name} is not {encoding} text: it holds the byte 0x{data[error.start]:02x}. {_ADVICE}"
        ) from None


def _require_columns(names, asked, request):
    for name in asked:
        if name not in names:
            raise ValueError(request.say_unknown("column", name, list(names)))


# ------------------------------------------------------------------ tables of text


class _TextTable(TextReader):
    """The lines of a table of text, of which some columns are read."""

    _advice = _ADVICE

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

    def rows(self, texts, labels, is_raw):
        header, names = self._head.header, list(dict.fromkeys((*texts, *labels)))
        _require_columns(header, names, self._request)
        places = [header.index(name) for name in names]
        for lines in self._bodies():
            columns = lines.columns(self._request.name, places)
            found = dict(zip(names, columns, strict=True))
            for name in names:
                if name not in texts:
                    found[name] = _label_cells(found[name])
                elif not is_raw:
                    found[name] = [cell.decode() for cell in found[name]]
            yield found


def _label_cells(cells):
    """Return trimmed texts; labels are few, so that each is looked at once."""
    text_of = {cell: cell_text(cell.decode()) for cell in set(cells)}
    text_of = {cell: None if text in MISSING else text for cell, text in text_of.items()}
    return [text_of[cell] for cell in cells]


def _table_rows(path, texts, labels, request, encoding, is_raw):
    before = csv.field_size_limit(_LONGEST)
    try:
        yield from _TextTable(path, request, encoding).rows(texts, labels, is_raw)
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
            target: [each.relative_to(path).parts[0] for each in some],
            ids: [each.relative_to(path).as_posix() for each in some],
        }
        if texts:
            names = [Path(path.name, each.relative_to(path)).as_posix() for each in some]
            found[text] = [*map(partial(read_document, encoding=encoding), some, names)]
        yield {name: found[name] for name in (*texts, *labels)}


def read_document(file, name, encoding):
    """Return the text of a file, which messages call by a name."""
    check_source(file)
    size = file.stat().st_size
    if size > _LONGEST:
        raise ValueError(f"{name} has {size:,} bytes, more than a document may, {_LONGEST:,}.")
    return _decode(file.read_bytes(), encoding, name).removeprefix("\ufeff")


# ------------------------------------------------------------------ in batches, by hashing


class HashedReader(LearnedLabels):
    """Documents of a file or folder, which is read from its beginning each time.

    Parameters
    ----------
    path : Path
        The file, or a folder with a folder a class.
    request : Request
        What was asked for.
    columns : list of str
        The columns of texts.
    encoding : str
        How characters are written in bytes.
    options : dict
        Parameters of :class:`~centroidal.preprocessing.WordHasher`.
    """

    has_names = False
    _kind, _nothing = "document", "has no documents"

    def __init__(self, path, request, columns, encoding, options):
        self._path, self._request, self._columns = path, request, columns
        self._encoding = encoding
        self.hasher = WordHasher(**options).fit(np.full((1, len(columns)), "", dtype=object))
        Features(len(columns), np.array(columns, dtype=object)).keep(self.hasher)
        n_columns = 2**self.hasher.n_bits
        self.feature_names = [f"hash {column}" for column in range(n_columns)]
        self.n_stored = n_columns  # there are entries, and how many is not known
        first = next(self._rows(columns), None)  # what is wrong is told at once
        if first is None:
            raise ValueError(f"{request.name} has no documents.")
        lengths = [len(cell or "") for name in columns for cell in first[name]]
        n_characters = len(columns) * np.mean(lengths or [0])
        self.row_bytes = max(_LEAST_BYTES, round(_BYTES_PER_CHARACTER * n_characters))

    @property
    def text(self):
        """How words became features."""
        return self.hasher.get_params() | {"columns": list(self._columns)}

    @property
    def fingerprint(self):
        """What the source is known by."""
        files = sorted(self._path.rglob("*")) if self._path.is_dir() else [self._path]
        facts = [FileFacts.of(each) for each in files if each.is_file()]
        digest = sha256(repr((self._columns, self.hasher)).encode())
        if self._path.is_dir():
            digest.update(repr(facts).encode())
            facts = []
        return Fingerprint("documents", facts, digest.hexdigest())

    def _label_cells(self):
        return (rows[self._request.target] for rows in self._rows([]))

    def pieces(self, first_row, n_rows, columns):
        """Yield the documents from `first_row` on, as hashes of their words."""
        self.learn_labels()
        request, is_narrow = self._request, isinstance(columns, slice) and columns.stop == 0
        has_words = is_narrow or first_row > 0
        for rows in self._rows([] if is_narrow else self._columns):
            n_here = len(rows[request.target])
            if n_here <= first_row:
                first_row -= n_here
                continue
            X = np.empty((n_here, 0))
            if not is_narrow:
                X = self.hasher.hash_columns(self._texts(rows))[:, columns]
                has_words = has_words or X.nnz > 0
            y = np.array([self._label_of[cell] for cell in rows[request.target]])
            ids = (
                None if request.ids is None else np.array(as_texts(rows[request.ids]), dtype=object)
            )
            named = sample_names(request, rows.__getitem__)
            yield Piece(X, y, ids, request.name, **named).rows(first_row, n_here)
            first_row = 0
        if not has_words:
            raise ValueError(f"{request.name}: all documents are empty.")

    def name_columns(self, columns):
        """Read the documents again, and return the words behind columns, the most frequent first.

        Parameters
        ----------
        columns : ndarray of int
            Columns.

        Returns
        -------
        dict of int to str
            A word, or run of words, for each column; others that share it are named as well, if
            they are not rare beside it.
        """
        found = {column: Counter() for column in columns.tolist()}
        for rows in self._rows(self._columns):
            words = self.hasher.find_in_columns(self._texts(rows), columns)
            for term, (column, count) in words.items():
                found[column][term] += count
        return {column: _say_terms(terms) for column, terms in found.items() if terms}

    def _rows(self, columns):
        request = self._request
        labels = [name for name in (request.target, request.ids, *request.annotations) if name]
        return document_rows(self._path, columns, labels, request, self._encoding, is_raw=True)

    def _texts(self, rows):
        columns = [[cell or "" for cell in rows[name]] for name in self._columns]
        check_lengths(columns, self._request.name)
        return columns


def _say_terms(terms):
    (first, most), *others = terms.most_common(3)
    also = [term for term, count in others if count >= _ALSO * most]
    return f"{first} (or {', '.join(also)})" if also else first
