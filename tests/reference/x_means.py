"""How good a clustering is, and which clusters are one."""

import numpy as np
from scipy.stats import chi2


def bic(X, labels):
    """Log-likelihood of spherical clusters of one variance, minus half of parameters times log."""
    n, n_features = X.shape
    kinds = np.unique(labels)
    k = len(kinds)
    centers = {c: X[labels == c].mean(axis=0) for c in kinds}
    squares = sum(((x - centers[c]) ** 2).sum() for x, c in zip(X, labels, strict=True))
    variance = squares / (n_features * (n - k))
    likelihood = 0.0
    for x, c in zip(X, labels, strict=True):
        share = (labels == c).sum() / n
        likelihood += np.log(share) - 0.5 * n_features * np.log(2 * np.pi * variance)
        likelihood -= 0.5 * ((x - centers[c]) ** 2).sum() / variance
    return likelihood - 0.5 * k * (n_features + 1) * np.log(n)


def is_inside(mean, covariance, point, rule):
    """Whether a point is within three standard deviations of a Gaussian, or in its 99.7 %."""
    gap = point - mean
    if rule == "chi2":
        return gap @ np.linalg.solve(covariance, gap) <= chi2.ppf(0.997, len(gap))
    length = np.linalg.norm(gap)
    if length == 0.0:
        return True
    along = gap / length
    return length <= 3.0 * np.sqrt(along @ covariance @ along)


def merged(counts, means, covariances, rule):
    """Merge the first pair one of which is inside the other, again and again."""
    counts, means, covariances = list(counts), list(means), list(covariances)
    groups = [[k] for k in range(len(counts))]
    while (pair := _first_pair(means, covariances, rule)) is not None:
        i, j = pair
        total = counts[i] + counts[j]
        mean = (counts[i] * means[i] + counts[j] * means[j]) / total
        covariance = sum(
            counts[k] / total * (covariances[k] + np.outer(means[k] - mean, means[k] - mean))
            for k in (i, j)
        )
        counts[i], means[i], covariances[i] = total, mean, covariance
        groups[i] = sorted(groups[i] + groups[j])
        for parts in (counts, means, covariances, groups):
            del parts[j]
    return groups


def reclustered(X, labels, reg_covar):
    """Most likely Gaussian of each sample; a share of the mean variance inside is added to all."""
    kinds = np.unique(labels)
    inside = [X[labels == c] - X[labels == c].mean(axis=0) for c in kinds]
    ridge = reg_covar * np.mean(np.vstack(inside) ** 2)
    likely = np.empty((len(X), len(kinds)))
    for k, c in enumerate(kinds):
        covariance = inside[k].T @ inside[k] / len(inside[k]) + ridge * np.eye(X.shape[1])
        gaps = X - X[labels == c].mean(axis=0)
        squares = np.einsum("ij,ij->i", gaps @ np.linalg.inv(covariance), gaps)
        share = len(inside[k]) / len(X)
        likely[:, k] = np.log(share) - 0.5 * (squares + np.linalg.slogdet(covariance)[1])
    return likely.argmax(axis=1)


def _first_pair(means, covariances, rule):
    for i in range(len(means)):
        for j in range(i + 1, len(means)):
            if is_inside(means[i], covariances[i], means[j], rule):
                return i, j
            if is_inside(means[j], covariances[j], means[i], rule):
                return i, j
    return None
