"""What people put in front of a model comes out of a file as it went in; forgeries do not."""

import json
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    Normalizer,
    OneHotEncoder,
    StandardScaler,
)
from sklearn.svm import LinearSVC

from centroidal import FisherSubspaceClassifier, SparseCenterClassifier
from centroidal.persistence import UntrustedTypeError, load_model, read_model_card, save_model
from centroidal.preprocessing.words import split_words

pytest.importorskip("skops", reason="model files need skops")

TEXTS = ["a fine warm film", "dull and cold", "warm and fine", "a cold dull film"] * 6
Y = ["good", "bad", "good", "bad"] * 6
CENTERS = SparseCenterClassifier(4, scale="std")
MODELS = [
    make_pipeline(CountVectorizer(max_features=9), CENTERS),
    make_pipeline(TfidfVectorizer(ngram_range=(1, 2), stop_words=["a"]), CENTERS),
    make_pipeline(TfidfVectorizer(tokenizer=split_words, token_pattern=None), CENTERS),
    make_pipeline(HashingVectorizer(n_features=64), CENTERS),
    make_pipeline(CountVectorizer(analyzer="char_wb"), TfidfTransformer(), CENTERS),
    make_pipeline(
        TfidfVectorizer(), TruncatedSVD(3, random_state=0), StandardScaler(),
        FisherSubspaceClassifier(),
    ),
    make_pipeline(
        FeatureUnion([("words", CountVectorizer()), ("letters", CountVectorizer(analyzer="char"))]),
        MaxAbsScaler(), Normalizer(), CENTERS,
    ),
    make_pipeline(TfidfVectorizer(), CalibratedClassifierCV(LinearSVC(), cv=2)),
    make_pipeline(CountVectorizer(), ComplementNB()),
]  # fmt: skip


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skops"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: "-".join(model.named_steps))
def test_pipelines_on_text_predict_the_same(model, path):
    model.fit(TEXTS, Y)
    save_model(model, path)
    loaded = load_model(path)
    new = [*TEXTS, "quite fine", ""]
    assert np.array_equal(loaded.predict(new), model.predict(new))
    if hasattr(model, "decision_function"):
        assert np.array_equal(loaded.decision_function(new), model.decision_function(new))


def test_columns_of_a_frame_are_prepared_the_same(path):
    frame = pd.DataFrame(
        {"text": TEXTS, "kind": ["x", "y", "z", "x"] * 6, "size": np.arange(24.0), "more": 1.0}
    )
    front = ColumnTransformer(
        [
            ("text", TfidfVectorizer(max_features=6), "text"),
            ("kind", OneHotEncoder(), ["kind"]),
            ("size", make_pipeline(StandardScaler(), FunctionTransformer(np.sqrt)), slice(2, 3)),
        ],
        remainder="passthrough",
    )
    front.set_params(size=StandardScaler())
    model = make_pipeline(front, CENTERS).fit(frame, Y)
    save_model(model, path)
    assert np.array_equal(load_model(path).predict_proba(frame), model.predict_proba(frame))


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV])
def test_a_search_is_saved_as_its_best_estimator(search, path):
    grid = {"sparsecenterclassifier__n_features_to_select": [1, 3]}
    more = {"n_iter": 2, "random_state": 0} if search is RandomizedSearchCV else {}
    found = search(make_pipeline(TfidfVectorizer(), CENTERS), grid, cv=2, **more).fit(TEXTS, Y)
    save_model(found, path)
    assert read_model_card(path).class_name == "Pipeline"
    assert np.array_equal(load_model(path).predict(TEXTS), found.predict(TEXTS))


def test_a_search_that_is_not_fitted_is_refused(path):
    search = GridSearchCV(CENTERS, {"n_features_to_select": [1, 3]})
    with pytest.raises(TypeError, match="model=GridSearchCV must be fitted"):
        save_model(search, path)


def test_the_model_itself_is_left_as_it_is(path):
    model = make_pipeline(CountVectorizer(max_features=9), CENTERS).fit(TEXTS, Y)
    before = dict(vars(model[0]))
    save_model(model, path)
    assert vars(model[0]) == before


def test_same_model_gives_the_same_bytes(tmp_path):
    for name in ("a.skops", "b.skops"):
        save_model(make_pipeline(TfidfVectorizer(), CENTERS).fit(TEXTS, Y), tmp_path / name)
    assert (tmp_path / "a.skops").read_bytes() == (tmp_path / "b.skops").read_bytes()


