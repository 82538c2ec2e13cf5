"""Whitened centers with the number of features chosen by cross-validation."""

from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from .._data import check_labelled
from .._parameters import check_parameters, check_priors
from .._typing import ArrayLike, Covariance, Estimator, Folds, Priors, Rule, Scorer
from ..classifiers import WhitenedCenterClassifier
from .nested import CrossValidatedMixin, check_feature_grid

__all__ = ["WhitenedCenterClassifierCV"]

_GRID_POINTS = 20


class WhitenedCenterClassifierCV(CrossValidatedMixin, WhitenedCenterClassifier):
    """Whitened centers on as many features as cross-validation finds.

    In each fold the features are ranked by the training set alone, and the models of all numbers of
    features are found from the same products. In the end all samples rank and are fitted.

    Parameters
    ----------
    ranking, shrinkage, covariance, priors : object
        As in :class:`WhitenedCenterClassifier`, with the same defaults.
    n_features_grid : int, array-like of int or None, default=None
        Numbers of features to try: an array, or how many values on a log scale; None is 20.
    cv, scoring, rule, n_jobs : object
        As in :class:`SparseCenterClassifierCV`, with the same defaults.

    Attributes
    ----------
    path_ : dict of ndarray
        The table of the path: ``n_features_to_select``, ``mean_test_score``, ``std_test_score``,
        ``se_test_score`` and one ``split*_test_score`` a fold.
    best_score_, n_splits_ : float, int
        Mean score of the chosen number over so many folds. The choice was made by it, so it is a
        little too good: cross-validate this estimator as a whole for an honest number.
    n_features_to_select_, support_, feature_ranking_ : int, ndarray, ndarray
        Chosen number of features, a mask of them, and all columns, the best first.
    classes_, centers_, coef_, intercept_, mean_, shrinkage_, class_prior_ : object
        As in :class:`WhitenedCenterClassifier`, and so are `n_features_in_` and
        `feature_names_in_`.

    See Also
    --------
    WhitenedCenterClassifier : The same with a given number of features.
    centroidal.inspection.PathDisplay : Draws `path_`.

    Examples
    --------
    >>> from centroidal import RecursiveRidgeSelector, WhitenedCenterClassifierCV
    >>> from centroidal.datasets import load_expression
    >>> X, y = load_expression(return_X_y=True)
    >>> model = WhitenedCenterClassifierCV(ranking=RecursiveRidgeSelector()).fit(X, y)
    >>> model.n_features_to_select_ < 50
    True
    """

    _checks_selected_only = False  # the number of features is for the data to say

    def __init__(
        self,
        *,
        ranking: Estimator | Literal["cat"] | None = None,
        shrinkage: Literal["auto", "analytic"] | float = "auto",
        covariance: Covariance | ArrayLike = "within",
        priors: Priors | ArrayLike = "uniform",
        n_features_grid: ArrayLike | int | None = None,
        cv: Folds | None = None,
        scoring: Scorer = None,
        rule: Rule = "one_se",
        n_jobs: int | None = None,
    ) -> None:
        self.ranking = ranking
        self.shrinkage = shrinkage
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
        check_priors(self.priors, np.ones(data.classes.size))
        grid = check_feature_grid(self.n_features_grid, data.features.number, _GRID_POINTS)

        columns, fit_path = {"n_features_to_select": grid}, partial(self._fit_fold, data, grid)
        found = self._choose_by_folds(data, columns, fit_path, sample_weight, params)
        (model,) = self._fit_path(data, grid[[found.position]])

        vars(self).update(vars(model))
        self._keep_choice(found)
        return self

    def _fit_fold(self, data, grid, train):
        unnamed = data._replace(features=data.features._replace(names=None))
        return _ModelsOnGrid(self._fit_path(unnamed.keep_rows(train), grid))


class _ModelsOnGrid(NamedTuple):
    """Fitted models, one for each number of features."""

    fitted: list
    counts_hits: bool = False

    def models(self, data, test):
        """Yield each model, and the test samples."""
        X = data.X[test]
        for model in self.fitted:
            yield model, X
