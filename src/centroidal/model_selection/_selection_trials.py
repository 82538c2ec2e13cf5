"""What methods do in folds, and inside folds: every training set is fitted once."""

from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from .._data import LabelledData
from ._folds import training_sets
from ._seeds import draw_seed
from ._selection_answer import Asked, Tried
from ._selection_methods import candidates, centers_method, method_named
from ._threads import one_thread
from .selection import confusions_of, score_of

__all__ = ["Problem", "cuts_of", "try_all"]

_N_RANDOM = 5  # orders of the features that random ones are the first of, in each fold
_SUMMARY_BYTES = 2**28  # that summaries of training sets may take together


class Problem(NamedTuple):
    """What is asked, of which data."""

    data: LabelledData
    asked: Asked
    methods: dict
    sizes: dict
    imputer: Any

    @classmethod
    def of(cls, data, asked, imputer, seed):
        """Find the methods and the numbers of features to try; raise if there is none."""
        n_features, is_sparse = data.features.number, issparse(data.X)
        kind = n_features, data.classes.size, is_sparse, seed
        methods = {name: method_named(name, *kind) for name in candidates(asked.method, is_sparse)}
        sizes = {name: each.sizes(n_features) for name, each in methods.items()}
        if asked.n_features != "auto":
            k = asked.check_number(n_features)
            methods = _that_take(k, methods)
            sizes = {name: np.union1d(sizes[name], k) for name in methods}
        return cls(data, asked, methods, sizes, imputer)

    @property
    def is_nested(self):
        """Whether something is chosen, which takes folds inside folds."""
        return self.asked.n_features == "auto" or len(self.methods) > 1

    @property
    def prefers(self):
        """What jobs had better run in: loops that release the GIL need no processes."""
        return "threads" if all(each.releases_gil for each in self.methods.values()) else None

    def one_thread(self):
        """Keep linear algebra to one thread, where there is any: to look for it takes time."""
        return nullcontext() if self.prefers == "threads" else one_thread()

    def jobs(self, n_folds):
        """List what to try: the folds that a training set does without, and a method.

        Random features are tried with the centers of "l2", or by themselves under the name None,
        and have no part in what is chosen inside folds.
        """
        alone = () if "l2" in self.methods else (None,)
        _, *sets = training_sets(n_folds, self.is_nested)
        return [
            (left_out, name)
            for left_out in sets
            for name in (*(alone if len(left_out) == 1 else ()), *self.methods)
        ]

    def method(self, name):
        """Return the method of a name; random features are those of sparse centers."""
        return self.methods[name] if name else centers_method(issparse(self.data.X))

    def data_for(self, train):
        """All samples, with missing values filled in by what the training part knows."""
        if self.imputer is None:
            return self.data
        imputer = clone(self.imputer).fit(self.data.X[train])
        X = imputer.transform(self.data.X)
        return self.data._replace(X=X.tocsr() if issparse(X) else X)

    def confusions(self, predicted, rows):
        """Confusion matrix of some samples, for each row of predicted codes."""
        return confusions_of(predicted, self.data.codes[rows], self.data.classes.size)

    def scores(self, predicted, rows):
        """Score of some samples, for each row of predicted codes."""
        return score_of(self.confusions(predicted, rows), self.asked.scoring)


def _that_take(n_features, methods):
    """Return the methods that can do with so few features; raise if none can."""
    fit = {name: each for name, each in methods.items() if each.fewest <= n_features}
    if not fit:
        (name, method), *_ = methods.items()
        raise ValueError(
            f"n_features={n_features} must be at least {method.fewest}, a feature for each class, "
            f"with method={name!r}."
        )
    return fit


class Cut(NamedTuple):
    """The samples, cut into folds once."""

    folds: np.ndarray  # fold of each sample
    seeds: list  # of random features, for each fold
    first: int  # number of the first fold among those of all cuts

    def rows(self, *folds):
        """Return the samples of some folds."""
        return np.flatnonzero(self._is_in(folds))

    def rows_without(self, *folds):
        """Return the samples of the other folds."""
        return np.flatnonzero(~self._is_in(folds))

    def _is_in(self, folds):
        return np.logical_or.reduce([self.folds == fold for fold in folds])

    def told(self, folds):
        """Say which folds."""
        numbers = " and ".join(str(self.first + fold + 1) for fold in folds)
        return f"fold {numbers}" if len(folds) == 1 else f"folds {numbers}"


def cuts_of(folds, n_folds, rng):
    """Put the folds that were drawn together side by side."""
    cuts = []
    for first in range(0, len(folds), n_folds):
        numbers = np.empty(sum(map(len, folds[0])), dtype=np.intp)
        for number, (_, test) in enumerate(folds[first : first + n_folds]):
            numbers[test] = number
        cuts.append(Cut(numbers, [draw_seed(rng) for _ in range(n_folds)], first))
    return cuts


