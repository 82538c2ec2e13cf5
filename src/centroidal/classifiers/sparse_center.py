"""Nearest-center classification on few features; mathematics in solvers/sparse_centers.py."""

from copy import copy
from typing import Self

import numpy as np

from .._data import check_fitted
from .._parameters import (
    check_covariance,
    check_n_features_to_select,
    check_parameters,
    check_priors,
)
from .._typing import ArrayLike, CenterMetric, CenterScale, Covariance, NFeatures, Priors
from ._base import MomentsClassifier
from .sparse_center_rule import ColumnSummary, SparseCenterRule

__all__ = ["SparseCenterClassifier"]


class SparseCenterClassifier(MomentsClassifier, SparseCenterRule):
    r"""Nearest-center classifier whose centers differ in few features (sparse l1/l2 centers).

    Solves, for any number of classes, the problems (8) and (10) of :cite:t:`Calafiore2022`:

    .. math::

        \min_{\theta_1, \dots, \theta_K} \sum_{c=1}^K \frac{1}{W_c} \sum_{i : y_i = c}
        s_i \, \ell(x_i - \theta_c)

    subject to at most k features in which the :math:`\theta_c` are not all equal. Here
    :math:`\ell` is the squared l2 or the l1 norm, :math:`s_i` a sample weight and :math:`W_c` the
    weight of class c. The optimum is exact and found in one pass over the data. A sample goes to
    the class of the nearest center, and only the k selected features are read for that.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features may tell the classes apart: a number, a fraction of all features, or
        None for all (the plain nearest-center classifier).
    metric : {"l2", "l1", "mahalanobis"}, default="l2"
        "l2": centers are class means, distances Euclidean. "l1": centers are class medians,
        distances sums of absolute differences; robust to outliers. "mahalanobis": as "l2" after
        whitening with a `covariance`; the features that are selected are then *whitened* features,
        each a mixture of all.
    scale : {None, "std", "within", "mad"}, default=None
        What each feature is divided by before anything else, without centering. "std": its
        standard deviation, as in the paper. "within": its pooled standard deviation inside the
        classes. "mad": its median absolute deviation from the class medians, times 1.4826; robust.
        A feature without spread is left as it is.
    covariance : str or array-like of shape (n_features, n_features), default="within"
        What "mahalanobis" whitens with. "within": the covariance around the class means. "total":
        that around the mean of all samples. Both are shrunk by the formula of Ledoit and Wolf. A
        given matrix, symmetric, positive definite and in the units of the data, is taken as it is.
    priors : {"uniform", "empirical"} or array-like of shape (n_classes,), default="uniform"
        Class probabilities. With "uniform" the nearest center decides.
    n_jobs : int or None, default=None
        Number of threads. The result is the same to the last bit for any number.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    centers_ : ndarray of shape (n_classes, n_features)
        The optimal centers, in the units of the data. In features that were not selected all
        classes have the same center. With metric="mahalanobis" they are in whitened units. A row
        of NaN belongs to a class without samples so far.
    feature_gains_ : ndarray of shape (n_features,)
        How much the objective falls when a feature is kept.
    feature_ranking_ : ndarray of shape (n_features,)
        Columns by decreasing gain, those equal up to rounding by position: the first k are the
        optimum for k features.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features. One with zero gain may be among them.
    n_features_to_select_ : int
        Number of selected features.
    feature_scale_ : ndarray of shape (n_features,)
        What each feature was divided by.
    objective_ : float
        Value of the training problem at the optimum, in scaled units.
    spread_ : float
        Pooled mean loss of a sample around its center along one selected feature: a variance
        for "l2", a mean absolute deviation for "l1". It is the unit of `predict_proba`.
    class_prior_ : ndarray of shape (n_classes,)
        Class probabilities in use.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    SparseCenterClassifierCV : Chooses the number of features by cross-validation.

    Notes
    -----
    `predict_proba` takes the selected, scaled features to be independent, with a Gaussian (l2,
    Mahalanobis) or a Laplace (l1) distribution of one spread (`spread_`) around each center. It is
    often too sure of itself; where probabilities matter, wrap the classifier in scikit-learn's
    ``CalibratedClassifierCV`` (its method "temperature" keeps the predictions).

    **Where we differ** from the paper: any number of classes is solved jointly and exactly, not one
    against the rest; weights; priors; the scales "within" and "mad"; an estimated covariance is
    shrunk, so that it exists for more features than samples.

    On word counts use "l2": a feature that is mostly zero in every class has medians of zero, and
    no gain with "l1". Time is O(n m), or O(nnz) for sparse data, which stay sparse; Mahalanobis
    takes O(n m min(n, m)) and reads all features to predict.

    Examples
    --------
    >>> from centroidal import SparseCenterClassifier
    >>> from centroidal.datasets import load_expression
    >>> X, y = load_expression(return_X_y=True)
    >>> model = SparseCenterClassifier(n_features_to_select=20, scale="within").fit(X, y)
    >>> model.get_support(indices=True).size
    20
    >>> model.at(5).feature_ranking_[:5].tolist() == model.feature_ranking_[:5].tolist()
    True
    """

    def __init__(
        self,
        n_features_to_select: NFeatures = None,
        *,
        metric: CenterMetric = "l2",
        scale: CenterScale = None,
        covariance: Covariance | ArrayLike = "within",
        priors: Priors | ArrayLike = "uniform",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.metric = metric
        self.scale = scale
        self.covariance = covariance
        self.priors = priors
        self.n_jobs = n_jobs

    def _fit(self, data):
        n_selected = check_n_features_to_select(self.n_features_to_select, data.features.number)
        solution = self._problem.solve(self, data, self.n_jobs)
        return self._keep(data.features, data.classes, solution, n_selected)

    def _fit_path(self, data, sizes, ranking):
        """Yield the models with so many features, in the order of a ranking; data are checked."""
        solution = self._problem.solve(self, data, self.n_jobs)
        solution = solution._replace(path=solution.path._replace(ranking=ranking))
        for size in sizes:
            yield copy(self)._keep(data.features, data.classes, solution, size)

    @property
    def _needed_to_merge(self):
        if self._problem.streams:
            return None
        return (
            "metric='l2' and scale=None, 'std' or 'within', which come from class moments; got "
            f"metric={self.metric!r}, scale={self.scale!r}"
        )

    def _check_mergeable(self, other):
        if other._solution.moments is None:
            raise ValueError(
                f"other with metric={other.metric!r}, scale={other.scale!r} cannot be merged; it "
                "needs metric='l2' and scale=None, 'std' or 'within'."
            )

    def _check_for(self, n_features, n_classes):
        """Raise unless the parameters are right for so many features and classes."""
        check_parameters(self)
        check_n_features_to_select(self.n_features_to_select, n_features)
        check_covariance("covariance", self.covariance, n_features)
        check_priors(self.priors, np.ones(n_classes))

    def _keep_moments(self, features, classes, moments):
        """Become the model of all samples that the moments are of."""
        n_selected = check_n_features_to_select(self.n_features_to_select, features.number)
        solution = self._problem.solve_moments(self, None, moments)
        return self._keep(features, classes, solution, n_selected)

    def _fit_columns(self, parts, features, classes):
        """Fit to summaries of all rows of neighbouring columns, which together are all columns."""
        n_selected = check_n_features_to_select(self.n_features_to_select, features.number)
        solution = self._problem.solve_columns(self, ColumnSummary.join(parts))
        return self._keep(features, classes, solution, n_selected)

    def at(self, n_features_to_select: NFeatures) -> Self:
        """Return the exact model with another number of features, without the data.

        Parameters
        ----------
        n_features_to_select : int, float or None
            As in the constructor.

        Returns
        -------
        SparseCenterClassifier
            A fitted copy, equal to one fitted on the same data with `n_features_to_select`.
        """
        check_fitted(self)
        n_selected = check_n_features_to_select(n_features_to_select, self.n_features_in_)
        model = copy(self).set_params(n_features_to_select=n_features_to_select)
        return model._keep(self._features, self.classes_, self._solution, n_selected)
