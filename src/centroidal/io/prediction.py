"""Predictions for a table of new samples, whose columns a model finds by name."""

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.utils import get_tags

from .._data import check_fitted
from .._files import check_target, write_atomically
from .._parameters import check_flag, check_share
from .._typing import Array, Columns, FilePath, HasShape
from ..model_selection.feature_flow import follow_features, split_conformal, steps_of
from ..persistence.model_file import ModelCard, objects_in
from ..streaming.request import N_NAMES, count_noun, is_absent, list_names, quote
from ..streaming.text import csv_bytes
from .documents import read_documents, takes_documents
from .duplicates import COLLAPSES
from .tables import Table, read_table

__all__ = [
    "Predictions",
    "columns_read",
    "label_name",
    "predict_rows",
    "predict_table",
    "read_like_training",
    "read_new_samples",
]

COLUMN_NOT_THERE = -1
_FEW = 10**5  # features for which there is always memory; some models keep no arrays
_TO_BE_FILLED = "filled in with medians of the training samples."


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """What a model says of the samples of a table, as :func:`predict_table` returns it.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        The predicted class of each sample.
    classes : ndarray of shape (n_classes,)
        The classes of the model.
    probabilities : ndarray of shape (n_samples, n_classes) or None
        Their probabilities; None if the model has none.
    ids : ndarray of shape (n_samples,) or None
        Names of the samples, as str.
    remarks : tuple of str
        What was unusual and how it was handled, a sentence each.
    credible : ndarray of bool, shape (n_samples, n_classes), or None
        Which classes are credible, if `no_call` was given.
    no_call : float or None
        The share of the samples of a class that may be without it.
    words : list of dict of str to float, or None
        Of documents, the words that decided, if they were asked for; see
        :func:`explain_documents`.
    """

    labels: np.ndarray
    classes: np.ndarray
    probabilities: np.ndarray | None
    ids: np.ndarray | None
    remarks: tuple = ()
    words: list | None = None
    credible: np.ndarray | None = None
    no_call: float | None = None

    @property
    def calls(self) -> Array:
        """The class of each sample, None where none, or more than one, is credible; as objects."""
        if self.credible is None:
            return np.array(self.labels, dtype=object)
        is_called = self.credible.sum(axis=1) == 1
        found = self.classes[self.credible.argmax(axis=1)].tolist()
        pairs = zip(found, is_called.tolist(), strict=True)
        return np.array([label if called else None for label, called in pairs], dtype=object)

    def counts(self) -> dict[Any, int]:
        """Count the samples of each class, and those without a call by the reason."""
        calls = self.calls.tolist()
        found = {str(label): calls.count(label) for label in self.classes.tolist()}
        if self.credible is not None:
            numbers = self.credible.sum(axis=1)
            found["no call: several classes are credible"] = int((numbers > 1).sum())
            found["no call: resembles no class"] = int((numbers == 0).sum())
        return found

    def __repr__(self):
        return f"<Predictions: {len(self.labels)} samples, {len(self.classes)} classes>"

    def write_csv(self, path: FilePath, force: bool = False) -> None:
        """Write a row for each sample: ``id``, ``prediction``, ``probability_<class>``, ``words``.

        Without ids, probabilities or words, their columns are left out. With `no_call` there is a
        column ``credible``, with all classes that are, or "none"; unless it is one, the prediction
        is left empty. Numbers are written so that they read back exactly. A text that a spreadsheet
        would run as a formula, because it begins with = + - @ or a tab, gets an apostrophe before
        it, which :func:`read_table` takes away. The file is written in one atomic step.

        Parameters
        ----------
        path : str or path
            File to write; its name must end in ``.csv``.
        force : bool, default=False
            Whether a file that exists may be overwritten.
        """
        path = check_target(path, ".csv", force)
        write_atomically(path, self.csv_rows(), force=force)

    def csv_rows(self, has_header: bool = True) -> bytes:
        """Return what `write_csv` writes, as bytes, or the rows alone.

        Parameters
        ----------
        has_header : bool, default=True
            Whether the names of the columns come first.

        Returns
        -------
        bytes
            Text in UTF-8.
        """
        columns = self._columns()
        return csv_bytes(columns if has_header else None, zip(*columns.values(), strict=True))

    def _columns(self):
        columns = {} if self.ids is None else {"id": self.ids.tolist()}
        columns["prediction"] = ["" if label is None else label for label in self.calls.tolist()]
        if self.credible is not None:
            columns["credible"] = self.credible_names
        if self.probabilities is not None:
            for label, column in zip(self.classes.tolist(), self.probabilities.T, strict=True):
                columns[f"probability_{label}"] = [repr(float(value)) for value in column]
        if self.words is not None:
            columns["words"] = [say_words(each) for each in self.words]
        return columns

    @property
    def credible_names(self) -> list[str]:
        """All classes that are credible for each sample, in one text, or "none"."""
        named = (map(str, self.classes[row].tolist()) for row in self.credible)
        return ["; ".join(names) or "none" for names in named]


