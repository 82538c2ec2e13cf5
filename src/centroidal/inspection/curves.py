"""Scores: against a hyperparameter, against the number of features, and of compared classifiers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .._typing import ArrayLike, Estimator
from ..model_selection import Comparison, SelectionCurve, compare, selection_curve
from ..model_selection.metrics import check_scoring
from .display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..model_selection import FeatureSelection

__all__ = ["ComparisonDisplay", "PathDisplay", "SelectionCurveDisplay"]

# What a path may go over: the label of the axis, and of the line that marks the choice.
_HYPERPARAMETERS = {
    "n_features_to_select": ("number of features", "{} features chosen"),
    "n_components": ("whitened components", "{} components chosen"),
    "baseline_weight": ("weight of the baseline", "weight {} chosen"),
}
_REFERENCE_COLOR = "grey"
_MOST_NAMES = 14  # there is no room for more weights below the axis


class PathDisplay(Display):
    """Cross-validated score against a hyperparameter, with a band of one standard error.

    The columns of the table say which it is. Numbers of features and of components are on a log
    scale, with a line for each scatter. Weights of the baseline are evenly spaced, so that infinity
    has a place like any other; above each stands the mean number of features that it leaves, or
    "void", and no score, where no fold had a valid start. It is recommended to use `from_estimator`
    or `from_cv_results`.

    Parameters
    ----------
    path : dict of array-like
        Table with ``mean_test_score``, ``se_test_score`` and one of ``n_features_to_select``,
        ``n_components`` (beside ``scatter``) and ``baseline_weight`` (beside ``mean_n_features``).
    chosen : dict of str to value or None, default=None
        What was chosen, by column, such as ``{"n_components": 3, "scatter": "total"}``.
    score_name : str, default="score"
        Label of the vertical axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where the picture is.
    lines_ : list of matplotlib Line2D
        The mean score: one line, or one for each scatter. Horizontal positions of weights count
        from 0.
    bands_ : list of matplotlib PolyCollection
        One standard error around each line.
    chosen_line_ : matplotlib Line2D or None
        Marks the choice.
    features_axis_ : matplotlib SecondaryAxis or None
        The numbers of features above the weights.

    See Also
    --------
    SelectionCurveDisplay : Draws the score of selectors against the number of features.

    Examples
    --------
    >>> from centroidal import SparseCenterClassifierCV
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.inspection import PathDisplay
    >>> X, y = load_expression(return_X_y=True)
    >>> model = SparseCenterClassifierCV(scale="within").fit(X, y)
    >>> display = PathDisplay.from_estimator(model)
    >>> display.ax_.get_xlabel(), display.ax_.get_xscale()
    ('number of features', 'log')
    """

    def __init__(
        self,
        path: dict[str, Any],
        *,
        chosen: dict[str, Any] | None = None,
        score_name: str = "score",
    ) -> None:
        self.path = path
        self.chosen = chosen
        self.score_name = score_name

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        *,
        ax: "Axes | None" = None,
        name: str | None = None,
        **line_options: Any,
    ) -> Self:
        """Draw the path of a fitted estimator that chose a hyperparameter by cross-validation.

        Parameters
        ----------
        estimator : SparseCenterClassifierCV or another estimator with a `path_`
            Fitted; its `path_` is drawn and its choice marked.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        name : str, default=None
            Label of the line.
        **line_options
            Passed to ``Axes.plot``.
        """
        path = getattr(estimator, "path_", {})
        names = [column for column in (*_HYPERPARAMETERS, "scatter") if column in path]
        if not names:
            raise ValueError(
                f"estimator={type(estimator).__name__} must be fitted and have a path_, as "
                "SparseCenterClassifierCV has."
            )
        chosen = {column: getattr(estimator, f"{column}_") for column in names}
        scored_by = check_scoring(getattr(estimator, "scoring", None)).name
        return cls(path, chosen=chosen, score_name=scored_by).plot(ax, name=name, **line_options)

    @classmethod
    def from_selection(
        cls,
        selection: "FeatureSelection",
        *,
        ax: "Axes | None" = None,
        name: str | None = None,
        **line_options: Any,
    ) -> Self:
        """Draw the path of what `select_features` found.

        Parameters
        ----------
        selection : FeatureSelection
            What :func:`~centroidal.model_selection.select_features` returned.
        ax, name, **line_options
            As in `from_estimator`.
        """
        path = {column: selection.path[column] for column in ("mean_test_score", "se_test_score")}
        path["n_features_to_select"] = selection.path["n_features"]
        chosen = {"n_features_to_select": selection.n_features_to_select}
        display = cls(path, chosen=chosen, score_name=selection.scoring)
        return display.plot(ax, name=name, **line_options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: dict[str, Any],
        *,
        param: str = "n_features_to_select",
        chosen: int | None = None,
        score_name: str = "score",
        ax: "Axes | None" = None,
        name: str | None = None,
        **line_options: Any,
    ) -> Self:
        """Draw ``cv_results_`` of a search of scikit-learn over numbers of features.

        Parameters
        ----------
        cv_results : dict of array-like
            The table; a `path_` will do as well.
        param : str, default="n_features_to_select"
            The parameter that is the number of features, such as ``"selectkbest__k"``.
        chosen : int, default=None
            Number of features to mark.
        score_name : str, default="score"
            Label of the vertical axis.
        ax, name, **line_options
            As in `from_estimator`.
        """
        path = _path_of_search(cv_results, param)
        marked = None if chosen is None else {"n_features_to_select": chosen}
        display = cls(path, chosen=marked, score_name=score_name)
        return display.plot(ax, name=name, **line_options)

    def _draw(self, ax, *, name=None, **line_options):
        table = {column: np.asarray(values) for column, values in self.path.items()}
        parameter = next(column for column in _HYPERPARAMETERS if column in table)
        self.features_axis_ = None
        if parameter == "baseline_weight":
            line_options = {"marker": "."} | line_options
            self._name_weights(ax, table)
        else:
            ax.set_xscale("log")
        self._draw_lines(ax, table, _positions(table, parameter), name, line_options)
        self._mark_choice(ax, table, parameter)
        ax.set(xlabel=_HYPERPARAMETERS[parameter][0], ylabel=self.score_name.replace("_", " "))
        if ax.get_legend_handles_labels()[1]:
            ax.legend(loc="best")
        self._keep(ax)

    def _draw_lines(self, ax, table, positions, name, line_options):
        """Draw a line for each scatter, or the only one."""
        scores = table["mean_test_score"]
        if "mean_n_features" in table:  # a weight is void if it leaves no valid start
            scores = np.where(np.isnan(table["mean_n_features"]), np.nan, scores)
        self.lines_, self.bands_ = [], []
        for rows, scatter in _scatters(table):
            label = ", ".join(filter(None, (name, scatter))) or None
            columns = (each[rows] for each in (positions, scores, table["se_test_score"]))
            line, band = _draw_curve(ax, *columns, label, **line_options)
            self.lines_.append(line)
            self.bands_.append(band)

    def _mark_choice(self, ax, table, parameter):
        """Draw a vertical line in the colour of the scatter that was chosen."""
        self.chosen_line_ = None
        if self.chosen is None:
            return
        is_chosen = np.all([table[name] == value for name, value in self.chosen.items()], axis=0)
        row = int(np.flatnonzero(is_chosen)[0])
        (line,) = (
            line for line, (rows, _) in zip(self.lines_, _scatters(table), strict=True) if rows[row]
        )
        label = _HYPERPARAMETERS[parameter][1].format(_short(table[parameter][row]))
        position = _positions(table, parameter)[row]
        style = {"color": line.get_color(), "linestyle": ":", "label": label}
        self.chosen_line_ = ax.axvline(position, **style)

    def _name_weights(self, ax, table):
        """Write weights below the axes, and numbers of features above."""
        weights, sizes = table["baseline_weight"], table["mean_n_features"]
        step = -(-weights.size // _MOST_NAMES)
        named = np.arange((weights.size - 1) % step, weights.size, step)  # the last one is named
        ax.set_xlim(-0.5, weights.size - 0.5)
        ax.set_xticks(named, [_short(weight) for weight in weights[named]])
        self.features_axis_ = ax.secondary_xaxis("top")
        names = ["void" if np.isnan(size) else f"{size:.0f}" for size in sizes[named]]
        self.features_axis_.set_xticks(named, names)
        self.features_axis_.set_xlabel("mean number of features")


class SelectionCurveDisplay(Display):
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
    ax_, figure_ : matplotlib Axes and Figure
        Where the picture is.
    lines_, bands_ : dict of str to matplotlib Line2D and PolyCollection
        The mean score, for each selector, and one standard error around it; a curve without a name
        has that of the selector's class.
    random_line_, random_band_ : matplotlib Line2D and PolyCollection, or None
        The same of random features.

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

    def __init__(self, curves: SelectionCurve | dict[str, SelectionCurve]) -> None:
        self.curves = curves

    @classmethod
    def from_selector(
        cls,
        selector: Estimator | dict[str, Any],
        X: ArrayLike,
        y: ArrayLike,
        *,
        ax: "Axes | None" = None,
        **options: Any,
    ) -> Self:
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
        """
        return cls(selection_curve(selector, X, y, **options)).plot(ax)

    @classmethod
    def from_curve(
        cls,
        curves: SelectionCurve | dict[str, SelectionCurve],
        *,
        ax: "Axes | None" = None,
        **line_options: Any,
    ) -> Self:
        """Draw curves that were found before; `ax` and `line_options` as in `plot`."""
        return cls(curves).plot(ax, **line_options)

    def _draw(self, ax, **line_options):
        curves = _name_curves(self.curves)
        options = {"marker": "."} | line_options
        self.lines_, self.bands_ = {}, {}
        for name, curve in curves.items():
            self.lines_[name], self.bands_[name] = _draw_table(ax, curve.table, name, **options)
        self.random_line_, self.random_band_ = None, None
        random_tables = [c.random_table for c in curves.values() if c.random_table is not None]
        if random_tables:
            grey = {"color": "grey", "linestyle": "--"}
            drawn = _draw_table(ax, random_tables[0], "random features", **grey)
            self.random_line_, self.random_band_ = drawn
        score_names = {curve.score_name for curve in curves.values()}
        score_name = score_names.pop() if len(score_names) == 1 else "score"
        ax.set(xscale="log", xlabel="number of features", ylabel=score_name.replace("_", " "))
        ax.legend(loc="best")
        self._keep(ax)


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

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison

    @classmethod
    def from_estimators(
        cls,
        estimators: dict[str, Any] | None,
        X: ArrayLike,
        y: ArrayLike,
        *,
        ax: "Axes | Sequence[Axes] | None" = None,
        **options: Any,
    ) -> Self:
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
    def from_comparison(
        cls,
        comparison: Comparison,
        *,
        ax: "Axes | Sequence[Axes] | None" = None,
        **dot_options: Any,
    ) -> Self:
        """Draw a comparison that was made before; `ax` and `dot_options` as in `plot`."""
        return cls(comparison).plot(ax, **dot_options)

    def plot(self, ax: "Axes | Sequence[Axes] | None" = None, **dot_options: Any) -> Self:
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


