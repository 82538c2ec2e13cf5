"""How features find their class: by alternation, by margin, or shared by all."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestCentroid

from centroidal import DisjointCentroidClassifier
from centroidal._data import check_labelled
from centroidal.classifiers import disjoint_centroid_rule
from centroidal.classifiers.disjoint_centroid_rule import GroupRecipe
from centroidal.datasets import make_feature_blocks
from centroidal.statistics import class_moments
from tests.reference import disjoint_centroids as reference

from .conftest import Samples

TREES = np.array(["ash", "elm", "oak"])


@pytest.fixture
def trees():
    """Three classes with four features of their own, and four that say nothing."""
    made = make_feature_blocks(120, 4, n_classes=3, n_noise=4, random_state=0)
    return Samples(made.data, TREES[made.target])


@pytest.fixture(params=["alternating", "margin"])
def assignment(request):
    return request.param


def build(assignment="alternating", **parameters):
    """Make a model of few starts that are the same in every run."""
    return DisjointCentroidClassifier(
        assignment, **({"n_init": 10, "random_state": 0} | parameters)
    )


def build_margin(**parameters):
    return build("margin", **parameters)


def codes_of(y):
    return np.unique(y, return_inverse=True)[1]


def labels_of(groups):
    """Class of each feature of disjoint groups; one more than the last if it is not used."""
    return np.where(groups.any(axis=0), groups.argmax(axis=0), len(groups))


def ratios_of(samples):
    return reference.margin_ratios(samples.X, codes_of(samples.y), 3)


def find_groups(samples, baseline_weights, *, seed=0, **options):
    """Groups for each weight, as both estimators get them."""
    recipe = GroupRecipe(
        **(
            {
                "assignment": "alternating",
                "disjoint": True,
                "shared_features": None,
                "center": False,
                "scale": None,
                "n_init": 30,
            }
            | options
        )
    )
    data = check_labelled(BaseEstimator(), *samples)
    moments = class_moments(data.X, data.codes, data.classes.size)
    return recipe.find(data, moments, np.array(baseline_weights), seed)


def assert_same_bits(model, expected, X):
    np.testing.assert_array_equal(model.groups_, expected.groups_)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))


def assert_same_groups(found, expected):
    np.testing.assert_array_equal(found.masks, expected.masks)
    assert found.objective == pytest.approx(expected.objective, rel=1e-12)
    np.testing.assert_array_equal(found.errors, expected.errors)


# ------------------------------------------------------------------ alternating


@pytest.mark.parametrize("baseline_weight", [0.75, np.inf])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("scale", [None, "std", "within"])
def test_objective_is_that_of_the_groups(trees, baseline_weight, center, scale):
    X, y = trees
    weights = np.linspace(0.5, 2.0, len(y))
    model = build(baseline_weight=baseline_weight, center=center, scale=scale)
    model.fit(X, y, sample_weight=weights)
    looked_at = X - np.average(X, axis=0, weights=weights) if center else X
    expected = reference.objective(
        looked_at / model.feature_scale_,
        codes_of(y),
        labels_of(model.groups_),
        3,
        baseline_weight,
        weights,
    )
    assert model.objective_ == pytest.approx(expected, rel=1e-10)


def test_objective_is_a_number_of_python(trees, assignment):
    assert type(build(assignment).fit(*trees).objective_) is float


@pytest.mark.parametrize("baseline_weight", [0.75, np.inf])
def test_features_are_nearest_to_the_center_of_their_own_group(trees, baseline_weight):
    X, codes = trees.X, codes_of(trees.y)
    labels = labels_of(build(baseline_weight=baseline_weight).fit(X, codes).groups_)
    centers = reference.group_centers(X, codes, labels, 3)
    costs = reference.group_costs(X, codes, centers, baseline_weight)
    np.testing.assert_array_equal(np.nanargmin(costs, axis=1), labels)


@pytest.mark.parametrize("n_init", [1, 7, 60])
def test_every_start_has_a_training_error(trees, n_init):
    assert build(n_init=n_init).fit(*trees).restart_errors_.shape == (n_init,)


def test_errors_are_missing_where_starts_are_void(trees):
    model = build(baseline_weight=0.75, n_init=60).fit(*trees)
    assert 0 < model.n_void_ < 60
    assert model.n_void_ == np.isnan(model.restart_errors_).sum()


@pytest.mark.parametrize(
    "parameters",
    [{}, {"baseline_weight": 0.75}, {"shared_features": 3}, {"center": True, "scale": "std"}],
    ids=str,
)
def test_chosen_start_has_the_lowest_training_error(trees, parameters):
    X, y = trees
    weights = np.linspace(0.5, 2.0, len(y))
    model = build(n_init=60, **parameters).fit(X, y, sample_weight=weights)
    error = 1.0 - model.score(X, y, sample_weight=weights)
    assert np.nanmin(model.restart_errors_) == pytest.approx(error, abs=1e-12)


def test_first_of_equally_good_starts_is_chosen(rng):
    """Classes this far apart are told apart by any features, so that no start makes an error."""
    codes = np.arange(40) % 2
    X = rng.normal(size=(40, 10)) + 100.0 * codes[:, None]
    many = build(n_init=30).fit(X, codes)
    assert not many.restart_errors_.any()
    np.testing.assert_array_equal(many.groups_, build(n_init=1).fit(X, codes).groups_)


def test_more_starts_begin_with_the_same_ones(trees):
    few, many = (build(n_init=n_init).fit(*trees) for n_init in (7, 60))
    np.testing.assert_array_equal(many.restart_errors_[:7], few.restart_errors_)


def test_more_starts_never_raise_the_training_error(trees):
    X, y = trees
    scores = [build(n_init=n_init).fit(X, y).score(X, y) for n_init in (1, 2, 5, 20, 60)]
    assert (np.diff(scores) >= 0.0).all()
    assert scores[-1] > scores[0]


@pytest.mark.parametrize("seed", [np.random.RandomState, int], ids=["state", "int"])
def test_same_seed_gives_the_same_model_to_the_bit(trees, seed):
    first, second = (build(random_state=seed(3)).fit(*trees) for _ in range(2))
    np.testing.assert_array_equal(first.restart_errors_, second.restart_errors_)
    assert_same_bits(first, second, trees.X)


def test_other_seeds_give_other_starts(trees):
    first, second = (build(random_state=seed).fit(*trees) for seed in (0, 1))
    assert not np.array_equal(first.restart_errors_, second.restart_errors_)


def test_source_of_randomness_goes_on_from_fit_to_fit(trees):
    model = build(random_state=np.random.RandomState(0))
    first, second = (model.fit(*trees).restart_errors_ for _ in range(2))
    assert not np.array_equal(first, second)


def test_without_a_seed_starts_are_new_every_time(trees):
    model = build(random_state=None)
    first, second = (model.fit(*trees).restart_errors_ for _ in range(2))
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_number_of_threads_does_not_matter_to_the_bit(trees, assignment, n_jobs):
    parameters = {"n_init": 60, "baseline_weight": 0.75}
    serial = build(assignment, **parameters).fit(*trees)
    threaded = build(assignment, **parameters, n_jobs=n_jobs).fit(*trees)
    np.testing.assert_array_equal(threaded.restart_errors_, serial.restart_errors_)
    assert_same_bits(threaded, serial, trees.X)


def test_more_features_than_samples_are_no_trouble(assignment):
    made = make_feature_blocks(24, 20, n_classes=3, spread=3.0, random_state=0)
    model = build(assignment).fit(made.data, made.target)
    assert model.groups_.sum() == 60
    assert model.score(made.data, made.target) == 1.0


def test_more_than_a_thousand_features_are_no_trouble(assignment):
    made = make_feature_blocks(30, 400, n_classes=3, random_state=0)
    model = build(assignment).fit(made.data, made.target)
    assert np.mean(model.groups_.argmax(axis=0) == made.feature_class) > 0.6


# ------------------------------------------------------------------ a clustering for each class


def build_overlapping(**parameters):
    return build(**{"disjoint": False, "baseline_weight": 0.85} | parameters)


def test_objective_of_overlapping_groups_is_what_features_pay_in_all_clusterings(trees):
    X, codes = trees.X, codes_of(trees.y)
    model = build_overlapping().fit(X, codes)
    found = [
        reference.alternate_alone(X, codes, group, c, 0.85) for c, group in enumerate(model.groups_)
    ]
    np.testing.assert_array_equal(model.groups_, [own for own, _ in found])
    assert model.objective_ == pytest.approx(sum(paid for _, paid in found), rel=1e-10)


def test_feature_may_speak_for_several_classes_and_for_none(trees):
    sizes = build_overlapping().fit(*trees).groups_.sum(axis=0)
    assert sizes.min() == 0
    assert sizes.max() > 1


def test_clusterings_without_a_weight_are_the_plain_nearest_centroid_classifier(trees):
    X, y = trees
    model = build(disjoint=False).fit(X, y)
    assert model.groups_.all()
    np.testing.assert_array_equal(model.predict(X), NearestCentroid().fit(X, y).predict(X))


@pytest.mark.parametrize(
    "parameters",
    [{}, {"norm": "euclidean"}, {"shared_features": [0, 4]}, {"center": True}],
    ids=str,
)
def test_chosen_clusterings_have_the_lowest_training_error(trees, parameters):
    X, y = trees
    weights = np.linspace(0.5, 2.0, len(y))
    model = build_overlapping(n_init=30, **parameters).fit(X, y, sample_weight=weights)
    error = 1.0 - model.score(X, y, sample_weight=weights)
    assert np.nanmin(model.restart_errors_) == pytest.approx(error, abs=1e-12)


def test_more_starts_of_clusterings_begin_with_the_same_ones(trees):
    few, many = (build_overlapping(n_init=n_init).fit(*trees) for n_init in (7, 60))
    np.testing.assert_array_equal(many.restart_errors_[:7], few.restart_errors_)


def test_start_is_void_if_one_of_its_clusterings_is(trees):
    model = build_overlapping(baseline_weight=0.75, n_init=60).fit(*trees)
    assert 0 < model.n_void_ < 60
    assert model.groups_.any(axis=1).all()


def test_clusterings_repair_classes_that_differ_in_their_means_alone():
    train, test = (
        make_feature_blocks(400, mean=0.9, spread=1.0, random_state=seed) for seed in (0, 1)
    )
    own = build().fit(train.data, train.target)
    overlapping = build_overlapping(baseline_weight=1.2).fit(train.data, train.target)
    assert overlapping.score(test.data, test.target) > own.score(test.data, test.target) + 0.1


def test_one_feature_is_too_few_for_a_class_and_what_it_does_not_use(trees):
    with pytest.raises(ValueError, match="n_features=1, of which 0 are shared, are too few for 2"):
        build_overlapping(shared_features=None).fit(trees.X[:, :1], trees.y)


# ------------------------------------------------------------------ norms


@pytest.mark.parametrize("baseline_weight", [0.75, np.inf])
def test_groups_of_the_euclidean_norm_are_a_fixed_point_of_its_steps(trees, baseline_weight):
    X, codes = trees.X, codes_of(trees.y)
    model = build(norm="euclidean", baseline_weight=baseline_weight).fit(X, codes)
    labels = labels_of(model.groups_)
    expected = reference.alternate_by_sums(X, codes, labels, 3, baseline_weight)
    np.testing.assert_array_equal(labels, expected.labels)
    assert model.objective_ == pytest.approx(expected.objective, rel=1e-10)


def test_euclidean_norm_gives_a_large_class_fewer_features(rng):
    """What the paper says of unbalanced data; here the features know of no class."""
    codes = np.repeat([0, 1], [55, 45])
    X = rng.normal(size=(100, 40))
    sizes = {
        norm: build(norm=norm).fit(X, codes).groups_.sum(axis=1)
        for norm in ("normalized", "euclidean")
    }
    assert sizes["euclidean"][0] < 15 < sizes["normalized"][0]


def test_norm_does_not_change_groups_by_margin(trees):
    first, second = (build_margin(norm=norm).fit(*trees) for norm in ("normalized", "euclidean"))
    np.testing.assert_array_equal(first.groups_, second.groups_)


# ------------------------------------------------------------------ margin


@pytest.mark.parametrize("baseline_weight", [0.6, 0.8, np.inf])
def test_margin_gives_a_feature_to_the_smallest_ratio_below_the_squared_weight(
    trees, baseline_weight
):
    ratios = ratios_of(trees)
    is_best = ratios.argmin(axis=0) == np.arange(3)[:, None]
    model = build_margin(baseline_weight=baseline_weight).fit(*trees)
    np.testing.assert_array_equal(model.groups_, is_best & (ratios < baseline_weight**2))


def test_objective_of_margin_is_the_sum_of_the_smallest_ratios_and_the_squared_weight(trees):
    best = ratios_of(trees).min(axis=0)
    model = build_margin(baseline_weight=0.75).fit(*trees)
    assert model.objective_ == pytest.approx(np.minimum(best, 0.75**2).sum(), rel=1e-10)


@pytest.mark.parametrize("baseline_weight", [0.8, 1.0, 1.1])
def test_overlapping_groups_hold_every_ratio_below_the_squared_weight(trees, baseline_weight):
    ratios = ratios_of(trees)
    model = build_margin(disjoint=False, baseline_weight=baseline_weight).fit(*trees)
    np.testing.assert_array_equal(model.groups_, ratios < baseline_weight**2)


def test_objective_of_overlapping_groups_is_the_sum_of_all_ratios_and_the_squared_weight(trees):
    ratios = ratios_of(trees)
    model = build_margin(disjoint=False, baseline_weight=0.75).fit(*trees)
    assert model.objective_ == pytest.approx(np.minimum(ratios, 0.75**2).sum(), rel=1e-10)


def test_all_features_in_every_group_are_the_plain_nearest_centroid_classifier(trees):
    X, y = trees
    model = build_margin(disjoint=False).fit(X, y)
    assert model.groups_.all()
    np.testing.assert_array_equal(model.predict(X), NearestCentroid().fit(X, y).predict(X))


def test_empty_group_takes_the_feature_of_least_regret(trees):
    ratios = ratios_of(trees)
    groups = build_margin(baseline_weight=1e-3, disjoint=False).fit(*trees).groups_
    assert groups.sum(axis=1).tolist() == [1, 1, 1]
    np.testing.assert_array_equal(groups.argmax(axis=1), ratios.argmin(axis=1))


def test_class_that_is_nowhere_the_best_has_a_feature_all_the_same():
    """Class 2 varies more than the others on both features."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 50)
    X = rng.normal(size=(150, 4)) * np.array([1.0, 1.0, 5.0])[codes, None]
    groups = build_margin().fit(X, codes).groups_
    assert groups.sum(axis=0).tolist() == [1] * 4
    assert groups.any(axis=1).all()


