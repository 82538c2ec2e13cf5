"""Where to cut projections of two classes.

Equation map (:cite:t:`Rozza2010`):

    eq. (3.17)  mean of the best candidates     find_threshold(), "inclusive" and "strict"
    eq. (3.22)  as much weight on either class  find_threshold(), "balanced"
    section 4.3 equal Mahalanobis distance      mahalanobis_threshold()
"""

from functools import partial, reduce
from typing import NamedTuple

import numpy as np

from ..statistics import ClassMoments, class_moments

PILED = 1e-8  # a spread below this share of the distance of the means is rounding
_ROUNDING = 1e-13
_MOST_RUNS = 32  # into which projections that are in blocks are sorted
_SAMPLES_OF_ORDER = 1024  # from which the ends of the runs are chosen


def find_threshold(rule, values, is_positive, weights=None, balance=0.99):
    """Find the threshold that a rule puts between projected samples, the positive ones above.

    "inclusive": mean of the projected samples that, as thresholds, leave the most samples on their
    side, where a sample on the threshold is right whatever its class. "strict": the same where it
    is right only if negative. "balanced": mean over the two classes of the mean of those samples of
    the class that score more than `balance`, the k of eq. (3.22), times the best of the class.
    "mahalanobis": as many standard deviations from one mean as from the other.
    """
    weights = np.ones(values.size) if weights is None else weights
    return place_threshold(rule, Line(values, is_positive, weights), balance)


def place_threshold(rule, line, balance):
    """Find the threshold of projections that are in memory or in blocks, as in `find_threshold`."""
    if rule == "mahalanobis":
        means, variances, _ = line.spreads()
        return mahalanobis_threshold(means, np.sqrt(variances))
    return _mean_of_best(line.runs(), rule, balance)


def mahalanobis_threshold(means, deviations):
    """Point as many deviations above the lower mean as below the upper one; half-way if piled."""
    low, high = means
    below, above = np.where(deviations < PILED * abs(high - low), 0.0, deviations)
    if below + above == 0.0:
        return float(low + (high - low) / 2.0)
    return float(low + (high - low) * (below / (below + above)))


class Line(NamedTuple):
    """Projections of samples of two classes, and what each sample counts."""

    values: np.ndarray
    is_positive: np.ndarray
    weights: np.ndarray

    def spreads(self):
        """Mean, variance and weight of the negative and of the positive class."""
        return _spreads(self.moments())

    def runs(self):
        """Return the candidates in one run."""
        return _RunsAtHand([self.candidates(_ROUNDING * self.largest)])

    @property
    def largest(self):
        """Largest absolute value."""
        return np.abs(self.values).max(initial=0.0)

    def candidates(self, tol):
        """Distinct projections of samples that count."""
        counted = self.weights > 0
        values, weights = self.values[counted], self.weights[counted]
        shares = np.where(self.is_positive[counted] == [[False], [True]], weights, 0.0)
        return Candidates.join([Candidates(values, values, shares)], tol)

    def moments(self):
        """Class moments of the projections."""
        return class_moments(
            self.values[:, None], self.is_positive.astype(np.int32), 2, self.weights
        )


