"""Tables with a label column, from files and data frames, checked once and in plain words."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import get_args

import numpy as np

from .._data import is_annotated
from .._files import check_source, suffix_of
from .._parameters import check_asked, check_choice, check_flag
from .._typing import Columns, Decimal, Delimiter, Duplicates, FilePath, HasShape, TableImputation
from ..streaming.labels import check_labels, say_repeated_ids, say_unusual_labels
from ..streaming.pieces import find_values, is_finite, refuse_infinite
from ..streaming.request import Request, count_noun, list_values, quote
from ..streaming.text import check_marks
from ._arrays import read_annotated, read_h5ad, read_mat, read_npz, read_svmlight
from ._formats import (
    find_10x,
    read_10x,
    read_arff,
    read_gct,
    read_text,
    read_workbook,
    read_workbook_sheet,
    unpack_zstd,
)
from ._frames import read_frame, read_frame_sheet, read_parquet, read_parquet_sheet
from ._text import read_text_sheet
from .duplicates import collapse_features
from .joining import JoinedTable, join_tables, read_without
from .sheets import annotation_texts, join_sheet

__all__ = ["Table", "read_table"]

_TEXT = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
_READERS = {
    **dict.fromkeys(_TEXT, read_text),
    ".parquet": read_parquet,
    ".npz": read_npz,
    ".mat": read_mat,
    **dict.fromkeys((".svmlight", ".svmlight.gz", ".libsvm", ".libsvm.gz"), read_svmlight),
    **dict.fromkeys((".svm", ".svm.gz"), read_svmlight),
    ".h5ad": read_h5ad,
    ".xlsx": read_workbook,
    **dict.fromkeys((".gct", ".gct.gz"), read_gct),
    **dict.fromkeys((".arff", ".arff.gz"), read_arff),
}
_SHEET_READERS = {
    **dict.fromkeys(_TEXT, read_text_sheet),
    ".parquet": read_parquet_sheet,
    ".xlsx": read_workbook_sheet,
}


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Samples, labels and names, as `read_table` found them.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        The features, in double precision, or in single if they were stored so. What was sparse
        is CSR. Missing values are NaN, and there are some only if `impute` is "median".
    y : ndarray of shape (n_samples,) or None
        The labels as they were given: strings or numbers.
    feature_names : ndarray of shape (n_features,)
        Names of the features, all different, as str.
    ids : ndarray of shape (n_samples,) or None
        Names of the samples, as str.
    target : str or None
        The name of the labels.
    remarks : tuple of str
        What was unusual and how it was handled, a sentence each.
    source : str
        The name of the file, or the kind of object.
    digest : str or None
        SHA-256 of the bytes of the file.
    impute : {"median", None}
        What is still to be done about missing values.
    duplicates : {"refuse", "mean", "max", "sum", "first"}
        What was to be done about features of the same name.
    annotations : dict of str to ndarray of shape (n_samples,)
        What was asked for of the samples beside their labels, as str; "" where it is missing.
    sheet : dict or None
        Of the sheet of samples: its `source` and `digest`, its column `sample_id`, and the
        `columns` that were used.
    joined : tuple of dict
        Of each table that was joined: its `source`, `digest` and `n_features`.
    """

    X: np.ndarray
    y: np.ndarray | None
    feature_names: np.ndarray
    ids: np.ndarray | None
    target: str | None
    remarks: tuple
    source: str
    digest: str | None
    impute: str | None = None
    duplicates: str = "refuse"
    annotations: dict = field(default_factory=dict)
    sheet: dict | None = None
    joined: tuple = ()

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.X.shape[1]

    def __repr__(self):
        labels = "no labels" if self.y is None else f"labels {self.target!r}"
        return (
            f"<Table {self.source!r}: {self.n_samples} samples, {self.n_features} features, "
            f"{labels}>"
        )


