"""One model of several that were trained on different samples, without these samples."""

from collections.abc import Sequence
from copy import copy
from functools import reduce
from itertools import chain
from numbers import Integral
from typing import Any, NamedTuple, get_args

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from .._data import Features
from .._parameters import check_choice, check_count, check_flag, check_shared_features
from .._plain import json_plain, percent
from .._typing import CommonFeatures
from ..classifiers import (
    ConformalClassifier,
    DisjointCentroidClassifier,
    FisherSubspaceClassifier,
    SparseCenterClassifier,
)
from ..model_selection import SiteSummary, SparseCenterClassifierCV
from ..model_selection.federated import check_distinct_sites
from ..persistence.model_file import check_model
from ..preprocessing.names import PREPROCESSING
from ..streaming.request import count_noun, list_names

__all__ = ["class_counts", "merge_models"]

# Parameters that do not change what a model is.
_IDLE = {
    SparseCenterClassifier: ("n_jobs",),
    DisjointCentroidClassifier: ("n_jobs", "n_init", "random_state", "center"),  # with "margin"
    FisherSubspaceClassifier: (),
    SiteSummary: ("n_jobs",),
}
_COUNT_OR_SHARE = ("n_components", "shared_features")  # where 1 is not 1.0
_LABELS = {"U": "text", "b": "true or false", "i": "numbers", "u": "numbers", "f": "numbers"}


class _Part(NamedTuple):
    """A model, and what messages call it."""

    name: str
    model: BaseEstimator


def merge_models(
    models: Sequence[Any],
    *,
    n_features_to_select: int | None = None,
    features: CommonFeatures = "same",
    names: Sequence[str] | None = None,
    return_remarks: bool = False,
) -> Any:
    """Merge models of different samples into the model of all these samples.

    The models may have been trained at sites that must not share their samples: each sends its
    model, which holds sums over its samples, and no samples are needed here.

    Parameters
    ----------
    models : sequence of estimators
        At least two fitted classifiers of the same class with the same parameters. It is one of
        :class:`~centroidal.SparseCenterClassifier` with ``metric="l2"`` and a `scale` of None,
        "std" or "within"; :class:`~centroidal.DisjointCentroidClassifier` with
        ``assignment="margin"`` and ``calibration=None``; or
        :class:`~centroidal.FisherSubspaceClassifier`. Summaries of sites,
        :class:`~centroidal.model_selection.SiteSummary`, are merged in the same way. Of
        :class:`~centroidal.SparseCenterClassifierCV` its `best_estimator_` is merged, of
        :class:`~centroidal.ConformalClassifier` its `estimator_`.
    n_features_to_select : int, default=None
        How many features the merged model selects; needed where sparse centers select different
        numbers.
    features : {"same", "intersection"}, default="same"
        Whether all models must have the same features, or those that not all have are left out. The
        latter is for sparse centers and for summaries of sites: what is merged is the model of the
        features that all have.
    names : sequence of str, default=None
        What messages call the models; None calls them model 1, model 2, ...
    return_remarks : bool, default=False
        Whether to return ``(model, remarks)``.

    Returns
    -------
    estimator
        A new model, of the class of those that were merged, with the features in the order of the
        first and the classes of all. The models that were given are not changed.
    tuple of str
        If `return_remarks`: what was unusual and how it was handled, a sentence each.

    Raises
    ------
    ValueError
        If models cannot be merged, or not with each other. The message says which, and why.

    See Also
    --------
    centroidal.persistence.load_model : Reads a model that was sent.
    predict_table : Predicts with the merged model.

    Notes
    -----
    Features are matched by name, in whatever order they are; there must be the same ones in all
    models, unless `features` says otherwise. Models that know no names have them in the same order.
    Classes are matched by label, and a model may lack some. `n_jobs`, and what "margin" does not
    look at, may differ.

    Sparse centers are those of all samples, up to rounding, for any number of models in any order.
    So are disjoint centroids; their probabilities come from class moments, as after `partial_fit`.
    Fisher subspaces are, too, as far as no directions were cut off: with ``whitening="full"`` or
    "variance". What was cut off makes "truncated" approximate, and where two classes are cut by a
    threshold other than "prior", it is the mean of those of the models. Remarks say so.

    Pipelines are refused. Medians that were filled in and means that were subtracted are those of
    a site, and what was learned behind them is not what all samples would have taught.

    Examples
    --------
    >>> from centroidal import SparseCenterClassifier
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.io import merge_models
    >>> X, y = load_expression(return_X_y=True)
    >>> def fit(X, y):
    ...     return SparseCenterClassifier(20, scale="within").fit(X, y)
    >>> merged = merge_models([fit(X[:50], y[:50]), fit(X[50:], y[50:])])
    >>> bool((merged.support_ == fit(X, y).support_).all())
    True
    """
    check_flag("return_remarks", return_remarks)
    check_choice("features", features, get_args(CommonFeatures))
    remarks = []
    parts = [_take_chosen(part, remarks) for part in _name_parts(models, names)]
    _check_each(parts)
    _check_same_class(parts)
    if isinstance(parts[0].model, SiteSummary):
        check_distinct_sites(*zip(*parts, strict=True))
    if features == "intersection":
        parts = _keep_common_features(parts, remarks)
    parts = _align_features(parts, remarks)
    _check_parameters(parts, n_features_to_select)
    _check_labels(parts, remarks)
    model = reduce(lambda first, second: copy(first).merge(second), [part.model for part in parts])
    if n_features_to_select is not None:
        model = model.at(n_features_to_select)
    remarks += _on_exactness(model)
    return (model, tuple(remarks)) if return_remarks else model


