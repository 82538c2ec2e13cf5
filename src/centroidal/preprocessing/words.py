"""Documents -> words, and runs of words, as numbers.

Each word is looked up once; runs of words are made of the numbers of words, all at once, so that no
text is put together that nobody asks for. Where words are hashed, compiled loops do so.
"""

import re
import unicodedata
import zlib
from functools import cache
from itertools import chain
from typing import NamedTuple

import narwhals.stable.v1 as nw
import numpy as np
from scipy.sparse import csr_array

from .. import _state as state
from .._data import as_frame
from .._state import StateError
from . import _loops

# Scripts that do not separate words: each character is one, and words of several are found as runs.
_ALONE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Marks that belong to the letter before them, which \w does not know: accents, vowel signs.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0981-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u0f71-\u0f87\u102b-\u103e\u17b4-\u17d3"
    "\u200c\u200d"
)
_WORD = re.compile(f"[{_ALONE}]|(?:[^\\W{_ALONE}]|[{_MARKS}])+")
_PLAIN_WORD = re.compile(r"\w+", re.ASCII)
_LONGEST = 100  # characters of what is still a word; longer ones are keys, addresses, encoded files
_MOST_CHARACTERS = 10**7
_AT_ONCE = 10_000  # documents whose words are in memory as texts
UNKNOWN = _loops.UNKNOWN


def split_words(text):
    """Split a document into words, in small letters."""
    if text.isascii():
        return _PLAIN_WORD.findall(text.lower())
    return _WORD.findall(unicodedata.normalize("NFC", text).lower())


# ------------------------------------------------------------------ words to leave out


def check_stop_words(name, value):
    """Raise unless `value` says which words to leave out."""
    if value is None or (isinstance(value, str) and value == "english"):
        return
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        raise ValueError(f"{name}={value!r} must be None, 'english' or a list of words.")


def words_to_leave_out(stop_words):
    """Return these words, split as documents are."""
    if stop_words == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS as stop_words
    return frozenset(chain.from_iterable(map(split_words, stop_words or ())))


# ------------------------------------------------------------------ documents


def as_documents(X):
    """Return documents, given in one column or several, as an array of objects; frames stay so."""
    if as_frame(X) is not None:
        return X
    if isinstance(X, str) or not np.iterable(X):
        raise TypeError(f"documents must be several texts, not a {type(X).__name__}.")
    series = nw.from_native(X, series_only=True, allow_series=True, pass_through=True)
    values = series.to_list() if isinstance(series, nw.Series) else X
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return values.astype(object, copy=False)
    values = list(values)
    found = np.empty((len(values), 1), dtype=object)
    found[:, 0] = values
    return found


def document_columns(X):
    """Return each column of documents as a list of texts; raise if one of them is no text."""
    frame = as_frame(X)
    if frame is None:
        columns = as_documents(X).T.tolist()
    else:
        columns = [frame[:, place].to_list() for place in range(frame.shape[1])]
    for documents in columns:
        for number, each in enumerate(documents):
            if not isinstance(each, str):
                raise ValueError(
                    f"document {number} is a {type(each).__name__}, not a text; an empty one is ''."
                )
    check_lengths(columns)
    return columns


def check_lengths(columns, source=None):
    """Raise if a document is too long."""
    for documents in columns:
        for number, length in enumerate(map(len, documents)):
            if length > _MOST_CHARACTERS:
                where = f"document {number}" if source is None else f"{source}: a document"
                raise ValueError(
                    f"{where} has {length:,} characters, more than {_MOST_CHARACTERS:,}; cut it "
                    "into parts, or leave it out."
                )


# ------------------------------------------------------------------ words and runs of them


def numbers_of_words(documents, number_of):
    """Return the numbers of all words, one document after the other, and how many each has."""
    numbers, lengths = [np.array([], dtype=np.int64)], []
    for start in range(0, len(documents), _AT_ONCE):
        words = [split_words(text) for text in documents[start : start + _AT_ONCE]]
        counts = [len(each) for each in words]
        found = map(number_of, chain.from_iterable(words))
        numbers.append(np.fromiter(found, np.int64, sum(counts)))
        lengths += counts
    return np.concatenate(numbers), np.array(lengths, dtype=np.int64)


def runs_of_words(places, numbers, lengths, length):
    """Say where runs of so many words begin, and which is the last word of each.

    `places` are the numbers of the runs that are one word shorter, at the place of their first
    word; a run needs both of these, and all its words in one document.
    """
    document = np.repeat(np.arange(lengths.size), lengths)
    last = np.full(numbers.size, UNKNOWN, dtype=np.int64)
    last[: max(0, numbers.size - length + 1)] = numbers[length - 1 :]
    ends_in = np.full(numbers.size, UNKNOWN, dtype=np.int64)
    ends_in[: max(0, numbers.size - length + 1)] = document[length - 1 :]
    starts = np.flatnonzero((places != UNKNOWN) & (last != UNKNOWN) & (ends_in == document))
    return starts, last[starts]


