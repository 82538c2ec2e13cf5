"""Several tables of the same samples, whose features are put side by side, joined by sample id."""

from collections import Counter
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..streaming.request import RawTable, Request, count_noun, is_absent, list_values
from .sheets import advise_ids


class JoinedTable(NamedTuple):
    """A table that is to stand beside the first one, and what was asked of it."""

    request: Request
    found: RawTable
    digest: str | None

    @property
    def description(self):
        """What is worth keeping of the table beside the values."""
        return {
            "source": self.request.name,
            "digest": self.digest,
            "n_features": len(self.found.feature_names),
        }


def read_without(read, request, may_lack):
    """Read what leaves out names, some of which may not be there; return it and those that are not.

    `read` takes a request. What is wrong with a header is known before the values are read.
    """
    absent = {}
    while True:
        drop = tuple(name for name in request.drop if name not in absent)
        try:
            return read(request._replace(drop=drop)), absent
        except ValueError as error:
            missing = [each for each in drop if each in may_lack and is_absent(each, error)]
            if not missing:
                raise
            absent |= dict.fromkeys(missing, error)


def join_tables(found, request, tables, allow_unmatched):
    """Put the features of tables beside those of the first one, in the order of its samples."""
    _check_ids(found, request)
    for table in tables:
        _check_ids(table.found, table.request)
        found = _join(found, request, table, allow_unmatched)
    together = " and ".join([request.name, *(table.request.name for table in tables)])
    request._replace(name=together).refuse_repeated(found.feature_names)
    return found


def _check_ids(found, request):
    if found.ids is None:
        raise ValueError(
            f"{request.name} has no sample ids, by which tables are joined; {advise_ids(request)}."
        )


def _join(found, request, table, allow_unmatched):
    other, name = table.found, table.request.name
    repeated = [each for each, count in Counter(other.ids).items() if count > 1]
    if repeated:
        raise ValueError(
            f"{name}: {count_noun(len(repeated), 'id occurs', 'ids occur')} more than once: "
            f"{list_values(repeated, quoted=True)}. A table that is joined has one row for each "
            "sample."
        )
    row_of = {each: row for row, each in enumerate(other.ids)}
    remarks = _on_unmatched(found.ids, row_of, request, table, allow_unmatched)
    kept = [i for i, each in enumerate(found.ids) if each in row_of]
    found = found.take(kept)
    return found._replace(
        X=_side_by_side(found.X, other.X[[row_of[each] for each in found.ids]]),
        feature_names=[*found.feature_names, *other.feature_names],
        remarks=(*found.remarks, *other.remarks, *remarks),
    )


def _side_by_side(first, second):
    if sparse.issparse(first) or sparse.issparse(second):
        return sparse.csr_array(sparse.hstack([first, second], format="csr"))
    return np.hstack([first, second])


def _on_unmatched(ids, row_of, request, table, allow_unmatched):
    """Return a remark on samples that are in one of two tables only, or refuse them."""
    there = set(ids)
    only = {
        request.name: [each for each in ids if each not in row_of],
        table.request.name: [each for each in row_of if each not in there],
    }
    (first, lacking), (second, _) = only.items()
    if len(lacking) == len(ids):
        raise ValueError(
            f"No sample of {first} ({list_values(lacking, quoted=True)}) is in {second} "
            f"({list_values(list(row_of), quoted=True)}). The column of ids is named with ids "
            "(--id COLUMN), the same in both."
        )
    remarks = [
        f"{count_noun(len(samples), 'sample is', 'samples are')} in {name} only: "
        f"{list_values(samples, quoted=True)}"
        for name, samples in only.items()
        if samples
    ]
    if remarks and not allow_unmatched:
        raise ValueError(
            f"{'. '.join(remarks)}. Correct the ids, or go on without them with "
            "allow_unmatched=True (--allow-unmatched)."
        )
    return [f"{remark}; left out." for remark in remarks]
