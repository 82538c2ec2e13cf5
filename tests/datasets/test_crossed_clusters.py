import numpy as np
import pytest

from centroidal.datasets import make_crossed_clusters


def test_every_part_has_the_asked_size():
    made = make_crossed_clusters(30, 7, random_state=0)
    assert made.data.shape == (30, 7)
    assert made.target.shape == (30,)
    assert made.clusters.shape == (30,)
    assert made.cluster_classes.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert made.means.shape == (8, 7)


def test_defaults_are_those_of_the_thesis():
    made = make_crossed_clusters(random_state=0)
    assert made.data.shape == (4000, 500)
    assert np.bincount(made.clusters).tolist() == [500] * 8


def test_means_are_those_of_the_thesis():
    first, second = make_crossed_clusters(8, 4, random_state=0).means[:, [0, -1]].T
    assert first.tolist() == [0, 1, 0.5, 0.5, 1, 1, 0, 0]
    assert second.tolist() == [0, 0, -1, 1, 1, -1, 1, -1]


@pytest.mark.parametrize("n_features", [2, 5, 6])
def test_the_first_half_is_the_smaller_one(n_features):
    # The third mean is 0.5 in the first half and -1 in the second.
    third = make_crossed_clusters(8, n_features, random_state=0).means[2]
    assert np.sum(third == 0.5) == n_features // 2
    assert np.sum(third == -1) == n_features - n_features // 2


def test_classes_have_the_same_mean():
    made = make_crossed_clusters(8, 5, random_state=0)
    np.testing.assert_array_equal(made.means[:4].mean(axis=0), made.means[4:].mean(axis=0))


@pytest.mark.parametrize("n_samples", [8, 13, 31])
def test_classes_and_their_clusters_are_balanced(n_samples):
    made = make_crossed_clusters(n_samples, 2, random_state=0)
    assert np.ptp(np.bincount(made.target)) <= 1
    for sizes in np.bincount(made.clusters).reshape(2, 4):
        assert np.ptp(sizes) <= 1


def test_samples_have_the_class_of_their_cluster():
    made = make_crossed_clusters(40, 3, random_state=0)
    np.testing.assert_array_equal(made.target, made.clusters // 4)


def test_clusters_are_shuffled():
    clusters = make_crossed_clusters(80, 3, random_state=0).clusters
    assert np.any(np.diff(clusters) < 0)


def test_without_spread_every_sample_is_the_mean_of_its_cluster():
    made = make_crossed_clusters(20, 5, spread=0, random_state=0)
    np.testing.assert_array_equal(made.data, made.means[made.clusters])


def test_spread_is_the_standard_deviation_within_a_cluster():
    made = make_crossed_clusters(800, 100, spread=3.0, random_state=0)
    noise = made.data - made.means[made.clusters]
    assert noise.mean() == pytest.approx(0, abs=0.05)
    assert noise.std() == pytest.approx(3.0, rel=0.02)


def test_features_of_a_cluster_are_uncorrelated():
    made = make_crossed_clusters(4000, 6, random_state=0)
    noise = made.data - made.means[made.clusters]
    np.testing.assert_allclose(np.cov(noise.T), np.eye(6), atol=0.1)


def test_nearest_cluster_is_right_where_nearest_class_mean_is_not():
    train = make_crossed_clusters(400, 100, spread=0.5, random_state=0)
    test = make_crossed_clusters(400, 100, spread=0.5, random_state=1)

    def nearest(means):
        return ((test.data[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)

    class_means = np.array([train.data[train.target == code].mean(axis=0) for code in (0, 1)])
    assert np.mean(test.cluster_classes[nearest(test.means)] == test.target) > 0.99
    assert np.mean(nearest(class_means) == test.target) < 0.7


def test_the_same_seed_gives_the_same_data():
    first = make_crossed_clusters(20, 5, random_state=3)
    second = make_crossed_clusters(20, 5, random_state=3)
    for part in first:
        np.testing.assert_array_equal(first[part], second[part])


def test_another_seed_gives_other_data():
    first, second = (make_crossed_clusters(20, 5, random_state=seed) for seed in (0, 1))
    assert not np.array_equal(first.data, second.data)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_samples": 7}, "n_samples=7 must be finite and at least 8"),
        ({"n_features": 1}, "n_features=1 must be finite and at least 2"),
        ({"spread": -1}, "spread=-1 must be finite and at least 0"),
        ({"spread": np.nan}, "spread=nan must be finite and at least 0"),
    ],
)
def test_error_names_the_parameter_and_its_bounds(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_crossed_clusters(**parameters)


def test_a_count_must_be_a_whole_number():
    with pytest.raises(TypeError, match="n_samples=10.0 must be a whole number"):
        make_crossed_clusters(10.0)
