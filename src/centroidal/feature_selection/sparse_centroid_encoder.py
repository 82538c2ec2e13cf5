"""Features by a sparse centroid-encoder; network and training in _encoder.py."""

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from .. import _state as state
from .._data import check_finite, check_fitted, check_labelled, check_moments, check_rows
from .._optional import require
from .._parameters import (
    check_choice,
    check_layer_sizes,
    check_n_features_to_select,
    check_parameters,
    check_selector,
    choice,
)
from .._progress import ProgressMixin, with_callbacks
from .._typing import Array, ArrayLike, EncoderTraining, Estimator, Floats, NFeatures, RandomState
from ..solvers.ranking import rank_features
from ..solvers.sparse_centers import feature_scale
from ..statistics import class_moments
from ._ranked_selector import RankedSelector, elbow

__all__ = ["SparseCentroidEncoder"]

_EPOCHS = {"joint": 125, "alternating": 200}


class SparseCentroidEncoder(ProgressMixin, RankedSelector):
    r"""Select features by a network that maps samples to the means of their classes (SCE).

    A centroid-encoder is a neural network f that maps each sample near the mean of its class. Here
    each feature first passes a weight of its own, and an l1 penalty on these weights w switches
    most features off (section 3.3 of :cite:t:`XiaSuKong`, after :cite:t:`Ghosh2023b`):

    .. math::

        \min_{w, f} \; \frac{1}{n m} \sum_{i=1}^n \lVert c_{y_i} - f(w \odot z_i) \rVert_2^2
        + \alpha \lVert w \rVert_1,

    where :math:`z_i` are the n standardised samples of m features and :math:`c_y` their class
    means. The score of a feature is :math:`|w_j|`. Needs PyTorch:
    ``pip install 'centroidal[neural]'``.

    Parameters
    ----------
    n_features_to_select : "elbow", int, float or None, default="elbow"
        How many features to keep: up to the elbow of the sorted scores
        (:func:`centroidal.feature_selection.elbow`), a number, a fraction of all features, or None
        for those whose weight is not zero.
    alpha : float, default=0.0002
        Strength of the penalty.
    hidden_layer_sizes : int or sequence of int, default=(100,)
        Units of each hidden layer; they have tanh activations.
    training : {"joint", "alternating"}, default="joint"
        "joint": all layers and the weights of the features at the same time, Algorithm 3.
        "alternating": ten epochs for the layers, ten for the weights, and so on (AO-SCE, section
        3.3.1).
    prefilter : selector or None, default=None
        Selector that is fitted first; the network sees only what it keeps, all other features have
        score 0. ``ReliefFSelector(1000)`` makes it RSCE (section 3.3.2). If it asks for more
        features than there are, all are kept.
    max_epochs : int or None, default=None
        Passes over the samples with the penalty. None is 125 for "joint" and 200 for "alternating".
    pretraining_epochs : int, default=10
        Passes for each hidden layer before, and then for all layers together without penalty.
    learning_rate : float, default=0.01
        Step size of Adam.
    batch_size : int or None, default=None
        Samples of a step; None takes all.
    validation_fraction : float or None, default=None
        Share of the samples that are held out, from each class, to stop early: training ends after
        `patience` epochs in which their error has not fallen, and returns to the best epoch. None
        uses all samples in all epochs.
    patience : int, default=20
        Epochs to wait for a smaller error of the samples held out.
    device : str, default="cpu"
        Where PyTorch trains, such as "cpu" or "cuda".
    n_jobs : int or None, default=None
        Threads of PyTorch; None is one. The result for a `random_state` is always the same with
        one thread; more of them add numbers in another order, and training magnifies that.
    random_state : int, RandomState instance or None, default=None
        Seed of the first weights, the batches and the samples held out.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Absolute weights of the features.
    coef_ : ndarray of shape (n_features,)
        Weights w.
    feature_ranking_ : ndarray of shape (n_features,)
        Columns by decreasing score; weights of zero by how much the error would fall with them,
        and features that the prefilter dropped last.
    support_, n_features_to_select_ : ndarray of shape (n_features,), int
        Mask of the selected features, and their number.
    layer_weights_, layer_biases_ : list of ndarray
        Hidden layers and then the output; weights have a row an input.
    objective_ : float
        Value of the problem at the end.
    objectives_ : ndarray
        Value when each epoch with the penalty began; with batches a mean over them.
    n_iter_ : int
        Number of epochs with the penalty.
    prefilter_ : selector or None
        Fitted `prefilter`.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    mean_, feature_scale_ : ndarray of shape (n_features,)
        What was subtracted from each feature, and what it was divided by.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they are all strings.

    See Also
    --------
    LinearCentroidEncoder : The linear one, without PyTorch.
    L21CentroidSelector : A convex problem, solved with a certificate.

    Notes
    -----
    **Where we differ** from the paper: proximal steps, which make weights exactly zero; the error
    is a mean over all entries, so that `alpha` does not depend on the number of features; sample
    weights; sparse samples stay sparse.

    The penalty has no minimum, so the number of epochs decides how far weights fall; their size is
    a ranking and no more. Different seeds keep different features where many would do: compare
    several before believing in one, or take :class:`L21CentroidSelector`. Reasons and costs are in
    :doc:`/mathematics/sparse_centroid_encoder`.

    The samples held out by `validation_fraction` are seen by the `prefilter`.

    Examples
    --------
    >>> from centroidal.datasets import load_expression
    >>> from centroidal import ReliefFSelector, SparseCentroidEncoder
    >>> X, y = load_expression(return_X_y=True)
    >>> encoder = SparseCentroidEncoder(20, prefilter=ReliefFSelector(200), random_state=0)
    >>> encoder.fit_transform(X, y).shape
    (120, 20)
    >>> encoder.embed(X).shape
    (120, 100)
    """

    coef_: Floats
    layer_weights_: list[Floats]
    layer_biases_: list[Floats]
    objective_: float
    objectives_: Floats
    n_iter_: int
    classes_: Array
    prefilter_: Any | None
    mean_: Floats
    feature_scale_: Floats

    _state = {
        "coef_": state.floats("features"),
        "layer_weights_": state.sequence(state.floats("inputs", "outputs")),
        "layer_biases_": state.sequence(state.floats("outputs")),
        "objective_": state.number(),
        "objectives_": state.floats("epochs"),
        "n_iter_": state.count(),
        "classes_": state.labels("classes"),
        "prefilter_": state.optional(state.estimator),
        "mean_": state.floats("features"),
        "feature_scale_": state.divisors("features"),
    }

    _checks = {"training": choice(EncoderTraining)}

    def __init__(
        self,
        n_features_to_select: Literal["elbow"] | NFeatures = "elbow",
        *,
        alpha: float = 2e-4,
        hidden_layer_sizes: int | Sequence[int] = (100,),
        training: EncoderTraining = "joint",
        prefilter: Estimator | None = None,
        max_epochs: int | None = None,
        pretraining_epochs: int = 10,
        learning_rate: float = 0.01,
        batch_size: int | None = None,
        validation_fraction: float | None = None,
        patience: int = 20,
        device: str = "cpu",
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.hidden_layer_sizes = hidden_layer_sizes
        self.training = training
        self.prefilter = prefilter
        self.max_epochs = max_epochs
        self.pretraining_epochs = pretraining_epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the network and rank the features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; without batches an integer weight is the same as so many copies.
        """
        hidden_sizes = self._check_parameters(sample_weight)
        self._check_device()
        data = check_labelled(self, X, y, sample_weight)
        n_features = data.features.number
        if not self._keeps_elbow:
            check_n_features_to_select(self.n_features_to_select, n_features)
        rng = check_random_state(self.random_state)

        prefilter = self._fit_prefilter(X, y, sample_weight, n_features)
        seen = _input_columns(prefilter, n_features)
        if seen.size == 0:
            raise ValueError(f"prefilter={prefilter!r} must keep at least one feature.")
        training, held_out = self._split(data._replace(X=data.X[:, seen]), rng)
        standards = self._standards(training)
        found, objectives = self._train(training, held_out, standards, hidden_sizes, rng)

        if not found.feature_weights.any():
            warnings.warn(
                f"All weights became zero: alpha={self.alpha} is too large for this network, or no "
                "feature varies. They are ranked by how much the error would fall with them.",
                stacklevel=2,
            )
        coef = _put(found.feature_weights, seen, np.zeros(n_features))
        pulls = _put(np.abs(found.gradient), seen, np.full(n_features, -1.0))
        self._keep_ranking(data.features, np.abs(coef), order=rank_features(pulls))
        self.coef_ = coef
        self.layer_weights_, self.layer_biases_ = found.layer_weights, found.layer_biases
        self.objective_, self.objectives_ = found.objective, np.array(objectives)
        self.n_iter_ = len(objectives)
        self.classes_ = data.classes
        self.prefilter_ = prefilter
        self.mean_ = _put(standards.mean, seen, np.zeros(n_features))
        self.feature_scale_ = _put(standards.divisors, seen, np.ones(n_features))
        return self

    def embed(self, X: ArrayLike) -> Floats:
        """Return what the last hidden layer makes of samples; PyTorch is not needed.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. Only features whose weight is not zero are read.

        Returns
        -------
        ndarray of shape (n_samples, n_units)
            Learned representation.
        """
        check_fitted(self)
        seen = _input_columns(self.prefilter_, self.n_features_in_)
        is_used = self.coef_[seen] != 0.0
        used = seen[is_used]
        X, columns = check_rows(self, X, used)
        values = X[:, columns]
        check_finite(self, values)
        loadings = (self.coef_ / self.feature_scale_)[used, None] * self.layer_weights_[0][is_used]
        state = np.tanh(values @ loadings - self.mean_[used] @ loadings + self.layer_biases_[0])
        for weights, biases in zip(
            self.layer_weights_[1:-1], self.layer_biases_[1:-1], strict=True
        ):
            state = np.tanh(state @ weights + biases)
        return state

    @property
    def _keeps_elbow(self):
        return isinstance(self.n_features_to_select, str)

    def _check_parameters(self, sample_weight):
        check_parameters(self)
        if self._keeps_elbow:
            check_choice("n_features_to_select", self.n_features_to_select, ("elbow",))
        if self.prefilter is not None:
            check_selector("prefilter", self.prefilter, sample_weight)
        return check_layer_sizes(self.hidden_layer_sizes)

    def _check_device(self):
        require("torch", "neural", "SparseCentroidEncoder.fit")
        from ._encoder import check_device

        check_device(self.device)

    def _fit_prefilter(self, X, y, sample_weight, n_features):
        if self.prefilter is None:
            return None
        prefilter = clone(self.prefilter)
        asked = prefilter.get_params().get("n_features_to_select")
        if isinstance(asked, Integral) and asked > n_features:
            prefilter.set_params(n_features_to_select=n_features)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return prefilter.fit(X, y, **weights)

    def _split(self, data, rng):
        """Return samples to train on and those held out, or None; all of positive weight."""
        rows = data.counted_rows
        if self.validation_fraction is None:
            return data.take_rows(rows), None
        message = (
            f"validation_fraction={self.validation_fraction} must leave samples of every class on "
            "both sides"
        )
        try:
            parts = train_test_split(
                rows,
                test_size=self.validation_fraction,
                stratify=data.codes[rows],
                random_state=rng,
            )
        except ValueError as error:
            raise ValueError(f"{message}: {error}") from error
        n_classes = np.unique(data.codes[rows]).size
        if any(np.unique(data.codes[part]).size < n_classes for part in parts):
            raise ValueError(f"{message}; the smallest class is too small for that.")
        return [data.take_rows(part) for part in parts]

    def _standards(self, data):
        """Return how features are standardised, and the class means after that."""
        moments = class_moments(data.X, data.codes, data.classes.size, data.weights)
        check_moments(self, data.X, moments)
        mean, spread = moments.overall_mean, np.sqrt(moments.variance)
        centers = np.where(moments.seen[:, None], moments.means - mean, 0.0)
        return _Standards(mean, spread, centers / feature_scale(spread))

    def _train(self, training, held_out, standards, hidden_sizes, rng):
        """Train a network; return what it has learned, and the objective in each epoch."""
        from . import _encoder

        schedule = _encoder.Schedule(
            self.pretraining_epochs,
            self.max_epochs or _EPOCHS[self.training],
            self.training == "alternating",
            self.learning_rate,
            self.batch_size,
            rng,
        )
        is_varying = (standards.spread > 0.0).astype(float)  # a constant feature gets no weight
        with _encoder.threads(effective_n_jobs(self.n_jobs)):
            network = _encoder.first_network(is_varying, hidden_sizes, rng, self.device)
            problem = _encoder.pose(training, standards, self.alpha, self.device)
            epochs = _encoder.train(network, problem, schedule)
            if held_out is not None:
                watched = _encoder.pose(held_out, standards, self.alpha, self.device)
                epochs = _encoder.stop_early(epochs, network, watched, self.patience)
            epochs = self._each_step(epochs, _encoder.n_epochs(network, schedule), "epoch")
            objectives = [epoch.objective for epoch in epochs if epoch.is_selecting]
            return _encoder.learned_weights(network, problem), objectives

    def _n_selected(self, scores):
        if not self._keeps_elbow:
            return super()._n_selected(scores)
        # A feature whose weight is zero does not belong before the bend.
        return max(1, min(elbow(scores), int(np.count_nonzero(scores))))


class _Standards(NamedTuple):
    """How features are standardised, and the class means after that."""

    mean: np.ndarray
    spread: np.ndarray
    centers: np.ndarray

    @property
    def divisors(self):
        """What features are divided by."""
        return feature_scale(self.spread)


def _input_columns(prefilter, n_features):
    """Columns that the network is given."""
    return np.arange(n_features) if prefilter is None else prefilter.get_support(indices=True)


def _put(values, columns, everywhere):
    everywhere[columns] = values
    return everywhere
