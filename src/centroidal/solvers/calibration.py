"""Probabilities that are as sure as they are right: one temperature for all samples.

Guo et al. (2017), section 4.2: the logarithms of the probabilities are divided by a temperature,
which is found by maximum likelihood on samples that were held out. The class of the largest
probability stays the same.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

_SMALLEST = np.finfo(float).tiny  # a probability of 0 is below what can be told
_FARTHEST = 10.0  # logarithm of the largest temperature, and of one over the smallest


def log_probabilities(probabilities):
    """Return logarithms of probabilities, which are finite."""
    return np.log(np.maximum(probabilities, _SMALLEST))


def temper(probabilities, temperature):
    """Return the probabilities at a temperature; the last axis are classes."""
    tempered = softmax(log_probabilities(probabilities) / temperature, axis=-1)
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
    # As Platt (1999) has it: one sample more of each class, so that samples which are all
    # recognised do not make new ones certain.
    number = codes.size if n_samples is None else n_samples
    targets = np.full(scores.shape, 1.0 / (number + n_classes))
    targets[np.arange(codes.size), codes] += number / (number + n_classes)
    wanted = np.einsum("ij,ij->", targets, scores)

    def slope(log_sharpness):
        shares = softmax(np.exp(log_sharpness) * scores, axis=1)
        return np.einsum("ij,ij->", shares, scores) - wanted

    if slope(-_FARTHEST) >= 0.0:
        return float(np.exp(_FARTHEST))
    if slope(_FARTHEST) <= 0.0:
        return float(np.exp(-_FARTHEST))
    return float(np.exp(-brentq(slope, -_FARTHEST, _FARTHEST)))
