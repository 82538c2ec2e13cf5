import numpy as np
import pytest

from centroidal.datasets._generators import draw_orthonormal


@pytest.mark.parametrize("n_directions", [0, 1, 4, 6])
def test_directions_are_orthonormal(n_directions):
    rows = draw_orthonormal(n_directions, 6, np.random.RandomState(0))
    assert rows.shape == (n_directions, 6)
    np.testing.assert_allclose(rows @ rows.T, np.eye(n_directions), atol=1e-12)


def test_every_direction_and_its_opposite_are_equally_likely():
    rng = np.random.RandomState(0)
    drawn = np.array([draw_orthonormal(3, 3, rng) for _ in range(2000)])
    # Entries of a random rotation have mean 0 and variance 1/3: a standard error of 0.013.
    np.testing.assert_allclose(drawn.mean(axis=0), 0, atol=0.06)
    np.testing.assert_allclose((drawn**2).mean(axis=0), 1 / 3, atol=0.04)


def test_bases_are_turned_and_mirrored_equally_often():
    rng = np.random.RandomState(0)
    determinants = [np.linalg.det(draw_orthonormal(3, 3, rng)) for _ in range(1000)]
    assert np.mean(np.array(determinants) > 0) == pytest.approx(0.5, abs=0.07)
