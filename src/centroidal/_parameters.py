"""Parameters are checked before any work; errors name them, their value and what is allowed.

`CHECKS` is the table of parameters that mean the same everywhere; an estimator has its own ones, or
its own meaning of them, in `_checks`. `check_parameters` applies both at the top of `fit`. What
stands for another value, or depends on the data, has a function of its own.
"""

from functools import partial
from inspect import signature
from numbers import Integral, Real
from typing import get_args

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics.pairwise import kernel_metrics

from . import _typing as types

# ------------------------------------------------------------------ checks of a name and a value


def number(words, is_allowed, bounds, kind=Real, *, or_one_of=()):
    """Return a check: a value must be `words`, and if it is a number, it must `bounds`."""

    def check(name, value):
        if (value is None or isinstance(value, str)) and value in or_one_of:
            return
        if isinstance(value, bool) or not isinstance(value, kind):
            error = ValueError if or_one_of and isinstance(value, str) else TypeError
            shown = value if isinstance(value, Real) else repr(value)
            raise error(f"{name}={shown} must be {words}.")
        if not is_allowed(value):
            raise ValueError(f"{name}={value} must {bounds}.")

    return check


def choice(literal):
    """Return a check: a value must be one of the words of a `Literal`, or None if that is too."""
    return partial(check_choice, allowed=get_args(literal))


def optional(check):
    """Return a check: None, or what passes another check."""
    return lambda name, value: None if value is None else check(name, value)


def check_choice(name, value, allowed):
    """Raise unless `value` is one of `allowed`, which are words or None."""
    is_word = value is None or isinstance(value, str)
    if not is_word or value not in allowed:
        raise ValueError(f"{name}={value!r} must be one of {', '.join(map(repr, allowed))}.")


