"""Stand-ins: features that could take the place of a selected one, and other signatures of them.

A candidate goes along with the selected feature inside the classes, so that it measures the same.
It is a stand-in if the panel with it in the other's place does as well in the outer folds, within
one standard error. Both panels are known from all samples, so that it is their difference which
counts, not the scores themselves.
"""

from numbers import Integral
from typing import NamedTuple

import numpy as np

from .._data import Features, columns_of
from .._parameters import number
from ..solvers.ranking import ROUNDING
from ..statistics.residuals import unit_residuals
from .metrics import Tested
from .panels import class_of_features

_MOST_REPLACED = 50  # selected features, the first ones, for which stand-ins are looked for
_MOST_SELECTED = 256  # beyond so many selected features nobody looks for stand-ins
_LEAST = 0.5  # correlation inside the classes of what may measure the same
_AT_A_TIME = 2**20  # entries of a block of columns
_DIGITS = 9  # of correlations; the rest is rounding, and what ties goes by column

check_stand_ins = number("an int, 0 for none", lambda value: value >= 0, "be 0 or more", Integral)


class StandIns(NamedTuple):
    """Stand-ins of each selected feature, and signatures with them."""

    stand_ins: tuple | None = None
    signatures: tuple = ()


class Swap(NamedTuple):
    """A feature in the place of another."""

    place: int  # among the selected ones
    column: int
    correlation: float


def find_stand_ins(samples, candidate, choice, repeats, selected, final, panel, most, error):
    """Find at most so many stand-ins for each selected feature, and signatures of them.

    A panel may lose up to `error` of its score.
    """
    if not most or selected.size > _MOST_SELECTED:
        return StandIns()
    data, procedure = samples.for_model, candidate.procedure
    repeats = repeats if procedure.has_centers else repeats[:1]  # else each panel is a fit
    swaps = _candidates(data, selected, panel, final, most)
    panels = [selected, *(_swap(selected, [swap]) for swap in swaps)]
    score = _Scorer(samples, procedure, choice, repeats)
    own, *others = score(panels) if swaps else score(panels[:1])
    least = own - np.nan_to_num(error) - ROUNDING
    good = [(swap, each) for swap, each in zip(swaps, others, strict=True) if each >= least]
    rows = [[] for _ in selected]
    for swap, each in good:
        rows[swap.place].append({**swap._asdict(), "score": float(each)})
    found = _signatures(selected, rows, most, data, panel)
    scores = score(found) if found else []
    kept = [(columns, each) for columns, each in zip(found, scores, strict=True) if each >= least]
    signatures = [(selected, own), *kept]
    return StandIns(
        tuple(tuple(row) for row in rows),
        tuple({"columns": columns, "score": float(each)} for columns, each in signatures),
    )


def _swap(selected, swaps):
    columns = selected.copy()
    for swap in swaps:
        columns[swap.place] = swap.column
    return columns


# ------------------------------------------------------------------ candidates


