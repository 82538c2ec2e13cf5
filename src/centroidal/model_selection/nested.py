"""The one engine: train on sets, score every size, choose inside, score outside.

Nested cross-validation of any number of methods. Each outer fold is tested by models that have not
seen it; how many features, and which method, is chosen by the inner folds, which are the other
outer folds, each predicted by a model that has seen neither. A source counts what the training
sets predict (`sources.py`), the engine turns these counts into choices and scores. Estimators that
choose among models of a path by cross-validation, at the end, use the same tables and rules.
"""

from functools import cached_property, partial
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn import get_config
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from .. import _state as state
from .._parameters import (
    CHECKS,
    check_choice,
    check_count,
    check_n_features_to_select,
    optional,
)
from .._progress import ProgressMixin, with_callbacks
from .._typing import Array, ArrayLike
from ..solvers.calibration import fit_temperature, temper
from ..solvers.conformal import HeldOut
from ..statistics import map_blocks
from .intervals import Outcome
from .methods import CLASSIFIERS, PROBABILITY_SCORES, SCORINGS, metric_of
from .metrics import Tested, check_scoring, corrected_error, loss_moments, score_hits
from .splits import Repeat, list_folds, size_ratio, training_sets

__all__ = [
    "Candidate",
    "Choice",
    "ChosenPredictions",
    "CrossValidatedMixin",
    "FoldCounts",
    "NestedScores",
    "ScoreAgain",
    "Trial",
    "check_feature_grid",
    "choose_model",
    "choose_model_of",
    "fold_scores",
    "log_spaced",
    "n_random_orders",
    "nested_cross_validation",
    "score_path",
    "score_table",
]

AUTO = "auto"
# Orders of the features that random ones are the first of, in each fold; of many samples, whose
# score varies little, there is one.
_N_RANDOM, _MANY_SAMPLES = 5, 20_000
_ROUNDING = 1e-12  # means of the same scores in another order are equal


# ------------------------------------------------------------------ a path of models


def log_spaced(n_features, n_points):
    """At most `n_points` whole numbers from 1 to `n_features`, evenly spaced on a log scale."""
    return np.unique(np.geomspace(1, n_features, n_points).round().astype(int))


def check_feature_grid(values, n_features, n_points):
    """Numbers of features, increasing: those given, or how many on a log scale, None `n_points`."""
    if values is None:
        return log_spaced(n_features, n_points)
    if isinstance(values, Integral):
        if values < 2:
            raise ValueError(f"n_features_grid={values} must be at least 2, or an array.")
        return log_spaced(n_features, values)
    if isinstance(values, str) or not np.iterable(values):
        raise TypeError(f"n_features_grid={values!r} must be an int, an array of them or None.")
    if len(values) == 0:
        raise ValueError("n_features_grid=[] must hold at least one number of features.")
    return np.unique([check_n_features_to_select(size, n_features) for size in values])


def score_table(columns, scores, ratio):
    """Tabulate the scores of all folds, an array of shape (n_folds, n_models).

    `columns` say what the models are, those with fewer features or components first. The standard
    error is corrected for training sets that overlap; `ratio` is the number of test samples for
    each training sample. The names are those of scikit-learn's ``cv_results_``, so
    ``pandas.DataFrame(table)`` works.
    """
    n_folds = scores.shape[0]
    table = columns | {
        "mean_test_score": scores.mean(axis=0),
        "std_test_score": scores.std(axis=0, ddof=min(1, n_folds - 1)),
        "se_test_score": corrected_error(np.ascontiguousarray(scores.T), ratio),
    }
    return table | {f"split{fold}_test_score": scores[fold] for fold in range(n_folds)}


def fold_scores(table):
    """Return the scores of all models in a table, a row a fold."""
    return np.array([table[name] for name in table if name.startswith("split")])


def choose_model(scores, rule):
    """Position of the first model that is best, or within one standard error of the best.

    `scores` has a row a fold. The error is the usual one, of folds as if they were independent: it
    is not to say how sure the best score is, but how short a list may be for it.
    """
    mean, n_folds = scores.mean(axis=0), len(scores)
    best = int(np.argmax(mean >= mean.max() - _ROUNDING))
    spread = 0.0 if rule == "best" else scores[:, best].std(ddof=min(1, n_folds - 1))
    return int(np.argmax(mean >= mean[best] - spread / np.sqrt(n_folds) - _ROUNDING))


