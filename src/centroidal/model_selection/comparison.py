"""The answer of a comparison: what each member did in each fold, and the tables of it."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.dummy import DummyClassifier

from .._html import titled_table
from .._typing import Array, Floats
from .feature_flow import last_step
from .intervals import (
    DRAWN,
    Kinds,
    Outcome,
    confidence_interval,
    design_effect,
    difference_interval,
    fold_interval,
)
from .methods import SCORES
from .metrics import corrected_error
from .random_features import RandomFeaturesClassifier
from .repeatable import versions
from .splits import size_ratio

__all__ = ["Comparison", "FoldResult", "Question", "tabulate"]

_INTERVAL = "95 % interval"
_HEADER = ("", "mean", _INTERVAL, "diff", _INTERVAL, "features", "fit s", "failed")


@dataclass(frozen=True, eq=False)
class FoldResult:
    """What one member did in one fold.

    Attributes
    ----------
    name, fold : str, int
        Name of the member, and number of the fold, from 0.
    score : float
        Score of the test set; NaN if it failed.
    fit_seconds, score_seconds : float
        Time of fitting, with all searches inside, and of scoring; NaN if it failed.
    predicted : ndarray of int or None
        Position in the classes of what was predicted for each test sample; None if it failed.
    n_features : int or None
        Number of features used; None if the member does not say.
    features : ndarray of int or None
        Columns used; None if it uses all of them or does not say.
    parameters : dict
        What a search inside the training set has chosen.
    error, traceback : str or None
        Name and message of the error if it failed, and where it was raised.
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
        A row for each member: ``name``, ``mean_test_score``, ``low_test_score`` and
        ``high_test_score``, the ends of its 95 % confidence interval, ``std_test_score``,
        ``se_test_score`` (corrected, see the notes of :func:`compare`), ``mean_n_features``,
        ``min_n_features``, ``max_n_features`` (NaN if it does not say), ``mean_fit_seconds``,
        ``mean_score_seconds``, ``n_folds`` that were scored, ``n_failed`` and ``n_warned``.
        ``pandas.DataFrame(table)`` shows it.
    differences : dict of ndarray
        A row for each member: ``name``, ``mean_difference`` of its score and that of the baseline
        in the same fold, ``low_difference`` and ``high_difference``, the ends of its 95 %
        confidence interval, ``se_difference`` (corrected), and the number of folds in which it was
        better, ``n_better``, or worse, ``n_worse``, out of ``n_folds`` in which both were scored.
    scores : ndarray of shape (n_members, n_folds)
        Score of each fold; NaN if the member failed or the fold is missing.
    confusion : dict of str to ndarray of shape (n_classes, n_classes)
        For each member how often samples of a class (rows) were taken for a class (columns), added
        up over all folds; each repeat counts a sample once.
    results : tuple of FoldResult
        All that is known of each fit: predictions, choices, features, errors, warnings.
    classes, target : ndarray
        Labels, and the position in them of each sample.
    folds : tuple of (ndarray, ndarray)
        Training and test samples of each fold.
    n_groups : int or None
        How many groups of samples stayed together; None if each sample stood for itself.
    group_name : str or None
        Name of the column that said what the groups are, where it is known.
    n_features, feature_names : int, ndarray of str or None
        Number of features, and their names, where X has names that are text.
    references, random_features : tuple of str
        Members that are there to be beaten, and those of them that are random features.
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
    n_groups: int | None = field(repr=False)
    group_name: str | None = field(repr=False)
    n_features: int = field(repr=False)
    feature_names: np.ndarray | None = field(repr=False)
    references: tuple = field(repr=False)
    random_features: tuple = field(repr=False)
    seeds: dict = field(repr=False)
    versions: dict = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the members, in the order of the line-up."""
        return tuple(self.table["name"].tolist())

    @property
    def is_complete(self) -> bool:
        """Whether every member was tried in every fold."""
        return len(self.results) == self.scores.size

    def results_of(self, name: str) -> list[FoldResult]:
        """Return what a member did, a :class:`FoldResult` for each fold that is finished."""
        if name not in self.names:
            raise ValueError(f"name={name!r} must be one of {', '.join(self.names)}.")
        found = [each for each in self.results if each.name == name]
        return sorted(found, key=lambda each: each.fold)

    def predictions(self, name: str) -> dict[str, Array]:
        """Tabulate what a member predicted for the test samples of all folds.

        A row for each: ``sample`` (its row in X), ``fold``, ``true`` and ``predicted`` label.
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

    def recall(self, name: str) -> Floats:
        """Share of the samples of each class that a member recognised; NaN if never tested."""
        self.results_of(name)
        confusion = self.confusion[name]
        tested = confusion.sum(axis=1)
        return np.where(tested, np.diag(confusion) / np.maximum(tested, 1), np.nan)

    def summary(self) -> str:
        """Write the table as text, the best first, with what went wrong below it."""
        n_samples, n_classes, n_folds = self.target.size, self.classes.size, len(self.folds)
        groups = "" if self.n_groups is None else f" in {self.n_groups} groups"
        head = (
            f"{self.score_name.replace('_', ' ')} in {n_folds} folds of {n_samples} samples"
            f"{groups}, {self.n_features} features, {n_classes} classes"
        )
        lines = _align_columns([_HEADER, *self._rows()])
        foot = [f"{_INTERVAL}: confidence interval; diff: to {self.baseline}, fold by fold"]
        if not self.is_complete:
            foot.append(f"unfinished: {len(self.results)} of {self.scores.size} fits")
        return "\n".join([head, "", *lines, "", *foot, *self._failures(), *self._warnings()])

    def __str__(self):
        return self.summary()

    def _repr_html_(self):
        sentence, *_ = self.summary().split("\n")
        return titled_table(sentence, _HEADER, self._rows())

    def _rows(self):
        """Return the cells of each member, the best first."""
        mean = self.table["mean_test_score"]
        order = np.argsort(-np.nan_to_num(mean, nan=-np.inf), kind="stable")
        return [self._cells(row) for row in order]

    def _cells(self, row):
        table, differences = self.table, self.differences
        is_baseline = table["name"][row] == self.baseline
        bounds = [table[f"{which}_n_features"][row] for which in ("mean", "min", "max")]
        failed = table["n_failed"][row]
        return (
            str(table["name"][row]),
            _number(table["mean_test_score"][row], "{:.3f}"),
            _ends(table, "test_score", row, "{:.3f}"),
            "" if is_baseline else _number(differences["mean_difference"][row], "{:+.3f}"),
            "" if is_baseline else _ends(differences, "difference", row, "{:+.3f}"),
            _feature_range(*bounds, self.n_features),
            _number(table["mean_fit_seconds"][row], "{:.2g}"),
            str(failed) if failed else "",
        )

    def _failures(self):
        """Write a line for each member that failed."""
        return self._lines_about("failed", lambda each: each.error)

    def _warnings(self):
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