def _candidates(data, selected, panel, final, most):
    """Return the swaps worth trying: of each feature those it goes along with most."""
    first = selected[:_MOST_REPLACED]
    is_distinct = panel is not None and panel.distinct is not None
    own = _units(data, selected if is_distinct else first)
    closest, columns = np.zeros((first.size, 0)), np.zeros((first.size, 0), dtype=int)
    out = selected if panel is None else np.union1d(selected, panel.exclude)
    width = max(1, _AT_A_TIME // data.codes.size)
    for start in range(0, data.features.number, width):
        block = np.arange(start, min(start + width, data.features.number))
        block = block[~np.isin(block, out)]
        if not block.size:
            continue
        products = np.abs(own.T @ _units(data, block)).round(_DIGITS)
        is_close = (products >= _LEAST).any(axis=0)
        block, products = block[is_close], products[:, is_close]
        mine = products[: first.size]
        if is_distinct:
            mine = np.where(_is_copy_of_other(products, first.size, panel.distinct), 0.0, mine)
        closest = np.hstack([closest, mine])
        columns = np.hstack([columns, np.tile(block, (first.size, 1))])
        best = np.argsort(-closest, axis=1, kind="stable")[:, :most]
        closest, columns = (np.take_along_axis(each, best, 1) for each in (closest, columns))
    swaps = [
        Swap(place, int(column), float(value))
        for place in range(first.size)
        for column, value in zip(columns[place], closest[place], strict=True)
        if value >= _LEAST
    ]
    return [swap for swap in swaps if panel is None or _is_allowed(swap, selected, panel, final)]


def _units(data, columns):
    return unit_residuals(columns_of(data.X, columns), data.codes, data.classes.size)


def _is_copy_of_other(products, n_first, bound):
    """Whether a column is a copy of a selected one that it would not replace."""
    is_copy = products > bound
    return (is_copy.sum(axis=0) - is_copy[:n_first]) > 0


def _is_allowed(swap, selected, panel, final):
    """Whether a swap leaves the panel what was wished."""
    taken = selected[swap.place]
    if taken in panel.include:
        return False
    if panel.per_class is not None:
        before, after = class_of_features(final.centers[:, [taken, swap.column]])
        if before != after:
            return False
    return _can_pay(panel, _swap(selected, [swap]), selected)


def _can_pay(panel, columns, selected):
    """Whether a budget is enough; it is that of the selected features, or more."""
    if panel is None or not panel.budgets:
        return True
    spent = panel.costs[selected].sum()
    budget = next(each for each in panel.budgets if each >= spent - ROUNDING * each)
    return panel.costs[columns].sum() <= budget * (1.0 + ROUNDING)


def _signatures(selected, rows, most, data, panel):
    """Return panels in which each feature is replaced that can be, first by its best stand-in."""
    found = []
    for number_ in range(most):
        columns, used = selected.copy(), set(selected.tolist())
        for place, row in enumerate(rows):
            free = [each["column"] for each in row[number_:] if each["column"] not in used]
            if free:
                columns[place] = free[0]
                used.add(free[0])
        is_new = not any(set(columns) == set(other) for other in [selected, *found])
        if is_new and _can_pay(panel, columns, selected) and _is_distinct(panel, data, columns):
            found.append(columns)
    return found


def _is_distinct(panel, data, columns):
    if panel is None or panel.distinct is None:
        return True
    units = _units(data, columns)
    return bool((np.abs(np.triu(units.T @ units, 1)) <= panel.distinct + ROUNDING).all())


# ------------------------------------------------------------------ their scores


class _Scorer(NamedTuple):
    """Scores panels of as many features in the outer folds, each fitted to the training sets."""

    samples: object
    procedure: object
    choice: object
    repeats: list

    def __call__(self, panels):
        """Return the mean score of each panel over the folds."""
        columns = np.unique(np.concatenate(panels))
        orders = np.array([_columns_first(np.searchsorted(columns, each), columns.size)
                           for each in panels])  # fmt: skip
        folds = [(repeat, fold) for repeat in self.repeats for fold in range(repeat.n_folds)]
        size = np.array([panels[0].size])
        return np.mean([self._score_fold(*each, columns, orders, size) for each in folds], axis=0)

    def _score_fold(self, repeat, fold, columns, orders, size):
        train, test = repeat.rows_without(fold), repeat.rows(fold)
        data, choice = self.samples.learned_from(train), self.choice
        part = data._replace(X=columns_of(data.X, columns), features=Features(columns.size, None))
        path = self.procedure.fit_unranked(part, train).with_ranking(orders[0])
        codes, n_classes = data.codes[test], data.classes.size
        if choice.needs_scores:
            found = path.predict(part.X, test, size, np.arange(1), orders[1:])
            decided = (each.decide(choice.costs) for each in found)
            tested = [each.test(codes, n_classes, choice.scoring) for each in decided]
        else:
            counts = path.count(part.X, test, codes, (n_classes,) * 2, size, orders=orders[1:])
            tested = map(Tested, counts)
        return [each.score(choice.scoring, choice.costs)[0] for each in tested]


def _columns_first(places, n_columns):
    """Return all columns, some of them first."""
    return np.concatenate([places, np.setdiff1d(np.arange(n_columns), places)])
