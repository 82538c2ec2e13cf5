"""All metrics of unseen samples, from what was predicted of them when they were held out."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from .intervals import (
    DRAWN,
    Kinds,
    confidence_interval,
    design_effect,
    linear_spread,
)
from .methods import SCORES, metric_of, plain_score
from .metrics import (
    LOSSES,
    RANKED,
    sample_losses,
    score_confusion,
    score_influences,
    score_probabilities,
)


class Unseen(NamedTuple):
    """What is told of unseen samples: metrics by name, 95 % intervals, and that of the score."""

    metrics: dict
    intervals: dict
    interval: tuple


def in_row_order(found, folds, codes, n_classes):
    """Return `ChosenPredictions` of each fold, of all repeats, as what is known of each sample.

    `folds` has a row a repeat, with the fold of each sample.
    """
    shape, n_folds = folds.shape, len(found) // len(folds)
    predicted, probabilities = np.full(shape, -1), np.full((*shape, n_classes), np.nan)
    has_probabilities = all(each.probabilities is not None for each in found)
    for place, each in enumerate(found):
        row, fold = divmod(place, n_folds)
        rows = np.flatnonzero(folds[row] == fold)
        predicted[row, rows] = each.codes
        if has_probabilities:
            probabilities[row, rows] = each.probabilities
    return {
        "predicted": predicted,
        "probabilities": probabilities if has_probabilities else None,
        "true_codes": codes,
    }


def counted_metrics(outcome):
    """Return the metrics that are known of confusion matrices, of all folds together, by name."""
    confusion = outcome.outer.sum(axis=0)
    found = {name: float(score_confusion(confusion, name)) for name in SCORES}
    if outcome.costs is not None:
        found["cost"] = -float(score_confusion(confusion, "neg_cost", outcome.costs))
    return found


class UnseenSamples:
    """What is known of samples that were held out, by what each outer fold chose.

    Parameters
    ----------
    source : MemorySource, SampleFacts or FederatedSource
        Where they come from, or what is known of them.
    outcome : Outcome
        What the folds show.
    described : dict
        What is known of each sample: ``predicted``, ``probabilities`` and ``true_codes``, each None
        if nothing is.
    group_hits : GroupHits or None
        Of samples that nobody has seen together, how many of the groups were recognised.
    """

    def __init__(self, source, outcome, described, group_hits=None):
        self._source, self._outcome, self._group_hits = source, outcome, group_hits
        self._predicted = described["predicted"]
        self._probabilities, self._codes = described["probabilities"], described["true_codes"]

    def tell(self, score, counted=None):
        """Return all that is told, given the score that chose, and metrics of more samples."""
        metrics = self.metrics() | (counted or {})
        return Unseen(metrics, self.intervals(metrics), self.interval(score))

    def metrics(self):
        """Return each metric there is of all samples and folds together, by name."""
        found = counted_metrics(self._outcome)
        if self._probabilities is not None:
            n_repeats, n_samples, n_classes = self._probabilities.shape
            together = self._probabilities.reshape(-1, n_classes)
            weights = np.ones((1, n_repeats * n_samples))
            scores = score_probabilities(together, np.tile(self._codes, n_repeats), weights)
            found |= {name: float(value[0]) for name, value in scores.items()}
        return found

    def intervals(self, metrics):
        """Return the 95 % confidence interval of each metric."""
        return {name: self._interval(name, value) for name, value in metrics.items()}

    def interval(self, score):
        """Return that of the score by which something was chosen, the mean over folds."""
        scoring = self._outcome.scoring
        low, high = self._interval(metric_of(scoring), plain_score(score, scoring))
        return (-high, -low) if scoring.startswith("neg_") else (low, high)

    def _interval(self, name, value):
        source, is_ranked = self._source, name in RANKED
        return confidence_interval(
            self._outcome,
            name,
            value,
            units=int(source.units.counts.min()) if is_ranked else self._n_units,
            effect=self._effect(name),
            spread=self._spreads.get(name),
            seed=source.seed,
        )

    @property
    def _n_units(self):
        return self._source.n_groups or int(self._source.class_counts.sum())

    def _effect(self, name):
        """Return by how much groups raise the variance of a metric."""
        source = self._source
        if source.n_groups is None:
            return 1.0
        if self._group_hits is not None:
            return self._group_hits.design_effect
        return design_effect(self._values(name), source.groups)

    def _values(self, name):
        """Return what each sample adds to a mean, in each repeat."""
        if name in LOSSES:
            return sample_losses(self._probabilities, self._codes)[:, LOSSES.index(name)]
        if name == "cost":
            return self._outcome.costs[self._codes, self._predicted]
        return self._predicted == self._codes

    @cached_property
    def _spreads(self):
        """Standard deviations over resamples, or whole groups, of metrics that are no means."""
        codes, groups, found = self._codes, self._source.groups, {}
        if groups is not None:
            kinds = Kinds.of_groups(self._predicted, codes, groups, len(self._source.classes))
            found |= {name: kinds.spread(name, self._source.seed) for name in DRAWN}
        if self._probabilities is not None:
            units = np.arange(codes.size) if groups is None else groups
            influences = score_influences(self._probabilities[0], codes)
            found |= {name: linear_spread(influences[name], units) for name in RANKED}
        return found
