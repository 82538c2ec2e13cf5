"""The Fisher subspace as a transformer; mathematics in solvers/fisher_subspace.py."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from .. import _state as state
from .._data import LabelledFitMixin, check_finite_summary, check_fitted, check_rows
from .._model_html import ModelHTMLMixin
from .._parameters import check_n_axes
from .._typing import Array, ArrayLike, Floats, NComponents, Scatter, Whitening
from .fisher_recipe import FisherRecipe, project, summarise_rows

__all__ = ["FisherSubspace"]


class FisherSubspace(
    ModelHTMLMixin,
    LabelledFitMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    r"""Project samples on the subspace that whitened class means span (chapter 6 of the thesis).

    With C classes the subspace has at most C - 1 dimensions. Its axes are :math:`T = W Q`, where W
    whitens (partially) and the columns of Q are an orthonormal basis of the whitened class means
    (:cite:t:`Rozza2010`, section 6.2.2). A sample x becomes :math:`T^T (x - \mu)`.

    Parameters
    ----------
    n_components : int, float, "log2" or None, default=None
        How many directions are whitened, as in :class:`FisherSubspaceClassifier`. Not the number of
        dimensions of the result, which is `n_axes`.
    n_axes : int or None, default=None
        Dimensions to keep, those along which the classes are farthest apart; None for all.
    whitening : {"truncated", "full", "variance"}, default="truncated"
        As in :class:`FisherSubspaceClassifier`.
    scatter : {"total", "within"}, default="total"
        As in :class:`FisherSubspaceClassifier`.

    Attributes
    ----------
    axes_ : ndarray of shape (n_features, n_axes)
        Axes, in the order of how far apart the whitened classes are along them.
    centers_ : ndarray of shape (n_classes, n_axes)
        Where the class means fall.
    mean_ : ndarray of shape (n_features,)
        Mean of all samples.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_components_ : int
        Number of whitened directions.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    FisherSubspaceClassifier : Classifies in this subspace.
    centroidal.inspection.SubspaceDisplay : Draws samples in it.

    Notes
    -----
    **Where we differ** from the thesis: class means are relative to the mean of all samples, and
    the basis consists of principal axes instead of Gram and Schmidt's, so that nothing depends on
    the origin or on the order of the classes. Coordinates have the units of the data along
    directions that were not whitened: a kernel that follows must be scaled to them.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from centroidal import FisherSubspace
    >>> X, y = load_wine(return_X_y=True)
    >>> FisherSubspace().fit_transform(StandardScaler().fit_transform(X), y).shape
    (178, 2)
    """

    classes_: Array
    n_features_in_: int
    feature_names_in_: Array
    mean_: Floats
    axes_: Floats
    centers_: Floats
    n_components_: int

    _state = state.LABELLED | {
        "mean_": state.floats("features"),
        "axes_": state.floats("features", "axes"),
        "centers_": state.floats("classes", "axes"),
        "n_components_": state.count(),
    }

    def __init__(
        self,
        n_components: NComponents = None,
        *,
        n_axes: int | None = None,
        whitening: Whitening = "truncated",
        scatter: Scatter = "total",
    ) -> None:
        self.n_components = n_components
        self.n_axes = n_axes
        self.whitening = whitening
        self.scatter = scatter

    def _check_for(self, n_features, n_classes):
        """Raise unless the parameters are right for so many features and classes."""
        check_n_axes(self.n_axes, n_classes)

    def _fit(self, data):
        recipe = FisherRecipe(self.whitening, self.n_components, self.scatter)
        subspace = summarise_rows(self, recipe, data)
        (axes, _), whitening = recipe.axes(subspace)

        data.features.keep(self)
        self.classes_ = data.classes
        self.mean_ = subspace.mean
        self.axes_ = axes[:, : self.n_axes]
        self.centers_ = (subspace.means - subspace.mean) @ self.axes_
        self.n_components_ = whitening.gains.size
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Project samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_axes)
            Their coordinates.
        """
        check_fitted(self)
        X, _ = check_rows(self, X, np.arange(self.n_features_in_))
        with np.errstate(invalid="ignore", over="ignore"):
            coordinates = project(X, self.axes_, self.mean_)
        check_finite_summary(self, X, coordinates)
        return coordinates

    @property
    def _n_features_out(self):
        return self.axes_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
