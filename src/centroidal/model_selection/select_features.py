"""The main job: the few features that tell classes apart, and an honest number for unseen data."""

import time
from numbers import Integral

import numpy as np
from joblib import parallel_config
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from .._data import check_labelled
from .._parameters import check_jobs
from .._progress import progress_function
from ..classifiers import FisherSubspace
from ..statistics import class_medians, class_moments
from ._folds import check_n_folds, outer_folds
from ._imputing import check_imputer, with_imputer
from ._seeds import draw_seed, seed_of
from ._selection_answer import Answer, Asked, majority_score
from ._selection_trials import Problem, cuts_of, try_all
from ._versions import versions
from .selection import FeatureSelection

__all__ = ["select_features"]

_MOST_IN_PICTURE = 200
_ASKING = type("select_features", (BaseEstimator,), {})()  # whom messages about X and y speak of


def select_features(
    X,
    y,
    *,
    method="l2",
    n_features="auto",
    rule="one_se",
    scoring="accuracy",
    cv=None,
    n_repeats=None,
    impute=None,
    n_resamples=0,
    feature_names=None,
    n_jobs=None,
    random_state=None,
    progress=None,
):
    """Find the few features that tell the classes apart, and how well they do on unseen samples.

    Features are ranked, and classifiers on the first 1, 2, 3, ... of them are scored in folds; the
    number is chosen by these scores. That choice, made by looking at the scores, makes the best of
    them too good. So all of it, the choice included, is done once more inside the training part of
    each fold, and `score` is that of what was chosen there, on the test part. Scaling and
    imputation, too, happen inside.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Samples, raw: neither scaled nor selected by looking at all of them.
    y : array-like of shape (n_samples,)
        Class labels, of any type.
    method : str, default="l2"
        How features are ranked, and what classifies: "l2" and "l1", sparse centers; "disjoint",
        margins and disjoint centroids; "fisher", weights in the Fisher subspace and its classifier;
        "l21", "relief" and "encoder", the selectors of these names and logistic regression; "best",
        whichever of them, but the encoder, does best in the folds. ``SELECTION_METHODS`` has a line
        on each.
    n_features : int or "auto", default="auto"
        How many features; "auto" chooses.
    rule : {"one_se", "best"}, default="one_se"
        "one_se": the fewest features whose score is within one standard error of the best; "best":
        the fewest with the best score.
    scoring : {"accuracy", "balanced_accuracy"}, default="accuracy"
        What to score by.
    cv : int or None, default=None
        Number of folds, stratified and shuffled, at least 3 where something is chosen; None is 5,
        or as many as the rarest class has samples.
    n_repeats : int or None, default=None
        How often the folds are drawn anew; None is 3.
    impute : {"mean", "median", "most_frequent"} or None, default=None
        How to fill in missing values, learned inside the folds.
    n_resamples : int, default=0
        Number of halves of the samples in which to select again, for `stability`; an even number,
        or 0 for none.
    feature_names : array-like of str, default=None
        Names of the features; None takes those of a data frame, or x0, x1, ...
    n_jobs : int or None, default=None
        Number of processes, or threads for "l2" and "l1", over methods and folds. The result does
        not depend on it.
    random_state : int, RandomState or None, default=None
        Seed or source of the folds and of all else that is random.
    progress : bool, callable or None, default=None
        True writes how far it is to the standard error stream. A function is called as
        ``progress(n_done, n_steps, what)`` after each step.

    Returns
    -------
    FeatureSelection
        The features, a model fitted to all samples, and the scores; printing it shows them.

    See Also
    --------
    centroidal.io.select_batches : The same for data that do not fit in memory.
    compare : Compares whole classifiers, ours and others.
    StabilitySelector : Which features are selected again and again.
    centroidal.report.write_report : Turns the result into a page to look at.

    Notes
    -----
    **Error.** `se_score` is that of Nadeau and Bengio :cite:p:`Nadeau2003`, which knows that the
    training parts of folds overlap.

    **Rare classes.** Each class needs two samples, three with ``n_features="auto"`` or several
    methods, which take folds inside folds.

    **Folds inside folds.** The inner folds of a fold are the others, so that a model without two
    of them serves both.

    **Time** of "l2" and "l1" is that of ``n_repeats * cv * (cv + 1) / 2`` fits, 15 a repeat with 5
    folds, whatever the number of features tried. The other methods rank the features so often, and
    fit their classifier for each number of features up to 256 as well.

    Examples
    --------
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.model_selection import select_features
    >>> X, y = load_expression(return_X_y=True)
    >>> found = select_features(X, y, random_state=0)
    >>> found.n_features_to_select < 50, found.score > 0.9, found.beats_random
    (True, True, True)
    >>> found.model.predict(X[:3]).shape
    (3,)
    """
    start = time.perf_counter()
    tell = progress_function(progress, "steps")
    asked = Asked(method, n_features, rule, scoring).check()
    _check_resamples(n_resamples)
    check_jobs(n_jobs)
    imputer = check_imputer(impute)
    seed = seed_of(random_state)
    rng = np.random.RandomState(seed)
    data = _check_data(X, y, imputer)
    names = _check_names(feature_names, data.features)
    problem = Problem.of(data, asked, imputer, seed)
    n_folds = check_n_folds(cv, data.classes, np.bincount(data.codes), problem.is_nested)
    folds = outer_folds(n_folds, n_repeats, data, None, draw_seed(rng))
    cuts = cuts_of(folds, n_folds, rng)

    steps = _Steps(tell, len(cuts) * len(problem.jobs(n_folds)) + 1 + bool(n_resamples))
    tried = try_all(problem, cuts, n_jobs, steps.done)
    ratio = float(np.mean([test.size / train.size for train, test in folds]))
    answer = Answer(asked, problem.sizes, tried, ratio)
    fitted = _fit_all(problem, answer, names)
    steps.done("all samples")
    stability = None
    if n_resamples:
        stability = _stability(problem, answer, n_resamples, n_jobs, draw_seed(rng))
        steps.done("resamples")

    return FeatureSelection(
        method=answer.method,
        methods_tried=tuple(problem.methods),
        n_features_asked=n_features,
        rule=rule,
        scoring=scoring,
        classes=data.classes,
        class_counts=np.bincount(data.codes),
        feature_names=_text_names(names, data.features.number),
        n_features_to_select=answer.n_features,
        path=answer.path,
        confusion_path=answer.confusion_path,
        random_path=answer.random_path,
        score=answer.score,
        se_score=answer.se_score,
        confusion=answer.confusion,
        random_score=answer.random_score,
        se_random=answer.se_random,
        majority_score=majority_score(np.bincount(data.codes), scoring),
        predicted=_in_order(answer.predictions(), folds, n_folds),
        true_codes=data.codes,
        fold_choices=answer.fold_choices(),
        method_scores=answer.method_scores(),
        stability=stability,
        n_folds=n_folds,
        n_repeats=len(cuts),
        impute=impute,
        seed=seed,
        seconds=time.perf_counter() - start,
        versions=versions(),
        **fitted,
    )


