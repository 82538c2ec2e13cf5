"""Figure 4: accuracy against the number of features, selected inside the folds.

Stratified five-fold cross-validation, repeated; all methods see the same folds, and the encoders,
which are slow, the first repeats. Scaling and selection see the training part only. Parameters are
fixed beforehand and nothing is tuned on test parts. The classifier is logistic regression with
C = 1; the paper's, a neural network of unknown size, is tried for the paper's four methods and two
peers at few sizes. Beside them stand features drawn at random, averaged over many draws.
"""

import time

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

from .._output import Panel, print_grid, report_claims, save_picture, write_csv
from .accuracy_claims import FROM_20, claims_of_accuracy
from .methods import METHODS, PEERS, RANDOM, neural_methods
from .printed import SAID_OF_FIGURE_4
from .problems import PAPER, load
from .results import LOGISTIC, NETWORK, Measured

__all__ = ["SIZES", "measure", "run"]

N_FOLDS = 5
SPLITS_PER_REPEAT, SLOW_COST = 10, 2  # of --splits; encoders have half as many repeats
SIZES = (1, 2, 3, 5, 10, 20, 40, 60, 80, 100)
NETWORK_SIZES = (20, 60, 100)
NETWORK_METHODS = ("Relief", "SCE", "AO-SCE", "RSCE", "f_classif", RANDOM)
N_TOP = 20
N_DRAWS = 10
SHOWN = [5, 20, 60, 100]


def run(problem, settings):
    """Measure, print, write and draw the curves, and put the paper's sentences to them."""
    methods = METHODS + neural_methods()
    results = measure(problem, methods, settings, NETWORK_METHODS)
    curves = add_printed(problem, add_instead(results.table()))
    summary = results.methods_table(FROM_20)
    name = f"{PAPER}_figure4_{problem.name.lower()}"
    print_grid(f"Figure 4, {problem.name} ({problem.note}): accuracy", grid_of(results, summary))
    write_csv(settings, name, curves)
    write_csv(settings, f"{name}_methods", summary)
    save_picture(settings, name, panels_of(problem, curves), highlight=("Ours", "RSCE"))
    claims = claims_of_accuracy(problem.name, results)
    report_claims(settings, PAPER, claims, {"n_repeats": results.n_fits})


def measure(problem, methods, settings, network_methods=()):
    """Try all methods, and random features, on all folds that they can afford."""
    records, selections = [], []
    for place, is_early, fold in folds_of(problem, settings):
        used = [method for method in methods if is_early or not method.is_slow]
        for method in used:
            ranked, seconds = timed_ranking(method, fold)
            top = frozenset(ranked[:N_TOP].tolist())
            selections.append(place | {"method": method.name, "top": top, "cpu_seconds": seconds})
            about = place | {"method": method.name, "role": method.role}
            records += scores_of(about, fold, ranked, is_early and method.name in network_methods)
        with_network = is_early and RANDOM in network_methods
        records += random_scores(place, fold, with_network)
    return Measured(pd.DataFrame(records), pd.DataFrame(selections))


def folds_of(problem, settings):
    """Yield where a fold stands, whether slow methods see it, and its scaled parts with a seed."""
    X, y = load(settings, problem)
    n_slow = n_repeats(settings.n_slow_splits, SLOW_COST)
    for repeat in range(n_repeats(settings.n_splits)):
        seed = settings.seed + repeat
        splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
        for fold, (train, test) in enumerate(splitter.split(X, y)):
            scaler = StandardScaler().fit(X[train])
            parts = scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]
            yield {"repeat": repeat, "fold": fold}, repeat < n_slow, (*parts, seed)


def n_repeats(n_splits, cost=1):
    return max(1, n_splits // (cost * SPLITS_PER_REPEAT))


def timed_ranking(method, fold):
    X_train, y_train, _, _, seed = fold
    start = time.process_time()
    ranked = method.rank(X_train, y_train, seed)
    return ranked, time.process_time() - start


def scores_of(about, fold, ranked, with_network):
    """Score the first features of a ranking at all sizes."""
    trials = [(LOGISTIC, size) for size in SIZES]
    trials += [(NETWORK, size) for size in NETWORK_SIZES] * with_network
    return [
        about
        | {
            "classifier": classifier,
            "n_features": size,
            "accuracy": accuracy(classifier, fold, ranked[:size]),
        }
        for classifier, size in trials
    ]


def accuracy(classifier, fold, chosen):
    X_train, y_train, X_test, y_test, seed = fold
    if classifier == LOGISTIC:
        model = LogisticRegression(C=1.0, max_iter=1000)
    else:
        model = MLPClassifier((500,), random_state=seed)
    return model.fit(X_train[:, chosen], y_train).score(X_test[:, chosen], y_test)


def random_scores(place, fold, with_network):
    """Average over many random orders of the features; the network sees the first one."""
    rng = np.random.default_rng([fold[-1], place["fold"]])
    about = place | {"method": RANDOM, "role": "chance"}
    draws = pd.DataFrame(
        record | {"draw": draw}
        for draw in range(N_DRAWS)
        for record in scores_of(
            about, fold, rng.permutation(fold[0].shape[1]), with_network and draw == 0
        )
    )
    keys = [name for name in draws.columns if name not in ("accuracy", "draw")]
    return draws.groupby(keys, sort=False, as_index=False).accuracy.mean().to_dict("records")


def add_instead(table):
    """Put beside each row the most accurate selection of scikit-learn in the same cell."""
    cells = table[table.method.isin(PEERS)].sort_values("accuracy", kind="stable")
    best = cells.groupby(["classifier", "n_features"]).last()[["accuracy", "method"]]
    best.columns = ["instead", "instead_method"]
    return table.join(best, on=["classifier", "n_features"])


def add_printed(problem, table):
    """Put what the text says of figure 4 into the rows that it speaks of."""
    said = {
        (method, size): f"{low:g} to {high:g}" if low < high else f"{low:g}"
        for method, (size, low, high) in SAID_OF_FIGURE_4[problem.name].items()
    }
    places = zip(table.method, table.n_features, strict=True)
    table.insert(3, "paper", [said.get(place, "") for place in places])
    return table


def grid_of(results, summary):
    """Lay out one row a method: accuracy at some sizes, and what the summary says."""
    curves = results.table()
    curves = curves[curves.classifier == LOGISTIC]
    grid = curves.pivot_table("accuracy", "method", "n_features", sort=False)[SHOWN].round(3)
    of_logistic, of_network = (
        summary[summary.classifier == name].set_index("method") for name in (LOGISTIC, NETWORK)
    )
    for column in ("accuracy", "accuracy_se", "minus_random", "minus_f_classif"):
        grid[column] = of_logistic[column].round(3)
    grid["network"] = of_network.accuracy.round(3)
    grid["overlap"] = of_logistic.top20_overlap.round(2)
    return grid.assign(seconds=of_logistic.cpu_seconds_median, n_fits=of_logistic.n_fits)


def panels_of(problem, curves):
    columns = {"n_features": "x", "accuracy": "y", "accuracy_se": "error"}
    return [
        Panel(
            f"{problem.name}, {classifier}",
            "number of features",
            curves[curves.classifier == classifier].rename(columns=columns),
            log_x=classifier == LOGISTIC,
            x_is_share=False,
        )
        for classifier in (LOGISTIC, NETWORK)
        if (curves.classifier == classifier).any()
    ]
