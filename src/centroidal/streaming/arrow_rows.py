"""Record batches of Arrow -> samples, labels and names: what files and queries have in common."""

import json
from hashlib import sha256

import numpy as np

from .._optional import require
from .labels import is_missing, labels_from_array, labels_from_values, sample_names
from .pieces import Piece
from .request import clean_errors, texts

_SLICE_BYTES, _LEAST_SLICE = 2**21, 2**9  # turned to rows at a time: less memory than all


class ArrowRows:
    """Rows whose columns a schema of Arrow's names; `kind` says in messages what they come from."""

    kind = "a table"
    has_names = True
    n_stored = None

    def __init__(self, request):
        self._pyarrow = require("pyarrow", "io", "Reading Parquet, or a query,")
        self._request = request

    def _find_columns(self, schema, request, name_examples):
        """Say what the columns are; ``name_examples(names)`` finds values of those of text."""
        self._schema, names, types = schema, schema.names, schema.types
        request.refuse_repeated([name for name in names if name not in request.drop])
        index = stored_index(schema)
        index = None if index in (None, request.target) else names.index(index)
        roles = request.column_roles(names, unnamed=index)
        if not roles.features:
            raise ValueError(f"{request.name} has no column of features.")
        self.feature_names = [names[j] for j in roles.features]
        self._ids = None if roles.ids is None else names[roles.ids]
        targets = [] if request.target is None else [request.target]
        self._text_target = [name for name in targets if _is_text(types[names.index(name)])]
        special = (request.target, self._ids, *request.named_columns)
        self._special = [name for name in dict.fromkeys(special) if name is not None]
        is_text = [names[j] for j in roles.features if not _is_number(types[j])]
        if is_text:
            with clean_errors(request.name, self.kind):
                found = name_examples(is_text)
            request.refuse_text([(name, _example(found, schema, name)) for name in is_text])
        is_single = {str(types[j]) for j in roles.features} == {"float"}
        self._dtype = np.dtype(np.float32 if is_single else np.float64)
        self.row_bytes = self._dtype.itemsize * len(self.feature_names)

    def _digest_columns(self):
        columns = sorted(zip(self._schema.names, map(str, self._schema.types), strict=True))
        return sha256(repr((self.feature_names, columns)).encode()).hexdigest()

    def _pieces_of(self, features, name, batch):
        """Yield the rows of a record batch that has columns of these features, and special ones."""
        target = self._request.target
        y = None if target is None else labels_of(batch.column(target))
        ids = None
        if self._ids is not None:
            ids = np.array(texts(batch.column(self._ids).to_pylist()), dtype=object)
        request = self._request._replace(name=name)
        named = sample_names(request, lambda column: batch.column(column).to_pylist())
        numbers = self._numbers(batch.select(features), name)
        height = max(_LEAST_SLICE, _SLICE_BYTES // (self._dtype.itemsize * max(len(features), 1)))
        for start in range(0, batch.num_rows, height):
            rows = slice(start, start + height)
            X = numbers.slice(start, height).to_tensor(null_to_nan=True).to_numpy()
            y_ids = [None if each is None else each[rows] for each in (y, ids)]
            found = {role: values[rows] for role, values in named.items()}
            yield Piece(X, *y_ids, name, **found)

    def _numbers(self, batch, name):
        """Cast columns that are not what the array is made of; mostly there is none."""
        wanted = self._pyarrow.from_numpy_dtype(self._dtype)
        if all(kind == wanted for kind in batch.schema.types):
            return batch
        with clean_errors(name, self.kind):
            columns = [column.cast(wanted, safe=False) for column in batch.columns]
        return type(batch).from_arrays(columns, names=batch.schema.names)


def _example(found, schema, name):
    """Return a value of a column, or its type if there is none."""
    values = [] if found is None else found.column(name).drop_null().slice(0, 1).to_pylist()
    return values[0] if values else schema.field(name).type


def stored_index(schema):
    """Return the name of the column that pandas stored as index, None if there is none."""
    try:
        index = json.loads(schema.metadata[b"pandas"])["index_columns"]
    except (TypeError, KeyError, ValueError):
        return None
    is_one = isinstance(index, list) and len(index) == 1 and isinstance(index[0], str)
    return index[0] if is_one and index[0] in schema.names else None


# ------------------------------------------------------------------ labels


def labels_of(column):
    """Return the label of each row."""
    labels, places, _ = _distinct_labels(column)
    return labels if places is None else labels[places]


def label_counts(column):
    """Return labels, and how often each occurs; None if they are there as often as they do."""
    labels, places, counts = _distinct_labels(column)
    if labels.dtype.kind == "O" or is_missing(labels).any():  # it is to be said where
        return labels_of(column), None
    return np.unique(labels, return_counts=True) if places is None else (labels, counts)


def _distinct_labels(column):
    """Return labels, which of them each row has, and how often each occurs.

    So that a text is made of each label, not of each row. Labels that come as numbers, or that are
    missing in some row, are all there, without places and counts.
    """
    has_all = column.null_count == 0
    if has_all and _is_text(column.type):
        column = column.dictionary_encode()
    if has_all and hasattr(column, "dictionary"):
        places = column.indices.to_numpy().astype(np.intp, copy=False)
        counts = np.bincount(places, minlength=len(column.dictionary))
        is_there = counts > 0
        values = column.dictionary.to_pylist()
        labels = labels_from_values([values[i] for i in np.flatnonzero(is_there)])
        return labels, (np.cumsum(is_there) - 1)[places], counts[is_there]
    if has_all and _is_floating_or_whole(column.type):
        return labels_from_array(column.to_numpy(zero_copy_only=False)), None, None
    return labels_from_values(column.to_pylist()), None, None


# ------------------------------------------------------------------ types


def _is_number(kind):
    from pyarrow import types

    is_kind = (types.is_floating, types.is_integer, types.is_boolean, types.is_decimal)
    return types.is_null(kind) or any(check(kind) for check in is_kind)


def _is_floating_or_whole(kind):
    from pyarrow import types

    return types.is_floating(kind) or types.is_integer(kind)


def _is_text(kind):
    from pyarrow import types

    return types.is_string(kind) or types.is_large_string(kind)
