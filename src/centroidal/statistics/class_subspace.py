"""Class means and the leading directions of the scatter: one summary, and parts merge.

Also the scatter of clusters, from which that of any two together follows.
"""

from dataclasses import dataclass, replace

import numpy as np

from .. import _state as state
from .class_moments import class_moments
from .residuals import residuals
from .sample_count import NO_SAMPLES, SampleCount, count_samples
from .spectrum import Spectrum, matrix_spectrum, merged_spectrum, spectrum

_LARGEST_SCATTER = 1500  # features above which scatter matrices are not kept
_CANCELLED = 1e-8  # share of the largest possible sum of squares that has lost digits


@dataclass(frozen=True)
class ClassSubspace:
    """What the Fisher-subspace methods need of the data."""

    # (n_classes,): sum of the sample weights of each class; 0 for a class that was not seen.
    counts: np.ndarray
    means: np.ndarray  # (n_classes, n_features): class means
    # Of the scatter around the common mean ("total") or the class means ("within").
    spectrum: Spectrum
    scatter: str  # {"total", "within"}: which
    size: SampleCount = NO_SAMPLES  # how many samples the weights stand for

    _state = {
        "counts": state.counts("classes"),
        "means": state.floats("classes", "features"),
        "spectrum": state.part(Spectrum),
        "scatter": state.text("total", "within"),
        "size": state.newer(state.part(SampleCount)),
    }

    @classmethod
    def empty(cls, n_classes, n_features, scatter="total"):
        """Return the summary of no data, the neutral element of `merge`."""
        means = np.zeros((n_classes, n_features))
        return cls(np.zeros(n_classes), means, Spectrum.empty(n_features), scatter)

    @property
    def total(self):
        """Sum of all sample weights."""
        return self.counts.sum()

    @property
    def n_samples(self):
        """How many samples the weights stand for."""
        return self.size.number(self.total)

    @property
    def mean(self):
        """Mean of all samples."""
        seen = self.counts > 0
        if not seen.any():
            return self.means[0]
        # Relative to one class mean, so that a constant feature keeps its value to the last bit.
        reference = self.means[np.argmax(seen)]
        return reference + self.counts[seen] @ (self.means[seen] - reference) / self.total

    def reindex(self, positions, n_classes):
        """Return the same with class `c` moved to `positions[c]` of `n_classes` classes."""
        counts = np.zeros(n_classes)
        means = np.zeros((n_classes, self.means.shape[1]))
        counts[positions], means[positions] = self.counts, self.means
        return replace(self, counts=counts, means=means)

    def columns(self, order):
        """Return the same with feature `order[j]` in place j."""
        found = self.spectrum._replace(vectors=self.spectrum.vectors.take(order, axis=0))
        return replace(self, means=self.means.take(order, axis=1), spectrum=found)

    def merge(self, other, n_pairs=None):
        """Return the summary of both parts together, cut to `n_pairs` directions.

        Exact where neither part was cut. Classes must be in the same order.
        """
        if self.spectrum.values.size < other.spectrum.values.size:
            self, other = other, self
        found = other.spectrum
        columns = np.hstack([found.vectors * np.sqrt(found.values), self._shifts(other).T])
        cut_off = max(found.trace - found.values.sum(), 0.0)
        return self._join(other, columns, cut_off, n_pairs)

    def update(self, X, codes, weights=None, n_pairs=None):
        """Return the summary with the rows of a small dense block added."""
        moments = class_moments(X, codes, self.counts.size, weights)
        size = count_samples(codes, weights, moments.counts)
        block = ClassSubspace(moments.counts, moments.means, self.spectrum, self.scatter, size)
        rows = block.center_rows(X, codes, weights)
        # Rows that sum to zero, each moved by the same step, have as scatter the sum of both: the
        # step needs no column of its own.
        counts = block.counts if self.scatter == "within" else block.counts.sum(keepdims=True)
        shares = np.sqrt(rows.weights / counts[rows.codes])
        moved = rows.rows + shares[:, None] * self._shifts(block)[rows.codes]
        return self._join(block, moved.T, 0.0, n_pairs)

    def center_rows(self, X, codes, weights=None):
        """Rows minus the mean that the scatter is about."""
        if self.scatter == "within":
            return residuals(X, codes, self.means, weights)
        return residuals(X, np.minimum(codes, 0), self.mean[None], weights)

    def _shifts(self, other):
        """Return what the distance of the means of two parts adds to the scatter, as rows."""
        if self.scatter == "within":
            counts = self.counts + other.counts
            weights = self.counts * other.counts / np.where(counts > 0, counts, 1.0)
            return np.sqrt(weights)[:, None] * (other.means - self.means)
        total = max(self.total + other.total, np.finfo(float).tiny)
        return np.sqrt(self.total * other.total / total) * (other.mean - self.mean)[None]

    def _join(self, other, columns, cut_off, n_pairs):
        counts = self.counts + other.counts
        share = np.divide(other.counts, counts, out=np.zeros_like(counts), where=counts > 0)
        means = self.means + (other.means - self.means) * share[:, None]
        found = merged_spectrum(self.spectrum, columns, n_pairs)
        found = found._replace(trace=found.trace + cut_off)
        return ClassSubspace(counts, means, found, self.scatter, self.size.merge(other.size))

    @property
    def tail(self):
        """Mean variance in the directions that were cut off."""
        found = self.spectrum
        n_left = min(self.means.shape[1], self.n_samples - 1.0) - found.values.size
        cut_off = max(found.trace - found.values.sum(), 0.0)
        return cut_off / max(n_left, 1.0) / max(self.total, np.finfo(float).tiny)

    def covariance_inside(self, axes):
        """Pooled covariance inside the classes along some axes, without the data.

        Exact where the spectrum is complete; what was cut off is taken to be the same in all
        directions that the samples leave.
        """
        found = self.spectrum
        inside = found.vectors.T @ axes
        along = (inside.T * found.values) @ inside
        along += self.total * self.tail * (axes.T @ axes - inside.T @ inside)
        if self.scatter == "total":
            centers = (self.means - self.mean) @ axes
            along -= (centers.T * self.counts) @ centers
        return along / max(self.total, np.finfo(float).tiny)


