"""Samples that are read in batches, as a source of the engine; see `sources.py`."""

from functools import partial, reduce
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone

from .._data import Features, check_next_classes
from .._parameters import check_choice, check_count, optional
from .._progress import progress_function
from .._state import check_state, floats, positions
from ..classifiers.sparse_center_rule import ColumnSummary
from ..statistics import ClassMoments, class_moments, map_blocks
from ..streaming.batches import Batches
from ..streaming.checkpoint import Checkpoint, Progress, manifest_of, read_manifest
from ..streaming.labels import hash_names
from ..streaming.passes import (
    RowCount,
    block_width,
    codes_of,
    moments_from_arrays,
    read_block,
    summaries_from_arrays,
    summary_arrays,
)
from .methods import DataKind, metric_of, selection_methods
from .metrics import LOSSES, Tested, confusion_matrices, loss_moments
from .nested import ChosenPredictions, FoldCounts
from .procedures import FinalModel
from .repeatable import seed_of
from .splits import GroupFolds, StreamFolds, Units, deal_rows

__all__ = ["BatchSource"]

_KEY = "select_features"  # under which the card of a checkpoint says what it is of
_N_RANDOM = 1  # orders of the features that random ones are the first of, in each fold


class BatchSource:
    """Samples in batches: one pass or more summarises all training sets, another predicts.

    The parameters are those of :func:`select_features`; the method must work out-of-core.
    """

    def __init__(
        self, batches, method, random_state, n_jobs, progress, *, classes, checkpoint,
        checkpoint_every, memory,
    ):  # fmt: skip
        streams = [key for key, each in selection_methods().items() if each.streams]
        check_choice("method", method, streams)
        optional(check_count)("checkpoint_every", checkpoint_every)
        check_count("memory", memory)
        self._progress = progress_function(progress, "rows")
        self.seed = _check_seed(random_state, checkpoint)
        self.classes, self.class_counts = _check_classes(batches, classes)
        self._groups = None if batches.groups is None else batches.groups_by_class(self.classes)
        self._batches, self._method, self._n_jobs = batches, method, n_jobs
        self._path, self._every, self._memory = checkpoint, checkpoint_every, memory

    @property
    def kind(self):
        """What methods have to know of the data."""
        is_sparse = self._batches.n_stored is not None
        return DataKind(self._batches.n_features, self.classes.size, is_sparse, self.seed)

    @property
    def feature_names(self):
        """Names of all features; of hashed words those that were selected are found again."""
        names = self._batches.feature_names.copy()
        if self.text is not None:
            for column, words in self._batches.name_columns(self._selected).items():
                names[column] = words
        return np.array(names.tolist())

    groups = None  # of each sample, of which nothing is kept

    @property
    def text(self):
        """How words of documents became features; None if there are none."""
        return self._batches.text

    @property
    def n_groups(self):
        """Number of groups; None if each sample stands for itself."""
        return None if self._groups is None else np.unique(np.concatenate(self._groups)).size

    def find_suspicions(self):
        """Return none: samples that were read are not kept, to be compared with others."""
        return ()

    def score_blocks(self, run, choice):
        """Return None: batches have no blocks."""
        return

    @property
    def units(self):
        """What is dealt to folds, samples or groups, counted for each class."""
        if self._groups is None:
            return Units(self.classes, self.class_counts)
        return Units(self.classes, np.array([each.size for each in self._groups]), "group")

    def cut(self, n_folds, n_repeats, is_nested):
        """Deal the rows, or whole groups, to outer folds; `n_repeats` is None."""
        folds = None
        if self._groups is not None:
            folds = GroupFolds.deal(n_folds, self.seed, self.units, self._groups, is_nested)
        return deal_rows(n_folds, self.seed, folds)

    def prepare(self, trials):
        """Open the checkpoint, which must be of the same selection."""
        (trial,) = trials
        if trial.choice.needs_every_class:
            raise ValueError(
                f"scoring={trial.choice.scoring!r} needs all samples in memory, and X is Batches: "
                "samples are ranked by it. Take another score, such as 'neg_log_loss', which is a "
                "mean over samples."
            )
        (candidate,) = trial.candidates.values()
        width = block_width(self._batches, self._memory)
        self._plan = StreamPlan(
            self._batches, self.classes, candidate.procedure.estimator, trial.repeat.folds,
            [(), *trial.training_sets], width, self._n_jobs,
        )  # fmt: skip
        manifest = None if self._path is None else self._manifest(trial)
        self._checkpoint = Checkpoint(self._path, self._every, manifest, key=_KEY)

    def _manifest(self, trial):
        """Say what the selection depends on."""
        cut = {"cv": trial.repeat.n_folds, "random_state": self.seed}
        choice = trial.choice._asdict()
        costs = choice.pop("costs")
        if costs is not None:
            choice["costs"] = costs.tolist()
        parameters = {"method": self._method, **choice, **cut}
        if self._groups is not None:
            parameters["groups"] = self._batches.groups
        more = {"class_counts": self.class_counts.tolist()}
        if not self._plan.has_moments:
            more["columns_at_a_time"] = self._plan.width
        name = type(self._plan.estimator).__name__
        return manifest_of(name, parameters, self._batches, self.classes, **more)

    def count_predictions(self, trial):
        """Count what each training set predicts in the folds that it leaves out."""
        with self._checkpoint.hold():
            return self._count_predictions(trial)

    def _count_predictions(self, trial):
        n_features = self._batches.n_features
        self._model, self._done = self._checkpoint.begin(clone(self._plan.estimator), n_features)
        state = self._checkpoint.state or {}
        with self._checkpoint.errors_that_name():
            self._tally = _Tally.begin(trial, self.class_counts, state.get("tally"))
            if self._done.finished:
                self._spreads = state["spreads"]
                floats("features", least=0.0)(self._spreads, {"features": n_features})
        if not self._done.finished:
            self._run_passes(trial, state.get("summary"))
        return self._tally.counts(trial)

    def _run_passes(self, trial, state):
        """Summarise the training sets, then predict each row by models that have not seen it."""
        plan, checkpoint = self._plan, self._checkpoint
        with checkpoint.errors_that_name():
            kind = MeansPass if plan.has_moments else MediansPasses
            self._summary = summary = kind(plan, state, self._done.n_done)
        n_passes = summary.n_passes + 1
        rows_read = RowCount(self._progress, self._batches.n_samples, n_passes, self._done.n_rows)
        for _ in summary.steps(self._done.n_done, rows_read):
            self._advance(rows_read)
            if checkpoint.is_due() or not plan.has_moments:  # a step of medians is a whole pass
                checkpoint.write(self._model, self._done, {"summary": summary.state})

        models = _Models(trial, plan, summary)
        for batch in self._batches.start(self._done.n_done - summary.n_steps):
            codes = codes_of(batch, self.classes)
            models.predict(batch.X, codes, _group_hashes(batch), self._tally)
            rows_read.add(codes.size)
            self._advance(rows_read)
            if checkpoint.is_due() and self._done.n_done < summary.n_steps + plan.n_batches:
                both = {"summary": summary.state, "tally": self._tally.arrays}
                checkpoint.write(self._model, self._done, both)

    def _advance(self, rows_read):
        self._done = Progress(self._done.n_done + 1, rows_read.n_done)

    def fit_final(self, candidate, n_features):
        """Return the model with so many features, of the summary of all rows."""
        if self._done.finished:
            return self._keep_final(self._model, n_features, self._spreads)
        batches, summary = self._batches, self._summary
        features = Features(
            batches.n_features, batches.feature_names if batches.has_names else None
        )
        model = candidate.procedure.selector(n_features)
        model = model._keep(features, self.classes, summary.solution(), n_features)
        state = {"tally": self._tally.arrays, "spreads": summary.spreads}
        with self._checkpoint.hold():
            self._checkpoint.write(model, self._done._replace(finished=True), state)
        return self._keep_final(model, n_features, summary.spreads)

    def _keep_final(self, model, n_features, spreads):
        final = FinalModel.of_centers(model, spreads)
        self._selected = final.ranking[:n_features]
        return final._replace(model=self._batches.in_front_of(model))

    def describe_samples(self, candidate, scores, final, repeats):
        """Tell what is known of each sample: nothing, only counts are kept."""
        names = ("predicted", "probabilities", "true_codes", "subspace", "stability")
        return dict.fromkeys(names)


