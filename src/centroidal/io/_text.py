"""Tables of text, with samples in rows or in columns."""

import numpy as np

from ..streaming.labels import labels_from_text
from ..streaming.request import RawTable, quote
from ..streaming.text import (
    ColumnKinds,
    cell_text,
    check_n_cells,
    find_roles,
    parse_numbers,
    parse_rows,
    plain_text,
    say_unnamed,
    split_header,
)
from .sheets import make_sheet


def read_plain_text(text, request, suffix, n_stored):
    """Read a table of text, which was stored in so many bytes."""
    lines, remarks = _lines(text, request, suffix, n_stored)
    if request.transpose:
        return _read_transposed(lines, request, tuple(remarks))
    _refuse_turned(lines, request)
    names, roles = lines.header, find_roles(lines, request)
    rows = parse_rows(lines, roles, request)
    if len(rows.X) == 0:
        raise ValueError(f"{request.name} has a header and no rows below it.")
    feature_names = [names[j] for j in roles.features]
    if rows.flags or rows.words:
        ColumnKinds(feature_names, request).add(rows)
    remarks = (*remarks, *say_unnamed(lines, roles, request))
    y = None if roles.target is None else labels_from_text(rows.texts[roles.target])
    annotations = tuple(rows.texts[j] for j in roles.annotations)
    ids = rows.texts.get(roles.ids)
    return RawTable(rows.X, feature_names, y, ids, request.target, remarks, annotations)


def _refuse_turned(lines, request):
    """Raise if what is wanted as a column of labels is a row."""
    target = request.target
    if target is None or target in lines.header:
        return
    if any(cell_text(row[0].decode()) == target for _, row in lines.rows(request.name)):
        raise ValueError(
            f"{request.name} has no column {quote(target)}, but a row of that name: samples seem "
            "to be in columns; say so with transpose=True (--transpose)."
        )


def read_text_sheet(data, request, suffix):
    """Read a sheet of samples from the bytes of its file."""
    lines, _ = _lines(plain_text(data, request, suffix), request, suffix, len(data))

    def column(place):
        return [cell_text(row[place].decode()) for _, row in lines.rows(request.name)]

    return make_sheet(lines.header, column, labels_from_text, request)


def _lines(text, request, suffix, n_stored):
    check_n_cells(text, request, n_stored)
    return split_header(text, request, suffix)


# ------------------------------------------------------------------ samples in columns


def _read_transposed(lines, request, remarks):
    special = {request.target, request.ids, *request.drop, *request.annotations} - {None}
    has_underscores = b"_" in lines.body
    kept = [j for j, name in enumerate(lines.header) if j and name not in request.drop]
    samples = [lines.header[j] for j in kept]
    all_names, names, rows, taken, is_text, text_columns = [], [], [], {}, [], {}
    for _, row in lines.rows(request.name):
        name, cells = cell_text(row[0].decode()), [row[j] for j in kept]
        all_names.append(name)
        if name in special:
            taken.setdefault(name, [cell_text(cell.decode()) for cell in cells])
            continue
        values, flags, others = parse_numbers(cells, has_underscores, decimal=request.decimal)
        if others:
            is_text.append((name, next(iter(others.values()))))
            text_columns = others | text_columns
        elif flags and len(flags) + np.isnan(values).sum() < len(values):
            is_text.append((name, "True or False among numbers"))
        names.append(name)
        rows.append(values)
    if not all_names:
        raise ValueError(f"{request.name} has a header and no rows below it.")
    request.column_roles(all_names, samples=lines.header[1:])
    if not names:
        raise ValueError(f"{request.name} has no row of features.")
    columns = [(samples[j], cell) for j, cell in sorted(text_columns.items())]
    request.refuse_text_cells(is_text, columns)
    y = None if request.target is None else labels_from_text(taken[request.target])
    ids = samples if request.ids is None else taken[request.ids]
    annotations = tuple(taken[name] for name in request.annotations)
    X = np.ascontiguousarray(np.array(rows).T)
    return RawTable(X, names, y, ids, request.target, remarks, annotations)
