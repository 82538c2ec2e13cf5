"""The problem that sparse centers solve: how distance is measured, and what is optimal for it."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from .._data import check_finite_summary
from ..solvers.distances import Whitening, absolute_distances, solve_whitening, squared_distances
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
        rows = (data.X, data.codes, data.classes.size)
        if self.streams:
            moments = class_moments(*rows, data.weights, n_jobs)
            return self.solve_moments(estimator, data.X, moments)
        summary = self.summarise_columns(*rows, None, n_jobs, data.weights)
        if self.metric != "mahalanobis":
            return self.solve_columns(estimator, summary, data.X)
        check_finite_summary(estimator, data.X, *summary.arrays)
        with np.errstate(over="ignore", invalid="ignore"):
            scale = self.feature_scale(summary)
            solution = _solve_whitened(data, summary.moments, scale, n_jobs)
        check_finite_summary(estimator, data.X, *solution.path.summaries)
        return solution

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
        check_finite_summary(estimator, X, *summary.arrays)
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

    @property
    def arrays(self):
        """What is not finite where the columns are not."""
        moments, medians = self.moments, self.medians
        found = [] if moments is None else [moments.means, moments.squares]
        return found + ([] if medians is None else [medians.dispersions, medians.shared_dispersion])

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
