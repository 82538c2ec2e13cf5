"""Values in plain form: as JSON has them, and percentages as texts for people have them."""

import math

import numpy as np


def json_plain(value, *, finite=False):
    """Turn arrays, numbers of NumPy and containers into what JSON has.

    Where JSON has nothing, the name of the value, or of its type, stands for it. With `finite`, NaN
    and infinities, which JSON does not know either, become None.
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): json_plain(each, finite=finite) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [json_plain(each, finite=finite) for each in value]
    if finite and isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return getattr(value, "__name__", type(value).__name__)


def row_dicts(columns):
    """Return columns of equal length as a dict for each row."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def percent(share, error=None, digits=1):
    """Write a share as "95.0 %", with its standard error, if there is one, as "95.0 ± 1.0 %"."""
    if not math.isfinite(share):
        return "unknown"
    has_error = error is not None and math.isfinite(error)
    around = f" ± {100 * error:.{digits}f}" if has_error else ""
    return f"{100 * share:.{digits}f}{around} %"


def score_text(value, error=None, *, is_share):
    """Write a score with its standard error, if there is one: as a percentage, or as a number."""
    if is_share or not math.isfinite(value):
        return percent(value, error)
    around = f" ± {error:.3f}" if error is not None and math.isfinite(error) else ""
    return f"{value:.3f}{around}"


def interval_text(interval, *, is_share):
    """Write the ends of an interval of a score: "84.0 to 96.0 %", or "0.840 to 0.960"."""
    low, high = (score_text(end, is_share=is_share) for end in interval)
    return f"{low.removesuffix(' %')} to {high}"
