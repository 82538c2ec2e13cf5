"""From the predictions of folds to an answer: how many features, and how well they do."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from .._parameters import check_choice
from ._selection_methods import SELECTION_METHODS
from .path import choose, corrected_error, path_table
from .selection import score_of

__all__ = ["Answer", "Asked", "Tried", "majority_score"]


class Asked(NamedTuple):
    """What was asked for."""

    method: str
    n_features: Any
    rule: str
    scoring: str

    def check(self):
        """Raise unless each is something that can be asked for."""
        check_choice("method", self.method, tuple(SELECTION_METHODS))
        check_choice("rule", self.rule, ("best", "one_se"))
        check_choice("scoring", self.scoring, ("accuracy", "balanced_accuracy"))
        if isinstance(self.n_features, bool) or not (
            isinstance(self.n_features, Integral) or self.n_features == "auto"
        ):
            raise TypeError(f"n_features={self.n_features!r} must be an int or 'auto'.")
        return self

    def check_number(self, n_features):
        """Return the number that is asked for; raise unless there are so many features."""
        if not 1 <= self.n_features <= n_features:
            raise ValueError(
                f"n_features={self.n_features} must lie between 1 and the {n_features} features of "
                "X, or be 'auto'."
            )
        return int(self.n_features)

    def choices(self, sizes):
        """Positions of the sizes that may be chosen."""
        if self.n_features == "auto":
            return np.arange(sizes.size)
        return np.flatnonzero(sizes == self.n_features)

    def choose(self, sizes, scores, ratio):
        """Position of the size that the scores of folds speak for, and its mean score."""
        may = self.choices(sizes)
        table = score_table(sizes[may], scores[:, may], ratio)
        chosen = choose(table, self.rule)
        return int(may[chosen]), float(table["mean_test_score"][chosen])


class Tried(NamedTuple):
    """What a method does in a fold."""

    confusions: np.ndarray  # of the test part, for each size
    chosen: int  # position of the size that the training part chooses
    inner_score: float  # of what is chosen, in folds of the training part
    predicted: np.ndarray | None = None  # codes of the test part, for each size


class Answer:
    """What the folds say: about each method and size, and about the choice among them.

    Parameters
    ----------
    asked : Asked
        What was asked for.
    sizes : dict of str to ndarray
        Numbers of features that were tried with each method.
    tried : list of dict of str to Tried
        What each method does in each fold. Under the name None, the scores of random features for
        the sizes of each method.
    ratio : float
        Number of test samples for each training sample.
    """

    def __init__(self, asked, sizes, tried, ratio):
        self._asked, self._sizes, self._tried, self._ratio = asked, sizes, tried, ratio
        chosen = {name: asked.choose(sizes[name], self._scores_of(name), ratio) for name in sizes}
        self._chosen = {name: position for name, (position, _) in chosen.items()}
        self.method = max(chosen, key=lambda name: chosen[name][1])

    @property
    def n_features(self):
        """Number of features of the method and size that score best, by the rule."""
        return int(self._sizes[self.method][self._chosen[self.method]])

    @property
    def confusion_path(self):
        """Confusion matrix of all folds for each size of the method."""
        return self._confusions_of(self.method).sum(axis=0)

    @property
    def path(self):
        """Scores of each size of the method."""
        return self._table_of(self.method)

    @property
    def random_path(self):
        """Scores of random features for each size of the method."""
        scores = np.array([each[None][self.method] for each in self._tried])
        return score_table(self._sizes[self.method], scores, self._ratio)

    @property
    def confusion(self):
        """Confusion matrix of what each fold chose."""
        return self._nested_confusions.sum(axis=0)

    @property
    def score(self):
        """Mean score of what each fold chose."""
        return float(np.mean(self._nested_scores))

    @property
    def se_score(self):
        """Its standard error."""
        return float(corrected_error(self._nested_scores, self._ratio))

    @property
    def random_score(self):
        """Mean score of as many random features as each fold chose."""
        return float(np.mean(self._nested_random))

    @property
    def se_random(self):
        """Its standard error."""
        return float(corrected_error(self._nested_random, self._ratio))

    def predictions(self):
        """Codes of each test part as predicted by what the fold chose."""
        return [tried.predicted[tried.chosen] for tried in self._winners.values()]

    def fold_choices(self):
        """Tell what each fold chose, and its score."""
        return tuple(
            {
                "fold": number,
                "method": name,
                "n_features": int(self._sizes[name][tried.chosen]),
                "score": float(score),
            }
            for ((number, name), tried), score in zip(
                self._winners.items(), self._nested_scores, strict=True
            )
        )

    def method_scores(self):
        """Tell the number of features, score and standard error of each method."""
        scores = {}
        for name, position in self._chosen.items():
            table = self._table_of(name)
            scores[name] = {
                "n_features": int(table["n_features"][position]),
                "score": float(table["mean_test_score"][position]),
                "se": float(table["se_test_score"][position]),
            }
        return scores

    @property
    def _winners(self):
        """What was tried with the method that each fold chose by its training part."""
        winners = {}
        for number, each in enumerate(self._tried):
            name = max(self._sizes, key=lambda name: _comparable(each[name].inner_score))
            winners[number, name] = each[name]
        return winners

    @property
    def _nested_confusions(self):
        return np.array([tried.confusions[tried.chosen] for tried in self._winners.values()])

    @property
    def _nested_scores(self):
        return score_of(self._nested_confusions, self._asked.scoring)

    @property
    def _nested_random(self):
        return np.array(
            [
                self._tried[number][None][name][tried.chosen]
                for (number, name), tried in self._winners.items()
            ]
        )

    def _confusions_of(self, name):
        return np.array([each[name].confusions for each in self._tried])

    def _scores_of(self, name):
        return score_of(self._confusions_of(name), self._asked.scoring)

    def _table_of(self, name):
        return score_table(self._sizes[name], self._scores_of(name), self._ratio)


def score_table(sizes, scores, ratio):
    """Tabulate scores of folds; the error knows that training parts overlap."""
    table = path_table({"n_features": sizes}, scores)
    return table | {"se_test_score": corrected_error(np.ascontiguousarray(scores.T), ratio)}


def majority_score(counts, scoring):
    """Score of always predicting the largest class."""
    return float(counts.max() / counts.sum() if scoring == "accuracy" else 1.0 / counts.size)


def _comparable(score):
    return 0.0 if np.isnan(score) else score