def check_flag(name, value):
    """Raise unless `value` is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}={value!r} must be True or False.")


check_count = number("an int of at least 1", lambda value: value >= 1, "be at least 1", Integral)
check_positive = number(
    "a positive number", lambda value: 0.0 < value < np.inf, "be positive and finite"
)
check_share = number(
    "a number between 0 and 1", lambda value: 0.0 < value < 1.0, "lie between 0 and 1"
)
_check_number = number("a number", lambda value: True, "be a number")
_check_weight = number(
    "a positive number, or inf", lambda value: value > 0.0, "be positive; inf uses every feature"
)
_check_gamma = number(
    "'scale', 'auto' or a positive number",
    lambda value: value > 0.0,
    "be positive",
    or_one_of=("scale", "auto"),
)
_check_n_components = number(
    "an int, a share of the variance (float), 'log2' or None",
    lambda value: value >= 1 if isinstance(value, Integral) else 0.0 < value <= 1.0,
    "be at least 1 or, as a share of the variance, lie above 0 and at most at 1.0",
    or_one_of=("log2", None),
)
_check_jobs = optional(
    number(
        "an int or None",
        lambda value: value != 0,
        "be a number of jobs, or -1 for all cores",
        Integral,
    )
)


def check_jobs(value):
    """Raise unless `value` is a number of jobs as joblib knows them."""
    _check_jobs("n_jobs", value)


CHECKS = {
    "alpha": check_positive,
    "assignment": choice(types.Assignment),
    "balance": check_share,
    "baseline_weight": _check_weight,
    "batch_size": optional(check_count),
    "calibration": choice(types.Calibration),
    "center": check_flag,
    "coef0": _check_number,
    "degree": _check_number,
    "disjoint": check_flag,
    "gamma": _check_gamma,
    "learning_rate": check_positive,
    "max_clusters": check_count,
    "max_epochs": optional(check_count),
    "max_iter": check_count,
    "merge_rule": choice(types.MergeRule),
    "n_components": _check_n_components,
    "n_init": check_count,
    "n_jobs": _check_jobs,
    "max_samples": optional(check_count),
    "n_neighbors": optional(check_count),
    "patience": check_count,
    "pretraining_epochs": check_count,
    "recluster": check_flag,
    "refine": choice(types.Refinement),
    "reg_covar": check_positive,
    "relative": check_flag,
    "rule": choice(types.Rule),
    "scatter": choice(types.Scatter),
    "solver": choice(types.Solver),
    "targets": choice(types.Targets),
    "threshold": choice(types.Threshold),
    "tol": optional(check_positive),
    "validation_fraction": optional(check_share),
    "variant": choice(types.Variant),
    "whitening": choice(types.Whitening),
    "window": optional(check_count),
    "window_unit": choice(types.WindowUnit),
}


def check_parameters(estimator):
    """Raise unless the parameters of an estimator that have a check pass it."""
    checks = CHECKS | getattr(estimator, "_checks", {})
    for name, value in estimator.get_params(deep=False).items():
        if name in checks:
            checks[name](name, value)


# ------------------------------------------------------------------ several values


def _check_each(name, values, check, words="an array of positive numbers, or None"):
    """Return numbers as an array, each of them checked."""
    if isinstance(values, str) or not np.iterable(values):
        raise TypeError(f"{name}={values!r} must be {words}.")
    values = list(values)
    if not values:
        raise ValueError(f"{name}=[] must hold at least one number.")
    for value in values:
        check(f"a value of {name}", value)
    return np.asarray(values)


def check_alphas(values):
    """Return penalties as an array."""
    return _check_each("alphas", values, check_positive).astype(float)


def check_weight_grid(name, values):
    """Return positive numbers, which may be infinite, sorted and without repeats."""
    return np.unique(_check_each(name, values, _check_weight).astype(float))


def check_component_grid(values):
    """Return numbers of components, sorted and without repeats."""
    words = "an int, an array of ints or None"
    return np.unique(_check_each("n_components_grid", values, check_count, words))


def check_layer_sizes(value):
    """Return a positive whole number, or several of them, as a list."""
    sizes = value if np.iterable(value) else [value]
    words = "an int or several of them"
    return _check_each("hidden_layer_sizes", sizes, check_count, words).tolist()


# ------------------------------------------------------------------ what depends on the data


def check_n_features_to_select(value, n_features):
    """Return the number of features that an int, a fraction or None stands for."""
    if value is None:
        return n_features
    if isinstance(value, Integral) and not isinstance(value, bool):
        if not 1 <= value <= n_features:
            raise ValueError(
                f"n_features_to_select={value} must lie between 1 and n_features={n_features}."
            )
        return int(value)
    if isinstance(value, Real) and not isinstance(value, bool):
        if not 0.0 < value <= 1.0:
            raise ValueError(
                f"n_features_to_select={value} must, as a fraction, lie above 0 and at most at 1.0."
            )
        return max(1, round(value * n_features))
    raise TypeError(
        f"n_features_to_select={value!r} must be an int, a fraction (float) or None for all."
    )


def check_priors(priors, counts):
    """Class probabilities from "uniform", "empirical" or an array of one number a class."""
    if isinstance(priors, str):
        check_choice("priors", priors, get_args(types.Priors))
        shares = counts if priors == "empirical" else (counts > 0).astype(float)
        return shares / shares.sum()
    try:
        shares = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.array([])
    if shares.shape != counts.shape or not (shares > 0).all() or not np.isfinite(shares).all():
        raise ValueError(
            f"priors={priors!r} must be 'uniform', 'empirical' or {counts.size} positive numbers, "
            "one a class."
        )
    return shares / shares.sum()


def check_covariance(name, value, n_features=None):
    """Raise unless `value` is "within", "total" or a covariance matrix of so many features."""
    if isinstance(value, str):
        check_choice(name, value, get_args(types.Covariance))
        return
    words = "must be 'within', 'total' or a symmetric, positive definite matrix"
    try:
        matrix = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name}={value!r} {words}.") from None
    words = f"{name} {words}"
    if matrix.ndim != 2 or matrix.shape != (n_features or len(matrix),) * 2:
        rows = "one row and column a feature" if n_features is None else f"{n_features} rows"
        raise ValueError(f"{words} of {rows}; got shape {matrix.shape}.")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{words}; it is not finite.")
    if (np.abs(matrix - matrix.T) > 1e-8 * np.abs(matrix).max()).any():
        raise ValueError(f"{words}; it is not symmetric.")
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        raise ValueError(f"{words}; it is not positive definite.") from None


def check_n_axes(value, n_classes):
    """Return the number of Fisher axes to keep, at most one less than classes."""
    if value is None:
        return n_classes - 1
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"n_axes={value!r} must be an int or None for all.")
    if not 1 <= value <= n_classes - 1:
        raise ValueError(f"n_axes={value} must lie between 1 and n_classes - 1={n_classes - 1}.")
    return int(value)


def check_shared_features(value, n_features):
    """Return the number of features that are shared, or a mask of them."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return 0
    if isinstance(value, Real) and not isinstance(value, bool):
        is_count = isinstance(value, Integral)
        if not 0 <= value <= (n_features if is_count else 1.0):
            allowed = f"n_features={n_features}" if is_count else "1.0, as a fraction"
            raise ValueError(f"shared_features={value} must lie between 0 and {allowed}.")
        return int(value) if is_count else round(value * n_features)
    words = "'auto', None, an int, a fraction (float), a mask or an array of columns"
    mask = check_columns("shared_features", value, n_features, words)
    return mask if mask.any() else 0


