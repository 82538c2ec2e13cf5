"""Fisher axes as a transformer."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.linalg import subspace_angles
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from centroidal import FisherSubspace, FisherSubspaceClassifier
from tests.reference import fisher

from .fisher_samples import draw_correlated

KINDS = ["truncated", "full", "variance"]


@pytest.fixture
def several(rng):
    """Four classes."""
    return draw_correlated(rng, n_classes=4, n_samples=80, n_features=10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scatter", ["total", "within"])
def test_axes_span_those_of_the_definition(several, kind, scatter):
    model = FisherSubspace(whitening=kind, scatter=scatter).fit(*several)
    expected = fisher.subspace(*several, kind, scatter=scatter)
    assert model.axes_.shape == (10, 3)
    assert subspace_angles(model.axes_, expected).max() < 1e-7


def test_all_components_span_the_subspace_of_fisher(several):
    model = FisherSubspace(10).fit(*several)
    assert subspace_angles(model.axes_, fisher.flda_axes(*several)).max() < 1e-6


def test_axes_are_whitener_times_orthonormal_vectors(several):
    X, y = several
    model = FisherSubspace(4).fit(X, y)
    W = fisher.whitener("truncated", fisher.spectrum(X, y), 4, len(y))
    Q = np.linalg.solve(W, model.axes_)
    np.testing.assert_allclose(Q.T @ Q, np.eye(3), atol=1e-9)


def test_coordinates_are_centred_samples_times_axes(several):
    X, y = several
    model = FisherSubspace().fit(X, y)
    expected = (X - X.mean(axis=0)) @ model.axes_
    np.testing.assert_allclose(model.transform(X), expected, rtol=1e-9, atol=1e-10)


def test_axes_are_those_of_the_classifier(several):
    axes = FisherSubspaceClassifier().fit(*several).axes_
    assert subspace_angles(FisherSubspace().fit(*several).axes_, axes).max() < 1e-9


def test_two_classes_have_one_axis(rng):
    X, y = draw_correlated(rng)
    model = FisherSubspace().fit(X, y)
    assert abs(fisher.cosine(model.axes_, fisher.fit(X, y).w)) == pytest.approx(1.0)


def test_sparse_data_give_the_axes_of_dense_data(rng, several):
    X, y = several
    X = X * (rng.random(X.shape) < 0.5)
    model = FisherSubspace().fit(sparse.csr_array(X), y)
    dense = FisherSubspace().fit(X, y)
    assert subspace_angles(model.axes_, dense.axes_).max() < 1e-7
    np.testing.assert_allclose(
        dense.transform(sparse.csr_array(X)), dense.transform(X), rtol=1e-9, atol=1e-9
    )


def test_integer_weights_are_repeats(rng, several):
    X, y = several
    repeats = rng.integers(1, 4, size=len(y))
    weighted = FisherSubspace().fit(X, y, sample_weight=repeats)
    repeated = FisherSubspace().fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    assert subspace_angles(weighted.axes_, repeated.axes_).max() < 1e-7


@pytest.mark.parametrize("n_axes", [1, 2, 3])
def test_fewer_axes_may_be_asked_for(several, n_axes):
    X, y = several
    model = FisherSubspace(n_axes=n_axes).fit(X, y)
    assert model.transform(X).shape == (80, n_axes)


def test_fewer_axes_are_the_first_ones(several):
    few, all_axes = (FisherSubspace(n_axes=n_axes).fit(*several).axes_ for n_axes in (2, None))
    np.testing.assert_allclose(few, all_axes[:, :2], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("value", [0, -1, 4, 1.5, "two", True])
def test_number_of_axes_out_of_bounds_is_refused(several, value):
    with pytest.raises((TypeError, ValueError), match="n_axes="):
        FisherSubspace(n_axes=value).fit(*several)


def test_coordinates_are_named_after_the_class(several):
    names = FisherSubspace().fit(*several).get_feature_names_out()
    assert names.tolist() == ["fishersubspace0", "fishersubspace1", "fishersubspace2"]


def test_frames_come_out_when_asked_for(several):
    X, y = several
    model = FisherSubspace().set_output(transform="pandas")
    frame = model.fit_transform(pd.DataFrame(X), y)
    assert list(frame.columns) == ["fishersubspace0", "fishersubspace1", "fishersubspace2"]


def test_neighbours_are_found_in_the_subspace(several):
    model = make_pipeline(FisherSubspace(), KNeighborsClassifier()).fit(*several)
    assert model.score(*several) > 0.7


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_are_all_equal_have_finite_coordinates(kind):
    X, y = np.full((6, 3), 0.1), np.array([0, 1, 0, 1, 1, 0])
    assert np.isfinite(FisherSubspace(whitening=kind).fit(X, y).transform(X)).all()


def test_transformer_must_be_fitted_first(several):
    with pytest.raises(NotFittedError):
        FisherSubspace().transform(several.X)


def test_new_samples_must_be_finite(several):
    with pytest.raises(ValueError, match="NaN"):
        FisherSubspace().fit(*several).transform(np.full((1, 10), np.nan))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components=0"),
        ({"n_components": "log3"}, "n_components='log3'"),
        ({"whitening": "half"}, "whitening='half' must be one of"),
        ({"scatter": "all"}, "scatter='all' must be one of"),
    ],
)
def test_error_names_the_parameter_and_its_value(several, parameters, message):
    with pytest.raises((TypeError, ValueError), match=message):
        FisherSubspace(**parameters).fit(*several)
