"""Score against the number of features, with the selection inside the folds."""

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from .._data import LabelledData, check_labels, rows_of
from .._parameters import check_classifier, check_jobs, number
from .._typing import ArrayLike, Estimator, Folds, RandomState, Scorer
from .feature_flow import last_step
from .metrics import Scoring, check_scoring
from .nested import check_feature_grid, score_path, score_table
from .procedures import RankedPath
from .random_features import scaled_logistic
from .repeatable import draw_seeds, run_jobs
from .splits import list_folds, size_ratio

__all__ = ["SelectionCurve", "selection_curve"]

_GRID_POINTS = 15
_MOST_FEATURES = 5000  # that are tried if no numbers are given
_ASKING = type("selection_curve", (BaseEstimator,), {})()  # whom messages about X and y speak of


@dataclass(frozen=True, eq=False)
class SelectionCurve:
    """Scores against the number of features, as :func:`selection_curve` finds them.

    Attributes
    ----------
    selector_name, score_name : str
        Class of the selector, and what the folds were scored by.
    table : dict of ndarray
        A row for each number of features: ``n_features``, ``mean_test_score``,
        ``std_test_score``, ``se_test_score`` and one ``split*_test_score`` a fold;
        ``pandas.DataFrame(table)`` shows it.
    random_table : dict of ndarray or None
        The same for features that were drawn at random, averaged over the draws in each fold; None
        without draws.
    rankings : ndarray of int, shape (n_folds, n_features)
        In each fold all features from the best to the worst.
    overlap : ndarray of shape (n_sizes,)
        For each number of features the share of them that two folds have in common, averaged over
        all pairs of folds. Random features would have a share of k out of m in common. NaN if there
        is one fold only.
    """

    selector_name: str
    score_name: str
    table: dict[str, np.ndarray] = field(repr=False)
    random_table: dict[str, np.ndarray] | None = field(repr=False)
    rankings: np.ndarray = field(repr=False)
    overlap: np.ndarray = field(repr=False)


