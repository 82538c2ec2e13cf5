"""How many samples get a class, and how many of these the right one, at several levels."""

import numpy as np

from .._plain import percent
from ..solvers.conformal import Calibration, HeldOut

LEVELS = (0.01, 0.05, 0.1, 0.2)  # at which it is told


def count_calls(folds, calibrates):
    """Return a row for each level, of samples that were held out (`HeldOut`, of each fold).

    Each fold is judged by what the others teach, so that nothing was learned of its samples.
    """
    codes = HeldOut.join(folds).codes
    calibrations = [
        Calibration.of([HeldOut.join(folds[:place] + folds[place + 1 :])], calibrates)
        for place in range(len(folds))
    ]
    return tuple(
        describe_calls(
            np.concatenate(
                [
                    calibration.credible(fold, level)
                    for calibration, fold in zip(calibrations, folds, strict=True)
                ]
            ),
            codes,
            level,
        )
        for level in LEVELS
    )


def describe_calls(credible, codes, level):
    """Return what comes of samples, given which classes are credible and their numbers.

    Returns
    -------
    dict
        The level ``no_call``; the shares of samples that are ``called``, that ``several`` classes
        are credible for, and that resemble ``none``; ``accuracy`` of those that are called;
        ``coverage``, the share of samples whose class is credible, and ``class_coverage``, the same
        of each class. NaN for a class without samples, None for the accuracy of none.
    """
    numbers, rows = credible.sum(axis=1), np.arange(codes.size)
    is_called, is_covered = numbers == 1, credible[rows, codes]
    counts = np.bincount(codes, minlength=credible.shape[1])
    covered = np.bincount(codes, is_covered, minlength=credible.shape[1])
    return {
        "no_call": level,
        "called": float(np.mean(is_called)),
        "several": float(np.mean(numbers > 1)),
        "none": float(np.mean(numbers == 0)),
        "accuracy": float(np.mean(is_covered[is_called])) if is_called.any() else None,
        "coverage": float(np.mean(is_covered)),
        "class_coverage": (covered / np.where(counts > 0, counts, np.nan)).tolist(),
    }


def say_calls(calls):
    """Say it in a sentence or two."""
    called = f"{percent(calls['called'])} of the samples get a class"
    if calls["called"] > 0.0:
        called += f", {percent(calls['accuracy'])} of these the right one"
    return (
        f"No call at {calls['no_call']:g}: {called}; {percent(calls['several'])} may be of several "
        f"classes, {percent(calls['none'])} resemble none. The class of "
        f"{percent(calls['coverage'])} is credible."
    )
