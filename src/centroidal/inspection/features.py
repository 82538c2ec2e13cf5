"""Features that speak for a class, features selected again and again, samples in a subspace."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse import issparse

from .._optional import require
from .._parameters import check_count
from .._sparse import check_sparse_structure
from .._typing import ArrayLike, Estimator
from .display import Display, check_has, check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FeatureGroupsDisplay", "StabilityDisplay", "SubspaceDisplay"]

_DEVIATION = "mean minus mean of classes"
_SMALLEST_NAME, _LARGEST_NAME = 5.0, 9.5  # in points
_INSET = 0.06  # of a cell, between it and its outline, so that outlines do not touch
_BAR_INCHES = 0.22  # of height that a bar with its name needs
_BINS = 30
_NAME_SHARE = 0.8  # of the height of a bar that its name may take


class FeatureGroupsDisplay(Display):
    """Class means of the features that speak for a class, with the group of each class outlined.

    A row is a class and a column a feature. The colour says how far the class mean lies from the
    mean over the classes. Features stand with the class they belong to, best first. It is
    recommended to use `from_estimator`.

    Parameters
    ----------
    deviations : array-like of shape (n_classes, n_shown)
        Class means minus their mean over the classes; a row of NaN for a class without samples.
    groups : array-like of bool, shape (n_classes, n_shown)
        Which features each class has.
    classes : array-like of shape (n_classes,)
        Class labels.
    columns, feature_names : array-like of shape (n_shown,)
        Which features are shown, from left to right, and their names, None for `columns`.
    value_name : str, default="mean minus mean of classes"
        Label of the colour bar.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where the picture is.
    image_ : matplotlib AxesImage
        The heat map.
    outlines_ : list of list of matplotlib Rectangle
        For each class, the outlines of its features, one for each run of neighbours.
    colorbar_ : matplotlib Colorbar or None
        What the colours mean.

    Notes
    -----
    A feature can speak for a class because it is steady there and varies elsewhere. Such a feature
    is pale where it is outlined, and can be pale in all rows if the class means are equal: the
    outlines say what the classifier uses, the colours only where the means are.

    Examples
    --------
    >>> from centroidal import DisjointCentroidClassifier
    >>> from centroidal.datasets import make_feature_blocks
    >>> from centroidal.inspection import FeatureGroupsDisplay
    >>> made = make_feature_blocks(400, random_state=0)
    >>> model = DisjointCentroidClassifier("margin").fit(made.data, made.target)
    >>> display = FeatureGroupsDisplay.from_estimator(model, n_features_per_class=2)
    >>> made.feature_class[display.columns].tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    """

    def __init__(
        self,
        deviations: ArrayLike,
        groups: ArrayLike,
        classes: ArrayLike,
        columns: ArrayLike,
        *,
        feature_names: ArrayLike | None = None,
        value_name: str = _DEVIATION,
    ) -> None:
        self.deviations = np.asarray(deviations)
        self.groups = np.asarray(groups)
        self.classes = np.asarray(classes)
        self.columns = np.asarray(columns)
        self.feature_names = None if feature_names is None else np.asarray(feature_names)
        self.value_name = value_name

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        *,
        n_features_per_class: int | None = 10,
        feature_names: ArrayLike | None = None,
        ax: "Axes | None" = None,
        colorbar: bool = True,
        **image_options: Any,
    ) -> Self:
        """Draw the groups of a fitted estimator.

        Deviations are divided by `feature_scale_`, the unit in which the classifier measures: so a
        strong colour is one that counts, and colours of two columns can be compared. If the
        estimator does not scale, they are in the units of the data.

        Parameters
        ----------
        estimator : DisjointCentroidClassifier or DisjointCentroidClassifierCV
            Fitted.
        n_features_per_class : int or None, default=10
            At most so many features are chosen from the group of each class: those at which the
            means of the other classes are furthest away, by the mean of the squared differences,
            in units of `feature_scale_`. None shows all that any class has. A feature that several
            classes have is shown once, with the class that it sets apart most, and is outlined for
            all of them.
        feature_names : array-like of shape (n_features,), default=None
            Names of all features. None takes `feature_names_in_` or, failing that, the columns.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if None.
        colorbar : bool, default=True
            Whether to draw a colour bar.
        **image_options
            Passed to ``Axes.imshow``, such as ``vmin`` and ``vmax``.
        """
        check_has(estimator, "groups_", "DisjointCentroidClassifier")
        groups, centers = estimator.groups_, estimator.centers_
        if n_features_per_class is None:
            n_features_per_class = groups.shape[1]
        check_count("n_features_per_class", n_features_per_class)
        names = check_names(feature_names, estimator)

        deviations = (centers - np.nanmean(centers, axis=0)) / estimator.feature_scale_
        columns = _best_columns(groups, _separations(deviations), n_features_per_class)
        display = cls(
            deviations[:, columns],
            groups[:, columns],
            estimator.classes_,
            columns,
            feature_names=None if names is None else names[columns],
            value_name=_DEVIATION + "\nin standard deviations" * (estimator.scale is not None),
        )
        return display.plot(ax, colorbar=colorbar, **image_options)

    def _new_axes(self):
        n_classes, n_columns = self.groups.shape
        longest = max(map(len, self._column_names()))
        height = np.clip(0.5 * n_classes, 1.8, 8.0) + np.clip(0.08 * longest, 0.2, 2.5) + 0.5
        return super()._new_axes(figsize=(np.clip(2.5 + 0.25 * n_columns, 5.0, 14.0), height))

    def _draw(self, ax, *, colorbar=True, **image_options):
        limit = np.nanmax(np.abs(self.deviations), initial=0.0) or 1.0
        style = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit, "aspect": "auto"}
        self.image_ = ax.imshow(self.deviations, **style | image_options)
        ax.set_facecolor("0.85")  # shows where there is no value
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
        room = _room(ax, *self.groups.shape)
        self._name_classes(ax, room[0])
        self._name_features(ax, room[1])
        self._draw_outlines(ax, room[0])
        self.colorbar_ = None
        if colorbar:
            self.colorbar_ = ax.figure.colorbar(self.image_, ax=ax, label=self.value_name)
        self._keep(ax)

    def _column_names(self):
        names = self.columns if self.feature_names is None else self.feature_names
        return [str(name) for name in names]

    def _name_classes(self, ax, room):
        is_unseen = np.isnan(self.deviations).all(axis=1)
        names = [
            f"{label}\n(no samples)" if unseen else str(label)
            for label, unseen in zip(self.classes.tolist(), is_unseen, strict=True)
        ]
        size = _name_size(room)
        if size is None:
            ax.set(yticks=[], ylabel=f"{len(names)} classes")
        else:
            ax.set_yticks(range(len(names)), names, fontsize=size)

    def _name_features(self, ax, room):
        """Name the columns, upright unless there is room for the names side by side."""
        names, size = self._column_names(), _name_size(room)
        if size is None:
            ax.set(xticks=[], xlabel=f"{len(names)} features, by class")
        else:
            is_upright = 0.65 * size * max(map(len, names)) > 0.9 * room
            ax.set_xticks(range(len(names)), names, rotation=90.0 * is_upright, fontsize=size)
            ax.set_xlabel("column" if self.feature_names is None else "feature")

    def _draw_outlines(self, ax, room):
        rectangle = require("matplotlib.patches", "plot", "drawing outlines").Rectangle
        n_classes, n_columns = self.groups.shape
        ends = np.arange(1, n_classes) - 0.5
        ax.hlines(ends, -0.5, n_columns - 0.5, color="white", linewidth=min(3.0, 0.1 * room))
        style = {"fill": False, "edgecolor": "black", "linewidth": min(2.0, 0.1 * room)}
        self.outlines_ = [
            [ax.add_patch(rectangle(*box, **style)) for box in _boxes(row, has_feature)]
            for row, has_feature in enumerate(self.groups)
        ]


class StabilityDisplay(Display):
    """Selection frequencies of the most frequent features, and how stable the selection is.

    A bar is a feature, the most frequent one on top; those that are kept are coloured. It is
    recommended to use `from_estimator`.

    Parameters
    ----------
    frequencies : array-like of shape (n_shown,)
        Share of the resamples in which each feature was selected, from top to bottom.
    support : array-like of bool, shape (n_shown,)
        Which of them are kept.
    columns, feature_names : array-like of shape (n_shown,)
        Which features are shown, and their names, None for `columns`.
    threshold : float or None, default=None
        Frequency from which on features are kept; None draws no line.
    stability, interval : float, tuple of (float, float), default=None
        Index of stability, for the title, and its 95 % confidence interval, each unless None.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where the picture is.
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
        frequencies: ArrayLike,
        support: ArrayLike,
        columns: ArrayLike,
        *,
        feature_names: ArrayLike | None = None,
        threshold: float | None = None,
        stability: float | None = None,
        interval: tuple[float, float] | None = None,
    ) -> None:
        self.frequencies = np.asarray(frequencies)
        self.support = np.asarray(support, dtype=bool)
        self.columns = np.asarray(columns)
        self.feature_names = None if feature_names is None else np.asarray(feature_names)
        self.threshold = threshold
        self.stability = stability
        self.interval = interval

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        *,
        n_features: int = 20,
        feature_names: ArrayLike | None = None,
        ax: "Axes | None" = None,
        **bar_options: Any,
    ) -> Self:
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
        """
        check_has(estimator, "selection_frequencies_", "StabilitySelector")
        check_count("n_features", n_features)
        names = check_names(feature_names, estimator)
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

    def _new_axes(self):
        return super()._new_axes(figsize=(6.4, 1.4 + _BAR_INCHES * self.frequencies.size))

    def _draw(self, ax, **bar_options):
        n_bars = self.frequencies.size
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
        self._keep(ax)

    def _labels(self):
        """Label the first bar of each colour, for the legend."""
        labels = np.full(self.support.size, "_", dtype=object)
        labels[np.flatnonzero(self.support)[:1]] = "kept"
        labels[np.flatnonzero(~self.support)[:1]] = "not kept"
        return labels.tolist()

    def _stability_text(self):
        text = f"stability {self.stability:.2f}"
        if self.interval is None:
            return text
        low, high = self.interval
        return f"{text} (95 % interval {low:.2f} to {high:.2f})"


class SubspaceDisplay(Display):
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

    def __init__(
        self, coordinates: ArrayLike, y: ArrayLike, *, threshold: float | None = None
    ) -> None:
        self.coordinates = np.asarray(coordinates)
        self.y = np.asarray(y)
        self.threshold = threshold

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: ArrayLike,
        y: ArrayLike,
        *,
        ax: "Axes | None" = None,
        **options: Any,
    ) -> Self:
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
        """
        check_has(estimator, "axes_", "FisherSubspace")
        if estimator.axes_.shape[1] == 0:
            raise ValueError("estimator has no Fisher axis: all class means are equal.")
        check_sparse_structure(X)
        X = X if issparse(X) else np.asarray(X)
        coordinates = X @ estimator.axes_ - estimator.mean_ @ estimator.axes_
        display = cls(coordinates, y, threshold=getattr(estimator, "threshold_", None))
        return display.plot(ax, **options)

    def _draw(self, ax, **options):
        draw = self._draw_histograms if self.coordinates.shape[1] == 1 else self._draw_points
        self.threshold_line_ = None
        self.artists_ = draw(ax, options)
        ax.set_xlabel("Fisher axis 1")
        ax.legend(loc="best")
        self._keep(ax)

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


