import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NearestCentroid

from centroidal import DisjointCentroidClassifier, DisjointCentroidClassifierCV
from centroidal.datasets import make_feature_blocks
from centroidal.inspection import FeatureGroupsDisplay


@pytest.fixture(scope="module")
def blocks():
    made = make_feature_blocks(300, 4, n_classes=3, n_noise=8, random_state=0)
    return made.data, made.target


@pytest.fixture(scope="module")
def model(blocks):
    return DisjointCentroidClassifier("margin", scale="within").fit(*blocks)


@pytest.fixture(scope="module")
def overlapping(blocks):
    model = DisjointCentroidClassifier("margin", disjoint=False, baseline_weight=0.97).fit(*blocks)
    n_classes_of = model.groups_.sum(axis=0)
    assert {1, 2} <= set(n_classes_of)
    return model


def names_on(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def outlined(display):
    """Mask of the cells inside an outline, read from the picture."""
    mask = np.zeros(display.groups.shape, dtype=bool)
    for rectangles in display.outlines_:
        for box in rectangles:
            left, top = box.get_xy()
            columns = slice(round(left + 0.5), round(left + box.get_width() + 0.5))
            mask[round(top + box.get_height() / 2), columns] = True
    return mask


def separation_of(model, c, feature):
    """Mean over the other classes of the squared difference of the means, in units of the scale."""
    centers = model.centers_[:, feature] / model.feature_scale_[feature]
    return np.mean((np.delete(centers, c) - centers[c]) ** 2)


def test_colours_are_centred_class_means_in_units_of_the_feature_scale(model):
    display = FeatureGroupsDisplay.from_estimator(model)
    for j, feature in enumerate(display.columns):
        means = model.centers_[:, feature]
        np.testing.assert_allclose(
            display.image_.get_array()[:, j], (means - means.mean()) / model.feature_scale_[feature]
        )


def test_colours_are_centred_at_zero(model):
    display = FeatureGroupsDisplay.from_estimator(model)
    lowest, highest = display.image_.get_clim()
    assert lowest == -highest
    assert highest == np.abs(display.deviations).max()


def test_each_feature_stands_with_its_class_and_the_best_is_first(model):
    display = FeatureGroupsDisplay.from_estimator(model, n_features_per_class=None)
    homes = model.groups_.argmax(axis=0)
    ranked = sorted(range(20), key=lambda i: (homes[i], -separation_of(model, homes[i], i)))
    assert display.columns.tolist() == ranked


def test_shown_features_are_those_that_set_their_class_apart_most(model):
    display = FeatureGroupsDisplay.from_estimator(model, n_features_per_class=2)
    for c, has_feature in enumerate(model.groups_):
        own = np.flatnonzero(has_feature)
        best = sorted(own, key=lambda i: -separation_of(model, c, i))[:2]
        assert display.columns[display.groups[c]].tolist() == best


def test_features_left_out_are_not_shown(blocks):
    model = DisjointCentroidClassifier("margin", baseline_weight=0.7).fit(*blocks)
    display = FeatureGroupsDisplay.from_estimator(model, n_features_per_class=None)
    assert not model.support_.all()
    assert sorted(display.columns) == np.flatnonzero(model.support_).tolist()


def test_group_of_each_class_is_outlined_once_on_its_row(model):
    display = FeatureGroupsDisplay.from_estimator(model)
    assert [len(rectangles) for rectangles in display.outlines_] == [1, 1, 1]
    np.testing.assert_array_equal(outlined(display), model.groups_[:, display.columns])


def test_overlapping_groups_show_a_feature_once_and_outline_it_in_all_its_rows(overlapping):
    display = FeatureGroupsDisplay.from_estimator(overlapping, n_features_per_class=5)
    assert len(set(display.columns)) == display.columns.size
    assert (display.groups.sum(axis=0) > 1).any()
    np.testing.assert_array_equal(outlined(display), overlapping.groups_[:, display.columns])


def test_overlapping_groups_stand_with_the_class_they_set_apart_most(overlapping):
    display = FeatureGroupsDisplay.from_estimator(overlapping, n_features_per_class=None)
    homes = [
        max(
            np.flatnonzero(overlapping.groups_[:, i]),
            key=lambda c: separation_of(overlapping, c, i),
        )
        for i in display.columns
    ]
    assert homes == sorted(homes)


def test_every_class_shows_its_best_features_where_groups_overlap(overlapping):
    display = FeatureGroupsDisplay.from_estimator(overlapping, n_features_per_class=1)
    for c, has_feature in enumerate(overlapping.groups_):
        own = np.flatnonzero(has_feature)
        assert max(own, key=lambda i: separation_of(overlapping, c, i)) in display.columns


def test_single_feature_is_drawn(blocks):
    X, y = blocks
    model = DisjointCentroidClassifier("margin", disjoint=False).fit(X[:, :1], y)
    display = FeatureGroupsDisplay.from_estimator(model)
    assert display.image_.get_array().shape == (3, 1)
    assert outlined(display).all()


def test_class_without_samples_is_an_empty_row_that_says_so(blocks):
    X, y = blocks
    model = DisjointCentroidClassifier("margin")
    model.partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    display = FeatureGroupsDisplay.from_estimator(model)
    assert np.ma.getmaskarray(display.image_.get_array()).all(axis=1).tolist() == [0, 0, 1]
    assert display.outlines_[2] == []
    assert names_on(display.ax_.yaxis) == ["0", "1", "2\n(no samples)"]


def test_class_without_samples_does_not_count_among_the_others():
    means = np.array([[0.8, 0.6, 0.0, 0.0], [-0.4, -1.2, 0.0, 0.0], [-0.4, 0.6, 0.0, 0.0]])
    spreads = np.where(np.arange(3)[:, None] == [0, 0, 1, 2], 0.1, 1.0)
    X, y = np.concatenate([means - spreads, means + spreads]), np.array([0, 1, 2, 0, 1, 2])
    seen = DisjointCentroidClassifier("margin").fit(X, y)
    expecting = DisjointCentroidClassifier("margin").partial_fit(X, y, classes=range(40))
    displays = [FeatureGroupsDisplay.from_estimator(part) for part in (seen, expecting)]
    assert [display.columns.tolist() for display in displays] == [[1, 0, 2, 3], [1, 0, 2, 3]]
    np.testing.assert_allclose(displays[0].deviations, displays[1].deviations[:3])


def test_equal_class_means_are_drawn_without_a_warning():
    X, y = np.array([[1.0, 2.0], [3.0, 2.0], [0.0, 1.0], [4.0, 3.0]]), [0, 0, 1, 1]
    display = FeatureGroupsDisplay.from_estimator(DisjointCentroidClassifier("margin").fit(X, y))
    assert display.image_.get_clim() == (-1.0, 1.0)


def test_search_for_the_weight_is_drawn_like_its_best_model(blocks):
    search = DisjointCentroidClassifierCV("margin", cv=3).fit(*blocks)
    display = FeatureGroupsDisplay.from_estimator(search)
    best = FeatureGroupsDisplay.from_estimator(search.best_estimator_)
    np.testing.assert_array_equal(display.columns, best.columns)
    np.testing.assert_array_equal(display.deviations, best.deviations)


def test_names_come_from_the_table(blocks):
    X, y = blocks
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(20)])
    model = DisjointCentroidClassifier("margin").fit(frame, np.array(["a", "b", "c"])[y])
    display = FeatureGroupsDisplay.from_estimator(model)
    assert names_on(display.ax_.xaxis) == [f"gene {i}" for i in display.columns]
    assert names_on(display.ax_.yaxis) == ["a", "b", "c"]


