"""Methods that choose features: ours, those the paper compares with, and what is at hand.

Every method is a function ``select(X, y, sizes)`` that returns one `Chosen` for each number of
features in `sizes` (ascending). `seconds` is what that choice would cost on its own: a method
that ranks all features once pays the same for every size, a path pays up to the penalty it needs.
The labels are 0 and 1.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, issparse
from scipy.special import xlogy
from sklearn.feature_selection import RFE, chi2, f_classif
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.svm import l1_min_c

from centroidal import SparseCenterClassifier

__all__ = ["GENE_METHODS", "TEXT_METHODS", "Chosen", "Method", "sparse_centers"]

N_BISECTIONS = 40
N_PENALTIES = 25
SPAN_OF_PENALTIES = 1e4
RFE_STEP = 0.25


class Chosen(NamedTuple):
    """Columns a method chose (at times fewer than asked for) and the seconds it took."""

    columns: np.ndarray
    seconds: float


class Method(NamedTuple):
    """A way to choose features.

    `role` is "ours", "paper" (a rival of the paper, under its protocol) or "instead" (what a
    user would pick instead); `reads` is the form of the data it gets: "scaled", "shifted" to be
    non-negative after scaling, or the "counts" as they came.
    """

    name: str
    select: Callable
    role: str
    reads: str = "scaled"
    is_slow: bool = False


def select_by_ranking(rank, X, y, sizes):
    """Rank all features once; the ranking serves every size."""
    start = time.perf_counter()
    ranking = rank(X, y)
    seconds = time.perf_counter() - start
    return [Chosen(ranking[:size], seconds) for size in sizes]


def sparse_centers(metric):
    """Return the ranking of our classifier, which holds the optimum for every size."""
    return partial(select_by_ranking, partial(rank_by_centers, metric))


def rank_by_centers(metric, X, y):
    return SparseCenterClassifier(X.shape[1], metric=metric, n_jobs=1).fit(X, y).feature_ranking_


def rank_by_score(score, X, y):
    """Rank by a score of scikit-learn; features without a score come last."""
    values = np.nan_to_num(score(X, y)[0], nan=-np.inf)
    return np.argsort(-values, kind="stable")


def rank_by_odds_ratio(X, y):
    """Rank by how far the odds of a feature differ between the classes, in either direction."""
    odds = [(t + 1) / (t.sum() + len(t) - t - 1) for t in class_totals(X, y)]
    return np.argsort(-np.abs(np.log(odds[1] / odds[0])), kind="stable")


def class_totals(X, y):
    """Sum the non-negative features over each of the two classes."""
    return [np.asarray(X[y == code].sum(axis=0)).ravel() for code in (0, 1)]


def select_by_naive_bayes(X, y, sizes):
    """Sparse multinomial naive Bayes of Askari, d'Aspremont and El Ghaoui.

    With class totals f and g, the likelihood is maximal over distributions p and q that differ
    in at most k features. The multipliers of "p and q sum to 1" enter the dual only through
    their proportion a, and what feature i gains by having its own p_i and q_i is

        h_i(a) = f_i log f_i + g_i log g_i - (f_i + g_i) log(f_i + g_i)
                 - f_i log a - g_i log(1 - a)  >= 0,

    so the dual is to minimise the sum of the k largest h_i(a) over 0 < a < 1: convex, in one
    variable. The k largest at its minimum are the features of the primal solution.
    """
    start = time.perf_counter()
    g, f = class_totals(X, y)
    entropy = xlogy(f, f) + xlogy(g, g) - xlogy(f + g, f + g)
    shared = time.perf_counter() - start
    return [time_naive_bayes(f, g, entropy, size, shared) for size in sizes]


def time_naive_bayes(f, g, entropy, size, shared_seconds):
    start = time.perf_counter()
    columns = largest_gains(f, g, entropy, size)
    return Chosen(columns, shared_seconds + time.perf_counter() - start)


def largest_gains(f, g, entropy, size):
    """Bisect on the sign of the dual's derivative, -f(S)/a + g(S)/(1-a) for the k largest S."""
    low, high = 0.0, 1.0
    for _ in range(N_BISECTIONS):
        a = (low + high) / 2
        gains = entropy - f * np.log(a) - g * np.log1p(-a)
        largest = np.argpartition(-gains, size - 1)[:size]
        is_left_of_minimum = f[largest].sum() * (1 - a) > g[largest].sum() * a
        low, high = (a, high) if is_left_of_minimum else (low, a)
    return largest


