"""What fits on large data cost: rates from small runs, and what they predict of larger ones.

Beside the rows of the family, the tables of the user guide's page on scale are written.
"""

import csv
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from dask.distributed import Client
from scipy.optimize import nnls
from scipy.sparse import csr_array

from centroidal import SparseCenterClassifier
from centroidal.model_selection import select_features
from centroidal.streaming import batches, fit_batches

from ._measure import seconds
from ._parts import write_parquet
from .streams import _cluster, _on_workers

__all__ = ["CASES", "Rates", "Selection", "Size", "predict"]

_RESULTS = Path(__file__).parent / "results"
_TOLERANCE = 1.3
_ROUNDS = 9
_CACHE = 8e6  # bytes of a summary that stay close to a core


class Size(NamedTuple):
    """What a fit has before it: rows, features, values stored a row, classes, rows of a block."""

    n_rows: int
    n_features: int
    row_values: int
    n_classes: int
    block_rows: int

    @property
    def n_blocks(self):
        """Number of batches or blocks."""
        return -(-self.n_rows // self.block_rows)

    @property
    def summary(self):
        """Bytes of the means and squares of all classes."""
        return 16 * self.n_classes * self.n_features


class Rates(NamedTuple):
    """Seconds a value; of a block a feature, a feature of a class, and as such; of a fit a feature.

    And of a fit as such.
    """

    value: float
    feature: float
    statistic: float
    block: float
    solved: float
    fit: float


def predict(size, rates, n_workers=1):
    """Return the seconds of a fit in one pass; what is done once or by blocks is not shared."""
    values = size.n_rows * size.row_values * rates.value
    of_a_block = size.n_features * (rates.feature + size.n_classes * rates.statistic)
    shared = values + size.n_blocks * of_a_block
    once = size.n_features * rates.solved + rates.fit
    return shared / n_workers + size.n_blocks * rates.block + once


def calibrate(sizes, taken, n_workers=1):
    """Find the rates, none below 0, whose predictions are off by the smallest shares."""
    unit = np.eye(len(Rates._fields))
    costs = np.array([[predict(size, Rates(*one), n_workers) for one in unit] for size in sizes])
    found, _ = nnls(costs / np.array(taken)[:, None], np.ones(len(taken)))
    return Rates(*found.tolist())


# ------------------------------------------------------------------ the three ways


def parquet(n_jobs):
    """Dense batches of Parquet files."""
    pa.set_cpu_count(n_jobs)
    small = [
        Size(4_000, 100, 100, 2, 2_000),
        Size(40_000, 100, 100, 2, 4_000),
        Size(120_000, 100, 100, 2, 30_000),
        Size(60_000, 200, 200, 2, 15_000),
        Size(8_000, 1_000, 1_000, 2, 1_000),
        Size(8_000, 1_000, 1_000, 10, 1_000),
        Size(16_000, 1_000, 1_000, 2, 4_000),
        Size(12_000, 2_000, 2_000, 2, 2_000),
    ]
    large = [
        Size(400_000, 100, 100, 2, 40_000),
        Size(100_000, 400, 400, 5, 10_000),
        Size(40_000, 1_500, 1_500, 3, 2_500),
    ]
    with tempfile.TemporaryDirectory() as folder:
        yield from _checked(
            "Parquet, dense", small, large, lambda size: _parquet_fit(folder, size, n_jobs)
        )


def csr(n_jobs):
    """Sparse batches of an .npz file; the summary may fit in the cache or not."""
    small = [
        Size(20_000, 20_000, 100, 2, 10_000),
        Size(80_000, 100_000, 100, 2, 10_000),
        Size(80_000, 150_000, 100, 2, 40_000),
        Size(160_000, 160_000, 100, 2, 20_000),
        Size(160_000, 150_000, 50, 2, 40_000),
        Size(60_000, 80_000, 100, 5, 10_000),
        Size(160_000, 600_000, 100, 2, 40_000),
        Size(240_000, 400_000, 100, 2, 60_000),
        Size(80_000, 1_200_000, 100, 2, 20_000),
        Size(80_000, 300_000, 100, 5, 20_000),
        Size(80_000, 600_000, 100, 5, 40_000),
        Size(20_000, 400_000, 100, 2, 10_000),
    ]
    large = [
        Size(400_000, 200_000, 100, 2, 28_000),
        Size(400_000, 1_000_000, 100, 2, 28_000),
        Size(200_000, 500_000, 100, 5, 28_000),
    ]
    with tempfile.TemporaryDirectory() as folder:
        yield from _checked(
            ".npz, sparse", small, large, lambda size: _csr_fit(folder, size, n_jobs)
        )


def workers(n_jobs):
    """Dense blocks that are on the workers of a local cluster."""
    small = [
        Size(4_000, 200, 200, 2, 1_000),
        Size(40_000, 200, 200, 2, 1_000),
        Size(120_000, 200, 200, 2, 20_000),
        Size(20_000, 2_000, 2_000, 2, 1_000),
        Size(20_000, 2_000, 2_000, 10, 1_000),
        Size(40_000, 2_000, 2_000, 2, 10_000),
        Size(60_000, 1_000, 1_000, 2, 10_000),
    ]
    large = [
        Size(800_000, 200, 200, 2, 20_000),
        Size(200_000, 1_000, 1_000, 2, 20_000),
        Size(100_000, 2_000, 2_000, 5, 5_000),
    ]
    with _cluster(n_jobs) as cluster, Client(cluster):
        yield from _checked(f"Dask, {n_jobs} workers", small, large, _dask_fit, n_jobs)


# ------------------------------------------------------------------ the main job


class Selection(NamedTuple):
    """What nested cross-validation has before it, beside the size: folds, and who works."""

    size: Size
    n_workers: int = 1
    n_folds: int = 5
    n_repeats: int = 1

    @property
    def n_sets(self):
        """Training sets: without each fold, and without each two."""
        return self.n_repeats * self.n_folds * (self.n_folds + 1) // 2

    @property
    def n_passes(self):
        """How often samples are read: for moments, to count predictions, and to hold rows out."""
        return 3

    @property
    def summary(self):
        """Bytes of the moments of all classes in all folds."""
        return self.n_repeats * self.n_folds * self.size.summary

    @property
    def n_sent(self):
        """Bytes sent: summaries of blocks up a tree of eights, and the sum to each worker."""
        size, n_repeats = self.size, self.n_repeats
        # Counts of classes for each fold, size, and pair of folds; one order of random features.
        cells = self.n_folds * (2 + self.n_folds) * 50 * size.n_classes**2
        merged = size.n_blocks * (self.summary + 8 * n_repeats * cells) * 8 / 7
        held_out = self.n_held_out * (20 + 16 * size.n_classes)  # at each level of the tree
        n_levels = np.ceil(np.log(size.n_blocks) / np.log(8))
        return merged + self.n_workers * self.summary + held_out * n_levels

    @property
    def worker_memory(self):
        """Bytes on a worker: a block, the sum of eight summaries, and the models."""
        size = self.size
        block = size.block_rows * size.row_values * (8 if self.is_dense else 12)
        models = 8 * size.n_features * self.n_sets * (size.n_classes + 6)
        return block + max(9 * self.summary, 2 * self.summary + models)

    @property
    def n_held_out(self):
        """Rows that are learned from in the end: all, or evenly spaced ones."""
        return min(self.size.n_rows, 4_000_000 // self.size.n_classes)

    @property
    def last_memory(self):
        """Bytes on the one worker that learns from the probabilities of these rows."""
        return 150 * self.n_held_out * self.size.n_classes

    @property
    def is_dense(self):
        """Whether each feature of a row is stored."""
        return self.size.row_values == self.size.n_features

    @property
    def work(self):
        """What takes time: values, values predicted, features of blocks, blocks, models, a call."""
        size, n_repeats, n_workers = self.size, self.n_repeats, self.n_workers
        values = size.n_rows * size.row_values * n_repeats / n_workers
        features = size.n_blocks * size.n_features * size.n_classes * self.n_folds / n_workers
        solved = self.n_sets * size.n_features * size.n_classes
        return np.array(
            [
                values,
                values * self.n_folds * size.n_classes,  # a row is predicted once in each fold
                features * n_repeats,
                size.n_blocks,
                solved,
                self.n_held_out * size.n_classes,  # by one worker
                1.0,
            ]
        )


def selection(n_jobs):
    """Select features of dense blocks that are on the workers of a local cluster."""
    small = [
        Size(20_500, 50, 50, 2, 1_000),
        Size(22_000, 50, 50, 2, 11_000),
        Size(24_000, 100, 100, 2, 6_000),
        Size(22_000, 200, 200, 2, 2_000),
        Size(22_000, 100, 100, 5, 5_500),
        Size(21_000, 300, 300, 2, 7_000),
        Size(50_000, 50, 50, 2, 12_500),
        Size(20_500, 1_000, 1_000, 2, 500),
        Size(21_000, 1_000, 1_000, 2, 10_500),
    ]
    large = [
        Size(80_000, 100, 100, 2, 10_000),
        Size(30_000, 300, 300, 3, 5_000),
        Size(24_000, 600, 600, 2, 6_000),
    ]
    with _cluster(n_jobs) as cluster, Client(cluster):
        taken = _best_in_turn([_dask_selection(size) for size in (*small, *large)], rounds=3)
    work = np.array([Selection(size, n_jobs).work for size in (*small, *large)])
    times = np.array(taken)
    rates, _ = nnls(work[: len(small)] / times[: len(small), None], np.ones(len(small)))
    names = (
        "ns a value", "ns a value predicted", "ns a feature, class and fold of a block",
        "ms a block", "ns a feature and class of a training set", "ns a row and class held out",
        "ms a call",
    )  # fmt: skip
    units = np.array([1e9, 1e9, 1e9, 1e3, 1e9, 1e9, 1e3])
    shown = {name: f"{rate:.3g}" for name, rate in zip(names, rates * units, strict=True)}
    _write_rows("cost_model_selection_rates", "way", f"Dask, {n_jobs} workers", shown)
    for size, time, predicted in zip(
        large, times[len(small) :], work[len(small) :] @ rates, strict=True
    ):
        name = f"select_features, {_name(f'Dask, {n_jobs} workers', size)}"
        _write_rows("cost_model_check", "case", name, _shown_check(time, predicted))
        off = max(time / predicted, predicted / time)
        yield {
            "case": name,
            "ours": time,
            "limit": ("predicted by the cost model", predicted, None),
            "reached": off <= _TOLERANCE,
            "note": f"off by {100 * (off - 1):.0f} %, at most {100 * (_TOLERANCE - 1):.0f} % "
            "allowed either way; " + ", ".join(f"{what}: {rate}" for what, rate in shown.items()),
        }
    _write_largest_selection(rates)


def _dask_selection(size):
    X, y = _on_workers(size.n_blocks, size.block_rows, size.n_features, size.n_classes)
    return lambda: select_features(X, y, random_state=0)


def _write_largest_selection(rates):
    """Write what nested cross-validation of 10^9 rows of 10^6 features would cost."""
    for n_workers, block_rows in ((16, 250_000), (64, 250_000), (64, 1_000_000)):
        asked = Selection(Size(10**9, 10**6, 100, 2, block_rows), n_workers)
        n_read = asked.n_passes * asked.size.n_rows * (asked.size.row_values * 12 + 8)
        shown = {
            "passes": asked.n_passes,
            "read, TB": f"{n_read / 1e12:.2f}",
            "sent, GB": f"{asked.n_sent / 1e9:.0f}",
            "GB a worker": f"{asked.worker_memory / 1e9:.1f}",
            "GB on one at the end": f"{asked.last_memory / 1e9:.1f}",
            "hours of work": f"{asked.work @ rates / 3600:.2g}",
            "to read at 500 MB/s each": f"{n_read / n_workers / 5e8 / 3600:.2g}",
            "to send at 1 GB/s each": f"{asked.n_sent / n_workers / 1e9 / 3600:.1g}",
        }
        how = f"{n_workers}, blocks of {block_rows} rows"
        _write_rows("cost_model_selection_largest", "workers", how, shown)


def _checked(way, small, large, prepare, n_workers=1):
    """Yield a row for each large size, predicted by rates from the small ones of its regime."""
    taken = _best_in_turn([prepare(size) for size in (*small, *large)])
    known = list(zip(small, taken[: len(small)], strict=True))
    for regime in dict.fromkeys(_regime(way, size) for size in large):
        own = [(size, time) for size, time in known if _regime(way, size) == regime]
        rates = calibrate(*zip(*own, strict=True), n_workers)
        _write_rows("cost_model_rates", "way", regime, _shown_rates(rates))
        for size, time in zip(large, taken[len(small) :], strict=True):
            if _regime(way, size) == regime:
                yield _compared(_name(way, size), time, predict(size, rates, n_workers), rates)
    if way.startswith(".npz"):
        _write_largest(rates)  # whose summary is one of the larger ones


def _regime(way, size):
    """Name the sizes that have rates in common.

    Sparse values land anywhere in the summary, so that it matters whether it is in the cache; dense
    ones take its columns in turn.
    """
    if size.row_values == size.n_features:
        return way
    return f"{way}, summary {'within' if size.summary <= _CACHE else 'beyond'} {_CACHE / 1e6:g} MB"


def _compared(name, taken, predicted, rates):
    _write_rows("cost_model_check", "case", name, _shown_check(taken, predicted))
    off = max(taken / predicted, predicted / taken)
    return {
        "case": name,
        "ours": taken,
        "limit": ("predicted by the cost model", predicted, None),
        "reached": off <= _TOLERANCE,
        "note": f"off by {100 * (off - 1):.0f} %, at most {100 * (_TOLERANCE - 1):.0f} % allowed "
        "either way; " + ", ".join(f"{what}: {rate}" for what, rate in _shown_rates(rates).items()),
    }


def _best_in_turn(fits, rounds=_ROUNDS):
    """Best seconds of each fit; a slow minute of the machine hits them all."""
    for fit in fits:
        fit()
    taken = [[seconds(fit) for fit in fits] for _ in range(rounds)]
    return [min(each) for each in zip(*taken, strict=True)]


def _parquet_fit(folder, size, n_jobs):
    path = Path(folder) / "-".join(map(str, size))
    n_rows, n_features = size.block_rows, size.n_features  # a file, one row group, is a batch
    write_parquet(path, size.n_blocks, n_rows, n_features, np.float64, size.n_classes)
    rows = batches(path, target="y", batch_size=size.block_rows)
    return lambda: fit_batches(_classifier(n_jobs), rows)


def _csr_fit(folder, size, n_jobs):
    path = Path(folder) / ("-".join(map(str, size)) + ".npz")
    rng = np.random.default_rng(0)
    n_values = size.n_rows * size.row_values
    columns = rng.integers(0, size.n_features, (size.n_rows, size.row_values), dtype=np.int32)
    starts = np.arange(0, n_values + 1, size.row_values)
    values = rng.random(n_values), np.sort(columns, axis=1).ravel(), starts
    X = csr_array(values, shape=(size.n_rows, size.n_features))
    X.sum_duplicates()
    y = rng.integers(0, size.n_classes, size.n_rows)
    np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
    rows = batches(path, target="y", batch_size=size.block_rows)
    return lambda: fit_batches(_classifier(n_jobs), rows)


def _dask_fit(size):
    X, y = _on_workers(size.n_blocks, size.block_rows, size.n_features, size.n_classes)
    return lambda: _classifier(1).fit(X, y)


def _classifier(n_jobs):
    return SparseCenterClassifier(50, scale="std", n_jobs=n_jobs)


# ------------------------------------------------------------------ tables of the user guide


def _name(way, size):
    dense = size.row_values == size.n_features
    stored = "" if dense else f", {size.row_values} stored a row"
    return (
        f"{way}: {size.n_rows} x {size.n_features}{stored}, {size.n_classes} classes, "
        f"{size.n_blocks} blocks"
    )


def _shown_rates(rates):
    return {
        "ns a value": f"{rates.value * 1e9:.3g}",
        "ns a feature of a block": f"{rates.feature * 1e9:.3g}",
        "ns a class and feature of a block": f"{rates.statistic * 1e9:.3g}",
        "ms a block": f"{rates.block * 1e3:.3g}",
        "ns a feature of a fit": f"{rates.solved * 1e9:.3g}",
        "ms a fit": f"{rates.fit * 1e3:.3g}",
    }


def _shown_check(taken, predicted):
    return {
        "predicted, s": f"{predicted:.3g}",
        "measured, s": f"{taken:.3g}",
        "measured / predicted": f"{taken / predicted:.2f}",
    }


def _write_largest(rates):
    """Write what 10^9 rows of 10^6 features, 100 stored a row, would cost by the rates of CSR."""
    for n_processes, block_rows in ((1, 27_776), (1, 250_000), (16, 250_000), (64, 250_000)):
        size = Size(10**9, 10**6, 100, 2, block_rows)
        n_read = size.n_rows * (size.row_values * 12 + 8)
        n_sent = 0 if n_processes == 1 else size.n_blocks * size.summary * 8 / 7
        shown = {
            "read, TB": f"{n_read / 1e12:.2f}",
            "sent, GB": f"{n_sent / 1e9:.0f}",
            "hours to summarise": f"{predict(size, rates, n_processes) / 3600:.2g}",
            "to read at 500 MB/s each": f"{n_read / n_processes / 5e8 / 3600:.2g}",
            "to send at 1 GB/s each": f"{n_sent / n_processes / 1e9 / 3600:.1g}",
        }
        how = f"{n_processes}, blocks of {block_rows} rows"
        _write_rows("cost_model_largest", "processes", how, shown)


def _write_rows(name, key, value, columns):
    """Write a row of a table, in place of that with the same key."""
    path = _RESULTS / f"{name}.csv"
    rows = []
    if path.exists():
        with path.open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if row[key] != value]
    rows.append({key: value, **columns})
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[-1]))
        writer.writeheader()
        writer.writerows(rows)


CASES = [parquet, csr, workers, selection]
