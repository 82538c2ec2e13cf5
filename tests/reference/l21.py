"""Sums of row norms as misfit and as penalty, minimised slowly, from the problem alone."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog


class Optimum(NamedTuple):
    """Coefficients and a dual point; the optimum lies between their values."""

    coefficients: np.ndarray
    dual: np.ndarray
    objective: float
    bound: float


def row_norms(matrix):
    return np.sqrt((matrix**2).sum(axis=1))


def objective(X, Y, W, alpha):
    return row_norms(Y - X @ W).sum() + alpha * row_norms(W).sum()


def made_feasible(X, S, alpha):
    """The longest multiple of S, at most S itself, within the constraints of the dual."""
    return S / max(1.0, row_norms(S).max(), row_norms(X.T @ S).max() / alpha)


def dual_value(X, Y, S, alpha):
    """Value of any S once it is feasible: no objective is below it."""
    return (made_feasible(X, S, alpha) * Y).sum()


def kkt_residual(X, Y, W, S, alpha, small):
    """How far S breaks its constraints, or misses the directions of rows that are not small."""
    worst = 0.0
    for rows, vectors in ((Y - X @ W, S), (W, X.T @ S / alpha)):
        for row, vector in zip(rows, vectors, strict=True):
            length = np.sqrt((row**2).sum())
            if length > small:
                worst = max(worst, np.abs(vector - row / length).max())
            worst = max(worst, np.sqrt((vector**2).sum()) - 1.0)
    return worst


def shrunk(rows, amount):
    """Every row shorter by an amount, or zero."""
    lengths = row_norms(rows)[:, None]
    return rows * np.maximum(1.0 - amount / np.maximum(lengths, 1e-300), 0.0)


def solve(X, Y, alpha, gap=1e-9, most=50_000):
    """Alternating direction method of multipliers on Z = X W and V = W, until the gap is small."""
    n, d = X.shape
    solver = np.linalg.inv(np.eye(d) + X.T @ X)
    V, of_V = np.zeros((2, d, Y.shape[1]))
    Z, of_Z = np.zeros((2, n, Y.shape[1]))
    found = Optimum(V, of_Z, objective(X, Y, V, alpha), -np.inf)
    for step in range(most):
        W = solver @ (V - of_V + X.T @ (Z - of_Z))
        ahead_W, ahead_Z = 1.8 * W - 0.8 * V, 1.8 * X @ W - 0.8 * Z
        V, Z = shrunk(ahead_W + of_V, alpha), Y - shrunk(Y - ahead_Z - of_Z, 1.0)
        of_V, of_Z = of_V + ahead_W - V, of_Z + ahead_Z - Z
        if step % 20 == 0:
            value, below = objective(X, Y, V, alpha), dual_value(X, Y, -of_Z, alpha)
            if value < found.objective:
                found = found._replace(coefficients=V, objective=value)
            if below > found.bound:
                found = found._replace(dual=made_feasible(X, -of_Z, alpha), bound=below)
            if found.objective - found.bound <= gap * found.objective:
                return found
    raise ArithmeticError("the reference did not converge")


def solve_one_target(X, y, alpha):
    """Optimum for a single target, where norms are absolute values: a linear program."""
    n, d = X.shape
    costs = np.concatenate([np.full(2 * d, alpha), np.ones(2 * n)])
    equations = np.hstack([X, -X, np.eye(n), -np.eye(n)])
    return linprog(costs, A_eq=equations, b_eq=y, bounds=(0, None), method="highs").fun
