from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centroidal.statistics import SlidingSubspace, class_moments, class_subspace

laws = settings(deadline=None, max_examples=20, derandomize=True)
N_CLASSES = 3
ALL = 1000  # pairs: nothing is cut


class Stream(NamedTuple):
    """Chunks of correlated rows, their classes and weights, and how many chunks stay."""

    chunks: list
    window: int
    n_features: int

    def slid(self, n_pairs=ALL):
        """The window after each chunk."""
        found = SlidingSubspace.empty(N_CLASSES, self.n_features)
        steps = []
        for X, codes, weights in self.chunks:
            found = found.slide(X, codes, weights, self.window, n_pairs)
            steps.append(found)
        return steps

    def last(self, n_pairs=ALL):
        return self.slid(n_pairs)[-1]

    def windows(self):
        """Rows, classes and weights of the window after each chunk."""
        for stop in range(1, len(self.chunks) + 1):
            kept = self.chunks[max(0, stop - self.window) : stop]
            yield tuple(np.concatenate(part) for part in zip(*kept, strict=True))

    def last_window(self):
        return list(self.windows())[-1]


def draw_stream(rng, sizes, n_features, window):
    """Classes drift, and are drawn at random, so that chunks may lack some."""
    n = sum(sizes)
    codes = rng.integers(0, N_CLASSES, size=n).astype(np.int32)
    centers = rng.normal(size=(N_CLASSES, n_features))[codes]
    drift = 0.1 * np.arange(n)[:, None] * rng.normal(size=n_features)
    X = rng.normal(size=(n, n_features)) + centers + drift + 3.0
    weights = rng.uniform(0.5, 2.0, size=n)
    bounds = [0, *accumulate(sizes)]
    slices = [slice(start, stop) for start, stop in pairwise(bounds)]
    return Stream([(X[s], codes[s], weights[s]) for s in slices], window, n_features)


