"""Labelled samples for the classifiers, and a cluster."""

from threading import Timer
from typing import NamedTuple

import numpy as np
import pytest

METRICS = ["l2", "l1", "mahalanobis"]
SCALES = [None, "std", "within", "mad"]
MEMORY_LIMIT = 700 * 2**20  # of a worker, of which the libraries take half
PATIENCE = 300  # seconds, where only work that hangs, on a machine however busy, takes so long
# A worker with little memory left would pause and might never go on; it is to be ended instead.
CLUSTER = {"distributed.worker.memory.pause": False, "distributed.comm.timeouts.connect": PATIENCE}


class Samples(NamedTuple):
    X: np.ndarray
    y: np.ndarray


def draw_samples(rng, n_classes, n_samples=60, n_features=8):
    """Return Gaussian classes of unequal sizes; features differ in unit and in what they tell."""
    codes = np.minimum(np.arange(n_samples) % (n_classes + 1), n_classes - 1)
    centers = rng.normal(size=(n_classes, n_features)) * np.linspace(0.0, 2.0, n_features)
    X = (centers[codes] + rng.normal(size=(n_samples, n_features))) * 2.0 ** np.arange(n_features)
    return Samples(X, codes)


@pytest.fixture
def two_classes(rng):
    """Two classes, labelled with strings."""
    X, codes = draw_samples(rng, 2)
    return Samples(X, np.array(["no", "yes"])[codes])


@pytest.fixture
def three_classes(rng):
    """Three classes, labelled with integers that are not 0, 1, 2."""
    X, codes = draw_samples(rng, 3)
    return Samples(X, np.array([-1, 4, 9])[codes])


@pytest.fixture(params=METRICS)
def metric(request):
    return request.param


@pytest.fixture(params=SCALES)
def scale(request):
    return request.param


@pytest.fixture(scope="module")
def client():
    """Two workers, processes of this machine."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    with (
        dask.config.set(CLUSTER),
        distributed.LocalCluster(
            n_workers=2,
            processes=True,
            threads_per_worker=1,
            host="127.0.0.1",  # nobody else can reach it
            dashboard_address="127.0.0.1:0",  # any free port: other clusters may be running
            memory_limit=MEMORY_LIMIT,
        ) as cluster,
        distributed.Client(cluster, timeout=PATIENCE) as client,
    ):
        yield client


@pytest.fixture
def on_cluster(client):
    """The cluster, which all collections are computed on."""
    dask = pytest.importorskip("dask")
    # Work that hangs is cancelled, which is an error.
    watch = Timer(PATIENCE, client.close)
    watch.start()
    try:
        with dask.config.set(scheduler="dask.distributed"):
            yield client
    finally:
        watch.cancel()
        watch.join()
