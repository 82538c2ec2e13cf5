"""What is learned from a training set: features in their order, and a model for every size.

A procedure is fitted to a training set and gives a path, the models with the first 1, 2, 3, ...
features. `CentersProcedure` has all models in one fit, `RankedProcedure` fits a classifier to the
first features of a ranking when a model is asked for.
"""

from copy import copy
from functools import partial
from itertools import islice, repeat
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from scipy.special import softmax
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.class_weight import compute_class_weight

from .._data import check_labelled, columns_of, label_codes, rows_of
from .._parameters import check_priors
from ..classifiers import SparseCenterClassifier
from ..classifiers.sparse_center_rule import Solution, SparseCenterProblem
from ..solvers.along_path import NONE, PathInOrders, hits_along_path, nearest_in_orders
from ..solvers.distances import log_odds
from ..statistics import class_moments, fold_moments
from ..statistics.threads import row_blocks
from .feature_flow import importance_of, ranking_of
from .linear_path import fit_linear_path, has_linear_path
from .metrics import Predicted, confusion_matrices
from .nested import log_spaced

_MOST_RANKED = 256  # features that a classifier behind a ranking is tried with
_N_SIZES = {"centers": 50, "ranked": 17}
_OF_COLUMNS = ("shared", "scale", "gains", "losses", "spreads")  # of a path, a number for each


class FinalModel(NamedTuple):
    """The model of all samples, and what is told about it."""

    model: BaseEstimator
    ranking: np.ndarray
    gains: np.ndarray
    centers: np.ndarray  # of the classes, in the units of the data
    spreads: np.ndarray  # inside the classes
    numbers: dict | None = None  # of features for each size, where they are not the sizes
    calls: tuple | None = None  # what comes of leaving samples without a class

    def number_of(self, size):
        """Return the number of features of a size."""
        return size if self.numbers is None else self.numbers[size]

    @classmethod
    def of_centers(cls, model, spreads):
        """Tell about fitted sparse centers."""
        path = model._solution.path
        return cls(model, path.ranking, path.gains, path.class_centers, spreads)


# ------------------------------------------------------------------ sparse centers


class CentersProcedure(NamedTuple):
    """Sparse centers: one fit holds the models of all numbers of features."""

    estimator: SparseCenterClassifier
    problem: SparseCenterProblem
    merges: bool  # whether training sets are put together from sums of folds
    fewest: int = 1

    has_centers = True  # so that random features can be tried with them
    classifiers = ("nearest centers",)  # by name

    @classmethod
    def of(cls, **parameters):
        """Return the procedure of sparse centers with such parameters."""
        estimator = SparseCenterClassifier(**parameters)
        problem = estimator._problem
        return cls(estimator, problem, problem.streams)

    @property
    def estimators(self):
        """The one classifier."""
        return [self.estimator]

    def take(self, number):
        """Return the procedure with one of its classifiers."""
        return self

    def sizes(self, n_features):
        """Numbers of features to try."""
        return log_spaced(n_features, _N_SIZES["centers"])

    def fit(self, data, rows):
        """Return the models of all numbers of features, fitted to some rows."""
        return self.path(self.problem.solve(self.estimator, data.keep_rows(rows)))

    def summarise_sets(self, data, folds, sets):
        """Summarise all rows but some folds, for each set of folds; None where sums do not help."""
        if not self.merges or issparse(data.X):
            return None
        return fold_moments(data.X, data.codes, data.classes.size, folds, sets)

    def counts_folds(self, data):
        """Whether `count_folds` knows what all training sets predict."""
        is_plain = data.weights is None and not issparse(data.X)
        return self.merges and self.problem.scale == "within" and is_plain

    def fit_summary(self, data, summary, rows):
        """Return the models of all numbers of features, fitted to a summary of some rows."""
        return self.path(self.problem.solve_moments(self.estimator, data.X, summary))

    def path(self, solution):
        """Return the models of all numbers of features of a solution."""
        return CentersPath(self.problem, solution)

    fit_unranked = fit  # the ranking costs nothing

    def share(self, data, rows):
        """Return None: centers depend on the labels from the beginning."""
        return

    def fit_final(self, data, n_features):
        """Fit the model with so many features to all samples, which are summarised once."""
        model = self.selector(n_features)._fit(data)
        moments = model._solution.moments
        if moments is None:
            moments = class_moments(data.X, data.codes, data.classes.size)
        return FinalModel.of_centers(model, np.sqrt(moments.within_variance))

    def selector(self, n_features):
        """Return what selects so many features, not fitted."""
        return clone(self.estimator).set_params(n_features_to_select=n_features)

    def classifier(self, kind):
        """Return the classifier that chooses the number of features by the folds of `kind`."""
        from .sparse_center_cv import SparseCenterClassifierCV

        return SparseCenterClassifierCV(
            metric=self.estimator.metric,
            scale=self.estimator.scale,
            n_features_grid=_N_SIZES["centers"],
            cv=kind.cv,
            scoring=kind.scoring,
        )


