"""Which classes are credible, by how unusual held-out samples of each class were.

Conformal prediction of Vovk, Gammerman and Shafer (2005)::

    section 2.2  p-value of a score among those of held-out samples       p_values()
    section 4.5  label-conditional (Mondrian): among those of its class   p_values(), `pools`

A sample is of a class with a p-value of at most `level` in at most that share of all samples of the
class, if it is exchangeable with those that were held out. Half of the level is spent on a second
score, which tells outliers; by Bonferroni the sum of both is what may go wrong.
"""

from typing import NamedTuple

import numpy as np

from .. import _state as state
from .background import UsualBackground
from .calibration import fit_temperature, log_probabilities, temper
from .outliers import Usual
from .ranking import ROUNDING

LEVELS = (0.01, 0.05, 0.1, 0.2)  # at which it is told how many samples get a class
_ROUNDING = 1e-9


class HeldOut(NamedTuple):
    """What a model says of samples that it has not seen, and how unlike those that it has seen."""

    probabilities: np.ndarray
    codes: np.ndarray
    distances: np.ndarray | None = None  # from the center of each class
    sizes: np.ndarray | None = None  # of the rows, as one column
    background: np.ndarray | None = None  # see `Background.measure`

    @classmethod
    def join(cls, parts):
        """Put several of them into one; what one of them lacks is left out."""
        if len(parts) == 1:
            return parts[0]
        columns = zip(*parts, strict=True)
        return cls(
            *(None if any(e is None for e in each) else np.concatenate(each) for each in columns)
        )

    def own(self, values):
        """Return what belongs to the class of each sample, of a column for each class."""
        return values[np.arange(self.codes.size), self.codes]


class Thresholds(NamedTuple):
    """What a sample may reach at most, so that a class is credible."""

    scores: np.ndarray  # for each class; infinite where it cannot be excluded
    outlyingness: float  # for all classes


class Calibration(NamedTuple):
    """What held-out samples teach: a temperature, what is usual, and how unusual they were."""

    temperature: float
    usual: Usual
    codes: np.ndarray  # of the classes of the samples
    scores: np.ndarray  # negative logarithms of the calibrated probabilities of these classes
    outlyingness: np.ndarray  # by what factor they are farther from them, larger or smaller
    background: UsualBackground | None = None  # what is known of all features

    _state = {
        "temperature": state.number(least=np.finfo(float).tiny),
        "usual": state.part(Usual),
        "codes": state.positions("held_out", below="classes"),
        "scores": state.floats("held_out"),
        "outlyingness": state.floats("held_out", least=0.0, infinite=True),
        "background": state.optional(state.part(UsualBackground, held_out="held_out")),
    }

    @classmethod
    def of(cls, repeats, calibrates=True):
        """Learn from samples that were held out once, or again and again.

        The first of the `repeats` (`HeldOut`) knows distances and sizes. Unless it `calibrates`,
        probabilities stay as they are.
        """
        first, every = repeats[0], HeldOut.join(repeats)
        temperature = 1.0
        if calibrates:
            temperature = fit_temperature(every.probabilities, every.codes, first.codes.size)
        usual = Usual.of(first.own(first.distances), first.sizes)
        mine = cls(temperature, usual, first.codes, None, None)
        scores, outlyingness = mine.nonconformity(first)
        mine = mine._replace(scores=first.own(scores), outlyingness=first.own(outlyingness))
        if first.background is None:
            return mine
        return mine._replace(background=UsualBackground.of(first.background, mine.outlyingness))

    @property
    def known_outlyingness(self):
        """How unusual held-out samples were by all that is looked at."""
        return self.outlyingness if self.background is None else self.background.outlyingness

    def nonconformity(self, samples):
        """Return how unusual samples would be in each class, by probability and as outliers."""
        scores = -log_probabilities(temper(samples.probabilities, self.temperature))
        outlyingness = self.usual.outlyingness(samples.distances, samples.sizes)
        if self.background is None:
            return scores, outlyingness
        return scores, np.maximum(
            outlyingness, self.background.unusual(samples.background)[:, None]
        )

    def thresholds(self, n_classes, level):
        """Return the largest scores with p-values above a level, of which outliers take half."""
        number = self.codes.size + 1
        # At least as much as one sample can show, if the level is not less than that.
        n_outliers = min(max(1, _count(level / 2.0 * number)), _count(level * number))
        left = level - n_outliers / number
        pools = pool_classes(np.bincount(self.codes, minlength=n_classes), left)
        mine = (self.scores[pools[self.codes] == pool] for pool in pools)
        scores = [_largest(each, _count(left * (each.size + 1))) for each in mine]
        return Thresholds(np.array(scores), _largest(self.known_outlyingness, n_outliers))

    def credible(self, samples, level):
        """Say of samples which classes are credible, a column for each."""
        scores, outlyingness = self.nonconformity(samples)
        most = self.thresholds(scores.shape[1], level)
        return (scores <= most.scores) & (outlyingness <= most.outlyingness)


