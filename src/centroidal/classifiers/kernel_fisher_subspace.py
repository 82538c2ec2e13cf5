"""Fisher subspaces with a kernel function; mathematics in solvers/fisher_subspace.py."""

from collections.abc import Callable
from copy import copy
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import pairwise_kernels

from .. import _state as state
from .._data import (
    LabelledFitMixin,
    check_entries,
    check_finite,
    check_fitted,
    check_kernel_matrix,
    check_rows,
    check_symmetric,
)
from .._parameters import check_kernel, check_parameters, check_priors
from .._typing import ArrayLike, Floats, NComponents, Priors, Threshold, Whitening
from ..solvers.fisher_subspace import kernel_axes
from ..statistics import GramSummary, class_moments, gram_summary, number_of_samples
from ..statistics.threads import limit_blas, map_blocks, row_blocks
from ._base import ClassScoresMixin, recipe_of, score_both_classes, with_short_indices
from .fisher_recipe import FisherRecipe

__all__ = ["KernelFisherSubspaceClassifier"]


class Training(NamedTuple):
    """What is known of the training samples once their kernel matrix is gone."""

    summary: GramSummary
    codes: np.ndarray
    weights: np.ndarray
    n_pairs: int | None  # that were asked for; None for all

    _state = {
        "summary": state.part(GramSummary, rows="rows"),
        "codes": state.positions("rows", below="classes"),
        "weights": state.floats("rows", least=0.0),
        "n_pairs": state.optional(state.count(1)),
    }

    @property
    def n_samples(self):
        """How many samples the weights stand for."""
        return number_of_samples(self.weights)

    def knows_enough_for(self, recipe):
        """Whether what was decomposed is enough for other settings."""
        found = self.summary.spectrum
        if found is None:
            return recipe.whitening == "full" and recipe.n_components is None
        needed = recipe.n_pairs(self.n_samples)
        is_complete = self.n_pairs is None or found.values.size < self.n_pairs
        return is_complete or (needed is not None and needed <= self.n_pairs)


