"""Text with a header line, separated by commas, tabs or semicolons -> lines, labels and numbers.

Lines are cut at the separator and cells go through `float`; `csv` is asked only where quotes need
it. If pyarrow is installed it parses regular tables that are not wide faster, to the same numbers;
whatever it refuses is read again here, so that results and messages do not depend on it.
"""

import csv
import gzip
import io
import re
from hashlib import sha256
from importlib.util import find_spec
from itertools import chain
from operator import itemgetter
from typing import NamedTuple, get_args

import numpy as np

from .._files import suffix_of
from .._parameters import check_choice
from .._typing import Decimal, Delimiter
from . import _loops
from .labels import MISSING, LearnedLabels, sample_names
from .limits import unpack_gzip
from .pieces import FileFacts, Fingerprint, Piece, take_names
from .request import clean_errors, list_differences, quote

SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
TRUE, FALSE = {b"True", b"TRUE", b"true"}, {b"False", b"FALSE", b"false"}
_SWAPPED = bytes.maketrans(b",.", b".,")  # with a decimal comma
_MISSING = {word.encode() for word in MISSING}
# Wide tables want large blocks: pyarrow has a cost for each column of each block.
_ROWS_PER_BLOCK = 1000
_LEAST_BLOCK, _LARGEST_BLOCK = 2**20, 2**31 - 1
_BYTES_PER_NAME, _BYTES_PER_ROW = 140, 200  # as objects of Python
_MOST_ARROW_COLUMNS = 2000  # each takes pyarrow 7 kB and time of its own, whatever is in it
_CHUNK_BYTES = 2**24  # of a file that is read in batches
_SAVE = "Save it as UTF-8."


def check_marks(delimiter, decimal):
    """Raise unless the marks between cells and in numbers are known, and not the same."""
    check_choice("delimiter", delimiter, get_args(Delimiter))
    check_choice("decimal", decimal, get_args(Decimal))
    if delimiter == decimal:
        raise ValueError(f"delimiter={delimiter!r} must not be decimal={decimal!r}.")


class Lines(NamedTuple):
    """A table of text: its header, the bytes below it, and how cells are told apart."""

    header: list
    body: bytes
    separator: str
    first_line: int
    is_quoted: bool

    def rows(self, name):
        """Yield the number of each line and its cells, as bytes; all have the same length."""
        width = len(self.header)
        for number, cells in self._quoted_rows(name) if self.is_quoted else self._plain_rows():
            if len(cells) != width:
                raise ValueError(
                    f"{name}: line {number} has {len(cells)} values where the header has {width} "
                    f"names (separated by {SEPARATORS[self.separator]})."
                )
            yield number, cells

    def columns(self, name, places):
        """Return the cells of some columns, as bytes."""
        found = self._cut_columns(places)
        if found is None:  # and what is wrong with a line is told
            rows = [cells for _, cells in self.rows(name)]
            found = [[row[place] for row in rows] for place in places]
        return found

    def _cut_columns(self, places):
        """Do what `columns` does for a regular table of two columns or more, else return None."""
        width = len(self.header)
        if width < 2:  # a line of spaces is a row, or none
            return None
        numbers = np.full(width, -1)
        numbers[places] = np.arange(len(places))
        n_lines = self.body.count(b"\n") + self.body.count(b"\r") + 1
        edges = np.empty((len(places), 2, n_lines), dtype=np.int64)
        has_pairs = np.empty((len(places), n_lines), dtype=bool)
        data, separator = np.frombuffer(self.body, np.uint8), ord(self.separator)
        n_rows = _loops.cut_cells(data, separator, self.is_quoted, numbers, edges, has_pairs)
        edges = edges[..., : max(0, n_rows)]
        if n_rows < 0 or (edges[:, 1] - edges[:, 0] > csv.field_size_limit()).any():
            return None
        found = zip(edges, has_pairs, strict=True)
        return [self._cells(*each, pairs[:n_rows]) for each, pairs in found]

    def _cells(self, starts, stops, has_pairs):
        body, edges = self.body, zip(starts.tolist(), stops.tolist(), strict=True)
        cells = [body[start:stop] for start, stop in edges]
        for place in np.flatnonzero(has_pairs).tolist():
            cells[place] = cells[place].replace(b'""', b'"')
        return cells

    def _plain_rows(self):
        separator = self.separator.encode()
        for number, line in enumerate(self.body.splitlines(), self.first_line):
            if line.strip(b" "):
                yield number, line.split(separator)

    def _quoted_rows(self, name):
        reader = _csv_rows(self.body, self.separator)
        while True:
            try:
                row = next(reader, None)
            except csv.Error as error:
                number = self.first_line + reader.line_num - 1
                is_open = "field limit" in str(error)
                advice = " A quotation mark above it may never be closed." if is_open else ""
                raise ValueError(
                    f"{name}: line {number} is not a row of cells: {error}.{advice}"
                ) from error
            if row is None:
                return
            if row and (len(row) > 1 or row[0].strip(" ")):
                number = self.first_line + reader.line_num - 1
                yield number, [cell.encode() for cell in row]


