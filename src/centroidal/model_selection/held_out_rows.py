"""The last pass over rows that are not kept: what chosen models say of rows that they do not know.

Once counts have chosen a size in each outer fold, each row is predicted by the model of this size
that has not seen it. Of these `HeldOutRows` all is learned that is told of single samples in
memory: scores of probabilities, intervals, and what calibrates the model of all rows. Of very many
rows some are enough, and all that memory has room for.
"""

from typing import NamedTuple

import numpy as np

from .. import _state as state
from ..solvers.conformal import LEVELS, Calibration, HeldOut, count_calls
from ..solvers.outliers import ClassReference
from ..statistics.threads import run_blocks
from .fold_passes import FoldPlan
from .methods import METRICS
from .metrics import confusion_matrices, loss_moments
from .nested import ChosenPredictions
from .procedures import CentersPath
from .splits import Units
from .unseen import Unseen, UnseenSamples, counted_metrics, in_row_order

_MOST_NUMBERS = 4_000_000  # rows times classes that are held out, of which 150 bytes each are made
_CALLS = ("called", "several", "none", "accuracy", "coverage")  # and the coverage of each class


class HeldOutRows(NamedTuple):
    """What is said of rows in each of some repeats, by models that have not seen them."""

    codes: np.ndarray
    groups: np.ndarray | None  # the number of the group of each
    folds: np.ndarray  # of shape (repeats, rows), as are
    predicted: np.ndarray
    probabilities: np.ndarray  # for each class
    distances: np.ndarray | None  # from each class, in the first of all repeats
    sizes: np.ndarray | None  # of the rows, as one column, in the same

    _state = {
        "codes": state.positions("rows", below="classes"),
        "groups": state.optional(state.positions("rows", below="groups")),
        "folds": state.positions("repeats", "rows", below="folds"),
        "predicted": state.positions("repeats", "rows", below="classes"),
        "probabilities": state.floats("repeats", "rows", "classes", least=0.0),
        "distances": state.optional(state.floats("rows", "classes", least=0.0)),
        "sizes": state.optional(state.floats("rows", 1, least=0.0)),
    }

    @classmethod
    def join(cls, parts):
        """Put rows that come after each other into one."""
        axes = dict.fromkeys(("folds", "predicted", "probabilities"), 1)
        return cls(
            *(
                None if some[0] is None else np.concatenate(some, axis=axes.get(name, 0))
                for name, some in zip(cls._fields, zip(*parts, strict=True), strict=True)
            )
        )

    @classmethod
    def join_repeats(cls, parts):
        """Put repeats of the same rows into one."""
        if len(parts) == 1:
            return parts[0]
        several = ("folds", "predicted", "probabilities")
        return parts[0]._replace(
            **{name: np.concatenate([getattr(each, name) for each in parts]) for name in several}
        )

    @property
    def arrays(self):
        """What is there, by name."""
        return {name: each for name, each in self._asdict().items() if each is not None}

    @classmethod
    def from_arrays(cls, arrays, **sizes):
        """Undo `arrays`, after a check of them."""
        found = cls(**dict.fromkeys(cls._fields) | arrays)
        state.check_state(found, **sizes)
        return found

    def confusions(self, n_folds):
        """Return the confusion matrix of each fold of each repeat."""
        n_classes, found = self.probabilities.shape[2], []
        for number, folds in enumerate(self.folds):
            for fold in range(n_folds):
                rows = np.flatnonzero(folds == fold)
                predicted = self.predicted[number, rows][None]
                found.append(confusion_matrices(predicted, self.codes[rows], n_classes)[0])
        return np.array(found)

    def chosen(self, n_folds):
        """Return what was predicted of each fold of each repeat."""
        return [
            self._of_fold(number, np.flatnonzero(folds == fold))
            for number, folds in enumerate(self.folds)
            for fold in range(n_folds)
        ]

    def _of_fold(self, number, rows):
        codes, probabilities = self.codes[rows], self.probabilities[number, rows]
        held_out = HeldOut(probabilities, codes)
        if number == 0:
            held_out = HeldOut(probabilities, codes, self.distances[rows], self.sizes[rows])
        losses = loss_moments(probabilities, codes)
        return ChosenPredictions(
            self.predicted[number, rows], probabilities, losses, held_out=(held_out,)
        )


