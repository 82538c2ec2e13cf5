"""Given columns: kept whatever the samples say, and bad input."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from centroidal import ColumnSelector

X = np.arange(12.0).reshape(3, 4)


def test_columns_are_kept_in_the_order_of_the_samples():
    np.testing.assert_array_equal(ColumnSelector([3, 1]).fit_transform(X), X[:, [1, 3]])


def test_mask_names_the_same_columns():
    mask = [False, True, False, True]
    assert ColumnSelector(mask).fit(X).get_support(indices=True).tolist() == [1, 3]


def test_none_keeps_all():
    np.testing.assert_array_equal(ColumnSelector().fit_transform(X), X)


def test_sparse_samples_stay_sparse():
    found = ColumnSelector([0, 2]).fit_transform(csr_array(X))
    np.testing.assert_array_equal(found.toarray(), X[:, [0, 2]])


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ([], "columns=\\[\\] must name at least one column"),
        ([4], "columns holds 4 ... 4; columns go from 0 to 3"),
        ([True], "columns is a mask of 1 features; X has 4"),
    ],
)
def test_error_names_the_columns_that_do_not_exist(columns, words):
    with pytest.raises(ValueError, match=words):
        ColumnSelector(columns).fit(X)


def test_columns_by_name_are_refused():
    with pytest.raises(TypeError, match="columns='a' must be numbers of columns, a mask or None"):
        ColumnSelector("a").fit(X)
