"""Batches of queries: lazy frames of Polars, relations of DuckDB, streams and data sets of Arrow.

A query is run anew for each pass over its rows, for the columns that are needed. What it returns is
never in memory as a whole.
"""

from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from .arrow_rows import ArrowRows, label_counts
from .pieces import FileFacts, Fingerprint, take_names
from .request import clean_errors

_N_LOOKED_AT = 1000
_LABELS_AT_A_TIME = 2**16
_N_WATCHED = 8  # features by which the order of rows is known again
_TWICE = (
    "rows are read several times, and folds are cut by their order: let the query sort its rows "
    "(ORDER BY), or write them to a Parquet file."
)


def is_query(source):
    """Say whether a source is a query, whose rows are not in memory."""
    return _engine_of(source) is not None or type(source).__name__ == "RecordBatchReader"


class QueryReader(ArrowRows):
    """The rows of a query, which must be the same, in the same order, each time it is run."""

    kind = "rows of a query"

    def __init__(self, query, request):
        super().__init__(request)
        self._query = query
        with clean_errors(request.name, self.kind):
            schema = self._query.schema()
        self._find_columns(schema, request, self._first_rows)
        places = np.linspace(0, len(self.feature_names) - 1, _N_WATCHED).astype(int)
        self._watched = [self.feature_names[place] for place in np.unique(places)]
        self.n_samples = self._digest = None

    @property
    def fingerprint(self):
        """What the source is known by."""
        self.learn_labels()
        rows = FileFacts(self._request.name, 0, self.n_samples, 0, self._digest)
        return Fingerprint("query", [rows], self._digest_columns())

    def learn_labels(self):
        """Count the rows, unless that was done."""
        if self.n_samples is None:
            for _ in self.labels():
                pass

    def labels(self):
        """Yield the labels alone, and how often each occurs if that is known."""
        target = self._request.target
        for batch in self._rows(_LABELS_AT_A_TIME, [target]):
            yield self._request.name, *label_counts(batch.column(target))

    def pieces(self, first_row, n_rows, columns):
        """Yield the rows from `first_row` on; those before it are read and left out."""
        features = take_names(self.feature_names, columns)
        for batch in self._rows(n_rows, [*features, *self._special]):
            n_before = min(first_row, batch.num_rows)
            first_row -= n_before
            if n_before < batch.num_rows:
                yield from self._pieces_of(features, self._request.name, batch.slice(n_before))

    def _first_rows(self, names):
        return next(iter(self._query.read(names, _N_LOOKED_AT)), None)

    def _rows(self, n_rows, names):
        """Run the query, and yield record batches; raise if it gives other rows than before."""
        n_seen, digest = 0, blake2b(digest_size=16)
        names = list(dict.fromkeys([*names, *self._watched]))
        with clean_errors(self._request.name, self.kind):
            found = iter(self._query.read(names, n_rows))
        while True:
            with clean_errors(self._request.name, self.kind):
                batch = next(found, None)
                if batch is None:
                    break
                digest.update(self._bytes_of(batch))
            n_seen += batch.num_rows
            if self.n_samples is not None and n_seen > self.n_samples:
                break
            yield batch
        self._compare(n_seen, digest.hexdigest())

    def _bytes_of(self, batch):
        """Return the numbers by which rows are known again."""
        columns = [batch.column(name).cast("double", safe=False) for name in self._watched]
        return np.column_stack([each.to_numpy(zero_copy_only=False) for each in columns]).tobytes()

    def _compare(self, n_rows, digest):
        if self.n_samples is None:
            self.n_samples, self._digest = n_rows, digest
        name = self._request.name
        if n_rows != self.n_samples:
            more = "more" if n_rows > self.n_samples else f"{n_rows}"
            raise ValueError(
                f"{name} gave {self.n_samples} rows at first, and {more} now; {_TWICE}"
            )
        if digest != self._digest:
            raise ValueError(f"{name} gave its rows in another order than at first; {_TWICE}")


# ------------------------------------------------------------------ engines


class Query(NamedTuple):
    """Something that gives record batches of Arrow as often as it is asked to."""

    name: str
    schema: object  # () -> schema
    read: object  # (names, n_rows) -> record batches with these columns, about so many rows each


def open_query(source):
    """Return what reads a source; raise if it can be read once only."""
    engine = _engine_of(source)
    if engine is not None:
        return engine(source)
    if type(source).__name__ == "RecordBatchReader":
        raise TypeError(
            "source=RecordBatchReader can be read once, and batches are read several times; give a "
            "function that returns a new reader: batches(lambda: ..., target=...)."
        )
    if hasattr(source, "__arrow_c_stream__"):
        return _of_stream("Arrow stream", lambda: source)
    if callable(source):
        return _of_stream("function that returns Arrow streams", source)
    raise TypeError(
        f"source={type(source).__name__} must be the path of a file or folder, a LazyFrame of "
        "Polars, a relation of DuckDB, a data set or table of Arrow, or a function that returns a "
        "RecordBatchReader."
    )


def _engine_of(source):
    kind = type(source)
    return _ENGINES.get((kind.__module__.partition(".")[0].lstrip("_"), kind.__name__))


def _of_lazy_frame(source):
    import polars

    if not hasattr(source, "collect_batches"):
        raise ImportError(
            f"A LazyFrame is read in batches by polars 1.34 or later, not {polars.__version__}; "
            "write it with sink_parquet, and read the file."
        )

    def read(names, n_rows):
        found = source.select(names).collect_batches(chunk_size=n_rows, engine="streaming")
        for frame in found:
            yield from frame.to_arrow().to_batches()

    empty = polars.DataFrame(schema=source.collect_schema())
    return Query("LazyFrame", lambda: empty.to_arrow().schema, read)


def _of_relation(source):
    def read(names, n_rows, relation=source):
        quoted = ['"{}"'.format(name.replace('"', '""')) for name in names]
        found = relation.project(", ".join(quoted))  # a new one: one that was run keeps its rows
        is_new = hasattr(found, "to_arrow_reader")  # in place of the other
        return found.to_arrow_reader(n_rows) if is_new else found.fetch_arrow_reader(n_rows)

    return Query("DuckDB relation", lambda: read(source.columns, 1, source.limit(0)).schema, read)


def _of_data_set(source):
    def read(names, n_rows):
        # Threads would read ahead, without an end where the rows are used slowly.
        few = {"batch_readahead": 1, "fragment_readahead": 1}  # else 16 batches of 4 files wait
        return source.to_batches(columns=names, batch_size=n_rows, use_threads=False, **few)

    return Query("Arrow data set", lambda: source.schema, read)


def _of_stream(name, open_source):
    from pyarrow import RecordBatchReader

    def stream():
        return RecordBatchReader.from_stream(open_source())

    def read(names, n_rows):
        for batch in stream():
            for start in range(0, batch.num_rows, n_rows):
                yield batch.slice(start, n_rows).select(names)

    return Query(name, lambda: stream().schema, read)


_ENGINES = {
    ("polars", "LazyFrame"): _of_lazy_frame,
    ("duckdb", "DuckDBPyRelation"): _of_relation,
    **{
        ("pyarrow", name): _of_data_set
        for name in ("Dataset", "FileSystemDataset", "InMemoryDataset", "UnionDataset")
    },
}
