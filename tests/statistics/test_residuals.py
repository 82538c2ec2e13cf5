import tracemalloc
from importlib import import_module
from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse

from centroidal.statistics import class_moments
from centroidal.statistics.residuals import residuals

SHAPES = {"tall": (40, 7), "wide": (12, 30)}
STORES = {
    "dense": np.asarray,
    "csr_array": sparse.csr_array,
    "csc_matrix": sparse.csc_matrix,
}


class Problem(NamedTuple):
    """Rows with many zeros, and what `residuals` may be given."""

    X: np.ndarray
    codes: np.ndarray
    weights: np.ndarray | None = None
    scale: np.ndarray | None = None

    @property
    def means(self):
        return class_moments(self.X, self.codes, 3, self.weights).means

    def residuals(self, store=np.asarray):
        return residuals(store(self.X), self.codes, self.means, self.weights, self.scale)

    def explicit_rows(self):
        """Counted rows minus the mean of their class, scaled and weighted, from the definition."""
        weights = np.ones(len(self.X)) if self.weights is None else self.weights
        scale = np.ones(self.X.shape[1]) if self.scale is None else self.scale
        found = []
        for x, c, weight in zip(self.X, self.codes, weights, strict=True):
            if c >= 0 and weight > 0:
                own = self.codes == c
                mean = np.average(self.X[own], axis=0, weights=weights[own])
                found.append(np.sqrt(weight) * (x - mean) / scale)
        return np.array(found)


@pytest.fixture(params=SHAPES)
def plain(request, rng):
    n, m = SHAPES[request.param]
    X = rng.normal(size=(n, m)) * (rng.random((n, m)) < 0.5)
    return Problem(X, (np.arange(n) % 3).astype(np.int32))


@pytest.fixture(params=["plain", "weighted", "weightless", "left_out", "scaled", "all"])
def problem(request, plain, rng):
    n, m = plain.X.shape
    weights = rng.uniform(0.5, 2.0, size=n)
    weightless = weights * (np.arange(n) % 5 > 0)
    left_out = np.where(np.arange(n) % 4 == 1, -1, plain.codes).astype(np.int32)
    scale = rng.uniform(0.5, 2.0, size=m)
    return {
        "plain": plain,
        "weighted": plain._replace(weights=weights),
        "weightless": plain._replace(weights=weightless),
        "left_out": plain._replace(codes=left_out),
        "scaled": plain._replace(scale=scale),
        "all": plain._replace(codes=left_out, weights=weightless, scale=scale),
    }[request.param]


@pytest.fixture(params=STORES)
def store(request):
    return STORES[request.param]


@pytest.fixture
def blocks_of_three_rows(monkeypatch, plain):
    module = import_module("centroidal.statistics.residuals")
    monkeypatch.setattr(module, "_ENTRIES_PER_BLOCK", 3 * plain.X.shape[1])


def assert_close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-11, atol=1e-12)


# ------------------------------------------------------------------ against explicit rows


def test_scatter_is_that_of_the_explicit_rows(problem, store):
    rows = problem.explicit_rows()
    assert_close(problem.residuals(store).scatter(), rows.T @ rows)


def test_gram_is_that_of_the_explicit_rows(problem, store):
    rows = problem.explicit_rows()
    assert_close(problem.residuals(store).gram(), rows @ rows.T)


def test_weighted_gram_is_that_of_the_explicit_rows_with_a_weight_a_feature(problem, store, rng):
    rows = problem.explicit_rows()
    feature_weights = rng.uniform(0.0, 3.0, size=problem.X.shape[1])
    found = problem.residuals(store).weighted_gram(feature_weights)
    assert_close(found, rows @ np.diag(feature_weights) @ rows.T)


def test_feature_without_weight_adds_nothing_to_the_weighted_gram(problem, store):
    rows = problem.explicit_rows()
    feature_weights = np.arange(problem.X.shape[1]) % 2.0
    found = problem.residuals(store).weighted_gram(feature_weights)
    assert_close(found, rows[:, 1::2] @ rows[:, 1::2].T)


def test_columns_are_those_of_the_explicit_rows(problem, store):
    chosen = np.array([5, 0, 2])
    found = problem.residuals(store).columns(chosen)
    assert isinstance(found, np.ndarray)
    assert_close(found, problem.explicit_rows()[:, chosen])


def test_push_is_a_product_with_the_explicit_rows(problem, store, rng):
    right = rng.normal(size=(problem.X.shape[1], 4))
    assert_close(problem.residuals(store).push(right), problem.explicit_rows() @ right)


def test_pull_back_is_a_product_with_the_explicit_rows_transposed(problem, store, rng):
    rows = problem.explicit_rows()
    left = rng.normal(size=(len(rows), 4))
    assert_close(problem.residuals(store).pull_back(left), rows.T @ left)


