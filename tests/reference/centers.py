"""The training problem by enumeration of every subset of features."""

from itertools import combinations

import numpy as np

from .medians import class_medians
from .moments import class_moments


def objective(X, codes, centers, metric, weights=None):
    """Mean loss around the center of each class, summed over the classes."""
    weights = np.ones(len(X)) if weights is None else weights
    total = 0.0
    for c, center in enumerate(centers):
        rows = np.flatnonzero((codes == c) & (weights > 0))
        if rows.size:
            deviations = np.abs(X[rows] - center)
            losses = (deviations**2 if metric == "l2" else deviations).sum(axis=1)
            total += weights[rows] @ losses / weights[rows].sum()
    return total


def center_pairs(X, codes, n_classes, metric, weights=None):
    """Return the best center of each class and the best one that all classes share, per feature."""
    if metric == "l1":
        medians = class_medians(X, codes, n_classes, weights)
        return medians.medians, medians.shared
    means = class_moments(X, codes, n_classes, weights).means
    return means, means.mean(axis=0)


def best_subsets(X, codes, n_classes, k, metric, weights=None):
    """Return the least objective over all subsets of at most `k` features, and who attains it."""
    own, shared = center_pairs(X, codes, n_classes, metric, weights)
    n_features = X.shape[1]
    values = {}
    for size in range(k + 1):
        for kept in combinations(range(n_features), size):
            centers = np.tile(shared, (n_classes, 1))
            centers[:, kept] = own[:, kept]
            values[kept] = objective(X, codes, centers, metric, weights)
    least = min(values.values())
    return least, [kept for kept, value in values.items() if value <= least + 1e-9]
