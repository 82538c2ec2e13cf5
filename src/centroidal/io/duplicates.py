"""Features of the same name, such as genes that several probes measure, made one."""

import numpy as np
from scipy import sparse

from ..streaming.request import count_noun, list_values

__all__ = ["COLLAPSES", "collapse_features"]

COLLAPSES = ("mean", "max", "sum", "first")


def collapse_features(X, names, how):
    """Make one column of all that have the same name, at the place of the first of them.

    Returns the columns, their names, and remarks. A value that is missing in one of several columns
    is missing in what is made of them, unless only the first counts.
    """
    unique = list(dict.fromkeys(names))
    if len(unique) == len(names):
        return X, names, []
    where = {name: place for place, name in enumerate(unique)}
    places = np.array([where[name] for name in names])
    copies = np.bincount(places)
    repeated = [name for name, number in zip(unique, copies.tolist(), strict=True) if number > 1]
    remark = (
        f"{count_noun(len(repeated), 'name occurs', 'names occur')} more than once, in "
        f"{copies[copies > 1].sum()} features; of each the "
        f"{'first one is' if how == 'first' else f'{how} is'} taken: "
        f"{list_values(repeated, quoted=True)}."
    )
    return _collapse(X, places, copies, how), unique, [remark]


def _collapse(X, places, copies, how):
    if how == "first":
        return X[:, np.unique(places, return_index=True)[1]]
    if how == "max":
        return (_largest_sparse if sparse.issparse(X) else _largest)(X, places, copies)
    weights = 1.0 / copies[places] if how == "mean" else np.ones(places.size)
    entries = (weights.astype(X.dtype), (np.arange(places.size), places))
    return X @ sparse.csr_array(entries, shape=(places.size, copies.size))


def _largest(X, places, copies):
    order = np.argsort(places, kind="stable")
    return np.maximum.reduceat(X[:, order], np.cumsum(copies) - copies, axis=1)


def _largest_sparse(X, places, copies):
    """Return the same of stored values, beside which there are zeros where one is not stored."""
    cells = X.tocoo()
    rows, columns = cells.row.astype(np.int64), places[cells.col]
    order = np.lexsort((columns, rows))
    keys = rows[order] * copies.size + columns[order]
    keys, starts, n_stored = np.unique(keys, return_index=True, return_counts=True)
    if not keys.size:
        return sparse.csr_array((X.shape[0], copies.size), dtype=X.dtype)
    values = np.maximum.reduceat(cells.data[order], starts)
    rows, columns = np.divmod(keys, copies.size)
    values = np.where(n_stored < copies[columns], np.maximum(values, 0), values)
    return sparse.csr_array((values, (rows, columns)), shape=(X.shape[0], copies.size))
