"""Predictions for tables that are read in parts, of which only columns of the model are.

Those in which noise is known are read where samples may be without a call.
"""

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from .._files import suffix_of
from .._parameters import check_asked
from ..streaming.batches import TEXT_SUFFIXES, open_reader
from ..streaming.pieces import refuse_infinite
from ..streaming.request import Request, count_noun, is_absent, list_names
from ..streaming.text import check_marks
from ._formats import find_10x
from .prediction import (
    COLUMN_NOT_THERE,
    check_classifier,
    columns_around,
    columns_read,
    fills_in,
    known_reading,
    label_name,
    match_columns,
    move_columns,
    n_missing,
    predict_table,
    predict_with_scale,
    read_new_samples,
    remarks_on_scale,
    say_left_out,
)

__all__ = ["StreamedPredictions", "is_streamed"]

_BYTES_AT_A_TIME = 2**25
_WHOLE = (".txt", ".txt.gz")  # which may be a series matrix of GEO, with samples in columns
_IN_PARTS = {".parquet", ".h5ad", *TEXT_SUFFIXES} - {*_WHOLE}


def is_streamed(source):
    """Say whether a source is read in parts: a folder, a table of text, .parquet or .h5ad."""
    path = Path(source)
    return find_10x(path) is None if path.is_dir() else suffix_of(path) in _IN_PARTS


