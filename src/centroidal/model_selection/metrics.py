"""Scores: from counts of what was predicted, from probabilities, and their errors."""

from typing import Any, NamedTuple

import numpy as np

from .._plain import interval_text, score_text
from ..solvers.costs import least_cost
from .methods import METRICS, PROBABILITY_SCORES, metric_of, plain_score

__all__ = [
    "LOSSES",
    "RANKED",
    "Predicted",
    "Scoring",
    "Tested",
    "check_scoring",
    "confusion_matrices",
    "corrected_error",
    "loss_moments",
    "majority_score",
    "metric_rows",
    "metric_table",
    "sample_losses",
    "score_confusion",
    "score_hits",
    "score_influences",
    "score_models",
    "score_probabilities",
]


_OF_HITS = ("accuracy", "balanced_accuracy")  # scores that need no more than the right predictions
LOSSES = ("log_loss", "brier_score")  # that are means of what each sample loses
RANKED = ("roc_auc", "average_precision")  # that need no more than the order of the samples


class Scoring(NamedTuple):
    """What predictions are scored by: a name, and the scorer of scikit-learn behind it."""

    name: str
    scorer: Any

    @property
    def is_counted(self):
        """Whether counts of right predictions are enough."""
        return self.name in _OF_HITS


def check_scoring(scoring):
    """Return what is asked for by a name, a function or None, which is accuracy."""
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise TypeError(
            f"scoring={scoring!r} must be the name of a scorer, a function of estimator, X and y, "
            "or None."
        )
    from sklearn.metrics import get_scorer

    scoring = scoring or "accuracy"
    return Scoring(scoring if isinstance(scoring, str) else "score", get_scorer(scoring))


# ------------------------------------------------------------------ models of a path


class Tested(NamedTuple):
    """All that a score needs of what models predict of test samples; models are the first axes."""

    confusions: np.ndarray  # true classes in rows
    values: np.ndarray | None = None  # of a score that does not follow from them

    @classmethod
    def stack(cls, parts):
        """Put several of them into one, along a new first axis."""
        confusions, values = zip(*parts, strict=True)
        return cls(np.array(confusions), None if values[0] is None else np.array(values))

    def take_models(self, positions):
        """Return the same of some models, in the first axis."""
        values = None if self.values is None else self.values[positions]
        return Tested(self.confusions[positions], values)

    def score(self, scoring, costs=None):
        """Return the score of each model."""
        if self.values is not None:
            return self.values
        return score_confusion(self.confusions, scoring, costs)


class Predicted(NamedTuple):
    """What each of some models predicts of samples."""

    codes: np.ndarray  # of the classes, of shape (n_models, n_samples)
    kept: np.ndarray  # positions of the models of which more is known
    probabilities: np.ndarray | None  # by these, of shape (n_kept, n_samples, n_classes)
    ranks: np.ndarray | None  # what ranks samples by how much they are of a class, in that shape

    @classmethod
    def join(cls, parts):
        """Put what is predicted of some samples after the other into one."""
        codes, kept, *scores = zip(*parts, strict=True)
        return cls(np.hstack(codes), kept[0], *(np.concatenate(each, axis=1) for each in scores))

    def decide(self, costs):
        """Return the same with the classes that cost least, by all models."""
        if costs is None:
            return self
        return self._replace(codes=least_cost(self.probabilities, costs))

    def take(self, samples):
        """Return the same of some samples."""
        return self._replace(codes=self.codes[:, samples])._map_kept(lambda each: each[:, samples])

    def take_models(self, positions):
        """Return the same of some models, in increasing order."""
        kept = np.flatnonzero(np.isin(positions, self.kept))
        places = np.searchsorted(self.kept, positions[kept])
        found = self._replace(codes=self.codes[positions], kept=kept)
        return found._map_kept(lambda each: each[places])

    def _map_kept(self, change):
        some = ("probabilities", "ranks")
        arrays = {name: getattr(self, name) for name in some}
        return self._replace(
            **{name: None if each is None else change(each) for name, each in arrays.items()}
        )

    def test(self, codes, n_classes, scoring):
        """Return what the score of each model needs, given the true classes."""
        values, name = None, metric_of(scoring)
        if name in PROBABILITY_SCORES:
            by = self.ranks if name in RANKED else self.probabilities
            values = score_models(by, codes, scoring)
        return Tested(confusion_matrices(self.codes, codes, n_classes), values)


# ------------------------------------------------------------------ from counts


def confusion_matrices(predicted, true, n_classes, n_true=None):
    """Confusion matrix, true classes in rows, of each row of predicted codes.

    What is true may have more values than there are classes, `n_true`.
    """
    shape = len(predicted), n_classes if n_true is None else n_true, n_classes
    cells = true * n_classes + predicted + np.arange(shape[0])[:, None] * (shape[1] * n_classes)
    return np.bincount(cells.ravel(), minlength=np.prod(shape)).reshape(shape)


