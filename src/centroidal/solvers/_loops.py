"""Compiled loops over ranked features, groups of features and a lasso; nothing is checked here."""

import numpy as np

from .._jit import compiled

# Rows that are looked at together, so that a feature is looked up once for them; and numbers kept
# meanwhile, of which there are as many a row as models and classes.
TILE, LEAST_TILE, GAPS = 48, 8, 2**15


@compiled
def loss(difference, is_l1):
    """Loss of one feature: absolute or squared."""
    return abs(difference) if is_l1 else difference * difference


@compiled
def number_ties(scores, errors, ranking, groups):
    """Write the group of each ranked score: one point is in all intervals, score +- error."""
    group, lowest = -1, np.inf
    for place in range(ranking.size):
        score, error = scores[ranking[place]], errors[ranking[place]]
        if group < 0 or score + error < lowest:
            group, lowest = group + 1, score - error
        lowest = max(lowest, score - error)
        groups[place] = group


@compiled
def l2_gains(seen, counts, means, squares, scale, shared, gains, losses):
    """Write the midpoint of the class means of each feature, what it is worth, and what it costs.

    Measured from the mean of one class, so that equal means give a gain of exactly zero. `seen` are
    the classes that have samples.
    """
    for j in range(scale.size):
        near, rate = means[seen[0], j], 1.0 / scale[j]
        sum_of_offsets, loss_of_classes = 0.0, 0.0
        for c in seen:
            sum_of_offsets += (means[c, j] - near) * rate
            loss_of_classes += squares[c, j] / counts[c]
        middle, gain = sum_of_offsets / seen.size, 0.0
        for c in seen:
            offset = (means[c, j] - near) * rate - middle
            gain += offset * offset
        shared[j] = near + middle * scale[j]
        gains[j] = gain
        losses[j] = loss_of_classes * rate * rate


@compiled
def add_gaps(X, tile, columns, enters, scale, centers, is_l1, gaps):
    """Sum for each model what the features that enter it add to the distances of some rows.

    Distances are less that from the first class. Columns are read as they lie. Indices without a
    sign are not asked whether they count from the end.
    """
    values = np.empty(tile.size)
    for j in columns:
        rate = 1.0 / scale[j]
        first = centers[0, j] * rate
        for t in range(tile.size):
            values[t] = X[tile[t], j] * rate - first
        for order in range(enters.shape[1]):
            model = enters[j, order]
            for c in range(1, centers.shape[0]):
                step = centers[c, j] * rate - first
                if is_l1:
                    for t in range(tile.size):
                        gaps[model, c, t] += abs(values[t] - step) - abs(values[t])
                else:
                    for t in range(tile.size):
                        gaps[model, c, t] += step * (step - 2.0 * values[t])


@compiled
def follow_gaps(gaps, bonus, places, labels, distances):
    """Nearest class of some rows in each model, from the gaps that open in it.

    The distances of models with a place from 0 on are written there.
    """
    n_classes, n_models = bonus.shape
    n_rows = labels.shape[0]
    total = np.zeros((n_classes, n_rows))
    best = np.empty(n_rows, np.int32)
    lowest = np.empty(n_rows)
    for g in range(n_models):
        best[:] = 0
        lowest[:] = -bonus[0, g]
        for c in range(1, n_classes):
            for t in range(n_rows):
                total[c, t] += gaps[g, c, t]
                distance = total[c, t] - bonus[c, g]
                best[t] = c if distance < lowest[t] else best[t]
                lowest[t] = min(distance, lowest[t])
        for t in range(n_rows):
            labels[t, g] = best[t]
        if places[g] >= 0:
            for t in range(n_rows):
                for c in range(n_classes):
                    distances[t, places[g], c] = total[c, t]


