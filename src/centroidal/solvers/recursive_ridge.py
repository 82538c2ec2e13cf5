r"""Features in the order in which ridge regression of the classes can do without them.

With standardised samples :math:`x_i` and a vector :math:`t_c` for each class, solve on the features
S that are left

    minimise  F_S(B) = sum_i ||t_{y_i} - x_i B||^2 + alpha ||B||^2,

leave out those that matter least, and solve again. Leaving out one feature j makes the optimum rise
by ``||B_j||^2 / P_jj``, with P the inverse of ``X_S^T X_S + alpha I``, which is at least
``alpha ||B_j||^2``. By that bound the features are halved as long as they are many; with more
features than samples it takes only inner products of the samples, so that all rounds together cost
as much as two products of all features. The last 64 leave one by one, by the rise itself, and the
penalty falls with their number: otherwise a copy of a good feature, which takes half of its penalty
off, would be worth more than a weaker feature that says something new.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..statistics.threads import with_limited_blas
from .ranking import WEIGHT_ROUNDING, rank_features

_ONE_BY_ONE = 64  # features from which on they leave one by one


def class_targets(counts):
    """Return a vector for each class, in rows, of which all samples together have the mean 0.

    They are the unit vectors, longer for rare classes, so that each class has the same say.
    """
    shares = counts / counts.sum()
    seen = np.divide(1.0, np.sqrt(shares), out=np.zeros_like(shares), where=shares > 0)
    targets = np.diag(seen)
    return targets - shares @ targets


@with_limited_blas(lambda rows, *_: rows.rows.shape)
def rank_by_elimination(rows, targets, alpha, gram=None, n_jobs=None):
    """Rank all features, those that stay longest first, and tell what each was worth.

    Parameters
    ----------
    rows : residuals
        Standardised samples, times the root of their weight.
    targets : ndarray of shape (n_samples, n_targets)
        What is predicted, centred, times the same.
    alpha : float
        Penalty.
    gram : ndarray of shape (n_samples, n_samples) or None
        Inner products of the samples, if they are known.
    n_jobs : int or None
        Number of threads for these products.

    Returns
    -------
    ranking : ndarray of int, shape (n_features,)
        Columns, the best first.
    worths : ndarray of shape (n_features,)
        By how much the optimum rose, or at least rose, when a column was left out, with the penalty
        of that moment; at least as much as for those that were left out before.
    """
    kept, left_out, rises = np.arange(rows.rows.shape[1]), [], []
    part = rows
    while kept.size > _ONE_BY_ONE:
        weights = _ridge_weights(part, targets, alpha, gram if part is rows else None, n_jobs)
        squares = np.einsum("ij,ij->i", weights, weights)
        order = rank_features(squares, WEIGHT_ROUNDING * squares.max())
        n_next = max(_ONE_BY_ONE, -(-kept.size // 2))
        left_out.append(kept[order[n_next:]])
        rises.append(alpha * squares[order[: n_next - 1 : -1]])
        kept = np.sort(kept[order[:n_next]])
        part = rows.take_columns(kept)
    order, each = _eliminate_singly(part.scatter(), part.pull_back(targets), alpha)
    ranking = np.concatenate([kept[order], *left_out[::-1]])
    worths = np.empty(ranking.size)
    worths[ranking[::-1]] = np.maximum.accumulate(np.concatenate([*rises, each[::-1]]))
    return ranking, worths


def _ridge_weights(rows, targets, alpha, gram, n_jobs):
    """Solve for features or for samples, whichever are fewer."""
    n_samples, n_features = rows.rows.shape
    if n_features > n_samples:
        gram = rows.gram(n_jobs) if gram is None else gram.copy()
        return rows.pull_back(_solve_ridge(gram, targets, alpha))
    return _solve_ridge(rows.scatter(), rows.pull_back(targets), alpha)


def _solve_ridge(products, right, alpha):
    products.flat[:: len(products) + 1] += alpha
    return cho_solve(cho_factor(products, overwrite_a=True, check_finite=False), right)


def _eliminate_singly(scatter, pulled, alpha):
    """Order few features, the best first, and tell by how much the optimum rose without each."""
    kept, order, rises = np.arange(len(scatter)), [], []
    while kept.size:
        share = alpha * min(1.0, kept.size / _ONE_BY_ONE)
        inverse = _solve_ridge(scatter[np.ix_(kept, kept)], np.eye(kept.size), share)
        weights = inverse @ pulled[kept]
        each = np.einsum("ij,ij->i", weights, weights) / inverse.diagonal()
        # Of those equal up to rounding the last column goes, so that the first one stays.
        place = np.flatnonzero(each <= each.min() + WEIGHT_ROUNDING * each.max())[-1]
        order.append(kept[place])
        rises.append(each[place])
        kept = np.delete(kept, place)
    return np.array(order[::-1]), np.array(rises[::-1])
