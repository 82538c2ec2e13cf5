"""Compiled loops for linear classifiers along a path of features; nothing is checked.

Samples lie by row and, again, by feature, so that every loop runs along memory. Weights, values and
slopes have a row for each function of the samples; the first feature is constant.
"""

import numpy as np

from .._jit import compiled

LOGISTIC, SOFTMAX, HINGE = 0, 1, 2
_MOST_STEPS, _MOST_INNER, _MOST_HALVINGS = 100, 250, 40
_FORCING = 0.1  # a step is solved to this share of the gradient, and better near the end
_ARMIJO, _ROUNDING = 1e-4, 1e-13


@compiled
def add_products(columns, weights, size, values):
    """Add what the first features times weights are."""
    for j in range(size):
        column = columns[j]
        for c in range(values.shape[0]):
            weight, own = weights[c, j], values[c]
            for i in range(own.size):
                own[i] += weight * column[i]


@compiled
def pull_back(rows, slopes, penalty, weights, size, sums):
    """Write the gradient: sums of the first features times slopes, and what the penalty adds."""
    for c in range(sums.shape[0]):
        own = sums[c, :size]
        for j in range(size):
            own[j] = weights[c, j]
        own[0] *= penalty
        for i in range(rows.shape[0]):
            slope, row = slopes[c, i], rows[i, :size]
            if slope != 0.0:
                for j in range(size):
                    own[j] += slope * row[j]


@compiled
def find_slopes(kind, targets, costs, values, slopes, curves):
    """Return the loss of values; write its first derivatives, and what second ones are made of."""
    loss, n_functions = 0.0, values.shape[0]
    for i in range(values.shape[1]):
        if kind == SOFTMAX:
            top, total = values[0, i], 0.0
            for c in range(1, n_functions):
                top = max(top, values[c, i])
            for c in range(n_functions):
                curves[c, i] = np.exp(values[c, i] - top)
                total += curves[c, i]
                loss -= costs[c, i] * targets[c, i] * (values[c, i] - top)
            loss += costs[0, i] * np.log(total)
            for c in range(n_functions):
                curves[c, i] /= total
                slopes[c, i] = costs[c, i] * (curves[c, i] - targets[c, i])
            continue
        for c in range(n_functions):
            margin = targets[c, i] * values[c, i]
            if kind == HINGE:
                gap = max(0.0, 1.0 - margin)
                loss += costs[c, i] * gap * gap
                slopes[c, i] = -2.0 * costs[c, i] * targets[c, i] * gap
                curves[c, i] = 2.0 * costs[c, i] if gap > 0.0 else 0.0
            else:
                small = np.exp(-abs(margin))
                share = (small if margin > 0.0 else 1.0) / (1.0 + small)
                loss += costs[c, i] * (np.log1p(small) + max(0.0, -margin))
                slopes[c, i] = -costs[c, i] * targets[c, i] * share
                curves[c, i] = costs[c, i] * share * (1.0 - share)
    return loss


@compiled
def bend(kind, costs, curves, values):
    """Multiply values by the second derivatives of the loss, in place."""
    for i in range(values.shape[1]):
        mean = 0.0
        if kind == SOFTMAX:
            for c in range(values.shape[0]):
                mean += curves[c, i] * values[c, i]
        for c in range(values.shape[0]):
            cost = costs[c, i] if kind == SOFTMAX else 1.0
            values[c, i] = cost * curves[c, i] * (values[c, i] - mean)


@compiled
def inner(one, other, size):
    """Sum of the products of the first features of both."""
    total = 0.0
    for c in range(one.shape[0]):
        for j in range(size):
            total += one[c, j] * other[c, j]
    return total


@compiled
def solve_step(kind, rows, columns, costs, penalty, size, norm, forcing, curves, bent, vectors):
    """Solve for a Newton step by conjugate gradients."""
    gradient, step, residual, direction, image = vectors
    for c in range(gradient.shape[0]):
        for j in range(size):
            step[c, j] = 0.0
            residual[c, j] = direction[c, j] = -gradient[c, j]
    square = norm * norm
    for _ in range(_MOST_INNER):
        bent[:] = 0.0
        add_products(columns, direction, size, bent)
        bend(kind, costs, curves, bent)
        pull_back(rows, bent, penalty, direction, size, image)
        length = square / inner(direction, image, size)
        for c in range(gradient.shape[0]):
            for j in range(size):
                step[c, j] += length * direction[c, j]
                residual[c, j] -= length * image[c, j]
        left = inner(residual, residual, size)
        if left <= (forcing * norm) ** 2:
            break
        for c in range(gradient.shape[0]):
            for j in range(size):
                direction[c, j] = residual[c, j] + left / square * direction[c, j]
        square = left


@compiled
def minimise(kind, rows, columns, targets, costs, penalty, size, unit, tol, weights, room, vectors):
    """Newton's method with the first features, in place, until the gradient is below `tol` units.

    The penalty is half the squares of the weights, that of the constant times `penalty`.
    """
    values, slopes, curves, moved, trial = room
    gradient, step, _, _, _ = vectors
    values[:] = 0.0
    add_products(columns, weights, size, values)
    loss = find_slopes(kind, targets, costs, values, slopes, curves)
    for _ in range(_MOST_STEPS):
        pull_back(rows, slopes, penalty, weights, size, gradient)
        norm = np.sqrt(inner(gradient, gradient, size))
        if norm <= tol * unit:
            return
        forcing = min(_FORCING, norm / unit)
        solve_step(kind, rows, columns, costs, penalty, size, norm, forcing, curves, moved, vectors)
        moved[:] = 0.0
        add_products(columns, step, size, moved)
        along, mixed, square = inner(gradient, step, size), 0.0, 0.0
        for c in range(step.shape[0]):
            for j in range(size):
                share = penalty if j == 0 else 1.0
                mixed += share * weights[c, j] * step[c, j]
                square += share * step[c, j] * step[c, j]
        length = 1.0
        for _ in range(_MOST_HALVINGS):
            for c in range(values.shape[0]):
                for i in range(values.shape[1]):
                    trial[c, i] = values[c, i] + length * moved[c, i]
            found = find_slopes(kind, targets, costs, trial, slopes, curves)
            change = found - loss + length * (mixed + 0.5 * length * square)
            if change <= _ARMIJO * length * along + _ROUNDING * (abs(loss) + abs(found)):
                break
            length *= 0.5
        loss = found
        values[:] = trial
        for c in range(step.shape[0]):
            for j in range(size):
                weights[c, j] += length * step[c, j]


@compiled
def minimise_path(
    kind, rows, columns, targets, costs, penalty, sizes, unit, tol, weights, room, vectors
):
    """Do so for each number of features, from the weights of the number before."""
    for place in range(sizes.size):
        if place > 0:
            weights[place] = weights[place - 1]
        minimise(
            kind, rows, columns, targets, costs, penalty, sizes[place], unit, tol, weights[place],
            room, vectors,
        )  # fmt: skip
