"""Every ranking with every classifier behind it, on 10 and 50 features; nothing is chosen.

A row of rankings.csv is a set, a ranking, a classifier, a number of features and a repeat of five
stratified folds, with the balanced accuracy of the predictions of all folds together. Means over
studies go to ranking_means.csv. By this table it was decided what is behind which ranking.
"""

import warnings
from itertools import product

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

from centroidal.model_selection.feature_flow import ranking_of
from centroidal.model_selection.methods import METHODS, DataKind
from centroidal.model_selection.procedures import RankedPath

from .measure import GENES, N_FOLDS, append, load, read
from .ours import RANKINGS
from .ranks import SAME_SAMPLES

SELECTORS = ("recursive", "relief", "l21", "fisher", "disjoint")
KEYS = {key.split(" ")[0]: key for key in RANKINGS} | {key: key for key in SELECTORS}
SIZES = (10, 50)
CLASSIFIERS = (
    "nearest centers", "whitened centers", "linear SVM", "logistic regression", "Fisher subspace",
    "disjoint centroids",
)  # fmt: skip


def run(folder, path, n_repeats):
    """Measure what is missing, and write rows when they are found."""
    done = {tuple(row[name] for name in ("set", "ranking", "repeat")) for row in read(path)}
    for repeat, name in product(range(n_repeats), GENES):
        missing = [key for key in KEYS if (name, key, str(repeat)) not in done]
        if missing:
            X, y = load(folder, name)
        for key in missing:
            for (classifier, size), score in measure(KEYS[key], X, y, repeat).items():
                facts = {"set": name, "ranking": key, "repeat": repeat, "classifier": classifier}
                append(path, facts | {"n_features": size, "balanced_accuracy": round(score, 5)})
            print(name, key, repeat, flush=True)
    tabulate(path)


def measure(key, X, y, repeat):
    """Return the scores of a ranking by classifier and number of features."""
    predicted = {}
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=100 + repeat)
    for train, test in folds.split(X, y):
        fill = SimpleImputer(strategy="median").fit(X[train])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # solvers that stop early, constant features
            found = predict(key, fill.transform(X[train]), y[train], fill.transform(X[test]))
        for place, codes in found.items():
            predicted.setdefault(place, np.empty_like(y))[test] = codes
    return {place: balanced_accuracy_score(y, codes) for place, codes in predicted.items()}


def predict(key, X, y, new):
    """Rank once, and predict new samples by each classifier with each number of features."""
    procedure = METHODS[key].build(DataKind(X.shape[1], len(set(y))))
    scaler = clone(procedure.scaler).fit(X)
    Z, names = scaler.transform(X), procedure.classifiers
    ranking = ranking_of(clone(procedure.ranker).fit(Z, y), X.shape[1])
    sizes = np.repeat(SIZES, len(names))
    path = RankedPath(ranking, procedure.estimators, Z, y, sizes)
    models = path.fit_models(scaler.transform(new))
    return {
        (names[place % len(names)], int(sizes[place])): model.predict(part)
        for place, (model, part) in enumerate(models)
    }


def tabulate(path):
    """Write the mean over studies of each ranking and classifier."""
    rows = pd.read_csv(path)
    rows["study"] = rows.set.replace(SAME_SAMPLES)
    places = ["n_features", "ranking", "classifier"]
    means = rows.groupby(["study", *places]).balanced_accuracy.mean().groupby(places).mean()
    table = means.unstack("classifier")[list(CLASSIFIERS)].reindex(list(KEYS), level="ranking")
    print(table.to_string())
    shown = table.map("{:.3f}".format).where(table.notna(), "").reset_index()
    shown.to_csv(path.with_name("ranking_means.csv"), index=False)