class CentersPath(NamedTuple):
    """Fitted sparse centers, with any number of features."""

    problem: SparseCenterProblem
    solution: Solution
    priors: Any = "uniform"

    @property
    def ranking(self):
        """Columns, the best first."""
        return self.solution.path.ranking

    @property
    def additive_gains(self):
        """What each feature takes off the objective, whatever the others are."""
        return self.solution.path.gains

    @property
    def class_centers(self):
        """Center of each class."""
        return self.solution.path.class_centers

    def with_ranking(self, order):
        """Return the same with the columns in another order."""
        path = self.solution.path._replace(ranking=order)
        return self._replace(solution=self.solution._replace(path=path))

    def take(self, size):
        """Return the columns of a model, and the path for samples with these columns alone."""
        columns, path = np.sort(self.ranking[:size]), self.solution.path
        path = path._replace(
            class_centers=path.class_centers[:, columns],
            ranking=np.argsort(np.argsort(self.ranking[:size])),
            **{name: getattr(path, name)[columns] for name in _OF_COLUMNS},
        )
        return columns, self._replace(solution=self.solution._replace(path=path))

    def predict(self, X, rows, sizes, kept, orders=()):
        """Predict some rows with each number of features, in one pass over them.

        Features come in the order of the ranking, and then in other `orders`; there is a
        `Predicted` for each. Probabilities are those with the sizes at the `kept` positions.
        """
        blocks = [found for _, found in self.predict_blocks(X, rows, sizes, kept, orders)]
        return [Predicted.join(each) for each in zip(*blocks, strict=True)]

    def predict_blocks(self, X, rows, sizes, kept, orders=()):
        """Yield the same for some rows after the other: a slice of them, and what is predicted."""
        path, orders = self.solution.path, np.vstack([self.ranking, *orders])
        units = [self._unit(sizes[kept], order) for order in orders]
        rule = self._rule(sizes)
        for rows_of_block, *found in nearest_in_orders(path, orders, X, rows, **rule, kept=kept):
            yield rows_of_block, list(map(partial(_predict_by_distances, kept), *found, units))

    def count(self, X, rows, cells, shape, sizes, see=None, orders=(), kept=NONE):
        """Count some rows by cell and predicted class, in (1 + orders, sizes, cells, classes).

        There are `shape` cells and classes, and a cell for each of the `rows`. Features come in the
        order of the ranking, and then in other `orders`. If given, `see` is called with a slice of
        the rows and what is `Predicted` of them by the ranking, until it has seen all.
        """
        show = show_predicted(see, kept)
        return self.prepare(issparse(X), sizes, orders, kept).count(X, rows, cells, shape[0], show)

    def prepare(self, is_sparse, sizes, orders=(), kept=NONE):
        """Return what counts rows so, to be asked again and again."""
        orders = np.vstack([self.ranking, *orders])
        rule = self._rule(sizes) | {"kept": kept, "unit": self._unit(sizes[kept])}
        return PathInOrders(self.solution.path, orders, is_sparse, **rule)

    def hits(self, data, rows, sizes):
        """Weight of the samples of each class that are recognised with each size, and of all."""
        count = partial(hits_along_path, self.solution.path, **self._rule(sizes))
        if not data.is_in_memory:
            tested = data.keep_rows(rows)
            count = partial(_hits_of_block, count)
            both = data.X.sum_rows(count, tested.codes, tested.weights)
            return both[:, :-1], both[:, -1]
        weights = data.row_weights
        totals = np.bincount(data.codes[rows], weights[rows], minlength=data.classes.size)
        X = data.X.tocsr() if issparse(data.X) else data.X
        return self._count(count, X, rows, data.codes, weights), totals

    def _count(self, count, X, rows, codes, weights):
        whitening = self.solution.whitening
        if whitening is None:
            return count(X, rows, codes, weights)
        total = 0.0
        for block in row_blocks(rows.size, X.shape[1]):
            mine = rows[block]
            places = np.arange(mine.size)
            total = total + count(whitening.apply(X[mine]), places, codes[mine], weights[mine])
        return total

    def _rule(self, sizes):
        """How far a model with each number of features is from each class."""
        priors, unit = check_priors(self.priors, self.solution.counts), self._unit(sizes)
        bonus = log_odds(priors)[:, None] * unit
        return {"is_l1": self.problem.metric == "l1", "grid": sizes, "bonus": bonus}

    def _unit(self, sizes, order=None):
        """Distance that stands for one unit of log-probability, for each number of features."""
        return self.problem.spreads_per_unit * self.solution.path.spread_path(order)[sizes - 1]


