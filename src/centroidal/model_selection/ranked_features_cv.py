"""A classifier on the best features of a selector, their number chosen by cross-validation."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone

from .. import _state as state
from .._data import check_labels
from .._parameters import check_classifier, check_parameters, optional
from .._progress import with_callbacks
from .._typing import ArrayLike, Estimator, Folds, Ints, Rule, Scorer
from .feature_flow import ranking_of
from .metrics import check_scoring
from .nested import CrossValidatedMixin, check_feature_grid
from .procedures import RankedPath
from .random_features import FeatureSubsetMixin

__all__ = ["RankedFeaturesClassifierCV"]

_GRID_POINTS = 15


def _check_selector(name, value):
    if isinstance(value, type) or not (hasattr(value, "fit") and hasattr(value, "get_params")):
        raise TypeError(f"{name}={value!r} must be an estimator that ranks features.")


def _check_classifiers(name, value):
    if isinstance(value, list) and not value:
        raise ValueError(f"{name}=[] must hold at least one classifier.")
    for each in value if isinstance(value, list) else [value]:
        optional(check_classifier)(name, each)


class RankedFeaturesClassifierCV(
    CrossValidatedMixin, FeatureSubsetMixin, MetaEstimatorMixin, BaseEstimator
):
    """Classifier on the best features of a selector, as many as cross-validation finds.

    A selector ranks the features once in each fold, by the training set alone. For each number of
    features a classifier is fitted to the first ones and scored on the test set. In the end the
    selector ranks by all samples, and the classifier is fitted to the first of these features.

    Parameters
    ----------
    selector : estimator
        What ranks the features, it is cloned: all selectors here and whatever else
        :func:`selection_curve` takes. How many features it would select does not matter.
    estimator : classifier, list of classifiers or None, default=None
        What is fitted to them, it is cloned; None is logistic regression on features of unit
        variance. Of several classifiers cross-validation chooses one as well: the first, or one
        that is ahead of it, over all numbers of features, by more than one standard error of the
        difference.
    n_features_grid : int, array-like of int or None, default=None
        Numbers of features to try: an array, or how many values on a log scale; None is 15.
    cv, scoring, rule, n_jobs : object
        As in :class:`SparseCenterClassifierCV`, with the same defaults.

    Attributes
    ----------
    n_features_to_select_ : int
        Chosen number of features.
    path_ : dict of ndarray
        The table of the path: ``n_features_to_select``, ``mean_test_score``, ``std_test_score``,
        ``se_test_score`` and one ``split*_test_score`` a fold; ``pandas.DataFrame(path_)`` shows
        it. ``classifier`` is the position of the classifier in the list, if there is one.
    best_score_, n_splits_ : float, int
        Mean score of the chosen number over so many folds. The choice was made by it, so it is a
        little too good: cross-validate this estimator as a whole for an honest number.
    selector_ : estimator
        The selector, fitted to all samples.
    estimator_ : classifier
        The classifier, fitted to the chosen features of all samples.
    feature_ranking_ : ndarray of int, shape (n_features,)
        Features from the best to the worst.
    support_ : ndarray of bool, shape (n_features,)
        Mask of the chosen features.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    selection_curve : The same scores beside those of random features, without a choice.
    centroidal.SparseCenterClassifierCV : Ranks and classifies by the same centers.
    centroidal.inspection.PathDisplay : Draws `path_`.

    Notes
    -----
    The choice is that of :class:`~sklearn.model_selection.GridSearchCV` over the number of features
    of a pipeline of both, which would rank anew for each number. Mean scores that differ by
    rounding are equal here, and the fewest features win.

    Time is that of one fit of the selector a fold, one fit of the classifier a fold and number of
    features, and one fit of both to all samples.

    Examples
    --------
    >>> from centroidal import ReliefFSelector
    >>> from centroidal.datasets import make_expression
    >>> from centroidal.model_selection import RankedFeaturesClassifierCV
    >>> genes = make_expression(90, 200, n_informative=8, random_state=0)
    >>> model = RankedFeaturesClassifierCV(ReliefFSelector(), n_features_grid=[4, 16, 64])
    >>> model.fit(genes.data, genes.target).n_features_to_select_
    4
    >>> model.transform(genes.data).shape
    (90, 4)
    """

    selector_: Any
    feature_ranking_: Ints

    _state = {
        "selector_": state.estimator,
        "feature_ranking_": state.ranking("features"),
    }
    _checks = {"selector": _check_selector, "estimator": _check_classifiers}

    def __init__(
        self,
        selector: Estimator,
        estimator: Estimator | Sequence[Any] | None = None,
        *,
        n_features_grid: ArrayLike | int | None = None,
        cv: Folds | None = None,
        scoring: Scorer = None,
        rule: Rule = "one_se",
        n_jobs: int | None = None,
    ) -> None:
        self.selector = selector
        self.estimator = estimator
        self.n_features_grid = n_features_grid
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike, **params: Any) -> Self:
        """Choose the number of features, then rank them and fit the classifier by all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Training samples. Selector and classifier are given parts of it, of the same type.
        y, **params : object
            As in :class:`SparseCenterClassifierCV`.

        Returns
        -------
        self
            Fitted estimator.
        """
        check_parameters(self)
        check_scoring(self.scoring)
        data = check_labels(self, X, y)
        grid = check_feature_grid(self.n_features_grid, data.features.number, _GRID_POINTS)

        columns = {"n_features_to_select": grid}
        if isinstance(self.estimator, list):
            places = np.tile(np.arange(len(self.estimator)), grid.size)
            grid = np.repeat(grid, len(self.estimator))
            columns = {"n_features_to_select": grid, "classifier": places}
        fit_path = partial(self._fit_path, data, grid)
        found = self._choose_by_folds(data, columns, fit_path, None, params)
        selector = clone(self.selector).fit(data.X, data.classes[data.codes])
        ranking = ranking_of(selector, data.features.number)

        chosen = self._classifiers(issparse(data.X))[found.position % self._n_classifiers]
        self._keep(data, ranking[: grid[found.position]], chosen)
        self.selector_ = selector
        self.feature_ranking_ = ranking
        self._keep_choice(found)
        return self

    @property
    def _n_classifiers(self):
        return len(self.estimator) if isinstance(self.estimator, list) else 1

    def _inside(self):
        return [self.selector, *super()._inside()]

    def _fit_path(self, data, grid, train):
        estimators = self._classifiers(issparse(data.X))
        return RankedPath.fit(self.selector, estimators, data, train, grid)