def test_for_two_classes_margin_without_a_weight_is_the_least_variance(trees):
    X, y = trees.X[trees.y != "oak"], trees.y[trees.y != "oak"]
    variances = [X[y == label].var(axis=0) for label in ("ash", "elm")]
    groups = build_margin().fit(X, y).groups_
    np.testing.assert_array_equal(groups.argmax(axis=0), np.argmin(variances, axis=0))


def test_margin_has_no_starts(trees):
    model = build_margin().fit(*trees)
    assert model.restart_errors_.shape == (0,)
    assert model.n_void_ == 0


def test_randomness_does_not_matter_to_margin(trees):
    first, second = (build_margin(random_state=s, n_init=s + 1).fit(*trees) for s in (0, 1))
    assert_same_bits(first, second, trees.X)


def test_centering_does_not_matter_to_margin(trees):
    assert_same_bits(build_margin(center=True).fit(*trees), build_margin().fit(*trees), trees.X)


@pytest.mark.parametrize("disjoint", [True, False])
def test_features_of_a_smaller_weight_are_among_those_of_a_larger_one(trees, disjoint):
    supports = [
        build_margin(disjoint=disjoint, baseline_weight=weight).fit(*trees).support_
        for weight in (0.5, 0.7, 0.8, 0.9, 1.0, np.inf)
    ]
    for small, large in zip(supports, supports[1:], strict=False):
        assert (small <= large).all()
    assert supports[0].sum() < supports[-1].sum()


