"""Text with a header line, separated by commas, tabs or semicolons.

Lines are cut at the separator and cells go through `float`; `csv` is asked only where quotes need
it. If pyarrow is installed it parses regular tables faster, to the same numbers; whatever it
refuses is read again here, so that results and messages do not depend on it.
"""

import csv
import gzip
import io
import re
from importlib.util import find_spec
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from ._labels import MISSING, labels_from_text
from ._request import Found, Places, clean_errors, shown

__all__ = ["numbers_from_text", "read_text"]

SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
TRUE, FALSE = {b"True", b"TRUE", b"true"}, {b"False", b"FALSE", b"false"}
_MISSING = {word.encode() for word in MISSING}
# Wide tables want large blocks: pyarrow has a cost for each column of each block.
_ROWS_PER_BLOCK = 1000
_LEAST_BLOCK, _LARGEST_BLOCK = 2**20, 2**31 - 1


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
        for number, cells in self._quoted(name) if self.is_quoted else self._plain():
            if len(cells) != width:
                raise ValueError(
                    f"{name}: line {number} has {len(cells)} values where the header has {width} "
                    f"names (separated by {SEPARATORS[self.separator]})."
                )
            yield number, cells

    def _plain(self):
        separator = self.separator.encode()
        for number, line in enumerate(self.body.splitlines(), self.first_line):
            if line.strip(b" "):
                yield number, line.split(separator)

    def _quoted(self, name):
        reader = _csv_rows(self.body, self.separator)
        while True:
            try:
                row = next(reader, None)
            except csv.Error as error:
                number = self.first_line + reader.line_num - 1
                raise ValueError(
                    f"{name}: line {number} is not a row of cells: {error}."
                ) from error
            if row is None:
                return
            if row and (len(row) > 1 or row[0].strip(" ")):
                number = self.first_line + reader.line_num - 1
                yield number, [cell.encode() for cell in row]


def read_text(data, request, suffix):
    """Read a table of text from the bytes of its file."""
    lines, remarks = _lines(_plain_text(data, request, suffix), request, suffix)
    read = _read_transposed if request.transpose else _read_rows
    found = None
    if find_spec("pyarrow") is not None and not lines.is_quoted:
        found = read(lines, request, _parse_with_pyarrow)
    if found is None:
        found = read(lines, request, _parse)
    return found._replace(remarks=(*remarks, *found.remarks))


# ------------------------------------------------------------------ from bytes to lines


def _plain_text(data, request, suffix):
    """Return UTF-8 without a mark at its beginning, or say what else the file is."""
    name = request.name
    if suffix.endswith(".gz"):
        with clean_errors(name, "a gzip file"):
            data = gzip.decompress(data)
    elif data.startswith(b"\x1f\x8b"):
        raise ValueError(f"{name} is compressed; let its name end in {suffix}.gz.")
    if data.startswith(b"PK\x03\x04"):
        raise ValueError(f"{name} is a workbook or a zip file, not text; export it as {suffix}.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{name} is UTF-16 text; save it as UTF-8.")
    data = data.removeprefix(b"\xef\xbb\xbf")
    place = data.find(b"\0")
    if place >= 0:
        raise ValueError(
            f"{name} holds a NUL byte in line {_line_number(data, place)}; it is not a table of "
            "text, or it is damaged."
        )
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{name} is not UTF-8 text: line {_line_number(data, error.start)} holds the byte "
                f"0x{data[error.start]:02x}. Save it as UTF-8."
            ) from None
    return data


def _line_number(data, place):
    return data.count(b"\n", 0, place) + 1


def _lines(data, request, suffix):
    """Cut off the header; say what is unusual about the table."""
    name = request.name
    start = re.search(rb"[^\s]", data)
    if start is None:
        raise ValueError(f"{name} is empty.")
    # Blank lines above the header, but not a tab that stands for an empty first cell.
    start = max(data.rfind(b"\n", 0, start.start()), data.rfind(b"\r", 0, start.start())) + 1
    first_line = len(data[:start].splitlines()) + 1
    data = data[start:]
    separator, remarks = _separator(_first_line(data).decode(), suffix)
    if b'"' in data:
        data = _without_simple_quotes(data, separator)
    is_quoted = b'"' in data
    if is_quoted:
        header, body, n_lines = _quoted_header(data, separator, name)
    else:
        line = _first_line(data)
        header, n_lines = line.decode().split(separator), 1
        end = len(line) + (2 if data[len(line) : len(line) + 2] == b"\r\n" else 1)
        body = data[end:]
    header = [cell.strip() for cell in header]
    lines = Lines(header, body, separator, first_line + n_lines, is_quoted)
    lines, more = _with_row_names(lines)
    if len(lines.header) == 1:
        raise ValueError(
            f"{name} has one column, {shown(header[0])}; cells must be separated by "
            f"{', '.join(SEPARATORS.values())}."
        )
    return lines, remarks + more


