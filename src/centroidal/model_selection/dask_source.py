"""Samples in the blocks of a Dask collection, as a source of the engine; see `sources.py`.

Labels, and groups if there are any, are read first, and stay on the workers. Then blocks are read
twice: once for the moments of all folds, which are merged in a tree, and once to count what the
models of all training sets predict. Only sums and counts reach the client.
"""

from copy import copy
from functools import partial, reduce
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse, vstack
from sklearn.base import clone
from sklearn.utils import column_or_1d

from .._data import Features, check_block, count_block_labels
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
from ..streaming.labels import hash_names
from ..streaming.passes import RowCount
from ..streaming.request import texts
from .blocks import Blocks, block_interval, empty_row, say_trouble
from .counted_source import CountedSource, check_classes, check_streams, gains_of
from .fold_passes import (
    FoldMoments,
    FoldPlan,
    Models,
    Rows,
    Tally,
    merge_moments,
    summarise_rows,
    test_counts,
)
from .methods import METHODS, metric_of
from .metrics import LOSSES, loss_moments
from .preparation import check_names
from .procedures import predict_with
from .repeatable import seed_of
from .splits import Groups, check_sample_names, training_sets

__all__ = ["DaskSource"]

_NAME = "select_features"  # in the errors of checks


class DaskSource(CountedSource):
    """Samples on the workers of a cluster: one pass summarises all training sets, another predicts.

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
        self._sites = None
        if blocks is not None:
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
        found = np.unique(np.concatenate([each.labels for each in counts if each.labels.size]))
        totals = [each.of_classes(found) for each in counts]
        self.classes, self.class_counts = check_classes(found, np.sum(totals, axis=0), classes)
        totals = np.array([each.of_classes(self.classes) for each in counts])
        self._n_before, self._n_rows = np.cumsum(totals, axis=0) - totals, totals.sum(axis=1)
        self._groups = _merge_groups(counts, self.classes) if has_groups else None
        self._labels = labels

    def prepare(self, trials):
        """Say what is to be summarised and predicted."""
        trial, self._trials, self._tally = trials[0], trials, None
        self._check_scoring(trial.choice)
        self._plan = plan = self._plan_of(trials)
        step = max(1, self._memory // plan.repeat_bytes)
        self._rounds = [slice(start, start + step) for start in range(0, len(trials), step)]
        self._begin_reading(2 * len(self._rounds), 2, plan, trial)

    def count_predictions(self, trial):
        """Count what each training set predicts in the folds that it leaves out.

        That of all repeats is counted when it is asked for the first of them, as many at a time as
        fit in memory.
        """
        if self._tally is None:
            self._tally = reduce(Tally.add, map(self._count, self._rounds))
        return self._tally.counts(trial)

    def score_blocks(self, run, choice):
        """Score each block by what `run` selects without it; None if there are no blocks."""
        if self._sites is None:
            return None
        return self._sites.score(self, run, choice)

    def without_block(self, name, ids):
        """Return the source without a block, and groups that have samples in it."""
        found = copy(self)
        labels = self._labels.map(partial(_leave_out, name, ids)).persist()
        found._progress, found._sites = progress_function(None, "rows"), None
        found._permutations, found._has_curve = None, False
        found._features = self._features._replace(names=None)  # blocks of X are arrays
        found._count_labels(labels, None, self._groups is not None)
        return found

    def test_block(self, name, model, scoring):
        """Count what a model predicts of a block, for each group; and sum its losses."""
        test = partial(_test_site, model, name, self.classes, metric_of(scoring) in LOSSES)
        parts = self._blocks.of_rows(test, self._labels).gather()
        ids = np.concatenate([ids for ids, *_ in parts])
        units, numbers = np.unique(ids, return_inverse=True)
        counts = np.zeros((units.size, self.classes.size, self.classes.size), dtype=int)
        np.add.at(counts, numbers, np.concatenate([counts for _, counts, _ in parts]))
        return counts, sum(losses for *_, losses in parts)

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
        """Bring some columns of all rows, their labels, and ids of their groups if there are."""
        parts = self._blocks.of_rows(partial(_take_columns, columns), self._labels).gather()
        X = vstack(parts, format="csr") if self._is_sparse else np.concatenate(parts)
        labels = self._labels.gather()
        y = np.concatenate([each.labels[each.places] for each in labels if each.size])
        ids = None if self._groups is None else np.concatenate([each.ids for each in labels])
        return X, y, ids

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
        empty = Tally.begin(self._trials, self.class_counts, self.n_groups or 0)
        made_of = self._trials[repeats], plan, self._groups, empty
        return self._predict(made_of, moments, self._labels, self._n_before)

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
        made_of = trials, plan, None, self._begin_again(trials)
        return self._predict(made_of, moments, labels, n_before), gains

    def _read_labels(self):
        labels = self._labels.gather()
        codes = np.concatenate([each.codes(self.classes) for each in labels])
        ids = None if self._groups is None else np.concatenate([each.ids for each in labels])
        self._lengths = [each.size for each in labels]
        return codes, ids

    def _read_sites(self):
        sites = self._labels.map(LabelBlock.number_sites).gather()
        names = np.unique(np.concatenate([found for found, _ in sites]))
        return np.concatenate([np.searchsorted(names, found)[places] for found, places in sites])

    def fit_final(self, candidate, scores, choice, calibrates=True):
        """Return the model that was chosen, of the moments of all rows; costs decide.

        It is not calibrated, as nothing is kept of a single sample.
        """
        estimator = self._plan.estimator
        solution = estimator._problem.solve_moments(estimator, None, self._moments)
        model = self._fit_model(candidate, scores.n_features, choice.costs, solution)
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
    return _Given(blocks, columns["y"].map(_label_block, *others), features, "groups" in columns)


def _of_batches(rows):
    """Let workers read the rows of files, each some of them."""
    places = rows.blocks()
    blocks = DaskCollection.of_reader(
        rows.read_rows, places, rows.n_features, rows.n_stored is not None
    )
    labels = read_later(rows.read_labels, places).map(_label_block_of)
    return _Given(blocks, labels, rows.features, rows.groups is not None)


def _column_names(template):
    """Return the names of the columns of a data frame; None for anything else."""
    columns = getattr(template, "columns", None)
    return None if columns is None else np.array(columns.tolist(), dtype=object)


# ------------------------------------------------------------------ labels


class LabelCounts(NamedTuple):
    """How often labels occur in a block, and in the groups of its rows if there are any."""

    labels: np.ndarray
    counts: np.ndarray  # of shape (groups, labels); without groups there is one row
    ids: np.ndarray | None

    def of_classes(self, classes):
        """Count each of the classes."""
        counts = np.zeros(classes.size, dtype=int)
        counts[np.searchsorted(classes, self.labels)] = self.counts.sum(axis=0)
        return counts


class LabelBlock(NamedTuple):
    """Labels of the rows of a block, and the ids of their groups."""

    labels: np.ndarray  # those that occur, sorted
    places: np.ndarray  # of that of each row among them, -1 for a row that is left out
    ids: np.ndarray | None
    sites: np.ndarray | None = None  # of each row, by name

    @property
    def size(self):
        """Number of rows."""
        return self.places.size

    def codes(self, classes):
        """Return the class of each row."""
        codes = np.append(np.searchsorted(classes, self.labels), -1).astype(np.int32)
        return codes[self.places]

    def count(self):
        """Count the labels, in each group if there are any."""
        kept = self.places >= 0
        ids = np.zeros(self.size, dtype=np.uint64) if self.ids is None else self.ids
        found = Groups.count(ids[kept], self.places[kept], self.labels.size)
        return LabelCounts(self.labels, found.counts, None if self.ids is None else found.ids)

    def count_sites(self):
        """Return each block, group and label that occur together, how often, and where first."""
        ids = np.zeros(self.size, dtype=np.uint64) if self.ids is None else self.ids
        names, numbers = np.unique(self.sites, return_inverse=True)
        groups, places = np.unique(ids, return_inverse=True)
        rows = np.column_stack([numbers, places, self.places])
        found, first, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
        labels = self.labels[found[:, 2]]
        return names[found[:, 0]], groups[found[:, 1]], labels, counts, first

    def number_sites(self):
        """Return the blocks that occur, and which of them each row belongs to."""
        names, numbers = np.unique(self.sites, return_inverse=True)
        return names, numbers.astype(np.int32)

    def without(self, site, ids):
        """Leave out the rows of a block, and of groups that have samples in it."""
        gone = self.sites == site if ids is None else np.isin(self.ids, ids)
        labels = np.unique(self.places[~gone])
        places = np.where(gone, -1, np.searchsorted(labels, self.places)).astype(np.int32)
        return self._replace(labels=self.labels[labels], places=places)


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


def _label_block(labels, groups=None, sites=None):
    """Check labels, groups and blocks of the rows of a block where they are."""
    count_block_labels(_NAME, labels)
    found, places = np.unique(column_or_1d(labels), return_inverse=True)
    ids = None
    if groups is not None:
        groups = np.asarray(groups)
        check_sample_names("groups", groups, places.size)
        ids = hash_names(np.array(texts(groups), dtype=object))
    if sites is not None:
        sites = np.asarray(sites)
        check_sample_names("blocks", sites, places.size)
        sites = sites.astype(str) if sites.dtype.kind == "O" else sites
    return LabelBlock(found, places.astype(np.int32), ids, sites)


def _label_block_of(both):
    return _label_block(*both)


def _merge_groups(counts, classes):
    """Count the samples of each class in each group, of all blocks together."""
    ids = np.unique(np.concatenate([each.ids for each in counts]))
    if ids.size < 2:
        raise ValueError("groups holds one group; there must be some to learn from and to test.")
    total = np.zeros((ids.size, classes.size), dtype=int)
    for each in counts:
        columns = np.searchsorted(classes, each.labels)
        total[np.ix_(np.searchsorted(ids, each.ids), columns)] += each.counts
    return Groups(ids, total)


class Sites(NamedTuple):
    """Blocks, such as sites, with the groups and classes that occur in them, and how often."""

    blocks: Blocks  # of what occurs, as if it were a sample each
    ids: np.ndarray  # of groups
    codes: np.ndarray
    counts: np.ndarray
    has_groups: bool

    @classmethod
    def of(cls, parts, classes, has_groups):
        """Put together what occurs in the blocks of rows; raise if no site can be left out."""
        parts = [each for each in parts if each[0].size]
        starts = np.cumsum([0, *(each[3].sum() for each in parts)])
        first = np.concatenate([each[4] + n for each, n in zip(parts, starts, strict=False)])
        found = (np.concatenate(each)[np.argsort(first)] for each in zip(*parts, strict=True))
        sites, ids, labels, counts, _ = found
        codes = np.searchsorted(classes, labels)
        groups = np.unique(ids, return_inverse=True)[1] if has_groups else None
        return cls(Blocks.check(sites, codes, groups), ids, codes, counts, has_groups)

    def score(self, source, run, choice):
        """Say what is known of each, as `Blocks` does it for samples in memory."""
        rows = []
        groups = np.unique(self.ids, return_inverse=True)[1] if self.has_groups else None
        cuts = self.blocks.cut(groups)
        for name, (train, test) in zip(self.blocks.names.tolist(), cuts, strict=True):
            row = empty_row(name, int(self.counts[test].sum()))
            trouble = say_trouble(self.codes, train, test)
            try:
                if trouble is None:
                    ids = np.unique(self.ids[test]) if self.has_groups else None
                    final, n_features = run(source.without_block(name, ids))
            except ValueError as error:
                trouble = str(error)
            if trouble is None:
                row |= self._test(source, name, final, choice) | {"n_features": n_features}
            rows.append(row | {"trouble": trouble})
        codes, numbers = (
            np.repeat(each, self.counts) for each in (self.codes, self.blocks.numbers)
        )
        groups = None if groups is None else np.repeat(groups, self.counts)
        blocks = self.blocks._replace(numbers=numbers)
        return blocks.describe(rows, codes, source.seed, groups)

    def _test(self, source, name, final, choice):
        counts, losses = source.test_block(name, final.model, choice.scoring)
        confusion, n_classes = counts.sum(axis=0), source.classes.size
        tested = test_counts(choice.scoring, confusion[None], np.asarray(losses)[None])
        units, codes, predicted = np.nonzero(counts)
        times = counts[units, codes, predicted]
        units, codes, predicted = (np.repeat(each, times) for each in (units, codes, predicted))
        units = units if self.has_groups else np.arange(units.size)
        interval = block_interval(predicted, codes, units, n_classes, source.seed, choice)
        score = float(tested.score(choice.scoring, choice.costs)[0])
        return {"score": score, "confusion": confusion, "interval": interval}


# ------------------------------------------------------------------ on the workers


def _leave_out(name, ids, labels):
    return labels.without(name, ids)


def _take_codes(labels, codes):
    return DrawnLabels(codes, labels.ids)


def _test_site(model, name, classes, has_losses, X, labels, _):
    """Count what is predicted of the rows of a site, for each group, and sum losses."""
    rows = np.flatnonzero(labels.sites == name)
    ids = np.zeros(rows.size, np.uint64) if labels.ids is None else labels.ids[rows]
    units, numbers = np.unique(ids, return_inverse=True)
    counts = np.zeros((units.size, classes.size, classes.size), dtype=int)
    if not rows.size:
        return units, counts, 0.0
    codes = labels.codes(classes)[rows]
    predicted = predict_with(model, X[rows], classes)
    np.add.at(counts, (numbers, codes, predicted.codes[0]), 1)
    return units, counts, loss_moments(predicted.probabilities, codes)[0] if has_losses else 0.0


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


class BlockCounter:
    """Counts what the models of all training sets predict of the rows of a block.

    It is sent to workers as what the models are made of, which is much smaller than they are.
    """

    def __init__(self, trials, plan, groups, empty, moments):
        self._made_of = trials, plan, groups, empty, moments
        self._models = Models(trials, plan, FoldMoments(plan, moments), groups)

    def __reduce__(self):
        return type(self), self._made_of

    def __call__(self, X, labels, n_before):
        _, plan, _, empty, _ = self._made_of
        tally = Tally(**empty.arrays)
        self._models.count(_rows_of(plan, X, labels, n_before), tally)
        return tally


def _add_tallies(parts):
    return reduce(Tally.add, parts)
