r"""Class means in the metric of shrunken correlations, for every number of leading features.

Features come in the order of a ranking, divided by their spread inside the classes. With E the
residuals around the class means of n samples, the first k features have the correlations
``R = E^T E / n`` inside the classes, and

    S = (1 - a) R + a I,     distance^2 = (x - mean_c)^T S^-1 (x - mean_c).

Schäfer and Strimmer (2005) estimate the share a that brings S nearest to the correlations of all
samples there are. What depends on x is linear, so that a class is a vector of weights and a number.

    eq. (8), target D   share by which correlations are shrunk     _analytic_share()

Its two sums follow from the lengths of the samples, since ``sum_ij (e_i e_j)^2 = |e|^4``, and from
the squares of products of either features or samples. These products are made once for all k: for
features as long as they are fewer than the samples, then for samples, to which features are added.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..statistics.sample_count import number_of_samples
from ..statistics.threads import with_limited_blas

AUTO, ANALYTIC = "auto", "analytic"
_ODDS = 10.0  # of the shrinkage that is best for S, which are best for distances between few means
_LEAST_SHARE = 1e-8  # of the identity, so that S has an inverse where features are copies


class WhitenedCenters(NamedTuple):
    """What the classes are in the metric of the first k features."""

    weights: np.ndarray  # (n_classes, k): of features over their spread, from the common mean on
    squares: np.ndarray  # (n_classes,): squared distance of each mean from the common mean
    shrinkage: float  # share of the identity in the correlations


@with_limited_blas(lambda rows, *_: rows.rows.shape)
def solve_whitened_centers(rows, offsets, sizes, shrinkage, n_means):
    """Return `WhitenedCenters` of the first so many features, for each of the sizes.

    Parameters
    ----------
    rows : residuals
        Samples minus the mean of their class, or of all, over the spreads, times the root of their
        weight.
    offsets : ndarray of shape (n_classes, n_features)
        Class means minus the common mean, over the spreads.
    sizes : ndarray of int
        Numbers of features, increasing.
    shrinkage : {"auto", "analytic"} or float
        Share of the identity; "auto" has ten times the odds of "analytic".
    n_means : int
        Number of means that were estimated from these samples.
    """
    n_samples, fourths = number_of_samples(rows.weights), rows.column_fourths() / rows.total
    inside = sizes[sizes <= rows.codes.size]
    products = rows.take_columns(np.arange(inside[-1])).scatter() if inside.size else None
    # The spreads are those of n samples, of which so many means were taken.
    unit = max(n_samples - n_means, 1.0) / n_samples
    solutions, gram, added = [], 0.0, 0
    for size in sizes.tolist():
        part, means = rows.take_columns(np.arange(size)), offsets[:, :size]
        if size > rows.codes.size:
            gram = gram + rows.take_columns(np.arange(added, size)).gram()
            added = size
        of_part = gram if size > rows.codes.size else products[:size, :size]
        share = _share(shrinkage, part, of_part / rows.total, fourths[:size], n_samples)
        if size > rows.codes.size:
            weights = unit * _solve_samples(part, gram, share, means)
        else:
            weights = unit * _solve_features(of_part / rows.total, share, means)
        squares = np.einsum("ij,ij->i", weights, means)
        solutions.append(WhitenedCenters(weights, squares, share))
    return solutions


def solve_given_covariance(correlations, offsets, sizes, shrinkage):
    """Return the same for given correlations, which are shrunk by no more than is asked for."""
    share = 0.0 if shrinkage in (AUTO, ANALYTIC) else float(shrinkage)
    solutions = []
    for size in sizes.tolist():
        means = offsets[:, :size]
        weights = _solve_features(correlations[:size, :size], share, means)
        squares = np.einsum("ij,ij->i", weights, means)
        solutions.append(WhitenedCenters(weights, squares, share))
    return solutions


def _share(shrinkage, rows, products, fourths, n_samples):
    if shrinkage not in (AUTO, ANALYTIC):
        return max(float(shrinkage), _LEAST_SHARE)
    share = _analytic_share(rows, products, fourths, n_samples)
    odds = _ODDS if shrinkage == AUTO else 1.0
    return max(odds * share / (1.0 + (odds - 1.0) * share), _LEAST_SHARE)


def _analytic_share(rows, products, fourths, n_samples):
    """Return the sum of the variances of all correlations, over that of their squares."""
    own = rows.column_squares() / rows.total  # 1, or 0 for features that do not vary
    squares = np.einsum("ij,ij->", products, products) - own @ own
    if squares <= 0.0:
        return 1.0
    lengths = rows.weights @ rows.squared_lengths() ** 2 / rows.total - fourths.sum()
    return float(np.clip((lengths - squares) / ((n_samples - 1.0) * squares), 0.0, 1.0))


def _solve_features(correlations, share, means):
    shrunk = (1.0 - share) * correlations
    shrunk.flat[:: len(shrunk) + 1] = 1.0
    return cho_solve(cho_factor(shrunk, overwrite_a=True, check_finite=False), means.T).T


def _solve_samples(rows, gram, share, means):
    """Do the same by the inner products of the samples, by the formula of Woodbury."""
    if share == 1.0:
        return means.copy()
    shrunk = gram.copy()
    shrunk.flat[:: len(shrunk) + 1] += share * rows.total / (1.0 - share)
    factor = cho_factor(shrunk, overwrite_a=True, check_finite=False)
    weights = (means - rows.pull_back(cho_solve(factor, rows.push(means.T))).T) / share
    constant = rows.column_squares() == 0.0  # they have the variance 1, and no part in the products
    weights[:, constant] = means[:, constant]
    return weights
