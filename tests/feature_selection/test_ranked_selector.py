"""The elbow of sorted scores."""

import numpy as np
import pytest

from centroidal.feature_selection import elbow


def furthest_from_chord(scores):
    """Slow twin: real distances of points from the line through the first and the last."""
    heights = sorted(np.abs(scores), reverse=True)
    first, last = np.array([0.0, heights[0]]), np.array([len(heights) - 1.0, heights[-1]])
    along = (last - first) / np.linalg.norm(last - first)
    distances = []
    for position, height in enumerate(heights):
        offset = np.array([position, height]) - first
        is_below = offset[0] * along[1] - offset[1] * along[0] >= 0.0
        distances.append(
            np.linalg.norm(offset - (offset @ along) * along) * (1 if is_below else -1)
        )
    return int(np.argmax(distances)) + 1


@pytest.mark.parametrize("seed", range(20))
def test_elbow_is_the_point_furthest_below_the_chord(seed):
    scores = np.random.default_rng(seed).exponential(size=50) ** 3
    assert elbow(scores) == furthest_from_chord(scores)


def test_order_and_signs_do_not_matter():
    scores = np.array([5.0, 4.0, 0.3, 0.2, 0.1])
    assert elbow(scores) == elbow(-scores[[2, 0, 4, 1, 3]])


def test_unit_does_not_matter():
    scores = np.array([5.0, 4.0, 0.3, 0.2, 0.1])
    assert elbow(1e6 * scores) == elbow(scores)


def test_equal_scores_are_all_kept():
    assert elbow([2.0, 2.0, 2.0]) == 3


def test_single_score_is_kept():
    assert elbow([0.0]) == 1


def test_zeros_count_as_scores():
    assert elbow([3.0, 2.9] + [0.0] * 100) == 3


@pytest.mark.parametrize("scores", [[], [[1.0, 2.0]], 3.0])
def test_error_says_that_scores_are_a_list(scores):
    with pytest.raises(ValueError, match="must be a list of at least one number"):
        elbow(scores)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_scores_that_are_not_finite_are_refused(value):
    with pytest.raises(ValueError, match="scores must be finite"):
        elbow([1.0, value])