def score_confusion(confusion, name, costs=None):
    """Score confusion matrices in the last two axes, as scikit-learn does their predictions."""
    if name == "neg_cost":
        return -(confusion * costs).sum(axis=(-2, -1)) / confusion.sum(axis=(-2, -1))
    hits = np.diagonal(confusion, axis1=-2, axis2=-1)
    counts, predicted = confusion.sum(axis=-1), confusion.sum(axis=-2)
    if name in _OF_HITS:
        return score_hits(hits, counts, name)
    return (_mean_f1 if name == "f1_macro" else _matthews)(hits, counts, predicted)


def _mean_f1(hits, counts, predicted):
    """F1 score of each class that occurs or is predicted, and their mean."""
    both = counts + predicted
    scores = np.divide(2.0 * hits, both, out=np.zeros(both.shape), where=both > 0)
    n_there = (both > 0).sum(axis=-1)  # none in a resample that drew nothing
    return scores.sum(axis=-1) / np.maximum(n_there, 1)


def _matthews(hits, counts, predicted):
    """Correlation of true and predicted classes; 0 where either are all the same."""
    hits, counts, predicted = (each.astype(float) for each in (hits, counts, predicted))
    total = counts.sum(axis=-1)
    covariance = hits.sum(axis=-1) * total - (counts * predicted).sum(axis=-1)
    spreads = [total**2 - (each**2).sum(axis=-1) for each in (counts, predicted)]
    scale = np.sqrt(spreads[0]) * np.sqrt(spreads[1])
    return np.divide(covariance, scale, out=np.zeros(np.shape(scale)), where=scale > 0)[()]


def score_hits(hits, counts, name):
    """Return the same from the weight of each class, and of its samples that are recognised."""
    if name == "accuracy":
        return hits.sum(axis=-1) / counts.sum(axis=-1)
    occurs = counts > 0
    recalls = np.divide(hits, counts, out=np.zeros(hits.shape), where=occurs)
    return recalls.sum(axis=-1) / occurs.sum(axis=-1)


# ------------------------------------------------------------------ from probabilities


def score_models(scores, codes, scoring):
    """Score probabilities by each of some models, or what else ranks samples, by a scoring."""
    name = metric_of(scoring)
    found = score_probabilities(scores, codes, np.ones((1, codes.size)), (name,))
    return plain_score(found[name][0], scoring)


def score_probabilities(probabilities, codes, weights, names=tuple(PROBABILITY_SCORES)):
    """Return the scores of probabilities by name, a value for each row of weights of the samples.

    They are those of scikit-learn. ROC AUC and average precision are of the second class of two,
    else means over the classes, each against the rest; NaN where a class has no weight. Where the
    probabilities are those of several models, in the first axis, there is a value for each.
    """
    n_classes, scores = probabilities.shape[-1], {}
    if not set(RANKED).isdisjoint(names):
        classes = [1] if n_classes == 2 else range(n_classes)
        ranked = [_rank_scores(probabilities[..., k], codes == k, weights) for k in classes]
        scores |= zip(RANKED, np.mean(ranked, axis=0), strict=True)
    if not set(LOSSES).isdisjoint(names):
        losses = np.moveaxis(sample_losses(probabilities, codes), -2, 0)
        means = np.moveaxis(losses @ weights.T / weights.sum(axis=1), -1, 1)
        scores |= zip(LOSSES, means, strict=True)
    return {name: scores[name] for name in names}


def sample_losses(probabilities, codes):
    """Return the log loss and the Brier score of each sample, in rows, in the last two axes."""
    n_classes, smallest = probabilities.shape[-1], np.finfo(probabilities.dtype).eps
    own = probabilities[..., np.arange(codes.size), codes]
    squares = ((probabilities - np.eye(n_classes)[codes]) ** 2).sum(axis=-1)
    halves = 2.0 if n_classes == 2 else 1.0
    return np.stack([-np.log(np.clip(own, smallest, 1.0 - smallest)), squares / halves], axis=-2)


def loss_moments(probabilities, codes):
    """Return sums of losses and of their squares, of shape (..., 2, 2), losses in rows.

    The losses are log loss and Brier score, the probabilities of shape (..., samples, classes).
    """
    losses = sample_losses(probabilities, codes)
    return np.stack([losses.sum(axis=-1), (losses**2).sum(axis=-1)], axis=-1)


def _find_ties(scores):
    """Return the order from high to low, where the ties of each begin, and what is below them."""
    order = np.argsort(-scores, axis=-1, kind="stable")
    ranked, places = np.take_along_axis(scores, order, axis=-1), np.arange(scores.shape[-1])
    is_new = np.ones(ranked.shape, dtype=bool)
    is_new[..., 1:] = ranked[..., 1:] != ranked[..., :-1]
    first = np.maximum.accumulate(np.where(is_new, places, 0), axis=-1)
    below = np.where(np.roll(is_new, -1, axis=-1), places + 1, places.size)
    return order, first, np.minimum.accumulate(below[..., ::-1], axis=-1)[..., ::-1]


