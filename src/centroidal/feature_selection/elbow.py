"""Where a sorted list of scores bends."""

import numpy as np

__all__ = ["elbow"]


def elbow(scores):
    """Count the scores up to the elbow of their sorted curve.

    The absolute scores are sorted, the largest first, and a straight line is drawn from the first
    to the last of them. Kept are all up to and including the one that is furthest below that line.

    Parameters
    ----------
    scores : array-like of shape (n_features,)
        One score a feature; zeros count as well.

    Returns
    -------
    int
        How many features to keep; all of them if all scores are equal.

    Examples
    --------
    >>> from centroidal.feature_selection import elbow
    >>> elbow([9.0, 0.1, 8.0, 0.2, 7.5, 0.0, 0.1])
    4
    """
    heights = np.sort(np.abs(_check_scores(scores)))[::-1]
    if heights[0] == heights[-1]:
        return heights.size
    positions = np.linspace(0.0, 1.0, heights.size)
    # The distance to the line is the same for all, up to a factor, as the height below it.
    below = 1.0 - positions - (heights - heights[-1]) / (heights[0] - heights[-1])
    return int(np.argmax(below)) + 1


def _check_scores(scores):
    values = np.asarray(scores, dtype=float)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"scores of shape {values.shape} must be a list of at least one number.")
    if not np.isfinite(values).all():
        raise ValueError("scores must be finite; they hold NaN or infinity.")
    return values
