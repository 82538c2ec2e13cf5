"""Labels of rows that are read some at a time, the groups and the blocks that they belong to."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import column_or_1d

from .._data import count_block_labels
from ..streaming.labels import hash_names
from ..streaming.request import texts
from .blocks import Blocks, block_interval, empty_row, say_trouble
from .fold_passes import test_counts
from .metrics import loss_moments
from .procedures import predict_with
from .splits import Groups, check_sample_names

_NAME = "select_features"  # in the errors of checks


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

    def without(self, site, ids):
        """Leave out the rows of a block, and of groups that have samples in it."""
        gone = self.sites == site if ids is None else np.isin(self.ids, ids)
        labels = np.unique(self.places[~gone])
        places = np.where(gone, -1, np.searchsorted(labels, self.places)).astype(np.int32)
        return self._replace(labels=self.labels[labels], places=places)


def label_block(labels, groups=None, sites=None):
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


def merge_groups(counts, classes):
    """Count the samples of each class in each group, of all blocks together."""
    ids = np.unique(np.concatenate([each.ids for each in counts]))
    if ids.size < 2:
        raise ValueError("groups holds one group; there must be some to learn from and to test.")
    total = np.zeros((ids.size, classes.size), dtype=int)
    for each in counts:
        columns = np.searchsorted(classes, each.labels)
        total[np.ix_(np.searchsorted(ids, each.ids), columns)] += each.counts
    return Groups(ids, total)


# ------------------------------------------------------------------ blocks that are left out


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


def predict_site(model, name, classes, has_losses, X, labels, _=None):
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


def add_predicted(parts, n_classes):
    """Add up what `predict_site` finds: counts of what is predicted for each group, and losses."""
    ids = np.concatenate([ids for ids, *_ in parts])
    units, numbers = np.unique(ids, return_inverse=True)
    counts = np.zeros((units.size, n_classes, n_classes), dtype=int)
    np.add.at(counts, numbers, np.concatenate([counts for _, counts, _ in parts]))
    return counts, sum(losses for *_, losses in parts)
