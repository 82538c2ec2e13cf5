"""L2 centers of all training sets at once: what each by itself selects and predicts."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from centroidal import SparseCenterClassifier
from centroidal.solvers.fold_centers import FeatureRows, count_folds

N_FOLDS = 3
SETS = [*[(fold,) for fold in range(N_FOLDS)], *combinations(range(N_FOLDS), 2), ()]


def _table(kind, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(24) % n_classes
    X = rng.normal(size=(24, 7)) + 0.5 * codes[:, None] * (np.arange(7) < 3)
    X = {
        "normal": X,
        "binary": (X > 0.5).astype(float),
        "far": X * 1e-3 + 1e4,
        "constant": np.where(np.arange(7) % 2 == 0, 3.0, np.round(X)),
    }[kind]
    return X, codes, rng.permutation(np.arange(24) // n_classes % N_FOLDS)


def _by_itself(X, codes, folds, left_out, size, fold):
    """Confusion matrix of one model, fitted to one training set, in one fold."""
    train, test = ~np.isin(folds, left_out), folds == fold
    model = SparseCenterClassifier(size, scale="within").fit(X[train], codes[train])
    return confusion_matrix(codes[test], model.predict(X[test]), labels=np.unique(codes))


@pytest.mark.parametrize("kind", ["normal", "binary", "far", "constant"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_counts_are_those_of_each_training_set_by_itself(kind, n_classes):
    X, codes, folds = _table(kind, n_classes)
    grid = np.array([1, 3, 6])
    found = count_folds(FeatureRows.of(X), codes, n_classes, folds, SETS, grid)
    for left_out, counts in zip(SETS, found.counts, strict=True):
        assert counts.shape == (grid.size, len(left_out), n_classes, n_classes)
        for place, fold in enumerate(left_out):
            expected = [_by_itself(X, codes, folds, left_out, size, fold) for size in grid]
            np.testing.assert_array_equal(counts[:, place], expected)


@pytest.mark.parametrize("kind", ["normal", "far", "constant"])
def test_roots_are_those_of_the_gains_of_each_training_set(kind):
    X, codes, folds = _table(kind, 3)
    found = count_folds(FeatureRows.of(X), codes, 3, folds, SETS, np.array([1, 7]))
    for left_out, roots in zip(SETS, found.roots, strict=True):
        train = ~np.isin(folds, left_out)
        model = SparseCenterClassifier(2, scale="within").fit(X[train], codes[train])
        np.testing.assert_allclose(roots**2, model.feature_gains_, rtol=1e-6, atol=1e-12)


def test_training_set_without_a_class_is_left_to_others():
    X, codes, folds = _table("normal", 2)
    folds = np.where(codes == 1, 0, folds)
    assert count_folds(FeatureRows.of(X), codes, 2, folds, SETS, np.array([1])) is None


def test_rows_are_measured_from_the_mean_of_each_feature():
    X, _, _ = _table("far", 2)
    features = FeatureRows.of(X.astype(np.float32))
    np.testing.assert_allclose(features.rows.mean(axis=1), 0.0, atol=1e-9)
    np.testing.assert_allclose(features.rows.T + features.means, X.astype(np.float32))
