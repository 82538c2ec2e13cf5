"""How the features are given to the classes, from checked parameters to groups."""

from typing import NamedTuple
from warnings import warn

import numpy as np
from scipy.sparse import issparse

from .._parameters import check_choice, check_count, check_flag, check_shared_features
from ..solvers.disjoint_centroids import (
    margin_groups,
    margin_ratios,
    rank_by_separation,
    training_errors,
)
from ..solvers.feature_partitions import Partitions, alternate, cluster_columns, draw_seeds
from ..solvers.sparse_centers import feature_scale
from ..statistics import map_blocks
from ..statistics.column_products import column_products

__all__ = ["GroupRecipe", "Groups"]

_STARTS_PER_BLOCK = 25
_ENTRIES_PER_BLOCK = 2**23  # a feature in a restart for a weight


class Groups(NamedTuple):
    """Which features each class has, and how that was found.

    Attributes
    ----------
    masks : ndarray of bool, shape (n_classes, n_features)
        Whether a class has a feature; none for a class without samples.
    objective : float
        What the assignment minimises.
    errors : ndarray of shape (n_restarts,)
        Training error of each restart, NaN if it was void.
    """

    masks: np.ndarray
    objective: float
    errors: np.ndarray


class GroupRecipe(NamedTuple):
    """How groups of features are found."""

    assignment: str
    disjoint: bool
    shared_features: object
    center: bool
    scale: str | None
    n_init: int

    def check(self):
        """Raise unless all are known and go together."""
        check_choice("assignment", self.assignment, ("alternating", "margin"))
        check_flag("disjoint", self.disjoint)
        check_flag("center", self.center)
        check_choice("scale", self.scale, (None, "std", "within"))
        check_count("n_init", self.n_init)
        if self.assignment == "alternating" and not self.disjoint:
            raise ValueError(
                "disjoint=False must come with assignment='margin'; got assignment='alternating'."
            )
        return self

    @property
    def streams(self):
        """Whether class moments are enough, so that parts of the data can be merged."""
        return self.assignment == "margin"

    def feature_scale(self, moments):
        """Divisor of each feature."""
        if self.scale is None:
            return np.ones(moments.means.shape[1])
        variance = moments.variance if self.scale == "std" else moments.within_variance
        return feature_scale(np.sqrt(variance))

    def shared(self, moments, *, has_unused):
        """Mask of the features that all classes have; the others must be enough for the groups."""
        n_features = moments.means.shape[1]
        n_groups = np.count_nonzero(moments.seen)
        n_groups += has_unused and not self.streams
        shared = check_shared_features(self.shared_features, n_features)
        if self.disjoint and n_features < n_groups and isinstance(self.shared_features, str):
            warn(
                f"n_features={n_features} are too few for {n_groups} disjoint groups, so all "
                "classes share all features; shared_features=None makes this an error.",
                UserWarning,
                stacklevel=2,
            )
            return np.ones(n_features, dtype=bool)
        if isinstance(shared, int):
            best = rank_by_separation(moments)[:shared]
            shared = np.isin(np.arange(n_features), best)
        n_left = np.count_nonzero(~shared)
        if self.disjoint and 0 < n_left < n_groups:
            raise ValueError(
                f"n_features={n_features}, of which {n_features - n_left} are shared, are too few "
                f"for {n_groups} disjoint groups; take fewer classes, more features, or "
                "assignment='margin' with disjoint=False."
            )
        return shared

    def find(self, data, moments, baseline_weights, seed=None, each_block=map_blocks):
        """Find the groups for each weight from the same starts; None where all were void.

        Parameters
        ----------
        data : LabelledData
            Samples; the margin rule does not look at them.
        moments : ClassMoments
            Of the samples.
        baseline_weights : ndarray of float
            Values of lambda: all finite, or all infinite.
        seed : int
            Of the starts.
        each_block : callable
            Called with a function and tuples of its arguments, one a block of restarts; yields
            the results in order.
        """
        has_unused = np.isfinite(baseline_weights).all()
        shared = self.shared(moments, has_unused=has_unused)
        seen, left = np.flatnonzero(moments.seen), np.flatnonzero(~shared)
        masks = np.tile(shared, (moments.seen.size, 1)) & moments.seen[:, None]
        if not left.size:
            return [Groups(masks, 0.0, np.zeros(0))] * len(baseline_weights)
        if self.streams:
            ratios = margin_ratios(moments)[np.ix_(seen, left)]
            found = [self._by_margin(ratios, weight) for weight in baseline_weights]
        else:
            problem = _Alternation(self, data, moments, shared)
            found = problem.solve(baseline_weights, self.n_init, seed, each_block)
        return [_with_shared(groups, masks, seen, left) for groups in found]

    def _by_margin(self, ratios, weight):
        masks, objective = margin_groups(ratios, weight, disjoint=self.disjoint)
        return Groups(masks, objective, np.zeros(0))


