"""L2 centers of many training sets at once: what they predict of the folds that they leave out.

All training sets that leave one or two folds out are solved feature after feature, from sums of
cells: a fold and a class. For l2, what a feature adds to a distance, less that from the first
class, is a line in its value; so each feature is read twice, once to be ranked and once to be added
to the models that have it. The counts are those of `sparse_centers` and `along_path` for each
training set by itself.
"""

from typing import NamedTuple

import numpy as np

from ..statistics import class_moments
from . import _fold_loops
from .ranking import ROUNDING
from .sparse_centers import feature_scale, solve_l2_centers

_NUMBERS = 2**17  # that are kept meanwhile: as many as a cache holds
_WIDTH = 256  # columns that are solved together
_N_BINS = 2049  # in which models are looked up


class FeatureRows(NamedTuple):
    """A dense table, and the values of each feature side by side, measured from its mean."""

    X: np.ndarray
    means: np.ndarray
    rows: np.ndarray  # (features, samples)

    @classmethod
    def of(cls, X):
        """Copy the columns of a dense table."""
        means = X.mean(axis=0, dtype=float)
        rows = np.empty((X.shape[1], X.shape[0]))
        np.subtract(X.T, means[:, None], out=rows)
        return cls(X, means, rows)


class FoldCenters(NamedTuple):
    """What the training sets show."""

    roots: np.ndarray  # of the gains, (sets, features)
    counts: list  # of each set, (sizes, folds left out, true classes, predicted classes)


def count_folds(features, codes, n_classes, folds, sets, grid):
    """Solve each training set and count what it predicts of the folds that it leaves out.

    Sets are named by the folds that they leave out, at most two. None if one has no row of a class.
    """
    n_folds, order = folds.max() + 1, np.argsort(folds * n_classes + codes, kind="stable")
    table = np.bincount(folds * n_classes + codes, minlength=n_folds * n_classes)
    starts, table = np.append(0, np.cumsum(table)), table.reshape(n_folds, n_classes)
    counts = np.array([table.sum(axis=0) - table[list(each)].sum(axis=0) for each in sets], float)
    if not counts.all():
        return None
    shape = len(sets), features.means.size
    roots, errors = np.empty(shape), np.zeros(shape[0])
    lines = np.empty((shape[0], n_classes - 1, 2, shape[1]))
    left_out = np.array([[*each, n_folds + 1, n_folds + 1][:2] for each in sets])
    cells = (folds * n_classes + codes).astype(np.uintp)
    where = cells, features.means, n_folds, left_out, counts, ROUNDING, _WIDTH
    _fold_loops.solve_sets(features.X, *where, roots, lines, errors)
    models, sizes = np.empty(shape, dtype=np.int32), np.zeros((shape[0], grid.size + 1))
    for place, names in enumerate(sets):
        mine, ordered = (roots[place], models[place], sizes[place]), np.sort(roots[place])
        if _has_ties(ordered, errors[place], grid):
            kept = np.where(np.isin(folds, names), np.int32(-1), codes)
            _enter_ranked(_rank(features.X, kept, n_classes), grid, *mine)
        else:
            _enter(ordered[shape[1] - grid], *mine)
    spans = np.array([_span(starts, n_classes, each) for each in sets])
    margins = ROUNDING * np.cumsum(sizes[:, :-1], axis=1)
    tested = _count(features.rows, order, models, lines, spans, codes[order], margins, n_classes)
    found = [each[:, : len(names)] for each, names in zip(tested, sets, strict=True)]
    return FoldCenters(roots, found)


def _span(starts, n_classes, left_out):
    """Places of the rows of one or two folds; of a single one the second is empty."""
    ends = [[starts[f * n_classes], starts[(f + 1) * n_classes]] for f in left_out]
    return (ends + [[0, 0], [0, 0]])[:2]


def _has_ties(ordered, error, grid):
    """Whether features may tie where a model ends."""
    ends = ordered.size - grid[grid < ordered.size]
    return (ordered[ends] - ordered[ends - 1] <= 2.0 * error).any()


def _enter(limits, roots, models, sizes):
    """Write the first model that has each feature, and the size of models, which end at limits."""
    bins = np.searchsorted(-limits, -np.linspace(0.0, limits[0], _N_BINS))
    _fold_loops.find_models(roots, limits, bins, models, sizes)


def _enter_ranked(ranking, grid, roots, models, sizes):
    """Do the same where ties decide which features a model has."""
    steps = np.diff(grid, prepend=0, append=roots.size)
    models[ranking] = np.repeat(np.arange(grid.size + 1), steps)
    sizes += np.bincount(models, 1.0 + roots**2, minlength=sizes.size)


def _rank(X, codes, n_classes):
    """Rank features of which some tie."""
    moments = class_moments(X, codes, n_classes)
    return solve_l2_centers(moments, feature_scale(np.sqrt(moments.within_variance))).ranking


def _count(rows, order, models, lines, spans, true, margins, n_classes):
    """Count for each set by model, fold, true and nearest class, some sets at a time."""
    widths, n_models = (spans[..., 1] - spans[..., 0]).sum(axis=1), margins.shape[1]
    shape = n_classes - 1, n_models + 1, widths.max()
    height = max(1, _NUMBERS // int(np.prod(shape)))
    counts = np.zeros((len(spans), n_models, 2, n_classes, n_classes), dtype=np.int64)
    for first in range(0, len(spans), height):
        some = range(first, min(first + height, len(spans)))
        gaps, constants = np.zeros((len(some), *shape)), np.zeros((len(some), *shape[:-1]))
        _fold_loops.add_lines(rows, order, models, lines, first, spans, _WIDTH, gaps, constants)
        for place, s in enumerate(some):
            own = gaps[place], constants[place], margins[s], spans[s]
            _fold_loops.count_nearest(*own, true, counts[s])
    return counts
