import numpy as np
import pytest

import centroidal
from centroidal import _parameters as checks
from tests.public_names import PUBLIC_ESTIMATORS

REQUIRED = {
    "ConformalClassifier": [centroidal.FisherSubspaceClassifier()],
    "CostSensitiveClassifier": [centroidal.FisherSubspaceClassifier()],
    "DecisionDAGClassifier": [centroidal.FisherSubspaceClassifier()],
    "StabilitySelector": [centroidal.L21CentroidSelector()],
}


def estimator_of(name):
    return getattr(centroidal, name)(*REQUIRED.get(name, ()))


# ------------------------------------------------------------------ the table


def checked_parameters():
    """Estimators that have parameters in the table, and these."""
    for name in PUBLIC_ESTIMATORS:
        model = estimator_of(name)
        table = checks.CHECKS | getattr(model, "_checks", {})
        if name != "StabilitySelector":  # whose threshold is a number
            yield from ((name, key) for key in model.get_params(deep=False) if key in table)


@pytest.mark.parametrize(
    "name", [name for name in PUBLIC_ESTIMATORS if name != "StabilitySelector"]
)
def test_defaults_of_every_estimator_pass(name):
    checks.check_parameters(estimator_of(name))


@pytest.mark.parametrize(("name", "parameter"), list(checked_parameters()))
def test_error_names_the_parameter_of_an_estimator_that_is_of_no_known_type(name, parameter):
    model = estimator_of(name).set_params(**{parameter: {"no": "such"}})
    with pytest.raises((TypeError, ValueError), match=f"{parameter}=.* must"):
        checks.check_parameters(model)
    with pytest.raises((TypeError, ValueError), match=f"{parameter}=.* must"):
        model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])


def test_check_of_an_estimator_goes_before_that_of_the_table():
    model = centroidal.MixtureFisherClassifier(threshold="prior")
    with pytest.raises(ValueError, match="threshold='prior' must be one of"):
        checks.check_parameters(model)


@pytest.mark.parametrize("value", ["scale", "auto", 0.5, 3, np.float32(2.0)])
def test_number_or_word_passes(value):
    assert checks.CHECKS["gamma"]("gamma", value) is None


@pytest.mark.parametrize(
    ("value", "error"),
    [("wide", ValueError), (None, TypeError), (True, TypeError), ([1], TypeError)],
)
def test_error_names_the_numbers_and_words_that_are_allowed(value, error):
    with pytest.raises(error, match=r"gamma=.* must be 'scale', 'auto' or a positive number"):
        checks.CHECKS["gamma"]("gamma", value)


# ------------------------------------------------------------------ single checks


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, 10), (1, 1), (10, 10), (np.int32(4), 4), (1.0, 10), (0.25, 2), (0.01, 1)],
)
def test_number_of_features_is_what_an_int_a_fraction_or_none_stands_for(value, expected):
    assert checks.check_n_features_to_select(value, 10) == expected


@pytest.mark.parametrize("value", [0, -3, 11])
def test_error_names_the_number_of_features_and_its_bounds(value):
    message = f"n_features_to_select={value} must lie between 1 and n_features=10"
    with pytest.raises(ValueError, match=message):
        checks.check_n_features_to_select(value, 10)


@pytest.mark.parametrize("value", [0.0, -0.1, 1.01, np.nan])
def test_error_names_the_fraction_and_its_bounds(value):
    with pytest.raises(ValueError, match=r"n_features_to_select=.*fraction.*above 0.*1\.0"):
        checks.check_n_features_to_select(value, 10)


@pytest.mark.parametrize("value", ["3", True, np.True_, [1], 1j])
def test_error_names_the_types_a_number_of_features_may_have(value):
    with pytest.raises(TypeError, match=r"n_features_to_select=.*int.*float.*None"):
        checks.check_n_features_to_select(value, 10)


