import numpy as np
import pytest
from scipy.spatial.distance import pdist

from centroidal.datasets import make_spiked_classes


def test_every_part_has_the_asked_size():
    made = make_spiked_classes(30, 9, n_spikes=4, n_classes=3, random_state=0)
    assert made.data.shape == (30, 9)
    assert made.target.shape == (30,)
    assert made.means.shape == (3, 9)
    assert made.spikes.shape == (4, 9)


def test_classes_are_balanced():
    made = make_spiked_classes(32, 5, n_spikes=1, n_classes=3, random_state=0)
    assert np.bincount(made.target).tolist() == [11, 11, 10]


def test_classes_are_shuffled():
    target = make_spiked_classes(40, 5, n_spikes=1, random_state=0).target
    assert np.any(np.diff(target) < 0)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_any_two_means_are_as_far_apart_as_asked(n_classes):
    made = make_spiked_classes(
        20, 5, n_spikes=1, separation=3.5, n_classes=n_classes, random_state=0
    )
    np.testing.assert_allclose(pdist(made.means), 3.5)


def test_without_separation_classes_share_their_mean():
    made = make_spiked_classes(20, 5, n_spikes=1, separation=0, random_state=0)
    np.testing.assert_array_equal(made.means, np.zeros((2, 5)))


def test_spikes_are_orthonormal():
    spikes = make_spiked_classes(20, 30, n_spikes=10, random_state=0).spikes
    np.testing.assert_allclose(spikes @ spikes.T, np.eye(10), atol=1e-12)


def test_means_know_nothing_of_the_spikes():
    squares = []
    for seed in range(100):
        made = make_spiked_classes(2, 20, n_spikes=5, separation=1, random_state=seed)
        squares.append((made.spikes @ (made.means[1] - made.means[0])) ** 2)
    # The squared part of a random unit vector along any direction is 1 / n_features on average.
    assert np.mean(squares) == pytest.approx(1 / 20, rel=0.2)


@pytest.mark.parametrize("code", [0, 1])
def test_classes_have_the_promised_mean_and_covariance(code):
    made = make_spiked_classes(16_000, 5, n_spikes=2, spike_variance=3.0, random_state=0)
    samples = made.data[made.target == code]
    promised = np.eye(5) + 3.0 * made.spikes.T @ made.spikes
    np.testing.assert_allclose(samples.mean(axis=0), made.means[code], atol=0.1)
    np.testing.assert_allclose(np.cov(samples.T), promised, atol=0.2)


def test_spikes_add_to_the_variance_of_one():
    made = make_spiked_classes(8000, 5, n_spikes=2, spike_variance=9.0, random_state=0)
    noise = made.data - made.means[made.target]
    np.testing.assert_allclose(np.linalg.eigvalsh(np.cov(noise.T)), [1, 1, 1, 10, 10], rtol=0.06)


@pytest.mark.parametrize("n_spikes", [0, 6])
def test_no_and_every_direction_may_be_a_spike(n_spikes):
    made = make_spiked_classes(
        8000, 6, n_spikes=n_spikes, spike_variance=3.0, separation=0, random_state=0
    )
    assert made.data.var() == pytest.approx(4.0 if n_spikes else 1.0, rel=0.05)


def test_spikes_hide_what_whitening_finds():
    made = make_spiked_classes(400, 100, n_spikes=10, random_state=0)
    difference = made.means[1] - made.means[0]
    whitened = difference - made.spikes.T @ (made.spikes @ difference) * (100 / 101)

    def accuracy(direction):
        scores = (made.data - made.means.mean(axis=0)) @ direction
        return np.mean((scores > 0) == made.target)

    assert accuracy(difference) < 0.8
    assert accuracy(whitened) > 0.93


def test_the_same_seed_gives_the_same_data():
    first = make_spiked_classes(20, 5, n_spikes=2, random_state=3)
    second = make_spiked_classes(20, 5, n_spikes=2, random_state=3)
    for part in first:
        np.testing.assert_array_equal(first[part], second[part])


def test_another_seed_gives_other_data():
    first, second = (make_spiked_classes(20, 30, random_state=seed) for seed in (0, 1))
    assert not np.array_equal(first.data, second.data)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_samples": 1}, "n_samples=1 must be finite and at least 2"),
        ({"n_features": 1}, "n_features=1 must be finite and at least 2"),
        ({"n_features": 6, "n_spikes": 9}, "n_spikes=9 must lie between 0 and n_features=6"),
        ({"n_samples": 5, "n_classes": 6}, "n_classes=6 must lie between 2 and n_samples=5"),
        (
            {"n_features": 3, "n_spikes": 1, "n_classes": 4},
            "n_classes=4 must lie between 2 and n_features=3",
        ),
        ({"spike_variance": -1}, "spike_variance=-1 must be finite and at least 0"),
        ({"separation": np.inf}, "separation=inf must be finite and at least 0"),
    ],
)
def test_error_names_the_parameter_and_its_bounds(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_spiked_classes(**parameters)


def test_a_count_must_be_a_whole_number():
    with pytest.raises(TypeError, match="n_spikes=2.0 must be a whole number"):
        make_spiked_classes(n_spikes=2.0)
