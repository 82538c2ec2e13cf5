"""Labels as a table gives them -> an array of strings or numbers."""

from collections import Counter
from hashlib import blake2b

import numpy as np

from .request import list_values, quote, texts

_LONGEST_LABEL, _MOST_LABELS = 1000, 100_000
_MANY_LABELS = 20  # that are numbers, and may be no classes
# What a cell of text says if there is no value; `None` may be a class, so it is not here.
MISSING = frozenset({"", "NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "NULL"})


def labels_from_text(cells):
    """Return whole numbers or numbers if all labels are, and strings otherwise.

    Labels such as 01 stay strings, because 1 may be another class.
    """
    present = [cell for cell in cells if cell not in MISSING]
    if len(present) < len(cells):
        return np.array([None if cell in MISSING else cell for cell in cells], dtype=object)
    for kind in (int, float):
        numbers = _all_numbers(cells, kind)
        if numbers is not None:
            return numbers
    return np.array(cells, dtype=str)


def _all_numbers(cells, kind):
    try:
        numbers = [kind(cell) for cell in cells]
    except ValueError:
        return None
    if kind is int:
        is_plain = all(str(n) == cell for n, cell in zip(numbers, cells, strict=True))
        fits = is_plain and max(map(abs, numbers)) < 2**63
        return np.array(numbers, dtype=np.int64) if fits else None
    # A class like 007 or 1_2 is a name.
    is_plain = not any("_" in cell or _has_leading_zero(cell) for cell in cells)
    return np.array(numbers) if is_plain and np.isfinite(numbers).all() else None


def _has_leading_zero(cell):
    digits = cell.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()


class LearnedLabels:
    """Labels of rows in `_request`, which are known once the cells of all rows were read.

    `_label_cells` yields those of some rows after the other, with None for what is missing.
    """

    n_samples = _label_of = None
    _kind, _nothing = "sample", "has a header and no rows below it"

    def labels(self):
        """Yield the labels, once all of them were seen, and how often each occurs."""
        self.learn_labels()
        yield self._request.name, np.array(list(self._label_of.values())), np.array(self._n_of)

    def learn_labels(self):
        """Read the column of labels, unless that was done, and count the rows."""
        if self._label_of is not None:
            return
        name, target, kind = self._request.name, self._request.target, self._kind
        n_rows, cells, missing = 0, Counter(), []
        for found in self._label_cells():
            missing += [n_rows + i + 1 for i, cell in enumerate(found) if cell is None]
            cells.update(found)
            n_rows += len(found)
            check_n_labels(len(cells), target, name)
        if not n_rows:
            raise ValueError(f"{name} {self._nothing}.")
        if missing:
            raise ValueError(
                f"{name}: {len(missing)} of {n_rows} {kind}s have no label in {quote(target)} "
                f"({kind} {list_values(missing)}). Fill them in or take these {kind}s out."
            )
        are_texts = all(isinstance(cell, str) for cell in cells)
        to_labels = labels_from_text if are_texts else labels_from_values
        self._label_of = dict(zip(cells, to_labels(list(cells)).tolist(), strict=True))
        self.n_samples, self._n_of = n_rows, list(cells.values())

    @staticmethod
    def learn_together(readers):
        """Read the labels of several files of text: what they are depends on all of them."""
        for each in readers:
            each.learn_labels()
        cells = list(dict.fromkeys(cell for each in readers for cell in each._label_of))
        label_of = dict(zip(cells, labels_from_text(cells).tolist(), strict=True))
        for each in readers:
            each._label_of = {cell: label_of[cell] for cell in each._label_of}


def labels_from_array(values, *, whole=False):
    """Return labels as one array; with `whole`, numbers without a fraction become integers."""
    y = np.asarray(values)
    if y.dtype.kind == "S":
        y = np.array([label.decode("utf-8", "replace") for label in y.ravel().tolist()])
    if y.ndim == 2 and 1 in y.shape:
        y = y.ravel()
    if y.dtype.kind == "O":
        y = _from_objects(y)
    if whole and y.dtype.kind == "f" and (y == np.rint(y)).all() and (abs(y) < 2**53).all():
        y = y.astype(np.int64)
    return y


def labels_from_values(values):
    """Return a list of any values as labels."""
    # With a last one that is cut off: NumPy would make two dimensions of values that are lists.
    return labels_from_array(np.array([*values, None], dtype=object)[:-1])


def _from_objects(y):
    """Strings if all are, numbers if all are; with a missing one the objects stay."""
    labels = y.ravel().tolist()
    if is_missing(y).any():
        return y
    if all(isinstance(label, str) for label in labels):
        return np.array(labels, dtype=str).reshape(y.shape)
    if all(isinstance(label, (bool, int, float, np.number)) for label in labels):
        return np.array(labels).reshape(y.shape)
    return y


def is_missing(y):
    """Say which labels are not there: NaN, None or the empty string."""
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind == "U":
        return y == ""
    if y.dtype.kind != "O":
        return np.zeros(y.shape, dtype=bool)
    missing = [_is_nothing(label) for label in y.ravel().tolist()]
    return np.array(missing, dtype=bool).reshape(y.shape)


def _is_nothing(label):
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(label, str):
        return label == ""
    return bool(label != label)


def check_labels(y, n_samples, target, name, ids=None):
    """Raise unless there is a label for each sample, all of a kind; None is no labels at all.

    Samples are named by ids, or by their numbers if there are none.
    """
    if y is None:
        return
    if len(y) != n_samples:
        raise ValueError(f"{name}: {target} has {len(y)} labels for {n_samples} samples.")
    missing = np.flatnonzero(is_missing(y))
    if missing.size:
        samples = (missing + 1).tolist() if ids is None else [quote(ids[i]) for i in missing]
        raise ValueError(
            f"{name}: {missing.size} of {len(y)} samples have no label in "
            f"{quote(target)} (sample {list_values(samples)}). "
            "Fill them in or take these samples out; a column that is no sample, of a table with "
            "samples in columns, is left out with drop (--drop NAME)."
        )
    if y.dtype.kind == "O":
        raise ValueError(f"{name}: the labels {quote(target)} must be all strings or all numbers.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError(f"{name}: a label in {quote(target)} is infinite.")
    if y.dtype.kind == "U" and y.dtype.itemsize > 4 * _LONGEST_LABEL:
        raise ValueError(
            f"{name}: a label in {quote(target)} has {y.dtype.itemsize // 4} "
            f"characters, more than {_LONGEST_LABEL}; is it the column of labels?"
        )


def say_unusual_labels(y, target):
    """Return remarks on labels that are there, but unusual; None is no labels at all."""
    if y is None:
        return []
    classes, counts = np.unique(y, return_counts=True)
    names = [quote(label) if isinstance(label, str) else str(label) for label in classes.tolist()]
    if len(names) == 1:
        return [f"All samples have the same label, {names[0]}."]
    if y.dtype.kind == "f" and len(names) > _MANY_LABELS:
        return [f"{quote(target)} holds {len(names)} different numbers; are they classes?"]
    single = [name for name, count in zip(names, counts.tolist(), strict=True) if count == 1]
    if len(single) == 1:
        return [f"Class {single[0]} has one sample."]
    return [f"{len(single)} classes have one sample each: {list_values(single)}."] if single else []


def say_repeated_ids(ids):
    """Return a remark on names of samples that repeat; None is no names at all."""
    repeated = [name for name, count in Counter(ids or ()).items() if count > 1]
    if not repeated:
        return []
    noun = "id" if len(repeated) == 1 else "ids"
    return [f"{len(repeated)} duplicate sample {noun}, kept: {list_values(repeated, quoted=True)}."]


def sample_names(request, column):
    """Return the names of groups and of blocks of samples, as texts, by what they are.

    ``column(name)`` gives the values of a column.
    """
    roles = {"groups": request.groups, "blocks": request.blocks}
    return {
        role: group_names(column(name), name, request.name, role[:-1])
        for role, name in roles.items()
        if name is not None
    }


def group_names(values, groups, name, noun="group"):
    """Return what a column says of the group of each sample as texts; raise if one is missing."""
    values = np.asarray(values, dtype=object).ravel()
    missing = np.flatnonzero([_is_nothing(each) for each in values.tolist()])
    if missing.size:
        raise ValueError(
            f"{name}: {missing.size} of {values.size} samples have no {noun} in {quote(groups)} "
            f"(sample {list_values((missing + 1).tolist())}). Each sample needs a {noun}, if one "
            "of its own."
        )
    return np.array(texts(values), dtype=object)


def hash_names(names):
    """Return 8 bytes for each name, so that many can be kept; the same for the same name."""
    names = names.tolist()
    known = {name: name.encode("utf-8", "surrogatepass") for name in set(names)}
    hashes = {
        name: int.from_bytes(blake2b(code, digest_size=8).digest(), "big")
        for name, code in known.items()
    }
    return np.array([hashes[name] for name in names], dtype=np.uint64)


def check_n_labels(n_labels, target, name):
    """Raise if there are so many different labels that they can hardly be classes."""
    if n_labels > _MOST_LABELS:
        raise ValueError(
            f"{name}: {quote(target)} holds more than {_MOST_LABELS} different labels; is it the "
            "column of labels?"
        )