# ------------------------------------------------------------------ shared features


def test_number_of_shared_features_is_that_of_the_furthest_class_means(trees, assignment):
    X, y = trees
    means = np.array([X[y == label].mean(axis=0) for label in TREES])
    inside = np.vstack([X[y == label] - X[y == label].mean(axis=0) for label in TREES])
    counts = np.array([(y == label).sum() for label in TREES])
    between = counts @ (means - X.mean(axis=0)) ** 2
    furthest = np.argsort(-between / inside.var(axis=0))[:5]
    groups = build(assignment, shared_features=5).fit(X, y).groups_
    assert sorted(np.flatnonzero(groups.all(axis=0))) == sorted(furthest)


def test_features_that_are_not_shared_stay_in_one_group(trees, assignment):
    groups = build(assignment, shared_features=5).fit(*trees).groups_
    assert sorted(groups.sum(axis=0)) == [1] * 11 + [3] * 5


@pytest.mark.parametrize("value", [0.25, np.float32(0.25), np.float64(0.26)])
def test_shared_features_may_be_a_fraction(trees, assignment, value):
    fraction, number = (
        build(assignment, shared_features=shared).fit(*trees).groups_ for shared in (value, 4)
    )
    np.testing.assert_array_equal(fraction, number)


@pytest.mark.parametrize(
    "value",
    [[2, 7], (7, 2), np.array([2, 7, 7]), np.isin(np.arange(16), [2, 7])],
    ids=["list", "tuple", "repeated", "mask"],
)
def test_shared_features_may_be_named_one_by_one(trees, assignment, value):
    groups = build(assignment, shared_features=value).fit(*trees).groups_
    assert np.flatnonzero(groups.all(axis=0)).tolist() == [2, 7]


