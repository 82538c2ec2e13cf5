"""The linear centroid-encoder with arrays of every size: features times features, and a design."""

from typing import NamedTuple

import numpy as np
from sklearn.linear_model import Lasso


class Encoding(NamedTuple):
    coef: np.ndarray
    axes: np.ndarray
    objectives: list
    alpha_max: float


def standardised(X, weights=None):
    """Columns of mean zero and variance one; constant ones become zero."""
    weights = np.ones(len(X)) if weights is None else weights
    shares = weights / weights.sum()
    centred = X - shares @ X
    spread = np.sqrt(shares @ centred**2)
    is_constant = spread <= 1e-12 * np.abs(X).max()
    return np.where(is_constant, 0.0, centred / np.where(is_constant, 1.0, spread))


def targets(Z, codes, weights=None):
    """For each sample the mean of its class."""
    weights = np.ones(len(Z)) if weights is None else weights
    return np.array([np.average(Z[codes == c], axis=0, weights=weights[codes == c]) for c in codes])


def objective(Z, C, A, b, penalty):
    """The problem as it is written."""
    return ((C - Z @ np.diag(b) @ A @ A.T) ** 2).sum() + penalty * np.abs(b).sum()


def gain_matrix(Z, C, b):
    """Matrix whose positive eigenvectors are the best axes."""
    Zb = Z * b
    return Zb.T @ C + C.T @ Zb - Zb.T @ Zb


def positive_axes(matrix, n_components=None):
    """Eigenvectors with positive eigenvalues, largest first."""
    values, vectors = np.linalg.eigh(matrix)
    is_positive = values > 1e-9 * np.abs(values).max()
    return vectors[:, is_positive][:, ::-1][:, :n_components]


def design(Z, A):
    """Column j: the outer product of feature j with its row of A, as one long vector."""
    return np.array([np.outer(z, a).ravel() for z, a in zip(Z.T, A, strict=True)]).T


def alpha_max(Z, C, A):
    """Smallest penalty with all weights zero."""
    return 2.0 * np.abs(design(Z, A).T @ (C @ A).ravel()).max()


def lasso(Z, C, A, penalty):
    """Weights for given axes, by another coordinate descent."""
    Phi, t = design(Z, A), (C @ A).ravel()
    model = Lasso(penalty / (2 * len(t)), fit_intercept=False, tol=1e-13, max_iter=10**6)
    return model.fit(Phi, t).coef_


def encode(Z, codes, alpha, n_components=None, n_rounds=1):
    """Two steps, or more rounds of them; `alpha` is a share of the largest penalty."""
    C = targets(Z, codes)
    b = np.ones(Z.shape[1])
    A = positive_axes(gain_matrix(Z, C, b), n_components)
    largest = alpha_max(Z, C, A)
    penalty, values = alpha * largest, []
    for _ in range(n_rounds):
        A = positive_axes(gain_matrix(Z, C, b), n_components)
        values.append(objective(Z, C, A, b, penalty))
        b = lasso(Z, C, A, penalty)
        values.append(objective(Z, C, A, b, penalty))
    return Encoding(b, A, values, largest)


def descend(columns, axes, penalty, coef, residual):
    """One sweep of coordinate descent; weights and residual (components, samples) after it."""
    coef, residual = coef.copy(), residual.copy()
    for j in range(len(coef)):
        outer = np.outer(axes[j], columns[j])
        square = (outer**2).sum()
        best = ((residual + coef[j] * outer) * outer).sum() / square
        new = np.sign(best) * max(abs(best) - penalty / (2.0 * square), 0.0)
        residual -= (new - coef[j]) * outer
        coef[j] = new
    return coef, residual
