"""Honest comparison of classifiers: everything is chosen inside the folds, the folds are shared.

The file goes from the question to the answer: what is asked for (`compare`, `iter_comparison`),
one member in one fold, the answer (`Comparison`), the line-up of whom to compare.
"""

import platform
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import scipy
import sklearn
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_selection import SelectKBest, SelectorMixin, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import check_random_state
from sklearn.utils.fixes import parse_version
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import ThreadpoolController

from .._validation import (
    check_as_given,
    check_choice,
    check_classifier,
    check_count,
    check_fitted,
    check_jobs,
    check_labelled,
    check_labels,
    check_n_features_to_select,
)
from ..encoders import SparseCentroidEncoder
from ..feature_selection import L21CentroidSelector, LinearCentroidEncoder, ReliefFSelector
from ._folds import list_folds
from ._parts import columns_of, rows_of
from ._rankings import last_step
from .disjoint_centroid_cv import DisjointCentroidClassifierCV
from .fisher_subspace_cv import FisherSubspaceClassifierCV
from .path import score_name
from .sparse_center_cv import SparseCenterClassifierCV

__all__ = [
    "Comparison",
    "ComparisonInterrupted",
    "ComparisonRun",
    "FoldResult",
    "RandomFeaturesClassifier",
    "compare",
    "comparison_lineup",
    "iter_comparison",
]

_N_REPEATS = 3  # of a number of folds, if nothing is said
_INNER_FOLDS = 5
_NUMBERS_OF_FEATURES = (4, 16, 64, 256)
_LARGEST_SEED = np.iinfo(np.int32).max
_STRATEGIES = ("mean", "median", "most_frequent")
_ASKING = type("compare", (BaseEstimator,), {})()  # whom messages about X and y speak of
_CHOSEN = (
    "n_features_to_select_", "n_components_", "scatter_", "baseline_weight_", "alpha_", "C_",
)  # fmt: skip


