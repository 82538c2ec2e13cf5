import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from centroidal import _validation as validation


class OnFeatures(BaseEstimator):
    """Something that was fitted on a number of features, perhaps with names."""

    def fit(self, n_features, names=None):
        self.n_features_in_ = n_features
        self.classes_ = np.array([0, 1])
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        return self


@pytest.fixture
def labelled(rng):
    return rng.normal(size=(6, 3)), np.array(["b", "a", "b", "c", "a", "b"])


# ------------------------------------------------------------------ labelled data


def test_labels_become_codes_in_the_order_of_the_classes(labelled):
    data = validation.check_labelled(BaseEstimator(), *labelled)
    assert data.classes.tolist() == ["a", "b", "c"]
    assert data.codes.tolist() == [1, 0, 1, 2, 0, 1]
    assert data.codes.dtype == np.int32


def test_given_classes_decide_the_codes(labelled):
    classes = np.array(["a", "aa", "b", "c"])
    data = validation.check_labelled(BaseEstimator(), *labelled, classes=classes)
    assert data.classes is classes
    assert data.codes.tolist() == [2, 0, 2, 3, 0, 2]


def test_labels_are_encoded_block_by_block(rng, monkeypatch):
    monkeypatch.setattr(validation, "_LABELS_PER_BLOCK", 4, raising=False)
    y = rng.integers(0, 5, size=23)
    data = validation.check_labelled(BaseEstimator(), np.ones((23, 1)), y)
    np.testing.assert_array_equal(data.classes[data.codes], y)


def test_without_weights_there_are_none(labelled):
    assert validation.check_labelled(BaseEstimator(), *labelled).weights is None


def test_weights_become_double_precision(labelled):
    data = validation.check_labelled(BaseEstimator(), *labelled, sample_weight=[1, 0, 2, 3, 1, 1])
    assert data.weights.dtype == np.float64


def test_data_that_are_fit_to_read_are_not_copied(labelled):
    for dtype in (np.float64, np.float32, np.int32, np.uint8):
        X = np.abs(labelled[0]).astype(dtype)
        data = validation.check_labelled(BaseEstimator(), X, labelled[1])
        assert np.shares_memory(data.X, X)


@pytest.mark.parametrize("dtype", ["bool", "float16", "object"])
def test_other_types_become_double_precision(labelled, dtype):
    X = (labelled[0] > 0).astype(dtype)
    assert validation.check_labelled(BaseEstimator(), X, labelled[1]).X.dtype == np.float64


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_data_keep_their_format(labelled, store):
    data = validation.check_labelled(BaseEstimator(), store(labelled[0]), labelled[1])
    assert data.X.format == store(labelled[0]).format


@pytest.mark.parametrize("store", [sparse.coo_array, sparse.lil_array, sparse.dok_matrix])
def test_other_sparse_formats_are_converted(labelled, store):
    data = validation.check_labelled(BaseEstimator(), store(labelled[0]), labelled[1])
    assert data.X.format == "csr"
    np.testing.assert_array_equal(data.X.toarray(), labelled[0])


def test_entries_stored_twice_are_added_in_a_copy():
    X = sparse.csr_array((np.array([1.0, 2.0, 4.0]), np.array([0, 0, 1]), np.array([0, 2, 3])))
    data = validation.check_labelled(BaseEstimator(), X, [0, 1])
    assert data.X.toarray().tolist() == [[3.0, 0.0], [0.0, 4.0]]
    assert data.X.nnz == 2
    assert X.nnz == 3


def test_only_some_rows_count_once_the_others_have_a_negative_code(labelled):
    data = validation.check_labelled(BaseEstimator(), *labelled)
    part = data.only([0, 3])
    assert part.codes.tolist() == [1, -1, -1, 2, -1, -1]
    assert part.X is data.X
    assert data.codes.tolist() == [1, 0, 1, 2, 0, 1]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_values_are_refused(labelled, value):
    X = labelled[0].copy()
    X[1, 1] = value
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        validation.check_labelled(BaseEstimator(), X, labelled[1])


def test_missing_values_can_be_left_for_later(labelled):
    X = labelled[0] * np.nan
    data = validation.check_labelled(BaseEstimator(), X, labelled[1], finite=False)
    assert np.isnan(data.X).all()


def test_label_that_is_not_among_the_classes_is_named(labelled):
    with pytest.raises(ValueError, match=r"y holds .*'c'.*not among classes=\['a', 'b'\]"):
        validation.check_labelled(BaseEstimator(), *labelled, classes=np.array(["a", "b"]))


def test_single_class_is_refused_by_name(labelled):
    with pytest.raises(ValueError, match=r"y holds one class, .*'z'.* BaseEstimator needs"):
        validation.check_labelled(BaseEstimator(), labelled[0], ["z"] * 6)