def class_counts(model):
    """Count the samples of each class that a model was trained on; weights count as such.

    Parameters
    ----------
    model : estimator
        One that :func:`merge_models` takes or returns.

    Returns
    -------
    dict
        Label -> number; an int where it is a whole one.
    """
    model = model.estimator_ if isinstance(model, ConformalClassifier) else model
    solution = model._solution
    summary = solution.subspace if isinstance(model, FisherSubspaceClassifier) else solution.moments
    counts = solution.counts.sum(axis=0) if isinstance(model, SiteSummary) else summary.counts
    pairs = zip(model.classes_.tolist(), counts.tolist(), strict=True)
    return {label: int(count) if count.is_integer() else count for label, count in pairs}


def _refuse(sentence, lines):
    """Raise if there are reasons to, with a line for each."""
    if lines:
        raise ValueError("\n  ".join([sentence, *lines]))


# ------------------------------------------------------------------ one by one


def _name_parts(models, names):
    models = list(models)
    if len(models) < 2:
        raise ValueError(f"models holds {len(models)}; at least 2 are needed to merge.")
    names = [f"model {i + 1}" for i in range(len(models))] if names is None else list(names)
    if len(names) != len(models):
        raise ValueError(f"names holds {len(names)}, but there are {len(models)} models.")
    return [_Part(*pair) for pair in zip(names, models, strict=True)]


def _take_chosen(part, remarks):
    """Take the model that cross-validation chose, or that was calibrated."""
    if isinstance(part.model, ConformalClassifier) and hasattr(part.model, "estimator_"):
        remarks.append(
            f"{part.name} is calibrated, which takes samples: the merged model has the "
            "probabilities of its classifier as they are, and calls a class for every sample."
        )
        part = part._replace(model=part.model.estimator_)
    if not isinstance(part.model, SparseCenterClassifierCV):
        return part
    if not hasattr(part.model, "best_estimator_"):
        raise ValueError(f"{part.name} is not fitted.")
    remarks.append(
        f"{part.name} is a SparseCenterClassifierCV; its best_estimator_ is merged, and its number "
        "of features is not chosen anew."
    )
    return part._replace(model=part.model.best_estimator_)


