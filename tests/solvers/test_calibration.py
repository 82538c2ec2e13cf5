"""One temperature makes probabilities as sure as they are right."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.metrics import log_loss

from centroidal.solvers.calibration import fit_temperature, keep_winners, temper
from tests.reference.calibration import slow_temper, slow_temperature


def drawn(rng, temperature, n_samples=400, n_classes=3):
    """Classes drawn from probabilities, and what somebody says who is too sure of them."""
    scores = rng.normal(scale=1.5, size=(n_samples, n_classes))
    shares = softmax(scores, axis=1)
    codes = (shares.cumsum(axis=1) < rng.random(n_samples)[:, None]).sum(axis=1)
    return softmax(temperature * scores, axis=1), np.minimum(codes, n_classes - 1)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("truth", [0.3, 1.0, 40.0])
def test_temperature_is_that_of_the_least_loss(truth, n_classes):
    said, codes = drawn(np.random.default_rng(0), truth, 60, n_classes)
    assert fit_temperature(said, codes) == pytest.approx(slow_temperature(said, codes), rel=1e-5)


@pytest.mark.parametrize("truth", [0.2, 5.0, 100.0])
def test_temperature_of_many_samples_is_the_true_one(truth):
    said, codes = drawn(np.random.default_rng(0), truth, 20_000)
    assert fit_temperature(said, codes) == pytest.approx(truth, rel=0.05)


def test_calibrated_probabilities_lose_less():
    said, codes = drawn(np.random.default_rng(1), 20.0, 2000)
    mine = temper(said, fit_temperature(said[:1000], codes[:1000]))[1000:]
    assert log_loss(codes[1000:], mine) < 0.3 * log_loss(codes[1000:], said[1000:])


def test_powers_of_probabilities_add_up_to_one():
    said, _ = drawn(np.random.default_rng(2), 500.0, 50)
    said[0] = [1.0, 0.0, 0.0]
    np.testing.assert_allclose(temper(said, 7.0), slow_temper(said, 7.0), rtol=1e-12)


def test_samples_that_are_all_recognised_do_not_make_new_ones_certain():
    said = np.array([[0.9, 0.1], [0.1, 0.9]] * 5)
    codes = np.array([0, 1] * 5)
    mine = temper(said, fit_temperature(said, codes))
    np.testing.assert_allclose(mine.max(axis=1), 11 / 12, rtol=1e-9)  # ten samples and one more
    assert fit_temperature(np.tile(said, (3, 1)), np.tile(codes, 3), 10) == pytest.approx(
        fit_temperature(said, codes), rel=1e-9
    )


def test_what_is_worse_than_chance_becomes_even():
    said = np.array([[0.9, 0.1], [0.1, 0.9]] * 50)
    mine = temper(said, fit_temperature(said, np.array([1, 0] * 50)))
    np.testing.assert_allclose(mine, 0.5, atol=1e-3)


def test_class_that_wins_by_less_than_rounding_still_wins():
    said = np.array([[0.5, np.nextafter(0.5, 1.0)], [0.7, 0.3]])
    assert temper(said, 50.0).argmax(axis=1).tolist() == [1, 0]
    even = np.full((1, 1, 3), 1 / 3)
    assert keep_winners(even, np.array([[2]])).argmax(axis=-1).tolist() == [[2]]
