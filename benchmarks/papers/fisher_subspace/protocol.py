"""What a table is, and how every one of them is made: measured, printed, written, judged."""

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from centroidal.solvers.thresholds import find_threshold

from .._output import print_grid, report_claims, write_csv
from .claims import claims_of
from .results import Record, Results, mean_and_error

__all__ = [
    "PAPER",
    "Method",
    "Ordering",
    "Speed",
    "Table",
    "columns",
    "run_table",
]

PAPER = "fisher_subspace"


class Method(NamedTuple):
    """A row of a table; `make(problem)` returns an unfitted classifier.

    `rules` are thresholds that a single fit is scored with; without them `predict` decides, and
    `rule` says how. `role` is "thesis" (ours or a rival of the thesis) or "instead" (what a user
    would pick instead). Slow methods run on the first few repeats.
    """

    name: str
    make: Callable
    role: str = "thesis"
    rules: tuple[str, ...] = ()
    rule: str = ""
    is_slow: bool = False


class Ordering(NamedTuple):
    """A sentence of the thesis: how every method of a chain compares with the next.

    `expects` holds the signs that agree with it: ">" better, "=" equal, ">=" no worse. Each rule
    of `rules` is judged by itself; methods that do not have it take part with their own.
    """

    text: str
    problems: Sequence
    chains: Sequence[tuple[str, ...]]
    rules: tuple[str, ...] = ("strict", "inclusive")
    expects: str = ">"


class Speed(NamedTuple):
    """A sentence of the thesis: `champion` takes less time than each of the others."""

    text: str
    champion: str
    others: tuple[str, ...]
    peer: str


class Table(NamedTuple):
    """A table of the thesis.

    `printed` are its accuracies in % by problem and method; `independent` those of
    another implementation, by problem and "method, rule". `champion` is the method that the
    peers are held against. A repeat costs `cost` seeds, one of the slow methods `slow_cost`,
    unless the problem has a cost of its own.
    """

    name: str
    title: str
    problems: tuple
    methods: tuple
    champion: str
    orderings: tuple = ()
    speeds: tuple = ()
    printed: Mapping = MappingProxyType({})
    independent: Mapping = MappingProxyType({})
    cost: int = 1
    slow_cost: int = 1

    @property
    def figure(self):
        """What it is called in the thesis."""
        return self.title.partition(":")[0]

    def n_repeats(self, settings, problem, is_slow=False):
        """Count the repeats that the seeds pay for, at least one."""
        cost = problem.cost or (self.slow_cost if is_slow else self.cost)
        return max(1, settings.n_seeds // cost)


def columns(text):
    """Read a table with bars between its columns into {column: {row: number}}."""
    header, *rows = [
        [cell.strip() for cell in line.split("|")] for line in text.strip("\n ").splitlines()
    ]
    return {
        name: {row[0]: float(row[k]) for row in rows if row[k]}
        for k, name in enumerate(header[1:], start=1)
    }


def run_table(table, settings):
    """Measure, print and write one table, and put the thesis's sentences to it."""
    results = measure(table, settings)
    summary = pd.DataFrame(
        [summarise(row, table.printed, table.independent) for row in results.by_row.values()]
    )
    title = f"{table.title}; accuracy in % ± standard error [thesis]"
    print_grid(title, grid_of_scores(summary))
    write_csv(settings, f"{PAPER}_{table.name}", summary)
    repeats = {"n_repeats": smallest_to_largest(summary.n_repeats)}
    report_claims(settings, PAPER, claims_of(table, results), repeats)
    return summary


def smallest_to_largest(numbers):
    """Write '3-20', or '3' if all are the same."""
    return "-".join(str(n) for n in sorted({min(numbers), max(numbers)}))


def measure(table, settings):
    """Run every method on every repeat that it can afford; repeats outside, as draws are shared."""
    records = []
    for i in range(settings.n_seeds):
        for problem in table.problems:
            affordable = [
                method
                for method in table.methods
                if i < table.n_repeats(settings, problem, method.is_slow)
            ]
            split = problem.split(settings, i) if affordable else None
            for method in affordable:
                records += records_of(method, problem, split, i)
    return Results(records)


def records_of(method, problem, split, i):
    """Train one method and predict, by each of its rules."""
    start = time.perf_counter()
    model = method.make(problem).fit(split.X_train, split.y_train)
    predicted = (
        predict_by_rules(model, split, method.rules)
        if method.rules
        else {method.rule: model.predict(split.X_test)}
    )
    seconds = time.perf_counter() - start
    about = seconds, *split.X_train.shape
    return [
        Record(problem.name, method.name, rule, method.role, i, split.y_test, codes, *about)
        for rule, codes in predicted.items()
    ]


def predict_by_rules(model, split, rules):
    """Score once and cut at the threshold of each rule: the direction is the same for all."""
    scores, is_positive = model.decision_function(split.X_train), split.y_train == 1
    thresholds = {rule: find_threshold(rule, scores, is_positive) for rule in rules}
    scores = model.decision_function(split.X_test)
    return {rule: (scores > threshold) * 1 for rule, threshold in thresholds.items()}


def summarise(row, printed, independent):
    """Put one method on one problem into a row: printed, independent, ours."""
    first, label = row[0], ", ".join(filter(None, (row[0].method, row[0].rule)))
    y, predicted = (np.concatenate([getattr(r, name) for r in row]) for name in ("y", "predicted"))
    mean, error = mean_and_error([r.is_correct for r in row])
    is_binary = set(np.unique(y)) == {0, 1}
    return {
        "data": first.problem,
        "method": first.method,
        "rule": first.rule,
        "role": first.role,
        "thesis": printed.get(first.problem, {}).get(first.method),
        "independent": independent.get(first.problem, {}).get(label),
        "accuracy_mean": mean,
        "accuracy_se": error,
        "recall_A": share(predicted[y == 1] == 1) if is_binary else None,
        "recall_B": share(predicted[y == 0] == 0) if is_binary else None,
        "precision_A": share(y[predicted == 1] == 1) if is_binary else None,
        "seconds_median": np.median([r.seconds for r in row]),
        "n_repeats": len(row),
        "n_train": first.n_train,
        "n_test": len(first.y),
        "n_features": first.n_features,
    }


def share(is_true):
    return 100 * is_true.mean() if len(is_true) else None


def grid_of_scores(summary):
    """Lay out one row a method and rule, one column a problem."""
    means, errors = (summary[f"accuracy_{what}"].map("{:.1f}".format) for what in ("mean", "se"))
    text = means + " ±" + errors
    text += summary.thesis.map(lambda value: "" if pd.isna(value) else f" [{value:.1f}]")
    table = summary.assign(text=text)
    by_row = table.groupby(["method", "rule"], sort=False)
    repeats = by_row.n_repeats.agg(smallest_to_largest)
    grid = table.pivot(index=["method", "rule"], columns="data", values="text")
    return grid.loc[repeats.index, summary.data.unique()].assign(repeats=repeats).fillna("")
