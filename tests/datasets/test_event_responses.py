import numpy as np
import pytest

from centroidal.datasets import make_event_responses


@pytest.fixture(scope="module")
def made():
    return make_event_responses(1000, 3, amplitude=10.0, background=0.0, random_state=0)


def test_every_part_has_the_asked_size():
    made = make_event_responses(40, 3, sampling_rate=100, interval=0.5, random_state=0)
    assert made.recording.shape == (1950 + 60, 3)
    assert made.onsets.tolist() == list(range(0, 2000, 50))
    assert np.bincount(made.target).tolist() == [36, 4]
    assert made.response.shape == (60, 3)
    assert made.data.shape == (40, 180)


def test_rows_are_the_windows_after_the_events():
    made = make_event_responses(20, 3, random_state=0)
    lags = len(made.response)
    for row, onset in zip(made.data, made.onsets, strict=True):
        np.testing.assert_array_equal(row, made.recording[onset : onset + lags].ravel())


def test_targets_add_the_response(made):
    """Least squares of the recording on the onsets finds what follows them, overlap and all."""
    n_lags = len(made.response)
    design = np.zeros((len(made.recording), 2 * n_lags))
    for onset, code in zip(made.onsets, made.target, strict=True):
        rows = onset + np.arange(n_lags)
        design[rows, np.arange(n_lags)] += 1
        design[rows, n_lags + np.arange(n_lags)] += code
    found = np.linalg.lstsq(design, made.recording)[0][n_lags:]
    np.testing.assert_allclose(found, made.response, atol=0.5)


def test_the_response_peaks_at_the_amplitude_350_ms_after_the_event():
    response = make_event_responses(
        10, 6, amplitude=3.0, sampling_rate=200, random_state=0
    ).response
    assert response.max() == pytest.approx(3.0)
    assert response.max(axis=1).argmax() == 70


def test_without_background_and_response_a_channel_has_noise_of_variance_one():
    made = make_event_responses(
        2000, 4, background=0.0, amplitude=0.0, interval=2.0, sampling_rate=50, random_state=0
    )
    quiet = made.recording[:-30].reshape(-1, 100, 4)[:, 60:]  # more than 0.6 s after each event
    assert quiet.std() == pytest.approx(1.0, rel=0.01)


def test_the_background_is_slow_and_has_a_rhythm_of_10_hz():
    made = make_event_responses(600, 4, sampling_rate=100, background=50.0, random_state=0)
    spectrum = np.fft.rfft(made.recording - made.recording.mean(axis=0), axis=0)
    power, hertz = (np.abs(spectrum) ** 2).sum(axis=1), np.fft.rfftfreq(len(made.recording), 0.01)
    is_slow, is_rhythm = hertz < 2, np.abs(hertz - 10) < 1
    assert power[is_rhythm].sum() > 0.1 * power.sum()
    assert power[is_slow].sum() > 0.4 * power.sum()
    assert power[is_slow | is_rhythm].sum() > 0.95 * power.sum()


def test_the_same_seed_gives_the_same_recording():
    first, second = (make_event_responses(20, 3, random_state=4) for _ in range(2))
    for part in first:
        np.testing.assert_array_equal(first[part], second[part])


def test_another_seed_gives_another_recording():
    first, second = (make_event_responses(20, 3, random_state=seed) for seed in (0, 1))
    assert not np.array_equal(first.recording, second.recording)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_events": 1}, "n_events=1 must be finite and at least 2"),
        ({"n_channels": 0}, "n_channels=0 must be finite and at least 1"),
        ({"sampling_rate": 30}, "sampling_rate=30 must be finite and at least 40"),
        ({"interval": 0.0}, "interval=0.0 must be finite and at least 0.0078125"),
        ({"target_share": 1.2}, "target_share=1.2 must lie between 0 and 1"),
        ({"n_events": 4}, "target_share=0.1 must leave each of two classes at least one of 4"),
        ({"amplitude": -1}, "amplitude=-1 must be finite and at least 0"),
        ({"background": -1}, "background=-1 must be finite and at least 0"),
    ],
)
def test_error_names_the_parameter_and_its_bounds(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_event_responses(**parameters)