def class_subspace(X, codes, moments, weights=None, scatter="total", n_pairs=None):
    """Summarise the rows of `X`; all directions of their scatter, or at least `n_pairs` of them.

    Where a dense decomposition is made anyway, twice as many directions are kept: they make merging
    more exact. Blocks are summarised where they are.
    """
    if hasattr(X, "class_subspace"):
        return X.class_subspace(codes, moments, weights, scatter, n_pairs)
    summary = ClassSubspace(moments.counts, moments.means, Spectrum.empty(X.shape[1]), scatter)
    found = spectrum(summary.center_rows(X, codes, weights), n_pairs, n_spare=n_pairs or 0)
    return ClassSubspace(moments.counts, moments.means, found, scatter)


class ClusterScatters:
    """Samples in clusters, their numbers and means, and the scatter of the large ones."""

    def __init__(self, X, members, moments):
        self.X = X
        self.members = members
        self.counts = moments.counts
        self.means = moments.means
        self._kept = {}
        if X.shape[1] <= _LARGEST_SCATTER:
            # Only where they are not larger than the samples they come from.
            large = np.flatnonzero(self.counts >= X.shape[1]).tolist()
            self._kept = {cluster: self.scatter(cluster) for cluster in large}

    def scatter(self, cluster):
        """Scatter of a cluster around its mean, features by features."""
        if cluster in self._kept:
            return self._kept[cluster]
        return self._residuals([cluster], self.means[cluster]).scatter()

    def pair(self, first, second, n_pairs=None):
        """Summarise two clusters as two classes; all directions, or the `n_pairs` leading ones.

        Where there are fewer features than samples, no sample is looked at if both are large.
        """
        both = [first, second]
        counts, means = self.counts[both], self.means[both]
        n_samples, n_features = int(counts.sum()), means.shape[1]
        together = ClassSubspace(counts, means, Spectrum.empty(n_features), "total")
        if n_features >= n_samples - 1 or n_features > _LARGEST_SCATTER:
            found = spectrum(self._residuals(both, together.mean), n_pairs)
        else:
            shift = np.sqrt(counts.prod() / n_samples) * (means[1] - means[0])
            matrix = self.scatter(first) + self.scatter(second)
            matrix += np.outer(shift, shift)
            found = matrix_spectrum(matrix, n_pairs, n_samples)
        return ClassSubspace(counts, means, found, "total")

    def project(self, cluster, direction):
        """Inner products of the samples of a cluster, relative to its mean, with a direction."""
        return self.X[self.members[cluster]] @ direction - self.means[cluster] @ direction

    def variance(self, cluster, direction):
        """Variance of a cluster along a direction."""
        if cluster in self._kept:
            scatter = self._kept[cluster]
            squares = direction @ scatter @ direction
            if squares > _CANCELLED * scatter.trace() * (direction @ direction):
                return squares / self.counts[cluster]
        values = self.project(cluster, direction)
        return values @ values / self.counts[cluster]

    def _residuals(self, clusters, mean):
        rows = np.concatenate([self.members[cluster] for cluster in clusters])
        return residuals(self.X[rows], np.zeros(rows.size, dtype=np.int32), mean[None])


def cluster_scatters(X, clusters, n_clusters, n_jobs=None):
    """Summarise the rows of `X` by cluster, none of which is empty.

    Of sparse rows at most a block at a time is made dense.
    """
    moments = class_moments(X, clusters, n_clusters, n_jobs=n_jobs)
    members = [np.flatnonzero(clusters == cluster) for cluster in range(n_clusters)]
    return ClusterScatters(X, members, moments)