def _with_shared(groups, masks, seen, left):
    """Put the groups of some classes and features among all of them."""
    if groups is None:
        return None
    masks = masks.copy()
    masks[np.ix_(seen, left)] = groups.masks
    return groups._replace(masks=masks)


class _Alternation:
    """The samples as the alternation sees them: classes that have some, features not shared."""

    def __init__(self, recipe, data, moments, shared):
        seen = np.flatnonzero(moments.seen)
        positions = np.full(moments.seen.size + 1, -1, dtype=np.int32)  # -1 stays -1
        positions[seen] = np.arange(seen.size)
        self.X = data.X.tocsr() if issparse(data.X) else data.X
        self.codes = positions[data.codes]
        self.weights = np.ones(self.codes.size) if data.weights is None else data.weights
        self.centers, self.scale = moments.means[seen], recipe.feature_scale(moments)
        self.shared = shared
        origin = moments.overall_mean if recipe.center else np.zeros(shared.size)
        self.products = column_products(
            self.X[:, ~shared] if shared.any() else self.X,
            self.codes,
            moments.counts[seen],
            origin[~shared],
            data.weights,
            self.scale[~shared],
        )

    def solve(self, baseline_weights, n_init, seed, each_block):
        """Take for each weight the groups of the first restart with the lowest training error."""
        n_groups = len(self.centers) + np.isfinite(baseline_weights).all()
        seeds = draw_seeds(self.products.squares.shape[1], n_groups, n_init, seed)
        restarts = self._restarts(baseline_weights, seeds, each_block)
        errors = self._errors(restarts)
        found = []
        for start in range(0, errors.size, n_init):
            of_weight = slice(start, start + n_init)
            if restarts.is_void[of_weight].all():
                found.append(None)
                continue
            best = start + np.nanargmin(errors[of_weight])
            masks = restarts.labels[best] == np.arange(len(self.centers))[:, None]
            found.append(Groups(masks, float(restarts.objectives[best]), errors[of_weight]))
        return found

    def _restarts(self, baseline_weights, seeds, each_block):
        """Return the final partitions, all restarts for the first weight first."""
        n_weights, n_starts = len(baseline_weights), len(seeds.columns)

        def run(rows):
            labels = cluster_columns(self.products, seeds.only(rows))
            weights = np.repeat(baseline_weights, len(labels))
            found = alternate(self.products, np.tile(labels, (n_weights, 1)), weights)
            return [part.reshape(n_weights, len(labels), -1) for part in found]

        n_features = self.products.squares.shape[1]
        height = np.clip(_ENTRIES_PER_BLOCK // (n_features * n_weights), 1, _STARTS_PER_BLOCK)
        blocks = [(slice(start, start + height),) for start in range(0, n_starts, height)]
        parts = zip(*each_block(run, blocks), strict=True)
        labels, is_void, objectives = (np.concatenate(part, axis=1) for part in parts)
        return Partitions(labels.reshape(-1, n_features), is_void.ravel(), objectives.ravel())

    def _errors(self, restarts):
        """Training error of each partition, NaN if void; equal ones are looked at once."""
        errors = np.full(restarts.is_void.size, np.nan)
        valid = np.flatnonzero(~restarts.is_void)
        if not valid.size:
            return errors
        first = {}  # partition -> its position among the distinct ones
        which = [first.setdefault(restarts.labels[i].tobytes(), len(first)) for i in valid]
        _, rows = np.unique(which, return_index=True)
        labels = np.full((len(first), self.shared.size), -1, dtype=restarts.labels.dtype)
        labels[:, ~self.shared] = restarts.labels[valid[rows]]
        of_distinct = training_errors(
            self.X, self.codes, self.weights, self.centers, self.scale, labels, self.shared
        )
        errors[valid] = of_distinct[which]
        return errors
