"""Scores of selected features, by fitting everything anew for each fold and number of features."""

from itertools import combinations

import numpy as np
from sklearn.base import clone


def score_features(X, y, train, test, columns, estimator):
    """Accuracy on the test set of a classifier that sees some columns alone."""
    columns = sorted(columns)
    model = clone(estimator).fit(X[train][:, columns], y[train])
    return np.mean(model.predict(X[test][:, columns]) == y[test])


def selected_scores(select, X, y, folds, sizes, estimator):
    """Accuracy for each fold and size; `select(X, y, size)` returns columns."""
    scores = np.empty((len(folds), len(sizes)))
    for row, (train, test) in enumerate(folds):
        for column, size in enumerate(sizes):
            kept = select(X[train], y[train], size)
            scores[row, column] = score_features(X, y, train, test, kept, estimator)
    return scores


def random_scores(seed, n_random, X, y, folds, sizes, estimator):
    """Accuracy of random features: a seed a fold is drawn first, from which all rankings follow."""
    seeds = np.random.RandomState(seed).randint(2**31 - 1, size=len(folds))
    scores = np.zeros((len(folds), len(sizes)))
    for row, (train, test) in enumerate(folds):
        source = np.random.RandomState(seeds[row])
        for _ in range(n_random):
            ranking = source.permutation(X.shape[1])
            for column, size in enumerate(sizes):
                found = score_features(X, y, train, test, ranking[:size], estimator)
                scores[row, column] += found / n_random
    return scores


def mean_overlap(rankings, size):
    """Share of the first features that two folds have in common, averaged over all pairs."""
    pairs = combinations([set(ranking[:size].tolist()) for ranking in rankings], 2)
    return np.mean([len(one & other) / size for one, other in pairs])
