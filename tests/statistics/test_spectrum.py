from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import LinAlgError

from centroidal.statistics import class_moments
from centroidal.statistics.residuals import _DenseResiduals, _SparseResiduals, residuals
from centroidal.statistics.spectrum import (
    Spectrum,
    matrix_spectrum,
    merged_spectrum,
    spectrum,
    split_columns,
)

laws = settings(deadline=None, max_examples=25, derandomize=True)
module = import_module("centroidal.statistics.spectrum")
SHAPES = {"tall": (50, 8), "wide": (9, 30), "square": (15, 15)}


@pytest.fixture(params=SHAPES)
def X(request, rng):
    """Features of different spreads, some entries zero."""
    n, m = SHAPES[request.param]
    return rng.normal(size=(n, m)) * np.geomspace(4.0, 0.5, m) * (rng.random((n, m)) < 0.7)


@pytest.fixture
def long(rng):
    """More samples than features, of which a few directions are strong."""
    return rng.normal(size=(300, 130)) * np.geomspace(30.0, 0.1, 130)


@pytest.fixture
def iterating(monkeypatch):
    """Go the way of large data with small ones."""
    for kind in (_DenseResiduals, _SparseResiduals):
        monkeypatch.setattr(kind, "largest_product", 60)
        monkeypatch.setattr(kind, "vectors_at_once", 8)
    monkeypatch.setattr(module, "_DIRECT_SIZE", 60)
    monkeypatch.setattr(module, "_WIDTH", 8)


def centred(X):
    """Residuals around the common mean."""
    codes = np.zeros(X.shape[0], dtype=np.int32)
    return residuals(X, codes, class_moments(X, codes, 1).means)


def squared_singular_values(rows):
    return np.linalg.svd(rows, compute_uv=False) ** 2


def product(found):
    return (found.vectors * found.values) @ found.vectors.T


def scatter(X):
    rows = X - X.mean(axis=0)
    return rows.T @ rows


def assert_orthonormal(vectors, atol=1e-10):
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(vectors.shape[1]), atol=atol)


# ------------------------------------------------------------------ all pairs


def test_values_are_the_squared_singular_values_of_the_centred_rows(X, layout):
    found = spectrum(centred(layout(X)))
    expected = squared_singular_values(X - X.mean(axis=0))[: found.values.size]
    np.testing.assert_allclose(found.values, expected, rtol=1e-9)


def test_pairs_multiply_out_to_the_scatter(X, layout):
    np.testing.assert_allclose(product(spectrum(centred(layout(X)))), scatter(X), atol=1e-9)


def test_vectors_are_orthonormal(X, layout):
    assert_orthonormal(spectrum(centred(layout(X))).vectors)


def test_number_of_pairs_is_the_rank(X, layout):
    expected = np.linalg.matrix_rank(X - X.mean(axis=0))
    assert spectrum(centred(layout(X))).values.size == expected


def test_trace_is_that_of_the_scatter(X, layout):
    assert spectrum(centred(layout(X))).trace == pytest.approx(np.trace(scatter(X)), rel=1e-12)


def test_complete_spectrum_is_not_cut(X, layout):
    assert not spectrum(centred(layout(X))).is_cut


@pytest.mark.parametrize("shape", [(40, 12), (12, 40)])
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_exactly_dependent_data_have_as_many_pairs_as_their_rank(rng, layout, shape, offset):
    """Integers, so that the only rounding is that of the mean."""
    factors = rng.integers(-3, 4, size=(shape[0], 4)), rng.integers(-3, 4, size=(4, shape[1]))
    X = (factors[0] @ factors[1]).astype(float) + offset
    assert spectrum(centred(layout(X))).values.size == 4


def test_data_without_spread_have_no_pairs(layout):
    found = spectrum(centred(layout(np.full((5, 9), 0.1))))
    assert found.values.size == 0
    assert found.vectors.shape == (9, 0)


def test_single_row_has_no_pairs(layout, rng):
    assert spectrum(centred(layout(rng.normal(size=(1, 9))))).values.size == 0


# ------------------------------------------------------------------ the largest pairs


@pytest.mark.parametrize("n_pairs", [1, 3, 7])
def test_fewer_pairs_are_the_largest_of_all(X, layout, n_pairs):
    rows = centred(layout(X))
    few, every = spectrum(rows, n_pairs), spectrum(rows)
    np.testing.assert_allclose(few.values, every.values[:n_pairs], rtol=1e-10)
    np.testing.assert_allclose(product(few), product(every.keep_leading(n_pairs)), atol=1e-9)


def test_fewer_pairs_keep_the_whole_trace(X, layout):
    rows = centred(layout(X))
    assert spectrum(rows, 3).trace == pytest.approx(spectrum(rows).trace, rel=1e-12)


