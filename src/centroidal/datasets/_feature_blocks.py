"""Classes that each have a block of features of their own, other in mean or in spread."""

import numpy as np
from sklearn.utils import Bunch, check_random_state

from ._checks import check_between, check_count, check_finite
from ._labels import class_sizes, shuffled_codes

__all__ = ["make_feature_blocks"]


def make_feature_blocks(
    n_samples=1000,
    n_features_per_class=5,
    *,
    n_classes=4,
    mean=0.9,
    spread=1.9,
    n_noise=0,
    random_state=None,
):
    r"""Generate classes that each have a block of features of their own.

    The simulations of section 7 of :cite:t:`Fraiman2021`. All entries are independent and normal:
    in the block of its own class a sample has mean `mean` and standard deviation 1, in the blocks
    of the other classes mean 0 and standard deviation `spread`, and in noise features mean 0 and
    standard deviation 1.

    ========== =================================== ======================================
    Simulation Setting                             Arguments
    ========== =================================== ======================================
    1          blocks differ in their means        ``mean=a, spread=1``
    2          blocks differ in their variances    ``mean=0, spread=1 + b``
    3          blocks differ in both               ``mean=c, spread=1 + c``
    4          the same, with irrelevant features  ``mean=c, spread=1 + c, n_noise=r``
    ========== =================================== ======================================

    There a, b and c are 0.3, 0.6 or 0.9, the blocks have 3, 5 or 10 features (5 in the fourth
    simulation), r is 20, 40 or 80, and there are 4 classes of 250 samples.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples, at least one a class. The classes are equally large, up to one sample.
    n_features_per_class : int, default=5
        Number of features in the block of each class.
    n_classes : int, default=4
        Number of classes, at least 2.
    mean : float, default=0.9
        Mean of a sample in the block of its own class.
    spread : float, default=1.9
        Standard deviation of a sample in the blocks of the other classes.
    n_noise : int, default=0
        Number of features that say nothing about the class, after all blocks.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data : ndarray of shape (n_samples, n_features)
            The samples.
        target : ndarray of int, shape (n_samples,)
            The class of each sample.
        feature_class : ndarray of int, shape (n_features,)
            The class that each feature belongs to, -1 for noise.

    References
    ----------
    :cite:t:`Fraiman2021`, section 7.

    Examples
    --------
    >>> from centroidal.datasets import make_feature_blocks
    >>> made = make_feature_blocks(12, 2, n_classes=3, n_noise=1, random_state=0)
    >>> made.data.shape
    (12, 7)
    >>> made.feature_class.tolist()
    [0, 0, 1, 1, 2, 2, -1]
    """
    check_count("n_classes", n_classes, 2)
    check_count("n_samples", n_samples, n_classes)
    check_count("n_features_per_class", n_features_per_class, 1)
    check_count("n_noise", n_noise, 0)
    check_finite("mean", mean)
    check_between("spread", spread, 0)

    rng = check_random_state(random_state)
    target = shuffled_codes(class_sizes(n_samples, n_classes), rng)
    blocks = np.repeat(np.arange(n_classes), n_features_per_class)
    feature_class = np.concatenate([blocks, np.full(n_noise, -1)])
    is_own = target[:, None] == feature_class
    is_other = ~is_own & (feature_class >= 0)
    data = rng.normal(size=is_own.shape)
    data[is_own] += mean
    data[is_other] *= spread
    return Bunch(data=data, target=target, feature_class=feature_class)
