"""Orthonormal columns that span the same as given ones."""

import numpy as np

__all__ = ["orthonormalise"]

# Everything here is NumPy's: SciPy has threads of its own, and taking turns lets both wait.
_MENDABLE = 0.1  # error of inner products that a second round removes


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
