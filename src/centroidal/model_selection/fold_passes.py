"""Passes over rows that are not kept: moments of all folds, then counts of predictions.

Rows come some at a time, as batches or as blocks of a Dask collection. `summarise_rows` finds the
class moments of every fold in some of them, and `Models.count` what the models of all training sets
predict; both are sums, so that neither depends on who sees which rows, and in which order.
"""

from functools import partial, reduce
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from .._state import check_state, floats, positions
from ..solvers.along_path import PathInOrders
from ..statistics import ClassMoments, MomentsByFold, class_moments, map_blocks
from .methods import metric_of
from .metrics import LOSSES, Tested, confusion_matrices, loss_moments
from .nested import ChosenPredictions, FoldCounts
from .procedures import CentersPath, show_predicted


class Rows(NamedTuple):
    """Some of the rows."""

    X: object
    codes: np.ndarray  # for all deals, or a row for each; a negative one leaves a row out
    n_before: np.ndarray  # rows of each class that came before, in the same way
    groups: np.ndarray | None  # the id of the group of each


class FoldPlan(NamedTuple):
    """What both passes have in common."""

    n_features: int
    is_sparse: bool
    classes: np.ndarray
    estimator: BaseEstimator  # what is fitted, with any number of features
    deals: list  # what deals the rows to the folds of each repeat
    training_sets: list  # of a repeat, each by the folds it leaves out
    n_jobs: int | None = None

    @property
    def n_classes(self):
        """Number of classes."""
        return self.classes.size

    @property
    def n_cells(self):
        """Number of classes in all folds of a repeat."""
        return self.deals[0].n_folds * self.n_classes

    @property
    def repeat_bytes(self):
        """Bytes of the sums and the models of a repeat: some numbers for each feature."""
        numbers = 2 * self.n_cells + len(self.training_sets) * (self.n_classes + 6)
        return 8 * numbers * self.n_features

    def codes_of(self, rows):
        """Return the class of each row in each repeat."""
        return np.broadcast_to(rows.codes, (len(self.deals), rows.codes.shape[-1]))

    def folds_of(self, rows):
        """Return the fold of each row in each repeat, a negative one for those left out."""
        n_before = np.broadcast_to(rows.n_before, (len(self.deals), self.n_classes))
        each = zip(self.deals, self.codes_of(rows), n_before, strict=True)
        return [_deal_rows(deal, codes, before, rows.groups) for deal, codes, before in each]


def _deal_rows(deal, codes, n_before, groups):
    kept = codes >= 0
    if kept.all():
        return deal.folds_of(codes, n_before, groups)
    folds = np.full(codes.size, -1, dtype=np.int32)
    groups = None if groups is None else groups[kept]
    folds[kept] = deal.folds_of(codes[kept], n_before, groups)
    return folds


# ------------------------------------------------------------------ what is summarised


def summarise_rows(plan, rows):
    """Return the moments of each class in each fold, of each repeat."""
    cells = [
        np.maximum(folds * plan.n_classes + codes, -1)
        for folds, codes in zip(plan.folds_of(rows), plan.codes_of(rows), strict=True)
    ]
    return [class_moments(rows.X, each, plan.n_cells, None, plan.n_jobs) for each in cells]


def merge_moments(parts):
    """Merge the moments of each repeat, of some rows and others."""
    return [reduce(ClassMoments.merge, each) for each in zip(*parts, strict=True)]


class FoldMoments(NamedTuple):
    """Moments of every fold, of which those of a training set are merged."""

    plan: FoldPlan
    moments: list  # of each repeat

    def merge(self, number=0, left_out=()):
        """Return the moments of all rows but those of some folds of a repeat."""
        n_folds = self.plan.deals[number].n_folds
        return MomentsByFold(n_folds, self.moments[number]).without(left_out)

    def solution(self, number=0, left_out=()):
        """Sparse centers of all rows but those of some folds of a repeat."""
        estimator = self.plan.estimator
        moments = self.merge(number, left_out)
        return estimator._problem.solve_moments(estimator, None, moments)


# ------------------------------------------------------------------ what is predicted


