"""Measure who takes part, on folds that all share; what is measured already is left alone.

A row of scores.csv is a set, a race (`free`: as many features as one likes; `50`: at most so many),
who takes part and a repeat of five stratified folds. Fitting sees the training set alone, missing
values included, which its medians fill in. `balanced_accuracy` is that of the predictions of all
five folds together, each by a model that has not seen the sample; `n_features` and `cpu_seconds`
are means of a fit, choices by inner folds included, in one thread. Classes of fewer than five
samples are left out.
"""

import csv
import time
import warnings
from importlib.metadata import version
from itertools import product

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

from centroidal.model_selection.feature_flow import used_features

from ..papers._data import load_table
from . import ours, peers

GENES = (
    "sorlie_datamicroarray", "west_desouto", "golub_desouto", "colon", "colon_alon",
    "chowdary_desouto", "glioma", "garber_2001_desouto", "lung_bhattacharjee_desouto",
    "christensen_datamicroarray", "allaml", "singh", "chin_first16384", "chowdary",
    "nakayama_datamicroarray",
)  # fmt: skip
OTHERS = ("hungarian_heart",)
SETS = (*OTHERS, *GENES)
N_FOLDS, N_REPEATS, FEWEST = 5, 2, 5
KEY = ("set", "race", "method", "repeat")


def contestants():
    """Yield race, role, name and what fits them: (X, y) to a model and its number of features."""
    for race, mine, others in (
        ("free", ours.FREE, peers.FREE),
        ("50", ours.AT_MOST_50, peers.AT_MOST_50),
    ):
        for name, build in others.items():
            yield race, "peer", name, _fit_of(build)
        for name, fit in mine.items():
            yield race, "ours", name, fit


def _fit_of(build):
    def fit(X, y):
        model = build(X.shape[1]).fit(X, y)
        return model, used_features(model, X.shape[1])[0] or X.shape[1]

    return fit


def run(folder, path, sets, role, only):
    """Measure what is missing, what takes long last, and write each row when it is found."""
    done = {tuple(row[name] for name in KEY) for row in read(path)}
    for slow, name in product((False, True), sets):
        X, y = load(folder, name)
        for race, whose, method, fit in contestants():
            if role not in (None, whose) or (only and method not in only):
                continue
            if slow != is_slow(method):
                continue
            for repeat in range(1 if slow else N_REPEATS):
                if (name, race, method, str(repeat)) in done:
                    continue
                found = measure(fit, X, y, repeat)
                facts = {"set": name, "race": race, "method": method, "repeat": repeat,
                         "role": whose, "n_samples": len(y), "n_in_set": X.shape[1]}  # fmt: skip
                append(path, facts | found | {"sklearn": version("scikit-learn")})
                print(*(facts | found).values(), flush=True)


def is_slow(method):
    """Tell who takes so long that one repeat must do."""
    return method in peers.SLOW or method.split(",")[0] in ours.SLOW


def load(folder, name):
    """Return the samples of the classes that have enough of them."""
    X, y = load_table(folder, name)
    kept = np.bincount(y)[y] >= FEWEST
    return X[kept], y[kept]


def measure(fit, X, y, repeat):
    """Return what five folds tell; an error is told, too, and counts as no score."""
    predicted, sizes, seconds = np.empty_like(y), [], []
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=repeat)
    try:
        for train, test in folds.split(X, y):
            start = time.process_time()
            fill = SimpleImputer(strategy="median").fit(X[train])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # solvers that stop early, constant features
                model, size = fit(fill.transform(X[train]), y[train])
            seconds.append(time.process_time() - start)
            sizes.append(size)
            predicted[test] = model.predict(fill.transform(X[test]))
    except Exception as error:
        return {"balanced_accuracy": "", "n_features": "", "cpu_seconds": "",
                "error": f"{type(error).__name__}: {error}"[:200]}  # fmt: skip
    return {
        "balanced_accuracy": round(balanced_accuracy_score(y, predicted), 5),
        "n_features": round(float(np.mean(sizes)), 1),
        "cpu_seconds": round(float(np.mean(seconds)), 4),
        "error": "",
    }


def read(path):
    """Return the rows that are there."""
    if not path.exists():
        return []
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def append(path, row):
    """Add a row, and a header to a new file."""
    is_new = not path.exists()
    with path.open("a", newline="") as stream:
        writer = csv.DictWriter(stream, row)
        if is_new:
            writer.writeheader()
        writer.writerow(row)
