"""The largest eigenpairs of a symmetric operator that is only known by its products."""

import numpy as np

__all__ = ["basis_size", "leading_eigenpairs", "orthonormalise"]

# Everything here is NumPy's: SciPy has threads of its own, and taking turns lets both wait.
_MENDABLE = 0.1  # error of inner products that a second round removes
_ROWS_AT_ONCE = 4096
_MOST_ROUNDS = 6
_SEED = 0  # of the starting block: the same data give the same answer


def basis_size(n_pairs, width):
    """Vectors that are kept between two restarts, without the block that comes next."""
    return max(2 * n_pairs, n_pairs + 4 * width)


def leading_eigenpairs(multiply, size, n_pairs, *, width=16, tol=1e-3, max_restarts=300):
    """Find the `n_pairs` largest eigenvalues, decreasing, and their vectors.

    Block Lanczos with thick restarts: at most about ``2 * n_pairs`` vectors are kept, each new
    block is orthogonalised against those it is coupled to, then against all, and at a restart the
    best Ritz vectors stay.
    Of an eigenvalue that is repeated many more times than a block is wide, some copies may be
    missed: give a larger `width` where that can happen.

    Parameters
    ----------
    multiply : callable
        Product of the operator with an array of shape (size, k); the operator must have no large
        negative eigenvalues.
    size : int
        Rows of the operator; much more than `n_pairs`.
    n_pairs : int
        How many pairs.
    width : int
        Vectors in a product. Few where a product takes as much longer as it has vectors (sparse
        data), more where reading the operator takes the time (a dense matrix).
    tol : float
        Stop when the residual of every pair is below this share of its eigenvalue. The error of an
        eigenvalue, and of a smooth function of the operator, is about the square of it.
    max_restarts : int
        Raise `RuntimeError` after so many.
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
