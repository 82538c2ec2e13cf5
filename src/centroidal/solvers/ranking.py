r"""Which feature is better: the one rule by which everything here ranks features.

Scores that are equal in exact arithmetic differ in floating point, by what the order of the rows,
chunks, threads or the storage of the data make of the last digits. A plain sort would let those
decide. So each score comes with a bound of its error, and scores tie whose intervals

.. math:: [s_j - e_j, s_j + e_j]

have a point in common: they may all be the same number. Ties go by column. "May be equal" is not
transitive, so groups are cut from the top: a group begins with the best score that is left and
takes further ones, in order, as long as one point remains that is in the intervals of all.

* Scores that are equal in exact arithmetic have that point. The bounds are thousands of times what
  rounding does, so that their group is the same however it falls; only another score at nearly
  twice the bound from them could part them.
* No feature comes before one whose score is higher by more than both bounds together. Chains, as
  groups of neighbours closer than a tolerance would form, cannot grow beyond that. Nor can a score
  that is hardly known, with its wide interval, make others tie that are known well.
* Rounding to so many digits instead would cut between equal scores wherever they happen to lie at
  the border of two roundings.

Sums over n rows err by up to n times 1.1e-16 of their terms, whole numbers not at all; a mean that
is merged n times by up to n / 4 times 1.1e-16 of its size. In either case most of that cancels.
`ROUNDING` is 9000 times 1.1e-16, and far below what a sample of any size tells about a mean.
"""

import numpy as np

__all__ = ["ROUNDING", "rank_features", "scaled_errors"]

ROUNDING = 1e-12  # share of the size of the data, or of a score, that may be rounding


def rank_features(scores, errors=None, order=None):
    """Columns by decreasing score; those that tie by position, or as they come in `order`.

    Infinite scores are equal, NaN comes last. `errors` bound what rounding does to the scores; a
    share of each score if not given.
    """
    scores = np.where(np.isnan(scores), -np.inf, scores)
    errors = ROUNDING * np.abs(scores) if errors is None else errors
    errors = np.where(np.isfinite(scores), errors, 0.0)
    if order is None:
        return _rank(scores, errors)
    return order[_rank(scores[order], errors[order])]


def _rank(scores, errors):
    from . import _loops

    ranking = np.argsort(-scores)
    groups = np.empty(ranking.size, dtype=np.intp)
    _loops.number_ties(scores, errors, ranking, groups)
    if groups[-1] + 1 == ranking.size:
        return ranking  # nothing ties
    # Group and column as one number: a sort of pairs takes five times as long.
    return np.sort(groups * ranking.size + ranking) % ranking.size


def scaled_errors(sizes, scale, scores):
    """Bound the errors of scores that are differences of values over a scale.

    A difference is known up to a share of the size of the values. So is a scale that was estimated
    from them, and a share of the scale is the same share of the score.
    """
    errors = ROUNDING * sizes / scale
    return np.where(scale == 1.0, errors, errors * (1.0 + scores))
