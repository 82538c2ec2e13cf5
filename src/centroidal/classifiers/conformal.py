"""Calibrated probabilities, and no call where none or several classes are credible."""

from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags

from .. import _state as state
from .._data import (
    Features,
    as_frame,
    available_if,
    check_as_given,
    check_fitted,
    check_labelled,
    check_rows,
    row_by_row,
    rows_of,
)
from .._model_html import ModelHTMLMixin
from .._parameters import check_parameters, check_probabilities, check_share
from .._typing import Array, ArrayLike, Estimator, Floats, Folds, Ints, Mask
from ..solvers.background import Background
from ..solvers.calibration import temper
from ..solvers.conformal import Calibration, HeldOut, p_values
from ..solvers.outliers import ClassReference, Training

__all__ = ["ConformalClassifier"]

_N_FOLDS = 5


def _inside(name):
    """Return a check whether the classifier inside has something."""
    return lambda model: hasattr(getattr(model, "estimator_", model.estimator), name)


def _class_labels(estimator):
    return estimator.classes_


class SelectionRecord(NamedTuple):
    """What the selection that made a model found: in words, the curve, the features by rank."""

    summary: str
    scoring: str
    n_features: np.ndarray
    mean_test_score: np.ndarray
    ranking: np.ndarray
    gains: np.ndarray

    _state = {
        "summary": state.words,
        "scoring": state.words,
        "n_features": state.positions("sizes", below=lambda sizes: sizes["features"] + 1),
        "mean_test_score": state.floats("sizes", nan=True, infinite=True),
        "ranking": state.positions("selected", below="features"),
        "gains": state.floats("selected", nan=True, infinite=True),
    }


