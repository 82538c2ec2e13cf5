"""Clusters of the samples of one class: X-means, refined and merged."""

from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.sparse import issparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from .._parameters import check_choice, check_count, check_positive
from ..solvers.mixtures import inside_chi2, inside_three_sigma, split_gains
from ..statistics import class_moments
from ..statistics.residuals import residuals
from ..statistics.spectrum import spectrum

__all__ = ["ClusterRecipe"]

_ENTRIES_FOR_THREADS = 2**22


class ClusterRecipe(NamedTuple):
    """How a class is parted into clusters."""

    max_clusters: int
    n_init: int
    refine: str | None
    merge_rule: str | None
    reg_covar: float

    def check(self):
        """Raise unless all are known."""
        check_count("max_clusters", self.max_clusters)
        check_count("n_init", self.n_init)
        check_choice("refine", self.refine, (None, "em"))
        check_choice("merge_rule", self.merge_rule, ("three_sigma", "chi2", None))
        check_positive("reg_covar", self.reg_covar)
        return self

    def find(self, X, rng):
        """Return the cluster 0 ... n_clusters - 1 of each row of `X`, an ndarray or CSR."""
        X = _with_short_indices(X) if issparse(X) else X
        # Threads of k-means on little data would only wait for one another, long on a busy machine.
        n_threads = 1 if np.prod(X.shape) < _ENTRIES_FOR_THREADS else None
        with threadpool_limits(n_threads), catch_warnings():
            # Repeated rows give fewer clusters than asked for, which is what we want to find out.
            simplefilter("ignore", ConvergenceWarning)
            labels = _x_means(X, self.max_clusters, self.n_init, rng)
            if self.refine == "em":
                labels = _refine(X, labels, self.reg_covar)
        return _merge_overlapping(X, labels, self.merge_rule, self.reg_covar)


def _with_short_indices(X):
    """Return the same rows with indices of 32 bits, which k-means needs, if they are enough."""
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    indices, starts = (part.astype(np.int32, copy=False) for part in (X.indices, X.indptr))
    return type(X)((X.data, indices, starts), shape=X.shape)


def _x_means(X, max_clusters, n_init, rng):
    """Part clusters in two as long as that clearly raises the information criterion."""
    labels = np.zeros(X.shape[0], dtype=np.int32)
    for _ in range(1, max_clusters):  # a round adds one cluster at least
        centers = _split_centers(X, labels, max_clusters, n_init, rng)
        if len(centers) == labels.max() + 1:
            break
        labels = _renumber(_k_means(X, len(centers), 1, rng, centers))
    return labels


def _split_centers(X, labels, max_clusters, n_init, rng):
    """Centers of the clusters, two of each that had better be two."""
    halves = 2 * labels
    n_clusters = labels.max() + 1
    for cluster in range(n_clusters):
        rows = np.flatnonzero(labels == cluster)
        if rows.size > 2:
            halves[rows] += _k_means(X[rows], 2, n_init, rng)
    moments = class_moments(X, halves, 2 * n_clusters)
    gains = split_gains(moments)
    best = np.argsort(-gains, kind="stable")[: max_clusters - n_clusters]
    parted = np.isin(np.arange(n_clusters), best[gains[best] > 0.0])
    whole = class_moments(X, labels, n_clusters).means[~parted]
    return np.vstack([whole, moments.means[np.repeat(parted, 2)]])


def _k_means(X, n_clusters, n_init, rng, init="k-means++"):
    return KMeans(n_clusters, init=init, n_init=n_init, random_state=rng).fit_predict(X)


def _renumber(labels):
    """Labels 0, 1, ... without those that do not occur."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def _ridge(moments, reg_covar):
    """Share of the mean variance inside the clusters."""
    return reg_covar * moments.squares.sum() / (moments.counts.sum() * moments.means.shape[1])


def _refine(X, labels, reg_covar):
    """Assign the rows to the most likely of the normal distributions that describe all of them."""
    n_clusters = labels.max() + 1
    ridge = _ridge(class_moments(X, labels, n_clusters), reg_covar)
    if n_clusters == 1 or ridge == 0.0:
        return labels
    # All covariances are equal across the span of the rows, so that its coordinates are enough.
    everything = class_moments(X, np.zeros_like(labels), 1)
    rows = residuals(X, np.zeros_like(labels), everything.means)
    coordinates = rows.push(spectrum(rows).vectors)
    groups = [coordinates[labels == cluster] for cluster in range(n_clusters)]
    spherical = ridge * np.eye(coordinates.shape[1])
    mixture = GaussianMixture(
        n_clusters,
        reg_covar=ridge,
        weights_init=np.bincount(labels) / labels.size,
        means_init=np.array([group.mean(axis=0) for group in groups]),
        precisions_init=np.array(
            [np.linalg.inv(_covariance(group) + spherical) for group in groups]
        ),
    )
    return _renumber(mixture.fit_predict(coordinates))


def _covariance(rows):
    centred = rows - rows.mean(axis=0)
    return centred.T @ centred / len(rows)


def _merge_overlapping(X, labels, rule, reg_covar):
    """Merge the first two clusters one of which has its mean inside the other, and begin again."""
    if rule is None:
        return labels
    find_inside = _means_in_three_sigma if rule == "three_sigma" else _means_in_chi2
    while True:
        moments = class_moments(X, labels, labels.max() + 1)
        inside = find_inside(X, labels, moments, reg_covar)
        overlapping = np.argwhere(np.triu(inside | inside.T, 1))
        if not len(overlapping):
            return labels
        kept, dropped = overlapping[0]
        labels = _renumber(np.where(labels == dropped, kept, labels))


def _means_in_three_sigma(X, labels, moments, _):
    """Which means (columns) are near which clusters (rows), in one pass over the samples."""
    means = moments.means - moments.overall_mean
    along = residuals(X, labels, moments.means).push(means.T)
    along -= along[np.arange(labels.size), labels][:, None]
    squares = np.array([(along[labels == k] ** 2).mean(axis=0) for k in range(len(means))])
    gaps = np.array([((means - mean) ** 2).sum(axis=1) for mean in means])
    return inside_three_sigma(gaps, squares)


def _means_in_chi2(X, labels, moments, reg_covar):
    ridge = _ridge(moments, reg_covar)
    inside = []
    for k, (count, mean) in enumerate(zip(moments.counts, moments.means, strict=True)):
        rows = np.flatnonzero(labels == k)
        found = spectrum(residuals(X[rows], np.zeros_like(rows), mean[None]))
        inside.append(inside_chi2(moments.means - mean, found, count, ridge))
    return np.array(inside)
