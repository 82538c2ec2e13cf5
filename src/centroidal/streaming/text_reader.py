"""Batches of a table of text: chunks of whole lines, each read by the rules of `read_table`."""

import gzip
from collections import Counter
from hashlib import sha256

import numpy as np

from .labels import MISSING, check_n_labels, group_names, labels_from_text
from .pieces import FileFacts, Fingerprint, Piece
from .request import clean_errors, list_values, quote
from .text import (
    ColumnKinds,
    cell_text,
    check_utf8,
    find_roles,
    parse_rows,
    plain_text,
    split_header,
    without_simple_quotes,
)

_CHUNK_BYTES = 2**24


class TextReader:
    """A file of text, which is read from its beginning each time.

    What a label is, a number or a name, depends on all labels, so that these are read first.

    Parameters
    ----------
    path : Path
        The file.
    suffix : str
        Its suffix, with that of compression.
    request : Request
        What was asked for.
    """

    has_names = True
    n_stored = None

    def __init__(self, path, suffix, request):
        self._path, self._suffix, self._request = path, suffix, request
        head = next(self._chunks(), b"")
        if not head.strip():
            raise ValueError(f"{request.name} is empty.")
        lines = self._split_header(head)
        self._head = lines._replace(body=b"")
        self._roles = find_roles(lines, request)
        self.feature_names = [lines.header[j] for j in self._roles.features]
        self.row_bytes = 8 * len(self.feature_names)
        self.n_samples = None
        self._label_of = None

    @property
    def fingerprint(self):
        """What the source is known by."""
        digest = sha256(repr((self.feature_names, self._head.header)).encode()).hexdigest()
        return Fingerprint("text", [FileFacts.of(self._path)], digest)

    def labels(self):
        """Yield the labels, once all of them were seen, and how often each occurs."""
        self.learn_labels()
        yield self._request.name, np.array(list(self._label_of.values())), np.array(self._n_of)

    def learn_labels(self):
        """Read the column of labels, unless that was done, and count the rows."""
        if self._label_of is not None:
            return
        n_rows, cells, missing = 0, Counter(), []
        for lines in self._bodies():
            found = self._target_cells(lines)
            missing += [n_rows + i + 1 for i, cell in enumerate(found) if cell in MISSING]
            cells.update(found)
            n_rows += len(found)
            check_n_labels(len(cells), self._request.target, self._request.name)
        name, target = self._request.name, quote(self._request.target)
        if n_rows == 0:
            raise ValueError(f"{name} has a header and no rows below it.")
        if missing:
            raise ValueError(
                f"{name}: {len(missing)} of {n_rows} samples have no label in {target} (sample "
                f"{list_values(missing)}). Fill them in or take these samples out."
            )
        self._label_of = dict(zip(cells, labels_from_text(list(cells)).tolist(), strict=True))
        self.n_samples, self._n_of = n_rows, list(cells.values())

    def pieces(self, first_row, n_rows, columns):
        """Yield the rows from `first_row` on; those before it are only counted."""
        self.learn_labels()
        roles = self._roles._replace(features=self._roles.features[columns])
        kinds = ColumnKinds([self._head.header[j] for j in roles.features], self._request)
        for lines in self._bodies():
            n_here = len(self._target_cells(lines)) if first_row > 0 else 0
            if 0 < n_here <= first_row:
                first_row -= n_here
                continue
            piece = self._piece(lines, roles, kinds)
            yield piece.rows(first_row, piece.n_rows)
            first_row = 0

    # -------------------------------------------------------------- from bytes to lines

    def _chunks(self):
        """Yield bytes that end where a line does, outside of quotes."""
        open_file = gzip.open if self._suffix.endswith(".gz") else open
        with open_file(self._path, "rb") as stream:
            rest, is_first, n_stored = b"", True, self._path.stat().st_size
            while chunk := self._read(stream):
                rest += chunk
                self._request.check_size(len(rest), n_stored, "a line that does not end")
                end = _last_line_end(rest)
                # The header and the first row must be in one chunk.
                if end > 0 and not (is_first and len(rest[:end].strip().splitlines()) < 2):
                    yield rest[:end]
                    rest, is_first = rest[end:], False
            if rest:
                yield rest

    def _read(self, stream):
        kind = "a gzip file" if self._suffix.endswith(".gz") else "text"
        with clean_errors(self._request.name, kind):
            return stream.read(_CHUNK_BYTES)

    def _split_header(self, head):
        return split_header(self._plain(head), self._request, self._suffix)[0]

    def _plain(self, head):
        return plain_text(head, self._request, self._suffix.removesuffix(".gz"))

    def _bodies(self):
        """Yield the lines below the header, in chunks."""
        name = self._request.name
        chunks = self._chunks()
        first = next(chunks)
        lines = self._split_header(first)
        if lines.body.strip():
            yield lines
        number = len(first.splitlines()) + 1
        for chunk in chunks:
            check_utf8(chunk, name, number)
            body = chunk
            if b'"' in chunk:
                body = without_simple_quotes(chunk, self._head.separator)
            if body.strip():
                yield self._head._replace(body=body, first_line=number, is_quoted=b'"' in body)
            number += len(chunk.splitlines())

    # -------------------------------------------------------------- from lines to rows

    def _target_cells(self, lines):
        at = self._roles.target
        return [cell_text(row[at].decode()) for _, row in lines.rows(self._request.name)]

    def _piece(self, lines, roles, kinds):
        rows = parse_rows(lines, roles, self._request)
        kinds.add(rows)
        ids = rows.texts.get(roles.ids)
        ids = None if ids is None else np.array(ids, dtype=object)
        y, request = self._labels(rows.texts[roles.target]), self._request
        groups = None
        if request.groups is not None:
            cells = rows.texts[self._head.header.index(request.groups)]
            values = [None if cell in MISSING else cell for cell in cells]
            groups = group_names(values, request.groups, request.name)
        return Piece(rows.X, y, ids, request.name, groups)

    def _labels(self, cells):
        try:
            return np.array([self._label_of[cell] for cell in cells])
        except KeyError as error:
            raise ValueError(
                f"{self._request.name} has changed since its labels were read: {error} was none."
            ) from None


def _last_line_end(data):
    """Return where the last whole line ends, outside of quotes; 0 if there is none."""
    end = data.rfind(b"\n") + 1
    if end == 0:  # lines may end in a carriage return alone, but one at the end may be half of two
        end = data.rfind(b"\r", 0, len(data) - 1) + 1
    is_open = data.count(b'"', 0, end) % 2 == 1
    while is_open and end > 0:
        before = data.rfind(b"\n", 0, end - 1) + 1
        is_open = (data.count(b'"', before, end) % 2 == 1) != is_open
        end = before
    return end
