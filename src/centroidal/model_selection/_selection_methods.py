"""The ways to select features that `select_features` knows: how each ranks, and what classifies."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from ..classifiers import SparseCenterClassifier
from ..classifiers.sparse_center_problem import SparseCenterProblem
from ..solvers.along_path import hits_along_path, nearest_along_path, nearest_in_orders
from ..solvers.sparse_centers import CenterPath
from ..statistics import fold_moments
from ._parts import columns_of
from ._rankings import importance_of, ranking_of
from .path import log_spaced

__all__ = ["SELECTION_METHODS", "candidates", "centers_method", "method_named"]

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
        return centers_method(is_sparse)
    if name == "l1":
        return CentersMethod(SparseCenterClassifier(metric="l1", scale="mad"))
    return _ranked_method(name, n_features, n_classes, is_sparse, seed)


def _ranked_method(name, n_features, n_classes, is_sparse, seed):
    # Imported here: to load them takes longer than to select by sparse centers.
    from sklearn.feature_selection import SelectFromModel
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    from ..classifiers import DisjointCentroidClassifier, FisherSubspaceClassifier
    from ..feature_selection import (
        L21CentroidSelector,
        MarginSelector,
        ReliefFSelector,
        SparseCentroidEncoder,
    )

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


def centers_method(is_sparse):
    """Return sparse l2 centers, in units that leave zeros alone for sparse data."""
    return CentersMethod(SparseCenterClassifier(scale="std" if is_sparse else "within"))


class CentersMethod(NamedTuple):
    """Sparse centers: one fit holds the models of all numbers of features."""

    estimator: SparseCenterClassifier
    fewest: int = 1
    releases_gil: bool = True

    def sizes(self, n_features):
        """Numbers of features to try."""
        return log_spaced(n_features, _POINTS["centers"])

    def fit(self, data, rows):
        """Return the models of all numbers of features, fitted to some rows."""
        problem = SparseCenterProblem(self.estimator.metric, self.estimator.scale)
        return self.path(problem.solve(self.estimator, data.keep_rows(rows)))

    def summaries(self, data, folds, sets):
        """Return what `fit_summary` needs of all rows but some folds, for each set of folds.

        None for each where one pass finds it for one of them only.
        """
        problem = SparseCenterProblem(self.estimator.metric, self.estimator.scale)
        if not problem.streams or issparse(data.X):
            return [None] * len(sets)
        return fold_moments(data.X, data.codes, data.classes.size, folds, sets)

    def fit_summary(self, data, summary):
        """Return the models of all numbers of features, fitted to the rows of a summary."""
        problem = SparseCenterProblem(self.estimator.metric, self.estimator.scale)
        return self.path(problem.solve_moments(self.estimator, data.X, summary))

    def path(self, solution):
        """Return the models of all numbers of features of a solution."""
        return CentersPath(solution.path, self.estimator.metric == "l1")

    def model(self, n_features):
        """Return the classifier with so many features, not fitted."""
        return clone(self.estimator).set_params(n_features_to_select=n_features)

    selector = model


class CentersPath(NamedTuple):
    """Fitted sparse centers, with any number of features."""

    path: CenterPath
    is_l1: bool

    @property
    def ranking(self):
        """Columns, the best first."""
        return self.path.ranking

    @property
    def gains(self):
        """Score of each column."""
        return self.path.gains

    def ranked(self, ranking):
        """Return the same centers with features in another order."""
        return self._replace(path=self.path._replace(ranking=ranking))

    def predict(self, X, rows, sizes):
        """Codes of some rows for each number of features, in rows; one pass over them."""
        return nearest_along_path(self.path, X, rows, **self._rule(sizes)).T

    def predict_in_orders(self, orders, X, rows, sizes):
        """Do what `predict` does with the features in each of some orders instead of ranked."""
        found = nearest_in_orders(self.path, orders, X, rows, **self._rule(sizes))
        return found.swapaxes(1, 2)

    def hits(self, X, rows, codes, sizes):
        """Count the rows of each class that are predicted right, for each number of features."""
        weights = np.ones(codes.size)
        hits = hits_along_path(self.path, X, rows, codes, weights, **self._rule(sizes))
        return hits.T.astype(np.int64)

    def _rule(self, sizes):
        bonus = np.zeros((self.path.class_centers.shape[0], sizes.size))
        return {"is_l1": self.is_l1, "grid": sizes, "bonus": bonus}


class RankedMethod(NamedTuple):
    """Features of unit variance, a selector that ranks them, a classifier on the first ones."""

    scaler: BaseEstimator
    ranker: BaseEstimator
    classifier: BaseEstimator
    limit: str = "n_features_to_select"
    fewest: int = 1
    releases_gil: bool = False

    def sizes(self, n_features):
        """Numbers of features to try."""
        sizes = log_spaced(min(n_features, _MOST_RANKED), _POINTS["ranked"])
        return sizes[sizes >= min(self.fewest, n_features)]

    def fit(self, data, rows):
        """Rank the features by some rows; the classifiers are fitted when they are asked for."""
        X, codes = data.X[rows], data.codes[rows]
        scaler = clone(self.scaler).fit(X)
        Z = scaler.transform(X)
        ranker = clone(self.ranker).fit(Z, codes)
        fitted = getattr(ranker, "estimator_", ranker)
        ranking = ranking_of(fitted, X.shape[1])
        return RankedPath(ranking, importance_of(fitted), scaler, self.classifier, Z, codes)

    def summaries(self, data, folds, sets):
        """Return None for each: rankings have nothing in common that one pass could find."""
        return [None] * len(sets)

    def model(self, n_features):
        """Return the classifier behind a selector of so many features, not fitted."""
        steps = [*self.selector(n_features).steps, ("classify", clone(self.classifier))]
        return Pipeline(steps)

    def selector(self, n_features):
        """Return what selects so many features, not fitted."""
        select = clone(self.ranker).set_params(**{self.limit: n_features})
        return Pipeline([("scale", clone(self.scaler)), ("select", select)])


class RankedPath(NamedTuple):
    """A ranking of the features, and what is to be fitted to the first of them."""

    ranking: np.ndarray
    gains: np.ndarray
    scaler: BaseEstimator
    classifier: BaseEstimator
    Z: np.ndarray
    codes: np.ndarray

    def predict(self, X, rows, sizes):
        """Codes of some rows for each number of features, in rows."""
        Z = self.scaler.transform(X[rows])
        return np.array([self._predict(Z, np.sort(self.ranking[:size])) for size in sizes])

    def _predict(self, Z, columns):
        model = clone(self.classifier).fit(columns_of(self.Z, columns), self.codes)
        return model.predict(columns_of(Z, columns))