# ------------------------------------------------------------------ what is asked for


def _check_resamples(n_resamples):
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, Integral):
        raise TypeError(f"n_resamples={n_resamples!r} must be an int, 0 for none.")
    if n_resamples < 0 or n_resamples % 2:
        raise ValueError(f"n_resamples={n_resamples} must be an even number, or 0 for none.")


def _check_data(X, y, imputer):
    if y is None:
        raise ValueError("y=None must hold the class of each sample.")
    data = check_labelled(_ASKING, X, y, finite=True if imputer is None else "allow-nan")
    return data._replace(X=data.X.tocsr()) if issparse(data.X) else data


def _check_names(names, features):
    """Names of the features as an array of objects, None if they have none."""
    if names is None:
        return features.names
    if isinstance(names, str) or not np.iterable(names):
        raise TypeError(f"feature_names={names!r} must hold a name for each feature, or be None.")
    names = np.array([str(name) for name in names], dtype=object)
    if names.size != features.number:
        raise ValueError(
            f"feature_names holds {names.size} names, but X has {features.number} features."
        )
    if len(set(names.tolist())) < names.size:
        raise ValueError("feature_names must all be different.")
    return names


def _text_names(names, n_features):
    return np.array([f"x{j}" for j in range(n_features)] if names is None else names.tolist())