def test_fewer_pairs_than_directions_are_a_cut(X, layout):
    assert spectrum(centred(layout(X)), 3).is_cut


def test_spare_pairs_are_added(X, layout):
    assert spectrum(centred(layout(X)), 2, n_spare=3).values.size == 5


def test_spare_pairs_do_not_count_where_all_are_asked_for(X):
    rows = centred(X)
    assert spectrum(rows, None, n_spare=3).values.size == spectrum(rows).values.size


def test_more_pairs_than_there_are_give_all(X, layout):
    rows = centred(layout(X))
    assert spectrum(rows, 1000).values.size == spectrum(rows).values.size


def test_leading_pairs_keep_the_trace(X):
    found = spectrum(centred(X))
    first = found.keep_leading(2)
    assert first.vectors.shape == (X.shape[1], 2)
    assert first.trace == found.trace


@pytest.mark.parametrize(("share", "is_cut"), [(1e-3, True), (1e-7, True), (1e-10, False)])
def test_spectrum_is_cut_if_more_than_rounding_is_missing(share, is_cut):
    found = Spectrum(np.array([3.0, 1.0]), np.eye(5)[:, :2], 4.0 * (1.0 + share))
    assert found.is_cut == is_cut


def test_empty_spectrum_is_not_cut():
    assert not Spectrum.empty(4).is_cut


# ------------------------------------------------------------------ iterations


@pytest.mark.parametrize("transposed", [False, True])
def test_iterations_find_the_values_of_the_direct_way(long, layout, transposed, request):
    rows = centred(layout(long.T if transposed else long))
    direct = spectrum(rows, 5)
    request.getfixturevalue("iterating")
    np.testing.assert_allclose(spectrum(rows, 5).values, direct.values, rtol=1e-5)


@pytest.mark.parametrize("transposed", [False, True])
def test_iterations_find_the_directions_of_the_direct_way(long, layout, transposed, request):
    rows = centred(layout(long.T if transposed else long))
    direct = product(spectrum(rows, 5))
    request.getfixturevalue("iterating")
    # Vectors are as exact as the tolerance of their residuals.
    assert np.abs(product(spectrum(rows, 5)) - direct).max() < 2e-3 * np.abs(direct).max()


@pytest.mark.parametrize("transposed", [False, True])
def test_iterated_vectors_are_orthonormal(long, layout, transposed, iterating):
    found = spectrum(centred(layout(long.T if transposed else long)), 5)
    # Those of the features, pulled back from the samples, are so up to the tolerance.
    assert_orthonormal(found.vectors, atol=1e-3 if transposed else 1e-10)


def test_iterations_keep_the_whole_trace(long, layout, iterating):
    found = spectrum(centred(layout(long)), 5)
    assert found.trace == pytest.approx(np.trace(scatter(long)), rel=1e-12)


def test_iterations_have_no_spare_pairs(long, iterating):
    assert spectrum(centred(long), 5, n_spare=5).values.size == 5


@pytest.mark.parametrize("n_pairs", [20, None])
def test_many_pairs_are_found_directly_however_large_the_data(
    long, iterating, monkeypatch, n_pairs
):
    monkeypatch.setattr(module, "leading_eigenpairs", None)
    assert spectrum(centred(long), n_pairs).values.size == (n_pairs or 130)


def test_few_pairs_of_large_data_need_no_product(long, iterating, monkeypatch):
    monkeypatch.setattr(_DenseResiduals, "scatter", None)
    monkeypatch.setattr(_DenseResiduals, "gram", None)
    assert spectrum(centred(long), 5).values.size == 5


def test_more_iterated_pairs_than_the_rank_are_cut_to_it(rng, layout, iterating):
    factors = rng.integers(-3, 4, size=(200, 4)), rng.integers(-3, 4, size=(4, 130))
    found = spectrum(centred(layout((factors[0] @ factors[1]).astype(float))), 10)
    assert found.values.size == 4


def test_empty_features_of_sparse_data_are_no_trouble_to_iterations(rng, iterating):
    X = np.zeros((500, 400))
    X[:, ::40] = rng.poisson(0.5, size=(500, 10))
    found = spectrum(centred(sparse.csr_array(X)), 40)
    np.testing.assert_allclose(product(found), scatter(X), atol=1e-8)


# ------------------------------------------------------------------ matrices


@pytest.fixture
def kernel(rng):
    """A matrix without negative eigenvalues, of full rank."""
    rows = rng.normal(size=(120, 120)) * np.geomspace(10.0, 0.1, 120)
    return rows @ rows.T


