import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgba

from centroidal import SparseCenterClassifier, StabilitySelector
from centroidal.datasets import make_expression
from centroidal.inspection import StabilityDisplay


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, data.target


@pytest.fixture(scope="module")
def model(genes):
    return StabilitySelector(SparseCenterClassifier(5), n_resamples=10, random_state=0).fit(*genes)


def tick_names(display):
    return [text.get_text() for text in display.ax_.get_yticklabels()]


def test_bars_are_the_most_frequent_features(model):
    display = StabilityDisplay.from_estimator(model, n_features=6)
    expected = np.sort(model.selection_frequencies_)[::-1][:6]
    np.testing.assert_array_equal([bar.get_width() for bar in display.bars_], expected)
    np.testing.assert_array_equal(display.columns, model.feature_ranking_[:6])
    assert tick_names(display) == [str(j) for j in model.feature_ranking_[:6]]
    assert display.ax_.get_ylabel() == "column"


def test_most_frequent_feature_is_on_top(model):
    display = StabilityDisplay.from_estimator(model)
    bottom, top = display.ax_.get_ylim()
    assert abs(display.bars_[0].get_y() - top) < abs(display.bars_[0].get_y() - bottom)


def test_features_that_were_never_selected_are_not_shown(model):
    display = StabilityDisplay.from_estimator(model, n_features=30)
    assert len(display.bars_) == np.count_nonzero(model.selection_frequencies_) < 30


def test_kept_features_are_coloured(model):
    display = StabilityDisplay.from_estimator(model)
    for bar, column in zip(display.bars_, display.columns, strict=True):
        assert (bar.get_facecolor() == to_rgba("C0")) == model.support_[column]
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert sorted(labels) == ["kept", "not kept", "threshold 0.6"]


def test_threshold_has_its_line(model):
    display = StabilityDisplay.from_estimator(model)
    assert display.threshold_line_.get_xdata()[0] == 0.6


def test_there_is_no_line_if_a_number_decides(genes):
    model = StabilitySelector(
        SparseCenterClassifier(5), n_resamples=4, n_features_to_select=3, random_state=0
    ).fit(*genes)
    assert StabilityDisplay.from_estimator(model).threshold_line_ is None


def test_title_tells_the_index_and_its_interval(model):
    low, high = model.stability_interval_
    title = f"stability {model.stability_:.2f} (95 % interval {low:.2f} to {high:.2f})"
    assert StabilityDisplay.from_estimator(model).ax_.get_title() == title


def test_title_is_left_out_if_the_index_is_not_defined(genes):
    X, y = genes
    model = StabilitySelector(SparseCenterClassifier(), n_resamples=4, random_state=0)
    assert StabilityDisplay.from_estimator(model.fit(X, y)).ax_.get_title() == ""


def test_index_can_stand_alone():
    display = StabilityDisplay([0.9, 0.2], [True, False], [4, 1], stability=0.5).plot()
    assert display.ax_.get_title() == "stability 0.50"
    assert display.threshold_line_ is None


def test_names_are_those_given_or_those_of_the_columns(genes, model):
    names = [f"gene {j}" for j in range(30)]
    display = StabilityDisplay.from_estimator(model, n_features=2, feature_names=names)
    assert tick_names(display) == [names[j] for j in model.feature_ranking_[:2]]
    assert display.ax_.get_ylabel() == "feature"
    pandas = pytest.importorskip("pandas")
    named = StabilitySelector(SparseCenterClassifier(5), n_resamples=10, random_state=0)
    named.fit(pandas.DataFrame(genes[0], columns=names), genes[1])
    assert tick_names(StabilityDisplay.from_estimator(named, n_features=2)) == tick_names(display)


def test_it_draws_where_and_how_it_is_told(model):
    _, ax = plt.subplots()
    display = StabilityDisplay.from_estimator(model, ax=ax, color="red")
    assert display.ax_ is ax
    assert {bar.get_facecolor() for bar in display.bars_} == {to_rgba("red")}


def test_bad_input_is_refused(model):
    with pytest.raises(ValueError, match="StabilitySelector must be fitted"):
        StabilityDisplay.from_estimator(StabilitySelector(SparseCenterClassifier()))
    with pytest.raises(ValueError, match="feature_names has 2 names, but must have one for each"):
        StabilityDisplay.from_estimator(model, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="n_features=0 must be at least 1"):
        StabilityDisplay.from_estimator(model, n_features=0)
