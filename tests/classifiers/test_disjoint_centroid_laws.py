"""What must not matter to the features of a class, does not: storage, order, chunks, levels."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from centroidal import DisjointCentroidClassifier

pytestmark = pytest.mark.once

laws = settings(
    deadline=None,
    max_examples=12,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],  # says more about the machine than about us
)
every_assignment = pytest.mark.parametrize("assignment", ["alternating", "margin"])
WEIGHTS = (0.8, 1.0, np.inf)


class Drawn(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    rng: np.random.Generator
    options: dict

    def model(self, assignment="margin", **others):
        options = {"n_init": 5, "random_state": 0} | self.options | others
        if assignment == "alternating":
            # Smaller weights would make most starts void.
            weight = max(options["baseline_weight"], 1.0)
            options |= {"baseline_weight": weight}
        return DisjointCentroidClassifier(assignment, **options)


@st.composite
def samples(draw, scales=(None, "std", "within")):
    """Classes that differ in means and spreads, in which ties do not happen; two samples each."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.integers(2, 4))
    n_features = draw(st.integers(n_classes + 3, 12))
    rest = rng.integers(n_classes, size=draw(st.integers(n_classes, 30)))
    y = rng.permutation([*range(n_classes), *range(n_classes), *rest])
    means = rng.normal(size=(n_classes, n_features))
    spreads = rng.uniform(0.5, 2.0, size=(n_classes, n_features))
    X = means[y] + spreads[y] * rng.normal(size=(len(y), n_features))
    options = {
        "disjoint": draw(st.booleans()),
        "norm": draw(st.sampled_from(["normalized", "euclidean"])),
        "baseline_weight": draw(st.sampled_from(WEIGHTS)),
        "shared_features": draw(st.sampled_from([None, 2])),
        "center": draw(st.booleans()),
        "scale": draw(st.sampled_from(scales)),
    }
    return Drawn(X, y, rng, options)


def outcome(fit):
    """Return the model, or None if all starts were void."""
    try:
        return fit()
    except ValueError as error:
        if "a class lost all its features" not in str(error):
            raise
        return None


