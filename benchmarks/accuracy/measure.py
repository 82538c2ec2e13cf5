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
from functools import partial
from importlib.metadata import version
from itertools import product

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

from centroidal.model_selection.feature_flow import used_features

from ..papers._data import load_table
from . import peers
from .ours import OURS

GENES = (
    "sorlie_datamicroarray", "west_desouto", "golub_desouto", "colon", "colon_alon",
    "chowdary_desouto", "glioma", "garber_2001_desouto", "lung_bhattacharjee_desouto",
    "christensen_datamicroarray", "allaml", "singh", "chin_first16384", "chowdary",
    "nakayama_datamicroarray",
)  # fmt: skip
OTHERS = ("hungarian_heart",)
SETS = (*OTHERS, *GENES)
N_FOLDS, N_REPEATS, FEWEST = 5, 2, 5
FOUND = ("race", "method", "balanced_accuracy", "n_features", "cpu_seconds")


def contestants():
    """Yield role, name and what fits: (X, y) to models by race and name, see `ours`."""
    for race, builders in (("free", peers.FREE), ("50", peers.AT_MOST_50)):
        for name, build in builders.items():
            yield "peer", name, partial(fit_peer, race, name, build)
    for name, fit in OURS.items():
        yield "ours", name, fit


def fit_peer(race, name, build, X, y):
    """Return the model of a peer, its number of features and CPU seconds."""
    start = time.process_time()
    model = build(X.shape[1], np.unique(y).size).fit(X, y)
    size = used_features(model, X.shape[1])[0] or X.shape[1]
    return {(race, name): (model, size, time.process_time() - start)}


def run(folder, path, sets, role, only, n_repeats=N_REPEATS):
    """Measure what is missing, what takes long last, and write rows when they are found."""
    done = {tuple(row[name] for name in ("set", "run", "repeat")) for row in read(path)}
    for slow, name in product((False, True), sets):
        X, y = load(folder, name)
        about = {"set": name, "n_samples": len(y), "n_in_set": X.shape[1]}
        for whose, method, fit in contestants():
            if role not in (None, whose) or (only and method not in only):
                continue
            if slow != (method in peers.SLOW):
                continue
            for repeat in range(1 if slow else n_repeats):
                if (name, method, str(repeat)) in done:
                    continue
                facts = about | {"run": method, "role": whose, "repeat": repeat}
                for found in measure(fit, X, y, repeat):
                    append(path, facts | found | {"sklearn": version("scikit-learn")})
                    print(*(facts | found).values(), flush=True)


def load(folder, name):
    """Return the samples of the classes that have enough of them."""
    X, y = load_table(folder, name)
    kept = np.bincount(y)[y] >= FEWEST
    return X[kept], y[kept]


def measure(fit, X, y, repeat):
    """Yield what five folds tell of each model; an error is told, too, and counts as no score."""
    predicted, facts = {}, {}
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=repeat)
    try:
        for train, test in folds.split(X, y):
            fill = SimpleImputer(strategy="median").fit(X[train])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # solvers that stop early, constant features
                models = fit(fill.transform(X[train]), y[train])
            for key, (model, size, seconds) in models.items():
                values = predicted.setdefault(key, np.empty_like(y))
                values[test] = model.predict(fill.transform(X[test]))
                facts.setdefault(key, []).append((size, seconds))
    except Exception as error:
        yield {**dict.fromkeys(FOUND, ""), "error": f"{type(error).__name__}: {error}"[:200]}
        return
    for (race, name), values in predicted.items():
        score, means = balanced_accuracy_score(y, values), np.mean(facts[race, name], axis=0)
        numbers = round(score, 5), round(means[0], 1), round(means[1], 4)
        yield dict(zip(FOUND, (race, name, *numbers), strict=True)) | {"error": ""}


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
        writer = csv.DictWriter(stream, row, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)
