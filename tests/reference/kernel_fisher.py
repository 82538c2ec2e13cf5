"""Fisher directions in the span of the samples, with samples-by-samples matrices."""

from typing import NamedTuple

import numpy as np

from . import fisher, thresholds


class Model(NamedTuple):
    dual: np.ndarray
    threshold: float
    eigenvalues: np.ndarray
    n_components: int


def rbf(X, Y, gamma):
    out = np.zeros((len(X), len(Y)))
    for i, x in enumerate(X):
        for j, y in enumerate(Y):
            out[i, j] = np.exp(-gamma * ((x - y) ** 2).sum())
    return out


def centred(K):
    """Eq. (5.10)."""
    ones = np.full_like(K, 1.0 / len(K))
    return K - ones @ K - K @ ones + ones @ K @ ones


def eigenpairs(K):
    """Eigenvalues of the centred Gram matrix, largest first, without those that are rounding."""
    values, vectors = np.linalg.eigh(centred(K))
    values, vectors = values[::-1], vectors[:, ::-1]
    is_real = values > values[0] * len(K) * np.finfo(float).eps
    return values[is_real], vectors[:, is_real]


def contrasts(codes):
    """Column c - 1: mean over class c minus mean over all samples; class 0 follows from them."""
    n = len(codes)
    return np.array(
        [(codes == c) / (codes == c).sum() - 1 / n for c in range(1, codes.max() + 1)]
    ).T


def two_class_contrast(codes):
    return (codes == 1) / (codes == 1).sum() - (codes == 0) / (codes == 0).sum()


def whitened_twice(kind, values, vectors, d, contrast):
    """W W applied to a contrast of feature vectors, as weights of the samples."""
    if kind == "full":
        d = len(values)
    weights = np.zeros_like(contrast)
    for k in range(d):
        weights += np.multiply.outer(vectors[:, k], vectors[:, k] @ contrast) / values[k]
    if kind == "truncated":
        left = contrast - vectors[:, :d] @ (vectors[:, :d].T @ contrast)
        weights += left / values[d - 1]
    return weights


def n_components(kind, rule, values, n_samples):
    rule = fisher.DEFAULT_RULES[kind] if rule is None else rule
    found = fisher.Spectrum(np.eye(n_samples)[:, : len(values)], np.sqrt(values))
    return fisher.n_components(rule, found, n_samples)


def fit(K, codes, kind="truncated", rule=None, threshold="inclusive", balance=0.99):
    """Two classes: weights of the samples, and the threshold on K(p).weights."""
    values, vectors = eigenpairs(K)
    d = n_components(kind, rule, values, len(K))
    dual = whitened_twice(kind, values, vectors, d, two_class_contrast(codes))
    gamma = thresholds.threshold(threshold, K @ dual, codes == 1, balance=balance)
    return Model(dual, gamma, values, d)


def least_squares(K, codes):
    """Weights of ridgeless kernel least squares on the centred labels."""
    H = np.eye(len(K)) - 1.0 / len(K)
    return H @ np.linalg.lstsq(centred(K), codes - codes.mean(), rcond=1e-13)[0]


def discriminants(K, codes, priors, kind="truncated", rule=None):
    """Any number of classes: dual weights and constants of linear discriminants."""
    values, vectors = eigenpairs(K)
    d = n_components(kind, rule, values, len(K))
    axes = whitened_twice(kind, values, vectors, d, contrasts(codes))
    return fisher.discriminants(K, codes, axes, priors)