def assert_same_model(actual, expected, X):
    """Everything a user sees, to rounding."""
    if actual is None or expected is None:
        assert actual is expected is None
        return
    np.testing.assert_array_equal(actual.classes_, expected.classes_)
    np.testing.assert_array_equal(actual.groups_, expected.groups_)
    np.testing.assert_allclose(actual.centers_, expected.centers_, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(actual.feature_scale_, expected.feature_scale_, rtol=1e-10)
    np.testing.assert_allclose(actual.objective_, expected.objective_, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(actual.restart_errors_, expected.restart_errors_, atol=1e-12)
    np.testing.assert_allclose(
        actual.decision_function(X), expected.decision_function(X), rtol=1e-7, atol=1e-8
    )


def parts_of(drawn, n_parts, rng):
    """Rows of parts that may lack classes, or be small."""
    return np.array_split(rng.permutation(len(drawn.y)), n_parts)


# ------------------------------------------------------------------ streams


@given(drawn=samples(), data=st.data())
@laws
def test_any_chunking_gives_the_model_of_one_batch(drawn, data):
    X, y, _, _ = drawn
    cuts = data.draw(st.lists(st.integers(1, len(y)), min_size=1, max_size=6))
    model = drawn.model()
    for start, stop in pairwise(sorted({0, *cuts, len(y)})):
        model.partial_fit(X[start:stop], y[start:stop], classes=np.unique(y))
    assert_same_model(model, drawn.model().fit(X, y), X)


@given(drawn=samples())
@laws
def test_one_sample_at_a_time_gives_the_model_of_one_batch(drawn):
    X, y, _, _ = drawn
    model = drawn.model()
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=np.unique(y))
    assert_same_model(model, drawn.model().fit(X, y), X)


@given(drawn=samples())
@laws
def test_weighted_chunks_give_the_weighted_model_of_one_batch(drawn):
    X, y, rng, _ = drawn
    weights = rng.uniform(0.5, 2.0, size=len(y))
    model = drawn.model()
    for rows in parts_of(drawn, 3, rng):
        model.partial_fit(X[rows], y[rows], np.unique(y), sample_weight=weights[rows])
    assert_same_model(model, drawn.model().fit(X, y, weights), X)


@given(drawn=samples(), n_parts=st.integers(2, 4))
@laws
def test_merged_models_are_the_model_of_all_data(drawn, n_parts):
    X, y, rng, _ = drawn
    classes = np.append(np.unique(y), 99)  # one that never comes
    first, *others = (
        drawn.model().partial_fit(X[rows], y[rows], classes=classes)
        for rows in parts_of(drawn, n_parts, rng)
    )
    for other in others:
        first.merge(other)
    expected = drawn.model().partial_fit(X, y, classes=classes)
    assert_same_model(first, expected, X)
    assert first.slope_ == pytest.approx(expected.slope_, rel=1e-8)


@given(drawn=samples())
@laws
def test_order_of_merging_does_not_matter(drawn):
    X, y, rng, _ = drawn
    parts = [
        [drawn.model().partial_fit(X[rows], y[rows], classes=np.unique(y)) for _ in range(2)]
        for rows in parts_of(drawn, 2, rng)
    ]
    (first, first_again), (second, second_again) = parts
    assert_same_model(first.merge(second), second_again.merge(first_again), X)


# ------------------------------------------------------------------ weights


@every_assignment
@given(drawn=samples())
@laws
def test_integer_weights_are_repeats(assignment, drawn):
    X, y, rng, _ = drawn
    repeats = rng.integers(0, 4, size=len(y))
    repeats[np.unique(y, return_index=True)[1]] = 2
    rows = np.repeat(np.arange(len(y)), repeats)
    assert_same_model(
        outcome(lambda: drawn.model(assignment).fit(X, y, sample_weight=repeats)),
        outcome(lambda: drawn.model(assignment).fit(X[rows], y[rows])),
        X,
    )


@every_assignment
@given(drawn=samples(), factor=st.sampled_from([0.125, 1.0, 8.0]))
@laws
def test_equal_weights_are_no_weights(assignment, drawn, factor):
    X, y, _, _ = drawn
    weights = np.full(len(y), factor)
    assert_same_model(
        outcome(lambda: drawn.model(assignment).fit(X, y, sample_weight=weights)),
        outcome(lambda: drawn.model(assignment).fit(X, y)),
        X,
    )


# ------------------------------------------------------------------ storage and order


@every_assignment
@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array])
@given(drawn=samples())
@laws
def test_sparse_data_give_the_model_of_dense_data(assignment, store, drawn):
    X, y, rng, _ = drawn
    X = X * (rng.random(X.shape) < 0.7)
    model = outcome(lambda: drawn.model(assignment).fit(store(X), y))
    assert_same_model(model, outcome(lambda: drawn.model(assignment).fit(X, y)), X)
    if model is not None:
        np.testing.assert_allclose(
            model.decision_function(store(X)), model.decision_function(X), rtol=1e-7, atol=1e-8
        )


@every_assignment
@given(drawn=samples())
@laws
def test_order_of_rows_does_not_matter(assignment, drawn):
    X, y, rng, _ = drawn
    order = rng.permutation(len(y))
    assert_same_model(
        outcome(lambda: drawn.model(assignment).fit(X[order], y[order])),
        outcome(lambda: drawn.model(assignment).fit(X, y)),
        X,
    )


@pytest.mark.parametrize("seed", range(50, 70))
def test_order_of_rows_does_not_matter_to_features_of_zeros_and_ones(seed):
    """Many of them have as many ones in every class."""
    rng = np.random.default_rng(seed)
    n_samples, n_classes = rng.integers(12, 60), rng.integers(2, 4)
    rest = rng.integers(0, n_classes, n_samples - 2 * n_classes)
    y = np.r_[np.arange(n_classes), np.arange(n_classes), rest]
    X = (rng.random((n_samples, 12)) < 0.4).astype(float)
    order = rng.permutation(n_samples)
    model, shuffled = (
        DisjointCentroidClassifier(n_init=10, random_state=0).fit(X[rows], y[rows])
        for rows in (slice(None), order)
    )
    assert_same_model(shuffled, model, X)


@given(drawn=samples())
@laws
def test_order_of_columns_does_not_matter_to_margin(drawn):
    X, y, rng, _ = drawn
    order = rng.permutation(X.shape[1])
    model, shuffled = drawn.model().fit(X, y), drawn.model().fit(X[:, order], y)
    np.testing.assert_array_equal(shuffled.groups_, model.groups_[:, order])
    np.testing.assert_array_equal(shuffled.predict(X[:, order]), model.predict(X))