def compare(
    estimators,
    X,
    y,
    *,
    cv=5,
    n_repeats=None,
    scoring=None,
    baseline=None,
    impute=None,
    groups=None,
    n_jobs=None,
    random_state=None,
    progress=None,
):
    """Compare classifiers on the same folds, with every choice made inside them.

    Each member of the line-up is cloned and fitted to the training part of a fold, and to nothing
    else; what it scales, imputes, selects or chooses by a search of its own, it learns there. Then
    it is scored on the test part, which it has not seen. `X` is to be given raw: features that were
    selected, scaled or imputed by looking at all samples have seen the test parts.

    Parameters
    ----------
    estimators : dict of str to classifier, or None
        Whom to compare, by name: classifiers, pipelines, searches. None is
        :func:`comparison_lineup`, our classifiers and selectors beside what is commonly used.
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Samples, raw. The members are given parts of it, of the same type.
    y : array-like of shape (n_samples,)
        Class labels, of any type.
    cv : int, cross-validation generator or iterable, default=5
        Outer folds. A number is of stratified folds, shuffled; with `groups` these stay together.
    n_repeats : int or None, default=None
        How often a number of folds is drawn anew; None is 3. It must be None if `cv` is not a
        number.
    scoring : str, callable or None, default=None
        Scorer of scikit-learn; None is accuracy. The searches of the default line-up choose by it
        as well; those of given estimators by what they say.
    baseline : str or None, default=None
        Name of whom the others are compared with; None is the best mean score.
    impute : {"mean", "median", "most_frequent"}, transformer or None, default=None
        How to fill in missing values, as the first step of every member.
    groups : array-like of shape (n_samples,), default=None
        Samples of a group stay together in the outer folds, and in the inner ones of members whose
        splitter asks for groups, as that of the default line-up does.
    n_jobs : int or None, default=None
        Number of processes, over members and folds. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed or source of the outer folds, and of each `random_state` that a member leaves None.
    progress : bool, callable or None, default=None
        True writes how far it is, and the time left, to the standard error stream. A function is
        called as ``progress(result, run)`` with a :class:`FoldResult` and the
        :class:`ComparisonRun` after each fit.

    Returns
    -------
    Comparison
        Table, differences, predictions and choices; printing it shows a table.

    Raises
    ------
    ComparisonInterrupted
        If it is interrupted from the keyboard; its `comparison` holds what was finished.

    Warns
    -----
    FitFailedWarning
        For each member that failed in a fold. The others go on; the errors are kept.

    See Also
    --------
    iter_comparison : The same, one fit at a time.
    centroidal.inspection.ComparisonDisplay : Draws it.
    selection_curve : Scores of one selector for many numbers of features.

    Notes
    -----
    **Standard errors** are those of Nadeau and Bengio (Inference for the generalization error,
    Machine Learning 52, 2003, 239-281): scores of J folds with variance s^2 have a mean of variance
    s^2 (1/J + n_test/n_train). The training parts of folds overlap, and more so over repeats, so
    that the usual s^2/J becomes as small as one likes by repeating. This one does not. It is an
    approximation; no unbiased estimate exists. Differences are taken fold by fold, which removes
    what makes a fold hard for all, and have the same correction.

    The score of a member is honest. That of the best of many is not quite: it was picked by these
    scores. A member one standard error of the difference behind the best is not shown to be worse.

    A member that fails in some folds has the mean of the others, which may be the easier ones;
    ``n_failed`` says so. Each difference is over the folds in which both were scored. Warnings that
    members give are counted and kept, not shown.

    All members see the same folds and, in a fold, the same seed, so that adding a member changes
    nothing for the others. Linear algebra and OpenMP are kept to one thread a fit, which makes
    times comparable and the result the same for any `n_jobs`.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from centroidal import SparseCenterClassifierCV
    >>> from centroidal.datasets import make_expression
    >>> from centroidal.model_selection import RandomFeaturesClassifier, compare
    >>> genes = make_expression(90, 200, n_informative=8, random_state=0)
    >>> sparse_centers = SparseCenterClassifierCV(scale="within")
    >>> result = compare(
    ...     {
    ...         "sparse centers": sparse_centers,
    ...         "naive Bayes": GaussianNB(),
    ...         "random features": RandomFeaturesClassifier(sparse_centers),
    ...     },
    ...     genes.data,
    ...     genes.target,
    ...     random_state=0,
    ... )
    >>> result.baseline
    'sparse centers'
    >>> result.scores.shape
    (3, 15)
    >>> bool(result.differences["mean_difference"][2] < -0.2)
    True
    """
    tell = _check_progress(progress)
    run = iter_comparison(
        estimators,
        X,
        y,
        cv=cv,
        n_repeats=n_repeats,
        scoring=scoring,
        baseline=baseline,
        impute=impute,
        groups=groups,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    try:
        for result in run:
            tell(result, run)
    except KeyboardInterrupt as stop:
        raise ComparisonInterrupted(run.comparison()) from stop
    found = run.comparison()
    for line in found._failures():
        warnings.warn(line, FitFailedWarning, stacklevel=2)
    return found


def iter_comparison(
    estimators,
    X,
    y,
    *,
    cv=5,
    n_repeats=None,
    scoring=None,
    baseline=None,
    impute=None,
    groups=None,
    n_jobs=None,
    random_state=None,
):
    """Compare classifiers one fit at a time, with what is finished so far at hand.

    Parameters
    ----------
    estimators : dict of str to classifier, or None
        As in :func:`compare`, and so are all other parameters.
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Samples, raw.
    y : array-like of shape (n_samples,)
        Class labels, of any type.
    cv : int, cross-validation generator or iterable, default=5
        Outer folds.
    n_repeats : int or None, default=None
        How often a number of folds is drawn anew; None is 3.
    scoring : str, callable or None, default=None
        Scorer of scikit-learn; None is accuracy.
    baseline : str or None, default=None
        Name of whom the others are compared with; None is the best mean score.
    impute : {"mean", "median", "most_frequent"}, transformer or None, default=None
        How to fill in missing values, as the first step of every member.
    groups : array-like of shape (n_samples,), default=None
        Samples of a group stay together.
    n_jobs : int or None, default=None
        Number of processes.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness.

    Returns
    -------
    ComparisonRun
        Nothing is fitted yet, but everything is checked. Iterate over it.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.model_selection import iter_comparison
    >>> X, y = load_expression(return_X_y=True)
    >>> members = {"naive Bayes": GaussianNB(), "majority": DummyClassifier()}
    >>> run = iter_comparison(members, X, y, n_repeats=1, random_state=0)
    >>> for result in run:
    ...     if result.fold == 2:
    ...         break
    >>> run.n_done, len(run), run.comparison().is_complete
    (5, 10, False)
    >>> for result in run:  # goes on with what is left
    ...     pass
    >>> run.comparison().is_complete
    True
    """
    check_jobs(n_jobs)
    scorer, rng = _check_scorer(scoring), check_random_state(random_state)
    _check_estimators(estimators)
    imputer = _check_imputer(impute)
    if y is None:
        raise ValueError("y=None must hold the class of each sample.")
    data = check_labels(_ASKING, X, y)
    groups = _check_groups(groups, data.codes.size)
    split_seed = int(rng.randint(_LARGEST_SEED))
    folds = _outer_folds(cv, n_repeats, data, groups, split_seed)
    if estimators is None:
        estimators = _lineup_for(data, folds, groups, scoring, imputer)
    _check_baseline(baseline, estimators)

    seeds = rng.randint(_LARGEST_SEED, size=len(folds))
    members = {name: _with_imputer(each, imputer) for name, each in estimators.items()}
    trial = _Trial(data.X, data.codes, data.classes, groups, data.features.number, scorer)
    question = _Question(
        score_name(scoring), baseline, tuple(members), folds, seeds, split_seed, data
    )
    return ComparisonRun(trial, members, question, n_jobs)


class ComparisonInterrupted(KeyboardInterrupt):
    """Raised when :func:`compare` is interrupted from the keyboard.

    Attributes
    ----------
    comparison : Comparison
        What was finished by then.
    """

    def __init__(self, comparison):
        self.comparison = comparison
        n_done, n_total = len(comparison.results), comparison.scores.size
        super().__init__(
            f"stopped after {n_done} of {n_total} fits; what was finished is in the attribute "
            "comparison of this exception."
        )


# ------------------------------------------------------------------ what is asked for


class _Question(NamedTuple):
    """What an answer remembers of the question."""

    score_name: str
    baseline: str | None
    names: tuple
    folds: list
    seeds: np.ndarray
    split_seed: int
    data: Any


def _check_estimators(estimators):
    if estimators is None:
        return
    if not isinstance(estimators, dict):
        raise TypeError(
            f"estimators={estimators!r} must be a dict of classifiers by name, or None for the "
            "default line-up."
        )
    if not estimators:
        raise ValueError("estimators={} must hold at least one classifier.")
    for name, each in estimators.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"estimators has the key {name!r}; names must be text.")
        check_classifier(f"estimators[{name!r}]", each)


def _check_scorer(scoring):
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise TypeError(
            f"scoring={scoring!r} must be the name of a scorer, a function of estimator, X and y, "
            "or None."
        )
    return get_scorer("accuracy" if scoring is None else scoring)


def _check_baseline(baseline, estimators):
    if baseline is not None and baseline not in estimators:
        raise ValueError(
            f"baseline={baseline!r} must be None or among the names {', '.join(estimators)}."
        )


def _check_imputer(impute):
    if impute is None:
        return None
    if isinstance(impute, str):
        check_choice("impute", impute, _STRATEGIES)
        # A feature without any value in a training part stays, so that columns keep their place.
        return SimpleImputer(strategy=impute, keep_empty_features=True)
    if isinstance(impute, type) or not (hasattr(impute, "fit") and hasattr(impute, "transform")):
        raise TypeError(
            f"impute={impute!r} must be one of {', '.join(_STRATEGIES)}, a transformer or None."
        )
    return impute


def _check_groups(groups, n_samples):
    if groups is None:
        return None
    groups = np.asarray(groups)
    if groups.shape != (n_samples,):
        raise ValueError(
            f"groups of shape {groups.shape} must hold one group for each of the {n_samples} "
            "samples."
        )
    return groups


