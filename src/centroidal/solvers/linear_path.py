r"""Linear classifiers with the first 1, 2, 3, ... features, each fitted from the one before.

With costs :math:`c_i` of the samples, weights w and a constant b of functions of the samples,

    sum_i c_i loss_i(w^T x_i + b) + |w|^2 / 2

is minimised by Newton's method, whose steps conjugate gradients find. The loss is logistic, one
function for two classes and one a class for more (multinomial), or the squared hinge, one function
for two classes and for more one a class, against all others; there b is part of the penalty. These
are the problems that scikit-learn's `LogisticRegression` and `LinearSVC` solve as they are.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from . import _linear_loops

_TOL = 1e-8  # of the gradient, in units of all costs


class LinearPath(NamedTuple):
    """Linear classifiers, one for each number of features."""

    weights: np.ndarray  # (n_sizes, n_functions, n_features): 0 for features that are not used
    constants: np.ndarray  # (n_sizes, n_functions)


def solve_linear_path(loss, X, codes, class_costs, cost, sizes):
    """Fit a linear classifier to the first features, for each of the increasing sizes.

    Parameters
    ----------
    loss : {"logistic", "squared_hinge"}
        What is paid for a sample.
    X : ndarray of shape (n_samples, n_features)
        Samples, with at least as many features as the largest size.
    codes : ndarray of int, shape (n_samples,)
        Their classes, of which there are at least two.
    class_costs : ndarray of shape (n_classes,)
        What the loss of a sample of a class is multiplied by.
    cost : float
        The same for a sample that stands against one class, where there are more than two.
    sizes : ndarray of int
        Numbers of features.
    """
    n_classes, widest = class_costs.size, int(sizes[-1])
    rows = np.ones((codes.size, 1 + widest))
    rows[:, 1:] = X[:, :widest]
    is_own = codes == np.arange(n_classes)[:, None] if n_classes > 2 else codes[None] == 1
    costs = np.tile(class_costs[codes], (len(is_own), 1))
    if loss == "squared_hinge":  # of functions that have nothing to do with each other
        kind, penalty, size = _linear_loops.HINGE, 1.0, 1
        costs = np.where(is_own, costs, cost) if n_classes > 2 else costs
    else:
        kind, penalty, size = int(n_classes > 2), 0.0, len(is_own)
    targets = np.where(is_own, 1.0, 0.0 if kind == _linear_loops.SOFTMAX else -1.0)
    solve = partial(_minimise, kind, rows, np.ascontiguousarray(rows.T), penalty, 1 + sizes)
    starts = range(0, len(is_own), size)
    parts = [solve(targets[first : first + size], costs[first : first + size]) for first in starts]
    weights = np.concatenate(parts, axis=1)
    return LinearPath(weights[:, :, 1:], weights[:, :, 0])


def _minimise(kind, rows, columns, penalty, sizes, targets, costs):
    """Return weights for each number of features, the constant among them."""
    weights = np.zeros((sizes.size, len(targets), rows.shape[1]))
    room, vectors = np.empty((5, *targets.shape)), np.empty((5, *weights[0].shape))
    _linear_loops.minimise_path(
        kind, rows, columns, targets, costs, penalty, sizes, costs.sum(), _TOL, weights, room,
        vectors,
    )  # fmt: skip
    return weights
