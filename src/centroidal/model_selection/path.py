"""The score of every model of a path, and the rules that choose one of them."""

import numpy as np

__all__ = ["choose", "log_spaced", "path_table", "score_name"]

_ROUNDING = 1e-12  # means of the same scores in another order are equal


def log_spaced(n_features, n_points):
    """At most `n_points` whole numbers from 1 to `n_features`, evenly spaced on a log scale."""
    return np.unique(np.geomspace(1, n_features, n_points).round().astype(int))


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


def score_name(scoring):
    """Name of what folds are scored by."""
    scoring = scoring or "accuracy"
    return scoring if isinstance(scoring, str) else "score"
