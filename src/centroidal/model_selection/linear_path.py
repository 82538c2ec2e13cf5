"""Linear classifiers of scikit-learn with every number of features; see solvers/linear_path.py."""

from copy import copy

import numpy as np
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from sklearn.utils.class_weight import compute_class_weight

from ..solvers.linear_path import solve_linear_path
from .linear_svm import ProbabilityLinearSVC

_LOSSES = {LogisticRegression: "logistic", ProbabilityLinearSVC: "squared_hinge"}
# Parameters that the path has too, or that say how another solver finds the same.
_FREE = {"C", "class_weight", "max_iter", "random_state", "tol"}


def has_linear_path(estimator, X):
    """Whether a classifier is one that the path has, and samples are dense."""
    if type(estimator) not in _LOSSES or issparse(X):
        return False
    usual = type(estimator)().get_params()
    asked = estimator.get_params()
    return all(asked[name] == usual[name] for name in usual.keys() - _FREE)


def fit_linear_path(estimator, X, labels, sizes):
    """Yield a fitted classifier for each number of features; it takes all that there are."""
    classes, codes = np.unique(labels, return_inverse=True)
    if classes.size < 2:
        estimator.fit(X, labels)  # which says what is wrong
    shares = compute_class_weight(estimator.class_weight, classes=classes, y=labels)
    costs = estimator.C * shares
    found = solve_linear_path(_LOSSES[type(estimator)], X, codes, costs, estimator.C, sizes)
    for weights, constants in zip(*found, strict=True):
        model = copy(estimator)
        model.classes_, model.n_features_in_ = classes, X.shape[1]
        model.coef_, model.intercept_ = weights, constants
        yield model