def choose_model_of(n_classifiers, scores, rule, ratio):
    """Position of a model, where so many classifiers take turns with each size.

    The classifier is chosen first, and then a size for it.
    """
    by_size = scores.reshape(len(scores), -1, n_classifiers)
    chosen = _choose_classifier(by_size.mean(axis=1), ratio)
    return choose_model(by_size[:, :, chosen], rule) * n_classifiers + chosen


def _choose_classifier(scores, ratio):
    """Return the first, or another that is ahead of it by more than the error of the difference.

    The highest of several scores would be that of luck as often as not; `scores` has a row a fold.
    """
    ahead = scores - scores[:, :1]
    surely = ahead.mean(axis=0) - np.nan_to_num(corrected_error(ahead.T, ratio))
    best = int(np.argmax(surely))
    return best if surely[best] > _ROUNDING else 0


def score_path(path, data, test, scoring, score_params=None):
    """Score every model of a path, which was fitted to a training set, on a test set.

    If it ``counts_hits``, a path knows ``hits(data, test)``: the weight of the samples of each
    class (in rows) that each model (in columns) recognises, and of all. In any case
    ``models(data, test)`` yields each model and the test samples as it takes them, or None for a
    model that does not exist.
    """
    if path.counts_hits and scoring.is_counted:
        hits, totals = path.hits(data, test)
        if not totals.any():
            raise ValueError("sample_weight is zero for every test sample of a fold.")
        return score_hits(hits.T, totals, scoring.name)
    labels = data.classes[data.codes[test]]
    params = {name: np.asarray(value)[test] for name, value in (score_params or {}).items()}
    return np.array(
        [
            np.nan if found is None else scoring.scorer(*found, labels, **params)
            for found in path.models(data, test)
        ]
    )


# ------------------------------------------------------------------ what is tried


class Choice(NamedTuple):
    """How a model is chosen: which numbers of features are asked for, the rule, and what counts."""

    n_features_to_select: Any
    rule: str
    scoring: str
    max_features: Any = None  # that may be chosen; None for any number
    costs: np.ndarray | None = None  # of predictions, true classes in rows; they decide
    classifier: str = AUTO  # behind a ranking

    def check(self):
        """Raise unless each is something that can be asked for."""
        optional(check_count)("max_features", self.max_features)
        CHECKS["rule"]("rule", self.rule)
        check_choice("scoring", self.scoring, SCORINGS)
        check_choice("classifier", self.classifier, CLASSIFIERS)
        number = self.n_features_to_select
        if isinstance(number, bool) or not (isinstance(number, Integral) or number == AUTO):
            raise TypeError(f"n_features_to_select={number!r} must be an int or 'auto'.")
        if self.max_features is not None and number != AUTO:
            raise ValueError(
                f"max_features={self.max_features} must be None: n_features_to_select={number} "
                "says how many."
            )
        return self

    @property
    def is_free(self):
        """Whether the number is to be chosen."""
        return self.n_features_to_select == AUTO

    @property
    def needs_scores(self):
        """Whether every model that is tried has to score the classes, not only to name one."""
        return self.costs is not None or metric_of(self.scoring) in PROBABILITY_SCORES

    @property
    def needs_probabilities(self):
        """Whether these must be probabilities."""
        return self.costs is not None or self.scoring in ("neg_log_loss", "neg_brier_score")

    @property
    def needs_every_class(self):
        """Whether the score is known only of samples of all classes, each at hand."""
        return self.scoring in ("roc_auc", "average_precision")

    def needs_inner_folds(self, candidates):
        """Whether a number of features, a method or a classifier is to be chosen."""
        several = (len(each.procedure.classifiers) > 1 for each in candidates.values())
        return self.is_free or len(candidates) > 1 or any(several)

    def check_number(self, n_features):
        """Return the number that is asked for; raise unless there are so many features."""
        if not 1 <= self.n_features_to_select <= n_features:
            raise ValueError(
                f"n_features_to_select={self.n_features_to_select} must lie between 1 and the "
                f"{n_features} features of X, or be 'auto'."
            )
        return int(self.n_features_to_select)

    def positions(self, sizes):
        """Positions of the sizes that may be chosen."""
        if self.is_free:
            return np.flatnonzero(sizes <= (self.max_features or np.inf))
        return np.flatnonzero(sizes == self.n_features_to_select)

    def choose(self, n_classifiers, scores, ratio):
        """Position of the size that the scores of folds speak for, and its mean score."""
        chosen = choose_model_of(n_classifiers, scores, self.rule, ratio)
        return chosen, float(scores.mean(axis=0)[chosen])


