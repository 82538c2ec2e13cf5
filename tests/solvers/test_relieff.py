"""Relief scores: the definition, its laws, ties, weights, missing values and ways to store rows."""

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from centroidal.solvers import relieff
from centroidal.solvers.relieff import add_up_pairs, find_pairs, pose_relief
from centroidal.statistics import weights_in_samples
from tests.reference.relieff import relief_scores

laws = settings(max_examples=20, deadline=None, derandomize=True)
RULES = [("manhattan", "classic"), ("euclidean", "squared"), ("euclidean", "classic")]
every_rule = pytest.mark.parametrize("rule", RULES, ids="-".join)


class Rows(NamedTuple):
    X: np.ndarray
    codes: np.ndarray
    is_categorical: np.ndarray
    weights: np.ndarray


def draw(rng, n_samples=16, *, missing=0.0):
    """Few different values, so that many distances are equal; a class of one, a constant."""
    X = rng.integers(-1, 3, size=(n_samples, 5)).astype(float)
    X[:, 0] = rng.normal(size=n_samples)
    X[:, 1] = 2.0
    X[rng.random(X.shape) < missing] = np.nan
    codes = rng.integers(0, 3, n_samples).astype(np.int32)
    codes[0] = 3
    weights = rng.integers(0, 4, n_samples) / 2
    weights[0] = 1.0
    return Rows(X, codes, np.array([False, False, True, False, False]), weights)


def scores_of(
    X, codes, weights=None, is_categorical=None, *, rule=RULES[0], k=3, n_jobs=None, n_classes=None
):
    metric, variant = rule
    codes = np.asarray(codes, dtype=np.int32)
    problem = pose_relief(
        X,
        codes,
        n_classes or codes.max() + 1,
        weights,
        is_categorical,
        n_neighbors=k,
        metric=metric,
        variant=variant,
    )
    return add_up_pairs(problem, list(find_pairs(problem, n_jobs)), n_jobs)


def by_definition(X, codes, weights=None, is_categorical=None, *, rule=RULES[0], k=3):
    metric, variant = rule
    weights = None if weights is None else weights_in_samples(weights)
    return relief_scores(
        X,
        codes,
        k=k,
        is_euclidean=metric == "euclidean",
        is_squared=variant == "squared",
        is_categorical=is_categorical,
        weights=weights,
    )


def assert_close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


@pytest.fixture
def distinct(rng):
    """Rows of three classes without ties."""
    return rng.normal(size=(40, 7)), np.arange(40) % 3


@pytest.fixture
def small_blocks(monkeypatch):
    """Cut even small data into several blocks and tiles."""
    monkeypatch.setattr(relieff, "_LEAST_BLOCK", 4)
    monkeypatch.setattr(relieff, "_FEATURES_PER_TILE", 5)
    monkeypatch.setattr(relieff, "_SAMPLES_PER_CHUNK", 7)
    monkeypatch.setattr(relieff, "_FEATURES_PER_PRODUCT", 3)
    monkeypatch.setattr(relieff, "_FEATURES_PER_SUM", 7)
    monkeypatch.setattr(relieff, "_ENTRIES_PER_TILE", 1)
    monkeypatch.setattr(relieff, "_MOST_EXPECTED", 500)


@pytest.fixture(params=[512, 0], ids=["few", "many"])
def few_or_many(request, monkeypatch):
    """Find the distances of all samples at once, or block by block."""
    monkeypatch.setattr(relieff, "_FEW_SAMPLES", request.param)


# ------------------------------------------------------------------ exactness


CASES = list(product([0.0, 0.2], [False, True], [False, True]))


@every_rule
@pytest.mark.parametrize(("missing", "is_weighted", "has_categories"), CASES)
def test_scores_are_those_of_the_definition(rng, rule, missing, is_weighted, has_categories):
    X, codes, is_categorical, weights = draw(rng, missing=missing)
    args = (weights if is_weighted else None, is_categorical if has_categories else None)
    expected = by_definition(X, codes, *args, rule=rule)
    assert_close(scores_of(X, codes, *args, rule=rule), expected)
    assert_close(scores_of(sparse.csr_array(X), codes, *args, rule=rule), expected)


