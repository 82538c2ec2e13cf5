"""Our methods: `select_features`, and our classifiers of all features.

One selection of each method, by five folds drawn once and with defaults otherwise, tells the scores
of all numbers of features, and three models follow from it: with as many features as score best,
``rule="best"``, which is how the others choose as well; with the fewest within one standard error
of that, which is the default; and the same up to 50 features, about what ``max_features=50`` would
choose. Another selection is of exactly 50 features, for the second race. Balanced accuracy is
scored, so it is also what is chosen by.

One more takes part as it is called if nothing is said: method, rule and repeats are the defaults,
and only the score is named.

Two rankings that no method of the package has take part as if they were methods, to see what they
would give: l2 gains, and CAT scores, with the classifier behind them chosen by the folds.
"""

from dataclasses import replace
from functools import partial
from time import process_time

from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from centroidal import (
    RecursiveRidgeSelector,
    WhitenedCenterClassifier,
    WhitenedCenterClassifierCV,
)
from centroidal.model_selection import METHODS, select_features
from centroidal.model_selection.feature_flow import used_features
from centroidal.model_selection.methods import DataKind, register_method, selection_methods
from centroidal.model_selection.nested import choose_model, fold_scores

from .peers import MOST

SCORING = "balanced_accuracy"
PLAIN = "select_features by default"


def rank_by(ranking, kind):
    """Return the procedure of `recursive` with another ranking."""
    return (
        METHODS["recursive"].build(kind)._replace(ranker=WhitenedCenterClassifier(ranking=ranking))
    )


def select(method, X, y):
    """Return the models of a method in both races: model, number of features, CPU seconds."""
    start = process_time()
    options = {"method": method, "scoring": SCORING, "n_repeats": 1, "random_state": 0}
    found = select_features(X, y, **options)
    sizes, scores = found.path["n_features"], fold_scores(found.path)
    few = sizes <= MOST
    seconds = process_time() - start

    def with_features(rule, allowed=slice(None)):
        start = process_time()
        number = int(sizes[allowed][choose_model(scores[:, allowed], rule)])
        model = fit_chosen(method, found.classifier, number, X, y)
        return model, number, seconds + process_time() - start

    start, number = process_time(), min(MOST, X.shape[1])
    fifty = select_features(X, y, n_features_to_select=number, **options).model
    return {
        ("free", f"{method}, one_se"): with_features("one_se"),
        ("free", method): with_features("best"),
        ("50", method): (fifty, number, process_time() - start),
        ("50", f"{method}, one_se"): with_features("one_se", few),
        ("50", f"{method}, best"): with_features("best", few),
    }


def call_plainly(X, y):
    """Return what a call has found that names nothing but the score, and 50 in the second race."""
    found = {}
    for race, most in (("free", "auto"), ("50", MOST)):
        start = process_time()
        model = select_features(X, y, scoring=SCORING, max_features=most, random_state=0)
        seconds = process_time() - start
        found[race, PLAIN] = model.model, model.n_features_to_select, seconds
    return found


def fit_chosen(method, classifier, number, X, y):
    """Return the model of a method with a number of features and a classifier behind them."""
    procedure = METHODS[method].build(DataKind(X.shape[1], len(set(y))))
    procedure = procedure.take(procedure.classifiers.index(classifier))
    if procedure.has_centers:
        return procedure.selector(number).fit(X, y)
    return make_pipeline(procedure.selector(number), procedure.estimator).fit(X, y)


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
        (("free", f"{name}, one_se"), search), (("free", name), best), (("50", name), fifty),
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
    PLAIN: call_plainly,
    **{
        key: partial(select, key) for key, each in selection_methods().items() if not each.is_costly
    },
    **{name: partial(whiten, name, ranking) for name, ranking in WHITENED.items()},
    **{key: partial(classify, key) for key in ("whitened-all", "fisher-all", "disjoint-all")},
}
