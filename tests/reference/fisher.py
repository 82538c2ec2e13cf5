"""Whitening, Fisher axes and discriminants with features-by-features matrices."""

from typing import NamedTuple

import numpy as np

from . import thresholds


class Spectrum(NamedTuple):
    axes: np.ndarray
    values: np.ndarray


class Model(NamedTuple):
    W: np.ndarray
    w: np.ndarray
    mean: np.ndarray
    means: np.ndarray
    counts: np.ndarray
    threshold: float
    n_components: int


class Discriminants(NamedTuple):
    coef: np.ndarray
    intercept: np.ndarray

    def scores(self, X):
        return X @ self.coef.T + self.intercept


def ones_or(weights, X):
    return np.ones(len(X)) if weights is None else np.asarray(weights, dtype=float)


def cosine(a, b):
    """Of the angle between two vectors, whatever their shape and length."""
    a, b = np.ravel(a), np.ravel(b)
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


def overall_mean(X, weights=None):
    return np.average(X, axis=0, weights=ones_or(weights, X))


def class_means(X, codes, weights=None):
    weights = ones_or(weights, X)
    return np.array(
        [
            np.average(X[codes == c], axis=0, weights=weights[codes == c])
            for c in range(codes.max() + 1)
        ]
    )


def class_counts(codes, weights=None):
    return np.array([ones_or(weights, codes)[codes == c].sum() for c in range(codes.max() + 1)])


def deviations(X, codes, scatter="total", weights=None):
    """Rows minus the mean of all samples, or minus that of their class.

    Twice, because the first mean of large values is rounded.
    """
    for _ in range(2):
        if scatter == "total":
            X = X - overall_mean(X, weights)
        else:
            X = X - class_means(X, codes, weights)[codes]
    return X


def spectrum(X, codes, scatter="total", weights=None):
    """Principal axes and singular values of the deviations, without those that are rounding."""
    rows = deviations(X, codes, scatter, weights) * np.sqrt(ones_or(weights, X))[:, None]
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    is_real = values > values[0] * max(X.shape) * np.finfo(float).eps
    return Spectrum(axes[is_real].T, values[is_real])


def n_components(rule, found, n_samples):
    """How many axes a number, a share of the variance or "log2" stands for."""
    n_features, rank = found.axes.shape
    if rule == "log2":
        return min(int(np.log2(n_samples) ** 2), n_features, rank)
    if isinstance(rule, float):
        if rule == 1.0:
            return rank
        variances = found.values**2
        for d in range(1, rank + 1):
            if variances[:d].sum() >= rule * variances.sum():
                return d
        return rank
    return min(rule, rank)


def whitener(kind, found, d, n_samples):
    """The matrix W: eq. (3.15), (3.23) or the one above (4.7)."""
    n_features, rank = found.axes.shape
    if kind == "truncated":
        W = np.eye(n_features)
        for k in range(d):
            u = found.axes[:, k]
            W += (found.values[d - 1] / found.values[k] - 1.0) * np.outer(u, u)
        return W
    W = np.zeros((n_features, n_features))
    for k in range(rank if kind == "full" else d):
        u = found.axes[:, k]
        W += np.sqrt(n_samples) / found.values[k] * np.outer(u, u)
    return W


DEFAULT_RULES = {"truncated": "log2", "variance": 0.99, "full": 1.0}


def fit(
    X,
    codes,
    kind="truncated",
    rule=None,
    scatter="total",
    threshold="inclusive",
    balance=0.99,
    weights=None,
):
    """Two classes, 1 being A: direction w = W F and the threshold on w.(x - mean)."""
    n_samples = ones_or(weights, X).sum()
    found = spectrum(X, codes, scatter, weights)
    d = n_components(DEFAULT_RULES[kind] if rule is None else rule, found, n_samples)
    W = whitener(kind, found, d, n_samples)
    mean, means = overall_mean(X, weights), class_means(X, codes, weights)
    w = direction(W, means[1] - means[0])
    values = (X - mean) @ w
    gamma = thresholds.threshold(threshold, values, codes == 1, weights, balance)
    return Model(W, w, mean, means, class_counts(codes, weights), gamma, d)


def direction(W, difference):
    """Eqs. (3.14) and (3.16)."""
    whitened = W @ difference
    return W @ whitened / np.linalg.norm(whitened)


def log_odds(model, X, codes, new, weights=None):
    """Log-odds of A of two Gaussians of the pooled spread, moved so that 0 is at the threshold."""
    weights = ones_or(weights, X)
    values = (X - model.mean) @ model.w
    centers = (model.means - model.mean) @ model.w
    pooled = np.average((values - centers[codes]) ** 2, weights=weights)
    return ((new - model.mean) @ model.w - model.threshold) * (centers[1] - centers[0]) / pooled


# ------------------------------------------------------------------ peers of the direction


def pseudo_inverse(S, n_samples):
    values, axes = np.linalg.eigh(S)
    is_real = values > values.max() * max(n_samples, len(S)) * np.finfo(float).eps
    return (axes[:, is_real] / values[is_real]) @ axes[:, is_real].T