@pytest.mark.parametrize("value", ["auto", 0, 0.0, np.zeros(16, dtype=bool)])
def test_nothing_is_shared_where_features_are_enough(trees, assignment, value):
    model = build(assignment, shared_features=value).fit(*trees)
    alone = build(assignment, shared_features=None).fit(*trees)
    assert_same_bits(model, alone, trees.X)


@pytest.mark.parametrize("value", [16, 1.0, np.arange(16), np.ones(16, dtype=bool)])
def test_all_features_shared_are_the_plain_nearest_centroid_classifier(trees, assignment, value):
    X, y = trees
    model = build(assignment, shared_features=value).fit(X, y)
    assert model.groups_.all()
    assert model.objective_ == 0.0
    assert model.restart_errors_.size == 0
    np.testing.assert_array_equal(model.predict(X), NearestCentroid().fit(X, y).predict(X))


def test_shared_features_count_in_the_training_error(trees):
    X, y = trees
    model = build(shared_features=[0, 4, 8]).fit(X, y)
    assert np.nanmin(model.restart_errors_) == pytest.approx(1.0 - model.score(X, y), abs=1e-12)


def test_shared_features_are_used_whatever_the_weight(trees, assignment):
    model = build(assignment, shared_features=[15], baseline_weight=0.75).fit(*trees)
    assert model.groups_[:, 15].all()


