"""95 % confidence intervals of nested scores.

Folds that share training samples are not independent, so that the spread of a score over folds
says too little about its error. Two estimates of that error are at hand: that of
:cite:t:`Nadeau2003`, and that of :cite:t:`Bates2024`, who compare what inner folds promise with
what the outer fold, which they have not seen, then shows. The larger one counts. It is that of
fewer independent samples than there are, and with the fewer the interval is that of Wilson, which
never has the width 0.
"""

import numpy as np
from scipy.stats import t as student

from .metrics import corrected_error, score_confusion

_Z = 1.959963984540054  # of a normal distribution, for 95 %
_N_DRAWS = 400


def confidence_interval(outer, inner, scoring, n_repeats, ratio, units, effect=1.0, seed=0):
    """Return the ends of the 95 % confidence interval of a nested score.

    Parameters
    ----------
    outer : ndarray of shape (n_repeats * n_folds, n_classes, n_classes)
        Confusion matrix of each outer fold, by what its inner folds chose.
    inner : ndarray of the same shape or None
        Of the inner folds of each, by the same choice; None if nothing was chosen.
    scoring : str
        A key of `SCORES`.
    n_repeats : int
        How often all samples were cut into folds.
    ratio : float
        Number of test samples for each training sample.
    units : int
        Number of samples, or of groups, that are independent.
    effect : float, default=1.0
        By how much groups raise the variance, see `design_effect`.
    seed : int, default=0
        For scores that are no mean over samples, whose spread is found by drawing.
    """
    pooled = outer.sum(axis=0) / n_repeats
    is_mean = scoring in ("accuracy", "balanced_accuracy")
    mean_of = scoring if is_mean else "accuracy"
    alone = effect * _variance(pooled, mean_of)
    error = max([alone, *_squared_errors(outer, inner, mean_of, n_repeats, ratio, effect, alone)])
    excess = error / alone if alone > 0.0 else 1.0
    score = float(np.mean(score_confusion(outer, scoring)))
    if is_mean:
        n_alone = score * (1.0 - score) / alone if alone > 0.0 else units
        return _wilson(score, max(n_alone, 1.0) / excess)
    half = _Z * np.sqrt(effect * excess) * _drawn_error(pooled, scoring, seed)
    return max(score - half, -1.0), min(score + half, 1.0)


def _squared_errors(outer, inner, scoring, n_repeats, ratio, effect, alone):
    """Yield the two estimates of the squared error of a mean over samples."""
    scores = score_confusion(outer, scoring)
    if scores.size > 1:
        yield float(corrected_error(scores, ratio)) ** 2
    if inner is None:
        return
    n_folds = scores.size // n_repeats
    promised = (score_confusion(inner, scoring) - scores) ** 2
    spread = [effect * _variance(each, scoring) for each in outer]
    found = (n_folds - 1) / n_folds * (promised.mean() - np.mean(spread))
    yield float(np.clip(found, alone, n_folds * alone))


def _variance(confusion, scoring):
    """Variance of the mean of independent right and wrong predictions."""
    hits, counts = np.diagonal(confusion), confusion.sum(axis=1)
    if scoring == "accuracy":
        share = hits.sum() / counts.sum()
        return share * (1.0 - share) / counts.sum()
    occurs = counts > 0
    recalls = hits[occurs] / counts[occurs]
    return float((recalls * (1.0 - recalls) / counts[occurs]).sum() / occurs.sum() ** 2)


def _wilson(share, number):
    scale = 1.0 + _Z**2 / number
    center = (share + _Z**2 / (2.0 * number)) / scale
    half = _Z / scale * np.sqrt(share * (1.0 - share) / number + _Z**2 / (4.0 * number**2))
    return max(float(center - half), 0.0), min(float(center + half), 1.0)


def _drawn_error(confusion, scoring, seed):
    """Spread of a score when each class is drawn anew, with two samples more, as Wilson has it."""
    rng = np.random.RandomState(seed)
    counts = confusion.sum(axis=1).round().astype(int)
    shares = confusion + _Z**2 / 2.0 / len(confusion)
    shares /= shares.sum(axis=1, keepdims=True)
    drawn = [rng.multinomial(n, row, _N_DRAWS) for n, row in zip(counts, shares, strict=True)]
    return float(np.std(score_confusion(np.stack(drawn, axis=1), scoring)))


def fold_interval(scores, ratio, least=0.0):
    """Return the same of a mean of which only the scores of folds are known: that of Student.

    It reaches at least as far as `least` to either side, and has NaN for its ends if neither that
    nor the folds say how far off the mean may be.
    """
    half = least
    if len(scores) > 1:
        half = max(half, student.ppf(0.975, len(scores) - 1) * corrected_error(scores, ratio))
    if len(scores) == 0 or not half > 0.0:
        return np.nan, np.nan
    return float(np.mean(scores) - half), float(np.mean(scores) + half)


def difference_interval(gaps, ratio, ahead, groups=None):
    """Return the 95 % confidence interval of the difference of two scores on the same folds.

    Parameters
    ----------
    gaps : ndarray of shape (n_folds,)
        Differences of the scores of the folds.
    ratio : float
        Number of test samples for each training sample.
    ahead : ndarray of shape (n_repeats, n_samples)
        1 where only the first recognised a sample, -1 where only the second did, 0 where both or
        none did, NaN where it was not tested. The interval is at least that of
        :cite:t:`Bonett2012` for the share of them, which has a width even if the two never differ.
    groups : ndarray of int, shape (n_samples,), default=None
        Groups of the samples, which widen it.
    """
    is_tested = ~np.isnan(ahead)
    number = np.count_nonzero(is_tested.any(axis=0))
    weight = number / max(1, is_tested.sum())  # of a prediction; a sample may have several
    shares = [(weight * (ahead == sign).sum() + 1.0) / (number + 2.0) for sign in (1.0, -1.0)]
    variance = (sum(shares) - (shares[0] - shares[1]) ** 2) / (number + 2.0)
    effect = 1.0 if groups is None else design_effect(ahead, groups)
    return fold_interval(gaps, ratio, _Z * np.sqrt(effect * variance))


def design_effect(is_right, groups):
    """Return by how much groups raise the variance of a mean; at least 1.

    Parameters
    ----------
    is_right : ndarray of shape (n_repeats, n_samples)
        Which samples were recognised; NaN for those that were not tested.
    groups : ndarray of int, shape (n_samples,)
        Their groups.
    """
    is_tested = ~np.isnan(is_right)
    numbers = np.maximum(is_tested.sum(axis=1, keepdims=True), 1)
    left = np.where(is_tested, is_right - np.nansum(is_right, axis=1, keepdims=True) / numbers, 0.0)
    together = np.array([np.bincount(groups, each) for each in left])
    alone, clustered = (left**2).sum(), (together**2).sum()
    return max(1.0, float(clustered / alone)) if alone > 0.0 else 1.0
