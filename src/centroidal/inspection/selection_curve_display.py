"""Score against the number of features, for selectors and for random features."""

from .._optional import require
from ..model_selection import SelectionCurve, selection_curve
from .path_display import draw_curve

__all__ = ["SelectionCurveDisplay"]


class SelectionCurveDisplay:
    """Score against the number of features, one line a selector, with random features beside.

    Random features are drawn once, from the first curve that has them. It is recommended to use
    `from_selector` or `from_curve`.

    Parameters
    ----------
    curves : SelectionCurve or dict of str to SelectionCurve
        What :func:`~centroidal.model_selection.selection_curve` returns, for one selector or for
        several; the names label the lines.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the picture.
    figure_ : matplotlib Figure
        Figure of the picture.
    lines_ : dict of str to matplotlib Line2D
        The mean score, for each selector; a curve without a name has that of the selector's class.
    bands_ : dict of str to matplotlib PolyCollection
        One standard error around it.
    random_line_ : matplotlib Line2D or None
        The mean score of random features.
    random_band_ : matplotlib PolyCollection or None
        One standard error around it.

    See Also
    --------
    PathDisplay : Draws the choice of a classifier that selects its features itself.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from centroidal import ReliefFSelector
    >>> from centroidal.datasets import make_expression
    >>> from centroidal.inspection import SelectionCurveDisplay
    >>> genes = make_expression(60, 50, n_informative=5, random_state=0)
    >>> display = SelectionCurveDisplay.from_selector(
    ...     {"F statistic": SelectKBest(), "ReliefF": ReliefFSelector()},
    ...     genes.data,
    ...     genes.target,
    ...     n_features_grid=[1, 5, 50],
    ...     n_random=2,
    ...     random_state=0,
    ... )
    >>> list(display.lines_)
    ['F statistic', 'ReliefF']
    """

    def __init__(self, curves):
        self.curves = curves

    @classmethod
    def from_selector(cls, selector, X, y, *, ax=None, **options):
        """Find the curve of one selector or of several, and draw it.

        Parameters
        ----------
        selector : estimator or dict of str to estimator
            What ranks the features. Several are compared on the same folds.
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        **options
            Passed to :func:`~centroidal.model_selection.selection_curve`.

        Returns
        -------
        SelectionCurveDisplay
            The picture; its `curves` are the results.
        """
        return cls(selection_curve(selector, X, y, **options)).plot(ax)

    @classmethod
    def from_curve(cls, curves, *, ax=None, **line_options):
        """Draw curves that were found before.

        Parameters
        ----------
        curves : SelectionCurve or dict of str to SelectionCurve
            What :func:`~centroidal.model_selection.selection_curve` returns.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        **line_options
            Passed to ``Axes.plot`` for the selectors.

        Returns
        -------
        SelectionCurveDisplay
            The picture.
        """
        return cls(curves).plot(ax, **line_options)

    def plot(self, ax=None, **line_options):
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        **line_options
            Passed to ``Axes.plot`` for the selectors.

        Returns
        -------
        SelectionCurveDisplay
            The picture.
        """
        curves = _named(self.curves)
        if ax is None:
            _, ax = require("matplotlib.pyplot", "plot", "drawing a curve").subplots()
        options = {"marker": "."} | line_options
        self.lines_, self.bands_ = {}, {}
        for name, curve in curves.items():
            self.lines_[name], self.bands_[name] = _draw(ax, curve.table, name, **options)
        self.random_line_, self.random_band_ = None, None
        random_tables = [c.random_table for c in curves.values() if c.random_table is not None]
        if random_tables:
            grey = {"color": "grey", "linestyle": "--"}
            drawn = _draw(ax, random_tables[0], "random features", **grey)
            self.random_line_, self.random_band_ = drawn
        score_names = {curve.score_name for curve in curves.values()}
        score_name = score_names.pop() if len(score_names) == 1 else "score"
        ax.set(xscale="log", xlabel="number of features", ylabel=score_name.replace("_", " "))
        ax.legend(loc="best")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _draw(ax, table, label, **line_options):
    columns = (table[name] for name in ("n_features", "mean_test_score", "se_test_score"))
    return draw_curve(ax, *columns, label, **line_options)


def _named(curves):
    """Curves by their names, at least one."""
    if isinstance(curves, SelectionCurve):
        return {curves.selector_name: curves}
    is_dict = isinstance(curves, dict)
    if not is_dict or not all(isinstance(curve, SelectionCurve) for curve in curves.values()):
        raise TypeError(
            f"curves={curves!r} must be what selection_curve returns: a SelectionCurve, or a dict "
            "of them by name."
        )
    if not curves:
        raise ValueError("curves={} must hold at least one SelectionCurve.")
    return curves
