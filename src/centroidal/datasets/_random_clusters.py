"""Classes made of Gaussian clusters whose means and covariances are random."""

import numpy as np
from sklearn.utils import Bunch, check_random_state

from ._checks import check_between, check_count
from ._labels import shuffled_codes
from ._orthonormal import draw_orthonormal

__all__ = ["make_random_clusters"]


def make_random_clusters(
    n_per_cluster=((500, 500, 500, 500), (500, 500, 500, 500)),
    n_features=500,
    *,
    mean_scale=1.0,
    random_state=None,
):
    r"""Generate classes of Gaussian clusters with random means and random covariances.

    The second generator of section 5.5.1 of :cite:t:`Rozza2010`. A sample of cluster :math:`k` is

    .. math:: x = \mu_k + \sum_j \sqrt{\lambda_{kj}}\, z_j\, v_{kj},
              \qquad z_j \sim \mathcal{N}(0, 1),

    where every entry of :math:`\mu_k` is drawn from U(0, 1) and multiplied by `mean_scale`. The
    eigenvalues :math:`\lambda_{kj}` of the covariance are drawn from U(0, 1) and its eigenvectors
    :math:`v_{kj}` are a random orthonormal basis. With one cluster per class it is the generator of
    sections 3.5 and 4.3.2.

    Parameters
    ----------
    n_per_cluster : sequence of sequences of int, default=((500,) * 4, (500,) * 4)
        Samples in each cluster, class by class: ``((1000,), (1000,))`` makes two classes of one
        cluster each, ``((200, 300), (500,), (400,))`` three classes of which the first has two.
    n_features : int, default=500
        Number of features.
    mean_scale : float, default=1.0
        Factor of all means; the smaller, the more the clusters overlap.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data : ndarray of shape (n_samples, n_features)
            The samples, those of all clusters in random order.
        target : ndarray of int, shape (n_samples,)
            The class of each sample, 0 … ``n_classes`` - 1.
        clusters : ndarray of int, shape (n_samples,)
            The cluster of each sample, 0 … ``n_clusters`` - 1, counted through all classes.
        cluster_classes : ndarray of int, shape (n_clusters,)
            The class that each cluster belongs to.
        means : ndarray of shape (n_clusters, n_features)
            The mean of each cluster.
        variances : ndarray of shape (n_clusters, n_features)
            The eigenvalues of the covariance of each cluster.
        directions : ndarray of shape (n_clusters, n_features, n_features)
            The eigenvectors, one per row, in the order of `variances`.

    See Also
    --------
    make_crossed_clusters : Round clusters with fixed means.
    make_spiked_classes : One covariance for all classes, with few strong directions.

    Notes
    -----
    All means share the component ``mean_scale / 2`` in every feature, and the squared distance
    between two of them is ``mean_scale**2 * n_features / 6`` on average.

    The covariance of cluster ``k`` is ``directions[k].T * variances[k] @ directions[k]``. Time
    grows with ``n_clusters * n_features**3`` for the directions and ``n_samples * n_features**2``
    for the samples; the directions take ``n_clusters * n_features**2`` numbers of memory.

    References
    ----------
    :cite:t:`Rozza2010`, sections 3.5, 4.3.2 and 5.5.1.

    Examples
    --------
    >>> from centroidal.datasets import make_random_clusters
    >>> made = make_random_clusters(((20, 30), (40,)), n_features=5, random_state=0)
    >>> made.data.shape
    (90, 5)
    >>> made.cluster_classes.tolist()
    [0, 0, 1]
    """
    sizes, cluster_classes = _checked_sizes(n_per_cluster)
    check_count("n_features", n_features, 1)
    check_between("mean_scale", mean_scale, 0)

    rng = check_random_state(random_state)
    clusters = shuffled_codes(sizes, rng)
    means = mean_scale * rng.uniform(size=(len(sizes), n_features))
    variances = rng.uniform(size=(len(sizes), n_features))
    directions = np.stack([draw_orthonormal(n_features, n_features, rng) for _ in sizes])

    return Bunch(
        data=_draw_samples(clusters, means, variances, directions, rng),
        target=cluster_classes[clusters],
        clusters=clusters,
        cluster_classes=cluster_classes,
        means=means,
        variances=variances,
        directions=directions,
    )


def _checked_sizes(n_per_cluster):
    """Return the sizes of all clusters in a row, and the class of each."""
    try:
        by_class = [list(sizes) for sizes in n_per_cluster]
    except TypeError:
        by_class = []
    if len(by_class) < 2 or not all(by_class):
        raise ValueError(
            f"n_per_cluster={n_per_cluster!r} must hold at least two classes, each a sequence of "
            "at least one cluster size, such as ((1000,), (1000,))."
        )
    for code, sizes in enumerate(by_class):
        for position, size in enumerate(sizes):
            check_count(f"n_per_cluster[{code}][{position}]", size, 1)
    cluster_classes = np.repeat(np.arange(len(by_class)), [len(sizes) for sizes in by_class])
    return np.concatenate(by_class), cluster_classes


def _draw_samples(clusters, means, variances, directions, rng):
    data = rng.normal(size=(len(clusters), means.shape[1]))
    for k, (mean, variance, basis) in enumerate(zip(means, variances, directions, strict=True)):
        is_member = clusters == k
        data[is_member] = mean + data[is_member] * np.sqrt(variance) @ basis
    return data
