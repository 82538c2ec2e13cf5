"""Scores: from counts of what was predicted, from scorers of scikit-learn, and their errors."""

from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "Scoring",
    "check_scoring",
    "confusion_matrices",
    "corrected_error",
    "majority_score",
    "score_confusion",
    "score_hits",
    "score_probabilities",
]


_OF_HITS = ("accuracy", "balanced_accuracy")  # scores that need no more than the right predictions


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


def confusion_matrices(predicted, true, n_classes, n_true=None):
    """Confusion matrix, true classes in rows, of each row of predicted codes.

    What is true may have more values than there are classes, `n_true`.
    """
    shape = len(predicted), n_classes if n_true is None else n_true, n_classes
    cells = true * n_classes + predicted + np.arange(shape[0])[:, None] * (shape[1] * n_classes)
    return np.bincount(cells.ravel(), minlength=np.prod(shape)).reshape(shape)


def score_confusion(confusion, name):
    """Score confusion matrices in the last two axes, as scikit-learn does their predictions."""
    hits = np.diagonal(confusion, axis1=-2, axis2=-1)
    counts, predicted = confusion.sum(axis=-1), confusion.sum(axis=-2)
    if name in _OF_HITS:
        return score_hits(hits, counts, name)
    return (_mean_f1 if name == "f1_macro" else _matthews)(hits, counts, predicted)


def _mean_f1(hits, counts, predicted):
    """F1 score of each class that occurs or is predicted, and their mean."""
    both = counts + predicted
    scores = np.divide(2.0 * hits, both, out=np.zeros(both.shape), where=both > 0)
    return scores.sum(axis=-1) / (both > 0).sum(axis=-1)


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


def score_probabilities(probabilities, codes, weights):
    """Return the scores of probabilities by name, a value for each row of weights of the samples.

    They are those of scikit-learn. ROC AUC and average precision are of the second class of two,
    else means over the classes, each against the rest; NaN where a class has no weight.
    """
    n_classes = probabilities.shape[1]
    classes = [1] if n_classes == 2 else range(n_classes)
    ranked = [_rank_scores(probabilities[:, k], codes == k, weights) for k in classes]
    areas, precisions = np.mean(ranked, axis=0)
    smallest = np.finfo(probabilities.dtype).eps
    own = np.clip(probabilities[np.arange(codes.size), codes], smallest, 1.0 - smallest)
    squares = ((probabilities - np.eye(n_classes)[codes]) ** 2).sum(axis=1)
    totals = weights.sum(axis=1)
    return {
        "roc_auc": areas,
        "average_precision": precisions,
        "log_loss": weights @ -np.log(own) / totals,
        "brier_score": weights @ squares / totals / (2 if n_classes == 2 else 1),
    }


def _rank_scores(scores, is_positive, weights):
    """Return the area under the ROC curve, and average precision, of each row of weights."""
    order = np.argsort(-scores, kind="stable")
    ranked, places = -scores[order], np.flatnonzero(is_positive[order])
    own = weights[:, order[places]]
    sums, hits = (
        np.pad(np.cumsum(each, axis=1), ((0, 0), (1, 0))) for each in (weights[:, order], own)
    )
    n_hits, n_others = hits[:, -1], sums[:, -1] - hits[:, -1]
    # What ranks above each positive sample, without its ties and with them.
    ends = [np.searchsorted(ranked, ranked[places], side) for side in ("left", "right")]
    found = [hits[:, np.searchsorted(places, end)] for end in ends]
    above = [sums[:, end] for end in ends]
    others = (above[0] - found[0] + above[1] - found[1]) / 2.0
    area = (own * (n_others[:, None] - others)).sum(axis=1)
    precision = np.divide(found[1], above[1], out=np.zeros(own.shape), where=above[1] > 0)
    is_there = (n_hits > 0) & (n_others > 0)
    return [
        np.divide(value, scale, out=np.full(scale.shape, np.nan), where=is_there)
        for value, scale in ((area, n_hits * n_others), ((own * precision).sum(axis=1), n_hits))
    ]


def majority_score(counts, name):
    """Score of always predicting the largest class."""
    confusion = np.zeros((counts.size, counts.size))
    confusion[:, counts.argmax()] = counts
    return float(score_confusion(confusion, name))


def corrected_error(values, ratio):
    """Return the standard error of a mean over folds, in the last axis, that train on common rows.

    It is that of :cite:t:`Nadeau2003`; `ratio` is the number of test samples for each training
    sample, and it is NaN for less than two values.
    """
    *shape, n_folds = np.shape(values)
    if n_folds < 2:
        return np.full(shape, np.nan)[()]
    return np.sqrt(np.var(values, axis=-1, ddof=1) * (1 / n_folds + ratio))