# ------------------------------------------------------------------ from bytes to lines


def plain_text(data, request, suffix, advice=_SAVE):
    """Return UTF-8 without a mark at its beginning, or say what else the file is."""
    name = request.name
    if suffix.endswith(".gz"):
        with clean_errors(name, "a gzip file"):
            data = unpack_gzip(data, name, request.max_bytes)
    elif data.startswith(b"\x1f\x8b"):
        raise ValueError(f"{name} is compressed; let its name end in {suffix}.gz.")
    if data.startswith(b"PK\x03\x04"):
        raise ValueError(f"{name} is a workbook or a zip file, not text; export it as {suffix}.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{name} is UTF-16 text; {advice[0].lower()}{advice[1:]}")
    data = data.removeprefix(b"\xef\xbb\xbf")
    check_utf8(data, name, advice=advice)
    return data


def check_utf8(data, name, first_line=1, advice=_SAVE):
    """Raise unless bytes, which begin with a line of this number, are text in UTF-8."""
    place = data.find(b"\0")
    if place >= 0:
        line = first_line + data.count(b"\n", 0, place)
        raise ValueError(
            f"{name} holds a NUL byte in line {line}; it is not a table of text, or it is damaged."
        )
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = first_line + data.count(b"\n", 0, error.start)
            raise ValueError(
                f"{name} is not UTF-8 text: line {line} holds the byte "
                f"0x{data[error.start]:02x}. {advice}"
            ) from None


def check_n_cells(text, request, n_stored):
    """Raise if cells, rows and names take too much memory: in the text a cell may be one byte."""
    n_names, n_cells = (
        max(part.count(separator.encode()) for separator in SEPARATORS)
        for part in (top_line(text), text)
    )
    n_rows = text.count(b"\n") + text.count(b"\r")
    n_bytes = _BYTES_PER_NAME * n_names + _BYTES_PER_ROW * n_rows + 8 * n_cells
    request.check_size(n_bytes, n_stored)


def is_series_matrix(text):
    """Say whether a text begins as a series matrix of GEO does."""
    return text.startswith((b"!Series_", b'"!Series_'))


def split_header(data, request, suffix, least=2):
    """Cut off the header, of at least so many names; say what is unusual about the table."""
    name = request.name
    start = re.search(rb"[^\s]", data)
    if start is None:
        raise ValueError(f"{name} is empty.")
    # Blank lines above the header, but not a tab that stands for an empty first cell.
    start = max(data.rfind(b"\n", 0, start.start()), data.rfind(b"\r", 0, start.start())) + 1
    first_line = len(data[:start].splitlines()) + 1
    data = data[start:]
    separator, remarks = _separator(top_line(data).decode(), suffix, request)
    if b'"' in data:
        data = without_simple_quotes(data, separator)
    is_quoted = b'"' in data
    if is_quoted:
        header, body, n_lines = _quoted_header(data, separator, name)
    else:
        line = top_line(data)
        header, n_lines = line.decode().split(separator), 1
        end = len(line) + (2 if data[len(line) : len(line) + 2] == b"\r\n" else 1)
        body = data[end:]
    header = [cell_text(cell) for cell in header]
    lines = Lines(header, body, separator, first_line + n_lines, is_quoted)
    lines, more = _with_row_names(lines)
    if len(lines.header) < least:
        raise ValueError(
            f"{name} has one column, {quote(header[0])}; cells must be separated by "
            f"{', '.join(SEPARATORS.values())}."
        )
    return lines, remarks + more


