r"""How fast the probability of a class falls with the distance to its center.

With one slope for all classes, log p_c = -slope * d_c up to a term that all classes share, the
nearest center stays the most probable class.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

__all__ = ["slope_from_distances", "slope_from_moments"]

_ROUNDING = 1e-12  # distances that differ by a smaller share are equal


def slope_from_distances(distances, codes, weights):
    """Slope of a logistic regression on the distances that has one for all classes.

    Its penalty is half the square of the slope in units of the spread of the distances, as in a
    logistic regression on standardised features with ``C=1``. Never negative.

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_classes)
        From each sample to each center.
    codes : ndarray of int
        Classes of the samples.
    weights : ndarray of float64
        Their weights.
    """
    largest = np.abs(distances).max()
    relative = distances - distances.mean(axis=1, keepdims=True)
    if np.abs(relative).max() <= _ROUNDING * largest:
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


def slope_from_moments(moments, groups, scale):
    """Slope that class moments give if features are independent and normal inside the classes.

    The difference of two distances is then taken to be normal, with one variance in both classes,
    averaged over the pairs of classes.

    Parameters
    ----------
    moments : ClassMoments
        Of the classes that have samples.
    groups : ndarray of bool, shape (n_classes, n_features)
        Which features a class has.
    scale : ndarray of shape (n_features,)
        What each feature is divided by.
    """
    shares = groups / groups.sum(axis=1, keepdims=True)
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
