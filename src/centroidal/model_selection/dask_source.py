"""Samples in the blocks of a Dask collection, as a source of the engine; see `sources.py`.

Labels, and groups if there are any, are read first, and stay on the workers. Then blocks are read
three times: for the moments of all folds, which are merged in a tree; to count what the models of
all training sets predict; and to predict each row by the models that were chosen. What these say
of single rows comes together on a worker, which learns from it. Sums and counts reach the client,
and the few numbers of each row that a calibrated model keeps.
"""

from functools import partial, reduce
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse, vstack
from sklearn.base import clone

from .._data import Features, check_block
from .._parameters import check_count
from .._progress import progress_function
from ..statistics.dask_collection import (
    DaskCollection,
    RowBlocks,
    call_later,
    gather,
    read_later,
    take_columns,
)
from ..streaming.batches import Batches
from ..streaming.passes import RowCount
from .counted_source import CountedSource, check_streams, gains_of
from .fold_passes import (
    FoldMoments,
    FoldPlan,
    Models,
    Rows,
    Tally,
    merge_moments,
    summarise_rows,
)
from .held_out_rows import ChosenModels, HeldOutRows, Learned
from .methods import METHODS, metric_of
from .metrics import LOSSES
from .preparation import check_names
from .repeatable import seed_of
from .row_labels import (
    LabelBlock,
    LabelCounts,
    Sites,
    add_predicted,
    label_block,
    predict_site,
)
from .splits import training_sets

__all__ = ["DaskSource"]

_NAME = "select_features"  # in the errors of checks