def _align_columns(rows):
    """Lines of text with the first column to the left and the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([f"{first:<{widths[0]}}", *cells]).rstrip())
    return lines


def _number(value, form):
    return "-" if np.isnan(value) else form.format(value)


def _ends(columns, name, row, form):
    """Write an interval."""
    low, high = (_number(columns[f"{end}_{name}"][row], form) for end in ("low", "high"))
    return low if low == "-" else f"{low} to {high}"


def _feature_range(mean, least, most, n_features):
    if np.isnan(mean):
        return "-"
    if least == n_features:
        return "all"
    return f"{mean:.0f}" if least == most else f"{mean:.0f} ({least:.0f}-{most:.0f})"


# ------------------------------------------------------------------ from results to tables


class Question(NamedTuple):
    """What an answer remembers of the question."""

    score_name: str
    baseline: str | None
    names: tuple
    folds: list
    seeds: np.ndarray
    split_seed: int
    data: Any
    groups: np.ndarray | None = None
    group_name: str | None = None


def tabulate(question, members, results):
    """Return the answer that the results of some fits give, be they all or not."""
    names, folds = question.names, question.folds
    scores = np.full((len(names), len(folds)), np.nan)
    for each in results:
        scores[names.index(each.name), each.fold] = each.score
    ratio = size_ratio(folds)
    found = [[each for each in results if each.name == name] for name in names]
    predicted = _collect_predictions(question, found)
    is_right = np.where(predicted < 0, np.nan, predicted == question.data.codes)
    rows = [
        _row(name, mine, ratio) | _interval(question, mine, ratio, codes, hits)
        for name, mine, codes, hits in zip(names, found, predicted, is_right, strict=True)
    ]
    confusions = [_confusions(question, mine).sum(axis=0) for mine in found]
    table = {column: np.array([row[column] for row in rows]) for column in rows[0]}
    baseline = _best(table) if question.baseline is None else question.baseline
    data, groups = question.data, question.groups
    return Comparison(
        score_name=question.score_name,
        baseline=baseline,
        table=table,
        differences=_differences(question, scores, is_right, names.index(baseline), ratio),
        scores=scores,
        confusion=dict(zip(names, confusions, strict=True)),
        results=tuple(results),
        classes=data.classes,
        target=data.codes,
        folds=tuple(folds),
        n_groups=None if groups is None else int(groups.max()) + 1,
        group_name=question.group_name,
        n_features=data.features.number,
        feature_names=data.features.names,
        references=_names_of(members, (RandomFeaturesClassifier, DummyClassifier)),
        random_features=_names_of(members, RandomFeaturesClassifier),
        seeds={"split": question.split_seed, "folds": question.seeds},
        versions=versions(),
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
        "se_test_score": float(corrected_error(scores, ratio)),
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


def _best(table):
    """Name of the best mean score, among those that never failed if there are any."""
    mean = np.nan_to_num(table["mean_test_score"], nan=-np.inf)
    is_whole = (table["n_failed"] == 0) & (table["n_folds"] > 0)
    return str(
        table["name"][np.argmax(np.where(is_whole, mean, -np.inf) if any(is_whole) else mean)]
    )


def _collect_predictions(question, found):
    """Class that each member predicts of each sample, a row for each time; -1 if not tested."""
    codes, tests = question.data.codes, [test for _, test in question.folds]
    times, turns = np.zeros(codes.size, dtype=int), []
    for test in tests:
        turns.append(times[test])
        times[test] += 1
    predicted = np.full((len(found), times.max(), codes.size), -1)
    for mine, results in zip(predicted, found, strict=True):
        for each in results:
            if each.error is None:
                mine[turns[each.fold], tests[each.fold]] = each.predicted
    return predicted


def _interval(question, results, ratio, predicted, is_right):
    """Return the ends of the 95 % confidence interval of a member, NaN if it was not scored."""
    scored = [each for each in results if each.error is None]
    if scored and question.score_name in SCORES:
        outer, groups = _confusions(question, results), question.groups
        tested = (~np.isnan(is_right)).sum(axis=0)
        units = np.arange(tested.size) if groups is None else groups
        n_repeats = tested.sum() / np.count_nonzero(tested)
        outcome, spread = Outcome.of_folds(outer, question.score_name, n_repeats, ratio), None
        if groups is not None and question.score_name in DRAWN:
            kinds = Kinds.of_groups(predicted, question.data.codes, groups, outer.shape[-1])
            spread = kinds.spread(question.score_name, question.split_seed)
        low, high = confidence_interval(
            outcome, question.score_name, float(np.mean(outcome.scores)),
            units=np.unique(units[tested > 0]).size, effect=design_effect(is_right, units),
            spread=spread, seed=question.split_seed,
        )  # fmt: skip
    else:
        low, high = fold_interval(np.array([each.score for each in scored]), ratio)
    return {"low_test_score": low, "high_test_score": high}


def _differences(question, scores, is_right, baseline, ratio):
    columns, rows = {"name": np.array(question.names)}, []
    gaps, ahead = scores - scores[baseline], is_right - is_right[baseline]
    for row, each in enumerate(gaps):
        paired = each[~np.isnan(each)]
        low, high = np.nan, np.nan  # of the baseline itself
        if row != baseline and question.score_name in SCORES:
            low, high = difference_interval(paired, ratio, ahead[row], question.groups)
        elif row != baseline:
            low, high = fold_interval(paired, ratio)
        rows.append(
            {
                "mean_difference": _mean(paired),
                "low_difference": low,
                "high_difference": high,
                "se_difference": float(corrected_error(paired, ratio)),
                "n_better": int((paired > 0).sum()),
                "n_worse": int((paired < 0).sum()),
                "n_folds": paired.size,
            }
        )
    return columns | {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _confusions(question, results):
    """Confusion matrix of each fold in which a member was scored."""
    codes, n_classes = question.data.codes, question.data.classes.size
    scored = [each for each in results if each.error is None]
    counts = np.zeros((len(scored), n_classes, n_classes), dtype=int)
    for confusion, each in zip(counts, scored, strict=True):
        np.add.at(confusion, (codes[question.folds[each.fold][1]], each.predicted), 1)
    return counts


def _names_of(members, kinds):
    return tuple(name for name, each in members.items() if isinstance(last_step(each), kinds))
