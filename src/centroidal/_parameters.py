"""Parameters are checked before any work; errors name them, their value and what is allowed."""

from inspect import signature
from numbers import Integral, Real

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics.pairwise import kernel_metrics

__all__ = [
    "check_alphas",
    "check_balance",
    "check_choice",
    "check_classifier",
    "check_component_grid",
    "check_count",
    "check_flag",
    "check_gamma",
    "check_jobs",
    "check_kernel",
    "check_layer_sizes",
    "check_n_axes",
    "check_n_components",
    "check_n_features_to_select",
    "check_number",
    "check_positive",
    "check_priors",
    "check_selector",
    "check_share",
    "check_shared_features",
    "check_weight",
    "check_weight_grid",
    "check_window",
]


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


def check_choice(name, value, allowed):
    """Raise unless `value` is one of `allowed`."""
    if not any(
        value is choice or (isinstance(value, str) and value == choice) for choice in allowed
    ):
        raise ValueError(f"{name}={value!r} must be one of {', '.join(map(repr, allowed))}.")


def check_priors(priors, counts):
    """Class probabilities from "uniform", "empirical" or an array of one number a class."""
    if isinstance(priors, str):
        check_choice("priors", priors, ("uniform", "empirical"))
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


def check_n_components(value):
    """Raise unless `value` is a number of components, a share of variance, "log2" or None."""
    if value is None or (isinstance(value, str) and value == "log2"):
        return
    if isinstance(value, Integral) and not isinstance(value, bool):
        if value < 1:
            raise ValueError(f"n_components={value} must be at least 1.")
    elif isinstance(value, Real) and not isinstance(value, bool):
        if not 0.0 < value <= 1.0:
            raise ValueError(
                f"n_components={value} must, as a share of the variance, lie above 0 and at most "
                "at 1.0."
            )
    else:
        message = "must be an int, a share of the variance (float), 'log2' or None."
        error = ValueError if isinstance(value, str) else TypeError
        raise error(f"n_components={value!r} {message}")


def check_balance(value):
    """Raise unless `value` is a number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"balance={value!r} must be a number between 0 and 1.")
    if not 0.0 < value < 1.0:
        raise ValueError(f"balance={value} must lie between 0 and 1, both excluded.")


def check_n_axes(value, n_classes):
    """Return the number of Fisher axes to keep, at most one less than classes."""
    if value is None:
        return n_classes - 1
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"n_axes={value!r} must be an int or None for all.")
    if not 1 <= value <= n_classes - 1:
        raise ValueError(f"n_axes={value} must lie between 1 and n_classes - 1={n_classes - 1}.")
    return int(value)


def check_window(value):
    """Raise unless `value` is a number of chunks or None."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"window={value!r} must be a number of chunks (int) or None for all.")
    if value < 1:
        raise ValueError(f"window={value} must be at least 1.")


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


def check_gamma(value):
    """Raise unless `value` is "scale", "auto" or a positive number."""
    if isinstance(value, str):
        check_choice("gamma", value, ("scale", "auto"))
    elif isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"gamma={value!r} must be 'scale', 'auto' or a positive number.")
    elif not value > 0.0:
        raise ValueError(f"gamma={value} must be positive.")


def check_number(name, value):
    """Raise unless a parameter is a number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}={value!r} must be a number.")


def check_component_grid(values):
    """Return numbers of components, sorted and without repeats."""
    if isinstance(values, str) or not np.iterable(values):
        raise TypeError(f"n_components_grid={values!r} must be an int, an array of ints or None.")
    if len(values) == 0:
        raise ValueError("n_components_grid=[] must hold at least one number of components.")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise ValueError(f"n_components_grid holds {value!r}; numbers must be ints from 1 on.")
    return np.unique(np.asarray(values, dtype=int))


def check_count(name, value):
    """Raise unless `value` is a positive whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}={value!r} must be an int of at least 1.")
    if value < 1:
        raise ValueError(f"{name}={value} must be at least 1.")


def check_positive(name, value):
    """Raise unless `value` is a finite positive number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}={value!r} must be a positive number.")
    if not 0.0 < value < np.inf:
        raise ValueError(f"{name}={value} must be positive and finite.")


def check_share(name, value):
    """Raise unless `value` is a number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}={value!r} must be a number between 0 and 1.")
    if not 0.0 < value < 1.0:
        raise ValueError(f"{name}={value} must lie between 0 and 1.")