def read_table(
    source: FilePath | HasShape,
    *,
    target: str | None = None,
    ids: str | None = None,
    drop: Columns = (),
    transpose: bool = False,
    layer: str | None = None,
    impute: TableImputation = None,
    duplicates: Duplicates = "refuse",
    annotations: Columns = (),
    join: FilePath | HasShape | Sequence[FilePath | HasShape] = (),
    samples: FilePath | HasShape | None = None,
    sample_id: str | None = None,
    allow_unmatched: bool = False,
    delimiter: Delimiter = None,
    decimal: Decimal = ".",
    max_bytes: int | None = None,
) -> Table:
    """Read a table of numbers with a column of labels.

    Parameters
    ----------
    source : str, Path, data frame or AnnData
        A file, whose format is that of its suffix: .csv, .tsv or .txt (with tabs), also with .gz;
        .parquet; .npz; .mat (up to version 7); .svmlight, .libsvm or .svm, also with .gz; .h5ad;
        .xlsx (its first sheet); .gct and .arff, also with .gz; a series matrix of GEO (.txt); any
        file of text also with .zst. Or a folder as 10x writes it, with matrix.mtx, features.tsv
        and barcodes.tsv, also with .gz. Or a data frame of pandas, polars or pyarrow, or an AnnData
        object.
    target : str, default=None
        The column of labels; in .npz and .mat the array of labels, y or Y if None; in .h5ad a
        column of `obs`. None reads no labels, and every column is a feature.
    ids : str, default=None
        The column with names of samples. If None, they are the index of a pandas frame, `obs` of
        .h5ad, the array `ids` of .npz, or a first column of text without a name.
    drop : sequence of str, default=()
        Columns to leave out. All must be there. With `transpose`, rows or columns.
    transpose : bool, default=False
        Whether samples are in columns: then the first column holds the names of the features, the
        header the ids, and `target`, `ids` and `annotations` name rows. Further columns that are
        no samples, such as a description, are left out with `drop`. In .npz and .mat it is X that
        is transposed.
    layer : str, default=None
        The layer of .h5ad or AnnData to read instead of X.
    impute : {"median", "drop-features"}, default=None
        What to do about missing values. None refuses them. "drop-features" leaves out features in
        which a value is missing. "median" leaves them in as NaN, see Notes.
    duplicates : {"refuse", "mean", "max", "sum", "first"}, default="refuse"
        What to do about features of the same name, such as genes that several probes measure:
        refuse them, or make one of them, at the place of the first, by their mean, the largest
        value or the sum in each sample, or the first alone. It is done sample by sample and looks
        at no label, so that scores stay honest.
    annotations : sequence of str, default=()
        Columns that say something of the samples and are no features, such as the patient or the
        batch that each comes from; in .npz arrays, in .h5ad columns of `obs`.
    join : str, Path, data frame, or sequence of them, default=()
        More tables of the same samples, such as proteins beside genes. Their features stand behind
        those of `source`, joined by sample id. They are read as `source` is; what `target` and
        `annotations` name is taken from `source`. A name in `drop` must be in one of them.
    samples : str, Path or data frame, default=None
        A sheet with one row for each sample: .csv, .tsv or .txt, also with .gz, or .parquet; or a
        data frame. It is joined by the ids of the samples. `target` and `annotations` are looked
        for in the sheet first, and then in the source. Nothing of the sheet becomes a feature.
    sample_id : str, default=None
        The column of ids in the sheet. If None, the index of a pandas frame, or the first column.
    allow_unmatched : bool, default=False
        Whether to leave out samples that are not in the sheet or not in all tables, with a remark.
        Otherwise they are refused.
    delimiter : {",", ";", "|", tab, None}, default=None
        What stands between cells of text. None is what the suffix promises or the header shows.
    decimal : {".", ","}, default="."
        The mark in numbers of text. With a comma, points are no part of a number.
    max_bytes : int, default=None
        How many bytes of memory a file may ask for. None allows 200 times its size, and 1 GiB to
        any file: a small file that unpacks to more is refused before it does.

    Returns
    -------
    Table
        Samples, labels, names, and remarks on what was unusual.

    Raises
    ------
    ValueError
        If the file is not a table of numbers; the message names what is wrong and what to do:
        features that are not numbers, names that occur twice or are not there, missing labels, ids
        that are in one of table and sheet only or twice in the sheet, missing or infinite values,
        rows of different lengths, text that is not UTF-8.
    FileNotFoundError, PermissionError
        If the file is not there or must not be read.

    Notes
    -----
    **Missing values.** A median over all samples would carry what is in the test samples into the
    training samples of a cross-validation. So ``impute="median"`` fills nothing: it returns X with
    NaN and sets ``Table.impute``, for the caller to put ``SimpleImputer(strategy="median",
    keep_empty_features=True)`` before the estimator. Features without any value are left out if
    there are labels; in new samples without labels they stay, as a fitted imputer can fill them.
    Leaving features out does not look at labels, so "drop-features" does it at once.

    **Text.** Cells are trimmed. An apostrophe before = + - @ in a name, an id or a label is taken
    away: it keeps spreadsheets from running the cell, and all files that are written here have it.
    Missing is an empty cell, NA, N/A, #N/A, <NA>, NaN or null. True and False become 1 and 0.
    Labels that are all numbers become numbers, unless one is written like 01. Numbers with a
    decimal comma are refused unless `decimal` says so. If the header does not hold the separator
    of the suffix, but semicolons, tabs, commas or bars, it is these. Text must be UTF-8. With
    pyarrow reading is faster; the result is the same.

    **Names.** A model finds its features by name, so names must be unique. Features without names
    are called x0, x1, ...; in svmlight files by the number that is written there. With
    `duplicates`, features of one name are made one; where one of several values is missing, so is
    what is made of them, unless the first alone counts. Sample ids may repeat; a remark says so.

    Nothing is ever unpickled.

    Examples
    --------
    >>> import pandas as pd
    >>> from centroidal.io import read_table
    >>> frame = pd.DataFrame({"a": [1.5, 2.0, 3.0], "b": [0, 1, 1], "kind": ["x", "y", "x"]})
    >>> table = read_table(frame, target="kind")
    >>> table
    <Table 'DataFrame': 3 samples, 2 features, labels 'kind'>
    >>> table.X.tolist(), table.y.tolist(), table.feature_names.tolist()
    ([[1.5, 0.0], [2.0, 1.0], [3.0, 1.0]], ['x', 'y', 'x'], ['a', 'b'])
    >>> table.remarks
    ("Class 'y' has one sample.",)

    Genes in rows, and what is known of the samples in a sheet:

    >>> genes = pd.DataFrame({"gene": ["g1", "g2"], "s1": [1.0, 4.0], "s2": [2.0, 5.0]})
    >>> sheet = pd.DataFrame({"sample": ["s2", "s1"], "kind": ["x", "y"], "age": [50, 61]})
    >>> table = read_table(genes, transpose=True, samples=sheet, target="kind")
    >>> table.ids.tolist(), table.y.tolist(), table.feature_names.tolist()
    (['s1', 's2'], ['y', 'x'], ['g1', 'g2'])
    """
    check_flag("transpose", transpose)
    check_flag("allow_unmatched", allow_unmatched)
    check_choice("impute", impute, get_args(TableImputation))
    check_choice("duplicates", duplicates, get_args(Duplicates))
    check_marks(delimiter, decimal)
    asked = {
        "target": target, "annotations": annotations, "max_bytes": max_bytes,
        "delimiter": delimiter, "decimal": decimal,
    }  # fmt: skip
    more = list(join) if isinstance(join, (list, tuple)) else [join]
    if allow_unmatched and samples is None and not more:
        raise ValueError(
            "allow_unmatched=True is for a sheet, samples (--samples SHEET), or for several "
            "tables, join (--join TABLE)."
        )
    sheet, sheet_digest = _read_sheet(samples, sample_id, asked)
    columns = check_asked(**asked, ids=ids, drop=drop, layer=layer, sheet=sheet)
    options = {"transpose": transpose, "duplicates": duplicates}
    request = Request(_name_source(source), **options, **columns)
    found, digest, joined = _read_tables(source, more, request)
    if joined:
        found = join_tables(found, request, joined, allow_unmatched)
    annotated = request.annotations
    label_source = (request.name, found.ids) if transpose else (request.name,)
    if sheet is not None:
        found = join_sheet(found, request, allow_unmatched)
        annotated = (*annotated, *sheet.annotations)
        label_source = (sheet.name, found.ids) if sheet.target is not None else label_source
    X, names = found.X, list(found.feature_names)
    check_labels(found.y, X.shape[0], found.target, *label_source)
    collapsed, remark = [], []
    if duplicates != "refuse":
        X, names, collapsed = collapse_features(X, names, duplicates)
    if not is_finite(X):
        refuse_infinite(X, names, request.name)
        X, names, remark = _handle_missing(X, names, request, impute, found.y is not None)
    on_samples = say_repeated_ids(found.ids) + say_unusual_labels(found.y, found.target)
    return Table(
        X=X,
        y=found.y,
        feature_names=np.array(names, dtype=object),
        ids=None if found.ids is None else np.array(found.ids, dtype=object),
        target=found.target,
        remarks=(*found.remarks, *collapsed, *remark, *on_samples),
        source=request.name,
        digest=digest,
        impute="median" if impute == "median" else None,
        duplicates=duplicates,
        annotations={
            name: annotation_texts(values)
            for name, values in zip(annotated, found.annotations, strict=True)
        },
        sheet=None if sheet is None else sheet.description(sheet_digest),
        joined=tuple(table.description for table in joined),
    )


