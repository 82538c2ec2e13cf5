import zlib

import numpy as np
import pandas as pd
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from centroidal.preprocessing import WordCounter, WordHasher, WordWeights
from centroidal.preprocessing.words import hashed_runs, split_words

WORDS = ["good", "bad", "film", "not", "very", "Über", "naïve", "3", "良", "plot"]


@pytest.fixture
def documents(rng):
    return [" ".join(rng.choice(WORDS, size=n)) for n in rng.integers(0, 12, size=40)]


def counter_of_sklearn(ngrams, min_df):
    """Count the same words, by scikit-learn."""
    return CountVectorizer(
        tokenizer=split_words, token_pattern=None, lowercase=False, ngram_range=(1, ngrams),
        min_df=min_df,
    )  # fmt: skip


# ------------------------------------------------------------------ what is a word


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't STOP!", ["don", "t", "stop"]),
        ("Straße, naïve; ÉTÉ", ["straße", "naïve", "été"]),
        ("Привет мир", ["привет", "мир"]),
        ("良い本 books", ["良", "い", "本", "books"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("o\u0308l", ["\u00f6l"]),
        ("a_b c-d 3.5", ["a_b", "c", "d", "3", "5"]),
        ("...", []),
        ("", []),
    ],
)
def test_words_of_any_script_are_found(text, words):
    assert split_words(text) == words


# ------------------------------------------------------------------ counting


@pytest.mark.parametrize("ngrams", [1, 2, 3])
@pytest.mark.parametrize("min_df", [1, 2, 5])
def test_counts_are_those_of_scikit_learn(documents, ngrams, min_df):
    counter, expected = WordCounter(ngrams, min_df), counter_of_sklearn(ngrams, min_df)
    counts, wanted = counter.fit_transform(documents), expected.fit_transform(documents)
    names = counter.get_feature_names_out().tolist()
    assert set(names) == set(expected.vocabulary_)
    columns = [expected.vocabulary_[name] for name in names]
    assert np.array_equal(counts.toarray(), wanted.toarray()[:, columns])


@pytest.mark.parametrize("ngrams", [1, 2, 3])
def test_new_documents_are_counted_as_scikit_learn_does(documents, ngrams):
    new = ["good film not bad", "unknown good film", "", "film film film film"]
    counter, expected = WordCounter(ngrams), counter_of_sklearn(ngrams, 2)
    counts, wanted = counter.fit(documents).transform(new), expected.fit(documents).transform(new)
    columns = [expected.vocabulary_[name] for name in counter.get_feature_names_out()]
    assert np.array_equal(counts.toarray(), wanted.toarray()[:, columns])


def test_order_of_documents_does_not_matter(documents):
    counter, turned = WordCounter(), WordCounter()
    counts, others = counter.fit_transform(documents), turned.fit_transform(documents[::-1])
    assert np.array_equal(counts.toarray(), others.toarray()[::-1])
    assert counter.get_feature_names_out().tolist() == turned.get_feature_names_out().tolist()


def test_run_of_words_does_not_cross_documents():
    counter = WordCounter(min_df=1).fit(["one two", "three"])
    assert counter.get_feature_names_out().tolist() == ["one", "three", "two", "one two"]


def test_word_of_too_many_characters_is_left_out_and_parts_its_neighbours():
    counter = WordCounter(min_df=1).fit([f"one {'x' * 101} two"])
    assert counter.get_feature_names_out().tolist() == ["one", "two"]


@pytest.mark.parametrize("frame", [pd.DataFrame, polars.DataFrame])
def test_columns_of_texts_have_words_of_their_own(frame):
    table = frame({"title": ["free", "hello"], "body": ["hello", "free"]})
    counter = WordCounter(ngrams=1, min_df=1)
    counts = counter.fit_transform(table)
    names = ["title: free", "title: hello", "body: free", "body: hello"]
    assert counter.get_feature_names_out().tolist() == names
    assert counts.toarray().tolist() == [[1, 0, 0, 1], [0, 1, 1, 0]]


@pytest.mark.parametrize(
    "kind", [tuple, np.array, pd.Series, polars.Series, lambda texts: np.array(texts)[:, None]]
)
def test_documents_come_in_any_container(documents, kind):
    expected = WordCounter().fit_transform(documents)
    assert (WordCounter().fit_transform(kind(documents)) != expected).nnz == 0


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        ("one text", TypeError, "documents must be several texts, not a str"),
        (3, TypeError, "documents must be several texts, not a int"),
        (["a", None], ValueError, "document 1 is a NoneType, not a text; an empty one is ''"),
        (["a", 3.5], ValueError, "document 1 is a float, not a text"),
        (["", "?"], ValueError, "no word is in min_df=2 documents"),
        (["a", "b" * 10_000_001], ValueError, "document 1 has 10,000,001 characters, more than"),
    ],
)
def test_what_is_no_text_is_refused(X, error, words):
    with pytest.raises(error, match=words):
        WordCounter().fit(X)


@pytest.mark.parametrize("options", [{"ngrams": 0}, {"ngrams": 21}, {"min_df": 0}, {"ngrams": 1.5}])
def test_parameters_are_checked(options):
    with pytest.raises((TypeError, ValueError), match=next(iter(options))):
        WordCounter(**options).fit(["a a", "a a"])


@pytest.mark.parametrize("transformer", [WordCounter(), WordHasher()])
def test_nothing_is_counted_before_fit(transformer):
    with pytest.raises(NotFittedError):
        clone(transformer).transform(["a"])


def test_another_number_of_columns_is_refused():
    counter = WordCounter(min_df=1).fit(["a"])
    with pytest.raises(ValueError, match="2 features"):
        counter.transform(np.array([["a", "b"]], dtype=object))