class ConformalClassifier(MetaEstimatorMixin, ModelHTMLMixin, ClassifierMixin, BaseEstimator):
    r"""Classifier that knows how sure it is, and when it had better not say anything.

    Each sample is predicted by a copy of a classifier that has not seen it. By these predictions
    the probabilities are calibrated, and by them it is known how unusual samples of each class are:
    a class is credible for a new sample as long as enough of its own samples are at least as
    unusual (conformal prediction, for each class by itself: :cite:t:`Vovk2005`).

    Parameters
    ----------
    estimator : classifier
        Any classifier with ``predict_proba``; it is cloned.
    cv : int, splitter or None, default=None
        How samples are held out; each must be tested once. An int is a number of stratified folds,
        None is 5, or as many as the rarest class has samples.

    Attributes
    ----------
    estimator_ : classifier
        The classifier, fitted to all samples.
    columns_ : ndarray of int, shape (n_read,)
        Features that it reads, by which outliers are known.
    reference_ : ClassReference
        Centers of the classes and spreads of the features inside them, in these columns.
    background_ : Background or None
        Means, spreads and leading principal directions of the training samples in up to 1,000
        evenly spaced features, read or not, by which noise is known.
    calibration_ : Calibration
        What samples taught when they were held out: ``temperature``, by which logarithms of
        probabilities are divided, above 1 if the classifier is too sure; ``usual``, the distance of
        the median sample from the center of its class and the size of its row; and of each sample
        the number of its class, ``codes``, the negative logarithm of its calibrated probability,
        ``scores``, and by what factor it is farther from the center, or larger or smaller, than
        usual, ``outlyingness``; in ``background`` the same with what a background adds.
    selection_ : SelectionRecord
        Of a model that :func:`~centroidal.model_selection.select_features` made alone: what was
        found, as notebooks show it. ``summary`` is the answer with its nested score in words,
        ``mean_test_score`` by ``scoring`` is that of each number in ``n_features``, and ``ranking``
        holds the selected features, the best first, with their ``gains``.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    centroidal.model_selection.select_features : Its models are calibrated in this way.
    centroidal.io.predict_table : Takes ``no_call``, and pipelines that end in this classifier.

    Notes
    -----
    **What is promised.** Of each class at most a share of `no_call` of the new samples has a set of
    credible classes without their own, on average over training sets, if new samples are
    exchangeable with those of training. Classes with too few samples to be excluded by themselves,
    ``1 / no_call - 1`` or a few more, are judged together, and the promise is for them together.
    The final model has seen more samples than the copies that were asked; this is why the promise
    is not a theorem here, and why it mostly keeps more than it says.

    **Outliers.** Half of `no_call`, but at least one sample's share, is for what no class has:
    samples that are farther from the center of a class, or whose row is larger or smaller, than all
    but that share of the training samples, in the columns that the classifier reads; or of which
    the directions of the background explain less, or that are larger or smaller there. Noise that
    is independent from feature to feature is hardly explained by any direction. Factors of the
    background are raised to powers, so that the mean logarithm of held-out samples is half that of
    the others, and the largest factor counts. Missing values count as the mean.

    **Groups.** Give ``groups`` to `fit`, so that copies have not seen the group of a sample. Groups
    are then what is exchangeable, and the promise is for samples of new groups, on average over
    groups of equal size; with few groups it varies much.

    **Where we differ** from the book: p-values are not smoothed at random, and the outlier test
    takes its part of the level.

    Examples
    --------
    >>> import numpy as np
    >>> from centroidal import ConformalClassifier, SparseCenterClassifier
    >>> from centroidal.datasets import load_expression
    >>> X, y = load_expression(return_X_y=True)
    >>> model = ConformalClassifier(SparseCenterClassifier(20, scale="within")).fit(X, y)
    >>> bool(model.calibration_.temperature > 1.0)
    True
    >>> model.predict_set(np.vstack([X[1:2], 0.0 * X[:1], 10.0 * X[:1]]), no_call=0.05).sum(axis=1)
    array([1, 0, 0])
    """

    classes_: Array
    n_features_in_: int
    feature_names_in_: Array
    estimator_: Any
    columns_: Ints
    reference_: ClassReference
    calibration_: Calibration
    selection_: SelectionRecord
    background_: Background | None = None  # in files that do not know of it

    _state = state.LABELLED | {
        "estimator_": state.estimator,
        "columns_": state.positions("read", below="features"),
        "reference_": state.part(ClassReference, read="read"),
        "background_": state.newer(state.optional(state.part(Background))),
        "calibration_": state.part(Calibration),
        "selection_": state.newer(state.part(SelectionRecord)),
    }

    _checks = {"estimator": check_probabilities}

    def __init__(self, estimator: Estimator, *, cv: Folds | None = None) -> None:
        self.estimator = estimator
        self.cv = cv

    @classmethod
    def of_fitted(cls, model: Any, training: Training, calibration: Calibration) -> Self:
        """Return a fitted model with what its training samples, and held-out ones, taught."""
        found = cls(clone(model))
        return found._keep(model, Features.of(model), model.classes_, training, calibration)

    def fit(self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Fit the classifier, and copies of it to the samples without each fold.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        groups : array-like of shape (n_samples,), default=None
            What samples belong together, for splitters that keep groups whole.
        """
        check_parameters(self)
        data = check_labelled(self, X, y)
        given = data.X if as_frame(X) is None else X
        labels = data.classes[data.codes]
        parts = [
            self._hold_out(given, data, labels, train, test)
            for train, test in self._folds(data, labels, groups)
        ]
        model = clone(self.estimator).fit(given, labels)
        training = _describe(model, data, np.arange(data.codes.size))
        calibration = Calibration.of([HeldOut.join(parts)])
        return self._keep(model, data.features, data.classes, training, calibration)

    def _folds(self, data, labels, groups):
        """List training and test samples; raise unless each sample is tested once."""
        rarest = int(np.bincount(data.codes).min())
        if rarest < 2:
            raise ValueError(
                f"{type(self).__name__} needs two samples of each class, one to be held out; y has "
                f"a class with {rarest} sample."
            )
        cv = min(_N_FOLDS, rarest) if self.cv is None else self.cv
        folds = list(check_cv(cv, labels, classifier=True).split(data.X, labels, groups))
        tested = np.sort(np.concatenate([test for _, test in folds]))
        if not np.array_equal(tested, np.arange(data.codes.size)):
            raise ValueError(f"cv={self.cv!r} must test each sample once.")
        return folds

    def _hold_out(self, given, data, labels, train, test):
        model = clone(self.estimator).fit(rows_of(given, train), labels[train])
        if model.classes_.size < data.classes.size:
            raise ValueError(f"cv={self.cv!r} must leave samples of each class to train on.")
        probabilities = model.predict_proba(rows_of(given, test))
        measured = _describe(model, data, train).measure(data.X, test)
        return HeldOut(probabilities, data.codes[test], *measured)

    def _keep(self, model, features, classes, training, calibration):
        features.keep(self)
        self.estimator_ = model
        self.classes_ = classes
        self.columns_ = training.columns
        self.reference_ = training.reference
        self.background_ = None if calibration.background is None else training.background
        self.calibration_ = calibration
        vars(self).pop("selection_", None)  # which was about other samples
        return self

    def _check_relations(self, sizes):
        if (self.background_ is None) != (self.calibration_.background is None):
            raise state.StateError("has a background that nothing is known of", "background_")

    @row_by_row(_class_labels)
    def predict(self, X: ArrayLike) -> Array:
        """Predict the class, as the classifier inside does.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        check_fitted(self)
        return self.estimator_.predict(check_as_given(self, X))

    @available_if(_inside("decision_function"))
    @row_by_row(_class_labels)
    def decision_function(self, X: ArrayLike) -> Floats:
        """Compute how strongly each sample belongs to each class, as the classifier inside does.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes one number, else one for each class.
        """
        check_fitted(self)
        return self.estimator_.decision_function(check_as_given(self, X))

    @row_by_row(_class_labels)
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return calibrated probabilities of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`. The largest is that of the predicted class.
        """
        return temper(self._raw_probabilities(X), self.calibration_.temperature)

    def _raw_probabilities(self, X):
        check_fitted(self)
        return self.estimator_.predict_proba(check_as_given(self, X))

    def nonconformity(self, X: ArrayLike) -> tuple[Floats, Floats]:
        """Return how unusual each sample would be in each class.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes)
            Negative logarithms of the calibrated probabilities.
        outlyingness : ndarray of shape (n_samples, n_classes)
            By what factor it is farther from the center of the class, or its row larger or smaller,
            or less of it is explained by the background, than usual; at least 1.
        """
        return self.calibration_.nonconformity(self._measure(X))

    def _measure(self, X):
        """Return all that is asked of new samples."""
        probabilities = self._raw_probabilities(X)
        return HeldOut(probabilities, None, *self._place(X))

    def _place(self, X):
        """Return distances from the classes, sizes of the rows, and measures of the background."""
        seen = () if self.background_ is None else self.background_.columns
        columns = np.union1d(self.columns_, seen).astype(np.int64)
        values, places = check_rows(self, X, columns)
        own = places[np.searchsorted(columns, self.columns_)]
        measured = self.reference_.measure(values[:, own])
        if self.background_ is None:
            return *measured, None
        seen = places[np.searchsorted(columns, seen)]
        return *measured, self.background_.measure(values[:, seen])

    def without_background(self, columns: ArrayLike | None = None) -> Self:
        """Return a model that judges samples by the features that the classifier reads alone.

        Parameters
        ----------
        columns : array-like of int, default=None
            Columns without which to look at the background; so does a model of which nine in ten
            columns of the background are left. None leaves it out as a whole.

        Returns
        -------
        ConformalClassifier
            The same model, with the evidence of held-out samples for that case.
        """
        check_fitted(self)
        found = copy(self)
        if self.background_ is not None and columns is not None:
            found.background_ = self.background_.without(columns)
        else:
            found.background_ = None
        if found.background_ is None:
            found.calibration_ = self.calibration_._replace(background=None)
        return found

    def is_unlike(self, X: ArrayLike) -> Mask:
        """Say which samples are farther from all classes, or larger or smaller, than 99 in 100.

        In the features that the classifier reads, which all samples have.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            Whether each is. If many are, they lie on another scale than those of training.
        """
        check_fitted(self)
        distances, sizes, _ = self.without_background()._place(X)
        nearest = self.calibration_.usual.outlyingness(distances, sizes).min(axis=1)
        return nearest > np.quantile(self.calibration_.outlyingness, 0.99)

    def p_values(self, X: ArrayLike) -> Floats:
        """Return the p-value of each class, by its own samples and by probabilities alone.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Share of the training samples of a class, the sample itself among them, whose class was
            no more probable when they were held out.
        """
        scores, _ = self.nonconformity(X)
        return p_values(scores, self.calibration_.scores, self.calibration_.codes)

    def thresholds(self, no_call: float = 0.05) -> tuple[Floats, float]:
        """Return what `nonconformity` may be at most, so that a class is credible.

        Parameters
        ----------
        no_call : float, default=0.05
            Share of the samples of a class that may be without it.

        Returns
        -------
        scores : ndarray of shape (n_classes,)
            For each class; infinite if there are too few samples to exclude it.
        outlyingness : float
            For all classes.
        """
        check_fitted(self)
        check_share("no_call", no_call)
        return self.calibration_.thresholds(self.classes_.size, no_call)

    def predict_set(self, X: ArrayLike, no_call: float = 0.05) -> Mask:
        """Say which classes are credible.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.
        no_call : float, default=0.05
            Share of the samples of a class that may be without it.

        Returns
        -------
        ndarray of bool, shape (n_samples, n_classes)
            Whether each class is. Where none is, a sample resembles no class; where several are,
            it cannot be told which one it is of.
        """
        check_share("no_call", no_call)
        return self.calibration_.credible(self._measure(X), no_call)

    def get_support(self, indices: bool = False) -> Array:
        """Say which features the classifier inside reads.

        Parameters
        ----------
        indices : bool, default=False
            Whether to return numbers of columns, and not a mask.

        Returns
        -------
        ndarray
            A mask of the features, or numbers of columns.
        """
        check_fitted(self)
        if indices:
            return self.columns_
        return np.isin(np.arange(self.n_features_in_), self.columns_)

    @available_if(_inside("get_feature_names_out"))
    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Return the names of the features that the classifier inside has selected, if it does.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of all features, where the classifier knows none.

        Returns
        -------
        ndarray of str
            Names.
        """
        return self.estimator_.get_feature_names_out(input_features)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags


def _describe(model, data, rows):
    """Describe the samples in some rows, in the columns that a model reads and in others."""
    columns = np.arange(data.features.number)
    # Where features are mixed before they are selected, all of them are read.
    if hasattr(model, "get_support") and getattr(model, "metric", None) != "mahalanobis":
        columns = model.get_support(indices=True)
    return Training.of(data, rows, columns)
