"""Parquet and zarr of a server that speaks S3, and fails one request in ten."""

import threading
from itertools import count

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from centroidal.streaming import batches

from ..l2 import select_features
from .test_batches import write_zarr

fsspec = pytest.importorskip("fsspec")
s3fs = pytest.importorskip("s3fs")
dask = pytest.importorskip("dask")
moto_server = pytest.importorskip("moto.server")

N_ROWS, N_FEATURES = 120, 5
FAILED = []


def fail_one_in_ten(app):
    """Answer every tenth request with an error that asks to try again."""
    numbers = count(1)

    def answer(environment, begin):
        if next(numbers) % 10 == 0:
            FAILED.append(environment["PATH_INFO"])
            begin("503 Slow Down", [("Content-Length", "0")])
            return [b""]
        return app(environment, begin)

    return answer


@pytest.fixture(scope="module")
def server():
    """Start a server on a free port of this machine, and end it."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    app = fail_one_in_ten(DomainDispatcherApplication(create_backend_app))
    found = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{found.server_port}"
    found.shutdown()
    thread.join()
    found.server_close()


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    codes = np.arange(N_ROWS) % 2
    X = rng.normal(size=(N_ROWS, N_FEATURES))
    X[:, 1] += 1.5 * codes
    return X, np.array(["a", "b"])[codes]


@pytest.fixture
def parts(server, table, monkeypatch):
    """Four files in a bucket, of row groups of 10 rows; return their URL."""
    X, y = table
    options = {"key": "test", "secret": "test", "endpoint_url": server}
    monkeypatch.setitem(fsspec.config.conf, "s3", options)
    system = s3fs.S3FileSystem(skip_instance_cache=True, **options)
    system.makedirs("bucket/parts", exist_ok=True)
    for number, rows in enumerate(np.split(np.arange(N_ROWS), 4)):
        columns = {f"g{j}": X[rows, j] for j in range(N_FEATURES)} | {"kind": y[rows]}
        with system.open(f"bucket/parts/{number}.parquet", "wb") as file:
            pq.write_table(pa.table(columns), file, row_group_size=10)
    return "s3://bucket/parts"


@pytest.mark.once
@pytest.mark.parametrize("pattern", ["", "/*.parquet"])
def test_rows_of_a_bucket_are_those_in_memory_though_requests_fail(pattern, parts, table):
    X, y = table
    rows = batches(parts + pattern, target="kind")
    assert rows.n_samples == N_ROWS
    FAILED.clear()
    with dask.config.set(scheduler="synchronous"):
        found = select_features(rows.on_workers(), cv=3, n_repeats=1, random_state=0)
    assert FAILED
    expected = select_features(X, y, cv=3, n_repeats=1, random_state=0)
    assert found.selected.tolist() == expected.selected.tolist()
    assert found.score == pytest.approx(expected.score, rel=1e-10)
    np.testing.assert_array_equal(found.confusion_path, expected.confusion_path)


@pytest.mark.once
@pytest.mark.filterwarnings("ignore:The data type")
def test_zarr_of_a_bucket_has_the_rows_in_memory(parts, table):
    X, y = table
    url = write_zarr("s3://bucket/cells.zarr", X, y)
    rows = batches(url, target="kind")
    FAILED.clear()
    with dask.config.set(scheduler="synchronous"):
        found = select_features(rows.on_workers(), cv=3, n_repeats=1, random_state=0)
    assert FAILED
    expected = select_features(X, y, cv=3, n_repeats=1, random_state=0)
    assert found.selected.tolist() == expected.selected.tolist()
    assert found.score == pytest.approx(expected.score, rel=1e-10)


@pytest.mark.once
def test_bucket_that_is_not_there_is_said(parts):
    with pytest.raises(FileNotFoundError, match="no file or folder s3://nothing/parts"):
        batches("s3://nothing/parts", target="kind")
