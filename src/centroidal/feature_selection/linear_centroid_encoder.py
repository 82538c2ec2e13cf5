"""Features by a linear centroid-encoder; mathematics in solvers/linear_centroid_encoder.py."""

import numpy as np

from .. import _state as state
from .._data import check_finite_summary, check_fitted, check_moments, check_rows
from .._parameters import check_count, check_positive, choice, optional
from .._typing import ArrayLike, Floats, LinearTraining, NFeatures, SelectorScale
from ..solvers.linear_centroid_encoder import encoding_problem, solve_linear_centroid_encoder
from ..solvers.ranking import rank_features
from ..solvers.sparse_centers import feature_scale
from ..statistics import class_moments, weights_in_samples
from ._ranked_selector import CERTIFICATE, RankedSelector

__all__ = ["LinearCentroidEncoder"]


class LinearCentroidEncoder(RankedSelector):
    r"""Select features whose projection comes near the class means (sparse linear encoder, SLCE).

    A centroid-encoder maps each sample near the mean of its class, here linearly: features are
    weighted by b, projected on the axes A and mapped back. Sections 2 and 3.1 of
    :cite:t:`XiaSuKong` state the method of :cite:t:`Ghosh2023a` as

    .. math::

        \min_{A, b} \; \lVert C - Z \, \mathrm{diag}(b) \, A A^T \rVert_F^2
        + \alpha \lVert b \rVert_1 \quad \text{subject to } A^T A = I,

    where Z are the standardised samples and row i of C is the mean of the class of sample i. The
    l1 norm makes most of b zero. The score of a feature is :math:`|b_j|`.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to keep: a number, a fraction of all features, or None for those whose
        weight is not zero. If fewer weights are not zero than asked for, those next in line follow,
        by their correlation with the residual.
    alpha : float, default=0.05
        Strength of the penalty: as a share of the smallest one at which all weights are zero
        (`alpha_max_`), or itself if `relative` is False.
    relative : bool, default=True
        Whether `alpha` is a share of `alpha_max_`.
    n_components : int or None, default=None
        Most axes. None takes all that lower the objective, which are at most as many as there are
        class means that do not depend on each other; more are never used.
    training : {"two_step", "alternating"}, default="two_step"
        "two_step": the best axes for weights of one, then the best weights for these axes, as
        :cite:t:`Ghosh2023a` do. "alternating": go on with the best axes for these weights, and
        so on; ends much lower, with fewer features, in one of many local minima.
    scale : {"std", None}, default="std"
        "std": subtract the mean of each feature and divide by its standard deviation. A constant
        feature has score 0. None: take the samples as they are. Sparse data stay sparse.
    max_iter : int, default=10000
        Most sweeps of coordinate descent for the weights, or with training="alternating" most
        alternations. If they are not enough, a warning is given.
    tol : float, default=1e-6
        The weights are found when their duality gap is at most this share of their problem's value.
        The alternation ends when it lowers the objective by no more than this share.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Absolute weights.
    coef_ : ndarray of shape (n_features,)
        Weights b.
    components_ : ndarray of shape (n_components, n_features)
        Axes, the transpose of A; orthonormal.
    feature_ranking_ : ndarray of shape (n_features,)
        Columns by decreasing score, then by correlation with the residual, then by position; what
        differs by less than `tol` of the largest is equal. Of copies the first has the weight.
    support_, n_features_to_select_ : ndarray of shape (n_features,), int
        Mask of the selected features, and their number.
    objective_ : float
        Value of the problem.
    objectives_ : ndarray
        Value after each step, which never rises: axes with weights of one, then weights, and with
        training="alternating" axes and weights in turn.
    dual_gap_ : float
        How far `objective_` can be above the optimum for these axes.
    converged_ : bool
        Whether `tol` was reached.
    n_iter_ : int
        Sweeps of coordinate descent, or with training="alternating" how often both were found.
    alpha_, alpha_max_ : float
        Penalty used, and the smallest one at which all weights are zero.
    mean_, feature_scale_ : ndarray of shape (n_features,)
        What was subtracted from each feature, and what it was divided by.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    L21CentroidSelector : A convex problem instead.
    SparseCenterClassifier : Judges each feature by itself; exact, and faster by far.

    Notes
    -----
    **Where we differ** from the paper: axes are orthonormal, because otherwise longer axes and
    smaller weights fit the same at no cost; a certificate; weights of samples.

    Classes may overlap so much that with weights of one no axis lowers the objective. Then the axes
    are the principal axes of the class means, to which the best ones tend as the weights get
    smaller. The problem is not convex: "alternating" ends in a minimum that depends on where it
    began. Costs are in :doc:`/mathematics/linear_centroid_encoder`.

    Examples
    --------
    >>> from centroidal.datasets import load_expression
    >>> from centroidal import LinearCentroidEncoder
    >>> X, y = load_expression(return_X_y=True)
    >>> selector = LinearCentroidEncoder(n_features_to_select=20).fit(X, y)
    >>> selector.transform(X).shape
    (120, 20)
    >>> selector.embed(X).shape[1] == len(selector.components_)
    True
    >>> longer = LinearCentroidEncoder(20, training="alternating").fit(X, y)
    >>> longer.objective_ < selector.objective_
    True
    """

    coef_: Floats
    components_: Floats
    objectives_: Floats
    alpha_: float
    alpha_max_: float
    mean_: Floats
    feature_scale_: Floats

    _state = {
        "coef_": state.floats("features"),
        "components_": state.floats("axes", "features"),
        "objectives_": state.floats("steps"),
        **CERTIFICATE,
        "alpha_": state.number(0.0),
        "alpha_max_": state.number(0.0),
        "mean_": state.floats("features"),
        "feature_scale_": state.divisors("features"),
    }

    _checks = {
        "n_components": optional(check_count),
        "scale": choice(SelectorScale),
        "tol": check_positive,
        "training": choice(LinearTraining),
    }

    def __init__(
        self,
        n_features_to_select: NFeatures = None,
        *,
        alpha: float = 0.05,
        relative: bool = True,
        n_components: int | None = None,
        training: LinearTraining = "two_step",
        scale: SelectorScale = "std",
        max_iter: int = 10000,
        tol: float = 1e-6,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.relative = relative
        self.n_components = n_components
        self.training = training
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol

    def _fit(self, data):
        problem, mean, scale = self._problem(data)
        found = solve_linear_centroid_encoder(
            problem,
            self.alpha,
            relative=self.relative,
            n_components=self.n_components,
            alternate=self.training == "alternating",
            max_iter=self.max_iter,
            tol=self.tol,
        )

        scores, pulls = np.abs(found.coef), np.abs(found.correlations)
        order = rank_features(pulls, self.tol * pulls.max())
        self._keep_ranking(data.features, scores, self.tol * scores.max(), order)
        self.coef_ = found.coef
        self.components_ = np.ascontiguousarray(found.axes.T)
        self.objectives_ = found.objectives
        self._keep_certificate(
            found.objectives[-1], found.gap, found.has_converged, found.n_iter, self.tol
        )
        self.alpha_, self.alpha_max_ = found.penalty, found.largest_penalty
        self.mean_, self.feature_scale_ = mean, scale
        return self

    def embed(self, X: ArrayLike) -> Floats:
        r"""Project samples: :math:`Z \, \mathrm{diag}(b) A`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their coordinates, near those of the mean of their class.
        """
        check_fitted(self)
        X, _ = check_rows(self, X, np.arange(self.n_features_in_))
        loadings = (self.coef_ / self.feature_scale_)[:, None] * self.components_.T
        with np.errstate(invalid="ignore", over="ignore"):
            coordinates = X @ loadings - self.mean_ @ loadings
        check_finite_summary(self, X, coordinates)
        return coordinates

    def _problem(self, data):
        """Return what is solved, and what each feature is reduced by and divided by."""
        weights = None if data.weights is None else weights_in_samples(data.weights)
        moments = class_moments(data.X, data.codes, data.classes.size, weights)
        check_moments(self, data.X, moments)
        if self.scale is None:
            problem = encoding_problem(data.X, data.codes, moments, weights)
            return problem, np.zeros(data.X.shape[1]), np.ones(data.X.shape[1])
        mean, spread = moments.overall_mean, np.sqrt(moments.variance)
        divisors = np.where(spread > 0.0, spread, np.inf)  # a constant feature becomes zero
        problem = encoding_problem(data.X, data.codes, moments, weights, mean, divisors)
        return problem, mean, feature_scale(spread)
