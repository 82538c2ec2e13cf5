"""A generator of spectra: bands that tell the classes apart, under what an instrument adds."""

import numpy as np
from sklearn.utils import Bunch, check_random_state

from .._typing import RandomState
from ._generators import (
    check_between,
    check_count,
    class_sizes,
    letter_names,
    shuffled_codes,
)

__all__ = ["make_spectra"]

FIRST, LAST = 1000.0, 2500.0  # wavelengths, in nm
N_PEAKS = 15
WIDTHS = 15.0, 35.0  # standard deviations of peaks, in nm
SPREAD = 0.15  # of the height of a peak, from specimen to specimen
STRENGTH, LEVEL, SLOPE = 0.2, 0.5, 0.05  # spreads of what a measurement adds, whatever it measures
NOISE = 0.01


def make_spectra(
    n_specimens: int = 60,
    n_features: int = 151,
    *,
    n_replicates: int = 3,
    n_classes: int = 2,
    n_informative: int = 3,
    effect: float = 0.3,
    background: float = 1.0,
    random_state: RandomState = None,
) -> Bunch:
    r"""Generate near-infrared spectra of specimens that are measured several times.

    A spectrum is a sum of 15 overlapping peaks whose heights vary from specimen to specimen. A few
    of them also differ between the classes. Each measurement is stronger or weaker as a whole, and
    lies on a straight baseline of its own, which says nothing about the class:

    .. math:: x_{r}(\lambda) = a_r \sum_p h_{ps} g_p(\lambda) + b_r + c_r \lambda + z_r(\lambda),

    for a replicate r of specimen s. Replicates share the heights, so that a classifier can
    recognise a specimen: they are `groups`, which belong on one side of a fold.

    Parameters
    ----------
    n_specimens : int, default=60
        Number of specimens.
    n_features : int, default=151
        Number of wavelengths, evenly from 1000 nm to 2500 nm, at least 2.
    n_replicates : int, default=3
        How often each specimen is measured.
    n_classes : int, default=2
        Number of classes, of equal size.
    n_informative : int, default=3
        Number of peaks whose height differs between the classes, at most 15.
    effect : float, default=0.3
        By what share of it the height of such a peak differs, in one class, from the others.
    background : float, default=1.0
        Strength of what a measurement adds; 0 is nothing but noise.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data : ndarray of shape (n_specimens * n_replicates, n_features)
            A spectrum in each row.
        target, groups : ndarray of int, shape (n_specimens * n_replicates,)
            Class and specimen of each spectrum.
        target_names, feature_names : ndarray of str, shape (n_classes,) or (n_features,)
            Names of the classes, and the wavelengths in nm as texts.
        wavelengths : ndarray of shape (n_features,)
            The same as numbers.
        informative : ndarray of bool, shape (n_features,)
            True within one standard deviation of the center of a peak that differs.

    Notes
    -----
    This model is ours; nothing in it is measured.

    Examples
    --------
    >>> from centroidal.datasets import make_spectra
    >>> spectra = make_spectra(n_specimens=20, n_features=100, random_state=0)
    >>> spectra.data.shape, len(set(spectra.groups.tolist()))
    ((60, 100), 20)
    """
    check_count("n_specimens", n_specimens, 2)
    check_count("n_features", n_features, 2)
    check_count("n_replicates", n_replicates, 1)
    check_count("n_classes", n_classes, 2, n_specimens, high_name="n_specimens")
    check_count("n_informative", n_informative, 0, N_PEAKS)
    check_between("effect", effect, 0)
    check_between("background", background, 0)

    rng = check_random_state(random_state)
    codes = shuffled_codes(class_sizes(n_specimens, n_classes), rng)
    wavelengths = np.linspace(FIRST, LAST, n_features)
    middles, widths = _draw_peaks(rng)
    distances = np.abs(wavelengths - middles[:, None]) / widths[:, None]
    chosen = rng.choice(N_PEAKS, n_informative, replace=False)
    heights = _draw_heights(codes, chosen, effect, n_classes, rng)
    groups = np.repeat(np.arange(n_specimens), n_replicates)
    spectra = heights[groups] @ np.exp(-0.5 * distances**2)

    return Bunch(
        data=_measure(spectra, background, rng),
        target=codes[groups],
        groups=groups,
        target_names=letter_names("class", n_classes),
        feature_names=np.array([f"{each:.6g}" for each in wavelengths]),
        wavelengths=wavelengths,
        informative=(distances[chosen] < 1.0).any(axis=0),
    )


def _draw_peaks(rng):
    """Return the centers of the peaks, one in each part of the range, and their widths."""
    step = (LAST - FIRST) / N_PEAKS
    return FIRST + step * (np.arange(N_PEAKS) + rng.uniform(size=N_PEAKS)), rng.uniform(
        *WIDTHS, size=N_PEAKS
    )


def _draw_heights(codes, chosen, effect, n_classes, rng):
    """Return the height of each peak in each specimen; classes take turns in those that differ."""
    typical = rng.uniform(0.5, 1.5, size=N_PEAKS)
    heights = typical * (1.0 + SPREAD * rng.normal(size=(codes.size, N_PEAKS)))
    for turn, peak in enumerate(chosen):
        heights[codes == turn % n_classes, peak] += effect * typical[peak]
    return heights


def _measure(spectra, background, rng):
    """Return what an instrument makes of spectra: strength, baseline and noise of each."""
    size = (spectra.shape[0], 1)
    strength = np.exp(background * STRENGTH * rng.normal(size=size))
    baseline = LEVEL * rng.normal(size=size)
    baseline = baseline + SLOPE * rng.normal(size=size) * np.linspace(-1, 1, spectra.shape[1])
    return strength * spectra + background * baseline + NOISE * rng.normal(size=spectra.shape)
