from types import SimpleNamespace

import numpy as np
import pytest

from centroidal import SparseCenterClassifier
from centroidal.datasets import make_spectra
from centroidal.inspection import BandsDisplay
from centroidal.model_selection import select_features

CENTERS = np.arange(20.0).reshape(2, 10)
SUPPORT = np.isin(np.arange(10), [0, 1, 5, 9])


def extents(display):
    """Left and right end of each band."""
    return [
        (span.get_extents().transformed(display.ax_.transData.inverted()).intervalx).tolist()
        for span in display.spans_
    ]


def test_lines_are_the_class_means_along_the_axis():
    names = [f"{each}" for each in range(100, 200, 10)]
    display = BandsDisplay(CENTERS, SUPPORT, ["a", "b"], feature_names=names).plot()
    for line, center in zip(display.lines_, CENTERS, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(100, 200, 10))
        np.testing.assert_array_equal(line.get_ydata(), center)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["selected", "a", "b"]
    assert display.ax_.get_xlabel() == "feature"


def test_bands_end_half_a_step_beyond_their_features_but_inside_the_axis():
    names = [f"{each}" for each in range(100, 200, 10)]
    display = BandsDisplay(CENTERS, SUPPORT, ["a", "b"], feature_names=names, max_gap=0).plot()
    np.testing.assert_allclose(extents(display), [[100, 115], [145, 155], [185, 190]])


def test_gap_joins_bands():
    display = BandsDisplay(CENTERS, SUPPORT, ["a", "b"], max_gap=3).plot()
    assert len(display.spans_) == 1


def test_axis_runs_as_the_columns_do():
    names = [f"{each}" for each in range(190, 90, -10)]
    display = BandsDisplay(CENTERS, SUPPORT, ["a", "b"], feature_names=names).plot()
    assert display.ax_.get_xlim() == (190.0, 100.0)


def test_columns_are_counted_where_names_are_no_numbers():
    display = BandsDisplay(CENTERS, SUPPORT, ["a", "b"], feature_names=list("abcdefghij")).plot()
    assert (display.ax_.get_xlabel(), display.ax_.get_xlim()) == ("column", (0.0, 9.0))


def test_nothing_selected_draws_no_band():
    assert BandsDisplay(CENTERS, np.zeros(10, bool), ["a", "b"]).plot().spans_ == []


def test_estimator_is_drawn_over_the_means_of_the_samples_that_are_given():
    made = make_spectra(10, 30, random_state=0)
    model = SparseCenterClassifier(4).fit(made.data, made.target)
    display = BandsDisplay.from_estimator(
        model, made.data, made.target_names[made.target], feature_names=made.feature_names
    )
    expected = made.data[made.target == 1].mean(axis=0)
    np.testing.assert_allclose(display.lines_[1].get_ydata(), expected)
    np.testing.assert_array_equal(display.support, model.support_)


def test_selection_draws_its_bands_itself():
    made = make_spectra(10, 30, random_state=0)
    found = select_features(
        made.data, made.target, groups=made.groups, method="l2", n_features_to_select=3,
        n_repeats=1, cv=3, feature_names=made.feature_names, random_state=0,
    )  # fmt: skip
    display = found.plot_bands(max_gap=1, color="black")
    assert len(display.spans_) == len(found.band_columns(1)["first"])
    assert display.lines_[0].get_color() == "black"
    np.testing.assert_array_equal(np.flatnonzero(display.support), np.sort(found.selected))


def test_estimator_without_a_selection_is_refused():
    with pytest.raises(ValueError, match="must be fitted and have support_"):
        BandsDisplay.from_estimator(SimpleNamespace(), [[1.0]], [0])


def test_names_must_be_as_many_as_features():
    model = SparseCenterClassifier(1).fit([[0.0, 1.0], [1.0, 5.0]], [0, 1])
    with pytest.raises(ValueError, match="feature_names has 3 names"):
        BandsDisplay.from_estimator(
            model, [[0.0, 1.0], [1.0, 5.0]], [0, 1], feature_names=list("abc")
        )