def select_by_l1_logistic(X, y, sizes):
    """Weaken the penalty until enough coefficients are not zero; keep the largest of them."""
    weakest = l1_min_c(X, y, loss="log")
    path = weakest * np.geomspace(1, SPAN_OF_PENALTIES, N_PENALTIES)
    return select_along_path(partial(l1_logistic_coefficients, X, y), path, sizes)


def l1_logistic_coefficients(X, y, C):
    model = LogisticRegression(l1_ratio=1, C=C, solver="liblinear", random_state=0)
    return model.fit(X, y).coef_[0]


def select_by_lasso(X, y, sizes):
    """Follow the lasso path of the codes 0 and 1, as `select_by_l1_logistic` does."""
    X = csc_array(X) if issparse(X) else np.asfortranarray(X)
    centred = y - y.mean()
    strongest = np.abs(X.T @ centred).max() / len(y)
    path = strongest / np.geomspace(1, SPAN_OF_PENALTIES, N_PENALTIES)
    model = Lasso(warm_start=True, tol=1e-3)
    return select_along_path(
        lambda alpha: model.set_params(alpha=alpha).fit(X, centred).coef_, path, sizes
    )


def select_along_path(coefficients_at, path, sizes):
    """Walk a path of ever weaker penalties; sizes it never reaches get all it has found."""
    chosen, start = [], time.perf_counter()
    for penalty in path:
        weights = np.abs(coefficients_at(penalty))
        ranking = np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)]
        while len(chosen) < len(sizes) and len(ranking) >= sizes[len(chosen)]:
            chosen.append(Chosen(ranking[: sizes[len(chosen)]], time.perf_counter() - start))
        if len(chosen) == len(sizes):
            return chosen
    last = Chosen(ranking, time.perf_counter() - start)
    return chosen + [last] * (len(sizes) - len(chosen))


def select_by_elimination(X, y, sizes):
    """Logistic regression with recursive elimination, from all features down to each size.

    The penalty is scikit-learn's default, C=1. On the scaled bag of words that is too weak: in a
    trial on three splits C=0.001 chose clearly better, about as well as C=1 on unscaled counts,
    which is why the latter is among the methods too.
    """
    start, kept, chosen = time.perf_counter(), np.arange(X.shape[1]), []
    for size in sizes[::-1]:
        model = LogisticRegression(solver="lbfgs", max_iter=200)
        eliminated = RFE(model, n_features_to_select=size, step=RFE_STEP).fit(X[:, kept], y)
        kept = kept[eliminated.support_]
        chosen.append(Chosen(kept, time.perf_counter() - start))
    return chosen[::-1]


def ranking_by(score):
    return partial(select_by_ranking, partial(rank_by_score, score))


odds_ratio = partial(select_by_ranking, rank_by_odds_ratio)

OURS = [
    Method("l2-SC", sparse_centers("l2"), "ours"),
    Method("l1-SC", sparse_centers("l1"), "ours"),
]
RIVALS = [
    Method("SMNB", select_by_naive_bayes, "paper", "shifted"),
    Method("odds ratio", odds_ratio, "paper", "shifted"),
    Method("logistic-l1", select_by_l1_logistic, "paper", is_slow=True),
    Method("logistic-RFE", select_by_elimination, "paper", is_slow=True),
    Method("lasso", select_by_lasso, "paper", is_slow=True),
]
F_TEST = Method("f_classif", ranking_by(f_classif), "instead")

TEXT_METHODS = (
    OURS
    + RIVALS
    + [
        F_TEST,
        Method("chi2, counts", ranking_by(chi2), "instead", "counts"),
        Method("SMNB, counts", select_by_naive_bayes, "instead", "counts"),
        Method("odds ratio, counts", odds_ratio, "instead", "counts"),
        Method("logistic-RFE, counts", select_by_elimination, "instead", "counts", is_slow=True),
    ]
)
GENE_METHODS = OURS + RIVALS + [F_TEST, Method("chi2", ranking_by(chi2), "instead", "shifted")]