def _draw_curve(ax, numbers, mean_score, standard_error, label=None, **line_options):
    """Draw a line and a band of one standard error around it; return both."""
    (line,) = ax.plot(numbers, mean_score, label=label, **line_options)
    band = ax.fill_between(
        numbers,
        mean_score - standard_error,
        mean_score + standard_error,
        color=line.get_color(),
        alpha=0.2,
        linewidth=0,
    )
    return line, band


def _positions(table, parameter):
    """Where the rows stand: at their number, or weights, of which one may be infinite, in turn."""
    values = table[parameter]
    return np.arange(values.size) if parameter == "baseline_weight" else values


def _scatters(table):
    """Return the rows of each scatter, as a mask, with what it is called."""
    if "scatter" not in table:
        return [(np.ones(table["mean_test_score"].size, dtype=bool), None)]
    names = dict.fromkeys(table["scatter"].tolist())
    return [(table["scatter"] == name, f"{name} scatter") for name in names]


def _short(value):
    if isinstance(value, np.integer):
        return str(value)
    return "∞" if np.isinf(value) else f"{value:.3g}"


def _path_of_search(cv_results, param):
    """Return the columns of a path, in the order of the numbers of features."""
    columns = [column for column in (param, f"param_{param}") if column in cv_results]
    if not columns:
        raise ValueError(
            f"param={param!r} must be a column of cv_results, which has "
            f"{', '.join(sorted(cv_results))}."
        )
    n_features = np.asarray(cv_results[columns[0]]).astype(int)
    splits = np.array(
        [cv_results[key] for key in cv_results if key.startswith("split") and "_test_" in key]
    )
    order = np.argsort(n_features, kind="stable")
    return {
        "n_features_to_select": n_features[order],
        "mean_test_score": np.asarray(cv_results["mean_test_score"])[order],
        "se_test_score": (splits.std(axis=0, ddof=1) / np.sqrt(len(splits)))[order],
    }


def _draw_table(ax, table, label, **line_options):
    columns = (table[name] for name in ("n_features", "mean_test_score", "se_test_score"))
    return _draw_curve(ax, *columns, label, **line_options)


def _name_curves(curves):
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