def index_type(largest):
    """Return the type of whole numbers up to the largest: small ones fit any classifier."""
    return np.int32 if largest <= np.iinfo(np.int32).max else np.int64


def count_terms(columns, rows, shape):
    """Count how often each term, by its column, is in each document."""
    index = index_type(max(*shape, rows.size))
    places = rows.astype(index), columns.astype(index)
    counts = csr_array((np.ones(rows.size), places), shape=shape)
    counts.sum_duplicates()
    return counts


class _Known(dict):
    """The numbers of words that are known; the others have none."""

    def __missing__(self, word):
        return UNKNOWN


class _Numbers(dict):
    """A number for each word, in the order in which they are met; none for those left out."""

    def __missing__(self, word):
        number = self[word] = len(self) if len(word) <= _LONGEST else UNKNOWN
        return number


def _utf8(value, sizes):
    """Check bytes that are UTF-8."""
    if type(value) is not np.ndarray or value.dtype != np.uint8 or value.ndim != 1:
        raise StateError("is no array of bytes")
    try:
        value.tobytes().decode()
    except UnicodeDecodeError:
        raise StateError("is no text in UTF-8") from None


class Vocabulary(NamedTuple):
    """Words in their order, and for each longer length the runs that are known.

    A run is the number of a run that is one word shorter times the number of words, plus the number
    of its last word.
    """

    words: np.ndarray  # UTF-8, a word a line
    runs: list  # of increasing codes, for each length from 2 on

    _state = {
        "words": _utf8,
        "runs": state.sequence(state.positions("runs", below=2**62)),
    }

    def _check_relations(self, sizes):
        """Raise unless all codes lead to words, which are there once."""
        words = self.list_words()
        if len(set(words)) < len(words) or not all(words):
            raise StateError("does not hold each word once", "words")
        n_before = len(words)
        for codes in self.runs:
            is_inside = codes.size == 0 or (codes[0] >= 0 and codes[-1] < n_before * len(words))
            if not is_inside or (codes[1:] <= codes[:-1]).any():
                raise StateError("holds codes that lead to no words, or one twice", "runs")
            n_before = codes.size

    @classmethod
    def learn(cls, documents, longest, min_df, left_out=()):
        """Find what is in at least `min_df` documents; return it, and how often it is in each."""
        found = _Numbers.fromkeys(left_out, UNKNOWN)
        numbers, lengths = numbers_of_words(documents, found.__getitem__)
        rows = np.repeat(np.arange(lengths.size), lengths)
        kept = _frequent(numbers, rows, lengths.size, len(found), min_df)
        texts = [word for word, number in found.items() if number != UNKNOWN and kept[number]]
        texts.sort()
        renumber = np.full(len(found) + 1, UNKNOWN, dtype=np.int64)  # the last is UNKNOWN itself
        renumber[[found[word] for word in texts]] = np.arange(len(texts))
        numbers = renumber[numbers]
        vocabulary = cls(np.frombuffer("\n".join(texts).encode(), np.uint8).copy(), [])
        places, counts = numbers, [_count_known(numbers, rows, lengths.size, len(texts))]
        for length in range(2, longest + 1):
            starts, last = runs_of_words(places, numbers, lengths, length)
            codes, ids = np.unique(places[starts] * len(texts) + last, return_inverse=True)
            kept = _frequent(ids, rows[starts], lengths.size, codes.size, min_df)
            renumber = np.where(kept, np.cumsum(kept) - 1, UNKNOWN)
            places = np.full(numbers.size, UNKNOWN, dtype=np.int64)
            places[starts] = renumber[ids]
            vocabulary.runs.append(codes[kept])
            counts.append(_count_known(places, rows, lengths.size, int(kept.sum())))
        return vocabulary, counts

    def count(self, documents):
        """Count how often each known word and run is in each document, a matrix for each length."""
        words = self.list_words()
        known = _Known((word, number) for number, word in enumerate(words))
        numbers, lengths = numbers_of_words(documents, known.__getitem__)
        rows = np.repeat(np.arange(lengths.size), lengths)
        places, counts = numbers, [_count_known(numbers, rows, lengths.size, len(words))]
        for length, codes in enumerate(self.runs, start=2):
            starts, last = runs_of_words(places, numbers, lengths, length)
            asked = places[starts] * len(words) + last
            found = np.searchsorted(codes, asked).clip(max=max(0, codes.size - 1))
            is_known = codes[found] == asked if codes.size else np.zeros(asked.size, dtype=bool)
            places = np.full(numbers.size, UNKNOWN, dtype=np.int64)
            places[starts[is_known]] = found[is_known]
            counts.append(_count_known(places, rows, lengths.size, codes.size))
        return counts

    def list_words(self):
        """Return the words as texts."""
        text = self.words.tobytes().decode()
        return text.split("\n") if text else []

    def list_terms(self):
        """Return words, pairs of words and so on, as texts."""
        words = before = self.list_words()
        terms = list(words)
        for codes in self.runs:
            first, last = np.divmod(codes, max(1, len(words)))
            before = [f"{before[i]} {words[j]}" for i, j in zip(first, last, strict=True)]
            terms += before
        return terms


