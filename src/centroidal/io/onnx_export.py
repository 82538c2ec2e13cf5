"""Classifiers as ONNX graphs, which other languages and servers run.

The graph does what `predict` and `predict_proba` do, step by step and in double precision if not
asked otherwise, so that both decide alike: one score a class, the largest wins, and a softmax makes
probabilities of them.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from .._data import check_fitted
from .._files import check_target, write_atomically
from .._optional import require
from .._parameters import check_choice, check_flag
from .._plain import json_plain
from .._typing import FilePath, Precision
from ..classifiers import (
    ConformalClassifier,
    CostSensitiveClassifier,
    DisjointCentroidClassifier,
    FisherSubspaceClassifier,
    SparseCenterClassifier,
    WhitenedCenterClassifier,
)
from ..feature_selection import (
    ColumnSelector,
    L21CentroidSelector,
    LinearCentroidEncoder,
    MarginSelector,
    RecursiveRidgeSelector,
    ReliefFSelector,
    SparseCentroidEncoder,
)
from ..model_selection import (
    DisjointCentroidClassifierCV,
    FisherSubspaceClassifierCV,
    SparseCenterClassifierCV,
    WhitenedCenterClassifierCV,
)
from ..model_selection.feature_flow import last_step, split_conformal, used_mask
from ..model_selection.linear_svm import ProbabilityLinearSVC
from ..solvers.background import SMALLEST
from ..solvers.conformal import LEVELS
from ..solvers.distances import log_odds

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = ["to_onnx"]

_OPSET, _IR_VERSION = 17, 8  # that runtimes of several years know


def to_onnx(
    model: Any,
    path: FilePath | None = None,
    *,
    selected_only: bool = False,
    dtype: Precision = "float64",
    metadata: dict[str, Any] | None = None,
    force: bool = False,
) -> "ModelProto":
    """Translate a fitted classifier to ONNX.

    Parameters
    ----------
    model : estimator
        A fitted :class:`~centroidal.SparseCenterClassifier`,
        :class:`~centroidal.WhitenedCenterClassifier`,
        :class:`~centroidal.FisherSubspaceClassifier` or
        :class:`~centroidal.DisjointCentroidClassifier`, one of them that was chosen by
        cross-validation, one of them in a :class:`~centroidal.CostSensitiveClassifier` or a
        :class:`~centroidal.ConformalClassifier`, or a pipeline that ends in one of them or in
        `LogisticRegression`, or in the linear support vector machine that `select_features` has,
        with `SimpleImputer`, `StandardScaler` and selectors before it. So
        every model of :func:`~centroidal.model_selection.select_features` can be translated.
    path : str or path, default=None
        File to write; its name must end in ``.onnx``.
    selected_only : bool, default=False
        Whether the graph takes only the features that the model looks at, in the order of the
        columns of `fit`, instead of all of them. Its metadata ``feature_names`` names them.
    dtype : {"float64", "float32"}, default="float64"
        Type of the input, of the numbers in the graph and of its outputs.
    metadata : dict or None, default=None
        What else is known of the model, to be in the metadata of the graph, such as the method and
        the honest score that `FeatureSelection.card` returns, or ``metadata`` of a
        :class:`~centroidal.persistence.ModelCard`. What is no text is written as JSON.
    force : bool, default=False
        Whether a file that exists may be overwritten.

    Returns
    -------
    onnx.ModelProto
        A graph with the input ``X`` (of `dtype`, a row for each sample) and the outputs ``label``
        and ``probabilities``. Its metadata ``feature_names`` and ``classes`` are JSON lists, in the
        order of the columns of the input and of the probabilities; ``model`` is the class of the
        classifier, and the version of the producer is that of centroidal.

        That of a model that is calibrated has the outputs ``scores`` and ``outlyingness`` as well,
        those of `nonconformity` in a model ``without_background``: noise is told from samples by
        what the model reads alone. Its metadata ``no_call`` is JSON that tells for several levels
        what they may be at most, so that a class is credible: a list of ``scores``, one a class,
        null if there is no bound, and ``outlyingness``.

    Notes
    -----
    Numbers are the same up to the order in which a runtime adds them, a relative difference of
    about 1e-15. Labels are then the same, too, except for a sample that lies between two classes
    up to that difference; if the sums are exact, as with whole numbers, a tie goes to the first of
    the classes in both. In single precision the difference is about 1e-6.

    The graph does not check its input: where `predict` would refuse a missing value, it returns
    whatever comes out.

    Examples
    --------
    >>> from centroidal import FisherSubspaceClassifier
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.io import to_onnx
    >>> X, y = load_expression(return_X_y=True)
    >>> graph = to_onnx(FisherSubspaceClassifier().fit(X, y)).graph
    >>> [output.name for output in graph.output]
    ['label', 'probabilities']
    """
    require("onnx", "onnx", "An ONNX graph")
    check_flag("selected_only", selected_only)
    check_choice("dtype", dtype, get_args(Precision))
    if path is not None:
        path = check_target(Path(path), ".onnx", force)
    before, steps, classifier = _split(model)
    conformal, costs = split_conformal(model)[1], getattr(last_step(model), "costs_", None)
    check_fitted(model)
    read = _columns_read(model, selected_only)
    graph, columns = _Graph(dtype), _Columns("X", read)
    for step in before:
        columns = _PREPARATIONS[type(step)](graph, step, columns)
    if conformal is not None:
        conformal = conformal.without_background()
        _measure(graph, conformal, columns)
    for step in steps:
        columns = _PREPARATIONS[type(step)](graph, step, columns)
    scores = _SCORES[type(classifier)](graph, classifier, columns)
    _decide(graph, classifier, scores, costs, conformal)
    known = (metadata or {}) | _describe(model, read, classifier, conformal)
    proto = graph.model(read.size, classifier.classes_, conformal is not None, known)
    if path is not None:
        write_atomically(path, proto.SerializeToString(), force=force)
    return proto


def _columns_read(model, selected_only):
    """Return the columns of samples that are the input of the graph."""
    used = used_mask(model, model.n_features_in_) if selected_only else None
    return np.arange(model.n_features_in_) if used is None else np.flatnonzero(used)


def _describe(model, read, classifier, conformal):
    """Return what the metadata of the graph say of a model, whatever else is known of it."""
    names = getattr(model, "feature_names_in_", [f"x{place}" for place in range(read.max() + 1)])
    found = {
        "model": type(classifier).__name__,
        "feature_names": [str(names[place]) for place in read],
        "classes": classifier.classes_,
    }
    if conformal is not None:
        found["no_call"] = _thresholds(conformal)
    return found


def _split(model):
    """Return the steps before what may be calibrated, those in it, and the classifier.

    Raise if they cannot be translated.
    """
    *before, last = _steps(model)
    steps = [last]
    for kind in (CostSensitiveClassifier, ConformalClassifier):
        if type(steps[-1]) is kind and hasattr(steps[-1], "estimator_"):
            steps = _steps(steps[-1].estimator_)
    *steps, classifier = steps
    before, steps = (
        [step for step in part if step not in (None, "passthrough")] for part in (before, steps)
    )
    known = all(type(step) in _PREPARATIONS for step in (*before, *steps))
    if type(classifier) not in _SCORES or not known:
        names = [kind.__name__ for kind in _SCORES]
        possible = ", ".join(kind.__name__ for kind in _PREPARATIONS)
        parts = ", ".join(type(step).__name__ for step in (*before, *steps, classifier))
        raise TypeError(
            f"{parts} cannot be translated to ONNX; possible are {', '.join(names)}, and a "
            f"pipeline of {possible} that ends in one of them."
        )
    return before, steps, classifier


def _steps(model):
    return [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]


class _Columns(NamedTuple):
    """Result of an operation, and which columns of all that a step takes it has, rising."""

    name: str
    places: np.ndarray


class _Graph:
    """Nodes and constants of a graph; each operation returns the name of its result."""

    def __init__(self, dtype):
        self._nodes, self._constants = [], []
        self._dtype = np.dtype(dtype)
        self.tiny = float(np.finfo(dtype).tiny)

    def constant(self, values):
        """Add an array."""
        from onnx import numpy_helper

        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(values, name))
        return name

    def add(self, operation, *inputs, output=None, **attributes):
        """Add a node; arrays among the inputs become constants, floats in the type of the graph."""
        from onnx import helper

        names = list(inputs)
        for place, each in enumerate(inputs):
            if not isinstance(each, str):
                values = np.asarray(each)
                is_float = values.dtype.kind == "f"
                names[place] = self.constant(values.astype(self._dtype) if is_float else values)
        output = output or f"{operation.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operation, names, [output], **attributes))
        return output

    def take(self, X, chosen):
        """Take some columns, by their places, or all of them as they are."""
        found = np.searchsorted(X.places, chosen).astype(np.int64)
        if np.array_equal(found, np.arange(X.places.size)):
            return X.name
        return self.add("Gather", X.name, found, axis=1)

    def row_sums(self, X):
        """Sum the columns, as one column."""
        return self.add("ReduceSum", X, np.array([1]), keepdims=1)

    def model(self, n_columns, classes, is_conformal, known):
        """Return the model with its input and outputs declared, and what is known of it."""
        from onnx import checker, helper

        from .. import __version__

        labels = helper.np_dtype_to_tensor_dtype(_label_values(classes).dtype)
        rows, number = "n_samples", helper.np_dtype_to_tensor_dtype(self._dtype)
        more = ("scores", "outlyingness") if is_conformal else ()
        graph = helper.make_graph(
            self._nodes,
            "centroidal",
            [helper.make_tensor_value_info("X", number, [rows, n_columns])],
            [
                helper.make_tensor_value_info("label", labels, [rows]),
                *(
                    helper.make_tensor_value_info(name, number, [rows, len(classes)])
                    for name in ("probabilities", *more)
                ),
            ],
            self._constants,
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", _OPSET)],
            ir_version=_IR_VERSION,
            producer_name="centroidal",
            producer_version=__version__,
        )
        helper.set_model_props(model, {str(key): _as_text(value) for key, value in known.items()})
        checker.check_model(model)
        return model


def _as_text(value):
    return value if isinstance(value, str) else json.dumps(json_plain(value, finite=True))


def _label_values(classes):
    """Labels as ONNX has them: texts, whole numbers, floats or truth values."""
    classes = np.asarray(classes)
    is_text = all(isinstance(label, str) for label in classes.tolist())
    types = {"U": object, "i": np.int64, "u": np.int64, "f": np.float64, "b": bool}
    kind = "U" if is_text else classes.dtype.kind
    if kind not in types:
        raise TypeError(f"classes_ of dtype {classes.dtype} must be texts or numbers for ONNX.")
    return classes.astype(types[kind])


def _thresholds(conformal):
    """Return what scores and outlyingness may be at most, by level."""
    return {f"{level:g}": conformal.thresholds(level)._asdict() for level in LEVELS}


def _decide(graph, classifier, scores, costs=None, conformal=None):
    """Name the class of the largest score, or least cost, and make probabilities of all scores."""
    largest = graph.add("ReduceMax", scores, axes=[1], keepdims=1)
    behind = graph.add("Sub", scores, largest)
    unit = np.array(max(getattr(classifier, "_score_unit", 1.0), graph.tiny))
    logs = graph.add("Div", behind, unit)
    if conformal is None:
        graph.add("Softmax", logs, axis=1, output="probabilities")
    else:
        raw = graph.add("Max", graph.add("Softmax", logs, axis=1), np.array(graph.tiny))
        logs = graph.add("Div", graph.add("Log", raw), np.array(conformal.calibration_.temperature))
        graph.add("Softmax", logs, axis=1, output="probabilities")
        floor = graph.add("Max", "probabilities", np.array(graph.tiny))
        graph.add("Neg", graph.add("Log", floor), output="scores")
    if costs is None:
        winners = graph.add("ArgMax", scores, axis=1, keepdims=0)
    else:
        expected = graph.add("MatMul", "probabilities", costs)
        winners = graph.add("ArgMin", expected, axis=1, keepdims=0)
    labels = graph.constant(_label_values(classifier.classes_))
    graph.add("Gather", labels, winners, axis=0, output="label")


def _measure(graph, conformal, X):
    """Tell by what factor samples are farther from each class, or larger or smaller, than usual."""
    reference, usual = conformal.reference_, conformal.calibration_.usual
    Z = graph.take(X, conformal.columns_)
    places = np.vstack([reference.centers, np.zeros(reference.spreads.size)])
    squares = _squared_distances(graph, Z, places, reference.spreads)
    squares = graph.add("Div", squares, np.array(float(reference.spreads.size)))
    lengths = graph.add("Sqrt", graph.add("Max", squares, np.array(0.0)))
    classes = np.arange(len(places) - 1)
    distances = graph.add("Gather", lengths, classes, axis=1)
    sizes = graph.add("Gather", lengths, classes[-1:] + 1, axis=1)
    farther = graph.add("Div", distances, np.array(max(usual.distance, graph.tiny)))
    ratios = graph.add("Div", sizes, np.array(max(usual.size, graph.tiny)))
    ratios = graph.add("Add", ratios, np.array(SMALLEST))
    ratios = graph.add("Div", ratios, np.array(1.0 + SMALLEST))
    other = graph.add("Div", np.array(1.0), ratios)
    graph.add("Max", farther, ratios, other, np.array(1.0), output="outlyingness")


# Before the classifier --------------------------------------------------------------------------


def _impute(graph, imputer, X):
    is_nan = isinstance(imputer.missing_values, float) and np.isnan(imputer.missing_values)
    if not is_nan or imputer.add_indicator or imputer.statistics_.dtype.kind != "f":
        raise TypeError(
            "SimpleImputer must replace NaN by numbers, with missing_values=nan and "
            "add_indicator=False, to be translated to ONNX."
        )
    values = imputer.statistics_.astype(float)
    has_value = ~np.isnan(values)  # a column without any value is left out
    X = _keep(graph, X, has_value)
    filled = graph.add("Where", graph.add("IsNaN", X.name), values[has_value][X.places], X.name)
    return X._replace(name=filled)


def _standardise(graph, scaler, X):
    name = X.name
    if scaler.with_mean:
        name = graph.add("Sub", name, scaler.mean_[X.places])
    if scaler.with_std:
        name = graph.add("Div", name, scaler.scale_[X.places])
    return X._replace(name=name)


def _select(graph, selector, X):
    return _keep(graph, X, selector.get_support())


def _keep(graph, X, is_kept):
    """Take the columns that are kept of all that a step takes; places are those among them."""
    chosen = X.places[is_kept[X.places]]
    return _Columns(graph.take(X, chosen), (np.cumsum(is_kept) - 1)[chosen])


# One score a class ------------------------------------------------------------------------------


def _sparse_center_scores(graph, model, X):
    solution = model._solution
    seen = solution.counts > 0
    selected = np.flatnonzero(model.support_)
    centers, scale = model.centers_[np.ix_(seen, selected)], solution.path.scale[selected]
    if solution.whitening is None:
        Z = graph.take(X, selected)
    else:
        Z = _whiten(graph, solution.whitening, X, selected)
    measure = _absolute_distances if model.metric == "l1" else _squared_distances
    bonus = model._score_unit * log_odds(model.class_prior_)[seen]
    return _for_all_classes(graph, graph.add("Sub", bonus, measure(graph, Z, centers, scale)), seen)


def _whiten(graph, whitening, X, selected):
    X = X._replace(name=graph.add("Div", X.name, whitening.scale))  # all columns, which it mixes
    kept = graph.add("Mul", graph.take(X, selected), whitening.base)
    inside = graph.add("Mul", graph.add("MatMul", X.name, whitening.vectors), whitening.extra)
    return graph.add("Add", kept, graph.add("MatMul", inside, whitening.vectors[selected].T))


def _squared_distances(graph, Z, centers, scale):
    offsets = (centers - centers[0]) / scale
    Z = graph.add("Div", graph.add("Sub", Z, centers[0]), scale)
    lengths = graph.row_sums(graph.add("Mul", Z, Z))
    products = graph.add("Mul", graph.add("MatMul", Z, offsets.T), np.array(2.0))
    return graph.add("Add", graph.add("Sub", lengths, products), (offsets**2).sum(axis=1))


def _absolute_distances(graph, Z, centers, scale):
    Z = graph.add("Div", Z, scale)
    each = [
        graph.row_sums(graph.add("Abs", graph.add("Sub", Z, center))) for center in centers / scale
    ]
    return graph.add("Concat", *each, axis=1)


def _fisher_scores(graph, model, X):
    products = graph.add("MatMul", X.name, model.coef_[:, X.places].T)
    scores = graph.add("Add", products, model.intercept_)
    if model.intercept_.size > 1:
        return scores
    sides = [graph.add("Min", each, np.array(0.0)) for each in (graph.add("Neg", scores), scores)]
    return graph.add("Concat", *sides, axis=1)


def _whitened_scores(graph, model, X):
    selected = np.flatnonzero(model.support_)
    Z = graph.add("Sub", graph.take(X, selected), model.mean_[selected])
    products = graph.add("MatMul", Z, model.coef_[:, selected].T)
    return graph.add("Add", products, model.intercept_)


def _disjoint_scores(graph, model, X):
    seen = model._solution.moments.seen
    distances = graph.add("Concat", *_group_distances(graph, model, X, seen), axis=1)
    if model._logistic is None:
        return _for_all_classes(graph, graph.add("Neg", distances), seen)
    scaler, regression = model._logistic[0], model._logistic[-1]
    distances = _standardise(graph, scaler, _Columns(distances, np.arange(scaler.n_features_in_)))
    decision = graph.add("MatMul", distances.name, regression.coef_.T)
    decision = graph.add("Add", decision, regression.intercept_)
    if regression.intercept_.size == 1:
        decision = graph.add("MatMul", decision, np.array([[-0.5, 0.5]]))
    return _for_all_classes(graph, decision, seen)


def _group_distances(graph, model, X, seen):
    for center, group in zip(model.centers_[seen], model.groups_[seen], strict=True):
        chosen = np.flatnonzero(group)
        own = graph.take(X, chosen)
        steps = graph.add(
            "Div", graph.add("Sub", own, center[chosen]), model.feature_scale_[chosen]
        )
        shares = np.ones((chosen.size, 1))
        if model.norm == "normalized":
            shares /= chosen.size
        yield graph.add("MatMul", graph.add("Mul", steps, steps), shares)


def _for_all_classes(graph, scores, seen):
    """Give classes without samples, which never win, a score of minus infinity."""
    if seen.all():
        return scores
    places = np.zeros((np.count_nonzero(seen), seen.size))
    places[np.arange(len(places)), np.flatnonzero(seen)] = 1.0
    return graph.add("Add", graph.add("MatMul", scores, places), np.where(seen, 0.0, -np.inf))


def _logistic_scores(graph, model, X):
    if model.solver == "liblinear" and model.classes_.size > 2:
        raise TypeError(
            "LogisticRegression with solver='liblinear' must have two classes to be translated to "
            "ONNX."
        )
    return _fisher_scores(graph, model, X)


_SELECTORS = (
    ColumnSelector,
    *(L21CentroidSelector, LinearCentroidEncoder, MarginSelector, RecursiveRidgeSelector),
    *(ReliefFSelector, SparseCentroidEncoder, SelectFromModel, SelectKBest, VarianceThreshold),
)
_PREPARATIONS = {SimpleImputer: _impute, StandardScaler: _standardise} | dict.fromkeys(
    _SELECTORS, _select
)
_SCORES = {
    SparseCenterClassifier: _sparse_center_scores,
    SparseCenterClassifierCV: _sparse_center_scores,
    WhitenedCenterClassifier: _whitened_scores,
    WhitenedCenterClassifierCV: _whitened_scores,
    FisherSubspaceClassifier: _fisher_scores,
    FisherSubspaceClassifierCV: _fisher_scores,
    DisjointCentroidClassifier: _disjoint_scores,
    DisjointCentroidClassifierCV: _disjoint_scores,
    LogisticRegression: _logistic_scores,
    ProbabilityLinearSVC: _fisher_scores,
}
