"""What the generators ask of their parameters, and how they say no."""

import math
from numbers import Integral

__all__ = ["check_between", "check_count", "check_finite", "check_table"]


def check_table(n_samples, n_features, n_informative, n_classes):
    """Raise unless a table of this size can have so many informative features and classes.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_features : int
        Number of columns.
    n_informative : int
        Number of columns that differ between classes.
    n_classes : int
        Number of classes, each with at least one row.
    """
    check_count("n_samples", n_samples, 2)
    check_count("n_features", n_features, 1)
    check_count("n_informative", n_informative, 0, n_features, high_name="n_features")
    check_count("n_classes", n_classes, 2, n_samples, high_name="n_samples")


def check_count(name, value, low, high=None, *, high_name=None):
    """Raise unless `value` is a whole number from `low` to `high`.

    Parameters
    ----------
    name : str
        The parameter as the user knows it.
    value : int
        What the user passed.
    low : int
        Smallest value allowed.
    high : int, default=None
        Largest value allowed; no upper bound if None.
    high_name : str, default=None
        Parameter that `high` comes from, to be named in the message.
    """
    if not isinstance(value, Integral):
        raise TypeError(f"{name}={value!r} must be a whole number.")
    check_between(name, value, low, high, high_name=high_name)


def check_between(name, value, low, high=None, *, high_name=None):
    """Raise a ValueError unless the finite number `value` lies from `low` to `high`.

    Parameters
    ----------
    name : str
        The parameter as the user knows it.
    value : float
        What the user passed.
    low : float
        Smallest value allowed.
    high : float, default=None
        Largest value allowed; no upper bound if None.
    high_name : str, default=None
        Parameter that `high` comes from, to be named in the message.
    """
    is_below_high = high is None or value <= high
    # A comparison with NaN is false, so NaN is refused here as well.
    if not (low <= value and is_below_high and math.isfinite(value)):
        raise ValueError(f"{name}={value} must {_range_in_words(low, high, high_name)}.")


def check_finite(name, value):
    """Raise a ValueError unless the number `value` is finite.

    Parameters
    ----------
    name : str
        The parameter as the user knows it.
    value : float
        What the user passed.
    """
    if not math.isfinite(value):
        raise ValueError(f"{name}={value} must be finite.")


def _range_in_words(low, high, high_name):
    if high is None:
        return f"be finite and at least {low}"
    shown_high = f"{high_name}={high}" if high_name else high
    return f"lie between {low} and {shown_high}"
