"""Numbers and names as a reader wants to see them."""

import json
import re

import numpy as np

from .._plain import percent as write_percent
from ..model_selection.methods import METRICS, metric_of, plain_score

_MAX_NAME = 300  # letters of a name that are shown
_NO_BREAK, _MINUS = "\u00a0", "\u2212"
NOTHING = "\u2013"  # in the place of a number
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_FEW_CLASSES = 12  # whose labels are shown in full


def tidy(text, length=_MAX_NAME):
    """Return text that can be encoded and shown, cut to a length."""
    return cut(_UNPRINTABLE.sub("\ufffd", str(text)), length)


def cut(text, length):
    """Cut a text, with an ellipsis where something is missing."""
    return text if len(text) <= length else text[: length - 1] + "…"


def _distinct(names):
    """Add a number to names that are equal to an earlier one."""
    seen, found = {}, []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def json_number(value):
    """Return a number as JSON can say it, in six digits; None if it is not finite."""
    value = float(value)
    return float(f"{value:.6g}") if np.isfinite(value) else None


def count(number, noun=None, many=None):
    """Write a whole number with commas, and what there are so many of."""
    text = f"{int(number):,}"
    if noun is None:
        return text
    return f"{text}{_NO_BREAK}{noun if number == 1 else many or noun + 's'}"


def number(value, form):
    """Write a number with a proper minus."""
    return format(float(value), form).replace("-", _MINUS)


def percent(share, error=None, digits=0):
    """Write a percentage in one piece, with a proper minus."""
    return write_percent(share, error, digits).replace(" ", _NO_BREAK).replace("-", _MINUS)


def score(value, name):
    """Write a score: a percentage if it is a share of samples, otherwise a number."""
    return plus_minus(value, np.nan, name)


def interval_words(interval, name):
    """Write a 95 % confidence interval."""
    return f"95{_NO_BREAK}% interval {_ends(interval, name)}"


def with_interval(value, interval, name, sign=""):
    """Write a score, or with a sign a difference, and the ends of its interval if it has one."""
    written = _score_with_sign(value, name, sign)
    has_one = np.isfinite(interval).all()
    return f"{written} ({_ends(interval, name, sign)})" if has_one else written


def _score_with_sign(value, name, sign):
    return sign * bool(plain_value(value, name) > 0) + score(value, name)


def _ends(interval, name, sign=""):
    low, high = (_score_with_sign(end, name, sign) for end in _plain_ends(interval, name))
    low = low.removesuffix(f"{_NO_BREAK}%") if is_share(name) else low
    return f"{low} to {high}"


def plus_minus(value, error, name):
    """Write a score with its standard error, with as many digits as the error allows."""
    value = plain_value(value, name)
    if is_share(name):
        digits = 1 if np.isfinite(error) and 0 < error < 0.01 else 0
        return percent(value, error, digits)
    if not np.isfinite(value):
        return "unknown"
    around = f"{_NO_BREAK}±{_NO_BREAK}{number(error, '.3f')}" if np.isfinite(error) else ""
    return number(value, ".3f") + around


def json_text(value):
    """Write JSON that can stand inside a script element, whatever texts are in it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def class_labels(classes, length=None):
    """Return the labels as distinct texts, shorter where there are many."""
    if length is None:
        length = _MAX_NAME if len(classes) <= _FEW_CLASSES else 60
    return _distinct([tidy(label, length).strip() or "(empty)" for label in classes.tolist()])


def score_words(name):
    """Name a score in words."""
    metric = metric_of(name)
    return METRICS[metric].title if metric in METRICS else name.replace("_", " ")


def is_share(name):
    """Whether a score is a share of samples, to be written in percent."""
    return name in METRICS and METRICS[name].is_share


def plain_value(value, name):
    """Return a score as a reader is told it: a loss is positive."""
    return plain_score(value, name) if metric_of(name) in METRICS else value


def _plain_ends(interval, name):
    """Return the ends of an interval, the one first that is told as the lower."""
    return interval[::-1] if plain_value(1.0, name) < 0.0 else interval
