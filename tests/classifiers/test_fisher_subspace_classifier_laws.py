"""What must not matter to a Fisher subspace, does not: chunks, parts, repeats, storage, units."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from centroidal import FisherSubspaceClassifier
from tests.reference import fisher

from .fisher_samples import cuts_of, draw_correlated, draw_spiked

pytestmark = pytest.mark.once

laws = settings(deadline=None, max_examples=15, derandomize=True)

# Whitenings that use all there is, so that nothing depends on how the data arrived.
EXACT = [("full", None), ("variance", 1.0), ("truncated", 100)]
exact = pytest.mark.parametrize(("kind", "number"), EXACT)


class Drawn(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    rng: np.random.Generator
    scatter: str


@st.composite
def gaussian(draw, max_classes=4, wide=False):
    """Correlated classes; wide data have more features than samples."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.integers(2, max_classes))
    if wide:
        n_samples, n_features = draw(st.integers(10, 16)), draw(st.integers(20, 30))
    else:
        n_samples, n_features = draw(st.integers(40, 60)), draw(st.integers(1, 6))
    X, y = draw_correlated(rng, n_classes, n_samples, n_features)
    return Drawn(X, y, rng, draw(st.sampled_from(["total", "within"])))


def fitted(drawn, kind, number, threshold="prior", rows=slice(None), **options):
    model = FisherSubspaceClassifier(kind, number, scatter=drawn.scatter, threshold=threshold)
    return model.fit(drawn.X[rows], drawn.y[rows], **options)


def in_chunks(drawn, kind, number, chunks, threshold="prior"):
    model = FisherSubspaceClassifier(kind, number, scatter=drawn.scatter, threshold=threshold)
    for rows in chunks:
        model.partial_fit(drawn.X[rows], drawn.y[rows], classes=np.unique(drawn.y))
    return model


def assert_same_model(actual, expected, X):
    np.testing.assert_array_equal(actual.classes_, expected.classes_)
    np.testing.assert_array_equal(actual.class_count_, expected.class_count_)
    np.testing.assert_allclose(actual.means_, expected.means_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(actual.mean_, expected.mean_, rtol=1e-9, atol=1e-9)
    assert actual.n_components_ == expected.n_components_
    np.testing.assert_allclose(actual.singular_values_, expected.singular_values_, rtol=1e-7)
    scores = expected.decision_function(X)
    np.testing.assert_allclose(
        actual.decision_function(X), scores, rtol=1e-6, atol=1e-7 * np.abs(scores).max()
    )


# ------------------------------------------------------------------ streams


@exact
@given(drawn=gaussian())
@laws
def test_any_chunking_gives_the_model_of_one_batch(kind, number, drawn):
    chunks = cuts_of(drawn.rng, len(drawn.y), drawn.rng.integers(2, 7))
    model = in_chunks(drawn, kind, number, chunks)
    assert_same_model(model, fitted(drawn, kind, number), drawn.X)


@exact
@given(drawn=gaussian(max_classes=2, wide=True))
@laws
def test_any_chunking_of_wide_data_gives_the_direction_of_one_batch(kind, number, drawn):
    drawn = drawn._replace(scatter="total")
    chunks = cuts_of(drawn.rng, len(drawn.y), 3)
    model = in_chunks(drawn, kind, number, chunks)
    expected = fitted(drawn, kind, number)
    assert fisher.cosine(model.axes_, expected.axes_) == pytest.approx(1.0, abs=1e-7)
    np.testing.assert_allclose(model.singular_values_, expected.singular_values_, rtol=1e-6)


@given(drawn=gaussian())
@settings(laws, max_examples=4)
def test_one_sample_at_a_time_gives_the_model_of_one_batch(drawn):
    chunks = [slice(i, i + 1) for i in range(len(drawn.y))]
    model = in_chunks(drawn, "full", None, chunks)
    assert_same_model(model, fitted(drawn, "full", None), drawn.X)


@exact
@given(drawn=gaussian())
@laws
def test_weighted_chunks_give_the_weighted_model_of_one_batch(kind, number, drawn):
    X, y, rng, scatter = drawn
    weights = rng.uniform(0.5, 2.0, size=len(y))
    model = FisherSubspaceClassifier(kind, number, scatter=scatter, threshold="prior")
    for rows in cuts_of(rng, len(y), 4):
        model.partial_fit(X[rows], y[rows], np.unique(y), sample_weight=weights[rows])
    expected = fitted(drawn, kind, number, sample_weight=weights)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=1e-6, atol=1e-8)


