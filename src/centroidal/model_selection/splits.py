"""The one place that cuts samples: outer folds and their repeats, inner folds, streams."""

from itertools import combinations
from numbers import Integral
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedGroupKFold, check_cv

from .._parameters import check_count
from .repeatable import draw_seed, draw_seeds

__all__ = [
    "GroupFolds",
    "Repeat",
    "StreamFolds",
    "Units",
    "check_groups",
    "check_n_folds",
    "check_sample_names",
    "cut_samples",
    "deal_rows",
    "list_folds",
    "outer_folds",
    "size_ratio",
    "training_sets",
]

_N_FOLDS = 5  # if nothing is said, and each class has so many samples
_N_REPEATS = 3  # of a number of folds, if nothing is said
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


def outer_folds(cv, n_repeats, data, groups, seed, least=2):
    """Training and test samples of each outer fold, which have none in common.

    A number of folds is drawn `n_repeats` times, None is 3 times; other splitters decide
    themselves. Each class has samples in `least` folds, so that one less can be left out.
    """
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        n_repeats = _N_REPEATS if n_repeats is None else n_repeats
        check_count("n_repeats", n_repeats)
        _check_enough(cv, data, groups)
        splitters = _draw_repeats(int(cv), int(n_repeats), data, groups, seed, least)
    elif n_repeats is not None:
        raise ValueError(f"n_repeats={n_repeats!r} must be None unless cv is a number; cv={cv!r}.")
    else:
        splitters = [cv]
    labels = data.classes[data.codes]
    folds = [fold for each in splitters for fold in list_folds(each, data.X, labels, groups=groups)]
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
    is_missing = np.array([each is None or each != each or each == "" for each in values.tolist()])
    if is_missing.any():
        raise ValueError(
            f"{name} has no value for {is_missing.sum()} of {n_samples} samples, the first of them "
            f"in row {is_missing.argmax()}; each sample needs a {name[:-1]}, if one of its own."
        )
    values = values.astype(str) if values.dtype.kind == "O" else values
    return np.unique(values, return_inverse=True)


def series_name(values):
    """Return the name that a column of a data frame has; None for other arrays."""
    name = getattr(values, "name", None)
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


def _draw_repeats(n_folds, n_repeats, data, groups, seed, least):
    if groups is None:
        return [RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=n_repeats, random_state=seed)]
    rng = np.random.RandomState(seed)
    return [_draw_whole_groups(n_folds, data, groups, rng, least) for _ in range(n_repeats)]


def _draw_whole_groups(n_folds, data, groups, rng, least):
    """Deal whole groups to folds of balanced classes; again where a class is in too few of them."""
    for _ in range(_MOST_DRAWS):
        # Names are mixed, as scikit-learn 1.7 balances no classes where it shuffles by itself.
        names = rng.permutation(groups.max() + 1)
        folds = list(StratifiedGroupKFold(n_folds).split(data.codes, data.codes, names[groups]))
        tested = [np.unique(data.codes[test]) for _, test in folds]
        n_tested = np.bincount(np.concatenate(tested), minlength=data.classes.size)
        if n_tested.min() >= least:
            return folds
    raise _too_few_folds(n_folds, Units.of(data.classes, data.codes, groups), n_tested, least)


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

    # Of each sample, or what knows it when a sample is read.
    folds: "np.ndarray | StreamFolds | GroupFolds"
    n_folds: int
    seeds: list  # of the random features of each fold
    first: int = 0  # number of the first fold among those of all repeats

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


def cut_samples(data, n_folds, n_repeats, rng, groups, is_nested):
    """Cut samples in memory into outer folds, again and again; return all repeats."""
    least = 3 if is_nested else 2
    folds = outer_folds(n_folds, n_repeats, data, groups, draw_seed(rng), least)
    repeats = []
    for first in range(0, len(folds), n_folds):
        numbers = np.empty(data.codes.size, dtype=np.intp)
        for number, (_, test) in enumerate(folds[first : first + n_folds]):
            numbers[test] = number
        seeds = [draw_seed(rng) for _ in range(n_folds)]
        repeats.append(Repeat(numbers, n_folds, seeds, first))
    return repeats


def deal_rows(n_folds, seed, folds=None):
    """Deal rows that are read in batches to outer folds, once; return the only repeat."""
    seeds = draw_seeds(np.random.RandomState(seed), n_folds).tolist()
    return [Repeat(folds or StreamFolds(n_folds, seed), n_folds, seeds)]


class StreamFolds(NamedTuple):
    """Deals the rows of each class to folds, one each in every run of as many rows as folds.

    In which order a run is dealt is drawn by a generator that can begin anywhere, so that the
    fold of a row is known from the number of rows of its class before it, not from the batches.
    """

    n_folds: int
    seed: int

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
        orders = np.argsort(words.reshape(n_runs, self.n_folds), axis=1, kind="stable")
        return orders.ravel()[skipped : skipped + n_rows]

    def _words(self, code, start, n_words):
        """Random words of a class, from a place on."""
        counter, skipped = divmod(start, _WORDS_AT_A_TIME)
        generator = np.random.Philox(key=[self.seed, code], counter=counter)
        return generator.random_raw(skipped + n_words)[skipped:]


class GroupFolds(NamedTuple):
    """Deals whole groups to folds: the fold of a row is that of its group, wherever it stands.

    Groups of a class are spread evenly; how many rows of it a fold has is even in expectation.
    """

    n_folds: int
    groups: np.ndarray  # hashes of their names, sorted
    folds: np.ndarray  # of each group

    @classmethod
    def deal(cls, n_folds, seed, units, by_class, is_nested):
        """Deal groups, given by hashes of those of each class; raise if a class is in few folds.

        A group with samples of several classes is dealt with those of the rarest.
        """
        groups = np.unique(np.concatenate(by_class))
        places = [np.searchsorted(groups, each) for each in by_class]
        owners = np.empty(groups.size, dtype=int)
        for code in np.argsort(-units.counts, kind="stable"):
            owners[places[code]] = code
        rng, least = np.random.RandomState(seed), 3 if is_nested else 2
        folds = np.empty(groups.size, dtype=np.int32)
        for _ in range(_MOST_DRAWS):
            order = rng.permutation(groups.size)
            order = order[np.argsort(owners[order], kind="stable")]
            folds[order] = np.arange(groups.size) % n_folds
            n_tested = [np.unique(folds[mine]).size for mine in places]
            if min(n_tested) >= least:
                return cls(n_folds, groups, folds)
        raise _too_few_folds(n_folds, units, n_tested, least)

    def folds_of(self, codes, n_before, groups):
        """Fold of each row, by the hash of its group."""
        places = np.searchsorted(self.groups, groups)
        places[places == self.groups.size] = 0
        if (self.groups[places] != groups).any():
            raise ValueError("a row is of a group that was not there when groups were counted.")
        return self.folds[places]
