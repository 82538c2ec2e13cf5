"""The selectors against one product of the data, and against other packages where installed.

Peers are skrebate, fast-select and skfeature-chappers. RFS of the last one takes many minutes, so
that case is slow where it is installed.
"""

import warnings
from functools import partial
from importlib.util import find_spec

import numpy as np
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC

from centroidal import (
    L21CentroidSelector,
    LinearCentroidEncoder,
    RecursiveRidgeSelector,
    ReliefFSelector,
    WhitenedCenterClassifier,
)
from centroidal._data import check_labelled
from centroidal.datasets import make_expression
from centroidal.model_selection import select_features
from centroidal.model_selection.methods import BEST, best_candidates, selection_methods

from ._measure import Measured, cpu_seconds, measure, peak_memory, seconds

__all__ = ["CASES"]


def l21(n_jobs):
    """Yield l2,1 selection on tables of the papers' sizes: at most 100 products of the samples."""
    del n_jobs
    shapes = (
        (72, 7129, 2, 100.0),
        (50, 4434, 4, None),
        (200, 5000, 6, None),
        (190, 1363, 14, None),
    )
    for n_samples, n_features, n_classes, target in shapes:
        X, y = _expression(n_samples, n_features, n_classes)
        for targets in ("centroids", "classes"):
            model = L21CentroidSelector(targets=targets).fit(X, y)
            case = f"l2,1 selection of {targets}, {n_samples} x {n_features}, {n_classes} classes"
            yield _beside_product(f"{case}, alpha 0.1", model, X, y, target) | {
                "note": f"relative gap {model.dual_gap_ / model.objective_:.1e}, "
                f"{np.count_nonzero(model.scores_)} features, {model.n_iter_} steps",
            }


def every_method(n_jobs):
    """Select by each method from 200 x 20000: at most 10 times as long as l2; best, twice."""
    del n_jobs
    X, y = _expression(200, 20_000, 2)
    base, taken = min(_selection_seconds(X, y, "l2")), {}
    for key in selection_methods():
        first, *others = _selection_seconds(X, y, key)
        taken[key] = min(others)
        yield {
            "case": f"select by {key}, 200 x 20000, 2 classes, k auto, nested",
            "ours": taken[key],
            "limit": ("select by l2", base, 10.0),
            "note": "CPU seconds, one thread, best of 2; before them, with what is loaded then "
            f"(PyTorch by the encoder), {first:.3g} s, {first / base:.3g} times",
        }
    dearest = max(best_candidates(is_sparse=False), key=taken.get)
    yield {
        "case": f"select by {BEST}, 200 x 20000, 2 classes, k auto, nested",
        "ours": min(_selection_seconds(X, y, BEST)),
        "limit": (f"select by {dearest}, its dearest member", taken[dearest], 2.0),
        "note": "CPU seconds, one thread, best of 3",
    }


def linear_encoder(n_jobs):
    """Fit the linear centroid-encoder in two steps, and alternating."""
    del n_jobs
    X, y = _expression(72, 7129, 2)
    for training in ("two_step", "alternating"):
        model = LinearCentroidEncoder(training=training).fit(X, y)
        case = f"linear centroid-encoder, {training}, 72 x 7129"
        yield _beside_product(case, model, X, y) | {
            "note": f"{np.count_nonzero(model.scores_)} features, {model.n_iter_} rounds",
        }


def recursive(n_jobs):
    """Rank all features in 5 products, 3 and 50 times faster than RFE finds 50 of them."""
    del n_jobs
    X, y = _expression(200, 20_000, 2)
    ours = RecursiveRidgeSelector().fit(X, y)
    times = cpu_seconds(lambda: ours.fit(X, y), 7), cpu_seconds(lambda: X @ X.T, 20)
    extra = peak_memory(lambda: ours.fit(X, y))
    for step, target in ((0.3, 3.0), (0.02, 50.0)):
        peer = RFE(LinearSVC(C=0.01), n_features_to_select=50, step=step)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it does not always converge
            taken = cpu_seconds(lambda peer=peer: peer.fit(X, y), 1)
        yield {
            "case": "recursive ridge elimination, all features ranked, 200 x 20000, 2 classes, "
            f"and RFE of step {step}",
            "ours": Measured(times[0], extra),
            "limit": ("X @ X.T", times[1], 5.0),
            "peer": (f"RFE(LinearSVC(C=.01), 50, step={step})", taken, target),
            "note": "CPU seconds, one thread; the peer gives one size, and is measured once",
        }


def whitened(n_jobs):
    """Fit whitened centers of 16 sizes up to 256 in the time of one shrunken LDA of 256."""
    del n_jobs
    X, y = _expression(200, 256, 2)
    sizes = np.unique(np.geomspace(1, 256, 17).round().astype(int))
    ours = WhitenedCenterClassifier()
    peer = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    return {
        "case": "whitened centers, 16 sizes from 1 to 256 features, 200 samples, 2 classes",
        "ours": measure(lambda: ours._fit_path(check_labelled(ours, X, y), sizes), 20),
        "limit": ("X.T @ X", measure(lambda: X.T @ X, 20), None),
        "peer": ("one LDA(lsqr, auto).fit of 256", measure(lambda: peer.fit(X, y), 20), 1.0),
    }


