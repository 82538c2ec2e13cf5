"""Streams and clusters against the limit: mere reading, an unbroken run, all data in memory."""

import gc
import json
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

import dask
import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from dask.distributed import Client, LocalCluster, default_client, wait

from centroidal import SparseCenterClassifier
from centroidal.model_selection import select_features
from centroidal.streaming import batches, fit_batches

from ._measure import seconds
from ._parts import make_block, make_labels, write_parquet

__all__ = ["CASES"]

_N_SELECTED = 50
_BETWEEN = 10.0  # seconds between two checkpoints, which a kill may lose


def parquet(n_jobs):
    """Yield fits of 1 GB of Parquet: at most 1.5 times as long as reading the same batches."""
    pa.set_cpu_count(n_jobs)
    for n_features, dtype, named in (
        (200, np.float64, False),
        (1000, np.float64, False),
        (200, np.float32, False),
        (200, np.float32, True),
    ):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "parts"
            n_rows = 2**26 // (n_features * np.dtype(dtype).itemsize)
            write_parquet(path, 16, n_rows, n_features, dtype, named=named)
            rows = batches(path, target="y")
            ours, limit = _side_by_side(
                lambda rows=rows: _fit(rows, n_jobs), lambda rows=rows, path=path: _read(path, rows)
            )
            yield {
                "case": f"stream of Parquet, {rows.n_samples} x {n_features}, "
                f"{np.dtype(dtype).name}, 16 files{', labels are names' if named else ''}",
                "ours": ours,
                "limit": ("the same batches read by pyarrow", limit, 1.5),
                "note": "fit_batches, scale='std'; both read all columns, batches of "
                f"{rows.batch_size} rows, from a warm page cache, with {n_jobs} threads to decode; "
                f"{_megabytes(path)} MB of files as pyarrow writes them by default",
            }


