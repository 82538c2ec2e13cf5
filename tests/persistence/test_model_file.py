"""Model files: what goes in comes out, and nothing else does."""

import io
import json
import os
import subprocess
import sys
import tracemalloc
import warnings
import zipfile
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csc_array, csr_matrix, save_npz
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import centroidal
from centroidal import (
    CostSensitiveClassifier,
    DecisionDAGClassifier,
    DisjointCentroidClassifier,
    FisherSubspaceClassifier,
    FisherSubspaceClassifierCV,
    KernelFisherSubspaceClassifier,
    L21CentroidSelector,
    MixtureFisherClassifier,
    OnlineFisherSubspaceClassifier,
    ReliefFSelector,
    SparseCenterClassifier,
    SparseCenterClassifierCV,
)
from centroidal._model_html import ModelPipeline
from centroidal.model_selection import SiteCounts, SiteSummary
from centroidal.persistence import UntrustedTypeError, load_model, read_model_card, save_model
from centroidal.persistence.trusted_types import ALLOWED
from centroidal.persistence.trusted_types import ESTIMATORS as TRUSTED_ESTIMATORS
from centroidal.preprocessing import WordCounter, WordHasher, WordWeights
from tests.persistence.models.write import FOLDER, models, result, samples
from tests.public_names import PUBLIC_ESTIMATORS
from tests.test_all_estimators import ENCODERS, ESTIMATORS, TRANSFORMERS, WITHOUT_PROBABILITIES

skops = pytest.importorskip("skops", reason="model files need skops")
import_module("skops.io")

# Disjoint groups warn where there are more classes than features; it is not what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore:n_features=. are too few:UserWarning")

_MARGIN = DisjointCentroidClassifier("margin")
OF_SITES = [SiteSummary(), SiteCounts()]
EVERYTHING = ESTIMATORS + WITHOUT_PROBABILITIES + TRANSFORMERS + ENCODERS
OF_TEXT = [WordCounter(), WordHasher(), WordWeights()]  # kept with models in test_text.py
OF_STEPS = [ModelPipeline([("classify", SparseCenterClassifier())])]
N_MUTANTS = int(os.environ.get("CENTROIDAL_N_MUTANTS", "300"))


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    X = rng.standard_normal((60, 6)) + 2.0 * np.eye(3, 6)[y]
    return X, np.array(["a", "b", "c"])[y]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skops"


def saved_and_loaded(model, path):
    save_model(model, path)
    return load_model(path)


# What goes in comes out --------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", EVERYTHING, ids=str)
def test_fitted_estimator_gives_the_same_to_the_bit(estimator, table, path):
    if estimator in ENCODERS:
        pytest.importorskip("torch", reason="encoders need PyTorch")
    assert_same_to_the_bit(clone(estimator).fit(*table), table[0], path)


@pytest.mark.parametrize(
    "estimator",
    [
        DisjointCentroidClassifier("margin", disjoint=False, calibration="logistic"),
        FisherSubspaceClassifier(),
        FisherSubspaceClassifierCV(),
        KernelFisherSubspaceClassifier(),
        OnlineFisherSubspaceClassifier(),
        SparseCenterClassifier(),
        SparseCenterClassifier(metric="mahalanobis", covariance=np.eye(6) + 0.5),
    ],
    ids=str,
)
def test_classifier_of_two_classes_gives_the_same_to_the_bit(estimator, table, path):
    X, y = table
    assert_same_to_the_bit(clone(estimator).fit(X, y == "a"), X, path)


def assert_same_to_the_bit(model, X, path):
    loaded = saved_and_loaded(model, path)
    assert type(loaded) is type(model)
    np.testing.assert_array_equal(result(loaded, X), result(model, X))
    assert vars(loaded).keys() == vars(model).keys()
    assert str(loaded.get_params()) == str(model.get_params())


@pytest.mark.parametrize("estimator", EVERYTHING, ids=str)
def test_estimator_that_is_not_fitted_keeps_its_parameters(estimator, path):
    loaded = saved_and_loaded(clone(estimator), path)
    assert repr(loaded) == repr(estimator)


def test_list_of_estimators_is_complete():
    ours = {name for name in TRUSTED_ESTIMATORS if name.startswith("centroidal.")}
    public = {type(each) for each in (*EVERYTHING, *OF_TEXT, *OF_SITES, *OF_STEPS)}
    assert {getattr(centroidal, name) for name in PUBLIC_ESTIMATORS} <= public
    assert ours == {f"{each.__module__}.{each.__qualname__}" for each in public}


