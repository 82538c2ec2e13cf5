"""Formats of other programs that are tables of text, or become one: then they are read as text."""

import csv
import io
import zipfile
from datetime import date, time

import numpy as np
from scipy import sparse
from scipy.io import mmread

from .._optional import require
from ..streaming.limits import RefusedFileError, read_unpacked, unpack_gzip
from ..streaming.request import RawTable, clean_errors, list_values, quote
from ..streaming.text import csv_bytes, plain_text, top_line
from ._text import read_plain_text, read_text_sheet

_DESCRIPTION = "Description"  # of genes in .gct


def unpack_zstd(data, name, max_bytes=None):
    """Return what zstd has packed."""
    pyarrow = require("pyarrow", "io", "Reading .zst")
    with clean_errors(name, "a zstd file"):
        stream = pyarrow.CompressedInputStream(pyarrow.BufferReader(data), "zstd")
        return read_unpacked(stream, name, len(data), max_bytes)


def read_text(data, request, suffix):
    """Read a table of text from the bytes of its file."""
    text = plain_text(data, request, suffix)
    if text.startswith((b"!Series_", b'"!Series_')):
        return _read_series_matrix(text, request, len(data))
    return read_plain_text(text, request, suffix, len(data))


# ------------------------------------------------------------------ workbooks


def read_workbook(data, request, suffix):
    """Read the first sheet of a workbook."""
    text, remarks = workbook_text(data, request)
    return _with_remarks(read_plain_text(text, request, ".csv", len(data)), remarks)


def read_workbook_sheet(data, request, suffix):
    """Read a sheet of samples from the first sheet of a workbook."""
    return read_text_sheet(workbook_text(data, request)[0], request, ".csv")


def workbook_text(data, request):
    """Return the first sheet of a workbook as CSV, and remarks."""
    calamine = require("python_calamine", "io", "Reading .xlsx")
    name = request.name
    with clean_errors(name, "an .xlsx workbook"):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            n_bytes = sum(each.file_size for each in packed.infolist())
        request.check_size(n_bytes, len(data))
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = book.sheet_names
        rows = book.get_sheet_by_index(0).to_python() if sheets else []
    rows = [row for row in rows if any(cell != "" for cell in row)]
    if not rows:
        raise ValueError(f"{name}: the first sheet of the workbook is empty.")
    _refuse_dates(rows, name)
    remark = f"Of {len(sheets)} sheets of the workbook the first was read, {quote(sheets[0])}."
    header, *below = [[_cell(value) for value in row] for row in rows]
    return csv_bytes(header, below), [remark] if len(sheets) > 1 else []


