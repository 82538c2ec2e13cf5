"""What notebooks show of a fitted model: what it is, its curve and first features, its diagram.

Models are read by their public fitted attributes alone, so that this is written once for all.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from ._html import html_answer, html_curve

_MOST_CLASSES = 10  # that are named
# Of what a path holds a score for each value, and the column that counts it.
_PATHS = {
    "n_features_to_select": ("features", "n_features_to_select"),
    "baseline_weight": ("features", "mean_n_features"),
    "n_components": ("components", "n_components"),
}


class ModelHTMLMixin:
    """Shows a fitted estimator above the diagram of scikit-learn, wherever that is shown."""

    def _html_repr(self):
        return model_html(self) + super()._html_repr()


class ModelPipeline(ModelHTMLMixin, Pipeline):
    """A pipeline of scikit-learn that shows which features its model selected."""


class _Features(NamedTuple):
    """The features that a model looks at, the best first if that is known, and their worth."""

    columns: np.ndarray
    gains: np.ndarray | None = None
    are_ranked: bool = True


def model_html(model: Any) -> str:
    """Return what is known of a fitted model, as HTML; "" if it is not fitted."""
    before, last = _split(model)
    n_features = getattr(last, "n_features_in_", None)
    if n_features is None:
        return ""
    selected = _selected(last)
    used = n_features if selected is None else selected.columns.size
    sentence = f"{type(last).__name__}: {used:,} of {n_features:,} features{_classes(last)}."
    table = {} if selected is None else _table(selected, _names(before, last))
    rows = list(zip(*table.values(), strict=True))
    return html_answer(sentence, [_score(last)], _curve(last), tuple(table), rows)


def _split(model):
    """Return the steps before the classifier, None if there are none, and it, without costs."""
    before = None
    while isinstance(model, Pipeline) or hasattr(model, "costs_"):
        if isinstance(model, Pipeline):
            before = model[:-1] if len(model.steps) > 1 else before
            model = model.steps[-1][1]
        else:
            model = model.estimator_
    return before, model


def _table(selected, names):
    """Return the columns of the table of selected features, by title."""
    ranks = {"rank": range(1, selected.columns.size + 1)} if selected.are_ranked else {}
    gains = {} if selected.gains is None else {"gain": selected.gains.tolist()}
    return ranks | {"feature": names[selected.columns].tolist()} | gains


def _selected(model):
    """Return the features that a model selected; None if it has all, or mixtures of them."""
    if hasattr(model, "columns_"):  # of a classifier inside
        record, inside = getattr(model, "selection_", None), _selected(_split(model.estimator_)[1])
        if record is not None:
            return _Features(record.ranking, record.gains)
        is_same = inside is not None and inside.columns.size == model.columns_.size
        return inside if is_same else _Features(model.columns_, are_ranked=False)
    if not hasattr(model, "get_support") or getattr(model, "metric", None) == "mahalanobis":
        return None
    support = model.get_support()
    is_ranked = hasattr(model, "feature_ranking_")
    ranking = model.feature_ranking_ if is_ranked else np.arange(support.size)
    columns = ranking[support[ranking]]
    gains = getattr(model, "feature_gains_", getattr(model, "scores_", None))
    return _Features(columns, None if gains is None else gains[columns], is_ranked)


def _names(before, model):
    """Return the names of the features that a model is given, by the steps before it."""
    if hasattr(model, "feature_names_in_"):
        return model.feature_names_in_
    numbered = np.array([f"x{column}" for column in range(model.n_features_in_)], dtype=object)
    try:
        return numbered if before is None else before.get_feature_names_out()
    except (AttributeError, NotImplementedError):  # a step does not say
        return numbered


def _classes(model):
    classes = getattr(model, "classes_", None)
    if classes is None:
        return ""
    more = ", …" if classes.size > _MOST_CLASSES else ""
    named = ", ".join(map(str, classes[:_MOST_CLASSES].tolist()))
    return f", {classes.size} classes ({named}{more})"


def _score(model):
    if hasattr(model, "selection_"):
        return model.selection_.summary
    if hasattr(model, "best_score_"):
        return (
            f"{_scoring(model)} {model.best_score_:.3f} in {model.n_splits_} folds, by which the "
            "choice was made: cross-validate the whole for an honest number."
        )
    return ""


def _scoring(model):
    """Return the name of what the folds were scored by."""
    scoring = getattr(model, "scoring", None)
    return scoring if isinstance(scoring, str) else "accuracy" if scoring is None else "score"


def _curve(model):
    """Draw the mean score against the number of features, or of components; "" if unknown."""
    if hasattr(model, "selection_"):
        record = model.selection_
        scores = record.n_features.tolist(), record.mean_test_score.tolist()
        return html_curve(*scores, record.ranking.size, record.scoring)
    path = getattr(model, "path_", {})
    for name, (of, column) in _PATHS.items():
        if name in path:
            best = _best_of_each(path[column], path["mean_test_score"])
            chosen = getattr(model, f"{column}_", None)
            return html_curve([*best], [*best.values()], chosen, _scoring(model), of)
    return ""


def _best_of_each(sizes, scores):
    """Return the best score by size, in order, of sizes that several models have."""
    order = np.lexsort([scores, sizes])
    return {
        k: s for k, s in zip(sizes[order].tolist(), scores[order].tolist(), strict=True) if k > 0
    }
