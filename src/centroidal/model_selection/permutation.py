"""Could the score come from chance? The whole selection again, with labels that mean nothing.

Each relabelling goes through all that the labels went through: folds, ranking, choice of the number
of features inside them, score outside. Which labels may change places depends on what is
exchangeable: those of samples, of whole groups, or of samples inside a group or block.
"""

from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln
from scipy.stats import beta

from .._parameters import check_choice, check_count, number, optional
from .._typing import ArrayLike
from .repeatable import take_until_interrupted

__all__ = [
    "Null",
    "PermutationTest",
    "Permutations",
    "Relabelling",
    "run_permutations",
    "try_labelling",
]

_STREAM = 7  # sets these random numbers apart from others of the same seed
_ROUNDING = 1e-12  # scores that are equal in exact arithmetic are as good
UNLIKELY = 0.05  # p-value from which on chance is no explanation
_MANY = 20.0  # logarithm of a number of labellings that is enough for any test
_OUTSIDE = 0.025  # share of the interval's error on either side
_check_number = number(
    "an int, 0 for none", lambda value: value >= 0, "be at least 0, for none", Integral
)


@dataclass(frozen=True, eq=False, repr=False)
class PermutationTest:
    """How the whole selection scores when labels mean nothing.

    Made by :func:`permutation_test`, or by :func:`select_features` with `n_permutations`. Printing
    it shows the p-value.

    Attributes
    ----------
    score : float
        Score of the samples as they are labelled, with folds that are drawn once, as they are for
        each relabelling.
    null_scores : ndarray of shape (n_permutations,)
        Scores of the same samples with labels that were permuted.
    n_asked : int
        Number of permutations that were asked for; less are done if `stop_after` of them were as
        good, or if it was interrupted.
    stop_after : int or None
        Number of permutations as good as the labels after which it was to stop.
    permuted : str
        What changed places: "samples", "groups" (labels of whole groups), or samples "within
        groups"; and "within blocks", if that was asked for.
    gains : ndarray of shape (n_features,)
        How well each feature tells the classes apart by itself: its gain for l2 centers of all
        samples.
    feature_p_values : ndarray of shape (n_features,)
        For each feature the share of relabellings in which any feature has a gain as large: if
        those of at most 0.05 are said to differ between the classes, the probability that one of
        them does not is at most 0.05.
    expected_false : ndarray of shape (n_features,)
        For each feature the number of features that have a gain as large as its own in a
        relabelling, on average, the labels being one of them: so many of those that are as good as
        it are expected to be luck.
    """

    score: float
    null_scores: np.ndarray
    n_asked: int
    stop_after: int | None
    permuted: str
    gains: np.ndarray
    feature_p_values: np.ndarray
    expected_false: np.ndarray

    @property
    def n_permutations(self) -> int:
        """Number of permutations that were done."""
        return self.null_scores.size

    @property
    def n_as_good(self) -> int:
        """Number of them that score as well as the labels, or better."""
        return _count_as_good(self.null_scores, self.score)

    @property
    def is_stopped(self) -> bool:
        """Whether so many were as good that it stopped early."""
        return self.stop_after is not None and self.n_as_good >= self.stop_after

    @property
    def p_value(self) -> float:
        """Probability of a score as good if labels mean nothing.

        The labels count as one of their permutations; where it stopped early, the last one was as
        good, and stands for them :cite:p:`Besag1991`.
        """
        if self.is_stopped:
            return self.n_as_good / self.n_permutations
        return (self.n_as_good + 1) / (self.n_permutations + 1)

    @property
    def interval(self) -> tuple[float, float]:
        """Ends of the 95 % confidence interval of what `p_value` would be with all permutations."""
        good, others = self.n_as_good, self.n_permutations - self.n_as_good
        low = beta.ppf(_OUTSIDE, good, others + 1) if good else 0.0
        high = beta.ppf(1.0 - _OUTSIDE, good + 1, others) if others else 1.0
        return float(low), float(high)

    def false_discoveries(self, columns: ArrayLike) -> float:
        """Return how many of some features are expected to be luck, judged each by itself.

        At most all of them. It is a bound: if some features do tell the classes apart, less are.
        """
        return float(min(self.expected_false[columns].max(), len(columns)))

    def summary(self, selected: ArrayLike = (), score: str | None = None) -> str:
        """Say how often permuted labels do as well, and how many of some features may be luck.

        Parameters
        ----------
        selected : array-like of int, default=()
            Columns of the features.
        score : str, default=None
            `score` in words.

        Returns
        -------
        str
            A sentence or two.
        """
        low, high = (p_text(end) for end in self.interval)
        score = f"{self.score:.3f}" if score is None else score
        n_good, permuted = self.n_as_good, self.permuted.replace("samples within", "within")
        words = (
            f"Of {self.n_permutations:,} permutations of the labels ({permuted}) {n_good:,} "
            f"{'scores' if n_good == 1 else 'score'} as well as the labels in one repeat, {score}: "
            f"p = {p_text(self.p_value)} (95 % interval {low} to {high})."
        )
        if self.n_permutations < self.n_asked and not self.is_stopped:
            words += f" It was interrupted; {self.n_asked:,} were asked for."
        if len(selected) == 0:
            return words
        n_sure = np.count_nonzero(self.feature_p_values[selected] <= UNLIKELY)
        n_false = self.false_discoveries(selected)
        return (
            f"{words} Each by itself, {n_sure:,} of the {len(selected):,} features differ between "
            f"the classes (p <= {UNLIKELY}, corrected for all features), and at most "
            f"{number_text(n_false)} of them are expected to be luck."
        )

    def __str__(self):
        return self.summary()

    __repr__ = __str__


