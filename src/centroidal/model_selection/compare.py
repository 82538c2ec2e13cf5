"""Honest comparison of classifiers: everything is chosen inside the folds, the folds are shared.

The file goes from the question, `compare` and `iter_comparison`, over one member in one fold to
the run over all of them. The answer is in comparison.py, whom to compare in lineup.py.
"""

import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import FitFailedWarning
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import get_routing_for_object

from .._data import check_labelled, check_labels, label_codes, rows_of
from .._parameters import check_classifier, check_jobs
from .._progress import progress_function
from .._typing import ArrayLike, Estimator, Folds, Imputation, RandomState, Scorer, ShowProgress
from .comparison import Comparison, FoldResult, Question, tabulate
from .feature_flow import used_features
from .lineup import comparison_lineup, inner_folds
from .metrics import check_scoring
from .preparation import Preparation, PreparedSamples
from .repeatable import draw_seed, draw_seeds, run_jobs, seed_parts
from .splits import check_groups, outer_folds, series_name

__all__ = ["ComparisonInterrupted", "ComparisonRun", "compare", "iter_comparison"]

_ASKING = type("compare", (BaseEstimator,), {})()  # whom messages about X and y speak of
_CHOSEN = (
    "n_features_to_select_", "n_components_", "scatter_", "baseline_weight_", "alpha_", "C_",
)  # fmt: skip


def compare(
    estimators: dict[str, Any] | None,
    X: ArrayLike,
    y: ArrayLike,
    *,
    cv: Folds = 5,
    n_repeats: int | None = None,
    scoring: Scorer = None,
    baseline: str | None = None,
    impute: Imputation | Estimator | None = None,
    preprocess: Estimator | str | None = None,
    text: bool | dict[str, Any] | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    progress: ShowProgress = None,
) -> Comparison:
    """Compare classifiers on the same folds, with every choice made inside them.

    Each member of the line-up is cloned and fitted to the training set of a fold, and to nothing
    else; what it scales, imputes, selects or chooses by a search of its own, it learns there. Then
    it is scored on the test set, which it has not seen. `X` is to be given raw: features that were
    selected, scaled or imputed by looking at all samples have seen the test sets.

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
    preprocess : transformer, Pipeline, str or None, default=None
        What is done to the samples next, as in :func:`select_features`.
    text : bool, dict or None, default=None
        Whether X holds documents, as in :func:`select_features`: every member is given weights of
        their words, which are learned from the training set.
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
    **95 % confidence intervals** of scores that are counted (accuracy, balanced accuracy, F1,
    Matthews) are as in :func:`select_features`, without what only its inner folds tell: that of
    Wilson, with as many samples as the standard error leaves, and fewer where samples come in
    groups. It never has the width 0. The interval of any other score, and of a difference, is that
    of Student with the standard error below; of a difference of counted scores at least that of
    :cite:t:`Bonett2012`.

    **Standard errors** are those of :cite:t:`Nadeau2003`: scores of J folds with variance s^2 have
    a mean of variance s^2 (1/J + n_test/n_train). The training sets of folds overlap, and more so
    over repeats, so that the usual s^2/J becomes as small as one likes by repeating. This one does
    not. It is an approximation; no unbiased estimate exists. Differences are taken fold by fold,
    which removes what makes a fold hard for all, and have the same correction.

    The score of a member is honest. That of the best of many is not quite: it was picked by these
    scores. A member is not shown to be worse if the interval of its difference reaches 0.

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
    report_progress = _check_progress(progress)
    run = iter_comparison(
        estimators, X, y, cv=cv, n_repeats=n_repeats, scoring=scoring, baseline=baseline,
        impute=impute, preprocess=preprocess, text=text, groups=groups, n_jobs=n_jobs,
        random_state=random_state,
    )  # fmt: skip
    try:
        for result in run:
            report_progress(result, run)
    except KeyboardInterrupt as stop:
        raise ComparisonInterrupted(run.comparison()) from stop
    found = run.comparison()
    for line in found._failures():
        warnings.warn(line, FitFailedWarning, stacklevel=2)
    return found


def iter_comparison(
    estimators: dict[str, Any] | None,
    X: ArrayLike,
    y: ArrayLike,
    *,
    cv: Folds = 5,
    n_repeats: int | None = None,
    scoring: Scorer = None,
    baseline: str | None = None,
    impute: Imputation | Estimator | None = None,
    preprocess: Estimator | str | None = None,
    text: bool | dict[str, Any] | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> "ComparisonRun":
    """Compare classifiers one fit at a time, with what is finished so far at hand.

    Parameters
    ----------
    estimators : dict of str to classifier, or None
        As in :func:`compare`.
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Samples, raw.
    y : array-like of shape (n_samples,)
        Class labels, of any type.
    cv, n_repeats, scoring, baseline, impute, preprocess, text, groups, n_jobs : object
        As in :func:`compare`, with the same defaults.
    random_state : int, RandomState or None, default=None
        As in :func:`compare`.

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
    checked, rng = check_scoring(scoring), check_random_state(random_state)
    _check_estimators(estimators)
    preparation = Preparation.check(impute, preprocess, text)
    if y is None:
        raise ValueError("y=None must hold the class of each sample.")
    if preparation.counter is None:
        data = check_labels(_ASKING, X, y)
    else:  # which words count, and how much, is learned in the folds
        data = PreparedSamples(X, y, preparation).counted
    group_name, groups = series_name(groups), check_groups(groups, data.codes.size)
    split_seed = draw_seed(rng)
    folds = outer_folds(cv, n_repeats, data, groups, split_seed)
    if estimators is None:
        estimators = _lineup_for(data, folds, groups, scoring, preparation)
    _check_baseline(baseline, estimators)

    seeds = draw_seeds(rng, len(folds))
    members = {name: preparation.before(each) for name, each in estimators.items()}
    trial = _Trial(data.X, data.codes, data.classes, groups, data.features.number, checked.scorer)
    question = Question(
        checked.name, baseline, tuple(members), folds, seeds, split_seed, data, groups, group_name
    )
    return ComparisonRun(trial, members, question, n_jobs)


