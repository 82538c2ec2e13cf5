"""What all pictures share: where they are drawn."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .._optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Display:
    """Parent of the pictures, which `_draw` themselves on the axes that they are given."""

    def plot(self, ax: "Axes | None" = None, **options: Any) -> Self:
        """Draw the picture and return it.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        **options
            As in the class methods that make the picture.

        Returns
        -------
        Display
            The picture, with `ax_` and `figure_`.
        """
        self._draw(self._new_axes() if ax is None else ax, **options)
        return self

    def _new_axes(self, *shape, **options):
        """Return the axes of a new figure, with room for what is written around them."""
        pyplot = require("matplotlib.pyplot", "plot", f"{type(self).__name__}.plot")
        return pyplot.subplots(*shape, layout="constrained", **options)[1]

    def _keep(self, ax):
        self.ax_, self.figure_ = ax, ax.figure


def check_has(estimator, attribute, example):
    """Raise unless an estimator is fitted and has what is to be drawn."""
    if not hasattr(estimator, attribute):
        raise ValueError(
            f"estimator={type(estimator).__name__} must be fitted and have {attribute}, as "
            f"{example} has."
        )


def check_names(feature_names, estimator):
    """Names of all features, if there are any."""
    if feature_names is None:
        return getattr(estimator, "feature_names_in_", None)
    names, n_features = np.asarray(feature_names), estimator.n_features_in_
    if names.shape != (n_features,):
        raise ValueError(
            f"feature_names has {names.size} names, but must have one for each of "
            f"n_features={n_features}."
        )
    return names
