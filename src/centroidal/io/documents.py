"""Documents as tables whose cells are texts, and which of their words decide on a class."""

import hashlib
import warnings
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from .._parameters import check_asked, check_count
from .._typing import ArrayLike, Columns, FilePath
from ..model_selection.feature_flow import steps_of, used_mask
from ..streaming.documents import FOLDER_COLUMNS, document_rows
from ..streaming.labels import (
    check_labels,
    labels_from_text,
    labels_from_values,
    say_repeated_ids,
    say_unusual_labels,
)
from ..streaming.request import Request, count_noun, quote, texts
from .sheets import annotation_texts
from .tables import Table

__all__ = ["explain_documents", "read_documents"]

_ROWS_AT_ONCE = 1000
_WEIGHERS = {"WordWeights", "Normalizer", "FunctionTransformer"}


def read_documents(
    source: FilePath,
    *,
    text: Columns | None = None,
    target: str | None = None,
    ids: str | None = None,
    annotations: Columns = (),
    encoding: str = "utf-8",
    max_bytes: int | None = None,
) -> Table:
    r"""Read documents with a column of labels.

    Parameters
    ----------
    source : str or Path
        A file: .csv, .tsv, .txt (with tabs) or .jsonl (lines of JSON), also with .gz, or .parquet.
        Or a folder with a folder for each class and a file for each document, as corpora of mail
        come.
    text : str or sequence of str, default=None
        The columns of texts. A folder has one, which is called text.
    target : str, default=None
        The column of labels; None reads none. In a folder it is called class.
    ids : str, default=None
        The column with names of documents. In a folder it is called file, and read if None.
    annotations : sequence of str, default=()
        Columns that say something of the documents, such as their author.
    encoding : str, default="utf-8"
        How characters are written in bytes, for files of text.
    max_bytes : int, default=None
        How many bytes of memory a file may ask for, as in :func:`read_table`.

    Returns
    -------
    Table
        `X` is an array of texts, a column for each of `text`; a missing text is empty, and a remark
        counts those.

    Raises
    ------
    ValueError
        If the file is not what its suffix says, is binary or in another encoding, lacks a column or
        a label, or holds no text. The message names file and line, and what to do.

    See Also
    --------
    centroidal.model_selection.select_features : Finds the words that tell classes apart.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from centroidal.io import read_documents
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "reviews.csv"
    ...     _ = path.write_text('body,stars\n"Good, really",5\nBad,1\n')
    ...     table = read_documents(path, text="body", target="stars")
    >>> table.X.tolist(), table.y.tolist()
    ([['Good, really'], ['Bad']], [5, 1])
    """
    path = Path(source)
    name = path.name or str(path)
    if path.is_dir():
        text = FOLDER_COLUMNS["text"] if text is None else text
        ids = FOLDER_COLUMNS["ids"] if ids is None else ids
    columns = [text] if isinstance(text, str) else list(text or ())
    if not columns:
        raise ValueError("text=None must name the columns of texts.")
    asked = {"target": target, "ids": ids, "annotations": annotations, "max_bytes": max_bytes}
    request = Request(name, **check_asked(**asked))
    labels = [each for each in (request.target, request.ids, *request.annotations) if each]
    twice = [each for each in columns if each in labels or columns.count(each) > 1]
    if twice:
        raise ValueError(f"{quote(twice[0])} is asked for twice, among text, target and ids.")
    found = _collect(path, columns, labels, request, encoding)
    return _table(found, columns, request, _digest(path))


def _collect(path, columns, labels, request, encoding):
    """Return all rows as lists by name; raise if they take more memory than they may."""
    found, n_bytes = {name: [] for name in (*columns, *labels)}, 0
    n_stored = 0 if path.is_dir() else path.stat().st_size if path.exists() else 0
    for rows in document_rows(path, columns, labels, request, encoding):
        for name, cells in rows.items():
            found[name] += cells
        n_bytes += sum(len(cell or "") for name in columns for cell in rows[name])
        if not path.is_dir() or request.max_bytes is not None:
            request.check_size(n_bytes, n_stored)
    if not found[columns[0]]:
        raise ValueError(f"{request.name} has no documents.")
    return found


def _digest(path):
    if path.is_dir():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _table(found, columns, request, digest):
    X = np.empty((len(found[columns[0]]), len(columns)), dtype=object)
    for place, name in enumerate(columns):
        X[:, place] = [_as_text(cell, name, request) for cell in found[name]]
    y = None
    if request.target is not None:
        cells = found[request.target]
        are_texts = all(cell is None or isinstance(cell, str) for cell in cells)
        y = labels_from_values(cells)
        if are_texts:
            y = labels_from_text(["" if cell is None else cell.strip() for cell in cells])
        check_labels(y, len(X), request.target, request.name)
    ids = (
        None if request.ids is None else texts(["" if i is None else i for i in found[request.ids]])
    )
    return Table(
        X=X, y=y, feature_names=np.array(columns, dtype=object),
        ids=None if ids is None else np.array(ids, dtype=object), target=request.target,
        remarks=(
            *_on_empty(X, request), *say_repeated_ids(ids),
            *say_unusual_labels(y, request.target),
        ),
        source=request.name, digest=digest,
        annotations={name: annotation_texts(found[name]) for name in request.annotations},
    )  # fmt: skip


