"""Disjoint centroids with the weight of the baseline chosen by cross-validation."""

from functools import partial
from typing import NamedTuple

import numpy as np

from .. import _state as state
from .._data import LabelledData, check_labelled, check_moments
from .._parameters import check_parameters, check_weight_grid
from .._typing import (
    ArrayLike,
    Assignment,
    Calibration,
    Folds,
    MomentScale,
    Norm,
    RandomState,
    Rule,
    Scorer,
    SharedFeatures,
)
from ..classifiers import DisjointCentroidClassifier
from ..classifiers.disjoint_centroid_rule import DisjointCentroidRule, DisjointSolution
from ..statistics import class_moments, map_blocks
from .nested import CrossValidatedMixin, score_path, score_table

__all__ = ["DisjointCentroidClassifierCV"]

_TO_ONE = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_GRIDS = {"alternating": (*_TO_ONE, 1.2, np.inf), "margin": (*_TO_ONE, 1.1, np.inf)}


class DisjointCentroidClassifierCV(CrossValidatedMixin, DisjointCentroidRule):
    r"""Disjoint centroid classifier that chooses which features to leave out (NDC-S).

    In each fold the groups of features for all weights of the baseline are found on the training
    set alone, from the same starts. The chosen weight is then used on all data.

    Parameters
    ----------
    assignment : {"alternating", "margin"}, default="alternating"
        How features are given to classes, as in :class:`DisjointCentroidClassifier`.
    baseline_weights : array-like of float or None, default=None
        Weights to try. None tries 0.1, 0.15, 0.2, 0.3, ..., 1.0, 1.2 and inf; with "margin" 1.1 in
        the place of 1.2.
    disjoint, norm, shared_features, center, scale, calibration, n_init, random_state : object
        As in :class:`DisjointCentroidClassifier`, with the same defaults.
    cv, scoring : object
        As in :class:`SparseCenterClassifierCV`, with the same defaults.
    rule : {"one_se", "best"}, default="one_se"
        "one_se": smallest weight whose mean score is within one standard error of the best.
        "best": smallest weight with the best mean score.
    n_jobs : int or None, default=None
        Number of threads, over the folds. The result does not depend on it.

    Attributes
    ----------
    baseline_weight_ : float
        Chosen weight. If all its starts are void on all data, it is the next larger one that has
        a valid start.
    path_ : dict of ndarray
        The table of the path: ``baseline_weight``, ``mean_n_features`` (of the folds that have a
        valid start), ``mean_test_score``, ``std_test_score``, ``se_test_score`` and one
        ``split*_test_score`` a fold. If all its starts were void that is 0, or the lowest of all
        scores if some are negative. ``pandas.DataFrame(path_)`` shows it; with accuracy the error
        is 1 minus the score.
    best_estimator_ : DisjointCentroidClassifier
        The chosen model by itself; with "margin" it goes on with `partial_fit` and `merge`.
    best_score_, n_splits_ : float, int
        Mean score of the chosen model over so many folds. The choice was made by it, so it is a
        little too good: cross-validate this estimator as a whole for an honest number.
    classes_, groups_, centers_, support_ : ndarray
        As in :class:`DisjointCentroidClassifier`, and so are `feature_scale_`, `objective_`,
        `restart_errors_`, `n_void_`, `slope_`, `n_features_in_` and `feature_names_in_`.

    See Also
    --------
    DisjointCentroidClassifier : The same with a given weight.
    centroidal.inspection.PathDisplay : Draws `path_`.
    centroidal.inspection.FeatureGroupsDisplay : Draws which features speak for which class.

    Notes
    -----
    A fold in which all starts of a weight are void counts as all wrong for it. This happens with
    small weights, which leave a class without features.

    Examples
    --------
    >>> from centroidal import DisjointCentroidClassifierCV
    >>> from centroidal.datasets import make_feature_blocks
    >>> made = make_feature_blocks(n_samples=400, spread=1.9, n_noise=20, random_state=0)
    >>> model = DisjointCentroidClassifierCV("margin").fit(made.data, made.target)
    >>> bool(model.baseline_weight_ < 1), int(model.support_[:20].sum())
    (True, 20)
    """

    baseline_weight_: float
    best_estimator_: DisjointCentroidClassifier

    _state = {
        "baseline_weight_": state.number(0.0, infinite=True),
        "best_estimator_": state.estimator,
    }

    def __init__(
        self,
        assignment: Assignment = "alternating",
        *,
        baseline_weights: ArrayLike | None = None,
        disjoint: bool = True,
        norm: Norm = "normalized",
        shared_features: SharedFeatures = "auto",
        center: bool = False,
        scale: MomentScale = None,
        calibration: Calibration = None,
        n_init: int = 100,
        cv: Folds | None = None,
        scoring: Scorer = None,
        rule: Rule = "one_se",
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.assignment = assignment
        self.baseline_weights = baseline_weights
        self.disjoint = disjoint
        self.norm = norm
        self.shared_features = shared_features
        self.center = center
        self.scale = scale
        self.calibration = calibration
        self.n_init = n_init
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X, y, sample_weight, params):
        check_parameters(self)
        grid = self._grid()
        data = check_labelled(self, X, y, sample_weight)
        seed = self._seed()

        columns, fit_path = {"baseline_weight": grid}, partial(self._fit_path, data, grid, seed)
        choice = self._choose_by_folds(data, columns, fit_path, sample_weight, params)
        chosen = choice.position
        moments, found = self._solve(data, grid[chosen:], seed)
        n_skipped = next((i for i, groups in enumerate(found) if groups is not None), None)
        if n_skipped is None:
            raise ValueError(
                f"In each of n_init={self.n_init} starts a class lost all its features, for all "
                f"baseline_weights from {grid[chosen]} on; add larger ones, or inf."
            )
        chosen += n_skipped

        scale = self._recipe.feature_scale(moments)
        solution = DisjointSolution(moments, scale, found[n_skipped], grid[chosen])
        best = self._classifier(data.features, data.classes, solution, data)
        self._keep(data.features, data.classes, solution, data)
        self.baseline_weight_ = float(grid[chosen])
        self._keep_choice(choice._replace(position=chosen))
        self.best_estimator_ = best
        return self

    @property
    def _counts_hits(self):
        return self.calibration is None and self._scoring.is_counted

    def _grid(self):
        if self.baseline_weights is None:
            return np.array(_GRIDS[self.assignment])
        return check_weight_grid("baseline_weights", self.baseline_weights)

    def _solve(self, data, grid, seed):
        """Class moments, and the groups for each weight; None where all starts are void."""
        moments = class_moments(data.X, data.codes, data.classes.size, data.weights)
        check_moments(self, data.X, moments)
        found = []
        for weights in (grid[np.isfinite(grid)], grid[np.isinf(grid)]):
            if weights.size:
                found += self._recipe.find(data, moments, weights, seed, map_blocks)
        return moments, found

    def _fit_path(self, data, grid, seed, train):
        training = data.keep_rows(train)
        moments, found = self._solve(training, grid, seed)
        scale = self._recipe.feature_scale(moments)
        solutions = [
            None if groups is None else DisjointSolution(moments, scale, groups, weight)
            for groups, weight in zip(found, grid, strict=True)
        ]
        return _CentroidsOnGrid(self, training, solutions, self._counts_hits)

    def _score_fold(self, data, fit_path, score_params, train, test):
        """Scores of the test samples, and number of features, for each weight; NaN where void."""
        path = fit_path(train)
        scores = score_path(path, data, test, self._scoring, score_params)
        is_void = np.array([each is None for each in path.solutions])
        return np.where(is_void, np.nan, scores), path.n_features

    def _tabulate(self, columns, scores, ratio):
        """Tabulate; a fold without a valid start is as bad as the worst, or all wrong."""
        scores, sizes = np.moveaxis(scores, 1, 0)
        is_valid = np.isfinite(sizes)
        scores = np.where(is_valid, scores, min(0.0, scores[is_valid].min(initial=0.0)))
        with np.errstate(invalid="ignore"):  # no number of features where no fold has one
            mean_sizes = np.where(is_valid, sizes, 0.0).sum(axis=0) / is_valid.sum(axis=0)
        return score_table(columns | {"mean_n_features": mean_sizes}, scores, ratio)

    def _classifier(self, features, classes, solution, data):
        """Classifier with a given weight that knows what this estimator found."""
        options = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in ("baseline_weights", "cv", "scoring", "rule")
        }
        model = DisjointCentroidClassifier(baseline_weight=solution.baseline_weight, **options)
        return model._keep(features, classes, solution, data)