def checkpoints(n_jobs):
    """Yield fits with checkpoints, whole and killed once: at most 5 %, and 10 s, longer.

    What a kill costs is also measured by itself, as whole runs differ by more than that from one to
    the next.
    """
    for n_copies, n_rounds in ((10, 6), (30, 4)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "parts"
            write_parquet(path, 16, 2**26 // 1600, 200, np.float64, n_copies=n_copies)
            yield from _killed_runs(path, n_copies, n_rounds, n_jobs)


def _killed_runs(path, n_gigabytes, n_rounds, n_jobs):
    """Yield rows about whole runs and about what they consist of."""
    rows = batches(path, target="y")
    n_batches = -(-rows.n_samples // rows.batch_size)
    taken = _run_in_turn(path, path.with_name("model.skops"), n_batches, n_rounds, n_jobs)
    clock = (
        f"best of {n_rounds} each, in turn; seconds from the opening of the source to the model, "
        "in a process of its own, after imports, a first small fit and a collection of garbage, "
        "which would come at any time and take 0.2 s; 1 GB of files, linked "
        f"{n_gigabytes} times; without checkpoints {_told(taken.plain)}"
    )
    for what, ours, most, note in _rows_of(taken):
        yield {
            "case": f"stream of Parquet, {n_gigabytes} GB in {n_batches} batches, {what}",
            "ours": ours,
            "limit": ("the same without checkpoints, not killed", min(taken.plain), most),
            "note": f"{note}; {clock}",
        }


class _Taken(NamedTuple):
    """What the runs took, in seconds."""

    plain: list
    whole: list  # with checkpoints
    killed: list  # with checkpoints, killed and resumed
    back: list  # from a new beginning until a resumed run was where it had been killed
    again: list  # batches that it read twice


def _run_in_turn(path, model, n_batches, n_rounds, n_jobs):
    taken = _Taken([], [], [], [], [])
    for place in islice(cycle((0.4, 0.5, 0.6)), n_rounds):
        taken.plain.append(_fit_in_child(path, None, n_jobs).seconds)
        taken.whole.append(_fit_in_child(path, model, n_jobs).seconds)
        model.unlink()
        first = _fit_in_child(path, model, n_jobs, kill_after=int(place * n_batches))
        second = _fit_in_child(path, model, n_jobs)
        model.unlink()
        taken.killed.append(first.seconds + second.seconds)
        taken.back.append(second.seconds_until(first.batches[-1]))
        taken.again.append(first.batches[-1] - second.batches[0] + 1)
    return taken


def _rows_of(taken):
    lost = _BETWEEN / min(taken.plain)
    return [
        (
            "with checkpoints",
            min(taken.whole),
            1.05,
            f"checkpoint_every=None: {_told(taken.whole)}",
        ),
        (
            "with checkpoints, killed and resumed",
            min(taken.killed),
            1.05 + lost,
            "opening to SIGKILL after 40, 50 and 60 % of the batches in turn, and opening to the "
            f"model: {_told(taken.killed)}",
        ),
        (
            "what a kill costs",
            median(taken.back),
            0.05 + lost,
            "from the opening of the source until the resumed run is where the killed one was: "
            f"{_told(taken.back)}, of which the median is taken; "
            f"{', '.join(map(str, taken.again))} batches were read twice",
        ),
    ]


def _told(times):
    return f"{', '.join(f'{each:.2f}' for each in times)} s"


def cluster(n_jobs):
    """Fit on a local Dask cluster: at most 1.3 times as long as with threads in memory."""
    n_blocks, n_rows, n_features = 8, 100_000, 1000
    shape = (n_blocks * n_rows, n_features)
    with _cluster(n_jobs) as workers, Client(workers):
        X, y = _on_workers(n_blocks, n_rows, n_features)
        memory, labels = np.empty(shape), np.empty(shape[0], dtype=int)
        for i in range(n_blocks):
            rows = slice(i * n_rows, (i + 1) * n_rows)
            memory[rows], labels[rows] = make_block(i, n_rows, n_features), make_labels(i, n_rows)
        ours, limit = _side_by_side(
            lambda: _classifier(1).fit(X, y), lambda: _classifier(n_jobs).fit(memory, labels)
        )
    return {
        "case": f"Dask, {shape[0]} x {n_features}, {n_blocks} blocks on {n_jobs} workers",
        "ours": ours,
        "limit": (f"fit in memory with {n_jobs} threads", limit, 1.3),
        "note": "LocalCluster of processes with a thread each, blocks of 800 MB persisted on them "
        "before, four on each; scale='std'",
    }


def selection_on_workers(n_jobs):
    """Select features on a local Dask cluster: at most 1.5 times as long as in memory."""
    n_blocks, n_rows, n_features = 4, 10_000, 300
    with _cluster(n_jobs) as workers, Client(workers):
        X, y = _on_workers(n_blocks, n_rows, n_features)
        memory, labels = dask.compute(X, y)
        ours, limit = _side_by_side(
            lambda: select_features(X, y, random_state=0),
            lambda: select_features(memory, labels, method="l2", n_jobs=n_jobs, random_state=0),
            repeats=3,
        )
    return {
        "case": f"select_features, {len(labels)} x {n_features}, on {n_jobs} workers",
        "ours": ours,
        "limit": (f"the same in memory with {n_jobs} threads", limit, 1.5),
        "note": "nested cross-validation with 5 folds; LocalCluster of processes with a thread "
        "each, 4 blocks of 24 MB persisted on them before",
    }


def selection_of_batches(n_jobs):
    """Select features from batches: at most 2.5 times as long as reading them twice."""
    pa.set_cpu_count(n_jobs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parts"
        write_parquet(path, 16, 2**26 // 8000, 1000, np.float64)
        rows = batches(path, target="y")
        ours, limit = _side_by_side(
            lambda: select_features(
                rows, method="l2", n_repeats=1, n_jobs=n_jobs, random_state=0, progress=False
            ),
            lambda: [_read(path, rows) for _ in range(2)],
            repeats=3,
        )
        return {
            "case": f"select_features, batches of Parquet, {rows.n_samples} x 1000, 16 files",
            "ours": ours,
            "limit": ("the same batches read twice by pyarrow", limit, 2.5),
            "note": "nested cross-validation with 5 folds, drawn once, choice among all numbers of "
            f"features; batches of {rows.batch_size} rows from a warm page cache, with {n_jobs} "
            "threads",
        }


CASES = [parquet, checkpoints, cluster, selection_on_workers, selection_of_batches]


def _classifier(n_jobs):
    return SparseCenterClassifier(_N_SELECTED, scale="std", n_jobs=n_jobs)


def _side_by_side(ours, limit, repeats=9):
    """Best seconds of both, measured in turn after a call each to warm up."""
    ours(), limit()
    pairs = [(seconds(ours), seconds(limit)) for _ in range(repeats)]
    return tuple(map(min, zip(*pairs, strict=True)))


def _fit(rows, n_jobs):
    return fit_batches(_classifier(n_jobs), rows)


def _read(folder, rows):
    """Read what `rows` reads, with pyarrow alone."""
    names = [*rows.feature_names, "y"]
    for path in sorted(folder.iterdir()):
        with pq.ParquetFile(path) as file:
            for _ in file.iter_batches(rows.batch_size, columns=names):
                pass


def _megabytes(folder):
    return round(sum(path.stat().st_size for path in folder.iterdir()) / 1e6)


# ------------------------------------------------------------------ a process that is killed


class _Run:
    """What a child told: when it began and ended or was killed, and the batches it finished."""

    def __init__(self):
        self.batches, self._heard, self._start, self._end = [], {}, None, None

    def hear(self, word, value):
        if word == "batch":
            self.batches.append(int(value))
            self._heard[int(value)] = time.time()
        else:
            setattr(self, f"_{word}", value)

    @property
    def seconds(self):
        return self._end - self._start

    def seconds_until(self, batch):
        return self._heard[batch] - self._start


def _fit_in_child(folder, checkpoint, n_jobs, kill_after=None):
    """Fit in a process of its own, and kill it when it has finished the batch `kill_after`."""
    code = f"from {__name__} import fit_and_tell; fit_and_tell()"
    given = json.dumps([str(folder), checkpoint and str(checkpoint), n_jobs])
    run = _Run()
    command = [sys.executable, "-c", code, given]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            run.hear(*json.loads(line))
            if kill_after is not None and run.batches and run.batches[-1] >= kill_after:
                child.kill()
                run.hear("end", time.time())
                break
    if kill_after is None and child.returncode != 0:
        raise RuntimeError(f"the fit of {folder} ended with {child.returncode}")
    return run


def fit_and_tell():
    """Fit as the arguments of the process say, and write what happens, a line of JSON each."""
    import_module("skops.io")  # which writes checkpoints; imports are not counted
    folder, checkpoint, n_jobs = json.loads(sys.argv[1])
    pa.set_cpu_count(n_jobs)
    _classifier(n_jobs).partial_fit(np.eye(100), np.arange(100) % 2, classes=[0, 1])
    gc.collect()  # imports leave so many objects that a collection, of 0.2 s, is due at any time
    _tell("start", time.time())
    rows = batches(folder, target="y")

    def progress(n_done, n_rows, what):
        _tell("batch", -(-n_done // rows.batch_size))

    fit_batches(_classifier(n_jobs), rows, checkpoint=checkpoint, progress=progress)
    _tell("end", time.time())


def _tell(*fact):
    print(json.dumps(fact), flush=True)


# ------------------------------------------------------------------ a cluster


def _cluster(n_workers):
    return LocalCluster(
        n_workers=n_workers, threads_per_worker=1, dashboard_address=None, memory_limit=0
    )


def _on_workers(n_blocks, n_rows, n_features, n_classes=2):
    """Let the workers make samples and labels, the same number of blocks each, and keep them."""
    client = default_client()
    X, y = [], []
    for i, worker in zip(range(n_blocks), cycle(client.nthreads())):
        block = client.submit(make_block, i, n_rows, n_features, workers=worker)
        labels = client.submit(make_labels, i, n_rows, n_classes, workers=worker)
        X.append(da.from_delayed(dask.delayed(block), (n_rows, n_features), np.float64))
        y.append(da.from_delayed(dask.delayed(labels), (n_rows,), np.int64))
    kept = dask.persist(da.concatenate(X), da.concatenate(y))
    wait(kept)
    return kept
