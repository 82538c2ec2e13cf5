"""Panels: what is wished of the selected features, as constraints on a ranking.

Features that must be in come first, those that must stay out come last, and of each set of copies
only the first counts. Markers of the classes take turns. With a budget there is no order that would
do for all budgets: each has a panel of its own, the best that it can pay. All of this is done with
the ranking of each training set, so that a score of held-out samples stays honest.

Sizes that the engine tries are numbers of features, or with a budget numbers of budgets, 1, 2, ...
"""

from collections.abc import Mapping
from functools import partial
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from .._data import SupportMixin, check_labelled
from .._parameters import number, optional
from ..feature_selection import ColumnSelector
from ..solvers.knapsack import affordable_in_order, best_within_budget
from ..solvers.ranking import ROUNDING
from ..statistics.residuals import unit_residuals
from .metrics import Predicted

_MOST_DISTINCT = 256  # features that are tried where each is compared with those before it
_N_HALVES = 4  # of a budget, and of its half, ..., that are scored beside it
_AT_A_TIME = 128  # columns that are compared with those before them
_check_distinct = number("a number", lambda value: 0 < value < 1, "lie between 0 and 1")
_check_per_class = number(
    "an int or 'auto'", lambda value: value >= 1, "be at least 1", Integral, or_one_of=("auto",)
)


# ------------------------------------------------------------------ what is wished


class Wishes(NamedTuple):
    """What is wished of the selected features, as in :func:`select_features`."""

    include: Any = None
    exclude: Any = None
    distinct: Any = None
    per_class: Any = None
    feature_costs: Any = None
    budget: Any = None

    @property
    def number(self):
        """What says how many features there are, in place of a number; None if nothing does."""
        return self.budget if self.per_class in (None, "auto") else self.per_class

    def check(self, choice):
        """Raise unless these can be wished for, and all of them at once."""
        optional(_check_distinct)("distinct", self.distinct)
        optional(_check_per_class)("per_class", self.per_class)
        for name in ("include", "exclude"):
            value = getattr(self, name)
            if isinstance(value, str) or (value is not None and not np.iterable(value)):
                raise TypeError(f"{name}={value!r} must be a list of features, or None.")
        if (self.budget is None) != (self.feature_costs is None):
            given, missing = ("budget", "feature_costs")[:: 1 if self.budget is not None else -1]
            raise ValueError(f"{given} needs {missing} as well.")
        asked = {"per_class": self.per_class, "budget": self.budget}
        asked = {name: value for name, value in asked.items() if value is not None}
        if len(asked) == 2 or (self.budget is not None and self.distinct is not None):
            other = "per_class" if len(asked) == 2 else "distinct"
            raise ValueError(
                f"{other}={getattr(self, other)} must be None with a budget: what the money buys "
                "is found over all features at once."
            )
        for name, value in asked.items():
            if not choice.is_free:
                raise ValueError(
                    f"{name}={value} must be None: "
                    f"n_features_to_select={choice.n_features_to_select} says how many."
                )
        if asked and not (self.per_class == "auto" or choice.max_features is None):
            raise ValueError(
                f"max_features={choice.max_features} must be None: {name}={value} says how many."
            )
        return self

    def of_source(self, source, choice):
        """Return them in terms of the columns of a source; None if nothing is wished."""
        if all(each is None for each in self):
            return None
        if source.hides_names:
            asked = [name for name in ("include", "exclude") if getattr(self, name) is not None]
            raise ValueError(
                f"{(asked or ['per_class'])[0]} must be None: words of documents in batches are "
                "hashed, and have no names before they are selected."
            )
        return self.of_columns(source.feature_names, source.classes.size, choice)

    def of_columns(self, names, n_classes, choice):
        """Return them in terms of columns; raise where they cannot be fulfilled."""
        columns = {str(name): column for column, name in enumerate(names)}
        include = _columns_of("include", self.include, columns)
        exclude = _columns_of("exclude", self.exclude, columns)
        both = np.intersect1d(include, exclude)
        if both.size:
            raise ValueError(f"include holds {str(names[both[0]])!r}, and so does exclude.")
        budgets, costs = (), None
        if self.budget is not None:
            costs = _check_feature_costs(self.feature_costs, names, exclude)
            budgets = _check_budgets(self.budget, costs, include, exclude, names)
        is_one = len(budgets) == 1
        if is_one:
            least = _least_cost(costs, include, exclude)
            halves = budgets[0] / 2.0 ** np.arange(_N_HALVES, 0, -1)
            budgets = (*halves[halves >= least].tolist(), *budgets)
        panel = Panel(
            include, exclude, self.distinct, self.per_class, costs, budgets, is_one, len(names)
        )
        panel.check_numbers(choice, n_classes)
        return panel