def say_words(words):
    """Tell words with their weights, in one text."""
    return "; ".join(f"{word} ({weight:+.3g})" for word, weight in words.items())


def predict_table(
    model: Any,
    table: Table,
    *,
    target: str | None = None,
    allow_extra: bool = False,
    no_call: float | None = None,
) -> Predictions:
    """Predict the classes of the samples of a table, with its columns matched by name.

    The order of the columns does not matter. Columns that the model was fitted to but does not
    read, because it selects others, need not be there.

    Parameters
    ----------
    model : estimator
        A fitted classifier, or a pipeline that ends in one, as :func:`load_model` returns it.
    table : Table
        New samples, as :func:`read_new_samples` or :func:`read_table` returns them.
    target : str, default=None
        Name of the labels in training. A column of that name is left out, with a remark.
    allow_extra : bool, default=False
        Whether columns that the model was not fitted to are left out, too.
    no_call : float or None, default=None
        Leave samples without a class where none, or more than one, is credible, so that of each
        class at most this share of new samples has a set of credible classes without their own. It
        takes a model that ends in a :class:`~centroidal.ConformalClassifier`, as that of
        :func:`~centroidal.model_selection.select_features`.

    Returns
    -------
    Predictions
        Labels and probabilities, the same as those of `predict` and `predict_proba`; a remark if
        the samples lie on another scale than those of training.

    Raises
    ------
    ValueError
        If columns are missing that the model reads, if there are others without `allow_extra`, or
        if values are missing that no imputer of the model fills in. The message names them.

    See Also
    --------
    centroidal.persistence.load_model : Reads a model.
    read_table : Reads a table.

    Notes
    -----
    Which columns a model reads is known from `get_support`, of it or of the steps of a pipeline.
    Where it is not known, all columns must be there. Columns that are not read are set to zero.

    With `no_call` samples are told from noise in up to 1,000 columns, most of which the model does
    not read. Those of them that are not there, or in which values are missing that no imputer fills
    in, are left out. Where they are more than a tenth, samples are judged by the columns that the
    model reads alone, and a remark says so.

    A model that was fitted to an array knows no names. Its columns are called x0, x1, ..., and a
    table with other names must have the same number of columns, in the same order.

    Examples
    --------
    >>> import pandas as pd
    >>> from centroidal import SparseCenterClassifier
    >>> from centroidal.io import predict_table, read_table
    >>> frame = pd.DataFrame({"a": [1.0, 2.0, 8.0, 9.0], "b": [5.0, 4.0, 5.0, 4.0]})
    >>> model = SparseCenterClassifier(1).fit(frame, ["low", "low", "high", "high"])
    >>> new = read_table(pd.DataFrame({"a": [8.5, 0.5]}))
    >>> found = predict_table(model, new)
    >>> found.labels.tolist()
    ['high', 'low']
    >>> found.remarks
    ("1 feature of training is missing that the model does not read: 'b'.",)
    """
    check_flag("allow_extra", allow_extra)
    check_classifier(model)
    if not all(hasattr(table, part) for part in ("X", "feature_names", "remarks")):
        raise TypeError(
            f"table={type(table).__name__} must be a Table; read_new_samples(table, ...) makes one "
            "of a file, a data frame or AnnData."
        )
    if takes_documents(model):
        found = predict_rows(model, table.X, no_call)
        return replace(found, ids=table.ids, remarks=(*table.remarks, *found.remarks))
    _check_n_features(model, table.n_features)
    remarks = [remark for remark in table.remarks if not remark.endswith(_TO_BE_FILLED)]
    place, is_read = match_columns(model, table, target, allow_extra, remarks)
    is_cleared = _check_missing(model, table, place, is_read, remarks)
    place = np.where(is_cleared, COLUMN_NOT_THERE, place)
    absent = place == COLUMN_NOT_THERE
    if _leaves_out_zeros(table):
        absent = is_cleared
    found = predict_rows(model, move_columns(table.X, place), no_call, absent)
    return replace(found, ids=table.ids, remarks=(*remarks, *found.remarks))


