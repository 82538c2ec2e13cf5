"""Batches of Parquet files: only footers are read beforehand, and only columns that are needed."""

from bisect import bisect_right
from functools import cached_property, partial
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import unquote

from .._optional import require
from .arrow_rows import ArrowRows, label_counts
from .labels import labels_from_text
from .pieces import FileFacts, Fingerprint, take_names
from .remote import RemoteFile
from .request import clean_errors, list_differences

_BUFFER_BYTES, _LEAST_BUFFER, _LARGEST_BUFFER = 2**24, 2**12, 2**20  # of all columns
_BYTES_PER_COLUMN, _LEAST_READ, _LARGEST_READ = 2**15, 2**23, 2**25  # small row groups
# Decoded whole, not in parts: then each column would keep a dictionary and a page or two.
_WHOLE_GROUP, _WHOLE_COLUMN = 2**26, 3 * 2**19
_KIND = "a Parquet file"
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_N_LOOKED_AT = 1000
_LABELS_AT_A_TIME = 2**16


class ParquetReader(ArrowRows):
    """Parquet files with the same columns, one after the other; messages name their folder.

    Of each file, `places` may say in which folders below that one it lies, as ``key=value``, which
    are columns with one value in all rows of the file (Hive partitions).
    """

    kind = _KIND

    def __init__(self, paths, folder, request, places=None):
        super().__init__(request)
        self._parquet = require("pyarrow.parquet", "io", "Reading Parquet")
        self._paths = paths
        places = [()] * len(paths) if places is None else places
        self._names = [
            path.name if folder is None else "/".join([folder, *place, path.name])
            for path, place in zip(paths, places, strict=True)
        ]
        self._constants = self._find_constants(places)
        self._first, schema = self._footer(paths[0], self._names[0])
        self._find_columns(schema, request._replace(name=self._names[0]), self._first_rows)

    @property
    def fingerprint(self):
        """What the source is known by."""
        if isinstance(self._paths[0], RemoteFile):
            raise ValueError(f"{self._request.name}: a checkpoint is for files of this machine.")
        files = [
            FileFacts.of(file.path, _below_folder(file.name), file.n_rows) for file in self._files
        ]
        return Fingerprint("Parquet", files, self._digest_columns())

    @property
    def n_samples(self):
        """Number of rows."""
        return sum(file.n_rows for file in self._files)

    @property
    def row_starts(self):
        """First row of each row group: from there on rows are read without others before them."""
        heights = [height for file in self._files for height in file.heights if height]
        return [0, *accumulate(heights[:-1])]

    def pieces(self, first_row, n_rows, columns):
        """Yield the rows from `first_row` on; whole files and row groups before it are skipped."""
        features = take_names(self.feature_names, columns)
        names = [*features, *self._special]
        return self._rows(first_row, n_rows, names, partial(self._pieces_of, features))

    def labels(self):
        """Yield the labels alone, and how often each occurs if that is known."""

        def count(name, batch):
            yield name, *label_counts(batch.column(0))

        return self._rows(0, _LABELS_AT_A_TIME, [self._request.target], count)

    # -------------------------------------------------------------- before any work

    @cached_property
    def _files(self):
        """What is known of each file, all of which have the columns of the first one."""
        later = map(self._later_file, self._paths[1:], self._names[1:])
        return [self._first, *later]

    def _later_file(self, path, name):
        file, schema = self._footer(path, name)
        _check_schema(self._schema, schema, self._first.name, name)
        return file

    def _footer(self, path, name):
        with clean_errors(name, _KIND), self._open(path) as stored:
            file = _File(path, name, stored.metadata.num_rows, _heights(stored.metadata))
            # Not the schema of its metadata, which refers to it and so keeps it in memory.
            schema = stored.schema_arrow
            for key, value in self._constants.get(name, {}).items():
                schema = schema.append(self._pyarrow.field(key, value.type))
            return file, schema

    def _find_constants(self, places):
        """Return the values of each file that the names of its folders say."""
        if not any(places):
            return {}
        pairs = [dict(each.split("=", 1) for each in place) for place in places]
        for name, pair in zip(self._names, pairs, strict=True):
            if list(pair) != list(pairs[0]):
                raise ValueError(
                    f"{name} lies in other folders than {self._names[0]}; all files must lie in "
                    f"folders for {', '.join(pairs[0]) or 'nothing'}."
                )
            if _NO_VALUE in pair.values():
                raise ValueError(f"{name}: {_NO_VALUE} says that a value is missing.")
        columns = {
            key: labels_from_text([unquote(pair[key]) for pair in pairs]).tolist()
            for key in pairs[0]
        }
        return {
            name: {key: self._pyarrow.scalar(values[i]) for key, values in columns.items()}
            for i, name in enumerate(self._names)
        }

    def _add_constants(self, file_name, names, batch):
        """Return a record batch with all columns that are named, those of folders included."""
        constants = self._constants.get(file_name, {})
        columns = [
            self._pyarrow.repeat(constants[name], batch.num_rows)
            if name in constants
            else batch.column(name)
            for name in names
        ]
        return self._pyarrow.RecordBatch.from_arrays(columns, names=names)

    def _stored(self, file_name, names):
        """Return which of the columns are in the file itself, at least one."""
        constants = self._constants.get(file_name, {})
        own = [name for name in names if name not in constants]
        return own or [name for name in self._schema.names if name not in constants][:1]

    def _open(self, path, n_columns=1, encoded=()):
        """Open a file; columns of texts that are named are read as places in a dictionary."""
        buffer = min(max(_BUFFER_BYTES // n_columns, _LEAST_BUFFER), _LARGEST_BUFFER)
        path, system = path.opened_by if isinstance(path, RemoteFile) else (path, None)
        return self._parquet.ParquetFile(
            path,
            filesystem=system,
            buffer_size=buffer,
            pre_buffer=False,  # which would hold a whole row group, as it is stored, in memory
            page_checksum_verification=True,
            read_dictionary=encoded,
        )

    def _first_rows(self, names):
        first = self._names[0]
        with self._open(self._paths[0]) as stored:
            own = self._stored(first, names)
            found = next(stored.iter_batches(_N_LOOKED_AT, columns=own), None)
        return None if found is None else self._add_constants(first, names, found)

    # -------------------------------------------------------------- the rows

    def _rows(self, first_row, n_rows, names, convert):
        """Yield what `convert(file_name, record_batch)` makes of some columns, from a row on."""
        for file in self._files:
            if first_row < file.n_rows:
                yield from self._file_rows(file, first_row, n_rows, names, convert)
            first_row = max(0, first_row - file.n_rows)

    def _file_rows(self, file, first_row, n_rows, names, convert):
        own = self._stored(file.name, names)
        with clean_errors(file.name, _KIND):
            encoded = [name for name in self._text_target if name in own]
            stored = self._open(file.path, len(own), encoded=encoded)
        with stored:
            heights = _heights(stored.metadata)
            if sum(heights) != file.n_rows:
                raise ValueError(f"{file.name} has changed since its footer was read.")
            first_group = bisect_right([*accumulate(heights)], first_row)
            first_row -= sum(heights[:first_group])
            for groups in self._groups_to_read(heights, first_group, len(own)):
                height = sum(heights[group] for group in groups)
                found = self._group_batches(stored, height, groups, n_rows, own)
                if self._constants:
                    found = map(partial(self._add_constants, file.name, names), found)
                yield from _from_row(first_row, height, found, file.name, convert)
                first_row = 0

    def _groups_to_read(self, heights, first, n_columns):
        """Put small neighbouring row groups together: each read costs something for each column.

        Without it a fit to 2000 columns takes 1.6 times as long.
        """
        n_bytes = min(max(_BYTES_PER_COLUMN * n_columns, _LEAST_READ), _LARGEST_READ)
        most = n_bytes // (self._dtype.itemsize * n_columns)
        groups, n_rows = [], 0
        for group, height in enumerate(heights[first:], first):
            if groups and n_rows + height > most:
                yield groups
                groups, n_rows = [], 0
            groups.append(group)
            n_rows += height
        yield groups

    def _group_batches(self, stored, height, groups, n_rows, names):
        most = max(_WHOLE_GROUP, _WHOLE_COLUMN * len(names))
        if height * len(names) * self._dtype.itemsize > most:
            n_rows = -(-height // -(-height // n_rows))  # in parts of a size, none of a few rows
            for batch in stored.iter_batches(n_rows, row_groups=groups, columns=names):
                yield batch.select(names)
        else:
            yield from stored.read_row_groups(groups, columns=names).select(names).to_batches()


def _from_row(first_row, height, batches, name, convert):
    """Yield what is made of the rows from one on; there must be `height` rows in all."""
    n_seen = 0
    while n_seen < height:
        with clean_errors(name, _KIND):
            batch = next(batches)
        n_before = min(max(0, first_row - n_seen), batch.num_rows)
        n_seen += batch.num_rows
        if n_before < batch.num_rows:
            yield from convert(name, batch.slice(n_before))
        del batch  # before the next one is decoded, so that there is memory for one only


class _File(NamedTuple):
    path: object
    name: str
    n_rows: int
    heights: list  # of the row groups


def _below_folder(name):
    return name.partition("/")[2] or name


def _heights(meta):
    """Return the rows of each row group."""
    return [meta.row_group(group).num_rows for group in range(meta.num_row_groups)]


def _check_schema(expected, found, first_name, name):
    """Raise unless a file has the columns of the first one, in any order."""
    if found.equals(expected):
        return
    wanted = dict(zip(expected.names, expected.types, strict=True))
    there = dict(zip(found.names, found.types, strict=True))
    if wanted == there and len(expected.names) == len(found.names):
        return
    changed = [
        f"{column!r} ({there[column]}, not {wanted[column]})"
        for column in wanted
        if column in there and there[column] != wanted[column]
    ]
    repeated = sorted({column for column in found.names if found.names.count(column) > 1})
    differences = list_differences(
        ("missing", [column for column in wanted if column not in there], True),
        ("extra", [column for column in there if column not in wanted], True),
        ("of another type", changed, False),
        ("repeated", repeated, True),
    )
    raise ValueError(
        f"{name} has other columns than {first_name}; {'; '.join(differences)}. All files of a "
        "folder must have the same columns."
    )
