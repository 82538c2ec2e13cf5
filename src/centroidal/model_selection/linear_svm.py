"""A linear support vector machine with probabilities, to be calibrated on held-out samples."""

import numpy as np
from scipy.special import softmax
from sklearn.svm import LinearSVC

from .. import _state as state
from .._model_html import ModelHTMLMixin
from .._sparse import check_sparse_structure
from ..solvers.calibration import keep_winners


class ProbabilityLinearSVC(ModelHTMLMixin, LinearSVC):
    """Linear support vector machine that takes its decision values for log-odds.

    How sure it is means nothing by itself; a temperature, found on held-out samples, mends that.
    The parameters are those of scikit-learn.
    """

    _state = state.LABELLED | {
        "coef_": state.floats(state.scores, "features"),
        "intercept_": state.floats(state.scores),
        "n_iter_": state.count(),
    }

    def fit(self, X, y, sample_weight=None):
        """Fit the model; compiled code follows the indices of sparse samples, so they are checked.

        The parameters are those of scikit-learn.
        """
        check_sparse_structure(X, "X")
        return super().fit(X, y, sample_weight)

    def decision_function(self, X):
        """Return the signed distance to each hyperplane; sparse samples are checked."""
        check_sparse_structure(X, "X")
        return super().decision_function(X)

    def predict_proba(self, X):
        """Return the softmax of the decision values, of which two classes have one for both."""
        values = self.decision_function(X)
        if values.ndim == 1:
            values = np.column_stack([np.zeros_like(values), values])
        return keep_winners(softmax(values, axis=1), values.argmax(axis=1))