def p_text(value):
    """Write a p-value with two digits that count."""
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def number_text(value):
    """Write a mean number of features with two digits, or as a whole number."""
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"


def _count_as_good(scores, score):
    return int(np.count_nonzero(scores >= score - _ROUNDING))


# ------------------------------------------------------------------ labels that mean nothing


class Relabelling(NamedTuple):
    """What may change places: labels of units, each with all others of its stratum."""

    codes: np.ndarray  # of the units
    units: np.ndarray | None  # of each sample; None if samples are the units
    strata: np.ndarray
    name: str

    @classmethod
    def of(cls, codes, groups=None, blocks=None):
        """Find what is exchangeable, given the groups of samples and blocks to stay inside.

        Where all samples of a group have one label, whole groups change places; elsewhere labels do
        inside the groups.
        """
        units, strata, name = None, np.zeros(codes.size, dtype=int), "samples"
        if groups is not None:
            groups, first = _number_by_rows(groups)
            if (codes == codes[first][groups]).all():
                units, name = groups, "groups"
            else:
                strata, name = groups, "samples within groups"
        if blocks is not None:
            name = f"{name}, within blocks"
            strata = strata * (blocks.max() + 1) + blocks
        if units is not None:
            if blocks is not None and (strata != strata[first][units]).any():
                raise ValueError("permute_within='blocks' needs each group in one block.")
            codes, strata = codes[first], strata[first]
        found = cls(codes, units, strata, name)
        number = found._n_different
        if number * UNLIKELY < 1.0:
            what = "nothing, as all in one have the same class"
            if number > 1:
                what = f"too little: there are {number} labellings, and p <= {UNLIKELY} takes 20"
            raise ValueError(f"n_permutations must be 0: permuting {name} changes {what}.")
        return found

    @property
    def _n_different(self):
        """Number of different labellings."""
        cells = np.column_stack([self.strata, self.codes])
        counts = np.unique(cells, axis=0, return_counts=True)[1]
        logs = gammaln(np.bincount(self.strata) + 1.0).sum() - gammaln(counts + 1.0).sum()
        return round(np.exp(min(logs, _MANY)))

    def draw(self, seed, number):
        """Return the labels of all samples after a permutation, the same for the same number."""
        rng = np.random.default_rng((seed, _STREAM, number))
        codes = np.empty_like(self.codes)
        places = np.argsort(self.strata, kind="stable")
        codes[places] = self.codes[np.lexsort((rng.random(codes.size), self.strata))]
        return codes if self.units is None else codes[self.units]