def check_layer_sizes(value):
    """Return a positive whole number, or several of them, as a list."""
    sizes = list(value) if np.iterable(value) and not isinstance(value, str) else [value]
    if not sizes:
        raise ValueError(f"hidden_layer_sizes={value!r} must name at least one hidden layer.")
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, Integral):
            raise TypeError(f"hidden_layer_sizes={value!r} must be an int or several of them.")
        if size < 1:
            raise ValueError(f"hidden_layer_sizes={value!r} must be at least 1 each.")
    return [int(size) for size in sizes]


def check_jobs(value):
    """Raise unless `value` is a number of jobs as joblib knows them."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"n_jobs={value!r} must be an int or None.")
    if value == 0:
        raise ValueError("n_jobs=0 must be a number of jobs, or -1 for all cores.")


def check_selector(name, value, sample_weight=None):
    """Raise unless `value` is a selector, and one that takes the weights that are given."""
    if isinstance(value, type) or not (hasattr(value, "fit") and hasattr(value, "get_support")):
        raise TypeError(f"{name}={value!r} must be a selector, with fit and get_support.")
    if sample_weight is not None and "sample_weight" not in signature(value.fit).parameters:
        raise TypeError(f"sample_weight is given, but {name}={value!r} does not take it in fit.")


def check_flag(name, value):
    """Raise unless `value` is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}={value!r} must be True or False.")


def check_weight(name, value):
    """Raise unless `value` is a positive number, which may be infinite."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}={value!r} must be a positive number, or inf.")
    if not value > 0.0:
        raise ValueError(f"{name}={value} must be positive; inf uses every feature.")


def check_weight_grid(name, values):
    """Return positive numbers, which may be infinite, sorted and without repeats."""
    return np.unique(_check_each(name, values, check_weight))


def _check_each(name, values, check):
    """Return numbers as an array, each of them checked by `check`."""
    if isinstance(values, str) or not np.iterable(values):
        raise TypeError(f"{name}={values!r} must be an array of positive numbers, or None.")
    values = list(values)
    if not values:
        raise ValueError(f"{name}=[] must hold at least one number.")
    for value in values:
        check(f"a value of {name}", value)
    return np.asarray(values, dtype=float)


def check_shared_features(value, n_features):
    """Return the number of features that are shared, or a mask of them."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return 0
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number:
        is_count = isinstance(value, Integral)
        if not 0 <= value <= (n_features if is_count else 1.0):
            allowed = f"n_features={n_features}" if is_count else "1.0, as a fraction"
            raise ValueError(f"shared_features={value} must lie between 0 and {allowed}.")
        return int(value) if is_count else round(value * n_features)
    try:
        columns = np.asarray(value)
    except ValueError:  # lists of different lengths
        columns = np.array(None)
    if columns.ndim == 1 and columns.size == 0:
        return 0
    if columns.ndim != 1 or columns.dtype.kind not in "biu":
        raise TypeError(
            f"shared_features={value!r} must be 'auto', None, an int, a fraction (float), a mask "
            "or an array of columns."
        )
    if columns.dtype.kind == "b":
        if columns.size != n_features:
            raise ValueError(
                f"shared_features is a mask of {columns.size} features; X has {n_features}."
            )
        return columns
    if columns.min() < 0 or columns.max() >= n_features:
        raise ValueError(
            f"shared_features holds {columns.min()} ... {columns.max()}; columns go from 0 to "
            f"{n_features - 1}."
        )
    return np.isin(np.arange(n_features), columns)


def check_alphas(values):
    """Return penalties as an array."""
    return _check_each("alphas", values, check_positive)


def check_classifier(name, value, sample_weight=None):
    """Raise unless `value` is a classifier, and one that takes the weights that are given."""
    if isinstance(value, type) or not hasattr(value, "fit") or not is_classifier(value):
        raise TypeError(f"{name}={value!r} must be a classifier, with fit and predict.")
    if sample_weight is not None and "sample_weight" not in signature(value.fit).parameters:
        raise TypeError(f"sample_weight is given, but {name}={value!r} does not take it in fit.")
