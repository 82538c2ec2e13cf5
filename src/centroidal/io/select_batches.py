"""Select features of data that do not fit in memory, with an honest number for unseen samples."""

import time
from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from .._data import Features, check_next_classes
from .._parameters import check_choice, check_jobs
from .._progress import teller
from ..model_selection._folds import check_n_folds, training_sets
from ..model_selection._seeds import seed_of
from ..model_selection._selection_answer import Answer, Asked, Tried, majority_score
from ..model_selection._selection_methods import CentersMethod, method_named
from ..model_selection._versions import versions
from ..model_selection.selection import FeatureSelection, confusions_of, score_of_hits
from ..statistics import map_blocks
from ..streaming.batches import Batches
from ..streaming.checkpoint import Checkpoint, Progress, manifest_of, read_manifest
from ..streaming.passes import RowCount, block_width, check_batches, check_whole, codes_of
from ..streaming.position_folds import PositionFolds
from ._fold_summaries import MeansPass, MediansPasses

__all__ = ["select_batches"]

_METHODS = ("l2", "l1")
_MEMORY = 2**28
_KEY = "select_batches"


def select_batches(
    batches,
    *,
    method="l2",
    n_features="auto",
    rule="one_se",
    scoring="accuracy",
    cv=None,
    classes=None,
    checkpoint=None,
    checkpoint_every=None,
    memory=_MEMORY,
    n_jobs=None,
    random_state=None,
    progress=None,
):
    """Find the few features that tell the classes apart, in data that do not fit in memory.

    It answers what :func:`~centroidal.model_selection.select_features` answers, in two passes: the
    first summarises every training set, the second predicts each sample by the models that have
    not seen it. The number of features is chosen anew inside each fold, by the other folds in turn,
    and `score` is that of what was chosen there, on the fold itself.

    Parameters
    ----------
    batches : Batches
        The data, as :func:`~centroidal.streaming.batches` returns them.
    method : {"l2", "l1"}, default="l2"
        Sparse centers by means, or by medians. Other methods need all samples at once.
    n_features : int or "auto", default="auto"
        How many features; "auto" chooses.
    rule : {"one_se", "best"}, default="one_se"
        "one_se": the fewest features whose score is within one standard error of the best; "best":
        the fewest with the best score.
    scoring : {"accuracy", "balanced_accuracy"}, default="accuracy"
        What to score by.
    cv : int or None, default=None
        Number of folds, at least 3 with ``n_features="auto"``; None is 5, or as many as the rarest
        class has samples.
    classes : array-like, default=None
        All labels that may occur. None takes those that do.
    checkpoint : str or path, default=None
        A file, ending in ``.skops``, to write to as it goes on. If it exists, the selection goes
        on from there. It must be of the same selection.
    checkpoint_every : int, default=None
        After how many batches it is written; None writes it every 10 seconds. Medians are written
        after each block of columns.
    memory : int, default=2**28
        Bytes that a block of columns may take; for medians only.
    n_jobs : int or None, default=None
        Number of threads. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed or source of the folds and of random features. With None and a checkpoint that exists,
        the seed is that of the checkpoint.
    progress : bool or function, default=None
        True writes to standard error. A function is called after each batch as
        ``progress(n_rows_done, n_rows, what)``; rows count once for each pass.

    Returns
    -------
    FeatureSelection
        The features, a model fitted to all samples, and the scores. What would be kept of each
        sample, `predicted`, `true_codes` and `subspace`, is None.

    Raises
    ------
    ValueError
        If a class has too few samples, a batch cannot be read, or the checkpoint is of another
        selection; the message says which class, batch and file, or what differs.

    See Also
    --------
    centroidal.model_selection.select_features : The same for data in memory, with more methods.
    centroidal.streaming.fit_batches : Fits a classifier with a number of features that is known.
    centroidal.report.write_report : Turns the result into a page to look at.

    Notes
    -----
    **Folds.** Of each class, every run of `cv` samples has one in each fold, in an order drawn at
    random, so folds do not depend on `batch_size`. They are drawn once. The inner folds of a fold
    are the other folds, so that a model without two of them serves both.

    **Cost.** The labels are read beforehand. Means take two passes, medians one for each block of
    columns and one more. With 5 folds there are 16 models, each a number for each class and
    feature, and the summaries that they come from; each sample is predicted by 6 of them, with
    every number of features at once. Of each fold and number of features the confusion matrix is
    kept.

    **Going on.** A run that was killed, at whatever moment, and is started again ends with the
    same result, to the bit, as one that was not. When it is finished the checkpoint stays: it is
    a file with the model, and the same call returns at once.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from centroidal.io import select_batches
    >>> from centroidal.streaming import batches
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, size=400)
    >>> X = rng.normal(size=(400, 30))
    >>> X[:, 7] += 3 * y
    >>> folder = tempfile.TemporaryDirectory()
    >>> np.savez(Path(folder.name) / "table.npz", X=X, y=y)
    >>> rows = batches(Path(folder.name) / "table.npz", target="y", batch_size=100)
    >>> found = select_batches(rows, random_state=0)
    >>> found.selected_names.tolist(), found.score > 0.9, found.beats_random
    (['x7'], True, True)
    >>> folder.cleanup()
    """
    start = time.perf_counter()
    check_batches(batches)
    check_choice("method", method, _METHODS)
    asked = Asked(method, n_features, rule, scoring).check()
    check_jobs(n_jobs)
    check_whole("checkpoint_every", checkpoint_every, optional=True)
    check_whole("memory", memory)
    tell = teller(progress, "rows")
    seed = _check_seed(random_state, checkpoint)
    problem = Problem.of(batches, asked, cv, classes, seed, memory, n_jobs)

    file = Checkpoint(checkpoint, checkpoint_every, _manifest(problem), key=_KEY)
    model, done = file.begin(clone(problem.estimator))
    state = file.state
    if not done.finished:
        model, state = _select(problem, file, model, done, tell)

    return _found(problem, model, state, time.perf_counter() - start)