def test_names_can_be_given(model):
    names = [f"word {i}" for i in range(20)]
    display = FeatureGroupsDisplay.from_estimator(model, feature_names=names)
    assert names_on(display.ax_.xaxis) == [f"word {i}" for i in display.columns]
    assert display.ax_.get_xlabel() == "feature"


def test_columns_stand_for_names_that_are_not_known(model):
    display = FeatureGroupsDisplay.from_estimator(model)
    assert names_on(display.ax_.xaxis) == [str(i) for i in display.columns]
    assert display.ax_.get_xlabel() == "column"


def test_names_that_could_not_be_read_are_left_out(model):
    _, ax = plt.subplots(figsize=(1.5, 2))
    display = FeatureGroupsDisplay.from_estimator(model, ax=ax)
    assert names_on(ax.xaxis) == []
    assert ax.get_xlabel() == f"{display.columns.size} features, by class"


def test_names_of_too_many_classes_are_left_out(model):
    _, ax = plt.subplots(figsize=(4, 0.2))
    FeatureGroupsDisplay.from_estimator(model, ax=ax)
    assert names_on(ax.yaxis) == []
    assert ax.get_ylabel() == "3 classes"


def test_long_names_are_upright_and_short_ones_are_not(model):
    turned = {}
    for name in ("g", "a very long name"):
        display = FeatureGroupsDisplay.from_estimator(model, feature_names=[name] * 20)
        turned[name] = display.ax_.get_xticklabels()[0].get_rotation()
    assert turned == {"g": 0.0, "a very long name": 90.0}


def test_colour_bar_says_what_is_shown(model, blocks):
    display = FeatureGroupsDisplay.from_estimator(model)
    assert display.colorbar_.ax.get_ylabel() == "mean minus mean of classes\nin standard deviations"
    unscaled = DisjointCentroidClassifier("margin").fit(*blocks)
    display = FeatureGroupsDisplay.from_estimator(unscaled)
    assert display.colorbar_.ax.get_ylabel() == "mean minus mean of classes"


def test_colour_bar_can_be_left_out(model):
    display = FeatureGroupsDisplay.from_estimator(model, colorbar=False)
    assert display.colorbar_ is None
    assert display.figure_.axes == [display.ax_]


def test_options_reach_the_image(model):
    display = FeatureGroupsDisplay.from_estimator(model, vmin=-3, vmax=3, cmap="PuOr")
    assert display.image_.get_clim() == (-3, 3)
    assert display.image_.get_cmap().name == "PuOr"


def test_it_draws_where_it_is_told(model):
    figure, ax = plt.subplots()
    display = FeatureGroupsDisplay.from_estimator(model, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure


@pytest.mark.parametrize(
    "estimator", [DisjointCentroidClassifier(), DisjointCentroidClassifierCV(), NearestCentroid()]
)
def test_estimator_without_groups_is_refused(estimator):
    name = type(estimator).__name__
    with pytest.raises(ValueError, match=f"estimator={name} must be fitted and have groups_"):
        FeatureGroupsDisplay.from_estimator(estimator)


def test_number_of_features_must_be_positive(model):
    with pytest.raises(ValueError, match="n_features_per_class=0 must be at least 1"):
        FeatureGroupsDisplay.from_estimator(model, n_features_per_class=0)


def test_names_must_be_as_many_as_features(model):
    with pytest.raises(ValueError, match="feature_names has 2 names.* n_features=20"):
        FeatureGroupsDisplay.from_estimator(model, feature_names=["a", "b"])
