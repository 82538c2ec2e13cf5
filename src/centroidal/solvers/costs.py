"""Decisions of least expected cost, from the probabilities of the classes."""

import numpy as np

from .ranking import ROUNDING


def expected_costs(probabilities, costs):
    """Return what each class would cost if it were predicted, for each sample.

    `costs` has the true classes in rows and what is predicted in columns.
    """
    return probabilities @ costs


def least_cost(probabilities, costs):
    """Return the class of least expected cost, of those that are equal up to rounding the first."""
    expected = expected_costs(probabilities, costs)
    least = expected.min(axis=-1, keepdims=True)
    return np.argmax(expected <= least + ROUNDING * np.abs(least), axis=-1)
