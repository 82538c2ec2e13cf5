"""Blocks of samples, such as batches or sites: each is left out whole, as a new one would be."""

from typing import NamedTuple

import numpy as np

from .._data import rows_of
from .intervals import counted_intervals
from .methods import PROBABILITY_SCORES, metric_of, plain_score
from .procedures import predict_with
from .splits import check_sample_names

_N_PERMUTATIONS = 999


class Blocks(NamedTuple):
    """The block of each sample."""

    names: np.ndarray
    numbers: np.ndarray

    @classmethod
    def check(cls, blocks, codes, groups=None):
        """Return what is given as blocks, checked; None for none."""
        if blocks is None:
            return None
        found = cls(*check_sample_names("blocks", blocks, codes.size))
        if found.names.size < 2:
            raise ValueError("blocks holds one block; there must be another one to learn from.")
        troubles = [say_trouble(codes, *rows) for rows in found.cut(groups)]
        if all(troubles):
            raise ValueError(
                f"blocks: none can be left out. Without {found.names[0]!s}, {troubles[0]}."
            )
        return found

    def cut(self, groups=None):
        """Yield for each block the samples to learn from, and its own.

        A group that has samples in a block is not learned from when that is left out.
        """
        for number in range(self.names.size):
            inside = self.numbers == number
            known = inside if groups is None else np.isin(groups, groups[inside])
            yield np.flatnonzero(~known), np.flatnonzero(inside)

    def score(self, source, run, choice):
        """Yield what is known of each block, from a selection that has seen none of its samples.

        `run` selects from a source; what it refuses is said in the row of the block.
        """
        data = source.data
        for name, (train, rows) in zip(self.names.tolist(), self.cut(source.groups), strict=True):
            row = empty_row(name, rows.size)
            trouble = say_trouble(data.codes, train, rows)
            try:
                if trouble is None:
                    final, n_features = run(source.part(train))
            except ValueError as error:
                trouble = str(error)
            if trouble is not None:
                yield row | {"trouble": trouble}
                continue
            predicted = predict_with(final.model, rows_of(data.X, rows), data.classes)
            tested = predicted.test(data.codes[rows], data.classes.size, choice.scoring)
            score = float(tested.score(choice.scoring, choice.costs)[0])
            (confusion,) = tested.confusions
            found = {"n_features": n_features, "score": score, "confusion": confusion}
            found["interval"] = _interval(predicted.codes[0], rows, source, choice)
            yield row | found | {"trouble": None}

    def describe(self, rows, codes, seed, groups=None):
        """Put the rows of all blocks together with how strongly block and class go together."""
        scored = [row["score"] for row in rows if np.isfinite(row["score"])]
        strength, p_value = association(self.numbers, codes, seed, groups)
        return {
            "rows": tuple(rows),
            # Not of all samples together: where classes differ between blocks, that tells them.
            "score": float(np.mean(scored)) if scored else float("nan"),
            "cramers_v": strength,
            "p_value": p_value,
        }


def empty_row(name, n_samples):
    """Return the row of a block of which nothing is known yet."""
    row = {"block": name, "n_samples": n_samples, "n_features": None, "score": float("nan")}
    return row | {"interval": None, "confusion": None}


def _interval(predicted, rows, source, choice):
    """Return that of a block which nothing was learned from; None for a score of probabilities."""
    codes, groups = source.data.codes[rows], source.groups
    units = rows if groups is None else groups[rows]
    return block_interval(predicted, codes, units, source.data.classes.size, source.seed, choice)


def block_interval(predicted, codes, units, n_classes, seed, choice):
    """Return the same by what is predicted of its samples, and the units that they belong to."""
    _, units = np.unique(units, return_inverse=True)
    name = metric_of(choice.scoring)
    if name in PROBABILITY_SCORES or units.max() == 0:
        return None
    found = counted_intervals(predicted, codes, n_classes, units, seed, choice.costs)
    return tuple(sorted(plain_score(end, choice.scoring) for end in found[name]))


def say_trouble(codes, train, test):
    """Say why nothing can be learned for a block; None if something can."""
    learned = np.unique(codes[train])
    if learned.size < 2:
        return "the other blocks have one class" if learned.size else "nothing is left"
    if not np.isin(codes[test], learned).any():
        return "the other blocks have none of its classes"
    return None


def association(blocks, codes, seed, groups=None):
    """Return Cramér's V of two labellings of samples, and its p-value by a permutation test.

    Where samples come in groups, whole groups are permuted: each counts once, by the first of its
    samples.
    """
    if groups is not None:
        first = np.unique(groups, return_index=True)[1]
        blocks, codes = blocks[first], codes[first]
    blocks, codes = (np.unique(each, return_inverse=True)[1] for each in (blocks, codes))
    rng = np.random.RandomState(seed)
    found = _cramers_v(blocks, codes)
    drawn = [_cramers_v(blocks, rng.permutation(codes)) for _ in range(_N_PERMUTATIONS)]
    n_above = np.count_nonzero(np.array(drawn) >= found - 1e-12)
    return found, float((n_above + 1) / (_N_PERMUTATIONS + 1))


def _cramers_v(first, second):
    n_first, n_second = first.max() + 1, second.max() + 1
    table = np.bincount(first * n_second + second, minlength=n_first * n_second)
    table = table.reshape(n_first, n_second)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / first.size
    least = min(n_first, n_second) - 1
    chi2 = ((table - expected) ** 2 / expected).sum()
    return float(np.sqrt(chi2 / (first.size * least))) if least else 0.0
