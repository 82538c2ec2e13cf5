"""Sheets of samples: labels, patients and batches in a file of their own, joined by sample id."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..streaming.labels import MISSING, is_missing
from ..streaming.request import count_noun, list_values, quote, texts


class SampleSheet(NamedTuple):
    """What a sheet says of samples, as far as it was asked for; each has one row."""

    name: str
    names: list  # of all columns
    sample_id: str  # the column of ids
    ids: np.ndarray
    target: str | None  # None if the labels are not in the sheet
    columns: dict  # values by name: those of the target, and annotations
    labels_from: Callable

    @property
    def annotations(self):
        """Names of the annotations that are in the sheet."""
        return tuple(name for name in self.columns if name != self.target)

    def description(self, digest):
        """Return what is worth keeping of the sheet beside the values."""
        return {
            "source": self.name,
            "digest": digest,
            "sample_id": self.sample_id,
            "columns": list(self.columns),
        }


def make_sheet(names, column, labels_from, request):
    """Take ids and what is asked for out of a sheet, whose columns are ``column(place)``."""
    if not names:
        raise ValueError(f"{request.name} has no columns.")
    if request.ids is not None and request.ids not in names:
        raise ValueError(request.say_unknown("column", request.ids, names))
    sample_id = names[0] if request.ids is None else request.ids
    asked = [each for each in (request.target, *request.annotations) if each in names]
    for each in (sample_id, *asked):
        if names.count(each) > 1:
            raise ValueError(f"{request.name}: {quote(each)} occurs more than once in the header.")
    ids = annotation_texts(column(names.index(sample_id)))
    if ids.size == 0:
        raise ValueError(f"{request.name} has no rows.")
    _check_ids(ids, request.name, sample_id)
    return SampleSheet(
        name=request.name,
        names=names,
        sample_id=sample_id,
        ids=ids,
        target=request.target if request.target in asked else None,
        columns={each: column(names.index(each)) for each in asked},
        labels_from=labels_from,
    )


def _check_ids(ids, name, sample_id):
    missing = np.flatnonzero(ids == "") + 1
    if missing.size:
        raise ValueError(
            f"{name}: {count_noun(missing.size, 'row has', 'rows have')} no id in "
            f"{quote(sample_id)}: row {list_values(missing.tolist())}."
        )
    repeated = [each for each, count in Counter(ids).items() if count > 1]
    if repeated:
        raise ValueError(
            f"{name}: {count_noun(len(repeated), 'id occurs', 'ids occur')} more than once in "
            f"{quote(sample_id)}: {list_values(repeated, quoted=True)}. A sheet has one row for "
            "each sample; if another column holds the ids, name it with sample_id (--sample-id "
            "COLUMN)."
        )


def annotation_texts(values):
    """Return values of any kind as texts, empty where they are missing."""
    missing = is_missing(np.array([*values, None], dtype=object)[:-1])
    cells = [
        "" if gone else text.strip() for text, gone in zip(texts(values), missing, strict=True)
    ]
    return np.array(["" if cell in MISSING else cell for cell in cells], dtype=object)


def advise_ids(request):
    """Return what to do about a table without sample ids."""
    if ".svm" in request.name or ".libsvm" in request.name:
        return "an svmlight file cannot have any, others can, such as .csv and .npz"
    return "name their column, or array, with ids (--id NAME)"


def join_sheet(found, request, allow_unmatched):
    """Give each sample of a table what the sheet says of it; the order is that of the table."""
    sheet = request.sheet
    if found.ids is None:
        raise ValueError(
            f"{request.name} has no sample ids, by which {sheet.name} is joined; "
            f"{advise_ids(request)}."
        )
    row_of = {each: row for row, each in enumerate(sheet.ids)}
    kept = [i for i, each in enumerate(found.ids) if each in row_of]
    remarks = _on_unmatched(found.ids, row_of, request, allow_unmatched)
    found = found.take(kept)
    rows = [row_of[each] for each in found.ids]
    if sheet.target is not None:
        labels = sheet.columns[sheet.target]
        y = sheet.labels_from([labels[row] for row in rows])
        found = found._replace(y=y, target=sheet.target)
    more = tuple([sheet.columns[name][row] for row in rows] for name in sheet.annotations)
    return found._replace(
        annotations=(*found.annotations, *more), remarks=(*found.remarks, *remarks)
    )


def _on_unmatched(ids, row_of, request, allow_unmatched):
    """Return remarks on samples without a row and rows without a sample, or refuse them."""
    sheet, there = request.sheet, set(ids)
    samples = [each for each in ids if each not in row_of]
    rows = [each for each in row_of if each not in there]
    if len(samples) == len(ids):
        raise ValueError(
            f"No sample of {request.name} ({list_values(samples, quoted=True)}) is in "
            f"{quote(sheet.sample_id)} of {sheet.name} ({list_values(rows, quoted=True)}). Name "
            "the column of ids in the sheet with sample_id (--sample-id COLUMN), that in the table "
            "with ids (--id COLUMN)."
        )
    remarks = []
    if samples:
        counted = count_noun(len(samples), "sample has", "samples have")
        remarks.append(f"{counted} no row in {sheet.name}: {list_values(samples, quoted=True)}")
    if rows:
        counted = count_noun(len(rows), "row", "rows")
        verb = "has" if len(rows) == 1 else "have"
        named = list_values(rows, quoted=True)
        remarks.append(f"{counted} of {sheet.name} {verb} no sample in {request.name}: {named}")
    if remarks and not allow_unmatched:
        columns = " leave out columns that are no samples with drop (--drop NAME)," * bool(
            samples and request.transpose
        )
        raise ValueError(
            f"{'. '.join(remarks)}. Correct the ids,{columns} or go on without them with "
            "allow_unmatched=True (--allow-unmatched)."
        )
    return [f"{remark}; left out." for remark in remarks]