def _check_progress(progress):
    """Return what is called after each fit."""
    if progress is None or progress is False:
        return lambda result, run: None
    if progress is True:
        return _print_progress
    if not callable(progress):
        raise TypeError(
            f"progress={progress!r} must be True, a function of a result and a run, or None."
        )
    return progress


def _print_progress(result, run):
    """Write over the line of before; after the last fit, end it."""
    left = f"{run.seconds_left:.0f} s left" if run.n_done < len(run) else "done"
    line = f"{run.n_done}/{len(run)} fits, {left}: {result.name}, fold {result.fold + 1}"
    end = "\n" if run.n_done == len(run) else ""
    print(f"\r{line:<79.79}", end=end, file=sys.stderr, flush=True)


def _outer_folds(cv, n_repeats, data, groups, seed):
    """Training and test samples of each fold, which have none in common."""
    labels = data.classes[data.codes]
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        check_count("n_repeats", _N_REPEATS if n_repeats is None else n_repeats)
        _check_n_folds(cv, data, groups)
        n_repeats = _N_REPEATS if n_repeats is None else n_repeats
        splitters = _repeated(int(cv), int(n_repeats), groups, seed)
    elif n_repeats is not None:
        raise ValueError(f"n_repeats={n_repeats!r} must be None unless cv is a number; cv={cv!r}.")
    else:
        splitters = [cv]
    folds = [fold for each in splitters for fold in list_folds(each, data.X, labels, groups=groups)]
    for number, (train, test) in enumerate(folds):
        if not train.size or not test.size:
            raise ValueError(f"fold {number} of cv must have samples to train and to test.")
        shared = np.intersect1d(train, test).size
        if shared:
            raise ValueError(
                f"fold {number} of cv tests {shared} samples that it trains on; no score of it "
                "would be honest."
            )
    return folds


def _check_n_folds(cv, data, groups):
    if cv < 2:
        raise ValueError(f"cv={cv} must be at least 2 folds.")
    counts = np.bincount(data.codes)
    if cv > counts.min():
        rarest = data.classes.tolist()[counts.argmin()]
        raise ValueError(
            f"cv={cv} must be at most {counts.min()}, the number of samples of class {rarest!r}."
        )
    if groups is not None and cv > np.unique(groups).size:
        raise ValueError(f"cv={cv} must be at most {np.unique(groups).size}, the number of groups.")


def _repeated(n_folds, n_repeats, groups, seed):
    if groups is None:
        return [RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=n_repeats, random_state=seed)]
    seeds = np.random.RandomState(seed).randint(_LARGEST_SEED, size=n_repeats).tolist()
    return [StratifiedGroupKFold(n_folds, shuffle=True, random_state=each) for each in seeds]


def _with_imputer(estimator, imputer):
    if imputer is None:
        return estimator
    return Pipeline([("impute", clone(imputer)), ("model", estimator)])


# ------------------------------------------------------------------ one member in one fold


@dataclass(frozen=True, eq=False)
class FoldResult:
    """What one member did in one fold.

    Attributes
    ----------
    name : str
        Name of the member.
    fold : int
        Number of the fold, from 0.
    score : float
        Score of the test part; NaN if it failed.
    fit_seconds, score_seconds : float
        Time of fitting, with all searches inside, and of scoring; NaN if it failed.
    predicted : ndarray of int or None
        Position in the classes of what was predicted for each test sample; None if it failed.
    n_features : int or None
        Number of features used; None if the member does not say.
    features : ndarray of int or None
        Columns used; None if it uses all of them or does not say.
    parameters : dict
        What a search inside the training part has chosen.
    error : str or None
        Name and message of the error if it failed.
    traceback : str or None
        Where the error was raised.
    warnings : tuple of str
        Warnings it gave.
    """

    name: str
    fold: int
    score: float = np.nan
    fit_seconds: float = field(default=np.nan, repr=False)
    score_seconds: float = field(default=np.nan, repr=False)
    predicted: np.ndarray | None = field(default=None, repr=False)
    n_features: int | None = field(default=None, repr=False)
    features: np.ndarray | None = field(default=None, repr=False)
    parameters: dict = field(default_factory=dict, repr=False)
    error: str | None = None
    traceback: str | None = field(default=None, repr=False)
    warnings: tuple = field(default=(), repr=False)


class _Trial(NamedTuple):
    """What all fits have in common."""

    X: Any
    codes: np.ndarray
    classes: np.ndarray
    groups: np.ndarray | None
    n_features: int
    scorer: Callable

    def part(self, rows):
        return rows_of(self.X, rows), self.classes[self.codes[rows]]


def _run_alone(trial, name, estimator, fold, seed, train, test):
    """Fit and score one member in one fold; an error becomes part of the result."""
    with _one_thread(), warnings.catch_warnings(record=True) as given:
        try:
            found = _fit_and_score(trial, estimator, seed, train, test)
        except Exception as error:
            found = {
                "error": f"{type(error).__name__}: {error}",
                "traceback": traceback.format_exc(),
            }
    messages = tuple(f"{each.category.__name__}: {each.message}" for each in given)
    return FoldResult(name=name, fold=fold, warnings=messages, **found)


def _one_thread():
    """Keep linear algebra and OpenMP to one thread inside a with statement."""
    return _thread_pools().limit(limits=1)


@cache
def _thread_pools():
    return ThreadpoolController()  # takes longer than a small fit to look for them


def _fit_and_score(trial, estimator, seed, train, test):
    model = _seeded(clone(estimator), seed)
    X, labels = trial.part(train)
    groups = None if trial.groups is None else trial.groups[train]
    start = time.perf_counter()
    _fit(model, X, labels, groups)
    fitted = time.perf_counter()
    X, labels = trial.part(test)
    scoring = time.perf_counter()
    score = float(trial.scorer(model, X, labels))
    scored = time.perf_counter()
    n_features, features = _features_of(model, trial.n_features)
    return {
        "score": score,
        "fit_seconds": fitted - start,
        "score_seconds": scored - scoring,
        "predicted": _codes_of(model.predict(X), trial.classes),
        "n_features": n_features,
        "features": features,
        "parameters": _choices_of(model),
    }