def check_columns(name, value, n_features, words):
    """Return a mask of features that are given by a mask or by numbers of columns."""
    try:
        columns = np.asarray(value)
    except ValueError:  # lists of different lengths
        columns = np.array(None)
    if columns.ndim == 1 and columns.size == 0:
        return np.zeros(n_features, dtype=bool)
    if columns.ndim != 1 or columns.dtype.kind not in "biu":
        raise TypeError(f"{name}={value!r} must be {words}.")
    if columns.dtype.kind == "b":
        if columns.size != n_features:
            raise ValueError(f"{name} is a mask of {columns.size} features; X has {n_features}.")
        return columns
    if columns.min() < 0 or columns.max() >= n_features:
        raise ValueError(
            f"{name} holds {columns.min()} ... {columns.max()}; columns go from 0 to "
            f"{n_features - 1}."
        )
    return np.isin(np.arange(n_features), columns)


# ------------------------------------------------------------------ functions and estimators


def check_kernel(kernel, params):
    """Raise unless `kernel` is a kernel of scikit-learn, "precomputed" or a function."""
    names = (*sorted(kernel_metrics()), "precomputed")
    if not callable(kernel):
        if not isinstance(kernel, str):
            raise TypeError(f"kernel={kernel!r} must be a name or a function of two samples.")
        check_choice("kernel", kernel, names)
    if params is not None and not isinstance(params, dict):
        raise TypeError(f"kernel_params={params!r} must be a dict or None.")
    if params and not callable(kernel):
        raise ValueError(
            f"kernel_params={params!r} must be None with kernel={kernel!r}; it is for functions."
        )


def check_selector(name, value, sample_weight=None):
    """Raise unless `value` is a selector, and one that takes the weights that are given."""
    if isinstance(value, type) or not (hasattr(value, "fit") and hasattr(value, "get_support")):
        raise TypeError(f"{name}={value!r} must be a selector, with fit and get_support.")
    _check_takes_weights(name, value, sample_weight)


def check_costs(costs, class_weight, classes, counts):
    """Return the costs of predictions, true classes in rows; None if there are none.

    A class weight is the cost of every error of that class. Labels in dicts, which may come from a
    file, are compared as texts.
    """
    if costs is not None and class_weight is not None:
        raise ValueError(
            f"class_weight={class_weight!r} must be None where costs are given: it stands for the "
            "costs of the errors of a class."
        )
    if class_weight is not None:
        weights = _class_weights(class_weight, classes, counts)
        return np.outer(weights, np.ones(classes.size)) * (1.0 - np.eye(classes.size))
    if costs is None:
        return None
    if hasattr(costs, "to_dict") and hasattr(costs, "index"):  # a table with labels
        costs = costs.to_dict("index")
    if isinstance(costs, dict):
        costs = _cost_table(costs, classes)
    return _check_cost_matrix(costs, classes)


def _check_cost_matrix(costs, classes):
    try:
        matrix = np.array(costs, dtype=float)
    except (TypeError, ValueError) as error:
        raise TypeError(f"costs={costs!r} must be a matrix of numbers, a dict or None.") from error
    n_classes = classes.size
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(
            f"costs of shape {matrix.shape} must have a row and a column for each of the "
            f"{n_classes} classes, {', '.join(map(str, classes.tolist()[:10]))}."
        )
    if not (np.isfinite(matrix).all() and (matrix >= 0.0).all()):
        raise ValueError("costs must be finite numbers that are not negative.")
    if not matrix[~np.eye(n_classes, dtype=bool)].any():
        raise ValueError("costs must not all be 0: some error must cost something.")
    return matrix


