"""A generator of recordings in which events leave a response, as an EEG does."""

import numpy as np
from scipy.signal import lfilter
from sklearn.utils import Bunch, check_random_state

from .._typing import RandomState
from ._generators import check_between, check_count, shuffled_codes, sizes_by_share

__all__ = ["make_event_responses"]

WINDOW = 0.6  # seconds after an event that a response lasts
# Peak and width of a response in seconds: of every event, and what targets have beside it.
EVERY, TARGET = (0.15, 0.03), (0.35, 0.06)
RHYTHM = 10.0  # in Hz
MEMORY = 2  # seconds after which a drift forgets its level, and the rhythm its phase
N_DRIFTS = 3


def make_event_responses(
    n_events: int = 600,
    n_channels: int = 16,
    *,
    sampling_rate: int = 128,
    interval: float = 0.2,
    target_share: float = 0.1,
    amplitude: float = 1.0,
    background: float = 4.0,
    random_state: RandomState = None,
) -> Bunch:
    r"""Generate a recording of many channels in which rare events leave a small response.

    The shape of an EEG under pictures in quick succession, few of which show what the viewer looks
    for, as in section 4.5 of :cite:t:`Rozza2010`. Every event is answered by a wave 0.15 s after
    it, and a target also by one 0.35 s after it (P300), which is longer than the next events wait:
    responses overlap and add up. They lie under a background that is stronger than they are,

    .. math:: x_t = \sum_{e} r_{t - t_e} + \sum_{\text{targets } e} a\, s_{t - t_e}
              + b\, (\text{slow drifts} + \text{rhythm of 10 Hz})_t + z_t,
              \qquad z_t \sim \mathcal{N}(0, I),

    where drifts and rhythm reach all channels, each in proportions of its own.

    Parameters
    ----------
    n_events : int, default=600
        Number of events, at least 2.
    n_channels : int, default=16
        Number of channels.
    sampling_rate : int, default=128
        Samples a second, at least 40.
    interval : float, default=0.2
        Seconds from one event to the next, at least one sample.
    target_share : float, default=0.1
        Share of the events that are targets; there must be at least one, and one other.
    amplitude : float, default=1.0
        Peak of the response to a target :math:`a`, in deviations of the noise of a channel.
    background : float, default=4.0
        Strength of the background :math:`b`, in the same unit.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        recording : ndarray of shape (n_times, n_channels)
            The signal of each channel.
        onsets, target : ndarray of int, shape (n_events,)
            The row of `recording` at which each event begins, and 1 for targets.
        target_names : ndarray of str, shape (2,)
            "other" and "target".
        data : ndarray of shape (n_events, n_lags * n_channels)
            The 0.6 s of `recording` after each event, as they are, a row an event.
        response : ndarray of shape (n_lags, n_channels)
            What a target adds to `recording` from its onset on.
        sampling_rate : int
            Samples a second.

    Notes
    -----
    **Where we differ**: the recordings of the thesis are of a competition and were not to be had.
    This model is ours; nothing in it is measured.

    Examples
    --------
    >>> from centroidal.datasets import make_event_responses
    >>> made = make_event_responses(n_events=50, n_channels=4, random_state=0)
    >>> made.recording.shape, made.response.shape, int(made.target.sum())
    ((1330, 4), (76, 4), 5)
    """
    check_count("n_events", n_events, 2)
    check_count("n_channels", n_channels, 1)
    check_count("sampling_rate", sampling_rate, 40)
    check_between("interval", interval, 1 / sampling_rate)
    sizes = sizes_by_share("target_share", target_share, n_events)
    check_between("amplitude", amplitude, 0)
    check_between("background", background, 0)

    rng = check_random_state(random_state)
    target = shuffled_codes(sizes, rng)
    onsets = np.round(np.arange(n_events) * interval * sampling_rate).astype(int)
    lags = np.arange(int(WINDOW * sampling_rate))
    every, response = (
        np.outer(_wave(lags / sampling_rate, *shape), _draw_pattern(n_channels, rng))
        for shape in (EVERY, TARGET)
    )
    response *= amplitude
    recording = _draw_background(onsets[-1] + len(lags), n_channels, sampling_rate, rng)
    recording *= background
    recording += rng.normal(size=recording.shape)
    for onset, is_target in zip(onsets, target, strict=True):
        recording[onset + lags] += every + is_target * response

    return Bunch(
        recording=recording,
        onsets=onsets,
        target=target,
        target_names=np.array(["other", "target"]),
        data=recording[onsets[:, None] + lags].reshape(n_events, -1),
        response=response,
        sampling_rate=sampling_rate,
    )


def _wave(seconds, peak, width):
    return np.exp(-((seconds - peak) ** 2) / (2 * width**2))


def _draw_pattern(n_channels, rng):
    """Return how strong a response is in each channel: 1 at its place, less the farther away."""
    distances = np.arange(n_channels) - rng.randint(n_channels)
    return np.exp(-0.5 * (distances / max(1, n_channels / 6)) ** 2)


def _draw_background(n_times, n_channels, sampling_rate, rng):
    """Mix slow drifts and a rhythm, each of variance 1 before, into all channels."""
    n_before = 4 * MEMORY * sampling_rate  # until a filter has forgotten that it began with zeros
    noise = rng.normal(size=(n_before + n_times, N_DRIFTS + 1))
    stay = np.exp(-1 / (MEMORY * sampling_rate))
    turn = 2 * np.cos(2 * np.pi * RHYTHM / sampling_rate)
    drifts = lfilter([1.0], [1.0, -stay], noise[:, :-1], axis=0)
    rhythm = lfilter([1.0], [1.0, -stay * turn, stay**2], noise[:, -1:], axis=0)
    sources = np.hstack([drifts, rhythm])[n_before:]
    sources /= sources.std(axis=0)
    return sources @ rng.normal(size=(sources.shape[1], n_channels)) / np.sqrt(sources.shape[1])
