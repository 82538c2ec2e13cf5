"""Is it the age of the patients? What covariates tell by themselves, and what is left without them.

Covariates are what is known of samples beside the features, such as age, sex or batch.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin

from .._data import as_frame
from .procedures import predict_with

__all__ = ["Covariates"]


class Covariates(NamedTuple):
    """Covariates of all samples as numbers: a column each, or one for each category but one."""

    names: tuple
    design: np.ndarray

    @classmethod
    def check(cls, covariates, n_samples):
        """Return covariates as numbers; None for none."""
        if covariates is None:
            return None
        columns = _columns(covariates)
        for name, values in columns.items():
            if len(values) != n_samples:
                raise ValueError(
                    f"covariates: {name!r} has {len(values)} values, and there are {n_samples} "
                    "samples."
                )
        parts = [part for name, values in columns.items() for part in _numbers(name, values)]
        if not parts:
            raise ValueError("covariates must differ between samples; each has one value only.")
        return cls(tuple(columns), np.column_stack(parts))

    def score(self, data, choice, repeat):
        """Score logistic regression by the covariates alone, with the folds of a repeat."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        scores, labels = [], data.classes[data.codes]
        for fold in range(repeat.n_folds):
            train, test = repeat.rows_without(fold), repeat.rows(fold)
            model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
            model.fit(self.design[train], labels[train])
            found = predict_with(model, self.design[test], data.classes).decide(choice.costs)
            tested = found.test(data.codes[test], data.classes.size, choice.scoring)
            scores.append(tested.score(choice.scoring, choice.costs)[0])
        return float(np.mean(scores))

    def beside(self, X):
        """Return the samples with the covariates in further columns, to be taken out by a step."""
        if issparse(X):
            raise ValueError("covariates need dense samples; X is sparse.")
        return np.column_stack([X, self.design])

    @property
    def remover(self):
        """What takes the part of the features out that covariates explain, not fitted."""
        return RemoveCovariates(self.design.shape[1])


class RemoveCovariates(TransformerMixin, BaseEstimator):
    """Take out of features what the last columns explain linearly, as learned from a training set.

    Parameters
    ----------
    n_covariates : int
        Number of these columns, which are left out.
    """

    def __init__(self, n_covariates):
        self.n_covariates = n_covariates

    def fit(self, X, y=None):
        """Learn how features depend on covariates."""
        features, covariates = self._split(X)
        self.n_features_in_ = X.shape[1]
        self.means_ = covariates.mean(axis=0)
        centered = features - features.mean(axis=0)
        self.coef_ = np.linalg.lstsq(covariates - self.means_, centered, rcond=None)[0]
        return self

    def transform(self, X):
        """Take it out."""
        features, covariates = self._split(X)
        return features - (covariates - self.means_) @ self.coef_

    def get_feature_names_out(self, input_features=None):
        """Names of the features that are left."""
        names = [f"x{j}" for j in range(self.n_features_in_)]
        names = names if input_features is None else input_features
        return np.asarray(names, dtype=object)[: -self.n_covariates]

    def _split(self, X):
        X = np.asarray(X, dtype=float)
        return X[:, : -self.n_covariates], X[:, -self.n_covariates :]


def _columns(covariates):
    """Return covariates by name, whatever they are given as."""
    if isinstance(covariates, dict):
        return {str(name): list(values) for name, values in covariates.items()}
    frame = as_frame(covariates)
    if frame is not None:
        return {name: frame[name].to_list() for name in frame.columns}
    values = np.asarray(covariates)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2:
        raise ValueError(f"covariates of shape {values.shape} must be a table, or one column.")
    return {f"covariate {j + 1}": values[:, j].tolist() for j in range(values.shape[1])}


def _numbers(name, values):
    """Return columns of numbers: the values themselves, or one for each category but the first."""
    missing = [value is None or value != value or value == "" for value in values]
    if any(missing):
        raise ValueError(
            f"covariates: {name!r} has no value for {sum(missing)} of {len(values)} samples, the "
            f"first of them in row {missing.index(True)}."
        )
    try:
        numbers = np.array(values, dtype=float)
    except ValueError:
        texts = np.array([str(value) for value in values])
        return [(texts == category).astype(float) for category in np.unique(texts)[1:]]
    return [numbers] if np.ptp(numbers) > 0.0 else []