def _frequent(numbers, rows, n_documents, n_terms, min_df):
    """Say which terms are in so many documents."""
    if min_df == 1:
        return np.ones(n_terms, dtype=bool)
    counts = _count_known(numbers, rows, n_documents, n_terms)
    return np.bincount(counts.indices, minlength=n_terms) >= min_df


def _count_known(numbers, rows, n_documents, n_terms):
    is_known = numbers != UNKNOWN
    return count_terms(numbers[is_known], rows[is_known], (n_documents, n_terms))


# ------------------------------------------------------------------ words by their hashes


@cache
def _bytes_table():
    """Say which bytes are letters of words, and what CRC-32 makes of each."""
    is_letter = [byte > 127 or chr(byte).isalnum() or chr(byte) == "_" for byte in range(256)]
    remainders = [zlib.crc32(bytes([byte ^ 0xFF])) ^ 0xFF000000 for byte in range(256)]
    return np.array(is_letter), np.array(remainders)


def _letters(text):
    """Return a text, or its UTF-8, as bytes in which words are runs of letters."""
    if text.isascii():
        text = text.lower()
        return text if isinstance(text, bytes) else text.encode()
    text = text.decode() if isinstance(text, bytes) else text
    return " ".join(split_words(text)).encode()


class HashedRuns(NamedTuple):
    """Runs of words of some documents, one after the other."""

    data: bytes
    n_columns: int  # of text, in each document
    starts: np.ndarray  # of words, in bytes
    stops: np.ndarray
    ends_of_texts: np.ndarray  # in words
    hashes: np.ndarray  # of runs
    columns: np.ndarray
    firsts: np.ndarray  # of their words
    lengths: np.ndarray
    ends: np.ndarray  # of documents, in runs

    @classmethod
    def find(cls, columns, ngrams, n_bits, left_out):
        """List the runs of documents in columns of text; words are left out by their numbers."""
        texts = [_letters(text) for row in zip(*columns, strict=True) for text in row]
        data, ends = b"".join(texts), np.cumsum([len(text) for text in texts], dtype=np.int64)
        words = np.empty((3, (len(data) + len(texts) + 1) // 2), dtype=np.int64)
        read = np.frombuffer(data, np.uint8), ends, *_bytes_table(), left_out, _LONGEST
        counts = _loops.number_words(*read, *words)
        numbers, *edges = words[:, : counts.sum()]
        with np.errstate(over="ignore"):  # of hashes, where loops are not compiled
            runs = _loops.list_runs(numbers, counts, len(columns), ngrams, n_bits)
        return cls(data, len(columns), *edges, np.cumsum(counts), *runs)

    def weigh(self):
        """Return the arrays of CSR rows, of unit length."""
        return _loops.weigh_columns(self.columns.copy(), self.ends)

    def term(self, place):
        """Return a run as it is read."""
        words = range(self.firsts[place], self.firsts[place] + self.lengths[place])
        return " ".join(self.data[self.starts[i] : self.stops[i]].decode() for i in words)

    def text_column(self, place):
        """Return the column of text that a run is in."""
        text = np.searchsorted(self.ends_of_texts, self.firsts[place], "right")
        return int(text) % self.n_columns


def hashed_runs(columns, ngrams, n_bits, stop_words):
    """Yield the runs of words of documents, of some after the other."""
    left_out = sorted(zlib.crc32(word.encode()) for word in words_to_leave_out(stop_words))
    left_out = np.array(left_out, dtype=np.int64)
    for start in range(0, max(1, len(columns[0])), _AT_ONCE):
        some = [each[start : start + _AT_ONCE] for each in columns]
        yield HashedRuns.find(some, ngrams, n_bits, left_out)
