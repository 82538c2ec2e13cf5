"""Model files: estimators in an archive that is checked before anything in it is built.

A file is a zip archive in the format of skops: ``schema.json`` says which objects of which types
there are, and each array is a member of its own. ``centroidal.json`` beside it is the card. What
is read is audited twice: here, against the short lists below, and again by skops. Only what passed
is handed to skops, in a new archive; members that nobody refers to, identities of objects and
whatever else a file may hold do not get there.
"""

import json
import os
import re
import uuid
import zipfile
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import numpy as np
import sklearn
from scipy.sparse import load_npz
from sklearn.pipeline import Pipeline

from .._json import json_plain
from .._optional import require
from ..classifiers import DecisionDAGClassifier
from ._archive import check_array, packed, parse_json, read_members

__all__ = [
    "ModelCard",
    "UntrustedTypeError",
    "check_target",
    "load_model",
    "read_model_card",
    "save_model",
    "write_whole",
]

_CARD, _SCHEMA, _SUFFIX = "centroidal.json", "schema.json", ".skops"
_MAX_BYTES = 2**30
_MAX_DEPTH = 60  # objects inside objects

_ESTIMATORS = {
    "centroidal.classifiers.decision_dag.DecisionDAGClassifier",
    "centroidal.classifiers.disjoint_centroid.DisjointCentroidClassifier",
    "centroidal.classifiers.fisher_subspace.FisherSubspace",
    "centroidal.classifiers.fisher_subspace_classifier.FisherSubspaceClassifier",
    "centroidal.classifiers.kernel_fisher_subspace.KernelFisherSubspaceClassifier",
    "centroidal.classifiers.mixture_fisher.MixtureFisherClassifier",
    "centroidal.classifiers.online_fisher_subspace.OnlineFisherSubspaceClassifier",
    "centroidal.classifiers.sparse_center.SparseCenterClassifier",
    "centroidal.feature_selection.sparse_centroid_encoder.SparseCentroidEncoder",
    "centroidal.feature_selection.l21_centroid.L21CentroidSelector",
    "centroidal.feature_selection.linear_centroid_encoder.LinearCentroidEncoder",
    "centroidal.feature_selection.margin.MarginSelector",
    "centroidal.feature_selection.relieff.ReliefFSelector",
    "centroidal.model_selection.disjoint_centroid_cv.DisjointCentroidClassifierCV",
    "centroidal.model_selection.fisher_subspace_cv.FisherSubspaceClassifierCV",
    "centroidal.model_selection.random_features.RandomFeaturesClassifier",
    "centroidal.model_selection.ranked_features_cv.RankedFeaturesClassifierCV",
    "centroidal.model_selection.sparse_center_cv.SparseCenterClassifierCV",
    "centroidal.model_selection.stability.StabilitySelector",
    # Of scikit-learn, those that compute with arrays alone. Trees and support vector machines are
    # not among them: their compiled loops believe indices that a file could forge.
    "sklearn.calibration.CalibratedClassifierCV",
    "sklearn.decomposition._pca.PCA",
    "sklearn.decomposition._truncated_svd.TruncatedSVD",
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
    "sklearn.feature_selection._from_model.SelectFromModel",
    "sklearn.feature_selection._univariate_selection.SelectKBest",
    "sklearn.feature_selection._univariate_selection.SelectPercentile",
    "sklearn.feature_selection._variance_threshold.VarianceThreshold",
    "sklearn.impute._base.MissingIndicator",
    "sklearn.impute._base.SimpleImputer",
    "sklearn.linear_model._logistic.LogisticRegression",
    "sklearn.linear_model._ridge.RidgeClassifier",
    "sklearn.naive_bayes.GaussianNB",
    "sklearn.neighbors._nearest_centroid.NearestCentroid",
    "sklearn.pipeline.Pipeline",
    "sklearn.preprocessing._data.MaxAbsScaler",
    "sklearn.preprocessing._data.MinMaxScaler",
    "sklearn.preprocessing._data.Normalizer",
    "sklearn.preprocessing._data.PowerTransformer",
    "sklearn.preprocessing._data.QuantileTransformer",
    "sklearn.preprocessing._data.RobustScaler",
    "sklearn.preprocessing._data.StandardScaler",
    "sklearn.preprocessing._function_transformer.FunctionTransformer",
    "sklearn.preprocessing._label.LabelBinarizer",
    "sklearn.preprocessing._label.LabelEncoder",
}
_PARTS = {
    "centroidal.statistics.class_moments.ClassMoments",
    "centroidal.statistics.class_subspace.ClassSubspace",
    "centroidal.statistics.sliding_subspace.Chunk",
    "centroidal.statistics.sliding_subspace.SlidingSubspace",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.calibration._TemperatureScaling",
    "sklearn.metrics._scorer._Scorer",
    "sklearn.model_selection._split.GroupKFold",
    "sklearn.model_selection._split.GroupShuffleSplit",
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.LeaveOneGroupOut",
    "sklearn.model_selection._split.LeaveOneOut",
    "sklearn.model_selection._split.RepeatedKFold",
    "sklearn.model_selection._split.RepeatedStratifiedKFold",
    "sklearn.model_selection._split.ShuffleSplit",
    "sklearn.model_selection._split.StratifiedGroupKFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.model_selection._split.StratifiedShuffleSplit",
}
_TUPLES = {
    "builtins.tuple",
    "centroidal.classifiers.disjoint_centroid_rule.DisjointSolution",
    "centroidal.classifiers.fisher_recipe.FisherSolution",
    "centroidal.classifiers.fisher_recipe.ThresholdPoint",
    "centroidal.classifiers.sparse_center_problem.Solution",
    "centroidal.classifiers.disjoint_centroid_rule.Groups",
    "centroidal.classifiers.kernel_fisher_subspace.Training",
    "centroidal.classifiers.online_fisher_subspace.Stream",
    "centroidal.solvers.fisher_subspace.LinearRule",
    "centroidal.solvers.sparse_centers.CenterPath",
    "centroidal.solvers.whitening.Whitening",
    "centroidal.statistics.gram.GramSummary",
    "centroidal.statistics.spectrum.Spectrum",
}
_SCALARS = {
    f"numpy.{name}"
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "longlong"),
        *("uint8", "uint16", "uint32", "uint64", "ulonglong"),
        *("float16", "float32", "float64", "str_", "datetime64", "timedelta64"),
    )
}
_UFUNCS = (
    *("absolute", "arcsinh", "cbrt", "exp", "expm1", "log", "log10", "log1p", "log2", "sqrt"),
    *("square", "tanh"),
)
_FUNCTIONS = {  # without effects beyond what they return
    *(f"numpy.{name}" for name in _UFUNCS),
    *(f"numpy._core._multiarray_umath.{name}" for name in _UFUNCS),  # as older versions say
    "sklearn.feature_selection._univariate_selection.chi2",
    "sklearn.feature_selection._univariate_selection.f_classif",
    "sklearn.metrics._classification.accuracy_score",
    "sklearn.metrics._classification.balanced_accuracy_score",
    "sklearn.metrics._classification.f1_score",
    "sklearn.metrics._classification.log_loss",
    "sklearn.metrics._classification.matthews_corrcoef",
    "sklearn.metrics._ranking.roc_auc_score",
}
_KEY_TYPES = {f"builtins.{name}" for name in ("bool", "float", "int", "str")} | _SCALARS
_ALLOWED = {
    "DictNode": {"builtins.dict"},
    "DTypeNode": {"numpy.dtype"},
    "FunctionNode": _FUNCTIONS,
    "JsonNode": {"builtins.str"},
    "ListNode": {"builtins.list"},
    "NdArrayNode": {"numpy.ndarray"} | _SCALARS,
    "ObjectNode": _ESTIMATORS | _PARTS,
    "SparseMatrixNode": {
        f"scipy.sparse._{kind}.{kind}_{sort}"
        for kind in ("csc", "csr")
        for sort in ("array", "matrix")
    },
    "TupleNode": _TUPLES,
    "TypeNode": _KEY_TYPES
    | {
        "sklearn.model_selection._split.KFold",
        "sklearn.model_selection._split.StratifiedKFold",
    },
}
_ADVICE = {  # by loader
    "FunctionNode": " as a function",
    "MethodNode": " as a method",
    "RandomGeneratorNode": "; random_state must be an int or None",
    "RandomStateNode": "; random_state must be an int or None",
}


