"""Our methods: `select_features`, and our classifiers of all features.

One selection of each method, by five folds drawn once and with defaults otherwise, tells the scores
of all numbers of features, and four models follow from it: the one it keeps, in the first race;
the one with ``rule="best"``, which takes as many features as score best, not the fewest within one
standard error of that; exactly 50 features, in the second race; and the number up to 50 that
``max_features=50`` would choose. Balanced accuracy is scored, so it is also what is chosen by.

Two rankings that no method of the package has take part as if they were methods, to see what they
would give: l2 gains, and CAT scores, with the classifier behind them chosen by the folds.
"""

from dataclasses import replace
from functools import partial
from time import process_time

from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from centroidal import (
    RecursiveRidgeSelector,
    WhitenedCenterClassifier,
    WhitenedCenterClassifierCV,
)
from centroidal.model_selection import METHODS, select_features
from centroidal.model_selection.feature_flow import used_features
from centroidal.model_selection.methods import DataKind, register_method, selection_methods
from centroidal.model_selection.nested import choose_model

from .peers import MOST

SCORING = "balanced_accuracy"


def rank_by(ranking, kind):
    """Return the procedure of `recursive` with another ranking."""
    return (
        METHODS["recursive"].build(kind)._replace(ranker=WhitenedCenterClassifier(ranking=ranking))
    )


def select(method, X, y):
    """Return the models of a method in both races: model, number of features, CPU seconds."""
    start = process_time()
    found = select_features(X, y, method=method, scoring=SCORING, n_repeats=1, random_state=0)
    seconds = process_time() - start
    path = {name: found.path[name] for name in ("n_features", "mean_test_score", "se_test_score")}
    few = {name: values[path["n_features"] <= MOST] for name, values in path.items()}
    models = {found.n_features_to_select: (found.model, 0.0)}

    def with_features(number, shared):
        if number not in models:
            start = process_time()
            options = {"n_features_to_select": number, "cv": 3, "n_repeats": 1, "random_state": 0}
            again = select_features(X, y, method=method, scoring=SCORING, **options)
            models[number] = again.model, process_time() - start
        model, own = models[number]
        return model, number, shared + own

    best = int(path["n_features"][choose_model(path, "best")])
    chosen = int(few["n_features"][choose_model(few, "one_se")])
    return {
        ("free", method): with_features(found.n_features_to_select, seconds),
        ("free", f"{method}, best"): with_features(best, seconds),
        ("50", method): with_features(min(MOST, X.shape[1]), 0.0),
        ("50", f"{method}, number chosen"): with_features(chosen, seconds),
    }


def classify(method, X, y):
    """Return the same of a member of the line-up of `compare`, which takes all features."""
    start = process_time()
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    kind = DataKind(X.shape[1], len(set(y)), cv=folds, scoring=SCORING)
    model = METHODS[method].build(kind).fit(X, y)
    size = used_features(model, X.shape[1])[0] or X.shape[1]
    return {("free", method): (model, size, process_time() - start)}


def whiten(name, ranking, X, y):
    """Return whitened centers on the first features of a ranking, in both races."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    search = WhitenedCenterClassifierCV(ranking=ranking, cv=folds, scoring=SCORING)
    best = clone(search).set_params(rule="best")
    fifty = WhitenedCenterClassifier(min(MOST, X.shape[1]), ranking=ranking)
    found = {}
    for key, model in (
        (("free", name), search), (("free", f"{name}, best"), best), (("50", name), fifty),
    ):  # fmt: skip
        start = process_time()
        model.fit(X, y)
        found[key] = model, model.n_features_to_select_, process_time() - start
    return found


RANKINGS = {"l2 + chosen classifier": None, "CAT + chosen classifier": "cat"}
WHITENED = {
    "whitened + l2 gains": None,
    "whitened + CAT scores": "cat",
    "whitened + recursive": RecursiveRidgeSelector(),
}
for key, ranking in RANKINGS.items():
    register_method(replace(METHODS["recursive"], key=key, build=partial(rank_by, ranking)))
OURS = {
    **{
        key: partial(select, key) for key, each in selection_methods().items() if not each.is_costly
    },
    **{name: partial(whiten, name, ranking) for name, ranking in WHITENED.items()},
    **{key: partial(classify, key) for key in ("whitened-all", "fisher-all", "disjoint-all")},
}
