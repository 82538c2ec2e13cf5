import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from centroidal import _data as checks


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


def test_labels_become_codes_in_the_order_of_the_classes(labelled):
    data = checks.check_labelled(BaseEstimator(), *labelled)
    assert data.classes.tolist() == ["a", "b", "c"]
    assert data.codes.tolist() == [1, 0, 1, 2, 0, 1]
    assert data.codes.dtype == np.int32


def test_given_classes_decide_the_codes(labelled):
    classes = np.array(["a", "aa", "b", "c"])
    data = checks.check_labelled(BaseEstimator(), *labelled, classes=classes)
    assert data.classes is classes
    assert data.codes.tolist() == [2, 0, 2, 3, 0, 2]


def test_labels_are_encoded_block_by_block(rng, monkeypatch):
    monkeypatch.setattr(checks, "_LABELS_PER_BLOCK", 4, raising=False)
    y = rng.integers(0, 5, size=23)
    data = checks.check_labelled(BaseEstimator(), np.ones((23, 1)), y)
    np.testing.assert_array_equal(data.classes[data.codes], y)


@pytest.mark.parametrize(
    ("labels", "classes", "expected"),
    [
        (["b", "x", "a"], ["a", "b"], [1, -1, 0]),
        (np.array(["b", "a"], dtype=object), ["a", "b"], [1, 0]),
        (["1", "2"], [1, 2], [-1, -1]),
        ([1, 2], ["1", "2"], [-1, -1]),
        ([2.0, 1.5], [1, 2], [1, -1]),
        ([True, False], [0, 1], [1, 0]),
    ],
)
def test_code_is_the_place_of_a_label_and_negative_if_it_is_none_of_the_classes(
    labels, classes, expected
):
    codes = checks.label_codes(np.asarray(labels), np.asarray(classes))
    assert codes.tolist() == expected
    assert codes.dtype == np.int32


def test_error_names_the_first_label_that_is_no_class():
    with pytest.raises(ValueError, match=r"y holds .*'x'.* not among classes=\['a', 'b'\]"):
        checks.encode_labels(np.array(["a", "x", "b", "y"]), np.array(["a", "b"]))


def test_without_weights_there_are_none(labelled):
    assert checks.check_labelled(BaseEstimator(), *labelled).weights is None


def test_weights_become_double_precision(labelled):
    data = checks.check_labelled(BaseEstimator(), *labelled, sample_weight=[1, 0, 2, 3, 1, 1])
    assert data.weights.dtype == np.float64


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_copies_of_a_sample_are_one_of_their_weight_and_other_labels_no_copies(store):
    X = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.0], [1.0, 0.0], [0.0, 2.0], [5.0, 5.0]])
    y, weights = np.array([0, 1, 0, 1, 1, 0]), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 0.0])
    for order in ([0, 1, 2, 3, 4, 5], [4, 3, 5, 2, 1, 0]):
        data = checks.check_labelled(BaseEstimator(), store(X[order]), y[order], weights[order])
        once = data.merge_copies()
        rows = once.X.toarray() if sparse.issparse(once.X) else once.X
        found = sorted(zip(rows.tolist(), once.codes, once.weights, strict=True))
        assert found == [([0.0, 2.0], 1, 7.0), ([1.0, 0.0], 0, 4.0), ([1.0, 0.0], 1, 4.0)]


def test_data_that_are_fit_to_read_are_not_copied(labelled):
    for dtype in (np.float64, np.float32, np.int32, np.uint8):
        X = np.abs(labelled[0]).astype(dtype)
        data = checks.check_labelled(BaseEstimator(), X, labelled[1])
        assert np.shares_memory(data.X, X)


@pytest.mark.parametrize("dtype", ["bool", "float16", "object"])
def test_other_types_become_double_precision(labelled, dtype):
    X = (labelled[0] > 0).astype(dtype)
    assert checks.check_labelled(BaseEstimator(), X, labelled[1]).X.dtype == np.float64


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_data_keep_their_format(labelled, store):
    data = checks.check_labelled(BaseEstimator(), store(labelled[0]), labelled[1])
    assert data.X.format == store(labelled[0]).format


@pytest.mark.parametrize("store", [sparse.coo_array, sparse.lil_array, sparse.dok_matrix])
def test_other_sparse_formats_are_converted(labelled, store):
    data = checks.check_labelled(BaseEstimator(), store(labelled[0]), labelled[1])
    assert data.X.format == "csr"
    np.testing.assert_array_equal(data.X.toarray(), labelled[0])


def test_entries_stored_twice_are_added_in_a_copy():
    X = sparse.csr_array((np.array([1.0, 2.0, 4.0]), np.array([0, 0, 1]), np.array([0, 2, 3])))
    data = checks.check_labelled(BaseEstimator(), X, [0, 1])
    assert data.X.toarray().tolist() == [[3.0, 0.0], [0.0, 4.0]]
    assert data.X.nnz == 2
    assert X.nnz == 3


def test_rows_that_are_not_kept_have_a_negative_code(labelled):
    data = checks.check_labelled(BaseEstimator(), *labelled)
    part = data.keep_rows([0, 3])
    assert part.codes.tolist() == [1, -1, -1, 2, -1, -1]
    assert part.X is data.X
    assert data.codes.tolist() == [1, 0, 1, 2, 0, 1]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_values_are_refused(labelled, value):
    X = labelled[0].copy()
    X[1, 1] = value
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        checks.check_labelled(BaseEstimator(), X, labelled[1])


