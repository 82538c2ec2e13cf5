"""Generated short texts as a bag of words, sparse from the start."""

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch, check_random_state

from ._checks import check_between, check_table
from ._labels import class_sizes, letter_names, numbered_names, shuffled_codes

__all__ = ["make_word_counts"]

# Flattens the head of Zipf's law, as Mandelbrot does, so that no word dominates every text.
RANK_OFFSET = 10
# An informative word is this many times likelier in its own class than in any other.
TILT = 5.0


def make_word_counts(
    n_samples=2000,
    n_features=5000,
    *,
    n_informative=60,
    words_per_document=15,
    n_classes=2,
    random_state=None,
):
    """Generate short texts as a sparse bag of words, with known informative words.

    Word frequencies follow the Zipf-Mandelbrot law. An informative word is likelier in the
    texts of one class than in those of the others, as "superb" is in favourable reviews.

    Parameters
    ----------
    n_samples : int, default=2000
        Number of texts; the classes are equally large, up to one text.
    n_features : int, default=5000
        Number of words in the vocabulary.
    n_informative : int, default=60
        Number of words whose frequency depends on the class; they take turns among the classes.
    words_per_document : float, default=15
        Mean length of a text; no text is empty.
    n_classes : int, default=2
        Number of classes.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same texts every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data : csr_array of shape (n_samples, n_features)
            How often each word occurs in each text, as float64.
        target : ndarray of int, shape (n_samples,)
            The class of each text, 0 … ``n_classes`` - 1.
        target_names : ndarray of str, shape (n_classes,)
            The names of the classes.
        feature_names : ndarray of str, shape (n_features,)
            The words.
        informative : ndarray of bool, shape (n_features,)
            True for the words whose frequency depends on the class.

    Notes
    -----
    Time and memory grow with the number of words written and with ``n_classes * n_features``,
    never with ``n_samples * n_features``.

    Examples
    --------
    >>> from centroidal.datasets import make_word_counts
    >>> texts = make_word_counts(n_samples=100, random_state=0)
    >>> texts.data.shape
    (100, 5000)
    >>> bool(texts.data.sum(axis=1).min() >= 1)
    True
    """
    check_table(n_samples, n_features, n_informative, n_classes)
    check_between("words_per_document", words_per_document, 1)

    rng = check_random_state(random_state)
    codes = shuffled_codes(class_sizes(n_samples, n_classes), rng)
    frequencies = _draw_frequencies(n_features, rng)
    informative_words = rng.choice(n_features, size=n_informative, replace=False, p=frequencies)
    frequencies_by_class = _tilted(frequencies, informative_words, n_classes)

    return Bunch(
        data=_draw_texts(codes, frequencies_by_class, words_per_document, rng),
        target=codes,
        target_names=letter_names("opinion", n_classes),
        feature_names=numbered_names("word", n_features),
        informative=np.isin(np.arange(n_features), informative_words),
    )


def _draw_frequencies(n_features, rng):
    ranks = 1 + rng.permutation(n_features)
    weights = 1.0 / (ranks + RANK_OFFSET)
    return weights / weights.sum()


def _tilted(frequencies, informative_words, n_classes):
    """Make each informative word likelier in one class, the classes taking turns."""
    weights = np.tile(frequencies, (n_classes, 1))
    # Raised in one class and lowered in the others, so that a word stays about as common.
    weights[:, informative_words] /= np.sqrt(TILT)
    classes = np.arange(len(informative_words)) % n_classes
    weights[classes, informative_words] *= TILT
    return weights / weights.sum(axis=1, keepdims=True)


def _draw_texts(codes, frequencies_by_class, words_per_document, rng):
    """Write the texts word by word and count; the matrix is sparse from the start."""
    n_classes, n_features = frequencies_by_class.shape
    lengths = 1 + rng.poisson(words_per_document - 1, size=len(codes))
    # 32-bit indices: half the memory, and every reader of sparse matrices takes them.
    texts = np.repeat(np.arange(len(codes), dtype=np.int32), lengths)
    words = np.empty(len(texts), dtype=np.int32)
    for code in range(n_classes):
        is_written = codes[texts] == code
        words[is_written] = rng.choice(
            n_features, size=is_written.sum(), p=frequencies_by_class[code]
        )

    counts = sparse.coo_array((np.ones(len(words)), (texts, words)), (len(codes), n_features))
    # The conversion adds up the occurrences of a word in the same text.
    return counts.tocsr()