def test_text_is_refused_as_not_being_numbers(labelled):
    with pytest.raises(ValueError, match="X must hold numbers"):
        validation.check_labelled(BaseEstimator(), [["a"], ["b"]], [0, 1])


def test_negative_weight_is_refused_by_value(labelled):
    with pytest.raises(ValueError, match=r"sample_weight=-0\.5 must not be negative"):
        validation.check_labelled(BaseEstimator(), *labelled, sample_weight=[1, 1, -0.5, 1, 1, 1])


def test_weights_that_are_all_zero_are_refused(labelled):
    with pytest.raises(ValueError, match=r"(?i)sample.weight.*zero"):
        validation.check_labelled(BaseEstimator(), *labelled, sample_weight=np.zeros(6))


# ------------------------------------------------------------------ summaries that are not finite


def test_finite_summary_passes_whatever_the_data():
    assert validation.check_finite_summary(None, [[np.nan]], np.zeros(3), np.ones(2)) is None


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_summary_that_is_not_finite_blames_the_value_in_the_data(value):
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        validation.check_finite_summary(BaseEstimator(), np.array([[value]]), np.array([np.nan]))


def test_summary_of_finite_data_that_is_not_finite_blames_their_size():
    with pytest.raises(ValueError, match="X holds values whose squares are too large for float64"):
        validation.check_finite_summary(BaseEstimator(), np.array([[1e200]]), np.array([np.inf]))


# ------------------------------------------------------------------ rows to predict


def test_rows_of_an_array_keep_their_columns():
    X, columns = validation.check_rows(OnFeatures().fit(3), np.eye(3), np.array([0, 2]))
    np.testing.assert_array_equal(X, np.eye(3))
    assert columns.tolist() == [0, 2]


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
def test_of_a_frame_only_the_wanted_columns_are_read(table):
    frame = table({"a": [1.0, 2.0], "b": ["text", "text"], "c": [5.0, 6.0]})
    X, columns = validation.check_rows(OnFeatures().fit(3, list("abc")), frame, np.array([0, 2]))
    assert X.tolist() == [[1.0, 5.0], [2.0, 6.0]]
    assert columns.tolist() == [0, 1]


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
def test_frame_with_other_names_is_refused(table):
    frame = table({"a": [1.0], "b": [2.0], "z": [5.0]})
    with pytest.raises(ValueError, match="feature names"):
        validation.check_rows(OnFeatures().fit(3, list("abc")), frame, np.array([0]))


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_other_number_of_columns_is_refused(wrap):
    with pytest.raises(ValueError, match="X has 4 features, but OnFeatures is expecting 3"):
        validation.check_rows(OnFeatures().fit(3), wrap(np.eye(4)), np.array([0]))


def test_frame_without_rows_is_refused():
    with pytest.raises(ValueError, match="0 sample"):
        validation.check_rows(OnFeatures().fit(3), pd.DataFrame(np.ones((0, 3))), np.array([0]))


# ------------------------------------------------------------------ parameters


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, 10), (1, 1), (10, 10), (np.int32(4), 4), (1.0, 10), (0.25, 2), (0.01, 1)],
)
def test_number_of_features_is_what_an_int_a_fraction_or_none_stands_for(value, expected):
    assert validation.check_n_features_to_select(value, 10) == expected


@pytest.mark.parametrize("value", [0, -3, 11])
def test_error_names_the_number_of_features_and_its_bounds(value):
    message = f"n_features_to_select={value} must lie between 1 and n_features=10"
    with pytest.raises(ValueError, match=message):
        validation.check_n_features_to_select(value, 10)


@pytest.mark.parametrize("value", [0.0, -0.1, 1.01, np.nan])
def test_error_names_the_fraction_and_its_bounds(value):
    with pytest.raises(ValueError, match=r"n_features_to_select=.*fraction.*above 0.*1\.0"):
        validation.check_n_features_to_select(value, 10)


@pytest.mark.parametrize("value", ["3", True, np.True_, [1], 1j])
def test_error_names_the_types_a_number_of_features_may_have(value):
    with pytest.raises(TypeError, match=r"n_features_to_select=.*int.*float.*None"):
        validation.check_n_features_to_select(value, 10)


@pytest.mark.parametrize("value", [None, "a"])
def test_choice_that_is_allowed_passes(value):
    assert validation.check_choice("name", value, (None, "a", "b")) is None


@pytest.mark.parametrize("value", ["c", 0, False, ["a"], np.array(["a", "b"])])
def test_error_names_the_parameter_its_value_and_the_choices(value):
    with pytest.raises(ValueError, match=r"name=.* must be one of None, 'a', 'b'"):
        validation.check_choice("name", value, (None, "a", "b"))


