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
