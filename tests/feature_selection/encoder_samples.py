"""Samples for the tests of the encoders, and what is said where PyTorch is missing."""

from typing import NamedTuple

import numpy as np

NEEDS_TORCH = "PyTorch is not installed; pip install 'centroidal[neural]' brings it"

# The beginning of a program in which PyTorch cannot be imported.
WITHOUT_TORCH = """
import sys

class WithoutTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

sys.meta_path.insert(0, WithoutTorch())
"""

# A training of a fraction of a second, in which weights move and some become zero.
SHORT = {
    "alpha": 0.01,
    "hidden_layer_sizes": 5,
    "max_epochs": 5,
    "pretraining_epochs": 2,
    "random_state": 0,
}


class Labelled(NamedTuple):
    X: np.ndarray
    y: np.ndarray


def draw(rng, n_samples=30, n_features=12, n_classes=3, n_true=3):
    """Classes that differ in the first features; every feature has its own unit and offset."""
    y = np.arange(n_samples) % n_classes
    centers = np.zeros((n_classes, n_features))
    centers[:, :n_true] = 2.0 * rng.standard_normal((n_classes, n_true))
    X = rng.standard_normal((n_samples, n_features)) + centers[y]
    return Labelled(X * rng.uniform(0.5, 2.0, n_features) + rng.standard_normal(n_features), y)
