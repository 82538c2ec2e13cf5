"""Probabilities that are as sure as they are right: one temperature for all samples.

Guo et al. (2017), section 4.2: the logarithms of the probabilities are divided by a temperature,
which is found by maximum likelihood on samples that were held out. The class of the largest
probability stays the same.
"""

import numpy as np
from scipy.optimize import brentq

_SMALLEST = np.finfo(float).tiny  # a probability of 0 is below what can be told
_N_AT_A_TIME = 2**14  # samples
_FARTHEST = 10.0  # logarithm of the largest temperature, and of one over the smallest


def log_probabilities(probabilities):
    """Return logarithms of probabilities, which are finite."""
    found = np.maximum(probabilities, _SMALLEST)
    return np.log(found, out=found)


def temper(probabilities, temperature):
    """Return the probabilities at a temperature; the last axis are classes."""
    tempered = log_probabilities(probabilities)  # in place from here on: there may be many
    tempered /= temperature
    tempered -= tempered.max(axis=-1, keepdims=True)
    np.exp(tempered, out=tempered)
    tempered /= tempered.sum(axis=-1, keepdims=True)
    return keep_winners(tempered, probabilities.argmax(axis=-1))


def keep_winners(probabilities, winners):
    """Give the class that wins the largest probability, where rounding took it; in place."""
    rows = probabilities.reshape(-1, probabilities.shape[-1])
    winners = winners.ravel()
    tied = np.flatnonzero(rows.argmax(axis=-1) != winners)
    rows[tied, winners[tied]] = np.nextafter(rows[tied].max(axis=-1), 2.0)
    return probabilities


def fit_temperature(probabilities, codes, n_samples=None):
    """Find the temperature by which held-out samples are the most likely.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows, n_classes)
        Of samples, each perhaps several times.
    codes : ndarray of int, shape (n_rows,)
        Their classes.
    n_samples : int or None, default=None
        How many samples there are; None if each is one.
    """
    scores, n_classes = log_probabilities(probabilities), probabilities.shape[1]
    scores -= scores.max(axis=1, keepdims=True)
    # As Platt (1999) has it: one sample more of each class, so that samples which are all
    # recognised do not make new ones certain.
    number = codes.size if n_samples is None else n_samples
    own = scores[np.arange(codes.size), codes].sum()
    wanted = (scores.sum() + number * own) / (number + n_classes)
    blocks = [scores[start : start + _N_AT_A_TIME] for start in range(0, codes.size, _N_AT_A_TIME)]
    given = blocks, wanted
    if _slope(-_FARTHEST, *given) >= 0.0:
        return float(np.exp(_FARTHEST))
    if _slope(_FARTHEST, *given) <= 0.0:
        return float(np.exp(-_FARTHEST))
    # brentq keeps its function until garbage is collected, so that it must not hold the scores.
    return float(np.exp(-brentq(_slope, -_FARTHEST, _FARTHEST, args=given)))


def _slope(log_sharpness, blocks, wanted):
    return sum(_expected(np.exp(log_sharpness) * block, block) for block in blocks) - wanted


def _expected(logits, scores):
    """Sum over samples of the score of a class that is drawn by logits, of which the largest is 0.

    These are not needed any more.
    """
    shares = np.exp(logits, out=logits)
    return float((np.einsum("ij,ij->i", shares, scores) / shares.sum(axis=1)).sum())
