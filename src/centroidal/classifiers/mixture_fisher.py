"""Classes of several clusters that play matches; mathematics in solvers/mixtures.py."""

from typing import NamedTuple, Self
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.sparse import issparse
from scipy.stats import multivariate_normal
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from .. import _state as state
from .._data import check_finite_summary, check_fitted, check_labelled, check_moments, check_rows
from .._parameters import check_parameters, choice
from .._progress import ProgressMixin, with_callbacks
from .._typing import (
    ArrayLike,
    Floats,
    Ints,
    MergeRule,
    MixtureThreshold,
    NComponents,
    RandomState,
    Refinement,
    Whitening,
)
from ..solvers.mixtures import find_exponent, inside_chi2, inside_three_sigma, judge, split_gains
from ..solvers.thresholds import find_threshold, mahalanobis_threshold
from ..statistics import class_moments, cluster_scatters
from ..statistics.residuals import residuals
from ..statistics.spectrum import spectrum
from ..statistics.threads import map_blocks, row_blocks
from ._base import ClassScoresMixin, recipe_of, with_short_indices
from .fisher_recipe import FisherRecipe

__all__ = ["MixtureFisherClassifier"]

_ENTRIES_FOR_THREADS = 2**22
_ROUNDING = 1e-13  # a sample so near a hyperplane, relative to the length of the means, is on it


