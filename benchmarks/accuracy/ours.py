"""Our methods: `select_features` with its defaults, and our classifiers of all features.

Balanced accuracy is scored, so the number of features is chosen by it. ``, best`` stands for
``rule="best"`` in place of the default, which takes the fewest features within one standard error.
"""

from functools import partial

from sklearn.model_selection import StratifiedKFold

from centroidal.model_selection import METHODS, select_features
from centroidal.model_selection.feature_flow import used_features
from centroidal.model_selection.methods import DataKind, selection_methods

MOST = 50
SCORING = "balanced_accuracy"
SLOW = {"linear"}  # one repeat


def select(method, X, y, **options):
    """Return the model that a selection keeps, and how many features it has."""
    found = select_features(X, y, method=method, scoring=SCORING, random_state=0, **options)
    return found.model, found.n_features_to_select


def classify(method, X, y):
    """Return a member of the line-up of `compare`, fitted, and its number of features."""
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    kind = DataKind(X.shape[1], len(set(y)), cv=folds, scoring=SCORING)
    model = METHODS[method].build(kind).fit(X, y)
    return model, used_features(model, X.shape[1])[0] or X.shape[1]


def fifty(method, X, y):
    """Return the same with exactly 50 features, or all if there are fewer."""
    return select(method, X, y, n_features_to_select=min(MOST, X.shape[1]), n_repeats=1)


KEYS = [key for key, each in selection_methods().items() if "torch" not in each.needs]
ALL_FEATURES = ("whitened-all", "fisher-all", "disjoint-all")

FREE = {
    **{key: partial(select, key) for key in KEYS},
    **{f"{key}, best": partial(select, key, rule="best") for key in KEYS},
    **{key: partial(classify, key) for key in ALL_FEATURES},
}
AT_MOST_50 = {
    **{key: partial(fifty, key) for key in KEYS},
    **{f"{key}, number chosen": partial(select, key, max_features=MOST) for key in KEYS},
}