# ------------------------------------------------------------------ what is asked for


class Problem(NamedTuple):
    """What is asked, and of which data."""

    batches: Batches
    classes: np.ndarray
    counts: np.ndarray  # samples of each class
    asked: Asked
    method: CentersMethod
    sizes: np.ndarray  # numbers of features to try
    folds: PositionFolds
    sets: list  # the training sets, each by the folds it does without
    width: int  # columns of which all samples are read at a time, if they are
    n_jobs: int | None

    @classmethod
    def of(cls, batches, asked, cv, classes, seed, memory, n_jobs):
        """Check what is asked against the labels, which are read for that."""
        is_sparse = batches.n_stored is not None
        classes, counts = _check_classes(batches, classes)
        method = method_named(asked.method, batches.n_features, classes.size, is_sparse, seed)
        sizes, is_nested = method.sizes(batches.n_features), asked.n_features == "auto"
        if not is_nested:
            sizes = np.union1d(sizes, asked.check_number(batches.n_features))
        folds = PositionFolds(check_n_folds(cv, classes, counts, is_nested), seed)
        sets = training_sets(folds.n_folds, is_nested)
        width = block_width(batches, memory)
        return cls(batches, classes, counts, asked, method, sizes, folds, sets, width, n_jobs)

    @property
    def estimator(self):
        """What is fitted, with any number of features."""
        return self.method.estimator

    @property
    def n_classes(self):
        """Number of classes."""
        return self.classes.size

    @property
    def n_batches(self):
        """Number of batches of a pass."""
        return self.batches.n_batches

    @property
    def is_nested(self):
        """Whether a number is chosen, which takes folds inside folds."""
        return self.asked.n_features == "auto"


def _check_seed(random_state, checkpoint):
    before = read_manifest(checkpoint, _KEY) if random_state is None else None
    if before is not None and isinstance(before["parameters"].get("random_state"), int):
        return before["parameters"]["random_state"]
    return seed_of(random_state)


