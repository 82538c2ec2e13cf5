"""Recursive elimination by ridge regression, with every problem solved anew."""

import numpy as np


def ridge(X, targets, alpha):
    """Coefficients and optimum, from the problem with the penalty as further rows."""
    n_features = X.shape[1]
    rows = np.vstack([X, np.sqrt(alpha) * np.eye(n_features)])
    right = np.vstack([targets, np.zeros((n_features, targets.shape[1]))])
    coefficients = np.linalg.lstsq(rows, right, rcond=None)[0]
    return coefficients, ((right - rows @ coefficients) ** 2).sum()


def recursive_ridge(X, y, alpha, one_by_one=64):
    """Ranking of all features: halved down to some, then one by one."""
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    labels = np.unique(y)
    targets = np.array([(y == label) / np.sqrt(np.mean(y == label)) for label in labels]).T
    targets = targets - targets.mean(axis=0)
    alpha = alpha * len(y)
    kept, ranking = list(range(X.shape[1])), []
    while len(kept) > one_by_one:
        coefficients, _ = ridge(X[:, kept], targets, alpha)
        order = np.argsort(-(coefficients**2).sum(axis=1), kind="stable")
        n_next = max(one_by_one, (len(kept) + 1) // 2)
        ranking = [kept[place] for place in order[n_next:]] + ranking
        kept = sorted(kept[place] for place in order[:n_next])
    while len(kept) > 1:
        share = alpha * min(1.0, len(kept) / one_by_one)
        optima = [
            ridge(X[:, [other for other in kept if other != column]], targets, share)[1]
            for column in kept
        ]
        ranking.insert(0, kept.pop(int(np.argmin(optima))))
    return kept + ranking
