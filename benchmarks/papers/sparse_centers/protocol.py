"""The protocol of section VI: random 80/20 splits, scaling, selection, scores over the splits.

Where this differs from the paper: the standard deviations come from the training part alone (the
paper divides the whole data set before it is split), and the splits keep the class proportions.
"""

import time
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from .._data import bag_of_words, load_table, load_texts
from .._output import Panel, print_grid, save_picture, write_csv
from .rivals import GENE_METHODS, TEXT_METHODS

__all__ = ["GENES", "TEXTS", "Study", "file_word", "present", "study_of", "timed"]

# Files, and what the paper calls them. Of SST we have whole sentences (the paper counts phrases,
# too), of TWTR a fiftieth, and of Chin the first 16384 of 22215 probes.
TEXTS = {"mpqa": "MPQA", "sst2_sentences": "SST", "sentiment140_sample": "TWTR sample"}
GENES = {"chowdary": "Chowdary", "singh": "Singh", "chin_first16384": "Chin"}
TEXT_FRACTIONS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
GENE_FRACTIONS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)


def file_word(title):
    """Return what experiments and files of results call a set."""
    return title.lower().partition(" ")[0]


class Split(NamedTuple):
    """One split: scaled values, labels, and the values as they came."""

    X_train: object
    X_test: object
    y_train: np.ndarray
    y_test: np.ndarray
    raw_train: object
    raw_test: object


class Study:
    """One data set, its splits, and what every method chose on each of them (remembered)."""

    def __init__(self, name, X, y, score, methods, fractions, settings):
        self.name, self.X, self.y, self.score, self.settings = name, X, y, score, settings
        self.methods = {method.name: method for method in methods}
        self.sizes = [max(1, round(fraction * X.shape[1])) for fraction in fractions]
        self._chosen, self._splits = {}, {}
        self._warm_up()

    def _warm_up(self):
        # The first call of a compiled loop compiles it, which is not the cost of a selection.
        for name in self.named("ours"):
            self.chosen(name, 0)
        self._chosen.clear()

    @property
    def title(self):
        """What the paper calls the set."""
        return (TEXTS | GENES)[self.name]

    @property
    def file(self):
        """What files of results call the set."""
        return file_word(self.title)

    def named(self, role):
        """List the methods of one role."""
        return [method.name for method in self.methods.values() if method.role == role]

    def methods_on(self, i):
        """List the methods that run on split `i`; the slow ones run on the first few."""
        is_early = i < self.settings.n_slow_splits
        return [method.name for method in self.methods.values() if is_early or not method.is_slow]

    def split(self, i):
        """Return split `i`, every feature divided by its deviation in the training part."""
        if i not in self._splits:
            self._splits = {i: self._make_split(i)}  # one at a time: they are large
        return self._splits[i]

    def _make_split(self, i):
        seed = self.settings.seed + i
        splitter = StratifiedShuffleSplit(1, test_size=0.2, random_state=seed)
        train, test = next(splitter.split(self.X, self.y))
        scaler = StandardScaler(with_mean=False).fit(self.X[train])
        raw = [self.X[train], self.X[test]]
        scaled = [scaler.transform(rows) for rows in raw]
        return Split(*scaled, self.y[train], self.y[test], *raw)

    def chosen(self, name, i):
        """Return the features a method chose on split `i`, for every size."""
        if (name, i) not in self._chosen:
            split, method = self.split(i), self.methods[name]
            X = training_matrix(split, method.reads)
            self._chosen[name, i] = method.select(X, split.y_train, self.sizes)
        return self._chosen[name, i]

    def record(self, method, size, i, predicted, seconds, n_selected=None):
        """Put the score of one method at one size on one split into a row."""
        return {
            "method": method,
            "size": size,
            "n_selected": size if n_selected is None else n_selected,
            "split": i,
            "score": self.score(self.split(i).y_test, predicted),
            "seconds": seconds,
        }


def training_matrix(split, reads):
    if reads == "counts":
        return split.raw_train
    is_shifted = reads == "shifted" and not issparse(split.X_train)
    return split.X_train - split.X_train.min(axis=0) if is_shifted else split.X_train


@cache
def study_of(name, settings):
    """Load a data set once for all figures that use it."""
    if name in TEXTS:
        texts, y = load_texts(settings.data, name)
        problem = bag_of_words(texts), y, accuracy_score, TEXT_METHODS, TEXT_FRACTIONS
    else:
        X, y = load_table(settings.data, name)
        problem = X, y, balanced_accuracy_score, GENE_METHODS, GENE_FRACTIONS
    return Study(name, *problem, settings)


def timed(function, *arguments):
    """Return what a function returns, and the seconds it took."""
    start = time.perf_counter()
    result = function(*arguments)
    return result, time.perf_counter() - start


def summarise(records):
    """Average records (method, size, n_selected, split, score, seconds) over the splits."""
    groups = pd.DataFrame(records).groupby(["method", "size"], sort=False)
    return groups.agg(
        n_selected=("n_selected", "mean"),
        score_mean=("score", "mean"),
        score_sd=("score", lambda scores: scores.std(ddof=0)),
        seconds_median=("seconds", "median"),
        seconds_mean=("seconds", "mean"),
        n_splits=("split", "nunique"),
    ).reset_index()


def grid_of_scores(summary):
    """Lay the scores out as one row a method, one column a number of features.

    A star marks a method that found fewer features than it was asked for on some split.
    """
    text = summary.score_mean.map("{:.3f}".format) + " ±" + summary.score_sd.map("{:.3f}".format)
    text += np.where(summary.n_selected < summary["size"], "*", " ")
    grid = summary.assign(text=text).pivot(index="method", columns="size", values="text")
    last = summary.groupby("method").last()
    grid["seconds"] = last.seconds_median.map("{:.3g}".format)
    grid["splits"] = last.n_splits
    return grid.loc[summary.method.unique()].fillna("")


def present(study, records, name, title, highlight, seconds_of):
    """Print, write and draw scores and seconds over the number of features."""
    summary = summarise(records)
    n, m = study.X.shape
    print_grid(f"{title}; {n} x {m}; seconds of {seconds_of}", grid_of_scores(summary))
    summary.insert(0, "data", study.name)
    summary.insert(3, "fraction", summary["size"] / m)
    write_csv(study.settings, name, summary)
    save_picture(study.settings, name, make_panels(summary, seconds_of), highlight)


def make_panels(summary, seconds_of):
    """Draw scores and seconds where a method found as many features as it was asked for."""
    found = summary[summary.n_selected == summary["size"]]
    return [
        Panel("score", "features kept", curves(found, "score_mean", "score_sd")),
        Panel(f"seconds of {seconds_of}", "features kept", curves(found, "seconds_median"), True),
    ]


def curves(summary, value, error=None):
    table = summary[["method", "fraction", value] + [error] * (error is not None)]
    return table.rename(columns={"fraction": "x", value: "y", error: "error"})
