"""The problem that sparse centers solve, and what a classifier that has them does.

How distance is measured is part of the problem; who chose the number of features does not matter.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from .. import _state as state
from .._data import (
    SupportMixin,
    available_if,
    check_finite,
    check_finite_summary,
    check_fitted,
    check_moments,
    check_rows,
)
from .._parameters import check_covariance, check_priors, choice
from .._typing import Array, ArrayLike, CenterMetric, CenterScale, Floats, Ints
from ..solvers.distances import (
    Whitening,
    absolute_distances,
    given_whitening,
    log_odds,
    solve_whitening,
    squared_distances,
)
from ..solvers.sparse_centers import (
    CenterPath,
    feature_scale,
    solve_l1_centers,
    solve_l2_centers,
)
from ..statistics import (
    ClassMedians,
    ClassMoments,
    class_medians,
    class_moments,
    median_deviations,
    within_covariance,
)
from ..statistics.threads import map_blocks, row_blocks
from ._base import SolvedClassifier

_NORMAL_MAD = 1.4826  # median deviation -> standard deviation, for a normal distribution


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


class Solution(NamedTuple):
    """The centers for every number of features, and what they came from."""

    path: CenterPath
    counts: np.ndarray
    moments: ClassMoments | None = None
    whitening: Whitening | None = None

    _state = {
        "path": state.part(CenterPath),
        "counts": state.counts("classes"),
        "moments": state.optional(state.part(ClassMoments)),
        "whitening": state.optional(state.part(Whitening)),
    }


class SparseCenterRule(SupportMixin, SolvedClassifier):
    """Predict, select and transform with sparse centers; parameters `metric`, `scale`, `priors`."""

    class_prior_: Floats
    n_features_to_select_: int
    centers_: Floats
    feature_gains_: Floats
    feature_ranking_: Ints
    feature_scale_: Floats
    objective_: float
    spread_: float

    _state = {
        "_solution": state.part(Solution),
        "class_prior_": state.floats("classes", least=0.0),
        "n_features_to_select_": state.count(1, "features"),
        "centers_": state.floats("classes", "features", nan=True),
        "feature_gains_": state.floats("features", least=0.0),
        "feature_ranking_": state.ranking("features"),
        "feature_scale_": state.divisors("features"),
        "support_": state.mask("features", may_be_empty=False),
        "objective_": state.number(0.0),
        "spread_": state.number(0.0),
    }

    _checks = {
        "covariance": check_covariance,
        "metric": choice(CenterMetric),
        "scale": choice(CenterScale),
    }
    # Whether new samples need to be finite only where they are read.
    _checks_selected_only = True

    @property
    def _problem(self):
        return SparseCenterProblem(self.metric, self.scale, self.covariance)

    @property
    def _takes_dask(self):
        return self._problem.summarises

    def _keep(self, features, classes, solution, n_selected):
        # Whatever may still be refused comes first, so that nothing is half kept.
        priors = check_priors(self.priors, solution.counts)
        path, whitening = solution.path, solution.whitening
        features.keep(self)
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
    def inverse_transform(self, X: ArrayLike) -> Any:
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

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
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

    def _transform(self, X):
        check_fitted(self)
        whitening = self._solution.whitening
        if whitening is None:
            return super()._transform(X)
        X = X if issparse(X) else np.asarray(X)
        return whitening.apply(X, np.flatnonzero(self.support_))

    @property
    def _score_unit(self):
        return self._problem.spreads_per_unit * self.spread_

    def _class_scores(self, X):
        # Negative distance to each center, plus what the prior is worth in the same unit.
        check_fitted(self)
        seen = self._solution.counts > 0
        selected = np.flatnonzero(self.support_)
        centers, scale = self.centers_[np.ix_(seen, selected)], self._solution.path.scale[selected]
        bonus = self._score_unit * log_odds(self.class_prior_)[seen]

        def scores_of(block):
            Z = self._coordinates(block, selected)
            with np.errstate(invalid="ignore", over="ignore"):
                distances = self._problem.distances(Z, centers, scale)
            check_finite_summary(self, Z, distances)
            scores = np.full((Z.shape[0], seen.size), -np.inf)
            scores[:, seen] = bonus - distances
            return scores

        return np.concatenate(list(map_blocks(scores_of, self._blocks(X, selected), self.n_jobs)))

    def _blocks(self, X, selected):
        """Cut new samples into blocks of rows that, with the columns in use, fit in the cache."""
        needed = selected if self._reads_selected_only else np.arange(self.support_.size)
        X, columns = check_rows(self, X, needed)
        heights = [slice(None)] if issparse(X) else row_blocks(X.shape[0], columns.size)
        return [((X[rows], columns),) for rows in heights]

    def _coordinates(self, block, selected):
        """Take the selected coordinates of a block of samples, in the space of the centers."""
        rows, columns = block
        if columns.size < rows.shape[1]:
            rows = take_columns(rows, columns)
        if self._reads_selected_only:
            return rows
        check_finite(self, rows)
        if self._solution.whitening is None:
            return take_columns(rows, selected)
        return self._solution.whitening.apply(rows, selected)

    @property
    def _reads_selected_only(self):
        return self._checks_selected_only and self._solution.whitening is None


class SparseCenterProblem(NamedTuple):
    """Which sparse centers are asked for: the metric, and what features are divided by."""

    metric: str
    scale: str | None
    covariance: Any = "within"  # or "total", or a matrix

    @property
    def needs_columns(self):
        """Whether medians are needed, which do not merge, so that data can be cut by columns."""
        return self.metric == "l1" or (self.metric == "l2" and self.scale == "mad")

    @property
    def streams(self):
        """Whether class moments are enough, so that parts of the data can be merged."""
        return self.metric == "l2" and self.scale != "mad"

    @property
    def summarises(self):
        """Whether moments and medians are enough, so that nothing else is asked of the data."""
        return self.streams or self.needs_columns

    def distances(self, Z, centers, scale):
        """Distances of the problem that was solved, from each sample to each center."""
        measure = absolute_distances if self.metric == "l1" else squared_distances
        return measure(Z, centers, scale)

    @property
    def spreads_per_unit(self):
        """Spreads that stand for one unit of log-probability: Laplace for l1, else Gaussian."""
        return 1.0 if self.metric == "l1" else 2.0

    def solve(self, estimator, data, n_jobs=None):
        """Find the optimal centers for every number of features."""
        rows = (data.X, data.codes, data.classes.size)
        if self.streams:
            moments = class_moments(*rows, data.weights, n_jobs)
            return self.solve_moments(estimator, data.X, moments)
        summary = self.summarise_columns(*rows, None, n_jobs, data.weights)
        if self.metric != "mahalanobis":
            return self.solve_columns(estimator, summary, data.X)
        summary.check(estimator, data.X)
        with np.errstate(over="ignore", invalid="ignore"):
            scale = self.feature_scale(summary)
            whitening = self._whitening(data, summary.moments, scale)
            path = solve_l2_centers(_whitened_moments(whitening, data, n_jobs), np.ones_like(scale))
        solution = Solution(path, summary.moments.counts, whitening=whitening)
        check_finite_summary(estimator, data.X, *solution.path.summaries)
        return solution

    def _whitening(self, data, moments, scale):
        """Whiten with the covariance around the class means or the mean of all, or a given one."""
        if not isinstance(self.covariance, str):
            return given_whitening(np.asarray(self.covariance, dtype=float), scale)
        codes = data.codes
        if self.covariance == "total":
            codes = np.minimum(codes, 0)  # one class; what is left out stays so
            moments = class_moments(data.X, codes, 1, data.weights)
        return solve_whitening(
            within_covariance(data.X, codes, moments, scale, data.weights), scale
        )

    def summarise_columns(self, X, codes, n_classes, height=None, n_jobs=None, weights=None):
        """Summarise all rows of some columns, to be joined with the summaries of the others.

        With the `height` that `rows_per_block` gives for all columns, the joined summaries are
        those of all columns at once, to the bit.
        """
        moments = medians = deviations = None
        if self.metric != "l1" or self.scale in ("std", "within"):
            moments = class_moments(X, codes, n_classes, weights, n_jobs, height)
        if self.metric == "l1" or self.scale == "mad":
            medians = class_medians(X, codes, n_classes, weights, n_jobs)
        if self.scale == "mad":
            deviations = median_deviations(X, codes, medians.medians, weights, n_jobs)
        return ColumnSummary(moments, medians, deviations)

    def solve_columns(self, estimator, summary, X=None):
        """Find the optimal centers from the summaries of all columns."""
        summary.check(estimator, X)
        with np.errstate(over="ignore", invalid="ignore"):
            scale = self.feature_scale(summary)
            if self.metric == "l1":
                path = solve_l1_centers(summary.medians, scale)
                solution = Solution(path, summary.medians.counts)
            else:
                path = solve_l2_centers(summary.moments, scale)
                solution = Solution(path, summary.moments.counts, summary.moments)
        check_finite_summary(estimator, X, *solution.path.summaries)
        return solution

    def solve_moments(self, estimator, X, moments):
        """Find the optimal centers from moments alone, where they are enough."""
        return self.solve_columns(estimator, ColumnSummary(moments, None, None), X)

    def feature_scale(self, summary):
        """Divisor of each feature."""
        moments, medians, deviations = summary
        if self.scale is None:
            return np.ones((medians.medians if moments is None else moments.means).shape[1])
        if self.scale == "std":
            return feature_scale(np.sqrt(moments.variance))
        if self.scale == "within":
            return feature_scale(np.sqrt(moments.within_variance))
        return feature_scale(_NORMAL_MAD * deviations)


class ColumnSummary(NamedTuple):
    """What sparse centers, and the scales of features, need of a block of columns."""

    moments: ClassMoments | None
    medians: ClassMedians | None
    deviations: np.ndarray | None

    _state = {
        "moments": state.optional(state.part(ClassMoments)),
        "medians": state.optional(state.part(ClassMedians)),
        "deviations": state.optional(state.floats("features", least=0.0)),
    }

    def check(self, estimator, X):
        """Raise what is wrong with the columns, which are those of `X`."""
        if self.moments is not None:
            check_moments(estimator, X, self.moments)
        if self.medians is not None:
            found = self.medians.dispersions, self.medians.shared_dispersion
            check_finite_summary(estimator, X, *found)

    @classmethod
    def join(cls, parts):
        """Put the summaries of neighbouring blocks side by side."""

        def beside(of, name):
            return np.concatenate([getattr(getattr(part, of), name) for part in parts], axis=-1)

        moments, medians, deviations = parts[0]
        if moments is not None:
            sums = (beside("moments", name) for name in ("means", "squares"))
            moments = ClassMoments(moments.counts, *sums)
        if medians is not None:
            names = ClassMedians._fields[1:]
            medians = ClassMedians(medians.counts, *(beside("medians", name) for name in names))
        if deviations is not None:
            deviations = np.concatenate([part.deviations for part in parts])
        return cls(moments, medians, deviations)


def _whitened_moments(whitening, data, n_jobs):
    X = data.X.tocsr() if issparse(data.X) else data.X
    moments = ClassMoments.empty(data.classes.size, X.shape[1])
    for rows in row_blocks(*X.shape):
        weights = None if data.weights is None else data.weights[rows]
        moments = moments.update(whitening.apply(X[rows]), data.codes[rows], weights, n_jobs)
    return moments