class Candidate(NamedTuple):
    """A method that is tried, with these numbers of features, each for each of its classifiers."""

    procedure: Any
    sizes: np.ndarray
    uses_threads: bool


class Trial(NamedTuple):
    """What a source is asked for: each training set of a repeat, by each candidate."""

    candidates: dict
    choice: Choice
    repeat: Repeat
    n_random: int = _N_RANDOM  # orders of random features
    only_score: bool = False  # whether nothing is told of random features and single samples

    @property
    def is_nested(self):
        """Whether something is chosen, which takes inner folds."""
        return self.choice.needs_inner_folds(self.candidates)

    @property
    def training_sets(self):
        """Folds that each training set leaves out."""
        return training_sets(self.repeat.n_folds, self.is_nested)

    @property
    def all_sizes(self):
        """Numbers of features of all candidates, for random features."""
        return np.unique(np.concatenate([each.sizes for each in self.candidates.values()]))

    @property
    def centers_key(self):
        """The first method with centers, by which random features are tried; None if none has."""
        has_centers = (key for key, each in self.candidates.items() if each.procedure.has_centers)
        return next(has_centers, None)

    def inner_sizes(self, key):
        """Numbers of features that the inner folds choose among."""
        sizes = self.candidates[key].sizes
        return sizes[self.choice.positions(sizes)]

    def sizes_of(self, key, left_out):
        """Numbers of features that a training set is tried with."""
        return self.candidates[key].sizes if len(left_out) == 1 else self.inner_sizes(key)

    def choose_inside(self, counts, fold, key):
        """Let the other folds choose a size: each of them is predicted by a model without both."""
        choice, positions = self.choice, self.choice.positions(self.candidates[key].sizes)
        if not self.is_nested:
            return InnerChoice(int(positions[0]), np.nan, None)
        others = [other for other in range(self.repeat.n_folds) if other != fold]
        tested = Tested.stack([counts.inner[fold, other, key] for other in others])
        scores = tested.score(choice.scoring, choice.costs)
        number = len(self.candidates[key].procedure.classifiers)
        chosen, score = choice.choose(number, scores, 1.0 / (len(others) - 1))
        confusion = tested.confusions[:, chosen].sum(axis=0)
        return InnerChoice(int(positions[chosen]), score, confusion)

    def winner(self, counts, fold):
        """Return the method that the other folds prefer, and the position of its size."""
        inner = {key: self.choose_inside(counts, fold, key) for key in self.candidates}
        key = _best_key(inner)
        return key, inner[key].position

    def random_orders(self, fold, n_features):
        """Draw the orders of which random features are the first ones."""
        rng = np.random.RandomState(self.repeat.seeds[fold])
        return np.array([rng.permutation(n_features) for _ in range(self.n_random)])


class InnerChoice(NamedTuple):
    """What the inner folds of a fold choose."""

    position: int  # of the size
    score: float  # of it, in the inner folds
    confusion: np.ndarray | None  # of the same


class ChosenPredictions(NamedTuple):
    """What the size that was chosen predicts of the test samples of a fold."""

    codes: np.ndarray | None  # None where no sample is kept
    probabilities: np.ndarray | None  # of the classes, a row a sample
    losses: np.ndarray | None  # see `loss_moments`; None without probabilities
    n_features: int | None = None  # by which; None if it is the size
    held_out: tuple | None = None  # `HeldOut` of each classifier with this size, for calibration

    def temper(self, temperature):
        """Return the same with probabilities at a temperature."""
        probabilities = temper(self.probabilities, temperature)
        losses = loss_moments(probabilities, self.held_out[0].codes)
        return self._replace(probabilities=probabilities, losses=losses)


class FoldCounts(NamedTuple):
    """What the training sets of a repeat predict, as far as scores need it (`Tested`)."""

    outer: dict  # of each (fold, key) for each size; of one alone, if that is all that is scored
    inner: dict  # for each (fold, other, key) of the other fold, without both, for each inner size
    at_random: dict  # of random features in each fold, of shape (n_orders, n_all_sizes, ...)
    chosen: dict  # `ChosenPredictions` of each (fold, key)

    @classmethod
    def empty(cls):
        """Return counts of nothing."""
        return cls({}, {}, {}, {})


# ------------------------------------------------------------------ the engine


def n_random_orders(n_samples):
    """Return how many orders random features are the first of, in a fold."""
    return _N_RANDOM if n_samples <= _MANY_SAMPLES else 1