def test_shared_features_repair_classes_that_differ_in_their_means_alone():
    train, test = (
        make_feature_blocks(400, mean=0.9, spread=1.0, random_state=seed) for seed in (0, 1)
    )
    own, shared = (
        build(shared_features=value).fit(train.data, train.target) for value in (None, 1.0)
    )
    assert shared.score(test.data, test.target) > own.score(test.data, test.target) + 0.1


def test_too_few_features_are_shared_with_a_warning(trees, assignment):
    X, y = trees
    message = "n_features=2 are too few for 3 disjoint groups, so all classes share all features"
    with pytest.warns(UserWarning, match=message):
        model = build(assignment).fit(X[:, :2], y)
    assert model.groups_.all()


def test_too_few_features_are_an_error_where_none_are_shared(trees, assignment):
    message = "n_features=2, of which 0 are shared, are too few for 3 disjoint groups"
    with pytest.raises(ValueError, match=message):
        build(assignment, shared_features=None).fit(trees.X[:, :2], trees.y)


def test_too_many_shared_features_are_an_error(trees, assignment):
    message = "n_features=16, of which 14 are shared, are too few for 3 disjoint groups"
    with pytest.raises(ValueError, match=message):
        build(assignment, shared_features=14).fit(*trees)


def test_unused_group_of_the_alternation_needs_a_feature_too(trees):
    X, y = trees
    assert build(shared_features=None).fit(X[:, [0, 4, 8]], y).groups_.sum() == 3
    with pytest.raises(ValueError, match="n_features=3.* are too few for 4 disjoint groups"):
        build(shared_features=None, baseline_weight=1.0).fit(X[:, [0, 4, 8]], y)


