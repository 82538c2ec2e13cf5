"""Counts of words -> weights, learned from documents."""

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from .. import _state as state
from .._data import check_as_given, check_finite, check_fitted
from .._parameters import check_count, check_flag, check_parameters, choice

__all__ = ["WordWeights"]


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

    _state = state.FEATURES | {"weights_": state.floats("features", least=0.0)}
    _checks = {"kind": choice("tfidf", "counts"), "min_df": check_count, "sublinear": check_flag}

    def __init__(self, kind="tfidf", min_df=1, sublinear=False):
        self.kind = kind
        self.min_df = min_df
        self.sublinear = sublinear

    def fit(self, X, y=None):
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

    def transform(self, X):
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