def _columns_of(name, given, columns):
    """Return features, by name or by number, as columns in increasing order."""
    found = set()
    for each in () if given is None else given:
        is_number = isinstance(each, Integral) and not isinstance(each, bool)
        column = int(each) if is_number else columns.get(str(each))
        if column is None or not 0 <= column < len(columns):
            raise ValueError(f"{name} holds {each!r}, and X has no such feature.")
        found.add(column)
    return np.array(sorted(found), dtype=int)


def _check_feature_costs(given, names, exclude):
    """Return the cost of each feature; infinite for those that stay out."""
    if isinstance(given, Mapping) or hasattr(given, "to_dict"):
        table = {str(name): cost for name, cost in dict(given).items()}
        given = [table.get(str(name)) for name in names]
    if isinstance(given, str) or not np.iterable(given) or len(given) != len(names):
        raise ValueError(
            f"feature_costs={given!r:.60} must hold a number for each of the {len(names)} features "
            "of X, or be a dict of them by name."
        )
    out = set(exclude.tolist())
    costs = np.full(len(names), np.inf)
    for column, cost in enumerate(given):
        if column in out:
            continue
        if cost is None:
            raise ValueError(f"feature_costs holds no cost of {str(names[column])!r}.")
        is_number = isinstance(cost, Real) and not isinstance(cost, bool)
        if not is_number or not 0.0 <= cost < np.inf:
            raise ValueError(
                f"feature_costs holds {cost} for {str(names[column])!r}; it must be a number "
                "from 0 on."
            )
        costs[column] = cost
    return costs


def _least_cost(costs, include, exclude):
    """Return what a panel costs at least."""
    return float(costs[include].sum() if include.size else np.delete(costs, exclude).min())


def _check_budgets(budget, costs, include, exclude, names):
    """Return the budgets that are asked for, in increasing order."""
    given = [budget] if isinstance(budget, Real) or not np.iterable(budget) else list(budget)
    for each in given:
        if isinstance(each, bool | str) or not isinstance(each, Real) or not 0 < each < np.inf:
            raise ValueError(f"budget={budget!r} must be a positive number, or several of them.")
    if not given:
        raise ValueError("budget=[] must hold at least one number.")
    if exclude.size == len(names):
        raise ValueError("exclude holds all features; at least one must be left.")
    least = _least_cost(costs, include, exclude)
    if min(given) < least:
        what = "the features of include together" if include.size else "the cheapest feature"
        raise ValueError(f"budget={min(given)} must be at least {least:g}, the cost of {what}.")
    return tuple(sorted({float(each) for each in given}))


# ------------------------------------------------------------------ a panel


