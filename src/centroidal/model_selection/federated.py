"""The nested score of samples that several sites keep to themselves.

Each site sends class moments of its folds, a `SiteSummary`. These are merged and come back; each
site scores the models of all training sets on its own samples, and sends counts, `SiteCounts`.
Both together are a source of the engine, whose passes over the rows were exchanges of files.
"""

import time
from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from .. import _state as state
from .._data import Features, check_fitted, check_moments, check_same_features
from .._model_html import ModelPipeline
from .._parameters import check_parameters, choice, number
from .._typing import ArrayLike, Ints, MomentScale, Rule, ScoreName
from ..preprocessing import named_steps
from ..preprocessing.names import PREPROCESSING
from ..statistics import MomentsByFold, class_moments
from .counted_source import CountedSource, check_streams
from .fold_passes import FoldMoments, FoldPlan, Models, Rows, Tally
from .intervals import GroupHits
from .methods import METHODS, SCORES, DataKind
from .nested import Choice, Trial, n_random_orders
from .panels import Wishes
from .select import list_candidates, select_from
from .site_samples import SiteSamples, hash_of
from .splits import GivenFolds, Units, check_fold_counts
from .unseen import UnseenSamples

if TYPE_CHECKING:
    from ..classifiers import SparseCenterClassifier
    from .selection import FeatureSelection

__all__ = ["SiteCounts", "SiteSummary", "select_federated"]

_MOST_COUNTED = 2**53
_MOST_FOLDS = 100  # training sets are as many as pairs of folds
_MOST_COUNTS = 2**27  # numbers that counts of inner folds may take together
_N_SHOWN = 8  # digits of what sites are known by
_CHOICE = Choice("auto", "one_se", "accuracy")


_check_seed = number(
    "an int, the same at all sites",
    lambda value: 0 <= value < 2**32,
    "lie between 0 and 2**32 - 1",
    Integral,
)
_check_n_folds = number(
    "an int, the number of folds",
    lambda value: 3 <= value <= _MOST_FOLDS,
    f"lie between 3 and {_MOST_FOLDS}",
    Integral,
)


def _check_hash(value, sizes):
    if not isinstance(value, str) or len(value) != 64 or not set(value) <= set("0123456789abcdef"):
        raise state.StateError("is no hash of 64 digits")


_check_sites = state.sequence(_check_hash)


def _check_row_steps(name, value):
    """Raise unless steps take each sample by itself, so that they are the same at all sites."""
    if value is None:
        return
    if not isinstance(value, str):
        raise TypeError(
            f"{name}={value!r} must be None, or a str with names of steps that take each sample by "
            f"itself, among {', '.join(PREPROCESSING)}: what others learn is of one site."
        )
    named_steps(value)


class _FoldsInOrder(NamedTuple):
    """Folds of all rows, of which some are asked for after the other."""

    folds: np.ndarray
    n_folds: int

    def folds_of(self, codes, n_before, groups=None):
        """Fold of each row; `n_before` says, for every class, how many rows of any were before."""
        start = int(n_before[0])
        return self.folds[start : start + codes.size]


