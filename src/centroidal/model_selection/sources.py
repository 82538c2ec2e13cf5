"""Where samples come from, and what the engine asks of them.

A source cuts its samples into folds, counts what the models of all training sets predict, and fits
the final model. `MemorySource` has all samples at hand, `BatchSource` (in `stream_source.py`) reads
them in batches.
"""

from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from joblib import parallel_config
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from .._data import LabelledData, check_labelled
from .._parameters import check_choice, number
from .._progress import progress_function
from ..classifiers import FisherSubspace
from .blocks import Blocks
from .methods import METHODS, DataKind
from .metrics import confusion_matrices
from .nested import FoldCounts, Trial
from .repeatable import draw_seed, run_jobs, seed_of, thread_limit
from .splits import Units, check_groups, cut_samples
from .suspicion import find_suspicions

__all__ = ["MemorySource", "check_imputer", "with_imputer"]

_STRATEGIES = ("mean", "median", "most_frequent")
_N_RANDOM = 5  # orders of the features that random ones are the first of, in each fold
_MOST_IN_PICTURE = 200
_SUMMARY_BYTES = 2**28  # that summaries of training sets may take together
_check_resamples = number(
    "an int, 0 for none",
    lambda value: value >= 0 and value % 2 == 0,
    "be an even number, or 0 for none",
    Integral,
)
_ASKING = type("select_features", (BaseEstimator,), {})()  # whom messages about X and y speak of


