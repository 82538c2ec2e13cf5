import numpy as np
import pytest

from centroidal.model_selection.metrics import corrected_error
from centroidal.model_selection.nested import (
    check_feature_grid,
    choose_model,
    choose_model_of,
    log_spaced,
    score_table,
)


def test_grid_holds_both_ends_and_no_number_twice():
    grid = log_spaced(1000, 50)
    assert grid[0] == 1
    assert grid[-1] == 1000
    assert (np.diff(grid) > 0).all()


def test_table_has_the_standard_error_of_the_mean_of_folds_that_overlap():
    scores = np.array([[0.5, 0.6], [0.7, 0.6], [0.9, 0.6]])
    table = score_table({"n_components": np.array([1, 2])}, scores, ratio=0.5)
    np.testing.assert_allclose(table["mean_test_score"], [0.7, 0.6])
    np.testing.assert_allclose(table["std_test_score"], [0.2, 0.0], atol=1e-15)
    np.testing.assert_allclose(
        table["se_test_score"], [0.2 * np.sqrt(1 / 3 + 0.5), 0.0], atol=1e-15
    )
    np.testing.assert_array_equal(table["split2_test_score"], scores[2])


def test_error_of_one_fold_is_not_known_and_the_best_is_chosen():
    scores = np.array([[0.5, 0.7, 0.6]])
    found = score_table({}, scores, ratio=0.25)
    assert np.isnan(found["se_test_score"]).all()
    assert found["std_test_score"].tolist() == [0.0, 0.0, 0.0]
    assert choose_model(scores, "one_se") == choose_model(scores, "best") == 1


def folds_of(mean, error):
    """Scores of two folds with such means, and such standard errors of these."""
    return np.array([np.subtract(mean, error), np.add(mean, error)])


def test_best_is_the_fewest_features_of_the_highest_score():
    assert choose_model(folds_of([0.5, 0.9, 0.8, 0.9], [0.1] * 4), "best") == 1


def test_best_does_not_follow_rounding():
    assert choose_model(folds_of([0.9, 0.9 + 1e-16, 0.8], [0.1] * 3), "best") == 0


def test_one_se_is_the_fewest_features_within_the_error_of_the_best():
    assert choose_model(folds_of([0.5, 0.85, 0.9, 0.8], [0.0, 0.0, 0.06, 0.0]), "one_se") == 1
    assert choose_model(folds_of([0.5, 0.83, 0.9, 0.8], [0.9, 0.9, 0.06, 0.9]), "one_se") == 2


def choose_of_two(first, second, rule="best"):
    """Choose among two classifiers of three sizes; scores of each are a row a fold."""
    scores = np.stack([first, second], axis=2).reshape(len(first), -1)
    return choose_model_of(2, scores, rule, ratio=0.25)


def test_the_first_classifier_stays_unless_another_is_ahead_by_more_than_the_error():
    first = np.array([[0.5, 0.7, 0.6], [0.6, 0.8, 0.7], [0.4, 0.6, 0.5]])
    lucky = first + np.array([[0.2], [-0.1], [0.0]])
    assert choose_of_two(first, lucky) == 2  # the first one, with the second size
    assert choose_of_two(first, first + 0.01) == 3
    assert choose_of_two(first, first) == 2


def test_the_size_is_chosen_by_the_scores_of_the_classifier_alone():
    first = np.array([[0.5, 0.9, 0.4], [0.5, 0.9, 0.4]])
    second = np.array([[0.7, 0.7, 0.8], [0.7, 0.7, 0.8]])
    assert choose_of_two(first, second) == 5


def test_a_size_within_the_error_is_that_of_the_classifier():
    first = np.array([[0.3, 0.5, 0.51], [0.3, 0.6, 0.6], [0.3, 0.5, 0.52]])
    second = first + 0.2 + np.array([[0.1], [0.0], [-0.1]])
    assert choose_of_two(first, second, "best") == 5
    assert choose_of_two(first, second, "one_se") == 3


def test_corrected_error_is_that_of_one_test_part_more():
    values = [0.5, 0.7, 0.9, 0.7]
    usual = np.std(values, ddof=1) / np.sqrt(4)
    assert corrected_error(values, 0.0) == pytest.approx(usual)
    assert corrected_error(values, 0.25) == pytest.approx(usual * np.sqrt(2))
    assert np.isnan(corrected_error([0.5], 0.25))


def test_grid_of_features_is_given_or_spaced():
    assert check_feature_grid([5, 2, 5, 0.5], 8, 15).tolist() == [2, 4, 5]
    assert check_feature_grid(None, 1000, 15).tolist() == log_spaced(1000, 15).tolist()
    assert check_feature_grid(3, 100, 15).tolist() == [1, 10, 100]


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (1, ValueError, "n_features_grid=1 must be at least 2"),
        ("all", TypeError, "n_features_grid='all' must be an int, an array"),
        (2.5, TypeError, "n_features_grid=2.5 must be"),
        ([], ValueError, r"n_features_grid=\[\] must hold"),
        ([9], ValueError, "=9 must lie between 1 and n_features=8"),
    ],
    ids=str,
)
def test_grid_of_features_names_what_is_wrong(value, error, message):
    with pytest.raises(error, match=message):
        check_feature_grid(value, 8, 15)
