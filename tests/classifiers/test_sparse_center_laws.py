"""What must not matter, does not: storage, order, chunks, repeats, units."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from centroidal import SparseCenterClassifier

from .conftest import METRICS, SCALES, draw_samples

pytestmark = pytest.mark.once

laws = settings(deadline=None, max_examples=25, derandomize=True)
every_metric = pytest.mark.parametrize("metric", METRICS)


class Drawn(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    rng: np.random.Generator
    scale: str | None

    def model(self, metric="l2", n_features_to_select=None):
        return SparseCenterClassifier(n_features_to_select, metric=metric, scale=self.scale)


@st.composite
def continuous(draw, scales=tuple(SCALES)):
    """Gaussian classes, in which ties do not happen; the rows are shuffled."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes, n_features = draw(st.integers(2, 4)), draw(st.integers(1, 8))
    X, y = draw_samples(rng, n_classes, draw(st.integers(4 * n_classes, 40)), n_features)
    order = rng.permutation(len(y))
    return Drawn(X[order], y[order], rng, draw(st.sampled_from(scales)))


@st.composite
def tied(draw, scales=tuple(SCALES)):
    """Eighths, of which many are equal; the first rows show every class."""
    n_classes, n_features = draw(st.integers(2, 4)), draw(st.integers(1, 5))
    rest = draw(st.lists(st.integers(0, n_classes - 1), max_size=12))
    y = np.array([*range(n_classes), *rest])
    eighths = st.integers(-40, 40).map(lambda v: v / 8)
    X = draw(arrays(np.float64, (len(y), n_features), elements=eighths))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Drawn(X, y, rng, draw(st.sampled_from(scales)))


