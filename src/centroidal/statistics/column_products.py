"""Mean inner products of the columns over the samples of each class, and over all samples."""

from functools import cached_property

import numpy as np

from .residuals import residuals

__all__ = ["column_products"]

_LARGEST_GRAMS = 2**24  # entries of the matrices of all classes together that are kept


def column_products(X, codes, counts, origin, weights=None, scale=None):
    """Prepare products of the columns of `X` with sums of columns.

    Columns are looked at relative to the mean of all columns, sample by sample, which makes no
    difference between them and saves digits; sparse rows, mostly zero, are left as they are.

    Parameters
    ----------
    X : ndarray or CSR/CSC of shape (n_samples, n_features)
        Samples.
    codes : ndarray of int32
        Class 0 ... n_classes - 1 of each row; a negative code leaves the row out.
    counts : ndarray of shape (n_classes,)
        Weight of each class; not zero.
    origin : ndarray of shape (n_features,)
        What is subtracted from each row.
    weights : ndarray of float64, optional
        Weight of each row.
    scale : ndarray of shape (n_features,), optional
        What each feature is divided by.
    """
    parts = []
    for c in range(counts.size):
        rows = np.flatnonzero(codes == c)
        zeros = np.zeros(rows.size, dtype=np.int32)
        of_rows = None if weights is None else weights[rows]
        parts.append(residuals(X[rows], zeros, origin[None], of_rows, scale).subtract_levels())
    n_samples = sum(part.codes.size for part in parts)
    n_features = origin.size
    fits = (counts.size + 1) * n_features**2 <= _LARGEST_GRAMS
    kind = _GramProducts if 2 * n_features <= n_samples and fits else _RowProducts
    return kind(parts, counts)


class _GramProducts:
    """Products from matrices of all columns with all; for many samples of few features.

    Attributes
    ----------
    squares : ndarray of shape (n_classes + 1, n_features)
        Mean squares of each column over the samples of each class, and in the last row over all.
    """

    def __init__(self, parts, counts):
        grams = np.array([part.scatter() for part in parts])
        everything = grams.sum(axis=0) / counts.sum()
        grams /= counts[:, None, None]
        self._grams = [*grams, everything]
        self.squares = np.array([gram.diagonal() for gram in self._grams])

    def multiply(self, c, members):
        """Mean products of each column with sums of columns over class `c`, or -1 for all.

        Parameters
        ----------
        c : int
            Class, or -1 for all samples.
        members : ndarray of shape (n_features, n_sums)
            1.0 where a column belongs to a sum.
        """
        return self._grams[c] @ members

    @property
    def gram(self):
        """Mean products of all columns over all samples."""
        return self._grams[-1]


class _RowProducts:
    """The same from the rows themselves; for many features."""

    def __init__(self, parts, counts):
        self._parts = parts
        self._counts = counts
        squares = np.array([part.column_squares() for part in parts])
        everything = squares.sum(axis=0) / counts.sum()
        self.squares = np.vstack([squares / counts[:, None], everything])

    def multiply(self, c, members):
        """As above."""
        if c >= 0:
            part = self._parts[c]
            return part.pull_back(part.push(members)) / self._counts[c]
        products = sum(part.pull_back(part.push(members)) for part in self._parts)
        return products / self._counts.sum()

    @cached_property
    def gram(self):
        """As above; made when first asked for."""
        return sum(part.scatter() for part in self._parts) / self._counts.sum()
