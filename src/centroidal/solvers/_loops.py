"""Compiled loops over ranked features; nothing is checked here."""

import numpy as np

from .._jit import compiled


@compiled
def loss(difference, is_l1):
    """Loss of one feature: absolute or squared."""
    return abs(difference) if is_l1 else difference * difference


@compiled
def nearest(distances, bonus, g):
    """Class of the smallest distance less its bonus; the first of several."""
    best, smallest = 0, np.inf
    for c in range(distances.size):
        distance = distances[c] - bonus[g, c]
        if distance < smallest:
            best, smallest = c, distance
    return best


@compiled
def add_dense_hits(
    X, rows, codes, weights, ranking, centers, scale, is_l1, grid, bonus, distances, hits
):
    """Add up the weight of the samples that are right with the `grid[g]` best features.

    `centers` is by original column; distances grow along the ranking, one feature at a time.
    """
    for i in rows:
        for c in range(distances.size):
            distances[c] = 0.0
        r = 0
        for g in range(grid.size):
            while r < grid[g]:
                j = ranking[r]
                for c in range(distances.size):
                    distances[c] += loss((X[i, j] - centers[c, j]) / scale[j], is_l1)
                r += 1
            if nearest(distances, bonus, g) == codes[i]:
                hits[codes[i], g] += weights[i]


@compiled
def add_sparse_hits(
    entries, rows, codes, weights, step_of, centers, scale, is_l1, zeros, bonus, changes, hits
):
    """Do what `add_dense_hits` does for CSR rows, without touching implicit zeros.

    `step_of[j]` is the first point of the grid at which column `j` is selected, `zeros[g, c]` the
    distance of a sample of zeros; each stored entry changes it from its step on.
    """
    data, indices, indptr = entries
    n_steps, n_classes = zeros.shape
    distances = np.empty(n_classes)
    for i in rows:
        for g in range(n_steps):
            for c in range(n_classes):
                changes[g, c] = 0.0
        for position in range(indptr[i], indptr[i + 1]):
            j = indices[position]
            if step_of[j] < n_steps:
                for c in range(n_classes):
                    center = centers[c, j] / scale[j]
                    value = data[position] / scale[j]
                    changes[step_of[j], c] += loss(value - center, is_l1) - loss(center, is_l1)
        for c in range(n_classes):
            distances[c] = 0.0
        for g in range(n_steps):
            for c in range(n_classes):
                changes[g, c] += changes[g - 1, c] if g > 0 else 0.0
                distances[c] = zeros[g, c] + changes[g, c]
            if nearest(distances, bonus, g) == codes[i]:
                hits[codes[i], g] += weights[i]
