"""Weighted medians straight from eq. (15), with fractions: a half-half split is one exactly."""

from fractions import Fraction
from math import fsum
from typing import NamedTuple

import numpy as np


class Medians(NamedTuple):
    counts: np.ndarray
    medians: np.ndarray
    dispersions: np.ndarray
    shared: np.ndarray
    shared_dispersion: np.ndarray


def weighted_median(values, weights):
    """Eqs. (14) and (15); weights may be fractions, and entries without weight do not exist."""
    mass = {}
    for value, weight in zip(values, weights, strict=True):
        if weight > 0:
            mass[float(value)] = mass.get(float(value), Fraction(0)) + Fraction(weight)
    half = sum(mass.values()) / 2
    ordered = sorted(mass)
    below = Fraction(0)
    for position, value in enumerate(ordered):
        below += mass[value]
        if below > half:
            return value
        if below == half:
            return 0.5 * (value + ordered[position + 1])
    raise AssertionError("the weights of all values make more than a half")


def class_medians(X, codes, n_classes, weights=None):
    """Medians (6), dispersions (17), the median of all samples (15) and its dispersion (18)."""
    X = np.asarray(X, dtype=np.float64)
    weights = np.ones(len(X)) if weights is None else weights
    n_features = X.shape[1]
    members = [np.flatnonzero((codes == c) & (weights > 0)) for c in range(n_classes)]
    totals = [sum(Fraction(weights[i]) for i in rows) for rows in members]
    shares = {i: Fraction(weights[i]) / totals[c] for c, rows in enumerate(members) for i in rows}
    counted = sorted(shares)

    medians = np.zeros((n_classes, n_features))
    dispersions = np.zeros((n_classes, n_features))
    shared = np.zeros(n_features)
    shared_dispersion = np.zeros(n_features)
    for j in range(n_features):
        for c, rows in enumerate(members):
            if rows.size:
                medians[c, j] = weighted_median(X[rows, j], [shares[i] for i in rows])
                dispersions[c, j] = fsum(
                    float(shares[i]) * abs(X[i, j] - medians[c, j]) for i in rows
                )
        shared[j] = weighted_median(X[counted, j], [shares[i] for i in counted])
        shared_dispersion[j] = fsum(float(shares[i]) * abs(X[i, j] - shared[j]) for i in counted)
    counts = np.array([float(total) for total in totals])
    return Medians(counts, medians, dispersions, shared, shared_dispersion)


def median_deviations(X, codes, medians, weights=None):
    """Median over all samples of the distance from the median of the sample's class."""
    X = np.asarray(X, dtype=np.float64)
    weights = np.ones(len(X)) if weights is None else weights
    counted = np.flatnonzero(codes >= 0)
    return np.array(
        [
            weighted_median(np.abs(X[counted, j] - medians[codes[counted], j]), weights[counted])
            for j in range(X.shape[1])
        ]
    )