def _check_classes(batches, classes):
    """Return the classes and how many samples each has."""
    found, counts = batches.class_counts()
    if classes is None:
        return check_next_classes(None, found, is_first=True), counts
    classes = check_next_classes(None, classes, is_first=True)
    unknown = [label for label in found.tolist() if label not in classes.tolist()]
    if unknown:
        raise ValueError(f"the label {unknown[0]!r} is not among classes={classes.tolist()}.")
    total = dict(zip(found.tolist(), counts.tolist(), strict=True))
    return classes, np.array([total.get(label, 0) for label in classes.tolist()])


def _manifest(problem):
    """Say what the selection depends on."""
    parameters = problem.asked._asdict() | {
        "cv": problem.folds.n_folds,
        "random_state": problem.folds.seed,
    }
    plan = {"class_counts": problem.counts.tolist()}
    if problem.asked.method == "l1":
        plan["columns_at_a_time"] = problem.width
    name = type(problem.estimator).__name__
    return manifest_of(name, parameters, problem.batches, problem.classes, **plan)


# ------------------------------------------------------------------ the passes


def _select(problem, checkpoint, estimator, done, tell):
    """Return the model of all samples, and arrays that tell what else is found."""
    state = checkpoint.state or {}
    has_means = problem.asked.method == "l2"
    summary = (MeansPass if has_means else MediansPasses)(problem, state.get("summary"))
    rows_read = RowCount(tell, problem.batches.n_samples, summary.n_passes + 1, done.n_rows)

    for _ in summary.steps(done.n_done, rows_read):
        done = Progress(done.n_done + 1, rows_read.n_done)
        if checkpoint.is_due() or not has_means:  # a step of medians is a whole pass
            checkpoint.write(estimator, done, {"summary": summary.state})

    tally = _Tally(problem, state.get("tally"))
    test = _Test(problem, summary)
    for batch in problem.batches.start(done.n_done - summary.n_steps):
        codes = codes_of(batch, problem.classes)
        test.add(batch.X, codes, problem.folds.folds_of(codes, tally.n_before), tally)
        rows_read.add(codes.size)
        done = Progress(done.n_done + 1, rows_read.n_done)
        if checkpoint.is_due() and done.n_done < summary.n_steps + problem.n_batches:
            state = {"summary": summary.state, "tally": tally.state}
            checkpoint.write(estimator, done, state)

    state = {"tally": tally.state, "spreads": summary.spreads}
    model = _model(problem, summary, _answer(problem, tally).n_features)
    checkpoint.write(model, done._replace(finished=True), state)
    return model, state


class _Tally:
    """What was predicted so far.

    Attributes
    ----------
    confusions : ndarray of shape (n_folds, n_sizes, n_classes, n_classes)
        Of each fold, by the model without it.
    inner : ndarray of shape (n_folds, n_folds, n_sizes, n_classes)
        Samples of the second fold that are recognised by the model without both.
    at_random : ndarray of shape (n_folds, n_sizes, n_classes)
        Samples of each fold that the model without it recognises by random features.
    """

    def __init__(self, problem, state=None):
        n_folds, n_sizes, n_classes = problem.folds.n_folds, problem.sizes.size, problem.n_classes
        shapes = {
            "confusions": (n_folds, n_sizes, n_classes, n_classes),
            "inner": (n_folds, n_folds, n_sizes, n_classes),
            "at_random": (n_folds, n_sizes, n_classes),
        }
        for name, shape in shapes.items():
            found = np.zeros(shape, dtype=np.int64) if state is None else state[name]
            setattr(self, name, found)

    @property
    def state(self):
        """Arrays that tell what has been found so far."""
        return vars(self)

    @property
    def counts(self):
        """Samples of each class in each fold."""
        return self.confusions[:, 0].sum(axis=2)

    @property
    def n_before(self):
        """Samples of each class so far."""
        return self.counts.sum(axis=0)


