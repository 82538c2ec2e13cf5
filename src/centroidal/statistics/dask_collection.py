"""Dask arrays, data frames and lists of futures as blocks of rows and of columns.

This module, dask_blocks.py and dask_watch.py import Dask; they are imported when somebody comes
with a Dask collection. Blocks stay where they are; what reaches the caller is small, or lazy again.
"""

from functools import cached_property, partial
from itertools import chain

import dask
import dask.array as da
import numpy as np
from dask.delayed import Delayed
from dask.utils import funcname
from scipy.sparse import csr_array, hstack, issparse

from .._optional import is_of_dask
from .dask_watch import run_watched

_PARTS_PER_MERGE = 8


class RowBlocks:
    """A column of labels, codes or weights, in the blocks of rows of a `DaskBlocks`.

    Functions of one column are called one after another in one task a block, since each task costs
    the scheduler about a millisecond: parts are what `function`, if any, makes of the `sources`.
    """

    def __init__(self, sources, function=None):
        self.sources = sources
        self.function = function

    @cached_property
    def parts(self):
        """A value, future or delayed value of each block, which all who ask for it share."""
        if self.function is None:
            return self.sources
        call = dask.delayed(self.function)
        return [call(source) for source in self.sources]

    def map(self, function, *others):
        """Call `function` on each part, and on those of `others`, when they are needed."""
        if not others:
            both = function if self.function is None else _Chain(self.function, function)
            return RowBlocks(self.sources, both)
        call = dask.delayed(function)
        return RowBlocks([call(*parts) for parts in zip(self, *others, strict=True)])

    def as_tasks(self):
        """Return the same column, of which each part is a task of its own."""
        return RowBlocks(self.parts)

    def gather(self):
        """Compute the parts; they must be small."""
        return _gather(self.parts)

    def persist(self):
        """Have the parts computed, and keep them where they are."""
        return RowBlocks(list(dask.persist(*self.parts)))

    def reduce_watched(self, merge, see):
        """Do so, leave the result where it is, and call `see` with the place of each part done.

        An error names the block it comes from, and whatever ends the waiting cancels the work.
        """
        return run_watched(merge_in_tree(merge, self.parts), self.parts, see)

    def reduce(self, merge, finish=None):
        """Compute what `merge` makes of lists of parts, in a fixed tree, and `finish` of that."""
        total = merge_in_tree(merge, self.parts)
        (result,) = _gather([total if finish is None else dask.delayed(finish)(total)])
        return result

    def regroup(self, n_groups, join):
        """Join neighbours to at most so many parts."""
        join = dask.delayed(join)
        height = -(-len(self) // n_groups)
        starts = range(0, len(self), height)
        return RowBlocks([join(self.parts[start : start + height]) for start in starts])

    def exchange(self, cut, join, n_pieces):
        """Cut each part in so many pieces; join the first pieces of all parts, the second, ..."""
        cut, join = dask.delayed(cut, nout=n_pieces), dask.delayed(join)
        pieces = [cut(part) for part in self]
        return RowBlocks([join([of_part[i] for of_part in pieces]) for i in range(n_pieces)])

    def stratified_folds(self, n_classes, n_folds):
        """Cut rows with codes into folds; masks of the rows to train on, and of those to test.

        The folds are those that scikit-learn's ``StratifiedKFold`` makes of the same rows, in their
        order: of each class, every fold tests a run of neighbours. Where a run begins follows from
        the number of rows of the class in each block.
        """
        counts, orders = zip(*_gather(self.map(partial(_class_order, n_classes))), strict=True)
        totals = np.sum(counts, axis=0)
        if totals.min() < n_folds:
            raise ValueError(
                f"cv={n_folds} must be at most {totals.min()}, the number of samples of the "
                "rarest class."
            )
        ends = _run_ends(totals, list(dict.fromkeys(chain.from_iterable(orders))), n_folds)
        before = np.cumsum(counts, axis=0) - counts
        folds = self.map(partial(_folds_of, ends), before)
        return [
            (folds.map(partial(np.not_equal, fold)), folds.map(partial(np.equal, fold)))
            for fold in range(n_folds)
        ]

    def __iter__(self):
        return iter(self.parts)

    def __len__(self):
        return len(self.sources)


class _Chain:
    """Calls one function on what another makes of a value; Dask shows it as the second."""

    def __init__(self, first, second):
        self.first, self.second = first, second
        self.__name__ = funcname(second)

    def __call__(self, value):
        return self.second(self.first(value))


class DaskCollection:
    """Samples in blocks of rows and of columns, which are checked where they are.

    The number of rows in `shape` may be NaN; `template` has the same columns without rows.
    """

    def __init__(self, grid, edges, lengths, template, check=None, divisions=None):
        self._grid = grid  # of rows, of which each is a list of blocks of columns
        self._edges = edges  # first column of each block of columns, and one behind the last
        self._lengths = lengths  # rows of each block of rows, or None
        self._check = check
        self._divisions = divisions  # of a data frame that knows them
        self.template = template
        self.is_sparse = issparse(template)
        self.shape = (np.nan if lengths is None else sum(lengths), edges[-1])

    @classmethod
    def of(cls, X):
        """Take apart an array, a data frame, or a list of futures or delayed objects."""
        if isinstance(X, list | tuple):
            (template,) = _gather([dask.delayed(_without_rows)(X[0])])
            return cls([[part] for part in X], [0, template.shape[1]], None, template)
        if _is_array(X):
            return cls._of_array(X)
        if _is_frame(X) and X.ndim == 2:
            grid = [[part] for part in _partitions(X)]
            return cls(grid, [0, len(X.columns)], None, X._meta, divisions=_known_divisions(X))
        raise TypeError(
            f"X={X!r} must be a Dask array or data frame of 2 dimensions, or a list of futures or "
            "delayed blocks."
        )

    @classmethod
    def of_reader(cls, read, places, n_features, is_sparse):
        """Make blocks of what is read by ``read(first_row, n_rows)`` at some places."""
        grid = [[part] for part in read_later(read, places).parts]
        template = (csr_array if is_sparse else np.empty)((0, n_features))
        return cls(grid, [0, n_features], [n_rows for _, n_rows in places], template)

    @classmethod
    def _of_array(cls, X):
        _check_columns(X)
        edges = [0, *np.cumsum(X.chunks[1]).tolist()]
        template = (csr_array if issparse(X._meta) else np.empty)((0, X.shape[1]))
        return cls(X.to_delayed().tolist(), edges, _known_lengths(X.chunks[0]), template)

    def with_check(self, check):
        """Return the same blocks, each of which goes through `check` before it is looked at."""
        place = self._grid, self._edges, self._lengths, self.template
        return type(self)(*place, check, self._divisions)

    def pair(self, name, values):
        """Cut a column of values, of Dask or not, as the rows are cut; they pair by position."""
        if isinstance(values, list | tuple) and any(map(is_of_dask, values)):
            parts = list(values)
        elif _is_array(values) or _is_frame(values):
            if values.ndim != 1:
                raise ValueError(f"{name} must have 1 dimension; it has {values.ndim}.")
            parts = self._rows_of(name, values)
        elif is_of_dask(values):
            raise TypeError(
                f"{name}={values!r} must be a Dask array or series, an array, or a list of blocks."
            )
        else:
            parts = self._slices_of(name, values)
        return RowBlocks(parts if len(parts) == len(self._grid) else self._recut(name, parts))

    def _rows_of(self, name, values):
        if _is_array(values) and self._lengths and _known_lengths(values.chunks[0]):
            self._check_length(name, values.shape[0])
            values = values.rechunk((tuple(self._lengths),))
        if _is_array(values):
            return np.asarray(values.to_delayed(), dtype=object).ravel().tolist()
        own, wanted = _known_divisions(values), self._divisions
        # Rows of frames that are sorted by the same index are the same rows.
        if own != wanted and own and wanted and (own[0], own[-1]) == (wanted[0], wanted[-1]):
            values = values.repartition(divisions=wanted)
        return _partitions(values)

    def _recut(self, name, parts):
        """Cut parts of a column where the blocks of rows begin; both are counted for it."""
        starts = np.cumsum([0, *_count_rows(parts)])
        edges = np.cumsum([0, *self._known_lengths()])
        self._check_length(name, int(starts[-1]))
        join = dask.delayed(_join_slices)
        cut = []
        for first, last in zip(edges, edges[1:], strict=False):
            near = np.flatnonzero((starts[:-1] < last) & (starts[1:] > first))
            near = near if near.size else [0]  # for a block without rows
            own = [slice(*np.clip([first, last] - starts[i], 0, None).tolist()) for i in near]
            cut.append(join([parts[i] for i in near], own))
        return cut

    def _known_lengths(self):
        """Return the rows of each block, which are counted if nobody knows them."""
        if self._lengths is None:
            self._lengths = _count_rows([row[0] for row in self._grid])
            self.shape = (sum(self._lengths), self.shape[1])
        return self._lengths

    def _slices_of(self, name, values):
        self._known_lengths()
        self._check_length(name, len(values))
        values = values.iloc if hasattr(values, "iloc") else values
        ends = np.cumsum(self._lengths).tolist()
        return [values[end - length : end] for length, end in zip(self._lengths, ends, strict=True)]

    def _check_length(self, name, length):
        if length != self.shape[0]:
            raise ValueError(f"X has {self.shape[0]} rows, and {name} has {length}.")

    def each_block(self, function):
        """Call `function` on each block for what it may raise."""
        call = dask.delayed(_call)
        _gather([call(function, self._check, block) for row in self._grid for block in row])

    def of_rows(self, function, codes, weights=None):
        """Call `function` on all columns of each block of rows, when it is needed.

        It is called with the rows, their codes and their weights or None; it may be delayed.
        """
        held = _send_once(function)
        call = dask.delayed(_of_whole_rows)
        widths = np.diff(self._edges).tolist()
        return RowBlocks(
            [
                call(row, [self._reader(place, width) for width in widths], own, weight, held)
                for place, (row, own, weight) in enumerate(self._rows(codes, weights))
            ]
        )

    def sum_rows(self, function, codes, weights=None):
        """Sum over the blocks of rows of an array that `function` makes of one, as in `of_rows`."""
        return self.of_rows(function, codes, weights).reduce(sum)

    def _rows(self, codes, weights):
        weights = [None] * len(self._grid) if weights is None else weights
        return zip(self._grid, codes, weights, strict=True)

    def _reader(self, place, width):
        return _Reader(self._check, place, width)


class _Reader:
    """Checks a block, and that it has as many rows and columns as it should."""

    def __init__(self, check, place, width):
        self.check, self.place, self.width = check, place, width

    def __call__(self, block, n_rows):
        X = block if self.check is None else self.check(block)
        if X.shape[1] != self.width:
            raise ValueError(
                f"block {self.place} of X has {X.shape[1]} columns; it must have {self.width}."
            )
        if X.shape[0] != n_rows:
            raise ValueError(f"block {self.place} of X has {X.shape[0]} rows, and of y {n_rows}.")
        return X


def load(values):
    """Bring labels or weights of samples that are in memory anyway."""
    if isinstance(values, list | tuple):
        return np.concatenate([np.asarray(part) for part in _gather(values)])
    (loaded,) = _gather([values])
    return loaded


def map_rows(apply, X, columns):
    """Apply a function of samples to each block of rows, when the result is asked for.

    A Dask array gives an array; a data frame one with the same index, its columns named by
    `columns()`, or a series; a list of blocks a list of delayed arrays.
    """
    held = _send_once(apply)
    if isinstance(X, list | tuple):
        call = dask.delayed(_apply)
        return [call(part, held) for part in X]
    if _is_array(X):
        return _map_array(apply, held, X)
    if _is_frame(X) and X.ndim == 2:
        return _map_frame(apply, held, X, columns)
    raise TypeError(
        f"X={X!r} must be a Dask array or data frame of 2 dimensions, or a list of blocks."
    )


def _map_frame(apply, held, X, columns):
    from dask.dataframe import from_delayed

    example = X._meta_nonempty
    meta = _make_frame(_plain(apply(example)), example.index, columns()).iloc[:0]
    call = dask.delayed(_apply_to_frame)
    parts = [call(part, held, meta) for part in _partitions(X)]
    divisions = X.divisions if X.known_divisions else None
    return from_delayed(parts, meta=meta, divisions=divisions, verify_meta=False)


def _map_array(apply, held, X):
    _check_columns(X)
    row = np.zeros((1, X.shape[1]), dtype=X.dtype)
    example = _plain(apply(type(X._meta)(row) if issparse(X._meta) else row))
    options = {"concatenate": False, "meta": example[:0], "example": example[:0], "held": held}
    if example.ndim == 1:
        return da.blockwise(_apply_to_row_of_blocks, "i", X, "ij", **options)
    width = example.shape[1]
    return da.blockwise(_apply_to_row_of_blocks, "ik", X, "ij", new_axes={"k": width}, **options)


def _plain(example):
    """Refuse a result that `set_output` has made a data frame of: it would be loaded."""
    if issparse(example) or isinstance(example, np.ndarray):
        return example
    raise TypeError(
        f"set_output asks for a {type(example).__module__.partition('.')[0]} data frame, which "
        "cannot be lazy; with Dask collections it must be set_output(transform='default')."
    )


def _apply_to_row_of_blocks(blocks, held, example):
    parts = list(blocks)
    return held(_beside(parts)) if parts[0].shape[0] else example


def _beside(parts):
    """Put blocks of columns side by side; one block is left as it is."""
    if len(parts) == 1:
        return parts[0]
    return hstack(parts, format="csr") if issparse(parts[0]) else np.hstack(parts)


def _apply(block, held):
    return held(block)


def _apply_to_frame(frame, held, empty):
    if len(frame) == 0:
        return empty
    columns = empty.columns if empty.ndim == 2 else None
    return _make_frame(held(frame), frame.index, columns)


def _make_frame(values, index, columns):
    import pandas as pd

    if values.ndim == 1:
        return pd.Series(values, index=index)
    return pd.DataFrame(np.asarray(values), index=index, columns=columns)


def call_later(function, *values):
    """Call a function of values that are where the blocks are, when it is needed."""
    return dask.delayed(function)(*values)


def gather(value):
    """Compute a value, which must be small, or bring it where it is computed."""
    if not dask.is_dask_collection(value):  # but a future
        return value.result()
    (found,) = _gather([value])
    return found


def read_later(read, places):
    """Call a function of a place, for each of them, when it is needed."""
    held, call = _send_once(read), dask.delayed(_call_at)
    return RowBlocks([call(held, place) for place in places])


def take_columns(X, columns):
    """Take columns that are named, by parameter, out of a data frame; return what is left, and all.

    What is no name stays as it is.
    """
    named = {name: column for name, column in columns.items() if isinstance(column, str)}
    for name, column in named.items():
        if not (_is_frame(X) and X.ndim == 2):
            raise TypeError(f"{name}={column!r} names a column, and X is no Dask data frame.")
        if column not in X.columns:
            raise ValueError(f"{name}={column!r} must be a column of X.")
    if not named:
        return X, columns
    taken = {name: X[column] for name, column in named.items()}
    return X.drop(columns=sorted(set(named.values()))), columns | taken


def _send_once(function):
    """Return a function as a value of its own, which is sent once to each worker."""
    return function if isinstance(function, Delayed) else dask.delayed(function, traverse=False)


def _gather(parts):
    """Compute what is small enough for the caller."""
    return dask.compute(*parts)


def _is_array(X):
    return isinstance(X, da.Array)


def _is_frame(X):
    """Whether `X` is a data frame or a series; told without importing pandas."""
    if not is_of_dask(X) or isinstance(X, Delayed):  # which has any attribute
        return False
    return hasattr(X, "map_partitions") and hasattr(X, "_meta_nonempty")


def _check_columns(X):
    if X.ndim != 2:
        raise ValueError(f"X of shape {X.shape} must have 2 dimensions.")
    if np.isnan(X.shape[1]):
        raise ValueError("X has an unknown number of columns; call X.compute_chunk_sizes() first.")


def _known_lengths(lengths):
    return None if np.isnan(lengths).any() else list(lengths)


def _without_rows(block):
    if getattr(block, "ndim", None) != 2:
        raise ValueError(f"a block of X is a {type(block).__name__}; it must have 2 dimensions.")
    if hasattr(block, "iloc"):
        return block.iloc[:0]
    return (csr_array if issparse(block) else np.empty)((0, block.shape[1]))


def _partitions(frame):
    """Return the partitions of a data frame or series, as many as it says that it has.

    Dask reads several files at once where few columns of each are needed, and so a column would
    have fewer partitions than the other columns of the same frame.
    """
    parts = frame.to_delayed()
    if len(parts) != frame.npartitions:
        parts = frame.simplify().to_delayed(optimize_graph=False)  # reads no other column, either
    return parts


def _known_divisions(frame):
    return frame.divisions if frame.known_divisions else None


def _count_rows(blocks):
    count = dask.delayed(_n_rows)
    return list(_gather([count(block) for block in blocks]))


def _n_rows(block):
    return len(block) if isinstance(block, list) else block.shape[0]


def _join_slices(parts, slices):
    """Put slices of neighbouring parts of a column together."""
    return np.concatenate([np.asarray(part)[own] for part, own in zip(parts, slices, strict=True)])


def _call_at(function, place):
    return function(*place)


def _call(function, check, block):
    function(block if check is None else check(block))


def merge_in_tree(merge, parts):
    """Merge neighbours until one is left; the order depends on the number of parts alone."""
    merge = dask.delayed(merge)
    while len(parts) > 1:
        starts = range(0, len(parts), _PARTS_PER_MERGE)
        parts = [merge(parts[start : start + _PARTS_PER_MERGE]) for start in starts]
    return parts[0]


def _of_whole_rows(blocks, readers, codes, weights, function):
    parts = [read(block, codes.size) for read, block in zip(readers, blocks, strict=True)]
    return function(_beside(parts), codes, weights)


def _class_order(n_classes, codes):
    """Rows of each class in a block, and the classes in the order in which they appear."""
    found, first = np.unique(codes, return_index=True)
    return np.bincount(codes, minlength=n_classes), found[np.argsort(first)].tolist()


def _run_ends(counts, order, n_folds):
    """Rank in its class at which the run of each fold ends, an array of a row a class."""
    # Rows sorted by class are dealt out in turn; a class takes the turns of its places.
    stops = np.cumsum(counts[order])
    edges = np.stack([stops - counts[order], stops])[:, :, None]
    turns_before = (edges - np.arange(n_folds) + n_folds - 1) // n_folds
    ends = np.zeros((counts.size, n_folds), dtype=int)
    ends[order] = np.cumsum(turns_before[1] - turns_before[0], axis=1)
    return ends


def _folds_of(ends, codes, before):
    """Fold that tests each row of a block, with `before` rows of each class in earlier blocks."""
    folds = np.empty(codes.size, dtype=np.int32)
    for c in np.unique(codes):
        members = np.flatnonzero(codes == c)
        ranks = before[c] + np.arange(members.size)
        folds[members] = np.searchsorted(ends[c], ranks, side="right")
    return folds
