"""Table 1: seconds to select features linearly.

Printed beside ours are seconds of one thread, the median of a few runs after one that compiles.
RFS and the paper's own method are solved until the gap between objective and lower bound, a proof,
is a millionth of the objective; what the paper's runs had reached is not said.
"""

import time
from statistics import median
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.feature_selection import f_classif

from centroidal import L21CentroidSelector, LinearCentroidEncoder

from .._output import print_grid, report_claims, write_csv
from .methods import l1_logistic
from .peer import PEER, is_installed, run_peer
from .printed import SECONDS
from .problems import PAPER, PROBLEMS, load, standardised
from .time_claims import claims_of_times

__all__ = ["GAP", "N_TOP", "run"]

GAP = 1e-6
N_RUNS = 3
N_TOP = 20
COLUMNS = (
    "problem",
    "method",
    "paper_seconds",
    "cpu_seconds",
    "wall_seconds",
    "n_iter",
    "n_selected",
    "objective",
    "relative_gap",
    "above_optimum",
    "top20_of_optimum",
    "outcome",
    "note",
)


class Row(NamedTuple):
    """A method of the table: its name, its column in the paper, and what fits it."""

    name: str
    printed: str
    estimator: object


ROWS = (
    Row("RFS", "RFS", L21CentroidSelector(targets="classes", solver="newton", tol=GAP)),
    Row("SLCE, two steps", "SLCE", LinearCentroidEncoder()),
    Row("SLCE, alternating", "SLCE", LinearCentroidEncoder(training="alternating")),
    Row("Ours", "Ours", L21CentroidSelector(solver="newton", tol=GAP)),
)


def run(settings):
    """Measure, print and write the table, and put the paper's sentences to it."""
    rows = [row for problem in PROBLEMS for row in rows_of(problem, settings)]
    table = pd.DataFrame(rows, columns=COLUMNS)
    grid = table.drop(columns="note").set_index(["problem", "method"])
    print_grid("Table 1: seconds (lung is a stand-in with 1543 features)", grid)
    write_csv(settings, f"{PAPER}_table1", table)
    report_claims(settings, PAPER, claims_of_times(table), {"n_repeats": N_RUNS})


def rows_of(problem, settings):
    """Yield the paper's methods, what a user would pick instead, and skfeature's RFS."""
    X, y = load(settings, problem)
    about = {"problem": problem.name, "note": problem.note}
    fitted = {}
    for row in ROWS:
        fitted[row.name], times = timed(row.estimator.fit, X, y)
        yield about | {
            "method": row.name,
            "paper_seconds": SECONDS[problem.name][row.printed],
            **times,
            **describe(fitted[row.name]),
        }
    for name, select in (("f_classif", f_classif), ("L1 logistic", l1_logistic(0).fit)):
        _, times = timed(select, standardised(X), y)
        yield about | {"method": name, "outcome": "what a user would pick", **times}
    yield about | peer_row(standardised(X), y, fitted["RFS"], settings)


def timed(function, *arguments):
    """Call once to compile, then a few times; return the last result and median seconds."""
    function(*arguments)
    cpu, wall = [], []
    for _ in range(N_RUNS):
        starts = time.process_time(), time.perf_counter()
        result = function(*arguments)
        cpu.append(time.process_time() - starts[0])
        wall.append(time.perf_counter() - starts[1])
    return result, {"cpu_seconds": median(cpu), "wall_seconds": median(wall)}


def describe(model):
    """Say what was reached: the gap is a proof for the convex methods, not for SLCE's axes."""
    is_convex = isinstance(model, L21CentroidSelector)
    certificate = f"relative gap {GAP:g} {'reached' if model.converged_ else 'not reached'}"
    return {
        "objective": model.objective_,
        "relative_gap": model.dual_gap_ / model.objective_ if is_convex else np.nan,
        "n_selected": np.count_nonzero(model.scores_),
        "n_iter": model.n_iter_,
        "outcome": certificate if is_convex else "not convex, no bound",
    }


def peer_row(X, y, exact, settings):
    """Run skfeature's RFS on the same problem and hold its objective against the certified one."""
    if not is_installed():
        return {"method": PEER, "outcome": "not run (skfeature-chappers is not installed)"}
    if not settings.peer_seconds:
        return {"method": PEER, "outcome": "not run (--peer-seconds gives it time)"}
    found = run_peer(X, y, exact.alpha_, settings.peer_seconds, settings.n_threads)
    row = {"method": PEER, "outcome": found.outcome}
    row |= {"cpu_seconds": found.cpu_seconds, "wall_seconds": found.seconds}
    if found.objectives:
        row |= {"objective": found.objectives[-1], "n_iter": len(found.objectives)}
        row["above_optimum"] = found.objectives[-1] / exact.objective_ - 1
    if found.weights is not None:
        top = np.argsort(-np.linalg.norm(found.weights, axis=1), kind="stable")[:N_TOP]
        row["top20_of_optimum"] = np.intersect1d(top, exact.feature_ranking_[:N_TOP]).size
    return row
