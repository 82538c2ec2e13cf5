"""How a Fisher subspace is found and cut, and what a classifier that has found one does."""

from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import NamedTuple

import numpy as np

from .. import _state as state
from .._data import check_finite_summary, check_fitted, check_moments, check_rows
from .._parameters import check_parameters, check_priors
from .._typing import Floats
from ..solvers.distances import log_odds
from ..solvers.fisher_subspace import (
    LinearRule,
    choose_between,
    count_components,
    covariance_inside,
    cut_at,
    cut_line,
    fisher_axes,
    log2_rule,
    scatter_inside,
    whiten,
)
from ..solvers.ranking import WEIGHT_ROUNDING, rank_features
from ..solvers.thresholds import Line, LineInBlocks
from ..statistics import ClassSubspace, class_moments, class_subspace, count_samples
from ..statistics.threads import with_limited_blas
from ._base import SolvedClassifier, score_both_classes

MERGING = ("FisherSubspaceClassifier", "OnlineFisherSubspaceClassifier")  # with each other
_DEFAULT_COMPONENTS = {"truncated": "log2", "variance": 0.99, "full": None}


class FisherRecipe(NamedTuple):
    """The parameters of a Fisher-subspace classifier."""

    whitening: str
    n_components: int | float | str | None
    scatter: str = "total"
    threshold: str = "inclusive"
    balance: float = 0.99
    priors: object = "uniform"

    def components(self, n_samples):
        """Return the number of components to whiten, a share of the variance, or None for all."""
        wanted = self.n_components
        if wanted is None:
            wanted = _DEFAULT_COMPONENTS[self.whitening]
        if isinstance(wanted, str):
            return log2_rule(n_samples)
        if wanted is None:
            return None
        return int(wanted) if isinstance(wanted, Integral) else float(wanted)

    def n_pairs(self, n_samples):
        """Directions that the summary of the data must have; None for all."""
        wanted = self.components(n_samples)
        is_number = isinstance(wanted, int)
        return wanted if is_number and self.whitening == "truncated" else None

    def whiten(self, spectrum, total, n_samples):
        """Solve for the whitening transform, with the weight of all samples and their number."""
        wanted = self.components(n_samples)
        rank = spectrum.values.size
        n_components = rank if wanted is None else count_components(wanted, spectrum)
        return whiten(spectrum, self.whitening, n_components, total)

    def axes(self, subspace):
        """Fisher axes of the classes that were seen, and the whitening that gave them."""
        seen = subspace.counts > 0
        whitening = self.whiten(subspace.spectrum, subspace.total, subspace.n_samples)
        means = subspace.means[seen] - subspace.mean
        return fisher_axes(whitening, subspace.counts[seen], means), whitening

    def cuts(self, counts):
        """Whether a threshold on one axis decides: two classes, both seen, and no priors."""
        return counts.size == 2 and (counts > 0).all() and self.threshold != "prior"

    def rule(self, coordinates, codes, weights, centers, counts):
        """Decide on the Fisher coordinates of the training samples."""
        if self.cuts(counts) and coordinates.shape[1]:
            line = Line(coordinates[:, 0], codes == 1, weights)
            return cut_line(line, self.threshold, self.balance)
        within = covariance_inside(coordinates, _places(counts)[codes], weights, centers)
        return self.prior_rule(centers, within, counts)

    def rule_of_blocks(self, blocks, centers, counts):
        """Decide on coordinates that stay in blocks, of which sums and moments are enough."""
        if self.cuts(counts) and centers.shape[1]:
            line = LineInBlocks(blocks.map(_on_first_axis))
            return cut_line(line, self.threshold, self.balance)
        scatter = partial(_scatter_in_block, _places(counts), centers)
        within = blocks.map(scatter).reduce(sum) / counts.sum()
        return self.prior_rule(centers, within, counts)

    def prior_rule(self, centers, within, counts):
        """Decide by normal distributions and priors, for all classes, seen or not."""
        seen = counts > 0
        log_priors = log_odds(check_priors(self.priors, counts))[seen]
        rule = choose_between(centers, within, log_priors)
        return rule if seen.all() else _with_unseen(rule, seen)


def _places(counts):
    """Where a class that was seen is among the centers."""
    return np.cumsum(counts > 0) - 1


