"""Score against the weight of the baseline, with the number of features it leaves."""

import numpy as np

from .._optional import require
from ._curves import draw_curve, mark_choice, score_name_of

__all__ = ["BaselinePathDisplay"]

_MOST_NAMES = 14  # there is no room for more weights below the axis


class BaselinePathDisplay:
    """Cross-validated score against the weight of the baseline.

    The weights are evenly spaced in the order of the table, so that infinity has a place like any
    other. Above each weight stands the mean number of features that it leaves; "void" is written,
    and no score drawn, where no fold had a valid start. It is recommended to use `from_estimator`.

    Parameters
    ----------
    path : dict of array-like
        Table with ``baseline_weight``, ``mean_n_features``, ``mean_test_score`` and
        ``se_test_score``.
    chosen : float or None, default=None
        Weight that was chosen; one of the table.
    score_name : str, default="score"
        Label of the vertical axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the picture.
    figure_ : matplotlib Figure
        Figure of the picture.
    line_ : matplotlib Line2D
        The mean score; its horizontal positions count the weights from 0.
    band_ : matplotlib PolyCollection
        One standard error around it.
    features_axis_ : matplotlib SecondaryAxis
        The numbers of features, above.
    chosen_line_ : matplotlib Line2D or None
        Marks the chosen weight.

    Examples
    --------
    >>> from centroidal import DisjointCentroidClassifierCV
    >>> from centroidal.datasets import make_feature_blocks
    >>> from centroidal.inspection import BaselinePathDisplay
    >>> made = make_feature_blocks(400, n_noise=20, random_state=0)
    >>> model = DisjointCentroidClassifierCV("margin").fit(made.data, made.target)
    >>> display = BaselinePathDisplay.from_estimator(model)
    >>> [label.get_text() for label in display.ax_.get_xticklabels()][-3:]
    ['1', '1.1', '∞']
    """

    def __init__(self, path, *, chosen=None, score_name="score"):
        self.path = path
        self.chosen = chosen
        self.score_name = score_name

    @classmethod
    def from_estimator(cls, estimator, *, ax=None, **line_options):
        """Draw the path of a fitted estimator that chose the weight of its baseline.

        Parameters
        ----------
        estimator : DisjointCentroidClassifierCV
            Fitted; its `path_` is drawn and its choice marked.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        **line_options
            Passed to ``Axes.plot``.

        Returns
        -------
        BaselinePathDisplay
            The picture.
        """
        if "baseline_weight" not in getattr(estimator, "path_", {}):
            raise ValueError(
                f"estimator={type(estimator).__name__} must be fitted and have a path_ over "
                "weights of the baseline, as DisjointCentroidClassifierCV has."
            )
        display = cls(
            estimator.path_, chosen=estimator.baseline_weight_, score_name=score_name_of(estimator)
        )
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
        BaselinePathDisplay
            The picture.
        """
        if ax is None:
            plt = require("matplotlib.pyplot", "plot", "drawing a path")
            _, ax = plt.subplots(layout="constrained")
        table = {name: np.asarray(column) for name, column in self.path.items()}
        weights, sizes = table["baseline_weight"], table["mean_n_features"]
        scores = np.where(np.isnan(sizes), np.nan, table["mean_test_score"])
        self.line_, self.band_ = draw_curve(
            ax,
            np.arange(weights.size),
            scores,
            table["se_test_score"],
            **{"marker": "."} | line_options,
        )
        self.chosen_line_ = None
        if self.chosen is not None:
            position = weights.tolist().index(self.chosen)
            self.chosen_line_ = mark_choice(ax, position, "", self.line_.get_color())
            self.chosen_line_.set_label(f"weight {_weight_name(self.chosen)} chosen")
            ax.legend(loc="best")
        self._name_weights(ax, weights, sizes)
        ax.set_ylabel(self.score_name.replace("_", " "))
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _name_weights(self, ax, weights, sizes):
        """Write weights below the axes, and numbers of features above."""
        step = -(-weights.size // _MOST_NAMES)
        named = np.arange((weights.size - 1) % step, weights.size, step)  # the last one is named
        ax.set_xlim(-0.5, weights.size - 0.5)
        ax.set_xticks(named, [_weight_name(weight) for weight in weights[named]])
        ax.set_xlabel("weight of the baseline")
        self.features_axis_ = ax.secondary_xaxis("top")
        self.features_axis_.set_xticks(named, [_size_name(size) for size in sizes[named]])
        self.features_axis_.set_xlabel("mean number of features")


def _weight_name(weight):
    return "∞" if np.isinf(weight) else f"{weight:.3g}"


def _size_name(size):
    return "void" if np.isnan(size) else f"{size:.0f}"
