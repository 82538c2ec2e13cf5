"""Folds: listed, repeated for an honest score, and inside estimators that choose by them."""

from itertools import combinations
from numbers import Integral

import numpy as np
from sklearn import get_config
from sklearn.metrics import get_scorer
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedGroupKFold, check_cv
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from .._parameters import check_count
from .._progress import ProgressMixin
from ..statistics import map_blocks
from ._seeds import draw_seeds

__all__ = ["FoldsMixin", "check_n_folds", "list_folds", "outer_folds", "training_sets"]

_N_FOLDS = 5  # if nothing is said, and each class has so many samples
_N_REPEATS = 3  # of a number of folds, if nothing is said


def list_folds(cv, X, labels, **split_params):
    """Training and test samples of each fold as positions, whatever the splitter gives."""
    if isinstance(cv, Integral) and cv < 2:
        raise ValueError(f"cv={cv} must be at least 2 folds.")
    positions = np.arange(labels.size)
    splits = check_cv(cv, labels, classifier=True).split(X, labels, **split_params)
    folds = [(positions[train], positions[test]) for train, test in splits]
    if not folds:
        raise ValueError(f"cv={cv!r} must give at least one fold.")
    return folds


def outer_folds(cv, n_repeats, data, groups, seed):
    """Training and test samples of each fold, which have none in common.

    A number of folds is drawn `n_repeats` times, None is 3 times; other splitters decide
    themselves.
    """
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        n_repeats = _N_REPEATS if n_repeats is None else n_repeats
        check_count("n_repeats", n_repeats)
        _check_enough(cv, data, groups)
        splitters = _repeated(int(cv), int(n_repeats), groups, seed)
    elif n_repeats is not None:
        raise ValueError(f"n_repeats={n_repeats!r} must be None unless cv is a number; cv={cv!r}.")
    else:
        splitters = [cv]
    labels = data.classes[data.codes]
    folds = [fold for each in splitters for fold in list_folds(each, data.X, labels, groups=groups)]
    for number, (train, test) in enumerate(folds):
        _check_fold(number, train, test)
    return folds


def check_n_folds(cv, classes, counts, is_nested):
    """Return the number of folds; if nothing is said, as many as the rarest class allows."""
    rarest, fewest = classes.tolist()[counts.argmin()], int(counts.min())
    least = 3 if is_nested else 2
    if fewest < least:
        raise ValueError(
            f"class {rarest!r} has {fewest} sample{'' if fewest == 1 else 's'}; at least {least} "
            "are needed to select and to test. Leave it out, or join it with another class."
        )
    if cv is None:
        return min(_N_FOLDS, fewest)
    if isinstance(cv, bool) or not isinstance(cv, Integral):
        raise TypeError(f"cv={cv!r} must be an int, the number of folds, or None.")
    if cv < least:
        why = ", as the folds inside a fold are the others" if is_nested else ""
        raise ValueError(f"cv={cv} must be at least {least}{why}.")
    _check_most(cv, classes, counts)
    return int(cv)


def training_sets(n_folds, is_nested):
    """Name the training sets by the folds they do without: none, one, or two for inner folds.

    The inner folds of a fold are the others, so that a model without two of them serves both.
    """
    most = 2 if is_nested else 1
    return [left_out for n in range(most + 1) for left_out in combinations(range(n_folds), n)]


def _check_enough(cv, data, groups):
    if cv < 2:
        raise ValueError(f"cv={cv} must be at least 2 folds.")
    _check_most(cv, data.classes, np.bincount(data.codes))
    if groups is not None and cv > np.unique(groups).size:
        raise ValueError(f"cv={cv} must be at most {np.unique(groups).size}, the number of groups.")


def _check_most(cv, classes, counts):
    if cv > counts.min():
        rarest = classes.tolist()[counts.argmin()]
        raise ValueError(
            f"cv={cv} must be at most {counts.min()}, the number of samples of class {rarest!r}."
        )


def _check_fold(number, train, test):
    if not train.size or not test.size:
        raise ValueError(f"fold {number} of cv must have samples to train and to test.")
    shared = np.intersect1d(train, test).size
    if shared:
        raise ValueError(
            f"fold {number} of cv tests {shared} samples that it trains on; no score of it would "
            "be honest."
        )


def _repeated(n_folds, n_repeats, groups, seed):
    if groups is None:
        return [RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=n_repeats, random_state=seed)]
    seeds = draw_seeds(np.random.RandomState(seed), n_repeats).tolist()
    return [StratifiedGroupKFold(n_folds, shuffle=True, random_state=each) for each in seeds]


class FoldsMixin(ProgressMixin):
    """Parameters `cv`, `scoring` and `n_jobs`; `_needs_scorer` says if a scorer is called."""

    _needs_scorer = True

    def get_metadata_routing(self):
        """Say which metadata the splitter and the scorer take.

        Returns
        -------
        MetadataRouter
            Routing information.
        """
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(splitter=self.cv, method_mapping=to_split)
        if self._needs_scorer:
            to_score = MethodMapping().add(caller="fit", callee="score")
            router.add(scorer=self._scorer, method_mapping=to_score)
        return router

    @property
    def _scorer(self):
        return get_scorer("accuracy" if self.scoring is None else self.scoring)

    def _routed(self, sample_weight, params):
        """Metadata for the splitter and the scorer, which must exist."""
        if self._needs_scorer:
            get_scorer("accuracy" if self.scoring is None else self.scoring)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **weights, **params)
            return Bunch(splitter=routed["splitter"], scorer=routed.get("scorer", Bunch(score={})))
        unknown = params.keys() - {"groups"}
        if unknown:
            raise TypeError(
                f"fit got {', '.join(sorted(unknown))}, which needs metadata routing: "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        return Bunch(splitter=Bunch(split=params), scorer=Bunch(score=weights))

    def _folds(self, data, split_params):
        """Training and test samples of each fold."""
        return list_folds(self.cv, data.X, data.classes[data.codes], **split_params)

    def _scores_of(self, score_fold, folds):
        """Scores of all folds, an array of shape (n_folds, n_models); a step a fold."""
        scores = map_blocks(score_fold, folds, self.n_jobs)
        return np.array(list(self._each_step(scores, len(folds), "fold")))