def show_predicted(see, kept):
    """Return what a prepared path calls while it counts, so that `see` is shown a `Predicted`."""
    if see is None:
        return None
    return lambda block, *found: see(block, _predict_by_distances(kept, *found))


def _predict_by_distances(kept, labels, distances, unit):
    """Return what is predicted of rows by their nearest classes, and distances from all."""
    behind = (distances - distances.min(axis=-1, keepdims=True)).swapaxes(0, 1)
    # Without any spread inside the classes the nearest one is certain.
    unit = np.maximum(unit, np.finfo(float).tiny)[:, None, None]
    with np.errstate(over="ignore"):
        probabilities = softmax(-behind / unit, axis=-1)
    ranks = behind[..., ::-1] - behind if behind.shape[-1] == 2 else probabilities
    return Predicted(labels.T, kept, probabilities, ranks)


def _hits_of_block(count, X, codes, weights):
    """Hits along the path of the samples with a code, and beside them the weight of all."""
    rows = np.flatnonzero(codes >= 0)
    weights = np.ones(codes.size) if weights is None else weights
    X = X.tocsr() if issparse(X) else X
    hits = count(X, rows, codes, weights)
    return np.column_stack([hits, np.bincount(codes[rows], weights[rows], minlength=len(hits))])


# ------------------------------------------------------------------ rankings


class RankedProcedure(NamedTuple):
    """Features of unit variance, a selector that ranks them, classifiers on the first ones.

    Which of several classifiers, by name, is chosen by the same folds as the number of features:
    the first, unless another is clearly better. A path has the models of all of them for each
    number, one after the other.
    """

    scaler: BaseEstimator
    ranker: BaseEstimator
    estimator: BaseEstimator | dict
    limit: str = "n_features_to_select"
    fewest: int = 1

    has_centers = merges = False

    @property
    def estimators(self):
        """All classifiers."""
        several = isinstance(self.estimator, dict)
        return list(self.estimator.values()) if several else [self.estimator]

    @property
    def classifiers(self):
        """Names of all classifiers."""
        several = isinstance(self.estimator, dict)
        return tuple(self.estimator) if several else (type(self.estimator).__name__,)

    def take(self, number):
        """Return the procedure with one of its classifiers."""
        return self._replace(estimator=self.estimators[number])

    def sizes(self, n_features):
        """Numbers of features to try."""
        sizes = log_spaced(min(n_features, _MOST_RANKED), _N_SIZES["ranked"])
        return sizes[sizes >= min(self.fewest, n_features)]

    def fit(self, data, rows):
        """Rank the features by some rows; the classifiers are fitted when they are asked for."""
        return self.fit_summary(data, self.fit_unranked(data, rows), rows)

    def fit_summary(self, data, path, rows):
        """Do so with a path of the same rows that has no ranking yet, and may have other labels."""
        path, ranker = path._replace(labels=data.codes[rows]), clone(self.ranker)
        if path.common is not None:
            ranker._common = path.common
        return path.with_ranking(ranking_of(ranker.fit(path.X, path.labels), path.ranking.size))

    def share(self, data, rows):
        """Return a path for `fit_summary` with all that does not depend on the labels of rows."""
        path = self.fit_unranked(data, rows)
        if not hasattr(self.ranker, "_share"):
            return path
        return path._replace(common=self.ranker._share(path.X))

    def fit_unranked(self, data, rows):
        """Return the same with the features in the order of the columns."""
        scaler, codes = clone(self.scaler), data.codes[rows]
        Z = scaler.fit_transform(data.X[rows])
        sizes, columns = self.sizes(Z.shape[1]), np.arange(Z.shape[1])
        return RankedPath(columns, self.estimators, Z, codes, sizes, scaler)

    def summarise_sets(self, data, folds, sets):
        """Return None: rankings have nothing in common that one pass could find."""
        return

    def fit_final(self, data, n_features):
        """Fit the first classifier behind the selector of so many features to all samples."""
        steps = [*self.selector(n_features).steps, ("classify", clone(self.estimators[0]))]
        model = Pipeline(steps).fit(data.X, data.classes[data.codes])
        data.features.keep(model[0])
        ranker = model.named_steps["select"]
        ranking, gains = ranking_of(ranker, data.features.number), importance_of(ranker)
        moments = class_moments(data.X, data.codes, data.classes.size)
        return FinalModel(model, ranking, gains, moments.means, np.sqrt(moments.within_variance))

    def selector(self, n_features):
        """Return what selects so many features, not fitted."""
        select = clone(self.ranker).set_params(**{self.limit: n_features})
        return Pipeline([("scale", clone(self.scaler)), ("select", select)])

    def classifier(self, kind):
        """Return the classifier that chooses the number of features by the folds of `kind`."""
        from .ranked_features_cv import RankedFeaturesClassifierCV

        sizes = self.sizes(kind.n_features) if kind.sizes is None else np.asarray(kind.sizes)
        sizes = sizes[sizes >= self.fewest]
        return RankedFeaturesClassifierCV(
            Pipeline([("scale", clone(self.scaler)), ("rank", clone(self.ranker))]),
            [
                Pipeline([("scale", clone(self.scaler)), ("classify", clone(each))])
                for each in self.estimators
            ],
            n_features_grid=sizes.tolist() or [min(self.fewest, kind.n_features)],
            cv=kind.cv,
            scoring=kind.scoring,
        )