def _seeded(model, seed):
    """Give the seed to each part that has a `random_state` of None."""
    parameters = model.get_params(deep=True)
    is_seed = {name for name in parameters if name.split("__")[-1] == "random_state"}
    return model.set_params(**{name: seed for name in is_seed if parameters[name] is None})


def _fit(model, X, labels, groups):
    """Fit a model, with groups if a splitter inside it asks for them."""
    if groups is not None:
        with config_context(enable_metadata_routing=True):
            if _asks_for_groups(model):
                model.fit(X, labels, groups=groups)
                return
    model.fit(X, labels)


def _asks_for_groups(model):
    try:
        return bool(get_routing_for_object(model).consumes("fit", ["groups"]))
    except NotImplementedError:  # a meta-estimator that passes nothing on
        return False


def _codes_of(predicted, classes):
    codes = np.searchsorted(classes, predicted).clip(max=classes.size - 1)
    if not np.array_equal(classes[codes], predicted):
        raise ValueError("predict gave labels that are not in y.")
    return codes


def _choices_of(model):
    """Return what searches have chosen; those of a pipeline together."""
    if isinstance(model, Pipeline):
        steps = [_choices_of(step) for _, step in model.steps]
        return {name: value for chosen in steps for name, value in chosen.items()}
    if hasattr(model, "best_params_"):
        return dict(model.best_params_)
    if not type(model).__name__.endswith("CV"):
        return {}
    found = {name.rstrip("_"): getattr(model, name) for name in _CHOSEN if hasattr(model, name)}
    return {name: value.tolist() if np.ndim(value) else value for name, value in found.items()}


def _features_of(model, n_features):
    """Return number of features used and which; None for what is not known, or if it is all."""
    try:
        used = _used(model, n_features)
    except Exception as error:  # a score is not thrown away because of it
        warnings.warn(f"features were not read, {type(error).__name__}: {error}", stacklevel=2)
        used = None
    if used is None or used.size != n_features:
        return None, None
    columns = np.flatnonzero(used)
    return columns.size, columns if columns.size < n_features else None


def _used(model, n_features):
    """Mask of the features that a fitted model looks at; None if it does not say."""
    if isinstance(model, Pipeline):
        return _used_by_steps([step for _, step in model.steps], n_features)
    if hasattr(model, "get_support"):
        return np.asarray(model.get_support())
    if hasattr(model, "best_estimator_"):
        return _used(model.best_estimator_, n_features)
    if hasattr(model, "feature_importances_"):
        return np.asarray(model.feature_importances_) != 0
    if hasattr(model, "coef_"):
        coef = model.coef_.toarray() if issparse(model.coef_) else np.asarray(model.coef_)
        return (np.atleast_2d(coef) != 0).any(axis=0)
    if isinstance(model, NearestCentroid):
        return np.ptp(model.centroids_, axis=0) > 0
    if isinstance(model, OneVsRestClassifier):
        masks = [_used(each, n_features) for each in model.estimators_]
        return None if any(mask is None for mask in masks) else np.any(masks, axis=0)
    return None


def _used_by_steps(steps, n_features):
    """Follow features through steps that keep or drop them, to the last one or one that mixes."""
    columns = np.arange(n_features)
    for step in steps[:-1]:
        if step is None or step == "passthrough":
            continue
        kept = _kept_by(step, columns.size)
        if kept is None:
            break
        columns = columns[kept]
    else:
        last = _used(steps[-1], columns.size)
        if last is None and columns.size == n_features:
            return None
        columns = columns if last is None else columns[last]
    return np.isin(np.arange(n_features), columns)


def _kept_by(step, n_features):
    """Positions of the features that a transformer hands on as they are; None if it mixes them."""
    if hasattr(step, "get_support"):
        return step.get_support(indices=True)
    if not hasattr(step, "get_feature_names_out"):
        return None
    names = getattr(step, "feature_names_in_", [f"x{j}" for j in range(n_features)])
    position = {name: j for j, name in enumerate(names)}
    kept = [position.get(name) for name in step.get_feature_names_out()]
    return None if None in kept else np.array(kept, dtype=int)


# ------------------------------------------------------------------ all of them


class ComparisonRun:
    """A comparison that is under way, as :func:`iter_comparison` begins it.

    Iterating over it fits one member in one fold after the other and yields a :class:`FoldResult`
    for each: all members in the first fold, then all in the second. When it is left early, by a
    break, an interruption or an error of the caller, iterating again goes on with what is missing.
    ``len(run)`` is the number of fits in all.

    Attributes
    ----------
    results : list of FoldResult
        What is finished.
    n_done : int
        Number of fits that are finished.
    seconds_left : float
        Estimate of the time that the others will take; NaN before the first one.
    """

    def __init__(self, trial, members, question, n_jobs):
        self._trial, self._members, self._question = trial, members, question
        self._n_jobs = n_jobs
        self._found = {}
        self._seconds = 0.0

    def __len__(self):
        return len(self._members) * len(self._question.folds)

    def __iter__(self):
        question = self._question
        jobs = [
            (self._trial, name, each, fold, int(question.seeds[fold]), *question.folds[fold])
            for fold in range(len(question.folds))
            for name, each in self._members.items()
            if (name, fold) not in self._found
        ]
        with _one_thread():  # here too: jobs in threads would not restore it in order
            parallel = Parallel(n_jobs=self._n_jobs, return_as="generator")
            found = parallel(delayed(_run_alone)(*job) for job in jobs)
            try:
                start = time.perf_counter()
                for result in found:
                    self._found[result.name, result.fold] = result
                    self._seconds += time.perf_counter() - start
                    yield result
                    start = time.perf_counter()
            finally:
                _end_early(found)

    @property
    def results(self):
        """What is finished."""
        return list(self._found.values())

    @property
    def n_done(self):
        """Number of fits that are finished."""
        return len(self._found)

    @property
    def seconds_left(self):
        """Estimate of the time that the others will take."""
        if not self._found:
            return np.nan
        return self._seconds / self.n_done * (len(self) - self.n_done)

    def comparison(self):
        """Tabulate what is finished.

        Returns
        -------
        Comparison
            As :func:`compare` returns it; folds that are missing count for nothing.
        """
        return _comparison(self._question, self._members, self.results)