def _number_by_rows(groups):
    """Return a number for each group, in the order of rows and not of names, and first rows."""
    _, first, numbers = np.unique(groups, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[numbers], first[order]


# ------------------------------------------------------------------ the test


class Permutations(NamedTuple):
    """How many permutations are asked for, and when to stop before."""

    number: int
    within: str | None
    stop_after: int | None

    @classmethod
    def check(cls, n_permutations, within, stop_after, blocks):
        """Return what is asked for; None for no permutations."""
        _check_number("n_permutations", n_permutations)
        check_choice("permute_within", within, (None, "blocks"))
        optional(check_count)("stop_after", stop_after)
        for name, value in {"permute_within": within, "stop_after": stop_after}.items():
            if value is not None and not n_permutations:
                raise ValueError(f"{name}={value!r} needs n_permutations=1 or more.")
        if within == "blocks" and blocks is None:
            raise ValueError("permute_within='blocks' needs blocks, the block of each sample.")
        return cls(int(n_permutations), within, stop_after) if n_permutations else None


class Null(NamedTuple):
    """What a relabelling shows."""

    score: float
    gains: np.ndarray  # of the features, each by itself


def run_permutations(source, asked, try_labels, step_done):
    """Run the whole selection with permuted labels, and compare.

    `try_labels` yields what each of some labellings shows, a `Null`; None stands for the labels
    themselves. Where it is interrupted, what is finished counts.
    """
    relabelling, tally = source.relabelling(asked.within), None

    def labellings():
        yield None
        for k in range(asked.number):
            if tally is not None and tally.is_enough:
                return
            yield relabelling.draw(source.seed, k)

    results = try_labels(labellings())
    own = next(results)
    tally = _Tally(own, asked.stop_after)

    def take(found):
        tally.add(found)
        step_done(f"permutation {len(tally.scores)}")

    if take_until_interrupted(results, take, tally.stop) and not tally.scores:
        raise KeyboardInterrupt
    n_left = asked.number - len(tally.scores)
    if n_left:
        with suppress(KeyboardInterrupt):  # again, if Ctrl-C is remembered until the next step
            step_done("no more permutations", n_left)
    return PermutationTest(
        score=own.score,
        null_scores=np.array(tally.scores),
        n_asked=asked.number,
        stop_after=asked.stop_after,
        permuted=relabelling.name,
        gains=own.gains,
        feature_p_values=tally.feature_p_values(),
        expected_false=tally.expected_false(),
    )


def try_labelling(run, source, n_folds, codes):
    """Score a selection with other labels, and find the gain of each feature by itself."""
    source = source.relabel(codes)
    return Null(run(source, n_folds), source.gains)


class _Tally:
    """What relabellings show, summed up as they come."""

    def __init__(self, own, stop_after):
        self.scores, self._largest, self._own, self._stop_after = [], [], own, stop_after
        self._order = np.argsort(own.gains, kind="stable")
        self._limits = own.gains[self._order] * (1.0 - _ROUNDING)
        self._n_as_large = self._count_as_large(own.gains)
        self.is_enough = False  # whether so many are as good that no more are needed

    def add(self, found):
        """Take in one more, unless there are enough."""
        if self.is_enough:
            return
        self.scores.append(found.score)
        self._largest.append(found.gains.max())
        self._n_as_large += self._count_as_large(found.gains)
        good = _count_as_good(np.array(self.scores), self._own.score)
        self.is_enough = self._stop_after is not None and good >= self._stop_after

    def stop(self):
        """Take in no more."""
        self.is_enough = True

    def _count_as_large(self, gains):
        """Count those as large as each gain of the labels themselves, the smallest first."""
        return gains.size - np.searchsorted(np.sort(gains), self._limits)

    def expected_false(self):
        """Mean number of features with a gain as large as that of each feature.

        The labels count as one of the relabellings, so that it is never zero.
        """
        expected = np.empty(self._order.size)
        expected[self._order] = self._n_as_large / (len(self.scores) + 1)
        return expected

    def feature_p_values(self):
        """Share of relabellings, the labels among them, in which any feature has such a gain."""
        largest = np.sort(self._largest)
        n_as_large = largest.size - np.searchsorted(largest, self._own.gains * (1.0 - _ROUNDING))
        return (n_as_large + 1) / (largest.size + 1)