def test_best_estimator_comes_out_too(table, path):
    X, y = table
    model = SparseCenterClassifierCV(cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=2)).fit(X, y)
    loaded = saved_and_loaded(model, path)
    best, expected = loaded.best_estimator_, model.best_estimator_
    np.testing.assert_array_equal(best.predict_proba(X), expected.predict_proba(X))
    assert loaded.cv.n_repeats == 2


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(
            SimpleImputer(strategy="median"), StandardScaler(), SparseCenterClassifier(2)
        ),
        make_pipeline(SimpleImputer(add_indicator=True), FisherSubspaceClassifier()),
        make_pipeline(ReliefFSelector(3), LogisticRegression()),
        make_pipeline(StandardScaler(), DecisionDAGClassifier(SparseCenterClassifier(2))),
        CostSensitiveClassifier(SparseCenterClassifier(2), class_weight="balanced"),
        make_pipeline(StandardScaler(), CostSensitiveClassifier(LogisticRegression())),
        make_pipeline(FunctionTransformer(np.arcsinh), SelectKBest(f_classif, k=3), _MARGIN),
        CalibratedClassifierCV(SparseCenterClassifier(2), cv=3),
        SparseCenterClassifierCV(scoring=make_scorer(accuracy_score)),
    ],
    ids=lambda model: " ".join(str(model).split()),
)
def test_model_with_parts_of_scikit_learn_gives_the_same_to_the_bit(model, table, path):
    X, y = table
    model = clone(model).fit(X, y)
    loaded = saved_and_loaded(model, path)
    use = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    np.testing.assert_array_equal(getattr(loaded, use)(X), getattr(model, use)(X))


@pytest.mark.parametrize("kind", [csr_matrix, csc_array])
def test_sparse_training_samples_come_out(kind, table, path):
    X, y = kind(np.maximum(table[0], 0.0)), table[1]
    model = KernelFisherSubspaceClassifier().fit(X, y)
    loaded = saved_and_loaded(model, path)
    assert type(loaded.X_fit_) is type(model.X_fit_)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_names_of_features_and_any_labels_come_out(table, path):
    X, y = pd.DataFrame(table[0], columns=list("uvwxyz")), table[1] == "a"
    model = SparseCenterClassifier(2).set_output(transform="pandas").fit(X, y)
    loaded = saved_and_loaded(model, path)
    pd.testing.assert_frame_equal(loaded.transform(X), model.transform(X))
    assert loaded.predict(X).dtype == bool


def test_loaded_stream_goes_on(table, path):
    X, y = table
    model = OnlineFisherSubspaceClassifier(2, window=2).partial_fit(
        X[:30], y[:30], classes=list("abc")
    )
    loaded = saved_and_loaded(model, path)
    for each in (model, loaded):
        each.partial_fit(X[30:], y[30:])
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_arrays_that_are_shared_are_stored_once(table, path):
    save_model(SparseCenterClassifierCV().fit(*table), path)
    model = load_model(path)
    assert model._solution.path.gains is model.feature_gains_
    assert model.best_estimator_.feature_gains_ is model.feature_gains_


PROGRAM = """
import sys
from centroidal import StabilitySelector
before = set(sys.modules)  # pandas, which scikit-learn loads where it is there, may load pyarrow
import centroidal.io
print({"skops", "onnx", "onnxruntime", "skl2onnx", "pyarrow"} & (set(sys.modules) - before))
import numpy as np
for name in sys.argv[1:]:
    model = centroidal.persistence.load_model(name)
    np.save(name + ".npy", model.decision_function(np.load("X.npy")))
"""


def test_fresh_process_gives_the_same_to_the_bit_and_loads_only_what_it_needs(table, tmp_path):
    X, y = table
    fitted = {
        "sparse.skops": SparseCenterClassifierCV(metric="l1").fit(X, y),
        "fisher.skops": make_pipeline(StandardScaler(), FisherSubspaceClassifier()).fit(X, y),
        "dag.skops": DecisionDAGClassifier(KernelFisherSubspaceClassifier()).fit(X, y),
    }
    np.save(tmp_path / "X.npy", X)
    for name, model in fitted.items():
        save_model(model, tmp_path / name)
    command = [sys.executable, "-c", PROGRAM, *fitted]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"
    for name, model in fitted.items():
        np.testing.assert_array_equal(np.load(tmp_path / f"{name}.npy"), model.decision_function(X))


