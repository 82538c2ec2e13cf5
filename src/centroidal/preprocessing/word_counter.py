"""Words of documents as features: counted, weighed, or hashed where they are too many to keep."""

from collections import Counter
from collections.abc import Sequence
from numbers import Integral
from typing import Literal, Self

import numpy as np
from scipy.sparse import csr_array, hstack
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from .. import _state as state
from .._data import check_as_given, check_finite, check_fitted
from .._parameters import check_count, check_flag, check_parameters, choice, number
from .._typing import Array, ArrayLike, Floats, WordWeight
from .words import (
    Vocabulary,
    as_documents,
    check_stop_words,
    document_columns,
    hashed_runs,
    index_type,
    words_to_leave_out,
)

__all__ = ["WordCounter", "WordHasher", "WordWeights"]


_check_length = number("an int", lambda value: 1 <= value <= 20, "lie between 1 and 20", Integral)


class _DocumentTransformer(TransformerMixin, BaseEstimator):
    """Takes documents: texts in one column, or in several of a data frame or an array."""

    _state = state.FEATURES
    _checks = {"ngrams": _check_length, "min_df": check_count, "stop_words": check_stop_words}

    def _read(self, X, reset):
        """Return the columns of documents, checked."""
        documents = as_documents(X)
        is_one = not reset and self.n_features_in_ == 1 and np.shape(documents)[1] == 1
        if not is_one:  # one column needs no name to be known by
            documents = check_as_given(self, documents, reset=reset)
        return document_columns(documents)

    def _prefixes(self):
        """Return what stands before the words of each column: nothing, if there is one."""
        if self.n_features_in_ == 1:
            return [""]
        names = getattr(self, "feature_names_in_", range(self.n_features_in_))
        return [f"{name}: " for name in names]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = True
        tags.input_tags.sparse = False
        return tags


class WordCounter(_DocumentTransformer):
    """Count the words of documents, and runs of words.

    Words are runs of letters and digits of any script, in small letters; in Chinese and Japanese
    each character is a word. Nothing is left out because it is frequent, unless you say so.

    Parameters
    ----------
    ngrams : int, default=2
        Longest run of words that is a feature: 1 for words alone, 2 for pairs as well; at most 20.
    min_df : int, default=2
        In how many documents a word or run must be to become a feature.
    stop_words : list of str, "english" or None, default=None
        Words to leave out, and with them the runs that they are in; "english" is the list of
        scikit-learn, in which *not* and *no* are. They are split as documents are: "don't" is *don*
        and *t*.

    Attributes
    ----------
    n_features_in_, feature_names_in_ : int, ndarray of str
        Number of columns of text, and their names where documents come in a data frame.

    See Also
    --------
    WordWeights : Makes TF-IDF of counts.
    WordHasher : Remembers no words, for documents that do not fit in memory.

    Notes
    -----
    Words of more than 100 characters, such as keys and encoded files, are left out. Features are in
    the order of the alphabet, words first, then pairs; with several columns the name of the column
    stands before its words.

    Examples
    --------
    >>> from centroidal.preprocessing import WordCounter
    >>> counter = WordCounter(min_df=2)
    >>> counts = counter.fit_transform(["Not good.", "Good, not bad", "Not good at all"])
    >>> counter.get_feature_names_out().tolist()
    ['good', 'not', 'not good']
    >>> counts.toarray().tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
    """

    _state = {"_vocabularies": state.sequence(state.part(Vocabulary))}

    def __init__(
        self,
        ngrams: int = 2,
        min_df: int = 2,
        stop_words: Sequence[str] | Literal["english"] | None = None,
    ) -> None:
        self.ngrams = ngrams
        self.min_df = min_df
        self.stop_words = stop_words

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Find the words.

        Parameters
        ----------
        X : list, array, series or data frame of str
            Documents, in one column or several.
        y : None
            Not used.

        Returns
        -------
        self
            Fitted transformer.
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: ArrayLike, y: object = None) -> csr_array:
        """Find the words, and count them.

        Parameters
        ----------
        X : list, array, series or data frame of str
            Documents, in one column or several.
        y : None
            Not used.

        Returns
        -------
        csr_array of shape (n_documents, n_words)
            How often each word, or run of words, is in each document.
        """
        check_parameters(self)
        columns = self._read(X, reset=True)
        left_out = words_to_leave_out(self.stop_words)
        found = [Vocabulary.learn(each, self.ngrams, self.min_df, left_out) for each in columns]
        self._vocabularies = [vocabulary for vocabulary, _ in found]
        counts = hstack([part for _, counts in found for part in counts], "csr")
        if counts.shape[1] == 0:
            raise ValueError(
                f"no word is in min_df={self.min_df} documents; there is nothing to count."
            )
        return csr_array(counts)

    def transform(self, X: ArrayLike) -> csr_array:
        """Count the words that were found in `fit`.

        Parameters
        ----------
        X : list, array, series or data frame of str
            Documents, in as many columns as there were.

        Returns
        -------
        csr_array of shape (n_documents, n_words)
            How often each word, or run of words, is in each document.
        """
        check_fitted(self)
        columns = self._read(X, reset=False)
        pairs = zip(self._vocabularies, columns, strict=True)
        parts = [part for vocabulary, each in pairs for part in vocabulary.count(each)]
        return csr_array(hstack(parts, "csr"))

    def get_feature_names_out(self, input_features: object = None) -> Array:
        """Return the words, and runs of words.

        Parameters
        ----------
        input_features : None
            Not used.

        Returns
        -------
        ndarray of str
            Words as features.
        """
        check_fitted(self)
        pairs = zip(self._prefixes(), self._vocabularies, strict=True)
        return np.array(
            [f"{prefix}{term}" for prefix, each in pairs for term in each.list_terms()],
            dtype=object,
        )

    def _check_relations(self, sizes):
        if len(self._vocabularies) != self.n_features_in_:
            raise state.StateError("has no vocabulary for each column", "_vocabularies")


