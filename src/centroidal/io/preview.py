"""The first rows of a table, and what its columns seem to be, before anything is asked of it."""

import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from .._files import check_source, suffix_of
from .._optional import require
from .._typing import FilePath
from ..streaming.annotated_file import Hdf5Store
from ..streaming.labels import MISSING
from ..streaming.request import Request, clean_errors, texts
from ..streaming.text import cell_text, check_n_cells, plain_text, split_header
from ._formats import unpack_zstd, workbook_text

__all__ = ["preview_table"]

_N_LOOKED_AT = 50  # rows that tell texts from numbers
_N_ROWS, _N_COLUMNS = 8, 12  # that are shown
_MOST_NAMED, _MOST_DESCRIBED, _MOST_VALUES = 2000, 40, 6
_FEW_VALUES = 10  # of numbers, which may then be classes
_MOST_CLASSES = 30

_LABELS = r"class|classes|label|labels|target|y|diagnosis|outcome|phenotype|condition|type|status"
_GUESSES = {
    "target": rf"({_LABELS}|tumou?r|disease|cell.?type|subtype|response)",
    "groups": r"(patient|subject|donor|individual|person|animal|mouse|participant)([ _.-]?id)?",
    "blocks": r"(batch|site|plate|study|cent(er|re)|hospital|run|platform|scanner)([ _.-]?id)?",
    "id": r"(id|sample|sample[ _.-]?(id|name)|name|barcode)",
}


class _Grid(NamedTuple):
    """Cells of a table as texts: the first rows, and whole columns as they are asked for."""

    header: list
    rows: list  # the first ones
    columns: object  # all cells of the columns at some places
    remarks: list


def preview_table(
    path: FilePath, *, transpose: bool = False, max_bytes: int | None = None
) -> dict[str, Any]:
    r"""Return the first rows of a file, and what its columns seem to be.

    Parameters
    ----------
    path : str or Path
        A table of text, .xlsx, .parquet or .h5ad; of the latter it is `obs` that is shown.
    transpose : bool, default=False
        Whether samples are in columns; then rows are described.
    max_bytes : int, default=None
        Memory that the file may ask for, as for :func:`read_table`.

    Returns
    -------
    dict
        What JSON has: `name`, `n_rows`, `n_columns`, `header` and `rows` (as far as they are
        shown), `names` of columns, `columns` that are no plain numbers, each with its values and
        their counts, `n_numeric`, a `guess` at the roles of columns, `seems_transposed`, and
        `remarks`. None for a file of arrays, which has no columns to choose from.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from centroidal.io import preview_table
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "T.csv"
    >>> _ = path.write_text("gene1,gene2,tumour\n0.1,2,A\n0.3,1,B\n0.2,2,A\n")
    >>> found = preview_table(path)
    >>> found["guess"]["target"], found["columns"][-1]["values"]
    ('tumour', [['A', 2], ['B', 1]])
    >>> folder.cleanup()
    """
    path = Path(path)
    suffix = suffix_of(path)
    reader = _GRIDS.get(suffix.removesuffix(".gz").removesuffix(".zst"))
    if reader is None:
        return None
    request = Request(path.name, max_bytes=max_bytes)
    check_source(path)
    grid = reader(path, suffix, request)
    if transpose:
        grid = _turn(grid)
    is_text = [_is_text(cells) for cells in zip(*grid.rows, strict=True)]
    places = _places_to_describe(grid, is_text)
    n_rows, found = grid.columns(places)
    columns = [
        _describe(grid.header[place], is_text[place], cells)
        for place, cells in zip(places, found, strict=True)
    ]
    guess = _guess(columns, n_rows)
    return {
        "name": path.name,
        "n_rows": n_rows,
        "n_columns": len(grid.header),
        "header": grid.header[:_N_COLUMNS],
        "rows": [row[:_N_COLUMNS] for row in grid.rows[:_N_ROWS]],
        "names": grid.header[:_MOST_NAMED],
        "columns": columns,
        "n_numeric": len(is_text) - sum(is_text),
        "guess": guess,
        "seems_transposed": not transpose
        and guess["target"] is None
        and _seems_transposed(n_rows, is_text),
        "remarks": grid.remarks,
    }


# ------------------------------------------------------------------ cells of a file


def _text_grid(path, suffix, request):
    data = path.read_bytes()
    n_stored, more = len(data), []
    if suffix.endswith(".zst"):
        data, suffix = unpack_zstd(data, request.name, request.max_bytes), suffix[: -len(".zst")]
    if suffix == ".xlsx":
        (data, more), suffix = workbook_text(data, request), ".csv"
    text = plain_text(data, request, suffix)
    check_n_cells(text, request, n_stored)
    lines, remarks = split_header(text, request, suffix)

    def decode(cells):
        return [cell_text(cell.decode()) for cell in cells]

    def columns(places):
        # Plain splitting: a process that only looks is not to wait for a compiler.
        found, n_rows = [[] for _ in places], 0
        for _, cells in lines.rows(request.name):
            n_rows += 1
            for column, place in zip(found, places, strict=True):
                column.append(cells[place])
        return n_rows, list(map(decode, found))

    rows = [decode(cells) for _, cells in islice(lines.rows(request.name), _N_LOOKED_AT)]
    if not rows:
        raise ValueError(f"{request.name} has a header and no rows below it.")
    return _Grid(lines.header, rows, columns, [*more, *remarks])