class StreamedPredictions:
    """Predictions for one part of a source after the other, in bounded memory.

    Parameters
    ----------
    model : estimator
        A fitted classifier, or a pipeline that ends in one.
    source : str or Path
        A .csv, .tsv (also .gz), .parquet or .h5ad file, a .zarr folder, or a folder of .parquet
        files, or of tables of text; of these, .txt is read as a whole.
    card, ids, drop, layer, max_bytes, delimiter, decimal
        As in :func:`read_new_samples`.
    allow_extra, no_call
        As in :func:`predict_table`.

    Attributes
    ----------
    remarks, counts : tuple of str, Counter
        What was unusual, and how many samples are of each class, once all parts were seen.
    n_samples : int
        How many samples there were.
    """

    def __init__(
        self, model, source, *, card=None, ids=None, drop=(), layer=None, max_bytes=None,
        delimiter=None, decimal=".", allow_extra=False, no_call=None,
    ):  # fmt: skip
        check_classifier(model)
        self._model, self._card, self._path = model, card, Path(source)
        self._allow_extra, self._no_call = allow_extra, no_call
        check_marks(delimiter, decimal)
        self._options = {
            "ids": ids, "drop": drop, "layer": layer, "max_bytes": max_bytes,
            "delimiter": delimiter, "decimal": decimal,
        }  # fmt: skip
        self._notes, self.counts, self.n_samples = [], Counter(), 0
        self._gaps, self._n_unlike, self._on_calls = Counter(), 0, {}
        around = np.zeros(0, dtype=np.int64) if no_call is None else columns_around(model)
        self._is_around = np.isin(np.arange(model.n_features_in_), around)
        is_read = columns_read(model)
        self._is_read = np.ones(self._is_around.size, dtype=bool) if is_read is None else is_read
        # So that a file that differs is found before any work.
        self._parts = [self._open_part(path) for path in self._find_texts() or [self._path]]

    @property
    def classes(self):
        """The classes of the model."""
        return self._model.classes_

    @property
    def remarks(self):
        """What was unusual and how it was handled, a sentence each."""
        found = list(dict.fromkeys(self._notes))
        if self._gaps:
            values = count_noun(self._gaps.total(), "value is", "values are")
            features = count_noun(len(self._gaps), "feature")
            found.append(f"{values} missing, in {features}; the model fills them in.")
        return (*found, *remarks_on_scale(self._n_unlike, self.n_samples), *self._on_calls)

    def __iter__(self):
        for part in self._parts:
            for name, found, n_unlike in part():
                self.n_samples += len(found.labels)
                self.counts.update(found.counts())
                self._n_unlike += n_unlike
                yield name, found

    # -------------------------------------------------------------- tables of text

    def _find_texts(self):
        """Return the tables of text in a folder; none if it holds others."""
        if not self._path.is_dir() or suffix_of(self._path) == ".zarr":
            return []
        found = sorted(each for each in self._path.iterdir() if each.name[0] not in "._")
        found = [each for each in found if each.is_file()]
        return found if found and all(suffix_of(each) in TEXT_SUFFIXES for each in found) else []

    def _open_part(self, path):
        """Return what predicts a file, or the folder, once it is called."""
        name = path.name if path == self._path else f"{self._path.name}/{path.name}"
        if suffix_of(path) in _WHOLE:
            return partial(self._of_table, path, name)
        column_of = {}
        reader = self._open_reader(path, name, column_of)
        _ = reader.n_samples  # and files of a folder are looked at
        self._notes += getattr(reader, "remarks", ())
        return partial(self._of_rows, reader, column_of)

    def _of_table(self, path, name):
        target = None if self._card is None else label_name(self._card)
        options = {"target": target, "allow_extra": self._allow_extra, "no_call": self._no_call}
        table = read_new_samples(path, card=self._card, **self._options)
        found = predict_table(self._model, table, **options)
        self._notes += found.remarks
        yield name, found, 0

    # -------------------------------------------------------------- columns that are looked at

    def _open_reader(self, path, name, column_of):
        """Open a source for the columns that the model reads; names of training may be absent."""
        known = {} if self._card is None else known_reading(self._card)
        options = self._options | {"target": None}
        may_ids = None if options["ids"] else known.get("id")
        options["ids"] = options["ids"] or may_ids
        choose = partial(self._choose, name, set(known.get("left_out", ())), column_of)
        request = Request(name, **check_asked(**options), choose=choose)
        try:
            return open_reader(path, request)
        except ValueError as error:
            if may_ids is None or not is_absent(may_ids, error):
                raise
        return open_reader(path, request._replace(ids=None))

    def _choose(self, source, left_out, column_of, names):
        """Return where columns that are looked at were in training; raise if one must be there."""
        there = [name for name in names if name in left_out]
        if there:
            self._notes.append(say_left_out(there))
        names = np.array([name for name in names if name not in left_out], dtype=object)
        table = SimpleNamespace(feature_names=names, source=source)
        target = None if self._card is None else label_name(self._card)
        place, is_read = match_columns(self._model, table, target, self._allow_extra, self._notes)
        columns = np.flatnonzero((is_read | self._is_around) & (place != COLUMN_NOT_THERE))
        column_of.update(zip(names[place[columns]].tolist(), columns.tolist(), strict=True))
        return column_of

    def _of_rows(self, reader, column_of):
        columns = np.array([column_of[name] for name in reader.feature_names], dtype=np.int64)
        height = max(1, _BYTES_AT_A_TIME // (8 * self._model.n_features_in_))
        for piece in reader.pieces(0, height, slice(None)):
            for start in range(0, piece.n_rows, height):
                part = piece.rows(start, start + height)
                there = self._check_values(part, columns, reader.feature_names)
                place = np.full(self._model.n_features_in_, COLUMN_NOT_THERE)
                place[columns[there]] = there
                X, absent = move_columns(part.X, place), place == COLUMN_NOT_THERE
                found, n_unlike = predict_with_scale(self._model, X, self._no_call, absent)
                self._on_calls |= dict.fromkeys(found.remarks)
                yield part.name, replace(found, ids=part.ids), n_unlike

    def _check_values(self, part, columns, names):
        """Return which columns can be looked at; raise if one of them cannot that is read."""
        refuse_infinite(part.X, names, part.name)
        gaps = n_missing(part.X)
        if fills_in(self._model):
            self._gaps.update({names[j]: int(gaps[j]) for j in np.flatnonzero(gaps)})
            return np.arange(columns.size)
        needed = (gaps > 0) & self._is_read[columns]
        if needed.any():
            values = count_noun(gaps[needed].sum(), "value is", "values are")
            missing = [names[j] for j in np.flatnonzero(needed)]
            raise ValueError(
                f"{part.name}: {values} missing, in {count_noun(len(missing), 'feature')} that the "
                f"model reads: {list_names(missing)}. It was fitted without an imputer, so fill "
                "them in or take these samples out."
            )
        return np.flatnonzero(gaps == 0)
