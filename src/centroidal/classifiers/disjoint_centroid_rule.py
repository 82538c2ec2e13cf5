"""How features are given to classes, and what a classifier of such groups does."""

from typing import NamedTuple
from warnings import warn

import numpy as np
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from .. import _state as state
from .._data import SupportMixin, check_finite, check_fitted, check_rows
from .._parameters import check_shared_features, choice
from .._progress import ProgressMixin
from .._typing import Floats, Mask, MomentScale, Norm
from ..solvers.disjoint_centroids import (
    group_distances,
    margin_groups,
    margin_ratios,
    rank_by_separation,
    slope_from_distances,
    slope_from_moments,
    training_errors,
)
from ..solvers.feature_partitions import Partitions, alternate, cluster_columns, draw_seeds
from ..solvers.sparse_centers import feature_scale
from ..statistics import ClassMoments, weights_in_samples
from ..statistics.residuals import column_products
from ..statistics.threads import map_blocks, row_blocks
from ._base import SolvedClassifier, recipe_of

_STARTS_PER_BLOCK = 25
_ENTRIES_PER_BLOCK = 2**23  # a feature in a restart for a weight


class Groups(NamedTuple):
    """Which features each class has, and how that was found."""

    # (n_classes, n_features): whether a class has a feature; none for a class without samples.
    masks: np.ndarray
    objective: float  # what the assignment minimises
    errors: np.ndarray  # (n_restarts,): training error of each restart, NaN if it was void

    _state = {
        "masks": state.mask("classes", "features"),
        "objective": state.number(infinite=True),  # where a class was not seen
        "errors": state.floats("restarts", least=0.0, nan=True),
    }


class GroupRecipe(NamedTuple):
    """How groups of features are found."""

    assignment: str
    disjoint: bool
    shared_features: object
    center: bool
    scale: str | None
    n_init: int
    norm: str = "normalized"

    @property
    def is_normalized(self):
        """Whether distances are means over features, and over samples, or else sums."""
        return self.norm == "normalized"

    @property
    def overlaps(self):
        """Whether each class has a clustering of its own."""
        return not (self.disjoint or self.streams)

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

    def find_shared(self, moments, *, has_unused):
        """Mask of the features that all classes have; the others must be enough for the groups."""
        n_features = moments.means.shape[1]
        n_groups = 1 if self.overlaps else np.count_nonzero(moments.seen)
        n_groups += has_unused and not self.streams
        needs_groups = self.disjoint or self.overlaps
        shared = check_shared_features(self.shared_features, n_features)
        if needs_groups and n_features < n_groups and isinstance(self.shared_features, str):
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
        if needs_groups and 0 < n_left < n_groups:
            raise ValueError(
                f"n_features={n_features}, of which {n_features - n_left} are shared, are too few "
                f"for {n_groups} disjoint groups; take fewer classes, more features, or "
                "assignment='margin' with disjoint=False."
            )
        return shared

    def find(self, data, moments, baseline_weights, seed=None, each_block=map_blocks):
        """Find the groups for each weight from the same starts; None where all were void.

        The margin rule does not look at `data`. Weights are all finite, or all infinite.
        `each_block` takes a function and tuples of its arguments, one a block of restarts, and
        yields the results in order.
        """
        has_unused = np.isfinite(baseline_weights).all()
        shared = self.find_shared(moments, has_unused=has_unused)
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
        return [_add_shared(groups, masks, seen, left) for groups in found]

    def _by_margin(self, ratios, weight):
        masks, objective = margin_groups(ratios, weight, disjoint=self.disjoint)
        return Groups(masks, objective, np.zeros(0))


