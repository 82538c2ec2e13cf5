"""Centers in the metric of shrunken correlations; mathematics in solvers/whitened_centers.py."""

from copy import copy
from typing import Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone

from .. import _state as state
from .._data import (
    Features,
    LabelledFitMixin,
    SupportMixin,
    check_finite,
    check_finite_summary,
    check_fitted,
    check_moments,
    check_rows,
)
from .._parameters import check_covariance, check_n_features_to_select, check_priors, number
from .._typing import ArrayLike, Covariance, Estimator, Floats, Ints, NFeatures, Priors
from ..solvers.distances import log_odds
from ..solvers.sparse_centers import feature_scale, solve_l2_centers
from ..solvers.whitened_centers import (
    ANALYTIC,
    AUTO,
    solve_given_covariance,
    solve_whitened_centers,
)
from ..statistics import class_moments, weights_in_samples
from ..statistics.residuals import residuals
from ._base import ClassScoresMixin
from .sparse_center_rule import SparseCenterProblem

__all__ = ["WhitenedCenterClassifier"]

CAT = "cat"


def _check_ranking(name, value):
    is_known = value is None or (isinstance(value, str) and value == CAT)
    is_estimator = hasattr(value, "fit") and hasattr(value, "get_params")
    if not is_known and (isinstance(value, type) or not is_estimator):
        raise TypeError(
            f"{name}={value!r} must be an estimator that ranks features, {CAT!r} or None."
        )