class KernelFisherSubspaceClassifier(LabelledFitMixin, ClassScoresMixin, BaseEstimator):
    r"""Classifier on whitened class means in the feature space of a kernel (K-IPCAC, K-TIPCAC).

    The classifier of :class:`FisherSubspaceClassifier` where samples are known by their inner
    products :math:`k(x, x')` alone (:cite:t:`Rozza2010`, section 5.2), so that classes may be
    curved around each other. A new sample is scored by

    .. math:: s(x) = \sum_i a_i \, k(x_i, x) + b .

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        Name of a kernel of scikit-learn's ``pairwise_kernels``, "precomputed" for a matrix of
        inner products instead of samples, or a function of two samples.
    whitening : {"truncated", "full", "variance"}, default="truncated"
        As in :class:`FisherSubspaceClassifier`; K-TIPCAC, K-IPCAC and K-IPCAC_var. With "full" and
        a strictly positive definite kernel all training samples of a class fall on one point.
    n_components : int, float, "log2" or None, default=None
        As in :class:`FisherSubspaceClassifier`. In the thesis it is 0.99 for "truncated". Kernel
        matrices of noisy data have long tails: try more than "log2" gives, by `at`.
    gamma : {"scale", "auto"} or float, default="scale"
        Of the kernels that have it; "scale" is ``1 / (n_features * X.var())``, "auto" is
        ``1 / n_features``. A width sigma is ``gamma = 1 / (2 * sigma**2)``.
    degree : float, default=3
        Of the polynomial kernel.
    coef0 : float, default=1
        Of the polynomial and the sigmoid kernel.
    kernel_params : dict or None, default=None
        Further parameters of a kernel that is a function.
    threshold : {"inclusive", "strict", "balanced", "mahalanobis", "prior"}, default="inclusive"
        As in :class:`FisherSubspaceClassifier`.
    balance : float, default=0.99
        As in :class:`FisherSubspaceClassifier`.
    priors : {"uniform", "empirical"} or array-like of shape (n_classes,), default="uniform"
        As in :class:`FisherSubspaceClassifier`.
    n_jobs : int or None, default=None
        Number of threads that compute kernels of new samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    X_fit_ : {ndarray, sparse matrix} of shape (n_fit, n_features)
        Training samples of positive weight; None with a precomputed kernel.
    dual_coef_ : ndarray of shape (n_fit, 1) or (n_fit, n_classes)
        Weights of the training samples; every column sums to zero.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Constants of the scores.
    eigenvalues_ : ndarray of shape (n_kept,)
        Largest eigenvalues of the centred kernel matrix; None where "full" did without them.
    n_components_ : int
        Number of whitened directions; all but one of the samples where "full" did without
        eigenvalues.
    threshold_ : float
        Where the Fisher axis of two classes is cut; NaN for more classes.
    gamma_ : float or None
        Value of `gamma` in use.
    class_prior_ : ndarray of shape (n_classes,)
        Class probabilities.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    FisherSubspaceClassifier : The same without a kernel.
    DecisionDAGClassifier : Many classes by pairs.

    Notes
    -----
    **Where we differ** from the thesis: what is not whitened is left at the level of the last
    direction that is, not at 1, which would depend on the unit of the kernel; eigenvalues that are
    zero up to rounding are not inverted; any number of classes; weights.

    Eigenvalues up to 1e-10 times the number of samples times the largest entry of the kernel matrix
    count as rounding: centring may take off most of the matrix, and what is left below that hangs
    on the order of the rows. A very wide kernel has few eigenvalues above it.

    Memory is the n x n kernel matrix, while fitting; time is :math:`n^3 / 3` for "full" where all
    eigenvalues are above rounding, about :math:`n^2 d` for d components of "truncated" and
    :math:`4 n^3` otherwise. For large n, approximate the kernel by features
    (``sklearn.kernel_approximation.Nystroem``) and use :class:`FisherSubspaceClassifier` on them.

    Examples
    --------
    >>> from centroidal import KernelFisherSubspaceClassifier
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(300, noise=0.2, random_state=0)
    >>> model = KernelFisherSubspaceClassifier(gamma=2.0).fit(X[:200], y[:200])
    >>> model.score(X[200:], y[200:]) > 0.9
    True
    """

    gamma_: float | None
    X_fit_: Any | None
    dual_coef_: Floats
    class_prior_: Floats
    intercept_: Floats
    threshold_: float
    eigenvalues_: Floats | None
    n_components_: int

    _state = state.LABELLED | {
        "gamma_": state.optional(state.number(0.0)),
        "X_fit_": state.optional(state.samples("rows", "features")),
        "dual_coef_": state.floats("rows", state.scores),
        "_fitted_rows": state.positions("rows", below=float("inf")),
        "_training": state.part(Training, rows="rows"),
        "class_prior_": state.floats("classes", least=0.0),
        "intercept_": state.floats(state.scores, infinite=True),
        "threshold_": state.number(nan=True),
        "eigenvalues_": state.optional(state.floats("kept", least=0.0)),
        "n_components_": state.count(),
    }

    def _check_relations(self, sizes):
        # A precomputed kernel has a column for each training sample.
        if self.X_fit_ is None and (self._fitted_rows >= self.n_features_in_).any():
            raise state.StateError("holds columns that a kernel matrix has not", "_fitted_rows")

    _score_unit = 1.0
    _finds_infinite = False

    def __init__(
        self,
        kernel: str | Callable[..., float] = "rbf",
        *,
        whitening: Whitening = "truncated",
        n_components: NComponents = None,
        gamma: Literal["scale", "auto"] | float = "scale",
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        threshold: Threshold = "inclusive",
        balance: float = 0.99,
        priors: Priors | ArrayLike = "uniform",
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.whitening = whitening
        self.n_components = n_components
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.threshold = threshold
        self.balance = balance
        self.priors = priors
        self.n_jobs = n_jobs

    @property
    def _recipe(self):
        return recipe_of(FisherRecipe, self)

    def _check_for(self, n_features, n_classes):
        """Raise unless the parameters are right for so many features and classes."""
        check_kernel(self.kernel, self.kernel_params)
        check_priors(self.priors, np.ones(n_classes))

    def _fit(self, data):
        recipe = self._recipe
        if self.kernel == "precomputed":
            check_symmetric(data.X)
        else:
            check_entries(self, data.X)

        counted, part = data.counted_rows, data.take_rows(data.counted_rows)
        samples, codes, weights = part.X, part.codes, part.row_weights
        gamma = _gamma_value(self.gamma, samples, weights)
        if self.kernel == "precomputed":
            matrix = _to_dense(samples[:, counted])
        else:
            matrix = self._kernel_matrix(samples, samples, gamma)
        check_kernel_matrix(matrix)
        by_inverse = self.whitening == "full" and self.n_components is None
        n_pairs = recipe.n_pairs(number_of_samples(weights))
        summary = gram_summary(
            matrix, codes, data.classes.size, weights, n_pairs, invert=by_inverse
        )
        training = Training(summary, codes, weights, n_pairs)

        data.features.keep(self)
        self.classes_ = data.classes
        self.gamma_ = gamma
        self.X_fit_ = None if self.kernel == "precomputed" else samples
        self._fitted_rows = counted
        return self._keep(recipe, training)

    def at(
        self,
        n_components: NComponents = None,
        *,
        whitening: Whitening | None = None,
        threshold: Threshold | None = None,
    ) -> Self:
        """Return the model with other settings, from the same decomposition, without the data.

        Parameters
        ----------
        n_components : int, float, "log2" or None, default=None
            As in the constructor; None keeps what was given there.
        whitening : {"truncated", "full", "variance"} or None, default=None
            As in the constructor; None keeps what was given there. After "truncated", which finds
            a part of the components only, no other is possible; after "variance" all are.
        threshold : str or None, default=None
            As in the constructor; None keeps what was given there.

        Returns
        -------
        KernelFisherSubspaceClassifier
            A fitted copy.
        """
        check_fitted(self)
        changes = {"n_components": n_components, "whitening": whitening, "threshold": threshold}
        changes = {name: value for name, value in changes.items() if value is not None}
        model = copy(self).set_params(**changes)
        check_parameters(model)
        recipe = model._recipe
        if not self._training.knows_enough_for(recipe):
            raise ValueError(
                f"whitening={model.whitening!r} with n_components={model.n_components!r} needs "
                f"components that this model, fitted with whitening={self.whitening!r}, does not "
                "know; fit with whitening='variance', which finds all."
            )
        return model._keep(recipe, self._training)

    def _keep(self, recipe, training):
        """Solve for the axes and the rule, and keep them."""
        summary = training.summary
        whitening = None
        if summary.spectrum is not None:
            whitening = recipe.whiten(summary.spectrum, summary.counts.sum(), training.n_samples)
        axes, images, centers = kernel_axes(summary, whitening)
        roots = np.sqrt(training.weights)[:, None]
        rule = recipe.rule(
            images / roots, training.codes, training.weights, centers, summary.counts
        )
        # Rounding leaves a part along the common mean, which is zero there, but not in a kernel.
        axes = axes - roots * (roots.T @ axes) / training.weights.sum()
        self._training = training
        self.class_prior_ = check_priors(self.priors, summary.counts)
        self.dual_coef_ = roots * axes @ rule.slopes
        self.intercept_ = rule.offsets - summary.row_means @ self.dual_coef_
        self.threshold_ = rule.threshold
        self.eigenvalues_ = None if whitening is None else summary.spectrum.values
        self.n_components_ = axes.shape[0] - 1 if whitening is None else whitening.gains.size
        return self

    def _kernel_matrix(self, X, Y, gamma):
        if callable(self.kernel):
            return pairwise_kernels(X, Y, metric=self.kernel, **(self.kernel_params or {}))
        options = {"gamma": gamma, "degree": self.degree, "coef0": self.coef0}
        X, Y = with_short_indices(X), with_short_indices(Y)
        with limit_blas(*Y.shape):
            kernels = pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, **options)
        return _to_dense(kernels)

    def _class_scores(self, X):
        check_fitted(self)
        X, _ = check_rows(self, X, np.arange(self.n_features_in_))
        check_finite(self, X)

        def scores_of(rows):
            if self.kernel == "precomputed":
                matrix = X[rows][:, self._fitted_rows]
            else:
                matrix = self._kernel_matrix(X[rows], self.X_fit_, self.gamma_)
            return matrix @ self.dual_coef_ + self.intercept_

        blocks = [(rows,) for rows in row_blocks(X.shape[0], self.dual_coef_.shape[0])]
        scores = np.concatenate(list(map_blocks(scores_of, blocks, self.n_jobs)))
        return score_both_classes(scores)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _to_dense(matrix):
    """Return a new matrix, which may be overwritten, as an array of floats."""
    return np.asarray(matrix.toarray() if issparse(matrix) else matrix, dtype=float)


def _gamma_value(gamma, X, weights):
    """Value of `gamma`; weights count as copies."""
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if gamma != "scale":
        return float(gamma)
    moments = class_moments(X, np.zeros(X.shape[0], dtype=np.int32), 1, weights)
    means, total = moments.means[0], weights.sum()
    variance = moments.squares.sum() / total / X.shape[1] + np.var(means)
    return 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0
