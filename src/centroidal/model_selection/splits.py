"""The one place that cuts samples: outer folds and their repeats, inner folds.

Rows, or whole groups of them, are dealt to outer folds by one rule, whether they are in memory or
read in batches, so that both have the same folds.
"""

from itertools import combinations
from numbers import Integral
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, check_cv

from .._parameters import check_count
from ..streaming.labels import is_missing
from .repeatable import draw_seeds

__all__ = [
    "GivenFolds",
    "GroupFolds",
    "Groups",
    "Repeat",
    "RowFolds",
    "Units",
    "check_fold_counts",
    "check_groups",
    "check_n_folds",
    "check_sample_names",
    "cut_samples",
    "deal_repeats",
    "list_folds",
    "n_repeats_of",
    "outer_folds",
    "size_ratio",
    "training_sets",
]

_N_FOLDS = 5  # if nothing is said, and each class has so many samples
# How often folds are drawn, if nothing is said: up to how many samples, by methods that merge sums
# of folds, which makes a repeat cheap, and by others.
_REPEATS = ((100, 10, 3), (2_000, 5, 3), (20_000, 3, 3), (np.inf, 1, 1))
_N_COMPARED = 3  # repeats of a comparison, if nothing is said
_NEXT_SEED = 2**32  # from the seed of one repeat to that of the next: more than any seed
_MOST_DRAWS = 20  # of folds of whole groups, until each class is in enough of them
_WORDS_AT_A_TIME = 4  # that a Philox generator makes of one number


def list_folds(cv, X, labels, **split_params):
    """Training and test samples of each fold as positions, whatever the splitter gives.

    Where groups are given, a number of folds keeps them together.
    """
    if isinstance(cv, Integral) and cv < 2:
        raise ValueError(f"cv={cv} must be at least 2 folds.")
    positions = np.arange(labels.size)
    if split_params.get("groups") is not None and (cv is None or isinstance(cv, Integral)):
        cv = StratifiedGroupKFold(_N_FOLDS if cv is None else int(cv))
    splits = check_cv(cv, labels, classifier=True).split(X, labels, **split_params)
    folds = [(positions[train], positions[test]) for train, test in splits]
    if not folds:
        raise ValueError(f"cv={cv!r} must give at least one fold.")
    return folds


def n_repeats_of(n_repeats, n_samples, merges, once=False):
    """Return how often folds are drawn; None is by the samples and the method, or `once`."""
    if n_repeats is not None:
        check_count("n_repeats", n_repeats)
        return int(n_repeats)
    if once:
        return 1
    cheap, other = next(rest for most, *rest in _REPEATS if n_samples <= most)
    return cheap if merges else other


def outer_folds(cv, n_repeats, data, groups, seed, least=2):
    """Training and test samples of each outer fold, which have none in common.

    A number of folds is drawn `n_repeats` times, None is 3 times; other splitters decide
    themselves. Each class has samples in `least` folds, so that one less can be left out.
    """
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        n_repeats = _N_COMPARED if n_repeats is None else n_repeats
        check_count("n_repeats", n_repeats)
        _check_enough(cv, data, groups)
        ids = None if groups is None else groups.astype(np.uint64)
        repeats = cut_samples(data, int(cv), int(n_repeats), seed, ids, least)
        return [
            (each.rows_without(fold), each.rows(fold)) for each in repeats for fold in range(cv)
        ]
    if n_repeats is not None:
        raise ValueError(f"n_repeats={n_repeats!r} must be None unless cv is a number; cv={cv!r}.")
    folds = list_folds(cv, data.X, data.classes[data.codes], groups=groups)
    for number, (train, test) in enumerate(folds):
        _check_fold(number, train, test)
    return folds


def size_ratio(folds):
    """Return the number of test samples for each training sample, which standard errors need."""
    return float(np.mean([_count_rows(test) / _count_rows(train) for train, test in folds]))


def _count_rows(rows):
    """Count positions, or where single samples are not in memory, blocks of a mask."""
    is_array = isinstance(rows, np.ndarray)
    return rows.size if is_array else sum(rows.map(np.count_nonzero).gather())


def check_groups(groups, n_samples):
    """Return the group of each sample as a number, in the order of their names; None for none."""
    if groups is None:
        return None
    names, numbers = check_sample_names("groups", groups, n_samples)
    if names.size < 2:
        raise ValueError("groups holds one group; there must be some to learn from and to test.")
    return numbers