@pytest.mark.parametrize("value", [None, "a"])
def test_choice_that_is_allowed_passes(value):
    assert checks.check_choice("name", value, (None, "a", "b")) is None


@pytest.mark.parametrize("value", ["c", 0, False, ["a"], np.array(["a", "b"])])
def test_error_names_the_parameter_its_value_and_the_choices(value):
    with pytest.raises(ValueError, match=r"name=.* must be one of None, 'a', 'b'"):
        checks.check_choice("name", value, (None, "a", "b"))


def test_uniform_priors_leave_out_classes_without_samples():
    priors = checks.check_priors("uniform", np.array([3.0, 0.0, 5.0]))
    assert priors.tolist() == [0.5, 0.0, 0.5]


def test_empirical_priors_are_shares():
    priors = checks.check_priors("empirical", np.array([3.0, 0.0, 5.0]))
    assert priors.tolist() == [0.375, 0.0, 0.625]


def test_given_priors_are_normalised():
    assert checks.check_priors((1, 3), np.array([7.0, 7.0])).tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    "priors", [[1.0], [1, 1, 1], [[1, 1]], [1, -1], [0, 1], [np.nan, 1], None, ["a", "b"], [1, [2]]]
)
def test_error_names_the_priors_and_what_they_may_be(priors):
    with pytest.raises(ValueError, match=r"priors=.*'uniform', 'empirical' or 2 positive numbers"):
        checks.check_priors(priors, np.array([7.0, 7.0]))


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_])
def test_flag_passes(value):
    assert checks.check_flag("name", value) is None


@pytest.mark.parametrize("value", [0, 1, None, "yes", [True], 1.0])
def test_error_names_the_flag_and_what_it_must_be(value):
    with pytest.raises(TypeError, match=r"name=.* must be True or False"):
        checks.check_flag("name", value)


@pytest.mark.parametrize("value", [1e-9, 1, 2.5, np.inf, np.float32(0.5), np.int64(3)])
def test_weight_may_be_any_positive_number_and_infinite(value):
    assert checks.CHECKS["baseline_weight"]("name", value) is None


@pytest.mark.parametrize("value", [0, 0.0, -0.5, -np.inf, np.nan])
def test_error_names_the_weight_that_is_not_positive(value):
    with pytest.raises(ValueError, match=f"name={value} must be positive; inf uses every feature"):
        checks.CHECKS["baseline_weight"]("name", value)


@pytest.mark.parametrize("value", ["1", None, True, np.True_, [0.5], 1j])
def test_error_names_the_types_a_weight_may_have(value):
    with pytest.raises(TypeError, match=r"name=.* must be a positive number, or inf"):
        checks.CHECKS["baseline_weight"]("name", value)


@pytest.mark.parametrize(
    "values", [[2, np.inf, 0.5, 2.0], (0.5, 2, np.inf), np.array([np.inf, 2.0, 0.5])]
)
def test_grid_of_weights_is_sorted_and_each_is_kept_once(values):
    grid = checks.check_weight_grid("name", values)
    assert grid.tolist() == [0.5, 2.0, np.inf]
    assert grid.dtype == np.float64


@pytest.mark.parametrize("values", [0.5, "auto", None])
def test_error_says_that_weights_are_an_array(values):
    with pytest.raises(TypeError, match=r"name=.* must be an array of positive numbers, or None"):
        checks.check_weight_grid("name", values)


@pytest.mark.parametrize("values", [[], (), np.zeros(0)])
def test_empty_grid_of_weights_is_refused(values):
    with pytest.raises(ValueError, match=r"name=\[\] must hold at least one number"):
        checks.check_weight_grid("name", values)


@pytest.mark.parametrize("value", [0.0, -1, np.nan])
def test_error_names_the_weight_of_a_grid_that_is_not_positive(value):
    with pytest.raises(ValueError, match=f"a value of name={value} must be positive"):
        checks.check_weight_grid("name", [0.5, value])


