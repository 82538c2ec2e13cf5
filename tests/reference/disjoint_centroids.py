"""Groups of features for the classes, one restart after the other, from distances of columns.

The group of features that are not used has the number `n_classes`.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

TIE = 1e-12  # a smaller relative difference is none


class Run(NamedTuple):
    labels: np.ndarray
    is_void: bool
    objective: float


def distances_to(center, X, weights):
    """Weighted mean of the squared differences of each column of `X` to a center."""
    return weights @ (X - center[:, None]) ** 2 / weights.sum()


def first_smallest(values):
    """Position of the smallest value, the first of equal ones; NaN is never the smallest."""
    values = np.asarray(values, dtype=float)
    known = values[np.isfinite(values)]
    # Squares of rounding, where the smallest is zero.
    slack = TIE * known.min() + TIE**2 * known.max()
    return int(np.flatnonzero(values <= known.min() + slack)[0])


# ------------------------------------------------------------------ k-means on the columns


def sum_of_squares(X, labels, weights=None):
    """What k-means minimises: distances of the columns to the mean of their cluster."""
    weights = np.ones(len(X)) if weights is None else weights
    total = 0.0
    for cluster in set(labels.tolist()):
        own = X[:, labels == cluster]
        total += distances_to(own.mean(axis=1), own, weights).sum()
    return total


def nearest_clusters(X, centers, weights):
    """Cluster of the nearest center for every column; a center of NaN has no columns."""
    distances = np.array([distances_to(center, X, weights) for center in centers])
    return np.array([first_smallest(of_column) for of_column in distances.T])


def cluster_centers(X, labels, n_clusters):
    """Mean of the columns of each cluster, NaN if it has none."""
    nothing = np.full(len(X), np.nan)
    found = [labels == cluster for cluster in range(n_clusters)]
    return [X[:, own].mean(axis=1) if own.any() else nothing for own in found]


def lloyd(X, seeds, weights=None):
    """All columns to the nearest center, again and again until nothing changes."""
    weights = np.ones(len(X)) if weights is None else weights
    labels = nearest_clusters(X, [X[:, i] for i in seeds], weights)
    for _ in range(300):
        old = labels
        labels = nearest_clusters(X, cluster_centers(X, labels, len(seeds)), weights)
        if (labels == old).all():
            break
    return labels


def single_moves(X, labels, i, n_clusters, weights=None):
    """Sum of squares with column `i` in each cluster; infinite for an empty one."""
    sums = np.full(n_clusters, np.inf)
    for cluster in set(labels.tolist()):
        moved = labels.copy()
        moved[i] = cluster
        sums[cluster] = sum_of_squares(X, moved, weights)
    return sums


def hartigan(X, seeds, weights=None):
    """Columns one by one to the best cluster, in order, until no single move pays.

    A cluster keeps its last column.
    """
    weights = np.ones(len(X)) if weights is None else weights
    labels = nearest_clusters(X, [X[:, i] for i in seeds], weights)
    for _ in range(300):
        has_moved = False
        for i in range(X.shape[1]):
            if (labels == labels[i]).sum() == 1:
                continue
            sums = single_moves(X, labels, i, len(seeds), weights)
            if sums.min() < sums[labels[i]] * (1.0 - TIE):
                labels[i] = first_smallest(sums)
                has_moved = True
        if not has_moved:
            break
    return labels


# ------------------------------------------------------------------ the alternation


def group_centers(X, codes, labels, n_classes):
    """Mean of the columns of each group, on the samples of its class; of the unused, on all."""
    centers = []
    for j in range(n_classes + 1):
        rows = X if j == n_classes else X[codes == j]
        own = labels == j
        centers.append(rows[:, own].mean(axis=1) if own.any() else None)
    return centers


def group_costs(X, codes, centers, baseline_weight, weights=None):
    """Distance of each column to each center, on the samples of the class; NaN if there is none.

    That to the center of the unused group counts lambda squared times.
    """
    weights = np.ones(len(X)) if weights is None else weights
    costs = np.full((X.shape[1], len(centers)), np.nan)
    for j, center in enumerate(centers[:-1]):
        if center is not None:
            costs[:, j] = distances_to(center, X[codes == j], weights[codes == j])
    if centers[-1] is not None and np.isfinite(baseline_weight):
        costs[:, -1] = baseline_weight**2 * distances_to(centers[-1], X, weights)
    return costs


def alternate_alone(X, codes, own, c, baseline_weight, weights=None):
    """Two-way clustering of one class: the features it has, and those it has not.

    Returns the mask of those it has and what all features pay; None if it has none left.
    """
    weights = np.ones(len(X)) if weights is None else weights
    of_class, old = codes == c, None
    while old is None or (own != old).any():
        if not own.any():
            return None
        center = X[of_class][:, own].mean(axis=1)
        inside = distances_to(center, X[of_class], weights[of_class])
        outside = np.full(own.size, np.inf)
        if not own.all() and np.isfinite(baseline_weight):
            baseline = X[:, ~own].mean(axis=1)
            outside = baseline_weight**2 * distances_to(baseline, X, weights)
        old, own = own, inside <= outside * (1.0 + TIE)
    return own, np.where(own, inside, outside).sum()


def alternate_by_sums(X, codes, labels, n_classes, baseline_weight, weights=None):
    """One restart in the Euclidean norm: a group pays for each sample, not for their mean.

    What it pays is divided by the weight of all samples, so that it has the unit of a mean.
    """
    weights = np.ones(len(X)) if weights is None else weights
    shares = [weights[codes == j].sum() / weights.sum() for j in range(n_classes)] + [1.0]
    labels = np.array(labels)
    while not lacks_a_class(labels, n_classes):
        centers = group_centers(X, codes, labels, n_classes)
        costs = shares * group_costs(X, codes, centers, baseline_weight, weights)
        new = np.array([first_smallest(of_feature) for of_feature in costs])
        if (new == labels).all():
            return Run(labels, False, sum(costs[i, j] for i, j in enumerate(labels)))
        labels = new
    return Run(labels, True, np.nan)


def objective(X, codes, labels, n_classes, baseline_weight, weights=None):
    """J: what the features pay in their groups, with the best centers."""
    centers = group_centers(X, codes, labels, n_classes)
    costs = group_costs(X, codes, centers, baseline_weight, weights)
    return sum(costs[i, j] for i, j in enumerate(labels))


def lacks_a_class(labels, n_classes):
    return any(j not in labels for j in range(n_classes))


def alternate(X, codes, labels, n_classes, baseline_weight, weights=None, max_steps=300):
    """One restart: centers, then groups, until the partition repeats or a class has none."""
    labels = np.array(labels)
    for _ in range(max_steps):
        if lacks_a_class(labels, n_classes):
            break
        old = labels
        centers = group_centers(X, codes, old, n_classes)
        costs = group_costs(X, codes, centers, baseline_weight, weights)
        labels = np.array([first_smallest(of_feature) for of_feature in costs])
        if (labels == old).all():
            break
    if lacks_a_class(labels, n_classes):
        return Run(labels, True, np.nan)
    return Run(labels, False, objective(X, codes, labels, n_classes, baseline_weight, weights))


# ------------------------------------------------------------------ the classifier


def group_distances(X, centers, groups, scale=None):
    """Mean over the features of each class of the squared deviation from its center."""
    scale = np.ones(X.shape[1]) if scale is None else scale
    found = np.empty((len(X), len(groups)))
    for s, x in enumerate(X):
        for j, group in enumerate(groups):
            found[s, j] = np.mean(
                [((x[i] - centers[j, i]) / scale[i]) ** 2 for i in np.flatnonzero(group)]
            )
    return found


def predict(X, centers, groups, scale=None):
    """Class of the smallest distance; the first of equal ones."""
    return np.array([first_smallest(row) for row in group_distances(X, centers, groups, scale)])


def training_error(X, codes, weights, centers, groups, scale=None):
    """Weight of the samples that count and are wrong, relative to all that count."""
    wrong = total = 0.0
    for predicted, code, weight in zip(
        predict(X, centers, groups, scale), codes, weights, strict=True
    ):
        if code >= 0:
            total += weight
            wrong += weight * (predicted != code)
    return wrong / total


# ------------------------------------------------------------------ the margin rule


def margin_ratios(X, codes, n_classes, weights=None):
    """What a class pays at its own mean over what the other classes pay there on average.

    A class without any spread is taken to vary like the others do on average; 0 / 0 is 1.
    """
    weights = np.ones(len(X)) if weights is None else weights
    n_features = X.shape[1]
    ratios = np.full((n_classes, n_features), np.inf)
    means, variances = {}, {}
    for j in range(n_classes):
        rows = (codes == j) & (weights > 0)
        if rows.any():
            own, shares = X[rows], weights[rows] / weights[rows].sum()
            is_constant = (own == own[0]).all(axis=0)
            means[j] = np.where(is_constant, own[0], shares @ own)
            variances[j] = shares @ (own - means[j]) ** 2
    steady = [j for j in variances if not variances[j].any()]
    varying = [variances[j] for j in variances if j not in steady]
    for j in steady if varying else []:
        variances[j] = np.mean(varying, axis=0)
    for j in means:
        others = [h for h in means if h != j]
        for i in range(n_features):
            own = variances[j][i]
            paid = [variances[h][i] + (means[h][i] - means[j][i]) ** 2 for h in others]
            paid = sum(paid) / max(len(others), 1)
            if paid > 0:
                ratios[j, i] = own / paid
            else:
                ratios[j, i] = np.inf if own > 0 else 1.0
    return ratios


def margin_groups(ratios, baseline_weight, disjoint):
    """Features whose ratio is below lambda squared; an empty group takes what costs least."""
    n_classes, n_features = ratios.shape
    limit = baseline_weight**2
    groups = [set() for _ in range(n_classes)]
    for i in range(n_features):
        for j in range(n_classes):
            is_best = j == int(np.argmin(ratios[:, i]))
            if (is_best or not disjoint) and (ratios[j, i] < limit or np.isinf(limit)):
                groups[j].add(i)
    for j in range(n_classes):
        if not groups[j]:
            _take_the_least_regret(groups, j, ratios, limit, disjoint)
    return np.array([[i in group for i in range(n_features)] for group in groups])


def _take_the_least_regret(groups, j, ratios, limit, disjoint):
    """What a feature costs more in class `j` than where it is best; never the last of a group."""
    regrets = {}
    for i in range(ratios.shape[1]):
        if disjoint and {i} in groups:
            continue
        present = min(ratios[:, i].min(), limit) if disjoint else 0.0
        is_equal = ratios[j, i] == present  # also if both are infinite
        regrets[i] = 0.0 if is_equal else ratios[j, i] - present
    chosen = min(regrets, key=lambda i: (regrets[i], i))
    if disjoint:
        for group in groups:
            group.discard(chosen)
    groups[j].add(chosen)


def margin_objective(ratios, baseline_weight, disjoint):
    """Sum of the ratios, of the best class only if disjoint; lambda squared where none is below."""
    limit = baseline_weight**2
    total = 0.0
    for of_feature in ratios.T:
        counted = [of_feature.min()] if disjoint else of_feature
        total += sum(min(ratio, limit) for ratio in counted)
    return total


# ------------------------------------------------------------------ slopes


def penalised_loss(slope, distances, codes, weights):
    """Loss of a logistic regression on the standardised distances, with half the squared slope."""
    loss = 0.5 * (slope * distance_unit(distances, weights)) ** 2
    for row, code, weight in zip(distances, codes, weights, strict=True):
        scores = -slope * (row - row.min())
        loss -= weight * (scores[code] - np.log(np.exp(scores).sum()))
    return loss


def distance_unit(distances, weights):
    """Root mean square of the distances around the mean of their sample."""
    total = 0.0
    for row, weight in zip(distances, weights, strict=True):
        total += weight * np.mean((row - row.mean()) ** 2)
    return np.sqrt(total / weights.sum())


def slope(distances, codes, weights):
    """Slope of the lowest loss that is not negative, by search."""
    unit = distance_unit(distances, weights)
    if unit == 0.0:
        return 0.0
    found = minimize_scalar(
        lambda steep: penalised_loss(steep / unit, distances, codes, weights),
        bounds=(0.0, 100.0),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return found.x / unit
