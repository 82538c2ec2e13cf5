"""Products of columns, from either route, against the rows written out."""

import tracemalloc
from importlib import import_module
from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse

from centroidal.statistics import class_moments
from centroidal.statistics.residuals import column_products

SHAPES = {"tall": (40, 7), "wide": (12, 30)}
STORES = {
    "dense": np.asarray,
    "csr_array": sparse.csr_array,
    "csc_matrix": sparse.csc_matrix,
}
SAMPLES = (0, 1, 2, -1)  # those of each class, and all


class Problem(NamedTuple):
    """Rows with many zeros, and what `column_products` may be given."""

    X: np.ndarray
    codes: np.ndarray
    origin: np.ndarray
    weights: np.ndarray | None = None
    scale: np.ndarray | None = None

    @property
    def counts(self):
        return class_moments(self.X, self.codes, 3, self.weights).counts

    def products(self, store=np.asarray):
        return column_products(
            store(self.X), self.codes, self.counts, self.origin, self.weights, self.scale
        )

    def rows(self, c):
        """Samples of a class, or all that count, and their shares of its weight."""
        own = self.codes >= 0 if c < 0 else self.codes == c
        weights = np.ones(len(self.X)) if self.weights is None else self.weights
        scale = np.ones(self.X.shape[1]) if self.scale is None else self.scale
        return (self.X[own] - self.origin) / scale, weights[own] / weights[own].sum()

    def grams(self, *, levelled):
        """Mean products of every two columns, relative to the mean of all columns if levelled."""
        found = []
        for c in SAMPLES:
            rows, shares = self.rows(c)
            if levelled:
                rows = rows - rows.mean(axis=1, keepdims=True)
            found.append(np.einsum("s,si,sh->ih", shares, rows, rows))
        return np.array(found)

    def column_distances(self):
        """Mean squared differences of every two columns."""
        found = []
        for c in SAMPLES:
            rows, shares = self.rows(c)
            gaps = rows[:, :, None] - rows[:, None, :]
            found.append(np.einsum("s,sih->ih", shares, gaps**2))
        return np.array(found)


@pytest.fixture(params=SHAPES)
def plain(request, rng):
    n, m = SHAPES[request.param]
    X = rng.normal(size=(n, m)) * (rng.random((n, m)) < 0.5)
    return Problem(X, (np.arange(n) % 3).astype(np.int32), np.zeros(m))


@pytest.fixture(params=["plain", "weighted", "left_out", "centred", "scaled", "all"])
def problem(request, plain, rng):
    n, m = plain.X.shape
    weights = rng.uniform(0.5, 2.0, size=n) * (np.arange(n) % 5 > 0)
    left_out = np.where(np.arange(n) % 4 == 1, -1, plain.codes).astype(np.int32)
    scale = rng.uniform(0.5, 2.0, size=m)
    origin = rng.normal(size=m)
    return {
        "plain": plain,
        "weighted": plain._replace(weights=weights),
        "left_out": plain._replace(codes=left_out),
        "centred": plain._replace(origin=origin),
        "scaled": plain._replace(scale=scale),
        "all": Problem(plain.X, left_out, origin, weights, scale),
    }[request.param]


@pytest.fixture(params=STORES)
def store(request):
    return STORES[request.param]


@pytest.fixture
def module():
    return import_module("centroidal.statistics.residuals")


def assert_close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-11, atol=1e-12)


def multiplied(products, members):
    return np.array([products.multiply(c, members) for c in SAMPLES])


def single_products(products):
    return multiplied(products, np.eye(products.squares.shape[1]))


def found_distances(products):
    """Squared distances of every two columns from their squares and products."""
    squares = products.squares
    return squares[:, :, None] - 2.0 * single_products(products) + squares[:, None, :]


# ------------------------------------------------------------------ against the rows


def test_distances_of_columns_are_those_of_the_definition(problem, store):
    assert_close(found_distances(problem.products(store)), problem.column_distances())


def test_products_of_dense_columns_are_relative_to_their_mean(problem):
    assert_close(single_products(problem.products()), problem.grams(levelled=True))


def test_products_of_sparse_columns_are_those_of_the_rows_as_they_are(problem):
    found = single_products(problem.products(sparse.csr_array))
    assert_close(found, problem.grams(levelled=False))


def test_products_with_a_sum_are_the_sum_of_the_products(problem, store, rng):
    members = (rng.random((problem.X.shape[1], 5)) < 0.4).astype(float)
    products = problem.products(store)
    assert_close(multiplied(products, members), single_products(products) @ members)


def test_squares_are_the_products_of_columns_with_themselves(problem, store):
    products = problem.products(store)
    assert_close(products.squares, np.diagonal(single_products(products), axis1=1, axis2=2))


def test_gram_holds_the_products_of_all_columns_over_all_samples(problem, store):
    products = problem.products(store)
    assert_close(products.gram, single_products(products)[-1])


# ------------------------------------------------------------------ two routes


