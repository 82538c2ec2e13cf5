import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

from centroidal import (
    DisjointCentroidClassifierCV,
    FisherSubspaceClassifierCV,
    SparseCenterClassifier,
    SparseCenterClassifierCV,
)
from centroidal.datasets import make_expression, make_feature_blocks, make_spiked_classes
from centroidal.inspection import PathDisplay

WEIGHTS = [0.5, 0.75, 1.0, np.inf]


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, data.target


@pytest.fixture(scope="module")
def models(genes):
    """A fitted estimator for each kind of path, by the column it goes over."""
    spiked = make_spiked_classes(60, 20, n_spikes=3, random_state=0)
    blocks = make_feature_blocks(120, 4, n_classes=3, n_noise=8, random_state=0)
    by_scatter = FisherSubspaceClassifierCV(scatter=("total", "within"), cv=3)
    by_weight = DisjointCentroidClassifierCV("margin", baseline_weights=WEIGHTS, cv=3)
    return {
        "n_features_to_select": SparseCenterClassifierCV(cv=3).fit(*genes),
        "n_components": by_scatter.fit(spiked.data, spiked.target),
        "baseline_weight": by_weight.fit(blocks.data, blocks.target),
    }


@pytest.fixture(params=["n_features_to_select", "n_components", "baseline_weight"])
def model(models, request):
    return models[request.param]


@pytest.fixture
def weights_path():
    """A table whose first weight is void."""
    return {
        "baseline_weight": np.array([0.1, 0.8, np.inf]),
        "mean_n_features": np.array([np.nan, 7.4, 12.0]),
        "mean_test_score": np.array([0.0, 0.75, 0.5]),
        "se_test_score": np.array([0.0, 0.125, 0.25]),
    }


def names_on(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


# ------------------------------------------------------------------ all kinds


def test_lines_are_the_path_of_the_estimator(model):
    display = PathDisplay.from_estimator(model)
    drawn = np.concatenate([line.get_ydata() for line in display.lines_])
    np.testing.assert_array_equal(np.sort(drawn), np.sort(model.path_["mean_test_score"]))


@pytest.mark.parametrize(
    ("column", "label"),
    [
        ("n_features_to_select", "number of features"),
        ("n_components", "whitened components"),
        ("baseline_weight", "weight of the baseline"),
    ],
)
def test_axes_say_what_they_show(models, column, label):
    display = PathDisplay.from_estimator(models[column])
    assert display.ax_.get_xlabel() == label
    assert display.ax_.get_ylabel() == "accuracy"
    assert display.ax_.get_xscale() == ("linear" if column == "baseline_weight" else "log")


def test_picture_is_drawn_on_given_axes(model):
    _, ax = plt.subplots()
    display = PathDisplay.from_estimator(model, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure


def test_name_and_options_reach_the_lines(model):
    display = PathDisplay.from_estimator(model, name="mine", marker="s", color="C3")
    for line in display.lines_:
        assert line.get_label().startswith("mine")
        assert (line.get_marker(), line.get_color()) == ("s", "C3")


def test_nothing_is_marked_without_a_choice(model):
    assert PathDisplay(model.path_).plot().chosen_line_ is None


def test_estimator_without_a_path_is_refused(genes):
    for estimator in (SparseCenterClassifier().fit(*genes), FisherSubspaceClassifierCV()):
        with pytest.raises(ValueError, match=f"{type(estimator).__name__} must be fitted and have"):
            PathDisplay.from_estimator(estimator)


# ------------------------------------------------------------------ numbers of features


def test_numbers_of_features_are_in_their_order_with_the_choice_marked(models):
    model = models["n_features_to_select"]
    display = PathDisplay.from_estimator(model)
    (line,) = display.lines_
    np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 31))
    np.testing.assert_array_equal(line.get_ydata(), model.path_["mean_test_score"])
    number = model.n_features_to_select_
    assert display.chosen_line_.get_xdata()[0] == number
    assert display.chosen_line_.get_label() == f"{number} features chosen"


def test_results_of_a_grid_search_are_drawn_in_the_order_of_the_numbers(genes):
    search = GridSearchCV(
        make_pipeline(SelectKBest(), NearestCentroid()), {"selectkbest__k": [20, 1, 5]}, cv=3
    ).fit(*genes)
    display = PathDisplay.from_cv_results(search.cv_results_, param="selectkbest__k")
    assert display.lines_[0].get_xdata().tolist() == [1, 5, 20]
    np.testing.assert_allclose(
        display.path["se_test_score"], search.cv_results_["std_test_score"][[1, 2, 0]] / np.sqrt(2)
    )
    assert display.chosen_line_ is None
    marked = PathDisplay.from_cv_results(search.cv_results_, param="selectkbest__k", chosen=5)
    assert marked.chosen_line_.get_xdata()[0] == 5


