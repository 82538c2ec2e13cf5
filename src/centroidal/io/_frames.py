"""Data frames of pandas, polars and pyarrow, and Parquet files."""

from numbers import Real

import narwhals.stable.v1 as nw
import numpy as np

from .._data import as_frame
from .._optional import require
from ..streaming.arrow_rows import stored_index
from ..streaming.labels import labels_from_array, labels_from_values
from ..streaming.request import RawTable, clean_errors, texts
from ..streaming.text import numbers_from_text
from .sheets import make_sheet


def read_parquet(data, request, suffix):
    """Read a Parquet file; an index that pandas stored in it gives the ids."""
    frame, names, index_name = _open_parquet(data, request)
    return _read(frame, names, request, index_name)


def read_parquet_sheet(data, request, suffix):
    """Read a sheet of samples; an index that pandas stored in it is its first column."""
    frame, names, index_name = _open_parquet(data, request)
    if index_name is not None:
        names.sort(key=lambda name: name != index_name)

    def column(place):
        return frame[names[place]].to_list()

    return make_sheet(names, column, labels_from_values, request)


def _open_parquet(data, request):
    pyarrow = require("pyarrow", "io", "Reading Parquet")
    parquet = require("pyarrow.parquet", "io", "Reading Parquet")
    with clean_errors(request.name, "a Parquet file"):
        metadata = parquet.read_metadata(pyarrow.BufferReader(data))
        leaves = [metadata.schema.column(j) for j in range(metadata.num_columns)]
        texts_there = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        # What is the same in all rows takes no room in the file, but memory once it is decoded.
        request.check_size(8 * _n_values(metadata, leaves), len(data))
        options = {"metadata": metadata, "read_dictionary": texts_there}
        file = parquet.ParquetFile(pyarrow.BufferReader(data), **options)
        schema = file.schema_arrow
    _check_names(schema.names, request)
    with clean_errors(request.name, "a Parquet file"):
        table = file.read()
        is_text = [_is_coded_text(kind) for kind in schema.types]
        columns = list(zip(table.columns, is_text, strict=True))
        n_characters = sum(_n_characters(column) for column, is_coded in columns if is_coded)
        request.check_size(n_characters, len(data))
        columns = [
            column.cast(column.type.value_type) if is_coded else column
            for column, is_coded in columns
        ]
        table = pyarrow.table(columns, names=_distinct(schema.names))
    return nw.from_native(table, eager_only=True), schema.names, stored_index(schema)


def _n_values(metadata, leaves):
    """Count the values of a Parquet file; those of lists are not as many as there are rows."""
    lists = [j for j, leaf in enumerate(leaves) if leaf.max_repetition_level]
    groups = map(metadata.row_group, range(metadata.num_row_groups) if lists else ())
    n_in_lists = sum(group.column(j).num_values for group in groups for j in lists)
    return metadata.num_rows * (len(leaves) - len(lists)) + n_in_lists


def _is_coded_text(kind):
    """Say whether a column has places among different texts; categories may also be numbers."""
    from pyarrow import types

    return types.is_dictionary(kind) and not types.is_primitive(kind.value_type)


def _n_characters(column):
    """Count the bytes of texts that are given by their places among the different ones."""
    from pyarrow.compute import binary_length

    n_bytes = 0
    for chunk in column.chunks:
        lengths = binary_length(chunk.dictionary).to_numpy(zero_copy_only=False)
        n_bytes += int(lengths[chunk.indices.drop_null().to_numpy()].sum())
    return n_bytes


def read_frame(source, request):
    """Read a data frame; an index of pandas that is not a count gives the ids."""
    kinds = "a path, a data frame of pandas, polars or pyarrow, or AnnData"
    frame, names, index = _open_frame(source, request, f"source={request.name} must be {kinds}.")
    return _read(frame, names, request, None, None if index is None else texts(list(index)))


def read_frame_sheet(source, request):
    """Read a sheet of samples; an index of pandas that is not a count is its first column."""
    kinds = "a path, or a data frame of pandas, polars or pyarrow"
    frame, names, index = _open_frame(source, request, f"{request.name} must be {kinds}.")
    columns = [frame[:, place] for place in range(len(names))]
    if index is not None:
        names = ["" if index.name is None else str(index.name), *names]
        columns = [index, *columns]

    def column(place):
        return columns[place].to_list()

    return make_sheet(names, column, labels_from_values, request)


def _open_frame(source, request, else_error):
    """Return a data frame, its names, and its index if it has one that is not a count."""
    names = texts(_names(source))
    _check_names(names, request)
    if len(set(names)) < len(names):
        is_arrow, places = hasattr(source, "rename_columns"), _distinct(names)
        source = source.rename_columns(places) if is_arrow else source.set_axis(places, axis=1)
    frame = as_frame(source)
    if frame is None:
        raise TypeError(else_error)
    index = nw.maybe_get_index(frame)
    is_count = index is None or type(index).__name__ == "RangeIndex"
    return frame, names or texts(list(frame.columns)), None if is_count else index