@pytest.fixture
def two_routes(problem, store, module, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(module, "_RowProducts", module._GramProducts)
        grams = problem.products(store)
    with monkeypatch.context() as patch:
        patch.setattr(module, "_LARGEST_GRAMS", 0)
        rows = problem.products(store)
    assert type(grams) is not type(rows)
    return grams, rows


def test_both_routes_give_the_same_products(two_routes, problem, rng):
    members = (rng.random((problem.X.shape[1], 5)) < 0.4).astype(float)
    grams, rows = two_routes
    assert_close(multiplied(grams, members), multiplied(rows, members))


def test_both_routes_give_the_same_squares_and_gram(two_routes):
    grams, rows = two_routes
    assert_close(grams.squares, rows.squares)
    assert_close(grams.gram, rows.gram)


@pytest.mark.parametrize(
    ("n_samples", "kind"), [(13, "_RowProducts"), (14, "_GramProducts"), (15, "_GramProducts")]
)
def test_matrices_are_made_from_two_samples_a_feature_on(rng, store, module, n_samples, kind):
    codes = (np.arange(n_samples) % 3).astype(np.int32)
    found = Problem(rng.normal(size=(n_samples, 7)), codes, np.zeros(7)).products(store)
    assert type(found) is getattr(module, kind)


def test_samples_that_do_not_count_make_no_matrices_pay(rng, store, module):
    codes = np.where(np.arange(20) < 13, np.arange(20) % 3, -1).astype(np.int32)
    found = Problem(rng.normal(size=(20, 7)), codes, np.zeros(7)).products(store)
    assert type(found) is module._RowProducts


@pytest.mark.parametrize(("room", "kind"), [(4 * 49, "_GramProducts"), (195, "_RowProducts")])
def test_matrices_are_made_only_if_those_of_all_classes_fit(rng, module, monkeypatch, room, kind):
    monkeypatch.setattr(module, "_LARGEST_GRAMS", room)
    codes = (np.arange(30) % 3).astype(np.int32)
    found = Problem(rng.normal(size=(30, 7)), codes, np.zeros(7)).products()
    assert type(found) is getattr(module, kind)


# ------------------------------------------------------------------ laws


def test_level_of_a_sample_changes_no_product_of_dense_columns(plain, rng):
    shifted = plain._replace(X=plain.X + rng.normal(size=(len(plain.X), 1)))
    assert_close(single_products(shifted.products()), single_products(plain.products()))


def test_large_level_of_the_samples_costs_dense_columns_no_precision(plain):
    found = found_distances(plain._replace(X=plain.X + 1e6).products())
    np.testing.assert_allclose(found, plain.column_distances(), rtol=1e-8, atol=1e-8)


def test_large_levels_of_the_features_cost_few_digits_if_they_are_the_origin(plain, store):
    """Products with sparse rows are corrected for the origin afterwards."""
    levels = 1e3 * (1.0 + np.arange(plain.X.shape[1]))
    centred = plain._replace(X=plain.X + levels, origin=levels)
    found = found_distances(centred.products(store))
    np.testing.assert_allclose(found, plain.column_distances(), atol=1e-5)


def test_integer_weights_are_repeats(plain, store, rng):
    repeats = rng.integers(0, 4, size=len(plain.X))
    repeats[:3] = 1
    order = np.repeat(np.arange(len(plain.X)), repeats)
    weighted = plain._replace(weights=repeats.astype(float))
    repeated = plain._replace(X=plain.X[order], codes=plain.codes[order])
    assert_close(
        found_distances(weighted.products(store)), found_distances(repeated.products(store))
    )


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float32"])
def test_small_integers_of_any_type_give_the_same(plain, store, rng, dtype):
    """Their squares and sums do not fit into the smallest types."""
    whole = plain._replace(X=rng.integers(0, 120, size=plain.X.shape).astype(float))
    found = found_distances(whole.products(lambda X: store(X.astype(dtype))))
    np.testing.assert_allclose(found, whole.column_distances(), rtol=1e-11, atol=1e-8)


def test_values_of_rows_that_are_left_out_are_never_read(plain, store):
    codes = np.where(np.arange(len(plain.X)) % 4 == 0, -1, plain.codes).astype(np.int32)
    left_out = plain._replace(codes=codes)
    products = left_out.products(lambda X: store(np.where(codes[:, None] < 0, np.nan, X)))
    assert_close(found_distances(products), left_out.column_distances())


def test_data_are_left_as_they_were(problem, store):
    stored = store(problem.X.copy())
    problem.products(lambda _: stored)
    left = stored.toarray() if sparse.issparse(stored) else stored
    np.testing.assert_array_equal(left, problem.X)


# ------------------------------------------------------------------ memory


def test_products_never_make_sparse_rows_dense(rng):
    n, m = 1500, 20_000
    places = rng.choice(n * m, 15_000, replace=False)
    X = sparse.csr_array((rng.random(15_000), (places // m, places % m)), shape=(n, m))
    codes, members = (np.arange(n) % 3).astype(np.int32), np.ones((m, 3))
    tracemalloc.start()
    column_products(X, codes, np.full(3, 500.0), np.zeros(m)).multiply(-1, members)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n * m * 8 / 50