@pytest.mark.parametrize("n_pairs", [None, 5, 60])
def test_matrix_is_decomposed_into_its_largest_pairs(kernel, n_pairs):
    found = matrix_spectrum(kernel.copy(), n_pairs)
    values, vectors = np.linalg.eigh(kernel)
    expected = (vectors[:, ::-1] * values[::-1])[:, :n_pairs] @ vectors[:, ::-1][:, :n_pairs].T
    np.testing.assert_allclose(found.values, values[::-1][:n_pairs], rtol=1e-9)
    np.testing.assert_allclose(product(found), expected, atol=1e-8)


def test_pairs_of_a_large_matrix_are_iterated(kernel, iterating):
    expected = np.linalg.eigvalsh(kernel)[::-1][:5]
    found = matrix_spectrum(kernel.copy(), 5)
    np.testing.assert_allclose(found.values, expected, rtol=1e-5)


def test_values_up_to_so_many_roundings_are_zero():
    eps = np.finfo(float).eps
    assert matrix_spectrum(np.diag([1.0, 50 * eps]), noise=100).values.size == 1
    assert matrix_spectrum(np.diag([1.0, 150 * eps]), noise=100).values.size == 2


def test_small_negative_values_are_zero():
    assert matrix_spectrum(np.diag([2.0, 1.0, -1e-14])).values.tolist() == [2.0, 1.0]


# ------------------------------------------------------------------ merging


