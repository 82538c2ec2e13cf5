"""Compiled loops over the bytes of tables of text."""

from .._jit import compiled

_QUOTE, _SPACE, _RETURN, _NEWLINE = 34, 32, 13, 10


@compiled
def cut_cells(data, separator, is_quoted, places, edges, has_pairs):
    """Find where the cells of some columns start and stop in all rows; return how many rows.

    Column j is written to place `places[j]` of `edges` (columns, 2, rows), unless that is negative,
    and where it holds pairs of quotes, that stand for one. Cells are those that `csv` finds, strict
    and with spaces before them skipped, or without quotes those between separators. Returns -1 for
    a table that is not regular, which is to be read another way.
    """
    position, row, n = 0, 0, data.size
    while position < n:
        if data[position] == _NEWLINE or data[position] == _RETURN:
            position += 1
            continue
        for column in range(places.size):
            if is_quoted:
                while position < n and data[position] == _SPACE:
                    position += 1
            start, is_pair = position, False
            if is_quoted and position < n and data[position] == _QUOTE:
                start = position = position + 1
                while position < n:
                    if data[position] != _QUOTE:
                        position += 1
                    elif position + 1 < n and data[position + 1] == _QUOTE:
                        is_pair = True
                        position += 2
                    else:
                        break
                stop = position
                position += 1
                if stop == n:
                    return -1
            else:
                while position < n:
                    if data[position] in (separator, _NEWLINE, _RETURN):
                        break
                    position += 1
                stop = position
            is_last = column == places.size - 1
            if position < n:
                is_end = data[position] == _NEWLINE or data[position] == _RETURN
                if is_end != is_last or not (is_end or data[position] == separator):
                    return -1
            elif not is_last:
                return -1
            position += 1
            if places[column] >= 0:
                edges[places[column], 0, row], edges[places[column], 1, row] = start, stop
                has_pairs[places[column], row] = is_pair
        row += 1
    return row
