"""Symmetric whitening with a shrunk covariance, applied without forming it when it is low rank."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

__all__ = ["Whitening", "solve_whitening"]


class Whitening(NamedTuple):
    r"""The map :math:`x \mapsto S^{-1/2} (x / \text{scale})`, section IV-A.

    With :math:`S = (1 - a) V \Lambda V^T + a \mu I` the root is a multiple of the identity plus a
    matrix of the rank of the data: ``base * I + V @ diag(extra) @ V.T``.
    """

    scale: np.ndarray
    vectors: np.ndarray
    extra: np.ndarray
    base: float

    def apply(self, X, columns=slice(None)):
        """Whitened features `columns` of the rows of `X`, always dense."""
        if issparse(X):
            X = X.multiply(1.0 / self.scale).tocsr()
            kept = X[:, columns].toarray()
        else:
            X = X / self.scale
            kept = X[:, columns]
        return self.base * kept + ((X @ self.vectors) * self.extra) @ self.vectors[columns].T


def solve_whitening(covariance, scale):
    """Whiten the pooled within-class covariance after Ledoit-Wolf shrinkage."""
    ridge = covariance.shrinkage * covariance.mean_value
    shrunk = (1.0 - covariance.shrinkage) * covariance.values + ridge
    # Where nothing was shrunk, directions without spread are measured by the smallest spread seen.
    smallest = ridge if ridge > 0.0 else min(shrunk, default=1.0)
    base = 1.0 / np.sqrt(smallest)
    return Whitening(scale, covariance.vectors, 1.0 / np.sqrt(shrunk) - base, base)
