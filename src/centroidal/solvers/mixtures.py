r"""How many normal distributions a class is made of: which clusters to part, and which are one.

Equation map (:cite:t:`Rozza2010`, section 5.4.1):

    step 1  X-means, by the Bayesian information criterion   split_gains()
    step 3  merge criterion 1                                inside_three_sigma(), inside_chi2()
"""

import numpy as np
from scipy.special import chdtri, xlogy

__all__ = ["inside_chi2", "inside_three_sigma", "split_gains"]

_ROUNDING = 1e-13  # halves that are closer than this share of their length are one point
_OUTSIDE = 0.003  # of a normal distribution, beyond three standard deviations


def split_gains(halves):
    """How much the information criterion rises when each cluster becomes two; -inf if it cannot.

    The model is round clusters of one variance, estimated without bias, with one mean and one
    proportion each.

    Parameters
    ----------
    halves : ClassMoments
        Of the two halves of each cluster, one after the other; the second may be empty.
    """
    n_features = halves.means.shape[1]
    counts = halves.counts.reshape(-1, 2)
    totals = counts.sum(axis=1)
    inside = halves.squares.sum(axis=1).reshape(-1, 2).sum(axis=1)
    gaps = ((halves.means[1::2] - halves.means[::2]) ** 2).sum(axis=1)
    whole = inside + counts.prod(axis=1) / totals * gaps

    lengths = (halves.means[::2] ** 2).sum(axis=1)
    can = (counts.min(axis=1) > 0) & (totals > 2) & (gaps > _ROUNDING**2 * lengths)
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

    Parameters
    ----------
    squared_gaps : ndarray
        Squared distances of other means from that of a cluster.
    squares_along : ndarray
        Variances of the products of its samples with the vectors to these means.
    """
    return squared_gaps**2 <= 9.0 * squares_along


def inside_chi2(gaps, spectrum, count, ridge):
    """Whether means are in the region that holds 99.7 % of a normal distribution.

    Parameters
    ----------
    gaps : ndarray of shape (n_means, n_features)
        Other means relative to that of the cluster.
    spectrum : Spectrum
        Of the scatter of the cluster.
    count : float
        Its number of samples.
    ridge : float
        Added to the variance in every direction.
    """
    along = (gaps @ spectrum.vectors) ** 2
    across = np.maximum((gaps**2).sum(axis=1) - along.sum(axis=1), 0.0)
    ridge = max(ridge, np.finfo(float).tiny)
    with np.errstate(over="ignore"):
        distances = (along / (spectrum.values / count + ridge)).sum(axis=1) + across / ridge
    return distances <= chdtri(gaps.shape[1], _OUTSIDE)