def _name_source(source):
    if isinstance(source, (str, Path)):
        return Path(source).name or str(source)
    return type(source).__name__


def _read_tables(source, more, request):
    """Return the first table, the SHA-256 of its file, and tables to join.

    What was asked for beside features is none of the others, either.
    """
    if not more:
        return *_read_source(source, request), []
    (found, digest), lacking = read_without(partial(_read_source, source), request, request.drop)
    in_sheet = () if request.sheet is None else request.sheet.columns
    own = [each for each in (request.target, *request.annotations, *in_sheet) if each is not None]
    joined = []
    for each in more:
        asked = request._replace(
            name=_name_source(each), target=None, annotations=(), groups=None, sheet=None,
            drop=tuple(dict.fromkeys((*request.drop, *own))),
        )  # fmt: skip
        (other, its_digest), absent = read_without(partial(_read_source, each), asked, asked.drop)
        remarks = [
            f"{quote(name)} of {asked.name} is left out, as it is none of its features."
            for name in own
            if name not in absent
        ]
        other = other._replace(remarks=(*other.remarks, *remarks))
        joined.append(JoinedTable(asked, other, its_digest))
        lacking = {name: error for name, error in lacking.items() if name in absent}
    for error in lacking.values():
        raise error
    return found, digest, joined


