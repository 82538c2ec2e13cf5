"""Classifiers as ONNX graphs: a runtime decides as they do."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import centroidal
from centroidal import (
    ConformalClassifier,
    CostSensitiveClassifier,
    DisjointCentroidClassifier,
    DisjointCentroidClassifierCV,
    FisherSubspaceClassifier,
    FisherSubspaceClassifierCV,
    MixtureFisherClassifier,
    RecursiveRidgeSelector,
    ReliefFSelector,
    SparseCenterClassifier,
    SparseCenterClassifierCV,
    WhitenedCenterClassifier,
    WhitenedCenterClassifierCV,
)
from centroidal.io import to_onnx

from ..l2 import select_features

onnx = pytest.importorskip("onnx", reason="graphs need onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="graphs are run by onnxruntime")

MODELS = [
    SparseCenterClassifier(),
    SparseCenterClassifier(4, scale="within", priors="empirical"),
    SparseCenterClassifier(metric="l1"),
    SparseCenterClassifier(4, metric="l1", scale="mad", priors="empirical"),
    SparseCenterClassifier(metric="mahalanobis"),
    SparseCenterClassifier(3, metric="mahalanobis", scale="std"),
    SparseCenterClassifierCV(scale="within"),
    SparseCenterClassifierCV(metric="l1", rule="one_se"),
    WhitenedCenterClassifier(4, priors="empirical"),
    WhitenedCenterClassifierCV(),
    FisherSubspaceClassifier(),
    FisherSubspaceClassifier("variance", scatter="within", threshold="prior", priors="empirical"),
    FisherSubspaceClassifier("full", threshold="balanced"),
    FisherSubspaceClassifierCV(),
    DisjointCentroidClassifier(n_init=10, random_state=0),
    DisjointCentroidClassifier("margin", baseline_weight=0.9, scale="std"),
    DisjointCentroidClassifier("margin", disjoint=False, scale="within", calibration="logistic"),
    DisjointCentroidClassifier("margin", norm="euclidean"),
    DisjointCentroidClassifierCV("margin"),
    CostSensitiveClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()), class_weight={"anna": 9.0}
    ),
    ConformalClassifier(SparseCenterClassifier(4)),
    CostSensitiveClassifier(
        ConformalClassifier(FisherSubspaceClassifier()), class_weight={"anna": 9.0}
    ),
]
PREPARED = [
    make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), SparseCenterClassifier(4)),
    make_pipeline(SimpleImputer(), StandardScaler(with_mean=False), FisherSubspaceClassifier()),
    make_pipeline(SimpleImputer(), DisjointCentroidClassifierCV("margin")),
    make_pipeline(StandardScaler(with_std=False), SparseCenterClassifierCV()),
    make_pipeline(SimpleImputer(), ReliefFSelector(5), StandardScaler(), LogisticRegression()),
    make_pipeline(
        SimpleImputer(), StandardScaler(), RecursiveRidgeSelector(5), WhitenedCenterClassifier()
    ),
    make_pipeline(
        SimpleImputer(),
        CostSensitiveClassifier(SparseCenterClassifier(4), class_weight={"ben": 5.0}),
    ),
    make_pipeline(
        SimpleImputer(),
        ConformalClassifier(make_pipeline(StandardScaler(), SparseCenterClassifier(4))),
    ),
]


WITHOUT_COSTS = [each for each in (*MODELS, *PREPARED) if "CostSensitive" not in str(each)]


def one_line(value):
    return " ".join(str(value).split())


@pytest.fixture(params=[2, 4])
def table(request):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, request.param, 90)
    X = rng.standard_normal((90, 12)) + 1.5 * np.eye(4, 12)[codes]
    return X, np.array(["anna", "ben", "cleo", "dora"])[codes]


@pytest.fixture
def new_samples():
    return np.random.default_rng(1).standard_normal((5000, 12))


def run(proto, X, outputs=("label", "probabilities")):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    kind = {"tensor(double)": np.float64, "tensor(float)": np.float32}[session.get_inputs()[0].type]
    return session.run(list(outputs), {"X": np.asarray(X, dtype=kind)})


def metadata_of(proto):
    return {each.key: each.value for each in proto.metadata_props}


def assert_same(model, X):
    labels, probabilities = run(to_onnx(model), X)
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_allclose(probabilities, model.predict_proba(X), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_labels_and_probabilities_are_ours(model, table, new_samples):
    assert_same(clone(model).fit(*table), new_samples)


@pytest.mark.parametrize("model", PREPARED, ids=lambda model: " ".join(str(model).split()))
def test_pipeline_gives_the_same(model, table, new_samples):
    X, y = table
    if "simpleimputer" in model.named_steps:
        X, new_samples = X.copy(), new_samples.copy()
        X[::7, 2] = X[1::9, 5] = np.nan
        new_samples[::5, 2] = new_samples[::3, 7] = np.nan
    assert_same(clone(model).fit(X, y), new_samples)


@pytest.mark.parametrize("impute", [None, "median"])
@pytest.mark.parametrize("method", ["l2", "l1", "disjoint", "fisher", "l21", "relief"])
def test_every_way_to_select_can_be_translated(method, impute, table, new_samples):
    X, y = table
    X, new_samples = X.copy(), new_samples.copy()
    if impute is not None:
        X[::7, 2] = new_samples[::5, 2] = np.nan
    options = {"n_features_to_select": 5, "cv": 3, "n_repeats": 1, "random_state": 0}
    assert_same(select_features(X, y, method=method, impute=impute, **options).model, new_samples)


@pytest.mark.parametrize("method", ["l2", "relief"])
@pytest.mark.parametrize("impute", [None, "median"])
def test_scores_and_thresholds_tell_which_classes_are_credible(method, impute, table, new_samples):
    X, y = table
    options = {"n_features_to_select": 5, "cv": 3, "n_repeats": 1, "random_state": 0}
    model = select_features(X, y, method=method, impute=impute, **options).model
    proto, scale = to_onnx(model), 10.0 ** np.arange(-3, 3)
    new_samples = np.vstack([0.0 * new_samples[:1], *(new_samples[:500] * each for each in scale)])
    outputs = ["scores", "outlyingness"]
    scores, outlyingness = run(proto, new_samples, outputs)
    conformal = (model if impute is None else model[-1]).without_background()
    expected = conformal.nonconformity(new_samples)
    # Of two classes scikit-learn's logistic regression has 1 - p, without the digits of small ones.
    mine, ours = (np.minimum(each, 15.0) for each in (scores, expected[0]))
    np.testing.assert_allclose(mine, ours, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(outlyingness, expected[1], rtol=1e-9)
    levels = json.loads(metadata_of(proto)["no_call"])
    assert list(levels) == ["0.01", "0.05", "0.1", "0.2"]
    for level, most in levels.items():
        bounds = [np.inf if bound is None else bound for bound in most["scores"]]
        outer = np.inf if most["outlyingness"] is None else most["outlyingness"]
        credible = (scores <= bounds) & (outlyingness <= outer)
        np.testing.assert_array_equal(credible, conformal.predict_set(new_samples, float(level)))


def test_one_against_the_others_is_refused(table):
    model = LogisticRegression().fit(table[0], np.arange(90) % 3)
    model.solver = "liblinear"  # which only older versions of scikit-learn fit to three classes
    with pytest.raises(TypeError, match="solver='liblinear' must have two classes"):
        to_onnx(model)


def test_column_without_any_value_is_left_out(table, new_samples):
    X, y = table
    X, new_samples = X.copy(), new_samples.copy()
    X[:, 3] = np.nan
    model = make_pipeline(SimpleImputer(), SparseCenterClassifier(4))
    with pytest.warns(UserWarning, match="Skipping features"):
        model.fit(X, y)
    labels, _ = run(to_onnx(model), new_samples)
    with pytest.warns(UserWarning, match="Skipping features"):
        expected = model.predict(new_samples)
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        ([7, -2], np.int64),
        ([False, True], np.bool_),
        ([1.0, 3.0], np.float64),
        (["no", "yes"], np.object_),
        (np.array(["no", "yes"], dtype=object), np.object_),
    ],
    ids=str,
)
def test_labels_of_any_type_come_out(labels, dtype, new_samples):
    codes = np.arange(90) % 2
    X = np.random.default_rng(0).standard_normal((90, 12)) + codes[:, None]
    model = SparseCenterClassifier(3).fit(X, np.array(labels)[codes])
    found, _ = run(to_onnx(model), new_samples)
    assert found.dtype == dtype
    assert found.tolist() == model.predict(new_samples).tolist()


@pytest.mark.parametrize("model", MODELS[:6] + MODELS[8:11], ids=str)
def test_float32_samples_are_decided_alike(model, table, new_samples):
    X, y = table
    model = clone(model).fit(X.astype(np.float32), y)
    assert_same(model, new_samples.astype(np.float32))


@pytest.mark.parametrize("metric", ["l2", "l1"])
def test_exact_tie_goes_to_the_first_class(metric):
    X = np.array([[0.0, 0.0], [2.0, 2.0], [0.0, 4.0]])
    model = SparseCenterClassifier(metric=metric).fit(X, list("abc"))
    ties = np.array([[1.0, 1.0], [0.0, 2.0], [1.0, 3.0], [5.0, -3.0]])
    assert_same(model, ties)


def test_near_ties_differ_only_where_rounding_decides(table):
    X, y = table
    model = SparseCenterClassifier().fit(X, y)
    first, second = model.centers_[:2]
    steps = np.random.default_rng(0).uniform(-1e-15, 1e-15, (2000, 1))
    middle = (first + second) / 2 + steps * (second - first)
    labels, probabilities = run(to_onnx(model), middle)
    expected = model.predict_proba(middle)
    np.testing.assert_allclose(probabilities, expected, rtol=1e-9)
    differs = labels != model.predict(middle)
    best = np.sort(expected[differs], axis=1)
    np.testing.assert_allclose(best[:, -1], best[:, -2], rtol=1e-12)


@pytest.mark.parametrize(
    "model", [SparseCenterClassifier(3), DisjointCentroidClassifier("margin")], ids=str
)
def test_class_without_samples_is_never_predicted(model, table, new_samples):
    X, y = table
    classes = ["anna", "ben", "cleo", "dora", "emil"]
    model = clone(model).partial_fit(X, y, classes=classes)
    assert_same(model, new_samples)
    _, probabilities = run(to_onnx(model), new_samples)
    assert probabilities[:, -1].max() < 1e-300


def test_features_of_a_data_frame_are_taken_in_order(table, new_samples):
    X, y = table
    names = [f"gene {number}" for number in range(12)]
    model = SparseCenterClassifier(3).fit(pd.DataFrame(X, columns=names), y)
    labels, _ = run(to_onnx(model), new_samples)
    expected = model.predict(pd.DataFrame(new_samples, columns=names))
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize("model", [*MODELS, *PREPARED], ids=one_line)
def test_graph_of_selected_features_decides_alike(model, table, new_samples):
    names = np.array([f"gene {number}" for number in range(12)])
    model = clone(model).fit(pd.DataFrame(table[0], columns=names), table[1])
    proto = to_onnx(model, selected_only=True)
    taken = json.loads(metadata_of(proto)["feature_names"])
    new_samples = pd.DataFrame(new_samples[:500], columns=names)
    labels, probabilities = run(proto, new_samples[taken])
    np.testing.assert_array_equal(labels, model.predict(new_samples))
    expected = model.predict_proba(new_samples)
    np.testing.assert_allclose(probabilities, expected, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(
    ("model", "n_taken"),
    [
        (SparseCenterClassifier(4), 4),
        (make_pipeline(SimpleImputer(), StandardScaler(), SparseCenterClassifier(3)), 3),
        (make_pipeline(ReliefFSelector(5), StandardScaler(), LogisticRegression()), 5),
        (ConformalClassifier(SparseCenterClassifier(4)), 4),
        (SparseCenterClassifier(3, metric="mahalanobis"), 12),
        (FisherSubspaceClassifier(), 12),
    ],
    ids=one_line,
)
def test_graph_takes_no_more_than_the_model_looks_at(model, n_taken, table):
    proto = to_onnx(model.fit(*table), selected_only=True)
    assert proto.graph.input[0].type.tensor_type.shape.dim[1].dim_value == n_taken


@pytest.mark.parametrize("model", WITHOUT_COSTS, ids=one_line)
def test_single_precision_decides_alike_where_it_is_clear(model, table, new_samples):
    model, new_samples = clone(model).fit(*table), new_samples[:500]
    proto = to_onnx(model, dtype="float32", selected_only=True)
    taken = [int(name[1:]) for name in json.loads(metadata_of(proto)["feature_names"])]
    labels, probabilities = run(proto, new_samples[:, taken])
    expected = model.predict_proba(new_samples)
    assert probabilities.dtype == np.float32
    np.testing.assert_allclose(probabilities, expected, atol=2e-5)
    is_clear = np.ptp(np.sort(expected, axis=1)[:, -2:], axis=1) > 1e-3
    assert is_clear.mean() > 0.9
    np.testing.assert_array_equal(labels[is_clear], model.predict(new_samples)[is_clear])


def test_metadata_tell_features_classes_and_what_is_known(table):
    X, y = table
    names = [f"gene {number}" for number in range(12)]
    found = select_features(
        pd.DataFrame(X, columns=names), y, method="l2", n_features_to_select=3, cv=3, n_repeats=1
    )
    proto = to_onnx(found.model, selected_only=True, metadata=found.card())
    known = metadata_of(proto)
    assert sorted(json.loads(known["feature_names"])) == sorted(found.selected_names)
    assert json.loads(known["classes"]) == found.classes.tolist()
    assert (known["method"], known["model"]) == ("l2", "SparseCenterClassifier")
    assert json.loads(known["score"]) == found.score
    assert json.loads(known["interval"]) == list(found.interval)
    assert (proto.producer_name, proto.producer_version) == ("centroidal", centroidal.__version__)


def test_features_without_names_are_numbered(table):
    known = metadata_of(to_onnx(SparseCenterClassifier(2).fit(*table)))
    assert json.loads(known["feature_names"]) == [f"x{number}" for number in range(12)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"dtype": "float16"}, "dtype='float16' must be one of 'float64', 'float32'"),
        ({"selected_only": "yes"}, "selected_only='yes' must be True or False"),
    ],
)
def test_wrong_option_is_named(wrong, message, table):
    with pytest.raises((ValueError, TypeError), match=message):
        to_onnx(SparseCenterClassifier().fit(*table), **wrong)


def test_file_holds_the_graph(table, tmp_path):
    path = tmp_path / "model.onnx"
    model = FisherSubspaceClassifier().fit(*table)
    proto = to_onnx(model, path)
    assert onnx.load(path) == proto
    with pytest.raises(FileExistsError, match="force=True"):
        to_onnx(model, path)
    to_onnx(SparseCenterClassifier().fit(*table), path, force=True)
    assert onnx.load(path) != proto
    assert [each.name for each in tmp_path.iterdir()] == ["model.onnx"]


def test_name_must_end_in_onnx(table, tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.onnx"):
        to_onnx(SparseCenterClassifier().fit(*table), tmp_path / "model.bin")


@pytest.mark.parametrize(
    "model",
    [
        MixtureFisherClassifier(),
        RidgeClassifier(),
        make_pipeline(MinMaxScaler(), SparseCenterClassifier()),
        make_pipeline(SparseCenterClassifier(), LogisticRegression()),
    ],
    ids=lambda model: " ".join(str(model).split()),
)
def test_error_lists_what_can_be_translated(model):
    with pytest.raises(TypeError, match=r"possible are SparseCenterClassifier, .*SimpleImputer"):
        to_onnx(model)


@pytest.mark.parametrize(
    "imputer", [SimpleImputer(missing_values=-1), SimpleImputer(add_indicator=True)], ids=str
)
def test_imputer_must_replace_missing_values_only(imputer, table):
    X, y = table
    X = np.where(X > 1.5, imputer.missing_values, X)
    model = make_pipeline(imputer, SparseCenterClassifier(3)).fit(X, y)
    with pytest.raises(TypeError, match="SimpleImputer must"):
        to_onnx(model)


@pytest.mark.parametrize("model", [MODELS[0], PREPARED[0]], ids=["alone", "pipeline"])
def test_model_must_be_fitted(model):
    with pytest.raises(NotFittedError):
        to_onnx(clone(model))


def test_labels_that_graphs_do_not_have_are_refused():
    days = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]")
    codes = np.arange(20) % 2
    X = np.random.default_rng(0).standard_normal((20, 3))
    try:
        model = SparseCenterClassifier().fit(X, days[codes])
    except (TypeError, ValueError):
        pytest.skip("times are no labels for this version of scikit-learn")
    with pytest.raises(TypeError, match="classes_"):
        to_onnx(model)