def test_trace_is_the_sum_of_the_squares_of_the_explicit_rows(problem, store):
    expected = (problem.explicit_rows() ** 2).sum()
    assert problem.residuals(store).trace() == pytest.approx(expected, rel=1e-12)


def test_column_squares_are_those_of_the_explicit_rows(problem, store):
    expected = (problem.explicit_rows() ** 2).sum(axis=0)
    assert_close(problem.residuals(store).column_squares(), expected)


def test_column_fourths_are_those_of_the_explicit_rows_without_their_weight(problem, store):
    found = problem.residuals(store)
    rows = problem.explicit_rows() / np.sqrt(found.weights)[:, None]
    assert_close(found.column_fourths(), found.weights @ rows**4)


def test_levelled_dense_residuals_are_relative_to_their_mean(problem):
    rows = problem.explicit_rows()
    found = problem.residuals().subtract_levels().push(np.eye(problem.X.shape[1]))
    assert_close(found, rows - rows.mean(axis=1, keepdims=True))


def test_column_squares_of_levelled_residuals_are_those_of_their_rows(problem, store):
    levelled = problem.residuals(store).subtract_levels()
    rows = levelled.push(np.eye(problem.X.shape[1]))
    assert_close(levelled.column_squares(), (rows**2).sum(axis=0))


@pytest.mark.parametrize("name", ["csr_array", "csc_matrix"])
def test_levelled_sparse_residuals_stay_as_they_are(problem, name):
    found = problem.residuals(STORES[name]).subtract_levels().push(np.eye(problem.X.shape[1]))
    assert_close(found, problem.explicit_rows())


def test_squared_lengths_are_those_of_the_explicit_rows_without_weights(problem, store):
    found = problem.residuals(store)
    expected = (problem.explicit_rows() ** 2).sum(axis=1) / found.weights
    assert_close(found.squared_lengths(), expected)


def test_total_is_the_weight_of_the_rows_that_count(problem, store):
    weights = np.ones(len(problem.X)) if problem.weights is None else problem.weights
    expected = weights[problem.codes >= 0].sum()
    assert problem.residuals(store).total == pytest.approx(expected, rel=1e-14)


# ------------------------------------------------------------------ laws


@pytest.mark.parametrize("name", ["scatter", "squared_lengths"])
def test_height_of_the_blocks_of_sparse_rows_does_not_matter(plain, blocks_of_three_rows, name):
    found = plain.residuals(sparse.csr_array)
    assert_close(getattr(found, name)(), getattr(plain.residuals(), name)())