@pytest.mark.usefixtures("few_or_many")
@pytest.mark.parametrize("n_samples", [16, 37])
@pytest.mark.parametrize("variant", ["classic", "squared"])
def test_manhattan_neighbours_are_those_of_the_definition(rng, n_samples, variant):
    X, codes, _, weights = draw(rng, n_samples)
    rule = ("manhattan", variant)
    expected = by_definition(X, codes, weights, rule=rule)
    assert_close(scores_of(X, codes, weights, rule=rule), expected)


@every_rule
@given(
    values=st.lists(st.integers(0, 3), min_size=36, max_size=36),
    labels=st.lists(st.integers(0, 2), min_size=12, max_size=12),
    k=st.integers(1, 13),
)
@laws
def test_ties_are_broken_as_in_exact_arithmetic(rule, values, labels, k):
    X, codes = np.array(values, dtype=float).reshape(12, 3) / 7, np.array(labels)
    codes[:2] = 0, 1
    expected = by_definition(X, codes, rule=rule, k=k)
    assert_close(scores_of(X, codes, rule=rule, k=k), expected)
    assert_close(scores_of(sparse.csc_array(X), codes, rule=rule, k=k), expected)


def test_two_samples_of_two_classes_have_misses_only():
    X = np.array([[0.0, 5.0, 1.0], [2.0, 5.0, -1.0]])
    assert scores_of(X, [0, 1]).tolist() == [1.0, 0.0, 1.0]
    assert scores_of(X, [0, 1], rule=RULES[1]).tolist() == [1.0, 0.0, 1.0]


def test_hand_made_example():
    X, codes = np.array([[0.0], [1.0], [5.0], [8.0]]), [0, 0, 1, 1]
    hits = (1 + 1 + 3 + 3) / 8
    misses = (5 + 4 + 4 + 7) / 8
    assert scores_of(X, codes, k=1) == pytest.approx((misses - hits) / 4)
    squares = (25 + 16 + 16 + 49) / 64 / 2 - (1 + 1 + 9 + 9) / 64
    assert scores_of(X, codes, k=1, rule=RULES[1]) == pytest.approx(squares)


def test_misses_count_by_the_share_of_their_class():
    X = np.array([[0.0], [1.0], [3.0], [3.0], [10.0]])
    codes = [0, 1, 2, 2, 1]
    # Sample 0: class 1 has 2 of the other 4 samples, and so has class 2.
    first = 0.5 * 0.1 + 0.5 * 0.3
    second = -0.9 + 1 / 3 * 0.1 + 2 / 3 * 0.2
    third = -0.0 + 1 / 3 * 0.3 + 2 / 3 * 0.2
    last = -0.9 + 1 / 3 * 1.0 + 2 / 3 * 0.7
    expected = (first + second + 2 * third + last) / 5
    assert scores_of(X, codes, k=1) == pytest.approx(expected)


def test_class_with_fewer_samples_than_neighbours_gives_those(distinct):
    X, codes = distinct
    most = np.bincount(codes).max()
    assert_close(scores_of(X, codes, k=most), scores_of(X, codes, k=1000))


# ------------------------------------------------------------------ laws


@every_rule
def test_order_of_rows_does_not_matter_without_ties(rng, distinct, rule):
    X, codes = distinct
    order = rng.permutation(len(X))
    assert_close(scores_of(X[order], codes[order], rule=rule), scores_of(X, codes, rule=rule))


@every_rule
@given(seed=st.integers(0, 2**32 - 1), largest=st.integers(1, 3), k=st.integers(1, 6))
@laws
def test_order_of_rows_does_not_matter_where_neighbours_tie(rule, seed, largest, k):
    rng = np.random.default_rng(seed)
    X, codes = rng.integers(0, largest + 1, (30, 6)) / 7, np.arange(30) % 3
    expected = scores_of(X, codes, rule=rule, k=k)
    order = rng.permutation(30)
    assert_close(scores_of(X[order], codes[order], rule=rule, k=k), expected)
    csc = sparse.csc_array(X[order])
    assert_close(scores_of(csc, codes[order], rule=rule, k=k), expected)


def test_neighbours_that_tie_for_the_last_place_share_it():
    X, codes = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), [0, 1, 1, 1]
    # The only sample of class 0 has two nearest misses, one in each feature.
    hits = np.array([0.5, 0.5]), np.array([1.0, 0.0]), np.array([0.0, 1.0])
    misses = np.array([0.5, 0.5]), np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([1.0, 1.0])
    hit_sum = np.array([0.0, 1.0]) + np.array([1.0, 0.0]) + hits[0]
    assert scores_of(X, codes, k=1) == pytest.approx((sum(misses) - hit_sum) / 4)


