"""What was asked of a source, what was found in it, and the words for what is wrong."""

import re
from contextlib import contextmanager
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np

from .limits import RefusedFileError, check_unpacked_size

N_LISTED, N_NAMES = 5, 10
N_CHARACTERS = 40
N_REASON = 200


class RawTable(NamedTuple):
    """A table as its format gives it; missing numbers are NaN."""

    X: object
    feature_names: list
    y: np.ndarray | None = None
    ids: list | None = None
    target: str | None = None
    remarks: tuple = ()
    annotations: tuple = ()  # a list of values for each that was asked for

    def take(self, rows):
        """Return some of the samples, in the order of their places."""
        if len(rows) == self.X.shape[0]:
            return self
        return self._replace(
            X=self.X[rows],
            y=None if self.y is None else self.y[rows],
            ids=None if self.ids is None else [self.ids[i] for i in rows],
            annotations=tuple([values[i] for i in rows] for values in self.annotations),
        )


class ColumnRoles(NamedTuple):
    """Where in a header the features, the labels, the ids and the annotations stand."""

    features: list
    target: int | None
    ids: int | None
    annotations: tuple = ()

    @property
    def texts(self):
        """Columns that are read as text."""
        return [j for j in (self.target, self.ids, *self.annotations) if j is not None]


class Request(NamedTuple):
    """What the caller of `read_table` or `batches` asked for; `name` is the source in messages."""

    name: str
    target: str | None = None
    ids: str | None = None
    drop: tuple = ()
    transpose: bool = False
    layer: str | None = None
    max_bytes: int | None = None  # see `limits.py`
    annotations: tuple = ()
    sheet: object = None  # of samples; what it has is not looked for in the source
    groups: str | None = None  # the column of groups, which is that of the ids or an annotation
    blocks: str | None = None  # that of blocks, in the same way
    duplicates: str | None = None  # how features of the same name are collapsed, or "refuse"
    delimiter: str | None = None  # of cells in text; None is what the header shows
    decimal: str = "."  # the mark in numbers in text
    choose: object = None  # (names of features) -> those that are read; None for all

    def column_roles(self, names, unnamed=None, samples=()):
        """Find the names that were asked for; `unnamed` is an index, never a feature.

        If names are those of rows, what is to be dropped may also be among `samples`, the columns.
        """
        what = "row" if self.transpose else "column"
        for asked in (self.target, self.ids, *self.annotations):
            if asked is not None and asked not in names:
                raise ValueError(self.say_unknown(what, asked, names))
        for asked in self.drop:
            if asked not in names and asked not in samples:
                either = f"{what} or column" if self.transpose else what
                raise ValueError(self.say_unknown(either, asked, [*names, *samples]))
        left_out = set(self.drop)
        hint = "leave it out of the table with drop (--drop NAME), or "
        self.refuse_in_both([name for name in names if name not in left_out], hint)
        nameless = [
            j + 1
            for j, name in enumerate(names)
            if not name and j != unnamed and "" not in left_out
        ]
        if nameless:
            raise ValueError(
                f"{self.name}: {what} {list_values(nameless)} has no name; give every {what} one, "
                "or leave those without a name out with drop='' (--drop '')."
            )
        self.refuse_repeated([name for name in names if name not in left_out])
        target = None if self.target is None else names.index(self.target)
        ids = unnamed if self.ids is None else names.index(self.ids)
        annotations = tuple(map(names.index, self.annotations))
        special = {target, ids, unnamed, *annotations}
        features = [j for j, name in enumerate(names) if name not in left_out and j not in special]
        return ColumnRoles(self._choose_places(names, features), target, ids, annotations)

    @property
    def named_columns(self):
        """Columns with names of what samples belong to."""
        return [each for each in dict.fromkeys((self.groups, self.blocks)) if each is not None]

    def kept_positions(self, names):
        """Say which of the names of an array of features are not to be dropped."""
        for asked in self.drop:
            if asked not in names:
                raise ValueError(self.say_unknown("feature", asked, names))
        left_out = set(self.drop)
        kept = [j for j, name in enumerate(names) if name not in left_out]
        self.refuse_repeated([names[j] for j in kept])
        return self._choose_places(names, kept)

    def _choose_places(self, names, places):
        """Return the places of features that are read."""
        if self.choose is None:
            return places
        chosen = self.choose([names[j] for j in places])
        return [j for j in places if names[j] in chosen]

    def say_unknown(self, what, asked, names):
        """Return the sentence on a name that is not there, with the nearest that are."""
        missing = f"{self.name} has no {what} {quote(asked)}"
        if self.sheet is not None and asked in (self.target, *self.annotations):
            missing += f", nor has {self.sheet.name} such a column"
            names = [*self.sheet.names, *names]
        near = {name.casefold(): name for name in names}
        close = get_close_matches(asked.casefold(), near, n=3)
        if close:
            return f"{missing}. Did you mean {' or '.join(repr(near[name]) for name in close)}?"
        there = "There are" if self.sheet is not None else "It has"
        return f"{missing}. {there} {list_values(names, quoted=True)}."

    def refuse_in_both(self, names, hint=""):
        """Raise if a name that was found in the sheet of samples is in the source, too."""
        for asked in () if self.sheet is None else self.sheet.columns:
            if asked in names:
                raise ValueError(
                    f"{quote(asked)} is in {self.sheet.name} and in {self.name}, too; {hint}rename "
                    "one of them."
                )

    def check_layer(self, layers):
        """Raise unless the layer that was asked for is there."""
        if self.layer not in layers:
            raise ValueError(self.say_unknown("layer", self.layer, layers))

    def check_size(self, n_bytes, n_stored, what=None):
        """Raise if the source, or what in it, takes more memory than its bytes may."""
        name = self.name if what is None else f"{self.name}: {what}"
        check_unpacked_size(name, n_bytes, n_stored, self.max_bytes)

    def refuse_repeated(self, names):
        """Raise if a name occurs twice, unless it is one of features that are to be collapsed."""
        if self.collapses:
            names = [each for each in names if each in (self.target, self.ids, *self.annotations)]
        if len(set(names)) == len(names):
            return
        counts = {}
        for name in names:
            counts[name] = counts.get(name, 0) + 1
        repeated = [name for name, count in counts.items() if count > 1]
        verb = "occurs" if len(repeated) == 1 else "occur"
        raise ValueError(
            f"{self.name}: {list_values(repeated, quoted=True)} {verb} more than once among the "
            "names. A model finds its features by name, so rename them, or leave them out with "
            "drop (--drop NAME)"
            + "; genes that several rows or columns measure are made one with duplicates='mean' "
            "(--duplicates mean)" * (self.duplicates is not None) + "."
        )

    @property
    def collapses(self):
        """Whether features of the same name are to be made one."""
        return self.duplicates not in (None, "refuse")

    def refuse_text(self, columns):
        """Raise because of features, given with an example of each, that are not numbers."""
        if not columns:
            return
        names = list_values([f"{quote(name)} ({quote(cell)})" for name, cell in columns])
        one = len(columns) == 1
        message = (
            f"{self.name}: {len(columns)} feature{' is' if one else 's are'} not numeric: {names}. "
            "Leave them out with drop (--drop NAME) or encode them as numbers."
        )
        if self.ids is None and not self.transpose:
            joined = "" if self.sheet is None else f", by which {self.sheet.name} is joined,"
            message += f" A column of sample ids{joined} is named with ids (--id COLUMN)."
        raise ValueError(message + _on_commas(columns))

    def refuse_text_cells(self, rows, columns):
        """Raise because of text where samples are in columns, given by row and by column.

        Whichever are fewer are to blame: a description is a column with text in all rows, a label
        is a row with text in all columns.
        """
        if not columns or len(columns) >= len(rows):
            self.refuse_text(rows)
            return
        names = list_values([f"{quote(name)} ({quote(cell)})" for name, cell in columns])
        counted = count_noun(len(columns), "column holds", "columns hold")
        message = (
            f"{self.name}: {counted} text, in {count_noun(len(rows), 'row')}: {names}. Columns "
            "that are no samples are left out with drop (--drop NAME)."
        )
        raise ValueError(message + _on_commas(columns))

    def refuse_option(self, option, kind):
        """Raise because of an option that does not apply to this kind of source."""
        raise ValueError(f"{option} is of no use with {self.name}: {kind}.")


