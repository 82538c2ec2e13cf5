"""Mean errors over the cells of tables 1 to 4, and what they say of the method as a whole.

*Ours* is over all repeats of a method, *together* over those that all methods ran on: by the latter
methods are compared. *Independent* is another implementation on other draws, for orientation.
"""

import numpy as np
import pandas as pd

from .._output import Claim, print_grid, report_claims, verdict, write_csv
from .claims import describe_cases
from .printed import ERRORS, RIVALS
from .protocol import PAPER, repeats_of
from .results import N_NOISE, combined
from .simulations import TABLES, results_of

__all__ = ["run"]

ALL = "1-4"
REPRODUCED = 0.015  # at most so far from a printed error
INDEPENDENT = {
    ("NDC", 1): 0.600,
    ("NDC", 2): 0.385,
    ("NDC", 3): 0.337,
    ("NDC", 4): 0.405,
    ("NDC", ALL): 0.432,
    ("NDC-S", ALL): 0.419,
    ("GaussianNB", 1): 0.363,
    ("GaussianNB", 2): 0.378,
    ("GaussianNB", 3): 0.303,
    ("GaussianNB", 4): 0.339,
    ("GaussianNB", ALL): 0.346,
    ("overlapping CV", ALL): 0.340,
}


def run(settings):
    """Average, print and write, and judge what the paper says of all simulations."""
    tables = {number: results_of(number, settings) for number in TABLES}
    summary = summarise(tables)
    print_grid("Mean error over the cells of tables 1 to 4 [paper]", grid_of(summary))
    write_csv(settings, f"{PAPER}_averages", summary)
    repeats = {"n_repeats": repeats_of(summary.n_repeats_fewest)}
    report_claims(settings, PAPER, claims_of(tables, summary), repeats)


def summarise(tables):
    """Average every method over each table, and over all if it is in all."""
    methods = [method.name for method in TABLES[1].methods]
    rows = []
    for method in methods:
        found = {n: results for n, results in tables.items() if method in results.means}
        rows += [row_of(method, number, [results]) for number, results in found.items()]
        if len(found) == len(tables):
            rows.append(row_of(method, ALL, list(tables.values())))
    table = pd.DataFrame(rows)
    peers = table[table.method.isin(tables[1].peers)]
    lowest = peers.loc[peers.groupby("simulation").ours_together.idxmin()].set_index("simulation")
    table.insert(7, "instead", table.simulation.map(lowest.ours_together))
    table.insert(8, "instead_method", table.simulation.map(lowest.method))
    return table


def row_of(method, number, parts):
    """Average one method over the cells of some tables."""
    averages = [results.average(method) for results in parts]
    records = [results.records[results.records.method == method] for results in parts]
    numbers = TABLES if number == ALL else [number]
    is_printed = method in ERRORS[1]
    return {
        "simulation": str(number),
        "method": method,
        "role": records[0].role.iloc[0],
        "paper": np.mean([ERRORS[n][method].mean() for n in numbers]) if is_printed else None,
        "ours": np.mean([average for average, _ in averages]),
        "ours_se": combined([error for _, error in averages]),
        "ours_together": np.mean([average_together(results, method) for results in parts]),
        "independent": INDEPENDENT.get((method, number)),
        "n_cells": sum(len(results.means) for results in parts),
        "n_repeats_fewest": min(record.repeat.nunique() for record in records),
    }


def average_together(results, method):
    return results.means_together(results.means.columns)[method].mean()


def grid_of(summary):
    """Lay out one row a method, the lowest over all cells first, one column a simulation."""
    text = summary.ours.map("{:.3f}".format)
    text += summary.paper.map(lambda value: "" if pd.isna(value) else f" [{value:.3f}]")
    grid = summary.assign(text=text).pivot(index="method", columns="simulation", values="text")
    grid = grid[[*map(str, TABLES), ALL]].fillna("")
    over_all = summary[summary.simulation == ALL].set_index("method").ours
    return grid.loc[sorted(grid.index, key=lambda method: over_all.get(method, 1.0))]


