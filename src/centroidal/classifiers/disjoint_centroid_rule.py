"""What a fitted disjoint centroid classifier does, whoever chose the weight of the baseline."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from .._data import Features, check_finite, check_fitted, check_rows
from .._parameters import check_choice
from .._progress import ProgressMixin
from ..solvers.disjoint_centroids import group_distances
from ..solvers.slopes import slope_from_distances, slope_from_moments
from ..statistics import ClassMoments
from ..statistics.threads import map_blocks, row_blocks
from ._base import ClassScoresMixin, row_by_row
from ._group_recipe import GroupRecipe, Groups

__all__ = ["DisjointCentroidRule", "DisjointSolution"]


class DisjointSolution(NamedTuple):
    """Groups of features, and what they came from."""

    moments: ClassMoments
    scale: np.ndarray
    groups: Groups
    baseline_weight: float


class DisjointCentroidRule(ProgressMixin, ClassScoresMixin, SelectorMixin, BaseEstimator):
    """Predict, select and transform with centers that have features of their own."""

    @property
    def _recipe(self):
        return GroupRecipe(
            self.assignment,
            self.disjoint,
            self.shared_features,
            self.center,
            self.scale,
            self.n_init,
        )

    def _check_recipe(self):
        check_choice("calibration", self.calibration, (None, "logistic"))
        return self._recipe.check()

    def _seed(self):
        return check_random_state(self.random_state).randint(np.iinfo(np.int32).max)

    @property
    def _features(self):
        return Features(self.n_features_in_, getattr(self, "feature_names_in_", None))

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_solution")

    def _keep(self, features, classes, solution, data=None):
        # What may still fail comes first, so that nothing is half kept.
        slope, logistic = self._calibrate(solution, data)
        moments, scale, groups, _ = solution
        features.keep(self)
        self._solution = solution
        self._logistic = logistic
        self.classes_ = classes
        self.centers_ = np.where(moments.seen[:, None], moments.means, np.nan)
        self.feature_scale_ = scale
        self.groups_ = groups.masks
        self.support_ = groups.masks.any(axis=0)
        self.objective_ = groups.objective
        self.restart_errors_ = groups.errors
        self.n_void_ = int(np.isnan(groups.errors).sum())
        self.slope_ = slope
        return self

    def _calibrate(self, solution, data):
        """Slope, and logistic regression if one decides, from samples or else from moments."""
        moments, seen = solution.moments, solution.moments.seen
        if data is None or not data.is_in_memory:
            masks = solution.groups.masks[seen]
            return slope_from_moments(moments.take_classes(seen), masks, solution.scale), None
        weights = np.ones(data.codes.size) if data.weights is None else data.weights
        counted = np.flatnonzero((data.codes >= 0) & (weights > 0))
        codes, weights = data.codes[counted], weights[counted]
        distances = self._distances(data.X[counted], solution)
        positions = np.cumsum(seen) - 1
        slope = slope_from_distances(distances, positions[codes], weights)
        if self.calibration is None:
            return slope, None
        model = make_pipeline(StandardScaler(), LogisticRegression())
        model.fit(
            distances,
            codes,
            standardscaler__sample_weight=weights,
            logisticregression__sample_weight=weights,
        )
        return slope, model

    def _get_support_mask(self):
        check_fitted(self)
        return self.support_

    @row_by_row(lambda model: model.get_feature_names_out())
    def transform(self, X):
        """Keep the features that some class has.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        {ndarray, sparse matrix} of shape (n_samples, n_selected)
            The samples with the selected features only.
        """
        return super().transform(X)

    @property
    def _score_unit(self):
        if self._logistic is not None:
            return 1.0
        return 1.0 / self.slope_ if self.slope_ > 0.0 else np.finfo(float).max

    def _class_scores(self, X):
        check_fitted(self)
        X, _ = check_rows(self, X, np.arange(self.n_features_in_))
        check_finite(self, X)
        seen = self._solution.moments.seen
        distances = self._distances(X, self._solution)
        scores = np.full((distances.shape[0], seen.size), -np.inf)
        if self._logistic is None:
            scores[:, seen] = -distances
        else:
            decision = self._logistic.decision_function(distances)
            is_single = decision.ndim == 1
            scores[:, seen] = np.outer(decision, [-0.5, 0.5]) if is_single else decision
        return scores

    def _distances(self, X, solution):
        """Distances from each sample to the centers of the classes that have samples."""
        seen = solution.moments.seen
        centers, masks = solution.moments.means[seen], solution.groups.masks[seen]
        X = X.tocsr() if issparse(X) else X
        blocks = [(X[rows], centers, masks, solution.scale) for rows in row_blocks(*X.shape)]
        return np.concatenate(list(map_blocks(group_distances, blocks, self.n_jobs)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # Where classes differ in their means alone, groups of their own lose what others know.
        tags.classifier_tags.poor_score = True
        return tags
