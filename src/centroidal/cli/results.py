"""Results as plain values: for JSON, for files of features and scores, for the card of a model."""

import json
import math

__all__ = [
    "comparison_columns",
    "comparison_values",
    "feature_columns",
    "model_metadata",
    "plain_metadata",
    "print_json",
    "selection_values",
    "table_values",
]


def print_json(**results):
    """Print one JSON object; what is not a number is null."""
    from .._plain import json_plain  # numpy comes with it

    print(json.dumps(json_plain(results, finite=True), allow_nan=False))


def table_values(table):
    """Where the samples come from."""
    names = ("source", "digest", "target", "n_samples", "n_features", "remarks")
    return {name: getattr(table, name) for name in names}


def feature_columns(selection):
    """Return the selected features as columns: rank, feature, gain, frequency, centers."""
    selected = selection.selected
    columns = {
        "rank": list(range(1, len(selected) + 1)),
        "feature": selection.selected_names.tolist(),
        "gain": selection.gains[selected].tolist(),
    }
    if selection.stability is not None:
        columns["frequency"] = selection.stability.selection_frequencies_[selected].tolist()
    for label, center in zip(selection.classes.tolist(), selection.centers, strict=True):
        columns[f"center_{label}"] = center[selected].tolist()
    return columns


def selection_values(selection):
    """All that is worth knowing of a selection."""
    columns = feature_columns(selection)
    stability = selection.stability
    if stability is not None:
        stability = {
            "stability": stability.stability_,
            "interval": stability.stability_interval_,
            "n_resamples": stability.n_resamples,
        }
    names = (
        "method", "n_features_to_select", "n_features_asked", "rule", "scoring", "score",
        "se_score", "random_score", "se_random", "majority_score", "beats_random", "classes",
        "class_counts", "confusion", "recall", "fold_choices", "method_scores", "n_folds",
        "n_repeats", "impute", "seed", "seconds", "versions",
    )  # fmt: skip
    return {
        "answer": selection.summary(),
        **{name: getattr(selection, name) for name in names},
        "features": _rows(columns),
        "stability": stability,
        "path": {
            name: selection.path[name]
            for name in ("n_features", "mean_test_score", "se_test_score")
        },
    }


def _rows(columns):
    """Return columns of equal length as a dict for each row."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def model_metadata(selection, table):
    """Return what the card of a model says of where it comes from."""
    names = (
        "method", "scoring", "score", "se_score", "random_score", "se_random", "n_folds",
        "n_repeats", "seed", "versions",
    )  # fmt: skip
    return plain_metadata(
        made_by="centroidal select",
        **{name: getattr(table, name) for name in ("source", "digest", "target")},
        **{name: getattr(selection, name) for name in names},
        selected_features=selection.selected_names,
    )


def plain_metadata(**metadata):
    """Return what is known, as JSON has it."""
    from .._plain import json_plain

    known = {name: value for name, value in metadata.items() if value is not None}
    return json_plain(known, finite=True)


def comparison_columns(comparison):
    """Return scores and differences as columns, the best member first."""
    differences = {
        name: column
        for name, column in comparison.differences.items()
        if name not in ("name", "n_folds")
    }
    columns = comparison.table | differences
    scores = [-math.inf if math.isnan(each) else each for each in columns["mean_test_score"]]
    order = sorted(range(len(scores)), key=lambda row: -scores[row])
    return {name: column[order].tolist() for name, column in columns.items()}


def comparison_values(comparison):
    """All that is worth knowing of a comparison."""
    return {
        "scoring": comparison.score_name,
        "baseline": comparison.baseline,
        "is_complete": comparison.is_complete,
        "n_fits": len(comparison.results),
        "n_fits_in_all": comparison.scores.size,
        "members": _rows(comparison_columns(comparison)),
        "classes": comparison.classes,
        "confusion": comparison.confusion,
        "seeds": comparison.seeds,
        "versions": comparison.versions,
    }
