"""Scores: from counts of what was predicted, from scorers of scikit-learn, and their errors."""

from typing import Any, NamedTuple

import numpy as np

from .methods import SCORES

__all__ = [
    "Scoring",
    "check_scoring",
    "confusion_matrices",
    "corrected_error",
    "majority_score",
    "score_confusion",
    "score_hits",
]


class Scoring(NamedTuple):
    """What predictions are scored by: a name, and the scorer of scikit-learn behind it."""

    name: str
    scorer: Any

    @property
    def is_counted(self):
        """Whether counts of right predictions are enough."""
        return self.name in SCORES


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


def confusion_matrices(predicted, true, n_classes):
    """Confusion matrix, true classes in rows, of each row of predicted codes."""
    cells = true * n_classes + predicted + np.arange(len(predicted))[:, None] * n_classes**2
    counts = np.bincount(cells.ravel(), minlength=len(predicted) * n_classes**2)
    return counts.reshape(len(predicted), n_classes, n_classes)


def score_confusion(confusion, name):
    """Accuracy, or mean recall of the classes that occur, of matrices in the last two axes."""
    hits = np.diagonal(confusion, axis1=-2, axis2=-1)
    return score_hits(hits, confusion.sum(axis=-1), name)


def score_hits(hits, counts, name):
    """Return the same from the weight of each class, and of its samples that are recognised."""
    if name == "accuracy":
        return hits.sum(axis=-1) / counts.sum(axis=-1)
    occurs = counts > 0
    recalls = np.divide(hits, counts, out=np.zeros(hits.shape), where=occurs)
    return recalls.sum(axis=-1) / occurs.sum(axis=-1)


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
