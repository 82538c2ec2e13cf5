"""Model files whose arrays and numbers somebody changed: refused in words, or harmless."""

import io
import json
import tempfile
import warnings
import zipfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from centroidal import SparseCenterClassifier
from centroidal.persistence import load_model
from centroidal.persistence.archive import pack_archive
from centroidal.persistence.model_file import model_file_content
from centroidal.preprocessing import WordCounter, WordHasher, WordWeights
from tests.fuzz.harness import assert_harmless, n_cases, run_cases
from tests.test_all_estimators import ENCODERS, ESTIMATORS, TRANSFORMERS, WITHOUT_PROBABILITIES

OF_NUMBERS = ESTIMATORS + WITHOUT_PROBABILITIES + TRANSFORMERS
OF_TEXT = [
    make_pipeline(WordCounter(stop_words=["c"]), WordWeights(), SparseCenterClassifier(3)),
    make_pipeline(WordHasher(6, stop_words=["c"]), SparseCenterClassifier(3)),
]
EVERYTHING = OF_NUMBERS + OF_TEXT
METHODS = ("predict", "decision_function", "predict_proba", "transform")
pytestmark = pytest.mark.once


def _fill(array, value):
    array = array.astype(np.result_type(array.dtype, type(value)))
    array.flat[: (array.size + 1) // 2] = value
    return array


ARRAYS = {  # what is done to an array of numbers
    "NaN": lambda array: _fill(array, np.nan),
    "infinite": lambda array: _fill(array, np.inf),
    "negative": lambda array: -np.abs(array.astype(float)) - 1.0,
    "whole and negative": lambda array: np.full(array.shape, -1, dtype=np.int64),
    "whole and huge": lambda array: np.full(array.shape, 2**62, dtype=np.int64),
    "huge": lambda array: _fill(array, 1e308),
    "tiny": lambda array: _fill(array, 5e-324),
    "zero": lambda array: np.zeros_like(array),
    "empty": lambda array: array[:0],
    "without columns": lambda array: array[..., :0],
    "one entry": lambda array: array.reshape(-1)[:1].reshape((1,) * array.ndim),
    "one row less": lambda array: array[:-1],
    "one column more": lambda array: np.concatenate([array, array[..., :1]], axis=-1),
    "transposed": lambda array: array.T,
    "flat": lambda array: array.reshape(-1),
    "deep": lambda array: array[None],
    "reversed": lambda array: array[::-1],
    "float32": lambda array: array.astype(np.float32),
    "int8": lambda array: np.nan_to_num(array.astype(float)).clip(-99, 99).astype(np.int8),
    "bool": lambda array: array.astype(bool),
    "texts": lambda array: array.astype(str),
    "swapped bytes": lambda array: array.astype(array.dtype.newbyteorder(">")),
}
NUMBERS = {  # what stands for a number in the texts of a file
    "NaN": "NaN",
    "infinite": "Infinity",
    "negative": "-1",
    "zero": "0",
    "huge": "1000000000000",
    "beyond": "1e400",
    "large": "100000000000000000000000000000",
    "part": "0.5",
    "text": '"x"',
    "nothing": "null",
    "true": "true",
}


@cache
def samples(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 7))
    y = np.array(["a", "b", "c"])[np.arange(24) % n_classes]
    X[:, 0] += y == "a"
    return X, y


@cache
def samples_of(place, n_classes):
    """Return what a model takes: numbers, or letters for those that are positive."""
    X, y = samples(n_classes)
    if not len(OF_NUMBERS) <= place < len(EVERYTHING):
        return X, y
    return [" ".join(np.array(list("abcdefg"))[row > 0.0]) for row in X], y


@cache
def fitted(place, n_classes):
    estimators = EVERYTHING + ENCODERS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimators[place]).fit(*samples_of(place, n_classes))


@cache
def members_of(place, n_classes):
    content = model_file_content(fitted(place, n_classes), {})
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _numbers_in(node, path=()):
    """Yield the places of all numbers in a schema."""
    if isinstance(node, dict):
        if node.get("__loader__") == "JsonNode" and not node["content"].startswith('"'):
            yield path
        for key, each in node.items():
            yield from _numbers_in(each, (*path, key))
    elif isinstance(node, list):
        for key, each in enumerate(node):
            yield from _numbers_in(each, (*path, key))


def every_case(n_models):
    """List each array and number of each model with all that is done to it."""
    cases = []
    for place in range(n_models):
        for n_classes in (2, 3):
            members = members_of(place, n_classes)
            arrays = [name for name in members if name.endswith(".npy")]
            places = list(_numbers_in(json.loads(members["schema.json"])))
            cases += [(place, n_classes, name, how) for name in arrays for how in ARRAYS]
            cases += [(place, n_classes, path, how) for path in places for how in NUMBERS]
    return cases


def change_array(content, how):
    """Return the bytes of an array after one of the changes."""
    stream = io.BytesIO()
    np.save(stream, ARRAYS[how](np.load(io.BytesIO(content))))
    return stream.getvalue()


def forge(place, n_classes, target, how):
    """Return the bytes of a model file in which one array or number was changed."""
    members = dict(members_of(place, n_classes))
    if isinstance(target, str):
        members[target] = change_array(members[target], how)
    else:
        schema = json.loads(members["schema.json"])
        node = schema
        for key in target:
            node = node[key]
        node["content"] = NUMBERS[how]
        members["schema.json"] = json.dumps(schema).encode()
    return pack_archive(members)


def use_forged(case):
    """Load a forged model and do with it whatever can be done with a model."""
    place, n_classes, *_ = case
    try:
        content = forge(*case)
    except (ValueError, IndexError):
        return "cannot be forged so"  # texts have no NaN, and single values no columns
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "forged.skops"
        path.write_bytes(content)
        model = load_model(path)
    X, y = samples_of(place, n_classes)
    for method in METHODS:
        if hasattr(model, method):
            _try(getattr(model, method), X)
    good = fitted(place, n_classes)
    if hasattr(model, "partial_fit"):
        _try(clone_by_file(good).merge, model)
        _try(clone_by_file(model).partial_fit, X, y)
        _try(model.merge, good)
    return "harmless"


def clone_by_file(model):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.skops"
        path.write_bytes(model_file_content(model, {}))
        return load_model(path)


def _try(function, *args):
    """Call a function; parts of scikit-learn refuse arrays that do not fit by errors of NumPy."""
    with suppress(ValueError, TypeError, IndexError):
        function(*args)


def test_forged_state_is_refused_or_harmless():
    cases = every_case(len(EVERYTHING))
    rng = np.random.default_rng(0)
    chosen = rng.permutation(len(cases))[: n_cases(1500)]
    cases = [cases[number] for number in chosen]
    outcomes = run_cases(use_forged, cases, seconds=30.0)
    assert_harmless(outcomes, lambda number: str(cases[number]))
    kinds = [outcome.kind for outcome in outcomes]
    assert kinds.count("refusal") > len(kinds) // 3