class WhitenedCenterClassifier(LabelledFitMixin, SupportMixin, ClassScoresMixin, BaseEstimator):
    r"""Nearest-center classifier in the Mahalanobis metric of few features (shrinkage LDA).

    A sample goes to the class of the nearest mean, with squared distances

    .. math::

        (x - \mu_c)^T V^{-1/2} \bigl((1 - a) R + a I\bigr)^{-1} V^{-1/2} (x - \mu_c)

    on the first k features of a ranking. V holds their variances inside the classes and R their
    correlations. Without shrinkage, :math:`a = 0`, this is linear discriminant analysis; with
    :math:`a = 1` features count each by itself, as in ``SparseCenterClassifier(scale="within")``.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features to use: a number, a fraction of all features, or None for all.
    ranking : estimator, "cat" or None, default=None
        What ranks the features. None: the gains of l2 centers, how far the class means lie apart
        for the spread inside the classes. "cat": correlation-adjusted gains (CAT scores), the gains
        after correlations inside the classes are taken away, as those of
        ``SparseCenterClassifier(metric="mahalanobis", scale="within")``. An estimator is cloned: a
        selector or classifier that has ``feature_ranking_`` after ``fit``, such as
        :class:`RecursiveRidgeSelector`.
    shrinkage : {"auto", "analytic"} or float, default="auto"
        Share a of the identity in the correlations. "analytic": the formula of
        :cite:t:`Schaefer2005`, by which the correlations are nearest to those of all samples there
        are. "auto": the share that has ten times its odds, see Notes. A given covariance is shrunk
        only by a number.
    covariance : str or array-like of shape (n_features, n_features), default="within"
        What V and R come from. "within": residuals around the class means. "total": those around
        the mean of all samples. A given matrix, symmetric, positive definite and in the units of
        the data, is taken as it is; of it, the rows and columns of the first k features are used.
    priors : {"uniform", "empirical"} or array-like of shape (n_classes,), default="uniform"
        Class probabilities.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    centers_ : ndarray of shape (n_classes, n_features)
        Class means; NaN for a class without weight.
    coef_, intercept_ : ndarray of shape (n_classes, n_features), (n_classes,)
        The score of a class is ``(x - mean_) @ coef + intercept``, the logarithm of its probability
        up to a term that all classes share. Weights of features that are not used are 0.
    mean_ : ndarray of shape (n_features,)
        Mean of all samples.
    shrinkage_ : float
        The share that was used.
    feature_ranking_, support_, n_features_to_select_ : ndarray, ndarray, int
        Columns, the best first; mask of those that are used, and their number.
    class_prior_ : ndarray of shape (n_classes,)
        Class probabilities in use.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    SparseCenterClassifier : With metric="mahalanobis" it selects mixtures of all features instead.
    WhitenedCenterClassifierCV : Chooses the number of features by cross-validation.
    sklearn.discriminant_analysis.LinearDiscriminantAnalysis : Shrinks each class by itself.

    Notes
    -----
    The formula asks for correlations that are nearly right, not for means that are told apart
    well, and it does not know that the features were selected. On 15 sets of gene expression, with
    l2 gains or recursive elimination and 20 to 100 features, ten times its odds gave a balanced
    accuracy that was one to two points higher; between 5 and 30 times it hardly differed. With
    more and more samples the share goes to 0 either way.

    Time is O(n k min(n, k)) beside that of the ranking. Sparse samples are not made dense.

    Examples
    --------
    Two features that share their noise. The second does not know the class, and takes the noise
    away:

    >>> import numpy as np
    >>> from centroidal import SparseCenterClassifier, WhitenedCenterClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=500)
    >>> noise = rng.normal(size=500)
    >>> X = np.column_stack([0.5 * y + noise, noise + 0.1 * rng.normal(size=500)])
    >>> SparseCenterClassifier(scale="within").fit(X, y).score(X, y) < 0.7
    True
    >>> WhitenedCenterClassifier().fit(X, y).score(X, y) > 0.9
    True
    """

    class_prior_: Floats
    centers_: Floats
    coef_: Floats
    intercept_: Floats
    mean_: Floats
    shrinkage_: float
    feature_ranking_: Ints
    n_features_to_select_: int

    _state = state.LABELLED | {
        "class_prior_": state.floats("classes", least=0.0),
        "centers_": state.floats("classes", "features", nan=True),
        "coef_": state.floats("classes", "features"),
        "intercept_": state.floats("classes", infinite=True),
        "mean_": state.floats("features"),
        "shrinkage_": state.number(0.0),
        "feature_ranking_": state.ranking("features"),
        "n_features_to_select_": state.count(1, "features"),
        "support_": state.mask("features", may_be_empty=False),
    }
    _checks = {
        "covariance": check_covariance,
        "ranking": _check_ranking,
        "shrinkage": number(
            "'auto', 'analytic' or a number between 0 and 1",
            lambda value: 0.0 <= value <= 1.0,
            "lie between 0 and 1",
            or_one_of=(AUTO, ANALYTIC),
        ),
    }

    # Whether new samples need to be finite only where they are read.
    _checks_selected_only = True

    def __init__(
        self,
        n_features_to_select: NFeatures = None,
        *,
        ranking: Estimator | Literal["cat"] | None = None,
        shrinkage: Literal["auto", "analytic"] | float = "auto",
        covariance: Covariance | ArrayLike = "within",
        priors: Priors | ArrayLike = "uniform",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.ranking = ranking
        self.shrinkage = shrinkage
        self.covariance = covariance
        self.priors = priors

    def _check_for(self, n_features, n_classes):
        """Raise unless the parameters are right for so many features and classes."""
        check_n_features_to_select(self.n_features_to_select, n_features)
        check_priors(self.priors, np.ones(n_classes))

    def _fit(self, data):
        n_selected = check_n_features_to_select(self.n_features_to_select, data.features.number)
        (model,) = self._fit_path(data, [n_selected])
        vars(self).update(vars(model))
        return self

    def _fit_path(self, data, sizes, ranking=None):
        """Return the models with so many features, sizes that increase; data are checked.

        The features come in the order of the ranking if it is given.
        """
        check_covariance("covariance", self.covariance, data.features.number)
        data = data.take_rows(data.counted_rows)
        moments = class_moments(data.X, data.codes, data.classes.size, data.weights)
        check_moments(self, data.X, moments)
        if ranking is None:
            inside = feature_scale(np.sqrt(moments.within_variance))
            ranking = self._rank(data, moments, inside)

        scale = feature_scale(np.sqrt(self._variances(moments)))
        mean, seen, first = moments.overall_mean, moments.counts > 0, ranking[: sizes[-1]]
        offsets = np.where(seen[:, None], moments.means - mean, 0.0)[:, first] / scale[first]
        found = self._solve(data, moments, first, scale[first], offsets, np.asarray(sizes))
        priors = check_priors(self.priors, moments.counts)
        centers = np.where(seen[:, None], moments.means, np.nan)
        shared = {"mean_": mean, "centers_": centers, "class_prior_": priors}
        return [self._model(data, ranking, scale, shared, each) for each in found]

    def _variances(self, moments):
        """Return the variances of the covariance that is asked for."""
        if not isinstance(self.covariance, str):
            return np.diagonal(np.asarray(self.covariance, dtype=float))
        return moments.variance if self.covariance == "total" else moments.within_variance

    def _solve(self, data, moments, first, scale, offsets, sizes):
        """Return the solutions with so many of the first features."""
        if not isinstance(self.covariance, str):
            given = np.asarray(self.covariance, dtype=float)[np.ix_(first, first)]
            correlations = given / np.outer(scale, scale)
            return solve_given_covariance(correlations, offsets, sizes, self.shrinkage)
        codes, means = data.codes, moments.means
        if self.covariance == "total":
            codes, means = np.zeros_like(codes), moments.overall_mean[None]
        X = data.X.tocsc()[:, first].tocsr() if issparse(data.X) else data.X.take(first, axis=1)
        weights = weights_in_samples(data.row_weights)
        rows = residuals(X, codes, means[:, first], weights, scale)
        n_means = np.unique(codes).size
        return solve_whitened_centers(rows, offsets, sizes, self.shrinkage, n_means)

    def _rank(self, data, moments, scale):
        if self.ranking is None:
            return solve_l2_centers(moments, scale).ranking
        if isinstance(self.ranking, str):
            return SparseCenterProblem("mahalanobis", "within").solve(self, data).path.ranking
        given = {} if data.weights is None else {"sample_weight": data.weights}
        ranker = clone(self.ranking).fit(data.X, data.classes[data.codes], **given)
        ranking = getattr(ranker, "feature_ranking_", None)
        if ranking is None:
            raise TypeError(f"ranking={self.ranking!r} must have feature_ranking_ after fit.")
        return ranking

    def _model(self, data, ranking, scale, shared, found):
        """Return the model of a solution, which is copied into the units of the data."""
        model, n_selected = copy(self), found.weights.shape[1]
        data.features.keep(model)
        model.classes_ = data.classes
        vars(model).update(shared)
        columns = ranking[:n_selected]
        model.coef_ = np.zeros(shared["centers_"].shape)
        model.coef_[:, columns] = found.weights / scale[columns]
        model.intercept_ = log_odds(shared["class_prior_"]) - 0.5 * found.squares
        model.shrinkage_ = found.shrinkage
        model.feature_ranking_, model.n_features_to_select_ = ranking, n_selected
        model.support_ = np.zeros(ranking.size, dtype=bool)
        model.support_[columns] = True
        return model

    @property
    def _features(self):
        return Features.of(self)

    @property
    def _score_unit(self):
        return 1.0

    def _class_scores(self, X):
        check_fitted(self)
        selected = np.flatnonzero(self.support_)
        if not self._checks_selected_only:
            check_finite(self, check_rows(self, X, np.arange(self.n_features_in_))[0])
        X, columns = check_rows(self, X, selected)
        X = X[:, columns]
        check_finite(self, X)
        weights, mean = self.coef_[:, selected].T, self.mean_[selected]
        products = X @ weights - mean @ weights if issparse(X) else (X - mean) @ weights
        check_finite_summary(self, X, products)
        return products + self.intercept_

    def __sklearn_is_fitted__(self):
        return hasattr(self, "coef_")