@compiled
def nearest_dense(X, rows, columns, enters, scale, centers, is_l1, bonus, places):
    """Nearest class of rows in each model of some paths, one for each order of the features.

    Beside it, for models with a place from 0 on, the distances from all classes less that from the
    first, at this place.

    A model has the features that entered so far: feature `j` enters model `enters[j, order]`; the
    models of an order follow each other, and one that is left alone. `columns` are the features
    that enter any other. What features are divided by, `scale`, and the `centers` (classes,
    features) are in the order of the data; `bonus` is of shape (orders, classes, models).
    """
    n_orders, n_classes, n_models = bonus.shape
    labels = np.empty((n_orders, rows.size, n_models), np.int32)
    distances = np.empty((n_orders, rows.size, places.max() + 1, n_classes))
    n_kept = n_orders * (n_models + 1) * n_classes
    height = min(TILE, max(LEAST_TILE, GAPS // n_kept))
    gaps = np.empty((n_orders * (n_models + 1), n_classes, min(height, rows.size)))
    for start in range(0, rows.size, height):
        tile = rows[start : start + height].astype(np.uintp)
        gaps[:] = 0.0
        add_gaps(X, tile, columns, enters, scale, centers, is_l1, gaps)
        for order in range(n_orders):
            mine = gaps[order * (n_models + 1) : (order + 1) * (n_models + 1)]
            there = labels[order, start : start + height], distances[order, start : start + height]
            follow_gaps(mine, bonus[order], places, *there)
    return labels, distances


@compiled
def nearest_sparse(entries, rows, enters, rates, centers, is_l1, zeros, bonus, places):
    """Do what `nearest_dense` does for CSR rows and one order, without touching implicit zeros.

    `rates` are one over the scale, and the `centers` (features, classes) are scaled.
    `zeros[c, g]` is the distance of a sample of zeros in model `g`; a stored entry changes it from
    the model on that its feature enters.
    """
    data, indices, indptr = entries
    n_classes, n_models = bonus.shape
    labels = np.empty((rows.size, n_models), np.int32)
    distances = np.empty((rows.size, places.max() + 1, n_classes))
    far = np.ascontiguousarray((zeros - bonus).T)
    changes = np.zeros((n_models, n_classes))
    total = np.empty(n_classes)
    for place in range(rows.size):
        for position in range(indptr[rows[place]], indptr[rows[place] + 1]):
            j = indices[position]
            if enters[j] < n_models:
                value = data[position] * rates[j]
                for c in range(n_classes):
                    center = centers[j, c]
                    changes[enters[j], c] += loss(value - center, is_l1) - loss(center, is_l1)
        total[:] = 0.0
        for g in range(n_models):
            best, lowest = 0, np.inf
            for c in range(n_classes):
                total[c] += changes[g, c]
                changes[g, c] = 0.0
                distance = far[g, c] + total[c]
                if distance < lowest:
                    best, lowest = c, distance
            labels[place, g] = best
            if places[g] >= 0:
                for c in range(n_classes):
                    distances[place, places[g], c] = zeros[c, g] + total[c]
    return labels, distances


@compiled
def add_counts(labels, cells, counts):
    """Count rows by order, model, cell and label (orders, rows, models), in place."""
    for order in range(labels.shape[0]):
        for i in range(cells.size):
            for g in range(labels.shape[2]):
                counts[order, g, cells[i], labels[order, i, g]] += 1


@compiled
def add_hits(labels, codes, weights, hits):
    """Add the weight of each row to its class where its label is right."""
    for i in range(codes.size):
        for g in range(labels.shape[1]):
            hits[codes[i], g] += weights[i] * (labels[i, g] == codes[i])


@compiled
def better_cluster(square, i, a, sums, own, sizes, rounding):
    """Cluster that feature `i` of cluster `a` had better be in, which may be `a`."""
    if sizes[a] == 1.0:
        return a
    best = a
    here = square - 2.0 * sums[a, i] / sizes[a] + own[a] / sizes[a] ** 2
    lowest = here * sizes[a] / (sizes[a] - 1.0)
    for g in range(sizes.size):
        if g != a and sizes[g] > 0.0:
            there = square - 2.0 * sums[g, i] / sizes[g] + own[g] / sizes[g] ** 2
            there *= sizes[g] / (sizes[g] + 1.0)
            if there < lowest - rounding * square:
                lowest = there
                best = g
    return best


@compiled
def move_feature(gram, i, a, b, sums, own, sizes):
    """Account for feature `i` leaving cluster `a` for `b`, in place."""
    own[a] += gram[i, i] - 2.0 * sums[a, i]
    own[b] += gram[i, i] + 2.0 * sums[b, i]
    sizes[a] -= 1.0
    sizes[b] += 1.0
    for h in range(gram.shape[0]):
        sums[a, h] -= gram[i, h]
        sums[b, h] += gram[i, h]


@compiled
def move_features(gram, labels, n_groups, max_sweeps, rounding):
    """Move single features between clusters as long as that lowers the sum of squares, in place.

    `gram` holds the inner products of the features; a cluster keeps its last one.
    """
    n_features = labels.size
    sums = np.zeros((n_groups, n_features))
    own = np.zeros(n_groups)
    sizes = np.zeros(n_groups)
    for i in range(n_features):
        sizes[labels[i]] += 1.0
        for h in range(n_features):
            sums[labels[i], h] += gram[i, h]
    for i in range(n_features):
        own[labels[i]] += sums[labels[i], i]
    for _ in range(max_sweeps):
        has_moved = False
        for i in range(n_features):
            a = labels[i]
            b = better_cluster(gram[i, i], i, a, sums, own, sizes, rounding)
            if b != a:
                move_feature(gram, i, a, b, sums, own, sizes)
                labels[i] = b
                has_moved = True
        if not has_moved:
            break


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
def shrink(value, penalty):
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
            step = shrink(pull, penalty) / curvatures[j] - coef[j]
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
