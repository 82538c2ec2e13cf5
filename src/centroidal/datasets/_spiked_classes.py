"""Gaussian classes that share a covariance with few strong directions."""

import numpy as np
from sklearn.utils import Bunch, check_random_state

from ._checks import check_between, check_count
from ._labels import class_sizes, shuffled_codes
from ._orthonormal import draw_orthonormal

__all__ = ["make_spiked_classes"]


def make_spiked_classes(
    n_samples=400,
    n_features=500,
    *,
    n_spikes=20,
    spike_variance=100.0,
    separation=4.0,
    n_classes=2,
    random_state=None,
):
    r"""Generate Gaussian classes whose noise is strong in a few random directions.

    A sample of class :math:`c` is normal with mean :math:`\mu_c` and a covariance that all classes
    share,

    .. math:: \Sigma = I + a \sum_{j=1}^{r} u_j u_j^\top, \qquad
              \lVert \mu_c - \mu_b \rVert_2 = s \quad \text{for all } c \ne b,

    with :math:`r` spikes :math:`u_j`, random and orthonormal, :math:`a` the parameter
    `spike_variance` and :math:`s` the parameter `separation`. The means lie on random orthonormal
    directions that know nothing of the spikes. The distance of two means is drowned by the spikes
    unless these are found and damped: here the partial whitening of section 4.3 of
    :cite:t:`Rozza2010` shows what it is for.

    Parameters
    ----------
    n_samples : int, default=400
        Number of samples; the classes are equally large, up to one sample.
    n_features : int, default=500
        Number of features, at least 2.
    n_spikes : int, default=20
        Number of strong directions, from none to `n_features`.
    spike_variance : float, default=100.0
        Variance that each spike adds: along it the variance is ``1 + spike_variance``, in the
        directions orthogonal to all spikes it is 1.
    separation : float, default=4.0
        Euclidean distance between the means of any two classes.
    n_classes : int, default=2
        Number of classes, at most `n_features`.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data : ndarray of shape (n_samples, n_features)
            The samples.
        target : ndarray of int, shape (n_samples,)
            The class of each sample, 0 … ``n_classes`` - 1.
        means : ndarray of shape (n_classes, n_features)
            The mean of each class.
        spikes : ndarray of shape (n_spikes, n_features)
            The strong directions, one per row.

    See Also
    --------
    make_random_clusters : A covariance of its own for every cluster.

    Notes
    -----
    The covariance is never formed: time grows with ``n_samples * n_features * n_spikes`` and
    ``n_features * n_spikes**2``.

    **Where we differ**: this model is ours, not one of the generators of the thesis, in whose
    synthetic data no direction is much stronger than the others.

    References
    ----------
    :cite:t:`Rozza2010`, section 4.3.

    Examples
    --------
    >>> import numpy as np
    >>> from centroidal.datasets import make_spiked_classes
    >>> made = make_spiked_classes(n_samples=60, n_features=30, n_spikes=3, random_state=0)
    >>> made.data.shape
    (60, 30)
    >>> float(np.linalg.norm(made.means[1] - made.means[0]).round(6))
    4.0
    """
    check_count("n_samples", n_samples, 2)
    check_count("n_features", n_features, 2)
    check_count("n_spikes", n_spikes, 0, n_features, high_name="n_features")
    check_count("n_classes", n_classes, 2, n_samples, high_name="n_samples")
    check_count("n_classes", n_classes, 2, n_features, high_name="n_features")
    check_between("spike_variance", spike_variance, 0)
    check_between("separation", separation, 0)

    rng = check_random_state(random_state)
    codes = shuffled_codes(class_sizes(n_samples, n_classes), rng)
    # Orthonormal directions are the square root of two apart.
    means = separation / np.sqrt(2) * draw_orthonormal(n_classes, n_features, rng)
    spikes = draw_orthonormal(n_spikes, n_features, rng)
    swings = np.sqrt(spike_variance) * rng.normal(size=(n_samples, n_spikes))
    data = means[codes] + swings @ spikes + rng.normal(size=(n_samples, n_features))

    return Bunch(data=data, target=codes, means=means, spikes=spikes)
