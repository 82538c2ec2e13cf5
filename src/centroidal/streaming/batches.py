"""Tables that are larger than memory: the same rows in the same batches, as often as needed."""

from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from glob import glob, has_magic
from itertools import pairwise
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import get_tags

from .._data import Features, label_codes
from .._files import check_source, suffix_of
from .._model_html import ModelPipeline
from .._parameters import check_asked, check_count
from .._typing import Array, Columns, FilePath, HasSchema, HasShape, Ints
from ..preprocessing import named_steps
from ..statistics.threads import one_ahead
from .annotated_file import AnnotatedReader, Hdf5Store, RemoteZarrStore, ZarrStore
from .arrays import open_folder, open_npz
from .labels import check_labels, check_n_labels, hash_names
from .parquet_reader import ParquetReader
from .pieces import Fingerprint, check_values, concatenate_pieces, take_names
from .query_reader import QueryReader, open_query
from .remote import RemoteFile, is_url, list_remote
from .request import Request
from .text import TextFolderReader, TextReader

__all__ = ["Batch", "Batches", "batches"]

_BATCH_BYTES = 2**25
_MOST_ROWS = 2**16
_BLOCK_BYTES, _LARGEST_BLOCK = 2**27, 4  # that a worker reads at a time; so many times it at most
TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_KNOWN = (*TEXT_SUFFIXES, ".parquet", ".npz", ".h5ad", ".zarr")


class Batch(NamedTuple):
    """Some rows of a table.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n_rows, n_features)
        The features.
    y : ndarray of shape (n_rows,)
        The labels.
    ids : ndarray of shape (n_rows,) or None
        Names of the samples, as str.
    number : int
        Which batch it is, from 0 on.
    files : tuple of (str, int)
        Which files the rows came from, and how many from each, in order.
    groups, blocks : ndarray of shape (n_rows,) or None
        Names of the groups, and of the blocks, that samples belong to, as str, if they were asked
        for.
    """

    X: np.ndarray
    y: np.ndarray
    ids: np.ndarray | None
    number: int
    files: tuple = ()
    groups: np.ndarray | None = None
    blocks: np.ndarray | None = None