class Panel(NamedTuple):
    """What is wished, in terms of columns."""

    include: np.ndarray
    exclude: np.ndarray
    distinct: float | None
    per_class: Any
    costs: np.ndarray | None
    budgets: tuple  # in increasing order
    is_one_budget: bool  # that is asked for; smaller ones are there to compare
    n_features: int

    @property
    def n_allowed(self):
        """Number of features that may be selected."""
        return self.n_features - self.exclude.size

    @property
    def has_own_numbers(self):
        """Whether the number of features depends on the training set."""
        return bool(self.budgets) or self.distinct is not None

    @property
    def streams(self):
        """Whether centers of the classes are enough, without any sample."""
        return not self.has_own_numbers

    def check_numbers(self, choice, n_classes):
        """Raise if so many features cannot be selected."""
        n_must, n_allowed = self.include.size, self.n_allowed
        if not n_allowed:
            raise ValueError("exclude holds all features; at least one must be left.")
        asked = {"n_features_to_select": choice.n_features_to_select}
        asked["max_features"] = choice.max_features
        for name, value in asked.items():
            if isinstance(value, Integral) and value < n_must:
                raise ValueError(
                    f"{name}={value} must be at least {n_must}, the length of include."
                )
        if not choice.is_free and choice.n_features_to_select > n_allowed:
            raise ValueError(
                f"n_features_to_select={choice.n_features_to_select} must be at most {n_allowed}, "
                "the number of features that are not in exclude."
            )
        needed = n_must + n_classes * (1 if self.per_class == "auto" else self.per_class or 0)
        most = min(n_allowed, choice.max_features or n_allowed)
        if self.per_class is not None and needed > most:
            raise ValueError(
                f"per_class={self.per_class} takes {needed} features with {n_classes} classes, and "
                f"there must be no more than {most}."
            )

    def narrow(self, choice, n_classes):
        """Return what is to be chosen among the sizes of the panel."""
        if self.is_one_budget:
            return choice._replace(n_features_to_select=len(self.budgets))
        if isinstance(self.per_class, Integral):
            wanted = self.include.size + n_classes * int(self.per_class)
            return choice._replace(n_features_to_select=wanted)
        return choice

    def sizes(self, sizes_for, choice, n_classes):
        """Return the sizes to try, given what names those of so many features."""
        if self.budgets:
            return np.arange(1, len(self.budgets) + 1)
        n_must, sizes = self.include.size, sizes_for(self.n_allowed)
        if self.distinct is not None:
            asked = 0 if choice.is_free else choice.n_features_to_select
            sizes = sizes[sizes <= max(_MOST_DISTINCT, asked)]
        if self.per_class is not None:
            turns = -(-(sizes - n_must) // n_classes)
            sizes = n_must + n_classes * np.unique(np.maximum(turns, 1))
            return sizes[sizes <= self.n_allowed]
        return np.unique(np.maximum(sizes, n_must))

    def describe(self, names, n_features):
        """Return what was wished as plain values; `n_features` is the size that was chosen."""
        found = {
            "include": names[self.include].tolist(),
            "exclude": names[self.exclude].tolist(),
            "distinct": self.distinct,
            "per_class": self.per_class,
            "budget": self.budgets[n_features - 1] if self.budgets else None,
        }
        return {name: value for name, value in found.items() if value not in (None, [])}

    def tell(self, results, final, names, classes):
        """Return results with numbers of features in place of sizes, and what was wished."""
        size = results["n_features_to_select"]
        n_features = final.number_of(size)
        selected, panel = final.ranking[:n_features], self.describe(names, size)
        if self.per_class is not None:
            panel["marker_of"] = classes[class_of_features(final.centers[:, selected])].tolist()
        results = results | {"panel": panel, "n_features_to_select": n_features}
        if final.numbers is None:
            return results
        numbers = np.array([final.numbers[each] for each in results["path"]["n_features"]])
        first = np.unique(numbers, return_index=True)[1]  # beyond them there are only copies
        of_path = {"n_features": numbers[first]}
        if self.budgets:
            first = np.arange(numbers.size)
            of_path = {"n_features": numbers, "budget": np.array(self.budgets)}
        for name in ("path", "random_path"):
            table = {k: v[first] for k, v in results[name].items() if k not in of_path}
            results[name] = of_path | table
        results["confusion_path"] = results["confusion_path"][first]
        if not self.budgets:
            return results
        panel["cost"] = self.costs[selected].tolist()
        panel["spent"] = float(self.costs[selected].sum())
        results["method_scores"] = {
            key: row | {"n_features": n_features if key == results["method"] else None}
            for key, row in results["method_scores"].items()
        }
        return results

    def arrange(self, found, most):
        """Return the columns in the order in which they are taken, and how many may be."""
        is_must = np.isin(found.ranking, self.include)
        is_out = np.isin(found.ranking, self.exclude)
        must, rest = found.ranking[is_must], found.ranking[~is_must & ~is_out]
        copies = rest[:0]
        if self.distinct is not None:
            rest, copies = _part_copies(must, rest, found.units, self.distinct, most)
        if self.per_class is not None:
            rest = _take_turns(rest, found.centers)
        order = np.concatenate([must, rest, copies, found.ranking[is_out]])
        return order, must.size + rest.size

    def buy(self, found, order, limit, budget):
        """Return the columns that a budget buys, in their order."""
        must, rest = order[: self.include.size], order[self.include.size : limit]
        left = budget - self.costs[must].sum()
        if found.gains is None:
            bought = affordable_in_order(rest, self.costs, left)
        else:
            bought = best_within_budget(rest, found.gains, self.costs, left)
        return np.concatenate([must, bought])


class Ranked(NamedTuple):
    """What a panel has to know of a training set."""

    ranking: np.ndarray
    gains: np.ndarray | None  # that add up over features; None if they do not
    centers: Any  # returns the center of each class
    units: Any  # returns residuals of unit length in some columns


def _part_copies(must, rest, units, bound, most):
    """Part features that are no copy of a better one from the others; look for at most so many."""
    kept, copies, shown = [], [], [units(must)] if must.size else []
    bound, n_looked = bound + ROUNDING, 0
    for start in range(0, rest.size, _AT_A_TIME):
        if must.size + len(kept) >= most:
            break
        block = rest[start : start + _AT_A_TIME]
        mine, n_looked = units(block), start + block.size
        is_copy = np.zeros(block.size, dtype=bool)
        for each in shown:
            is_copy |= (np.abs(each.T @ mine) > bound).any(axis=0)
        alike = np.abs(mine.T @ mine) > bound
        for place in range(block.size):
            if not is_copy[place]:
                is_copy[place + 1 :] |= alike[place, place + 1 :]
        kept += block[~is_copy].tolist()
        copies += block[is_copy].tolist()
        shown.append(mine[:, ~is_copy])
    whole = (np.array(each, dtype=int) for each in (kept, [*copies, *rest[n_looked:].tolist()]))
    return tuple(whole)


def class_of_features(centers):
    """Return the class that stands out in each feature: its center is farthest from their mean.

    Of two as far away, the one with the larger center; a class without samples has none.
    """
    away = np.nan_to_num(np.abs(centers - np.nanmean(centers, axis=0)), nan=-np.inf)
    sizes = np.nanmax(np.abs(centers), axis=0)
    is_farthest = away >= away.max(axis=0) - ROUNDING * sizes
    return np.argmax(np.where(is_farthest, centers, -np.inf), axis=0)


def _take_turns(columns, centers):
    """Order features so that each class has its best one first, then each its second, ..."""
    classes = class_of_features(centers()[:, columns])
    turns = np.empty(columns.size, dtype=int)
    for code in np.unique(classes):
        mine = np.flatnonzero(classes == code)
        turns[mine] = np.arange(mine.size)
    return columns[np.argsort(turns, kind="stable")]


def _units_of(data, rows, columns):
    """Return residuals of unit length of some rows in some columns."""
    X = data.X[:, columns][rows] if hasattr(data.X, "tocsr") else data.X[np.ix_(rows, columns)]
    return unit_residuals(X, data.codes[rows], data.classes.size)


# ------------------------------------------------------------------ in training sets


class PanelProcedure(NamedTuple):
    """A procedure whose ranking is arranged by a panel; see `procedures.py`."""

    procedure: Any
    panel: Panel
    most: int  # features that are looked for

    @property
    def estimator(self):
        """What classifies."""
        return self.procedure.estimator

    @property
    def estimators(self):
        """All classifiers."""
        return self.procedure.estimators

    @property
    def classifiers(self):
        """Names of all classifiers."""
        return self.procedure.classifiers

    def take(self, number):
        """Return the procedure with one of its classifiers."""
        return self._replace(procedure=self.procedure.take(number))

    @property
    def fewest(self):
        """Number of features that it needs at least."""
        return self.procedure.fewest

    @property
    def has_centers(self):
        """Whether random features can be tried with its centers."""
        return self.procedure.has_centers

    @property
    def merges(self):
        """Whether training sets are put together from sums of folds."""
        return self.procedure.merges

    def sizes(self, n_features):
        """Numbers of features to try, without a panel."""
        return self.procedure.sizes(n_features)

    def counts_folds(self, data):
        """Return False: each training set is arranged by itself."""
        return False

    def summarise_sets(self, data, folds, sets):
        """Summarise all rows but some folds, for each set of folds."""
        return self.procedure.summarise_sets(data, folds, sets)

    def fit(self, data, rows):
        """Return the models of all sizes, fitted to some rows."""
        return self._arrange(self.procedure.fit(data, rows), partial(_units_of, data, rows))

    def fit_summary(self, data, summary, rows):
        """Return the models of all sizes, fitted to a summary of some rows."""
        path = self.procedure.fit_summary(data, summary, rows)
        return self._arrange(path, partial(_units_of, data, rows))

    def path(self, solution):
        """Return the models of all sizes of a solution, without any sample."""
        # A model of it is not to be merged with others, which would forget the panel.
        return self._arrange(self.procedure.path(solution._replace(moments=None)), None)

    def share(self, data, rows):
        """Return what does not depend on the labels of some rows."""
        return self.procedure.share(data, rows)

    def fit_unranked(self, data, rows):
        """Return the models of any columns, fitted to some rows."""
        return self.procedure.fit_unranked(data, rows)

    def _arrange(self, path, units):
        found = Ranked(path.ranking, path.additive_gains, lambda: path.class_centers, units)
        order, limit = self.panel.arrange(found, self.most)
        if not self.panel.budgets and limit >= self.most:
            return path.with_ranking(order)
        return PanelPath(path.with_ranking(order), self.panel, found, limit)

    def fit_final(self, data, size):
        """Fit the model of a size to all samples."""
        final, rows = self.procedure.fit_final(data, self.fewest), np.arange(data.codes.size)
        gains = final.gains if self.has_centers else None
        units = partial(_units_of, data, rows)
        found = Ranked(final.ranking, gains, lambda: final.centers, units)
        order, limit = self.panel.arrange(found, self.most)
        numbers = None
        if self.panel.has_own_numbers:
            panels = PanelPath(None, self.panel, found, limit).panels(order)
            sizes = range(1, (len(self.panel.budgets) or self.most) + 1)
            numbers = {each: panels(each).size for each in sizes}
            chosen = panels(size)
            order = np.concatenate([chosen, order[~np.isin(order, chosen)]])
        n_features = size if numbers is None else numbers[size]
        keep = _keep_centers if self.has_centers else _keep_columns
        model = keep(final.model, data, order, n_features)
        return final._replace(model=model, ranking=order, numbers=numbers)

    def selector(self, size):
        """Return what selects, not fitted."""
        return PanelSelector(self, size)


def _keep_centers(model, data, order, n_features):
    """Return sparse centers that differ in the first of these columns."""
    solution = model._solution
    path = solution.path._replace(ranking=order)
    # Merged with others, or with further samples, it would forget the panel.
    solution = solution._replace(path=path, moments=None)
    model = clone(model).set_params(n_features_to_select=n_features)
    return model._keep(data.features, data.classes, solution, n_features)


def _keep_columns(model, data, order, n_features):
    """Return a pipeline with the first of these columns in front of its classifier, fitted."""
    select = ColumnSelector(np.sort(order[:n_features]).tolist())
    steps = [("scale", clone(model[0])), ("select", select), ("classify", clone(model[-1]))]
    model = Pipeline(steps).fit(data.X, data.classes[data.codes])
    data.features.keep(model[0])
    return model


class PanelPath(NamedTuple):
    """Models of a training set, of which each has a panel of its own."""

    path: Any
    panel: Panel
    found: Ranked
    limit: int  # features in the order that may be selected

    @property
    def ranking(self):
        """Columns in the order in which they are taken, as far as there is one."""
        return self.path.ranking

    def panels(self, order):
        """Return what finds the columns of a size."""
        if self.panel.budgets:
            return lambda size: self.panel.buy(
                self.found, order, self.limit, self.panel.budgets[size - 1]
            )
        return lambda size: order[: min(size, self.limit)]

    def columns(self, size):
        """Columns of a size."""
        return self.panels(self.ranking)(size)

    def _at(self, size):
        """Return the path in whose order these come first, and how many they are."""
        chosen, order = self.columns(size), self.ranking
        order = np.concatenate([chosen, order[~np.isin(order, chosen)]])
        return self.path.with_ranking(order), np.array([chosen.size])

    def predict(self, X, rows, sizes, kept, orders=()):
        """Predict some rows with each size; other orders have as many features."""
        found = []
        for places in _alike(sizes):
            path, n_features = self._at(sizes[places[0]])
            mine = np.flatnonzero(np.isin(places, kept))
            numbers = np.repeat(n_features, places.size)
            found.append(path.predict(X, rows, numbers, mine, orders=orders))
        return [_beside(each, kept) for each in zip(*found, strict=True)]

    def count(self, X, rows, cells, shape, sizes, see=None, orders=(), kept=()):
        """Count some rows by cell and predicted class, as `CentersPath` does it."""
        found = []
        for places in _alike(sizes):
            path, n_features = self._at(sizes[places[0]])
            options, mine = {}, np.flatnonzero(np.isin(places, kept))
            if see is not None and mine.size:
                options = {"kept": mine, "see": partial(_see, see, places, sizes.size)}
            numbers = np.repeat(n_features, places.size)
            found.append(path.count(X, rows, cells, shape, numbers, orders=orders, **options))
        return np.concatenate(found, axis=1)


def _alike(sizes):
    """Yield the places of each size, which is there once for each classifier."""
    starts = np.flatnonzero(np.diff(sizes, prepend=-1))
    yield from np.split(np.arange(sizes.size), starts[1:])


def _see(see, places, n_sizes, block, found):
    """Show what the models of one size predict as if they were some of several."""
    codes = np.zeros((n_sizes, found.codes.shape[1]), dtype=found.codes.dtype)
    codes[places] = found.codes
    see(block, found._replace(codes=codes, kept=places[found.kept]))


def _beside(parts, kept):
    """Put what models predict, each by itself, beside each other."""
    scores = []
    for name in ("probabilities", "ranks"):
        values = [getattr(each, name) for each in parts if each.kept.size]
        is_there = values and all(each is not None for each in values)
        scores.append(np.concatenate(values) if is_there else None)
    return Predicted(np.concatenate([each.codes for each in parts]), kept, *scores)


class PanelSelector(SupportMixin, BaseEstimator):
    """Select by a procedure and its panel, for samples that are drawn again."""

    def __init__(self, procedure, size):
        self.procedure = procedure
        self.size = size

    def fit(self, X, y):
        """Select the features of a size."""
        data = check_labelled(self, X, y)
        path = self.procedure.fit(data, np.arange(data.codes.size))
        columns = columns_of_size(path, self.size)
        data.features.keep(self)
        self.feature_ranking_ = path.ranking
        self.support_ = np.isin(np.arange(path.ranking.size), columns)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def columns_of_size(path, size):
    """Return the columns that a model of a path has."""
    return path.columns(size) if isinstance(path, PanelPath) else path.ranking[:size]