class UntrustedTypeError(ValueError):
    """A model file names a type or function that is not on the list of those it may hold."""


@dataclass(frozen=True)
class ModelCard:
    """What a model file says of its model; a claim of the file, which nothing was built to check.

    Parameters
    ----------
    class_name : str
        Class of the estimator.
    parameters : dict
        Its parameters, with those of the estimators in it; whatever JSON cannot say is there by
        the name of its type.
    feature_names : list of str or None
        Names of the features, if it was fitted to a data frame.
    classes : list or None
        Labels of the classes, if it is a fitted classifier.
    metadata : dict
        What `save_model` was given.
    centroidal_version : str
        Version that wrote the file.
    sklearn_version : str
        Version of scikit-learn at that time.
    """

    class_name: str
    parameters: dict
    feature_names: list | None
    classes: list | None
    metadata: dict = field(default_factory=dict)
    centroidal_version: str = ""
    sklearn_version: str = ""


def save_model(model, path, *, metadata=None, force=False):
    """Write an estimator to a file that `load_model` reads without running code from it.

    Parameters
    ----------
    model : estimator
        An estimator of this library, fitted or not, or a pipeline of one with imputers, scalers
        and linear models of scikit-learn.
    path : str or path
        File to write; its name must end in ``.skops``.
    metadata : dict, default=None
        Anything that JSON can say, under names: where the data came from, who to ask.
    force : bool, default=False
        Whether a file that exists may be overwritten.

    Raises
    ------
    FileExistsError
        If the file exists and `force` is False.
    UntrustedTypeError
        If the model holds something that `load_model` would refuse. Nothing is written then.

    See Also
    --------
    load_model : Reads the file.

    Notes
    -----
    The file is written whole or not at all. The same model gives the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from centroidal import SparseCenterClassifier
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.io import load_model, read_model_card, save_model
    >>> X, y = load_expression(return_X_y=True)
    >>> model = SparseCenterClassifier(20, scale="within").fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "expression.skops"
    ...     save_model(model, path, metadata={"source": "the shipped table"})
    ...     card, loaded = read_model_card(path), load_model(path)
    >>> card.class_name, card.metadata
    ('SparseCenterClassifier', {'source': 'the shipped table'})
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    path = check_target(path, _SUFFIX, force)
    metadata = _checked_metadata(metadata)
    write_whole(path, ModelFile(model).content(metadata), force=force)


class ModelFile:
    """A model as it is written, once or again and again with other things beside it.

    Parameters
    ----------
    model : estimator
        As it is now; what becomes of it later is not written.
    """

    def __init__(self, model):
        self._card, self._members = _card_of(model), _members_of(model)

    def content(self, metadata, more_members=None, *, compressed=True):
        """Return the bytes of a file; further members are there for whom they are meant."""
        card = vars(self._card) | {"metadata": metadata}
        members = self._members | (more_members or {}) | {_CARD: json.dumps(card).encode()}
        return packed(members, compressed)


def _members_of(model):
    skops_io = require("skops.io", "persist", "A model file")
    try:
        content = skops_io.dumps(_with_text_keys(model))
    except RecursionError:
        raise UntrustedTypeError(
            f"{type(model).__name__} holds something that refers to itself, as requests for "
            "metadata do (set_fit_request), which a model file cannot."
        ) from None
    except (TypeError, ValueError, AttributeError) as error:
        raise UntrustedTypeError(
            f"{type(model).__name__} holds something that a model file cannot: {error}"
        ) from error
    with zipfile.ZipFile(BytesIO(content)) as archive:
        audit = _Audit({name: archive.read(name) for name in archive.namelist()}, np.inf)
    return audit.members_of(audit.schema())


def load_model(path, *, max_bytes=_MAX_BYTES):
    """Read an estimator that `save_model` wrote, without trusting the file.

    Parameters
    ----------
    path : str or path
        File to read.
    max_bytes : int, default=2**30
        How much the file may hold once it is unpacked.

    Returns
    -------
    estimator
        Predicts what the saved one predicted, to the bit on the same machine.

    Raises
    ------
    UntrustedTypeError
        If the file names a type or a function that is not on the list of those that are needed.
        Its name is in the message, and nothing was built or imported.
    ValueError
        If the file is damaged, too large, or of a later version of this library than this one.

    See Also
    --------
    read_model_card : Reads what the file says of the model, and builds nothing.

    Notes
    -----
    Nothing is unpickled. A file can still hold a model that is *wrong*: only who wrote it can say
    whether its predictions are worth anything.

    Files of earlier versions are read; one of a later version (the first two numbers count) is
    refused, because what this version does not know it would silently leave out. Where a model has
    parts of scikit-learn, written by another version of it, scikit-learn warns.
    """
    skops_io = require("skops.io", "persist", "A model file")
    with errors_that_name(path), open(path, "rb") as stream:
        members = read_members(stream, max_bytes)
        card = _parse_card(members)
        _check_version(card.centroidal_version)
        audit = _Audit(members, max_bytes)
        members = audit.members_of(audit.schema())
        model = skops_io.loads(packed(members), trusted=sorted(audit.kinds))
        if type(model).__name__ != card.class_name:
            raise ValueError(f"holds a {type(model).__name__}, not a {card.class_name}")
        return _with_pair_keys(model)


def read_model_card(path, *, max_bytes=_MAX_BYTES):
    """Read what a model file says of its model, and build nothing.

    Parameters
    ----------
    path : str or path
        File to read.
    max_bytes : int, default=2**30
        How much the file may hold once it is unpacked.

    Returns
    -------
    ModelCard
        Class, parameters, features, classes, versions and metadata.

    See Also
    --------
    load_model : Reads the model.
    """
    with errors_that_name(path), open(path, "rb") as stream:
        return _parse_card(read_members(stream, max_bytes, prefix=_CARD))


def write_whole(path, content, *, force=False):
    """Write bytes to a file so that it is there whole or not at all.

    Parameters
    ----------
    path : str or path
        File to write.
    content : bytes
        What to write.
    force : bool, default=False
        Whether a file that exists may be overwritten.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        with open(part, "xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        _check_absent(path, force)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def check_target(path, suffix, force):
    """Return the path of a file to write; raise if it ends otherwise, or exists without force."""
    path = Path(path)
    if path.suffix != suffix:
        raise ValueError(f"path={str(path)!r} must end in {suffix}.")
    _check_absent(path, force)
    return path


def _check_absent(path, force):
    if not force and path.exists():
        raise FileExistsError(f"{path} exists; force=True overwrites it.")


@contextmanager
def errors_that_name(path):
    """Make whatever is wrong with a file a ValueError that names it."""
    try:
        yield
    except Warning:  # that is an error by the choice of the user
        raise
    except UntrustedTypeError as error:
        raise UntrustedTypeError(f"{path}: {error}") from None
    except OSError as error:
        if error.filename is not None:  # no such file, or no permission
            raise
        raise ValueError(f"{path} is damaged: {error}.") from error
    except Exception as error:
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        raise ValueError(f"{path} is no model file that can be read: {kind}{error}") from error


# The audit --------------------------------------------------------------------------------------


class _Audit:
    """Checks the schema of a file and makes a clean copy that holds what was checked, no more.

    Identities of objects, by which a file could let an object contain itself, are left out; those
    of arrays are given anew, so that an array which several attributes share is one array.

    Attributes
    ----------
    kinds : set of str
        The types and functions that the schema names, all of them allowed.
    """

    def __init__(self, members, max_bytes):
        self._members = members
        self._room = max_bytes
        self._arrays = {}
        self.kinds = set()

    def schema(self):
        """Return the clean copy of the schema."""
        state = parse_json(self._member(_SCHEMA))
        if not isinstance(state, dict):
            raise ValueError(f"{_SCHEMA} must hold an object")
        clean = self._node(state, 0)
        kind = _kind(clean)
        if kind not in _ESTIMATORS:
            raise UntrustedTypeError(f"{kind} is no estimator that a model file may hold.")
        protocol = state.get("protocol")
        # Protocol 0 names functions elsewhere than it is audited here.
        if isinstance(protocol, bool) or not isinstance(protocol, int) or protocol < 1:
            raise ValueError(f"protocol={protocol!r} must be a whole number from 1 on")
        version = state.get("_skops_version")
        return {**clean, "protocol": protocol, "_skops_version": str(version)[:40]}

    def members_of(self, schema):
        """Return the members of a clean archive: the schema, and the arrays that it names."""
        members = {_SCHEMA: json.dumps(schema, separators=(",", ":")).encode()}
        return members | {name: content for _, name, content in self._arrays.values()}

    def _member(self, name):
        if not isinstance(name, str) or name not in self._members:
            raise ValueError(f"the member {name!r} is missing")
        return self._members[name]

    def _node(self, state, depth):
        if depth > _MAX_DEPTH:
            raise ValueError("its objects are nested too deeply")
        head = {key: state[key] for key in ("__class__", "__module__", "__loader__")}
        if not all(isinstance(value, str) for value in head.values()):
            raise ValueError("a type must be named by texts")
        loader, kind = head["__loader__"], _kind(head)
        if kind not in _ALLOWED.get(loader, ()):
            advice = _ADVICE.get(loader, "")
            raise UntrustedTypeError(f"{kind} is not allowed in a model file{advice}.")
        self.kinds.add(kind)
        return head | getattr(self, f"_{loader}")(state, kind, depth + 1)

    def _nodes(self, states, depth):
        if not isinstance(states, list):
            raise ValueError("a sequence must be a list")
        return [self._node(state, depth) for state in states]

    def _JsonNode(self, state, kind, depth):
        content = state["content"]
        if not isinstance(content, str) or isinstance(parse_json(content), list | dict):
            raise ValueError("a plain value must be a number, a text, true, false or null")
        return {"content": content, "is_json": True}

    def _ListNode(self, state, kind, depth):
        return {"content": self._nodes(state["content"], depth)}

    _TupleNode = _ListNode

    def _DictNode(self, state, kind, depth):
        content, key_types = state["content"], self._node(state["key_types"], depth)
        if not isinstance(content, dict) or key_types["__loader__"] != "ListNode":
            raise ValueError("a dict must have keys, and a list of their types")
        for key_type in key_types["content"]:
            if key_type["__loader__"] != "TypeNode" or _kind(key_type) not in _KEY_TYPES:
                raise UntrustedTypeError(f"{_kind(key_type)} is not allowed as type of a key.")
        if len(key_types["content"]) != len(content):
            raise ValueError("a dict must have as many types of keys as keys")
        clean = {key: self._node(value, depth) for key, value in content.items()}
        return {"content": clean, "key_types": key_types}

    def _ObjectNode(self, state, kind, depth):
        if state.get("content") is None:
            return {}
        content = self._node(state["content"], depth)
        is_empty = content["__loader__"] == "JsonNode" and content["content"] == "null"
        if content["__loader__"] != "DictNode" and not is_empty:
            raise ValueError(f"the state of {kind} must be a dict")
        memory = {} if is_empty else content["content"].get("memory", {})
        if memory.get("content", "null") != "null":
            # A later fit would unpickle what somebody put there.
            raise UntrustedTypeError(f"{kind} with memory, a folder, is not allowed.")
        return {"content": content}

    def _TypeNode(self, state, kind, depth):
        return {}

    _FunctionNode = _TypeNode

    def _DTypeNode(self, state, kind, depth):
        content = self._node(state["content"], depth)
        if content["__loader__"] != "NdArrayNode":
            raise ValueError("a dtype must be that of an array")
        return {"content": content}

    def _NdArrayNode(self, state, kind, depth):
        if state["type"] == "numpy":
            return {"type": "numpy"} | self._array(state["file"], kind, ".npy", check_array)
        if state["type"] != "json" or kind != "numpy.ndarray":
            raise ValueError(f"an array of type {state['type']!r} is unknown")
        shape = self._node(state["shape"], depth)
        if shape["__loader__"] != "TupleNode" or _kind(shape) != "builtins.tuple":
            raise ValueError("the shape of an array must be a tuple")
        content = self._nodes(state["content"], depth)
        return {"type": "json", "content": content, "shape": shape}

    def _SparseMatrixNode(self, state, kind, depth):
        if state["type"] != "scipy":
            raise ValueError(f"a sparse matrix of type {state['type']!r} is unknown")
        return {"type": "scipy"} | self._array(state["file"], kind, ".npz", _check_sparse)

    def _array(self, name, kind, suffix, check):
        """Check a member once for each kind of array that it is to become, and rename it."""
        content = self._member(name)
        if (name, kind) not in self._arrays:
            content = check(content, kind, self._room)
            self._room -= len(content)
            if self._room < 0:
                raise ValueError("its arrays together are larger than max_bytes")
            number = len(self._arrays) + 1
            self._arrays[name, kind] = number, f"{number}{suffix}", content
        number, new_name, _ = self._arrays[name, kind]
        return {"file": new_name, "__id__": number}


def _kind(head):
    return f"{head['__module__']}.{head['__class__']}"


def _check_sparse(content, kind, room):
    """Return bytes that are a CSR or CSC matrix whose indices lie inside it, unpacked."""
    members = read_members(BytesIO(content), room)
    for member in members.values():
        check_array(member)
    content = packed(members)
    matrix = load_npz(BytesIO(content))
    if f"{type(matrix).__module__}.{type(matrix).__name__}" != kind:
        raise ValueError(f"a sparse matrix is not the {kind} that it should be")
    matrix.check_format(full_check=True)
    return content


# The card ---------------------------------------------------------------------------------------


def _checked_metadata(metadata):
    metadata = {} if metadata is None else metadata
    if not isinstance(metadata, dict) or not all(isinstance(key, str) for key in metadata):
        raise TypeError(f"metadata={metadata!r} must be a dict with texts as keys, or None.")
    try:
        json.dumps(metadata)
    except (TypeError, ValueError) as error:
        raise TypeError(f"metadata must hold what JSON can say: {error}.") from error
    return metadata


def _card_of(model):
    from .. import __version__

    if not hasattr(model, "get_params") or isinstance(model, type):
        raise TypeError(f"model={model!r} must be an estimator.")
    names = getattr(model, "feature_names_in_", None)
    return ModelCard(
        class_name=type(model).__name__,
        parameters=json_plain(model.get_params()),
        feature_names=None if names is None else json_plain(list(names)),
        classes=json_plain(getattr(model, "classes_", None)),
        centroidal_version=__version__,
        sklearn_version=sklearn.__version__,
    )


def _parse_card(members):
    if _CARD not in members:
        raise ValueError(f"the member {_CARD!r} is missing; save_model writes it")
    content = parse_json(members[_CARD])
    kinds = {
        "class_name": str,
        "parameters": dict,
        "feature_names": list | None,
        "classes": list | None,
        "metadata": dict,
        "centroidal_version": str,
        "sklearn_version": str,
    }
    if not isinstance(content, dict) or not all(
        name in content and isinstance(content[name], kind) for name, kind in kinds.items()
    ):
        raise ValueError(f"{_CARD!r} is not the card of a model")
    return ModelCard(**{name: content[name] for name in kinds})


def _check_version(written):
    from .. import __version__

    if _release(written) > _release(__version__):
        raise ValueError(
            f"it was written by centroidal {written}, which is later than {__version__}; "
            "upgrade centroidal to load it"
        )


def _release(version):
    found = re.match(r"(\d{1,6})\.(\d{1,6})", version)
    if found is None:
        raise ValueError(f"{version!r} is not a version")
    return tuple(map(int, found.groups()))


# Keys that are pairs ----------------------------------------------------------------------------


def _with_text_keys(model):
    """Copy a model so that classifiers of pairs are found by texts, as JSON has no other keys."""
    if isinstance(model, Pipeline):
        model = copy(model)
        model.steps = [(name, _with_text_keys(step)) for name, step in model.steps]
    elif isinstance(model, DecisionDAGClassifier) and hasattr(model, "estimators_"):
        model = copy(model)
        model.estimators_ = {
            " ".join(map(str, pair)): _with_text_keys(estimator)
            for pair, estimator in model.estimators_.items()
        }
    return model


def _with_pair_keys(model):
    """Undo `_with_text_keys`, in place."""
    if isinstance(model, Pipeline):
        model.steps = [(name, _with_pair_keys(step)) for name, step in model.steps]
    elif isinstance(model, DecisionDAGClassifier) and hasattr(model, "estimators_"):
        model.estimators_ = {
            tuple(map(int, pair.split())): _with_pair_keys(estimator)
            for pair, estimator in model.estimators_.items()
        }
    return model