@st.composite
def spectra_and_columns(draw):
    """A spectrum of any rank, also 0, and columns, also more than features and dependent ones."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m = draw(st.integers(1, 12))
    old = rng.normal(size=(m, draw(st.integers(0, m + 2))))
    columns = rng.normal(size=(m, draw(st.integers(1, 15))))
    kind = draw(st.sampled_from(["free", "repeated", "inside", "zero", "tiny"]))
    if kind == "repeated":
        columns = np.hstack([columns, columns])
    elif kind == "inside" and old.shape[1]:
        columns = old @ rng.normal(size=(old.shape[1], 3))
    elif kind == "zero":
        columns[:, 0] = 0.0
    elif kind == "tiny":
        columns[:, 0] *= 1e-9
    return old, columns


def spectrum_of_columns(columns):
    """The twin: all columns at once."""
    m = columns.shape[0]
    if columns.shape[1] == 0:
        return Spectrum.empty(m)
    vectors, singular, _ = np.linalg.svd(columns, full_matrices=False)
    rank = np.count_nonzero(singular > 1e-12 * singular[0])
    return Spectrum(singular[:rank] ** 2, vectors[:, :rank], float((columns**2).sum()))


@given(parts=spectra_and_columns())
@laws
def test_merged_pairs_multiply_out_to_the_sum_of_both_scatters(parts):
    old, columns = parts
    found = merged_spectrum(spectrum_of_columns(old), columns)
    np.testing.assert_allclose(product(found), old @ old.T + columns @ columns.T, atol=1e-10)


@given(parts=spectra_and_columns())
@laws
def test_merged_values_are_those_of_all_columns_together(parts):
    old, columns = parts
    found = merged_spectrum(spectrum_of_columns(old), columns)
    expected = spectrum_of_columns(np.hstack([old, columns])).values
    n = min(found.values.size, expected.size)
    np.testing.assert_allclose(found.values[:n], expected[:n], rtol=1e-9, atol=1e-12 * expected[0])


@given(parts=spectra_and_columns())
@laws
def test_merged_vectors_are_orthonormal(parts):
    old, columns = parts
    assert_orthonormal(merged_spectrum(spectrum_of_columns(old), columns).vectors, atol=1e-12)


@given(parts=spectra_and_columns(), n_pairs=st.integers(1, 6))
@laws
def test_merged_pairs_that_are_kept_are_the_largest(parts, n_pairs):
    old, columns = parts
    found = merged_spectrum(spectrum_of_columns(old), columns, n_pairs)
    expected = spectrum_of_columns(np.hstack([old, columns])).keep_leading(n_pairs)
    n = min(found.values.size, expected.values.size)
    assert found.values.size <= n_pairs
    np.testing.assert_allclose(
        found.values[:n], expected.values[:n], rtol=1e-8, atol=1e-12 * expected.values[0]
    )


@given(parts=spectra_and_columns(), n_pairs=st.integers(1, 6))
@laws
def test_merged_trace_is_exact_whatever_is_cut(parts, n_pairs):
    old, columns = parts
    found = merged_spectrum(spectrum_of_columns(old), columns, n_pairs)
    assert found.trace == pytest.approx((old**2).sum() + (columns**2).sum(), rel=1e-12)


def test_small_values_survive_a_merge_beside_large_ones(rng):
    """Their squares would be rounding of the largest."""
    basis = np.linalg.qr(rng.normal(size=(20, 4)))[0]
    old = Spectrum(np.array([1e-12, 1e-14]), basis[:, :2], 1.01e-12)
    columns = np.column_stack([basis.sum(axis=1), 1e-3 * basis[:, [0, 2]].sum(axis=1)])
    expected = squared_singular_values(np.hstack([old.vectors * np.sqrt(old.values), columns]))
    found = merged_spectrum(old, columns, 3)
    np.testing.assert_allclose(found.values, expected[:3], rtol=1e-7)


def test_dependent_columns_are_orthonormalised_by_householder(rng, monkeypatch):
    columns = rng.normal(size=(9, 2)) @ rng.normal(size=(2, 5))
    calls = []

    def counted(*args, **options):
        calls.append(args)
        return qr(*args, **options)

    qr = np.linalg.qr
    monkeypatch.setattr(np.linalg, "qr", counted)
    found = merged_spectrum(Spectrum.empty(9), columns)
    assert len(calls) == 1
    np.testing.assert_allclose(product(found), columns @ columns.T, atol=1e-12)


def test_failing_cholesky_changes_nothing(rng, monkeypatch):
    old, columns = spectrum_of_columns(rng.normal(size=(20, 4))), rng.normal(size=(20, 5))
    expected = product(merged_spectrum(old, columns))

    def fail(*args, **options):
        raise LinAlgError

    monkeypatch.setattr(np.linalg, "cholesky", fail)
    np.testing.assert_allclose(product(merged_spectrum(old, columns)), expected, atol=1e-12)


def in_single_columns(columns, n_pairs=None):
    found = Spectrum.empty(len(columns))
    for column in columns.T:
        found = merged_spectrum(found, column[:, None], n_pairs)
    return found


@pytest.mark.parametrize("n_features", [30, 120])
def test_many_single_columns_leave_the_vectors_orthonormal(rng, n_features):
    found = in_single_columns(rng.normal(size=(n_features, 200)))
    assert_orthonormal(found.vectors, atol=1e-13)


def test_many_single_columns_that_are_cut_leave_the_vectors_orthonormal(rng):
    found = in_single_columns(rng.normal(size=(120, 200)), n_pairs=8)
    assert_orthonormal(found.vectors, atol=1e-13)


def test_columns_of_many_scales_leave_the_vectors_nearly_orthonormal(rng):
    columns = rng.normal(size=(30, 200)) * np.geomspace(10.0, 1e-3, 30)[:, None]
    assert_orthonormal(in_single_columns(columns).vectors, atol=1e-9)


def test_many_single_columns_give_the_scatter_of_all_at_once(rng):
    columns = rng.normal(size=(30, 200))
    found = in_single_columns(columns)
    np.testing.assert_allclose(product(found), columns @ columns.T, rtol=1e-11, atol=1e-11)


def test_merging_leaves_its_parts_alone(rng):
    old, columns = spectrum_of_columns(rng.normal(size=(9, 3))), rng.normal(size=(9, 4))
    values, vectors, before = old.values.copy(), old.vectors.copy(), columns.copy()
    merged_spectrum(old, columns)
    np.testing.assert_array_equal(old.values, values)
    np.testing.assert_array_equal(old.vectors, vectors)
    np.testing.assert_array_equal(columns, before)


# ------------------------------------------------------------------ splitting


@given(parts=spectra_and_columns())
@laws
def test_split_columns_multiply_out_to_the_columns(parts):
    old, columns = parts
    vectors = spectrum_of_columns(old).vectors
    inside, fresh, triangle = split_columns(vectors, columns)
    np.testing.assert_allclose(vectors @ inside + fresh @ triangle, columns, atol=1e-12)


@given(parts=spectra_and_columns())
@laws
def test_fresh_directions_are_orthonormal(parts):
    old, columns = parts
    _, fresh, _ = split_columns(spectrum_of_columns(old).vectors, columns)
    assert_orthonormal(fresh, atol=1e-12)


@given(parts=spectra_and_columns())
@laws
def test_fresh_directions_that_count_are_orthogonal_to_the_old_ones(parts):
    """Others, of length rounding, are cut away later."""
    old, columns = parts
    vectors = spectrum_of_columns(old).vectors
    _, fresh, triangle = split_columns(vectors, columns)
    lengths = np.linalg.norm(triangle, axis=1)
    overlap = np.abs(vectors.T @ fresh).max(axis=0, initial=0.0)
    assert (overlap * lengths < 1e-13 * max(1.0, np.abs(columns).max())).all()


def test_complete_basis_stays_orthonormal_over_columns_of_any_scale(rng):
    found = Spectrum.empty(12)
    for _ in range(500):
        found = merged_spectrum(
            found, rng.normal(size=(12, 1)) * np.geomspace(10.0, 1e-4, 12)[:, None]
        )
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(12), atol=1e-12)