def robust_selection(n_jobs):
    """Solve to a gap of 1e-6: 500 times faster than the RFS of skfeature, with its own rule."""
    del n_jobs
    X, y = _expression(50, 4434, 4)
    ours = L21CentroidSelector(targets="classes", tol=1e-6).fit(X, y)
    case = "l2,1 selection of classes, 50 x 4434, 4 classes, alpha 0.1, gap 1e-6, and RFS"
    result = _beside_product(case, ours, X, y)
    if not find_spec("skfeature"):
        return result | {"note": "skfeature is not installed"}
    Z, found = (X - X.mean(axis=0)) / X.std(axis=0), []
    taken = seconds(lambda: found.append(_rfs(Z, y, ours.alpha_)))
    bound = ours.objective_ - ours.dual_gap_
    above = _rfs_objective(Z, y, found[0], ours.alpha_) / bound - 1.0
    return result | {
        "peer": ("skfeature rfs", taken, 500.0),
        "note": "objective above the certified bound: "
        f"ours {ours.dual_gap_ / bound:.1e}, peer {above:.1e}",
    }


def relief(n_jobs):
    """Score 10000 features of 100 samples: 300 times faster than skrebate."""
    X, y = _expression(100, 10_000, 2)
    ours = ReliefFSelector(n_jobs=n_jobs)
    result = _beside_product("ReliefF, 100 x 10000, 10 neighbours", ours, X, y)
    if not find_spec("skrebate"):
        return result | {"note": "skrebate is not installed"}
    return result | {"peer": ("skrebate ReliefF.fit", seconds(lambda: _skrebate(X, y)), 300.0)}


def compiled_relief(n_jobs):
    """Score them in at most 1.5 times the time of fast-select, which is compiled as well."""
    X, y = _expression(100, 10_000, 2)
    X = np.ascontiguousarray(X)  # as the peer needs it
    ours = ReliefFSelector(n_jobs=n_jobs)
    result = _beside_product("ReliefF, 100 x 10000, 10 neighbours, and fast-select", ours, X, y)
    if not find_spec("fast_select"):
        return result | {"note": "fast-select is not installed"}
    alone, peer_alone = _relief_in_turns(ReliefFSelector(n_jobs=1), _fast_select(1), X, y)
    peer = _fast_select(n_jobs)
    taken, peer_taken = _relief_in_turns(ours, peer, X, y)
    apart = np.abs(ours.scores_ - peer.feature_importances_).max()
    return result | {
        "ours": Measured(taken, result["ours"].extra_mb),
        "peer": ("fast-select ReliefF.fit", peer_taken, 0.667),  # 1 / 1.5
        "note": f"one thread: {alone:.3g} s, peer {peer_alone:.3g} s; "
        f"scores of the peer, in float32, differ by at most {apart:.1e}",
    }


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


CASES = [
    l21, every_method, recursive, whitened, robust_selection, linear_encoder, relief,
    compiled_relief, sparse_relief,
]  # fmt: skip


def _selection_seconds(X, y, key):
    """Take the time three times; the first loads and compiles."""
    select = partial(select_features, X, y, method=key, n_jobs=1, random_state=0)
    return [cpu_seconds(select, 1) for _ in range(3)]


def _expression(n_samples, n_features, n_classes):
    made = make_expression(n_samples, n_features, n_classes=n_classes, random_state=0)
    return made.data, made.target


def _beside_product(case, model, X, y, target=None):
    """Time of a fit, and of one product of the samples."""
    return {
        "case": case,
        "ours": measure(lambda: model.fit(X, y)),
        "limit": ("X @ X.T", measure(lambda: X @ X.T, 20), target),
    }


def _skrebate(X, y):
    from skrebate import ReliefF

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ReliefF(n_neighbors=10, categorical_features=[]).fit(X, y)


def _fast_select(n_jobs):
    from fast_select import ReliefF

    return ReliefF(n_neighbors=10, discrete_limit=0, backend="cpu", n_jobs=n_jobs)


def _relief_in_turns(ours, peer, X, y, repeats=30):
    """Best times of both, measured by turns after the first fit, which compiles."""
    models = (ours, peer)
    for model in models:
        model.fit(X, y)
    times = [
        [seconds(lambda model=model: model.fit(X, y)) for model in models] for _ in range(repeats)
    ]
    return np.min(times, axis=0)


def _rfs(Z, y, alpha):
    from skfeature.function.sparse_learning_based.RFS import rfs

    return rfs(Z, y, mode="raw", gamma=alpha)


def _rfs_objective(Z, y, W, alpha):
    """Value of our problem at the peer's solution.

    Its targets are 1 and -1. For four classes they are twice a rotation of ours, 1 and 0, so both
    problems are the same with W / 2 in rotated coordinates, and its values are twice ours.
    """
    targets = np.where(np.eye(4, dtype=bool)[y], 1.0, -1.0)
    misfit = np.linalg.norm(targets - Z @ W, axis=1).sum()
    return (misfit + alpha * np.linalg.norm(W, axis=1).sum()) / 2.0
