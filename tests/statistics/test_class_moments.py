from itertools import pairwise
from math import fsum

import numpy as np
import pytest
from scipy import sparse

from centroidal.statistics import ClassMoments, class_moments, fold_moments
from tests import reference


def assert_moments_close(actual, expected, rtol=1e-12):
    np.testing.assert_allclose(actual.counts, expected.counts, rtol=rtol)
    np.testing.assert_allclose(actual.means, expected.means, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(actual.squares, expected.squares, rtol=rtol, atol=rtol)


def assert_moments_equal(actual, expected):
    for part, expected_part in zip(
        (actual.counts, actual.means, actual.squares),
        (expected.counts, expected.means, expected.squares),
        strict=True,
    ):
        np.testing.assert_array_equal(part, expected_part)


def pooled_squares(X, codes, weights):
    """Squared deviations from the common mean, from the definition."""
    counted = codes >= 0
    X, weights = X[counted], weights[counted]
    return weights @ (X - np.average(X, axis=0, weights=weights)) ** 2


# ------------------------------------------------------------------ against the reference


def test_moments_are_those_of_two_exact_passes_however_rows_are_stored(rows, form):
    X, codes, n_classes, _ = rows
    assert_moments_close(
        class_moments(form(X), codes, n_classes), reference.class_moments(X, codes, n_classes)
    )


def test_weighted_moments_are_those_of_two_exact_passes_however_rows_are_stored(rows, form):
    X, codes, n_classes, weights = rows
    assert_moments_close(
        class_moments(form(X), codes, n_classes, weights),
        reference.class_moments(X, codes, n_classes, weights),
    )


@pytest.mark.parametrize("dtype", ["float32", "int64", "int32", "int16", "int8", "uint64", "uint8"])
def test_moments_do_not_depend_on_the_type_of_small_integers(rows, layout, dtype):
    X = np.abs(rows.X)
    assert_moments_equal(
        class_moments(layout(X.astype(dtype)), rows.codes, rows.n_classes),
        class_moments(layout(X), rows.codes, rows.n_classes),
    )


def test_truth_values_are_counted_as_bytes(rows, layout):
    truth = (rows.X > 0).astype(np.uint8)
    moments = class_moments(layout(truth), rows.codes, rows.n_classes)
    shares = [truth[rows.codes == c].mean(axis=0) for c in range(3)]
    np.testing.assert_allclose(moments.means, shares, rtol=1e-14)


def test_single_precision_is_accumulated_in_double_precision(rng, layout):
    X = rng.normal(size=(4000, 1)).astype(np.float32) + np.float32(1000)
    moments = class_moments(layout(X), np.zeros(4000, dtype=np.int32), 1)
    np.testing.assert_allclose(moments.means[0, 0], fsum(X[:, 0].tolist()) / 4000, rtol=1e-14)


def test_data_are_left_as_they_were(rows, form):
    stored = form(rows.X)
    class_moments(stored, rows.codes, rows.n_classes, rows.weights)
    left = stored.toarray() if sparse.issparse(stored) else stored
    np.testing.assert_array_equal(left, rows.X)


# ------------------------------------------------------------------ what counts


def test_rows_of_negative_code_are_left_out(rows, layout):
    kept = rows.take(rows.codes >= 0)
    assert_moments_close(
        class_moments(layout(rows.X), rows.codes, 3, rows.weights),
        class_moments(layout(kept.X), kept.codes, 3, kept.weights),
    )


def test_values_of_rows_that_are_left_out_are_never_read(rows, layout):
    X = rows.X.copy()
    X[rows.codes < 0] = np.nan
    moments = class_moments(layout(X), rows.codes, 3)
    assert np.isfinite(moments.squares).all()


def test_rows_of_weight_zero_do_not_count(rows, layout):
    kept = rows.take(rows.weights > 0)
    assert_moments_close(
        class_moments(layout(rows.X), rows.codes, 3, rows.weights),
        class_moments(layout(kept.X), kept.codes, 3, kept.weights),
    )


def test_integer_weights_are_repeats(rows, layout):
    repeats = (2 * rows.weights).astype(int)
    repeated = rows.take(np.repeat(np.arange(61), repeats))
    assert_moments_close(
        class_moments(layout(rows.X), rows.codes, 3, repeats.astype(np.float64)),
        class_moments(layout(repeated.X), repeated.codes, 3),
    )


def test_class_without_rows_has_zero_moments(rows, layout):
    moments = class_moments(layout(rows.X), np.minimum(rows.codes, 1), 3)
    assert moments.seen.tolist() == [True, True, False]
    assert not moments.means[2].any()
    assert not moments.squares[2].any()


SETS = [(), (0,), (3,), (0, 1), (1, 3), (0, 2, 3)]


def test_moments_without_folds_are_those_of_the_other_rows(rows, form, rng, small_blocks):
    folds = rng.integers(-1, 4, len(rows.X))
    found = fold_moments(form(rows.X), rows.codes, rows.n_classes, folds, SETS)
    for left_out, moments in zip(SETS, found, strict=True):
        kept = np.where((folds >= 0) & ~np.isin(folds, left_out), rows.codes, np.int32(-1))
        assert_moments_close(moments, class_moments(form(rows.X), kept, rows.n_classes))


def test_whole_numbers_in_folds_are_summarised_to_the_bit(rng, layout):
    X = rng.integers(-3, 9, size=(50, 7)).astype(float)
    codes, folds = rng.integers(0, 3, 50).astype(np.int32), np.arange(50) % 4
    found = fold_moments(layout(X), codes, 3, folds, SETS)
    for left_out, moments in zip(SETS, found, strict=True):
        kept = np.where(np.isin(folds, left_out), np.int32(-1), codes)
        assert_moments_equal(moments, class_moments(layout(X), kept, 3))


def test_class_that_is_in_one_fold_only_is_not_seen_without_it(rows, form):
    folds = np.where(rows.codes == 0, 0, np.arange(rows.codes.size) % 3)
    (without,) = fold_moments(form(rows.X), rows.codes, rows.n_classes, folds, [(0,)])
    assert without.seen.tolist() == [False, True, True]
    assert not without.means[0].any()
    assert not without.squares[0].any()


def test_outliers_of_a_fold_leave_no_trace_without_it(rows, form):
    folds = np.arange(rows.codes.size) % 3
    X = np.where(folds[:, None] == 0, 1e9, rows.X)
    (without,) = fold_moments(form(X), rows.codes, rows.n_classes, folds, [(0,)])
    kept = np.where(folds == 0, np.int32(-1), rows.codes)
    assert_moments_close(without, class_moments(form(rows.X), kept, rows.n_classes))


def test_equal_columns_have_equal_moments_to_the_bit_in_every_fold(rng):
    X = np.repeat(rng.normal(size=(40, 3)), 23, axis=1)
    codes = rng.integers(0, 2, 40).astype(np.int32)
    for moments in fold_moments(X, codes, 2, np.arange(40) % 4, SETS):
        assert_moments_equal(moments, moments.columns(np.repeat([0, 23, 46], 23)))


def test_moments_of_no_counted_row_are_empty(rows, layout):
    moments = class_moments(layout(rows.X), np.full_like(rows.codes, -1), 3)
    assert_moments_equal(moments, ClassMoments.empty(3, 7))


def test_moments_of_no_row_at_all_are_empty(rows, layout):
    moments = class_moments(layout(rows.X[:0]), rows.codes[:0], 3)
    assert_moments_equal(moments, ClassMoments.empty(3, 7))


# ------------------------------------------------------------------ equal to the bit


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_moments_are_equal_to_the_bit_for_any_number_of_threads(rng, layout, small_blocks, n_jobs):
    X = rng.normal(size=(150, 19))
    codes = rng.integers(-1, 4, size=150).astype(np.int32)
    weights = rng.random(150)
    assert_moments_equal(
        class_moments(layout(X), codes, 4, weights, n_jobs),
        class_moments(layout(X), codes, 4, weights, n_jobs=1),
    )


def test_c_and_f_order_are_equal_to_the_bit(rng, small_blocks):
    X = rng.normal(size=(150, 19))
    codes = rng.integers(-1, 4, size=150).astype(np.int32)
    weights = rng.random(150)
    assert_moments_equal(
        class_moments(np.asfortranarray(X), codes, 4, weights),
        class_moments(np.ascontiguousarray(X), codes, 4, weights),
    )


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_columns_alone_have_the_same_bits_in_blocks_of_the_same_height(rng, store, small_blocks):
    X = rng.normal(size=(61, 12))
    codes = rng.integers(0, 3, size=61).astype(np.int32)
    together = class_moments(store(X), codes, 3, height=7)
    alone = class_moments(store(X[:, 4:9]), codes, 3, height=7)
    np.testing.assert_array_equal(alone.means, together.means[:, 4:9])
    np.testing.assert_array_equal(alone.squares, together.squares[:, 4:9])


def test_blocks_of_rows_change_only_rounding(rng, small_blocks, layout):
    X = rng.normal(size=(150, 3))
    codes = rng.integers(-1, 4, size=150).astype(np.int32)
    assert_moments_close(
        class_moments(layout(X), codes, 4), reference.class_moments(X, codes, 4), rtol=1e-12
    )


# ------------------------------------------------------------------ merging


@pytest.mark.parametrize("bounds", [[0, 61], [0, 1, 2, 61], [0, 20, 40, 61], list(range(62))])
def test_any_chunking_gives_the_moments_of_one_pass(rows, layout, bounds):
    moments = ClassMoments.empty(3, 7)
    for start, stop in pairwise(bounds):
        part = rows.take(slice(start, stop))
        moments = moments.update(layout(part.X), part.codes, part.weights)
    expected = class_moments(layout(rows.X), rows.codes, 3, rows.weights)
    assert_moments_close(moments, expected, rtol=1e-11)


def test_merging_an_empty_part_changes_nothing(rows):
    moments = class_moments(rows.X, rows.codes, 3)
    empty = ClassMoments.empty(3, 7)
    assert_moments_equal(moments.merge(empty), moments)
    assert_moments_equal(empty.merge(moments), moments)


def test_merging_is_symmetric_up_to_rounding(rows):
    first, second = (
        class_moments(part.X, part.codes, 3)
        for part in (rows.take(slice(0, 25)), rows.take(slice(25, 61)))
    )
    assert_moments_close(first.merge(second), second.merge(first))


def test_merging_leaves_its_parts_alone(rows):
    first = class_moments(rows.X, rows.codes, 3)
    second = class_moments(rows.X + 1, rows.codes, 3)
    first.merge(second)
    assert_moments_equal(first, class_moments(rows.X, rows.codes, 3))
    assert_moments_equal(second, class_moments(rows.X + 1, rows.codes, 3))


def test_parts_with_other_classes_merge_once_they_are_reindexed(rows):
    """One part knows the classes 0 and 2, the other 1 and 2."""
    first = rows.take(rows.codes != 1).take(slice(0, 20))
    second = rows.take(rows.codes != 0).take(slice(20, None))
    parts = [
        class_moments(first.X, np.where(first.codes == 2, 1, first.codes), 2).reindex([0, 2], 3),
        class_moments(second.X, np.maximum(second.codes - 1, -1), 2).reindex([1, 2], 3),
    ]
    X, codes = np.vstack([first.X, second.X]), np.concatenate([first.codes, second.codes])
    assert_moments_close(parts[0].merge(parts[1]), class_moments(X, codes, 3))


@pytest.mark.parametrize("classes", [[2, 0], [1], [True, False, True]], ids=str)
def test_moments_of_some_classes_are_those_of_their_rows_alone(rows, classes):
    moments = class_moments(rows.X, rows.codes, 3, rows.weights).take_classes(np.array(classes))
    kept = np.arange(3)[np.array(classes)]
    positions = np.full(4, -1, dtype=np.int32)
    positions[kept] = np.arange(kept.size)
    alone = class_moments(rows.X, positions[rows.codes], kept.size, rows.weights)
    assert_moments_equal(moments, alone)


def test_moments_of_some_classes_leave_those_of_all_alone(rows):
    moments = class_moments(rows.X, rows.codes, 3)
    moments.take_classes(np.array([1, 2])).means[:] = 0.0
    assert_moments_equal(moments, class_moments(rows.X, rows.codes, 3))


# ------------------------------------------------------------------ accuracy


@pytest.fixture
def offset_rows(rng):
    """A spread of 1 around a mean of a million."""
    return 1e6 + rng.normal(size=(600, 2)), rng.integers(0, 2, size=600).astype(np.int32)


def exact_moments(column):
    """Mean and squares in extended precision, from exact sums."""
    column = column.astype(np.longdouble)
    mean = np.longdouble(fsum(column - 1_000_000)) / column.size + 1_000_000
    return mean, ((column - mean) ** 2).sum()


def test_large_offset_costs_no_precision(offset_rows, layout, small_blocks):
    X, codes = offset_rows
    moments = class_moments(layout(X), codes, 2)
    for c in range(2):
        for j in range(2):
            mean, squares = exact_moments(X[codes == c, j])
            assert abs(moments.means[c, j] / mean - 1) < 1e-15
            assert abs(moments.squares[c, j] / squares - 1) < 1e-10


def test_large_offset_costs_no_precision_in_many_chunks(offset_rows, layout):
    X, codes = offset_rows
    moments = ClassMoments.empty(2, 2)
    for start in range(0, 600, 7):
        moments = moments.update(layout(X[start : start + 7]), codes[start : start + 7])
    for c in range(2):
        mean, squares = exact_moments(X[codes == c, 0])
        assert abs(moments.means[c, 0] / mean - 1) < 1e-15
        assert abs(moments.squares[c, 0] / squares - 1) < 1e-10


def test_large_offset_costs_the_variance_no_precision(offset_rows, layout):
    X, codes = offset_rows
    _, squares = exact_moments(X[:, 0])
    variance = class_moments(layout(X), codes, 2).variance[0]
    assert abs(variance / (squares / 600) - 1) < 1e-10


# ------------------------------------------------------------------ what is derived


def test_overall_mean_is_the_mean_of_all_rows_that_count(rows):
    moments = class_moments(rows.X, rows.codes, 3, rows.weights)
    counted = rows.take(rows.codes >= 0)
    expected = np.average(counted.X, axis=0, weights=counted.weights)
    np.testing.assert_allclose(moments.overall_mean, expected, rtol=1e-12)


def test_variance_is_that_of_all_rows_around_their_mean(rows, layout):
    moments = class_moments(layout(rows.X), rows.codes, 3, rows.weights)
    expected = pooled_squares(rows.X, rows.codes, rows.weights) / moments.counts.sum()
    np.testing.assert_allclose(moments.variance, expected, rtol=1e-12, atol=1e-30)


def test_within_variance_is_pooled_around_the_class_means(rows, layout):
    moments = class_moments(layout(rows.X), rows.codes, 3, rows.weights)
    squares = reference.class_moments(rows.X, rows.codes, 3, rows.weights).squares
    expected = squares.sum(axis=0) / moments.counts.sum()
    np.testing.assert_allclose(moments.within_variance, expected, rtol=1e-12, atol=1e-30)


@pytest.mark.parametrize("value", [0.1, 1e-8, 1 / 3, -1e6 / 7, 1e100])
def test_constant_feature_has_a_variance_of_exactly_zero(rng, layout, value):
    X = np.full((601, 1), value)
    codes = rng.integers(0, 3, size=601).astype(np.int32)
    moments = class_moments(layout(X), codes, 3, rng.random(601))
    assert moments.variance.tolist() == [0.0]
    assert moments.within_variance.tolist() == [0.0]


def test_constant_feature_keeps_a_variance_of_zero_when_parts_merge(rng, layout):
    moments = ClassMoments.empty(2, 1)
    for size in range(1, 30):
        codes = rng.integers(0, 2, size=size).astype(np.int32)
        moments = moments.update(layout(np.full((size, 1), 0.1)), codes, rng.random(size))
    assert moments.variance.tolist() == [0.0]


def test_feature_that_is_constant_in_each_class_has_no_within_variance(rng, layout):
    codes = rng.integers(0, 3, size=601).astype(np.int32)
    X = np.array([0.1, 0.2, -0.7])[codes][:, None]
    moments = class_moments(layout(X), codes, 3, rng.random(601))
    assert moments.within_variance.tolist() == [0.0]
    assert moments.variance[0] > 0.1


def test_small_spread_around_a_large_mean_is_not_taken_for_rounding(rng, layout):
    X = 1e3 + 1e-7 * rng.normal(size=(500, 1))
    moments = class_moments(layout(X), np.zeros(500, dtype=np.int32), 1)
    assert np.sqrt(moments.variance[0]) == pytest.approx(X.std(), rel=1e-6)
