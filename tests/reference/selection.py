"""The choice of features by plain loops: each model of each size is fitted anew in each fold."""

from statistics import stdev
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    log_loss,
    roc_auc_score,
)
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
    WhitenedCenterClassifier,
)
from centroidal.model_selection.linear_svm import ProbabilityLinearSVC

from .compare import corrected_error
from .folds import cut_repeats

METHODS = ("l2", "l1", "disjoint", "fisher", "l21", "recursive", "relief")
SCORES = {"accuracy": accuracy_score, "balanced_accuracy": balanced_accuracy_score}
LOSSES = {"neg_log_loss": log_loss, "neg_brier_score": brier_score_loss}
RANKED = {"roc_auc": roc_auc_score, "average_precision": average_precision_score}


# Solved to many digits: the package has solvers of its own for the last two.
CLASSIFIERS = {
    "whitened centers": WhitenedCenterClassifier(),
    "nearest centers": SparseCenterClassifier(scale="within"),
    "linear SVM": ProbabilityLinearSVC(
        C=0.01, class_weight="balanced", max_iter=100_000, tol=1e-9, random_state=0
    ),
    "logistic regression": LogisticRegression(
        C=0.1, class_weight="balanced", max_iter=1000, tol=1e-8
    ),
}


OWN_CLASSIFIERS = {
    "disjoint": {"disjoint centroids": DisjointCentroidClassifier("margin")},
    "fisher": {"Fisher subspace": FisherSubspaceClassifier()},
}


def classifiers_of(method):
    """Classifiers behind a ranking, by name."""
    return CLASSIFIERS | OWN_CLASSIFIERS.get(method, {})


class Size(int):
    """A number of features, and the name of what classifies by them."""

    def __new__(cls, size, classifier):
        self = super().__new__(cls, size)
        self.classifier = classifier
        return self


def model_of(method, size, *, impute=None, is_sparse=False):
    """The classifier of a method with a number of features, as a user would write it."""
    if is_centers(method, size):
        steps = [centers_of(method, size, is_sparse)]
    else:
        steps = [StandardScaler(with_mean=not is_sparse), *ranked_steps(method, size, is_sparse)]
    if impute is not None:
        steps = [SimpleImputer(strategy=impute), *steps]
    return steps[0] if len(steps) == 1 else make_pipeline(*steps)


def is_centers(method, size):
    """Whether sparse centers both select and classify."""
    plain = "nearest centers"
    return method in ("l2", "l1") and getattr(size, "classifier", plain) == plain


def centers_of(method, size, is_sparse):
    if method == "l2":
        return SparseCenterClassifier(size, scale="std" if is_sparse else "within")
    return SparseCenterClassifier(size, metric="l1", scale="mad")


def ranked_steps(method, size, is_sparse=False):
    number = int(size)
    fisher = FisherSubspaceClassifier()
    selectors = {
        "l2": centers_of("l2", number, is_sparse),
        "l1": centers_of("l1", number, is_sparse),
        "disjoint": MarginSelector(number),
        "fisher": SelectFromModel(fisher, max_features=number, threshold=-np.inf, norm_order=2),
        "l21": L21CentroidSelector(n_features_to_select=number, tol=1e-4),
        "recursive": RecursiveRidgeSelector(number),
        "relief": ReliefFSelector(number),
    }
    classifier = clone(classifiers_of(method)[size.classifier])
    if is_sparse and size.classifier == "nearest centers":
        classifier.set_params(scale="std")
    return selectors[method], classifier


def sizes_of(method, n_features, n_classes):
    """Numbers of features that are tried."""
    if method in ("l2", "l1"):
        sizes = np.geomspace(1, n_features, 50)
    else:
        sizes = np.geomspace(1, min(n_features, 256), 17)
    sizes = sorted({round(size) for size in sizes.tolist()})
    return [size for size in sizes if size >= n_classes] if method == "disjoint" else sizes


def with_classifiers(method, sizes):
    """Each size for each classifier, where there are several and none is named."""
    if method in ("l2", "l1") or isinstance(sizes[0], Size):
        return sizes
    return [Size(size, name) for size in sizes for name in classifiers_of(method)]


def choose(sizes, scores, folds, rule):
    """The size that scores, a list of one a fold for each size, speak for; and its mean score."""
    names = [getattr(each, "classifier", None) for each in sizes]
    name = choose_classifier(names, scores, folds)
    places = [i for i in range(len(sizes)) if names[i] == name]
    means = {i: np.mean(scores[i]) for i in places}
    best = next(i for i in places if means[i] >= max(means.values()) - 1e-12)
    if rule == "one_se":
        bar = means[best] - stdev(scores[best]) / len(folds) ** 0.5 - 1e-12
        best = next(i for i in places if means[i] >= bar)
    return best, means[best]