def nested_cross_validation(source, candidates, choice, repeats):
    """Score each candidate with each number of features, and the choice among them.

    The source counts what training sets predict, of the candidates by key and for each repeat of
    the outer folds; the result is of class `NestedScores`.
    """
    n_random = n_random_orders(source.class_counts.sum())
    folds, trials = [], [Trial(candidates, choice, repeat, n_random) for repeat in repeats]
    source.prepare(trials)
    for trial in trials:
        counts = source.count_predictions(trial)
        folds += [_outer_fold(trial, counts, fold) for fold in range(trial.repeat.n_folds)]
    return NestedScores(choice, candidates, folds, len(repeats))


class ScoreAgain(NamedTuple):
    """All that was done with some samples, to be done with others; nothing but a score is told."""

    candidates: dict
    choice: Choice

    def __call__(self, source, n_folds):
        """Score the choice among all candidates and numbers of features; folds are drawn once."""
        (repeat,) = source.cut(n_folds, 1, self.is_nested)
        trial = self.trial(repeat)
        return self.score(trial, source.count_predictions(trial))

    @property
    def is_nested(self):
        """Whether something is chosen, which takes inner folds."""
        return self.choice.needs_inner_folds(self.candidates)

    def trial(self, repeat):
        """Return what a source is asked for."""
        return Trial(self.candidates, self.choice, repeat, n_random=0, only_score=True)

    def score(self, trial, counts):
        """Return the score of what the inner folds choose, of the counts of all folds."""
        folds = range(trial.repeat.n_folds)
        return float(np.mean([_score_fold(trial, counts, fold) for fold in folds]))


def _score_fold(trial, counts, fold):
    """Score what the inner folds of an outer fold choose."""
    key, position = trial.winner(counts, fold)
    scores = counts.outer[fold, key].score(trial.choice.scoring, trial.choice.costs)
    return scores[position if len(scores) > 1 else 0]


def _best_key(inner):
    """Return the method that the inner folds of a fold prefer."""
    return max(inner, key=lambda key: np.nan_to_num(inner[key].score))


class MethodInFold(NamedTuple):
    """What a method does in an outer fold."""

    scores: np.ndarray  # of the test samples, for each size
    confusions: np.ndarray  # of the same
    inner: InnerChoice
    predicted: ChosenPredictions
    random_scores: np.ndarray  # of random features, for each size

    @property
    def score(self):
        """Score of the size that was chosen."""
        return self.scores[self.inner.position]

    @property
    def confusion(self):
        """Confusion matrix of the same."""
        return self.confusions[self.inner.position]


def _outer_fold(trial, counts, fold):
    """Say what each method does in an outer fold."""
    scoring, costs = trial.choice.scoring, trial.choice.costs
    at_random = counts.at_random[fold].score(scoring, costs).mean(axis=0)
    return {
        key: MethodInFold(
            counts.outer[fold, key].score(scoring, costs),
            counts.outer[fold, key].confusions,
            trial.choose_inside(counts, fold, key),
            counts.chosen[fold, key],
            at_random[np.searchsorted(trial.all_sizes, candidate.sizes)],
        )
        for key, candidate in trial.candidates.items()
    }