@every_assignment
@given(drawn=samples())
@laws
def test_names_of_the_classes_do_not_matter(assignment, drawn):
    X, y, _, _ = drawn
    model = outcome(lambda: drawn.model(assignment).fit(X, y))
    names = np.array(["ant", "bee", "cat", "dog"])
    named = outcome(lambda: drawn.model(assignment).fit(X, names[y]))
    if model is not None:
        np.testing.assert_array_equal(named.groups_, model.groups_)
        np.testing.assert_array_equal(named.predict(X), names[model.predict(X)])


@given(drawn=samples())
@laws
def test_order_of_the_classes_does_not_matter_to_margin(drawn):
    X, y, rng, _ = drawn
    order = rng.permutation(len(np.unique(y)))
    model, other = drawn.model().fit(X, y), drawn.model().fit(X, order[y])
    np.testing.assert_array_equal(other.groups_[order], model.groups_)
    np.testing.assert_array_equal(other.predict(X), order[model.predict(X)])


# ------------------------------------------------------------------ levels and units


@given(drawn=samples((None,)))
@laws
def test_level_of_a_sample_does_not_matter_to_a_start_of_the_alternation(drawn):
    X, y, rng, _ = drawn
    levels = rng.normal(size=(len(y), 1))
    model, other = (
        outcome(lambda X=X: drawn.model("alternating", n_init=1, shared_features=None).fit(X, y))
        for X in (X, X + levels)
    )
    assert (model is None) == (other is None)
    if model is not None:
        np.testing.assert_array_equal(other.groups_, model.groups_)
        assert other.objective_ == pytest.approx(model.objective_, rel=1e-9)


@every_assignment
@given(drawn=samples(), size=st.sampled_from([0.5, 1e3]))
@laws
def test_level_of_a_feature_does_not_matter_once_features_are_centred(assignment, drawn, size):
    X, y, rng, _ = drawn
    levels = size * rng.normal(size=X.shape[1])
    model = outcome(lambda: drawn.model(assignment, center=True).fit(X, y))
    other = outcome(lambda: drawn.model(assignment, center=True).fit(X + levels, y))
    if model is not None:
        np.testing.assert_array_equal(other.groups_, model.groups_)
        np.testing.assert_allclose(
            other.decision_function(X + levels), model.decision_function(X), rtol=1e-6, atol=1e-7
        )


@every_assignment
@given(drawn=samples(("std", "within")), unit=st.sampled_from([1e-6, 0.3, -1.0, 7e5]))
@laws
def test_unit_of_a_feature_does_not_matter_once_features_are_scaled(assignment, drawn, unit):
    X, y, rng, _ = drawn
    if assignment == "alternating":
        unit = abs(unit)  # features that go up together are not those that go down together
    rescaled = X.copy()
    rescaled[:, rng.integers(X.shape[1])] *= unit
    model = outcome(lambda: drawn.model(assignment).fit(X, y))
    other = outcome(lambda: drawn.model(assignment).fit(rescaled, y))
    if model is not None:
        np.testing.assert_array_equal(other.groups_, model.groups_)
        np.testing.assert_allclose(
            other.decision_function(rescaled), model.decision_function(X), rtol=1e-6, atol=1e-9
        )


@every_assignment
@given(drawn=samples((None,)), exponent=st.integers(-20, 20))
@laws
def test_power_of_two_scales_the_distances_to_the_bit(assignment, drawn, exponent):
    X, y, _, _ = drawn
    model = outcome(lambda: drawn.model(assignment).fit(X, y))
    scaled = outcome(lambda: drawn.model(assignment).fit(X * 2.0**exponent, y))
    if model is not None:
        np.testing.assert_array_equal(scaled.groups_, model.groups_)
        np.testing.assert_array_equal(
            scaled.decision_function(X * 2.0**exponent),
            model.decision_function(X) * 4.0**exponent,
        )


# ------------------------------------------------------------------ starts and weights


@given(drawn=samples(), n_init=st.integers(2, 8))
@laws
def test_more_starts_never_raise_the_training_error(drawn, n_init):
    X, y, _, _ = drawn
    few, many = (
        outcome(lambda n=n: drawn.model("alternating", n_init=n).fit(X, y)) for n in (1, n_init)
    )
    if few is not None:
        assert many.score(X, y) >= few.score(X, y) - 1e-12


@given(drawn=samples(), small=st.floats(0.3, 1.5), factor=st.floats(1.0, 2.0))
@laws
def test_selected_features_grow_with_the_weight(drawn, small, factor):
    X, y, _, _ = drawn
    few, many = (
        drawn.model(disjoint=False, baseline_weight=weight).fit(X, y).groups_
        for weight in (small, factor * small)
    )
    # A class without any feature below the weight has one all the same, its best.
    assert (few <= many).all()
