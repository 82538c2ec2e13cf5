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
from ..streaming.text import cell_text, csv_bytes, is_series_matrix, plain_text, top_line
from ._text import read_plain_text, read_text_sheet

_DESCRIPTION = "Description"  # of genes in .gct
_GCT_SIZES = {b"#1.2": 2, b"#1.3": 4}  # numbers in line 2, by the version
_GCT_NULL = b"-666"  # an annotation that is missing


def unpack_zstd(data, name, max_bytes=None):
    """Return what zstd has packed."""
    pyarrow = require("pyarrow", "io", "Reading .zst")
    with clean_errors(name, "a zstd file"):
        stream = pyarrow.CompressedInputStream(pyarrow.BufferReader(data), "zstd")
        return read_unpacked(stream, name, len(data), max_bytes)


def read_text(data, request, suffix):
    """Read a table of text from the bytes of its file."""
    text = plain_text(data, request, suffix)
    if is_series_matrix(text):
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
    """Read a table of genes as GenePattern, GTEx and CMap write it; samples are in columns.

    Version 1.3 has annotations of samples above the values, and of genes beside their ids.
    """
    text = plain_text(data, request, suffix)
    first, *rest = text.split(b"\n", 2)
    version = first.strip()
    if version not in _GCT_SIZES or len(rest) < 2:
        shown = first[:20].decode(errors="replace")
        raise ValueError(
            f"{request.name} begins with {shown!r}; a .gct file begins with #1.2 or #1.3."
        )
    sizes = _gct_sizes(rest[0], _GCT_SIZES[version], request.name)
    table = rest[1].rstrip(b"\r\n")
    names = [cell_text(cell.decode()) for cell in top_line(table).rstrip(b"\r").split(b"\t")]
    remarks = ["Samples are in columns, as .gct files have them."]
    if version == b"#1.2":
        beside = [_DESCRIPTION] if names[1:2] == [_DESCRIPTION] else []
        sizes = (*sizes, len(beside), 0)
    else:
        beside = names[1 : 1 + sizes[2]]
        if beside:
            remarks.append(f"Left out were annotations of the features: {list_values(beside)}.")
    _check_gct_sizes(table, names, beside, sizes, request.name)
    if sizes[3]:
        table = _keep_asked_lines(table, sizes, request)
    turned = request._replace(transpose=True, drop=tuple(dict.fromkeys((*request.drop, *beside))))
    return _with_remarks(read_plain_text(table, turned, ".tsv", len(data)), remarks)


def _gct_sizes(line, n_sizes, name):
    cells = line.split()
    if len(cells) < n_sizes or not all(cell.isdigit() for cell in cells[:n_sizes]):
        what = "features and samples" + (", and of annotations of both" if n_sizes > 2 else "")
        shown = line[:40].decode(errors="replace").strip()
        raise ValueError(f"{name}: line 2 is {shown!r}; it must hold the numbers of {what}.")
    return tuple(map(int, cells[:n_sizes]))


def _check_gct_sizes(table, names, beside, sizes, name):
    """Raise unless a table has the rows and columns that line 2 promises."""
    n_features, n_samples, n_beside, n_above = sizes
    n_found = len(names) - 1 - len(beside)
    if len(beside) < n_beside or n_found != n_samples:
        raise ValueError(
            f"{name}: line 2 promises {n_samples} samples behind {n_beside} annotations, but the "
            f"header has {max(n_found, 0)}; the file is damaged or was cut."
        )
    n_rows = table.count(b"\n")
    if n_rows != n_features + n_above:
        raise ValueError(
            f"{name}: line 2 promises {n_features} features below {n_above} annotations, but "
            f"{n_rows} rows follow; the file is damaged or was cut."
        )
    both = sorted(set(beside) & set(names[1 + len(beside) :]))
    if both:
        raise ValueError(f"{name}: {list_values(both)} is a sample and an annotation of features.")


def _keep_asked_lines(table, sizes, request):
    """Return a table of version 1.3 with those annotations of samples that are asked for."""
    n_above = sizes[3]
    header, *lines = table.split(b"\n", 1 + n_above)
    rows = [line.rstrip(b"\r").split(b"\t") for line in lines[:n_above]]
    annotations = {
        cell_text(row[0].decode()): [row[0], *(b"" if c == _GCT_NULL else c for c in row[1:])]
        for row in rows
    }
    asked = _check_annotations(request, annotations)
    return b"\n".join(
        [header, *(b"\t".join(annotations[name]) for name in asked), *lines[n_above:]]
    )


def _read_series_matrix(text, request, n_stored):
    """Read a series matrix of GEO: genes in rows, and what is known of samples above them.

    A characteristic such as "tissue: tumour" is an annotation of the name in front of the colon.
    """
    begin, end = b"!series_matrix_table_begin", b"!series_matrix_table_end"
    above, found, table = text.partition(begin)
    table, is_whole, _ = table.partition(end)
    table = table.strip()
    if not found or b"\n" not in table:
        raise ValueError(
            f"{request.name} is a series matrix of GEO without a table; the values may be in a "
            "supplementary file of the series."
        )
    if not is_whole:
        raise ValueError(f"{request.name} has no {end.decode()}: it was cut; download it again.")
    annotations = _sample_lines(above.decode())
    asked = _check_annotations(request, annotations)
    rows = [_join_by_tabs([name, *annotations[name]]) for name in asked]
    header, _, body = table.partition(b"\n")
    joined = b"\n".join([header.rstrip(b"\r"), *rows, body])
    remark = "Samples are in columns, as a series matrix of GEO has them."
    found = read_plain_text(joined, request._replace(transpose=True), ".tsv", n_stored)
    return _with_remarks(found, [remark])


def _check_annotations(request, annotations):
    """Return what is asked for of samples; raise if a file does not say it."""
    asked = [
        each for each in (request.target, request.ids, *request.annotations) if each is not None
    ]
    unknown = [each for each in asked if each not in annotations]
    if unknown:
        raise ValueError(request.say_unknown("annotation", unknown[0], list(annotations)))
    return list(dict.fromkeys(asked))


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