class RankedPath(NamedTuple):
    """A ranking of the features, and what is to be fitted to the first of them.

    Each size is there once for each of the classifiers.
    """

    ranking: np.ndarray
    estimators: list
    X: Any  # the training samples
    labels: np.ndarray
    sizes: np.ndarray
    scaler: BaseEstimator | None = None
    counts_hits: bool = False
    place: int | None = None  # of the one model that is asked for, among the sizes
    common: Any = None  # what the ranker knows of the samples whatever their labels are

    @classmethod
    def fit(cls, selector, estimators, data, train, sizes):
        """Rank the features by some rows of any table; samples stay what they are."""
        X, labels = rows_of(data.X, train), data.classes[data.codes[train]]
        ranking = ranking_of(clone(selector).fit(X, labels), data.features.number)
        return cls(ranking, estimators, X, labels, sizes)

    additive_gains = None

    @property
    def n_bytes(self):
        """Bytes that the samples take, once or twice."""
        rows = self.X if self.common is None else self.common[0].rows
        return sum(_n_bytes(X) for X in ([rows] if rows is self.X else [rows, self.X]))

    @property
    def class_centers(self):
        """Mean of each class, where all have training samples."""
        return class_moments(self.X, self.labels, int(self.labels.max()) + 1).means

    def with_ranking(self, order):
        """Return the same with the columns in another order."""
        return self._replace(ranking=order)

    def predict(self, X, rows, sizes, kept, orders=()):
        """Predict some rows with each number of features, as `CentersPath` does it.

        What models have neither probabilities nor decision values for is None.
        """
        paths = [self, *map(self.with_ranking, orders)]
        return [each._predict_rows(X, rows, sizes, kept) for each in paths]

    def _predict_rows(self, X, rows, sizes, kept):
        """Predict some rows, of which only features that are used are scaled."""
        widest = max(sizes) if self.place is None else max(self.sizes)
        columns = np.sort(self.ranking[:widest])
        X = _scale(self.scaler, columns_of(X, columns)[rows], columns)
        ranking = np.searchsorted(columns, self.ranking[:widest])
        some = self._replace(X=columns_of(self.X, columns), ranking=ranking)
        return some._predict(X, sizes, kept)

    def take_model(self, sizes, place):
        """Return the same with one of the models, which predicts what it does among all sizes."""
        return self._replace(sizes=sizes, place=place)

    def _predict(self, X, sizes, kept):
        codes, scores = [], []
        some = self if self.place is not None else self._replace(sizes=sizes)
        for position, (model, part) in enumerate(some.fit_models(X)):
            codes.append(model.predict(part))
            if position in kept:
                scores.append(_response(model, part))
        both = [None if each[0] is None else np.array(each) for each in zip(*scores, strict=True)]
        return Predicted(np.array(codes), kept, *(both or (None, None)))

    def count(self, X, rows, cells, shape, sizes, see=None, orders=(), kept=NONE):
        """Count some rows by cell and predicted class, as `CentersPath` does it."""
        found = self.predict(X, rows, sizes, kept, orders)
        if see is not None:
            see(slice(0, rows.size), found[0])
        return np.array(
            [confusion_matrices(each.codes, cells, shape[1], shape[0]) for each in found]
        )

    def models(self, data, test):
        """Yield for each size the classifier on the first features, and these of test samples."""
        return self.fit_models(rows_of(data.X, test))

    def fit_models(self, X):
        """Do the same for new samples by themselves."""
        number = len(self.estimators)
        if self.place is not None:
            yield self._fit_model(X, *divmod(self.place, number))
            return
        fitted = [
            self._fit_sizes(each, X, self.sizes[place::number])
            for place, each in enumerate(self.estimators)
        ]
        for place in range(len(self.sizes)):
            yield next(fitted[place % number])

    def _fit_model(self, X, position, number):
        """Return the same for one size of one classifier; of a path of its own, with all sizes."""
        estimator, sizes = self.estimators[number], self.sizes[number :: len(self.estimators)]
        if not _has_path(estimator):
            sizes, position = sizes[[position]], 0
        return next(islice(self._fit_sizes(estimator, X, sizes), position, None))

    def _fit_sizes(self, estimator, X, sizes):
        """Yield the same for one classifier, at once where it has a path of its own."""
        first = self.ranking[: sizes[-1]]
        train, test = columns_of(self.X, first), columns_of(X, first)
        if _has_path(estimator):
            data = check_labelled(estimator, train, self.labels)
            models = clone(estimator)._fit_path(data, sizes, np.arange(first.size))
            yield from zip(models, repeat(test))
            return
        if has_linear_path(estimator, train):
            yield from zip(fit_linear_path(estimator, train, self.labels, sizes), repeat(test))
            return
        estimator = _weigh_once(estimator, self.labels)
        for size in sizes:
            columns = np.argsort(first[:size])
            model = copy(estimator).fit(columns_of(train, columns), self.labels)
            yield model, columns_of(test, columns)


