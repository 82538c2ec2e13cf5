"""Where to cut projections of two classes.

Equation map (:cite:t:`Rozza2010`):

    eq. (3.17)  mean of the best candidates     find_threshold(), "inclusive" and "strict"
    eq. (3.22)  as much weight on either class  find_threshold(), "balanced"
    section 4.3 equal Mahalanobis distance      mahalanobis_threshold()
"""

import numpy as np

__all__ = ["PILED", "class_spreads", "find_threshold", "mahalanobis_threshold"]

PILED = 1e-8  # a spread below this share of the distance of the means is rounding
_ROUNDING = 1e-13


def find_threshold(rule, values, is_positive, weights=None, balance=0.99):
    """Find the threshold that a rule puts between projected samples.

    Parameters
    ----------
    rule : {"inclusive", "strict", "balanced", "mahalanobis"}
        "inclusive": mean of the projected samples that, as thresholds, leave the most samples on
        their side, where a sample on the threshold is right whatever its class. "strict": the same
        where it is right only if negative. "balanced": mean over the two classes of the mean of
        those samples of the class that score more than `balance` times the best of the class.
        "mahalanobis": as many standard deviations from one mean as from the other.
    values : ndarray of shape (n_samples,)
        Projections; positive samples are the larger ones on average.
    is_positive : ndarray of bool
        The class.
    weights : ndarray, optional
        What each sample counts.
    balance : float
        The k of eq. (3.22).
    """
    weights = np.ones(values.size) if weights is None else weights
    if rule == "mahalanobis":
        means, variances, _ = class_spreads(values, is_positive, weights)
        return mahalanobis_threshold(means, np.sqrt(variances))
    candidates, scores, has_class = _candidate_scores(values, is_positive, weights, rule)
    if rule != "balanced":
        return float(candidates[_is_best(scores, scores.max())].mean())  # eq. (3.17)
    halves = [
        candidates[of_class & (scores > balance * scores[of_class].max())].mean()
        for of_class in has_class
    ]
    return float(np.mean(halves))  # eq. (3.22)


def mahalanobis_threshold(means, deviations):
    """Point as many deviations above the lower mean as below the upper one; half-way if piled."""
    low, high = means
    below, above = np.where(deviations < PILED * abs(high - low), 0.0, deviations)
    if below + above == 0.0:
        return float(low + (high - low) / 2.0)
    return float(low + (high - low) * (below / (below + above)))


def class_spreads(values, is_positive, weights):
    """Mean, variance and weight of the negative and of the positive class."""
    groups = [(values[mask], weights[mask]) for mask in (~is_positive, is_positive)]
    means = np.array([np.average(group, weights=share) for group, share in groups])
    variances = [
        np.average((group - mean) ** 2, weights=share)
        for (group, share), mean in zip(groups, means, strict=True)
    ]
    return means, np.array(variances), np.array([share.sum() for _, share in groups])


def _candidate_scores(values, is_positive, weights, rule):
    """Distinct projections, the weight that each leaves on its side, and whose values they are."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    # Values that differ by rounding alone are one candidate, the first of them.
    is_new = np.diff(ordered, prepend=-np.inf) > _ROUNDING * np.abs(values).max(initial=0.0)
    is_new[:1] = True
    place = np.cumsum(is_new) - 1
    n_candidates = place[-1] + 1
    counted = weights[order] > 0
    shares = [
        np.bincount(place, weights[order] * mask, minlength=n_candidates)
        for mask in (~is_positive[order], is_positive[order])
    ]
    below, above = np.cumsum(shares[0]), np.cumsum(shares[1][::-1])[::-1]
    scores = below + above - (shares[1] if rule == "strict" else 0.0)
    is_candidate = np.bincount(place[counted], minlength=n_candidates) > 0
    has_class = [(share > 0)[is_candidate] for share in shares]
    return ordered[is_new][is_candidate], scores[is_candidate], has_class


def _is_best(scores, best):
    """Mask the best scores; sums of weights in another order are equal."""
    return scores >= best - _ROUNDING * best
