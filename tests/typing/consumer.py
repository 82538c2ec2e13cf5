"""What users write, as a type checker sees it: `mypy --strict` must find nothing wrong here.

It is also run, so that what is promised here is what happens.
"""

from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import centroidal
from centroidal import (
    ConformalClassifier,
    DisjointCentroidClassifier,
    FisherSubspaceClassifier,
    MarginSelector,
    SparseCenterClassifier,
    SparseCenterClassifierCV,
    StabilitySelector,
)
from centroidal.datasets import load_expression
from centroidal.inspection import ComparisonDisplay, PathDisplay, StabilityDisplay
from centroidal.io import (
    Evaluation,
    Predictions,
    Table,
    evaluate_model,
    predict_table,
    preview_table,
    read_table,
    to_onnx,
)
from centroidal.model_selection import (
    METHODS,
    Comparison,
    FeatureSelection,
    LearningCurve,
    Method,
    PermutationTest,
    SelectionCurve,
    SelectionStability,
    compare,
    select_features,
    selection_curve,
    selection_stability,
)
from centroidal.persistence import ModelCard, load_model, read_model_card, save_model
from centroidal.preprocessing import WordCounter, standard_normal_variate
from centroidal.report import write_report
from centroidal.streaming import Batch, Batches, batches, fit_batches

Array = NDArray[Any]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def samples() -> tuple[Floats, Array]:
    """Load the table that ships, or a part of it."""
    X, y = load_expression(return_X_y=True)
    assert_type(X, Floats)
    assert_type(centroidal.__version__, str)
    return X[:, :40], y


def select(X: Floats, y: Array) -> FeatureSelection:
    """Do the main job, with options of every kind."""
    found = select_features(
        X,
        y,
        method="l2",
        n_features_to_select=3,
        rule="one_se",
        scoring="balanced_accuracy",
        cv=3,
        n_repeats=1,
        costs=None,
        class_weight="balanced",
        groups=list(range(len(y))),
        random_state=np.random.RandomState(0),
        progress=False,
    )
    assert_type(found, FeatureSelection)
    assert_type(found.score, float)
    assert_type(found.interval, tuple[float, float])
    assert_type(found.metrics, dict[str, float])
    assert_type(found.selected_names, Array)
    assert_type(found.recall, Floats)
    assert_type(found.beats_random, bool)
    assert_type(found.p_value, float | None)
    assert_type(found.permutations, PermutationTest | None)
    assert_type(found.learning_curve, LearningCurve | None)
    assert_type(found.stability, StabilitySelector | None)
    assert_type(found.summary(), str)
    assert_type(METHODS["l2"], Method)
    return found


def classify(X: Floats, y: Array) -> SparseCenterClassifier:
    """Fit, predict, merge and cut estimators."""
    model = SparseCenterClassifier(5, metric="l2", scale="within", priors=[0.2, 0.3, 0.5])
    assert_type(model.fit(X, y), SparseCenterClassifier)
    assert_type(model.predict(X.tolist()), Array)
    assert_type(model.predict_proba(X), Floats)
    assert_type(model.support_, Mask)
    assert_type(model.classes_, Array)
    assert_type(model.at(3), SparseCenterClassifier)
    assert_type(model.partial_fit(X, y, sample_weight=np.ones(len(y))), SparseCenterClassifier)
    assert_type(model.merge(SparseCenterClassifier(5).fit(X, y)), SparseCenterClassifier)
    DisjointCentroidClassifier("margin", norm="euclidean", shared_features=0.1, scale=None)
    FisherSubspaceClassifier("full", "log2", threshold="prior", priors="empirical")
    sure = ConformalClassifier(SparseCenterClassifier(5)).fit(X, y)
    assert_type(sure.predict_set(X, no_call=0.1), Mask)
    cross_validated = SparseCenterClassifierCV(n_features_grid=[1, 5], cv=3).fit(X, y)
    assert_type(cross_validated.best_estimator_, SparseCenterClassifier)
    assert_type(cross_validated.path_, dict[str, Array])
    assert_type(WordCounter(stop_words="english").fit(["a word", "a word"]), WordCounter)
    assert_type(standard_normal_variate(X), Floats)
    return model.at(5)


def judge(X: Floats, y: Array, found: FeatureSelection) -> None:
    """Compare, draw and report."""
    members = {"few": SparseCenterClassifier(3), "all": SparseCenterClassifier()}
    comparison = compare(members, X, y, cv=3, n_repeats=1, baseline="all")
    assert_type(comparison, Comparison)
    assert_type(comparison.names, tuple[str, ...])
    curve = selection_curve(MarginSelector(), X, y, n_features_grid=[1, 2], cv=3, n_random=1)
    assert_type(curve, SelectionCurve | dict[str, SelectionCurve])
    stable = StabilitySelector(SparseCenterClassifier(3), n_resamples=4, random_state=0).fit(X, y)
    assert_type(selection_stability(stable.supports_), SelectionStability)
    assert_type(PathDisplay.from_selection(found), PathDisplay)
    assert_type(found.plot(), PathDisplay)
    assert_type(ComparisonDisplay.from_comparison(comparison), ComparisonDisplay)
    assert_type(StabilityDisplay.from_estimator(stable, n_features=3), StabilityDisplay)


def read_and_write(folder: Path, model: SparseCenterClassifier, found: FeatureSelection) -> None:
    """Read tables, in whole and in batches, and write models, reports and predictions."""
    path = folder / "table.csv"
    names = [f"x{number}" for number in range(40)]
    rows = np.random.default_rng(0).normal(size=(12, 40)).round(3).tolist()
    lines = [",".join([*names, "class"])]
    lines += [",".join([*map(str, row), "ab"[place % 2]]) for place, row in enumerate(rows)]
    path.write_text("\n".join(lines) + "\n")
    table = read_table(path, target="class", impute=None, duplicates="refuse", decimal=".")
    assert_type(table, Table)
    assert_type(table.n_samples, int)
    assert_type(preview_table(str(path)), dict[str, Any])
    small = SparseCenterClassifier(3).fit(table.X, ["a", "b"] * 6)
    assert_type(predict_table(small, table), Predictions)
    assert_type(evaluate_model(small, table), Evaluation)
    parts = batches(path, target="class", batch_size=5)
    assert_type(parts, Batches)
    for part in parts:
        assert_type(part, Batch)
    assert_type(fit_batches(SparseCenterClassifier(3), parts), SparseCenterClassifier)
    save_model(model, folder / "model.skops", metadata={"by": "us"}, force=True)
    assert_type(read_model_card(folder / "model.skops"), ModelCard)
    load_model(folder / "model.skops").predict(table.X)
    to_onnx(model, folder / "model.onnx", force=True)
    write_report(folder / "report.html", found, force=True)


def use_everything(folder: Path) -> None:
    """Do all of the above."""
    X, y = samples()
    found = select(X, y)
    judge(X, y, found)
    read_and_write(folder, classify(X, y), found)