def pool_classes(counts, level):
    """Return a number for each class; those of one number are judged by their samples together.

    A class by itself can be excluded at a level only if it has samples enough. Those that have too
    few are taken together, with the next larger ones if need be.
    """
    needed, pools = samples_needed(level), np.arange(counts.size)
    by_size = np.argsort(counts, kind="stable")
    n_small = int(np.count_nonzero(counts < needed))
    if n_small == 0:
        return pools
    n_enough = int(np.searchsorted(np.cumsum(counts[by_size]), needed)) + 1
    pools[by_size[: max(n_small, n_enough)]] = by_size[0]
    return pools


def samples_needed(level):
    """Return how many samples it takes to exclude a class at a level."""
    return np.inf if level <= 0.0 else int(np.ceil(1.0 / level - _ROUNDING)) - 1


def p_values(scores, known, codes):
    """Return for each sample and class the share of held-out scores of it that are as large.

    The sample counts as one of them, so that a p-value is never 0.
    """
    found = np.empty(scores.shape)
    for code in range(scores.shape[1]):
        mine = np.sort(known[codes == code])
        n_larger = mine.size - np.searchsorted(mine, scores[:, code], side="left")
        found[:, code] = (1.0 + n_larger) / (mine.size + 1.0)
    return found


def _count(number):
    """Return the whole number that a number reaches, up to rounding."""
    return int(max(number, 0.0) + _ROUNDING)


def _largest(values, place):
    """Return the largest value, the second and so on; for the place 0 what no value reaches.

    It is raised by what rounding may do, so that samples which are as unusual are not beyond it.
    """
    return np.inf if place == 0 else float(np.sort(values)[-place]) * (1.0 + ROUNDING) + ROUNDING


# ------------------------------------------------------------------ how many samples get a class


def count_calls(folds, calibrates):
    """Return a row for each level, of samples that were held out (`HeldOut`, of each fold).

    Each fold is judged by what the others teach, so that nothing was learned of its samples.
    """
    codes = HeldOut.join(folds).codes
    calibrations = [
        Calibration.of([HeldOut.join(folds[:place] + folds[place + 1 :])], calibrates)
        for place in range(len(folds))
    ]
    return tuple(
        describe_calls(
            np.concatenate(
                [
                    calibration.credible(fold, level)
                    for calibration, fold in zip(calibrations, folds, strict=True)
                ]
            ),
            codes,
            level,
        )
        for level in LEVELS
    )


def describe_calls(credible, codes, level):
    """Return what comes of samples, given which classes are credible and their numbers.

    Returns
    -------
    dict
        The level ``no_call``; the shares of samples that are ``called``, that ``several`` classes
        are credible for, and that resemble ``none``; ``accuracy`` of those that are called;
        ``coverage``, the share of samples whose class is credible, and ``class_coverage``, the same
        of each class. NaN for a class without samples, None for the accuracy of none.
    """
    numbers, rows = credible.sum(axis=1), np.arange(codes.size)
    is_called, is_covered = numbers == 1, credible[rows, codes]
    counts = np.bincount(codes, minlength=credible.shape[1])
    covered = np.bincount(codes, is_covered, minlength=credible.shape[1])
    return {
        "no_call": level,
        "called": float(np.mean(is_called)),
        "several": float(np.mean(numbers > 1)),
        "none": float(np.mean(numbers == 0)),
        "accuracy": float(np.mean(is_covered[is_called])) if is_called.any() else None,
        "coverage": float(np.mean(is_covered)),
        "class_coverage": (covered / np.where(counts > 0, counts, np.nan)).tolist(),
    }
