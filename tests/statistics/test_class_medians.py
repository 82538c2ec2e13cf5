import numpy as np
import pytest
from scipy import sparse

from centroidal.statistics import class_medians, median_deviations
from tests import reference


def assert_medians_close(actual, expected):
    """Medians to the bit; what is added up, to rounding."""
    np.testing.assert_allclose(actual.counts, expected.counts, rtol=1e-14)
    np.testing.assert_array_equal(actual.medians, expected.medians)
    np.testing.assert_array_equal(actual.shared, expected.shared)
    np.testing.assert_allclose(actual.dispersions, expected.dispersions, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(actual.shared_dispersion, expected.shared_dispersion, rtol=1e-12)


def assert_medians_equal(actual, expected):
    for part, expected_part in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(part, expected_part)


def codes_of(*sizes):
    """Labels of classes that follow each other."""
    return np.repeat(np.arange(len(sizes)), sizes).astype(np.int32)


@pytest.fixture(params=["equal", "weighted", "sparse"])
def medians_of(request):
    """Each of the three loops, all rows weighing 1."""

    def summarise(values, codes, n_classes):
        X = np.asarray(values, dtype=np.float64)[:, None]
        if request.param == "equal":
            return class_medians(X, codes, n_classes)
        if request.param == "weighted":
            return class_medians(X, codes, n_classes, np.ones(len(X)))
        return class_medians(sparse.csc_array(X), codes, n_classes)

    return summarise


# ------------------------------------------------------------------ against the reference


def test_medians_are_those_of_the_definition_however_rows_are_stored(rows, form):
    X, codes, n_classes, _ = rows
    assert_medians_close(
        class_medians(form(X), codes, n_classes), reference.class_medians(X, codes, n_classes)
    )


def test_weighted_medians_are_those_of_the_definition_however_rows_are_stored(rows, form):
    X, codes, n_classes, weights = rows
    assert_medians_close(
        class_medians(form(X), codes, n_classes, weights),
        reference.class_medians(X, codes, n_classes, weights),
    )


@pytest.mark.parametrize("n_classes", [1, 2, 3, 5])
def test_medians_of_many_tied_values_are_those_of_the_definition(rng, medians_of, n_classes):
    for _ in range(40):
        n = rng.integers(n_classes, 25)
        codes = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
        values = rng.integers(-2, 3, size=n)
        expected = reference.class_medians(values[:, None], codes, n_classes)
        assert_medians_close(medians_of(values, codes.astype(np.int32), n_classes), expected)


def test_medians_of_continuous_values_are_those_of_the_definition(rng, layout):
    X = rng.normal(size=(83, 3))
    codes = rng.integers(-1, 4, size=83).astype(np.int32)
    assert_medians_close(class_medians(layout(X), codes, 4), reference.class_medians(X, codes, 4))


@pytest.mark.parametrize("dtype", ["float32", "int64", "int16", "uint8"])
def test_medians_do_not_depend_on_the_type_of_small_integers(rows, layout, dtype):
    X = np.abs(rows.X)
    assert_medians_equal(
        class_medians(layout(X.astype(dtype)), rows.codes, rows.n_classes),
        class_medians(layout(X), rows.codes, rows.n_classes),
    )


def test_class_medians_are_those_of_numpy(rng, layout):
    X = rng.normal(size=(100, 3))
    codes = codes_of(39, 60, 1)
    expected = [np.median(X[codes == c], axis=0) for c in range(3)]
    np.testing.assert_array_equal(class_medians(layout(X), codes, 3).medians, expected)


def test_data_are_left_as_they_were(rows, form):
    stored = form(rows.X)
    class_medians(stored, rows.codes, rows.n_classes, rows.weights)
    left = stored.toarray() if sparse.issparse(stored) else stored
    np.testing.assert_array_equal(left, rows.X)


# ------------------------------------------------------------------ half-half splits


def test_median_of_an_even_number_is_the_middle_of_two(medians_of):
    medians = medians_of([4, 1, 2, 8, 7, 7], codes_of(4, 2), 2)
    assert medians.medians.ravel().tolist() == [3.0, 7.0]


def test_shared_median_of_classes_side_by_side_is_the_middle_of_the_gap(medians_of):
    """Three samples below weigh 1/3 each, seven above 1/7 each: exactly half and half."""
    medians = medians_of([0, 1, 2, 10, 11, 12, 13, 14, 15, 16], codes_of(3, 7), 2)
    assert medians.shared.tolist() == [6.0]


def test_half_half_split_across_three_classes_gives_the_midpoint(medians_of):
    """1/3 + 3/7 + 31/42 is half of three, though not in floating point."""
    below = [[0] * 1, [0] * 3, [0] * 31]
    above = [[5] * 2, [5] * 4, [5] * 11]
    values = np.concatenate([low + high for low, high in zip(below, above, strict=True)])
    assert medians_of(values, codes_of(3, 7, 42), 3).shared.tolist() == [2.5]


def test_half_half_split_of_very_many_duplicates_gives_the_midpoint(medians_of):
    values = np.repeat([2.0, 7.0, 2.0, 7.0], [40_000, 60_001, 60_001, 40_000])
    medians = medians_of(values, codes_of(100_001, 100_001), 2)
    assert medians.shared.tolist() == [4.5]


def test_one_sample_more_on_a_side_decides_among_very_many(medians_of):
    values = np.repeat([2.0, 7.0, 2.0, 7.0], [40_001, 60_000, 60_001, 40_000])
    medians = medians_of(values, codes_of(100_001, 100_001), 2)
    assert medians.shared.tolist() == [2.0]


@pytest.mark.parametrize("weight", [0.1, 1 / 3, 1e-9, 1e7])
def test_equal_weights_of_any_size_are_no_weights(layout, weight):
    values = np.repeat([1.0, 2.0, 1.0, 2.0], [50_000, 50_000, 3, 3])[:, None]
    codes = codes_of(100_000, 6)
    weighted = class_medians(layout(values), codes, 2, np.full(len(codes), weight))
    assert weighted.medians.ravel().tolist() == [1.5, 1.5]
    assert weighted.shared.tolist() == [1.5]


def test_midpoint_skips_values_without_weight(layout):
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    medians = class_medians(
        layout(X), np.zeros(4, dtype=np.int32), 1, np.array([1.0, 0.0, 0.0, 1.0])
    )
    assert medians.medians.tolist() == [[2.5]]


def test_midpoint_of_neighbouring_class_medians_is_found(medians_of):
    """Both classes split half-half at the same place, with other neighbours."""
    medians = medians_of([0, 3, 1, 2], codes_of(2, 2), 2)
    assert medians.shared.tolist() == [1.5]


# ------------------------------------------------------------------ orders


ORDERS = {
    "sorted": lambda n: np.arange(n),
    "reversed": lambda n: np.arange(n)[::-1],
    "organ_pipe": lambda n: np.minimum(np.arange(n), np.arange(n)[::-1]),
    "valley": lambda n: np.maximum(np.arange(n), np.arange(n)[::-1]),
    "all_equal": lambda n: np.full(n, 7),
    "two_values": lambda n: np.arange(n) % 2,
    "saw": lambda n: np.arange(n) % 97,
    "one_outlier": lambda n: np.where(np.arange(n) == n // 2, 10**9, 0),
    "interleaved": lambda n: np.where(np.arange(n) % 2, np.arange(n), -np.arange(n)),
}


@pytest.mark.parametrize("n", [3000, 3001])
@pytest.mark.parametrize("order", ORDERS)
def test_no_order_of_the_values_is_a_bad_one(medians_of, order, n):
    values = ORDERS[order](n).astype(np.float64)
    medians = medians_of(values, np.zeros(n, dtype=np.int32), 1)
    assert medians.medians.tolist() == [[np.median(values)]]
    assert medians.shared.tolist() == [np.median(values)]


@pytest.mark.parametrize("order", ORDERS)
def test_no_order_of_the_values_is_a_bad_one_for_two_classes(medians_of, order):
    values = ORDERS[order](1500).astype(np.float64)
    codes = (np.arange(1500) >= 400).astype(np.int32)
    expected = reference.class_medians(values[:, None], codes, 2)
    assert_medians_close(medians_of(values, codes, 2), expected)


def test_medians_do_not_depend_on_the_order_of_rows(rows, layout, rng):
    expected = class_medians(layout(rows.X), rows.codes, 3, rows.weights)
    for _ in range(20):
        shuffled = rows.take(rng.permutation(61))
        medians = class_medians(layout(shuffled.X), shuffled.codes, 3, shuffled.weights)
        assert_medians_close(medians, expected)


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
@pytest.mark.parametrize("weighted", [False, True])
def test_medians_are_equal_to_the_bit_for_any_number_of_threads(
    rng, layout, small_blocks, n_jobs, weighted
):
    X = rng.normal(size=(40, 19))
    codes = rng.integers(-1, 3, size=40).astype(np.int32)
    weights = rng.random(40) if weighted else None
    assert_medians_equal(
        class_medians(layout(X), codes, 3, weights, n_jobs),
        class_medians(layout(X), codes, 3, weights, n_jobs=1),
    )


def test_blocks_of_columns_do_not_matter(rng, layout, request):
    X = rng.normal(size=(40, 19))
    codes = rng.integers(-1, 3, size=40).astype(np.int32)
    whole = class_medians(layout(X), codes, 3)
    request.getfixturevalue("small_blocks")
    assert_medians_equal(class_medians(layout(X), codes, 3), whole)


def test_c_and_f_order_are_equal_to_the_bit(rng):
    X = rng.normal(size=(40, 19))
    codes = rng.integers(-1, 3, size=40).astype(np.int32)
    assert_medians_equal(class_medians(np.asfortranarray(X), codes, 3), class_medians(X, codes, 3))


# ------------------------------------------------------------------ what counts


def test_implicit_zeros_are_counted():
    X = sparse.csc_array(np.array([[0.0], [0.0], [0.0], [5.0], [9.0], [9.0], [9.0], [0.0]]))
    medians = class_medians(X, codes_of(5, 3), 2)
    assert medians.medians.ravel().tolist() == [0.0, 9.0]
    assert medians.dispersions.ravel().tolist() == [14 / 5, 3.0]


def test_implicit_zeros_take_part_in_half_half_splits():
    X = sparse.csc_array(np.array([[0.0], [-4.0], [0.0], [-4.0]]))
    assert class_medians(X, codes_of(4), 1).medians.tolist() == [[-2.0]]


def test_integer_weights_are_repeats(rows, layout):
    repeats = (2 * rows.weights).astype(int)
    repeated = rows.take(np.repeat(np.arange(61), repeats))
    assert_medians_close(
        class_medians(layout(rows.X), rows.codes, 3, repeats.astype(np.float64)),
        class_medians(layout(repeated.X), repeated.codes, 3),
    )


def test_rows_of_negative_code_are_left_out(rows, layout):
    kept = rows.take(rows.codes >= 0)
    assert_medians_equal(
        class_medians(layout(rows.X), rows.codes, 3), class_medians(layout(kept.X), kept.codes, 3)
    )


def test_rows_of_weight_zero_do_not_count(rows, layout):
    kept = rows.take(rows.weights > 0)
    assert_medians_equal(
        class_medians(layout(rows.X), rows.codes, 3, rows.weights),
        class_medians(layout(kept.X), kept.codes, 3, kept.weights),
    )


def test_class_without_rows_has_no_say_in_the_shared_median(rows, layout):
    codes = np.where(rows.codes == 1, -1, rows.codes)
    with_gap = class_medians(layout(rows.X), codes, 3)
    without = class_medians(layout(rows.X), np.where(codes == 2, 1, codes), 2)
    assert with_gap.counts[1] == 0
    assert not with_gap.medians[1].any()
    np.testing.assert_array_equal(with_gap.shared, without.shared)


def test_constant_feature_has_no_dispersion(rng, layout):
    X = np.full((201, 1), 0.1)
    medians = class_medians(layout(X), codes_of(100, 101), 2, rng.random(201))
    assert medians.shared.tolist() == [0.1]
    assert medians.shared_dispersion.tolist() == [0.0]


def test_one_row_is_its_own_median(layout):
    medians = class_medians(layout(np.array([[3.0, 0.0]])), codes_of(1), 1)
    assert medians.medians.tolist() == [[3.0, 0.0]]


# ------------------------------------------------------------------ deviations from class medians


def test_median_deviations_are_those_of_the_definition_however_rows_are_stored(rows, form):
    medians = reference.class_medians(rows.X, rows.codes, 3).medians
    np.testing.assert_array_equal(
        median_deviations(form(rows.X), rows.codes, medians),
        reference.median_deviations(rows.X, rows.codes, medians),
    )


def test_weighted_median_deviations_are_those_of_the_definition(rows, layout):
    medians = reference.class_medians(rows.X, rows.codes, 3, rows.weights).medians
    np.testing.assert_array_equal(
        median_deviations(layout(rows.X), rows.codes, medians, rows.weights),
        reference.median_deviations(rows.X, rows.codes, medians, rows.weights),
    )


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_median_deviations_are_equal_to_the_bit_for_any_number_of_threads(
    rng, layout, small_blocks, n_jobs
):
    X = rng.normal(size=(40, 19))
    codes = rng.integers(0, 2, size=40).astype(np.int32)
    medians = class_medians(X, codes, 2).medians
    np.testing.assert_array_equal(
        median_deviations(layout(X), codes, medians, n_jobs=n_jobs),
        median_deviations(layout(X), codes, medians, n_jobs=1),
    )


# ------------------------------------------------------------------ the reference itself


def test_reference_median_of_equal_weights_is_that_of_numpy(rng):
    for n in range(1, 12):
        values = rng.integers(0, 5, size=n)
        assert reference.weighted_median(values, np.ones(n)) == np.median(values)


def test_reference_median_minimises_the_weighted_deviations(rng):
    """Problem (13), whose minimum is attained at one of the values."""
    for _ in range(20):
        values, weights = rng.integers(0, 9, size=8), rng.integers(1, 5, size=8)
        median = reference.weighted_median(values, weights.tolist())
        losses = [weights @ np.abs(values - center) for center in values]
        assert weights @ np.abs(values - median) == min(losses)


@pytest.mark.parametrize("rows", [0, 3])
def test_medians_of_no_row_that_counts_are_zero(rows):
    medians = class_medians(np.ones((rows, 2)), np.full(rows, -1, dtype=np.int32), 2)
    assert not medians.counts.any()
    assert medians.medians.shape == (2, 2)
