"""Which feature is better: the one rule by which everything here ranks features.

Scores that are equal in exact arithmetic differ in the last digits, by the order of rows, chunks or
threads. So each score comes with a bound of its error, and scores tie whose intervals
``score +- error`` have a point in common. Ties go by column. "May be equal" is not transitive, so
groups are cut from the top: a group begins with the best score that is left and takes further ones,
in order, as long as one point remains that is in the intervals of all. Chains cannot grow, and a
score that is hardly known makes no others tie; rounding to so many digits would part equal scores.
What that guarantees is in docs/mathematics/sparse_centers.rst.

Sums over n rows err by up to n times 1.1e-16 of their terms, whole numbers not at all; a mean that
is merged n times by up to n / 4 times 1.1e-16 of its size. In either case most of that cancels.
`ROUNDING` is 9000 times 1.1e-16, and far below what a sample of any size tells about a mean.
"""

import numpy as np

from . import _loops

ROUNDING = 1e-12  # share of the size of the data, or of a score, that may be rounding

WEIGHT_ROUNDING = 1e-9  # the same of weights that solve equations together, of the largest


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
