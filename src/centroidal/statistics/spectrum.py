"""Eigenpairs of a scatter matrix from the smaller side; never m x m when m > n.

Also of a symmetric operator that is only known by its products, and of the pooled covariance.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from .. import _state as state
from .residuals import residuals
from .sample_count import number_of_samples
from .threads import with_limited_blas

_ALL_AT_ONCE = 512  # up to it, all pairs take no longer than some of them, and other threads go on
_DIRECT_SIZE = 1500  # below it, a direct decomposition takes less than many products
_SHARE_OF_SIZE = 8  # above this share of all pairs, iterations are slower than all at once
_LEFT_OVER = 1e-8  # share of the trace that rounding may leave
_SQUARABLE = 1e-5  # share of the largest squared singular value that squaring leaves ten digits
_WIDTH = 32  # of a block of vectors that a dense matrix is multiplied with
# Everything here is NumPy's: SciPy has threads of its own, and taking turns lets both wait.
_MENDABLE = 0.1  # error of inner products that a second round removes
_ROWS_AT_ONCE = 4096
_MOST_ROUNDS = 6
_SEED = 0  # of the starting block: the same data give the same answer
_ROUNDING = 1e-12


class Spectrum(NamedTuple):
    """A scatter matrix ``vectors * values @ vectors.T`` plus what was cut off."""

    # (rank,): largest eigenvalues, decreasing: squared singular values of the centred data.
    values: np.ndarray
    vectors: np.ndarray  # (n_features, rank): their orthonormal eigenvectors
    trace: float  # sum of all eigenvalues, with those that were cut off

    _state = {
        "values": state.floats("kept", least=0.0),
        "vectors": state.floats("features", "kept"),
        "trace": state.number(0.0),
    }

    @classmethod
    def empty(cls, n_features):
        """Return the spectrum of no data."""
        return cls(np.zeros(0), np.zeros((n_features, 0)), 0.0)

    @property
    def is_cut(self):
        """Whether directions are missing that have more than rounding."""
        return self.trace - self.values.sum() > _LEFT_OVER * self.trace

    def keep_leading(self, n_pairs):
        """Return the same with only the largest pairs."""
        return Spectrum(self.values[:n_pairs], self.vectors[:, :n_pairs], self.trace)


@with_limited_blas(lambda rows, *_: rows.rows.shape)
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


@with_limited_blas(lambda matrix, *_: matrix.shape)
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
        Spectrum(values[::-1], vectors[:, ::-1], trace).keep_leading(n_pairs), noise or size
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
    return found.keep_leading(rank)


@with_limited_blas(lambda old, columns, *_: columns.shape)
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


def basis_size(n_pairs, width):
    """Vectors that are kept between two restarts, without the block that comes next."""
    return max(2 * n_pairs, n_pairs + 4 * width)


def leading_eigenpairs(multiply, size, n_pairs, *, width=16, tol=1e-3, max_restarts=300):
    """Find the `n_pairs` largest eigenvalues, decreasing, and their vectors.

    Block Lanczos with thick restarts: at most about ``2 * n_pairs`` vectors are kept, each new
    block is orthogonalised against those it is coupled to, then against all, and at a restart the
    best Ritz vectors stay. `multiply` takes (size, k); the operator must have no large negative
    eigenvalues, and many more rows than `n_pairs`. Give a small `width` where a product takes as
    much longer as it has vectors (sparse data), a larger one where reading the operator takes the
    time. Of an eigenvalue that is repeated many more times than that, some copies may be missed.

    Stops when the residual of every pair is below `tol` of its eigenvalue. The error of an
    eigenvalue, and of a smooth function of the operator, is about the square of it.
    """
    n_basis = basis_size(n_pairs, width)
    if n_basis + width > size:
        raise ValueError(f"n_pairs={n_pairs} is too much for size={size}.")
    basis = np.empty((size, n_basis + width))
    projected = np.zeros((n_basis + width, n_basis + width))
    start = np.random.default_rng(_SEED).standard_normal((size, width))
    basis[:, :width] = orthonormalise(start)[0]
    done, known = 0, width  # vectors whose product is known; vectors in the basis
    for _ in range(max_restarts):
        coupled = 0  # the first block after a restart has to do with all vectors that were kept
        while known <= n_basis:
            coupling = _extend(multiply, basis, projected, coupled, done, known)
            coupled, done, known = done, known, known + coupling.shape[0]
        values, vectors = np.linalg.eigh(projected[:done, :done], UPLO="U")
        values, vectors = values[::-1], vectors[:, ::-1]
        leak = coupling @ vectors[done - coupling.shape[1] :]
        residual = np.sqrt((leak[:, :n_pairs] ** 2).sum(axis=0))
        rounding = values[0] * size * np.finfo(float).eps
        if (residual <= np.maximum(tol * values[:n_pairs], rounding)).all():
            _rotate(basis, vectors[:, :n_pairs])
            return values[:n_pairs], basis[:, :n_pairs].copy()
        kept = n_pairs + (n_basis - n_pairs) // 4
        _rotate(basis, vectors[:, :kept])
        basis[:, kept : kept + width] = basis[:, done:known]
        projected[:] = 0.0
        projected[range(kept), range(kept)] = values[:kept]
        done, known = kept, kept + width
    raise RuntimeError(
        f"{n_pairs} leading components did not converge to tol={tol} in {max_restarts} restarts."
    )


def _extend(multiply, basis, projected, coupled, done, known):
    """Add one block to the basis, in place; return how the last block is coupled to it.

    But for rounding, the product of the last block has no part along vectors before `coupled`.
    """
    block = multiply(np.ascontiguousarray(basis[:, done:known]))
    along, triangle = np.zeros((known, block.shape[1])), np.eye(block.shape[1])
    # Twice is enough, unless a product had nothing new and what is left of it is rounding.
    for n_rounds in range(1, _MOST_ROUNDS + 1):
        first = coupled if n_rounds == 1 else 0
        old = basis[:, first:known]
        part = old.T @ block
        block -= old @ part
        along[first:] += part @ triangle
        block, inner = orthonormalise(block)
        triangle = inner @ triangle
        if n_rounds > 1 and np.abs(inner.diagonal()).min() > 0.5:
            break
    projected[:known, done:known] = along
    basis[:, known : known + block.shape[1]] = block
    return triangle


def _rotate(basis, vectors):
    """Replace the first columns of the basis by combinations of them, a few rows at a time."""
    n_old, n_new = vectors.shape
    for start in range(0, basis.shape[0], _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        basis[rows, :n_new] = basis[rows, :n_old] @ vectors


def orthonormalise(columns):
    """QR decomposition: two rounds of Cholesky, or Householder's where columns nearly depend."""
    try:
        return _twice_by_cholesky(columns)
    except np.linalg.LinAlgError:
        return np.linalg.qr(columns)


