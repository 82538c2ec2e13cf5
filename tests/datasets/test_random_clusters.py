import inspect

import numpy as np
import pytest

from centroidal.datasets import make_random_clusters


@pytest.fixture(scope="module")
def large():
    return make_random_clusters(((4000,), (4000,)), 4, random_state=0)


def test_every_part_has_the_asked_size():
    made = make_random_clusters(((4, 6), (5,), (3,)), 7, random_state=0)
    assert made.data.shape == (18, 7)
    assert made.target.shape == (18,)
    assert made.clusters.shape == (18,)
    assert made.means.shape == (4, 7)
    assert made.variances.shape == (4, 7)
    assert made.directions.shape == (4, 7, 7)


def test_defaults_are_those_of_the_first_data_set_of_the_thesis():
    parameters = inspect.signature(make_random_clusters).parameters
    assert parameters["n_per_cluster"].default == ((500,) * 4,) * 2
    assert parameters["n_features"].default == 500


def test_clusters_have_the_asked_sizes():
    made = make_random_clusters(((4, 6), (5,), (3,)), 2, random_state=0)
    assert np.bincount(made.clusters).tolist() == [4, 6, 5, 3]


def test_classes_are_made_of_their_clusters():
    made = make_random_clusters(((4, 6), (5,), (3,)), 2, random_state=0)
    assert made.cluster_classes.tolist() == [0, 0, 1, 2]
    np.testing.assert_array_equal(made.target, made.cluster_classes[made.clusters])


def test_sizes_may_be_an_array():
    made = make_random_clusters(np.array([[2, 3], [4, 5]]), 2, random_state=0)
    assert np.bincount(made.clusters).tolist() == [2, 3, 4, 5]


def test_clusters_are_shuffled():
    clusters = make_random_clusters(((20,), (20,)), 2, random_state=0).clusters
    assert np.any(np.diff(clusters) < 0)


def test_means_and_variances_are_drawn_between_zero_and_one():
    made = make_random_clusters(((1,) * 20, (1,) * 20), 50, random_state=0)
    for drawn in (made.means, made.variances):
        assert 0 < drawn.min() < 0.01
        assert 0.99 < drawn.max() < 1


def test_distance_of_means_is_what_the_notes_promise():
    means = make_random_clusters(((1,) * 20, (1,) * 20), 60, mean_scale=0.5, random_state=0).means
    squares = ((means[:20] - means[20:]) ** 2).sum(axis=1)
    assert squares.mean() == pytest.approx(0.5**2 * 60 / 6, rel=0.1)


def test_mean_scale_moves_the_samples_and_changes_nothing_else():
    near = make_random_clusters(((5,), (5,)), 3, mean_scale=0.1, random_state=0)
    far = make_random_clusters(((5,), (5,)), 3, random_state=0)
    np.testing.assert_allclose(near.means, 0.1 * far.means)
    np.testing.assert_allclose(near.data + 0.9 * far.means[far.clusters], far.data)


def test_directions_of_a_cluster_are_orthonormal():
    for rows in make_random_clusters(((1, 1), (1,)), 6, random_state=0).directions:
        np.testing.assert_allclose(rows @ rows.T, np.eye(6), atol=1e-12)


@pytest.mark.parametrize("cluster", [0, 1])
def test_mean_of_a_cluster_is_the_promised_one(large, cluster):
    samples = large.data[large.clusters == cluster]
    np.testing.assert_allclose(samples.mean(axis=0), large.means[cluster], atol=0.06)


@pytest.mark.parametrize("cluster", [0, 1])
def test_covariance_of_a_cluster_is_the_promised_one(large, cluster):
    samples = large.data[large.clusters == cluster]
    rows = large.directions[cluster]
    promised = rows.T * large.variances[cluster] @ rows
    np.testing.assert_allclose(np.cov(samples.T), promised, atol=0.06)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(np.cov(samples.T)), np.sort(large.variances[cluster]), atol=0.06
    )


def test_the_same_seed_gives_the_same_data():
    first = make_random_clusters(((5,), (5,)), 3, random_state=3)
    second = make_random_clusters(((5,), (5,)), 3, random_state=3)
    for part in first:
        np.testing.assert_array_equal(first[part], second[part])


def test_another_seed_gives_other_data():
    first, second = (make_random_clusters(((5,), (5,)), 3, random_state=seed) for seed in (0, 1))
    assert not np.array_equal(first.data, second.data)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_features": 0}, "n_features=0 must be finite and at least 1"),
        ({"mean_scale": -1}, "mean_scale=-1 must be finite and at least 0"),
        (
            {"n_per_cluster": ((5, 0), (5,))},
            r"n_per_cluster\[0\]\[1\]=0 must be finite and at least 1",
        ),
    ],
)
def test_error_names_the_parameter_and_its_bounds(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_random_clusters(**parameters)


@pytest.mark.parametrize("n_per_cluster", [500, (500, 500), ((500,),), ((500,), ()), ()])
def test_sizes_that_do_not_make_two_classes_are_refused(n_per_cluster):
    with pytest.raises(ValueError, match="n_per_cluster=.* must hold at least two classes"):
        make_random_clusters(n_per_cluster)


def test_a_cluster_size_must_be_a_whole_number():
    with pytest.raises(TypeError, match=r"n_per_cluster\[1\]\[0\]=2.5 must be a whole number"):
        make_random_clusters(((5,), (2.5,)))
