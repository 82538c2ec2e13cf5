"""The selectors against one product of the data, and against skrebate where it is installed."""

import warnings
from importlib.util import find_spec

import numpy as np
from scipy import sparse

from centroidal import L21CentroidSelector, LinearCentroidEncoder, ReliefFSelector
from centroidal.datasets import make_expression

from ._measure import measure, seconds

__all__ = ["CASES"]


def l21(n_jobs):
    """Yield l2,1 selection on tables of the papers' sizes: at most 100 products of the samples."""
    del n_jobs
    for n_samples, n_features, n_classes, target in ((72, 7129, 2, 100.0), (50, 4434, 4, None)):
        X, y = _expression(n_samples, n_features, n_classes)
        for targets in ("centroids", "classes"):
            model = L21CentroidSelector(targets=targets).fit(X, y)
            yield {
                "case": f"l2,1 selection of {targets}, {n_samples} x {n_features}, "
                f"{n_classes} classes, alpha 0.1",
                "ours": measure(lambda model=model, X=X, y=y: model.fit(X, y)),
                "limit": ("X @ X.T", measure(lambda X=X: X @ X.T, 20), target),
                "note": f"relative gap {model.dual_gap_ / model.objective_:.1e}, "
                f"{np.count_nonzero(model.scores_)} features, {model.n_iter_} steps",
            }


def linear_encoder(n_jobs):
    """Fit the linear centroid-encoder in two steps, and alternating."""
    del n_jobs
    X, y = _expression(72, 7129, 2)
    for training in ("two_step", "alternating"):
        model = LinearCentroidEncoder(training=training).fit(X, y)
        yield {
            "case": f"linear centroid-encoder, {training}, 72 x 7129",
            "ours": measure(lambda model=model: model.fit(X, y)),
            "limit": ("X @ X.T", measure(lambda: X @ X.T, 20), None),
            "note": f"{np.count_nonzero(model.scores_)} features, {model.n_iter_} rounds",
        }


def relief(n_jobs):
    """Score 10000 features of 100 samples: 300 times faster than skrebate."""
    X, y = _expression(100, 10_000, 2)
    ours = ReliefFSelector(n_jobs=n_jobs)
    result = {
        "case": "ReliefF, 100 x 10000, 10 neighbours",
        "ours": measure(lambda: ours.fit(X, y)),
        "limit": ("X @ X.T", measure(lambda: X @ X.T, 20), None),
    }
    if find_spec("skrebate"):
        result["peer"] = ("skrebate ReliefF.fit", seconds(lambda: _skrebate(X, y)), 300.0)
    else:
        result["note"] = "skrebate is not installed"
    return result


def sparse_relief(n_jobs):
    """Score 100000 sparse features, of which no dense copy is made."""
    rng = np.random.default_rng(0)
    X = sparse.random(2000, 100_000, density=0.005, format="csr", random_state=rng)
    y = rng.integers(0, 2, 2000)
    ours = ReliefFSelector(n_jobs=n_jobs)
    dense_mb = X.shape[0] * X.shape[1] * 8 / 2**20
    return {
        "case": "ReliefF, sparse 2000 x 100000, 0.5 % filled",
        "ours": measure(lambda: ours.fit(X, y), 2),
        "limit": ("X @ X.T", measure(lambda: X @ X.T, 2), None),
        "memory_target_mb": dense_mb / 4,
        "note": f"a dense copy would take {dense_mb:.0f} MB",
    }


CASES = [l21, linear_encoder, relief, sparse_relief]


def _expression(n_samples, n_features, n_classes):
    made = make_expression(n_samples, n_features, n_classes=n_classes, random_state=0)
    return made.data, made.target


def _skrebate(X, y):
    from skrebate import ReliefF

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ReliefF(n_neighbors=10, categorical_features=[]).fit(X, y)
