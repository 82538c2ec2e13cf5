"""Samples that are read in batches, as a source of the engine; see `sources.py`."""

from functools import partial, reduce
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone

from .._data import check_next_classes
from .._parameters import check_choice, check_count, optional
from .._progress import progress_function
from .._state import check_state, floats, positions
from ..classifiers import CostSensitiveClassifier
from ..classifiers.sparse_center_rule import ColumnSummary
from ..solvers.along_path import NONE, PathInOrders
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
from .panels import PanelProcedure
from .procedures import CentersPath, FinalModel, show_predicted
from .repeatable import seed_of
from .splits import Groups, Units, deal_repeats
from .stand_ins import StandIns

__all__ = ["BatchSource"]

_KEY = "select_features"  # under which the card of a checkpoint says what it is of


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
        self._groups = None
        if batches.groups is not None:
            self._groups = Groups(*batches.count_groups(self.classes))
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

    @property
    def hides_names(self):
        """Whether features have no names before they are selected, as hashed words."""
        return self.text is not None

    groups = given_folds = None  # of each sample, of which nothing is kept

    @property
    def text(self):
        """How words of documents became features; None if there are none."""
        return self._batches.text

    @property
    def n_groups(self):
        """Number of groups; None if each sample stands for itself."""
        return None if self._groups is None else self._groups.ids.size

    def find_suspicions(self):
        """Return none: samples that were read are not kept, to be compared with others."""
        return ()

    def score_blocks(self, run, choice):
        """Return None: batches have no blocks."""
        return

    def test_permutations(self, run, n_folds, candidates):
        """Return None: labels of samples that are not in memory do not change places."""
        return

    def score_covariates(self, run, choice, repeat):
        """Return None: batches have no covariates."""
        return

    def score_fewer(self, run, n_folds, candidates, scoring):
        """Return None: batches are read as they are."""
        return

    @property
    def units(self):
        """What is dealt to folds, samples or groups, counted for each class."""
        if self._groups is None:
            return Units(self.classes, self.class_counts)
        return self._groups.units(self.classes)

    def cut(self, n_folds, n_repeats, is_nested):
        """Deal the rows, or whole groups, to outer folds, again and again."""
        least = 3 if is_nested else 2
        return deal_repeats(
            n_folds, n_repeats, self.seed, self.class_counts, self._groups, self.classes, least
        )

    def prepare(self, trials):
        """Open the checkpoint, which must be of the same selection."""
        trial, self._trials, self._tally = trials[0], trials, None
        if trial.choice.needs_every_class:
            raise ValueError(
                f"scoring={trial.choice.scoring!r} needs all samples in memory, and X is Batches: "
                "samples are ranked by it. Take another score, such as 'neg_log_loss', which is a "
                "mean over samples."
            )
        (candidate,) = trial.candidates.values()
        width = block_width(self._batches, self._memory)
        self._plan = StreamPlan(
            self._batches, self.classes, candidate.procedure.estimator,
            [each.repeat.folds for each in trials], trial.training_sets, width, self._n_jobs,
        )  # fmt: skip
        self._n_at_a_time = max(1, self._memory // self._plan.repeat_bytes)
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
        if self._n_at_a_time < len(self._trials):
            more["repeats_at_a_time"] = self._n_at_a_time
        if not self._plan.has_moments:
            more["columns_at_a_time"] = self._plan.width
        name = type(self._plan.estimator).__name__
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
        n_features = self._batches.n_features
        estimator, costs = clone(self._plan.estimator), self._trials[0].choice.costs
        if costs is not None:
            estimator = CostSensitiveClassifier(estimator, costs=costs)
        self._model, self._done = self._checkpoint.begin(estimator, n_features)
        state = self._checkpoint.state or {}
        with self._checkpoint.errors_that_name():
            self._tally = _Tally.begin(
                self._trials, self.class_counts, self.n_groups or 0, state.get("tally")
            )
            if self._done.finished:
                self._spreads = state["spreads"]
                floats("features", least=0.0)(self._spreads, {"features": n_features})
                if type(getattr(self._model, "estimator_", self._plan.estimator)) is not type(
                    self._plan.estimator
                ):
                    raise ValueError("it holds another classifier")
        if not self._done.finished:
            self._run_rounds(state.get("summary"))

    def _run_rounds(self, state):
        """Take as many repeats at a time as fit in memory, in passes of their own."""
        plan, n_trials = self._plan, len(self._trials)
        starts = range(0, n_trials, self._n_at_a_time)
        n_passes = len(starts) * (plan.n_summary_passes + 1)
        rows_read = RowCount(self._progress, self._batches.n_samples, n_passes, self._done.n_rows)
        n_rounds_done, n_done = divmod(self._done.n_done, plan.n_steps)
        self._n_steps = len(starts) * plan.n_steps
        for start in starts[n_rounds_done:]:
            repeats = slice(start, min(start + self._n_at_a_time, n_trials))
            self._run_passes(repeats, state if n_done else None, n_done, rows_read)
            n_done = 0

    def _run_passes(self, repeats, state, n_done, rows_read):
        """Summarise the training sets, then predict each row by models that have not seen it."""
        plan, checkpoint = self._plan._replace(deals=self._plan.deals[repeats]), self._checkpoint
        with checkpoint.errors_that_name():
            kind = MeansPass if plan.has_moments else MediansPasses
            self._summary = summary = kind(plan, state, n_done)
        for _ in summary.steps(n_done, rows_read):
            self._advance(rows_read)
            if checkpoint.is_due() or not plan.has_moments:  # a step of medians is a whole pass
                self._write()

        models = _Models(self._trials[repeats], plan, summary, self._groups)
        for batch in self._batches.start(max(0, n_done - plan.n_summary_steps)):
            codes = codes_of(batch, self.classes)
            models.predict(batch.X, codes, _group_hashes(batch), self._tally)
            rows_read.add(codes.size)
            self._advance(rows_read)
            if checkpoint.is_due() and self._done.n_done < self._n_steps:
                self._write()

    def _write(self):
        state = {"summary": self._summary.state, "tally": self._tally.arrays}
        self._checkpoint.write(self._model, self._done, state)

    def _advance(self, rows_read):
        self._done = Progress(self._done.n_done + 1, rows_read.n_done)

    def fit_final(self, candidate, scores, choice, calibrates=True):
        """Return the model that was chosen, of the summary of all rows; costs decide.

        It is not calibrated, as nothing is kept of a single sample.
        """
        n_features, costs = scores.n_features, choice.costs
        if self._done.finished:
            return self._keep_final(self._model, n_features, self._spreads)
        batches, summary = self._batches, self._summary
        model = clone(self._plan.estimator).set_params(n_features_to_select=n_features)
        solution = candidate.procedure.path(summary.solution()).solution
        centers = model._keep(batches.features, self.classes, solution, n_features)
        model = centers if costs is None else CostSensitiveClassifier.of_fitted(centers, costs)
        state = {"tally": self._tally.arrays, "spreads": summary.spreads}
        with self._checkpoint.hold():
            self._checkpoint.write(model, self._done._replace(finished=True), state)
        return self._keep_final(model, n_features, summary.spreads)

    def _keep_final(self, model, n_features, spreads):
        centers = getattr(model, "estimator_", model)  # what decides by costs has them inside
        final = FinalModel.of_centers(centers, spreads)
        self._selected = final.ranking[:n_features]
        return final._replace(model=self._batches.in_front_of(model))

    def group_hits(self, scores, repeats):
        """Count the samples of each group that were recognised, in each repeat, and all of them."""
        if self._groups is None:
            return None
        chosen = scores.positions.reshape(len(repeats), -1)
        hits = [
            each[np.arange(len(each)), mine[repeat.folds.folds]]
            for each, mine, repeat in zip(self._tally.hits, chosen, repeats, strict=True)
        ]
        return np.array(hits), self._groups.counts.sum(axis=1)

    def count_calls(self, scores, choice):
        """Return None: it takes single samples."""
        return

    def describe_samples(self, candidate, scores, final, repeats):
        """Tell what is known of each sample: nothing, only counts are kept."""
        names = ("predicted", "probabilities", "true_codes", "subspace", "stability")
        return dict.fromkeys(names)

    def find_stand_ins(self, candidate, choice, found, most):
        """Find none: samples that were read are not kept."""
        return StandIns()


class StreamPlan(NamedTuple):
    """What the passes over the rows have in common."""

    batches: Batches
    classes: np.ndarray
    estimator: BaseEstimator  # what is fitted, with any number of features
    deals: list  # what deals the rows to the folds of each repeat
    training_sets: list  # of a repeat, each by the folds it leaves out
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
    def n_cells(self):
        """Number of classes in all folds of a repeat."""
        return self.deals[0].n_folds * self.n_classes

    @property
    def sets(self):
        """What is summarised: a repeat, and the folds left out; first all rows."""
        numbers = range(len(self.deals))
        return [(0, ()), *((number, each) for number in numbers for each in self.training_sets)]

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
        return self.n_summary_steps + self.batches.n_batches

    @property
    def repeat_bytes(self):
        """Bytes of the sums and the models of a repeat: some numbers for each feature."""
        numbers = 2 * self.n_cells + len(self.training_sets) * (self.n_classes + 6)
        return 8 * numbers * self.batches.n_features

    def folds_of(self, codes, n_before, groups):
        """Return the fold of each row in each repeat, of which so many came before."""
        return [deal.folds_of(codes, n_before, groups) for deal in self.deals]


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

    It goes on from the `state` that an earlier run has found in `n_done` steps.
    """

    def __init__(self, plan, state, n_done):
        self._plan = plan
        self._moments = None  # of each repeat
        if state is None and n_done:
            raise ValueError("it holds no moments of the batches that were read")
        if state is not None:
            self._moments = [
                moments_from_arrays(each, plan.n_cells, plan.batches.n_features)
                for each in state["moments"]
            ]

    def steps(self, n_done, rows_read):
        """Go on after some steps; yield after each."""
        plan = self._plan
        for batch in plan.batches.start(n_done) if n_done < plan.n_summary_steps else ():
            codes = codes_of(batch, plan.classes)
            found = [
                class_moments(
                    batch.X, folds * plan.n_classes + codes, plan.n_cells, None, plan.n_jobs
                )
                for folds in plan.folds_of(codes, self._n_before, _group_hashes(batch))
            ]
            if self._moments is not None:
                found = [each.merge(new) for each, new in zip(self._moments, found, strict=True)]
            self._moments = found
            rows_read.add(batch.y.size)
            yield

    @property
    def _n_before(self):
        """Rows of each class so far."""
        n_classes = self._plan.n_classes
        if self._moments is None:
            return np.zeros(n_classes, dtype=int)
        return self._moments[0].counts.reshape(-1, n_classes).sum(axis=0).astype(int)

    @property
    def state(self):
        """Arrays that tell what has been found so far."""
        return {"moments": [vars(each) for each in self._moments]}

    def solution(self, number=0, left_out=()):
        """Sparse centers of all rows but those of some folds of a repeat."""
        n_classes, estimator = self._plan.n_classes, self._plan.estimator
        parts = [
            self._moments[number].take_classes(slice(fold * n_classes, (fold + 1) * n_classes))
            for fold in range(self._plan.deals[number].n_folds)
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
        state = {"spreads": [], "summaries": [[] for _ in plan.sets]} | (state or {})
        n_columns = min(n_done * plan.width, plan.batches.n_features)
        self._spreads = list(state["spreads"])
        for spreads in self._spreads:
            floats(n_columns, least=0.0)(spreads, {})
        self._parts = {
            key: summaries_from_arrays(parts, plan.n_classes, n_columns)
            for key, parts in zip(plan.sets, state["summaries"], strict=True)
        }

    def steps(self, n_done, rows_read):
        """Go on after some steps; yield after each."""
        plan, batches = self._plan, self._plan.batches
        for start in self._starts[n_done:]:
            block = batches.columns(start, min(start + plan.width, batches.n_features))
            X, codes, groups = read_block(block, plan.classes, rows_read)
            folds = plan.folds_of(codes, np.zeros(plan.n_classes, dtype=int), groups)
            self._summarise(X.tocsc() if issparse(X) else X, codes, folds)
            yield

    def _summarise(self, X, codes, folds):
        n_classes, n_jobs = self._plan.n_classes, self._plan.n_jobs
        problem = self._plan.estimator._problem
        for (number, left_out), parts in self._parts.items():
            trained = np.where(np.isin(folds[number], left_out), np.int32(-1), codes)
            parts.append(problem.summarise_columns(X, trained, n_classes, None, n_jobs))
        moments = class_moments(X, codes, n_classes, None, n_jobs)
        self._spreads.append(np.sqrt(moments.within_variance))

    @property
    def state(self):
        """Arrays that tell what has been found so far."""
        self._join()
        summaries = [[summary_arrays(part) for part in parts] for parts in self._parts.values()]
        return {"spreads": [*self._spreads], "summaries": summaries}

    def solution(self, number=0, left_out=()):
        """Sparse centers of all rows but those of some folds of a repeat."""
        self._join()
        (summary,) = self._parts[number, left_out]
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
    "outer": ("repeats", "folds", "sizes", "classes", "classes"),
    "inner": ("repeats", "folds", "folds", "inner", "classes", "classes"),
    "at_random": ("repeats", "folds", "orders", "sizes", "classes", "classes"),
    "hits": ("repeats", "groups", "sizes"),  # right predictions of the outer folds
}
_LOSS_AXES = {  # the same of moments of losses, of which there are none where none are needed
    "outer_losses": ("repeats", "folds", "sizes", "losses", "moments"),
    "inner_losses": ("repeats", "folds", "folds", "inner", "scored", "moments"),
    "random_losses": ("repeats", "folds", "orders", "sizes", "scored", "moments"),
}


class _Tally(NamedTuple):
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
    def begin(cls, trials, class_counts, n_groups, arrays=None):
        """Return counts of nothing, or what an earlier run has counted."""
        trial = trials[0]
        n_folds, (key,) = trial.repeat.n_folds, trial.candidates
        n_sizes, n_inner = trial.all_sizes.size, trial.inner_sizes(key).size
        sizes = {"folds": n_folds, "sizes": n_sizes, "inner": n_inner, "orders": trial.n_random}
        sizes |= {"repeats": len(trials), "groups": n_groups, "classes": class_counts.size}
        sizes |= {"losses": len(LOSSES), "moments": 2}
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
        sizes |= {"counts": int(class_counts.max()) + 1, "samples": int(class_counts.sum()) + 1}
        check_state(found, **sizes)
        return found

    @property
    def arrays(self):
        """Return copies, which do not change any more."""
        return {name: array.copy() for name, array in self._asdict().items()}

    def n_before(self, repeat):
        """Count the samples of each class so far, in a repeat."""
        return self.outer[repeat, :, 0].sum(axis=(0, 2))

    def of_repeat(self, number):
        """Return what belongs to a repeat."""
        return _Tally(*(each[number] for each in self))

    def counts(self, trial):
        """Return the counts of a repeat as the engine takes them."""
        counts, (key,), n_folds = FoldCounts.empty(), trial.candidates, trial.repeat.n_folds
        tested, mine = partial(_tested, trial.choice.scoring), self.of_repeat(trial.repeat.number)
        for fold in range(n_folds):
            counts.outer[fold, key] = tested(mine.outer[fold], mine.outer_losses[fold])
            counts.at_random[fold] = tested(mine.at_random[fold], mine.random_losses[fold])
            for other in range(n_folds):
                both = mine.inner[fold, other], mine.inner_losses[fold, other]
                counts.inner[fold, other, key] = tested(*both)
            position = trial.choose_inside(counts, fold, key).position
            losses = mine.outer_losses[fold, position]
            counts.chosen[fold, key] = ChosenPredictions(None, None, losses)
        return counts


def _tested(scoring, confusions, losses):
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


class _Models:
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
        path, batches = candidate.procedure.path(solution), self._plan.batches
        orders, sizes, kept = (), trial.sizes_of(self._key, left_out), NONE
        if len(left_out) == 1:
            orders = trial.random_orders(*left_out, batches.n_features)
            kept = trial.choice.positions(sizes)  # of which one is chosen in the end
        ready = None
        if not trial.choice.needs_scores:
            ready = path.prepare(batches.n_stored is not None, sizes, orders, kept)
        models = path, orders, ready
        if len(left_out) == 1:
            return [_Job(number, place, *left_out, None, *models)]
        one, other = left_out
        return [_Job(number, place, other, one, *models), _Job(number, place, one, other, *models)]

    def predict(self, X, codes, groups, tally):
        """Predict rows, and count what comes out."""
        plan, trial = self._plan, self._trial
        all_folds = plan.folds_of(codes, tally.n_before(self._jobs[0].number), groups)
        n_folds = trial.repeat.n_folds
        rows = [[np.flatnonzero(each == fold) for fold in range(n_folds)] for each in all_folds]
        places = None if groups is None else self._groups.places(groups)

        def count(job):
            mine, totals = rows[job.place][job.fold], job.totals(tally)

            def see(block, found):
                # Jobs do not get into each other's way: the rows of a group are all in one fold.
                if places is not None and job.outer is None:
                    is_right = codes[mine[block], None] == found.codes.T
                    np.add.at(tally.hits[job.number], places[mine[block]], is_right)

            ask = self._score if trial.choice.needs_scores else self._count
            losses = [each[1] for each in totals]
            found = ask(job, X, mine, codes[mine], losses, see)
            return zip(totals, found, strict=True)

        jobs = [(job,) for job in self._jobs if rows[job.place][job.fold].size]
        for counted in map_blocks(count, jobs, plan.n_jobs):
            for totals, found in counted:
                for total, part in zip(totals, found, strict=True):
                    total += part

    def _count(self, job, X, rows, codes, losses, see):
        """Return confusion matrices of each order, and moments of losses where they are asked."""
        moments = np.zeros_like(losses[0])

        def add_losses(block, found):
            moments[job.ready.kept] += loss_moments(found.probabilities, codes[block])
            see(block, found)

        show = show_predicted(add_losses if moments.size else None, job.ready.kept)
        found = job.ready.count(X, rows, codes, self._plan.n_classes, show)
        return zip(found, [moments, *(0.0 for _ in job.orders)], strict=True)

    def _score(self, job, X, rows, codes, losses, see):
        """Find the same where every model has to say how probable the classes are."""
        sizes = self._trial.sizes_of(self._key, (job.fold,) if job.outer is None else (0, 1))
        path, orders = job.path, job.orders
        costs, n_classes, counted = self._trial.choice.costs, self._plan.n_classes, []
        for block, found in path.predict_blocks(X, rows, sizes, np.arange(sizes.size), orders):
            decided = [each.decide(costs) for each in found]
            see(block, decided[0])
            counted.append(
                [
                    (
                        confusion_matrices(each.codes, codes[block], n_classes),
                        loss_moments(each.probabilities, codes[block]) if asked.size else 0.0,
                    )
                    for each, asked in zip(decided, losses, strict=True)
                ]
            )
        return [
            tuple(map(sum, zip(*of_order, strict=True))) for of_order in zip(*counted, strict=True)
        ]
