r"""Distances to centers that have features of their own, and the groups that class moments give.

Equation map (:cite:t:`Fraiman2021`)::

    section 2  dimensionality-normalized norm   group_distances()
    eq. (12)   disjoint centroids               class means, on the group of the class
    section 5  training error of a partition    training_errors()

The margin rule is ours. On feature i at the mean of class j, samples of that class pay v_ij, its
variance, and samples of the others pay o_ij, the mean over the other classes h of
v_ih + (mu_ih - mu_ij)^2. A feature speaks for the class with the smallest v_ij / o_ij.
"""

import numpy as np
from scipy.sparse import issparse

from .ranking import ROUNDING, rank_features, scaled_errors
from .sparse_centers import feature_scale

__all__ = [
    "group_distances",
    "margin_groups",
    "margin_ratios",
    "margin_scores",
    "rank_by_separation",
    "separations",
    "training_errors",
]

_CONSTANT = 1e-13  # a spread below this share of the largest mean is rounding
_TIED = 1e-10  # ratios that differ by a smaller share are equal
_ENTRIES_PER_BLOCK = 2**20


def margin_ratios(moments):
    """Compute what a class pays on each feature, relative to the other classes.

    Parameters
    ----------
    moments : ClassMoments
        Of at least one class that has samples.

    Returns
    -------
    ndarray of shape (n_classes, n_features)
        Ratios v / o: 1 where nobody pays anything, infinite where only the class itself does and
        for classes without samples.
    """
    seen = np.flatnonzero(moments.seen)
    ratios = np.full(moments.means.shape, np.inf)
    variances, means = _variances(moments)[seen], moments.means[seen]
    for position, c in enumerate(seen):
        others = np.arange(seen.size) != position
        paid = (variances[others] + (means[others] - means[position]) ** 2).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = variances[position] * max(seen.size - 1, 1) / paid
        ratios[c] = np.where(np.isnan(ratio), 1.0, ratio)
    return ratios


def _variances(moments):
    """Variance of each feature in each class; that of the others for a class without spread."""
    counts = np.where(moments.seen, moments.counts, 1.0)[:, None]
    variances = moments.squares / counts
    is_rounding = variances <= (_CONSTANT * np.abs(moments.means).max(axis=0)) ** 2
    variances[is_rounding] = 0.0
    # One sample, or copies of one, say nothing about a variance.
    spreadless = ~variances.any(axis=1)
    if not spreadless[moments.seen].all():
        variances[spreadless] = variances[~spreadless].mean(axis=0)
    return variances


def margin_scores(moments):
    """Score each feature by one less its smallest ratio; also return bounds of the errors."""
    scores = 1.0 - margin_ratios(moments).min(axis=0)
    spreads = np.sqrt(moments.variance)
    sizes = np.abs(moments.means).max(axis=0) + spreads
    errors = ROUNDING * np.divide(sizes, spreads, out=np.zeros_like(sizes), where=spreads > 0.0)
    scores[np.abs(scores) <= errors] = 0.0
    return scores, errors


def margin_groups(ratios, baseline_weight, *, disjoint):
    """Features of each class: those with a ratio below the squared weight.

    An empty group takes the feature that it costs least to give to it.

    Parameters
    ----------
    ratios : ndarray of shape (n_classes, n_features)
        Of the margin rule; all classes have samples. At least as many features as classes if
        `disjoint`.
    baseline_weight : float
        Lambda; infinite to use every feature.
    disjoint : bool
        Whether a feature may be in one group only, that of its smallest ratio, the first of equal
        ones.

    Returns
    -------
    groups : ndarray of bool, shape (n_classes, n_features)
        Whether a class has a feature.
    objective : float
        Sum over the features of the smallest ratio, or of all ratios if they may overlap, where
        the squared weight stands for those that are not used.
    """
    with np.errstate(over="ignore"):  # above all ratios is as good as infinite
        limit = np.square(baseline_weight)
    groups = (ratios < (1.0 - _TIED) * limit) | np.isinf(limit)
    prices = np.minimum(ratios, limit)
    if disjoint:
        best = (ratios <= (1.0 + _TIED) * ratios.min(axis=0)).argmax(axis=0)
        groups &= best == np.arange(len(ratios))[:, None]
        prices = prices.min(axis=0)
    groups = groups.copy()
    for c in np.flatnonzero(~groups.any(axis=1)):
        _fill_group(groups, c, ratios, np.minimum(ratios.min(axis=0), limit), disjoint)
    return groups, float(prices.sum())