class _CentroidsOnGrid(NamedTuple):
    """Fitted disjoint centroids with the baseline weights of a grid; None where starts are void."""

    owner: DisjointCentroidClassifierCV
    training: LabelledData
    solutions: list
    counts_hits: bool

    @property
    def n_features(self):
        """Number of features of each, NaN where there is none."""
        masks = [None if each is None else each.groups.masks for each in self.solutions]
        return np.array([np.nan if mask is None else mask.any(axis=0).sum() for mask in masks])

    def hits(self, data, test):
        """Weight of what each model recognises of each class, and of all."""
        weights = data.row_weights[test]
        codes, n_classes, X = data.codes[test], data.classes.size, data.X[test]
        hits = np.zeros((n_classes, len(self.solutions)))
        for position, solution in enumerate(self.solutions):
            if solution is not None:
                seen = np.flatnonzero(solution.moments.seen)
                nearest = seen[self.owner._distances(X, solution).argmin(axis=1)]
                right = nearest == codes
                hits[:, position] = np.bincount(codes, weights * right, minlength=n_classes)
        return hits, np.bincount(codes, weights, minlength=n_classes)

    def models(self, data, test):
        """Yield each model, and the test samples."""
        unnamed = data.features._replace(names=None)  # X is an array here, whatever it was
        X, owner = data.X[test], self.owner
        for solution in self.solutions:
            if solution is None:
                yield None
            else:
                yield owner._classifier(unnamed, data.classes, solution, self.training), X
