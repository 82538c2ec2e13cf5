"""Bands: neighbouring features that are selected together, as wavelengths of a spectrum are."""

from numbers import Integral

import numpy as np

from .._parameters import number

_MOST_NAMED = 10
_EVEN = 0.9  # share of the steps of an axis that are about as long as most
_check_gap = number("an int of at least 0", lambda value: value >= 0, "be at least 0", Integral)


def feature_axis(names):
    """Return the numbers that names of features are, if they form an axis; None if they do not.

    They do if they rise, or fall, from column to column in mostly even steps, and are more than the
    numbers of the columns: identifiers of genes are numbers, too, and so are columns without names.
    """
    try:
        places = np.array([float(name) for name in names])
    except ValueError:
        return None
    steps = np.diff(places)
    if places.size < 3 or not np.isfinite(places).all() or not (steps * steps[0] > 0).all():
        return None
    if any(np.array_equal(places, np.arange(places.size) + first) for first in (0, 1)):
        return None
    ratios = steps / np.median(steps)
    return places if np.mean((ratios > 0.5) & (ratios < 2.0)) >= _EVEN else None


def find_bands(columns, max_gap=2):
    """Put columns together that are neighbours, up to so many that are missing in between.

    Returns
    -------
    list of ndarray of int
        The columns of each band in their order, the bands from left to right.
    """
    _check_gap("max_gap", max_gap)
    ordered = np.sort(columns)
    if not ordered.size:
        return []
    return np.split(ordered, np.flatnonzero(np.diff(ordered) > max_gap + 1) + 1)


def band_table(columns, names, gains, max_gap=2):
    """Return bands as columns of a table: where they begin and end, how many, the strongest."""
    bands = find_bands(columns, max_gap)
    best = [band[np.argmax(gains[band])] for band in bands]
    return {
        "first": [str(names[band[0]]) for band in bands],
        "last": [str(names[band[-1]]) for band in bands],
        "n_features": [band.size for band in bands],
        "strongest": [str(names[column]) for column in best],
        "gain": [float(gains[column]) for column in best],
    }


def band_sentence(table):
    """Say where bands lie."""
    ends = list(zip(table["first"], table["last"], strict=True))
    said = [first if first == last else f"{first} to {last}" for first, last in ends]
    more = f" and {len(said) - _MOST_NAMED} more" if len(said) > _MOST_NAMED else ""
    bands = "one band" if len(said) == 1 else f"{len(said)} bands"
    return f"Selected features lie in {bands}: {', '.join(said[:_MOST_NAMED])}{more}."
