"""Sparse centers with the number of features chosen by cross-validation."""

from functools import partial
from numbers import Integral

import numpy as np
from scipy.sparse import issparse

from .._data import check_fitted, check_labelled
from .._parameters import check_n_features_to_select, check_parameters, check_priors
from .._progress import with_callbacks
from ..classifiers import SparseCenterClassifier
from ..classifiers.sparse_center_rule import SparseCenterRule
from ..solvers.along_path import hits_along_path
from ..solvers.distances import log_odds
from ..statistics.threads import row_blocks
from ._folds import FoldsMixin
from .path import choose, feature_grid, path_table

__all__ = ["SparseCenterClassifierCV"]

_GRID_POINTS = 50
_N_FOLDS = 5  # if nothing is said, as in scikit-learn


class SparseCenterClassifierCV(FoldsMixin, SparseCenterRule):
    r"""Sparse center classifier that chooses its number of features by cross-validation.

    In each fold the features are ranked on the training part alone, and the score of the test part
    is found for every number of features in one pass over it (Remark 6 of
    :cite:t:`Calafiore2022`). The chosen model is then fitted to all data.

    Parameters
    ----------
    metric : {"l2", "l1", "mahalanobis"}, default="l2"
        As in :class:`SparseCenterClassifier`.
    scale : {None, "std", "within", "mad"}, default=None
        As in :class:`SparseCenterClassifier`.
    priors : {"uniform", "empirical"} or array-like of shape (n_classes,), default="uniform"
        As in :class:`SparseCenterClassifier`.
    n_features_grid : int, array-like of int or None, default=None
        Numbers of features to try: an array, or how many values on a log scale. None tries every
        number where that costs nothing extra (dense data scored by accuracy or balanced accuracy)
        and 50 values on a log scale elsewhere.
    cv : int, cross-validation generator, iterable or None, default=None
        As in scikit-learn; None is 5 stratified folds.
    scoring : str, callable or None, default=None
        Scorer of scikit-learn; None is accuracy. Accuracy and balanced accuracy of all models are
        counted in one pass; for others each model of the grid is scored.
    rule : {"best", "one_se"}, default="best"
        "best": fewest features with the best mean score. "one_se": fewest features whose mean
        score is within one standard error of the best.
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
    best_score_ : float
        Mean score of the chosen model. The choice was made by it, so it is a little too good:
        cross-validate this estimator as a whole for an honest number.
    n_splits_ : int
        Number of folds.
    classes_, centers_, feature_gains_, feature_ranking_, support_ : ndarray
        As in :class:`SparseCenterClassifier`, and so are `feature_scale_`, `objective_`,
        `spread_`, `class_prior_`, `n_features_in_` and `feature_names_in_`.

    See Also
    --------
    SparseCenterClassifier : The same with a given number of features.
    centroidal.inspection.PathDisplay : Draws `path_`.

    Notes
    -----
    Time is that of one fit a fold plus one pass over its test part, which is O(n m K) for all m
    models together; sparse data take O(nnz K + n K n_grid).

    Examples
    --------
    >>> from centroidal import SparseCenterClassifierCV
    >>> from centroidal.datasets import load_expression
    >>> X, y = load_expression(return_X_y=True)
    >>> model = SparseCenterClassifierCV(scale="within", rule="one_se").fit(X, y)
    >>> model.n_features_to_select_ < 50
    True
    >>> model.path_["mean_test_score"].size
    2000
    """

    _checks_selected_only = False

    def __init__(
        self,
        *,
        metric="l2",
        scale=None,
        priors="uniform",
        n_features_grid=None,
        cv=None,
        scoring=None,
        rule="best",
        n_jobs=None,
    ):
        self.metric = metric
        self.scale = scale
        self.priors = priors
        self.n_features_grid = n_features_grid
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X, y, sample_weight=None, **params):
        """Choose the number of features, then find the exact sparse centers of all data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, in fitting and in scoring.
        **params : dict
            ``groups`` for the splitter; with metadata routing enabled, whatever the splitter and
            the scorer request.

        Returns
        -------
        self
            Fitted estimator.
        """
        check_parameters(self)
        data = check_labelled(self, X, y, sample_weight)
        check_priors(self.priors, np.ones(data.classes.size))
        grid = self._grid(data.X)
        routed = self._routed(sample_weight, params)
        folds = self._folds(data, routed.splitter.split)

        score_fold = partial(self._score_fold, data, grid, routed.scorer.score)
        scores = self._scores_of(score_fold, folds)
        path = path_table({"n_features_to_select": grid}, scores)
        chosen = choose(path, self.rule)
        solution = self._problem.solve(self, data, self.n_jobs)

        self._keep(data.features, data.classes, solution, int(grid[chosen]))
        self.path_ = path
        self.n_splits_ = len(folds)
        self.best_score_ = float(path["mean_test_score"][chosen])
        self.best_estimator_ = self.at(self.n_features_to_select_)
        return self

    def at(self, n_features_to_select):
        """Return the exact model with another number of features, without the data.

        Parameters
        ----------
        n_features_to_select : int, float or None
            As in :class:`SparseCenterClassifier`.

        Returns
        -------
        SparseCenterClassifier
            Equal to one fitted on the same data with `n_features_to_select`.
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
        return self.scoring is None or self.scoring in ("accuracy", "balanced_accuracy")

    @property
    def _needs_scorer(self):
        return not self._counts_hits

    def _grid(self, X):
        is_sparse = issparse(X) or getattr(X, "is_sparse", False)
        if self.n_features_grid is None and self._counts_hits and not is_sparse:
            return np.arange(1, X.shape[1] + 1)
        return feature_grid(self.n_features_grid, X.shape[1], _GRID_POINTS)

    def _score_fold(self, data, grid, score_params, train, test):
        """Scores of the test part for each number of features in the grid."""
        solution = self._problem.solve(self, data.keep_rows(train))
        if self._counts_hits:
            return self._hit_rates(data, grid, solution, test)
        return self._scorer_path(data, grid, solution, test, score_params)

    def _hit_rates(self, data, grid, solution, test):
        hits, totals = self._hits_and_totals(data, grid, solution, test)
        if not totals.any():
            raise ValueError("sample_weight is zero for every test sample of a fold.")
        if self.scoring == "balanced_accuracy":
            return (hits[totals > 0] / totals[totals > 0, None]).mean(axis=0)
        return hits.sum(axis=0) / totals.sum()

    def _hits_and_totals(self, data, grid, solution, test):
        """Weight of the right predictions of each class in the grid, and of all its samples."""
        if not data.is_in_memory:
            tested = data.keep_rows(test)
            count = partial(_hits_of_block, self._hit_counter(grid, solution))
            both = data.X.sum_rows(count, tested.codes, tested.weights)
            return both[:, :-1], both[:, -1]
        weights = np.ones(data.codes.size) if data.weights is None else data.weights
        totals = np.bincount(data.codes[test], weights[test], minlength=data.classes.size)
        return self._hits(data, grid, solution, test, weights), totals

    def _hit_counter(self, grid, solution):
        """Return what counts the hits of samples, codes and weights along the path."""
        unit = self._problem.score_unit(solution.path.spread_path()[grid - 1])
        bonus = log_odds(check_priors(self.priors, solution.counts))[:, None] * unit
        is_l1 = self.metric == "l1"
        return partial(hits_along_path, solution.path, is_l1=is_l1, grid=grid, bonus=bonus)

    def _hits(self, data, grid, solution, test, weights):
        """Weight of the right predictions of each class for each number of features."""
        count = self._hit_counter(grid, solution)
        X = data.X.tocsr() if issparse(data.X) else data.X
        if solution.whitening is None:
            return count(X, test, data.codes, weights)
        hits = np.zeros((data.classes.size, grid.size))
        for block in row_blocks(test.size, X.shape[1]):
            rows = test[block]
            whitened = solution.whitening.apply(X[rows])
            hits += count(whitened, np.arange(rows.size), data.codes[rows], weights[rows])
        return hits

    def _scorer_path(self, data, grid, solution, test, score_params):
        scorer = self._scorer
        unnamed = data.features._replace(names=None)  # X is an array here, whatever it was
        X, labels = data.X[test], data.classes[data.codes[test]]
        params = {name: np.asarray(value)[test] for name, value in score_params.items()}
        models = (self._classifier(unnamed, data.classes, solution, int(k)) for k in grid)
        return np.array([scorer(model, X, labels, **params) for model in models])

    def _classifier(self, features, classes, solution, n_selected):
        """Classifier with a given number of features that knows what this estimator found."""
        model = SparseCenterClassifier(
            n_selected, metric=self.metric, scale=self.scale, priors=self.priors, n_jobs=self.n_jobs
        )
        return model._keep(features, classes, solution, n_selected)


def _hits_of_block(count, X, codes, weights):
    """Hits along the path of the samples with a code, and beside them the weight of all."""
    rows = np.flatnonzero(codes >= 0)
    weights = np.ones(codes.size) if weights is None else weights
    X = X.tocsr() if issparse(X) else X
    hits = count(X, rows, codes, weights)
    return np.column_stack([hits, np.bincount(codes[rows], weights[rows], minlength=len(hits))])
