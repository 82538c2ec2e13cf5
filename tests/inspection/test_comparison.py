import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import NearestCentroid

from centroidal.datasets import make_expression
from centroidal.inspection import ComparisonDisplay
from centroidal.model_selection import RandomFeaturesClassifier, compare

OPTIONS = {"cv": 3, "n_repeats": 1, "random_state": 0}
MEMBERS = {
    "majority": DummyClassifier(),
    "centroid": NearestCentroid(),
    "random": RandomFeaturesClassifier(2),
    "Gaussian": GaussianNB(),
}


@pytest.fixture(scope="module")
def genes():
    data = make_expression(60, 30, n_informative=5, random_state=0)
    return data.data, data.target


@pytest.fixture(scope="module")
def comparison(genes):
    return compare(MEMBERS, *genes, **OPTIONS)


def read(container):
    """Middle, ends and height of a dot with a bar."""
    line, _, (bar,) = container.lines
    (low, height), (high, _) = bar.get_segments()[0]
    return line.get_xdata()[0], low, high, height


def test_dots_are_scores_with_intervals_from_the_best_down(comparison):
    display = ComparisonDisplay.from_comparison(comparison)
    table = comparison.table
    order = np.argsort(-table["mean_test_score"], kind="stable")
    assert display.names_ == [comparison.names[row] for row in order]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == display.names_
    for height, row in enumerate(order):
        found = read(display.dots_[comparison.names[row]])
        expected = [table[f"{which}_test_score"][row] for which in ("mean", "low", "high")]
        np.testing.assert_allclose(found, [*expected, height], atol=1e-12)
    bottom, top = display.ax_.get_ylim()
    assert bottom > top


def test_differences_stand_beside_the_scores(comparison):
    display = ComparisonDisplay.from_comparison(comparison)
    differences = comparison.differences
    for row, name in enumerate(comparison.names):
        if name == comparison.baseline:
            assert display.difference_dots_[name].lines[2] == ()
            continue
        found = read(display.difference_dots_[name])[:3]
        expected = [differences[f"{which}_difference"][row] for which in ("mean", "low", "high")]
        np.testing.assert_allclose(found, expected, atol=1e-12)
    label = f"difference to {comparison.baseline}"
    assert display.difference_ax_.get_xlabel() == label
    assert display.ax_.get_xlabel() == "accuracy, with its 95 % interval"


def test_references_are_grey_and_random_features_have_a_line(comparison):
    display = ComparisonDisplay.from_comparison(comparison)
    colors = {name: dot.lines[0].get_color() for name, dot in display.dots_.items()}
    assert {name for name, color in colors.items() if color == "grey"} == {"random", "majority"}
    score = comparison.table["mean_test_score"][2]
    assert display.random_line_.get_xdata()[0] == score
    assert display.ax_.get_legend().get_texts()[0].get_text() == "random"


def test_line_is_left_out_without_random_features(genes):
    display = ComparisonDisplay.from_estimators({"a": GaussianNB()}, *genes, **OPTIONS)
    assert display.random_line_ is None
    assert display.ax_.get_legend() is None
    assert display.comparison.baseline == "a"


def test_it_draws_where_and_how_it_is_told(comparison):
    _, ax = plt.subplots()
    display = ComparisonDisplay.from_comparison(comparison, ax=ax, fmt="s")
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.difference_ax_ is None
    assert display.difference_dots_ == {}
    assert display.dots_["random"].lines[0].get_marker() == "s"
    _, axes = plt.subplots(1, 2)
    display = ComparisonDisplay(comparison).plot(axes)
    assert (display.ax_, display.difference_ax_) == tuple(axes)


def test_member_that_always_failed_is_left_out(genes):
    X, y = genes
    members = {"fails": MultinomialNB(), "Gaussian": GaussianNB()}
    with warnings.catch_warnings(action="ignore"):
        result = compare(members, X - X.mean(), y, **OPTIONS)
        nothing = compare({"fails": MultinomialNB()}, X - X.mean(), y, **OPTIONS)
    assert ComparisonDisplay.from_comparison(result).names_ == ["Gaussian"]
    with pytest.raises(ValueError, match="comparison has no member that was scored"):
        ComparisonDisplay.from_comparison(nothing)


def test_one_fold_of_a_score_that_is_not_counted_has_dots_without_bars(genes):
    rows = np.arange(60)
    display = ComparisonDisplay.from_estimators(
        {"a": GaussianNB()}, *genes, cv=[(rows[:40], rows[40:])], scoring="neg_log_loss"
    )
    assert display.dots_["a"].lines[2] == ()


@pytest.mark.parametrize("wrong", [None, {"table": 1}], ids=str)
def test_what_is_no_comparison_is_refused(wrong):
    with pytest.raises(TypeError, match="comparison=.* must be what compare returns"):
        ComparisonDisplay.from_comparison(wrong)


def test_three_axes_are_refused(comparison):
    _, axes = plt.subplots(1, 3)
    with pytest.raises(ValueError, match="ax holds 3 Axes"):
        ComparisonDisplay(comparison).plot(axes)