def _with_unseen(rule, seen):
    """Widen a rule by classes that are never chosen."""
    if seen.size == 2:
        offset = np.inf if seen[1] else -np.inf
        return LinearRule(np.zeros((rule.slopes.shape[0], 1)), np.array([offset]))
    if np.count_nonzero(seen) == 2:  # one column became two again
        slopes, offsets = np.pad(rule.slopes, ((0, 0), (1, 0))), np.pad(rule.offsets, (1, 0))
    else:
        slopes, offsets = rule.slopes, rule.offsets
    wide = np.zeros((slopes.shape[0], seen.size))
    wide[:, seen] = slopes
    deep = np.full(seen.size, -np.inf)
    deep[seen] = offsets
    return LinearRule(wide, deep)


class ThresholdPoint(NamedTuple):
    """A point between two classes that is projected on the threshold, and what it counts."""

    place: np.ndarray
    weight: float

    _state = {
        "place": state.floats("features"),
        "weight": state.number(0.0),
    }


class FisherSolution(NamedTuple):
    """What was found, and what it came from."""

    subspace: ClassSubspace
    n_components: int
    axes: np.ndarray
    rule: LinearRule
    threshold_point: ThresholdPoint | None = None

    _state = {
        "subspace": state.part(ClassSubspace),
        "n_components": state.count(),
        "axes": state.floats("features", "axes"),
        "rule": state.part(LinearRule, axes="axes"),
        "threshold_point": state.optional(state.part(ThresholdPoint)),
    }

    def reindex(self, positions, n_classes):
        """Return what `merge_solutions` needs, with class `c` moved to `positions[c]`."""
        return self._replace(subspace=self.subspace.reindex(positions, n_classes))


def summarise_rows(estimator, recipe, data):
    """Summarise samples by what a recipe needs of them."""
    moments = class_moments(data.X, data.codes, data.classes.size, data.weights)
    check_moments(estimator, data.X, moments)
    size = count_samples(data.codes, data.weights, moments.counts)
    n_pairs = recipe.n_pairs(size.number(moments.counts.sum()))
    rows = data.X, data.codes, moments, data.weights
    return replace(class_subspace(*rows, recipe.scatter, n_pairs), size=size)


def solve_rows(estimator, recipe, data):
    """Summarise samples and solve for the axes and the rule."""
    return solve_summarised(recipe, summarise_rows(estimator, recipe, data), data)


def solve_summarised(recipe, subspace, data):
    """Solve for the axes from the summary of samples, and for the rule from their projections."""
    (axes, centers), whitening = recipe.axes(subspace)
    project_rows = partial(_project_counted, axes, subspace.mean)
    if data.is_in_memory:
        rows = project_rows(data.X, data.codes, data.weights)
        rule = recipe.rule(*rows, centers, subspace.counts)
    else:
        blocks = data.X.of_rows(project_rows, data.codes, data.weights)
        rule = recipe.rule_of_blocks(blocks, centers, subspace.counts)
    point = None
    if recipe.cuts(subspace.counts) and axes.shape[1]:
        point = find_threshold_point(subspace, whitening, axes[:, 0], rule.threshold)
    return FisherSolution(subspace, whitening.gains.size, axes, rule, point)


class _Projected(NamedTuple):
    """Coordinates of the samples that count, their codes and weights."""

    coordinates: np.ndarray
    codes: np.ndarray
    weights: np.ndarray


def _project_counted(axes, mean, X, codes, weights):
    counted = codes >= 0 if weights is None else (codes >= 0) & (weights > 0)
    codes = codes[counted]
    weights = np.ones(codes.size) if weights is None else weights[counted]
    return _Projected(project(X, axes, mean)[counted], codes, weights)


def _on_first_axis(block):
    return Line(block.coordinates[:, 0], block.codes == 1, block.weights)


def _scatter_in_block(places, centers, block):
    return scatter_inside(block.coordinates, places[block.codes], block.weights, centers)


@with_limited_blas(lambda X, *_: X.shape)
def project(X, axes, mean):
    """Coordinates of samples on some axes."""
    return X @ axes - mean @ axes


def find_threshold_point(subspace, whitening, axis, threshold):
    """Go from the mean along the difference of the class means, in what is whitened."""
    step = subspace.means[1] - subspace.means[0]
    if whitening.rest == 0.0:
        step = whitening.vectors @ (whitening.vectors.T @ step)
    place = subspace.mean + threshold / (step @ axis) * step
    return ThresholdPoint(place, subspace.total)


