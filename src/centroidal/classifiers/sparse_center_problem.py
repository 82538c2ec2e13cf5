"""The problem that sparse centers solve: how distance is measured, and what is optimal for it."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from .._data import check_finite_summary
from ..solvers.distances import absolute_distances, squared_distances
from ..solvers.sparse_centers import (
    CenterPath,
    feature_scale,
    solve_l1_centers,
    solve_l2_centers,
)
from ..solvers.whitening import Whitening, solve_whitening
from ..statistics import (
    ClassMedians,
    ClassMoments,
    class_medians,
    class_moments,
    median_deviations,
    within_covariance,
)
from ..statistics.threads import row_blocks

__all__ = ["ColumnSummary", "Solution", "SparseCenterProblem"]

_NORMAL_MAD = 1.4826  # median deviation -> standard deviation, for a normal distribution


class SparseCenterProblem(NamedTuple):
    """Which sparse centers are asked for: the metric, and what features are divided by."""

    metric: str
    scale: str | None

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

    def score_unit(self, spread):
        """Score that stands for one unit of log-probability: Laplace for l1, else Gaussian."""
        return spread if self.metric == "l1" else 2.0 * spread

    def solve(self, estimator, data, n_jobs=None):
        """Find the optimal centers for every number of features."""
        rows = (data.X, data.codes, data.classes.size, data.weights, n_jobs)
        if self.streams:
            return self.solve_moments(estimator, data.X, class_moments(*rows))
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

    def summarise_columns(self, X, codes, n_classes, height, n_jobs=None):
        """Summarise all rows of some columns, to be joined with the summaries of the others.

        With the `height` that `rows_per_block` gives for all columns, the joined summaries are
        those of `solve`, to the bit.
        """
        moments = deviations = None
        if self.metric != "l1" or self.scale in ("std", "within"):
            moments = class_moments(X, codes, n_classes, None, n_jobs, height)
        medians = class_medians(X, codes, n_classes, None, n_jobs)
        if self.scale == "mad":
            deviations = median_deviations(X, codes, medians.medians, None, n_jobs)
        return ColumnSummary(moments, medians, deviations)

    def solve_columns(self, estimator, summary):
        """Find the optimal centers from the joined summaries of all columns."""
        moments, medians, deviations = summary
        check_finite_summary(estimator, None, medians.dispersions, medians.shared_dispersion)
        if moments is not None:
            check_finite_summary(estimator, None, moments.means, moments.squares)
        with np.errstate(over="ignore", invalid="ignore"):
            if deviations is None:
                scale = self.feature_scale(None, moments, medians)
            else:
                scale = feature_scale(_NORMAL_MAD * deviations)
            if self.metric == "l1":
                solution = Solution(solve_l1_centers(medians, scale), medians.counts)
            else:
                solution = Solution(solve_l2_centers(moments, scale), moments.counts, moments)
        check_finite_summary(estimator, None, *solution.path.summaries)
        return solution

    def solve_moments(self, estimator, X, moments):
        """Find the optimal centers from moments alone, where they are enough."""
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


class ColumnSummary(NamedTuple):
    """What medians, and scales beside them, need of a block of columns."""

    moments: ClassMoments | None
    medians: ClassMedians
    deviations: np.ndarray | None

    @classmethod
    def join(cls, parts):
        """Put the summaries of neighbouring blocks side by side."""
        medians = ClassMedians(
            parts[0].medians.counts,
            *(
                np.concatenate([part.medians[i] for part in parts], axis=-1)
                for i in range(1, len(ClassMedians._fields))
            ),
        )
        moments = deviations = None
        if parts[0].moments is not None:
            moments = ClassMoments(
                parts[0].moments.counts,
                np.concatenate([part.moments.means for part in parts], axis=1),
                np.concatenate([part.moments.squares for part in parts], axis=1),
            )
        if parts[0].deviations is not None:
            deviations = np.concatenate([part.deviations for part in parts])
        return cls(moments, medians, deviations)


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
    X = data.X.tocsr() if issparse(data.X) else data.X
    moments = ClassMoments.empty(data.classes.size, X.shape[1])
    for rows in row_blocks(*X.shape):
        weights = None if data.weights is None else data.weights[rows]
        moments = moments.update(whitening.apply(X[rows]), data.codes[rows], weights, n_jobs)
    return moments