def _add_shared(groups, masks, seen, left):
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
        self.weights = data.row_weights
        self.centers, self.scale = moments.means[seen], recipe.feature_scale(moments)
        self.shared, self.recipe = shared, recipe
        origin = moments.overall_mean if recipe.center else np.zeros(shared.size)
        self.products = column_products(
            self.X[:, ~shared] if shared.any() else self.X,
            self.codes,
            moments.counts[seen],
            origin[~shared],
            data.weights,
            self.scale[~shared],
            is_mean=recipe.is_normalized,
        )

    def solve(self, baseline_weights, n_init, seed, each_block):
        """Take for each weight the groups of the first restart with the lowest training error."""
        restarts = self._restarts(baseline_weights, n_init, seed, each_block)
        errors = self._errors(restarts)
        found = []
        for start in range(0, errors.size, n_init):
            of_weight = slice(start, start + n_init)
            if restarts.is_void[of_weight].all():
                found.append(None)
                continue
            best = start + np.nanargmin(errors[of_weight])
            masks = restarts.labels[best]
            if not self.recipe.overlaps:
                masks = masks == np.arange(len(self.centers))[:, None]
            found.append(Groups(masks, float(restarts.objectives[best]), errors[of_weight]))
        return found

    def _restarts(self, baseline_weights, n_init, seed, each_block):
        """Return the final partitions, all restarts for the first weight first.

        Their labels are masks where each class has a clustering of its own.
        """
        n_classes, n_features = len(self.centers), self.products.squares.shape[1]
        n_weights, has_unused = len(baseline_weights), np.isfinite(baseline_weights).all()
        classes = range(n_classes) if self.recipe.overlaps else [None]
        n_groups = (1 if self.recipe.overlaps else n_classes) + has_unused
        drawn = draw_seeds(n_features, n_groups, n_init * len(classes), seed)

        def run(place, rows):
            seeds = drawn.take(slice(place, None, len(classes))).take(rows)
            labels = cluster_columns(self.products, seeds)
            weights, starts = np.repeat(baseline_weights, len(labels)), (n_weights, 1)
            found = alternate(self.products, np.tile(labels, starts), weights, classes[place])
            return [part.reshape(n_weights, len(labels), -1) for part in found]

        height = np.clip(_ENTRIES_PER_BLOCK // (n_features * n_weights), 1, _STARTS_PER_BLOCK)
        rows = [slice(start, start + height) for start in range(0, n_init, height)]
        blocks = [(place, part) for place in range(len(classes)) for part in rows]
        found = list(each_block(run, blocks))
        ways = [
            _join(found[start : start + len(rows)], n_features)
            for start in range(0, len(found), len(rows))
        ]
        return _put_together(ways) if self.recipe.overlaps else ways[0]

    def _errors(self, restarts):
        """Training error of each partition, NaN if void; equal ones are looked at once."""
        errors = np.full(restarts.is_void.size, np.nan)
        valid = np.flatnonzero(~restarts.is_void)
        if not valid.size:
            return errors
        first = {}  # partition -> its position among the distinct ones
        which = [first.setdefault(restarts.labels[i].tobytes(), len(first)) for i in valid]
        _, rows = np.unique(which, return_index=True)
        found = restarts.labels[valid[rows]]
        labels = np.full((*found.shape[:-1], self.shared.size), -1, dtype=found.dtype)
        labels[..., ~self.shared] = found
        of_distinct = training_errors(
            self.X,
            self.codes,
            self.weights,
            self.centers,
            self.scale,
            labels,
            self.shared,
            self.recipe.is_normalized,
        )
        errors[valid] = of_distinct[which]
        return errors


def _join(parts, n_features):
    """Put blocks of restarts one after the other, for each weight."""
    labels, is_void, objectives = (
        np.concatenate(part, axis=1) for part in zip(*parts, strict=True)
    )
    return Partitions(labels.reshape(-1, n_features), is_void.ravel(), objectives.ravel())


def _put_together(ways):
    """Make one restart of those of all classes, whose own features are their first group."""
    return Partitions(
        np.stack([way.labels == 0 for way in ways], axis=1),
        np.any([way.is_void for way in ways], axis=0),
        np.sum([way.objectives for way in ways], axis=0),
    )


class DisjointSolution(NamedTuple):
    """Groups of features, and what they came from."""

    moments: ClassMoments
    scale: np.ndarray
    groups: Groups
    baseline_weight: float

    _state = {
        "moments": state.part(ClassMoments),
        "scale": state.divisors("features"),
        "groups": state.part(Groups),
        "baseline_weight": state.number(0.0, infinite=True),
    }

    def _check_relations(self, sizes):
        if not self.groups.masks.any(axis=1)[self.moments.seen].all():
            raise state.StateError("leaves a class without features", "groups.masks")


class DisjointCentroidRule(ProgressMixin, SupportMixin, SolvedClassifier):
    """Predict with centers that have features of their own; select those that some class has."""

    centers_: Floats
    feature_scale_: Floats
    groups_: Mask
    objective_: float
    restart_errors_: Floats
    n_void_: int
    slope_: float

    _state = {
        "_solution": state.part(DisjointSolution),
        "_logistic": state.optional(state.estimator),
        "centers_": state.floats("classes", "features", nan=True),
        "feature_scale_": state.divisors("features"),
        "groups_": state.mask("classes", "features"),
        "support_": state.mask("features", may_be_empty=False),
        "objective_": state.number(infinite=True),
        "restart_errors_": state.floats("restarts", least=0.0, nan=True),
        "n_void_": state.count(most="restarts"),
        "slope_": state.number(0.0, infinite=True),  # infinite where classes have no spread
    }

    _checks = {
        "norm": choice(Norm),
        "scale": choice(MomentScale),
    }

    @property
    def _recipe(self):
        return recipe_of(GroupRecipe, self)

    def _seed(self):
        return check_random_state(self.random_state).randint(np.iinfo(np.int32).max)

    def _keep(self, features, classes, solution, data=None):
        # What may still fail comes first, so that nothing is half kept.
        slope, logistic = self._calibrate(solution, data)
        moments, scale, groups, _ = solution
        features.keep(self)
        self._solution = solution
        self._logistic = logistic
        self.classes_ = classes
        self.centers_ = np.where(moments.seen[:, None], moments.means, np.nan)
        self.feature_scale_ = scale
        self.groups_ = groups.masks
        self.support_ = groups.masks.any(axis=0)
        self.objective_ = groups.objective
        self.restart_errors_ = groups.errors
        self.n_void_ = int(np.isnan(groups.errors).sum())
        self.slope_ = slope
        return self

    def _calibrate(self, solution, data):
        """Slope, and logistic regression if one decides, from samples or else from moments."""
        moments, seen = solution.moments, solution.moments.seen
        if data is None or not data.is_in_memory:
            masks = solution.groups.masks[seen]
            parts = moments.take_classes(seen), masks, solution.scale
            return slope_from_moments(*parts, self._recipe.is_normalized), None
        data = data.take_rows(data.counted_rows)
        # What a penalty is weighed against is a number of samples.
        codes, weights = data.codes, weights_in_samples(data.row_weights)
        distances = self._distances(data.X, solution)
        positions = np.cumsum(seen) - 1
        slope = slope_from_distances(distances, positions[codes], weights)
        if self.calibration is None:
            return slope, None
        model = make_pipeline(StandardScaler(), LogisticRegression())
        # In a unit near their size, as the scaler squares them.
        _, exponent = np.frexp(np.abs(distances).max())
        model.fit(
            np.ldexp(distances, -exponent),
            codes,
            standardscaler__sample_weight=weights,
            logisticregression__sample_weight=weights,
        )
        scaler = model[0]
        scaler.mean_, scaler.scale_ = np.ldexp([scaler.mean_, scaler.scale_], exponent)
        return slope, model

    @property
    def _score_unit(self):
        if self._logistic is not None:
            return 1.0
        return 1.0 / self.slope_ if self.slope_ > 0.0 else np.finfo(float).max

    def _class_scores(self, X):
        check_fitted(self)
        X, _ = check_rows(self, X, np.arange(self.n_features_in_))
        check_finite(self, X)
        seen = self._solution.moments.seen
        distances = self._distances(X, self._solution)
        scores = np.full((distances.shape[0], seen.size), -np.inf)
        if self._logistic is None:
            scores[:, seen] = -distances
        else:
            decision = self._logistic.decision_function(distances)
            is_single = decision.ndim == 1
            scores[:, seen] = np.outer(decision, [-0.5, 0.5]) if is_single else decision
        return scores

    def _distances(self, X, solution):
        """Distances from each sample to the centers of the classes that have samples."""
        seen = solution.moments.seen
        centers, masks = solution.moments.means[seen], solution.groups.masks[seen]
        X = X.tocsr() if issparse(X) else X
        of_classes = centers, masks, solution.scale, self._recipe.is_normalized
        blocks = [(X[rows], *of_classes) for rows in row_blocks(*X.shape)]
        return np.concatenate(list(map_blocks(group_distances, blocks, self.n_jobs)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Where classes differ in their means alone, groups of their own lose what others know.
        tags.classifier_tags.poor_score = True
        return tags
