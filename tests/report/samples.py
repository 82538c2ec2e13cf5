"""Selections for the tests of the report: one that was found, and ones made from it."""

from dataclasses import replace

import numpy as np

from centroidal import SparseCenterClassifier
from centroidal.datasets import make_expression
from centroidal.io import evaluate_model
from centroidal.model_selection import PermutationTest
from centroidal.model_selection.learning import LearningCurve

from ..l2 import select_features

HOSTILE = (
    "<img src=x onerror=window.__pwned=1>",
    "</script><script>window.__pwned=1</script>",
    "\"quoted\" & 'single' `tick`",
    "a.b[c]\\d",
    "{{ 7 * 7 }}{% raw %}",
    "\u05d2\u05df \u05e2\u05d1\u05e8\u05d9 \u202eevil",
    "line\u2028separator\u2029 \x00 \ud800",
    "--><!-- <svg onload=window.__pwned=1>",
    "=1+1\tb\nc",
    "n" * 300,
)


def make_selection(n_classes=3, n_features=40, **options):
    """Find features in a small generated table."""
    genes = make_expression(
        60, n_features, n_classes=n_classes, n_informative=min(8, n_features), random_state=0
    )
    options = {"cv": 4, "n_repeats": 1, "n_resamples": 4, "random_state": 0} | options
    labels = np.array(["alpha", "beta", "gamma", "delta", "epsilon"])[genes.target]
    names = [f"gene {j}" for j in range(n_features)]
    return select_features(genes.data, labels, feature_names=names, **options)


def judged(selection, null_scores=(0.3, 0.4, 0.4, 0.6), scoring="accuracy", law=None):
    """The selection with evidence that is made up."""
    nothing, null_scores = np.zeros(selection.feature_names.size), np.array(null_scores)
    test = PermutationTest(
        0.9, null_scores, null_scores.size, None, "samples", nothing, nothing, nothing
    )
    scores = np.array([[0.5, 0.7, 0.8], [0.6, 0.7, 0.9]])
    laws = None if law is None else np.array([law])
    curve = LearningCurve(np.array([15, 30, 60]), scores, scoring, law, "it falls", laws)
    return replace(selection, permutations=test, learning_curve=curve)


def with_names(selection, names):
    """The same selection with other names, the best feature having the first of them."""
    named = selection.feature_names.astype(object)
    named[selection.ranking[: len(names)]] = names
    return replace(selection, feature_names=named)


def widened(selection, n_features, length):
    """The same selection as if there had been more features, with long names, all selected."""
    rng = np.random.default_rng(0)
    n_classes = len(selection.classes)
    sizes = np.unique(np.geomspace(1, n_features, len(selection.path["n_features"])).astype(int))
    keep = slice(0, len(sizes))
    names = [f"{j:07}".ljust(length, "<") for j in range(n_features)]
    return replace(
        selection,
        feature_names=np.array(names, dtype=object),
        ranking=rng.permutation(n_features),
        gains=rng.uniform(size=n_features),
        centers=rng.normal(size=(n_classes, n_features)),
        spreads=np.ones(n_features),
        n_features_to_select=int(sizes[-1]),
        path={name: column[keep] for name, column in selection.path.items()}
        | {"n_features": sizes},
        random_path={name: column[keep] for name, column in selection.random_path.items()}
        | {"n_features": sizes},
        confusion_path=selection.confusion_path[keep],
        stability=None,
    )


def make_evaluation(labels=("alpha", "beta"), **options):
    """Score a model on samples that it has not seen, of which it mistakes some."""
    genes = make_expression(
        120, 20, n_classes=len(labels), n_informative=3, effect=1.2, random_state=0
    )
    y = np.array(labels)[genes.target]
    model = SparseCenterClassifier(3).fit(genes.data[:60], y[:60])
    return evaluate_model(model, genes.data[60:], y[60:], n_bootstrap=100, **options)
