import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from centroidal import (
    DisjointCentroidClassifier,
    FisherSubspaceClassifier,
    KernelFisherSubspaceClassifier,
    L21CentroidSelector,
    LinearCentroidEncoder,
    ReliefFSelector,
    SparseCenterClassifier,
)
from centroidal.solvers import feature_partitions, l21_centroids, linear_centroid_encoder, relieff
from centroidal.statistics import gram, spectrum
from centroidal.statistics.threads import (
    column_blocks,
    limit_blas,
    map_blocks,
    one_ahead,
    run_blocks,
)


@pytest.mark.parametrize("n_columns", [0, 1, 511, 512, 513, 2000])
def test_blocks_cover_every_column_once_in_order(n_columns):
    covered = [j for start, stop in column_blocks(n_columns) for j in range(start, stop)]
    assert covered == list(range(n_columns))


def test_no_block_is_wider_than_asked():
    assert column_blocks(10, width=4) == [(0, 4), (4, 8), (8, 10)]


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3, -1])
def test_results_come_in_the_order_of_the_blocks(n_jobs):
    blocks = column_blocks(50, width=3)
    assert list(map_blocks(lambda *block: block, blocks, n_jobs)) == blocks


@pytest.mark.parametrize("n_jobs", [float("nan"), float("inf"), 2.0, "2", 0])
def test_what_is_no_number_of_jobs_is_refused_by_name(n_jobs):
    with pytest.raises((TypeError, ValueError), match="n_jobs"):
        list(map_blocks(lambda *block: block, column_blocks(50, width=3), n_jobs))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_block_is_run_although_no_result_is_kept(n_jobs):
    seen = []
    run_blocks(lambda start, stop: seen.append(start), column_blocks(50, width=3), n_jobs)
    assert sorted(seen) == list(range(0, 50, 3))


def test_blocks_see_the_memory_of_the_caller():
    """Threads, not processes: results are written in place."""
    counts = [0] * 50

    def fill(start, stop):
        for j in range(start, stop):
            counts[j] += 1

    run_blocks(fill, column_blocks(50, width=3), n_jobs=2)
    assert counts == [1] * 50


def test_several_threads_share_the_work():
    """Both must be inside at once for either to get out."""
    meeting = threading.Barrier(2, timeout=30)
    places = list(map_blocks(lambda start, stop: meeting.wait(), [(0, 1), (1, 2)], n_jobs=2))
    assert sorted(places) == [0, 1]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_error_in_a_block_reaches_the_caller(n_jobs):
    def fail(start, stop):
        raise ValueError(f"block {start} to {stop}")

    with pytest.raises(ValueError, match=r"block \d to \d"):
        run_blocks(fail, column_blocks(9, width=3), n_jobs)


# ------------------------------------------------------------------ threads of BLAS


def n_blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture
def two_threads():
    """BLAS with two threads, on however many cores."""
    with threadpool_limits(2, "blas"):
        assert n_blas_threads() == {2}
        yield


@pytest.mark.usefixtures("two_threads")
def test_small_work_has_one_thread_of_blas():
    with limit_blas(200, 20000):
        assert n_blas_threads() == {1}
    assert n_blas_threads() == {2}


@pytest.mark.usefixtures("two_threads")
def test_large_work_has_all_threads_of_blas():
    with limit_blas(20000, 20000):
        assert n_blas_threads() == {2}


@pytest.mark.usefixtures("two_threads")
def test_limits_may_be_nested():
    with limit_blas(20, 20):
        with limit_blas(20, 20):
            assert n_blas_threads() == {1}
        assert n_blas_threads() == {1}
    assert n_blas_threads() == {2}


@pytest.mark.usefixtures("two_threads")
def test_error_inside_restores_the_threads():
    with pytest.raises(ValueError, match="inside"), limit_blas(20, 20):
        raise ValueError("inside")
    assert n_blas_threads() == {2}


@pytest.mark.usefixtures("two_threads")
def test_limit_is_restored_although_another_thread_is_still_inside():
    entered, may_leave = threading.Event(), threading.Event()

    def stay():
        with limit_blas(20, 20):
            entered.set()
            assert may_leave.wait(30)

    with ThreadPoolExecutor(1) as pool:
        with limit_blas(20, 20):
            other = pool.submit(stay)
            assert entered.wait(30)
        assert n_blas_threads() == {2}
        may_leave.set()
        other.result()
    assert n_blas_threads() == {2}


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(
    ("module", "function", "model"),
    [
        (spectrum, "_pull_back", SparseCenterClassifier(3, metric="mahalanobis")),
        (spectrum, "_pull_back", FisherSubspaceClassifier()),
        (gram, "_whiten_means", KernelFisherSubspaceClassifier(whitening="full")),
        (l21_centroids, "_solve_inside", L21CentroidSelector(alpha=0.3)),
        (linear_centroid_encoder, "solve_lasso", LinearCentroidEncoder()),
        (relieff, "_block_pairs", ReliefFSelector(metric="euclidean")),
        (feature_partitions, "assign", DisjointCentroidClassifier()),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else None,
)
def test_fit_of_a_small_table_has_one_thread_of_blas(module, function, model, rng, monkeypatch):
    seen, original = [], getattr(module, function)

    def look(*args, **options):
        seen.append(n_blas_threads())
        return original(*args, **options)

    monkeypatch.setattr(module, function, look)
    y = np.arange(30) % 2
    model.fit(rng.normal(size=(30, 60)) + y[:, None], y)
    assert seen
    assert all(found == {1} for found in seen)
    assert n_blas_threads() == {2}


def test_one_ahead_yields_the_items_in_their_order():
    assert list(one_ahead(iter(range(20)))) == list(range(20))
    assert list(one_ahead([])) == []


def test_one_ahead_makes_the_next_item_meanwhile_and_no_more():
    made = []

    def items():
        for number in range(5):
            made.append(number)
            yield number

    coming = one_ahead(items())
    assert next(coming) == 0
    coming.close()  # waits for what is being made
    assert made == [0, 1]


def test_one_ahead_raises_where_the_item_would_come():
    def items():
        yield 1
        raise ValueError("the second one is broken")

    coming = one_ahead(items())
    assert next(coming) == 1
    with pytest.raises(ValueError, match="the second one is broken"):
        next(coming)
