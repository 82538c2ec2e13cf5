"""What a fitted sparse center classifier does, whoever chose the number of features."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.metaestimators import available_if

from .._validation import (
    check_choice,
    check_finite,
    check_finite_summary,
    check_fitted,
    check_priors,
    check_rows,
)
from ..solvers.distances import absolute_distances, squared_distances
from ..solvers.sparse_centers import (
    CenterPath,
    feature_scale,
    solve_l1_centers,
    solve_l2_centers,
)
from ..solvers.whitening import Whitening, solve_whitening
from ..statistics import (
    ClassMoments,
    class_medians,
    class_moments,
    median_deviations,
    within_covariance,
)
from ._base import ClassScoresMixin

__all__ = ["Geometry", "Solution", "SparseCenterRule", "row_blocks"]

_ENTRIES_PER_BLOCK = 2**20
_NORMAL_MAD = 1.4826  # median deviation -> standard deviation, for a normal distribution


class Geometry(NamedTuple):
    """How distance is measured: the metric and what features are divided by."""

    metric: str
    scale: str | None

    def check(self):
        """Raise unless both are known."""
        check_choice("metric", self.metric, ("l2", "l1", "mahalanobis"))
        check_choice("scale", self.scale, (None, "std", "within", "mad"))
        return self

    @property
    def streams(self):
        """Whether class moments are enough, so that parts of the data can be merged."""
        return self.metric == "l2" and self.scale != "mad"

    def distances(self, Z, centers, scale):
        """Distances of the problem that was solved, from each sample to each center."""
        measure = absolute_distances if self.metric == "l1" else squared_distances
        return measure(Z, centers, scale)

    def score_unit(self, spread):
        """Score that stands for one unit of log-probability: Laplace for l1, else Gaussian."""
        return spread if self.metric == "l1" else 2.0 * spread

    def solve(self, estimator, data, n_jobs=None):
        """Find the optimal centers for every number of features."""
        rows = (data.X, data.codes, data.classes.size, data.weights, n_jobs)
        moments = medians = None
        if self.metric != "l1" or self.scale in ("std", "within"):
            moments = class_moments(*rows)
            check_finite_summary(estimator, data.X, moments.means, moments.squares)
        if self.metric == "l1" or self.scale == "mad":
            medians = class_medians(*rows)
            check_finite_summary(estimator, data.X, medians.dispersions, medians.shared_dispersion)
        with np.errstate(over="ignore", invalid="ignore"):
            scale = self.feature_scale(data, moments, medians, n_jobs)
            if self.metric == "mahalanobis":
                solution = _solve_whitened(data, moments, scale, n_jobs)
            elif self.metric == "l1":
                solution = Solution(solve_l1_centers(medians, scale), medians.counts)
            else:
                solution = Solution(solve_l2_centers(moments, scale), moments.counts, moments)
        check_finite_summary(estimator, data.X, *solution.path.summaries)
        return solution

    def solve_moments(self, estimator, X, moments):
        """Find the same centers from moments alone, where they are enough."""
        check_finite_summary(estimator, X, moments.means, moments.squares)
        with np.errstate(over="ignore", invalid="ignore"):
            scale = self.feature_scale(None, moments, None)
            solution = Solution(solve_l2_centers(moments, scale), moments.counts, moments)
        check_finite_summary(estimator, X, *solution.path.summaries)
        return solution

    def feature_scale(self, data, moments, medians, n_jobs=None):
        """Divisor of each feature."""
        if self.scale is None:
            return np.ones((medians.medians if moments is None else moments.means).shape[1])
        if self.scale == "std":
            return feature_scale(np.sqrt(moments.variance))
        if self.scale == "within":
            return feature_scale(np.sqrt(moments.within_variance))
        deviations = median_deviations(data.X, data.codes, medians.medians, data.weights, n_jobs)
        return feature_scale(_NORMAL_MAD * deviations)


class Solution(NamedTuple):
    """The centers for every number of features, and what they came from."""

    path: CenterPath
    counts: np.ndarray
    moments: ClassMoments | None = None
    whitening: Whitening | None = None


def _solve_whitened(data, moments, scale, n_jobs):
    covariance = within_covariance(data.X, data.codes, moments, scale, data.weights)
    whitening = solve_whitening(covariance, scale)
    whitened = _whitened_moments(whitening, data, n_jobs)
    path = solve_l2_centers(whitened, np.ones_like(scale))
    return Solution(path, moments.counts, whitening=whitening)


def _whitened_moments(whitening, data, n_jobs):
    moments = ClassMoments.empty(data.classes.size, data.X.shape[1])
    for rows in row_blocks(*data.X.shape):
        weights = None if data.weights is None else data.weights[rows]
        moments = moments.update(whitening.apply(data.X[rows]), data.codes[rows], weights, n_jobs)
    return moments


def row_blocks(n_rows, n_columns):
    """Cut rows into slices of about as many entries as a cache holds."""
    height = max(1, _ENTRIES_PER_BLOCK // n_columns)
    return [slice(start, start + height) for start in range(0, n_rows, height)]


def log_odds(priors):
    """Logarithm of each prior over that of equally likely classes: 0 for uniform priors."""
    with np.errstate(divide="ignore"):  # a class without samples has no chance
        return np.log(priors * np.count_nonzero(priors))


def take_columns(X, columns):
    """Copy some columns of a dense or sparse matrix."""
    return X[:, columns] if issparse(X) else X.take(columns, axis=1)


def _selects_columns(estimator):
    if estimator.metric == "mahalanobis":
        raise AttributeError(
            "inverse_transform needs metric='l2' or 'l1': with metric='mahalanobis' the selected "
            "features are whitened, and what was dropped cannot be recovered."
        )
    return True


class SparseCenterRule(ClassScoresMixin, SelectorMixin, BaseEstimator):
    """Predict, select and transform with sparse centers; parameters `metric`, `scale`, `priors`."""

    # Whether new samples need to be finite only where they are read.
    _checks_selected_only = True

    @property
    def _geometry(self):
        return Geometry(self.metric, self.scale)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_solution")

    def _keep(self, classes, solution, n_selected):
        # Whatever may still be refused comes first, so that nothing is half kept.
        priors = check_priors(self.priors, solution.counts)
        path, whitening = solution.path, solution.whitening
        self._solution = solution
        self.classes_ = classes
        self.class_prior_ = priors
        self.n_features_to_select_ = n_selected
        self.centers_ = path.centers(n_selected)
        self.feature_gains_ = path.gains
        self.feature_ranking_ = path.ranking
        self.feature_scale_ = path.scale if whitening is None else whitening.scale
        self.support_ = np.zeros(path.gains.size, dtype=bool)
        self.support_[path.selected(n_selected)] = True
        self.objective_ = path.objective(n_selected)
        self.spread_ = path.spread(n_selected)
        return self

    @available_if(_selects_columns)
    def inverse_transform(self, X):
        """Put the selected features back in their columns; the others become zero.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_selected)
            Output of `transform`.

        Returns
        -------
        {ndarray, sparse matrix} of shape (n_samples, n_features)
            As wide as what was fitted.
        """
        return super().inverse_transform(X)

    def get_feature_names_out(self, input_features=None):
        """Names of the selected features; with a prefix where they are whitened.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the input, if they were not seen in `fit`.

        Returns
        -------
        ndarray of str
            Names.
        """
        check_fitted(self)
        names = super().get_feature_names_out(input_features)
        if self._solution.whitening is None:
            return names
        return np.array([f"whitened_{name}" for name in names], dtype=object)

    def _get_support_mask(self):
        check_fitted(self)
        return self.support_

    def _transform(self, X):
        check_fitted(self)
        whitening = self._solution.whitening
        if whitening is None:
            return super()._transform(X)
        X = X if issparse(X) else np.asarray(X)
        return whitening.apply(X, np.flatnonzero(self.support_))

    @property
    def _score_unit(self):
        return self._geometry.score_unit(self.spread_)

    def _class_scores(self, X):
        # Negative distance to each center, plus what the prior is worth in the same unit.
        check_fitted(self)
        seen = self._solution.counts > 0
        selected = np.flatnonzero(self.support_)
        centers, scale = self.centers_[np.ix_(seen, selected)], self._solution.path.scale[selected]
        bonus = self._score_unit * log_odds(self.class_prior_)[seen]
        scores = []
        for Z in self._selected_blocks(X, selected):
            block = np.full((Z.shape[0], seen.size), -np.inf)
            with np.errstate(invalid="ignore", over="ignore"):
                distances = self._geometry.distances(Z, centers, scale)
            check_finite_summary(self, Z, distances)
            block[:, seen] = bonus - distances
            scores.append(block)
        return np.concatenate(scores)

    def _selected_blocks(self, X, selected):
        """Yield the selected coordinates of the samples, as many at a time as fit in the cache."""
        whitening = self._solution.whitening
        reads_selected_only = self._checks_selected_only and whitening is None
        needed = selected if reads_selected_only else np.arange(self.support_.size)
        X, needed = check_rows(self, X, needed)
        for rows in [slice(None)] if issparse(X) else row_blocks(X.shape[0], needed.size):
            block = X[rows]
            if needed.size < X.shape[1]:
                block = take_columns(block, needed)
            if reads_selected_only:
                yield block
                continue
            check_finite(self, block)
            if whitening is None:
                yield take_columns(block, selected)
            else:
                yield whitening.apply(block, selected)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
