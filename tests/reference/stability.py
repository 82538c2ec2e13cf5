"""Stability of selections by their definition, one pair and one entry after the other."""

from itertools import combinations

import numpy as np
from scipy.stats import norm


def index_of_sets(sets, n_features):
    """Mean squared difference of two selections, against what sizes alone would make of it.

    The unbiased variance of a column is half the mean squared difference of two of its entries, so
    the variances of all columns add up to half the mean size of a symmetric difference.
    """
    differences = [len(one ^ other) for one, other in combinations(sets, 2)]
    share = np.mean([len(each) for each in sets]) / n_features
    return 1.0 - np.mean(differences) / (2.0 * n_features) / (share * (1.0 - share))


def kuncheva(sets, n_features):
    """Mean consistency of Kuncheva over all pairs of sets of the same size."""
    values = []
    for one, other in combinations(sets, 2):
        k = len(one)
        assert len(other) == k
        values.append((len(one & other) * n_features - k**2) / (k * (n_features - k)))
    return np.mean(values)


def variance_of_index(sets, n_features):
    """Asymptotic variance as Nogueira et al. have it, entry by entry."""
    m, n = n_features, len(sets)
    frequency = [sum(j in each for each in sets) / n for j in range(m)]
    k = sum(frequency)
    index = index_of_sets(sets, m)
    phi = []
    for each in sets:
        k_i = len(each)
        value = sum(frequency[j] for j in each) / m - k_i * k / m**2
        value += index / 2.0 * (2.0 * k * k_i / m**2 - k_i / m - k / m + 1.0)
        phi.append(value / (k / m * (1.0 - k / m)))
    mean = sum(phi) / n
    return 4.0 / n**2 * sum((value - mean) ** 2 for value in phi)


def interval_of_index(sets, n_features, confidence=0.95):
    """The index plus and minus its normal error, which is not cut at 1."""
    index = index_of_sets(sets, n_features)
    error = norm.ppf(0.5 + confidence / 2.0) * np.sqrt(variance_of_index(sets, n_features))
    return index - error, index + error


def index_of_probabilities(probabilities):
    """Index of infinitely many selections, in which features have these probabilities."""
    share = np.mean(probabilities)
    chance = share * (1.0 - share)
    return 1.0 - np.mean([p * (1.0 - p) for p in probabilities]) / chance


def halves(y, seed, n_pairs):
    """Rows of complementary pairs: seeds are drawn first, then each class is mixed and cut."""
    labels = np.unique(y)
    seeds = np.random.RandomState(seed).randint(2**31 - 1, size=n_pairs)
    for each in seeds:
        source = np.random.RandomState(each)
        mixed = [source.permutation([i for i in range(len(y)) if y[i] == c]) for c in labels]
        sizes = [len(rows) // 2 for rows in mixed]
        yield sorted(i for rows, n in zip(mixed, sizes, strict=True) for i in rows[:n])
        yield sorted(i for rows, n in zip(mixed, sizes, strict=True) for i in rows[n : 2 * n])
