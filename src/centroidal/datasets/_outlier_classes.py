"""Two Gaussian classes among which outlying samples are strewn."""

import numpy as np
from sklearn.utils import check_random_state

from ._checks import check_between, check_count
from ._labels import class_sizes, shuffled_codes

__all__ = ["make_outlier_classes"]


def make_outlier_classes(
    n_samples=200,
    n_features=1000,
    *,
    outlier_probability=0.0,
    spread=1.0,
    outlier_bound=5.0,
    random_state=None,
    centers=None,
):
    """Generate two Gaussian classes in which whole samples may be uniform noise.

    The synthetic example of Figure 6 of :cite:t:`Calafiore2022`: the mean of each class is drawn
    from U(0, 1) in every feature, and a sample of the class is normal around that mean with
    probability ``1 - outlier_probability``, else uniform on ``[0, outlier_bound]`` in every
    feature, whatever its class.

    Parameters
    ----------
    n_samples : int, default=200
        Number of samples; the classes are equally large, up to one sample.
    n_features : int, default=1000
        Number of features.
    outlier_probability : float, default=0.0
        Probability that a sample is an outlier.
    spread : float, default=1.0
        Variance of every feature within a class: the covariance is ``spread`` times the
        identity matrix.
    outlier_bound : float, default=5.0
        Upper end of the range of outlying values.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.
    centers : array-like of shape (2, n_features), default=None
        Class means to use instead of random ones, so that a test set can share the means of
        the training set.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The samples.
    y : ndarray of int, shape (n_samples,)
        The class of each sample, 0 or 1; outliers keep the label of the class they stand for.
    centers : ndarray of shape (2, n_features)
        The class means.

    References
    ----------
    :cite:t:`Calafiore2022`, section VI-B-3.

    Examples
    --------
    >>> from centroidal.datasets import make_outlier_classes
    >>> X, y, centers = make_outlier_classes(outlier_probability=0.2, random_state=0)
    >>> X_test, y_test, _ = make_outlier_classes(centers=centers, random_state=1)
    >>> X_test.shape
    (200, 1000)
    """
    check_count("n_samples", n_samples, 2)
    check_count("n_features", n_features, 1)
    check_between("outlier_probability", outlier_probability, 0, 1)
    check_between("spread", spread, 0)
    check_between("outlier_bound", outlier_bound, 0)

    rng = check_random_state(random_state)
    centers = _draw_centers(n_features, rng) if centers is None else _checked(centers, n_features)
    y = shuffled_codes(class_sizes(n_samples, 2), rng)
    X = centers[y] + np.sqrt(spread) * rng.normal(size=(n_samples, n_features))
    X = _with_outlying_rows(X, outlier_probability, outlier_bound, rng)
    return X, y, centers


def _draw_centers(n_features, rng):
    return rng.uniform(0.0, 1.0, size=(2, n_features))


def _checked(centers, n_features):
    centers = np.array(centers, dtype=float)
    if centers.shape != (2, n_features):
        raise ValueError(
            f"centers of shape {centers.shape} must have shape (2, n_features={n_features})."
        )
    return centers


def _with_outlying_rows(X, probability, bound, rng):
    # One threshold per row: with one seed, a larger probability adds outliers and keeps the rest.
    is_outlier = rng.uniform(size=len(X)) < probability
    X[is_outlier] = rng.uniform(0.0, bound, size=(is_outlier.sum(), X.shape[1]))
    return X
