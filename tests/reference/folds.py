"""Outer folds by plain loops: row after row is dealt, with the words of its class drawn anew."""

import numpy as np


def slow_folds(codes, n_folds, seed):
    """Deal row after row, with all random words of a class drawn from the beginning.

    Rows that are left of a class get the folds after those that the classes before it got.
    """
    folds = []
    for row, code in enumerate(codes):
        n_before, n_rows = codes[:row].count(code), codes.count(code)
        n_runs = n_before // n_folds + 1
        words = np.random.Philox(key=[seed, code]).random_raw(n_runs * n_folds).tolist()
        run, dealt = words[-n_folds:], list(range(n_folds))
        if n_runs * n_folds > n_rows:
            n_given = sum(codes.count(other) % n_folds for other in range(code))
            dealt = [(n_given + i) % n_folds for i in range(n_rows % n_folds)]
        order = sorted(range(len(dealt)), key=run.__getitem__)
        folds.append(dealt[order[n_before % n_folds]])
    return np.array(folds)


def cut_repeats(y, n_folds, n_repeats, seed):
    """Training and test samples of the folds of all repeats, each with a seed of its own."""
    codes = np.unique(y, return_inverse=True)[1].tolist()
    folds = []
    for repeat in range(n_repeats):
        numbers = slow_folds(codes, n_folds, seed + repeat * 2**32)
        folds += [
            (np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold))
            for fold in range(n_folds)
        ]
    return folds
