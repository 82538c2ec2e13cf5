"""Rows minus their center, as an operator: sparse rows are centred implicitly.

Also mean inner products of the columns over the samples of each class, and over all samples; and
how few columns go together inside the classes: products of residuals of unit length.
"""

from copy import copy
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, issparse

from .class_moments import class_moments
from .threads import column_blocks, map_blocks

_CONSTANT = 1e-12  # a spread inside the classes below this share of the values is rounding
_ENTRIES_PER_BLOCK = 2**20
_COLUMNS_OF_A_PRODUCT = 4096  # that one thread multiplies at once
_LARGEST_GRAMS = 2**24  # entries of the matrices of all classes together that are kept


def residuals(X, codes, means, weights=None, scale=None):
    """Rows of `X` minus the mean of their class, over a scale, times the root of their weight.

    A single row of `means` centres all data on their common mean. Rows with a negative code or
    without weight are left out.
    """
    weights = np.ones(X.shape[0]) if weights is None else weights
    scale = np.ones(X.shape[1]) if scale is None else scale
    counted = (codes >= 0) & (weights > 0)
    if not counted.all():
        X, codes, weights = X[counted], codes[counted], weights[counted]
    kind = _SparseResiduals if issparse(X) else _DenseResiduals
    return kind(X, codes, weights, means, scale)


def unit_residuals(X, codes, n_classes):
    """Columns minus their class means, of unit length; zero for one without spread in the classes.

    The product of two of them is their correlation inside the classes. They are made dense, so the
    columns should be few.
    """
    moments = class_moments(X, codes, n_classes)
    rows = X.toarray() if issparse(X) else np.asarray(X, dtype=float)
    found = rows - moments.means[codes]
    lengths = np.sqrt(np.einsum("ij,ij->j", found, found))
    sizes = np.abs(rows).max(axis=0, initial=0.0) * np.sqrt(codes.size)
    found[:, lengths <= _CONSTANT * sizes] = 0.0
    return found / np.where(lengths > 0.0, lengths, 1.0)


class _DenseResiduals:
    """Rows minus their class mean, divided by the scale, times the root of their weight."""

    largest_product = 5000  # rows of a product that still pays against iterating over the data
    vectors_at_once = 32  # reading the data takes the time

    def __init__(self, X, codes, weights, means, scale):
        self.codes = codes
        self.weights = weights
        self.total = weights.sum()
        is_same = not means.any() and (scale == 1.0).all() and (weights == 1.0).all()
        if is_same and X.dtype == float and X.flags.c_contiguous:
            self.rows = X  # is never written to
            return
        self.rows = means[codes] if len(means) > 1 else np.tile(means, (X.shape[0], 1))
        np.subtract(X, self.rows, out=self.rows)
        if (scale != 1.0).any():
            self.rows /= scale
        if (weights != 1.0).any():
            self.rows *= np.sqrt(weights)[:, None]

    def scatter(self):
        """Inner products of the features."""
        return self.rows.T @ self.rows

    def gram(self, n_jobs=None):
        """Inner products of the samples, a block of columns at a time in threads."""
        blocks = column_blocks(self.rows.shape[1], _COLUMNS_OF_A_PRODUCT)
        return sum(map_blocks(self._gram_of, blocks, n_jobs))

    def _gram_of(self, start, stop):
        part = self.rows[:, start:stop]
        return part @ part.T

    def weighted_gram(self, feature_weights):
        """Inner products of the samples in which each feature has a weight."""
        return (self.rows * feature_weights) @ self.rows.T

    def columns(self, chosen):
        """Residuals on some features, as a dense array."""
        return self.rows[:, chosen]

    def take_columns(self, chosen):
        """Residuals on some features."""
        part = copy(self)
        part.rows = self.rows.take(chosen, axis=1)
        return part

    def push(self, right):
        """Residuals times `right`."""
        return self.rows @ right

    def pull_back(self, left):
        """Residuals transposed times `left`."""
        return self.rows.T @ left

    def subtract_levels(self):
        """Subtract from every residual the mean of its entries."""
        self.rows = self.rows - self.rows.mean(axis=1, keepdims=True)
        return self

    def column_squares(self):
        """Sum of the squares of all residuals, feature by feature."""
        return np.einsum("ij,ij->j", self.rows, self.rows)

    def column_fourths(self):
        """Sum of the fourth powers of all residuals, feature by feature."""
        squares = self.rows**2
        return np.einsum("ij,ij->j", squares, squares / self.weights[:, None])

    def trace(self):
        """Sum of the squared lengths of all residuals."""
        return float(np.einsum("ij,ij->", self.rows, self.rows))

    def squared_lengths(self):
        """Squared length of each residual, without its weight."""
        return np.einsum("ij,ij->i", self.rows, self.rows) / self.weights


