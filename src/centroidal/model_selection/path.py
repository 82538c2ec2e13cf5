"""The score of every model of a path, and the rules that choose one of them."""

from numbers import Integral

import numpy as np

from .._parameters import check_n_features_to_select

__all__ = ["choose", "corrected_error", "feature_grid", "log_spaced", "path_table", "score_name"]

_ROUNDING = 1e-12  # means of the same scores in another order are equal


def log_spaced(n_features, n_points):
    """At most `n_points` whole numbers from 1 to `n_features`, evenly spaced on a log scale."""
    return np.unique(np.geomspace(1, n_features, n_points).round().astype(int))


def feature_grid(value, n_features, n_points):
    """Numbers of features, increasing: those given, or how many on a log scale, None `n_points`."""
    if value is None:
        return log_spaced(n_features, n_points)
    if isinstance(value, Integral):
        if value < 2:
            raise ValueError(f"n_features_grid={value} must be at least 2, or an array.")
        return log_spaced(n_features, value)
    if isinstance(value, str) or not np.iterable(value):
        raise TypeError(f"n_features_grid={value!r} must be an int, an array of them or None.")
    if len(value) == 0:
        raise ValueError("n_features_grid=[] must hold at least one number of features.")
    return np.unique([check_n_features_to_select(size, n_features) for size in value])


def path_table(columns, scores):
    """Tabulate the scores of all folds, an array of shape (n_folds, n_models).

    `columns` say what the models are, those with fewer features or components first.

    The names are those of scikit-learn's ``cv_results_``, so ``pandas.DataFrame(table)`` works.
    """
    n_folds = scores.shape[0]
    spread = scores.std(axis=0, ddof=1) if n_folds > 1 else np.zeros(scores.shape[1])
    table = columns | {
        "mean_test_score": scores.mean(axis=0),
        "std_test_score": spread,
        "se_test_score": spread / np.sqrt(n_folds),
    }
    return table | {f"split{fold}_test_score": scores[fold] for fold in range(n_folds)}


def choose(table, rule):
    """Position in the table of the first model that is best, or within one SE of the best."""
    mean = table["mean_test_score"]
    best = np.argmax(mean >= mean.max() - _ROUNDING)
    if rule == "best":
        return int(best)
    return int(np.argmax(mean >= mean[best] - table["se_test_score"][best] - _ROUNDING))


def corrected_error(values, ratio):
    """Return the standard error of a mean over folds, in the last axis, that train on common rows.

    It is that of :cite:t:`Nadeau2003`; `ratio` is the number of test samples for each training
    sample, and it is NaN for less than two values.
    """
    *shape, n_folds = np.shape(values)
    if n_folds < 2:
        return np.full(shape, np.nan)[()]
    return np.sqrt(np.var(values, axis=-1, ddof=1) * (1 / n_folds + ratio))


def score_name(scoring):
    """Name of what folds are scored by."""
    scoring = scoring or "accuracy"
    return scoring if isinstance(scoring, str) else "score"