_AXES = {  # inner counts are those of the second fold, by the model without both
    "outer": ("repeats", "folds", "sizes", "classes", "classes"),
    "inner": ("repeats", "folds", "folds", "inner", "classes", "classes"),
    "at_random": ("repeats", "folds", "orders", "sizes", "classes", "classes"),
    "hits": ("repeats", "groups", "sizes"),  # right predictions of the outer folds
}
_LOSS_AXES = {  # the same of moments of losses, of which there are none unless they are scored
    "outer_losses": ("repeats", "folds", "sizes", "scored", "moments"),
    "inner_losses": ("repeats", "folds", "folds", "inner", "scored", "moments"),
    "random_losses": ("repeats", "folds", "orders", "sizes", "scored", "moments"),
}


class Tally(NamedTuple):
    """What scores need of what was predicted so far, as in `FoldCounts`, of all repeats."""

    outer: np.ndarray
    inner: np.ndarray
    at_random: np.ndarray
    hits: np.ndarray
    outer_losses: np.ndarray
    inner_losses: np.ndarray
    random_losses: np.ndarray

    _state = {
        name: positions(*axes, below="samples" if name == "hits" else "counts")
        for name, axes in _AXES.items()
    } | {name: floats(*axes, least=0.0) for name, axes in _LOSS_AXES.items()}

    @classmethod
    def begin(cls, trials, class_counts, n_groups=0, arrays=None):
        """Return counts of nothing, or what an earlier run has counted."""
        trial = trials[0]
        n_folds, (key,) = trial.repeat.n_folds, trial.candidates
        n_sizes, n_inner = trial.all_sizes.size, trial.inner_sizes(key).size
        sizes = {"folds": n_folds, "sizes": n_sizes, "inner": n_inner, "orders": trial.n_random}
        sizes |= {"repeats": len(trials), "groups": n_groups, "classes": class_counts.size}
        sizes |= {"scored": len(LOSSES) * (metric_of(trial.choice.scoring) in LOSSES), "moments": 2}
        if arrays is None:
            axes = [(_AXES, np.int64), (_LOSS_AXES, float)]
            return cls(
                **{
                    name: np.zeros([sizes[each] for each in mine], dtype=dtype)
                    for table, dtype in axes
                    for name, mine in table.items()
                }
            )
        found = cls(**arrays)
        sizes |= {"counts": int(class_counts.max()) + 1, "samples": int(class_counts.sum()) + 1}
        check_state(found, **sizes)
        return found

    @property
    def arrays(self):
        """Return copies, which do not change any more."""
        return {name: array.copy() for name, array in self._asdict().items()}

    def n_before(self, repeats):
        """Count the samples of each class so far, in some repeats."""
        return self.outer[repeats, :, 0].sum(axis=(1, 3))

    def add(self, other):
        """Return the counts of both."""
        return Tally(*map(np.add, self, other))

    def of_repeat(self, number):
        """Return what belongs to a repeat."""
        return Tally(*(each[number] for each in self))

    def counts(self, trial):
        """Return the counts of a repeat as the engine takes them; nothing is kept of a sample."""
        counts, (key,), n_folds = FoldCounts.empty(), trial.candidates, trial.repeat.n_folds
        tested, mine = (
            partial(test_counts, trial.choice.scoring),
            self.of_repeat(trial.repeat.number),
        )
        for fold in range(n_folds):
            counts.outer[fold, key] = tested(mine.outer[fold], mine.outer_losses[fold])
            counts.at_random[fold] = tested(mine.at_random[fold], mine.random_losses[fold])
            for other in range(n_folds):
                both = mine.inner[fold, other], mine.inner_losses[fold, other]
                counts.inner[fold, other, key] = tested(*both)
            counts.chosen[fold, key] = ChosenPredictions(None, None, None)
        return counts

    def chosen_positions(self, trial):
        """Return the position of the size that each fold of a repeat chooses by its inner folds."""
        counts, (key,) = self.counts(trial), trial.candidates
        folds = range(trial.repeat.n_folds)
        return [trial.choose_inside(counts, fold, key).position for fold in folds]


def test_counts(scoring, confusions, losses):
    """Return what scores need of confusion matrices and sums of losses."""
    name = metric_of(scoring)
    if name not in LOSSES:
        return Tested(confusions)
    numbers = np.maximum(confusions.sum(axis=(-2, -1)), 1)
    return Tested(confusions, -losses[..., LOSSES.index(name), 0] / numbers)