class ComparisonInterrupted(KeyboardInterrupt):
    """Raised when :func:`compare` is interrupted from the keyboard.

    Attributes
    ----------
    comparison : Comparison
        What was finished by then.
    """

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        n_done, n_total = len(comparison.results), comparison.scores.size
        super().__init__(
            f"stopped after {n_done} of {n_total} fits; what was finished is in the attribute "
            "comparison of this exception."
        )


# ------------------------------------------------------------------ what is asked for


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


def _check_baseline(baseline, estimators):
    if baseline is not None and baseline not in estimators:
        raise ValueError(
            f"baseline={baseline!r} must be None or among the names {', '.join(estimators)}."
        )


def _check_progress(progress):
    """Return what is called after each fit."""
    write_progress = progress_function(progress, "fits")

    def write_fit(result, run):
        left = f"{run.seconds_left:.0f} s left" if run.n_done < len(run) else "done"
        write_progress(run.n_done, len(run), f"{result.name}, fold {result.fold + 1}, {left}")

    return progress if callable(progress) else write_fit


def _lineup_for(data, folds, groups, scoring, preparation):
    """Return the default line-up for the data and the training sets of its folds."""
    y = data.classes[data.codes]
    if preparation.preprocesses:
        prepared = PreparedSamples(data.X, y, preparation).data
    else:
        prepared = check_labelled(_ASKING, data.X, y, finite="allow-nan")
        values = prepared.X.data if issparse(prepared.X) else prepared.X
        if not preparation.steps and values.dtype.kind == "f" and np.isnan(values).any():
            raise ValueError(
                "X holds missing values; the default line-up needs impute='median', or another way "
                "to fill them in."
            )
    inner = inner_folds(data, folds, groups)
    return comparison_lineup(
        prepared.features.number,
        n_classes=data.classes.size,
        is_sparse=issparse(prepared.X),
        inner_cv=inner,
        scoring=scoring,
    )


