import matplotlib.pyplot as plt
import numpy as np
import pytest

from centroidal import FisherSubspaceClassifier, FisherSubspaceClassifierCV
from centroidal.datasets import make_spiked_classes
from centroidal.inspection import ComponentPathDisplay


@pytest.fixture(scope="module")
def model():
    data = make_spiked_classes(60, 20, n_spikes=3, random_state=0)
    return FisherSubspaceClassifierCV(scatter=("total", "within"), cv=3).fit(data.data, data.target)


def test_each_scatter_has_its_line(model):
    display = ComponentPathDisplay.from_estimator(model)
    for scatter, line in display.lines_.items():
        rows = model.path_["scatter"] == scatter
        np.testing.assert_array_equal(line.get_xdata(), model.path_["n_components"][rows])
        np.testing.assert_array_equal(line.get_ydata(), model.path_["mean_test_score"][rows])
    assert list(display.lines_) == ["total", "within"]


def test_choice_is_marked_in_the_colour_of_its_scatter(model):
    display = ComponentPathDisplay.from_estimator(model)
    assert display.chosen_line_.get_xdata()[0] == model.n_components_
    assert display.chosen_line_.get_color() == display.lines_[model.scatter_].get_color()


def test_axes_say_what_they_show(model):
    display = ComponentPathDisplay.from_estimator(model)
    assert display.ax_.get_xlabel() == "whitened components"
    assert display.ax_.get_ylabel() == "accuracy"


def test_it_draws_where_it_is_told(model):
    _, ax = plt.subplots()
    assert ComponentPathDisplay.from_estimator(model, ax=ax).ax_ is ax


def test_nothing_is_marked_without_a_choice(model):
    assert ComponentPathDisplay(model.path_).plot().chosen_line_ is None


def test_estimator_without_a_path_is_refused():
    with pytest.raises(ValueError, match="FisherSubspaceClassifierCV"):
        ComponentPathDisplay.from_estimator(FisherSubspaceClassifier())
