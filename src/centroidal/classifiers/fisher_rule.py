"""What a fitted linear Fisher-subspace classifier does, however it was trained."""

import numpy as np
from sklearn.base import BaseEstimator

from .._data import Features, check_finite_summary, check_fitted, check_rows
from .._parameters import check_priors
from ._base import ClassScoresMixin

__all__ = ["FisherRule", "two_sided"]


def two_sided(log_odds):
    """Scores of two classes whose difference is `log_odds`, the better one 0."""
    return np.column_stack([np.minimum(-log_odds, 0.0), np.minimum(log_odds, 0.0)])


class FisherRule(ClassScoresMixin, BaseEstimator):
    """Predict by `coef_` and `intercept_`, which hold log-odds."""

    _score_unit = 1.0

    @property
    def _features(self):
        return Features(self.n_features_in_, getattr(self, "feature_names_in_", None))

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_solution")

    def _keep(self, features, classes, solution, priors):
        # Whatever may still be refused comes first, so that nothing is half kept.
        subspace, rule = solution.subspace, solution.rule
        mean = subspace.mean
        prior = check_priors(priors, subspace.counts)
        coef = (solution.axes @ rule.slopes).T
        features.keep(self)
        self._solution = solution
        self.classes_ = classes
        self.class_count_ = subspace.counts
        self.class_prior_ = prior
        self.mean_ = mean
        self.means_ = subspace.means
        self.components_ = subspace.spectrum.vectors.T
        self.singular_values_ = np.sqrt(subspace.spectrum.values)
        self.n_components_ = solution.n_components
        self.axes_ = solution.axes
        self.threshold_ = rule.threshold
        self.coef_ = coef
        self.intercept_ = rule.offsets - coef @ mean
        return self

    def _class_scores(self, X):
        check_fitted(self)
        X, _ = check_rows(self, X, np.arange(self.n_features_in_))
        with np.errstate(invalid="ignore", over="ignore"):
            scores = X @ self.coef_.T
        check_finite_summary(self, X, scores)
        scores = scores + self.intercept_
        return two_sided(scores[:, 0]) if scores.shape[1] == 1 else scores

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
