"""Compiled loops over ranked features; nothing is checked here."""

import numpy as np

from .._jit import compiled


@compiled
def loss(difference, is_l1):
    """Loss of one feature: absolute or squared."""
    return abs(difference) if is_l1 else difference * difference


@compiled
def is_nearest(distances, bonus, g, own):
    """Whether class `own` has the smallest distance less its bonus, or is the first that has."""
    own_distance = distances[own] - bonus[own, g]
    answer = True
    for c in range(distances.size):
        distance = distances[c] - bonus[c, g]
        answer &= (own_distance < distance) | ((own_distance == distance) & (own <= c))
    return answer


@compiled
def stay_ahead(row, ranking, rates, centers, is_l1, grid, bonus, own, other, is_right):
    """Clear `is_right[g]` where the `grid[g]` best features put class `other` before `own`.

    The gap between the two distances grows along the ranking, one feature at a time.
    """
    gap = 0.0
    r = 0
    for g in range(grid.size):
        while r < grid[g]:
            value = row[ranking[r]] * rates[r]
            gap += loss(value - centers[other, r], is_l1) - loss(value - centers[own, r], is_l1)
            r += 1
        lead = gap - (bonus[other, g] - bonus[own, g])
        is_right[g] &= (lead > 0.0) | ((lead == 0.0) & (own < other))


@compiled
def add_dense_hits(X, rows, codes, weights, ranking, rates, centers, is_l1, grid, bonus, hits):
    """Add up the weight of the samples that are right with the `grid[g]` best features.

    `rates` (one over the scale) and the scaled `centers` (classes, features) are in the order of
    the ranking.
    """
    is_right = np.empty(grid.size, np.bool_)
    for i in rows:
        own = codes[i]
        for g in range(grid.size):
            is_right[g] = bonus[own, g] > -np.inf
        for other in range(centers.shape[0]):
            if other != own:
                stay_ahead(X[i], ranking, rates, centers, is_l1, grid, bonus, own, other, is_right)
        for g in range(grid.size):
            hits[own, g] += weights[i] * is_right[g]


@compiled
def add_sparse_hits(
    entries, rows, codes, weights, place, rates, centers, is_l1, zeros, bonus, hits
):
    """Do what `add_dense_hits` does for CSR rows, without touching implicit zeros.

    `place[j]` is the rank of column `j` and the first point of the grid at which it is selected;
    `zeros[c, g]` is the distance of a sample of zeros; a stored entry changes it from there on.
    """
    data, indices, indptr = entries
    n_classes, n_steps = zeros.shape
    changes = np.empty((n_classes, n_steps))
    distances = np.empty(n_classes)
    for i in rows:
        for c in range(n_classes):
            for g in range(n_steps):
                changes[c, g] = 0.0
        for position in range(indptr[i], indptr[i + 1]):
            r, g = place[indices[position], 0], place[indices[position], 1]
            if g < n_steps:
                value = data[position] * rates[r]
                for c in range(n_classes):
                    center = centers[c, r]
                    changes[c, g] += loss(value - center, is_l1) - loss(center, is_l1)
        for g in range(n_steps):
            for c in range(n_classes):
                changes[c, g] += changes[c, g - 1] if g > 0 else 0.0
                distances[c] = zeros[c, g] + changes[c, g]
            hits[codes[i], g] += weights[i] * is_nearest(distances, bonus, g, codes[i])


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