def test_unknown_column_is_named(models):
    path = models["n_features_to_select"].path_
    with pytest.raises(ValueError, match="param='k' must be a column of cv_results"):
        PathDisplay.from_cv_results(path, param="k")


# ------------------------------------------------------------------ numbers of components


def test_each_scatter_has_its_line(models):
    model = models["n_components"]
    display = PathDisplay.from_estimator(model)
    assert [line.get_label() for line in display.lines_] == ["total scatter", "within scatter"]
    for scatter, line in zip(("total", "within"), display.lines_, strict=True):
        rows = model.path_["scatter"] == scatter
        np.testing.assert_array_equal(line.get_xdata(), model.path_["n_components"][rows])
        np.testing.assert_array_equal(line.get_ydata(), model.path_["mean_test_score"][rows])


def test_choice_is_marked_in_the_colour_of_its_scatter(models):
    model = models["n_components"]
    display = PathDisplay.from_estimator(model)
    colours = {line.get_label(): line.get_color() for line in display.lines_}
    assert display.chosen_line_.get_xdata()[0] == model.n_components_
    assert display.chosen_line_.get_color() == colours[f"{model.scatter_} scatter"]


# ------------------------------------------------------------------ weights of the baseline


def test_band_is_one_standard_error(weights_path):
    display = PathDisplay(weights_path).plot()
    vertices = display.bands_[0].get_paths()[0].vertices
    heights = {x: vertices[vertices[:, 0] == x, 1] for x in (1, 2)}
    assert {x: (min(y), max(y)) for x, y in heights.items()} == {1: (0.625, 0.875), 2: (0.25, 0.75)}


def test_infinity_has_its_place_on_the_axis(models):
    display = PathDisplay.from_estimator(models["baseline_weight"])
    np.testing.assert_array_equal(display.lines_[0].get_xdata(), [0, 1, 2, 3])
    assert names_on(display.ax_.xaxis) == ["0.5", "0.75", "1", "∞"]
    assert np.isfinite(display.ax_.get_xlim()).all()


def test_numbers_of_features_stand_above_the_weights(weights_path):
    display = PathDisplay(weights_path).plot()
    assert names_on(display.features_axis_.xaxis) == ["void", "7", "12"]
    assert display.features_axis_.get_xlabel() == "mean number of features"
    np.testing.assert_array_equal(display.features_axis_.get_xticks(), display.ax_.get_xticks())


def test_void_weight_has_no_score(weights_path):
    (line,) = PathDisplay(weights_path).plot().lines_
    assert np.isnan(line.get_ydata()).tolist() == [1, 0, 0]


@pytest.mark.parametrize(("weight", "name"), [(0.8, "0.8"), (np.inf, "∞")])
def test_chosen_weight_is_marked_where_it_stands(weights_path, weight, name):
    display = PathDisplay(weights_path, chosen={"baseline_weight": weight}).plot()
    position = weights_path["baseline_weight"].tolist().index(weight)
    assert display.chosen_line_.get_xdata()[0] == position
    (label,) = display.ax_.get_legend().get_texts()
    assert label.get_text() == f"weight {name} chosen"


def test_choice_of_the_weight_of_the_estimator_is_marked(models):
    model = models["baseline_weight"]
    position = PathDisplay.from_estimator(model).chosen_line_.get_xdata()[0]
    assert model.path_["baseline_weight"][position] == model.baseline_weight_


def test_there_is_no_legend_if_nothing_has_a_name(weights_path):
    assert PathDisplay(weights_path).plot().ax_.get_legend() is None


def test_of_many_weights_some_are_named_with_the_last_among_them():
    weights = np.append(np.linspace(0.1, 1.2, 40), np.inf)
    path = dict.fromkeys(["mean_n_features", "mean_test_score", "se_test_score"], np.ones(41))
    display = PathDisplay({"baseline_weight": weights, **path}).plot()
    names = names_on(display.ax_.xaxis)
    assert names[-1] == "∞"
    assert len(names) == len(names_on(display.features_axis_.xaxis)) == 14
