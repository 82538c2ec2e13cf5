"""The threshold between two classes on a line, by trying every candidate."""

import numpy as np


def score(threshold, values, is_positive, weights, strict=False):
    """Weight of the samples on their side; unless strict, one on the threshold is always right."""
    total = 0.0
    for value, positive, weight in zip(values, is_positive, weights, strict=True):
        if positive:
            right = value > threshold if strict else value >= threshold
        else:
            right = value <= threshold
        total += weight * right
    return total


def candidates(values, weights):
    """Distinct values of the samples that exist."""
    return sorted({float(v) for v, weight in zip(values, weights, strict=True) if weight > 0})


def best_score(values, is_positive, weights=None, strict=False):
    """Mean of the candidates of the highest score: eq. (3.17)."""
    weights = np.ones(len(values)) if weights is None else weights
    scores = {
        g: score(g, values, is_positive, weights, strict) for g in candidates(values, weights)
    }
    best = max(scores.values())
    return np.mean([g for g, value in scores.items() if value >= best * (1 - 1e-12)])


def balanced(values, is_positive, weights=None, balance=0.99):
    """Middle of the good candidates of either class: eqs. (3.20) to (3.22)."""
    weights = np.ones(len(values)) if weights is None else weights
    halves = []
    for side in (True, False):
        own = np.asarray(is_positive) == side
        scores = {
            g: score(g, values, is_positive, weights)
            for g in candidates(np.asarray(values)[own], np.asarray(weights)[own])
        }
        best = max(scores.values())
        halves.append(np.mean([g for g, value in scores.items() if value > balance * best]))
    return 0.5 * sum(halves)


def mahalanobis(values, is_positive, weights=None):
    """Point that is equally many standard deviations from the mean of either class."""
    values, is_positive = np.asarray(values, dtype=float), np.asarray(is_positive)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    mean, deviation = {}, {}
    for side in (True, False):
        own = is_positive == side
        mean[side] = np.average(values[own], weights=weights[own])
        variance = np.average((values[own] - mean[side]) ** 2, weights=weights[own])
        deviation[side] = np.sqrt(variance)
    return between(mean[True], mean[False], deviation[True], deviation[False])


def between(mean_a, mean_b, deviation_a, deviation_b):
    """Threshold from moments; deviations that are rounding beside the means count as none."""
    gap = abs(mean_a - mean_b)
    deviation_a, deviation_b = (s if s >= 1e-8 * gap else 0.0 for s in (deviation_a, deviation_b))
    if deviation_a + deviation_b == 0.0:
        return 0.5 * (mean_a + mean_b)
    return mean_a + deviation_a * (mean_b - mean_a) / (deviation_a + deviation_b)


def threshold(rule, values, is_positive, weights=None, balance=0.99):
    """Any of the rules by its name."""
    if rule == "balanced":
        return balanced(values, is_positive, weights, balance)
    if rule == "mahalanobis":
        return mahalanobis(values, is_positive, weights)
    return best_score(values, is_positive, weights, strict=rule == "strict")
