"""The main job: the few features that tell classes apart, and an honest number for unseen data."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np

from .._data import as_frame, is_annotated, is_dask
from .._optional import require
from .._parameters import check_choice, check_costs, check_count, check_jobs, number
from .._typing import (
    ArrayLike,
    Classifier,
    ClassWeight,
    Costs,
    Estimator,
    FilePath,
    HasSchema,
    Imputation,
    PermuteWithin,
    RandomState,
    Rule,
    ScoreName,
    ShowProgress,
)
from ..streaming.batches import Batches, batches
from ..streaming.query_reader import is_query
from .annotated import take_annotated
from .feature_flow import steps_of
from .html import tell_model
from .methods import (
    AUTO,
    BEST,
    METHODS,
    best_candidates,
    draw_folds_once,
    meant_method,
    selection_methods,
)
from .metrics import majority_score
from .nested import Candidate, Choice, NestedScores, ScoreAgain, nested_cross_validation
from .panels import Panel, PanelProcedure, Wishes
from .permutation import Permutations
from .procedures import FinalModel
from .repeatable import versions
from .screening import put_in_front, screener_of
from .selection import FeatureSelection
from .sources import MemorySource
from .splits import check_n_folds, n_repeats_of, series_name
from .stand_ins import check_stand_ins
from .stream_source import BatchSource

__all__ = ["select_features"]

_MEMORY = 2**28
_TOLD = ("group_name", "block_name", "impute", "preprocess", "method_reason")
_check_most = number(
    "an int of at least 1, 'auto' or None",
    lambda value: value >= 1,
    "be at least 1",
    Integral,
    or_one_of=("auto", None),
)
_MOST_WORDS = 200  # of documents the score grows with the logarithm of their number, to thousands


def select_features(
    X: ArrayLike | HasSchema | Batches,
    y: ArrayLike | str | None = None,
    *,
    target: str | None = None,
    layer: str | None = None,
    method: str = "auto",
    classifier: Classifier = "auto",
    n_features_to_select: int | Literal["auto"] = "auto",
    max_features: int | Literal["auto"] | None = "auto",
    rule: Rule = "one_se",
    scoring: ScoreName = "accuracy",
    costs: Costs = None,
    class_weight: ClassWeight = None,
    cv: ArrayLike | int | None = None,
    n_repeats: int | None = None,
    groups: ArrayLike | str | None = None,
    blocks: ArrayLike | str | None = None,
    impute: Imputation | Estimator | None = None,
    preprocess: Estimator | str | None = None,
    screen: int | None = None,
    text: bool | dict[str, Any] | None = None,
    include: Sequence[str | int] | None = None,
    exclude: Sequence[str | int] | None = None,
    distinct: float | None = None,
    per_class: int | Literal["auto"] | None = None,
    feature_costs: dict[str, float] | ArrayLike | None = None,
    budget: float | Sequence[float] | None = None,
    n_stand_ins: int = 0,
    n_resamples: int = 0,
    n_permutations: int = 0,
    permute_within: PermuteWithin = None,
    stop_after: int | None = None,
    learning_curve: bool = False,
    covariates: ArrayLike | dict[str, Any] | str | None = None,
    feature_names: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    checkpoint: FilePath | None = None,
    checkpoint_every: int | None = None,
    memory: int = _MEMORY,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    progress: ShowProgress = None,
) -> FeatureSelection:
    """Find the few features that tell the classes apart, and how well they do on unseen samples.

    Features are ranked, and classifiers on the first 1, 2, 3, ... of them are scored in folds; the
    number is chosen by these scores, which makes the best of them too good. So all of it, the
    choice, scaling, imputation and preprocessing included, is done by nested cross-validation: the
    inner folds of each outer fold choose, and `score` is that of what they chose on the outer fold.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame, AnnData, Batches, Dask collection or query
        Samples, raw: neither scaled nor selected by looking at all of them. For data that do not
        fit in memory, what :func:`~centroidal.streaming.batches` returns, or a query that it takes,
        or a Dask array, data frame or list of futures, whose blocks stay on the workers, see
        :ref:`dask_selection`.
    y : array-like of shape (n_samples,) or str, default=None
        Class labels, of any type. Batches bring their own; of a Dask data frame it may be the name
        of a column, and so may `groups` and `blocks`.
    target : str or None, default=None
        In place of `y`, the column of labels: of a data frame, in memory or of Dask; of `obs` of
        AnnData; or of a query, such as a LazyFrame of Polars, a relation of DuckDB or a data set of
        Arrow, which is then read in batches. `groups`, `blocks`, and of AnnData `covariates`,
        may be names of columns, too.
    layer : str or None, default=None
        For AnnData: the layer to read instead of X.
    method : str, default="auto"
        How features are ranked, and what classifies: a key of ``METHODS`` that selects, see
        :ref:`the table of methods <methods>`, or "best", whichever of them, but those that take
        long, does best in the folds. "auto" is "recursive" for up to 1,000 dense samples in memory,
        and "l2" for more of them, sparse rows, text, a `budget`, batches and Dask collections;
        `FeatureSelection.method` is the one that it stands for. Batches take "l2" and "l1", Dask
        collections "l2"; the others need all samples.
    classifier : str, default="auto"
        What classifies by the selected features: "whitened centers", "nearest centers", "linear
        SVM", "logistic regression", or "any", whichever of them the folds prefer. "auto" is "any",
        but for "l2" and "l1", of which it is "nearest centers": those are all that samples in
        batches or on workers can have, and the fastest. `FeatureSelection.classifier` tells which
        it was.
    n_features_to_select : int or "auto", default="auto"
        How many features; "auto" chooses.
    max_features : int, "auto" or None, default="auto"
        The most that may be chosen, for a list to read; "auto" is 200 for text and no bound
        otherwise, None no bound. `path` tells what more of them would score.
    rule : {"one_se", "best"}, default="one_se"
        "one_se": the fewest features whose score is within one standard error of the best, the
        standard deviation of its folds over the root of their number; "best": the fewest with the
        best score.
    scoring : str, default="accuracy"
        What to score by, and to choose the number of features by: "accuracy", "balanced_accuracy",
        "f1_macro" or "matthews_corrcoef"; by probabilities, and for batches only the last two,
        "roc_auc", "average_precision", "neg_log_loss" or "neg_brier_score". They are those of
        scikit-learn, losses negative, so that more is better. ROC AUC and average precision are of
        the second of two classes, else means over the classes, each against the rest. The values of
        all of them are in `FeatureSelection.metrics`. "neg_cost" is the mean cost of a prediction,
        where there are costs.
    costs : array-like of shape (n_classes, n_classes), dict or None, default=None
        What each prediction costs: true classes in rows, predicted ones in columns, both in sorted
        order; a data frame with the labels of both; or a dict of dicts, ``costs[true][predicted]``,
        in which what is right costs 0 if nothing is said. Predictions, in all folds and of `model`,
        are then those of the least expected cost, by the probabilities of the classes, and so is
        what `scoring` scores. `model` is, or ends in, a
        :class:`~centroidal.CostSensitiveClassifier`.
    class_weight : {"balanced"}, dict or None, default=None
        In place of costs, what every error of a class costs, by its label, 1 for those that are not
        named. "balanced" weighs a class by the number of all samples over its own, over the number
        of classes.
    cv : int, array-like of shape (n_samples,) or None, default=None
        Number of outer folds, stratified and shuffled, at least 3 where something is chosen; None
        is 5, or as many as the rarest class has samples, or groups where these are given. Of
        samples in memory, also the fold of each one, from 0 on, or a row of them for each repeat.
    n_repeats : int or None, default=None
        How often the folds are drawn anew. None is 3, and 1 beyond 20,000 samples; for "l2", where
        sums of folds make a repeat cheap, it is 10 up to 100 samples and 5 up to 2,000; for "best"
        and "encoder", which take long, it is 1.
    groups : array-like of shape (n_samples,), default=None
        What samples belong together, such as the patient they come from: all samples of a group
        are in the same fold, outer and inner, so that the score is that for new groups. Where a
        patient has several samples, a score without groups promises too much. Batches name theirs
        when they are opened.
    blocks : array-like of shape (n_samples,), default=None
        What samples have in common that new ones may not, such as the batch, site or study they
        come from. Beside the usual score, each block is left out whole and predicted by a
        selection that has seen none of its samples, see `FeatureSelection.blocks`. Batches name
        theirs when they are opened.
    impute : {"mean", "median", "most_frequent"} or None, default=None
        How to fill in missing values, learned inside the folds.
    preprocess : transformer, Pipeline, str or None, default=None
        What is done to the samples before features are ranked, after `impute`. A transformer of
        scikit-learn, or a pipeline of them, is learned from the training set of each fold; it may
        take data frames with columns of any type, and must make the same number of columns of any
        part. By name: "log1p", "snv", "savgol", "norm" and "normalise", several separated by
        commas, see :func:`~centroidal.preprocessing.named_steps`; batches name them when they are
        opened. `model` has it in front and takes samples as
        they are given here; features are what comes out, `centers` and `spreads` in its units.
    screen : int or None, default=None
        So many features go on to `method`: those that "l2" ranks first, in each training set by
        itself, so that the score stays honest. With X on workers, where most methods cannot go, it
        is done there, and the features that any training set keeps are brought to memory.
    text : bool, dict or None, default=None
        Whether X holds documents: a list, array or series of str, or a data frame whose columns are
        all texts. True makes features of words and pairs of words, weighted by TF-IDF; a dict
        changes its options: ``ngrams`` (2), ``min_df`` (2 documents that a word must be in),
        ``stop_words`` (None), ``kind`` ("tfidf" or "counts") and ``sublinear`` (False), see
        :class:`~centroidal.preprocessing.WordCounter` and
        :class:`~centroidal.preprocessing.WordWeights`. Which words count, and how much, is learned
        inside the folds. `model` takes documents.
    include, exclude : list of str or int, or None, default=None
        Features that must be in and features that must stay out, by name or by number of column.
    distinct : float or None, default=None
        Between 0 and 1: of features whose correlation inside the classes is larger, of either sign,
        only the one that ranks first is taken. Up to 256 features are then tried.
    per_class : int, "auto" or None, default=None
        In place of a number of features, that of markers for each class; "auto" chooses. A feature
        is a marker of the class whose center lies farthest from the mean of all centers in it, of
        two as far away of the one with the larger center. Of each class the features of the best
        rank are taken; places that a class cannot fill go to the others. Features of `include` are
        taken beside them.
    feature_costs : dict, array-like of shape (n_features,) or None, default=None
        What it costs to measure each feature: by name, or in the order of the columns.
    budget : float, list of float or None, default=None
        In place of a number of features, what the selected ones may cost together. Of "l2" and
        "l1", whose gains add up, they are those of the largest total gain that the budget can pay,
        exactly; other rankings are walked down, and what can still be paid is taken. Of several
        budgets one is chosen by `rule`, as a number of features would be.
    n_stand_ins : int, default=0
        How many features that could take its place are looked for, at most, for each that is
        selected, see `FeatureSelection.stand_ins`; 0 for none.
    n_resamples : int, default=0
        Number of halves of the samples in which to select again, for `stability`; an even number,
        or 0 for none.
    n_permutations : int, default=0
        How often to do all of it with permuted labels, for a p-value, see `permutations`. Where all
        samples of a group have one label, whole groups change places, else samples inside the
        groups. Folds are drawn once each time. Rows in batches or on workers are read again for as
        many permutations at a time as fit in `memory`.
    permute_within : {"blocks"} or None, default=None
        Whether labels stay inside the blocks when they are permuted, so that what differs between
        the blocks counts for nothing.
    stop_after : int or None, default=None
        Number of permutations that score as well as the labels after which to stop: the p-value is
        not small then, and is known well enough.
    learning_curve : bool, default=False
        Whether to do all of it with fewer samples as well, to see what more would give, see
        `learning_curve`.
    covariates : array-like, data frame or dict of columns, default=None
        What is known of the samples beside X, such as the age and the sex of patients: how well
        they tell the classes apart by themselves, and how well features do without what they
        explain, see `covariates`. They are no features.
    feature_names : array-like of str, default=None
        Names of the features; None takes those of a data frame, or x0, x1, ...
    classes : array-like, default=None
        For batches: all labels that may occur. None takes those that do.
    checkpoint : str or path, default=None
        For batches: a file, ending in ``.skops``, to write to as it goes on. If it exists, the
        selection resumes there. It must be of the same selection.
    checkpoint_every : int, default=None
        For batches: after how many of them it is written; None is every 10 seconds. Medians are
        written after each block of columns.
    memory : int, default=2**28
        For batches: bytes that a block of columns may take, where medians need whole columns, and
        that the sums and models of all repeats, or permutations, may; those beyond take passes of
        their own. With a Dask collection, on each worker.
    n_jobs : int or None, default=None
        Number of processes, or threads for "l2" and "l1", over methods and folds. The result does
        not depend on it.
    random_state : int, RandomState or None, default=None
        Seed or source of the folds and of all else that is random. With None and a checkpoint that
        exists, the seed is that of the checkpoint.
    progress : bool, callable or None, default=None
        True writes how far it is to the standard error stream. A function is called as
        ``progress(n_done, n_steps, what)`` after each step; steps of batches are rows, which count
        once for each pass.

    Returns
    -------
    FeatureSelection
        The features, a model fitted to all samples, and the scores; printing it shows them. Of
        batches, what would be told of each sample, `predicted`, `true_codes` and `subspace`, is
        None.

    See Also
    --------
    centroidal.streaming.batches : Reads data that do not fit in memory.
    compare : Compares whole classifiers, ours and others.
    StabilitySelector : Which features are selected again and again.
    centroidal.report.write_report : Turns the result into a page to look at.

    Notes
    -----
    **Error.** `se_score` is that of Nadeau and Bengio :cite:p:`Nadeau2003`, which knows that the
    training sets of folds overlap. `interval` is a 95 % confidence interval for the score of the
    final model on new samples, or new groups: that of Wilson, with as many samples as the larger of
    two estimates of the error leaves, the other being that of nested cross-validation
    :cite:p:`Bates2024`. It never has the width 0.

    **Probabilities** are calibrated by one temperature, which is fitted to the predictions of
    held-out samples :cite:p:`Guo2017`: those of `model` by all of them, those of
    which `metrics` tells by the other folds. `model` is, or ends in, a
    :class:`~centroidal.ConformalClassifier`, which also knows when not to call a class, see
    `FeatureSelection.calls`. Where probabilities decide or are scored, with costs, "neg_log_loss"
    or "neg_brier_score", they stay what the classifier says, in all folds and in `model`.

    **Suspicion.** Samples in memory are looked at for what would make the score too good: copies
    and near copies of samples that are in no common group, and features that give the class away,
    see `FeatureSelection.suspicions`.

    **Rare classes.** Each class needs two samples, or groups, three where a number of features or a
    method is chosen, which takes inner folds.

    **Inner folds** of an outer fold are the other outer folds, so that a model without two of them
    serves both.

    **Folds.** Of each class, every run of `cv` samples has one in each fold, in an order drawn at
    random. Whole groups are dealt so that folds have equal shares of each class, as far as groups
    allow. Samples in memory and batches of any size are dealt by the same rule: with the same
    `random_state` and the same method they give the same answer, up to rounding.

    **Batches.** Means take three passes, medians one for each block of columns and two more: the
    last predicts each sample once more, by the model that its fold chose. A run that was killed and
    is started again ends with the same result, to the bit. When it is finished the checkpoint is a
    file with the model. Permutations and the learning curve, which come after it, are not in the
    checkpoint; for them the labels of all rows are kept. Each block that is left out takes two
    passes for a selection, as nothing is calibrated, and one more. Samples in batches are not
    looked at for suspicion. Probabilities and distances of the classes are kept until the end, of
    four million pairs of sample and class at most: of more samples evenly spaced ones, by which
    metrics of probabilities, intervals and the calibration go then.

    **Dask collections** are read three times, after their labels, and give the answer of "l2" for
    samples in memory, up to rounding. What is said of batches holds for them, on one worker: what
    reaches the client of a sample are three numbers that a calibrated model keeps of it.

    **Time** of "l2" and "l1" is that of ``n_repeats * cv * (cv + 1) / 2`` fits, 15 a repeat with 5
    folds, whatever the number of features tried. The other methods rank the features so often, and
    fit their classifier for each number of features up to 256 as well.

    Examples
    --------
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.model_selection import select_features
    >>> X, y = load_expression(return_X_y=True)
    >>> found = select_features(X, y, random_state=0)
    >>> found.n_features_to_select < 50, found.score > 0.9, found.beats_random
    (True, True, True)
    >>> found.model.predict(X[:3]).shape
    (3,)
    """
    start = time.perf_counter()
    if is_annotated(X):
        options = target, layer, groups, blocks, covariates, feature_names
        X, y, groups, blocks, covariates, feature_names = take_annotated(X, y, *options)
    else:
        _check_unused({"layer": layer}, f"is for AnnData, and X is {type(X).__name__}")
        X, y, groups, blocks = _find_labels(X, y, target, groups, blocks)
    wishes = Wishes(include, exclude, distinct, per_class, feature_costs, budget)
    of_text = X.text if isinstance(X, Batches) else text
    asked = Choice(n_features_to_select, rule, scoring, max_features, classifier=classifier)
    choice = _check_wishes(wishes, asked, of_text)
    check_stand_ins("n_stand_ins", n_stand_ins)
    if scoring == "neg_cost" and costs is None and class_weight is None:
        raise ValueError("scoring='neg_cost' needs costs or class_weight.")
    check_choice("method", method, (AUTO, *selection_methods(), BEST))
    check_jobs(n_jobs)
    in_memory = {
        "groups": groups, "blocks": blocks, "impute": impute, "preprocess": preprocess,
        "text": text, "n_resamples": n_resamples, "feature_names": feature_names,
        "learning_curve": learning_curve or None, "covariates": covariates,
        "permutations": Permutations.check(
            n_permutations, permute_within, stop_after, _named_by(X, "blocks", blocks)
        ),
    }  # fmt: skip
    not_streamed = {"distinct": distinct, "budget": budget, "n_stand_ins": n_stand_ins}
    in_batches = {
        "classes": classes, "checkpoint": checkpoint, "checkpoint_every": checkpoint_every,
        "memory": memory,
    }  # fmt: skip
    folds = {}
    if not (cv is None or isinstance(cv, Integral)):
        folds = {"folds": cv, "n_repeats": n_repeats}
    work, screener = (random_state, n_jobs, progress), None
    if screen is not None:
        _check_screen(screen, X, impute, preprocess, text)
    if screen is not None and not is_on_workers(X):
        preprocess = in_memory["preprocess"] = screener_of(screen, X)
    if screen is None or not is_on_workers(X):
        if not _are_in_memory(X):
            _check_streamed_classifier(classifier)
        source = _open_source(X, y, method, work, in_memory, folds, not_streamed, in_batches)
    else:
        asked = method, choice, cv, n_repeats, budget
        source, screener = _screen_on_workers(X, y, screen, asked, work, in_memory, in_batches)
    method, reason = _meant_by(method, source, source.in_memory, budget)

    matrix = check_costs(costs, class_weight, source.classes, source.class_counts)
    choice = choice._replace(costs=matrix)
    found = select_from(
        source, method, choice, wishes, start, cv=cv, n_repeats=n_repeats, n_stand_ins=n_stand_ins,
        group_name=series_name(_named_by(X, "groups", groups)),
        block_name=series_name(_named_by(X, "blocks", blocks)), impute=impute,
        preprocess=_say_preprocess(X, preprocess, screen), method_reason=reason,
    )  # fmt: skip
    if screener is None:
        return found
    model = put_in_front(screener, found.model)
    return replace(found, model=X.in_front_of(model) if isinstance(X, Batches) else model)


def select_from(
    source, method, choice, wishes, start, *, cv=None, n_repeats=None, n_stand_ins=0, **told
):
    """Do so with the samples of a source; `told` is what the selection says of what was asked."""
    panel = wishes.of_source(source, choice)
    suspicions = source.find_suspicions()
    found = _select(source, method, choice, panel, cv, n_repeats)
    scores, final, repeats = found.scores, found.final, found.repeats
    described = source.describe_samples(found.candidates[scores.method], scores, final, repeats)
    run = partial(_select_part, method, choice, wishes, panel, source.classes)
    in_blocks = source.score_blocks(run, choice)
    again = ScoreAgain(found.candidates, found.choice)
    n_folds = repeats[0].n_folds
    results, unseen = scores.results(), source.tell_unseen(scores, described)
    if panel is not None:
        results = panel.tell(results, final, source.feature_names, source.classes)
    stand_ins = source.find_stand_ins(found.candidates[scores.method], choice, found, n_stand_ins)

    selection = FeatureSelection(
        methods_tried=tuple(found.candidates),
        n_features_asked=choice.n_features_to_select,
        rule=choice.rule,
        scoring=choice.scoring,
        classes=source.classes,
        class_counts=source.class_counts,
        feature_names=source.feature_names,
        majority_score=majority_score(source.class_counts, choice.scoring, choice.costs),
        n_folds=repeats[0].n_folds,
        n_repeats=len(repeats),
        n_groups=source.n_groups,
        has_mixed_groups=bool(source.units.counts.sum() > (source.n_groups or np.inf)),
        suspicions=tuple(each._asdict() for each in suspicions),
        blocks=in_blocks,
        permutations=source.test_permutations(again, n_folds, found.candidates),
        covariates=source.score_covariates(again, choice, repeats[0]),
        learning_curve=source.score_fewer(again, n_folds, found.candidates, choice.scoring),
        max_features=choice.max_features,
        text=source.text,
        seed=source.seed,
        versions=versions(),
        **{"panel": None, **results},
        **{name: each for name, each in final._asdict().items() if name != "numbers"},
        **unseen._asdict(),
        costs=choice.costs,
        **stand_ins._asdict(),
        **(dict.fromkeys(_TOLD) | told),
        **described,
        seconds=time.perf_counter() - start,
    )
    tell_model(selection)
    return selection


def _check_wishes(wishes, choice, text):
    """Return how a model is chosen; raise if it does not go with the wishes."""
    _check_most("max_features", choice.max_features)
    if choice.max_features == "auto":
        is_text = text is not None and text is not False
        is_open = choice.is_free and wishes.number is None
        choice = choice._replace(max_features=_MOST_WORDS if is_text and is_open else None)
    wishes.check(choice.check())
    return choice


def _open_source(X, y, method, work, in_memory, folds, not_streamed, in_batches):
    """Return the source that samples of such a kind are; raise if an option is for another."""
    streamed, _ = meant_method(method, in_memory=False)
    if isinstance(X, Batches):
        for name in ("groups", "blocks"):
            if in_memory[name] is not None:
                raise ValueError(
                    f"{name} must be None: batches(..., {name}=COLUMN) names those of X."
                )
        again = {name: in_memory[name] for name in ("permutations", "learning_curve")}
        unused = {"y": y, **in_memory, **not_streamed}
        unused = {name: value for name, value in unused.items() if name not in again}
        _check_unused(unused, "needs all samples in memory, and X is Batches")
        if not X.is_on_workers:
            return BatchSource(X, streamed, *work, **in_batches, **again)
    if is_on_workers(X):
        random_state, n_jobs, progress = work
        options = {**in_memory, **not_streamed, **in_batches, "n_jobs": n_jobs}
        return _dask_source(X, y, streamed, random_state, progress, options)
    _check_unused(in_batches, "is for batches, and X is in memory")
    return MemorySource(X, y, *work, **in_memory, **folds)


def _meant_by(method, source, in_memory, budget):
    """Return the method that is meant for the samples of a source, and why if "auto" chose it."""
    n_samples = int(source.class_counts.sum())
    is_sparse, has_budget = source.kind.is_sparse, budget is not None
    return meant_method(
        method, n_samples=n_samples, in_memory=in_memory, is_sparse=is_sparse, has_budget=has_budget
    )


def is_on_workers(X):
    """Whether samples are those of a Dask collection, or are to be read by workers."""
    return X.is_on_workers if isinstance(X, Batches) else is_dask(X)


def _check_streamed_classifier(classifier):
    """Raise if it needs samples, of which there are only sums."""
    if classifier not in (AUTO, "nearest centers"):
        raise ValueError(
            f"classifier={classifier!r} needs all samples in memory; of batches and of rows on "
            "workers it is 'auto' or 'nearest centers'."
        )


def _are_in_memory(X):
    return not (isinstance(X, Batches) or is_on_workers(X))


def _check_screen(screen, X, impute, preprocess, text):
    check_count("screen", screen)
    if isinstance(X, Batches) and not X.is_on_workers:
        raise ValueError(f"screen={screen} needs samples in memory or on workers, not Batches.")
    others = {"impute": impute, "preprocess": preprocess, "text": text}
    _check_unused(others, f"does not go with screen={screen}")


def _screen_on_workers(X, y, screen, asked, work, in_memory, in_batches):
    """Return the features that any training set keeps, in memory, and what keeps those of all."""
    (method, choice, cv, n_repeats, budget), (random_state, n_jobs, progress) = asked, work
    taken = {name: in_memory[name] for name in ("groups", "blocks", "feature_names")}
    taken |= in_batches | dict.fromkeys(("permutations", "learning_curve"))
    cluster = _dask_source(X, y, "l2", random_state, progress, taken)
    method, _ = _meant_by(method, cluster, True, budget)
    number = min(screen, cluster.kind.n_features)
    candidates = list_candidates(method, choice, None, cluster.kind._replace(n_features=number))
    is_nested = choice.needs_inner_folds(candidates)
    columns = cluster.screen(_cut(cluster, cv, n_repeats, candidates, is_nested), number)
    X, y, ids, sites = cluster.bring(columns)
    options = in_memory | {
        "groups": None if ids is None else ids.astype(str), "preprocess": screener_of(number, X),
        "feature_names": cluster.feature_names[columns], "blocks": sites,
    }  # fmt: skip
    source = MemorySource(X, y, cluster.seed, n_jobs, progress, **options)
    source.deal_groups_by(ids)
    return source, cluster.screener(number)


def _dask_source(X, y, method, random_state, progress, options):
    """Return the source of what is on workers; raise if an option is given that it has not."""
    require("dask", "dask", "Rows on workers")
    from .dask_source import DaskSource

    takes = ("groups", "blocks", "feature_names", "classes", "memory", "permutations")
    takes += ("learning_curve",)
    others = {name: value for name, value in options.items() if name not in takes}
    _check_unused(others, "is not for X on workers")
    options = {name: options[name] for name in takes}
    return DaskSource(X, y, method, random_state, progress, **options)


def _say_preprocess(X, preprocess, screen):
    """Return what is done before features are ranked, in a word or two; None if nothing is."""
    if screen is not None:
        return f"screen to {screen} features by l2"
    preprocess = X.preprocess if isinstance(X, Batches) else preprocess
    if preprocess is None or isinstance(preprocess, str):
        return preprocess
    if isinstance(preprocess, list | tuple):
        return ",".join(preprocess)
    return ", ".join(type(step).__name__ for step in steps_of(preprocess))


class _Selected(NamedTuple):
    """What a selection is made of."""

    candidates: dict
    repeats: list
    scores: NestedScores
    final: FinalModel
    panel: Panel | None
    choice: Choice


def _select(source, method, choice, panel, cv, n_repeats, calibrates=True):
    """Score the methods in folds of a source, choose, and fit what was chosen to all samples."""
    if panel is not None:
        choice = panel.narrow(choice, source.classes.size)
    candidates = list_candidates(method, choice, panel, source.kind)
    is_nested = choice.needs_inner_folds(candidates)
    repeats = _cut(source, cv, n_repeats, candidates, is_nested)
    scores = nested_cross_validation(source, candidates, choice, repeats)
    chosen = candidates[scores.method]
    chosen = chosen._replace(procedure=chosen.procedure.take(scores.classifier))
    final = source.fit_final(chosen, scores, choice, calibrates)
    return _Selected(candidates, repeats, scores, final, panel, choice)


def _cut(source, cv, n_repeats, candidates, is_nested):
    """Return the outer folds of all repeats: as they are given, or as the source deals them."""
    if source.given_folds is not None:
        given = source.given_folds
        source.check_given_folds(is_nested)
        return source.cut(given.n_folds, len(given.folds), is_nested)
    n_folds = check_n_folds(cv, source.units, is_nested)
    merges = all(each.procedure.merges for each in candidates.values())
    n_samples, once = int(source.class_counts.sum()), draw_folds_once(candidates)
    n_repeats = n_repeats_of(n_repeats, n_samples, merges, once)
    return source.cut(n_folds, n_repeats, is_nested)


def _select_part(method, choice, wishes, panel, classes, source):
    """Return the model of some of the samples, and its number of features; folds are drawn once."""
    if choice.costs is not None:  # of the classes that are left
        places = np.searchsorted(classes, source.classes)
        choice = choice._replace(costs=choice.costs[np.ix_(places, places)])
    if panel is not None and source.text is not None:  # of which the part has other words
        panel = wishes.of_source(source, choice)
    found = _select(source, method, choice, panel, None, 1, calibrates=False)
    return found.final, found.final.number_of(found.scores.n_features)


# ------------------------------------------------------------------ what is asked for


def _named_by(X, name, given):
    """Return what is given as groups or blocks; of batches, the column that they are."""
    return getattr(X, name) if isinstance(X, Batches) else given


def _find_labels(X, y, target, groups, blocks):
    """Return samples, labels, groups and blocks, for which columns of `X` may have been named."""
    if target is None:
        if not isinstance(X, np.ndarray) and is_query(X):
            raise ValueError("target=None must name the column of labels: X is a query.")
        return X, y, groups, blocks
    if y is not None or isinstance(X, Batches):
        raise ValueError(f"target={target!r} must be None: labels are given beside X, or by it.")
    if is_dask(X):
        return X, target, groups, blocks
    frame = as_frame(X)
    if frame is None:
        return batches(X, target=target, groups=groups, blocks=blocks), None, None, None
    given = {"target": target, "groups": groups, "blocks": blocks}
    named = {role: name for role, name in given.items() if isinstance(name, str)}
    for role, name in named.items():
        if name not in frame.columns:
            raise ValueError(f"{role}={name!r} must be a column of X.")
    given |= {role: frame[name].to_native() for role, name in named.items()}
    return frame.drop([*dict.fromkeys(named.values())]).to_native(), *given.values()


def _check_unused(options, why):
    """Raise if an option is given that does not go with the samples."""
    defaults = {"n_resamples": 0, "n_stand_ins": 0, "memory": _MEMORY}
    for name, value in options.items():
        default = defaults.get(name)
        if value is not default and value != default:
            raise ValueError(f"{name}={value!r} must be {default!r}: it {why}.")


def list_candidates(method, choice, panel, kind):
    """Return the methods to try, with the numbers of features; raise if none takes so few."""
    keys = best_candidates(kind.is_sparse) if method == BEST else (method,)
    candidates, kind = {}, kind._replace(classifier=choice.classifier)
    for key in keys:
        procedure = METHODS[key].build(kind)
        if panel is None:
            sizes = _sizes_to_try(procedure.sizes(kind.n_features), choice, kind.n_features)
        else:
            sizes = panel.sizes(procedure.sizes, choice, kind.n_classes)
            if not panel.budgets and panel.per_class is None:
                sizes = _sizes_to_try(sizes, choice, panel.n_allowed)
            procedure = PanelProcedure(procedure, panel, int(sizes[-1]))
        for estimator in procedure.estimators:
            _check_responses(key, estimator, choice)
        sizes = np.repeat(sizes, len(procedure.classifiers))
        candidates[key] = Candidate(procedure, sizes, METHODS[key].threads)
    if panel is not None and panel.budgets:
        return _that_take("budget", 1, candidates)
    if choice.is_free and choice.max_features is None:
        return candidates
    if choice.is_free:
        return _that_take("max_features", choice.max_features, candidates)
    return _that_take("n_features_to_select", choice.n_features_to_select, candidates)


def _sizes_to_try(sizes, choice, n_features):
    """Return sizes with those that are asked for among them."""
    if not choice.is_free:
        return np.union1d(sizes, choice.check_number(n_features))
    if choice.max_features is not None:
        return np.union1d(sizes, min(choice.max_features, n_features))
    return sizes


def _check_responses(key, estimator, choice):
    """Raise if the score, or costs, ask more of the classifier of a method than it can do."""
    needed = ["predict_proba"] if choice.needs_probabilities else []
    if choice.needs_every_class and not needed:
        needed = ["predict_proba", "decision_function"]
    if needed and not any(hasattr(estimator, name) for name in needed):
        what = f"scoring={choice.scoring!r}" if choice.costs is None else "costs"
        raise ValueError(
            f"{what} must not be asked of method={key!r}: {type(estimator).__name__}, by which it "
            f"classifies, has no {' or '.join(needed)}."
        )


def _that_take(name, n_features, candidates):
    """Return the methods that can do with so few features; raise if none can."""
    able = {k: each for k, each in candidates.items() if each.procedure.fewest <= n_features}
    if not able:
        (key, candidate), *_ = candidates.items()
        fewest = f"at least {candidate.procedure.fewest}, a feature for each class,"
        if name == "budget":
            raise ValueError(f"method={key!r} needs {fewest} which no budget promises.")
        raise ValueError(f"{name}={n_features} must be {fewest} with method={key!r}.")
    return able