def check_sample_names(name, values, n_samples):
    """Return the different values of something that each sample has, and which of them it has."""
    values = np.asarray(values)
    if values.shape != (n_samples,):
        raise ValueError(
            f"{name} of shape {values.shape} must hold one {name[:-1]} for each of the {n_samples} "
            "samples."
        )
    missing = is_missing(values)
    if missing.any():
        raise ValueError(
            f"{name} has no value for {missing.sum()} of {n_samples} samples, the first of them "
            f"in row {missing.argmax()}; each sample needs a {name[:-1]}, if one of its own."
        )
    values = values.astype(str) if values.dtype.kind == "O" else values
    return np.unique(values, return_inverse=True)


def series_name(values):
    """Return the name that a column of a data frame has, or is known by; None for other arrays."""
    name = values if isinstance(values, str) else getattr(values, "name", None)
    return name if isinstance(name, str) else None


class Units(NamedTuple):
    """What is dealt to folds: how many samples, or groups of them, each class has."""

    classes: np.ndarray
    counts: np.ndarray
    noun: str = "sample"

    @classmethod
    def of(cls, classes, codes, groups=None):
        """Count samples, or the groups that have some of a class."""
        if groups is None:
            return cls(classes, np.bincount(codes, minlength=classes.size))
        pairs = np.unique(np.column_stack([codes, groups]), axis=0)
        return cls(classes, np.bincount(pairs[:, 0], minlength=classes.size), "group")

    @property
    def rarest(self):
        """Label of the class with the fewest."""
        return self.classes.tolist()[self.counts.argmin()]

    def tell(self, number):
        """Say how many."""
        return f"{number} {self.noun}{'' if number == 1 else 's'}"


def check_n_folds(cv, units, is_nested):
    """Return the number of folds; if nothing is said, as many as the rarest class allows."""
    fewest, least = int(units.counts.min()), 3 if is_nested else 2
    if fewest < least:
        raise ValueError(
            f"class {units.rarest!r} has {units.tell(fewest)}; at least {least} are needed to "
            "select and to test. Leave it out, or join it with another class."
        )
    if cv is None:
        return min(_N_FOLDS, fewest)
    if isinstance(cv, bool) or not isinstance(cv, Integral):
        raise TypeError(f"cv={cv!r} must be an int, the number of folds, or None.")
    if cv < least:
        why = ", as the inner folds of a fold are the others" if is_nested else ""
        raise ValueError(f"cv={cv} must be at least {least}{why}.")
    _check_most(cv, units)
    return int(cv)


def check_fold_counts(counts, classes, is_nested):
    """Raise unless samples, counted by fold and class, leave some of each class to learn from."""
    least, n_tested = 3 if is_nested else 2, np.count_nonzero(counts, axis=0)
    if n_tested.min() < least:
        label = classes.tolist()[int(n_tested.argmin())]
        raise ValueError(
            f"class {label!r} has samples in {n_tested.min()} of cv={len(counts)} folds; at least "
            f"{least} must have some, to select and to test. Leave it out, or join it with another."
        )


def training_sets(n_folds, is_nested):
    """Name the training sets by the folds they leave out: one, or two for inner folds.

    The inner folds of a fold are the others, so that a model without two of them serves both.
    """
    most = 2 if is_nested else 1
    return [left_out for n in range(1, most + 1) for left_out in combinations(range(n_folds), n)]


def _check_enough(cv, data, groups):
    if cv < 2:
        raise ValueError(f"cv={cv} must be at least 2 folds.")
    _check_most(cv, Units.of(data.classes, data.codes, groups))


def _check_most(cv, units):
    fewest = units.counts.min()
    if cv > fewest:
        raise ValueError(
            f"cv={cv} must be at most {fewest}, the number of {units.noun}s of class "
            f"{units.rarest!r}."
        )


def _check_fold(number, train, test):
    if not train.size or not test.size:
        raise ValueError(f"fold {number} of cv must have samples to train and to test.")
    shared = np.intersect1d(train, test).size
    if shared:
        raise ValueError(
            f"fold {number} of cv tests {shared} samples that it trains on; no score of it would "
            "be honest."
        )


def _too_few_folds(n_folds, units, n_tested, least):
    """Return the error of a class that is in too few folds."""
    few = int(np.argmin(n_tested))
    return ValueError(
        f"class {units.classes.tolist()[few]!r} has {units.tell(units.counts[few])}, which cv="
        f"{n_folds} folds of whole groups cannot share: {least} folds at least must have samples "
        "of each class. Take fewer folds, or leave the class out."
    )


# ------------------------------------------------------------------ folds of the engine