def find_roles(lines, request):
    """Say what the columns are; a first one without a name is an index, and never a feature."""
    is_index = lines.header[0] == "" and "" not in request.drop
    roles = request.column_roles(lines.header, unnamed=0 if is_index else None)
    if not roles.features:
        raise ValueError(f"{request.name} has no column of features.")
    return roles


def say_unnamed(lines, roles, request):
    """Return a remark on a first column without a name, if there is one."""
    if lines.header[0] != "" or "" in request.drop:
        return []
    use = "read as sample ids" if roles.ids == 0 else "left out"
    return [f"The first column has no name; it was {use}."]


def top_line(data):
    """Return the bytes before the first end of a line."""
    end = data.find(b"\n")
    line = data if end < 0 else data[:end]
    end = line.find(b"\r")
    return line if end < 0 else line[:end]


def _separator(line, suffix, request):
    """Take what the suffix promises if it is in the header, otherwise what is most often there."""
    if request.delimiter is not None:
        return request.delimiter, []
    usual = "," if suffix.startswith(".csv") else "\t"
    outside = re.sub('"[^"]*"', "", line)
    if usual in outside:
        return usual, []
    counts = {separator: outside.count(separator) for separator in SEPARATORS}
    separator = max(counts, key=counts.get)
    if counts[separator] == 0:
        return usual, []
    return separator, [f"The cells are separated by {SEPARATORS[separator]}."]


def without_simple_quotes(data, separator):
    """Take away quotes around cells that would be the same cells without."""
    edge = re.escape(separator.encode()) + rb"\r\n"
    pattern = rb'"(?<![^%b]")([^"%b]*)"(?![^%b])' % (edge, edge, edge)
    return re.sub(pattern, rb"\1", data)


def _csv_rows(data, separator):
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")
    return csv.reader(text, delimiter=separator, skipinitialspace=True, strict=True)


def _quoted_header(data, separator, name):
    reader = _csv_rows(data, separator)
    try:
        header = next(reader)
    except csv.Error as error:
        raise ValueError(f"{name}: the header is not a row of cells: {error}.") from error
    body = b"".join(data.splitlines(keepends=True)[reader.line_num :])
    return header, body, reader.line_num


def _with_row_names(lines):
    """R writes row names without a name above them, so that the header is one cell short."""
    first = top_line(lines.body.lstrip(b"\r\n")).split(lines.separator.encode())
    if lines.is_quoted or len(first) != len(lines.header) + 1 or not first[-1].strip():
        return lines, []
    remark = "The header has one name less than the rows have values: the first column names rows."
    return lines._replace(header=["", *lines.header]), [remark]


# ------------------------------------------------------------------ cells of text

# A spreadsheet takes a cell for a formula, and runs it, if it begins so.
_FORMULA = re.compile(r"'*(\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])")


def cell_text(cell):
    """Return the text of a cell, trimmed and without the apostrophe that `csv_bytes` set."""
    text = cell.strip()
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text


def _without_formula(value):
    """Set an apostrophe before a text that a spreadsheet would run; numbers stay as they are."""
    if not isinstance(value, str) or not _FORMULA.match(value) or _is_number(value):
        return value
    return f"'{value}"