@every_rule
def test_scores_follow_their_features(rng, distinct, rule):
    X, codes = distinct
    order = rng.permutation(X.shape[1])
    assert_close(scores_of(X[:, order], codes, rule=rule), scores_of(X, codes, rule=rule)[order])


@every_rule
def test_order_of_classes_does_not_matter(distinct, rule):
    X, codes = distinct
    assert_close(scores_of(X, 2 - codes, rule=rule), scores_of(X, codes, rule=rule))


@every_rule
@given(seed=st.integers(0, 2**32 - 1), missing=st.sampled_from([0.0, 0.2]))
@laws
def test_units_and_origins_do_not_matter(rule, seed, missing):
    rng = np.random.default_rng(seed)
    X, codes, is_categorical, weights = draw(rng, 20, missing=missing)
    factors = rng.choice([-1.0, 1.0], X.shape[1]) * rng.uniform(0.01, 100.0, X.shape[1])
    moved = X * factors + rng.normal(size=X.shape[1]) * 10.0 * np.abs(factors)
    expected = scores_of(X, codes, weights, is_categorical, rule=rule)
    found = scores_of(moved, codes, weights, is_categorical, rule=rule)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


@every_rule
def test_large_offset_does_not_change_the_neighbours(distinct, rule):
    X, codes = np.round(distinct[0] * 1024.0), distinct[1]
    np.testing.assert_array_equal(
        scores_of(X + 2.0**40, codes, rule=rule), scores_of(X, codes, rule=rule)
    )


@every_rule
def test_duplicated_feature_has_the_same_score(distinct, rule):
    X, codes = distinct
    scores = scores_of(np.hstack([X, X[:, :2]]), codes, rule=rule)
    np.testing.assert_array_equal(scores[-2:], scores[:2])


@every_rule
def test_feature_without_spread_scores_zero_and_changes_nothing(distinct, rule):
    X, codes = distinct
    scores = scores_of(np.hstack([X, np.full((len(X), 1), 0.1)]), codes, rule=rule)
    assert scores[-1] == 0.0
    assert_close(scores[:-1], scores_of(X, codes, rule=rule))


def test_names_of_categories_do_not_matter(rng):
    X, codes, is_categorical, _ = draw(rng, 40)
    renamed = X.copy()
    renamed[:, 2] = np.array([1e300, -1e300, 7.0, 0.5])[X[:, 2].astype(int) + 1]
    expected = scores_of(X, codes, None, is_categorical)
    np.testing.assert_array_equal(scores_of(renamed, codes, None, is_categorical), expected)


def test_categories_of_two_values_are_numbers_of_two_values(rng, distinct):
    X, codes = distinct
    X[:, 3] = rng.integers(0, 2, len(X)) * 5.0
    is_third = np.arange(X.shape[1]) == 3
    assert_close(scores_of(X, codes, None, is_third), scores_of(X, codes))


def test_features_that_only_tell_something_together_come_first(rng):
    X = rng.uniform(-1.0, 1.0, size=(200, 10))
    scores = scores_of(X, X[:, 0] * X[:, 1] > 0, k=10)
    assert set(np.argsort(-scores)[:2]) == {0, 1}


def test_class_without_samples_does_not_exist(distinct):
    X, codes = distinct
    np.testing.assert_array_equal(scores_of(X, codes, n_classes=5), scores_of(X, codes))


# ------------------------------------------------------------------ weights


@every_rule
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_weights_are_numbers_of_copies(rng, rule, missing, layout):
    X, codes, is_categorical, weights = draw(rng, 30, missing=missing)
    times = (2 * weights).astype(int)
    copies = layout(np.repeat(X, times, axis=0)), np.repeat(codes, times)
    expected = scores_of(*copies, None, is_categorical, rule=rule)
    found = scores_of(layout(X), codes, times.astype(float), is_categorical, rule=rule)
    assert_close(found, expected)


@every_rule
def test_samples_of_weight_zero_do_not_exist(rng, distinct, rule):
    X, codes = distinct
    weights = np.ones(len(X))
    weights[::5] = 0.0
    X = X.copy()
    X[::5] *= 100.0
    expected = scores_of(X[weights > 0], codes[weights > 0], rule=rule)
    np.testing.assert_array_equal(scores_of(X, codes, weights, rule=rule), expected)


