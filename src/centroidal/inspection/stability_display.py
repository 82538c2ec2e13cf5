"""How often each feature was selected from parts of the samples."""

import numpy as np

from .._optional import require
from .._parameters import check_count

__all__ = ["StabilityDisplay"]

_BAR_INCHES = 0.22  # of height that a bar with its name needs
_LARGEST_NAME = 9.5  # in points
_NAME_SHARE = 0.8  # of the height of a bar that its name may take


class StabilityDisplay:
    """Selection frequencies of the most frequent features, and how stable the selection is.

    A bar is a feature, the most frequent one on top; those that are kept are coloured. It is
    recommended to use `from_estimator`.

    Parameters
    ----------
    frequencies : array-like of shape (n_shown,)
        Share of the resamples in which each feature was selected, in the order of the bars.
    support : array-like of bool, shape (n_shown,)
        Which of them are kept.
    columns : array-like of int, shape (n_shown,)
        Which features are shown, from top to bottom.
    feature_names : array-like of shape (n_shown,) or None, default=None
        Their names; None shows `columns` instead.
    threshold : float or None, default=None
        Frequency from which on features are kept; None draws no line.
    stability : float or None, default=None
        Index of stability, for the title; None or NaN leaves it out.
    interval : tuple of (float, float) or None, default=None
        Its confidence interval, of 95 %.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the picture.
    figure_ : matplotlib Figure
        Figure of the picture.
    bars_ : matplotlib BarContainer
        The frequencies.
    threshold_line_ : matplotlib Line2D or None
        The threshold.

    See Also
    --------
    centroidal.StabilitySelector : Finds the frequencies.

    Examples
    --------
    >>> from centroidal import SparseCenterClassifier, StabilitySelector
    >>> from centroidal.datasets import make_expression
    >>> from centroidal.inspection import StabilityDisplay
    >>> genes = make_expression(60, 50, n_informative=5, random_state=0)
    >>> model = StabilitySelector(SparseCenterClassifier(5), n_resamples=20, random_state=0)
    >>> display = StabilityDisplay.from_estimator(model.fit(genes.data, genes.target))
    >>> bool((display.frequencies[:-1] >= display.frequencies[1:]).all())
    True
    """

    def __init__(
        self,
        frequencies,
        support,
        columns,
        *,
        feature_names=None,
        threshold=None,
        stability=None,
        interval=None,
    ):
        self.frequencies = np.asarray(frequencies)
        self.support = np.asarray(support, dtype=bool)
        self.columns = np.asarray(columns)
        self.feature_names = None if feature_names is None else np.asarray(feature_names)
        self.threshold = threshold
        self.stability = stability
        self.interval = interval

    @classmethod
    def from_estimator(
        cls, estimator, *, n_features=20, feature_names=None, ax=None, **bar_options
    ):
        """Draw the frequencies of a fitted selector.

        Parameters
        ----------
        estimator : StabilitySelector
            Fitted.
        n_features : int, default=20
            How many of the most frequent features to show. Fewer are shown if fewer were ever
            selected, but at least one.
        feature_names : array-like of shape (n_features,), default=None
            Names of all features. None takes `feature_names_in_` or, failing that, the columns.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        **bar_options
            Passed to ``Axes.barh``.

        Returns
        -------
        StabilityDisplay
            The picture.
        """
        if not hasattr(estimator, "selection_frequencies_"):
            raise ValueError(
                f"estimator={type(estimator).__name__} must be fitted and have "
                "selection_frequencies_, as StabilitySelector has."
            )
        check_count("n_features", n_features)
        names = _checked_names(feature_names, estimator)
        frequencies = estimator.selection_frequencies_
        n_shown = min(n_features, max(1, np.count_nonzero(frequencies)))
        shown = estimator.feature_ranking_[:n_shown]
        decides = estimator.n_features_to_select is None
        display = cls(
            frequencies[shown],
            estimator.support_[shown],
            shown,
            feature_names=None if names is None else names[shown],
            threshold=estimator.threshold if decides else None,
            stability=estimator.stability_,
            interval=estimator.stability_interval_,
        )
        return display.plot(ax, **bar_options)

    def plot(self, ax=None, **bar_options):
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure, as high as the bars need, if None.
        **bar_options
            Passed to ``Axes.barh``.

        Returns
        -------
        StabilityDisplay
            The picture.
        """
        n_bars = self.frequencies.size
        if ax is None:
            pyplot = require("matplotlib.pyplot", "plot", "drawing frequencies")
            size = (6.4, 1.4 + _BAR_INCHES * n_bars)
            _, ax = pyplot.subplots(figsize=size, layout="constrained")
        colors = np.where(self.support, "C0", "lightgrey").tolist()
        options = {"color": colors, "label": self._labels()} | bar_options
        self.bars_ = ax.barh(np.arange(n_bars), self.frequencies, **options)
        self.threshold_line_ = None
        if self.threshold is not None:
            self.threshold_line_ = ax.axvline(
                self.threshold, color="black", linestyle="--", label=f"threshold {self.threshold:g}"
            )
        ax.legend(loc="lower right")
        names = self.columns if self.feature_names is None else self.feature_names
        size = min(_LARGEST_NAME, _NAME_SHARE * 72.0 * ax.bbox.height / ax.figure.dpi / n_bars)
        ax.set_yticks(np.arange(n_bars), [str(name) for name in names.tolist()], fontsize=size)
        ax.set_ylabel("column" if self.feature_names is None else "feature")
        ax.set(xlim=(0.0, 1.0), ylim=(n_bars - 0.4, -0.6), xlabel="selection frequency")
        if self.stability is not None and not np.isnan(self.stability):
            ax.set_title(self._stability_text())
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _labels(self):
        """Label the first bar of each colour, for the legend."""
        first = [np.flatnonzero(self.support)[:1], np.flatnonzero(~self.support)[:1]]
        labels = np.full(self.support.size, "_", dtype=object)
        labels[first[0]], labels[first[1]] = "kept", "not kept"
        return labels.tolist()

    def _stability_text(self):
        text = f"stability {self.stability:.2f}"
        if self.interval is None:
            return text
        low, high = self.interval
        return f"{text} (95 % interval {low:.2f} to {high:.2f})"


def _checked_names(feature_names, estimator):
    """Names of all features, if there are any."""
    n_features = estimator.selection_frequencies_.size
    if feature_names is None:
        return getattr(estimator, "feature_names_in_", None)
    names = np.asarray(feature_names)
    if names.shape != (n_features,):
        raise ValueError(
            f"feature_names has {names.size} names, but must have one for each of "
            f"n_features={n_features}."
        )
    return names
