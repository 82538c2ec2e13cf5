"""Figure 1: how the objective falls with the iterations, for RFS and for the paper's own method.

The iterations are those of the paper (reweighted least squares), with the certified optimum as the
level that they fall to, and beside them the steps of our interior-point method.
"""

import numpy as np
import pandas as pd

from centroidal import L21CentroidSelector

from .._output import Panel, print_grid, report_claims, save_picture, write_csv
from .claims import judged
from .problems import PAPER, PROBLEMS, load

__all__ = ["run"]

FIGURE = "Figure 1"
TARGETS = {"RFS": "classes", "Ours": "centroids"}
COUNTS = (*range(1, 11), *range(12, 21, 2), *range(25, 61, 5), 80, 100, 140, 200)
LEVELS = (1e-2, 1e-3)  # shares of the optimum above it
OPTIMUM_GAP, NEVER = 1e-8, 1e-15
ALMOST = 1.25  # times as many iterations are almost as many
SHOWN = (1, 2, 5, 10, 20, 40, 60, 100, 200)


def run(settings):
    """Trace, print, write and draw, and put the paper's sentence to it."""
    table = pd.concat([trace(settings, problem, name) for problem in PROBLEMS for name in TARGETS])
    shown = table[table.iteration.isin(SHOWN)]
    grid = shown.pivot_table("above_optimum", ["problem", "method"], "iteration", sort=False)
    print_grid("Figure 1: objective above the optimum, as a share of it, by iteration", grid)
    write_csv(settings, f"{PAPER}_figure1", table)
    save_picture(settings, f"{PAPER}_figure1", panels_of(table), highlight=("Ours",))
    report_claims(settings, PAPER, claims_of(table), {"n_repeats": 1})


def trace(settings, problem, name):
    """Objective after each number of iterations; a run is the same up to where it is stopped."""
    X, y = load(settings, problem)
    exact = L21CentroidSelector(targets=TARGETS[name], solver="newton", tol=OPTIMUM_GAP).fit(X, y)
    model = L21CentroidSelector(targets=TARGETS[name], solver="irls", tol=NEVER)
    fits = [model.set_params(max_iter=n).fit(X, y) and stopped(model) for n in COUNTS]
    table = pd.DataFrame(fits, columns=["objective", "dual_gap"])
    return table.assign(
        problem=problem.name,
        method=name,
        iteration=COUNTS,
        optimum=exact.objective_,
        optimum_relative_gap=exact.dual_gap_ / exact.objective_,
        above_optimum=np.maximum(table.objective / exact.objective_ - 1, 0),
        interior_point_steps=exact.n_iter_,
    )


def stopped(model):
    return model.objective_, model.dual_gap_


def panels_of(table):
    return [
        Panel(
            f"{problem.name}: objective above the optimum",
            "iterations",
            table[table.problem == problem.name].rename(
                columns={"iteration": "x", "above_optimum": "y"}
            ),
            log_y=True,
            x_is_share=False,
        )
        for problem in PROBLEMS
    ]


def claims_of(table):
    """Judge whether both converge alike."""
    needed = {level: iterations_to(table, level) for level in LEVELS}
    return [claim_alike(table, needed), claim_faster_somewhere(table, needed)]


def iterations_to(table, level):
    """Count iterations until the objective is within a share of the optimum; NaN if never."""
    reached = table[table.above_optimum <= level]
    first = reached.groupby(["problem", "method"], sort=False).iteration.min()
    return first.unstack().reindex(columns=list(TARGETS))


def claim_alike(table, needed):
    answers = {
        f"{name}, {level:g}: {row.Ours:.0f} against {row.RFS:.0f}": row.Ours <= ALMOST * row.RFS
        for level, found in needed.items()
        for name, row in found.iterrows()
    }
    question = (
        f"Ours needs at most {ALMOST} times the iterations of RFS to come as near, with a tenth of "
        "the largest penalty"
    )
    text = "Ours converges almost the same as RFS."
    return judged(FIGURE, text, question, answers, describe_steps(table))


def claim_faster_somewhere(table, needed):
    answers = {
        f"within {level:g} on {', '.join(found.index[found.Ours < found.RFS]) or 'none'}": bool(
            (found.Ours < found.RFS).any()
        )
        for level, found in needed.items()
    }
    question = "Ours needs fewer iterations than RFS on at least one set"
    text = "In some datasets it converges faster than RFS."
    return judged(FIGURE, text, question, answers, describe_steps(table))


def describe_steps(table):
    first = table.groupby(["problem", "method"], sort=False).first()
    steps = (
        f"{problem} {method} {row.interior_point_steps:.0f}"
        for (problem, method), row in first.iterrows()
    )
    return f"interior-point steps to a proven gap of {OPTIMUM_GAP:g}: {', '.join(steps)}"
