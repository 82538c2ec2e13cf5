"""Features in which a class is steady; mathematics in solvers/disjoint_centroids.py."""

from .. import _state as state
from .._data import check_moments
from .._typing import Array, NFeatures
from ..solvers.disjoint_centroids import margin_scores
from ..statistics import class_moments
from ._ranked_selector import RankedSelector

__all__ = ["MarginSelector"]


class MarginSelector(RankedSelector):
    r"""Select the features in which some class is steady and the others are elsewhere, or spread.

    It ranks features as :class:`DisjointCentroidClassifier` does with ``assignment="margin"``: by
    the smallest ratio, over the classes, of what the samples of a class pay at its own center to
    what samples of the other classes pay there,

    .. math::

        s_i = 1 - \min_j \frac{v_{ij}}{o_{ij}}, \qquad
        o_{ij} = \frac{1}{K - 1} \sum_{l \ne j} \left[ v_{il} + (\mu_{il} - \mu_{ij})^2 \right],

    where :math:`\mu_{ij}` and :math:`v_{ij}` are mean and variance of feature i in class j. So it
    finds features whose class means are equal and whose spread is not, which an F test cannot.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to keep: a number, a fraction, or None for those with a score above zero,
        which few features lack, and at least one.
    n_jobs : int or None, default=None
        Number of threads. The result does not depend on it.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Between 0, for a feature that speaks for no class, and 1, for one without spread in a class
        that has spread elsewhere.
    feature_ranking_ : ndarray of int, shape (n_features,)
        Features from the best to the worst; of scores equal up to rounding the first column.
    support_, n_features_to_select_ : ndarray of bool, shape (n_features,), int
        Mask of the features that are kept, and their number.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    DisjointCentroidClassifier : Classifies by such features.
    SparseCenterClassifier : Ranks by how far apart the class means are.

    Notes
    -----
    One pass over the data; sparse data stay sparse. The scores do not depend on the units of the
    features. Variances feel outliers: clip or transform features with heavy tails first. A class
    without any spread (one sample) is given the mean variance of the others.

    Examples
    --------
    The means of the two classes are equal in all features; in the first, one class is steady.

    >>> import numpy as np
    >>> from centroidal import MarginSelector
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> y = np.repeat(["steady", "spread"], 50)
    >>> X[:50, 0] *= 0.2
    >>> MarginSelector(1).fit(X, y).get_support(indices=True)
    array([0])
    """

    classes_: Array

    _state = {
        "classes_": state.labels("classes"),
    }

    _takes_dask = True

    def __init__(
        self, n_features_to_select: NFeatures = None, *, n_jobs: int | None = None
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_jobs = n_jobs

    def _fit(self, data):
        moments = class_moments(data.X, data.codes, data.classes.size, data.weights, self.n_jobs)
        check_moments(self, data.X, moments)
        scores, errors = margin_scores(moments)

        self.classes_ = data.classes
        return self._keep_ranking(data.features, scores, errors)