def assert_same_model(actual, expected, X):
    """Everything a user sees, to rounding."""
    options = {"rtol": 1e-9, "atol": 1e-10 * np.abs(expected.centers_).max() + 1e-12}
    np.testing.assert_array_equal(actual.classes_, expected.classes_)
    np.testing.assert_array_equal(actual.support_, expected.support_)
    np.testing.assert_allclose(actual.centers_, expected.centers_, **options)
    np.testing.assert_allclose(actual.feature_scale_, expected.feature_scale_, rtol=1e-10)
    np.testing.assert_allclose(
        actual.feature_gains_, expected.feature_gains_, rtol=1e-8, atol=1e-12
    )
    np.testing.assert_allclose(actual.objective_, expected.objective_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(actual.spread_, expected.spread_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        actual.decision_function(X), expected.decision_function(X), rtol=1e-7, atol=1e-7
    )


def half_of(X):
    """Return how many features to select, so that some are dropped."""
    return (X.shape[1] + 1) // 2


# ------------------------------------------------------------------ weights


@every_metric
@given(drawn=continuous())
@laws
def test_integer_weights_are_repeats(metric, drawn):
    X, y, rng, _ = drawn
    repeats = rng.integers(0, 4, size=len(y))
    repeats[np.unique(y, return_index=True)[1]] = 1
    repeated = np.repeat(np.arange(len(y)), repeats)
    assert_same_model(
        drawn.model(metric, half_of(X)).fit(X, y, sample_weight=repeats),
        drawn.model(metric, half_of(X)).fit(X[repeated], y[repeated]),
        X,
    )


@pytest.mark.parametrize("metric", ["l2", "l1"])
@given(drawn=tied())
@laws
def test_integer_weights_are_repeats_of_tied_values(metric, drawn):
    X, y, rng, _ = drawn
    repeats = rng.integers(1, 4, size=len(y))
    repeated = np.repeat(np.arange(len(y)), repeats)
    assert_same_model(
        drawn.model(metric).fit(X, y, sample_weight=repeats),
        drawn.model(metric).fit(X[repeated], y[repeated]),
        X,
    )


@every_metric
@given(drawn=continuous(), factor=st.sampled_from([0.125, 1.0, 8.0]))
@laws
def test_equal_weights_are_no_weights(metric, drawn, factor):
    if metric == "mahalanobis":
        factor = 1.0  # weights are counts there: more samples are shrunk less
    X, y, _, _ = drawn
    assert_same_model(
        drawn.model(metric, half_of(X)).fit(X, y, sample_weight=np.full(len(y), factor)),
        drawn.model(metric, half_of(X)).fit(X, y),
        X,
    )


# ------------------------------------------------------------------ streams


STREAMING = (None, "std", "within")


@given(drawn=continuous(STREAMING))
@laws
def test_merged_models_are_the_model_of_all_data(drawn):
    X, y, rng, _ = drawn
    in_first = rng.random(len(y)) < 0.5
    for c in np.unique(y):
        # Both parts can be fitted by themselves: each sees every class.
        in_first[np.flatnonzero(y == c)[:2]] = [True, False]
    first, second = (
        drawn.model("l2", half_of(X)).fit(X[rows], y[rows]) for rows in (in_first, ~in_first)
    )
    assert_same_model(first.merge(second), drawn.model("l2", half_of(X)).fit(X, y), X)


@given(drawn=continuous(STREAMING), data=st.data())
@laws
def test_any_chunking_gives_the_model_of_one_batch(drawn, data):
    X, y, _, _ = drawn
    # The first chunk goes as far as the second class at least.
    first = int(np.argmax(y != y[0])) + 1
    cuts = data.draw(st.lists(st.integers(first, len(y)), min_size=1, max_size=6))
    bounds = sorted({0, *cuts, len(y)})
    model = drawn.model("l2", half_of(X))
    for start, stop in pairwise(bounds):
        model.partial_fit(X[start:stop], y[start:stop], classes=np.unique(y))
    assert_same_model(model, drawn.model("l2", half_of(X)).fit(X, y), X)


@given(drawn=tied(STREAMING))
@laws
def test_one_sample_at_a_time_gives_the_model_of_one_batch(drawn):
    X, y, _, _ = drawn
    model = drawn.model().partial_fit(X[:2], y[:2], classes=np.unique(y))
    for i in range(2, len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    assert_same_model(model, drawn.model().fit(X, y), X)


@given(drawn=continuous(STREAMING))
@laws
def test_weighted_chunks_give_the_weighted_model_of_one_batch(drawn):
    X, y, rng, _ = drawn
    weights = rng.uniform(0.5, 2.0, size=len(y))
    first = int(np.argmax(y != y[0])) + 1
    model = drawn.model("l2", half_of(X))
    for rows in (slice(0, first), slice(first, None)):
        if len(y[rows]):
            model.partial_fit(X[rows], y[rows], np.unique(y), sample_weight=weights[rows])
    assert_same_model(model, drawn.model("l2", half_of(X)).fit(X, y, weights), X)


# ------------------------------------------------------------------ storage and order


@every_metric
@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@given(drawn=continuous())
@laws
def test_sparse_data_give_the_model_of_dense_data(metric, store, drawn):
    X, y, rng, _ = drawn
    X = X * (rng.random(X.shape) < 0.6)
    model = drawn.model(metric, half_of(X)).fit(store(X), y)
    assert_same_model(model, drawn.model(metric, half_of(X)).fit(X, y), X)
    np.testing.assert_allclose(
        model.decision_function(store(X)), model.decision_function(X), rtol=1e-7, atol=1e-7
    )


@pytest.mark.parametrize("metric", ["l2", "l1"])
@given(drawn=tied())
@laws
def test_sparse_data_give_the_model_of_dense_data_with_ties(metric, drawn):
    X, y, _, _ = drawn
    assert_same_model(
        drawn.model(metric).fit(sparse.csr_array(X), y), drawn.model(metric).fit(X, y), X
    )


@every_metric
@given(drawn=continuous())
@laws
def test_order_of_rows_does_not_matter(metric, drawn):
    X, y, rng, _ = drawn
    order = rng.permutation(len(y))
    assert_same_model(
        drawn.model(metric, half_of(X)).fit(X[order], y[order]),
        drawn.model(metric, half_of(X)).fit(X, y),
        X,
    )


@given(drawn=tied((None, "mad")))
@laws
def test_order_of_rows_leaves_l1_centers_as_they_are_to_the_bit(drawn):
    X, y, rng, _ = drawn
    order = rng.permutation(len(y))
    shuffled = drawn.model("l1").fit(X[order], y[order])
    np.testing.assert_array_equal(shuffled.centers_, drawn.model("l1").fit(X, y).centers_)


@every_metric
@given(drawn=continuous())
@laws
def test_order_of_columns_does_not_matter(metric, drawn):
    X, y, rng, _ = drawn
    order = rng.permutation(X.shape[1])
    model = drawn.model(metric, half_of(X)).fit(X, y)
    shuffled = drawn.model(metric, half_of(X)).fit(X[:, order], y)
    np.testing.assert_array_equal(shuffled.support_, model.support_[order])
    np.testing.assert_allclose(shuffled.centers_, model.centers_[:, order], rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(shuffled.predict(X[:, order]), model.predict(X))


@every_metric
@given(drawn=continuous())
@laws
def test_names_of_the_classes_do_not_matter(metric, drawn):
    X, y, _, _ = drawn
    model = drawn.model(metric).fit(X, y)
    named = drawn.model(metric).fit(X, np.array(["ant", "bee", "cat", "dog"])[y])
    np.testing.assert_array_equal(named.centers_, model.centers_)


# ------------------------------------------------------------------ units


@every_metric
@given(drawn=continuous(("std", "within", "mad")), unit=st.sampled_from([1e-6, 0.3, -1.0, 7e5]))
@laws
def test_unit_of_a_feature_does_not_matter_once_features_are_scaled(metric, drawn, unit):
    X, y, rng, _ = drawn
    j = rng.integers(X.shape[1])
    rescaled = X.copy()
    rescaled[:, j] *= unit
    model = drawn.model(metric, half_of(X)).fit(X, y)
    other = drawn.model(metric, half_of(X)).fit(rescaled, y)
    np.testing.assert_array_equal(other.support_, model.support_)
    np.testing.assert_array_equal(other.predict(rescaled), model.predict(X))
    np.testing.assert_allclose(
        other.predict_proba(rescaled), model.predict_proba(X), rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize("metric", ["l2", "l1"])
@given(drawn=continuous(), exponent=st.integers(-20, 20))
@laws
def test_power_of_two_scales_the_centers_to_the_bit(metric, drawn, exponent):
    X, y, _, _ = drawn
    model = drawn.model(metric, half_of(X)).fit(X, y)
    scaled = drawn.model(metric, half_of(X)).fit(X * 2.0**exponent, y)
    np.testing.assert_array_equal(scaled.centers_, model.centers_ * 2.0**exponent)
    np.testing.assert_array_equal(scaled.predict(X * 2.0**exponent), model.predict(X))


@given(drawn=continuous(), exponent=st.integers(-20, 20))
@laws
def test_power_of_two_leaves_whitened_centers_alone(drawn, exponent):
    X, y, _, _ = drawn
    model = drawn.model("mahalanobis").fit(X, y)
    scaled = drawn.model("mahalanobis").fit(X * 2.0**exponent, y)
    np.testing.assert_allclose(scaled.centers_, model.centers_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("metric", ["l2", "l1"])
@given(drawn=tied(), shift=st.sampled_from([-1000.0, 0.5, 64.0]))
@laws
def test_common_offset_moves_the_centers_and_nothing_else(metric, drawn, shift):
    X, y, _, _ = drawn
    model = drawn.model(metric).fit(X, y)
    shifted = drawn.model(metric).fit(X + shift, y)
    np.testing.assert_allclose(shifted.centers_, model.centers_ + shift, rtol=1e-12)
    np.testing.assert_allclose(shifted.feature_gains_, model.feature_gains_, rtol=1e-8, atol=1e-10)