def _read_source(source, request):
    """Return what is in a file or an object, and the SHA-256 of the file."""
    if isinstance(source, (str, Path)):
        found, digest = _read_file(Path(source), request, _READERS)
    else:
        found, digest = _read_object(source, request), None
    if 0 in found.X.shape:
        n_samples, n_features = found.X.shape
        raise ValueError(f"{request.name} has {n_samples} samples and {n_features} features.")
    return found, digest


def _read_sheet(samples, sample_id, asked):
    """Return the sheet of samples and the SHA-256 of its file, as far as there are these."""
    if samples is None:
        if sample_id is not None:
            raise ValueError(
                f"sample_id={sample_id!r} is for a sheet; name it with samples (--samples SHEET)."
            )
        return None, None
    is_file = isinstance(samples, (str, Path))
    name = Path(samples).name if is_file else f"samples={type(samples).__name__}"
    # The ids are not checked with the others: that they are an annotation as well is no mistake.
    request = Request(name, **check_asked(**asked, ids=None))
    request = request._replace(ids=None if sample_id is None else str(sample_id))
    if is_file:
        return _read_file(Path(samples), request, _SHEET_READERS)
    return read_frame_sheet(samples, request), None


def _read_file(path, request, readers):
    """Return what is in a file, and the SHA-256 of its bytes."""
    suffix, is_packed = suffix_of(path), False
    if suffix.endswith(".zst") and suffix != ".h5ad.zst":
        suffix, is_packed = suffix.removesuffix(".zst"), True
    if readers is _READERS and path.is_dir():
        return _read_folder(path, request)
    if suffix not in readers:
        raise ValueError(
            f"{request.name}: the suffix {suffix!r} says nothing about the format; known are "
            f"{', '.join(readers)}."
        )
    if "\0" in str(path):
        raise ValueError(f"The name of the file, {str(path)!r}, holds a NUL character.")
    if request.layer is not None and suffix != ".h5ad":
        request.refuse_option("layer", "only .h5ad files and AnnData have layers")
    try:
        check_source(path)
        if suffix == ".h5ad":  # may be larger than memory, and h5py reads what is asked for
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            return read_h5ad(path, request), digest
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except PermissionError as error:
        raise PermissionError(f"{path} must not be read; look at its permissions.") from error
    except OSError as error:
        raise OSError(f"{path} could not be read: {error.strerror or error}.") from error
    if not data:
        raise ValueError(f"{request.name} is empty.")
    digest = hashlib.sha256(data).hexdigest()
    if is_packed:
        data = unpack_zstd(data, request.name, request.max_bytes)
    return readers[suffix](data, request, suffix), digest


