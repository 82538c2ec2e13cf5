"""Compiled loops over features for l2 centers of many training sets at once; nothing is checked.

A row of fold f and class c is in cell ``f * n_classes + c``. Loops that rank run along the features
of a row, those that predict along the rows of a feature, which lie side by side in a copy; there
rows come in the order of their cells.
"""

import numpy as np

from .._jit import compiled

DOUBTFUL = 1e-9  # share of the squares that a variance must have not to be looked at again
CONSTANT = 1e-13  # a spread below this share of the mean is rounding


@compiled
def add_cells(X, cells, middles, first, sums):
    """Write sums and sums of squares of each cell, of the columns from `first` on.

    They are measured from the `middles`.
    """
    n_classes, last = np.uintp(sums.shape[1]), first + sums.shape[3]
    sums[:] = 0.0
    near = middles[first:last]
    for i in range(cells.size):
        own = sums[cells[i] // n_classes, cells[i] % n_classes]
        row, total, squares = X[i, first:last], own[0], own[1]
        for j in range(row.size):
            value = row[j] - near[j]
            total[j] += value
            squares[j] += value * value


@compiled
def sum_folds(sums):
    """Write the sums of all folds before the last place, and nothing there."""
    everything = sums.shape[0] - 2
    sums[everything:] = 0.0
    for f in range(everything):
        for c in range(sums.shape[1]):
            for k in range(2):
                total, own = sums[everything, c, k], sums[f, c, k]
                for j in range(own.size):
                    total[j] += own[j]


@compiled
def look_again(X, cells, folds, c, n_classes, j):
    """Sum of squares of a class around its mean, without some folds, from the values themselves.

    Measured from one of them, so that equal values give exactly zero.
    """
    near, count, total, square = 0.0, 0.0, 0.0, 0.0
    for i in range(cells.size):
        fold, own = divmod(np.int64(cells[i]), n_classes)
        if own == c and fold != folds[0] and fold != folds[1]:
            if count == 0.0:
                near = X[i, j]
            step = X[i, j] - near
            count, total, square = count + 1.0, total + step, square + step * step
    return max(0.0, square - total * total / count)


@compiled
def leave_out(sums, folds, counts, means, losses, squares, inside):
    """Take one or two folds off all of them: class means, squares around them, and their sums.

    `sums` (folds + 2, classes, 2, columns) has nothing at the last place and all before it.
    """
    everything = sums.shape[0] - 2
    squares[:] = 0.0
    inside[:] = 0.0
    for c in range(counts.size):
        mean, loss, share = means[c], losses[c], 1.0 / counts[c]
        total, one, other = sums[everything, c, 0], sums[folds[0], c, 0], sums[folds[1], c, 0]
        for j in range(mean.size):
            mean[j] = total[j] - one[j] - other[j]
        total, one, other = sums[everything, c, 1], sums[folds[0], c, 1], sums[folds[1], c, 1]
        for j in range(mean.size):
            loss[j] = total[j] - one[j] - other[j]
            squares[j] += total[j]
        for j in range(mean.size):
            rest = loss[j] - mean[j] * mean[j] * share
            loss[j] = rest if rest > 0.0 else 0.0
            mean[j] *= share
            inside[j] += loss[j]


@compiled
def find_rates(middles, means, inside, total, largest, rates):
    """Turn squares inside the classes into variances, and write one over their roots."""
    largest[:] = 0.0
    for c in range(means.shape[0]):
        mean = means[c]
        for j in range(mean.size):
            size = abs(mean[j] + middles[j])
            largest[j] = size if size > largest[j] else largest[j]
    share = 1.0 / total
    for j in range(inside.size):
        variance, least = inside[j] * share, CONSTANT * largest[j]
        inside[j] = variance if variance > least * least else 0.0
    for j in range(inside.size):
        rates[j] = 1.0 / np.sqrt(inside[j] if inside[j] > 0.0 else 1.0)


@compiled
def find_gains(counts, means, losses, rates, middle, gains, loss):
    """Write the gains, and the sums of the mean squares of the classes."""
    n_classes = counts.size
    middle[:] = 0.0
    gains[:] = 0.0
    loss[:] = 0.0
    for c in range(n_classes):
        mean, near, square = means[c], means[0], losses[c]
        share, weight = 1.0 / n_classes, 1.0 / counts[c]
        for j in range(rates.size):
            middle[j] += (mean[j] - near[j]) * rates[j] * share
        for j in range(rates.size):
            loss[j] += square[j] * weight
    for c in range(n_classes):
        mean, near = means[c], means[0]
        for j in range(rates.size):
            offset = (mean[j] - near[j]) * rates[j] - middle[j]
            gains[j] += offset * offset


@compiled
def solve_sets(X, cells, middles, n_folds, left_out, counts, rounding, width, roots, lines, errors):
    """Solve the l2 problem of each training set for each feature, some columns at a time.

    Values are measured from the `middles`; `left_out` (sets, 2) are the folds that a set does
    without, ``n_folds + 1`` for none, and `counts` (sets, classes) how many rows it has. Written
    are the root of the gain, of shape (sets, features); in `lines` (sets, classes - 1, 2, features)
    what a feature adds to the distance from a class, less that from the first: a slope in its value
    and a constant; and in `errors` (sets) the most that rounding does to a root.
    """
    n_sets, n_classes = counts.shape
    for first in range(0, X.shape[1], width):
        n = min(width, X.shape[1] - first)
        last, near = first + n, middles[first : first + n]
        # Of just this width: in slices of wider arrays the compiler knows of no neighbours.
        sums, work = np.empty((n_folds + 2, n_classes, 2, n)), np.empty((7, n))
        means, losses = np.empty((n_classes, n)), np.empty((n_classes, n))
        squares, inside, largest, rates = work[0], work[1], work[2], work[3]
        middle, gains, loss = work[4], work[5], work[6]
        add_cells(X, cells, middles, first, sums)
        sum_folds(sums)
        for s in range(n_sets):
            leave_out(sums, left_out[s], counts[s], means, losses, squares, inside)
            for j in range(n):
                if inside[j] <= DOUBTFUL * squares[j]:
                    inside[j] = 0.0
                    for c in range(n_classes):
                        losses[c, j] = look_again(X, cells, left_out[s], c, n_classes, first + j)
                        inside[j] += losses[c, j]
            find_rates(near, means, inside, counts[s].sum(), largest, rates)
            find_gains(counts[s], means, losses, rates, middle, gains, loss)
            root = roots[s, first:last]
            for j in range(n):
                root[j] = np.sqrt(gains[j])
            for j in range(n):
                share = 1.0 if rates[j] == 1.0 else 1.0 + root[j]
                loss[j] = rounding * (largest[j] + np.sqrt(loss[j])) * rates[j] * share
            errors[s] = max(errors[s], loss.max())
            for c in range(1, n_classes):
                slopes, constants = lines[s, c - 1, 0, first:last], lines[s, c - 1, 1, first:last]
                mean, other = means[c], means[0]
                for j in range(n):
                    slopes[j] = -2.0 * (mean[j] - other[j]) * rates[j] * rates[j]
                for j in range(n):
                    constants[j] = -0.5 * slopes[j] * (mean[j] + other[j])


@compiled
def find_models(roots, limits, bins, models, sizes):
    """Write the first model that has each feature: the number of limits above its root.

    `limits` fall; roots between two neighbours of equally spaced values begin at the number in
    `bins`, and most of them end there. Beside it the features of each model are summed up in
    `sizes`: what they add to usual distances.
    """
    rate = (bins.size - 1) / limits[0] if limits[0] > 0.0 else 0.0
    for j in range(roots.size):
        root = roots[j]
        model = bins[min(np.int64(root * rate), bins.size - 1)]
        while model > 0 and root >= limits[model - 1]:
            model -= 1
        while model < limits.size and root < limits[model]:
            model += 1
        models[j] = model
        sizes[model] += 1.0 + root * root


@compiled
def take(row, order, values):
    """Write the values of a feature in the order of the cells."""
    for t in range(order.size):
        values[t] = row[order[t]]


@compiled
def add_lines(rows, order, models, lines, first, spans, width, gaps, constants):
    """Sum for each set and model what the features that enter it add to distances.

    The sets are those from `first` on; `spans` (sets, 2, 2) are the places of the rows to test, in
    one or two folds. `gaps` is of shape (sets, classes - 1, models + 1, places), `constants` the
    same without places. Features are taken `width` at a time, so that the sums of one set stay
    near.
    """
    n_sets, n_others, _, _ = gaps.shape
    for begin in range(0, rows.shape[0], width):
        some = rows[begin : begin + width]
        end = begin + some.shape[0]
        values = np.empty((some.shape[0], order.size))
        for j in range(some.shape[0]):
            take(some[j], order, values[j])
        for s in range(n_sets):
            span, model = spans[first + s], models[first + s, begin:end]
            for c in range(n_others):
                slopes, steps = lines[first + s, c, 0, begin:end], lines[first + s, c, 1, begin:end]
                add_features(values, model, slopes, span[0], gaps[s, c], 0)
                add_features(values, model, slopes, span[1], gaps[s, c], span[0, 1] - span[0, 0])
                for j in range(model.size):
                    constants[s, c, model[j]] += steps[j]


@compiled
def add_features(values, models, slopes, span, gaps, place):
    """Add what each feature adds, in the rows of a span, to its model, from a place on."""
    n = span[1] - span[0]
    for j in range(models.size):
        own, slope = values[j, span[0] : span[1]], slopes[j]
        gap = gaps[models[j], place : place + n]
        for t in range(own.size):
            gap[t] += slope * own[t]


@compiled
def count_nearest(gaps, constants, margins, span, true, counts):
    """Count rows by model, fold, true and nearest class (models, folds, classes, classes).

    `margins` is by how much a class stands back behind the one before it, for each model.
    """
    n_models, n_others = margins.size, gaps.shape[0]
    total, width = np.zeros((n_others, gaps.shape[2])), span[0, 1] - span[0, 0]
    constant = np.zeros(n_others)
    for g in range(n_models):
        for c in range(n_others):
            constant[c] += constants[c, g]
            for t in range(gaps.shape[2]):
                total[c, t] += gaps[c, g, t]
        for fold in range(2):
            begin = span[fold, 0]
            for t in range(span[fold, 1] - begin):
                best, lowest = 0, 0.0
                for c in range(n_others):
                    distance = total[c, t + width * fold] + constant[c] + margins[g] * (c + 1)
                    if distance < lowest:
                        best, lowest = c + 1, distance
                counts[g, fold, true[begin + t], best] += 1