# ------------------------------------------------------------------ the pass


class Thinning(NamedTuple):
    """Which rows are held out: all of them, or evenly spaced runs of each class.

    A run is as long as there are folds, and has one row in each.
    """

    step: int
    n_folds: int

    @classmethod
    def of(cls, class_counts, n_folds):
        """Leave out as few as memory asks for."""
        return cls(int(-(-class_counts.sum() * class_counts.size // _MOST_NUMBERS)), n_folds)

    def rows(self, codes, n_before):
        """Return the positions of those that stay, where so many of each class came before."""
        if self.step == 1:
            return np.arange(codes.size)
        stays = np.zeros(codes.size, dtype=bool)
        for code, n_earlier in enumerate(n_before):
            mine = np.flatnonzero(codes == code)
            stays[mine] = (n_earlier + np.arange(mine.size)) // self.n_folds % self.step == 0
        return np.flatnonzero(stays)

    def n_rows(self, class_counts):
        """Count those that stay."""
        n_runs, n_more = np.divmod(class_counts, self.n_folds)
        n_full = -(-n_runs // self.step)
        return int((n_full * self.n_folds + n_more * (n_runs % self.step == 0)).sum())


class ChosenModel(NamedTuple):
    """The model of an outer fold that its inner folds chose, for samples with its columns only."""

    columns: np.ndarray
    path: CentersPath
    sizes: np.ndarray  # that were tried up to the one that was chosen: sums of features are theirs
    reference: ClassReference | None  # of the first of all repeats


class ChosenModels:
    """The chosen models of the outer folds of some repeats; `columns` are those that any reads.

    `positions` say which size each fold of each repeat chose, among those of the candidate.
    """

    def __init__(self, trials, plan: FoldPlan, summary, positions, groups, thinning):
        self._plan, self._groups, self._costs = plan, groups, trials[0].choice.costs
        self._thinning = thinning
        (self._candidate,) = trials[0].candidates.values()
        self._models = [
            [
                self._model(summary, place, fold, position, trial.repeat.number == 0)
                for fold, position in enumerate(mine)
            ]
            for place, (trial, mine) in enumerate(zip(trials, positions, strict=True))
        ]
        self._is_first = trials[0].repeat.number == 0
        self.columns = np.unique([*(j for of in self._models for m in of for j in m.columns)])

    def _model(self, summary, place, fold, position, is_first):
        solution = summary.solution(place, (fold,))._replace(moments=None)
        path = self._candidate.procedure.path(solution)
        sizes = self._candidate.sizes[: position + 1]
        columns, path = path.take(sizes[-1])
        reference = None
        if is_first:
            reference = ClassReference.of(summary.merge(place, (fold,)).columns(columns))
        return ChosenModel(columns, path, sizes, reference)

    def hold_out(self, rows):
        """Predict rows that have only the `columns`, each by the models that have not seen it."""
        plan = self._plan
        codes, folds = plan.codes_of(rows)[0], np.array(plan.folds_of(rows))
        stay = self._thinning.rows(codes, np.broadcast_to(rows.n_before, plan.n_classes))
        codes, folds, n_rows = codes[stay], folds[:, stay], stay.size
        predicted = np.empty(folds.shape, np.int32)
        probabilities = np.empty((*folds.shape, plan.n_classes))
        distances = sizes = None
        if self._is_first:
            distances, sizes = np.empty((n_rows, plan.n_classes)), np.empty((n_rows, 1))

        def predict(number, fold, model):
            mine = np.flatnonzero(folds[number] == fold)
            X = rows.X[np.ix_(stay[mine], np.searchsorted(self.columns, model.columns))]
            kept = np.array([model.sizes.size - 1])
            (found,) = model.path.predict(X, np.arange(mine.size), model.sizes, kept)
            found = found.take_models(kept).decide(self._costs)
            predicted[number, mine] = found.codes[0]
            probabilities[number, mine] = found.probabilities[0]
            if model.reference is not None:
                distances[mine], sizes[mine] = model.reference.measure(X)

        jobs = [
            (number, fold, model)
            for number, models in enumerate(self._models)
            for fold, model in enumerate(models)
            if (folds[number] == fold).any()
        ]
        run_blocks(predict, jobs, plan.n_jobs)
        groups = None if self._groups is None else self._groups.places(rows.groups[stay])
        return HeldOutRows(codes, groups, folds, predicted, probabilities, distances, sizes)


# ------------------------------------------------------------------ what is learned


class SampleFacts(NamedTuple):
    """What scores of single samples need of a source that does not keep them."""

    classes: np.ndarray
    class_counts: np.ndarray
    units: Units
    n_groups: int | None
    seed: int
    groups: np.ndarray | None = None  # number of that of each sample


class Learned(NamedTuple):
    """What held-out rows teach: what is told of unseen samples, and what calibrates the model."""

    unseen: Unseen
    calls: tuple
    calibration: Calibration | None  # of the model of all rows, which keeps it

    @classmethod
    def of(cls, facts, scores, calibrates, *rounds):
        """Learn from the rows of some rounds of repeats, as is learned from samples in memory.

        If some rows were left out, what all of them were counted for is told of all, and the
        intervals are those of the others.
        """
        rows = HeldOutRows.join_repeats(rounds)
        scores = scores.with_predictions(rows.chosen(scores.n_folds))
        repeats = scores.held_out()  # first, as later there are calibrated probabilities as well
        calibration = Calibration.of([HeldOut.join(each) for each in repeats], calibrates)
        calls = count_calls(repeats[0], calibrates)
        n_classes, outcome = facts.classes.size, scores.outcome
        counts = np.bincount(rows.codes, minlength=n_classes)
        facts = facts._replace(groups=rows.groups, class_counts=counts)
        described = in_row_order(scores.predictions, rows.folds, rows.codes, n_classes)
        seen = outcome._replace(outer=rows.confusions(scores.n_folds))
        unseen = UnseenSamples(facts, seen, described)
        return cls(unseen.tell(scores.score, counted_metrics(outcome)), calls, calibration)

    @property
    def arrays(self):
        """What is told, as arrays by name."""
        metrics, intervals, ends = self.unseen
        rows = [
            [*(np.nan if each[name] is None else each[name] for name in _CALLS)]
            + each["class_coverage"]
            for each in self.calls
        ]
        return {
            "names": np.array([*metrics]),
            "metrics": np.array([*metrics.values()]),
            "intervals": np.array([*intervals.values()]),
            "interval": np.array(ends),
            "calls": np.array(rows),
        }

    @classmethod
    def from_arrays(cls, arrays, n_classes):
        """Undo `arrays`, after a check of them."""
        names = arrays["names"].tolist()
        if not set(names) <= set(METRICS) or len(names) != len(set(names)):
            raise ValueError(f"it tells metrics that are not known, {names}")
        shapes = {"metrics": (len(names),), "intervals": (len(names), 2), "interval": (2,)}
        shapes["calls"] = len(LEVELS), len(_CALLS) + n_classes
        for name, shape in shapes.items():
            state.floats(*shape, nan=True, infinite=True)(arrays[name], {})
        metrics = dict(zip(names, arrays["metrics"].tolist(), strict=True))
        intervals = dict(zip(names, map(tuple, arrays["intervals"].tolist()), strict=True))
        calls = tuple(map(_call_row, LEVELS, arrays["calls"].tolist()))
        return cls(Unseen(metrics, intervals, tuple(arrays["interval"].tolist())), calls, None)


def _call_row(level, values):
    """Return a row of `count_calls`, of its numbers."""
    found = dict(zip(_CALLS, values, strict=False))
    if np.isnan(found["accuracy"]):
        found["accuracy"] = None
    return {"no_call": level, **found, "class_coverage": values[len(_CALLS) :]}