def _as_text(cell, name, request):
    if cell is None:
        return ""
    if not isinstance(cell, str):
        kind = type(cell).__name__
        raise ValueError(f"{request.name}: {quote(name)} holds a {kind}, {quote(cell)}, not texts.")
    return cell


def _on_empty(X, request):
    n_empty = sum(not any(cell.strip() for cell in row) for row in X.tolist())
    if n_empty == len(X):
        raise ValueError(f"{request.name}: all documents are empty.")
    return [f"{count_noun(n_empty, 'document is', 'documents are')} empty."] if n_empty else []


# ------------------------------------------------------------------ which words decided


def explain_documents(model: Any, X: ArrayLike, n_words: int = 5) -> list[dict[str, float]]:
    """Tell for each document which of its words decided, and how much each weighs.

    The weight of a word is by how much the lead of the predicted class over the next one falls if
    the word is taken away, in units of `decision_function`; a negative one speaks against it.

    Parameters
    ----------
    model : Pipeline
        What :func:`~centroidal.model_selection.select_features` made of documents, or another
        pipeline of a :class:`~centroidal.preprocessing.WordCounter` and a classifier.
    X : list, array, series or data frame of str
        Documents.
    n_words : int, default=5
        How many words to tell of each, those of the largest weight.

    Returns
    -------
    list of dict of str to float
        Words and weights of each document, the largest first; none if it has no word that counts.

    Examples
    --------
    >>> from centroidal.io import explain_documents
    >>> from centroidal.model_selection import select_features
    >>> texts = ["fine and warm", "fine film", "warm film", "dull film", "dull, cold", "cold one"]
    >>> labels = ["good", "good", "good", "bad", "bad", "bad"]
    >>> found = select_features(texts * 2, labels * 2, text=True, n_features_to_select=4)
    >>> (words,) = explain_documents(found.model, ["a warm and fine thing"])
    >>> sorted(words)[-2:]
    ['fine', 'warm']
    """
    check_count("n_words", n_words)
    if not takes_documents(model):
        raise TypeError(f"model={type(model).__name__} must be a pipeline that counts words first.")
    first, *rest = steps_of(model)
    before, classify = _split(rest)
    with warnings.catch_warnings():
        # An array cannot show that its columns are in order.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        counts = first.transform(X)
    weights = counts if before is None else before.transform(counts)
    is_used = used_mask(classify, weights.shape[1])
    is_used = np.ones(weights.shape[1], dtype=bool) if is_used is None else is_used
    names = _names(first, X, np.flatnonzero(is_used))
    found = []
    for start in range(0, weights.shape[0], _ROWS_AT_ONCE):
        part = weights[start : start + _ROWS_AT_ONCE]
        found += _explain(classify, part, is_used, names, n_words)
    return found


def takes_documents(model):
    """Whether the first step of a model counts the words of documents."""
    return type(steps_of(model)[0]).__name__ in ("WordCounter", "WordHasher")


def _names(first, X, columns):
    """Return the words behind columns; those behind a hash are looked for in the documents."""
    if hasattr(first, "get_feature_names_out"):
        names = first.get_feature_names_out()
        return {column: str(names[column]) for column in columns.tolist()}
    found = first.find_words(X, columns)
    often_last = sorted(found, key=lambda term: found[term][1])
    return {found[term][0]: term for term in often_last}


def _split(steps):
    """Return what weighs words, None if nothing does, and what classifies by them."""
    kinds = [type(step).__name__ for step in steps]
    n_before = sum(1 for _ in takewhile(_WEIGHERS.__contains__, kinds))
    parts = steps[:n_before], steps[n_before:]
    named = ([(str(place), step) for place, step in enumerate(part)] for part in parts)
    before, after = named
    return Pipeline(before) if before else None, Pipeline(after)


def _explain(classify, rows, is_used, names, n_words):
    """Take away each word of each document in turn, all at once."""
    present = is_used[rows.indices] & (rows.data != 0.0)
    document = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[present]
    columns = rows.indices[present]
    lacking = rows[document]
    is_gone = lacking.indices == np.repeat(columns, np.diff(lacking.indptr))
    lacking.data[is_gone] = 0.0
    whole = _scores(classify, rows)
    winner, second = np.argsort(-whole, axis=1, kind="stable")[:, :2].T
    lead = whole[np.arange(len(whole)), winner] - whole[np.arange(len(whole)), second]
    left = _scores(classify, lacking) if document.size else np.empty((0, whole.shape[1]))
    places = np.arange(document.size)
    lost = lead[document] - (left[places, winner[document]] - left[places, second[document]])
    found = [{} for _ in range(rows.shape[0])]
    for place in np.lexsort([columns, -np.abs(lost), document]).tolist():
        words = found[document[place]]
        if len(words) < n_words:
            words[names.get(columns[place], f"hash {columns[place]}")] = float(lost[place])
    return [dict(sorted(each.items(), key=lambda pair: -pair[1])) for each in found]


def _scores(classify, rows):
    """Return a score for each class; of two classes a decision is told by one number."""
    scores = classify.decision_function(rows)
    return np.column_stack([np.zeros_like(scores), scores]) if scores.ndim == 1 else scores
