"""Panels, slowly: every subset is tried."""

from itertools import chain, combinations

import numpy as np


def subsets(items, most=None):
    """All subsets, also the empty one."""
    sizes = range((len(items) if most is None else most) + 1)
    return chain.from_iterable(combinations(items, size) for size in sizes)


def best_within_budget(gains, costs, budget):
    """The subset of the largest gain for a budget; gains fall, as in a ranking.

    Of equal gains the cheaper, and of these the one without the last feature that is not in both,
    in the order of gain for cost, equal ones by rank.
    """
    rates = [np.inf if cost == 0 else gain / cost for gain, cost in zip(gains, costs, strict=True)]
    order = sorted(range(len(gains)), key=lambda j: (-rates[j], -gains[j], j))
    places = {j: place for place, j in enumerate(order)}

    def merit(panel):
        cost = sum(costs[j] for j in panel)
        last_first = sorted((places[j] for j in panel), reverse=True)
        return -sum(gains[j] for j in panel), cost, last_first

    payable = [each for each in subsets(range(len(gains))) if sum(costs[j] for j in each) <= budget]
    return sorted(min(payable, key=merit))


def first_distinct(ranking, X, labels, bound, size):
    """The first features of a ranking that no feature before them is a copy of."""
    means = {label: X[labels == label].mean(axis=0) for label in set(labels)}
    centred = X - np.array([means[label] for label in labels])
    alike, kept = np.abs(np.corrcoef(centred.T)) > bound, []
    for column in ranking:
        if not any(alike[column, other] for other in kept):
            kept.append(column)
    return kept[:size]
