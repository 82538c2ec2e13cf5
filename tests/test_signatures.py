"""Every public signature is annotated, and its words are those that the check of it takes."""

import re
from importlib import import_module
from inspect import isclass, isfunction, signature, unwrap
from typing import Literal, get_args, get_origin

import numpy as np
import pytest

import centroidal
from centroidal import SparseCenterClassifier
from centroidal.io import merge_models, read_table
from centroidal.model_selection import compare, select_features
from centroidal.model_selection.methods import (
    ANY,
    AUTO,
    CLASSIFIERS,
    SCORINGS,
    DataKind,
    _plain_classifiers,
)
from tests.typing import consumer

ROOMS = [name for name in centroidal.__all__ if name.islower()]
NAMES = [(room, name) for room in ROOMS for name in import_module(f"centroidal.{room}").__all__]
PUBLIC = {name: getattr(import_module(f"centroidal.{room}"), name) for room, name in NAMES}


def functions_of(thing):
    """Return a function, or the public ones of a class and its bases, if they are ours."""
    if isfunction(thing):
        return [thing]
    found = []
    for kind in thing.__mro__ if isclass(thing) else ():
        for name, each in vars(kind).items():
            inside = getattr(each, "fget", None) or getattr(each, "__func__", each)
            inside = unwrap(getattr(inside, "fn", inside))  # of a method that is there sometimes
            if isfunction(inside) and (name == "__init__" or not name.startswith("_")):
                found.append(inside)
    return [each for each in found if each.__module__.startswith("centroidal")]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_signatures_are_annotated(name):
    for function in functions_of(PUBLIC[name]):
        found = signature(function)
        bare = [
            parameter.name
            for parameter in found.parameters.values()
            if parameter.annotation is parameter.empty and parameter.name not in ("self", "cls")
        ]
        assert bare == [], function.__qualname__
        assert found.return_annotation is not found.empty, function.__qualname__


def words_in(annotation):
    """Return the words of all Literals in an annotation."""
    if get_origin(annotation) is Literal:
        return {word for word in get_args(annotation) if word is not None}
    parts = [each for each in get_args(annotation) if not isinstance(each, list)]
    return set().union(*map(words_in, parts))


def words_of(function):
    """Return the words that parameters may be, by name."""
    found = {
        name: words_in(parameter.annotation)
        for name, parameter in signature(function).parameters.items()
    }
    return {name: words for name, words in found.items() if words}


def words_in_error(name, call):
    """Return the words that are allowed according to the error that a wrong one raises."""
    with pytest.raises((ValueError, TypeError), match=f"{name}='none of them' must ") as caught:
        call(**{name: "none of them"})
    allowed = str(caught.value).partition(" must ")[2]
    return {word.encode().decode("unicode_escape") for word in re.findall(r"'([^']*)'", allowed)}


def texts_or_numbers(kind):
    if kind.__name__.startswith("Word"):
        return np.eye(4) if kind.__name__ == "WordWeights" else ["a b", "b c", "a c"]
    return np.random.default_rng(0).normal(size=(20, 4))


ESTIMATORS = [
    (kind, name)
    for kind in PUBLIC.values()
    if isclass(kind) and hasattr(kind, "get_params")
    for name in words_of(kind)
]


@pytest.mark.parametrize(
    ("kind", "name"), ESTIMATORS, ids=[f"{kind.__name__}-{name}" for kind, name in ESTIMATORS]
)
def test_words_of_an_estimator_are_those_its_check_takes(kind, name):
    inside = {"estimator", "selector"} & set(signature(kind).parameters)
    given = {each: SparseCenterClassifier(2) for each in inside}
    X = texts_or_numbers(kind)

    def fit(**wrong):
        kind(**given, **wrong).fit(X, np.arange(len(X)) % 2)

    assert words_in_error(name, fit) == words_of(kind)[name]


X, Y = np.random.default_rng(0).normal(size=(20, 4)), [0, 1] * 10
CALLS = {
    select_features: lambda **wrong: select_features(X, Y, **wrong),
    compare: lambda **wrong: compare(None, X, Y, **wrong),
    read_table: lambda **wrong: read_table("table.csv", target="class", **wrong),
    merge_models: lambda **wrong: merge_models([SparseCenterClassifier()] * 2, **wrong),
}
FUNCTIONS = [(function, name) for function in CALLS for name in words_of(function)]


@pytest.mark.parametrize(
    ("function", "name"), FUNCTIONS, ids=[f"{each.__name__}-{name}" for each, name in FUNCTIONS]
)
def test_words_of_a_function_are_those_its_check_takes(function, name):
    assert words_in_error(name, CALLS[function]) == words_of(function)[name]


def test_scores_are_those_that_there_are():
    assert words_of(select_features)["scoring"] == set(SCORINGS)


def test_classifiers_are_those_that_there_are():
    assert words_of(select_features)["classifier"] == set(CLASSIFIERS)
    assert {*_plain_classifiers(DataKind(2))} == set(CLASSIFIERS) - {AUTO, ANY}


@pytest.mark.once
def test_all_that_type_checkers_are_promised_happens(tmp_path):
    consumer.use_everything(tmp_path)