class StreamPlan(NamedTuple):
    """What the passes over the rows have in common."""

    batches: Batches
    classes: np.ndarray
    estimator: BaseEstimator  # what is fitted, with any number of features
    folds: StreamFolds | GroupFolds
    sets: list  # the training sets, each by the folds it leaves out; the first leaves out none
    width: int  # columns of which all rows are read at a time, if they are
    n_jobs: int | None

    @property
    def has_moments(self):
        """Whether class moments are enough, so that rows are read once."""
        return self.estimator._problem.streams

    @property
    def n_classes(self):
        """Number of classes."""
        return self.classes.size

    @property
    def n_batches(self):
        """Number of batches of a pass."""
        return self.batches.n_batches


def _check_seed(random_state, checkpoint):
    before = read_manifest(checkpoint, _KEY) if random_state is None else None
    if before is not None and isinstance(before["parameters"].get("random_state"), int):
        return before["parameters"]["random_state"]
    return seed_of(random_state)


def _check_classes(batches, classes):
    """Return the classes and how many samples each has."""
    found, counts = batches.class_counts()
    if classes is None:
        return check_next_classes(None, found, is_first=True), counts
    classes = check_next_classes(None, classes, is_first=True)
    unknown = [label for label in found.tolist() if label not in classes.tolist()]
    if unknown:
        raise ValueError(f"the label {unknown[0]!r} is not among classes={classes.tolist()}.")
    total = dict(zip(found.tolist(), counts.tolist(), strict=True))
    return classes, np.array([total.get(label, 0) for label in classes.tolist()])


