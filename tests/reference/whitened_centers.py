"""Mahalanobis distances to class means, from matrices that are written out and inverted."""

import numpy as np


def analytic_share(Z):
    """The share of Schäfer and Strimmer (2005) for standardised residuals, pair by pair."""
    n, n_features = len(Z), Z.shape[1]
    variances = squares = 0.0
    for i in range(n_features):
        for j in range(n_features):
            if i != j:
                products = Z[:, i] * Z[:, j]
                variances += products.var() / (n - 1)
                squares += products.mean() ** 2
    return min(1.0, variances / squares) if squares > 0 else 1.0


def whitened_centers(X, y, new, shrinkage, ranking, size, covariance="within"):
    """Log-probabilities of the classes of new samples, up to a number for each, and the share."""
    columns = list(ranking[:size])
    X, new = X[:, columns], new[:, columns]
    means = np.array([X[y == label].mean(axis=0) for label in np.unique(y)])
    if not isinstance(covariance, str):
        share = 0.0 if isinstance(shrinkage, str) else shrinkage
        return class_scores(new, means, shrink(covariance[np.ix_(columns, columns)], share)), share
    residuals = X - means[np.searchsorted(np.unique(y), y)]
    n_means = len(means)
    if covariance == "total":
        residuals, n_means = X - X.mean(axis=0), 1
    spreads = residuals.std(axis=0)
    spreads[spreads == 0] = 1.0
    share = shrinkage
    if shrinkage in ("auto", "analytic"):
        share = analytic_share(residuals / spreads)
    if shrinkage == "auto":
        odds = 10 * share / (1 - share) if share < 1 else np.inf
        share = odds / (1 + odds) if odds < np.inf else 1.0
    correlations = (residuals / spreads).T @ (residuals / spreads) / len(y)
    np.fill_diagonal(correlations, 1.0)
    shrunk = (1 - share) * correlations + share * np.eye(size)
    covariance = shrunk * np.outer(spreads, spreads) * len(y) / (len(y) - n_means)
    return class_scores(new, means, covariance), share


def shrink(covariance, share):
    """A covariance whose entries beside the diagonal are smaller by a share."""
    return (1 - share) * covariance + share * np.diag(np.diag(covariance))


def class_scores(new, means, covariance):
    """Half the negative squared distance of samples from class means, one by one."""
    inverse = np.linalg.inv(covariance)
    return np.array([[-(x - mean) @ inverse @ (x - mean) / 2 for mean in means] for x in new])
