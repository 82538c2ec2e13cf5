"""Seeds of all that is random, drawn from one source."""

from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state

__all__ = ["draw_seed", "draw_seeds", "seed_of"]

_LARGEST = np.iinfo(np.int32).max


def draw_seed(rng):
    """Draw the seed of another source."""
    return int(rng.randint(_LARGEST))


def draw_seeds(rng, number):
    """Draw several seeds."""
    return rng.randint(_LARGEST, size=number)


def seed_of(random_state):
    """Return a seed as it is; of another source, or of none, draw one."""
    rng = check_random_state(random_state)
    return int(random_state) if isinstance(random_state, Integral) else draw_seed(rng)
