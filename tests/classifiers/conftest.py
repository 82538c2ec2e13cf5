"""Labelled samples for the classifiers."""

from typing import NamedTuple

import numpy as np
import pytest

METRICS = ["l2", "l1", "mahalanobis"]
SCALES = [None, "std", "within", "mad"]


class Samples(NamedTuple):
    X: np.ndarray
    y: np.ndarray


def draw_samples(rng, n_classes, n_samples=60, n_features=8):
    """Return Gaussian classes of unequal sizes; features differ in unit and in what they tell."""
    codes = np.minimum(np.arange(n_samples) % (n_classes + 1), n_classes - 1)
    centers = rng.normal(size=(n_classes, n_features)) * np.linspace(0.0, 2.0, n_features)
    X = (centers[codes] + rng.normal(size=(n_samples, n_features))) * 2.0 ** np.arange(n_features)
    return Samples(X, codes)


@pytest.fixture
def two_classes(rng):
    """Two classes, labelled with strings."""
    X, codes = draw_samples(rng, 2)
    return Samples(X, np.array(["no", "yes"])[codes])


@pytest.fixture
def three_classes(rng):
    """Three classes, labelled with integers that are not 0, 1, 2."""
    X, codes = draw_samples(rng, 3)
    return Samples(X, np.array([-1, 4, 9])[codes])


@pytest.fixture(params=METRICS)
def metric(request):
    return request.param


@pytest.fixture(params=SCALES)
def scale(request):
    return request.param