def predict_rows(model, X, no_call=None, absent=None):
    """Predict the classes of rows whose columns are those of training, in their order.

    Those in the mask `absent` are set to zero, as nothing is known of them.
    """
    found, n_unlike = predict_with_scale(model, X, no_call, absent)
    return replace(found, remarks=remarks_on_scale(n_unlike, len(found.labels)) + found.remarks)


def predict_with_scale(model, X, no_call=None, absent=None):
    """Do so, and count the rows that are unlike those of training, of which nothing is said."""
    check_classifier(model)
    before, conformal = split_conformal(model)
    if no_call is not None:
        _check_no_call(no_call, conformal)
    with warnings.catch_warnings():
        # An array cannot show that its columns are in order.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        labels = model.predict(X)
        probabilities = model.predict_proba(X) if hasattr(model, "predict_proba") else None
        found = Predictions(labels, model.classes_, probabilities, ids=None)
        if conformal is None or len(labels) == 0:
            return found, 0
        Z = X if before is None else before.transform(X)
        n_unlike = np.count_nonzero(conformal.is_unlike(Z))
        if no_call is None:
            return found, n_unlike
        conformal, remarks = _look_around(model, conformal, absent)
        remarks += _on_small_classes(conformal, no_call)
        credible = conformal.predict_set(Z, no_call)
    return replace(found, remarks=remarks, credible=credible, no_call=no_call), n_unlike


def columns_around(model):
    """Return the columns in which noise is told from samples, in the order of the background.

    There are none for models that do not know of it, or of which all columns must be there.
    """
    before, conformal = split_conformal(model)
    nothing = np.zeros(0, dtype=np.int64)
    if conformal is None or conformal.background_ is None:
        return nothing
    steps = [] if before is None else steps_of(before)
    columns, mixed = follow_features(steps, model.n_features_in_)
    return nothing if mixed else columns[conformal.background_.columns]


def _look_around(model, conformal, absent):
    """Return the classifier without what is absent of its background, and a remark if it is all."""
    around = columns_around(model)
    lost = np.zeros(around.size, dtype=bool) if absent is None else absent[around]
    if not lost.any():
        return conformal, ()
    found = conformal.without_background(conformal.background_.columns[lost])
    if found.background_ is not None:
        return found, ()
    number = count_noun(conformal.columns_.size, "feature")
    return found, (
        f"Whether samples resemble a class is judged by the {number} that the model reads alone: "
        f"of {around.size} by which noise is known, {np.count_nonzero(lost)} are not there.",
    )


