r"""Exact sparse l1 and l2 centers for every number of features at once.

The training problem adds up over features, so a feature is worth keeping by its own *gain*: the
objective with one shared center minus the objective with a center per class. Sorting the gains
once solves the problem for every k.

Equation map, Calafiore and Fracastoro (2022); their two classes are any number here::

    eq. (8)            l2 training problem      solve_l2_centers()
    eq. (11), Prop. 1  midpoint of the means    solve_l2_centers(), `shared`
    eq. (10)           l1 training problem      solve_l1_centers()
    eq. (15)           weighted median of all   statistics.class_medians(), `shared`
    eq. (17), (18)     dispersions              statistics.class_medians()
    Prop. 3            e = (d+ + d-) - d        solve_l1_centers(), `gains` = -e
"""

from typing import NamedTuple

import numpy as np

from .. import _state as state
from . import _loops
from .ranking import rank_features, scaled_errors


class CenterPath(NamedTuple):
    """The optimal centers for every number of selected features."""

    # (n_classes, n_features): center of each class where a feature is kept; NaN for a class without
    # samples.
    class_centers: np.ndarray
    shared: np.ndarray  # (n_features,): center of all classes where a feature is dropped
    scale: np.ndarray  # (n_features,): what distances along each feature are divided by
    # (n_features,): decrease of the objective when a feature is kept; never negative.
    gains: np.ndarray
    # (n_features,): features by decreasing gain; those that are equal up to rounding by column.
    ranking: np.ndarray
    losses: np.ndarray  # (n_features,): what a kept feature adds to the objective
    spreads: np.ndarray  # (n_features,): mean loss of a sample around the center of its class

    _state = {
        "class_centers": state.floats("classes", "features", nan=True),
        "shared": state.floats("features"),
        "scale": state.divisors("features"),
        "gains": state.floats("features", least=0.0),
        "ranking": state.ranking("features"),
        "losses": state.floats("features", least=0.0),
        "spreads": state.floats("features", least=0.0),
    }

    @property
    def summaries(self):
        """What must be finite for the centers to make sense."""
        return self.shared, self.scale, self.gains, self.losses, self.spreads

    def selected(self, k):
        """Columns of the `k` best features, in the order of the data."""
        return np.sort(self.ranking[:k])

    def centers(self, k):
        """Return the optimal centers that differ in at most `k` features."""
        dropped = self.ranking[k:]
        centers = self.class_centers.copy()
        centers[:, dropped] = self.shared[dropped]
        return centers

    def objective(self, k):
        """Value of the training objective at the optimum."""
        return float(self.losses.sum() + self.gains[self.ranking[k:]].sum())

    def spread(self, k):
        """Mean loss of a sample along one of the `k` selected features."""
        return float(self.spreads[self.ranking[:k]].mean())

    def spread_path(self, order=None):
        """`spread(k)` for every k from 1 on; in another order of the features, if one is given."""
        order = self.ranking if order is None else order
        return np.cumsum(self.spreads[order]) / np.arange(1, order.size + 1)


def solve_l2_centers(moments, scale):
    """Rank the features of problem (8) by the spread of their class means."""
    means, squares = map(np.ascontiguousarray, (moments.means, moments.squares))
    seen = moments.counts > 0
    shared, gains, losses = np.empty((3, scale.size))
    given = np.flatnonzero(seen), moments.counts, means, squares, scale
    _loops.l2_gains(*given, shared, gains, losses)  # eq. (11)
    # Of roots, as they move as far as the means do, however small they are.
    roots, sizes = np.sqrt(gains), np.abs(means).max(axis=0) + scale * np.sqrt(losses)
    return CenterPath(
        class_centers=_without_unseen(means, seen),
        shared=shared,
        scale=scale,
        gains=gains,
        ranking=rank_features(roots, scaled_errors(sizes, scale, roots)),
        losses=losses,
        spreads=moments.within_variance / scale**2,
    )


def solve_l1_centers(medians, scale):
    """Rank the features of problem (10) by how much one shared median costs."""
    seen = medians.counts > 0
    losses = medians.dispersions[seen].sum(axis=0)
    pooled = medians.counts @ medians.dispersions / medians.counts.sum()
    gains = (medians.shared_dispersion - losses) / scale  # -e of Prop. 3
    sizes = np.abs(medians.medians).max(axis=0) + medians.shared_dispersion
    errors = scaled_errors(sizes, scale, gains)
    gains = np.where(gains > errors, gains, 0.0)  # equal medians give zero, and rounding
    return CenterPath(
        class_centers=_without_unseen(medians.medians, seen),
        shared=medians.shared,
        scale=scale,
        gains=gains,
        ranking=rank_features(gains, errors),
        losses=losses / scale,
        spreads=pooled / scale,
    )


def feature_scale(spreads):
    """Turn spreads into divisors: a feature without spread keeps the divisor 1."""
    return np.where(spreads > 0.0, spreads, 1.0)


def _without_unseen(centers, seen):
    centers = centers.copy()
    centers[~seen] = np.nan
    return centers