def _group_hashes(batch):
    return None if batch.groups is None else hash_names(batch.groups)


# ------------------------------------------------------------------ what is summarised


class MeansPass:
    """Class moments of every fold, in one pass; those of a training set are merged from them.

    It goes on from the `state` that an earlier run has found in `n_done` steps. The rows are read
    `n_passes` times, in `n_steps` steps.
    """

    n_passes = 1

    def __init__(self, plan, state, n_done):
        self._plan = plan
        self.n_steps = plan.n_batches
        self._moments = None
        if state is None and n_done:
            raise ValueError("it holds no moments of the batches that were read")
        if state is not None:
            n_cells = plan.folds.n_folds * plan.n_classes
            self._moments = moments_from_arrays(state, n_cells, plan.batches.n_features)

    def steps(self, n_done, rows_read):
        """Go on after some steps; yield after each."""
        plan, n_classes = self._plan, self._plan.n_classes
        for batch in plan.batches.start(n_done) if n_done < self.n_steps else ():
            codes = codes_of(batch, plan.classes)
            folds = plan.folds.folds_of(codes, self._n_before, _group_hashes(batch))
            cells = folds * n_classes + codes
            n_cells = plan.folds.n_folds * n_classes
            found = class_moments(batch.X, cells, n_cells, None, plan.n_jobs)
            self._moments = found if self._moments is None else self._moments.merge(found)
            rows_read.add(batch.y.size)
            yield

    @property
    def _n_before(self):
        """Rows of each class so far."""
        n_classes = self._plan.n_classes
        if self._moments is None:
            return np.zeros(n_classes, dtype=int)
        return self._moments.counts.reshape(-1, n_classes).sum(axis=0).astype(int)

    @property
    def state(self):
        """Arrays that tell what has been found so far."""
        return vars(self._moments)

    def solution(self, left_out=()):
        """Sparse centers of all rows but those of some folds."""
        n_classes, estimator = self._plan.n_classes, self._plan.estimator
        parts = [
            self._moments.take_classes(slice(fold * n_classes, (fold + 1) * n_classes))
            for fold in range(self._plan.folds.n_folds)
            if fold not in left_out
        ]
        moments = reduce(ClassMoments.merge, parts)
        return estimator._problem.solve_moments(estimator, None, moments)

    @property
    def spreads(self):
        """Standard deviation of each feature inside the classes."""
        return np.sqrt(self.solution().moments.within_variance)