def _twice_by_cholesky(columns):
    once, first = _by_cholesky(columns, columns.T @ columns)
    gram = once.T @ once
    if np.abs(gram - np.eye(len(gram))).max() >= _MENDABLE:
        raise np.linalg.LinAlgError("Rounding left more than a second round can mend.")
    twice, second = _by_cholesky(once, gram)
    return twice, second @ first


def _by_cholesky(columns, gram):
    lower = np.linalg.cholesky(gram)
    return columns @ np.linalg.inv(lower).T, lower.T


class WithinCovariance(NamedTuple):
    """Covariance around the class means: ``vectors * values @ vectors.T``."""

    values: np.ndarray  # (rank,): positive eigenvalues
    vectors: np.ndarray  # (n_features, rank): their orthonormal eigenvectors
    mean_value: float  # mean of all `n_features` eigenvalues, zeros included
    shrinkage: float  # share of the identity in the Ledoit-Wolf estimate


def within_covariance(X, codes, moments, scale, weights=None):
    """Decompose the pooled covariance of the features divided by `scale`, in O(n m min(n, m)).

    Sparse `X` is not made dense but for a block of rows at a time.
    """
    rows = residuals(X, codes, moments.means, weights, scale)
    found = spectrum(rows)
    values = found.values / rows.total
    mean_value = values.sum() / X.shape[1]
    return WithinCovariance(values, found.vectors, mean_value, _shrinkage(values, rows))


def _shrinkage(values, rows):
    """Ledoit-Wolf shrinkage from the spectrum, in O(n m) where the usual form takes O(n m^2)."""
    # In a unit near their size, so that fourth powers of the data stay within float64.
    unit = np.exp2(np.round(np.log2(values[0]))) if values.size else 1.0
    values = values / unit
    squared_norm = (values**2).sum()
    distance = squared_norm - values.sum() ** 2 / rows.rows.shape[1]
    fourth_powers = rows.weights @ (rows.squared_lengths() / unit) ** 2
    noise = (fourth_powers / rows.total - squared_norm) / number_of_samples(rows.weights)
    if distance <= 0.0:
        return 1.0
    return min(float(noise / distance), 1.0) if noise > _ROUNDING * distance else 0.0
