"""What a fitted sparse center classifier does, whoever chose the number of features."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.metaestimators import available_if

from .._data import check_finite, check_finite_summary, check_fitted, check_rows
from .._parameters import check_priors, choice
from ..solvers.distances import log_odds
from ..statistics.threads import map_blocks, row_blocks
from ._base import SolvedClassifier, SupportMixin
from .sparse_center_problem import SparseCenterProblem

__all__ = ["SparseCenterRule"]


def take_columns(X, columns):
    """Copy some columns of a dense or sparse matrix."""
    return X[:, columns] if issparse(X) else X.take(columns, axis=1)


def _selects_columns(estimator):
    if estimator.metric == "mahalanobis":
        raise AttributeError(
            "inverse_transform needs metric='l2' or 'l1': with metric='mahalanobis' the selected "
            "features are whitened, and what was dropped cannot be recovered."
        )
    return True


class SparseCenterRule(SupportMixin, SolvedClassifier):
    """Predict, select and transform with sparse centers; parameters `metric`, `scale`, `priors`."""

    _checks = {
        "metric": choice("l2", "l1", "mahalanobis"),
        "scale": choice(None, "std", "within", "mad"),
    }
    # Whether new samples need to be finite only where they are read.
    _checks_selected_only = True

    @property
    def _problem(self):
        return SparseCenterProblem(self.metric, self.scale)

    @property
    def _takes_dask(self):
        return self._problem.summarises

    def _keep(self, features, classes, solution, n_selected):
        # Whatever may still be refused comes first, so that nothing is half kept.
        priors = check_priors(self.priors, solution.counts)
        path, whitening = solution.path, solution.whitening
        features.keep(self)
        self._solution = solution
        self.classes_ = classes
        self.class_prior_ = priors
        self.n_features_to_select_ = n_selected
        self.centers_ = path.centers(n_selected)
        self.feature_gains_ = path.gains
        self.feature_ranking_ = path.ranking
        self.feature_scale_ = path.scale if whitening is None else whitening.scale
        self.support_ = np.zeros(path.gains.size, dtype=bool)
        self.support_[path.selected(n_selected)] = True
        self.objective_ = path.objective(n_selected)
        self.spread_ = path.spread(n_selected)
        return self

    @available_if(_selects_columns)
    def inverse_transform(self, X):
        """Put the selected features back in their columns; the others become zero.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_selected)
            Output of `transform`.

        Returns
        -------
        {ndarray, sparse matrix} of shape (n_samples, n_features)
            As wide as what was fitted.
        """
        return super().inverse_transform(X)

    def get_feature_names_out(self, input_features=None):
        """Names of the selected features; with a prefix where they are whitened.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the input, if they were not seen in `fit`.

        Returns
        -------
        ndarray of str
            Names.
        """
        check_fitted(self)
        names = super().get_feature_names_out(input_features)
        if self._solution.whitening is None:
            return names
        return np.array([f"whitened_{name}" for name in names], dtype=object)

    def _transform(self, X):
        check_fitted(self)
        whitening = self._solution.whitening
        if whitening is None:
            return super()._transform(X)
        X = X if issparse(X) else np.asarray(X)
        return whitening.apply(X, np.flatnonzero(self.support_))

    @property
    def _score_unit(self):
        return self._problem.score_unit(self.spread_)

    def _class_scores(self, X):
        # Negative distance to each center, plus what the prior is worth in the same unit.
        check_fitted(self)
        seen = self._solution.counts > 0
        selected = np.flatnonzero(self.support_)
        centers, scale = self.centers_[np.ix_(seen, selected)], self._solution.path.scale[selected]
        bonus = self._score_unit * log_odds(self.class_prior_)[seen]

        def scores_of(block):
            Z = self._coordinates(block, selected)
            with np.errstate(invalid="ignore", over="ignore"):
                distances = self._problem.distances(Z, centers, scale)
            check_finite_summary(self, Z, distances)
            scores = np.full((Z.shape[0], seen.size), -np.inf)
            scores[:, seen] = bonus - distances
            return scores

        return np.concatenate(list(map_blocks(scores_of, self._blocks(X, selected), self.n_jobs)))

    def _blocks(self, X, selected):
        """Cut new samples into blocks of rows that, with the columns in use, fit in the cache."""
        needed = selected if self._reads_selected_only else np.arange(self.support_.size)
        X, columns = check_rows(self, X, needed)
        heights = [slice(None)] if issparse(X) else row_blocks(X.shape[0], columns.size)
        return [((X[rows], columns),) for rows in heights]

    def _coordinates(self, block, selected):
        """Take the selected coordinates of a block of samples, in the space of the centers."""
        rows, columns = block
        if columns.size < rows.shape[1]:
            rows = take_columns(rows, columns)
        if self._reads_selected_only:
            return rows
        check_finite(self, rows)
        if self._solution.whitening is None:
            return take_columns(rows, selected)
        return self._solution.whitening.apply(rows, selected)

    @property
    def _reads_selected_only(self):
        return self._checks_selected_only and self._solution.whitening is None
