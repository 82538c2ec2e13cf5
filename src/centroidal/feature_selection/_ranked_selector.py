"""What all selectors share: features are ranked by a score, and the first ones are kept."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from .. import _state as state
from .._data import LabelledFitMixin, SupportMixin
from .._parameters import check_n_features_to_select
from .._typing import ArrayLike, Floats, Ints
from ..solvers.ranking import rank_features

# What `_keep_certificate` keeps.
CERTIFICATE = {
    "objective_": state.number(),
    "dual_gap_": state.number(),
    "converged_": state.flag,
    "n_iter_": state.count(),
}


class RankedSelector(LabelledFitMixin, SupportMixin, BaseEstimator):
    """Keep the features of the highest scores; parameter `n_features_to_select`.

    A number or a fraction keeps so many, None those with a score above zero, and at least one.
    """

    scores_: Floats
    feature_ranking_: Ints
    n_features_to_select_: int

    _state = state.FEATURES | {
        "scores_": state.floats("features"),
        "feature_ranking_": state.ranking("features"),
        "n_features_to_select_": state.count(1, "features"),
        "support_": state.mask("features", may_be_empty=False),
    }

    def _check_for(self, n_features, n_classes):
        """Raise unless the parameters are right for so many features and classes."""
        check_n_features_to_select(self.n_features_to_select, n_features)

    def _keep_ranking(self, features, scores, errors=None, order=None):
        """Rank by decreasing score; those equal up to rounding by `order`, or by column."""
        n_selected = self._n_selected(scores)
        features.keep(self)
        self.scores_ = scores
        self.feature_ranking_ = rank_features(scores, errors, order)
        self.n_features_to_select_ = n_selected
        self.support_ = np.zeros(scores.size, dtype=bool)
        self.support_[self.feature_ranking_[:n_selected]] = True
        return self

    def _n_selected(self, scores):
        if self.n_features_to_select is None:
            return max(1, int(np.count_nonzero(scores > 0.0)))
        return check_n_features_to_select(self.n_features_to_select, scores.size)

    def _keep_certificate(self, objective, gap, has_converged, n_iter, tol):
        """Keep how far the optimum can be below the objective; warn if that is too far."""
        self.objective_, self.dual_gap_ = float(objective), float(gap)
        self.converged_, self.n_iter_ = has_converged, n_iter
        if not has_converged:
            warnings.warn(
                f"{type(self).__name__} ended after {n_iter} steps above tol={tol}; the "
                f"optimum is at most {gap / objective:.1e} of the objective below it. Raise "
                f"max_iter={self.max_iter}, or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def elbow(scores: ArrayLike) -> int:
    """Count the scores up to the elbow of their sorted curve.

    The absolute scores are sorted, the largest first, and a straight line is drawn from the first
    to the last of them. Kept are all up to and including the one that is furthest below that line.

    Parameters
    ----------
    scores : array-like of shape (n_features,)
        One score a feature; zeros count as well.

    Returns
    -------
    int
        How many features to keep; all of them if all scores are equal.

    Examples
    --------
    >>> from centroidal.feature_selection import elbow
    >>> elbow([9.0, 0.1, 8.0, 0.2, 7.5, 0.0, 0.1])
    4
    """
    heights = np.sort(np.abs(_check_scores(scores)))[::-1]
    if heights[0] == heights[-1]:
        return heights.size
    positions = np.linspace(0.0, 1.0, heights.size)
    # The distance to the line is the same for all, up to a factor, as the height below it.
    below = 1.0 - positions - (heights - heights[-1]) / (heights[0] - heights[-1])
    return int(np.argmax(below)) + 1


def _check_scores(scores):
    values = np.asarray(scores, dtype=float)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"scores of shape {values.shape} must be a list of at least one number.")
    if not np.isfinite(values).all():
        raise ValueError("scores must be finite; they hold NaN or infinity.")
    return values