class Batches:
    """The rows of a source in batches, made by :func:`batches`.

    Iterating reads the source from its beginning and yields a :class:`Batch` at a time; it can be
    done any number of times, and the cut is always the same.

    Attributes
    ----------
    feature_names : ndarray of shape (n_features,)
        Names of the features, as str.
    n_features : int
        Their number.
    n_samples : int or None
        Number of rows; None for text and queries, until their labels were read.
    batch_size : int
        Rows of each batch but the last.
    target, groups, blocks : str
        The name of the labels, and of the columns of groups and blocks, None if there are none.
    source : str
        The name of the file or folder, or the kind of query.
    has_names : bool
        Whether the source names its features; if not, they are called x0, x1, ...
    n_stored : int or None
        Entries of a sparse source, None of a dense one.
    fingerprint : Fingerprint
        What the source is known by, so that a run that goes on finds the same data.
    ids, digest : None
        Of all rows neither names nor bytes are read at once; they are there as in
        :class:`~centroidal.io.Table`, for the report.
    text : dict or None
        Of documents, how their words became features.
    preprocess : str or None
        What is done to the rows first.
    remarks : tuple
        Empty; what is unusual is an error.
    is_on_workers : bool
        Whether the workers of a Dask cluster read the rows, see :meth:`on_workers`.
    """

    ids = digest = None
    remarks = ()
    is_on_workers = False

    def __init__(
        self,
        reader: Any,
        request: Any,
        batch_size: int,
        first: int = 0,
        last: int | None = None,
        preprocess: str | None = None,
    ) -> None:
        self._reader, self._request, self.preprocess = reader, request, preprocess
        self._steps = None if preprocess is None else _fitted_steps(preprocess, reader, request)
        self._columns = slice(first, len(reader.feature_names) if last is None else last)
        self.feature_names = np.array(reader.feature_names[self._columns], dtype=object)
        self.n_features = self.feature_names.size
        self.batch_size = batch_size
        self.target, self.source = request.target, request.name
        self.groups, self.blocks = request.groups, request.blocks
        self.has_names, self.n_stored = reader.has_names, reader.n_stored
        self.text = getattr(reader, "text", None)

    def __repr__(self):
        rows = "an unknown number of" if self.n_samples is None else self.n_samples
        return (
            f"<Batches {self.source!r}: {rows} samples, {self.n_features} features, labels "
            f"{self.target!r}, {self.batch_size} samples a batch>"
        )

    def name_columns(self, columns: Array) -> dict[int, str]:
        """Read documents again, and find the words behind hashed columns.

        Parameters
        ----------
        columns : ndarray of int
            Columns of features.

        Returns
        -------
        dict of int to str
            The words behind each.
        """
        return self._reader.name_columns(columns)

    def in_front_of(self, model: Any) -> Any:
        """Return a model with what it needs in front of it, such as what hashes documents.

        Parameters
        ----------
        model : estimator
            A model that was fitted to batches.

        Returns
        -------
        estimator
            The model, or a pipeline that takes documents, or rows as they are in the source.
        """
        if self._steps is not None:
            steps, names = deepcopy(self._steps), np.array(self._reader.feature_names, dtype=object)
            Features(names.size, names if self.has_names else None).keep(steps[0])
            return ModelPipeline([("preprocess", steps), ("classify", model)])
        if self.text is None:
            return model
        return ModelPipeline([("words", self._reader.hasher), ("classify", model)])

    def __iter__(self) -> Iterator[Batch]:
        return self.start(0)

    @property
    def features(self) -> Features:
        """What a model remembers of the columns; behind steps that preprocess not their names."""
        has_names = self.has_names and self.preprocess is None
        return Features(self.n_features, self.feature_names if has_names else None)

    @property
    def n_samples(self) -> int | None:
        """Number of rows, if it is known."""
        return self._reader.n_samples

    @property
    def n_batches(self) -> int | None:
        """Number of batches, if the number of rows is known."""
        return None if self.n_samples is None else -(-self.n_samples // self.batch_size)

    @property
    def value_bytes(self) -> float:
        """Memory that a value takes once it is read, on average over all features."""
        return self._reader.row_bytes / len(self._reader.feature_names)

    @property
    def fingerprint(self) -> Fingerprint:
        """What the source, and the choice of columns, is known by."""
        found = self._reader.fingerprint
        chosen = [found.columns, self._columns.start, self._columns.stop]
        return found._replace(columns=chosen + [self.preprocess] * (self.preprocess is not None))

    def classes(self) -> Array:
        """Read the labels alone, and return those that occur.

        Returns
        -------
        ndarray
            The different labels, sorted.
        """
        return self.class_counts()[0]

    def class_counts(self) -> tuple[Array, Ints]:
        """Read the labels alone, and count them.

        Returns
        -------
        classes : ndarray
            The different labels, sorted.
        counts : ndarray
            How often each occurs.
        """
        found, counts = np.array([]), np.array([], dtype=int)
        for name, y, n_each in self._reader.labels():
            check_labels(y, y.size, self.target, name)
            found, counts = _add_counts(found, counts, y, n_each)
            check_n_labels(found.size, self.target, name)
        if found.size == 0:
            raise ValueError(f"{self.source} has no rows.")
        return found, counts

    def count_groups(self, classes: Array) -> tuple[Array, Array]:
        """Read labels and groups alone, and count the samples of each group and class.

        Parameters
        ----------
        classes : ndarray
            All labels.

        Returns
        -------
        groups : ndarray of uint64
            The groups, sorted, by hashes of their names.
        counts : ndarray of shape (n_groups, n_classes)
            Samples of each group and class.
        """
        n_classes = len(classes)
        groups, counts = np.array([], dtype=np.uint64), np.zeros((0, n_classes), dtype=int)
        for piece in self._narrow_pieces(0, _MOST_ROWS):
            codes, hashes = label_codes(piece.y, classes), hash_names(piece.groups)
            together = np.union1d(groups, hashes)
            cells = np.searchsorted(together, hashes) * n_classes + codes
            total = np.bincount(cells, minlength=together.size * n_classes).reshape(-1, n_classes)
            total[np.searchsorted(together, groups)] += counts
            groups, counts = together, total
        return groups, counts

    def label_rows(self) -> Iterator[tuple[Array, Array | None, Array | None]]:
        """Read labels, groups and blocks alone, of some rows after the other.

        Yields
        ------
        y : ndarray
            The labels.
        groups, blocks : ndarray or None
            Names of the groups, and of the blocks.
        """
        for piece in self._narrow_pieces(0, _MOST_ROWS):
            yield piece.y, piece.groups, piece.blocks

    def columns(self, first: int, last: int) -> "Batches":
        """Return the same batches with some of the features only.

        Parameters
        ----------
        first, last : int
            The features `first`, ..., `last` - 1. Where the format stores columns apart, no other
            is read, unless rows are preprocessed, which takes whole ones.

        Returns
        -------
        Batches
            The same rows, cut in the same way.
        """
        if not 0 <= first < last <= self.n_features:
            raise ValueError(
                f"first={first}, last={last} must be 0 <= first < last <= {self.n_features}."
            )
        start = self._columns.start
        cut = start + first, start + last
        return Batches(self._reader, self._request, self.batch_size, *cut, self.preprocess)

    def take(self, columns: Ints) -> "Batches":
        """Return the same batches with some of the features only, wherever they stand.

        Parameters
        ----------
        columns : ndarray of int
            Numbers of features, increasing. What else is read is as for :meth:`columns`.

        Returns
        -------
        Batches
            The same rows, cut in the same way.
        """
        found = copy(self)
        found._columns = np.arange(self._columns.start, self._columns.stop)[columns]
        found.feature_names = self.feature_names[columns]
        found.n_features = found.feature_names.size
        return found

    def start(self, number: int) -> Iterator[Batch]:
        """Iterate from a batch on, without decoding what comes before where that is possible.

        Parameters
        ----------
        number : int
            The batch to begin with, from 0 on.

        Yields
        ------
        Batch
            The batch `number` and those that follow.
        """
        if isinstance(number, bool) or not isinstance(number, Integral) or number < 0:
            raise ValueError(f"number={number!r} must be a whole number from 0 on.")
        found = self._read(int(number))
        # Words take as long as what is done with them; other readers may not run in a thread.
        return found if self.text is None else one_ahead(found)

    def on_workers(self) -> "Batches":
        """Return the same rows, to be read by the workers of a Dask cluster.

        Given to :func:`~centroidal.model_selection.select_features`, they are read and looked at by
        whatever Dask computes with, such as the cluster of a ``distributed.Client``. Workers must
        find the source at the same place.

        Returns
        -------
        Batches
            The same rows.

        Raises
        ------
        ValueError
            If the source is text or a query, which has to be read from its beginning.
        """
        if self.text is not None or isinstance(self._reader, TextReader | QueryReader):
            what = "a query" if isinstance(self._reader, QueryReader) else "text"
            raise ValueError(
                f"{self.source} is {what}, which workers cannot begin to read in the middle; write "
                "it as Parquet."
            )
        found = copy(self)
        found.is_on_workers = True
        return found

    def row_blocks(self) -> list[tuple[int, int]]:
        """Cut the rows into parts for workers; where a format has parts itself, they are these.

        Returns
        -------
        list of (int, int)
            First row of each part, and its number of rows.
        """
        most = max(1, int(_BLOCK_BYTES // self._reader.row_bytes))
        starts = getattr(self._reader, "row_starts", range(0, self.n_samples, most))
        found = []
        for start, stop in zip(starts, [*starts[1:], self.n_samples], strict=True):
            if found and stop - found[-1][0] <= most:
                start, _ = found.pop()
            # A part that is far too large is cut, though it is then unpacked again and again.
            n_parts = max(1, (stop - start) // (_LARGEST_BLOCK * most))
            edges = np.linspace(start, stop, n_parts + 1).astype(int).tolist()
            found += [(first, last - first) for first, last in pairwise(edges) if last > first]
        return found

    def read_rows(self, first_row: int, n_rows: int) -> Any:
        """Read some rows.

        Parameters
        ----------
        first_row, n_rows : int
            The first of them, and their number.

        Returns
        -------
        X : ndarray or csr_array of shape (n_rows, n_features)
            The features.
        """
        return next(concatenate_pieces(self._pieces(first_row, n_rows), n_rows, n_rows))["X"]

    def read_labels(self, first_row: int, n_rows: int) -> tuple[Array, Array | None, Array | None]:
        """Read the labels of some rows, their groups and blocks if there are, and hardly more.

        Parameters
        ----------
        first_row, n_rows : int
            The first of them, and their number.

        Returns
        -------
        y : ndarray of shape (n_rows,)
            The labels.
        groups, blocks : ndarray of shape (n_rows,) or None
            Names of the groups, and of the blocks.
        """
        pieces = self._narrow_pieces(first_row, n_rows)
        found = next(concatenate_pieces(pieces, n_rows, n_rows))
        return found["y"], found["groups"], found["blocks"]

    def _narrow_pieces(self, first_row, n_rows):
        """Yield rows with their labels and, as far as a reader can do without, no features."""
        narrow = slice(0, 1 if self.n_stored is None else 0)
        for piece in self._reader.pieces(first_row, n_rows, narrow):
            check_labels(piece.y, piece.n_rows, self.target, piece.name)
            yield piece

    def _read(self, number):
        """Yield batches; whatever goes wrong is told with the number of the batch."""
        try:
            if self.n_samples is None:
                self._reader.learn_labels()
            first_row = number * self.batch_size
            pieces = self._pieces(first_row, self.batch_size)
            for content in concatenate_pieces(pieces, self.batch_size, self.n_samples - first_row):
                yield Batch(number=number, **content)
                number += 1
        except (ValueError, OSError) as error:
            kind = ValueError if isinstance(error, ValueError) else OSError
            raise kind(f"Batch {number} of {self.source}: {error}") from error

    def _pieces(self, first_row, n_rows):
        # The total of a row, or its length, is that of all features.
        read = self._columns if self._steps is None else slice(None)
        names = take_names(self._reader.feature_names, read)
        for piece in self._reader.pieces(first_row, n_rows, read):
            check_labels(piece.y, piece.n_rows, self.target, piece.name)
            check_values(piece.X, names, piece.name)
            if self._steps is not None:
                X = self._steps.transform(piece.X)
                piece = piece._replace(
                    X=X if len(names) == self.n_features else X[:, self._columns]
                )
            yield piece


def batches(
    source: FilePath | HasShape | HasSchema | Callable[[], Any],
    *,
    target: str,
    ids: str | None = None,
    groups: str | None = None,
    blocks: str | None = None,
    drop: Columns = (),
    layer: str | None = None,
    batch_size: int | None = None,
    max_bytes: int | None = None,
    text: Columns | dict[str, Any] | None = None,
    encoding: str = "utf-8",
    preprocess: Columns | None = None,
) -> Batches:
    r"""Read a table with labels in batches, for data that do not fit in memory.

    Parameters
    ----------
    source : str, Path, query or function
        One of

        - a .parquet file, or a folder of them, or a pattern such as ``"parts/2026-*.parquet"``,
          read in the order of their names; also as a URL that fsspec knows, such as
          "s3://bucket/parts", and so may be a .zarr folder;
        - text: .csv, .tsv or .txt (with tabs), also with .gz;
        - an .npz file that is not compressed, with arrays X and y, or a folder that holds X.npy
          and y.npy (or whatever `target` is), and feature_names.npy, classes.npy and ids.npy if
          there are any;
        - an .h5ad file, or a .zarr folder of AnnData, dense, CSR, or CSC, which is turned to rows
          once, in a temporary folder of about its size;
        - a query: a LazyFrame of Polars, a relation of DuckDB, or a data set of Arrow. It is run
          anew for each pass, with the columns that are needed, and must give the same rows in the
          same order; where it does not, that is an error;
        - a table with ``__arrow_c_stream__``, or a function without arguments that returns one, or
          a new RecordBatchReader of Arrow, each time it is called.
    target : str
        The column of labels; the array of labels in .npz and in a folder of arrays; a column of
        `obs` in .h5ad and .zarr.
    ids : str, default=None
        The column with names of samples, as in :func:`~centroidal.io.read_table`.
    groups : str, default=None
        The column, or array, that says what samples belong together, such as the patient they come
        from; it may be that of the ids, and is no feature.
        :func:`~centroidal.model_selection.select_features` keeps groups whole.
    blocks : str, default=None
        The column, or array, that says what samples have in common that new ones may not, such as
        the site they come from, which is left out whole, see
        :func:`~centroidal.model_selection.select_features`. It is no feature either.
    drop : sequence of str, default=()
        Columns to leave out. All must be there.
    layer : str, default=None
        The layer of .h5ad or .zarr to read instead of X.
    batch_size : int, default=None
        Rows of a batch. None takes as many as make about 32 MB, at least 1 and at most 65536.
    max_bytes : int, default=None
        Bytes that a part of a file that is read at a time may take in memory, as its header says.
        None is 200 times the size of the file, and at least 1 GiB: a small file that says it is
        huge is refused before memory is asked for.
    text : str, sequence of str or dict, default=None
        Columns of texts, whose words, and pairs of words, become features by a hash, see
        :class:`~centroidal.preprocessing.WordHasher`; a dict has them as ``columns`` beside its
        parameters. Sources are then those of :func:`~centroidal.io.read_documents`. Of the features
        that are selected the words are found again.
    encoding : str, default="utf-8"
        How characters are written in bytes, for files of text.
    preprocess : str, sequence of str or None, default=None
        What is done to the rows when they are read, by name, as in
        :func:`~centroidal.preprocessing.named_steps`: ``"normalise,log1p"`` makes of counts
        logarithms of shares of the library size, so that no second copy of a file is needed. The
        total of a row is that of all features but those of `drop`. What
        :func:`~centroidal.model_selection.select_features` returns as `model` has it in front and
        takes counts.

    Returns
    -------
    Batches
        To be iterated, as often as needed, or given to :func:`fit_batches` or
        :func:`~centroidal.model_selection.select_features`.

    Raises
    ------
    ValueError
        If the source is not a table of numbers, as far as its header or its first footer tells.
        The files of a folder must have the same columns, in any order; that is raised when its
        rows are counted, which is before any of them is read. What only the rows tell is raised
        when they are read, with the file and the number of the batch: missing or infinite values,
        missing labels, words among numbers, a damaged file.
    FileNotFoundError
        If there is no such source.

    See Also
    --------
    centroidal.io.read_table : Reads a table that fits in memory.
    fit_batches : Fits an estimator to batches.
    centroidal.model_selection.select_features : Selects features of batches, with an honest score.

    Notes
    -----
    A batch may hold rows of several files, so that the cut depends on the order of the rows and
    on `batch_size` only. What is sparse stays sparse, as CSR. Nothing is ever unpickled.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from centroidal.streaming import batches
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "table.csv"
    >>> _ = path.write_text("a,b,kind\n1,2,x\n3,4,y\n5,6,x\n")
    >>> rows = batches(path, target="kind", batch_size=2)
    >>> for batch in rows:
    ...     print(batch.number, batch.X.tolist(), batch.y.tolist())
    0 [[1.0, 2.0], [3.0, 4.0]] ['x', 'y']
    1 [[5.0, 6.0]] ['x']
    >>> rows.classes().tolist()
    ['x', 'y']
    >>> folder.cleanup()
    """
    if target is None:
        raise ValueError("target=None must name the labels.")
    is_path = isinstance(source, (str, Path))
    if is_url(source):
        source = RemoteFile(source)
    else:
        source = Path(source) if is_path else open_query(source)
    name = source.name or str(source)
    columns = {"target": target, "ids": ids, "drop": drop, "groups": groups, "layer": layer}
    columns["blocks"] = blocks
    request = Request(name, **check_asked(**columns, max_bytes=max_bytes))
    if not is_path:
        reader = _query_reader(source, request, text)
    elif text is None:
        reader = open_reader(source, request)
    elif isinstance(source, RemoteFile):
        request.refuse_option("text", "documents are read from this machine")
    else:
        reader = _text_reader(source, request, text, encoding)
    if not reader.feature_names:
        raise ValueError(f"{name} has no features.")
    if preprocess is not None and text is not None:
        request.refuse_option("preprocess", "words of documents are weighted as text says")
    names = (
        preprocess if preprocess is None or isinstance(preprocess, str) else ",".join(preprocess)
    )
    return Batches(reader, request, _batch_size(batch_size, reader.row_bytes), preprocess=names)


def _fitted_steps(preprocess, reader, request):
    """Return the steps that are named; they learn nothing but how many columns there are."""
    steps = named_steps(preprocess)
    if reader.n_stored is not None and not get_tags(steps).input_tags.sparse:
        request.refuse_option(f"preprocess={preprocess!r}", "sparse rows would become dense")
    return steps.fit(np.ones((1, len(reader.feature_names))))


def _add_counts(labels, counts, new, n_each):
    """Add further labels, and how often each occurs, to those that were counted."""
    if n_each is None:
        new, n_each = np.unique(new, return_counts=True)
    if labels.size > 0:  # else its type, which is that of no label, would become theirs
        new, n_each = np.concatenate([labels, new]), np.concatenate([counts, n_each])
    together, places = np.unique(new, return_inverse=True)
    total = np.zeros(together.size, dtype=int)
    np.add.at(total, places, n_each)
    return together, total


def _batch_size(batch_size, row_bytes):
    if batch_size is None:
        return int(min(max(_BATCH_BYTES // row_bytes, 1), _MOST_ROWS))
    check_count("batch_size", batch_size)
    return int(batch_size)


def _query_reader(query, request, text):
    for option, value in (("layer", request.layer), ("text", text)):
        if value is not None:
            request.refuse_option(option, "queries give columns of numbers")
    return QueryReader(query, request)


def _text_reader(path, request, text, encoding):
    """Return the reader of documents whose words are hashed."""
    from .documents import HashedReader

    options = dict(text) if isinstance(text, dict) else {"columns": text}
    columns = options.pop("columns")
    columns = [columns] if isinstance(columns, str) else list(columns)
    if request.drop or request.layer is not None:
        request.refuse_option("drop or layer", "of documents the columns of texts are named")
    return HashedReader(path, request, columns, encoding, options)


def open_reader(path, request):
    """Return what reads a file or folder of numbers."""
    if isinstance(path, RemoteFile):
        if path.name.lower().endswith(".zarr"):
            return AnnotatedReader(RemoteZarrStore(path, request), request)
        if request.layer is not None:
            request.refuse_option("layer", "Parquet has no layers")
        paths, folder = list_remote(path)
        return ParquetReader(paths, folder, request)
    if not path.exists() and has_magic(str(path)):
        paths = [each for each in map(Path, sorted(glob(str(path)))) if each.is_file()]
        if paths:
            return ParquetReader(paths, paths[0].parent.name, request)
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    suffix = suffix_of(path)
    is_folder = path.is_dir() and suffix != ".zarr"
    if request.layer is not None and (is_folder or suffix not in (".h5ad", ".zarr")):
        request.refuse_option("layer", "only .h5ad files and .zarr folders have layers")
    if is_folder:
        return _folder_reader(path, request)
    if not path.is_dir():
        check_source(path)
    if suffix in TEXT_SUFFIXES:
        return TextReader(path, suffix, request)
    if suffix == ".parquet":
        return ParquetReader([path], None, request)
    if suffix == ".npz":
        return open_npz(path, request)
    stores = {".h5ad": Hdf5Store, ".zarr": ZarrStore}
    if suffix in stores:
        return AnnotatedReader(stores[suffix](path, request), request)
    raise ValueError(
        f"{request.name}: {suffix} cannot be read in batches; known are {', '.join(_KNOWN)}. Read "
        "it into memory, with read_table (without --stream), or write it as Parquet."
    )


def _folder_reader(path, request):
    if (path / "X.npy").is_file():
        return open_folder(path, request)
    if any((path / f"matrix.mtx{packed}").is_file() for packed in ("", ".gz")):
        raise ValueError(
            f"{request.name} is a folder of 10x, which cannot be read in batches. Read it into "
            "memory, with read_table (without --stream), or write it as .h5ad with anndata."
        )
    paths = sorted(_files_below(path), key=lambda each: each.relative_to(path).parts)
    texts = [each for each in paths if suffix_of(each) in TEXT_SUFFIXES and each.parent == path]
    paths = [each for each in paths if suffix_of(each) == ".parquet"]
    if texts and not paths:
        return TextFolderReader(texts, path.name, request)
    if not paths:
        raise ValueError(
            f"{request.name} must hold .parquet files, tables of text, or X.npy; none is there "
            "(of folders inside it, those called key=value are looked at)."
        )
    places = [each.relative_to(path).parts[:-1] for each in paths]
    return ParquetReader(paths, path.name, request, places)


def _files_below(folder):
    """Yield files of a folder, and of those in it that are called ``key=value``."""
    for path in folder.iterdir():
        if path.name[0] in "._":
            continue
        if path.is_file():
            yield path
        elif path.is_dir() and "=" in path.name[1:]:
            yield from _files_below(path)