# ------------------------------------------------------------------ words to leave out


def test_words_are_left_out_with_the_runs_that_they_are_in():
    counter = WordCounter(min_df=1, stop_words=["the", "of"]).fit(["the end of a film", "a film"])
    assert counter.get_feature_names_out().tolist() == ["a", "end", "film", "a film"]


def test_words_to_leave_out_are_split_as_documents_are():
    counter = WordCounter(ngrams=1, min_df=1, stop_words=["Don't", "ÜBER"]).fit(["I don't, über"])
    assert counter.get_feature_names_out().tolist() == ["i"]


def test_english_is_the_list_of_scikit_learn():
    texts = ["this is not the best of all films", "and so it goes"]
    counter = WordCounter(ngrams=1, min_df=1, stop_words="english").fit(texts)
    expected = CountVectorizer(stop_words="english").fit(texts)
    assert set(counter.get_feature_names_out()) == set(expected.vocabulary_)


@pytest.mark.parametrize("stop_words", [3, "french", ["a", 3], {"a": 1}])
@pytest.mark.parametrize("kind", [WordCounter, WordHasher])
def test_what_is_no_list_of_words_is_refused(kind, stop_words):
    with pytest.raises(ValueError, match="stop_words=.* must be None, 'english' or a list"):
        kind(stop_words=stop_words).fit(["a", "a"])


# ------------------------------------------------------------------ weights


@pytest.mark.parametrize("sublinear", [False, True])
def test_weights_are_those_of_scikit_learn(documents, sublinear):
    counts = WordCounter().fit_transform(documents)
    expected = TfidfTransformer(sublinear_tf=sublinear).fit_transform(counts)
    found = WordWeights(sublinear=sublinear).fit_transform(counts)
    assert np.allclose(found.toarray(), expected.toarray(), rtol=1e-14)


def test_counts_stay_counts(documents):
    counts = WordCounter().fit_transform(documents)
    assert (WordWeights(kind="counts").fit_transform(counts) != counts).nnz == 0


def test_word_of_few_documents_of_training_weighs_nothing_and_adds_no_length():
    weights = WordWeights(min_df=2).fit([[1, 1, 0], [1, 0, 0], [2, 0, 0]])
    assert weights.transform([[1, 4, 3]]).toarray().tolist() == [[1.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("X", "words"), [([[1.0, -1.0]], "holds negative values"), ([[1.0, np.nan]], "NaN")]
)
def test_what_is_no_count_is_refused(X, words):
    with pytest.raises(ValueError, match=words):
        WordWeights().fit(X)


# ------------------------------------------------------------------ hashing


def test_hashes_keep_words_apart_as_counting_does(documents):
    counts = WordCounter(min_df=1).fit_transform(documents).toarray()
    hashed = WordHasher(n_bits=22).fit_transform(documents)
    values = np.where(counts > 0, 1.0 + np.log(np.where(counts > 0, counts, 1.0)), 0.0)
    lengths = np.sqrt((values**2).sum(axis=1))
    expected = np.sort(values / np.where(lengths > 0, lengths, 1.0)[:, None], axis=1)
    found = np.sort(hashed.toarray(), axis=1)[:, -counts.shape[1] :]
    assert np.allclose(found, expected)


@given(st.lists(st.text() | st.text("aZ_9 .'äßİ\u0301\u017fK良い本हि\u200d\0")))
@settings(deadline=None)  # loops are compiled
def test_hashed_words_are_those_that_are_counted(texts):
    (runs,) = hashed_runs([texts], 1, 20, None)
    words = [word for text in texts for word in split_words(text)]
    assert [runs.term(place) for place in range(runs.hashes.size)] == words
    assert runs.hashes.tolist() == [zlib.crc32(word.encode()) for word in words]


@pytest.mark.parametrize("ngrams", [1, 2, 3])
@pytest.mark.parametrize("stop_words", [None, ["good", "über"]])
def test_hashed_runs_are_those_that_are_counted(documents, ngrams, stop_words):
    documents[3] += f" film {'x' * 101} film {'ü' * 100} film"
    counter = WordCounter(ngrams, 1, stop_words)
    counts = counter.fit_transform(documents).sum(axis=0)
    hasher = WordHasher(20, ngrams, stop_words).fit(documents)
    found = hasher.find_words(documents, np.arange(2**20))
    expected = dict(zip(counter.get_feature_names_out(), counts, strict=True))
    assert {term: count for term, (_, count) in found.items()} == expected


def test_documents_are_hashed_alike_together_and_alone(documents, monkeypatch):
    hasher = WordHasher(12).fit(documents)
    expected = hasher.transform(documents)
    monkeypatch.setattr("centroidal.preprocessing.words._AT_ONCE", 7)
    assert (hasher.transform(documents) != expected).nnz == 0


def test_hash_of_a_word_does_not_depend_on_the_process():
    assert WordHasher(n_bits=8, ngrams=1).fit_transform(["good film"]).indices.tolist() == [40, 183]


def test_words_behind_hashes_are_found_again(documents):
    hasher = WordHasher(n_bits=20).fit(documents)
    columns = hasher.transform(["not good"]).indices
    found = hasher.find_words(documents, columns)
    assert set(found) >= {"not", "good", "not good"}
    assert {column for column, _ in found.values()} == set(columns.tolist())
    n_times = sum(text.split().count("good") for text in documents)
    assert found["good"][1] == n_times


def test_the_same_word_in_two_columns_is_two_features():
    table = pd.DataFrame({"title": ["free"], "body": ["free"]})
    hasher = WordHasher(n_bits=20)
    columns = hasher.fit_transform(table).indices
    assert set(hasher.find_words(table, columns)) == {"title: free", "body: free"}
