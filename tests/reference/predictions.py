"""Distances and decisions by loops over samples, classes and features."""

import numpy as np


def distances(X, centers, scale, metric):
    """Squared l2 or l1 distance from every sample to every center."""
    out = np.zeros((len(X), len(centers)))
    for i, x in enumerate(X):
        for c, center in enumerate(centers):
            for j in range(len(x)):
                deviation = abs(float(x[j]) - center[j]) / scale[j]
                out[i, c] += deviation**2 if metric == "l2" else deviation
    return out


def nearest(X, centers, scale, metric):
    """Position of the nearest center; the first one of several equally near."""
    return distances(X, centers, scale, metric).argmin(axis=1)


def signed_difference(X, centers, metric):
    """Eqs. (7) and (9): how much nearer the second center is than the first."""
    negative, positive = centers
    if metric == "l2":
        constant = sum(negative**2) - sum(positive**2)
        return np.array([constant + 2 * sum(x * (positive - negative)) for x in X])
    return np.array([sum(abs(x - negative)) - sum(abs(x - positive)) for x in X])