class _LeftEarlyError(Exception):
    """Tells joblib that nobody waits for its results any more."""


def _end_early(found):
    """Stop what is under way.

    Closing would do so, too, but with a warning that work was begun in vain; and a filter for it
    does not hold while jobs in other threads catch warnings.
    """
    with suppress(_LeftEarlyError):
        found.throw(_LeftEarlyError)


# ------------------------------------------------------------------ the answer


@dataclass(frozen=True, eq=False)
class Comparison:
    """Scores of several classifiers on the same folds, as :func:`compare` finds them.

    Printing it, or :meth:`summary`, shows a table, the best first.

    Attributes
    ----------
    score_name : str
        What the folds were scored by.
    baseline : str
        Whom the others are compared with.
    table : dict of ndarray
        A row for each member: ``name``, ``mean_test_score``, ``std_test_score``, ``se_test_score``
        (corrected, see the notes of :func:`compare`), ``mean_n_features``, ``min_n_features``,
        ``max_n_features`` (NaN if it does not say), ``mean_fit_seconds``, ``mean_score_seconds``,
        ``n_folds`` that were scored, ``n_failed`` and ``n_warned``. ``pandas.DataFrame(table)``
        shows it.
    differences : dict of ndarray
        A row for each member: ``name``, ``mean_difference`` of its score and that of the baseline
        in the same fold, ``se_difference`` (corrected), and the number of folds in which it was
        better, ``n_better``, or worse, ``n_worse``, out of ``n_folds`` in which both were scored.
    scores : ndarray of shape (n_members, n_folds)
        Score of each fold; NaN if the member failed or the fold is missing.
    confusion : dict of str to ndarray of shape (n_classes, n_classes)
        For each member how often samples of a class (rows) were taken for a class (columns), added
        up over all folds; each repeat counts a sample once.
    results : tuple of FoldResult
        All that is known of each fit: predictions, choices, features, errors, warnings.
    classes : ndarray of shape (n_classes,)
        Labels.
    target : ndarray of int, shape (n_samples,)
        Position in the classes of each sample.
    folds : tuple of (ndarray, ndarray)
        Training and test samples of each fold.
    n_features : int
        Number of features of the data.
    feature_names : ndarray of str or None
        Their names, where X has names that are text.
    references : tuple of str
        Members that are there to be beaten: random features and constant predictions.
    random_features : tuple of str
        Those of them that are random features.
    seeds : dict
        ``split``, the seed of the outer folds, and ``folds``, that of the members in each of them.
    versions : dict of str to str
        Versions of Python and the packages.
    """

    score_name: str
    baseline: str
    table: dict[str, np.ndarray] = field(repr=False)
    differences: dict[str, np.ndarray] = field(repr=False)
    scores: np.ndarray = field(repr=False)
    confusion: dict[str, np.ndarray] = field(repr=False)
    results: tuple = field(repr=False)
    classes: np.ndarray = field(repr=False)
    target: np.ndarray = field(repr=False)
    folds: tuple = field(repr=False)
    n_features: int = field(repr=False)
    feature_names: np.ndarray | None = field(repr=False)
    references: tuple = field(repr=False)
    random_features: tuple = field(repr=False)
    seeds: dict = field(repr=False)
    versions: dict = field(repr=False)

    @property
    def names(self):
        """Names of the members, in the order of the line-up."""
        return tuple(self.table["name"].tolist())

    @property
    def is_complete(self):
        """Whether every member was tried in every fold."""
        return len(self.results) == self.scores.size

    def results_of(self, name):
        """Return what a member did, fold by fold.

        Parameters
        ----------
        name : str
            Name of the member.

        Returns
        -------
        list of FoldResult
            Those that are finished, by fold.
        """
        if name not in self.names:
            raise ValueError(f"name={name!r} must be one of {', '.join(self.names)}.")
        found = [each for each in self.results if each.name == name]
        return sorted(found, key=lambda each: each.fold)

    def predictions(self, name):
        """Tabulate what a member predicted for the test samples of all folds.

        Parameters
        ----------
        name : str
            Name of the member.

        Returns
        -------
        dict of ndarray
            A row for each test sample: ``sample`` (its row in X), ``fold``, ``true`` and
            ``predicted`` label.
        """
        found = [each for each in self.results_of(name) if each.error is None]
        samples = [self.folds[each.fold][1] for each in found]
        fold = np.repeat([each.fold for each in found], [rows.size for rows in samples])
        sample = np.concatenate([np.empty(0, int), *samples])
        predicted = np.concatenate([np.empty(0, int), *(each.predicted for each in found)])
        return {
            "sample": sample,
            "fold": fold.astype(int),
            "true": self.classes[self.target[sample]],
            "predicted": self.classes[predicted],
        }

    def recall(self, name):
        """Share of the samples of each class that a member recognised, over all folds.

        Parameters
        ----------
        name : str
            Name of the member.

        Returns
        -------
        ndarray of shape (n_classes,)
            NaN for a class that was never tested.
        """
        self.results_of(name)
        confusion = self.confusion[name]
        tested = confusion.sum(axis=1)
        return np.where(tested, np.diag(confusion) / np.maximum(tested, 1), np.nan)

    def summary(self):
        """Write the table as text, the best first, with what went wrong below it.

        Returns
        -------
        str
            Aligned lines.
        """
        n_samples, n_classes, n_folds = self.target.size, self.classes.size, len(self.folds)
        head = (
            f"{self.score_name.replace('_', ' ')} in {n_folds} folds of {n_samples} samples, "
            f"{self.n_features} features, {n_classes} classes"
        )
        mean = self.table["mean_test_score"]
        order = np.argsort(-np.nan_to_num(mean, nan=-np.inf), kind="stable")
        lines = _aligned([_HEADER, *(self._cells(row) for row in order)])
        foot = [f"se: standard error, corrected for folds that overlap; diff: to {self.baseline}"]
        if not self.is_complete:
            foot.append(f"unfinished: {len(self.results)} of {self.scores.size} fits")
        return "\n".join([head, "", *lines, "", *foot, *self._failures(), *self._warned()])

    def __str__(self):
        return self.summary()

    def _cells(self, row):
        table, differences = self.table, self.differences
        is_baseline = table["name"][row] == self.baseline
        bounds = [table[f"{which}_n_features"][row] for which in ("mean", "min", "max")]
        failed = table["n_failed"][row]
        return (
            str(table["name"][row]),
            _number(table["mean_test_score"][row], "{:.3f}"),
            _number(table["se_test_score"][row], "{:.3f}"),
            "" if is_baseline else _number(differences["mean_difference"][row], "{:+.3f}"),
            "" if is_baseline else _number(differences["se_difference"][row], "{:.3f}"),
            _feature_range(*bounds, self.n_features),
            _number(table["mean_fit_seconds"][row], "{:.2g}"),
            str(failed) if failed else "",
        )

    def _failures(self):
        """Write a line for each member that failed."""
        return self._lines_about("failed", lambda each: each.error)

    def _warned(self):
        """Write a line for each member that warned."""
        return self._lines_about("warned", lambda each: each.warnings and each.warnings[0])

    def _lines_about(self, verb, message_of):
        lines = []
        for name in self.names:
            found = self.results_of(name)
            messages = [message for message in map(message_of, found) if message]
            if messages:
                first = " ".join(messages[0].split())
                lines.append(
                    f"{name} {verb} in {len(messages)} of {len(found)} folds, first: {first}"
                )
        return lines


