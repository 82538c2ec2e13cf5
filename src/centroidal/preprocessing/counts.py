"""Counts of molecules: what each cell has in all is a matter of the instrument."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse

from .._typing import ArrayLike

__all__ = ["normalise_total"]


def normalise_total(X: ArrayLike, target_sum: float = 1e4) -> Any:
    """Scale each row to the same total, so that library size (sequencing depth) does not count.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Counts, such as of molecules of each gene in each cell. All features belong to the total,
        so that they must all be there.
    target_sum : float, default=1e4
        The total of each row, as ``scanpy.pp.normalize_total`` calls it.

    Returns
    -------
    ndarray or csr_array of shape (n_samples, n_features)
        The same, each row by itself; sparse rows stay sparse, single precision stays single.

    Raises
    ------
    ValueError
        If a value is negative.

    Warns
    -----
    UserWarning
        If a row has a total of 0, and stays zero; if values are no whole numbers, which were
        perhaps normalised or logged before.

    Examples
    --------
    >>> from centroidal.preprocessing import normalise_total
    >>> normalise_total([[1, 3], [20, 20]], target_sum=100).tolist()
    [[25.0, 75.0], [50.0, 50.0]]
    """
    X = X.tocsr() if issparse(X) else np.asarray(X)
    values = X.data if issparse(X) else X
    _check_counts(values)
    totals = X @ np.ones(X.shape[1])
    if not totals.all():
        warnings.warn("Rows without any count stay zero.", stacklevel=2)
    scales = np.divide(target_sum, totals, out=np.zeros_like(totals), where=totals > 0)
    scales = scales.astype(np.result_type(values.dtype, np.float32))
    if not issparse(X):
        return X * scales[:, None]
    data = values * np.repeat(scales, np.diff(X.indptr))
    return type(X)((data, X.indices, X.indptr), shape=X.shape)


def _check_counts(values):
    if values.size == 0:
        return
    least = values.min()
    if least < 0:
        raise ValueError(f"normalise is for counts, and X holds {least.item():g}.")
    if values.dtype.kind == "f" and (values != np.rint(values)).any():
        warnings.warn(
            "normalise is for counts, and there are values that are no whole numbers: were they "
            "normalised or logged before? A layer with counts is named by layer (--layer).",
            stacklevel=3,
        )
