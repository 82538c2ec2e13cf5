"""Nested cross-validation by plain loops, with everything fitted anew where it is needed."""

import math

import numpy as np
from sklearn.base import clone
from sklearn.feature_selection import f_classif
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestCentroid

from .folds import cut_repeats


def folds_and_seeds(random_state, y, n_folds, n_repeats):
    """Outer folds and a seed for each: the seed of the folds is drawn first, then the others."""
    source = np.random.RandomState(random_state)
    folds = cut_repeats(y, n_folds, n_repeats, int(source.randint(2**31 - 1)))
    return folds, source.randint(2**31 - 1, size=len(folds)).tolist()


def predict_by_best_features(X, y, X_new, size):
    """Nearest centroid on the standardised features of the highest F statistic."""
    mean, spread = X.mean(axis=0), X.std(axis=0)
    scores = f_classif((X - mean) / spread, y)[0]
    kept = np.sort(np.argsort(scores, kind="stable")[-size:])
    centroids = NearestCentroid().fit(((X - mean) / spread)[:, kept], y)
    return centroids.predict(((X_new - mean) / spread)[:, kept]), kept


def choose_size(X, y, sizes, n_inner):
    """Number of features with the best mean accuracy over inner folds; the first of equals."""
    means = []
    for size in sizes:
        hits = []
        for train, test in StratifiedKFold(n_inner).split(X, y):
            predicted, _ = predict_by_best_features(X[train], y[train], X[test], size)
            hits.append(np.mean(predicted == y[test]))
        means.append(np.mean(hits))
    return sizes[int(np.argmax(means))]


def nested(X, y, folds, sizes, n_inner):
    """Scores, chosen sizes, kept features and predictions of the outer folds."""
    found = []
    for train, test in folds:
        size = choose_size(X[train], y[train], sizes, n_inner)
        predicted, kept = predict_by_best_features(X[train], y[train], X[test], size)
        found.append((np.mean(predicted == y[test]), size, kept, predicted))
    return found


def seeded_scores(model, X, y, folds, seeds):
    """Accuracy of a model with a `random_state` in each fold."""
    scores = []
    for (train, test), seed in zip(folds, seeds, strict=True):
        fitted = clone(model).set_params(random_state=seed).fit(X[train], y[train])
        scores.append(np.mean(fitted.predict(X[test]) == y[test]))
    return scores


def corrected_error(scores, folds):
    """Nadeau and Bengio's standard error of the mean score."""
    mean = sum(scores) / len(scores)
    variance = sum((score - mean) ** 2 for score in scores) / (len(scores) - 1)
    ratio = sum(len(test) / len(train) for train, test in folds) / len(folds)
    return math.sqrt(variance * (1 / len(scores) + ratio))


def count_confusion(y, folds, predictions, classes):
    """How often a class was taken for a class, sample by sample."""
    counts = {(true, guess): 0 for true in classes for guess in classes}
    for (_, test), predicted in zip(folds, predictions, strict=True):
        for true, guess in zip(y[test], predicted, strict=True):
            counts[true, guess] += 1
    return np.array([[counts[true, guess] for guess in classes] for true in classes])
