"""Compiled coordinate descent for the lasso of the linear centroid-encoder; nothing is checked."""

from .._jit import compiled


@compiled
def slope_at(column, axis, residual):
    """Inner product of the residual with the outer product of a column and its axis."""
    total = 0.0
    for q in range(axis.size):
        along = 0.0
        for i in range(column.size):
            along += column[i] * residual[q, i]
        total += axis[q] * along
    return total


@compiled
def shrunk(value, penalty):
    """Value moved towards zero by the penalty, and not past it."""
    if value > penalty:
        return value - penalty
    if value < -penalty:
        return value + penalty
    return 0.0


@compiled
def descend(columns, axes, curvatures, penalty, coef, residual, max_sweeps, least_gain):
    """Minimise over one coefficient after the other, in place; return the number of sweeps.

    `columns[j]` is a feature, `axes[j]` what it is mapped to, `residual` of shape
    (n_components, n_samples). Stops after a sweep that gains at most `least_gain`.
    """
    for sweep in range(max_sweeps):
        gain = 0.0
        for j in range(coef.size):
            pull = curvatures[j] * coef[j] + 2.0 * slope_at(columns[j], axes[j], residual)
            step = shrunk(pull, penalty) / curvatures[j] - coef[j]
            if step != 0.0:
                coef[j] += step
                gain += curvatures[j] * step * step
                for q in range(axes.shape[1]):
                    moved = step * axes[j, q]
                    for i in range(columns.shape[1]):
                        residual[q, i] -= moved * columns[j, i]
        if gain <= least_gain:
            return sweep + 1
    return max_sweeps
