"""Sparse centers against scikit-learn and against one read of the data."""

import os
import subprocess
import sys
import tempfile
import time
from unittest.mock import patch

import numpy as np
from scipy.sparse import csr_array, random_array
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

from centroidal import SparseCenterClassifier, SparseCenterClassifierCV
from centroidal.model_selection import select_features
from centroidal.model_selection.unseen import UnseenSamples

from ._measure import Measured, cpu_seconds, measure, seconds

__all__ = ["CASES"]


def dense_l2(n_jobs):
    """Fit of a dense 20000 x 5000 table: at most 2 reads, 12 times faster than NearestCentroid."""
    X, y = _dense(20_000, 5_000, 2)
    return {
        "case": "dense l2 fit, 20000 x 5000, 2 classes",
        "ours": measure(lambda: SparseCenterClassifier(100, n_jobs=n_jobs).fit(X, y)),
        "limit": ("X.sum()", measure(X.sum), 2.0),
        "peer": ("NearestCentroid.fit", measure(lambda: NearestCentroid().fit(X, y)), 12.0),
    }


def sparse_l2(n_jobs):
    """Fit of 1.6 million short texts: under 2 one-hot products and 64 MB."""
    n, m, length = 1_600_000, 273_779, 13
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(0, m, (n, length), dtype=np.int32), axis=1).ravel()
    starts = np.arange(0, n * length + 1, length, dtype=np.int32)
    X = csr_array((np.ones(n * length), columns, starts), shape=(n, m))
    X.sum_duplicates()
    y = rng.integers(0, 2, n)

    def one_hot_product():
        one_hot = csr_array((np.ones(n), (y, np.arange(n))), shape=(2, n))
        return one_hot @ X

    return {
        "case": "sparse l2 fit, 1600000 x 273779, 13 entries a row",
        "ours": measure(lambda: SparseCenterClassifier(100, n_jobs=n_jobs).fit(X, y)),
        "limit": ("one-hot product", measure(one_hot_product), 2.0),
        "peer": ("NearestCentroid.fit", _failure(lambda: NearestCentroid().fit(X, y)), None),
        "memory_target_mb": 64.0,
    }


def dense_l1(n_jobs):
    """All l1 statistics of dense tables: 4 times faster than only the medians, one thread each."""
    del n_jobs
    for n_samples, n_features in ((20_000, 2_000), (2_000, 20_000)):
        X, y = _dense(n_samples, n_features, 5)
        ours = SparseCenterClassifier(100, metric="l1", n_jobs=1)
        peer = NearestCentroid(metric="manhattan")
        extra = measure(lambda model=ours, X=X, y=y: model.fit(X, y), 1).extra_mb
        yield {
            "case": f"dense l1 fit, {n_samples} x {n_features}, 5 classes",
            "ours": Measured(cpu_seconds(lambda model=ours, X=X, y=y: model.fit(X, y)), extra),
            "limit": ("X.sum()", cpu_seconds(X.sum), None),
            "peer": (
                "NearestCentroid(manhattan).fit",
                cpu_seconds(lambda model=peer, X=X, y=y: model.fit(X, y)),
                4.0,
            ),
            "note": "CPU seconds, one thread each",
        }


def sparse_l1(n_jobs):
    """Fit of a sparse 20000 x 20000 table: 10 times faster than NearestCentroid, never dense."""
    rng = np.random.default_rng(0)
    X = random_array((20_000, 20_000), density=0.005, format="csr", rng=rng)
    y = rng.integers(0, 5, X.shape[0])
    return {
        "case": "sparse l1 fit, 20000 x 20000 at 0.5 %, 5 classes",
        "ours": measure(lambda: SparseCenterClassifier(100, metric="l1", n_jobs=n_jobs).fit(X, y)),
        "limit": ("X.tocsc()", measure(X.tocsc), None),
        "peer": (
            "NearestCentroid(manhattan).fit",
            measure(lambda: NearestCentroid(metric="manhattan").fit(X, y), 3),
            10.0,
        ),
    }