class MemorySource:
    """Samples in memory: training sets are sums of folds where a method has them, else fitted.

    The parameters are those of :func:`select_features`.
    """

    def __init__(
        self, X, y, random_state, n_jobs, progress, *, groups, blocks, impute, n_resamples,
        feature_names,
    ):  # fmt: skip
        _check_resamples("n_resamples", n_resamples)
        self._tell = progress_function(progress, "steps")
        self._imputer = check_imputer(impute)
        self.seed = seed_of(random_state)
        if y is None:
            raise ValueError("y=None must hold the class of each sample.")
        finite = True if self._imputer is None else "allow-nan"
        data = check_labelled(_ASKING, X, y, finite=finite)
        names = _check_names(feature_names, data.features)
        X = data.X.tocsr() if issparse(data.X) else data.X
        self._data = data._replace(X=X, features=data.features._replace(names=names))
        self._groups = check_groups(groups, data.codes.size)
        self._blocks = Blocks.check(blocks, data.codes, self._groups)
        self._rng = np.random.RandomState(self.seed)
        self._n_jobs, self._n_resamples = n_jobs, int(n_resamples)
        self._n_done = self._n_steps = 0

    @property
    def data(self):
        """The samples, checked."""
        return self._data

    @property
    def groups(self):
        """Number of the group of each sample; None if each stands for itself."""
        return self._groups

    def part(self, rows):
        """Return the source of some of the samples, which tells no progress."""
        data, groups = self._data, self._groups
        return MemorySource(
            data.X[rows], data.classes[data.codes[rows]], self.seed, self._n_jobs, None,
            groups=None if groups is None else groups[rows], blocks=None, impute=self._imputer,
            n_resamples=0, feature_names=None,
        )  # fmt: skip

    def find_suspicions(self):
        """Look for what would make the score too good."""
        return find_suspicions(self._imputed_data, self.feature_names, self._groups, self.seed)

    def score_blocks(self, run, scoring):
        """Score each block by what `run` selects without it; None if there are no blocks."""
        if self._blocks is None:
            return None
        rows = []
        for row in self._blocks.score(self, run, scoring):
            rows.append(row)
            self._step_done(f"without {row['block']}")
        return self._blocks.describe(rows, self._data.codes, self.seed, self._groups)

    @property
    def kind(self):
        """What methods have to know of the data."""
        data = self._data
        return DataKind(data.features.number, data.classes.size, issparse(data.X), self.seed)

    @property
    def classes(self):
        """Labels."""
        return self._data.classes

    @property
    def class_counts(self):
        """Number of samples of each class."""
        return np.bincount(self._data.codes)

    @property
    def units(self):
        """What is dealt to folds, samples or groups, counted for each class."""
        return Units.of(self.classes, self._data.codes, self._groups)

    @property
    def n_groups(self):
        """Number of groups; None if each sample stands for itself."""
        return None if self._groups is None else int(self._groups.max()) + 1

    @property
    def feature_names(self):
        """Names of all features."""
        names, number = self._data.features.names, self._data.features.number
        return np.array([f"x{j}" for j in range(number)] if names is None else names.tolist())

    def cut(self, n_folds, n_repeats, is_nested):
        """Cut the samples into outer folds, again and again."""
        return cut_samples(self._data, n_folds, n_repeats, self._rng, self._groups, is_nested)

    def prepare(self, trials):
        """Count the steps ahead, with those after the folds."""
        n_blocks = 0 if self._blocks is None else self._blocks.names.size
        n_after = 1 + bool(self._n_resamples) + n_blocks
        self._n_steps = sum(len(_jobs(trial)) for trial in trials) + n_after

    def _step_done(self, what):
        self._n_done += 1
        self._tell(self._n_done, self._n_steps, what)

    def count_predictions(self, trial):
        """Count what each training set predicts in the folds that it leaves out."""
        counts, jobs = FoldCounts.empty(), _jobs(trial)
        work = _Work(self._data, self._imputer, trial, _random_centers(self.kind, trial))
        for start in range(0, len(jobs), self._n_sets_at_a_time):
            some = jobs[start : start + self._n_sets_at_a_time]
            pieces = self._summaries(work, some).items()
            tasks = ((work, *job, summary) for job, summary in pieces)
            found = run_jobs(_predict, tasks, self._n_jobs, work.prefers)
            for (left_out, key), predicted in zip(some, found, strict=True):
                _add_counts(counts, work, left_out, key, *predicted)
                name = key or "random features"
                self._step_done(f"{name}, {trial.repeat.name_folds(left_out)}")
        return counts

    @property
    def _n_sets_at_a_time(self):
        kind = self.kind
        return max(1, _SUMMARY_BYTES // (16 * kind.n_classes * kind.n_features))

    def _summaries(self, work, jobs):
        """Find what one pass can find for all training sets of a method; None where nothing can."""
        summaries = dict.fromkeys(jobs)
        if self._imputer is not None:
            return summaries
        for key in {key for _, key in jobs}:
            mine = [job for job in jobs if job[1] == key]
            sets = [left_out for left_out, _ in mine]
            found = work.procedure(key).summarise_sets(self._data, work.trial.repeat.folds, sets)
            if found is not None:
                summaries.update(zip(mine, found, strict=True))
        return summaries

    def fit_final(self, candidate, n_features):
        """Fit the model with so many features to all samples, which are summarised once."""
        with thread_limit("threads" if candidate.uses_threads else None):
            final = candidate.procedure.fit_final(self._imputed_data, n_features)
        if self._imputer is not None:
            final = final._replace(model=self._with_fitted_imputer(final.model))
        self._step_done("all samples")
        return final

    @cached_property
    def _imputed_data(self):
        return _impute(self._data, self._imputer, np.arange(self._data.codes.size))

    def _with_fitted_imputer(self, model):
        imputer = clone(self._imputer).fit(self._data.X)
        self._data.features.keep(imputer)
        steps = model.steps if isinstance(model, Pipeline) else [("classify", model)]
        return Pipeline([("impute", imputer), *steps])

    def describe_samples(self, candidate, scores, final, repeats):
        """Tell what is known of each sample: class, predicted class, place in a picture."""
        n_features = scores.n_features
        predicted = np.full((len(repeats), self._data.codes.size), -1)
        for place, codes in enumerate(scores.predictions):
            row, fold = divmod(place, repeats[0].n_folds)
            predicted[row, repeats[row].rows(fold)] = codes
        shown = final.ranking[: min(n_features, _MOST_IN_PICTURE)]
        return {
            "predicted": predicted,
            "true_codes": self._data.codes,
            "subspace": _subspace(self._imputed_data, shown),
            "stability": self._stability(candidate, n_features) if self._n_resamples else None,
        }

    def _stability(self, candidate, n_features):
        """Select again from halves of the samples."""
        from .stability import StabilitySelector

        stability = StabilitySelector(
            with_imputer(candidate.procedure.selector(n_features), self._imputer),
            n_resamples=self._n_resamples,
            n_jobs=self._n_jobs,
            random_state=draw_seed(self._rng),
        )
        with parallel_config(prefer="threads" if candidate.uses_threads else None):
            stability.fit(self._data.X, self._data.codes, groups=self._groups)
        self._step_done("resamples")
        return stability


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


# ------------------------------------------------------------------ one training set


class _Work(NamedTuple):
    """What all jobs have in common."""

    data: LabelledData
    imputer: Any
    trial: Trial
    random_centers: Any  # the procedure that random features are tried with

    @property
    def prefers(self):
        """What jobs had better run in: loops that release the GIL need no processes."""
        candidates = self.trial.candidates.values()
        return "threads" if all(each.uses_threads for each in candidates) else None

    def procedure(self, key):
        """Return the procedure of a method; None stands for random features."""
        return self.random_centers if key is None else self.trial.candidates[key].procedure

    def confusions(self, codes, rows):
        """Confusion matrices of some samples, for each row of predicted codes."""
        return confusion_matrices(codes, self.data.codes[rows], self.data.classes.size)


def _jobs(trial):
    """List what to fit: the folds that a training set leaves out, and a method.

    Random features are tried with the centers of "l2", or by themselves under the key None, and
    have no part in what the inner folds choose.
    """
    alone = () if "l2" in trial.candidates else (None,)
    return [
        (left_out, key)
        for left_out in trial.training_sets
        for key in (*(alone if len(left_out) == 1 else ()), *trial.candidates)
    ]


def _random_centers(kind, trial):
    found = trial.candidates.get("l2")
    return METHODS["l2"].build(kind) if found is None else found.procedure


def _predict(work, left_out, key, summary):
    """Fit a method to a training set, and predict the folds that it leaves out.

    Returns the codes for each size, and the confusion matrices of random features for each order
    and size; None where they are not asked for.
    """
    trial, test = work.trial, work.trial.repeat.rows(*left_out)
    data, path = _fit(work, left_out, key, summary)
    if len(left_out) == 2 or key not in (None, "l2"):
        return path.predict(data.X, test, trial.sizes_of(key, left_out)), None
    sizes = trial.all_sizes
    orders = trial.random_orders(*left_out, data.X.shape[1], _N_RANDOM)
    ranked, *drawn = path.predict_in_orders(np.vstack([path.ranking, orders]), data.X, test, sizes)
    at_random = np.array([work.confusions(codes, test) for codes in drawn])
    if key is None:
        return None, at_random
    return ranked[np.searchsorted(sizes, trial.candidates[key].sizes)], at_random


def _fit(work, left_out, key, summary):
    procedure = work.procedure(key)
    if summary is not None:
        return work.data, procedure.fit_summary(work.data, summary)
    train = work.trial.repeat.rows_without(*left_out)
    data = _impute(work.data, work.imputer, train)
    return data, procedure.fit(data, train)


def _add_counts(counts, work, left_out, key, codes, at_random):
    repeat, rows = work.trial.repeat, work.trial.repeat.rows(*left_out)
    if len(left_out) == 2:
        for fold, other in (left_out, left_out[::-1]):
            is_other = repeat.folds[rows] == other
            found = work.confusions(codes[:, is_other], rows[is_other])
            counts.inner[fold, other, key] = found
        return
    (fold,) = left_out
    if at_random is not None:
        counts.at_random[fold] = at_random
    if key is not None:
        counts.outer[fold, key] = work.confusions(codes, rows)
        counts.predicted[fold, key] = codes


# ------------------------------------------------------------------ missing values


def check_imputer(impute):
    """Return the imputer that is asked for by name or given; None if there is none."""
    if impute is None:
        return None
    if isinstance(impute, str):
        check_choice("impute", impute, _STRATEGIES)
        from sklearn.impute import SimpleImputer

        # A feature without any value in a training set stays, so that columns keep their place.
        return SimpleImputer(strategy=impute, keep_empty_features=True)
    if isinstance(impute, type) or not (hasattr(impute, "fit") and hasattr(impute, "transform")):
        raise TypeError(
            f"impute={impute!r} must be one of {', '.join(_STRATEGIES)}, a transformer or None."
        )
    return impute


def with_imputer(estimator, imputer):
    """Return the estimator with an imputer of its own in front of it."""
    if imputer is None:
        return estimator
    return Pipeline([("impute", clone(imputer)), ("model", estimator)])


def _impute(data, imputer, train):
    """All samples, with missing values filled in by what the training set knows."""
    if imputer is None:
        return data
    X = clone(imputer).fit(data.X[train]).transform(data.X)
    unnamed = data.features._replace(names=None)  # what follows the imputer is given arrays
    return data._replace(X=X.tocsr() if issparse(X) else X, features=unnamed)


# ------------------------------------------------------------------ a picture


def _subspace(data, columns):
    """Place samples by Fisher directions, and a principal component beside a single one."""
    X = data.X[:, columns]
    Z = X.toarray() if issparse(X) else X.astype(float, order="C")
    spread = Z.std(axis=0)
    Z = (Z - Z.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    if not spread.any():
        return np.zeros((len(Z), 2))
    fisher = Z @ FisherSubspace().fit(Z, data.codes).axes_[:, :2]
    if fisher.shape[1] == 2:
        return fisher
    direction = np.linalg.lstsq(Z, fisher[:, 0] - fisher[:, 0].mean(), rcond=None)[0]
    length = np.linalg.norm(direction)
    beside = Z - np.outer(Z @ direction, direction) / length**2 if length > 0.0 else Z
    left, values, _ = np.linalg.svd(beside, full_matrices=False)
    return np.column_stack([fisher[:, 0], left[:, 0] * values[0]])