def _check_no_call(no_call, conformal):
    check_share("no_call", no_call)
    if conformal is None:
        raise ValueError(
            f"no_call={no_call!r} must be None: the model does not know how unusual samples of "
            "each class are. Models of select_features do; ConformalClassifier gives it to any "
            "other."
        )


def remarks_on_scale(n_unlike, n_samples):
    """Return a remark if most samples are unlike those of training."""
    if not 2 * n_unlike > n_samples:
        return ()
    return (
        f"{count_noun(n_unlike, 'sample')} of {n_samples} lie on another scale than those of "
        "training, or are of another kind: in the features that the model reads they are farther "
        "from every class, or larger or smaller, than 99 in 100 of these.",
    )


def _on_small_classes(conformal, no_call):
    """Return a remark if there are too few samples to exclude a class."""
    always = np.isinf(conformal.thresholds(no_call).scores)
    if not always.any():
        return ()
    names = list_names(conformal.classes_[always].tolist())
    number = conformal.calibration_.codes.size
    return (
        f"Of class {names} there are too few training samples ({number} in all) to exclude it with "
        f"no_call={no_call:g}; with a larger share it may be.",
    )


def check_classifier(model):
    if not hasattr(model, "predict"):
        raise ValueError(f"model={type(model).__name__} must be a classifier; it has no predict.")
    check_fitted(model)


def label_name(card):
    """Return what labels are called in training, by the card of a model file; None if unknown."""
    name = card.metadata.get("target")
    is_feature = name in (card.feature_names or ())  # of the same name, which is needed
    return None if is_feature or not isinstance(name, str) else name


def read_new_samples(
    source: FilePath | HasShape,
    *,
    card: ModelCard | None = None,
    target: str | None = None,
    drop: Columns = (),
    **options: Any,
) -> Table:
    """Read a table of new samples, in which the labels of training may, but need not, be.

    Parameters
    ----------
    source : str, Path, data frame or AnnData
        As in :func:`read_table`.
    card : ModelCard, default=None
        What :func:`~centroidal.persistence.read_model_card` says of the model file. Where nothing
        else is said, `target`, `ids` and `duplicates` are those of training, and columns that were
        left out in training are left out where they are there.
    target : str, default=None
        Name of the labels in training. Where it is a column, that column is not read.
    drop : sequence of str, default=()
        Columns to leave out. All must be there.
    **options
        As in :func:`read_table`: `ids`, `transpose`, `layer`, `duplicates`, `max_bytes`.

    Returns
    -------
    Table
        Missing values are NaN, for :func:`predict_table` to judge.
    """
    if target is None and card is not None:
        target = label_name(card)
    return read_like_training(source, card, label=target, drop=drop, impute="median", **options)


def read_like_training(source, card, *, label=None, ids=None, drop=(), duplicates=None, **options):
    """Read a table as that of training was read, as far as a card knows and nothing else is said.

    The label in training, its column of ids and the columns that were left out need not be there.
    """
    drop = (drop,) if isinstance(drop, str) else tuple(map(str, drop))
    known = {} if card is None else known_reading(card)
    asked = {ids, *drop, options.get("target"), *options.get("annotations", ())}
    may_drop = [each for each in dict.fromkeys([label, *known.get("left_out", ())]) if each]
    may_drop = [each for each in may_drop if each not in asked]
    may_ids = known.get("id") if ids is None and known.get("id") not in asked else None
    options["duplicates"] = duplicates or known.get("duplicates", "refuse")
    while True:
        try:
            # By name, so that labels which are text or missing are no reason to refuse the table.
            table = read_table(source, ids=ids or may_ids, drop=(*drop, *may_drop), **options)
        except ValueError as error:
            absent = [each for each in (*may_drop, may_ids) if each and is_absent(each, error)]
            if not absent:
                raise
            may_drop = [each for each in may_drop if each not in absent]
            may_ids = None if may_ids in absent else may_ids
            continue
        remarks = [_on_label(label)] if label in may_drop else []
        others = [each for each in may_drop if each != label]
        if others:
            remarks.append(say_left_out(others))
        return replace(table, remarks=(*table.remarks, *remarks))


