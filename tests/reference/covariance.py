"""The pooled covariance around the class means, formed in full."""

import numpy as np


def residuals(X, codes, scale=1.0, weights=None):
    """Rows that count, divided by the scale, minus the mean of their class."""
    X = np.asarray(X, dtype=np.float64) / scale
    weights = np.ones(len(X)) if weights is None else weights
    left = X.copy()
    for c in np.unique(codes[codes >= 0]):
        left[codes == c] -= np.average(X[codes == c], axis=0, weights=weights[codes == c])
    return left[codes >= 0]


def inverse_root(covariance):
    """S^(-1/2), the symmetric one."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors @ np.diag(values**-0.5) @ vectors.T


def pooled_covariance(X, codes, scale=1.0, weights=None):
    """Features by features."""
    weights = np.ones(len(codes)) if weights is None else weights
    left = residuals(X, codes, scale, weights)
    counted = weights[codes >= 0]
    return (left * counted[:, None]).T @ left / counted.sum()
