"""Vectorisers of scikit-learn, as a file may hold them: plain words, no pattern that explodes."""

import numpy as np

from .._state import StateError

_KINDS = ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer")
# Each takes a time that grows with the length of a text alone; others may take for ever.
_PATTERNS = (r"(?u)\b\w\w+\b", r"(?u)\b\w+\b", r"\b\w\w+\b", r"\b\w+\b", r"(?u)\w+", r"\w+", r"\S+")
_PLAIN = {
    "input": ("content",),
    "analyzer": ("word", "char", "char_wb"),
    "strip_accents": (None, "ascii", "unicode"),
    "decode_error": ("strict", "ignore", "replace"),
    "preprocessor": (None,),
    "token_pattern": (None, *_PATTERNS),
}
_LONGEST_RUN = 20


def check_vectoriser(estimator):
    """Raise StateError unless a vectoriser is one that counts words, and nothing else."""
    if type(estimator).__name__ in _KINDS and type(estimator).__module__.startswith("sklearn."):
        _check_parameters(estimator)
        if getattr(estimator, "vocabulary", None) is not None:
            _check_words(estimator.vocabulary, "vocabulary")
        if hasattr(estimator, "vocabulary_"):
            _check_vocabulary(estimator.vocabulary_)
            _check_weights(getattr(estimator, "_tfidf", None), len(estimator.vocabulary_))


def _check_parameters(estimator):
    for name, allowed in _PLAIN.items():
        value = getattr(estimator, name)
        if not (value is None or isinstance(value, str)) or value not in allowed:
            words = ", ".join(repr(each) for each in allowed)
            raise StateError(f"is {value!r}, which must be one of {words}", name)
    tokenizer = estimator.tokenizer
    is_ours = getattr(tokenizer, "__module__", "") == "centroidal.preprocessing.words"
    if tokenizer is not None and not is_ours:
        raise StateError("must be None, or split_words of centroidal.preprocessing", "tokenizer")
    runs = estimator.ngram_range
    is_pair = isinstance(runs, tuple | list) and len(runs) == 2
    if not is_pair or not all(type(n) is int and 1 <= n <= _LONGEST_RUN for n in runs):
        raise StateError(f"must be two numbers from 1 to {_LONGEST_RUN}", "ngram_range")
    stop = estimator.stop_words
    if stop is not None and stop != "english":
        _check_words(stop, "stop_words")


def _check_words(words, name):
    known = words.keys() if isinstance(words, dict) else words
    if isinstance(words, str) or not all(isinstance(word, str) for word in known):
        raise StateError("holds what is no text", name)


def _check_vocabulary(vocabulary):
    if not isinstance(vocabulary, dict):
        raise StateError(f"is a {type(vocabulary).__name__}, not a dict", "vocabulary_")
    _check_words(vocabulary, "vocabulary_")
    numbers = list(vocabulary.values())
    if not all(type(number) is int for number in numbers):
        raise StateError("holds what is no whole number", "vocabulary_")
    if sorted(numbers) != list(range(len(numbers))):
        raise StateError(f"does not hold each number below {len(numbers)} once", "vocabulary_")


def _check_weights(transformer, n_words):
    weights = getattr(transformer, "idf_", None)
    if weights is None:
        return
    if type(weights) is not np.ndarray or weights.dtype.kind != "f" or weights.shape != (n_words,):
        raise StateError(f"is no array of {n_words} weights", "_tfidf.idf_")
    if not np.isfinite(weights).all():
        raise StateError("holds NaN or infinity", "_tfidf.idf_")
