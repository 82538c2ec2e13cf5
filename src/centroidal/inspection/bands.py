"""Features in the order of an axis, such as wavelengths: which bands of them are selected."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .._typing import ArrayLike, Estimator
from ..model_selection.bands import feature_axis, find_bands
from .display import Display, check_has, check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..model_selection import FeatureSelection

__all__ = ["BandsDisplay"]

_BAND_STYLE = {"color": "0.8", "linewidth": 0.0, "zorder": 0.5}


class BandsDisplay(Display):
    """Bands of neighbouring selected features over the mean of each class, as over a spectrum.

    If the names of the features are numbers that rise or fall, they are the horizontal axis, which
    runs as the columns do; otherwise it is the number of the column. It is recommended to use
    `from_selection` or `from_estimator`.

    Parameters
    ----------
    centers : array-like of shape (n_classes, n_features)
        Mean of each class.
    support : array-like of bool, shape (n_features,)
        Which features are selected.
    classes : array-like of shape (n_classes,)
        Class labels.
    feature_names : array-like of shape (n_features,), default=None
        Names of the features.
    max_gap : int, default=2
        How many features that are not selected may lie between two of the same band.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where the picture is.
    lines_ : list of matplotlib Line2D
        The mean of each class.
    spans_ : list of matplotlib patches
        The bands, from left to right; each ends half a step beyond its features.

    See Also
    --------
    centroidal.model_selection.FeatureSelection.band_columns : The bands as a table.

    Examples
    --------
    >>> from centroidal import SparseCenterClassifier
    >>> from centroidal.datasets import make_spectra
    >>> from centroidal.inspection import BandsDisplay
    >>> from centroidal.preprocessing import standard_normal_variate
    >>> spectra = make_spectra(n_informative=2, random_state=0)
    >>> X, y = standard_normal_variate(spectra.data), spectra.target
    >>> model = SparseCenterClassifier(20, scale="within").fit(X, y)
    >>> display = BandsDisplay.from_estimator(model, X, y, feature_names=spectra.feature_names)
    >>> len(display.lines_), len(display.spans_)
    (2, 2)
    """

    def __init__(
        self,
        centers: ArrayLike,
        support: ArrayLike,
        classes: ArrayLike,
        *,
        feature_names: ArrayLike | None = None,
        max_gap: int = 2,
    ) -> None:
        self.centers = np.asarray(centers)
        self.support = np.asarray(support, dtype=bool)
        self.classes = np.asarray(classes)
        self.feature_names = None if feature_names is None else np.asarray(feature_names)
        self.max_gap = max_gap

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: ArrayLike,
        y: ArrayLike,
        *,
        feature_names: ArrayLike | None = None,
        max_gap: int = 2,
        ax: "Axes | None" = None,
        **line_options: Any,
    ) -> Self:
        """Draw what a fitted estimator selects over the class means of samples.

        Parameters
        ----------
        estimator : estimator with `support_`
            Fitted.
        X : array-like of shape (n_samples, n_features)
            Samples; they need not be those of `fit`, and may be raw where `fit` had others.
        y : array-like of shape (n_samples,)
            Their labels.
        feature_names : array-like of shape (n_features,), default=None
            Names of all features. None takes `feature_names_in_` or, failing that, the columns.
        max_gap, ax, **line_options
            As in `from_selection`.
        """
        check_has(estimator, "support_", "SparseCenterClassifier")
        X, (classes, codes) = np.asarray(X), np.unique(np.asarray(y), return_inverse=True)
        centers = [X[codes == code].mean(axis=0) for code in range(classes.size)]
        names = check_names(feature_names, estimator)
        display = cls(centers, estimator.support_, classes, feature_names=names, max_gap=max_gap)
        return display.plot(ax, **line_options)

    @classmethod
    def from_selection(
        cls,
        selection: "FeatureSelection",
        *,
        max_gap: int = 2,
        ax: "Axes | None" = None,
        **line_options: Any,
    ) -> Self:
        """Draw what `select_features` found over the class means, as the method saw them.

        Parameters
        ----------
        selection : FeatureSelection
            What :func:`~centroidal.model_selection.select_features` returned.
        max_gap : int, default=2
            How many features that are not selected may lie between two of the same band.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        **line_options
            Passed to ``Axes.plot``.
        """
        names = selection.feature_names
        support = np.isin(np.arange(names.size), selection.selected)
        display = cls(
            selection.centers, support, selection.classes, feature_names=names, max_gap=max_gap
        )
        return display.plot(ax, **line_options)

    def _new_axes(self):
        return super()._new_axes(figsize=(8.0, 4.0))

    def _draw(self, ax, **line_options):
        places = None if self.feature_names is None else feature_axis(self.feature_names)
        is_numbered = places is None
        places = np.arange(self.support.size, dtype=float) if is_numbered else places
        edges = np.concatenate([places[:1], (places[1:] + places[:-1]) / 2, places[-1:]])
        self.spans_ = [
            ax.axvspan(edges[band[0]], edges[band[-1] + 1], **_BAND_STYLE)
            for band in find_bands(np.flatnonzero(self.support), self.max_gap)
        ]
        if self.spans_:
            self.spans_[0].set_label("selected")
        options = {"linewidth": 1.2} | line_options
        self.lines_ = [
            ax.plot(places, center, label=str(label), **options)[0]
            for label, center in zip(self.classes.tolist(), self.centers, strict=True)
        ]
        ax.set(
            xlim=(places[0], places[-1]),
            xlabel="column" if is_numbered else "feature",
            ylabel="class mean",
        )
        ax.legend(loc="best")
        self._keep(ax)