def _first_line(data):
    end = data.find(b"\n")
    line = data if end < 0 else data[:end]
    end = line.find(b"\r")
    return line if end < 0 else line[:end]


def _separator(line, suffix):
    """Take what the suffix promises if it is in the header, otherwise what is most often there."""
    usual = "," if suffix.startswith(".csv") else "\t"
    outside = re.sub('"[^"]*"', "", line)
    if usual in outside:
        return usual, []
    counts = {separator: outside.count(separator) for separator in SEPARATORS}
    separator = max(counts, key=counts.get)
    if counts[separator] == 0:
        return usual, []
    return separator, [f"The cells are separated by {SEPARATORS[separator]}."]


def _without_simple_quotes(data, separator):
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
    first = _first_line(lines.body.lstrip(b"\r\n")).split(lines.separator.encode())
    if lines.is_quoted or len(first) != len(lines.header) + 1 or not first[-1].strip():
        return lines, []
    remark = "The header has one name less than the rows have values: the first column names rows."
    return lines._replace(header=["", *lines.header]), [remark]


# ------------------------------------------------------------------ samples in rows


def _read_rows(lines, request, parse):
    names = lines.header
    is_index = names[0] == "" and "" not in request.drop
    places = request.places(names, unnamed=0 if is_index else None)
    if not places.features:
        raise ValueError(f"{request.name} has no column of features.")
    parsed = parse(lines, places, request)
    if parsed is None:
        return None
    X, cells, ids, is_text = parsed
    feature_names = [names[j] for j in places.features]
    request.refuse_text([(feature_names[j], cell) for j, cell in is_text])
    remarks = []
    if is_index:
        use = "read as sample ids" if places.ids == 0 else "left out"
        remarks = [f"The first column has no name; it was {use}."]
    y = None if cells is None else labels_from_text(cells)
    return Found(X, feature_names, y, ids, request.target, tuple(remarks))


def _parse(lines, places, request):
    """Return numbers, labels, ids and an example of what is no number, with its column."""
    take = _taker(places.features)
    has_underscores = b"_" in lines.body
    rows, cells, ids = [], [], []
    flags, others = {}, {}
    for _, row in lines.rows(request.name):
        values, in_flags, in_others = _numbers(take(row), has_underscores, others)
        rows.append(values)
        for j in in_flags:
            flags[j] = flags.get(j, 0) + 1
        others.update(in_others)
        if places.target is not None:
            cells.append(row[places.target].decode().strip())
        if places.ids is not None:
            ids.append(row[places.ids].decode().strip())
    if not rows:
        raise ValueError(f"{request.name} has a header and no rows below it.")
    X = np.array(rows)
    for j, count in flags.items():
        if count + np.isnan(X[:, j]).sum() < len(X):
            others.setdefault(j, "True or False among numbers")
    return (
        X,
        None if places.target is None else cells,
        None if places.ids is None else ids,
        sorted(others.items()),
    )


def _taker(positions):
    if positions == list(range(positions[0], positions[-1] + 1)):
        return itemgetter(slice(positions[0], positions[-1] + 1))
    return itemgetter(*positions)


def _numbers(cells, has_underscores, known_text=()):
    """Return cells as floats, and where there are booleans or words.

    A missing cell is NaN. `float` would read 1_000, which is no number in a table.
    """
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
                others[j] = word.decode()
    return values, flags, others


def numbers_from_text(cells):
    """Return cells of any type as numbers, and what is none, with its place."""
    as_text = [b"" if cell is None else str(cell).encode() for cell in cells]
    values, _, others = _numbers(as_text, True)
    return values, others