def selection_curve(
    selector: Estimator | dict[str, Any],
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_features_grid: ArrayLike | int | None = None,
    estimator: Estimator | None = None,
    cv: Folds = 5,
    scoring: Scorer = None,
    n_random: int = 10,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> SelectionCurve | dict[str, SelectionCurve]:
    """Score a classifier on the best features of a selector, for many numbers of features.

    In each fold the selector is fitted once, to the training set alone, and ranks all features.
    For each number k a classifier is fitted to the first k features of the training set and scored
    on the test set. Features that were ranked by looking at the test set as well would make any
    selector look good, even one that has found nothing.

    Beside it stand *random features*: the same with rankings drawn at random. A selector that is
    not above them has not earned its keep.

    Parameters
    ----------
    selector : estimator or dict of str to estimator
        What ranks the features, with an attribute after `fit` which is, in this order,
        ``feature_ranking_`` (columns from the best to the worst, as all selectors here have),
        ``ranking_`` (1 is best, as in :class:`~sklearn.feature_selection.RFE`), ``scores_``
        (higher is better, NaN comes last, as in :class:`~sklearn.feature_selection.SelectKBest`),
        ``coef_`` (norm over the classes) or ``feature_importances_``. Of a pipeline the last step
        ranks; the steps before it must keep the features and their order. A dict of selectors is
        compared on the same folds and the same random features.
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Samples. Selector and classifier are given parts of it, of the same type.
    y : array-like of shape (n_samples,)
        Class labels, of any type.
    n_features_grid : int, array-like of int or None, default=None
        Numbers of features to try: an array, or how many values on a log scale. None tries 15,
        from 1 to all features, or to 5000 if there are more.
    estimator : classifier or None, default=None
        What is scored. None is logistic regression on features of unit variance.
    cv : int, cross-validation generator or iterable, default=5
        As in scikit-learn; a number is of stratified folds.
    scoring : str, callable or None, default=None
        Scorer of scikit-learn; None is accuracy.
    n_random : int, default=10
        Number of random rankings in each fold; 0 leaves them out.
    groups : array-like of shape (n_samples,), default=None
        Groups for a splitter that keeps them together.
    n_jobs : int or None, default=None
        Number of processes, over the folds and selectors. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed or source of the random rankings. Selector, estimator and splitter have their own.

    Returns
    -------
    SelectionCurve or dict of str to SelectionCurve
        Tables of scores, the rankings, and how much they have in common; one for each selector.

    See Also
    --------
    centroidal.inspection.SelectionCurveDisplay : Draws it.
    SparseCenterClassifierCV : Chooses the number of features of a classifier that selects itself.

    Notes
    -----
    Each number on the curve is honest: no test sample had a part in it. The highest of them is not,
    because it was picked by these scores; :func:`select_features` scores the choice as well.

    Selected features keep the order of their columns, so all features are the same model for every
    selector. Equal scores are ranked by column. RFE ranks the features it leaves all as 1; they
    follow the importance that its last model gives them, or their column if it gives none.

    Time is that of one fit of the selector a fold and of ``n_random + 1`` fits of the classifier a
    fold and number of features.

    Examples
    --------
    >>> from centroidal import ReliefFSelector
    >>> from centroidal.datasets import make_expression
    >>> from centroidal.model_selection import selection_curve
    >>> genes = make_expression(90, 100, n_informative=8, random_state=0)
    >>> X, y = genes.data, genes.target
    >>> curve = selection_curve(
    ...     ReliefFSelector(), X, y, n_features_grid=[1, 8, 100], n_random=3, random_state=0
    ... )
    >>> curve.table["n_features"]
    array([  1,   8, 100])
    >>> gain = curve.table["mean_test_score"] - curve.random_table["mean_test_score"]
    >>> bool(gain[1] > 0.2), float(gain[2])
    (True, 0.0)
    >>> curve.rankings.shape
    (5, 100)
    """
    selectors = selector if isinstance(selector, dict) else {None: selector}
    _check_selectors(selectors)
    _check_n_random("n_random", n_random)
    check_jobs(n_jobs)
    scoring, rng = check_scoring(scoring), check_random_state(random_state)
    if estimator is not None:
        check_classifier("estimator", estimator)
    if y is None:
        raise ValueError("y=None must hold the class of each sample.")
    data = check_labels(_ASKING, X, y)
    most = min(data.features.number, _MOST_FEATURES) if np.ndim(n_features_grid) == 0 else None
    sizes = check_feature_grid(n_features_grid, most or data.features.number, _GRID_POINTS)
    folds = list_folds(cv, data.X, data.classes[data.codes], groups=groups)

    model = scaled_logistic(issparse(data.X)) if estimator is None else estimator
    trial = _Trial(data, sizes, model, scoring)
    tried, drawn = _run(trial, selectors.values(), folds, n_random, rng, n_jobs)

    columns = {"n_features": sizes}
    ratio = size_ratio(folds)
    random_table = score_table(columns, np.array(drawn), ratio) if n_random else None
    curves = {}
    for (name, each), results in zip(selectors.items(), tried, strict=True):
        rankings, scores = map(np.array, zip(*results, strict=True))
        curves[name] = SelectionCurve(
            selector_name=type(last_step(each)).__name__,
            score_name=scoring.name,
            table=score_table(columns, scores, ratio),
            random_table=random_table,
            rankings=rankings,
            overlap=_overlap(rankings, sizes),
        )
    return curves if isinstance(selector, dict) else curves[None]


# ------------------------------------------------------------------ what is asked for


def _check_selectors(selectors):
    if not selectors:
        raise ValueError("selector={} must hold at least one selector.")
    for selector in selectors.values():
        is_empty = isinstance(selector, Pipeline) and not selector.steps
        last = None if is_empty else last_step(selector)
        if (
            isinstance(last, type)
            or not hasattr(last, "fit")
            or not hasattr(selector, "get_params")
        ):
            raise TypeError(
                f"selector={selector!r} must be an estimator that ranks features, a pipeline that "
                "ends with one, or a dict of them."
            )


_check_n_random = number(
    "an int, 0 for no random features", lambda value: value >= 0, "be at least 0", Integral
)


# ------------------------------------------------------------------ one fold


class _Trial(NamedTuple):
    """What all folds have in common."""

    data: LabelledData
    sizes: np.ndarray
    estimator: BaseEstimator
    scoring: Scoring

    def score(self, path, test):
        return score_path(path, self.data, test, self.scoring)


def _try_selector(trial, selector, train, test):
    """Rank the features by the training samples; return that, and the score of each size."""
    path = RankedPath.fit(selector, [trial.estimator], trial.data, train, trial.sizes)
    return path.ranking, trial.score(path, test)


def _try_random(trial, n_random, seed, train, test):
    """Mean score of random features, for each number of them."""
    rng, n_features = np.random.RandomState(seed), trial.data.features.number
    X, labels = rows_of(trial.data.X, train), trial.data.classes[trial.data.codes[train]]
    scores = []
    for _ in range(n_random):
        drawn = rng.permutation(n_features)
        path = RankedPath(drawn, [trial.estimator], X, labels, trial.sizes)
        scores.append(trial.score(path, test))
    return np.mean(scores, axis=0)


def _overlap(rankings, sizes):
    """Mean share of the first features that two folds have in common."""
    n_folds, n_features = rankings.shape
    if n_folds < 2:
        return np.full(sizes.size, np.nan)
    n_pairs = n_folds * (n_folds - 1) / 2
    shares = []
    for size in sizes:
        times = np.bincount(rankings[:, :size].ravel(), minlength=n_features)
        shares.append((times * (times - 1) / 2).sum() / (n_pairs * size))
    return np.array(shares)


# ------------------------------------------------------------------ all folds


def _run(trial, selectors, folds, n_random, rng, n_jobs):
    """Results of the folds: a list for each selector, and the scores of random features."""
    jobs = [(trial, each, *fold) for each in selectors for fold in folds]
    found = list(run_jobs(_try_selector, jobs, n_jobs))
    tried = [found[i : i + len(folds)] for i in range(0, len(jobs), len(folds))]
    if not n_random:
        return tried, []
    seeds = zip(draw_seeds(rng, len(folds)).tolist(), folds, strict=True)
    jobs = [(trial, n_random, seed, *fold) for seed, fold in seeds]
    return tried, list(run_jobs(_try_random, jobs, n_jobs))
