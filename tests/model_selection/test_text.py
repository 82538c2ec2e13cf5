"""Documents in the main job: what is learned of words is learned inside the folds."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from centroidal import SparseCenterClassifier
from centroidal.model_selection import compare
from centroidal.persistence import load_model, save_model
from centroidal.preprocessing import WordCounter, WordWeights
from centroidal.preprocessing.words import split_words
from tests.reference.selection import Question, try_method

from ..l2 import select_features

QUICK = {"cv": 3, "n_repeats": 1, "random_state": 0}


@pytest.fixture(scope="module")
def reviews():
    """Short texts, in which three words and a pair tell the classes apart."""
    rng = np.random.default_rng(2)
    fill = [f"w{i}" for i in range(60)]
    texts, y = [], np.arange(90) % 2
    for is_good in y:
        words = rng.choice(fill, size=rng.integers(4, 15)).tolist()
        marks = ["fine", "not bad", "warm"] if is_good else ["dull", "bad", "cold not"]
        words += [mark for mark in marks if rng.random() < 0.6]
        texts.append(" ".join(rng.permutation(words)))
    return np.array(texts, dtype=object), np.array(["bad", "good"])[y]


@pytest.fixture(scope="module")
def found(reviews):
    return select_features(*reviews, text=True, **QUICK)


@pytest.fixture(scope="module")
def twelve(reviews):
    return select_features(*reviews, text=True, n_features_to_select=12, **QUICK)


def vectorizer(**options):
    return TfidfVectorizer(
        tokenizer=split_words, token_pattern=None, lowercase=False, ngram_range=(1, 2), min_df=2,
        **options,
    )  # fmt: skip


class TextQuestion(Question):
    """Plain loops that learn vocabulary and weights in each training set."""

    def predict(self, method, size, train, test):
        front = vectorizer().fit(self.X[train])
        n_known = min(size, len(front.vocabulary_))
        model = make_pipeline(vectorizer(), SparseCenterClassifier(n_known, scale="std"))
        model.fit(self.X[train], self.y[train])
        return self.ask(model, self.X[test], self.y[test])


def test_folds_score_what_a_pipeline_with_its_own_vocabulary_scores(reviews, found):
    question = TextQuestion.of(*reviews, 0, 3, 1)
    sizes = found.path["n_features"].tolist()
    tried = try_method(question, "l2", sizes)
    assert np.allclose(found.path["mean_test_score"], np.mean(tried.scores, axis=1))
    chosen = [tried.sizes[place] for place in tried.chosen]
    assert [each["n_features"] for each in found.fold_choices] == chosen


def test_comparison_scores_what_a_pipeline_with_its_own_vocabulary_scores(reviews):
    options = {"cv": 3, "n_repeats": 1, "random_state": 0}
    centers = SparseCenterClassifier(12, scale="std")
    found = compare({"words": centers}, *reviews, text=True, **options)
    texts, y = reviews
    member = make_pipeline(FunctionTransformer(np.ravel), vectorizer(), centers)
    expected = compare({"words": member}, texts[:, None], y, **options)
    assert np.array_equal(found.scores, expected.scores)
    assert [each.n_features for each in found.results] == [12, 12, 12]


def test_a_word_of_test_documents_alone_changes_nothing(reviews, found):
    texts, y = reviews
    fold = found.fold_choices[0]
    changed = texts.copy()
    changed[0] += " neverseen" * 3
    again = select_features(changed, y, text=True, **QUICK)
    assert again.fold_choices[0] == fold
    assert np.array_equal(again.predicted, found.predicted)


def test_the_words_that_tell_classes_apart_are_found(twelve):
    found = twelve
    assert {"fine", "warm", "dull", "cold not"} <= set(found.selected_names.tolist()[:12])
    speaks = dict(zip(found.selected_names.tolist(), found.speaks_for.tolist(), strict=True))
    assert (speaks["fine"], speaks["dull"]) == ("good", "bad")


def test_the_model_is_the_documented_pipeline(reviews, found):
    texts, y = reviews
    k = found.n_features_to_select
    model = make_pipeline(WordCounter(), WordWeights(), SparseCenterClassifier(k, scale="std")).fit(
        texts, y
    )
    inside = found.model[-1].estimator_  # what calibrates it leaves it as it is
    own = inside.predict_proba(found.model[:-1].transform(texts))
    assert np.array_equal(own, model.predict_proba(texts))


def test_the_model_predicts_raw_text_in_another_process(found, reviews, tmp_path):
    path = tmp_path / "model.skops"
    save_model(found.model, path)
    new = ["a fine warm w3", "dull and cold not", ""]
    code = (
        f"from centroidal.persistence import load_model; m = load_model({str(path)!r}); "
        f"print(m.predict({new!r}).tolist())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout == f"{found.model.predict(new).tolist()}\n", ran.stderr
    assert found.model.predict(new[:2]).tolist() == ["good", "bad"]


@pytest.mark.parametrize(
    "text",
    [{"kind": "counts"}, {"ngrams": 1, "sublinear": True}, {"min_df": 5}, {"stop_words": ["bad"]}],
)
def test_options_reach_the_words(reviews, text):
    found = select_features(*reviews, text=text, n_features_to_select=3, **QUICK)
    counter, weights = found.model[0], found.model[1]
    params = counter.get_params() | weights.get_params()
    usual = {"ngrams": 2, "min_df": 2, "stop_words": None, "kind": "tfidf", "sublinear": False}
    assert params == usual | text
    assert {name: found.text[name] for name in params} == params


def test_examples_are_recognised_documents_with_words_of_their_class(twelve, reviews):
    (texts, y), found = reviews, twelve
    for each in found.text["examples"]:
        assert y[each["row"]] == each["class"]
        assert texts[each["row"]].startswith(each["text"])
        assert found.classes[found.predicted[0, each["row"]]] == each["class"]
    words = {word for each in found.text["examples"] for word in each["words"]}
    assert {"fine", "dull"} <= words


def test_columns_of_texts_are_told_apart(reviews):
    texts, y = reviews
    title = np.random.default_rng(0).permutation(texts)
    frame = pd.DataFrame({"title": title, "body": texts})
    found = select_features(frame, y, text=True, n_features_to_select=2, **QUICK)
    assert all(name.startswith("body: ") for name in found.selected_names)
    assert np.mean(found.model.predict(frame) == y) > 0.6


def test_blocks_and_halves_take_documents(reviews):
    texts, y = reviews
    options = {"blocks": np.arange(90) % 3, "n_resamples": 2, "n_features_to_select": 4, **QUICK}
    found = select_features(texts, y, text=True, **options)
    assert all(row["trouble"] is None for row in found.blocks["rows"])
    assert found.stability.selection_frequencies_.size == found.feature_names.size


# ------------------------------------------------------------------ a list to read


def test_at_most_so_many_features_are_chosen_and_the_path_goes_on(reviews):
    found = select_features(*reviews, text=True, max_features=3, rule="best", **QUICK)
    assert found.n_features_to_select <= 3
    assert all(each["n_features"] <= 3 for each in found.fold_choices)
    assert found.path["n_features"].max() > 3
    assert found.max_features == 3


def test_text_has_a_bound_unless_none_is_asked_for(reviews, found):
    assert found.max_features == 200
    free = select_features(*reviews, text=True, max_features=None, **QUICK)
    assert free.max_features is None
    fixed = select_features(*reviews, text=True, n_features_to_select=5, **QUICK)
    assert fixed.n_features_to_select == 5


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"max_features": 0}, ValueError, "max_features=0 must be at least 1"),
        ({"max_features": 2.5}, TypeError, "max_features=2.5 must be an int"),
        (
            {"max_features": 5, "n_features_to_select": 3},
            ValueError,
            "max_features=5 must be None: n_features_to_select=3 says how many",
        ),
        ({"text": {"max_df": 3}}, ValueError, "text has the option 'max_df'; known are ngrams"),
        ({"text": {"kind": "x"}}, ValueError, "kind='x' must be one of 'tfidf', 'counts'"),
        ({"text": "body"}, TypeError, "text='body' must be True, a dict of options, or None"),
        ({"impute": "mean"}, ValueError, "impute='mean' must be None for text"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(reviews, options, error, words):
    with pytest.raises(error, match=words):
        select_features(*reviews, **{"text": True, **options}, **QUICK)


def test_documents_without_text_are_refused_with_advice(reviews):
    texts, y = reviews
    with pytest.raises(ValueError, match="text=True"):
        select_features(texts, y, **QUICK)


# ------------------------------------------------------------------ model files


def forge(model, change):
    vocabulary = model[0]._vocabularies[0]
    model[0]._vocabularies[0] = vocabulary._replace(**change(vocabulary))
    return model


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda v: {"words": v.words[:3].astype(float)}, "words is no array of bytes"),
        (lambda v: {"words": np.array([255, 254], np.uint8)}, "words is no text in UTF-8"),
        (lambda v: {"words": np.frombuffer(b"a\na\nb", np.uint8)}, "does not hold each word once"),
        (lambda v: {"runs": [v.runs[0] + 10**9]}, "codes that lead to no words"),
        (lambda v: {"runs": [v.runs[0] - 10**9]}, "do not lie between 0"),
        (lambda v: {"runs": [v.runs[0][::-1]]}, "codes that lead to no words, or one twice"),
        (lambda v: {"runs": [v.runs[0].astype(float)]}, "is an array of float64"),
    ],
)
def test_forged_vocabulary_is_refused(reviews, tmp_path, change, words):
    model = make_pipeline(WordCounter(), SparseCenterClassifier(2, scale="std")).fit(*reviews)
    with pytest.raises(ValueError, match=words):
        save_model(forge(model, change), tmp_path / "model.skops")


def test_vocabulary_of_another_size_is_refused_when_it_is_loaded(reviews, tmp_path, monkeypatch):
    model = make_pipeline(WordCounter(), WordWeights()).fit(*reviews)
    model.steps[0] = ("wordcounter", WordCounter().fit(["a a", "a a"]))
    with monkeypatch.context() as patch:
        patch.setattr("centroidal.persistence.model_file.check_model", lambda model: None)
        save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    with pytest.raises(ValueError, match="features"):
        loaded.transform(["a a"])