def _check_each(parts):
    reasons = [f"{part.name}: {reason}" for part in parts if (reason := _reason(part.model))]
    _refuse("These models cannot be merged:", reasons)
    for name, model in parts:
        if not model.__sklearn_is_fitted__():
            raise ValueError(f"{name} is not fitted.")
        try:
            check_model(model)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{name} is damaged: {error}") from error


def _reason(model):
    """Say why a model cannot be merged; None if it can."""
    kind = type(model)
    if isinstance(model, Pipeline):
        before = ", ".join(type(step).__name__ for _, step in model.steps[:-1])
        return (
            f"a pipeline ({before} before the classifier). What its steps learned, such as "
            "medians to fill in or means to subtract, is of the samples of one site, and not what "
            "all samples would give. Models that were selected by method='l2', without such steps, "
            "merge."
        )
    if kind not in _IDLE:
        allowed = ", ".join(each.__name__ for each in _IDLE)
        return f"a {kind.__name__}; only these merge: {allowed}, and SparseCenterClassifierCV."
    if hasattr(model, "merge"):
        return None
    if kind is SparseCenterClassifier:
        return (
            f"metric={model.metric!r}, scale={model.scale!r}; only metric='l2' with scale=None, "
            "'std' or 'within' merges, as medians and whitened features cannot."
        )
    return (
        f"assignment={model.assignment!r}, calibration={model.calibration!r}; only "
        "assignment='margin' with calibration=None merges, as the others need the samples."
    )


# ------------------------------------------------------------------ with each other


def _check_same_class(parts):
    kind = type(parts[0].model)
    others = [part for part in parts if type(part.model) is not kind]
    kinds = [f"{name}: {type(model).__name__}" for name, model in (parts[0], *others)]
    _refuse("The models are of different classes:", kinds if others else [])


def _check_parameters(parts, n_features_to_select):
    """Raise, with a list of all differences, unless the parameters that matter are the same."""
    first, *others = parts
    if n_features_to_select is not None:
        _check_n_features(first.model, n_features_to_select)
    expected = _parameters(first.model, n_features_to_select)
    differences = []
    for part in others:
        found = _parameters(part.model, n_features_to_select)
        differences += [
            f"{part.name}: {name}={found[name]!r}, {first.name}: {name}={expected[name]!r}"
            for name in expected
            if not _is_same(name, found[name], expected[name])
        ]
    if any(": n_features_to_select=" in line for line in differences):
        differences.append(
            "n_features_to_select=... (-k) says how many features the merged model is to select."
        )
    _refuse("The models have different parameters:", differences)


def _check_n_features(model, n_features_to_select):
    if not isinstance(model, SparseCenterClassifier | SiteSummary):
        raise ValueError(
            f"n_features_to_select={n_features_to_select!r} (-k) must be left out: "
            f"{type(model).__name__} does not select a number of features."
        )
    check_count("n_features_to_select", n_features_to_select)
    if n_features_to_select > model.n_features_in_:
        raise ValueError(
            f"n_features_to_select={n_features_to_select} (-k) must lie between 1 and "
            f"{model.n_features_in_}, the number of features of the models."
        )


def _parameters(model, n_features_to_select):
    """Return the parameters that matter, in a form that can be compared."""
    found = model.get_params(deep=False)
    found = {name: value for name, value in found.items() if name not in _IDLE[type(model)]}
    if "n_features_to_select" in found:
        # The number it stands for, unless another one is asked for anyway.
        found["n_features_to_select"] = n_features_to_select or model.n_features_to_select_
    if isinstance(model, SiteSummary):
        found["scale"] = model.scale_
    if "shared_features" in found:
        found["shared_features"] = _shared_columns(model, np.arange(model.n_features_in_))
    return json_plain(found)


def _shared_columns(model, order):
    """Say which features are shared; those that were named by column, in another order."""
    value = model.shared_features
    mask = check_shared_features(value, model.n_features_in_)
    return np.flatnonzero(mask[order]) if isinstance(mask, np.ndarray) else value


