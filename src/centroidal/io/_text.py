"""Tables of text, with samples in rows or in columns."""

import re

import numpy as np

from ..streaming.labels import labels_from_text
from ..streaming.request import ColumnRoles, RawTable
from ..streaming.text import (
    ColumnKinds,
    find_roles,
    parse_numbers,
    parse_rows,
    parse_with_pyarrow,
    plain_text,
    split_header,
)

__all__ = ["read_text"]


def read_text(data, request, suffix):
    """Read a table of text from the bytes of its file."""
    lines, remarks = split_header(plain_text(data, request, suffix), request, suffix)
    if request.transpose:
        found = _read_regular(lines, request) or _parse_transposed(lines, request)
        return found._replace(remarks=tuple(remarks))
    names, roles = lines.header, find_roles(lines, request)
    rows = parse_rows(lines, roles, request)
    if len(rows.X) == 0:
        raise ValueError(f"{request.name} has a header and no rows below it.")
    feature_names = [names[j] for j in roles.features]
    if rows.flags or rows.words:
        ColumnKinds(feature_names, request).add(rows)
    if names[0] == "" and "" not in request.drop:
        use = "read as sample ids" if roles.ids == 0 else "left out"
        remarks = (*remarks, f"The first column has no name; it was {use}.")
    y = None if rows.labels is None else labels_from_text(rows.labels)
    return RawTable(rows.X, feature_names, y, rows.ids, request.target, tuple(remarks))


# ------------------------------------------------------------------ samples in columns


def _read_regular(lines, request):
    """Read a regular table with pyarrow; return None for any other."""
    # Rows that hold no numbers are cut out first, if that is as simple as it mostly is.
    special = [name for name in (request.target, request.ids, *request.drop) if name is not None]
    body, taken = lines.body, {}
    for name in special:
        body, taken[name] = _cut_line(body, name, lines.separator)
        if taken[name] is None or len(taken[name]) != len(lines.header) - 1:
            return None
    roles = ColumnRoles(list(range(1, len(lines.header))), None, 0)
    rows = parse_with_pyarrow(lines._replace(body=body), roles)
    if rows is None:
        return None
    names = rows.ids
    if "" in names or len({*names, *special}) < len(names) + len(special):
        return None
    return _from_columns(rows.X.T, names, lines, request, taken)


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
    all_names, names, rows, taken, is_text = [], [], [], {}, []
    for _, (first, *cells) in lines.rows(request.name):
        name = first.decode().strip()
        all_names.append(name)
        if name in special:
            taken.setdefault(name, [cell.decode().strip() for cell in cells])
            continue
        values, flags, others = parse_numbers(cells, has_underscores)
        if others:
            is_text.append((name, next(iter(others.values()))))
        elif flags and len(flags) + np.isnan(values).sum() < len(values):
            is_text.append((name, "True or False among numbers"))
        names.append(name)
        rows.append(values)
    if not all_names:
        raise ValueError(f"{request.name} has a header and no rows below it.")
    request.column_roles(all_names)
    if not names:
        raise ValueError(f"{request.name} has no row of features.")
    request.refuse_text(is_text)
    return _from_columns(np.array(rows).T, names, lines, request, taken)


def _from_columns(X, names, lines, request, taken):
    y = None if request.target is None else labels_from_text(taken[request.target])
    ids = lines.header[1:] if request.ids is None else taken[request.ids]
    return RawTable(np.ascontiguousarray(X), names, y, ids, request.target)
