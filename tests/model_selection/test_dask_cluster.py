"""The main job on a cluster of two processes: the answer of one process, whatever happens there."""

import json
import os
import time

import numpy as np
import pytest

from centroidal.cli.main import main

from ..classifiers.conftest import MEMORY_LIMIT, PATIENCE
from ..classifiers.test_dask import HEIGHT, N_BLOCKS, WIDTH, _rows_or_death
from ..l2 import select_features
from ..streaming.test_batches import write_h5ad, write_zarr
from .test_dask_source import write_parts
from .test_stream_source import SEED, assert_same, make_data

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pd = pytest.importorskip("pandas")
pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.once,
    pytest.mark.xdist_group("cluster"),
    # Older versions of Dask say so where a test asks for it, to compare.
    pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler:UserWarning"),
]
OPTIONS = {"cv": 3, "n_repeats": 2, "random_state": SEED}


@pytest.fixture
def data():
    return make_data()


@pytest.fixture
def folder(data, tmp_path):
    frame = pd.DataFrame(data[0], columns=[f"g{j}" for j in range(9)]).assign(kind=data[1])
    return write_parts(tmp_path / "parts", frame)


def select_here(X, y):
    with dask.config.set(scheduler="synchronous"):
        return select_features(X, y, **OPTIONS)


def n_tasks(client):
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))


def test_a_cluster_gives_the_same_to_the_bit(data, on_cluster):
    X, y = data
    chunks = da.from_array(X, chunks=(16, 4))
    assert_same(select_features(chunks, y, **OPTIONS), select_here(chunks, y))


def test_permutations_on_a_cluster_are_the_same_to_the_bit(data, on_cluster):
    X, y = data
    chunks, asked = da.from_array(X, chunks=(16, 4)), OPTIONS | {"n_permutations": 5}
    asked |= {"method": "l2", "n_repeats": 1}
    found = select_features(chunks, y, **asked).permutations
    with dask.config.set(scheduler="synchronous"):
        expected = select_features(chunks, y, **asked).permutations
    for name in ("null_scores", "gains", "feature_p_values", "expected_false"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_futures_stay_where_they_are(data, on_cluster):
    X, y = data
    # Without names by content: an older future of the same name could still be on its way out.
    blocks = on_cluster.scatter([X[:40], X[40:]], hash=False)
    labels = on_cluster.scatter([y[:40], y[40:]], hash=False)
    expected = select_here(da.from_array(X, chunks=((40, 50), 9)), y)
    assert_same(select_features(blocks, labels, **OPTIONS), expected)


@pytest.mark.skipif(os.name != "posix", reason="workers are killed by a signal")
def test_a_worker_that_dies_changes_nothing(data, on_cluster, tmp_path):
    X, y = data
    chunks = da.from_array(X, chunks=(9, 9))
    marker = str(tmp_path / "died")
    mortal = chunks.map_blocks(_rows_or_death, marker=marker, dtype=float, meta=X[:0])
    found = select_features(mortal, y, **OPTIONS)
    assert os.path.exists(marker)
    assert_same(found, select_here(chunks, y))
    on_cluster.wait_for_workers(2, timeout=PATIENCE)


def test_data_larger_than_memory_never_come_together(on_cluster):
    shape = HEIGHT // 5, WIDTH * 5  # of each row some numbers come together, and no more
    parts = [dask.delayed(_wide_block)(place, shape) for place in range(N_BLOCKS)]
    blocks = [da.from_delayed(part, shape, np.float32) for part in parts]
    X = da.concatenate(blocks)
    assert X.nbytes > 4 * MEMORY_LIMIT
    workers = on_cluster.run(os.getpid)
    y = da.arange(X.shape[0], chunks=shape[0]) % 2
    found = select_features(X, y, n_features_to_select=1, cv=2, n_repeats=1, random_state=SEED)
    assert found.selected.tolist() == [0]
    assert found.confusion.sum() == X.shape[0]
    assert on_cluster.run(os.getpid) == workers  # none was ended for taking too much memory


def _wide_block(place, shape):
    """Rows of two classes, of which every second one has a larger first feature."""
    block = np.full(shape, place, dtype=np.float32)
    block[1::2, 0] += 1.0
    return block


def test_interruption_cancels_the_tasks(data, on_cluster):
    def interrupt(*step):
        raise KeyboardInterrupt

    before = n_tasks(on_cluster)
    with pytest.raises(KeyboardInterrupt):
        select_features(da.from_array(data[0], chunks=(5, 9)), data[1], progress=interrupt)
    patience = time.monotonic() + PATIENCE
    while n_tasks(on_cluster) > before and time.monotonic() < patience:
        time.sleep(0.05)
    assert n_tasks(on_cluster) <= before


def test_block_with_a_missing_value_is_named(data, on_cluster):
    data[0][50, 3] = np.nan
    with pytest.raises(ValueError, match="^Block 3 of X: .*NaN"):
        select_features(da.from_array(data[0], chunks=(16, 9)), data[1], **OPTIONS)


def test_command_selects_on_a_cluster_that_is_running(folder, on_cluster, capsys):
    arguments = ["--target", "kind", "--seed", str(SEED), "--folds", "3", "--json"]
    address = on_cluster.scheduler.address
    assert main(["select", str(folder), *arguments, "--cluster", address]) == 0
    found = capsys.readouterr()
    assert "Dashboard: http" in found.err
    assert main(["select", str(folder), *arguments, "--stream"]) == 0
    expected = capsys.readouterr()
    answers = [json.loads(each.out)["selection"] for each in (found, expected)]
    names = ("answer", "n_features_to_select", "features", "path", "metrics", "intervals")
    for name in names:
        assert answers[0][name] == answers[1][name], name


@pytest.mark.filterwarnings("ignore:The data type")
@pytest.mark.parametrize("form", ["zarr", "URL of zarr", "h5ad"])
def test_command_reads_cells_on_a_cluster(form, data, on_cluster, tmp_path, capsys):
    write = write_h5ad if form == "h5ad" else write_zarr
    path = write(tmp_path / f"cells.{form[-4:]}", *data)
    source = f"file://{path}" if "URL" in form else str(path)
    arguments = ["select", source, "--target", "kind", "--seed", str(SEED), "--folds", "3"]
    arguments += ["--repeats", "1", "--method", "l2", "--json"]
    assert main([*arguments, "--cluster", on_cluster.scheduler.address]) == 0
    found = json.loads(capsys.readouterr().out)["selection"]
    assert main([*arguments, "--stream"]) == 0
    expected = json.loads(capsys.readouterr().out)["selection"]
    for name in ("n_features_to_select", "features", "path"):
        assert found[name] == expected[name], name