class DaskSource(CountedSource):
    """Samples on the workers of a cluster: passes summarise, count predictions, and hold rows out.

    The parameters are those of :func:`select_features`; the method must have sums that merge.
    """

    noun = "a Dask collection"

    def __init__(
        self, X, y, method, random_state, progress, *, groups, blocks, feature_names, classes,
        memory, permutations=None, learning_curve=None,
    ):  # fmt: skip
        check_streams(method, needs_sums=True)
        check_count("memory", memory)
        self._progress, self._memory = progress_function(progress, "rows"), memory
        self._permutations, self._has_curve = permutations, learning_curve is not None
        self.seed = seed_of(random_state)
        self._batches = X if isinstance(X, Batches) else None
        given = _of_batches(X) if self._batches else _of_collection(X, y, groups, blocks)
        self._features = given.features._replace(names=check_names(feature_names, given.features))
        self._count_labels(given.labels.persist(), classes, given.has_groups)
        names = _column_names(given.blocks.template)
        self._blocks = given.blocks.with_check(partial(check_block, _NAME, True, names))
        self._is_sparse = self._blocks.is_sparse
        if given.has_sites:
            self._sites = Sites.of(
                self._labels.map(LabelBlock.count_sites).gather(), self.classes, given.has_groups
            )

    @property
    def feature_names(self):
        """Names of all features, which a model behind other steps does not know."""
        if self._batches is None:
            return super().feature_names
        return np.array(self._batches.feature_names.tolist())

    def _count_labels(self, labels, classes, has_groups):
        """Count labels and groups, which stay where they are, in each block."""
        counts = [LabelCounts(*each) for each in labels.map(LabelBlock.count).gather()]
        totals = self._take_counts(counts, classes, has_groups)
        self._n_before, self._n_rows = np.cumsum(totals, axis=0) - totals, totals.sum(axis=1)
        self._labels = labels

    def prepare(self, trials):
        """Say what is to be summarised and predicted."""
        trial, self._trials, self._tally, self._held_out = trials[0], trials, None, []
        self._check_scoring(trial.choice)
        self._plan = plan = self._plan_of(trials)
        step = max(1, self._memory // plan.repeat_bytes)
        self._rounds = [slice(start, start + step) for start in range(0, len(trials), step)]
        self._begin_reading((2 + self._holds_out) * len(self._rounds), 2, plan, trial)

    def count_predictions(self, trial):
        """Count what each training set predicts in the folds that it leaves out.

        That of all repeats is counted when it is asked for the first of them, as many at a time as
        fit in memory.
        """
        if self._tally is None:
            self._tally = reduce(Tally.add, map(self._count, self._rounds))
        return self._tally.counts(trial)

    def without_block(self, name, ids):
        """Return the source without a block, and groups that have samples in it."""
        found = self._part()
        labels = self._labels.map(partial(_leave_out, name, ids)).persist()
        found._count_labels(labels, None, self._groups is not None)
        found._batches = None  # so that the model takes rows as they are read
        return found

    def test_block(self, name, model, scoring):
        """Count what a model predicts of a block, for each group; and sum its losses."""
        test = partial(predict_site, model, name, self.classes, metric_of(scoring) in LOSSES)
        return add_predicted(self._blocks.of_rows(test, self._labels).gather(), self.classes.size)

    def screen(self, repeats, n_features):
        """Return the columns that are among the first in any training set, and the moments of all.

        Training sets are those of nested cross-validation, each of which ranks by itself.
        """
        estimator = METHODS["l2"].build(self.kind).estimator
        deals = [each.folds for each in repeats]
        self._plan = FoldPlan(
            self._features.number, self._is_sparse, self.classes, estimator, deals,
            training_sets(repeats[0].n_folds, is_nested=True),
        )  # fmt: skip
        columns, rows_read = [], RowCount(self._progress, int(self._n_rows.sum()), 1, 0)
        for number in range(len(deals)):  # one at a time: each has many models
            plan = self._plan._replace(deals=deals[number : number + 1])
            moments = self._summarise(plan, rows_read)
            columns.append(gather(call_later(partial(_first_columns, plan, n_features), moments)))
        self._moments = gather(call_later(partial(_of_all_rows, plan), moments))
        return np.unique(np.concatenate(columns))

    def bring(self, columns):
        """Bring some columns of all rows, labels, ids of groups and names of blocks, if any."""
        parts = self._blocks.of_rows(partial(_take_columns, columns), self._labels).gather()
        X = vstack(parts, format="csr") if self._is_sparse else np.concatenate(parts)
        labels = self._labels.gather()
        y = np.concatenate([each.labels[each.places] for each in labels if each.size])
        ids = None if self._groups is None else np.concatenate([each.ids for each in labels])
        sites = None if self._sites is None else np.concatenate([each.sites for each in labels])
        return X, y, ids, sites

    def screener(self, n_features):
        """Return what selects the first features of all rows, fitted."""
        estimator = clone(self._plan.estimator).set_params(n_features_to_select=n_features)
        solution = estimator._problem.solve_moments(estimator, None, self._moments)
        return estimator._keep(self._features, self.classes, solution, n_features)

    def _count(self, repeats):
        """Summarise the training sets of some repeats, and predict rows by their models."""
        plan = self._plan._replace(deals=self._plan.deals[repeats])
        moments = self._summarise(plan, self._rows_read)
        if repeats.start == 0:
            self._moments = gather(call_later(partial(_of_all_rows, plan), moments))
        trials, empty = self._trials[repeats], Tally.begin(self._trials, self.class_counts)
        tally = self._predict((trials, plan, empty), moments, self._labels, self._n_before)
        if self._holds_out:
            positions = [tally.chosen_positions(each) for each in trials]
            made_of = trials, plan, positions, self._groups, self._thinning
            choose = partial(_choose_models, *made_of)
            self._held_out.append(self._hold_out(plan, gather(call_later(choose, moments))))
        return tally

    def _hold_out(self, plan, models):
        """Predict each row by the models that were chosen; the rows stay where they are."""
        blocks = self._blocks
        if self._batches is not None:
            blocks = _read_blocks(self._batches.take(models.columns))
        parts = blocks.of_rows(partial(_hold_out_block, plan, models), self._labels, self._n_before)
        return parts.reduce_watched(HeldOutRows.join, partial(self._see, self._rows_read))

    def _summarise(self, plan, rows_read, labels=None, n_before=None):
        """Find the moments of all folds, which stay where they are."""
        labels, n_before = labels or self._labels, self._n_before if n_before is None else n_before
        parts = self._blocks.of_rows(partial(_summarise_block, plan), labels, n_before)
        return parts.reduce_watched(merge_moments, partial(self._see, rows_read))

    def _predict(self, made_of, moments, labels, n_before):
        """Count what the models of all training sets predict, given their moments."""
        counter = call_later(partial(BlockCounter, *made_of), moments)
        parts = self._blocks.of_rows(counter, labels, n_before)
        return gather(parts.reduce_watched(_add_tallies, partial(self._see, self._rows_read)))

    def _see(self, rows_read, place):
        rows_read.add(int(self._n_rows[place]))

    def _count_again(self, trials, codes, has_gains):
        """Count what the models of some labellings predict; find their gains, if asked for."""
        plan, n_classes = self._plan_of(trials), self.classes.size
        parts = np.split(codes, np.cumsum(self._lengths)[:-1], axis=1)
        counts = np.array([[np.bincount(each[each >= 0], minlength=n_classes) for each in part]
                           for part in parts])  # fmt: skip
        n_before = list(np.cumsum(counts, axis=0) - counts)
        labels = self._labels.map(_take_codes, parts)
        moments = self._summarise(plan, self._rows_read, labels, n_before)
        gains = None
        if has_gains:
            find = partial(_gains_of_all, plan, self._gains_estimator())
            gains = gather(call_later(find, moments))
        made_of = trials, plan, Tally.begin(trials, self.class_counts)
        return self._predict(made_of, moments, labels, n_before), gains

    def _gather_labels(self):
        labels = self._labels.gather()
        self._lengths = [each.size for each in labels]
        return labels

    def fit_final(self, candidate, scores, choice, calibrates=True):
        """Return the model that was chosen, of the moments of all rows; costs decide.

        It is calibrated by the rows that were held out, unless it is of a part.
        """
        estimator = self._plan.estimator
        solution = estimator._problem.solve_moments(estimator, None, self._moments)
        if self._holds_out:
            learn = partial(Learned.of, self._facts, scores, not choice.needs_probabilities)
            self._learned = gather(call_later(learn, *self._held_out))
            self._held_out = []
        model = self._fit_model(candidate, scores, choice.costs, solution, self._moments)
        final = self._tell_final(model, np.sqrt(self._moments.within_variance))
        if self._batches is None:
            return final
        return final._replace(model=self._batches.in_front_of(model))


# ------------------------------------------------------------------ what is given


class _Given(NamedTuple):
    """Blocks of rows, and what is known of them before they are read."""

    blocks: DaskCollection
    labels: RowBlocks  # of `LabelBlock`
    features: Features
    has_groups: bool
    has_sites: bool


def _of_collection(X, y, groups, sites):
    """Pair the blocks of a collection with labels, groups and what else is a block."""
    if y is None:
        raise ValueError("y=None must hold the class of each sample, or name a column of X.")
    given = {"y": y, "groups": groups, "blocks": sites}
    X, given = take_columns(X, {name: each for name, each in given.items() if each is not None})
    blocks = DaskCollection.of(X)
    columns = {name: blocks.pair(name, column) for name, column in given.items()}
    nothing = [None] * len(columns["y"])
    others = [columns.get(name, nothing) for name in ("groups", "blocks")]
    features = Features(blocks.shape[1], _column_names(blocks.template))
    labels = columns["y"].map(label_block, *others)
    return _Given(blocks, labels, features, "groups" in columns, "blocks" in columns)


def _of_batches(rows):
    """Let workers read the rows of files, each some of them."""
    labels = read_later(rows.read_labels, rows.row_blocks()).map(_label_block_of)
    named = rows.groups is not None, rows.blocks is not None
    return _Given(_read_blocks(rows), labels, rows.features, *named)


def _read_blocks(rows):
    """Let workers read the rows of files, block by block."""
    is_sparse = rows.n_stored is not None
    return DaskCollection.of_reader(rows.read_rows, rows.row_blocks(), rows.n_features, is_sparse)


def _column_names(template):
    """Return the names of the columns of a data frame; None for anything else."""
    columns = getattr(template, "columns", None)
    return None if columns is None else np.array(columns.tolist(), dtype=object)


# ------------------------------------------------------------------ labels


class DrawnLabels(NamedTuple):
    """Classes of the rows of a block that they have in some labellings, and ids of their groups."""

    drawn: np.ndarray  # a row for each labelling
    ids: np.ndarray | None

    @property
    def size(self):
        """Number of rows."""
        return self.drawn.shape[1]

    def codes(self, classes):
        """Return the class of each row, in each labelling."""
        return self.drawn


def _label_block_of(given):
    return label_block(*given)


# ------------------------------------------------------------------ on the workers


def _leave_out(name, ids, labels):
    return labels.without(name, ids)


def _take_codes(labels, codes):
    return DrawnLabels(codes, labels.ids)


def _rows_of(plan, X, labels, n_before):
    """Return the rows of a block as both passes take them."""
    if issparse(X) != plan.is_sparse:
        said = ["dense", "sparse"]
        raise ValueError(
            f"it is {said[issparse(X)]}, and X says it is {said[plan.is_sparse]}: give its "
            "meta when the collection is made."
        )
    X = X.tocsr() if plan.is_sparse else X
    return Rows(X, labels.codes(plan.classes), n_before, labels.ids)


def _summarise_block(plan, X, labels, n_before):
    return summarise_rows(plan, _rows_of(plan, X, labels, n_before))


def _of_all_rows(plan, moments):
    return FoldMoments(plan, moments).merge()


def _gains_of_all(plan, estimator, moments):
    """Return the gains of all features in each labelling."""
    summary = FoldMoments(plan, moments)
    return [gains_of(estimator, summary.merge(number)) for number in range(len(plan.deals))]


def _first_columns(plan, n_features, moments):
    """Return the columns that are first in a training set, for any of them, and for all rows."""
    summary = FoldMoments(plan, moments)
    sets = [(), *plan.training_sets]
    return np.unique([summary.solution(0, each).path.ranking[:n_features] for each in sets])


def _take_columns(columns, X, labels, n_before):
    return X[:, columns]


def _choose_models(trials, plan, positions, groups, thinning, moments):
    summary = FoldMoments(plan, moments)
    return ChosenModels(trials, plan, summary, positions, groups, thinning)


def _hold_out_block(plan, models, X, labels, n_before):
    """Predict the rows of a block by the models that were chosen."""
    rows = _rows_of(plan, X, labels, n_before)
    if rows.X.shape[1] > models.columns.size:
        rows = rows._replace(X=rows.X[:, models.columns])
    return models.hold_out(rows)


class BlockCounter:
    """Counts what the models of all training sets predict of the rows of a block.

    It is sent to workers as what the models are made of, which is much smaller than they are.
    """

    def __init__(self, trials, plan, empty, moments):
        self._made_of = trials, plan, empty, moments
        self._models = Models(trials, plan, FoldMoments(plan, moments), None)

    def __reduce__(self):
        return type(self), self._made_of

    def __call__(self, X, labels, n_before):
        _, plan, empty, _ = self._made_of
        tally = Tally(**empty.arrays)
        self._models.count(_rows_of(plan, X, labels, n_before), tally)
        return tally


def _add_tallies(parts):
    return reduce(Tally.add, parts)