def try_all(problem, cuts, n_jobs, tell):
    """Results of each fold: a dict of methods, and of random features under the name None."""
    with (
        problem.one_thread(),  # here too: jobs in threads would not restore it in order
        Parallel(n_jobs=n_jobs, prefer=problem.prefers, return_as="generator") as parallel,
    ):
        return [each for cut in cuts for each in _try_cut(problem, cut, parallel, tell)]


def _try_cut(problem, cut, parallel, tell):
    found, n_folds = {}, len(cut.seeds)
    for jobs in _in_memory(problem, problem.jobs(n_folds)):
        summaries = _summaries(problem, cut, jobs)
        results = parallel(
            delayed(_try)(problem, cut, *job, summary)
            for job, summary in zip(jobs, summaries, strict=True)
        )
        for (left_out, name), result in zip(jobs, results, strict=True):
            found[left_out, name] = result
            tell(f"{name or 'random features'}, {cut.told(left_out)}")
    return [_tried_in(problem, cut, fold, found) for fold in range(n_folds)]


# ------------------------------------------------------------------ one training set


def _in_memory(problem, jobs):
    """Yield as many jobs at a time as there is memory for summaries of their training sets."""
    data = problem.data
    height = max(1, _SUMMARY_BYTES // (16 * data.classes.size * data.features.number))
    for start in range(0, len(jobs), height):
        yield jobs[start : start + height]


def _summaries(problem, cut, jobs):
    """Find what one pass can find for all training sets of a method; None where nothing can."""
    summaries = dict.fromkeys(jobs)
    if problem.imputer is None:
        for name in {name for _, name in jobs}:
            mine = [job for job in jobs if job[1] == name]
            sets = [left_out for left_out, _ in mine]
            found = problem.method(name).summaries(problem.data, cut.folds, sets)
            summaries.update(zip(mine, found, strict=True))
    return [summaries[job] for job in jobs]


class _Result(NamedTuple):
    """What a training set predicts in the folds that it does without."""

    predicted: np.ndarray | None  # codes, for each size
    at_random: dict | None = None  # mean score of random features, for the sizes of each method


def _try(problem, cut, left_out, name, summary):
    with problem.one_thread():
        if summary is None:
            train = cut.rows_without(*left_out)
            data = problem.data_for(train)
            path = problem.method(name).fit(data, train)
        else:
            data, path = problem.data, problem.method(name).fit_summary(problem.data, summary)
        test = cut.rows(*left_out)
        if len(left_out) == 2:
            sizes = problem.sizes[name]
            return _Result(path.predict(data.X, test, sizes[problem.asked.choices(sizes)]))
        if name in (None, "l2"):
            return _try_with_random(problem, name, cut.seeds[left_out[0]], data.X, path, test)
        return _Result(path.predict(data.X, test, problem.sizes[name]))


def _try_with_random(problem, name, seed, X, path, test):
    """Predict with features as they are ranked, and with nearest centers in random orders."""
    sizes = np.unique(np.concatenate(list(problem.sizes.values())))
    rng = np.random.RandomState(seed)
    orders = [path.ranking, *(rng.permutation(X.shape[1]) for _ in range(_N_RANDOM))]
    ranked, *mixed = path.predict_in_orders(np.array(orders), X, test, sizes)
    scores = np.mean([problem.scores(predicted, test) for predicted in mixed], axis=0)
    places = {each: np.searchsorted(sizes, mine) for each, mine in problem.sizes.items()}
    at_random = {each: scores[mine] for each, mine in places.items()}
    return _Result(ranked[places[name]] if name else None, at_random)


# ------------------------------------------------------------------ one fold


def _tried_in(problem, cut, fold, found):
    """Say what each method does in a fold, and random features."""
    test, tried = cut.rows(fold), {}
    for name in problem.methods:
        predicted = found[(fold,), name].predicted
        confusions = problem.confusions(predicted, test)
        tried[name] = Tried(confusions, *_choose(problem, cut, fold, name, found), predicted)
    tried[None] = found[(fold,), "l2" if "l2" in problem.methods else None].at_random
    return tried


def _choose(problem, cut, fold, name, found):
    """Let the other folds choose a size: each of them is predicted by a model without both."""
    asked, sizes = problem.asked, problem.sizes[name]
    may = asked.choices(sizes)
    if not problem.is_nested:
        return int(may[0]), np.nan
    others = np.delete(np.arange(len(cut.seeds)), fold)
    scores = np.full((others.size, sizes.size), np.nan)
    for mine, other in zip(scores, others, strict=True):
        both = min(fold, other), max(fold, other)
        is_other = cut.folds[cut.rows(*both)] == other
        mine[may] = problem.scores(found[both, name].predicted[:, is_other], cut.rows(other))
    return asked.choose(sizes, scores, 1.0 / (others.size - 1))