# ------------------------------------------------------------------ one member in one fold


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


def _run_member(trial, name, estimator, fold, seed, train, test):
    """Fit and score one member in one fold; an error becomes part of the result."""
    with warnings.catch_warnings(record=True) as given:
        try:
            found = _fit_and_score(trial, estimator, seed, train, test)
        except Exception as error:
            found = {
                "error": f"{type(error).__name__}: {error}",
                "traceback": traceback.format_exc(),
            }
    messages = tuple(f"{each.category.__name__}: {each.message}" for each in given)
    return FoldResult(name=name, fold=fold, warnings=messages, **found)


def _fit_and_score(trial, estimator, seed, train, test):
    model = seed_parts(clone(estimator), lambda: seed)
    X, labels = trial.part(train)
    groups = None if trial.groups is None else trial.groups[train]
    start = time.perf_counter()
    _fit(model, X, labels, groups)
    fitted = time.perf_counter()
    X, labels = trial.part(test)
    scoring = time.perf_counter()
    score = float(trial.scorer(model, X, labels))
    scored = time.perf_counter()
    n_features, features = used_features(model, trial.n_features)
    return {
        "score": score,
        "fit_seconds": fitted - start,
        "score_seconds": scored - scoring,
        "predicted": _codes_of(model.predict(X), trial.classes),
        "n_features": n_features,
        "features": features,
        "parameters": _choices_of(model),
    }


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
    codes = label_codes(predicted, classes)
    if (codes < 0).any():
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


# ------------------------------------------------------------------ all of them


class ComparisonRun:
    """A comparison that is under way, as :func:`iter_comparison` begins it.

    Iterating over it fits one member in one fold after the other and yields a :class:`FoldResult`
    for each: all members in the first fold, then all in the second. When it is left early, by a
    break, an interruption or an error of the caller, iterating again goes on with what is missing.
    ``len(run)`` is the number of fits in all.

    Attributes
    ----------
    results, n_done : list of FoldResult, int
        The fits that are finished, and how many they are.
    seconds_left : float
        Estimate of the time that the others will take; NaN before the first one.
    """

    def __init__(self, trial: Any, members: Any, question: Any, n_jobs: int | None) -> None:
        self._trial, self._members, self._question = trial, members, question
        self._n_jobs = n_jobs
        self._found = {}
        self._seconds = 0.0

    def __len__(self) -> int:
        return len(self._members) * len(self._question.folds)

    def __iter__(self) -> Iterator[FoldResult]:
        question = self._question
        jobs = [
            (self._trial, name, each, fold, int(question.seeds[fold]), *question.folds[fold])
            for fold in range(len(question.folds))
            for name, each in self._members.items()
            if (name, fold) not in self._found
        ]
        found = run_jobs(_run_member, jobs, self._n_jobs)
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
    def results(self) -> list[FoldResult]:
        """What is finished."""
        return list(self._found.values())

    @property
    def n_done(self) -> int:
        """Number of fits that are finished."""
        return len(self._found)

    @property
    def seconds_left(self) -> float:
        """Estimate of the time that the others will take."""
        if not self._found:
            return np.nan
        return self._seconds / self.n_done * (len(self) - self.n_done)

    def comparison(self) -> Comparison:
        """Return the :class:`Comparison` of what is finished; missing folds count for nothing."""
        return tabulate(self._question, self._members, self.results)


class _LeftEarlyError(Exception):
    """Tells joblib that nobody waits for its results any more."""


def _end_early(found):
    """Stop what is under way.

    Closing would do so, too, but with a warning that work was begun in vain; and a filter for it
    does not hold while jobs in other threads catch warnings.
    """
    with suppress(_LeftEarlyError):
        found.throw(_LeftEarlyError)