class _Test:
    """The models of all training sets, to be tested on samples that they have not seen."""

    def __init__(self, problem, summary):
        self._problem = problem
        paths = {
            left_out: problem.method.path(summary.solution(left_out))
            for left_out in problem.sets
            if left_out
        }
        rng = np.random.RandomState(problem.folds.seed)
        self._jobs = []
        for fold in range(problem.folds.n_folds):
            path = paths[fold,]
            mixed = path.ranked(rng.permutation(problem.batches.n_features))
            self._jobs += [(fold, "confusions", fold, path), (fold, "at_random", fold, mixed)]
        for one, other in (left_out for left_out in paths if len(left_out) == 2):
            path = paths[one, other]
            self._jobs += [(other, "inner", (one, other), path), (one, "inner", (other, one), path)]

    def add(self, X, codes, folds, tally):
        """Predict samples, and count what comes out."""
        n_classes, sizes = self._problem.n_classes, self._problem.sizes
        rows = [np.flatnonzero(folds == fold) for fold in range(self._problem.folds.n_folds)]

        def found(fold, name, place, path):
            tested = rows[fold]
            if name == "confusions":
                counts = confusions_of(path.predict(X, tested, sizes), codes[tested], n_classes)
            else:
                counts = path.hits(X, tested, codes, sizes)
            return name, place, counts

        jobs = [job for job in self._jobs if rows[job[0]].size]
        for name, place, counts in map_blocks(found, jobs, self._problem.n_jobs):
            getattr(tally, name)[place] += counts


# ------------------------------------------------------------------ the answer


def _answer(problem, tally):
    """Let each fold choose by the others, and sum up."""
    asked, sizes, method = problem.asked, problem.sizes, problem.asked.method
    counts, tried = tally.counts, []
    for fold in range(problem.folds.n_folds):
        chosen = int(asked.choices(sizes)[0]), np.nan
        if problem.is_nested:
            others = np.delete(np.arange(problem.folds.n_folds), fold)
            hits = tally.inner[fold, others]
            scores = score_of_hits(hits, counts[others, None], asked.scoring)
            chosen = asked.choose(sizes, scores, 1.0 / (others.size - 1))
        at_random = score_of_hits(tally.at_random[fold], counts[fold], asked.scoring)
        tried.append({method: Tried(tally.confusions[fold], *chosen), None: {method: at_random}})
    tested = counts.sum(axis=1)
    ratio = float(np.mean(tested / (tested.sum() - tested)))
    return Answer(asked, {method: sizes}, tried, ratio)


def _model(problem, summary, n_features):
    """Fit the model with so many features to all samples."""
    batches = problem.batches
    names = batches.feature_names if batches.has_names else None
    model = problem.method.model(n_features)
    features = Features(batches.n_features, names)
    return model._keep(features, problem.classes, summary.solution(), n_features)


def _found(problem, model, state, seconds):
    answer = _answer(problem, _Tally(problem, state["tally"]))
    asked = problem.asked
    return FeatureSelection(
        method=asked.method,
        methods_tried=(asked.method,),
        n_features_asked=asked.n_features,
        rule=asked.rule,
        scoring=asked.scoring,
        classes=problem.classes,
        class_counts=problem.counts,
        feature_names=np.array(problem.batches.feature_names.tolist()),
        model=model,
        ranking=model.feature_ranking_,
        gains=model.feature_gains_,
        centers=model._solution.path.class_centers,
        spreads=state["spreads"],
        n_features_to_select=answer.n_features,
        path=answer.path,
        confusion_path=answer.confusion_path,
        random_path=answer.random_path,
        score=answer.score,
        se_score=answer.se_score,
        confusion=answer.confusion,
        random_score=answer.random_score,
        se_random=answer.se_random,
        majority_score=majority_score(problem.counts, asked.scoring),
        predicted=None,
        true_codes=None,
        fold_choices=answer.fold_choices(),
        method_scores=answer.method_scores(),
        stability=None,
        subspace=None,
        n_folds=problem.folds.n_folds,
        n_repeats=1,
        impute=None,
        seed=problem.folds.seed,
        seconds=seconds,
        versions=versions(),
    )
