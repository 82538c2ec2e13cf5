"""What the generators share: checks of their parameters, labels, names and directions."""

import math
import string
from numbers import Integral

import numpy as np

__all__ = [
    "check_between",
    "check_count",
    "check_finite",
    "check_table",
    "class_sizes",
    "draw_orthonormal",
    "letter_names",
    "numbered_names",
    "shuffled_codes",
]


def check_table(n_samples, n_features, n_informative, n_classes):
    """Raise unless a table of this size can have so many informative features and classes."""
    check_count("n_samples", n_samples, 2)
    check_count("n_features", n_features, 1)
    check_count("n_informative", n_informative, 0, n_features, high_name="n_features")
    check_count("n_classes", n_classes, 2, n_samples, high_name="n_samples")


def check_count(name, value, low, high=None, *, high_name=None):
    """Raise unless `value` is a whole number from `low` to `high`."""
    if not isinstance(value, Integral):
        raise TypeError(f"{name}={value!r} must be a whole number.")
    check_between(name, value, low, high, high_name=high_name)


def check_between(name, value, low, high=None, *, high_name=None):
    """Raise a ValueError unless the finite number `value` lies from `low` to `high`."""
    is_below_high = high is None or value <= high
    # A comparison with NaN is false, so NaN is refused here as well.
    if not (low <= value and is_below_high and math.isfinite(value)):
        raise ValueError(f"{name}={value} must {_range_in_words(low, high, high_name)}.")


def check_finite(name, value):
    """Raise a ValueError unless the number `value` is finite."""
    if not math.isfinite(value):
        raise ValueError(f"{name}={value} must be finite.")


def _range_in_words(low, high, high_name):
    if high is None:
        return f"be finite and at least {low}"
    shown_high = f"{high_name}={high}" if high_name else high
    return f"lie between {low} and {shown_high}"


def class_sizes(n_samples, n_classes, class_weights=None):
    """Split `n_samples` in proportion to the weights, as evenly as whole numbers allow."""
    weights = _checked_weights(class_weights, n_classes)
    exact = n_samples * weights / weights.sum()
    sizes = np.floor(exact).astype(int)
    # The largest remainders get what is left; rounded, so that equal remainders are equal.
    by_remainder = np.argsort(-np.round(exact - sizes, 9), kind="stable")
    sizes[by_remainder[: n_samples - sizes.sum()]] += 1
    if sizes.min() < 1:
        raise ValueError(
            f"class_weights={class_weights} must give every class at least one "
            f"of n_samples={n_samples}, got sizes {sizes.tolist()}."
        )
    return sizes


def _checked_weights(class_weights, n_classes):
    if class_weights is None:
        return np.ones(n_classes)
    weights = np.asarray(class_weights, dtype=float)
    is_positive = np.all(np.isfinite(weights) & (weights > 0))
    if weights.shape != (n_classes,) or not is_positive:
        raise ValueError(
            f"class_weights={class_weights} must hold one positive finite number "
            f"for each of n_classes={n_classes}."
        )
    return weights


def shuffled_codes(sizes, rng):
    """Return the codes 0 … K−1, each as often as `sizes` says, in random order."""
    return rng.permutation(np.repeat(np.arange(len(sizes)), sizes))


def letter_names(word, count):
    """Return "word A", "word B", …, or "word 1", "word 2", … beyond the alphabet."""
    letters = string.ascii_uppercase
    labels = letters[:count] if count <= len(letters) else range(1, count + 1)
    return np.array([f"{word} {label}" for label in labels])


def numbered_names(word, count):
    """Return "word_0001", "word_0002", …, padded so that they sort as they count."""
    width = max(4, len(str(count)))
    return np.array([f"{word}_{number:0{width}d}" for number in range(1, count + 1)])


def draw_orthonormal(n_directions, n_features, rng):
    """Draw orthonormal directions, every rotation of them being equally likely."""
    Q, R = np.linalg.qr(rng.normal(size=(n_features, n_directions)))
    # Without positive diagonal in R the signs would be those the LAPACK routine happens to choose.
    return (Q * np.copysign(1.0, np.diag(R))).T
