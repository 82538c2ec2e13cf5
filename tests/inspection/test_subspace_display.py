import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.sparse import csr_array

from centroidal import FisherSubspace, FisherSubspaceClassifier
from centroidal.datasets import make_spiked_classes
from centroidal.inspection import SubspaceDisplay


@pytest.fixture(scope="module")
def three():
    data = make_spiked_classes(60, 10, n_spikes=2, n_classes=3, random_state=0)
    return data.data, data.target


@pytest.fixture(scope="module")
def two():
    data = make_spiked_classes(60, 10, n_spikes=2, random_state=0)
    return data.data, data.target


def test_points_are_the_transformed_samples(three):
    X, y = three
    model = FisherSubspace().fit(X, y)
    display = SubspaceDisplay.from_estimator(model, X, y)
    for label, points in display.artists_.items():
        np.testing.assert_allclose(points.get_offsets(), model.transform(X)[y == label])


def test_sparse_samples_are_drawn_too(three):
    X, y = three
    model = FisherSubspace().fit(X, y)
    display = SubspaceDisplay.from_estimator(model, csr_array(X), y)
    np.testing.assert_allclose(display.coordinates, model.transform(X))


def test_two_classes_are_histograms_with_the_threshold(two):
    X, y = two
    model = FisherSubspaceClassifier().fit(X, y)
    display = SubspaceDisplay.from_estimator(model, X, y)
    assert display.threshold_line_.get_xdata()[0] == model.threshold_
    heights = [sum(bar.get_height() for bar in bars) for bars in display.artists_.values()]
    assert heights == [30, 30]


def test_transformer_has_no_threshold_to_mark(two):
    X, y = two
    assert SubspaceDisplay.from_estimator(FisherSubspace().fit(X, y), X, y).threshold_line_ is None


def test_it_draws_where_it_is_told(three):
    X, y = three
    _, ax = plt.subplots()
    assert SubspaceDisplay.from_estimator(FisherSubspace().fit(X, y), X, y, ax=ax).ax_ is ax


def test_unfitted_estimator_is_refused(three):
    with pytest.raises(ValueError, match="must be fitted"):
        SubspaceDisplay.from_estimator(FisherSubspace(), *three)


def test_classes_with_one_mean_have_no_axis():
    X, y = np.zeros((4, 3)), np.array([0, 1, 0, 1])
    with pytest.raises(ValueError, match="no Fisher axis"):
        SubspaceDisplay.from_estimator(FisherSubspace().fit(X, y), X, y)
