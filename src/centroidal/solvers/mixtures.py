"""How many normal distributions a class is made of, and what a jury makes of their matches.

Equation map (:cite:t:`Rozza2010`, sections 5.4.1 and 5.4.2):

    step 1      X-means, by the Bayesian information criterion   split_gains()
    step 3      merge criterion 1                                inside_three_sigma(), inside_chi2()
    eq. (5.16)  results of the matches between clusters          judge(), `won`
    eq. (5.21)  exponent of the activation function              find_exponent()
    eq. (5.22)  the jury                                         judge()
"""

import numpy as np
from scipy.special import chdtri, xlogy

_ONE_POINT = 1e-13  # halves that are closer than this share of their length are one point
_OUTSIDE = 0.003  # of a normal distribution, beyond three standard deviations
_ROUNDING = 1e-9
_TIE = 1e-9  # shares of the points that differ by less are equal


def split_gains(halves):
    """How much the information criterion rises when each cluster becomes two; -inf if it cannot.

    The model is round clusters of one variance, estimated without bias, with one mean and one
    proportion each. `halves` are class moments of the two halves of each cluster, one after the
    other; the second may be empty.
    """
    n_features = halves.means.shape[1]
    counts = halves.counts.reshape(-1, 2)
    totals = counts.sum(axis=1)
    inside = halves.squares.sum(axis=1).reshape(-1, 2).sum(axis=1)
    gaps = ((halves.means[1::2] - halves.means[::2]) ** 2).sum(axis=1)
    whole = inside + counts.prod(axis=1) / totals * gaps

    lengths = (halves.means[::2] ** 2).sum(axis=1)
    can = (counts.min(axis=1) > 0) & (totals > 2) & (gaps > _ONE_POINT**2 * lengths)
    gains = np.full(totals.size, -np.inf)
    counts, totals, inside, whole = counts[can], totals[can], inside[can], whole[can]
    with np.errstate(divide="ignore"):  # halves of one point each are certain
        shrinkage = np.log(inside / (totals - 2.0)) - np.log(whole / (totals - 1.0))
    proportions = xlogy(counts, counts / totals[:, None]).sum(axis=1)
    likelihood = proportions - 0.5 * n_features * (totals * shrinkage - 1.0)
    gains[can] = likelihood - 0.5 * (n_features + 1.0) * np.log(totals)
    return gains


def inside_three_sigma(squared_gaps, squares_along):
    """Whether means are within three standard deviations along the line that joins them.

    `squares_along` are variances of the products of the samples with the vectors to these means.
    """
    return squared_gaps**2 <= 9.0 * squares_along


def inside_chi2(gaps, spectrum, count, ridge):
    """Whether means are in the region that holds 99.7 % of a normal distribution.

    `gaps` (n_means, n_features) are other means relative to that of the cluster, whose scatter has
    the `spectrum`; the `ridge` is added to the variance in every direction.
    """
    along = (gaps @ spectrum.vectors) ** 2
    across = np.maximum((gaps**2).sum(axis=1) - along.sum(axis=1), 0.0)
    ridge = max(ridge, np.finfo(float).tiny)
    with np.errstate(over="ignore"):
        distances = (along / (spectrum.values / count + ridge)).sum(axis=1) + across / ridge
    return distances <= chdtri(gaps.shape[1], _OUTSIDE)


def find_exponent(n_clusters):
    """Least power that lets a cluster that wins every match decide for its class.

    For more than two classes the clusters of all others are the opponents.
    """
    own = np.maximum(n_clusters, 3)
    others = np.maximum(n_clusters.sum() - n_clusters, 3)
    powers = np.log(own) / np.log(others / (others - 2.0))
    return int(np.ceil(powers - _ROUNDING).max()) + 1  # eq. (5.21)


def judge(distances, matches, cluster_class, exponent):
    """Share of the points that each class collects; the higher distances win among equal ones.

    A cluster that wins a share :math:`(1 + x) / 2 > 1 / 2` of its matches collects :math:`x^t`
    points for its class. The first cluster of a match wins if its signed distance from the
    hyperplane is positive. Scores of classes with equally many points differ by less than other
    scores can.
    """
    n_matches, n_clusters = len(matches), len(cluster_class)
    sides = np.zeros((n_matches, n_clusters))
    sides[range(n_matches), matches[:, 0]] = 1.0
    sides[range(n_matches), matches[:, 1]] = -1.0
    team = np.eye(cluster_class.max() + 1)[cluster_class]

    won = np.where(distances > 0.0, 1.0, -1.0)  # eq. (5.16)
    balance = np.maximum(won @ sides / np.abs(sides).sum(axis=0), 0.0)
    best = balance.max(axis=1, keepdims=True)
    # Only ratios of points count, so that a large power does not make all of them vanish.
    ratios = np.divide(balance, best, out=np.ones_like(balance), where=best > 0.0)
    points = ratios**exponent @ team  # eq. (5.22)
    points[best[:, 0] == 0.0] = 1.0
    return _without_ties(points / points.sum(axis=1, keepdims=True), distances @ (sides @ team))


def _without_ties(shares, reach):
    """Level the best shares and add what each class is on its side of the hyperplanes."""
    best = shares.max(axis=1, keepdims=True)
    level = np.where(shares > best - _TIE, best, shares)
    farthest = np.abs(reach).max(axis=1, keepdims=True)
    # At most a quarter either way, so that unequal shares stay in order.
    return level + 0.25 * _TIE * np.divide(
        reach, farthest, out=np.zeros_like(reach), where=farthest > 0.0
    )
