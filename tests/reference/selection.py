"""The choice of features by plain loops: each model of each size is fitted anew in each fold."""

from typing import NamedTuple

import numpy as np
from sklearn.feature_selection import SelectFromModel
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from centroidal import (
    DisjointCentroidClassifier,
    FisherSubspaceClassifier,
    L21CentroidSelector,
    MarginSelector,
    RecursiveRidgeSelector,
    ReliefFSelector,
    SparseCenterClassifier,
)

from .compare import corrected_error, folds_and_seeds

METHODS = ("l2", "l1", "disjoint", "fisher", "l21", "recursive", "relief")
SCORES = {"accuracy": accuracy_score, "balanced_accuracy": balanced_accuracy_score}


def model_of(method, size, *, impute=None, is_sparse=False):
    """The classifier of a method with a number of features, as a user would write it."""
    if method == "l2":
        steps = [SparseCenterClassifier(size, scale="std" if is_sparse else "within")]
    elif method == "l1":
        steps = [SparseCenterClassifier(size, metric="l1", scale="mad")]
    else:
        steps = [StandardScaler(with_mean=not is_sparse), *ranked_steps(method, size)]
    if impute is not None:
        steps = [SimpleImputer(strategy=impute), *steps]
    return steps[0] if len(steps) == 1 else make_pipeline(*steps)


def ranked_steps(method, size):
    if method == "disjoint":
        return MarginSelector(size), DisjointCentroidClassifier("margin")
    if method == "fisher":
        rule = FisherSubspaceClassifier()
        selector = SelectFromModel(rule, max_features=size, threshold=-np.inf, norm_order=2)
        return selector, FisherSubspaceClassifier()
    if method == "recursive":
        whitened = SparseCenterClassifier(metric="mahalanobis", scale="within")
        return RecursiveRidgeSelector(size), whitened
    selectors = {
        "l21": L21CentroidSelector(n_features_to_select=size, tol=1e-4),
        "relief": ReliefFSelector(size),
    }
    return selectors[method], LogisticRegression(max_iter=1000)


def sizes_of(method, n_features, n_classes):
    """Numbers of features that are tried."""
    if method in ("l2", "l1"):
        sizes = np.geomspace(1, n_features, 50)
    else:
        sizes = np.geomspace(1, min(n_features, 256), 17)
    sizes = sorted({round(size) for size in sizes.tolist()})
    return [size for size in sizes if size >= n_classes] if method == "disjoint" else sizes


def choose(sizes, scores, folds, rule):
    """The size that scores, a list of one a fold for each size, speak for; and its mean score."""
    means = [np.mean(each) for each in scores]
    best = next(i for i in range(len(sizes)) if means[i] >= max(means) - 1e-12)
    if rule == "best":
        return best, means[best]
    bar = means[best] - corrected_error(scores[best], folds) - 1e-12
    chosen = next(i for i in range(len(sizes)) if means[i] >= bar)
    return chosen, means[chosen]


class Question(NamedTuple):
    """What is asked for, and of which data."""

    X: np.ndarray
    y: np.ndarray
    folds: list
    fold_seeds: list
    n_folds: int
    rule: str = "one_se"
    scoring: str = "accuracy"
    impute: str | None = None
    is_sparse: bool = False

    @classmethod
    def of(cls, X, y, random_state, n_folds, n_repeats, **options):
        """Cut the samples as a seed tells."""
        folds, fold_seeds = folds_and_seeds(random_state, X, y, n_folds, n_repeats)
        return cls(X, y, folds, fold_seeds, n_folds, **options)

    def predict(self, method, size, train, test):
        model = model_of(method, size, impute=self.impute, is_sparse=self.is_sparse)
        return model.fit(self.X[train], self.y[train]).predict(self.X[test])

    def score(self, test, predicted):
        return SCORES[self.scoring](self.y[test], predicted)

    def inner_folds(self, number):
        """The other folds that were drawn with one, each to be tested without both."""
        first = number - number % self.n_folds
        _, mine = self.folds[number]
        others = [first + i for i in range(self.n_folds) if first + i != number]
        return [
            (np.setdiff1d(train, mine), test)
            for train, test in (self.folds[other] for other in others)
        ]


class Tried(NamedTuple):
    """What a method does in all folds."""

    sizes: list
    predicted: list  # of each fold, for each size
    scores: list  # for each size, of each fold
    chosen: list  # in each fold, by its training set
    inner_scores: list  # of what is chosen


def try_method(question, method, sizes=None):
    """Predict each test set with each size, and let each training set choose a size."""
    if sizes is None:
        sizes = sizes_of(method, question.X.shape[1], len(set(question.y.tolist())))
    predicted = [
        [question.predict(method, size, train, test) for size in sizes]
        for train, test in question.folds
    ]
    scores = [
        [
            question.score(test, of_fold[i])
            for (_, test), of_fold in zip(question.folds, predicted, strict=True)
        ]
        for i in range(len(sizes))
    ]
    choices = [choose_inside(question, method, sizes, i) for i in range(len(question.folds))]
    return Tried(sizes, predicted, scores, *map(list, zip(*choices, strict=True)))


def choose_inside(question, method, sizes, number):
    folds = question.inner_folds(number)
    scores = [
        [question.score(test, question.predict(method, size, part, test)) for part, test in folds]
        for size in sizes
    ]
    return choose(sizes, scores, folds, question.rule)


class Answer(NamedTuple):
    """What is selected, and how well it does on unseen samples."""

    method: str
    size: int
    methods: list  # that each fold chose
    sizes: list
    predictions: list
    scores: list


def answer_of(question, tried):
    """Of several methods, the one whose choice scores best, in all folds and inside each."""
    chosen = {
        method: choose(each.sizes, each.scores, question.folds, question.rule)
        for method, each in tried.items()
    }
    method = max(chosen, key=lambda name: chosen[name][1])
    size = tried[method].sizes[chosen[method][0]]
    methods, sizes, predictions, scores = [], [], [], []
    for number, (_, test) in enumerate(question.folds):
        winner = max(tried, key=lambda name: tried[name].inner_scores[number])
        position = tried[winner].chosen[number]
        methods.append(winner)
        sizes.append(tried[winner].sizes[position])
        predictions.append(tried[winner].predicted[number][position])
        scores.append(question.score(test, predictions[-1]))
    return Answer(method, size, methods, sizes, predictions, scores)


def random_scores(question, sizes):
    """Mean score, for each size and fold, of nearest centers on the first of mixed features."""
    table = []
    for size in sizes:
        row = []
        for (train, test), seed in zip(question.folds, question.fold_seeds, strict=True):
            source = np.random.RandomState(seed)
            orders = [source.permutation(question.X.shape[1]) for _ in range(5)]
            row.append(np.mean([score_on(question, order[:size], train, test) for order in orders]))
        table.append(row)
    return table


def score_on(question, columns, train, test):
    X = question.X[:, columns]
    model = model_of("l2", None, impute=question.impute, is_sparse=question.is_sparse)
    predicted = model.fit(X[train], question.y[train]).predict(X[test])
    return question.score(test, predicted)
