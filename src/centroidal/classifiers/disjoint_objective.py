"""How well groups of features fit samples; mathematics in solvers/disjoint_centroids.py."""

from typing import get_args

import numpy as np
from sklearn.base import BaseEstimator

from .._data import check_labelled, check_moments
from .._parameters import check_choice
from .._typing import ArrayLike, Norm
from ..solvers.disjoint_centroids import group_objective
from ..statistics import class_moments

__all__ = ["disjoint_objective"]

_ASKING = type("disjoint_objective", (BaseEstimator,), {})()  # whom messages about X and y speak of


def disjoint_objective(
    X: ArrayLike,
    y: ArrayLike,
    groups: ArrayLike,
    *,
    norm: Norm = "normalized",
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Compute the objective of disjoint centroids, equation (1) of :cite:t:`Fraiman2021`.

    .. math::

        \sum_j \sum_{s \in S_j} \frac{1}{|I_j|} \sum_{i \in I_j} (x_{si} - \mu_{ij})^2,

    where :math:`S_j` are the samples of class j, :math:`I_j` is its group of features and
    :math:`\mu_{ij}` the mean of feature i in it. Divided by the number of samples it is the
    empirical risk of the paper.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Class labels.
    groups : array-like of bool, shape (n_classes, n_features)
        Which features each class has, at least one; classes in sorted order. They may overlap.
    norm : {"normalized", "euclidean"}, default="normalized"
        "normalized": the mean over the features of a group, as above. "euclidean": their sum, which
        the paper warns of: large classes are then best off with few features.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights.

    Returns
    -------
    float
        The objective.

    See Also
    --------
    DisjointCentroidClassifier : Has the groups as `groups_`; it minimises another objective.

    Notes
    -----
    The groups that minimise it are not those that classify best, see
    :doc:`/mathematics/disjoint_centroids`.

    Examples
    --------
    >>> from centroidal.classifiers import disjoint_objective
    >>> X, y = [[0, 3, 1], [2, 3, 5], [0, 1, 4], [4, 1, 4]], [0, 0, 1, 1]
    >>> disjoint_objective(X, y, [[True, True, False], [False, False, True]])
    1.0
    >>> disjoint_objective(X, y, [[True, True, False], [False, False, True]], norm="euclidean")
    2.0
    """
    check_choice("norm", norm, get_args(Norm))
    data = check_labelled(_ASKING, X, y, sample_weight)
    groups = _check_groups(groups, data.classes.size, data.features.number)
    moments = class_moments(data.X, data.codes, data.classes.size, data.weights)
    check_moments(_ASKING, data.X, moments)
    return group_objective(moments, groups, norm == "normalized")


def _check_groups(groups, n_classes, n_features):
    found = np.asarray(groups)
    if found.dtype != bool or found.shape != (n_classes, n_features):
        raise ValueError(
            f"groups of shape {found.shape} and type {found.dtype} must be of shape "
            f"{(n_classes, n_features)} and hold bools."
        )
    if not found.any(axis=1).all():
        raise ValueError("groups must give each class a feature.")
    return found