_HEADER = ("", "mean", "se", "diff", "se", "features", "fit s", "failed")


def _aligned(rows):
    """Lines of text with the first column to the left and the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([f"{first:<{widths[0]}}", *cells]).rstrip())
    return lines


def _number(value, form):
    return "-" if np.isnan(value) else form.format(value)


def _feature_range(mean, least, most, n_features):
    if np.isnan(mean):
        return "-"
    if least == n_features:
        return "all"
    return f"{mean:.0f}" if least == most else f"{mean:.0f} ({least:.0f}-{most:.0f})"


def _comparison(question, members, results):
    names, folds = question.names, question.folds
    scores = np.full((len(names), len(folds)), np.nan)
    for each in results:
        scores[names.index(each.name), each.fold] = each.score
    ratio = np.mean([test.size / train.size for train, test in folds])
    rows = [_row(name, [each for each in results if each.name == name], ratio) for name in names]
    table = {column: np.array([row[column] for row in rows]) for column in rows[0]}
    baseline = _best(table) if question.baseline is None else question.baseline
    data = question.data
    return Comparison(
        score_name=question.score_name,
        baseline=baseline,
        table=table,
        differences=_differences(names, scores, names.index(baseline), ratio),
        scores=scores,
        confusion=_confusion(names, folds, results, data),
        results=tuple(results),
        classes=data.classes,
        target=data.codes,
        folds=tuple(folds),
        n_features=data.features.number,
        feature_names=data.features.names,
        references=_names_of(members, (RandomFeaturesClassifier, DummyClassifier)),
        random_features=_names_of(members, RandomFeaturesClassifier),
        seeds={"split": question.split_seed, "folds": question.seeds},
        versions=_versions(),
    )


def _row(name, results, ratio):
    scored = [each for each in results if each.error is None]
    scores = np.array([each.score for each in scored])
    numbers = [each.n_features for each in scored]
    says = bool(numbers) and None not in numbers
    return {
        "name": name,
        "mean_test_score": _mean(scores),
        "std_test_score": scores.std(ddof=1) if scores.size > 1 else np.nan,
        "se_test_score": _corrected_error(scores, ratio),
        "mean_n_features": _mean(numbers) if says else np.nan,
        "min_n_features": float(min(numbers)) if says else np.nan,
        "max_n_features": float(max(numbers)) if says else np.nan,
        "mean_fit_seconds": _mean([each.fit_seconds for each in scored]),
        "mean_score_seconds": _mean([each.score_seconds for each in scored]),
        "n_folds": len(scored),
        "n_failed": len(results) - len(scored),
        "n_warned": sum(bool(each.warnings) for each in results),
    }


def _mean(values):
    return float(np.mean(values)) if len(values) else np.nan


def _corrected_error(values, ratio):
    """Return the error of Nadeau and Bengio of a mean over folds whose training parts overlap."""
    if len(values) < 2:
        return np.nan
    return float(np.sqrt(np.var(values, ddof=1) * (1 / len(values) + ratio)))


def _best(table):
    """Name of the best mean score, among those that never failed if there are any."""
    mean = np.nan_to_num(table["mean_test_score"], nan=-np.inf)
    is_whole = (table["n_failed"] == 0) & (table["n_folds"] > 0)
    return str(
        table["name"][np.argmax(np.where(is_whole, mean, -np.inf) if any(is_whole) else mean)]
    )


def _differences(names, scores, baseline, ratio):
    columns = {"name": np.array(names)}
    rows = []
    for each in scores - scores[baseline]:
        paired = each[~np.isnan(each)]
        rows.append(
            {
                "mean_difference": _mean(paired),
                "se_difference": _corrected_error(paired, ratio),
                "n_better": int((paired > 0).sum()),
                "n_worse": int((paired < 0).sum()),
                "n_folds": paired.size,
            }
        )
    return columns | {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _confusion(names, folds, results, data):
    n_classes = data.classes.size
    counts = {name: np.zeros((n_classes, n_classes), dtype=int) for name in names}
    for each in results:
        if each.error is None:
            true = data.codes[folds[each.fold][1]]
            np.add.at(counts[each.name], (true, each.predicted), 1)
    return counts


def _names_of(members, kinds):
    return tuple(name for name, each in members.items() if isinstance(last_step(each), kinds))


def _versions():
    from .. import __version__

    return {
        "python": platform.python_version(),
        "centroidal": __version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


# ------------------------------------------------------------------ the line-up


class RandomFeaturesClassifier(SelectorMixin, ClassifierMixin, BaseEstimator):
    """A classifier on features that are drawn at random: what a selection has to beat.

    Parameters
    ----------
    reference : int, float, None or estimator, default=None
        How many features: a number, a fraction, None for all, or as many as this estimator selects
        from the training samples. It is fitted to find the number and then forgotten.
    estimator : classifier or None, default=None
        What is fitted to them; None is logistic regression on features of unit variance.
    random_state : int, RandomState or None, default=None
        Seed or source of the features.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    estimator_ : classifier
        The classifier, fitted to the features.
    support_ : ndarray of shape (n_features,)
        Mask of the features.
    n_features_to_select_ : int
        Number of features.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where they are all strings.

    See Also
    --------
    compare : Compares classifiers, with this one among them.

    Examples
    --------
    >>> from centroidal import SparseCenterClassifierCV
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.model_selection import RandomFeaturesClassifier
    >>> X, y = load_expression(return_X_y=True)
    >>> sparse = SparseCenterClassifierCV(scale="within").fit(X, y)
    >>> at_random = RandomFeaturesClassifier(sparse, random_state=0).fit(X, y)
    >>> at_random.n_features_to_select_ == sparse.n_features_to_select_
    True
    """

    def __init__(self, reference=None, *, estimator=None, random_state=None):
        self.reference = reference
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X, y):
        """Draw features and fit the classifier to them.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.

        Returns
        -------
        self
            Fitted estimator.
        """
        if self.estimator is not None:
            check_classifier("estimator", self.estimator)
        rng = check_random_state(self.random_state)
        data = check_labels(self, X, y)
        labels, n_features = data.classes[data.codes], data.features.number
        number = self._number_of_features(data.X, labels, n_features)

        columns = np.sort(rng.permutation(n_features)[:number])
        model = _scaled_logistic(issparse(data.X)) if self.estimator is None else self.estimator

        self.estimator_ = clone(model).fit(columns_of(data.X, columns), labels)
        data.features.keep(self)
        self.classes_ = data.classes
        self.support_ = np.isin(np.arange(n_features), columns)
        self.n_features_to_select_ = int(columns.size)
        return self

    def predict(self, X):
        """Predict the class of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        return self._ask("predict", X)

    @available_if(lambda self: self._has("decision_function"))
    def decision_function(self, X):
        """Score samples, if the classifier can.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Scores of the classifier.
        """
        return self._ask("decision_function", X)

    @available_if(lambda self: self._has("predict_proba"))
    def predict_proba(self, X):
        """Probabilities of the classes, if the classifier has them.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        return self._ask("predict_proba", X)

    def _has(self, method):
        return self.estimator is None or hasattr(self.estimator, method)

    def _ask(self, method, X):
        check_fitted(self)
        X = check_as_given(self, X)
        return getattr(self.estimator_, method)(columns_of(X, np.flatnonzero(self.support_)))

    def _number_of_features(self, X, labels, n_features):
        if isinstance(self.reference, type) or not hasattr(self.reference, "fit"):
            return check_n_features_to_select(self.reference, n_features)
        used = _used(clone(self.reference).fit(X, labels), n_features)
        if used is None:
            raise TypeError(
                f"reference={self.reference!r} must say which features it uses, as by get_support."
            )
        return max(1, int(used.sum()))

    def _get_support_mask(self):
        check_fitted(self)
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def comparison_lineup(
    n_features, *, is_sparse=False, inner_cv=5, scoring=None, n_features_grid=None, neural=False
):
    """Whom :func:`compare` compares if nothing is said: our estimators and what is commonly used.

    Every number of features, penalty or threshold is chosen by a search over few values, inside
    the samples that the member is fitted to. Data are scaled there as well.

    ========================= ====================================================================
    sparse l2 centers         :class:`~centroidal.SparseCenterClassifierCV`
    sparse l1 centers         the same with medians; dense data only
    disjoint centroids        :class:`~centroidal.DisjointCentroidClassifierCV` by margins
    Fisher subspace           :class:`~centroidal.FisherSubspaceClassifierCV`
    l2,1 + logistic           :class:`~centroidal.L21CentroidSelector`, logistic regression
    ReliefF + logistic        :class:`~centroidal.ReliefFSelector`, logistic regression
    linear encoder + logistic :class:`~centroidal.LinearCentroidEncoder`, logistic regression
    network + logistic        :class:`~centroidal.SparseCentroidEncoder`, the same; if `neural`
    nearest centroid          of scikit-learn, all features
    shrunken centroids        the same with a threshold; dense data only
    F test + SVM              features of the highest F statistic, linear SVM
    l1 logistic               logistic regression with an l1 penalty
    random forest             of scikit-learn
    naive Bayes               Gaussian; dense data only
    random features           :class:`RandomFeaturesClassifier`, as many as sparse l2 centers
    majority class            no features at all
    ========================= ====================================================================

    Parameters
    ----------
    n_features : int
        Number of features of the data.
    is_sparse : bool, default=False
        Whether the data are sparse. Members that would make them dense are left out.
    inner_cv : int or cross-validation generator, default=5
        Folds of the searches. A number is of stratified folds, shuffled in the same way for all.
    scoring : str, callable or None, default=None
        What the searches choose by; None is accuracy.
    n_features_grid : array-like of int or None, default=None
        Numbers of features that are tried where each of them costs a fit; None is 4, 16, 64 and
        256, as far as there are so many.
    neural : bool, default=False
        Whether to add the sparse centroid-encoder, which needs PyTorch and takes long.

    Returns
    -------
    dict of str to classifier
        Not fitted. Add your own, or drop some.

    Examples
    --------
    >>> from centroidal.model_selection import comparison_lineup
    >>> lineup = comparison_lineup(2000)
    >>> len(lineup)
    15
    >>> "naive Bayes" in comparison_lineup(2000, is_sparse=True)
    False
    """
    check_count("n_features", n_features)
    sizes = _check_sizes(n_features_grid, n_features)
    if isinstance(inner_cv, Integral):
        if isinstance(inner_cv, bool) or inner_cv < 2:
            raise ValueError(f"inner_cv={inner_cv} must be at least 2 folds.")
        inner_cv = StratifiedKFold(int(inner_cv), shuffle=True, random_state=0)
    build = _Builder(inner_cv, scoring, sizes, bool(is_sparse))
    return build.ours(neural) | build.others() | build.references()


def _check_sizes(values, n_features):
    if values is None:
        return [size for size in _NUMBERS_OF_FEATURES if size < n_features] or [n_features]
    if isinstance(values, str) or not np.iterable(values) or not len(values):
        raise TypeError(f"n_features_grid={values!r} must hold numbers of features, or be None.")
    for size in values:
        check_count("a value of n_features_grid", size)
        if size > n_features:
            raise ValueError(f"n_features_grid holds {size}, more than n_features={n_features}.")
    return sorted({int(size) for size in values})


class _Builder(NamedTuple):
    """Makes the members of a line-up for given data and inner folds."""

    cv: Any
    scoring: Any
    sizes: list
    is_sparse: bool

    @property
    def scaler(self):
        return StandardScaler(with_mean=not self.is_sparse)

    @property
    def choosing(self):
        return {"cv": self.cv, "scoring": self.scoring}

    def search(self, steps, grid):
        return GridSearchCV(Pipeline(steps), grid, **self.choosing)

    def selected(self, selector):
        """Put a selector in front of logistic regression and search its number of features."""
        steps = [("select", selector), ("classify", _scaled_logistic(self.is_sparse))]
        return self.search(steps, {"select__n_features_to_select": self.sizes})

    def sparse_centers(self, **folds):
        scale = "std" if self.is_sparse else "within"
        return SparseCenterClassifierCV(scale=scale, scoring=self.scoring, **folds)

    def ours(self, neural):
        margin = {"disjoint": False, "scale": "within"}
        l1 = SparseCenterClassifierCV(metric="l1", scale="mad", **self.choosing)
        members = {
            "sparse l2 centers": self.sparse_centers(cv=self.cv),
            "sparse l1 centers": l1,
            "disjoint centroids": DisjointCentroidClassifierCV("margin", **margin, **self.choosing),
            "Fisher subspace": make_pipeline(
                self.scaler, FisherSubspaceClassifierCV(**self.choosing)
            ),
            "l2,1 + logistic": self.selected(L21CentroidSelector()),
            "ReliefF + logistic": self.selected(ReliefFSelector()),
            "linear encoder + logistic": self.selected(LinearCentroidEncoder()),
        }
        if self.is_sparse:  # medians of columns that are mostly zero say nothing
            del members["sparse l1 centers"]
        if neural:
            members["network + logistic"] = self.selected(SparseCentroidEncoder())
        return members

    def others(self):
        varying, scale = ("varying", VarianceThreshold()), ("scale", self.scaler)
        l1 = OneVsRestClassifier(_l1_logistic())
        members = {
            "nearest centroid": make_pipeline(self.scaler, NearestCentroid()),
            "shrunken centroids": self.search(
                [varying, scale, ("classify", NearestCentroid())],
                {"classify__shrink_threshold": [0.5, 1.0, 2.0, 3.0, 4.0]},
            ),
            "F test + SVM": self.search(
                [varying, scale, ("select", SelectKBest()), ("classify", LinearSVC())],
                {"select__k": self.sizes},
            ),
            "l1 logistic": self.search(
                [scale, ("classify", l1)], {"classify__estimator__C": [0.05, 0.2, 1.0, 5.0]}
            ),
            "random forest": RandomForestClassifier(),
            "naive Bayes": GaussianNB(),
        }
        if self.is_sparse:  # these need dense samples, or make them so
            del members["shrunken centroids"], members["naive Bayes"]
        return members

    def references(self):
        # Only a number is wanted of the reference, so its folds need not keep groups together.
        reference = self.sparse_centers(cv=_INNER_FOLDS if self._asks_groups else self.cv)
        return {
            "random features": RandomFeaturesClassifier(reference),
            "majority class": DummyClassifier(strategy="most_frequent"),
        }

    @property
    def _asks_groups(self):
        return bool(get_routing_for_object(self.cv).consumes("split", ["groups"]))


def _scaled_logistic(is_sparse):
    return make_pipeline(StandardScaler(with_mean=not is_sparse), LogisticRegression(max_iter=1000))


def _l1_logistic():
    is_new = parse_version(sklearn.__version__) >= parse_version("1.8")
    penalty = {"l1_ratio": 1.0} if is_new else {"penalty": "l1"}
    return LogisticRegression(solver="liblinear", max_iter=1000, **penalty)


def _lineup_for(data, folds, groups, scoring, imputer):
    """Return the default line-up, with as many inner folds as each training part allows."""
    X = check_labelled(_ASKING, data.X, data.classes[data.codes], finite="allow-nan").X
    values = X.data if issparse(X) else X
    if imputer is None and values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(
            "X holds missing values; the default line-up needs impute='median', or another way to "
            "fill them in."
        )
    counts = [np.bincount(data.codes[train], minlength=data.classes.size) for train, _ in folds]
    least = np.min(counts, axis=0)
    if least.min() < 2:
        rarest = data.classes.tolist()[least.argmin()]
        raise ValueError(
            f"class {rarest!r} has {least.min()} samples in a training part; the default line-up "
            "needs at least 2 to choose in folds of it."
        )
    inner = min(_INNER_FOLDS, int(least.min()))
    if groups is not None:
        n_groups = min(np.unique(groups[train]).size for train, _ in folds)
        if n_groups < 2:
            raise ValueError(
                "groups has a training part of one group; the default line-up needs at least 2 to "
                "choose in folds of it."
            )
        inner = StratifiedGroupKFold(min(inner, n_groups), shuffle=True, random_state=0)
    return comparison_lineup(
        data.features.number, is_sparse=issparse(data.X), inner_cv=inner, scoring=scoring
    )
