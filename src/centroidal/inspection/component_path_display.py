"""Score against the number of whitened components."""

import numpy as np

from .._optional import require
from ._curves import draw_curve, mark_choice, score_name_of

__all__ = ["ComponentPathDisplay"]


class ComponentPathDisplay:
    """Cross-validated score against the number of whitened components, one line a scatter.

    It is recommended to use `from_estimator`.

    Parameters
    ----------
    path : dict of array-like
        Table with ``n_components``, ``scatter``, ``mean_test_score`` and ``se_test_score``.
    chosen : tuple of (int, str) or None, default=None
        Number of components and scatter that were chosen.
    score_name : str, default="score"
        Label of the vertical axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the picture.
    figure_ : matplotlib Figure
        Figure of the picture.
    lines_ : dict of str to matplotlib Line2D
        The mean score, for each scatter.
    bands_ : dict of str to matplotlib PolyCollection
        One standard error around it.
    chosen_line_ : matplotlib Line2D or None
        Marks the chosen number.

    Examples
    --------
    >>> from centroidal import FisherSubspaceClassifierCV
    >>> from centroidal.datasets import make_spiked_classes
    >>> from centroidal.inspection import ComponentPathDisplay
    >>> data = make_spiked_classes(100, 50, n_spikes=5, random_state=0)
    >>> model = FisherSubspaceClassifierCV(scatter=("total", "within")).fit(data.data, data.target)
    >>> sorted(ComponentPathDisplay.from_estimator(model).lines_)
    ['total', 'within']
    """

    def __init__(self, path, *, chosen=None, score_name="score"):
        self.path = path
        self.chosen = chosen
        self.score_name = score_name

    @classmethod
    def from_estimator(cls, estimator, *, ax=None, **line_options):
        """Draw the path of a fitted estimator that chose its number of components.

        Parameters
        ----------
        estimator : FisherSubspaceClassifierCV
            Fitted; its `path_` is drawn and its choice marked.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        **line_options
            Passed to ``Axes.plot``.

        Returns
        -------
        ComponentPathDisplay
            The picture.
        """
        if "n_components" not in getattr(estimator, "path_", {}):
            raise ValueError(
                f"estimator={type(estimator).__name__} must be fitted and have a path_ over "
                "components, as FisherSubspaceClassifierCV has."
            )
        chosen = estimator.n_components_, estimator.scatter_
        display = cls(estimator.path_, chosen=chosen, score_name=score_name_of(estimator))
        return display.plot(ax, **line_options)

    def plot(self, ax=None, **line_options):
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        **line_options
            Passed to ``Axes.plot``.

        Returns
        -------
        ComponentPathDisplay
            The picture.
        """
        if ax is None:
            _, ax = require("matplotlib.pyplot", "plot", "drawing a path").subplots()
        table = {name: np.asarray(column) for name, column in self.path.items()}
        self.lines_, self.bands_, self.chosen_line_ = {}, {}, None
        for scatter in dict.fromkeys(table["scatter"].tolist()):
            rows = table["scatter"] == scatter
            columns = [table[f"{name}_test_score"][rows] for name in ("mean", "se")]
            self.lines_[scatter], self.bands_[scatter] = draw_curve(
                ax, table["n_components"][rows], *columns, f"{scatter} scatter", **line_options
            )
        if self.chosen is not None:
            number, scatter = self.chosen
            color = self.lines_[scatter].get_color()
            self.chosen_line_ = mark_choice(ax, number, "components", color)
        ax.set(xscale="log", xlabel="whitened components", ylabel=self.score_name.replace("_", " "))
        ax.legend(loc="best")
        self.ax_, self.figure_ = ax, ax.figure
        return self
