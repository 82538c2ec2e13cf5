"""Samples in the Fisher subspace: a scatter of two axes, or a histogram of one."""

import numpy as np
from scipy.sparse import issparse

from .._optional import require

__all__ = ["SubspaceDisplay"]

_BINS = 30


class SubspaceDisplay:
    """Samples projected on Fisher axes, coloured by class.

    With two or more axes the first two are drawn against each other; with one, as two classes
    have, a histogram for each class. It is recommended to use `from_estimator`.

    Parameters
    ----------
    coordinates : array-like of shape (n_samples, n_axes)
        Projected samples.
    y : array-like of shape (n_samples,)
        Their labels.
    threshold : float or None, default=None
        Where one axis is cut.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where the picture is.
    artists_ : dict
        What was drawn for each class.
    threshold_line_ : matplotlib Line2D or None
        Marks the threshold.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from centroidal import FisherSubspace
    >>> from centroidal.inspection import SubspaceDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> display = SubspaceDisplay.from_estimator(FisherSubspace().fit(X, y), X, y)
    >>> display.ax_.get_xlabel()
    'Fisher axis 1'
    """

    def __init__(self, coordinates, y, *, threshold=None):
        self.coordinates = np.asarray(coordinates)
        self.y = np.asarray(y)
        self.threshold = threshold

    @classmethod
    def from_estimator(cls, estimator, X, y, *, ax=None, **options):
        """Draw samples in the subspace of a fitted estimator.

        Parameters
        ----------
        estimator : FisherSubspace or FisherSubspaceClassifier
            Fitted, with `axes_` and `mean_`.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; they need not be those of `fit`, and test samples show more.
        y : array-like of shape (n_samples,)
            Their labels.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        **options
            Passed to ``Axes.scatter`` or ``Axes.hist``.

        Returns
        -------
        SubspaceDisplay
            The picture.
        """
        if not hasattr(estimator, "axes_"):
            raise ValueError(
                f"estimator={type(estimator).__name__} must be fitted and have axes_, as "
                "FisherSubspace has."
            )
        if estimator.axes_.shape[1] == 0:
            raise ValueError("estimator has no Fisher axis: all class means are equal.")
        X = X if issparse(X) else np.asarray(X)
        coordinates = X @ estimator.axes_ - estimator.mean_ @ estimator.axes_
        display = cls(coordinates, y, threshold=getattr(estimator, "threshold_", None))
        return display.plot(ax, **options)

    def plot(self, ax=None, **options):
        """Draw the picture and return it; the parameters are those of `from_estimator`."""
        if ax is None:
            _, ax = require("matplotlib.pyplot", "plot", "drawing a subspace").subplots()
        draw = self._draw_histograms if self.coordinates.shape[1] == 1 else self._draw_points
        self.threshold_line_ = None
        self.artists_ = draw(ax, options)
        ax.set_xlabel("Fisher axis 1")
        ax.legend(loc="best")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_points(self, ax, options):
        ax.set_ylabel("Fisher axis 2")
        options = {"s": 14, "alpha": 0.7, "linewidths": 0} | options
        return {
            label: ax.scatter(*self.coordinates[self.y == label, :2].T, label=str(label), **options)
            for label in np.unique(self.y).tolist()
        }

    def _draw_histograms(self, ax, options):
        ax.set_ylabel("samples")
        values = self.coordinates[:, 0]
        options = {"bins": np.linspace(values.min(), values.max(), _BINS), "alpha": 0.6} | options
        artists = {
            label: ax.hist(values[self.y == label], label=str(label), **options)[2]
            for label in np.unique(self.y).tolist()
        }
        if self.threshold is not None and np.isfinite(self.threshold):
            style = {"color": "black", "linestyle": ":", "label": "threshold"}
            self.threshold_line_ = ax.axvline(self.threshold, **style)
        return artists
