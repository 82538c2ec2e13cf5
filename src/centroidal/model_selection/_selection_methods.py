"""The ways to select features that `select_features` knows: how each ranks, and what classifies."""

from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from ..classifiers import (
    DisjointCentroidClassifier,
    FisherSubspaceClassifier,
    SparseCenterClassifier,
)
from ..encoders import SparseCentroidEncoder
from ..feature_selection import L21CentroidSelector, MarginSelector, ReliefFSelector
from ..solvers.path_hits import hits_along_path
from ._parts import columns_of
from ._rankings import importance_of, ranking_of
from .path import log_spaced
from .selection import confusions_of, score_of

__all__ = ["SELECTION_METHODS", "candidates", "center_scores", "method_named"]

SELECTION_METHODS = {
    "l2": "sparse centers: features whose class means are furthest apart",
    "l1": "sparse centers by medians, which outliers do not move",
    "disjoint": "features in which a class is steady, even where all means are equal",
    "fisher": "features with the largest weights in the Fisher subspace",
    "l21": "features that a convex l2,1 problem keeps, then logistic regression",
    "relief": "features that differ between near samples of different classes (ReliefF), then "
    "logistic regression",
    "encoder": "features that a sparse centroid-encoder keeps, a network, then logistic regression",
    "best": "whichever of the others, but the encoder, does best in the folds",
}
_MOST_RANKED = 256  # features that a classifier behind a ranking is tried with
_POINTS = {"centers": 50, "ranked": 17}
_MOST_FOR_ENCODER = 1000
_TOL_FOR_RANKS = 1e-4  # only the order of the features is wanted of the l2,1 problem


def candidates(method, is_sparse):
    """Names of the methods to try."""
    if method != "best":
        return (method,)
    left_out = {"best", "encoder"} | ({"l1"} if is_sparse else set())
    return tuple(name for name in SELECTION_METHODS if name not in left_out)


def method_named(name, n_features, n_classes, is_sparse, seed):
    """Return the method of a name for data of a kind."""
    if name == "l2":
        return CentersMethod(SparseCenterClassifier(scale="std" if is_sparse else "within"))
    if name == "l1":
        return CentersMethod(SparseCenterClassifier(metric="l1", scale="mad"))
    scaler = StandardScaler(with_mean=not is_sparse)
    if name == "disjoint":
        disjoint = DisjointCentroidClassifier("margin")
        return RankedMethod(scaler, MarginSelector(), disjoint, fewest=n_classes)
    if name == "fisher":
        rule = FisherSubspaceClassifier()
        selector = SelectFromModel(rule, threshold=-np.inf, norm_order=2)
        return RankedMethod(scaler, selector, rule, limit="max_features")
    logistic = LogisticRegression(max_iter=1000)
    if name == "l21":
        return RankedMethod(scaler, L21CentroidSelector(tol=_TOL_FOR_RANKS), logistic)
    if name == "relief":
        return RankedMethod(scaler, ReliefFSelector(), logistic)
    prefilter = ReliefFSelector(_MOST_FOR_ENCODER) if n_features > _MOST_FOR_ENCODER else None
    encoder = SparseCentroidEncoder(prefilter=prefilter, random_state=seed)
    return RankedMethod(scaler, encoder, logistic)


class CentersMethod(NamedTuple):
    """Sparse centers: one fit holds the models of all numbers of features."""

    estimator: SparseCenterClassifier
    fewest: int = 1

    def sizes(self, n_features):
        """Numbers of features to try."""
        return log_spaced(n_features, _POINTS["centers"])

    def fit(self, X, y):
        """Return the models of all numbers of features."""
        return CentersPath(clone(self.estimator).fit(X, y))

    def model(self, path, X, y, n_features):
        """Return the classifier with so many features, fitted to all samples."""
        del X, y  # the path knows it
        return path.model.at(n_features)

    def selector(self, n_features):
        """Return what selects so many features, not fitted."""
        return clone(self.estimator).set_params(n_features_to_select=n_features)


class CentersPath(NamedTuple):
    """Fitted sparse centers, with any number of features."""

    model: SparseCenterClassifier

    @property
    def ranking(self):
        """Columns, the best first."""
        return self.model.feature_ranking_

    @property
    def gains(self):
        """Score of each column."""
        return self.model.feature_gains_

    def predict(self, X, sizes):
        """Labels of samples for each number of features, in rows."""
        return np.array([self.model.at(int(size)).predict(X) for size in sizes])

    def scores(self, X, codes, sizes, scoring):
        """Score of samples for each number of features, in one pass over them."""
        return center_scores(self.model, self.ranking, X, codes, sizes, scoring)


def center_scores(model, ranking, X, codes, sizes, scoring):
    """Score of nearest centers on the first features of any ranking, for several sizes."""
    n_classes = model.classes_.size
    hits = hits_along_path(
        model._solution.path._replace(ranking=ranking),
        X,
        np.arange(codes.size),
        codes,
        np.ones(codes.size),
        is_l1=model.metric == "l1",
        grid=sizes,
        bonus=np.zeros((n_classes, sizes.size)),
    )
    if scoring == "accuracy":
        return hits.sum(axis=0) / codes.size
    return (hits / np.bincount(codes, minlength=n_classes)[:, None]).mean(axis=0)


class RankedMethod(NamedTuple):
    """Features of unit variance, a selector that ranks them, a classifier on the first ones."""

    scaler: StandardScaler
    ranker: BaseEstimator
    classifier: BaseEstimator
    limit: str = "n_features_to_select"
    fewest: int = 1

    def sizes(self, n_features):
        """Numbers of features to try."""
        sizes = log_spaced(min(n_features, _MOST_RANKED), _POINTS["ranked"])
        return sizes[sizes >= min(self.fewest, n_features)]

    def fit(self, X, y):
        """Rank the features; the classifiers are fitted when they are asked for."""
        scaler = clone(self.scaler).fit(X)
        Z = scaler.transform(X)
        ranker = clone(self.ranker).fit(Z, y)
        fitted = getattr(ranker, "estimator_", ranker)
        ranking = ranking_of(fitted, X.shape[1])
        return RankedPath(ranking, importance_of(fitted), scaler, self.classifier, Z, y)

    def model(self, path, X, y, n_features):
        """Return the classifier with so many features, fitted to all samples."""
        del path  # it does not keep the selector that new samples have to go through
        steps = [*self.selector(n_features).steps, ("classify", clone(self.classifier))]
        return Pipeline(steps).fit(X, y)

    def selector(self, n_features):
        """Return what selects so many features, not fitted."""
        select = clone(self.ranker).set_params(**{self.limit: n_features})
        return Pipeline([("scale", clone(self.scaler)), ("select", select)])


class RankedPath(NamedTuple):
    """A ranking of the features, and what is to be fitted to the first of them."""

    ranking: np.ndarray
    gains: np.ndarray
    scaler: StandardScaler
    classifier: BaseEstimator
    Z: np.ndarray
    y: np.ndarray

    def predict(self, X, sizes):
        """Labels of samples for each number of features, in rows."""
        Z = self.scaler.transform(X)
        return np.array([self._predict(Z, np.sort(self.ranking[:size])) for size in sizes])

    def scores(self, X, codes, sizes, scoring):
        """Score of samples for each number of features."""
        predicted = self.predict(X, sizes)
        return score_of(confusions_of(predicted, codes, np.unique(self.y).size), scoring)

    def _predict(self, Z, columns):
        model = clone(self.classifier).fit(columns_of(self.Z, columns), self.y)
        return model.predict(columns_of(Z, columns))