def _cell(value):
    """Return a value as it would stand in a text; a workbook has all numbers as floats."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def _refuse_dates(rows, name):
    """Spreadsheets turn names of genes such as SEPT2 into dates, and the names are lost."""
    places = (*((0, value) for value in rows[0]), *((1, row[0]) for row in rows[1:]))
    dates = [str(value) for _, value in places if isinstance(value, date | time)]
    if dates:
        raise ValueError(
            f"{name}: {list_values(dates)} stands where a name is expected, a date. Spreadsheets "
            "turn names such as SEPT2 or MARCH1 into dates; take the table from the program that "
            "wrote it, or format these cells as text and type the names again."
        )


# ------------------------------------------------------------------ genes in rows


def read_gct(data, request, suffix):
    """Read a table of genes as GenePattern and GTEx write it; samples are in columns."""
    text = plain_text(data, request, suffix)
    lines = text.split(b"\n", 2)
    if lines[0].strip() != b"#1.2" or len(lines) < 3:
        first = lines[0][:20].decode(errors="replace")
        raise ValueError(f"{request.name} begins with {first!r}; a .gct file begins with #1.2.")
    drop = request.drop
    if top_line(lines[2]).split(b"\t")[1:2] == [_DESCRIPTION.encode()]:
        drop = tuple(dict.fromkeys((*drop, _DESCRIPTION)))
    remark = "Samples are in columns, as .gct files have them."
    turned = request._replace(transpose=True, drop=drop)
    return _with_remarks(read_plain_text(lines[2], turned, ".tsv", len(data)), [remark])


def _read_series_matrix(text, request, n_stored):
    """Read a series matrix of GEO: genes in rows, and what is known of samples above them.

    A characteristic such as "tissue: tumour" is an annotation of the name in front of the colon.
    """
    begin, end = b"!series_matrix_table_begin", b"!series_matrix_table_end"
    above, found, table = text.partition(begin)
    table = table.partition(end)[0].strip()
    if not found or b"\n" not in table:
        raise ValueError(
            f"{request.name} is a series matrix of GEO without a table; the values may be in a "
            "supplementary file of the series."
        )
    annotations = _sample_lines(above.decode())
    asked = [
        each for each in (request.target, request.ids, *request.annotations) if each is not None
    ]
    unknown = [each for each in asked if each not in annotations]
    if unknown:
        raise ValueError(request.say_unknown("annotation", unknown[0], list(annotations)))
    rows = [_join_by_tabs([name, *annotations[name]]) for name in asked]
    header, _, body = table.partition(b"\n")
    joined = b"\n".join([header.rstrip(b"\r"), *rows, body])
    remark = "Samples are in columns, as a series matrix of GEO has them."
    found = read_plain_text(joined, request._replace(transpose=True), ".tsv", n_stored)
    return _with_remarks(found, [remark])


def _sample_lines(text):
    """Return what is said of the samples, by name, in the order of the samples."""
    found = {}
    for row in csv.reader(io.StringIO(text), delimiter="\t"):
        if not row or not row[0].startswith("!Sample_"):
            continue
        name, values = row[0].removeprefix("!Sample_"), row[1:]
        keys = {value.partition(": ")[0] for value in values if value}
        if name.startswith("characteristics") and len(keys) == 1 and ": " in "".join(values):
            name, values = keys.pop(), [value.partition(": ")[2] for value in values]
        found.setdefault(name, values)
    return found


def _join_by_tabs(cells):
    return "\t".join('"' + cell.replace('"', '""') + '"' for cell in cells).encode()


# ------------------------------------------------------------------ ARFF


def read_arff(data, request, suffix):
    """Read a table as Weka writes it; attributes are columns, and ? is missing."""
    text = plain_text(data, request, suffix).decode()
    names, rows, is_below = [], [], False
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        word = line.partition(" ")[0].lower()
        if not line or line.startswith("%"):
            continue
        if is_below:
            rows.append(_arff_row(line, names, number, request.name))
        elif word.startswith("@attribute"):
            names.append(_arff_name(line, number, request.name))
        elif word.startswith("@data"):
            is_below = True
    if not names or not is_below:
        raise ValueError(f"{request.name} has no @attribute or no @data, as an .arff file has.")
    return read_plain_text(csv_bytes(names, rows), request, ".csv", len(data))


def _arff_name(line, number, name):
    rest = line.split(None, 1)[1].strip() if len(line.split(None, 1)) > 1 else ""
    if rest[:1] in ("'", '"'):
        found, closed, _ = rest[1:].partition(rest[0])
    else:
        found, closed = rest.split(None, 1)[0] if rest else "", rest
    if not found or not closed:
        raise ValueError(f"{name}: line {number} has an @attribute without a name.")
    return found


def _arff_row(line, names, number, name):
    if line.startswith("{"):
        return _sparse_arff_row(line, names, number, name)
    quote_mark = "'" if "'" in line else '"'
    (cells,) = csv.reader([line], quotechar=quote_mark, skipinitialspace=True, escapechar="\\")
    if len(cells) != len(names):
        raise ValueError(
            f"{name}: line {number} has {len(cells)} values for {len(names)} attributes."
        )
    return ["" if cell.strip() == "?" else cell for cell in cells]


def _sparse_arff_row(line, names, number, name):
    cells = ["0"] * len(names)
    for pair in filter(None, (each.strip() for each in line.strip("{}").split(","))):
        place, _, value = pair.partition(" ")
        if not place.isdecimal() or int(place) >= len(names):
            raise ValueError(f"{name}: line {number} has no attribute {place!r}.")
        value = value.strip().strip("'\"")
        cells[int(place)] = "" if value == "?" else value
    return cells


# ------------------------------------------------------------------ folders of 10x


def find_10x(folder):
    """Return the files of a folder as 10x writes it: matrix, features and barcodes; else None."""
    names = (("matrix.mtx",), ("features.tsv", "genes.tsv"), ("barcodes.tsv",))
    found = []
    for each in names:
        there = [folder / (name + packed) for name in each for packed in ("", ".gz")]
        found.append(next((path for path in there if path.is_file()), None))
    return None if None in found else found


def read_10x(files, request):
    """Read counts of cells: the matrix turned round, symbols of genes, and barcodes as ids."""
    name = request.name
    if request.transpose:
        request.refuse_option("transpose", "a folder of 10x says itself what its cells are")
    matrix, features, barcodes = (_read_unpacked(path, request) for path in files)
    _check_matrix_size(matrix, request)
    with clean_errors(name, "a folder of 10x"):
        X = sparse.csr_array(mmread(io.BytesIO(matrix)).T, dtype=np.float64)
    genes = [line.split("\t") for line in features.decode().splitlines()]
    ids = barcodes.decode().splitlines()
    for what, found, size in (("features", genes, X.shape[1]), ("barcodes", ids, X.shape[0])):
        if len(found) != size:
            raise ValueError(f"{name} has {len(found)} {what} for a matrix of {size}.")
    for asked in (request.target, request.ids, *request.annotations):
        if asked is not None:
            raise ValueError(
                f"{name} has no {quote(asked)}: a folder of 10x says nothing of its cells. Put it "
                "into a sheet with a row for each barcode, samples (--samples SHEET)."
            )
    names, remarks = _gene_names(genes)
    kept = request.kept_positions(names)
    if len(kept) < len(names):
        X, names = X[:, kept], [names[j] for j in kept]
    return RawTable(X, names, None, ids, None, tuple(remarks), ())


def _read_unpacked(path, request):
    data = path.read_bytes()
    if path.suffix == ".gz":
        with clean_errors(path.name, "a gzip file"):
            return unpack_gzip(data, path.name, request.max_bytes)
    return data


def _check_matrix_size(matrix, request):
    """Raise if the header of a matrix promises more than may be read."""
    lines = (line for line in io.BytesIO(matrix) if not line.startswith(b"%"))
    sizes = next(lines, b"").split()
    if len(sizes) != 3 or not all(size.isdigit() for size in sizes):
        raise RefusedFileError(f"{request.name}: the matrix does not say how large it is.")
    n_rows, n_columns, n_values = map(int, sizes)
    request.check_size(8 * (n_rows + n_columns) + 16 * n_values, len(matrix))


def _gene_names(genes):
    """Return symbols, with the id behind one that several genes have."""
    symbols = [gene[1] if len(gene) > 1 else gene[0] for gene in genes]
    seen, twice = set(), set()
    for symbol in symbols:
        (twice if symbol in seen else seen).add(symbol)
    names = [
        f"{symbol} ({gene[0]})" if symbol in twice else symbol
        for symbol, gene in zip(symbols, genes, strict=True)
    ]
    remark = f"{len(twice)} symbols stand for several genes; these have their id behind them."
    return names, [remark] if twice else []


def _with_remarks(found, remarks):
    return found._replace(remarks=(*remarks, *found.remarks))