def _n_bytes(X):
    return sum(each.nbytes for each in ([X.data, X.indices] if issparse(X) else [X]))


def _scale(scaler, X, columns):
    """Scale samples that have some of the columns only."""
    part = copy(scaler)
    part.n_features_in_ = columns.size
    for name in ("mean_", "var_", "scale_"):
        values = getattr(scaler, name)
        setattr(part, name, None if values is None else values[columns])
    return part.transform(X)


def _has_path(estimator):
    """Whether a classifier fits all sizes at once: it takes every feature, and mixes none."""
    takes_all = getattr(estimator, "n_features_to_select", 0) is None
    mixes = getattr(estimator, "metric", None) == "mahalanobis"
    return takes_all and not mixes and hasattr(estimator, "_fit_path")


def _weigh_once(estimator, labels):
    """Return a classifier that need not find the weights of balanced classes in each fit.

    With few features that takes scikit-learn a quarter of the time.
    """
    estimator = clone(estimator)
    if getattr(estimator, "class_weight", None) == "balanced":
        classes = np.unique(labels)
        weights = compute_class_weight("balanced", classes=classes, y=labels)
        estimator.set_params(class_weight=dict(zip(classes.tolist(), weights, strict=True)))
    return estimator


def _response(model, X):
    """Return probabilities of the classes, and what ranks samples; None where there are none.

    As in scikit-learn, decision values rank samples of two classes, and probabilities of more.
    """
    probabilities = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    if not hasattr(model, "decision_function"):
        return probabilities, probabilities
    if probabilities is not None and probabilities.shape[1] > 2:
        return probabilities, probabilities
    values = model.decision_function(X)
    return probabilities, np.column_stack([-values, values]) if values.ndim == 1 else values


def predict_with(model, X, classes):
    """Predict samples by one model, which may not know all of the classes."""
    codes, columns = label_codes(model.predict(X), classes), label_codes(model.classes_, classes)
    scores = []
    for found, unknown in zip(_response(model, X), (0.0, -np.inf), strict=True):
        if found is not None:
            known, found = found, np.full((1, codes.size, classes.size), unknown)
            found[0, :, columns] = known.T
        scores.append(found)
    return Predicted(codes[None], np.arange(1), *scores)
