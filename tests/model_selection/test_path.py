import numpy as np

from centroidal.model_selection.path import choose, log_spaced, path_table


def test_grid_holds_both_ends_and_no_number_twice():
    grid = log_spaced(1000, 50)
    assert grid[0] == 1
    assert grid[-1] == 1000
    assert (np.diff(grid) > 0).all()


def test_table_has_the_standard_error_of_the_mean():
    scores = np.array([[0.5, 0.6], [0.7, 0.6], [0.9, 0.6]])
    table = path_table({"n_components": np.array([1, 2])}, scores)
    np.testing.assert_allclose(table["mean_test_score"], [0.7, 0.6])
    np.testing.assert_allclose(table["se_test_score"], [0.2 / np.sqrt(3), 0.0])
    np.testing.assert_array_equal(table["split2_test_score"], scores[2])


def test_one_fold_has_no_spread():
    assert path_table({}, np.array([[0.5]]))["se_test_score"] == 0.0


def table(mean, error):
    return {"mean_test_score": np.array(mean), "se_test_score": np.array(error)}


def test_best_is_the_fewest_features_of_the_highest_score():
    assert choose(table([0.5, 0.9, 0.8, 0.9], [0.1] * 4), "best") == 1


def test_best_does_not_follow_rounding():
    assert choose(table([0.9, 0.9 + 1e-16, 0.8], [0.1] * 3), "best") == 0


def test_one_se_is_the_fewest_features_within_the_error_of_the_best():
    assert choose(table([0.5, 0.85, 0.9, 0.8], [0.0, 0.0, 0.06, 0.0]), "one_se") == 1
    assert choose(table([0.5, 0.83, 0.9, 0.8], [0.9, 0.9, 0.06, 0.9]), "one_se") == 2
