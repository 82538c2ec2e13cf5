"""Many classes from any classifier of two: a graph of decisions."""

from itertools import combinations
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.metrics import recall_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.parallel import Parallel, delayed

from .. import _state as state
from .._data import check_as_given, check_fitted, check_labels
from .._parameters import check_classifier, check_parameters, choice
from .._typing import ArrayLike, Estimator, Floats, PairOrder
from ._base import DecisionMixin, score_both_classes

__all__ = ["DecisionDAGClassifier"]

_MOST_FOLDS = 3  # in which the accuracy of a pair is measured


def _n_pairs(sizes):
    return sizes["classes"] * (sizes["classes"] - 1) // 2


def _check_pairs(value, sizes):
    pairs = set(combinations(range(sizes["classes"]), 2))
    if not isinstance(value, dict) or value.keys() != pairs:
        raise state.StateError(f"must hold a classifier for each of {len(pairs)} pairs of classes")
    for pair, each in value.items():
        try:
            state.estimator(each, sizes)
        except state.StateError as error:
            raise error.inside(f"[{pair}]") from None


class DecisionDAGClassifier(MetaEstimatorMixin, DecisionMixin, BaseEstimator):
    """Classifier of many classes that drops one of them after the other (DDAG).

    One classifier is trained for each pair of classes. A sample is first tested for the first class
    against the last one; the loser is dropped, and the same is done with the classes that are left,
    until one is (:cite:t:`Rozza2010`, section 6.2.1). So each prediction takes one test less than
    there are classes, of the :math:`C (C - 1) / 2` that were trained.

    Parameters
    ----------
    estimator : classifier
        Any classifier of two classes that follows scikit-learn's conventions; it is cloned.
    order : {"labels", "accuracy"}, default="labels"
        Which test comes first. "labels": the first class that is left against the last one.
        "accuracy": of all pairs of classes that are left the one that is told apart best, by
        balanced accuracy in three folds of the training samples; four times as many are trained.
    n_jobs : int or None, default=None
        Number of jobs over the pairs of classes in `fit`, as in joblib.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted, which is the order of the tests.
    estimators_ : dict of classifiers
        For the positions ``(i, j)`` in `classes_` of each two classes, ``i < j``, the classifier
        that was trained on their samples.
    pair_accuracies_ : ndarray of shape (n_pairs,) or None
        With ``order="accuracy"``, how well the pairs, in the order of `estimators_`, are told
        apart.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    KernelFisherSubspaceClassifier : The classifier of two classes of the thesis.
    FisherSubspace : The projection that precedes it.
    sklearn.multiclass.OneVsOneClassifier : Asks all pairs and counts votes.

    Notes
    -----
    DDAG K-TIPCAC of the thesis is ``make_pipeline(FisherSubspace(),
    DecisionDAGClassifier(KernelFisherSubspaceClassifier()))``; the projection mostly costs
    accuracy.

    `decision_function` of more than two classes holds the number of tests that a class survived,
    plus or minus less than one half for how clear its last one was. There are no probabilities:
    most pairs are never asked.

    **Where we differ** from the thesis: nothing is left open. The result depends on the order of
    the tests, by default that of the sorted labels. Every sample takes part in C - 1 trainings.
    Rows are handed to the estimators as they are: data frames, sparse matrices, and kernel matrices
    if the estimator takes them.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.pipeline import make_pipeline
    >>> from centroidal import DecisionDAGClassifier, FisherSubspace, FisherSubspaceClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = DecisionDAGClassifier(FisherSubspaceClassifier()).fit(X[:1000], y[:1000])
    >>> len(model.estimators_)
    45
    >>> model.score(X[1000:], y[1000:]) > 0.9
    True
    >>> projected = make_pipeline(FisherSubspace(), model).fit(X[:1000], y[:1000])
    >>> projected.score(X[1000:], y[1000:]) > 0.85
    True
    """

    estimators_: dict[Any, Any]
    pair_accuracies_: Floats | None

    _state = state.LABELLED | {
        "estimators_": _check_pairs,
        "pair_accuracies_": state.optional(state.floats(_n_pairs, least=0.0)),
        "_codes": state.optional(state.positions("rows", below="classes")),
    }

    _checks = {"estimator": check_classifier, "order": choice(PairOrder)}

    def __init__(
        self, estimator: Estimator, *, order: PairOrder = "labels", n_jobs: int | None = None
    ) -> None:
        self.estimator = estimator
        self.order = order
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train a classifier for each pair of classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, for estimators that take them.
        """
        check_parameters(self)
        check_classifier("estimator", self.estimator, sample_weight)
        data = check_labels(self, X, y, sample_weight)
        labels = data.classes[data.codes]

        def job(run, pair):
            rows = np.flatnonzero(np.isin(data.codes, pair))
            part = _safe_indexing(data.X, rows)
            part = _safe_indexing(part, rows, axis=1) if self._is_pairwise else part
            weights = None if data.weights is None else data.weights[rows]
            return delayed(run)(self.estimator, part, labels[rows], weights)

        def of_pairs(run):
            return Parallel(n_jobs=self.n_jobs)(job(run, pair) for pair in pairs)

        pairs = list(combinations(range(data.classes.size), 2))
        fitted = of_pairs(_fit_clone)
        accuracies = of_pairs(_measure_accuracy) if self.order == "accuracy" else None

        data.features.keep(self)
        self.classes_ = data.classes
        self.estimators_ = dict(zip(pairs, fitted, strict=True))
        self.pair_accuracies_ = None if accuracies is None else np.array(accuracies)
        self._codes = data.codes if self._is_pairwise else None
        return self

    def _class_scores(self, X):
        check_fitted(self)
        X = check_as_given(self, X)
        n_classes = self.classes_.size
        if n_classes == 2:
            margins = self._margins(X, np.arange(X.shape[0]), (0, 1))
            return score_both_classes(margins[:, None])
        scores = np.empty((X.shape[0], n_classes))
        is_left = np.ones(scores.shape, dtype=bool)
        for low, high in self._tests():
            rows = np.flatnonzero(is_left[:, low] & is_left[:, high])
            if rows.size:
                margins = self._margins(X, rows, (low, high))
                loser = np.where(margins > 0.0, low, high)
                n_passed = n_classes - is_left[rows].sum(axis=1)
                clear = 0.5 - 0.5 / (1.0 + np.abs(margins))
                scores[rows, loser] = n_passed - clear
                # Holds if this was the last test, else a later one overwrites it.
                scores[rows, low + high - loser] = n_passed + 1 + clear
                is_left[rows, loser] = False
        return scores

    def _tests(self):
        """Pairs of classes, in an order in which the first one that is left is the next test."""
        pairs = list(self.estimators_)
        if self.pair_accuracies_ is None:
            return sorted(pairs, key=lambda pair: pair[0] - pair[1])  # the widest first
        return [pairs[i] for i in np.argsort(-self.pair_accuracies_, kind="stable")]

    @property
    def _is_pairwise(self):
        return get_tags(self.estimator).input_tags.pairwise

    def _margins(self, X, rows, pair):
        """How clearly samples belong to the second class of a pair; not at all if not positive."""
        estimator = self.estimators_[pair]
        part = X if rows.size == X.shape[0] else _safe_indexing(X, rows)
        if self._codes is not None:
            part = _safe_indexing(part, np.flatnonzero(np.isin(self._codes, pair)), axis=1)
        if hasattr(estimator, "decision_function"):
            return estimator.decision_function(part)
        if hasattr(estimator, "predict_proba"):
            return np.diff(estimator.predict_proba(part), axis=1)[:, 0]
        return np.where(estimator.predict(part) == self.classes_[pair[1]], 1.0, -1.0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        tags.input_tags.pairwise = inner.pairwise
        return tags


def _fit_clone(estimator, X, y, weights):
    if weights is None:
        return clone(estimator).fit(X, y)
    return clone(estimator).fit(X, y, sample_weight=weights)


def _measure_accuracy(estimator, X, y, weights):
    """Balanced accuracy in a few folds; a half for a class that cannot be parted."""
    n_folds = min(_MOST_FOLDS, np.unique(y, return_counts=True)[1].min())
    if n_folds < 2:
        return 0.5
    params = None if weights is None else {"sample_weight": weights}
    predicted = cross_val_predict(estimator, X, y, cv=StratifiedKFold(n_folds), params=params)
    return recall_score(y, predicted, average="macro", sample_weight=weights)
