"""Section 7, tables 1 to 5: four classes that each have a block of features of their own.

Every repeat of every cell is a training and a test set of its own, 4 x 250 samples each, as in the
paper. All methods see the same sets. Slow methods, which are those that choose something by
cross-validation and support vector machines, run on the first few repeats.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from centroidal.datasets import make_feature_blocks

from .._output import print_grid, report_claims, write_csv
from .claims import N_RELEVANT, claims_of_table
from .methods import SHARING_METHODS, SIMULATION_METHODS
from .printed import ERRORS, SELECTED
from .protocol import PAPER, add_instead, repeats_of, tried, warm_up
from .results import Measured, standard_error

__all__ = ["TABLES", "results_of", "run"]

N_SAMPLES = 1000
N_CLASSES = 4
KEYS = ("row", "value")
STRENGTHS = (0.3, 0.6, 0.9)


class Table(NamedTuple):
    """A table of errors; `cells` has the arguments of the generator by row and value.

    A repeat costs a seed, one of a slow method `slow_cost` seeds.
    """

    title: str
    cells: dict
    methods: tuple
    slow_cost: int


def by_size(letter, arguments):
    return {
        (f"d={d}", f"{letter}={strength}"): {"n_features_per_class": d, **arguments(strength)}
        for d in (3, 5, 10)
        for strength in STRENGTHS
    }


def means_differ(a):
    return {"mean": a, "spread": 1.0}


def spreads_differ(b):
    return {"mean": 0.0, "spread": 1 + b}


def both_differ(c):
    return {"mean": c, "spread": 1 + c}


WITH_NOISE = {
    (f"r={r}", f"c={c}"): {"n_features_per_class": 5, "n_noise": r, **both_differ(c)}
    for r in (20, 40, 80)
    for c in STRENGTHS
}
TABLES = {
    1: Table(
        "blocks differ in their means",
        by_size("a", means_differ),
        SIMULATION_METHODS + SHARING_METHODS,
        slow_cost=4,
    ),
    2: Table(
        "blocks differ in their variances", by_size("b", spreads_differ), SIMULATION_METHODS, 4
    ),
    3: Table("blocks differ in both", by_size("c", both_differ), SIMULATION_METHODS, 4),
    4: Table("both, and r irrelevant features", WITH_NOISE, SIMULATION_METHODS, slow_cost=2),
}


def run(number, settings):
    """Measure, print and write a table, and put the paper's sentences to it."""
    results = results_of(number, settings)
    errors = add_instead(summarise(results, ERRORS[number], "error"), results)
    print_grid(f"Table {number}: {TABLES[number].title}; error [paper]", grid_of(errors, "{:.3f}"))
    write_csv(settings, f"{PAPER}_table{number}", errors)
    if number == 4:
        present_selected(results, settings)
    claims = claims_of_table(number, lambda other: results_of(other, settings))
    report_claims(settings, PAPER, claims, {"n_repeats": repeats_of(errors.n_repeats)})


def present_selected(results, settings):
    """Table 5, how many of the selected features are irrelevant, and the best peer at selecting."""
    selected = summarise(results, SELECTED, "n_selected")
    irrelevant = results.records.groupby([*KEYS, "method"], sort=False).n_irrelevant.mean()
    selected.insert(7, "ours_irrelevant", irrelevant.to_numpy())
    nearest = (results.counts[results.peers] - N_RELEVANT).abs().idxmin(axis=1)
    places = selected[list(KEYS)].apply(tuple, axis=1)
    selected.insert(8, "instead", [results.counts.loc[place, nearest[place]] for place in places])
    selected.insert(9, "instead_method", [nearest[place] for place in places])
    print_grid("Table 5: selected features in table 4 [paper]", grid_of(selected, "{:.0f}"))
    write_csv(settings, f"{PAPER}_table5", selected)


@cache
def results_of(number, settings):
    """Run every method on every repeat that it can afford; remembered."""
    table = TABLES[number]
    warm_up(table.methods, N_CLASSES)
    records = [
        record
        for position, cell in enumerate(table.cells)
        for repeat in range(settings.n_seeds)
        for record in records_of(table, cell, (number, position), repeat, settings)
    ]
    return Measured(pd.DataFrame(records), KEYS)


def records_of(table, cell, place, repeat, settings):
    """Draw a training and a test set and try all methods on them."""
    seed = settings.seed + repeat
    train, test = (
        make_feature_blocks(
            N_SAMPLES, n_classes=N_CLASSES, random_state=int(state), **table.cells[cell]
        )
        for state in np.random.SeedSequence((seed, *place)).generate_state(2)
    )
    records = []
    for method in table.methods:
        if repeat < method.n_repeats(settings.n_seeds, table.slow_cost):
            record, used = tried(method, (train.data, train.target), (test.data, test.target), seed)
            about = dict(zip(KEYS, cell, strict=True)) | {"repeat": repeat}
            about["n_irrelevant"] = used[train.feature_class < 0].sum()
            records.append(about | record)
    return records


def summarise(results, printed, what):
    """Average errors or numbers of features over the repeats, beside what is printed."""
    groups = results.records.groupby([*KEYS, "method"], sort=False)
    table = groups.agg(
        role=("role", "first"),
        ours=(what, "mean"),
        ours_se=(what, standard_error),
        cpu_seconds_median=("cpu_seconds", "median"),
        n_repeats=("repeat", "nunique"),
        n_features=("n_features", "first"),
    ).reset_index()
    known = printed.stack().to_dict()
    places = table[[*KEYS, "method"]].itertuples(index=False, name=None)
    table.insert(4, "paper", [known.get(place) for place in places])
    return table.assign(n_train=N_SAMPLES, n_test=N_SAMPLES)


def grid_of(summary, form):
    """Lay out one row a method, one column a cell."""
    text = summary.ours.map(form.format)
    text += summary.paper.map(lambda value: "" if pd.isna(value) else f" [{form.format(value)}]")
    table = summary.assign(text=text, cell=summary.row + " " + summary.value)
    grid = table.pivot(index="method", columns="cell", values="text")
    grid = grid.loc[summary.method.unique(), table.cell.unique()]
    return grid.assign(repeats=summary.groupby("method").n_repeats.first())
