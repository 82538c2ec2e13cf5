"""Scatter of clusters, from which that of any two together follows."""

import numpy as np

from .class_moments import class_moments
from .class_subspace import ClassSubspace
from .residuals import residuals
from .spectrum import Spectrum, matrix_spectrum, spectrum

__all__ = ["ClusterScatters", "cluster_scatters"]

_LARGEST_SCATTER = 1500  # features above which scatter matrices are not kept
_CANCELLED = 1e-8  # share of the largest possible sum of squares that has lost digits


class ClusterScatters:
    """Samples in clusters, and the scatter matrices of the large ones.

    Attributes
    ----------
    counts : ndarray of shape (n_clusters,)
        Number of samples in each cluster.
    means : ndarray of shape (n_clusters, n_features)
        Their means.
    """

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
    """Summarise the rows of `X` by cluster.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_samples, n_features)
        Of sparse rows at most a block at a time is made dense.
    clusters : ndarray of int32
        Cluster 0 ... n_clusters - 1 of each row.
    n_clusters : int
        Number of clusters; none is empty.
    n_jobs : int, optional
        Threads; the result is the same to the bit for any number.
    """
    moments = class_moments(X, clusters, n_clusters, n_jobs=n_jobs)
    members = [np.flatnonzero(clusters == cluster) for cluster in range(n_clusters)]
    return ClusterScatters(X, members, moments)