@exact
@given(drawn=gaussian())
@laws
def test_merged_models_are_the_model_of_all_data(kind, number, drawn):
    X, y, rng, _ = drawn
    in_first = rng.random(len(y)) < np.where(y == 0, 0.2, 0.7)
    for c in np.unique(y):
        in_first[np.flatnonzero(y == c)[:2]] = [True, False]
    first, second = (fitted(drawn, kind, number, rows=rows) for rows in (in_first, ~in_first))
    assert_same_model(first.merge(second), fitted(drawn, kind, number), X)


@exact
@given(drawn=gaussian())
@laws
def test_order_of_merging_does_not_matter(kind, number, drawn):
    classes = np.unique(drawn.y)
    chunks = cuts_of(drawn.rng, len(drawn.y), 3)

    def part(k):
        model = FisherSubspaceClassifier(kind, number, scatter=drawn.scatter, threshold="prior")
        return model.partial_fit(drawn.X[chunks[k]], drawn.y[chunks[k]], classes=classes)

    left = part(0).merge(part(1)).merge(part(2))
    right = part(2).merge(part(1).merge(part(0)))
    assert_same_model(left, right, drawn.X)


@given(seed=st.integers(0, 2**32 - 1))
@laws
def test_truncated_chunks_are_close_to_one_batch(seed):
    rng = np.random.default_rng(seed)
    X, y = draw_spiked(rng)
    model = FisherSubspaceClassifier("truncated", 5)
    for rows in (slice(s, s + 20) for s in range(0, 60, 20)):
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
    expected = FisherSubspaceClassifier("truncated", 5).fit(X, y)
    assert fisher.cosine(model.coef_, expected.coef_) > 0.97


@given(seed=st.integers(0, 2**32 - 1))
@laws
def test_truncated_merge_is_close_to_one_batch(seed):
    X, y = draw_spiked(np.random.default_rng(seed))
    first, second = (
        FisherSubspaceClassifier("truncated", 5).fit(X[rows], y[rows])
        for rows in (slice(0, 30), slice(30, None))
    )
    expected = FisherSubspaceClassifier("truncated", 5).fit(X, y)
    assert fisher.cosine(first.merge(second).coef_, expected.coef_) > 0.97


# ------------------------------------------------------------------ weights and storage


@pytest.mark.parametrize("kind", ["full", "variance", "truncated"])
@given(drawn=gaussian())
@laws
def test_integer_weights_are_repeats(kind, drawn):
    X, y, rng, scatter = drawn
    repeats = rng.integers(0, 4, size=len(y))
    repeats[np.unique(y, return_index=True)[1]] = 2
    number = None if kind == "full" else 2
    weighted = fitted(drawn, kind, number, sample_weight=repeats)
    repeated = FisherSubspaceClassifier(kind, number, scatter=scatter, threshold="prior")
    repeated.fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    assert_same_model(weighted, repeated, X)


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("kind", ["full", "variance", "truncated"])
@given(drawn=gaussian())
@laws
def test_sparse_data_give_the_model_of_dense_data(store, kind, drawn):
    X = drawn.X * (drawn.rng.random(drawn.X.shape) < 0.7)
    dense = drawn._replace(X=X)
    number = None if kind == "full" else 2
    model = fitted(drawn._replace(X=store(X)), kind, number)
    expected = fitted(dense, kind, number)
    assert_same_model(model, expected, X)


@pytest.mark.parametrize("kind", ["full", "variance", "truncated"])
@given(drawn=gaussian(), unit=st.sampled_from([2.0**-20, -1.0, 2.0**15]))
@laws
def test_unit_of_all_features_does_not_matter(kind, drawn, unit):
    number = None if kind == "full" else 2
    model = fitted(drawn._replace(X=drawn.X * unit), kind, number)
    expected = fitted(drawn, kind, number)
    np.testing.assert_allclose(
        model.predict_proba(drawn.X * unit), expected.predict_proba(drawn.X), rtol=1e-6, atol=1e-9
    )


@given(drawn=gaussian())
@laws
def test_mixing_the_features_does_not_matter_to_full_whitening(drawn):
    n_features = drawn.X.shape[1]
    mixing = drawn.rng.normal(size=(n_features, n_features)) + 3.0 * np.eye(n_features)
    model = fitted(drawn._replace(X=drawn.X @ mixing), "full", None)
    expected = fitted(drawn, "full", None)
    np.testing.assert_allclose(
        model.predict_proba(drawn.X @ mixing),
        expected.predict_proba(drawn.X),
        rtol=1e-5,
        atol=1e-7,
    )


@pytest.mark.parametrize("kind", ["full", "variance", "truncated"])
@given(drawn=gaussian())
@laws
def test_names_of_the_classes_do_not_matter(kind, drawn):
    number = None if kind == "full" else 2
    model = fitted(drawn, kind, number)
    named = fitted(drawn._replace(y=np.array(["ant", "bee", "cat", "dog"])[drawn.y]), kind, number)
    np.testing.assert_array_equal(named.coef_, model.coef_)