def _class_weights(class_weight, classes, counts):
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.maximum(counts, 1)
        return counts.sum() / (classes.size * counts)
    if not isinstance(class_weight, dict):
        raise ValueError(f"class_weight={class_weight!r} must be 'balanced', a dict or None.")
    places = _places_of("class_weight", class_weight, classes)
    weights = np.ones(classes.size)
    for label, weight in class_weight.items():
        is_number = isinstance(weight, Real) and not isinstance(weight, bool)
        if not is_number or not 0.0 < weight < np.inf:
            raise ValueError(f"class_weight[{label!r}]={weight!r} must be a positive number.")
        weights[places[str(label)]] = weight
    return weights


def _cost_table(costs, classes):
    """Make a matrix of a dict of dicts; what is right costs nothing if nothing is said."""
    places = _places_of("costs", costs, classes)
    matrix = np.where(np.eye(classes.size, dtype=bool), 0.0, np.nan)
    for true, row in costs.items():
        if not isinstance(row, dict):
            raise TypeError(f"costs[{true!r}]={row!r} must be a dict of costs by predicted class.")
        _places_of(f"costs[{true!r}]", row, classes)
        for predicted, cost in row.items():
            matrix[places[str(true)], places[str(predicted)]] = cost
    missing = np.argwhere(np.isnan(matrix))
    if missing.size:
        true, predicted = classes[missing[0]].tolist()
        raise ValueError(f"costs must be a number for true class {true!r} as {predicted!r}.")
    return matrix


def _places_of(name, given, classes):
    """Return the place of each class by its label as text; raise if one that is given is none."""
    places = {str(label): place for place, label in enumerate(classes.tolist())}
    unknown = [label for label in given if str(label) not in places]
    if unknown:
        known = ", ".join(list(places)[:10])
        raise ValueError(f"{name} has the unknown class {unknown[0]!r}; the classes are {known}.")
    return places


def check_probabilities(name, value):
    """Raise unless `value` is a classifier that has probabilities."""
    check_classifier(name, value)
    if not hasattr(value, "predict_proba"):
        raise TypeError(f"{name}={value!r} must have probabilities, by predict_proba.")


def check_classifier(name, value, sample_weight=None):
    """Raise unless `value` is a classifier, and one that takes the weights that are given."""
    if isinstance(value, type) or not hasattr(value, "fit") or not is_classifier(value):
        raise TypeError(f"{name}={value!r} must be a classifier, with fit and predict.")
    _check_takes_weights(name, value, sample_weight)


def _check_takes_weights(name, value, sample_weight):
    if sample_weight is not None and "sample_weight" not in signature(value.fit).parameters:
        raise TypeError(f"sample_weight is given, but {name}={value!r} does not take it in fit.")


def check_asked(
    *,
    target,
    ids,
    drop=(),
    annotations=(),
    groups=None,
    blocks=None,
    layer=None,
    max_bytes=None,
    sheet=None,
    **others,
):
    """Return what is asked of a table by name, as `Request` has it; raise if it is asked twice.

    What a sheet of samples has is not looked for in the table. Other options stay as they are.
    """
    optional(check_count)("max_bytes", max_bytes)
    drop, annotations = (
        (each,) if isinstance(each, str) else tuple(map(str, each)) for each in (drop, annotations)
    )
    target, ids, layer, groups, blocks = (
        None if each is None else str(each) for each in (target, ids, layer, groups, blocks)
    )
    named = dict.fromkeys((groups, blocks))
    annotations += tuple(each for each in named if each not in (None, ids))
    special = [each for each in (target, ids, *annotations) if each is not None]
    in_sheet = () if sheet is None else sheet.columns
    for each in special:
        if special.count(each) > 1 or (each in drop and each not in in_sheet):
            raise ValueError(
                f"{each!r} is asked for twice, among target, ids, groups, blocks, drop and "
                "annotations."
            )
    return {
        "target": None if target in in_sheet else target,
        "ids": ids,
        "drop": tuple(dict.fromkeys(drop)),
        "annotations": tuple(each for each in annotations if each not in in_sheet),
        "groups": groups,
        "blocks": blocks,
        "layer": layer,
        "max_bytes": max_bytes,
        "sheet": sheet,
        **others,
    }
