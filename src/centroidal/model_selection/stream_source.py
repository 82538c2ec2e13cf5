"""Samples that are read in batches, as a source of the engine; see `sources.py`."""

from collections import deque
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone

from .._parameters import check_count, optional
from .._progress import progress_function
from .._state import floats
from ..classifiers import ConformalClassifier, CostSensitiveClassifier
from ..classifiers.sparse_center_rule import ColumnSummary
from ..statistics import ClassMoments, class_moments
from ..streaming.batches import Batches
from ..streaming.checkpoint import Checkpoint, Progress, manifest_of, read_manifest
from ..streaming.labels import hash_names
from ..streaming.passes import (
    block_width,
    codes_of,
    moments_from_arrays,
    read_block,
    summaries_from_arrays,
    summary_arrays,
)
from .counted_source import (
    CountedSource,
    centers_in,
    check_classes,
    check_streams,
    gains_of,
)
from .fold_passes import FoldMoments, FoldPlan, Models, Rows, Tally, merge_moments, summarise_rows
from .held_out_rows import ChosenModels, HeldOutRows, Learned
from .methods import metric_of
from .metrics import LOSSES
from .panels import PanelProcedure
from .repeatable import seed_of
from .row_labels import Sites, add_predicted, label_block, predict_site
from .splits import Groups

__all__ = ["BatchSource"]

_KEY = "select_features"  # under which the card of a checkpoint says what it is of


