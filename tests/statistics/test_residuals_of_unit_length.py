"""Residuals of unit length: their products are correlations inside the classes."""

import numpy as np
from scipy.sparse import csr_array

from centroidal.statistics.residuals import unit_residuals


def test_products_are_correlations_after_the_class_means_are_taken_off():
    rng = np.random.default_rng(0)
    codes = np.arange(30) % 3
    X = rng.normal(size=(30, 4)) + 10.0 * codes[:, None]
    centred = X - np.array([X[codes == c].mean(axis=0) for c in range(3)])[codes]
    units = unit_residuals(X, codes, 3)
    np.testing.assert_allclose(units.T @ units, np.corrcoef(centred.T), atol=1e-12)


def test_feature_without_spread_in_the_classes_correlates_with_none():
    codes = np.arange(8) % 2
    X = np.column_stack([0.1 + codes * 1e6 / 3, np.arange(8.0)])
    assert unit_residuals(X, codes, 2)[:, 0].tolist() == [0.0] * 8


def test_sparse_columns_give_the_same():
    rng = np.random.default_rng(1)
    X, codes = rng.poisson(0.5, (20, 5)).astype(float), np.arange(20) % 2
    np.testing.assert_allclose(
        unit_residuals(csr_array(X), codes, 2), unit_residuals(X, codes, 2), atol=1e-14
    )
