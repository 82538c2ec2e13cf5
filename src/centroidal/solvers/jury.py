r"""Clusters of different classes play matches, and a jury looks at what each of them achieved.

Equation map (:cite:t:`Rozza2010`, section 5.4.2):

    eq. (5.16)  results of the matches               judge(), `won`
    eq. (5.21)  exponent of the activation function  find_exponent()
    eq. (5.22)  the jury                             judge()
"""

import numpy as np

__all__ = ["find_exponent", "judge"]

_ROUNDING = 1e-9
_TIE = 1e-9  # shares of the points that differ by less are equal


def find_exponent(n_clusters):
    """Least power that lets a cluster that wins every match decide for its class.

    Parameters
    ----------
    n_clusters : ndarray of int, shape (n_classes,)
        Number of clusters of each class. For more than two classes the clusters of all others are
        the opponents.
    """
    own = np.maximum(n_clusters, 3)
    others = np.maximum(n_clusters.sum() - n_clusters, 3)
    powers = np.log(own) / np.log(others / (others - 2.0))
    return int(np.ceil(powers - _ROUNDING).max()) + 1  # eq. (5.21)


def judge(distances, matches, cluster_class, exponent):
    r"""Share of the points that each class collects; the higher distances win among equal ones.

    A cluster that wins a share :math:`(1 + x) / 2 > 1 / 2` of its matches collects :math:`x^t`
    points for its class.

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_matches)
        Signed distances from the hyperplanes; the first cluster of a match wins if positive.
    matches : ndarray of int, shape (n_matches, 2)
        Clusters that play.
    cluster_class : ndarray of int, shape (n_clusters,)
        Class of each cluster.
    exponent : int
        The power t.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Scores. Those of classes with equally many points differ by less than other scores can.
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
