"""How many samples weights stand for, where a rule asks for their number.

A weight of 3 is as good as three copies of a sample, and weights that are all multiplied by a
number say the same. Both hold if the smallest weight is one sample and the others are whole
multiples of it. Other weights, such as those that balance classes, speak of importance and not of
copies: each sample of positive weight is one sample. What the two laws cannot both have: weights
that are all 2 stand for one sample each, as those that are all 1, although so many copies would be
twice the samples.
"""

from functools import reduce
from typing import NamedTuple

import numpy as np

from .. import _state as state

_WHOLE = 1e-9  # what rounding may take from a whole multiple
_LEAST_UNIT = 1e-3  # a smaller share of the smallest weight is no unit of all


class SampleCount(NamedTuple):
    """What the weights of two parts must tell for the number of samples of both."""

    unit: float = 0.0  # largest number of which all weights are multiples; 0 if there is none
    smallest: float = np.inf  # positive weight
    n_positive: int = 0  # samples of positive weight

    _state = {
        "unit": state.number(0.0),
        "smallest": state.number(0.0, infinite=True),
        "n_positive": state.count(),
    }

    @classmethod
    def of(cls, weights):
        """Count samples that have weights, some of which may be zero."""
        positive = weights[weights > 0]
        if positive.size == 0:
            return cls()
        unit, *others = np.unique(positive).tolist()
        smallest = unit
        for weight in others:
            unit = _common_unit(unit, weight, _LEAST_UNIT * smallest)
        return cls(unit, smallest, positive.size)

    @classmethod
    def of_equal(cls, n_samples):
        """Count samples of weight 1."""
        return cls(1.0, 1.0, int(n_samples)) if n_samples else cls()

    def merge(self, other):
        """Count the samples of both parts."""
        if self.n_positive == 0 or other.n_positive == 0:
            return other if self.n_positive == 0 else self
        smallest = min(self.smallest, other.smallest)
        unit = _common_unit(self.unit, other.unit, _LEAST_UNIT * smallest)
        return SampleCount(unit, smallest, self.n_positive + other.n_positive)

    def number(self, total):
        """Return the number of samples, whose weights sum to `total`."""
        if self.n_positive == 0:
            return total
        is_one_sample = self.unit > (1.0 - _WHOLE) * self.smallest
        return float(round(total / self.unit)) if is_one_sample else float(self.n_positive)


NO_SAMPLES = SampleCount()


def _common_unit(first, second, least):
    """Find the largest number of which both are multiples, by Euclid; 0 if it is below `least`."""
    low, high = sorted((first, second))
    rounding = _WHOLE * high
    while low > least and np.isfinite(high / low):
        rest = abs(high - round(high / low) * low)
        if rest <= rounding:
            return low
        low, high = rest, low
    return 0.0


def count_samples(codes, weights, counts):
    """Count samples by class, of known weight `counts`; blocks are counted where they are."""
    if weights is None:
        return SampleCount.of_equal(counts.sum())
    if hasattr(codes, "map"):
        return codes.map(_count_block, weights).reduce(_merge_all)
    return _count_block(codes, weights)


def _count_block(codes, weights):
    return SampleCount.of(weights[codes >= 0])


def _merge_all(parts):
    return reduce(SampleCount.merge, parts)


def number_of_samples(weights):
    """Return how many samples weights stand for."""
    return SampleCount.of(weights).number(weights.sum())


def weights_in_samples(weights):
    """Multiply weights by a number that makes their sum the number of samples."""
    return weights * (number_of_samples(weights) / weights.sum())