def say_left_out(names):
    """Say which columns were left out since they were in training."""
    return f"Left out, as in training: {list_names(names)}."


def known_reading(card):
    """Return what a card says of how the table of training was read, as far as it can be so."""
    names = set(card.feature_names or ())  # which are needed
    found, left_out = card.metadata, card.metadata.get("left_out")
    left_out = left_out if isinstance(left_out, list) else []
    known = {"left_out": [each for each in left_out if isinstance(each, str) and each not in names]}
    if isinstance(found.get("id"), str) and found["id"] not in {*names, *known["left_out"]}:
        known["id"] = found["id"]
    if found.get("duplicates") in COLLAPSES:
        known["duplicates"] = found["duplicates"]
    return known


def text_columns(model):
    """Return the columns of texts that a model reads; None if it reads numbers."""
    if not takes_documents(model):
        return None
    first = steps_of(model)[0]
    return list(getattr(first, "feature_names_in_", ["text"]))


def read_new_documents(source, model, *, ids=None, encoding="utf-8", max_bytes=None):
    """Read new documents for a model, whose columns are called as those of training.

    Parameters
    ----------
    source : str or Path
        As in :func:`read_documents`.
    model : Pipeline
        The model, which knows the columns.
    ids, encoding, max_bytes
        As in :func:`read_documents`.

    Returns
    -------
    Table
        Documents, without labels.
    """
    columns = text_columns(model)
    if Path(source).is_dir() and len(columns) == 1:
        columns = None  # whatever they were called
    return read_documents(source, text=columns, ids=ids, encoding=encoding, max_bytes=max_bytes)


def _on_label(target):
    return f"{quote(target)}, the label in training, is left out."


# ------------------------------------------------------------------ which columns


def columns_read(model):
    """Return a mask of the columns that a fitted model looks at; None if it does not say."""
    _check_n_features(model)
    columns, rest = follow_features(steps_of(model), model.n_features_in_)
    if rest and columns.size == model.n_features_in_:
        return None
    return np.isin(np.arange(model.n_features_in_), columns)


def _check_n_features(model, n_there=0):
    """Raise if a model claims more features than its arrays have entries, which would be made."""
    arrays = [each for each in objects_in(model, set()) if isinstance(each, np.ndarray)]
    largest = max([_FEW, n_there, *(max(array.shape, default=0) for array in arrays)])
    if not model.n_features_in_ <= largest:
        raise ValueError(
            f"model has n_features_in_={model.n_features_in_}, but none of its arrays has more "
            f"than {largest} entries; it is damaged."
        )


def match_columns(model, table, target, allow_extra, remarks):
    """Return where each column of training is, and whether it is read; raise if that fails."""
    found = table.feature_names.tolist()
    expected = list(map(str, getattr(model, "feature_names_in_", ())))
    if not expected:
        expected = _expected_names(model, found, remarks)
    _check_extra(table, set(expected), target, allow_extra, remarks)
    where = {name: j for j, name in enumerate(found)}
    place = np.array([where.get(name, COLUMN_NOT_THERE) for name in expected])
    return place, _check_absent(model, table, expected, place, remarks)


def _check_extra(table, expected, target, allow_extra, remarks):
    extra = [name for name in table.feature_names.tolist() if name not in expected]
    if target in extra:
        extra.remove(target)
        remarks.append(_on_label(target))
    if extra and not allow_extra:
        raise ValueError(
            f"{table.source} has {count_noun(len(extra), 'feature')} that the model was not fitted "
            f"to: {list_names(extra)}. Leave them out with allow_extra=True (--allow-extra)."
        )
    if extra:
        remarks.append(
            f"{count_noun(len(extra), 'further feature')} left out: {list_names(extra)}."
        )