class MediansPasses:
    """Medians of every training set, in a pass for each block of columns; see `MeansPass`."""

    def __init__(self, plan, state, n_done):
        self._plan = plan
        self._starts = range(0, plan.batches.n_features, plan.width)
        self.n_passes = self.n_steps = len(self._starts)
        state = {"spreads": [], "summaries": [[] for _ in plan.sets]} | (state or {})
        n_columns = min(n_done * plan.width, plan.batches.n_features)
        self._spreads = list(state["spreads"])
        for spreads in self._spreads:
            floats(n_columns, least=0.0)(spreads, {})
        self._parts = {
            left_out: summaries_from_arrays(parts, plan.n_classes, n_columns)
            for left_out, parts in zip(plan.sets, state["summaries"], strict=True)
        }

    def steps(self, n_done, rows_read):
        """Go on after some steps; yield after each."""
        plan, batches = self._plan, self._plan.batches
        for start in self._starts[n_done:]:
            block = batches.columns(start, min(start + plan.width, batches.n_features))
            X, codes, groups = read_block(block, plan.classes, rows_read)
            folds = plan.folds.folds_of(codes, np.zeros(plan.n_classes, dtype=int), groups)
            self._summarise(X.tocsc() if issparse(X) else X, codes, folds)
            yield

    def _summarise(self, X, codes, folds):
        n_classes, n_jobs = self._plan.n_classes, self._plan.n_jobs
        problem = self._plan.estimator._problem
        for left_out, parts in self._parts.items():
            trained = np.where(np.isin(folds, left_out), np.int32(-1), codes)
            parts.append(problem.summarise_columns(X, trained, n_classes, None, n_jobs))
        moments = class_moments(X, codes, n_classes, None, n_jobs)
        self._spreads.append(np.sqrt(moments.within_variance))

    @property
    def state(self):
        """Arrays that tell what has been found so far."""
        self._join()
        summaries = [[summary_arrays(part) for part in parts] for parts in self._parts.values()]
        return {"spreads": [*self._spreads], "summaries": summaries}

    def solution(self, left_out=()):
        """Sparse centers of all rows but those of some folds."""
        self._join()
        (summary,) = self._parts[left_out]
        estimator = self._plan.estimator
        return estimator._problem.solve_columns(estimator, summary)

    @property
    def spreads(self):
        """Standard deviation of each feature inside the classes."""
        self._join()
        return self._spreads[0]

    def _join(self):
        """Put the blocks of columns side by side, so that each training set has one summary."""
        if len(self._spreads) > 1:
            self._spreads = [np.concatenate(self._spreads)]
            self._parts = {key: [ColumnSummary.join(each)] for key, each in self._parts.items()}


# ------------------------------------------------------------------ what is predicted


_AXES = {  # inner counts are those of the second fold, by the model without both
    "outer": ("folds", "sizes", "classes", "classes"),
    "inner": ("folds", "folds", "inner", "classes", "classes"),
    "at_random": ("folds", "orders", "sizes", "classes", "classes"),
}
_LOSS_AXES = {  # the same of moments of losses, of which there are none where none are needed
    "outer_losses": ("folds", "sizes", "losses", "moments"),
    "inner_losses": ("folds", "folds", "inner", "scored", "moments"),
    "random_losses": ("folds", "orders", "sizes", "scored", "moments"),
}


class _Tally(NamedTuple):
    """What scores need of what was predicted so far, as in `FoldCounts`."""

    outer: np.ndarray
    inner: np.ndarray
    at_random: np.ndarray
    outer_losses: np.ndarray
    inner_losses: np.ndarray
    random_losses: np.ndarray

    _state = {name: positions(*axes, below="counts") for name, axes in _AXES.items()} | {
        name: floats(*axes, least=0.0) for name, axes in _LOSS_AXES.items()
    }

    @classmethod
    def begin(cls, trial, class_counts, arrays=None):
        """Return counts of nothing, or what an earlier run has counted."""
        n_folds, (key,) = trial.repeat.n_folds, trial.candidates
        n_sizes, n_inner = trial.all_sizes.size, trial.inner_sizes(key).size
        sizes = {"folds": n_folds, "sizes": n_sizes, "inner": n_inner, "orders": _N_RANDOM}
        sizes |= {"classes": class_counts.size, "losses": len(LOSSES), "moments": 2}
        sizes["scored"] = len(LOSSES) * (metric_of(trial.choice.scoring) in LOSSES)
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
        check_state(found, counts=int(class_counts.max()) + 1, **sizes)
        return found

    @property
    def arrays(self):
        """Return copies, which do not change any more."""
        return {name: array.copy() for name, array in self._asdict().items()}

    @property
    def n_before(self):
        """Samples of each class so far."""
        return self.outer[:, 0].sum(axis=(0, 2))

    def counts(self, trial):
        """Return the counts as the engine takes them."""
        counts, (key,), n_folds = FoldCounts.empty(), trial.candidates, trial.repeat.n_folds
        tested = partial(_tested, trial.choice.scoring)
        for fold in range(n_folds):
            counts.outer[fold, key] = tested(self.outer[fold], self.outer_losses[fold])
            counts.at_random[fold] = tested(self.at_random[fold], self.random_losses[fold])
            for other in range(n_folds):
                both = self.inner[fold, other], self.inner_losses[fold, other]
                counts.inner[fold, other, key] = tested(*both)
            position = trial.choose_inside(counts, fold, key).position
            losses = self.outer_losses[fold, position]
            counts.chosen[fold, key] = ChosenPredictions(None, None, losses)
        return counts