class NestedScores:
    """What nested cross-validation finds, of each method and size and of the choice among them.

    It is made of what each method does in each outer fold; all samples were cut into folds
    `n_repeats` times.

    Attributes
    ----------
    method : str
        The method that scores best, with the number of features that the rule chooses.
    n_features : int
        This number.
    classifier : int
        Which of the classifiers of the method.
    """

    def __init__(self, choice, candidates, folds, n_repeats):
        self._choice, self._folds, self._n_repeats = choice, folds, n_repeats
        self._candidates = candidates
        self._sizes = sizes = {key: each.sizes for key, each in candidates.items()}
        self._names = {key: each.procedure.classifiers for key, each in candidates.items()}
        tested = np.array([next(iter(fold.values())).confusions[0].sum() for fold in folds])
        self._ratio = float(np.mean(tested / (tested.sum() / n_repeats - tested)))
        best = {key: self._choose(key) for key in sizes}
        self._chosen = {key: position for key, (position, _) in best.items()}
        self.method = max(best, key=lambda key: best[key][1])
        self.n_features = int(sizes[self.method][self._chosen[self.method]])
        self.classifier = self._chosen[self.method] % len(self._names[self.method])

    def _choose(self, key):
        positions = self._choice.positions(self._sizes[key])
        scores = self._scores_of(key)[:, positions]
        chosen, score = self._choice.choose(len(self._names[key]), scores, self._ratio)
        return int(positions[chosen]), score

    @cached_property
    def _winners(self):
        """Key of the method that each fold chose by its inner folds, and what it did."""
        keys = [_best_key({key: each.inner for key, each in fold.items()}) for fold in self._folds]
        return [(key, fold[key]) for key, fold in zip(keys, self._folds, strict=True)]

    @property
    def positions(self):
        """Position of the size that each fold chose."""
        return np.array([found.inner.position for _, found in self._winners])

    @cached_property
    def predictions(self):
        """Predictions of the test samples of each fold by what the fold chose.

        Probabilities are calibrated by the other folds of the repeat. Where they decide or are
        scored, they are those by which something was chosen.
        """
        found = [found.predicted for _, found in self._winners]
        if self._choice.needs_probabilities or any(each.held_out is None for each in found):
            return found
        return [
            each.temper(fit_temperature(*self._other_folds(place)[:2]))
            for place, each in enumerate(found)
        ]

    def _other_folds(self, place):
        """Return what the classifier of a fold says of samples of the others of the repeat."""
        (key, winner), (first, number) = self._winners[place], divmod(place, self.n_folds)
        classifier = winner.inner.position % len(self._names[key])
        others = [fold for fold in range(self.n_folds) if fold != number]
        folds = (self._folds[first * self.n_folds + fold] for fold in others)
        return HeldOut.join([fold[key].predicted.held_out[classifier] for fold in folds])

    @property
    def n_folds(self):
        """Number of folds of a repeat."""
        return len(self._folds) // self._n_repeats

    def with_predictions(self, chosen):
        """Return the same of the one method, with what it predicts of each fold."""
        folds = [
            {key: found._replace(predicted=predicted) for key, found in fold.items()}
            for fold, predicted in zip(self._folds, chosen, strict=True)
        ]
        return NestedScores(self._choice, self._candidates, folds, self._n_repeats)

    def held_out(self):
        """Return what the classifier that was chosen says of held-out samples, a list a repeat.

        These are of the folds, with the number of features that their inner folds chose; None if it
        has no probabilities. How sure another classifier is says nothing of this one.
        """
        found = [fold[self.method].predicted.held_out for fold in self._folds]
        if any(each is None for each in found):
            return None
        found = [each[self.classifier] for each in found]
        starts = range(0, len(found), self.n_folds)
        return [found[start : start + self.n_folds] for start in starts]

    @property
    def score(self):
        """Mean score of what the folds chose."""
        return float(np.mean([found.score for _, found in self._winners]))

    @property
    def outcome(self):
        """What the folds chose and what came out, as intervals need it."""
        found = [each for _, each in self._winners]
        losses, inner = [each.losses for each in self.predictions], None
        if found[0].inner.confusion is not None:
            inner = np.array([each.inner.confusion for each in found])
        return Outcome(
            np.array([each.confusion for each in found]),
            inner,
            None if any(each is None for each in losses) else np.array(losses),
            self._choice.scoring,
            self._choice.costs,
            np.array([each.score for each in found]),
            np.array([each.inner.score for each in found]),
            self._n_repeats,
            self._ratio,
        )

    def results(self):
        """Return all that is found, under the names that `FeatureSelection` has for it."""
        mine = [fold[self.method] for fold in self._folds]
        names = self._names[self.method]
        rows = slice(self.classifier, None, len(names))
        winners = [found for _, found in self._winners]
        at_random = np.array([found.random_scores[found.inner.position] for found in winners])
        scores = np.array([found.score for found in winners])
        return {
            "method": self.method,
            "n_features_to_select": self.n_features,
            "classifier": names[self.classifier],
            "path": self._table(self.method, self._scores_of(self.method), rows),
            "confusion_path": sum(found.confusions[rows] for found in mine),
            "random_path": self._table(
                self.method, np.array([f.random_scores for f in mine]), rows
            ),
            "score": self.score,
            "se_score": float(corrected_error(scores, self._ratio)),
            "confusion": sum(found.confusion for found in winners),
            "random_score": float(np.mean(at_random)),
            "se_random": float(corrected_error(at_random, self._ratio)),
            "fold_choices": self._fold_choices(scores),
            "method_scores": {key: self._score_of(key, self._chosen[key]) for key in self._sizes},
            "classifier_scores": self._classifier_scores(),
        }

    def _fold_choices(self, scores):
        """Tell what each fold chose, and its score."""
        return tuple(
            {
                "fold": number,
                "method": key,
                "classifier": self._name(key, found.inner.position),
                "n_features": self._n_features(key, found),
                "score": float(scores[number]),
            }
            for number, (key, found) in enumerate(self._winners)
        )

    def _n_features(self, key, found):
        """Return the number of features that a method took in a fold."""
        size = int(self._sizes[key][found.inner.position])
        return size if found.predicted.n_features is None else found.predicted.n_features

    def _name(self, key, position):
        return self._names[key][position % len(self._names[key])]

    def _score_of(self, key, position):
        """Tell classifier, number of features, score and standard error of a model of a method."""
        table = self._table(key, self._scores_of(key))
        return {
            "classifier": self._name(key, position),
            "n_features": int(table["n_features"][position]),
            "score": float(table["mean_test_score"][position]),
            "se": float(table["se_test_score"][position]),
        }

    def _classifier_scores(self):
        """Tell score and standard error of each classifier with the chosen number of features."""
        first = self._chosen[self.method] - self.classifier
        found = {
            name: self._score_of(self.method, first + number)
            for number, name in enumerate(self._names[self.method])
        }
        return {name: {"score": each["score"], "se": each["se"]} for name, each in found.items()}

    def _scores_of(self, key):
        return np.array([fold[key].scores for fold in self._folds])

    def _table(self, key, scores, rows=slice(None)):
        return score_table({"n_features": self._sizes[key][rows]}, scores[:, rows], self._ratio)


