"""The choice of features in a stream by plain loops: all rows at hand, every model fitted anew."""

from typing import NamedTuple

import numpy as np
from sklearn.metrics import confusion_matrix

from .selection import Question, choose, model_of, sizes_of


class Selected(NamedTuple):
    """What comes out."""

    confusions: np.ndarray  # of each fold and size
    random_scores: np.ndarray  # of each fold and size
    chosen: list  # number of features that each fold chooses
    score: float
    random_score: float
    n_features: int


def slow_selection(
    X, y, folds, *, method, n_features_to_select, rule, scoring, seed, is_sparse=False, costs=None
):
    """Select features of rows whose folds are given."""
    sizes = sizes_of(method, X.shape[1], len(set(y)))
    n_features = n_features_to_select
    if n_features != "auto":
        sizes = sorted({*sizes, n_features})
    numbers = range(folds.max() + 1)
    ask, labels = Question(X, y, [], [], 0, scoring=scoring, costs=costs).ask, np.unique(y)

    def predictions(left_out, fold):
        train, test = ~np.isin(folds, left_out), folds == fold
        models = [model_of(method, size, is_sparse=is_sparse) for size in sizes]
        return [ask(model.fit(X[train], y[train]), X[test], y[test]) for model in models]

    seeds = np.random.RandomState(seed).randint(2**31 - 1, size=len(numbers))
    confusions, random_scores, chosen, nested, at_random, outer = [], [], [], [], [], []
    for fold in numbers:
        truth, found = y[folds == fold], predictions([fold], fold)
        confusions.append([confusion_matrix(truth, each, labels=labels) for each, _ in found])
        outer.append([score for _, score in found])
        position = _position(sizes, n_features)
        if n_features == "auto":
            others = [each for each in numbers if each != fold]
            inner = [[score for _, score in predictions([fold, other], other)] for other in others]
            position, _ = choose(sizes, np.transpose(inner).tolist(), _even(len(others)), rule)
        chosen.append(sizes[position])
        nested.append(outer[-1][position])
        source = np.random.RandomState(seeds[fold])
        drawn = [source.permutation(X.shape[1]) for _ in range(5)]
        scores = [_random_scores(X, y, folds, fold, sizes, each, method, ask) for each in drawn]
        random_scores.append(np.mean(scores, axis=0))
        at_random.append(random_scores[-1][position])

    position = _position(sizes, n_features)
    if n_features == "auto":
        cut = [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in numbers]
        position, _ = choose(sizes, np.transpose(outer).tolist(), cut, rule)
    return Selected(
        np.array(confusions), np.array(random_scores), chosen, np.mean(nested),
        np.mean(at_random), sizes[position],
    )  # fmt: skip


def _position(sizes, n_features):
    return None if n_features == "auto" else sizes.index(n_features)


def _even(n_folds):
    """Folds of equal size, as far as the standard error is concerned."""
    return [(np.arange(1, n_folds), np.arange(1))] * n_folds


def _random_scores(X, y, folds, fold, sizes, drawn, method, ask):
    train, test = folds != fold, folds == fold
    scores = []
    for size in sizes:
        columns = np.sort(drawn[:size])
        model = model_of(method, None, is_sparse=not isinstance(X, np.ndarray))
        model.fit(X[train][:, columns], y[train])
        scores.append(ask(model, X[test][:, columns], y[test])[1])
    return scores
