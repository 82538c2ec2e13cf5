"""Few features that reconstruct class centroids; mathematics in solvers/l21_centroids.py."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import Bunch

from .. import _state as state
from .._data import check_labelled, check_moments
from .._parameters import check_alphas, check_count, check_parameters, choice, optional
from .._typing import ArrayLike, Floats, NFeatures, SelectorScale, Solver, Targets
from ..solvers.l21_centroids import (
    L21Solution,
    centroid_targets,
    largest_alpha,
    solve_interior,
    solve_reweighted,
    solve_splitting,
)
from ..solvers.ranking import rank_features
from ..solvers.sparse_centers import feature_scale
from ..statistics import class_moments, weights_in_samples
from ..statistics.residuals import residuals
from ._ranked_selector import CERTIFICATE, RankedSelector

__all__ = ["L21CentroidSelector"]

# Unknowns of the dual up to which the interior-point method is faster; to a finer tolerance.
_MOST_UNKNOWNS, _MOST_UNKNOWNS_FINE = 600, 2000
_MOST_INVERTED = 4000  # samples, or features, up to which alternating directions are
_TOLERANCES = {"newton": 1e-6, "admm": 1e-4, "irls": 1e-3, "cg": 1e-3}
_MOST_STEPS = {"newton": 1000, "admm": 10_000, "irls": 1000, "cg": 1000}
_N_ALPHAS = 20
_SMALLEST_ALPHA = 0.01  # of the path, as a share of the largest


class L21CentroidSelector(RankedSelector):
    r"""Select the features that reconstruct the class centroids best (l2,1 selection and RFS).

    Solves the convex problem

    .. math::

        \min_W \sum_i \lVert y_i - x_i W \rVert_2 + \alpha \sum_j \lVert w_j \rVert_2

    of section 3.2 of :cite:t:`XiaSuKong`, where :math:`x_i` is a sample and :math:`y_i` the
    centroid of its class, or its class as a vector of zeros and a one (robust feature selection,
    RFS, of :cite:t:`Nie2010`). The sum of row norms makes whole rows :math:`w_j` zero: features
    that are not needed. The score of a feature is the norm of its row.

    Parameters
    ----------
    alpha : float, default=0.1
        Strength of the penalty: as a share of the smallest one that leaves no feature at all
        (`alpha_max_`), or itself if `relative` is False.
    targets : {"centroids", "classes"}, default="centroids"
        What is reconstructed: the centroid of the class of each sample, or the class itself (RFS).
    n_features_to_select : int, float or None, default=None
        How many features to keep: a number, a fraction of all features, or None for those in the
        optimum, which the certificate tells, however short their rows are. If these are fewer than
        asked for, those next in line follow, by their correlation with the dual solution.
    relative : bool, default=True
        Whether `alpha` is a share of `alpha_max_`.
    scale : {"std", None}, default="std"
        "std": subtract the mean of each feature and divide by its standard deviation. A constant
        feature has score 0. None: take the samples as they are. Sparse data stay sparse.
    solver : {"auto", "newton", "admm", "irls", "cg"}, default="auto"
        "newton": interior-point method on the dual; certified to many digits, for few samples times
        targets. "admm": alternating direction method of multipliers, whose steps are cheap; for
        many classes or samples, and slow to end on small tables. Both have a working set of
        features. "irls": reweighted least squares, by Cholesky up to 2000 samples and by conjugate
        gradients above; its objective is right long before its certificate says so. "cg": the same
        by conjugate gradients for any number of samples, which is the paper's way (algorithm 2) and
        slower. "auto":
        "newton" up to 600 samples times targets, or 2000 if `tol` is below 1e-4; else "admm" if
        there are at most 4000 samples or features; else "irls".
    tol : float or None, default=None
        Stop when the gap between objective and its lower bound is at most this share of the
        objective. None is 1e-6 for "newton", 1e-4 for "admm" and 1e-3 for others. "newton" goes on
        to a hundredth of it as long as it is not clear which features are in the optimum.
    max_iter : int or None, default=None
        Most steps; None is 1000, and 10,000 of the short ones of "admm". If they are not enough, or
        rounding allows no more, a warning is given; `dual_gap_` is a proof in any case. Penalties
        below a thousandth of `alpha_max_`, where all samples can be met exactly, are the hard ones.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Row norms of W.
    coef_ : ndarray of shape (n_targets, n_features)
        The transpose of W, as scikit-learn has coefficients; with centroids as targets in
        coordinates of their span, in which norms are the same.
    feature_ranking_ : ndarray of shape (n_features,)
        Columns by decreasing score, then by correlation with the dual solution, then by position;
        what differs by less than `tol` of the largest is equal.
    support_, n_features_to_select_ : ndarray of shape (n_features,), int
        Mask of the selected features, and their number.
    objective_, dual_gap_ : float
        Value of the problem, and how far it can be above the optimum.
    converged_, n_iter_, solver_ : bool, int, str
        Whether the gap is within `tol`, steps taken, and solver used.
    alpha_, alpha_max_ : float
        Penalty used, and the smallest one that leaves no feature.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    SparseCenterClassifier : Judges each feature by itself; exact, and faster by far.

    Notes
    -----
    **Where we differ** from the paper: nothing of the size features times features is ever made,
    because targets in the span of the centroids give the same row norms; the interior-point method;
    a certificate instead of the change of the objective as stopping rule, which stops too early;
    weights, which multiply the misfit of a sample. Misprints that were corrected are listed in
    :doc:`/mathematics/l21_centroids`.

    The optimum need not be unique: of two equal features any mixture is optimal.

    Time of "newton" is O((n r)^3 + r^2 n^2 m) a step for n samples, r targets and a working set of
    m features, usually a few times n; that of "admm" is O(n m r) a step, and of "irls" O(n^2 d) for
    d features. Memory is a copy of the data.

    Examples
    --------
    >>> from centroidal import L21CentroidSelector
    >>> from centroidal.datasets import load_expression
    >>> X, y = load_expression(return_X_y=True)
    >>> selector = L21CentroidSelector(alpha=0.5, n_features_to_select=20).fit(X, y)
    >>> selector.transform(X).shape
    (120, 20)
    >>> bool(selector.dual_gap_ <= 1e-6 * selector.objective_)
    True
    """

    coef_: Floats
    solver_: str
    alpha_: float
    alpha_max_: float

    _state = {
        "coef_": state.floats("targets", "features"),
        **CERTIFICATE,
        "solver_": state.text("newton", "admm", "irls", "cg"),
        "alpha_": state.number(0.0),
        "alpha_max_": state.number(0.0),
    }

    _checks = {"scale": choice(SelectorScale), "max_iter": optional(check_count)}

    def __init__(
        self,
        alpha: float = 0.1,
        *,
        targets: Targets = "centroids",
        n_features_to_select: NFeatures = None,
        relative: bool = True,
        scale: SelectorScale = "std",
        solver: Solver = "auto",
        tol: float | None = None,
        max_iter: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.targets = targets
        self.n_features_to_select = n_features_to_select
        self.relative = relative
        self.scale = scale
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, data):
        rows, targets = self._problem(data)
        alpha_max = largest_alpha(rows, targets)
        alpha = float(self.alpha * alpha_max if self.relative else self.alpha)
        solution, solver, tol = self._solve(rows, targets, alpha, alpha_max)

        scores, pulls = map(_row_norms, (solution.coefficients, rows.pull_back(solution.dual)))
        order = rank_features(pulls, tol * pulls.max())
        self._keep_ranking(data.features, scores, tol * scores.max(), order)
        self.coef_ = np.ascontiguousarray(solution.coefficients.T)
        gap = max(solution.objective - solution.bound, 0.0)
        self._keep_certificate(
            solution.objective, gap, solution.is_within(tol), solution.n_iter, tol
        )
        self.solver_ = solver
        self.alpha_, self.alpha_max_ = alpha, alpha_max
        return self

    def path(
        self,
        X: ArrayLike,
        y: ArrayLike,
        alphas: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Bunch:
        """Solve for many penalties; the selector stays as it is.

        With "newton" and "admm" each solution is the start of the next.

        Parameters
        ----------
        X, y, sample_weight : array-like
            As in `fit`.
        alphas : array-like of float or None, default=None
            Penalties, in the unit of `alpha`; None takes 20 from 1 to 0.01 times the largest.

        Returns
        -------
        Bunch
            Dictionary-like object with arrays that have an entry for each penalty, the largest
            first: `alphas`; `scores`, the row norms of W, of shape (n_alphas, n_features);
            `objectives`, the values of the problem; `dual_gaps`, how far these can be above the
            optimum; `converged`, whether the gap is within `tol`; `n_iter`, steps taken.
        """
        check_parameters(self)
        given = None if alphas is None else check_alphas(alphas)
        data = check_labelled(self, X, y, sample_weight)
        rows, targets = self._problem(data)
        alpha_max = largest_alpha(rows, targets)
        shares = np.geomspace(1.0, _SMALLEST_ALPHA, _N_ALPHAS) if given is None else given
        is_share = self.relative or given is None
        alphas = np.sort(shares * alpha_max if is_share else shares)[::-1]

        solution, found = None, []
        for alpha in alphas:
            solution, _, tol = self._solve(rows, targets, alpha, alpha_max, solution)
            found.append(solution)
        return Bunch(
            alphas=alphas,
            scores=np.array([_row_norms(solution.coefficients) for solution in found]),
            objectives=np.array([solution.objective for solution in found]),
            dual_gaps=np.array([max(s.objective - s.bound, 0.0) for s in found]),
            converged=np.array([solution.is_within(tol) for solution in found]),
            n_iter=np.array([solution.n_iter for solution in found]),
        )

    def _problem(self, data):
        """Return samples as an operator, and targets; both times the weight of the sample."""
        n_classes, n_features = data.classes.size, data.X.shape[1]
        # Copies make equations singular, and what rounding does then decides about features.
        weights = weights_in_samples(data.row_weights)
        X = data.X.tocsr() if issparse(data.X) else data.X
        X, codes, _, weights, _ = data._replace(X=X, weights=weights).merge_copies()
        moments = class_moments(X, codes, n_classes, weights)
        check_moments(self, X, moments)
        origin, scale = np.zeros(n_features), np.ones(n_features)
        if self.scale == "std":
            origin, scale = moments.overall_mean, feature_scale(np.sqrt(moments.variance))
        rows = residuals(X, np.zeros_like(codes), origin[None], weights**2, scale)
        if self.targets == "centroids":
            of_class = centroid_targets((moments.means - origin) / scale)
        else:
            of_class = np.eye(n_classes)
        return rows, weights[:, None] * of_class[codes]

    def _solve(self, rows, targets, alpha, alpha_max, start=None):
        solver = self._solver_for(rows, targets) if self.solver == "auto" else self.solver
        tol = _TOLERANCES[solver] if self.tol is None else self.tol
        max_iter = _MOST_STEPS[solver] if self.max_iter is None else self.max_iter
        if alpha >= alpha_max:
            solution = _solve_without_features(rows, targets)
        elif solver in ("irls", "cg"):
            is_cg = solver == "cg"
            solution = solve_reweighted(rows, targets, alpha, tol, max_iter, is_cg)
        else:
            solve = solve_interior if solver == "newton" else solve_splitting
            solution = solve(rows, targets, alpha, tol, max_iter, start)
        return solution, solver, tol

    def _solver_for(self, rows, targets):
        is_fine = self.tol is not None and self.tol < _TOLERANCES["admm"]
        if targets.size <= (_MOST_UNKNOWNS_FINE if is_fine else _MOST_UNKNOWNS):
            return "newton"
        return "admm" if min(rows.rows.shape) <= _MOST_INVERTED else "irls"


def _row_norms(matrix):
    return np.sqrt(np.einsum("ij,ij->i", matrix, matrix))


def _solve_without_features(rows, targets):
    """Solution for penalties that leave no feature: the misfit of zero, which is its own bound."""
    lengths = _row_norms(targets)
    dual = targets / np.where(lengths > 0, lengths, 1.0)[:, None]
    misfit = float(lengths.sum())
    zeros = np.zeros((rows.rows.shape[1], targets.shape[1]))
    return L21Solution(zeros, dual, misfit, misfit, 0)
