r"""Partitions of the features into one group a class, and one that is not used, by alternation.

Many partitions are improved at once, so that a step of all of them is one product a class.

Equation map (:cite:t:`Fraiman2021`; an unused group, index 0 there, is the last one here)::

    section 5, step 1    k-means on the features         cluster_columns()
    section 5, step 2 a  centers of the groups           assign(), `members`, `own`
    section 5, step 2 b  features to the nearest center  assign()
    section 6            unused features, lambda         assign(), `weights`
    section 9            two-way clusterings             alternate(), `c`

What falls in every step is

    J = sum_j w_j sum_{i in I_j} mean_{s in S_j} (x_si - m_js)^2,

with w = lambda^2 for the unused group and 1 for the others.
"""

from typing import NamedTuple

import numpy as np

from ..statistics.threads import with_limited_blas
from . import _loops

_MOST_STEPS = 300
_MOST_FEATURES_TO_MOVE = 1000  # one by one; for more, whole steps end in the same few partitions
_ROUNDING = 1e-14  # a smaller share of a square makes no center nearer


class Seeds(NamedTuple):
    """What is random in each start: the columns it begins with, and the groups they stand for."""

    columns: np.ndarray
    groups: np.ndarray

    def take(self, rows):
        """Return some of the seeds."""
        return Seeds(self.columns[rows], self.groups[rows])


class Partitions(NamedTuple):
    """Where the alternation ended."""

    # (n_partitions, n_features): group of each feature: its class, or `n_classes` if it is not
    # used.
    labels: np.ndarray
    is_void: np.ndarray  # (n_partitions,): whether a class lost its last feature
    objectives: np.ndarray  # (n_partitions,): value of J; NaN if void


def draw_seeds(n_features, n_groups, n_starts, seed):
    """Draw what is random; more starts begin with the same ones.

    Groups are as many as classes, and one more where features may be left out.
    """
    rng = np.random.RandomState(seed)
    drawn = [
        (rng.choice(n_features, n_groups, replace=False), rng.permutation(n_groups))
        for _ in range(n_starts)
    ]
    return Seeds(*map(np.array, zip(*drawn, strict=True)))


@with_limited_blas(lambda products, *_: products.shape)
def cluster_columns(products, seeds):
    """Cluster the columns by k-means from each seed; give the clusters to the groups at random.

    Up to a thousand features the clusters are such that moving a single one raises the sum of
    squares; for more, they are those of Lloyd. Returns the groups, (n_starts, n_features).
    """
    n_starts, n_groups = seeds.columns.shape
    n_features = products.squares.shape[1]
    labels = np.full((n_starts, n_features), -1, dtype=np.int16)
    np.put_along_axis(labels, seeds.columns, np.arange(n_groups, dtype=np.int16)[None], axis=1)
    all_samples = np.full(n_groups, -1)
    ones = np.ones(n_starts)
    labels, _ = assign(products, all_samples, labels, ones)
    if n_features <= _MOST_FEATURES_TO_MOVE:
        for partition in labels:
            _loops.move_features(products.gram, partition, n_groups, _MOST_STEPS, _ROUNDING)
    else:
        labels = _assign_until_stable(products, all_samples, labels, ones, n_needed=0).labels
    return np.take_along_axis(seeds.groups.astype(np.int16), labels.astype(int), axis=1)


@with_limited_blas(lambda products, *_: products.shape)
def alternate(products, labels, baseline_weights, c=None):
    """Alternate between centers and groups from each partition until it repeats.

    `baseline_weights` multiply the distances to the center of the unused group of each partition;
    infinite if there is no such group. The groups are those of all classes, or of class `c` alone.
    """
    classes = np.arange(len(products.squares) - 1) if c is None else np.array([c])
    samples = np.append(classes, -1) if np.isfinite(baseline_weights).any() else classes
    with np.errstate(over="ignore"):  # above all distances is as good as infinite
        weights = np.square(baseline_weights)
    return _assign_until_stable(products, samples, labels, weights, classes.size)


def _assign_until_stable(products, samples, labels, weights, n_needed):
    """Assign until partitions repeat; void if one of the first `n_needed` groups is lost."""
    labels = labels.copy()
    is_void = _lacks_a_group(labels, n_needed)
    objectives = np.full(len(labels), np.nan)
    active = np.flatnonzero(~is_void)
    for _ in range(_MOST_STEPS):
        if not active.size:
            break
        old = labels[active]
        new, objectives[active] = assign(products, samples, old, weights[active])
        labels[active] = new
        is_void[active] = _lacks_a_group(new, n_needed)
        active = active[(new != old).any(axis=1) & ~is_void[active]]
    return Partitions(labels, is_void, np.where(is_void, np.nan, objectives))


def _lacks_a_group(labels, n_groups):
    is_void = np.zeros(len(labels), dtype=bool)
    for group in range(n_groups):
        is_void |= ~(labels == group).any(axis=1)
    return is_void


def assign(products, samples, labels, weights):
    """Put every feature in the group of the nearest center, the first of equal ones.

    Group g is looked at on the samples of class `samples[g]`, or on all if that is -1; `weights`
    (n_partitions,) multiply squared distances of the last group if so. `labels` are the present
    groups, -1 for none. Returns the new ones and the sums of squares to the present centers.
    """
    labels = labels.T
    nearest = np.full(labels.shape, np.inf)
    new = np.zeros(labels.shape, dtype=np.int16)
    for group, c in enumerate(samples):
        members = (labels == group).astype(float)
        sizes = members.sum(axis=0)
        distances = products.multiply(c, members)
        squares = products.squares[c][:, None]
        with np.errstate(divide="ignore", invalid="ignore"):  # an empty group is nobody's nearest
            own = np.einsum("ij,ij->j", members, distances) / sizes**2
            distances *= -2.0 / sizes
            distances += squares + own
            np.maximum(distances, 0.0, out=distances)
            if c < 0 <= samples[0]:
                distances *= weights
        is_nearer = distances < nearest - _ROUNDING * squares
        np.copyto(nearest, distances, where=is_nearer)
        np.copyto(new, np.int16(group), where=is_nearer)
    return np.ascontiguousarray(new.T), nearest.sum(axis=0)