def _is_number(text):
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def csv_bytes(header, rows):
    """Write rows of texts and numbers below a header, for people, spreadsheets and `read_table`.

    Without a header, which is None, they are rows to append.

    NaN is an empty cell. A text that begins like a formula, with = + - @ or a tab, gets an
    apostrophe before it, and so does one that begins with apostrophes and then like that; reading
    takes one away.
    """
    text = io.StringIO()
    kinds = (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
    writers = [csv.writer(text, lineterminator="\n", quoting=kind) for kind in kinds]
    for row in rows if header is None else chain([header], rows):
        cells = ["" if isinstance(v, float) and v != v else _without_formula(v) for v in row]
        # Python before 3.13 does not quote a carriage return by itself.
        has_return = any(isinstance(cell, str) and "\r" in cell for cell in cells)
        writers[has_return].writerow(cells)
    return text.getvalue().encode("utf-8", "backslashreplace")


# ------------------------------------------------------------------ from lines to numbers


class ParsedRows(NamedTuple):
    """Rows of a table of text."""

    X: np.ndarray
    texts: dict  # the cells of each column that is read as text
    flags: dict  # how often a column holds True or False
    words: dict  # an example of each column that holds something else


def parse_rows(lines, roles, request):
    """Return the rows below a header; columns are taken by their roles."""
    found = _parse_with_pyarrow(lines, roles, request.decimal)
    return found or _parse_with_python(lines, roles, request)


def _parse_with_python(lines, roles, request):
    take = _taker(roles.features)
    has_underscores = b"_" in lines.body
    rows, flags, words = [], {}, {}
    texts = {j: [] for j in roles.texts}
    for _, row in lines.rows(request.name):
        cells = take(row)
        values, in_flags, in_words = parse_numbers(cells, has_underscores, words, request.decimal)
        rows.append(values)
        for j in in_flags:
            flags[j] = flags.get(j, 0) + 1
        words.update(in_words)
        for j, cells in texts.items():
            cells.append(cell_text(row[j].decode()))
    X = np.array(rows).reshape(-1, len(roles.features))
    return ParsedRows(X, texts, flags, words)


def _taker(positions):
    if positions == list(range(positions[0], positions[-1] + 1)):
        return itemgetter(slice(positions[0], positions[-1] + 1))
    return itemgetter(*positions)


def parse_numbers(cells, has_underscores, known_text=(), decimal="."):
    """Return cells as floats, and where there are booleans or words.

    A missing cell is NaN. `float` would read 1_000, which is no number in a table. With a decimal
    comma a point is no part of a number.
    """
    if decimal == ",":
        cells = [cell.translate(_SWAPPED) for cell in cells]
    if not (has_underscores and b"_" in b"".join(cells)) and not known_text:
        try:
            return np.fromiter(map(float, cells), np.float64, len(cells)), (), {}
        except ValueError:
            pass
    values = np.full(len(cells), np.nan)
    flags, others = [], {}
    for j, cell in enumerate(cells):
        if cell in _MISSING or j in known_text:
            continue
        word = cell.strip()
        try:
            if b"_" in word:
                raise ValueError
            values[j] = float(word)
        except ValueError:
            if word in TRUE or word in FALSE:
                flags.append(j)
                values[j] = word in TRUE
            elif word not in _MISSING:
                others[j] = (word.translate(_SWAPPED) if decimal == "," else word).decode()
    return values, flags, others


def numbers_from_text(cells):
    """Return cells of any type as numbers, and what is none, with its place."""
    as_text = [b"" if cell is None else str(cell).encode() for cell in cells]
    values, _, others = parse_numbers(as_text, True)
    return values, others


def _parse_with_pyarrow(lines, roles, decimal):
    """Do what `parse_rows` does for a table that is regular; return None for any other.

    It is None, too, if pyarrow is not installed, or if the table is wide.
    """
    first = top_line(lines.body.lstrip(b"\r\n"))
    is_wide = len(lines.header) > _MOST_ARROW_COLUMNS
    if is_wide or lines.is_quoted or not first or find_spec("pyarrow") is None:
        return None
    import pyarrow
    from pyarrow import csv as arrow_csv

    names = [str(j) for j in range(len(lines.header))]
    types = {names[j]: pyarrow.float64() for j in roles.features}
    types.update({names[j]: pyarrow.string() for j in roles.texts})
    block = min(max(_ROWS_PER_BLOCK * len(first), _LEAST_BLOCK), _LARGEST_BLOCK)
    try:
        table = arrow_csv.read_csv(
            pyarrow.BufferReader(lines.body),
            # One block needs no threads; pyarrow 17 may abort where a process ends soon after.
            read_options=arrow_csv.ReadOptions(
                column_names=names, block_size=block, use_threads=len(lines.body) > block
            ),
            parse_options=arrow_csv.ParseOptions(delimiter=lines.separator, quote_char=False),
            convert_options=arrow_csv.ConvertOptions(
                column_types=types,
                null_values=sorted(MISSING),
                decimal_point=decimal,
                include_columns=[names[j] for j in roles.features + roles.texts],
            ),
        )
    except pyarrow.ArrowException:
        return None
    if table.num_rows == 0:
        return None
    features = table.select(range(len(roles.features)))
    X = np.concatenate(
        [part.to_tensor(null_to_nan=True).to_numpy() for part in features.to_batches()]
    )
    texts = {j: [*map(cell_text, table.column(names[j]).to_pylist())] for j in roles.texts}
    return ParsedRows(X, texts, {}, {})


class ColumnKinds:
    """Which columns have held numbers, and which True and False; none may hold both."""

    def __init__(self, names, request):
        self._names, self._request = names, request
        self._numbers = np.zeros(len(names), dtype=bool)
        self._flags = np.zeros(len(names), dtype=bool)

    def add(self, rows):
        """Look at further rows; raise if they hold words, or flags where others hold numbers."""
        here = np.zeros(len(self._names), dtype=bool)
        for j, count in rows.flags.items():
            here[j] = True
            if count < np.count_nonzero(~np.isnan(rows.X[:, j])):
                self._numbers[j] = True
        self._flags |= here
        unknown = np.flatnonzero(~self._numbers & ~here)
        if unknown.size:
            self._numbers[unknown] = ~np.isnan(rows.X[:, unknown]).all(axis=0)
        mixed = np.flatnonzero(self._numbers & self._flags).tolist()
        words = dict.fromkeys(mixed, "True or False among numbers") | rows.words
        self._request.refuse_text([(self._names[j], cell) for j, cell in sorted(words.items())])


# ------------------------------------------------------------------ batches of rows


class TextReader(LearnedLabels):
    """A file of text, which is read from its beginning each time.

    What a label is, a number or a name, depends on all labels, so that these are read first.
    """

    has_names = True
    n_stored = None
    _advice = _SAVE  # on other encodings

    def __init__(self, path, suffix, request):
        self._path, self._suffix, self._request = path, suffix, request
        head = next(self._chunks(), b"")
        if not head.strip():
            raise ValueError(f"{request.name} is empty.")
        lines = self._split_header(head)
        self._head = lines._replace(body=b"")
        self._roles = find_roles(lines, request)
        if not lines.body.strip():
            raise ValueError(f"{request.name} {self._nothing}.")
        self.remarks = [*self._on_header, *say_unnamed(lines, self._roles, request)]
        self.feature_names = [lines.header[j] for j in self._roles.features]
        self.row_bytes = 8 * len(self.feature_names)

    @property
    def fingerprint(self):
        """What the source is known by."""
        digest = sha256(repr((self.feature_names, self._head.header)).encode()).hexdigest()
        return Fingerprint("text", [FileFacts.of(self._path)], digest)

    def follow_columns(self, first):
        """Take the features in the order of another file; raise unless it has the same columns."""
        wanted, found = first._head.header, self._head.header
        if sorted(wanted) != sorted(found):
            differences = list_differences(
                ("missing", [name for name in wanted if name not in found], True),
                ("extra", [name for name in found if name not in wanted], True),
            )
            raise ValueError(
                f"{self._request.name} has other columns than {first._request.name}; "
                f"{'; '.join(differences)}. All files of a folder must have the same columns."
            )
        place = {name: j for j, name in enumerate(found)}
        self._roles = self._roles._replace(features=[place[name] for name in first.feature_names])
        self.feature_names = first.feature_names

    def _label_cells(self):
        for lines in self._bodies():
            yield [None if cell in MISSING else cell for cell in self._target_cells(lines)]

    def pieces(self, first_row, n_rows, columns):
        """Yield the rows from `first_row` on; those before it are only counted."""
        if self._request.target is not None:
            self.learn_labels()
        roles = self._roles._replace(features=take_names(self._roles.features, columns))
        kinds = ColumnKinds([self._head.header[j] for j in roles.features], self._request)
        for lines in self._bodies():
            n_here = len(self._target_cells(lines)) if first_row > 0 else 0
            if 0 < n_here <= first_row:
                first_row -= n_here
                continue
            piece = self._piece(lines, roles, kinds)
            yield piece.rows(first_row, piece.n_rows)
            first_row = 0

    # -------------------------------------------------------------- from bytes to lines

    def _chunks(self):
        """Yield bytes that end where a line does, outside of quotes."""
        open_file = gzip.open if self._suffix.endswith(".gz") else open
        with open_file(self._path, "rb") as stream:
            rest, is_first, n_stored = b"", True, self._path.stat().st_size
            while chunk := self._read(stream):
                rest += chunk
                self._request.check_size(len(rest), n_stored, "a line that does not end")
                end = _last_line_end(rest)
                # The header and the first row must be in one chunk.
                if end > 0 and not (is_first and len(rest[:end].strip().splitlines()) < 2):
                    yield rest[:end]
                    rest, is_first = rest[end:], False
            if rest:
                yield rest

    def _read(self, stream):
        kind = "a gzip file" if self._suffix.endswith(".gz") else "text"
        with clean_errors(self._request.name, kind):
            return stream.read(_CHUNK_BYTES)

    def _split_header(self, head):
        head = self._plain(head)
        if is_series_matrix(head):
            raise ValueError(
                f"{self._request.name} is a series matrix of GEO, which cannot be read in batches. "
                "Read it into memory, with read_table (without --stream)."
            )
        lines, self._on_header = split_header(head, self._request, self._suffix)
        return lines

    def _plain(self, head):
        return plain_text(head, self._request, self._suffix.removesuffix(".gz"), self._advice)

    def _bodies(self):
        """Yield the lines below the header, in chunks."""
        name = self._request.name
        chunks = self._chunks()
        first = next(chunks)
        lines = self._split_header(first)
        if lines.body.strip():
            yield lines
        number = len(first.splitlines()) + 1
        for chunk in chunks:
            check_utf8(chunk, name, number, self._advice)
            body = chunk
            if b'"' in chunk:
                body = without_simple_quotes(chunk, self._head.separator)
            if body.strip():
                yield self._head._replace(body=body, first_line=number, is_quoted=b'"' in body)
            number += len(chunk.splitlines())

    # -------------------------------------------------------------- from lines to rows

    def _target_cells(self, lines):
        at = self._roles.target
        return [cell_text(row[at].decode()) for _, row in lines.rows(self._request.name)]

    def _piece(self, lines, roles, kinds):
        rows = parse_rows(lines, roles, self._request)
        kinds.add(rows)
        ids = rows.texts.get(roles.ids)
        ids = None if ids is None else np.array(ids, dtype=object)
        request = self._request
        y = None if roles.target is None else self._labels(rows.texts[roles.target])

        def cells_of(name):
            cells = rows.texts[self._head.header.index(name)]
            return [None if cell in MISSING else cell for cell in cells]

        return Piece(rows.X, y, ids, request.name, **sample_names(request, cells_of))

    def _labels(self, cells):
        try:
            return np.array([self._label_of[cell] for cell in cells])
        except KeyError as error:
            raise ValueError(
                f"{self._request.name} has changed since its labels were read: {error} was none."
            ) from None


class TextFolderReader:
    """Tables of text with the same columns, in any order, one after the other."""

    has_names = True
    n_stored = n_samples = None

    def __init__(self, paths, folder, request):
        self._readers = [
            TextReader(path, suffix_of(path), request._replace(name=f"{folder}/{path.name}"))
            for path in paths
        ]
        first = self._readers[0]
        for each in self._readers[1:]:
            each.follow_columns(first)
        self.feature_names, self.row_bytes = first.feature_names, first.row_bytes

    @property
    def fingerprint(self):
        """What the source is known by."""
        found = [each.fingerprint for each in self._readers]
        return found[0]._replace(files=[each.files[0] for each in found])

    def learn_labels(self):
        """Read the labels of all files, unless that was done, and count the rows."""
        if self.n_samples is None:
            LearnedLabels.learn_together(self._readers)
            self.n_samples = sum(each.n_samples for each in self._readers)

    def labels(self):
        """Yield the labels of each file, and how often each occurs."""
        self.learn_labels()
        for each in self._readers:
            yield from each.labels()

    def pieces(self, first_row, n_rows, columns):
        """Yield the rows from `first_row` on; files before it are not read."""
        self.learn_labels()
        for each in self._readers:
            if first_row < each.n_samples:
                yield from each.pieces(first_row, n_rows, columns)
            first_row = max(0, first_row - each.n_samples)


def _last_line_end(data):
    """Return where the last whole line ends, outside of quotes; 0 if there is none."""
    end = data.rfind(b"\n") + 1
    if end == 0:  # lines may end in a carriage return alone, but one at the end may be half of two
        end = data.rfind(b"\r", 0, len(data) - 1) + 1
    is_open = data.count(b'"', 0, end) % 2 == 1
    while is_open and end > 0:
        before = data.rfind(b"\n", 0, end - 1) + 1
        is_open = (data.count(b'"', before, end) % 2 == 1) != is_open
        end = before
    return end