def _tested(scoring, confusions, losses):
    """Return what scores need of confusion matrices and sums of losses."""
    name = metric_of(scoring)
    if name not in LOSSES:
        return Tested(confusions)
    numbers = np.maximum(confusions.sum(axis=(-2, -1)), 1)
    return Tested(confusions, -losses[..., LOSSES.index(name), 0] / numbers)


class _Models:
    """The models of all training sets, to be tested on samples that they have not seen."""

    def __init__(self, trial, plan, summary):
        ((self._key, candidate),) = trial.candidates.items()
        self._trial, self._plan = trial, plan
        paths = {
            left_out: candidate.procedure.path(summary.solution(left_out))
            for left_out in trial.training_sets
        }
        n_features = plan.batches.n_features
        self._jobs = []  # the fold that is predicted, what is counted, and by which models
        for left_out, path in paths.items():
            if len(left_out) == 1:
                (fold,) = left_out
                orders = trial.random_orders(fold, n_features, _N_RANDOM)
                self._jobs.append((fold, None, path, orders))
            else:
                one, other = left_out
                self._jobs += [(other, one, path, ()), (one, other, path, ())]

    def predict(self, X, codes, groups, tally):
        """Predict rows, and count what comes out."""
        plan, trial = self._plan, self._trial
        folds = plan.folds.folds_of(codes, tally.n_before, groups)
        rows = [np.flatnonzero(folds == fold) for fold in range(trial.repeat.n_folds)]
        inner_sizes = trial.inner_sizes(self._key)

        def count(fold, outer, path, orders):
            mine = rows[fold]
            if outer is None:
                totals = [(tally.outer[fold], tally.outer_losses[fold])]
                totals += zip(tally.at_random[fold], tally.random_losses[fold], strict=True)
            else:
                totals = [(tally.inner[outer, fold], tally.inner_losses[outer, fold])]
            sizes = trial.all_sizes if outer is None else inner_sizes
            ask = self._score if trial.choice.needs_scores else self._count
            found = ask(path, X, mine, codes[mine], sizes, orders, [each[1] for each in totals])
            return zip(totals, found, strict=True)

        jobs = [job for job in self._jobs if rows[job[0]].size]
        for counted in map_blocks(count, jobs, plan.n_jobs):
            for totals, found in counted:
                for total, part in zip(totals, found, strict=True):
                    total += part

    def _count(self, path, X, rows, codes, sizes, orders, losses):
        """Return confusion matrices of each order, and moments of losses where they are asked."""
        shape, moments = (self._plan.n_classes, self._plan.n_classes), np.zeros_like(losses[0])

        def add_losses(block, found):
            nonlocal moments
            moments = moments + loss_moments(found.probabilities, codes[block])

        options = {}
        if moments.size:
            options = {"see": add_losses, "kept": np.arange(sizes.size)}
        found = path.count(X, rows, codes, shape, sizes, orders=orders, **options)
        return zip(found, [moments, *(0.0 for _ in orders)], strict=True)

    def _score(self, path, X, rows, codes, sizes, orders, losses):
        """Find the same where every model has to say how probable the classes are."""
        costs, n_classes, counted = self._trial.choice.costs, self._plan.n_classes, []
        for block, found in path.predict_blocks(X, rows, sizes, np.arange(sizes.size), orders):
            counted.append(
                [
                    (
                        confusion_matrices(each.decide(costs).codes, codes[block], n_classes),
                        loss_moments(each.probabilities, codes[block]) if asked.size else 0.0,
                    )
                    for each, asked in zip(found, losses, strict=True)
                ]
            )
        return [
            tuple(map(sum, zip(*of_order, strict=True))) for of_order in zip(*counted, strict=True)
        ]
