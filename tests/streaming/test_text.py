"""Columns of a table of text are cut at once where it is regular, to the same cells."""

import csv

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from centroidal.streaming.text import Lines


def lines_of(body, width, separator=","):
    header = [f"c{j}" for j in range(width)]
    return Lines(header, body.encode(), separator, 2, '"' in body)


def cells_or_error(lines, read):
    try:
        return read()
    except ValueError as error:
        return str(error)


def columns_by_rows(lines, places):
    rows = [cells for _, cells in lines.rows("t.csv")]
    return [[row[place] for row in rows] for place in places]


@given(st.text('ab ,"\n\ré'), st.integers(1, 3))
@example('a,"b ""c"", d"\n', 2)
@example('a, "b"\r\nc,d\r\n\r\n', 2)
@example('a,b"c"\n', 2)
@example('a,"b"c\n', 2)
@example('"a\nb",c\n   \nd,e', 2)
@example('a,"b', 2)
@example("a,b\n c,d,\n", 2)
@settings(deadline=None)  # loops are compiled
def test_columns_are_those_of_rows_or_refused_in_the_same_words(body, width):
    lines, places = lines_of(body, width), list(range(width))[::-1]
    found = cells_or_error(lines, lambda: lines.columns("t.csv", places))
    assert found == cells_or_error(lines, lambda: columns_by_rows(lines, places))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_regular_tables_are_cut_at_once(monkeypatch, end, separator):
    rows = [['say "a"', "x"], [f"b{separator} c", "y"], ["d\ne", "z"], ["", ""]]
    body = "".join(
        separator.join('"' + cell.replace('"', '""') + '"' for cell in row) + end for row in rows
    )
    monkeypatch.setattr(Lines, "rows", None)
    found = lines_of(body, 2, separator).columns("t.csv", [0, 1])
    assert found == [[cell.encode() for cell in column] for column in zip(*rows, strict=True)]


def test_cell_that_is_too_long_is_refused_as_csv_refuses_it():
    lines = lines_of(f'"{"x" * 50}",y\n', 2)
    before = csv.field_size_limit(20)
    try:
        with pytest.raises(ValueError, match="line 2 is not a row of cells: field larger"):
            lines.columns("t.csv", [0])
    finally:
        csv.field_size_limit(before)
