"""Streams of chunks against decompositions of everything; windows; merging; bad input."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError

from centroidal import (
    FisherSubspaceClassifier,
    KernelFisherSubspaceClassifier,
    OnlineFisherSubspaceClassifier,
)
from tests.reference import fisher, online_fisher

from .fisher_samples import cuts_of, draw_correlated, draw_spiked

laws = settings(deadline=None, max_examples=15, derandomize=True)


@pytest.fixture
def pair(rng):
    """Two classes, more samples than features."""
    return draw_correlated(rng)


@pytest.fixture
def several(rng):
    """Four classes."""
    return draw_correlated(rng, n_classes=4, n_samples=80, n_features=10)


@pytest.fixture
def spiked(rng):
    """Two classes with a few strong directions of noise among many features."""
    return draw_spiked(rng, n_samples=80)


def chunked(X, y, slices):
    return [(X[rows], y[rows]) for rows in slices]


def streamed(chunks, n_components=None, classes=(0, 1), **options):
    model = OnlineFisherSubspaceClassifier(n_components, **options)
    for X, y in chunks:
        model.partial_fit(X, y, classes=list(classes))
    return model


def every(size, n_samples):
    return [slice(start, start + size) for start in range(0, n_samples, size)]


def cosine(model, direction):
    return fisher.cosine(model.coef_, direction)


# ------------------------------------------------------------------ all components


@pytest.mark.parametrize("size", [1, 7, 30, 60])
@pytest.mark.parametrize("number", [4, 5, 8])
def test_stream_within_its_rank_has_the_direction_of_one_batch(pair, size, number):
    X, y = pair
    # There are eight features: with four components nothing is cut off.
    model = streamed(chunked(X, y, every(size, 60)), number)
    assert cosine(model, fisher.fit(X, y, rule=number).w) == pytest.approx(1.0, abs=1e-9)


def test_spectrum_is_that_of_one_batch(pair):
    X, y = pair
    model = streamed(chunked(X, y, every(7, 60)), 8)
    np.testing.assert_allclose(model.singular_values_, fisher.spectrum(X, y).values, rtol=1e-9)


def test_components_stay_orthonormal_over_many_updates(spiked):
    model = streamed(chunked(*spiked, every(1, 80)), 4)
    identity = model.components_ @ model.components_.T
    np.testing.assert_allclose(identity, np.eye(len(identity)), atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1))
@laws
def test_any_chunking_gives_the_direction_of_one_batch(seed):
    rng = np.random.default_rng(seed)
    X, y = draw_correlated(rng, n_samples=40, n_features=6)
    model = streamed(chunked(X, y, cuts_of(rng, 40, rng.integers(2, 8))), 6)
    assert cosine(model, fisher.fit(X, y, rule=6).w) == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(model.mean_, X.mean(axis=0), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(model.means_, fisher.class_means(X, y), rtol=1e-9, atol=1e-10)


@given(seed=st.integers(0, 2**32 - 1))
@laws
def test_order_of_the_chunks_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    X, y = draw_correlated(rng, n_samples=40, n_features=6)
    chunks = chunked(X, y, every(8, 40))
    forwards, backwards = streamed(chunks, 6), streamed(chunks[::-1], 6)
    assert cosine(forwards, backwards.coef_) == pytest.approx(1.0, abs=1e-9)


@given(seed=st.integers(0, 2**32 - 1))
@laws
def test_stream_of_several_classes_is_close_to_one_batch_in_its_axes(seed):
    rng = np.random.default_rng(seed)
    X, y = draw_correlated(rng, 3, n_samples=45, n_features=6)
    model = streamed(chunked(X, y, every(9, 45)), 6, classes=range(3))
    batch = FisherSubspaceClassifier("truncated", 6).fit(X, y)
    np.testing.assert_allclose(model.mean_, batch.mean_, rtol=1e-9, atol=1e-10)
    assert (model.predict(X) == batch.predict(X)).mean() > 0.85


def test_wide_data_within_the_working_rank_have_the_direction_of_one_batch(rng):
    X, y = draw_correlated(rng, n_samples=15, n_features=40)
    model = streamed(chunked(X, y, every(5, 15)), 10)
    assert cosine(model, fisher.fit(X, y, rule=10).w) == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("n_samples", [9, 20, 60])
def test_usual_number_of_components_grows_with_the_samples(rng, n_samples):
    X, y = draw_correlated(rng, n_samples=n_samples, n_features=40)
    model = streamed(chunked(X, y, every(5, n_samples)))
    assert model.n_components_ == fisher.n_components("log2", fisher.spectrum(X, y), n_samples)


# ------------------------------------------------------------------ cut off


@pytest.mark.parametrize("size", [5, 10, 20])
@pytest.mark.parametrize("number", [4, 6])
def test_stream_that_is_cut_off_stays_close_to_one_batch(spiked, size, number):
    X, y = spiked
    model = streamed(chunked(X, y, every(size, 80)), number)
    assert cosine(model, fisher.fit(X, y, rule=number).w) > 0.97


def test_stream_keeps_twice_the_components_it_uses(spiked):
    model = streamed(chunked(*spiked, every(10, 80)), 5)
    assert model.n_components_ == 5
    assert model.components_.shape == (10, 40)


@pytest.mark.parametrize("size", [5, 20])
def test_cut_off_stream_is_that_of_repeated_decompositions(spiked, size):
    X, y = spiked
    chunks = chunked(X, y, every(size, 80))
    model = streamed(chunks, 5)
    factors, d = online_fisher.stream(chunks, 5, lambda d: 2 * d)[-1]
    means = fisher.class_means(X, y)
    expected = online_fisher.direction(factors, d, means[1] - means[0])
    assert cosine(model, expected) > 0.999


# ------------------------------------------------------------------ threshold


def test_threshold_of_one_chunk_is_the_mahalanobis_one(pair):
    X, y = pair
    model = streamed([(X, y)], 4)
    expected = fisher.fit(X, y, rule=4, threshold="mahalanobis")
    assert model.threshold_ == pytest.approx(expected.threshold, rel=1e-8)


def test_threshold_is_close_to_that_of_one_batch(pair):
    X, y = pair
    model = streamed(chunked(X, y, every(12, 60)), 4)
    expected = fisher.fit(X, y, rule=4, threshold="mahalanobis")
    gap = (expected.means[1] - expected.means[0]) @ expected.w
    assert model.threshold_ == pytest.approx(expected.threshold, abs=0.1 * gap)


@pytest.mark.parametrize("size", [6, 20])
def test_threshold_is_that_of_carried_variances(pair, size):
    chunks = chunked(*pair, every(size, 60))
    model = OnlineFisherSubspaceClassifier(4)
    directions = []
    for X, y in chunks:
        model.partial_fit(X, y, classes=[0, 1])
        directions.append(model.axes_[:, 0])
    expected = online_fisher.threshold(chunks, directions, pair.X.mean(axis=0))
    assert model.threshold_ == pytest.approx(expected, rel=1e-7)


def test_threshold_of_a_window_is_the_mahalanobis_one(pair):
    chunks = chunked(*pair, every(15, 60))
    model = streamed(chunks, 8, window=3)
    rows, codes = online_fisher.window(chunks, 3)
    expected = fisher.fit(rows, codes, rule=8, threshold="mahalanobis")
    assert model.threshold_ == pytest.approx(expected.threshold, rel=1e-7)


def test_class_that_came_alone_keeps_its_spread(pair):
    X, y = pair
    model = streamed([(X[y == 0], y[y == 0]), (X[y == 1], y[y == 1])], 8)
    expected = fisher.fit(X, y, rule=8, threshold="mahalanobis")
    assert model.threshold_ == pytest.approx(expected.threshold, rel=1e-7)


def test_threshold_lies_between_the_means(pair):
    X, y = pair
    model = streamed(chunked(X, y, every(5, 60)), 4)
    low, high = (model.means_ - model.mean_) @ model.axes_[:, 0]
    assert low < model.threshold_ < high


def test_offset_of_the_data_does_not_bias_the_threshold(pair):
    X, y = pair
    chunks, shifted = (chunked(data, y, every(10, 60)) for data in (X, X + 1000.0))
    model, moved = streamed(chunks, 4), streamed(shifted, 4)
    np.testing.assert_allclose(
        moved.decision_function(X + 1000.0), model.decision_function(X), rtol=1e-5, atol=1e-6
    )


# ------------------------------------------------------------------ classes that come and go


def test_first_chunk_may_hold_a_single_class(pair):
    X, y = pair
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    model = OnlineFisherSubspaceClassifier(8).partial_fit(X[:5], y[:5], classes=[0, 1])
    assert model.predict(X).tolist() == [0] * 60
    model.partial_fit(X[5:], y[5:])
    assert cosine(model, fisher.fit(X, y, rule=8).w) == pytest.approx(1.0, abs=1e-9)


def test_class_may_first_appear_in_a_later_chunk(several):
    X, y = several
    order = np.argsort(y == 3, kind="stable")
    chunks = chunked(X[order], y[order], every(20, 80))
    model = streamed(chunks[:2], 10, classes=range(4))
    assert 3 not in model.predict(X)
    for chunk in chunks[2:]:
        model.partial_fit(*chunk)
    assert 3 in model.predict(X)
    np.testing.assert_allclose(model.means_, fisher.class_means(X, y), rtol=1e-9)


def test_first_sample_of_all_is_enough_to_predict(pair):
    X, y = pair
    model = OnlineFisherSubspaceClassifier().partial_fit(X[:1], y[:1], classes=[0, 1])
    assert set(model.predict(X)) == {y[0]}


def test_chunks_of_equal_rows_are_no_obstacle():
    chunks = [(np.full((4, 3), 0.1), np.array([0, 1, 0, 1]))] * 3
    model = streamed(chunks)
    assert np.isfinite(model.decision_function(np.ones((2, 3)))).all()


# ------------------------------------------------------------------ window


@pytest.mark.parametrize("window", [1, 2, 3])
def test_window_is_a_batch_of_the_last_chunks(pair, window):
    X, y = pair
    chunks = chunked(X, y, every(15, 60))
    model = streamed(chunks, 8, window=window)
    rows, codes = online_fisher.window(chunks, window)
    expected = fisher.fit(rows, codes, rule=8, threshold="mahalanobis")
    assert cosine(model, expected.w) == pytest.approx(1.0, abs=1e-8)
    np.testing.assert_allclose(model.mean_, rows.mean(axis=0), rtol=1e-9, atol=1e-10)
    np.testing.assert_array_equal(model.class_count_, np.bincount(codes))


@pytest.mark.parametrize("size", [1, 9, 10, 25, 26, 40, 60, 99])
def test_window_of_samples_is_a_batch_of_the_last_chunks_that_fit(pair, size):
    chunks = chunked(*pair, [slice(0, 20), slice(20, 35), slice(35, 50), slice(50, 60)])
    model = streamed(chunks, 8, window=size, window_unit="samples")
    rows, codes = online_fisher.window_of_samples(chunks, size)
    np.testing.assert_allclose(model.mean_, rows.mean(axis=0), rtol=1e-9, atol=1e-10)
    np.testing.assert_array_equal(model.class_count_, np.bincount(codes, minlength=2))
    if size > 20:
        expected = fisher.fit(rows, codes, rule=8, threshold="mahalanobis")
        assert cosine(model, expected.w) == pytest.approx(1.0, abs=1e-8)


def test_window_of_samples_that_come_one_by_one_is_exact(pair):
    X, y = pair
    model = streamed(chunked(X, y, every(1, 60)), 8, window=30, window_unit="samples")
    expected = fisher.fit(X[30:], y[30:], rule=8, threshold="mahalanobis")
    assert cosine(model, expected.w) == pytest.approx(1.0, abs=1e-8)
    assert model.threshold_ == pytest.approx(expected.threshold, rel=1e-6)


def test_spectrum_of_a_window_is_that_of_its_samples(pair):
    X, y = pair
    chunks = chunked(X, y, every(12, 60))
    model = streamed(chunks, 8, window=2)
    expected = fisher.spectrum(*online_fisher.window(chunks, 2)).values
    np.testing.assert_allclose(model.singular_values_, expected, rtol=1e-8)


def test_window_that_is_not_full_yet_forgets_nothing(pair):
    X, y = pair
    chunks = chunked(X, y, every(20, 60))
    model, endless = streamed(chunks, 8, window=5), streamed(chunks, 8)
    assert cosine(model, endless.coef_) == pytest.approx(1.0, abs=1e-9)


def test_what_left_the_window_does_not_matter(rng, pair):
    X, y = pair
    last = chunked(X, y, every(20, 60))
    strange = [(1e3 * rng.normal(size=(20, 8)), np.arange(20) % 2)]
    model, clean = streamed(strange + last, 8, window=3), streamed(last, 8, window=3)
    np.testing.assert_allclose(
        model.decision_function(X), clean.decision_function(X), rtol=1e-5, atol=1e-6
    )


def test_class_that_left_the_window_is_not_predicted(pair):
    X, y = pair
    chunks = [(X, y), (X[y == 0], y[y == 0])]
    model = streamed(chunks, 8, window=1)
    assert model.predict(X).tolist() == [0] * 60


@given(seed=st.integers(0, 2**32 - 1))
@laws
def test_window_of_any_chunks_is_a_batch_of_the_last(seed):
    rng = np.random.default_rng(seed)
    X, y = draw_correlated(rng, n_samples=60, n_features=5)
    chunks = chunked(X, y, every(10, 60))
    window = int(rng.integers(2, 6))
    model = streamed(chunks, 5, window=window)
    rows, codes = online_fisher.window(chunks, window)
    assert cosine(model, fisher.fit(rows, codes, rule=5).w) == pytest.approx(1.0, abs=1e-8)


# ------------------------------------------------------------------ fit, merge, weights, storage


def test_fit_is_one_pass_over_all_data(pair):
    X, y = pair
    model = OnlineFisherSubspaceClassifier(8).fit(X, y)
    assert cosine(model, fisher.fit(X, y, rule=8).w) == pytest.approx(1.0, abs=1e-9)


def test_fit_in_blocks_has_the_direction_of_one_batch(rng):
    X, y = draw_correlated(rng, n_samples=150, n_features=6)
    model = OnlineFisherSubspaceClassifier(6).fit(X, y)
    assert cosine(model, fisher.fit(X, y, rule=6).w) == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(model.singular_values_, fisher.spectrum(X, y).values, rtol=1e-9)


def test_fit_forgets_earlier_chunks(pair, several):
    model = streamed(chunked(*several, every(20, 80)), 4, classes=range(4)).fit(*pair)
    expected = OnlineFisherSubspaceClassifier(4).fit(*pair)
    np.testing.assert_array_equal(model.coef_, expected.coef_)


def test_merge_within_the_rank_has_the_direction_of_all_data(pair):
    X, y = pair
    first, second = (
        streamed(chunked(X[rows], y[rows], every(10, 30)), 8) for rows in every(30, 60)
    )
    merged = first.merge(second)
    assert cosine(merged, fisher.fit(X, y, rule=8).w) == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(merged.singular_values_, fisher.spectrum(X, y).values, rtol=1e-8)


def test_stream_goes_on_from_a_batch(pair):
    X, y = pair
    batch = FisherSubspaceClassifier(n_components=8).fit(X[:30], y[:30])
    model = streamed([(X[30:], y[30:])], 8).merge(batch)
    expected = streamed(chunked(X, y, every(30, 60)), 8)
    assert cosine(model, fisher.fit(X, y, rule=8).w) == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(model.means_, expected.means_, rtol=1e-9, atol=1e-12)
    low, high = (model.means_ - model.mean_) @ model.axes_[:, 0]
    assert low < model.threshold_ < high
    assert (model.predict(X) == expected.predict(X)).mean() > 0.95


def test_stream_takes_the_spread_inside_the_classes_of_a_batch_for_that_of_each(pair):
    """All that a summary of a batch knows of it."""
    X, y = pair
    batch = FisherSubspaceClassifier(n_components=8).fit(X[:30], y[:30])
    model = streamed([(X[30:], y[30:])], 8).merge(batch)
    w, old, new = model.axes_[:, 0], slice(0, 30), slice(30, 60)
    carried = streamed([(X[new], y[new])], 8)._stream.variances
    own = np.array([X[old][y[old] == label].mean(axis=0) for label in y[old]])
    pooled = np.mean(((X[old] - own) @ w) ** 2)
    spreads = []
    for c in (0, 1):
        mean = X[y == c].mean(axis=0) @ w
        of_old, of_new = X[old][y[old] == c] @ w, X[new][y[new] == c] @ w
        squares = of_old.size * (pooled + (of_old.mean() - mean) ** 2)
        squares += of_new.size * (carried[c] + (of_new.mean() - mean) ** 2)
        spreads.append(np.sqrt(squares / (y == c).sum()))
    low, high = (model.means_ - model.mean_) @ w
    expected = low + spreads[0] * (high - low) / sum(spreads)
    assert model.threshold_ == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kind", ["truncated", "full", "variance"])
def test_batch_takes_a_stream(pair, kind):
    X, y = pair
    number = 8 if kind == "truncated" else None
    stream = streamed(chunked(X[30:], y[30:], every(10, 30)), 8)
    model = FisherSubspaceClassifier(kind, number, threshold="prior").fit(X[:30], y[:30])
    together = FisherSubspaceClassifier(kind, number, threshold="prior").fit(X, y)
    np.testing.assert_allclose(
        model.merge(stream).decision_function(X), together.decision_function(X), rtol=1e-7
    )


def test_batch_averages_its_threshold_with_that_of_a_stream(pair):
    X, y = pair
    stream = streamed([(X[30:], y[30:])], 8)
    model = FisherSubspaceClassifier("full").fit(X[:30], y[:30])
    places = [each._solution.threshold_point.place for each in (model, stream)]
    model.merge(stream)
    expected = (np.mean(places, axis=0) - model.mean_) @ model.axes_[:, 0]
    assert model.threshold_ == pytest.approx(expected, rel=1e-9)


def test_batch_of_other_scatter_is_refused_by_a_stream(pair):
    X, y = pair
    batch = FisherSubspaceClassifier(scatter="within").fit(X, y)
    with pytest.raises(ValueError, match="other has scatter='within', which must be .* 'total'"):
        streamed([(X, y)], 8).merge(batch)


def test_batch_refuses_a_window(pair):
    X, y = pair
    with pytest.raises(ValueError, match="other has window=2; only estimators without a window"):
        FisherSubspaceClassifier().fit(X, y).merge(streamed([(X, y)], 8, window=2))


def test_merge_that_is_cut_off_is_close_to_one_batch(spiked):
    X, y = spiked
    first, second = (
        streamed(chunked(X[rows], y[rows], every(10, 40)), 5) for rows in every(40, 80)
    )
    assert cosine(first.merge(second), fisher.fit(X, y, rule=5).w) > 0.97


def test_merge_of_other_classes_knows_the_classes_of_either(several):
    X, y = several
    lower = streamed([(X[y < 2], y[y < 2])], 10, classes=[0, 1])
    upper = streamed([(X[y >= 2], y[y >= 2])], 10, classes=[2, 3])
    merged = lower.merge(upper)
    assert merged.classes_.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(merged.means_, fisher.class_means(X, y), rtol=1e-9)


def test_integer_weights_are_repeats(rng, pair):
    X, y = pair
    repeats = rng.integers(1, 4, size=60)
    weighted, repeated = (OnlineFisherSubspaceClassifier(4) for _ in range(2))
    for rows in every(20, 60):
        times = repeats[rows]
        weighted.partial_fit(X[rows], y[rows], classes=[0, 1], sample_weight=times)
        repeated.partial_fit(np.repeat(X[rows], times, axis=0), np.repeat(y[rows], times), [0, 1])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array])
def test_sparse_chunks_give_the_model_of_dense_chunks(rng, store, pair):
    X, y = pair
    X = X * (rng.random(X.shape) < 0.5)
    dense = streamed(chunked(X, y, every(15, 60)), 4)
    model = streamed([(store(X[rows]), y[rows]) for rows in every(15, 60)], 4)
    np.testing.assert_allclose(model.coef_, dense.coef_, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(
        model.decision_function(store(X)), dense.decision_function(X), rtol=1e-7, atol=1e-7
    )


def test_single_precision_is_close_to_double_precision(pair):
    X, y = pair
    double = streamed(chunked(X, y, every(15, 60)), 4)
    single = streamed(chunked(X.astype(np.float32), y, every(15, 60)), 4)
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-3, atol=1e-3)


def test_memory_does_not_grow_with_the_samples(rng):
    sizes = []
    for n_samples in (400, 800):
        X, y = draw_spiked(rng, n_samples=n_samples, n_features=30)
        sizes.append(len(pickle.dumps(streamed(chunked(X, y, every(40, n_samples)), 3))))
    assert sizes[1] < sizes[0] + 200


def test_chunks_are_left_alone(pair):
    X, y = pair
    before = X.copy(), y.copy()
    streamed(chunked(X, y, every(15, 60)), 4, window=2)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize("value", [0, -1, 1.5, "log3", True, [2]])
def test_number_of_components_that_is_none_is_refused(pair, value):
    with pytest.raises((TypeError, ValueError), match="n_components="):
        OnlineFisherSubspaceClassifier(value).fit(*pair)


@pytest.mark.parametrize("value", [0, -1, 1.5, "all", True])
def test_window_that_is_none_is_refused(pair, value):
    with pytest.raises((TypeError, ValueError), match="window="):
        OnlineFisherSubspaceClassifier(window=value).partial_fit(*pair, classes=[0, 1])


@pytest.mark.parametrize("value", ["rows", None, 2])
def test_unit_of_the_window_that_is_none_is_refused(pair, value):
    with pytest.raises(ValueError, match="window_unit=.* must be one of 'calls', 'samples'"):
        OnlineFisherSubspaceClassifier(window=2, window_unit=value).fit(*pair)


def test_priors_that_are_none_are_refused(pair):
    with pytest.raises(ValueError, match="priors="):
        OnlineFisherSubspaceClassifier(priors="even").fit(*pair)


def test_first_chunk_needs_the_classes(pair):
    with pytest.raises(ValueError, match="classes must be given"):
        OnlineFisherSubspaceClassifier().partial_fit(*pair)


def test_later_chunk_needs_the_same_classes(pair):
    model = streamed([pair], 4)
    with pytest.raises(ValueError, match="must be those of the first call"):
        model.partial_fit(*pair, classes=[0, 1, 2])


def test_label_that_was_not_announced_is_refused(pair):
    with pytest.raises(ValueError, match="not among classes"):
        OnlineFisherSubspaceClassifier().partial_fit(*pair, classes=[1, 2])


def test_model_must_be_fitted_first(pair):
    with pytest.raises(NotFittedError):
        OnlineFisherSubspaceClassifier().predict(pair.X)


def test_merge_needs_a_model_of_the_same_kind(pair):
    with pytest.raises(TypeError, match="must be a fitted Fisher.* or OnlineFisherSubspaceClass"):
        streamed([pair], 4).merge(KernelFisherSubspaceClassifier().fit(*pair))


@pytest.mark.parametrize("windows", [(2, None), (None, 2), (2, 2)], ids=str)
def test_windows_cannot_be_merged(pair, windows):
    first, second = (streamed([pair], 4, window=window) for window in windows)
    with pytest.raises(ValueError, match="window=2"):
        first.merge(second)


def test_share_of_the_variance_is_not_known_to_a_stream(pair):
    for share in (0.9, np.float32(0.9)):
        with pytest.raises(TypeError, match=r"n_components=0\.[89].* must be an int"):
            OnlineFisherSubspaceClassifier(share).fit(*pair)


def test_merge_needs_a_fitted_model(pair):
    with pytest.raises(NotFittedError):
        streamed([pair], 4).merge(OnlineFisherSubspaceClassifier())


def test_refused_chunk_leaves_the_model_as_it_was(pair):
    X, y = pair
    model = streamed(chunked(X, y, every(30, 60)), 4, window=2)
    before = pickle.dumps(model)
    bad = X.copy()
    bad[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(bad, y)
    assert pickle.dumps(model) == before