def is_absent(name, error):
    """Whether a table was refused because it has nothing of a name; see `Request.say_unknown`."""
    kinds = "column|row|row or column|feature|array|column of obs"
    return re.search(rf" has no ({kinds}) {re.escape(quote(name))}[.,]", str(error)) is not None


def _on_commas(examples):
    if not any(_has_comma(cell) for _, cell in examples):
        return ""
    return (
        " Numbers must be written with a decimal point, and without a comma: 1.5, 1234; tables in "
        "memory may have decimal commas if decimal=',' (--decimal ,) says so."
    )


def _has_comma(cell):
    parts = str(cell).strip().lstrip("+-").split(",")
    return len(parts) > 1 and all(part.replace(".", "").isdigit() for part in parts)


def quote(value):
    """Quote a value for a message, cut if it is long."""
    text = str(value)
    return repr(text if len(text) <= N_CHARACTERS else text[:N_CHARACTERS] + "...")


def list_values(values, quoted=False, most=N_LISTED):
    """List the first few values and say how many there are if these are not all."""
    first = [quote(value) if quoted else str(value) for value in values[:most]]
    rest = f", ... ({len(values)})" if len(values) > most else ""
    return ", ".join(first) + rest


def list_names(names):
    """List the first ten names, each quoted, and say how many there are if these are not all."""
    return list_values(names, quoted=True, most=N_NAMES)


def list_differences(*kinds):
    """List the names of each kind of difference: its word, its names, and whether to quote them."""
    return [
        f"{word}: {list_values(names, quoted=quoted)}" for word, names, quoted in kinds if names
    ]


def count_noun(count, singular, plural=None):
    """Say how many there are, with the noun in one or many."""
    return f"{count} {singular if count == 1 else plural or singular + 's'}"


def texts(values):
    """Return names as plain str, whatever they were."""
    return [
        value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        for value in np.asarray(values, dtype=object).ravel().tolist()
    ]


def check_characters(values, name):
    """Return an array; raise if it is one of texts with numbers in them that are no characters.

    NumPy reads texts as numbers, and would make strings of them that Python does not know.
    """
    if values.dtype.kind == "U" and values.size:
        numbers = np.dtype(np.uint32).newbyteorder(values.dtype.str[0])
        codes = np.frombuffer(values.tobytes(), numbers)
        is_wrong = (codes > 0x10FFFF) | ((codes >= 0xD800) & (codes < 0xE000))
        if is_wrong.any():
            code = codes[is_wrong.argmax()]
            raise ValueError(f"{name} holds a text with {code:#x}, which is no character.")
    return values


@contextmanager
def clean_errors(name, kind):
    """Turn whatever a library raises on a broken file into one sentence with its name."""
    try:
        yield
    except RefusedFileError:
        raise
    except Exception as error:
        first = str(error).strip().split("\n")[0] or type(error).__name__
        first = first if len(first) <= N_REASON else first[:N_REASON] + "..."
        raise ValueError(f"{name} could not be read as {kind}: {first}") from error