def _read_folder(path, request):
    """Return what is in a folder of 10x, and the SHA-256 of its files together."""
    files = find_10x(path)
    if files is None:
        raise ValueError(
            f"{path} is a folder without matrix.mtx, features.tsv (or genes.tsv) and barcodes.tsv, "
            "also .gz, as 10x writes it. Folders of .parquet files or of text, and .zarr, are read "
            "in batches, by select --stream and by predict."
        )
    digest = hashlib.sha256()
    for each in files:
        digest.update(each.read_bytes())
    return read_10x(files, request), digest.hexdigest()


def _read_object(source, request):
    """Return what is in a data frame or an AnnData object."""
    if is_annotated(source):
        return read_annotated(source, request)
    if request.layer is not None:
        request.refuse_option("layer", "only .h5ad files and AnnData have layers")
    return read_frame(source, request)


# ------------------------------------------------------------------ missing and infinite values


def _handle_missing(X, names, request, impute, has_labels):
    rows, columns = find_values(X, np.isnan)
    if columns.size == 0:
        return X, names, []
    affected, per_feature = np.unique(columns, return_counts=True)
    features = [names[j] for j in affected.tolist()]
    count = (
        f"{count_noun(columns.size, 'value is', 'values are')} missing, in {len(features)} of "
        f"{count_noun(X.shape[1], 'feature', 'features')} and {np.unique(rows).size} of "
        f"{count_noun(X.shape[0], 'sample', 'samples')}"
    )
    if impute is None:
        raise ValueError(
            f"{request.name}: {count}: {list_values(features, quoted=True)}. Leave these features "
            "out with impute='drop-features' (--impute drop-features), or have medians filled in "
            "with impute='median' (--impute median)."
        )
    if impute == "drop-features":
        gone, remarks = affected, [f"{count}; these features are left out."]
    else:
        gone = affected[per_feature == X.shape[0]] if has_labels else affected[:0]
        remarks = [f"{count}; they are to be filled in with medians of the training samples."]
    if impute == "median" and gone.size:
        empty = [names[j] for j in gone.tolist()]
        remarks.append(
            f"{count_noun(len(empty), 'feature has', 'features have')} no value at all and "
            f"{'is' if len(empty) == 1 else 'are'} left out: {list_values(empty, quoted=True)}."
        )
    if gone.size == X.shape[1]:
        raise ValueError(f"{request.name}: {count}; no feature is left.")
    if gone.size:
        kept = np.setdiff1d(np.arange(X.shape[1]), gone)
        X, names = X[:, kept], [names[j] for j in kept.tolist()]
    return X, names, remarks
