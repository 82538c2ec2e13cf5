from dataclasses import replace
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centroidal.statistics import ClassSubspace, class_moments, class_subspace
from tests.reference import fisher

laws = settings(deadline=None, max_examples=20, derandomize=True)
N_CLASSES = 3


class Samples(NamedTuple):
    """Correlated rows of a few classes with weights; one class may be absent."""

    X: np.ndarray
    codes: np.ndarray
    weights: np.ndarray
    scatter: str

    def take(self, order):
        return Samples(self.X[order], self.codes[order], self.weights[order], self.scatter)

    def summary(self, n_pairs=None, store=np.asarray):
        moments = class_moments(self.X, self.codes, N_CLASSES, self.weights)
        return class_subspace(
            store(self.X), self.codes, moments, self.weights, self.scatter, n_pairs
        )

    def deviations(self):
        """Weighted rows around the mean that the scatter is about, from the definition."""
        rows = fisher.deviations(self.X, *self._codes_and_scatter(), self.weights)
        return rows * np.sqrt(self.weights)[:, None]

    def _codes_and_scatter(self):
        # The twin knows no absent classes.
        return np.unique(self.codes, return_inverse=True)[1], self.scatter

    def covariance_inside(self):
        codes, _ = self._codes_and_scatter()
        rows = fisher.deviations(self.X, codes, "within", self.weights)
        return (rows.T * self.weights) @ rows / self.weights.sum()


def draw_samples(rng, n, m, scatter, absent=None):
    codes = rng.permutation(np.arange(n) % N_CLASSES).astype(np.int32)
    if absent is not None:
        codes[codes == absent] = (absent + 1) % N_CLASSES
    X = rng.normal(size=(n, m)) * np.geomspace(3.0, 0.5, m) + 2.0 * rng.normal(size=(3, m))[codes]
    return Samples(X + 5.0, codes, rng.uniform(0.5, 2.0, size=n), scatter)