class SiteSummary(BaseEstimator):
    """Class moments of the folds of a site, or of several together, and none of their samples.

    Sites that must not share samples can still find features together, and know how well these do
    on unseen samples as if all had been pooled. Each site fits a summary; the summaries are merged;
    each site scores what was merged on its own samples; :func:`select_federated` does the rest.

    Parameters
    ----------
    cv : int, default=5
        Number of folds, from 3 to 100, the same at all sites.
    method : {"l2"}, default="l2"
        How features are ranked, and what classifies. Only sparse centers by means are sums of class
        moments.
    scale : {"within", "std"} or None, default=None
        What features are divided by: their standard deviation inside the classes, or that of all
        samples. None is "std" for sparse samples, else "within", as in :func:`select_features`.
    preprocess : str or None, default=None
        What is done to each sample by itself, the same at all sites: "log1p", "snv", "savgol",
        "norm" and "normalise", several separated by commas, as in :func:`select_features`. The
        model has it in front. Steps that learn from samples are refused, as each site would learn
        its own.
    random_state : int, default=0
        Seed of the folds and of random features, the same at all sites.
    n_jobs : int or None, default=None
        Number of threads. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features, and their names where they have some.
    scale_ : str
        What features are divided by.
    class_counts_ : ndarray of int, shape (n_classes,)
        Number of samples of each class.
    fold_counts_ : ndarray of int, shape (cv, n_classes)
        The same in each fold.
    unit_counts_ : ndarray of int, shape (n_classes,)
        Number of groups with samples of each class; samples where there are no groups.
    n_groups_ : int or None
        Number of groups, None if each sample stands for itself at all sites.
    sites_ : list of str
        A hash of the samples of each site, by which they are known again.

    See Also
    --------
    SiteCounts : What a site sends after it has scored.
    select_federated : Chooses features by both.
    centroidal.io.merge_models : Merges summaries whose features are in any order.

    Notes
    -----
    **Folds.** Each site deals its samples, or whole groups, to folds by itself, by the rule of
    :func:`select_features`; `fold_numbers` tells them. Of each site the folds are of equal size up
    to one sample. The answer is that of ``select_features(X, y, method="l2", cv=folds,
    random_state=seed)`` for the pooled samples, with the fold of each.

    **What is revealed.** Of each feature, class and fold: a number of samples, a mean and a sum of
    squared deviations. Classes with fewer than 5 samples, or groups, in a fold are refused unless
    they are allowed by name: the moments of one sample are that sample, those of two are both of
    them up to their order. A feature without spread in a class shows the value of all its samples.
    What is sent twice, with other folds or after samples were added, reveals the difference; of one
    cut into folds nothing can be subtracted from anything. Whoever has all of the samples of a site
    can recognise them by the hash.

    Examples
    --------
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.model_selection import SiteSummary, select_federated
    >>> X, y = load_expression(return_X_y=True)
    >>> by_class = y.argsort(kind="stable")
    >>> sites = [(X[rows], y[rows]) for rows in (by_class[::2], by_class[1::2])]
    >>> north, south = (SiteSummary(cv=3).fit(*site) for site in sites)
    >>> merged = north.merge(south)
    >>> counts = [merged.score_site(*site) for site in sites]
    >>> found = select_federated(merged, counts)
    >>> found.score > 0.9, found.n_features_to_select < 50
    (True, True)
    """

    _state = state.LABELLED | {
        "_solution": state.part(MomentsByFold),
        "scale_": state.text("within", "std"),
        "unit_counts_": state.positions("classes", below=_MOST_COUNTED),
        "n_groups_": state.optional(state.count(1)),
        "sites_": _check_sites,
    }
    _checks = {
        "cv": _check_n_folds,
        "method": lambda name, value: check_streams(value, needs_sums=True),
        "scale": choice(MomentScale),
        "preprocess": _check_row_steps,
        "random_state": _check_seed,
    }

    def __init__(
        self,
        cv: int = 5,
        *,
        method: str = "l2",
        scale: MomentScale = None,
        preprocess: str | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.cv = cv
        self.method = method
        self.scale = scale
        self.preprocess = preprocess
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_relations(self, sizes):
        counts = self._solution.counts
        if self._solution.n_folds != self.cv:
            raise state.StateError(
                f"has {self._solution.n_folds} folds, not {self.cv}", "_solution"
            )
        if (counts % 1).any() or counts.max() > _MOST_COUNTED:
            raise state.StateError("holds parts of samples", "_solution.moments.counts")
        if (self.unit_counts_ > self.class_counts_).any() or not self.unit_counts_.all():
            raise state.StateError("holds classes without samples, or more groups", "unit_counts_")
        if len(set(self.sites_)) < max(1, len(self.sites_)):
            raise state.StateError("holds no site, or one twice", "sites_")

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_solution")

    @property
    def fold_counts_(self) -> Ints:
        """Number of samples of each class in each fold."""
        return self._solution.counts.astype(np.int64)

    @property
    def class_counts_(self) -> Ints:
        """Number of samples of each class."""
        return self.fold_counts_.sum(axis=0)

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike = None,
        groups: ArrayLike | None = None,
        *,
        feature_names: ArrayLike | None = None,
        allow_small: Sequence[Any] = (),
    ) -> Self:
        """Summarise the samples of a site.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features), or Batches
            Samples, raw. Those that do not fit in memory are read in batches, which
            :func:`~centroidal.streaming.batches` makes with the same `preprocess`; labels, groups
            and names are named there.
        y : array-like of shape (n_samples,)
            Class labels, of any type; a site may have samples of one class only.
        groups : array-like of shape (n_samples,), default=None
            What samples belong together, such as the patient: they stay in one fold. Groups of
            different sites are different, whatever their names.
        feature_names : array-like of str, default=None
            Names of the features; None takes those of a data frame. Sites are matched by them.
        allow_small : sequence, default=()
            Classes that may have fewer than 5 samples, or groups, in a fold.

        Returns
        -------
        self
            Fitted summary.
        """
        check_parameters(self)
        site = SiteSamples.read(self, X, y, groups, feature_names, allow_small)
        data, n_classes = site.data, site.data.classes.size
        cells, n_cells, moments = site.folds * n_classes + data.codes, self.cv * n_classes, None
        for start, X in site.blocks():
            found = class_moments(X, cells[start : start + X.shape[0]], n_cells, None, self.n_jobs)
            check_moments(self, X, found)
            moments = found if moments is None else moments.merge(found)

        data.features.keep(self)
        self.classes_ = data.classes
        self._solution = MomentsByFold(int(self.cv), moments)
        self.scale_ = self.scale or ("std" if site.is_sparse else "within")
        self.unit_counts_ = site.units.counts.astype(np.int64)
        self.n_groups_ = site.n_groups
        self.sites_ = [site.hash]
        return self

    def fold_numbers(self, y: ArrayLike, groups: ArrayLike | None = None) -> Ints:
        """Tell to which fold each sample of a site belongs.

        Parameters
        ----------
        y, groups : array-like of shape (n_samples,)
            As in `fit`.

        Returns
        -------
        ndarray of int, shape (n_samples,)
            Numbers from 0 on.
        """
        check_parameters(self)
        return SiteSamples.read(self, np.zeros((len(y), 1)), y, groups, None, None).folds

    def merge(self, other: "SiteSummary") -> Self:
        """Add the samples of another site, or of several.

        Parameters
        ----------
        other : SiteSummary
            With the same parameters, of the same features in the same order; its classes may
            differ. :func:`~centroidal.io.merge_models` matches features by name.

        Returns
        -------
        self
            Summary of both, with the classes of either.
        """
        check_same_features(self, other)
        for part in (self, other):  # either may come from a file
            check_parameters(part)
            state.check_state(part)
        for name in ("cv", "method", "scale_", "preprocess", "random_state"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise ValueError(f"other has {name}={theirs!r}; it must be {mine!r} as here.")
        if len({part.classes_.dtype.kind in "biuf" for part in (self, other)}) > 1:
            raise ValueError(
                f"other has the classes {other.classes_.tolist()}, this summary "
                f"{self.classes_.tolist()}; they must be of one type."
            )
        check_distinct_sites(["this summary", "other"], [self, other])
        classes = np.union1d(self.classes_, other.classes_)
        places = [np.searchsorted(classes, part.classes_) for part in (self, other)]
        both = list(zip((self, other), places, strict=True))
        moments = [part._solution.reindex(at, classes.size) for part, at in both]
        units = np.zeros(classes.size, dtype=np.int64)
        for part, at in both:
            units[at] += part.unit_counts_
        n_groups = None
        if not (self.n_groups_ is None and other.n_groups_ is None):
            n_groups = sum(part.n_groups_ or int(part.class_counts_.sum()) for part, _ in both)

        self.classes_, self.unit_counts_, self.n_groups_ = classes, units, n_groups
        self._solution = moments[0].merge(moments[1])
        self.sites_ = [*self.sites_, *other.sites_]
        state.check_state(self)  # sums of very large numbers may not be finite
        return self

    def at(self, n_features_to_select: int) -> "SparseCenterClassifier":
        """Return the model of all samples with so many features; how well it does is not known.

        Parameters
        ----------
        n_features_to_select : int
            How many.

        Returns
        -------
        SparseCenterClassifier or Pipeline
            Fitted model; behind the steps of `preprocess`, if there are any.
        """
        return self._put_steps_before(self._model(n_features_to_select))

    def _model(self, n_features_to_select):
        """Return the same for samples that are preprocessed."""
        self._check_all()
        model = clone(self._procedure.estimator).set_params(
            n_features_to_select=n_features_to_select
        )
        features = Features.of(self)
        features = features if self.preprocess is None else features._replace(names=None)
        return model._keep_moments(features, self.classes_, self._solution.without())

    def _put_steps_before(self, model):
        if self.preprocess is None:
            return model
        steps = named_steps(self.preprocess).fit(np.ones((1, self.n_features_in_)))
        Features.of(self).keep(steps[0])
        return ModelPipeline([("preprocess", steps), ("classify", model)])

    def score_site(
        self,
        X: ArrayLike,
        y: ArrayLike = None,
        groups: ArrayLike | None = None,
        *,
        feature_names: ArrayLike | None = None,
        allow_small: Sequence[Any] = (),
    ) -> "SiteCounts":
        """Score the models of all training sets on the samples of a site, each in its own fold.

        Parameters
        ----------
        X, y, groups, feature_names, allow_small : array-like
            Those that the summary of the site was fitted to, with all columns in the same order.

        Returns
        -------
        SiteCounts
            What came out, in whole numbers.
        """
        self._check_all()
        site = SiteSamples.read(self, X, y, groups, feature_names, allow_small)
        site.check_member(self)
        trial = self._trial()
        self._check_n_counts(trial)
        codes = np.searchsorted(self.classes_, site.data.classes)[site.data.codes].astype(np.int32)
        n_groups = 0 if site.ids is None else site.n_groups
        tally = Tally.begin([trial], self.class_counts_, n_groups)
        plan = FoldPlan(
            self.n_features_in_, site.is_sparse, self.classes_, self._procedure.estimator,
            [_FoldsInOrder(site.folds, self.cv)], trial.training_sets, self.n_jobs,
        )  # fmt: skip
        summary = FoldMoments(plan, [self._solution.moments])
        models = Models([trial], plan, summary, site.groups)
        for start, X in site.blocks_of(self):
            rows = slice(start, start + X.shape[0])
            ids = None if site.ids is None else site.ids[rows]
            models.count(Rows(X, codes[rows], start, ids), tally)
        (candidate,) = trial.candidates.values()
        return SiteCounts._of(self, site, candidate.sizes, tally.of_repeat(0))

    def _check_all(self):
        """Raise unless there are samples enough of each class to learn from and to test."""
        check_fitted(self)
        check_parameters(self)
        state.check_state(self)
        if self.classes_.size < 2:
            raise ValueError(
                f"all samples are of one class, {self.classes_.tolist()[0]!r}; there must be two: "
                "merge the summaries of several sites first."
            )
        check_fold_counts(self.fold_counts_, self.classes_, is_nested=True)

    def _check_n_counts(self, trial):
        """Raise if counts of all folds, sizes and classes would be too many to keep."""
        (candidate,), n_classes = trial.candidates.values(), self.classes_.size
        if self.cv**2 * candidate.sizes.size * n_classes**2 > _MOST_COUNTS:
            raise ValueError(
                f"cv={self.cv} folds and {n_classes} classes are too many: they would make more "
                f"than {_MOST_COUNTS} counts. Take fewer folds, or join classes."
            )

    @property
    def _is_sparse(self):
        # What is sparse is scaled by "std": that is all that building a method asks for.
        return self.scale_ == "std"

    @property
    def _kind(self):
        n_features, n_classes = self.n_features_in_, self.classes_.size
        return DataKind(n_features, n_classes, self._is_sparse, self.random_state)

    @property
    def _procedure(self):
        return METHODS[self.method].build(self._kind)

    @property
    def _folds(self):
        """The one cut into folds; which samples are in them, only sites know."""
        return GivenFolds(np.zeros((1, 0), dtype=np.int32), self.cv)

    def _trial(self):
        candidates = list_candidates(self.method, _CHOICE, None, self._kind)
        (repeat,) = self._folds.repeats(self.random_state)
        return Trial(candidates, _CHOICE, repeat, n_random_orders(self.class_counts_.sum()))

    @property
    def _hash(self):
        """What the summary is known by: everything in it."""
        values = [self.cv, self.method, self.scale_, self.preprocess, self.random_state]
        values += [self.sites_, self.n_groups_]
        moments = self._solution.moments
        arrays = moments.counts, moments.means, moments.squares, self.unit_counts_
        return hash_of(Features.of(self), self.classes_, values, arrays)


class SiteCounts(BaseEstimator):
    """What came out when the samples of a site were predicted: whole numbers, and nothing else.

    :meth:`SiteSummary.score_site` makes it. Predictions are those of the models of all training
    sets, with each number of features that is tried, of samples in folds that they have not seen.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels of all sites.
    summary_ : str
        A hash of the merged summary that was scored.
    sites_ : list of str
        A hash of the samples of each site that was counted.
    sizes_ : ndarray of int, shape (n_sizes,)
        Numbers of features.
    outer_ : ndarray of int, shape (cv, n_sizes, n_classes, n_classes)
        Confusion matrices of each fold, true classes in rows, by models without this fold.
    inner_ : ndarray of int, shape (cv, cv, n_sizes, n_classes, n_classes)
        Those of the second fold by models without both, which choose inside the first.
    random_ : ndarray of int, shape (cv, n_orders, n_sizes, n_classes, n_classes)
        Those of each fold with random features.
    group_sums_ : ndarray of int, shape (2, cv, n_sizes)
        Sums over groups: the square of the number of recognised samples, and this number times the
        number of samples. A sample without groups is one.
    size_squares_ : int
        Sum over groups of the square of their number of samples.

    See Also
    --------
    SiteSummary : What a site sends first.
    """

    _state = {
        "classes_": state.labels("classes"),
        "summary_": _check_hash,
        "sites_": _check_sites,
        "sizes_": state.positions("sizes", below=_MOST_COUNTED),
        "outer_": state.positions("folds", "sizes", "classes", "classes", below=_MOST_COUNTED),
        "inner_": state.positions(
            "folds", "folds", "sizes", "classes", "classes", below=_MOST_COUNTED
        ),
        "random_": state.positions(
            "folds", "orders", "sizes", "classes", "classes", below=_MOST_COUNTED
        ),
        "group_sums_": state.positions(2, "folds", "sizes", below=_MOST_COUNTED),
        "size_squares_": state.count(1, _MOST_COUNTED),
    }
    _counted = ("outer_", "inner_", "random_", "group_sums_", "size_squares_")

    def _check_relations(self, sizes):
        """Raise unless all matrices count the same samples."""
        totals = self.fold_counts_
        if (self.outer_.sum(axis=-1) != totals[:, None]).any():
            raise state.StateError("counts other samples than its first matrix", "outer_")
        if (self.random_.sum(axis=-1) != totals[:, None, None]).any():
            raise state.StateError("counts other samples than outer_", "random_")
        inner = np.repeat(totals[None], len(totals), axis=0)
        inner[np.arange(len(totals)), np.arange(len(totals))] = 0
        if (self.inner_.sum(axis=-1) != inner[:, :, None]).any():
            raise state.StateError("counts other samples than outer_", "inner_")
        if (np.diff(self.sizes_) <= 0).any():
            raise state.StateError("does not increase", "sizes_")
        squares, products = self.group_sums_
        hits = np.trace(self.outer_, axis1=-2, axis2=-1)
        if (squares < hits).any() or (products < squares).any():
            raise state.StateError("holds sums that no groups have", "group_sums_")

    def __sklearn_is_fitted__(self):
        return hasattr(self, "outer_")

    def _check(self):
        """Raise unless counts are there, and such as can be counted."""
        if not self.__sklearn_is_fitted__():
            raise ValueError("SiteCounts() hold nothing; score_site of a SiteSummary makes them.")
        state.check_state(self)

    @classmethod
    def _of(cls, summary, site, sizes, tally):
        """Return what was counted at a site."""
        found = cls()
        found.classes_, found.summary_, found.sites_ = summary.classes_, summary._hash, [site.hash]
        found.sizes_ = sizes.astype(np.int64)
        found.outer_, found.inner_, found.random_ = tally.outer, tally.inner, tally.at_random
        found.group_sums_, found.size_squares_ = site.sum_groups(tally)
        return found

    @property
    def fold_counts_(self) -> Ints:
        """Number of samples of each class in each fold."""
        return self.outer_[:, 0].sum(axis=-1)

    def merge(self, other: "SiteCounts") -> Self:
        """Add the counts of another site.

        Parameters
        ----------
        other : SiteCounts
            Of another site, and of the same merged summary.

        Returns
        -------
        self
            Counts of both.
        """
        if not isinstance(other, SiteCounts):
            raise TypeError(f"other={type(other).__name__} must be SiteCounts.")
        self._check()
        other._check()
        if other.summary_ != self.summary_ or other.outer_.shape != self.outer_.shape:
            raise ValueError(
                f"other scored the summary {other.summary_[:_N_SHOWN]}, this one "
                f"{self.summary_[:_N_SHOWN]}; only counts of one merged summary add up."
            )
        check_distinct_sites(["these counts", "other"], [self, other])
        for name in self._counted:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.sites_ = [*self.sites_, *other.sites_]
        return self


def select_federated(
    summary: SiteSummary,
    counts: SiteCounts | Sequence[SiteCounts],
    *,
    n_features_to_select: int | Literal["auto"] = "auto",
    max_features: int | None = None,
    rule: Rule = "one_se",
    scoring: ScoreName = "accuracy",
    names: Sequence[str] | None = None,
) -> "FeatureSelection":
    """Choose features by what several sites have sent: the answer of their pooled samples.

    Parameters
    ----------
    summary : SiteSummary
        The merged summary, which all sites have scored.
    counts : sequence of SiteCounts, or SiteCounts
        Those of each site, in any order, or merged.
    n_features_to_select : int or "auto", default="auto"
        How many features: one of the numbers that were scored, or "auto", which chooses.
    max_features : int or None, default=None
        The most that may be chosen: one of the numbers that were scored, or None.
    rule : {"one_se", "best"}, default="one_se"
        As in :func:`select_features`.
    scoring : {"accuracy", "balanced_accuracy", "f1_macro", "matthews_corrcoef"}
        As in :func:`select_features`; what takes probabilities cannot be had from counts.
    names : sequence of str, default=None
        What messages call the counts; None calls them counts 1, counts 2, ...

    Returns
    -------
    FeatureSelection
        As that of batches, of which no single sample is known.

    See Also
    --------
    SiteSummary : Has an example, and says what is revealed.
    select_features : Does so with samples that are in one place.
    """
    start = time.perf_counter()
    chosen = Choice(n_features_to_select, rule, scoring, max_features).check()
    if scoring not in SCORES:
        raise ValueError(
            f"scoring={scoring!r} must be one of {', '.join(map(repr, SCORES))}: sites send counts "
            "of predictions, no probabilities."
        )
    if not isinstance(summary, SiteSummary):
        raise TypeError(f"summary={type(summary).__name__} must be a SiteSummary.")
    summary._check_all()
    counts = [counts] if isinstance(counts, SiteCounts) else list(counts)
    total = _add_counts(summary, counts, names)
    source = FederatedSource(summary, total)
    wishes = Wishes(*(None for _ in Wishes._fields))
    told = {"preprocess": summary.preprocess}
    return select_from(source, summary.method, chosen, wishes, start, **told)


def _add_counts(summary, counts, names):
    """Return the counts of all sites; raise unless they are those of the summary."""
    names = [f"counts {i + 1}" for i in range(len(counts))] if names is None else list(names)
    if len(names) != len(counts):
        raise ValueError(f"names holds {len(names)}, but there are {len(counts)} counts.")
    for name, each in zip(names, counts, strict=True):
        if not isinstance(each, SiteCounts):
            raise TypeError(f"{name} is a {type(each).__name__}; it must be SiteCounts.")
        each._check()
        if each.summary_ != summary._hash:
            raise ValueError(
                f"{name} are counts of another merged summary: {each.summary_[:_N_SHOWN]}, not "
                f"{summary._hash[:_N_SHOWN]}. Let the site score this one."
            )
    check_distinct_sites(names, counts)
    missing = [site for site in summary.sites_ if all(site not in each.sites_ for each in counts)]
    if missing:
        raise ValueError(
            f"{len(missing)} of {len(summary.sites_)} sites have sent no counts: "
            f"{', '.join(site[:_N_SHOWN] for site in missing)}; the score is that of all together."
        )
    first, *others = counts
    total = clone(first)
    vars(total).update(vars(first))
    for each in others:
        total.merge(each)
    trial = summary._trial()
    (candidate,), n_classes = trial.candidates.values(), summary.classes_.size
    shape = summary.cv, trial.n_random, candidate.sizes.size, n_classes, n_classes
    if (
        total.random_.shape != shape
        or not np.array_equal(total.sizes_, candidate.sizes)
        or total.classes_.tolist() != summary.classes_.tolist()
        or not np.array_equal(total.fold_counts_, summary.fold_counts_)
    ):
        raise ValueError(
            f"{', '.join(names)} do not count the samples of the summary: "
            f"{total.fold_counts_.sum()}, not {summary.fold_counts_.sum()}, or in other folds. "
            "One of them is damaged."
        )
    return total


def check_distinct_sites(names, parts):
    """Raise if a site is in two of some parts, each of which has a name."""
    seen = {}
    for name, part in zip(names, parts, strict=True):
        for site in part.sites_:
            if site in seen:
                raise ValueError(
                    f"{seen[site]} and {name} are of the same samples (site {site[:_N_SHOWN]}), "
                    "which would count twice."
                )
            seen[site] = name


# ------------------------------------------------------------------ what the engine asks


class FederatedSource(CountedSource):
    """Summary and counts of several sites, as a source of the engine; see `sources.py`."""

    def __init__(self, summary, counts):
        self._summary, self._counts = summary, counts
        self.seed, self.classes = summary.random_state, summary.classes_
        self.class_counts, self._features = summary.class_counts_, Features.of(summary)
        self._is_sparse = summary._is_sparse
        self.given_folds = summary._folds

    @property
    def n_groups(self):
        """Number of groups; None if each sample stands for itself."""
        return self._summary.n_groups_

    @property
    def units(self):
        """What was dealt to folds, samples or groups, counted for each class."""
        noun = "sample" if self.n_groups is None else "group"
        return Units(self.classes, self._summary.unit_counts_, noun)

    def check_given_folds(self, is_nested):
        """Raise unless the folds leave enough of each class."""
        check_fold_counts(self._summary.fold_counts_, self.classes, is_nested)

    def cut(self, n_folds, n_repeats, is_nested):
        """Return the one cut into folds."""
        return self.given_folds.repeats(self.seed)

    def prepare(self, trials):
        """Raise unless the numbers of features are those that were scored."""
        (trial,) = trials
        (candidate,) = trial.candidates.values()
        if not np.array_equal(candidate.sizes, self._counts.sizes_):
            name = "max_features" if trial.choice.is_free else "n_features_to_select"
            numbers = ", ".join(map(str, self._counts.sizes_.tolist()))
            raise ValueError(
                f"{name}={getattr(trial.choice, name)} must be one of the numbers that were "
                f"scored: {numbers}."
            )

    def count_predictions(self, trial):
        """Return what all sites have counted."""
        counts, (candidate,) = self._counts, trial.candidates.values()
        inner = counts.inner_[:, :, trial.choice.positions(candidate.sizes)]
        empty = Tally.begin([trial], self.class_counts)
        found = {"outer": counts.outer_, "inner": inner, "at_random": counts.random_}
        return empty._replace(**{name: each[None] for name, each in found.items()}).counts(trial)

    def fit_final(self, candidate, scores, choice, calibrates=True):
        """Return the model that was chosen, of the samples of all sites; it is not calibrated."""
        summary = self._summary
        model = summary._model(scores.n_features)
        final = self._tell_final(model, np.sqrt(summary._solution.without().within_variance))
        return final._replace(model=summary._put_steps_before(model))

    def tell_unseen(self, scores, described):
        """Tell the metrics that follow from counts, and their intervals."""
        hits = None if self.n_groups is None else self._group_hits(scores)
        return UnseenSamples(self, scores.outcome, described, hits).tell(scores.score)

    def _group_hits(self, scores):
        """Count the samples of groups that were recognised, summed over all groups."""
        counts, chosen = self._counts, (np.arange(self._summary.cv), scores.positions)
        hits = np.trace(counts.outer_[chosen], axis1=-2, axis2=-1).sum()
        squares, products = counts.group_sums_[:, *chosen].sum(axis=1)
        n_samples = int(self.class_counts.sum())
        found = (np.array([each]) for each in (hits, squares, products))
        return GroupHits(*found, n_samples, counts.size_squares_)