@st.composite
def streams(draw):
    """Chunks of any sizes, narrower and wider than the features, single rows among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=6))
    return draw_stream(rng, sizes, draw(st.integers(1, 20)), draw(st.integers(1, 4)))


@pytest.fixture
def stream(rng):
    return draw_stream(rng, [12, 5, 20, 9, 14], 15, window=3)


def batch(X, codes, weights):
    moments = class_moments(X, codes, N_CLASSES, weights)
    return class_subspace(X, codes, moments, weights)


def product(subspace):
    found = subspace.spectrum
    return (found.vectors * found.values) @ found.vectors.T


def class_variances(X, codes, weights, axis):
    """From the definition; 0 for a class that is not there."""
    values = X @ axis
    found = np.zeros(N_CLASSES)
    for c in np.unique(codes):
        own = codes == c
        mean = np.average(values[own], weights=weights[own])
        found[c] = np.average((values[own] - mean) ** 2, weights=weights[own])
    return found


# ------------------------------------------------------------------ the window is a batch


@given(stream=streams())
@laws
def test_counts_and_means_are_those_of_the_rows_of_the_window(stream):
    for found, rows in zip(stream.slid(), stream.windows(), strict=True):
        expected = batch(*rows)
        np.testing.assert_allclose(found.subspace.counts, expected.counts, rtol=1e-13)
        np.testing.assert_allclose(found.subspace.means, expected.means, rtol=1e-12, atol=1e-12)


@given(stream=streams())
@laws
def test_directions_multiply_out_to_the_scatter_of_the_window(stream):
    for found, rows in zip(stream.slid(), stream.windows(), strict=True):
        expected = batch(*rows)
        size = expected.spectrum.trace
        actual = product(found.subspace)
        np.testing.assert_allclose(actual, product(expected), atol=1e-11 * size + 1e-13)


@given(stream=streams(), n_pairs=st.integers(1, 5))
@laws
def test_trace_is_that_of_the_window_whatever_is_cut(stream, n_pairs):
    for found, rows in zip(stream.slid(n_pairs), stream.windows(), strict=True):
        expected = batch(*rows).spectrum.trace
        assert found.subspace.spectrum.trace == pytest.approx(expected, rel=1e-11, abs=1e-20)


@given(stream=streams(), n_pairs=st.integers(1, 5))
@laws
def test_class_means_stay_exact_whatever_is_cut(stream, n_pairs):
    expected = batch(*stream.last_window())
    actual = stream.last(n_pairs).subspace
    np.testing.assert_allclose(actual.means, expected.means, rtol=1e-12, atol=1e-12)


@given(stream=streams())
@laws
def test_directions_are_orthonormal(stream):
    vectors = stream.last().subspace.spectrum.vectors
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(vectors.shape[1]), atol=1e-12)


@given(stream=streams())
@laws
def test_coordinates_are_those_of_the_rows_of_the_window(stream):
    X, codes, weights = stream.last_window()
    found = stream.last()
    centred = X - batch(X, codes, weights).mean
    np.testing.assert_allclose(
        found.coordinates @ found.subspace.spectrum.vectors.T, centred, atol=1e-10
    )


@given(stream=streams())
@laws
def test_class_variances_are_exact_where_nothing_is_cut(stream):
    axis = np.random.default_rng(0).normal(size=stream.n_features)
    found = stream.last().class_variances(axis)
    expected = class_variances(*stream.last_window(), axis)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


# ------------------------------------------------------------------ what is forgotten


def test_window_holds_so_many_chunks(stream):
    assert [len(found.chunks) for found in stream.slid()] == [1, 2, 3, 3, 3]


def test_window_holds_the_coordinates_of_its_rows_alone(stream):
    assert [len(found.coordinates) for found in stream.slid()] == [12, 17, 37, 34, 43]


def test_chunks_that_were_forgotten_leave_no_trace(stream, rng):
    """Values that are larger by far, before the window begins."""
    X, codes, weights = stream.chunks[0]
    other = (1e4 * rng.normal(size=X.shape), codes, weights)
    after = stream._replace(chunks=[other, *stream.chunks[1:]]).last()
    expected = product(stream.last().subspace)
    np.testing.assert_allclose(product(after.subspace), expected, atol=1e-7)


def test_class_that_left_the_window_has_neither_weight_nor_mean(stream):
    chunks = [
        (X, np.where(i < 2, codes, codes % 2).astype(np.int32), weights)
        for i, (X, codes, weights) in enumerate(stream.chunks)
    ]
    found = stream._replace(chunks=chunks).last().subspace
    assert found.counts[2] == 0.0
    assert not found.means[2].any()


def test_class_that_left_the_window_has_no_variance(stream):
    chunks = [
        (X, np.where(i < 2, codes, codes % 2).astype(np.int32), weights)
        for i, (X, codes, weights) in enumerate(stream.chunks)
    ]
    found = stream._replace(chunks=chunks).last()
    assert found.class_variances(np.ones(15))[2] == pytest.approx(0.0, abs=1e-14)


def test_window_of_one_chunk_is_that_chunk(stream):
    found = stream._replace(window=1).last().subspace
    np.testing.assert_allclose(product(found), product(batch(*stream.chunks[-1])), atol=1e-10)


def test_window_as_long_as_the_stream_is_the_batch_of_all(stream):
    found = stream._replace(window=99).last().subspace
    rows = tuple(np.concatenate(part) for part in zip(*stream.chunks, strict=True))
    np.testing.assert_allclose(product(found), product(batch(*rows)), atol=1e-9)


# ------------------------------------------------------------------ rows and cuts


def test_cut_window_keeps_at_most_so_many_directions(stream):
    assert [found.coordinates.shape[1] for found in stream.slid(4)] == [4] * 5


def test_first_chunk_is_cut_to_its_largest_directions(stream):
    expected = batch(*stream.chunks[0]).spectrum.values[:4]
    found = stream.slid(4)[0].subspace.spectrum.values
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_strong_directions_survive_cuts(rng):
    chunks = []
    for _ in range(5):
        X = rng.normal(size=(20, 30))
        X[:, :3] *= 30.0
        chunks.append((X, (np.arange(20) % 3).astype(np.int32), np.ones(20)))
    stream = Stream(chunks, 3, 30)
    expected = batch(*stream.last_window()).spectrum.values[:3]
    found = stream.last(8).subspace.spectrum.values[:3]
    np.testing.assert_allclose(found, expected, rtol=1e-3)


def test_class_variances_of_a_cut_window_count_what_was_cut_off(rng):
    """Noise that is the same in all directions but three."""
    chunks = []
    for _ in range(5):
        X = rng.normal(size=(200, 30))
        X[:, :3] *= 10.0
        chunks.append((X, (np.arange(200) % 3).astype(np.int32), np.ones(200)))
    stream = Stream(chunks, 3, 30)
    axis = rng.normal(size=30) * (np.arange(30) > 2)
    expected = class_variances(*stream.last_window(), axis)
    np.testing.assert_allclose(stream.last(6).class_variances(axis), expected, rtol=0.15)


def test_rows_without_weights_count_once(stream):
    unweighted = [(X, codes, None) for X, codes, _ in stream.chunks]
    ones = [(X, codes, np.ones(len(X))) for X, codes, _ in stream.chunks]
    found = stream._replace(chunks=unweighted).last().subspace
    np.testing.assert_array_equal(
        product(found), product(stream._replace(chunks=ones).last().subspace)
    )


def test_rows_of_weight_zero_do_not_count(stream):
    weightless = [(X, c, w * (np.arange(len(w)) % 3 > 0)) for X, c, w in stream.chunks]
    kept = [(X[w > 0], c[w > 0], w[w > 0]) for X, c, w in weightless]
    found = stream._replace(chunks=weightless).last().subspace
    expected = stream._replace(chunks=kept).last().subspace
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-12)
    np.testing.assert_allclose(product(found), product(expected), atol=1e-10)


def test_identical_rows_have_no_directions():
    codes = np.zeros(4, dtype=np.int32)
    found = SlidingSubspace.empty(N_CLASSES, 6).slide(np.full((4, 6), 0.5), codes, None, 2, 5)
    assert found.subspace.spectrum.values.size == 0
    np.testing.assert_array_equal(found.subspace.means[0], np.full(6, 0.5))


def test_sliding_leaves_the_window_before_as_it_was(stream):
    steps = stream.slid()
    again = stream._replace(chunks=stream.chunks[:2]).last()
    np.testing.assert_array_equal(steps[1].coordinates, again.coordinates)
    np.testing.assert_array_equal(steps[1].subspace.means, again.subspace.means)


def test_long_stream_keeps_means_and_scatter_exact(rng):
    stream = draw_stream(rng, [4] * 100, 10, window=5)
    found, expected = stream.last().subspace, batch(*stream.last_window())
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-12)
    size = expected.spectrum.trace
    np.testing.assert_allclose(product(found), product(expected), atol=1e-11 * size)