@st.composite
def samples(draw):
    """Tall or wide samples with a place to cut them into parts."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(6, 25)), draw(st.integers(1, 30))
    absent = draw(st.sampled_from([None, 0, 1, 2]))
    return draw_samples(rng, n, m, draw(st.sampled_from(["total", "within"])), absent)


@st.composite
def parted_samples(draw):
    found = draw(samples())
    n = len(found.codes)
    inner = draw(st.lists(st.integers(1, n - 1), min_size=1, max_size=4, unique=True))
    bounds = [0, *sorted(inner), n]
    return found, [found.take(slice(start, stop)) for start, stop in pairwise(bounds)]


@pytest.fixture(params=["total", "within"])
def scatter(request):
    return request.param


@pytest.fixture
def tall(rng, scatter):
    return draw_samples(rng, 60, 8, scatter)


@pytest.fixture(params=[(60, 8), (24, 50)], ids=["tall", "wide"])
def either(request, rng, scatter):
    return draw_samples(rng, *request.param, scatter)


def product(subspace):
    found = subspace.spectrum
    return (found.vectors * found.values) @ found.vectors.T


def assert_orthonormal(vectors):
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(vectors.shape[1]), atol=1e-10)


def assert_same_summary(actual, expected):
    np.testing.assert_allclose(actual.counts, expected.counts, rtol=1e-13)
    np.testing.assert_allclose(actual.means, expected.means, rtol=1e-12, atol=1e-12)
    assert actual.spectrum.trace == pytest.approx(expected.spectrum.trace, rel=1e-11)
    np.testing.assert_allclose(
        product(actual), product(expected), atol=1e-10 * expected.spectrum.trace
    )


# ------------------------------------------------------------------ one pass


def test_directions_multiply_out_to_the_scatter(either, layout):
    rows = either.deviations()
    np.testing.assert_allclose(product(either.summary(store=layout)), rows.T @ rows, atol=1e-9)


def test_counts_and_means_are_the_moments(either):
    moments = class_moments(either.X, either.codes, N_CLASSES, either.weights)
    summary = either.summary()
    np.testing.assert_array_equal(summary.counts, moments.counts)
    np.testing.assert_array_equal(summary.means, moments.means)


def test_total_is_the_sum_of_the_weights(either):
    assert either.summary().total == pytest.approx(either.weights.sum(), rel=1e-14)


def test_mean_is_that_of_all_samples(either):
    expected = np.average(either.X, axis=0, weights=either.weights)
    np.testing.assert_allclose(either.summary().mean, expected, rtol=1e-13)


def test_twice_as_many_directions_are_kept_where_they_are_cheap(either):
    assert either.summary(n_pairs=2).spectrum.values.size == 4


def test_rows_of_negative_code_are_left_out(either, layout):
    codes = either.codes.copy()
    codes[::5] = -1
    left = either._replace(codes=codes).summary(store=layout)
    kept = either.take(np.arange(len(codes)) % 5 > 0).summary(store=layout)
    assert_same_summary(left, kept)


def test_rows_of_weight_zero_do_not_count(either, layout):
    weights = either.weights.copy()
    weights[::5] = 0.0
    left = either._replace(weights=weights).summary(store=layout)
    kept = either.take(np.arange(len(weights)) % 5 > 0).summary(store=layout)
    assert_same_summary(left, kept)


def test_class_without_rows_changes_nothing(rng, layout):
    found = draw_samples(rng, 12, 30, "within", absent=1)
    rows = found.deviations()
    np.testing.assert_allclose(product(found.summary(store=layout)), rows.T @ rows, atol=1e-9)


# ------------------------------------------------------------------ merging


@given(parted=parted_samples())
@laws
def test_merging_parts_equals_one_pass(parted):
    whole, parts = parted
    merged = reduce(ClassSubspace.merge, [part.summary() for part in parts])
    assert_same_summary(merged, whole.summary())


@given(parted=parted_samples(), seed=st.integers(0, 99))
@laws
def test_order_of_the_parts_does_not_matter(parted, seed):
    whole, parts = parted
    order = np.random.default_rng(seed).permutation(len(parts))
    merged = reduce(ClassSubspace.merge, [parts[i].summary() for i in order])
    assert_same_summary(merged, whole.summary())


@given(parted=parted_samples())
@laws
def test_merged_directions_are_orthonormal(parted):
    _, parts = parted
    merged = reduce(ClassSubspace.merge, [part.summary() for part in parts])
    assert_orthonormal(merged.spectrum.vectors)


@given(parted=parted_samples())
@laws
def test_updating_by_blocks_equals_one_pass(parted):
    whole, parts = parted
    summary = ClassSubspace.empty(N_CLASSES, whole.X.shape[1], whole.scatter)
    for part in parts:
        summary = summary.update(part.X, part.codes, part.weights)
    assert_same_summary(summary, whole.summary())


@given(found=samples())
@settings(laws, max_examples=6)
def test_updating_by_single_rows_equals_one_pass(found):
    summary = ClassSubspace.empty(N_CLASSES, found.X.shape[1], found.scatter)
    for i in range(len(found.codes)):
        row = found.take(slice(i, i + 1))
        summary = summary.update(row.X, row.codes, row.weights)
    assert_same_summary(summary, found.summary())


@given(parted=parted_samples())
@laws
def test_updating_equals_merging_the_summary_of_the_block(parted):
    _, parts = parted
    first, block = parts[0].summary(), parts[1]
    updated = first.update(block.X, block.codes, block.weights)
    assert_same_summary(updated, first.merge(block.summary()))


@given(parted=parted_samples(), n_pairs=st.integers(1, 5))
@laws
def test_trace_is_exact_whatever_was_cut(parted, n_pairs):
    whole, parts = parted
    summary = parts[0].summary(n_pairs)
    for i, part in enumerate(parts[1:]):
        if i % 2:
            summary = summary.update(part.X, part.codes, part.weights, n_pairs)
        else:
            summary = summary.merge(part.summary(n_pairs), n_pairs)
    assert summary.spectrum.trace == pytest.approx((whole.deviations() ** 2).sum(), rel=1e-11)


@given(parted=parted_samples(), n_pairs=st.integers(1, 5))
@laws
def test_class_means_are_exact_whatever_was_cut(parted, n_pairs):
    whole, parts = parted
    summary = reduce(lambda a, b: a.merge(b, n_pairs), [part.summary(n_pairs) for part in parts])
    np.testing.assert_allclose(summary.means, whole.summary().means, rtol=1e-12, atol=1e-12)


@given(parted=parted_samples(), n_pairs=st.integers(1, 5))
@laws
def test_cut_merge_keeps_at_most_so_many_directions(parted, n_pairs):
    _, parts = parted
    merged = reduce(lambda a, b: a.merge(b, n_pairs), [part.summary() for part in parts])
    assert merged.spectrum.values.size <= n_pairs


@given(parted=parted_samples(), n_pairs=st.integers(1, 5))
@laws
def test_cutting_the_last_merge_keeps_the_largest_directions(parted, n_pairs):
    whole, parts = parted
    *first, last = [part.summary() for part in parts]
    merged = reduce(ClassSubspace.merge, first).merge(last, n_pairs)
    expected = np.linalg.svd(whole.deviations(), compute_uv=False)[:n_pairs] ** 2
    n = merged.spectrum.values.size
    np.testing.assert_allclose(merged.spectrum.values, expected[:n], rtol=1e-8)


def test_merging_the_summary_of_no_data_changes_nothing(either):
    summary = either.summary()
    empty = ClassSubspace.empty(N_CLASSES, either.X.shape[1], either.scatter)
    assert_same_summary(summary.merge(empty), summary)
    assert_same_summary(empty.merge(summary), summary)


def test_merging_no_data_with_no_data_gives_no_data(scatter):
    empty = ClassSubspace.empty(N_CLASSES, 5, scatter)
    merged = empty.merge(empty)
    assert merged.total == 0.0
    assert merged.spectrum.values.size == 0


def test_update_leaves_rows_of_negative_code_out(either):
    summary = either.summary()
    codes = np.where(np.arange(len(either.codes)) % 5 == 0, -1, either.codes).astype(np.int32)
    kept = either.take(codes >= 0)
    assert_same_summary(
        summary.update(either.X, codes, either.weights),
        summary.update(kept.X, kept.codes, kept.weights),
    )


def test_update_does_not_count_rows_of_weight_zero(either):
    summary = either.summary()
    weights = either.weights * (np.arange(len(either.codes)) % 5 > 0)
    kept = either.take(weights > 0)
    assert_same_summary(
        summary.update(either.X, either.codes, weights),
        summary.update(kept.X, kept.codes, kept.weights),
    )


def test_integer_weights_are_repeats(either, rng):
    repeats = rng.integers(1, 4, size=len(either.codes))
    order = np.repeat(np.arange(len(repeats)), repeats)
    repeated = either.take(order)._replace(weights=np.ones(order.size))
    weighted = either._replace(weights=repeats.astype(float))
    empty = ClassSubspace.empty(N_CLASSES, either.X.shape[1], either.scatter)
    assert_same_summary(
        empty.update(weighted.X, weighted.codes, weighted.weights), repeated.summary()
    )


def test_merging_leaves_its_parts_alone(either):
    first, second = either.take(slice(0, 10)).summary(), either.take(slice(10, None)).summary()
    first.merge(second)
    assert_same_summary(first, either.take(slice(0, 10)).summary())
    assert_same_summary(second, either.take(slice(10, None)).summary())


def test_large_mean_costs_no_precision_in_many_blocks(tall):
    shifted = tall._replace(X=tall.X + 1e6)
    summary = ClassSubspace.empty(N_CLASSES, 8, tall.scatter)
    for start in range(0, 60, 7):
        block = shifted.take(slice(start, start + 7))
        summary = summary.update(block.X, block.codes, block.weights)
    np.testing.assert_allclose(product(summary), product(tall.summary()), rtol=1e-6, atol=1e-5)


# ------------------------------------------------------------------ constant features


@pytest.mark.parametrize("value", [0.1, 1 / 3, -1e6 / 7])
def test_constant_feature_keeps_its_value_to_the_last_bit_over_updates(tall, value):
    X = tall.X.copy()
    X[:, 2] = value
    summary = ClassSubspace.empty(N_CLASSES, 8, tall.scatter)
    for start in range(0, 60, 7):
        rows = slice(start, start + 7)
        summary = summary.update(X[rows], tall.codes[rows], tall.weights[rows])
    assert summary.means[:, 2].tolist() == [value] * 3
    assert summary.mean[2] == value


@pytest.mark.parametrize("value", [0.1, 1 / 3, -1e6 / 7])
def test_constant_feature_has_no_part_in_any_direction(tall, value):
    X = tall.X.copy()
    X[:, 2] = value
    summary = ClassSubspace.empty(N_CLASSES, 8, tall.scatter)
    for start in range(0, 60, 7):
        rows = slice(start, start + 7)
        summary = summary.update(X[rows], tall.codes[rows], tall.weights[rows])
    assert summary.spectrum.values.size == 7
    assert np.abs(summary.spectrum.vectors[2]).max() < 1e-14


def test_constant_feature_keeps_its_value_to_the_last_bit_over_merges(tall):
    X = tall.X.copy()
    X[:, 2] = 0.1
    constant = tall._replace(X=X)
    parts = [constant.take(slice(start, start + 11)).summary() for start in range(0, 60, 11)]
    merged = reduce(ClassSubspace.merge, parts)
    assert merged.means[:, 2].tolist() == [0.1] * 3
    assert merged.mean[2] == 0.1


def test_class_that_was_not_seen_does_not_move_the_mean_of_a_constant_feature(rng):
    found = draw_samples(rng, 20, 4, "total", absent=0)
    found.X[:, 1] = 0.1
    assert found.summary().mean[1] == 0.1


# ------------------------------------------------------------------ what is derived


def test_reindexed_classes_move_and_new_ones_are_empty(either):
    moved = either.summary().reindex([3, 0, 1], 4)
    assert moved.counts[2] == 0.0
    assert not moved.means[2].any()
    np.testing.assert_array_equal(moved.counts[[3, 0, 1]], either.summary().counts)
    np.testing.assert_array_equal(moved.means[[3, 0, 1]], either.summary().means)


def test_reindexed_classes_keep_mean_and_spectrum(either):
    summary = either.summary()
    moved = summary.reindex([3, 0, 1], 4)
    np.testing.assert_allclose(moved.mean, summary.mean, rtol=1e-13)
    np.testing.assert_array_equal(moved.spectrum.values, summary.spectrum.values)


def test_parts_with_other_classes_merge_once_they_are_reindexed(either):
    """One part knows the classes 0 and 2, the other 1 and 2."""
    in_first = np.arange(len(either.codes)) % 2 == 0
    first = either.take((either.codes != 1) & in_first)
    second = either.take((either.codes != 0) & ~in_first)
    parts = []
    for part, positions in [(first, [0, 2]), (second, [1, 2])]:
        codes = np.searchsorted(positions, part.codes).astype(np.int32)
        moments = class_moments(part.X, codes, 2, part.weights)
        found = class_subspace(part.X, codes, moments, part.weights, part.scatter)
        parts.append(found.reindex(positions, 3))
    both = Samples(
        np.vstack([first.X, second.X]),
        np.concatenate([first.codes, second.codes]),
        np.concatenate([first.weights, second.weights]),
        either.scatter,
    )
    assert_same_summary(parts[0].merge(parts[1]), both.summary())


@given(found=samples())
@laws
def test_covariance_inside_is_exact_where_the_spectrum_is_complete(found):
    axes = np.random.default_rng(0).normal(size=(found.X.shape[1], 3))
    expected = axes.T @ found.covariance_inside() @ axes
    actual = found.summary().covariance_inside(axes)
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-10 * np.abs(axes).sum() ** 2)


@pytest.mark.parametrize("n_pairs", [4, 10])
def test_covariance_inside_is_close_where_the_spectrum_is_cut(rng, scatter, n_pairs):
    """A few strong directions in noise that is the same in all others."""
    codes = (np.arange(600) % 3).astype(np.int32)
    X = rng.normal(size=(600, 40))
    X[:, :3] *= 10.0
    found = Samples(X + rng.normal(size=(3, 40))[codes], codes, np.ones(600), scatter)
    summary = found.summary()
    cut = replace(summary, spectrum=summary.spectrum.keep_leading(n_pairs))
    axes = np.linalg.qr(rng.normal(size=(40, 2)))[0]
    expected = axes.T @ found.covariance_inside() @ axes
    size = np.abs(expected).max()
    np.testing.assert_allclose(cut.covariance_inside(axes), expected, atol=0.1 * size)


def test_trace_of_the_covariance_inside_is_exact_under_cuts(tall):
    """All of what was cut off is given back, in equal shares."""
    cut = replace(tall.summary(), spectrum=tall.summary().spectrum.keep_leading(3))
    found = np.trace(cut.covariance_inside(np.eye(8)))
    assert found == pytest.approx(np.trace(tall.covariance_inside()), rel=1e-10)


def test_tail_is_the_mean_variance_of_the_directions_that_were_cut_off(tall):
    values = np.linalg.svd(tall.deviations(), compute_uv=False) ** 2
    cut = replace(tall.summary(), spectrum=tall.summary().spectrum.keep_leading(3))
    assert cut.tail == pytest.approx(values[3:].mean() / tall.weights.sum(), rel=1e-10)


def test_complete_spectrum_has_no_tail(either):
    summary = either.summary()
    assert summary.tail < 1e-14 * summary.spectrum.trace


def test_centred_rows_are_those_that_the_scatter_is_made_of(either, layout, rng):
    right = rng.normal(size=(either.X.shape[1], 3))
    rows = either.summary().center_rows(layout(either.X), either.codes, either.weights)
    np.testing.assert_allclose(rows.push(right), either.deviations() @ right, atol=1e-11)


def test_summary_of_no_data_has_no_spread_along_any_axis(scatter):
    empty = ClassSubspace.empty(N_CLASSES, 5, scatter)
    np.testing.assert_array_equal(empty.covariance_inside(np.eye(5)), np.zeros((5, 5)))