# ------------------------------------------------------------------ forgeries


def forge(path, change):
    """Save a vectoriser, and change what the file says of it."""
    save_model(make_pipeline(TfidfVectorizer(), CENTERS).fit(TEXTS, Y), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(members["schema.json"])
    steps = schema["content"]["content"]["steps"]["content"]
    change(steps[0]["content"][1]["content"]["content"])
    members["schema.json"] = json.dumps(schema).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def value(text):
    return {
        "__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": text,
        "is_json": True,
    }  # fmt: skip


def number_of_a_word(text):
    def change(state):
        words = state["vocabulary_"]["content"]
        words[next(iter(words))] = value(text)

    return change


def parameter(name, text):
    return lambda state: state.update({name: value(text)})


def function(name):
    module, _, short = name.rpartition(".")
    node = {"__class__": short, "__module__": module, "__loader__": "FunctionNode"}
    return node | {"content": {"module_path": module, "function": short}}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (number_of_a_word("-1"), "does not hold each number below 6 once"),
        (number_of_a_word("1000000"), "does not hold each number below 6 once"),
        (number_of_a_word("1"), "does not hold each number below 6 once"),
        (number_of_a_word("0.5"), "holds what is no whole number"),
        (number_of_a_word('"x"'), "holds what is no whole number"),
        (parameter("vocabulary_", "3"), "is a int, not a dict"),
        (parameter("token_pattern", '"(a+)+$"'), "token_pattern is '(a+)+$'"),
        (parameter("token_pattern", "3"), "token_pattern is 3"),
        (parameter("input", '"filename"'), "input is 'filename', which must be one of 'content'"),
        (parameter("analyzer", '"sentence"'), "analyzer is 'sentence'"),
        (parameter("ngram_range", "3"), "ngram_range must be two numbers from 1 to 20"),
        (parameter("stop_words", '"all"'), "stop_words holds what is no text"),
        (lambda state: state.update(tokenizer=function("numpy.log1p")), "tokenizer must be None"),
        (lambda state: state.update(tokenizer=function("os.system")), "os.system is not allowed"),
        (lambda state: state.update(preprocessor=function("numpy.exp")), "preprocessor is "),
    ],
)
def test_forged_vectoriser_is_refused(path, change, words):
    forge(path, change)
    with pytest.raises(ValueError, match=re.escape(words)):
        load_model(path)


def test_pattern_that_may_explode_is_not_saved(path):
    model = make_pipeline(TfidfVectorizer(token_pattern="(a+)+b"), CENTERS)
    with pytest.raises(ValueError, match="token_pattern is "):
        save_model(model, path)


def test_function_that_nobody_knows_is_not_saved(path):
    model = make_pipeline(FunctionTransformer(print), CENTERS)
    with pytest.raises(UntrustedTypeError, match="print"):
        save_model(model, path)


# ------------------------------------------------------------------ types that a person names


class Constant(ClassifierMixin, BaseEstimator):
    """A classifier that the list does not have."""

    def fit(self, X, y):
        """Keep the classes."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        """Predict the first class."""
        return np.repeat(self.classes_[:1], len(X))


NAME = f"{__name__}.Constant"


def test_type_that_is_named_is_saved_and_loaded(path):
    model = Constant().fit([[0], [1]], ["a", "b"])
    with pytest.raises(UntrustedTypeError, match="Constant"):
        save_model(model, path)
    save_model(model, path, trusted=[NAME])
    with pytest.raises(UntrustedTypeError, match="Constant"):
        load_model(path)
    assert load_model(path, trusted=[NAME]).predict([[5]]).tolist() == ["a"]


def test_naming_one_type_trusts_no_other(path):
    model = make_pipeline(LogisticRegression(), Constant().fit([[0], [1]], ["a", "b"]))
    save_model(model, path, trusted=NAME)
    with pytest.raises(UntrustedTypeError, match="Constant"):
        load_model(path, trusted=["os.system"])


@pytest.mark.parametrize("trusted", [[3], ["Constant"], [Constant]])
def test_names_of_types_must_be_dotted(path, trusted):
    save_model(CENTERS, path)
    with pytest.raises(ValueError, match="must be the dotted name of a type"):
        load_model(path, trusted=trusted)
