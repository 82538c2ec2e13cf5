"""Fixtures that every room uses."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    """A source of randomness that is the same in every run."""
    return np.random.default_rng(20)