class LineInBlocks:
    """The same where the projections stay in blocks: no more than a run comes together.

    Candidates are exchanged so that each run holds those between two ends, which fall in gaps. What
    a run needs of the others is the weight of either class on either side of it.
    """

    def __init__(self, blocks):
        self._blocks = blocks.persist()

    def spreads(self):
        """As above, from class moments."""
        return _spreads(self._blocks.map(Line.moments).reduce(_merge_moments))

    def runs(self):
        """Return the candidates in runs of increasing values."""
        sizes = self._blocks.map(_size_and_largest).gather()
        n_samples, largest = sum(size for size, _ in sizes), max(top for _, top in sizes)
        tol = _ROUNDING * largest
        parts = self._blocks.regroup(_MOST_RUNS, partial(_join_candidates, tol)).persist()
        ends = self._ends(parts, -(-n_samples // _SAMPLES_OF_ORDER), tol)
        join = partial(Candidates.join, tol=tol)
        return parts.exchange(partial(Candidates.cut, ends=ends), join, ends.size + 1).persist()

    def _ends(self, parts, step, tol):
        """First candidates of all runs but the lowest, about as many candidates apart."""
        samples = np.unique(np.concatenate(parts.map(partial(_every, step)).gather()))
        n_runs = min(len(parts), samples.size)
        ends = samples[np.arange(1, n_runs) * samples.size // max(n_runs, 1)]
        gaps = np.array(parts.map(partial(Candidates.around, ends=ends)).gather())
        below, above = gaps[:, 0].max(axis=0), gaps[:, 1].min(axis=0)
        # What is one candidate must not fall into two runs.
        return ends[(above - below > tol) & (below > -np.inf)]


class Candidates(NamedTuple):
    """Distinct projections in order; values that differ by rounding alone are one, the first."""

    starts: np.ndarray  # (n_candidates,): the first of the values that are one
    stops: np.ndarray  # the last of them
    # (2, n_candidates): weight of the negative and of the positive samples on each.
    shares: np.ndarray

    @classmethod
    def join(cls, parts, tol):
        """Put candidates of several parts in order; what is nearer than `tol` is one."""
        fields = zip(*parts, strict=True)
        starts, stops, shares = (np.concatenate(field, axis=-1) for field in fields)
        order = np.argsort(starts, kind="stable")
        starts, reach = starts[order], np.maximum.accumulate(stops[order])
        is_new = np.ones(starts.size, dtype=bool)
        is_new[1:] = starts[1:] - reach[:-1] > tol
        place = np.cumsum(is_new) - 1
        first = np.flatnonzero(is_new)
        last = np.append(first, starts.size)[1:] - 1
        sums = [np.bincount(place, share[order], minlength=first.size) for share in shares]
        return cls(starts[first], reach[last], np.array(sums))

    def cut(self, ends):
        """Cut into runs that begin at each of `ends`, and the one before."""
        edges = [0, *np.searchsorted(self.starts, ends).tolist(), self.starts.size]
        return [
            Candidates(self.starts[start:stop], self.stops[start:stop], self.shares[:, start:stop])
            for start, stop in zip(edges[:-1], edges[1:], strict=True)
        ]

    def around(self, ends):
        """How far what begins below each of `ends` reaches, and where what is above begins."""
        places = np.searchsorted(self.starts, ends)
        below = np.append(-np.inf, self.stops)[places]
        return below, np.append(self.starts, np.inf)[places]

    def scores(self, before, after, rule):
        """Weight that each candidate leaves on its side, with what is in runs before and after."""
        below = before + np.cumsum(self.shares[0])
        above = after + np.cumsum(self.shares[1][::-1])[::-1]
        return below + above - (self.shares[1] if rule == "strict" else 0.0)

    def best_scores(self, before, after, rule):
        """Return the best score, or for "balanced" the best of each class."""
        scores = self.scores(before, after, rule)
        groups = self.shares > 0 if rule == "balanced" else [slice(None)]
        return [scores[group].max(initial=-np.inf) for group in groups]

    def best_places(self, before, after, rule, balance, best):
        """Sum and number of the candidates that score best, in one row or one a class."""
        scores = self.scores(before, after, rule)
        if rule == "balanced":
            masks = (self.shares > 0) & (scores > balance * best[:, None])
        else:
            # Sums of weights in another order are equal.
            masks = [scores >= best[0] - _ROUNDING * best[0]]
        return [(self.starts[mask].sum(), np.count_nonzero(mask)) for mask in masks]


class _RunsAtHand(list):
    """Runs of candidates in memory, which are asked in the same way as blocks."""

    def map(self, function, *others):
        return _RunsAtHand(map(function, self, *others))

    def gather(self):
        return self


def _mean_of_best(runs, rule, balance):
    """Mean of the best candidates; for "balanced" of those of each class, and of both means."""
    totals = np.array(runs.map(_weights).gather())
    before = np.cumsum(totals[:, 0]) - totals[:, 0]
    after = np.cumsum(totals[::-1, 1])[::-1] - totals[:, 1]
    best = runs.map(partial(Candidates.best_scores, rule=rule), before, after).gather()
    choose = partial(Candidates.best_places, rule=rule, balance=balance, best=np.max(best, axis=0))
    places = np.sum(runs.map(choose, before, after).gather(), axis=0)
    return float(np.mean(places[:, 0] / places[:, 1]))  # eq. (3.17), eq. (3.22)


def _weights(run):
    return run.shares.sum(axis=1)


def _spreads(moments):
    return moments.means[:, 0], moments.squares[:, 0] / moments.counts, moments.counts


def _merge_moments(parts):
    return reduce(ClassMoments.merge, parts)


def _size_and_largest(line):
    return line.values.size, line.largest


def _join_candidates(tol, lines):
    return Candidates.join([line.candidates(tol) for line in lines], tol)


def _every(step, candidates):
    return candidates.starts[::step]