@pytest.mark.parametrize("name", [name for name, _ in models()])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
def test_file_of_an_earlier_version_gives_what_it_gave(name):
    if name == "SparseCentroidEncoder":
        pytest.importorskip("torch", reason="encoders need PyTorch")
    X, _ = samples()
    stored, model = read_model_card(FOLDER / f"{name}.skops"), load_model(FOLDER / f"{name}.skops")
    np.testing.assert_allclose(result(model, X), stored.metadata["result"], rtol=1e-9, atol=1e-12)
    if "predicted" in stored.metadata:
        assert model.predict(X).tolist() == stored.metadata["predicted"]


# The card ----------------------------------------------------------------------------------------


def test_card_says_what_is_in_the_file(table, path):
    X, y = pd.DataFrame(table[0], columns=list("uvwxyz")), table[1]
    model = make_pipeline(StandardScaler(), SparseCenterClassifier(2, priors=[0.2, 0.3, 0.5]))
    save_model(model.fit(X, y), path, metadata={"study": "S1", "tries": [1, 2]})
    card = read_model_card(path)
    assert card.class_name == "Pipeline"
    assert card.parameters["sparsecenterclassifier__priors"] == [0.2, 0.3, 0.5]
    assert card.parameters["steps"][0] == ["standardscaler", "StandardScaler"]
    assert card.feature_names == list("uvwxyz")
    assert card.classes == ["a", "b", "c"]
    assert card.metadata == {"study": "S1", "tries": [1, 2]}
    assert card.centroidal_version == centroidal.__version__


def test_card_of_an_estimator_that_is_not_fitted_has_no_classes(path):
    save_model(DisjointCentroidClassifier(), path)
    card = read_model_card(path)
    assert card.classes is None
    assert card.feature_names is None
    assert card.parameters["baseline_weight"] == np.inf


def test_card_is_read_without_skops_and_without_building(table, path, monkeypatch):
    save_model(SparseCenterClassifier().fit(*table), path)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    assert read_model_card(path).class_name == "SparseCenterClassifier"
    with pytest.raises(ImportError, match=r"centroidal\[persist\]"):
        load_model(path)


@pytest.mark.parametrize("metadata", [[1], {1: 2}, {"a": object()}, "text"])
def test_metadata_must_be_what_json_can_say(metadata, path):
    with pytest.raises(TypeError, match="metadata"):
        save_model(SparseCenterClassifier(), path, metadata=metadata)


@pytest.mark.parametrize("version", ["999.0.0", f"{centroidal.__version__[0]}.999.1"])
def test_file_of_a_later_version_is_refused(version, path):
    save_model(SparseCenterClassifier(), path)
    edit_card(path, centroidal_version=version)
    with pytest.raises(ValueError, match=f"{path.name}.*{version}.*upgrade"):
        load_model(path)
    assert read_model_card(path).centroidal_version == version


def test_later_patch_of_the_same_version_is_read(path):
    save_model(SparseCenterClassifier(), path)
    release = ".".join(centroidal.__version__.split(".")[:2])
    edit_card(path, centroidal_version=f"{release}.999")
    assert isinstance(load_model(path), SparseCenterClassifier)


def test_scikit_learn_warns_of_its_parts_from_another_version(table, path):
    save_model(make_pipeline(StandardScaler(), SparseCenterClassifier()).fit(*table), path)
    members = read_members(path)
    ours, other = (json.dumps(json.dumps(each)).encode() for each in (sklearn.__version__, "1.0"))
    write_members(path, members | {"schema.json": members["schema.json"].replace(ours, other)})
    with pytest.warns(InconsistentVersionWarning):
        load_model(path)


def test_card_that_names_another_class_is_refused(path):
    save_model(SparseCenterClassifier(), path)
    edit_card(path, class_name="Pipeline")
    with pytest.raises(ValueError, match=path.name):
        load_model(path)


# Writing -----------------------------------------------------------------------------------------


def test_existing_file_is_kept_unless_forced(path):
    save_model(SparseCenterClassifier(1), path)
    with pytest.raises(FileExistsError, match="force=True"):
        save_model(SparseCenterClassifier(2), path)
    assert load_model(path).n_features_to_select == 1
    save_model(SparseCenterClassifier(2), path, force=True)
    assert load_model(path).n_features_to_select == 2