class MixtureFisherClassifier(ProgressMixin, ClassScoresMixin, BaseEstimator):
    r"""Classifier for classes that are made of several clusters (P-IPCAC).

    Each class is parted into clusters. Every two clusters of different classes play a match, which
    is the linear classifier of :class:`FisherSubspaceClassifier` between their samples, and a jury
    decides by what the clusters achieved (:cite:t:`Rozza2010`, section 5.4). If cluster n of a
    class wins a share :math:`(1 + x_n) / 2` of its matches on a sample, its class collects

    .. math:: \sum_n \phi(x_n), \qquad \phi(x) = x^t \text{ for } x > 0, \text{ else } 0

    points, and the class with the most points is predicted (eq. 5.22). The exponent t is the least
    that lets a cluster that wins all of its matches decide, though all others of its class lose
    theirs (eq. 5.21). So it separates classes that no hyperplane does.

    Parameters
    ----------
    whitening : {"truncated", "full", "variance"}, default="truncated"
        How the samples of a match are whitened, as in :class:`FisherSubspaceClassifier`.
    n_components : int, float, "log2" or None, default=None
        How many of their directions, as in :class:`FisherSubspaceClassifier`.
    threshold : {"mahalanobis", "inclusive", "strict", "balanced"}, default="mahalanobis"
        Where two clusters are cut. "mahalanobis": as many standard deviations from one mean as from
        the other, for which the samples are not needed again. The others are those of
        :class:`FisherSubspaceClassifier`.
    balance : float, default=0.99
        For "balanced": thresholds that score more than this share of the best count.
    max_clusters : int, default=10
        Most clusters that a class is parted into.
    refine : {None, "em"}, default=None
        "em": a mixture of normal distributions with full covariances is fitted to the clusters by
        expectation-maximisation, and each sample goes to the most likely of them.
    merge_rule : {"three_sigma", "chi2", None}, default="three_sigma"
        When two clusters of a class become one: if the mean of one is at most three standard
        deviations of the other away from it, along the line that joins them; if it is in the region
        that holds 99.7 % of the other as a normal distribution, which in many features is nearly
        everything; or never.
    recluster : bool, default=False
        Whether, after merging, each sample goes to the most likely of the normal distributions that
        describe the merged clusters, with full covariances (step 4 of the thesis).
    reg_covar : float, default=1e-3
        What "em", "chi2" and `recluster` add to every variance, as a share of the mean variance
        inside the clusters.
    n_init : int, default=3
        How often a split into two clusters is started anew; the best is taken.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness of the splits.
    n_jobs : int or None, default=None
        Number of threads over the matches. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    cluster_class_ : ndarray of int, shape (n_clusters,)
        Position in `classes_` of the class of each cluster.
    cluster_means_, cluster_counts_ : ndarray of shape (n_clusters, n_features) or (n_clusters,)
        Means of the clusters, and numbers of their samples.
    matches_ : ndarray of int, shape (n_matches, 2)
        Clusters that play; the first wins where ``coef_ @ x + intercept_`` is positive. It is the
        one of the later class, so that a sample on the hyperplane goes to the earlier class.
    coef_ : ndarray of shape (n_matches, n_features)
        Normals of the hyperplanes, of unit length; 0 for clusters that nothing tells apart.
    intercept_ : ndarray of shape (n_matches,)
        Constants of the same.
    exponent_ : int
        The exponent t of the jury.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    FisherSubspaceClassifier : The same with one cluster a class.
    KernelFisherSubspaceClassifier : Also for classes that no hyperplane separates.

    Notes
    -----
    `decision_function` holds the share of the points that each class collects; of classes with
    equally many points that one is ahead which is farther on its side of the hyperplanes, in sum.
    `predict_proba` smooths the shares s of n matches as :math:`(n s + 1) / (n + C)`, the rule of
    succession: it says how clear the decision was and is not calibrated.

    **Where we differ** from the thesis: any number of classes, each cluster playing against those
    of all other classes; partial whitening by default; the three-sigma rule; a rule for ties; equal
    means and clusters of one sample are no error. The reasons are in
    :doc:`/mathematics/fisher_subspace`, and so are the costs.

    X-means takes clusters to be round: bring features of different units to one scale first, or
    long clusters are cut into slices. Clusters of less than about 30 samples are sometimes parted
    again, because its criterion is one for many samples. In few samples, or if the clusters are
    round indeed, ``n_components=1``, the difference of the means, may be the best choice.

    Examples
    --------
    >>> from centroidal import MixtureFisherClassifier
    >>> from centroidal.datasets import make_crossed_clusters
    >>> made = make_crossed_clusters(1200, 50, spread=0.5, random_state=0)
    >>> X_train, X_test = made.data[:800], made.data[800:]
    >>> y_train, y_test = made.target[:800], made.target[800:]
    >>> model = MixtureFisherClassifier(random_state=0).fit(X_train, y_train)
    >>> model.score(X_test, y_test) > 0.95
    True
    >>> model.cluster_class_
    array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> model.coef_.shape
    (16, 50)
    """

    cluster_class_: Ints
    cluster_means_: Floats
    cluster_counts_: Floats
    matches_: Ints
    coef_: Floats
    intercept_: Floats
    exponent_: int

    _state = state.LABELLED | {
        "cluster_class_": state.positions("clusters", below="classes"),
        "cluster_means_": state.floats("clusters", "features"),
        "cluster_counts_": state.floats("clusters", least=0.0),
        "matches_": state.positions("matches", 2, below="clusters"),
        "coef_": state.floats("matches", "features"),
        "intercept_": state.floats("matches"),
        "exponent_": state.count(1),
    }

    _checks = {"threshold": choice(MixtureThreshold)}

    def __init__(
        self,
        whitening: Whitening = "truncated",
        n_components: NComponents = None,
        *,
        threshold: MixtureThreshold = "mahalanobis",
        balance: float = 0.99,
        max_clusters: int = 10,
        refine: Refinement = None,
        merge_rule: MergeRule = "three_sigma",
        recluster: bool = False,
        reg_covar: float = 1e-3,
        n_init: int = 3,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.whitening = whitening
        self.n_components = n_components
        self.threshold = threshold
        self.balance = balance
        self.max_clusters = max_clusters
        self.refine = refine
        self.merge_rule = merge_rule
        self.recluster = recluster
        self.reg_covar = reg_covar
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the clusters of each class and let them play.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        """
        check_parameters(self)
        data = check_labelled(self, X, y, finite=False)
        moments = class_moments(data.X, data.codes, data.classes.size, n_jobs=self.n_jobs)
        check_moments(self, data.X, moments)
        rows = data.X.tocsr() if issparse(data.X) else data.X

        clusters, cluster_class = self._find_clusters(rows, data.codes)
        scatters = cluster_scatters(rows, clusters, cluster_class.size, self.n_jobs)
        matches = np.argwhere(cluster_class[:, None] > cluster_class)
        normals, constants = self._play(scatters, matches)

        data.features.keep(self)
        self.classes_ = data.classes
        self.cluster_class_ = cluster_class
        self.cluster_means_ = scatters.means
        self.cluster_counts_ = scatters.counts
        self.matches_ = matches
        self.coef_ = normals
        self.intercept_ = constants
        self.exponent_ = find_exponent(np.bincount(cluster_class))
        return self

    def _find_clusters(self, X, codes):
        """Cluster of each sample, and class of each cluster.

        One class after the other: k-means has threads of its own, and sets their number for the
        whole process.
        """
        recipe = recipe_of(ClusterRecipe, self)
        rng = check_random_state(self.random_state)
        members = [np.flatnonzero(codes == c) for c in range(codes.max() + 1)]
        found = (recipe.find(X[rows], rng) for rows in members)
        clusters = np.empty_like(codes)
        cluster_class = []
        steps = self._each_step(found, len(members), "clusters of a class", is_last=False)
        for c, labels in enumerate(steps):
            clusters[members[c]] = labels + len(cluster_class)
            cluster_class += [c] * (labels.max() + 1)
        return clusters, np.array(cluster_class)

    def _play(self, scatters, matches):
        """Find the normals and constants of the hyperplanes of all matches."""
        recipe = recipe_of(FisherRecipe, self)

        def solve(first, second):
            return _solve_match(recipe, scatters, first, second)

        # Many small decompositions: threads inside each of them would only wait for one another.
        with threadpool_limits(1 if len(matches) > 1 else None, "blas"):
            results = map_blocks(solve, matches.tolist(), self.n_jobs)
            normals, constants = zip(*self._each_step(results, len(matches), "match"), strict=True)
        return np.array(normals), np.array(constants)

    def _class_scores(self, X):
        check_fitted(self)
        X, _ = check_rows(self, X, np.arange(self.n_features_in_))
        X = X.tocsr() if issparse(X) else X
        blocks = row_blocks(X.shape[0], self.intercept_.size)
        return np.concatenate([self._block_scores(X[rows]) for rows in blocks])

    def _block_scores(self, X):
        with np.errstate(invalid="ignore", over="ignore"):
            distances = X @ self.coef_.T + self.intercept_
        check_finite_summary(self, X, distances)
        unit = np.linalg.norm(self.cluster_means_, axis=1).max()
        distances[np.abs(distances) <= _ROUNDING * unit] = 0.0
        return judge(distances, self.matches_, self.cluster_class_, self.exponent_)

    def _log_probabilities(self, scores):
        smooth = scores * self.intercept_.size + 1.0
        return np.log(smooth / smooth.sum(axis=1, keepdims=True))


def _solve_match(recipe, scatters, first, second):
    """Find the unit normal and constant of the hyperplane that has the first cluster above it."""
    both = [second, first]
    subspace = scatters.pair(*both, recipe.n_pairs(scatters.counts[both].sum()))
    (axes, _), _ = recipe.axes(subspace)
    if axes.shape[1] == 0:
        return np.zeros(axes.shape[0]), 0.0
    normal = axes[:, 0] / np.linalg.norm(axes[:, 0])
    centers = (subspace.means - subspace.mean) @ normal
    if recipe.threshold == "mahalanobis":
        deviations = np.sqrt([scatters.variance(cluster, normal) for cluster in both])
        threshold = mahalanobis_threshold(centers, deviations)
    else:
        values = [scatters.project(cluster, normal) for cluster in both]
        is_first = np.repeat([False, True], [part.size for part in values])
        values = np.concatenate(values) + centers[is_first.astype(int)]
        threshold = find_threshold(recipe.threshold, values, is_first, balance=recipe.balance)
    return normal, -threshold - subspace.mean @ normal


# ------------------------------------------------------------------ clusters of one class


class ClusterRecipe(NamedTuple):
    """How a class is parted into clusters."""

    max_clusters: int
    n_init: int
    refine: str | None
    merge_rule: str | None
    recluster: bool
    reg_covar: float

    def find(self, X, rng):
        """Return the cluster 0 ... n_clusters - 1 of each row of `X`, an ndarray or CSR."""
        X = with_short_indices(X)
        # Threads of k-means on little data would only wait for one another, long on a busy machine.
        n_threads = 1 if np.prod(X.shape) < _ENTRIES_FOR_THREADS else None
        with threadpool_limits(n_threads), catch_warnings():
            # Repeated rows give fewer clusters than asked for, which is what we want to find out.
            simplefilter("ignore", ConvergenceWarning)
            labels = _x_means(X, self.max_clusters, self.n_init, rng)
            if self.refine == "em":
                labels = _refine(X, labels, self.reg_covar)
            labels = _merge_overlapping(X, labels, self.merge_rule, self.reg_covar)
            return _recluster(X, labels, self.reg_covar) if self.recluster else labels


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
    found = _describe(X, labels, reg_covar)
    if found is None:
        return labels
    coordinates, means, covariances = found
    mixture = GaussianMixture(
        len(means),
        reg_covar=_ridge(class_moments(X, labels, len(means)), reg_covar),
        weights_init=np.bincount(labels) / labels.size,
        means_init=means,
        precisions_init=np.linalg.inv(covariances),
    )
    return _renumber(mixture.fit_predict(coordinates))


def _recluster(X, labels, reg_covar):
    """Assign the rows to the most likely of the normal distributions of the clusters."""
    found = _describe(X, labels, reg_covar)
    if found is None:
        return labels
    coordinates, means, covariances = found
    shares = np.bincount(labels) / labels.size
    likely = [
        np.log(share) + multivariate_normal.logpdf(coordinates, mean, covariance)
        for share, mean, covariance in zip(shares, means, covariances, strict=True)
    ]
    return _renumber(np.argmax(likely, axis=0))


def _describe(X, labels, reg_covar):
    """Coordinates of the rows in their span, and means and covariances of the clusters there.

    All covariances are equal across the span, so that its coordinates are enough. None if there is
    one cluster, or no spread.
    """
    n_clusters = labels.max() + 1
    ridge = _ridge(class_moments(X, labels, n_clusters), reg_covar)
    if n_clusters == 1 or ridge == 0.0:
        return None
    everything = class_moments(X, np.zeros_like(labels), 1)
    rows = residuals(X, np.zeros_like(labels), everything.means)
    coordinates = rows.push(spectrum(rows).vectors)
    groups = [coordinates[labels == cluster] for cluster in range(n_clusters)]
    spherical = ridge * np.eye(coordinates.shape[1])
    means = np.array([group.mean(axis=0) for group in groups])
    return coordinates, means, np.array([_covariance(group) + spherical for group in groups])


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
