"""Eigenpairs of a scatter matrix from the smaller side; never m x m when m > n."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from .leading_eigenpairs import leading_eigenpairs, orthonormalise

__all__ = [
    "Spectrum",
    "is_direct",
    "iterated_spectrum",
    "matrix_spectrum",
    "merged_spectrum",
    "spectrum",
    "split_columns",
]

_ALL_AT_ONCE = 512  # up to it, all pairs take no longer than some of them, and other threads go on
_DIRECT_SIZE = 1500  # below it, a direct decomposition takes less than many products
_SHARE_OF_SIZE = 8  # above this share of all pairs, iterations are slower than all at once
_LEFT_OVER = 1e-8  # share of the trace that rounding may leave
_SQUARABLE = 1e-5  # share of the largest squared singular value that squaring leaves ten digits
_WIDTH = 32  # of a block of vectors that a dense matrix is multiplied with


class Spectrum(NamedTuple):
    """A scatter matrix ``vectors * values @ vectors.T`` plus what was cut off.

    Attributes
    ----------
    values : ndarray of shape (rank,)
        Largest eigenvalues, decreasing: squared singular values of the centred data.
    vectors : ndarray of shape (n_features, rank)
        Their orthonormal eigenvectors.
    trace : float
        Sum of all eigenvalues, with those that were cut off.
    """

    values: np.ndarray
    vectors: np.ndarray
    trace: float

    @classmethod
    def empty(cls, n_features):
        """Return the spectrum of no data."""
        return cls(np.zeros(0), np.zeros((n_features, 0)), 0.0)

    @property
    def is_cut(self):
        """Whether directions are missing that have more than rounding."""
        return self.trace - self.values.sum() > _LEFT_OVER * self.trace

    def leading(self, n_pairs):
        """Return the same with only the largest pairs."""
        return Spectrum(self.values[:n_pairs], self.vectors[:, :n_pairs], self.trace)


def spectrum(rows, n_pairs=None, n_spare=0):
    """Decompose the scatter of residuals; all of it, or the `n_pairs` largest pairs.

    So many spare pairs are added where a direct decomposition makes them cheap.

    Time is O(n m min(n, m)) for all pairs and O(n m n_pairs) for few, memory the vectors asked for
    and the smaller of the two products, or twice the vectors where few are asked for of many.
    """
    n_samples, n_features = rows.rows.shape
    side = min(n_samples, n_features)
    if n_pairs is not None and side > max(rows.largest_product, _SHARE_OF_SIZE * n_pairs):
        return _spectrum_by_products(rows, n_pairs)
    product = rows.scatter() if n_features <= n_samples else rows.gram()
    if n_pairs is not None and is_direct(side, n_pairs):
        n_pairs += n_spare
    found = matrix_spectrum(product, n_pairs, max(n_samples, n_features))
    return found if n_features <= n_samples else _pull_back(rows, found)


def is_direct(size, n_pairs):
    """Whether a matrix of `size` rows is decomposed at once, and not by many products with it."""
    return n_pairs is None or size <= max(_DIRECT_SIZE, _SHARE_OF_SIZE * n_pairs)


def matrix_spectrum(matrix, n_pairs=None, noise=None):
    """Decompose a symmetric matrix without negative eigenvalues, which is overwritten.

    Eigenvalues up to `noise` roundings of the largest are zero; by default one a row.
    """
    size = matrix.shape[0]
    trace = float(matrix.trace())
    if n_pairs is None or size <= max(_ALL_AT_ONCE, 3 * n_pairs - 1):
        values, vectors = np.linalg.eigh(matrix)
    elif not is_direct(size, n_pairs):
        values, vectors = leading_eigenpairs(matrix.__matmul__, size, n_pairs, width=_WIDTH)
        values, vectors = values[::-1], vectors[:, ::-1]
    else:
        largest = [size - n_pairs, size - 1]
        values, vectors = eigh(
            matrix, overwrite_a=True, check_finite=False, subset_by_index=largest
        )
    found = _without_rounding(
        Spectrum(values[::-1], vectors[:, ::-1], trace).leading(n_pairs), noise or size
    )
    # In a memory order that copies keep, so that they give the same to the last bit.
    return found._replace(vectors=np.ascontiguousarray(found.vectors))


def _spectrum_by_products(rows, n_pairs):
    n_samples, n_features = rows.rows.shape
    by_features = n_features <= n_samples

    def multiply(block):
        if by_features:
            return rows.pull_back(rows.push(block))
        return rows.push(rows.pull_back(block))

    side, noise = sorted(rows.rows.shape)
    found = iterated_spectrum(multiply, side, n_pairs, rows.vectors_at_once, rows.trace(), noise)
    return found if by_features else _pull_back(rows, found)


def iterated_spectrum(multiply, size, n_pairs, width, trace, noise):
    """Decompose a scatter that is only known by its products with `width` vectors at a time."""
    pairs = leading_eigenpairs(multiply, size, n_pairs, width=width)
    return _without_rounding(Spectrum(*pairs, trace), noise)


def _pull_back(rows, found):
    """Turn eigenvectors of the samples' products into those of the features'."""
    return found._replace(vectors=rows.pull_back(found.vectors) / np.sqrt(found.values))


def _without_rounding(found, noise):
    """Cut the eigenvalues that are zero up to so many roundings of the largest."""
    largest = max(found.values[0], 0.0) if found.values.size else 0.0
    rank = np.count_nonzero(found.values > largest * noise * np.finfo(float).eps)
    return found.leading(rank)


def merged_spectrum(old, columns, n_pairs=None):
    """Spectrum of a scatter to which the outer products of `columns` are added.

    Only directions that the old vectors do not span are orthogonalised, twice, so that they stay
    orthonormal over many updates; no right singular vectors are needed. Time is
    O(m (rank + n_columns)^2).
    """
    inside, fresh, triangle = split_columns(old.vectors, columns)
    rank, n_fresh = old.values.size, triangle.shape[0]
    small = np.zeros((rank + n_fresh, rank + columns.shape[1]))
    small[range(rank), range(rank)] = np.sqrt(old.values)
    small[:rank, rank:] = inside
    small[rank:, rank:] = triangle
    left, values = _left_pairs(small, n_pairs)
    longest = max(small.shape[1], columns.shape[0])
    # The parts come from squares: what these lost is rounding here too.
    kept = np.count_nonzero(values > values[0] * longest * np.finfo(float).eps)
    vectors = old.vectors @ left[:rank, :kept]
    vectors += fresh @ left[rank:, :kept]
    trace = old.trace + float((columns**2).sum())
    return Spectrum(values[:kept], vectors, trace)


def _left_pairs(matrix, n_pairs):
    """Left singular vectors and squared singular values, at most `n_pairs`, largest first."""
    if n_pairs is not None and n_pairs < matrix.shape[0]:
        values, left = np.linalg.eigh(matrix @ matrix.T)
        values, left = values[: -n_pairs - 1 : -1], left[:, : -n_pairs - 1 : -1]
        if values[-1] > _SQUARABLE * values[0]:
            return left, values
    # Squares would lose the small ones.
    left, singular, _ = np.linalg.svd(matrix, full_matrices=False)
    return left[:, :n_pairs], singular[:n_pairs] ** 2


def split_columns(vectors, columns):
    """Write columns as ``vectors @ inside + fresh @ triangle`` with an orthonormal `fresh`."""
    inside = vectors.T @ columns
    n_features, rank = vectors.shape
    if rank == n_features:  # what is outside is rounding
        return inside, np.zeros((n_features, 0)), np.zeros((0, columns.shape[1]))
    outside = columns - vectors @ inside
    correction = vectors.T @ outside
    outside -= vectors @ correction
    inside += correction
    return inside, *orthonormalise(outside)