def _fill_group(groups, c, ratios, prices, disjoint):
    """Give an empty group its feature of least regret, in place; no other group becomes empty."""
    if not disjoint:
        groups[c, rank_features(-ratios[c], _TIED * ratios[c])[0]] = True
        return
    with np.errstate(invalid="ignore"):  # nothing is lost where both are infinite
        regrets = ratios[c] - prices
    regrets[np.isnan(regrets) | (ratios[c] <= (1.0 + _TIED) * prices)] = 0.0
    is_last_of_a_group = (groups & (groups.sum(axis=1, keepdims=True) == 1)).any(axis=0)
    best = np.lexsort([regrets, is_last_of_a_group])[0]
    groups[:, best] = False
    groups[c, best] = True


def separations(moments):
    """How far apart the class means are on each feature: variance between over variance within."""
    offsets = moments.means - moments.overall_mean
    between = moments.counts @ offsets**2 / moments.counts.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(between / moments.within_variance, posinf=np.inf)


def rank_by_separation(moments):
    """Columns by how far apart the class means are on them."""
    distances, within = np.sqrt(separations(moments)), np.sqrt(moments.within_variance)
    sizes = np.abs(moments.means).max(axis=0) + within
    return rank_features(distances, scaled_errors(sizes, feature_scale(within), distances))


def group_distances(X, centers, groups, scale):
    """Mean over the features of each class of ``((x - center) / scale) ** 2``.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_samples, n_features)
        Samples, of which only features in a group are read.
    centers : ndarray of shape (n_classes, n_features)
        Class means.
    groups : ndarray of bool, shape (n_classes, n_features)
        Which features a class has; none is empty.
    scale : ndarray of shape (n_features,)
        What each feature is divided by.
    """
    distances = np.empty((X.shape[0], len(groups)))
    for c, group in enumerate(groups):
        columns = np.flatnonzero(group)
        shares = np.full(columns.size, 1.0 / columns.size)
        own = X if columns.size == X.shape[1] else X[:, columns]
        distances[:, c] = _weighted_squares(own, centers[c, columns], scale[columns], shares)
    return distances


def _weighted_squares(X, center, scale, shares):
    """Sum of the squares of ``(x - center) / scale`` times `shares`, a vector or columns."""
    if issparse(X):
        rows = X.tocsr().astype(float)
        origin, unit = center[rows.indices], scale[rows.indices]
        rows.data = rows.data * (rows.data - 2.0 * origin) / unit**2
        return rows @ shares + (center / scale) ** 2 @ shares
    deviations = np.subtract(X, center, dtype=float)
    deviations /= scale
    deviations *= deviations
    return deviations @ shares


def training_errors(X, codes, weights, centers, scale, labels, shared):
    """Share of the samples that the nearest centroid gets wrong, for each of many partitions.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_samples, n_features)
        Samples.
    codes : ndarray of int32
        Their classes; a negative code leaves a sample out.
    weights : ndarray of shape (n_samples,)
        Their weights.
    centers : ndarray of shape (n_classes, n_features)
        Class means.
    scale : ndarray of shape (n_features,)
        What each feature is divided by.
    labels : ndarray of shape (n_partitions, n_features)
        Class of each feature; anything else if it is not used, or shared.
    shared : ndarray of bool, shape (n_features,)
        Features that all classes have.
    """
    n_partitions, n_features = labels.shape
    wrong = np.zeros(n_partitions)
    weights = np.where(codes >= 0, weights, 0.0)
    height = max(1, _ENTRIES_PER_BLOCK // max(n_features, n_partitions))
    for start in range(0, X.shape[0], height):
        rows = slice(start, start + height)
        predicted = _nearest_centroids(X[rows], centers, scale, labels, shared)
        wrong += weights[rows] @ (predicted != codes[rows, None])
    return wrong / weights.sum()


def _nearest_centroids(X, centers, scale, labels, shared):
    nearest = np.full((X.shape[0], len(labels)), np.inf)
    predicted = np.zeros(nearest.shape, dtype=np.int32)
    for c, center in enumerate(centers):
        members = ((labels == c) | shared).T.astype(float)
        distances = _weighted_squares(X, center, scale, members / members.sum(axis=0))
        is_nearer = distances < nearest
        np.copyto(nearest, distances, where=is_nearer)
        predicted[is_nearer] = c
    return predicted
