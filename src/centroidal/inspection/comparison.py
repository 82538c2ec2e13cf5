"""Scores of compared classifiers, and their differences to one of them."""

import numpy as np

from ..model_selection import Comparison, compare
from .display import Display

__all__ = ["ComparisonDisplay"]

_REFERENCE_COLOR = "grey"


class ComparisonDisplay(Display):
    """Mean score of each classifier as a dot with its 95 % interval, the best at the top.

    Beside it stand the differences to the baseline, fold by fold, whose intervals are narrower:
    what makes a fold hard for all is not in them. Members that are there to be beaten, random
    features and constant predictions, are grey, and a dashed line marks the score of random
    features. It is recommended to use `from_estimators` or `from_comparison`.

    Parameters
    ----------
    comparison : Comparison
        What :func:`~centroidal.model_selection.compare` returns.

    Attributes
    ----------
    ax_, difference_ax_, figure_ : matplotlib Axes, Axes or None, Figure
        Where the scores are, the differences, and the picture.
    names_ : list of str
        Members from the top to the bottom; those that were never scored are left out.
    dots_, difference_dots_ : dict of str to matplotlib ErrorbarContainer
        Score of each member, and its difference to the baseline, with a bar for the 95 %
        confidence interval.
    random_line_ : matplotlib Line2D or None
        Score of random features.

    See Also
    --------
    SelectionCurveDisplay : Draws the score of selectors against the number of features.

    Notes
    -----
    Intervals know that folds overlap, see :func:`~centroidal.model_selection.compare`. A bar that
    reaches zero among the differences is no proof that two members are equal, and the best was
    picked by its score.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from centroidal import SparseCenterClassifierCV
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.inspection import ComparisonDisplay
    >>> X, y = load_expression(return_X_y=True)
    >>> centers = SparseCenterClassifierCV(scale="within")
    >>> display = ComparisonDisplay.from_estimators(
    ...     {"naive Bayes": GaussianNB(), "sparse centers": centers}, X, y, random_state=0
    ... )
    >>> display.names_
    ['sparse centers', 'naive Bayes']
    """

    def __init__(self, comparison):
        self.comparison = comparison

    @classmethod
    def from_estimators(cls, estimators, X, y, *, ax=None, **options):
        """Compare classifiers and draw the result.

        Parameters
        ----------
        estimators : dict of str to classifier, or None
            Whom to compare; None is the default line-up.
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples, raw.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        ax : matplotlib Axes, pair of Axes or None, default=None
            As in `plot`.
        **options
            Passed to :func:`~centroidal.model_selection.compare`.
        """
        return cls(compare(estimators, X, y, **options)).plot(ax)

    @classmethod
    def from_comparison(cls, comparison, *, ax=None, **dot_options):
        """Draw a comparison that was made before; `ax` and `dot_options` as in `plot`."""
        return cls(comparison).plot(ax, **dot_options)

    def plot(self, ax=None, **dot_options):
        """Draw the picture and return it.

        Parameters
        ----------
        ax : matplotlib Axes, pair of Axes or None, default=None
            Where to draw the scores, or the scores and the differences; a new figure with both if
            None.
        **dot_options
            Passed to ``Axes.errorbar``.
        """
        rows = _rows_to_draw(self.comparison)
        self.names_ = [self.comparison.names[row] for row in rows]
        self.ax_, self.difference_ax_ = self._axes(ax, len(rows))
        self.figure_ = self.ax_.figure
        options = {"fmt": "o", "capsize": 3} | dot_options

        table, name = self.comparison.table, self.comparison.score_name.replace("_", " ")
        self.dots_ = self._draw_dots(self.ax_, rows, table, "test_score", options)
        self.ax_.set(xlabel=f"{name}, with its 95 % interval")
        self.random_line_ = self._mark_random_features()
        self.difference_dots_ = {}
        if self.difference_ax_ is not None:
            differences = self.comparison.differences
            self.difference_dots_ = self._draw_dots(
                self.difference_ax_, rows, differences, "difference", options
            )
            self.difference_ax_.axvline(0.0, color="black", linewidth=0.8)
            self.difference_ax_.set(xlabel=f"difference to {self.comparison.baseline}")
        return self

    def _axes(self, ax, n_rows):
        """Axes of the scores, and of the differences or None."""
        if ax is None:
            return tuple(self._new_axes(1, 2, sharey=True, figsize=(9.0, 1.2 + 0.28 * n_rows)))
        if not np.iterable(ax):
            return ax, None
        axes = tuple(ax)
        if len(axes) != 2:
            raise ValueError(f"ax holds {len(axes)} Axes; it must be one, two or None.")
        return axes

    def _draw_dots(self, ax, rows, columns, what, options):
        """Draw one dot a member, the first row at the top."""
        dots = {}
        means, *ends = (columns[f"{which}_{what}"] for which in ("mean", "low", "high"))
        for position, row in enumerate(rows):
            name = self.comparison.names[row]
            is_reference = name in self.comparison.references
            color = {"color": _REFERENCE_COLOR if is_reference else "C0"}
            reach = np.abs([[end[row] - means[row]] for end in ends])
            bar = {} if np.isnan(reach).any() else {"xerr": reach}
            dots[name] = ax.errorbar(means[row], position, **bar, **color | options)
        ax.set_yticks(range(len(rows)), self.names_)
        ax.set_ylim(len(rows) - 0.5, -0.5)
        ax.grid(axis="x", alpha=0.3)
        return dots

    def _mark_random_features(self):
        drawn = [name for name in self.comparison.random_features if name in self.names_]
        if not drawn:
            return None
        row = self.comparison.names.index(drawn[0])
        score = self.comparison.table["mean_test_score"][row]
        line = self.ax_.axvline(score, color=_REFERENCE_COLOR, linestyle="--", label=drawn[0])
        self.ax_.legend(handles=[line], loc="best")
        return line


def _rows_to_draw(comparison):
    """Rows of the members that were scored, the best first."""
    if not isinstance(comparison, Comparison):
        raise TypeError(f"comparison={comparison!r} must be what compare returns.")
    mean = comparison.table["mean_test_score"]
    order = np.argsort(-mean, kind="stable")
    rows = [int(row) for row in order if not np.isnan(mean[row])]
    if not rows:
        raise ValueError("comparison has no member that was scored; there is nothing to draw.")
    return rows