@pytest.mark.parametrize("name", ["scatter", "gram", "trace", "squared_lengths", "column_squares"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int64", "float32"])
def test_small_integers_of_any_type_give_the_same(plain, store, rng, name, dtype):
    """Their squares and sums do not fit into the smallest types."""
    X = rng.integers(0, 120, size=plain.X.shape)
    means = class_moments(X.astype(float), plain.codes, 3).means
    found = residuals(store(X.astype(dtype)), plain.codes, means)
    expected = residuals(X.astype(float), plain.codes, means)
    np.testing.assert_allclose(
        getattr(found, name)(), getattr(expected, name)(), rtol=1e-11, atol=1e-8
    )


def test_single_row_of_means_centres_all_rows_on_it(plain, store):
    mean = plain.X.mean(axis=0)
    found = residuals(store(plain.X), np.zeros_like(plain.codes), mean[None])
    rows = plain.X - mean
    assert_close(found.scatter(), rows.T @ rows)


def test_single_row_of_means_centres_the_columns_and_the_weighted_gram_on_it(plain, store, rng):
    mean, feature_weights = plain.X.mean(axis=0), rng.random(plain.X.shape[1])
    found = residuals(store(plain.X), np.zeros_like(plain.codes), mean[None])
    rows = plain.X - mean
    assert_close(found.columns(np.array([1, 4])), rows[:, [1, 4]])
    assert_close(found.weighted_gram(feature_weights), (rows * feature_weights) @ rows.T)


def test_values_of_rows_that_are_left_out_are_never_read(plain, store):
    X = plain.X.copy()
    X[::4] = np.nan
    codes = np.where(np.arange(len(X)) % 4 == 0, -1, plain.codes).astype(np.int32)
    means = class_moments(plain.X, codes, 3).means
    found = residuals(store(X), codes, means)
    assert np.isfinite(found.scatter()).all()


def test_integer_weights_are_repeats(plain, store, rng):
    repeats = rng.integers(0, 4, size=len(plain.X))
    repeats[:3] = 1
    order = np.repeat(np.arange(len(plain.X)), repeats)
    weighted = plain._replace(weights=repeats.astype(float))
    repeated = Problem(plain.X[order], plain.codes[order])
    assert_close(weighted.residuals(store).scatter(), repeated.residuals(store).scatter())


def test_data_are_left_as_they_were(problem, store):
    stored = store(problem.X.copy())
    found = residuals(stored, problem.codes, problem.means, problem.weights, problem.scale)
    found.gram(), found.scatter(), found.trace(), found.squared_lengths()
    found.weighted_gram(np.full(problem.X.shape[1], 2.0))
    found.columns(np.array([0, 1]))[:] = 7.0
    found.subtract_levels().column_squares()
    left = stored.toarray() if sparse.issparse(stored) else stored
    np.testing.assert_array_equal(left, problem.X)


# ------------------------------------------------------------------ a class without rows


@pytest.mark.parametrize("name", ["scatter", "trace", "squared_lengths", "column_squares"])
def test_class_without_rows_changes_nothing(plain, store, name):
    codes = plain.codes % 2 * 2
    means = class_moments(plain.X, codes, 3).means
    found = getattr(residuals(store(plain.X), codes, means), name)()
    expected = getattr(residuals(plain.X, codes // 2, means[::2]), name)()
    assert_close(found, expected)


def test_class_without_rows_changes_no_gram_matrix(plain, store):
    codes = plain.codes % 2 * 2
    means = class_moments(plain.X, codes, 3).means
    found = residuals(store(plain.X), codes, means)
    assert_close(found.gram(), residuals(plain.X, codes // 2, means[::2]).gram())


# ------------------------------------------------------------------ accuracy


@pytest.fixture
def offset(plain):
    """A spread of 1 around a mean of a thousand."""
    return plain._replace(X=plain.X + 1e3)


def test_large_mean_costs_the_scatter_no_precision(plain, offset, store):
    expected = plain.residuals().scatter()
    np.testing.assert_allclose(offset.residuals(store).scatter(), expected, rtol=1e-9, atol=1e-9)


def test_large_mean_costs_the_squared_lengths_no_precision(plain, offset, store):
    expected = plain.residuals().squared_lengths()
    np.testing.assert_allclose(offset.residuals(store).squared_lengths(), expected, rtol=1e-9)


def test_large_mean_costs_the_trace_no_precision(plain, offset, store):
    expected = plain.residuals().trace()
    assert offset.residuals(store).trace() == pytest.approx(expected, rel=1e-9)


def test_large_mean_costs_the_column_squares_no_precision(plain, offset, store):
    expected = plain.residuals().column_squares()
    np.testing.assert_allclose(offset.residuals(store).column_squares(), expected, rtol=1e-9)


def test_large_mean_leaves_the_gram_matrix_a_few_digits(plain, offset, store):
    """Of sparse rows it comes from products of values a thousand times the spread."""
    found, expected = offset.residuals(store), plain.residuals()
    np.testing.assert_allclose(found.gram(), expected.gram(), atol=1e-6)


def test_large_mean_costs_the_columns_no_precision(plain, offset, store):
    chosen = np.array([3, 1])
    found, expected = offset.residuals(store), plain.residuals()
    np.testing.assert_allclose(found.columns(chosen), expected.columns(chosen), atol=1e-11)


def test_products_of_the_samples_have_no_part_along_their_class(offset, store):
    """Where rounding left one, it would look like a direction of the data."""
    members = np.eye(3)[offset.codes]
    sums = np.abs(members.T @ offset.residuals(store).gram()).max()
    assert sums < 1e-8


# ------------------------------------------------------------------ memory


@pytest.fixture
def words(rng):
    """A wide sparse matrix, its classes, and the bytes it would take as a dense one."""
    n, m = 1500, 20_000
    places = rng.choice(n * m, 15_000, replace=False)
    X = sparse.csr_array((rng.random(15_000), (places // m, places % m)), shape=(n, m))
    codes = (np.arange(n) % 3).astype(np.int32)
    return residuals(X, codes, class_moments(X, codes, 3).means), n * m * 8


def peak_memory(function, *arguments):
    tracemalloc.start()
    function(*arguments)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_push_never_makes_sparse_rows_dense(words):
    found, dense_size = words
    assert peak_memory(found.push, np.ones((20_000, 3))) < dense_size / 50


def test_pull_back_never_makes_sparse_rows_dense(words):
    found, dense_size = words
    assert peak_memory(found.pull_back, np.ones((1500, 3))) < dense_size / 50


def test_columns_make_only_those_chosen_dense(words):
    found, dense_size = words
    assert peak_memory(found.columns, np.arange(100)) < dense_size / 50


def test_weighted_gram_never_makes_sparse_rows_dense(words):
    """It has a number for each pair of samples, and so have the corrections for the means."""
    found, dense_size = words
    assert peak_memory(found.weighted_gram, np.ones(20_000)) < dense_size / 2


def test_trace_never_makes_sparse_rows_dense(words):
    found, dense_size = words
    assert peak_memory(found.trace) < dense_size / 50


def test_column_squares_never_make_sparse_rows_dense(words):
    found, dense_size = words
    assert peak_memory(found.column_squares) < dense_size / 50


def test_squared_lengths_make_only_a_block_of_sparse_rows_dense(words):
    found, dense_size = words
    assert peak_memory(found.squared_lengths) < dense_size / 5