def test_overlapping_groups_need_no_more_features_than_there_are(trees):
    model = build_margin(disjoint=False, shared_features=None).fit(trees.X[:, :2], trees.y)
    assert model.groups_.all()


def test_class_without_samples_has_no_shared_features_either(trees, assignment):
    X, y = trees
    model = build(assignment, shared_features=[2, 7])
    model.fit(X, y, sample_weight=(y != "elm").astype(float))
    assert not model.groups_[1].any()
    assert model.groups_[[0, 2]][:, [2, 7]].all()


# ------------------------------------------------------------------ many weights, many blocks


def test_groups_for_several_weights_are_those_for_each_alone(trees, assignment):
    weights = [0.7, 0.75, 0.85, 1.2]
    together = find_groups(trees, weights, assignment=assignment)
    for weight, found in zip(weights, together, strict=True):
        (alone,) = find_groups(trees, [weight], assignment=assignment)
        assert_same_groups(found, alone)
    assert len({found.masks.sum() for found in together}) > 1


def test_weight_whose_starts_are_all_void_has_no_groups(trees):
    nothing, something = find_groups(trees, [0.01, 0.9])
    assert nothing is None
    assert something.masks.any(axis=1).all()


def test_size_of_the_blocks_does_not_matter(trees, monkeypatch):
    expected = find_groups(trees, [0.7, 0.9])
    monkeypatch.setattr(disjoint_centroid_rule, "_STARTS_PER_BLOCK", 7)
    for found, other in zip(find_groups(trees, [0.7, 0.9]), expected, strict=True):
        assert_same_groups(found, other)


def test_blocks_are_smaller_where_memory_is_short(trees, monkeypatch):
    heights = []

    def note(run, blocks):
        heights.extend(rows.stop - rows.start for _, rows in blocks)
        return (run(*block) for block in blocks)

    recipe = GroupRecipe("alternating", True, None, False, None, 12)
    data = check_labelled(BaseEstimator(), *trees)
    moments = class_moments(data.X, data.codes, 3)
    monkeypatch.setattr(disjoint_centroid_rule, "_ENTRIES_PER_BLOCK", 16 * 2 * 5)
    recipe.find(data, moments, np.array([0.8, 0.9]), 0, note)
    assert heights == [5, 5, 5]


def test_errors_of_starts_are_those_of_their_classifiers(trees):
    """A start that is alone, or the best so far, is the one that is kept."""
    X, y = trees
    errors = build(n_init=30).fit(X, y).restart_errors_
    best = [n for n in range(1, 31) if np.argmin(errors[:n]) == n - 1]
    assert len(best) > 1
    for n_init in best:
        model = build(n_init=n_init).fit(X, y)
        wrong = reference.training_error(
            X, codes_of(y), np.ones(len(y)), model.centers_, model.groups_
        )
        assert errors[n_init - 1] == pytest.approx(wrong, abs=1e-12)