def _expected_names(model, found, remarks):
    numbered = [f"x{j}" for j in range(model.n_features_in_)]
    if set(found) & set(numbered) or len(found) != len(numbered):
        return numbered
    remarks.append("The model knows no names of features; the columns are taken in their order.")
    return found


def _check_absent(model, table, expected, place, remarks):
    """Return which columns are read; raise if one of them is not there, remark on the others."""
    is_read = columns_read(model)
    why = "of training" if is_read is None else "that the model reads"
    is_read = np.ones(place.size, dtype=bool) if is_read is None else is_read
    absent = place == COLUMN_NOT_THERE
    if absent.any() and _leaves_out_zeros(table):
        n_zero = absent.sum()
        remarks.append(f"{table.source} does not mention {n_zero} of the features; they are zero.")
        return is_read
    needed, idle = (np.array(expected)[absent & mask].tolist() for mask in (is_read, ~is_read))
    if needed:
        raise ValueError(
            f"{table.source} lacks {count_noun(len(needed), 'feature')} {why}: "
            f"{list_names(needed)}."
        )
    if idle:
        verb = "is" if len(idle) == 1 else "are"
        names = f": {list_names(idle)}" if len(idle) <= N_NAMES else ""
        remarks.append(
            f"{count_noun(len(idle), 'feature')} of training {verb} missing that the model does "
            f"not read{names}."
        )
    return is_read


def _leaves_out_zeros(table):
    """Say whether a feature that is zero everywhere has no trace in a table."""
    kind = table.source.lower().removesuffix(".gz")
    return kind.endswith((".svmlight", ".libsvm", ".svm"))


# ------------------------------------------------------------------ what is in them


def move_columns(X, place):
    """Put the columns where they were in training; those that are not there become zero."""
    if np.array_equal(place, np.arange(X.shape[1])):
        return X
    there = np.flatnonzero(place != COLUMN_NOT_THERE)
    shape = (X.shape[0], place.size)
    if sparse.issparse(X):
        moved = X[:, place[there]].tocoo()
        return sparse.csr_array((moved.data, (moved.row, there[moved.col])), shape=shape)
    placed = np.zeros(shape, dtype=X.dtype)
    placed[:, there] = X[:, place[there]]
    return placed


def _check_missing(model, table, place, is_read, remarks):
    """Return which columns have gaps that nobody reads; raise if gaps are read and stay."""
    there = place != COLUMN_NOT_THERE
    counts = np.zeros(place.size, dtype=int)
    counts[there] = n_missing(table.X)[place[there]]
    has_gaps = counts > 0

    def gaps(which):
        """Say how many values some columns lack."""
        values = count_noun(counts[which].sum(), "value is", "values are")
        return f"{values} missing, in {count_noun(which.sum(), 'feature')}"

    if has_gaps.any() and fills_in(model):
        remarks.append(f"{gaps(has_gaps)}; the model fills them in.")
        return np.zeros(place.size, dtype=bool)
    needed = has_gaps & is_read
    if needed.any():
        names = table.feature_names[place[needed]].tolist()
        raise ValueError(
            f"{table.source}: {gaps(needed)} that the model reads: {list_names(names)}. It was "
            "fitted without an imputer, so fill them in or take these samples out."
        )
    if has_gaps.any():
        remarks.append(f"{gaps(has_gaps)} that the model does not read.")
    return has_gaps


def n_missing(X):
    """Count the missing values of each column."""
    if not sparse.issparse(X):
        return np.isnan(X).sum(axis=0)
    return np.bincount(X.indices[np.isnan(X.data)], minlength=X.shape[1])


def fills_in(model):
    """Say whether a model has an imputer, or takes missing values as they are."""
    steps = steps_of(model)
    takes_gaps = len(steps) == 1 and get_tags(steps[0]).input_tags.allow_nan
    return takes_gaps or any(isinstance(step, SimpleImputer) for step in steps)