def test_uniform_priors_leave_out_classes_without_samples():
    priors = validation.check_priors("uniform", np.array([3.0, 0.0, 5.0]))
    assert priors.tolist() == [0.5, 0.0, 0.5]


def test_empirical_priors_are_shares():
    priors = validation.check_priors("empirical", np.array([3.0, 0.0, 5.0]))
    assert priors.tolist() == [0.375, 0.0, 0.625]


def test_given_priors_are_normalised():
    assert validation.check_priors((1, 3), np.array([7.0, 7.0])).tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    "priors", [[1.0], [1, 1, 1], [[1, 1]], [1, -1], [0, 1], [np.nan, 1], None, ["a", "b"], [1, [2]]]
)
def test_error_names_the_priors_and_what_they_may_be(priors):
    with pytest.raises(ValueError, match=r"priors=.*'uniform', 'empirical' or 2 positive numbers"):
        validation.check_priors(priors, np.array([7.0, 7.0]))


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_])
def test_flag_passes(value):
    assert validation.check_flag("name", value) is None


@pytest.mark.parametrize("value", [0, 1, None, "yes", [True], 1.0])
def test_error_names_the_flag_and_what_it_must_be(value):
    with pytest.raises(TypeError, match=r"name=.* must be True or False"):
        validation.check_flag("name", value)


@pytest.mark.parametrize("value", [1e-9, 1, 2.5, np.inf, np.float32(0.5), np.int64(3)])
def test_weight_may_be_any_positive_number_and_infinite(value):
    assert validation.check_weight("name", value) is None


@pytest.mark.parametrize("value", [0, 0.0, -0.5, -np.inf, np.nan])
def test_error_names_the_weight_that_is_not_positive(value):
    with pytest.raises(ValueError, match=f"name={value} must be positive; inf uses every feature"):
        validation.check_weight("name", value)


@pytest.mark.parametrize("value", ["1", None, True, np.True_, [0.5], 1j])
def test_error_names_the_types_a_weight_may_have(value):
    with pytest.raises(TypeError, match=r"name=.* must be a positive number, or inf"):
        validation.check_weight("name", value)


@pytest.mark.parametrize(
    "values", [[2, np.inf, 0.5, 2.0], (0.5, 2, np.inf), np.array([np.inf, 2.0, 0.5])]
)
def test_grid_of_weights_is_sorted_and_each_is_kept_once(values):
    grid = validation.check_weight_grid("name", values)
    assert grid.tolist() == [0.5, 2.0, np.inf]
    assert grid.dtype == np.float64


@pytest.mark.parametrize("values", [0.5, "auto", None])
def test_error_says_that_weights_are_an_array(values):
    with pytest.raises(TypeError, match=r"name=.* must be an array of positive numbers, or None"):
        validation.check_weight_grid("name", values)


@pytest.mark.parametrize("values", [[], (), np.zeros(0)])
def test_empty_grid_of_weights_is_refused(values):
    with pytest.raises(ValueError, match=r"name=\[\] must hold at least one number"):
        validation.check_weight_grid("name", values)


@pytest.mark.parametrize("value", [0.0, -1, np.nan])
def test_error_names_the_weight_of_a_grid_that_is_not_positive(value):
    with pytest.raises(ValueError, match=f"a value of name={value} must be positive"):
        validation.check_weight_grid("name", [0.5, value])


@pytest.mark.parametrize("value", ["1", None, True, [0.5]])
def test_error_names_the_weight_of_a_grid_that_is_no_number(value):
    with pytest.raises(TypeError, match="a value of name=.* must be a positive number"):
        validation.check_weight_grid("name", [0.5, value])


@pytest.mark.parametrize("values", [[2, 0.5, 2.0], (2, 0.5, 2), np.array([2.0, 0.5, 2.0])])
def test_penalties_become_an_array_in_the_order_given(values):
    alphas = validation.check_alphas(values)
    assert alphas.tolist() == [2.0, 0.5, 2.0]
    assert alphas.dtype == np.float64


@pytest.mark.parametrize("values", [0.5, "auto", None])
def test_error_says_that_penalties_are_an_array(values):
    with pytest.raises(TypeError, match=r"alphas=.* must be an array of positive numbers, or None"):
        validation.check_alphas(values)


@pytest.mark.parametrize("values", [[], (), np.zeros(0)])
def test_empty_array_of_penalties_is_refused(values):
    with pytest.raises(ValueError, match=r"alphas=\[\] must hold at least one number"):
        validation.check_alphas(values)