class Repeat(NamedTuple):
    """All samples, cut into outer folds once."""

    folds: "np.ndarray | RowFolds | GroupFolds"  # of each sample, or what deals those that are read
    n_folds: int
    seeds: list  # of the random features of each fold
    first: int = 0  # number of the first fold among those of all repeats

    @property
    def number(self):
        """Which repeat it is, from 0 on."""
        return self.first // self.n_folds

    def rows(self, *folds):
        """Return the samples of some folds."""
        return np.flatnonzero(np.isin(self.folds, folds))

    def rows_without(self, *folds):
        """Return the samples of the other folds."""
        return np.flatnonzero(~np.isin(self.folds, folds))

    def name_folds(self, folds):
        """Say which folds, counted over all repeats."""
        numbers = " and ".join(str(self.first + fold + 1) for fold in folds)
        return f"fold {numbers}" if len(folds) == 1 else f"folds {numbers}"


def deal_repeats(n_folds, n_repeats, seed, counts, groups, classes, least):
    """Deal rows, or whole `groups` if there are any, to outer folds again and again.

    There are so many rows of each class, the `counts`. Each class has groups in `least` folds, so
    that one less can be left out.
    """
    seeds = draw_seeds(np.random.RandomState(seed), n_repeats * n_folds).tolist()
    repeats = []
    for first in range(0, n_repeats * n_folds, n_folds):
        own = seed + first // n_folds * _NEXT_SEED
        deal = RowFolds(n_folds, own, counts)
        if groups is not None:
            deal = GroupFolds.deal(n_folds, own, groups, classes, least)
        repeats.append(Repeat(deal, n_folds, seeds[first : first + n_folds], first))
    return repeats


def cut_samples(data, n_folds, n_repeats, seed, ids, least):
    """Do so with samples in memory, of groups with these `ids`; return all repeats."""
    n_classes = data.classes.size
    groups = None if ids is None else Groups.count(ids, data.codes, n_classes)
    counts = np.bincount(data.codes, minlength=n_classes)
    repeats = deal_repeats(n_folds, n_repeats, seed, counts, groups, data.classes, least)
    nothing = np.zeros(n_classes, dtype=int)
    return [each._replace(folds=each.folds.folds_of(data.codes, nothing, ids)) for each in repeats]


class GivenFolds(NamedTuple):
    """Folds that somebody has dealt the samples to."""

    folds: np.ndarray  # of each sample, a row a repeat
    n_folds: int

    @classmethod
    def check(cls, cv, n_samples, n_repeats=None, groups=None):
        """Return the fold of each sample as it is given; raise if it cannot be one."""
        words = f"must be an int, None, or the fold of each of the {n_samples} samples"
        try:
            folds = np.atleast_2d(np.asarray(cv))
        except ValueError:  # lists of different lengths
            folds = np.array([[None]])
        if folds.dtype.kind not in "iu":
            raise TypeError(f"cv={cv!r} {words}, a whole number.")
        if folds.ndim != 2 or folds.shape[1] != n_samples:
            raise ValueError(f"cv of shape {np.shape(cv)} {words}.")
        if n_repeats not in (None, len(folds)):
            raise ValueError(
                f"n_repeats={n_repeats} must be None: cv says to which folds samples belong."
            )
        n_folds = int(folds.max()) + 1
        for row in folds:
            if not np.array_equal(np.unique(row), np.arange(n_folds)):
                raise ValueError(f"cv {words}, from 0 to {n_folds - 1} and none without samples.")
            pairs = () if groups is None else set(zip(groups.tolist(), row.tolist(), strict=True))
            if len(pairs) > len({group for group, _ in pairs}):
                raise ValueError(f"cv {words}, the same for all samples of a group.")
        return cls(folds.astype(np.int32), n_folds)

    def check_classes(self, codes, classes, is_nested):
        """Raise unless each class has samples in as many folds as are needed."""
        for row in self.folds:
            counts = Groups.count(row, codes, classes.size).counts
            check_fold_counts(counts, classes, is_nested)

    def folds_of(self, codes, n_before, groups=None):
        """Fold of each of all rows, in the one repeat."""
        return self.folds[0]

    def repeats(self, seed):
        """Return all repeats, with the seeds that drawn ones would have."""
        seeds = draw_seeds(np.random.RandomState(seed), len(self.folds) * self.n_folds).tolist()
        return [
            Repeat(row, self.n_folds, seeds[first : first + self.n_folds], first)
            for row, first in zip(self.folds, range(0, len(seeds), self.n_folds), strict=True)
        ]


