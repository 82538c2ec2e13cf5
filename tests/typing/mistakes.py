"""Calls that a type checker must refuse: an ignored error that is none is an error of its own."""

import numpy as np

from centroidal import (
    ConformalClassifier,
    DecisionDAGClassifier,
    DisjointCentroidClassifier,
    FisherSubspaceClassifier,
    KernelFisherSubspaceClassifier,
    L21CentroidSelector,
    MixtureFisherClassifier,
    OnlineFisherSubspaceClassifier,
    ReliefFSelector,
    SparseCenterClassifier,
    SparseCenterClassifierCV,
    SparseCentroidEncoder,
    WhitenedCenterClassifier,
)
from centroidal.inspection import PathDisplay
from centroidal.io import merge_models, read_table
from centroidal.model_selection import SiteSummary, compare, select_features, select_federated
from centroidal.persistence import save_model
from centroidal.preprocessing import WordWeights
from centroidal.streaming import batches, fit_batches

X, y = np.ones((4, 2)), np.arange(4)


def write_words_wrongly() -> None:
    """Choose what is no choice."""
    SparseCenterClassifier(scale="inside")  # type: ignore[arg-type]
    SparseCenterClassifier(metric="l3")  # type: ignore[arg-type]
    SparseCenterClassifier(priors="equal")  # type: ignore[arg-type]
    SparseCenterClassifier(covariance="pooled")  # type: ignore[arg-type]
    SparseCenterClassifierCV(rule="1se")  # type: ignore[arg-type]
    DisjointCentroidClassifier("nearest")  # type: ignore[arg-type]
    DisjointCentroidClassifier(scale="mad")  # type: ignore[arg-type]
    DisjointCentroidClassifier(norm="l2")  # type: ignore[arg-type]
    FisherSubspaceClassifier("partial")  # type: ignore[arg-type]
    FisherSubspaceClassifier(scatter="between")  # type: ignore[arg-type]
    FisherSubspaceClassifier(n_components="log")  # type: ignore[arg-type]
    KernelFisherSubspaceClassifier(gamma="median")  # type: ignore[arg-type]
    MixtureFisherClassifier(threshold="prior")  # type: ignore[arg-type]
    MixtureFisherClassifier(merge_rule="two_sigma")  # type: ignore[arg-type]
    OnlineFisherSubspaceClassifier(window_unit="rows")  # type: ignore[arg-type]
    DecisionDAGClassifier(SparseCenterClassifier(), order="size")  # type: ignore[arg-type]
    WhitenedCenterClassifier(shrinkage="none")  # type: ignore[arg-type]
    L21CentroidSelector(solver="lbfgs")  # type: ignore[arg-type]
    ReliefFSelector(variant="cubic")  # type: ignore[arg-type]
    SparseCentroidEncoder("knee")  # type: ignore[arg-type]
    SiteSummary(scale="mad")  # type: ignore[arg-type]
    WordWeights("bm25")  # type: ignore[arg-type]
    select_features(X, y, rule="two_se")  # type: ignore[arg-type]
    select_features(X, y, scoring="acc")  # type: ignore[arg-type]
    select_features(X, y, impute="zero")  # type: ignore[arg-type]
    select_features(X, y, class_weight="equal")  # type: ignore[arg-type]
    select_features(X, y, n_features_to_select="all")  # type: ignore[arg-type]
    select_features(X, y, permute_within="groups")  # type: ignore[arg-type]
    read_table("a.csv", duplicates="last")  # type: ignore[arg-type]
    read_table("a.csv", decimal=";")  # type: ignore[arg-type]
    merge_models([], features="union")  # type: ignore[arg-type]


def give_other_things() -> None:
    """Mistake one argument for another."""
    SparseCenterClassifier().fit("table.csv", y)  # type: ignore[arg-type]
    SparseCenterClassifier().fit(X)  # type: ignore[call-arg]
    SparseCenterClassifier("5")  # type: ignore[arg-type]
    SparseCenterClassifier(5, "l2")  # type: ignore[call-arg]
    SparseCenterClassifier(n_features=5)  # type: ignore[call-arg]
    SparseCenterClassifier(5).at("all")  # type: ignore[arg-type]
    ConformalClassifier("l2")  # type: ignore[arg-type]
    select_features("table.csv", y)  # type: ignore[arg-type]
    select_features(X, y, "l2")  # type: ignore[call-arg]
    select_features(X, y, random_state="0")  # type: ignore[arg-type]
    _ = select_features(X, y).scores  # type: ignore[attr-defined]
    compare([SparseCenterClassifier()], X, y)  # type: ignore[arg-type]
    select_federated(X, y)  # type: ignore[arg-type]
    PathDisplay.from_selection(X)  # type: ignore[arg-type]
    save_model(SparseCenterClassifier(), X)  # type: ignore[arg-type]
    batches("a.csv")  # type: ignore[call-arg]
    fit_batches(SparseCenterClassifier(), X)  # type: ignore[arg-type]
