import threading

import pytest

from centroidal.statistics.threads import column_blocks, map_blocks, run_blocks


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
