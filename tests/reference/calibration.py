"""Temperatures and conformal prediction, a sample at a time."""

import math

import numpy as np
from scipy.optimize import minimize_scalar


def slow_temper(probabilities, temperature):
    """Powers of probabilities, which add up to one again."""
    tempered = []
    for row in probabilities.tolist():
        logs = [math.log(max(share, np.finfo(float).tiny)) / temperature for share in row]
        powers = [math.exp(each - max(logs)) for each in logs]
        tempered.append([power / sum(powers) for power in powers])
    return np.array(tempered)


def slow_temperature(probabilities, codes):
    """The temperature of the least log loss, with one sample more of each class."""
    number, n_classes = probabilities.shape

    def loss(log_temperature):
        shares = slow_temper(probabilities, math.exp(log_temperature))
        total = 0.0
        for row, code in zip(shares.tolist(), codes.tolist(), strict=True):
            for place, share in enumerate(row):
                target = (number * (place == code) + 1) / (number + n_classes)
                total -= target * math.log(max(share, 1e-300))
        return total

    found = minimize_scalar(loss, bounds=(-10.0, 10.0), method="bounded", options={"xatol": 1e-8})
    return math.exp(found.x)


def slow_p_values(scores, known, codes):
    """Share of the scores of each class, the new one among them, that are as large."""
    found = np.empty(scores.shape)
    for i, row in enumerate(scores.tolist()):
        for code, score in enumerate(row):
            mine = [each for each, of in zip(known, codes, strict=True) if of == code]
            found[i, code] = (1 + sum(each >= score for each in mine)) / (1 + len(mine))
    return found
