"""Discriminant analysis by partial least squares (PLS-DA), which scikit-learn has the parts of."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cross_decomposition import PLSRegression

from .._model_html import ModelHTMLMixin


class PLSDiscriminantClassifier(ModelHTMLMixin, ClassifierMixin, BaseEstimator):
    """Regression of class indicators on few latent variables; the largest prediction decides.

    Parameters
    ----------
    n_components : int, default=2
        Number of latent variables; fewer if samples or features are.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    regression_ : PLSRegression
        The fitted regression.
    """

    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X, y):
        """Regress the indicators of the classes."""
        self.classes_ = np.unique(y)
        indicators = (np.asarray(y)[:, None] == self.classes_).astype(float)
        regression = PLSRegression(min(self.n_components, *X.shape), scale=False)
        with warnings.catch_warnings():
            # Fewer latent variables explain the classes fully, and the others stay zero.
            warnings.filterwarnings("ignore", "y residual is constant")
            self.regression_ = regression.fit(X, indicators)
        return self

    def decision_function(self, X):
        """Predict the indicators of the classes."""
        return self.regression_.predict(X)

    def predict(self, X):
        """Predict the class of the largest indicator."""
        return self.classes_[self.decision_function(X).argmax(axis=1)]
