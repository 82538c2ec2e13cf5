"""Summaries of Dask blocks: those of the same rows in memory."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from centroidal.statistics import class_medians, class_moments, median_deviations

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

from dask.callbacks import Callback  # noqa: E402

from centroidal.statistics.dask_blocks import DaskBlocks  # noqa: E402
from centroidal.statistics.dask_collection import RowBlocks  # noqa: E402

N_CLASSES = 3


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(57, 10)) * rng.integers(0, 2, size=(57, 10))
    codes = rng.integers(0, N_CLASSES, size=57).astype(np.int32)
    return X, codes, rng.uniform(0.0, 2.0, size=57)


def blocks_of(X, chunks, *columns):
    blocks = DaskBlocks.of(da.from_array(X, chunks=chunks))
    return blocks, *(blocks.pair("values", column) for column in columns)


CHUNKS = [(57, 10), (8, 10), (57, 3), (8, 3), (1, 10)]


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_moments_are_those_of_all_rows(rows, chunks, is_weighted):
    X, codes, weights = rows
    blocks, own, weight = blocks_of(X, chunks, codes, weights)
    found = class_moments(blocks, own, N_CLASSES, weight if is_weighted else None)
    expected = class_moments(X, codes, N_CLASSES, weights if is_weighted else None)
    for name in ("counts", "means", "squares"):
        actual = getattr(found, name)
        np.testing.assert_allclose(actual, getattr(expected, name), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_medians_and_deviations_are_exact(rows, chunks, is_weighted):
    X, codes, weights = rows
    blocks, own, weight = blocks_of(X, chunks, codes, weights)
    weights, weight = (weights, weight) if is_weighted else (None, None)
    found, expected = (
        class_medians(blocks, own, N_CLASSES, weight),
        class_medians(X, codes, N_CLASSES, weights),
    )
    for actual, desired in zip(found, expected, strict=True):
        np.testing.assert_array_equal(actual, desired)
    np.testing.assert_array_equal(
        median_deviations(blocks, own, found.medians, weight),
        median_deviations(X, codes, expected.medians, weights),
    )


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, sparse.csc_array])
def test_sparse_blocks_stay_sparse(rows, kind, monkeypatch):
    X, codes, _ = rows
    for name in ("toarray", "todense"):
        monkeypatch.setattr(kind, name, None)
    parts = [[dask.delayed(kind(X[rows]))] for rows in (slice(0, 30), slice(30, 57))]
    blocks = DaskBlocks(parts, [0, 10], [30, 27], np.empty((0, 10)))
    own = blocks.pair("codes", codes)
    found = class_moments(blocks, own, N_CLASSES)
    np.testing.assert_allclose(found.means, class_moments(X, codes, N_CLASSES).means, atol=1e-12)
    medians = class_medians(blocks, own, N_CLASSES).medians
    np.testing.assert_array_equal(medians, class_medians(X, codes, N_CLASSES).medians)


def test_the_number_of_threads_does_not_change_a_bit(rows):
    X, codes, weights = rows
    blocks, own, weight = blocks_of(X, (3, 4), codes, weights)
    first = class_moments(blocks, own, N_CLASSES, weight)
    for n_threads in (1, 2, 5):
        with dask.config.set(scheduler="threads", num_workers=n_threads):
            again = class_moments(blocks, own, N_CLASSES, weight)
        for name in ("counts", "means", "squares"):
            np.testing.assert_array_equal(getattr(again, name), getattr(first, name))


def test_negative_codes_leave_rows_out(rows):
    X, codes, _ = rows
    codes[10:20] = -1
    blocks, own = blocks_of(X, (8, 4), codes)
    kept = codes >= 0
    expected = class_moments(X[kept], codes[kept], N_CLASSES)
    found = class_moments(blocks, own, N_CLASSES)
    np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_allclose(found.means, expected.means, atol=1e-12)


def test_blocks_without_rows_change_nothing(rows):
    X, codes, _ = rows
    cuts = [0, 0, 30, 30, 57, 57]
    grid = [[dask.delayed(X[a:b])] for a, b in zip(cuts[:-1], cuts[1:], strict=True)]
    blocks = DaskBlocks(grid, [0, 10], None, np.empty((0, 10)))
    own = RowBlocks([codes[a:b] for a, b in zip(cuts[:-1], cuts[1:], strict=True)])
    found = class_moments(blocks, own, N_CLASSES)
    np.testing.assert_allclose(found.means, class_moments(X, codes, N_CLASSES).means, atol=1e-12)
    medians = class_medians(blocks, own, N_CLASSES).medians
    np.testing.assert_array_equal(medians, class_medians(X, codes, N_CLASSES).medians)


def test_a_column_in_memory_is_cut_where_blocks_of_unknown_length_begin(rows):
    X, codes, _ = rows
    lazy = da.from_array(X, chunks=(8, 10))
    blocks = DaskBlocks.of(lazy[lazy[:, 0] < np.inf])
    assert np.isnan(blocks.shape[0])
    parts = blocks.pair("codes", codes).parts
    assert [len(part) for part in parts] == [8, 8, 8, 8, 8, 8, 8, 1]
    assert blocks.shape == (57, 10)


def test_a_dask_column_is_cut_like_the_rows(rows):
    X, codes, _ = rows
    _, own = blocks_of(X, (8, 3), da.from_array(codes, chunks=13))
    assert [len(part) for part in own.gather()] == [8, 8, 8, 8, 8, 8, 8, 1]


@pytest.mark.parametrize("ends", [[57], [30], [1, 2, 3], [8, 8, 16], list(range(57))])
def test_columns_in_another_number_of_blocks_are_cut_to_fit(rows, ends):
    X, codes, _ = rows
    lazy = da.from_array(X, chunks=(8, 10))
    blocks = DaskBlocks.of(lazy[lazy[:, 0] < np.inf])
    own = blocks.pair("y", [dask.delayed(part) for part in np.split(codes, ends)])
    parts = own.gather()
    assert [len(part) for part in parts] == [8, 8, 8, 8, 8, 8, 8, 1]
    np.testing.assert_array_equal(np.concatenate(parts), codes)


def test_each_block_is_called(rows):
    X, _, _ = rows
    X[40, 5] = -99.0
    blocks, *_ = blocks_of(X, (8, 3))
    seen = []
    blocks.each_block(lambda block: seen.append(block.min()))
    assert len(seen) == 8 * 4
    assert min(seen) == -99.0


def test_merging_keeps_few_parts_at_a_time(rows):
    X, codes, _ = rows
    blocks, own = blocks_of(X, (1, 10), codes)
    merged = []
    with Callback(pretask=lambda key, *_: merged.append(str(key))):
        class_moments(blocks, own, N_CLASSES)
    # 57 parts, by eights: 8 merges, and one of them.
    assert sum("_merge_moments" in key for key in merged) == 9


def test_functions_of_a_column_are_one_task_a_block():
    tasks = []
    column = RowBlocks([dask.delayed(i) for i in range(3)]).map(abs).map(float).map(str)
    with Callback(pretask=lambda key, *_: tasks.append(key)):
        assert column.gather() == ("0.0", "1.0", "2.0")
    assert len(tasks) == 3
    assert all(key.startswith("str-") for key in tasks)


def test_codes_are_made_once_for_all_blocks_of_columns(rows):
    X, codes, _ = rows
    made = []
    blocks, own = blocks_of(X, (20, 4), codes)
    found = class_moments(blocks, own.map(lambda part: made.append(part) or part), N_CLASSES)
    assert sorted(part.size for part in made) == [17, 20, 20]  # in the order of the threads
    np.testing.assert_allclose(found.means, class_moments(X, codes, N_CLASSES).means, atol=1e-12)


@pytest.mark.parametrize("n_folds", [2, 3, 7])
def test_folds_are_those_of_scikit_learn(n_folds, rng):
    for _ in range(3):
        codes = rng.permutation(np.repeat(np.arange(4, dtype=np.int32), [7, 9, 20, 30]))
        blocks = RowBlocks(np.split(codes, [0, 10, 30, 31]))
        expected = StratifiedKFold(n_folds).split(codes, codes)
        folds = blocks.stratified_folds(4, n_folds)
        for found, rows in zip(folds, expected, strict=True):
            for part, desired in zip(found, rows, strict=True):
                mask = np.concatenate(part.gather())
                np.testing.assert_array_equal(np.flatnonzero(mask), desired)


def test_sums_over_whole_rows(rows):
    X, codes, weights = rows
    blocks, own, weight = blocks_of(X, (8, 3), codes, weights)
    found = blocks.sum_rows(lambda X, codes, weights: weights @ X + codes.sum(), own, weight)
    np.testing.assert_allclose(found, weights @ X + codes.sum(), rtol=1e-12)


class TestErrors:
    def test_folds_that_are_too_many(self, rows):
        own = RowBlocks([rows[1], np.array([3, 3], dtype=np.int32)])
        with pytest.raises(ValueError, match="cv=3 must be at most 2, the number of samples of"):
            own.stratified_folds(4, 3)

    def test_columns_of_another_length(self, rows):
        X, codes, _ = rows
        with pytest.raises(ValueError, match="X has 57 rows, and y has 56."):
            blocks_of(X, (8, 3))[0].pair("y", codes[1:])
        with pytest.raises(ValueError, match="X has 57 rows, and y has 56."):
            blocks_of(X, (8, 3))[0].pair("y", da.from_array(codes[1:], chunks=8))

    def test_columns_of_another_length_in_another_number_of_blocks(self, rows):
        X, codes, _ = rows
        lazy = da.from_array(X, chunks=(8, 10))
        blocks = DaskBlocks.of(lazy[lazy[:, 0] < np.inf])
        with pytest.raises(ValueError, match="X has 57 rows, and y has 56."):
            blocks.pair("y", [dask.delayed(codes[1:])])

    def test_blocks_of_another_length(self, rows):
        X, codes, _ = rows
        blocks = DaskBlocks.of([dask.delayed(X[:20]), dask.delayed(X[20:])])
        own = blocks.pair("y", [dask.delayed(codes[:20]), dask.delayed(codes[30:])])
        with pytest.raises(ValueError, match="block 1 of X has 37 rows, and of y 27."):
            class_moments(blocks, own, N_CLASSES)
        with pytest.raises(ValueError, match="block 1 of X has 37 rows, and of y 27."):
            class_medians(blocks, own, N_CLASSES)

    def test_blocks_of_another_width(self, rows):
        X, codes, _ = rows
        blocks = DaskBlocks.of([dask.delayed(X[:20]), dask.delayed(X[20:, :4])])
        own = blocks.pair("y", [dask.delayed(codes[:20]), dask.delayed(codes[20:])])
        with pytest.raises(ValueError, match="block 1 of X has 4 columns; it must have 10."):
            class_moments(blocks, own, N_CLASSES)

    def test_columns_of_two_dimensions(self, rows):
        X, _, _ = rows
        with pytest.raises(ValueError, match="y must have 1 dimension; it has 2."):
            blocks_of(X, (8, 3))[0].pair("y", da.zeros((57, 1)))

    def test_a_column_that_is_no_collection_of_rows(self, rows):
        X, codes, _ = rows
        with pytest.raises(TypeError, match="y=.* must be a Dask array or series"):
            blocks_of(X, (8, 3))[0].pair("y", dask.delayed(codes))

    @pytest.mark.parametrize("shape", [(5,), (5, 2, 2)])
    def test_arrays_of_other_dimensions(self, shape):
        with pytest.raises(ValueError, match="must have 2 dimensions"):
            DaskBlocks.of(da.zeros(shape))

    def test_blocks_of_one_dimension(self, rows):
        with pytest.raises(ValueError, match="a block of X is a ndarray; it must have 2"):
            DaskBlocks.of([dask.delayed(rows[1])])

    def test_columns_of_unknown_number(self, rows):
        lazy = da.from_array(rows[0], chunks=(8, 10))
        with pytest.raises(ValueError, match="unknown number of columns"):
            DaskBlocks.of(lazy[:, lazy[0] < np.inf])

    def test_what_is_no_matrix(self):
        bag = pytest.importorskip("dask.bag")
        with pytest.raises(TypeError, match="must be a Dask array or data frame"):
            DaskBlocks.of(bag.from_sequence([1, 2]))