def claims_of(tables, summary):
    """Judge reproduction, the paper's comparison, and ours."""
    over_all = summary[summary.simulation == ALL].set_index("method").ours_together.sort_values()
    ours, peers = over_all.drop(tables[1].peers), over_all[tables[1].peers].sort_values()
    instead = (
        "mean error over the 36 cells, on the repeats that all methods ran on: "
        f"{listed(peers)}; ours: {listed(ours)}"
    )
    asked = [
        claim_reproduced(tables, "NDC", "from", abs),
        claim_reproduced(tables, "NDC-S", "above", float),
        (
            "The method outperforms competing classifiers in various settings.",
            "NDC has a lower mean error over the 36 cells than each of the six rivals",
            {f"{name} {over_all[name]:.3f}": over_all["NDC"] < over_all[name] for name in RIVALS},
        ),
        (
            "(Not in the paper:) NDC is at least as good as GaussianNB.",
            "in no simulation is the mean error of GaussianNB lower by two standard errors",
            no_worse(tables, "NDC", "GaussianNB"),
        ),
        (
            "(Not in the paper:) NDC-S is at least as good as GaussianNB.",
            "in no simulation is the mean error of GaussianNB lower by two standard errors",
            no_worse(tables, "NDC-S", "GaussianNB"),
        ),
        (
            "(Not in the paper:) the closed-form margin is as good as 100 starts.",
            "in no simulation is the mean error of NDC lower by two standard errors",
            no_worse(tables, "margin", "NDC"),
        ),
        (
            "(Not in the paper:) the margin with the weight chosen is as good as NDC-S.",
            "in no simulation is the mean error of NDC-S lower by two standard errors",
            no_worse(tables, "margin CV", "NDC-S"),
        ),
        (
            "(Not in the paper:) a clustering for each class, as it proposes, is as good as NDC-S.",
            "in no simulation is the mean error of NDC-S lower by two standard errors",
            no_worse(tables, "two-way CV", "NDC-S"),
        ),
        (
            "(Not in the paper:) overlapping groups with the weight chosen are best of all.",
            "no other method has a lower mean error over the 36 cells",
            {
                f"{name} {error:.3f}": error >= over_all["overlapping CV"]
                for name, error in over_all.drop("overlapping CV").items()
            },
        ),
        (
            "(Not in the paper:) overlapping groups are at least as good as GaussianNB.",
            "in no simulation is the mean error of GaussianNB lower by two standard errors",
            no_worse(tables, "overlapping CV", "GaussianNB"),
        ),
    ]
    return [
        Claim(
            "Tables 1 to 4",
            text,
            f"{question}: {describe_cases(pd.Series(answers))}",
            instead,
            verdict(pd.Series(answers).mean()),
        )
        for text, question, answers in asked
    ]


def claim_reproduced(tables, method, what, measure):
    """Ask whether our errors are those that are printed, or at least no higher."""
    difference = pd.concat(
        {n: results.means[method] - ERRORS[n][method] for n, results in tables.items()}
    )
    mean, mean_absolute = difference.mean(), difference.abs().mean()
    return (
        f"(Reproduction:) the printed errors of {method}.",
        f"ours is at most {REPRODUCED} {what} what is printed (mean difference {mean:+.3f}, mean "
        f"absolute difference {mean_absolute:.3f}, largest {difference.abs().max():.3f})",
        {
            f"table {' '.join(map(str, place))} {value:+.3f}": bool(measure(value) <= REPRODUCED)
            for place, value in difference.items()
        },
    )


def no_worse(tables, one, other):
    """Ask in each simulation whether `other` does not lead by two standard errors."""
    leads = {number: results.average_lead(other, one) for number, results in tables.items()}
    return {
        f"simulation {number} ({one} {tables[number].means[one].mean():.3f}, {other} "
        f"{tables[number].means[other].mean():.3f})": bool(lead <= N_NOISE * error)
        for number, (lead, error) in leads.items()
    }


def listed(errors):
    return ", ".join(f"{name} {error:.3f}" for name, error in errors.items())