class BatchSource(CountedSource):
    """Samples in batches: passes summarise all training sets, count predictions, and hold rows out.

    The parameters are those of :func:`select_features`; the method must work out-of-core.
    """

    noun = "Batches"

    def __init__(
        self, batches, method, random_state, n_jobs, progress, *, classes, checkpoint,
        checkpoint_every, memory, permutations=None, learning_curve=None,
    ):  # fmt: skip
        check_streams(method)
        optional(check_count)("checkpoint_every", checkpoint_every)
        check_count("memory", memory)
        self._progress = progress_function(progress, "rows")
        self.seed = _check_seed(random_state, checkpoint)
        self.classes, self.class_counts = check_classes(*batches.class_counts(), classes)
        self._groups = None
        if batches.groups is not None:
            self._groups = Groups(*batches.count_groups(self.classes))
        self._batches, self._method, self._n_jobs = batches, method, n_jobs
        self._codes = None  # of all rows, if some are left out
        if batches.blocks is not None:
            parts = [each.count_sites() for each in self._gathered_labels]
            self._sites = Sites.of(parts, self.classes, self._groups is not None)
        self._features = batches.features
        self._is_sparse = batches.n_stored is not None
        self._path, self._every, self._memory = checkpoint, checkpoint_every, memory
        self._permutations, self._has_curve = permutations, learning_curve is not None

    @property
    def feature_names(self):
        """Names of all features; of hashed words those that were selected are found again."""
        names = self._batches.feature_names.copy()
        if self.text is not None:
            for column, words in self._batches.name_columns(self._selected).items():
                names[column] = words
        return np.array(names.tolist())

    @property
    def hides_names(self):
        """Whether features have no names before they are selected, as hashed words."""
        return self.text is not None

    @property
    def text(self):
        """How words of documents became features; None if there are none."""
        return self._batches.text

    def prepare(self, trials):
        """Open the checkpoint, which must be of the same selection."""
        trial, self._trials, self._tally = trials[0], trials, None
        self._check_scoring(trial.choice)
        width = block_width(self._batches, self._memory)
        folds = self._plan_of(trials)
        self._plan = StreamPlan(self._batches, folds, width, self._codes, self._holds_out)
        self._step = max(1, self._memory // folds.repeat_bytes)
        manifest = None if self._path is None else self._manifest(trial)
        self._checkpoint = Checkpoint(self._path, self._every, manifest, key=_KEY)

    def _manifest(self, trial):
        """Say what the selection depends on."""
        cut = {"cv": trial.repeat.n_folds, "n_repeats": len(self._trials)}
        cut["random_state"] = self.seed
        choice = trial.choice._asdict()
        costs = choice.pop("costs")
        if costs is not None:
            choice["costs"] = costs.tolist()
        parameters = {"method": self._method, **choice, **cut}
        if self._groups is not None:
            parameters["groups"] = self._batches.groups
        if self._batches.preprocess is not None:
            parameters["preprocess"] = self._batches.preprocess
        (candidate,) = trial.candidates.values()
        if isinstance(candidate.procedure, PanelProcedure):
            parameters |= candidate.procedure.panel.describe(self._batches.feature_names, 0)
        more = {"class_counts": self.class_counts.tolist()}
        if self._step < len(self._trials):
            more["repeats_at_a_time"] = self._step
        if not self._plan.has_moments:
            more["columns_at_a_time"] = self._plan.width
        name = type(self._plan.folds.estimator).__name__
        return manifest_of(name, parameters, self._batches, self.classes, **more)

    def count_predictions(self, trial):
        """Count what each training set predicts in the folds that it leaves out.

        That of all repeats is counted when it is asked for the first of them.
        """
        if self._tally is None:
            with self._checkpoint.hold():
                self._count_predictions()
        return self._tally.counts(trial)

    def _count_predictions(self):
        estimator, costs = clone(self._plan.folds.estimator), self._trials[0].choice.costs
        if self._holds_out:
            estimator = ConformalClassifier(estimator)
        if costs is not None:
            estimator = CostSensitiveClassifier(estimator, costs=costs)
        self._model, self._done = self._checkpoint.begin(estimator, self._batches.n_features)
        state = self._checkpoint.state or {}
        with self._checkpoint.errors_that_name():
            self._tally = Tally.begin(self._trials, self.class_counts, arrays=state.get("tally"))
            if self._done.finished:
                self._take_result(state)
        plan, trial = self._plan, self._trials[0]
        starts, n_again = range(0, len(self._trials), self._step), plan.n_summary_passes + 1
        n_passes = len(starts) * (n_again + self._holds_out)
        self._begin_reading(n_passes, n_again, plan.folds, trial, self._done.n_rows)
        if not self._done.finished:
            self._run_rounds(starts, state)

    def _take_result(self, state):
        """Take what a finished run has written, after a check of it."""
        self._spreads = state["spreads"]
        floats("features", least=0.0)(self._spreads, {"features": self._batches.n_features})
        if type(centers_in(self._model)) is not type(self._plan.folds.estimator):
            raise ValueError("it holds another classifier")
        self._learned = Learned.from_arrays(state["learned"], self.classes.size)

    def _run_rounds(self, starts, state):
        """Take as many repeats at a time as fit in memory, in passes of their own."""
        plan, n_trials = self._plan, len(self._trials)
        n_rounds_done, n_done = divmod(self._done.n_done, plan.n_steps)
        with self._checkpoint.errors_that_name():
            self._held_out = self._rows_of_rounds(state, n_rounds_done)
        state = state.get("summary")
        for start in starts[n_rounds_done:]:
            repeats = slice(start, min(start + self._step, n_trials))
            self._run_passes(repeats, state if n_done else None, n_done)
            n_done = 0

    def _rows_of_rounds(self, state, n_rounds):
        """Return the rows that were held out in rounds that an earlier run has done."""
        parts = state.get("held_out", [])
        if len(parts) != n_rounds * self._holds_out:
            raise ValueError(f"it holds rows of {len(parts)} rounds, not of {n_rounds}")
        n_rows = self._thinning.n_rows(self.class_counts)
        sizes = {"rows": n_rows, "repeats": self._step}
        sizes |= {"classes": self.classes.size, "folds": self._trials[0].repeat.n_folds}
        sizes["groups"] = self.n_groups or 0
        return [HeldOutRows.from_arrays(each, **sizes) for each in parts]

    def _run_passes(self, repeats, state, n_done):
        """Summarise the training sets, then predict each row by models that have not seen it."""
        plan, checkpoint = self._plan.with_repeats(repeats), self._checkpoint
        rows_read, trials = self._rows_read, self._trials[repeats]
        with checkpoint.errors_that_name():
            kind = MeansPass if plan.has_moments else MediansPasses
            self._summary = summary = kind(plan, state, n_done)
        for _ in summary.steps(n_done, rows_read):
            self._advance(rows_read)
            if checkpoint.is_due() or not plan.has_moments:  # a step of medians is a whole pass
                self._write()

        n_counted = max(0, n_done - plan.n_summary_steps)
        models = Models(trials, plan.folds, summary, None)
        for batch in self._batches.start(n_counted) if n_counted < self._batches.n_batches else ():
            n_before = self._tally.n_before(repeats)
            models.count(plan.rows_of(batch, n_before), self._tally)
            rows_read.add(batch.y.size)
            self._advance(rows_read)
            if checkpoint.is_due() and plan.holds_out:
                self._write()
        if plan.holds_out:
            positions = [self._tally.chosen_positions(each) for each in trials]
            made_of = trials, plan.folds, summary, positions, self._groups, self._thinning
            models = ChosenModels(*made_of)
            self._held_out.append(self._hold_out(plan, models))

    def _hold_out(self, plan, models):
        """Predict each row by the models that were chosen, of which only columns are read.

        It is all or nothing: a run that ends meanwhile begins the pass anew.
        """
        parts, n_before = [], np.zeros(self.classes.size, dtype=int)
        for batch in self._batches.take(models.columns):
            rows = plan.rows_of(batch, n_before)
            parts.append(models.hold_out(rows))
            n_before = n_before + np.bincount(rows.codes, minlength=n_before.size)
            self._rows_read.add(batch.y.size)
            self._advance(self._rows_read)
        return HeldOutRows.join(parts)

    def _count_again(self, trials, codes, has_gains):
        """Count what the models of some labellings predict; find their gains, if asked for."""
        plan = self._plan._replace(folds=self._plan_of(trials), codes=codes)
        summary = (MeansPass if plan.has_moments else MediansPasses)(plan, None, 0)
        deque(summary.steps(0, self._rows_read), maxlen=0)
        models = Models(trials, plan.folds, summary, None)
        tally = Tally.begin(trials, self.class_counts)
        for batch in self._batches:
            models.count(plan.rows_of(batch, tally.n_before(slice(None))), tally)
            self._rows_read.add(batch.y.size)
        if not has_gains:
            return tally, None
        find = partial(gains_of, self._gains_estimator())
        return tally, [find(summary.merge(number)) for number in range(len(trials))]

    def _gather_labels(self):
        return [label_block(*each) for each in self._batches.label_rows()]

    def without_block(self, name, ids):
        """Return the source without a block, and groups that have samples in it."""
        found = self._part()
        labels = [each.without(name, ids) for each in self._gathered_labels]
        found._take_counts([each.count() for each in labels], None, self._groups is not None)
        found._codes = np.concatenate([each.codes(found.classes) for each in labels])[None]
        found._path = None  # of the checkpoint
        return found

    def test_block(self, name, model, scoring):
        """Count what a model predicts of a block, for each group; and sum its losses."""
        test = partial(predict_site, model, name, self.classes, metric_of(scoring) in LOSSES)
        parts = [
            test(each.X, label_block(each.y, each.groups, each.blocks)) for each in self._batches
        ]
        return add_predicted(parts, self.classes.size)

    def _write(self):
        held_out = [each.arrays for each in self._held_out]
        state = {"summary": self._summary.state, "tally": self._tally.arrays, "held_out": held_out}
        self._checkpoint.write(self._model, self._done, state)

    def _advance(self, rows_read):
        self._done = Progress(self._done.n_done + 1, rows_read.n_done)

    def fit_final(self, candidate, scores, choice, calibrates=True):
        """Return the model that was chosen, of the summary of all rows; costs decide.

        It is calibrated by the rows that were held out, unless it is of a part.
        """
        n_features, state = scores.n_features, {"tally": self._tally.arrays}
        if self._done.finished:
            return self._keep_final(self._model, n_features, self._spreads)
        if self._holds_out:
            calibrates = not choice.needs_probabilities
            self._learned = Learned.of(self._facts, scores, calibrates, *self._held_out)
            self._held_out, state["learned"] = [], self._learned.arrays
        summary = self._summary.solution(), self._summary.merge()
        model = self._fit_model(candidate, scores, choice.costs, *summary)
        spreads = state["spreads"] = self._summary.spreads
        with self._checkpoint.hold():
            self._checkpoint.write(model, self._done._replace(finished=True), state)
        return self._keep_final(model, n_features, spreads)

    def _keep_final(self, model, n_features, spreads):
        final = self._tell_final(model, spreads)
        self._selected = final.ranking[:n_features]
        if self._codes is not None:  # of a part, which is tested by rows as they are read
            return final
        return final._replace(model=self._batches.in_front_of(model))


class StreamPlan(NamedTuple):
    """What the passes over the batches have in common."""

    batches: Batches
    folds: FoldPlan
    width: int  # columns of which all rows are read at a time, if they are
    codes: np.ndarray | None = None  # of all rows in each labelling, if they are not as they are
    holds_out: bool = False  # whether a last pass predicts rows by the models that were chosen

    def with_repeats(self, repeats):
        """Return the plan of some repeats."""
        return self._replace(folds=self.folds._replace(deals=self.folds.deals[repeats]))

    @property
    def has_moments(self):
        """Whether class moments are enough, so that rows are read once."""
        return self.folds.estimator._problem.streams

    @property
    def sets(self):
        """What is summarised: a repeat, and the folds left out; first all rows."""
        numbers, sets = range(len(self.folds.deals)), self.folds.training_sets
        return [(0, ()), *((number, each) for number in numbers for each in sets)]

    @property
    def n_summary_passes(self):
        """Number of passes that summarise."""
        return 1 if self.has_moments else -(-self.batches.n_features // self.width)

    @property
    def n_summary_steps(self):
        """Number of their steps: a batch of means, a pass of medians."""
        return self.batches.n_batches if self.has_moments else self.n_summary_passes

    @property
    def n_steps(self):
        """Number of steps with those that predict, which are batches."""
        return self.n_summary_steps + (1 + self.holds_out) * self.batches.n_batches

    def rows_of(self, batch, n_before):
        """Return the rows of a batch; of each class there were so many before."""
        groups = None if batch.groups is None else hash_names(batch.groups)
        start = batch.number * self.batches.batch_size
        if self.codes is None:
            codes = codes_of(batch, self.folds.classes)
        else:
            codes = self.codes[:, start : start + batch.y.size]
        return Rows(batch.X, codes, n_before, groups)


def _check_seed(random_state, checkpoint):
    before = read_manifest(checkpoint, _KEY) if random_state is None else None
    if before is not None and isinstance(before["parameters"].get("random_state"), int):
        return before["parameters"]["random_state"]
    return seed_of(random_state)


# ------------------------------------------------------------------ what is summarised


class MeansPass:
    """Class moments of every fold, in one pass; those of a training set are merged from them.

    It goes on from the `state` that an earlier run has found in `n_done` steps.
    """

    def __init__(self, plan, state, n_done):
        self._plan = plan
        self._moments = None  # of each repeat
        if state is None and n_done:
            raise ValueError("it holds no moments of the batches that were read")
        if state is not None:
            self._moments = [
                moments_from_arrays(each, plan.folds.n_cells, plan.batches.n_features)
                for each in state["moments"]
            ]

    def steps(self, n_done, rows_read):
        """Go on after some steps; yield after each."""
        plan, folds = self._plan, self._plan.folds
        for batch in plan.batches.start(n_done) if n_done < plan.n_summary_steps else ():
            found = summarise_rows(folds, plan.rows_of(batch, self._n_before))
            if self._moments is not None:
                found = merge_moments([self._moments, found])
            self._moments = found
            rows_read.add(batch.y.size)
            yield

    @property
    def _n_before(self):
        """Rows of each class so far, in each repeat."""
        n_classes = self._plan.folds.n_classes
        if self._moments is None:
            return np.zeros(n_classes, dtype=int)
        counts = np.array([each.counts for each in self._moments], dtype=int)
        return counts.reshape(len(counts), -1, n_classes).sum(axis=1)

    @property
    def state(self):
        """Arrays that tell what has been found so far."""
        return {"moments": [vars(each) for each in self._moments]}

    def solution(self, number=0, left_out=()):
        """Sparse centers of all rows but those of some folds of a repeat."""
        return FoldMoments(self._plan.folds, self._moments).solution(number, left_out)

    def merge(self, number=0, left_out=()):
        """Return the moments of all rows but those of some folds of a repeat."""
        return FoldMoments(self._plan.folds, self._moments).merge(number, left_out)

    @property
    def spreads(self):
        """Standard deviation of each feature inside the classes."""
        return np.sqrt(self.solution().moments.within_variance)


class MediansPasses:
    """Medians of every training set, in a pass for each block of columns; see `MeansPass`."""

    def __init__(self, plan, state, n_done):
        self._plan = plan
        self._starts = range(0, plan.batches.n_features, plan.width)
        state = {"moments": None, "summaries": [[] for _ in plan.sets]} | (state or {})
        n_columns = min(n_done * plan.width, plan.batches.n_features)
        # Of each fold, in blocks of columns: of each labelling, of repeats of the first alone.
        self._moments = [[] for _ in range(1 if plan.codes is None else len(plan.codes))]
        if state["moments"] is not None:
            found = moments_from_arrays(state["moments"], plan.folds.n_cells, n_columns)
            self._moments[0].append(found)
        self._parts = {
            key: summaries_from_arrays(parts, plan.folds.n_classes, n_columns)
            for key, parts in zip(plan.sets, state["summaries"], strict=True)
        }

    def steps(self, n_done, rows_read):
        """Go on after some steps; yield after each."""
        plan, batches, classes = self._plan, self._plan.batches, self._plan.folds.classes
        for start in self._starts[n_done:]:
            block = batches.columns(start, min(start + plan.width, batches.n_features))
            X, codes, groups = read_block(block, classes, rows_read)
            codes = codes if plan.codes is None else plan.codes
            self._summarise(Rows(X, codes, np.zeros(classes.size, dtype=int), groups))
            yield

    def _summarise(self, rows):
        plan = self._plan.folds
        X = rows.X.tocsc() if issparse(rows.X) else rows.X
        codes, folds = plan.codes_of(rows).astype(np.int32), plan.folds_of(rows)
        for (number, left_out), parts in self._parts.items():
            trained = np.where(np.isin(folds[number], left_out), np.int32(-1), codes[number])
            summarise = plan.estimator._problem.summarise_columns
            parts.append(summarise(X, trained, plan.n_classes, None, plan.n_jobs))
        for number, parts in enumerate(self._moments):
            cells = np.where(codes[number] < 0, -1, folds[number] * plan.n_classes + codes[number])
            parts.append(class_moments(X, cells, plan.n_cells, None, plan.n_jobs))

    def merge(self, number=0, left_out=()):
        """Return the moments of all rows but some folds, of a labelling or the first repeat."""
        self._join()
        found = [each for (each,) in self._moments]
        return FoldMoments(self._plan.folds, found).merge(number, left_out)

    @property
    def state(self):
        """Arrays that tell what has been found so far."""
        self._join()
        summaries = [[summary_arrays(part) for part in parts] for parts in self._parts.values()]
        return {"moments": vars(self._moments[0][0]), "summaries": summaries}

    def solution(self, number=0, left_out=()):
        """Sparse centers of all rows but those of some folds of a repeat."""
        self._join()
        (summary,) = self._parts[number, left_out]
        estimator = self._plan.folds.estimator
        return estimator._problem.solve_columns(estimator, summary)

    @property
    def spreads(self):
        """Standard deviation of each feature inside the classes."""
        return np.sqrt(self.merge().within_variance)

    def _join(self):
        """Put the blocks of columns side by side, so that each training set has one summary."""
        if len(self._moments[0]) > 1:
            self._moments = [[_beside(each)] for each in self._moments]
            self._parts = {key: [ColumnSummary.join(each)] for key, each in self._parts.items()}


def _beside(parts):
    """Put the moments of blocks of columns side by side."""
    both = (np.hstack([getattr(each, name) for each in parts]) for name in ("means", "squares"))
    return ClassMoments(parts[0].counts, *both)
