"""Every table and figure of the papers has a row, and its status follows from the verdicts."""

import csv
import re
from collections import Counter

import pytest

from benchmarks.papers.inventory import ITEMS, PATH, inventory, status_of

pytestmark = pytest.mark.once


def names(kind, *numbers):
    return {f"{kind} {number}" for number in numbers}


# Read from the papers: what they print.
PRINTED = {
    "Calafiore and Fracastoro 2022": names("Table", "I", "II") | names("Figure", *range(1, 8)),
    "the same, preprint of 2019": names("Table", 1, 2) | names("Figure", 1, 2),
    "Rozza 2010": names("Table", "3.1", "3.2", "3.3", "A.1")
    | names("Table", *(f"4.{k}" for k in range(1, 7)), *(f"5.{k}" for k in range(1, 7)))
    | names("Table", *(f"6.{k}" for k in range(1, 9)))
    | names("Figure", *(f"2.{k}" for k in range(1, 4)), *(f"4.{k}" for k in range(1, 7)))
    | names("Figure", *(f"5.{k}" for k in range(1, 7)), "A.1"),
    "Fraiman and Li 2021": names("Table", *range(1, 13)),
    "Xia, Su and Kong": names("Table", 1, 2) | names("Figure", *range(1, 5)),
}


def test_every_table_and_figure_has_one_row():
    counts = Counter((item.paper, item.name) for item in ITEMS)
    assert counts == Counter((paper, name) for paper, found in PRINTED.items() for name in found)


def test_the_tracked_table_is_what_the_verdicts_say():
    with PATH.open(newline="", encoding="utf-8") as file:
        assert [tuple(row) for row in csv.reader(file)][1:] == inventory()


def test_what_was_not_attempted_says_why():
    assert all(row[5] for row in inventory() if row[3] == "not attempted")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["holds", "holds"], "reproduced"),
        (["holds", "does not hold"], "in part"),
        (["holds mostly", "does not hold"], "in part"),
        (["By the strict rule: does not hold. By the inclusive rule: holds"], "in part"),
        (["does not hold", "equal within noise"], "not reproduced"),
    ],
)
def test_status_follows_from_the_verdicts(words, status):
    assert status_of(words, sum(word == "holds" for word in words)) == status


def test_the_page_reads_the_tracked_table():
    page = (PATH.parents[3] / "docs" / "papers.rst").read_text()
    [file] = re.findall(r":file: (\S+)", page)
    assert (PATH.parents[3] / "docs" / file).resolve() == PATH.resolve()
