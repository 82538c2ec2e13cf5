"""External validation: how well a model does on samples that it has not seen, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm

from .._data import is_annotated
from .._html import titled_table
from .._parameters import check_count
from .._plain import interval_text, percent, score_text
from .._typing import ArrayLike, Floats, RandomState
from ..model_selection.feature_flow import last_step
from ..model_selection.intervals import (
    MOST_DRAWS,
    bootstrap_scores,
    counted_intervals,
    linear_spread,
    student_factor,
)
from ..model_selection.methods import (
    METRICS,
    PROBABILITY_SCORES,
    SCORES,
    SCORINGS,
    metric_of,
    plain_score,
)
from ..model_selection.metrics import (
    RANKED,
    confusion_matrices,
    metric_rows,
    metric_table,
    score_confusion,
    score_influences,
    score_probabilities,
)
from ..model_selection.repeatable import seed_of
from ..model_selection.splits import check_sample_names
from ..persistence import load_model, read_model_card
from ..solvers.conformal import describe_calls
from ..streaming.request import count_noun, list_names, texts
from .prediction import (
    Predictions,
    label_name,
    predict_rows,
    predict_table,
    read_new_samples,
)
from .tables import Table

__all__ = ["Evaluation", "evaluate_model"]

_MANY = 2000  # samples, of which resamples are normally distributed
_NO_CLASS = f"some resamples lack a class, however often they are drawn ({MOST_DRAWS} times)"
_NO_SPREAD = "all resamples give the same value"
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """How well a model does on a table with labels, as :func:`evaluate_model` returns it.

    Attributes
    ----------
    metrics : dict of str to float
        Scores by name: accuracy, balanced_accuracy, f1_macro, matthews_corrcoef; if the model has
        probabilities also roc_auc, average_precision, log_loss, brier_score; if it decides by
        costs also cost. NaN where one is not defined.
    intervals : dict of str to (float, float) or None
        The 95 % confidence interval of each; None where there is none, and a remark says why.
    confusion : ndarray of shape (n_classes, n_classes)
        Number of samples of each class, in rows, that were predicted to be of each.
    classes : ndarray of shape (n_classes,)
        The classes of the model.
    n_samples : int
        Number of samples.
    n_groups : int or None
        Number of groups of samples; None if each sample stands for itself.
    promised : dict or None
        What the model file says of unseen samples: "scoring", "score" and, where it is known,
        its 95 % "interval". None if it says nothing.
    same_table : bool
        Whether the table is one that the model was trained on, by its SHA-256.
    labels : ndarray of shape (n_samples,)
        The true labels, as the model spells them.
    predictions : Predictions
        What the model says of the samples.
    calls : dict or None
        If `no_call` was given, what comes of it: the shares of samples that are ``called``, for
        which ``several`` classes are credible, and that resemble ``none``; the ``accuracy`` of
        those that are called; ``coverage``, the share whose class is credible, and
        ``class_coverage``, the same of each class.
    remarks : tuple of str
        What was unusual and how it was handled, a sentence each.
    """

    metrics: dict
    intervals: dict
    confusion: np.ndarray
    classes: np.ndarray
    n_samples: int
    n_groups: int | None
    promised: dict | None
    same_table: bool
    labels: np.ndarray
    predictions: Predictions
    remarks: tuple = ()
    calls: dict | None = None

    @property
    def recall(self) -> Floats:
        """The share of each class that is recognised; NaN for a class without samples."""
        counts = self.confusion.sum(axis=1)
        return self.confusion.diagonal() / np.where(counts > 0, counts, np.nan)

    def summary(self) -> str:
        """Say in a sentence or two how well the model does, and what its file promised."""
        name = "accuracy" if self.promised is None else metric_of(self.promised["scoring"])
        groups = "" if self.n_groups is None else f" in {count_noun(self.n_groups, 'group')}"
        words = (
            f"{METRICS[name].name} {_with_interval(name, self.metrics[name], self.intervals[name])}"
            f" on {count_noun(self.n_samples, 'sample')}{groups}{self._beside(name)}."
        )
        if self.same_table:
            words += " The model was trained on this very table: that is no evidence."
        return words if self.calls is None else f"{words} {say_calls(self.calls)}"

    def _beside(self, name):
        """Say what was promised, and whether it is out of reach."""
        if self.promised is None:
            return ""
        scoring, interval = self.promised["scoring"], self.intervals[name]
        score, promised = plain_score(self.promised["score"], scoring), self.promised["interval"]
        if promised is not None:
            promised = sorted(plain_score(end, scoring) for end in promised)
        words = f"; the model file promised {_with_interval(name, score, promised)}"
        if self.same_table or interval is None:
            return words
        is_loss = METRICS[name].is_loss
        if score >= interval[0] if is_loss else score <= interval[1]:
            return words
        return f"{words}, which is {'less' if is_loss else 'more'} than the interval found"

    def rows(self) -> list[tuple[str, ...]]:
        """Return a row of texts for each metric: what it is called, its value, its interval."""
        return metric_rows(self.metrics, self.intervals)

    def _repr_html_(self):
        return titled_table(self.summary(), ("metric", "found", "95 % interval"), self.rows())

    def __str__(self):
        table = metric_table(self.rows(), ("metric", "found", "95 % interval"))
        return "\n".join([self.summary(), "", *table])

    def __repr__(self):
        return f"<Evaluation: {self.n_samples} samples, accuracy {self.metrics['accuracy']:.3f}>"


def evaluate_model(
    model: Any,
    X: Table | ArrayLike,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    n_bootstrap: int = 2000,
    random_state: RandomState = 0,
    allow_extra: bool = False,
    trusted: Sequence[str] = (),
    no_call: float | None = None,
) -> Evaluation:
    """Score a fitted model on samples that it has not seen (external validation).

    Parameters
    ----------
    model : estimator, str or path
        A fitted classifier, or a pipeline that ends in one. Or the name of a model file, which also
        says what score it promised and which table it was trained on.
    X : Table, data frame or array-like of shape (n_samples, n_features)
        The samples. Columns of a table, as :func:`read_table` returns it, and of a data frame are
        found by their names, as :func:`predict_table` does it; those of an array by their order.
    y : array-like of shape (n_samples,), default=None
        Their labels; None for those of the table.
    groups : array-like of shape (n_samples,), default=None
        What samples belong together, such as the patient. Whole groups are resampled then.
    n_bootstrap : int, default=2000
        Number of resamples that the intervals of scores of probabilities come from, for up to
        2,000 samples.
    random_state : int, RandomState or None, default=0
        Seed of the resamples.
    allow_extra : bool, default=False
        Whether columns that the model was not fitted to are left out, instead of refused.
    trusted : sequence of str, default=()
        Types that a model file may hold beyond the usual ones, as in
        :func:`~centroidal.persistence.load_model`.
    no_call : float or None, default=None
        Tell as well what comes of leaving samples without a class, as :func:`predict_table` does
        it. Scores are of all samples all the same.

    Returns
    -------
    Evaluation
        Scores with 95 % intervals, the confusion matrix, and what the model file promised.

    Raises
    ------
    ValueError
        If there are labels that the model does not know, which are named, or if the table is not
        as :func:`predict_table` needs it.

    See Also
    --------
    predict_table : Predicts samples without labels.
    centroidal.model_selection.select_features : Where the promise comes from.

    Notes
    -----
    Scores are those of scikit-learn. ROC AUC and average precision are of the second of two
    classes, and means over more, each against the rest; they need samples of every class. The Brier
    score of two classes is the mean square of the error of one probability, that of more is summed
    over the classes.

    Intervals of scores that are counted are as in
    :func:`~centroidal.model_selection.select_features`: that of Wilson for accuracy and mean
    recall, with as many samples as groups leave, so that it has a width even if all samples are
    recognised; the spread of the bootstrap for F1 and Matthews correlation. Those of probabilities
    are percentiles of the bootstrap. Samples, or whole groups of them, are drawn with replacement,
    and the tails are those of Student for so many. A resample without a class that the table has is
    drawn again. Where all resamples give the same value, there is no interval. Of more than 2,000
    samples none is drawn for scores of probabilities: the spread of resamples follows from how much
    each sample changes the score, for ROC AUC by the placements of :cite:t:`DeLong1988`.

    Examples
    --------
    >>> from centroidal import SparseCenterClassifier
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.io import evaluate_model
    >>> X, y = load_expression(return_X_y=True)
    >>> model = SparseCenterClassifier(20, scale="within").fit(X[:60], y[:60])
    >>> evaluate_model(model, X[60:], y[60:]).summary()
    'accuracy 98.3 % (95 % interval 91.1 to 99.7 %) on 60 samples.'
    """
    check_count("n_bootstrap", n_bootstrap)
    card = None
    if isinstance(model, str | Path):
        card, model = read_model_card(model), load_model(model, trusted=trusted)
    metadata = {} if card is None else card.metadata
    target = None if card is None else label_name(card)
    predictions = _predict(model, X, card, target, allow_extra, no_call)
    classes, n_samples = predictions.classes, len(predictions.labels)
    codes = _check_labels(X.y if y is None and isinstance(X, Table) else y, n_samples, classes)
    names, units = np.arange(n_samples), np.arange(n_samples)
    if groups is not None:
        names, units = check_sample_names("groups", groups, n_samples)

    predicted, seed = _codes_of(predictions.labels, classes), seed_of(random_state)
    (confusion,) = confusion_matrices(predicted[None], codes, classes.size)
    score = partial(_score_probabilities, predictions.probabilities, codes)
    metrics = {name: float(score_confusion(confusion, name)) for name in SCORES}
    metrics |= {name: float(value[0]) for name, value in score(np.ones((1, n_samples))).items()}
    costs = getattr(last_step(model), "costs_", None)
    if costs is not None:
        metrics["cost"] = -float(score_confusion(confusion, "neg_cost", costs))
    intervals, remarks = dict.fromkeys(metrics), []
    if names.size < 2:
        noun = "sample" if groups is None else "group"
        remarks = [f"There are no intervals: all comes from one {noun}."]
    else:
        intervals |= counted_intervals(predicted, codes, classes.size, units, seed, costs)
    if names.size > 1 and predictions.probabilities is not None:
        if n_samples > _MANY:
            bounds = _linear_bounds(metrics, predictions.probabilities, codes, units)
        else:
            drawn = bootstrap_scores(score, codes, units, n_bootstrap, np.random.default_rng(seed))
            bounds = _drawn_bounds(metrics, drawn, names.size)
        found, remarks = _probability_intervals(bounds)
        intervals |= found
    absent = classes[np.bincount(codes, minlength=classes.size) == 0].tolist()
    if absent:
        remarks.insert(0, _remark_on_absent(absent, metrics))
    return Evaluation(
        metrics=metrics,
        intervals=intervals,
        confusion=confusion,
        classes=classes,
        n_samples=n_samples,
        n_groups=None if groups is None else names.size,
        promised=_promise(metadata, metrics),
        same_table=getattr(X, "digest", None) in _training_digests(metadata),
        labels=classes[codes],
        predictions=predictions,
        remarks=(*predictions.remarks, *remarks),
        calls=None if no_call is None else describe_calls(predictions.credible, codes, no_call),
    )


# ------------------------------------------------------------------ samples and labels


def _predict(model, X, card, target, allow_extra, no_call):
    """Predict, with columns found by name where they have names."""
    if not isinstance(X, Table):
        if not (hasattr(X, "columns") or is_annotated(X)):
            return predict_rows(model, X, no_call)
        X = read_new_samples(X, card=card)  # gaps are for the model to judge
    return predict_table(model, X, target=target, allow_extra=allow_extra, no_call=no_call)


def _check_labels(y, n_samples, classes):
    """Return the place of each label among the classes of the model; raise if one has none."""
    if y is None:
        raise ValueError("y=None must be the labels, unless X is a table that was read with them.")
    y = np.asarray(y)
    if y.shape != (n_samples,):
        raise ValueError(f"y of shape {y.shape} must hold a label for each of {n_samples} samples.")
    are_words = all(isinstance(label, str) for label in classes.tolist())
    codes = _codes_of(np.array(texts(y), dtype=object) if are_words else y, classes)
    if (codes < 0).any():
        labels, counts = np.unique(texts(y[codes < 0]), return_counts=True)
        raise ValueError(
            f"y holds {count_noun(labels.size, 'label')} that the model does not know, in "
            f"{count_noun(counts.sum(), 'sample')}: {list_names(labels.tolist())}. It knows "
            f"{list_names(classes.tolist())}; leave the other samples out, or rename their labels."
        )
    return codes


def _codes_of(labels, classes):
    """Return the place of each label among the classes, -1 for one that is not there."""
    places = {label: place for place, label in enumerate(classes.tolist())}
    return np.array([places.get(label, -1) for label in labels.tolist()])


def _remark_on_absent(absent, metrics):
    so = ", so ROC AUC and average precision are not defined" if "roc_auc" in metrics else ""
    return f"No sample is of class {list_names(absent)}{so}."


# ------------------------------------------------------------------ scores and intervals


def _score_probabilities(probabilities, codes, weights):
    """Return the scores of probabilities by name, none if there are none."""
    return {} if probabilities is None else score_probabilities(probabilities, codes, weights)


def _drawn_bounds(metrics, drawn, n_units):
    """Return the ends of the interval of each score of resamples that is defined."""
    names = [name for name in drawn if isfinite(metrics[name])]
    values = np.array([drawn[name] for name in names])
    tail = norm.cdf(-student_factor(n_units))
    bounds = np.quantile(values, [tail, 1.0 - tail], axis=1).T.tolist()
    return dict(zip(names, bounds, strict=True))


def _linear_bounds(metrics, probabilities, codes, units):
    """Return the same of many samples, whose resamples are normally distributed."""
    names = [name for name in PROBABILITY_SCORES if isfinite(metrics[name])]
    influences = score_influences(probabilities, codes, names)
    factor, bounds = student_factor(units.max() + 1), {}
    for name in names:
        half = factor * linear_spread(influences[name], units)
        top = 1.0 if name in RANKED else np.inf
        bounds[name] = max(metrics[name] - half, 0.0), min(metrics[name] + half, top)
    return bounds


def _probability_intervals(bounds):
    """Return the interval of each score of probabilities, as far as there is one, and why not."""
    intervals, lacking = {}, {}
    for name, (low, high) in bounds.items():
        if high - low > _ROUNDING:
            intervals[name] = (low, high)
        else:
            reason = _NO_SPREAD if isfinite(high) else _NO_CLASS
            lacking.setdefault(reason, []).append(METRICS[name].name)
    return intervals, [
        f"There is no interval of {', '.join(which)}: {why}." for why, which in lacking.items()
    ]


# ------------------------------------------------------------------ what the file says


def _promise(metadata, metrics):
    """Return the score that a model file promises; None if it does not, or in no usable form.

    Nor if it is of a metric that is not known of the new samples.
    """
    scoring, score, interval = (metadata.get(name) for name in ("scoring", "score", "interval"))
    if scoring not in list(SCORINGS) or metric_of(scoring) not in metrics or not _is_number(score):
        return None
    is_pair = isinstance(interval, list) and len(interval) == 2 and all(map(_is_number, interval))
    return {"scoring": scoring, "score": score, "interval": tuple(interval) if is_pair else None}


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def _training_digests(metadata):
    """Return the digests of the tables that a model was trained on; a merged model has several."""
    sources = metadata.get("sources")
    parts = [metadata, *(sources if isinstance(sources, list) else [])]
    found = [each.get("digest") for each in parts if isinstance(each, dict)]
    return [digest for digest in found if isinstance(digest, str)]


def _score_text(name, value):
    return score_text(value, is_share=METRICS[name].is_share)


def _interval_text(name, interval):
    """Write an interval; nothing for None."""
    if interval is None:
        return ""
    return interval_text(interval, is_share=METRICS[name].is_share)


def _with_interval(name, value, interval):
    """Write a score with its interval, if there is one."""
    within = "" if interval is None else f" (95 % interval {_interval_text(name, interval)})"
    return f"{_score_text(name, value)}{within}"


def say_calls(calls):
    """Say in a sentence or two what comes of leaving samples without a class."""
    called = f"{percent(calls['called'])} of the samples get a class"
    if calls["called"] > 0.0:
        called += f", {percent(calls['accuracy'])} of these the right one"
    return (
        f"No call at {calls['no_call']:g}: {called}; {percent(calls['several'])} may be of several "
        f"classes, {percent(calls['none'])} resemble none. The class of "
        f"{percent(calls['coverage'])} is credible."
    )
