import numpy as np
import pytest
from scipy import sparse

from centroidal.preprocessing import named_steps, normalise_total


@pytest.fixture
def counts(rng):
    return rng.poisson(0.7, size=(30, 12)) + (np.arange(12) == 3)


def slow_log_normal(counts, target_sum):
    """What scanpy's normalize_total and log1p do, one value after the other."""
    found = np.zeros(counts.shape)
    for i, row in enumerate(counts):
        for j, value in enumerate(row):
            found[i, j] = np.log(1.0 + target_sum * value / sum(row))
    return found


@pytest.mark.parametrize("total", [1e4, 250.0])
@pytest.mark.parametrize("kind", [np.array, sparse.csr_array, sparse.csc_matrix])
def test_counts_become_logarithms_of_shares_of_their_total(counts, total, kind):
    found = named_steps(f"normalise={total},log1p").fit_transform(kind(counts))
    found = found.toarray() if sparse.issparse(found) else found
    np.testing.assert_allclose(found, slow_log_normal(counts, total), rtol=1e-13)


def test_total_is_ten_thousand_if_nothing_is_said(counts):
    np.testing.assert_allclose(named_steps("normalise").fit_transform(counts).sum(axis=1), 1e4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_counts_stay_sparse_and_keep_their_precision(counts, dtype):
    X = sparse.csr_array(counts.astype(dtype))
    found = normalise_total(X)
    assert (found.format, found.dtype, found.nnz) == ("csr", dtype, X.nnz)


def test_counts_themselves_are_not_changed(counts):
    X = sparse.csr_array(counts.astype(float))
    normalise_total(X)
    assert np.array_equal(X.toarray(), counts)


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
def test_rows_without_counts_stay_zero_and_are_told_of(counts, kind):
    counts[4] = 0
    with pytest.warns(UserWarning, match="^Rows without any count stay zero"):
        found = normalise_total(kind(counts))
    assert not found[[4]].sum()


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
def test_negative_counts_are_refused(counts, kind):
    with pytest.raises(ValueError, match=r"normalise is for counts, and X holds -2\.5"):
        normalise_total(kind(np.where(np.eye(30, 12) > 0, -2.5, counts)))


def test_values_that_are_no_counts_are_told_of(counts):
    with pytest.warns(UserWarning, match="no whole numbers: were they normalised or logged"):
        normalise_total(np.log1p(counts))


@pytest.mark.parametrize("total", ["0", "-1", "inf", "nan", "much", ""])
def test_total_must_be_a_number_above_zero(total):
    with pytest.raises(ValueError, match=f"normalise={total} must be a total above 0, such as 1e4"):
        named_steps(f"normalise={total}")


def test_other_names_take_no_number():
    with pytest.raises(ValueError, match="preprocess='log1p=' must be among"):
        named_steps("log1p=2")
