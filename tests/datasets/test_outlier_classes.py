import numpy as np
import pytest

from centroidal.datasets import make_outlier_classes


def accuracy_of_sparse_means(outlier_probability, seed, n_selected=20):
    X, y, centers = make_outlier_classes(outlier_probability=outlier_probability, random_state=seed)
    X_test, y_test, _ = make_outlier_classes(
        1000, outlier_probability=outlier_probability, centers=centers, random_state=seed + 100
    )
    means = np.array([X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)])
    selected = np.argsort(-np.abs(means[1] - means[0]))[:n_selected]
    distances = [((X_test - mean)[:, selected] ** 2).sum(axis=1) for mean in means]
    return np.mean(np.argmin(distances, axis=0) == y_test)


def test_every_part_has_the_asked_size():
    X, y, centers = make_outlier_classes(30, 7, random_state=0)
    assert X.shape == (30, 7)
    assert y.shape == (30,)
    assert centers.shape == (2, 7)


def test_classes_are_balanced():
    _, y, _ = make_outlier_classes(31, 2, random_state=0)
    assert np.bincount(y).tolist() == [16, 15]


def test_means_are_drawn_between_zero_and_one():
    _, _, centers = make_outlier_classes(random_state=0)
    assert 0 <= centers.min() < 0.01
    assert 0.99 < centers.max() <= 1


def test_without_spread_every_sample_is_the_mean_of_its_class():
    X, y, centers = make_outlier_classes(20, 5, spread=0, random_state=0)
    np.testing.assert_array_equal(X, centers[y])


def test_spread_is_the_variance_within_a_class():
    X, y, centers = make_outlier_classes(500, 200, spread=4.0, random_state=0)
    assert np.var(X - centers[y]) == pytest.approx(4.0, rel=0.02)


def test_when_all_are_outliers_values_fill_the_range_up_to_the_bound():
    X, _, _ = make_outlier_classes(outlier_probability=1, outlier_bound=3, random_state=0)
    assert 0 <= X.min() < 0.01
    assert 2.99 < X.max() <= 3


def test_whole_samples_are_outliers():
    X, y, centers = make_outlier_classes(300, 10, outlier_probability=0.4, spread=0, random_state=0)
    n_kept = (centers[y] == X).sum(axis=1)
    assert set(n_kept) == {0, 10}


def test_share_of_outliers_is_their_probability():
    X, y, centers = make_outlier_classes(4000, 2, outlier_probability=0.3, spread=0, random_state=0)
    assert np.mean(X[:, 0] != centers[y, 0]) == pytest.approx(0.3, abs=0.03)


def test_more_outliers_replace_samples_and_leave_the_others():
    X_few, _, _ = make_outlier_classes(50, 5, outlier_probability=0.2, random_state=0)
    X_more, _, _ = make_outlier_classes(50, 5, outlier_probability=0.5, random_state=0)
    X_none, _, _ = make_outlier_classes(50, 5, random_state=0)
    is_kept = (X_more == X_none).all(axis=1)
    np.testing.assert_array_equal(X_few[is_kept], X_none[is_kept])


def test_a_test_set_shares_the_means_it_is_given():
    _, _, centers = make_outlier_classes(20, 5, random_state=0)
    X, y, shared = make_outlier_classes(20, 5, spread=0, centers=centers, random_state=1)
    np.testing.assert_array_equal(shared, centers)
    np.testing.assert_array_equal(X, centers[y])


def test_the_same_seed_gives_the_same_data():
    first = make_outlier_classes(20, 5, outlier_probability=0.5, random_state=3)
    second = make_outlier_classes(20, 5, outlier_probability=0.5, random_state=3)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def test_sparse_means_are_accurate_without_outliers_and_lose_with_them():
    clean = np.mean([accuracy_of_sparse_means(0.0, seed) for seed in range(4)])
    polluted = np.mean([accuracy_of_sparse_means(0.3, seed) for seed in range(4)])
    assert clean > 0.93
    assert polluted < 0.75


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_samples": 1}, "n_samples=1 must be finite and at least 2"),
        ({"n_features": 0}, "n_features=0 must be finite and at least 1"),
        ({"outlier_probability": -0.1}, "outlier_probability=-0.1 must lie between 0 and 1"),
        ({"spread": -1}, "spread=-1 must be finite and at least 0"),
        ({"outlier_bound": -1}, "outlier_bound=-1 must be finite and at least 0"),
        (
            {"n_features": 3, "centers": np.zeros((2, 4))},
            r"centers of shape \(2, 4\) must have shape \(2, n_features=3\)",
        ),
    ],
)
def test_error_names_the_parameter_and_its_bounds(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_outlier_classes(**parameters)