class _SparseResiduals:
    """The same for sparse rows, of which at most a block at a time is made dense."""

    largest_product = 1500
    vectors_at_once = 16  # a product takes as much longer as it has vectors

    def __init__(self, X, codes, weights, means, scale):
        rows = X.astype(float, copy=False)  # squares of small integers would overflow
        self.rows = rows.tocsr() if (scale == 1.0).all() else rows.multiply(1.0 / scale).tocsr()
        self.codes = codes
        self.members = csr_array(
            (np.ones(codes.size), (codes, np.arange(codes.size))), (len(means), codes.size)
        )
        self.means = means / scale
        self.weights = weights
        self.roots = np.sqrt(weights)
        self.total = weights.sum()

    def scatter(self):
        return sum((block.T * weights) @ block for block, weights in self._centred_blocks())

    def gram(self, n_jobs=None):
        """Inner products of the samples, from sparse products and corrections for the means."""
        gram = self.weighted_gram(1.0)
        # Rounding of large means would look like a direction: within a class, weighted residuals
        # sum to zero, and so must the products.
        units = self.members.multiply(self.roots).tocsr()
        lengths = np.sqrt(units.multiply(units).sum(axis=1))
        units = units.multiply(1.0 / np.where(lengths > 0, lengths, 1.0)[:, None]).tocsr()
        gram -= units.T @ (units @ gram)
        gram -= (units.T @ (units @ gram.T)).T
        return gram

    def weighted_gram(self, feature_weights):
        weighted = self.rows.multiply(feature_weights).tocsr()
        weighted_means = self.means * feature_weights
        inner = (weighted @ self.rows.T).toarray()
        crossed = (self.rows @ weighted_means.T)[:, self.codes]
        between = (weighted_means @ self.means.T)[np.ix_(self.codes, self.codes)]
        return (inner - crossed - crossed.T + between) * np.outer(self.roots, self.roots)

    def columns(self, chosen):
        centred = self.rows[:, chosen].toarray() - self.means[:, chosen][self.codes]
        return centred * self.roots[:, None]

    def take_columns(self, chosen):
        part = copy(self)
        part.rows, part.means = self.rows[:, chosen], self.means[:, chosen]
        return part

    def push(self, right):
        return (self.rows @ right - (self.means @ right)[self.codes]) * self.roots[:, None]

    def pull_back(self, left):
        weighted = left * self.roots[:, None]
        return self.rows.T @ weighted - self.means.T @ (self.members @ weighted)

    def subtract_levels(self):
        """Return the residuals as they are: sparse rows are mostly zero, and stay so."""
        return self

    def column_squares(self):
        return self._column_powers(2)

    def column_fourths(self):
        return self._column_powers(4)

    def _column_powers(self, power):
        """Sum of a power of all residuals, feature by feature: of stored entries, and zeros."""
        n_stored = np.diff(self.rows.indptr)
        codes, weights = np.repeat(self.codes, n_stored), np.repeat(self.weights, n_stored)
        deviations = self.rows.data - self.means[codes, self.rows.indices]
        powers = weights * deviations**power
        stored = np.bincount(self.rows.indices, powers, self.rows.shape[1])
        pattern = csr_array((weights, self.rows.indices, self.rows.indptr), self.rows.shape)
        zeros = (self.members @ self.weights)[:, None] - (self.members @ pattern).toarray()
        return stored + (zeros * self.means**power).sum(axis=0)

    def trace(self):
        return float(self.column_squares().sum())

    def squared_lengths(self):
        blocks = self._centred_blocks()
        return np.concatenate([np.einsum("ij,ij->i", block, block) for block, _ in blocks])

    def _centred_blocks(self):
        height = max(1, _ENTRIES_PER_BLOCK // self.rows.shape[1])
        for start in range(0, self.rows.shape[0], height):
            rows = slice(start, start + height)
            yield self.rows[rows].toarray() - self.means[self.codes[rows]], self.weights[rows]


def column_products(X, codes, counts, origin, weights=None, scale=None, *, is_mean=True):
    """Prepare products of the columns of ``(X - origin) / scale`` with sums of columns, by class.

    They are means over the samples of a class, and over all; or else sums, over the weight of all.

    Columns are looked at relative to the mean of all columns, sample by sample, which makes no
    difference between them and saves digits; sparse rows, mostly zero, are left as they are. No
    class has a weight, `counts`, of zero; a negative code leaves a row out.
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
    divisors = np.append(counts, counts.sum())
    divisors = divisors if is_mean else np.full_like(divisors, divisors[-1])
    return kind(parts, divisors)


class _GramProducts:
    """Products from matrices of all columns with all; for many samples of few features.

    `squares` are mean squares of each column over the samples of each class, and last over all;
    `shape` is that of what is multiplied.
    """

    def __init__(self, parts, divisors):
        self.shape = parts[0].rows.shape[1], parts[0].rows.shape[1]
        grams = np.array([part.scatter() for part in parts])
        everything = grams.sum(axis=0) / divisors[-1]
        grams /= divisors[:-1, None, None]
        self._grams = [*grams, everything]
        self.squares = np.array([gram.diagonal() for gram in self._grams])

    def multiply(self, c, members):
        """Mean products of each column with sums of columns over class `c`, or all if it is -1.

        `members` (n_features, n_sums) is 1.0 where a column belongs to a sum.
        """
        return self._grams[c] @ members

    @property
    def gram(self):
        """Mean products of all columns over all samples."""
        return self._grams[-1]


class _RowProducts:
    """The same from the rows themselves; for many features."""

    def __init__(self, parts, divisors):
        self.shape = sum(part.codes.size for part in parts), parts[0].rows.shape[1]
        self._parts = parts
        self._divisors = divisors
        squares = np.array([part.column_squares() for part in parts])
        self.squares = np.vstack([squares, squares.sum(axis=0)]) / divisors[:, None]

    def multiply(self, c, members):
        """As above."""
        if c >= 0:
            part = self._parts[c]
            return part.pull_back(part.push(members)) / self._divisors[c]
        products = sum(part.pull_back(part.push(members)) for part in self._parts)
        return products / self._divisors[-1]

    @cached_property
    def gram(self):
        """As above; made when first asked for."""
        return sum(part.scatter() for part in self._parts) / self._divisors[-1]
