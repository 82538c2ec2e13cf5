"""How a method is tried on a training and a test part, and what stands beside its row."""

import time

import numpy as np

from centroidal.datasets import make_feature_blocks

__all__ = ["PAPER", "add_instead", "repeats_of", "tried", "warm_up"]

PAPER = "disjoint_centroids"


def warm_up(methods, n_classes):
    """Compile: the first call of a compiled loop is not the cost of a method."""
    made = make_feature_blocks(80, 3, n_classes=n_classes, random_state=0)
    positive = np.exp(made.data)
    for method in methods:
        method.make(0).fit(positive, made.target).predict(positive)


def tried(method, train, test, seed):
    """Train a method on (X, y), test it on (X, y); return its record and the features it uses."""
    start = time.process_time()
    model = method.make(seed).fit(*train)
    predicted = model.predict(test[0])
    seconds = time.process_time() - start
    used = method.used_by(model, train[0].shape[1])
    record = {
        "method": method.name,
        "role": method.role,
        "error": np.mean(predicted != test[1]),
        "n_selected": used.sum(),
        "cpu_seconds": seconds,
        "n_features": used.size,
    }
    return record, used


def add_instead(table, results, after="ours_se"):
    """Put after a column the method of scikit-learn with the lowest error in the same cell."""
    lowest = results.means[results.peers]
    best = lowest.agg(["min", "idxmin"], axis=1)
    best.columns = ["instead", "instead_method"]
    table = table.merge(best.astype({"instead": float}), left_on=results.keys, right_index=True)
    position = table.columns.get_loc(after) + 1
    order = [*table.columns[:position], *best.columns, *table.columns[position:-2]]
    return table[order]


def repeats_of(numbers):
    """Write '5-20', or '20' if all are the same."""
    return "-".join(str(n) for n in sorted({min(numbers), max(numbers)}))