def test_missing_values_can_be_left_for_later(labelled):
    X = labelled[0] * np.nan
    data = checks.check_labelled(BaseEstimator(), X, labelled[1], finite=False)
    assert np.isnan(data.X).all()


def test_label_that_is_not_among_the_classes_is_named(labelled):
    with pytest.raises(ValueError, match=r"y holds .*'c'.*not among classes=\['a', 'b'\]"):
        checks.check_labelled(BaseEstimator(), *labelled, classes=np.array(["a", "b"]))


def test_single_class_is_refused_by_name(labelled):
    with pytest.raises(ValueError, match=r"y holds one class, .*'z'.* BaseEstimator needs"):
        checks.check_labelled(BaseEstimator(), labelled[0], ["z"] * 6)


def test_text_is_refused_as_not_being_numbers(labelled):
    with pytest.raises(ValueError, match="X must hold numbers"):
        checks.check_labelled(BaseEstimator(), [["a"], ["b"]], [0, 1])


def test_negative_weight_is_refused_by_value(labelled):
    with pytest.raises(ValueError, match=r"sample_weight=-0\.5 must not be negative"):
        checks.check_labelled(BaseEstimator(), *labelled, sample_weight=[1, 1, -0.5, 1, 1, 1])


def test_weights_that_are_all_zero_are_refused(labelled):
    with pytest.raises(ValueError, match=r"(?i)sample.weight.*zero"):
        checks.check_labelled(BaseEstimator(), *labelled, sample_weight=np.zeros(6))


def test_finite_summary_passes_whatever_the_data():
    assert checks.check_finite_summary(None, [[np.nan]], np.zeros(3), np.ones(2)) is None


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_summary_that_is_not_finite_blames_the_value_in_the_data(value):
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        checks.check_finite_summary(BaseEstimator(), np.array([[value]]), np.array([np.nan]))


def test_summary_of_finite_data_that_is_not_finite_blames_their_size():
    with pytest.raises(ValueError, match="X holds values whose squares are too large for float64"):
        checks.check_finite_summary(BaseEstimator(), np.array([[1e200]]), np.array([np.inf]))


def test_rows_of_an_array_keep_their_columns():
    X, columns = checks.check_rows(OnFeatures().fit(3), np.eye(3), np.array([0, 2]))
    np.testing.assert_array_equal(X, np.eye(3))
    assert columns.tolist() == [0, 2]


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
def test_of_a_frame_only_the_wanted_columns_are_read(table):
    frame = table({"a": [1.0, 2.0], "b": ["text", "text"], "c": [5.0, 6.0]})
    X, columns = checks.check_rows(OnFeatures().fit(3, list("abc")), frame, np.array([0, 2]))
    assert X.tolist() == [[1.0, 5.0], [2.0, 6.0]]
    assert columns.tolist() == [0, 1]


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
def test_frame_with_other_names_is_refused(table):
    frame = table({"a": [1.0], "b": [2.0], "z": [5.0]})
    with pytest.raises(ValueError, match="feature names"):
        checks.check_rows(OnFeatures().fit(3, list("abc")), frame, np.array([0]))


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_other_number_of_columns_is_refused(wrap):
    with pytest.raises(ValueError, match="X has 4 features, but OnFeatures is expecting 3"):
        checks.check_rows(OnFeatures().fit(3), wrap(np.eye(4)), np.array([0]))


def test_frame_without_rows_is_refused():
    with pytest.raises(ValueError, match="0 sample"):
        checks.check_rows(OnFeatures().fit(3), pd.DataFrame(np.ones((0, 3))), np.array([0]))


def test_classes_of_the_first_chunk_are_sorted_and_each_is_kept_once():
    classes = checks.check_next_classes(BaseEstimator(), ["b", "a", "b"], is_first=True)
    assert classes.tolist() == ["a", "b"]


def test_later_chunks_go_by_the_classes_of_the_first():
    assert checks.check_next_classes(OnFeatures().fit(3), None, is_first=False).tolist() == [
        0,
        1,
    ]
    assert checks.check_next_classes(OnFeatures().fit(3), [1, 0], is_first=False).tolist() == [
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
        checks.check_next_classes(OnFeatures().fit(3), classes, is_first)


def test_models_of_the_same_features_go_together():
    assert checks.check_same_features(OnFeatures().fit(3), OnFeatures().fit(3)) is None


def test_names_are_compared_only_where_both_have_them():
    assert checks.check_same_features(OnFeatures().fit(3, list("abc")), OnFeatures().fit(3)) is None


def test_error_names_the_type_the_other_model_must_have():
    with pytest.raises(TypeError, match="other=BaseEstimator must be a fitted OnFeatures"):
        checks.check_same_features(OnFeatures().fit(3), BaseEstimator())


def test_error_names_both_numbers_of_features():
    with pytest.raises(ValueError, match="other was fitted on 4 features, this estimator on 3"):
        checks.check_same_features(OnFeatures().fit(3), OnFeatures().fit(4))


def test_error_tells_of_other_names():
    with pytest.raises(ValueError, match="features of other names, or in another order"):
        checks.check_same_features(
            OnFeatures().fit(3, list("abc")), OnFeatures().fit(3, list("acb"))
        )


def test_model_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError, match="OnFeatures instance is not fitted"):
        checks.check_fitted(OnFeatures())
