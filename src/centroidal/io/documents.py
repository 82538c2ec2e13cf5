"""Documents with labels, from files and folders, as a table whose cells are texts."""

import hashlib
from pathlib import Path

import numpy as np

from ..streaming.documents import FOLDER_COLUMNS, document_rows
from ..streaming.labels import check_labels, labels_from_text, labels_from_values
from ..streaming.request import Request, count_noun, quote, texts
from .sheets import annotation_texts
from .tables import Table, on_classes, on_ids

__all__ = ["read_documents"]


def read_documents(
    source,
    *,
    text=None,
    target=None,
    ids=None,
    annotations=(),
    encoding="utf-8",
    max_bytes=None,
):
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
    request = Request.from_options(
        name, target=target, ids=ids, drop=(), annotations=annotations, max_bytes=max_bytes
    )
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
        remarks=(*_on_empty(X, request), *on_ids(ids), *on_classes(y, request.target)),
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
