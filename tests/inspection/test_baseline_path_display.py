import matplotlib.pyplot as plt
import numpy as np
import pytest

from centroidal import DisjointCentroidClassifier, DisjointCentroidClassifierCV
from centroidal.datasets import make_feature_blocks
from centroidal.inspection import BaselinePathDisplay

WEIGHTS = [0.5, 0.75, 1.0, np.inf]


@pytest.fixture(scope="module")
def blocks():
    made = make_feature_blocks(120, 4, n_classes=3, n_noise=8, random_state=0)
    return made.data, made.target


@pytest.fixture(scope="module")
def model(blocks):
    return DisjointCentroidClassifierCV("margin", baseline_weights=WEIGHTS, cv=3).fit(*blocks)


@pytest.fixture
def path():
    """A table whose first weight is void."""
    return {
        "baseline_weight": np.array([0.1, 0.8, np.inf]),
        "mean_n_features": np.array([np.nan, 7.4, 12.0]),
        "mean_test_score": np.array([0.0, 0.75, 0.5]),
        "se_test_score": np.array([0.0, 0.125, 0.25]),
    }


def names_on(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_line_is_the_path_of_the_estimator(model):
    display = BaselinePathDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.line_.get_ydata(), model.path_["mean_test_score"])
    np.testing.assert_array_equal(display.line_.get_xdata(), [0, 1, 2, 3])


def test_band_is_one_standard_error(path):
    display = BaselinePathDisplay(path).plot()
    vertices = display.band_.get_paths()[0].vertices
    heights = {x: vertices[vertices[:, 0] == x, 1] for x in (1, 2)}
    assert {x: (min(y), max(y)) for x, y in heights.items()} == {1: (0.625, 0.875), 2: (0.25, 0.75)}


def test_infinity_has_its_place_on_the_axis(model):
    display = BaselinePathDisplay.from_estimator(model)
    assert names_on(display.ax_.xaxis) == ["0.5", "0.75", "1", "∞"]
    assert np.isfinite(display.ax_.get_xlim()).all()


def test_numbers_of_features_stand_above_the_weights(path):
    display = BaselinePathDisplay(path).plot()
    assert names_on(display.features_axis_.xaxis) == ["void", "7", "12"]
    np.testing.assert_array_equal(display.features_axis_.get_xticks(), display.ax_.get_xticks())


def test_void_weight_has_no_score(path):
    assert np.isnan(BaselinePathDisplay(path).plot().line_.get_ydata()).tolist() == [1, 0, 0]


@pytest.mark.parametrize(("weight", "name"), [(0.8, "0.8"), (np.inf, "∞")])
def test_choice_is_marked_where_it_stands(path, weight, name):
    display = BaselinePathDisplay(path, chosen=weight).plot()
    position = path["baseline_weight"].tolist().index(weight)
    assert display.chosen_line_.get_xdata()[0] == position
    (label,) = display.ax_.get_legend().get_texts()
    assert label.get_text() == f"weight {name} chosen"


def test_choice_of_the_estimator_is_marked(model):
    display = BaselinePathDisplay.from_estimator(model)
    position = display.chosen_line_.get_xdata()[0]
    assert model.path_["baseline_weight"][position] == model.baseline_weight_


def test_nothing_is_marked_without_a_choice(path):
    display = BaselinePathDisplay(path).plot()
    assert display.chosen_line_ is None
    assert display.ax_.get_legend() is None


def test_of_many_weights_some_are_named_with_the_last_among_them():
    weights = np.append(np.linspace(0.1, 1.2, 40), np.inf)
    path = dict.fromkeys(["mean_n_features", "mean_test_score", "se_test_score"], np.ones(41))
    display = BaselinePathDisplay({"baseline_weight": weights, **path}).plot()
    names = names_on(display.ax_.xaxis)
    assert names[-1] == "∞"
    assert len(names) == len(names_on(display.features_axis_.xaxis)) == 14


def test_axes_say_what_they_show(model):
    display = BaselinePathDisplay.from_estimator(model)
    assert display.ax_.get_xlabel() == "weight of the baseline"
    assert display.ax_.get_ylabel() == "accuracy"
    assert display.features_axis_.get_xlabel() == "mean number of features"


def test_options_reach_the_line(model):
    display = BaselinePathDisplay.from_estimator(model, marker="s", color="C3")
    assert display.line_.get_marker() == "s"
    assert display.line_.get_color() == "C3"


def test_it_draws_where_it_is_told(model):
    _, ax = plt.subplots()
    assert BaselinePathDisplay.from_estimator(model, ax=ax).ax_ is ax


def test_estimator_without_a_path_is_refused(blocks):
    fitted = DisjointCentroidClassifier("margin").fit(*blocks)
    for estimator in (fitted, DisjointCentroidClassifierCV()):
        with pytest.raises(ValueError, match="as DisjointCentroidClassifierCV has"):
            BaselinePathDisplay.from_estimator(estimator)
