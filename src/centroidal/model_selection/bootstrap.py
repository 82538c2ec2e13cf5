"""Scores of resamples: samples, or whole groups of them, drawn with replacement."""

import numpy as np
from scipy import sparse

MOST_DRAWS = 50  # of a resample, until every class that has samples is in it
_N_AT_ONCE = 2**21  # weights of samples, or counts, in memory for a block of resamples


def bootstrap_scores(score, codes, units, n_draws, rng, n_columns=0):
    """Return the scores of resamples by name, a value for each.

    Parameters
    ----------
    score : callable
        Takes weights of the samples, a row for each resample; returns scores by name.
    codes, units : ndarray of int, shape (n_samples,)
        Class of each sample, and what is drawn with it: itself, or its group.
    n_draws : int
        Number of resamples; one without a class that there is is drawn again.
    rng : numpy.random.Generator
        What they are drawn by.
    n_columns : int, default=0
        Numbers that `score` needs for a resample, if these are more than the samples.
    """
    n_rows = max(1, _N_AT_ONCE // max(codes.size, n_columns))
    sizes = [min(n_rows, n_draws - start) for start in range(0, n_draws, n_rows)]
    blocks = [score(_draw_weights(codes, units, rng, size)) for size in sizes]
    return {name: np.concatenate([each[name] for each in blocks]) for name in blocks[0]}


def _draw_weights(codes, units, rng, n_rows):
    """Draw how often each sample is in each resample; those that lack a class are drawn again."""
    _, places = np.unique(codes, return_inverse=True)
    members = sparse.csr_array((np.ones(codes.size), (np.arange(codes.size), places)))
    weights, rows, n_units = np.empty((n_rows, codes.size)), np.arange(n_rows), units.max() + 1
    for _ in range(MOST_DRAWS):
        drawn = rng.integers(n_units, size=(rows.size, n_units))
        drawn += n_units * np.arange(rows.size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=drawn.size)
        weights[rows] = counts.reshape(drawn.shape)[:, units]
        rows = rows[(weights[rows] @ members == 0.0).any(axis=1)]
        if not rows.size:
            break
    return weights