@pytest.mark.parametrize("value", [0.0, -1, np.nan, np.inf])
def test_error_names_the_penalty_that_is_not_positive_and_finite(value):
    with pytest.raises(ValueError, match=f"a value of alphas={value} must be positive and finite"):
        validation.check_alphas([0.5, value])


@pytest.mark.parametrize("value", ["1", None, True, [0.5]])
def test_error_names_the_penalty_that_is_no_number(value):
    with pytest.raises(TypeError, match="a value of alphas=.* must be a positive number"):
        validation.check_alphas([0.5, value])


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, 0), ("auto", 0), (0, 0), (10, 10), (np.int32(4), 4), (0.25, 2), (1.0, 10), (0.0, 0)],
)
def test_number_of_shared_features_is_what_a_number_or_none_stands_for(value, expected):
    shared = validation.check_shared_features(value, 10)
    assert shared == expected
    assert isinstance(shared, int)


@pytest.mark.parametrize(
    "value", [[4, 1], (1, 4, 4), np.array([1, 4], dtype=np.uint8), np.arange(5) % 3 == 1]
)
def test_shared_features_that_are_named_become_a_mask(value):
    mask = validation.check_shared_features(value, 5)
    assert mask.tolist() == [False, True, False, False, True]


@pytest.mark.parametrize("value", [-1, 11])
def test_error_names_the_number_of_shared_features_and_its_bounds(value):
    message = f"shared_features={value} must lie between 0 and n_features=10"
    with pytest.raises(ValueError, match=message):
        validation.check_shared_features(value, 10)


@pytest.mark.parametrize("value", [-0.1, 1.01, np.nan])
def test_error_names_the_fraction_of_shared_features_and_its_bounds(value):
    message = f"shared_features={value} must lie between 0 and 1.0, as a fraction"
    with pytest.raises(ValueError, match=message):
        validation.check_shared_features(value, 10)


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
        validation.check_shared_features(value, 10)


@pytest.mark.parametrize(
    "value", ["all", True, np.True_, ["a"], [0.5], [[1, 2]], [[1], [1, 2]], 1j, {1: 2}, {1, 2}]
)
def test_error_names_the_types_shared_features_may_have(value):
    message = r"shared_features=.* must be 'auto', None, an int, a fraction .*, a mask or an array"
    with pytest.raises(TypeError, match=message):
        validation.check_shared_features(value, 10)


# ------------------------------------------------------------------ chunks and parts


def test_classes_of_the_first_chunk_are_sorted_and_each_is_kept_once():
    classes = validation.check_next_classes(BaseEstimator(), ["b", "a", "b"], is_first=True)
    assert classes.tolist() == ["a", "b"]


def test_later_chunks_go_by_the_classes_of_the_first():
    assert validation.check_next_classes(OnFeatures().fit(3), None, is_first=False).tolist() == [
        0,
        1,
    ]
    assert validation.check_next_classes(OnFeatures().fit(3), [1, 0], is_first=False).tolist() == [
        0,
        1,
    ]


@pytest.mark.parametrize(
    ("classes", "is_first", "message"),
    [
        (None, True, "classes must be given in the first call of partial_fit"),
        ([1, 1], True, r"classes=\[1\] must hold at least 2 classes"),
        ([0, 1, 2], False, r"classes=\[0, 1, 2\] must be those of the first call, \[0, 1\]"),
    ],
)
def test_error_names_the_classes_and_what_they_must_be(classes, is_first, message):
    with pytest.raises(ValueError, match=message):
        validation.check_next_classes(OnFeatures().fit(3), classes, is_first)


def test_models_of_the_same_features_go_together():
    assert validation.check_same_features(OnFeatures().fit(3), OnFeatures().fit(3)) is None


def test_names_are_compared_only_where_both_have_them():
    assert (
        validation.check_same_features(OnFeatures().fit(3, list("abc")), OnFeatures().fit(3))
        is None
    )


def test_error_names_the_type_the_other_model_must_have():
    with pytest.raises(TypeError, match="other=BaseEstimator must be a fitted OnFeatures"):
        validation.check_same_features(OnFeatures().fit(3), BaseEstimator())


def test_error_names_both_numbers_of_features():
    with pytest.raises(ValueError, match="other was fitted on 4 features, this estimator on 3"):
        validation.check_same_features(OnFeatures().fit(3), OnFeatures().fit(4))


def test_error_tells_of_other_names():
    with pytest.raises(ValueError, match="features of other names, or in another order"):
        validation.check_same_features(
            OnFeatures().fit(3, list("abc")), OnFeatures().fit(3, list("acb"))
        )


def test_model_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError, match="OnFeatures instance is not fitted"):
        validation.check_fitted(OnFeatures())
