"""Columns that are given: what a panel is in a pipeline."""

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator

from .. import _state as state
from .._data import SupportMixin, check_as_given
from .._parameters import check_columns
from .._typing import ArrayLike

__all__ = ["ColumnSelector"]


class ColumnSelector(SupportMixin, BaseEstimator):
    """Keep columns that are given, whatever the samples say.

    Parameters
    ----------
    columns : array-like of int, mask of bool, or None, default=None
        Which columns to keep, by number or as a mask; None keeps all. They stay in their order.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
        Mask of the features that are kept.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    centroidal.model_selection.select_features : Finds a panel, with wishes and a budget.

    Notes
    -----
    Nothing is learned, so that a pipeline that is fitted to other samples keeps its panel. Sparse
    data stay sparse.

    Examples
    --------
    >>> from centroidal import ColumnSelector
    >>> ColumnSelector([2, 0]).fit_transform([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    array([[1., 3.],
           [4., 6.]])
    """

    _state = state.FEATURES | {"support_": state.mask("features", may_be_empty=False)}

    def __init__(self, columns: ArrayLike | None = None) -> None:
        self.columns = columns

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Remember the columns; raise if there are none such.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, of which only the number and names of features are looked at.
        y : object, default=None
            Ignored.

        Returns
        -------
        self
            Fitted selector.
        """
        n_features = check_as_given(self, X, reset=True).shape[1]
        self.support_ = self._mask(n_features)
        return self

    def _mask(self, n_features):
        if self.columns is None:
            return np.ones(n_features, dtype=bool)
        words = "numbers of columns, a mask or None"
        mask = check_columns("columns", self.columns, n_features, words)
        if not mask.any():
            raise ValueError("columns=[] must name at least one column.")
        return mask

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = tags.input_tags.string = True  # values are not looked at
        return tags
