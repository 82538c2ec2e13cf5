import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import NearestCentroid

from centroidal import ReliefFSelector
from centroidal.datasets import make_expression
from centroidal.inspection import SelectionCurveDisplay
from centroidal.model_selection import selection_curve

OPTIONS = {
    "n_features_grid": [1, 5, 30],
    "estimator": NearestCentroid(),
    "cv": 3,
    "random_state": 0,
}
SELECTORS = {"F statistic": SelectKBest(), "ReliefF": ReliefFSelector()}


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, data.target


@pytest.fixture(scope="module")
def curves(genes):
    return selection_curve(SELECTORS, *genes, n_random=2, **OPTIONS)


def assert_line_is(line, band, table):
    np.testing.assert_array_equal(line.get_xdata(), table["n_features"])
    np.testing.assert_array_equal(line.get_ydata(), table["mean_test_score"])
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.max() == (table["mean_test_score"] + table["se_test_score"]).max()
    assert heights.min() == (table["mean_test_score"] - table["se_test_score"]).min()


def test_each_selector_has_its_line_and_band(curves):
    display = SelectionCurveDisplay.from_curve(curves)
    assert list(display.lines_) == list(display.bands_) == ["F statistic", "ReliefF"]
    for name, curve in curves.items():
        assert_line_is(display.lines_[name], display.bands_[name], curve.table)
        assert display.lines_[name].get_label() == name


def test_random_features_are_one_grey_dashed_line(curves):
    display = SelectionCurveDisplay.from_curve(curves)
    assert_line_is(display.random_line_, display.random_band_, curves["ReliefF"].random_table)
    assert display.random_line_.get_color() == "grey"
    assert display.random_line_.get_linestyle() == "--"
    assert [line.get_label() for line in display.ax_.lines].count("random features") == 1


def test_random_features_are_left_out_if_there_are_none(genes):
    curve = selection_curve(SelectKBest(), *genes, n_random=0, **OPTIONS)
    display = SelectionCurveDisplay.from_curve(curve)
    assert display.random_line_ is None
    assert display.random_band_ is None
    assert len(display.ax_.lines) == 1


def test_one_curve_has_the_name_of_its_selector(curves):
    display = SelectionCurveDisplay.from_curve(curves["ReliefF"])
    assert list(display.lines_) == ["ReliefFSelector"]


@pytest.mark.parametrize("selector", [SELECTORS, SELECTORS["F statistic"]], ids=["several", "one"])
def test_curves_are_found_and_drawn_in_one_call(genes, curves, selector):
    display = SelectionCurveDisplay.from_selector(selector, *genes, n_random=2, **OPTIONS)
    (line, *_) = display.lines_.values()
    expected = curves["F statistic"].table["mean_test_score"]
    np.testing.assert_array_equal(line.get_ydata(), expected)


def test_axes_say_what_they_show(genes, curves):
    display = SelectionCurveDisplay.from_curve(curves)
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_xlabel() == "number of features"
    assert display.ax_.get_ylabel() == "accuracy"
    other = selection_curve(
        SelectKBest(), *genes, n_random=0, scoring="balanced_accuracy", **OPTIONS
    )
    assert SelectionCurveDisplay.from_curve(other).ax_.get_ylabel() == "balanced accuracy"
    mixed = SelectionCurveDisplay.from_curve({"other": other} | curves)
    assert mixed.ax_.get_ylabel() == "score"


def test_it_draws_where_and_how_it_is_told(curves):
    _, ax = plt.subplots()
    display = SelectionCurveDisplay.from_curve(curves, ax=ax, marker="s", linewidth=3)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert {line.get_marker() for line in display.lines_.values()} == {"s"}
    assert display.random_line_.get_linewidth() != 3


def test_selectors_are_drawn_on_given_axes(genes):
    _, ax = plt.subplots()
    display = SelectionCurveDisplay.from_selector(
        SelectKBest(), *genes, ax=ax, n_random=0, **OPTIONS
    )
    assert display.ax_ is ax


@pytest.mark.parametrize("wrong", [None, {"table": [1]}, ["curve"]], ids=str)
def test_what_is_no_curve_is_refused(wrong):
    with pytest.raises(TypeError, match="curves=.* must be what selection_curve returns"):
        SelectionCurveDisplay.from_curve(wrong)


def test_no_curve_at_all_is_refused():
    with pytest.raises(ValueError, match="curves={} must hold at least one"):
        SelectionCurveDisplay({}).plot()
