"""Percentages as every text for people has them, with a space before the sign."""

import math

__all__ = ["percent"]


def percent(share, error=None, digits=1):
    """Write a share as "95.0 %", with its standard error, if there is one, as "95.0 ± 1.0 %"."""
    if not math.isfinite(share):
        return "unknown"
    has_error = error is not None and math.isfinite(error)
    around = f" ± {100 * error:.{digits}f}" if has_error else ""
    return f"{100 * share:.{digits}f}{around} %"