def _room(ax, *shape):
    """Height of a row and width of a column, in points."""
    sizes = np.array([ax.bbox.height, ax.bbox.width])
    return 72.0 * sizes / ax.figure.dpi / shape


def _name_size(room):
    """Size of names that have so much room, in points; None if they could not be read."""
    size = min(_LARGEST_NAME, 0.75 * room)
    return size if size >= _SMALLEST_NAME else None


def _separations(deviations):
    """Mean over the other classes of the squared difference to each class."""
    n_seen = np.count_nonzero(~np.isnan(deviations).any(axis=1))
    squares = np.nan_to_num(deviations) ** 2
    # Deviations add up to zero, so the products of two classes cancel.
    return (squares.sum(axis=0) + n_seen * squares) / max(n_seen - 1, 1)


def _best_columns(groups, separations, n_per_class):
    """Choose the best features of each class, and put them in the order of their best class."""
    scores = np.where(groups, separations, -1.0)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :n_per_class]
    is_chosen = np.zeros(groups.shape, dtype=bool)
    np.put_along_axis(is_chosen, best, True, axis=1)
    columns = np.flatnonzero((is_chosen & groups).any(axis=0))
    homes = scores[:, columns].argmax(axis=0)
    # Features that the same classes have stand together, which keeps outlines in one piece.
    return columns[np.lexsort([-scores[:, columns].max(axis=0), *groups[:, columns], homes])]


def _boxes(row, has_feature):
    """Corner, width and height of the outline of each run of features that a class has."""
    changes = np.flatnonzero(np.diff(has_feature.astype(int), prepend=0, append=0))
    left = min(_INSET, 0.003 * has_feature.size)  # few columns are wide
    return [
        ((start - 0.5 + left, row - 0.5 + _INSET), end - start - 2.0 * left, 1.0 - 2.0 * _INSET)
        for start, end in changes.reshape(-1, 2)
    ]