def _check_names(names, request):
    """Raise if a name occurs twice; with samples in columns these are ids of samples."""
    if request.transpose:
        request = request._replace(duplicates=None)
    request.refuse_repeated([name for name in names if name not in request.drop])


def _distinct(names):
    """Return names for columns that a frame can tell apart."""
    return names if len(set(names)) == len(names) else [str(j) for j in range(len(names))]


def _names(source):
    """Return the columns of a frame before narwhals looks at them: it takes no repeated names."""
    if hasattr(source, "column_names"):
        return source.column_names
    return list(getattr(source, "columns", ())) if hasattr(source, "to_numpy") else []


def _read(frame, names, request, index_name, index=None):
    if len(frame) == 0:
        raise ValueError(f"{request.name} has no rows.")
    if request.transpose:
        return _read_transposed(frame, request, index)
    is_index = index_name not in (None, request.target)
    place = names.index(index_name) if is_index else None
    places = request.column_roles(names, unnamed=place)
    if not places.features:
        raise ValueError(f"{request.name} has no column of features.")
    X, is_text = _numeric(frame, places.features)
    feature_names = [names[j] for j in places.features]
    request.refuse_text([(names[j], example) for j, example in is_text])
    y = None if places.target is None else _labels(frame[:, places.target])
    ids = index if places.ids is None else texts(frame[:, places.ids].to_list())
    annotations = tuple(frame[:, j].to_list() for j in places.annotations)
    return RawTable(X, feature_names, y, ids, request.target, (), annotations)


def _labels(column):
    if column.dtype.is_numeric() and column.null_count() == 0:
        return labels_from_array(column.to_numpy())
    return labels_from_values(column.to_list())


def _numeric(frame, positions):
    """Return columns as numbers, and an example of each that holds something else."""
    dtypes = list(frame.schema.values())
    plain = [j for j in positions if dtypes[j].is_numeric() and dtypes[j] != nw.Decimal]
    is_single = len(plain) == len(positions) and all(dtypes[j] == nw.Float32 for j in plain)
    X = np.empty((len(frame), len(positions)), dtype=np.float32 if is_single else np.float64)
    where = {j: at for at, j in enumerate(positions)}
    if plain:
        values = frame[:, plain].to_numpy()
        if len(plain) == len(positions) and values.dtype == X.dtype:
            X = np.ascontiguousarray(values)
        else:
            X[:, [where[j] for j in plain]] = values
    is_text = []
    for j in sorted(set(positions) - set(plain)):
        values, example = _numbers_of(frame[:, j], dtypes[j])
        if example is None:
            X[:, where[j]] = values
        else:
            is_text.append((j, example))
    return X, is_text


def _numbers_of(column, dtype):
    """Return a column of booleans, decimals or objects as numbers, or an example of its text."""
    if dtype not in (nw.Boolean, nw.Decimal, nw.Object, nw.Unknown):
        missing = column.is_null().to_list()
        present = [v for v, gone in zip(column.to_list(), missing, strict=True) if not gone]
        if present or dtype != nw.String:
            return None, present[0] if present else dtype
    values = np.full(len(column), np.nan)
    for i, value in enumerate(column.to_list()):
        if value is None or type(value).__name__ == "NAType":
            continue
        is_decimal = type(value).__name__ == "Decimal"
        if not (isinstance(value, (Real, np.bool_)) or is_decimal):
            return None, value
        values[i] = float(value)
    return values, None


# ------------------------------------------------------------------ samples in columns


def _read_transposed(frame, request, index):
    """Read a frame whose rows are features; cells of text are read as in a file of text."""
    columns = list(frame.columns)
    if index is None:
        index, columns = texts(frame[:, 0].to_list()), columns[1:]
    places = request.column_roles(index, samples=texts(columns))
    columns = [name for name in columns if str(name) not in request.drop]
    if not columns or not places.features:
        raise ValueError(f"{request.name} has no samples or no features.")
    X = np.empty((len(columns), len(places.features)))
    labels, ids, is_text, text_columns = [], [], {}, []
    annotations = tuple([] for _ in places.annotations)
    for i, name in enumerate(columns):
        column = frame[:, frame.columns.index(name)]
        if column.dtype.is_numeric() and not places.texts:
            X[i] = np.asarray(column.to_numpy(), dtype=np.float64)[places.features]
            continue
        cells = column.to_list()
        X[i], others = numbers_from_text([cells[j] for j in places.features])
        is_text = others | is_text
        text_columns += [(name, cell) for cell in list(others.values())[:1]]
        labels.append(None if places.target is None else cells[places.target])
        ids.append(None if places.ids is None else cells[places.ids])
        for values, j in zip(annotations, places.annotations, strict=True):
            values.append(cells[j])
    names = [index[j] for j in places.features]
    rows = [(names[j], cell) for j, cell in sorted(is_text.items())]
    request.refuse_text_cells(rows, text_columns)
    y = None if places.target is None else labels_from_array(np.array(labels, dtype=object))
    ids = texts(columns if places.ids is None else ids)
    return RawTable(X, names, y, ids, request.target, (), annotations)
