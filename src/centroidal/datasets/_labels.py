"""Class labels and names that the generators share."""

import string

import numpy as np

__all__ = ["class_sizes", "letter_names", "numbered_names", "shuffled_codes"]


def class_sizes(n_samples, n_classes, class_weights=None):
    """Split `n_samples` in proportion to the weights, as evenly as whole numbers allow.

    Parameters
    ----------
    n_samples : int
        Number of samples to hand out.
    n_classes : int
        Number of classes.
    class_weights : array-like of shape (n_classes,), default=None
        Relative sizes of the classes; equal if None.

    Returns
    -------
    ndarray of int, shape (n_classes,)
        Samples in each class, at least one.
    """
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
    """Return the codes 0 … K−1, each as often as `sizes` says, in random order.

    Parameters
    ----------
    sizes : array-like of int, shape (n_classes,)
        Samples in each class.
    rng : RandomState
        Source of the order.

    Returns
    -------
    ndarray of int, shape (n_samples,)
        The codes.
    """
    return rng.permutation(np.repeat(np.arange(len(sizes)), sizes))


def letter_names(word, count):
    """Return "word A", "word B", …, or "word 1", "word 2", … beyond the alphabet.

    Parameters
    ----------
    word : str
        What every name begins with.
    count : int
        Number of names.

    Returns
    -------
    ndarray of str, shape (count,)
        The names.
    """
    letters = string.ascii_uppercase
    labels = letters[:count] if count <= len(letters) else range(1, count + 1)
    return np.array([f"{word} {label}" for label in labels])


def numbered_names(word, count):
    """Return "word_0001", "word_0002", …, padded so that they sort as they count.

    Parameters
    ----------
    word : str
        What every name begins with.
    count : int
        Number of names.

    Returns
    -------
    ndarray of str, shape (count,)
        The names.
    """
    width = max(4, len(str(count)))
    return np.array([f"{word}_{number:0{width}d}" for number in range(1, count + 1)])
