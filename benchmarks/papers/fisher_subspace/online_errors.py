"""Tables 4.3 and 4.4, and figures 4.3 and 4.4: learning from a stream.

Of the thesis's rivals scikit-learn has the perceptron and PA-I. The average online error is the
share of mistakes so far on points that the model had not seen yet. Points come in small batches,
each predicted as a whole before the models learn from it; the first one only teaches.
"""

import time

import numpy as np
import pandas as pd
from sklearn.base import clone

from .._output import Panel, report_claims, save_picture, write_csv
from .claims import claims_of
from .linear_tables import CODED_HEART, HEART, SCALED_HEART, SPAM, TABLE_4_3
from .methods import ONLINE, online
from .protocol import PAPER, Ordering, Table, run_table
from .results import Record, Results

__all__ = ["run"]

BATCH = 10
COST = 10  # seeds for a repeat
N_DRAWN, N_FIRST = 30, 20  # points of each curve, and where it begins
STREAMS = (SPAM, HEART, CODED_HEART, SCALED_HEART)

FIGURES = Table(
    "table4_3_4_4_curves",
    "Figures 4.3 and 4.4: right predictions along the stream",
    problems=STREAMS,
    methods=tuple(map(online, ONLINE)),
    champion="O-IPCAC",
    orderings=(
        Ordering(
            "O-IPCAC achieves the best learning speed on SpamAssassin.",
            [SPAM],
            [("O-IPCAC", "PA-I"), ("O-IPCAC", "Perceptron")],
        ),
        Ordering(
            "On Hungarian, too, first-order methods learn more slowly.",
            [HEART, CODED_HEART, SCALED_HEART],
            [("O-IPCAC", "PA-I"), ("O-IPCAC", "Perceptron")],
        ),
    ),
)


def run(settings):
    """Measure the table, then the average online errors; draw them."""
    run_table(TABLE_4_3, settings)
    n_repeats = max(1, settings.n_seeds // COST)
    records = [
        record
        for i in range(n_repeats)
        for problem in STREAMS
        for record in stream_records(problem, problem.split(settings, i), i)
    ]
    results, name = Results(records), f"{PAPER}_{FIGURES.name}"
    curves = pd.concat([average_error(row) for row in results.by_row.values()])
    write_csv(settings, name, curves)
    panels = [
        Panel(f"{data}: online error, %", "points seen", rows, log_x=False, x_is_share=False)
        for data, rows in curves.groupby("data", sort=False)
    ]
    save_picture(settings, name, panels, highlight=["O-IPCAC"])
    report_claims(settings, PAPER, claims_of(FIGURES, results), {"n_repeats": n_repeats})


def stream_records(problem, split, i):
    """Let every method predict and learn batch by batch."""
    for method in FIGURES.methods:
        start = time.perf_counter()
        predicted = predict_along(clone(ONLINE[method.name]), split.X_train, split.y_train)
        about = time.perf_counter() - start, *split.X_train.shape
        y = split.y_train[BATCH:]
        yield Record(problem.name, method.name, method.rule, method.role, i, y, predicted, *about)


def predict_along(model, X, y):
    classes, predicted = np.unique(y), []
    for start in range(0, len(y), BATCH):
        batch = slice(start, start + BATCH)
        if start:
            predicted.append(model.predict(X[batch]))
        model.partial_fit(X[batch], y[batch], classes=classes)
    return np.concatenate(predicted)


def average_error(row):
    """Average the error curve over the repeats, and keep some points of it."""
    n_points = min(len(record.y) for record in row)
    seen = np.arange(1, n_points + 1)
    errors = np.mean([np.cumsum(~r.is_correct[:n_points]) / seen for r in row], axis=0)
    kept = np.unique(np.geomspace(N_FIRST, n_points, N_DRAWN).astype(int)) - 1
    about = {"data": row[0].problem, "method": row[0].method}
    about |= {"n_repeats": len(row), "batch": BATCH}
    return pd.DataFrame({**about, "x": seen[kept], "y": 100 * errors[kept]})
