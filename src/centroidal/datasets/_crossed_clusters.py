"""Two classes of four clusters each that lie crosswise, so that no hyperplane separates them."""

import numpy as np
from sklearn.utils import Bunch, check_random_state

from ._checks import check_between, check_count
from ._labels import class_sizes, shuffled_codes

__all__ = ["make_crossed_clusters"]

CLUSTERS_PER_CLASS = 4
# The value of each mean in the first and in the second half of the features.
VALUES_IN_HALVES = np.array(
    [
        [(0.0, 0.0), (1.0, 0.0), (0.5, -1.0), (0.5, 1.0)],
        [(1.0, 1.0), (1.0, -1.0), (0.0, 1.0), (0.0, -1.0)],
    ]
)


def make_crossed_clusters(n_samples=4000, n_features=500, *, spread=1.0, random_state=None):
    r"""Generate two classes of four round clusters each that no hyperplane separates.

    The first generator of section 5.5.1 of :cite:t:`Rozza2010`, also used in section 5.3.2.
    A sample of cluster :math:`k` is

    .. math:: x = \mu_k + e\, z, \qquad z \sim \mathcal{N}(0, I),

    with :math:`e` the parameter `spread`. Each mean :math:`\mu_k` has one value in the first half
    of the features and another in the second:

    ===== ============================================
    Class Value of each mean (first half, second half)
    ===== ============================================
    0     (0, 0), (1, 0), (0.5, -1), (0.5, 1)
    1     (1, 1), (1, -1), (0, 1), (0, -1)
    ===== ============================================

    Parameters
    ----------
    n_samples : int, default=4000
        Number of samples, at least one for each of the eight clusters. The classes are equally
        large, up to one sample, and so are the clusters of a class.
    n_features : int, default=500
        Number of features, at least 2; the first half has ``n_features // 2`` of them.
    spread : float, default=1.0
        Standard deviation of every feature within a cluster.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data : ndarray of shape (n_samples, n_features)
            The samples.
        target : ndarray of int, shape (n_samples,)
            The class of each sample, 0 or 1.
        clusters : ndarray of int, shape (n_samples,)
            The cluster of each sample, 0 … 7, in the order of the table.
        cluster_classes : ndarray of int, shape (8,)
            The class that each cluster belongs to.
        means : ndarray of shape (8, n_features)
            The mean of each cluster.

    See Also
    --------
    make_random_clusters : Clusters with random means and covariances.

    Notes
    -----
    The average of the four means is the same in both classes, 0.5 in the first half and 0 in the
    second. So the difference of the class means says nothing about the class, while the nearest of
    the eight means is right nearly always, unless `spread` is large.

    References
    ----------
    :cite:t:`Rozza2010`, sections 5.3.2 and 5.5.1.

    Examples
    --------
    >>> from centroidal.datasets import make_crossed_clusters
    >>> made = make_crossed_clusters(n_samples=80, n_features=6, random_state=0)
    >>> made.data.shape
    (80, 6)
    >>> made.means[2].tolist()
    [0.5, 0.5, 0.5, -1.0, -1.0, -1.0]
    """
    check_count("n_samples", n_samples, 2 * CLUSTERS_PER_CLASS)
    check_count("n_features", n_features, 2)
    check_between("spread", spread, 0)

    rng = check_random_state(random_state)
    cluster_classes = np.repeat([0, 1], CLUSTERS_PER_CLASS)
    means = _means(n_features)
    clusters = shuffled_codes(_cluster_sizes(n_samples), rng)
    data = means[clusters] + spread * rng.normal(size=(n_samples, n_features))

    return Bunch(
        data=data,
        target=cluster_classes[clusters],
        clusters=clusters,
        cluster_classes=cluster_classes,
        means=means,
    )


def _means(n_features):
    first_half = n_features // 2
    halves = [first_half, n_features - first_half]
    return np.repeat(VALUES_IN_HALVES.reshape(-1, 2), halves, axis=1)


def _cluster_sizes(n_samples):
    # Class by class: eight equal parts at once would give the odd samples all to the first class.
    sizes = [class_sizes(size, CLUSTERS_PER_CLASS) for size in class_sizes(n_samples, 2)]
    return np.concatenate(sizes)