def _is_same(name, first, second):
    if name in _COUNT_OR_SHARE and isinstance(first, Integral) != isinstance(second, Integral):
        return False
    return first == second


def _check_labels(parts, remarks):
    """Raise unless labels are of one type; remark on classes that not all models have."""
    first, *others = parts
    for part in others:
        kinds = [_kind_of(each.model.classes_) for each in (first, part)]
        if kinds[0] != kinds[1]:
            raise ValueError(
                f"The classes of {first.name} are {kinds[0]} "
                f"({list_names(first.model.classes_.tolist())}), those of {part.name} are "
                f"{kinds[1]} ({list_names(part.model.classes_.tolist())}); they must be of one "
                "type."
            )
    together = {label for part in parts for label in part.model.classes_.tolist()}
    for name, model in parts:
        absent = sorted(together.difference(model.classes_.tolist()))
        if absent and not isinstance(getattr(model, "priors", ""), str):
            raise ValueError(
                f"{name} has priors={model.priors!r}, a number for each of its classes, but lacks "
                f"{list_names(absent)}; models with such priors must all have the same classes."
            )
        if absent:
            noun = "class" if len(absent) == 1 else "classes"
            remarks.append(
                f"{name} lacks {len(absent)} {noun} of the others: {list_names(absent)}."
            )


def _kind_of(labels):
    """Name the type of labels in plain words."""
    if labels.dtype.kind != "O":
        return _LABELS.get(labels.dtype.kind, str(labels.dtype))
    kinds = {_LABELS.get(np.asarray(label).dtype.kind, type(label).__name__) for label in labels}
    return " and ".join(sorted(kinds))


# ------------------------------------------------------------------ features


def _align_features(parts, remarks):
    """Return the models with their features in the order of the first."""
    first, *others = parts
    has_names = [hasattr(part.model, "feature_names_in_") for part in parts]
    if all(has_names):
        return [first, *(_align_by_name(first, part, remarks) for part in others)]
    if any(has_names):
        pairs = list(zip(parts, has_names, strict=True))
        named = ", ".join(part.name for part, has in pairs if has)
        nameless = ", ".join(part.name for part, has in pairs if not has)
        raise ValueError(
            f"Features have names in {named} and none in {nameless}; they cannot be matched."
        )
    for name, model in others:
        if model.n_features_in_ != first.model.n_features_in_:
            raise ValueError(
                f"{name} was fitted to {model.n_features_in_} features, {first.name} to "
                f"{first.model.n_features_in_}; without names they must be the same ones."
            )
    remarks.append("The models know no names of features; the columns are taken in their order.")
    return parts


def _keep_common_features(parts, remarks):
    """Return the models as if they had been fitted to the features that all of them have."""
    for name, model in parts:
        if not isinstance(model, SparseCenterClassifier | SiteSummary):
            raise ValueError(
                f"features='intersection' must be 'same': {name} is a {type(model).__name__}, and "
                "only sparse centers and summaries of sites can do without features."
            )
        if not hasattr(model, "feature_names_in_"):
            raise ValueError(f"features='intersection' needs names of features; {name} has none.")
        if len(set(model.feature_names_in_)) < model.n_features_in_:
            raise ValueError(f"{name} has several features of one name; which is which?")
    all_names = [part.model.feature_names_in_.tolist() for part in parts]
    shared = set.intersection(*map(set, all_names))
    if not shared:
        raise ValueError("features='intersection': the models have no feature in common.")
    left_out = [each for each in dict.fromkeys(chain(*all_names)) if each not in shared]
    if left_out:
        _check_steps(parts, {"log1p"}, "features='intersection' leaves out some of them")
        features = count_noun(len(left_out), "feature")
        remarks.append(f"{features} that not all have are left out: {list_names(left_out)}.")
    common = [name for name in all_names[0] if name in shared]
    return [part._replace(model=_take_features(part.model, common)) for part in parts]