def flda(X, codes):
    """Fisher's direction: pseudo-inverse of the within-class covariance times the difference."""
    rows = deviations(X, codes, "within")
    means = class_means(X, codes)
    return pseudo_inverse(rows.T @ rows / len(X), len(X)) @ (means[1] - means[0])


def pca_flda(X, codes, d):
    """Fisher's direction among the first d principal components of all samples."""
    axes = spectrum(X, codes).axes[:, :d]
    return axes @ flda((X - overall_mean(X)) @ axes, codes)


def least_squares(X, codes):
    """Direction of the shortest solution of least squares on the labels."""
    return np.linalg.lstsq(X - overall_mean(X), codes - codes.mean(), rcond=1e-12)[0]


# ------------------------------------------------------------------ more than two classes


def gram_schmidt(vectors):
    """Orthonormal columns that span the vectors, in their order."""
    basis = []
    longest = max(np.linalg.norm(v) for v in vectors)
    for vector in vectors:
        left = np.array(vector, dtype=float)
        for _ in range(2):
            for q in basis:
                left = left - (q @ left) * q
        if np.linalg.norm(left) > 1e-9 * longest:
            basis.append(left / np.linalg.norm(left))
    return np.array(basis).T


def fisher_axes(W, mean, means, dropped=0):
    """T = W Q with Q from the whitened class means, one class left out."""
    kept = [c for c in range(len(means)) if c != dropped]
    return W @ gram_schmidt([W @ (means[c] - mean) for c in kept])


def subspace(X, codes, kind="truncated", rule=None, scatter="total", weights=None, dropped=0):
    """Fisher axes of the data."""
    n_samples = ones_or(weights, X).sum()
    found = spectrum(X, codes, scatter, weights)
    d = n_components(DEFAULT_RULES[kind] if rule is None else rule, found, n_samples)
    W = whitener(kind, found, d, n_samples)
    return fisher_axes(W, overall_mean(X, weights), class_means(X, codes, weights), dropped)


def flda_axes(X, codes):
    """Directions that span the subspace of Fisher's discriminant analysis."""
    rows = deviations(X, codes, "within")
    inverse = pseudo_inverse(rows.T @ rows / len(X), len(X))
    return inverse @ (class_means(X, codes) - overall_mean(X))[1:].T


def discriminants(X, codes, axes, priors, weights=None):
    """Linear discriminants of Gaussians with one covariance, in the coordinates of the axes."""
    weights = ones_or(weights, X)
    mean = overall_mean(X, weights)
    Z = (X - mean) @ axes
    centers = class_means(Z, codes, weights)
    left = Z - centers[codes]
    precision = np.linalg.inv((left * weights[:, None]).T @ left / weights.sum())
    coef = np.array([axes @ precision @ center for center in centers])
    constants = [np.log(p) - 0.5 * m @ precision @ m for p, m in zip(priors, centers, strict=True)]
    return Discriminants(coef, np.array(constants) - coef @ mean)


# ------------------------------------------------------------------ parts


def merged_mean(means, counts):
    return sum(n * m for n, m in zip(counts, means, strict=True)) / sum(counts)


def merged_covariance(covariances, means, counts):
    """Covariance of all parts together, by the sum over pairs of parts."""
    total = sum(counts)
    merged = sum(n * S for n, S in zip(counts, covariances, strict=True)) / total
    for m in range(len(counts)):
        for l in range(m + 1, len(counts)):
            gap = means[m] - means[l]
            merged = merged + counts[m] * counts[l] / total**2 * np.outer(gap, gap)
    return merged


def merged_model(parts):
    """Model of several `Model`s with full whitening: corrected means, averaged thresholds."""
    counts = [part.counts.sum() for part in parts]
    inverses = [np.linalg.pinv(part.W, rcond=1e-9) for part in parts]
    mean = merged_mean([part.mean for part in parts], counts)
    covariance = merged_covariance(
        [inverse @ inverse for inverse in inverses], [part.mean for part in parts], counts
    )
    values, axes = np.linalg.eigh(covariance)
    is_real = values > values.max() * 1e-12
    W = (axes[:, is_real] / np.sqrt(values[is_real])) @ axes[:, is_real].T

    class_count = sum(part.counts for part in parts)
    whitened = []
    for c in range(2):
        back = sum(
            part.counts[c] * (inverse @ (part.W @ (part.means[c] - part.mean)) + part.mean)
            for part, inverse in zip(parts, inverses, strict=True)
        )
        whitened.append(W @ (back / class_count[c] - mean))
    F = (whitened[1] - whitened[0]) / np.linalg.norm(whitened[1] - whitened[0])
    w = W @ F

    points = []
    for part, inverse in zip(parts, inverses, strict=True):
        F_part = part.W @ (part.means[1] - part.means[0])
        F_part = F_part / np.linalg.norm(F_part)
        points.append(part.threshold * inverse @ F_part + part.mean)
    gamma = w @ (merged_mean(points, counts) - mean)
    means = np.array(
        [
            merged_mean([part.means[c] for part in parts], [p.counts[c] for p in parts])
            for c in (0, 1)
        ]
    )
    return Model(W, w, mean, means, class_count, gamma, int(is_real.sum()))