def merge_solutions(recipe, *parts):
    """Merge what two parts of the data gave; classes must be in the same order."""
    first, second = (part.subspace for part in parts)
    n_pairs = recipe.n_pairs(first.size.merge(second.size).number(first.total + second.total))
    subspace = first.merge(second, None if n_pairs is None else 2 * n_pairs)
    (axes, centers), whitening = recipe.axes(subspace)
    within = subspace.covariance_inside(axes)
    point = _average([part.threshold_point for part in parts if part.threshold_point])
    if point and recipe.cuts(subspace.counts) and axes.shape[1]:
        threshold = (point.place - subspace.mean) @ axes[:, 0]
        rule = cut_at(threshold, np.ptp(centers[:, 0]), within[0, 0])
    else:
        point, rule = None, recipe.prior_rule(centers, within, subspace.counts)
    return FisherSolution(subspace, whitening.gains.size, axes, rule, point)


def _average(points):
    """Mean of threshold points: the samples that would place the threshold are gone."""
    if not points:
        return None
    weight = sum(point.weight for point in points)
    return ThresholdPoint(sum(point.weight * point.place for point in points) / weight, weight)


def check_scatter(estimator, other):
    """Raise unless two fitted estimators know the scatter around the same means."""
    ours, theirs = (each._solution.subspace.scatter for each in (estimator, other))
    if ours != theirs:
        raise ValueError(
            f"other has scatter={theirs!r}, which must be that of this estimator, {ours!r}."
        )


def check_no_window(*parts):
    """Raise if one of this estimator and another forgets samples, which the merged one cannot."""
    for name, part in zip(("this estimator", "other"), parts, strict=True):
        if getattr(part, "window", None) is not None:
            raise ValueError(
                f"{name} has window={part.window!r}; only estimators without a window merge."
            )


class FisherRule(SolvedClassifier):
    """Predict by `coef_` and `intercept_`, which hold log-odds."""

    class_count_: Floats
    class_prior_: Floats
    mean_: Floats
    means_: Floats
    components_: Floats
    singular_values_: Floats
    n_components_: int
    axes_: Floats
    threshold_: float
    coef_: Floats
    intercept_: Floats

    _state = {
        "_solution": state.part(FisherSolution),
        "class_count_": state.counts("classes"),
        "class_prior_": state.floats("classes", least=0.0),
        "mean_": state.floats("features"),
        "means_": state.floats("classes", "features"),
        "components_": state.floats("kept", "features"),
        "singular_values_": state.floats("kept", least=0.0),
        "n_components_": state.count(most="kept"),
        "axes_": state.floats("features", "axes"),
        "threshold_": state.number(nan=True),
        "coef_": state.floats(state.scores, "features"),
        "intercept_": state.floats(state.scores, infinite=True),
    }

    _score_unit = 1.0

    def _check_for(self, n_features, n_classes):
        """Raise unless the parameters are right for so many features and classes."""
        check_parameters(self)
        check_priors(self.priors, np.ones(n_classes))

    def _keep(self, features, classes, solution, priors):
        # Whatever may still be refused comes first, so that nothing is half kept.
        subspace, rule = solution.subspace, solution.rule
        mean = subspace.mean
        prior = check_priors(priors, subspace.counts)
        coef = (solution.axes @ rule.slopes).T
        features.keep(self)
        self._solution = solution
        self.classes_ = classes
        self.class_count_ = subspace.counts
        self.class_prior_ = prior
        self.mean_ = mean
        self.means_ = subspace.means
        self.components_ = subspace.spectrum.vectors.T
        self.singular_values_ = np.sqrt(subspace.spectrum.values)
        self.n_components_ = solution.n_components
        self.axes_ = solution.axes
        self.threshold_ = rule.threshold
        self.coef_ = coef
        self.intercept_ = rule.offsets - coef @ mean
        return self

    @property
    def feature_importances_(self) -> Floats:
        """Norms of the columns of `coef_`; those equal up to rounding fall from left to right."""
        lengths = np.linalg.norm(self.coef_, axis=0)
        ranking = rank_features(lengths, WEIGHT_ROUNDING * lengths.max())
        importances = np.empty_like(lengths)
        importances[ranking] = np.sort(lengths)[::-1]
        return importances

    def _class_scores(self, X):
        check_fitted(self)
        X, _ = check_rows(self, X, np.arange(self.n_features_in_))
        with np.errstate(invalid="ignore", over="ignore"):
            scores = X @ self.coef_.T
        check_finite_summary(self, X, scores)
        scores = scores + self.intercept_
        return score_both_classes(scores)
