"""Folds by position: what a row gets depends on its class and its place there, not on batches."""

from typing import NamedTuple

import numpy as np

__all__ = ["PositionFolds"]

_WORDS_AT_A_TIME = 4  # that a Philox generator makes of one number


class PositionFolds(NamedTuple):
    """Deals the rows of each class to folds, one each in every run of as many rows as folds.

    In which order a run is dealt is drawn by a generator that can begin anywhere, so that the
    fold of a row is known from the number of rows of its class before it.
    """

    n_folds: int
    seed: int

    def folds_of(self, codes, n_before):
        """Return the fold of each row; `n_before` counts the rows of each class before them."""
        folds = np.empty(codes.size, dtype=np.int32)
        counts = np.bincount(codes, minlength=n_before.size)
        rows_by_class = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])
        for code in np.flatnonzero(counts):
            folds[rows_by_class[code]] = self._of_class(code, int(n_before[code]), counts[code])
        return folds

    def _of_class(self, code, start, n_rows):
        first, skipped = divmod(start, self.n_folds)
        n_runs = -(-(skipped + n_rows) // self.n_folds)
        words = self._words(code, first * self.n_folds, n_runs * self.n_folds)
        orders = np.argsort(words.reshape(n_runs, self.n_folds), axis=1, kind="stable")
        return orders.ravel()[skipped : skipped + n_rows]

    def _words(self, code, start, n_words):
        """Random words of a class, from a place on."""
        counter, skipped = divmod(start, _WORDS_AT_A_TIME)
        generator = np.random.Philox(key=[self.seed, code], counter=counter)
        return generator.random_raw(skipped + n_words)[skipped:]