# ------------------------------------------------------------------ estimators that choose


class ChosenModel(NamedTuple):
    """The scores of all models of a path, and the position of the one that was chosen."""

    table: dict
    position: int
    n_folds: int


class CrossValidatedMixin(ProgressMixin):
    """Parameters `cv`, `scoring`, `rule` and `n_jobs`; `_counts_hits` says if no scorer is called.

    `_fit` does the work. It hands `_choose_by_folds` a function that fits the models of a path to a
    training set, see `score_path`.
    """

    path_: dict[str, Array]
    n_splits_: int
    best_score_: float

    _state = {
        "path_": state.columns_of_one_length,
        "n_splits_": state.count(1),
        "best_score_": state.number(nan=True),
    }

    _counts_hits = False
    _n_classifiers = 1  # that are tried with each number of features

    @with_callbacks
    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any
    ) -> Self:
        """Choose the hyperparameter by cross-validation, then fit all samples with it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, in fitting and in scoring.
        **params : dict
            ``groups`` for the splitter; with metadata routing enabled, whatever the splitter and
            the scorer request.

        Returns
        -------
        self
            Fitted estimator.
        """
        check_scoring(self.scoring)
        return self._fit(X, y, sample_weight, params)

    def _choose_by_folds(self, data, columns, fit_path, sample_weight, params):
        """Score every model in every fold, and choose one of them.

        `columns` say what the models are, those with fewer features or components first.
        """
        routed = self._route_metadata(sample_weight, params)
        folds = self._folds(data, routed.splitter.split)
        score = partial(self._score_fold, data, fit_path, routed.scorer.score)
        scores = map_blocks(score, folds, self.n_jobs)
        scores = np.array(list(self._each_step(scores, len(folds), "fold")))
        ratio = size_ratio(folds)
        table = self._tabulate(columns, scores, ratio)
        chosen = choose_model_of(self._n_classifiers, fold_scores(table), self.rule, ratio)
        return ChosenModel(table, chosen, len(folds))

    def _keep_choice(self, found):
        self.path_ = found.table
        self.n_splits_ = found.n_folds
        self.best_score_ = float(found.table["mean_test_score"][found.position])

    @property
    def _scoring(self):
        return check_scoring(self.scoring)

    def _score_fold(self, data, fit_path, score_params, train, test):
        """Score every model, fitted to the training samples, on the test samples."""
        return score_path(fit_path(train), data, test, self._scoring, score_params)

    def _tabulate(self, columns, scores, ratio):
        return score_table(columns, scores, ratio)

    def _folds(self, data, split_params):
        """Training and test samples of each fold."""
        return list_folds(self.cv, data.X, data.classes[data.codes], **split_params)

    def get_metadata_routing(self) -> Any:
        """Say which metadata the splitter and the scorer take, as a ``MetadataRouter``."""
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(splitter=self.cv, method_mapping=to_split)
        if not self._counts_hits:
            to_score = MethodMapping().add(caller="fit", callee="score")
            router.add(scorer=self._scoring.scorer, method_mapping=to_score)
        return router

    def _route_metadata(self, sample_weight, params):
        """Metadata for the splitter and the scorer."""
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