@pytest.mark.parametrize("value", ["1", None, True, [0.5]])
def test_error_names_the_weight_of_a_grid_that_is_no_number(value):
    with pytest.raises(TypeError, match="a value of name=.* must be a positive number"):
        checks.check_weight_grid("name", [0.5, value])


@pytest.mark.parametrize("values", [[2, 0.5, 2.0], (2, 0.5, 2), np.array([2.0, 0.5, 2.0])])
def test_penalties_become_an_array_in_the_order_given(values):
    alphas = checks.check_alphas(values)
    assert alphas.tolist() == [2.0, 0.5, 2.0]
    assert alphas.dtype == np.float64


@pytest.mark.parametrize("values", [0.5, "auto", None])
def test_error_says_that_penalties_are_an_array(values):
    with pytest.raises(TypeError, match=r"alphas=.* must be an array of positive numbers, or None"):
        checks.check_alphas(values)


@pytest.mark.parametrize("values", [[], (), np.zeros(0)])
def test_empty_array_of_penalties_is_refused(values):
    with pytest.raises(ValueError, match=r"alphas=\[\] must hold at least one number"):
        checks.check_alphas(values)


@pytest.mark.parametrize("value", [0.0, -1, np.nan, np.inf])
def test_error_names_the_penalty_that_is_not_positive_and_finite(value):
    with pytest.raises(ValueError, match=f"a value of alphas={value} must be positive and finite"):
        checks.check_alphas([0.5, value])


@pytest.mark.parametrize("value", ["1", None, True, [0.5]])
def test_error_names_the_penalty_that_is_no_number(value):
    with pytest.raises(TypeError, match="a value of alphas=.* must be a positive number"):
        checks.check_alphas([0.5, value])


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, 0), ("auto", 0), (0, 0), (10, 10), (np.int32(4), 4), (0.25, 2), (1.0, 10), (0.0, 0)],
)
def test_number_of_shared_features_is_what_a_number_or_none_stands_for(value, expected):
    shared = checks.check_shared_features(value, 10)
    assert shared == expected
    assert isinstance(shared, int)


@pytest.mark.parametrize(
    "value", [[4, 1], (1, 4, 4), np.array([1, 4], dtype=np.uint8), np.arange(5) % 3 == 1]
)
def test_shared_features_that_are_named_become_a_mask(value):
    mask = checks.check_shared_features(value, 5)
    assert mask.tolist() == [False, True, False, False, True]


@pytest.mark.parametrize("value", [-1, 11])
def test_error_names_the_number_of_shared_features_and_its_bounds(value):
    message = f"shared_features={value} must lie between 0 and n_features=10"
    with pytest.raises(ValueError, match=message):
        checks.check_shared_features(value, 10)


@pytest.mark.parametrize("value", [-0.1, 1.01, np.nan])
def test_error_names_the_fraction_of_shared_features_and_its_bounds(value):
    message = f"shared_features={value} must lie between 0 and 1.0, as a fraction"
    with pytest.raises(ValueError, match=message):
        checks.check_shared_features(value, 10)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([2, 10], "shared_features holds 2 ... 10; columns go from 0 to 9"),
        ([-1, 3], "shared_features holds -1 ... 3; columns go from 0 to 9"),
        ([True, False], "shared_features is a mask of 2 features; X has 10"),
    ],
)
def test_error_names_the_shared_features_that_do_not_exist(value, message):
    with pytest.raises(ValueError, match=message):
        checks.check_shared_features(value, 10)


@pytest.mark.parametrize(
    "value", ["all", True, np.True_, ["a"], [0.5], [[1, 2]], [[1], [1, 2]], 1j, {1: 2}, {1, 2}]
)
def test_error_names_the_types_shared_features_may_have(value):
    message = r"shared_features=.* must be 'auto', None, an int, a fraction .*, a mask or an array"
    with pytest.raises(TypeError, match=message):
        checks.check_shared_features(value, 10)