def test_heavy_neighbour_counts_in_part():
    # Of class 1 the nearest weighs 3 of the 4 that are asked for, half of the next fills the rest.
    X, codes = np.array([[0.0], [1.0], [4.0]]), [0, 1, 1]
    weights = np.array([1.0, 3.0, 2.0])
    first = (3 * 1 + 1 * 4) / 4 / 4
    second = -(2 * 0 + 2 * 3) / 4 / 4 + 1 / 4
    third = -(1 * 0 + 3 * 3) / 4 / 4 + 4 / 4
    expected = (first + 3 * second + 2 * third) / 6
    assert scores_of(X, codes, weights, k=4) == pytest.approx(expected)


# ------------------------------------------------------------------ missing values


def test_missing_number_differs_as_the_values_of_its_class_do():
    X, codes = np.array([[np.nan], [0.0], [4.0], [6.0]]), [0, 0, 0, 1]
    # Class 0 holds 0 and 4: on average 2 from either of them, and (6 + 2) / 2 from 6.
    first = 4 - (2 + 2) / 2
    second = 6 - (2 + 4) / 2
    third = 2 - (2 + 4) / 2
    last = (4 + 6 + 2) / 3
    assert scores_of(X, codes, k=10) == pytest.approx((first + second + third + last) / 6 / 4)


def test_missing_category_differs_by_the_probability_of_another_value():
    X, codes = np.array([[np.nan], [0.0], [0.0], [1.0], [1.0]]), [0, 0, 0, 0, 1]
    scores = scores_of(X, codes, None, np.array([True]), k=1)
    # Values of class 0 are 0, 0, 1. The miss is 1; the hit of sample 0 is the nearest, a 0.
    first = -1 / 3 + 2 / 3
    zeros = -0.0 + 1.0
    one = -2 / 3 + 0.0
    last = 0.0
    assert scores == pytest.approx((first + 2 * zeros + one + last) / 5)


@every_rule
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_feature_without_any_value_scores_zero_and_changes_nothing(distinct, rule, layout):
    X, codes = distinct
    with_nothing = np.hstack([X, np.full((len(X), 1), np.nan)])
    scores = scores_of(layout(with_nothing), codes, rule=rule)
    assert scores[-1] == 0.0
    assert_close(scores[:-1], scores_of(X, codes, rule=rule))


@every_rule
@pytest.mark.parametrize("is_category", [False, True])
def test_class_without_values_counts_as_all_classes(rng, rule, is_category):
    X, codes, is_categorical, weights = draw(rng)
    X[codes == 1, 3] = np.nan
    is_categorical[3] = is_category
    args = (X, codes, weights, is_categorical)
    assert_close(scores_of(*args, rule=rule), by_definition(*args, rule=rule))


# ------------------------------------------------------------------ storage, blocks, threads


def on_disk(X, folder):
    stored = np.memmap(folder / "rows.bin", dtype=X.dtype, mode="w+", shape=X.shape, order="F")
    stored[:] = X
    stored.flush()
    return np.memmap(folder / "rows.bin", dtype=X.dtype, mode="r", shape=X.shape, order="F")


def with_long_indices(X):
    X = sparse.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def with_stored_zeros(X):
    n, m = X.shape
    return sparse.csr_array((X.ravel(), np.tile(np.arange(m), n), np.arange(n + 1) * m), (n, m))


FORMS = {
    "f_order": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "csr_matrix": sparse.csr_matrix,
    "csc_array": sparse.csc_array,
    "long_indices": with_long_indices,
    "stored_zeros": with_stored_zeros,
}


@every_rule
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_way_to_store_rows_does_not_matter(rng, rule, form, missing):
    X, codes, is_categorical, weights = draw(rng, 40, missing=missing)
    expected = scores_of(X, codes, weights, is_categorical, rule=rule)
    assert_close(scores_of(form(X), codes, weights, is_categorical, rule=rule), expected)


@every_rule
def test_rows_may_be_on_disk_and_not_writeable(rng, rule, tmp_path):
    X, codes, is_categorical, _ = draw(rng, 40)
    expected = scores_of(X, codes, None, is_categorical, rule=rule)
    found = scores_of(on_disk(X, tmp_path), codes, None, is_categorical, rule=rule)
    np.testing.assert_array_equal(found, expected)