def _parquet_grid(path, suffix, request):
    parquet = require("pyarrow.parquet", "io", "Reading Parquet")
    with clean_errors(request.name, "a Parquet file"):
        file = parquet.ParquetFile(path)
        header, n_rows = list(file.schema_arrow.names), file.metadata.num_rows
        request.check_size(8 * len(header) * min(n_rows, _N_LOOKED_AT), path.stat().st_size)
        batch = next(file.iter_batches(batch_size=_N_LOOKED_AT), None)
        first = [] if batch is None else [_arrow_texts(each) for each in batch.columns]

    def columns(places):
        with clean_errors(request.name, "a Parquet file"):
            found = file.read(columns=[header[place] for place in places])
            return n_rows, [_arrow_texts(found.column(header[place])) for place in places]

    if not first or n_rows == 0:
        raise ValueError(f"{request.name} has {n_rows} rows and {len(header)} columns.")
    return _Grid(header, list(map(list, zip(*first, strict=True))), columns, [])


def _arrow_texts(column):
    return ["" if value is None else str(value) for value in column.to_pylist()]


def _annotated_grid(path, suffix, request):
    store = Hdf5Store(path, request)
    with store.open() as file, clean_errors(request.name, store.kind):
        ids = texts(file.names("obs")[:])
        obs = [ids, *(texts(file.column(name)[:]) for name in file.columns)]
        n_features = file.matrix().shape[1]
    remark = f"{n_features} features are in the matrix of the file; these are the columns of obs."
    rows = list(map(list, zip(*obs, strict=True)))[:_N_LOOKED_AT]

    def columns(places):
        return len(ids), [obs[place] for place in places]

    if not rows:
        raise ValueError(f"{request.name} has no samples.")
    return _Grid(["", *file.columns], rows, columns, [remark])


_GRIDS = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".xlsx"), _text_grid),
    ".parquet": _parquet_grid,
    ".h5ad": _annotated_grid,
}


def _turn(grid):
    """Return the first rows as columns, whose names are in the first column."""
    header = ["", *(row[0] for row in grid.rows)]
    samples = [[name, *cells] for name, *cells in zip(grid.header, *grid.rows, strict=True)][1:]

    def columns(places):
        return len(samples), [[row[place] for row in samples] for place in places]

    n_rows, _ = grid.columns([])
    remark = (
        f"Samples are in columns; of {n_rows} rows below them the first {len(grid.rows)} are here."
    )
    return _Grid(header, samples, columns, [*grid.remarks, remark])


# ------------------------------------------------------------------ what columns seem to be


def _is_text(cells):
    return not all(cell in MISSING or _is_number(cell) for cell in cells)


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _places_to_describe(grid, is_text):
    """Return the columns of text, and those of few whole numbers if they are not many."""
    found = [place for place, is_so in enumerate(is_text) if is_so]
    few = [
        place
        for place, cells in enumerate(zip(*grid.rows, strict=True))
        if not is_text[place] and _may_be_codes(grid.header[place], cells)
    ]
    found += few if len(few) <= _MOST_DESCRIBED else [j for j in few if _role(grid.header[j])]
    return sorted(found)[:_MOST_DESCRIBED]


def _may_be_codes(name, cells):
    """Whether numbers may stand for classes, patients or batches."""
    is_whole = all(cell in MISSING or re.fullmatch(r"[+-]?\d+(\.0*)?", cell) for cell in cells)
    return is_whole and (len(set(cells)) <= _FEW_VALUES or _role(name) is not None)


def _role(name):
    tidied = name.strip().lower()
    found = (role for role, words in _GUESSES.items() if re.fullmatch(words, tidied))
    return next(found, None)


def _describe(name, is_text, cells):
    counts = Counter(cell for cell in cells if cell not in MISSING)
    return {
        "name": name,
        "is_text": is_text,
        "n_values": len(counts),
        "values": [list(pair) for pair in counts.most_common(_MOST_VALUES)],
        "n_missing": len(cells) - sum(counts.values()),
    }


def _guess(columns, n_rows):
    """Return a column for each role; by its name, and that of labels and ids also by its values."""
    guess = {}
    for column in columns:
        role = _role(column["name"])
        if role is not None and role not in guess:
            guess[role] = column["name"]
    others = [each for each in columns if each["name"] not in guess.values() and each["is_text"]]
    if "target" not in guess:
        found = (each["name"] for each in others if 2 <= each["n_values"] <= _MOST_CLASSES)
        guess["target"] = next((name for name in found if name), None)
    if "id" not in guess:
        found = (each["name"] for each in others if each["n_values"] == n_rows and each["name"])
        guess["id"] = next((name for name in found if name != guess["target"]), None)
    return {role: guess.get(role) for role in _GUESSES}


def _seems_transposed(n_rows, is_text):
    """Whether the table looks like one of genes: names in front, numbers behind, many rows."""
    return is_text[0] and sum(is_text[1:]) <= 1 and n_rows > 3 * len(is_text)
