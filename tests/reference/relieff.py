"""Relief scores straight from their definition, in exact fractions: a tie is a tie."""

from fractions import Fraction

import numpy as np


def relief_scores(
    X, codes, *, k, is_euclidean=False, is_squared=False, is_categorical=None, weights=None
):
    """Scores of all features; NaN is a missing value, a weight a number of copies.

    Classic with `is_squared=False`, the formula of section 3.3.2 with `is_squared=True`.
    """
    X = np.asarray(X, dtype=float)
    weights = np.ones(len(X)) if weights is None else weights
    counted = np.flatnonzero(weights)
    table = _Table(X[counted], codes[counted], weights[counted], is_categorical)
    n, n_features = counted.size, X.shape[1]
    scores = [Fraction(0)] * n_features
    for i in range(n):
        nearness = [
            sum(table.mean_difference(i, j, f, is_euclidean) for f in range(n_features))
            for j in range(n)
        ]
        for c in set(table.codes):
            neighbours = _neighbours(table, i, c, nearness, k)
            total = sum(part for _, part in neighbours)
            factor = table.factor(table.codes[i], c, is_squared)
            for j, part in neighbours:
                for f in range(n_features):
                    difference = table.mean_difference(i, j, f, is_squared)
                    scores[f] += table.weights[i] * factor * part / total * difference
    total = 1 if is_squared else sum(table.weights)
    return np.array([float(score / total) for score in scores])


def _neighbours(table, i, c, nearness, k):
    """Nearest samples of class c that weigh k together; the furthest of them share what is left."""
    members = [j for j in range(len(table.X)) if table.codes[j] == c]
    weights = {j: table.weights[j] - (j == i) for j in members}
    members = [j for j in members if weights[j] > 0]
    taken, left = [], Fraction(k)
    for distance in sorted({nearness[j] for j in members}):
        tied = [j for j in members if nearness[j] == distance]
        total = sum(weights[j] for j in tied)
        part = min(Fraction(1), left / total)
        if part > 0:
            taken += [(j, part * weights[j]) for j in tied]
        left -= part * total
    return taken


class _Table:
    def __init__(self, X, codes, weights, is_categorical):
        self.X = [[None if np.isnan(x) else Fraction(x) for x in row] for row in X]
        self.codes = codes.tolist()
        self.weights = [Fraction(weight) for weight in weights]
        n_features = X.shape[1]
        self.is_categorical = [False] * n_features if is_categorical is None else is_categorical
        columns = [[row[f] for row in self.X if row[f] is not None] for f in range(n_features)]
        self.ranges = [max(column) - min(column) if column else 0 for column in columns]
        self.known = {}

    def factor(self, own, c, is_squared):
        """Minus one for hits, the prior for misses, in the classic form of all other classes."""
        if c == own:
            return Fraction(-1)
        total = sum(self.weights)
        prior = sum(w for w, code in zip(self.weights, self.codes, strict=True) if code == c)
        own_prior = sum(w for w, code in zip(self.weights, self.codes, strict=True) if code == own)
        return prior / total if is_squared else prior / (total - own_prior)

    def values(self, i, f):
        """Values that sample i may have in feature f, with their weights."""
        if self.X[i][f] is not None:
            return [(self.X[i][f], Fraction(1))]
        rows = range(len(self.X))
        present = [r for r in rows if self.X[r][f] is not None]
        own = [r for r in present if self.codes[r] == self.codes[i]]
        return [(self.X[r][f], self.weights[r]) for r in own or present]

    def mean_difference(self, i, j, f, is_squared):
        """Mean over all values that either of the two may have."""
        key = (min(i, j), max(i, j), f, is_squared)
        if key not in self.known:
            pairs = [(a, b, v * w) for a, v in self.values(i, f) for b, w in self.values(j, f)]
            total = sum(weight for _, _, weight in pairs)
            self.known[key] = sum(
                (weight * self.difference(a, b, f, is_squared) / total for a, b, weight in pairs),
                Fraction(0),
            )
        return self.known[key]

    def difference(self, a, b, f, is_squared):
        """Difference of two values: 0 or 1, or a share of the range."""
        if self.is_categorical[f]:
            return Fraction(a != b)
        if self.ranges[f] == 0:
            return Fraction(0)
        share = abs(a - b) / self.ranges[f]
        return share * share if is_squared else share