class _Steps:
    """Counts steps and tells about them."""

    def __init__(self, tell, n_steps):
        self._tell, self._n_steps, self._n_done = tell, n_steps, 0

    def done(self, what):
        self._n_done += 1
        self._tell(self._n_done, self._n_steps, what)


# ------------------------------------------------------------------ all samples


def _in_order(predictions, folds, n_folds):
    """Predicted codes of all samples, in a row a repeat."""
    n_samples = sum(map(len, folds[0]))
    codes = np.full((len(folds) // n_folds, n_samples), -1)
    for number, (predicted, (_, test)) in enumerate(zip(predictions, folds, strict=True)):
        codes[number // n_folds, test] = predicted
    return codes


def _fit_all(problem, answer, names):
    """Ranking, centers, model and picture of all samples."""
    everything = np.arange(problem.data.codes.size)
    data = problem.data_for(everything)
    method, labels = problem.methods[answer.method], data.classes[data.codes]
    with problem.one_thread():
        path = method.fit(data, everything)
        model = method.model(answer.n_features).fit(data.X, labels)
        selected = path.ranking[: answer.n_features]
        return {
            "model": _named(_with_fitted_imputer(problem, model), names),
            "ranking": path.ranking,
            "gains": path.gains,
            **_class_summaries(data, answer.method),
            "subspace": _subspace(data.X, labels, selected[:_MOST_IN_PICTURE]),
        }


def _with_fitted_imputer(problem, model):
    if problem.imputer is None:
        return model
    steps = model.steps if isinstance(model, Pipeline) else [("classify", model)]
    return Pipeline([("impute", clone(problem.imputer).fit(problem.data.X)), *steps])


def _named(model, names):
    """Give a fitted model the names of the features, as if it had been fitted to a data frame."""
    if names is not None:
        first = model[0] if isinstance(model, Pipeline) else model
        first.feature_names_in_ = np.asarray(names, dtype=object)
    return model


def _class_summaries(data, method):
    """Centers of the classes, and the spread inside them."""
    rows = data.X, data.codes, data.classes.size
    moments = class_moments(*rows)
    centers = class_medians(*rows).medians if method == "l1" else moments.means
    return {"centers": centers, "spreads": np.sqrt(moments.within_variance)}


def _subspace(X, labels, columns):
    """Place samples by Fisher directions, and a principal component beside a single one."""
    Z = X[:, columns].toarray() if issparse(X) else X[:, columns].astype(float, order="C")
    spread = Z.std(axis=0)
    Z = (Z - Z.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    if not spread.any():
        return np.zeros((len(Z), 2))
    fisher = FisherSubspace().fit_transform(Z, labels)[:, :2]
    if fisher.shape[1] == 2:
        return fisher
    direction = np.linalg.lstsq(Z, fisher[:, 0] - fisher[:, 0].mean(), rcond=None)[0]
    length = np.linalg.norm(direction)
    beside = Z - np.outer(Z @ direction, direction) / length**2 if length > 0.0 else Z
    left, values, _ = np.linalg.svd(beside, full_matrices=False)
    return np.column_stack([fisher[:, 0], left[:, 0] * values[0]])


def _stability(problem, answer, n_resamples, n_jobs, seed):
    from .stability import StabilitySelector

    selector = problem.methods[answer.method].selector(answer.n_features)
    if problem.imputer is not None:
        selector = with_imputer(selector, problem.imputer)
    stability = StabilitySelector(
        selector, n_resamples=int(n_resamples), n_jobs=n_jobs, random_state=seed
    )
    with parallel_config(prefer=problem.prefers):
        return stability.fit(problem.data.X, problem.data.codes)
