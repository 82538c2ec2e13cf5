"""Sparse centers with the number of features chosen by cross-validation."""

from functools import partial
from numbers import Integral
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from .. import _state as state
from .._data import check_fitted, check_labelled
from .._parameters import (
    check_covariance,
    check_n_features_to_select,
    check_parameters,
    check_priors,
)
from .._typing import (
    ArrayLike,
    CenterMetric,
    CenterScale,
    Covariance,
    Folds,
    NFeatures,
    Priors,
    Rule,
    Scorer,
)
from ..classifiers import SparseCenterClassifier
from ..classifiers.sparse_center_rule import SparseCenterRule
from .nested import CrossValidatedMixin, check_feature_grid
from .procedures import CentersPath

__all__ = ["SparseCenterClassifierCV"]

_GRID_POINTS = 50
_N_FOLDS = 5  # if nothing is said, as in scikit-learn


class SparseCenterClassifierCV(CrossValidatedMixin, SparseCenterRule):
    r"""Sparse center classifier that chooses its number of features by cross-validation.

    In each fold the features are ranked on the training set alone, and the score of the test set
    is found for every number of features in one pass over it (Remark 6 of
    :cite:t:`Calafiore2022`). The chosen model is then fitted to all data.

    Parameters
    ----------
    metric, scale, covariance, priors : object
        As in :class:`SparseCenterClassifier`, with the same defaults.
    n_features_grid : int, array-like of int or None, default=None
        Numbers of features to try: an array, or how many values on a log scale. None tries every
        number where that costs nothing extra (dense data scored by accuracy or balanced accuracy)
        and 50 values on a log scale elsewhere.
    cv : int, cross-validation generator, iterable or None, default=None
        As in scikit-learn; None is 5 stratified folds.
    scoring : str, callable or None, default=None
        Scorer of scikit-learn; None is accuracy. Accuracy and balanced accuracy of all models are
        counted in one pass; for others each model of the grid is scored.
    rule : {"one_se", "best"}, default="one_se"
        "one_se": fewest features whose mean score is within one standard error of the best.
        "best": fewest features with the best mean score.
    n_jobs : int or None, default=None
        Number of threads, over the folds in `fit`. The result does not depend on it.

    Attributes
    ----------
    n_features_to_select_ : int
        Chosen number of features.
    path_ : dict of ndarray
        The table of the path: ``n_features_to_select``, ``mean_test_score``, ``std_test_score``,
        ``se_test_score`` and one ``split*_test_score`` a fold; ``pandas.DataFrame(path_)`` shows
        it.
    best_estimator_ : SparseCenterClassifier
        The chosen model by itself; unlike this estimator it needs new samples to be finite only in
        the features it selected, and it goes on with `partial_fit` and `merge`.
    best_score_, n_splits_ : float, int
        Mean score of the chosen model over so many folds. The choice was made by it, so it is a
        little too good: cross-validate this estimator as a whole for an honest number.
    classes_, centers_, feature_gains_, feature_ranking_, support_ : ndarray
        As in :class:`SparseCenterClassifier`, and so are `feature_scale_`, `objective_`,
        `spread_`, `class_prior_`, `n_features_in_` and `feature_names_in_`.

    See Also
    --------
    SparseCenterClassifier : The same with a given number of features.
    centroidal.inspection.PathDisplay : Draws `path_`.

    Notes
    -----
    Time is that of one fit a fold plus one pass over its test set, which is O(n m K) for all m
    models together; sparse data take O(nnz K + n K n_grid).

    Examples
    --------
    >>> from centroidal import SparseCenterClassifierCV
    >>> from centroidal.datasets import load_expression
    >>> X, y = load_expression(return_X_y=True)
    >>> model = SparseCenterClassifierCV(scale="within").fit(X, y)
    >>> model.n_features_to_select_ < 50
    True
    >>> model.path_["mean_test_score"].size
    2000
    """

    best_estimator_: SparseCenterClassifier

    _state = {
        "best_estimator_": state.estimator,
    }

    _checks_selected_only = False

    def __init__(
        self,
        *,
        metric: CenterMetric = "l2",
        scale: CenterScale = None,
        covariance: Covariance | ArrayLike = "within",
        priors: Priors | ArrayLike = "uniform",
        n_features_grid: ArrayLike | int | None = None,
        cv: Folds | None = None,
        scoring: Scorer = None,
        rule: Rule = "one_se",
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self.scale = scale
        self.covariance = covariance
        self.priors = priors
        self.n_features_grid = n_features_grid
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.n_jobs = n_jobs

    def _fit(self, X, y, sample_weight, params):
        check_parameters(self)
        data = check_labelled(self, X, y, sample_weight)
        check_covariance("covariance", self.covariance, data.features.number)
        check_priors(self.priors, np.ones(data.classes.size))
        grid = self._grid(data.X)

        columns = {"n_features_to_select": grid}
        fit_path = partial(self._fit_path, data, grid)
        found = self._choose_by_folds(data, columns, fit_path, sample_weight, params)
        solution = self._problem.solve(self, data, self.n_jobs)

        self._keep(data.features, data.classes, solution, int(grid[found.position]))
        self._keep_choice(found)
        self.best_estimator_ = self.at(self.n_features_to_select_)
        return self

    def at(self, n_features_to_select: NFeatures) -> SparseCenterClassifier:
        """Return the exact model with another number of features, without the data.

        `n_features_to_select` is that of :class:`SparseCenterClassifier`, and so is the result:
        equal to one fitted to the same data.
        """
        check_fitted(self)
        n_selected = check_n_features_to_select(n_features_to_select, self.n_features_in_)
        return self._classifier(self._features, self.classes_, self._solution, n_selected)

    @property
    def _takes_dask(self):
        # Folds that follow from the labels, and scores that add up over the samples.
        is_number = self.cv is None or isinstance(self.cv, Integral)
        return super()._takes_dask and is_number and self._counts_hits

    def _folds(self, data, split_params):
        if data.is_in_memory:
            return super()._folds(data, split_params)
        if split_params:
            raise TypeError(f"fit of Dask collections does not take {', '.join(split_params)}.")
        n_folds = _N_FOLDS if self.cv is None else self.cv
        if n_folds < 2:
            raise ValueError(f"cv={self.cv} must be at least 2 folds.")
        return data.codes.stratified_folds(data.classes.size, n_folds)

    @property
    def _counts_hits(self):
        return self._scoring.is_counted

    def _grid(self, X):
        is_sparse = issparse(X) or getattr(X, "is_sparse", False)
        if self.n_features_grid is None and self._counts_hits and not is_sparse:
            return np.arange(1, X.shape[1] + 1)
        return check_feature_grid(self.n_features_grid, X.shape[1], _GRID_POINTS)

    def _fit_path(self, data, grid, train):
        solution = self._problem.solve(self, data.keep_rows(train))
        return _CentersOnGrid(self, CentersPath(self._problem, solution, self.priors), grid)

    def _classifier(self, features, classes, solution, n_selected):
        """Classifier with a given number of features that knows what this estimator found."""
        model = SparseCenterClassifier(
            n_selected,
            metric=self.metric,
            scale=self.scale,
            covariance=self.covariance,
            priors=self.priors,
            n_jobs=self.n_jobs,
        )
        return model._keep(features, classes, solution, n_selected)


class _CentersOnGrid(NamedTuple):
    """Fitted sparse centers with the numbers of features of a grid."""

    owner: SparseCenterClassifierCV
    centers: CentersPath
    grid: np.ndarray
    counts_hits: bool = True

    def hits(self, data, test):
        """Weight of what each model recognises of each class, and of all."""
        return self.centers.hits(data, test, self.grid)

    def models(self, data, test):
        """Yield each model, and the test samples."""
        unnamed = data.features._replace(names=None)  # X is an array here, whatever it was
        X, solution = data.X[test], self.centers.solution
        for size in self.grid:
            yield self.owner._classifier(unnamed, data.classes, solution, int(size)), X