def _rank_scores(scores, is_positive, weights):
    """Return the area under the ROC curve, and average precision, of each row of weights."""
    order, *ends = _find_ties(scores)
    mine = weights[:, order]
    own = mine * is_positive[order]
    no_sum = np.zeros((*mine.shape[:-1], 1))
    sums, hits = (np.concatenate([no_sum, each.cumsum(axis=-1)], -1) for each in (mine, own))
    n_hits, n_others = hits[..., -1], sums[..., -1] - hits[..., -1]
    ends = [each.reshape(*(1,) * (mine.ndim - each.ndim), *each.shape) for each in ends]
    found, above = ([np.take_along_axis(each, end, -1) for end in ends] for each in (hits, sums))
    others = (above[0] - found[0] + above[1] - found[1]) / 2.0
    area = (own * (n_others[..., None] - others)).sum(axis=-1)
    precision = np.divide(found[1], above[1], out=np.zeros(own.shape), where=above[1] > 0)
    is_there = (n_hits > 0) & (n_others > 0)
    return [
        np.divide(value, scale, out=np.full(scale.shape, np.nan), where=is_there)
        for value, scale in ((area, n_hits * n_others), ((own * precision).sum(axis=-1), n_hits))
    ]


def score_influences(probabilities, codes, names=RANKED):
    """Return by how much each sample changes the scores of probabilities, by name.

    These are derivatives by the weights of the samples; those of ROC AUC are the placements of
    :cite:t:`DeLong1988`. What ranks samples needs some of every class.
    """
    n_classes, found = probabilities.shape[-1], {}
    if not set(RANKED).isdisjoint(names):
        classes = [1] if n_classes == 2 else range(n_classes)
        ranked = [_rank_influences(probabilities[:, k], codes == k) for k in classes]
        found |= zip(RANKED, np.mean(ranked, axis=0), strict=True)
    if not set(LOSSES).isdisjoint(names):
        losses = sample_losses(probabilities, codes)
        found |= zip(LOSSES, (losses.T - losses.mean(axis=1)).T / codes.size, strict=True)
    return {name: found[name] for name in names}


def _rank_influences(scores, is_positive):
    """Return those of the area under the ROC curve, and of average precision."""
    order, first, below = _find_ties(scores)
    own = is_positive[order]
    hits = np.append(0, own.cumsum())
    n_hits, n_others = hits[-1], own.size - hits[-1]
    misses = np.arange(hits.size) - hits
    places = np.where(
        own,
        1.0 - (misses[first] + misses[below]) / (2.0 * n_others),
        (hits[first] + hits[below]) / (2.0 * n_hits),
    )
    area = (places - places[own].mean()) / np.where(own, n_hits, n_others)
    # A sample counts where it is, and in the precision of all that rank as high or lower.
    precision = hits[below] / below
    gained, lost = (
        np.append(0.0, each.cumsum()) for each in (own / below, own * precision / below)
    )
    gains, losses = (each[-1] - each[first] for each in (gained, lost))
    average = (own * (precision - precision[own].mean() + gains) - losses) / n_hits
    found = np.empty((2, own.size))
    found[:, order] = area, average
    return found


def majority_score(counts, scoring, costs=None):
    """Score of what knows the sizes of the classes alone, and always predicts the largest.

    If it is scored by costs, it predicts the one that costs least.
    """
    if metric_of(scoring) in PROBABILITY_SCORES:
        shares = np.tile(counts / counts.sum(), (counts.size, 1))
        found = score_probabilities(
            shares, np.arange(counts.size), counts[None].astype(float), (metric_of(scoring),)
        )
        return float(plain_score(found[metric_of(scoring)][0], scoring))
    best = counts.argmax() if scoring != "neg_cost" else (counts @ costs).argmin()
    confusion = np.zeros((counts.size, counts.size))
    confusion[:, best] = counts
    return float(score_confusion(confusion, scoring, costs))


def metric_rows(metrics, intervals):
    """Return a row of texts for each metric: what it is called, its value, its 95 % interval."""
    rows = []
    for name, value in metrics.items():
        _, title, is_share, _ = METRICS[name]
        ends = intervals[name]
        within = "" if ends is None else interval_text(ends, is_share=is_share)
        rows.append((title, score_text(value, is_share=is_share), within))
    return rows


def metric_table(rows, head):
    """Return lines of such rows below a head, in columns."""
    rows = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def corrected_error(values, ratio):
    """Return the standard error of a mean over folds, in the last axis, that train on common rows.

    It is that of :cite:t:`Nadeau2003`; `ratio` is the number of test samples for each training
    sample, and it is NaN for less than two values.
    """
    *shape, n_folds = np.shape(values)
    if n_folds < 2:
        return np.full(shape, np.nan)[()]
    return np.sqrt(np.var(values, axis=-1, ddof=1) * (1 / n_folds + ratio))
