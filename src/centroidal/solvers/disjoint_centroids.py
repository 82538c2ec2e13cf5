"""Distances to centers that have features of their own, and the groups that class moments give.

Equation map (:cite:t:`Fraiman2021`)::

    eq. (1)    objective of groups of features  group_objective()
    section 2  dimensionality-normalized norm,  group_distances(), `is_normalized`
               or the Euclidean one
    eq. (12)   disjoint centroids               class means, on the group of the class
    section 5  training error of a partition    training_errors()

The margin rule is ours. On feature i at the mean of class j, samples of that class pay v_ij, its
variance, and samples of the others pay o_ij, the mean over the other classes h of
v_ih + (mu_ih - mu_ij)^2. A feature speaks for the class with the smallest v_ij / o_ij.

So are probabilities: with one slope for all classes, log p_c = -slope * d_c up to a term that all
classes share, the nearest center stays the most probable class.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.sparse import issparse
from scipy.special import softmax

from .ranking import ROUNDING, rank_features, scaled_errors
from .sparse_centers import feature_scale

_CONSTANT = 1e-13  # a spread below this share of the largest mean is rounding
_TIED = 1e-10  # ratios that differ by a smaller share are equal
_ENTRIES_PER_BLOCK = 2**20
_SAME = 1e-12  # distances that differ by a smaller share are equal


def margin_ratios(moments):
    """Ratios v / o of each class and feature: what a class pays, relative to the other classes.

    1 where nobody pays anything, infinite where only the class itself does and for classes without
    samples.
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
    """Features of each class, those with a ratio below the squared weight; and the objective.

    An empty group takes the feature that it costs least to give to it. `disjoint` features are in
    the group of their smallest ratio only, the first of equal ones; there are at least as many as
    classes. The objective is the sum over the features of the smallest ratio, or of all ratios if
    groups may overlap, where the squared weight stands for those that are not used.
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


def group_objective(moments, groups, is_normalized=True):
    """Sum of the squared distances of all samples to the centroid of their class, on its group.

    In the normalized norm that is the mean over the features of the group, else their sum. No group
    is empty.
    """
    sums = np.where(groups, moments.squares, 0.0).sum(axis=1)
    return float((sums / groups.sum(axis=1)).sum() if is_normalized else sums.sum())


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


def group_distances(X, centers, groups, scale, is_normalized=True):
    """Mean over the features of each class of ``((x - center) / scale) ** 2``, or their sum.

    Only features in a group are read; no group is empty.
    """
    distances = np.empty((X.shape[0], len(groups)))
    for c, group in enumerate(groups):
        columns = np.flatnonzero(group)
        shares = _shares(np.ones(columns.size), is_normalized)
        own = X if columns.size == X.shape[1] else X[:, columns]
        distances[:, c] = _weighted_squares(own, centers[c, columns], scale[columns], shares)
    return distances


def _shares(members, is_normalized):
    """Return what each feature counts in a distance: a mean if it is normalized, else a sum."""
    return members / members.sum(axis=0) if is_normalized else members


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


def training_errors(X, codes, weights, centers, scale, labels, shared, is_normalized=True):
    """Share of the samples that the nearest centroid gets wrong, for each of many partitions.

    `labels` (n_partitions, n_features) hold the class of each feature, or anything else if it is
    not used, or `shared` by all classes. If groups overlap they are masks, with an axis of the
    classes in the middle. A negative code leaves a sample out.
    """
    n_partitions, n_features = len(labels), shared.size
    wrong = np.zeros(n_partitions)
    weights = np.where(codes >= 0, weights, 0.0)
    height = max(1, _ENTRIES_PER_BLOCK // max(n_features, n_partitions))
    for start in range(0, X.shape[0], height):
        rows = slice(start, start + height)
        predicted = _nearest_centroids(X[rows], centers, scale, labels, shared, is_normalized)
        is_wrong = predicted != codes[rows, None]
        # Column by column, so that an error does not depend on what else is looked at.
        wrong += [weights[rows][column].sum() for column in is_wrong.T]
    return wrong / weights.sum()


def _nearest_centroids(X, centers, scale, labels, shared, is_normalized):
    nearest = np.full((X.shape[0], len(labels)), np.inf)
    predicted = np.zeros(nearest.shape, dtype=np.int32)
    for c, center in enumerate(centers):
        own = labels[:, c] if labels.ndim == 3 else labels == c
        shares = _shares((own | shared).T.astype(float), is_normalized)
        distances = _weighted_squares(X, center, scale, shares)
        is_nearer = distances < nearest
        np.copyto(nearest, distances, where=is_nearer)
        predicted[is_nearer] = c
    return predicted


def slope_from_distances(distances, codes, weights):
    """Slope of a logistic regression on the distances that has one for all classes.

    Its penalty is half the square of the slope in units of the spread of the distances, as in a
    logistic regression on standardised features with ``C=1``. Never negative.
    """
    largest = np.abs(distances).max()
    relative = distances - distances.mean(axis=1, keepdims=True)
    if np.abs(relative).max() <= _SAME * largest:
        return 0.0
    relative /= largest  # squares of what is left neither overflow nor vanish
    spread = np.sqrt((weights @ relative**2).sum() / (weights.sum() * relative.shape[1]))
    relative /= spread
    own = weights @ relative[np.arange(codes.size), codes]

    def rise(slope):
        """Return the derivative of the penalised loss."""
        expected = np.einsum("ij,ij->i", softmax(-slope * relative, axis=1), relative)
        return own - weights @ expected + slope

    if rise(0.0) >= 0.0:
        return 0.0
    steep = 1.0
    while rise(steep) < 0.0:  # the penalty grows, what it is weighed against does not
        steep *= 2.0
    return brentq(rise, 0.0, steep) / spread / largest


def slope_from_moments(moments, groups, scale, is_normalized=True):
    """Slope that class moments give if features are independent and normal inside the classes.

    The difference of two distances is then taken to be normal, with one variance in both classes,
    averaged over the pairs of classes. All classes have samples.
    """
    shares = _shares(groups.T.astype(float), is_normalized).T
    variances = moments.squares / moments.counts[:, None] / scale**2
    unit = variances.max()  # squares of variances in it neither overflow nor vanish
    if unit == 0.0:
        return np.inf if np.ptp(moments.means, axis=0).any() else 0.0
    scale = scale * np.sqrt(unit)
    variances /= unit
    n_classes = len(groups)
    level, spread = np.empty((n_classes, n_classes)), np.empty((n_classes, n_classes))
    for c in range(n_classes):  # of the distance to center c, in each class
        gaps = ((moments.means - moments.means[c]) / scale) ** 2
        level[:, c] = (variances + gaps) @ shares[c]
        spread[:, c] = (2.0 * variances**2 + 4.0 * variances * gaps) @ shares[c] ** 2
    own_level, own_spread = level.diagonal()[:, None], spread.diagonal()[:, None]
    lead, noise = (level - own_level).sum(), (spread + own_spread)[~np.eye(n_classes, dtype=bool)]
    if lead <= 0.0:
        return 0.0
    # Own against other in one class, and the other way round in the other: twice the lead.
    return 2.0 * lead / noise.sum() / unit if noise.any() else np.inf
