"""The sparsity-accuracy picture: score against the number of features."""

import numpy as np

from .._optional import require
from ._curves import draw_curve, mark_choice, score_name_of

__all__ = ["SparsityPathDisplay"]


class SparsityPathDisplay:
    """Cross-validated score against the number of selected features.

    It is recommended to use `from_estimator` or `from_cv_results`.

    Parameters
    ----------
    n_features : array-like of shape (n_points,)
        Numbers of features.
    mean_score : array-like of shape (n_points,)
        Mean score over the folds.
    standard_error : array-like of shape (n_points,)
        Its standard error.
    chosen : int or None, default=None
        Number of features that was chosen.
    score_name : str, default="score"
        Label of the vertical axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the picture.
    figure_ : matplotlib Figure
        Figure of the picture.
    line_ : matplotlib Line2D
        The mean score.
    band_ : matplotlib PolyCollection
        One standard error around it.
    chosen_line_ : matplotlib Line2D or None
        Marks the chosen number.

    Examples
    --------
    >>> from centroidal import SparseCenterClassifierCV
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.inspection import SparsityPathDisplay
    >>> X, y = load_expression(return_X_y=True)
    >>> model = SparseCenterClassifierCV(scale="within").fit(X, y)
    >>> display = SparsityPathDisplay.from_estimator(model)
    >>> display.ax_.get_xscale()
    'log'
    """

    def __init__(self, n_features, mean_score, standard_error, *, chosen=None, score_name="score"):
        self.n_features = np.asarray(n_features)
        self.mean_score = np.asarray(mean_score)
        self.standard_error = np.asarray(standard_error)
        self.chosen = chosen
        self.score_name = score_name

    @classmethod
    def from_estimator(cls, estimator, *, ax=None, name=None, **line_options):
        """Draw the path of a fitted estimator that chose its number of features.

        Parameters
        ----------
        estimator : SparseCenterClassifierCV
            Fitted; its `path_` is drawn and its choice marked.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        name : str, default=None
            Label of the line.
        **line_options
            Passed to ``Axes.plot``.

        Returns
        -------
        SparsityPathDisplay
            The picture.
        """
        if "n_features_to_select" not in getattr(estimator, "path_", {}):
            raise ValueError(
                f"estimator={type(estimator).__name__} must be fitted and have a path_, as "
                "SparseCenterClassifierCV has."
            )
        return cls.from_cv_results(
            estimator.path_,
            chosen=estimator.n_features_to_select_,
            score_name=score_name_of(estimator),
            ax=ax,
            name=name,
            **line_options,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results,
        *,
        param="n_features_to_select",
        chosen=None,
        score_name="score",
        ax=None,
        name=None,
        **line_options,
    ):
        """Draw a table of scores: a `path_`, or ``cv_results_`` of scikit-learn's searches.

        Parameters
        ----------
        cv_results : dict of array-like
            The table.
        param : str, default="n_features_to_select"
            The parameter that is the number of features, such as ``"selectkbest__k"``.
        chosen : int, default=None
            Number of features to mark.
        score_name : str, default="score"
            Label of the vertical axis.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        name : str, default=None
            Label of the line.
        **line_options
            Passed to ``Axes.plot``.

        Returns
        -------
        SparsityPathDisplay
            The picture.
        """
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
        standard_error = splits.std(axis=0, ddof=1) / np.sqrt(len(splits))
        order = np.argsort(n_features, kind="stable")
        display = cls(
            n_features[order],
            np.asarray(cv_results["mean_test_score"])[order],
            standard_error[order],
            chosen=chosen,
            score_name=score_name,
        )
        return display.plot(ax=ax, name=name, **line_options)

    def plot(self, ax=None, *, name=None, **line_options):
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        name : str, default=None
            Label of the line.
        **line_options
            Passed to ``Axes.plot``.

        Returns
        -------
        SparsityPathDisplay
            The picture.
        """
        if ax is None:
            _, ax = require("matplotlib.pyplot", "plot", "drawing a path").subplots()
        self.line_, self.band_ = draw_curve(
            ax, self.n_features, self.mean_score, self.standard_error, name, **line_options
        )
        self.chosen_line_ = None
        if self.chosen is not None:
            color = self.line_.get_color()
            self.chosen_line_ = mark_choice(ax, self.chosen, "features", color)
        ax.set(xscale="log", xlabel="number of features", ylabel=self.score_name.replace("_", " "))
        if name is not None or self.chosen is not None:
            ax.legend(loc="lower right")
        self.ax_, self.figure_ = ax, ax.figure
        return self