@every_rule
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint8, np.int64])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_type_of_the_numbers_does_not_matter(rng, rule, dtype, layout):
    X = rng.integers(0, 120, size=(40, 6))
    codes = np.arange(40) % 3
    expected = scores_of(X.astype(float), codes, rule=rule)
    assert_close(scores_of(layout(X.astype(dtype)), codes, rule=rule), expected)


def test_range_of_small_integers_does_not_overflow():
    X = np.array([[-128], [127], [-120], [120]], dtype=np.int8)
    expected = scores_of(X.astype(float), [0, 1, 0, 1])
    np.testing.assert_array_equal(scores_of(X, [0, 1, 0, 1]), expected)


def test_unsorted_sparse_rows_are_read_and_left_alone(distinct):
    X, codes = distinct
    n, m = X.shape
    backwards = np.tile(np.arange(m)[::-1], n)
    rows = sparse.csr_array((X[:, ::-1].ravel(), backwards, np.arange(n + 1) * m), (n, m))
    assert_close(scores_of(rows, codes), scores_of(X, codes))
    np.testing.assert_array_equal(rows.indices, backwards)


@every_rule
@pytest.mark.usefixtures("few_or_many")
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_blocks_do_not_matter(rng, rule, layout, request):
    X, codes, is_categorical, weights = draw(rng, 60, missing=0.02)
    X = np.hstack([X, rng.normal(size=(60, 20))])
    is_categorical = np.append(is_categorical, np.arange(20) % 7 == 0)
    args = (layout(X), codes, weights, is_categorical)
    expected = scores_of(*args, rule=rule)
    request.getfixturevalue("small_blocks")
    assert_close(scores_of(*args, rule=rule), expected)


@every_rule
@pytest.mark.usefixtures("small_blocks", "few_or_many")
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_number_of_threads_does_not_matter_to_the_bit(rng, rule, layout, n_jobs):
    X, codes, is_categorical, weights = draw(rng, 60, missing=0.05)
    args = (layout(np.hstack([X, rng.normal(size=(60, 9))])), codes, weights)
    is_categorical = np.append(is_categorical, np.zeros(9, dtype=bool))
    one = scores_of(*args, is_categorical, rule=rule)
    np.testing.assert_array_equal(one, scores_of(*args, is_categorical, rule=rule, n_jobs=n_jobs))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_few_samples_score_as_many_do_to_the_bit(rng, n_jobs, monkeypatch):
    X, codes = rng.integers(0, 4, size=(70, 1100)).astype(float), np.arange(70) % 3
    few = scores_of(X, codes, n_jobs=n_jobs)
    monkeypatch.setattr(relieff, "_FEW_SAMPLES", 0)
    np.testing.assert_array_equal(few, scores_of(X, codes, n_jobs=n_jobs))


@every_rule
def test_inputs_are_left_alone(rng, rule):
    X, codes, is_categorical, weights = draw(rng, missing=0.1)
    rows = sparse.csr_array(X)
    before = [part.copy() for part in (X, codes, is_categorical, weights, rows.data)]
    scores_of(X, codes, weights, is_categorical, rule=rule)
    scores_of(rows, codes, weights, is_categorical, rule=rule)
    now = (X, codes, is_categorical, weights, rows.data)
    for part, copy in zip(now, before, strict=True):
        np.testing.assert_array_equal(part, copy)


# ------------------------------------------------------------------ rounding


def test_score_that_is_rounding_is_zero(rng):
    # All samples differ in a category, so hits and misses cancel.
    X = np.column_stack([np.arange(47.0), rng.normal(size=(47, 2))])
    codes = np.repeat([0, 1, 2, 3], [5, 11, 13, 18])
    scores = scores_of(X, codes, None, np.array([True, False, False]))
    assert scores[0] == 0.0


def test_range_beyond_float64_is_refused_with_a_reason():
    X = np.array([[-1.7e308], [1.7e308]])
    with pytest.raises(ValueError, match="range is too large for float64; rescale it first"):
        scores_of(X, [0, 1])


@every_rule
def test_values_may_be_very_large_or_very_small(distinct, rule):
    X, codes = distinct
    expected = scores_of(X, codes, rule=rule)
    for factor in (2.0**900, 2.0**-900):
        np.testing.assert_array_equal(scores_of(X * factor, codes, rule=rule), expected)


def test_spread_that_has_no_reciprocal_is_none():
    X = np.array([[0.0, 0.0], [5e-324, 1.0]])
    assert scores_of(X, [0, 1]).tolist() == [0.0, 1.0]