# ------------------------------------------------------------------ samples in columns


def _read_transposed(lines, request, parse):
    if parse is _parse:
        return _parse_transposed(lines, request)
    # Rows that hold no numbers are cut out first, if that is as simple as it mostly is.
    special = [name for name in (request.target, request.ids, *request.drop) if name is not None]
    body, taken = lines.body, {}
    for name in special:
        body, taken[name] = _cut_line(body, name, lines.separator)
        if taken[name] is None or len(taken[name]) != len(lines.header) - 1:
            return None
    places = Places(list(range(1, len(lines.header))), None, 0)
    parsed = _parse_with_pyarrow(lines._replace(body=body), places, request)
    if parsed is None:
        return None
    X, _, names, _ = parsed
    if "" in names or len({*names, *special}) < len(names) + len(special):
        return None
    return _sideways(X.T, names, lines, request, taken)


def _cut_line(body, name, separator):
    pattern = rb"(?m)^ *%b *%b([^\r\n]*)(\r?\n|\Z)" % (
        re.escape(name.encode()),
        re.escape(separator.encode()),
    )
    matches = list(re.finditer(pattern, body))
    if len(matches) != 1:
        return body, None
    match = matches[0]
    cells = match.group(1).decode().split(separator)
    return body[: match.start()] + body[match.end() :], [cell.strip() for cell in cells]


def _parse_transposed(lines, request):
    special = {request.target, request.ids, *request.drop} - {None}
    has_underscores = b"_" in lines.body
    names, rows, taken, is_text = [], [], {}, []
    all_names = []
    for _, (first, *cells) in lines.rows(request.name):
        name = first.decode().strip()
        all_names.append(name)
        if name in special:
            taken.setdefault(name, [cell.decode().strip() for cell in cells])
            continue
        values, flags, others = _numbers(cells, has_underscores)
        if others:
            is_text.append((name, next(iter(others.values()))))
        elif flags and len(flags) + np.isnan(values).sum() < len(values):
            is_text.append((name, "True or False among numbers"))
        names.append(name)
        rows.append(values)
    if not all_names:
        raise ValueError(f"{request.name} has a header and no rows below it.")
    request.places(all_names)
    if not names:
        raise ValueError(f"{request.name} has no row of features.")
    request.refuse_text(is_text)
    return _sideways(np.array(rows).T, names, lines, request, taken)


def _sideways(X, names, lines, request, taken):
    y = None if request.target is None else labels_from_text(taken[request.target])
    ids = lines.header[1:] if request.ids is None else taken[request.ids]
    return Found(np.ascontiguousarray(X), names, y, ids, request.target)


# ------------------------------------------------------------------ with pyarrow


def _parse_with_pyarrow(lines, places, request):
    """Do what `_parse` does for a table that is regular; return None for any other."""
    import pyarrow
    from pyarrow import csv as arrow_csv

    first = _first_line(lines.body.lstrip(b"\r\n"))
    if not first:
        return None
    names = [str(j) for j in range(len(lines.header))]
    wanted = [j for j in (places.target, places.ids) if j is not None]
    types = {names[j]: pyarrow.float64() for j in places.features}
    types.update({names[j]: pyarrow.string() for j in wanted})
    block = min(max(_ROWS_PER_BLOCK * len(first), _LEAST_BLOCK), _LARGEST_BLOCK)
    try:
        table = arrow_csv.read_csv(
            pyarrow.BufferReader(lines.body),
            read_options=arrow_csv.ReadOptions(column_names=names, block_size=block),
            parse_options=arrow_csv.ParseOptions(delimiter=lines.separator, quote_char=False),
            convert_options=arrow_csv.ConvertOptions(
                column_types=types,
                null_values=sorted(MISSING),
                include_columns=[names[j] for j in places.features + wanted],
            ),
        )
    except pyarrow.ArrowException:
        return None
    if table.num_rows == 0:
        return None
    features = table.select(range(len(places.features)))
    X = np.concatenate(
        [part.to_tensor(null_to_nan=True).to_numpy() for part in features.to_batches()]
    )
    strings = {j: [cell.strip() for cell in table.column(names[j]).to_pylist()] for j in wanted}
    return X, strings.get(places.target), strings.get(places.ids), []