def choice_of_k(n_jobs):
    """All k in 5 folds: 100 times faster than a grid search over 50 values."""
    X, y = _dense(200, 20_000, 2)
    X[y == 1, :30] += 1.0
    numbers = np.unique(np.geomspace(1, X.shape[1], 50).round().astype(int))
    search = GridSearchCV(
        make_pipeline(SelectKBest(), NearestCentroid()),
        {"selectkbest__k": numbers},
        cv=5,
        n_jobs=n_jobs,
    )
    return {
        "case": "choice of k, 5 folds, 200 x 20000, all k against 50 values",
        "ours": measure(lambda: SparseCenterClassifierCV(cv=5, n_jobs=n_jobs).fit(X, y)),
        "limit": ("X.sum()", measure(X.sum), None),
        "peer": (
            "GridSearchCV(SelectKBest + NearestCentroid)",
            seconds(lambda: search.fit(X, y)),
            100.0,
        ),
    }


def groups_and_intervals(n_jobs):
    """Select with groups and all intervals: at most a quarter on top of neither."""
    del n_jobs  # times of the processor, which other work on the machine does not change
    groups = np.arange(200) // 4
    X, y = _dense(200, 20_000, 2)[0], groups % 2
    X[y == 1, :30] += 0.5
    with_both, without = [], []
    select_features(X, y, method="l2", groups=groups, random_state=0)  # compiles
    for _ in range(9):
        with_both.append(
            _cpu_seconds(lambda: select_features(X, y, method="l2", groups=groups, random_state=0))
        )
        with patch.object(UnseenSamples, "intervals", lambda self, metrics: {}):
            without.append(_cpu_seconds(lambda: select_features(X, y, method="l2", random_state=0)))
    return {
        "case": "select_features with groups and intervals, 200 x 20000, l2, nested in 5 x 5 folds",
        "ours": min(with_both),
        "limit": ("without groups and intervals of metrics", min(without), 1.25),
        "note": "best of 9 each, in turn, seconds of one processor",
    }


def predict(n_jobs):
    """Predict with 100 of 20000 features: 20 times faster than NearestCentroid."""
    X, y = _dense(20_000, 20_000, 2)
    ours = SparseCenterClassifier(100, n_jobs=n_jobs).fit(X, y)
    peer = NearestCentroid()
    peer.fit(X[:2_000], y[:2_000])
    return {
        "case": "predict, 100 of 20000 features, 20000 rows",
        "ours": measure(lambda: ours.predict(X)),
        "limit": ("X.sum()", measure(X.sum, 3), None),
        "peer": ("NearestCentroid.predict", measure(lambda: peer.predict(X), 3), 20.0),
    }


def start_up(n_jobs):
    """Yield the cost of the import and of the first fit, with a cold and a warm numba cache."""
    del n_jobs
    added = min(_import_seconds() for _ in range(10))
    yield _seconds("import SparseCenterClassifier beyond import sklearn", added, 0.3)
    for metric in ("l2", "l1"):
        with tempfile.TemporaryDirectory() as cache:
            cold = _first_fit(metric, cache)
            warm = min(_first_fit(metric, cache) for _ in range(15))
        yield _seconds(f"first {metric} fit, cold numba cache", cold, 5.0)
        yield _seconds(f"first {metric} fit, warm numba cache", warm, 0.5)


CASES = [
    dense_l2, sparse_l2, dense_l1, sparse_l1, choice_of_k, groups_and_intervals, predict, start_up,
]  # fmt: skip


def _dense(n, m, n_classes):
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, m)), rng.integers(0, n_classes, n)


def _cpu_seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def _failure(call):
    """Say how a peer fails; one that does not is a surprise worth a stop."""
    try:
        call()
    except MemoryError as error:
        return f"fails: {error}"
    raise RuntimeError("the peer was expected to run out of memory")


def _seconds(case, seconds, target):
    return {"case": case, "ours": seconds, "limit": ("target in seconds", None, target)}


def _import_seconds():
    return _printed(
        "import sklearn, time; start = time.perf_counter(); "
        "from centroidal import SparseCenterClassifier"
    )


def _first_fit(metric, cache):
    return _printed(
        "import time, numpy as np, sklearn, centroidal\n"
        "X, y = np.random.default_rng(0).normal(size=(100, 50)), np.arange(100) % 2\n"
        f"model = centroidal.SparseCenterClassifier(10, metric={metric!r})\n"
        "start = time.perf_counter()\n"
        "model.fit(X, y)",
        NUMBA_CACHE_DIR=cache,
    )


def _printed(code, **environment):
    """Seconds since `start` at the end of a program of its own."""
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nprint(time.perf_counter() - start)"],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )
    return float(run.stdout)