def _check_steps(parts, allowed, why):
    """Raise if samples of a site were preprocessed by steps that look at several features."""
    for name, model in parts:
        words = (getattr(model, "preprocess", None) or "").split(",")
        mixing = [word for word in words if word and word.partition("=")[0] not in allowed]
        if mixing:
            raise ValueError(
                f"{name} was preprocessed by {mixing[0]}, which takes the features of a sample "
                f"together, and {why}: at each site they must be the same ones, in one order."
            )


def _take_features(model, names):
    """Copy a model of class moments as if it had been fitted to some of its features."""
    found = model.feature_names_in_.tolist()
    if names == found:
        return model
    where = {name: j for j, name in enumerate(found)}
    order = np.array([where[name] for name in names])
    moved, moments = copy(model), model._solution.moments.columns(order)
    features = Features(order.size, model.feature_names_in_[order])
    if isinstance(model, SiteSummary):
        features.keep(moved)
        moved._solution = model._solution._replace(moments=moments)
        return moved
    return moved._keep_moments(features, model.classes_, moments)


def _align_by_name(first, part, remarks):
    wanted, found = (each.model.feature_names_in_.tolist() for each in (first, part))
    if wanted == found:
        return part
    _check_same_names(first, part, wanted, found)
    alone = set(PREPROCESSING) - {"savgol"}
    _check_steps([part], alone, f"{first.name} has the features in another order")
    remarks.append(f"{part.name} has the features in another order; that of {first.name} is kept.")
    where = {name: j for j, name in enumerate(found)}
    order = np.array([where[name] for name in wanted])
    return part._replace(model=_reorder(part.model, order))


def _check_same_names(first, part, wanted, found):
    lacking = []
    for one, own, other, theirs in ((part, found, first, wanted), (first, wanted, part, found)):
        has = set(own)
        absent = [name for name in theirs if name not in has]
        if absent:
            features = count_noun(len(absent), "feature")
            lacking.append(f"{one.name} lacks {features} of {other.name}: {list_names(absent)}.")
    if lacking:
        lacking.append(
            "features='intersection' (--features intersection) leaves such features out."
        )
    _refuse("The models have different features:", lacking)
    for name, own in ((first.name, wanted), (part.name, found)):
        if len(set(own)) < len(own):
            twice = next(each for each in own if own.count(each) > 1)
            raise ValueError(f"{name} has several features named {twice!r}; which is which?")


def _reorder(model, order):
    """Copy what `merge` reads of a model, with feature `order[j]` in place j."""
    moved, solution = copy(model), model._solution
    if isinstance(model, FisherSubspaceClassifier):
        point = solution.threshold_point
        point = None if point is None else point._replace(place=point.place[order])
        solution = solution._replace(
            subspace=solution.subspace.columns(order), threshold_point=point
        )
    else:
        solution = solution._replace(moments=solution.moments.columns(order))
    if isinstance(model, DisjointCentroidClassifier):
        moved.shared_features = _shared_columns(model, order)
    moved._solution = solution
    moved.feature_names_in_ = model.feature_names_in_[order]
    return moved


# ------------------------------------------------------------------ how exact it is


def _on_exactness(model):
    """Say in which way a merged model is not that of all samples."""
    if isinstance(model, DisjointCentroidClassifier):
        yield (
            "Predictions are those of a model of all samples; probabilities come from class "
            "moments, as if features were independent and normal, and are often too sure."
        )
    if not isinstance(model, FisherSubspaceClassifier):
        return
    found = model._solution.subspace.spectrum
    if found.is_cut:
        share = 1.0 - found.values.sum() / found.trace
        yield (
            f"whitening={model.whitening!r} keeps the leading directions only: those that were cut "
            f"off hold {percent(share)} of the scatter, so the merged model is close to that of "
            "all samples and not equal to it; whitening='full' and 'variance' merge exactly."
        )
    if model._solution.threshold_point is not None:
        yield (
            f"threshold={model.threshold!r} is found from samples, so that of the merged model is "
            "the mean of those of the models; threshold='prior' merges exactly."
        )