class WordHasher(_DocumentTransformer):
    """Give words of documents, and runs of words, columns by a hash; nothing is remembered.

    For documents that do not fit in memory. Two words may share a column; with 2**18 columns and
    some hundred words that matter this is rare. Values are 1 + log(count), and rows have unit
    length.

    Parameters
    ----------
    n_bits : int, default=18
        There are 2**n_bits columns; between 4 and 24.
    ngrams : int, default=2
        Longest run of words that is a feature, at most 20.
    stop_words : list of str, "english" or None, default=None
        Words to leave out, and with them the runs that they are in, as in :class:`WordCounter`.

    Attributes
    ----------
    n_features_in_, feature_names_in_ : int, ndarray of str
        Number of columns of text, and their names where documents come in a data frame.

    See Also
    --------
    WordCounter : Remembers the words.

    Examples
    --------
    >>> from centroidal.preprocessing import WordHasher
    >>> hasher = WordHasher(n_bits=10)
    >>> hashed = hasher.fit_transform(["Not good.", "Good, not bad"])
    >>> hashed.shape, hashed.indptr.tolist()
    ((2, 1024), [0, 3, 8])
    >>> hasher.find_words(["Not good."], hashed[[0]].indices)
    {'not': (...), 'good': (...), 'not good': (...)}
    """

    _checks = {
        "n_bits": number("an int", lambda value: 4 <= value <= 24, "lie between 4 and 24", int),
        "ngrams": _check_length,
        "stop_words": check_stop_words,
    }

    def __init__(
        self,
        n_bits: int = 18,
        ngrams: int = 2,
        stop_words: Sequence[str] | Literal["english"] | None = None,
    ) -> None:
        self.n_bits = n_bits
        self.ngrams = ngrams
        self.stop_words = stop_words

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Check the documents; nothing is learned.

        Parameters
        ----------
        X : list, array, series or data frame of str
            Documents, in one column or several.
        y : None
            Not used.

        Returns
        -------
        self
            The transformer.
        """
        check_parameters(self)
        self._read(X, reset=True)
        return self

    def transform(self, X: ArrayLike) -> csr_array:
        """Hash the words of documents.

        Parameters
        ----------
        X : list, array, series or data frame of str
            Documents.

        Returns
        -------
        csr_array of shape (n_documents, 2**n_bits)
            1 + log(count) of the words in each column, rows of unit length.
        """
        check_fitted(self)
        return self.hash_columns(self._read(X, reset=False))

    def hash_columns(self, columns: Sequence[Sequence[str | bytes]]) -> csr_array:
        """Hash the words of documents that are given as lists of texts, one a column.

        Parameters
        ----------
        columns : list of list of str or bytes
            Documents, or their UTF-8.

        Returns
        -------
        csr_array of shape (n_documents, 2**n_bits)
            As of `transform`.
        """
        values, indices, indptr = zip(*(some.weigh() for some in self._runs(columns)), strict=True)
        counts = np.concatenate([np.diff(each) for each in indptr])
        ends = np.append(0, np.cumsum(counts))
        ends = ends.astype(index_type(ends[-1]))
        shape = (counts.size, 2**self.n_bits)
        return csr_array((np.concatenate(values), np.concatenate(indices), ends), shape=shape)

    def _runs(self, columns):
        return hashed_runs(columns, self.ngrams, self.n_bits, self.stop_words)

    def find_words(self, X: ArrayLike, columns: ArrayLike) -> dict[str, tuple[int, int]]:
        """Find the words behind columns, among those of documents.

        Parameters
        ----------
        X : list, array, series or data frame of str
            Documents.
        columns : array-like of int
            Columns of what `transform` returns.

        Returns
        -------
        dict of str to (int, int)
            The words and runs that have one of these columns: it, and how often they occur.
        """
        check_fitted(self)
        return self.find_in_columns(document_columns(X), columns)

    def find_in_columns(
        self, texts: Sequence[Sequence[str | bytes]], columns: ArrayLike
    ) -> dict[str, tuple[int, int]]:
        """Do what `find_words` does for documents as `hash_columns` takes them.

        Parameters
        ----------
        texts : list of list of str or bytes
            Documents, a list for each column of text.
        columns : array-like of int
            Columns of what `transform` returns.

        Returns
        -------
        dict of str to (int, int)
            As of `find_words`.
        """
        is_wanted = np.zeros(2**self.n_bits, dtype=bool)
        is_wanted[np.asarray(columns)] = True
        found, prefixes = Counter(), self._prefixes()
        for runs in self._runs(texts):
            hits = np.flatnonzero(is_wanted[runs.columns])
            _, firsts, counts = np.unique(runs.hashes[hits], return_index=True, return_counts=True)
            for place, count in zip(hits[firsts].tolist(), counts.tolist(), strict=True):
                term = prefixes[runs.text_column(place)] + runs.term(place)
                found[term, int(runs.columns[place])] += count
        return {term: (column, count) for (term, column), count in found.items()}


class WordWeights(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Weigh counts of words: what is rare in documents weighs more (TF-IDF).

    Words that are in fewer than `min_df` documents of training get the weight 0, as if they were
    not known. So counts of all documents can be made once, and all that is learned of documents is
    learned here, inside the folds of a cross-validation.

    Parameters
    ----------
    kind : {"tfidf", "counts"}, default="tfidf"
        "tfidf": counts times ``log((1 + n) / (1 + df)) + 1``, of n documents and the df among them
        that hold the word; then rows get unit length, so that long documents weigh no more than
        short ones. "counts": counts as they are.
    min_df : int, default=1
        In how many documents a word must be.
    sublinear : bool, default=False
        Whether ``1 + log(count)`` stands for a count: the tenth occurrence tells less than the
        first.

    Attributes
    ----------
    weights_ : ndarray of shape (n_words,)
        What counts are multiplied by.
    n_features_in_ : int
        Number of words.

    See Also
    --------
    WordCounter : Counts words.

    Examples
    --------
    >>> from centroidal.preprocessing import WordWeights
    >>> weights = WordWeights(kind="counts", min_df=2).fit([[2, 1], [1, 0]])
    >>> weights.transform([[5, 5]]).toarray().tolist()
    [[5.0, 0.0]]
    """

    weights_: Floats

    _state = state.FEATURES | {"weights_": state.floats("features", least=0.0)}
    _checks = {"kind": choice(WordWeight), "min_df": check_count, "sublinear": check_flag}

    def __init__(
        self, kind: WordWeight = "tfidf", min_df: int = 1, sublinear: bool = False
    ) -> None:
        self.kind = kind
        self.min_df = min_df
        self.sublinear = sublinear

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn the weights of words.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Counts of words.
        y : None
            Not used.

        Returns
        -------
        self
            Fitted transformer.
        """
        check_parameters(self)
        counts = self._read(X, reset=True)
        present = counts.indices[counts.data > 0]
        frequency = np.bincount(present, minlength=counts.shape[1])
        weights = np.ones(frequency.size)
        if self.kind == "tfidf":
            weights += np.log((1.0 + counts.shape[0]) / (1.0 + frequency))
        self.weights_ = np.where(frequency >= self.min_df, weights, 0.0)
        return self

    def transform(self, X: ArrayLike) -> csr_array:
        """Weigh counts.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Counts of words.

        Returns
        -------
        csr_array of shape (n_documents, n_words)
            Weighted counts.
        """
        check_fitted(self)
        counts = self._read(X, reset=False)
        values = counts.data * self.weights_[counts.indices]
        if self.sublinear:
            is_there = counts.data > 0
            logs = np.log(counts.data, out=np.zeros_like(counts.data), where=is_there)
            values = np.where(is_there, (1.0 + logs) * self.weights_[counts.indices], 0.0)
        found = csr_array((values, counts.indices, counts.indptr), shape=counts.shape)
        if self.kind == "tfidf":
            lengths = np.sqrt(found.power(2).sum(axis=1))
            found.data /= np.repeat(np.where(lengths > 0.0, lengths, 1.0), np.diff(found.indptr))
        return found

    def _read(self, X, reset):
        counts = csr_array(check_as_given(self, X, reset=reset), dtype=np.float64)
        check_finite(self, counts)
        if (counts.data < 0).any():
            raise ValueError("X holds negative values; counts of words are not negative.")
        return counts

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