def test_name_must_end_in_skops(tmp_path):
    with pytest.raises(ValueError, match=r"model\.pkl.*must end in \.skops"):
        save_model(SparseCenterClassifier(), tmp_path / "model.pkl")


def test_failing_to_write_leaves_everything_as_it_was(path, monkeypatch):
    save_model(SparseCenterClassifier(1), path)

    def fail(*args):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        save_model(SparseCenterClassifier(2), path, force=True)
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert load_model(path).n_features_to_select == 1


def test_same_model_gives_the_same_bytes(table, tmp_path):
    for name in ("one", "two"):
        save_model(SparseCenterClassifierCV().fit(*table), tmp_path / f"{name}.skops")
    one, two = ((tmp_path / f"{name}.skops").read_bytes() for name in ("one", "two"))
    assert one == two


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (DisjointCentroidClassifier(random_state=np.random.RandomState(0)), "random_state"),
        (DecisionDAGClassifier(RandomForestClassifier(2)), "RandomForestClassifier"),
        (KernelFisherSubspaceClassifier(lambda X, Y: X @ Y.T), "lambda"),
        (KernelFisherSubspaceClassifier(np.load), "numpy.load"),
        (make_pipeline(SparseCenterClassifier(), memory="folder"), "memory"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(model, name, path):
    with pytest.raises(UntrustedTypeError, match=name):
        save_model(model, path)
    assert not path.exists()


def test_requests_for_metadata_are_not_saved(path):
    with sklearn.config_context(enable_metadata_routing=True):
        model = SparseCenterClassifier().set_fit_request(sample_weight=True)
    with pytest.raises(UntrustedTypeError, match="(?i)metadata"):
        save_model(model, path)


@pytest.mark.parametrize("model", [3, SparseCenterClassifier, None])
def test_what_is_no_estimator_is_not_saved(model, path):
    with pytest.raises(TypeError, match="estimator"):
        save_model(model, path)


# Files that are damaged, or meant to harm --------------------------------------------------------


def read_members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_members(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def edit_card(path, **changes):
    members = read_members(path)
    card = json.loads(members["centroidal.json"]) | changes
    write_members(path, members | {"centroidal.json": json.dumps(card)})


def edit_attribute(path, name, node, **members):
    """Replace an attribute of the model in a file."""
    members = read_members(path) | members
    schema = json.loads(members["schema.json"])
    schema["content"]["content"][name] = node
    write_members(path, members | {"schema.json": json.dumps(schema)})


def node(loader, kind, **content):
    module, _, name = kind.rpartition(".")
    return {"__class__": name, "__module__": module, "__loader__": loader, **content}


def plain(value):
    return node("JsonNode", "builtins.str", content=json.dumps(value), is_json=True)


def sequence(*nodes, kind="list"):
    loader = {"list": "ListNode", "tuple": "TupleNode"}[kind]
    return node(loader, f"builtins.{kind}", content=list(nodes))


def mapping(**nodes):
    types = sequence(*(node("TypeNode", "builtins.str") for _ in nodes))
    return node("DictNode", "builtins.dict", content=nodes, key_types=types)


HARMFUL = {
    "eval": node("FunctionNode", "builtins.eval"),
    "system": node("FunctionNode", "os.system"),
    "joblib.load": node("FunctionNode", "joblib.numpy_pickle.load"),
    "numpy.load": node("FunctionNode", "numpy.load"),
    "scipy.io": node("FunctionNode", "scipy.io.matlab._mio.loadmat"),
    "fetch": node("FunctionNode", "sklearn.datasets._openml.fetch_openml"),
    "function of ours": node("FunctionNode", "centroidal._files.write_atomically"),
    "function as type": node("TypeNode", "builtins.exec"),
    "function as object": node("ObjectNode", "os.system", content=mapping()),
    "class as function": node("FunctionNode", "subprocess.Popen"),
    "constructor": node(
        "ConstructorFromReduceNode", "subprocess.Popen", content=sequence(plain("true"))
    ),
    "method": node(
        "MethodNode", "builtins.dict", content={"func": "clear", "obj": mapping(a=plain(1))}
    ),
    "methodcaller": node(
        "OperatorFuncNode", "operator.methodcaller", attrs=sequence(plain("fit"), kind="tuple")
    ),
    "partial": node(
        "PartialNode",
        "functools.partial",
        content={
            "func": node("FunctionNode", "os.system"),
            "args": sequence(plain("true"), kind="tuple"),
            "kwds": mapping(),
            "namespace": plain(None),
        },
    ),
    "cache": node("CachedNode", "builtins.str", __id__=1),
    "old function": node(
        "FunctionNode", "numpy.log1p0", content={"module_path": "os", "function": "system"}
    ),
    "tree": node("TreeNode", "sklearn.tree._tree.Tree", content=mapping(), __reduce__={}),
    "generator": node("RandomGeneratorNode", "numpy.random._generator.Generator", content={}),
    "mapped file": node("NdArrayNode", "numpy.memmap", type="numpy", file="1.npy"),
    "bytes": node("BytesNode", "builtins.bytes", file="1.npy"),
    "key": node(
        "DictNode",
        "builtins.dict",
        content={"id": plain(1)},
        key_types=sequence(node("TypeNode", "os.system")),
    ),
    "key that is no type": node(
        "DictNode",
        "builtins.dict",
        content={"id": plain(1)},
        key_types=sequence(node("FunctionNode", "numpy.log1p")),
    ),
    "ordered dict": node("DictNode", "collections.OrderedDict", content={}, key_types=sequence()),
    "tuple of others": node("TupleNode", "os.stat_result", content=[plain(1)]),
    "estimator of others": node("ObjectNode", "sklearn.svm._classes.SVC", content=mapping()),
    "vectorizer of others": node(
        "ObjectNode",
        "sklearn.feature_extraction._dict_vectorizer.DictVectorizer",
        content=mapping(),
    ),
    "unknown loader": node("PickleNode", "builtins.str"),
    "dots in a name": {**node("TypeNode", "builtins.str"), "__class__": "str.__class__"},
}


@pytest.mark.parametrize("harmful", HARMFUL.values(), ids=HARMFUL)
def test_type_that_is_not_on_the_list_is_refused_by_name(harmful, path, monkeypatch):
    save_model(SparseCenterClassifier(), path)
    for each in (harmful, sequence(plain(1), mapping(inside=harmful), kind="tuple")):
        edit_attribute(path, "priors", each)
        monkeypatch.setattr("skops.io.loads", lambda *args, **kwargs: pytest.fail("was built"))
        with pytest.raises(UntrustedTypeError, match=path.name):
            load_model(path)


def test_refusal_names_the_type(path):
    save_model(SparseCenterClassifier(), path)
    edit_attribute(path, "priors", HARMFUL["system"])
    with pytest.raises(UntrustedTypeError, match=r"model\.skops: os\.system is not allowed"):
        load_model(path)


def test_module_of_a_refused_type_is_not_imported(path, canary):
    save_model(SparseCenterClassifier(), path)
    edit_attribute(path, "priors", node("ObjectNode", "canary.Song", content=mapping()))
    with pytest.raises(UntrustedTypeError, match=r"canary\.Song"):
        load_model(path)
    assert not canary.exists()


def test_skops_audits_again(path, monkeypatch):
    save_model(SparseCenterClassifier(), path)
    loads = skops.io.loads
    monkeypatch.setattr(skops.io, "loads", lambda data, trusted: loads(data, trusted=[]))
    with pytest.raises(ValueError, match=r"Untrusted types.*SparseCenterClassifier"):
        load_model(path)


def test_every_name_on_the_list_is_a_class_or_a_function():
    names = set().union(*ALLOWED.values())
    recent = {"sklearn.calibration._TemperatureScaling"}  # from scikit-learn 1.8 on
    for name in names - recent:
        module, _, each = name.rpartition(".")
        found = getattr(import_module(module), each)
        assert isinstance(found, type) != (name in ALLOWED["FunctionNode"]), name


def array_bytes(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


class Song:
    """Would write a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.write_text, (self.path, "sung")


def test_pickled_array_is_refused(path, tmp_path):
    sung = tmp_path / "sung"
    save_model(SparseCenterClassifier(), path)
    forged = array_bytes(np.array([Song(sung)], dtype=object))
    array = node("NdArrayNode", "numpy.ndarray", type="numpy", file="1.npy")
    edit_attribute(path, "priors", array, **{"1.npy": forged})
    with pytest.raises(ValueError, match=path.name):
        load_model(path)
    assert not sung.exists()


HEADER = "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}\n"


@pytest.mark.parametrize(
    "header",
    [
        HEADER.format("<f8", "(1000000000000,)"),
        HEADER.format("<f8", "(0, 3)") + " " * 20_000,
        HEADER.format("<U0", "(1000000000000,)"),
        HEADER.format("<f8", "(1 0)"),
        HEADER.format("|O", "(0,)"),
        HEADER.format("|V8", "(0,)"),
        HEADER.format("<f8", "(0,) + ().__class__"),
        HEADER.format("<M8[generic0]", "(0,)"),
        "{" * 500,
        "",
    ],
    ids=lambda header: header[:60],
)
def test_array_must_be_as_long_as_it_says(header, path):
    save_model(SparseCenterClassifier(), path)
    text = header.encode()
    forged = b"\x93NUMPY\x02\x00" + len(text).to_bytes(4, "little") + text
    array = node("NdArrayNode", "numpy.ndarray", type="numpy", file="1.npy")
    edit_attribute(path, "priors", array, **{"1.npy": forged})
    with pytest.raises(ValueError, match=path.name):
        load_model(path)


def test_scalar_must_be_a_single_value(path):
    save_model(SparseCenterClassifier(), path)
    array = node("NdArrayNode", "numpy.float64", type="numpy", file="1.npy")
    edit_attribute(path, "priors", array, **{"1.npy": array_bytes(np.zeros(3))})
    with pytest.raises(ValueError, match="single value"):
        load_model(path)


def sparse_bytes(indices=(0, 1), indptr=(0, 1, 2), shape=(2, 2), **others):
    buffer = io.BytesIO()
    save_npz(buffer, csr_matrix(np.eye(2)))
    arrays = dict(np.load(io.BytesIO(buffer.getvalue())))
    arrays |= {
        "indices": np.array(indices, dtype=np.int32),
        "indptr": np.array(indptr, dtype=np.int32),
        "shape": np.array(shape),
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **(arrays | others))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        (DisjointCentroidClassifier("margin"), "norm", "l1"),
        (OnlineFisherSubspaceClassifier(), "window_unit", "rows"),
        (DecisionDAGClassifier(SparseCenterClassifier()), "order", "random"),
        (MixtureFisherClassifier(), "recluster", "yes"),
        (L21CentroidSelector(), "solver", "sgd"),
        (SparseCenterClassifier(metric="mahalanobis"), "covariance", "pooled"),
        (SparseCenterClassifier(metric="mahalanobis"), "covariance", [[1.0, 2.0]]),
    ],
    ids=str,
)
def test_parameter_that_cannot_be_is_refused_by_name(model, name, value, table, path):
    save_model(clone(model).fit(*table), path)
    is_list = isinstance(value, list)
    forged = sequence(*(sequence(*map(plain, row)) for row in value)) if is_list else plain(value)
    edit_attribute(path, name, forged)
    with pytest.raises(ValueError, match=name):
        load_model(path)


@pytest.mark.parametrize(
    "forged",
    [
        {"indices": (0, 10**6)},
        {"indices": (-5, 1)},
        {"indptr": (0, 10**6, 2)},
        {"indptr": (0, 1, 3)},
        {"shape": (10**9, 2)},
        {"format": np.array(b"csc")},
        {"format": np.array(b"dia")},
        {"more": np.zeros(2**22)},
        {"data": np.array([Song("x")], dtype=object)},
    ],
)
def test_sparse_matrix_must_be_sound(forged, path):
    save_model(SparseCenterClassifier(), path)
    matrix = node("SparseMatrixNode", "scipy.sparse._csr.csr_matrix", type="scipy", file="1.npz")
    edit_attribute(path, "priors", matrix, **{"1.npz": sparse_bytes()})
    assert load_model(path).priors.toarray().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    edit_attribute(path, "priors", matrix, **{"1.npz": sparse_bytes(**forged)})
    with pytest.raises(ValueError, match=path.name):
        load_model(path)


def nested(depth):
    inner = plain(1)
    for _ in range(depth):
        inner = sequence(inner)
    return inner


def test_depth_of_objects_is_limited(path):
    save_model(SparseCenterClassifier(), path)
    edit_attribute(path, "priors", nested(40))
    load_model(path)
    edit_attribute(path, "priors", nested(100))
    with pytest.raises(ValueError, match="nested too deeply"):
        load_model(path)


@pytest.mark.parametrize("name", ["schema.json", "centroidal.json"])
def test_depth_of_texts_is_limited(name, path):
    save_model(SparseCenterClassifier(), path)
    write_members(path, read_members(path) | {name: b"[" * 10**6})
    with pytest.raises(ValueError, match="nested too deeply"):
        load_model(path)


def test_object_that_would_hold_itself_does_not(path):
    save_model(SparseCenterClassifier(), path)
    inner = {**sequence(), "__id__": 7}
    edit_attribute(path, "priors", {**sequence(inner), "__id__": 7})
    assert load_model(path).priors == [[]]


def test_references_do_not_multiply_work(path):
    # Each list would hold the next one twice, if identities were believed: 2 ** 50 of them.
    inner = {**sequence(), "__id__": 100}
    for number in range(50):
        inner = {**sequence(inner, {**sequence(), "__id__": 100 + number}), "__id__": 101 + number}
    save_model(SparseCenterClassifier(), path)
    edit_attribute(path, "priors", inner)
    assert len(load_model(path).priors) == 2


def test_array_counts_each_time_that_it_is_built(path):
    save_model(SparseCenterClassifier(), path)
    kinds = ("numpy.float64", "numpy.float32", "numpy.int64", "numpy.str_")
    arrays = [node("NdArrayNode", kind, type="numpy", file="1.npy") for kind in kinds]
    content = array_bytes(np.array("x" * 10_000))
    edit_attribute(path, "priors", sequence(*arrays), **{"1.npy": content})
    with pytest.raises(ValueError, match="larger than max_bytes"):
        load_model(path, max_bytes=100_000)


BOMBS = {
    "zeros": lambda members: members | {"1.npy": bytes(2**25)},
    "schema": lambda members: members | {"schema.json": b" " * 2**25},
    "card": lambda members: members | {"centroidal.json": b" " * 2**25},
    "members": lambda members: members | {f"{number}.npy": b"" for number in range(1001)},
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_bomb_is_refused_before_it_is_unpacked(bomb, path, monkeypatch):
    monkeypatch.setattr(centroidal.persistence.archive, "_MAX_MEMBERS", 1000)
    save_model(SparseCenterClassifier(), path)
    write_members(path, bomb(read_members(path)), zipfile.ZIP_DEFLATED)
    for read in (load_model, read_model_card):
        tracemalloc.start()
        try:
            with pytest.raises(ValueError, match=r"model\.skops.* (more than|bytes)"):
                read(path)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 2**22


def test_size_is_limited_by_max_bytes(table, path):
    save_model(SparseCenterClassifierCV().fit(*table), path)
    size = path.stat().st_size
    with pytest.raises(ValueError, match=f"max_bytes={size - 1}"):
        load_model(path, max_bytes=size - 1)
    with pytest.raises(ValueError, match="would unpack to"):
        load_model(path, max_bytes=size + 1)
    load_model(path, max_bytes=20 * size)


def damaged(path):
    """Files that are damaged in several ways, by what was done."""
    content, members = path.read_bytes(), read_members(path)
    yield b""
    yield b"not a zip archive"
    yield content[:-1]
    yield content[: len(content) // 2]
    yield content[100:]
    for name in members:
        yield {each: text for each, text in members.items() if each != name}
    for text in (b"", b"{", b"[]", b"null", b"3", b"{}", b'"text"', b"\xff\xfe", b"NaN"):
        yield members | {"schema.json": text}
        yield members | {"centroidal.json": text}
    schema = json.loads(members["schema.json"])
    for change in (
        {"protocol": 0},
        {"protocol": None},
        {"protocol": True},
        {"protocol": "2"},
        {"content": []},
        {"content": 3},
        {"content": plain(3)},
        {"__class__": None},
        {"__module__": ["sklearn"]},
        sequence(),
        plain(1),
    ):
        yield members | {"schema.json": json.dumps(schema | change)}


def test_damaged_file_is_refused_by_name(table, path):
    save_model(SparseCenterClassifier().fit(*table), path)
    for number, content in enumerate(damaged(path)):
        bad = path.with_name(f"bad_{number}.skops")
        if isinstance(content, dict):
            write_members(bad, content)
        else:
            bad.write_bytes(content)
        with pytest.raises(ValueError, match=bad.name):
            load_model(bad)


def test_file_that_is_not_there_is_said_to_be_missing(path):
    for read in (load_model, read_model_card):
        with pytest.raises(FileNotFoundError, match=path.name):
            read(path)


def test_plain_file_of_skops_is_refused(path):
    skops.io.dump(SparseCenterClassifier(), path)
    with pytest.raises(ValueError, match=r"centroidal\.json.*save_model writes it"):
        load_model(path)


def test_encrypted_and_unknown_packing_are_refused(path):
    save_model(SparseCenterClassifier(), path)
    write_members(path, read_members(path), zipfile.ZIP_LZMA)
    with pytest.raises(ValueError, match="packed in an unknown way"):
        load_model(path)


# Mutants -----------------------------------------------------------------------------------------


@pytest.fixture
def canary(tmp_path, monkeypatch):
    """A file that is written when the module ``canary`` is imported."""
    sung = tmp_path / "sung"
    text = f"import pathlib\npathlib.Path({str(sung)!r}).touch()\nclass Song: pass\n"
    (tmp_path / "canary.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return sung


def all_places(value, places):
    """Collect (container, key) of everything inside a parsed text."""
    keys = range(len(value)) if isinstance(value, list) else value
    for key in keys:
        places.append((value, key))
        if isinstance(value[key], list | dict):
            all_places(value[key], places)
    return places


def flip_bits(rng, content):
    content = bytearray(content)
    for place in rng.integers(0, len(content), rng.integers(1, 9)):
        content[place] ^= 1 << rng.integers(8)
    return bytes(content)


def cut(rng, content):
    start, stop = np.sort(rng.integers(0, len(content) + 1, 2))
    return (
        content[:start] + bytes(rng.integers(0, 256, rng.integers(0, 40)).tolist()) + content[stop:]
    )


def edit_text(rng, content):
    try:
        value = json.loads(content)
    except ValueError:
        return content
    names = ["canary", "os", "builtins", "numpy", "sklearn.pipeline", "Song", "system", "eval"]
    names += ["Pipeline", "float64", "ndarray", "1.npy", "numpy", "json", "", "null", "[[]]"]
    loaders = [*ALLOWED, "MethodNode", "PartialNode", "OperatorFuncNode", "CachedNode"]
    loaders += ["ConstructorFromReduceNode", "BytesNode", "RandomStateNode", "TreeNode"]
    others = [None, True, 0, -1, 2.5, 10**30, [], {}, sequence(), mapping(), *HARMFUL.values()]
    pool = names + loaders + others
    for _ in range(rng.integers(1, 4)):
        places = all_places(value, [])
        (holder, key), (other, other_key) = (places[rng.integers(len(places))] for _ in range(2))
        if rng.random() < 0.3:
            holder[key] = json.loads(json.dumps(other[other_key]))
        elif rng.random() < 0.1:
            del holder[key]
        else:
            holder[key] = json.loads(json.dumps(pool[rng.integers(len(pool))]))
    return json.dumps(value).encode()


def mutant(rng, path):
    """Bytes of a file that is not quite the one at `path`."""
    if rng.random() < 0.3:
        return (flip_bits, cut)[rng.integers(2)](rng, path.read_bytes())
    members = read_members(path)
    names = list(members)
    one, two = (names[number] for number in rng.integers(0, len(names), 2))
    way = rng.integers(6)
    if way == 0:
        members[one], members[two] = members[two], members[one]
    elif way == 1:
        members[one] = (flip_bits, cut)[rng.integers(2)](rng, members[one])
    elif way == 2:
        del members[one]
    else:
        name = "schema.json" if rng.random() < 0.9 else "centroidal.json"
        members[name] = edit_text(rng, members[name])
    buffer = io.BytesIO()
    write_members(buffer, members)
    return buffer.getvalue()


def test_mutants_are_refused_cleanly_or_harmless(path, canary):
    rng = np.random.default_rng(7)
    originals = sorted(FOLDER.glob("*.skops"))
    X, _ = samples()
    outcomes = {"loaded": 0, "untrusted": 0, "refused": 0}
    tracemalloc.start()
    try:
        for _ in range(N_MUTANTS):
            path.write_bytes(mutant(rng, originals[rng.integers(len(originals))]))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    model = load_model(path, max_bytes=2**22)
                except UntrustedTypeError:
                    outcomes["untrusted"] += 1
                    continue
                except ValueError as error:
                    outcomes["refused"] += path.name in str(error)
                    continue
                outcomes["loaded"] += 1
                try:  # a wrong model may fail, but not crash
                    result(model, X)
                except Exception:
                    continue
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not canary.exists()
    assert "canary" not in sys.modules
    assert peak < 2**28
    assert sum(outcomes.values()) == N_MUTANTS
    assert min(outcomes.values()) > 0.02 * N_MUTANTS
