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
    own_distance = distances[own] - bonus[g, own]
    answer = True
    for c in range(distances.size):
        distance = distances[c] - bonus[g, c]
        answer &= (own_distance < distance) | ((own_distance == distance) & (own <= c))
    return answer


@compiled
def add_dense_hits(X, rows, codes, weights, ranking, rates, centers, is_l1, grid, bonus, hits):
    """Add up the weight of the samples that are right with the `grid[g]` best features.

    `rates` (one over the scale) and the scaled `centers` (features, classes) are in the order of
    the ranking, along which distances grow one feature at a time.
    """
    distances = np.empty(centers.shape[1])
    for i in rows:
        own, row = codes[i], X[i]
        for c in range(distances.size):
            distances[c] = 0.0
        r = 0
        for g in range(grid.size):
            while r < grid[g]:
                value = row[ranking[r]] * rates[r]
                for c in range(distances.size):
                    distances[c] += loss(value - centers[r, c], is_l1)
                r += 1
            hits[own, g] += weights[i] * is_nearest(distances, bonus, g, own)


@compiled
def add_sparse_hits(
    entries, rows, codes, weights, place, rates, centers, is_l1, zeros, bonus, hits
):
    """Do what `add_dense_hits` does for CSR rows, without touching implicit zeros.

    `place[j]` is the rank of column `j` and the first point of the grid at which it is selected;
    `zeros[g, c]` is the distance of a sample of zeros; a stored entry changes it from there on.
    """
    data, indices, indptr = entries
    n_steps, n_classes = zeros.shape
    changes = np.empty((n_steps, n_classes))
    distances = np.empty(n_classes)
    for i in rows:
        for g in range(n_steps):
            for c in range(n_classes):
                changes[g, c] = 0.0
        for position in range(indptr[i], indptr[i + 1]):
            r, g = place[indices[position], 0], place[indices[position], 1]
            if g < n_steps:
                value = data[position] * rates[r]
                for c in range(n_classes):
                    center = centers[r, c]
                    changes[g, c] += loss(value - center, is_l1) - loss(center, is_l1)
        for c in range(n_classes):
            distances[c] = 0.0
        for g in range(n_steps):
            for c in range(n_classes):
                changes[g, c] += changes[g - 1, c] if g > 0 else 0.0
                distances[c] = zeros[g, c] + changes[g, c]
            hits[codes[i], g] += weights[i] * is_nearest(distances, bonus, g, codes[i])