def choose_classifier(names, scores, folds):
    """The first classifier, or another whose lead, over all sizes, exceeds its standard error."""
    chosen, least = names[0], 1e-12
    for name in dict.fromkeys(names):
        leads = [
            np.mean([scores[i][fold] for i in range(len(names)) if names[i] == name])
            - np.mean([scores[i][fold] for i in range(len(names)) if names[i] == names[0]])
            for fold in range(len(folds))
        ]
        if np.mean(leads) - corrected_error(leads, folds) > least:
            chosen, least = name, np.mean(leads) - corrected_error(leads, folds)
    return chosen


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
    costs: np.ndarray | None = None

    @classmethod
    def of(cls, X, y, random_state, n_folds, n_repeats, **options):
        """Cut the samples as a seed tells."""
        folds = cut_repeats(y, n_folds, n_repeats, random_state)
        seeds = np.random.RandomState(random_state).randint(2**31 - 1, size=len(folds)).tolist()
        return cls(X, y, folds, seeds, n_folds, **options)

    def predict(self, method, size, train, test):
        """Labels of the test set by a model of the training set, and their score."""
        model = model_of(method, size, impute=self.impute, is_sparse=self.is_sparse)
        return self.ask(model.fit(self.X[train], self.y[train]), self.X[test], self.y[test])

    def ask(self, model, X, y):
        labels = model.predict(X)
        if self.costs is not None:
            labels = cheapest(model, X, self.costs)
        if self.scoring in SCORES:
            return labels, SCORES[self.scoring](y, labels)
        if self.scoring == "neg_cost":
            places = {label: place for place, label in enumerate(model.classes_.tolist())}
            pairs = zip(y.tolist(), labels.tolist(), strict=True)
            return labels, -np.mean([self.costs[places[a], places[b]] for a, b in pairs])
        return labels, score_by_scikit_learn(self.scoring, model, X, y)

    def inner_folds(self, number):
        """The other folds that were drawn with one, each to be tested without both."""
        first = number - number % self.n_folds
        _, mine = self.folds[number]
        others = [first + i for i in range(self.n_folds) if first + i != number]
        return [
            (np.setdiff1d(train, mine), test)
            for train, test in (self.folds[other] for other in others)
        ]


def cheapest(model, X, costs):
    """Label of the least expected cost of each sample, a class at a time."""
    labels = []
    for shares in model.predict_proba(X):
        expected = [
            sum(share * costs[i, j] for i, share in enumerate(shares)) for j in range(len(costs))
        ]
        labels.append(model.classes_[int(np.argmin(expected))])
    return np.array(labels)


def score_by_scikit_learn(scoring, model, X, y):
    """Score what a model says beyond the label, as scikit-learn's scorers do."""
    shares, classes = model.predict_proba(X), model.classes_
    if scoring in LOSSES:
        return -LOSSES[scoring](y, shares, labels=classes)
    if len(classes) == 2:
        decisions = (
            model.decision_function(X) if hasattr(model, "decision_function") else shares[:, 1]
        )
        return RANKED[scoring](y == classes[1], decisions)
    one = [RANKED[scoring](y == label, shares[:, c]) for c, label in enumerate(classes)]
    return np.mean(one)


class Tried(NamedTuple):
    """What a method does in all folds."""

    sizes: list
    predicted: list  # of each fold, for each size
    scores: list  # for each size, of each fold
    chosen: list  # in each fold, by its training set
    inner_scores: list  # of what is chosen

    def of(self, classifier):
        """The same of one classifier alone, if there are several; without what is chosen."""
        places = [
            i for i, each in enumerate(self.sizes)
            if getattr(each, "classifier", classifier) == classifier
        ]  # fmt: skip
        return Tried(
            [self.sizes[i] for i in places],
            [[of_fold[i] for i in places] for of_fold in self.predicted],
            [self.scores[i] for i in places],
            [],
            [],
        )


def try_method(question, method, sizes=None):
    """Predict each test set with each size, and let each training set choose a size."""
    if sizes is None:
        sizes = sizes_of(method, question.X.shape[1], len(set(question.y.tolist())))
    sizes = with_classifiers(method, sizes)
    told = [
        [question.predict(method, size, train, test) for size in sizes]
        for train, test in question.folds
    ]
    predicted = [[labels for labels, _ in of_fold] for of_fold in told]
    scores = [[of_fold[i][1] for of_fold in told] for i in range(len(sizes))]
    choices = [choose_inside(question, method, sizes, i) for i in range(len(question.folds))]
    return Tried(sizes, predicted, scores, *map(list, zip(*choices, strict=True)))


def choose_inside(question, method, sizes, number):
    folds = question.inner_folds(number)
    scores = [
        [question.predict(method, size, part, test)[1] for part, test in folds] for size in sizes
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
    for number in range(len(question.folds)):
        winner = max(tried, key=lambda name: tried[name].inner_scores[number])
        position = tried[winner].chosen[number]
        methods.append(winner)
        sizes.append(tried[winner].sizes[position])
        predictions.append(tried[winner].predicted[number][position])
        scores.append(tried[winner].scores[position][number])
    return Answer(method, size, methods, sizes, predictions, scores)


def random_scores(question, sizes, method="l2"):
    """Mean score, for each size and fold, of nearest centers on the first of mixed features."""
    table = []
    for size in sizes:
        row = []
        for (train, test), seed in zip(question.folds, question.fold_seeds, strict=True):
            source = np.random.RandomState(seed)
            orders = [source.permutation(question.X.shape[1])[:size] for _ in range(5)]
            row.append(np.mean([score_on(question, o, train, test, method) for o in orders]))
        table.append(row)
    return table


def score_on(question, columns, train, test, method):
    X = question.X[:, columns]
    model = model_of(method, None, impute=question.impute, is_sparse=question.is_sparse)
    return question.ask(model.fit(X[train], question.y[train]), X[test], question.y[test])[1]
