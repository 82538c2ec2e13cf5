import numpy as np
import pytest
from scipy import sparse

from centroidal.datasets import make_word_counts


@pytest.fixture(scope="module")
def texts():
    return make_word_counts(random_state=0)


def test_counts_are_a_sparse_row_array(texts):
    assert isinstance(texts.data, sparse.csr_array)
    assert texts.data.shape == (2000, 5000)


def test_a_table_too_large_for_memory_stays_sparse():
    # Dense, this table would take 800 gigabytes.
    made = make_word_counts(100_000, 1_000_000, words_per_document=2, random_state=0)
    assert made.data.nnz < 250_000


def test_every_part_has_the_asked_size():
    made = make_word_counts(40, 300, n_informative=12, n_classes=4, random_state=0)
    assert made.target.shape == (40,)
    assert made.target_names.shape == (4,)
    assert made.feature_names.shape == (300,)
    assert made.informative.sum() == 12


def test_counts_are_positive_whole_numbers(texts):
    np.testing.assert_array_equal(texts.data.data, np.maximum(1, texts.data.data.round()))


def test_every_word_of_a_text_is_stored_once(texts):
    assert texts.data.has_canonical_format


def test_indices_take_four_bytes(texts):
    assert texts.data.indices.dtype == np.int32
    assert texts.data.indptr.dtype == np.int32


def test_classes_are_balanced(texts):
    assert np.bincount(texts.target).tolist() == [1000, 1000]


def test_texts_have_the_asked_length_on_average(texts):
    assert texts.data.sum() / 2000 == pytest.approx(15, rel=0.02)


def test_no_text_is_empty():
    made = make_word_counts(500, 50, n_informative=5, words_per_document=1, random_state=0)
    np.testing.assert_array_equal(made.data.sum(axis=1), np.ones(500))


def test_few_words_make_up_most_of_the_text(texts):
    counts = np.sort(texts.data.sum(axis=0))[::-1]
    assert counts[:500].sum() > 0.5 * counts.sum()


def test_informative_words_lean_towards_one_class(texts):
    totals = np.array([texts.data[texts.target == code].sum(axis=0) for code in (0, 1)])
    lean = np.abs(totals[0] - totals[1]) / np.sqrt(np.maximum(1, totals.sum(axis=0)))
    assert lean[texts.informative].mean() > 3 * lean[~texts.informative].mean()


def test_the_same_seed_gives_the_same_texts(texts):
    again = make_word_counts(random_state=0)
    assert (again.data != texts.data).nnz == 0
    np.testing.assert_array_equal(again.target, texts.target)


def test_another_seed_gives_other_texts(texts):
    assert (make_word_counts(random_state=1).data != texts.data).nnz > 0


@pytest.mark.parametrize("n_informative", [0, 20])
def test_none_and_all_words_may_be_informative(n_informative):
    made = make_word_counts(10, 20, n_informative=n_informative, random_state=0)
    assert made.informative.sum() == n_informative


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_samples": 1}, "n_samples=1 must be finite and at least 2"),
        (
            {"n_features": 6, "n_informative": 9},
            "n_informative=9 must lie between 0 and n_features=6",
        ),
        ({"words_per_document": 0.5}, "words_per_document=0.5 must be finite and at least 1"),
        ({"n_classes": 1}, "n_classes=1 must lie between 2 and n_samples=2000"),
    ],
)
def test_error_names_the_parameter_and_its_bounds(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_word_counts(**parameters)