class _Job(NamedTuple):
    """Rows to predict: a fold, by the models of a path; without another fold, inside that one."""

    number: int  # of the repeat
    place: int  # of the repeat among those that are under way
    fold: int
    outer: int | None
    path: CentersPath
    orders: tuple | np.ndarray
    ready: PathInOrders | None  # where classes are counted alone

    def totals(self, tally):
        """Return the counts and losses that it adds to, for the ranking and for each order."""
        mine = tally.of_repeat(self.number)
        if self.outer is not None:
            place = self.outer, self.fold
            return [(mine.inner[place], mine.inner_losses[place])]
        drawn = zip(mine.at_random[self.fold], mine.random_losses[self.fold], strict=True)
        return [(mine.outer[self.fold], mine.outer_losses[self.fold]), *drawn]


class Models:
    """The models of all training sets, to be tested on samples that they have not seen."""

    def __init__(self, trials, plan, summary, groups):
        self._trial, self._plan, self._groups = trials[0], plan, groups
        (self._key,) = self._trial.candidates
        self._jobs = []
        for place, trial in enumerate(trials):
            for left_out in trial.training_sets:
                self._jobs += self._jobs_of(trial, place, left_out, summary)

    def _jobs_of(self, trial, place, left_out, summary):
        (candidate,), number = trial.candidates.values(), trial.repeat.number
        solution = summary.solution(place, left_out)._replace(moments=None)
        path = candidate.procedure.path(solution)
        orders, sizes, ready = (), trial.sizes_of(self._key, left_out), None
        if len(left_out) == 1:
            orders = trial.random_orders(*left_out, self._plan.n_features)
        if not trial.choice.needs_scores:
            ready = path.prepare(self._plan.is_sparse, sizes, orders)
        models = path, orders, ready
        if len(left_out) == 1:
            return [_Job(number, place, *left_out, None, *models)]
        one, other = left_out
        return [_Job(number, place, other, one, *models), _Job(number, place, one, other, *models)]

    def count(self, rows, tally):
        """Predict rows, and add what comes out to the counts of all repeats."""
        plan, trial, codes_of = self._plan, self._trial, self._plan.codes_of(rows)
        n_folds = trial.repeat.n_folds
        folds = [
            [np.flatnonzero(each == fold) for fold in range(n_folds)]
            for each in plan.folds_of(rows)
        ]
        places = None
        if self._groups is not None:
            kept = codes_of[0] >= 0
            places = np.full(kept.size, -1)
            places[kept] = self._groups.places(rows.groups[kept])

        def count(job):
            mine, totals = folds[job.place][job.fold], job.totals(tally)
            codes = codes_of[job.place]

            def see(block, found):
                # Jobs do not get into each other's way: the rows of a group are all in one fold.
                is_right = codes[mine[block], None] == found.codes.T
                np.add.at(tally.hits[job.number], places[mine[block]], is_right)

            see = see if places is not None and job.outer is None else None
            if trial.choice.needs_scores:
                found = self._score(job, rows.X, mine, codes[mine])
            else:
                found = self._count(job, rows.X, mine, codes[mine], see)
            return zip(totals, found, strict=True)

        jobs = [(job,) for job in self._jobs if folds[job.place][job.fold].size]
        for counted in map_blocks(count, jobs, plan.n_jobs):
            for totals, found in counted:
                for total, part in zip(totals, found, strict=True):
                    total += part

    def _count(self, job, X, rows, codes, see):
        """Return confusion matrices of each order, and no moments of losses."""
        show = show_predicted(see, job.ready.kept)
        found = job.ready.count(X, rows, codes, self._plan.n_classes, show)
        return [(each, 0.0) for each in found]

    def _score(self, job, X, rows, codes):
        """Find the same where every model has to say how probable the classes are."""
        is_scored = metric_of(self._trial.choice.scoring) in LOSSES
        sizes = self._trial.sizes_of(self._key, (job.fold,) if job.outer is None else (0, 1))
        path, orders = job.path, job.orders
        costs, n_classes, counted = self._trial.choice.costs, self._plan.n_classes, []
        for block, found in path.predict_blocks(X, rows, sizes, np.arange(sizes.size), orders):
            decided = [each.decide(costs) for each in found]
            counted.append(
                [
                    (
                        confusion_matrices(each.codes, codes[block], n_classes),
                        loss_moments(each.probabilities, codes[block]) if is_scored else 0.0,
                    )
                    for each in decided
                ]
            )
        return [
            tuple(map(sum, zip(*of_order, strict=True))) for of_order in zip(*counted, strict=True)
        ]
