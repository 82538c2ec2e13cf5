"""Clusters of two or more classes play against each other, and a jury looks at the results."""

from math import ceil, log

import numpy as np


def exponent(sizes):
    """Eq. (5.21) from the number of clusters of each class; with more classes, the largest."""
    found = []
    for k, size in enumerate(sizes):
        own = max(size, 3)
        others = max(sum(sizes) - sizes[k], 3)
        found.append(ceil(log(own) / log(others / (others - 2)) - 1e-9) + 1)
    return max(found)


def activation(x, t):
    return x**t if x > 0 else 0.0


def two_teams(table, t):
    """Sums of eq. (5.22) for a table of A's clusters by B's, +1 where A's cluster won."""
    n_a, n_b = table.shape
    team_a = sum(activation(sum(table[i, j] for j in range(n_b)) / n_b, t) for i in range(n_a))
    team_b = sum(activation(sum(-table[i, j] for i in range(n_a)) / n_a, t) for j in range(n_b))
    return team_a, team_b


def winner_of_two(table, distances, t):
    """Whether A wins: by the jury, then by the sum of the distances, and B if that is 0 too."""
    team_a, team_b = two_teams(table, t)
    if abs(team_a - team_b) > 1e-12:
        return team_a > team_b
    return distances.sum() > 0


def class_scores(matches, results, cluster_class, t):
    """Score of each class; `results` holds +1 where the first cluster of a match won."""
    cluster_class = list(cluster_class)
    scores = np.zeros(max(cluster_class) + 1)
    for cluster, c in enumerate(cluster_class):
        balance = opponents = 0
        for (first, second), result in zip(matches, results, strict=True):
            if cluster in (first, second):
                opponents += 1
                balance += result if cluster == first else -result
        scores[c] += activation(balance / opponents, t)
    return scores


def class_distances(matches, distances, cluster_class):
    """Summed signed distances from the borders of its matches, for each class."""
    sums = np.zeros(max(cluster_class) + 1)
    for (first, second), distance in zip(matches, distances, strict=True):
        sums[cluster_class[first]] += distance
        sums[cluster_class[second]] -= distance
    return sums