class RowFolds(NamedTuple):
    """Deals the rows of each class to folds, one each in every run of as many rows as folds.

    In which order a run is dealt is drawn by a generator that can begin anywhere, so that the
    fold of a row is known from the number of rows of its class before it, not from the batches.
    Rows that are left at the end of a class go to the folds after those of the class before it, so
    that folds are of equal size up to one row.
    """

    n_folds: int
    seed: int
    counts: np.ndarray  # of all rows of each class

    def folds_of(self, codes, n_before, groups=None):
        """Fold of each row; of each class there were so many rows before. There are no groups."""
        folds = np.empty(codes.size, dtype=np.int32)
        counts = np.bincount(codes, minlength=n_before.size)
        rows_by_class = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])
        for code in np.flatnonzero(counts):
            folds[rows_by_class[code]] = self._of_class(code, int(n_before[code]), counts[code])
        return folds

    def _of_class(self, code, start, n_rows):
        first, skipped = divmod(start, self.n_folds)
        n_runs = -(-(skipped + n_rows) // self.n_folds)
        words = self._words(code, first * self.n_folds, n_runs * self.n_folds)
        words = words.reshape(n_runs, self.n_folds)
        orders = np.argsort(words, axis=1, kind="stable")
        last, n_left = divmod(int(self.counts[code]), self.n_folds)
        if n_left and last == first + n_runs - 1:
            n_given = (self.counts[:code] % self.n_folds).sum()
            order = np.argsort(words[-1, :n_left], kind="stable")
            orders[-1, :n_left] = (n_given + order) % self.n_folds
        return orders.ravel()[skipped : skipped + n_rows]

    def _words(self, code, start, n_words):
        """Random words of a class, from a place on."""
        counter, skipped = divmod(start, _WORDS_AT_A_TIME)
        generator = np.random.Philox(key=[self.seed, code], counter=counter)
        return generator.random_raw(skipped + n_words)[skipped:]


class Groups(NamedTuple):
    """How many samples of each class are in each group."""

    ids: np.ndarray  # sorted
    counts: np.ndarray  # of shape (groups, classes)

    @classmethod
    def count(cls, ids, codes, n_classes):
        """Count samples, each of a group and a class."""
        ids, numbers = np.unique(ids, return_inverse=True)
        shape = ids.size, n_classes
        counts = np.bincount(numbers * n_classes + codes, minlength=ids.size * n_classes)
        return cls(ids, counts.reshape(shape))

    def units(self, classes):
        """Count the groups that have samples of each class."""
        return Units(classes, np.count_nonzero(self.counts, axis=0), "group")

    def places(self, ids):
        """Return where the groups of samples are in the list."""
        places = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
        if (self.ids[places] != ids).any():
            raise ValueError("a row is of a group that was not there when groups were counted.")
        return places


class GroupFolds(NamedTuple):
    """Deals whole groups to folds: the fold of a row is that of its group, wherever it stands."""

    n_folds: int
    groups: Groups
    folds: np.ndarray  # of each group

    @classmethod
    def deal(cls, n_folds, seed, groups, classes, least):
        """Deal groups so that folds have equal shares of each class; raise if one is in few folds.

        Large groups come first, those of a similar size in random order, each to the fold that has
        least of what is in it.
        """
        rng = np.random.default_rng(seed)
        for _ in range(_MOST_DRAWS):
            folds = _deal_evenly(n_folds, groups.counts, rng)
            n_tested = [np.unique(folds[each > 0]).size for each in groups.counts.T]
            if min(n_tested) >= least:
                return cls(n_folds, groups, folds)
        raise _too_few_folds(n_folds, groups.units(classes), n_tested, least)

    def folds_of(self, codes, n_before, groups):
        """Fold of each row, by the id of its group."""
        return self.folds[self.groups.places(groups)]


def _deal_evenly(n_folds, counts, rng):
    """Fold of each group, by its samples of each class."""
    weights = counts / np.maximum(counts.sum(axis=0), 1) ** 2  # shares of classes, squared below
    sizes = np.log2((weights * counts).sum(axis=1))
    order = rng.permutation(len(counts))
    order = order[np.argsort(-np.floor(sizes[order]), kind="stable")]
    dealt, n_dealt = np.zeros((n_folds, counts.shape[1]), dtype=int), np.zeros(n_folds, dtype=int)
    folds = np.empty(len(counts), dtype=np.int32)
    for group in order.tolist():
        # By so much the squared shares of classes in the fold grow; of equals the smaller fold.
        growth = (dealt * weights[group]).sum(axis=1)
        fold = np.lexsort((n_dealt, growth))[0]
        folds[group] = fold
        dealt[fold] += counts[group]
        n_dealt[fold] = dealt[fold].sum()
    return folds
