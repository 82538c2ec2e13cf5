"""Which features are selected again and again from parts of the samples, and how reliably.

Equation map of the index, :cite:t:`Nogueira2018`:

    definition 4    index                           selection_stability(), `index`
    corollary 9     interval, from the asymptotic   selection_stability(), `influence`
                    variance of the index
"""

from inspect import signature
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.special import ndtri
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    MetaEstimatorMixin,
    clone,
)
from sklearn.utils import _safe_indexing, check_random_state, get_tags

from .. import _state as state
from .._data import SupportMixin, check_labels
from .._parameters import (
    check_count,
    check_flag,
    check_n_features_to_select,
    check_parameters,
    check_share,
    number,
    optional,
)
from .._progress import ProgressMixin, with_callbacks
from .._typing import ArrayLike, Estimator, Floats, Ints, NFeatures, RandomState
from .feature_flow import follow_features, mask_of, ranking_of, steps_of
from .repeatable import draw_seed, draw_seeds, run_jobs, seed_parts
from .splits import check_groups

__all__ = ["SelectionStability", "StabilitySelector", "selection_stability"]

_ROUNDING = 1e-9  # so that a fraction of 0.29 of 100 samples is 29 of them


class StabilitySelector(ProgressMixin, SupportMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Select the features that a selector finds again and again in parts of the samples.

    A clone of the selector is fitted to each of many resamples: random parts of the samples, drawn
    without replacement, with the classes in the proportions they have. What is kept are the
    features that were selected in at least a share `threshold` of them: stability selection of
    :cite:t:`Meinshausen2010`, with the pairs of disjoint halves of :cite:t:`ShahSamworth2013`.
    Beside the selection stand a bound on how many of its features are expected to be false, and
    an index of how much the selections of different resamples agree.

    Parameters
    ----------
    estimator : estimator
        What selects, it is cloned: a selector, or a classifier that selects, with ``get_support``;
        an estimator with ``coef_`` or ``feature_importances_``, which selects the features whose
        values are not all zero; a pipeline that ends with one of them; or a search over one of
        them, whose best estimator counts. Steps of a pipeline before the last one may select
        features, too; others must keep the features and their order.
    n_resamples : int, default=100
        How often the selector is fitted; an even number if in complementary pairs.
    sample_fraction : float, default=0.5
        Share of the samples of each class in a resample, rounded down, but at least one. At most
        0.5 with complementary pairs.
    threshold : float or None, default=0.6
        Smallest share of the resamples in which a feature must be selected to be kept; above 0 and
        at most 1. Not used with `n_features_to_select`, and may be None then.
    n_features_to_select : int, float or None, default=None
        Keep so many of the most frequent features instead: a number, or a fraction of all features.
    complementary_pairs : bool, default=True
        Whether resamples come in pairs that have no sample in common, other than those that are
        alone in their class.
    n_jobs : int or None, default=None
        Number of processes, over the resamples. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed or source of the resamples. Where the estimator or a part of it has a `random_state` of
        None, it is given a seed as well, another one in each resample.

    Attributes
    ----------
    selection_frequencies_ : ndarray of shape (n_features,)
        Share of the resamples in which each feature was selected.
    feature_ranking_ : ndarray of int, shape (n_features,)
        Features from the most to the least frequent. Of equally frequent ones those come first that
        the estimator ranked higher on average, where it ranks, and then the first column.
    support_ : ndarray of bool, shape (n_features,)
        Mask of the features that are kept. There may be none that reaches `threshold`.
    n_features_to_select_ : int
        Number of them.
    mean_selected_ : float
        Mean number of features that the estimator selected in a resample, q.
    expected_false_selections_ : float
        Bound on the expected number of false features among those that are kept, see the Notes. NaN
        where it is not known: if the threshold is not above 0.5, if `n_features_to_select` decides,
        or if resamples are larger than half of the samples.
    stability_ : float
        Index of :cite:t:`Nogueira2018`: 1 if all resamples lead to the same features, near 0 if
        features were selected as if at random. NaN if no feature was ever selected, or every
        feature always.
    stability_interval_ : tuple of (float, float)
        Its asymptotic confidence interval, of 95 %.
    supports_ : scipy.sparse.csr_array of bool, shape (n_resamples, n_features)
        What was selected in each resample; neighbours are the complementary pairs.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    centroidal.model_selection.selection_stability : The index for any selections.
    centroidal.inspection.StabilityDisplay : Draws the frequencies.
    centroidal.model_selection.selection_curve : Whether the selected features predict.

    Notes
    -----
    **False selections.** With m features and a threshold :math:`\pi > 1/2` the bound is
    :math:`q^2 / ((2 \pi - 1) m)`. For complementary pairs it is about features that the estimator
    selects no more often than by drawing q at random, whatever the estimator (theorem 1 of
    :cite:t:`ShahSamworth2013`, its plain form); else about noise features, if these are
    exchangeable and the estimator is not worse than guessing (theorem 1 of
    :cite:t:`Meinshausen2010`). Both hold for halves or less, of independent samples, given the
    labels; see the user guide.

    **Index.** That of :func:`~centroidal.model_selection.selection_stability`, with resamples as
    independent draws from these samples: its interval tells how far more resamples would move the
    index, not how another data set would, and is not to be relied on for less than some 30.

    **Sample weights** are handed to the estimator with the samples, if its `fit` takes them (that
    of a pipeline does not). Samples of weight zero take no part. A sample of weight 2 is drawn as
    one, so it is not the same as two samples, of which one may be drawn without the other.

    An estimator that fails in a resample ends the fit; a note on its error tells which one it was.

    Time is that of `n_resamples` fits to a part of the samples. NumPy's linear algebra is kept to
    one thread, which makes the result the same for any `n_jobs`. Rows are handed to the estimator
    as they are: data frames, sparse matrices.

    **Where we differ** from the papers: classes keep their proportions, which in each class may
    leave one sample out of both halves. A sample that is alone in its class is in every resample,
    so that each of them has all classes; the bounds then hold given this sample.

    Examples
    --------
    >>> from centroidal import SparseCenterClassifier, StabilitySelector
    >>> from centroidal.datasets import make_expression
    >>> genes = make_expression(90, 200, n_informative=8, random_state=0)
    >>> selector = StabilitySelector(
    ...     SparseCenterClassifier(10, scale="within"), threshold=0.8, random_state=0
    ... ).fit(genes.data, genes.target)
    >>> selector.get_support(indices=True).size == selector.n_features_to_select_
    True
    >>> selector.mean_selected_, round(selector.expected_false_selections_, 2)
    (10.0, 0.83)
    >>> low, high = selector.stability_interval_
    >>> 0.5 < low < selector.stability_ < high < 1.0
    True
    """

    supports_: Any
    selection_frequencies_: Floats
    mean_selected_: float
    feature_ranking_: Ints
    n_features_to_select_: int
    expected_false_selections_: float
    stability_: float
    stability_interval_: tuple[float, float]

    _state = state.FEATURES | {
        "supports_": state.samples("resamples", "features"),
        "selection_frequencies_": state.floats("features", least=0.0),
        "mean_selected_": state.number(0.0),
        "feature_ranking_": state.ranking("features"),
        "support_": state.mask("features"),
        "n_features_to_select_": state.count(0, "features"),
        "expected_false_selections_": state.number(0.0, nan=True),
        "stability_": state.number(nan=True),
        "stability_interval_": state.sequence(state.number(nan=True), tuple),
    }

    _checks = {
        "complementary_pairs": check_flag,
        "n_resamples": check_count,
        "sample_fraction": check_share,
        "threshold": optional(
            number(
                "a number above 0 and at most 1, or None",
                lambda value: 0.0 < value <= 1.0,
                "lie above 0 and at most at 1",
            )
        ),
    }

    def __init__(
        self,
        estimator: Estimator,
        *,
        n_resamples: int = 100,
        sample_fraction: float = 0.5,
        threshold: float | None = 0.6,
        n_features_to_select: NFeatures = None,
        complementary_pairs: bool = True,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.n_resamples = n_resamples
        self.sample_fraction = sample_fraction
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.complementary_pairs = complementary_pairs
        self.n_jobs = n_jobs
        self.random_state = random_state

    @with_callbacks
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Select in each resample, and count.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, for estimators that take them.
        groups : array-like of shape (n_samples,), default=None
            What samples belong together, such as the patient they come from: a resample has all
            samples of a group or none. A group of several classes is drawn with those of its
            largest.

        Returns
        -------
        self
            Fitted estimator.
        """
        self._check_parameters()
        _check_estimator(self.estimator, sample_weight)
        data = check_labels(self, X, y, sample_weight)
        units = _Units.of(data, check_groups(groups, data.codes.size))
        n_features = data.features.number
        check_n_features_to_select(self.n_features_to_select, n_features)

        columns, rank_sums = [], np.zeros(n_features)
        for selected, ranks in self._select_in_resamples(data, units):
            columns.append(selected)
            rank_sums = None if ranks is None or rank_sums is None else rank_sums + ranks

        return self._keep(data.features, _as_rows(columns, n_features), rank_sums)

    def _keep(self, features, supports, rank_sums):
        features.keep(self)
        times = np.bincount(supports.indices, minlength=features.number)
        breakers = np.zeros(features.number) if rank_sums is None else rank_sums
        self.supports_ = supports
        self.selection_frequencies_ = times / self.n_resamples
        self.mean_selected_ = float(times.sum() / self.n_resamples)
        self.feature_ranking_ = np.lexsort([breakers, -times])  # whole numbers: no rounding
        self.support_ = self._mask_of_kept()
        self.n_features_to_select_ = int(self.support_.sum())
        self.expected_false_selections_ = self._bound()
        self.stability_, self.stability_interval_ = selection_stability(supports)
        return self

    def _check_parameters(self):
        check_parameters(self)
        if self.n_resamples < 2:
            raise ValueError(f"n_resamples={self.n_resamples} must be at least 2.")
        if self.complementary_pairs and self.n_resamples % 2:
            raise ValueError(
                f"n_resamples={self.n_resamples} must be even with complementary_pairs=True."
            )
        if self.complementary_pairs and self.sample_fraction > 0.5:
            raise ValueError(
                f"sample_fraction={self.sample_fraction} must be at most 0.5 with "
                "complementary_pairs=True."
            )
        if self.threshold is None and self.n_features_to_select is None:
            raise ValueError("threshold=None needs n_features_to_select, which is None, too.")

    def _select_in_resamples(self, data, units):
        """Yield columns that are selected and ranks of all columns; a step a resample."""
        rng = check_random_state(self.random_state)
        n_draws = self.n_resamples // 2 if self.complementary_pairs else self.n_resamples
        draws = draw_seeds(rng, n_draws)
        seeds = draw_seeds(rng, self.n_resamples)
        labels = data.classes[data.codes]

        def jobs():
            resamples = zip(self._rows(units, draws), seeds.tolist(), strict=True)
            for place, (rows, seed) in enumerate(resamples, start=1):
                weights = None if data.weights is None else data.weights[rows]
                part = _safe_indexing(data.X, rows), labels[rows], weights
                name = f"resample {place} of {self.n_resamples}"
                yield self.estimator, *part, seed, data.features.number, name

        results = run_jobs(_select, jobs(), self.n_jobs)
        yield from self._each_step(results, self.n_resamples, "resample")

    def _rows(self, units, draws):
        """Yield the rows of each resample, in their order."""
        members = units.by_class
        sizes = [max(1, int(self.sample_fraction * each.size + _ROUNDING)) for each in members]
        for draw in draws:
            rng = np.random.RandomState(draw)
            mixed = [rng.permutation(each) for each in members]
            for half in range(1 + bool(self.complementary_pairs)):
                parts = [_part(*each, half) for each in zip(mixed, sizes, strict=True)]
                yield units.rows(np.concatenate(parts))

    def _mask_of_kept(self):
        if self.n_features_to_select is None:
            return self.selection_frequencies_ >= self.threshold
        n_features = self.feature_ranking_.size
        n_selected = check_n_features_to_select(self.n_features_to_select, n_features)
        return np.isin(np.arange(n_features), self.feature_ranking_[:n_selected])

    def _bound(self):
        """Bound the expected number of false selections; NaN where no bound is known."""
        is_fixed = self.n_features_to_select is None and self.threshold > 0.5
        if not is_fixed or self.sample_fraction > 0.5:
            return float("nan")
        return self.mean_selected_**2 / ((2.0 * self.threshold - 1.0) * self.support_.size)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        tags.target_tags.required = True
        return tags


# ------------------------------------------------------------------ how much selections agree


class SelectionStability(NamedTuple):
    """How much selections agree, as :func:`selection_stability` finds it.

    Attributes
    ----------
    index : float
        1 if all selections are the same, near 0 if they agree no more than by chance.
    interval : tuple of (float, float)
        Asymptotic confidence interval of it.
    """

    index: float
    interval: tuple[float, float]


def selection_stability(supports: ArrayLike, *, confidence: float = 0.95) -> SelectionStability:
    """Measure how much several selections of features agree, corrected for chance.

    The index of :cite:t:`Nogueira2018` (definition 4): one minus the mean variance of the columns,
    divided by what it would be if as many features were selected at random. If all selections have
    the same size it is the mean of Kuncheva's index over all pairs of them.

    Parameters
    ----------
    supports : {array-like, sparse matrix} of shape (n_selections, n_features)
        A row for each selection, true or 1 where a feature is selected; at least two rows.
    confidence : float, default=0.95
        Level of the interval.

    Returns
    -------
    SelectionStability
        The index and its interval. Both are NaN if no feature is ever selected or every feature
        always: then there is nothing to agree about.

    See Also
    --------
    centroidal.StabilitySelector : Selections from resamples of the same samples.

    Notes
    -----
    The index is at most 1, and at least -1 / (n_selections - 1). Selections may differ in size;
    differences in size lower it. The interval (corollary 9) is index ± z standard errors by the
    delta method, for selections that are independent draws; it is cut at 1.

    Examples
    --------
    >>> from centroidal.model_selection import selection_stability
    >>> index, interval = selection_stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    >>> round(index, 3)
    0.333
    >>> selection_stability([[1, 0, 0], [1, 0, 0]])
    SelectionStability(index=1.0, interval=(1.0, 1.0))
    """
    check_share("confidence", confidence)
    selected = _check_supports(supports)
    n, m = selected.shape
    frequencies = np.bincount(selected.indices, minlength=m) / n
    sizes = np.diff(selected.indptr)
    share = sizes.mean() / m  # of the features that are selected
    by_chance = share * (1.0 - share)
    if not 0 < selected.nnz < n * m:
        return SelectionStability(float("nan"), (float("nan"), float("nan")))
    variances = n / (n - 1) * frequencies * (1.0 - frequencies)
    index = float(1.0 - variances.mean() / by_chance)

    # How each selection pulls the index, from the derivative by the frequencies.
    common = selected @ frequencies / m
    pull = common - share * sizes / m + index * (share - 0.5) * sizes / m
    influence = 2.0 * (pull - pull.mean()) / by_chance
    error = float(ndtri(0.5 + confidence / 2.0) * np.sqrt((influence**2).sum()) / n)
    return SelectionStability(index, (index - error, min(1.0, index + error)))


def _check_supports(supports):
    """Return selections as the rows of a sparse matrix of ones."""
    table = supports if issparse(supports) else np.asarray(supports)
    if (
        table.ndim != 2
        or table.shape[0] < 2
        or table.shape[1] < 1
        or table.dtype.kind not in "biuf"
    ):
        raise ValueError(
            f"supports of shape {table.shape} must be a table with a row for each of at least 2 "
            "selections and a column for each feature."
        )
    rows = csr_array(table, dtype=float, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    if not (rows.data == 1.0).all():
        raise ValueError("supports must hold nothing but true and false, or 1 and 0.")
    return rows


# ------------------------------------------------------------------ what is asked for


def _check_estimator(estimator, sample_weight):
    if isinstance(estimator, type) or not (
        hasattr(estimator, "fit") and hasattr(estimator, "get_params")
    ):
        raise TypeError(
            f"estimator={estimator!r} must be an estimator that selects features, or a pipeline "
            "that ends with one."
        )
    if sample_weight is not None and "sample_weight" not in signature(estimator.fit).parameters:
        raise TypeError(
            f"sample_weight is given, but estimator={estimator!r} does not take it in fit."
        )


# ------------------------------------------------------------------ one resample


class _Units(NamedTuple):
    """What is drawn: samples, or groups of them; those without weight are not."""

    of_rows: np.ndarray  # number of the unit of each row, -1 for a row that does not count
    by_class: list  # units of each class that has any

    @classmethod
    def of(cls, data, groups):
        units = np.arange(data.codes.size) if groups is None else groups
        counted = data.counted_rows
        votes = np.zeros((units.max() + 1, data.classes.size))
        np.add.at(votes, (units[counted], data.codes[counted]), 1.0)
        codes = np.where(votes.any(axis=1), votes.argmax(axis=1), -1)
        members = [np.flatnonzero(codes == code) for code in range(data.classes.size)]
        of_rows = np.full(data.codes.size, -1)
        of_rows[counted] = units[counted]
        return cls(of_rows, [each for each in members if each.size])

    def rows(self, drawn):
        """Return all rows of some units."""
        return np.flatnonzero(np.isin(self.of_rows, drawn))


def _part(units, size, half):
    """First or second so many units of a class; a single one is in both parts."""
    return units if units.size == 1 else units[half * size : (half + 1) * size]


def _select(estimator, X, y, weights, seed, n_features, name):
    """Columns that a clone selects, and the ranks it gives to all columns, or None."""
    try:
        rng = np.random.RandomState(seed)
        model = seed_parts(clone(estimator), lambda: draw_seed(rng))
        options = {} if weights is None else {"sample_weight": weights}
        return _selection(model.fit(X, y, **options), n_features)
    except Exception as error:
        error.add_note(f"StabilitySelector: this happened in {name}, of {len(y)} samples.")
        raise


def _selection(model, n_features):
    *before, last = steps_of(model) or [None]
    given, _ = follow_features(before, n_features, keeps_all=_keeps_all)
    support = _support(last, given.size)
    ranking = _ranking(last, given.size)
    if ranking is None:
        return given[support], None
    ranks = np.full(n_features, 0.5 * (given.size + n_features - 1))  # of what was dropped before
    ranks[given[ranking]] = np.arange(given.size)
    return given[support], ranks


def _keeps_all(step):
    """Take a step that does not say otherwise for one that keeps the features."""
    if isinstance(step, ClassNamePrefixFeaturesOutMixin):
        raise TypeError(
            f"estimator is a pipeline in which {type(step).__name__} makes new features; steps "
            "before the last one must keep the features, or select among them."
        )
    return True


def _support(step, n_given):
    """Mask of the features that a fitted step selects."""
    name = type(step).__name__
    mask = mask_of(step, n_given)
    if mask is None:
        raise TypeError(
            f"estimator={name} must select features: after fit it has none of get_support, coef_ "
            "and feature_importances_."
        )
    if mask.shape != (n_given,):
        raise ValueError(
            f"estimator={name} selects among {mask.size} features, but there are {n_given}; in a "
            "pipeline the steps before it must keep the features, or select among them."
        )
    return mask


def _ranking(step, n_given):
    """Features from the best to the worst, if a step ranks them."""
    try:
        return ranking_of(step, n_given)
    except (TypeError, ValueError):  # it ranks nothing, or something else
        return None


def _as_rows(columns, n_features):
    """Return selections as a sparse matrix of one row each."""
    ends = np.cumsum([0, *map(len, columns)])
    stored = np.concatenate(columns).astype(np.int64)
    shape = len(columns), n_features
    return csr_array((np.ones(stored.size, dtype=bool), stored, ends), shape=shape)
